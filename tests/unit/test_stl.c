// test_stl: the STL reader, text and binary.
#include "check.h"
#include "kit.h"

#include "base/bytes.h"
#include "mesh/tag.h"

#include <errno.h>
#include <string.h>

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
  CHECK(kit_parse_bytes("a.stl", data, size, &m) == CSIM_OK);
  CHECK(m.nvert == 4 && m.nface == 2 && kit_same_ints(m.tri, 6, INTS(0, 1, 2, 2, 1, 3)));
  CHECK(m.vert[11] == (double)0.1f);
  csim_mesh_free(&m);
  CHECK(kit_parse_bytes("mesh", data, size, &m) == CSIM_OK); // the size tells
  csim_mesh_free(&m);
  size = put_stl(data, "x", 3, x); // the third facet has two corners at one place
  CHECK(kit_parse_bytes("a.STL", data, size, &m) == CSIM_OK);
  CHECK(m.nface == 2 && kit_last.log.nwarning == 1);
  csim_mesh_free(&m);
  CHECK(kit_parse_bytes("a.stl", data, size - 1, &m) == CSIM_INVALID);
  CHECK(strstr(kit_last.text, "3 facets, but has 233 bytes") != NULL);
  CHECK(kit_parse_bytes("a.stl", data, 84, &m) == CSIM_INVALID);
  csim_store_u32(0x7f800000u, data + 84 + 50 + 12);
  CHECK(kit_parse_bytes("a.stl", data, size, &m) == CSIM_INVALID);
  CHECK(strstr(kit_last.text, "at byte 134") != NULL);
  size = put_stl(data, "x", 0, x);
  CHECK(kit_parse_bytes("a.stl", data, size, &m) == CSIM_INVALID);
}

#define FACET(a, b, c)                                                                             \
  " facet normal nan nan nan\n  outer loop\n   vertex " a "\n   vertex " b "\n   vertex " c        \
  "\n  endloop\n endfacet\n"

static void test_stl_text(void) {
  csim_mesh m =
      kit_parse("a.stl", "solid left\n" FACET("0 0 0", "1 0 0", "0 1 0") "endsolid left\n"
                                                                         "solid right side\n" FACET(
                                                                             "0 1 0", "1 0 -0",
                                                                             "1 1 0") "endsolid");
  CHECK(m.nvert == 4 && m.nface == 2 && m.ntag == 2);
  CHECK(kit_same_ints(m.tri, 6, INTS(0, 1, 2, 2, 1, 3)));
  CHECK(csim_tag_has(m.tag[1], "right side") && m.face_tag[1] == 1);
  csim_mesh_free(&m);
  m = kit_parse("a.stl",
                "SOLID\r\nFacet Normal 0 0 1 OUTER LOOP VERTEX 0 0 0 VERTEX 1 0 0\r\nVERTEX 1 1 0 "
                "VERTEX 0 1 0 ENDLOOP ENDFACET ENDSOLID");
  CHECK(m.nface == 1 && m.ntri == 2 && m.ntag == 0);
  csim_mesh_free(&m);
  kit_refuse(__LINE__, "a.stl", "solid\n", 0, "no vertices");
  kit_refuse(__LINE__, "a.stl", "solid x\n" FACET("0 0 0", "1 0 nan", "0 1 0"), 5, "finite");
  kit_refuse(__LINE__, "a.stl", "solid x\nvertex 1 2 3\n", 2, "outside");
  kit_refuse(__LINE__, "a.stl", "solid x\nfacet\nouter loop\nvertex 1 2 3\nvertex 3 4 5\n", 6,
             "incomplete");
  kit_refuse(__LINE__, "a.stl", "solid x\nfacet\nouter loop\nvertex 1 2 3\nvertex 3 4 5\nendloop",
             6, "2 corners");
  kit_refuse(__LINE__, "a.stl", "sol", 0, "too short");
  kit_refuse(__LINE__, "a.stl", "solid x\nendloop", 2, "without a loop");
  // all of it without area
  kit_refuse(__LINE__, "a.stl", "solid x\n" FACET("0 0 0", "0 0 0", "0 1 0"), 0, "no faces");
}

int main(void) {
  test_stl_binary();
  test_stl_text();
  return check_report();
}
