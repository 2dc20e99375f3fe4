// contact/ccd.c: see ccd.h. Additive advancement: Li et al., Codimensional IPC, 2021, 5.2.
#include "contact/ccd.h"

#include "math/vec3.h"

#include <float.h>
#include <string.h>

enum { MAX_ADVANCES = 64 };

// Displacements without their mean (a common motion is no approach), the sum of both sides' largest
// lengths, and the size of the numbers, for bounds of rounding.
static double relative_motion(int split, const double *const x[4], const double *const u[4],
                              double du[4][3], double *size) {
  double mean[3] = {0}, longest[2] = {0};
  *size = 0;
  for (int k = 0; k < 4; k++) csim_add_scaled(0.25, u[k], mean);
  for (int k = 0; k < 4; k++) {
    csim_sub(u[k], mean, du[k]);
    double l = csim_norm(du[k]);
    if (l > longest[k >= split]) longest[k >= split] = l;
    for (int c = 0; c < 3; c++) *size = csim_max(*size, fabs(x[k][c]) + fabs(u[k][c]));
  }
  return longest[0] + longest[1];
}

// Time until the hulls can first be within `keep` along n. It is exact, because their separation
// along n is the least of the affine functions n.(x_j - x_i) + t n.(u_j - u_i).
static double directional_step(int split, double at[4][3], double du[4][3], const double *n,
                               double keep) {
  double step = INFINITY;
  for (int i = 0; i < split; i++)
    for (int j = split; j < 4; j++) {
      double r[3], v[3];
      csim_sub(at[j], at[i], r);
      csim_sub(du[i], du[j], v);
      double gap = csim_dot(n, r) - keep, closing = csim_dot(n, v);
      if (gap <= 0) return 0;
      if (closing > 0) step = csim_min(step, gap / closing);
    }
  return step;
}

int csim_ccd_pair(csim_pair_kind kind, const double *const x[4], const double *const u[4],
                  double gap, double *time) {
  int split = csim_pair_split(kind);
  double du[4][3], at[4][3], size, t = 0;
  double speed = relative_motion(split, x, u, du, &size);
  // rounding of positions at t and of the dot products, a few units each; `park` is how near to
  // touching the search ends
  double err = 32 * DBL_EPSILON * size, park = err + 1e-10 * speed;
  if (!isfinite(size)) return 1;
  for (int advance = 0; advance < MAX_ADVANCES; advance++) {
    const double *p[4];
    double w[4], n[3] = {0};
    for (int k = 0; k < 4; k++) {
      for (int c = 0; c < 3; c++) at[k][c] = x[k][c] + t * du[k][c];
      p[k] = at[k];
    }
    double d = sqrt(csim_pair_closest(kind, p, w));
    if (d <= gap + err + park) break;
    for (int k = 0; k < 4; k++) csim_add_scaled(w[k] / d, at[k], n);
    double step = directional_step(split, at, du, n, gap + err + 0.5 * park);
    if (step >= 1 - t) return 0;
    t += csim_max(step, (d - gap - err) / speed * (1 - 1e-9) - 0.5 * park / speed);
    if (t >= 1) return 0;
  }
  if (time) *time = t;
  return 1;
}

double csim_ccd_direction(csim_pair_kind kind, const double *const x[4], const double *const u[4],
                          double gap, double w[4], double n[3]) {
  double at[4][3], time, along = 0;
  if (!csim_ccd_pair(kind, x, u, gap, &time)) time = 1;
  for (int k = 0; k < 4; k++) {
    memcpy(at[k], x[k], sizeof at[k]);
    csim_add_scaled(time, u[k], at[k]);
  }
  csim_pair_direction(kind, (const double *[]){at[0], at[1], at[2], at[3]}, w, n);
  for (int k = 1; k < 4; k++)
    for (int a = 0; a < 3; a++) along += w[k] * n[a] * (x[k][a] - x[0][a]);
  return along;
}
