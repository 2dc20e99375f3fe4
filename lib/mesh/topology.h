// mesh/topology.h: edges, hinges and neighbours of a set of triangles. Needs base/, math/.
#ifndef CSIM_MESH_TOPOLOGY_H
#define CSIM_MESH_TOPOLOGY_H

#include "base/arena.h"
#include "clothsim.h"

typedef struct csim_topology {
  csim_arena arena; ///< owns all arrays below
  int nvert, ntri;
  int nedge;
  int *edge;       ///< (nedge x 2) vertices, min first; edges ascend by (min, max), each once
  int *edge_tri;   ///< (nedge x 2) its first two triangles, the lower number first; -1 = none
  int *edge_opp;   ///< (nedge x 2) vertex opposite the edge in each of them; -1 = none
  int *edge_ntri;  ///< (nedge) number of triangles at the edge: 1 boundary, 2 interior, else faulty
  int *tri_edge;   ///< (ntri x 3) edge from corner k to corner k + 1
  int nhinge;      ///< edges with exactly two triangles
  int *hinge;      ///< (nhinge x 4) a, b, c, d: triangle 0 runs a -> b with c opposite, and d is
                   ///< opposite in triangle 1; hinges ascend like their edges
  int *hinge_edge; ///< (nhinge) edge of each hinge
  int nboundary;   ///< edges with one triangle
  int *boundary;   ///< (nboundary) edge numbers, ascending
  int nfaulty;     ///< edges with more than two triangles: they make no hinge
  int nflipped;    ///< hinges whose two triangles run the same way along the edge
  int first_flipped; ///< lowest such edge, -1 = none
  int *adj_start;    ///< (nvert + 1)
  int *adj;          ///< (2 nedge) neighbours of each vertex along edges, ascending
} csim_topology;

/// Finds all of it with two counting sorts: O(nvert + ntri).
///
/// @param nvert  number of vertices, loose ones included
/// @param ntri   at most INT_MAX / 6
/// @param tri    (ntri x 3) each of three different vertices in range (else our bug: asserts)
/// @param[out] topology  overwritten; free with csim_topology_free; empty on failure
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_topology_build(int nvert, int ntri, const int *tri, csim_topology *topology);

/// Frees the arrays (all zero allowed).
void csim_topology_free(csim_topology *topology);

/// Area of a triangle, 1/2 |(x1 - x0) x (x2 - x0)| [m^2].
/// @param x  (nvert x 3) positions [m]
/// @param v  (3) its vertices
double csim_tri_area(const double *x, const int *v);

/// A third of the area of every triangle to each of its corners, added in triangle order.
/// @param x          (nvert x 3) positions [m]
/// @param[out] area  (nvert) [m^2]; overwritten; 0 for loose vertices
void csim_vert_areas(int nvert, int ntri, const int *tri, const double *x, double *area);

/// Unit normals of vertices: means of the triangles' normals, weighted by area.
/// @param x            (nvert x 3) positions [m]
/// @param[out] normal  (nvert x 3) overwritten; 0 where no triangle has an area
void csim_vert_normals(int nvert, int ntri, const int *tri, const double *x, double *normal);

#endif
