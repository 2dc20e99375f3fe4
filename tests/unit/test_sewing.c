// test_sewing: sewing patterns as meshes: lengths and curves by closed forms, placement, stitches,
// labels; damaged files.
#include "check.h"

#include "io/sewing.h"
#include "math/vec3.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[64];

static void write_text(const char *text, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file) abort();
  fwrite(text, 1, size, file);
  fclose(file);
}

static csim_status read_text(const char *text, double resolution, csim_mesh *mesh) {
  write_text(text, strlen(text));
  return csim_sewing_read(path, &(csim_sewing_detail){.resolution = resolution}, NULL, mesh);
}

// A half disk, whose arc is in the way that SVG's flags say; and the same clockwise, turned.
#define HALF(name, arc, order, rotation)                                                           \
  "\"" name "\": {\"translation\": [100, 20, 0], \"rotation\": " rotation ","                      \
  "\"vertices\": [[-10, 0], [10, 0]], \"edges\": [" order(arc) "]}"
#define CCW(arc)                                                                                   \
  "{\"endpoints\": [0, 1], \"label\": \"hem\"}, {\"endpoints\": [1, 0], \"curvature\": "           \
  "{\"type\": \"circle\", \"params\": [10, 0, " arc "]}}"

static void test_arc(void) {
  for (int left = 0; left < 2; left++) {
    csim_mesh mesh;
    const char *text =
        left ? "{\"pattern\": {\"panels\": {" HALF("half", "1", CCW, "[0, 0, 0]") "}}}"
             : "{\"pattern\": {\"panels\": {" HALF("half", "0", CCW, "[0, 0, 90]") "}}}";
    CHECK(read_text(text, 0.005, &mesh) == CSIM_OK);
    int straight = (int)ceil(0.2 / 0.005), around = (int)ceil(acos(-1) * 0.1 / 0.005 - 1e-6), n = 0;
    double area = 0;
    for (int i = 0; i < mesh.nvert; i++) {
      const double *r = mesh.rest.vert + 3 * i, *x = mesh.vert + 3 * i;
      CHECK(r[2] == 0);
      n += fabs(csim_norm(r) - 0.1) < 1e-6; // on one of 1024 chords
      // turning left from (10, 0) to (-10, 0) goes over the top
      CHECK(left ? r[1] >= -1e-9 : r[1] <= 1e-9);
      CHECK_NEAR(x[0], left ? 1 + r[0] : 1 - r[1], 1e-12);
      CHECK_NEAR(x[1], left ? 0.2 + r[1] : 0.2 + r[0], 1e-12);
      CHECK_NEAR(mesh.uv[2 * i], r[0], 1e-15);
    }
    CHECK(n == around + 1);
    for (int t = 0; t < mesh.ntri; t++) {
      double c[3];
      const int *v = mesh.tri + 3 * t;
      csim_triangle_normal(mesh.rest.vert + 3 * v[0], mesh.rest.vert + 3 * v[1],
                           mesh.rest.vert + 3 * v[2], c);
      area += c[2] / 2;
    }
    double polygon = around * 0.5 * 0.01 * sin(acos(-1) / around); // of triangles around the middle
    CHECK_NEAR(area, left ? polygon : -polygon, 1e-6);             // wound as the outline is
    CHECK(mesh.nset == 1 && mesh.set[0].n == straight + 1);
    for (int k = 0; k < mesh.set[0].n; k++)
      CHECK_NEAR(mesh.rest.vert[3 * mesh.set[0].vert[k]], -0.1 + 0.005 * k, 1e-12);
    csim_mesh_free(&mesh);
  }
}

// Two panels: a quadratic edge is sewn to a straight one of another length, end to begin; a dart.
static const char sewn[] =
    "{\"pattern\": {\"panels\": {"
    "\"a\": {\"translation\": [0, 0, 5], \"rotation\": [0, 0, 0],"
    "\"vertices\": [[0, 0], [10, 0], [10, 10], [0, 10]], \"edges\": [{\"endpoints\": [0, 1]},"
    "{\"endpoints\": [1, 2], \"curvature\": {\"type\": \"quadratic\", \"params\": [[0.5, -1]]}},"
    "{\"endpoints\": [2, 3]}, {\"endpoints\": [3, 0]}]},"
    "\"b\": {\"translation\": [0, 0, -5], \"rotation\": [0, 0, 0],"
    "\"vertices\": [[0, 0], [4, 0], [5, 3], [6, 0], [10, 0], [10, 10], [0, 10]],"
    "\"edges\": [{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3]},"
    "{\"endpoints\": [3, 4]}, {\"endpoints\": [4, 5]}, {\"endpoints\": [5, 6]},"
    "{\"endpoints\": [6, 0]}]}},"
    "\"stitches\": [[{\"panel\": \"a\", \"edge\": 1}, {\"panel\": \"b\", \"edge\": 4}],"
    "[{\"panel\": \"b\", \"edge\": 1}, {\"panel\": \"b\", \"edge\": 2}],"
    "[{\"panel\": \"a\", \"edge\": 2}, {\"panel\": \"b\", \"edge\": 5}, \"right_wrong\"]]}}";

static void test_stitches(void) {
  csim_mesh mesh;
  CHECK(read_text(sewn, 0.01, &mesh) == CSIM_OK);
  // x = 10 + 20 t (1 - t), y = 10 t [cm]: a parabola whose slope goes from 2 to -2
  double length = 0.1 * 0.5 * (sqrt(1 + 4) + asinh(2) / 2); // [m]
  int n = (int)ceil(length / 0.01);
  int dart = (int)ceil(sqrt(10) - 1e-9), top = 10;
  CHECK(mesh.nstitch == n + 1 + dart + top + 1); // the dart's tip is not sewn to itself
  double arc = 0;
  for (int i = 0; i <= n; i++) {
    const double *a = mesh.rest.vert + 3 * mesh.stitch[2 * i];
    const double *b = mesh.rest.vert + 3 * mesh.stitch[2 * i + 1];
    CHECK_NEAR(b[0], 0.1, 1e-12);
    CHECK_NEAR(b[1], 0.1 * (1 - (double)i / n), 1e-9); // the end of the one at the other's begin
    if (i) arc += csim_distance(a, mesh.rest.vert + 3 * mesh.stitch[2 * i - 2]);
    if (i) // evenly along the curve
      CHECK_NEAR(csim_distance(a, mesh.rest.vert + 3 * mesh.stitch[2 * i - 2]), length / n,
                 0.02 * length / n);
  }
  CHECK_NEAR(arc, length, 0.005 * length);
  for (int i = n + 1; i < n + 1 + dart; i++) { // mirrored about the dart's axis
    const double *a = mesh.rest.vert + 3 * mesh.stitch[2 * i];
    const double *b = mesh.rest.vert + 3 * mesh.stitch[2 * i + 1];
    CHECK_NEAR(a[0] + b[0], 0.1, 1e-12);
    CHECK_NEAR(a[1], b[1], 1e-12);
  }
  for (int i = n + 1 + dart; i < mesh.nstitch; i++) { // begin to begin
    const double *a = mesh.rest.vert + 3 * mesh.stitch[2 * i];
    const double *b = mesh.rest.vert + 3 * mesh.stitch[2 * i + 1];
    CHECK_NEAR(csim_distance(a, b), 0, 1e-12);
  }
  csim_mesh_free(&mesh);
}

static double area_of(const csim_mesh *mesh) {
  double area = 0, n[3];
  for (int t = 0; t < mesh->ntri; t++) {
    const int *v = mesh->tri + 3 * t;
    csim_triangle_normal(mesh->rest.vert + 3 * v[0], mesh->rest.vert + 3 * v[1],
                         mesh->rest.vert + 3 * v[2], n);
    area += n[2] / 2;
  }
  return area;
}

// Divided panels: a coarse mesh is the beginning of the fine one, whose outline follows the curve
// and whose stitches join the same places.
static void test_divided(void) {
  csim_mesh mesh[3]; // with all of two divisions, one left out, both left out
  write_text(sewn, strlen(sewn));
  for (int k = 0; k < 3; k++)
    CHECK(csim_sewing_read(path, &(csim_sewing_detail){0.005, 2, k}, NULL, &mesh[k]) == CSIM_OK);
  for (int k = 0; k < 2; k++) {
    const csim_mesh *fine = &mesh[k], *coarse = &mesh[k + 1];
    size_t size = 3 * (size_t)coarse->nvert * sizeof(double);
    CHECK(fine->ntri == 4 * coarse->ntri);
    CHECK(k == 1 || !memcmp(fine->parent, coarse->parent, 2 * (size_t)coarse->nvert * sizeof(int)));
    int moved = 0;
    for (int i = 0; i < coarse->nvert; i++)
      moved += csim_distance(fine->rest.vert + 3 * i, coarse->rest.vert + 3 * i) > 1e-12;
    CHECK(moved == 0 && (k == 0 || !memcmp(fine->vert, coarse->vert, size)));
    for (int i = coarse->nvert; i < fine->nvert; i++)
      for (int c = 0; c < 2; c++) CHECK(fine->parent[2 * i + c] < coarse->nvert);
    CHECK(fine->nstitch > 2 * coarse->nstitch - 6 && fine->nstitch <= 2 * coarse->nstitch);
  }
  // the panels' areas are 100 cm^2 and a parabola's 2/3 10 5, and 100 cm^2 without the dart
  double exact = 0.0233333333333 - 0.0003, off[3];
  for (int k = 0; k < 3; k++) off[k] = fabs(area_of(&mesh[k]) - exact);
  CHECK(off[0] < 0.3 * off[1] && off[1] < 0.3 * off[2]);
  int top = 0;
  for (int i = 0; i < mesh[0].nstitch; i++) {
    const double *a = mesh[0].rest.vert + 3 * mesh[0].stitch[2 * i];
    const double *b = mesh[0].rest.vert + 3 * mesh[0].stitch[2 * i + 1];
    int level = fabs(a[1] - 0.1) < 1e-9 && fabs(b[1] - 0.1) < 1e-9; // the edges at the top
    top += level;
    if (level) CHECK_NEAR(a[0], b[0], 1e-9);
  }
  CHECK(top >= 21); // 10 cm in edges of 5 mm
  for (int k = 0; k < 3; k++) csim_mesh_free(&mesh[k]);
}

// A crescent 4 mm wide, whose sides have different numbers of vertices: with edges of 8 cm they
// cross, with edges of 1 cm they do not.
static void test_crescent(void) {
  static const char crescent[] =
      "{\"pattern\": {\"panels\": {\"c\": {\"vertices\": [[-10, 0], [10, 0], [0, 10.4]], "
      "\"edges\": ["
      "{\"endpoints\": [0, 1], \"curvature\": {\"type\": \"circle\", \"params\": [10, 0, 0]}},"
      "{\"endpoints\": [1, 2], \"curvature\": {\"type\": \"quadratic\", \"params\": [[0.5, "
      "-0.44]]}},"
      "{\"endpoints\": [2, 0], \"curvature\": {\"type\": \"quadratic\", \"params\": [[0.5, "
      "-0.44]]}}"
      "]}}}}";
  csim_mesh mesh[2];
  write_text(crescent, strlen(crescent));
  CHECK(csim_sewing_read(path, &(csim_sewing_detail){.resolution = 0.08}, NULL, &mesh[0]) ==
        CSIM_INVALID);
  for (int coarse = 0; coarse < 2; coarse++)
    CHECK(csim_sewing_read(path, &(csim_sewing_detail){0.01, 3, 3 * coarse}, NULL, &mesh[coarse]) ==
          CSIM_OK);
  CHECK(mesh[0].nvert > mesh[1].nvert && mesh[1].nvert > 6);
  CHECK(!memcmp(mesh[0].vert, mesh[1].vert, 3 * (size_t)mesh[1].nvert * sizeof(double)));
  for (int k = 0; k < 2; k++) csim_mesh_free(&mesh[k]);
}

typedef struct told {
  int n;
  char text[4][300]; // with their pointers
} told;

static void tell(void *user, const csim_message *m) {
  told *t = user;
  if (t->n < 4)
    snprintf(t->text[t->n], sizeof t->text[0], "%d %d %s: %s", (int)m->level, m->line,
             m->pointer ? m->pointer : "-", m->text);
  t->n++;
}

static csim_status read_told(const char *text, told *t) {
  csim_mesh mesh;
  csim_log log = {.write = tell, .user = t};
  *t = (told){0};
  write_text(text, strlen(text));
  csim_status status =
      csim_sewing_read(path, &(csim_sewing_detail){.resolution = 0.02}, &log, &mesh);
  csim_mesh_free(&mesh);
  return status;
}

// Two panels 10 cm wide and 10 and `high` cm high, a in front of b, sewn at their sides.
static const char *tube(const char *turn, int high, const char *more) {
  static char text[2000];
  static const char edges[] = "\"edges\": [{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2]},"
                              "{\"endpoints\": [2, 3]}, {\"endpoints\": [3, 0]}]";
  snprintf(text, sizeof text,
           "{\"pattern\": {\"panels\": {\n"
           "\"a\": {\"translation\": [0, 0, 5], \"vertices\": [[-5, 0], [5, 0], [5, 10], [-5, 10]],"
           "%s},\n\"b\": {\"translation\": [0, 0, -5], \"rotation\": [0, %s, 0], "
           "\"vertices\": [[-5, 0], [5, 0], [5, %d], [-5, %d]], %s}},\n\"stitches\": ["
           "[{\"panel\": \"a\", \"edge\": 1}, {\"panel\": \"b\", \"edge\": 3}],"
           "[{\"panel\": \"a\", \"edge\": 3}, {\"panel\": \"b\", \"edge\": 1}]]%s}}",
           edges, turn, high, high, edges, more);
  return text;
}

// What is drawn wrongly though it can be read: keys that are not read, panels that are inside out,
// edges of different lengths. Keys of other programs are no mistakes.
static void test_doubts(void) {
  told t;
  CHECK(read_told(tube("180", 10, ", \"notes\": 1, \"panel_order\": []"), &t) == CSIM_OK &&
        t.n == 0);
  CHECK(read_told(tube("0", 10, ""), &t) == CSIM_OK && t.n == 1);
  CHECK(strstr(t.text[0], "2 3 /pattern/panels/b: panel \"b\" faces \"a\"") == t.text[0]);
  CHECK(strstr(t.text[0], "(2 of 2 stitches)") != NULL);
  CHECK(read_told(tube("180", 13, ""), &t) == CSIM_OK && t.n == 1);
  CHECK(strstr(t.text[0], "1 2 /pattern/panels/a/edges/1: 2 of 2 stitches join") == t.text[0]);
  CHECK(strstr(t.text[0], "edge 1 of \"a\" (0.1 m) and edge 3 of \"b\" (0.13 m)") != NULL);
  CHECK(read_told(tube("180", 700, ""), &t) == CSIM_OK && t.n == 2);
  CHECK(strstr(t.text[0], "2 3 /pattern/panels/b: panel \"b\" is 7 m large, with 100 units in a "
                          "metre") == t.text[0]);
  CHECK(read_told(sewn, &t) == CSIM_OK);
  char text[2000];
  snprintf(text, sizeof text, "%s", tube("180", 10, ""));
  memcpy(strstr(text, "stitches"), "stitchse", 8);
  memcpy(strstr(text, "rotation"), "rotatoin", 8);
  CHECK(read_told(text, &t) == CSIM_OK && t.n == 2);
  CHECK_TEXT(t.text[0], "2 4 /pattern/stitchse: unknown key, which is not read; did you mean "
                        "\"stitches\"?");
  CHECK_TEXT(t.text[1], "2 3 /pattern/panels/b/rotatoin: unknown key, which is not read; did you "
                        "mean \"rotation\"?");
  const char *bent = "{\"pattern\": {\"panels\": {\"a\": {\"vertices\": [[0, 0], [9, 0], [0, 9]],"
                     "\n\"edges\": [{\"endpoints\": [0, 1], \"curvature\": {\"type\": \"cubic\"}}, "
                     "{\"endpoints\": [1, 2]}, {\"endpoints\": [2, 0]}]}}}}";
  CHECK(read_told(bent, &t) == CSIM_INVALID && t.n == 1);
  CHECK_TEXT(t.text[0], "3 2 /pattern/panels/a/edges/0/curvature: a control point of \"params\" "
                        "must be a list of 2 numbers");
}

// Whatever the bytes are, reading ends with a mesh or an error, and leaves nothing behind.
static void test_damage(void) {
  unsigned seed = 11;
  char text[sizeof sewn];
  int read = 0;
  for (int trial = 0; trial < 3000; trial++) {
    memcpy(text, sewn, sizeof sewn);
    for (int k = 0; k < 1 + trial % 4; k++) {
      seed = seed * 1664525u + 1013904223u;
      size_t at = (seed >> 8) % (sizeof sewn - 1);
      seed = seed * 1664525u + 1013904223u;
      static const char bytes[] = "0123456789-.e[]{},\":x ";
      text[at] = bytes[(seed >> 8) % (sizeof bytes - 1)];
    }
    csim_mesh mesh;
    write_text(text, strlen(text));
    csim_sewing_detail detail = {0.05, trial % 3, trial % 2};
    csim_status status = csim_sewing_read(path, &detail, NULL, &mesh);
    CHECK(status == CSIM_OK || status == CSIM_INVALID);
    CHECK((status == CSIM_OK) == (mesh.nvert > 0));
    read += status == CSIM_OK;
    csim_mesh_free(&mesh);
  }
  CHECK(read > 100 && read < 2900);
}

int main(void) {
  snprintf(path, sizeof path, "/tmp/clothsim-sewing-%d.json", (int)getpid());
  test_arc();
  test_stitches();
  test_divided();
  test_crescent();
  test_doubts();
  test_damage();
  unlink(path);
  return check_report();
}
