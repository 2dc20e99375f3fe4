// io/polygons.c: mesh files, triangulation and intersections in the public API. Needs mesh/, io/.
#include "clothsim.h"
#include "io/mesh_file.h"
#include "mesh/intersect.h"
#include "mesh/triangulate.h"

#include <stdlib.h>

/// `seen` comes first, so that the caller's pointer is the owner's too.
typedef struct owner {
  csim_polygons seen;
  csim_mesh mesh;
} owner;

static csim_polygons *show(owner *o) {
  const csim_mesh *m = &o->mesh;
  o->seen = (csim_polygons){m->nvert,     m->vert, m->nface, m->face_start,
                            m->face_vert, m->ntri, m->tri,   m->tri_face};
  return &o->seen;
}

csim_status csim_polygons_read(const char *path, csim_log *log, csim_polygons **surface) {
  *surface = NULL;
  owner *o = CSIM_NEW(owner, 1);
  if (!o) return csim_fail_memory(log, path);
  csim_status status = csim_mesh_read(path, log, &o->mesh);
  if (status)
    free(o);
  else
    *surface = show(o);
  return status;
}

csim_status csim_polygons_make(int nvert, const double *vert, int nface, const int *face_start,
                               const int *face_vert, csim_log *log, csim_polygons **surface) {
  *surface = NULL;
  owner *o = CSIM_NEW(owner, 1);
  if (!o) return csim_fail_memory(log, NULL);
  csim_mesh *m = &o->mesh;
  int ncorner = nface ? face_start[nface] : 0;
  m->nvert = nvert;
  m->nface = nface;
  m->vert = CSIM_ARENA_COPY(&m->arena, vert, csim_xyz(nvert));
  m->face_start = CSIM_ARENA_COPY(&m->arena, nface ? face_start : &(int){0}, (ptrdiff_t)nface + 1);
  m->face_vert = CSIM_ARENA_COPY(&m->arena, face_vert, ncorner);
  csim_status status = m->arena.failed ? csim_fail_memory(log, NULL)
                                       : csim_mesh_triangulate(m, (csim_place){0}, log);
  *surface = show(o);
  if (status) {
    csim_polygons_free(*surface);
    *surface = NULL;
  }
  return status;
}

void csim_polygons_free(csim_polygons *surface) {
  if (!surface) return;
  csim_mesh_free(&((owner *)surface)->mesh);
  free(surface);
}

csim_status csim_find_crossings(int nvert, const double *vert, int ntri, const int *tri, int limit,
                                int *pair, long long *total) {
  const csim_triangles mesh = {nvert, vert, ntri, tri};
  return csim_find_self_intersections(NULL, &mesh, limit, pair, total);
}
