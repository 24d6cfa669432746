/* program/assemble: from the caller's source to the text the driver's compiler sees.
 *
 * Defines and includes are put into the text here, so that no path and no macro value passes through a
 * driver's option parser, and the text says all that a build depends on. #line directives keep the caller's
 * file names and line numbers.
 */
#ifndef PROGRAM_ASSEMBLE_H
#define PROGRAM_ASSEMBLE_H

#include <stddef.h>

#include <weft/function.h>

/* Where the text's physical lines come from: from first on, they are file's lines from line on. */
typedef struct line_segment {
    size_t first;
    const char *file;
    size_t line;
} line_segment;

typedef struct line_map {
    line_segment *segments; /* by first, ascending; the first one starts at 1 */
    size_t count;
    char **names; /* what the segments' files point to */
    size_t name_count;
} line_map;

typedef struct assembled {
    char *text; /* NUL-terminated */
    size_t length;
    line_map map;
    char reason[512]; /* on INVALID_ARGUMENT: one line that names the entry of options */
} assembled;

/* Fills *out, which the caller frees with assembled_free, also on failure. options may be NULL.
 *
 * Line ends become LF, a byte order mark goes, a missing final newline is added; else a source without
 * includes, with neither defines nor source_name, stays as it is. An include that cannot be resolved becomes
 * an #error on its line: whether it matters is the compiler's to say.
 *
 * Errors: INVALID_ARGUMENT (a malformed entry in options); OUT_OF_HOST_MEMORY. */
WEFT_NODISCARD weft_status assemble_source(const char *source, const weft_compile_options *options, assembled *out);

/* Accepts what assemble_source filled or an all-zero one, also twice. */
void assembled_free(assembled *a);

/* For a compiler that ignores #line: the log with every input.cl:<physical line> (Oclgrind) and
 * <kernel>:<physical line> (NVIDIA) replaced by <file>:<line>, for the caller to free; NULL without memory. */
char *assemble_map_log(const assembled *a, const char *log);

#endif
