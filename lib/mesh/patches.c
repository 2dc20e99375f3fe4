// mesh/patches.c: see patches.h.
#include "mesh/patches.h"

#include "base/arena.h"
#include "base/sort.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

typedef struct face {
  int node[3]; // ascending
  int tet;
} face;

// Tetrahedra on the other sides of the faces, next (ntet x 4), in no particular order, then -1.
static int find_neighbours(int ntet, const int *tet, int *next) {
  face *faces = CSIM_NEW(face, csim_row(4, ntet));
  if (!faces) return -1;
  for (int t = 0; t < ntet; t++)
    for (int k = 0; k < 4; k++) {
      face *f = &faces[csim_row(4, t) + k];
      for (int n = 0; n < 3; n++) f->node[n] = tet[csim_row(4, t) + (k + 1 + n) % 4];
      csim_sort_three(f->node);
      f->tet = t;
    }
  csim_sort_rows(faces, csim_row(4, ntet), sizeof *faces, 4);
  for (ptrdiff_t k = 0; k < csim_row(4, ntet); k++) next[k] = -1;
  for (ptrdiff_t k = 1; k < csim_row(4, ntet); k++) {
    if (memcmp(faces[k].node, faces[k - 1].node, sizeof faces[k].node) != 0) continue;
    for (int side = 0; side < 2; side++) {
      int *of = next + csim_row(4, faces[k - side].tet);
      while (*of >= 0) of++;
      *of = faces[k - 1 + side].tet;
    }
  }
  free(faces);
  return 0;
}

typedef struct growth {
  const int *tet, *next;
  int *patch;
  int number;
  int node[CSIM_PATCH_NODES], nnode;
  int nfront;
  int *front; // tetrahedra of the patch
} growth;

// Vertices of a tetrahedron that are not in the patch.
static int new_nodes(const growth *g, int t, int fresh[4]) {
  int n = 0;
  for (int k = 0; k < 4; k++) {
    int v = g->tet[csim_row(4, t) + k], has = 0;
    for (int i = 0; i < g->nnode; i++) has |= g->node[i] == v;
    if (!has) fresh[n++] = v;
  }
  return n;
}

static void join(growth *g, int t) {
  int fresh[4], n = new_nodes(g, t, fresh);
  for (int k = 0; k < n; k++) g->node[g->nnode++] = fresh[k];
  g->patch[t] = g->number;
  g->front[g->nfront++] = t;
}

// Cost of adding a tetrahedron to a patch: first by the vertices that it adds, then by the faces it
// does not share with the patch, then by how many others could still take it.
static int cost_of(const growth *g, int t) {
  int fresh[4], n = new_nodes(g, t, fresh), apart = 4, wanted = 0;
  if (g->nnode + n > CSIM_PATCH_NODES) return INT_MAX;
  for (int k = 0; k < 4; k++) {
    int other = g->next[csim_row(4, t) + k];
    if (other < 0) continue;
    apart -= g->patch[other] == g->number;
    wanted += g->patch[other] < 0;
  }
  return 25 * n + 5 * apart + wanted;
}

static void grow(growth *g, int seed) {
  g->nnode = g->nfront = 0;
  for (int best = seed; best >= 0;) {
    join(g, best);
    int least = INT_MAX;
    best = -1;
    for (int k = 0; k < 4 * g->nfront; k++) {
      int t = g->next[csim_row(4, g->front[k / 4]) + k % 4];
      if (t < 0 || g->patch[t] >= 0) continue;
      int cost = cost_of(g, t);
      if (cost < least || (cost == least && cost < INT_MAX && t < best)) least = cost, best = t;
    }
  }
}

int csim_tet_patches(int ntet, const int *tet, int *patch) {
  int *next = CSIM_NEW(int, csim_row(4, ntet)), *front = CSIM_NEW(int, ntet);
  int failed = !next || !front || find_neighbours(ntet, tet, next);
  growth g = {.tet = tet, .next = next, .patch = patch, .front = front};
  for (int t = 0; t < ntet; t++) patch[t] = -1;
  for (int t = 0; t < ntet && !failed; t++) {
    if (patch[t] >= 0) continue;
    grow(&g, t);
    g.number++;
  }
  free(next);
  free(front);
  return failed ? -1 : g.number;
}
