// test_stability: the largest frequency of chains of springs against its closed form.
#include "check.h"
#include "kit.h"

#include "solver/stability.h"

#include <math.h>

// n free masses between two pins: omega_max = 2 sqrt(k/m) sin(n pi / (2 (n + 1))).
static void test_chain(int n, double k, double mass) {
  double x[3 * 22] = {0};
  kit c;
  for (int i = 0; i < n + 2; i++) x[3 * i] = i;
  kit_begin(n + 2, x, mass, 0.01, &c);
  kit_pin(&c, 0);
  kit_pin(&c, n + 1);
  for (int i = 0; i <= n; i++) kit_spring(&c, i, i + 1, k, 1);
  kit_ready(&c, 1);
  double exact = 2 * sqrt(k / mass) * sin(n * acos(-1) / (2 * (n + 1.0)));
  double found = csim_largest_frequency(c.pool, c.model);
  CHECK(found <= exact * (1 + 1e-9)); // from below
  CHECK(found >= 0.95 * exact);
  // stable below 2 / omega; with damping tau where h^2 w^2 + 2 h tau w^2 = 4
  CHECK_NEAR(csim_longest_step(c.model, exact), 2 / exact, 1e-12);
  kit_end(&c);
}

int main(void) {
  test_chain(1, 100, 0.5);
  test_chain(2, 100, 0.5);
  test_chain(20, 1e4, 0.01);
  return check_report();
}
