// test_weld: vertices at one place become one.
#include "check.h"

#include "mesh/weld.h"

#include <string.h>

static void test_weld(void) {
  static const double x[] = {0, 0, 0, 1, 2, 3, -0.0, 0, -0.0, 1, 2, 3.0000001, 1, 2, 3};
  int first[5];
  CHECK(csim_weld(5, x, first) == CSIM_OK);
  static const int expected[] = {0, 1, 0, 3, 1};
  CHECK(!memcmp(first, expected, sizeof expected));
}

int main(void) {
  test_weld();
  return check_report();
}
