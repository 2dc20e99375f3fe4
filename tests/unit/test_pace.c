// tests/unit/test_pace.c: steps begin in parts as long as that is cheaper.
#include "check.h"
#include "solver/pace.h"

// Steps that cost so much at each pace. Returns in how many of them each pace was taken.
static void run(const long long cost[CSIM_PACE_HALVINGS + 1], int steps,
                int taken[CSIM_PACE_HALVINGS + 1]) {
  csim_pace pace = {0};
  for (int k = 0; k <= CSIM_PACE_HALVINGS; k++) taken[k] = 0;
  for (int i = 0; i < steps; i++) {
    CHECK(pace.halvings <= CSIM_PACE_HALVINGS);
    taken[pace.halvings]++;
    pace = csim_pace_next(pace, cost[pace.halvings]);
  }
}

int main(void) {
  int taken[CSIM_PACE_HALVINGS + 1];

  // what is cheap stays whole, even if halves were cheaper still
  run((long long[]){12, 1, 1}, 1000, taken);
  CHECK(taken[0] == 1000);

  // where halves cost twice as much they are tried once in a while only
  run((long long[]){40, 80, 160}, 1000, taken);
  CHECK(taken[0] > 900 && taken[1] > 0 && taken[2] < 10);

  // the cheapest of three is found and kept
  run((long long[]){400, 200, 100}, 1000, taken);
  CHECK(taken[2] > 900);
  run((long long[]){400, 100, 200}, 1000, taken);
  CHECK(taken[1] > 900);

  return check_report();
}
