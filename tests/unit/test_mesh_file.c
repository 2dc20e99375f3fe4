// test_mesh_file: bytes of any kind as mesh files: a mesh, or a message.
#include "check.h"
#include "kit.h"

#include "base/bytes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

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

#define FACET(a, b, c)                                                                             \
  " facet normal nan nan nan\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c        \
  "\n  endloop\n endfacet\n"

#define PLY_HEAD(format) "ply\nformat " format " 1.0\ncomment made by hand\nobj_info x\n"
#define PLY_VERTEX                                                                                 \
  "element vertex 4\nproperty uchar red\nproperty double z\nproperty float x\n"                    \
  "property list uchar short junk\nproperty int16 y\n"
#define PLY_REST                                                                                   \
  "element edge 2\nproperty int a\nproperty list int8 float b\n"                                   \
  "element face 2\nproperty list uchar uint vertex_index\nproperty int flags\nend_header\n"

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
    csim_status status = kit_parse_bytes(NAMES[i], data, size, &m);
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

int main(void) {
  test_random_bytes();
  test_mutations();
  return check_report();
}
