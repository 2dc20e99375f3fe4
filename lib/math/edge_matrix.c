// math/edge_matrix.c: see edge_matrix.h.
#include "math/edge_matrix.h"

#include "base/mask.h"
#include "base/scan.h"

#include <stdlib.h>
#include <string.h>

enum { ROW_GRAIN = 256 };

int csim_edge_matrix_create(csim_arena *arena, const csim_edge_graph *graph, csim_edge_matrix *A) {
  *A = (csim_edge_matrix){.graph = graph, .isa = csim_simd_best()};
  ptrdiff_t width = csim_edge_graph_width(graph);
  A->near = CSIM_ARENA_NEW(arena, float, width * graph->near_start[graph->nrow] + 1);
  A->diag = CSIM_ARENA_NEW(arena, double, graph->nrow);
  A->place = CSIM_ARENA_NEW(arena, int, graph->nrow);
  if (arena->failed) return -1;
  memset(A->place, -1, (size_t)graph->nrow * sizeof *A->place);
  return 0;
}

void csim_edge_matrix_free(csim_edge_matrix *A) {
  free(A->block);
  A->block = NULL;
}

static void fill_blocks(void *context, int first, int last) {
  csim_edge_matrix *A = context;
  for (int i = first; i < last; i++) {
    if (A->place[i] < 0) continue;
    double *D = A->block + csim_row(9, A->place[i]);
    memset(D, 0, 9 * sizeof *D);
    D[0] = D[4] = D[8] = A->diag[i];
  }
}

static int count_marked(void *context, int first, int last) {
  const csim_edge_matrix *A = context;
  int n = 0;
  for (int i = first; i < last; i++) n += A->place[i] >= 0;
  return n;
}

static int number_marked(void *context, int first, int last, int next) {
  const csim_edge_matrix *A = context;
  for (int i = first; i < last; i++)
    if (A->place[i] >= 0) A->place[i] = next++;
  return next;
}

int csim_edge_matrix_place(csim_pool *pool, csim_edge_matrix *A) {
  int n = csim_scan(pool, A->graph->nrow, count_marked, number_marked, A);
  double *block = csim_grow(A->block, &A->capacity, (ptrdiff_t)n + 1, 9 * sizeof *block);
  if (!block) {
    memset(A->place, -1, (size_t)A->graph->nrow * sizeof *A->place);
    return -1;
  }
  A->block = block;
  csim_pool_for(pool, A->graph->nrow, ROW_GRAIN, fill_blocks, A);
  return 0;
}

// Prefetches data of later rows. The processor predicts too few of so many streams: without this,
// products with 100,000 rows and more took 30 % longer. Does nothing beyond the end, nor for few
// rows, which are in the cache anyway.
CSIM_SIMD_BODY void fetch_ahead(const csim_edge_matrix *A, int row, int width) {
  enum { EDGES = 128, FAR = 256, FEW_ROWS = 8192 };
  const csim_edge_graph *graph = A->graph;
  if (graph->nrow < FEW_ROWS) return;
  ptrdiff_t near = graph->near_start[row] + EDGES, far = graph->far_start[row] + FAR;
  for (int k = 0; k < 8 * width; k += 16) __builtin_prefetch(A->near + width * near + k);
  __builtin_prefetch(graph->near_col + near + EDGES);
  __builtin_prefetch(graph->far_col + far);
  __builtin_prefetch(graph->far + far);
}

// Loads run one number past a vertex or block: the fourth lane holds what comes after and is never
// used.
CSIM_SIMD_BODY double multiply_rows(const csim_edge_matrix *A, const double *x, double *y,
                                    int first, int last) {
  const csim_edge_graph *graph = A->graph;
  csim_v4 dot = {0};
  for (int i = first; i < last; i++) {
    const double *xi = x + csim_xyz(i);
    fetch_ahead(A, i, 4);
    csim_v4 own = CSIM_LOAD4(xi), sum = A->diag[i] * own;
    if (A->place[i] >= 0) {
      const double *D = A->block + csim_row(9, A->place[i]);
      sum = CSIM_LOAD4(D) * xi[0] + CSIM_LOAD4(D + 3) * xi[1] + CSIM_LOAD4(D + 6) * xi[2];
    }
    for (int k = graph->near_start[i]; k < graph->near_start[i + 1]; k++) {
      csim_v4 r = own - CSIM_LOAD4(x + csim_xyz(graph->near_col[k]));
      csim_v4 edge = CSIM_LOAD4F(A->near + csim_row(4, k)), along = edge * r;
      sum += edge[3] * r + CSIM_SUM3(along) * edge;
    }
    for (int k = graph->far_start[i]; k < graph->far_start[i + 1]; k++)
      sum += (double)graph->far[k] * (own - CSIM_LOAD4(x + csim_xyz(graph->far_col[k])));
    CSIM_STORE3(y + csim_xyz(i), sum);
    dot += own * sum;
  }
  return CSIM_SUM3(dot);
}

// The same with blocks on near edges. Differences are taken as doubles, so that a translation gives
// exactly zero. They are multiplied as floats, which takes a quarter less time.
CSIM_SIMD_BODY double multiply_wide(const csim_edge_matrix *A, const double *x, double *y,
                                    int first, int last) {
  const csim_edge_graph *graph = A->graph;
  csim_v4 dot = {0};
  for (int i = first; i < last; i++) {
    const double *xi = x + csim_xyz(i);
    fetch_ahead(A, i, 9);
    csim_v4 own = CSIM_LOAD4(xi), sum = A->diag[i] * own;
    if (A->place[i] >= 0) {
      const double *D = A->block + csim_row(9, A->place[i]);
      sum = CSIM_LOAD4(D) * xi[0] + CSIM_LOAD4(D + 3) * xi[1] + CSIM_LOAD4(D + 6) * xi[2];
    }
    csim_f4 near = {0};
    for (int k = graph->near_start[i]; k < graph->near_start[i + 1]; k++) {
      csim_v4 away = own - CSIM_LOAD4(x + csim_xyz(graph->near_col[k]));
      csim_f4 r = CSIM_TO_FLOAT4(away);
      const float *S = A->near + csim_row(9, k);
      near += CSIM_FLOAT4(S) * r[0] + CSIM_FLOAT4(S + 3) * r[1] + CSIM_FLOAT4(S + 6) * r[2];
    }
    sum += CSIM_FROM_FLOAT4(near);
    for (int k = graph->far_start[i]; k < graph->far_start[i + 1]; k++)
      sum += (double)graph->far[k] * (own - CSIM_LOAD4(x + csim_xyz(graph->far_col[k])));
    CSIM_STORE3(y + csim_xyz(i), sum);
    dot += own * sum;
  }
  return CSIM_SUM3(dot);
}

CSIM_SIMD_KERNEL(double, multiply_rows,
                 (const csim_edge_matrix *A, const double *x, double *y, int first, int last),
                 (A, x, y, first, last))
CSIM_SIMD_KERNEL(double, multiply_wide,
                 (const csim_edge_matrix *A, const double *x, double *y, int first, int last),
                 (A, x, y, first, last))

typedef struct multiply_job {
  const csim_edge_matrix *A;
  const double *x;
  double *y;
} multiply_job;

static double run_multiply(void *context, int first, int last) {
  const multiply_job *job = context;
  if (csim_mask_covers(job->A->idle, first, last)) {
    memset(job->y + csim_xyz(first), 0, 3 * (size_t)(last - first) * sizeof *job->y);
    return 0;
  }
  return job->A->graph->wide
             ? multiply_wide_kernel[job->A->isa](job->A, job->x, job->y, first, last)
             : multiply_rows_kernel[job->A->isa](job->A, job->x, job->y, first, last);
}

double csim_edge_matrix_multiply(csim_pool *pool, const csim_edge_matrix *A, const double *x,
                                 double *y, const csim_loop *beside) {
  return csim_pool_sum_beside(pool, beside, A->graph->nrow, ROW_GRAIN, run_multiply,
                              &(multiply_job){A, x, y});
}

typedef struct translate_job {
  const csim_edge_matrix *A;
  const unsigned char *fixed;
  int axis, has_fixed;
  double *y;
} translate_job;

// Adds the terms of a row's edges to fixed rows, rounded as in a product.
static void add_fixed_edges(const translate_job *job, int i, double *y) {
  const csim_edge_matrix *A = job->A;
  const csim_edge_graph *graph = A->graph;
  float near[3] = {0};
  for (int k = graph->near_start[i]; k < graph->near_start[i + 1]; k++) {
    const float *edge = A->near + csim_edge_graph_width(graph) * (ptrdiff_t)k;
    if (!job->fixed[graph->near_col[k]]) continue;
    for (int j = 0; j < 3; j++)
      if (graph->wide)
        near[j] += edge[3 * job->axis + j];
      else
        y[j] += (double)edge[job->axis] * (double)edge[j] + (j == job->axis ? (double)edge[3] : 0);
  }
  for (int j = 0; j < 3; j++) y[j] += (double)near[j];
  for (int k = graph->far_start[i]; k < graph->far_start[i + 1]; k++)
    if (job->fixed[graph->far_col[k]]) y[job->axis] += (double)graph->far[k];
}

static void translate_rows(void *context, int first, int last) {
  const translate_job *job = context;
  const csim_edge_matrix *A = job->A;
  int axis = job->axis;
  if (csim_mask_covers(A->idle, first, last)) {
    memset(job->y + csim_xyz(first), 0, 3 * (size_t)(last - first) * sizeof *job->y);
    return;
  }
  for (int i = first; i < last; i++) {
    double *y = job->y + csim_xyz(i);
    y[0] = y[1] = y[2] = 0;
    if (job->fixed[i]) continue;
    if (A->place[i] >= 0)
      memcpy(y, A->block + csim_row(9, A->place[i]) + csim_xyz(axis), 3 * sizeof *y);
    else
      y[axis] = A->diag[i];
    if (job->has_fixed) add_fixed_edges(job, i, y);
  }
}

void csim_edge_matrix_translate(csim_pool *pool, const csim_edge_matrix *A,
                                const unsigned char *fixed, int axis, double *y) {
  int has_fixed = memchr(fixed, 1, (size_t)A->graph->nrow) != NULL;
  csim_pool_for(pool, A->graph->nrow, ROW_GRAIN, translate_rows,
                &(translate_job){A, fixed, axis, has_fixed, y});
}

// Columns of block (i, i).
CSIM_SIMD_BODY void sum_row(const csim_edge_matrix *A, int i, double *block) {
  const csim_edge_graph *graph = A->graph;
  double d = A->diag[i], a = 0;
  csim_v4 x = {d, 0, 0, 0}, y = {0, d, 0, 0}, z = {0, 0, d, 0};
  if (A->place[i] >= 0) {
    const double *D = A->block + csim_row(9, A->place[i]);
    x = CSIM_LOAD3(D), y = CSIM_LOAD3(D + 3), z = CSIM_LOAD3(D + 6);
  }
  for (int k = graph->near_start[i]; k < graph->near_start[i + 1] && graph->wide; k++) {
    const float *S = A->near + csim_row(9, k);
    x += CSIM_LOAD4F(S);
    y += CSIM_LOAD4F(S + 3);
    z += CSIM_LOAD4F(S + 6);
  }
  for (int k = graph->near_start[i]; k < graph->near_start[i + 1] && !graph->wide; k++) {
    csim_v4 edge = CSIM_LOAD4F(A->near + csim_row(4, k));
    x += edge[0] * edge;
    y += edge[1] * edge;
    z += edge[2] * edge;
    a += edge[3];
  }
  for (int k = graph->far_start[i]; k < graph->far_start[i + 1]; k++) a += (double)graph->far[k];
  x += (csim_v4){a, 0, 0, 0};
  y += (csim_v4){0, a, 0, 0};
  z += (csim_v4){0, 0, a, 0};
  CSIM_STORE3(block, x);
  CSIM_STORE3(block + 3, y);
  CSIM_STORE3(block + 6, z);
}

CSIM_SIMD_BODY int sum_rows(const csim_edge_matrix *A, int first, int last, double *block) {
  for (int i = first; i < last; i++) sum_row(A, i, block + csim_row(9, i - first));
  return 0;
}
CSIM_SIMD_KERNEL(int, sum_rows, (const csim_edge_matrix *A, int first, int last, double *block),
                 (A, first, last, block))

void csim_edge_matrix_diagonals(const csim_edge_matrix *A, int first, int last, double *block) {
  sum_rows_kernel[A->isa](A, first, last, block);
}
