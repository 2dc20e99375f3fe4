// tests/unit/test_distance.c: the nearest points of contact pairs against sampling.
#include "check.h"
#include "kit.h"

#include "contact/distance.h"
#include "math/vec3.h"

#include <string.h>

static unsigned seed = 12345;

// The nearest points are no farther apart than any others, and are where their weights say.
static void test_distance(void) {
  for (int trial = 0; trial < 20000; trial++) {
    double x[4][3], w[4], d[3] = {0};
    const double *p[4] = {x[0], x[1], x[2], x[3]};
    kit_points(&seed, 4, 1, x);
    csim_pair_kind kind = (csim_pair_kind)(trial & 1);
    switch (trial / 2 % 5) {
    case 1: // flat
      for (int i = 0; i < 4; i++) x[i][1] = 0;
      break;
    case 2: // parallel edges, triangle without area
      for (int c = 0; c < 3; c++)
        x[3][c] = x[2][c] + kit_uniform(&seed, -1, 1) * (x[1][c] - x[0][c]);
      break;
    case 3:
      memcpy(x[3], x[2], sizeof x[3]);
      break;
    case 4:
      for (int c = 0; c < 3; c++)
        x[3][c] = x[2][c] + (x[1][c] - x[0][c]) + kit_uniform(&seed, -1e-9, 1e-9);
      break;
    default:
      break;
    }
    double d2 = csim_pair_closest(kind, p, w);
    for (int k = 0; k < 4; k++) csim_add_scaled(w[k], x[k], d);
    CHECK_NEAR(sqrt(d2), csim_norm(d), 1e-12);
    int split = csim_pair_split(kind);
    double sums[2] = {0, 0};
    for (int k = 0; k < 4; k++) {
      sums[k >= split] += w[k];
      CHECK((k < split ? -w[k] : w[k]) >= 0);
    }
    CHECK_NEAR(sums[0], -1, 1e-12);
    CHECK_NEAR(sums[1], 1, 1e-12);
    for (int sample = 0; sample < 30; sample++) {
      double a = kit_uniform(&seed, 0, 1), b = kit_uniform(&seed, 0, 1), e[3];
      if (split == 1 && a + b > 1) {
        a = 1 - a;
        b = 1 - b;
      }
      for (int c = 0; c < 3; c++)
        e[c] = split == 1 ? x[1][c] + a * (x[2][c] - x[1][c]) + b * (x[3][c] - x[1][c]) - x[0][c]
                          : x[2][c] + a * (x[3][c] - x[2][c]) - x[0][c] - b * (x[1][c] - x[0][c]);
      CHECK(csim_dot(e, e) >= d2 * (1 - 1e-9) - 1e-14);
    }
  }
}

int main(void) {
  test_distance();
  return check_report();
}
