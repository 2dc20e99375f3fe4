// view/parallel.c: see parallel.h.
#define _GNU_SOURCE // sched_getaffinity
#include "parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

typedef struct crew {
  atomic_int next;
  int n;
  void (*work)(void *context, int i);
  void *context;
} crew;

static void *work_on(void *argument) {
  crew *c = argument;
  for (int i; (i = atomic_fetch_add(&c->next, 1)) < c->n;) c->work(c->context, i);
  return NULL;
}

static int count_processors(void) {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
}

void view_parallel(int n, void (*work)(void *context, int i), void *context) {
  enum { MAX_THREADS = 64 };
  pthread_t thread[MAX_THREADS];
  crew c = {.n = n, .work = work, .context = context};
  int nthread = 0, wanted = count_processors() - 1;
  while (nthread < wanted && nthread < MAX_THREADS && nthread < n - 1)
    if (pthread_create(&thread[nthread], NULL, work_on, &c))
      break;
    else
      nthread++;
  work_on(&c);
  for (int i = 0; i < nthread; i++) pthread_join(thread[i], NULL);
}
