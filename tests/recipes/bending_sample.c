// model/bending_sample.c: the sample of tests/recipes: the quadratic energy of hinges,
// E = 1/2 |sum_i q_i x_i|^2, once more. Needs model/energy.h.
#include "model/energy.h"

#include "math/vec3.h"

static void sum_at(const csim_energy *energy, const double *x, int e, double *sum) {
  const double *q = csim_energy_param(energy, e);
  sum[0] = sum[1] = sum[2] = 0;
  for (int n = 0; n < 4; n++)
    csim_add_scaled(q[n], x + csim_xyz(energy->node[csim_row(4, e) + n]), sum);
}

static double value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double total = 0, sum[3];
  for (int e = first; e < last; e++) {
    sum_at(energy, at->x, e, sum);
    total += 0.5 * csim_dot(sum, sum);
  }
  return total;
}

static void gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                     double *g) {
  double sum[3];
  for (int e = first; e < last; e++) {
    sum_at(energy, at->x, e, sum);
    for (int n = 0; n < 4; n++)
      csim_add_scaled(csim_energy_param(energy, e)[n], sum,
                      g + csim_xyz(energy->node[csim_row(4, e) + n]));
  }
}

static void laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                      double *val) {
  (void)at;
  for (int e = first; e < last; e++) {
    const double *q = csim_energy_param(energy, e);
    for (int k = 0; k < 16; k++) val[energy->slot[csim_row(16, e) + k]] += q[k / 4] * q[k % 4];
  }
}

static void hessian(const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                    int last, double *val) {
  (void)at, (void)psd;
  for (int e = first; e < last; e++) {
    const double *q = csim_energy_param(energy, e);
    for (int k = 0; k < 16; k++)
      for (int c = 0; c < 3; c++)
        val[csim_row(9, energy->slot[csim_row(16, e) + k]) + 4 * c] += q[k / 4] * q[k % 4];
  }
}

static int constraint(const csim_energy *energy, const csim_point *at, int e, csim_constraint *c) {
  *c = (csim_constraint){.dim = 3, .k = 1};
  sum_at(energy, at->x, e, c->C);
  for (int n = 0; n < 4; n++) c->grad[n][0] = csim_energy_param(energy, e)[n];
  return 1;
}

const csim_energy_kind csim_sample_kind = {
    .name = "sample",
    .role = CSIM_ROLE_BEND,
    .nnode = 4,
    .nparam = 4,
    .value = value,
    .gradient = gradient,
    .hessian = hessian,
    .constant = 1,
    .laplacian = laplacian,
    .laplacian_bounds = 1,
    .constraint = constraint,
    .hinge = csim_quadratic_param,
};
