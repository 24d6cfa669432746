/* The assembled source as it goes into a header: it names files, and no folder of this machine. */
#ifndef BIND_TEXT_H
#define BIND_TEXT_H

#include <stdio.h>

#include "source.h"
#include "tool_memory.h"

/* The text with shorter file names in its #line directives: below the source's own folder or a -I folder, from there on;
 * else without folders. For the caller to free. */
char *bind_text_shorten(const char *text, const source *source);

/* Appends the text as C literals, a line each. */
void bind_text_quote(memory_text *out, const char *text);

/* Writes a make rule: target depends on every file that the text came from. false: that failed, with errno set. */
bool bind_text_dependencies(const char *path, const char *target, const char *text);

#endif
