// contact/room.h: contact distances of what starts nearer than that grow as gaps open.
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
// and by no more than RATE, so that cloth is lifted and not thrown. Distances never shrink.
#ifndef CSIM_CONTACT_ROOM_H
#define CSIM_CONTACT_ROOM_H

#include "contact/candidates.h"
#include "contact/kinematics.h"
#include "contact/share.h"

typedef struct csim_room {
  csim_kinematics *kin;
  csim_candidates *candidates;
  unsigned char *near; ///< (mesh->nbody_vert) starts near another part, but does not touch it
  int any;             ///< some vertex is near
  int widened;         ///< some gap was widened: that lifts bodies, which adds energy
  float *grown;        ///< (mesh->nbody_vert) [m] distance from other parts; 0: as it started
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
