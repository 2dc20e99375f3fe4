// mesh/triangulate.c: see triangulate.h.
#include "mesh/triangulate.h"

#include "math/vec3.h"

#include <assert.h>
#include <stdlib.h>

// A polygon seen on a plane, and what is left of it while ears are cut.
typedef struct polygon {
  int n;
  double (*p)[2]; // (n) corners; counter-clockwise unless the polygon is folded
  int *prev, *next;
  double *ear; // (n) shape of the ear at each corner, in 0 .. 1; < 0: not an ear
  double tiny; // [m^2] areas up to this count as zero
} polygon;

// Twice the signed area of a triangle.
static double area2(const double *a, const double *b, const double *c) {
  return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

// Newell's normal: twice the polygon's vector area, defined for corners off any plane too.
static void newell_normal(const double *x, const int *v, int n, double *normal) {
  normal[0] = normal[1] = normal[2] = 0;
  for (int i = 1; i + 1 < n; i++) {
    double t[3];
    csim_triangle_normal(x + 3 * v[0], x + 3 * v[i], x + 3 * v[i + 1], t);
    csim_add_scaled(1, t, normal);
  }
}

// Flattens a polygon along its normal onto two axes with the same handedness. Returns 0 when it has
// no area to speak of.
static int flatten(const double *x, const int *v, polygon *q) {
  double n[3], u[3], w[3];
  newell_normal(x, v, q->n, n);
  double length = csim_normalise(n);
  if (!(length > 0) || !isfinite(length)) return 0;
  int least = 0;
  for (int k = 1; k < 3; k++)
    if (fabs(n[k]) < fabs(n[least])) least = k;
  double axis[3] = {least == 0, least == 1, least == 2};
  csim_cross(axis, n, u);
  double s = csim_norm(u);
  for (int k = 0; k < 3; k++) u[k] /= s;
  csim_cross(n, u, w);
  for (int i = 0; i < q->n; i++) {
    double d[3];
    csim_sub(x + 3 * v[i], x + 3 * v[0], d);
    q->p[i][0] = csim_dot(d, u);
    q->p[i][1] = csim_dot(d, w);
  }
  // rounding of coordinates far below any wanted triangle, relative to the whole face
  q->tiny = 1e-12 * length;
  return 1;
}

// Convex, and every triangle of the fan from corner 0 has an area: that fan is the triangulation.
static int fan_is_good(const polygon *q) {
  for (int i = 0; i < q->n; i++) {
    const double *a = q->p[i], *b = q->p[(i + 1) % q->n], *c = q->p[(i + 2) % q->n];
    if (!(area2(a, b, c) >= -q->tiny)) return 0;
  }
  for (int i = 1; i + 1 < q->n; i++)
    if (!(area2(q->p[0], q->p[i], q->p[i + 1]) > q->tiny)) return 0;
  return 1;
}

// 4 sqrt(3) area / (sum of squared sides): 1 for the equilateral triangle, 0 for a flat one.
static double triangle_shape(const double *a, const double *b, const double *c, double twice_area) {
  double sum = 0;
  for (int k = 0; k < 2; k++)
    sum += (b[k] - a[k]) * (b[k] - a[k]) + (c[k] - b[k]) * (c[k] - b[k]) +
           (a[k] - c[k]) * (a[k] - c[k]);
  return 2 * 1.7320508075688772 * twice_area / sum;
}

static int same_point(const double *a, const double *b) {
  return a[0] == b[0] && a[1] == b[1];
}

// An ear is a convex corner whose triangle holds no other corner, not even on its sides. Corners at
// the very place of one of its own (a slit that touches itself) do not count.
static double rate_ear(const polygon *q, int i) {
  int before = q->prev[i], after = q->next[i];
  const double *a = q->p[before], *b = q->p[i], *c = q->p[after];
  double area = area2(a, b, c);
  if (!(area > q->tiny)) return -1;
  for (int j = q->next[after]; j != before; j = q->next[j]) {
    const double *d = q->p[j];
    if (same_point(d, a) || same_point(d, b) || same_point(d, c)) continue;
    if (area2(a, b, d) >= 0 && area2(b, c, d) >= 0 && area2(c, a, d) >= 0) return -1;
  }
  return triangle_shape(a, b, c, area);
}

static int *emit(int *out, int a, int b, int c) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  return out + 3;
}

// The corner with the best ear among `left` corners from `at` on; -1 when there is none.
static int best_ear(const polygon *q, int at, int left) {
  int best = -1;
  for (int i = at; left > 0; left--, i = q->next[i])
    if (q->ear[i] >= 0 && (best < 0 || q->ear[i] > q->ear[best])) best = i;
  return best;
}

// Cuts the best ear until three corners remain. Only the two corners beside a cut ear are rated
// again, so O(n^2) in all; cutting can make an ear elsewhere too, hence RERATE rounds over all when
// none is left. A polygon without ears (folded, or crossing itself) ends in a fan.
static void cut_ears(polygon *q, const int *v, int *out) {
  enum { RERATE = 4 };
  int left = q->n, at = 0, rerated = 0;
  for (int i = 0; i < q->n; i++) {
    q->prev[i] = i ? i - 1 : q->n - 1;
    q->next[i] = i + 1 < q->n ? i + 1 : 0;
  }
  for (int i = 0; i < q->n; i++) q->ear[i] = rate_ear(q, i);
  while (left > 3) {
    int best = best_ear(q, at, left);
    if (best < 0) {
      if (rerated++ == RERATE) break;
      for (int i = at, k = 0; k < left; k++, i = q->next[i]) q->ear[i] = rate_ear(q, i);
      if (best_ear(q, at, left) < 0) break;
      continue;
    }
    int before = q->prev[best], after = q->next[best];
    out = emit(out, v[before], v[best], v[after]);
    q->next[before] = after;
    q->prev[after] = before;
    q->ear[before] = rate_ear(q, before);
    q->ear[after] = rate_ear(q, after);
    at = after;
    left--;
  }
  for (int i = q->next[at]; left > 2; left--, i = q->next[i])
    out = emit(out, v[at], v[i], v[q->next[i]]);
}

static void cut_fan(const int *v, int n, int *out) {
  for (int i = 1; i + 1 < n; i++) out = emit(out, v[0], v[i], v[i + 1]);
}

static void polygon_free(polygon *q) {
  free(q->p);
  free(q->prev);
  free(q->next);
  free(q->ear);
}

static int polygon_init(polygon *q, int max_corner) {
  *q = (polygon){.p = csim_alloc(max_corner, sizeof *q->p),
                 .prev = CSIM_NEW(int, max_corner),
                 .next = CSIM_NEW(int, max_corner),
                 .ear = CSIM_NEW(double, max_corner)};
  return q->p && q->prev && q->next && q->ear;
}

static csim_status cut_face(const csim_mesh *mesh, int f, polygon *q, csim_place place,
                            csim_log *log, int *out) {
  const int *v = mesh->face_vert + mesh->face_start[f];
  q->n = mesh->face_start[f + 1] - mesh->face_start[f];
  if (q->n == 3 || !flatten(mesh->vert, v, q) || fan_is_good(q)) {
    cut_fan(v, q->n, out);
    return CSIM_OK;
  }
  if (q->n > CSIM_MESH_MAX_CONCAVE)
    return csim_refuse(log, place,
                       "face %d (counted from 0) has %d corners and is not convex; the limit is "
                       "%d: triangulate it in the program that made the mesh",
                       f, q->n, CSIM_MESH_MAX_CONCAVE);
  cut_ears(q, v, out);
  return CSIM_OK;
}

csim_status csim_mesh_triangulate(csim_mesh *mesh, csim_place place, csim_log *log) {
  int ncorner = mesh->nface ? mesh->face_start[mesh->nface] : 0, max_corner = 3;
  assert(ncorner <= CSIM_MESH_MAX_CORNER);
  for (int f = 0; f < mesh->nface; f++) {
    int n = mesh->face_start[f + 1] - mesh->face_start[f];
    assert(n >= 3);
    if (n > max_corner) max_corner = n;
  }
  for (int c = 0; c < ncorner; c++)
    assert(mesh->face_vert[c] >= 0 && mesh->face_vert[c] < mesh->nvert);

  csim_status status = CSIM_OK;
  int ntri = ncorner - 2 * mesh->nface;
  polygon q = {0};
  mesh->ntri = 0;
  int whole = ntri == mesh->nface; // all of them are triangles already
  mesh->tri = whole ? mesh->face_vert : CSIM_ARENA_NEW(&mesh->arena, int, csim_xyz(ntri));
  mesh->tri_face = CSIM_ARENA_NEW(&mesh->arena, int, ntri);
  if (mesh->arena.failed || !polygon_init(&q, max_corner)) {
    status = csim_fail(log, CSIM_MEMORY, place, "out of memory for %d triangles", ntri);
    goto done;
  }
  for (int f = 0; f < mesh->nface && !status; f++) {
    int first = mesh->face_start[f] - 2 * f, n = mesh->face_start[f + 1] - mesh->face_start[f] - 2;
    if (!whole) status = cut_face(mesh, f, &q, place, log, mesh->tri + 3 * first);
    for (int k = 0; k < n; k++) mesh->tri_face[first + k] = f;
  }
  if (!status) mesh->ntri = ntri;
done:
  polygon_free(&q);
  return status;
}
