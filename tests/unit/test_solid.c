// test_solid: closed surfaces, their volumes and cavities, and each kind of defect by its message.
#include "check.h"

#include "mesh/solid.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 4 };

// Boxes of a cube's surface: 8 vertices and 12 triangles each.
typedef struct boxes {
  int n;
  double vert[24 * MOST];
  int tri[36 * MOST];
} boxes;

static void add_box(boxes *b, double middle, double half, int inward) {
  static const int FACES[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6},
                                   {0, 1, 4}, {1, 5, 4}, {2, 6, 3}, {3, 6, 7},
                                   {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
  for (int v = 0; v < 8; v++)
    for (int k = 0; k < 3; k++)
      b->vert[24 * b->n + 3 * v + k] = middle + (v >> k & 1 ? half : -half);
  for (int t = 0; t < 12; t++)
    for (int k = 0; k < 3; k++)
      b->tri[36 * b->n + 3 * t + k] = 8 * b->n + FACES[t][inward ? 2 - k : k];
  b->n++;
}

// All messages of the last call.
static char said[4000];

static void keep(void *user, const csim_message *message) {
  (void)user;
  size_t n = strlen(said);
  snprintf(said + n, sizeof said - n, "%s\n", message->text);
}

static csim_status try(const boxes *b, int ntri, csim_solid *solid, csim_log *log) {
  csim_surface s = {
      .name = "solid \"box\"", .nvert = 8 * b->n, .vert = b->vert, .ntri = ntri, .tri = b->tri};
  *log = (csim_log){.write = keep};
  said[0] = 0;
  return csim_check_solid(&s, (csim_place){0}, log, solid);
}

static void refuse(int line, const boxes *b, int ntri, const char *says) {
  csim_log log;
  csim_solid solid;
  csim_status status = try(b, ntri, &solid, &log);
  check_that(status == CSIM_INVALID, __FILE__, line, "accepted");
  check_that(strstr(said, says) != NULL, __FILE__, line, "says \"%s\"", said);
  check_that(solid.ntri == 0 && !solid.tri, __FILE__, line, "not empty");
}

static void test_sound(void) {
  boxes b = {0};
  csim_solid solid;
  csim_log log;
  add_box(&b, 0, 1, 0);
  CHECK(try(&b, 12, &solid, &log) == CSIM_OK && solid.ntri == 12 && solid.nhole == 0);
  CHECK_NEAR(solid.volume, 8, 1e-12);
  CHECK(!memcmp(solid.tri, b.tri, 36 * sizeof(int)));
  csim_solid_free(&solid);
  add_box(&b, 0, 0.5, 1); // a cavity
  CHECK(try(&b, 24, &solid, &log) == CSIM_OK && solid.nhole == 1);
  CHECK_NEAR(solid.volume, 7, 1e-12);
  for (int k = 0; k < 3 && solid.nhole == 1; k++) CHECK(fabs(solid.hole[k]) < 0.5);
  csim_solid_free(&solid);
  add_box(&b, 0, 0.25, 0); // a body within it
  CHECK(try(&b, 36, &solid, &log) == CSIM_OK && solid.nhole == 1);
  CHECK_NEAR(solid.volume, 7.125, 1e-12);
  csim_solid_free(&solid);
  boxes inward = {0};
  add_box(&inward, 3, 1, 1); // turned around, with a warning
  CHECK(try(&inward, 12, &solid, &log) == CSIM_OK && log.nwarning == 1);
  CHECK_NEAR(solid.volume, 8, 1e-12);
  csim_solid_free(&solid);
  double error, o[3] = {5, 5, 5};
  CHECK_NEAR(csim_signed_volume(o, b.vert, 12, b.tri, &error), 8, error);
  CHECK(error > 0 && error < 1e-11);
}

static void test_defects(void) {
  boxes b = {0};
  add_box(&b, 0, 1, 0);
  refuse(__LINE__, &b, 11, "is not closed");
  refuse(__LINE__, &b, 3, "enclose nothing");
  boxes bad = b;
  bad.tri[0] = 99;
  refuse(__LINE__, &bad, 12, "names vertex 99");
  bad = b;
  bad.tri[1] = bad.tri[0];
  refuse(__LINE__, &bad, 12, "twice");
  bad = b;
  bad.vert[5] = NAN;
  refuse(__LINE__, &bad, 12, "not a number");
  bad = b;
  int swap = bad.tri[0];
  bad.tri[0] = bad.tri[1], bad.tri[1] = swap;
  refuse(__LINE__, &bad, 12, "wound against its neighbours");
  bad = b;
  memcpy(bad.tri + 36, bad.tri, 3 * sizeof(int)); // the first triangle again
  refuse(__LINE__, &bad, 13, "same vertices");
  bad = b;
  for (int k = 0; k < 3; k++) bad.vert[21 + k] -= 3; // corner 7 through the opposite sides
  refuse(__LINE__, &bad, 12, "intersect");
  bad = b;
  add_box(&bad, 1.5, 1, 0); // two boxes that overlap
  refuse(__LINE__, &bad, 24, "intersect");
}

int main(void) {
  test_sound();
  test_defects();
  return check_report();
}
