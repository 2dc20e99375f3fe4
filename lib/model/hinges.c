// model/hinges.c: bending across an interior edge: quadratic, cotangent, dihedral. Needs
// model/energy.h.
//
// A hinge (a, b, c, d): the edge ab as it runs in triangle abc, the other triangle is bad.
//
// Quadratic (Bergou, Wardetzky, Harmon, Zorin, Grinspun, A Quadratic Bending Model for Inextensible
// Surfaces, SGP 2006): with cotangents of the interior angles,
//   q = (cot b0 + cot b1, cot a0 + cot a1, -cot a0 - cot b0, -cot a1 - cot b1),
//   E = B / (2 (A0 + A1)) |sum q_i x_i|^2,   |sum q_i x_i| = |ab| theta near the flat shape.
//
// Cotangent (Bouaziz, Martin, Liu, Kavan, Pauly, Projective Dynamics, SIGGRAPH 2014): the same
// vector is kept at its rest length instead of 0.
//
// Dihedral (Bridson, Marino, Fedkiw, Simulation of Clothing with Folds and Wrinkles, SCA 2003, in
// the energy form of Grinspun et al., Discrete Shells, SCA 2003): n0 = ab x ac, n1 = ba x bd, e =
// ab,
//   theta = atan2((n0 x n1) . e/|e|, n0 . n1),   E = k/2 (theta - theta0)^2,
//   dtheta/dc = -|e| n0/|n0|^2,   dtheta/da = ((b - c).e n0/|n0|^2 + (b - d).e n1/|n1|^2) / |e|,
//   ...
#include "model/energy.h"

#include "base/dmath.h"
#include "base/simd.h"
#include "math/vec3.h"

#include <string.h>

// --------------------------------------------------------------------------------------- quadratic

static void curvature_at(const csim_energy *energy, const csim_point *at, int e, double *sum) {
  const int *node = energy->node + csim_row(4, e);
  const double *q = csim_energy_param(energy, e);
  sum[0] = sum[1] = sum[2] = 0;
  for (int n = 0; n < 4; n++) csim_add_scaled(q[n], at->x + csim_xyz(node[n]), sum);
}

CSIM_SIMD_BODY void curvature4(const csim_energy *energy, const double *x, int e, csim_v4 *sum) {
  const int *node = energy->node + csim_row(4, e);
  const double *q = csim_energy_param(energy, e);
  *sum = q[0] * CSIM_LOAD3(x + csim_xyz(node[0]));
  for (int n = 1; n < 4; n++) *sum += q[n] * CSIM_LOAD3(x + csim_xyz(node[n]));
}

CSIM_SIMD_BODY double values(const csim_energy *energy, const csim_point *at, int first, int last) {
  csim_v4 sum = {0};
  for (int e = first; e < last; e++) {
    csim_v4 c;
    curvature4(energy, at->x, e, &c);
    sum += c * c;
  }
  return 0.5 * CSIM_SUM3(sum);
}

// A hinge may have the same vertex twice.
CSIM_SIMD_BODY int gradients(const csim_energy *energy, const csim_point *at, int first, int last,
                             double *g) {
  for (int e = first; e < last; e++) {
    const double *q = csim_energy_param(energy, e);
    csim_v4 c;
    curvature4(energy, at->x, e, &c);
    for (int n = 0; n < 4; n++) {
      double *to = g + csim_xyz(energy->node[csim_row(4, e) + n]);
      csim_v4 sum = CSIM_LOAD3(to) + q[n] * c;
      CSIM_STORE3(to, sum);
    }
  }
  return 0;
}

CSIM_ENERGY_KERNELS(quadratic)

static void quadratic_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd,
                              int first, int last, double *val) {
  (void)at, (void)psd;
  for (int e = first; e < last; e++) {
    const double *q = csim_energy_param(energy, e);
    const int *slot = energy->slot + csim_row(16, e);
    for (int m = 0; m < 4; m++)
      for (int n = 0; n < 4; n++)
        for (int c = 0; c < 3; c++) val[csim_row(9, slot[4 * m + n]) + 4 * c] += q[m] * q[n];
  }
}

// Adds q q^T to an element's blocks of the matrix of projective dynamics.
static void add_products(const csim_energy *energy, int e, const double q[4], double *val) {
  const int *slot = energy->slot + csim_row(16, e);
  for (int m = 0; m < 4; m++)
    for (int n = 0; n < 4; n++) val[slot[4 * m + n]] += q[m] * q[n];
}

static void quadratic_laplacian(const csim_energy *energy, const csim_point *at, int first,
                                int last, double *val) {
  (void)at;
  for (int e = first; e < last; e++) add_products(energy, e, csim_energy_param(energy, e), val);
}

static int quadratic_constraint(const csim_energy *energy, const csim_point *at, int e,
                                csim_constraint *c) {
  *c = (csim_constraint){.dim = 3, .k = 1};
  curvature_at(energy, at, e, c->C);
  for (int n = 0; n < 4; n++) c->grad[n][0] = csim_energy_param(energy, e)[n];
  return 1;
}

const csim_energy_kind csim_quadratic_kind = {
    .name = "quadratic",
    .role = CSIM_ROLE_BEND,
    .nnode = 4,
    .nparam = 4,
    .value = quadratic_value,
    .gradient = quadratic_gradient,
    .hessian = quadratic_hessian,
    .constant = 1,
    .laplacian = quadratic_laplacian,
    .laplacian_bounds = 1,
    .constraint = quadratic_constraint,
    .hinge = csim_quadratic_param,
};

// --------------------------------------------------------------------------------------- cotangent

// A spring of rest length c0 on the vector c = sum q_i x_i.
static double cotangent_value(const csim_energy *energy, const csim_point *at, int first,
                              int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    double c[3];
    curvature_at(energy, at, e, c);
    double d = csim_norm(c) - csim_energy_param(energy, e)[4];
    sum += 0.5 * d * d;
  }
  return sum;
}

static void cotangent_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                               double *g) {
  for (int e = first; e < last; e++) {
    const double *param = csim_energy_param(energy, e);
    double c[3];
    curvature_at(energy, at, e, c);
    double l = csim_norm(c), f = l > 0 ? 1 - param[4] / l : 0;
    for (int n = 0; n < 4; n++)
      csim_add_scaled(f * param[n], c, g + csim_xyz(energy->node[csim_row(4, e) + n]));
  }
}

static void cotangent_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd,
                              int first, int last, double *val) {
  for (int e = first; e < last; e++) {
    const double *param = csim_energy_param(energy, e);
    const int *slot = energy->slot + csim_row(16, e);
    double c[3];
    curvature_at(energy, at, e, c);
    double l = csim_norm(c), across = l > 0 ? 1 - param[4] / l : 1;
    if (across < 0 && psd != CSIM_PSD_NONE) across = 0;
    double H[9] = {across, 0, 0, 0, across, 0, 0, 0, across};
    if (l > 0) csim_mat3_add_outer((1 - across) / (l * l), c, c, H);
    for (int m = 0; m < 4; m++)
      for (int n = 0; n < 4; n++)
        for (int k = 0; k < 9; k++)
          val[csim_row(9, slot[4 * m + n]) + k] += param[m] * param[n] * H[k];
  }
}

static int cotangent_constraint(const csim_energy *energy, const csim_point *at, int e,
                                csim_constraint *c) {
  const double *param = csim_energy_param(energy, e);
  double v[3];
  curvature_at(energy, at, e, v);
  double l = csim_norm(v);
  if (!(l > 0)) return 0;
  *c = (csim_constraint){.dim = 1, .k = 1, .C = {l - param[4]}};
  for (int n = 0; n < 4; n++) csim_add_scaled(param[n] / l, v, c->grad[n]);
  return 1;
}

static void cotangent_param(const double *X, const int node[4], double B, double *param) {
  double c[3] = {0};
  csim_quadratic_param(X, node, B, param);
  for (int n = 0; n < 4; n++) csim_add_scaled(param[n], X + csim_xyz(node[n]), c);
  param[4] = csim_norm(c);
}

const csim_energy_kind csim_cotangent_kind = {
    .name = "cotangent",
    .role = CSIM_ROLE_BEND,
    .nnode = 4,
    .nparam = 5,
    .value = cotangent_value,
    .gradient = cotangent_gradient,
    .hessian = cotangent_hessian,
    .laplacian = quadratic_laplacian,
    .laplacian_bounds = 1,
    .constraint = cotangent_constraint,
    .hinge = cotangent_param,
    .rest_angle = 4,
};

// Cotangents of the angles at p and q of the triangle (p, q, r), and its area.
static void cotangents(const double *p, const double *q, const double *r, double *cot_p,
                       double *cot_q, double *area) {
  double e[3], u[3], v[3], n[3];
  csim_sub(q, p, e);
  csim_sub(r, p, u);
  csim_sub(r, q, v);
  csim_cross(e, u, n);
  double twice = csim_norm(n);
  *cot_p = csim_dot(e, u) / twice;
  *cot_q = -csim_dot(e, v) / twice;
  *area = 0.5 * twice;
}

void csim_quadratic_param(const double *X, const int node[4], double B, double q[4]) {
  const double *a = X + csim_xyz(node[0]), *b = X + csim_xyz(node[1]);
  double a0, b0, A0, a1, b1, A1;
  cotangents(a, b, X + csim_xyz(node[2]), &a0, &b0, &A0);
  cotangents(a, b, X + csim_xyz(node[3]), &a1, &b1, &A1);
  double s = sqrt(B / (A0 + A1));
  q[0] = s * (b0 + b1);
  q[1] = s * (a0 + a1);
  q[2] = -s * (a0 + b0);
  q[3] = -s * (a1 + b1);
}

// ---------------------------------------------------------------------------------------- dihedral

typedef struct hinge {
  double theta;
  double g[4][3]; // dtheta/dx [1/m]
  int flat;       // a triangle has no area: no angle, no force
} hinge;

static hinge hinge_at(const double *x, const int *node) {
  const double *a = x + csim_xyz(node[0]), *b = x + csim_xyz(node[1]);
  const double *c = x + csim_xyz(node[2]), *d = x + csim_xyz(node[3]);
  hinge h = {0};
  double e[3], n0[3], n1[3], bc[3], bd[3], ca[3], da[3], n01[3];
  csim_sub(b, a, e);
  csim_triangle_normal(a, b, c, n0);
  csim_triangle_normal(b, a, d, n1);
  double l = csim_norm(e), s0 = csim_dot(n0, n0), s1 = csim_dot(n1, n1);
  if (!(l > 0 && s0 > 0 && s1 > 0)) {
    h.flat = 1;
    return h;
  }
  csim_cross(n0, n1, n01);
  h.theta = csim_atan2(csim_dot(n01, e) / l, csim_dot(n0, n1));
  csim_sub(b, c, bc);
  csim_sub(b, d, bd);
  csim_sub(c, a, ca);
  csim_sub(d, a, da);
  csim_add_scaled(csim_dot(bc, e) / (l * s0), n0, h.g[0]);
  csim_add_scaled(csim_dot(bd, e) / (l * s1), n1, h.g[0]);
  csim_add_scaled(csim_dot(ca, e) / (l * s0), n0, h.g[1]);
  csim_add_scaled(csim_dot(da, e) / (l * s1), n1, h.g[1]);
  csim_add_scaled(-l / s0, n0, h.g[2]);
  csim_add_scaled(-l / s1, n1, h.g[3]);
  return h;
}

// theta - theta0 in (-pi, pi]: a hinge bent past a full fold continues without a jump.
static double angle_from_rest(double theta, double theta0) {
  double d = theta - theta0;
  return d > CSIM_PI ? d - 2 * CSIM_PI : d <= -CSIM_PI ? d + 2 * CSIM_PI : d;
}

// Present rest angle of a hinge.
static double rest_angle(const csim_energy *energy, const csim_point *at, int e) {
  const double *plastic = csim_energy_plastic(energy, at, e);
  return csim_energy_param(energy, e)[1] + (plastic ? plastic[0] : 0);
}

static double dihedral_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    hinge h = hinge_at(at->x, energy->node + csim_row(4, e));
    double d = h.flat ? 0 : angle_from_rest(h.theta, rest_angle(energy, at, e));
    sum += 0.5 * csim_energy_param(energy, e)[0] * d * d;
  }
  return sum;
}

static void dihedral_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                              double *g) {
  for (int e = first; e < last; e++) {
    const int *node = energy->node + csim_row(4, e);
    hinge h = hinge_at(at->x, node);
    if (h.flat) continue;
    double s =
        csim_energy_param(energy, e)[0] * angle_from_rest(h.theta, rest_angle(energy, at, e));
    for (int n = 0; n < 4; n++) csim_add_scaled(s, h.g[n], g + csim_xyz(node[n]));
  }
}

static void dihedral_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd,
                             int first, int last, double *val) {
  (void)psd;
  for (int e = first; e < last; e++) {
    hinge h = hinge_at(at->x, energy->node + csim_row(4, e));
    if (h.flat) continue;
    const int *slot = energy->slot + csim_row(16, e);
    for (int m = 0; m < 4; m++)
      for (int n = 0; n < 4; n++)
        csim_mat3_add_outer(csim_energy_param(energy, e)[0], h.g[m], h.g[n],
                            val + csim_row(9, slot[4 * m + n]));
  }
}

// dtheta/dx at the rest shape is normal to the triangles, so its products approximate the quadratic
// model's q q^T / |e|^2. The weights are those of the quadratic energy of the same stiffness, in
// parameters 2..5.
static void dihedral_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                               double *val) {
  (void)at;
  for (int e = first; e < last; e++) add_products(energy, e, csim_energy_param(energy, e) + 2, val);
}

static int dihedral_constraint(const csim_energy *energy, const csim_point *at, int e,
                               csim_constraint *c) {
  const double *param = csim_energy_param(energy, e);
  hinge h = hinge_at(at->x, energy->node + csim_row(4, e));
  if (h.flat) return 0;
  double d = angle_from_rest(h.theta, rest_angle(energy, at, e));
  *c = (csim_constraint){.dim = 1, .k = param[0], .C = {d}};
  memcpy(c->grad, h.g, sizeof h.g);
  return 1;
}

static void dihedral_param(const double *X, const int node[4], double B, double *param) {
  double n0[3], n1[3];
  const double *a = X + csim_xyz(node[0]), *b = X + csim_xyz(node[1]);
  csim_triangle_normal(a, b, X + csim_xyz(node[2]), n0);
  csim_triangle_normal(b, a, X + csim_xyz(node[3]), n1);
  double l = csim_distance(a, b), area = 0.5 * (csim_norm(n0) + csim_norm(n1));
  param[0] = B * l * l / area;
  param[1] = hinge_at(X, node).theta;
  csim_quadratic_param(X, node, B, param + 2);
}

#define DIHEDRAL(of_name, numbers)                                                                 \
  .name = of_name, .role = CSIM_ROLE_BEND, .nnode = 4, .nparam = numbers, .value = dihedral_value, \
  .gradient = dihedral_gradient, .hessian = dihedral_hessian, .laplacian = dihedral_laplacian,     \
  .constraint = dihedral_constraint, .rest_angle = 1, .by_angle = 1

const csim_energy_kind csim_dihedral_kind = {DIHEDRAL("dihedral", 6), .hinge = dihedral_param};

// ----------------------------------------------------------------------------------------- creases

enum { WIDTH = 6, YIELD_AT, HARDENING, RATE, NCREASE };

// The width that a hinge's angle is spread over is the mean height of its triangles over its edge.
static void crease_param(const double *X, const int node[4], double B, double *param) {
  double n0[3], n1[3];
  const double *a = X + csim_xyz(node[0]), *b = X + csim_xyz(node[1]);
  dihedral_param(X, node, B, param);
  csim_triangle_normal(a, b, X + csim_xyz(node[2]), n0);
  csim_triangle_normal(b, a, X + csim_xyz(node[3]), n1);
  param[WIDTH] = 0.5 * (csim_norm(n0) + csim_norm(n1)) / csim_distance(a, b);
  csim_crease_yield(&(csim_yield){0}, param);
}

void csim_crease_yield(const csim_yield *yield, double *param) {
  param[YIELD_AT] = yield->at;
  param[HARDENING] = yield->hardening;
  param[RATE] = yield->rate;
}

static void crease_yield(const csim_energy *energy, const csim_point *at, int first, int last,
                         double h, double *plastic) {
  for (int e = first; e < last; e++) {
    const double *param = csim_energy_param(energy, e);
    double *own = plastic + energy->plastic + csim_row(2, e);
    hinge bent = hinge_at(at->x, energy->node + csim_row(4, e));
    if (bent.flat) continue;
    csim_yield yield = {param[YIELD_AT], param[HARDENING], param[RATE]};
    double elastic = angle_from_rest(bent.theta, param[1] + own[0]) / param[WIDTH];
    own[0] += param[WIDTH] * csim_yield_flow(&yield, elastic, h, &own[1]);
  }
}

const csim_energy_kind csim_crease_kind = {DIHEDRAL("crease", NCREASE), .hinge = crease_param,
                                           .nplastic = 2, .yield = crease_yield};
