// math/multigrid.c: see multigrid.h.
#include "math/multigrid.h"

#include "base/sort.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <string.h>

// Coarsening ends at this many rows, or at this share of the finest level's: below, an exact solve
// costs less than the iterations it saves (measured from 4K to 1M rows).
enum { FEW = 64, SHARE = 120, ROW_GRAIN = 512, AGGREGATE_GRAIN = 32 };

// Slots of blocks without a position of their own.
enum { ALONE = UINT16_MAX - 1, NOWHERE = UINT16_MAX };

// Neighbours of a row, in up to two lists.
typedef struct adjacency {
  int nrow, nlist;
  const int *start[2], *col[2];
  const unsigned char *fixed; // NULL: rows without entries are fixed
} adjacency;

static int is_free(const adjacency *rows, int i) {
  if (rows->fixed) return !rows->fixed[i];
  return rows->start[0][i] < rows->start[0][i + 1] || rows->start[1][i] < rows->start[1][i + 1];
}

// Aggregates rows. First, every row without aggregated neighbours takes all of them; then the
// remaining rows join a neighbour's aggregate. Rows without neighbours get -1; so do rows without
// entries (fixed ones), which may be neighbours of others. Returns the number of aggregates.
// `early` (NULL: none) rows are visited before the others. `seed` (NULL: not wanted) gets the row
// that each aggregate grew from.
static int aggregate_rows(const adjacency *rows, const unsigned char *early, int *first_pass,
                          int *aggregate, int *seed) {
  int count = 0;
  for (int i = 0; i < rows->nrow; i++) first_pass[i] = -1;
  for (int visit = early ? 0 : 1; visit < 2; visit++)
    for (int i = 0; i < rows->nrow; i++) {
      int neighbours = 0, taken = first_pass[i] >= 0 || !is_free(rows, i);
      taken |= visit == 0 && !early[i];
      for (int l = 0; l < rows->nlist && !taken; l++)
        for (int k = rows->start[l][i]; k < rows->start[l][i + 1] && !taken; k++) {
          taken = first_pass[rows->col[l][k]] >= 0;
          neighbours += rows->col[l][k] != i;
        }
      if (taken || neighbours == 0) continue;
      for (int l = 0; l < rows->nlist; l++)
        for (int k = rows->start[l][i]; k < rows->start[l][i + 1]; k++)
          if (is_free(rows, rows->col[l][k])) first_pass[rows->col[l][k]] = count;
      if (seed) seed[count] = i;
      first_pass[i] = count++;
    }
  for (int i = 0; i < rows->nrow; i++) {
    aggregate[i] = first_pass[i];
    for (int l = 0; l < rows->nlist && is_free(rows, i); l++)
      for (int k = rows->start[l][i]; k < rows->start[l][i + 1] && aggregate[i] < 0; k++)
        aggregate[i] = first_pass[rows->col[l][k]];
  }
  return count;
}

int csim_multigrid_aggregate(const csim_pattern *pattern, const unsigned char *early, int *scratch,
                             int *aggregate, int *seed) {
  adjacency rows = {pattern->nrow, 1, {pattern->start, NULL}, {pattern->col, NULL}, NULL};
  return aggregate_rows(&rows, early, scratch, aggregate, seed);
}

// Pattern of the coarse matrix: pairs of aggregates with neighbouring rows. -1: out of memory.
static int coarse_pattern(csim_arena *arena, const adjacency *rows, const int *aggregate, int nrow,
                          csim_pattern *pattern) {
  csim_arena temp = {0};
  int npair = 0, capacity = 0;
  for (int l = 0; l < rows->nlist; l++) capacity += rows->start[l][rows->nrow];
  int *pair = CSIM_ARENA_NEW(&temp, int, csim_row(2, capacity));
  if (!temp.failed)
    for (int i = 0; i < rows->nrow; i++)
      for (int l = 0; l < rows->nlist; l++)
        for (int k = rows->start[l][i]; k < rows->start[l][i + 1]; k++) {
          int a = aggregate[i], b = aggregate[rows->col[l][k]];
          if (a < 0 || b <= a) continue; // the other order has it
          pair[csim_row(2, npair)] = a;
          pair[csim_row(2, npair++) + 1] = b;
        }
  csim_element_set set = {npair, 2, pair};
  int status = temp.failed ? -1 : csim_pattern_build(arena, nrow, 1, &set, pattern);
  if (status) arena->failed = 1;
  csim_arena_free(&temp);
  return status;
}

int csim_multigrid_coarsen(csim_arena *arena, const csim_pattern *pattern, const int *aggregate,
                           int nrow, csim_pattern *coarse) {
  adjacency rows = {pattern->nrow, 1, {pattern->start, NULL}, {pattern->col, NULL}, NULL};
  return coarse_pattern(arena, &rows, aggregate, nrow, coarse);
}

// Position of each block of list l among the blocks of its aggregate's row. ALONE: into D only,
// because the other row has no aggregate, or the pattern no place. NOWHERE: inside an aggregate
// (with `inner`, into the diagonal instead).
static void find_slots(const adjacency *rows, int l, int inner, const csim_multigrid_level *level,
                       uint16_t *slot) {
  for (int i = 0; i < rows->nrow; i++)
    for (int k = rows->start[l][i]; k < rows->start[l][i + 1]; k++) {
      int a = level->aggregate[i], b = level->aggregate[rows->col[l][k]];
      int at = a < 0 || b < 0 ? -1 : csim_pattern_find(&level->pattern, a, b);
      if (a < 0 || (a == b && !inner))
        slot[k] = NOWHERE;
      else
        slot[k] = at < 0 ? ALONE : (uint16_t)(at - level->pattern.start[a]);
    }
}

static int longest_row(const csim_pattern *pattern) {
  int longest = 0;
  for (int i = 0; i < pattern->nrow; i++) {
    int n = pattern->start[i + 1] - pattern->start[i];
    longest = n > longest ? n : longest;
  }
  return longest;
}

static int allocate_level(csim_arena *arena, csim_multigrid_level *level) {
  level->A = (csim_bsr){&level->pattern,
                        CSIM_ARENA_NEW(arena, double, csim_row(9, level->pattern.nblock))};
  level->r = CSIM_ARENA_NEW(arena, double, csim_xyz(level->nrow));
  level->z = CSIM_ARENA_NEW(arena, double, csim_xyz(level->nrow));
  return csim_block_jacobi_create(arena, level->nrow, &level->P);
}

static int allocate_rows(csim_arena *arena, const adjacency *rows, csim_multigrid_level *level) {
  level->start = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)level->nrow + 1);
  level->row = CSIM_ARENA_NEW(arena, int, rows->nrow);
  level->slot = CSIM_ARENA_NEW(arena, uint16_t, rows->start[0][rows->nrow]);
  level->far = CSIM_ARENA_NEW(arena, uint16_t, rows->start[1][rows->nrow]);
  return arena->failed ? -1 : 0;
}

// Numbers the knots of free rows. Rows alone in theirs are in none.
static void number_knots(const adjacency *rows, const int *knot, int *count,
                         csim_multigrid_level *knots) {
  for (int i = 0; i < rows->nrow; i++)
    if (knot[i] >= 0 && is_free(rows, i)) count[knot[i]]++;
  for (int i = 0; i < rows->nrow; i++) count[i] = count[i] > 1 ? knots->nrow++ : -1;
  for (int i = 0; i < rows->nrow; i++)
    knots->aggregate[i] = knot[i] >= 0 && is_free(rows, i) ? count[knot[i]] : -1;
}

static int create_knots(csim_arena *arena, const adjacency *rows, const int *knot, int inner,
                        csim_multigrid_level *knots) {
  csim_arena temp = {0};
  int *count = CSIM_ARENA_NEW(&temp, int, rows->nrow);
  knots->aggregate = CSIM_ARENA_NEW(arena, int, rows->nrow);
  if (temp.failed) arena->failed = 1;
  if (!arena->failed) number_knots(rows, knot, count, knots);
  csim_arena_free(&temp);
  if (arena->failed || knots->nrow == 0) return arena->failed ? -1 : 0;
  if (allocate_rows(arena, rows, knots) ||
      csim_pattern_build(arena, knots->nrow, 0, NULL, &knots->pattern) ||
      allocate_level(arena, knots))
    return -1;
  csim_list_by_key(rows->nrow, knots->aggregate, knots->nrow, knots->start, knots->row);
  find_slots(rows, 0, inner, knots, knots->slot);
  find_slots(rows, 1, 0, knots, knots->far);
  return 0;
}

// Aggregates rows of which knots are one. Returns the number of aggregates, or -1 when out of
// memory.
static int aggregate_knotted(csim_arena *arena, const adjacency *rows,
                             const csim_multigrid_level *knots, int *aggregate) {
  csim_pattern whole;
  int nrow = knots->nrow;
  int *single = CSIM_ARENA_NEW(arena, int, rows->nrow), count = -1;
  int *scratch = CSIM_ARENA_NEW(arena, int, rows->nrow);
  int *none = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)rows->nrow + 1);
  if (arena->failed) return -1;
  for (int i = 0; i < rows->nrow; i++) { // first the knot or row alone that a row is in
    aggregate[i] = knots->aggregate[i];
    if (aggregate[i] < 0 && is_free(rows, i)) aggregate[i] = nrow++;
  }
  if (coarse_pattern(arena, rows, aggregate, nrow, &whole)) return -1;
  adjacency contracted = {nrow, 2, {whole.start, none}, {whole.col, none}, NULL};
  count = aggregate_rows(&contracted, NULL, scratch, single, NULL);
  for (int i = 0; i < rows->nrow; i++)
    if (aggregate[i] >= 0) aggregate[i] = single[aggregate[i]];
  return count;
}

// Creates the knots, and the levels above the given rows. `inner`: blocks inside an aggregate
// count, else they are left out.
static int create_levels(csim_arena *arena, adjacency rows, const int *knot, int inner,
                         csim_multigrid *C) {
  csim_arena temp = {0};
  int *none = CSIM_ARENA_NEW(&temp, int, (ptrdiff_t)rows.nrow + 1);
  int *scratch = CSIM_ARENA_NEW(&temp, int, rows.nrow);
  if (temp.failed) arena->failed = 1;
  int few = rows.nrow / SHARE > FEW ? rows.nrow / SHARE : FEW;
  *C = (csim_multigrid){.nrow = rows.nrow};
  if (!rows.start[1]) rows.start[1] = rows.col[1] = none;
  if (knot && !arena->failed) create_knots(arena, &rows, knot, inner, &C->knots);
  while (!arena->failed && rows.nrow > few && C->nlevel < CSIM_MAX_LEVEL) {
    csim_multigrid_level *level = &C->level[C->nlevel];
    level->aggregate = CSIM_ARENA_NEW(arena, int, rows.nrow);
    if (arena->failed) break;
    if (C->nlevel == 0 && C->knots.nrow > 0)
      level->nrow = aggregate_knotted(&temp, &rows, &C->knots, level->aggregate);
    else
      level->nrow = aggregate_rows(&rows, NULL, scratch, level->aggregate, NULL);
    if (temp.failed) arena->failed = 1;
    if (level->nrow <= 0 || level->nrow > rows.nrow / 2) break; // nothing gained
    if (allocate_rows(arena, &rows, level)) break;
    csim_list_by_key(rows.nrow, level->aggregate, level->nrow, level->start, level->row);
    if (coarse_pattern(arena, &rows, level->aggregate, level->nrow, &level->pattern)) break;
    if (longest_row(&level->pattern) > ALONE) break; // a hub of a mesh; no slot is for more
    if (allocate_level(arena, level)) break;
    find_slots(&rows, 0, inner, level, level->slot);
    find_slots(&rows, 1, 0, level, level->far);
    C->nlevel++;
    rows =
        (adjacency){level->nrow, 2, {level->pattern.start, none}, {level->pattern.col, none}, NULL};
    inner = 1;
  }
  csim_arena_free(&temp);
  if (!arena->failed && C->nlevel > 0)
    csim_cholesky_analyze(arena, &C->level[C->nlevel - 1].pattern, 3, &C->F);
  return arena->failed ? -1 : 0;
}

int csim_multigrid_create_edges(csim_arena *arena, const csim_edge_graph *graph, const int *knot,
                                csim_multigrid *C) {
  adjacency rows = {graph->nrow,
                    2,
                    {graph->near_start, graph->far_start},
                    {graph->near_col, graph->far_col},
                    NULL};
  return create_levels(arena, rows, knot, 0, C);
}

int csim_multigrid_create(csim_arena *arena, const csim_pattern *pattern,
                          const unsigned char *fixed, const int *knot, csim_multigrid *C) {
  adjacency rows = {pattern->nrow, 2, {pattern->start, NULL}, {pattern->col, NULL}, fixed};
  return create_levels(arena, rows, knot, 1, C);
}

// ------------------------------------------------------------------------------------- P^T A P

typedef struct level_job {
  const csim_edge_matrix *A; // of the first level
  const csim_bsr *below;     // of the others
  csim_multigrid_level *level;
  const double *r;
  double *z;
} level_job;

// Returns its first block.
static double *clear_row(const csim_multigrid_level *level, int c) {
  const csim_pattern *p = &level->pattern;
  double *row = level->A.val + csim_row(9, p->start[c]);
  return memset(row, 0, 9 * (size_t)(p->start[c + 1] - p->start[c]) * sizeof *row);
}

// Block of a near edge.
static inline void near_block(const csim_edge_matrix *A, int k, double block[9]) {
  if (A->graph->wide) {
    const float *S = A->near + csim_row(9, k);
    for (int i = 0; i < 9; i++) block[i] = S[i % 3 * 3 + i / 3];
    return;
  }
  const float *edge = A->near + csim_row(4, k);
  double u[3] = {edge[0], edge[1], edge[2]}, a = edge[3];
  for (int i = 0; i < 9; i++) block[i] = i % 4 == 0 ? a : 0;
  csim_mat3_add_outer(1, u, u, block);
}

// An aggregate moves as one, so only edges that leave it count. Those of idle rows are not known.
static void sum_edges(void *context, int first, int last) {
  const level_job *job = context;
  const csim_edge_graph *graph = job->A->graph;
  const csim_multigrid_level *level = job->level;
  for (int c = first; c < last; c++) {
    double *row = clear_row(level, c), *D = level->A.val + csim_row(9, level->pattern.diag[c]);
    int is_idle = job->A->idle && job->A->idle[level->row[level->start[c]]];
    for (int m = level->start[c]; m < level->start[c + 1]; m++) {
      int i = level->row[m];
      int place = job->A->place[i];
      if (is_idle) {
        for (int k = 0; k < 9; k += 4) D[k] += job->A->diag[i];
        continue;
      }
      for (int k = 0; k < 9 && place >= 0; k++) D[k] += job->A->block[csim_row(9, place) + k];
      for (int k = 0; k < 9 && place < 0; k += 4) D[k] += job->A->diag[i];
      for (int k = graph->near_start[i]; k < graph->near_start[i + 1]; k++) {
        if (level->slot[k] == NOWHERE) continue;
        double block[9];
        near_block(job->A, k, block);
        for (int b = 0; b < 9; b++) D[b] += block[b];
        if (level->slot[k] == ALONE) continue;
        double *off = row + 9 * level->slot[k];
        for (int b = 0; b < 9; b++) off[b] -= block[b];
      }
      for (int k = graph->far_start[i]; k < graph->far_start[i + 1]; k++) {
        if (level->far[k] == NOWHERE) continue;
        double a = graph->far[k];
        for (int b = 0; b < 9; b += 4) D[b] += a;
        if (level->far[k] == ALONE) continue;
        for (int b = 0; b < 9; b += 4) row[9 * level->far[k] + b] -= a;
      }
    }
  }
}

static void sum_blocks(void *context, int first, int last) {
  const level_job *job = context;
  const csim_multigrid_level *level = job->level;
  const csim_pattern *below = job->below->pattern;
  for (int c = first; c < last; c++) {
    double *row = clear_row(level, c);
    for (int m = level->start[c]; m < level->start[c + 1]; m++)
      for (int b = below->start[level->row[m]]; b < below->start[level->row[m] + 1]; b++) {
        if (level->slot[b] >= ALONE) continue; // of a row without aggregate
        double *to = row + 9 * level->slot[b];
        for (int k = 0; k < 9; k++) to[k] += job->below->val[csim_row(9, b) + k];
      }
  }
}

// ------------------------------------------------------------------------------------- couplings

// The first level of at most so many rows, or this share of the finest level's, is solved exactly
// where couplings tie rows that its pattern does not: layers that contact holds together move as
// one there, while the aggregates of each level are of one layer.
enum { FEW_TIED = 512, TIED_SHARE = 60, COUPLING_GRAIN = 512 };

typedef struct coarsen_job {
  const csim_multigrid_level *level;
  csim_coupling *item;
} coarsen_job;

// Rows below become rows of the level; those of one aggregate move as one. Sets `own` of each to
// the sum of its squared weights below, which the level's diagonal has.
static void coarsen_range(void *context, int first, int last) {
  const coarsen_job *job = context;
  for (int i = first; i < last; i++) {
    csim_coupling below = job->item[i], *c = &job->item[i];
    c->n = 0;
    for (int k = 0; k < below.n; k++) {
      int row = job->level->aggregate[below.row[k]], at = 0;
      if (row < 0) continue;
      while (at < c->n && c->row[at] != row) at++;
      if (at == c->n) {
        c->row[c->n++] = row;
        c->w[at] = c->own[at] = 0;
      }
      c->w[at] += below.w[k];
      c->own[at] += below.w[k] * below.w[k];
    }
  }
}

static void add_block(double factor, const double B[9], double *block) {
  for (int j = 0; j < 9; j++) block[j] += factor * B[j];
}

static uint64_t bucket_of(const void *context, int i, int shift) {
  const coarsen_job *job = context;
  const csim_coupling *c = &job->item[i];
  uint64_t mask = 0;
  for (int k = 0; k < c->n; k++) mask |= csim_bucket_of(c->row[k], shift);
  return mask;
}

typedef struct tie_job {
  const csim_buckets *buckets; // of couplings, by rows of the level
  csim_coupling *item;
  const csim_bsr *A; // what is added to, of the level's rows
  uint64_t *seen;    // see mark_pairs
  int words;         // of a row of it
} tie_job;

// Rows of a bucket: [first, last).
static void find_range(const tie_job *job, int bucket, int *first, int *last) {
  *first = csim_bucket_row(job->buckets, bucket);
  *last = csim_bucket_row(job->buckets, bucket + 1);
}

// Corrects the diagonals of a bucket's rows. Couplings of one row are dropped.
static void correct_diagonals(void *context, int bucket) {
  const tie_job *job = context;
  const csim_bsr *A = job->A;
  int first, last;
  find_range(job, bucket, &first, &last);
  for (int at = job->buckets->start[bucket]; at < job->buckets->start[bucket + 1]; at++) {
    csim_coupling *c = &job->item[csim_bucket_item(job->buckets, at)];
    for (int k = 0; k < c->n; k++)
      if (c->row[k] >= first && c->row[k] < last)
        add_block(c->w[k] * c->w[k] - c->own[k], c->B,
                  A->val + csim_row(9, A->pattern->diag[c->row[k]]));
    if (c->n == 1) c->n = 0;
  }
}

// Adds the blocks beside the diagonal, of a bucket's rows, to a matrix whose pattern has them.
static void add_blocks(void *context, int bucket) {
  const tie_job *job = context;
  const csim_bsr *A = job->A;
  int first, last;
  find_range(job, bucket, &first, &last);
  for (int at = job->buckets->start[bucket]; at < job->buckets->start[bucket + 1]; at++) {
    const csim_coupling *c = &job->item[csim_bucket_item(job->buckets, at)];
    for (int k = 0; k < c->n; k++) {
      if (c->row[k] < first || c->row[k] >= last) continue;
      for (int j = 0; j < c->n; j++)
        if (k != j)
          add_block(c->w[k] * c->w[j], c->B,
                    A->val + csim_row(9, csim_pattern_find(A->pattern, c->row[k], c->row[j])));
    }
  }
}

static void add_couplings(csim_pool *pool, const csim_buckets *buckets,
                          const csim_couplings *couplings, const csim_bsr *A) {
  csim_pool_run(pool, buckets->n, add_blocks,
                &(tie_job){.buckets = buckets, .item = couplings->item, .A = A});
}

static int is_tie(const csim_pattern *pattern, const csim_coupling *c) {
  for (int k = 1; k < c->n; k++)
    for (int j = 0; j < k; j++)
      if (csim_pattern_find(pattern, c->row[k], c->row[j]) < 0) return 1;
  return 0;
}

static double has_tie(void *context, int first, int last) {
  const coarsen_job *job = context;
  for (int i = first; i < last; i++)
    if (is_tie(&job->level->pattern, &job->item[i])) return 1;
  return 0;
}

// Takes couplings to a level, and corrects its diagonal. Those that couple no rows any more have
// none. Returns whether any ties rows that the pattern does not. Without memory there are no
// couplings, and the correction is only worse.
static int coarsen_couplings(csim_pool *pool, const csim_multigrid_level *level,
                             csim_couplings *couplings, csim_buckets *buckets) {
  coarsen_job job = {level, couplings->item};
  csim_pool_for(pool, couplings->n, COUPLING_GRAIN, coarsen_range, &job);
  if (csim_buckets_fill(pool, buckets, level->nrow, couplings->n, bucket_of, &job))
    couplings->n = 0;
  csim_pool_run(pool, buckets->n, correct_diagonals,
                &(tie_job){.buckets = buckets, .item = couplings->item, .A = &level->A});
  return csim_pool_count(pool, couplings->n, has_tie, &job) > 0;
}

static void mark_pair(uint64_t *seen, int words, int i, int j) {
  if (i < j) seen[(ptrdiff_t)i * words + j / 64] |= (uint64_t)1 << j % 64;
}

static void mark_rows(void *context, int bucket) {
  const tie_job *job = context;
  const csim_pattern *own = job->A->pattern;
  int first, last;
  find_range(job, bucket, &first, &last);
  for (int i = first; i < last; i++)
    for (int b = own->start[i]; b < own->start[i + 1]; b++)
      mark_pair(job->seen, job->words, i, own->col[b]);
  for (int at = job->buckets->start[bucket]; at < job->buckets->start[bucket + 1]; at++) {
    const csim_coupling *c = &job->item[csim_bucket_item(job->buckets, at)];
    for (int k = 0; k < c->n; k++)
      for (int j = 0; j < c->n && c->row[k] >= first && c->row[k] < last; j++)
        mark_pair(job->seen, job->words, c->row[k], c->row[j]);
  }
}

// Pairs of rows that a level or couplings tie: row i has bits j > i. NULL when out of memory.
static uint64_t *mark_pairs(csim_pool *pool, csim_arena *arena, tie_job job) {
  job.seen = CSIM_ARENA_NEW(arena, uint64_t, (ptrdiff_t)job.A->pattern->nrow * job.words);
  if (job.seen) csim_pool_run(pool, job.buckets->n, mark_rows, &job);
  return job.seen;
}

// Pattern of these pairs. -1 when out of memory.
static int tied_pattern(csim_arena *arena, int nrow, int words, const uint64_t *seen,
                        csim_pattern *pattern) {
  ptrdiff_t n = (ptrdiff_t)nrow * words;
  int npair = 0;
  for (ptrdiff_t w = 0; w < n; w++) npair += __builtin_popcountll(seen[w]);
  int *pair = CSIM_ARENA_NEW(arena, int, csim_row(2, npair)), *to = pair;
  if (!pair) return -1;
  for (ptrdiff_t w = 0; w < n; w++)
    for (uint64_t left = seen[w]; left; left &= left - 1) {
      *to++ = (int)(w / words);
      *to++ = (int)(w % words) * 64 + __builtin_ctzll(left);
    }
  csim_element_set set = {npair, 2, pair};
  return csim_pattern_build(arena, nrow, 1, &set, pattern);
}

// Pattern and ordering of a level with couplings; those of the last matrix, if they are the same,
// as seven times of ten in a drop. -1 when out of memory.
static int order_tied(csim_pool *pool, const tie_job *job, csim_tied *tied) {
  csim_arena next = {0};
  int nrow = job->A->pattern->nrow, status = -1;
  size_t bytes = (size_t)nrow * (size_t)job->words * sizeof(uint64_t);
  uint64_t *seen = mark_pairs(pool, &next, *job);
  if (seen && tied->seen && tied->pattern.nrow == nrow && !memcmp(seen, tied->seen, bytes)) {
    csim_arena_free(&next);
    return 0;
  }
  csim_arena_free(&tied->arena);
  *tied = (csim_tied){.A.pattern = &tied->pattern};
  if (seen && !tied_pattern(&next, nrow, job->words, seen, &tied->pattern) &&
      !csim_cholesky_analyze(&next, &tied->pattern, 3, &tied->F)) {
    tied->A.val = CSIM_ARENA_NEW(&next, double, csim_row(9, tied->pattern.nblock));
    status = tied->A.val ? 0 : -1;
  }
  tied->arena = next;
  if (!status) tied->seen = seen;
  return status;
}

typedef struct copy_job {
  const csim_bsr *from, *to;
} copy_job;

// Rows of a matrix on a pattern that has more blocks.
static void copy_rows(void *context, int first, int last) {
  const copy_job *job = context;
  const csim_pattern *from = job->from->pattern, *to = job->to->pattern;
  for (int i = first; i < last; i++) {
    memset(job->to->val + csim_row(9, to->start[i]), 0,
           9 * (size_t)(to->start[i + 1] - to->start[i]) * sizeof(double));
    for (int b = from->start[i]; b < from->start[i + 1]; b++)
      memcpy(job->to->val + csim_row(9, csim_pattern_find(to, i, from->col[b])),
             job->from->val + csim_row(9, b), 9 * sizeof(double));
  }
}

// Computes the matrix of a level with couplings that tie its rows. -1 when out of memory.
static int update_tied(csim_pool *pool, const csim_multigrid_level *level,
                       const csim_couplings *couplings, const csim_buckets *buckets,
                       csim_tied *tied) {
  int nrow = level->nrow;
  tie_job job = {
      .buckets = buckets, .item = couplings->item, .A = &level->A, .words = (nrow + 63) / 64};
  if (order_tied(pool, &job, tied)) return -1;
  csim_pool_for(pool, nrow, AGGREGATE_GRAIN, copy_rows, &(copy_job){&level->A, &tied->A});
  add_couplings(pool, buckets, couplings, &tied->A);
  return 0;
}

// Factors the last level in use, unless memory was short. A loop of one item.
static void factor_last(void *context, int first, int last) {
  (void)first, (void)last;
  csim_multigrid *C = context;
  csim_cholesky *F = C->is_tied ? &C->tied.F : &C->F;
  const double *val = C->is_tied ? C->tied.A.val : C->level[C->used - 1].A.val;
  C->factored = val && csim_cholesky_factor(F, val) == CSIM_SOLVE_CONVERGED;
}

// The diagonal of the knots. A coupling between rows of one knot resists no motion of it.
static void update_knots(csim_pool *pool, level_job job, const csim_couplings *couplings,
                         csim_multigrid_level *knots) {
  job.level = knots;
  csim_pool_for(pool, knots->nrow, AGGREGATE_GRAIN, job.below ? sum_blocks : sum_edges, &job);
  for (int i = 0; couplings && i < couplings->n; i++) {
    const csim_coupling *c = &couplings->item[i];
    for (int k = 1; k < c->n; k++)
      for (int j = 0, at = knots->aggregate[c->row[k]]; at >= 0 && j < k; j++)
        if (knots->aggregate[c->row[j]] == at)
          add_block(2 * c->w[k] * c->w[j], c->B, knots->A.val + csim_row(9, at));
  }
  csim_block_jacobi_update(pool, &knots->A, &knots->P, NULL);
}

// All but the factor of the last level.
static void update_levels(csim_pool *pool, level_job job, csim_couplings *couplings,
                          csim_multigrid *C) {
  int most = C->nrow / TIED_SHARE > FEW_TIED ? C->nrow / TIED_SHARE : FEW_TIED;
  C->is_tied = C->factored = 0;
  C->used = C->nlevel;
  if (C->knots.nrow > 0) update_knots(pool, job, couplings, &C->knots);
  for (int l = 0; l < C->used; l++) {
    csim_multigrid_level *level = job.level = &C->level[l];
    csim_pool_for(pool, level->nrow, AGGREGATE_GRAIN, job.below ? sum_blocks : sum_edges, &job);
    int ties = couplings && coarsen_couplings(pool, level, couplings, &C->buckets);
    if (ties && level->nrow <= most) {
      C->used = l + 1;
      C->is_tied = 1;
      (void)update_tied(pool, level, couplings, &C->buckets, &C->tied); // else it has no matrix
      return;
    }
    if (couplings && !ties) { // the levels above have them from this one
      add_couplings(pool, &C->buckets, couplings, &level->A);
      couplings->n = 0;
    }
    if (l < C->nlevel - 1) csim_block_jacobi_update(pool, &level->A, &level->P, NULL);
    job.below = &level->A;
  }
}

void csim_multigrid_update_edges(csim_pool *pool, const csim_edge_matrix *A,
                                 csim_couplings *couplings, csim_multigrid *C,
                                 csim_block_jacobi *P) {
  const csim_loop factor = {1, 1, factor_last, C};
  update_levels(pool, (level_job){.A = A}, couplings, C);
  csim_block_jacobi_update_edges(pool, A, P, C->used > 0 ? &factor : NULL);
}

void csim_multigrid_update(csim_pool *pool, const csim_bsr *A, csim_couplings *couplings,
                           csim_multigrid *C, csim_block_jacobi *P) {
  const csim_loop factor = {1, 1, factor_last, C};
  update_levels(pool, (level_job){.below = A}, couplings, C);
  csim_block_jacobi_update(pool, A, P, C->used > 0 ? &factor : NULL);
}

void csim_multigrid_free(csim_multigrid *C) {
  csim_arena_free(&C->tied.arena);
  csim_buckets_free(&C->buckets);
}

// ------------------------------------------------------------------------------------- correction

// Levels of fewer rows are done by one thread, beside block-Jacobi of the matrix: dividing them
// takes as long as they do.
enum { FEW_ROWS = 1024, LEVEL_GRAIN = 32 };

// r of a row of a level: the sum over its aggregate.
static void restrict_row(const level_job *job, int c) {
  double sum[3] = {0};
  for (int m = job->level->start[c]; m < job->level->start[c + 1]; m++)
    csim_add_scaled(1, job->r + csim_xyz(job->level->row[m]), sum);
  memcpy(job->level->r + csim_xyz(c), sum, sizeof sum);
}

static void restrict_rows(void *context, int first, int last) {
  const level_job *job = context;
  for (int c = first; c < last; c++) restrict_row(job, c);
}

// r of a level, and z = D^-1 r, which is in the same job as it is short; returns r.z.
static double smooth_rows(void *context, int first, int last) {
  const level_job *job = context;
  double rz = 0;
  for (int c = first; c < last; c++) {
    const double *r = job->level->r + csim_xyz(c);
    double *z = job->level->z + csim_xyz(c);
    restrict_row(job, c);
    csim_block_jacobi_apply_row(&job->level->P, c, r, z);
    rz += csim_dot(r, z);
  }
  return rz;
}

// Adds the corrections of knots to z of their rows.
static void prolong_knots(void *context, int first, int last) {
  const level_job *job = context;
  for (int c = first; c < last; c++)
    for (int m = job->level->start[c]; m < job->level->start[c + 1]; m++)
      csim_add_scaled(1, job->level->z + csim_xyz(c), job->z + csim_xyz(job->level->row[m]));
}

static double add_knots(csim_pool *pool, csim_multigrid_level *knots, const double *r, double *z) {
  level_job job = {.level = knots, .r = r, .z = z};
  pool = knots->nrow < FEW_ROWS ? NULL : pool;
  double rz = csim_pool_sum_beside(pool, NULL, knots->nrow, LEVEL_GRAIN, smooth_rows, &job);
  csim_pool_for(pool, knots->nrow, AGGREGATE_GRAIN, prolong_knots, &job);
  return rz;
}

// The residual that a level restricts.
static const double *residual_below(const csim_multigrid *C, int l, const double *r) {
  return l ? C->level[l - 1].r : r;
}

static void restrict_to(csim_pool *pool, csim_multigrid *C, int l, const double *r) {
  level_job job = {.level = &C->level[l], .r = residual_below(C, l, r)};
  csim_pool_for(pool, C->level[l].nrow, AGGREGATE_GRAIN, restrict_rows, &job);
}

typedef struct prolong_job {
  const csim_multigrid *C;
  int first, last; // levels
  double *z;       // of the rows below the first one
} prolong_job;

// Adds z of a row's aggregates on all levels to its z. Half of it would take a fifth fewer
// iterations to the same residual, and be wrong: residuals hardly see low frequencies, which then
// stay unsolved (a swing lost 5.8 % of its energy in a second, colliding cloths 1.5 % of their
// momentum).
static void prolong_rows(void *context, int first, int last) {
  const prolong_job *job = context;
  const csim_multigrid_level *level = job->C->level;
  for (int i = first; i < last; i++) {
    int at[CSIM_MAX_LEVEL], l = job->first, end = l;
    for (int row = i; end <= job->last && (row = level[end].aggregate[row]) >= 0; end++)
      at[end] = row;
    if (end == l) continue;
    double sum[3] = {0};
    while (end-- > l) csim_add_scaled(1, level[end].z + csim_xyz(at[end]), sum);
    csim_add_scaled(1, sum, job->z + csim_xyz(i));
  }
}

// Adds z of the levels [first, last] to z of the nrow rows below the first one.
static void prolong(csim_pool *pool, int nrow, prolong_job job) {
  csim_pool_for(pool, nrow, ROW_GRAIN, prolong_rows, &job);
}

// The first level that has few rows, or the last one.
static int first_small(const csim_multigrid *C) {
  int l = 0;
  while (l < C->used - 1 && C->level[l].nrow >= FEW_ROWS) l++;
  return l;
}

// z of the last level, from its r.
static void solve_last(csim_multigrid *C) {
  csim_multigrid_level *last = &C->level[C->used - 1];
  csim_cholesky_solve(C->is_tied ? &C->tied.F : &C->F, last->r, last->z);
}

// z of the first small level, and r.z there. A loop of one item.
static void correct_small_levels(void *context, int begin, int end) {
  (void)begin, (void)end;
  csim_multigrid *C = context;
  int small = first_small(C), top = C->used - 1;
  csim_multigrid_level *level = C->level;
  for (int l = small > 0 ? small : 1; l <= top; l++) restrict_to(NULL, C, l, NULL);
  if (C->factored)
    solve_last(C);
  else
    memset(level[top].z, 0, 3 * (size_t)level[top].nrow * sizeof *level[top].z);
  for (int l = top - 1; l >= small; l--)
    csim_block_jacobi_apply(NULL, &level[l].P, level[l].r, level[l].z, NULL);
  if (top > small)
    prolong(NULL, level[small].nrow, (prolong_job){C, small + 1, top, level[small].z});
  C->small_rz = csim_vector_dot(NULL, 3 * level[small].nrow, level[small].r, level[small].z);
}

double csim_multigrid_apply(csim_pool *pool, csim_multigrid *C, const csim_block_jacobi *P,
                            const double *r, double *z) {
  const csim_loop small = {1, 1, correct_small_levels, C};
  int n = C->used > 0 ? first_small(C) : -1;
  double added = 0; // to r.z
  if (n == 0) restrict_to(pool, C, 0, r);
  for (int l = 0; l < n; l++) {
    level_job job = {.level = &C->level[l], .r = residual_below(C, l, r)};
    added += csim_pool_sum_beside(pool, NULL, job.level->nrow, LEVEL_GRAIN, smooth_rows, &job);
  }
  double rz = csim_block_jacobi_apply(pool, P, r, z, n >= 0 ? &small : NULL);
  if (C->knots.nrow > 0) added += add_knots(pool, &C->knots, r, z);
  if (n < 0) return rz + added;
  prolong(pool, C->nrow, (prolong_job){C, 0, n, z});
  return rz + (added + C->small_rz);
}

int csim_multigrid_correct(csim_pool *pool, csim_multigrid *C, const double *r, double *z) {
  if (C->used == 0 || !C->factored) return 0;
  for (int l = 0; l < C->used; l++) restrict_to(pool, C, l, r);
  solve_last(C);
  for (int l = 0; l < C->used - 1; l++)
    csim_vector_clear(NULL, 3 * C->level[l].nrow, C->level[l].z);
  csim_vector_clear(pool, 3 * C->nrow, z);
  prolong(pool, C->nrow, (prolong_job){C, 0, C->used - 1, z});
  return 1;
}
