/* The preprocessor's directives in a text, as far as assembly needs them.
 *
 * A scanner goes over normalised text and stops at each directive that matters here, which is never one in
 * a comment or a literal. A directive whose words are broken by a line continuation, and an include through
 * a macro, are the compiler's.
 */
#ifndef PROGRAM_DIRECTIVE_H
#define PROGRAM_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum directive_kind {
    DIRECTIVE_END, /* of the text */
    DIRECTIVE_OTHER,
    DIRECTIVE_INCLUDE, /* name: what is between the delimiters */
    DIRECTIVE_ONCE,
    DIRECTIVE_IF,
    DIRECTIVE_IFNDEF, /* name: the macro; also #if !defined(name) */
    DIRECTIVE_ELSE,   /* and #elif */
    DIRECTIVE_ENDIF,
    DIRECTIVE_DEFINE, /* name: the macro; also for undef */
    DIRECTIVE_UNDEF
} directive_kind;

typedef struct directive {
    directive_kind kind;
    const char *start; /* the # */
    const char *name;
    size_t length;
} directive;

typedef struct scanner {
    const char *at;
    bool line_start; /* nothing but blanks and comments since the line began */
    bool in_comment; /* the text ended inside one */
} scanner;

/* The next directive, or DIRECTIVE_END. */
directive directive_next(scanner *s);

/* Past the rest of the line. */
void directive_finish_line(scanner *s);

/* Whether the text has a directive of that kind. */
bool directive_present(const char *source, directive_kind kind);

/* The length of the identifier at `at`, 0 if there is none. */
size_t directive_word_length(const char *at);

/* Whether an identifier may go on with the character. */
bool directive_is_word_part(char c);

/* Whether the word is the other, a string. */
bool directive_is_word(const char *word, size_t length, const char *other);

static inline bool directive_is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

#endif
