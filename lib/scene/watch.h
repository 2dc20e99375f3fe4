// scene/watch.h: tests for intersections after every substep. Needs contact/.
#ifndef CSIM_SCENE_WATCH_H
#define CSIM_SCENE_WATCH_H

#include "scene/compile.h"

typedef struct csim_watch csim_watch;

/// @param self  also tests bodies against each other and themselves, not only against colliders
/// @return NULL when out of memory
csim_watch *csim_watch_create(csim_pool *pool, const csim_world *world, int self);
void csim_watch_free(csim_watch *watch);

/// Counts, with exact predicates, the intersecting pairs of triangles and the vertices behind
/// planes, without vertices that a collider has released (contact/pinched.h). Colliders are at
/// their actual positions if the state has them, else at their prescribed positions at `time` [s].
/// @return 0, or -1 when out of memory
int csim_watch_count(csim_watch *watch, const csim_state *state, double time, long long *count);

#endif
