// contact/culling.h: culls pairs that are surely too far apart, eight at a time. Needs
// contact/collision_mesh.h, boxes.h, listed.h.
//
// Most pairs whose boxes meet are neighbours within a sheet, and most pairs on a list are not about
// to touch. A slab between the two primitives, perpendicular to roughly their shortest connection,
// decides nearly all of them. Single precision is enough, with a margin for rounding, so eight
// pairs cost little more than one.
#ifndef CSIM_CONTACT_CULLING_H
#define CSIM_CONTACT_CULLING_H

#include "base/atomic_number.h"
#include "base/scratch.h"
#include "contact/boxes.h"
#include "contact/collision_mesh.h"
#include "contact/listed.h"

typedef float csim_culling_row[4];

typedef struct csim_culling {
  const csim_collision_mesh *mesh;
  const csim_listed *listed; ///< NULL: all
  csim_culling_row *at; ///< (mesh->nvert) [m] positions, reach around them; in the caller's scratch
  csim_culling_row *way;   ///< (mesh->nvert) [m] motions, 0
  float distance;          ///< [m] that pairs keep
  float share;             ///< of the slab's width beyond that, which motions may use up
  int alone;               ///< 1: each side may stop anywhere on its way, whatever the other does
  float rounding;          ///< [m] more than what floats can err by
  csim_atomic_number most; ///< [m] largest coordinate or motion
} csim_culling;

/// Bytes that csim_culling_begin takes from a scratch.
ptrdiff_t csim_culling_bytes(const csim_collision_mesh *mesh);

/// Copies the vertices of bodies and those listed into the scratch. The caller sets mesh, listed,
/// distance, share and alone.
/// @param x      (nvert x 3) [m]
/// @param way    (nvert x 3) [m], or [m/s] with a time of 1 s; NULL: none
/// @param time   factor of `way`
/// @param reach  (nvert) [m]; NULL: none
void csim_culling_begin(csim_pool *pool, csim_scratch *scratch, csim_culling *culling,
                        const double *x, const double *way, double time, const double *reach);

/// Flags those of n pairs of edges that may come nearer than the distance, on their way or within
/// their reach.
/// @param[out] flag  (n)
/// @return how many
int csim_cull_edges(const csim_culling *culling, int n, const csim_pair *pair, unsigned char *flag);

/// The same of points and triangles.
int csim_cull_triangles(const csim_culling *culling, int n, const csim_pair *pair,
                        unsigned char *flag);

#endif
