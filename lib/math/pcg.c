// math/pcg.c: see pcg.h. Hestenes & Stiefel 1952; truncation on negative curvature: Steihaug 1983.
#include "math/pcg.h"

#include "math/vector.h"

#include <math.h>
#include <string.h>

csim_solve_report csim_pcg_solve_operator(csim_pool *pool, csim_operator A, csim_operator P, int n,
                                          const double *b, double tolerance, int max_iterations,
                                          csim_pcg_scratch *scratch, double *x) {
  size_t bytes = (size_t)n * sizeof(double);
  double *r = scratch->r, *z = scratch->z, *p = scratch->p, *q = scratch->q;
  csim_solve_report report = {.outcome = CSIM_SOLVE_LIMIT};

  memset(x, 0, bytes);
  memcpy(r, b, bytes);
  double bnorm2 = csim_vector_dot(pool, n, b, b);
  if (bnorm2 == 0) return (csim_solve_report){.outcome = CSIM_SOLVE_CONVERGED};
  if (!isfinite(bnorm2))
    return (csim_solve_report){.outcome = CSIM_SOLVE_BREAKDOWN, .residual = NAN};
  double stop = tolerance * tolerance * bnorm2, rnorm2 = bnorm2;

  P.apply(pool, P.context, r, z);
  memcpy(p, z, bytes);
  double rz = csim_vector_dot(pool, n, r, z);
  for (int k = 0; k < max_iterations && rnorm2 > stop; k++) {
    A.apply(pool, A.context, p, q);
    double pq = csim_vector_dot(pool, n, p, q);
    if (!(pq > 0)) {
      report.outcome = isfinite(pq) ? CSIM_SOLVE_INDEFINITE : CSIM_SOLVE_BREAKDOWN;
      if (k == 0) memcpy(x, z, bytes);
      break;
    }
    double alpha = rz / pq;
    csim_vector_add(pool, n, alpha, p, x);
    csim_vector_add(pool, n, -alpha, q, r);
    rnorm2 = csim_vector_dot(pool, n, r, r);
    report.iterations = k + 1;
    if (rnorm2 <= stop) break;
    P.apply(pool, P.context, r, z);
    double rz_next = csim_vector_dot(pool, n, r, z);
    csim_vector_scale_add(pool, n, z, rz_next / rz, p);
    rz = rz_next;
  }
  if (rnorm2 <= stop) report.outcome = CSIM_SOLVE_CONVERGED;
  report.residual = sqrt(rnorm2 / bnorm2);
  return report;
}

static void multiply(csim_pool *pool, void *context, const double *in, double *out) {
  csim_bsr_multiply(pool, context, in, out);
}

static void precondition(csim_pool *pool, void *context, const double *in, double *out) {
  csim_precond_apply(pool, context, in, out);
}

csim_solve_report csim_pcg_solve(csim_pool *pool, const csim_bsr *A, const csim_precond *P,
                                 const double *b, double tolerance, int max_iterations,
                                 csim_pcg_scratch *scratch, double *x) {
  csim_bsr matrix = *A;
  csim_precond inverse = *P;
  return csim_pcg_solve_operator(pool, (csim_operator){multiply, &matrix},
                                 (csim_operator){precondition, &inverse}, 3 * A->pattern->nrow, b,
                                 tolerance, max_iterations, scratch, x);
}
