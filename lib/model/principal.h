// model/principal.h: bounds the principal stretches of triangles. Needs model/bound.h.
//
// The deformation gradient F = (f_u, f_v) of a triangle (3 x 2) has the singular values s1 >= s2,
//   F = s1 u1 v1^T + s2 u2 v2^T.
// No line of the triangle's material is stretched by more than s1. The energy per area,
// B and w of bound.h, is convex in F, because B is convex and does not fall; and so the Hessian
// is semidefinite as it is. Its eigenvectors are u_i v_i^T (two), u1 v2^T + u2 v1^T, u1 v2^T - u2
// v1^T and n v_i^T, n = u1 x u2 (two), with
//   B''(s_i),  (B'1 - B'2)/(s1 - s2),  (B'1 + B'2)/(s1 + s2),  B'_i/s_i.
// (Smith, De Goes and Kim, Analytic Eigensystems for Isotropic Distortion Energies, ACM TOG 38(1),
// 2019, for square F.)
//
// Four triangles at a time, one in each lane.
#ifndef CSIM_MODEL_PRINCIPAL_H
#define CSIM_MODEL_PRINCIPAL_H

#include "model/bound.h"

/// Principal stretches of four triangles, and the energy of their bound.
typedef struct csim_principal {
  csim_v4 weight[2][2]; ///< s_i u_i = weight[i][0] f_u + weight[i][1] f_v
  csim_v4 s[2];         ///< larger first
  csim_v4 u[2][3];      ///< unit vectors; 0 where s is
  csim_v4 psi;          ///< [N/m] energy of an area
  csim_v4 d1[2], d2[2]; ///< [N/m] its derivatives by s
} csim_principal;

/// A bound: strains from `begin` on are resisted with the stiffness q; `end` is never reached.
/// rest: lengths of f_u and f_v at which warp and weft have no strain.
typedef struct csim_principal_law {
  csim_v4 begin, end; ///< [-]
  csim_v4 q;          ///< [N/m]
  csim_v4 rest[2];    ///< [-]
} csim_principal_law;

#define CSIM_PRINCIPAL_DOT(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])

/// s and weight of F; fu and fv (3).
CSIM_SIMD_BODY void csim_principal_find(const csim_v4 *fu, const csim_v4 *fv, const csim_v4 rest[2],
                                        csim_principal *p) {
  csim_v4 zero = {0}, one = CSIM_SPLAT4(1.0), iu = 1 / rest[0], iv = 1 / rest[1];
  csim_v4 uu = iu * iu * CSIM_PRINCIPAL_DOT(fu, fu), vv = iv * iv * CSIM_PRINCIPAL_DOT(fv, fv);
  csim_v4 uv = iu * iv * CSIM_PRINCIPAL_DOT(fu, fv);
  csim_v4 mean = 0.5 * (uu + vv), half = 0.5 * (uu - vv), square = half * half + uv * uv;
  csim_v4 r = CSIM_SQRT4(square), high = mean + r, low = mean - r;
  low = CSIM_SELECT4(low > zero, low, zero);
  p->s[0] = CSIM_SQRT4(high);
  p->s[1] = CSIM_SQRT4(low);
  // v1 = (cos a, sin a) from cos 2a = half/r, sin 2a = uv/r, the larger of its numbers by a root
  csim_v4 cos2 = CSIM_SELECT4(r > zero, half / r, one), sin2 = CSIM_SELECT4(r > zero, uv / r, zero);
  csim_v4 sum = 0.5 + 0.5 * CSIM_SELECT4(cos2 > zero, cos2, -cos2);
  csim_v4 large = CSIM_SQRT4(sum), small = 0.5 * sin2 / large;
  csim_v4 c = CSIM_SELECT4(cos2 > zero, large, small), s = CSIM_SELECT4(cos2 > zero, small, large);
  p->weight[0][0] = c * iu;
  p->weight[0][1] = s * iv;
  p->weight[1][0] = -s * iu;
  p->weight[1][1] = c * iv;
}

/// Whether the bound acts in any lane; if so, fills all of p. Lanes with q = 0 have no bound.
CSIM_SIMD_BODY int csim_principal_evaluate(const csim_v4 *fu, const csim_v4 *fv,
                                           const csim_principal_law *law, csim_principal *p) {
  csim_v4 zero = {0}, one = CSIM_SPLAT4(1.0);
  csim_principal_find(fu, fv, law->rest, p);
  csim_v4i acts = (p->s[0] - 1 > law->begin) & (law->q > zero);
  if (!(acts[0] | acts[1] | acts[2] | acts[3])) return 0;
  csim_v4 w = CSIM_SELECT4(law->q > zero, law->end - law->begin, one);
  p->psi = zero;
  for (int i = 0; i < 2; i++) {
    csim_v4 share = (p->s[i] - 1 - law->begin) / w, B[3];
    csim_bound_law(&share, B);
    p->psi += law->q * w * w * B[0];
    p->d1[i] = law->q * w * B[1];
    p->d2[i] = law->q * B[2];
    csim_v4 inverse = CSIM_SELECT4(p->s[i] > zero, 1 / p->s[i], zero);
    for (int c = 0; c < 3; c++)
      p->u[i][c] = inverse * (p->weight[i][0] * fu[c] + p->weight[i][1] * fv[c]);
  }
  return 1;
}

/// Replaces second derivatives by csim_bound_slope; before (2): the principal stretches earlier.
CSIM_SIMD_BODY void csim_principal_soften(const csim_principal_law *law, const csim_v4 before[2],
                                          csim_principal *p) {
  csim_v4 zero = {0}, one = CSIM_SPLAT4(1.0);
  csim_v4 w = CSIM_SELECT4(law->q > zero, law->end - law->begin, one);
  for (int i = 0; i < 2; i++) {
    csim_v4 share = (p->s[i] - 1 - law->begin) / w, from = (before[i] - 1 - law->begin) / w, slope;
    csim_bound_slope(&share, &from, &slope);
    p->d2[i] = law->q * slope;
  }
}

/// Adds d psi/d f_u and d psi/d f_v to gu and gv (3).
CSIM_SIMD_BODY void csim_principal_gradient(const csim_principal *p, csim_v4 *gu, csim_v4 *gv) {
  for (int i = 0; i < 2; i++)
    for (int c = 0; c < 3; c++) {
      gu[c] += p->weight[i][0] * p->d1[i] * p->u[i][c];
      gv[c] += p->weight[i][1] * p->d1[i] * p->u[i][c];
    }
}

/// Adds the blocks of d2 psi/d f2 to uu, uv and vv (9).
CSIM_SIMD_BODY void csim_principal_hessian(const csim_principal *p, csim_v4 *uu, csim_v4 *uv,
                                           csim_v4 *vv) {
  csim_v4 zero = {0}, sum = p->s[0] + p->s[1], gap = p->s[0] - p->s[1];
  csim_v4 shear =
      CSIM_SELECT4(gap > 1e-6 * sum, (p->d1[0] - p->d1[1]) / gap, 0.5 * (p->d2[0] + p->d2[1]));
  csim_v4 turn = CSIM_SELECT4(sum > zero, (p->d1[0] + p->d1[1]) / sum, zero);
  csim_v4 same = 0.5 * (shear + turn), cross = 0.5 * (shear - turn), out[2];
  for (int i = 0; i < 2; i++) out[i] = CSIM_SELECT4(p->s[i] > zero, p->d1[i] / p->s[i], zero);
  const csim_v4(*w)[2] = p->weight;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      csim_v4 one = p->u[0][i] * p->u[0][j], two = p->u[1][i] * p->u[1][j];
      csim_v4 H1 = (p->d2[0] - out[0]) * one + (same - out[0]) * two;
      csim_v4 H2 = (p->d2[1] - out[1]) * two + (same - out[1]) * one;
      if (i == j) H1 += out[0], H2 += out[1];
      csim_v4 a = cross * p->u[1][i] * p->u[0][j], b = cross * p->u[0][i] * p->u[1][j];
      uu[3 * i + j] +=
          w[0][0] * w[0][0] * H1 + w[1][0] * w[1][0] * H2 + w[0][0] * w[1][0] * (a + b);
      vv[3 * i + j] +=
          w[0][1] * w[0][1] * H1 + w[1][1] * w[1][1] * H2 + w[0][1] * w[1][1] * (a + b);
      uv[3 * i + j] += w[0][0] * w[0][1] * H1 + w[1][0] * w[1][1] * H2 + w[0][0] * w[1][1] * a +
                       w[1][0] * w[0][1] * b;
    }
}

/// The larger singular value of F = (f_u, f_v).
static inline double csim_principal_stretch(const double fu[3], const double fv[3]) {
  double uu = csim_dot(fu, fu), vv = csim_dot(fv, fv), uv = csim_dot(fu, fv);
  double half = 0.5 * (uu - vv);
  return sqrt(0.5 * (uu + vv) + sqrt(half * half + uv * uv));
}

/// That of F + t D, F and D (6) as f_u, f_v.
static inline double csim_principal_largest(const double F[6], const double D[6], double t) {
  double f[6];
  for (int k = 0; k < 6; k++) f[k] = F[k] + t * D[k];
  return csim_principal_stretch(f, f + 3);
}

/// As csim_bound_max_step, for the larger singular value of F + t D (6, as f_u and f_v) and its
/// `end`. The value is convex in t, so a chord over an interval reaches `end` before the curve
/// does: the root is approached by chords from one side, by bisection from the other.
static inline double csim_principal_max_step(const double F[6], const double D[6], double end) {
  enum { MOST = 40 };
  static const double CLOSE = 1e-9;
  double l = csim_principal_largest(F, D, 0);
  if (!(l < end)) return 1;
  double most = l + CSIM_BOUND_STEP * (end - l);
  double a = 0, at_a = l, b = 1, at_b = csim_principal_largest(F, D, 1);
  if (at_b <= most) return 1;
  for (int k = 0; k < MOST && b - a > CLOSE * b; k++) {
    double t = k % 2 ? 0.5 * (a + b) : a + (1 - CLOSE) * (most - at_a) / (at_b - at_a) * (b - a);
    double at_t = csim_principal_largest(F, D, t);
    if (at_t <= most)
      a = t, at_a = at_t;
    else
      b = t, at_b = at_t;
  }
  return a;
}

#endif
