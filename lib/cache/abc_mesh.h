// cache/abc_mesh.h: polygon meshes of Alembic archives, placed by the transforms above them. Needs
// cache/abc_read.h, mesh/.
//
// A subdivision mesh is read as its polygons. Alembic's faces are clockwise, so corners are read
// backward. Face sets become groups. A vertex x goes to x M1 M2 ... (row vectors), M1 the transform
// next to the mesh, up to one that does not inherit.
#ifndef CSIM_CACHE_ABC_MESH_H
#define CSIM_CACHE_ABC_MESH_H

#include "cache/abc_read.h"
#include "mesh/mesh.h"

/// A transform: operations one after the other, the last applied first.
typedef struct csim_abc_xform {
  int nop;
  uint8_t *op; ///< (nop) kind in the upper four bits
  int nchannel;
  const csim_abc_property *values;   ///< nchannel numbers; NULL: identity
  const csim_abc_property *inherits; ///< whether transforms above apply; NULL: they do
} csim_abc_xform;

/// Texture coordinates beside the first ones.
typedef struct csim_abc_uv_set {
  const char *name;
  const csim_abc_property *values, *index;
} csim_abc_uv_set;

typedef struct csim_abc_mesh {
  int object;
  const char *path;
  const csim_abc_property *points, *counts, *corners, *velocities;
  const csim_abc_property *uv, *uv_index;          ///< NULL: none
  const csim_abc_property *normals, *normal_index; ///< the same
  const csim_abc_property *colours, *colour_index; ///< the same; of the file's first colours
  int nuv_set;
  csim_abc_uv_set *uv_set;             ///< (nuv_set) in the file's order
  const csim_abc_property *visible[2]; ///< of the mesh and the transform above it
  int nxform;
  csim_abc_xform *xform; ///< (nxform) the nearest first
  csim_mesh mesh;        ///< once loaded
} csim_abc_mesh;

/// Finds the properties of a mesh and of the transforms above it.
/// @param object  a PolyMesh or SubD
csim_status csim_abc_mesh_find(csim_abc *abc, int object, csim_abc_mesh *mesh);

/// The properties whose samples move its vertices; each has more than one sample.
/// @param[out] property  2 + 2 nxform of them at most
int csim_abc_mesh_moving(const csim_abc_mesh *mesh, const csim_abc_property **property);

/// Reads faces, texture coordinates, normals, colours and face sets, and the vertices at a time,
/// into mesh->mesh. Free it with csim_mesh_free.
/// @param slack  [s] of samples from the time, as everywhere
csim_status csim_abc_mesh_load(csim_abc *abc, csim_abc_mesh *mesh, double time, double slack);

/// The vertices of a loaded mesh at a time, linear between samples.
/// @param[out] x  (nvert x 3) in the units of the file
/// @param[out] v  (nvert x 3) per second, zeros when it has none; NULL allowed
/// @return CSIM_OK; CSIM_INVALID (reported) when it has other faces or another number of vertices
/// then; CSIM_IO; CSIM_MEMORY
csim_status csim_abc_mesh_at(csim_abc *abc, const csim_abc_mesh *mesh, double time, double slack,
                             double *x, double *v);

/// Rotates n normals of a mesh as its transforms at a time rotate its surface; lengths are
/// arbitrary.
csim_status csim_abc_mesh_turn(csim_abc *abc, const csim_abc_mesh *mesh, double time, double slack,
                               ptrdiff_t n, double *normal);

/// Whether velocities are those of the placed mesh: it has some, and no transform moves.
int csim_abc_mesh_has_velocity(const csim_abc_mesh *mesh);

/// Whether the mesh is hidden at a time, by itself or by the transform above it. Failures count as
/// no.
int csim_abc_mesh_hidden(csim_abc *abc, const csim_abc_mesh *mesh, double time, double slack);

#endif
