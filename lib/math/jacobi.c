// math/jacobi.c: see jacobi.h. Acceleration: Wang, A Chebyshev Semi-Iterative Approach for
// Accelerating Projective and Position-Based Dynamics, SIGGRAPH Asia 2015.
#include "math/jacobi.h"

#include "math/vector.h"

#include <math.h>
#include <string.h>

csim_solve_report csim_jacobi_solve(csim_pool *pool, const csim_bsr *A, const csim_block_jacobi *P,
                                    const double *b, const csim_jacobi_params *params,
                                    csim_scratch *scratch, double *x) {
  int n = 3 * A->pattern->nrow;
  size_t bytes = (size_t)n * sizeof(double);
  csim_scratch_begin(scratch);
  double *r = CSIM_SCRATCH_TAKE(scratch, double, (ptrdiff_t)n + 1);
  double *z = CSIM_SCRATCH_TAKE(scratch, double, (ptrdiff_t)n + 1);
  double *last = CSIM_SCRATCH_TAKE(scratch, double, (ptrdiff_t)n + 1);
  csim_solve_report report = {.outcome = CSIM_SOLVE_LIMIT, .residual = 1};
  memset(x, 0, bytes);
  memset(last, 0, bytes);
  double bnorm = sqrt(csim_vector_dot(pool, n, b, b)), omega = 1;
  if (bnorm == 0) return (csim_solve_report){.outcome = CSIM_SOLVE_CONVERGED};
  memcpy(r, b, bytes);
  for (int k = 0; k < params->max_iterations; k++) {
    csim_block_jacobi_apply(pool, P, r, z, NULL);
    if (k == 1) omega = 2 / (2 - params->rho * params->rho);
    if (k > 1) omega = 4 / (4 - params->rho * params->rho * omega);
    for (int i = 0; i < n; i++) {
      double next = omega * (x[i] + params->alpha * z[i]) + (1 - omega) * last[i];
      last[i] = x[i];
      x[i] = next;
    }
    csim_bsr_multiply(pool, A, x, r);
    for (int i = 0; i < n; i++) r[i] = b[i] - r[i];
    report.residual = sqrt(csim_vector_dot(pool, n, r, r)) / bnorm;
    report.iterations = k + 1;
    if (report.residual <= params->tolerance) {
      report.outcome = CSIM_SOLVE_CONVERGED;
      break;
    }
    if (!(report.residual < 1e6)) {
      report.outcome = CSIM_SOLVE_BREAKDOWN;
      break;
    }
  }
  return report;
}
