// contact/guide.h: springs that make bodies give way to colliders. Needs contact/active.h.
//
// A collider cannot move while the cloth in front of it stays, and cloth feels no force from a
// collider that stays. Moved in turn, each would advance by half a contact distance per iteration.
// Here both are solved for at once. With colliders moved by u, bodies take the Newton step d of
//
//   F(x + d) + sum_pairs K/2 (D - gap - n . sum_k w_k (d, u)_k)^2
//
// The sum is over the pairs that would come nearer than D, a share of their contact distance. If a
// pair is nearer now, D is at most its gap and twice what its collider approaches. Weights w and
// directions n are those at the time of impact. These are moving boundary conditions as one round
// of an augmented Lagrangian (Li et al. 2021, Codimensional IPC, sec. 5).
//
//        collider          cloth
//     |====>            |                 gap   now
//     |          |====> | guide: K        D     kept where the collider is at its goal
//     |          |      |<---- D ---->|         so the cloth is to be there after the step
#ifndef CSIM_CONTACT_GUIDE_H
#define CSIM_CONTACT_GUIDE_H

#include "contact/active.h"

/// Adds a guide to the active contacts for every pair that would come too near if everything moved
/// by kin->d. Adds the guides' gradient to g (mesh->nbody_vert x 3).
/// The motion must be within the reach of the candidates.
/// @return [m] the fastest approach of such a pair; < 0 when out of memory
double csim_guides_add(csim_active_set *active, double *g);

#endif
