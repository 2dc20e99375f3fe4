// math/rigid.c: see rigid.h.
#include "math/rigid.h"

#include "math/vec3.h"

static void mean_of(const double *x, ptrdiff_t n, double mean[3]) {
  double sum[3] = {0, 0, 0};
  for (ptrdiff_t i = 0; i < n; i++) csim_add_scaled(1, x + 3 * i, sum);
  for (int k = 0; k < 3; k++) mean[k] = sum[k] / (double)n;
}

// A unit vector perpendicular to a unit vector.
static void find_across(const double *a, double *out) {
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(a[k]) < fabs(a[least])) least = k;
  double axis[3] = {0, 0, 0};
  axis[least] = 1;
  csim_cross(a, axis, out);
  csim_normalise(out);
}

// The shortest rotation from unit vector a to b, of a unit vector p across a: no twist about them.
// For such p it is a mirroring at a + b. Between opposite vectors it is half a turn about p.
static void swing(const double *a, const double *b, const double *p, double *out) {
  double sum[3];
  for (int k = 0; k < 3; k++) {
    sum[k] = a[k] + b[k];
    out[k] = p[k];
  }
  double square = csim_dot(sum, sum);
  if (square > 1e-12) csim_add_scaled(-2 * csim_dot(sum, p) / square, sum, out);
}

// The singular vectors of H = sum y x^T that belong to its two largest values, u_i = H v_i. Their
// cross products are the third pair, which makes the rotation a proper one.
static void find_frames(const double H[9], double u[3][3], double v[3][3]) {
  double A[9] = {0}, values[3], V[9];
  for (int k = 0; k < 3; k++) csim_mat3_add_outer(1, H + 3 * k, H + 3 * k, A); // H^T H
  csim_mat3_eigen(A, values, V);
  double largest = sqrt(csim_max(values[2], 0));
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < 3; k++) v[i][k] = V[3 * k + 2 - i];
    csim_mat3_mul(H, v[i], u[i]);
  }
  if (!(csim_normalise(u[0]) > 0)) { // one point: any rotation
    for (int k = 0; k < 3; k++) u[0][k] = v[0][k];
  }
  csim_add_scaled(-csim_dot(u[0], u[1]), u[0], u[1]);
  if (!(csim_normalise(u[1]) > 1e-12 * largest)) { // on a line
    find_across(v[0], v[1]);
    swing(v[0], u[0], v[1], u[1]);
  }
  csim_cross(u[0], u[1], u[2]);
  csim_cross(v[0], v[1], v[2]);
}

double csim_rigid_fit(const double *x, const double *y, ptrdiff_t n, double R[9], double t[3]) {
  double H[9] = {0}, from[3], to[3], u[3][3], v[3][3], worst = 0;
  mean_of(x, n, from);
  mean_of(y, n, to);
  for (ptrdiff_t i = 0; i < n; i++) {
    double p[3], q[3];
    csim_sub(x + 3 * i, from, p);
    csim_sub(y + 3 * i, to, q);
    csim_mat3_add_outer(1, q, p, H);
  }
  find_frames(H, u, v);
  for (int k = 0; k < 9; k++) R[k] = 0;
  for (int i = 0; i < 3; i++) csim_mat3_add_outer(1, u[i], v[i], R);
  csim_mat3_mul(R, from, t);
  csim_sub(to, t, t);
  for (ptrdiff_t i = 0; i < n; i++) {
    double moved[3];
    csim_mat3_mul(R, x + 3 * i, moved);
    for (int k = 0; k < 3; k++) worst = csim_max(worst, fabs(moved[k] + t[k] - y[3 * i + k]));
  }
  return worst;
}
