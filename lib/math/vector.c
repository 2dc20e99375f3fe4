// math/vector.c: see vector.h.
#include "math/vector.h"

#include "base/simd.h"
#include "math/vec3.h"

#include <stddef.h>
#include <string.h>

enum { GRAIN = 1024 };

typedef struct vector_job {
  csim_isa isa; // of kernels
  const double *a, *b;
  double *y, *x;
  double s, t;
} vector_job;

// Eight partial sums, added at the end.
CSIM_SIMD_BODY double dot_items(int n, const double *a, const double *b) {
  csim_v4 even = {0}, odd = {0};
  double rest = 0;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    even += CSIM_LOAD4(a + i) * CSIM_LOAD4(b + i);
    odd += CSIM_LOAD4(a + i + 4) * CSIM_LOAD4(b + i + 4);
  }
  for (; i < n; i++) rest += a[i] * b[i];
  even += odd;
  return (even[0] + even[1]) + (even[2] + even[3]) + rest;
}
CSIM_SIMD_KERNEL(double, dot_items, (int n, const double *a, const double *b), (n, a, b))

static double dot_range(void *context, int first, int last) {
  const vector_job *job = context;
  return dot_items_kernel[job->isa](last - first, job->a + first, job->b + first);
}

double csim_vector_dot(csim_pool *pool, int n, const double *a, const double *b) {
  vector_job job = {.isa = csim_simd_best(), .a = a, .b = b};
  return csim_pool_sum_beside(pool, NULL, n, GRAIN, dot_range, &job);
}

static void clear_range(void *context, int first, int last) {
  const vector_job *job = context;
  memset(job->y + first, 0, (size_t)(last - first) * sizeof *job->y);
}

void csim_vector_clear(csim_pool *pool, int n, double *y) {
  csim_pool_for(pool, n, GRAIN, clear_range, &(vector_job){.y = y});
}

static void copy_range(void *context, int first, int last) {
  const vector_job *job = context;
  memcpy(job->y + first, job->a + first, (size_t)(last - first) * sizeof *job->y);
}

void csim_vector_copy(csim_pool *pool, int n, const double *x, double *y) {
  csim_pool_for(pool, n, GRAIN, copy_range, &(vector_job){.a = x, .y = y});
}

// Whether a chunk differs.
static double differ_range(void *context, int first, int last) {
  const vector_job *job = context;
  return memcmp(job->a + first, job->b + first, (size_t)(last - first) * sizeof *job->a) != 0;
}

int csim_vector_equal(csim_pool *pool, int n, const double *a, const double *b) {
  return csim_pool_count(pool, n, differ_range, &(vector_job){.a = a, .b = b}) == 0;
}

static void negate_range(void *context, int first, int last) {
  const vector_job *job = context;
  for (int i = first; i < last; i++) job->y[i] = -job->y[i];
}

void csim_vector_negate(csim_pool *pool, int n, double *y) {
  csim_pool_for(pool, n, GRAIN, negate_range, &(vector_job){.y = y});
}

static void go_range(void *context, int first, int last) {
  const vector_job *job = context;
  for (int i = first; i < last; i++) job->y[i] = job->a[i] + job->s * job->b[i];
}

void csim_vector_go(csim_pool *pool, int n, const double *x, double s, const double *d, double *y) {
  csim_pool_for(pool, n, GRAIN, go_range, &(vector_job){.a = x, .b = d, .y = y, .s = s});
}

static void add_range(void *context, int first, int last) {
  const vector_job *job = context;
  for (int i = first; i < last; i++) job->y[i] += job->s * job->a[i];
}

void csim_vector_add(csim_pool *pool, int n, double s, const double *x, double *y) {
  csim_pool_for(pool, n, GRAIN, add_range, &(vector_job){.a = x, .y = y, .s = s});
}

CSIM_SIMD_BODY double reduce_items(int n, double alpha, const double *q, double *r) {
  csim_v4 even = {0}, odd = {0};
  double rest = 0;
  int i = 0;
  for (; i + 8 <= n; i += 8) {
    csim_v4 a = CSIM_LOAD4(r + i) - alpha * CSIM_LOAD4(q + i);
    csim_v4 b = CSIM_LOAD4(r + i + 4) - alpha * CSIM_LOAD4(q + i + 4);
    CSIM_STORE4(r + i, a);
    CSIM_STORE4(r + i + 4, b);
    even += a * a;
    odd += b * b;
  }
  for (; i < n; i++) {
    r[i] -= alpha * q[i];
    rest += r[i] * r[i];
  }
  even += odd;
  return (even[0] + even[1]) + (even[2] + even[3]) + rest;
}
CSIM_SIMD_KERNEL(double, reduce_items, (int n, double alpha, const double *q, double *r),
                 (n, alpha, q, r))

static double reduce_range(void *context, int first, int last) {
  const vector_job *job = context;
  return reduce_items_kernel[job->isa](last - first, job->s, job->a + first, job->y + first);
}

double csim_vector_reduce(csim_pool *pool, int n, double alpha, const double *q, double *r) {
  vector_job job = {.isa = csim_simd_best(), .a = q, .y = r, .s = alpha};
  return csim_pool_sum_beside(pool, NULL, n, GRAIN, reduce_range, &job);
}

// Four at a time, then the rest.
CSIM_SIMD_BODY int advance_items(int n, const vector_job *job, int first) {
  const double *z = job->a + first;
  double *p = job->y + first, *x = job->x + first, alpha = job->s, beta = job->t;
  int i = 0;
  for (; i + 4 <= n; i += 4) {
    csim_v4 step = CSIM_LOAD4(p + i);
    CSIM_STORE4(x + i, CSIM_LOAD4(x + i) + alpha * step);
    CSIM_STORE4(p + i, CSIM_LOAD4(z + i) + beta * step);
  }
  for (; i < n; i++) {
    double step = p[i];
    x[i] += alpha * step;
    p[i] = z[i] + beta * step;
  }
  return n;
}
CSIM_SIMD_KERNEL(int, advance_items, (int n, const vector_job *job, int first), (n, job, first))

static void advance_range(void *context, int first, int last) {
  const vector_job *job = context;
  advance_items_kernel[job->isa](last - first, job, first);
}

void csim_vector_advance(csim_pool *pool, int n, double alpha, double beta, const double *z,
                         double *p, double *x) {
  vector_job job = {.isa = csim_simd_best(), .a = z, .y = p, .x = x, .s = alpha, .t = beta};
  csim_pool_for(pool, n, GRAIN, advance_range, &job);
}

static double max3_range(void *context, int first, int last) {
  const double *a = ((const vector_job *)context)->a;
  double max = 0;
  for (int i = first; i < last; i++) {
    double square = csim_dot(a + csim_xyz(i), a + csim_xyz(i));
    if (!(square <= max)) max = square; // also NaN
    if (square != square) return square;
  }
  return max;
}

double csim_vector_max3(csim_pool *pool, int nvert, const double *a) {
  return sqrt(csim_pool_max(pool, nvert, 0, max3_range, &(vector_job){.a = a}));
}
