// contact/filter.h: step limiting of one pair: how far its vertices may move. Needs
// contact/distance.h.
//
// Planar truncation: neither side may cross a plane between them, which is placed by how fast each
// side approaches it. Both hulls then stay in disjoint half-spaces along the whole straight path.
// Every shorter motion of any vertex is therefore safe too, whatever the others do. Source: Divide
// and Truncate, arXiv 2604.15513.
#ifndef CSIM_CONTACT_FILTER_H
#define CSIM_CONTACT_FILTER_H

#include "contact/distance.h"

/// Share of the gap to the plane that one motion may use, < 1.
#define CSIM_FILTER_SHARE 0.9

/// Unit direction n from the first to the second side, and the width of the empty slab across n
/// between them. The width is a certified lower bound of their distance: the rounding of the
/// products, and of positions written later, is subtracted. 0 when no direction that was tried
/// separates them.
double csim_separate_pair(csim_pair_kind kind, const double *const x[4], double n[3]);

/// Shares t in [0, 1] of the displacements d that the pair's vertices may move.
/// @param      x     (4) points
/// @param      d     (4) their displacements
/// @param      keep  [m] distance to keep; a pair that is nearer may not come nearer still
/// @param[out] t     (4)
/// @return 1 when some t < 1
int csim_filter_pair(csim_pair_kind kind, const double *const x[4], const double *const d[4],
                     double keep, double t[4]);

/// Share of the displacement d of one vertex that stays above the plane n.x = offset by `keep`.
double csim_filter_plane(const double *x, const double *d, const double n[3], double offset,
                         double keep);

#endif
