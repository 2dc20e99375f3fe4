// cache/topology.h: the constant data of an object, as the payload of a TOPO chunk. Needs base/.
#ifndef CSIM_CACHE_TOPOLOGY_H
#define CSIM_CACHE_TOPOLOGY_H

#include "base/arena.h"
#include "base/log.h"
#include "cache/planes.h"
#include "clothsim.h"

/// Checks an object: limits, index ranges, names. Says what is wrong.
csim_status csim_topology_check(const csim_cache_object *object, csim_place place, csim_log *log);

/// Appends the payload. The object must have passed csim_topology_check.
/// @return 0, or -1 when out of memory
int csim_topology_write(csim_planes *planes, const csim_cache_object *object, csim_bytes *out);

/// Reads a payload; arrays go to the arena. Any bytes are safe; the result is not checked yet.
/// @return 0, or -1 when malformed or out of memory (then the arena has failed)
int csim_topology_read(csim_planes *planes, const uint8_t *data, ptrdiff_t size, csim_arena *arena,
                       csim_cache_object *object);

#endif
