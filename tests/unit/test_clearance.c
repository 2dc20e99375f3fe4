// tests/unit/test_clearance.c: contact distances of what starts nearer than the contact distance.
// They are the last numbers of the state of contact, one a vertex; under cloth that lies flat they
// only grow, and damaged ones are refused.
#include "check.h"
#include "kit.h"

#include <math.h>
#include <stdio.h>

// A sheet with 49 vertices above a plate that does not move.
static int open_scene(double gap, kit_scene *s) {
  char text[1000];
  snprintf(text, sizeof text,
           "{'contact': {'thickness': 0.005}, 'objects': [{'name': 'sheet', 'type': 'cloth',"
           " 'material': 'cotton', 'position': [0, %g, 0],"
           " 'mesh': {'shape': 'grid', 'size': [0.3, 0.3], 'cells': [6, 6]}},"
           " {'name': 'plate', 'type': 'collider', 'position': [0, -0.05, 0],"
           " 'mesh': {'shape': 'box', 'size': [0.5, 0.1, 0.5], 'cells': [4, 1, 4]}}]}",
           gap);
  return kit_scene_open(text, 2, s);
}

static void run(kit_scene *s, int steps) {
  for (int k = 0; k < steps; k++) {
    csim_step_report report;
    CHECK(csim_step(s->solver, &s->state, &report) == 0);
  }
}

// Distances grow by 0.1 m/s up to a part of the contact distance, or at once to 0.9 of the gap.
static void test_grow(void) {
  kit_scene s;
  if (open_scene(0.0005, &s)) return;
  csim_solver_begin_frame(s.solver, 1 / s.scene->fps);
  run(&s, 1);
  int n = s.state.nvert, first = 3 * s.state.nkinematic - 3 * ((n + 2) / 3);
  double least = 0, h = 1 / (s.scene->fps * s.scene->substeps);
  double grown[49];
  CHECK(n == 49);
  for (int i = 0; i < n; i++) CHECK((grown[i] = s.state.kinematic[first + i]) > 0.0004);
  for (int k = 0; k < 30; k++) {
    double gap[49];
    for (int i = 0; i < n; i++) gap[i] = s.state.x[3 * i + 1];
    run(&s, 1);
    least = INFINITY;
    for (int i = 0; i < n; i++) {
      double now = s.state.kinematic[first + i];
      CHECK(now >= grown[i] && now <= (1 + 1e-7) * fmax(grown[i] + 0.1 * h, 0.9 * gap[i]));
      least = fmin(least, grown[i] = now);
    }
  }
  CHECK_NEAR(least, 0.0015, 0.0005); // a quarter of the contact distance
  for (int i = 0; i < n; i++) CHECK(s.state.x[3 * i + 1] > 0.9 * least);

  double *number = s.state.kinematic + first, was = *number;
  static const double damaged[] = {-1, -1e-30, 1e300};
  CHECK(csim_solver_accepts(s.solver, &s.state));
  for (int k = 0; k < 3; k++) {
    *number = damaged[k];
    CHECK(!csim_solver_accepts(s.solver, &s.state));
  }
  *number = was;
  CHECK(csim_solver_accepts(s.solver, &s.state));
  kit_scene_close(&s);
}

// What starts far apart keeps distances of 0: the state has as many numbers as any other.
static void test_none(void) {
  static const double gaps[] = {0.006, 0.0005};
  int size[2];
  for (int k = 0; k < 2; k++) {
    kit_scene s;
    if (open_scene(gaps[k], &s)) return;
    run(&s, 1);
    size[k] = s.state.nkinematic;
    const double *distance = s.state.kinematic + csim_xyz(size[k] - (s.state.nvert + 2) / 3);
    double most = 0;
    for (int i = 0; i < s.state.nvert; i++) most = fmax(most, distance[i]);
    CHECK(k == 0 ? most == 0 : most > 0);
    kit_scene_close(&s);
  }
  CHECK(size[0] == size[1]);
}

int main(void) {
  test_grow();
  test_none();
  return check_report();
}
