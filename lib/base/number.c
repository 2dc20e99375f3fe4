// base/number.c: see number.h.
#include "base/number.h"

#include <limits.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Skips [+-] digits [. digits] [e [+-] digits]; NULL when there is no digit in the mantissa.
static const char *scan_number(const char *p, const char *end) {
  int digits = 0;
  if (p < end && (*p == '+' || *p == '-')) p++;
  for (; p < end && *p >= '0' && *p <= '9'; p++) digits++;
  if (p < end && *p == '.')
    for (p++; p < end && *p >= '0' && *p <= '9'; p++) digits++;
  if (!digits) return NULL;
  if (p < end && (*p == 'e' || *p == 'E')) {
    const char *q = p + 1;
    if (q < end && (*q == '+' || *q == '-')) q++;
    if (q < end && *q >= '0' && *q <= '9') {
      while (q < end && *q >= '0' && *q <= '9') q++;
      p = q;
    }
  }
  return p;
}

// Fast path (Clinger): at most 15 digits and a power of ten up to 22 are both exact as doubles, so
// one division or product is the correctly rounded result. Covers most numbers of a mesh.
static int read_fast(const char *p, const char *stop, double *value) {
  static const double power[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  int negative = *p == '-', ndigit = 0, exponent = 0;
  long long mantissa = 0;
  if (*p == '-' || *p == '+') p++;
  for (int point = 0; p < stop && *p != 'e' && *p != 'E'; p++) {
    if (*p == '.') {
      point = 1;
      continue;
    }
    if (mantissa || *p != '0') ndigit++;
    if (ndigit > 15) return 0;
    mantissa = mantissa * 10 + (*p - '0');
    exponent -= point;
  }
  if (p < stop) {
    int sign = 1, e = 0;
    p++;
    if (*p == '-' || *p == '+') sign = *p++ == '-' ? -1 : 1;
    for (; p < stop; p++)
      if ((e = e * 10 + (*p - '0')) > 400) return 0;
    exponent += sign * e;
  }
  if (exponent < -22 || exponent > 22) return 0;
  double v = (double)mantissa;
  v = exponent < 0 ? v / power[-exponent] : v * power[exponent];
  *value = negative ? -v : v;
  return 1;
}

static char decimal_point(void) {
  return *localeconv()->decimal_point;
}

const char *csim_read_number(const char *text, const char *end, double *value) {
  const char *stop = scan_number(text, end);
  if (!stop) return NULL;
  if (read_fast(text, stop, value)) return stop;
  // the slow path copies, so that strtod sees a terminated string with its locale's point
  size_t n = (size_t)(stop - text);
  char small[128], *copy = n < sizeof small ? small : malloc(n + 1);
  if (!copy) return NULL;
  memcpy(copy, text, n);
  copy[n] = 0;
  char *point = strchr(copy, '.');
  if (point) *point = decimal_point();
  *value = strtod(copy, NULL);
  if (copy != small) free(copy);
  return stop;
}

const char *csim_read_integer(const char *text, const char *end, long long *value) {
  const char *p = text;
  int negative = 0;
  if (p < end && (*p == '+' || *p == '-')) negative = *p++ == '-';
  if (p == end || *p < '0' || *p > '9') return NULL;
  unsigned long long v = 0, most = (unsigned long long)LLONG_MAX + (unsigned)negative;
  for (; p < end && *p >= '0' && *p <= '9'; p++) {
    unsigned digit = (unsigned)(*p - '0');
    if (v > (most - digit) / 10) return NULL;
    v = v * 10 + digit;
  }
  *value = (long long)(negative ? 0 - v : v);
  return p;
}

int csim_print_number(double value, int digits, char *text) {
  int n = snprintf(text, 32, "%.*g", digits, value);
  char *comma = strchr(text, decimal_point());
  if (comma) *comma = '.';
  return n;
}
