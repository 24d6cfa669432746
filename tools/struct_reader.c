#include "struct_reader.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "tool_memory.h"

/* ---- Words ----------------------------------------------------------------------------------------- */

/* A piece of text. length 0: none. */
typedef struct word {
    const char *at;
    size_t length;
} word;

static bool is_word_part(char c) { return isalnum((unsigned char)c) || c == '_'; }

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && isspace((unsigned char)*at)) {
        at++;
    }
    return at;
}

static word word_at(const char *at, const char *end) {
    word word = {at, 0};
    while (at + word.length < end && is_word_part(at[word.length])) {
        word.length++;
    }
    return word;
}

static bool word_is(word word, const char *text) {
    return word.length == strlen(text) && !memcmp(word.at, text, word.length);
}

/* Past the bracket that closes the one at `at`; end if there is none. */
static const char *skip_brackets(const char *at, const char *end) {
    size_t depth = 0;
    for (; at < end; at++) {
        depth += *at == '(' || *at == '[' || *at == '{';
        if (*at == ')' || *at == ']' || *at == '}') {
            depth--;
        }
        if (depth == 0) {
            return at + 1;
        }
    }
    return end;
}

/* Past blanks, attributes and qualifiers, which say nothing of what a field is. */
static const char *skip_decoration(const char *at, const char *end) {
    static const char *const qualifiers[] = {"const", "volatile", "private", "__private"};
    for (;;) {
        at = skip_blanks(at, end);
        word word = word_at(at, end);
        bool qualifier = false;
        for (size_t i = 0; i < sizeof qualifiers / sizeof *qualifiers; i++) {
            qualifier = qualifier || word_is(word, qualifiers[i]);
        }
        if (word_is(word, "__attribute__")) {
            at = skip_brackets(skip_blanks(at + word.length, end), end);
        } else if (qualifier) {
            at += word.length;
        } else {
            return at;
        }
    }
}

/* ---- Blanking -------------------------------------------------------------------------------------- */

static char *blank_to(char *at, const char *end) {
    for (; at < end && *at; at++) {
        *at = *at == '\n' ? '\n' : ' ';
    }
    return at;
}

static char *blank_literal(char *at) {
    char *end = at + 1;
    while (*end && *end != *at && *end != '\n') {
        end += *end == '\\' && end[1] ? 2 : 1;
    }
    return blank_to(at, *end ? end + 1 : end);
}

/* A directive goes on over lines that end with a backslash. */
static char *blank_directive(char *at) {
    char *end = at;
    while (*end && *end != '\n') {
        end += *end == '\\' && end[1] == '\n' ? 2 : 1;
    }
    return blank_to(at, end);
}

char *struct_blank(const char *text) {
    char *blanked = memory_copy(text, strlen(text)), *at = blanked;
    bool line_start = true;
    while (*at) {
        if (at[0] == '/' && at[1] == '/') {
            at = blank_directive(at);
        } else if (at[0] == '/' && at[1] == '*') {
            char *end = strstr(at + 2, "*/");
            at = blank_to(at, end ? end + 2 : at + strlen(at));
        } else if (*at == '"' || *at == '\'') {
            at = blank_literal(at);
        } else if (*at == '#' && line_start) {
            at = blank_directive(at);
        } else {
            line_start = *at == '\n' || (line_start && isspace((unsigned char)*at));
            at++;
        }
    }
    return blanked;
}

/* ---- Fields ---------------------------------------------------------------------------------------- */

/* A type's words, with one blank between two: "unsigned int", "struct pair". Moves *at behind them; NULL if the type is none
 * that is read here. */
static char *read_type(const char **at, const char *end) {
    static const char *const parts[] = {"unsigned", "signed", "char", "short", "int", "long"};
    const char *start = skip_decoration(*at, end);
    word first = word_at(start, end);
    if (!first.length || word_is(first, "union") || word_is(first, "enum")) {
        return NULL;
    }
    memory_text type = {0};
    memory_append(&type, first.at, first.length);
    *at = first.at + first.length;
    bool more = word_is(first, "struct"), number = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        number = number || word_is(first, parts[i]);
    }
    while (more || number) {
        word next = word_at(skip_decoration(*at, end), end);
        bool part = more && next.length;
        for (size_t i = 0; number && i < sizeof parts / sizeof *parts; i++) {
            part = part || word_is(next, parts[i]);
        }
        if (!part) {
            break;
        }
        memory_append(&type, " ", 1);
        memory_append(&type, next.at, next.length);
        *at = next.at + next.length;
        more = false;
    }
    return memory_take(&type);
}

/* "x" or "m[4][4]", up to a comma or the end. */
static bool read_declarator(const char **at, const char *end, read_field *field) {
    word name = word_at(skip_decoration(*at, end), end);
    const char *next = skip_decoration(name.at + name.length, end);
    field->dimensions = 0;
    while (next < end && *next == '[') {
        next = skip_decoration(skip_brackets(next, end), end);
        field->dimensions++;
    }
    *at = next + (next < end);
    if (!name.length || (next < end && *next != ',')) {
        return false;
    }
    field->name = memory_copy(name.at, name.length);
    return true;
}

/* One declaration, without its semicolon. */
static bool read_declaration(const char *at, const char *end, read_struct *out) {
    if (skip_decoration(at, end) == end) {
        return true; /* empty */
    }
    char *type = read_type(&at, end);
    bool clear = type;
    while (clear && (at < end || !out->count)) {
        read_field field = {0};
        clear = read_declarator(&at, end, &field);
        if (clear) {
            field.type = memory_copy(type, strlen(type));
            out->fields = memory_grow(out->fields, out->count, sizeof field);
            out->fields[out->count++] = field;
        }
    }
    free(type);
    return clear;
}

static bool read_body(const char *at, const char *end, read_struct *out) {
    while (at < end) {
        const char *stop = at;
        while (stop < end && *stop != ';') {
            if (*stop == '{') {
                return false;
            }
            stop++;
        }
        size_t before = out->count;
        if (!read_declaration(at, stop, out) || (out->count == before && skip_decoration(at, stop) != stop)) {
            return false;
        }
        at = stop + (stop < end);
    }
    return out->count > 0;
}

/* ---- Definitions ----------------------------------------------------------------------------------- */

/* Whether "NAME, *OTHER;" behind a body has the name. */
static bool declares(const char *at, const char *end, const char *name) {
    while (at < end && *at != ';') {
        at = skip_decoration(at, end);
        word word = word_at(at, end);
        if (word_is(word, name)) {
            return true;
        }
        at += word.length ? word.length : (at < end && *at != ';');
    }
    return false;
}

/* The tag that "typedef struct TAG NAME;" gives the name, so that the struct is looked for under it. */
static word alias_of(const char *blanked, const char *name) {
    const char *end = blanked + strlen(blanked);
    for (const char *at = blanked; (at = strstr(at, "typedef")) != NULL; at += strlen("typedef")) {
        const char *next = skip_decoration(at + strlen("typedef"), end);
        word keyword = word_at(next, end), tag = word_at(skip_decoration(next + keyword.length, end), end);
        next = skip_blanks(tag.at + tag.length, end);
        if (word_is(keyword, "struct") && tag.length && next < end && *next != '{' && declares(next, end, name)) {
            return tag;
        }
    }
    return (word){NULL, 0};
}

/* A definition: "struct TAG { BODY } NAMES;" */
typedef struct definition {
    word tag;
    const char *body, *body_end, *after;
    bool is_typedef;
} definition;

/* The next definition from *at on. */
static bool next_definition(const char *blanked, const char **at, definition *out) {
    const char *end = blanked + strlen(blanked);
    while ((*at = strstr(*at, "struct")) != NULL) {
        const char *start = *at, *next = start + strlen("struct");
        *at = next;
        if ((start > blanked && is_word_part(start[-1])) || is_word_part(*next)) {
            continue;
        }
        next = skip_decoration(next, end);
        out->tag = word_at(next, end);
        next = skip_decoration(next + out->tag.length, end);
        if (next < end && *next == '{') {
            out->body = next + 1;
            out->after = skip_brackets(next, end);
            out->body_end = out->after - 1;
            const char *before = start;
            while (before > blanked && isspace((unsigned char)before[-1])) {
                before--;
            }
            size_t length = strlen("typedef");
            out->is_typedef = (size_t)(before - blanked) >= length && !strncmp(before - length, "typedef", length);
            return true;
        }
    }
    return false;
}

read_result struct_read(const char *blanked, const char *type, size_t index, read_struct *out) {
    *out = (read_struct){0};
    bool by_tag = !strncmp(type, "struct ", 7);
    const char *name = by_tag ? type + 7 : type, *end = blanked + strlen(blanked), *at = blanked;
    word alias = by_tag ? (word){name, strlen(name)} : alias_of(blanked, name);
    definition found;
    while (next_definition(blanked, &at, &found)) {
        bool tagged = alias.length && found.tag.length == alias.length && !memcmp(found.tag.at, alias.at, alias.length);
        bool named = !by_tag && found.is_typedef && declares(found.after, end, name);
        if ((tagged || named) && index-- == 0) {
            return read_body(found.body, found.body_end, out) ? READ_DONE : READ_UNCLEAR;
        }
    }
    return READ_NONE;
}

void struct_free(read_struct *read) {
    for (size_t i = 0; i < read->count; i++) {
        free(read->fields[i].type);
        free(read->fields[i].name);
    }
    free(read->fields);
    *read = (read_struct){0};
}
