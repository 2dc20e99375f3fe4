// model/pairs.c: a constant quadratic form of all vertices, as a sum over pairs of them. Needs
// model/energy.h.
//
//   E = sum w/2 |x_a - x_b|^2
// Any form whose rows sum to zero can be written so. A weight may be negative: only the sum of all
// is semidefinite, which the creator of the elements ensures (model/curvature.c).
#include "model/energy.h"

#include "base/simd.h"

CSIM_SIMD_BODY double values(const csim_energy *energy, const csim_point *at, int first, int last) {
  csim_v4 sum = {0};
  for (int e = first; e < last; e++) {
    const int *node = energy->node + csim_row(2, e);
    csim_v4 r = CSIM_LOAD3(at->x + csim_xyz(node[0])) - CSIM_LOAD3(at->x + csim_xyz(node[1]));
    sum += csim_energy_param(energy, e)[0] * r * r;
  }
  return 0.5 * CSIM_SUM3(sum);
}

CSIM_SIMD_BODY int gradients(const csim_energy *energy, const csim_point *at, int first, int last,
                             double *g) {
  for (int e = first; e < last; e++) {
    const int *node = energy->node + csim_row(2, e);
    double *a = g + csim_xyz(node[0]), *b = g + csim_xyz(node[1]);
    csim_v4 r = CSIM_LOAD3(at->x + csim_xyz(node[0])) - CSIM_LOAD3(at->x + csim_xyz(node[1]));
    r *= csim_energy_param(energy, e)[0];
    csim_v4 ga = CSIM_LOAD3(a) + r, gb = CSIM_LOAD3(b) - r;
    CSIM_STORE3(a, ga);
    CSIM_STORE3(b, gb);
  }
  return 0;
}

CSIM_ENERGY_KERNELS(pair)

static void pair_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                         int last, double *val) {
  (void)at, (void)psd;
  for (int e = first; e < last; e++) {
    double w = csim_energy_param(energy, e)[0];
    for (int k = 0; k < 4; k++) {
      double *block = val + csim_row(9, energy->slot[csim_row(4, e) + k]);
      for (int c = 0; c < 9; c += 4) block[c] += k == 0 || k == 3 ? w : -w;
    }
  }
}

static void pair_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                           double *val) {
  (void)at;
  for (int e = first; e < last; e++) {
    double w = csim_energy_param(energy, e)[0];
    for (int k = 0; k < 4; k++) val[energy->slot[csim_row(4, e) + k]] += k == 0 || k == 3 ? w : -w;
  }
}

const csim_energy_kind csim_curvature_kind = {
    .name = "curvature",
    .role = CSIM_ROLE_CURVATURE,
    .nnode = 2,
    .nparam = 1,
    .value = pair_value,
    .gradient = pair_gradient,
    .hessian = pair_hessian,
    .constant = 1,
    .laplacian = pair_laplacian,
    .laplacian_bounds = 1,
};
