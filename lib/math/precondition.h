// math/precondition.h: approximate inverses for PCG. Needs base/, math/bsr.h and
// math/edge_matrix.h.
#ifndef CSIM_MATH_PRECONDITION_H
#define CSIM_MATH_PRECONDITION_H

#include "math/bsr.h"
#include "math/edge_matrix.h"

typedef enum csim_preconditioner_kind {
  CSIM_BLOCK_JACOBI, ///< inverses of the diagonal blocks
  CSIM_BLOCK_ICHOL,  ///< incomplete Cholesky A ~ L L^T on A's own lower pattern (no fill)
} csim_preconditioner_kind;

typedef struct csim_precond {
  csim_preconditioner_kind kind;
  csim_isa isa; ///< jacobi: kernels to use
  int nrow;
  float *inverse; ///< jacobi: (nrow x 6) upper halves of those of the diagonal blocks, row by row
  const csim_pattern *pattern; ///< ichol
  double *diag;                ///< ichol: (nrow x 9) inverses of the diagonal blocks of L
  double *val;               ///< ichol: (nblock x 9) blocks of L below the diagonal, on A's pattern
  const unsigned char *idle; ///< jacobi: (nrow) of the edge-based matrix; NULL: there are none
} csim_precond;

/// Allocates for matrices of this pattern. -1 when out of memory.
int csim_precond_create(csim_arena *arena, const csim_pattern *pattern,
                        csim_preconditioner_kind kind, csim_precond *P);

/// Block-Jacobi for matrices of nrow rows, whatever they are stored as. -1 when out of memory.
int csim_precond_create_jacobi(csim_arena *arena, int nrow, csim_precond *P);

/// Computes the factor of A. Diagonal blocks that are not positive definite are replaced by a
/// multiple of the identity (block-Jacobi), or make the whole factor start again with the diagonal
/// raised by a growing share (ichol; Manteuffel 1980), so this never fails.
/// @param task  runs beside it; NULL: none
/// @return number of repaired blocks (jacobi) or of restarts (ichol); 0: A was used unchanged
int csim_precond_update(csim_pool *pool, const csim_bsr *A, csim_precond *P, const csim_task *task);

/// The same for an edge-based matrix; block-Jacobi only. Of idle rows, z may
/// be zero.
int csim_precond_update_edges(csim_pool *pool, const csim_edge_matrix *A, csim_precond *P,
                              const csim_task *task);

/// z = P^-1 r, both (nrow x 3).
/// @param task  runs beside it; NULL: none
/// @return r.z
double csim_precond_apply(csim_pool *pool, const csim_precond *P, const double *r, double *z,
                          const csim_task *task);

#endif
