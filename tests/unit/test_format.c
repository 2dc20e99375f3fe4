// test_format: numbers as text, the fast way against the slow one.
#include "base/number.h"
#include "check.h"
#include "io/format.h"

#include <stdio.h>
#include <string.h>

static void check_number(double value, int digits) {
  char fast[64], slow[64];
  fast[csim_format_number(value, digits, fast)] = 0;
  slow[csim_print_number(value, digits, slow)] = 0;
  check_that(!strcmp(fast, slow), __FILE__, __LINE__, "%.17g, %d digits: %s, expected %s", value,
             digits, fast, slow);
}

static void test_numbers(void) {
  static const double special[] = {0.0,
                                   1,
                                   0.5,
                                   9.5,
                                   0.1,
                                   1e-4,
                                   1e-5,
                                   9.9995e-5,
                                   1e9,
                                   1e10,
                                   1e16,
                                   1e17,
                                   1e22,
                                   1e23,
                                   1e300,
                                   1e-300,
                                   5e-324,
                                   2.5,
                                   0.125,
                                   1e-11,
                                   1e-18,
                                   1e-27,
                                   123456789.5,
                                   1234567890.5,
                                   999999999.5,
                                   99999999.95,
                                   999999.9995,
                                   4503599627370497.5,
                                   INFINITY,
                                   NAN,
                                   1.7976931348623157e308,
                                   0.3,
                                   2.0 / 3};
  for (size_t i = 0; i < sizeof special / sizeof *special; i++)
    for (int digits = 1; digits <= 17; digits++) {
      check_number(special[i], digits);
      check_number(-special[i], digits);
    }
  for (int round = 0; round < 300000; round++) {
    uint64_t bits = (uint64_t)check_random() << 32 | check_random();
    if (round % 4) // near 1, where meshes live
      bits = (bits & 0x800fffffffffffffu) | (uint64_t)(1023 - 60 + check_random() % 120) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    if (round % 3 == 0) value = (double)(float)value; // many trailing zeros, exact halves
    if (round % 5 == 0) value = round * 0.001;
    if (round % 7 == 0) value = (double)(check_random() % 100000) / 1024;
    check_number(value, 9);
    check_number(value, 17);
    check_number(value, 1 + round % 17);
  }
  char text[32];
  static const long long whole[] = {
      0, 7, -1, 10, 134217728, -9223372036854775807 - 1, 9223372036854775807};
  for (int i = 0; i < 7; i++) {
    char expected[32];
    snprintf(expected, sizeof expected, "%lld", whole[i]);
    text[csim_format_integer(whole[i], text)] = 0;
    CHECK_TEXT(text, expected);
  }
}

int main(void) {
  test_numbers();
  return check_report();
}
