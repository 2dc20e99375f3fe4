// model/anchors.c: soft pins, springs of zero length to a moving target. Needs model/energy.h.
//
//   E = k/2 |x - t|^2,  dE/dx = k (x - t),  d2E/dx2 = k I
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

static double anchor_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    double r[3];
    csim_sub(at->x + csim_xyz(energy->node[e]), target_of(energy, at, e), r);
    sum += 0.5 * stiffness_of(energy, at, e) * csim_dot(r, r);
  }
  return sum;
}

static void anchor_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                            double *g) {
  for (int e = first; e < last; e++) {
    double r[3];
    csim_sub(at->x + csim_xyz(energy->node[e]), target_of(energy, at, e), r);
    csim_add_scaled(stiffness_of(energy, at, e), r, g + csim_xyz(energy->node[e]));
  }
}

static void anchor_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                           int last, double *val) {
  (void)psd;
  for (int e = first; e < last; e++)
    for (int c = 0; c < 3; c++)
      val[csim_row(9, energy->slot[e]) + 4 * c] += stiffness_of(energy, at, e);
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
  csim_sub(at->x + csim_xyz(energy->node[e]), target_of(energy, at, e), c->C);
  return 1;
}

const csim_energy_kind csim_anchor_kind = {
    .name = "anchor",
    .role = CSIM_ROLE_PIN,
    .nnode = 1,
    .nparam = 2,
    .value = anchor_value,
    .gradient = anchor_gradient,
    .hessian = anchor_hessian,
    .constant = 1,
    .laplacian = anchor_laplacian,
    .bounded = 1,
    .constraint = anchor_constraint,
};
