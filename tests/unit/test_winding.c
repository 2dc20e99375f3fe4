// test_winding: winding numbers of closed, turned and open surfaces.
#include "check.h"

#include "mesh/winding.h"

static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int outward[] = {0, 2, 1, 0, 1, 3, 1, 2, 3, 0, 3, 2};

int main(void) {
  const double inside[] = {0.1, 0.2, 0.3}, outside[] = {0.5, 0.5, 0.5}, near[] = {-1e-6, 0.2, 0.2};
  CHECK_NEAR(csim_winding_number(4, outward, x, inside), 1, 1e-12);
  CHECK_NEAR(csim_winding_number(4, outward, x, outside), 0, 1e-12);
  CHECK_NEAR(csim_winding_number(4, outward, x, near), 0, 1e-6);
  int inward[12];
  for (int k = 0; k < 12; k++) inward[k] = outward[k / 3 * 3 + 2 - k % 3];
  CHECK_NEAR(csim_winding_number(4, inward, x, inside), -1, 1e-12);
  // the corner of three faces at right angles covers an eighth of all directions
  const double corner[] = {1e-9, 1e-9, 1e-9};
  CHECK_NEAR(csim_winding_number(1, outward + 6, x, corner), 0.125, 1e-8);
  // a surface of two parts counts both
  int twice[24];
  for (int k = 0; k < 24; k++) twice[k] = outward[k % 12];
  CHECK_NEAR(csim_winding_number(8, twice, x, inside), 2, 1e-12);
  CHECK_NEAR(csim_winding_number(0, outward, x, inside), 0, 0);
  return check_report();
}
