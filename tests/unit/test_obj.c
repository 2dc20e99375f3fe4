// test_obj: the OBJ reader.
#include "check.h"
#include "kit.h"

#include "mesh/tag.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void test_obj(void) {
  csim_mesh m = kit_parse(
      "a.obj", "\xef\xbb\xbf# a comment \\\r\nmtllib x.mtl\r\n"
               "v 0 0 0\r\nv 1 0 0 0.5 0.5 0.5\r\nv 1. 1e0 0 1.0\r\n\tv\t0 +1 -.0e3 # c\r\n"
               "v 9 9 9\r\n"
               "vt 0 0\r\nvt 1 0 0\r\nvt 1\r\nvn nan 0 1\r\n"
               "f 1 2 3 4\r\n"
               "o body part\r\ng arm  leg \r\nf -5/1 -4/2/ -3/3/7\r\n"
               "usemtl red\r\nf 1//1 \\\r\n 3//1 \\\n 4//-1 # end\r\n"
               "l 1 2\r\ns off\r\nf 1/-1 2 3/-3");
  CHECK(m.nvert == 5 && m.nface == 4 && m.nuv == 3 && m.ntri == 5);
  CHECK(m.vert[4] == 0 && m.vert[7] == 1 && m.vert[10] == 1 && m.vert[12] == 9);
  CHECK(kit_same_ints(m.face_start, 5, INTS(0, 4, 7, 10, 13)));
  CHECK(kit_same_ints(m.face_vert, 13, INTS(0, 1, 2, 3, 0, 1, 2, 0, 2, 3, 0, 1, 2)));
  CHECK(kit_same_ints(m.face_uv, 13, INTS(-1, -1, -1, -1, 0, 1, 2, -1, -1, -1, 2, -1, 0)));
  CHECK(m.uv[2] == 1 && m.uv[3] == 0 && m.uv[4] == 1 && m.uv[5] == 0);
  CHECK(kit_same_ints(m.tri, 15, INTS(0, 1, 2, 0, 2, 3, 0, 1, 2, 0, 2, 3, 0, 1, 2)));
  CHECK(kit_same_ints(m.tri_face, 5, INTS(0, 0, 1, 2, 3)));
  CHECK(m.ntag == 3 && kit_same_ints(m.face_tag, 4, INTS(0, 1, 2, 2)));
  CHECK_TEXT(m.tag[0], "mtllib x.mtl\n");
  CHECK_TEXT(m.tag[1], "mtllib x.mtl\no body part\ng arm  leg\n");
  CHECK_TEXT(m.tag[2], "mtllib x.mtl\no body part\ng arm  leg\nusemtl red\n");
  CHECK(csim_tag_has(m.tag[2], "leg") && !csim_tag_has(m.tag[2], "x.mtl"));
  csim_mesh_free(&m);
}

static void test_obj_forms(void) {
  // lone carriage returns, a face before its vertices, no line end at the end
  csim_mesh m = kit_parse("a.obj", "f 3 2 1\rv 0 0 0\rv 1 0 0\rv 0 1 0");
  CHECK(m.nvert == 3 && kit_same_ints(m.tri, 3, INTS(2, 1, 0)));
  csim_mesh_free(&m);
  // a polygon with a notch stays one face
  m = kit_parse("a.obj", "v 0 0 0\nv 2 0.5 0\nv 0 1 0\nv 1 0.5 0\nf 1 2 3 4\n");
  CHECK(m.nface == 1 && m.ntri == 2 && m.tri[0] != m.tri[3]);
  csim_mesh_free(&m);
  // tags: the same names make the same tag, an empty name ends one
  m = kit_parse(
      "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\ng a\nf 1 2 3\ng b\nf 1 2 3\ng a\nf 1 2 3\ng\nf 1 2 3\n");
  CHECK(m.ntag == 2 && kit_same_ints(m.face_tag, 4, INTS(0, 1, 0, -1)));
  csim_mesh_free(&m);
  // unknown extension
  m = kit_parse("mesh", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  CHECK(m.nface == 1 && m.nuv == 0 && !m.face_uv && !m.face_tag);
  csim_mesh_free(&m);
}

#define V3 "v 0 0 0\nv 1 0 0\nv 0 1 0\n"

static void test_obj_refused(void) {
  kit_refuse(__LINE__, "a.obj", "", 0, "empty");
  kit_refuse(__LINE__, "a.obj", "hello\n", 0, "no vertices");
  kit_refuse(__LINE__, "a.obj", V3, 0, "no faces");
  kit_refuse(__LINE__, "a.obj", V3 "f 1 2\n", 4, "2 corners");
  kit_refuse(__LINE__, "a.obj", V3 "f\n", 4, "0 corners");
  kit_refuse(__LINE__, "a.obj", V3 "\nf 1 2 4\n", 5, "vertex 4");
  kit_refuse(__LINE__, "a.obj", V3 "f 1 2 99999999999999999999\n", 4, "vertex");
  kit_refuse(__LINE__, "a.obj", V3 "f 1 2 0\n", 4, "counts from 1");
  kit_refuse(__LINE__, "a.obj", V3 "f 1 2 -4\n", 4, "counts back");
  kit_refuse(__LINE__, "a.obj", V3 "f 1 2 \\\n 2\n", 4, "vertex 2 twice");
  kit_refuse(__LINE__, "a.obj", V3 "f 1 2 3.5\n", 4, "'3.5'");
  kit_refuse(__LINE__, "a.obj", V3 "f 1 2 x\n", 4, "'x'");
  kit_refuse(__LINE__, "a.obj", V3 "f 1/1 2/1 3/1\n", 4, "texture coordinate 1");
  kit_refuse(__LINE__, "a.obj", V3 "f 1/0 2/1 3/1\n", 4, "counts from 1");
  kit_refuse(__LINE__, "a.obj", V3 "f 1/1/1/1 2 3\n", 4, "not a face corner");
  kit_refuse(__LINE__, "a.obj", V3 "v 1 2\n", 4, "needs 3");
  kit_refuse(__LINE__, "a.obj", V3 "v 1 2 nan\n", 4, "'nan'");
  kit_refuse(__LINE__, "a.obj", V3 "v 1 -inf 3\n", 4, "'-inf'");
  kit_refuse(__LINE__, "a.obj", V3 "v 1 1e999 3\n", 4, "'1e999'");
  kit_refuse(__LINE__, "a.obj", V3 "v 1 1e30 3\n", 4, "1e18");
  kit_refuse(__LINE__, "a.obj", V3 "v 1,5 2 3\n", 4, "decimal mark");
  kit_refuse(__LINE__, "a.obj", V3 "v 0x10 2 3\n", 4, "'0x10'");
  kit_refuse(__LINE__, "a.obj", V3 "vt\n", 4, "needs 1");
  kit_refuse(__LINE__, "a.obj", V3 "vt 1 nan\n", 4, "'nan'");
  kit_refuse(__LINE__, "a.obj", "\xff\xfev\0", 0, "UTF-16");
  kit_refuse(__LINE__, "a.obj", "\x1f\x8b\x08", 0, "gzip");
  char *text = calloc(1, 2100);
  strcpy(text, V3 "usemtl ");
  memset(text + strlen(text), 'x', 2000);
  kit_refuse(__LINE__, "a.obj", text, 4, "longer than 1000");
  free(text);
}

// A file whose names multiply: 9,000 groups of 1,000 characters would be fine, times 9,000 not.
static void test_obj_many_tags(void) {
  size_t capacity = 40 << 20, n = 0;
  char *text = malloc(capacity);
  n += (size_t)sprintf(text, V3 "o %01000d\ng %01000d\n", 1, 2);
  for (int i = 0; i < 200000; i++) n += (size_t)sprintf(text + n, "usemtl m%d\nf 1 2 3\n", i);
  csim_mesh m;
  CHECK(kit_parse_bytes("a.obj", text, n, &m) == CSIM_INVALID);
  CHECK(strstr(kit_last.text, "too many groups") != NULL);
  free(text);
}

int main(void) {
  test_obj();
  test_obj_forms();
  test_obj_refused();
  test_obj_many_tags();
  return check_report();
}
