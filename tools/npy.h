/* The .npy format: what a file's header says, and the header for an array.
 * Source: numpy.lib.format, versions 1.0, 2.0 and 3.0. */
#ifndef NPY_H
#define NPY_H

#include <stdbool.h>
#include <stddef.h>
#include <weft/dtype.h>

enum {
    NPY_RANK_MAX = 64,
    NPY_PARSED_BYTES = 12 + 65535, /* what npy_parse may want to see of a file */
    NPY_WRITTEN_BYTES = 2048,      /* what npy_write may write */
    NPY_REASON_BYTES = 256
};

typedef struct npy {
    weft_dtype dtype;
    size_t rank, shape[NPY_RANK_MAX];
    size_t length;       /* elements, in C order */
    size_t offset_bytes; /* of the first one in the file; set by npy_parse */
} npy;

/* Reads the header in a file's first size bytes, which are the whole file or NPY_PARSED_BYTES. false: reason says
 * what the file is or does wrong, and out is unspecified. Whether the elements follow is for the caller to see. */
bool npy_parse(const unsigned char *bytes, size_t size, npy *out, char reason[NPY_REASON_BYTES]);

/* Writes the header of an array and returns its size in bytes; the elements go behind it. */
size_t npy_write(const npy *array, unsigned char out[NPY_WRITTEN_BYTES]);

/* Sets length to the product of the shape; false if that overflows. */
bool npy_measure(npy *array);

#endif
