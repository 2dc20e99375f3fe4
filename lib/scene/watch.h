// scene/watch.h: does anything pass through anything, after every substep? Needs contact/.
#ifndef CSIM_SCENE_WATCH_H
#define CSIM_SCENE_WATCH_H

#include "scene/compile.h"

typedef struct csim_watch csim_watch;

/// @param self  bodies against each other and themselves too, not only against colliders
/// @return NULL when out of memory
csim_watch *csim_watch_create(csim_pool *pool, const csim_world *world, int self);
void csim_watch_free(csim_watch *watch);

/// Counts, with exact predicates, the pairs of triangles that meet and the vertices behind planes;
/// not where a collider lets a body's vertex go (contact/pinched.h).
/// Colliders stand where contact has let them go, else where they are meant to be at `time` [s].
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_watch_count(csim_watch *watch, const csim_state *state, double time,
                             long long *count);

#endif
