/* Finds what fields a struct has by reading OpenCL C. It reads what people write for arguments: numbers, vectors, structs
 * and arrays of them. Bit-fields, unions, pointers and structs without a name in a struct it does not read. What it
 * says is a guess that the compiler has to confirm: it looks at all sides of every #if. */
#ifndef STRUCT_READER_H
#define STRUCT_READER_H

#include <stdbool.h>
#include <stddef.h>

typedef struct read_field {
    char *type, *name;
    size_t dimensions; /* of an array; 0: no array */
} read_field;

typedef struct read_struct {
    read_field *fields;
    size_t count;
} read_struct;

typedef enum read_result { READ_NONE, READ_UNCLEAR, READ_DONE } read_result;

/* The text with comments, literals and directives blanked, for the caller to free. */
char *struct_blank(const char *text);

/* Reads definition number `index` of the type, "pair_t" or "struct pair", in a blanked text. READ_NONE: there are
 * fewer. READ_UNCLEAR: it is there and has what is not read here. Free *out in any case. */
read_result struct_read(const char *blanked, const char *type, size_t index, read_struct *out);
void struct_free(read_struct *read);

#endif
