// contact/barrier.c: see barrier.h.
#include "contact/barrier.h"

#include "base/dmath.h"

#include <assert.h>

void csim_barrier(csim_barrier_kind kind, double k, double gap, double reach, double b[3]) {
  assert(gap > 0 && reach > 0);
  b[0] = b[1] = b[2] = 0;
  if (gap >= reach) return;
  double c = reach - gap;
  switch (kind) {
  case CSIM_BARRIER_QUADRATIC_LOG:
    if (2 * gap >= reach) {
      b[0] = 0.5 * k * c * c;
      b[1] = -k * c;
      b[2] = k;
    } else {
      double q = 0.25 * k * reach * reach;
      b[0] = q * (0.5 - csim_ln(2 * gap / reach));
      b[1] = -q / gap;
      b[2] = q / (gap * gap);
    }
    return;
  case CSIM_BARRIER_LOG: {
    double l = csim_ln(gap / reach);
    b[0] = -k * c * c * l;
    b[1] = k * (2 * c * l - c * c / gap);
    b[2] = k * (-2 * l + 4 * c / gap + c * c / (gap * gap));
    return;
  }
  case CSIM_BARRIER_CUBIC: {
    double y = c / gap;
    b[0] = 2.0 / 3 * k * c * c * y;
    b[1] = -2.0 / 3 * k * c * (3 * y + y * y);
    b[2] = 2.0 / 3 * k * (6 * y + 6 * y * y + 2 * y * y * y);
    return;
  }
  }
}
