// contact/boxes.h: what all searches for overlapping boxes share: the boxes, and merging the pairs
// of all chunks into one sorted list. Needs base/.
#ifndef CSIM_CONTACT_BOXES_H
#define CSIM_CONTACT_BOXES_H

#include "base/arena.h"
#include "base/pool.h"

#include <emmintrin.h>
#include <stdatomic.h>

/// A box whose contents drift from time 0 to time 1, each point by some displacement in a range.
/// Floats, rounded outward by whoever fills it: half the memory, and the fourth lane is not used.
typedef struct csim_box {
  _Alignas(16) float lo[4], hi[4]; ///< [m] at time 0
  float drift_lo[4], drift_hi[4];  ///< [m]
} csim_box;

/// Some boxes.
typedef struct csim_boxes {
  int n;
  const csim_box *box; ///< (n)
} csim_boxes;

/// Whether two closed boxes can have a point in common at some time. What drifts alike stays apart.
static inline int csim_boxes_meet(const csim_box *a, const csim_box *b) {
  __m128 zero = _mm_setzero_ps();
  __m128 down = _mm_sub_ps(_mm_load_ps(a->drift_lo), _mm_load_ps(b->drift_hi));
  __m128 up = _mm_sub_ps(_mm_load_ps(a->drift_hi), _mm_load_ps(b->drift_lo));
  __m128 lo = _mm_add_ps(_mm_load_ps(a->lo), _mm_min_ps(down, zero));
  __m128 hi = _mm_add_ps(_mm_load_ps(a->hi), _mm_max_ps(up, zero));
  __m128 apart =
      _mm_or_ps(_mm_cmpgt_ps(lo, _mm_load_ps(b->hi)), _mm_cmplt_ps(hi, _mm_load_ps(b->lo)));
  return !(_mm_movemask_ps(apart) & 7);
}

/// A box that meets nothing; finite, as infinities would make NaN of drifts.
#define CSIM_BOX_NOWHERE                                                                           \
  {                                                                                                \
    {CSIM_BOX_FAR, CSIM_BOX_FAR, CSIM_BOX_FAR, 0},                                                 \
        {-CSIM_BOX_FAR, -CSIM_BOX_FAR, -CSIM_BOX_FAR, 0},                                          \
        {CSIM_BOX_FAR, CSIM_BOX_FAR, CSIM_BOX_FAR, 0}, {                                           \
      -CSIM_BOX_FAR, -CSIM_BOX_FAR, -CSIM_BOX_FAR, 0                                               \
    }                                                                                              \
  }
#define CSIM_BOX_FAR 1e37f

/// The box around the point x + time v [m] and all within `grow` [m] of it, that drifts by span v;
/// rounded outward so that sums of floats in csim_boxes_meet are covered too.
csim_box csim_box_of_point(const double *x, const double *v, double time, double span, double grow);

/// The smallest box around two.
static inline csim_box csim_box_join(const csim_box *a, const csim_box *b) {
  csim_box out;
  _mm_store_ps(out.lo, _mm_min_ps(_mm_load_ps(a->lo), _mm_load_ps(b->lo)));
  _mm_store_ps(out.hi, _mm_max_ps(_mm_load_ps(a->hi), _mm_load_ps(b->hi)));
  _mm_store_ps(out.drift_lo, _mm_min_ps(_mm_load_ps(a->drift_lo), _mm_load_ps(b->drift_lo)));
  _mm_store_ps(out.drift_hi, _mm_max_ps(_mm_load_ps(a->drift_hi), _mm_load_ps(b->drift_hi)));
  return out;
}

/// Two items, by number. Of alike ones a is the lower.
typedef struct csim_pair {
  int a, b;
} csim_pair;

/// Moves those of n pairs that go on the list to the front; all n have boxes that meet. Called from
/// any thread, with pairs in any order.
/// @return how many stay
typedef int csim_keep_fn(void *context, int n, csim_pair *pair);

typedef struct csim_pair_block csim_pair_block;

/// Pairs that chunks of work have found, each for itself, until they are joined. Its memory is that
/// of all pairs at the time when there were most.
typedef struct csim_pair_chunks {
  int nchunk;              ///< in use
  ptrdiff_t capacity;      ///< of `chunk`
  csim_pair_block **chunk; ///< (capacity) the newest block of each
  csim_pair_block *spare;  ///< unused blocks, in chains of chunks
  atomic_int spare_taken;  ///< some thread is at them
  atomic_int failed;       ///< out of memory
  ptrdiff_t start_capacity;
  atomic_int *start; ///< (start_capacity) scratch of the join
} csim_pair_chunks;

/// Empties it for nchunk chunks. Afterwards each chunk pushes for itself.
void csim_pair_chunks_begin(csim_pair_chunks *chunks, int nchunk);
void csim_pair_chunks_push(csim_pair_chunks *chunks, int chunk, csim_pair pair);

enum { CSIM_MET_CAPACITY = 512 };

/// What a chunk's search has met and not flushed yet: many at a time, so that each test is a loop.
typedef struct csim_met {
  csim_keep_fn *keep;
  void *context;
  csim_pair_chunks *chunks;
  int chunk, n;
  csim_pair pair[CSIM_MET_CAPACITY];
} csim_met;

/// Begins collecting the pairs that one chunk of work meets; arguments must outlive it.
void csim_met_begin(csim_met *met, csim_keep_fn *keep, void *context, csim_pair_chunks *chunks,
                    int chunk);

/// Pushes the pairs met that `keep` wants, and empties the list. Call it when there is no space for
/// more, and in the end.
void csim_met_flush(csim_met *met);

/// Number of pairs; -1 when memory has run out.
ptrdiff_t csim_pair_chunks_count(const csim_pair_chunks *chunks);

/// Moves all pairs into one list, sorted by a, then b; a < na.
/// @param stride     numbers from one pair of the list to the next, at least 2
/// @param[out] pair  (csim_pair_chunks_count) a, b of each are written
/// @return 0, or -1 when out of memory
int csim_pair_chunks_join(csim_pair_chunks *chunks, csim_pool *pool, int na, int stride, int *pair);

/// Frees the pairs of all chunks.
void csim_pair_chunks_free(csim_pair_chunks *chunks);

#endif
