// test_number: numbers as text: what is one, what is not, and every bit there and back.
#include "check.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

// The number at the start of a text and how many characters it has; -1: none.
static int taken(const char *text, double *value) {
  const char *after = csim_read_number(text, text + strlen(text), value);
  return after ? (int)(after - text) : -1;
}

static void test_reading(void) {
  static const char *const none[] = {"", " 1", "x", "inf", "nan", "-", "+", ".", "e5", "-.e3"};
  double v = 7;
  for (int i = 0; i < 10; i++) CHECK(taken(none[i], &v) == -1 && v == 7);
  CHECK(taken("12", &v) == 2 && v == 12);
  CHECK(taken("-1.5e3,", &v) == 6 && v == -1500);
  CHECK(taken(".25x", &v) == 3 && v == 0.25);
  CHECK(taken("3.", &v) == 2 && v == 3);
  CHECK(taken("1e", &v) == 1 && v == 1); // an exponent without digits is no part of it
  CHECK(taken("0x10", &v) == 1 && v == 0);
  CHECK(taken("1e400", &v) == 5 && isinf(v));
  const char text[] = "987654";
  CHECK(csim_read_number(text, text + 3, &v) == text + 3 && v == 987); // never beyond the end
}

static void test_integers(void) {
  static const char *const none[] = {"", "+", "x1", "9223372036854775808", "-9223372036854775809"};
  long long v = 5;
  for (int i = 0; i < 5; i++) CHECK(!csim_read_integer(none[i], none[i] + strlen(none[i]), &v));
  const char least[] = "-9223372036854775808", *end = least + sizeof least - 1;
  CHECK(csim_read_integer(least, end, &v) == end && v == -9223372036854775807 - 1);
  const char most[] = "+9223372036854775807", *stop = most + sizeof most - 1;
  CHECK(csim_read_integer(most, stop, &v) == stop && v == 9223372036854775807);
  const char few[] = "12.5";
  CHECK(csim_read_integer(few, few + 4, &v) == few + 2 && v == 12);
}

// 17 digits give every bit back, by our reader and by the C library's.
static void test_round_trips(void) {
  for (int k = 0; k < 20000; k++) {
    uint64_t bits = (uint64_t)check_random() << 32 | check_random();
    double value, back = 0;
    char text[32];
    memcpy(&value, &bits, sizeof value);
    if (!isfinite(value)) continue;
    int n = csim_print_number(value, 17, text);
    CHECK(n == (int)strlen(text) && n < 32);
    CHECK(csim_read_number(text, text + n, &back) == text + n && back == value);
    CHECK(strtod(text, NULL) == value);
  }
}

int main(void) {
  test_reading();
  test_integers();
  test_round_trips();
  return check_report();
}
