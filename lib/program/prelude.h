/* program/prelude: the text behind #include <weft.clh>, generated from the parts in kernels. */
#ifndef PROGRAM_PRELUDE_H
#define PROGRAM_PRELUDE_H

extern const char prelude_text[];

#endif
