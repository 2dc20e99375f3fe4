// test_timer: times of sections add up to the whole, and each counts while it is on.
#include "check.h"

#include "base/timer.h"

static void wait_for(double seconds) {
  for (double began = csim_seconds(); csim_seconds() - began < seconds;) {
  }
}

int main(void) {
  csim_timer p;
  double before = csim_seconds();
  csim_timer_begin(&p);
  CHECK(p.now == CSIM_SECTION_OTHER);
  wait_for(0.01);
  CHECK(csim_timer_change(&p, CSIM_SECTION_LINEAR) == CSIM_SECTION_OTHER);
  wait_for(0.03);
  CHECK(csim_timer_change(&p, CSIM_SECTION_CONTACT) == CSIM_SECTION_LINEAR);
  CHECK(csim_timer_change(&p, CSIM_SECTION_OTHER) == CSIM_SECTION_CONTACT);
  double whole = csim_seconds() - before, sum = 0;
  for (int k = 0; k < CSIM_NSECTION; k++) sum += p.seconds[k];
  CHECK(p.seconds[CSIM_SECTION_OTHER] >= 0.01 && p.seconds[CSIM_SECTION_LINEAR] >= 0.03);
  CHECK(p.seconds[CSIM_SECTION_SEARCH] == 0 && p.seconds[CSIM_SECTION_CONTACT] < 0.03);
  CHECK(sum >= 0.04 && sum <= whole);
  return check_report();
}
