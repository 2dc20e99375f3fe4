// contact/bvh.c: see bvh.h.
#include "contact/bvh.h"

#include "base/simd.h"

#include <assert.h>
#include <float.h>
#include <stdlib.h>

// Which items below a pack are new: a bit for each item of a lowest pack; for others whether any
// is.
enum { NONE = 0, SOME = 1, ALL = 15 };
enum { CHUNK_GROUPS = 8, PACK_GRAIN = 256, STACK_SIZE = 4 * CSIM_BVH_LEVELS };

int csim_bvh_create(csim_arena *arena, int first, int n, int flat, csim_box_fn *box,
                    const void *context, csim_bvh *bvh) {
  *bvh =
      (csim_bvh){.n = n, .first = first, .kept = flat, .box = box, .context = context, .slack = -1};
  int npack = n, total = 0;
  do {
    npack = (npack + 3) / 4;
    bvh->start[bvh->nlevel++] = total;
    total += npack;
  } while (npack > 1 && !(flat && bvh->nlevel == 2));
  bvh->start[bvh->nlevel] = total;
  bvh->item = CSIM_ARENA_NEW(arena, int, n);
  bvh->pack = CSIM_ARENA_NEW(arena, csim_bvh_pack, total - bvh->start[bvh->kept]);
  bvh->stale = CSIM_ARENA_NEW(arena, unsigned char, total);
  return arena->failed ? -1 : 0;
}

// ---------------------------------------------------------------------------------------- sorting
//
// Items are halved along the longest axis, and the halves again, down to packs. This tests a
// quarter fewer boxes than the order of the Morton curve, whose packs straddle its jumps.

typedef struct centre {
  float at[3];
  int item;
} centre;

// Items at the same place are ordered by number, so that the order is the same on all machines.
static inline int comes_before(const centre *a, const centre *b, int axis) {
  return a->at[axis] < b->at[axis] || (a->at[axis] == b->at[axis] && a->item < b->item);
}

// Partitions: the `count` smallest along an axis come first (Hoare's quickselect).
static void select_first(centre *c, int n, int count, int axis) {
  int first = 0, last = n - 1;
  while (first < last) {
    centre pivot = c[first + (last - first) / 2];
    int i = first, j = last;
    while (i <= j) {
      while (comes_before(&c[i], &pivot, axis)) i++;
      while (comes_before(&pivot, &c[j], axis)) j--;
      if (i > j) break;
      centre swapped = c[i];
      c[i++] = c[j];
      c[j--] = swapped;
    }
    if (count <= j)
      last = j;
    else if (count >= i)
      first = i;
    else
      return;
  }
}

static int longest_axis(const centre *c, int n) {
  float lo[3], hi[3];
  for (int k = 0; k < 3; k++) lo[k] = hi[k] = c[0].at[k];
  for (int i = 1; i < n; i++)
    for (int k = 0; k < 3; k++) {
      lo[k] = c[i].at[k] < lo[k] ? c[i].at[k] : lo[k];
      hi[k] = c[i].at[k] > hi[k] ? c[i].at[k] : hi[k];
    }
  int axis = 0;
  for (int k = 1; k < 3; k++)
    if (hi[k] - lo[k] > hi[axis] - lo[axis]) axis = k;
  return axis;
}

enum { SORT_DEPTH = 5, SORT_TASKS = 1 << SORT_DEPTH };

// Ranges still to be sorted, each independently.
typedef struct sort_job {
  int ntask;
  struct {
    centre *first;
    int n;
  } task[SORT_TASKS];
} sort_job;

// Halves n items recursively until `depth` is 0; the rest becomes work of the job. Halves are whole
// packs, whole packs of packs, and so on.
static void halve(centre *c, int n, int depth, sort_job *job) {
  if (n <= 4) return;
  if (depth == 0) {
    job->task[job->ntask].first = c;
    job->task[job->ntask++].n = n;
    return;
  }
  int half = 4;
  while (2 * half < n) half *= 2;
  select_first(c, n, half, longest_axis(c, n));
  halve(c, half, depth - 1, job);
  halve(c + half, n - half, depth - 1, job);
}

static void sort_task(void *context, int task) {
  const sort_job *job = context;
  halve(job->task[task].first, job->task[task].n, -1, NULL);
}

static int sort_items(csim_pool *pool, csim_bvh *bvh) {
  if (bvh->n == 0) return 0;
  centre *c = CSIM_NEW(centre, bvh->n);
  if (!c) return -1;
  for (int i = 0; i < bvh->n; i++) {
    csim_box box = bvh->box(bvh->context, i);
    for (int k = 0; k < 3; k++) c[i].at[k] = 0.5f * box.lo[k] + 0.5f * box.hi[k];
    c[i].item = i;
  }
  sort_job job = {0};
  halve(c, bvh->n, SORT_DEPTH, &job);
  csim_pool_run(pool, job.ntask, sort_task, &job);
  for (int i = 0; i < bvh->n; i++) bvh->item[i] = c[i].item;
  free(c);
  return 0;
}

// --------------------------------------------------------------------------------------- building

// Four uncompressed boxes.
typedef struct four_boxes {
  __m128 lo[3], hi[3], drift_lo[3], drift_hi[3];
} four_boxes;

static void spread(const float *const from[4], __m128 to[3]) {
  __m128 a = _mm_load_ps(from[0]), b = _mm_load_ps(from[1]);
  __m128 c = _mm_load_ps(from[2]), d = _mm_load_ps(from[3]);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  to[0] = a;
  to[1] = b;
  to[2] = c;
}

static void gather_boxes(const csim_box b[4], four_boxes *to) {
  spread((const float *const[]){b[0].lo, b[1].lo, b[2].lo, b[3].lo}, to->lo);
  spread((const float *const[]){b[0].hi, b[1].hi, b[2].hi, b[3].hi}, to->hi);
  spread((const float *const[]){b[0].drift_lo, b[1].drift_lo, b[2].drift_lo, b[3].drift_lo},
         to->drift_lo);
  spread((const float *const[]){b[0].drift_hi, b[1].drift_hi, b[2].drift_hi, b[3].drift_hi},
         to->drift_hi);
}

// Rounds floats down to their upper 16 bits.
static __m128i halves_below(__m128 x) {
  __m128i bits = _mm_castps_si128(x), kept = _mm_and_si128(bits, _mm_set1_epi32(~0xffff));
  // dropping bits rounds towards 0: negative numbers must go one further
  __m128i negative = _mm_srai_epi32(bits, 31), exact = _mm_cmpeq_epi32(bits, kept);
  __m128i one = _mm_andnot_si128(exact, _mm_and_si128(negative, _mm_set1_epi32(0x10000)));
  return _mm_srai_epi32(_mm_add_epi32(kept, one), 16);
}

static __m128 negate(__m128 x) {
  return _mm_xor_ps(x, _mm_set1_ps(-0.0f));
}

// Packs four lower and four upper bounds as halves.
static __m128i pack_bounds(__m128 lo, __m128 hi) {
  __m128i sign = _mm_set1_epi16(-0x8000), low = halves_below(lo), high = halves_below(negate(hi));
  __m128i packed = _mm_packs_epi32(low, high);
  return _mm_xor_si128(packed, _mm_unpackhi_epi64(_mm_setzero_si128(), sign));
}

// x - origin, rounded down a little further. The difference is rounded, and the last bits of a
// recomputed box may differ. Trees must report every overlap, or lists would depend on how items
// are sorted.
static __m128 offset_below(__m128 x, __m128 origin) {
  __m128 sign = _mm_set1_ps(-0.0f), d = _mm_sub_ps(x, origin);
  __m128 size = _mm_add_ps(_mm_andnot_ps(sign, d), _mm_andnot_ps(sign, x));
  return _mm_sub_ps(d, _mm_mul_ps(size, _mm_set1_ps(4 * FLT_EPSILON)));
}

// An origin plus a half that is at most a bound's offset is at most the bound: sums are rounded to
// the nearest float, and the bound is one.
static void close_pack(const four_boxes *from, csim_bvh_pack *pack) {
  for (int c = 0; c < 3; c++) {
    __m128 origin = _mm_set1_ps(from->lo[c][0]);
    pack->origin[c] = from->lo[c][0];
    __m128 up = offset_below(negate(from->hi[c]), negate(origin));
    pack->extent[c] = pack_bounds(offset_below(from->lo[c], origin), negate(up));
    pack->drift[c] = pack_bounds(from->drift_lo[c], from->drift_hi[c]);
  }
}

CSIM_SIMD_BODY void open_pack(const csim_bvh_pack *pack, four_boxes *to) {
  __m128i zero = _mm_setzero_si128();
  for (int c = 0; c < 3; c++) {
    __m128 origin = _mm_set1_ps(pack->origin[c]);
    __m128i extent = pack->extent[c], drift = pack->drift[c];
    to->lo[c] = _mm_add_ps(origin, _mm_castsi128_ps(_mm_unpacklo_epi16(zero, extent)));
    to->hi[c] = _mm_add_ps(origin, _mm_castsi128_ps(_mm_unpackhi_epi16(zero, extent)));
    to->drift_lo[c] = _mm_castsi128_ps(_mm_unpacklo_epi16(zero, drift));
    to->drift_hi[c] = _mm_castsi128_ps(_mm_unpackhi_epi16(zero, drift));
  }
}

// The box around those of the four that are in the mask.
static csim_box box_around(const four_boxes *from, int mask) {
  csim_box around = CSIM_BOX_NOWHERE;
  for (int k = 0; k < 4; k++) {
    if (!(mask >> k & 1)) continue;
    for (int c = 0; c < 3; c++) {
      around.lo[c] = from->lo[c][k] < around.lo[c] ? from->lo[c][k] : around.lo[c];
      around.hi[c] = from->hi[c][k] > around.hi[c] ? from->hi[c][k] : around.hi[c];
      float down = from->drift_lo[c][k], up = from->drift_hi[c][k];
      around.drift_lo[c] = down < around.drift_lo[c] ? down : around.drift_lo[c];
      around.drift_hi[c] = up > around.drift_hi[c] ? up : around.drift_hi[c];
    }
  }
  return around;
}

static void fill_pack(const csim_box b[4], csim_bvh_pack *pack) {
  four_boxes four;
  gather_boxes(b, &four);
  close_pack(&four, pack);
}

// Boxes of the items of pack p.
static void collect_items(const csim_bvh *bvh, int p, csim_box b[4]) {
  static const csim_box nowhere = CSIM_BOX_NOWHERE;
  for (int k = 0; k < 4; k++)
    b[k] = 4 * p + k < bvh->n ? bvh->box(bvh->context, bvh->item[4 * p + k]) : nowhere;
}

static inline csim_bvh_pack *pack_at(const csim_bvh *bvh, int level, int p) {
  return bvh->pack + (bvh->start[level] - bvh->start[bvh->kept] + p);
}

static inline int count_packs(const csim_bvh *bvh, int level) {
  return level < bvh->nlevel ? bvh->start[level + 1] - bvh->start[level] : 0;
}

// The box around the items of a pack; adds its size [m].
static csim_box around_items(const csim_box item[4], double *size) {
  csim_box around = item[0];
  for (int k = 1; k < 4; k++) around = csim_box_join(&around, &item[k]);
  for (int c = 0; c < 3; c++) *size += (double)around.hi[c] - around.lo[c];
  return around;
}

// Fills pack p of the lowest stored level; returns the total size of its packs of items [m].
static double fill_lowest(csim_bvh *bvh, int p) {
  csim_box item[4], b[4] = {CSIM_BOX_NOWHERE, CSIM_BOX_NOWHERE, CSIM_BOX_NOWHERE, CSIM_BOX_NOWHERE};
  double size = 0;
  if (bvh->kept == 0) {
    collect_items(bvh, p, b);
    around_items(b, &size);
  }
  for (int k = 0; k < 4 && bvh->kept == 1 && 4 * p + k < bvh->start[1]; k++) {
    collect_items(bvh, 4 * p + k, item);
    b[k] = around_items(item, &size);
  }
  fill_pack(b, pack_at(bvh, bvh->kept, p));
  return size;
}

// Fills pack p of a higher level.
static void fill_upper(csim_bvh *bvh, int level, int p) {
  int nbelow = count_packs(bvh, level - 1);
  csim_box b[4];
  for (int k = 0; k < 4; k++) { // of no child: nowhere; what a pack lacks is nowhere too
    four_boxes four;
    open_pack(pack_at(bvh, level - 1, 4 * p + k < nbelow ? 4 * p + k : 0), &four);
    b[k] = box_around(&four, 4 * p + k < nbelow ? 15 : 0);
  }
  fill_pack(b, pack_at(bvh, level, p));
}

typedef struct fill_job {
  csim_bvh *bvh;
  const unsigned char *flag; // NULL: all packs are updated
  int level;
} fill_job;

static double fill_lowest_packs(void *context, int first, int last) {
  const fill_job *job = context;
  double size = 0;
  for (int p = first; p < last; p++) size += fill_lowest(job->bvh, p);
  return size;
}

// A bit for each item of a pack.
static inline int lanes_of_pack(const csim_bvh *bvh, int p) {
  int n = bvh->n - 4 * p;
  return n < 4 ? (1 << n) - 1 : 15;
}

// Marks the packs of items that have flagged ones.
static void mark_item_packs(void *context, int first, int last) {
  const fill_job *job = context;
  csim_bvh *bvh = job->bvh;
  for (int p = first; p < last; p++) {
    int mask = 0, lanes = lanes_of_pack(bvh, p);
    for (int k = 0; k < 4 && lanes >> k & 1; k++)
      mask |= (job->flag[bvh->first + bvh->item[4 * p + k]] != 0) << k;
    bvh->stale[p] = (unsigned char)(mask == lanes ? ALL : mask);
    if (mask && bvh->kept == 0) fill_lowest(bvh, p);
  }
}

// Updates the packs of a level that have stale packs below them, and marks them as stale in turn.
// Without flags updates all. The lowest stored level is made of items.
static void fill_upper_packs(void *context, int first, int last) {
  const fill_job *job = context;
  csim_bvh *bvh = job->bvh;
  int level = job->level, nbelow = count_packs(bvh, level - 1);
  const unsigned char *below = bvh->stale + bvh->start[level - 1];
  unsigned char *stale = bvh->stale + bvh->start[level];
  for (int p = first; p < last; p++) {
    int n = 0, all = 0, count = nbelow - 4 * p < 4 ? nbelow - 4 * p : 4;
    for (int k = 4 * p; k < 4 * p + count && job->flag; k++) {
      n += below[k] != NONE;
      all += below[k] == ALL;
    }
    stale[p] = n == 0 ? NONE : all == count ? ALL : SOME;
    if (!n && job->flag) continue;
    if (level > bvh->kept)
      fill_upper(bvh, level, p);
    else
      fill_lowest(bvh, p);
  }
}

// The levels from job->level up.
static void finish_levels(void *context, int tree) {
  fill_job *job = (fill_job *)context + tree;
  for (; job->level < job->bvh->nlevel; job->level++)
    fill_upper_packs(job, 0, count_packs(job->bvh, job->level));
}

// Fills the levels from job->level up, of all trees side by side: by their packs as long as there
// are many, then each tree alone.
static void fill_upper_levels(csim_pool *pool, int ntree, fill_job *job) {
  for (;;) {
    csim_loop loop[CSIM_MOST_TREES];
    int nloop = 0;
    for (int k = 0; k < ntree; k++) {
      int n = count_packs(job[k].bvh, job[k].level);
      if (n > PACK_GRAIN) loop[nloop++] = (csim_loop){n, PACK_GRAIN, fill_upper_packs, &job[k]};
    }
    if (!nloop) break;
    csim_pool_for_all(pool, nloop, loop);
    for (int k = 0; k < nloop; k++) ((fill_job *)loop[k].context)->level++;
  }
  csim_pool_run(pool, ntree, finish_levels, job);
}

int csim_bvh_update(csim_pool *pool, csim_bvh *bvh) {
  fill_job job = {.bvh = bvh};
  int sorted = bvh->slack < 0, nlowest = count_packs(bvh, bvh->kept);
  if (sorted && sort_items(pool, bvh)) return -1;
  double size = csim_pool_sum_beside(pool, NULL, nlowest, PACK_GRAIN, fill_lowest_packs, &job);
  if (!sorted && size > 2 * bvh->slack) {
    if (sort_items(pool, bvh)) return -1;
    size = csim_pool_sum_beside(pool, NULL, nlowest, PACK_GRAIN, fill_lowest_packs, &job);
    sorted = 1;
  }
  if (sorted) bvh->slack = size;
  job.level = bvh->kept + 1;
  fill_upper_levels(pool, 1, &job);
  return 0;
}

void csim_bvh_update_some(csim_pool *pool, int ntree, csim_bvh *const *tree,
                          const unsigned char *const *flag) {
  fill_job job[CSIM_MOST_TREES];
  csim_loop loop[CSIM_MOST_TREES];
  assert(ntree <= CSIM_MOST_TREES);
  for (int k = 0; k < ntree; k++) {
    job[k] = (fill_job){tree[k], flag[k], 1};
    loop[k] = (csim_loop){tree[k]->start[1], PACK_GRAIN, mark_item_packs, &job[k]};
  }
  csim_pool_for_all(pool, ntree, loop);
  fill_upper_levels(pool, ntree, job);
}

// -------------------------------------------------------------------------------------- searching
//
// Four packs of A's items descend B together: by the box around them down to packs of packs, then
// four boxes against four at a time.

typedef float eight __attribute__((vector_size(32)));
typedef int eight_bits __attribute__((vector_size(32)));

// Boxes of a pack, each repeated in four lanes, two boxes to a vector.
typedef struct seeker {
  int ready;
  eight lo[2][3], hi[2][3], drift_lo[2][3], drift_hi[2][3];
} seeker;

// Packs 4 i .. 4 i + 3 of A's items.
typedef struct group {
  int first;
  int lanes[4], wanted[4]; // of each, that are searched; and as bits of meet_all
  int wanted_packs;        // those that have any, as bits of meet_all
  four_boxes whole;        // boxes around them
  four_boxes around;       // all of it, in four lanes
  seeker seek_whole, seek[4];
} group;

CSIM_SIMD_BODY void spread_lanes(const __m128 from[3], eight to[2][3]) {
  for (int c = 0; c < 3; c++) {
    eight both = __builtin_shufflevector(from[c], from[c], 0, 0, 0, 0, 1, 1, 1, 1);
    to[0][c] = both;
    to[1][c] = __builtin_shufflevector(from[c], from[c], 2, 2, 2, 2, 3, 3, 3, 3);
  }
}

CSIM_SIMD_BODY void prepare(const four_boxes *from, seeker *to) {
  if (to->ready) return;
  to->ready = 1;
  spread_lanes(from->lo, to->lo);
  spread_lanes(from->hi, to->hi);
  spread_lanes(from->drift_lo, to->drift_lo);
  spread_lanes(from->drift_hi, to->drift_hi);
}

CSIM_SIMD_BODY int bits_of(const eight_bits *apart) {
  const __m128 *half = (const __m128 *)apart;
  return _mm_movemask_ps(half[0]) | _mm_movemask_ps(half[1]) << 4;
}

// A macro, because a function that returns such a vector has no fixed ABI.
#define TWICE(from) __builtin_shufflevector(from, from, 0, 1, 2, 3, 0, 1, 2, 3)

// As csim_boxes_meet; bit 4 k + l is for the seeker's box k and box l.
CSIM_SIMD_BODY int meet_all(const seeker *a, const four_boxes *b) {
  eight_bits apart[2] = {{0}, {0}};
  for (int c = 0; c < 3; c++) {
    eight lo = TWICE(b->lo[c]), hi = TWICE(b->hi[c]);
    eight drift_lo = TWICE(b->drift_lo[c]), drift_hi = TWICE(b->drift_hi[c]);
    for (int k = 0; k < 2; k++) {
      eight down = a->drift_lo[k][c] - drift_hi, up = a->drift_hi[k][c] - drift_lo;
      down = (eight)((eight_bits)down & (down < 0));
      up = (eight)((eight_bits)up & (up > 0));
      apart[k] |= (a->lo[k][c] + down > hi) | (a->hi[k][c] + up < lo);
    }
  }
  return ~(bits_of(&apart[0]) | bits_of(&apart[1]) << 8) & 0xffff;
}

// The same for one box, repeated in four lanes.
CSIM_SIMD_BODY int meet(const four_boxes *a, const four_boxes *b) {
  __m128 zero = _mm_setzero_ps(), apart = zero;
  for (int c = 0; c < 3; c++) {
    __m128 down = _mm_min_ps(_mm_sub_ps(a->drift_lo[c], b->drift_hi[c]), zero);
    __m128 up = _mm_max_ps(_mm_sub_ps(a->drift_hi[c], b->drift_lo[c]), zero);
    apart = _mm_or_ps(apart, _mm_cmpgt_ps(_mm_add_ps(a->lo[c], down), b->hi[c]));
    apart = _mm_or_ps(apart, _mm_cmplt_ps(_mm_add_ps(a->hi[c], up), b->lo[c]));
  }
  return ~_mm_movemask_ps(apart) & 15;
}

// Lanes of pack p of the items that are in the part.
static inline int lanes_of(csim_bvh_part part, const csim_bvh *bvh, int p) {
  int lanes = lanes_of_pack(bvh, p);
  if (part == CSIM_BVH_ALL) return lanes;
  return lanes & (part == CSIM_BVH_NEW ? bvh->stale[p] : ~bvh->stale[p]);
}

// Whether none of the items below a pack is in the part.
static inline int lacks(csim_bvh_part part, const csim_bvh *bvh, int pack) {
  return part != CSIM_BVH_ALL && bvh->stale[pack] == (part == CSIM_BVH_NEW ? NONE : ALL);
}

typedef struct search_job {
  const csim_bvh_search *search;
  csim_keep_fn *keep;
  void *context;
  csim_pair_chunks *chunks;
} search_job;

// Repeats four lanes of B for each lane of A, in the order of meet_all.
static inline int for_each_lane(int lanes) {
  return 0x1111 * lanes;
}

// A tree against itself reports a pair once, from the item that comes first. Bit 4 k + l: lane l of
// pack q <= p has already been tested against lane k of p.
static inline int reported_before(const csim_bvh_search *s, int p, int q) {
  return (q < p ? 0xffff : 0xf731) & for_each_lane(lanes_of(s->part_a, s->A, q));
}

// The same for everything below a child `pack` of a level.
static inline int all_reported_before(const csim_bvh_search *s, int p, int level, int pack) {
  if (s->A != s->B || ((int64_t)pack + 1) << 2 * level > p) return 0;
  return s->part_a == CSIM_BVH_ALL ||
         (s->part_a == CSIM_BVH_NEW && s->A->stale[s->A->start[level] + pack] == ALL);
}

static void open_items(const csim_bvh *bvh, int p, four_boxes *to) {
  csim_box item[4];
  if (bvh->kept == 0) {
    open_pack(pack_at(bvh, 0, p), to);
    return;
  }
  collect_items(bvh, p, item);
  gather_boxes(item, to);
}

// Tests the group's pack k against pack q of B's items, whose boxes are `seen`.
CSIM_SIMD_BODY void test_items(const csim_bvh_search *s, group *from, int k, int q,
                               const four_boxes *seen, csim_met *met) {
  const csim_bvh *A = s->A, *B = s->B;
  int p = from->first + k;
  const int *a = A->item + csim_row(4, p), *b = B->item + csim_row(4, q);
  if (!from->seek[k].ready) {
    four_boxes items;
    open_items(A, p, &items);
    prepare(&items, &from->seek[k]);
  }
  int mask =
      meet_all(&from->seek[k], seen) & from->wanted[k] & for_each_lane(lanes_of(s->part_b, B, q));
  if (A == B && q <= p) mask &= ~reported_before(s, p, q);
  if (met->n + 16 > CSIM_MET_CAPACITY) csim_met_flush(met);
  for (; mask; mask &= mask - 1) {
    int bit = __builtin_ctz((unsigned)mask), i = A->first + a[bit >> 2], j = B->first + b[bit & 3];
    met->pair[met->n++] = s->alike && i > j ? (csim_pair){j, i} : (csim_pair){i, j};
  }
}

// Tests the group's packs against those of B below pack q on level 1.
CSIM_SIMD_BODY void test_packs(const csim_bvh_search *s, group *from, int q, csim_met *met) {
  four_boxes seen;
  prepare(&from->whole, &from->seek_whole);
  open_pack(pack_at(s->B, 1, q), &seen);
  int mask = meet_all(&from->seek_whole, &seen) & from->wanted_packs;
  for (int l = 0; l < 4; l++) {
    int child = 4 * q + l, left = mask >> l & 0x1111;
    if (!left || lacks(s->part_b, s->B, child)) continue;
    open_pack(pack_at(s->B, 0, child), &seen);
    for (; left; left &= left - 1) {
      int k = __builtin_ctz((unsigned)left) >> 2;
      if (!all_reported_before(s, from->first + k, 0, child))
        test_items(s, from, k, child, &seen, met);
    }
  }
}

static void widen(const csim_box *box, four_boxes *to) {
  for (int c = 0; c < 3; c++) {
    to->lo[c] = _mm_load1_ps(&box->lo[c]);
    to->hi[c] = _mm_load1_ps(&box->hi[c]);
    to->drift_lo[c] = _mm_load1_ps(&box->drift_lo[c]);
    to->drift_hi[c] = _mm_load1_ps(&box->drift_hi[c]);
  }
}

// Boxes around the wanted lanes of each pack; around all lanes where only that is stored.
static void gather_packs(const csim_bvh_search *s, int i, group *to) {
  csim_box part[4] = {CSIM_BOX_NOWHERE, CSIM_BOX_NOWHERE, CSIM_BOX_NOWHERE, CSIM_BOX_NOWHERE};
  if (s->part_a != CSIM_BVH_NEW && s->A->nlevel > 1) {
    open_pack(pack_at(s->A, 1, i), &to->whole);
    return;
  }
  for (int k = 0; k < 4; k++) {
    four_boxes items;
    if (!to->lanes[k]) continue;
    open_items(s->A, to->first + k, &items);
    part[k] = box_around(&items, to->lanes[k]);
  }
  gather_boxes(part, &to->whole);
}

// Returns 0 if no item of group i is searched.
static int gather_group(const csim_bvh_search *s, int i, group *to) {
  const csim_bvh *A = s->A;
  int packs = 0;
  if (A->nlevel > 1 && lacks(s->part_a, A, A->start[1] + i)) return 0;
  to->first = 4 * i;
  to->wanted_packs = to->seek_whole.ready = 0;
  for (int k = 0; k < 4; k++) {
    int p = to->first + k, lanes = p < A->start[1] ? lanes_of(s->part_a, A, p) : 0;
    to->lanes[k] = lanes;
    to->seek[k].ready = to->wanted[k] = 0;
    for (int l = 0; l < 4; l++) to->wanted[k] |= (lanes >> l & 1 ? 15 : 0) << 4 * l;
    to->wanted_packs |= (lanes ? 15 : 0) << 4 * k;
    packs |= (lanes != 0) << k;
  }
  if (!packs) return 0;
  gather_packs(s, i, to);
  csim_box around = box_around(&to->whole, packs);
  widen(&around, &to->around);
  return 1;
}

// Finds all items in B that overlap those of group i of A; in A itself, only from there on.
CSIM_SIMD_BODY void search_group(const csim_bvh_search *s, int i, group *from, csim_met *met) {
  const csim_bvh *B = s->B;
  struct {
    int level, pack;
  } stack[STACK_SIZE], at;
  int top = 0;
  if (!gather_group(s, i, from)) return;
  if (B->nlevel == 1) {
    four_boxes seen;
    open_pack(pack_at(B, 0, 0), &seen);
    for (int k = 0; k < 4; k++)
      if (from->lanes[k]) test_items(s, from, k, 0, &seen, met);
    return;
  }
  stack[top].level = B->nlevel - 1;
  stack[top++].pack = 0;
  while (top) {
    at = stack[--top];
    if (at.level == 1) {
      test_packs(s, from, at.pack, met);
      continue;
    }
    four_boxes seen;
    open_pack(pack_at(B, at.level, at.pack), &seen);
    int mask = meet(&from->around, &seen);
    for (; mask; mask &= mask - 1) {
      int child = 4 * at.pack + __builtin_ctz((unsigned)mask);
      if (all_reported_before(s, from->first, at.level - 1, child)) continue;
      if (lacks(s->part_b, B, B->start[at.level - 1] + child)) continue;
      stack[top].level = at.level - 1;
      stack[top++].pack = child;
    }
  }
}

static int count_groups(const csim_bvh_search *s) {
  return s->B->n == 0 ? 0 : (s->A->start[1] + 3) / 4;
}

static int count_chunks(const csim_bvh_search *s) {
  return (count_groups(s) + CHUNK_GROUPS - 1) / CHUNK_GROUPS;
}

// Returns how many groups it had.
CSIM_SIMD_BODY int search_groups(const search_job *job, int chunk) {
  const csim_bvh_search *s = job->search;
  csim_met met;
  group from;
  csim_met_begin(&met, job->keep, job->context, job->chunks, chunk);
  for (; chunk >= count_chunks(s); s++) chunk -= count_chunks(s);
  int first = chunk * CHUNK_GROUPS, last = first + CHUNK_GROUPS;
  if (last > count_groups(s)) last = count_groups(s);
  for (int i = first; i < last; i++) search_group(s, i, &from, &met);
  csim_met_flush(&met);
  return last - first;
}
CSIM_SIMD_KERNEL(int, search_groups, (const search_job *job, int chunk), (job, chunk))

static void search_chunk(void *context, int chunk) {
  search_groups_kernel[csim_simd_best()](context, chunk);
}

void csim_bvh_pairs(csim_pool *pool, int nsearch, const csim_bvh_search *search, csim_keep_fn *keep,
                    void *context, csim_pair_chunks *chunks) {
  search_job job = {search, keep, context, chunks};
  int nchunk = 0;
  for (int s = 0; s < nsearch; s++) nchunk += count_chunks(&search[s]);
  csim_pair_chunks_begin(chunks, nchunk);
  csim_pool_run(pool, chunks->nchunk, search_chunk, &job);
}
