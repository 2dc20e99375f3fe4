// model/springs.c: springs between two vertices, and the limit of their strain. Needs model/energy.h.
//
//   E = k/2 (l - L)^2,  l = |x_a - x_b|,  d = (x_a - x_b)/l
//   dE/dx_a = k (l - L) d
//   d2E/dx_a2 = k d d^T + k (1 - L/l)(I - d d^T)
// A compressed spring (l < L) makes the second term negative: it is dropped (Choi & Ko 2002), which
// is the same as clamping the block's eigenvalues at 0. At l = 0 there is no direction: no force, and
// the isotropic Hessian k I.
#include "model/energy.h"

#include "math/vec3.h"

enum { K, LENGTH, COMPRESSION, SLACK, NPARAM }; // of a spring

typedef struct spring {
  int a, b;
  double r[3];  // x_a - x_b [m]
  double l;     // |r| [m]
  double k;     // stiffness on this side of the rest length [N/m]
  double dl;    // elongation that counts [m]
} spring;

static inline spring spring_between(const csim_energy *energy, const csim_point *at, int e) {
  spring s = {.a = energy->node[2 * (ptrdiff_t)e], .b = energy->node[2 * (ptrdiff_t)e + 1]};
  csim_sub(at->x + 3 * (ptrdiff_t)s.a, at->x + 3 * (ptrdiff_t)s.b, s.r);
  s.l = csim_norm(s.r);
  return s;
}

static inline spring spring_at(const csim_energy *energy, const csim_point *at, int e) {
  const double *param = energy->param + NPARAM * (ptrdiff_t)e;
  spring s = spring_between(energy, at, e);
  double slack = param[SLACK] * param[LENGTH], dl = s.l - param[LENGTH];
  s.k = dl < 0 ? param[K] * param[COMPRESSION] : param[K];
  s.dl = dl > slack ? dl - slack : dl < -slack ? dl + slack : 0;
  return s;
}

static double spring_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    spring s = spring_at(energy, at, e);
    sum += 0.5 * s.k * s.dl * s.dl;
  }
  return sum;
}

// Adds the force f along the spring: f > 0 pulls the ends together.
static inline void add_tension(const spring *s, double f, double *g) {
  if (!(s->l > 0)) return;
  csim_add_scaled(f / s->l, s->r, g + 3 * (ptrdiff_t)s->a);
  csim_add_scaled(-f / s->l, s->r, g + 3 * (ptrdiff_t)s->b);
}

static void spring_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                            double *g) {
  for (int e = first; e < last; e++) {
    spring s = spring_at(energy, at, e);
    add_tension(&s, s.k * s.dl, g);
  }
}

// Adds [[H, -H], [-H, H]] with H = along d d^T + across (I - d d^T).
static inline void add_blocks(const csim_energy *energy, int e, const spring *s, double along,
                              double across, double *val) {
  double H[9] = {across, 0, 0, 0, across, 0, 0, 0, across};
  if (s->l > 0) csim_mat3_add_outer((along - across) / (s->l * s->l), s->r, s->r, H);
  const int *slot = energy->slot + 4 * (ptrdiff_t)e;
  for (int i = 0; i < 9; i++) {
    val[9 * (ptrdiff_t)slot[0] + i] += H[i];
    val[9 * (ptrdiff_t)slot[1] + i] -= H[i];
    val[9 * (ptrdiff_t)slot[2] + i] -= H[i];
    val[9 * (ptrdiff_t)slot[3] + i] += H[i];
  }
}

// Stiffness along and across a spring.
static inline void spring_stiffness(const csim_energy *energy, const spring *s, int e, csim_spd spd,
                                    double *along, double *across) {
  *along = s->dl != 0 || energy->param[NPARAM * (ptrdiff_t)e + SLACK] == 0 ? s->k : 0;
  *across = s->l > 0 ? s->k * s->dl / s->l : *along;
  if (*across < 0 && spd != CSIM_SPD_NONE) *across = 0;
}

static void spring_hessian(const csim_energy *energy, const csim_point *at, csim_spd spd, int first,
                           int last, double *val) {
  for (int e = first; e < last; e++) {
    spring s = spring_at(energy, at, e);
    double along, across;
    spring_stiffness(energy, &s, e, spd, &along, &across);
    add_blocks(energy, e, &s, along, across, val);
  }
}

static inline void add_stretch(const spring *s, double along, double across, double out[2]) {
  out[0] += across;
  if (s->l > 0) out[1] += (along - across) / (s->l * s->l);
}

static void spring_stretch(const csim_energy *energy, const csim_point *at, csim_spd spd, int n,
                           const int *element, double *out) {
  for (int i = 0; i < n; i++) {
    if (element[i] < 0) continue;
    spring s = spring_at(energy, at, element[i]);
    double along, across;
    spring_stiffness(energy, &s, element[i], spd, &along, &across);
    add_stretch(&s, along, across, out + 2 * (ptrdiff_t)i);
  }
}

// Liu et al. 2013: each spring gives k (x_a - x_b)^2.
static void spring_laplacian(const csim_energy *energy, int first, int last, double *val) {
  for (int e = first; e < last; e++) {
    double k = energy->param[energy->kind->nparam * (ptrdiff_t)e + K];
    const int *slot = energy->slot + 4 * (ptrdiff_t)e;
    val[slot[0]] += k;
    val[slot[1]] -= k;
    val[slot[2]] -= k;
    val[slot[3]] += k;
  }
}

static int along_spring(const spring *s, double k, double C, csim_constraint *c) {
  if (!(s->l > 0) || !(k > 0)) return 0;
  *c = (csim_constraint){.dim = 1, .k = k, .C = {C}};
  csim_add_scaled(1 / s->l, s->r, c->grad[0]);
  csim_add_scaled(-1 / s->l, s->r, c->grad[1]);
  return 1;
}

static int spring_constraint(const csim_energy *energy, const csim_point *at, int e,
                             csim_constraint *c) {
  spring s = spring_at(energy, at, e);
  return along_spring(&s, s.k, s.dl, c);
}

const csim_energy_kind csim_spring_kind = {
    .name = "spring",
    .nnode = 2,
    .nparam = NPARAM,
    .value = spring_value,
    .gradient = spring_gradient,
    .hessian = spring_hessian,
    .stretch = spring_stretch,
    .laplacian = spring_laplacian,
    .constraint = spring_constraint,
};

// ------------------------------------------------------------------------------------------ limits

static inline double excess(const csim_energy *energy, const spring *s, int e) {
  double over = s->l - energy->param[2 * (ptrdiff_t)e + LENGTH];
  return over > 0 ? over : 0;
}

static double limit_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    const double *param = energy->param + 2 * (ptrdiff_t)e;
    spring s = spring_between(energy, at, e);
    double over = excess(energy, &s, e);
    sum += param[K] / (3 * param[LENGTH]) * over * over * over;
  }
  return sum;
}

static void limit_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                           double *g) {
  for (int e = first; e < last; e++) {
    const double *param = energy->param + 2 * (ptrdiff_t)e;
    spring s = spring_between(energy, at, e);
    double over = excess(energy, &s, e);
    add_tension(&s, param[K] / param[LENGTH] * over * over, g);
  }
}

static void limit_hessian(const csim_energy *energy, const csim_point *at, csim_spd spd, int first,
                          int last, double *val) {
  (void)spd; // stretched springs are semidefinite
  for (int e = first; e < last; e++) {
    const double *param = energy->param + 2 * (ptrdiff_t)e;
    spring s = spring_between(energy, at, e);
    double over = excess(energy, &s, e), f = param[K] / param[LENGTH] * over;
    if (over > 0) add_blocks(energy, e, &s, 2 * f, f * over / s.l, val);
  }
}

static void limit_stretch(const csim_energy *energy, const csim_point *at, csim_spd spd, int n,
                          const int *element, double *out) {
  (void)spd;
  for (int i = 0; i < n; i++) {
    if (element[i] < 0) continue;
    const double *param = energy->param + 2 * (ptrdiff_t)element[i];
    spring s = spring_between(energy, at, element[i]);
    double over = excess(energy, &s, element[i]), f = param[K] / param[LENGTH] * over;
    if (over > 0) add_stretch(&s, 2 * f, f * over / s.l, out + 2 * (ptrdiff_t)i);
  }
}

static int limit_constraint(const csim_energy *energy, const csim_point *at, int e,
                            csim_constraint *c) {
  spring s = spring_between(energy, at, e);
  double over = excess(energy, &s, e);
  // the stiffness at which k/2 C^2 has the limit's force
  return along_spring(&s, energy->param[2 * (ptrdiff_t)e] * over / energy->param[2 * (ptrdiff_t)e + LENGTH], over, c);
}

const csim_energy_kind csim_limit_kind = {
    .name = "limit",
    .nnode = 2,
    .nparam = 2,
    .value = limit_value,
    .gradient = limit_gradient,
    .hessian = limit_hessian,
    .stretch = limit_stretch,
    .laplacian = spring_laplacian,
    .constraint = limit_constraint,
};
