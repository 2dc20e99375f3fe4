// model/stiffness.h: the Hessian of springs, membranes, quadratic bending and soft pins as an
// edge-based matrix, the fast form. Needs model/model.h, math/edge_matrix.h.
//
// Near edges are those of springs and membranes; with a membrane anywhere the graph is wide.
// Quadratic bending is constant: where it acts between the ends of a spring it raises that edge's
// a, elsewhere it is a far edge. Soft pins are diagonal.
#ifndef CSIM_MODEL_STIFFNESS_H
#define CSIM_MODEL_STIFFNESS_H

#include "math/edge_matrix.h"
#include "model/layout.h"

typedef struct csim_stiffness {
  const csim_model *model;
  csim_edge_graph graph;
  csim_edge_matrix A;
  int nedge;
  int *edge_start; ///< (nvert + 1) first of the springs' edges of each row: those to higher rows
                   ///< and to fixed ones, in the order of near_col
  double *bending; ///< (nedge) [N/m] constant part of a
  double *anchor;  ///< (nvert) [N/m] of soft pins, in all directions, also of those that hold along
                   ///< one: an upper bound of their Hessian; NULL: there are none
  int nspring;     ///< energies with springs
  const csim_energy **spring; ///< (nspring)
  int **element; ///< (nspring) of (nedge) which of its elements is on an edge; -1: none
  int nmembrane; ///< energies of triangles
  const csim_energy **membrane; ///< (nmembrane)
  int **entry;                  ///< (nmembrane) of (nelem x 6) near entries, see csim_energy_kind
} csim_stiffness;

/// Lays out and allocates the matrix; csim_stiffness_free in any case.
/// @return 0; 1 when the model's energies are not all of this form; -1 when out of memory
///         (arena->failed)
int csim_stiffness_create(csim_arena *arena, const csim_model *model, csim_stiffness *K);

/// Frees what is not in the arena; zero is allowed.
void csim_stiffness_free(csim_stiffness *K);

/// K->A = diag(inertia + trace of D/h) + Hessian of the energies. Rows of fixed vertices are those
/// of the identity; their columns are not cleared: multiply only what is zero there. No row has a
/// block of its own. Edges of idle rows stay as they were.
/// @param inertia     (nvert) [N/m] of each vertex, its mass over h^2
/// @param resistance  (nvert x CSIM_RESISTANCE) D, see model/external.h; NULL: 0
void csim_stiffness_update(csim_pool *pool, const csim_point *at, csim_psd psd,
                           const double *inertia, const double *resistance, csim_stiffness *K);

#endif
