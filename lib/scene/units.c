// scene/units.c: see units.h.
#include "scene/units.h"

#include "base/dmath.h"

#include <string.h>

typedef struct symbol {
  const char *name;
  csim_unit unit;
} symbol;

// Each is exact by definition (inch and pound: international agreement of 1959).
static const symbol symbols[] = {
    {"um", {1, 1e6, 1, 0, 0, 0}},        {"mm", {1, 1e3, 1, 0, 0, 0}},
    {"cm", {1, 1e2, 1, 0, 0, 0}},        {"dm", {1, 10, 1, 0, 0, 0}},
    {"m", {1, 1, 1, 0, 0, 0}},           {"km", {1e3, 1, 1, 0, 0, 0}},
    {"in", {254, 1e4, 1, 0, 0, 0}},      {"ft", {3048, 1e4, 1, 0, 0, 0}},
    {"yd", {9144, 1e4, 1, 0, 0, 0}},     {"mg", {1, 1e6, 0, 1, 0, 0}},
    {"g", {1, 1e3, 0, 1, 0, 0}},         {"kg", {1, 1, 0, 1, 0, 0}},
    {"t", {1e3, 1, 0, 1, 0, 0}},         {"oz", {45359237, 16e8, 0, 1, 0, 0}},
    {"lb", {45359237, 1e8, 0, 1, 0, 0}}, {"ms", {1, 1e3, 0, 0, 1, 0}},
    {"s", {1, 1, 0, 0, 1, 0}},           {"min", {60, 1, 0, 0, 1, 0}},
    {"h", {3600, 1, 0, 0, 1, 0}},        {"Hz", {1, 1, 0, 0, -1, 0}},
    {"uN", {1, 1e6, 1, 1, -2, 0}},       {"mN", {1, 1e3, 1, 1, -2, 0}},
    {"N", {1, 1, 1, 1, -2, 0}},          {"kN", {1e3, 1, 1, 1, -2, 0}},
    {"Pa", {1, 1, -1, 1, -2, 0}},        {"kPa", {1e3, 1, -1, 1, -2, 0}},
    {"MPa", {1e6, 1, -1, 1, -2, 0}},     {"GPa", {1e9, 1, -1, 1, -2, 0}},
    {"J", {1, 1, 2, 1, -2, 0}},          {"rad", {1, 1, 0, 0, 0, 1}},
    {"deg", {CSIM_PI, 180, 0, 0, 0, 1}}, {"turn", {2 * CSIM_PI, 1, 0, 0, 0, 1}},
    {"gf", {980665, 1e8, 1, 1, -2, 0}},  {"%", {1, 100, 0, 0, 0, 0}},
};

enum { NSYMBOL = sizeof symbols / sizeof *symbols };

const char *const csim_length_unit_names[] = {"um", "mm", "cm", "dm", "m",
                                              "km", "in", "ft", "yd", NULL};
const char *const csim_unit_names[] = {"um",  "mm", "cm",  "dm",  "m",    "km", "in", "ft",  "yd",
                                       "mg",  "g",  "kg",  "t",   "oz",   "lb", "ms", "s",   "min",
                                       "h",   "Hz", "uN",  "mN",  "N",    "kN", "Pa", "kPa", "MPa",
                                       "GPa", "J",  "rad", "deg", "turn", "gf", "%",  NULL};

_Static_assert(sizeof csim_unit_names / sizeof *csim_unit_names == NSYMBOL + 1, "all are named");

static double power(double base, int n) {
  double p = 1;
  for (int i = 0; i < n; i++) p *= base;
  return p;
}

static void multiply(csim_unit *a, const csim_unit *b, int exponent) {
  int n = exponent < 0 ? -exponent : exponent;
  a->times *= power(exponent < 0 ? b->over : b->times, n);
  a->over *= power(exponent < 0 ? b->times : b->over, n);
  a->m += exponent * b->m;
  a->kg += exponent * b->kg;
  a->s += exponent * b->s;
  a->rad += exponent * b->rad;
}

static int is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// One factor: "1" or a symbol with an exponent. Returns the character after it, NULL on failure.
static const char *parse_factor(const char *p, int sign, csim_unit *unit, char *unknown) {
  if (*p == '1' && sign > 0) return p + 1;
  size_t n = 0;
  while (is_letter(p[n])) n++;
  if (*p == '%') n = 1;
  if (!n) return NULL;
  const symbol *found = NULL;
  for (int i = 0; i < NSYMBOL; i++)
    if (strlen(symbols[i].name) == n && !memcmp(symbols[i].name, p, n)) found = &symbols[i];
  if (!found) {
    size_t shown = n < 31 ? n : 31;
    memcpy(unknown, p, shown);
    unknown[shown] = 0;
    return NULL;
  }
  p += n;
  int exponent = 1;
  if (*p == '^' || (*p >= '1' && *p <= '9')) { // m^2 or m2
    p += *p == '^';
    int negative = *p == '-';
    p += negative;
    if (*p < '1' || *p > '4') return NULL;
    exponent = negative ? -(*p - '0') : *p - '0';
    p++;
  }
  multiply(unit, &found->unit, sign * exponent);
  return p;
}

int csim_parse_unit(const char *text, csim_unit *unit, char *unknown) {
  *unit = (csim_unit){.times = 1, .over = 1};
  unknown[0] = 0;
  const char *p = text;
  while (*p == ' ') p++;
  for (int sign = 1, factors = 0; *p; factors++) {
    if (factors == 8) return 0; // enough for any quantity here, and keeps factors finite
    p = parse_factor(p, sign, unit, unknown);
    if (!p) return 0;
    int product = 0;
    sign = 1;
    while (*p == ' ' || *p == '*') product += *p++ == '*';
    if (product > 1) return 0;
    if (*p == '/') {
      if (product) return 0;
      sign = -1;
      for (p++; *p == ' '; p++) {
      }
      product = 1;
    }
    if (!*p && product) return 0; // ends in * or /
  }
  return 1;
}

int csim_same_dimension(const csim_unit *a, const csim_unit *b) {
  return a->m == b->m && a->kg == b->kg && a->s == b->s && a->rad == b->rad;
}
