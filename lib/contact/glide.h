// contact/glide.h: moves what moves together. Needs contact/narrow_phase.h.
//
// The step filter (step_filter.h) lets every vertex stop where it must, so it has to expect that
// neighbours run into each other, and has to test all their pairs: with fast cloth that is nearly
// all the work. But most of what is fast moves alike. So first all vertices move at once, by one
// common share of their ways, as far as no pair comes too near: only pairs that really approach
// each other have to be tested then.
//
//     a cloth falls         round 1: all together      round 2: the vertices of that
//     past a peg A          until one pair is near     pair are held, the rest goes on
//
//     o---o---o---o---o
//     |   |   |   |   |     o---o---o---o---o                   o
//     v   v   v   v   v             A                         ' A '
//             A                                         o---o       o---o
//
// In the end the step filter moves the held ones.
#ifndef CSIM_CONTACT_GLIDE_H
#define CSIM_CONTACT_GLIDE_H

#include "contact/narrow_phase.h"
#include "contact/share.h"

typedef struct csim_glide {
  csim_kinematics *kin;
  csim_reach *reach;
  csim_narrow_phase *narrow;
  _Atomic unsigned char *held; ///< (mesh->nvert) takes no part
  int stopped; ///< pairs or planes, not reaches alone, shortened the last common motion
} csim_glide;

/// kin, reach and narrow are for the caller to set.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_glide_create(csim_arena *arena, csim_glide *glide);

/// Share of kin->d after which a pair has used up the gap it may use.
/// @param thickness  [m] contact distance of the pair
double csim_glide_pair_share(const csim_kinematics *kin, csim_pair_kind kind, const int v[4],
                             double thickness);

/// Moves all by one share of kin->d, `most` or less, which holds the ways of bodies and pins;
/// colliders go as far in time. The step's clock goes on as far.
/// @return the share; < 0 when out of memory
double csim_glide_together(csim_glide *glide, double most);

/// Moves pins and colliders to their goals while all else and the step's clock stand, if nothing is
/// in their way.
/// @return 0, or -1 when out of memory
int csim_glide_ahead(csim_glide *glide);

/// Moves free vertices towards goal and pins towards theirs (csim_kinematics_aim), in a few rounds,
/// each without those that stopped the one before; and the step's clock to its end.
/// @return 0, or -1 when out of memory
int csim_glide_apart(csim_glide *glide, const double *goal);

#endif
