// model/measured.c: a membrane whose stiffness was measured by strain and angle. Needs
// model/energy.h.
//
// A table has c11, c12, c22, c33 at low strain, and at high strain with the largest stretch at 0,
// 22.5, 45, 67.5 and 90 degrees to warp (Wang, O'Brien, Ramamoorthi, Data-Driven Elastic Models for
// Cloth, SIGGRAPH 2011). The measurement is the tension C(e) e of a sheet pulled in one direction.
// The energy is therefore the work of a straight pull:
//   E = A/2 e^T C' e,   C' = 2 integral_0^1 t C(t e) dt.
// Its forces have a potential; those of the table alone would not. e is that of St. Venant and
// Kirchhoff, e0 = (|f_u|^2 - 1)/2, e1 = (|f_v|^2 - 1)/2, e2 = f_u . f_v, see membrane.c. With g and
// g' the larger and the smaller principal strain and a the angle of the larger one,
//   C = low + w(g/H) (mean + b (at(a) - mean) - low)
// w is g/H up to 1, where H is the strain of a stretch of 7/6. Below 0.05 it is 2 u^2/0.05 -
// u^3/0.05^2 of u = g/H: forces have no jump where a sheet that is compressed sideways begins to be
// pulled.
// at(a) interpolates between rows in cos 2a. b is 1 where the sheet is pulled in one direction, g'
// <= 0. It falls to 0 where the sheet is pulled equally in all directions and the angle is
// undefined; the mean of the rows is used there. All C are convex combinations of the table's.
//
// Derivatives with respect to e are by forward differentiation to second order (jets). Negative
// eigenvalues of their matrix are clamped. Geometry as in membrane.c.
#include "model/energy.h"

#include "math/vec3.h"
#include "model/principal.h"

#include <math.h>
#include <string.h>

enum { BU1, BU2, BV1, BV2, AREA, LOW, HIGH = LOW + 4, NPARAM = LOW + CSIM_MEASURED };
enum { NROW = 5 };

static const double HIGH_STRAIN = 13.0 / 72; // (7/6)^2 = 1 + 2 of it
static const double CORNER = 0.05;           // where w begins to be linear, in units of that

// A function of e with its first and second derivatives: 00, 01, 02, 11, 12, 22.
typedef struct jet {
  double v, g[3], h[6];
} jet;

static const int ROW[6] = {0, 0, 0, 1, 1, 2}, COLUMN[6] = {0, 1, 2, 1, 2, 2};

static inline jet product(const jet *a, const jet *b) {
  jet c = {.v = a->v * b->v};
  for (int i = 0; i < 3; i++) c.g[i] = a->v * b->g[i] + b->v * a->g[i];
  for (int k = 0; k < 6; k++) {
    int i = ROW[k], j = COLUMN[k];
    c.h[k] = a->v * b->h[k] + b->v * a->h[k] + (a->g[i] * b->g[j] + a->g[j] * b->g[i]);
  }
  return c;
}

// a += s b
static inline void add(const jet *b, jet *a) {
  a->v += b->v;
  for (int i = 0; i < 3; i++) a->g[i] += b->g[i];
  for (int k = 0; k < 6; k++) a->h[k] += b->h[k];
}

// f(a), of which f, f' and f'' are given.
static inline jet chain(const double f[3], const jet *a) {
  jet c = {.v = f[0]};
  for (int i = 0; i < 3; i++) c.g[i] = f[1] * a->g[i];
  for (int k = 0; k < 6; k++) c.h[k] = f[1] * a->h[k] + f[2] * a->g[ROW[k]] * a->g[COLUMN[k]];
  return c;
}

// e^T C e of c11, c12, c22, c33.
static inline jet quadratic(const double c[4], const double e[3]) {
  jet q = {.h = {2 * c[0], 2 * c[1], 0, 2 * c[2], 0, 2 * c[3]}};
  q.g[0] = 2 * (c[0] * e[0] + c[1] * e[1]);
  q.g[1] = 2 * (c[1] * e[0] + c[2] * e[1]);
  q.g[2] = 2 * c[3] * e[2];
  q.v = 0.5 * (q.g[0] * e[0] + q.g[1] * e[1] + q.g[2] * e[2]);
  return q;
}

// 2 integral_0^1 t w(t u) dt, and its derivatives.
static void mean_weight(double u, double f[3]) {
  const double d = CORNER, k = d * d * d / 15;
  if (u < d) {
    f[0] = u * u / d * (1 - 0.4 * u / d);
    f[1] = 2 * u / d * (1 - 0.6 * u / d);
    f[2] = 2 / d * (1 - 1.2 * u / d);
    return;
  }
  double over = csim_min(u, 1), o = over * over, m = 2 * over / 3 - k / o;
  if (u < 1) {
    f[0] = m;
    f[1] = 2.0 / 3 + 2 * k / (over * o);
    f[2] = -6 * k / (o * o);
    return;
  }
  double rest = o * (1 - m), u2 = u * u; // 1 - rest/u^2 from there on
  f[0] = 1 - rest / u2;
  f[1] = 2 * rest / (u2 * u);
  f[2] = -6 * rest / (u2 * u2);
}

// 3 t^2 - 2 t^3 of t in [0, 1].
static void smooth_step(double t, double f[3]) {
  f[0] = t * t * (3 - 2 * t);
  f[1] = 6 * t * (1 - t);
  f[2] = 6 - 12 * t;
}

// The dependence of high strain on its angle: b (at(a) - mean). half is (e0 - e1)/2, R the radius
// of Mohr's circle.
static jet by_angle(const double *p, const double e[3], const jet *half, const jet *R,
                    const jet *g) {
  const double x_of[NROW] = {1, 0.70710678118654752, 0, -0.70710678118654752, -1};
  double f[3], from[4], step[4], r = 2 * R->v / g->v;
  jet inverse = chain((double[]){1 / R->v, -1 / (R->v * R->v), 2 / (R->v * R->v * R->v)}, R);
  jet x = product(half, &inverse), share, none = {0}; // cos 2a
  int row = 0;
  while (row < NROW - 2 && x.v < x_of[row + 1]) row++;
  const double width = x_of[row] - x_of[row + 1];
  double t = csim_max(0, csim_min(1, (x_of[row] - x.v) / width));
  smooth_step(t, f);
  f[1] /= -width;
  f[2] /= width * width;
  share = chain(f, &x);
  for (int k = 0; k < 4; k++) {
    double mean = 0;
    for (int i = 0; i < NROW; i++) mean += p[HIGH + 4 * i + k] / NROW;
    from[k] = p[HIGH + 4 * row + k] - mean;
    step[k] = p[HIGH + 4 * (row + 1) + k] - p[HIGH + 4 * row + k];
  }
  jet sum = quadratic(from, e), change = quadratic(step, e);
  change = product(&change, &share);
  add(&change, &sum);
  if (r >= 1) return sum;
  if (r < 1e-4) return none; // it would be 1e-15 of the result
  jet over = chain((double[]){2 / g->v, -2 / (g->v * g->v), 4 / (g->v * g->v * g->v)}, g);
  jet ratio = product(R, &over);
  ratio = product(&ratio,
                  &ratio); // to the fourth power near 0: second derivatives are continuous there
  smooth_step(ratio.v, f);
  share = chain(f, &ratio);
  return product(&sum, &share);
}

// Energy of an area, twice.
static jet twice_energy(const double *p, const double e[3]) {
  double f[3], more[4], square = 0.25 * (e[0] - e[1]) * (e[0] - e[1]) + 0.25 * e[2] * e[2];
  jet sum = quadratic(p + LOW, e), half = {.v = 0.5 * (e[0] - e[1]), .g = {0.5, -0.5, 0}};
  jet R2 = {.v = square, .g = {half.v, -half.v, 0.5 * e[2]}, .h = {0.5, -0.5, 0, 0.5, 0, 0.5}};
  double r = sqrt(square), g = 0.5 * (e[0] + e[1]) + r;
  if (!(g > 1e-10)) return sum; // the rest is of third order
  jet mean = {.v = 0.5 * (e[0] + e[1]), .g = {0.5, 0.5, 0}}, R = {0}, turned = {0};
  int directed = r > 1e-5 * g;
  if (directed) R = chain((double[]){r, 0.5 / r, -0.25 / (r * square)}, &R2);
  add(&R, &mean); // g
  for (int k = 0; k < 4; k++) {
    more[k] = -p[LOW + k];
    for (int i = 0; i < NROW; i++) more[k] += p[HIGH + 4 * i + k] / NROW;
  }
  jet high = quadratic(more, e), weight;
  if (directed) turned = by_angle(p, e, &half, &R, &mean);
  add(&turned, &high);
  mean_weight(g / HIGH_STRAIN, f);
  f[1] /= HIGH_STRAIN;
  f[2] /= HIGH_STRAIN * HIGH_STRAIN;
  weight = chain(f, &mean);
  high = product(&high, &weight);
  add(&high, &sum);
  return sum;
}

// ------------------------------------------------------------------------------------- triangles

typedef struct triangle {
  const int *node;
  const double *p;
  double fu[3], fv[3], e[3];
  double psi, t[3], c[6]; // [N/m] energy of an area, its derivatives by e
} triangle;

static void find_strains(const triangle *s, const double *x, double fu[3], double fv[3],
                         double e[3]) {
  const double *x0 = x + csim_xyz(s->node[0]);
  for (int c = 0; c < 3; c++) {
    double a = x[csim_xyz(s->node[1]) + c] - x0[c], b = x[csim_xyz(s->node[2]) + c] - x0[c];
    fu[c] = s->p[BU1] * a + s->p[BU2] * b;
    fv[c] = s->p[BV1] * a + s->p[BV2] * b;
  }
  e[0] = 0.5 * (csim_dot(fu, fu) - 1);
  e[1] = 0.5 * (csim_dot(fv, fv) - 1);
  e[2] = csim_dot(fu, fv);
}

// Adds damping of the strain rate, by the stiffness at low strain.
static void add_damping(const csim_point *at, triangle *s) {
  double fu[3], fv[3], from[3], d[3];
  double f = at->damping[at->body_of[s->node[0]]] / at->h;
  find_strains(s, at->from, fu, fv, from);
  csim_sub(s->e, from, d);
  jet q = quadratic(s->p + LOW, d);
  s->psi += 0.5 * f * q.v;
  for (int i = 0; i < 3; i++) s->t[i] += 0.5 * f * q.g[i];
  for (int k = 0; k < 6; k++) s->c[k] += 0.5 * f * q.h[k];
}

static triangle triangle_at(const csim_energy *energy, const csim_point *at, int number) {
  triangle s = {.node = energy->node + csim_xyz(number), .p = csim_energy_param(energy, number)};
  find_strains(&s, at->x, s.fu, s.fv, s.e);
  jet twice = twice_energy(s.p, s.e);
  s.psi = 0.5 * twice.v;
  for (int i = 0; i < 3; i++) s.t[i] = 0.5 * twice.g[i];
  for (int k = 0; k < 6; k++) s.c[k] = 0.5 * twice.h[k];
  if (at->damping) add_damping(at, &s);
  return s;
}

// dE/dx of the second and third vertex; that of the first is minus their sum.
static void forces(const triangle *s, double g[2][3]) {
  for (int c = 0; c < 3; c++) {
    double u = s->p[AREA] * (s->t[0] * s->fu[c] + s->t[2] * s->fv[c]);
    double v = s->p[AREA] * (s->t[1] * s->fv[c] + s->t[2] * s->fu[c]);
    g[0][c] = s->p[BU1] * u + s->p[BV1] * v;
    g[1][c] = s->p[BU2] * u + s->p[BV2] * v;
  }
}

static double measured_value(const csim_energy *energy, const csim_point *at, int first, int last) {
  double sum = 0;
  for (int n = first; n < last; n++) {
    triangle s = triangle_at(energy, at, n);
    sum += s.p[AREA] * s.psi;
  }
  return sum;
}

static void measured_gradient(const csim_energy *energy, const csim_point *at, int first, int last,
                              double *g) {
  for (int n = first; n < last; n++) {
    triangle s = triangle_at(energy, at, n);
    double force[2][3];
    forces(&s, force);
    for (int k = 0; k < 2; k++) {
      csim_add_scaled(1, force[k], g + csim_xyz(s.node[1 + k]));
      csim_add_scaled(-1, force[k], g + csim_xyz(s.node[0]));
    }
  }
}

// Clamps negative eigenvalues of [[t0, t2], [t2, t1]] at 0.
static void project_tension(double t[3]) {
  double half = 0.5 * (t[0] - t[1]), mean = 0.5 * (t[0] + t[1]);
  double r = sqrt(half * half + t[2] * t[2]);
  double high = csim_max(0, mean + r), low = csim_max(0, mean - r);
  double scale = r > 0 ? 0.5 * (high - low) / r : 0;
  t[0] = 0.5 * (high + low) + scale * half;
  t[1] = 0.5 * (high + low) - scale * half;
  t[2] *= scale;
}

// Blocks of a triangle's Hessian, A (J^T C J + stress times the second derivative of strain): C is
// the derivative of stress by strain, J[k][n][c] that of strain k (warp, weft, shear) by coordinate
// c of vertex n.
static void hessian_of(const triangle *s, csim_psd psd, double H[3][3][9]) {
  const double *p = s->p;
  double bu[3] = {-p[BU1] - p[BU2], p[BU1], p[BU2]}, bv[3] = {-p[BV1] - p[BV2], p[BV1], p[BV2]};
  double C[9], t[3] = {s->t[0], s->t[1], s->t[2]}, J[3][3][3];
  for (int k = 0; k < 6; k++) C[3 * ROW[k] + COLUMN[k]] = C[3 * COLUMN[k] + ROW[k]] = s->c[k];
  if (psd != CSIM_PSD_NONE) {
    csim_mat3_clamp(C);
    project_tension(t);
  }
  for (int n = 0; n < 3; n++)
    for (int c = 0; c < 3; c++) {
      J[0][n][c] = bu[n] * s->fu[c];
      J[1][n][c] = bv[n] * s->fv[c];
      J[2][n][c] = bu[n] * s->fv[c] + bv[n] * s->fu[c];
    }
  memset(H, 0, 9 * sizeof **H);
  for (int m = 0; m < 3; m++)
    for (int n = 0; n < 3; n++) {
      for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
          csim_mat3_add_outer(p[AREA] * C[3 * i + j], J[i][m], J[j][n], H[m][n]);
      double same =
          t[0] * bu[m] * bu[n] + t[1] * bv[m] * bv[n] + t[2] * (bu[m] * bv[n] + bv[m] * bu[n]);
      for (int c = 0; c < 9; c += 4) H[m][n][c] += p[AREA] * same;
    }
}

static void measured_hessian(const csim_energy *energy, const csim_point *at, csim_psd psd,
                             int first, int last, double *val) {
  for (int number = first; number < last; number++) {
    triangle s = triangle_at(energy, at, number);
    const int *slot = energy->slot + csim_row(9, number);
    double H[3][3][9];
    hessian_of(&s, psd, H);
    for (int k = 0; k < 9; k++)
      for (int c = 0; c < 9; c++) val[csim_row(9, slot[k]) + c] += H[k / 3][k % 3][c];
  }
}

static void measured_couple(const csim_energy *energy, const csim_point *at, csim_psd psd,
                            int first, int last, const int *entry, float *near) {
  static const int pair[6][2] = {{0, 1}, {1, 0}, {1, 2}, {2, 1}, {2, 0}, {0, 2}};
  for (int number = first; number < last; number++) {
    triangle s = triangle_at(energy, at, number);
    double H[3][3][9];
    hessian_of(&s, psd, H);
    for (int k = 0; k < 6; k++) {
      int to = entry[csim_row(6, number) + k];
      const double *block = H[pair[k][0]][pair[k][1]];
      for (int c = 0; c < 9 && to >= 0; c++)
        near[csim_row(9, to) + c] -= (float)block[3 * (c % 3) + c / 3];
    }
  }
}

// The largest in the table, by row sums.
static void measured_stiffest(const double *p, double k[2]) {
  k[0] = k[1] = 0;
  for (const double *c = p + LOW; c < p + NPARAM; c += 4) {
    k[0] = csim_max(k[0], csim_max(c[0] + c[1], 2 * c[3]));
    k[1] = csim_max(k[1], csim_max(c[2] + c[1], 2 * c[3]));
  }
}

// The whole energy as one constraint, as membrane.c has it.
static int measured_constraint(const csim_energy *energy, const csim_point *at, int e,
                               csim_constraint *c) {
  triangle s = triangle_at(energy, at, e);
  double g[2][3], area = s.p[AREA], C = sqrt(csim_max(0, 2 * s.psi));
  if (!(C > 0)) return 0;
  forces(&s, g);
  *c = (csim_constraint){.dim = 1, .k = area, .C = {C}};
  for (int i = 0; i < 3; i++) {
    c->grad[1][i] = g[0][i] / (area * C);
    c->grad[2][i] = g[1][i] / (area * C);
    c->grad[0][i] = -c->grad[1][i] - c->grad[2][i];
  }
  return 1;
}

static double measured_strain(const csim_energy *energy, const csim_point *at, int e) {
  triangle s = {.node = energy->node + csim_xyz(e), .p = csim_energy_param(energy, e)};
  find_strains(&s, at->x, s.fu, s.fv, s.e);
  return csim_principal_stretch(s.fu, s.fv) - 1;
}

const csim_energy_kind csim_measured_kind = {
    .name = "measured",
    .role = CSIM_ROLE_MEMBRANE,
    .nnode = 3,
    .nparam = NPARAM,
    .value = measured_value,
    .gradient = measured_gradient,
    .hessian = measured_hessian,
    .couple = measured_couple,
    .stiffest = measured_stiffest,
    .laplacian = csim_membrane_laplacian,
    .elastic = csim_membrane_elastic,
    .constraint = measured_constraint,
    .strain = measured_strain,
};

int csim_measured_param(const double rest[6], const double *table, double *param) {
  double plain[CSIM_MAX_PARAM];
  const csim_moduli none = {0};
  if (csim_membrane_param(CSIM_MEMBRANE_ORTHOTROPIC, rest, &none, plain)) return -1;
  memcpy(param, plain, LOW * sizeof *param); // both begin with f_u, f_v and the area
  memcpy(param + LOW, table, CSIM_MEASURED * sizeof *param);
  return 0;
}
