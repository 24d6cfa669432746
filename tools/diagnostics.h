/* What a compiler's log says, message by message, with the lines of the source that it speaks of. */
#ifndef DIAGNOSTICS_H
#define DIAGNOSTICS_H

#include <jansson.h>

/* An array of {severity, file, line, column, message, source}: the log's messages that name a place. column is 0
 * where the compiler gives none, source null where the text has no such line. text is the assembled source. */
json_t *diagnostics_of(const char *log, const char *text);

/* Prints one like this:
 *   blur.cl:7:12: error: use of undeclared identifier 'widht'
 *       7 |     if (x < widht) {
 *         |             ^
 */
void diagnostics_print(const json_t *diagnostic);

#endif
