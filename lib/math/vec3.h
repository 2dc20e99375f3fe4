// math/vec3.h: three-vectors and 3 x 3 matrices (row-major double[9]), inline. Needs nothing.
#ifndef CSIM_MATH_VEC3_H
#define CSIM_MATH_VEC3_H

#include <math.h>

/// Whether x is a whole number from `least` to `most`.
static inline int csim_is_whole(double x, int least, int most) {
  return x >= least && x <= most && x == floor(x);
}

/// The larger and the smaller of two numbers, inline (fmax and fmin are calls, as they handle NaN).
static inline double csim_max(double a, double b) {
  return a > b ? a : b;
}
static inline double csim_min(double a, double b) {
  return a < b ? a : b;
}

/// a . b, |a|, out = a - b, out = a x b; out may be a or b.
static inline double csim_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double csim_norm(const double *a) {
  return sqrt(csim_dot(a, a));
}
/// Divides a vector by its length, unless that is 0. Returns the length.
static inline double csim_normalise(double *a) {
  double length = csim_norm(a);
  for (int c = 0; c < 3 && length > 0; c++) a[c] /= length;
  return length;
}
static inline void csim_sub(const double *a, const double *b, double *out) {
  out[0] = a[0] - b[0];
  out[1] = a[1] - b[1];
  out[2] = a[2] - b[2];
}
static inline void csim_cross(const double *a, const double *b, double *out) {
  double c0 = a[1] * b[2] - a[2] * b[1];
  double c1 = a[2] * b[0] - a[0] * b[2];
  double c2 = a[0] * b[1] - a[1] * b[0];
  out[0] = c0;
  out[1] = c1;
  out[2] = c2;
}
/// out += s a
static inline void csim_add_scaled(double s, const double *a, double *out) {
  out[0] += s * a[0];
  out[1] += s * a[1];
  out[2] += s * a[2];
}
static inline double csim_distance(const double *a, const double *b) {
  double d[3];
  csim_sub(a, b, d);
  return csim_norm(d);
}
/// Unnormalised normal (b - a) x (c - a): twice the area of the triangle long.
static inline void csim_triangle_normal(const double *a, const double *b, const double *c,
                                        double *out) {
  double u[3], v[3];
  csim_sub(b, a, u);
  csim_sub(c, a, v);
  csim_cross(u, v, out);
}

/// The same of the triangle whose vertices are v[0], v[1], v[2] of x (nvert x 3).
static inline void csim_face_normal(const double *x, const int *v, double *out) {
  csim_triangle_normal(x + csim_xyz(v[0]), x + csim_xyz(v[1]), x + csim_xyz(v[2]), out);
}

/// Frame of a triangle in the rows of F: along its first edge, across it in the plane, normal.
/// @return 0, or -1 when the triangle has no area: F is then no frame
int csim_triangle_frame(const double *a, const double *b, const double *c, double F[9]);

/// The smallest box around x (n x 3), n > 0.
void csim_bounds(int n, const double *x, double lo[3], double hi[3]);

/// out = A x
static inline void csim_mat3_mul(const double *A, const double *x, double *out) {
  double y0 = A[0] * x[0] + A[1] * x[1] + A[2] * x[2];
  double y1 = A[3] * x[0] + A[4] * x[1] + A[5] * x[2];
  double y2 = A[6] * x[0] + A[7] * x[1] + A[8] * x[2];
  out[0] = y0;
  out[1] = y1;
  out[2] = y2;
}
/// out = A^T x; out may be x.
static inline void csim_mat3_mul_by_transpose(const double *A, const double *x, double *out) {
  const double column[9] = {A[0], A[3], A[6], A[1], A[4], A[7], A[2], A[5], A[8]};
  csim_mat3_mul(column, x, out);
}
/// out += s (a b^T)
static inline void csim_mat3_add_outer(double s, const double *a, const double *b, double *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] += s * a[i] * b[j];
}

/// out = A B^T; out may be A.
static inline void csim_mat3_mul_transposed(const double *A, const double *B, double *out) {
  for (int i = 0; i < 3; i++) {
    const double row[3] = {A[3 * i], A[3 * i + 1], A[3 * i + 2]};
    for (int j = 0; j < 3; j++) out[3 * i + j] = csim_dot(row, B + csim_xyz(j));
  }
}
/// out -= A B^T
static inline void csim_mat3_sub_transposed(const double *A, const double *B, double *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] -= csim_dot(A + csim_xyz(i), B + csim_xyz(j));
}

/// Inverse of a 3 x 3 matrix by cofactors. Returns the determinant; out is untouched when it is 0
/// or not finite.
double csim_mat3_inverse(const double *A, double *out);

/// Cholesky factor of a symmetric 3 x 3 matrix, lower triangle: A = L L^T, zeros above.
/// Returns 0 and leaves L undefined when A is not positive definite.
int csim_mat3_cholesky(const double *A, double *L);

/// Eigenvalues (ascending) and unit eigenvectors (columns of V) of a symmetric 3 x 3 matrix by
/// cyclic Jacobi rotations: slower than closed forms, accurate for repeated eigenvalues too.
void csim_mat3_eigen(const double *A, double *values, double *V);

/// Replaces a symmetric 3 x 3 matrix by the nearest (Frobenius) positive semidefinite one.
void csim_mat3_clamp(double *A);

/// Rotation matrix of a rotation vector r (axis times angle) [rad] (Rodrigues).
void csim_rotation_matrix(const double *r, double *R);

#endif
