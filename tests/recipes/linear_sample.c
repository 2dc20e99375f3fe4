// solver/linear_sample.c: the sample of tests/recipes: symmetric Gauss-Seidel iteration, one number
// after another. Needs solver/linear.h.
#include "solver/linear.h"

#include "math/vector.h"

#include <string.h>

typedef struct sample {
  csim_bsr A;
  double *Ax; // (nrow x 3)
} sample;

static void *create(csim_arena *arena, const csim_model *model, const csim_solver_params *params,
                    csim_linear_matrix *A) {
  sample *s = CSIM_ARENA_NEW(arena, sample, 1);
  if (!s || csim_linear_matrix_create(arena, model, params, 0, A)) return NULL;
  s->Ax = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert));
  return s;
}

static csim_solve_outcome prepare(const csim_problem *problem, const csim_linear_matrix *A,
                                  void *scratch) {
  (void)problem;
  ((sample *)scratch)->A = A->H;
  return CSIM_SOLVE_CONVERGED;
}

// Solves equation c of block row i for x[3 i + c].
static void relax(const csim_bsr *A, int i, int c, const double *b, double *x) {
  const csim_pattern *p = A->pattern;
  double rest = b[3 * i + c], pivot = 1;
  for (int k = p->start[i]; k < p->start[i + 1]; k++)
    for (int d = 0; d < 3; d++) {
      double a = A->val[csim_row(9, k) + 3 * c + d];
      if (p->col[k] == i && d == c)
        pivot = a;
      else
        rest -= a * x[csim_xyz(p->col[k]) + d];
    }
  x[3 * i + c] = rest / pivot;
}

static void sweep(const csim_bsr *A, const double *b, double *x) {
  int n = 3 * A->pattern->nrow;
  for (int k = 0; k < n; k++) relax(A, k / 3, k % 3, b, x);
  for (int k = n - 1; k >= 0; k--) relax(A, k / 3, k % 3, b, x);
}

static double precondition(csim_pool *pool, void *scratch, const double *r, double *z) {
  sample *s = scratch;
  int n = 3 * s->A.pattern->nrow;
  memset(z, 0, (size_t)n * sizeof *z);
  sweep(&s->A, r, z);
  return csim_vector_dot(pool, n, r, z);
}

static csim_solve_report solve(const csim_problem *problem, const csim_linear_matrix *A,
                               void *scratch, const double *b, double tolerance, double *x) {
  sample *s = scratch;
  int n = 3 * A->layout.pattern.nrow;
  csim_pool *pool = problem->pool;
  csim_solve_report report = {.outcome = CSIM_SOLVE_LIMIT};
  double b2 = csim_vector_dot(pool, n, b, b);
  memset(x, 0, (size_t)n * sizeof *x);
  while (report.iterations < problem->params->linear_iterations) {
    sweep(&s->A, b, x);
    report.iterations++;
    csim_bsr_multiply(pool, &s->A, x, s->Ax);
    csim_vector_add(pool, n, -1, b, s->Ax);
    if (csim_vector_dot(pool, n, s->Ax, s->Ax) > tolerance * tolerance * b2) continue;
    report.outcome = CSIM_SOLVE_CONVERGED;
    break;
  }
  return report;
}

extern const csim_linear_kind csim_linear_sample;
const csim_linear_kind csim_linear_sample = {.create = create,
                                             .prepare = prepare,
                                             .precondition = precondition,
                                             .solve = solve,
                                             .is_preconditioner = 1};
