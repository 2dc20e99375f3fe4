// mesh/normals.c: see normals.h.
#include "mesh/normals.h"

#include "math/vec3.h"

#include <string.h>

static int are_equal(const double *value, int a, int b) {
  return a == b || !memcmp(value + csim_xyz(a), value + csim_xyz(b), 3 * sizeof *value);
}

// Corners of one vertex with equal normals share one, also where a file lists it twice, as formats
// without indices do: a list for each vertex.
// @param[out] given  (corners) of each normal
static int share_corners(csim_arena *arena, const csim_normal_faces *faces, int nvert,
                         const double *value, const int *corner, int *given,
                         csim_normals *normals) {
  int ncorner = faces->nface ? faces->face_start[faces->nface] : 0;
  int *first = CSIM_ARENA_NEW(arena, int, nvert); // 1 + the first normal of a vertex, 0 = none
  int *next = CSIM_ARENA_NEW(arena, int, ncorner);
  normals->ncorner = ncorner;
  normals->vert = CSIM_ARENA_NEW(arena, int, ncorner);
  normals->corner = CSIM_ARENA_NEW(arena, int, ncorner);
  if (arena->failed) return -1;
  for (int c = 0; c < ncorner; c++) {
    int v = faces->face_vert[c], k = first[v];
    normals->corner[c] = -1;
    if (corner[c] < 0) continue;
    while (k && !are_equal(value, given[k - 1], corner[c])) k = next[k - 1];
    if (!k) {
      k = ++normals->n;
      normals->vert[k - 1] = v;
      given[k - 1] = corner[c];
      next[k - 1] = first[v];
      first[v] = k;
    }
    normals->corner[c] = k - 1;
  }
  return 0;
}

// Twice the area of a polygon times its normal (Newell).
static void area_normal(const csim_normal_faces *faces, int f, const double *x, double m[3]) {
  m[0] = m[1] = m[2] = 0;
  int a = faces->face_start[f], b = faces->face_start[f + 1];
  const double *o = x + csim_xyz(faces->face_vert[a]);
  for (int c = a + 1; c + 1 < b; c++) {
    double p[3], q[3], n[3];
    csim_sub(x + csim_xyz(faces->face_vert[c]), o, p);
    csim_sub(x + csim_xyz(faces->face_vert[c + 1]), o, q);
    csim_cross(p, q, n);
    csim_add_scaled(1, n, m);
  }
}

static int make_unit(double v[3]) {
  double l = csim_norm(v);
  for (int k = 0; k < 3; k++) v[k] = l > 0 ? v[k] / l : 0;
  return l > 0;
}

// The sums m (n x 3) and the first edges (n x 3) of all normals.
static void find_frames(const csim_normals *normals, const csim_normal_faces *faces,
                        const double *x, double *edge, double *m) {
  memset(m, 0, 3 * (size_t)normals->n * sizeof *m);
  memset(edge, 0, 3 * (size_t)normals->n * sizeof *edge);
  for (int f = 0; f < faces->nface; f++) {
    double normal[3];
    int a = faces->face_start[f], b = faces->face_start[f + 1];
    area_normal(faces, f, x, normal);
    for (int c = a; c < b; c++) {
      int k = normals->corner[c], after = c + 1 < b ? c + 1 : a;
      if (k < 0) continue;
      double *e = edge + csim_xyz(k);
      csim_add_scaled(1, normal, m + csim_xyz(k));
      if (e[0] == 0 && e[1] == 0 && e[2] == 0)
        csim_sub(x + csim_xyz(faces->face_vert[after]), x + csim_xyz(faces->face_vert[c]), e);
    }
  }
}

// t, m x t, m as unit vectors, of m and an edge. @return 0 when there is no such frame
static int make_frame(const double *m, const double *edge, double frame[3][3]) {
  memcpy(frame[2], m, sizeof frame[2]);
  memcpy(frame[0], edge, sizeof frame[0]);
  if (!make_unit(frame[2])) return 0;
  csim_add_scaled(-csim_dot(edge, frame[2]), frame[2], frame[0]);
  if (!make_unit(frame[0])) return 0;
  csim_cross(frame[2], frame[0], frame[1]);
  return 1;
}

int csim_normals_bind(csim_arena *arena, const csim_normal_faces *faces, int nvert, const double *x,
                      const double *given, const int *corner, csim_normals *normals) {
  *normals = (csim_normals){0};
  int *of = CSIM_ARENA_NEW(arena, int, faces->nface ? faces->face_start[faces->nface] : 0);
  if (!of || share_corners(arena, faces, nvert, given, corner, of, normals)) return -1;
  ptrdiff_t n = normals->n;
  double *edge = CSIM_ARENA_NEW(arena, double, 3 * n), *m = CSIM_ARENA_NEW(arena, double, 3 * n);
  normals->local = CSIM_ARENA_NEW(arena, double, 3 * n);
  if (!edge || !m || !normals->local) return -1;
  find_frames(normals, faces, x, edge, m);
  for (ptrdiff_t k = 0; k < n; k++) {
    double frame[3][3], unit[3], *local = normals->local + 3 * k;
    memcpy(unit, given + csim_xyz(of[k]), sizeof unit);
    int known = make_unit(unit) && make_frame(m + 3 * k, edge + 3 * k, frame);
    for (int c = 0; c < 3; c++) local[c] = known ? csim_dot(frame[c], unit) : c == 2;
  }
  // not above: gcc 12 -O3 leaves the rounding out of two of three where it makes vectors of them
  for (ptrdiff_t i = 0; i < 3 * n; i++) normals->local[i] = (double)(float)normals->local[i];
  return 0;
}

int csim_normals_fit(const csim_normals *normals, const csim_normal_faces *faces) {
  int ncorner = faces->nface ? faces->face_start[faces->nface] : 0;
  if (ncorner != normals->ncorner) return 0;
  for (int c = 0; c < ncorner; c++) {
    int k = normals->corner[c];
    if (k >= normals->n || (k >= 0 && normals->vert[k] != faces->face_vert[c])) return 0;
  }
  return 1;
}

void csim_normals_at(const csim_normals *normals, const csim_normal_faces *faces, const double *x,
                     double *scratch, double *out) {
  find_frames(normals, faces, x, scratch, out);
  for (ptrdiff_t k = 0; k < normals->n; k++) {
    double frame[3][3], *to = out + 3 * k;
    const double *local = normals->local + 3 * k;
    if (!make_frame(to, scratch + 3 * k, frame)) {
      make_unit(to);
      continue;
    }
    for (int c = 0; c < 3; c++)
      to[c] = local[0] * frame[0][c] + local[1] * frame[1][c] + local[2] * frame[2][c];
  }
}
