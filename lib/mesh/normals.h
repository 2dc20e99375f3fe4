// mesh/normals.h: given normals of a mesh while it deforms. Needs math/, base/.
//
// The normal of a corner is stored in a frame of the surface around it. m is the sum of the normals
// by area of the faces that share this normal at the vertex; t is the first of their edges there,
// without its component along m. Rigid motion therefore rotates normals exactly, hard edges stay
// hard, and normals bend with the surface.
#ifndef CSIM_MESH_NORMALS_H
#define CSIM_MESH_NORMALS_H

#include "base/arena.h"

typedef struct csim_normals {
  int n; ///< 0: none
  int ncorner;
  int *vert;     ///< (n) the vertex of each
  int *corner;   ///< (ncorner) the normal of each corner, -1 = none
  double *local; ///< (n x 3) along t, m x t and m; floats, as caches keep them
} csim_normals;

/// The data of a polygon mesh that normals depend on.
typedef struct csim_normal_faces {
  int nface;
  const int *face_start; ///< (nface + 1)
  const int *face_vert;  ///< (corners)
} csim_normal_faces;

/// Takes the normals of a mesh's corners.
/// @param x       (nvert x 3) positions for which the mesh has its normals
/// @param given   (ngiven x 3) any length; one of length 0 is none
/// @param corner  (corners) of `given` at each corner, -1 = none
/// @return 0, or -1 when out of memory; everything is in the arena
int csim_normals_bind(csim_arena *arena, const csim_normal_faces *faces, int nvert, const double *x,
                      const double *given, const int *corner, csim_normals *normals);

/// Whether they fit these faces.
int csim_normals_fit(const csim_normals *normals, const csim_normal_faces *faces);

/// The normals of a deformed mesh.
/// @param x         (nvert x 3)
/// @param scratch   (n x 3)
/// @param[out] out  (n x 3) unit vectors; overwritten; the surface's own where it has no area (then
/// 0)
void csim_normals_at(const csim_normals *normals, const csim_normal_faces *faces, const double *x,
                     double *scratch, double *out);

#endif
