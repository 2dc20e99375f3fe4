// tests/unit/test_mesh_io.c: files in and out, the OBJ, STL and PLY readers, the OBJ writer.
#include "base/bytes.h"
#include "check.h"
#include "io/file.h"
#include "io/mesh_file.h"
#include "io/obj_write.h"
#include "mesh/shapes.h"
#include "mesh/tag.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/csim_mesh_io_XXXXXX";
static check_log last; // of the last parse

static const char *in_dir(const char *name) {
  static char path[16][600];
  static int turn;
  turn = (turn + 1) % 16;
  snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
  return path[turn];
}

static void put_file(const char *path, const void *data, size_t size) {
  FILE *f = fopen(path, "wb");
  CHECK(f && fwrite(data, 1, size, f) == size);
  if (f) fclose(f);
}

static int count_files(void) {
  int n = 0;
  DIR *d = opendir(dir);
  for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
  if (d) closedir(d);
  return n;
}

// A copy on the heap without a byte behind it, so that the sanitizer sees every read too far.
static csim_status parse_bytes(const char *name, const void *data, size_t size, csim_mesh *m) {
  char *copy = malloc(size ? size : 1);
  memcpy(copy, data, size);
  check_log_init(&last);
  csim_status status = csim_mesh_parse(name, copy, size, &last.log, m);
  free(copy);
  CHECK((status == CSIM_OK) == (last.log.nerror == 0));
  CHECK(last.log.nerror <= 1);
  return status;
}

static csim_mesh parse(const char *name, const char *text) {
  csim_mesh m;
  csim_status status = parse_bytes(name, text, strlen(text), &m);
  check_that(status == CSIM_OK, __FILE__, __LINE__, "%s: %s", text, last.text);
  return m;
}

static void refuse(int source, const char *name, const char *text, int line, const char *message) {
  csim_mesh m;
  csim_status status = parse_bytes(name, text, strlen(text), &m);
  check_that(status == CSIM_INVALID, __FILE__, source, "accepted");
  check_that(last.line == line, __FILE__, source, "line %d, expected %d", last.line, line);
  check_that(strstr(last.text, message) != NULL, __FILE__, source, "says \"%s\"", last.text);
  CHECK(m.vert == NULL && m.nvert == 0);
  csim_mesh_free(&m);
}

static int same_ints(const int *a, int n, const int *b) {
  return a && !memcmp(a, b, (size_t)n * sizeof *a);
}
#define INTS(...)                                                                                  \
  (int[]) {                                                                                        \
    __VA_ARGS__                                                                                    \
  }

// ------------------------------------------------------------------------------------------ obj

static void test_obj(void) {
  csim_mesh m =
      parse("a.obj", "\xef\xbb\xbf# a comment \\\r\nmtllib x.mtl\r\n"
                     "v 0 0 0\r\nv 1 0 0 0.5 0.5 0.5\r\nv 1. 1e0 0 1.0\r\n\tv\t0 +1 -.0e3 # c\r\n"
                     "v 9 9 9\r\n"
                     "vt 0 0\r\nvt 1 0 0\r\nvt 1\r\nvn nan 0 1\r\n"
                     "f 1 2 3 4\r\n"
                     "o body part\r\ng arm  leg \r\nf -5/1 -4/2/ -3/3/7\r\n"
                     "usemtl red\r\nf 1//1 \\\r\n 3//1 \\\n 4//-1 # end\r\n"
                     "l 1 2\r\ns off\r\nf 1/-1 2 3/-3");
  CHECK(m.nvert == 5 && m.nface == 4 && m.nuv == 3 && m.ntri == 5);
  CHECK(m.vert[4] == 0 && m.vert[7] == 1 && m.vert[10] == 1 && m.vert[12] == 9);
  CHECK(same_ints(m.face_start, 5, INTS(0, 4, 7, 10, 13)));
  CHECK(same_ints(m.face_vert, 13, INTS(0, 1, 2, 3, 0, 1, 2, 0, 2, 3, 0, 1, 2)));
  CHECK(same_ints(m.face_uv, 13, INTS(-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, 2, -1, 0)));
  CHECK(m.uv[2] == 1 && m.uv[3] == 0 && m.uv[4] == 1 && m.uv[5] == 0);
  CHECK(same_ints(m.tri, 15, INTS(0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3, 0, 1, 2)));
  CHECK(same_ints(m.tri_face, 5, INTS(0, 0, 1, 2, 3)));
  CHECK(m.ntag == 3 && same_ints(m.face_tag, 4, INTS(0, 1, 2, 2)));
  CHECK_TEXT(m.tag[0], "mtllib x.mtl\n");
  CHECK_TEXT(m.tag[1], "mtllib x.mtl\no body part\ng arm  leg\n");
  CHECK_TEXT(m.tag[2], "mtllib x.mtl\no body part\ng arm  leg\nusemtl red\n");
  CHECK(csim_tag_has(m.tag[2], "leg") && !csim_tag_has(m.tag[2], "x.mtl"));
  csim_mesh_free(&m);
}

static void test_obj_forms(void) {
  // lone carriage returns, a face before its vertices, no line end at the end
  csim_mesh m = parse("a.obj", "f 3 2 1\rv 0 0 0\rv 1 0 0\rv 0 1 0");
  CHECK(m.nvert == 3 && same_ints(m.tri, 3, INTS(2, 1, 0)));
  csim_mesh_free(&m);
  // a polygon with a notch stays one face
  m = parse("a.obj", "v 0 0 0\nv 2 0.5 0\nv 0 1 0\nv 1 0.5 0\nf 1 2 3 4\n");
  CHECK(m.nface == 1 && m.ntri == 2 && m.tri[0] != m.tri[3]);
  csim_mesh_free(&m);
  // tags: the same names make the same tag, an empty name ends one
  m = parse("a.obj",
            "v 0 0 0\nv 1 0 0\nv 0 1 0\ng a\nf 1 2 3\ng b\nf 1 2 3\ng a\nf 1 2 3\ng\nf 1 2 3\n");
  CHECK(m.ntag == 2 && same_ints(m.face_tag, 4, INTS(0, 1, 0, -1)));
  csim_mesh_free(&m);
  // unknown extension
  m = parse("mesh", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  CHECK(m.nface == 1 && m.nuv == 0 && !m.face_uv && !m.face_tag);
  csim_mesh_free(&m);
}

#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void test_obj_refused(void) {
  refuse(__LINE__, "a.obj", "", 0, "empty");
  refuse(__LINE__, "a.obj", "hello\n", 0, "no vertices");
  refuse(__LINE__, "a.obj", V3, 0, "no faces");
  refuse(__LINE__, "a.obj", V3 "f 1 2\n", 4, "2 corners");
  refuse(__LINE__, "a.obj", V3 "f\n", 4, "0 corners");
  refuse(__LINE__, "a.obj", V3 "\nf 1 2 4\n", 5, "vertex 4");
  refuse(__LINE__, "a.obj", V3 "f 1 2 99999999999999999999\n", 4, "vertex");
  refuse(__LINE__, "a.obj", V3 "f 1 2 0\n", 4, "counts from 1");
  refuse(__LINE__, "a.obj", V3 "f 1 2 -4\n", 4, "counts back");
  refuse(__LINE__, "a.obj", V3 "f 1 2 \\\n 2\n", 4, "vertex 2 twice");
  refuse(__LINE__, "a.obj", V3 "f 1 2 3.5\n", 4, "'3.5'");
  refuse(__LINE__, "a.obj", V3 "f 1 2 x\n", 4, "'x'");
  refuse(__LINE__, "a.obj", V3 "f 1/1 2/1 3/1\n", 4, "texture coordinate 1");
  refuse(__LINE__, "a.obj", V3 "f 1/0 2/1 3/1\n", 4, "counts from 1");
  refuse(__LINE__, "a.obj", V3 "f 1/1/1/1 2 3\n", 4, "not a face corner");
  refuse(__LINE__, "a.obj", V3 "v 1 2\n", 4, "needs 3");
  refuse(__LINE__, "a.obj", V3 "v 1 2 nan\n", 4, "'nan'");
  refuse(__LINE__, "a.obj", V3 "v 1 -inf 3\n", 4, "'-inf'");
  refuse(__LINE__, "a.obj", V3 "v 1 1e999 3\n", 4, "'1e999'");
  refuse(__LINE__, "a.obj", V3 "v 1 1e30 3\n", 4, "1e18");
  refuse(__LINE__, "a.obj", V3 "v 1,5 2 3\n", 4, "decimal mark");
  refuse(__LINE__, "a.obj", V3 "v 0x10 2 3\n", 4, "'0x10'");
  refuse(__LINE__, "a.obj", V3 "vt\n", 4, "needs 1");
  refuse(__LINE__, "a.obj", V3 "vt 1 nan\n", 4, "'nan'");
  refuse(__LINE__, "a.obj", "\xff\xfev\0", 0, "UTF-16");
  refuse(__LINE__, "a.obj", "\x1f\x8b\x08", 0, "gzip");
  char *text = calloc(1, 2100);
  strcpy(text, V3 "usemtl ");
  memset(text + strlen(text), 'x', 2000);
  refuse(__LINE__, "a.obj", text, 4, "longer than 1000");
  free(text);
}

// A file whose names multiply: 9,000 groups of 1,000 characters would be fine, times 9,000 not.
static void test_obj_many_tags(void) {
  size_t capacity = 40 << 20, n = 0;
  char *text = malloc(capacity);
  n += (size_t)sprintf(text, V3 "o %01000d\ng %01000d\n", 1, 2);
  for (int i = 0; i < 200000; i++) n += (size_t)sprintf(text + n, "usemtl m%d\nf 1 2 3\n", i);
  csim_mesh m;
  CHECK(parse_bytes("a.obj", text, n, &m) == CSIM_INVALID);
  CHECK(strstr(last.text, "too many groups") != NULL);
  free(text);
}

// ------------------------------------------------------------------------------------------ stl

static size_t put_stl(char *out, const char *header, int ntri, const float *x) {
  memset(out, ' ', 80);
  memcpy(out, header, strlen(header));
  csim_store_u32((uint32_t)ntri, out + 80);
  for (int t = 0; t < ntri; t++) {
    char *p = out + 84 + 50 * t;
    memset(p, 0, 50);
    csim_store_f32(NAN, p); // normals do not count
    for (int k = 0; k < 9; k++) csim_store_f32(x[9 * t + k], p + 12 + 4 * k);
  }
  return 84 + 50 * (size_t)ntri;
}

static void test_stl_binary(void) {
  static const float x[] = {0,     0, 0, 1,    0, 0, 0, 1, 0, 0, 1, 0, 1, 0,
                            -0.0f, 1, 1, 0.1f, 1, 1, 0, 1, 1, 0, 5, 5, 5};
  char data[400];
  size_t size = put_stl(data, "solid but binary", 2, x);
  csim_mesh m;
  CHECK(parse_bytes("a.stl", data, size, &m) == CSIM_OK);
  CHECK(m.nvert == 4 && m.nface == 2 && same_ints(m.tri, 6, INTS(0, 1, 2, 2, 1, 3)));
  CHECK(m.vert[11] == (double)0.1f);
  csim_mesh_free(&m);
  CHECK(parse_bytes("mesh", data, size, &m) == CSIM_OK); // the size tells
  csim_mesh_free(&m);
  size = put_stl(data, "x", 3, x); // the third facet has two corners at one place
  CHECK(parse_bytes("a.STL", data, size, &m) == CSIM_OK);
  CHECK(m.nface == 2 && last.log.nwarning == 1);
  csim_mesh_free(&m);
  CHECK(parse_bytes("a.stl", data, size - 1, &m) == CSIM_INVALID);
  CHECK(strstr(last.text, "3 facets, but has 233 bytes") != NULL);
  CHECK(parse_bytes("a.stl", data, 84, &m) == CSIM_INVALID);
  csim_store_u32(0x7f800000u, data + 84 + 50 + 12);
  CHECK(parse_bytes("a.stl", data, size, &m) == CSIM_INVALID);
  CHECK(strstr(last.text, "at byte 134") != NULL);
  size = put_stl(data, "x", 0, x);
  CHECK(parse_bytes("a.stl", data, size, &m) == CSIM_INVALID);
}

#define FACET(a, b, c)                                                                             \
  " facet normal nan nan nan\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c        \
  "\n  endloop\n endfacet\n"

static void test_stl_text(void) {
  csim_mesh m =
      parse("a.stl", "solid left\n" FACET("0 0 0", "1 0 0",
                                          "0 1 0") "endsolid left\n"
                                                   "solid right side\n" FACET("0 1 0", "1 0 -0",
                                                                              "1 1 0") "endsolid");
  CHECK(m.nvert == 4 && m.nface == 2 && m.ntag == 2);
  CHECK(same_ints(m.tri, 6, INTS(0, 1, 2, 2, 1, 3)));
  CHECK(csim_tag_has(m.tag[1], "right side") && m.face_tag[1] == 1);
  csim_mesh_free(&m);
  m = parse("a.stl",
            "SOLID\r\nFacet Normal 0 0 1 OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0\r\nVERTEX 1 1 0 "
            "VERTEX 0 1 0 ENDLOOP ENDFACET ENDSOLID");
  CHECK(m.nface == 1 && m.ntri == 2 && m.ntag == 0);
  csim_mesh_free(&m);
  refuse(__LINE__, "a.stl", "solid\n", 0, "no vertices");
  refuse(__LINE__, "a.stl", "solid x\n" FACET("0 0 0", "1 0 nan", "0 1 0"), 5, "finite");
  refuse(__LINE__, "a.stl", "solid x\nvertex 1 2 3\n", 2, "outside");
  refuse(__LINE__, "a.stl", "solid x\nfacet\nouter loop\nvertex 1 2 3\nvertex 3 4 5\n", 6,
         "incomplete");
  refuse(__LINE__, "a.stl", "solid x\nfacet\nouter loop\nvertex 1 2 3\nvertex 3 4 5\nendloop", 6,
         "2 corners");
  refuse(__LINE__, "a.stl", "sol", 0, "too short");
  refuse(__LINE__, "a.stl", "solid x\nendloop", 2, "without a loop");
  // all of it without area
  refuse(__LINE__, "a.stl", "solid x\n" FACET("0 0 0", "0 0 0", "0 1 0"), 0, "no faces");
}

// ------------------------------------------------------------------------------------------ ply

#define PLY_HEAD(format) "ply\nformat " format " 1.0\ncomment made by hand\nobj_info x\n"
#define PLY_VERTEX                                                                                 \
  "element vertex 4\nproperty uchar red\nproperty double z\nproperty float x\n"                    \
  "property list uchar short junk\nproperty int16 y\n"
#define PLY_REST                                                                                   \
  "element edge 2\nproperty int a\nproperty list int8 float b\n"                                   \
  "element face 2\nproperty list uchar uint vertex_index\nproperty int flags\nend_header\n"

static void check_ply(const csim_mesh *m) {
  CHECK(m->nvert == 4 && m->nface == 2 && m->ntri == 3 && m->nuv == 0);
  CHECK(same_ints(m->face_vert, 7, INTS(0, 1, 2, 3, 2, 1, 0)));
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
  csim_mesh m = parse("a.ply", PLY_HEAD("ascii") PLY_VERTEX PLY_REST
                      "1 0.25 0 0 0\n2 0 1 1 5 0\n3 0 1 2 5 6 1\n4 -7.5 0 0 1\n"
                      "5 0\n6 2 nan -inf\n4 0 1 2 3 9\n3 2 1 0 9\n");
  check_ply(&m);
  csim_mesh_free(&m);
  char data[2000];
  for (int big = 0; big < 2; big++) {
    size_t size = put_ply(data, big);
    CHECK(parse_bytes("no-extension", data, size, &m) == CSIM_OK);
    check_ply(&m);
    csim_mesh_free(&m);
    for (size_t cut = 0; cut < size; cut++) // every truncation is refused
      CHECK(parse_bytes("a.ply", data, cut, &m) == CSIM_INVALID);
  }
  // faces first, CRLF, texture coordinates
  m = parse("a.ply",
            "ply\r\nformat ascii 1.0\r\nelement face 1\r\nproperty list uchar int "
            "vertex_indices\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\n"
            "property float z\r\nproperty float s\r\nproperty float t\r\nend_header\r\n"
            "3 0 1 2\r\n0 0 0 0.5 1\r\n1 0 0 0 0\r\n0 1 0 0.25 0.75\r\n");
  CHECK(m.nuv == 3 && m.uv[5] == 0.75 && same_ints(m.face_uv, 3, INTS(0, 1, 2)));
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
  csim_mesh m = parse("a.ply", STRIP_HEAD "10 0 1 2 3 -1 2 3 4 4 5\n");
  CHECK(m.nface == 3 && m.nvert == 6);
  CHECK(same_ints(m.face_vert, 9, INTS(0, 1, 2, 2, 1, 3, 2, 3, 4)));
  double up = 0; // all are wound alike
  for (int t = 0; t < m.ntri; t++) {
    const double *a = m.vert + 3 * m.tri[3 * t], *b = m.vert + 3 * m.tri[3 * t + 1],
                 *c = m.vert + 3 * m.tri[3 * t + 2];
    up += (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) > 0;
  }
  CHECK(up == m.ntri);
  csim_mesh_free(&m);
  refuse(__LINE__, "a.ply", STRIP_HEAD "3 0 1 6\n", 18, "vertex 6");
  refuse(__LINE__, "a.ply", STRIP_HEAD "3 0 1 -2\n", 18, "vertex -2");
  refuse(__LINE__, "a.ply", STRIP_HEAD "9 0 1 2\n", 18, "incomplete");
}

static void test_off(void) {
  const char *cube = "# a comment\nOFF\n4 2 0\n0 0 0\n1 0 0 # here too\n1 1 0\n\n0 1 0.5\n"
                     "3 0 1 2\n3 0 2 3 255 0 0\n";
  csim_mesh m = parse("a.off", cube);
  CHECK(m.nvert == 4 && m.nface == 2 && m.vert[11] == 0.5);
  CHECK(same_ints(m.face_vert, 6, INTS(0, 1, 2, 0, 2, 3)));
  csim_mesh_free(&m);
  // known by its first word, with colours and normals of vertices, counts in the first line, a quad
  m = parse("mesh", "STCNOFF 4 1 4\n0 0 0 1 1 1 9 9 9 9 0 0\n1 0 0 1 1 1 9 9 9 9 0 0\n"
                    "1 1 0 1 1 1 9 9 9 9 0 0\r\n0 1 0 1 1 1 9 9 9 9 0 0\r\n4 0 1 2 3\n");
  CHECK(m.nvert == 4 && m.nface == 1 && m.ntri == 2);
  csim_mesh_free(&m);
  refuse(__LINE__, "a.off", "hello\n", 1, "begins with the word OFF");
  refuse(__LINE__, "a.off", "4OFF\n1 1 1\n", 1, "four or more dimensions");
  refuse(__LINE__, "a.off", "OFF BINARY\n", 1, "binary OFF");
  refuse(__LINE__, "a.off", "OFF\n3 1\n", 3, "finite");
  refuse(__LINE__, "a.off", "OFF\n-3 1 0\n", 2, "number of vertices");
  refuse(__LINE__, "a.off", "OFF\n1e30 1 0\n", 2, "number of vertices");
  refuse(__LINE__, "a.off", "OFF\n3 1 0\n0 0 0\n1 nan 0\n", 4, "finite");
  refuse(__LINE__, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", 6, "vertex 3");
  refuse(__LINE__, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", 6, "2 corners");
  refuse(__LINE__, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n", 7, "corner's vertex");
  refuse(__LINE__, "a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", 7, "corners");
  char text[200];
  size_t size = strlen(cube);
  for (size_t cut = 0; cut + 12 < size; cut++) { // cut short: refused, but for colours
    memcpy(text, cube, cut);
    CHECK(parse_bytes("a.off", text, cut, &m) == CSIM_INVALID);
  }
}

static void test_ply_refused(void) {
  const char *a = "a.ply";
  refuse(__LINE__, a, "hello", 1, "not a PLY");
  refuse(__LINE__, a, "ply\n", 2, "end_header");
  refuse(__LINE__, a, "ply\nelement vertex 3\nend_header\n", 3, "no 'format'");
  refuse(__LINE__, a, "ply\nformat utf8 1.0\n", 2, "'utf8'");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex -3\n", 5, "a name and a number");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 999999999999\n", 5, "limit");
  refuse(__LINE__, a, PLY_HEAD("ascii") "property float x\n", 5, "before the first element");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 3\nproperty float16 x\n", 6, "'float16'");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 3\nproperty float x\nproperty float x\n", 7,
         "twice");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 3\nelement vertex 3\n", 6, "twice");
  refuse(__LINE__, a, PLY_HEAD("ascii") "what\n", 5, "'what'");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 3\nproperty float x\nend_header\n", 0,
         "x, y and z");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element vertex 3\n" PLY_XYZ "end_header\n", 0, "'face'");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element face 3\nproperty int x\nend_header\n", 0,
         "vertex_indices");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element face 3\nproperty list float int x\n", 6,
         "integer");
  refuse(__LINE__, a, PLY_HEAD("ascii") "element face 3\nproperty list int float vertex_index\n", 6,
         "integer");
#define HEAD_3                                                                                     \
  PLY_HEAD("ascii") "element vertex 3\n" PLY_XYZ "element face 1\n" PLY_LIST "end_header\n"
  refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", 15, "vertex 3");
  refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n", 15, "vertex -1");
  refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n3 0 1 1\n", 15, "twice");
  refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n2 0 1\n", 15, "2 corners");
  refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n-1 0 1\n", 15, "negative");
  refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n2000000000 0 1\n", 15, "incomplete");
  refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n3 0 1 1.5\n", 15, "1.5");
  refuse(__LINE__, a, HEAD_3 "0 0 0\n1 nan 0\n0 1 0\n3 0 1 2\n", 13, "finite");
  refuse(__LINE__, a, HEAD_3 "0 0 0\n1 0 0\n0 1 0\n", 15, "incomplete");
  // counts far beyond the file cost nothing
  refuse(__LINE__, a,
         PLY_HEAD("binary_little_endian") "element x 999999999999999999\n"
                                          "property int a\nelement vertex 1\n" PLY_XYZ
                                          "element face 1\n" PLY_LIST "end_header\n",
         0, "incomplete");
  refuse(__LINE__, a,
         PLY_HEAD("binary_little_endian") "element x 999999999999999999\n"
                                          "element vertex 100000000\n" PLY_XYZ
                                          "element face 1\n" PLY_LIST "end_header\nabc",
         0, "incomplete");
}

// ------------------------------------------------------------------------------- hostile bytes

// A result must be a mesh whose numbers are all in range.
static void check_mesh(const csim_mesh *m) {
  CHECK(m->nvert > 0 && m->nface > 0 && m->face_start[0] == 0);
  int bad = 0;
  for (int f = 0; f < m->nface; f++) bad += m->face_start[f + 1] - m->face_start[f] < 3;
  for (int c = 0; c < m->face_start[m->nface]; c++) {
    bad += m->face_vert[c] < 0 || m->face_vert[c] >= m->nvert;
    if (m->face_uv) bad += m->face_uv[c] < -1 || m->face_uv[c] >= m->nuv;
  }
  for (int i = 0; i < 3 * m->nvert; i++) bad += !isfinite(m->vert[i]);
  for (int f = 0; m->face_tag && f < m->nface; f++)
    bad += m->face_tag[f] < -1 || m->face_tag[f] >= m->ntag;
  bad += m->ntri != m->face_start[m->nface] - 2 * m->nface;
  CHECK(bad == 0);
}

static const char *const NAMES[] = {"a.obj", "a.stl", "a.ply", "a"};

static void try_bytes(const char *data, size_t size) {
  for (int i = 0; i < 4; i++) {
    csim_mesh m;
    csim_status status = parse_bytes(NAMES[i], data, size, &m);
    CHECK(status == CSIM_OK || status == CSIM_INVALID);
    if (!status) check_mesh(&m);
    csim_mesh_free(&m);
  }
}

static void test_random_bytes(void) {
  size_t size = 500000;
  char *data = malloc(size);
  for (size_t i = 0; i < size; i++) data[i] = (char)check_random();
  try_bytes(data, size);
  static const char letters[] = "vvvvff  012345678-./e\n\n\n\n";
  for (size_t i = 0; i < size; i++) data[i] = letters[check_random() % (sizeof letters - 1)];
  try_bytes(data, size);
  for (size_t i = 0; i < size; i++) data[i] = '\\';
  try_bytes(data, size);
  for (size_t i = 0; i < size; i++) data[i] = i % 2 ? '\n' : '\\';
  try_bytes(data, size);
  memset(data, 0, size);
  try_bytes(data, size);
  free(data);
}

static void test_mutations(void) {
  static const float x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1, 1, 0};
  static const char obj[] =
      V3 "v 1 1 0\nvt 0 1\nvt 1 1\ng a\nf 1/1 2/2 3/1\nf 2//1 -1 3\nf 1 2 4 3\n";
  static const char stl[] = "solid s\n" FACET("0 0 0", "1 0 0", "0 1 0");
  char seeds[4][2000], data[2100];
  size_t size[4] = {sizeof obj - 1, sizeof stl - 1, 0, 0};
  memcpy(seeds[0], obj, size[0]);
  memcpy(seeds[1], stl, size[1]);
  size[2] = put_stl(seeds[2], "solid", 2, x);
  size[3] = put_ply(seeds[3], 0);
  for (int round = 0; round < 12000; round++) {
    int s = round % 4;
    size_t n = size[s];
    memcpy(data, seeds[s], n);
    for (uint32_t k = check_random() % 4 + 1; k > 0 && n > 8; k--) {
      size_t at = check_random() % n;
      switch (check_random() % 5) {
      case 0:
        data[at] = (char)check_random();
        break;
      case 1:
        data[at] = "0123456789-/ \n.e"[check_random() % 16];
        break;
      case 2:
        data[at] = (char)(data[at] ^ 1 << check_random() % 8);
        break;
      case 3:
        n = n - at / 4 - 1;
        break;
      default: // a piece comes twice
        if (n + 8 < sizeof data && at + 8 < n) {
          memmove(data + at + 8, data + at, n - at);
          n += 8;
        }
      }
    }
    try_bytes(data, n);
  }
}

// ---------------------------------------------------------------------------------------- files

static void *feed_pipe(void *path) {
  FILE *f = fopen(path, "wb");
  for (int i = 0; f && i < 100000; i++) fputs("0123456789", f);
  if (f) fclose(f);
  return NULL;
}

static void test_file_read(void) {
  check_log log;
  check_log_init(&log);
  char *data;
  size_t size;
  CHECK(csim_file_read(in_dir("none"), 100, &log.log, &data, &size) == CSIM_IO && !data);
  CHECK(strstr(log.text, strerror(ENOENT)) != NULL);
  CHECK(csim_file_read(dir, 100, &log.log, &data, &size) == CSIM_IO && !data);
  CHECK(strstr(log.text, "directory") != NULL);
  put_file(in_dir("ten"), "012345678\0", 10);
  CHECK(csim_file_read(in_dir("ten"), 10, &log.log, &data, &size) == CSIM_OK && size == 10);
  CHECK(data && data[8] == '8' && data[10] == 0);
  free(data);
  CHECK(csim_file_read(in_dir("ten"), 9, &log.log, &data, &size) == CSIM_INVALID && !data);
  CHECK(strstr(log.text, "limit") != NULL);
  put_file(in_dir("ten"), "", 0);
  CHECK(csim_file_read(in_dir("ten"), 9, &log.log, &data, &size) == CSIM_OK && size == 0);
  CHECK(data && data[0] == 0);
  free(data);
  CHECK(csim_file_read("/dev/zero", 1000000, &log.log, &data, &size) == CSIM_INVALID && !data);
  char path[600];
  snprintf(path, sizeof path, "%s/pipe", dir);
  CHECK(!mkfifo(path, 0600));
  pthread_t thread;
  pthread_create(&thread, NULL, feed_pipe, path);
  CHECK(csim_file_read(path, 1 << 30, &log.log, &data, &size) == CSIM_OK && size == 1000000);
  CHECK(data && data[999999] == '9');
  free(data);
  pthread_join(thread, NULL);
  unlink(path);
  unlink(in_dir("ten"));
}

static void test_file_write(void) {
  check_log log;
  check_log_init(&log);
  csim_file *file;
  const char *path = in_dir("out");
  CHECK(csim_file_create(path, &log.log, &file) == CSIM_OK);
  char *big = malloc(1000000);
  memset(big, 'x', 1000000);
  csim_file_print(file, "%d %s\n", 7, "seven");
  csim_file_print_number(file, 0.1, 9);
  csim_file_print(file, "%.*s", 1000, big);
  csim_file_write(file, big, 1000000);
  csim_file_write(file, NULL, 0);
  CHECK(csim_file_position(file) == 8 + 3 + 1000 + 1000000);
  CHECK(access(path, F_OK) != 0); // not there before it is whole
  CHECK(csim_file_commit(file, 1) == CSIM_OK);
  free(big);
  char *data;
  size_t size;
  CHECK(csim_file_read(path, 1 << 30, NULL, &data, &size) == CSIM_OK && size == 1001011);
  CHECK(data && !memcmp(data, "7 seven\n0.1xxx", 14));
  free(data);
  CHECK(count_files() == 1);
  struct stat st;
  CHECK(!stat(path, &st) && (st.st_mode & 0600) == 0600);
  // abandoned: the old contents stay, nothing else does
  CHECK(csim_file_create(path, &log.log, &file) == CSIM_OK);
  csim_file_text(file, "new");
  csim_file_abandon(file);
  csim_file_abandon(NULL);
  CHECK(!stat(path, &st) && st.st_size == 1001011 && count_files() == 1);
  // a link stays a link
  CHECK(!symlink(path, in_dir("link")));
  CHECK(csim_file_create(in_dir("link"), &log.log, &file) == CSIM_OK);
  csim_file_text(file, "new");
  CHECK(csim_file_commit(file, 0) == CSIM_OK);
  CHECK(!stat(path, &st) && st.st_size == 3 && !lstat(in_dir("link"), &st) && S_ISLNK(st.st_mode));
  unlink(in_dir("link"));
  unlink(path);
}

static void test_file_failures(void) {
  check_log log;
  check_log_init(&log);
  csim_file *file;
  CHECK(csim_file_create(in_dir("none/x"), &log.log, &file) == CSIM_IO && !file);
  CHECK(strstr(log.text, strerror(ENOENT)) != NULL);
  CHECK(csim_file_create(dir, &log.log, &file) == CSIM_IO && !file);
  CHECK(csim_file_create("", &log.log, &file) == CSIM_IO && !file);
  if (!access("/dev/full", W_OK)) { // a device that is always full
    CHECK(csim_file_create("/dev/full", &log.log, &file) == CSIM_OK);
    for (int i = 0; i < 200000; i++) csim_file_text(file, "0123456789");
    CHECK(csim_file_failed(file));
    CHECK(csim_file_commit(file, 1) == CSIM_IO && strstr(log.text, "make room") != NULL);
    CHECK(csim_file_create("/dev/full", &log.log, &file) == CSIM_OK);
    csim_file_text(file, "short"); // told at commit, though it fits the buffer
    CHECK(csim_file_commit(file, 0) == CSIM_IO);
  }
  CHECK(csim_file_create("/dev/null", &log.log, &file) == CSIM_OK);
  csim_file_text(file, "gone");
  CHECK(csim_file_commit(file, 1) == CSIM_OK && !access("/dev/null", F_OK));
  // the directory vanishes while writing
  CHECK(csim_make_directories(in_dir("a/b/c"), &log.log) == CSIM_OK);
  CHECK(csim_make_directories(in_dir("a/b//c/"), &log.log) == CSIM_OK);
  CHECK(csim_make_directories(in_dir("a"), &log.log) == CSIM_OK);
  CHECK(csim_file_create(in_dir("a/b/c/x"), &log.log, &file) == CSIM_OK);
  csim_file *second; // the same name twice at once: the later commit wins
  CHECK(csim_file_create(in_dir("a/b/c/x"), &log.log, &second) == CSIM_OK);
  csim_file_text(file, "first");
  csim_file_text(second, "second");
  CHECK(csim_file_commit(second, 0) == CSIM_OK && csim_file_commit(file, 0) == CSIM_OK);
  char *data;
  size_t size;
  CHECK(csim_file_read(in_dir("a/b/c/x"), 100, NULL, &data, &size) == CSIM_OK && size == 5);
  free(data);
  CHECK(csim_make_directories(in_dir("a/b/c/x/y"), &log.log) == CSIM_IO);
  CHECK(csim_make_directories(in_dir("a/b/c/x"), &log.log) == CSIM_IO);
  CHECK(csim_make_directories("/", &log.log) == CSIM_OK);
  CHECK(csim_make_directories(".", &log.log) == CSIM_OK);
  CHECK(csim_file_create(in_dir("a/b/c/z"), &log.log, &file) == CSIM_OK);
  unlink(in_dir("a/b/c/x"));
  char command[700];
  snprintf(command, sizeof command, "rm -r '%s/a'", dir);
  CHECK(system(command) == 0);
  csim_file_text(file, "x");
  CHECK(csim_file_commit(file, 0) == CSIM_IO);
  CHECK(count_files() == 0);
}

// --------------------------------------------------------------------------------------- writer

static void test_obj_write(void) {
  csim_mesh m =
      parse("a.obj", V3 "v 1 1 0.333333333333333333\nv 7 7 7\nvt 0 0.1\nvt 1 0\n"
                        "f 1 2 3\no body\ng arm leg\nf 1/1 2/2 4 3/1\nusemtl red\nf 1 2 4\n"
                        "g\nf 4 3 1\n");
  const char *path = in_dir("out.obj");
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
  CHECK(same_ints(again.face_vert, 13, m.face_vert) && same_ints(again.face_uv, 13, m.face_uv));
  CHECK(again.ntag == m.ntag && same_ints(again.face_tag, 4, m.face_tag));
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
  CHECK(csim_obj_write(in_dir("none/x.obj"), &m, x, 9, &log.log) == CSIM_IO && log.text[0]);
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
  const char *path = in_dir("ball.obj");
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
  if (!mkdtemp(dir)) return 1;
  test_file_read();
  test_file_write();
  test_file_failures();
  test_obj();
  test_obj_forms();
  test_obj_refused();
  test_obj_many_tags();
  test_stl_binary();
  test_stl_text();
  test_ply();
  test_ply_refused();
  test_strips();
  test_off();
  test_obj_write();
  test_round_trip();
  test_random_bytes();
  test_mutations();
  CHECK(count_files() == 0);
  rmdir(dir);
  return check_report();
}
