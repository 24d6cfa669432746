/* The parameters that macros of weft.clh declare: tensors and the record of failed assertions. */
#ifndef PROGRAM_RESERVED_H
#define PROGRAM_RESERVED_H

#include "program/kernel.h"

/* After all of the driver's parameters were described: makes a tensor's two one, and takes out the record. */
void reserved_fold(kernel *kernel);

#endif
