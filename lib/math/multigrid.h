// math/multigrid.h: additive aggregation multigrid: a hierarchy of coarser problems that corrects
// low frequencies, which block-Jacobi does not reduce. Needs math/edge_matrix.h,
// math/block_jacobi.h, math/cholesky.h.
//
// The rows of an aggregate move as one: P has an identity block for each row's aggregate, and the
// coarse matrix is P^T A P. Aggregates are aggregated again until few are left; those are solved
// exactly. All levels are added (additive multigrid),
//   z = D^-1 r + P_1 (D_1^-1 r_1 + P_2 (D_2^-1 r_2 + ... + P_n A_n^-1 r_n)),  r_k = P_k^T r_{k-1},
// so the result is symmetric and positive definite for any levels.
// A matrix may couple rows outside of its pattern, which contact changes from one matrix to the
// next. Coarse matrices get these couplings, P^T C P. Where they tie rows that the pattern of a
// level does not, that level is solved exactly as soon as it is small: aggregates are of one layer
// of cloth each, and without the couplings a level treats layers that move together as if fixed to
// each other.
// Knots are rows that much stiffer blocks tie together, like both ends of a stitch. They move as
// one in softer ways, which neither block-Jacobi nor aggregates of many more rows find: a knot is
// never split by an aggregate, and has a correction of its own, z += sum over knots K D_K^-1 K^T r.
// A dress just sewn took 456 iterations to a tenth of its residual without them, and takes 77.
// Aggregation: Vanek, Mandel & Brezina 1996; additive levels: Bramble, Pasciak & Xu 1990.
#ifndef CSIM_MATH_MULTIGRID_H
#define CSIM_MATH_MULTIGRID_H

#include "base/buckets.h"
#include "math/cholesky.h"
#include "math/edge_matrix.h"

#include <stdint.h>

enum { CSIM_MAX_LEVEL = 12 };

/// A coarse level: its matrix, and its construction from the rows below.
typedef struct csim_multigrid_level {
  int nrow;
  int *aggregate;       ///< (rows below) row of this level; -1: none (the row is not coupled)
  int *start, *row;     ///< (nrow + 1), (start[nrow]) the rows below of each row here
  uint16_t *slot, *far; ///< positions in this level of near (or all) and far blocks below
  csim_pattern pattern;
  csim_bsr A;
  csim_block_jacobi P; ///< D^-1; not of the last level
  double *r, *z;       ///< (nrow x 3)
} csim_multigrid_level;

/// A block (w w^T) (x) B over up to four rows, of which a matrix has the diagonal only.
typedef struct csim_coupling {
  int n; ///< rows; 0: none
  int row[4];
  double w[4];
  double own[4]; ///< squared weights on the diagonal of a level, for the update
  double B[9];
} csim_coupling;

typedef struct csim_couplings {
  int n;
  csim_coupling *item; ///< (n) on the heap
  ptrdiff_t capacity;
} csim_couplings;

/// A level is tied when couplings join rows that its own pattern has no block for. Its matrix then
/// has a pattern and a factor of its own, which change when other rows are joined.
typedef struct csim_tied {
  csim_arena arena;
  uint64_t *seen; ///< (nrow x (nrow + 63) / 64) the pairs it has, as bits; NULL: none yet
  csim_bsr A;     ///< on `pattern`
  csim_pattern pattern;
  csim_cholesky F;
} csim_tied;

typedef struct csim_multigrid {
  int nrow;
  int nlevel; ///< 0: no correction
  csim_multigrid_level level[CSIM_MAX_LEVEL];
  csim_cholesky F;            ///< of the last level
  csim_multigrid_level knots; ///< groups of rows tied by stiff blocks, see above: beside the
                              ///< levels, with the diagonal of its matrix only
  int used;     ///< levels of the matrix updated last; the last of them is solved exactly
  int factored; ///< 0: it was not positive definite and is left out
  int is_tied;  ///< the last of them is factored with couplings that its pattern lacks
  csim_tied tied;
  double small_rz;      ///< r.z of the first level that one thread does, in the last application
  csim_buckets buckets; ///< of couplings, by rows of a level
} csim_multigrid;

/// Frees what is not in the arena.
void csim_multigrid_free(csim_multigrid *C);

/// One step of coarsening: aggregates of rows that are neighbours in a pattern. A seed and all its
/// neighbours form an aggregate if none of them belongs to another; the remaining rows join a
/// neighbour's. Seeds are therefore at least three neighbours apart.
/// @param      early      (nrow) non-zero = tried as seeds before the others; NULL: none
/// @param[out] scratch    (nrow)
/// @param[out] aggregate  (nrow) of each row; -1: it has no neighbours
/// @param[out] seed       (nrow) the first entries: the row that each aggregate grew from
/// @return number of aggregates
int csim_multigrid_aggregate(const csim_pattern *pattern, const unsigned char *early, int *scratch,
                             int *aggregate, int *seed);

/// Pattern of such aggregates: pairs of which some rows are neighbours.
/// @param aggregate  (pattern->nrow) below nrow; -1: none
/// @return 0, or -1 when out of memory (arena->failed)
int csim_multigrid_coarsen(csim_arena *arena, const csim_pattern *pattern, const int *aggregate,
                           int nrow, csim_pattern *coarse);

/// Chooses the aggregates for matrices on a graph, or on a pattern whose fixed rows are those of
/// the identity, and allocates everything.
/// @param knot   (nrow) rows of one number, below nrow, are a knot; -1: in none. NULL: no knots
/// @param fixed  (pattern->nrow) non-zero = fixed
/// @return 0, or -1 when out of memory (arena->failed)
int csim_multigrid_create_edges(csim_arena *arena, const csim_edge_graph *graph, const int *knot,
                                csim_multigrid *C);
int csim_multigrid_create(csim_arena *arena, const csim_pattern *pattern,
                          const unsigned char *fixed, const int *knot, csim_multigrid *C);

/// Computes D^-1 of A, and the coarse matrices of A and of what it has outside of its pattern.
/// @param couplings  overwritten; NULL: none
/// @param[out] P     D^-1, as csim_block_jacobi_update computes it
void csim_multigrid_update_edges(csim_pool *pool, const csim_edge_matrix *A,
                                 csim_couplings *couplings, csim_multigrid *C,
                                 csim_block_jacobi *P);
void csim_multigrid_update(csim_pool *pool, const csim_bsr *A, csim_couplings *couplings,
                           csim_multigrid *C, csim_block_jacobi *P);

/// z = P^-1 r and the correction; r and z (nrow x 3).
/// @param P  D^-1 of the matrix
/// @return r.z
double csim_multigrid_apply(csim_pool *pool, csim_multigrid *C, const csim_block_jacobi *P,
                            const double *r, double *z);

/// z = P_1 ... P_n A_n^-1 (P_1 ... P_n)^T r, the part of the correction that the last level makes;
/// r and z (nrow x 3). The residual r - A z sums to zero over each of its aggregates.
/// @return 0 if there is no such level, or it was not positive definite: z is not set
int csim_multigrid_correct(csim_pool *pool, csim_multigrid *C, const double *r, double *z);

#endif
