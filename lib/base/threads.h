// base/threads.h: chooses how many threads of a pool are in use: as many as are worth it. Needs
// base/pool.h.
//
// A loop over a small mesh takes a few microseconds. To start it on another core, and to fetch what
// that core has written, may take as long: how long depends on the machine, and on a virtual one
// changes by the minute. So steps are timed, and now and then a few of them are taken with half or
// twice as many threads. Where loops are long, more are in use at once. Results do not depend on
// it.
#ifndef CSIM_BASE_THREADS_H
#define CSIM_BASE_THREADS_H

#include "base/pool.h"

typedef struct csim_threads {
  int most;       ///< threads of the pool
  int now;        ///< threads in use, but for trials
  int tried;      ///< threads in use
  int judged;     ///< threads of the trial before this block, which is compared with it; 0: none
  int upward;     ///< whether the next trial is one of more threads
  int left;       ///< blocks of steps before the next trial
  int wait;       ///< what `left` begins with
  double cost;    ///< [s] of a loop with `now` threads, mean of the last blocks; 0: not known
  double other;   ///< [s] the same with `judged` threads
  int steps;      ///< of this block so far
  double time;    ///< [s] of them
  double loops;   ///< in them
  double began;   ///< [s] of csim_seconds, when this step began
  long long past; ///< loops of the pool before this step
} csim_threads;

/// Begins with threads for a mesh of nvert vertices, at most `most`.
void csim_threads_begin(csim_threads *threads, int most, int nvert);

/// Notes the time [s] and the number of loops of a step that took `tried` threads, and chooses
/// `tried` for the next.
void csim_threads_note(csim_threads *threads, double seconds, double loops);

/// Measure a step of a pool and set its threads. Between these calls the pool's owner does nothing
/// else.
void csim_threads_begin_step(csim_threads *threads, csim_pool *pool);
void csim_threads_end_step(csim_threads *threads, csim_pool *pool); ///< see above

#endif
