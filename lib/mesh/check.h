// mesh/check.h: counts and names the faults of a surface. Needs mesh/mesh.h, topology.h.
#ifndef CSIM_MESH_CHECK_H
#define CSIM_MESH_CHECK_H

#include "mesh/mesh.h"
#include "mesh/topology.h"

/// How often something occurs, and where first. Vertices and faces count from 0 in the order of the
/// input; -1 where the field does not apply or there is none.
typedef struct csim_fault {
  int count;
  int vert[2]; ///< the edge, or the vertex and its partner
  int face[2]; ///< faces at the first place
} csim_fault;

typedef struct csim_mesh_facts {
  csim_fault nonmanifold; ///< edges with more than two triangles
  csim_fault flipped;     ///< edges whose two triangles are wound against each other
  csim_fault boundary;    ///< edges with one triangle
  csim_fault duplicate;   ///< faces with the same vertices as an earlier face (face[0] the earlier)
  csim_fault degenerate;  ///< triangles without area
  csim_fault loose;       ///< vertices that no face uses
  csim_fault coincident;  ///< vertices at exactly the place of an earlier one (vert[0] the earlier)
  int closed;             ///< every edge has two triangles, wound alike; at least one triangle
} csim_mesh_facts;

/// Whether a triangle has no area: twice it is at most 1e-12 of the longest side squared.
/// @param x  positions; `v` has the three vertices
int csim_triangle_is_flat(const double *x, const int v[3]);

/// Checks a triangulated mesh.
/// @param topology    of the mesh; NULL: built temporarily
/// @param[out] facts  overwritten
/// @return CSIM_OK, whatever is wrong with the mesh, or CSIM_MEMORY
csim_status csim_mesh_check(const csim_mesh *mesh, const csim_topology *topology,
                            csim_mesh_facts *facts);

/// Reports every fault of cloth, which may have a boundary, as a warning: one line each, with its
/// first position and its meaning.
/// @return number of lines reported
int csim_mesh_report(const csim_mesh_facts *facts, csim_place place, csim_log *log);

#endif
