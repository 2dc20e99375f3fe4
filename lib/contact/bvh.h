// contact/bvh.h: bounding volume hierarchy over boxes that move. Needs contact/boxes.h.
//
// Items stand in Morton order of their box centres. Four neighbours make a pack, four packs the
// next level's pack, and so on up to one: a test of a box against a pack tells of four at once.
// Moving boxes refit the tree; it is sorted anew when it has grown slack.
#ifndef CSIM_CONTACT_BVH_H
#define CSIM_CONTACT_BVH_H

#include "contact/boxes.h"

#include <xmmintrin.h>

enum { CSIM_BVH_LEVELS = 16 };

/// Four boxes, one to a lane.
typedef struct csim_bvh_pack {
  __m128 lo[3], hi[3], drift_lo[3], drift_hi[3];
} csim_bvh_pack;

typedef struct csim_bvh {
  int n;                          ///< items
  int first;                      ///< the number of item 0 in lists of pairs
  int nlevel;                     ///< level 0 holds the items, the last one pack
  int start[CSIM_BVH_LEVELS + 1]; ///< first pack of each level
  int *item;                      ///< (n) in Morton order
  csim_bvh_pack *pack;            ///< (start[nlevel])
  csim_box *around;               ///< (start[nlevel]) around each pack
  unsigned char *stale;           ///< (start[nlevel]) whether some or all below had a flag
  double slack;                   ///< [m] sum of the packs' sizes when last sorted; < 0: never
} csim_bvh;

/// Room for n items, from the arena. -1 when out of memory.
int csim_bvh_create(csim_arena *arena, int first, int n, csim_bvh *bvh);

/// Takes the items' boxes as they are now. Sorts first if the packs' total size has doubled since
/// the last sort, else refits.
/// @param box  (n) finite
/// @param key  (n x 2) scratch
void csim_bvh_update(csim_bvh *bvh, const csim_box *box, csim_morton *key);

/// Takes the boxes of those items that have a flag, and leaves the others as they were.
void csim_bvh_update_some(csim_bvh *bvh, const csim_box *box, const unsigned char *flag);

/// Makes `some` the tree of those items of `all` that have a flag, with boxes as they are now.
/// @param box   (all->n) finite
/// @param flag  (all->n)
/// @param some  created with room for as many items as `all`
void csim_bvh_select(const csim_bvh *all, const csim_box *box, const unsigned char *flag,
                     csim_bvh *some);

/// What to search: items of A against items of B. A pair of `alike` items is told as (a, b) with
/// a < b; A itself is B for all pairs within a tree.
typedef struct csim_bvh_search {
  const csim_bvh *A, *B;
  int alike;
  const unsigned char *skip_a, *skip_b; ///< by number, or NULL: items with a flag are left out;
                                        ///< with the flags of its tree's last csim_bvh_update_some
} csim_bvh_search;

/// All pairs of items whose boxes meet at some time from `begin` in [0, 1] on and that `keep` wants, of all searches together, sorted.
/// @param na  above every a
/// @return 0, or -1 when out of memory
int csim_bvh_pairs(csim_pool *pool, int nsearch, const csim_bvh_search *search, double begin,
                   int na, csim_keep_fn *keep, void *context, csim_pair_chunks *chunks,
                   csim_pair_list *list);

#endif
