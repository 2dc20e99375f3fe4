// test_phases: times of phases add up to the whole, and each counts while it is on.
#include "check.h"

#include "base/phases.h"

static void wait_for(double seconds) {
  for (double began = csim_seconds(); csim_seconds() - began < seconds;) {
  }
}

int main(void) {
  csim_phases p;
  double before = csim_seconds();
  csim_phases_begin(&p);
  CHECK(p.now == CSIM_PHASE_OTHER);
  wait_for(0.01);
  CHECK(csim_phases_change(&p, CSIM_PHASE_LINEAR) == CSIM_PHASE_OTHER);
  wait_for(0.03);
  CHECK(csim_phases_change(&p, CSIM_PHASE_CONTACT) == CSIM_PHASE_LINEAR);
  CHECK(csim_phases_change(&p, CSIM_PHASE_OTHER) == CSIM_PHASE_CONTACT);
  double whole = csim_seconds() - before, sum = 0;
  for (int k = 0; k < CSIM_NPHASE; k++) sum += p.seconds[k];
  CHECK(p.seconds[CSIM_PHASE_OTHER] >= 0.01 && p.seconds[CSIM_PHASE_LINEAR] >= 0.03);
  CHECK(p.seconds[CSIM_PHASE_SEARCH] == 0 && p.seconds[CSIM_PHASE_CONTACT] < 0.03);
  CHECK(sum >= 0.04 && sum <= whole);
  return check_report();
}
