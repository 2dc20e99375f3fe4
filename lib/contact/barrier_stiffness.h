// contact/barrier_stiffness.h: how stiff the barriers of contacts are. Needs contact/reach.h.
//
// A contact has a stiffness by the mass m and one by the elasticity of what it pushes. That by mass
// is m times the largest of
//
//   10 g / d      what rests under its own weight sinks by a tenth of the contact distance d,
//   1 / h^2       or, in long steps, by its free fall in one step,
//   (v / d)^2     and what a collider or an exact pin pushes at a speed v is stopped within d,
//                 1/2 k d^2 = 1/2 m v^2, up to the inertia in the shortest parts of a step.
//
// Here h is the length of whole steps, also where a step is taken in parts. v is that of the
// fastest collider or pin that acts on a body, or on one that it may touch.
#ifndef CSIM_CONTACT_BARRIER_STIFFNESS_H
#define CSIM_CONTACT_BARRIER_STIFFNESS_H

#include "contact/reach.h"

/// Stiffnesses of a contact's two barriers [N/m]. The soft one acts from the contact distance on.
/// It alone carries large forces only within a hair of the floor, and Newton's steps towards that
/// are cut by the filter: nine of ten in a twisted tube, whose layers stopped each other. The hard
/// one acts below CSIM_CONTACT_CUSHION, where no iteration starts and what rests does not come:
/// hard contacts from the contact distance on took a drop on a ball three times the iterations.
typedef struct csim_stiffness_pair {
  double soft, hard;
} csim_stiffness_pair;

typedef struct csim_barrier_stiffness {
  const csim_kinematics *kin;
  const csim_reach *reach;
  double thickness; ///< [m] general contact distance
  double h;         ///< [s] of a whole step
  double *inertia;  ///< (mesh->nbody) [N/m per kg] by mass, of what touches a body
  double *elastic;  ///< (mesh->npart) (0, 1] of the elasticity, of what touches a part
  double *rate;     ///< (mesh->npart) [1/s] scratch: v / d
  int *group;       ///< (mesh->nbody) scratch: disjoint sets of bodies that may touch
} csim_barrier_stiffness;

/// The caller sets kin, reach, thickness and h.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_barrier_stiffness_create(csim_arena *arena, csim_barrier_stiffness *stiffness);

/// Whether stiffnesses have been chosen, or loaded.
int csim_barrier_stiffness_is_chosen(const csim_barrier_stiffness *stiffness);

/// Goes back to where none were chosen.
void csim_barrier_stiffness_clear(csim_barrier_stiffness *stiffness);

/// Chooses them for a step that begins, whose candidates are known.
void csim_barrier_stiffness_choose(csim_barrier_stiffness *stiffness);

/// Number of three-vectors that hold them.
int csim_barrier_stiffness_size(const csim_barrier_stiffness *stiffness);

/// Writes or reads them. (csim_barrier_stiffness_size x 3); all zero if none were chosen.
void csim_barrier_stiffness_save(const csim_barrier_stiffness *stiffness, double *state);
void csim_barrier_stiffness_load(csim_barrier_stiffness *stiffness, const double *state);

/// Stiffness by mass [N/m per kg] of a contact between vertices v, of which some are of bodies.
double csim_barrier_stiffness_inertia(const csim_barrier_stiffness *stiffness, const int v[4]);

/// Stiffness of a contact between vertices v.
csim_stiffness_pair csim_barrier_stiffness_of(const csim_barrier_stiffness *stiffness,
                                              const int v[4]);

/// That of a contact of vertex v with a plane.
csim_stiffness_pair csim_barrier_stiffness_of_plane(const csim_barrier_stiffness *stiffness,
                                                    const csim_contact_plane *plane, int v);

#endif
