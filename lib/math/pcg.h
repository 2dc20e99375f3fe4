// math/pcg.h: preconditioned conjugate gradients. Needs math/bsr.h, math/block_jacobi.h.
#ifndef CSIM_MATH_PCG_H
#define CSIM_MATH_PCG_H

#include "base/scratch.h"
#include "math/block_jacobi.h"

typedef enum csim_solve_outcome {
  CSIM_SOLVE_CONVERGED,
  CSIM_SOLVE_LIMIT,      ///< iteration limit; x is the best of the Krylov space so far
  CSIM_SOLVE_INDEFINITE, ///< a direction p with p^T A p <= 0; x is the iterate before it
  CSIM_SOLVE_BREAKDOWN,  ///< a number is not finite, or a factor does not exist
} csim_solve_outcome;

typedef struct csim_solve_report {
  csim_solve_outcome outcome;
  int iterations;
  double residual; ///< |b - A x| / |b|, as computed by the recurrence
} csim_solve_report;

/// Stopping criterion.
typedef struct csim_solve_goal {
  double tolerance; ///< of |b - A x| / |b| (Euclidean)
  int max_iterations;
  /// Further criterion on the residual r = b - A x (nrow x 3), tested in every other iteration once
  /// the tolerance is reached. NULL: none
  int (*is_enough)(void *context, const double *r);
  void *context; ///< of is_enough
} csim_solve_goal;

/// Bytes of working vectors of n = 3 nrow numbers, and one more to read behind each: as much as the
/// solvers here need.
ptrdiff_t csim_pcg_bytes(int n);

/// Reserves these. @return 0, or -1 when out of memory
int csim_pcg_reserve(csim_scratch *scratch, int n);

/// A symmetric linear map A of (nrow x 3) vectors and its preconditioner P, in any form, for
/// conjugate gradients.
typedef struct csim_linear_system {
  void *context;
  int n; ///< 3 nrow
  /// q = A p; returns p.q
  double (*multiply)(csim_pool *pool, void *context, const double *p, double *q);
  /// z = P^-1 r; returns r.z
  double (*precondition)(csim_pool *pool, void *context, const double *r, double *z);
} csim_linear_system;

/// A matrix and its preconditioner as such a system, which refers to `pair`.
typedef struct csim_matrix_pair {
  const csim_bsr *A;
  const csim_block_jacobi *P;
} csim_matrix_pair;
csim_linear_system csim_matrix_system(csim_matrix_pair *pair);

/// Solves A x = b from x = 0 until the goal is reached.
/// If A is indefinite in the very first direction, x is that direction, P^-1 b: still a descent
/// direction (Steihaug 1983).
/// @param      b  (nrow x 3)
/// @param[out] x  (nrow x 3), overwritten
csim_solve_report csim_pcg_solve(csim_pool *pool, const csim_linear_system *system, const double *b,
                                 const csim_solve_goal *goal, csim_scratch *scratch, double *x);

#endif
