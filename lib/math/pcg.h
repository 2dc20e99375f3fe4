// math/pcg.h: preconditioned conjugate gradients. Needs math/bsr.h, math/precondition.h.
#ifndef CSIM_MATH_PCG_H
#define CSIM_MATH_PCG_H

#include "math/precondition.h"

typedef enum csim_solve_outcome {
  CSIM_SOLVE_CONVERGED,
  CSIM_SOLVE_LIMIT,      ///< iteration limit; x is the best of the Krylov space so far
  CSIM_SOLVE_INDEFINITE, ///< a direction p with p^T A p <= 0; x is the iterate before it
  CSIM_SOLVE_BREAKDOWN,  ///< a number is not finite, or a factor does not exist
} csim_solve_outcome;

typedef struct csim_solve_report {
  csim_solve_outcome outcome;
  int iterations;
  double residual; ///< |b - A x| / |b|, as the recurrence has it
} csim_solve_report;

/// Working vectors, each (nrow x 3).
typedef struct csim_pcg_scratch {
  double *r, *z, *p, *q;
} csim_pcg_scratch;

/// A symmetric linear map of (nrow x 3) vectors, whatever it is made of: out = A in, overwritten.
typedef struct csim_operator {
  void (*apply)(csim_pool *pool, void *context, const double *in, double *out);
  void *context;
} csim_operator;

/// Solves A x = b from x = 0 until |b - A x| <= tolerance |b| (Euclidean).
/// When A turns out indefinite in the very first direction, x is that direction, P^-1 b: a descent
/// direction all the same (Steihaug 1983).
/// @param      P  applies the approximate inverse of A
/// @param      n  length of the vectors, 3 nrow
/// @param      b  (nrow x 3)
/// @param[out] x  (nrow x 3), overwritten
csim_solve_report csim_pcg_solve_operator(csim_pool *pool, csim_operator A, csim_operator P, int n,
                                          const double *b, double tolerance, int max_iterations,
                                          csim_pcg_scratch *scratch, double *x);

/// The same for a matrix.
csim_solve_report csim_pcg_solve(csim_pool *pool, const csim_bsr *A, const csim_precond *P,
                                 const double *b, double tolerance, int max_iterations,
                                 csim_pcg_scratch *scratch, double *x);

#endif
