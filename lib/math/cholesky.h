// math/cholesky.h: sparse Cholesky factor L L^T of a symmetric positive definite matrix. Needs
// math/bsr.h and the package AMD (ordering only: all arithmetic is ours, so bits are the same on
// every machine).
//
// One code serves two matrices on the same pattern: 3 x 3 blocks (Newton), and scalars that act on
// x, y and z alike (projective dynamics), whose solve does the three right-hand sides in one pass.
#ifndef CSIM_MATH_CHOLESKY_H
#define CSIM_MATH_CHOLESKY_H

#include "math/pcg.h"

typedef struct csim_cholesky {
  const csim_pattern *pattern;
  int size;         ///< 3: blocks are 3 x 3; 1: scalars
  int n;            ///< rows
  int *perm;        ///< (n) row perm[k] of A is row k of the factor
  int *inverse;     ///< (n) inverse of perm
  int *parent;      ///< (n) elimination tree, -1 = root
  ptrdiff_t *start; ///< (n + 1) columns of L below the diagonal
  int *row;         ///< (start[n]) ascending within a column
  double *val;      ///< (start[n] x size^2)
  double *diag;     ///< (n x size^2) inverses of the diagonal blocks of L
  // scratch of factor and solve
  ptrdiff_t *fill;   ///< (n)
  int *stack, *mark; ///< (n)
  double *work;      ///< (n x max(size^2, 3))
} csim_cholesky;

/// Orders (approximate minimum degree), finds the pattern of L and allocates it.
/// @return 0, or -1 when out of memory
int csim_cholesky_analyze(csim_arena *arena, const csim_pattern *pattern, int size,
                          csim_cholesky *F);

/// Factors the matrix whose blocks are val (nblock x size^2) on the pattern.
/// @return CSIM_SOLVE_CONVERGED; CSIM_SOLVE_INDEFINITE when a pivot is not positive definite
csim_solve_outcome csim_cholesky_factor(csim_cholesky *F, const double *val);

/// x = A^-1 b, both (n x 3); x may be b.
void csim_cholesky_solve(csim_cholesky *F, const double *b, double *x);

#endif
