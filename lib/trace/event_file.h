/* The trace file: a JSON array with an event a line. What has reached the disk is whole lines. */
#ifndef TRACE_EVENT_FILE_H
#define TRACE_EVENT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One event as it is put together; what does not fit is left out, so keep to it. */
typedef struct event_line {
    char text[3072];
    size_t length;
} event_line;

__attribute__((format(printf, 2, 3))) void line_printf(event_line *line, const char *format, ...);

/* A string in quotes: what JSON does not take is escaped, bytes that are no UTF-8 become U+FFFD. Ends at 1000 bytes. */
void line_string(event_line *line, const char *string);

/* Nanoseconds as microseconds with three decimals. */
void line_us(event_line *line, uint64_t ns);

typedef struct event_file {
    int fd;
    int error; /* an errno: since then nothing is written */
    bool begun;
    uint64_t kept; /* bytes on disk */
    size_t used;
    char buffer[64 << 10];
} event_file;

/* Opens a new file in place of one that exists. The result is 0 or an errno. */
int file_open(event_file *file, const char *path);

void file_add(event_file *file, const event_line *line);
void file_flush(event_file *file);

/* Ends the array and closes. The result is 0 or the errno of the first write that failed. */
int file_close(event_file *file);

#endif
