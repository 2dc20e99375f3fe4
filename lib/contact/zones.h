// contact/zones.h: impulses with continuous collision detection and inelastic impact zones. Gives
// no guarantee. Needs contact/candidates.h.
#ifndef CSIM_CONTACT_ZONES_H
#define CSIM_CONTACT_ZONES_H

#include "contact/candidates.h"
#include "contact/impulse.h"

typedef struct csim_zones csim_zones;

/// @return NULL when out of memory. Arguments must outlive it.
csim_zones *csim_zones_create(csim_pool *pool, csim_scratch *scratch, const csim_model *model,
                              int ncollider, const csim_collider *collider,
                              const csim_contact_params *params);
void csim_zones_free(csim_zones *zones);

/// Changes the end of a step so that nothing intersects on the straight way from x0 to x, as far as
/// collisions are found:
///
/// 1. Pairs that would touch on their way get an inelastic impulse along the normal there, with
///    friction, one after another; those nearer than the thickness are also pushed a quarter of the
///    way apart. Several rounds (Bridson, Fedkiw & Anderson 2002).
/// 2. All pairs that still touch lose their approach together: the displacements are projected
///    onto those that close no gap, by sweeps (Harmon et al. 2008). Pairs are added until none
///    touches, a bounded number of times.
///
/// Velocities change with the positions, v += dx / h; those of generalized-alpha as its p does, see
/// csim_impulse_respond. Surfaces intersect if the rounds end too early, or if rounding closes a
/// gap over many steps.
///
/// @param step  its x0 has nbody_vert vertices
/// @param x, v  (nbody_vert x 3) at the end of the step; changed
/// @param[out] left  pairs that still touch
/// @return number of impulses and of gaps that were kept open, or -1 when out of memory
int csim_zones_respond(csim_zones *zones, const csim_impulse_step *step, double *x, double *v,
                       int *left);

#endif
