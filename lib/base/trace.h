// base/trace.h: records what each chunk of a pool's jobs takes, for tests/bench/scaling.py. Only in
// builds with -DCSIM_POOL_TRACE (make config=trace). Needs base/pool.h.
//
// The file that the environment names in CSIM_POOL_TRACE gets a record for each job: int32 number
// of chunks (-1: a task, which other threads run beside the jobs), float seconds since the end of
// the job before, float seconds of each chunk (of a task, one number).
#ifndef CSIM_BASE_TRACE_H
#define CSIM_BASE_TRACE_H

#include "base/pool.h"

/// Threads for which a traced run of one thread divides its loops.
enum { CSIM_TRACE_THREADS = 16 };

/// Runs fn(context, 0) ... fn(context, nchunk - 1) here, and records them.
void csim_trace_run(int nchunk, csim_chunk_fn *fn, void *context);

/// Runs a task here, and records it.
void csim_trace_task(csim_task_fn *fn, void *context);

#endif
