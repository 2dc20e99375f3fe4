// solver/pace.c: see pace.h.
#include "solver/pace.h"

#include <stdint.h>

// A cheaper step is not halved: with 8 a drop at quality draft took 9 % longer, a press 7 %.
enum { CHEAP = 12 };

// Steps after which costs of other paces are forgotten, and thereby tried again.
enum { LASTS = 32 };

csim_pace csim_pace_next(csim_pace pace, long long cost) {
  int at = pace.halvings;
  pace.cost[at] = (uint16_t)(cost < UINT16_MAX ? cost : UINT16_MAX);
  if (++pace.age == LASTS) {
    for (int k = 0; k <= CSIM_PACE_HALVINGS; k++)
      if (k != at) pace.cost[k] = 0;
    pace.age = 0;
  }
  if (at > 0 && pace.cost[at - 1] < cost)
    pace.halvings--;
  else if (at < CSIM_PACE_HALVINGS && cost > CHEAP << at && pace.cost[at + 1] < cost)
    pace.halvings++;
  return pace;
}
