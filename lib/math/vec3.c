// math/vec3.c: see vec3.h.
#include "math/vec3.h"

#include "base/dmath.h"

int csim_triangle_frame(const double *a, const double *b, const double *c, double F[9]) {
  csim_sub(b, a, F);
  csim_triangle_normal(a, b, c, F + 6);
  if (!(csim_normalise(F + 6) > 0)) return -1;
  csim_normalise(F);
  csim_cross(F + 6, F, F + 3);
  return 0;
}

void csim_bounds(int n, const double *x, double lo[3], double hi[3]) {
  for (int c = 0; c < 3; c++) lo[c] = hi[c] = x[c];
  for (ptrdiff_t k = 3; k < csim_xyz(n); k++) {
    if (x[k] < lo[k % 3]) lo[k % 3] = x[k];
    if (x[k] > hi[k % 3]) hi[k % 3] = x[k];
  }
}

double csim_mat3_inverse(const double *A, double *out) {
  double c0 = A[4] * A[8] - A[5] * A[7];
  double c1 = A[5] * A[6] - A[3] * A[8];
  double c2 = A[3] * A[7] - A[4] * A[6];
  double det = A[0] * c0 + A[1] * c1 + A[2] * c2;
  if (det == 0 || !isfinite(det)) return det;
  double s = 1 / det;
  double inverse[9] = {
      c0 * s, (A[2] * A[7] - A[1] * A[8]) * s, (A[1] * A[5] - A[2] * A[4]) * s,
      c1 * s, (A[0] * A[8] - A[2] * A[6]) * s, (A[2] * A[3] - A[0] * A[5]) * s,
      c2 * s, (A[1] * A[6] - A[0] * A[7]) * s, (A[0] * A[4] - A[1] * A[3]) * s,
  };
  for (int i = 0; i < 9; i++) out[i] = inverse[i];
  return det;
}

int csim_mat3_cholesky(const double *A, double *L) {
  if (!(A[0] > 0)) return 0;
  double l00 = sqrt(A[0]), l10 = A[3] / l00, l20 = A[6] / l00;
  double d1 = A[4] - l10 * l10;
  if (!(d1 > 0)) return 0;
  double l11 = sqrt(d1), l21 = (A[7] - l20 * l10) / l11;
  double d2 = A[8] - l20 * l20 - l21 * l21;
  if (!(d2 > 0) || !isfinite(d2)) return 0;
  double factor[9] = {l00, 0, 0, l10, l11, 0, l20, l21, sqrt(d2)};
  for (int i = 0; i < 9; i++) L[i] = factor[i];
  return 1;
}

// One Jacobi rotation that zeroes S[p][q].
static void rotate(double S[3][3], double V[3][3], int p, int q) {
  if (S[p][q] == 0) return;
  double theta = (S[q][q] - S[p][p]) / (2 * S[p][q]);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1), s = t * c;
  for (int k = 0; k < 3; k++) {
    double a = S[k][p], b = S[k][q];
    S[k][p] = c * a - s * b;
    S[k][q] = s * a + c * b;
  }
  for (int k = 0; k < 3; k++) {
    double a = S[p][k], b = S[q][k];
    S[p][k] = c * a - s * b;
    S[q][k] = s * a + c * b;
    a = V[k][p];
    b = V[k][q];
    V[k][p] = c * a - s * b;
    V[k][q] = s * a + c * b;
  }
}

void csim_mat3_eigen(const double *A, double *values, double *V) {
  double S[3][3], W[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < 9; i++) S[i / 3][i % 3] = A[i];
  // quadratic convergence: four sweeps reach round-off, ten are a bound
  for (int sweep = 0; sweep < 10; sweep++) {
    double off = fabs(S[0][1]) + fabs(S[0][2]) + fabs(S[1][2]);
    if (off <= 1e-17 * (fabs(S[0][0]) + fabs(S[1][1]) + fabs(S[2][2]))) break;
    rotate(S, W, 0, 1);
    rotate(S, W, 0, 2);
    rotate(S, W, 1, 2);
  }
  int order[3] = {0, 1, 2};
  for (int i = 0; i < 2; i++)
    for (int j = i + 1; j < 3; j++)
      if (S[order[j]][order[j]] < S[order[i]][order[i]]) {
        int swap = order[i];
        order[i] = order[j];
        order[j] = swap;
      }
  for (int k = 0; k < 3; k++) {
    values[k] = S[order[k]][order[k]];
    for (int i = 0; i < 3; i++) V[3 * i + k] = W[i][order[k]];
  }
}

void csim_mat3_clamp(double *A) {
  double value[3], V[9];
  csim_mat3_eigen(A, value, V);
  if (value[0] >= 0) return;
  for (int i = 0; i < 9; i++) A[i] = 0;
  for (int k = 0; k < 3; k++) {
    if (value[k] <= 0) continue;
    double column[3] = {V[k], V[3 + k], V[6 + k]};
    csim_mat3_add_outer(value[k], column, column, A);
  }
}

void csim_rotation_matrix(const double *r, double *R) {
  double angle = csim_norm(r);
  double I[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  for (int i = 0; i < 9; i++) R[i] = I[i];
  if (angle == 0) return;
  double a[3] = {r[0] / angle, r[1] / angle, r[2] / angle};
  double s = csim_sin(angle), half = csim_sin(0.5 * angle), c = 2 * half * half; // 1 - cos
  double K[9] = {0, -a[2], a[1], a[2], 0, -a[0], -a[1], a[0], 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double k2 = a[i] * a[j] - (i == j ? 1.0 : 0.0);
      R[3 * i + j] += s * K[3 * i + j] + c * k2;
    }
}
