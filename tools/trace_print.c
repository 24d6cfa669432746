/* A trace's report as text. */
#include <stdio.h>
#include <string.h>

#include "trace_report.h"

static size_t width_of(const trace_table *table, size_t column) {
    size_t width = strlen(table->columns[column]) - (table->columns[column][0] == ' ');
    for (size_t r = 0; r < table->count; r++) {
        size_t length = strlen(table->rows[r].cells[column].text);
        width = length > width ? length : width;
    }
    return width;
}

/* Columns of text to the left, others to the right. */
static void print_cell(const char *text, size_t width, bool is_text, bool is_last) {
    if (is_text) {
        printf("%-*s", is_last ? 0 : (int)width, text);
    } else {
        printf("%*s", (int)width, text);
    }
    fputs(is_last ? "\n" : "  ", stdout);
}

static void print_table(const trace_table *table) {
    size_t widths[TRACE_COLUMNS], n_columns = 0;
    if (!table->count) {
        return;
    }
    for (; n_columns < TRACE_COLUMNS && table->columns[n_columns]; n_columns++) {
        widths[n_columns] = width_of(table, n_columns);
    }
    printf("\n%s%s%s\n", table->title, table->note ? ": " : "", table->note ? table->note : "");
    for (size_t c = 0; c < n_columns; c++) {
        bool is_text = table->columns[c][0] == ' ';
        print_cell(table->columns[c] + is_text, widths[c], is_text, c + 1 == n_columns);
    }
    for (size_t r = 0; r < table->count; r++) {
        for (size_t c = 0; c < n_columns; c++) {
            print_cell(table->rows[r].cells[c].text, widths[c], table->columns[c][0] == ' ', c + 1 == n_columns);
        }
    }
}

void trace_print(const trace_report *report) {
    for (size_t i = 0; report->facts[0][i]; i++) {
        printf("%s: %s\n", report->facts[0][i], report->facts[1][i]);
    }
    for (size_t i = 0; i < 2 && report->warnings[i]; i++) {
        printf("%s\n", report->warnings[i]);
    }
    if (report->findings.count) {
        printf("\nWhat would help most\n");
    }
    for (size_t i = 0; i < report->findings.count; i++) {
        printf("%zu. %s\n", i + 1, report->findings.items[i].text);
    }
    for (size_t t = 0; t < TRACE_TABLES; t++) {
        print_table(&report->tables[t]);
    }
}
