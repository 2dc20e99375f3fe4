// tests/unit/test_pinched.c: bodies that leave cloth no room, with contact.pinched "ignore": they
// keep to their motion exactly, nothing but what they release passes through them, and the cloth is
// whole and out of them in the end. Judged by exact predicates in every substep.
#include "check.h"
#include "kit.h"

#include "contact/pinched.h"
#include "math/vec3.h"
#include "scene/compile.h"
#include "scene/watch.h"
#include "solver/step.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct sim {
  kit_scene k;
  csim_watch *watch;
} sim;

// Seen in some frames.
typedef struct sightings {
  double lag;         // [m] largest
  double off;         // [m] of a collider's vertex from where its motion has it
  long long crossing; // pairs that meet and are not let go
  int most, last;     // vertices let go, in the last substep
} sightings;

static int sim_open(sim *s, const char *objects, const char *pinched, int nthread) {
  char text[6000];
  snprintf(text, sizeof text, "{'contact': {'pinched': '%s'}, 'objects': [%s]}", pinched, objects);
  if (kit_scene_open(text, nthread, &s->k)) return -1;
  s->watch = csim_watch_create(s->k.pool, &s->k.world, 1);
  return 0;
}

static void sim_close(sim *s) {
  csim_watch_free(s->watch);
  kit_scene_close(&s->k);
}

static double distance_off(const sim *s) {
  double off = 0;
  const double *x = s->k.state.kinematic;
  for (int k = 0; k < s->k.world.ncollider; k++) {
    const csim_collider *c = &s->k.world.collider[k];
    double *goal = malloc(3 * (size_t)c->mesh->nvert * sizeof *goal);
    csim_collider_vertices(c, kit_scene_time(&s->k), goal);
    for (int i = 0; i < c->mesh->nvert; i++, x += 3)
      off = fmax(off, csim_distance(goal + csim_xyz(i), x));
    free(goal);
  }
  return off;
}

static void sim_frames(sim *s, int frames, sightings *seen) {
  for (int f = 0; f < frames; f++) {
    csim_solver_begin_frame(s->k.solver, kit_scene_time(&s->k) + 1 / s->k.scene->fps);
    for (int k = 0; k < s->k.scene->substeps; k++) {
      csim_step_report report;
      long long crossing = 0;
      CHECK(csim_step(s->k.solver, &s->k.state, &report) == 0);
      CHECK(csim_watch_count(s->watch, &s->k.state, kit_scene_time(&s->k), &crossing) == CSIM_OK);
      seen->lag = fmax(seen->lag, report.contact.lag);
      seen->off = fmax(seen->off, distance_off(s));
      seen->crossing += crossing;
      seen->last = report.contact.released;
      if (seen->last > seen->most) seen->most = seen->last;
    }
  }
}

// Largest tensile strain of warp and weft of the cloth, which are along the legs of its triangles.
static double largest_strain(const sim *s) {
  const csim_model *model = s->k.world.model;
  double most = 0;
  CHECK(model->ntri > 0);
  for (int t = 0; t < model->ntri; t++) {
    double rest[3], now[3], longest = 0;
    for (int k = 0; k < 3; k++) {
      int a = model->tri[3 * t + k], b = model->tri[3 * t + (k + 1) % 3];
      rest[k] = csim_distance(model->x0 + csim_xyz(a), model->x0 + csim_xyz(b));
      now[k] = csim_distance(s->k.state.x + csim_xyz(a), s->k.state.x + csim_xyz(b));
      longest = fmax(longest, rest[k]);
    }
    for (int k = 0; k < 3; k++)
      if (rest[k] < longest) most = fmax(most, now[k] / rest[k] - 1);
  }
  return most;
}

static const char *const balls =
    "{'name': 'c', 'type': 'cloth', 'material': 'cotton', 'rotation': [90, 0, 0],"
    " 'mesh': {'shape': 'grid', 'size': [1, 1], 'cells': [20, 20]},"
    " 'pins': [{'nearest': [[-0.5, 0.5, 0], [0.5, 0.5, 0]]}]},"
    "{'name': 'a', 'type': 'collider', 'position': [0, 0, -0.31],"
    " 'mesh': {'shape': 'sphere', 'radius': 0.15, 'cells': [16, 10]}, 'motion': [{'frame': 1},"
    " {'frame': 9, 'position': [0, 0, 0.18]}, {'frame': 11, 'position': [0, 0, 0.18]}, {'frame': "
    "19}]},"
    "{'name': 'b', 'type': 'collider', 'position': [0, 0, 0.31],"
    " 'mesh': {'shape': 'sphere', 'radius': 0.15, 'cells': [16, 10]}, 'motion': [{'frame': 1},"
    " {'frame': 9, 'position': [0, 0, -0.18]}, {'frame': 11, 'position': [0, 0, -0.18]}, {'frame': "
    "19}]}";

// Balls that go so deep into each other that cloth around what is buried hangs behind the middle of
// one: that has to come back too.
static const char *const deep =
    "{'name': 'c', 'type': 'cloth', 'material': 'cotton', 'rotation': [90, 0, 0],"
    " 'mesh': {'shape': 'grid', 'size': [0.8, 0.8], 'cells': [18, 18]},"
    " 'pins': [{'nearest': [[-0.4, 0.4, 0], [0.4, 0.4, 0]]}]},"
    "{'name': 'a', 'type': 'collider', 'position': [0, 0, -0.3],"
    " 'mesh': {'shape': 'sphere', 'radius': 0.15, 'cells': [16, 10]}, 'motion': [{'frame': 1},"
    " {'frame': 10, 'position': [0, 0, 0.35]}, {'frame': 14, 'position': [0, 0, 0.35]}, {'frame': "
    "22}]},"
    "{'name': 'b', 'type': 'collider', 'position': [0.03, 0.02, 0.3],"
    " 'mesh': {'shape': 'sphere', 'radius': 0.15, 'cells': [16, 10]}, 'motion': [{'frame': 1},"
    " {'frame': 10, 'position': [0, 0, -0.2]}, {'frame': 14, 'position': [0, 0, -0.2]}, {'frame': "
    "22}]}";

// An arm that hangs on a pivot closes on a sheet before a body, 20 mm into it.
static const char *const arm =
    "{'name': 'c', 'type': 'cloth', 'material': 'cotton', 'rotation': [0, 0, 90], 'position': "
    "[0.2, -0.06, 0],"
    " 'mesh': {'shape': 'grid', 'size': [0.5, 0.4], 'cells': [15, 12]},"
    " 'pins': [{'nearest': [[0.2, 0.19, -0.2], [0.2, 0.19, 0.2]]}]},"
    "{'name': 'torso', 'type': 'collider', 'position': [0, -0.15, 0],"
    " 'mesh': {'shape': 'capsule', 'radius': 0.15, 'height': 0.5, 'cells': [16, 8, 4]}},"
    "{'name': 'arm', 'type': 'collider', 'position': [0.48, 0.27, 0], 'rotation': [0, 0, 90],"
    " 'mesh': {'shape': 'capsule', 'radius': 0.05, 'height': 0.4, 'cells': [10, 8, 3]},"
    " 'motion': {'pivot': [0.18, 0.27, 0], 'keys': [{'frame': 1}, {'frame': 9, 'rotation': [0, 0, "
    "-89]},"
    " {'frame': 11, 'rotation': [0, 0, -89]}, {'frame': 19}]}}";

// What hangs over the rim holds what is buried in the upper box: all of it must come back.
static const char *const press =
    "{'name': 'c', 'type': 'cloth', 'material': 'cotton',"
    " 'mesh': {'shape': 'grid', 'size': [0.45, 0.45], 'cells': [12, 12]}},"
    "{'name': 'a', 'type': 'collider', 'position': [0, 0.07, 0],"
    " 'mesh': {'shape': 'box', 'size': [0.3, 0.1, 0.3], 'cells': [4, 1, 4]}, 'motion': [{'frame': "
    "1},"
    " {'frame': 7, 'position': [0, -0.03, 0]}, {'frame': 9, 'position': [0, -0.03, 0]}, {'frame': "
    "15}]},"
    "{'name': 'b', 'type': 'collider', 'position': [0, -0.06, 0],"
    " 'mesh': {'shape': 'box', 'size': [0.3, 0.1, 0.3], 'cells': [4, 1, 4]}}";

// The same, thinner and slower. What hangs beside the upper box is not behind it, and keeps
// contact. The cloth lies a little aside: in the middle a corner that buckles may fold over the
// upper box, and then comes back ring by ring.
static const char *const slow_press =
    "{'name': 'c', 'type': 'cloth', 'material': 'cotton', 'position': [0.002, 0, 0.001],"
    " 'mesh': {'shape': 'grid', 'size': [0.45, 0.45], 'cells': [12, 12]}},"
    "{'name': 'a', 'type': 'collider', 'position': [0, 0.04, 0],"
    " 'mesh': {'shape': 'box', 'size': [0.3, 0.04, 0.3], 'cells': [4, 1, 4]}, 'motion': [{'frame': "
    "1},"
    " {'frame': 14, 'position': [0, -0.03, 0]}, {'frame': 16, 'position': [0, -0.03, 0]}, "
    "{'frame': "
    "29}]},"
    "{'name': 'b', 'type': 'collider', 'position': [0, -0.03, 0],"
    " 'mesh': {'shape': 'box', 'size': [0.3, 0.04, 0.3], 'cells': [4, 1, 4]}}";

// Closed at frame `closed`, open again some frames before `end`.
static void passes(const char *name, const char *objects, int closed, int end, double strain) {
  sim s;
  sightings seen = {0};
  if (sim_open(&s, objects, "lag", 2)) return;
  sim_frames(&s, closed - 1, &seen);
  check_that(seen.lag > 5e-4, __FILE__, __LINE__, "%s: nothing is pinched, %g m behind", name,
             seen.lag);
  CHECK(seen.most == 0 && seen.crossing == 0);
  sim_close(&s);

  memset(&seen, 0, sizeof seen);
  if (sim_open(&s, objects, "ignore", 2)) return;
  sim_frames(&s, closed - 1, &seen);
  check_that(seen.last > 0, __FILE__, __LINE__, "%s: nothing is let go", name);
  check_that(seen.most < s.k.state.nvert / 2, __FILE__, __LINE__,
             "%s: %d of %d vertices are let go", name, seen.most, s.k.state.nvert);
  sim_frames(&s, end - closed, &seen);
  check_that(seen.off < 1e-9 && !(seen.lag > 1e-9), __FILE__, __LINE__, "%s: %g m behind", name,
             seen.off);
  check_that(seen.crossing == 0, __FILE__, __LINE__, "%s: %lld pairs cross that are not let go",
             name, seen.crossing);
  check_that(seen.last == 0, __FILE__, __LINE__, "%s: %d vertices are still let go", name,
             seen.last);
  check_that(largest_strain(&s) < strain, __FILE__, __LINE__, "%s: strain %g in the end", name,
             largest_strain(&s));
  sim_close(&s);
}

// Who is let go is part of the state: what goes on from a copy of it, with another number of
// threads, comes to the same bits.
static void goes_on(const char *objects, int at, int frames) {
  sim a, b;
  sightings seen = {0};
  if (sim_open(&a, objects, "ignore", 2) || sim_open(&b, objects, "ignore", 3)) return;
  sim_frames(&a, at, &seen);
  CHECK(seen.last > 0);
  CHECK(csim_state_copy(&a.k.state, &b.k.state) == 0);
  sim_frames(&a, frames, &seen);
  sim_frames(&b, frames, &seen);
  CHECK(!memcmp(a.k.state.x, b.k.state.x, 3 * (size_t)a.k.state.nvert * sizeof(double)));
  CHECK(!memcmp(a.k.state.kinematic, b.k.state.kinematic,
                3 * (size_t)a.k.state.nkinematic * sizeof(double)));
  sim_close(&a);
  sim_close(&b);
}

static int tries;
static int second_try(const void *user) {
  (void)user;
  return ++tries == 2;
}

// A step that fails and is taken again reviews who is let go again: it comes to the same bits.
static void reviews_again(const char *objects, int at) {
  sim a, b;
  sightings seen = {0};
  csim_step_report report;
  if (sim_open(&a, objects, "ignore", 2) || sim_open(&b, objects, "ignore", 2)) return;
  sim_frames(&a, at, &seen);
  int before = seen.last;
  CHECK(csim_state_copy(&a.k.state, &b.k.state) == 0);
  kit_scene_stop(&b.k, second_try);
  double end = kit_scene_time(&a.k) + 1 / a.k.scene->fps;
  csim_solver_begin_frame(a.k.solver, end);
  csim_solver_begin_frame(b.k.solver, end);
  CHECK(csim_step(a.k.solver, &a.k.state, &report) == 0);
  CHECK(report.contact.released < before); // the review lets contact return
  CHECK(csim_step(b.k.solver, &b.k.state, &report) == -1);
  CHECK(report.method.outcome == CSIM_OUTCOME_STOPPED);
  CHECK(csim_step(b.k.solver, &b.k.state, &report) == 0);
  CHECK(!memcmp(a.k.state.x, b.k.state.x, 3 * (size_t)a.k.state.nvert * sizeof(double)));
  CHECK(!memcmp(a.k.state.kinematic, b.k.state.kinematic,
                3 * (size_t)a.k.state.nkinematic * sizeof(double)));
  sim_close(&a);
  sim_close(&b);
}

// Steps that colliders are stuck, and who is let go where, are indices: a damaged state is refused.
static void refuses_damage(const char *objects, int at) {
  static const double damaged[] = {0.5, -2, 1e300, -1e300, 2147483648.0};
  sim s;
  sightings seen = {0};
  if (sim_open(&s, objects, "ignore", 2)) return;
  sim_frames(&s, at, &seen);
  csim_state *state = &s.k.state;
  int nvert = state->nvert, n = 3 * state->nkinematic;
  int released = n - 3 * nvert, distances = released - 3 * ((nvert + 2) / 3);
  int pins_stuck = distances - 3 * 3; // before two of contact
  CHECK(seen.last > 0 && csim_solver_accepts(s.k.solver, state));
  for (int i = 0; i < nvert; i++) {
    double *by = &state->kinematic[released + i], *out = by + nvert, *was = out + nvert;
    double before = *by;
    if (before <= 0) continue;
    for (int k = 0; k < 5; k++) {
      *by = damaged[k];
      CHECK(!csim_solver_accepts(s.k.solver, state));
    }
    *by = -1; // by all colliders
    CHECK(csim_solver_accepts(s.k.solver, state));
    *by = 1e6;
    CHECK(!csim_solver_accepts(s.k.solver, state));
    *by = before;
    before = *out;
    for (int k = 0; k < 5; k++) {
      *out = damaged[k];
      CHECK(!csim_solver_accepts(s.k.solver, state));
    }
    *out = 0; // a triangle of the cloth
    CHECK(!csim_solver_accepts(s.k.solver, state));
    *out = before;
    before = *was;
    *was = -2;
    CHECK(!csim_solver_accepts(s.k.solver, state));
    *was = before;
  }
  for (int k = 0; k < 5; k++) {
    double before = state->kinematic[pins_stuck];
    state->kinematic[pins_stuck] = damaged[k];
    CHECK(!csim_solver_accepts(s.k.solver, state));
    state->kinematic[pins_stuck] = before;
  }
  CHECK(csim_solver_accepts(s.k.solver, state));
  state->nkinematic--;
  CHECK(!csim_solver_accepts(s.k.solver, state));
  state->nkinematic++;
  sim_close(&s);
}

int main(void) {
  passes("balls", balls, 10, 32, 0.03);
  passes("deep balls", deep, 10, 34, 0.03);
  passes("arm", arm, 10, 40, 0.05);
  passes("press", press, 9, 24, 0.03);
  passes("slow press", slow_press, 15, 28, 0.03);
  goes_on(balls, 9, 4);
  reviews_again(balls, 12);
  refuses_damage(balls, 9);
  return check_report();
}
