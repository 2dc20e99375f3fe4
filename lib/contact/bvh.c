// contact/bvh.c: see bvh.h.
#include "contact/bvh.h"

#include "math/vec3.h"

#include <float.h>

enum { CHUNK_LEAVES = 64, MAX_DEPTH = 32 };

// Outward by four units of a float: one for rounding to it, the rest for sums with drifts.
static float below(double x) {
  return (float)(x - 4 * FLT_EPSILON * fabs(x) - FLT_MIN);
}
static float above(double x) {
  return (float)(x + 4 * FLT_EPSILON * fabs(x) + FLT_MIN);
}

static csim_bvh_box round_outward(const csim_box *b) {
  return (csim_bvh_box){
      _mm_setr_ps(below(b->lo[0]), below(b->lo[1]), below(b->lo[2]), 0),
      _mm_setr_ps(above(b->hi[0]), above(b->hi[1]), above(b->hi[2]), 0),
      _mm_setr_ps(below(b->drift_lo[0]), below(b->drift_lo[1]), below(b->drift_lo[2]), 0),
      _mm_setr_ps(above(b->drift_hi[0]), above(b->drift_hi[1]), above(b->drift_hi[2]), 0)};
}

static csim_bvh_box join(const csim_bvh_box *a, const csim_bvh_box *b) {
  return (csim_bvh_box){_mm_min_ps(a->lo, b->lo), _mm_max_ps(a->hi, b->hi),
                        _mm_min_ps(a->drift_lo, b->drift_lo), _mm_max_ps(a->drift_hi, b->drift_hi)};
}

static const float FAR = FLT_MAX / 4; // finite: infinities would make NaN of drifts

// The box that meets nothing.
static csim_bvh_box nowhere(void) {
  __m128 far = _mm_setr_ps(FAR, FAR, FAR, 0), near = _mm_setr_ps(-FAR, -FAR, -FAR, 0);
  return (csim_bvh_box){far, near, far, near};
}

// As csim_boxes_meet; the sums round too, which the outward rounding has covered.
static inline int meet(const csim_bvh_box *a, const csim_bvh_box *b) {
  __m128 zero = _mm_setzero_ps();
  __m128 down = _mm_min_ps(_mm_sub_ps(a->drift_lo, b->drift_hi), zero);
  __m128 up = _mm_max_ps(_mm_sub_ps(a->drift_hi, b->drift_lo), zero);
  __m128 apart = _mm_or_ps(_mm_cmpgt_ps(_mm_add_ps(a->lo, down), b->hi),
                           _mm_cmplt_ps(_mm_add_ps(a->hi, up), b->lo));
  return _mm_movemask_ps(apart) == 0;
}

int csim_bvh_create(csim_arena *arena, int n, csim_bvh *bvh) {
  *bvh = (csim_bvh){.n = n, .nslot = 1, .slack = -1};
  bvh->nleaf = (n + CSIM_BVH_LEAF - 1) / CSIM_BVH_LEAF;
  while (bvh->nslot < bvh->nleaf) bvh->nslot *= 2;
  bvh->item = CSIM_ARENA_NEW(arena, int, n);
  bvh->box = CSIM_ARENA_NEW(arena, csim_bvh_box, n);
  bvh->node = CSIM_ARENA_NEW(arena, csim_bvh_box, 2 * (ptrdiff_t)bvh->nslot - 1);
  bvh->key = CSIM_ARENA_NEW(arena, csim_morton, n);
  bvh->key_scratch = CSIM_ARENA_NEW(arena, csim_morton, n);
  return arena->failed ? -1 : 0;
}

static void sort_items(csim_bvh *bvh, const csim_box *box) {
  csim_box all = csim_box_empty();
  for (int i = 0; i < bvh->n; i++) all = csim_box_join(&all, &box[i]);
  double extent = 0; // one scale for all axes keeps cells cubes
  for (int c = 0; c < 3; c++)
    if (all.hi[c] - all.lo[c] > extent) extent = all.hi[c] - all.lo[c];
  double scale = extent > 0 ? ((1 << 21) - 1) / extent : 0;
  for (int i = 0; i < bvh->n; i++) {
    uint32_t cell[3];
    for (int c = 0; c < 3; c++)
      cell[c] = (uint32_t)((0.5 * (box[i].lo[c] + box[i].hi[c]) - all.lo[c]) * scale);
    bvh->key[i] = (csim_morton){csim_morton_code(cell), i};
  }
  csim_morton_sort(bvh->n, bvh->key, bvh->key_scratch);
  for (int i = 0; i < bvh->n; i++) bvh->item[i] = bvh->key[i].item;
}

// Boxes of items and leaves; returns the leaves' total size.
static double fill_leaves(csim_bvh *bvh, const csim_box *box) {
  double size = 0;
  for (int l = 0; l < bvh->nslot; l++) {
    csim_bvh_box *leaf = &bvh->node[bvh->nslot - 1 + l];
    *leaf = nowhere();
    for (int k = l * CSIM_BVH_LEAF; k < (l + 1) * CSIM_BVH_LEAF && k < bvh->n; k++) {
      bvh->box[k] = round_outward(&box[bvh->item[k]]);
      *leaf = join(leaf, &bvh->box[k]);
    }
    if (l < bvh->nleaf) {
      float side[4];
      _mm_storeu_ps(side, _mm_sub_ps(leaf->hi, leaf->lo));
      size += (double)side[0] + side[1] + side[2];
    }
  }
  return size;
}

void csim_bvh_update(csim_bvh *bvh, const csim_box *box) {
  int sorted = bvh->slack < 0;
  if (sorted) sort_items(bvh, box);
  double size = fill_leaves(bvh, box);
  if (!sorted && size > 2 * bvh->slack) {
    sort_items(bvh, box);
    size = fill_leaves(bvh, box);
    sorted = 1;
  }
  if (sorted) bvh->slack = size;
  for (int k = bvh->nslot - 2; k >= 0; k--)
    bvh->node[k] = join(&bvh->node[2 * k + 1], &bvh->node[2 * k + 2]);
}

typedef struct search {
  const csim_bvh *A, *B; // B NULL: A against itself
  csim_keep_fn *keep;
  void *context;
  csim_pair_chunks *chunks;
} search;

static void test_leaves(const search *s, int chunk, int la, int lb) {
  const csim_bvh *A = s->A, *B = s->B ? s->B : A;
  int a1 = (la + 1) * CSIM_BVH_LEAF < A->n ? (la + 1) * CSIM_BVH_LEAF : A->n;
  int b1 = (lb + 1) * CSIM_BVH_LEAF < B->n ? (lb + 1) * CSIM_BVH_LEAF : B->n;
  for (int i = la * CSIM_BVH_LEAF; i < a1; i++)
    for (int j = !s->B && la == lb ? i + 1 : lb * CSIM_BVH_LEAF; j < b1; j++) {
      if (!meet(&A->box[i], &B->box[j])) continue;
      int a = A->item[i], b = B->item[j];
      if (!s->B && a > b) {
        int swap = a;
        a = b;
        b = swap;
      }
      if (s->keep(s->context, a, b)) csim_pair_chunks_push(s->chunks, chunk, a, b);
    }
}

// All leaves of B that meet the leaf of A; of A itself, from that leaf on.
static void search_leaf(const search *s, int chunk, int leaf) {
  const csim_bvh *B = s->B ? s->B : s->A;
  const csim_bvh_box *box = &s->A->node[s->A->nslot - 1 + leaf];
  int stack[MAX_DEPTH + 1], top = 0, least = s->B ? 0 : leaf;
  stack[top++] = 0;
  while (top) {
    int k = stack[--top];
    if (!meet(&B->node[k], box)) continue;
    if (k >= B->nslot - 1) {
      int other = k - (B->nslot - 1);
      if (other >= least) test_leaves(s, chunk, leaf, other);
      continue;
    }
    stack[top++] = 2 * k + 2;
    stack[top++] = 2 * k + 1;
  }
}

static void search_chunk(void *context, int chunk) {
  const search *s = context;
  int last = (chunk + 1) * CHUNK_LEAVES < s->A->nleaf ? (chunk + 1) * CHUNK_LEAVES : s->A->nleaf;
  for (int l = chunk * CHUNK_LEAVES; l < last; l++) search_leaf(s, chunk, l);
}

static int run(csim_pool *pool, search *s, csim_pair_list *list) {
  int nchunk = (s->A->nleaf + CHUNK_LEAVES - 1) / CHUNK_LEAVES;
  if (s->B && s->B->n == 0) nchunk = 0;
  csim_pair_chunks_begin(s->chunks, nchunk);
  csim_pool_run(pool, s->chunks->nchunk, search_chunk, s);
  return csim_pair_chunks_join(s->chunks, pool, s->A->n, list);
}

int csim_bvh_pairs(csim_pool *pool, const csim_bvh *bvh, csim_keep_fn *keep, void *context,
                   csim_pair_chunks *chunks, csim_pair_list *list) {
  return run(pool, &(search){bvh, NULL, keep, context, chunks}, list);
}

int csim_bvh_pairs_between(csim_pool *pool, const csim_bvh *A, const csim_bvh *B,
                           csim_keep_fn *keep, void *context, csim_pair_chunks *chunks,
                           csim_pair_list *list) {
  return run(pool, &(search){A, B, keep, context, chunks}, list);
}
