// scene/cached.h: reads states from the cache of a run. Needs clothsim.h.
#ifndef CSIM_SCENE_CACHED_H
#define CSIM_SCENE_CACHED_H

#include "clothsim.h"

/// Index of a frame in the cache; -1: it is not there.
int csim_cached_frame(const csim_cache_info *info, int frame);

/// Index of an object in the cache; -1: it is not there.
int csim_cached_object(const csim_cache_info *info, const char *name);

/// Adds `factor` times the positions (or velocities) of an object in a frame to `to`, (nvert x 3).
/// @return CSIM_IO, CSIM_MEMORY
csim_status csim_cached_add(csim_cache *cache, int object, int frame, int velocities, double factor,
                            double *to);

/// Positions [m] and velocities [m/s] of an object in a frame, (nvert x 3) each, overwritten. If
/// the cache has no velocities, they are those of the motion since the previous frame.
/// @param unit  [m] of one unit of length in the cache
/// @return CSIM_IO, CSIM_MEMORY
csim_status csim_cached_state(csim_cache *cache, int object, int frame, double unit, double *x,
                              double *v);

#endif
