// contact/step_filter.h: the CCD step filter: shortens each vertex's motion until nothing can
// intersect. Needs contact/narrow_phase.h, filter.h.
//
//      b          Between the two sides of a pair lies a plane. A vertex may go up to the planes of
//      |   d_b    its pairs, whatever the others do.
//      v
//   ------- plane
//      ^          Layers that move alike, and pairs that turn, cross their planes without coming
//      |   d_a    nearer: of the pairs that planes would cut, 95 % in a twisted tube and 89 % in a
//      a          sheet drawn through a ring. Those in contact pass by continuous collision
//                 detection, with the shares that their vertices have in the end.
//
// So all shortened motions, and every common multiple of them in [0, 1], are safe together.
#ifndef CSIM_CONTACT_STEP_FILTER_H
#define CSIM_CONTACT_STEP_FILTER_H

#include "base/atomic_number.h"
#include "contact/narrow_phase.h"

typedef struct csim_step_filter {
  csim_kinematics *kin;
  csim_reach *reach;
  csim_narrow_phase *narrow;
  csim_atomic_number
      *share; ///< (mesh->nbody_vert) of kin->d that is accepted; in the scratch meanwhile
  unsigned char *doubtful; ///< (narrow->n) pairs that planes would cut, and that may pass
  ptrdiff_t capacity;      ///< of doubtful
} csim_step_filter;

/// Frees what is not the caller's.
void csim_step_filter_free(csim_step_filter *filter);

/// Shortens kin->d for each vertex by itself. Pairs keep CSIM_CONTACT_FLOOR times their contact
/// distance; nearer pairs come no nearer. Vertices must be within their reach, see
/// csim_reach_update.
/// @return smallest share accepted, [0, 1]; < 0 when out of memory
double csim_step_filter_limit(csim_step_filter *filter);

/// Moves everything by kin->d, each vertex as far as it can, in a few passes. Before each pass d is
/// aimed at goal again (csim_kinematics_aim).
/// @return 0, or -1 when out of memory
int csim_step_filter_advance(csim_step_filter *filter, const double *goal);

#endif
