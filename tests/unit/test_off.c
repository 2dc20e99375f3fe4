// test_off: the OFF reader.
#include "check.h"
#include "kit.h"

#include <string.h>

static void test_off(void) {
  const char *cube = "# a comment\nOFF\n4 2 0\n0 0 0\n1 0 0 # here too\n1 1 0\n\n0 1 0.5\n"
                     "3 0 1 2\n3 0 2 3 255 0 0\n";
  csim_mesh m = kit_parse("a.off", cube);
  CHECK(m.nvert == 4 && m.nface == 2 && m.vert[11] == 0.5);
  CHECK(kit_same_ints(m.face_vert, 6, INTS(0, 1, 2, 0, 2, 3)));
  csim_mesh_free(&m);
  // known by its first word, with colours and normals of vertices, counts in the first line, a quad
  m = kit_parse("mesh", "STCNOFF 4 1 4\n0 0 0 1 1 1 9 9 9 9 0 0\n1 0 0 1 1 1 9 9 9 9 0 0\n"
                        "1 1 0 1 1 1 9 9 9 9 0 0\r\n0 1 0 1 1 1 9 9 9 9 0 0\r\n4 0 1 2 3\n");
  CHECK(m.nvert == 4 && m.nface == 1 && m.ntri == 2);
  csim_mesh_free(&m);
  kit_refuse(__LINE__, "a.off", "hello\n", 1, "begins with the word OFF");
  kit_refuse(__LINE__, "a.off", "4OFF\n1 1 1\n", 1, "four or more dimensions");
  kit_refuse(__LINE__, "a.off", "OFF BINARY\n", 1, "binary OFF");
  kit_refuse(__LINE__, "a.off", "OFF\n3 1\n", 3, "finite");
  kit_refuse(__LINE__, "a.off", "OFF\n-3 1 0\n", 2, "number of vertices");
  kit_refuse(__LINE__, "a.off", "OFF\n1e30 1 0\n", 2, "number of vertices");
  kit_refuse(__LINE__, "a.off", "OFF\n3 1 0\n0 0 0\n1 nan 0\n", 4, "finite");
  kit_refuse(__LINE__, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n", 6, "vertex 3");
  kit_refuse(__LINE__, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n2 0 1\n", 6, "2 corners");
  kit_refuse(__LINE__, "a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1\n", 7, "corner's vertex");
  kit_refuse(__LINE__, "a.off", "OFF\n3 2 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n", 7, "corners");
  char text[200];
  size_t size = strlen(cube);
  for (size_t cut = 0; cut + 12 < size; cut++) { // cut short: refused, but for colours
    memcpy(text, cube, cut);
    CHECK(kit_parse_bytes("a.off", text, cut, &m) == CSIM_INVALID);
  }
}

int main(void) {
  test_off();
  return check_report();
}
