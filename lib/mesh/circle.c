// mesh/circle.c: see circle.h.
#include "mesh/circle.h"

#include "base/dmath.h"

void csim_circle_point(int64_t i, int64_t n, double *cosine, double *sine) {
  // rest / n is the part of the quarter turn; its second half mirrors its first
  int64_t quarter = 4 * i / n, rest = 4 * i - quarter * n;
  int mirror = 2 * rest > n;
  double angle = CSIM_PI / 2 * (double)(mirror ? n - rest : rest) / (double)n;
  double c = csim_cos(angle), s = csim_sin(angle);
  if (2 * rest == n) c = s = 0.70710678118654752;
  if (mirror) {
    double swap = c;
    c = s;
    s = swap;
  }
  switch (quarter % 4) {
  case 0:
    *cosine = c;
    *sine = s;
    break;
  case 1:
    *cosine = -s;
    *sine = c;
    break;
  case 2:
    *cosine = -c;
    *sine = -s;
    break;
  default:
    *cosine = s;
    *sine = -c;
  }
}
