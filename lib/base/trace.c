// base/trace.c: see trace.h.
#include "base/trace.h"

#ifdef CSIM_POOL_TRACE

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static struct {
  FILE *file;
  double since; // [s] end of the job before
  double cost;  // [s] of reading the clock once
} trace;

// Time of this thread's work: on a busy machine a chunk may be suspended for longer than it takes.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Reading the clock is a system call, as long as a short chunk.
static double measure_clock(void) {
  enum { TIMES = 1000 };
  double start = now();
  for (int i = 1; i < TIMES; i++) now();
  return (now() - start) / TIMES;
}

// The file, opened at the first job; NULL: nobody asked for it.
static FILE *get_file(void) {
  const char *path = getenv("CSIM_POOL_TRACE");
  if (!trace.file && path) {
    trace.file = fopen(path, "wb");
    trace.cost = measure_clock();
    trace.since = now();
  }
  return trace.file;
}

// Writes a difference of two times of the clock.
static void put(FILE *file, double seconds) {
  float value = (float)(seconds > trace.cost ? seconds - trace.cost : 0);
  fwrite(&value, sizeof value, 1, file);
}

static void begin_record(FILE *file, int32_t nchunk) {
  fwrite(&nchunk, sizeof nchunk, 1, file);
  put(file, now() - trace.since);
}

void csim_trace_run(int nchunk, csim_chunk_fn *fn, void *context) {
  FILE *file = nchunk > 1 ? get_file() : NULL;
  if (file) begin_record(file, nchunk);
  for (int chunk = 0; chunk < nchunk; chunk++) {
    double start = now();
    fn(context, chunk);
    if (file) put(file, now() - start);
  }
  if (file) trace.since = now();
}

void csim_trace_task(csim_task_fn *fn, void *context) {
  FILE *file = get_file();
  double start = now();
  if (file) begin_record(file, -1);
  fn(context);
  if (file) put(file, now() - start);
  trace.since = now();
}

#endif
