// base/number.h: numbers as text, the same in every locale. Needs nothing.
#ifndef CSIM_BASE_NUMBER_H
#define CSIM_BASE_NUMBER_H

/// Reads a decimal floating-point number, correctly rounded, that starts exactly at `text`
/// (no leading space; "inf", "nan" and hexadecimal are not numbers).
/// @param[out] value  the number; untouched on failure. Overflow gives +-infinity: the caller
/// refuses it
/// @return the first character after it, or NULL when there is no number
const char *csim_read_number(const char *text, const char *end, double *value);

/// Reads an integer with optional sign; NULL when there is none or it does not fit.
const char *csim_read_integer(const char *text, const char *end, long long *value);

/// Writes `value` with %.*g, digits in 1..17, with a point whatever the locale.
/// @param[out] text  at least 32 bytes
/// @return number of characters written, without the final 0
int csim_print_number(double value, int digits, char *text);

#endif
