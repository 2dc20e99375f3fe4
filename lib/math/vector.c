// math/vector.c: see vector.h.
#include "math/vector.h"

#include "base/simd.h"
#include "math/vec3.h"

#include <stddef.h>
#include <string.h>

enum { GRAIN = 1024 };

typedef struct vector_job {
  const double *a, *b;
  double *y, *x;
  double s, t;
} vector_job;

// Eight partial sums, added at the end.
static void dot_range(void *context, int first, int last, double *sum) {
  const double *a = ((const vector_job *)context)->a, *b = ((const vector_job *)context)->b;
  csim_v4 even = {0}, odd = {0};
  double rest = 0;
  int i = first;
  for (; i + 8 <= last; i += 8) {
    even += CSIM_LOAD4(a + i) * CSIM_LOAD4(b + i);
    odd += CSIM_LOAD4(a + i + 4) * CSIM_LOAD4(b + i + 4);
  }
  for (; i < last; i++) rest += a[i] * b[i];
  even += odd;
  *sum = (even[0] + even[1]) + (even[2] + even[3]) + rest;
}

double csim_vector_dot(csim_pool *pool, int n, const double *a, const double *b) {
  double sum;
  csim_pool_sums(pool, n, GRAIN, 1, dot_range, &(vector_job){.a = a, .b = b}, &sum);
  return sum;
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

static void scale_add_range(void *context, int first, int last) {
  const vector_job *job = context;
  for (int i = first; i < last; i++) job->y[i] = job->a[i] + job->s * job->y[i];
}

void csim_vector_scale_add(csim_pool *pool, int n, const double *x, double s, double *y) {
  csim_pool_for(pool, n, GRAIN, scale_add_range, &(vector_job){.a = x, .y = y, .s = s});
}

// Four at a time, then the rest.
static void advance_range(void *context, int first, int last) {
  const vector_job *job = context;
  const double *z = job->a;
  double *p = job->y, *x = job->x, alpha = job->s, beta = job->t;
  int i = first;
  for (; i + 4 <= last; i += 4) {
    csim_v4 step = CSIM_LOAD4(p + i);
    CSIM_STORE4(x + i, CSIM_LOAD4(x + i) + alpha * step);
    CSIM_STORE4(p + i, CSIM_LOAD4(z + i) + beta * step);
  }
  for (; i < last; i++) {
    double step = p[i];
    x[i] += alpha * step;
    p[i] = z[i] + beta * step;
  }
}

void csim_vector_advance(csim_pool *pool, int n, double alpha, double beta, const double *z,
                         double *p, double *x) {
  csim_pool_for(pool, n, GRAIN, advance_range,
                &(vector_job){.a = z, .y = p, .x = x, .s = alpha, .t = beta});
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
