// math/bsr.c: see bsr.h.
#include "math/bsr.h"

#include "base/sort.h"

#include <limits.h>
#include <string.h>

enum { ROW_GRAIN = 512 };

// Sorts n numbers and drops duplicates, in place; returns how many remain. In most rows few remain,
// so they are inserted.
static int sort_unique(int n, int *row) {
  enum { FEW = 32 };
  int m = 0, next = 0;
  for (; next < n && m < FEW; next++) {
    int value = row[next], k = m;
    while (k > 0 && row[k - 1] > value) k--;
    if (k > 0 && row[k - 1] == value) continue;
    memmove(row + k + 1, row + k, (size_t)(m++ - k) * sizeof *row);
    row[k] = value;
  }
  if (next == n) return m;
  memmove(row + m, row + next, (size_t)(n - next) * sizeof *row);
  n -= next - m;
  csim_sort_rows(row, n, sizeof *row, 1);
  m = 0;
  for (int k = 0; k < n; k++)
    if (m == 0 || row[k] != row[m - 1]) row[m++] = row[k];
  return m;
}

int csim_pattern_build(csim_arena *arena, int nrow, int nset, const csim_element_set *set,
                       csim_pattern *pattern) {
  int status = -1;
  csim_arena temp = {0};
  ptrdiff_t count = nrow;
  for (int s = 0; s < nset; s++)
    count += (ptrdiff_t)set[s].nelem * set[s].nnode * (set[s].nnode - 1);
  if (count > INT_MAX - 1) {
    arena->failed = 1;
    return -1;
  }
  int *start = CSIM_ARENA_NEW(&temp, int, (ptrdiff_t)nrow + 1);
  int *fill = CSIM_ARENA_NEW(&temp, int, nrow);
  int *length = CSIM_ARENA_NEW(&temp, int, nrow);
  int *col = CSIM_ARENA_NEW(&temp, int, count);
  *pattern = (csim_pattern){.nrow = nrow};
  pattern->start = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)nrow + 1);
  pattern->diag = CSIM_ARENA_NEW(arena, int, nrow);
  if (temp.failed || arena->failed) goto done;

  // count, prefix, scatter, sort each row
  for (int i = 0; i < nrow; i++) start[i + 1] = 1;
  for (int s = 0; s < nset; s++)
    for (int k = 0; k < set[s].nelem * set[s].nnode; k++)
      start[set[s].node[k] + 1] += set[s].nnode - 1;
  for (int i = 0; i < nrow; i++) start[i + 1] += start[i];
  for (int i = 0; i < nrow; i++) col[start[i] + fill[i]++] = i;
  for (int s = 0; s < nset; s++) {
    int n = set[s].nnode;
    for (int e = 0; e < set[s].nelem; e++) {
      const int *node = set[s].node + (ptrdiff_t)e * n;
      for (int a = 0; a < n; a++)
        for (int b = 0; b < n; b++)
          if (a != b) col[start[node[a]] + fill[node[a]]++] = node[b];
    }
  }
  for (int i = 0; i < nrow; i++)
    pattern->nblock += length[i] = sort_unique(start[i + 1] - start[i], col + start[i]);
  pattern->col = CSIM_ARENA_NEW(arena, int, pattern->nblock);
  if (arena->failed) goto done;
  for (int i = 0; i < nrow; i++) {
    int at = pattern->start[i];
    memcpy(pattern->col + at, col + start[i], (size_t)length[i] * sizeof(int));
    pattern->start[i + 1] = at + length[i];
    pattern->diag[i] = csim_pattern_find(pattern, i, i);
  }
  status = 0;
done:
  if (temp.failed) arena->failed = 1;
  csim_arena_free(&temp);
  return status;
}

int csim_pattern_find(const csim_pattern *pattern, int row, int col) {
  int lo = pattern->start[row], hi = pattern->start[row + 1] - 1;
  while (lo <= hi) {
    int mid = lo + (hi - lo) / 2;
    if (pattern->col[mid] == col) return mid;
    if (pattern->col[mid] < col)
      lo = mid + 1;
    else
      hi = mid - 1;
  }
  return -1;
}

typedef struct multiply_job {
  const csim_bsr *A;
  const double *x;
  double *y;
} multiply_job;

static void multiply_rows(void *context, int first, int last) {
  const multiply_job *job = context;
  const csim_pattern *p = job->A->pattern;
  for (int i = first; i < last; i++) {
    double y0 = 0, y1 = 0, y2 = 0;
    for (int b = p->start[i]; b < p->start[i + 1]; b++) {
      const double *a = job->A->val + csim_row(9, b);
      const double *x = job->x + csim_xyz(p->col[b]);
      y0 += a[0] * x[0] + a[1] * x[1] + a[2] * x[2];
      y1 += a[3] * x[0] + a[4] * x[1] + a[5] * x[2];
      y2 += a[6] * x[0] + a[7] * x[1] + a[8] * x[2];
    }
    double *y = job->y + csim_xyz(i);
    y[0] = y0;
    y[1] = y1;
    y[2] = y2;
  }
}

void csim_bsr_multiply(csim_pool *pool, const csim_bsr *A, const double *x, double *y) {
  multiply_job job = {A, x, y};
  csim_pool_for(pool, A->pattern->nrow, ROW_GRAIN, multiply_rows, &job);
}

typedef struct fix_job {
  const unsigned char *fixed;
  csim_bsr *A;
} fix_job;

static void fix_rows(void *context, int first, int last) {
  const fix_job *job = context;
  const csim_pattern *p = job->A->pattern;
  for (int i = first; i < last; i++)
    for (int b = p->start[i]; b < p->start[i + 1]; b++) {
      if (!job->fixed[i] && !job->fixed[p->col[b]]) continue;
      double *a = job->A->val + csim_row(9, b);
      memset(a, 0, 9 * sizeof *a);
      if (p->col[b] == i) a[0] = a[4] = a[8] = 1;
    }
}

void csim_bsr_fix(csim_pool *pool, const unsigned char *fixed, csim_bsr *A) {
  fix_job job = {fixed, A};
  csim_pool_for(pool, A->pattern->nrow, ROW_GRAIN, fix_rows, &job);
}
