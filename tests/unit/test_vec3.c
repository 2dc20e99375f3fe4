// test_vec3: bounds, frames of triangles, and 3 x 3 matrices against their definitions.
#include "check.h"

#include "math/vec3.h"

#include <string.h>

static double uniform(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (double)(1 << 24) - 0.5;
}

static void test_bounds(void) {
  static const double x[9] = {1, -2, 3, 0, -2, 5, -4, 7, 4};
  double lo[3], hi[3];
  csim_bounds(3, x, lo, hi);
  CHECK(lo[0] == -4 && lo[1] == -2 && lo[2] == 3);
  CHECK(hi[0] == 1 && hi[1] == 7 && hi[2] == 5);
  csim_bounds(1, x, lo, hi);
  CHECK(lo[0] == 1 && hi[0] == 1 && lo[2] == 3 && hi[2] == 3);
}

static void test_frame(void) {
  static const double a[3] = {1, 2, 3}, b[3] = {1, 2, 5}, c[3] = {1, 5, 4};
  double F[9];
  CHECK(csim_triangle_frame(a, b, c, F) == 0);
  static const double expected[9] = {0, 0, 1, 0, 1, 0, -1, 0, 0};
  for (int k = 0; k < 9; k++) CHECK_NEAR(F[k], expected[k], 1e-15);
  CHECK(csim_triangle_frame(a, b, a, F) < 0 && csim_triangle_frame(a, a, c, F) < 0);
}

static void test_mat3(void) {
  unsigned seed = 1;
  for (int trial = 0; trial < 100; trial++) {
    double A[9], S[9], inverse[9], L[9], value[3], V[9];
    for (int i = 0; i < 9; i++) A[i] = uniform(&seed);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        S[3 * i + j] = i == j ? 1e-3 : 0;
        for (int k = 0; k < 3; k++) S[3 * i + j] += A[3 * i + k] * A[3 * j + k];
      }
    csim_mat3_inverse(S, inverse);
    CHECK(csim_mat3_cholesky(S, L));
    csim_mat3_eigen(S, value, V);
    CHECK(value[0] > 0 && value[0] <= value[1] && value[1] <= value[2]);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 3; j++) {
        double unit = 0, llt = 0, vdv = 0;
        for (int k = 0; k < 3; k++) {
          unit += S[3 * i + k] * inverse[3 * k + j];
          llt += L[3 * i + k] * L[3 * j + k];
          vdv += V[3 * i + k] * value[k] * V[3 * j + k];
        }
        CHECK_NEAR(unit, i == j, 1e-10);
        CHECK_NEAR(llt, S[3 * i + j], 1e-14);
        CHECK_NEAR(vdv, S[3 * i + j], 1e-14);
      }
    double product[9], rest[9];
    memcpy(product, A, sizeof A);
    csim_mat3_mul_transposed(product, V, product);
    memcpy(rest, product, sizeof product);
    csim_mat3_sub_transposed(A, V, rest);
    for (int k = 0; k < 9; k++) {
      const double *a = A + k / 3 * 3, *v = V + k % 3 * 3;
      CHECK_NEAR(product[k], a[0] * v[0] + a[1] * v[1] + a[2] * v[2], 1e-15);
      CHECK(rest[k] == 0);
    }
    double shifted[9];
    memcpy(shifted, S, sizeof S);
    for (int i = 0; i < 3; i++) shifted[4 * i] -= 0.5 * (value[0] + value[2]);
    csim_mat3_clamp(shifted);
    csim_mat3_eigen(shifted, value, V);
    CHECK(value[0] > -1e-14);
  }
  double R[9], r[3] = {0, 0, CSIM_OK + 1.5707963267948966};
  csim_rotation_matrix(r, R);
  CHECK_NEAR(R[1], -1, 1e-15);
  CHECK_NEAR(R[3], 1, 1e-15);
  CHECK_NEAR(R[8], 1, 1e-15);
}

int main(void) {
  test_bounds();
  test_frame();
  test_mat3();
  return check_report();
}
