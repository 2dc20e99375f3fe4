// math/predicates.c: see predicates.h.
//
// A number is held exactly as an expansion: doubles that do not overlap, in rising magnitude, no
// zeros; their sum is the number and the last one has its sign (no component: zero).
// Source: Shewchuk, Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric
// Predicates, 1997 (theorems on sums and products; Knuth's and Dekker's before him).
#include "math/predicates.h"

#include <math.h>
#include <stddef.h>

// half a unit in the last place of 1: every + - * is exact up to a factor within 1 +- EPS
static const double EPS = 0x1p-53;

enum {
  NDIFF = 2,                      // a difference of two doubles
  NMINOR = 2 * 2 * NDIFF * NDIFF, // a difference of two products of differences
  NDET = 3 * 2 * NMINOR * NDIFF,  // three minors times a difference
  // components occupy different bits of the range of a double
  NSUM = 2200,
};

// x + y = a + b exactly, x = fl(a + b). Knuth; no condition on magnitudes.
static inline void two_sum(double a, double b, double *x, double *y) {
  double s = a + b, bb = s - a;
  *y = (a - (s - bb)) + (b - bb);
  *x = s;
}

// a = hi + lo exactly, 26 bits each. Veltkamp; |a| < 2^995 or the constant overflows it.
static inline void split(double a, double *hi, double *lo) {
  double c = 0x1.0000002p27 * a;
  *hi = c - (c - a);
  *lo = a - *hi;
}

// x + y = a b exactly, x = fl(a b). Dekker; the products of halves are exact.
static inline void two_product(double a, double b, double *x, double *y) {
  double p = a * b, ah, al, bh, bl;
  split(a, &ah, &al);
  split(b, &bh, &bl);
  *y = al * bl - (((p - ah * bh) - al * bh) - ah * bl);
  *x = p;
}

// e += b. Precondition: capacity for n + 1 components. Returns how many there are now.
static int grow(int n, double *e, double b) {
  int m = 0;
  for (int i = 0; i < n; i++) {
    double r;
    two_sum(b, e[i], &b, &r);
    if (r != 0) e[m++] = r;
  }
  if (b != 0) e[m++] = b;
  return m;
}

// h += sign e f, for expansions e and f. Precondition: capacity for 2 ne nf more components.
static int add_product(int n, double *h, double sign, int ne, const double *e, int nf,
                       const double *f) {
  for (int i = 0; i < ne; i++)
    for (int j = 0; j < nf; j++) {
      double x, y;
      two_product(sign * e[i], f[j], &x, &y);
      n = grow(n, h, y);
      n = grow(n, h, x);
    }
  return n;
}

static int difference(double a, double b, double e[NDIFF]) {
  double x, y;
  two_sum(a, -b, &x, &y);
  int n = 0;
  if (y != 0) e[n++] = y;
  if (x != 0) e[n++] = x;
  return n;
}

// e[i] = p[i] - o[i]
typedef struct exact_vector {
  int n[3];
  double e[3][NDIFF];
} exact_vector;

static exact_vector exact_difference(const double *p, const double *o, int dim) {
  exact_vector v = {0};
  for (int k = 0; k < dim; k++) v.n[k] = difference(p[k], o[k], v.e[k]);
  return v;
}

// h = u_i v_j - u_j v_i. Returns its number of components.
static int make_minor(const exact_vector *u, const exact_vector *v, int i, int j, double *h) {
  int n = add_product(0, h, 1, u->n[i], u->e[i], v->n[j], v->e[j]);
  return add_product(n, h, -1, u->n[j], u->e[j], v->n[i], v->e[i]);
}

static int sign_of(int n, const double *e) {
  return n == 0 ? 0 : e[n - 1] > 0 ? 1 : -1;
}

// h += det(b - o, c - o, d - o), expanded along the rows of d - o
static int add_determinant(int n, double *h, const double *o, const double *b, const double *c,
                           const double *d) {
  exact_vector u = exact_difference(b, o, 3);
  exact_vector v = exact_difference(c, o, 3);
  exact_vector w = exact_difference(d, o, 3);
  for (int k = 0; k < 3; k++) {
    double minor[NMINOR];
    int nminor = make_minor(&u, &v, (k + 1) % 3, (k + 2) % 3, minor);
    n = add_product(n, h, 1, nminor, minor, w.n[k], w.e[k]);
  }
  return n;
}

int csim_orient2d(const double a[2], const double b[2], const double c[2]) {
  double l = (b[0] - a[0]) * (c[1] - a[1]), r = (b[1] - a[1]) * (c[0] - a[0]);
  // Each product carries 4 roundings (2 differences, itself, the last subtraction), so the error is
  // under (4 EPS + O(EPS^2)) (|l| + |r|); 6 EPS covers the higher orders and this line's roundings.
  double det = l - r, bound = 6 * EPS * (fabs(l) + fabs(r));
  if (det > bound) return 1;
  if (det < -bound) return -1;
  if (bound == 0) return 0; // both products vanish, which in range only exact zeros do
  exact_vector u = exact_difference(b, a, 2), v = exact_difference(c, a, 2);
  double h[NMINOR];
  int n = make_minor(&u, &v, 0, 1, h);
  return sign_of(n, h);
}

// The determinant in floating point, and the sum of its terms' magnitudes.
//
// Each of the six terms carries at most 8 roundings: 3 differences, a product, the minor's
// subtraction, a product, 2 additions. Hence |error| <= ((1 + EPS)^8 - 1) P for the exact sum of
// magnitudes P, and the computed one is >= (1 - EPS)^8 P: |error| < (8 EPS + 100 EPS^2) *magnitude.
static double determinant(const double *a, const double *b, const double *c, const double *d,
                          double *magnitude) {
  double u[3], v[3], w[3], det = 0, sum = 0;
  for (int k = 0; k < 3; k++) {
    u[k] = b[k] - a[k];
    v[k] = c[k] - a[k];
    w[k] = d[k] - a[k];
  }
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double l = u[i] * v[j], r = u[j] * v[i];
    det += (l - r) * w[k];
    sum += (fabs(l) + fabs(r)) * fabs(w[k]);
  }
  *magnitude = sum;
  return det;
}

int csim_orient3d(const double a[3], const double b[3], const double c[3], const double d[3]) {
  double magnitude, det = determinant(a, b, c, d, &magnitude);
  double bound = 10 * EPS * magnitude; // above the bound of determinant(), with its own rounding
  if (det > bound) return 1;
  if (det < -bound) return -1;
  if (bound == 0) return 0;
  double h[NDET];
  int n = add_determinant(0, h, a, b, c, d);
  return sign_of(n, h);
}

int csim_collinear(const double a[3], const double b[3], const double c[3]) {
  for (int k = 0; k < 3; k++) {
    int i = (k + 1) % 3, j = (k + 2) % 3;
    double p[2] = {a[i], a[j]}, q[2] = {b[i], b[j]}, r[2] = {c[i], c[j]};
    if (csim_orient2d(p, q, r) != 0) return 0;
  }
  return 1;
}

int csim_volume_sign(const double *vert, int ntri, const int *tri) {
  if (ntri == 0) return 0;
  const double *o = vert + csim_xyz(tri[0]);
  double volume = 0, sum = 0;
  for (ptrdiff_t t = 0; t < ntri; t++) {
    double magnitude;
    const int *v = tri + 3 * t;
    volume += determinant(o, vert + csim_xyz(v[0]), vert + csim_xyz(v[1]), vert + csim_xyz(v[2]),
                          &magnitude);
    sum += magnitude;
  }
  // ntri more additions, of partial sums no larger than the sum of magnitudes
  double bound = (2.0 * ntri + 20) * EPS * sum;
  if (volume > bound) return 1;
  if (volume < -bound) return -1;
  double h[NSUM];
  int n = 0;
  for (ptrdiff_t t = 0; t < ntri; t++) {
    const int *v = tri + 3 * t;
    n = add_determinant(n, h, o, vert + csim_xyz(v[0]), vert + csim_xyz(v[1]),
                        vert + csim_xyz(v[2]));
  }
  return sign_of(n, h);
}
