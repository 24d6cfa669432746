#include "program/directive.h"

#include <string.h>

static bool is_word_start(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool directive_is_word_part(char c) { return is_word_start(c) || (c >= '0' && c <= '9'); }

size_t directive_word_length(const char *at) {
    size_t length = 0;
    if (is_word_start(*at)) {
        while (directive_is_word_part(at[length])) length++;
    }
    return length;
}

/* Steps over backslash-newlines, which may stand anywhere; compilers let blanks stand between the two. */
static const char *skip_splices(const char *at) {
    while (*at == '\\') {
        const char *end = at + 1;
        while (directive_is_blank(*end)) end++;
        if (*end != '\n') break;
        at = end + 1;
    }
    return at;
}

/* Past the two characters at the start, NULL if they are not there. */
static const char *after_pair(const char *at, char first, char second) {
    if (*at != first) return NULL;
    at = skip_splices(at + 1);
    return *at == second ? at + 1 : NULL;
}

static void skip_block_comment(scanner *s) {
    const char *end = NULL;
    while (*s->at && !(end = after_pair(s->at, '*', '/'))) s->at++;
    s->in_comment = end == NULL;
    if (end) s->at = end;
}

/* Steps over blanks, continuations and block comments; not over the end of the line. */
static void skip_blanks(scanner *s) {
    for (;;) {
        const char *next = skip_splices(s->at);
        if (next != s->at) {
            s->at = next;
        } else if (directive_is_blank(*s->at)) {
            s->at++;
        } else if ((next = after_pair(s->at, '/', '*')) != NULL) {
            s->at = next;
            skip_block_comment(s);
        } else {
            return;
        }
    }
}

static void skip_line_comment(scanner *s) {
    while (*s->at && *s->at != '\n') {
        const char *next = skip_splices(s->at);
        s->at = next != s->at ? next : s->at + 1;
    }
}

/* A literal ends with its line if it does not before, as an apostrophe in disabled text does. */
static void skip_literal(scanner *s) {
    char quote = *s->at++;
    for (;;) {
        s->at = skip_splices(s->at);
        char c = *s->at;
        if (c == '\0' || c == '\n') return;
        s->at++;
        if (c == quote) return;
        if (c == '\\') {
            s->at = skip_splices(s->at);
            if (*s->at && *s->at != '\n') s->at++;
        }
    }
}

/* Takes the word at the scanner, after blanks; empty if there is none or a continuation cuts it. */
static size_t take_word(scanner *s, const char **word) {
    skip_blanks(s);
    *word = s->at;
    size_t length = directive_word_length(s->at);
    s->at += length;
    const char *next = skip_splices(s->at);
    return next == s->at || !directive_is_word_part(*next) ? length : 0;
}

bool directive_is_word(const char *word, size_t length, const char *other) {
    return strlen(other) == length && memcmp(word, other, length) == 0;
}

static directive_kind scan_include(scanner *s, directive *d) {
    skip_blanks(s);
    if (*s->at != '"' && *s->at != '<') return DIRECTIVE_OTHER;
    const char *name = s->at + 1;
    size_t length = strcspn(name, *s->at == '"' ? "\"\n" : ">\n");
    if (length == 0 || name[length] == '\n' || name[length] == '\0') return DIRECTIVE_OTHER;
    d->name = name;
    d->length = length;
    s->at = name + length + 1;
    return DIRECTIVE_INCLUDE;
}

/* #if: that of an include guard is told from others. */
static directive_kind scan_if(scanner *s, directive *d) {
    const char *word;
    skip_blanks(s);
    if (*s->at != '!') return DIRECTIVE_IF;
    s->at++;
    size_t length = take_word(s, &word);
    if (!directive_is_word(word, length, "defined")) return DIRECTIVE_IF;
    skip_blanks(s);
    bool parenthesis = *s->at == '(';
    if (parenthesis) s->at++;
    d->length = take_word(s, &d->name);
    skip_blanks(s);
    if (parenthesis && *s->at == ')') {
        s->at++;
        parenthesis = false;
        skip_blanks(s);
    }
    bool whole = !parenthesis && (*s->at == '\n' || after_pair(s->at, '/', '/'));
    return whole && d->length > 0 ? DIRECTIVE_IFNDEF : DIRECTIVE_IF;
}

static directive_kind scan_directive(scanner *s, directive *d) {
    static const struct {
        const char *word;
        directive_kind kind;
    } kinds[] = {{"include", DIRECTIVE_INCLUDE}, {"pragma", DIRECTIVE_ONCE},      {"if", DIRECTIVE_IF},
                 {"ifdef", DIRECTIVE_IF},        {"ifndef", DIRECTIVE_IFNDEF},    {"else", DIRECTIVE_ELSE},
                 {"elif", DIRECTIVE_ELSE},       {"elifdef", DIRECTIVE_ELSE},     {"elifndef", DIRECTIVE_ELSE},
                 {"endif", DIRECTIVE_ENDIF},     {"define", DIRECTIVE_DEFINE},    {"undef", DIRECTIVE_UNDEF}};
    const char *word;
    size_t length = take_word(s, &word);
    directive_kind kind = DIRECTIVE_OTHER;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (directive_is_word(word, length, kinds[i].word)) kind = kinds[i].kind;
    }
    switch (kind) {
    case DIRECTIVE_INCLUDE:
        return scan_include(s, d);
    case DIRECTIVE_ONCE:
        length = take_word(s, &word);
        return directive_is_word(word, length, "once") ? kind : DIRECTIVE_OTHER;
    case DIRECTIVE_IF:
        return directive_is_word(word, length, "if") ? scan_if(s, d) : kind;
    case DIRECTIVE_IFNDEF:
    case DIRECTIVE_DEFINE:
    case DIRECTIVE_UNDEF:
        d->length = take_word(s, &d->name);
        if (d->length > 0) return kind;
        return kind == DIRECTIVE_IFNDEF ? DIRECTIVE_IF : DIRECTIVE_OTHER;
    default:
        return kind;
    }
}

/* Steps over what is no blank and no directive. */
static void skip_token(scanner *s) {
    s->line_start = *s->at == '\n';
    if (after_pair(s->at, '/', '/')) {
        skip_line_comment(s);
    } else if (*s->at == '"' || *s->at == '\'') {
        skip_literal(s);
    } else {
        s->at++;
    }
}

directive directive_next(scanner *s) {
    directive d = {DIRECTIVE_END, NULL, NULL, 0};
    for (;;) {
        skip_blanks(s);
        if (*s->at == '\0') return d;
        const char *next = *s->at == '#' ? s->at + 1 : after_pair(s->at, '%', ':');
        if (s->line_start && next) {
            d.start = s->at;
            s->at = next;
            s->line_start = false;
            d.kind = scan_directive(s, &d);
            return d;
        }
        skip_token(s);
    }
}

/* Goes on to the next line, or to the end of the text. */
void directive_finish_line(scanner *s) {
    do {
        skip_blanks(s);
        if (*s->at == '\0') return;
        skip_token(s);
    } while (!s->line_start);
}

bool directive_present(const char *source, directive_kind kind) {
    scanner s = {source, true, false};
    directive d;
    do d = directive_next(&s);
    while (d.kind != DIRECTIVE_END && d.kind != kind);
    return d.kind == kind;
}
