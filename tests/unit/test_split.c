// test_split.c: which corners become points of their own.
#include "base/arena.h"
#include "cache/split.h"
#include "check.h"

// Two quads side by side, and a vertex of no face.
enum { NVERT = 7, NCORNER = 8 };
static const int start[] = {0, 4, 8}, vert[NCORNER] = {0, 3, 4, 1, 1, 4, 5, 2};

// Texture coordinates 2 and 4 are equal; corners 3 and 4, of vertex 1, have these.
static const double uv[] = {0, 0, 0, 1, 1, 0, 1, 1, 1, 0, 5, 5};
static const int face_uv[NCORNER] = {0, 1, 3, 2, 4, 5, -1, 0};
// The second set has a seam at vertex 1 alone, and nothing at vertex 4.
static const int light_uv[NCORNER] = {0, 0, -1, 0, 1, -1, 0, 0};
static const csim_uv_set light = {"light", 6, uv, light_uv};
static const double normal[] = {0, 1, 0, 1, 0, 0, 0, 1, 0};
static const int face_normal[NCORNER] = {0, 0, 0, 0, 2, 1, 0, 0};

static csim_cache_object strip(void) {
  return (csim_cache_object){.name = "strip",
                             .nvert = NVERT,
                             .nface = 2,
                             .face_start = start,
                             .face_vert = vert,
                             .nuv = 6,
                             .uv = uv,
                             .face_uv = face_uv,
                             .nuv_set = 1,
                             .uv_set = &light,
                             .nnormal = 3,
                             .normal = normal,
                             .face_normal = face_normal};
}

// Points of a split; each corner's point must be of its vertex, and a point's corner one of its
// own.
static int points(const csim_cache_object *o, int what) {
  csim_arena arena = {0};
  csim_split s;
  CHECK(!csim_split_make(o, what, &arena, &s));
  int ncorner = o->nface ? NCORNER : 0, good = 1;
  for (int c = 0; c < ncorner; c++) good &= s.vert[s.point[c]] == vert[c];
  for (int k = 0; k < s.n; k++) good &= s.corner[k] < 0 || s.point[s.corner[k]] == k;
  for (int k = 0; k < NVERT && (what & CSIM_SPLIT_VERTICES); k++) good &= s.vert[k] == k;
  CHECK(good);
  csim_arena_free(&arena);
  return s.n;
}

int main(void) {
  csim_cache_object o = strip();
  CHECK(points(&o, CSIM_SPLIT_VERTICES) == 7);
  CHECK(points(&o, 0) == 6); // without the one of no face
  // equal coordinates under two numbers make no seam; vertex 4 has one
  CHECK(points(&o, CSIM_SPLIT_UV) == 7);
  CHECK(points(&o, CSIM_SPLIT_UV | CSIM_SPLIT_VERTICES) == 8);
  CHECK(points(&o, CSIM_SPLIT_UV_SETS) == 7);
  CHECK(points(&o, CSIM_SPLIT_UV | CSIM_SPLIT_UV_SETS) == 8);
  CHECK(points(&o, CSIM_SPLIT_NORMAL) == 7);
  CHECK(points(&o, CSIM_SPLIT_UV | CSIM_SPLIT_NORMAL) == 7); // vertex 4 alone differs in both
  o.nface = 0;
  CHECK(points(&o, CSIM_SPLIT_UV | CSIM_SPLIT_VERTICES) == 7);
  CHECK(points(&o, CSIM_SPLIT_UV) == 0);
  return check_report();
}
