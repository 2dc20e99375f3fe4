// contact/collision_mesh.h: everything that can collide, in one numbering. Needs model/,
// contact/collider.h.
//
// Vertices of bodies keep their model's numbers; those of colliders that have a surface follow.
// Infinite planes have none: they are half-spaces (planes.h).
#ifndef CSIM_CONTACT_COLLISION_MESH_H
#define CSIM_CONTACT_COLLISION_MESH_H

#include "base/log.h"
#include "contact/collider.h"
#include "model/model.h"

enum { CSIM_MOST_SEAMS = 4 };

typedef struct csim_collision_mesh {
  int nbody_vert; ///< vertices of bodies
  int nvert;      ///< with those of colliders behind
  int nbody;      ///< bodies; parts beyond are colliders
  int npart;
  const int *body_part;    ///< (nbody_vert) body, the model's
  int *collider_part;      ///< (nvert - nbody_vert) nbody + collider
  int *first;              ///< (npart + 1) first vertex of each part
  int *seam;               ///< (nbody_vert x CSIM_MOST_SEAMS) numbers of what is sewn together
                           ///< there: the model's, and those of the ends of the edge that the
                           ///< vertex divides; -1: no more; NULL: nothing is sewn
  const double *body_x0;   ///< (nbody_vert x 3) [m] at the start, the model's
  double *collider_x0;     ///< (nvert - nbody_vert x 3) [m]
  const double *mass;      ///< (nbody_vert) [kg], the model's
  double *elastic;         ///< (nbody_vert) [N/m] half the sum of the springs' stiffness there
  int npoint, nbody_point; ///< those of bodies come first, here and below
  int *point;              ///< (npoint) vertices that are in a triangle
  int nedge, nbody_edge;
  int *edge;   ///< (nedge x 2)
  int *beside; ///< (nedge - nbody_edge x 2) of colliders' edges: the vertices opposite in both
               ///< triangles; -1, -1: one triangle, or several
  int ntri, nbody_tri;
  int *tri;             ///< (ntri x 3)
  signed char *surplus; ///< (ntri x 6) how often the sides from corner k to k + 1, and corners, are
                        ///< counted too often by triangles alone (terms.h). Of all triangles at a
                        ///< side or corner the first has the number; the others have 0
  const int *released; ///< (nbody_vert) part of the collider that lets each vertex go, 0: none, -1:
                       ///< every one (pinched.h); NULL: all 0
} csim_collision_mesh;

/// What can touch in a scene.
typedef struct csim_collision_setup {
  const csim_model *model;
  int ncollider;
  const csim_collider *collider; ///< (ncollider)
  int self;                      ///< bodies with each other and themselves; 0: with colliders only
  double thickness;              ///< [m] of contact
  const double *share;           ///< (model->nvert) of it, see csim_contact_params; NULL: 1
  csim_place place;              ///< of the scene, for messages
} csim_collision_setup;

/// Where a vertex is at the start [m].
static inline const double *csim_collision_mesh_start(const csim_collision_mesh *mesh, int v) {
  return v < mesh->nbody_vert ? mesh->body_x0 + csim_xyz(v)
                              : mesh->collider_x0 + 3 * ((ptrdiff_t)v - mesh->nbody_vert);
}

/// The part that a vertex belongs to: a body, or nbody + collider.
static inline int csim_collision_mesh_part(const csim_collision_mesh *mesh, int v) {
  return v < mesh->nbody_vert ? mesh->body_part[v] : mesh->collider_part[v - mesh->nbody_vert];
}

/// Whether two vertices are both of bodies.
static inline int csim_collision_mesh_of_bodies(const csim_collision_mesh *mesh, int v, int w) {
  return v < mesh->nbody_vert && w < mesh->nbody_vert;
}

/// Whether a collider, given by its part, has released a vertex of a body: the two have no contact.
static inline int csim_collision_mesh_releases(const csim_collision_mesh *mesh, int v, int part) {
  return mesh->released && v < mesh->nbody_vert &&
         (mesh->released[v] == part || mesh->released[v] < 0);
}

/// Whether a vertex of one side of a contact is sewn to one of the other: both have weights w, of
/// opposite signs. Not two of one side: a triangle at the tip of a dart is no seam to a body. In a
/// divided mesh these are the contacts whose coarse triangles are sewn.
int csim_collision_mesh_is_sewn(const csim_collision_mesh *mesh, const int v[4], const double w[4]);

/// Copies all starts to x (nvert x 3).
void csim_collision_mesh_starts(const csim_collision_mesh *mesh, double *x);

/// -1 when out of memory (arena->failed).
int csim_collision_mesh_build(csim_arena *arena, const csim_model *model, int ncollider,
                              const csim_collider *collider, csim_collision_mesh *mesh);

#endif
