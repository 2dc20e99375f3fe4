// model/anchors.c: soft pins, springs of zero length to a moving target. Needs model/energy.h.
//
//   E = k/2 |P (x - t)|^2,  dE/dx = k P (x - t),  d2E/dx2 = k P
//
// P is I, or n n^T for a pin that holds along one direction n only.
#include "model/energy.h"

#include "math/vec3.h"

static inline const double *target_of(const csim_energy *energy, const csim_point *at, int e) {
  return at->anchor + csim_xyz((ptrdiff_t)csim_energy_param(energy, e)[1]);
}

// [N/m] present stiffness; 0 for a pin that does not hold.
static inline double stiffness_of(const csim_energy *energy, const csim_point *at, int e) {
  const double *param = csim_energy_param(energy, e);
  return at->hold ? param[0] * at->hold[(ptrdiff_t)param[1]] : param[0];
}

// The direction, or NULL of a pin that holds in all.
static inline const double *axis_of(const csim_energy *energy, int e) {
  const double *n = csim_energy_param(energy, e) + 2;
  return csim_dot(n, n) > 0 ? n : NULL;
}

// P (x - t)
static void way_to(const csim_energy *energy, const csim_point *at, int e, double r[3]) {
  const double *n = axis_of(energy, e);
  csim_sub(at->x + csim_xyz(energy->node[e]), target_of(energy, at, e), r);
  if (!n) return;
  double along = csim_dot(n, r);
  for (int c = 0; c < 3; c++) r[c] = along * n[c];
}

static double anchor_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    double r[3];
    way_to(energy, at, e, r);
    sum += 0.5 * stiffness_of(energy, at, e) * csim_dot(r, r);
  }
  return sum;
}

static void anchor_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                            double *g) {
  for (int e = first; e < last; e++) {
    double r[3];
    way_to(energy, at, e, r);
    csim_add_scaled(stiffness_of(energy, at, e), r, g + csim_xyz(energy->node[e]));
  }
}

static void anchor_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                           int last, double *val) {
  (void)psd;
  for (int e = first; e < last; e++) {
    const double *n = axis_of(energy, e);
    double k = stiffness_of(energy, at, e), *block = val + csim_row(9, energy->slot[e]);
    if (n)
      csim_mat3_add_outer(k, n, n, block);
    else
      for (int c = 0; c < 3; c++) block[4 * c] += k;
  }
}

static void anchor_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                             double *val) {
  (void)at; // constant: a pin's stiffness is at most this at any time
  for (int e = first; e < last; e++) val[energy->slot[e]] += csim_energy_param(energy, e)[0];
}

static int anchor_constraint(const csim_energy *energy, const csim_point *at, int e,
                             csim_constraint *c) {
  *c = (csim_constraint){.dim = 3, .k = stiffness_of(energy, at, e), .grad = {{1}}};
  if (!(c->k > 0)) return 0;
  way_to(energy, at, e, c->C); // along n, so the gradient 1 moves it along n too
  return 1;
}

const csim_energy_kind csim_anchor_kind = {
    .name = "anchor",
    .role = CSIM_ROLE_PIN,
    .nnode = 1,
    .nparam = 5,
    .value = anchor_value,
    .gradient = anchor_gradient,
    .hessian = anchor_hessian,
    .constant = 1,
    .laplacian = anchor_laplacian,
    .laplacian_bounds = 1,
    .constraint = anchor_constraint,
};
