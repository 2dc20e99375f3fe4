// contact/bvh.h: bounding volume hierarchy over boxes that move. Needs contact/boxes.h.
//
// Items are sorted by halving them along their longest axis. Four neighbours make a pack, four
// packs make a pack of the next level, and so on up to one. A box is tested against the four boxes
// of a pack at once. When boxes move the tree is refitted; when its packs have grown too large it
// is sorted again.
#ifndef CSIM_CONTACT_BVH_H
#define CSIM_CONTACT_BVH_H

#include "contact/boxes.h"

enum { CSIM_BVH_LEVELS = 16 };

/// Four boxes, one to a lane. Bounds have the upper halves of floats, rounded outward. Bounds in
/// space are relative to a point near by, so that they lose little.
typedef struct csim_bvh_pack {
  _Alignas(16) float origin[4]; ///< [m] the fourth is not used
  __m128i extent[3], drift[3];  ///< of each axis four lower bounds, then four upper ones
} csim_bvh_pack;

/// The box of item i, 0 .. n - 1: finite. Called from any thread.
typedef csim_box csim_box_fn(const void *context, int i);

typedef struct csim_bvh {
  int n;                          ///< items
  int first;                      ///< the number of item 0 in lists of pairs and among flags
  int nlevel;                     ///< level 0 holds the items, the last one pack
  int start[CSIM_BVH_LEVELS + 1]; ///< first pack of each level
  csim_box_fn *box;
  const void *context;
  int *item;            ///< (n) in the tree's order
  int kept;             ///< lowest level whose packs are kept
  csim_bvh_pack *pack;  ///< (start[nlevel] - start[kept])
  unsigned char *stale; ///< (start[nlevel]) what csim_bvh_update_some took anew
  double slack;         ///< [m] sum of the packs' sizes when last sorted; < 0: never
} csim_bvh;

/// Allocates a tree of n items in the arena. A `flat` tree can only be side A of searches. It
/// stores only boxes of four items and computes those of single items when needed.
/// @return 0, or -1 when out of memory
int csim_bvh_create(csim_arena *arena, int first, int n, int flat, csim_box_fn *box,
                    const void *context, csim_bvh *bvh);

/// Updates all boxes. Sorts first if the packs' total size has doubled since the last sort, else
/// refits.
/// @return 0, or -1 when out of memory
int csim_bvh_update(csim_pool *pool, csim_bvh *bvh);

enum { CSIM_MOST_TREES = 3 };

/// Updates the boxes of the items that have a flag, of up to CSIM_MOST_TREES trees.
/// @param flag  (ntree) of each tree's items, by number
void csim_bvh_update_some(csim_pool *pool, int ntree, csim_bvh *const *tree,
                          const unsigned char *const *flag);

/// The items of a tree that are searched.
typedef enum csim_bvh_part {
  CSIM_BVH_ALL,
  CSIM_BVH_NEW, ///< those with a flag, which the last csim_bvh_update_some has taken anew
  CSIM_BVH_OLD, ///< the others
} csim_bvh_part;

/// A search: items of A against items of B. A pair of `alike` items is reported as (a, b) with a <
/// b. For pairs within a tree, of all items or of new items with all, B is A.
typedef struct csim_bvh_search {
  const csim_bvh *A, *B;
  int alike;
  csim_bvh_part part_a, part_b;
} csim_bvh_search;

/// Finds all pairs of overlapping boxes that `keep` accepts, of all searches together. `keep` may
/// also be called for boxes that are merely near.
void csim_bvh_pairs(csim_pool *pool, int nsearch, const csim_bvh_search *search, csim_keep_fn *keep,
                    void *context, csim_pair_chunks *chunks);

#endif
