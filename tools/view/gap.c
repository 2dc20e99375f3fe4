// view/gap.c: distance to the nearest other surface, by a grid of cells. See measure.h.
//
// A triangle is listed in every cell that its box, grown by `limit`, touches; a vertex looks in its
// own cell only. Cells are slots of a hash table; a list may hold strangers, never too little.
#include "measure.h"
#include "vec.h"

#include <stdlib.h>

typedef struct place {
  int body, tri;
} place;

typedef struct grid {
  double cell, limit;
  unsigned mask;
  int *start; ///< (mask + 3) first entry of each slot
  place *entry;
  place *large; ///< triangles over too many cells: everyone looks at them
  int nlarge;
} grid;

enum { MOST_CELLS = 512 };

static unsigned slot_of(const grid *g, const long cell[3]) {
  unsigned h =
      (unsigned)cell[0] * 73856093u ^ (unsigned)cell[1] * 19349663u ^ (unsigned)cell[2] * 83492791u;
  return (h ^ h >> 15) & g->mask;
}

static long cell_of(const grid *g, double x) {
  return (long)floor(view_clamp(x / g->cell, -1e9, 1e9));
}

static vec3 corner(const view_body *b, int tri, int k) {
  return vec_load(b->x + csim_xyz(b->tri[csim_xyz(tri) + k]));
}

/// Counts a triangle in its slots (entry = NULL) or files it there.
static void file_triangle(grid *g, const view_body *b, place at, place *entry) {
  long lo[3], hi[3], cell[3];
  double ncell = 1;
  for (int d = 0; d < 3; d++) {
    double least = 1e300, most = -1e300;
    for (int k = 0; k < 3; k++) {
      double x = b->x[csim_xyz(b->tri[csim_xyz(at.tri) + k]) + d];
      least = fmin(least, x);
      most = fmax(most, x);
    }
    lo[d] = cell_of(g, least - g->limit);
    hi[d] = cell_of(g, most + g->limit);
    ncell *= (double)(hi[d] - lo[d] + 1);
  }
  if (ncell > MOST_CELLS) {
    if (entry) g->large[g->nlarge++] = at;
    return;
  }
  for (cell[0] = lo[0]; cell[0] <= hi[0]; cell[0]++)
    for (cell[1] = lo[1]; cell[1] <= hi[1]; cell[1]++)
      for (cell[2] = lo[2]; cell[2] <= hi[2]; cell[2]++) {
        unsigned s = slot_of(g, cell);
        if (entry)
          entry[g->start[s + 1]++] = at;
        else
          g->start[s + 2]++;
      }
}

static int build_grid(int nbody, const view_body *body, double limit, grid *g) {
  double edge = 0;
  long ntri = 0;
  for (int b = 0; b < nbody; b++) {
    double mean = csim_mean_edge(body[b].x, body[b].ntri, 3, body[b].tri);
    // the finest mesh decides: by the edges of a ground plane one cell would hold everything
    if (mean > 0 && (!(edge > 0) || mean < edge)) edge = mean;
    ntri += body[b].ntri;
  }
  *g = (grid){.cell = fmax(2 * limit, edge), .limit = limit, .mask = 1023};
  while (g->mask < 2 * ntri && g->mask < 1u << 24) g->mask = 2 * g->mask + 1;
  g->start = calloc((size_t)g->mask + 3, sizeof *g->start);
  g->large = malloc((size_t)ntri * sizeof *g->large + 1);
  if (!g->start || !g->large) return 0;
  // counted two places up, summed, and filled one place up, the starts end where they belong
  for (int b = 0; b < nbody; b++)
    for (int t = 0; t < body[b].ntri; t++) file_triangle(g, body + b, (place){b, t}, NULL);
  for (unsigned s = 0; s <= g->mask; s++) g->start[s + 2] += g->start[s + 1];
  g->entry = malloc((size_t)g->start[g->mask + 2] * sizeof *g->entry + 1);
  if (!g->entry) return 0;
  for (int b = 0; b < nbody; b++)
    for (int t = 0; t < body[b].ntri; t++) file_triangle(g, body + b, (place){b, t}, g->entry);
  return 1;
}

/// Squared distance of p to the triangle a b c: to its plane inside, else to the nearest side.
static double distance2(vec3 p, vec3 a, vec3 b, vec3 c) {
  vec3 n = vec_cross(vec_sub(b, a), vec_sub(c, a));
  const vec3 v[3] = {a, b, c};
  double nn = vec_dot(n, n), best = 1e300;
  int inside = nn > 0;
  for (int k = 0; k < 3; k++) {
    vec3 e = vec_sub(v[(k + 1) % 3], v[k]), d = vec_sub(p, v[k]);
    if (vec_dot(vec_cross(e, d), n) < 0) inside = 0;
    double ee = vec_dot(e, e), t = ee > 0 ? view_clamp(vec_dot(d, e) / ee, 0, 1) : 0;
    vec3 r = vec_along(d, e, -t);
    best = fmin(best, vec_dot(r, r));
  }
  double h = vec_dot(vec_sub(p, a), n);
  return inside ? h * h / nn : best;
}

/// Vertices that share a triangle with each vertex, with repeats; itself too.
typedef struct rings {
  int *start; ///< (nvert + 2)
  int *vert;
} rings;

static int build_rings(const view_body *b, rings *r) {
  r->start = calloc((size_t)b->nvert + 2, sizeof *r->start);
  r->vert = malloc(9 * (size_t)b->ntri * sizeof *r->vert + 1);
  if (!r->start || !r->vert) return 0;
  for (ptrdiff_t i = 0; i < csim_xyz(b->ntri); i++) r->start[b->tri[i] + 2] += 3;
  for (int i = 0; i < b->nvert; i++) r->start[i + 2] += r->start[i + 1];
  for (ptrdiff_t i = 0; i < csim_xyz(b->ntri); i++)
    for (int k = 0; k < 3; k++) r->vert[r->start[b->tri[i] + 1]++] = b->tri[i - i % 3 + k];
  return 1;
}

static int is_near(const rings *r, int vertex, const int *tri) {
  for (int i = r->start[vertex]; i < r->start[vertex + 1]; i++)
    if (r->vert[i] == tri[0] || r->vert[i] == tri[1] || r->vert[i] == tri[2]) return 1;
  return 0;
}

static double nearest2(const view_body *body, int which, const rings *r, int vertex, int n,
                       const place *list, double best) {
  vec3 p = vec_load(body[which].x + csim_xyz(vertex));
  for (int i = 0; i < n; i++) {
    const view_body *b = body + list[i].body;
    int t = list[i].tri;
    if (list[i].body == which && is_near(r, vertex, b->tri + csim_xyz(t))) continue;
    best = fmin(best, distance2(p, corner(b, t, 0), corner(b, t, 1), corner(b, t, 2)));
  }
  return best;
}

csim_status view_measure_gap(int nbody, const view_body *body, int which, double limit,
                             double *value) {
  csim_status status = CSIM_MEMORY;
  grid g = {0};
  rings r = {0};
  if (!build_grid(nbody, body, limit, &g) || !build_rings(body + which, &r)) goto done;
  for (int i = 0; i < body[which].nvert; i++) {
    const double *x = body[which].x + csim_xyz(i);
    const long cell[3] = {cell_of(&g, x[0]), cell_of(&g, x[1]), cell_of(&g, x[2])};
    unsigned s = slot_of(&g, cell);
    double d2 = nearest2(body, which, &r, i, g.start[s + 1] - g.start[s], g.entry + g.start[s],
                         limit * limit);
    value[i] = sqrt(nearest2(body, which, &r, i, g.nlarge, g.large, d2));
  }
  status = CSIM_OK;
done:
  free(g.start);
  free(g.entry);
  free(g.large);
  free(r.start);
  free(r.vert);
  return status;
}
