// contact/skin.h: everything that can touch, in one numbering. Needs model/, contact/collider.h.
//
// Vertices of bodies keep their model's numbers; those of colliders that have a surface follow.
// Infinite planes have none: they are half-spaces (contact.c).
#ifndef CSIM_CONTACT_SKIN_H
#define CSIM_CONTACT_SKIN_H

#include "contact/collider.h"
#include "model/model.h"

typedef struct csim_skin {
  int nbody_vert; ///< vertices of bodies
  int nvert;      ///< with those of colliders behind
  int nbody;      ///< bodies; parts beyond are colliders
  int npart;
  int *part;       ///< (nvert) body, or nbody + collider
  int *first;      ///< (npart + 1) first vertex of each part
  double *x0;      ///< (nvert x 3) [m] at the start
  double *mass;    ///< (nvert) [kg]; 0 for colliders
  double *elastic; ///< (nvert) [N/m] half the sum of the springs' stiffness there; 0 for colliders
  int npoint, nbody_point; ///< those of bodies come first, here and below
  int *point;              ///< (npoint) vertices that are in a triangle
  int nedge, nbody_edge;
  int *edge; ///< (nedge x 2)
  int ntri, nbody_tri;
  int *tri; ///< (ntri x 3)
} csim_skin;

/// -1 when out of memory (arena->failed).
int csim_skin_build(csim_arena *arena, const csim_model *model, int ncollider,
                    const csim_collider *collider, csim_skin *skin);

#endif
