// test_measured_bending: bending by a table of curvature and angle. Derivatives, rigid motions,
// definiteness; the moments of the table along warp, weft and between; the same as bending by
// curvature where the table is constant.
#include "check.h"
#include "kit.h"

#include "base/arena.h"
#include "math/bsr.h"
#include "math/vec3.h"
#include "model/curvature.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N = 5, NV = N * N, NT = 2 * (N - 1) * (N - 1), DOF = 3 * NV };

// A made-up cloth: stiff along warp, softer at large curvature, nearly limp on the bias, where the
// row of 45 degrees needs D12 < 0; one number is 0.
static const double TABLE[15] = {9e-5, 7e-5, 8e-5, 3e-5, 2e-5, 1.1e-5, 1.2e-5, 4e-5,
                                 5e-5, 5e-6, 2e-5, 1e-5, 0,    4e-5,   6e-5};
static const double PLAIN[15] = {4e-5, 4e-5, 4e-5, 4e-5, 4e-5, 4e-5, 4e-5, 4e-5,
                                 4e-5, 4e-5, 4e-5, 4e-5, 4e-5, 4e-5, 4e-5};
static const double AXES[9] = {1, 0, 0, 0, 0, 1, 0, 1, 0};

typedef struct sheet {
  csim_arena arena;
  csim_energy energy;
  csim_pattern pattern;
  double X[DOF], *val;
  double area; // [m^2] of the vertices that bend
} sheet;

// A sheet of 10 cm askew in its cells, with elements at its inner vertices, or all.
static void sheet_create(const csim_energy_kind *kind, const double *table, int all, sheet *s) {
  int tri[3 * NT], t = 0;
  double flat[6 * NT], factor[NV];
  unsigned seed = 3;
  csim_topology topology;
  csim_elements made = {.kind = kind};
  *s = (sheet){0};
  for (int v = 0; v < NV; v++) {
    int i = v % N, j = v / N, inner = i > 0 && j > 0 && i < N - 1 && j < N - 1;
    factor[v] = all || inner;
    s->X[3 * v] = 0.025 * (i + (inner ? 0.4 * kit_random(&seed) : 0));
    s->X[3 * v + 2] = 0.025 * (j + (inner ? 0.4 * kit_random(&seed) : 0));
  }
  for (int j = 0; j < N - 1; j++)
    for (int i = 0; i < N - 1; i++) {
      int a = j * N + i, b = a + 1, c = a + N, d = c + 1;
      memcpy(tri + 3 * t++, (int[]){a, c, b}, sizeof(int[3]));
      memcpy(tri + 3 * t++, (int[]){b, c, d}, sizeof(int[3]));
    }
  CHECK(csim_topology_build(NV, NT, tri, &topology) == CSIM_OK);
  csim_fabric_lay(NT, tri, s->X, AXES, flat);
  csim_part part = {.vert0 = 0};
  if (kind == &csim_measured_bending_kind)
    CHECK(csim_curvature_measured(&topology, tri, flat, &part, table, factor, &made) == 0);
  else
    CHECK(csim_curvature_pairs(&topology, tri, flat, &part, &(csim_bend){4e-5, 4e-5}, factor,
                               &made) == 0);
  CHECK(csim_energy_create(&s->arena, kind, NV, made.nelem, made.node, made.param, &s->energy) ==
        0);
  csim_pattern_build(&s->arena, NV, 1, &(csim_element_set){made.nelem, kind->nnode, made.node},
                     &s->pattern);
  csim_energy_bind(&s->arena, &s->pattern, &s->energy);
  s->val = CSIM_ARENA_NEW(&s->arena, double, 9 * s->pattern.nblock);
  for (int e = 0; e < made.nelem && kind->nnode > 2; e++)
    s->area += made.param[(ptrdiff_t)e * kind->nparam];
  csim_elements_free(&made);
  csim_topology_free(&topology);
}

static double value(const sheet *s, const double *x) {
  return csim_energy_value(NULL, &s->energy, &(csim_point){.x = x});
}

static void gradient(const sheet *s, const double *x, double *g) {
  memset(g, 0, DOF * sizeof *g);
  csim_energy_gradient(NULL, &s->energy, &(csim_point){.x = x}, g);
}

// H v
static void multiply(sheet *s, const double *x, csim_psd psd, const double *v, double *Hv) {
  memset(s->val, 0, (size_t)(9 * s->pattern.nblock) * sizeof *s->val);
  memset(Hv, 0, DOF * sizeof *Hv);
  csim_energy_hessian(NULL, &s->energy, &(csim_point){.x = x}, psd, s->val);
  for (int a = 0; a < NV; a++)
    for (int b = 0; b < NV; b++) {
      int block = csim_pattern_find(&s->pattern, a, b);
      double part[3];
      if (block < 0) continue;
      csim_mat3_mul(s->val + 9 * block, v + 3 * b, part);
      csim_add_scaled(1, part, Hv + 3 * a);
    }
}

static void crumple(unsigned *seed, double size, const sheet *s, double *x) {
  for (int i = 0; i < DOF; i++) x[i] = s->X[i] + size * kit_random(seed);
}

static double length_of(const double *v) {
  double sum = 0;
  for (int i = 0; i < DOF; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

// Along random directions, at curvatures from nearly none to far beyond the table.
static void test_derivatives(void) {
  sheet s;
  unsigned seed = 11;
  sheet_create(&csim_measured_bending_kind, TABLE, 1, &s);
  for (int trial = 0; trial < 60; trial++) {
    double x[DOF], v[DOF], y[DOF], g[2][DOF], Hv[DOF], Pv[DOF];
    double slope = 0, error = 0, vPv = 0;
    double size = (double[]){1e-5, 3e-4, 1e-3, 1e-2}[trial % 4], eps = 1e-5 * size, work[2];
    crumple(&seed, size, &s, x);
    for (int i = 0; i < DOF; i++) v[i] = kit_random(&seed);
    for (int k = 0; k < 2; k++) {
      for (int i = 0; i < DOF; i++) y[i] = x[i] + (k ? eps : -eps) * v[i];
      work[k] = value(&s, y);
      gradient(&s, y, g[k]);
    }
    multiply(&s, x, CSIM_PSD_NONE, v, Hv);
    double scale = length_of(Hv);
    for (int i = 0; i < DOF; i++) {
      slope += 0.5 * (g[0][i] + g[1][i]) * v[i];
      error = fmax(error, fabs((g[1][i] - g[0][i]) / (2 * eps) - Hv[i]));
    }
    CHECK_NEAR((work[1] - work[0]) / (2 * eps), slope, 1e-6 * scale * size);
    CHECK_NEAR(error, 0, 2e-3 * scale); // a vertex may pass a curvature of the table
    multiply(&s, x, CSIM_PSD_CLAMP, v, Pv);
    for (int i = 0; i < DOF; i++) vPv += v[i] * Pv[i];
    CHECK(vPv >= 0);
    gradient(&s, x, g[0]); // along which the Hessian is most often negative
    multiply(&s, x, CSIM_PSD_CLAMP, g[0], Pv);
    vPv = 0;
    for (int i = 0; i < DOF; i++) vPv += g[0][i] * Pv[i];
    CHECK(vPv >= 0);
    CHECK(value(&s, x) > 0);
  }
  csim_arena_free(&s.arena);
}

// Where the table falls steeply a further bend costs less and less: there the Hessian is negative,
// and the projected one is not, in that direction and near it.
static void test_projection(void) {
  sheet s;
  unsigned seed = 4;
  int negative = 0;
  sheet_create(&csim_measured_bending_kind, TABLE, 1, &s);
  for (int trial = 0; trial < 40; trial++) {
    double x[DOF], v[DOF], Hv[DOF], sum[2] = {0}, angle = 0.1 * (trial % 20);
    for (int i = 0; i < DOF; i++) x[i] = s.X[i], v[i] = trial < 20 ? 0 : 1e-5 * kit_random(&seed);
    for (int k = 0; k < NV; k++) {
      double u = cos(angle) * s.X[3 * k] + sin(angle) * s.X[3 * k + 2];
      x[3 * k + 1] = 0.5 * 25 * u * u;
      v[3 * k + 1] += 0.5 * u * u;
    }
    for (int p = 0; p < 2; p++) {
      multiply(&s, x, p ? CSIM_PSD_CLAMP : CSIM_PSD_NONE, v, Hv);
      for (int i = 0; i < DOF; i++) sum[p] += v[i] * Hv[i];
    }
    negative += sum[0] < 0;
    CHECK(sum[1] >= 0 && sum[1] >= sum[0]);
  }
  CHECK(negative > 5);
  csim_arena_free(&s.arena);
}

// No energy of rigid motions and of shears; forces and torques sum to zero.
static void test_balance(void) {
  sheet s;
  unsigned seed = 5;
  double x[DOF], y[DOF], g[DOF], R[9], force[3] = {0}, torque[3] = {0}, scale = 0;
  sheet_create(&csim_measured_bending_kind, TABLE, 1, &s);
  csim_rotation_matrix((double[]){0.3, 2, -1}, R);
  crumple(&seed, 1e-3, &s, x);
  for (int v = 0; v < NV; v++) {
    csim_mat3_mul(R, x + 3 * v, y + 3 * v);
    y[3 * v] += 1;
  }
  CHECK_NEAR(value(&s, y), value(&s, x), 1e-9 * value(&s, x));
  gradient(&s, x, g);
  for (int v = 0; v < NV; v++) {
    double t[3];
    csim_cross(x + 3 * v, g + 3 * v, t);
    csim_add_scaled(1, g + 3 * v, force);
    csim_add_scaled(1, t, torque);
    scale += csim_norm(g + 3 * v);
  }
  CHECK_NEAR(csim_norm(force), 0, 1e-12 * scale);
  CHECK_NEAR(csim_norm(torque), 0, 1e-12 * scale);
  for (int v = 0; v < NV; v++)
    csim_mat3_mul((double[9]){1.1, 0, 0.2, 0.3, 1, 0, 0, 0, 0.9}, s.X + 3 * v, y + 3 * v);
  CHECK(value(&s, y) < 1e-20);
  csim_arena_free(&s.arena);
}

// Bends to a curvature along a direction, on both sides; the change of energy is the moment.
static double moment_at(const sheet *s, double angle, double curvature) {
  double work[2], eps = 1e-4 * curvature;
  for (int k = 0; k < 2; k++) {
    double x[DOF], bend = curvature + (k ? eps : -eps);
    for (int v = 0; v < NV; v++) {
      double u = cos(angle) * s->X[3 * v] + sin(angle) * s->X[3 * v + 2];
      memcpy(x + 3 * v, s->X + 3 * v, 3 * sizeof *x);
      x[3 * v + 1] = 0.5 * bend * u * u;
    }
    work[k] = value(s, x);
  }
  return (work[1] - work[0]) / (2 * eps) / s->area;
}

// As exact as the fit, whose regularisation is 1e-6.
static void test_moments(void) {
  sheet s;
  sheet_create(&csim_measured_bending_kind, TABLE, 0, &s);
  static const double bends[] = {0.1, 4, 9.5, 15, 25, 31, 39, 60, -15};
  for (int b = 0; b < 9; b++) {
    double B[3], k = fabs(bends[b]) / 10;
    for (int row = 0; row < 3; row++) {
      const double *T = TABLE + 5 * row;
      int i = k < 4 ? (int)k : 3;
      double share = k < 4 ? k - i : 1;
      B[row] = (1 - share) * T[i] + share * T[i + 1];
      CHECK_NEAR(moment_at(&s, row * acos(-1) / 4, bends[b]), B[row] * bends[b],
                 2e-5 * fabs(bends[b]) * 1e-4);
    }
    // between rows as an orthotropic plate
    double c2 = pow(cos(0.4), 2), s2 = 1 - c2, H = 4 * B[1] - B[0] - B[2];
    CHECK_NEAR(moment_at(&s, 0.4, bends[b]),
               bends[b] * (B[0] * c2 * c2 + B[2] * s2 * s2 + H * c2 * s2),
               2e-5 * fabs(bends[b]) * 1e-4);
    CHECK_NEAR(moment_at(&s, -0.4, bends[b]), moment_at(&s, 0.4, bends[b]),
               2e-5 * fabs(bends[b]) * 1e-4);
  }
  csim_arena_free(&s.arena);
}

// Of one stiffness it is bending by curvature, in energy, forces and matrix.
static void test_plain(void) {
  sheet s, pairs;
  unsigned seed = 2;
  sheet_create(&csim_measured_bending_kind, PLAIN, 1, &s);
  sheet_create(&csim_curvature_kind, NULL, 1, &pairs);
  for (int trial = 0; trial < 10; trial++) {
    double x[DOF], v[DOF], a[DOF], b[DOF];
    crumple(&seed, 3e-3, &s, x);
    for (int i = 0; i < DOF; i++) v[i] = kit_random(&seed);
    CHECK_NEAR(value(&s, x), value(&pairs, x), 1e-10 * value(&pairs, x));
    for (int k = 0; k < 2; k++) {
      if (k) {
        gradient(&s, x, a);
        gradient(&pairs, x, b);
      } else {
        multiply(&s, x, CSIM_PSD_CLAMP, v, a);
        multiply(&pairs, x, CSIM_PSD_CLAMP, v, b);
      }
      double scale = length_of(b);
      for (int i = 0; i < DOF; i++) CHECK_NEAR(a[i], b[i], 1e-10 * scale);
    }
  }
  csim_arena_free(&s.arena);
  csim_arena_free(&pairs.arena);
}

int main(void) {
  test_derivatives();
  test_projection();
  test_balance();
  test_moments();
  test_plain();
  return check_report();
}
