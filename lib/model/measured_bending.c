// model/measured_bending.c: bending whose stiffness was measured by curvature and angle. Needs
// model/energy.h.
//
// A table has the stiffness B [N m] at curvatures of 0, 10, 20, 30 and 40 1/m, of a sheet that is
// bent along warp, at 45 degrees and along weft (Wang, O'Brien, Ramamoorthi, Data-Driven Elastic
// Models for Cloth, SIGGRAPH 2011). The measurement is the moment B(k) k of a sheet bent to a
// cylinder. The energy is therefore the work of a straight bend:
//   E = A/2 k^T P k,   P(m) = 2 integral_0^1 t D(t sqrt(m)) dt,   m = |k11|^2 + |k22|^2 + 2
//   |k12|^2.
// k11, k22, k12 are the second derivatives along warp and weft of a quadratic surface fitted to the
// neighbours of a vertex (model/curvature.h), vectors that are linear in the positions. D is that
// of an orthotropic plate,
//   k^T D k = D1 |k11|^2 + D2 |k22|^2 + 2 D12 k11.k22 + 4 D33 |k12|^2,
// piecewise linear in the curvature, constant beyond the last. A cylinder at an angle a to warp has
//   B(a) = D1 c^4 + D2 s^4 + (2 D12 + 4 D33) c^2 s^2.
// Thus D1 and D2 are the table's B along warp and weft, and 2 D12 + 4 D33 = 4 B(45) - D1 - D2 = H.
// D33 = H/4 if H is positive, else D12 = H/2, which no smaller energy can have: then D stays
// semidefinite for B(45) >= (sqrt(D1) - sqrt(D2))^2/4.
//
// The Hessian in k is S (x) I + a w^T + w a^T with a = dm/dk / 2. S is clamped at 0. Of the other
// part the eigenvalues are a.w +- |a| |w|; only the positive one is kept.
#include "model/energy.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { NEAR = CSIM_FIT_NODES - 1, NKNOT = CSIM_BEND_KNOTS };
enum { D1, D2, D12, D33, NMODULUS };
enum { AREA, MODULI, ROW = MODULI + NMODULUS * NKNOT, NPARAM = ROW + 3 * NEAR };

static const double KNOT = 10; // [1/m] between the table's curvatures

// P of one modulus with its derivatives by m.
typedef struct mean_modulus {
  double p, first, second;
} mean_modulus;

// A vertex and the second derivatives there.
typedef struct fit {
  const int *node;
  const double *p;
  int n;       // neighbours
  double k[9]; // [1/m] k11, k22, k12, three numbers each
  double m;    // [1/m^2]
} fit;

static fit fit_at(const csim_energy *energy, const csim_point *at, int number) {
  fit s = {.node = energy->node + csim_row(CSIM_FIT_NODES, number),
           .p = csim_energy_param(energy, number)};
  const double *x0 = at->x + csim_xyz(s.node[0]);
  // places that a vertex does not fill repeat its number
  for (; s.n < NEAR && s.node[1 + s.n] != s.node[0]; s.n++) {
    double d[3];
    csim_sub(at->x + csim_xyz(s.node[1 + s.n]), x0, d);
    for (int c = 0; c < 3; c++) csim_add_scaled(s.p[ROW + 3 * s.n + c], d, s.k + 3 * c);
  }
  s.m = csim_dot(s.k, s.k) + csim_dot(s.k + 3, s.k + 3) + 2 * csim_dot(s.k + 6, s.k + 6);
  return s;
}

// P = 2/s^2 M with M = integral_0^s u D(u) du, s = sqrt(m); its derivatives follow from
// dP/dm = (D - P)/m and d2P/dm2 = (D'/(2 s) - 2 dP/dm)/m.
static mean_modulus mean_of(const double D[NKNOT], double m) {
  double s = sqrt(m), M = 0;
  int last = 0;
  for (; last < NKNOT - 1 && s > KNOT * (last + 1); last++) {
    double u = KNOT * last, v = u + KNOT;
    M += KNOT / 6 * (D[last] * (2 * u + v) + D[last + 1] * (u + 2 * v));
  }
  double slope = last < NKNOT - 1 ? (D[last + 1] - D[last]) / KNOT : 0, from = KNOT * last;
  // no derivatives at m = 0, where the products they are part of vanish
  if (last == 0 && !(s > 1e-9 * KNOT)) return (mean_modulus){.p = D[0]};
  if (last == 0)
    return (mean_modulus){D[0] + slope * s / 1.5, slope / (3 * s), -slope / (6 * s * m)};
  double here = D[last] + slope * (s - from);
  M += (s - from) / 6 * (D[last] * (2 * from + s) + here * (from + 2 * s));
  mean_modulus P = {.p = 2 * M / m};
  P.first = (here - P.p) / m;
  P.second = (0.5 * slope / s - 2 * P.first) / m;
  return P;
}

static void means_at(const fit *s, mean_modulus P[NMODULUS]) {
  for (int j = 0; j < NMODULUS; j++) P[j] = mean_of(s->p + MODULI + NKNOT * j, s->m);
}

// What each modulus multiplies in k^T D k.
static void squares_of(const fit *s, double q[NMODULUS]) {
  q[D1] = csim_dot(s->k, s->k);
  q[D2] = csim_dot(s->k + 3, s->k + 3);
  q[D12] = 2 * csim_dot(s->k, s->k + 3);
  q[D33] = 4 * csim_dot(s->k + 6, s->k + 6);
}

static double energy_of(const fit *s) {
  mean_modulus P[NMODULUS];
  double q[NMODULUS], sum = 0;
  means_at(s, P);
  squares_of(s, q);
  for (int j = 0; j < NMODULUS; j++) sum += P[j].p * q[j];
  return 0.5 * s->p[AREA] * sum;
}

// S (3 x 3) of one set of moduli.
static void matrix_of(double p1, double p2, double p12, double p33, double S[9]) {
  memcpy(S, (double[9]){p1, p12, 0, p12, p2, 0, 0, 0, 4 * p33}, 9 * sizeof *S);
}

static void times(const double S[9], const double k[9], double out[9]) {
  memset(out, 0, 9 * sizeof *out);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) csim_add_scaled(S[3 * i + j], k + 3 * j, out + 3 * i);
}

// The parts of the Hessian by k. The gradient is S k.
typedef struct slopes {
  double S[9], a[9], w[9];
} slopes;

static slopes slopes_at(const fit *s) {
  mean_modulus P[NMODULUS];
  slopes t;
  double q[NMODULUS], rise = 0, bend = 0, first[9];
  means_at(s, P);
  squares_of(s, q);
  for (int j = 0; j < NMODULUS; j++) {
    rise += P[j].first * q[j];
    bend += P[j].second * q[j];
  }
  matrix_of(P[D1].p + rise, P[D2].p + rise, P[D12].p, P[D33].p + 0.5 * rise, t.S);
  matrix_of(1, 1, 0, 0.5, first);
  times(first, s->k, t.a);
  matrix_of(P[D1].first, P[D2].first, P[D12].first, P[D33].first, first);
  times(first, s->k, t.w);
  for (int i = 0; i < 9; i++) t.w[i] = 2 * t.w[i] + bend * t.a[i];
  return t;
}

static double fit_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int e = first; e < last; e++) {
    fit s = fit_at(energy, at, e);
    sum += energy_of(&s);
  }
  return sum;
}

static void fit_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                         double *g) {
  for (int e = first; e < last; e++) {
    fit s = fit_at(energy, at, e);
    slopes t = slopes_at(&s);
    double by_k[9];
    times(t.S, s.k, by_k);
    for (int n = 0; n < s.n; n++)
      for (int c = 0; c < 3; c++) {
        double f = s.p[AREA] * s.p[ROW + 3 * n + c];
        csim_add_scaled(f, by_k + 3 * c, g + csim_xyz(s.node[1 + n]));
        csim_add_scaled(-f, by_k + 3 * c, g + csim_xyz(s.node[0]));
      }
  }
}

// Replaces a w^T + w a^T by its positive part, z z^T with z in w.
static void project(slopes *t) {
  double l = 0, r = 0;
  csim_mat3_clamp(t->S);
  for (int i = 0; i < 9; i++) {
    l += t->a[i] * t->a[i];
    r += t->w[i] * t->w[i];
  }
  l = sqrt(l);
  r = sqrt(r);
  double scale = l > 0 && r > 0 ? sqrt(0.5 * l * r) : 0;
  for (int i = 0; i < 9; i++) t->w[i] = scale > 0 ? scale * (t->a[i] / l + t->w[i] / r) : 0;
}

// Coefficients (1 + n rows of 3) of the vertex and its neighbours in k.
static void coefficients(const fit *s, double row[CSIM_FIT_NODES][3]) {
  memset(row, 0, sizeof *row);
  for (int n = 0; n < s->n; n++)
    for (int c = 0; c < 3; c++) {
      row[1 + n][c] = s->p[ROW + 3 * n + c];
      row[0][c] -= row[1 + n][c];
    }
}

static void fit_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd, int first,
                        int last, double *val) {
  for (int e = first; e < last; e++) {
    fit s = fit_at(energy, at, e);
    slopes t = slopes_at(&s);
    const int *slot = energy->slot + csim_row(CSIM_FIT_NODES * CSIM_FIT_NODES, e);
    double row[CSIM_FIT_NODES][3], a[CSIM_FIT_NODES][3] = {{0}}, w[CSIM_FIT_NODES][3] = {{0}};
    coefficients(&s, row);
    if (psd != CSIM_PSD_NONE) project(&t);
    for (int n = 0; n <= s.n; n++)
      for (int c = 0; c < 3; c++) {
        csim_add_scaled(row[n][c], t.a + 3 * c, a[n]);
        csim_add_scaled(row[n][c], t.w + 3 * c, w[n]);
      }
    for (int m = 0; m <= s.n; m++)
      for (int n = 0; n <= s.n; n++) {
        double *block = val + csim_row(9, slot[CSIM_FIT_NODES * m + n]), half[3];
        csim_mat3_mul(t.S, row[n], half);
        double same = s.p[AREA] * csim_dot(row[m], half);
        for (int c = 0; c < 9; c += 4) block[c] += same;
        if (psd != CSIM_PSD_NONE) {
          csim_mat3_add_outer(s.p[AREA], w[m], w[n], block);
        } else {
          csim_mat3_add_outer(s.p[AREA], a[m], w[n], block);
          csim_mat3_add_outer(s.p[AREA], w[m], a[n], block);
        }
      }
  }
}

// Of the largest moduli in the table.
static void fit_laplacian(const csim_energy *energy, const csim_point *at, int first, int last,
                          double *val) {
  (void)at;
  for (int e = first; e < last; e++) {
    const int *node = energy->node + csim_row(CSIM_FIT_NODES, e);
    const int *slot = energy->slot + csim_row(CSIM_FIT_NODES * CSIM_FIT_NODES, e);
    fit s = {.p = csim_energy_param(energy, e)};
    double most[NMODULUS] = {0}, row[CSIM_FIT_NODES][3];
    for (int j = 0; j < NMODULUS; j++)
      for (int k = 0; k < NKNOT; k++)
        most[j] = csim_max(most[j], fabs(s.p[MODULI + NKNOT * j + k]));
    const double weight[3] = {most[D1] + most[D12], most[D2] + most[D12], 4 * most[D33]};
    while (s.n < NEAR && node[1 + s.n] != node[0]) s.n++;
    coefficients(&s, row);
    for (int m = 0; m <= s.n; m++)
      for (int n = 0; n <= s.n; n++)
        for (int c = 0; c < 3; c++)
          val[slot[CSIM_FIT_NODES * m + n]] += s.p[AREA] * weight[c] * row[m][c] * row[n][c];
  }
}

// No constraint: methods that project refuse bending by curvature.
const csim_energy_kind csim_measured_bending_kind = {
    .name = "measured-bending",
    .role = CSIM_ROLE_CURVATURE,
    .nnode = CSIM_FIT_NODES,
    .nparam = NPARAM,
    .value = fit_value,
    .gradient = fit_gradient,
    .hessian = fit_hessian,
    .laplacian = fit_laplacian,
};

void csim_measured_bending_param(double area, const double *table, int n, double row[][3],
                                 double *param) {
  _Static_assert((int)NPARAM == (int)CSIM_MAX_PARAM, "energy.h counts these");
  memset(param, 0, NPARAM * sizeof *param);
  param[AREA] = area;
  for (int k = 0; k < NKNOT; k++) {
    double B1 = table[k], B45 = table[NKNOT + k], B2 = table[2 * NKNOT + k];
    double H = csim_max(4 * B45 - B1 - B2, -2 * sqrt(B1 * B2)), *D = param + MODULI + k;
    D[NKNOT * D1] = B1;
    D[NKNOT * D2] = B2;
    D[NKNOT * D12] = 0.5 * csim_min(H, 0);
    D[NKNOT * D33] = 0.25 * csim_max(H, 0);
  }
  for (int i = 0; i < n; i++) memcpy(param + ROW + 3 * i, row[i], sizeof *row);
}
