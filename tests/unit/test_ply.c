// test_ply: the PLY reader, text and both orders of bytes.
#include "check.h"
#include "kit.h"

#include <stdio.h>
#include <string.h>

#define PLY_HEAD(format) "ply\nformat " format " 1.0\ncomment made by hand\nobj_info x\n"
#define PLY_VERTEX                                                                                 \
  "element vertex 4\nproperty uchar red\nproperty double z\nproperty float x\n"                    \
  "property list uchar short junk\nproperty int16 y\n"
#define PLY_REST                                                                                   \
  "element edge 2\nproperty int a\nproperty list int8 float b\n"                                   \
  "element face 2\nproperty list uchar uint vertex_index\nproperty int flags\nend_header\n"

static void check_ply(const csim_mesh *m) {
  CHECK(m->nvert == 4 && m->nface == 2 && m->ntri == 3 && m->nuv == 0);
  CHECK(kit_same_ints(m->face_vert, 7, INTS(0, 1, 2, 3, 2, 1, 0)));
  static const double x[] = {0, 0, 0.25, 1, 0, 0, 1, 1, 0, 0, 1, -7.5};
  CHECK(m->vert && !memcmp(m->vert, x, sizeof x));
}

static char *put_bytes(char *p, const void *value, int n, int big) {
  for (int i = 0; i < n; i++) *p++ = ((const char *)value)[big ? n - 1 - i : i]; // host: little
  return p;
}

static size_t put_ply(char *out, int big) {
  const char *head = big ? PLY_HEAD("binary_big_endian") PLY_VERTEX PLY_REST
                         : PLY_HEAD("binary_little_endian") PLY_VERTEX PLY_REST;
  char *p = out + sprintf(out, "%s", head);
  static const double z[] = {0.25, 0, 0, -7.5};
  static const float x[] = {0, 1, 1, 0};
  static const short y[] = {0, 0, 1, 1};
  for (int v = 0; v < 4; v++) {
    *p++ = (char)v;
    p = put_bytes(p, &z[v], 8, big);
    p = put_bytes(p, &x[v], 4, big);
    *p++ = (char)v; // a list of v items
    for (int i = 0; i < v; i++) p = put_bytes(p, &y[i], 2, big);
    p = put_bytes(p, &y[v], 2, big);
  }
  int edge[2] = {5, 6};
  float b = NAN;
  for (int e = 0; e < 2; e++) {
    p = put_bytes(p, &edge[e], 4, big);
    *p++ = (char)e;
    for (int i = 0; i < e; i++) p = put_bytes(p, &b, 4, big);
  }
  int face[] = {0, 1, 2, 3, 2, 1, 0}, flags = 9;
  for (int f = 0, c = 0; f < 2; f++) {
    *p++ = (char)(4 - f);
    for (int i = 0; i < 4 - f; i++) p = put_bytes(p, &face[c++], 4, big);
    p = put_bytes(p, &flags, 4, big);
  }
  return (size_t)(p - out);
}

static void test_ply(void) {
  csim_mesh m = kit_parse("a.ply", PLY_HEAD("ascii") PLY_VERTEX PLY_REST
                          "1 0.25 0 0 0\n2 0 1 1 5 0\n3 0 1 2 5 6 1\n4 -7.5 0 0 1\n"
                          "5 0\n6 2 nan -inf\n4 0 1 2 3 9\n3 2 1 0 9\n");
  check_ply(&m);
  csim_mesh_free(&m);
  char data[2000];
  for (int big = 0; big < 2; big++) {
    size_t size = put_ply(data, big);
    CHECK(kit_parse_bytes("no-extension", data, size, &m) == CSIM_OK);
    check_ply(&m);
    csim_mesh_free(&m);
    for (size_t cut = 0; cut < size; cut++) // every truncation is refused
      CHECK(kit_parse_bytes("a.ply", data, cut, &m) == CSIM_INVALID);
  }
  // faces first, CRLF, texture coordinates
  m = kit_parse("a.ply",
                "ply\r\nformat ascii 1.0\r\nelement face 1\r\nproperty list uchar int "
                "vertex_indices\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\n"
                "property float z\r\nproperty float s\r\nproperty float t\r\nend_header\r\n"
                "3 0 1 2\r\n0 0 0 0.5 1\r\n1 0 0 0 0\r\n0 1 0 0.25 0.75\r\n");
  CHECK(m.nuv == 3 && m.uv[5] == 0.75 && kit_same_ints(m.face_uv, 3, INTS(0, 1, 2)));
  csim_mesh_free(&m);
}

#define PLY_XYZ "property float x\nproperty float y\nproperty float z\n"
#define PLY_LIST "property list uchar int vertex_indices\n"

#define STRIP_HEAD                                                                                 \
  PLY_HEAD("ascii")                                                                                \
  "element vertex 6\nproperty float x\nproperty float y\nproperty float z\n"                       \
  "element tristrips 1\nproperty list int int vertex_indices\nend_header\n"                        \
  "0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n1 2 0\n"

// Triangle strips: every other triangle is turned, -1 begins anew, a repeated vertex makes none.
static void test_strips(void) {
  csim_mesh m = kit_parse("a.ply", STRIP_HEAD "10 0 1 2 3 -1 2 3 4 4 5\n");
  CHECK(m.nface == 3 && m.nvert == 6);
  CHECK(kit_same_ints(m.face_vert, 9, INTS(0, 1, 2, 2, 1, 3, 2, 3, 4)));
  double up = 0; // all are wound alike
  for (int t = 0; t < m.ntri; t++) {
    const double *a = m.vert + 3 * m.tri[3 * t], *b = m.vert + 3 * m.tri[3 * t + 1],
                 *c = m.vert + 3 * m.tri[3 * t + 2];
    up += (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0;
  }
  CHECK(up == m.ntri);
  csim_mesh_free(&m);
  kit_refuse(__LINE__, "a.ply", STRIP_HEAD "3 0 1 6\n", 18, "vertex 6");
  kit_refuse(__LINE__, "a.ply", STRIP_HEAD "3 0 1 -2\n", 18, "vertex -2");
  kit_refuse(__LINE__, "a.ply", STRIP_HEAD "9 0 1 2\n", 18, "incomplete");
}

static void test_ply_refused(void) {
  const char *a = "a.ply";
  kit_refuse(__LINE__, a, "hello", 1, "not a PLY");
  kit_refuse(__LINE__, a, "ply\n", 2, "end_header");
  kit_refuse(__LINE__, a, "ply\nelement vertex 3\nend_header\n", 3, "no 'format'");
  kit_refuse(__LINE__, a, "ply\nformat utf8 1.0\n", 2, "'utf8'");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex -3\n", 5, "a name and a number");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 999999999999\n", 5, "limit");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "property float x\n", 5, "before the first element");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 3\nproperty float16 x\n", 6,
             "'float16'");
  kit_refuse(__LINE__, a,
             PLY_HEAD("ascii") "element vertex 3\nproperty float x\nproperty float x\n", 7,
             "twice");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 3\nelement vertex 3\n", 6, "twice");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "what\n", 5, "'what'");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 3\nproperty float x\nend_header\n", 0,
             "x, y and z");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 3\n" PLY_XYZ "end_header\n", 0,
             "'face'");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "element face 3\nproperty int x\nend_header\n", 0,
             "vertex_indices");
  kit_refuse(__LINE__, a, PLY_HEAD("ascii") "element face 3\nproperty list float int x\n", 6,
             "integer");
  kit_refuse(__LINE__, a,
             PLY_HEAD("ascii") "element face 3\nproperty list int float vertex_index\n", 6,
             "integer");
#define HEAD_3                                                                                     \
  PLY_HEAD("ascii") "element vertex 3\n" PLY_XYZ "element face 1\n" PLY_LIST "end_header\n"
  kit_refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", 15, "vertex 3");
  kit_refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", 15, "vertex -1");
  kit_refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n3 0 1 1\n", 15, "twice");
  kit_refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", 15, "2 corners");
  kit_refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n-1 0 1\n", 15, "negative");
  kit_refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n2000000000 0 1\n", 15, "incomplete");
  kit_refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", 15, "1.5");
  kit_refuse(__LINE__, a, HEAD_3 "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", 13, "finite");
  kit_refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n", 15, "incomplete");
  // counts far beyond the file cost nothing
  kit_refuse(__LINE__, a,
             PLY_HEAD("binary_little_endian") "element x 999999999999999999\n"
                                              "property int a\nelement vertex 1\n" PLY_XYZ
                                              "element face 1\n" PLY_LIST "end_header\n",
             0, "incomplete");
  kit_refuse(__LINE__, a,
             PLY_HEAD("binary_little_endian") "element x 999999999999999999\n"
                                              "element vertex 100000000\n" PLY_XYZ
                                              "element face 1\n" PLY_LIST "end_header\nabc",
             0, "incomplete");
}

int main(void) {
  test_ply();
  test_ply_refused();
  test_strips();
  return check_report();
}
