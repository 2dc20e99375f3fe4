// contact/boxes.c: see boxes.h.
#include "contact/boxes.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_GRAIN = 4096 };

// Outward by four units of a float: one for rounding to it, the rest for sums with drifts. What is
// added for zero must not become denormal where it is multiplied: that made searches 2.4 times slower.
static const double LEAST = 1e-30;

static float below(double x) {
  return (float)(x - 4 * FLT_EPSILON * fabs(x) - LEAST);
}
static float above(double x) {
  return (float)(x + 4 * FLT_EPSILON * fabs(x) + LEAST);
}

csim_box csim_box_of_point(const double *x, double grow, const double *drift) {
  csim_box box = {{0}, {0}, {0}, {0}};
  for (int c = 0; c < 3; c++) {
    box.lo[c] = below(x[c] - grow);
    box.hi[c] = above(x[c] + grow);
    box.drift_lo[c] = below(drift[c]);
    box.drift_hi[c] = above(drift[c]);
  }
  return box;
}

// ------------------------------------------------------------------------------------ pair lists

void csim_pair_chunks_begin(csim_pair_chunks *chunks, int nchunk) {
  ptrdiff_t had = chunks->room;
  csim_pair_list *moved = csim_grow(chunks->chunk, &chunks->room, nchunk, sizeof *moved);
  chunks->failed = moved == NULL;
  if (!moved) nchunk = 0;
  if (moved) {
    chunks->chunk = moved;
    memset(moved + had, 0, (size_t)(chunks->room - had) * sizeof *moved);
  }
  chunks->nchunk = nchunk;
  for (int c = 0; c < nchunk; c++) chunks->chunk[c].n = 0;
}

void csim_pair_chunks_push(csim_pair_chunks *chunks, int chunk, int a, int b) {
  csim_pair_list *list = &chunks->chunk[chunk];
  if (list->n == list->capacity) {
    int *moved = csim_grow(list->pair, &list->capacity, list->n + 1, 2 * sizeof *moved);
    if (!moved) {
      list->n = -1 - list->capacity; // seen by the join; pushes go on failing quietly
      return;
    }
    list->pair = moved;
  }
  if (list->n < 0) return;
  list->pair[2 * list->n] = a;
  list->pair[2 * list->n + 1] = b;
  list->n++;
}

typedef struct sort_job {
  const ptrdiff_t *start;
  int *pair;
} sort_job;

// Each a's partners into rising order. They are few: insertion.
static void sort_partners(void *context, int first, int last) {
  const sort_job *job = context;
  for (int a = first; a < last; a++)
    for (ptrdiff_t i = job->start[a] + 1; i < job->start[a + 1]; i++) {
      int b = job->pair[2 * i + 1];
      ptrdiff_t k = i;
      for (; k > job->start[a] && job->pair[2 * k - 1] > b; k--)
        job->pair[2 * k + 1] = job->pair[2 * k - 1];
      job->pair[2 * k + 1] = b;
    }
}

int csim_pair_chunks_join(csim_pair_chunks *chunks, csim_pool *pool, int na, csim_pair_list *list) {
  list->n = 0;
  ptrdiff_t total = 0;
  for (int c = 0; c < chunks->nchunk; c++) {
    if (chunks->chunk[c].n < 0) chunks->failed = 1;
    total += chunks->chunk[c].n;
  }
  if (chunks->failed) return -1;
  ptrdiff_t *start =
      csim_grow(chunks->start, &chunks->start_room, (ptrdiff_t)na + 2, sizeof *start);
  if (!start) return -1;
  chunks->start = start;
  int *pair = csim_grow(list->pair, &list->capacity, total, 2 * sizeof *pair);
  if (!pair) return -1;
  list->pair = pair;
  list->n = total;
  // count, prefix, scatter by a: start[a + 1] runs from the beginning of a's pairs to their end
  memset(start, 0, ((size_t)na + 2) * sizeof *start);
  for (int c = 0; c < chunks->nchunk; c++)
    for (ptrdiff_t k = 0; k < chunks->chunk[c].n; k++) start[chunks->chunk[c].pair[2 * k] + 2]++;
  for (int a = 0; a < na; a++) start[a + 2] += start[a + 1];
  for (int c = 0; c < chunks->nchunk; c++)
    for (ptrdiff_t k = 0; k < chunks->chunk[c].n; k++) {
      const int *from = chunks->chunk[c].pair + 2 * k;
      int *to = pair + 2 * start[from[0] + 1]++;
      to[0] = from[0];
      to[1] = from[1];
    }
  sort_job job = {start, pair};
  csim_pool_for(pool, na, SORT_GRAIN, sort_partners, &job);
  return 0;
}

void csim_pair_chunks_free(csim_pair_chunks *chunks) {
  for (ptrdiff_t c = 0; c < chunks->room; c++) free(chunks->chunk[c].pair);
  free(chunks->chunk);
  free(chunks->start);
  *chunks = (csim_pair_chunks){0};
}

void csim_pair_list_free(csim_pair_list *list) {
  free(list->pair);
  *list = (csim_pair_list){0};
}

// ----------------------------------------------------------------------------------- Morton order

// Every third bit of the result is one of the low 21 bits of x.
static uint64_t spread(uint64_t x) {
  x = (x | x << 32) & 0x001f00000000ffff;
  x = (x | x << 16) & 0x001f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

uint64_t csim_morton_code(const uint32_t cell[3]) {
  return spread(cell[0]) | spread(cell[1]) << 1 | spread(cell[2]) << 2;
}

void csim_morton_sort(int n, csim_morton *list, csim_morton *scratch) {
  enum { BITS = 11, BINS = 1 << BITS };
  csim_morton *from = list, *to = scratch;
  for (int shift = 0; shift < 63; shift += BITS) {
    int bin[BINS] = {0}, at = 0;
    for (int i = 0; i < n; i++) bin[from[i].code >> shift & (BINS - 1)]++;
    if (n == 0 || bin[from[0].code >> shift & (BINS - 1)] == n) continue; // all alike
    for (int b = 0; b < BINS; b++) {
      int count = bin[b];
      bin[b] = at;
      at += count;
    }
    for (int i = 0; i < n; i++) to[bin[from[i].code >> shift & (BINS - 1)]++] = from[i];
    csim_morton *swap = from;
    from = to;
    to = swap;
  }
  if (from != list) memcpy(list, from, (size_t)n * sizeof *list);
}
