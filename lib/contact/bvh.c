// contact/bvh.c: see bvh.h.
#include "contact/bvh.h"

enum { CHUNK_PACKS = 64, STACK_ROOM = 4 * CSIM_BVH_LEVELS };
enum { SOME = 1, ALL = 2 }; // of a pack's items are stale

static void lay_out(csim_bvh *bvh, int n) {
  int npack = n, total = 0;
  bvh->n = n;
  bvh->nlevel = 0;
  do {
    npack = (npack + 3) / 4;
    bvh->start[bvh->nlevel++] = total;
    total += npack;
  } while (npack > 1);
  bvh->start[bvh->nlevel] = total;
}

int csim_bvh_create(csim_arena *arena, int first, int n, csim_bvh *bvh) {
  *bvh = (csim_bvh){.first = first, .slack = -1};
  lay_out(bvh, n);
  bvh->item = CSIM_ARENA_NEW(arena, int, n);
  bvh->pack = CSIM_ARENA_NEW(arena, csim_bvh_pack, bvh->start[bvh->nlevel]);
  bvh->around = CSIM_ARENA_NEW(arena, csim_box, bvh->start[bvh->nlevel]);
  bvh->stale = CSIM_ARENA_NEW(arena, unsigned char, bvh->start[bvh->nlevel]);
  return arena->failed ? -1 : 0;
}

static void sort_items(csim_bvh *bvh, const csim_box *box, csim_morton *key) {
  csim_box all = CSIM_BOX_NOWHERE;
  for (int i = 0; i < bvh->n; i++) all = csim_box_join(&all, &box[i]);
  double extent = 0; // one scale for all axes keeps cells cubes
  for (int c = 0; c < 3; c++)
    if ((double)all.hi[c] - all.lo[c] > extent) extent = (double)all.hi[c] - all.lo[c];
  double scale = extent > 0 ? ((1 << 21) - 1) / extent : 0;
  for (int i = 0; i < bvh->n; i++) {
    uint32_t cell[3];
    for (int c = 0; c < 3; c++)
      cell[c] = (uint32_t)((0.5 * ((double)box[i].lo[c] + box[i].hi[c]) - all.lo[c]) * scale);
    key[i] = (csim_morton){csim_morton_code(cell), i};
  }
  csim_morton_sort(bvh->n, key, key + bvh->n);
  for (int i = 0; i < bvh->n; i++) bvh->item[i] = key[i].item;
}

// --------------------------------------------------------------------------------------- building

static void spread(const float *const from[4], __m128 to[3]) {
  __m128 a = _mm_load_ps(from[0]), b = _mm_load_ps(from[1]);
  __m128 c = _mm_load_ps(from[2]), d = _mm_load_ps(from[3]);
  _MM_TRANSPOSE4_PS(a, b, c, d);
  to[0] = a;
  to[1] = b;
  to[2] = c;
}

static void fill_pack(const csim_box *const b[4], csim_bvh_pack *pack) {
  spread((const float *const[]){b[0]->lo, b[1]->lo, b[2]->lo, b[3]->lo}, pack->lo);
  spread((const float *const[]){b[0]->hi, b[1]->hi, b[2]->hi, b[3]->hi}, pack->hi);
  spread((const float *const[]){b[0]->drift_lo, b[1]->drift_lo, b[2]->drift_lo, b[3]->drift_lo},
         pack->drift_lo);
  spread((const float *const[]){b[0]->drift_hi, b[1]->drift_hi, b[2]->drift_hi, b[3]->drift_hi},
         pack->drift_hi);
}

// Pack p from the n boxes below it, in the given order if there is one.
static void refill(int n, const csim_box *box, const int *order, int p, csim_bvh_pack *pack,
                   csim_box *around) {
  static const csim_box nowhere = CSIM_BOX_NOWHERE;
  const csim_box *b[4];
  for (int k = 0; k < 4; k++) {
    int i = 4 * p + k;
    b[k] = i < n ? &box[order ? order[i] : i] : &nowhere;
  }
  fill_pack(b, &pack[p]);
  around[p] = *b[0];
  for (int k = 1; k < 4 && 4 * p + k < n; k++) around[p] = csim_box_join(&around[p], b[k]);
}

static void refill_item_pack(csim_bvh *bvh, const csim_box *box, int p) {
  refill(bvh->n, box, bvh->item, p, bvh->pack, bvh->around);
}

// Pack p of level l > 0.
static void refill_upper_pack(csim_bvh *bvh, int l, int p) {
  int below = bvh->start[l - 1], at = bvh->start[l];
  refill(at - below, bvh->around + below, NULL, p, bvh->pack + at, bvh->around + at);
}

// The lowest level; returns its packs' total size.
static double fill_items(csim_bvh *bvh, const csim_box *box) {
  double size = 0;
  for (int p = 0; p < bvh->start[1]; p++) {
    refill_item_pack(bvh, box, p);
    for (int c = 0; c < 3; c++) size += (double)bvh->around[p].hi[c] - bvh->around[p].lo[c];
  }
  return size;
}

static void fill_upper_levels(csim_bvh *bvh) {
  for (int l = 1; l < bvh->nlevel; l++)
    for (int p = 0; p < bvh->start[l + 1] - bvh->start[l]; p++) refill_upper_pack(bvh, l, p);
}

void csim_bvh_update(csim_bvh *bvh, const csim_box *box, csim_morton *key) {
  int sorted = bvh->slack < 0;
  if (sorted) sort_items(bvh, box, key);
  double size = fill_items(bvh, box);
  if (!sorted && size > 2 * bvh->slack) {
    sort_items(bvh, box, key);
    size = fill_items(bvh, box);
    sorted = 1;
  }
  if (sorted) bvh->slack = size;
  fill_upper_levels(bvh);
}

// One byte for up to four below: 0 when none of them is stale, ALL when all are whole.
static unsigned char sum_up(int n, const unsigned char *below, const int *order) {
  int any = 0, all = 1;
  for (int k = 0; k < n; k++) {
    int state = below[order ? order[k] : k];
    any |= state;
    all &= order ? state != 0 : state == ALL;
  }
  return any ? all ? ALL : SOME : 0;
}

void csim_bvh_update_some(csim_bvh *bvh, const csim_box *box, const unsigned char *flag) {
  unsigned char *stale = bvh->stale;
  for (int p = 0; p < bvh->start[1]; p++) {
    int n = bvh->n - 4 * p < 4 ? bvh->n - 4 * p : 4;
    stale[p] = sum_up(n, flag, bvh->item + 4 * p);
    if (stale[p]) refill_item_pack(bvh, box, p);
  }
  for (int l = 1; l < bvh->nlevel; l++) {
    const unsigned char *child = stale + bvh->start[l - 1];
    int nchild = bvh->start[l] - bvh->start[l - 1];
    unsigned char *mine = stale + bvh->start[l];
    for (int p = 0; p < bvh->start[l + 1] - bvh->start[l]; p++) {
      mine[p] = sum_up(nchild - 4 * p < 4 ? nchild - 4 * p : 4, child + 4 * p, NULL);
      if (mine[p]) refill_upper_pack(bvh, l, p);
    }
  }
}

void csim_bvh_select(const csim_bvh *all, const csim_box *box, const unsigned char *flag,
                     csim_bvh *some) {
  int n = 0;
  for (int k = 0; k < all->n; k++)
    if (flag[all->item[k]]) some->item[n++] = all->item[k];
  lay_out(some, n);
  fill_items(some, box);
  fill_upper_levels(some);
}

// -------------------------------------------------------------------------------------- searching

// One box in all four lanes.
typedef csim_bvh_pack wide_box;

static inline wide_box widen(const float *lo, const float *hi, const float *drift_lo,
                             const float *drift_hi, int stride) {
  wide_box w;
  for (int c = 0; c < 3; c++) {
    w.lo[c] = _mm_load1_ps(lo + stride * c);
    w.hi[c] = _mm_load1_ps(hi + stride * c);
    w.drift_lo[c] = _mm_load1_ps(drift_lo + stride * c);
    w.drift_hi[c] = _mm_load1_ps(drift_hi + stride * c);
  }
  return w;
}

// As csim_boxes_meet from time `begin` on: bit k tells of the pack's box k.
__attribute__((always_inline)) static inline int meet(const wide_box *a, const csim_bvh_pack *b, __m128 begin) {
  __m128 apart = _mm_setzero_ps();
  for (int c = 0; c < 3; c++) {
    __m128 down = _mm_sub_ps(a->drift_lo[c], b->drift_hi[c]);
    __m128 up = _mm_sub_ps(a->drift_hi[c], b->drift_lo[c]);
    down = _mm_min_ps(down, _mm_mul_ps(down, begin));
    up = _mm_max_ps(up, _mm_mul_ps(up, begin));
    apart = _mm_or_ps(apart, _mm_cmpgt_ps(_mm_add_ps(a->lo[c], down), b->hi[c]));
    apart = _mm_or_ps(apart, _mm_cmplt_ps(_mm_add_ps(a->hi[c], up), b->lo[c]));
  }
  return ~_mm_movemask_ps(apart) & 15;
}

typedef struct search_job {
  int nsearch;
  __m128 begin; // in all lanes
  const csim_bvh_search *search;
  csim_keep_fn *keep;
  void *context;
  csim_pair_chunks *chunks;
} search_job;

static void test_packs(const search_job *job, const csim_bvh_search *s, int chunk, int p, int q) {
  const csim_bvh *A = s->A, *B = s->B;
  const csim_bvh_pack *from = &A->pack[p];
  for (int k = 0; k < 4 && 4 * p + k < A->n; k++) {
    int a = A->first + A->item[4 * p + k], b[4] = {0};
    if (s->skip_a && s->skip_a[a]) continue;
    wide_box box = widen((const float *)from->lo + k, (const float *)from->hi + k,
                         (const float *)from->drift_lo + k, (const float *)from->drift_hi + k, 4);
    int mask = meet(&box, &B->pack[q], job->begin);
    if (A == B && p == q) mask &= ~((2 << k) - 1);
    if (!mask) continue;
    for (int l = 0; l < 4; l++) {
      if (!(mask >> l & 1)) continue;
      b[l] = B->first + B->item[4 * q + l];
      if ((s->alike && a == b[l]) || (s->skip_b && s->skip_b[b[l]])) mask ^= 1 << l;
    }
    if (mask) mask = job->keep(job->context, a, b, mask);
    for (int l = 0; l < 4; l++) {
      if (!(mask >> l & 1)) continue;
      if (s->alike && a > b[l])
        csim_pair_chunks_push(job->chunks, chunk, b[l], a);
      else
        csim_pair_chunks_push(job->chunks, chunk, a, b[l]);
    }
  }
}

// All packs of items in B that meet pack p of A; of A itself, from p on.
static void search_pack(const search_job *job, const csim_bvh_search *s, int chunk, int p) {
  const csim_bvh *A = s->A, *B = s->B;
  struct {
    int level, pack;
  } stack[STACK_ROOM], at;
  const csim_box *around = &A->around[p];
  if (s->skip_a && A->stale[p] == ALL) return;
  wide_box box = widen(around->lo, around->hi, around->drift_lo, around->drift_hi, 1);
  int top = 0;
  if (B->nlevel == 1) {
    test_packs(job, s, chunk, p, 0);
    return;
  }
  stack[top].level = B->nlevel - 1;
  stack[top++].pack = 0;
  while (top) {
    at = stack[--top];
    int mask = meet(&box, &B->pack[B->start[at.level] + at.pack], job->begin);
    for (int k = 0; k < 4; k++) {
      int child = 4 * at.pack + k;
      if (!(mask >> k & 1)) continue;
      if (A == B && (((int64_t)child + 1) << 2 * (at.level - 1)) <= p) continue;
      if (s->skip_b && B->stale[B->start[at.level - 1] + child] == ALL) continue;
      if (at.level == 1) {
        test_packs(job, s, chunk, p, child);
      } else {
        stack[top].level = at.level - 1;
        stack[top++].pack = child;
      }
    }
  }
}

static int count_chunks(const csim_bvh_search *s) {
  int empty = s->A->n == 0 || s->B->n == 0;
  return empty ? 0 : (s->A->start[1] + CHUNK_PACKS - 1) / CHUNK_PACKS;
}

static void search_chunk(void *context, int chunk) {
  const search_job *job = context;
  const csim_bvh_search *s = job->search;
  int local = chunk;
  for (; local >= count_chunks(s); s++) local -= count_chunks(s);
  for (int p = local * CHUNK_PACKS; p < (local + 1) * CHUNK_PACKS && p < s->A->start[1]; p++)
    search_pack(job, s, chunk, p);
}

int csim_bvh_pairs(csim_pool *pool, int nsearch, const csim_bvh_search *search, double begin,
                   int na, csim_keep_fn *keep, void *context, csim_pair_chunks *chunks,
                   csim_pair_list *list) {
  search_job job = {nsearch, _mm_set1_ps((float)begin), search, keep, context, chunks};
  int nchunk = 0;
  for (int s = 0; s < nsearch; s++) nchunk += count_chunks(&search[s]);
  csim_pair_chunks_begin(chunks, nchunk);
  csim_pool_run(pool, chunks->nchunk, search_chunk, &job);
  return csim_pair_chunks_join(chunks, pool, na, list);
}
