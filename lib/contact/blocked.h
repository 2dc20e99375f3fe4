// contact/blocked.h: finds what stops the others. Needs contact/glide.h.
//
// In a joint step everything moves by one share of its way (csim_glide_together). A collider that
// can go no farther so stops all others, wherever they are: a press that closed on a sheet stopped
// a ball in another room. What is blocked is therefore held for the rest of the step, and the joint
// steps go on without it.
//
//     press    ball           A pair with a collider leaves it nothing of its way: that collider
//      | |                    is held. Of a pair of bodies only, folds that are pressed together,
//     =|A|=     o--->         it is every collider that moves and is near its bodies, or near
//      | |                    others which are near them.
#ifndef CSIM_CONTACT_BLOCKED_H
#define CSIM_CONTACT_BLOCKED_H

#include "contact/glide.h"

typedef struct csim_blocked {
  csim_kinematics *kin;
  csim_reach *reach;
  csim_narrow_phase *narrow;
  int *set;             ///< (mesh->npart) disjoint sets of parts that are near each other
  unsigned char *stops; ///< (mesh->npart) bodies in a pair that stops the motion; colliders to hold
} csim_blocked;

/// The caller sets kin, reach and narrow.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_blocked_create(csim_arena *arena, csim_blocked *blocked);

/// Holds what stops the motion, if bodies move by d (mesh->nbody_vert x 3), exact pins stay, and
/// colliders move all their way.
/// @return the number of colliders; -1 when out of memory
int csim_blocked_hold(csim_blocked *blocked, const double *d);

#endif
