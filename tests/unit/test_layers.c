// test_layers: cloths that cross, lie on each other exactly or in the wrong order are put into the
// order of their layers.
#include "check.h"
#include "kit.h"

#include "base/dmath.h"
#include "contact/check_start.h"
#include "contact/layers.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static csim_collision_setup setup_of(const kit_scene *s) {
  return (csim_collision_setup){.model = s->world.model,
                                .ncollider = s->world.ncollider,
                                .collider = s->world.collider,
                                .self = 1,
                                .thickness = s->world.contact.thickness};
}

// What passes through anything, and what is inside of anything, at the start.
static long long crossings(const kit_scene *s) {
  csim_collision_setup setup = setup_of(s);
  check_log log;
  long long total = -1;
  check_log_init(&log);
  CHECK(csim_contact_check_start(s->pool, &setup, 0, NULL, &log.log, &total) == CSIM_OK);
  return total;
}

static csim_layering lay(kit_scene *s) {
  csim_collision_setup setup = setup_of(s);
  csim_layering done;
  CHECK(csim_contact_layers(&setup, s->world.model->x0, &done) == CSIM_OK);
  return done;
}

// Least height of a body's vertices over another body, and of the vertices of the other under its
// faces: > 0 where all that lies over anything is on its outer side.
static double least_height(const kit_scene *s, int outer, int inner) {
  const csim_model *model = s->world.model;
  double least = INFINITY, n[3];
  for (int k = 0; k < 2; k++) {
    const csim_body *a = &model->body[k ? inner : outer], *b = &model->body[k ? outer : inner];
    csim_triangles under = {b->nvert, model->x0 + csim_xyz(b->vert0), b->mesh->ntri, b->mesh->tri};
    csim_arena arena = {0};
    csim_under u;
    CHECK(csim_under_create(&arena, &under, &u) == 0);
    for (int i = 0; i < a->nvert; i++) {
      double height = csim_under_height(&u, model->x0 + csim_xyz(a->vert0 + i), n);
      if (isinf(height)) continue;
      least = csim_min(least, k ? -height : height);
    }
    csim_arena_free(&arena);
  }
  return least;
}

// Two sheets, the outer one first in the scene, as %s places it; layers as given.
static const char sheets[] =
    "{'objects': [{'name': 'outer', 'type': 'cloth', 'material': 'cotton', 'layer': %d, %s\n"
    " 'mesh': {'shape': 'grid', 'size': [0.5, 0.5], 'cells': [%d, %d]}},\n"
    "{'name': 'inner', 'type': 'cloth', 'material': 'cotton', 'layer': %d, \n"
    " 'mesh': {'shape': 'grid', 'size': [0.5, 0.5], 'cells': [20, 20]}}]}";

static void open_sheets(int outer, int inner, const char *place, int nx, int nz, kit_scene *s) {
  char text[1024];
  snprintf(text, sizeof text, sheets, outer, place, nx, nz, inner);
  CHECK(kit_scene_open(text, 1, s) == 0);
}

static void test_sheets(void) {
  static const struct {
    const char *place;
    int nx, nz;
  } c[] = {
      {"", 20, 20},                           // exactly on each other
      {"", 23, 11},                           // in one plane, other triangles
      {"'rotation': [3, 0, 10],", 17, 13},    // through each other
      {"'position': [0, -0.04, 0],", 16, 16}, // on the wrong side
      {"'position': [0.2, -0.01, 0.1], 'rotation': [9, 0, 0],", 9, 9} // coarse, at a corner
  };
  for (int k = 0; k < 5; k++) {
    kit_scene s;
    open_sheets(2, 1, c[k].place, c[k].nx, c[k].nz, &s);
    long long before = crossings(&s);
    if (k != 3) CHECK(before > 0);
    const csim_body *inner = &s.world.model->body[1];
    double *kept = csim_alloc(csim_xyz(inner->nvert), sizeof *kept);
    const double *x = s.world.model->x0 + csim_xyz(inner->vert0);
    memcpy(kept, x, 3 * (size_t)inner->nvert * sizeof *kept);
    csim_layering done = lay(&s);
    check_that(done.after == 0 && crossings(&s) == 0, __FILE__, __LINE__, "case %d: %lld pairs", k,
               crossings(&s));
    double least = least_height(&s, 0, 1);
    check_that(least > 0, __FILE__, __LINE__, "case %d: %g m", k, least);
    CHECK(memcmp(kept, x, 3 * (size_t)inner->nvert * sizeof *kept) == 0); // what is under stays
    CHECK(done.nmoved > 0 && done.farthest < 0.1);
    CHECK(lay(&s).nmoved == 0); // it is in order now
    free(kept);
    kit_scene_close(&s);
  }
}

// The order is the layers', not the scene's; with equal or no layers nothing moves.
static void test_order(void) {
  kit_scene s;
  open_sheets(1, 2, "", 20, 20, &s);
  lay(&s);
  CHECK(crossings(&s) == 0 && least_height(&s, 1, 0) > 0);
  kit_scene_close(&s);
  static const int same[3][2] = {{0, 0}, {3, 3}, {0, 1}};
  for (int k = 0; k < 3; k++) {
    open_sheets(same[k][0], same[k][1], "", 20, 20, &s);
    CHECK(lay(&s).nmoved == 0 && crossings(&s) > 0);
    kit_scene_close(&s);
  }
}

// A ball, and three tubes that are too narrow for it and each other.
static void test_tubes(void) {
  static const char text[] =
      "{'objects': [{'name': 'ball', 'type': 'collider', 'layer': 1, 'mesh': {'shape': 'sphere', "
      "'radius': 0.2}},\n"
      "{'name': 'c', 'type': 'cloth', 'layer': 900, 'material': 'cotton', 'rotation': [4, 0, 3],\n"
      " 'mesh': {'shape': 'tube', 'radius': 0.19, 'height': 0.3, 'cells': [40, 12]}},\n"
      "{'name': 'b', 'type': 'cloth', 'layer': 7, 'material': 'cotton', 'rotation': [0, 0, -6],\n"
      " 'mesh': {'shape': 'tube', 'radius': 0.2, 'height': 0.4, 'cells': [30, 16]}},\n"
      "{'name': 'a', 'type': 'cloth', 'layer': 2, 'material': 'cotton',\n"
      " 'mesh': {'shape': 'tube', 'radius': 0.19, 'height': 0.3, 'cells': [48, 16]}}]}";
  kit_scene s;
  CHECK(kit_scene_open(text, 1, &s) == 0);
  CHECK(crossings(&s) > 0);
  lay(&s);
  CHECK(crossings(&s) == 0);
  CHECK(least_height(&s, 0, 1) > 0 && least_height(&s, 1, 2) > 0 && least_height(&s, 0, 2) > 0);
  const csim_body *a = &s.world.model->body[2];
  for (int i = 0; i < a->nvert; i++)
    CHECK(csim_norm(s.world.model->x0 + csim_xyz(a->vert0 + i)) > 0.2 * cos(CSIM_PI / 32));
  kit_scene_close(&s);
}

// Pinned vertices stay, and so do meshes without area.
static void test_stays(void) {
  kit_scene s;
  open_sheets(2, 1, "'pins': [{'box': [[-9, -9, -9], [9, 9, 9]]}],", 20, 20, &s);
  csim_layering done = lay(&s);
  CHECK(done.nmoved == 0 && done.after > 0 && done.after == done.before);
  kit_scene_close(&s);
  open_sheets(2, 1, "'scale': 1e-9,", 3, 3, &s);
  CHECK(lay(&s).after == 0);
  kit_scene_close(&s);
}

static void test_heights(void) {
  static const double x[4][3] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
  static const int tri[6] = {0, 2, 1, 0, 3, 2};
  csim_triangles square = {4, x[0], 2, tri};
  csim_arena arena = {0};
  csim_under u;
  double n[3];
  CHECK(csim_under_create(&arena, &square, &u) == 0);
  CHECK_NEAR(csim_under_height(&u, (double[]){0.3, 0.05, 0.6}, n), 0.05, 1e-15);
  CHECK(n[0] == 0 && n[1] == 1 && n[2] == 0);
  CHECK_NEAR(csim_under_height(&u, (double[]){0.3, -0.05, 0.6}, n), -0.05, 1e-15);
  CHECK(csim_under_height(&u, (double[]){0, 0, 0}, n) == 0);             // on its corner
  CHECK(isinf(csim_under_height(&u, (double[]){0.3, -0.2, 0.6}, n)));    // far
  CHECK(isinf(csim_under_height(&u, (double[]){-0.05, -0.01, 0.6}, n))); // beside
  csim_arena_free(&arena);
}

int main(void) {
  test_heights();
  test_sheets();
  test_order();
  test_tubes();
  test_stays();
  return check_report();
}
