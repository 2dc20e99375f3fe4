// base/threads.c: see threads.h.
#include "base/threads.h"

enum { STEPS = 5 };   // of a block: a frame at quality normal, which has a search for pairs
enum { VERTS = 500 }; // for each thread at the start

// Blocks between trials, at first, and at most. One that fails makes the next wait three times as
// long, or ten times where it was much worse.
enum { WAIT = 2, LONGER = 3, MUCH_LONGER = 10, MOST_WAIT = 200 };

// A trial's cost of a loop, as a share of that without it, from which on it has failed; and from
// which on it ends before its last step.
static const double WORSE = 0.95, MUCH_WORSE = 1.25;

// Where loops take longer than this [s] fewer threads are not tried: to tell one of a loop takes
// 0.3 to 2.5 microseconds.
static const double LONG_LOOP = 300e-6;

void csim_threads_begin(csim_threads *t, int most, int nvert) {
  int start = nvert / VERTS < 2 ? 2 : nvert / VERTS;
  *t = (csim_threads){.most = most, .left = WAIT, .wait = WAIT};
  t->now = t->tried = start < most ? start : most;
}

// Threads of the next trial; `now`: none is worth it.
static int choose_trial(const csim_threads *t) {
  if (t->upward) return 2 * t->now < t->most ? 2 * t->now : t->most;
  return t->cost < LONG_LOOP ? (t->now + 1) / 2 : t->now;
}

static void begin_trial(csim_threads *t) {
  t->tried = choose_trial(t);
  if (t->tried != t->now) return;
  t->upward = !t->upward;
  t->tried = choose_trial(t);
  t->left = t->wait;
}

static void end_trial(csim_threads *t, double cost) {
  if (cost < WORSE * t->cost) {
    t->now = t->tried;
    t->cost = cost;
    t->wait = WAIT;
  } else {
    t->upward = !t->upward;
    t->wait *= cost > MUCH_WORSE * t->cost ? MUCH_LONGER : LONGER;
    if (t->wait > MOST_WAIT) t->wait = MOST_WAIT;
  }
  t->tried = t->now;
  t->left = t->wait;
}

void csim_threads_note(csim_threads *t, double seconds, double loops) {
  int trial = t->tried != t->now;
  // the first step of a trial moves data from core to core
  if (t->steps++ > 0 || !trial) {
    t->time += seconds;
    t->loops += loops;
  }
  if (!(t->loops > 0)) return;
  double cost = t->time / t->loops;
  if (t->steps < STEPS && !(trial && cost > MUCH_WORSE * t->cost)) return;
  t->steps = 0;
  t->time = t->loops = 0;
  if (trial) {
    end_trial(t, cost);
    return;
  }
  t->cost = t->cost > 0 ? 0.5 * (t->cost + cost) : cost;
  if (--t->left <= 0) begin_trial(t);
}

void csim_threads_begin_step(csim_threads *t, csim_pool *pool) {
  if (csim_pool_used(pool) != t->tried) csim_pool_use(pool, t->tried);
  t->began = csim_seconds();
  t->past = csim_pool_loops(pool);
}

void csim_threads_end_step(csim_threads *t, csim_pool *pool) {
  csim_threads_note(t, csim_seconds() - t->began, (double)(csim_pool_loops(pool) - t->past));
}
