// cache/uv_sets.h: further sets of texture coordinates, each as a UVST chunk. Needs base/.
#ifndef CSIM_CACHE_UV_SETS_H
#define CSIM_CACHE_UV_SETS_H

#include "base/arena.h"
#include "cache/planes.h"
#include "clothsim.h"

/// Checks number, names and ranges of an object's sets. NULL, or what is wrong.
const char *csim_uv_sets_check(const csim_cache_object *object);

/// Appends the payload of a set. The object must have passed csim_uv_sets_check.
/// @return 0, or -1 when out of memory
int csim_uv_set_write(csim_planes *planes, const csim_cache_object *object, const csim_uv_set *set,
                      csim_bytes *out);

/// Reads a payload and adds the set to an object that has its topology; arrays go to the arena.
/// Any bytes are safe; the result is not checked yet.
/// @return 0, or -1 when malformed or out of memory (then the arena has failed)
int csim_uv_set_read(csim_planes *planes, const uint8_t *data, ptrdiff_t size, csim_arena *arena,
                     csim_cache_object *object);

/// The object's sets with arrays of their own.
/// @return (nuv_set) of the arena; NULL when there are none or when out of memory
csim_uv_set *csim_uv_sets_copy(const csim_cache_object *object, csim_arena *arena);

#endif
