// model/volume.c: tetrahedra that keep their volume. Needs model/energy.h.
//
//   V = (x1 - x0) . ((x2 - x0) x (x3 - x0)) / 6,   E = k/2 (V - V0)^2
//   dE/dx = k (V - V0) dV/dx,   d2E/dx2 = k dV dV^T + k (V - V0) d2V
// The first term of the Hessian is positive semidefinite; the second is indefinite (d2V has zero
// diagonal blocks) and is kept only on CSIM_PSD_NONE.
#include "model/energy.h"

#include "base/dmath.h"
#include "math/vec3.h"

#include <string.h>

typedef struct tet {
  const int *node;
  double k, dV;   // [J/m^6], V - V0 [m^3]
  double g[4][3]; // dV/dx [m^2]
} tet;

static inline tet tet_at(const csim_energy *energy, const csim_point *at, int e) {
  tet t = {.node = energy->node + csim_row(4, e), .k = csim_energy_param(energy, e)[0]};
  const double *x0 = at->x + csim_xyz(t.node[0]);
  double a[3], b[3], c[3];
  csim_sub(at->x + csim_xyz(t.node[1]), x0, a);
  csim_sub(at->x + csim_xyz(t.node[2]), x0, b);
  csim_sub(at->x + csim_xyz(t.node[3]), x0, c);
  csim_cross(b, c, t.g[1]);
  csim_cross(c, a, t.g[2]);
  csim_cross(a, b, t.g[3]);
  t.dV = csim_dot(a, t.g[1]) / 6 - csim_energy_param(energy, e)[1];
  for (int i = 0; i < 3; i++) {
    for (int n = 1; n < 4; n++) t.g[n][i] /= 6;
    t.g[0][i] = -(t.g[1][i] + t.g[2][i] + t.g[3][i]);
  }
  return t;
}

static double volume_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    tet t = tet_at(energy, at, e);
    sum += 0.5 * t.k * t.dV * t.dV;
  }
  return sum;
}

static void volume_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                            double *g) {
  for (int e = first; e < last; e++) {
    tet t = tet_at(energy, at, e);
    for (int n = 0; n < 4; n++) csim_add_scaled(t.k * t.dV, t.g[n], g + csim_xyz(t.node[n]));
  }
}

// Adds s times d2V/dx_m dx_n, the cross-product matrix of the edge between the two other nodes:
// V is linear in each vertex, so d(dV/dx_m)/dx_n = sign * [x_p - x_q]_x / 6.
static void add_second_derivative(const csim_point *at, const int *node, double s, int m, int n,
                                  double *H) {
  int p = 0;
  while (p == m || p == n) p++;
  int q = 6 - m - n - p;
  // parity of the permutation (m, n, p, q) of (0, 1, 2, 3)
  int order[4] = {m, n, p, q}, odd = 0;
  for (int i = 0; i < 4; i++)
    for (int j = i + 1; j < 4; j++) odd ^= order[i] > order[j];
  double w[3];
  csim_sub(at->x + csim_xyz(node[p]), at->x + csim_xyz(node[q]), w);
  double f = (odd ? -s : s) / 6;
  H[1] += f * -w[2];
  H[2] += f * w[1];
  H[3] += f * w[2];
  H[5] += f * -w[0];
  H[6] += f * -w[1];
  H[7] += f * w[0];
}

static void volume_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                           int last, double *val) {
  for (int e = first; e < last; e++) {
    tet t = tet_at(energy, at, e);
    const int *slot = energy->slot + csim_row(16, e);
    for (int m = 0; m < 4; m++)
      for (int n = 0; n < 4; n++) {
        double *H = val + csim_row(9, slot[4 * m + n]);
        csim_mat3_add_outer(t.k, t.g[m], t.g[n], H);
        if (psd == CSIM_PSD_NONE && m != n) add_second_derivative(at, t.node, t.k * t.dV, m, n, H);
      }
  }
}

// |dV/dx_n| is a third of the opposite face's area. The rotating Hessian k dV dV^T is approximated
// by springs of k |dV/dx_n|^2 on every edge of the regular tetrahedron of this volume.
static void volume_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                             double *val) {
  (void)at;
  for (int e = first; e < last; e++) {
    const double *param = csim_energy_param(energy, e);
    double edge2 = csim_exp(2.0 / 3 * csim_ln(6 * sqrt(2.0) * param[1])); // V = edge^3 / (6 sqrt 2)
    double face = sqrt(3.0) / 4 * edge2;
    double w = param[0] * face * face / 9;
    const int *slot = energy->slot + csim_row(16, e);
    for (int m = 0; m < 4; m++)
      for (int n = 0; n < 4; n++) val[slot[4 * m + n]] += m == n ? 3 * w : -w;
  }
}

static int volume_constraint(const csim_energy *energy, const csim_point *at, int e,
                             csim_constraint *c) {
  tet t = tet_at(energy, at, e);
  *c = (csim_constraint){.dim = 1, .k = t.k, .C = {t.dV}};
  memcpy(c->grad, t.g, sizeof t.g);
  return 1;
}

const csim_energy_kind csim_volume_kind = {
    .name = "volume",
    .role = CSIM_ROLE_VOLUME,
    .nnode = 4,
    .nparam = 2,
    .value = volume_value,
    .gradient = volume_gradient,
    .hessian = volume_hessian,
    .laplacian = volume_laplacian,
    .constraint = volume_constraint,
};
