// cache/look.h: normals and colours of an object, as the payload of a LOOK chunk. Needs base/.
#ifndef CSIM_CACHE_LOOK_H
#define CSIM_CACHE_LOOK_H

#include "base/arena.h"
#include "cache/planes.h"
#include "clothsim.h"
#include "mesh/mesh.h"

/// A mesh as an object of a cache: its surface, texture coordinates, normals, colours and tags,
/// whose arrays are lent. The rest is zero.
csim_cache_object csim_object_of_mesh(const csim_mesh *mesh);

/// Whether an object has any.
static inline int csim_look_in(const csim_cache_object *object) {
  return object->nnormal > 0 || object->colour != NULL;
}

/// Checks counts, ranges, and that each normal is of one vertex. NULL, or what is wrong:
/// csim_look_no_memory, or with the object.
extern const char csim_look_no_memory[];
const char *csim_look_check(const csim_cache_object *object);

/// Appends the payload. The object must have passed csim_look_check.
/// @return 0, or -1 when out of memory
int csim_look_write(csim_planes *planes, const csim_cache_object *object, csim_bytes *out);

/// Reads a payload into an object that has its topology; arrays go to the arena. Any bytes are
/// safe; the result is not checked yet.
/// @return 0, or -1 when malformed or out of memory (then the arena has failed)
int csim_look_read(csim_planes *planes, const uint8_t *data, ptrdiff_t size, csim_arena *arena,
                   csim_cache_object *object);

/// The normals of an object as mesh/normals.h has them; its arrays are lent.
/// @return 0, or -1 when out of memory
int csim_look_normals(const csim_cache_object *object, csim_arena *arena, csim_normals *normals);

#endif
