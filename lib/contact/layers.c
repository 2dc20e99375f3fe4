// contact/layers.c: see layers.h.
//
// Layers are processed from the inside to the outside, so everything below a layer is in place.
// Vertices move straight out along the normal of their nearest point. Where triangles still
// intersect, because the surface below bulges between vertices, their vertices move farther until
// none do.
#include "contact/layers.h"

#include "math/vec3.h"

#include <string.h>

enum { MAX_PAIRS = 1 << 16, MAX_ROUNDS = 200 };

static const double REACH = 0.1;  // of the surface's size
static const double BESIDE = 0.5; // least cosine between the normal and the way to a point over it
// [thicknesses] A vertex lower than LOW is on the surface or under it (contact keeps twice as much
// from layers pressed together). Vertices of intersecting triangles move farther by FARTHER in a
// round.
static const double LOW = 0.05, FARTHER = 0.25;

int csim_under_create(csim_arena *arena, const csim_triangles *surface, csim_under *under) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  *under = (csim_under){.surface = *surface};
  under->normal = CSIM_ARENA_NEW(arena, double, csim_xyz(surface->nvert));
  if (!under->normal ||
      csim_nearest_create(arena, 3, surface->ntri, surface->tri, surface->vert, &under->tree))
    return -1;
  for (int t = 0; t < surface->ntri; t++) {
    const int *v = surface->tri + csim_xyz(t);
    double n[3];
    csim_face_normal(surface->vert, v, n);
    for (int k = 0; k < 3; k++) {
      const double *x = surface->vert + csim_xyz(v[k]);
      csim_add_scaled(1, n, under->normal + csim_xyz(v[k]));
      for (int c = 0; c < 3; c++) {
        low[c] = csim_min(low[c], x[c]);
        high[c] = csim_max(high[c], x[c]);
      }
    }
  }
  under->reach = REACH * csim_distance(low, high);
  return 0;
}

double csim_under_height(const csim_under *under, const double *p, double normal[3]) {
  double w[3], q[3] = {0}, n[3] = {0}, d[3];
  int t = csim_nearest_find(&under->tree, p, 0, INFINITY, w);
  for (int k = 0; k < 3 && t >= 0; k++) {
    int v = under->surface.tri[csim_xyz(t) + k];
    csim_add_scaled(w[k], under->surface.vert + csim_xyz(v), q);
    csim_add_scaled(w[k], under->normal + csim_xyz(v), n);
  }
  double size = csim_norm(n);
  if (t < 0 || !(size > 0)) return INFINITY;
  for (int c = 0; c < 3; c++) normal[c] = n[c] / size;
  csim_sub(p, q, d);
  double away = csim_norm(d), height = csim_dot(d, normal);
  if (!(away <= under->reach)) return INFINITY;
  // on the surface, to rounding, the way to the point has no direction
  return away > 1e-6 * under->reach && fabs(height) < BESIDE * away ? INFINITY : height;
}

typedef struct layering {
  const csim_collision_setup *setup;
  csim_collision_mesh mesh;
  double *x;          // (mesh.nvert x 3) [m]
  double *over;       // (mesh.nbody_vert) [m] that vertices go farther than the thickness
  unsigned char *met; // (mesh.nbody_vert) of triangles that meet what is under them
  int (*pair)[2];     // (MAX_PAIRS)
  int nunder;
  csim_under *under; // (npart) of the layer in hand
} layering;

static int layer_of(const layering *l, int part) {
  int nbody = l->mesh.nbody;
  return part < nbody ? l->setup->model->body[part].layer : l->setup->collider[part - nbody].layer;
}

// Triangles of a part are contiguous.
static csim_triangles triangles_of(const layering *l, int part) {
  const csim_collision_mesh *mesh = &l->mesh;
  int first = 0, end;
  while (first < mesh->ntri && csim_collision_mesh_part(mesh, mesh->tri[csim_xyz(first)]) != part)
    first++;
  for (end = first;
       end < mesh->ntri && csim_collision_mesh_part(mesh, mesh->tri[csim_xyz(end)]) == part;)
    end++;
  return (csim_triangles){mesh->nvert, l->x, end - first, mesh->tri + csim_xyz(first)};
}

static int list_under(layering *l, csim_arena *arena, int layer) {
  l->nunder = 0;
  for (int part = 0; part < l->mesh.npart; part++) {
    csim_triangles surface = triangles_of(l, part);
    if (layer_of(l, part) <= 0 || layer_of(l, part) >= layer || surface.ntri == 0) continue;
    if (csim_under_create(arena, &surface, &l->under[l->nunder++])) return -1;
  }
  return 0;
}

// Moves the vertices of a body that are too low. Returns their number.
static int lift(layering *l, const csim_body *body) {
  double thickness = l->setup->thickness;
  int moved = 0;
  for (int i = body->vert0; i < body->vert0 + body->nvert; i++) {
    double *x = l->x + csim_xyz(i), n[3], over = l->over[i];
    for (int k = 0; k < l->nunder && !l->setup->model->fixed[i]; k++) {
      double height = csim_under_height(&l->under[k], x, n);
      if (!(height < (over > 0 ? thickness + over : LOW * thickness) - 1e-9 * thickness)) continue;
      csim_add_scaled(thickness + over - height, n, x);
      moved++;
    }
  }
  return moved;
}

// Counts pairs of a body's triangles and those under it, and marks the vertices of the former.
static csim_status find_pairs(layering *l, const csim_triangles *own, long long *total) {
  csim_status status = CSIM_OK;
  *total = 0;
  memset(l->met, 0, (size_t)l->mesh.nbody_vert);
  for (int k = 0; k < l->nunder && !status; k++) {
    long long found = 0;
    status =
        csim_find_intersections(NULL, own, &l->under[k].surface, MAX_PAIRS, l->pair[0], &found);
    *total += found;
    if (found > MAX_PAIRS) found = MAX_PAIRS;
    for (long long i = 0; i < found && !status; i++)
      for (int c = 0; c < 3; c++) l->met[own->tri[csim_xyz(l->pair[i][0]) + c]] = 1;
  }
  return status;
}

// Lays a body over everything below it.
static csim_status lay(layering *l, const csim_body *body, csim_layering *out) {
  csim_triangles own = triangles_of(l, (int)(body - l->setup->model->body));
  long long found = 0;
  csim_status status = find_pairs(l, &own, &found);
  out->before += found;
  for (int round = 0; round < MAX_ROUNDS && !status; round++) {
    int moved = lift(l, body);
    status = find_pairs(l, &own, &found);
    if (!moved && !found) break;
    for (int i = body->vert0; i < body->vert0 + body->nvert; i++)
      if (l->met[i]) l->over[i] += FARTHER * l->setup->thickness;
  }
  out->after += found;
  return status;
}

// The lowest used layer above `layer`; 0: there is none.
static int next_layer(const layering *l, int layer) {
  int next = 0;
  for (int part = 0; part < l->mesh.npart; part++)
    if (layer_of(l, part) > layer && (!next || layer_of(l, part) < next)) next = layer_of(l, part);
  return next;
}

static csim_status lay_all(layering *l, csim_layering *out) {
  const csim_model *model = l->setup->model;
  csim_status status = CSIM_OK;
  int layer = next_layer(l, next_layer(l, 0));
  for (; layer && !status; layer = next_layer(l, layer)) {
    csim_arena arena = {0};
    l->under = csim_arena_alloc(&arena, l->mesh.npart, sizeof *l->under);
    if (!l->under || list_under(l, &arena, layer)) status = CSIM_MEMORY;
    for (int b = 0; b < model->nbody && !status; b++)
      if (model->body[b].layer == layer && model->body[b].type == CSIM_OBJECT_CLOTH)
        status = lay(l, &model->body[b], out);
    csim_arena_free(&arena);
  }
  return status;
}

int csim_contact_layers(const csim_collision_setup *setup, double *x0, csim_layering *out) {
  const csim_model *model = setup->model;
  csim_arena arena = {0};
  layering l = {.setup = setup};
  csim_status status = CSIM_OK;
  int any = 0;
  *out = (csim_layering){0};
  for (int b = 0; b < model->nbody; b++) any |= model->body[b].layer > 0;
  if (!any) return 0;
  if (csim_collision_mesh_build(&arena, model, setup->ncollider, setup->collider, &l.mesh) == 0) {
    l.x = CSIM_ARENA_NEW(&arena, double, csim_xyz(l.mesh.nvert));
    l.over = CSIM_ARENA_NEW(&arena, double, l.mesh.nbody_vert);
    l.met = CSIM_ARENA_NEW(&arena, unsigned char, l.mesh.nbody_vert);
    l.pair = csim_arena_alloc(&arena, MAX_PAIRS, sizeof *l.pair);
  }
  if (arena.failed) status = CSIM_MEMORY;
  if (!status) {
    csim_collision_mesh_starts(&l.mesh, l.x);
    status = lay_all(&l, out);
  }
  for (int i = 0; i < model->nvert && !status; i++) {
    double way = csim_distance(x0 + csim_xyz(i), l.x + csim_xyz(i));
    out->nmoved += way > 0;
    out->farthest = csim_max(out->farthest, way);
    memcpy(x0 + csim_xyz(i), l.x + csim_xyz(i), 3 * sizeof *x0);
  }
  csim_arena_free(&arena);
  return status ? -1 : 0;
}
