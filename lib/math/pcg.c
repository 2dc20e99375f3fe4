// math/pcg.c: see pcg.h. Hestenes & Stiefel 1952; truncation on negative curvature: Steihaug 1983.
//
// An iteration: the preconditioner with r.z; x and the next p; q = A p with p.q; the residual r
// with r.r. The last direction is added to x without a preconditioner after it.
#include "math/pcg.h"

#include "math/vector.h"

#include <math.h>

ptrdiff_t csim_pcg_bytes(int n) {
  return 3 * csim_scratch_bytes((ptrdiff_t)n + 1, sizeof(double));
}

int csim_pcg_reserve(csim_scratch *scratch, int n) {
  return csim_scratch_reserve(scratch, csim_pcg_bytes(n));
}

static int is_reached(const csim_solve_goal *goal, int iterations, const double *r, double rnorm2,
                      double stop) {
  if (rnorm2 > stop) return 0;
  if (!goal->is_enough || rnorm2 == 0) return 1;
  return iterations % 2 == 0 && goal->is_enough(goal->context, r);
}

csim_solve_report csim_pcg_solve(csim_pool *pool, const csim_linear_system *system, const double *b,
                                 const csim_solve_goal *goal, csim_scratch *scratch, double *x) {
  int n = system->n;
  csim_scratch_begin(scratch);
  double *r = CSIM_SCRATCH_TAKE(scratch, double, (ptrdiff_t)n + 1);
  double *p = CSIM_SCRATCH_TAKE(scratch, double, (ptrdiff_t)n + 1);
  double *q = CSIM_SCRATCH_TAKE(scratch, double, (ptrdiff_t)n + 1), *z = q; // never both
  csim_solve_report report = {.outcome = CSIM_SOLVE_LIMIT};

  csim_vector_clear(pool, n, x);
  csim_vector_copy(pool, n, b, r);
  double bnorm2 = csim_vector_dot(pool, n, r, r), rnorm2 = bnorm2, rz = 0, alpha = 0;
  if (bnorm2 == 0) return (csim_solve_report){.outcome = CSIM_SOLVE_CONVERGED};
  if (!isfinite(bnorm2))
    return (csim_solve_report){.outcome = CSIM_SOLVE_BREAKDOWN, .residual = NAN};
  double stop = goal->tolerance * goal->tolerance * bnorm2;
  int reached;

  while (!(reached = is_reached(goal, report.iterations, r, rnorm2, stop)) &&
         report.iterations < goal->max_iterations) {
    double was = rz;
    rz = system->precondition(pool, system->context, r, z);
    if (report.iterations == 0)
      csim_vector_copy(pool, n, z, p);
    else
      csim_vector_advance(pool, n, alpha, rz / was, z, p, x);
    double pq = system->multiply(pool, system->context, p, q);
    if (!(pq > 0)) {
      report.outcome = isfinite(pq) ? CSIM_SOLVE_INDEFINITE : CSIM_SOLVE_BREAKDOWN;
      if (report.iterations == 0) csim_vector_copy(pool, n, p, x);
      alpha = 0; // x has all but this direction
      break;
    }
    alpha = rz / pq;
    rnorm2 = csim_vector_reduce(pool, n, alpha, q, r);
    report.iterations++;
  }
  if (alpha != 0) csim_vector_add(pool, n, alpha, p, x);
  if (reached) report.outcome = CSIM_SOLVE_CONVERGED;
  report.residual = sqrt(rnorm2 / bnorm2);
  return report;
}

static double multiply(csim_pool *pool, void *context, const double *p, double *q) {
  const csim_bsr *A = ((const csim_matrix_pair *)context)->A;
  csim_bsr_multiply(pool, A, p, q);
  return csim_vector_dot(pool, 3 * A->pattern->nrow, p, q);
}

static double precondition(csim_pool *pool, void *context, const double *r, double *z) {
  return csim_block_jacobi_apply(pool, ((const csim_matrix_pair *)context)->P, r, z, NULL);
}

csim_linear_system csim_matrix_system(csim_matrix_pair *pair) {
  return (csim_linear_system){pair, 3 * pair->A->pattern->nrow, multiply, precondition};
}
