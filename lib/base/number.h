/* base/number: floating-point numbers as decimal text, and the two 16-bit formats.
 *
 * Nothing here asks the locale, allocates, or depends on the rounding mode.
 */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>
#include <stdint.h>

/* Writes the number as the model prints it, NUL-terminated, and returns the length: the fewest digits that
 * read back as the same value of the same type, of these the nearest to the true value. Fixed with at least
 * one decimal (20.0, 0.0001) from 1e-4 up to below 1e16, else with an exponent (1e+16, 1.5e-05); nan, inf,
 * -inf, 0.0, -0.0. */
size_t number_write_double(char out[32], double value);
size_t number_write_float(char out[32], float value);

/* Exact. */
float number_from_half(uint16_t bits);
float number_from_bfloat16(uint16_t bits);

/* To nearest, ties to even, rounded once. Beyond the largest value gives infinity; NaN stays NaN. */
uint16_t number_to_half(double value);
uint16_t number_to_bfloat16(double value);

#endif
