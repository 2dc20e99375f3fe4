// test_rigid: the rigid motion between two sets of points, against motions that are known.
#include "check.h"

#include "math/rigid.h"
#include "math/vec3.h"

enum { N = 40 };

// Points in a box of a shape: 3 a body, 2 a plane, 1 a line, 0 a point.
static void make_points(int dimension, double *x) {
  unsigned state = 7;
  for (int i = 0; i < 3 * N; i++) {
    state = state * 1664525u + 1013904223u;
    x[i] = i % 3 < dimension ? (double)(state >> 8) / (1 << 24) - 0.3 : 0.25;
  }
}

static void move(const double *x, const double R[9], const double t[3], double *y) {
  for (ptrdiff_t i = 0; i < N; i++) {
    csim_mat3_mul(R, x + 3 * i, y + 3 * i);
    csim_add_scaled(1, t, y + 3 * i);
  }
}

static double determinant(const double *R) {
  double out[9];
  return csim_mat3_inverse(R, out);
}

static void test_known(void) {
  static const double turn[][3] = {{0, 0, 0},    {0.3, -1.2, 0.7}, {0, 3.14159265358979, 0},
                                   {2, 2, -0.5}, {1e-9, 0, 0},     {-3, 0.01, 0}};
  double x[3 * N], y[3 * N], R[9], S[9], t[3];
  const double shift[3] = {3, -700, 0.01};
  for (int dimension = 0; dimension <= 3; dimension++)
    for (size_t k = 0; k < sizeof turn / sizeof *turn; k++) {
      make_points(dimension, x);
      csim_rotation_matrix(turn[k], R);
      move(x, R, shift, y);
      double worst = csim_rigid_fit(x, y, N, S, t);
      CHECK_NEAR(worst, 0, 1e-12);
      CHECK_NEAR(determinant(S), 1, 1e-13);
      for (int i = 0; i < 9 && dimension > 1; i++) CHECK_NEAR(S[i], R[i], 1e-11);
    }
}

static void round_to_floats(double *x) {
  for (int i = 0; i < 3 * N; i++) x[i] = (double)(float)x[i];
}

// Points on a line that swings round, exact or rounded to floats: their frame goes with it and has
// no twist.
static void test_line(int rounded) {
  double x[3 * N], y[3 * N], R[9], t[3], from[3] = {0.6, 0, 0.8};
  double limit = rounded ? 1e-6 : 1e-11;
  for (ptrdiff_t i = 0; i < N; i++)
    for (int k = 0; k < 3; k++) x[3 * i + k] = from[k] * ((double)i / N - 0.3);
  if (rounded) round_to_floats(x);
  for (int step = 0; step <= 300; step++) { // a circle about an axis that is no axis of coordinates
    double angle = 0.01 * step, turn[3] = {0.64 * angle, 0.6 * angle, -0.48 * angle}, S[9];
    csim_rotation_matrix(turn, S);
    move(x, S, from, y);
    if (rounded) round_to_floats(y);
    CHECK_NEAR(csim_rigid_fit(x, y, N, R, t), 0, limit);
    for (int k = 0; k < 9; k++) CHECK_NEAR(R[k], S[k], limit);
  }
  for (int i = 0; i < 3 * N; i++) y[i] = -x[i]; // the opposite way: half a turn
  CHECK_NEAR(csim_rigid_fit(x, y, N, R, t), 0, limit);
  CHECK_NEAR(determinant(R), 1, 1e-13);
}

// A mirror image is no rigid motion, nor is anything stretched or bent.
static void test_others(void) {
  double x[3 * N], y[3 * N], R[9], t[3];
  make_points(3, x);
  for (int i = 0; i < 3 * N; i++) y[i] = i % 3 ? x[i] : -x[i];
  CHECK(csim_rigid_fit(x, y, N, R, t) > 0.1);
  CHECK_NEAR(determinant(R), 1, 1e-13);
  for (int i = 0; i < 3 * N; i++) y[i] = 1.01 * x[i];
  double worst = csim_rigid_fit(x, y, N, R, t);
  CHECK(worst > 0.003 && worst < 0.011);
  for (int i = 0; i < N; i++) y[3 * i + 1] = x[3 * i + 1] + 0.1 * x[3 * i] * x[3 * i];
  CHECK(csim_rigid_fit(x, y, N, R, t) > 0.005);
}

int main(void) {
  test_known();
  test_line(0);
  test_line(1);
  test_others();
  return check_report();
}
