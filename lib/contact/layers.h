// contact/layers.h: separates cloths that lie over each other in a given order at the start. Needs
// contact/collision_mesh.h, contact/nearest.h, mesh/intersect.h.
#ifndef CSIM_CONTACT_LAYERS_H
#define CSIM_CONTACT_LAYERS_H

#include "contact/collision_mesh.h"
#include "contact/nearest.h"
#include "mesh/intersect.h"

/// A surface with others over it. Its outer side is where the normals of its triangles point.
typedef struct csim_under {
  csim_triangles surface;
  csim_nearest tree;
  double *normal; ///< (surface.nvert x 3) by area
  double reach;   ///< [m] a tenth of its size: nothing farther away lies on it
} csim_under;

/// @param surface  kept by reference, with at least one triangle
/// @return 0, or -1 when out of memory; everything is in the arena
int csim_under_create(csim_arena *arena, const csim_triangles *surface, csim_under *under);

/// Height of a point over the surface [m]; < 0: under it. INFINITY if it is out of reach or beside
/// a border.
/// @param[out] normal  (3) unit, to the outer side; unset with INFINITY
double csim_under_height(const csim_under *under, const double *p, double normal[3]);

typedef struct csim_layering {
  int nmoved;              ///< vertices
  double farthest;         ///< [m] largest distance that one was moved
  long long before, after; ///< pairs of intersecting triangles of different layers
} csim_layering;

/// Moves the start positions of cloth with a layer. Where it intersects an object of a lower layer,
/// lies under it or exactly on it, it moves to the outer side and off it by the thickness. Vertices
/// that are already over it stay, and so do pinned vertices, solids and colliders.
/// @param      x0   (model->nvert x 3) [m] start positions, changed
/// @param[out] out  what was moved; all 0 when no object lies over another
/// @return 0, whether or not all are separated; -1 when out of memory
int csim_contact_layers(const csim_collision_setup *setup, double *x0, csim_layering *out);

#endif
