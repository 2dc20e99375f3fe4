// base/pool.c: see pool.h. Workers spin for a while between jobs, because a step issues jobs back
// to back, and then sleep.
//
// A job is a ticket: its number of chunks and the next one to claim, in one atomic word with a
// count of jobs. Who raises the ticket owns the chunk, and the caller waits for the chunks that
// were claimed, never for workers: one that the system has put aside, on a busy machine or with
// more threads than cores, costs nothing.
#include "base/pool.h"

#include "base/arena.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SPINS = 2000, BITS = 24, MASK = (1 << BITS) - 1 };

struct csim_pool {
  int nthread;
  csim_phases phases;
  pthread_t *thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  // the job: written before its ticket appears, read by owners of its chunks only
  csim_chunk_fn *fn;
  void *context;
  atomic_uint_fast64_t ticket; // jobs << 48 | chunks << 24 | next chunk
  atomic_int done;             // chunks of the job that are finished
  atomic_int sleepers;
  atomic_int quit;
};

static int has_chunks(uint64_t ticket) {
  return (ticket & MASK) < (ticket >> BITS & MASK);
}

static void pause_cpu(int spin) {
  if (spin % 64 == 63)
    sched_yield(); // more threads than cores must not starve each other
  else
    __builtin_ia32_pause();
}

// Claims and runs chunks until none is left.
static void work(csim_pool *pool) {
  uint64_t ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
  while (has_chunks(ticket)) {
    if (!atomic_compare_exchange_weak_explicit(&pool->ticket, &ticket, ticket + 1,
                                               memory_order_acq_rel, memory_order_acquire))
      continue;
    pool->fn(pool->context, (int)(ticket & MASK));
    atomic_fetch_add_explicit(&pool->done, 1, memory_order_release);
    ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
  }
}

static int worth_waking(csim_pool *pool) {
  return atomic_load(&pool->quit) || has_chunks(atomic_load(&pool->ticket));
}

static void *worker(void *argument) {
  csim_pool *pool = argument;
  while (!atomic_load(&pool->quit)) {
    int spin = 0;
    while (spin < SPINS && !worth_waking(pool)) pause_cpu(spin++);
    if (spin == SPINS) {
      pthread_mutex_lock(&pool->mutex);
      atomic_fetch_add(&pool->sleepers, 1);
      while (!worth_waking(pool)) pthread_cond_wait(&pool->wake, &pool->mutex);
      atomic_fetch_sub(&pool->sleepers, 1);
      pthread_mutex_unlock(&pool->mutex);
    }
    work(pool);
  }
  return NULL;
}

static void wake_sleepers(csim_pool *pool) {
  if (!atomic_load(&pool->sleepers)) return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
}

csim_pool *csim_pool_create(int nthread) {
  if (nthread < 1) nthread = 1;
  if (nthread > 256) nthread = 256;
  csim_pool *pool = CSIM_NEW(csim_pool, 1);
  if (!pool) return NULL;
  pool->nthread = 1;
  csim_phases_begin(&pool->phases);
  pool->thread = CSIM_NEW(pthread_t, nthread);
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->wake, NULL);
  if (!pool->thread) {
    csim_pool_free(pool);
    return NULL;
  }
  // fewer threads than asked for is slower, not wrong: bits do not depend on the count
  for (int i = 0; i < nthread - 1; i++) {
    if (pthread_create(&pool->thread[i], NULL, worker, pool)) break;
    pool->nthread++;
  }
  return pool;
}

void csim_pool_free(csim_pool *pool) {
  if (!pool) return;
  atomic_store(&pool->quit, 1);
  wake_sleepers(pool);
  for (int i = 0; i < pool->nthread - 1; i++) pthread_join(pool->thread[i], NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
  free(pool->thread);
  free(pool);
}

int csim_pool_threads(const csim_pool *pool) {
  return pool ? pool->nthread : 1;
}

csim_phase csim_pool_phase(csim_pool *pool, csim_phase phase) {
  return pool ? csim_phases_change(&pool->phases, phase) : CSIM_PHASE_OTHER;
}

void csim_pool_seconds(csim_pool *pool, double *seconds) {
  csim_phases_change(&pool->phases, pool->phases.now);
  memcpy(seconds, pool->phases.seconds, sizeof pool->phases.seconds);
}

void csim_pool_run(csim_pool *pool, int nchunk, csim_chunk_fn *fn, void *context) {
  if (!pool || pool->nthread == 1 || nchunk <= 1) {
    for (int chunk = 0; chunk < nchunk; chunk++) fn(context, chunk);
    return;
  }
  assert(nchunk < MASK);
  pool->fn = fn;
  pool->context = context;
  atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
  uint64_t jobs = (atomic_load_explicit(&pool->ticket, memory_order_relaxed) >> (2 * BITS)) + 1;
  atomic_store(&pool->ticket, jobs << (2 * BITS) | (uint64_t)nchunk << BITS);
  wake_sleepers(pool);
  work(pool);
  for (int spin = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < nchunk; spin++)
    pause_cpu(spin);
}

typedef struct range_job {
  csim_range_fn *fn;
  void *context;
  int n, grain;
} range_job;

static void run_range(void *context, int chunk) {
  range_job *job = context;
  int first = chunk * job->grain;
  int last = job->n - first < job->grain ? job->n : first + job->grain;
  job->fn(job->context, first, last);
}

void csim_pool_for(csim_pool *pool, int n, int grain, csim_range_fn *fn, void *context) {
  if (n <= 0) return;
  range_job job = {fn, context, n, grain};
  csim_pool_run(pool, (n - 1) / grain + 1, run_range, &job);
}

typedef struct sums_job {
  csim_sums_fn *fn;
  void *context;
  int n, grain;
  double partial[CSIM_SUM_CHUNKS][CSIM_MAX_SUMS];
} sums_job;

static void run_sums(void *context, int chunk) {
  sums_job *job = context;
  int first = chunk * job->grain;
  int last = job->n - first < job->grain ? job->n : first + job->grain;
  job->fn(job->context, first, last, job->partial[chunk]);
}

void csim_pool_sums(csim_pool *pool, int n, int grain, int nsum, csim_sums_fn *fn, void *context,
                    double *sum) {
  assert(nsum <= CSIM_MAX_SUMS);
  for (int k = 0; k < nsum; k++) sum[k] = 0;
  if (n <= 0) return;
  int least = (n - 1) / CSIM_SUM_CHUNKS + 1;
  sums_job job = {.fn = fn, .context = context, .n = n, .grain = grain < least ? least : grain};
  int nchunk = (n - 1) / job.grain + 1;
  csim_pool_run(pool, nchunk, run_sums, &job);
  for (int chunk = 0; chunk < nchunk; chunk++)
    for (int k = 0; k < nsum; k++) sum[k] += job.partial[chunk][k];
}

typedef struct sum_job {
  csim_sum_fn *fn;
  void *context;
} sum_job;

static void run_sum(void *context, int first, int last, double *sum) {
  const sum_job *job = context;
  *sum = job->fn(job->context, first, last);
}

double csim_pool_sum(csim_pool *pool, int n, csim_sum_fn *fn, void *context) {
  double sum;
  csim_pool_sums(pool, n, CSIM_SUM_GRAIN, 1, run_sum, &(sum_job){fn, context}, &sum);
  return sum;
}
