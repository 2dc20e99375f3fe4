// mesh/triangulate.h: triangulates the polygons of a mesh. Needs mesh/mesh.h.
#ifndef CSIM_MESH_TRIANGULATE_H
#define CSIM_MESH_TRIANGULATE_H

#include "mesh/mesh.h"

enum {
  /// Corners of all faces together; keeps 3 * ntri inside an int.
  CSIM_MESH_MAX_CORNER = 1 << 29,
  /// Corners of one face that is not convex: cutting its ears takes quadratic time (0.5 s here).
  CSIM_MESH_MAX_CONCAVE = 1 << 13,
};

/// Fills ntri, tri and tri_face from the faces; earlier values are dropped.
///
/// A convex face becomes the fan (v0, v1, v2), (v0, v2, v3), ... so a quad is cut along v0-v2.
/// Other faces lose their best-shaped ear repeatedly, projected on the plane of their Newell
/// normal. A face of n corners always gives n - 2 triangles wound like the face, even when it is
/// folded or flat.
///
/// @param mesh  vert, face_start and face_vert are read: at least 3 corners a face, indices in
///              range, at most CSIM_MESH_MAX_CORNER corners (else our bug: asserts)
/// @return CSIM_INVALID for a face beyond CSIM_MESH_MAX_CONCAVE, reported to `log` at `place`;
/// CSIM_MEMORY
csim_status csim_mesh_triangulate(csim_mesh *mesh, csim_place place, csim_log *log);

#endif
