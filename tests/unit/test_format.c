// tests/unit/test_format.c: numbers as text and as bytes.
#include "base/bytes.h"
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

static void test_bytes(void) {
  unsigned char b[8];
  csim_store_u64(0x0123456789abcdefu, b);
  CHECK(b[0] == 0xef && b[7] == 0x01 && csim_load_u64(b) == 0x0123456789abcdefu);
  CHECK(csim_load_u32_be(b) == 0xefcdab89u && csim_load_u32(b) == 0x89abcdefu);
  CHECK(csim_load_u16(b) == 0xcdef);
  csim_store_f64(-1.5, b);
  CHECK(csim_load_f64(b) == -1.5 && b[7] == 0xbf);
  csim_store_f32_be(1.5f, b);
  CHECK(b[0] == 0x3f && csim_load_u32_be(b) == 0x3fc00000u);
  csim_store_i32(-2, b);
  CHECK(csim_load_i32(b) == -2 && b[3] == 0xff);
  csim_store_i64(-3, b);
  CHECK(csim_load_i64(b) == -3);
}

int main(void) {
  test_bytes();
  test_numbers();
  return check_report();
}
