// test_bsr: patterns and products of block matrices against dense ones; Jacobi's iteration on them.
#include "check.h"
#include "kit.h"

#include "math/jacobi.h"
#include "math/vector.h"

#include <string.h>

enum { N = 40, NELEM = 60 };

typedef struct both {
  csim_arena arena;
  csim_pattern pattern;
  csim_bsr A;
  double dense[3 * N][3 * N];
} both;

// A random symmetric matrix on random triangles; rows with a large diagonal.
static void make(both *m) {
  static int node[NELEM][3];
  unsigned seed = 11;
  for (int e = 0; e < NELEM; e++)
    for (int k = 0; k < 3; k++) node[e][k] = (int)(check_random() % N);
  csim_element_set set = {NELEM, 3, node[0]};
  CHECK(csim_pattern_build(&m->arena, N, 1, &set, &m->pattern) == 0);
  m->A = (csim_bsr){&m->pattern, CSIM_ARENA_NEW(&m->arena, double, 9 * m->pattern.nblock)};
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int together = i == j, b = csim_pattern_find(&m->pattern, i, j);
      for (int e = 0; e < NELEM; e++)
        for (int k = 0; k < 9; k++) together |= node[e][k / 3] == i && node[e][k % 3] == j;
      CHECK((b >= 0) == together);
      for (int k = 0; k < 9 && b >= 0 && i <= j; k++) {
        int r = 3 * i + k / 3, c = 3 * j + k % 3;
        if (r > c) continue;
        m->dense[r][c] = m->dense[c][r] = r == c ? 30 : kit_random(&seed);
      }
    }
  for (int i = 0; i < N; i++)
    for (int b = m->pattern.start[i]; b < m->pattern.start[i + 1]; b++)
      for (int k = 0; k < 9; k++)
        m->A.val[9 * b + k] = m->dense[3 * i + k / 3][3 * m->pattern.col[b] + k % 3];
}

static double error_of(const both *m, const double *x, const double *y) {
  double worst = 0;
  for (int r = 0; r < 3 * N; r++) {
    double sum = 0;
    for (int c = 0; c < 3 * N; c++) sum += m->dense[r][c] * x[c];
    worst = fmax(worst, fabs(sum - y[r]));
  }
  return worst;
}

static void test_vectors(const double *a, const double *b) {
  double y[3 * N], dot = 0, longest = 0;
  for (int i = 0; i < 3 * N; i++) dot += a[i] * b[i];
  for (int i = 0; i < N; i++)
    longest = fmax(longest, sqrt(a[3 * i] * a[3 * i] + a[3 * i + 1] * a[3 * i + 1] +
                                 a[3 * i + 2] * a[3 * i + 2]));
  CHECK_NEAR(csim_vector_dot(NULL, 3 * N, a, b), dot, 1e-13);
  CHECK_NEAR(csim_vector_max3(NULL, N, a), longest, 1e-15);
  csim_vector_go(NULL, 3 * N, a, 2, b, y);
  csim_vector_add(NULL, 3 * N, -2, b, y);
  csim_vector_negate(NULL, 3 * N, y);
  csim_vector_add(NULL, 3 * N, 1, a, y); // -a + a
  for (int i = 0; i < 3 * N; i++) CHECK_NEAR(y[i], 0, 1e-15);
  csim_vector_copy(NULL, 3 * N, a, y);
  CHECK(!memcmp(y, a, sizeof y));
  y[7] = NAN;
  CHECK(isnan(csim_vector_max3(NULL, N, y)));
}

int main(void) {
  static both m;
  double x[3 * N], y[3 * N], b[3 * N];
  unsigned seed = 5;
  make(&m);
  for (int i = 0; i < 3 * N; i++) x[i] = kit_random(&seed), b[i] = kit_random(&seed);
  csim_bsr_multiply(NULL, &m.A, x, y);
  CHECK(error_of(&m, x, y) < 1e-13);
  test_vectors(x, b);
  csim_block_jacobi P;
  csim_scratch scratch = {0};
  CHECK(csim_block_jacobi_create(&m.arena, m.pattern.nrow, &P) == 0);
  CHECK(csim_block_jacobi_update(NULL, &m.A, &P, NULL) == 0 &&
        csim_pcg_reserve(&scratch, 3 * N) == 0);
  for (int chebyshev = 0; chebyshev < 2; chebyshev++) {
    csim_jacobi_params params = {0.9, chebyshev ? 0.4 : 0, 1e-10, 500};
    csim_solve_report r = csim_jacobi_solve(NULL, &m.A, &P, b, &params, &scratch, x);
    CHECK(r.outcome == CSIM_SOLVE_CONVERGED && r.iterations < 500);
    CHECK(error_of(&m, x, b) < 1e-8);
  }
  unsigned char fixed[N] = {0};
  fixed[3] = fixed[N - 1] = 1;
  csim_bsr_fix(NULL, fixed, &m.A);
  for (int r = 0; r < 3 * N; r++)
    for (int c = 0; c < 3 * N; c++)
      if (fixed[r / 3] || fixed[c / 3]) m.dense[r][c] = r == c;
  csim_bsr_multiply(NULL, &m.A, b, y);
  CHECK(error_of(&m, b, y) < 1e-13);
  csim_scratch_free(&scratch);
  csim_arena_free(&m.arena);
  return check_report();
}
