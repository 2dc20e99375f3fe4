// test_patches: tetrahedra of a block of cubes fall into its cubes; patches are connected.
#include "check.h"

#include "mesh/patches.h"

#include <stdlib.h>

enum { SIDE = 3, CUBES = SIDE * SIDE * SIDE, NTET = 6 * CUBES };

static int corner(int x, int y, int z) {
  return x + (SIDE + 1) * (y + (SIDE + 1) * z);
}

// Six tetrahedra around the diagonal of each cube, one for each order of the axes.
static void cut_cubes(int tet[NTET][4]) {
  static const int order[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
  for (int c = 0; c < CUBES; c++)
    for (int k = 0; k < 6; k++) {
      int at[3] = {c % SIDE, c / SIDE % SIDE, c / SIDE / SIDE};
      for (int n = 0; n < 4; n++) {
        tet[6 * c + k][n] = corner(at[0], at[1], at[2]);
        if (n < 3) at[order[k][n]]++;
      }
    }
}

static int count_vertices(int tet[NTET][4], const int *patch, int p) {
  char seen[(SIDE + 1) * (SIDE + 1) * (SIDE + 1)] = {0};
  int n = 0;
  for (int t = 0; t < NTET; t++)
    for (int k = 0; k < 4 && patch[t] == p; k++) n += !seen[tet[t][k]]++;
  return n;
}

int main(void) {
  int tet[NTET][4], patch[NTET], size[NTET] = {0};
  cut_cubes(tet);
  int n = csim_tet_patches(NTET, tet[0], patch);
  CHECK(n >= CUBES && n <= NTET);
  for (int t = 0; t < NTET; t++) {
    CHECK(patch[t] >= 0 && patch[t] < n);
    if (patch[t] >= 0 && patch[t] < n) size[patch[t]]++;
  }
  CHECK(n == CUBES); // as the header says of such blocks
  for (int p = 0; p < n; p++) {
    CHECK(size[p] == 6);
    CHECK(count_vertices(tet, patch, p) == CSIM_PATCH_NODES);
  }
  for (int c = 0; c < CUBES; c++)
    for (int k = 1; k < 6; k++) CHECK(patch[6 * c + k] == patch[6 * c]);
  CHECK(csim_tet_patches(0, tet[0], patch) == 0);
  CHECK(csim_tet_patches(1, tet[0], patch) == 1 && patch[0] == 0);
  return check_report();
}
