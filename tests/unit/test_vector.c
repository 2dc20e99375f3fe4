// test_vector: operations on long vectors against plain loops, with the same bits for any number of
// threads.
#include "check.h"

#include "math/vector.h"

#include <string.h>

enum { N = 3 * 5000 };

static double a[N], b[N], c[N], expected[N];

static void fill(void) {
  for (int i = 0; i < N; i++) {
    a[i] = (double)check_random() / 4294967296.0 - 0.5;
    b[i] = (double)check_random() / 4294967296.0 - 0.5;
    c[i] = (double)check_random() / 4294967296.0 - 0.5;
  }
}

static void test_sums(csim_pool *pool, double *dot, double *longest) {
  double sum = 0, most = 0;
  for (int i = 0; i < N; i++) sum += a[i] * b[i];
  for (int i = 0; i < N; i += 3)
    most = fmax(most, sqrt(a[i] * a[i] + a[i + 1] * a[i + 1] + a[i + 2] * a[i + 2]));
  *dot = csim_vector_dot(pool, N, a, b);
  *longest = csim_vector_max3(pool, N / 3, a);
  CHECK_NEAR(*dot, sum, 1e-11);
  CHECK(*longest == most);
  CHECK(csim_vector_dot(pool, 0, a, b) == 0 && csim_vector_max3(pool, 0, a) == 0);
  double kept = a[N / 2];
  a[N / 2] = NAN;
  CHECK(isnan(csim_vector_max3(pool, N / 3, a)));
  a[N / 2] = kept;
}

static void test_updates(csim_pool *pool) {
  static double x[N], p[N];
  csim_vector_copy(pool, N, a, x);
  csim_vector_clear(pool, N - 1, x);
  memset(expected, 0, sizeof expected);
  expected[N - 1] = a[N - 1];
  CHECK(!memcmp(x, expected, sizeof x));
  csim_vector_copy(pool, N, a, x);
  CHECK(!memcmp(x, a, sizeof x));
  csim_vector_negate(pool, N, x);
  for (int i = 0; i < N; i++) expected[i] = -a[i];
  CHECK(!memcmp(x, expected, sizeof x));
  csim_vector_go(pool, N, a, 0.3, b, x);
  for (int i = 0; i < N; i++) expected[i] = a[i] + 0.3 * b[i];
  CHECK(!memcmp(x, expected, sizeof x));
  csim_vector_add(pool, N, -2, c, x);
  for (int i = 0; i < N; i++) expected[i] += -2 * c[i];
  CHECK(!memcmp(x, expected, sizeof x));
  CHECK(csim_vector_equal(pool, N, x, expected));
  expected[N - 1] += 1;
  CHECK(!csim_vector_equal(pool, N, x, expected));
  expected[N - 1] = x[N - 1];
  memcpy(p, b, sizeof p);
  csim_vector_advance(pool, N, 0.5, 0.25, c, p, x);
  for (int i = 0; i < N; i++) expected[i] += 0.5 * b[i];
  CHECK(!memcmp(x, expected, sizeof x));
  for (int i = 0; i < N; i++) expected[i] = c[i] + 0.25 * b[i];
  CHECK(!memcmp(p, expected, sizeof p));
  double square = 0;
  for (int i = 0; i < N - 1; i++) {
    expected[i] -= 0.3 * a[i];
    square += expected[i] * expected[i];
  }
  CHECK_NEAR(csim_vector_reduce(pool, N - 1, 0.3, a, p), square, 1e-11);
  CHECK(!memcmp(p, expected, sizeof p));
}

int main(void) {
  double dot[3], longest[3];
  fill();
  for (int k = 0; k < 3; k++) {
    csim_pool *pool = csim_pool_create(1 + k);
    test_sums(pool, &dot[k], &longest[k]);
    test_updates(pool);
    csim_pool_free(pool);
  }
  CHECK(dot[0] == dot[1] && dot[0] == dot[2] && longest[0] == longest[2]);
  return check_report();
}
