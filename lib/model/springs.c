// model/springs.c: springs between two vertices. Needs model/energy.h.
//
//   E = k/2 (l - L)^2,  l = |x_a - x_b|,  d = (x_a - x_b)/l
//   dE/dx_a = k (l - L) d
//   d2E/dx_a2 = k d d^T + k (1 - L/l)(I - d d^T)
// A compressed spring (l < L) makes the second term negative: it is dropped (Choi & Ko 2002), which
// is the same as clamping the block's eigenvalues at 0. At l = 0 there is no direction: no force, and
// the isotropic Hessian k I.
#include "model/energy.h"

#include "math/vec3.h"

typedef struct spring {
  int a, b;
  double k, L; // [N/m], [m]
  double r[3]; // x_a - x_b [m]
  double l;    // |r| [m]
} spring;

static inline spring spring_at(const csim_energy *energy, const csim_point *at, int e) {
  spring s = {.a = energy->node[2 * (ptrdiff_t)e],
              .b = energy->node[2 * (ptrdiff_t)e + 1],
              .k = energy->param[2 * (ptrdiff_t)e],
              .L = energy->param[2 * (ptrdiff_t)e + 1]};
  csim_sub(at->x + 3 * (ptrdiff_t)s.a, at->x + 3 * (ptrdiff_t)s.b, s.r);
  s.l = csim_norm(s.r);
  return s;
}

static double spring_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    spring s = spring_at(energy, at, e);
    sum += 0.5 * s.k * (s.l - s.L) * (s.l - s.L);
  }
  return sum;
}

static void spring_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                            double *g) {
  for (int e = first; e < last; e++) {
    spring s = spring_at(energy, at, e);
    double f = s.l > 0 ? s.k * (1 - s.L / s.l) : 0;
    csim_add_scaled(f, s.r, g + 3 * (ptrdiff_t)s.a);
    csim_add_scaled(-f, s.r, g + 3 * (ptrdiff_t)s.b);
  }
}

static void spring_hessian(const csim_energy *energy, const csim_point *at, csim_spd spd, int first,
                           int last, double *val) {
  for (int e = first; e < last; e++) {
    spring s = spring_at(energy, at, e);
    double across = s.l > 0 ? s.k * (1 - s.L / s.l) : s.k;
    if (across < 0 && spd != CSIM_SPD_NONE) across = 0;
    double along = s.l > 0 ? (s.k - across) / (s.l * s.l) : 0;
    double H[9] = {across, 0, 0, 0, across, 0, 0, 0, across};
    csim_mat3_add_outer(along, s.r, s.r, H);
    const int *slot = energy->slot + 4 * (ptrdiff_t)e;
    for (int i = 0; i < 9; i++) {
      val[9 * (ptrdiff_t)slot[0] + i] += H[i];
      val[9 * (ptrdiff_t)slot[1] + i] -= H[i];
      val[9 * (ptrdiff_t)slot[2] + i] -= H[i];
      val[9 * (ptrdiff_t)slot[3] + i] += H[i];
    }
  }
}

// Liu et al. 2013: each spring gives k (x_a - x_b)^2.
static void spring_laplacian(const csim_energy *energy, int first, int last, double *val) {
  for (int e = first; e < last; e++) {
    double k = energy->param[2 * (ptrdiff_t)e];
    const int *slot = energy->slot + 4 * (ptrdiff_t)e;
    val[slot[0]] += k;
    val[slot[1]] -= k;
    val[slot[2]] -= k;
    val[slot[3]] += k;
  }
}

const csim_energy_kind csim_spring_kind = {
    .name = "spring",
    .nnode = 2,
    .nparam = 2,
    .value = spring_value,
    .gradient = spring_gradient,
    .hessian = spring_hessian,
    .laplacian = spring_laplacian,
};
