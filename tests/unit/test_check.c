// test_check: what the check of a mesh finds, and what it leaves alone.
#include "check.h"
#include "kit.h"

#include "mesh/check.h"
#include "mesh/shapes.h"
#include "mesh/triangulate.h"

#include <stdio.h>
#include <string.h>

typedef struct lines {
  csim_log log;
  int n;
  char text[16][300];
} lines;

static void collect(void *user, const csim_message *message) {
  lines *l = user;
  if (l->n < 16) snprintf(l->text[l->n++], sizeof l->text[0], "%s", message->text);
}

static int says(const lines *l, const char *text) {
  for (int i = 0; i < l->n; i++)
    if (strstr(l->text[i], text)) return 1;
  return 0;
}

static csim_mesh make_triangles(int nvert, const double *x, int ntri, const int *tri) {
  csim_mesh m = {.nvert = nvert, .nface = ntri};
  m.vert = CSIM_ARENA_NEW(&m.arena, double, 3 * nvert);
  m.face_start = CSIM_ARENA_NEW(&m.arena, int, ntri + 1);
  m.face_vert = CSIM_ARENA_NEW(&m.arena, int, 3 * ntri);
  memcpy(m.vert, x, 3 * (size_t)nvert * sizeof *x);
  memcpy(m.face_vert, tri, 3 * (size_t)ntri * sizeof *tri);
  for (int i = 0; i <= ntri; i++) m.face_start[i] = 3 * i;
  CHECK(csim_mesh_triangulate(&m, (csim_place){0}, NULL) == CSIM_OK);
  return m;
}

static void test_check_sound(void) {
  csim_mesh m = kit_shape((csim_shape_spec){.kind = CSIM_SHAPE_KIND_BOX, .size = {1, 2, 3}});
  csim_mesh_facts f;
  CHECK(csim_mesh_check(&m, NULL, &f) == CSIM_OK);
  CHECK(f.closed);
  lines l = {.log = {.write = collect, .user = &l}};
  CHECK(csim_mesh_report(&f, (csim_place){0}, &l.log) == 0 && l.n == 0);
  csim_mesh_free(&m);
}

static void test_check_faults(void) {
  //  vertices: a unit square, a second one beside it, one loose, one at the place of 2
  static const double x[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 2, 0, 0,
                             3, 0, 0, 5, 5, 5, 1, 1, 0, 9, 0, 0, 9, 0, 1};
  static const int tri[] = {0, 1, 2, // face 0
                            0, 2, 3, // face 1
                            1, 4, 2, // face 2, right
                            2, 0, 1, // face 3: face 0 again, so 0-2, 0-1, 1-2 get a third or second
                            1, 4, 5, // face 4: on a line, and wound against face 2
                            7, 8, 9}; // face 5: a part of its own
  csim_mesh m = make_triangles(10, x, 6, tri);
  csim_mesh_facts f;
  CHECK(csim_mesh_check(&m, NULL, &f) == CSIM_OK);
  CHECK(!f.closed);
  CHECK(f.loose.count == 1 && f.loose.vert[0] == 6);
  CHECK(f.coincident.count == 1 && f.coincident.vert[0] == 2 && f.coincident.vert[1] == 7);
  CHECK(f.duplicate.count == 1 && f.duplicate.face[0] == 0 && f.duplicate.face[1] == 3);
  CHECK(f.degenerate.count == 1 && f.degenerate.face[0] == 4);
  CHECK(f.nonmanifold.count == 2 && f.nonmanifold.vert[0] == 0 && f.nonmanifold.vert[1] == 2);
  CHECK(f.flipped.count == 2 && f.flipped.vert[0] == 0 && f.flipped.vert[1] == 1);
  CHECK(f.boundary.vert[0] == 0 && f.boundary.vert[1] == 3 && f.boundary.face[0] == 1);
  lines l = {.log = {.write = collect, .user = &l}};
  CHECK(csim_mesh_report(&f, (csim_place){0}, &l.log) == 6 && l.log.nwarning == 6);
  CHECK(says(&l, "1 duplicate face, the first 3 (same vertices as face 0)"));
  CHECK(says(&l, "between vertices 0 and 2 (faces 0, 1, ...)"));
  CHECK(says(&l, "1 vertex that no face uses, the first is 6"));
  CHECK(csim_mesh_report(&f, (csim_place){0}, NULL) == 6);
  csim_mesh_free(&m);
}

static void test_check_duplicate_quads(void) {
  // the same quad from another corner has other triangles, and one turned over, too
  static const double p[][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
  csim_mesh m = kit_polygon(4, p);
  static const int face[] = {0, 1, 2, 3, 1, 2, 3, 0, 3, 2, 1, 0};
  m.nface = 3;
  m.face_vert = CSIM_ARENA_NEW(&m.arena, int, 12);
  m.face_start = CSIM_ARENA_NEW(&m.arena, int, 4);
  memcpy(m.face_vert, face, sizeof face);
  for (int i = 0; i < 4; i++) m.face_start[i] = 4 * i;
  CHECK(csim_mesh_triangulate(&m, (csim_place){0}, NULL) == CSIM_OK);
  csim_mesh_facts f;
  CHECK(csim_mesh_check(&m, NULL, &f) == CSIM_OK);
  CHECK(f.duplicate.count == 2 && f.duplicate.face[0] == 0 && f.duplicate.face[1] == 1);
  csim_mesh_free(&m);
}

int main(void) {
  test_check_sound();
  test_check_faults();
  test_check_duplicate_quads();
  return check_report();
}
