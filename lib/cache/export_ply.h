// cache/export_ply.h: one PLY file, for the exporters that need a rest mesh. Needs io/, base/.
#ifndef CSIM_CACHE_EXPORT_PLY_H
#define CSIM_CACHE_EXPORT_PLY_H

#include "cache/export.h"

/// Writes an object in the current frame as binary little-endian PLY: vertices (x, y, z, then
/// vx, vy, vz if it has velocities, then s, t if `uv` is given) and faces.
/// @param uv  (nvert x 2) or NULL
csim_status csim_ply_write(csim_export *e, int object, const double *uv, const char *path);

#endif
