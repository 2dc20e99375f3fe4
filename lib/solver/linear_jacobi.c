// solver/linear_jacobi.c: damped Jacobi iteration on 3 x 3 blocks, plain and with Chebyshev
// acceleration.
#include "solver/linear.h"

#include "math/jacobi.h"

static void *jacobi_create(csim_arena *arena, const csim_model *model,
                           const csim_solver_params *params, csim_linear_matrix *A) {
  csim_block_jacobi *P = CSIM_ARENA_NEW(arena, csim_block_jacobi, 1);
  if (!P || csim_linear_matrix_create(arena, model, params, 0, A)) return NULL;
  csim_block_jacobi_create(arena, A->layout.pattern.nrow, P);
  return P;
}

static csim_solve_outcome jacobi_prepare(const csim_problem *problem, const csim_linear_matrix *A,
                                         void *scratch) {
  csim_block_jacobi_update(problem->pool, &A->H, scratch, NULL);
  return CSIM_SOLVE_CONVERGED;
}

static double jacobi_precondition(csim_pool *pool, void *scratch, const double *r, double *z) {
  return csim_block_jacobi_apply(pool, scratch, r, z, NULL);
}

static csim_solve_report iterate(const csim_problem *problem, const csim_linear_matrix *A,
                                 void *scratch, const double *b, double tolerance, double rho,
                                 double *x) {
  csim_jacobi_params jacobi = {.alpha = problem->params->jacobi_alpha,
                               .rho = rho,
                               .tolerance = tolerance,
                               .max_iterations = problem->params->linear_iterations};
  return csim_jacobi_solve(problem->pool, &A->H, scratch, b, &jacobi, problem->scratch, x);
}

static csim_solve_report jacobi_solve(const csim_problem *problem, const csim_linear_matrix *A,
                                      void *scratch, const double *b, double tolerance, double *x) {
  return iterate(problem, A, scratch, b, tolerance, 0, x);
}

static csim_solve_report chebyshev_solve(const csim_problem *problem, const csim_linear_matrix *A,
                                         void *scratch, const double *b, double tolerance,
                                         double *x) {
  return iterate(problem, A, scratch, b, tolerance, problem->params->chebyshev_rho, x);
}

extern const csim_linear_kind csim_linear_jacobi, csim_linear_chebyshev_jacobi;
const csim_linear_kind csim_linear_jacobi = {.create = jacobi_create,
                                             .prepare = jacobi_prepare,
                                             .precondition = jacobi_precondition,
                                             .solve = jacobi_solve};
const csim_linear_kind csim_linear_chebyshev_jacobi = {.create = jacobi_create,
                                                       .prepare = jacobi_prepare,
                                                       .precondition = jacobi_precondition,
                                                       .solve = chebyshev_solve};
