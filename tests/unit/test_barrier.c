// test_barrier: each barrier against its formula at a point, finite differences, and where it ends.
#include "check.h"

#include "contact/barrier.h"

#include <math.h>

static const csim_barrier_kind KIND[] = {CSIM_BARRIER_QUADRATIC_LOG, CSIM_BARRIER_LOG,
                                         CSIM_BARRIER_CUBIC};

// The energies as barrier.h writes them.
static double energy(int kind, double k, double g, double r) {
  if (g >= r) return 0;
  if (kind == 1) return -k * (r - g) * (r - g) * log(g / r);
  if (kind == 2) return 2.0 / 3 * k * pow(r - g, 3) / g;
  double w = r / 50, s = r - w / 2;
  if (g >= r - w) return k * pow(r - g, 3) / (6 * w);
  return (g >= s / 2 ? k / 2 * (s - g) * (s - g) : k * s * s / 4 * (0.5 - log(2 * g / s))) +
         k * w * w / 24;
}

int main(void) {
  const double k = 300, r = 2e-3;
  for (int n = 0; n < 3; n++) {
    double b[3], low[3], high[3], far = 0;
    for (int i = 1; i < 40; i++) {
      double g = r * i / 40, h = 1e-6 * g;
      csim_barrier(KIND[n], k, g, r, b);
      csim_barrier(KIND[n], k, g - h, r, low);
      csim_barrier(KIND[n], k, g + h, r, high);
      CHECK_NEAR(b[0], energy(n, k, g, r), 1e-12 * k * r * r);
      CHECK_NEAR(b[1], (high[0] - low[0]) / (2 * h), 1e-6 * k * r);
      CHECK_NEAR(b[2], (high[1] - low[1]) / (2 * h), 2e-5 * fabs(b[2]) + 1e-6 * k);
      CHECK(b[0] > 0 && b[1] < 0 && b[2] > 0);
      CHECK(i == 1 || b[0] < far); // falls with the gap
      far = b[0];
    }
    csim_barrier(KIND[n], k, 1e-9 * r, r, b);
    CHECK(b[0] > 4 * k * r * r); // without bound
    csim_barrier(KIND[n], k, r, r, b);
    CHECK(b[0] == 0 && b[1] == 0 && b[2] == 0);
    csim_barrier(KIND[n], k, 2 * r, r, b);
    CHECK(b[0] == 0 && b[1] == 0 && b[2] == 0);
    csim_barrier(KIND[n], k, r * (1 - 1e-7), r, b); // C2 at the end
    CHECK(fabs(b[1]) < 1e-6 * k * r && fabs(b[2]) < 1e-5 * k);
  }
  // where the parts of the first meet: its three numbers do not jump
  const double meet[] = {r - r / 50, (r - r / 100) / 2};
  for (int i = 0; i < 2; i++) {
    double low[3], high[3];
    csim_barrier(CSIM_BARRIER_QUADRATIC_LOG, k, meet[i] * (1 - 1e-9), r, low);
    csim_barrier(CSIM_BARRIER_QUADRATIC_LOG, k, meet[i] * (1 + 1e-9), r, high);
    CHECK_NEAR(low[0], high[0], 1e-8 * k * r * r);
    CHECK_NEAR(low[1], high[1], 1e-8 * k * r);
    CHECK_NEAR(low[2], high[2], 1e-7 * k);
  }
  return check_report();
}
