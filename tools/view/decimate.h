// view/decimate.h: fewer vertices for a look from afar. Needs clothsim.h.
#ifndef VIEW_DECIMATE_H
#define VIEW_DECIMATE_H

#include "clothsim.h"

/// Chooses about `most` of the vertices, evenly over the surface, and joins them: every vertex
/// belongs to the nearest chosen one along the edges, and triangles between three realms become
/// triangles. Layers that only lie near each other are never joined.
/// @param[out] nkeep, keep  chosen vertices, rising; free()
/// @param[out] nout, out    (nout x 3) triangles over 0 .. nkeep - 1; free()
csim_status view_decimate(int nvert, const double *x, int ntri, const int *tri, int most,
                          int *nkeep, int **keep, int *nout, int **out);

#endif
