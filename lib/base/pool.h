// base/pool.h: a pool of threads that run numbered chunks of work. Needs base/timer.h.
//
// Determinism: the result of a chunk depends on its number only, never on its thread. Sums go
// through csim_pool_sum: partial sums of fixed chunks, added in chunk order. csim_pool_for divides
// by the number of threads too, so what it runs must not depend on where chunks end.
#ifndef CSIM_BASE_POOL_H
#define CSIM_BASE_POOL_H

#include "base/timer.h"

typedef struct csim_pool csim_pool;

/// One chunk's work. Must not touch what another chunk writes.
typedef void csim_chunk_fn(void *context, int chunk);

/// Starts nthread - 1 workers (the caller is the last one); 1..256. NULL when out of resources.
csim_pool *csim_pool_create(int nthread);
void csim_pool_free(csim_pool *pool);
int csim_pool_threads(const csim_pool *pool);

/// Divides the next jobs between that many threads; the others sleep. All are in use at first. Call
/// it between jobs only. A task may still take a thread that is not in use.
void csim_pool_use(csim_pool *pool, int nthread);
int csim_pool_used(const csim_pool *pool); ///< see csim_pool_use

/// Number of threads that work is divided for: those in use, or those that a traced run stands for
/// (trace.h).
int csim_pool_divides(const csim_pool *pool);

/// Number of jobs of more than one chunk so far, which is nearly the same for any number of
/// threads.
long long csim_pool_loops(const csim_pool *pool);

/// Counts time from now on for this section; returns the one before. Call it between jobs only.
csim_section csim_pool_section(csim_pool *pool, csim_section section);

/// Time of each section since csim_pool_create. (CSIM_NSECTION) [s]
void csim_pool_seconds(csim_pool *pool, double *seconds);

/// Runs fn(context, 0) ... fn(context, nchunk - 1), in any order, and returns when all are done.
/// pool = NULL runs them here.
void csim_pool_run(csim_pool *pool, int nchunk, csim_chunk_fn *fn, void *context);

/// Work on a range [first, last) of items.
typedef void csim_range_fn(void *context, int first, int last);

/// Splits n items into chunks of `grain`, or smaller ones where they are few, and runs them.
/// Results must not depend on where chunks end.
void csim_pool_for(csim_pool *pool, int n, int grain, csim_range_fn *fn, void *context);

/// A loop over n items, see csim_pool_for.
typedef struct csim_loop {
  int n, grain;
  csim_range_fn *fn;
  void *context;
} csim_loop;

enum { CSIM_MOST_LOOPS = 4 };

/// Runs up to CSIM_MOST_LOOPS loops side by side, as one job. They must not depend on each other.
void csim_pool_for_all(csim_pool *pool, int nloop, const csim_loop *loop);

/// Partial sum over a range of items.
typedef double csim_sum_fn(void *context, int first, int last);

enum { CSIM_SUM_GRAIN = 1024, CSIM_SUM_CHUNKS = 512 };

/// Sum over n items with the same bits for any number of threads: chunks of CSIM_SUM_GRAIN (larger
/// when there would be more than CSIM_SUM_CHUNKS), added in chunk order.
double csim_pool_sum(csim_pool *pool, int n, csim_sum_fn *fn, void *context);

/// Partial sums over a range of items: writes the job's number of them.
typedef void csim_sums_fn(void *context, int first, int last, double *sum);

enum { CSIM_MAX_SUMS = 3 };

/// The same for nsum sums in one pass, in chunks of `grain` (larger when there would be more than
/// CSIM_SUM_CHUNKS). sum (nsum), overwritten.
void csim_pool_sums(csim_pool *pool, int n, int grain, int nsum, csim_sums_fn *fn, void *context,
                    double *sum);

/// csim_pool_sum in chunks of `grain` (larger when there would be more than CSIM_SUM_CHUNKS), with
/// a loop beside it, in the same job, which must not depend on it. NULL: none.
double csim_pool_sum_beside(csim_pool *pool, const csim_loop *beside, int n, int grain,
                            csim_sum_fn *fn, void *context);

/// Work beside the jobs: one piece that does not use the pool.
typedef void csim_task_fn(void *context);

/// Lets a free worker run fn(context) while the caller continues with jobs, which the other threads
/// share. Without workers it runs here. One task at a time.
void csim_pool_begin_task(csim_pool *pool, csim_task_fn *fn, void *context);

/// Returns when the task is done, at once when there is none.
void csim_pool_end_task(csim_pool *pool);

/// A sum of integers over n items, which is the same in any order: chunks may be smaller.
int csim_pool_count(csim_pool *pool, int n, csim_sum_fn *fn, void *context);

/// Largest of `least` and of the results of fn for chunks of n items; NaN if one of them is.
double csim_pool_max(csim_pool *pool, int n, double least, csim_sum_fn *fn, void *context);

#endif
