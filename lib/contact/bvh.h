// contact/bvh.h: bounding volume hierarchy over boxes that move. Needs contact/boxes.h.
//
// Items are sorted by halving them along their longest axis. Four neighbours make a pack, four
// packs the next level's pack, and so on up to one: a test of a box against a pack tests four at
// once. Moving boxes refit the tree; it is sorted anew when it has grown slack.
#ifndef CSIM_CONTACT_BVH_H
#define CSIM_CONTACT_BVH_H

#include "contact/boxes.h"

enum { CSIM_BVH_LEVELS = 16 };

/// Four boxes, one to a lane. Bounds have the upper halves of floats, rounded outward; those in
/// space count from a point near by, so that they lose little.
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

/// Memory for n items, from the arena. A `flat` tree serves only as side A of searches, and stores
/// only boxes of four items: those of single items are computed when needed.
/// @return 0, or -1 when out of memory
int csim_bvh_create(csim_arena *arena, int first, int n, int flat, csim_box_fn *box,
                    const void *context, csim_bvh *bvh);

/// Takes the items' boxes as they are now. Sorts first if the packs' total size has doubled since
/// the last sort, else refits.
/// @return 0, or -1 when out of memory
int csim_bvh_update(csim_pool *pool, csim_bvh *bvh);

/// Takes the boxes of those items that have a flag, and leaves the others as they were.
/// @param flag  by number
void csim_bvh_update_some(csim_pool *pool, csim_bvh *bvh, const unsigned char *flag);

/// Which items of a tree are searched.
typedef enum csim_bvh_part {
  CSIM_BVH_ALL,
  CSIM_BVH_NEW, ///< those with a flag, which the last csim_bvh_update_some has taken anew
  CSIM_BVH_OLD, ///< the others
} csim_bvh_part;

/// What to search: items of A against items of B. A pair of `alike` items is reported as (a, b)
/// with a < b; A itself is B for all pairs within a tree, or those of new items with all.
typedef struct csim_bvh_search {
  const csim_bvh *A, *B;
  int alike;
  csim_bvh_part part_a, part_b;
} csim_bvh_search;

/// All pairs of items whose boxes meet and that `keep` wants, of all searches together. `keep` is
/// asked about some others too, whose boxes come near.
void csim_bvh_pairs(csim_pool *pool, int nsearch, const csim_bvh_search *search, csim_keep_fn *keep,
                    void *context, csim_pair_chunks *chunks);

#endif
