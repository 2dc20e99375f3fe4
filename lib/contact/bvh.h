// contact/bvh.h: bounding volume hierarchy over boxes that move. Needs contact/boxes.h.
//
// Items stand in Morton order of their box centres, a few to a leaf; over the leaves lies a
// complete binary tree. Moving boxes refit it; it is sorted anew when it has grown slack.
#ifndef CSIM_CONTACT_BVH_H
#define CSIM_CONTACT_BVH_H

#include "contact/boxes.h"

#include <xmmintrin.h>

enum { CSIM_BVH_LEAF = 4 };

/// A csim_box rounded outward to floats: half the memory, and one comparison does three axes.
typedef struct csim_bvh_box {
  __m128 lo, hi, drift_lo, drift_hi; ///< the fourth lane is 0
} csim_bvh_box;

typedef struct csim_bvh {
  int n;                          ///< items
  int nleaf;                      ///< leaves in use
  int nslot;                      ///< a power of two >= nleaf
  int *item;                      ///< (n) in Morton order
  csim_bvh_box *box;              ///< (n) of them
  csim_bvh_box *node;             ///< (2 nslot - 1) children of k at 2 k + 1 and 2 k + 2
  csim_morton *key, *key_scratch; ///< (n)
  double slack;                   ///< [m] sum of the leaves' sizes when last sorted; < 0: never
} csim_bvh;

/// Room for n items, from the arena. -1 when out of memory.
int csim_bvh_create(csim_arena *arena, int n, csim_bvh *bvh);

/// Takes the items' boxes as they are now. Sorts first if the leaves' total size has doubled since
/// the last sort, else refits.
/// @param box  (n) finite
void csim_bvh_update(csim_bvh *bvh, const csim_box *box);

/// All pairs a < b of items whose boxes meet and that `keep` wants, sorted.
/// @return 0, or -1 when out of memory
int csim_bvh_pairs(csim_pool *pool, const csim_bvh *bvh, csim_keep_fn *keep, void *context,
                   csim_pair_chunks *chunks, csim_pair_list *list);

/// All pairs of an item a of A and an item b of B, likewise.
int csim_bvh_pairs_between(csim_pool *pool, const csim_bvh *A, const csim_bvh *B,
                           csim_keep_fn *keep, void *context, csim_pair_chunks *chunks,
                           csim_pair_list *list);

#endif
