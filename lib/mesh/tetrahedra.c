// mesh/tetrahedra.c: see tetrahedra.h.
#include "mesh/tetrahedra.h"

#include "base/sort.h"
#include "math/predicates.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

// faces of a positive tet, seen counter-clockwise from outside
static const int FACE[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

typedef struct face {
  int v[3]; // ascending
  int side; // 1 when an even permutation sorts it, else -1; opposite faces have opposite ones
} face;

static face make_face(int a, int b, int c) {
  face f = {.v = {a, b, c}};
  f.side = csim_sort_three(f.v);
  return f;
}

static const char *check_tet_signs(const csim_tets *tets) {
  for (ptrdiff_t t = 0; t < tets->ntet; t++) {
    const double *p[4];
    for (int k = 0; k < 4; k++) {
      int v = tets->tet[4 * t + k];
      if (v < 0 || v >= tets->nvert) return "a tetrahedron has a vertex that does not exist";
      p[k] = tets->vert + csim_xyz(v);
      for (int d = 0; d < 3; d++)
        if (!isfinite(p[k][d])) return "a vertex is not a number";
    }
    if (csim_orient3d(p[0], p[1], p[2], p[3]) <= 0) return "a tetrahedron is flat or inside out";
  }
  return NULL;
}

// Every vertex is one of a tetrahedron or is listed as loose, and not both.
static const char *check_used(const csim_tets *tets, char *used) {
  for (ptrdiff_t i = 0; i < csim_row(4, tets->ntet); i++) used[tets->tet[i]] = 1;
  for (int i = 0; i < tets->nloose; i++) {
    if (used[tets->loose[i]]) return "a tetrahedron has a vertex that belongs to no face";
    used[tets->loose[i]] = 1;
  }
  for (int v = 0; v < tets->nvert; v++)
    if (!used[v]) return "a vertex belongs to no tetrahedron";
  return NULL;
}

// `f` has capacity for the faces of all tets and all triangles.
static const char *check_boundary(const csim_tets *tets, const csim_solid *solid, face *f) {
  ptrdiff_t n = 0;
  for (ptrdiff_t t = 0; t < tets->ntet; t++)
    for (int k = 0; k < 4; k++) {
      const int *v = tets->tet + 4 * t;
      f[n++] = make_face(v[FACE[k][0]], v[FACE[k][1]], v[FACE[k][2]]);
    }
  // the surface seen from outside the solid is the last partner of its outermost faces
  for (ptrdiff_t t = 0; t < solid->ntri; t++) {
    const int *v = solid->tri + 3 * t;
    f[n++] = make_face(v[0], v[2], v[1]);
  }
  csim_sort_rows(f, n, sizeof *f, 4);
  if (n % 2) return "tetrahedra do not end at the surface";
  for (ptrdiff_t i = 0; i < n; i += 2) {
    int paired = f[i].side != f[i + 1].side;
    for (int k = 0; k < 3; k++) paired &= f[i].v[k] == f[i + 1].v[k];
    if (!paired) return "tetrahedra overlap or do not end at the surface";
    // a surface triangle and its own reverse would pair up as well, but csim_check_solid allows
    // no two triangles with the same vertices; nor may four faces share them
    if (i > 0 && f[i].v[0] == f[i - 1].v[0] && f[i].v[1] == f[i - 1].v[1] &&
        f[i].v[2] == f[i - 1].v[2])
      return "tetrahedra overlap";
  }
  return NULL;
}

double csim_tet_volume(const double *x, const int *tet) {
  double a[3], b[3], c[3], n[3];
  csim_sub(x + csim_xyz(tet[1]), x + csim_xyz(tet[0]), a);
  csim_sub(x + csim_xyz(tet[2]), x + csim_xyz(tet[0]), b);
  csim_sub(x + csim_xyz(tet[3]), x + csim_xyz(tet[0]), c);
  csim_cross(b, c, n);
  return csim_dot(a, n) / 6;
}

static const char *check_volume(const csim_tets *tets, const csim_solid *solid) {
  double sum = 0, lost = 0;
  for (int t = 0; t < tets->ntet; t++) {
    double volume = csim_tet_volume(tets->vert, tets->tet + csim_row(4, t)), next = sum + volume;
    lost += fabs(sum) >= fabs(volume) ? (sum - next) + volume : (volume - next) + sum;
    sum = next;
  }
  double off = fabs(sum + lost - solid->volume);
  return off <= 1e-9 * fabs(solid->volume) + 2 * solid->volume_error
             ? NULL
             : "volumes do not add up to the surface's";
}

csim_status csim_check_tets(const csim_tets *tets, const csim_solid *solid, const char **wrong) {
  csim_status status = CSIM_OK;
  char *used = CSIM_NEW(char, tets->nvert);
  face *f = CSIM_NEW(face, csim_row(4, tets->ntet) + solid->ntri);
  *wrong = NULL;
  if (!used || !f) {
    status = CSIM_MEMORY;
    goto done;
  }
  *wrong = tets->ntet < 1 ? "there are no tetrahedra" : check_tet_signs(tets);
  if (!*wrong) *wrong = check_used(tets, used);
  if (!*wrong) *wrong = check_boundary(tets, solid, f);
  if (!*wrong) *wrong = check_volume(tets, solid);
  if (*wrong) status = CSIM_INVALID;
done:
  free(used);
  free(f);
  return status;
}

void csim_tets_free(csim_tets *tets) {
  csim_arena_free(&tets->arena);
  *tets = (csim_tets){0};
}
