// view/decimate.h: fewer vertices for a look from afar. Needs clothsim.h.
#ifndef VIEW_DECIMATE_H
#define VIEW_DECIMATE_H

#include "clothsim.h"

typedef struct view_decimated {
  int nvert, *vert; ///< chosen vertices, rising
  int ntri, *tri;   ///< (ntri x 3) triangles over 0 .. nvert - 1
} view_decimated;

/// Chooses about `most` of the vertices, evenly over the surface, and joins them: every vertex
/// belongs to the nearest chosen one along the edges, and triangles between three realms become
/// triangles. Layers that only lie near each other are never joined.
/// @param[out] out  its arrays: free()
csim_status view_decimate(int nvert, const double *x, int ntri, const int *tri, int most,
                          view_decimated *out);

#endif
