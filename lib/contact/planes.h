// contact/planes.h: colliders that are infinite planes. Needs contact/collision_mesh.h.
//
// A plane has no vertices: it is a half-space n.x >= offset that bodies stay in. It follows its
// motion until a body blocks it.
#ifndef CSIM_CONTACT_PLANES_H
#define CSIM_CONTACT_PLANES_H

#include "contact/collision_mesh.h"

/// The half-space n.x >= offset is free.
typedef struct csim_contact_plane {
  const csim_collider *collider;
  int part;
  double n[3], offset;           ///< current position
  double goal_n[3], goal_offset; ///< prescribed position at the end of the step
  double n0[3], offset0;         ///< at the start of the run
  csim_pose before, after;       ///< prescribed poses when the step begins and ends
} csim_contact_plane;

typedef struct csim_planes {
  const csim_collision_mesh *mesh;
  double thickness;    ///< [m]
  const double *share; ///< (mesh->nbody_vert) of the thickness, see csim_contact_params; NULL: 1
  const float *grown;  ///< (mesh->nbody_vert) [m] what distances have grown to; NULL: 0
  int n;
  csim_contact_plane *plane; ///< (n)
} csim_planes;

/// Takes the planes among the colliders, at their prescribed positions at time 0. The caller sets
/// mesh, thickness and share.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_planes_create(csim_arena *arena, int ncollider, const csim_collider *collider,
                       csim_planes *planes);

/// Sets the goals: prescribed positions at a time [s], the end of a step of length h [s].
void csim_planes_aim(csim_planes *planes, double time, double h);

/// Moves all planes to their prescribed positions at a time [s].
void csim_planes_place(csim_planes *planes, double time);

/// Moves planes towards their goals as far as bodies at x (mesh->nbody_vert x 3) permit.
/// @return whether one has moved
int csim_planes_advance(csim_planes *planes, const double *x);

/// How the point at x [m] of the plane of this part is to move in the step [m].
void csim_planes_way(const csim_planes *planes, int part, const double *x, double way[3]);

/// Contact distance of a vertex and a plane as a share of the thickness, [0, 1]: less where it
/// starts nearer than that, 0 where it starts on the plane or behind.
double csim_planes_scale(const csim_planes *planes, const csim_contact_plane *plane, int vert);

#endif
