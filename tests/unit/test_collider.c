// test_collider: distances to analytic colliders against the geometry, gradients against finite
// differences, first touches against the distance on the way.
#include "check.h"

#include "contact/collider.h"

#include <math.h>

static const csim_collider SHAPES[] = {
    {.shape = CSIM_COLLIDER_PLANE},
    {.shape = CSIM_COLLIDER_SPHERE, .radius = 0.7},
    {.shape = CSIM_COLLIDER_BOX, .half_size = {0.5, 0.8, 0.3}},
    {.shape = CSIM_COLLIDER_CAPSULE, .radius = 0.4, .half_height = 0.6},
    {.shape = CSIM_COLLIDER_CYLINDER, .radius = 0.5, .half_height = 0.4},
};
enum { NSHAPE = sizeof SHAPES / sizeof *SHAPES };

// The distance by hand.
static double distance(const csim_collider *c, const double *x) {
  double around = hypot(x[0], x[2]), y = fabs(x[1]);
  if (c->shape == CSIM_COLLIDER_PLANE) return x[1];
  if (c->shape == CSIM_COLLIDER_SPHERE) return hypot(around, y) - c->radius;
  if (c->shape == CSIM_COLLIDER_CAPSULE)
    return hypot(around, fmax(y - c->half_height, 0)) - c->radius;
  double d[3] = {around - c->radius, y - c->half_height, -1e30};
  if (c->shape == CSIM_COLLIDER_BOX)
    for (int k = 0; k < 3; k++) d[k] = fabs(x[k]) - c->half_size[k];
  double most = fmax(d[0], fmax(d[1], d[2])), out = 0;
  for (int k = 0; k < 3; k++) out = hypot(out, fmax(d[k], 0));
  return most > 0 ? out : most;
}

static double uniform(void) {
  return (double)check_random() / 4294967296.0 * 4 - 2;
}

static void test_distance(const csim_collider *c) {
  for (int k = 0; k < 500; k++) {
    double x[3] = {uniform(), uniform(), uniform()}, g[3], y[3], unused[3];
    CHECK_NEAR(csim_collider_distance(c, x, g), distance(c, x), 1e-12);
    CHECK_NEAR(g[0] * g[0] + g[1] * g[1] + g[2] * g[2], 1, 1e-12);
    double h = 1e-6, along = 0; // along its gradient the distance grows by 1 for 1
    for (int i = 0; i < 3; i++) y[i] = x[i] + h * g[i];
    along = (csim_collider_distance(c, y, unused) - distance(c, x)) / h;
    if (distance(c, x) > 0) CHECK_NEAR(along, 1, 1e-5);
  }
}

static void test_touch(const csim_collider *c) {
  int touched = 0;
  for (int k = 0; k < 500; k++) {
    double a[3] = {uniform(), uniform(), uniform()}, b[3] = {uniform(), uniform(), uniform()};
    double t = -1, g[3], first = 2, near = 0.05;
    if (distance(c, a) < near) continue;
    for (int i = 1; i <= 4000 && first > 1; i++) { // by small steps
      double s = i / 4000.0, x[3];
      for (int n = 0; n < 3; n++) x[n] = a[n] + s * (b[n] - a[n]);
      if (distance(c, x) <= near) first = s;
    }
    int hit = csim_collider_touch(c, a, b, near, &t, g);
    if (hit) CHECK(t >= 0 && t <= 1 && (first > 1 ? 1 : fabs(t - first) < 1e-3));
    if (!hit) CHECK(first > 1);
    touched += hit;
  }
  CHECK(touched > 20);
}

int main(void) {
  for (int s = 0; s < NSHAPE; s++) {
    test_distance(&SHAPES[s]);
    test_touch(&SHAPES[s]);
  }
  return check_report();
}
