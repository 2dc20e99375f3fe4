// contact/grid.c: see grid.h.
#include "contact/grid.h"

#include "math/vec3.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>

enum { CHUNK_ENTRIES = 2048, ENTRIES_PER_BOX = 12 };

// -------------------------------------------------------------------------------------- searching

// Items 0 .. na-1 are the boxes of A, those behind them the boxes of B.
typedef struct search {
  int na, n;
  const csim_box *A, *B; // B NULL: A against itself
  double origin[3], cell;
  int nentry;
  const csim_morton_entry *entry;
  csim_keep_fn *keep;
  void *context;
  csim_pair_chunks *chunks;
} search;

static const csim_box *box_of(const search *s, int item) {
  return item < s->na ? &s->A[item] : &s->B[item - s->na];
}

// Box of everything that the contents touch on their way.
static csim_box swept_box(const search *s, int item) {
  csim_box b = *box_of(s, item);
  for (int c = 0; c < 3; c++) {
    b.lo[c] += b.drift_lo[c] < 0 ? b.drift_lo[c] : 0;
    b.hi[c] += b.drift_hi[c] > 0 ? b.drift_hi[c] : 0;
  }
  return b;
}

static uint32_t cell_along(const search *s, int axis, double x) {
  double k = floor((x - s->origin[axis]) / s->cell);
  return k > 0 ? (k < CSIM_MORTON_LAST ? (uint32_t)k : CSIM_MORTON_LAST) : 0;
}

static uint64_t cell_at(const search *s, const double *x) {
  return csim_morton(
      (uint32_t[3]){cell_along(s, 0, x[0]), cell_along(s, 1, x[1]), cell_along(s, 2, x[2])});
}

static double count_entries(const search *s) {
  double count = 0;
  for (int i = 0; i < s->n; i++) {
    csim_box swept = swept_box(s, i), *b = &swept;
    double cells = 1;
    for (int c = 0; c < 3; c++)
      cells *= cell_along(s, c, b->hi[c]) - (double)cell_along(s, c, b->lo[c]) + 1;
    count += cells;
  }
  return count;
}

// Chooses cells of twice the mean box, and larger ones if a few large boxes would fill too many.
static void choose_cells(search *s) {
  csim_box all = CSIM_BOX_NOWHERE;
  double mean = 0, extent = 0;
  for (int i = 0; i < s->n; i++) {
    csim_box swept = swept_box(s, i), *b = &swept;
    double size = 0;
    for (int c = 0; c < 3; c++) size = csim_max(size, (double)b->hi[c] - b->lo[c]);
    mean += size / s->n;
    all = csim_box_join(&all, b);
  }
  for (int c = 0; c < 3; c++) {
    s->origin[c] = all.lo[c];
    extent = csim_max(extent, (double)all.hi[c] - all.lo[c]);
  }
  s->cell = csim_max(2 * mean, extent / CSIM_MORTON_LAST);
  if (!(s->cell > 0)) s->cell = 1;
  while (count_entries(s) > (double)ENTRIES_PER_BOX * s->n) s->cell *= 1.5;
}

static int fill_entries(search *s, csim_grid *grid) {
  ptrdiff_t n = 0, need = (ptrdiff_t)count_entries(s);
  if (need > INT_MAX) return -1;
  csim_morton_entry *entry = csim_grow(grid->entry, &grid->capacity, need, sizeof *entry);
  if (entry) grid->entry = entry;
  csim_morton_entry *scratch =
      csim_grow(grid->scratch, &grid->scratch_capacity, need, sizeof *scratch);
  if (scratch) grid->scratch = scratch;
  if (!entry || !scratch) return -1;
  for (int i = 0; i < s->n; i++) {
    csim_box swept = swept_box(s, i), *b = &swept;
    uint32_t lo[3], hi[3], k[3];
    for (int c = 0; c < 3; c++) {
      lo[c] = cell_along(s, c, b->lo[c]);
      hi[c] = cell_along(s, c, b->hi[c]);
    }
    for (k[2] = lo[2]; k[2] <= hi[2]; k[2]++)
      for (k[1] = lo[1]; k[1] <= hi[1]; k[1]++)
        for (k[0] = lo[0]; k[0] <= hi[0]; k[0]++)
          entry[n++] = (csim_morton_entry){csim_morton(k), i};
  }
  s->nentry = (int)n;
  s->entry = entry;
  csim_morton_sort(s->nentry, entry, scratch);
  return 0;
}

// Tests two items of one cell. They may share several cells; the cell of the low corner of their
// common box reports them.
static void test_pair(const search *s, uint64_t code, int i, int j, csim_met *met) {
  const csim_box *a = box_of(s, i), *b = box_of(s, j);
  if (!csim_boxes_meet(a, b)) return;
  double corner[3];
  csim_box sa = swept_box(s, i), sb = swept_box(s, j);
  for (int c = 0; c < 3; c++) corner[c] = csim_max((double)sa.lo[c], sb.lo[c]);
  if (cell_at(s, corner) != code) return;
  if (met->n == CSIM_MET_CAPACITY) csim_met_flush(met);
  met->pair[met->n++] = (csim_pair){i, s->B ? j - s->na : j};
}

// Searches the cells whose first entry is in the chunk. Entries of a cell are in order of items.
static void search_chunk(void *context, int chunk) {
  const search *s = context;
  csim_met met;
  csim_met_begin(&met, s->keep, s->context, s->chunks, chunk);
  int first = chunk * CHUNK_ENTRIES, last = first + CHUNK_ENTRIES;
  if (last > s->nentry) last = s->nentry;
  for (int k = first; k < last;) {
    uint64_t code = s->entry[k].code;
    int end = k + 1;
    while (end < s->nentry && s->entry[end].code == code) end++;
    if (k == 0 || s->entry[k - 1].code != code)
      for (int i = k; i < end; i++)
        for (int j = i + 1; j < end; j++) {
          if (s->B && (s->entry[i].item < s->na) == (s->entry[j].item < s->na)) continue;
          test_pair(s, code, s->entry[i].item, s->entry[j].item, &met);
        }
    k = end;
  }
  csim_met_flush(&met);
}

static int run(csim_pool *pool, csim_grid *grid, search *s) {
  int nchunk = 0;
  if (s->n > 0) {
    choose_cells(s);
    if (fill_entries(s, grid)) return -1;
    nchunk = (s->nentry + CHUNK_ENTRIES - 1) / CHUNK_ENTRIES;
  }
  csim_pair_chunks_begin(s->chunks, nchunk);
  csim_pool_run(pool, s->chunks->nchunk, search_chunk, s);
  return 0;
}

int csim_grid_pairs(csim_pool *pool, csim_grid *grid, int n, const csim_box *box,
                    csim_keep_fn *keep, void *context, csim_pair_chunks *chunks) {
  search s = {.na = n, .n = n, .A = box, .keep = keep, .context = context, .chunks = chunks};
  return run(pool, grid, &s);
}

int csim_grid_pairs_between(csim_pool *pool, csim_grid *grid, csim_boxes A, csim_boxes B,
                            csim_keep_fn *keep, void *context, csim_pair_chunks *chunks) {
  search s = {
      .na = A.n, .A = A.box, .B = B.box, .keep = keep, .context = context, .chunks = chunks};
  s.n = A.n && B.n ? A.n + B.n : 0;
  return run(pool, grid, &s);
}

void csim_grid_free(csim_grid *grid) {
  free(grid->entry);
  free(grid->scratch);
  *grid = (csim_grid){0};
}
