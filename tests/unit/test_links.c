// test_links: attachments and seams against statics: how far they give, when they tear, and that
// a pulled string does not push.
#include "check.h"
#include "kit.h"
#include "math/vec3.h"
#include "model/links.h"

#include <stdlib.h>
#include <string.h>

static const double MASS = 0.1, STIFF = 500, LENGTH = 0.3;

// A weight on a string from a pinned vertex, or from a point of a pinned triangle.
static void begin_weight(int face, const char *method, const char *linear, csim_link_group *group,
                         csim_link *link, csim_elements *links, kit *k) {
  static const double x[12] = {0, -0.3, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  int n = face ? 4 : 2;
  kit_begin(n, x, MASS, 0.01, k);
  for (int i = 1; i < n; i++) kit_pin(k, i);
  *link = (csim_link){.length = LENGTH, .closed_length = LENGTH};
  k->model->links.group = group;
  k->model->links.link = link;
  k->model->links.nlink = k->model->links.ngroup = 1;
  k->model->body[0].damping = 15;
  k->params.method = method;
  k->params.linear = linear;
  k->params.iterations = 300;
  *links = (csim_elements){.kind = face ? &csim_link_face_kind : &csim_link_kind};
  csim_elements_add(links, (int[]){0, 1, 2, 3}, (double[]){STIFF, 0, 0, 0, 0.5, 0.25, 0.25});
}

static void ready(kit *k, const csim_elements *links) {
  const csim_elements *sets[] = {&k->springs, links};
  CHECK(csim_model_assemble(k->model, 2, sets) == 0);
  CHECK(csim_state_create(k->model, &k->state) == 0);
  k->pool = csim_pool_create(1);
  k->solver = csim_solver_create(
      &(csim_solver_setup){.model = k->model, .params = k->params, .pool = k->pool, .h = k->h});
  CHECK(k->solver != NULL);
}

// The weight hangs m g / k below the end of the string, straight under its point.
static void test_hanging(void) {
  static const struct {
    const char *method;
    const char *linear;
  } how[] = {{"newton", "cholesky"}, {"newton", "pcg"}, {"descent", 0}, {"pd", 0}, {"xpbd", 0}};
  for (int m = 0; m < 10; m++) {
    int face = m >= 5;
    kit k;
    csim_link_group group = {.begin = -INFINITY, .end = INFINITY, .closed = -INFINITY};
    csim_link link;
    csim_elements links;
    begin_weight(face, how[m % 5].method, how[m % 5].linear, &group, &link, &links, &k);
    ready(&k, &links);
    for (int n = 0; n < 400; n++) kit_step(&k);
    // the point of the face is (1/4, 0, 1/4)
    double at = face ? 0.25 : 0, sag = MASS * 9.81 / STIFF;
    CHECK_NEAR(k.state.x[0], at, 1e-3);
    CHECK_NEAR(k.state.x[1], -LENGTH - sag, 0.01 * sag);
    CHECK_NEAR(k.state.x[2], at, 1e-3);
    CHECK_NEAR(csim_links_gap(k.model, 0, k.state.x, NULL, NULL), LENGTH + sag, 0.01 * sag);
    csim_elements_free(&links);
    kit_end(&k);
  }
}

// Gravity grows by 10 m/s^2 a second: the string tears when it carries its force, at 2 s, and then
// the weight falls freely. A string that is let go before does not pull any more either.
static void test_tearing(void) {
  for (int released = 0; released < 2; released++) {
    kit k;
    csim_link_group group = {.begin = -INFINITY,
                             .end = released ? 1 : INFINITY,
                             .closed = -INFINITY,
                             .force = released ? 1e9 : MASS * 20};
    csim_link link;
    csim_elements links;
    csim_curve_key key[] = {{0, {0}}, {10, {0, -100, 0}}};
    begin_weight(0, "newton", "cholesky", &group, &link, &links, &k);
    k.model->gravity_key = (csim_curve){2, key};
    k.model->links.tears = 1;
    ready(&k, &links);
    double torn = 0, v = 0;
    for (int n = 1; n <= 300 && torn == 0; n++) {
      kit_step(&k);
      if (released ? n == 100 : k.state.torn[0]) torn = n * k.h;
    }
    CHECK_NEAR(torn, released ? 1 : 2, 0.05 * 2);
    v = k.state.v[1];
    for (int n = 0; n < 10; n++) {
      double time = torn + (n + 0.5) * k.h;
      v = exp(-15 * k.h) * v - k.h * 10 * time;
      kit_step(&k);
      CHECK_NEAR(k.state.v[1], v, 1e-9);
    }
    CHECK(released ||
          csim_links_gap(k.model, 0, k.state.x, k.state.torn, NULL) == 0); // no string is left
    csim_elements_free(&links);
    kit_end(&k);
  }
}

// A string that is not taut does nothing: the weight inside of its reach falls until it is.
static void test_slack(void) {
  kit k;
  csim_link_group group = {.begin = -INFINITY, .end = INFINITY, .closed = -INFINITY};
  csim_link link;
  csim_elements links;
  begin_weight(0, "newton", "pcg", &group, &link, &links, &k);
  link.length = link.closed_length = 0.5;
  k.model->body[0].damping = 0;
  ready(&k, &links);
  for (int n = 1; n <= 15; n++) {
    kit_step(&k);
    CHECK_NEAR(k.state.x[1], -0.3 - 9.81 * k.h * k.h * n * (n + 1) / 2, 1e-12);
  }
  csim_elements_free(&links);
  kit_end(&k);
}

// Lengths of a closing seam go to the closed length, each in its share of the time, and stay.
// Stitches that wait keep their direction, those that close are weak, closed ones are as stiff as
// can be.
static void test_closing(void) {
  csim_link link[3] = {{.length = 0.3, .closed_length = 0.001, .end = 1},
                       {.length = 0.1, .end = 1},
                       {.length = 0.1, .begin = 0.5, .end = 0.75, .direction = {0, 0.6, 0.8}}};
  csim_link_group group = {.begin = 1, .end = INFINITY, .closed = 3};
  csim_model model = {.links = {.nlink = 3, .link = link, .ngroup = 1, .group = &group}};
  enum { SECOND = CSIM_LINK_NOW, THIRD = 2 * CSIM_LINK_NOW };
  double now[3 * CSIM_LINK_NOW];
  csim_links_at(&model, 0.5, NULL, now);
  CHECK(now[0] == 0 && now[SECOND] == 0);
  csim_links_at(&model, 2, NULL, now);
  CHECK(now[0] == 1);
  CHECK_NEAR(now[1], 0.1505, 1e-15);
  CHECK_NEAR(now[SECOND + 1], 0.05, 1e-15);
  CHECK(now[THIRD + 1] == 0.1);
  CHECK(now[THIRD + 3] == 0.6 && now[THIRD + 4] == 0.8 && now[3] == 0);
  double waiting = now[THIRD + 5], half = now[5];
  CHECK(waiting > 0 && waiting < half);
  csim_links_at(&model, 2.25, NULL, now);
  CHECK_NEAR(now[THIRD + 1], 0.05, 1e-15);
  CHECK(now[THIRD + 3] == 0 && now[5] == half);
  csim_links_at(&model, 2.5, NULL, now);
  CHECK(now[THIRD + 1] == 0 && now[SECOND + 1] > 0);
  csim_links_at(&model, 9, (unsigned char[]){0, 1, 0}, now);
  CHECK_NEAR(now[1], 0.001, 1e-15);
  CHECK(now[SECOND] == 0); // torn
  CHECK(now[5] == 0 && now[THIRD + 5] == 0 && now[THIRD + 4] == 0);
}

// A closed stitch keeps its direction to the cloth at its end: exactly when this turns about its
// normal, or about an edge. One that is open, too short or without cloth has none.
static void test_directions(void) {
  static const double h = 0.01, x[15] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 3e-4, 0, 4e-4, 1e-7, 0, 0};
  csim_link link = {.length = 5e-4, .closed_length = 5e-4, .end = 1, .frame = {0, 1, 2}};
  csim_link_group group = {.begin = 0, .end = INFINITY, .closed = 1};
  csim_elements links = {.kind = &csim_link_kind};
  csim_model model = {.nvert = 5,
                      .links = {.nlink = 1, .link = &link, .ngroup = 1, .group = &group}};
  csim_energy energy;
  csim_arena arena = {0};
  double now[CSIM_LINK_NOW];
  csim_elements_add(&links, (int[]){3, 0}, (double[]){STIFF, 0, 0, 0});
  CHECK(csim_energy_create(&arena, links.kind, 5, 1, links.node, links.param, &energy) == 0);
  model.nenergy = 1;
  model.energy = &energy;
  for (int axis = 0; axis < 3; axis += 2) {
    double v[15], w[3] = {0, 0, 0}, a = atan(7 * h);
    w[axis] = 7;
    for (int i = 0; i < 5; i++) csim_cross(w, x + csim_xyz(i), v + csim_xyz(i));
    csim_links_at(&model, 2, NULL, now);
    CHECK(now[2] == 0 && now[3] == 0 && now[4] == 0);
    csim_links_direct(&model, x, v, h, now);
    CHECK_NEAR(now[2], axis ? 0.6 * cos(a) : 0.6, 1e-14);
    CHECK_NEAR(now[3], axis ? 0.6 * sin(a) : -0.8 * sin(a), 1e-14);
    CHECK_NEAR(now[4], axis ? 0.8 : 0.8 * cos(a), 1e-14);
  }
  for (int without = 0; without < 3; without++) {
    static const double still[15] = {0};
    double at[15];
    memcpy(at, x, sizeof at);
    link.frame[1] = without == 0 ? 0 : 1;
    if (without == 1) memcpy(at + 9, x + 12, 3 * sizeof *at);
    link.length = 1e-3;
    csim_links_at(&model, without == 2 ? 0.5 : 2, NULL, now);
    csim_links_direct(&model, at, still, h, now);
    CHECK(now[2] == 0 && now[3] == 0 && now[4] == 0);
  }
  csim_elements_free(&links);
  csim_arena_free(&arena);
}

// A stiff string on a light vertex is 0.1 mm too long at the start: the first step takes it in, and
// leaves the vertex a speed of that way in a step, not of the force over the mass (667 km/s^2).
static void test_start(void) {
  static const double x[6] = {0, -0.3, 0, 0, 0, 0}, way = 1e-4;
  kit k;
  csim_link_group group = {.begin = -INFINITY, .end = INFINITY, .closed = -INFINITY};
  csim_link link = {.length = 0.3 - way, .closed_length = 0.3 - way};
  csim_elements links = {.kind = &csim_link_kind};
  kit_begin(2, x, 1.5e-6, 0.01, &k);
  kit_pin(&k, 1);
  k.model->gravity[1] = 0;
  k.model->links.group = &group;
  k.model->links.link = &link;
  k.model->links.nlink = k.model->links.ngroup = 1;
  k.params.integrator = CSIM_INTEGRATOR_ALPHA;
  csim_elements_add(&links, (int[]){0, 1}, (double[]){1e4, 0, 0, 0});
  ready(&k, &links);
  for (int n = 1; n <= 3; n++) {
    kit_step(&k);
    CHECK(fabs(k.state.x[1] + 0.3 - way) <= 3 * n * way);
    CHECK(fabs(k.state.v[1]) <= 3 * way / k.h);
  }
  CHECK(csim_links_gap(k.model, 0, k.state.x, NULL, NULL) <= 0.3 - way + 1e-6);
  csim_elements_free(&links);
  kit_end(&k);
}

int main(void) {
  test_start();
  test_hanging();
  test_tearing();
  test_slack();
  test_closing();
  test_directions();
  return check_report();
}
