// base/pool.c: see pool.h. Workers spin for a while between jobs, because the jobs of a step follow
// each other closely, and then sleep.
//
// The chunks of a job are divided into as many slices as there are threads in use. Each slice has a
// ticket: the next chunk to claim and the slice's end, in one atomic word with a count of jobs. The
// thread that raises the ticket owns the chunk. Each thread begins with its own slice, so that the
// same core has the same data in its cache from job to job, and then helps with the others. The
// caller waits for claimed chunks, never for workers. A worker that the system has suspended, on a
// busy machine or with more threads than cores, costs nothing.
//
// A task is offered to all workers, and the first that sees it takes it. The others, and the
// caller, then share its slice of each job.
//
// A worker that is not in use sleeps until it is, or until there is a task.
#include "base/pool.h"

#include "base/arena.h"
#include "base/trace.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { SPINS = 2000, MAX_THREADS = 256, BITS = 24, MASK = (1 << BITS) - 1 };

typedef enum task_state { TASK_NONE, TASK_OFFERED, TASK_TAKEN } task_state;

// On a cache line of its own.
typedef struct slice {
  _Alignas(64) atomic_uint_fast64_t ticket; // jobs << 48 | end << 24 | next chunk
} slice;

typedef struct worker {
  csim_pool *pool;
  int number; // of its slice; the caller's is 0
  pthread_t thread;
} worker;

struct csim_pool {
  csim_arena arena; // of the two below
  int nthread;
  csim_timer timer;
  long long loops; // jobs of more than one chunk so far
  int nworker;     // number of workers that could be started
  worker *worker;  // (nthread - 1)
  slice *slice;    // (nthread)
  pthread_mutex_t mutex;
  pthread_cond_t wake;   // of workers in use
  pthread_cond_t resume; // of the others
  // the job: written before its tickets appear, read only by owners of its chunks
  csim_chunk_fn *fn;
  void *context;
  atomic_uint_fast64_t jobs; // number so far; raised when all tickets of a job are out
  atomic_int done;           // chunks of the job that are finished
  atomic_int sleepers;
  atomic_int quit;
  atomic_int used;    // threads in use: those with numbers below; changes between jobs only
  csim_task_fn *task; // written before it is offered, read by the worker that takes it
  void *task_context;
  _Atomic(task_state) task_state;
  pthread_cond_t task_done;
};

static void pause_cpu(int spin) {
  if (spin % 64 == 63)
    sched_yield(); // more threads than cores must not starve each other
  else
    __builtin_ia32_pause();
}

// Claims and runs chunks of a slice until none is left.
static void work_slice(csim_pool *pool, slice *s) {
  int done = 0;
  uint64_t ticket = atomic_load_explicit(&s->ticket, memory_order_acquire);
  while ((ticket & MASK) < (ticket >> BITS & MASK)) {
    if (!atomic_compare_exchange_weak_explicit(&s->ticket, &ticket, ticket + 1,
                                               memory_order_acq_rel, memory_order_acquire))
      continue;
    pool->fn(pool->context, (int)(ticket & MASK));
    done++;
    ticket = atomic_load_explicit(&s->ticket, memory_order_acquire);
  }
  if (done > 0) atomic_fetch_add_explicit(&pool->done, done, memory_order_release);
}

static void work(csim_pool *pool, int number) {
  int used = atomic_load(&pool->used);
  for (int k = 0; k < used; k++) work_slice(pool, &pool->slice[(number + k) % used]);
}

// Runs the task, if there is one that nobody has taken.
static void work_task(csim_pool *pool) {
  task_state offered = TASK_OFFERED;
  if (!atomic_compare_exchange_strong(&pool->task_state, &offered, TASK_TAKEN)) return;
  pool->task(pool->task_context);
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->task_state, TASK_NONE);
  pthread_cond_signal(&pool->task_done);
  pthread_mutex_unlock(&pool->mutex);
}

static int is_used(csim_pool *pool, int number) {
  return number < atomic_load(&pool->used);
}

static int worth_waking(csim_pool *pool, int number, uint64_t seen) {
  return atomic_load(&pool->quit) || atomic_load(&pool->jobs) != seen || !is_used(pool, number) ||
         atomic_load(&pool->task_state) == TASK_OFFERED;
}

// Waits for a job: for a while awake, then asleep.
static void wait_for_job(csim_pool *pool, int number, uint64_t seen) {
  int spin = 0;
  while (spin < SPINS && !worth_waking(pool, number, seen)) pause_cpu(spin++);
  if (spin < SPINS) return;
  pthread_mutex_lock(&pool->mutex);
  atomic_fetch_add(&pool->sleepers, 1);
  while (!worth_waking(pool, number, seen)) pthread_cond_wait(&pool->wake, &pool->mutex);
  atomic_fetch_sub(&pool->sleepers, 1);
  pthread_mutex_unlock(&pool->mutex);
}

// Waits until a worker that is not in use has something to do.
static void wait_for_use(csim_pool *pool, int number) {
  pthread_mutex_lock(&pool->mutex);
  while (!atomic_load(&pool->quit) && !is_used(pool, number) &&
         atomic_load(&pool->task_state) != TASK_OFFERED)
    pthread_cond_wait(&pool->resume, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

static void *run_worker(void *argument) {
  const worker *self = argument;
  csim_pool *pool = self->pool;
  uint64_t seen = 0;
  while (!atomic_load(&pool->quit)) {
    if (is_used(pool, self->number))
      wait_for_job(pool, self->number, seen);
    else
      wait_for_use(pool, self->number);
    work_task(pool);
    seen = atomic_load(&pool->jobs);
    work(pool, self->number);
  }
  return NULL;
}

static void wake_sleepers(csim_pool *pool) {
  if (!atomic_load(&pool->sleepers)) return;
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
}

static void wake_all(csim_pool *pool) {
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->wake);
  pthread_cond_broadcast(&pool->resume);
  pthread_mutex_unlock(&pool->mutex);
}

csim_pool *csim_pool_create(int nthread) {
  if (nthread < 1) nthread = 1;
  if (nthread > MAX_THREADS) nthread = MAX_THREADS;
  csim_pool *pool = CSIM_NEW(csim_pool, 1);
  if (!pool) return NULL;
  pool->nthread = nthread;
  atomic_store(&pool->used, nthread);
  csim_timer_begin(&pool->timer);
  pool->worker = CSIM_ARENA_NEW(&pool->arena, worker, nthread - 1);
  pool->slice = CSIM_ARENA_NEW(&pool->arena, slice, nthread);
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->wake, NULL);
  pthread_cond_init(&pool->resume, NULL);
  pthread_cond_init(&pool->task_done, NULL);
  if (pool->arena.failed) {
    csim_pool_free(pool);
    return NULL;
  }
  // fewer workers than requested are slower, not wrong: bits do not depend on their number
  for (int i = 0; i < nthread - 1; i++) {
    worker *w = &pool->worker[i];
    *w = (worker){.pool = pool, .number = i + 1};
    if (pthread_create(&w->thread, NULL, run_worker, w)) break;
    pool->nworker++;
  }
  return pool;
}

void csim_pool_free(csim_pool *pool) {
  if (!pool) return;
  assert(atomic_load(&pool->task_state) == TASK_NONE);
  atomic_store(&pool->quit, 1);
  wake_all(pool);
  for (int i = 0; i < pool->nworker; i++) pthread_join(pool->worker[i].thread, NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_cond_destroy(&pool->resume);
  pthread_cond_destroy(&pool->task_done);
  pthread_mutex_destroy(&pool->mutex);
  csim_arena_free(&pool->arena);
  free(pool);
}

int csim_pool_threads(const csim_pool *pool) {
  return pool ? 1 + pool->nworker : 1;
}

void csim_pool_use(csim_pool *pool, int nthread) {
  if (!pool) return;
  atomic_store(&pool->used, nthread < 1 ? 1 : nthread > pool->nthread ? pool->nthread : nthread);
  wake_all(pool);
}

int csim_pool_used(const csim_pool *pool) {
  return pool ? atomic_load(&pool->used) : 1;
}

long long csim_pool_loops(const csim_pool *pool) {
  return pool ? pool->loops : 0;
}

csim_section csim_pool_section(csim_pool *pool, csim_section section) {
  return pool ? csim_timer_change(&pool->timer, section) : CSIM_SECTION_OTHER;
}

void csim_pool_seconds(csim_pool *pool, double *seconds) {
  csim_timer_change(&pool->timer, pool->timer.now);
  memcpy(seconds, pool->timer.seconds, sizeof pool->timer.seconds);
}

void csim_pool_run(csim_pool *pool, int nchunk, csim_chunk_fn *fn, void *context) {
#ifdef CSIM_POOL_TRACE
  if (pool && pool->nworker == 0) {
    csim_trace_run(nchunk, fn, context);
    return;
  }
#endif
  int used = csim_pool_used(pool);
  if (pool) pool->loops += nchunk > 1;
  if (used == 1 || nchunk <= 1) {
    for (int chunk = 0; chunk < nchunk; chunk++) fn(context, chunk);
    return;
  }
  assert(nchunk < MASK);
  pool->fn = fn;
  pool->context = context;
  atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
  uint64_t job = atomic_load_explicit(&pool->jobs, memory_order_relaxed) + 1;
  for (int k = 0; k < used; k++) {
    uint64_t first = (uint64_t)nchunk * (uint64_t)k / (uint64_t)used;
    uint64_t end = (uint64_t)nchunk * (uint64_t)(k + 1) / (uint64_t)used;
    atomic_store_explicit(&pool->slice[k].ticket, job << (2 * BITS) | end << BITS | first,
                          memory_order_release);
  }
  atomic_store(&pool->jobs, job);
  wake_sleepers(pool);
  work(pool, 0);
  for (int spin = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < nchunk; spin++)
    pause_cpu(spin);
}

void csim_pool_begin_task(csim_pool *pool, csim_task_fn *fn, void *context) {
  if (!pool || pool->nworker == 0) {
#ifdef CSIM_POOL_TRACE
    csim_trace_task(fn, context);
#else
    fn(context);
#endif
    return;
  }
  assert(atomic_load(&pool->task_state) == TASK_NONE);
  pool->task = fn;
  pool->task_context = context;
  atomic_store(&pool->task_state, TASK_OFFERED);
  if (is_used(pool, pool->nthread - 1))
    wake_sleepers(pool);
  else
    wake_all(pool);
}

void csim_pool_end_task(csim_pool *pool) {
  if (!pool) return;
  work_task(pool);
  pthread_mutex_lock(&pool->mutex);
  while (atomic_load(&pool->task_state) != TASK_NONE)
    pthread_cond_wait(&pool->task_done, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
}

int csim_pool_divides(const csim_pool *pool) {
#ifdef CSIM_POOL_TRACE
  if (pool) return CSIM_TRACE_THREADS;
#endif
  return csim_pool_used(pool);
}

// Few chunks are divided unevenly: two and a bit take two threads as long as four. Chunks may be as
// small as a quarter of the grain, to give four to each thread.
static int choose_grain(const csim_pool *pool, int n, int grain) {
  enum { EACH = 4, LEAST = 4 };
  int threads = csim_pool_divides(pool);
  int even = n / (EACH * threads) + 1, least = grain / LEAST + 1;
  if (n <= grain || even >= grain) return grain;
  return even > least ? even : least;
}

typedef struct loops_job {
  csim_loop loop[CSIM_MOST_LOOPS]; // with the grains chosen
} loops_job;

static int count_chunks(const csim_loop *loop) {
  return loop->n > 0 ? (loop->n - 1) / loop->grain + 1 : 0;
}

static void run_chunk(const csim_loop *loop, int chunk) {
  int first = chunk * loop->grain;
  int last = loop->n - first < loop->grain ? loop->n : first + loop->grain;
  loop->fn(loop->context, first, last);
}

static void run_loops(void *context, int chunk) {
  const csim_loop *loop = ((const loops_job *)context)->loop;
  for (; chunk >= count_chunks(loop); loop++) chunk -= count_chunks(loop);
  run_chunk(loop, chunk);
}

void csim_pool_for_all(csim_pool *pool, int nloop, const csim_loop *loop) {
  assert(nloop <= CSIM_MOST_LOOPS);
  loops_job job;
  int nchunk = 0;
  for (int k = 0; k < nloop; k++) {
    job.loop[k] = loop[k];
    job.loop[k].grain = choose_grain(pool, loop[k].n, loop[k].grain);
    nchunk += count_chunks(&job.loop[k]);
  }
  csim_pool_run(pool, nchunk, run_loops, &job);
}

void csim_pool_for(csim_pool *pool, int n, int grain, csim_range_fn *fn, void *context) {
  csim_pool_for_all(pool, 1, &(csim_loop){n, grain, fn, context});
}

typedef struct sums_job {
  csim_sums_fn *fn;
  void *context;
  csim_loop beside; // its chunks come first
  int n, grain;
  double partial[CSIM_SUM_CHUNKS][CSIM_MAX_SUMS];
} sums_job;

static void run_sums(void *context, int chunk) {
  sums_job *job = context;
  int nbeside = count_chunks(&job->beside);
  if (chunk < nbeside) {
    run_chunk(&job->beside, chunk);
    return;
  }
  chunk -= nbeside;
  int first = chunk * job->grain;
  int last = job->n - first < job->grain ? job->n : first + job->grain;
  job->fn(job->context, first, last, job->partial[chunk]);
}

// Partial values of n items in chunks of `grain`, larger when there would be too many; their
// number.
static int run_chunks_of_sums(csim_pool *pool, const csim_loop *beside, int n, int grain,
                              csim_sums_fn *fn, void *context, sums_job *job) {
  int least = (n - 1) / CSIM_SUM_CHUNKS + 1;
  job->fn = fn;
  job->context = context;
  job->beside = beside ? *beside : (csim_loop){0};
  job->beside.grain = choose_grain(pool, job->beside.n, job->beside.grain);
  job->n = n;
  job->grain = grain < least ? least : grain;
  int nchunk = n > 0 ? (n - 1) / job->grain + 1 : 0;
  csim_pool_run(pool, count_chunks(&job->beside) + nchunk, run_sums, job);
  return nchunk;
}

void csim_pool_sums(csim_pool *pool, int n, int grain, int nsum, csim_sums_fn *fn, void *context,
                    double *sum) {
  assert(nsum <= CSIM_MAX_SUMS);
  sums_job job;
  int nchunk = run_chunks_of_sums(pool, NULL, n, grain, fn, context, &job);
  for (int k = 0; k < nsum; k++) sum[k] = 0;
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

double csim_pool_sum_beside(csim_pool *pool, const csim_loop *beside, int n, int grain,
                            csim_sum_fn *fn, void *context) {
  sums_job job;
  int nchunk = run_chunks_of_sums(pool, beside, n, grain, run_sum, &(sum_job){fn, context}, &job);
  double sum = 0;
  for (int chunk = 0; chunk < nchunk; chunk++) sum += job.partial[chunk][0];
  return sum;
}

double csim_pool_sum(csim_pool *pool, int n, csim_sum_fn *fn, void *context) {
  return csim_pool_sum_beside(pool, NULL, n, CSIM_SUM_GRAIN, fn, context);
}

enum { COUNT_GRAIN = 256 }; // of what no order of chunks can change

int csim_pool_count(csim_pool *pool, int n, csim_sum_fn *fn, void *context) {
  double sum;
  csim_pool_sums(pool, n, COUNT_GRAIN, 1, run_sum, &(sum_job){fn, context}, &sum);
  return (int)sum;
}

double csim_pool_max(csim_pool *pool, int n, double least, csim_sum_fn *fn, void *context) {
  sums_job job;
  int nchunk =
      run_chunks_of_sums(pool, NULL, n, COUNT_GRAIN, run_sum, &(sum_job){fn, context}, &job);
  double max = least;
  for (int chunk = 0; chunk < nchunk; chunk++)
    // NaN enters and stays: no comparison removes it
    if (!(job.partial[chunk][0] <= max) && max == max) max = job.partial[chunk][0];
  return max;
}
