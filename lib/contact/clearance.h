// contact/clearance.h: contact distances of parts that start nearer to others than that.
// Needs contact/kinematics.h, candidates.h.
//
// A vertex that starts nearer to another part than the contact distance keeps a smaller one
// (csim_candidates_find_starts). But contact at a hair's breadth holds little: cloth that started
// 0.1 mm above a plate was pressed to the floor of that distance as the plate rose. So the distance
// of such a vertex grows. With the gap that there is:
//
//   0 ... gap ...... grown    at least 0.9 gap, where nothing is pushed; where the gap is less than
//         |<------->|         a quarter of the contact distance, up to 0.15 contact distances more
//                             than the gap, so that contact widens it
//
// Beyond 0.9 gap it grows by no more than the speed at which cloth goes on by a tenth of the
// contact distance against gravity, so that it is lifted and not thrown. Without gravity no gap is
// widened.
//
// Along a surface the distance rises by at most a small share of the way (SLOPE). Without that a
// cylinder that started 1 mm above a slope lay in a trough of its own shape: what came down in
// front had the whole distance. So what touches nothing takes no more than its neighbours permit,
// even if that is less than it had; what contact pushes only grows.
#ifndef CSIM_CONTACT_CLEARANCE_H
#define CSIM_CONTACT_CLEARANCE_H

#include "base/atomic_number.h"
#include "contact/candidates.h"
#include "contact/kinematics.h"

typedef struct csim_clearance {
  csim_kinematics *kin;
  csim_candidates *candidates;
  unsigned char *near; ///< (mesh->nbody_vert) of a part that starts near another; not touching
  int any;             ///< some vertex is near
  int widened;         ///< some gap was widened or starts pushed: that lifts bodies and adds energy
  float *grown;        ///< (mesh->nbody_vert) [m] distance from other parts; 0: as it started
  double *level;       ///< (mesh->nbody_vert) [m] most it may grow to; like `grown` only if `any`
  unsigned char *open; ///< (mesh->nbody_vert) contact does not push it; like `grown`
  csim_atomic_number *gap; ///< (mesh->nbody_vert) [m] from other parts; like `grown` only if `any`
} csim_clearance;

/// Call it once the starts are known. The caller sets kin and candidates.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_clearance_create(csim_arena *arena, csim_clearance *clearance);

/// Number of three-vectors that hold the distances of nvert vertices, one number each. They are
/// zeros where none is near: phases of other distances have the same state.
static inline int csim_clearance_size(int nvert) {
  return (nvert + 2) / 3;
}

/// Whether numbers read from outside, all finite, may be such a state. (csim_clearance_size x 3)
int csim_clearance_accepts(const csim_clearance *clearance, const double *state);

/// Writes or reads them. (csim_clearance_size x 3)
void csim_clearance_save(const csim_clearance *clearance, double *state);
void csim_clearance_load(csim_clearance *clearance, const double *state);

/// Goes back to the distances at the start.
void csim_clearance_clear(csim_clearance *clearance);

/// Lets distances grow in a step of length h [s], with everything at kin->x, where the list of
/// candidates holds.
/// @return whether some distance has changed
int csim_clearance_grow(csim_clearance *clearance, double h);

#endif
