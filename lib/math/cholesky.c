// math/cholesky.c: see cholesky.h. Up-looking factorisation along the elimination tree (Davis,
// Direct Methods for Sparse Linear Systems, 2006, chapter 4), with 3 x 3 or scalar blocks.
#include "math/cholesky.h"

#include "math/vec3.h"

#include <string.h>
#include <suitesparse/amd.h>

static int order(const csim_pattern *p, int *perm) {
  if (p->nrow == 0) return 0;
  double control[AMD_CONTROL];
  amd_defaults(control);
  return amd_order(p->nrow, p->start, p->col, perm, control, NULL) >= AMD_OK ? 0 : -1;
}

// Elimination tree with path compression through `ancestor` (Liu 1990).
static void elimination_tree(const csim_cholesky *F, int *ancestor) {
  const csim_pattern *p = F->pattern;
  for (int k = 0; k < F->n; k++) {
    F->parent[k] = ancestor[k] = -1;
    for (int b = p->start[F->perm[k]]; b < p->start[F->perm[k] + 1]; b++)
      for (int i = F->inverse[p->col[b]], next; i != -1 && i < k; i = next) {
        next = ancestor[i];
        ancestor[i] = k;
        if (next == -1) F->parent[i] = k;
      }
  }
}

// Columns of row k of L, in an order that puts children before parents: stack[top .. n).
static int row_pattern(csim_cholesky *F, int k) {
  const csim_pattern *p = F->pattern;
  int top = F->n;
  F->mark[k] = k;
  for (int b = p->start[F->perm[k]]; b < p->start[F->perm[k] + 1]; b++) {
    int i = F->inverse[p->col[b]], length = 0;
    if (i >= k) continue;
    for (; F->mark[i] != k; i = F->parent[i]) {
      F->stack[length++] = i;
      F->mark[i] = k;
    }
    while (length > 0) F->stack[--top] = F->stack[--length];
  }
  return top;
}

int csim_cholesky_analyze(csim_arena *arena, const csim_pattern *pattern, int size,
                          csim_cholesky *F) {
  int n = pattern->nrow;
  *F = (csim_cholesky){.pattern = pattern, .size = size, .n = n};
  F->perm = CSIM_ARENA_NEW(arena, int, n);
  F->inverse = CSIM_ARENA_NEW(arena, int, n);
  F->parent = CSIM_ARENA_NEW(arena, int, n);
  F->start = CSIM_ARENA_NEW(arena, ptrdiff_t, (ptrdiff_t)n + 1);
  F->diag = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)n *size *size);
  F->fill = CSIM_ARENA_NEW(arena, ptrdiff_t, n);
  F->stack = CSIM_ARENA_NEW(arena, int, n);
  F->mark = CSIM_ARENA_NEW(arena, int, n);
  F->work = CSIM_ARENA_NEW(arena, double, (ptrdiff_t)n *(size == 3 ? 9 : 3));
  if (arena->failed || order(pattern, F->perm)) {
    arena->failed = 1;
    return -1;
  }
  for (int k = 0; k < n; k++) F->inverse[F->perm[k]] = k;
  elimination_tree(F, F->stack);
  for (int k = 0; k < n; k++) F->mark[k] = -1;
  for (int k = 0; k < n; k++)
    for (int t = row_pattern(F, k); t < n; t++) F->start[F->stack[t] + 1]++;
  for (int k = 0; k < n; k++) F->start[k + 1] += F->start[k];
  F->row = CSIM_ARENA_NEW(arena, int, F->start[n]);
  F->val = CSIM_ARENA_NEW(arena, double, F->start[n] * size * size);
  return arena->failed ? -1 : 0;
}

// Row k of L: solve L(0..k, 0..k) l = A(0..k, k), column by column of L. The work blocks hold the
// transposed problem: work[i] becomes L_ki. `size` is a constant at each call, so loops unroll.
static inline __attribute__((always_inline)) int factor_row(csim_cholesky *F, const double *val,
                                                            int k, const int size) {
  const csim_pattern *p = F->pattern;
  const int sq = size * size;
  double pivot[9] = {0};
  int top = row_pattern(F, k);
  for (int b = p->start[F->perm[k]]; b < p->start[F->perm[k] + 1]; b++) {
    int i = F->inverse[p->col[b]];
    if (i > k) continue;
    memcpy(i == k ? pivot : F->work + (ptrdiff_t)sq * i, val + (ptrdiff_t)sq * b,
           (size_t)sq * sizeof(double));
  }
  for (int t = top; t < F->n; t++) {
    int j = F->stack[t];
    double *x = F->work + (ptrdiff_t)sq * j, l[9];
    const double *d = F->diag + (ptrdiff_t)sq * j;
    if (size == 1)
      l[0] = x[0] * d[0];
    else
      csim_mat3_mul_transposed(x, d, l);
    memset(x, 0, (size_t)sq * sizeof(double));
    for (ptrdiff_t q = F->start[j]; q < F->fill[j]; q++) {
      double *xi = F->work + (ptrdiff_t)sq * F->row[q];
      const double *lij = F->val + sq * q;
      if (size == 1)
        xi[0] -= l[0] * lij[0];
      else
        csim_mat3_sub_transposed(l, lij, xi);
    }
    if (size == 1)
      pivot[0] -= l[0] * l[0];
    else
      csim_mat3_sub_transposed(l, l, pivot);
    ptrdiff_t at = F->fill[j]++;
    F->row[at] = k;
    memcpy(F->val + sq * at, l, (size_t)sq * sizeof(double));
  }
  double *diag = F->diag + (ptrdiff_t)sq * k;
  if (size == 1) {
    if (!(pivot[0] > 0) || !isfinite(pivot[0])) return 0;
    diag[0] = 1 / sqrt(pivot[0]);
    return 1;
  }
  double L[9];
  return csim_mat3_cholesky(pivot, L) && csim_mat3_inverse(L, diag) > 0;
}

csim_solve_outcome csim_cholesky_factor(csim_cholesky *F, const double *val) {
  memcpy(F->fill, F->start, (size_t)F->n * sizeof *F->fill);
  memset(F->work, 0, (size_t)F->n * (size_t)(F->size * F->size) * sizeof *F->work);
  for (int k = 0; k < F->n; k++) F->mark[k] = -1;
  for (int k = 0; k < F->n; k++)
    if (!(F->size == 3 ? factor_row(F, val, k, 3) : factor_row(F, val, k, 1)))
      return CSIM_SOLVE_INDEFINITE;
  return CSIM_SOLVE_CONVERGED;
}

void csim_cholesky_solve(csim_cholesky *F, const double *b, double *x) {
  double *w = F->work; // (n x 3), in the factor's order
  const int size = F->size;
  for (int k = 0; k < F->n; k++) memcpy(w + csim_xyz(k), b + csim_xyz(F->perm[k]), 24);
  for (int k = 0; k < F->n; k++) {
    double *t = w + csim_xyz(k);
    const double *d = F->diag + (ptrdiff_t)size * size * k;
    if (size == 3)
      csim_mat3_mul(d, t, t);
    else
      for (int c = 0; c < 3; c++) t[c] *= d[0];
    for (ptrdiff_t q = F->start[k]; q < F->start[k + 1]; q++) {
      double *wi = w + csim_xyz(F->row[q]), u[3];
      if (size == 3) {
        csim_mat3_mul(F->val + 9 * q, t, u);
        csim_sub(wi, u, wi);
      } else {
        csim_add_scaled(-F->val[q], t, wi);
      }
    }
  }
  for (int k = F->n - 1; k >= 0; k--) {
    double *wk = w + csim_xyz(k), t[3] = {wk[0], wk[1], wk[2]};
    for (ptrdiff_t q = F->start[k]; q < F->start[k + 1]; q++) {
      const double *wi = w + csim_xyz(F->row[q]), *a = F->val + size * size * q;
      if (size == 3)
        for (int c = 0; c < 3; c++) t[c] -= a[c] * wi[0] + a[3 + c] * wi[1] + a[6 + c] * wi[2];
      else
        csim_add_scaled(-a[0], wi, t);
    }
    const double *d = F->diag + (ptrdiff_t)size * size * k;
    for (int c = 0; c < 3; c++)
      wk[c] = size == 3 ? d[c] * t[0] + d[3 + c] * t[1] + d[6 + c] * t[2] : d[0] * t[c];
  }
  for (int k = 0; k < F->n; k++) memcpy(x + csim_xyz(F->perm[k]), w + csim_xyz(k), 24);
}
