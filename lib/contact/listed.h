// contact/listed.h: the part of colliders that is on the list of candidates. Needs
// contact/collision_mesh.h.
//
// Most of a large body is near nothing: a top of 2,400 vertices has 6,500 of its wearer's 142,000
// points, edges and triangles on its list. What is measured again and again in a step is measured
// for bodies and for what is listed.
#ifndef CSIM_CONTACT_LISTED_H
#define CSIM_CONTACT_LISTED_H

#include "base/pool.h"
#include "contact/collision_mesh.h"

typedef struct csim_listed {
  const csim_collision_mesh *mesh;
  int nvert, nitem;
  int *vert; ///< (nvert) vertices, rising
  int *item; ///< (nitem) points, npoint + edges, npoint + nedge + triangles, rising
  _Atomic unsigned char *vert_mark; ///< (mesh->nvert - mesh->nbody_vert) 1: is listed
  _Atomic unsigned char *item_mark; ///< the same of points, edges and triangles of colliders
} csim_listed;

/// @return 0, or -1 when out of memory (arena->failed)
int csim_listed_create(csim_arena *arena, const csim_collision_mesh *mesh, csim_listed *listed);

/// Removes all marks.
void csim_listed_forget(const csim_listed *listed);

/// Marks those of a pair that belong to colliders: edges a and b, or point a and triangle b, and
/// their vertices v. Several threads may do so at once.
void csim_listed_mark(const csim_listed *listed, int edges, int a, int b, const int v[4]);

/// Lists what is marked.
void csim_listed_gather(csim_listed *listed);

/// As csim_pool_for and csim_pool_count, over the vertices of bodies and those that are listed.
void csim_listed_for(csim_pool *pool, const csim_listed *listed, int grain, csim_range_fn *fn,
                     void *context);
int csim_listed_count(csim_pool *pool, const csim_listed *listed, csim_sum_fn *fn, void *context);

#endif
