// test_energy: every energy against finite differences, rigid motions and positive definiteness.
#include "check.h"

#include "math/vec3.h"
#include "model/energy.h"
#include "model/links.h"

#include <string.h>

enum { NVERT = 4 };

static double uniform(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (double)(1 << 24) - 0.5;
}

// One element of a kind, with its matrix.
typedef struct fixture {
  csim_arena arena;
  csim_energy energy;
  csim_pattern pattern;
  double *val;
  double anchor[3];
  double from[12], damping; // where the step began, and [s]
  int damped;
  double link[CSIM_LINK_NOW]; // share of stiffness, length, direction, largest stiffness
  double plastic[4];
} fixture;

static const int one_body[4];

static csim_point point_of(const fixture *f, const double *x) {
  return (csim_point){.x = x,
                      .anchor = f->anchor,
                      .link = f->link,
                      .plastic = f->plastic,
                      .damping = f->damped ? &f->damping : NULL,
                      .body_of = one_body,
                      .from = f->from,
                      .h = 0.01};
}

static void fixture_create(const csim_energy_kind *kind, const double *param, fixture *f) {
  static const int node[4] = {0, 1, 2, 3};
  *f = (fixture){.anchor = {0.1, -0.2, 0.3}, .link = {0.8, 0.5}};
  csim_energy_create(&f->arena, kind, NVERT, 1, node, param, &f->energy);
  csim_pattern_build(&f->arena, NVERT, 1, &(csim_element_set){1, 4, node}, &f->pattern);
  csim_energy_bind(&f->arena, &f->pattern, &f->energy);
  f->val = CSIM_ARENA_NEW(&f->arena, double, 9 * f->pattern.nblock);
}

static double value(fixture *f, const double *x) {
  csim_point at = point_of(f, x);
  return csim_energy_value(NULL, &f->energy, &at);
}
static void gradient(fixture *f, const double *x, double *g) {
  memset(g, 0, 12 * sizeof *g);
  csim_point at = point_of(f, x);
  csim_energy_gradient(NULL, &f->energy, &at, g);
}
static void hessian(fixture *f, const double *x, csim_psd psd, double H[12][12]) {
  memset(f->val, 0, (size_t)(9 * f->pattern.nblock) * sizeof(double));
  csim_point at = point_of(f, x);
  csim_energy_hessian(NULL, &f->energy, &at, psd, f->val);
  for (int i = 0; i < 4; i++)
    for (int j = 0; j < 4; j++)
      for (int c = 0; c < 9; c++)
        H[3 * i + c / 3][3 * j + c % 3] = f->val[9 * csim_pattern_find(&f->pattern, i, j) + c];
}

// Relative error of the gradient, and of the Hessian where it is exact.
static void check_derivatives(fixture *f, const double *x, int exact_hessian) {
  const double eps = 1e-6;
  double g[12], H[12][12], scale_g = 1e-9, scale_h = 1e-6;
  gradient(f, x, g);
  hessian(f, x, CSIM_PSD_NONE, H);
  for (int i = 0; i < 12; i++) {
    scale_g = fmax(scale_g, fabs(g[i]));
    for (int j = 0; j < 12; j++) scale_h = fmax(scale_h, fabs(H[i][j]));
  }
  for (int i = 0; i < 12; i++) {
    double xp[12], xm[12], gp[12], gm[12];
    memcpy(xp, x, sizeof xp);
    memcpy(xm, x, sizeof xm);
    xp[i] += eps;
    xm[i] -= eps;
    CHECK_NEAR((value(f, xp) - value(f, xm)) / (2 * eps), g[i], 1e-7 * (scale_g + scale_h));
    if (!exact_hessian) continue;
    gradient(f, xp, gp);
    gradient(f, xm, gm);
    for (int j = 0; j < 12; j++)
      CHECK_NEAR((gp[j] - gm[j]) / (2 * eps), H[i][j], 1e-7 * (scale_h + scale_g));
  }
}

// Forces and torques of an internal energy sum to zero.
static void check_balance(fixture *f, const double *x) {
  double g[12], force[3] = {0}, torque[3] = {0}, scale = 0;
  gradient(f, x, g);
  for (int n = 0; n < 4; n++) {
    double t[3];
    csim_cross(x + 3 * n, g + 3 * n, t);
    csim_add_scaled(1, g + 3 * n, force);
    csim_add_scaled(1, t, torque);
    scale += csim_norm(g + 3 * n);
  }
  CHECK_NEAR(csim_norm(force), 0, 1e-13 * scale);
  CHECK_NEAR(csim_norm(torque), 0, 1e-12 * scale);
}

// v^T H v >= 0 for many v; symmetric.
static void check_semidefinite(fixture *f, const double *x, csim_psd psd) {
  double H[12][12], scale = 0;
  unsigned seed = 5;
  hessian(f, x, psd, H);
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < 12; j++) scale = fmax(scale, fabs(H[i][j]));
  for (int i = 0; i < 12; i++)
    for (int j = 0; j < i; j++) CHECK_NEAR(H[i][j], H[j][i], 1e-14 * scale);
  for (int trial = 0; trial < 200; trial++) {
    double v[12], vHv = 0;
    for (int i = 0; i < 12; i++) v[i] = uniform(&seed);
    for (int i = 0; i < 12; i++)
      for (int j = 0; j < 12; j++) vHv += v[i] * H[i][j] * v[j];
    check_that(vHv >= -1e-12 * scale, __FILE__, __LINE__, "%s: vHv = %g", f->energy.kind->name,
               vHv);
  }
}

static const double REST[12] = {0, 0, 0, 0.1, 1, 0.05, -0.9, 0.4, 0, 0.8, 0.6, 0.1};

static void random_positions(unsigned *seed, double amount, double *x) {
  for (int i = 0; i < 12; i++) x[i] = REST[i] + amount * uniform(seed);
}

static void check_fixture(fixture *f, int exact, int internal) {
  unsigned seed = 3;
  for (int trial = 0; trial < 20; trial++) {
    double x[12], moved[12], R[9], r[3] = {0.3, -1.1, 0.7};
    random_positions(&seed, trial < 10 ? 0.1 : 0.8, x);
    check_derivatives(f, x, exact);
    check_semidefinite(f, x, CSIM_PSD_DROP);
    check_semidefinite(f, x, CSIM_PSD_CLAMP);
    if (!internal) continue;
    check_balance(f, x);
    csim_rotation_matrix(r, R);
    for (int n = 0; n < 4; n++) {
      csim_mat3_mul(R, x + 3 * n, moved + 3 * n);
      moved[3 * n] += 2;
    }
    CHECK_NEAR(value(f, moved), value(f, x), 1e-13 * (1 + value(f, x)));
  }
}

static void check_kind(const csim_energy_kind *kind, const double *param, int exact, int internal) {
  fixture f;
  fixture_create(kind, param, &f);
  check_fixture(&f, exact, internal);
  csim_arena_free(&f.arena);
}

static void damp(fixture *f) {
  unsigned seed = 77;
  random_positions(&seed, 0.3, f->from);
  f->damping = 0.02;
  f->damped = 1;
}

// A damped spring resists its rate of stretch, k tau (l - l_n)/h, beside its stretch.
static void test_damping(void) {
  for (int variant = 0; variant < 3; variant++) {
    double param[4] = {100, 1, variant == 1 ? 0.3 : 1, variant == 2 ? 0.05 : 0};
    fixture f;
    fixture_create(&csim_spring_kind, param, &f);
    damp(&f);
    check_fixture(&f, 1, 1);
    unsigned seed = 8;
    for (int trial = 0; trial < 20; trial++) {
      double x[12], g[12], free[12], r[3], r_from[3];
      random_positions(&seed, 0.5, x);
      gradient(&f, x, g);
      f.damped = 0;
      gradient(&f, x, free);
      f.damped = 1;
      csim_sub(x, x + 3, r);
      csim_sub(f.from, f.from + 3, r_from);
      double l = csim_norm(r), force = 100 * 0.02 * (l - csim_norm(r_from)) / 0.01;
      for (int c = 0; c < 3; c++) CHECK_NEAR(g[c] - free[c], force * r[c] / l, 1e-10);
      csim_constraint k = {0};
      csim_point at = point_of(&f, x);
      CHECK(csim_spring_kind.constraint(&f.energy, &at, 0, &k));
      for (int c = 0; c < 3; c++) CHECK_NEAR(k.k * k.C[0] * k.grad[0][c], g[c], 1e-10);
    }
    // at the length it had it is an undamped one; the matrix of pd is above its Hessian
    double W[2], H[12][12], free[12][12];
    memset(f.val, 0, (size_t)(9 * f.pattern.nblock) * sizeof(double));
    csim_point at = point_of(&f, f.from);
    csim_energy_laplacian(NULL, &f.energy, &at, f.val);
    W[0] = f.val[csim_pattern_find(&f.pattern, 0, 0)];
    W[1] = f.val[csim_pattern_find(&f.pattern, 0, 1)];
    CHECK(W[0] == 100 * (1 + 0.02 / 0.01) && W[1] == -W[0]);
    hessian(&f, f.from, CSIM_PSD_DROP, H);
    f.damped = 0;
    hessian(&f, f.from, CSIM_PSD_DROP, free);
    for (int c = 0; c < 3; c++) CHECK(H[c][c] >= free[c][c] && H[c][c] <= W[0] * (1 + 1e-12));
    csim_arena_free(&f.arena);
  }
}

static void test_zero_length(void) {
  fixture f;
  fixture_create(&csim_spring_kind, (double[]){100, 0.5, 1, 0}, &f);
  double x[12] = {0}, g[12], H[12][12];
  gradient(&f, x, g);
  hessian(&f, x, CSIM_PSD_DROP, H);
  for (int i = 0; i < 12; i++) CHECK(g[i] == 0 && isfinite(H[i][i]));
  csim_arena_free(&f.arena);
  double param[6];
  csim_dihedral_kind.hinge(REST, (int[]){0, 1, 2, 3}, 1, param);
  fixture_create(&csim_dihedral_kind, param, &f);
  gradient(&f, x, g);
  hessian(&f, x, CSIM_PSD_DROP, H);
  for (int i = 0; i < 12; i++) CHECK(g[i] == 0 && H[i][i] == 0);
  csim_arena_free(&f.arena);
}

// Every element as a constraint: k/2 |C|^2 is its energy, and k C dC/dx its gradient.
static void check_constraint(const csim_energy_kind *kind, const double *param) {
  fixture f;
  fixture_create(kind, param, &f);
  unsigned seed = 21;
  for (int trial = 0; trial < 20; trial++) {
    double x[12], g[12];
    csim_constraint c = {0};
    random_positions(&seed, 0.5, x);
    csim_point at = point_of(&f, x);
    if (!kind->constraint(&f.energy, &at, 0, &c)) continue;
    gradient(&f, x, g);
    double scale = 0;
    for (int i = 0; i < 12; i++) scale = fmax(scale, fabs(g[i]));
    if (kind != &csim_limit_kind && kind != &csim_bound_kind)
      CHECK_NEAR(0.5 * c.k * csim_dot(c.C, c.C), value(&f, x), 1e-12 * (1 + value(&f, x)));
    for (int n = 0; n < kind->nnode; n++)
      for (int i = 0; i < 3; i++) {
        double force = c.k * (c.dim == 1 ? c.C[0] * c.grad[n][i] : c.C[i] * c.grad[n][0]);
        CHECK_NEAR(force, g[3 * n + i], 1e-12 * scale);
      }
  }
  csim_arena_free(&f.arena);
}

// At its rest angle the dihedral Hessian is exact, and equals the quadratic model's across the
// hinge.
static void test_dihedral_rest(void) {
  static const int node[4] = {0, 1, 2, 3};
  double flat[12] = {0, 0, 0, 0.1, 1, 0, -0.9, 0.4, 0, 0.8, 0.6, 0}, param[6], q[4];
  fixture f, quadratic;
  csim_dihedral_kind.hinge(flat, node, 2.5, param);
  CHECK(param[1] == 0);
  fixture_create(&csim_dihedral_kind, param, &f);
  check_derivatives(&f, flat, 1);
  csim_quadratic_param(flat, node, 2.5, q);
  fixture_create(&csim_quadratic_kind, q, &quadratic);
  double H[12][12], Q[12][12];
  hessian(&f, flat, CSIM_PSD_NONE, H);
  hessian(&quadratic, flat, CSIM_PSD_NONE, Q);
  for (int i = 2; i < 12; i += 3)
    for (int j = 2; j < 12; j += 3) CHECK_NEAR(H[i][j], Q[i][j], 1e-12 * fabs(Q[2][2]));
  CHECK_NEAR(value(&quadratic, flat), 0, 1e-28);
  csim_arena_free(&f.arena);
  csim_arena_free(&quadratic.arena);
}

// Blocks of one colour share no vertex.
static void check_blocks(const csim_energy *energy, int nvert, int *used) {
  int nnode = energy->kind->nnode, number = 0;
  memset(used, 0, (size_t)nvert * sizeof *used);
  for (int c = 0; c < energy->ncolor; c++) {
    int before = number;
    for (int e = energy->color[c]; e < energy->color[c + 1]; e++) {
      number += (e - energy->color[c]) % energy->block == 0;
      for (int a = 0; a < nnode; a++) {
        int *of_vertex = &used[energy->node[nnode * e + a]];
        CHECK(*of_vertex <= before || *of_vertex == number);
        *of_vertex = number;
      }
    }
  }
}

// A chain's springs follow each other: blocks of them, the last a part of one, have two colours.
static void test_blocks(void) {
  enum { E = 1000 };
  static int node[2 * E], used[E + 1];
  static double param[4 * E];
  for (int e = 0; e < E; e++) {
    node[2 * e] = e;
    node[2 * e + 1] = e + 1;
    param[4 * e] = e;
  }
  csim_arena arena = {0};
  csim_energy energy;
  CHECK(csim_energy_create(&arena, &csim_spring_kind, E + 1, E, node, param, &energy) == 0);
  CHECK(energy.block > 1 && energy.ncolor == 2 && energy.color[2] == E);
  check_blocks(&energy, E + 1, used);
  csim_arena_free(&arena);
}

// Elements in any order are coloured one by one, unless so many share a vertex that blocks do not
// need more colours than they. All are there once.
static void test_colors(int nshare) {
  enum { N = 300, E = 4000 };
  static int node[2 * E], seen[E], used[N];
  static double param[4 * E];
  unsigned seed = 9;
  memset(seen, 0, sizeof seen);
  for (int e = 0; e < E; e++) {
    node[2 * e] = e < nshare ? 0 : (int)((uniform(&seed) + 0.5) * N);
    do node[2 * e + 1] = (int)((uniform(&seed) + 0.5) * N);
    while (node[2 * e + 1] == node[2 * e]);
    param[4 * e] = e;
  }
  csim_arena arena = {0};
  csim_energy energy;
  CHECK(csim_energy_create(&arena, &csim_spring_kind, N, E, node, param, &energy) == 0);
  CHECK(energy.color[energy.ncolor] == E && (energy.block > 1) == (nshare > 0));
  CHECK(nshare == 0 || energy.ncolor > 64); // more than a pass has
  check_blocks(&energy, N, used);
  for (int e = 0; e < E; e++) {
    int k = (int)energy.param[4 * e]; // its number before it was sorted
    CHECK(!seen[k]++ && !memcmp(energy.node + 2 * e, node + 2 * k, 2 * sizeof *node));
  }
  CHECK(!energy.row);
  csim_arena_free(&arena);
}

static unsigned mix(const int *node, const double *param) {
  return (unsigned)(node[0] * 331 + node[1]) * 2654435761u *
         (unsigned)(1 + param[0] + 8 * param[3]);
}

// Constants that many elements share are kept once, and every element has its own.
static void test_shared_constants(void) {
  enum { N = 300, E = 2000 };
  static int node[2 * E];
  static double param[4 * E];
  for (int distinct = E / 5; distinct <= E / 3; distinct += E / 3 - E / 5) {
    unsigned seed = 3, want = 0, got = 0;
    for (int e = 0; e < E; e++) {
      for (int k = 0; k < 2; k++) node[2 * e + k] = (int)((uniform(&seed) + 0.5) * N);
      param[4 * e] = e * 7 % distinct % 8;
      param[4 * e + 3] = e * 7 % distinct / 8;
      want += mix(node + 2 * e, param + 4 * e);
    }
    csim_arena arena = {0};
    csim_energy energy;
    CHECK(csim_energy_create(&arena, &csim_spring_kind, N, E, node, param, &energy) == 0);
    for (int e = 0; e < E; e++) got += mix(energy.node + 2 * e, csim_energy_param(&energy, e));
    CHECK(got == want);
    CHECK((energy.row != NULL) == (distinct < E / 4));
    csim_arena_free(&arena);
  }
}

// Rest shape of the membranes' triangle: not congruent to REST, so that it starts strained.
static const double FLAT[6] = {0, 0, 0.2, 1.1, -0.8, 0.3};

static void membrane_fixture(const csim_energy_kind *kind, const csim_moduli *moduli, fixture *f) {
  double param[CSIM_MAX_PARAM];
  int woven = kind == &csim_woven_kind || kind == &csim_ductile_woven_kind;
  csim_membrane_law law = woven ? CSIM_MEMBRANE_WOVEN : CSIM_MEMBRANE_ORTHOTROPIC;
  csim_yield yield = {0.1, 0, 0};
  CHECK(csim_ductile_membrane_param(law, FLAT, moduli, &yield, param) == 0);
  fixture_create(kind, param, f);
  memcpy(f->plastic, (double[4]){0.07, -0.04, 0.2, 0.1}, sizeof f->plastic); // of ductile ones
}

// Derivatives, balance and semidefiniteness; stiff in warp and weak in shear, with Poisson's ratio,
// with stiffening, with bounds that few or all positions are beyond, and with damping.
static void test_membrane(const csim_energy_kind *kind) {
  static const csim_moduli moduli[] = {
      {100, 100, 40, 0, 0, 0, 0},       {300, 80, 3, 0.4, 0, 0, 0},
      {300, 80, 3, 0.4, 0.02, 5000, 0}, {300, 80, 3, 0.4, 0.6, 500, 1},
      {300, 80, 3, 0.4, 3, 500, 1},     {0, 0, 70, 0, 0, 0, 0}};
  for (int m = 0; m < 6; m++) {
    fixture f;
    membrane_fixture(kind, &moduli[m], &f);
    check_fixture(&f, 1, 1);
    damp(&f);
    check_fixture(&f, 1, 1);
    f.damped = 0;
    unsigned seed = 4;
    for (int trial = 0; trial < 20; trial++) { // as a constraint
      double x[12], g[12];
      csim_constraint c = {0};
      random_positions(&seed, 0.5, x);
      csim_point at = point_of(&f, x);
      CHECK(kind->constraint(&f.energy, &at, 0, &c));
      gradient(&f, x, g);
      CHECK_NEAR(0.5 * c.k * c.C[0] * c.C[0], value(&f, x), 1e-12 * (1 + value(&f, x)));
      for (int i = 0; i < 9; i++)
        CHECK_NEAR(c.k * c.C[0] * c.grad[i / 3][i % 3], g[i], 1e-10 * (1 + fabs(g[i])));
    }
    csim_arena_free(&f.arena);
  }
}

// The energies of plain strains: pulling, and shearing by a small angle; and moduli, along warp
// with the weft free to narrow.
static void test_membrane_strains(const csim_energy_kind *kind) {
  const csim_moduli moduli = {500, 200, 30, 0.3, 0, 0, 0};
  const double e = 1e-5, area = 0.5 * fabs(FLAT[2] * FLAT[5] - FLAT[3] * FLAT[4]);
  double narrow = 0.3 * sqrt(500.0 / 200);
  double strain[3][3] = {{e, -narrow * e, 0}, {-0.3 * sqrt(200.0 / 500) * e, e, 0}, {0, 0, e}};
  const double want[3] = {500, 200, 30};
  fixture f;
  membrane_fixture(kind, &moduli, &f);
  for (int k = 0; k < 3; k++) {
    double x[12] = {0};
    for (int n = 0; n < 3; n++) { // in a plane askew in space
      double u = FLAT[2 * n], v = FLAT[2 * n + 1];
      double U = (1 + strain[k][0]) * u + strain[k][2] * v, V = (1 + strain[k][1]) * v, R[9];
      csim_rotation_matrix((double[]){0.4, 1.2, -0.5}, R);
      csim_mat3_mul(R, (double[]){U, V, 0}, x + 3 * n);
    }
    CHECK_NEAR(value(&f, x) / (0.5 * e * e * area), want[k], 1e-4 * want[k]);
  }
  csim_arena_free(&f.arena);
  double param[CSIM_MAX_PARAM];
  CHECK(csim_membrane_param(CSIM_MEMBRANE_WOVEN, (double[]){0, 0, 1, 1, 2, 2}, &moduli, param) < 0);
}

// A spring that has stayed longer by 7 % is one of that length, in energy and as a constraint.
static void test_ductile_spring(void) {
  const double k = 100, L = 0.8, s = 0.07;
  fixture f, plain;
  fixture_create(&csim_ductile_spring_kind, (double[]){k, L, 0.5, 0.01, 0.1, 0, 0}, &f);
  fixture_create(&csim_spring_kind, (double[]){k, L * (1 + s), 0.5, 0.01}, &plain);
  f.plastic[0] = s;
  check_fixture(&f, 1, 1);
  unsigned seed = 9;
  for (int trial = 0; trial < 20; trial++) {
    double x[12];
    csim_constraint c = {0}, same = {0};
    random_positions(&seed, 1, x);
    csim_point at = point_of(&f, x), of = point_of(&plain, x);
    CHECK(value(&f, x) == value(&plain, x));
    CHECK(csim_ductile_spring_kind.constraint(&f.energy, &at, 0, &c));
    CHECK(csim_spring_kind.constraint(&plain.energy, &of, 0, &same));
    CHECK(c.C[0] == same.C[0] && c.k == same.k);
    // yields by what is beyond, pulled or pressed
    double flow[4] = {s, 0}, strain = csim_spring_kind.strain(&f.energy, &at, 0) - s;
    csim_energy_yield(NULL, &f.energy, &at, 1, flow);
    double want = s + (fabs(strain) > 0.1 ? strain - (strain > 0 ? 0.1 : -0.1) : 0);
    CHECK_NEAR(flow[0], want, 1e-14);
  }
  csim_arena_free(&f.arena);
  csim_arena_free(&plain.arena);
}

// A made-up cloth: stiffer and stiffer along its threads, softer at low strain, with one row of
// zeros.
static const double TABLE[24] = {50,  10, 30, 5,  400, 60, 90, 8, 200, 40, 120, 30,
                                 100, 50, 90, 60, 0,   0,  0,  0, 70,  20, 500, 9};

static void measured_fixture(const double *rest, fixture *f) {
  double param[CSIM_MAX_PARAM];
  CHECK(csim_measured_param(rest, TABLE, param) == 0);
  fixture_create(&csim_measured_kind, param, f);
}

// Derivatives of the measured membrane, damped and not, at strains of every size; at rest; and
// where all directions are stretched or compressed alike.
static void test_measured(void) {
  fixture f;
  measured_fixture(FLAT, &f);
  check_fixture(&f, 1, 1);
  damp(&f);
  check_fixture(&f, 1, 1);
  f.damped = 0;
  unsigned seed = 12;
  for (int trial = 0; trial < 300; trial++) {
    double x[12] = {0}, size = trial % 3 == 0 ? 0.1 : trial % 3 == 1 ? 0.3 : 1.5;
    for (int i = 0; i < 9; i++)
      x[i] = (i % 3 < 2 ? FLAT[2 * (i / 3) + i % 3] : 0) + size * uniform(&seed);
    check_derivatives(&f, x, 1);
    check_balance(&f, x);
    check_semidefinite(&f, x, CSIM_PSD_DROP);
    CHECK(value(&f, x) >= 0);
  }
  static const double factor[] = {1, 1 + 1e-12, 1.02, 1.3, 0.9, 0};
  for (int k = 0; k < 6; k++) {
    double x[12] = {0};
    for (int n = 0; n < 3; n++)
      for (int c = 0; c < 2; c++) x[3 * n + c] = factor[k] * FLAT[2 * n + c];
    check_derivatives(&f, x, 0);
    check_semidefinite(&f, x, CSIM_PSD_DROP);
  }
  csim_arena_free(&f.arena);
}

// What the table says is what it gives: the tension C e along a straight pull in the direction of
// each row, at a strain within the corner no more than low strain's and at high strain and beyond
// the row's; and half way, half of both.
static void test_measured_rows(void) {
  static const double right[6] = {0, 0, 1, 0, 0, 1};
  const double high = 13.0 / 72;
  fixture f;
  measured_fixture(right, &f);
  for (int row = 0; row < 5; row++)
    for (int s = 0; s < 4; s++) {
      double angle = row * acos(-1) / 8, c = cos(angle), d = sin(angle), work[2], want[2];
      double g = (double[]){1e-5, 0.5 * high, 1.1 * high, 3 * high}[s], step = 1e-5;
      for (int k = 0; k < 2; k++) { // strain g (c, d)(c, d)^T: the work between two strains
        double at = g * (1 + (k ? step : -step)), stretch = sqrt(1 + 2 * at) - 1, x[12] = {0};
        x[3] = 1 + stretch * c * c, x[4] = x[6] = stretch * c * d, x[7] = 1 + stretch * d * d;
        work[k] = value(&f, x);
      }
      double e[3] = {c * c, d * d, 2 * c * d};
      for (int k = 0; k < 2; k++) {
        const double *C = TABLE + (k ? 4 * (row + 1) : 0);
        want[k] =
            C[0] * e[0] * e[0] + 2 * C[1] * e[0] * e[1] + C[2] * e[1] * e[1] + C[3] * e[2] * e[2];
      }
      double share = s == 0 ? 0 : s == 1 ? 0.5 : 1;
      double tension = 2 * (work[1] - work[0]) / (2 * step * g), unit = want[0] + want[1];
      CHECK_NEAR(tension / g, (1 - share) * want[0] + share * want[1], 1e-4 * unit);
    }
  csim_arena_free(&f.arena);
}

// Shear alone is projected exactly: the nearest semidefinite matrix H+ of H is the one with H+ and
// H+ - H semidefinite and H+ (H+ - H) = 0.
static void test_shear_projection(void) {
  fixture f;
  membrane_fixture(&csim_woven_kind, &(csim_moduli){0, 0, 70, 0, 0, 0, 0}, &f);
  unsigned seed = 12;
  int clamped = 0;
  for (int trial = 0; trial < 40; trial++) {
    double x[12], H[12][12], P[12][12], scale = 0, most = 0;
    random_positions(&seed, 1.5, x);
    // in the coordinates of f the product is zero: take the rest shape's axes as the edges
    double param[CSIM_MAX_PARAM];
    csim_membrane_param(CSIM_MEMBRANE_WOVEN, (double[]){0, 0, 1, 0, 0, 1},
                        &(csim_moduli){0, 0, 70, 0, 0, 0, 0}, param);
    memcpy(f.energy.param, param, (size_t)f.energy.kind->nparam * sizeof *param);
    hessian(&f, x, CSIM_PSD_NONE, H);
    hessian(&f, x, CSIM_PSD_CLAMP, P);
    for (int i = 3; i < 9; i++)
      for (int j = 3; j < 9; j++) scale = fmax(scale, fabs(H[i][j]));
    for (int i = 3; i < 9; i++)
      for (int j = 3; j < 9; j++) {
        double product = 0;
        for (int k = 3; k < 9; k++) product += P[i][k] * (P[k][j] - H[k][j]);
        CHECK_NEAR(product, 0, 1e-12 * scale * scale);
        most = fmax(most, fabs(P[i][j] - H[i][j]));
      }
    clamped += most > 1e-3 * scale;
    for (int t = 0; t < 50; t++) {
      double v[6], less = 0;
      for (int i = 0; i < 6; i++) v[i] = uniform(&seed);
      for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++) less += v[i] * (P[3 + i][3 + j] - H[3 + i][3 + j]) * v[j];
      CHECK(less >= -1e-12 * scale);
    }
  }
  CHECK(clamped > 30);
  csim_arena_free(&f.arena);
}

// A triangle that has collapsed to a point or a line, or is turned over, has finite forces.
static void test_collapsed_membrane(const csim_energy_kind *kind) {
  for (int shape = 0; shape < 6; shape++) {
    fixture f;
    membrane_fixture(kind, &(csim_moduli){300, 80, 3, 0.4, 0.02, 5000, shape > 2}, &f);
    double x[12] = {0}, g[12], H[12][12];
    for (int n = 1; n < 3 && shape % 3; n++) x[3 * n] = shape % 3 == 1 ? n : -FLAT[2 * n];
    if (shape % 3 == 2) x[4] = FLAT[3], x[7] = FLAT[5];
    gradient(&f, x, g);
    for (int psd = 0; psd < 3; psd++) {
      hessian(&f, x, (csim_psd)psd, H);
      for (int i = 0; i < 144; i++) CHECK(isfinite(H[i / 12][i % 12]) && isfinite(g[i / 12]));
      if (psd != CSIM_PSD_NONE) check_semidefinite(&f, x, (csim_psd)psd);
    }
    csim_arena_free(&f.arena);
  }
}

// The bound alone, where it acts: its Hessian as it is, unprojected, is semidefinite, and exact
// where both stretches are alike.
static void test_principal_bound(const csim_energy_kind *kind) {
  fixture f;
  membrane_fixture(kind, &(csim_moduli){0, 0, 0, 0, 1.5, 100, 1}, &f);
  double same[12] = {0};
  for (int n = 0; n < 3; n++)
    for (int c = 0; c < 2; c++) same[3 * n + c] = 2.1 * FLAT[2 * n + c];
  check_derivatives(&f, same, 1);
  check_semidefinite(&f, same, CSIM_PSD_NONE);
  check_fixture(&f, 1, 1);
  unsigned seed = 8;
  for (int trial = 0; trial < 50; trial++) {
    double x[12];
    random_positions(&seed, 1.5, x);
    check_semidefinite(&f, x, CSIM_PSD_NONE);
  }
  csim_arena_free(&f.arena);
}

// A solid has the moduli that were asked for at small strain, and forces wherever it is.
static void test_neohooke(void) {
  static const double X[12] = {0, 0, 0, 1, 0.1, 0, -0.1, 0.9, 0.2, 0.3, 0.2, 1.1};
  for (int k = 0; k < 3; k++) {
    double nu = (double[]){0, 0.3, 0.49}[k], E = 100, param[CSIM_MAX_PARAM], e = 1e-5;
    fixture f;
    csim_lame lame = csim_lame_of(E, nu);
    CHECK(csim_neohooke_param(X, (int[]){0, 1, 2, 3}, &lame, param) == 0);
    fixture_create(&csim_neohooke_kind, param, &f);
    check_fixture(&f, 1, 1);
    double V = param[0], strain[3][3] = {{e, -nu * e, -nu * e}, {e, e, e}, {0, 0, 0}};
    double want[3] = {0.5 * E * e * e, 1.5 * E / (1 - 2 * nu) * e * e, 0.25 * E / (1 + nu) * e * e};
    for (int t = 0; t < 3; t++) { // pulled, swollen, sheared
      double x[12], g[12];
      for (int n = 0; n < 4; n++)
        for (int c = 0; c < 3; c++)
          x[3 * n + c] =
              (1 + strain[t][c]) * X[3 * n + c] + (t == 2 && c == 0 ? e * X[3 * n + 1] : 0);
      CHECK_NEAR(value(&f, x) / V, want[t], 2e-4 * want[t]);
      gradient(&f, X, g);
      for (int i = 0; i < 12; i++) CHECK_NEAR(g[i], 0, 1e-12 * E);
    }
    double y[12], H[12][12], P[12][12]; // where it is definite, nothing is clamped
    for (int i = 0; i < 12; i++) y[i] = (1.0005 + 0.0002 * (i % 3)) * X[i];
    hessian(&f, y, CSIM_PSD_NONE, H);
    hessian(&f, y, CSIM_PSD_CLAMP, P);
    for (int i = 0; i < 144; i++)
      CHECK_NEAR(H[i / 12][i % 12], P[i / 12][i % 12], 1e-9 * fabs(H[0][0]));
    for (int t = 0; t < 4; t++) { // a point, a line, a plane, inside out
      double x[12] = {0}, g[12], sum = 0;
      for (int n = 0; n < 4; n++)
        for (int c = 0; c < 3; c++) x[3 * n + c] = c < t ? X[3 * n + c] : 0;
      if (t == 3)
        for (int n = 0; n < 4; n++) x[3 * n] *= -1;
      gradient(&f, x, g);
      hessian(&f, x, CSIM_PSD_CLAMP, H);
      for (int i = 0; i < 144; i++) CHECK(isfinite(H[i / 12][i % 12]));
      for (int i = 0; i < 12; i++) sum += fabs(g[i]);
      CHECK(isfinite(sum) && (sum > 0 || t == 0));
      check_semidefinite(&f, x, CSIM_PSD_CLAMP);
    }
    csim_arena_free(&f.arena);
  }
  double param[CSIM_MAX_PARAM];
  CHECK(csim_neohooke_param(X, (int[]){1, 0, 2, 3}, &(csim_lame){1, 0}, param) < 0);
}

// The strain of a membrane is that of the line which is stretched most, whatever the direction of
// warp: threads that keep their length and turn by a shear the cloth between them by sqrt(1 + sin
// a)
// - 1; a simple shear g stretches it by g/2 + sqrt(1 + g^2/4) - 1; a pull along warp by the pull.
static void test_strain(void) {
  static const csim_moduli plain = {300, 80, 3, 0.4, 0, 0, 0}, bound = {300, 80, 3, 0.4, 9, 500, 1};
  for (int m = 0; m < 4; m++) {
    fixture f;
    if (m == 3) measured_fixture(FLAT, &f);
    if (m < 3)
      membrane_fixture(m ? &csim_orthotropic_kind : &csim_woven_kind, m < 2 ? &plain : &bound, &f);
    for (double a = -1.5; a < 1.6; a += 0.25) {
      const double F[3][4] = {{1, sin(a), 0, cos(a)}, {1, a, 0, 1}, {1.5 + a / 2, 0, 0, 0.5}};
      double want[3] = {sqrt(1 + sin(fabs(a))), fabs(a) / 2 + sqrt(1 + a * a / 4),
                        fmax(0.5, 1.5 + a / 2)};
      for (int k = 0; k < 3; k++) {
        double x[12] = {0};
        for (int n = 0; n < 3; n++) { // (u, v) to (x, z)
          x[3 * n] = F[k][0] * FLAT[2 * n] + F[k][1] * FLAT[2 * n + 1];
          x[3 * n + 2] = F[k][2] * FLAT[2 * n] + F[k][3] * FLAT[2 * n + 1];
        }
        csim_point at = {.x = x};
        CHECK_NEAR(f.energy.kind->strain(&f.energy, &at, 0), want[k] - 1, 1e-12);
      }
    }
    csim_arena_free(&f.arena);
  }
}

int main(void) {
  static const int node[4] = {0, 1, 2, 3};
  test_neohooke();
  for (int k = 0; k < 2; k++) {
    const csim_energy_kind *kind = k ? &csim_orthotropic_kind : &csim_woven_kind;
    test_membrane(kind);
    test_membrane_strains(kind);
    test_collapsed_membrane(kind);
    test_principal_bound(kind);
    test_membrane(k ? &csim_ductile_orthotropic_kind : &csim_ductile_woven_kind);
  }
  test_ductile_spring();
  test_measured();
  test_measured_rows();
  test_strain();
  test_shear_projection();
  double q[4], dihedral[6], cotangent[5];
  csim_quadratic_param(REST, node, 0.7, q);
  csim_dihedral_kind.hinge(REST, node, 0.7, dihedral);
  csim_cotangent_kind.hinge(REST, node, 0.7, cotangent);
  check_kind(&csim_spring_kind, (double[]){100, 1.2, 1, 0}, 1, 1);
  check_kind(&csim_spring_kind, (double[]){100, 0.6, 1, 0}, 1, 1);
  check_kind(&csim_spring_kind, (double[]){100, 0.8, 0.1, 0.05}, 1, 1);
  check_kind(&csim_limit_kind, (double[]){100, 0.6}, 1, 1);
  check_kind(&csim_limit_kind, (double[]){100, 3}, 1, 1);
  check_kind(&csim_bound_kind, (double[]){100, 0.4, 3}, 1, 1);
  check_kind(&csim_bound_kind, (double[]){100, 0.4, 0.6}, 1, 1); // beyond it too
  check_kind(&csim_cotangent_kind, cotangent, 1, 1);
  check_kind(&csim_anchor_kind, (double[]){30, 0, 0, 0, 0}, 1, 0);
  check_kind(&csim_anchor_kind, (double[]){30, 0, 0.6, 0, 0.8}, 1, 0);
  check_kind(&csim_quadratic_kind, q, 1, 1);
  check_kind(&csim_dihedral_kind, dihedral, 0, 1);
  double crease[CSIM_MAX_PARAM];
  csim_crease_kind.hinge(REST, node, 0.7, crease);
  fixture creased;
  fixture_create(&csim_crease_kind, crease, &creased);
  creased.plastic[0] = 0.3;
  check_fixture(&creased, 0, 1);
  csim_arena_free(&creased.arena);
  check_kind(&csim_volume_kind, (double[]){50, 0.2}, 1, 1);
  check_kind(&csim_link_kind, (double[]){50, 0, 0, 0}, 1, 1);
  check_kind(&csim_link_kind, (double[]){50, 3, 0, 0}, 1, 0); // damping resists turning as well
  check_kind(&csim_link_face_kind, (double[]){50, 0, 0, 0, 0.5, 0.2, 0.3}, 1, 1);
  check_kind(&csim_link_face_kind, (double[]){50, 3, 0, 0, 0.5, 0.2, 0.3}, 1, 0);
  check_kind(&csim_link_kind, (double[]){50, 0, 0, 8}, 0, 1); // some pull their hardest
  check_kind(&csim_link_face_kind, (double[]){50, 0, 0, 8, 0.5, 0.2, 0.3}, 0, 1);
  for (int face = 0; face < 2; face++) { // stitches that close pull and push
    const csim_energy_kind *kind = face ? &csim_link_face_kind : &csim_link_kind;
    for (int push = 0; push < 2; push++) {
      for (int pull = 0; pull < 2; pull++) {
        double param[] = {500, 0, 0, pull ? 8 : 0, 0.5, 0.2, 0.3};
        fixture stitch;
        fixture_create(kind, param, &stitch);
        stitch.link[1] = push ? 3 : 0.5;
        stitch.link[5] = 50;
        check_fixture(&stitch, !push && !pull, 1);
        csim_arena_free(&stitch.arena);
      }
    }
  }
  for (int face = 0; face < 2; face++) { // stitches whose direction is given
    const csim_energy_kind *kind = face ? &csim_link_face_kind : &csim_link_kind;
    for (int pull = 0; pull < 2; pull++) {
      double param[] = {50, 0, 0, pull ? 8 : 0, 0.5, 0.2, 0.3};
      fixture stitch;
      fixture_create(kind, param, &stitch);
      memcpy(stitch.link + 2, (double[]){0.6, 0, 0.8}, 3 * sizeof(double));
      check_fixture(&stitch, !pull, 0);
      csim_arena_free(&stitch.arena);
    }
  }
  check_constraint(&csim_link_kind, (double[]){50, 0, 0, 0});
  check_constraint(&csim_link_face_kind, (double[]){50, 0, 0, 0, 0.5, 0.2, 0.3});
  check_constraint(&csim_spring_kind, (double[]){100, 0.8, 0.1, 0.05});
  check_constraint(&csim_limit_kind, (double[]){100, 0.6});
  check_constraint(&csim_bound_kind, (double[]){100, 0.4, 3});
  check_constraint(&csim_anchor_kind, (double[]){30, 0, 0, 0, 0});
  check_constraint(&csim_quadratic_kind, q);
  check_constraint(&csim_cotangent_kind, cotangent);
  check_constraint(&csim_dihedral_kind, dihedral);
  check_constraint(&csim_volume_kind, (double[]){50, 0.2});
  test_damping();
  test_zero_length();
  test_dihedral_rest();
  test_colors(0);
  test_colors(200);
  test_blocks();
  test_shared_constants();
  return check_report();
}
