// test_traversal: every vertex once, predicted from earlier ones only; a parallelogram predicts a
// flat grid exactly.
#include "check.h"

#include "cache/traversal.h"

#include <string.h>

enum { SIDE = 7, NVERT = SIDE * SIDE + 2, NFACE = (SIDE - 1) * (SIDE - 1) };

static void check_order(const csim_traversal *t, int nvert) {
  unsigned char seen[NVERT + 1] = {0};
  for (int i = 0; i < nvert; i++) {
    const csim_predictor *p = &t->predict[i];
    CHECK(t->order[i] >= 0 && t->order[i] < nvert && !seen[t->order[i]]);
    seen[t->order[i]] = 1;
    CHECK((p->a < i || p->a == nvert) && (p->b < i || p->b == nvert) &&
          (p->d < i || p->d == nvert));
  }
}

int main(void) {
  int start[NFACE + 1], vert[4 * NFACE], exact = 0;
  double u[NVERT + 1] = {0}; // a linear function of the places of the grid
  for (int f = 0; f < NFACE; f++) {
    int v = f / (SIDE - 1) * SIDE + f % (SIDE - 1);
    memcpy(vert + 4 * f, (int[]){v, v + 1, v + SIDE + 1, v + SIDE}, 4 * sizeof *vert);
    start[f] = 4 * f;
  }
  start[NFACE] = 4 * NFACE;
  csim_traversal t, again;
  CHECK(csim_traversal_init(&t, NVERT, NFACE, start, vert, 0, NULL) == 0);
  CHECK(csim_traversal_init(&again, NVERT, NFACE, start, vert, 0, NULL) == 0);
  check_order(&t, NVERT);
  CHECK(!memcmp(t.order, again.order, sizeof(int[NVERT])));
  for (int i = 0; i < NVERT; i++) u[i] = 3 * (t.order[i] % SIDE) + 10 * (t.order[i] / SIDE);
  for (int i = 0; i < NVERT; i++) {
    const csim_predictor *p = &t.predict[i];
    if (p->a == p->b) continue; // of the first triangle, or loose
    CHECK((double)p->scale * (u[p->a] + u[p->b] - u[p->d]) == u[i]);
    exact++;
  }
  CHECK(exact == SIDE * SIDE - 3); // all of the grid but the first triangle
  CHECK(t.order[NVERT - 2] + t.order[NVERT - 1] == 2 * NVERT - 3); // the loose ones last
  csim_traversal_free(&t);
  csim_traversal_free(&again);

  static const int tet[8] = {0, 1, 2, 3, 1, 2, 3, 4}; // only its first tetrahedron has faces
  static const int faces[4] = {0, 3, 6, 9}, corners[9] = {0, 2, 1, 0, 1, 3, 0, 3, 2};
  CHECK(csim_traversal_init(&t, 6, 3, faces, corners, 2, tet) == 0);
  check_order(&t, 6);
  CHECK(t.order[4] == 4 && t.order[5] == 5); // over tetrahedra, then what nothing reaches
  csim_traversal_free(&t);
  CHECK(csim_traversal_init(&t, 0, 0, start, vert, 0, NULL) == 0);
  csim_traversal_free(&t);
  return check_report();
}
