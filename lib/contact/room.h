// contact/room.h: contact distances of parts that start nearer to others than that.
// Needs contact/kinematics.h, candidates.h.
//
// Vertices that start nearer to another part than the contact distance keep a smaller one
// (csim_candidates_find_starts). But contact at a hair's breadth holds little: cloth that started
// 0.1 mm above a plate was pressed to the floor of that distance as the plate rose. So the distance
// of such a vertex grows, from the gap that there is:
//
//   0 ... gap ...... grown    at least 0.9 gap, where nothing is pushed; where the gap is less than
//         |<------->|         a quarter of the contact distance, by up to 0.15 contact distances
//                             beyond it, so that contact widens it
//
// and by no more than the speed at which cloth goes on by a tenth of that distance against gravity,
// so that it is lifted and not thrown. Without gravity no gap is widened.
//
// Along a surface the distance rises by at most a small share of the way (SLOPE), however far the
// rest of the part is: a cylinder that started 1 mm above a slope lay in a trough of its own shape,
// since what came down in front kept the whole distance. So what touches nothing takes the distance
// of what is beside it, also where that is less; what contact pushes only grows.
#ifndef CSIM_CONTACT_ROOM_H
#define CSIM_CONTACT_ROOM_H

#include "contact/candidates.h"
#include "contact/kinematics.h"
#include "contact/share.h"

typedef struct csim_room {
  csim_kinematics *kin;
  csim_candidates *candidates;
  unsigned char *near; ///< (mesh->nbody_vert) of a part that starts near another; not touching
  int any;             ///< some vertex is near
  int widened;         ///< some gap was widened or starts pushed: that lifts bodies and adds energy
  float *grown;        ///< (mesh->nbody_vert) [m] distance from other parts; 0: as it started
  double *level;       ///< (mesh->nbody_vert) [m] what it may be; like `grown` only if `any`
  unsigned char *open; ///< (mesh->nbody_vert) contact does not push it; like `grown`
  csim_share *gap;     ///< (mesh->nbody_vert) [m] from other parts; like `grown` only if `any`
} csim_room;

/// Call it once the starts are known. The caller sets kin and candidates.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_room_create(csim_arena *arena, csim_room *room);

/// Number of three-vectors that hold the distances: one number a vertex, or none if none is near.
static inline int csim_room_size(const csim_room *room) {
  return room->any ? (room->kin->mesh->nbody_vert + 2) / 3 : 0;
}

/// Whether numbers read from outside, all finite, may be such a state. (csim_room_size x 3)
int csim_room_accepts(const csim_room *room, const double *state);

/// Writes or reads them. (csim_room_size x 3)
void csim_room_save(const csim_room *room, double *state);
void csim_room_load(csim_room *room, const double *state);

/// Goes back to the distances at the start.
void csim_room_clear(csim_room *room);

/// Lets distances grow in a step of length h [s], with everything at kin->x, where the list of
/// candidates holds.
/// @return whether some distance has changed
int csim_room_grow(csim_room *room, double h);

#endif
