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

// Where loops take longer than this [s] fewer threads are not tried: starting a loop on another
// thread takes 0.3 to 2.5 microseconds.
static const double LONG_LOOP = 30e-6;

void csim_threads_begin(csim_threads *t, int most, int nvert) {
  int start = nvert / VERTS < 2 ? 2 : nvert / VERTS;
  *t = (csim_threads){.most = most, .left = WAIT, .wait = WAIT};
  t->now = t->tried = start < most ? start : most;
}

static int count_more(const csim_threads *t) {
  return 2 * t->now < t->most ? 2 * t->now : t->most;
}

// Threads of the next trial; `now`: none is worth it.
static int choose_trial(const csim_threads *t) {
  if (t->upward) return count_more(t);
  return t->cost < LONG_LOOP * t->now ? (t->now + 1) / 2 : t->now;
}

// Takes more threads where loops are long. Returns whether it does.
static int take_more(csim_threads *t) {
  int more = count_more(t);
  if (more == t->now || !(t->cost > LONG_LOOP * more)) return 0;
  t->now = t->tried = more;
  t->cost = 0;
  t->left = t->wait = WAIT;
  return 1;
}

static void begin_trial(csim_threads *t) {
  t->tried = choose_trial(t);
  if (t->tried != t->now) return;
  t->upward = !t->upward;
  t->tried = choose_trial(t);
  t->left = t->wait;
}

// Judges a trial by the cost with `now` threads. Loops become longer and shorter as a scene goes
// on, so this is the least of the blocks before and after the trial. Before, a stack of sheets went
// on with one thread of two, and took 27 s instead of 19.
static void end_trial(csim_threads *t, double cost) {
  if (t->other < WORSE * cost) {
    t->now = t->judged;
    t->cost = t->other;
    t->wait = WAIT;
  } else {
    t->upward = !t->upward;
    t->wait *= t->other > MUCH_WORSE * cost ? MUCH_LONGER : LONGER;
    if (t->wait > MOST_WAIT) t->wait = MOST_WAIT;
  }
  t->judged = 0;
  t->tried = t->now;
  t->left = t->wait;
}

void csim_threads_note(csim_threads *t, double seconds, double loops) {
  int trial = t->tried != t->now, moved = trial || t->judged;
  // the first step with another number of threads moves data from core to core
  if (t->steps++ > 0 || !moved) {
    t->time += seconds;
    t->loops += loops;
  }
  if (!(t->loops > 0)) return;
  double cost = t->time / t->loops;
  int failed = trial && cost > MUCH_WORSE * t->cost;
  if (t->steps < STEPS && !failed) return;
  t->steps = 0;
  t->time = t->loops = 0;
  if (trial) {
    t->judged = t->tried;
    t->other = cost;
    t->tried = t->now;
    if (failed) end_trial(t, t->cost);
    return;
  }
  double before = t->cost;
  t->cost = t->cost > 0 ? 0.5 * (t->cost + cost) : cost;
  if (t->judged)
    end_trial(t, before < cost ? before : cost);
  else if (!take_more(t) && --t->left <= 0)
    begin_trial(t);
}

void csim_threads_begin_step(csim_threads *t, csim_pool *pool) {
  if (csim_pool_used(pool) != t->tried) csim_pool_use(pool, t->tried);
  t->began = csim_seconds();
  t->past = csim_pool_loops(pool);
}

void csim_threads_end_step(csim_threads *t, csim_pool *pool) {
  csim_threads_note(t, csim_seconds() - t->began, (double)(csim_pool_loops(pool) - t->past));
}
