// test_normals: given normals turn with rigid motion, keep hard edges, and bend with the surface.
#include "check.h"

#include "mesh/normals.h"

#include <math.h>

// Two squares that share the edge 1-2, at a right angle.
static const double X[] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 1, 1, 1};
static const int START[] = {0, 4, 8}, VERT[] = {0, 1, 2, 3, 1, 4, 5, 2};

static void turn(const double *x, int n, double *out) { // a third of a turn about (1, 1, 1)
  for (int i = 0; i < n; i++) {
    out[3 * i] = x[3 * i + 2];
    out[3 * i + 1] = x[3 * i];
    out[3 * i + 2] = x[3 * i + 1];
  }
}

static void check_row(const double *n, double a, double b, double c) {
  CHECK_NEAR(n[0], a, 1e-6); // normals are kept as floats
  CHECK_NEAR(n[1], b, 1e-6);
  CHECK_NEAR(n[2], c, 1e-6);
}

int main(void) {
  // hard: each face has its own; vertex 0 leans to the side; the last corner has none
  double lean = sqrt(0.5);
  const double given[] = {0, 0, 1, -1, 0, 0, lean, 0, lean};
  const int corner[] = {2, 0, 0, 0, 1, 1, 1, -1};
  csim_normal_faces faces = {2, START, VERT};
  csim_arena arena = {0};
  csim_normals normals;
  double scratch[60], out[60], moved[18];
  CHECK(csim_normals_bind(&arena, &faces, 6, X, given, corner, &normals) == 0);
  CHECK(normals.ncorner == 8 && csim_normals_fit(&normals, &faces));
  CHECK(normals.corner[7] == -1);
  csim_normals_at(&normals, &faces, X, scratch, out);
  for (int c = 0; c < 7; c++) {
    const double *is = out + 3 * normals.corner[c], *was = given + 3 * corner[c];
    CHECK(normals.vert[normals.corner[c]] == VERT[c]);
    check_row(is, was[0], was[1], was[2]);
  }
  turn(X, 6, moved);
  csim_normals_at(&normals, &faces, moved, scratch, out);
  check_row(out + 3 * normals.corner[0], lean, lean, 0);
  check_row(out + 3 * normals.corner[1], 1, 0, 0);
  check_row(out + 3 * normals.corner[5], 0, -1, 0);
  // the second face falls flat: its normals follow, those of the first stay
  for (int i = 0; i < 18; i++) moved[i] = X[i];
  moved[12] = 2, moved[14] = 0, moved[15] = 2, moved[17] = 0;
  csim_normals_at(&normals, &faces, moved, scratch, out);
  check_row(out + 3 * normals.corner[5], 0, 0, 1);
  check_row(out + 3 * normals.corner[1], 0, 0, 1);
  check_row(out + 3 * normals.corner[0], lean, 0, lean);
  csim_normal_faces other = {1, START, VERT};
  CHECK(!csim_normals_fit(&normals, &other));
  csim_arena_free(&arena);
  return check_report();
}
