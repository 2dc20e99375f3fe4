// math/bsr.h: symmetric sparse matrices of 3 x 3 blocks, all rows stored. Needs base/.
#ifndef CSIM_MATH_BSR_H
#define CSIM_MATH_BSR_H

#include "base/arena.h"
#include "base/pool.h"

/// The positions of the blocks: constant, shared by all matrices of a model.
typedef struct csim_pattern {
  int nrow;   ///< block rows = block columns
  int nblock; ///< blocks stored
  int *start; ///< (nrow + 1) first block of each row
  int *col;   ///< (nblock) block column, ascending within a row
  int *diag;  ///< (nrow) block of (i, i); every row has one
} csim_pattern;

/// A matrix on a pattern. Block b is val[9 b ..], row-major.
typedef struct csim_bsr {
  const csim_pattern *pattern;
  double *val; ///< (nblock x 9)
} csim_bsr;

/// Pattern of all pairs (i, j) of vertices that share an element, and the diagonal.
/// @param node  (nelem x nnode) vertices of each element, for each of nset element sets
/// @return 0 on success, -1 out of memory (arena->failed)
typedef struct csim_element_set {
  int nelem, nnode;
  const int *node;
} csim_element_set;
int csim_pattern_build(csim_arena *arena, int nrow, int nset, const csim_element_set *set,
                       csim_pattern *pattern);

/// Block (row, col), or -1 when it is not in the pattern.
int csim_pattern_find(const csim_pattern *pattern, int row, int col);

/// y = A x, x and y (nrow x 3).
void csim_bsr_multiply(csim_pool *pool, const csim_bsr *A, const double *x, double *y);

/// Makes the rows and columns of marked vertices those of the identity: the reduced system of the
/// free vertices, K A K^T, in place.
/// @param fixed  (nrow) non-zero = marked
void csim_bsr_fix(csim_pool *pool, const unsigned char *fixed, csim_bsr *A);

#endif
