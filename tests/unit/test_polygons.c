// tests/unit/test_polygons.c: the public calls about meshes.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void test_make(void) {
  // an L-shaped hexagon: its fan from corner 0 would leave it
  const double x[] = {2, 0, 0, 2, 1, 0, 1, 1, 0, 1, 2, 0, 0, 2, 0, 0, 0, 0};
  const int start[] = {0, 6}, vert[] = {0, 1, 2, 3, 4, 5};
  csim_polygons *s = NULL;
  CHECK(csim_polygons_make(6, x, 1, start, vert, NULL, &s) == CSIM_OK);
  CHECK(s && s->nvert == 6 && s->nface == 1 && s->ntri == 4);
  double area = 0;
  for (int t = 0; s && t < s->ntri; t++) {
    const double *a = s->vert + 3 * s->tri[3 * t], *b = s->vert + 3 * s->tri[3 * t + 1];
    const double *c = s->vert + 3 * s->tri[3 * t + 2];
    double twice = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    CHECK(twice >= 0);
    CHECK(s->tri_face[t] == 0);
    area += twice / 2;
  }
  CHECK_NEAR(area, 3, 1e-12);
  csim_polygons_free(s);
  CHECK(csim_polygons_make(6, x, 0, NULL, NULL, NULL, &s) == CSIM_OK);
  CHECK(s && s->ntri == 0 && s->nvert == 6);
  csim_polygons_free(s);
  csim_polygons_free(NULL);
}

static void test_read(void) {
  char path[] = "/tmp/csim_surface_XXXXXX.obj";
  int fd = mkstemps(path, 4);
  const char text[] = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
  CHECK(fd >= 0 && write(fd, text, sizeof text - 1) == sizeof text - 1);
  close(fd);
  csim_polygons *s = NULL;
  CHECK(csim_polygons_read(path, NULL, &s) == CSIM_OK);
  CHECK(s && s->nvert == 4 && s->nface == 1 && s->ntri == 2 && s->face_start[1] == 4);
  csim_polygons_free(s);
  unlink(path);
  check_log log;
  check_log_init(&log);
  CHECK(csim_polygons_read(path, &log.log, &s) == CSIM_IO);
  CHECK(!s && log.log.nerror == 1);
}

static void test_crossings(void) {
  const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, .2, .2, -1, .2, .2, 1, 3, 3, 0};
  const int tri[] = {0, 1, 2, 3, 4, 5};
  int pair[2] = {-1, -1};
  long long total = 0;
  CHECK(csim_find_crossings(6, x, 2, tri, 1, pair, &total) == CSIM_OK);
  CHECK(total == 1 && pair[0] == 0 && pair[1] == 1);
}

int main(void) {
  test_make();
  test_read();
  test_crossings();
  return check_report();
}
