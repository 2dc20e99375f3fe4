// test_pcg: conjugate gradients and Cholesky factors against the matrix they solve.
#include "check.h"

#include "math/bsr.h"
#include "math/cholesky.h"
#include "math/ichol.h"
#include "math/pcg.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

static double uniform(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (double)(1 << 24) - 0.5;
}

// A random positive definite matrix on the graph of a grid of squares.
typedef struct problem {
  csim_arena arena;
  csim_pattern pattern;
  csim_bsr A;
  double *b, *x, *y;
} problem;

static void problem_create(int side, problem *p) {
  *p = (problem){0};
  int n = side * side, ncell = (side - 1) * (side - 1);
  int *node = CSIM_ARENA_NEW(&p->arena, int, 4 * ncell);
  for (int c = 0; c < ncell; c++) {
    int v = c / (side - 1) * side + c % (side - 1);
    int corner[4] = {v, v + 1, v + side, v + side + 1};
    memcpy(node + 4 * c, corner, sizeof corner);
  }
  csim_element_set set = {ncell, 4, node};
  CHECK(csim_pattern_build(&p->arena, n, 1, &set, &p->pattern) == 0);
  p->A = (csim_bsr){&p->pattern, CSIM_ARENA_NEW(&p->arena, double, 9 * p->pattern.nblock)};
  unsigned seed = 7;
  for (int i = 0; i < n; i++)
    for (int k = p->pattern.start[i]; k < p->pattern.start[i + 1]; k++) {
      int j = p->pattern.col[k];
      if (j <= i) continue;
      double d[3] = {uniform(&seed), uniform(&seed), uniform(&seed)};
      int slots[4] = {k, csim_pattern_find(&p->pattern, j, i), p->pattern.diag[i],
                      p->pattern.diag[j]};
      for (int s = 0; s < 4; s++)
        csim_mat3_add_outer(s < 2 ? -50 : 50, d, d, p->A.val + 9 * slots[s]);
    }
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 3; k++) p->A.val[9 * p->pattern.diag[i] + 4 * k] += 0.1;
  p->b = CSIM_ARENA_NEW(&p->arena, double, 3 * n);
  p->x = CSIM_ARENA_NEW(&p->arena, double, 3 * n);
  p->y = CSIM_ARENA_NEW(&p->arena, double, 3 * n);
  for (int i = 0; i < 3 * n; i++) p->b[i] = uniform(&seed);
}

static double residual(problem *p, csim_pool *pool, const double *x) {
  csim_bsr_multiply(pool, &p->A, x, p->y);
  double max = 0;
  for (int i = 0; i < 3 * p->pattern.nrow; i++) max = fmax(max, fabs(p->y[i] - p->b[i]));
  return max;
}

// A matrix with both preconditioners.
typedef struct factored {
  csim_matrix_pair plain;
  const csim_ichol *L;
} factored;

static double precondition(csim_pool *pool, void *context, const double *r, double *z) {
  return csim_ichol_solve(pool, ((factored *)context)->L, r, z);
}

static void test_solvers(void) {
  problem p;
  problem_create(23, &p);
  int n = p.pattern.nrow;
  csim_pool *pool = csim_pool_create(3);
  CHECK(pool != NULL);

  unsigned char *fixed = CSIM_ARENA_NEW(&p.arena, unsigned char, n);
  for (int i = 0; i < 23; i++) fixed[i] = 1;
  csim_bsr_fix(pool, fixed, &p.A);
  for (int i = 0; i < 3 * 23; i++) p.b[i] = 0;

  csim_scratch scratch = {0};
  CHECK(csim_pcg_reserve(&scratch, 3 * n) == 0);
  csim_solve_goal goal = {.tolerance = 1e-12, .max_iterations = 2000};
  int iterations[2];
  for (int kind = 0; kind < 2; kind++) {
    csim_block_jacobi P;
    csim_ichol L;
    CHECK(csim_block_jacobi_create(&p.arena, n, &P) == 0);
    CHECK(csim_block_jacobi_update(pool, &p.A, &P, NULL) == 0);
    CHECK(csim_ichol_create(&p.arena, &p.pattern, &L) == 0);
    CHECK(csim_ichol_factor(&p.A, &L) == 0);
    factored pair = {{&p.A, &P}, &L};
    csim_linear_system system = csim_matrix_system(&pair.plain);
    if (kind) system.precondition = precondition;
    csim_solve_report r = csim_pcg_solve(pool, &system, p.b, &goal, &scratch, p.x);
    CHECK(r.outcome == CSIM_SOLVE_CONVERGED);
    CHECK(residual(&p, pool, p.x) < 1e-9);
    iterations[kind] = r.iterations;
    for (int i = 0; i < 3 * 23; i++) CHECK(p.x[i] == 0);
  }
  CHECK(iterations[1] < iterations[0] * 0.7); // incomplete Cholesky earns its keep

  csim_cholesky F;
  CHECK(csim_cholesky_analyze(&p.arena, &p.pattern, 3, &F) == 0);
  CHECK(csim_cholesky_factor(&F, p.A.val) == CSIM_SOLVE_CONVERGED);
  csim_cholesky_solve(&F, p.b, p.x);
  CHECK(residual(&p, pool, p.x) < 1e-11);

  // the scalar factor on the same pattern: graph Laplacian + identity, against the block one
  double *scalar = CSIM_ARENA_NEW(&p.arena, double, p.pattern.nblock);
  for (int i = 0; i < n; i++)
    for (int k = p.pattern.start[i]; k < p.pattern.start[i + 1]; k++) {
      scalar[k] = p.pattern.col[k] == i ? 1 + p.pattern.start[i + 1] - p.pattern.start[i] : -1;
      for (int c = 0; c < 9; c++) p.A.val[9 * k + c] = c % 4 ? 0 : scalar[k];
    }
  csim_cholesky G;
  CHECK(csim_cholesky_analyze(&p.arena, &p.pattern, 1, &G) == 0);
  CHECK(csim_cholesky_factor(&G, scalar) == CSIM_SOLVE_CONVERGED);
  csim_cholesky_solve(&G, p.b, p.x);
  CHECK(residual(&p, pool, p.x) < 1e-12);

  // indefinite matrices are told, never solved
  p.A.val[9 * p.pattern.diag[n / 2]] = -100;
  CHECK(csim_cholesky_factor(&F, p.A.val) == CSIM_SOLVE_INDEFINITE);
  csim_pool_free(pool);
  csim_scratch_free(&scratch);
  csim_arena_free(&p.arena);
}

int main(void) {
  test_solvers();
  return check_report();
}
