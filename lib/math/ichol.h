// math/ichol.h: incomplete Cholesky factor A ~ L L^T on the lower pattern of A, without fill:
// IC(0). Needs math/bsr.h.
#ifndef CSIM_MATH_ICHOL_H
#define CSIM_MATH_ICHOL_H

#include "math/bsr.h"

typedef struct csim_ichol {
  const csim_pattern *pattern;
  double *diag; ///< (nrow x 9) inverses of the diagonal blocks of L
  double *val;  ///< (nblock x 9) blocks of L below the diagonal, on A's pattern
} csim_ichol;

/// Allocates for matrices of this pattern. -1 when out of memory.
int csim_ichol_create(csim_arena *arena, const csim_pattern *pattern, csim_ichol *L);

/// Computes the factor of A. If a pivot is not positive definite, it starts again with the diagonal
/// raised by a growing share (Manteuffel 1980), so this never fails.
/// @return number of restarts
int csim_ichol_factor(const csim_bsr *A, csim_ichol *L);

/// z = L^-T L^-1 r, both (nrow x 3).
/// @return r.z
double csim_ichol_solve(csim_pool *pool, const csim_ichol *L, const double *r, double *z);

#endif
