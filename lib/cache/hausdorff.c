// cache/hausdorff.c: the distance between two meshes with different vertices. See clothsim.h. Needs
// contact/nearest.h.
#include "clothsim.h"
#include "contact/nearest.h"
#include "math/vec3.h"

typedef struct surface {
  csim_arena arena;
  csim_nearest tree;
  int ntri; // 0: no tree
} surface;

static int is_finite(const double *p) {
  return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

// Fans of the faces; the vertices, as triangles of one point, where there are none. Triangles with
// a corner that is not finite are left out. -1 when out of memory.
static int build(surface *s, const csim_cache_object *o, const double *x) {
  int ncorner = o->nface ? o->face_start[o->nface] : 0;
  int *tri = CSIM_ARENA_NEW(&s->arena, int, csim_xyz(o->nface ? ncorner : o->nvert));
  if (!tri) return -1;
  for (int f = 0; f < (o->nface ? o->nface : o->nvert); f++) {
    int first = o->nface ? o->face_start[f] : 0, last = o->nface ? o->face_start[f + 1] : 3;
    for (int c = first + 1; c + 1 < last; c++) {
      int *t = tri + csim_xyz(s->ntri), finite = 1;
      for (int k = 0; k < 3; k++) {
        t[k] = o->nface ? o->face_vert[k ? c + k - 1 : first] : f;
        finite &= is_finite(x + csim_xyz(t[k]));
      }
      s->ntri += finite;
    }
  }
  return s->ntri ? csim_nearest_create(&s->arena, 3, s->ntri, tri, x, &s->tree) : 0;
}

// Largest distance of a vertex from the surface; -1 when there is nothing to measure.
static double farthest(const surface *to, const csim_cache_object *from, const double *x,
                       int *vertex) {
  double worst = -1;
  for (int v = 0; v < from->nvert && to->ntri; v++) {
    const double *p = x + csim_xyz(v);
    double w[3], d[3] = {-p[0], -p[1], -p[2]};
    int t = is_finite(p) ? csim_nearest_find(&to->tree, p, csim_max(0, worst), INFINITY, w) : -1;
    if (t < 0) continue; // not finite, or so far that its square is not
    for (int k = 0; k < 3; k++)
      csim_add_scaled(w[k], to->tree.x + csim_xyz(to->tree.elem[csim_xyz(t) + k]), d);
    if (csim_norm(d) > worst) {
      worst = csim_norm(d);
      *vertex = v;
    }
  }
  return worst;
}

csim_status csim_hausdorff(const csim_cache_object *a, const double *xa, const csim_cache_object *b,
                           const double *xb, double *distance, int *side, int *vertex) {
  surface sa = {0}, sb = {0};
  csim_status status = CSIM_MEMORY;
  *distance = *side = *vertex = 0;
  if (build(&sa, a, xa) || build(&sb, b, xb)) goto done;
  status = CSIM_OK;
  int va = 0, vb = 0;
  double to_b = farthest(&sb, a, xa, &va), to_a = farthest(&sa, b, xb, &vb);
  *side = to_a > to_b;
  *vertex = *side ? vb : va;
  *distance = csim_max(0, *side ? to_a : to_b);
done:
  csim_arena_free(&sa.arena);
  csim_arena_free(&sb.arena);
  return status;
}
