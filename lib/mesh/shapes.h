// mesh/shapes.h: built-in shapes, for scenes without mesh files. Needs mesh/mesh.h.
//
// All shapes are triangles, centred at the origin with their axis along y. Closed ones are
// manifold, share every vertex and point outward. Their bits are the same on every machine.
#ifndef CSIM_MESH_SHAPES_H
#define CSIM_MESH_SHAPES_H

#include "mesh/mesh.h"

typedef enum csim_shape_kind {
  CSIM_SHAPE_KIND_GRID,     ///< rectangle in the x-z plane, normal +y
  CSIM_SHAPE_KIND_BOX,      ///< closed
  CSIM_SHAPE_KIND_SPHERE,   ///< closed; a finely divided icosahedron
  CSIM_SHAPE_KIND_TORUS,    ///< closed
  CSIM_SHAPE_KIND_CYLINDER, ///< closed by two caps
  CSIM_SHAPE_KIND_CAPSULE,  ///< closed by two hemispheres
  CSIM_SHAPE_KIND_CONE,     ///< closed; apex at +height/2
  CSIM_SHAPE_KIND_DISK,     ///< open, in the x-z plane, normal +y
  CSIM_SHAPE_KIND_TUBE,     ///< the side of a cylinder, open at both ends
} csim_shape_kind;

/// Kind, size and resolution of a shape. Fields that a kind does not use are ignored.
///
/// cells of the round kinds are (around, along, across):
///   around  edges of the largest circle; 0 = 32. The sphere has about that many on a great circle.
///   along   rows of triangles along the height (not: sphere, torus, disk)
///   across  rings of triangles from rim to centre of a cap, disk or hemisphere; for the torus the
///           edges around its tube
/// along and across may be 0: then triangles come out near equilateral.
typedef struct csim_shape_spec {
  csim_shape_kind kind;
  double size[3];     ///< [m] grid: (x, z); box: (x, y, z)
  double radius;      ///< [m] all round kinds; of the torus's centre line
  double tube_radius; ///< [m] torus, < radius
  double height;      ///< [m] cylinder, cone, tube; capsule: of the straight part, 0 allowed
  int cells[3];       ///< grid: (x, z), >= 1; box: (x, y, z), 0 = 1; others: see above
  int same_diagonals; ///< grid: 1 = all cells cut along (i,j)-(i+1,j+1); 0 = alternating
} csim_shape_spec;

/// Builds a shape, faces and triangles alike.
///
/// Grid: vertex j (nx + 1) + i lies at (x, z) = (size[0] (i/nx - 1/2), size[1] (j/nz - 1/2)) with
/// uv = (i/nx, 1 - j/nz); mesh->grid = cells. The other kinds have no uv.
///
/// @param place      of the shape in the scene, for messages
/// @param[out] mesh  overwritten; free with csim_mesh_free; empty on failure
/// @return CSIM_INVALID for a size or a number of cells that cannot be; CSIM_MEMORY
csim_status csim_mesh_shape(const csim_shape_spec *spec, csim_place place, csim_log *log,
                            csim_mesh *mesh);

#endif
