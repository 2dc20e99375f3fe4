// test_multigrid: the hierarchy of aggregates: a symmetric positive preconditioner that makes PCG's
// iterations few and keeps them so as the mesh grows, the same on a graph and on blocks, with the
// same bits on any number of threads.
#include "check.h"
#include "kit.h"

#include "math/multigrid.h"
#include "math/pcg.h"
#include "math/vector.h"
#include "model/stiffness.h"

#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  kit k;
  csim_arena arena;
  csim_stiffness K;
  csim_layout layout;
  csim_bsr H;
  csim_block_jacobi P;
  csim_multigrid C;
  csim_scratch s;
  double *b, *x; // (nvert x 3)
} fixture;

// A stretched cloth with two pins, and both forms of its matrix; the load is gravity.
static void create(int cells, int on_graph, fixture *f) {
  *f = (fixture){0};
  kit *k = &f->k;
  double h = 1.0 / 60;
  kit_cloth(cells, 1, 0.2, 1000, 1e-4, h, k);
  kit_pin(k, 0);
  kit_pin(k, cells);
  kit_ready(k, 2);
  const csim_model *model = k->model;
  int n = 3 * model->nvert;
  f->b = CSIM_ARENA_NEW(&f->arena, double, n + 1);
  f->x = CSIM_ARENA_NEW(&f->arena, double, n + 1);
  unsigned seed = 3;
  for (int i = 0; i < n; i++) f->x[i] = 1.02 * model->x0[i] + 0.01 / cells * kit_random(&seed);
  csim_point at = {.x = f->x};
  CHECK(csim_pcg_reserve(&f->s, n) == 0);
  CHECK(csim_block_jacobi_create(&f->arena, model->nvert, &f->P) == 0);
  CHECK(csim_stiffness_create(&f->arena, model, &f->K) == 0);
  csim_stiffness_update(k->pool, &at, CSIM_PSD_DROP, kit_inertia(&f->arena, model, h), NULL, &f->K);
  CHECK(csim_layout_build(&f->arena, model, &f->layout) == 0);
  const csim_pattern *pattern = &f->layout.pattern;
  f->H = (csim_bsr){pattern, CSIM_ARENA_NEW(&f->arena, double, 9 * pattern->nblock)};
  for (int e = 0; e < model->nenergy; e++)
    csim_energy_hessian(NULL, &f->layout.energy[e], &at, CSIM_PSD_DROP, f->H.val);
  for (int i = 0; i < model->nvert; i++)
    for (int c = 0; c < 3; c++) f->H.val[9 * pattern->diag[i] + 4 * c] += model->mass[i] / (h * h);
  csim_bsr_fix(NULL, model->fixed, &f->H);
  if (on_graph) {
    CHECK(csim_multigrid_create_edges(&f->arena, &f->K.graph, NULL, &f->C) == 0);
    csim_multigrid_update_edges(k->pool, &f->K.A, NULL, &f->C, &f->P);
  } else {
    CHECK(csim_multigrid_create(&f->arena, pattern, model->fixed, NULL, &f->C) == 0);
    csim_multigrid_update(k->pool, &f->H, NULL, &f->C, &f->P);
  }
  CHECK(f->C.nlevel > 0 && f->C.factored);
  for (int i = 0; i < model->nvert; i++)
    if (!model->fixed[i]) f->b[3 * i + 1] = -9.81 * model->mass[i];
}

static void destroy(fixture *f) {
  csim_multigrid_free(&f->C);
  csim_arena_free(&f->arena);
  csim_scratch_free(&f->s);
  kit_end(&f->k);
}

static double multiply(csim_pool *pool, void *context, const double *p, double *q) {
  return csim_edge_matrix_multiply(pool, &((fixture *)context)->K.A, p, q, NULL);
}

static double precondition(csim_pool *pool, void *context, const double *r, double *z) {
  fixture *f = context;
  return csim_multigrid_apply(pool, &f->C, &f->P, r, z);
}

// z = the correction alone, of levels and knots; returns r.z.
static double correct_only(fixture *f, const double *r, double *z) {
  csim_block_jacobi none;
  CHECK(csim_block_jacobi_create(&f->arena, f->C.nrow, &none) == 0); // all zero
  return csim_multigrid_apply(NULL, &f->C, &none, r, z);
}

static int solve(fixture *f, csim_pool *pool, int levels) {
  int all = f->C.used;
  csim_linear_system system = {f, 3 * f->k.model->nvert, multiply, precondition};
  csim_solve_goal goal = {.tolerance = 1e-8, .max_iterations = 5000};
  if (!levels) f->C.used = 0;
  csim_solve_report report = csim_pcg_solve(pool, &system, f->b, &goal, &f->s, f->x);
  f->C.used = all;
  CHECK(report.outcome == CSIM_SOLVE_CONVERGED);
  return report.iterations;
}

// Iterations by block-Jacobi double with the mesh; with levels they hardly grow.
static void test_iterations(void) {
  int levels[2], jacobi[2];
  for (int size = 0; size < 2; size++) {
    fixture f;
    create(size ? 96 : 32, 1, &f);
    int n = 3 * f.k.model->nvert;
    jacobi[size] = solve(&f, f.k.pool, 0);
    double *x = CSIM_ARENA_NEW(&f.arena, double, n), scale = 0;
    memcpy(x, f.x, (size_t)n * sizeof *x);
    levels[size] = solve(&f, f.k.pool, 1);
    for (int i = 0; i < n; i++) scale = fmax(scale, fabs(x[i]));
    for (int i = 0; i < n; i++) CHECK_NEAR(f.x[i], x[i], 1e-5 * scale);
    for (int i = 0; i < f.k.model->nvert; i++)
      for (int c = 0; c < 3; c++)
        if (f.k.model->fixed[i]) CHECK(f.x[3 * i + c] == 0);
    destroy(&f);
  }
  CHECK(levels[1] < 0.4 * jacobi[1]);
  CHECK(levels[1] * jacobi[0] < 0.8 * levels[0] * jacobi[1]);
}

// z += P_l (D_l^-1 r_l + ...) of level l and all above it, as multigrid.h has it.
static void add_levels(csim_multigrid *C, int l, int nrow, const double *r, double *z) {
  const csim_multigrid_level *level = &C->level[l];
  double *own[2];
  for (int k = 0; k < 2; k++) own[k] = calloc(3 * (size_t)level->nrow, sizeof **own);
  for (int i = 0; i < 3 * nrow; i++)
    if (level->aggregate[i / 3] >= 0) own[0][3 * level->aggregate[i / 3] + i % 3] += r[i];
  if (l == C->used - 1) {
    csim_cholesky_solve(&C->F, own[0], own[1]);
  } else {
    csim_block_jacobi_apply(NULL, &level->P, own[0], own[1], NULL);
    add_levels(C, l + 1, level->nrow, own[0], own[1]);
  }
  for (int i = 0; i < 3 * nrow; i++)
    if (level->aggregate[i / 3] >= 0) z[i] += own[1][3 * level->aggregate[i / 3] + i % 3];
  for (int k = 0; k < 2; k++) free(own[k]);
}

// The correction is what multigrid.h says, symmetric and positive, what it returns is r.z, and
// graph and blocks give the same.
static void test_operator(int cells) {
  fixture f, g;
  create(cells, 1, &f);
  create(cells, 0, &g);
  int n = 3 * f.k.model->nvert;
  double *z[3], *r[2], scale = 0;
  unsigned seed = 9;
  for (int i = 0; i < 3; i++) z[i] = CSIM_ARENA_NEW(&f.arena, double, n);
  for (int i = 0; i < 2; i++) r[i] = CSIM_ARENA_NEW(&f.arena, double, n);
  for (int k = 0; k < 2; k++)
    for (int i = 0; i < n; i++) r[k][i] = f.k.model->fixed[i / 3] ? 0 : kit_random(&seed);
  double rz = correct_only(&f, r[0], z[0]);
  correct_only(&f, r[1], z[1]);
  double cross = csim_vector_dot(NULL, n, r[1], z[0]);
  CHECK(rz > 0);
  CHECK_NEAR(csim_vector_dot(NULL, n, r[0], z[0]), rz, 1e-12 * rz);
  CHECK_NEAR(csim_vector_dot(NULL, n, r[0], z[1]), cross, 1e-10 * rz);
  correct_only(&g, r[0], z[2]);
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(z[0][i]));
  // the aggregates may differ, where bending is zero; levels of one size do nearly the same
  CHECK_NEAR(csim_vector_dot(NULL, n, r[0], z[2]), rz, 0.2 * rz);
  CHECK(scale > 0);
  csim_vector_clear(NULL, n, z[2]);
  add_levels(&f.C, 0, f.k.model->nvert, r[0], z[2]);
  for (int i = 0; i < n; i++) CHECK_NEAR(z[2][i], z[0][i], 1e-12 * scale);
  destroy(&f);
  destroy(&g);
}

static void test_bits(int cells) {
  fixture f;
  create(cells, 1, &f);
  size_t bytes = 3 * (size_t)f.k.model->nvert * sizeof(double);
  double *x = CSIM_ARENA_NEW(&f.arena, double, 3 * f.k.model->nvert);
  for (int threads = 1; threads <= 8; threads = threads < 3 ? threads + 1 : threads + 5) {
    csim_pool *pool = csim_pool_create(threads);
    csim_multigrid_update_edges(pool, &f.K.A, NULL, &f.C, &f.P);
    solve(&f, pool, 1);
    if (threads == 1) memcpy(x, f.x, bytes);
    CHECK(!memcmp(x, f.x, bytes));
    csim_pool_free(pool);
  }
  destroy(&f);
}

// Couples two rows by a spring along a direction, on the diagonal of H and in a list.
static void couple(fixture *f, int i, int j, const double n[3], double k, csim_couplings *list) {
  csim_coupling c = {.n = 2, .row = {i, j}, .w = {1, -1}};
  for (int a = 0; a < 9; a++) c.B[a] = k * n[a / 3] * n[a % 3];
  if (f->k.model->fixed[i] || f->k.model->fixed[j] || i == j) return;
  for (int end = 0; end < 2; end++)
    for (int a = 0; a < 9; a++) f->H.val[9 * f->H.pattern->diag[c.row[end]] + a] += c.B[a];
  list->item[list->n++] = c;
}

static csim_couplings new_list(fixture *f, int capacity) {
  return (csim_couplings){0, CSIM_ARENA_NEW(&f->arena, csim_coupling, capacity), capacity};
}

// Couplings of neighbours give the same levels as blocks of the matrix.
static void test_couplings(void) {
  fixture f;
  create(60, 0, &f);
  const csim_pattern *pattern = f.H.pattern;
  int n = 3 * pattern->nrow;
  double *r = CSIM_ARENA_NEW(&f.arena, double, n), *z[3];
  csim_couplings list = new_list(&f, pattern->nblock);
  unsigned seed = 5;
  for (int i = 0; i < 3; i++) z[i] = CSIM_ARENA_NEW(&f.arena, double, n);
  for (int i = 0; i < n; i++) r[i] = f.k.model->fixed[i / 3] ? 0 : kit_random(&seed);
  for (int i = 0; i < pattern->nrow; i++)
    for (int b = pattern->start[i]; b < pattern->diag[i]; b++) {
      double d[3] = {kit_random(&seed), kit_random(&seed), kit_random(&seed)};
      couple(&f, i, pattern->col[b], d, 100, &list);
    }
  csim_multigrid_update(NULL, &f.H, NULL, &f.C, &f.P);
  correct_only(&f, r, z[2]);
  for (int i = 0; i < list.n; i++) {
    const csim_coupling *c = &list.item[i];
    for (int end = 0; end < 2; end++)
      for (int a = 0; a < 9; a++)
        f.H.val[9 * csim_pattern_find(pattern, c->row[end], c->row[1 - end]) + a] -= c->B[a];
  }
  csim_multigrid_update(NULL, &f.H, NULL, &f.C, &f.P);
  double rz = correct_only(&f, r, z[0]);
  for (int i = 0; i < list.n; i++) {
    const csim_coupling *c = &list.item[i];
    for (int end = 0; end < 2; end++)
      for (int a = 0; a < 9; a++)
        f.H.val[9 * csim_pattern_find(pattern, c->row[end], c->row[1 - end]) + a] += c->B[a];
  }
  csim_multigrid_update(NULL, &f.H, &list, &f.C, &f.P);
  CHECK_NEAR(correct_only(&f, r, z[1]), rz, 1e-10 * rz);
  double scale = 0, without = 0;
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(z[0][i]));
  for (int i = 0; i < n; i++) without = fmax(without, fabs(z[2][i] - z[0][i]));
  for (int i = 0; i < n; i++) CHECK_NEAR(z[1][i], z[0][i], 1e-10 * scale);
  CHECK(without > 0.01 * scale);
  destroy(&f);
}

typedef struct tied_system {
  fixture *f;
  csim_couplings list;
} tied_system;

static double multiply_tied(csim_pool *pool, void *context, const double *p, double *q) {
  const tied_system *t = context;
  csim_bsr_multiply(pool, &t->f->H, p, q);
  for (int i = 0; i < t->list.n; i++) {
    const csim_coupling *c = &t->list.item[i];
    for (int end = 0; end < 2; end++)
      for (int a = 0; a < 9; a++)
        q[3 * c->row[end] + a / 3] -= c->B[a] * p[3 * c->row[1 - end] + a % 3];
  }
  return csim_vector_dot(pool, 3 * t->f->k.model->nvert, p, q);
}

static double precondition_tied(csim_pool *pool, void *context, const double *r, double *z) {
  return precondition(pool, ((tied_system *)context)->f, r, z);
}

// Two halves of a cloth that are tied to one another, vertex by vertex: levels that know it take
// less than half of the iterations.
static void test_ties(int cells) {
  fixture f;
  int iterations[2];
  create(cells, 0, &f);
  int nvert = f.k.model->nvert;
  tied_system t = {&f, new_list(&f, nvert)};
  csim_couplings list = new_list(&f, nvert);
  double axis[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int i = 0; i < nvert / 2; i++) couple(&f, i, nvert - 1 - i, axis[i % 3], 1e3, &t.list);
  for (int known = 0; known < 2; known++) {
    csim_linear_system system = {&t, 3 * nvert, multiply_tied, precondition_tied};
    csim_solve_goal goal = {.tolerance = 1e-8, .max_iterations = 5000};
    list.n = t.list.n;
    memcpy(list.item, t.list.item, (size_t)list.n * sizeof *list.item);
    csim_multigrid_update(NULL, &f.H, known ? &list : NULL, &f.C, &f.P);
    CHECK(f.C.factored);
    csim_solve_report report = csim_pcg_solve(NULL, &system, f.b, &goal, &f.s, f.x);
    CHECK(report.outcome == CSIM_SOLVE_CONVERGED);
    iterations[known] = report.iterations;
  }
  CHECK(5 * iterations[1] < 2 * iterations[0]);
  destroy(&f);
}

// The correction of the load with every `step`th pair of opposite rows tied. (nvert x 3)
static void correct(fixture *f, int step, double k, csim_couplings *list, double *z) {
  int nvert = f->k.model->nvert;
  size_t bytes = 9 * (size_t)f->H.pattern->nblock * sizeof *f->H.val;
  double *untied = CSIM_ARENA_NEW(&f->arena, double, 9 * f->H.pattern->nblock);
  memcpy(untied, f->H.val, bytes);
  list->n = 0;
  for (int i = 0; i < nvert / 2; i += step)
    couple(f, i, nvert - 1 - i, (double[3]){0, 0, 1}, k, list);
  csim_multigrid_update(NULL, &f->H, list, &f->C, &f->P);
  CHECK(f->C.factored && f->C.is_tied);
  correct_only(f, f->b, z);
  memcpy(f->H.val, untied, bytes);
}

// The order that a level with ties is factored in is kept while its pattern is the same. No bit
// depends on what was factored before: a resumed run has not seen it.
static void test_ties_kept(void) {
  fixture f, fresh;
  create(40, 0, &f);
  create(40, 0, &fresh);
  int nvert = f.k.model->nvert;
  csim_couplings list = new_list(&f, nvert), other = new_list(&fresh, nvert);
  double *z = CSIM_ARENA_NEW(&f.arena, double, 3 * nvert);
  double *expected = CSIM_ARENA_NEW(&f.arena, double, 3 * nvert);
  correct(&fresh, 3, 500, &other, expected);
  correct(&f, 1, 1e3, &list, z);
  CHECK(memcmp(z, expected, 3 * (size_t)nvert * sizeof *z) != 0);
  correct(&f, 3, 1e3, &list, z); // another pattern
  const uint64_t *seen = f.C.tied.seen;
  correct(&f, 3, 500, &list, z); // the same
  CHECK(f.C.tied.seen == seen);
  CHECK(memcmp(z, expected, 3 * (size_t)nvert * sizeof *z) == 0);
  destroy(&f);
  destroy(&fresh);
}

// Numbers vertices of both sides of a line through the cloth, pair by pair. Returns the numbers.
static int *knots_of(fixture *f, int cells) {
  int *knot = CSIM_ARENA_NEW(&f->arena, int, f->k.model->nvert);
  int first = cells / 2 * (cells + 1);
  for (int i = 0; i < f->k.model->nvert; i++) knot[i] = -1;
  for (int i = first; i <= first + cells; i++) knot[i] = knot[i + cells + 1] = i;
  return knot;
}

// A seam: edges across a line that are as stiff as 2e5 N/m. Levels that know it take less than
// half of the iterations, and remain symmetric.
static void test_knots(int cells) {
  fixture f;
  int iterations[2];
  create(cells, 1, &f);
  const csim_edge_graph *graph = &f.K.graph;
  const int *knot = knots_of(&f, cells);
  int n = 3 * graph->nrow, seams = 0;
  for (int i = 0; i < graph->nrow; i++)
    for (int e = graph->near_start[i]; e < graph->near_start[i + 1]; e++)
      if (knot[i] >= 0 && knot[i] == knot[graph->near_col[e]]) {
        f.K.A.near[4 * e + 3] = 2e5;
        seams++;
      }
  CHECK(seams == 2 * (cells + 1));
  for (int known = 0; known < 2; known++) {
    csim_multigrid_free(&f.C);
    CHECK(csim_multigrid_create_edges(&f.arena, graph, known ? knot : NULL, &f.C) == 0);
    CHECK(f.C.knots.nrow == (known ? cells + 1 : 0));
    csim_multigrid_update_edges(NULL, &f.K.A, NULL, &f.C, &f.P);
    iterations[known] = solve(&f, NULL, 1);
  }
  CHECK(2 * iterations[1] < iterations[0]);
  for (int i = 0; i < graph->nrow; i++) // of one knot, of one aggregate
    if (knot[i] >= 0) CHECK(f.C.level[0].aggregate[i] == f.C.level[0].aggregate[knot[i]]);
  double *r[2], *z[2];
  unsigned seed = 9;
  for (int k = 0; k < 2; k++) {
    r[k] = CSIM_ARENA_NEW(&f.arena, double, n);
    z[k] = CSIM_ARENA_NEW(&f.arena, double, n);
    for (int i = 0; i < n; i++) r[k][i] = f.k.model->fixed[i / 3] ? 0 : kit_random(&seed);
  }
  double rz = correct_only(&f, r[0], z[0]);
  correct_only(&f, r[1], z[1]);
  CHECK_NEAR(csim_vector_dot(NULL, n, r[0], z[0]), rz, 1e-12 * rz);
  CHECK_NEAR(csim_vector_dot(NULL, n, r[0], z[1]), csim_vector_dot(NULL, n, r[1], z[0]),
             1e-10 * rz);
  destroy(&f);
}

// Couplings in knots give the same as blocks of the matrix.
static void test_knots_coupled(void) {
  enum { CELLS = 30 };
  fixture f;
  create(CELLS, 0, &f);
  int nrow = f.H.pattern->nrow, n = 3 * nrow;
  const int *knot = knots_of(&f, CELLS);
  double *r = CSIM_ARENA_NEW(&f.arena, double, n), *z[2], scale = 0;
  csim_couplings list = new_list(&f, nrow), known = new_list(&f, nrow);
  unsigned seed = 7;
  for (int i = 0; i < n; i++) r[i] = f.k.model->fixed[i / 3] ? 0 : kit_random(&seed);
  for (int i = 0; i < nrow; i++)
    if (knot[i] >= 0 && knot[i] != i)
      couple(&f, i, knot[i], (double[3]){kit_random(&seed), kit_random(&seed), 1}, 1e4, &list);
  CHECK(list.n == CELLS + 1);
  known.n = list.n;
  memcpy(known.item, list.item, (size_t)list.n * sizeof *list.item);
  CHECK(csim_multigrid_create(&f.arena, f.H.pattern, f.k.model->fixed, knot, &f.C) == 0);
  for (int blocks = 0; blocks < 2; blocks++) {
    z[blocks] = CSIM_ARENA_NEW(&f.arena, double, n);
    csim_multigrid_update(NULL, &f.H, blocks ? NULL : &known, &f.C, &f.P);
    correct_only(&f, r, z[blocks]);
    for (int i = 0; i < list.n && !blocks; i++)
      for (int end = 0; end < 2; end++) {
        const int *row = list.item[i].row;
        double *to =
            f.H.val + 9 * (ptrdiff_t)csim_pattern_find(f.H.pattern, row[end], row[1 - end]);
        for (int a = 0; a < 9; a++) to[a] -= list.item[i].B[a];
      }
  }
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(z[0][i]));
  for (int i = 0; i < n; i++) CHECK_NEAR(z[1][i], z[0][i], 1e-10 * scale);
  CHECK(scale > 0);
  destroy(&f);
}

// Nothing to hold on to: no vertices joined, or too few of them.
static void test_small(void) {
  fixture f = {0};
  double x[12] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1};
  kit_begin(4, x, 1, 0.01, &f.k);
  kit_ready(&f.k, 1);
  CHECK(csim_layout_build(&f.arena, f.k.model, &f.layout) == 0);
  CHECK(csim_multigrid_create(&f.arena, &f.layout.pattern, f.k.model->fixed, NULL, &f.C) == 0);
  CHECK(f.C.nlevel == 0);
  CHECK(correct_only(&f, x, x) == 0);
  destroy(&f);

  // 400 vertices that nothing joins
  double *many = CSIM_ARENA_NEW(&f.arena, double, 1200);
  for (int i = 0; i < 1200; i++) many[i] = i;
  kit_begin(400, many, 1, 0.01, &f.k);
  f.k.params.linear = "pcg";
  f.k.params.preconditioner = CSIM_PRECONDITIONER_MULTILEVEL;
  kit_ready(&f.k, 1);
  kit_step(&f.k);
  CHECK_NEAR(f.k.state.x[1], many[1] - 9.81e-4, 1e-12);
  destroy(&f);
}

// The last level alone: its aggregates move as one, and no net force is left on any.
static void test_correct(void) {
  fixture f;
  create(40, 1, &f);
  int n = 3 * f.k.model->nvert, nlast = f.C.level[f.C.used - 1].nrow;
  double *z[3], *r = CSIM_ARENA_NEW(&f.arena, double, n + 1), before = 0, after = 0;
  double *moves = CSIM_ARENA_NEW(&f.arena, double, 3 * nlast);
  double *net = CSIM_ARENA_NEW(&f.arena, double, 3 * nlast);
  int *last = CSIM_ARENA_NEW(&f.arena, int, f.k.model->nvert);
  unsigned seed = 4;
  for (int k = 0; k < 3; k++) z[k] = CSIM_ARENA_NEW(&f.arena, double, n + 1);
  for (int i = 0; i < n; i++) r[i] = f.k.model->fixed[i / 3] ? 0 : kit_random(&seed);
  for (int i = 0; i < n; i++) z[0][i] = NAN;
  CHECK(csim_multigrid_correct(f.k.pool, &f.C, r, z[0]) == 1);
  CHECK(csim_multigrid_correct(NULL, &f.C, r, z[1]) == 1);
  CHECK(memcmp(z[0], z[1], (size_t)n * sizeof **z) == 0);
  multiply(f.k.pool, &f, z[0], z[2]);
  for (int i = 0; i < n; i++) {
    int *a = &last[i / 3];
    if (i % 3 == 0)
      for (int l = *a = i / 3, k = 0; k < f.C.used && *a >= 0; k++, l = *a)
        *a = f.C.level[k].aggregate[l];
    if (*a < 0) {
      CHECK(f.k.model->fixed[i / 3] && z[0][i] == 0);
      continue;
    }
    if (moves[3 * *a + i % 3] == 0) moves[3 * *a + i % 3] = z[0][i];
    CHECK(z[0][i] != 0 && moves[3 * *a + i % 3] == z[0][i]);
    net[3 * *a + i % 3] += r[i] - z[2][i];
    before = fmax(before, fabs(r[i]));
  }
  for (int k = 0; k < 3 * nlast; k++) after = fmax(after, fabs(net[k]));
  CHECK(before > 0.4 && after < 1e-9);
  f.C.factored = 0;
  CHECK(csim_multigrid_correct(NULL, &f.C, r, z[0]) == 0);
  destroy(&f);
}

int main(void) {
  test_iterations();
  test_operator(40);
  test_operator(140); // its first level is large enough to be divided between threads
  test_correct();
  test_bits(60);
  test_bits(140);
  test_couplings();
  test_ties(40);  // solved exactly on the first level
  test_ties(100); // on the second
  test_ties_kept();
  test_knots(60);
  test_knots_coupled();
  test_small();
  return check_report();
}
