// io/format.c: see format.h.
#include "io/format.h"

#include "base/number.h"

#include <stdint.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

static const uint64_t POWER5[28] = {1u,
                                    5u,
                                    25u,
                                    125u,
                                    625u,
                                    3125u,
                                    15625u,
                                    78125u,
                                    390625u,
                                    1953125u,
                                    9765625u,
                                    48828125u,
                                    244140625u,
                                    1220703125u,
                                    6103515625u,
                                    30517578125u,
                                    152587890625u,
                                    762939453125u,
                                    3814697265625u,
                                    19073486328125u,
                                    95367431640625u,
                                    476837158203125u,
                                    2384185791015625u,
                                    11920928955078125u,
                                    59604644775390625u,
                                    298023223876953125u,
                                    1490116119384765625u,
                                    7450580596923828125u};

static const uint64_t POWER10[18] = {1u,
                                     10u,
                                     100u,
                                     1000u,
                                     10000u,
                                     100000u,
                                     1000000u,
                                     10000000u,
                                     100000000u,
                                     1000000000u,
                                     10000000000u,
                                     100000000000u,
                                     1000000000000u,
                                     10000000000000u,
                                     100000000000000u,
                                     1000000000000000u,
                                     10000000000000000u,
                                     100000000000000000u};

// round(m 2^e 10^k), half to even; 0 when it does not fit the fast way.
static uint64_t scale(uint64_t m, int e, int k) {
  int shift = -(e + k);
  if (k < 0 || k > 27 || shift < 1 || shift > 127) return 0;
  uint128 product = (uint128)m * POWER5[k]; // < 2^53 2^63
  uint128 quotient = product >> shift, rest = product - (quotient << shift);
  uint128 half = (uint128)1 << (shift - 1);
  if (quotient >> 63) return 0;
  uint64_t q = (uint64_t)quotient;
  return q + (rest > half || (rest == half && (q & 1)));
}

// The exponent form of digits d1 d2 ... dn: d1.d2...dn e+-xx.
static int put_scientific(const char *digit, int n, int exponent, char *text) {
  char *p = text;
  *p++ = digit[0];
  if (n > 1) {
    *p++ = '.';
    memcpy(p, digit + 1, (size_t)n - 1);
    p += n - 1;
  }
  *p++ = 'e';
  *p++ = exponent < 0 ? '-' : '+';
  if (exponent < 0) exponent = -exponent;
  *p++ = (char)('0' + exponent / 10); // at most 26 here
  *p++ = (char)('0' + exponent % 10);
  return (int)(p - text);
}

static int put_plain(const char *digit, int n, int exponent, char *text) {
  char *p = text;
  int whole = exponent + 1; // digits before the point
  if (whole <= 0) {
    *p++ = '0';
    *p++ = '.';
    for (int i = whole; i < 0; i++) *p++ = '0';
    memcpy(p, digit, (size_t)n);
    return (int)(p - text) + n;
  }
  for (int i = 0; i < whole; i++) *p++ = i < n ? digit[i] : '0';
  if (n > whole) {
    *p++ = '.';
    memcpy(p, digit + whole, (size_t)(n - whole));
    p += n - whole;
  }
  return (int)(p - text);
}

int csim_format_number(double value, int digits, char *text) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  int field = (int)(bits >> 52 & 2047), negative = (int)(bits >> 63);
  if (field == 0 || field == 2047) return csim_print_number(value, digits, text);
  uint64_t m = (bits & (((uint64_t)1 << 52) - 1)) | (uint64_t)1 << 52;
  int e = field - 1075; // |value| = m 2^e
  // log10(2) * 2^20 = 315652.8; floor of the logarithm of 2^(e+52), so right or one too low
  int exponent = (int)(((int64_t)(e + 52) * 315653) >> 20);
  uint64_t q = scale(m, e, digits - 1 - exponent);
  // one too low, or rounded up to the next power of ten: then that power's own rounding is right
  if (q >= POWER10[digits]) q = scale(m, e, digits - 1 - ++exponent);
  if (q < POWER10[digits - 1] || q >= POWER10[digits])
    return csim_print_number(value, digits, text);
  char digit[20];
  int n = digits;
  for (int i = digits; i-- > 0; q /= 10) digit[i] = (char)('0' + q % 10);
  while (n > 1 && digit[n - 1] == '0') n--;
  if (negative) *text++ = '-';
  int length = exponent < -4 || exponent >= digits ? put_scientific(digit, n, exponent, text)
                                                   : put_plain(digit, n, exponent, text);
  return length + negative;
}

int csim_format_integer(long long value, char *text) {
  char digit[24];
  int n = 0, negative = value < 0;
  unsigned long long rest = negative ? 0 - (unsigned long long)value : (unsigned long long)value;
  do digit[n++] = (char)('0' + rest % 10);
  while (rest /= 10);
  if (negative) *text++ = '-';
  for (int i = 0; i < n; i++) text[i] = digit[n - 1 - i];
  return n + negative;
}
