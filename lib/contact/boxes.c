// contact/boxes.c: see boxes.h.
#include "contact/boxes.h"

#include "base/scan.h"
#include "base/sort.h"

#include <float.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

// Pairs are few below this share of the a there may be. In drops two thirds of the searches find as
// few: then counting takes longer than comparing.
enum { FEW = 64, SORT_GRAIN = 4096 };

// x + side times four units of a float: one for rounding to it, the rest for sums with drifts.
static inline __m128d outward(__m128d x, double side) {
  __m128d size = _mm_andnot_pd(_mm_set1_pd(-0.0), x), unit = _mm_set1_pd(side * 4 * FLT_EPSILON);
  return _mm_add_pd(_mm_add_pd(x, _mm_mul_pd(unit, size)), _mm_set1_pd(side * FLT_MIN));
}

static inline void store_bound(__m128d xy, __m128d z, double side, float *to) {
  __m128 low = _mm_cvtpd_ps(outward(xy, side)), high = _mm_cvtpd_ps(outward(z, side));
  _mm_store_ps(to, _mm_movelh_ps(low, high));
}

csim_box csim_box_of_point(const double *x, const double *v, double time, double span,
                           double grow) {
  csim_box box;
  __m128d more = _mm_set1_pd(grow), t = _mm_set1_pd(time), s = _mm_set1_pd(span);
  __m128d v_xy = _mm_loadu_pd(v), v_z = _mm_load_sd(v + 2);
  __m128d xy = _mm_add_pd(_mm_loadu_pd(x), _mm_mul_pd(t, v_xy));
  __m128d z = _mm_add_pd(_mm_load_sd(x + 2), _mm_mul_pd(t, v_z));
  __m128d way_xy = _mm_mul_pd(s, v_xy), way_z = _mm_mul_pd(s, v_z);
  store_bound(_mm_sub_pd(xy, more), _mm_sub_pd(z, more), -1, box.lo);
  store_bound(_mm_add_pd(xy, more), _mm_add_pd(z, more), 1, box.hi);
  store_bound(way_xy, way_z, -1, box.drift_lo);
  store_bound(way_xy, way_z, 1, box.drift_hi);
  return box;
}

// ------------------------------------------------------------------------------------ pair lists

// Chunks share their blocks. Separate lists would each keep the capacity of their worst moment: on
// crumpling cloth they took ten times what they held.
enum { BLOCK_PAIRS = 124 };

// Only the newest block of a chain has space left.
struct csim_pair_block {
  csim_pair_block *next;  // older one of the same chunk
  csim_pair_block *chain; // of the first of a spare chain: the next chain
  ptrdiff_t before;       // pairs in older blocks
  int n;
  csim_pair pair[BLOCK_PAIRS];
};

// Takes a spare block; NULL: none is left.
static csim_pair_block *take_spare(csim_pair_chunks *chunks) {
  csim_pair_block *block = chunks->spare;
  if (block && block->next) {
    block->next->chain = block->chain;
    chunks->spare = block->next;
  } else if (block) {
    chunks->spare = block->chain;
  }
  return block;
}

// Takes an unused block; from any thread. NULL when out of memory.
static csim_pair_block *take_block(csim_pair_chunks *chunks) {
  while (atomic_exchange_explicit(&chunks->spare_taken, 1, memory_order_acquire)) {
  }
  csim_pair_block *block = take_spare(chunks);
  atomic_store_explicit(&chunks->spare_taken, 0, memory_order_release);
  return block ? block : malloc(sizeof *block);
}

// Makes all blocks spare again.
static void release_blocks(csim_pair_chunks *chunks) {
  for (int c = 0; c < chunks->nchunk; c++) {
    csim_pair_block *first = chunks->chunk[c];
    if (!first) continue;
    first->chain = chunks->spare;
    chunks->spare = first;
  }
  chunks->nchunk = 0;
}

void csim_pair_chunks_begin(csim_pair_chunks *chunks, int nchunk) {
  release_blocks(chunks);
  csim_pair_block **moved = csim_grow(chunks->chunk, &chunks->capacity, nchunk, sizeof *moved);
  atomic_store(&chunks->failed, moved == NULL);
  if (!moved) return;
  chunks->chunk = moved;
  chunks->nchunk = nchunk;
  memset(moved, 0, (size_t)nchunk * sizeof *moved);
}

void csim_pair_chunks_push(csim_pair_chunks *chunks, int chunk, csim_pair pair) {
  csim_pair_block *block = chunks->chunk[chunk];
  if (!block || block->n == BLOCK_PAIRS) {
    csim_pair_block *fresh = take_block(chunks);
    if (!fresh) { // seen by the count; pushes go on failing quietly
      atomic_store(&chunks->failed, 1);
      return;
    }
    fresh->next = block;
    fresh->before = block ? block->before + block->n : 0;
    fresh->n = 0;
    chunks->chunk[chunk] = block = fresh;
  }
  block->pair[block->n++] = pair;
}

void csim_met_begin(csim_met *met, csim_keep_fn *keep, void *context, csim_pair_chunks *chunks,
                    int chunk) {
  met->keep = keep;
  met->context = context;
  met->chunks = chunks;
  met->chunk = chunk;
  met->n = 0;
}

void csim_met_flush(csim_met *met) {
  int n = met->keep(met->context, met->n, met->pair);
  for (int i = 0; i < n; i++) csim_pair_chunks_push(met->chunks, met->chunk, met->pair[i]);
  met->n = 0;
}

ptrdiff_t csim_pair_chunks_count(const csim_pair_chunks *chunks) {
  ptrdiff_t total = 0;
  for (int c = 0; c < chunks->nchunk; c++) {
    const csim_pair_block *newest = chunks->chunk[c];
    if (newest) total += newest->before + newest->n;
  }
  return atomic_load(&chunks->failed) ? -1 : total;
}

typedef struct join_job {
  const csim_pair_chunks *chunks;
  atomic_int *start;
  int stride, *pair;
} join_job;

// Counts the pairs of each a, two places behind it.
static void count_partners(void *context, int chunk) {
  const join_job *job = context;
  for (const csim_pair_block *block = job->chunks->chunk[chunk]; block; block = block->next)
    for (int k = 0; k < block->n; k++)
      atomic_fetch_add_explicit(&job->start[block->pair[k].a + 2], 1, memory_order_relaxed);
}

static int sum_partners(void *context, int first, int last) {
  const join_job *job = context;
  int sum = 0;
  for (int a = first; a < last; a++)
    sum += atomic_load_explicit(&job->start[a + 2], memory_order_relaxed);
  return sum;
}

// Turns counts into the ends of each a's pairs.
static int place_partners(void *context, int first, int last, int sum) {
  const join_job *job = context;
  for (int a = first; a < last; a++) {
    sum += atomic_load_explicit(&job->start[a + 2], memory_order_relaxed);
    atomic_store_explicit(&job->start[a + 2], sum, memory_order_relaxed);
  }
  return sum;
}

// Afterwards start[a + 1] is the first of a's pairs and counts up to their end.
static void place_pairs(void *context, int chunk) {
  const join_job *job = context;
  for (const csim_pair_block *block = job->chunks->chunk[chunk]; block; block = block->next)
    for (int k = 0; k < block->n; k++) {
      csim_pair pair = block->pair[k];
      ptrdiff_t at = atomic_fetch_add_explicit(&job->start[pair.a + 1], 1, memory_order_relaxed);
      int *to = job->pair + job->stride * at;
      to[0] = pair.a;
      to[1] = pair.b;
    }
}

// Sorts the partners of each a, whatever order they came in. They are few, so by insertion.
static void sort_partners(void *context, int first, int last) {
  const join_job *job = context;
  ptrdiff_t step = job->stride;
  for (int a = first; a < last; a++) {
    ptrdiff_t begin = atomic_load_explicit(&job->start[a], memory_order_relaxed);
    ptrdiff_t end = atomic_load_explicit(&job->start[a + 1], memory_order_relaxed);
    for (ptrdiff_t i = begin + 1; i < end; i++) {
      int *to = job->pair + i * step + 1, *least = job->pair + begin * step + 1, b = *to;
      for (; to > least && to[-step] > b; to -= step) *to = to[-step];
      *to = b;
    }
  }
}

static void list_pairs(const csim_pair_chunks *chunks, int stride, int *pair) {
  for (int c = 0; c < chunks->nchunk; c++)
    for (const csim_pair_block *block = chunks->chunk[c]; block; block = block->next)
      for (int k = 0; k < block->n; k++, pair += stride) {
        pair[0] = block->pair[k].a;
        pair[1] = block->pair[k].b;
      }
}

// Sorts by comparing, in place (Shell's method with Knuth's gaps).
static void sort_few(ptrdiff_t n, ptrdiff_t stride, int *pair) {
  ptrdiff_t gap = 1;
  while (gap < n / 9) gap = 3 * gap + 1;
  for (; gap > 0; gap /= 3)
    for (ptrdiff_t i = gap; i < n; i++) {
      int *to = pair + i * stride, moved[2] = {to[0], to[1]};
      ptrdiff_t step = gap * stride, left = i;
      for (; left >= gap && csim_compare_rows(moved, to - step, 2) < 0; left -= gap, to -= step) {
        to[0] = to[-step];
        to[1] = to[1 - step];
      }
      to[0] = moved[0];
      to[1] = moved[1];
    }
}

// Sorts by counting the pairs of each a.
static void sort_by_count(csim_pool *pool, int na, join_job *job) {
  memset((void *)job->start, 0, ((size_t)na + 2) * sizeof *job->start);
  csim_pool_run(pool, job->chunks->nchunk, count_partners, job);
  csim_scan(pool, na, sum_partners, place_partners, job);
  csim_pool_run(pool, job->chunks->nchunk, place_pairs, job);
  csim_pool_for(pool, na, SORT_GRAIN, sort_partners, job);
}

int csim_pair_chunks_join(csim_pair_chunks *chunks, csim_pool *pool, int na, int stride,
                          int *pair) {
  ptrdiff_t total = csim_pair_chunks_count(chunks);
  atomic_int *start =
      csim_grow(chunks->start, &chunks->start_capacity, (ptrdiff_t)na + 2, sizeof *start);
  if (start) chunks->start = start;
  if (!start || total < 0 || total > INT_MAX) return -1;
  if (total < na / FEW) {
    list_pairs(chunks, stride, pair);
    sort_few(total, stride, pair);
  } else {
    sort_by_count(pool, na, &(join_job){chunks, start, stride, pair});
  }
  release_blocks(chunks);
  return 0;
}

void csim_pair_chunks_free(csim_pair_chunks *chunks) {
  release_blocks(chunks);
  for (csim_pair_block *block; (block = take_spare(chunks));) free(block);
  free(chunks->chunk);
  free(chunks->start);
  *chunks = (csim_pair_chunks){0};
}
