// test_obj_write: the OBJ writer, and every bit back through the reader.
#include "check.h"
#include "kit.h"

#include "io/file.h"
#include "io/mesh_file.h"
#include "io/obj_write.h"
#include "mesh/shapes.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void test_obj_write(void) {
  csim_mesh m =
      kit_parse("a.obj", V3 "v 1 1 0.333333333333333333\nv 7 7 7\nvt 0 0.1\nvt 1 0\n"
                            "f 1 2 3\no body\ng arm leg\nf 1/1 2/2 4 3/1\nusemtl red\nf 1 2 4\n"
                            "g\nf 4 3 1\n");
  const char *path = kit_path("out.obj");
  CHECK(csim_obj_write(path, &m, NULL, 17, NULL) == CSIM_OK);
  char *data;
  size_t size;
  CHECK(csim_file_read(path, 10000, NULL, &data, &size) == CSIM_OK);
  CHECK_TEXT(data, "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0.33333333333333331\nv 7 7 7\n"
                   "vt 0 0.10000000000000001\nvt 1 0\nf 1 2 3\no body\ng arm leg\n"
                   "f 1/1 2/2 4 3/1\nusemtl red\nf 1 2 4\ng\nf 4 3 1\n");
  csim_mesh again;
  CHECK(csim_mesh_read(path, NULL, &again) == CSIM_OK);
  CHECK(again.nvert == m.nvert && !memcmp(again.vert, m.vert, 15 * sizeof(double)));
  CHECK(kit_same_ints(again.face_vert, 13, m.face_vert) &&
        kit_same_ints(again.face_uv, 13, m.face_uv));
  CHECK(again.ntag == m.ntag && kit_same_ints(again.face_tag, 4, m.face_tag));
  for (int t = 0; t < m.ntag && t < again.ntag; t++) CHECK_TEXT(m.tag[t], again.tag[t]);
  csim_mesh_free(&again);
  free(data);
  double x[15];
  for (int i = 0; i < 15; i++) x[i] = i / 3.0;
  CHECK(csim_obj_write(path, &m, x, 9, NULL) == CSIM_OK);
  CHECK(csim_file_read(path, 10000, NULL, &data, &size) == CSIM_OK);
  CHECK(data && !strncmp(data, "v 0 0.333333333 0.666666667\nv 1 1.33333333 1.66666667\n", 54));
  free(data);
  check_log log;
  check_log_init(&log);
  CHECK(csim_obj_write(kit_path("none/x.obj"), &m, x, 9, &log.log) == CSIM_IO && log.text[0]);
  unlink(path);
  csim_mesh_free(&m);
}

// Every vertex, bit by bit, through all of it, under a locale whose numbers have commas if there is
// one.
static void test_round_trip(void) {
  csim_mesh m, again;
  CHECK(csim_mesh_shape(
            &(csim_shape_spec){.kind = CSIM_SHAPE_KIND_SPHERE, .radius = 1.7, .cells = {40}},
            (csim_place){0}, NULL, &m) == CSIM_OK);
  if (!setlocale(LC_ALL, "de_DE.UTF-8")) setlocale(LC_ALL, "de_DE");
  const char *path = kit_path("ball.obj");
  CHECK(csim_obj_write(path, &m, NULL, 17, NULL) == CSIM_OK);
  CHECK(csim_mesh_read(path, NULL, &again) == CSIM_OK);
  CHECK(again.nvert == m.nvert && again.nface == m.nface);
  CHECK(!memcmp(again.vert, m.vert, 3 * (size_t)m.nvert * sizeof(double)));
  CHECK(!memcmp(again.tri, m.tri, 3 * (size_t)m.ntri * sizeof(int)));
  setlocale(LC_ALL, "C");
  csim_mesh_free(&again);
  csim_mesh_free(&m);
  unlink(path);
}

int main(void) {
  test_obj_write();
  test_round_trip();
  kit_folder_end();
  return check_report();
}
