// base/pool.c: see pool.h. Workers claim chunks from an atomic counter; between jobs they spin for
// about 20 us, because a step issues jobs back to back, and then sleep.
#include "base/pool.h"

#include "base/arena.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

enum { SPINS = 2000 };

struct csim_pool {
  int nthread;
  pthread_t *thread;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
  // the job: written by the caller before `generation` is raised, read by workers after
  csim_chunk_fn *fn;
  void *context;
  int nchunk;
  atomic_uint generation;
  atomic_int next;    // next chunk to claim
  atomic_int busy;    // workers that have not finished the current generation
  atomic_int sleepers;
  atomic_int quit;
};

static void pause_cpu(int spin) {
  if (spin % 64 == 63)
    sched_yield(); // more threads than cores must not starve each other
  else
    __builtin_ia32_pause();
}

static void work(csim_pool *pool) {
  for (;;) {
    int chunk = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
    if (chunk >= pool->nchunk) return;
    pool->fn(pool->context, chunk);
  }
}

static unsigned wait_for_job(csim_pool *pool, unsigned seen) {
  for (int spin = 0; spin < SPINS; spin++) {
    unsigned now = atomic_load_explicit(&pool->generation, memory_order_acquire);
    if (now != seen) return now;
    pause_cpu(spin);
  }
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  unsigned now;
  while ((now = atomic_load(&pool->generation)) == seen) pthread_cond_wait(&pool->wake, &pool->mutex);
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->mutex);
  return now;
}

static void *worker(void *argument) {
  csim_pool *pool = argument;
  unsigned seen = 0;
  for (;;) {
    seen = wait_for_job(pool, seen);
    if (atomic_load(&pool->quit)) return NULL;
    work(pool);
    atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_release);
  }
}

static void announce(csim_pool *pool) {
  atomic_fetch_add(&pool->generation, 1);
  if (atomic_load(&pool->sleepers)) {
    pthread_mutex_lock(&pool->mutex);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->mutex);
  }
}

csim_pool *csim_pool_create(int nthread) {
  if (nthread < 1) nthread = 1;
  if (nthread > 256) nthread = 256;
  csim_pool *pool = CSIM_NEW(csim_pool, 1);
  if (!pool) return NULL;
  pool->nthread = 1;
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
  announce(pool);
  for (int i = 0; i < pool->nthread - 1; i++) pthread_join(pool->thread[i], NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
  free(pool->thread);
  free(pool);
}

int csim_pool_threads(const csim_pool *pool) { return pool ? pool->nthread : 1; }

void csim_pool_run(csim_pool *pool, int nchunk, csim_chunk_fn *fn, void *context) {
  if (!pool || pool->nthread == 1 || nchunk <= 1) {
    for (int chunk = 0; chunk < nchunk; chunk++) fn(context, chunk);
    return;
  }
  pool->fn = fn;
  pool->context = context;
  pool->nchunk = nchunk;
  atomic_store_explicit(&pool->next, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->busy, pool->nthread - 1, memory_order_relaxed);
  announce(pool);
  work(pool);
  for (int spin = 0; atomic_load_explicit(&pool->busy, memory_order_acquire) > 0; spin++)
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

typedef struct sum_job {
  csim_sum_fn *fn;
  void *context;
  int n, grain;
  double partial[CSIM_SUM_CHUNKS];
} sum_job;

static void run_sum(void *context, int chunk) {
  sum_job *job = context;
  int first = chunk * job->grain;
  int last = job->n - first < job->grain ? job->n : first + job->grain;
  job->partial[chunk] = job->fn(job->context, first, last);
}

double csim_pool_sum(csim_pool *pool, int n, csim_sum_fn *fn, void *context) {
  if (n <= 0) return 0;
  int grain = (n - 1) / CSIM_SUM_CHUNKS + 1;
  if (grain < CSIM_SUM_GRAIN) grain = CSIM_SUM_GRAIN;
  sum_job job = {.fn = fn, .context = context, .n = n, .grain = grain};
  int nchunk = (n - 1) / grain + 1;
  csim_pool_run(pool, nchunk, run_sum, &job);
  double sum = 0;
  for (int chunk = 0; chunk < nchunk; chunk++) sum += job.partial[chunk];
  return sum;
}
