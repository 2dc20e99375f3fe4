// cache/split.c: see split.h.
#include "cache/split.h"

#include <string.h>

// Whether indices a and b name equal rows; -1 names none.
static int same_row(const double *value, int width, int a, int b) {
  if (a == b) return 1;
  if (a < 0 || b < 0) return 0;
  return !memcmp(value + csim_row(width, a), value + csim_row(width, b),
                 (size_t)width * sizeof *value);
}

static int same_corner(const csim_cache_object *o, int what, int a, int b) {
  if ((what & CSIM_SPLIT_UV) && o->nuv && !same_row(o->uv, 2, o->face_uv[a], o->face_uv[b]))
    return 0;
  if ((what & CSIM_SPLIT_NORMAL) && o->nnormal &&
      !same_row(o->normal, 3, o->face_normal[a], o->face_normal[b]))
    return 0;
  for (int k = 0; k < o->nuv_set && (what & CSIM_SPLIT_UV_SETS); k++) {
    const csim_uv_set *set = &o->uv_set[k];
    if (!same_row(set->uv, 2, set->face_uv[a], set->face_uv[b])) return 0;
  }
  return 1;
}

// Adds a point to the list of a vertex: first[vertex], next[point], to -1.
static int add_point(csim_split *s, int *first, int *next, int vert) {
  int k = s->n++;
  s->vert[k] = vert;
  s->corner[k] = -1;
  next[k] = first[vert];
  first[vert] = k;
  return k;
}

int csim_split_make(const csim_cache_object *o, int what, csim_arena *arena, csim_split *out) {
  int ncorner = o->nface ? o->face_start[o->nface] : 0, all = what & CSIM_SPLIT_VERTICES;
  ptrdiff_t most = (ptrdiff_t)ncorner + (all ? o->nvert : 0);
  *out = (csim_split){.vert = CSIM_ARENA_NEW(arena, int, most),
                      .corner = CSIM_ARENA_NEW(arena, int, most),
                      .point = CSIM_ARENA_NEW(arena, int, ncorner)};
  int *first = CSIM_ARENA_NEW(arena, int, o->nvert);
  int *next = CSIM_ARENA_NEW(arena, int, most);
  if (arena->failed) return -1;

  for (int v = 0; v < o->nvert; v++) first[v] = -1;
  for (int v = 0; v < o->nvert && all; v++) add_point(out, first, next, v);
  for (int c = 0; c < ncorner; c++) {
    int vert = o->face_vert[c], k = first[vert];
    while (k >= 0 && out->corner[k] >= 0 && !same_corner(o, what, out->corner[k], c)) k = next[k];
    if (k < 0) k = add_point(out, first, next, vert);
    if (out->corner[k] < 0) out->corner[k] = c;
    out->point[c] = k;
  }
  return 0;
}
