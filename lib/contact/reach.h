// contact/reach.h: keeps every vertex within the reach of its reference, as the candidate list
// assumes (candidates.h). Needs contact/kinematics.h, candidates.h.
#ifndef CSIM_CONTACT_REACH_H
#define CSIM_CONTACT_REACH_H

#include "contact/candidates.h"
#include "contact/kinematics.h"

typedef struct csim_reach {
  const csim_kinematics *kin;
  csim_candidates *candidates;
  double edge;      ///< [m] mean length of a body's edges
  double frame_end; ///< [s] no list is used after that
  float *moved;     ///< (mesh->nvert) [m] largest distance from the reference on the way that was
                    ///< measured or limited last, rounded up
} csim_reach;

/// The caller sets kin and candidates.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_reach_create(csim_arena *arena, csim_reach *reach);

/// Starts a frame that ends at `end` [s].
static inline void csim_reach_begin_frame(csim_reach *reach, double end) {
  reach->frame_end = end;
}

/// Whether the list lasts until the end of the step that begins; otherwise call csim_reach_collect.
int csim_reach_lasts(const csim_reach *reach);

/// Builds the list for this step and some more. In one step everything is expected to move by
/// kin->d (csim_kinematics_predict).
/// @return 0, or -1 when out of memory
int csim_reach_collect(csim_reach *reach);

/// Gives new references to vertices that would leave their reach by moving by kin->d while the
/// clock advances by `time` [s], updates the list, and sets `moved` for that motion.
/// @return 0, or -1 when out of memory
int csim_reach_update(csim_reach *reach, double time);

/// Sets `moved` to the distances of x (mesh->nvert x 3) from the references, at vertices of bodies
/// and those of colliders that the list has.
void csim_reach_measure(csim_reach *reach, const double *x);

/// Share of kin->d that vertex i may move within its reach; sets moved[i] for that motion.
double csim_reach_limit(csim_reach *reach, int i);

/// Smallest share of kin->d that keeps every vertex within its reach.
double csim_reach_share(const csim_reach *reach);

/// Whether every vertex is within its reach, to rounding. Every candidate list relies on this.
/// Asserted after each displacement.
int csim_reach_holds(const csim_reach *reach);

/// A float that is no smaller than x >= 0.
static inline float csim_round_up(double x) {
  return (float)(x * (1 + 1e-6));
}

#endif
