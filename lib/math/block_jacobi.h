// math/block_jacobi.h: the inverses of the diagonal blocks of a matrix, as a preconditioner. Needs
// base/, math/bsr.h and math/edge_matrix.h.
#ifndef CSIM_MATH_BLOCK_JACOBI_H
#define CSIM_MATH_BLOCK_JACOBI_H

#include "math/bsr.h"
#include "math/edge_matrix.h"

typedef struct csim_block_jacobi {
  csim_isa isa; ///< kernels to use
  int nrow;
  float *inverse;            ///< (nrow x 6) upper halves of the inverse blocks, row by row
  const unsigned char *idle; ///< (nrow) of the edge-based matrix; NULL: there are none
} csim_block_jacobi;

/// For matrices of nrow rows, whatever they are stored as. -1 when out of memory.
int csim_block_jacobi_create(csim_arena *arena, int nrow, csim_block_jacobi *P);

/// Inverts the diagonal blocks of A. Those that are not positive definite are replaced by a
/// multiple of the identity, so this never fails.
/// @param beside  loop in the same job; NULL: none
/// @return number of replaced blocks
int csim_block_jacobi_update(csim_pool *pool, const csim_bsr *A, csim_block_jacobi *P,
                             const csim_loop *beside);

/// The same for an edge-based matrix. Of idle rows, z may be zero.
int csim_block_jacobi_update_edges(csim_pool *pool, const csim_edge_matrix *A, csim_block_jacobi *P,
                                   const csim_loop *beside);

/// z = P^-1 r, both (nrow x 3).
/// @param beside  loop in the same job; NULL: none
/// @return r.z
double csim_block_jacobi_apply(csim_pool *pool, const csim_block_jacobi *P, const double *r,
                               double *z, const csim_loop *beside);

/// z = P^-1 r of row i alone, r and z (3). The same numbers.
static inline void csim_block_jacobi_apply_row(const csim_block_jacobi *P, int i, const double *r,
                                               double *z) {
  const float *a = P->inverse + csim_row(6, i);
  z[0] = (double)a[0] * r[0] + (double)a[1] * r[1] + (double)a[2] * r[2];
  z[1] = (double)a[1] * r[0] + (double)a[3] * r[1] + (double)a[4] * r[2];
  z[2] = (double)a[2] * r[0] + (double)a[4] * r[1] + (double)a[5] * r[2];
}

#endif
