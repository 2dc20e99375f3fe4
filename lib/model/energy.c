// model/energy.c: see energy.h.
#include "model/energy.h"

#include "base/dmath.h"
#include "base/hash_table.h"
#include "math/vec3.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <string.h>

#define KIND(name) &csim_##name##_kind,
const csim_energy_kind *const csim_bending_kinds[CSIM_NBENDING] = {CSIM_BENDING_LIST(KIND)};

// A table of distinct rows is used when there are at least this many elements per row.
enum { ELEMENT_GRAIN = 512, ROW_SHARE = 4 };

// Elements of a block, see choose_blocks.
enum { BLOCK = 32 };

// Colours blocks of elements greedily, 64 colours a pass. A block that finds no free colour waits
// for the next pass, which continues with the next colours. Returns the number of colours, of which
// there are at most `most`, or -1.
static int color_blocks(const csim_energy *energy, const int *node, int most, int nvert,
                        uint64_t *used, int *color) {
  int nelem = energy->nelem, nnode = energy->kind->nnode, block = energy->block;
  int nblock = (nelem + block - 1) / block, ncolor = 0, left = nblock;
  for (int b = 0; b < nblock; b++) color[b] = -1;
  for (int base = 0; left > 0; base += 64) {
    memset(used, 0, (size_t)nvert * sizeof *used);
    for (int b = 0; b < nblock; b++) {
      if (color[b] >= 0) continue;
      ptrdiff_t first = (ptrdiff_t)b * block * nnode, last = first + (ptrdiff_t)block * nnode;
      if (last > (ptrdiff_t)nelem * nnode) last = (ptrdiff_t)nelem * nnode;
      uint64_t taken = 0;
      for (ptrdiff_t a = first; a < last; a++) taken |= used[node[a]];
      if (taken == UINT64_MAX) continue;
      int c = __builtin_ctzll(~taken);
      for (ptrdiff_t a = first; a < last; a++) used[node[a]] |= (uint64_t)1 << c;
      color[b] = base + c;
      if (base + c >= ncolor) ncolor = base + c + 1;
      if (ncolor > most) return -1;
      left--;
    }
  }
  return ncolor;
}

// Blocks of neighbours need fewer colours than elements: fewer loops, each in fewer places. Where
// elements that follow each other are no neighbours, blocks need more, and are elements.
static void choose_blocks(int nvert, const int *node, uint64_t *used, int *color,
                          csim_energy *energy) {
  energy->block = 1;
  int single = color_blocks(energy, node, INT_MAX, nvert, used, color);
  energy->block = BLOCK;
  energy->ncolor = color_blocks(energy, node, single, nvert, used, color);
  if (energy->ncolor >= 0) return;
  energy->block = 1;
  energy->ncolor = color_blocks(energy, node, INT_MAX, nvert, used, color);
}

typedef struct row_list {
  const double *param; // (elements x nparam)
  const int *first;    // the element that each row appeared with
  const double *wanted;
  int nparam;
} row_list;

static int is_row(const void *wanted, int number) {
  const row_list *rows = wanted;
  return !memcmp(rows->param + (ptrdiff_t)rows->first[number] * rows->nparam, rows->wanted,
                 (size_t)rows->nparam * sizeof *rows->param);
}

// Numbers the distinct rows of constants in order of appearance, and returns their number; -1 if
// elements share too few rows for a table to pay, -2 when out of memory.
static int number_rows(int nelem, int nparam, const double *param, int *row, int *first) {
  int most = nelem / ROW_SHARE, nrow = 0;
  csim_hash_table table = {0};
  row_list rows = {param, first, NULL, nparam};
  if (csim_hash_table_begin(&table, most)) return -2;
  for (int e = 0; e < nelem; e++) {
    rows.wanted = param + (ptrdiff_t)e * nparam;
    uint64_t hash = csim_hash_bytes(CSIM_HASH_START, rows.wanted, (size_t)nparam * sizeof *param);
    int *slot = csim_hash_table_find(&table, hash, is_row, &rows);
    if (!*slot && nrow == most) {
      nrow = -1;
      break;
    }
    if (!*slot) {
      first[nrow] = e;
      *slot = ++nrow;
    }
    row[e] = *slot - 1;
  }
  csim_hash_table_free(&table);
  return nrow;
}

int csim_energy_create(csim_arena *arena, const csim_energy_kind *kind, int nvert, int nelem,
                       const int *node, const double *param, csim_energy *energy) {
  csim_arena temp = {0};
  int nnode = kind->nnode, nparam = kind->nparam;
  assert(nnode <= CSIM_CONSTRAINT_NODES || (!kind->constraint && !kind->excess));
  size_t bytes = (size_t)nparam * sizeof *param;
  *energy = (csim_energy){.kind = kind, .isa = csim_simd_best(), .nelem = nelem};
  uint64_t *used = CSIM_ARENA_NEW(&temp, uint64_t, nvert);
  int *color = CSIM_ARENA_NEW(&temp, int, nelem), *fill = NULL;
  int *row = CSIM_ARENA_NEW(&temp, int, nelem);
  int *first = CSIM_ARENA_NEW(&temp, int, nelem / ROW_SHARE);
  energy->node = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)nelem *nnode);
  if (temp.failed || arena->failed) goto done;
  int nrow = number_rows(nelem, nparam, param, row, first);
  if (nrow < -1) arena->failed = 1;
  choose_blocks(nvert, node, used, color, energy);
  energy->color = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)energy->ncolor + 1);
  energy->param = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)(nrow < 0 ? nelem : nrow) * nparam);
  if (nrow >= 0) energy->row = CSIM_ARENA_NEW(arena, int, nelem);
  fill = CSIM_ARENA_NEW(&temp, int, energy->ncolor);
  if (temp.failed || arena->failed) goto done;
  int block = energy->block;
  for (int e = 0; e < nelem; e++) energy->color[color[e / block] + 1]++;
  for (int c = 0; c < energy->ncolor; c++) energy->color[c + 1] += energy->color[c];
  for (int r = 0; r < nrow; r++)
    memcpy(energy->param + (ptrdiff_t)r * nparam, param + (ptrdiff_t)first[r] * nparam, bytes);
  for (int e = 0; e < nelem; e++) {
    int at = energy->color[color[e / block]] + fill[color[e / block]]++;
    memcpy(energy->node + (ptrdiff_t)at * nnode, node + (ptrdiff_t)e * nnode,
           (size_t)nnode * sizeof(int));
    if (energy->row)
      energy->row[at] = row[e];
    else
      memcpy(energy->param + (ptrdiff_t)at * nparam, param + (ptrdiff_t)e * nparam, bytes);
  }
done:
  if (temp.failed) arena->failed = 1;
  csim_arena_free(&temp);
  return arena->failed ? -1 : 0;
}

int csim_energy_bind(csim_arena *arena, const csim_pattern *pattern, csim_energy *energy) {
  int nnode = energy->kind->nnode;
  energy->slot = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)energy->nelem *nnode *nnode);
  if (arena->failed) return -1;
  for (int e = 0; e < energy->nelem; e++)
    for (int a = 0; a < nnode; a++)
      for (int b = 0; b < nnode; b++) {
        const int *node = energy->node + (ptrdiff_t)e * nnode;
        int block = csim_pattern_find(pattern, node[a], node[b]);
        assert(block >= 0);
        energy->slot[((ptrdiff_t)e * nnode + a) * nnode + b] = block;
      }
  return 0;
}

typedef struct color_job {
  csim_range_fn *fn;
  void *context;
  int first, last; // elements of the colour
  int block;
} color_job;

static void run_color(void *context, int first, int last) {
  const color_job *job = context;
  int from = job->first + first * job->block, to = job->first + last * job->block;
  job->fn(job->context, from, to < job->last ? to : job->last);
}

void csim_energy_for(csim_pool *pool, const csim_energy *energy, int grain, csim_range_fn *fn,
                     void *context) {
  int block = energy->block;
  for (int c = 0; c < energy->ncolor; c++) {
    color_job job = {fn, context, energy->color[c], energy->color[c + 1], block};
    int nblock = (job.last - job.first + block - 1) / block;
    csim_pool_for(pool, nblock, (grain + block - 1) / block, run_color, &job);
  }
}

typedef struct energy_job {
  const csim_energy *energy;
  const csim_point *at;
  csim_psd psd;
  double *out;
  double h;
} energy_job;

int csim_energy_next_run(const csim_energy *energy, const unsigned char *idle, int *first,
                         int last) {
  ptrdiff_t nnode = energy->kind->nnode;
  if (!idle) return last;
  while (*first < last && idle[energy->node[nnode * *first]]) ++*first;
  int end = *first;
  while (end < last && !idle[energy->node[nnode * end]]) end++;
  return end;
}

static double run_value(void *context, int first, int last) {
  const energy_job *job = context;
  double sum = 0;
  for (int end; (end = csim_energy_next_run(job->energy, job->at->idle, &first, last)) > first;
       first = end)
    sum += job->energy->kind->value(job->energy, job->at, first, end);
  return sum;
}

static void run_gradient(void *context, int first, int last) {
  const energy_job *job = context;
  for (int end; (end = csim_energy_next_run(job->energy, job->at->idle, &first, last)) > first;
       first = end)
    job->energy->kind->gradient(job->energy, job->at, first, end, job->out);
}

static void run_hessian(void *context, int first, int last) {
  const energy_job *job = context;
  job->energy->kind->hessian(job->energy, job->at, job->psd, first, last, job->out);
}

static void run_laplacian(void *context, int first, int last) {
  const energy_job *job = context;
  job->energy->kind->laplacian(job->energy, job->at, first, last, job->out);
}

static void run_yield(void *context, int first, int last) {
  const energy_job *job = context;
  job->energy->kind->yield(job->energy, job->at, first, last, job->h, job->out);
}

static void for_each_color(csim_pool *pool, energy_job *job, csim_range_fn *fn) {
  csim_energy_for(pool, job->energy, ELEMENT_GRAIN, fn, job);
}

double csim_energy_value(csim_pool *pool, const csim_energy *energy, const csim_point *at) {
  energy_job job = {.energy = energy, .at = at};
  return csim_pool_sum(pool, energy->nelem, run_value, &job);
}

void csim_energy_gradient(csim_pool *pool, const csim_energy *energy, const csim_point *at,
                          double *g) {
  for_each_color(pool, &(energy_job){.energy = energy, .at = at, .out = g}, run_gradient);
}

void csim_energy_hessian(csim_pool *pool, const csim_energy *energy, const csim_point *at,
                         csim_psd psd, double *val) {
  for_each_color(pool, &(energy_job){.energy = energy, .at = at, .psd = psd, .out = val},
                 run_hessian);
}

void csim_energy_laplacian(csim_pool *pool, const csim_energy *energy, const csim_point *at,
                           double *val) {
  for_each_color(pool, &(energy_job){.energy = energy, .at = at, .out = val}, run_laplacian);
}

typedef struct max_step_job {
  const csim_energy *energy;
  const csim_point *at;
  const double *d;
} max_step_job;

static double run_max_step(void *context, int first, int last) {
  const max_step_job *job = context;
  double share = 1;
  for (int end; (end = csim_energy_next_run(job->energy, job->at->idle, &first, last)) > first;
       first = end)
    share = csim_min(share, job->energy->kind->max_step(job->energy, job->at, job->d, first, end));
  return -share;
}

double csim_energy_max_step(csim_pool *pool, const csim_energy *energy, const csim_point *at,
                            const double *d) {
  max_step_job job = {energy, at, d};
  return energy->kind->max_step ? -csim_pool_max(pool, energy->nelem, -1, run_max_step, &job) : 1;
}

// Every element has its own numbers, so the order does not matter.
void csim_energy_yield(csim_pool *pool, const csim_energy *energy, const csim_point *at, double h,
                       double *plastic) {
  if (!energy->kind->yield) return;
  energy_job job = {.energy = energy, .at = at, .out = plastic, .h = h};
  csim_pool_for(pool, energy->nelem, ELEMENT_GRAIN, run_yield, &job);
}

double csim_yield_flow(const csim_yield *yield, double elastic, double h, double *flowed) {
  double beyond = fabs(elastic) - (yield->at + yield->hardening * *flowed);
  if (!(beyond > 0)) return 0;
  double share = yield->rate > 0 ? 1 - csim_exp(-yield->rate * h) : 1;
  double by = share * beyond / (1 + yield->hardening);
  *flowed += by;
  return elastic > 0 ? by : -by;
}
