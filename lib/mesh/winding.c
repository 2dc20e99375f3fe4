// mesh/winding.c: see winding.h.
#include "mesh/winding.h"

#include "base/dmath.h"
#include "math/vec3.h"

double csim_winding_number(int ntri, const int *tri, const double *x, const double p[3]) {
  const double four_pi = 12.566370614359172;
  double sum = 0;
  for (int t = 0; t < ntri; t++) {
    double r[3][3], l[3], n[3];
    for (int k = 0; k < 3; k++) {
      csim_sub(x + csim_xyz(tri[csim_xyz(t) + k]), p, r[k]);
      l[k] = csim_norm(r[k]);
    }
    csim_cross(r[1], r[2], n);
    double above = csim_dot(r[0], n);
    double below = l[0] * l[1] * l[2] + csim_dot(r[0], r[1]) * l[2] + csim_dot(r[1], r[2]) * l[0] +
                   csim_dot(r[2], r[0]) * l[1];
    if (above != 0 || below != 0) sum += 2 * csim_atan2(above, below);
  }
  return sum / four_pi;
}
