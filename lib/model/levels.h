// model/levels.h: springs of coarser levels, a remedy for locking. Needs model/network.h,
// math/multigrid.h.
//
// A mesh whose edges are all stiff springs has 3V - E = 3 + E_b ways to move without stretching,
// however many vertices it has. Coarser levels therefore resist stretch instead. Their springs run
// between the seeds of aggregates, several edges apart, and pull but do not push. The springs of
// the mesh keep a small share and let it wrinkle. Each further level has a ninth of the vertices,
// so its stiff springs leave the others their freedom.
#ifndef CSIM_MODEL_LEVELS_H
#define CSIM_MODEL_LEVELS_H

#include "model/network.h"

/// Makes springs of coarser levels for the network of one part, and weakens the network.
///
/// A level has the springs' sum(k L^2) over each aggregate, times its share. This gives the same
/// resistance to a stretch for any network that resists alike in all directions:
///
///   k = s (W_a / n_a + W_b / n_b) / L^2,  W_a = 1/2 sum over springs at vertices of a of k L^2,
///
/// n_a is the number of a's neighbours. L is the distance of the seeds at rest along the surface:
/// chord (1 + t^2/6 + 3 t^4/40), with t half of the difference of their unit normals along the
/// chord: asin(t)/t, the arc of a circle. Where nothing is left to join, the share stays with the
/// network.
///
/// @param mesh      the part's surface: its vertices are the part's first mesh->nvert
/// @param pinned    (mesh->nvert) non-zero: pinned, to be a seed if possible; NULL: none
/// @param nlevel    coarser levels at most, >= 0
/// @param first     springs from this number on are the part's network; their k is scaled
/// @param[out] levels  springs added to, the coarsest first
/// @return number of levels that were made, or -1 when out of memory
int csim_network_levels(const csim_mesh *mesh, const csim_part *part, const unsigned char *pinned,
                        int nlevel, int first, csim_elements *springs, csim_elements *levels);

#endif
