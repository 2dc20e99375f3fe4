// cache/split.h: splits vertices for formats whose points have one texture coordinate and one
// normal each: vertices on seams and hard edges become several points. Needs base/.
#ifndef CSIM_CACHE_SPLIT_H
#define CSIM_CACHE_SPLIT_H

#include "base/arena.h"
#include "clothsim.h"

typedef struct csim_split {
  int n;       ///< points
  int *vert;   ///< (n) the vertex of each
  int *corner; ///< (n) a corner with its values; -1: the vertex is of no face
  int *point;  ///< (corners) the point of each corner
} csim_split;

enum {
  CSIM_SPLIT_UV = 1,       ///< points have the first set of texture coordinates
  CSIM_SPLIT_UV_SETS = 2,  ///< and the further ones
  CSIM_SPLIT_NORMAL = 4,   ///< and normals
  CSIM_SPLIT_VERTICES = 8, ///< the first nvert points are the vertices, also those of no face
};

/// Corners of a vertex become one point if all values that points have are equal, whatever their
/// indices.
/// @param what    CSIM_SPLIT_UV | ...
/// @param arena   gets the arrays
/// @return 0, or -1 when out of memory
int csim_split_make(const csim_cache_object *object, int what, csim_arena *arena, csim_split *out);

#endif
