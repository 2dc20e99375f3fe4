// tests/unit/test_dmath.c: elementary functions: errors against long double, and the ends of
// ranges.
#include "check.h"
#include "kit.h"

#include "base/dmath.h"

#include <stdio.h>

static double relative(double got, long double want) {
  return want == 0 ? fabs(got) : (double)fabsl((got - want) / want);
}

// Largest errors against the C library's long double functions, whose 64 bits are 2048 times finer:
// those that dmath.h states.
static void test_dmath(void) {
  enum { N = 400000 };
  unsigned seed = 1;
  double sine[2] = {0, 0}, tangent = 0, ln = 0, near_one = 0, power = 0;
  for (int i = 0; i < N; i++) {
    for (int far = 0; far < 2; far++) {
      double x = kit_uniform(&seed, -1, 1) * (far ? 1e6 : 1e3);
      sine[far] = fmax(sine[far], (double)fabsl(csim_sin(x) - sinl(x)));
      sine[far] = fmax(sine[far], (double)fabsl(csim_cos(x) - cosl(x)));
    }
    double size = exp2(kit_uniform(&seed, -60, 60)), a = kit_uniform(&seed, -1, 1),
           b = kit_uniform(&seed, -1, 1) * size;
    tangent = fmax(tangent, relative(csim_atan2(b, a), atan2l(b, a)));
    double y = exp2(kit_uniform(&seed, -1000, 1000)), z = kit_uniform(&seed, 0.9, 1.1);
    ln = fmax(ln, relative(csim_ln(y), logl(y)));
    near_one = fmax(near_one, (double)fabsl(csim_ln(z) - logl(z)));
    double e = kit_uniform(&seed, -700, 700);
    power = fmax(power, relative(csim_exp(e), expl(e)));
  }
  printf("dmath: sin, cos to 1e3 %.2e, to 1e6 %.2e, atan2 %.2e, ln %.2e, near 1 %.2e, exp %.2e\n",
         sine[0], sine[1], tangent, ln, near_one, power);
  CHECK(sine[0] < 2.5e-16);
  CHECK(sine[1] < 2.5e-16);
  CHECK(tangent < 3e-16);
  CHECK(ln < 2e-16);
  CHECK(near_one < 2e-17);
  CHECK(power < 2e-16);
}

// What is exact, and the ends of the ranges.
static void test_dmath_ends(void) {
  CHECK(csim_sin(0) == 0 && csim_cos(0) == 1 && csim_exp(0) == 1 && csim_ln(1) == 0);
  CHECK(isnan(csim_sin(2e9)) && isnan(csim_cos(-2e9)) && isnan(csim_sin(INFINITY)));
  CHECK(csim_atan2(0, 0) == 0 && csim_atan2(0, 1) == 0);
  CHECK_NEAR(csim_atan2(0, -1), CSIM_PI, 0);
  CHECK_NEAR(csim_atan2(1, 0), CSIM_PI / 2, 0);
  CHECK_NEAR(csim_atan2(-1, 0), -CSIM_PI / 2, 0);
  CHECK(csim_ln(0) == -INFINITY && isnan(csim_ln(-1)));
  CHECK(csim_exp(-746) == 0 && csim_exp(710) == INFINITY && isfinite(csim_exp(709)));
}

int main(void) {
  test_dmath();
  test_dmath_ends();
  return check_report();
}
