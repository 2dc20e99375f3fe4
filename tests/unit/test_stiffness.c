// test_stiffness: the Hessian on the graph of springs against the one in 3 x 3 blocks, its promises
// (symmetry, null space, semidefiniteness), and its bits: the same on any number of threads, with
// every instruction set, and as they were recorded.
#include "check.h"
#include "kit.h"

#include "math/pcg.h"
#include "math/vector.h"
#include "math/vec3.h"
#include "model/stiffness.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 40 };
#define RECORDED 0xdaa6af59caf53cceull
#define RECORDED_WIDE 0xbd05e709d3c2622full

typedef struct fixture {
  kit k;
  csim_arena arena;
  csim_stiffness K;
  csim_point at;
  double *x, *p, *q, *r, *z; // (nvert x 3)
  double anchor[6];
} fixture;

// A crumpled cloth with springs that are stretched, slack and compressed, limits, bending, two
// exact and two soft pins; a wide one has membranes too.
static void create(csim_psd psd, int wide, fixture *f) {
  *f = (fixture){0};
  kit *k = &f->k;
  kit_cloth(CELLS, 1, 0.2, 1000, 1e-4, 1.0 / 240, k);
  for (int e = 0; e < k->springs.nelem; e++) {
    if (e % 3 == 0) k->springs.param[4 * e + 2] = 0.3;  // compression
    if (e % 5 == 0) k->springs.param[4 * e + 3] = 0.02; // slack
  }
  csim_network_limits(&k->springs, 0, 0.05, 0, &k->limits);
  static const csim_moduli moduli = {2000, 500, 40, 0.3, 0.01, 10000, 0};
  if (wide) kit_membrane(k, &moduli, &k->woven);
  if (wide) kit_membrane(k, &moduli, &k->orthotropic);
  kit_pin(k, 0);
  kit_pin(k, CELLS);
  csim_elements_add(&k->anchors, (int[]){7}, (double[]){500, 0, 0, 0, 0});
  csim_elements_add(&k->anchors, (int[]){CELLS + 9}, (double[]){3, 1, 0, 0, 0});
  kit_ready(k, 3);
  int n = 3 * k->model->nvert;
  double **vector[] = {&f->x, &f->p, &f->q, &f->r, &f->z};
  for (int i = 0; i < 5; i++) *vector[i] = CSIM_ARENA_NEW(&f->arena, double, n + 1);
  unsigned seed = 3;
  for (int i = 0; i < n; i++) f->x[i] = k->model->x0[i] + 0.01 * kit_random(&seed);
  for (int i = 0; i < n; i++) f->p[i] = k->model->fixed[i / 3] ? 0 : kit_random(&seed);
  f->at = (csim_point){.x = f->x, .anchor = f->anchor};
  CHECK(csim_stiffness_create(&f->arena, k->model, &f->K) == 0);
  csim_stiffness_update(k->pool, &f->at, psd, kit_inertia(&f->arena, k->model, k->h), NULL, &f->K);
}

static void destroy(fixture *f) {
  csim_stiffness_free(&f->K);
  csim_arena_free(&f->arena);
  kit_end(&f->k);
}

static double inner(int n, const double *a, const double *b) {
  double s = 0;
  for (int i = 0; i < n; i++) s += a[i] * b[i];
  return s;
}

static void test_against_blocks(csim_psd psd, int wide) {
  fixture f;
  create(psd, wide, &f);
  CHECK(f.K.graph.wide == wide);
  const csim_model *model = f.k.model;
  int n = 3 * model->nvert;
  csim_layout layout;
  CHECK(csim_layout_build(&f.arena, model, &layout) == 0);
  const csim_pattern *pattern = &layout.pattern;
  csim_bsr H = {pattern, CSIM_ARENA_NEW(&f.arena, double, 9 * pattern->nblock)};
  for (int e = 0; e < model->nenergy; e++)
    csim_energy_hessian(NULL, &layout.energy[e], &f.at, psd, H.val);
  double w = 1 / (f.k.h * f.k.h), scale = 0;
  for (int i = 0; i < model->nvert; i++)
    for (int c = 0; c < 3; c++) H.val[9 * pattern->diag[i] + 4 * c] += w * model->mass[i];
  csim_bsr_fix(NULL, model->fixed, &H);

  csim_bsr_multiply(NULL, &H, f.p, f.q);
  for (int i = 0; i < n; i++) scale = fmax(scale, fabs(f.q[i]));
  double pq = csim_edge_matrix_multiply(f.k.pool, &f.K.A, f.p, f.r, NULL);
  for (int i = 0; i < n; i++) CHECK_NEAR(f.r[i], f.q[i], 2e-7 * scale);
  CHECK_NEAR(pq, inner(n, f.p, f.r), 1e-13 * fabs(pq));
  for (int i = 0; i < model->nvert; i++) {
    double block[9];
    csim_edge_matrix_diagonals(&f.K.A, i, i + 1, block);
    for (int c = 0; c < 9; c++) CHECK_NEAR(block[c], H.val[9 * pattern->diag[i] + c], 2e-7 * scale);
  }

  // symmetric: a.Ab = b.Aa; what is added to D arrives
  unsigned seed = 11;
  for (int i = 0; i < n; i++) f.q[i] = model->fixed[i / 3] ? 0 : kit_random(&seed);
  double ab = inner(n, f.q, f.r);
  csim_edge_matrix_multiply(NULL, &f.K.A, f.q, f.z, NULL);
  double unsymmetric = wide ? 1e-6 : 1e-12; // of rounding to floats
  CHECK_NEAR(ab, inner(n, f.p, f.z), unsymmetric * (fabs(ab) + scale));
  // in every third row
  int nblock = 0;
  for (int i = 0; i < model->nvert; i += 3, nblock++) f.K.A.place[i] = 0;
  CHECK(csim_edge_matrix_place(NULL, &f.K.A) == 0);
  csim_edge_matrix_multiply(NULL, &f.K.A, f.p, f.z, NULL);
  for (int i = 0; i < n; i++) CHECK(f.z[i] == f.r[i]);
  for (int k = 0; k < nblock; k++) f.K.A.block[9 * k + 4] += 7;
  csim_edge_matrix_multiply(NULL, &f.K.A, f.p, f.z, NULL);
  for (int i = 0; i < n; i++)
    CHECK_NEAR(f.z[i] - f.r[i], i % 9 == 1 ? 7 * f.p[i] : 0, 1e-12 * scale);
  for (int i = 0; i < model->nvert; i++) {
    double block[9], own = i % 3 == 0 ? 7 : 0;
    csim_edge_matrix_diagonals(&f.K.A, i, i + 1, block);
    for (int c = 0; c < 9; c++)
      CHECK_NEAR(block[c], H.val[9 * pattern->diag[i] + c] + (c == 4 ? own : 0), 2e-7 * scale);
  }
  destroy(&f);
}

// Springs as floats neither push a rigid shift nor pull anything apart: with no masses, moving all
// free vertices alike costs nothing where there are no pins, and no direction has p.Ap < 0.
static void test_null_space(int wide) {
  fixture f;
  create(CSIM_PSD_DROP, wide, &f);
  const csim_model *model = f.k.model;
  int n = 3 * model->nvert;
  csim_stiffness_update(NULL, &f.at, CSIM_PSD_DROP, kit_inertia(&f.arena, f.k.model, 0), NULL,
                        &f.K);
  for (int i = 0; i < n; i++) f.p[i] = 1e6 + i % 3;
  csim_edge_matrix_multiply(NULL, &f.K.A, f.p, f.q, NULL);
  for (int i = 0; i < model->nvert; i++)
    if (!model->fixed[i] && f.K.anchor[i] == 0)
      for (int c = 0; c < 3; c++) CHECK(f.q[3 * i + c] == 0);
  // towards the smallest eigenvalue: the largest of (s I - A)
  unsigned seed = 5;
  for (int i = 0; i < n; i++) f.p[i] = model->fixed[i / 3] ? 0 : kit_random(&seed);
  double s = 0;
  for (int i = 0; i < model->nvert; i++) {
    double block[9];
    csim_edge_matrix_diagonals(&f.K.A, i, i + 1, block);
    if (!model->fixed[i]) s = fmax(s, 3 * (block[0] + block[4] + block[8]));
  }
  for (int step = 0; step < 300; step++) {
    CHECK(csim_edge_matrix_multiply(NULL, &f.K.A, f.p, f.q, NULL) > -1e-9 * s * inner(n, f.p, f.p));
    for (int i = 0; i < n; i++) f.p[i] -= f.q[i] / s;
  }
  destroy(&f);
}

static uint64_t hash_of(int n, const double *x) { // FNV-1a
  uint64_t hash = 14695981039346656037u;
  for (int i = 0; i < n; i++) {
    uint64_t bits;
    memcpy(&bits, x + i, sizeof bits);
    for (int k = 0; k < 64; k += 8) hash = (hash ^ (bits >> k & 255)) * 1099511628211u;
  }
  return hash;
}

// Everything a linear solve and its system do, hashed.
static uint64_t solve_hash(csim_pool *pool, csim_isa isa, fixture *f) {
  int n = 3 * f->k.model->nvert;
  csim_arena temp = {0};
  csim_block_jacobi P;
  double *x = CSIM_ARENA_NEW(&temp, double, n + 1), *y = CSIM_ARENA_NEW(&temp, double, 3 * n + 4);
  double *r = CSIM_ARENA_NEW(&temp, double, n + 1);
  for (int e = 0; e < f->k.model->nenergy; e++) f->k.model->energy[e].isa = isa;
  f->K.A.isa = isa;
  csim_stiffness_update(pool, &f->at, CSIM_PSD_DROP, kit_inertia(&f->arena, f->k.model, f->k.h),
                        NULL, &f->K);
  CHECK(csim_block_jacobi_create(&temp, f->k.model->nvert, &P) == 0);
  P.isa = isa;
  CHECK(csim_block_jacobi_update_edges(pool, &f->K.A, &P, NULL) == 0);
  memcpy(r, f->p, (size_t)n * sizeof *r);
  double alpha = 0.1;
  csim_block_jacobi_apply(pool, &P, r, x, NULL);
  for (int k = 0; k < 5; k++) {
    y[3 * n] = csim_edge_matrix_multiply(pool, &f->K.A, x, y, NULL);
    y[3 * n + 1] = csim_vector_reduce(pool, n, alpha, y, r);
    y[3 * n + 2] = csim_block_jacobi_apply(pool, &P, r, y + n, NULL);
    alpha = y[3 * n + 2] / y[3 * n];
    csim_vector_advance(pool, n, alpha, 0.5, y + n, x, y + 2 * n);
  }
  y[3 * n + 3] = csim_vector_dot(pool, n, x, y);
  uint64_t hash = hash_of(3 * n + 4, y) ^ hash_of(n, x) ^ hash_of(n, r);
  double value = csim_model_energy(pool, f->k.model, &f->at);
  memset(r, 0, (size_t)n * sizeof *r);
  for (int e = 0; e < f->k.model->nenergy; e++)
    csim_energy_gradient(pool, &f->k.model->energy[e], &f->at, r);
  hash ^= hash_of(n, r) ^ hash_of(1, &value);
  csim_arena_free(&temp);
  return hash;
}

static void test_bits(int wide) {
  uint64_t recorded = wide ? RECORDED_WIDE : RECORDED;
  fixture f;
  create(CSIM_PSD_DROP, wide, &f);
  uint64_t reference = 0;
  for (int isa = 0; isa <= (int)csim_simd_best(); isa++) {
    for (int threads = 1; threads <= 8; threads = threads < 3 ? threads + 1 : threads + 5) {
      csim_pool *pool = csim_pool_create(threads);
      uint64_t hash = solve_hash(pool, (csim_isa)isa, &f);
      if (!reference) reference = hash;
      CHECK(hash == reference);
      csim_pool_free(pool);
    }
  }
  // the same with gcc and clang, and at any level of optimisation
  check_that(reference == recorded, __FILE__, __LINE__, "hash %#llx, recorded %#llx",
             (unsigned long long)reference, (unsigned long long)recorded);
  destroy(&f);
}

// What has no such form is told: other energies, two springs of one kind between the same vertices.
static void test_fits(void) {
  csim_arena arena = {0};
  csim_stiffness K;
  double x[12] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1};
  for (int twin = 0; twin < 2; twin++) {
    kit k;
    kit_begin(4, x, 1, 0.01, &k);
    kit_spring(&k, 0, 1, 10, 1);
    kit_spring(&k, twin ? 1 : 2, 0, 10, 1);
    kit_ready(&k, 1);
    CHECK(csim_stiffness_create(&arena, k.model, &K) == twin);
    kit_end(&k);
  }
  kit k;
  kit_begin(4, x, 1, 0.01, &k);
  csim_elements_add(&k.dihedral, (int[]){1, 2, 0, 3}, (double[]){1, 0, 0, 0, 0, 0});
  kit_ready(&k, 1);
  CHECK(csim_stiffness_create(&arena, k.model, &K) == 1);
  kit_end(&k);
  csim_arena_free(&arena);
}

// A model has as many energies as it takes: a dozen springs side by side are one of their sum.
static void test_many_energies(void) {
  double x[6] = {0, 0, 0, 1, 0, 0};
  kit k;
  kit_begin(2, x, 1, 0.01, &k);
  kit_spring(&k, 0, 1, 10, 1);
  const csim_elements *sets[12];
  for (int i = 0; i < 12; i++) sets[i] = &k.springs;
  CHECK(csim_model_assemble(k.model, 12, sets) == 0 && k.model->nenergy == 12);
  csim_arena arena = {0};
  csim_stiffness K;
  CHECK(csim_stiffness_create(&arena, k.model, &K) == 0);
  csim_stiffness_update(NULL, &(csim_point){.x = x}, CSIM_PSD_DROP, kit_inertia(&arena, k.model, 0),
                        NULL, &K);
  double block[9];
  csim_edge_matrix_diagonals(&K.A, 0, 1, block);
  CHECK_NEAR(block[0], 120, 1e-4);
  csim_stiffness_free(&K);
  csim_arena_free(&arena);
  csim_elements_free(&k.springs);
  csim_model_free(k.model);
}

// A spring that is slack by its last digit, and taut by rounding where its stress is predicted
// from, has a finite matrix.
static void test_slack(void) {
  double x[6] = {0}, before[6] = {0}, p[7] = {1, 2, 3, 4, 5, 7}, q[6];
  unsigned seed = 4;
  kit k;
  kit_begin(2, x, 1, 0.01, &k);
  kit_spring(&k, 0, 1, 10, 1);
  k.springs.param[2] = 0; // compression
  CHECK(csim_model_assemble(k.model, 1, (const csim_elements *[]){&k.springs}) == 0);
  csim_arena arena = {0};
  csim_stiffness K;
  CHECK(csim_stiffness_create(&arena, k.model, &K) == 0);
  for (int round = 0; round < 1000; round++) {
    for (int c = 0; c < 3; c++) x[3 + c] = kit_random(&seed);
    double length = csim_norm(x + 3);
    for (int c = 0; c < 3; c++) {
      x[3 + c] /= length;
      before[3 + c] = x[3 + c] * (1 + 1e-15 * kit_random(&seed));
    }
    csim_stiffness_update(NULL, &(csim_point){.x = x, .earlier.stress = before}, CSIM_PSD_DROP,
                          kit_inertia(&arena, k.model, 0), NULL, &K);
    CHECK(csim_edge_matrix_multiply(NULL, &K.A, p, q, NULL) >= 0);
  }
  csim_stiffness_free(&K);
  csim_arena_free(&arena);
  csim_elements_free(&k.springs);
  csim_model_free(k.model);
}

int main(void) {
  test_slack();
  test_many_energies();
  for (int wide = 0; wide < 2; wide++) {
    test_against_blocks(CSIM_PSD_DROP, wide);
    test_against_blocks(CSIM_PSD_NONE, wide);
    test_null_space(wide);
    test_bits(wide);
  }
  test_fits();
  return check_report();
}
