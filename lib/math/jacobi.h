// math/jacobi.h: damped Jacobi iteration with optional Chebyshev acceleration. Needs math/pcg.h.
#ifndef CSIM_MATH_JACOBI_H
#define CSIM_MATH_JACOBI_H

#include "math/pcg.h"

typedef struct csim_jacobi_params {
  double alpha;     ///< damping, (0, 1]
  double rho;       ///< estimated spectral radius of the iteration, [0, 1); 0 = no acceleration
  double tolerance; ///< on |b - A x| / |b|
  int max_iterations;
} csim_jacobi_params;

/// x <- x + alpha D^-1 (b - A x) from x = 0, D the 3 x 3 diagonal blocks (P);
/// with rho > 0: x_{k+1} = w (x_k + alpha D^-1 r - x_{k-1}) + x_{k-1}, w = 1, 2/(2 - rho^2),
/// 4/(4 - rho^2 w) (Wang 2015). Breaks off with BREAKDOWN when the residual grows a millionfold.
csim_solve_report csim_jacobi_solve(csim_pool *pool, const csim_bsr *A, const csim_block_jacobi *P,
                                    const double *b, const csim_jacobi_params *params,
                                    csim_scratch *scratch, double *x);

#endif
