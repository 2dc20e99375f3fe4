// math/edge_matrix.h: matrices of springs and membranes as sums over edges, the fastest form for
// products. Needs base/.
//
//   A = D + sum over edges (i, j) of (e_i - e_j)(e_i - e_j)^T (x) (a I + u u^T)
//
// D is block-diagonal, and most of its blocks are multiples of I. An edge is stored at both of its
// rows: near edges, which change with the positions, as (u, a); far ones, which are constant and
// have no u, as a alone. So
//   y_i = D_i x_i + sum_j a (x_i - x_j) + u (u . (x_i - x_j))
// moves 16 bytes where a 3 x 3 block of doubles has 72. Edges are stored as floats: the matrix is
// that of springs whose stiffness is rounded (by 6e-8), symmetric and with the same null space,
// and semidefinite whenever a >= 0; rounded blocks would keep none of this.
//
// Membranes need a whole block S on an edge, S_ij at row i and its transpose at row j (a wide
// graph, 36 bytes):
//   y_i = D_i x_i + sum_j S_ij (x_i - x_j)
// A translation still gives exactly zero. The rounding of S makes the matrix slightly unsymmetric,
// by 6e-8 of the stiffness, and acts on differences of neighbours only.
#ifndef CSIM_MATH_EDGE_MATRIX_H
#define CSIM_MATH_EDGE_MATRIX_H

#include "base/arena.h"
#include "base/pool.h"
#include "base/simd.h"

/// The constant part, shared by all matrices of a model. Rows list neighbours in rising order.
typedef struct csim_edge_graph {
  int nrow;
  int wide;        ///< 1: near edges have blocks, 0: springs
  int *near_start; ///< (nrow + 1)
  int *near_col;   ///< (near_start[nrow])
  int *far_start;  ///< (nrow + 1)
  int *far_col;    ///< (far_start[nrow])
  float *far;      ///< (far_start[nrow]) a
} csim_edge_graph;

typedef struct csim_edge_matrix {
  const csim_edge_graph *graph;
  csim_isa isa;  ///< kernels to use
  float *near;   ///< (near_start[nrow] x 4) u, a; wide: (.. x 9, and one more) columns of S
  double *diag;  ///< (nrow) in rows without a block, D is diag I
  int *place;    ///< (nrow) number of the row's block; -1: none
  double *block; ///< (capacity x 9, and one more to read) symmetric
  ptrdiff_t capacity;
  const unsigned char *idle; ///< (nrow) 1: edges of these rows, which have none to others, are not
                             ///< known, and products need not have the row; NULL: there are none
} csim_edge_matrix;

/// Numbers of a near edge.
static inline int csim_edge_graph_width(const csim_edge_graph *graph) {
  return graph->wide ? 9 : 4;
}

/// Allocates a matrix on a graph, zero and without blocks.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_edge_matrix_create(csim_arena *arena, const csim_edge_graph *graph, csim_edge_matrix *A);

/// Frees what is not in the arena.
void csim_edge_matrix_free(csim_edge_matrix *A);

/// Gives blocks to the rows whose A->place is not -1, and numbers them in order. They are diag I
/// until more is added.
/// @return 0, or -1 when out of memory: no row has a place then
int csim_edge_matrix_place(csim_pool *pool, csim_edge_matrix *A);

/// y = A x, both (nrow x 3). x must have one more readable number behind its end, and be zero in
/// idle rows.
/// @param beside  loop in the same job; NULL: none
/// @return x . y
double csim_edge_matrix_multiply(csim_pool *pool, const csim_edge_matrix *A, const double *x,
                                 double *y, const csim_loop *beside);

/// y = A x (nrow x 3) for a translation: x is 1 along an axis in free rows, and 0 in fixed ones,
/// which have no edges of their own.
void csim_edge_matrix_translate(csim_pool *pool, const csim_edge_matrix *A,
                                const unsigned char *fixed, int axis, double *y);

/// Diagonal blocks (i, i) of rows [first, last), edges included: block ((last - first) x 9),
/// overwritten.
void csim_edge_matrix_diagonals(const csim_edge_matrix *A, int first, int last, double *block);

#endif
