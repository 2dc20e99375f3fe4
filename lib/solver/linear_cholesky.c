// solver/linear_cholesky.c: sparse Cholesky factorisation, exact but for rounding.
#include "solver/linear.h"

#include "math/cholesky.h"
#include "math/vector.h"

static void *cholesky_create(csim_arena *arena, const csim_model *model,
                             const csim_solver_params *params, csim_linear_matrix *A) {
  csim_cholesky *F = CSIM_ARENA_NEW(arena, csim_cholesky, 1);
  if (!F || csim_linear_matrix_create(arena, model, params, 0, A)) return NULL;
  csim_cholesky_analyze(arena, &A->layout.pattern, 3, F);
  return F;
}

static csim_solve_outcome cholesky_prepare(const csim_problem *problem, const csim_linear_matrix *A,
                                           void *scratch) {
  (void)problem;
  return csim_cholesky_factor(scratch, A->H.val);
}

static double cholesky_precondition(csim_pool *pool, void *scratch, const double *r, double *z) {
  csim_cholesky *F = scratch;
  csim_cholesky_solve(F, r, z);
  return csim_vector_dot(pool, 3 * F->pattern->nrow, r, z);
}

static csim_solve_report cholesky_solve(const csim_problem *problem, const csim_linear_matrix *A,
                                        void *scratch, const double *b, double tolerance,
                                        double *x) {
  (void)problem, (void)A, (void)tolerance;
  csim_cholesky_solve(scratch, b, x);
  return (csim_solve_report){.iterations = 1};
}

extern const csim_linear_kind csim_linear_cholesky;
const csim_linear_kind csim_linear_cholesky = {.create = cholesky_create,
                                               .prepare = cholesky_prepare,
                                               .precondition = cholesky_precondition,
                                               .solve = cholesky_solve,
                                               .is_preconditioner = 1,
                                               .requires_definite = 1};
