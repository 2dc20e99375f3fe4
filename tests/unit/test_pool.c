// test_pool: loops, sums and tasks give the same for any number of threads.
#include "check.h"

#include "base/timer.h"
#include "base/pool.h"

#include <sched.h>
#include <stdatomic.h>
#include <string.h>

static double sum_range(void *context, int first, int last) {
  double s = 0;
  for (int i = first; i < last; i++) s += 1.0 / (1 + i) * *(double *)context;
  return s;
}

static void test_pool(void) {
  double one = 1, reference = csim_pool_sum(NULL, 1000003, sum_range, &one);
  int threads[] = {1, 2, 3, 8};
  for (int t = 0; t < 4; t++) {
    csim_pool *pool = csim_pool_create(threads[t]);
    for (int i = 0; i < 50; i++) CHECK(csim_pool_sum(pool, 1000003, sum_range, &one) == reference);
    csim_pool_free(pool);
  }
}

typedef struct errand {
  atomic_int begun, go, done;
  int wait; // for `go`, 20 s at most
} errand;

static void run_errand(void *context) {
  errand *e = context;
  double began = csim_seconds();
  atomic_store(&e->begun, 1);
  while (e->wait && !atomic_load(&e->go) && csim_seconds() - began < 20) sched_yield();
  atomic_fetch_add(&e->done, 1 + (e->wait && !atomic_load(&e->go) ? 1000 : 0));
}

static void run_errands(void *context, int first, int last) {
  errand *e = context;
  atomic_fetch_add(&e->done, last - first);
}

// A loop beside a sum runs whole, and the sum is as it is alone.
static void test_beside(void) {
  double one = 1;
  for (int n = 0; n < 100000; n = 7 * n + 1) {
    double reference = csim_pool_sum_beside(NULL, NULL, n, 64, sum_range, &one);
    for (int nthread = 0; nthread <= 4; nthread++) {
      csim_pool *pool = nthread ? csim_pool_create(nthread) : NULL;
      errand e = {.wait = 0};
      for (int i = 0, done = 0; i < 20; i++) {
        const csim_loop loop = {i * i * i, 64, run_errands, &e};
        CHECK(csim_pool_sum_beside(pool, &loop, n, 64, sum_range, &one) == reference);
        CHECK(e.done == (done += loop.n));
      }
      csim_pool_free(pool);
    }
  }
}

// A task goes on beside jobs, with any number of threads, and is done when it is said to be.
static void test_tasks(void) {
  double one = 1, reference = csim_pool_sum(NULL, 100003, sum_range, &one);
  errand alone = {.wait = 0};
  csim_pool_begin_task(NULL, run_errand, &alone);
  csim_pool_end_task(NULL);
  CHECK(alone.done == 1);
  for (int nthread = 1; nthread <= 8; nthread++) {
    csim_pool *pool = csim_pool_create(nthread);
    csim_pool_end_task(pool); // there is none
    errand e = {.wait = csim_pool_threads(pool) > 1};
    for (int i = 0; i < 200; i++) {
      atomic_store(&e.go, 0);
      csim_pool_begin_task(pool, run_errand, &e);
      CHECK(csim_pool_sum(pool, 100003, sum_range, &one) == reference);
      // some end at once, perhaps before anybody has taken them
      if (i % 2) CHECK(csim_pool_sum(pool, 100003, sum_range, &one) == reference);
      atomic_store(&e.go, 1);
      csim_pool_end_task(pool);
      CHECK(e.done == i + 1);
    }
    csim_pool_free(pool);
  }
}

// Sums and tasks while the number of threads in use changes.
static void test_use(void) {
  double one = 1, reference = csim_pool_sum(NULL, 100003, sum_range, &one);
  long long loops = -1;
  for (int nthread = 1; nthread <= 8; nthread++) {
    csim_pool *pool = csim_pool_create(nthread);
    errand e = {.wait = 0};
    CHECK(csim_pool_used(pool) == nthread);
    for (int i = 0; i < 200; i++) {
      int used = 1 + i * 7 % 9;
      csim_pool_use(pool, used);
      CHECK(csim_pool_used(pool) == (used < nthread ? used : nthread));
      for (int k = 0; k < 3; k++) CHECK(csim_pool_sum(pool, 100003, sum_range, &one) == reference);
      // a task begins at once, also where no worker is in use
      e.wait = nthread > 1 && i % 4 == 0;
      atomic_store(&e.begun, 0);
      atomic_store(&e.go, 0);
      csim_pool_begin_task(pool, run_errand, &e);
      CHECK(csim_pool_sum(pool, 100003, sum_range, &one) == reference);
      for (double t = csim_seconds(); e.wait && !atomic_load(&e.begun) && csim_seconds() - t < 20;)
        sched_yield();
      CHECK(!e.wait || atomic_load(&e.begun));
      atomic_store(&e.go, 1);
      csim_pool_end_task(pool);
      CHECK(e.done == i + 1);
    }
    if (loops >= 0) CHECK(csim_pool_loops(pool) == loops);
    loops = csim_pool_loops(pool);
    csim_pool_free(pool);
  }
}

enum { MOST = 3000 };

static void count_visits(void *context, int first, int last) {
  atomic_int *visits = context;
  for (int i = first; i < last; i++) atomic_fetch_add(&visits[i], 1);
}

// Loops of any lengths side by side, some of them empty: each item is visited once.
static void test_loops(void) {
  static atomic_int visits[CSIM_MOST_LOOPS][MOST];
  static const int lengths[][CSIM_MOST_LOOPS] = {
      {0, 0, 0, 0}, {1, 0, 2, 0}, {0, MOST, 0, 3}, {MOST, 7, 64, 65}, {63, 64, 0, MOST}};
  for (int nthread = 0; nthread <= 4; nthread++) {
    csim_pool *pool = nthread ? csim_pool_create(nthread) : NULL;
    for (int l = 0; l < 5; l++)
      for (int nloop = 0; nloop <= CSIM_MOST_LOOPS; nloop++) {
        csim_loop loop[CSIM_MOST_LOOPS];
        memset((void *)visits, 0, sizeof visits);
        for (int k = 0; k < nloop; k++)
          loop[k] = (csim_loop){lengths[l][k], k % 2 ? 64 : 100, count_visits, visits[k]};
        csim_pool_for_all(pool, nloop, loop);
        int wrong = 0;
        for (int k = 0; k < CSIM_MOST_LOOPS; k++)
          for (int i = 0; i < MOST; i++) wrong += visits[k][i] != (k < nloop && i < lengths[l][k]);
        CHECK(wrong == 0);
      }
    csim_pool_free(pool);
  }
}

int main(void) {
  test_pool();
  test_loops();
  test_use();
  test_beside();
  test_tasks();
  return check_report();
}
