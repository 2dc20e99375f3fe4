// contact/glide.h: moves all vertices together as far as possible. Needs contact/narrow_phase.h.
//
// The step filter (step_filter.h) lets every vertex stop where it must. It has to expect neighbours
// to run into each other, and to test all their pairs: with fast cloth that is nearly all the work.
// But most of what is fast moves alike. So first all vertices move at once, by one common share of
// their motions, until some pair comes too near. Only pairs that really approach each other are
// tested then.
//
//     a cloth falls         round 1: all together      round 2: the vertices of that
//     past a peg A          until one pair is near     pair stay, the rest goes on
//
//     o---o---o---o---o
//     |   |   |   |   |     o---o---o---o---o                   o
//     v   v   v   v   v             A                         ' A '
//             A                                         o---o       o---o
//
// The step filter moves the vertices that were left out in the end.
#ifndef CSIM_CONTACT_GLIDE_H
#define CSIM_CONTACT_GLIDE_H

#include "base/atomic_number.h"
#include "contact/narrow_phase.h"

typedef struct csim_glide {
  csim_kinematics *kin;
  csim_reach *reach;
  csim_narrow_phase *narrow;
  _Atomic unsigned char *left_out; ///< (mesh->nvert) takes no part: stopped an earlier round
  int stopped; ///< pairs or planes, not reaches alone, shortened the last common motion
} csim_glide;

/// The caller sets kin, reach and narrow.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_glide_create(csim_arena *arena, csim_glide *glide);

/// Share of kin->d after which a pair has used up the gap it may use.
/// @param thickness  [m] contact distance of the pair
double csim_glide_pair_share(const csim_kinematics *kin, csim_pair_kind kind, const int v[4],
                             double thickness);

/// The same of a candidate, with its own contact distance; 1 if it has none.
double csim_glide_candidate_share(const csim_reach *reach, const csim_candidate *pair);

/// Shortens kin->d, of which colliders have none, by one common share: as far as nothing comes too
/// near. Vertices must be within their reach, see csim_reach_update.
/// @return the share, [0, 1]; < 0 when out of memory
double csim_glide_limit(csim_glide *glide);

/// Moves everything by one share of kin->d, at most `most`. kin->d has the motions of bodies and
/// pins; colliders follow their motions in time. The step's clock advances by the same share.
/// @return the share; < 0 when out of memory
double csim_glide_together(csim_glide *glide, double most);

/// Moves pins and colliders to their goals while everything else and the step's clock stand still,
/// if their path is free.
/// @return 0, or -1 when out of memory
int csim_glide_ahead(csim_glide *glide);

/// Moves free vertices towards goal and pins towards theirs (csim_kinematics_aim), in a few rounds;
/// each round leaves out the vertices that stopped the last one. The step's clock advances to its
/// end.
/// @return 0, or -1 when out of memory
int csim_glide_apart(csim_glide *glide, const double *goal);

#endif
