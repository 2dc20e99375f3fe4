// base/scan.c: see scan.h.
#include "base/scan.h"

// Fewer items take less time than two loops.
enum { LEAST_GRAIN = 1024, MOST_RANGES = 64 };

typedef struct scan_job {
  csim_scan_count_fn *count;
  csim_scan_place_fn *place;
  void *context;
  int n, grain;
  int next[MOST_RANGES]; // the count of a range, then its first number
} scan_job;

static int range_end(const scan_job *job, int range) {
  int first = range * job->grain;
  return job->n - first < job->grain ? job->n : first + job->grain;
}

static void count_range(void *context, int range) {
  scan_job *job = context;
  job->next[range] = job->count(job->context, range * job->grain, range_end(job, range));
}

static void place_range(void *context, int range) {
  const scan_job *job = context;
  job->place(job->context, range * job->grain, range_end(job, range), job->next[range]);
}

int csim_scan(csim_pool *pool, int n, csim_scan_count_fn *count, csim_scan_place_fn *place,
              void *context) {
  scan_job job = {count, place, context, n, n / MOST_RANGES + 1, {0}};
  int total = 0;
  if (job.grain < LEAST_GRAIN) job.grain = LEAST_GRAIN;
  if (n <= job.grain || csim_pool_divides(pool) == 1) return n > 0 ? place(context, 0, n, 0) : 0;
  int nrange = (n - 1) / job.grain + 1;
  csim_pool_run(pool, nrange, count_range, &job);
  for (int k = 0; k < nrange; k++) {
    int own = job.next[k];
    job.next[k] = total;
    total += own;
  }
  csim_pool_run(pool, nrange, place_range, &job);
  return total;
}
