// test_responses: impulses and penalty springs against analytic colliders, which give no guarantee
// but have closed forms of their own; the continuous test against samples of the way; friction of
// pairs.
#include "check.h"
#include "kit.h"

#include "contact/friction.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

static const csim_collider shapes[] = {
    {.name = "plane", .shape = CSIM_COLLIDER_PLANE},
    {.name = "sphere", .shape = CSIM_COLLIDER_SPHERE, .radius = 0.4},
    {.name = "box", .shape = CSIM_COLLIDER_BOX, .half_size = {0.4, 0.1, 0.3}},
    {.name = "capsule", .shape = CSIM_COLLIDER_CAPSULE, .radius = 0.2, .half_height = 0.3},
    {.name = "cylinder", .shape = CSIM_COLLIDER_CYLINDER, .radius = 0.3, .half_height = 0.05}};
enum { NSHAPE = sizeof shapes / sizeof *shapes, SAMPLES = 2000 };

// The first touch is where samples of the way say, and the least distance on the way agrees.
static void test_touch(void) {
  unsigned seed = 5;
  int touched = 0, missed = 0;
  for (int trial = 0; trial < 2000; trial++) {
    const csim_collider *shape = &shapes[trial % NSHAPE];
    double a[3], b[3], x[3], n[3], t, distance = 0.01, first = 2, least = INFINITY;
    for (int c = 0; c < 3; c++) {
      a[c] = 2.5 * kit_random(&seed);
      b[c] = 2.5 * kit_random(&seed);
    }
    double length = csim_distance(a, b);
    int begins_inside = csim_collider_distance(shape, a, n) <= distance;
    for (int s = 0; s <= SAMPLES; s++) {
      for (int c = 0; c < 3; c++) x[c] = a[c] + (b[c] - a[c]) * s / SAMPLES;
      double phi = csim_collider_distance(shape, x, n);
      least = fmin(least, phi);
      if (phi <= distance && first > 1) first = (double)s / SAMPLES;
    }
    int touches = csim_collider_touch(shape, a, b, distance, &t, n);
    if (begins_inside) {
      CHECK(!touches);
    } else if (least <= distance) {
      touched++;
      check_that(touches && fabs(t - first) < 1.5 / SAMPLES, __FILE__, __LINE__,
                 "%s: touch at %g, sampled %g, least %.12g, t %g", shape->name, touches ? t : -1,
                 first, least, t);
      if (touches) CHECK_NEAR(csim_norm(n), 1, 1e-12);
    } else if (least > distance + length / SAMPLES) {
      missed++;
      check_that(!touches, __FILE__, __LINE__, "%s: touches at %g, but stays %g away", shape->name,
                 t, least);
    }
  }
  CHECK(touched > 300 && missed > 300);
}

/// One vertex and a collider, by symplectic steps.
typedef struct ball {
  kit k;
  csim_collider collider;
  csim_solver_setup setup;
} ball;

static void ball_begin(const csim_collider *collider, csim_response response,
                       csim_contact_test test, const double x[3], const double v[3], double h,
                       ball *b) {
  *b = (ball){.collider = *collider};
  memcpy(b->collider.R, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, sizeof b->collider.R);
  kit_begin(1, x, 1, h, &b->k);
  CHECK(csim_model_assemble(b->k.model, 0, NULL) == 0 &&
        csim_state_create(b->k.model, &b->k.state) == 0);
  memcpy(b->k.state.v, v, 3 * sizeof *v);
  b->k.params.method = "symplectic";
  b->setup = (csim_solver_setup){
      .model = b->k.model,
      .params = b->k.params,
      .contact = {.response = response, .test = test, .thickness = 1e-3, .penalty = 0.25},
      .ncollider = 1,
      .collider = &b->collider,
      .h = h};
}

static void ball_run(int steps, ball *b) {
  b->k.solver = csim_solver_create(&b->setup);
  CHECK(b->k.solver != NULL);
  for (int n = 0; n < steps && b->k.solver; n++) kit_step(&b->k);
}

// A fast vertex goes through a thin slab by the discrete test, and not by the continuous one; also
// when it is the slab that moves.
static void test_tunnelling(void) {
  static const csim_key keys[2] = {{.time = 0}, {.time = 1, .position = {0, 50, 0}}};
  csim_collider slab = {.name = "slab", .shape = CSIM_COLLIDER_BOX, .half_size = {1, 0.005, 1}};
  for (int moving = 0; moving < 2; moving++)
    for (int response = 0; response < 2; response++)
      for (int test = 0; test < 2; test++) {
        ball b;
        double v = moving ? 0 : -50;
        ball_begin(&slab, response ? CSIM_RESPONSE_PENALTY : CSIM_RESPONSE_IMPULSE,
                   (csim_contact_test)test, (double[]){0, 0.3, 0}, (double[]){0, v, 0}, 1.0 / 60,
                   &b);
        memset(b.k.model->gravity, 0, sizeof b.k.model->gravity);
        if (moving)
          b.collider.motion = (csim_motion){.nkey = 2, .key = (csim_key *)(uintptr_t)keys};
        ball_run(1, &b);
        double y = b.k.state.x[1], top = moving ? 50.0 / 60 + 0.005 : 0.005;
        if (!test)
          check_that(y < top - 0.01, __FILE__, __LINE__, "stopped by the discrete test at %g", y);
        else if (!response)
          CHECK_NEAR(y, top + 1e-3, 1e-6);
        else // a soft spring, but with a dashpot that takes the approach
          check_that(y > top, __FILE__, __LINE__, "penalty lets it through to %g", y);
        kit_end(&b.k);
      }
}

// Rest: the dashpot takes what gravity adds in a step, and the spring lifts until the place
// predicted with gravity is just at the thickness.
static void test_penalty_rest(void) {
  ball b;
  const double h = 1.0 / 240;
  ball_begin(&shapes[0], CSIM_RESPONSE_PENALTY, CSIM_TEST_DISCRETE, (double[]){0, 0.01, 0},
             (double[]){0, 0, 0}, h, &b);
  ball_run(2000, &b);
  CHECK_NEAR(b.k.state.v[1], 0, 1e-5);
  CHECK_NEAR(b.k.state.x[1], 1e-3 + 9.81 * h * h, 1e-6);
  kit_end(&b.k);
}

// What rests on a plane, or is lifted by it, has the plane's speed, with every integrator that
// takes impulses; what slides there loses mu g. Generalized-alpha kept half a step of gravity as a
// speed downward.
static void test_rest(void) {
  static const csim_integrator integrators[] = {CSIM_INTEGRATOR_EULER, CSIM_INTEGRATOR_ALPHA,
                                                CSIM_INTEGRATOR_BDF2};
  static const csim_key keys[2] = {{.time = 0}, {.time = 1, .position = {0, 0.3, 0}}};
  const double h = 1.0 / 131, mu = 0.23;
  enum { STEPS = 60 };
  for (int run = 0; run < 6; run++) {
    ball b;
    int lifts = run % 2;
    ball_begin(&shapes[0], CSIM_RESPONSE_IMPULSE, CSIM_TEST_DISCRETE, (double[]){0, 0.011, 0},
               (double[]){2, 0, 0}, h, &b);
    b.setup.params.method = "newton";
    b.setup.params.integrator = integrators[run / 2];
    b.k.model->body[0].friction = b.collider.friction = mu;
    if (lifts) b.collider.motion = (csim_motion){.nkey = 2, .key = (csim_key *)(uintptr_t)keys};
    ball_run(STEPS, &b);
    CHECK_NEAR(b.k.state.v[1], lifts ? 0.3 : 0, 1e-9);
    CHECK_NEAR(b.k.state.x[1], 1e-3 + (lifts ? 0.3 * STEPS * h : 0), 1e-9);
    double v = b.k.state.v[0]; // landing takes mu times the speed of the fall
    kit_step(&b.k);
    CHECK_NEAR(b.k.state.v[0], v - mu * 9.81 * h, 1e-9);
    CHECK_NEAR(v, 2 - mu * (9.81 * STEPS * h + (lifts ? 0.3 : 0)), mu * 9.81 * h);
    kit_end(&b.k);
  }
}

// BDF2 looks back, and ahead by a third of a step, here over the slab: the path that the continuous
// test follows begins where the step does.
static void test_tunnelling_bdf2(void) {
  csim_collider slab = {.name = "slab", .shape = CSIM_COLLIDER_BOX, .half_size = {1, 0.005, 1}};
  ball b;
  ball_begin(&slab, CSIM_RESPONSE_IMPULSE, CSIM_TEST_CONTINUOUS, (double[]){0, 1, 0},
             (double[]){0, -50, 0}, 1.0 / 60, &b);
  memset(b.k.model->gravity, 0, sizeof b.k.model->gravity);
  b.setup.params.method = "newton";
  b.setup.params.integrator = CSIM_INTEGRATOR_BDF2;
  ball_run(2, &b);
  CHECK_NEAR(b.k.state.x[1], 0.006, 1e-6);
  kit_end(&b.k);
}

// Friction: what the scene says about the pair goes before the smaller of the two.
static void test_pair_friction(void) {
  csim_pair_friction pair = {.part = {1, 0}, .friction = 0.5};
  for (int with = 0; with < 2; with++) {
    ball b;
    ball_begin(&shapes[0], CSIM_RESPONSE_IMPULSE, CSIM_TEST_DISCRETE, (double[]){0, 1e-3, 0},
               (double[]){3, 0, 0}, 1.0 / 240, &b);
    b.k.model->body[0].friction = 0.2;
    b.collider.friction = 0.9;
    b.setup.contact.nfriction = with;
    b.setup.contact.pair_friction = &pair;
    ball_run(60, &b);
    CHECK_NEAR(b.k.state.v[0], 3 - (with ? 0.5 : 0.2) * 9.81 * 0.25, 1e-9);
    CHECK(csim_friction_coefficient(&b.setup.contact, b.k.model, &b.collider, 0, 1, NULL) ==
          (with ? 0.5 : 0.2));
    kit_end(&b.k);
  }
}

int main(void) {
  test_touch();
  test_tunnelling();
  test_tunnelling_bdf2();
  test_penalty_rest();
  test_rest();
  test_pair_friction();
  return check_report();
}
