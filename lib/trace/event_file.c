#include "trace/event_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MOST_STRING = 1000 };

void line_printf(event_line *line, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t room = sizeof line->text - line->length;
    int used = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    line->length += used < 0 ? 0 : (size_t)used < room ? (size_t)used : room - 1;
}

/* How many bytes a UTF-8 character has; 0 for none. */
static size_t utf8_length(const unsigned char *at) {
    size_t length = at[0] < 0x80 ? 1 : at[0] < 0xC2 ? 0 : at[0] < 0xE0 ? 2 : at[0] < 0xF0 ? 3 : at[0] < 0xF5 ? 4 : 0;
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    bool overlong = (at[0] == 0xE0 && at[1] < 0xA0) || (at[0] == 0xF0 && at[1] < 0x90);
    bool no_character = (at[0] == 0xED && at[1] >= 0xA0) || (at[0] == 0xF4 && at[1] >= 0x90);
    return overlong || no_character ? 0 : length;
}

void line_string(event_line *line, const char *string) {
    const unsigned char *at = (const unsigned char *)string;
    line_printf(line, "\"");
    for (size_t budget = MOST_STRING; *at && budget >= 6;) {
        size_t before = line->length, length = utf8_length(at);
        if (length == 0) {
            line_printf(line, "\\ufffd");
            length = 1;
        } else if (*at == '"' || *at == '\\') {
            line_printf(line, "\\%c", *at);
        } else if (*at < ' ' || *at == 0x7F) {
            line_printf(line, "\\u%04x", *at);
        } else {
            line_printf(line, "%.*s", (int)length, (const char *)at);
        }
        at += length;
        budget -= line->length - before;
    }
    line_printf(line, "\"");
}

void line_us(event_line *line, uint64_t ns) {
    line_printf(line, "%llu.%03u", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

int file_open(event_file *file, const char *path) {
    file->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    file->error = 0;
    file->begun = false;
    file->kept = 0;
    file->used = 0;
    return file->fd < 0 ? errno : 0;
}

/* The number of bytes written; fewer set file->error. */
static size_t write_all(event_file *file, const char *data, size_t size) {
    size_t done = 0;
    while (done < size) {
        ssize_t part = write(file->fd, data + done, size - done);
        if (part < 0 && errno != EINTR) {
            file->error = errno;
            break;
        }
        done += part > 0 ? (size_t)part : 0;
    }
    return done;
}

/* After a failed write, back to where the last line that was flushed ends. */
static void cut(event_file *file) {
    if (ftruncate(file->fd, (off_t)file->kept) == 0) {
        lseek(file->fd, (off_t)file->kept, SEEK_SET);
    }
}

void file_flush(event_file *file) {
    if (!file->error && file->used) {
        if (write_all(file, file->buffer, file->used) == file->used) {
            file->kept += file->used;
        } else {
            cut(file);
        }
    }
    file->used = 0;
}

/* The comma comes before the next event, which may never come. */
void file_add(event_file *file, const event_line *line) {
    if (file->used + line->length + 2 > sizeof file->buffer) {
        file_flush(file);
    }
    memcpy(file->buffer + file->used, file->begun ? ",\n" : "[\n", 2);
    memcpy(file->buffer + file->used + 2, line->text, line->length);
    file->used += line->length + 2;
    file->begun = true;
}

int file_close(event_file *file) {
    file_flush(file);
    int error = file->error;
    if (file->kept) {
        file->error = 0;
        if (write_all(file, "\n]\n", 3) < 3) {
            error = error ? error : file->error;
            cut(file);
        }
    }
    if (close(file->fd) != 0 && !error && errno != EINTR) {
        error = errno;
    }
    file->fd = -1;
    return error;
}
