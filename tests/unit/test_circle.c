// test_circle: the points of a circle.
#include "check.h"

#include "mesh/circle.h"

static const double PI = 3.14159265358979324;

static void test_circle(void) {
  for (int n = 1; n < 50; n++)
    for (int i = 0; i <= n; i++) {
      double c, s, mc, ms;
      csim_circle_point(i, n, &c, &s);
      csim_circle_point(n - i, n, &mc, &ms);
      check_that(c == mc && s == -ms, __FILE__, __LINE__, "point %d of %d is not symmetric", i, n);
      CHECK_NEAR(c, cos(2 * PI * i / n), 3e-15); // cos of a rounded angle
      CHECK_NEAR(s, sin(2 * PI * i / n), 3e-15); // cos of a rounded angle
    }
}

int main(void) {
  test_circle();
  return check_report();
}
