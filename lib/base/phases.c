// base/phases.c: see phases.h.
#include "base/phases.h"

#include <time.h>

double csim_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void csim_phases_begin(csim_phases *phases) {
  *phases = (csim_phases){.since = csim_seconds()};
}

csim_phase csim_phases_change(csim_phases *phases, csim_phase phase) {
  csim_phase before = phases->now;
  double now = csim_seconds();
  phases->seconds[before] += now - phases->since;
  phases->since = now;
  phases->now = phase;
  return before;
}
