// io/format.h: numbers as text, fast. Needs base/number.h.
#ifndef CSIM_IO_FORMAT_H
#define CSIM_IO_FORMAT_H

/// The same characters as csim_print_number (%.*g), about ten times as fast for the numbers of a
/// mesh.
///
/// With d = floor(log10 |value|), value 10^(digits - 1 - d) = m 5^k 2^(e + k) is a 117-bit integer
/// over a power of two, so one shift gives the digits and the exact remainder to round by (half to
/// even). Numbers outside the range where that fits take the slow way.
///
/// @param digits     1 .. 17
/// @param[out] text  at least 32 bytes; not terminated
/// @return number of characters
int csim_format_number(double value, int digits, char *text);

/// Decimal digits of value >= 0 with a leading '-' otherwise.
/// @param[out] text  at least 20 bytes; not terminated
/// @return number of characters
int csim_format_integer(long long value, char *text);

#endif
