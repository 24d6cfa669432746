/* A trace's report as text. */
#include <stdio.h>
#include <string.h>

#include "trace_report.h"

enum { MOST_ROWS = 40 };

/* Names come from a file: what would steer a terminal is shown as ?. */
static void print_text(const char *text) {
    for (; *text; text++) {
        putchar((unsigned char)*text < ' ' || *text == 127 ? '?' : *text);
    }
}

/* Characters of UTF-8. */
static size_t length_of(const char *text) {
    size_t length = 0;
    for (; *text; text++) {
        length += (*text & 0xC0) != 0x80;
    }
    return length;
}

static size_t width_of(const trace_table *table, size_t column, size_t n_rows) {
    size_t width = length_of(table->columns[column]) - (table->columns[column][0] == ' ');
    for (size_t r = 0; r < n_rows; r++) {
        size_t length = length_of(table->rows[r].cells[column].text);
        width = length > width ? length : width;
    }
    return width;
}

/* Columns of text to the left, others to the right. */
static void print_cell(const char *text, size_t width, bool is_text, bool is_last) {
    int room = (int)(width - length_of(text));
    printf("%*s", is_text ? 0 : room, "");
    print_text(text);
    printf("%*s%s", is_text && !is_last ? room : 0, "", is_last ? "\n" : "  ");
}

static void print_table(const trace_table *table) {
    const size_t n_rows = table->count < MOST_ROWS ? table->count : MOST_ROWS;
    size_t widths[TRACE_COLUMNS], n_columns = 0;
    if (!table->count) {
        return;
    }
    for (; n_columns < TRACE_COLUMNS && table->columns[n_columns]; n_columns++) {
        widths[n_columns] = width_of(table, n_columns, n_rows);
    }
    printf("\n%s%s%s\n", table->title, table->note ? ": " : "", table->note ? table->note : "");
    for (size_t c = 0; c < n_columns; c++) {
        bool is_text = table->columns[c][0] == ' ';
        print_cell(table->columns[c] + is_text, widths[c], is_text, c + 1 == n_columns);
    }
    for (size_t r = 0; r < n_rows; r++) {
        for (size_t c = 0; c < n_columns; c++) {
            print_cell(table->rows[r].cells[c].text, widths[c], table->columns[c][0] == ' ', c + 1 == n_columns);
        }
    }
    if (table->count > n_rows) {
        printf("and %zu more\n", table->count - n_rows);
    }
}

void trace_print(const trace_report *report) {
    for (size_t i = 0; report->facts[0][i]; i++) {
        printf("%s: ", report->facts[0][i]);
        print_text(report->facts[1][i]);
        putchar('\n');
    }
    for (size_t i = 0; report->warnings[i]; i++) {
        printf("%s\n", report->warnings[i]);
    }
    if (report->findings.count) {
        printf("\nWhat would help most\n");
    }
    for (size_t i = 0; i < report->findings.count; i++) {
        printf("%zu. ", i + 1);
        print_text(report->findings.items[i].text);
        double saving_ns = report->findings.items[i].saving_ns;
        if (saving_ns > 0) {
            printf(" (saves at most %s)", label_time(saving_ns).text);
        }
        putchar('\n');
    }
    for (size_t t = 0; t < TRACE_TABLES; t++) {
        print_table(&report->tables[t]);
    }
}
