// mesh/weld.h: finds vertices at exactly the same position. Needs base/.
#ifndef CSIM_MESH_WELD_H
#define CSIM_MESH_WELD_H

#include "clothsim.h"

/// first[i] = the lowest vertex with the same three numbers as vertex i (-0 equals 0), so i itself
/// for the first at its place. Expected O(nvert).
///
/// @param x           (nvert x 3) positions, no NaN
/// @param[out] first  (nvert) overwritten
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_weld(int nvert, const double *x, int *first);

#endif
