// model/membrane.c: cloth as a membrane on its triangles: woven and orthotropic. Needs
// model/energy.h.
//
// In a triangle the deformation gradient is constant. Its columns are where one metre of warp and
// of weft of the rest shape has gone,
//   f_u = sum_n bu_n x_n,   f_v = sum_n bv_n x_n,   sum_n bu_n = sum_n bv_n = 0,
// and the energy is that of three strains e:
//   E = A (c11/2 e0^2 + c12 e0 e1 + c22/2 e1^2 + c33/2 e2^2),   e2 = f_u . f_v,
//   woven:        e0 = |f_u| - 1,          e1 = |f_v| - 1
//   orthotropic:  e0 = (|f_u|^2 - 1)/2,    e1 = (|f_v|^2 - 1)/2
// Woven, with c12 = 0, is Baraff & Witkin's (Large Steps in Cloth Simulation, SIGGRAPH 1998) as an
// energy (Kim, A Finite Element Formulation of Baraff-Witkin Cloth, SCA 2020); orthotropic is St.
// Venant & Kirchhoff's. Both have the same moduli at small strain.
//
// Beyond the strain M a direction stiffens by one more energy, A q/3 (e - M)^3, C2. If the material
// has a bound its principal stretches do instead, see principal.h.
//
// With t = dE/de / A the gradient is G_u = t0 de0/df_u + t2 f_v, and the Hessian, in the blocks uu,
// uv and vv of f, is the sum of
//   material   C_ab de_a de_b^T                             semidefinite
//   geometry   t0 d2e0, t1 d2e1 and t2 d2e2,  d2e2 = [[0, I], [I, 0]]
// whose second part is projected in closed form. Woven: d2|f| = (I - dd^T)/|f| is dropped when its
// t is negative; shear, C33 de2 de2^T + t2 d2e2, has the eigenvectors of d2e2 except in the plane
// of p = (f_u + f_v, f_u + f_v) and q = (f_u - f_v, f_v - f_u), and there is a 2 x 2 matrix (Kim
// has the eigenvalues of t2 = C33 e2; damping adds to t2). Orthotropic: d2e0 = I, so that geometry
// is the 2 x 2 matrix [[t0, t2], [t2, t1]] (x) I, whose negative eigenvalue is clamped: a
// compressed sheet keeps its material stiffness, and what compression takes from it is left out.
//
// Geometry is stress times the second derivative of strain. A step that rotates a stiff triangle by
// a finite angle also stretches it, and that stress, which the next step removes, would stiffen the
// sheet against all motion across it. With at->earlier.stress the stress is therefore the linear
// prediction C (e + de d) of the step d that led here (Magisano, Leonetti & Garcea, Advantages of
// the mixed format in geometrically nonlinear analysis, 2017). A skirt on legs that walk took 1,741
// Newton iterations instead of 2,034.
//
// For a ductile membrane e0 and e1 are the strains beyond its threads' plastic strains
// (csim_yield).
//
// A damped membrane resists the rate of its strains by tau times its stiffness, as springs do:
//   D = A tau/(2 h) (e - e_n)^T C (e - e_n)
//
// Four triangles are processed at a time, one in each lane.
#include "model/energy.h"

#include "base/simd.h"
#include "math/vec3.h"
#include "model/principal.h"

#include <math.h>

enum {
  BU1,
  BU2,
  BV1,
  BV2,
  AREA,
  C11,
  C12,
  C22,
  C33,
  LIMIT,
  BOUND,
  STIFFENING,
  NPARAM
}; // BOUND 0: none; else e0 and e1 do not stiffen, and LIMIT is where the bound begins
enum { YIELD_AT = NPARAM, HARDENING, RATE, NDUCTILE = NPARAM + 4 };

typedef struct strains {
  csim_v4 fu[3], fv[3];
  csim_v4 lu, lv; // |f_u|, |f_v|; of woven
  csim_v4 e[3];
} strains;

typedef struct four {
  const int *node[4];
  csim_v4 p[NPARAM];
  csim_v4 set[2]; // plastic strains along warp and weft
  strains at;
  csim_v4 begun[3];     // strains at the step's start, if it is damped
  csim_v4 psi;          // [N/m] energy of an area
  csim_v4 t[3];         // [N/m] its derivatives
  csim_v4 c[4];         // [N/m] its second ones: 00, 01, 11, 22
  csim_v4 gu[3], gv[3]; // de0/df_u, de1/df_v
  int at_bound;         // the bound of a lane acts, as follows
  csim_principal principal;
} four;

// Blocks of d2E/df2 of four triangles, an area's.
typedef struct blocks {
  csim_v4 uu[9], uv[9], vv[9];
} blocks;

// Vectors have no fixed ABI when returned or passed by value: macros, and pointers.
#define DOT4(a, b) ((a)[0] * (b)[0] + (a)[1] * (b)[1] + (a)[2] * (b)[2])
#define POSITIVE4(v) CSIM_SELECT4((v) > CSIM_SPLAT4(0.0), v, CSIM_SPLAT4(0.0))
#define INVERSE_OR_ZERO4(v) CSIM_SELECT4((v) > CSIM_SPLAT4(0.0), 1 / (v), CSIM_SPLAT4(0.0))

// Loads at most four triangles from `first` on; unused lanes repeat the last. Returns how many.
CSIM_SIMD_BODY int load_four(const csim_energy *energy, const csim_point *at, int first, int last,
                             four *s) {
  int n = last - first < 4 ? last - first : 4;
  const double *param[4];
  for (int i = 0; i < 4; i++) {
    int e = i < n ? first + i : last - 1;
    s->node[i] = energy->node + csim_xyz(e);
    param[i] = csim_energy_param(energy, e);
  }
  for (int k = 0; k < NPARAM; k += 4) {
    for (int i = 0; i < 4; i++) s->p[k + i] = CSIM_LOAD4(param[i] + k);
    csim_transpose4(s->p + k);
  }
  s->set[0] = s->set[1] = (csim_v4){0};
  for (int i = 0; i < 4 && at->plastic && energy->kind->nplastic; i++) {
    const double *plastic = csim_energy_plastic(energy, at, i < n ? first + i : last - 1);
    for (int k = 0; k < 2; k++) s->set[k][i] = plastic[k];
  }
  return n;
}

CSIM_SIMD_BODY void find_strains(const four *s, const double *x, csim_membrane_law law,
                                 strains *at) {
  csim_v4 a[4], b[4];
  for (int i = 0; i < 4; i++) {
    csim_v4 x0 = CSIM_LOAD3(x + csim_xyz(s->node[i][0]));
    a[i] = CSIM_LOAD3(x + csim_xyz(s->node[i][1])) - x0;
    b[i] = CSIM_LOAD3(x + csim_xyz(s->node[i][2])) - x0;
  }
  csim_transpose4(a);
  csim_transpose4(b);
  for (int c = 0; c < 3; c++) {
    at->fu[c] = s->p[BU1] * a[c] + s->p[BU2] * b[c];
    at->fv[c] = s->p[BV1] * a[c] + s->p[BV2] * b[c];
  }
  csim_v4 uu = DOT4(at->fu, at->fu), vv = DOT4(at->fv, at->fv);
  at->lu = CSIM_SQRT4(uu);
  at->lv = CSIM_SQRT4(vv);
  at->e[0] = (law == CSIM_MEMBRANE_WOVEN ? at->lu - 1 : 0.5 * (uu - 1)) - s->set[0];
  at->e[1] = (law == CSIM_MEMBRANE_WOVEN ? at->lv - 1 : 0.5 * (vv - 1)) - s->set[1];
  at->e[2] = DOT4(at->fu, at->fv);
}

// t += C e
CSIM_SIMD_BODY void add_stress(const csim_v4 *p, const csim_v4 e[3], csim_v4 t[3]) {
  t[0] += p[C11] * e[0] + p[C12] * e[1];
  t[1] += p[C12] * e[0] + p[C22] * e[1];
  t[2] += p[C33] * e[2];
}

// Adds stiffening of strain k, 0 or 1.
CSIM_SIMD_BODY void add_stiffening(int k, four *s) {
  csim_v4 zero = {0}, over = s->at.e[k] - s->p[LIMIT];
  csim_v4 q = CSIM_SELECT4(s->p[BOUND] > zero, zero, s->p[STIFFENING]);
  over = POSITIVE4(over);
  s->psi += q * over * over * over / 3;
  s->t[k] += q * over * over;
  s->c[2 * k] += 2 * q * over;
}

CSIM_SIMD_BODY void find_rest_lengths(const four *s, csim_membrane_law law, csim_v4 rest[2]) {
  for (int k = 0; k < 2; k++) {
    csim_v4 square = 1 + 2 * s->set[k];
    rest[k] = law == CSIM_MEMBRANE_WOVEN ? 1 + s->set[k] : CSIM_SQRT4(square);
  }
}

CSIM_SIMD_BODY void find_bound(const four *s, csim_membrane_law law, csim_principal_law *bound) {
  csim_v4 zero = {0};
  bound->begin = s->p[LIMIT];
  bound->end = s->p[BOUND];
  bound->q = CSIM_SELECT4(s->p[BOUND] > zero, s->p[STIFFENING], zero);
  find_rest_lengths(s, law, bound->rest);
}

CSIM_SIMD_BODY void add_bound(csim_membrane_law law, four *s) {
  csim_principal_law bound;
  const csim_v4 *end = &s->p[BOUND];
  s->at_bound = 0;
  if (!((*end)[0] + (*end)[1] + (*end)[2] + (*end)[3] > 0)) return;
  find_bound(s, law, &bound);
  s->at_bound = csim_principal_evaluate(s->at.fu, s->at.fv, &bound, &s->principal);
  if (s->at_bound) s->psi += s->principal.psi;
}

CSIM_SIMD_BODY void add_damping(const csim_point *at, four *s) {
  csim_v4 f, d[3], t[3] = {{0}};
  for (int i = 0; i < 4; i++) f[i] = at->damping[at->body_of[s->node[i][0]]] / at->h;
  for (int k = 0; k < 3; k++) d[k] = f * (s->at.e[k] - s->begun[k]);
  add_stress(s->p, d, t);
  for (int k = 0; k < 3; k++) {
    s->psi += 0.5 * (s->at.e[k] - s->begun[k]) * t[k];
    s->t[k] += t[k];
  }
  for (int k = 0; k < 4; k++) s->c[k] += f * s->p[C11 + k];
}

// Energy, stress and moduli of the strains s->at.e, without the bound.
CSIM_SIMD_BODY void apply_law(const csim_point *at, four *s) {
  const csim_v4 *e = s->at.e;
  for (int k = 0; k < 3; k++) s->t[k] = (csim_v4){0};
  add_stress(s->p, e, s->t);
  s->psi = 0.5 * (e[0] * s->t[0] + e[1] * s->t[1] + e[2] * s->t[2]);
  for (int k = 0; k < 4; k++) s->c[k] = s->p[C11 + k];
  if (at->damping) add_damping(at, s);
  add_stiffening(0, s);
  add_stiffening(1, s);
}

// Everything except the Hessian; results that a caller does not use are optimised away.
CSIM_SIMD_BODY int evaluate_four(const csim_energy *energy, const csim_point *at, int first,
                                 int last, csim_membrane_law law, four *s) {
  int n = load_four(energy, at, first, last, s);
  find_strains(s, at->x, law, &s->at);
  if (at->damping) {
    strains from;
    find_strains(s, at->from, law, &from);
    for (int k = 0; k < 3; k++) s->begun[k] = from.e[k];
  }
  apply_law(at, s);
  add_bound(law, s);
  csim_v4 u = {1, 1, 1, 1}, v = u;
  if (law == CSIM_MEMBRANE_WOVEN) {
    u = INVERSE_OR_ZERO4(s->at.lu);
    v = INVERSE_OR_ZERO4(s->at.lv);
  }
  for (int c = 0; c < 3; c++) {
    s->gu[c] = u * s->at.fu[c];
    s->gv[c] = v * s->at.fv[c];
  }
  return n;
}

CSIM_SIMD_BODY double values(const csim_energy *energy, const csim_point *at, int first, int last) {
  csim_membrane_law law = csim_membrane_law_of(energy->kind);
  csim_v4 sum = {0}, zero = {0};
  for (int e = first; e < last; e += 4) {
    four s;
    int n = evaluate_four(energy, at, e, last, law, &s);
    csim_v4i used = {-1, n > 1 ? -1 : 0, n > 2 ? -1 : 0, n > 3 ? -1 : 0};
    sum += CSIM_SELECT4(used, s.p[AREA] * s.psi, zero);
  }
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// Gradient at the triangles' second and third vertices; at the first it is minus their sum.
CSIM_SIMD_BODY void gradient_four(const four *s, csim_v4 g1[4], csim_v4 g2[4]) {
  csim_v4 Gu[3], Gv[3];
  for (int c = 0; c < 3; c++) {
    Gu[c] = s->t[0] * s->gu[c] + s->t[2] * s->at.fv[c];
    Gv[c] = s->t[1] * s->gv[c] + s->t[2] * s->at.fu[c];
  }
  if (s->at_bound) csim_principal_gradient(&s->principal, Gu, Gv);
  for (int c = 0; c < 3; c++) {
    Gu[c] *= s->p[AREA];
    Gv[c] *= s->p[AREA];
    g1[c] = s->p[BU1] * Gu[c] + s->p[BV1] * Gv[c];
    g2[c] = s->p[BU2] * Gu[c] + s->p[BV2] * Gv[c];
  }
  g1[3] = g2[3] = (csim_v4){0};
  csim_transpose4(g1);
  csim_transpose4(g2);
}

CSIM_SIMD_BODY int gradients(const csim_energy *energy, const csim_point *at, int first, int last,
                             double *g) {
  csim_membrane_law law = csim_membrane_law_of(energy->kind);
  for (int e = first; e < last; e += 4) {
    four s;
    csim_v4 g1[4], g2[4];
    int n = evaluate_four(energy, at, e, last, law, &s);
    gradient_four(&s, g1, g2);
    for (int i = 0; i < n; i++) {
      double *a = g + csim_xyz(s.node[i][0]), *b = g + csim_xyz(s.node[i][1]);
      double *c = g + csim_xyz(s.node[i][2]);
      csim_v4 ga = CSIM_LOAD3(a) - (g1[i] + g2[i]), gb = CSIM_LOAD3(b) + g1[i];
      csim_v4 gc = CSIM_LOAD3(c) + g2[i];
      CSIM_STORE3(a, ga);
      CSIM_STORE3(b, gb);
      CSIM_STORE3(c, gc);
    }
  }
  return 0;
}

// ----------------------------------------------------------------------------------------- Hessian

// [[a, b], [b, d]] with its negative eigenvalues clamped at 0.
CSIM_SIMD_BODY void clamp2(csim_v4 *a, csim_v4 *b, csim_v4 *d) {
  csim_v4 half = 0.5 * (*a - *d), mean = 0.5 * (*a + *d);
  csim_v4 square = half * half + *b * *b, r = CSIM_SQRT4(square);
  csim_v4 high = POSITIVE4(mean + r), low = POSITIVE4(mean - r);
  csim_v4 scale = 0.5 * (high - low) * INVERSE_OR_ZERO4(r);
  mean = 0.5 * (high + low);
  *a = mean + scale * half;
  *d = mean - scale * half;
  *b = scale * *b;
}

// out += s a b^T
CSIM_SIMD_BODY void add_outer4(const csim_v4 *s, const csim_v4 *a, const csim_v4 *b, csim_v4 *out) {
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) out[3 * i + j] += *s * a[i] * b[j];
}

CSIM_SIMD_BODY void add_identity4(const csim_v4 *s, csim_v4 *out) {
  for (int i = 0; i < 9; i += 4) out[i] += *s;
}

// c de2 de2^T + t d2e2, projected: with the unit vectors p, q along f_u + f_v and f_u - f_v,
//   (p, p)/sqrt 2 and (q, -q)/sqrt 2 span the plane where de2 = (f_v, f_u) acts, as (a, b);
//   d2e2 is 1 on all (w, w) and -1 on all (w, -w).
CSIM_SIMD_BODY void add_shear(const four *s, blocks *H) {
  csim_v4 p[3], q[3], c = s->c[3], t = s->t[2], minus = -t;
  for (int i = 0; i < 3; i++) {
    p[i] = s->at.fu[i] + s->at.fv[i];
    q[i] = s->at.fu[i] - s->at.fv[i];
  }
  csim_v4 pp = DOT4(p, p), qq = DOT4(q, q), lp = CSIM_SQRT4(pp), lq = CSIM_SQRT4(qq);
  csim_v4 ip = INVERSE_OR_ZERO4(lp), iq = INVERSE_OR_ZERO4(lq);
  for (int i = 0; i < 3; i++) p[i] *= ip, q[i] *= iq;
  csim_v4 ss = t + 0.5 * c * pp, sd = -0.5 * c * lp * lq, dd = -t + 0.5 * c * qq;
  clamp2(&ss, &sd, &dd);
  csim_v4 alike = 0.5 * POSITIVE4(t);       // on (w, w)
  csim_v4 opposed = 0.5 * POSITIVE4(minus); // on (w, -w)
  ss = 0.5 * ss - alike;
  dd = 0.5 * dd - opposed;
  sd = 0.5 * sd;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      csim_v4 P = ss * p[i] * p[j], Q = dd * q[i] * q[j];
      csim_v4 pq = sd * p[i] * q[j], qp = sd * q[i] * p[j];
      if (i == j) P += alike, Q += opposed;
      H->uu[3 * i + j] += P + Q + (pq + qp);
      H->uv[3 * i + j] += P - Q + (qp - pq);
      H->vv[3 * i + j] += P + Q - (pq + qp);
    }
}

CSIM_SIMD_BODY void add_woven_geometry(const four *s, csim_psd psd, blocks *H) {
  csim_v4 tu = s->t[0] * INVERSE_OR_ZERO4(s->at.lu), tv = s->t[1] * INVERSE_OR_ZERO4(s->at.lv);
  if (psd != CSIM_PSD_NONE) {
    tu = POSITIVE4(tu);
    tv = POSITIVE4(tv);
  }
  csim_v4 less_u = -tu, less_v = -tv;
  add_identity4(&tu, H->uu);
  add_outer4(&less_u, s->gu, s->gu, H->uu);
  add_identity4(&tv, H->vv);
  add_outer4(&less_v, s->gv, s->gv, H->vv);
}

// Replaces the stress by the prediction from at->earlier.stress.
CSIM_SIMD_BODY void predict_stress(const csim_point *at, csim_membrane_law law, four *s) {
  four next = *s;
  strains now = s->at, from;
  find_strains(s, at->earlier.stress, law, &from);
  csim_v4 uu = DOT4(from.fu, now.fu), vv = DOT4(from.fv, now.fv);
  if (law == CSIM_MEMBRANE_WOVEN) {
    next.at.e[0] = uu * INVERSE_OR_ZERO4(from.lu) - 1 - s->set[0];
    next.at.e[1] = vv * INVERSE_OR_ZERO4(from.lv) - 1 - s->set[1];
  } else {
    next.at.e[0] = uu - 0.5 * from.lu * from.lu - 0.5 - s->set[0];
    next.at.e[1] = vv - 0.5 * from.lv * from.lv - 0.5 - s->set[1];
  }
  next.at.e[2] = DOT4(from.fu, now.fv) + DOT4(now.fu, from.fv) - from.e[2];
  apply_law(at, &next);
  for (int k = 0; k < 3; k++) s->t[k] = next.t[k];
}

// Softens the bound of strains that are larger than at at->earlier.chord.
CSIM_SIMD_BODY void soften_bound(const csim_point *at, csim_membrane_law law, four *s) {
  strains from;
  csim_principal before;
  csim_principal_law bound;
  find_bound(s, law, &bound);
  find_strains(s, at->earlier.chord, law, &from);
  csim_principal_find(from.fu, from.fv, bound.rest, &before);
  csim_principal_soften(&bound, before.s, &s->principal);
}

// Evaluates four triangles with the blocks of their Hessians.
CSIM_SIMD_BODY int blocks_four(const csim_energy *energy, const csim_point *at, csim_psd psd,
                               int first, int last, four *s, blocks *H) {
  csim_membrane_law law = csim_membrane_law_of(energy->kind);
  int n = evaluate_four(energy, at, first, last, law, s);
  if (at->earlier.stress && psd != CSIM_PSD_NONE) predict_stress(at, law, s);
  if (at->earlier.chord && psd != CSIM_PSD_NONE && s->at_bound) soften_bound(at, law, s);
  *H = (blocks){0};
  add_outer4(&s->c[0], s->gu, s->gu, H->uu);
  add_outer4(&s->c[1], s->gu, s->gv, H->uv);
  add_outer4(&s->c[2], s->gv, s->gv, H->vv);
  if (s->at_bound) csim_principal_hessian(&s->principal, H->uu, H->uv, H->vv);
  if (law == CSIM_MEMBRANE_WOVEN) add_woven_geometry(s, psd, H);
  if (law == CSIM_MEMBRANE_WOVEN && psd != CSIM_PSD_NONE) {
    add_shear(s, H);
    return n;
  }
  add_outer4(&s->c[3], s->at.fv, s->at.fv, H->uu);
  add_outer4(&s->c[3], s->at.fv, s->at.fu, H->uv);
  add_outer4(&s->c[3], s->at.fu, s->at.fu, H->vv);
  csim_v4 zero = {0}, uu = law == CSIM_MEMBRANE_WOVEN ? zero : s->t[0],
          vv = law == CSIM_MEMBRANE_WOVEN ? zero : s->t[1];
  csim_v4 uv = s->t[2];
  if (psd != CSIM_PSD_NONE) clamp2(&uu, &uv, &vv);
  add_identity4(&uu, H->uu);
  add_identity4(&uv, H->uv);
  add_identity4(&vv, H->vv);
  return n;
}

// Block (m, n) of d2E/dx2: A (bu_m bu_n uu + bu_m bv_n uv + bv_m bu_n uv^T + bv_m bv_n vv).
CSIM_SIMD_BODY void node_block(const four *s, const blocks *H, int m, int n, csim_v4 out[9]) {
  const csim_v4 *p = s->p;
  csim_v4 bu[3] = {-p[BU1] - p[BU2], p[BU1], p[BU2]}, bv[3] = {-p[BV1] - p[BV2], p[BV1], p[BV2]};
  csim_v4 uu = p[AREA] * bu[m] * bu[n], vv = p[AREA] * bv[m] * bv[n];
  csim_v4 uv = p[AREA] * bu[m] * bv[n], vu = p[AREA] * bv[m] * bu[n];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out[3 * i + j] = uu * H->uu[3 * i + j] + vv * H->vv[3 * i + j] + uv * H->uv[3 * i + j] +
                       vu * H->uv[3 * j + i];
}

CSIM_SIMD_BODY int hessians(const csim_energy *energy, const csim_point *at, csim_psd psd,
                            int first, int last, double *val) {
  for (int e = first; e < last; e += 4) {
    four s;
    blocks H;
    int n = blocks_four(energy, at, psd, e, last, &s, &H);
    for (int a = 0; a < 3; a++)
      for (int b = 0; b < 3; b++) {
        csim_v4 block[9];
        node_block(&s, &H, a, b, block);
        for (int i = 0; i < n; i++) {
          double *to = val + csim_row(9, energy->slot[csim_row(9, e + i) + 3 * a + b]);
          for (int k = 0; k < 9; k++) to[k] += block[k][i];
        }
      }
  }
  return 0;
}

// Entries of a block by columns, and by rows.
static const int BY_COLUMN[9] = {0, 3, 6, 1, 4, 7, 2, 5, 8};
static const int BY_ROW[9] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

// Subtracts the blocks of n edges, with their entries in that order, from near at each edge's
// place. Edges have their places every six numbers; a negative one has none.
CSIM_SIMD_BODY void subtract_blocks(const csim_v4 block[9], const int order[9], int n,
                                    const int *place, float *near) {
  csim_v4 low[4], high[4];
  for (int k = 0; k < 4; k++) {
    low[k] = block[order[k]];
    high[k] = block[order[k + 4]];
  }
  csim_transpose4(low);
  csim_transpose4(high);
  for (int i = 0; i < n; i++) {
    if (place[csim_row(6, i)] < 0) continue;
    float *to = near + csim_row(9, place[csim_row(6, i)]);
    *(csim_f4_at *)to = CSIM_FLOAT4(to) - CSIM_TO_FLOAT4(low[i]);
    *(csim_f4_at *)(to + 4) = CSIM_FLOAT4(to + 4) - CSIM_TO_FLOAT4(high[i]);
    to[8] -= (float)block[8][i];
  }
}

CSIM_SIMD_BODY int couplings(const csim_energy *energy, const csim_point *at, csim_psd psd,
                             int first, int last, const int *entry, float *near) {
  for (int e = first; e < last; e += 4) {
    four s;
    blocks H;
    int n = blocks_four(energy, at, psd, e, last, &s, &H);
    for (int k = 0; k < 3; k++) {
      csim_v4 block[9];
      node_block(&s, &H, k, (k + 1) % 3, block);
      const int *place = entry + csim_row(6, e) + 2 * k;
      subtract_blocks(block, BY_COLUMN, n, place, near);
      subtract_blocks(block, BY_ROW, n, place + 1, near);
    }
  }
  return 0;
}

CSIM_ENERGY_KERNELS(membrane)
CSIM_SIMD_KERNEL(int, hessians,
                 (const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                  int last, double *val),
                 (energy, at, psd, first, last, val))
CSIM_SIMD_KERNEL(int, couplings,
                 (const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                  int last, const int *entry, float *near),
                 (energy, at, psd, first, last, entry, near))

// -------------------------------------------------------------------------------------- both kinds

static void membrane_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd,
                             int first, int last, double *val) {
  hessians_kernel[energy->isa](energy, at, psd, first, last, val);
}

static void membrane_couple(const csim_energy *energy, const csim_point *at, csim_psd psd,
                            int first, int last, const int *entry, float *near) {
  couplings_kernel[energy->isa](energy, at, psd, first, last, entry, near);
}

// By row sums (Gershgorin).
static void membrane_stiffest(const double *p, double k[2]) {
  k[0] = csim_max(p[C11] + p[C12], 2 * p[C33]);
  k[1] = csim_max(p[C22] + p[C12], 2 * p[C33]);
}

// Weights (3 x 3) of A (ku |f_u|^2 + kv |f_v|^2)/2.
static void weigh(const csim_energy *energy, int e, double W[9]) {
  const double *p = csim_energy_param(energy, e);
  double bu[3] = {-p[BU1] - p[BU2], p[BU1], p[BU2]}, bv[3] = {-p[BV1] - p[BV2], p[BV1], p[BV2]};
  double k[2];
  energy->kind->stiffest(p, k);
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 3; n++)
      W[3 * m + n] = p[AREA] * (k[0] * bu[m] * bu[n] + k[1] * bv[m] * bv[n]);
}

void csim_membrane_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                             double *val) {
  for (int e = first; e < last; e++) {
    double W[9], f = 1;
    weigh(energy, e, W);
    if (at && at->damping) f += at->damping[at->body_of[energy->node[csim_xyz(e)]]] / at->h;
    for (int k = 0; k < 9; k++) val[energy->slot[csim_row(9, e) + k]] += f * W[k];
  }
}

void csim_membrane_elastic(const csim_energy *energy, double *elastic) {
  for (int e = 0; e < energy->nelem; e++) {
    double W[9];
    weigh(energy, e, W);
    for (int n = 0; n < 3; n++) elastic[energy->node[csim_xyz(e) + n]] += 0.5 * W[4 * n];
  }
}

// The whole energy of a triangle is one constraint, C = sqrt(2 E/A) with stiffness A: then k C dC
// is its gradient, whatever the law.
static int membrane_constraint(const csim_energy *energy, const csim_point *at, int e,
                               csim_constraint *c) {
  four s;
  csim_v4 g1[4], g2[4];
  evaluate_four(energy, at, e, e + 1, csim_membrane_law_of(energy->kind), &s);
  gradient_four(&s, g1, g2);
  double area = s.p[AREA][0], C = sqrt(csim_max(0, 2 * s.psi[0]));
  if (!(C > 0)) return 0;
  *c = (csim_constraint){.dim = 1, .k = area, .C = {C}};
  for (int i = 0; i < 3; i++) {
    c->grad[1][i] = g1[0][i] / (area * C);
    c->grad[2][i] = g2[0][i] / (area * C);
    c->grad[0][i] = -c->grad[1][i] - c->grad[2][i];
  }
  return 1;
}

// Warp and weft yield independently, each by its own strain.
static void ductile_yield(const csim_energy *energy, const csim_point *at, int first, int last,
                          double h, double *plastic) {
  csim_point now = *at;
  now.plastic = plastic;
  for (int e = first; e < last; e++) {
    const double *param = csim_energy_param(energy, e);
    double *own = plastic + energy->plastic + csim_row(4, e);
    csim_yield yield = {param[YIELD_AT], param[HARDENING], param[RATE]};
    four s;
    load_four(energy, &now, e, e + 1, &s);
    find_strains(&s, at->x, csim_membrane_law_of(energy->kind), &s.at);
    for (int k = 0; k < 2; k++) own[k] += csim_yield_flow(&yield, s.at.e[k][0], h, &own[2 + k]);
  }
}

// f_u and f_v of one lane, relative to their lengths at rest, as the bound uses them.
static void deformation(const strains *at, const csim_v4 rest[2], int lane, double F[6]) {
  for (int c = 0; c < 3; c++) {
    F[c] = at->fu[c][lane] / rest[0][lane];
    F[3 + c] = at->fv[c][lane] / rest[1][lane];
  }
}

// Most triangles stay within their bounds after the share that earlier ones allow; as the larger
// stretch is convex along a step, these do not shorten it. One by one they took a tenth of the time
// of cloth with bounds.
CSIM_SIMD_BODY double max_steps(const csim_energy *energy, const csim_point *at, const double *d,
                                int first, int last) {
  csim_membrane_law law = csim_membrane_law_of(energy->kind);
  double share = 1;
  for (int e = first; e < last; e += 4) {
    four s;
    strains by = {0};
    csim_principal_law bound;
    csim_principal now, then;
    csim_v4 fu[3], fv[3];
    int n = load_four(energy, at, e, last, &s);
    find_bound(&s, law, &bound);
    find_strains(&s, at->x, law, &s.at);
    if (d) find_strains(&s, d, law, &by);
    for (int c = 0; c < 3; c++) {
      fu[c] = s.at.fu[c] + share * by.fu[c];
      fv[c] = s.at.fv[c] + share * by.fv[c];
    }
    csim_principal_find(s.at.fu, s.at.fv, bound.rest, &now);
    csim_principal_find(fu, fv, bound.rest, &then);
    csim_v4 end = 1 + bound.end, most = now.s[0] + CSIM_BOUND_STEP * (end - now.s[0]);
    for (int i = 0; i < n; i++) {
      double F[6], D[6];
      if (!(bound.end[i] > 0)) continue;
      if (!d && now.s[0][i] > end[i]) return 0;
      if (then.s[0][i] <= most[i]) continue;
      deformation(&s.at, bound.rest, i, F);
      deformation(&by, bound.rest, i, D);
      share = csim_min(share, csim_principal_max_step(F, D, end[i]));
    }
  }
  return share;
}

CSIM_SIMD_KERNEL(double, max_steps,
                 (const csim_energy *energy, const csim_point *at, const double *d, int first,
                  int last),
                 (energy, at, d, first, last))

static double membrane_max_step(const csim_energy *energy, const csim_point *at, const double *d,
                                int first, int last) {
  return max_steps_kernel[energy->isa](energy, at, d, first, last);
}

static int membrane_excess(const csim_energy *energy, const csim_point *at, const double *d, int e,
                           csim_constraint *c) {
  four s;
  strains by;
  csim_principal_law bound;
  csim_principal now, then;
  csim_membrane_law law = csim_membrane_law_of(energy->kind);
  load_four(energy, at, e, e + 1, &s);
  find_bound(&s, law, &bound);
  find_strains(&s, at->x, law, &s.at);
  find_strains(&s, d, law, &by);
  csim_principal_find(s.at.fu, s.at.fv, bound.rest, &now);
  for (int k = 0; k < 3; k++) {
    s.at.fu[k] += by.fu[k];
    s.at.fv[k] += by.fv[k];
  }
  csim_principal_find(s.at.fu, s.at.fv, bound.rest, &then);
  double largest = then.s[0][0], begin = 1 + bound.begin[0], end = 1 + bound.end[0];
  double over = end > 1 ? csim_bound_excess(now.s[0][0], largest, begin, end) : 0;
  if (!(over > 0)) return 0;
  *c = (csim_constraint){.dim = 1, .k = 1, .C = {over}};
  double wu = then.weight[0][0][0], wv = then.weight[0][1][0]; // ds/df_u = wu u, ds/df_v = wv u
  double bu = wu * s.p[BU1][0] + wv * s.p[BV1][0], bv = wu * s.p[BU2][0] + wv * s.p[BV2][0];
  for (int k = 0; k < 3; k++) {
    double u = (wu * s.at.fu[k][0] + wv * s.at.fv[k][0]) / largest;
    c->grad[1][k] = bu * u;
    c->grad[2][k] = bv * u;
    c->grad[0][k] = -c->grad[1][k] - c->grad[2][k];
  }
  return 1;
}

static double membrane_strain(const csim_energy *energy, const csim_point *at, int e) {
  const int *node = energy->node + csim_xyz(e);
  const double *p = csim_energy_param(energy, e), *x0 = at->x + csim_xyz(node[0]);
  double a[3], b[3], fu[3], fv[3];
  csim_sub(at->x + csim_xyz(node[1]), x0, a);
  csim_sub(at->x + csim_xyz(node[2]), x0, b);
  for (int c = 0; c < 3; c++) {
    fu[c] = p[BU1] * a[c] + p[BU2] * b[c];
    fv[c] = p[BV1] * a[c] + p[BV2] * b[c];
  }
  return csim_principal_stretch(fu, fv) - 1;
}

#define MEMBRANE(of_name, numbers)                                                                 \
  .name = of_name, .role = CSIM_ROLE_MEMBRANE, .nnode = 3, .nparam = numbers,                      \
  .value = membrane_value, .gradient = membrane_gradient, .hessian = membrane_hessian,             \
  .couple = membrane_couple, .stiffest = membrane_stiffest, .laplacian = csim_membrane_laplacian,  \
  .elastic = csim_membrane_elastic, .constraint = membrane_constraint,                             \
  .max_step = membrane_max_step, .excess = membrane_excess, .strain = membrane_strain

const csim_energy_kind csim_woven_kind = {MEMBRANE("woven", NPARAM)};
const csim_energy_kind csim_orthotropic_kind = {MEMBRANE("orthotropic", NPARAM)};
const csim_energy_kind csim_ductile_woven_kind = {MEMBRANE("ductile woven", NDUCTILE),
                                                  .nplastic = 4, .yield = ductile_yield};
const csim_energy_kind csim_ductile_orthotropic_kind = {MEMBRANE("ductile orthotropic", NDUCTILE),
                                                        .nplastic = 4, .yield = ductile_yield};

// -------------------------------------------------------------------------------------- parameters

int csim_membrane_param(csim_membrane_law law, const double rest[6], const csim_moduli *moduli,
                        double param[12]) {
  double a[2] = {rest[2] - rest[0], rest[3] - rest[1]};
  double b[2] = {rest[4] - rest[0], rest[5] - rest[1]};
  double det = a[0] * b[1] - a[1] * b[0],
         size = a[0] * a[0] + a[1] * a[1] + b[0] * b[0] + b[1] * b[1];
  if (!(fabs(det) > 1e-9 * size)) return -1;
  // the inverse of [a b]: maps edges to the axes of the rest shape
  param[BU1] = b[1] / det;
  param[BU2] = -a[1] / det;
  param[BV1] = -b[0] / det;
  param[BV2] = a[0] / det;
  param[AREA] = 0.5 * fabs(det);
  double nu = moduli->poisson, D = 1 - nu * nu;
  param[C11] = moduli->warp / D;
  param[C22] = moduli->weft / D;
  param[C12] = nu * sqrt(moduli->warp * moduli->weft) / D;
  param[C33] = moduli->shear;
  double limit = moduli->limit;
  int limited = limit > 0;
  double green = law == CSIM_MEMBRANE_ORTHOTROPIC && !moduli->bound ? 0.5 * limit * limit : 0;
  param[LIMIT] = moduli->bound ? CSIM_BOUND_BEGIN * limit : limit + green;
  param[BOUND] = moduli->bound && limited ? limit : 0;
  param[STIFFENING] = limited ? moduli->stiffening : 0;
  return 0;
}

int csim_ductile_membrane_param(csim_membrane_law law, const double rest[6],
                                const csim_moduli *moduli, const csim_yield *yield,
                                double param[16]) {
  param[YIELD_AT] = yield->at;
  param[HARDENING] = yield->hardening;
  param[RATE] = yield->rate;
  param[NDUCTILE - 1] = 0;
  return csim_membrane_param(law, rest, moduli, param);
}
