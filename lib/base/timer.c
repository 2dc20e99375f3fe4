// base/timer.c: see timer.h.
#include "base/timer.h"

#include <time.h>

double csim_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void csim_timer_begin(csim_timer *timer) {
  *timer = (csim_timer){.since = csim_seconds()};
}

csim_section csim_timer_change(csim_timer *timer, csim_section section) {
  csim_section before = timer->now;
  double now = csim_seconds();
  timer->seconds[before] += now - timer->since;
  timer->since = now;
  timer->now = section;
  return before;
}
