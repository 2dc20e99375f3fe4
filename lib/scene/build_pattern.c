// scene/build_pattern.c: panels of sewing patterns that stand through each other or through
// colliders are moved apart before the start. Needs mesh/, contact/.
//
// Patterns are drawn so that panels stand around the body, but neighbours often share a line, where
// left and right meet, or overlap a little. Each panel is moved as a whole, so it stays flat.
#include "math/vec3.h"
#include "mesh/intersect.h"
#include "scene/compile.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_PAIRS = 1 << 16, MOST_PASSES = 100 };

static const double STRIDE = 0.002; // [m] of a panel in a pass

typedef struct panels {
  const csim_build *build;
  csim_mesh *mesh;
  int n;
  int *of;        // (mesh->nvert) panel
  double *center; // (n x 3) [m] area's
  double *normal; // (n x 3) unit
  double *step;   // (n x 3) where to, in this pass
  double *moved;  // (n x 3) [m] so far
  int (*pair)[2]; // (MOST_PAIRS)
} panels;

static int root_of(int *parent, int i) {
  while (parent[i] != i) i = parent[i] = parent[parent[i]];
  return i;
}

// Panels are what hangs together; loose vertices are one each.
static void number_panels(panels *p) {
  const csim_mesh *mesh = p->mesh;
  for (int i = 0; i < mesh->nvert; i++) p->of[i] = i;
  for (int t = 0; t < mesh->ntri; t++)
    for (int k = 1; k < 3; k++) {
      const int *v = mesh->tri + 3 * (ptrdiff_t)t;
      int a = root_of(p->of, v[0]), b = root_of(p->of, v[k]);
      p->of[a < b ? b : a] = a < b ? a : b; // roots are the lowest of their panel
    }
  for (int i = 0; i < mesh->nvert; i++) root_of(p->of, i);
  for (int i = 0; i < mesh->nvert; i++) p->of[i] = p->of[i] == i ? p->n++ : p->of[p->of[i]];
}

static void measure_panels(panels *p) {
  const csim_mesh *mesh = p->mesh;
  memset(p->center, 0, 3 * (size_t)p->n * sizeof *p->center);
  memset(p->normal, 0, 3 * (size_t)p->n * sizeof *p->normal);
  for (int t = 0; t < mesh->ntri; t++) {
    const int *v = mesh->tri + 3 * (ptrdiff_t)t;
    double n[3];
    csim_triangle_normal(mesh->vert + 3 * (ptrdiff_t)v[0], mesh->vert + 3 * (ptrdiff_t)v[1],
                         mesh->vert + 3 * (ptrdiff_t)v[2], n);
    for (int k = 0; k < 3; k++)
      csim_add_scaled(csim_norm(n) / 3, mesh->vert + 3 * (ptrdiff_t)v[k],
                      p->center + 3 * (ptrdiff_t)p->of[v[0]]);
    csim_add_scaled(1, n, p->normal + 3 * (ptrdiff_t)p->of[v[0]]);
  }
  for (int k = 0; k < p->n; k++) {
    double l = csim_norm(p->normal + 3 * (ptrdiff_t)k);
    for (int c = 0; c < 3 && l > 0; c++) {
      p->center[3 * k + c] /= l; // all normals of a panel are parallel
      p->normal[3 * k + c] /= l;
    }
  }
}

static void add_unit(const double *d, double *to) {
  double l = csim_norm(d);
  if (l > 0) csim_add_scaled(1 / l, d, to);
}

static int panel_of(const panels *p, int tri) {
  return p->of[p->mesh->tri[3 * (ptrdiff_t)tri]];
}

// Away from each other, along the line between their middles.
static csim_status push_panels(panels *p, const csim_triangles *triangles, long long *met) {
  long long found = 0;
  csim_status status =
      csim_find_self_intersections(NULL, triangles, MOST_PAIRS, p->pair[0], &found);
  *met += found;
  if (found > MOST_PAIRS) found = MOST_PAIRS;
  for (long long i = 0; i < found; i++) {
    int a = panel_of(p, p->pair[i][0]), b = panel_of(p, p->pair[i][1]);
    double d[3];
    csim_sub(p->center + 3 * (ptrdiff_t)a, p->center + 3 * (ptrdiff_t)b, d);
    if (!(csim_norm(d) > 1e-6)) csim_add_scaled(1, p->normal + 3 * (ptrdiff_t)a, d);
    add_unit(d, p->step + 3 * (ptrdiff_t)a);
    for (int c = 0; c < 3; c++) d[c] = -d[c];
    add_unit(d, p->step + 3 * (ptrdiff_t)b);
  }
  return status;
}

// Away from a collider, across the panel, to the side where most of the panel is.
static csim_status push_from(panels *p, const csim_triangles *triangles,
                             const csim_collider *collider, long long *met) {
  const csim_mesh *mesh = collider->mesh;
  double *x = csim_alloc(3 * (ptrdiff_t)mesh->nvert, sizeof *x), middle[3] = {0};
  long long found = 0;
  if (!x) return CSIM_MEMORY;
  csim_collider_vertices(collider, 0, x);
  csim_triangles other = {mesh->nvert, x, mesh->ntri, mesh->tri};
  csim_status status =
      csim_find_intersections(NULL, triangles, &other, MOST_PAIRS, p->pair[0], &found);
  *met += found;
  if (found > MOST_PAIRS) found = MOST_PAIRS;
  for (int i = 0; i < mesh->nvert; i++)
    csim_add_scaled(1.0 / mesh->nvert, x + 3 * (ptrdiff_t)i, middle);
  for (long long i = 0; i < found; i++) {
    int a = panel_of(p, p->pair[i][0]);
    const double *n = p->normal + 3 * (ptrdiff_t)a;
    double d[3];
    csim_sub(p->center + 3 * (ptrdiff_t)a, middle, d);
    csim_add_scaled(csim_dot(n, d) < 0 ? -1 : 1, n, p->step + 3 * (ptrdiff_t)a);
  }
  free(x);
  return status;
}

static void move_panels(panels *p) {
  for (int k = 0; k < p->n; k++) {
    double *step = p->step + 3 * (ptrdiff_t)k, l = csim_norm(step);
    for (int c = 0; c < 3; c++) step[c] = l > 0 ? step[c] * STRIDE / l : 0;
    csim_add_scaled(1, step, p->moved + 3 * (ptrdiff_t)k);
    csim_add_scaled(1, step, p->center + 3 * (ptrdiff_t)k);
  }
  for (int i = 0; i < p->mesh->nvert; i++)
    csim_add_scaled(1, p->step + 3 * (ptrdiff_t)p->of[i], p->mesh->vert + 3 * (ptrdiff_t)i);
}

static csim_status separate(panels *p) {
  const csim_world *world = p->build->world;
  csim_mesh *mesh = p->mesh;
  csim_triangles triangles = {mesh->nvert, mesh->vert, mesh->ntri, mesh->tri};
  for (int pass = 0; pass < MOST_PASSES; pass++) {
    long long met = 0;
    memset(p->step, 0, 3 * (size_t)p->n * sizeof *p->step);
    csim_status status = push_panels(p, &triangles, &met);
    for (int k = 0; k < world->ncollider && !status; k++)
      if (world->collider[k].mesh && world->collider[k].shape != CSIM_COLLIDER_PLANE)
        status = push_from(p, &triangles, &world->collider[k], &met);
    if (status || met == 0) return status;
    move_panels(p);
  }
  return CSIM_OK; // the check of the start says what is left
}

csim_status csim_build_pattern(const csim_build *build, const csim_object *object,
                               csim_mesh *mesh) {
  csim_arena arena = {0};
  ptrdiff_t n = mesh->nvert;
  panels p = {.build = build, .mesh = mesh, .of = CSIM_ARENA_NEW(&arena, int, n)};
  p.pair = csim_arena_alloc(&arena, MOST_PAIRS, sizeof *p.pair);
  csim_status status = CSIM_MEMORY;
  if (arena.failed) goto done;
  number_panels(&p);
  double **array[] = {&p.center, &p.normal, &p.step, &p.moved};
  for (int k = 0; k < 4; k++) *array[k] = CSIM_ARENA_NEW(&arena, double, 3 * (ptrdiff_t)p.n);
  if (arena.failed) goto done;
  measure_panels(&p);
  status = separate(&p);
  double most = 0;
  int count = 0;
  for (int k = 0; k < p.n; k++) {
    double way = csim_norm(p.moved + 3 * (ptrdiff_t)k);
    most = csim_max(most, way);
    count += way > 0;
  }
  if (count)
    csim_say(build->log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d of %d panels stood through others or colliders, and were moved by up to "
             "%.3g mm",
             object->name, count, p.n, 1e3 * most);
done:
  csim_arena_free(&arena);
  return status;
}
