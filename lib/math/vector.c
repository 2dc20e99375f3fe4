// math/vector.c: see vector.h.
#include "math/vector.h"

#include "math/vec3.h"

#include <stddef.h>

enum { GRAIN = 4096 };

typedef struct vector_job {
  const double *a, *b;
  double *y;
  double s;
} vector_job;

static double dot_range(void *context, int first, int last) {
  const vector_job *job = context;
  double sum = 0;
  for (int i = first; i < last; i++) sum += job->a[i] * job->b[i];
  return sum;
}

double csim_vector_dot(csim_pool *pool, int n, const double *a, const double *b) {
  return csim_pool_sum(pool, n, dot_range, &(vector_job){.a = a, .b = b});
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

double csim_vector_max3(csim_pool *pool, int nvert, const double *a) {
  (void)pool; // one pass over memory once an iteration: not worth a job
  double max = 0;
  for (int i = 0; i < nvert; i++) {
    double sq = csim_dot(a + 3 * (ptrdiff_t)i, a + 3 * (ptrdiff_t)i);
    if (!(sq <= max)) max = sq; // NaN enters and stays: no comparison removes it
    if (sq != sq) return sq;
  }
  return sqrt(max);
}
