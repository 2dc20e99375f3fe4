// test_twins: contacts of the same points are merged without changing the force on any vertex.
#include "check.h"

#include "contact/active.h"

#include <string.h>

enum { NVERT = 10 };

// Adds the force of every contact on its vertices.
static void add_forces(int n, const csim_active_contact *contact, double force[NVERT][3]) {
  for (int i = 0; i < n; i++)
    for (int k = 0; k < 4; k++)
      for (int c = 0; c < 3 && contact[i].w[k] != 0; c++)
        force[contact[i].v[k]][c] -= contact[i].force * contact[i].w[k] * contact[i].n[c];
}

enum { MANY = 20000, VERTS = 3000 };

// Many contacts, of which most have twins: the same bytes on four threads as on one.
static void test_threads(void) {
  static csim_active_contact one[MANY], four[MANY];
  csim_pool *pool = csim_pool_create(4);
  csim_twins twins = {0};
  unsigned seed = 3;
  for (int i = 0; i < MANY; i++) {
    seed = seed * 1664525u + 1013904223u;
    int v = i * (VERTS - 20) / MANY, other = v + 4 + (int)(seed >> 8) % 8;
    one[i] = (csim_active_contact){.v = {v, other, v + 1, v + 2},
                                   .w = {-1, 1, 0, 0},
                                   .n = {0, 0, 1},
                                   .force = seed >> 28 ? -1e-3 * (seed >> 12) : 0,
                                   .stiff = 1 + i};
  }
  memcpy(four, one, sizeof one);
  int left = csim_twins_merge(NULL, &twins, VERTS, one, MANY);
  CHECK(left > VERTS && left < MANY);
  CHECK(csim_twins_merge(pool, &twins, VERTS, four, MANY) == left);
  CHECK(!memcmp(one, four, (size_t)left * sizeof *one));
  for (int i = 1; i < left; i++) CHECK(one[i].v[0] >= one[i - 1].v[0]);
  csim_twins_free(&twins);
  csim_pool_free(pool);
}

int main(void) {
  test_threads();
  const csim_active_contact before[] = {
      // vertex 1 over vertex 5, seen from three triangles around it
      {.v = {1, 5, 6, 7}, .w = {-1, 1, 0, 0}, .n = {0, 0, 1}, .force = -2, .stiff = 10},
      {.v = {1, 7, 5, 8}, .w = {-1, 0, 1, 0}, .n = {0, 0, 1}, .force = -3, .stiff = 20},
      // no force: dropped
      {.v = {2, 5, 6, 7}, .w = {-1, 1, 0, 0}, .n = {0, 1, 0}, .force = 0, .stiff = 0},
      // vertex 1 over the middle of an edge: other points
      {.v = {1, 5, 6, 7}, .w = {-1, 0.5, 0.5, 0}, .n = {1, 0, 0}, .force = -4, .stiff = 30},
      // the first pair once more, as an edge against an edge, from the other side
      {.v = {5, 8, 1, 3}, .w = {-1, 0, 1, 0}, .n = {0, 0, -1}, .force = -5, .stiff = 40},
      // a side of three triangles that count it, and less: nothing is left, but for rounding
      {.v = {2, 5, 6, 7}, .w = {-1, 0.5, 0.5, 0}, .n = {0, 0, 1}, .force = -0.1, .stiff = 3},
      {.v = {2, 6, 5, 9}, .w = {-1, 0.5, 0.5, 0}, .n = {0, 0, 1}, .force = -0.2, .stiff = 6},
      {.v = {2, 5, 6, 7}, .w = {-1, 0.5, 0.5, 0}, .n = {0, 0, 1}, .force = 0.3, .stiff = -9},
      // an edge in a valley: it pulls, and has no stiffness
      {.v = {3, 5, 6, 7}, .w = {-1, 0.5, 0.5, 0}, .n = {0, 0, 1}, .force = 0.3, .stiff = -9},
      // four vertices with weight: no twin, whatever the others
      {.v = {1, 5, 6, 7}, .w = {-1, 0.2, 0.3, 0.5}, .n = {0, 1, 0}, .force = -1, .stiff = 5},
      // a plane's
      {.v = {1, 0, 0, -3}, .w = {1, 0, 0, 0}, .n = {0, 0, 1}, .force = -1, .stiff = 5},
      {.v = {1, 0, 0, -3}, .w = {1, 0, 0, 0}, .n = {0, 0, 1}, .force = -1, .stiff = 5},
  };
  enum { N = sizeof before / sizeof *before };
  csim_active_contact after[N];
  memcpy(after, before, sizeof before);
  csim_twins twins = {0};
  int left = csim_twins_merge(NULL, &twins, NVERT, after, N);
  CHECK(left == 6);
  if (left == 6) {
    CHECK_NEAR(after[0].force, -2 - 3 - 5, 0);
    CHECK_NEAR(after[0].stiff, 10 + 20 + 40, 0);
    CHECK(after[2].force == 0.3 && after[2].stiff == 0);
    CHECK(after[1].w[1] == 0.5 && after[3].w[3] == 0.5); // in their order
    CHECK(after[4].v[3] == -3 && after[5].v[3] == -3);
  }
  double expected[NVERT][3] = {{0}}, got[NVERT][3] = {{0}};
  add_forces(N - 2, before, expected); // planes have no four vertices
  add_forces(left < 4 ? left : 4, after, got);
  for (int v = 0; v < NVERT; v++)
    for (int c = 0; c < 3; c++) CHECK_NEAR(got[v][c], expected[v][c], 1e-14);
  CHECK(csim_twins_merge(NULL, &twins, NVERT, after, 0) == 0);
  csim_twins_free(&twins);
  return check_report();
}
