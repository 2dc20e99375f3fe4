// cache/face_sets.h: the groups and materials of an object, as lists of faces, for formats with
// face sets. Needs mesh/tag.h, base/.
#ifndef CSIM_CACHE_FACE_SETS_H
#define CSIM_CACHE_FACE_SETS_H

#include "base/arena.h"
#include "clothsim.h"

typedef struct csim_face_set {
  const char *name; ///< different from those of the object's other sets
  int is_material;  ///< 0: a group
  int n;
  int *face; ///< (n) increasing
} csim_face_set;

/// Sorts the faces of an object by the names in their tags.
/// @param arena     of everything returned
/// @param[out] set  (returned) in order of first occurrence
/// @return how many, -1 when out of memory
int csim_face_sets(const csim_cache_object *object, csim_arena *arena, csim_face_set **set);

#endif
