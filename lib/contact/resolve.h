// contact/resolve.h: resolves what would stop a common motion. Needs contact/glide.h.
//
// Where everything moves by one share of its way, one pair that comes too near stops all. Most such
// pairs lack little: in a sleeve that follows an arm some that are pressed to a tenth of their
// contact distance closed by a micrometre more. So their vertices, and no others, get a correction:
// the least one, by the norm of their inertia and stiffness, that keeps their gaps open,
//
//   sum_k w_k n . (x_k + d_k) >= gap to keep,
//
// with the weights w of the nearest points and the direction n between them at their time of
// impact. Corrections are found pair by pair (projected Gauss-Seidel), and pairs are looked for
// again, as corrected vertices may meet others. Nothing relies on the result: a filter follows.
//
//     before    o------->  <---o        after    o--->  <---o
//                                                  |gap to keep|
#ifndef CSIM_CONTACT_RESOLVE_H
#define CSIM_CONTACT_RESOLVE_H

#include "contact/glide.h"

/// A condition on the motion: sum_k w_k n . d_k >= least.
typedef struct csim_gap_condition {
  int v[4]; ///< (mesh->nvert)
  double w[4];
  double answer[4]; ///< motions of the vertices along n that add up to 1 m of the gap
  double n[3];      ///< of length 1
  double least;     ///< [m]
} csim_gap_condition;

typedef struct csim_resolve {
  csim_kinematics *kin;
  csim_reach *reach;
  csim_narrow_phase *narrow;
  int done; ///< after the last call: nothing is known to stop the corrected motion
  int n;
  csim_gap_condition *condition; ///< (n) in the order in which they were found
  ptrdiff_t capacity;
} csim_resolve;

/// What is kept of a gap that is narrower than the cushion (margins.h), to which others may close.
typedef enum csim_gap_rule {
  CSIM_GAP_HALVES, ///< half of what is above the floor
  CSIM_GAP_STAYS,  ///< all: colliders would press further with every joint step
} csim_gap_rule;

/// Corrects the motions of free vertices in kin->d, which has those of colliders too.
/// @return number of conditions: 0, and kin->d stays as it is, where nothing stops the motion; -1
///         when out of memory
int csim_resolve_motion(csim_resolve *resolve, csim_gap_rule rule);

/// Frees its list.
void csim_resolve_free(csim_resolve *resolve);

#endif
