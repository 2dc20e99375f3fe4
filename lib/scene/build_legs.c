// scene/build_legs.c: where the legs and the trunk of a body are, for panels that start around
// them. Needs contact/.
//
// Bodies are known by their vertices only. Legs are on either side of the plane x = 0, as sewing
// patterns are drawn around it.
#include "base/dmath.h"
#include "math/vec3.h"
#include "scene/compile.h"

#include <string.h>

static const double SLAB = 0.03;    // [m] above and below a height: more than a triangle of a body
static const double BETWEEN = 0.02; // [m] half of the least space between legs

static const double FLATTEST = 0.3; // least ratio of an ellipse's axes

enum { DIRECTIONS = 16, RATIOS = 14 };

double csim_leg_at(const csim_trunk *trunk, double x, double far, const double height[2]) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < trunk->n; i++) {
    const double *p = trunk->x + csim_xyz(i);
    if (p[1] < height[0] || p[1] > height[1] || fabs(p[0] - x) > far || !(p[0] * x > 0)) continue;
    low = csim_min(low, p[0]);
    high = csim_max(high, p[0]);
  }
  return low <= high ? 0.5 * (low + high) : NAN;
}

int csim_below_crotch(const csim_trunk *trunk, double height, double range[2]) {
  range[0] = INFINITY;
  range[1] = -INFINITY;
  for (int i = 0; i < trunk->n; i++) {
    const double *p = trunk->x + csim_xyz(i);
    if (fabs(p[1] - height) > SLAB) continue;
    if (fabs(p[0]) < BETWEEN) return 0;
    range[0] = csim_min(range[0], p[0]);
    range[1] = csim_max(range[1], p[0]);
  }
  return range[0] < 0 && range[1] > 0;
}

static int is_inside(const double *p, const double *x, int both) {
  return fabs(p[1] - x[1]) <= SLAB && (both || p[0] * x[0] > 0);
}

// Length of the convex outline of the points seen from above: the mean of its widths over all
// directions, times pi (Cauchy).
static double girth_of(const csim_trunk *trunk, const double x[3], int both) {
  double sum = 0;
  for (int k = 0; k < DIRECTIONS; k++) {
    double low = INFINITY, high = -INFINITY, turn = CSIM_PI * k / DIRECTIONS;
    double direction[2] = {csim_cos(turn), csim_sin(turn)};
    for (int i = 0; i < trunk->n; i++) {
      const double *p = trunk->x + csim_xyz(i);
      if (!is_inside(p, x, both)) continue;
      double along = direction[0] * p[0] + direction[1] * p[2];
      low = csim_min(low, along);
      high = csim_max(high, along);
    }
    sum += csim_max(0, high - low);
  }
  return CSIM_PI * sum / DIRECTIONS;
}

csim_girth csim_trunk_girth(const csim_trunk *trunk, const double x[3], int both) {
  double low[3] = {INFINITY, 0, INFINITY}, high[3] = {-INFINITY, 0, -INFINITY};
  csim_girth girth = {.length = girth_of(trunk, x, both)};
  for (int i = 0; i < trunk->n; i++)
    for (int c = 0; c < 3 && is_inside(trunk->x + csim_xyz(i), x, both); c += 2) {
      low[c] = csim_min(low[c], trunk->x[csim_xyz(i) + c]);
      high[c] = csim_max(high[c], trunk->x[csim_xyz(i) + c]);
    }
  if (!(low[0] <= high[0])) return girth;
  for (int c = 0; c < 3; c++) girth.middle[c] = c == 1 ? x[1] : 0.5 * (low[c] + high[c]);
  for (int i = 0; i < trunk->n; i++) {
    const double *p = trunk->x + csim_xyz(i);
    if (!is_inside(p, x, both)) continue;
    double d[2] = {p[0] - girth.middle[0], p[2] - girth.middle[2]};
    girth.radius = csim_max(girth.radius, sqrt(d[0] * d[0] + d[1] * d[1]));
  }
  return girth;
}

// Half axes of an ellipse of this length and ratio of them (Ramanujan).
static void axes_of(double length, double ratio, double half[2]) {
  double sum = 3 * (1 + ratio) - sqrt((3 + ratio) * (1 + 3 * ratio));
  half[0] = length / (CSIM_PI * sum);
  half[1] = ratio * half[0];
}

static int encloses(const csim_trunk *trunk, const csim_oval *oval, const double half[2]) {
  double across[2] = {-oval->along[2], oval->along[0]};
  double a = half[0] - oval->room, b = half[1] - oval->room;
  if (!(a > 0 && b > 0)) return 0;
  for (int i = 0; i < trunk->n; i++) {
    const double *p = trunk->x + csim_xyz(i);
    if (!is_inside(p, oval->middle, oval->both)) continue;
    double x = p[0] - oval->middle[0], z = p[2] - oval->middle[2];
    double u = (x * oval->along[0] + z * oval->along[2]) / a;
    double v = (x * across[0] + z * across[1]) / b;
    if (u * u + v * v > 1) return 0;
  }
  return 1;
}

int csim_fit_oval(const csim_trunk *trunk, csim_oval *oval) {
  double middle[3];
  memcpy(middle, oval->middle, sizeof middle);
  for (int k = 0; k <= RATIOS; k++) {
    axes_of(oval->length, 1 - (1 - FLATTEST) * k / RATIOS, oval->half);
    if (encloses(trunk, oval, oval->half)) return 1;
    if (k == 0)
      memcpy(oval->middle, csim_trunk_girth(trunk, middle, oval->both).middle, sizeof middle);
  }
  axes_of(oval->length, 1, oval->half);
  memcpy(oval->middle, middle, sizeof middle);
  return 0;
}
