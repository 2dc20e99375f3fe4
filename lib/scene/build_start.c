// scene/build_start.c: initial positions and velocities from the cache of another run.
#include "scene/cached.h"
#include "scene/compile.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

csim_status csim_build_open_start(csim_build *build) {
  const csim_scene *scene = build->scene;
  csim_place place = {.file = scene->file};
  if (!scene->start_cache) return CSIM_OK;
  csim_status status = csim_cache_open(scene->start_cache, build->log, &build->start);
  if (status) return status;
  const csim_cache_info *info = csim_cache_get_info(build->start);
  int last = scene->start_frame == CSIM_LAST_FRAME;
  build->start_frame = last ? info->nframe - 1 : csim_cached_frame(info, scene->start_frame);
  if (last && build->start_frame >= 0 && !info->complete)
    csim_say(build->log, CSIM_WARNING, place,
             "\"%s\" is not complete: the run starts from frame %lld, the last whole one in it",
             info->file, info->number[build->start_frame]);
  if (build->start_frame >= 0 && info->options.up == scene->up) return CSIM_OK;
  if (build->start_frame < 0 && last)
    return csim_refuse(build->log, place, "cannot start from \"%s\": it has no frames", info->file);
  if (build->start_frame < 0)
    return csim_refuse(build->log, place, "cannot start from \"%s\": it has no frame %d",
                       info->file, scene->start_frame);
  return csim_refuse(build->log, place,
                     "cannot start from \"%s\": another axis points up in it (\"units.up\")",
                     info->file);
}

// Reads an object's n vertices, of which a coarse mesh has the first ones.
static csim_status read_start(const csim_build *build, int k, int n, int first, double *x,
                              double *v) {
  const csim_cache_info *info = csim_cache_get_info(build->start);
  if (n == first) return csim_cached_state(build->start, k, build->start_frame, info->unit, x, v);
  double *all = CSIM_NEW(double, csim_row(6, n));
  if (!all) return CSIM_MEMORY;
  double *all_v = all + csim_xyz(n);
  csim_status status =
      csim_cached_state(build->start, k, build->start_frame, info->unit, all, all_v);
  memcpy(x, all, 3 * (size_t)first * sizeof *x);
  memcpy(v, all_v, 3 * (size_t)first * sizeof *v);
  free(all);
  return status;
}

int csim_starts_from_cache(const csim_build *build, const csim_object *object) {
  return build->start && csim_cached_object(csim_cache_get_info(build->start), object->name) >= 0;
}

csim_status csim_build_start(csim_build *build, const csim_object *object, const csim_body *body) {
  if (!build->start) return CSIM_OK;
  const csim_cache_info *info = csim_cache_get_info(build->start);
  int shared = 0;
  for (int o = 0; o < build->scene->nobject; o++)
    shared |= csim_cached_object(info, build->scene->object[o].name) >= 0;
  int k = csim_cached_object(info, object->name);
  if (k < 0) {
    csim_say(build->log, shared ? CSIM_INFO : CSIM_WARNING, object->place,
             "\"%s\" is not in \"%s\"%s: it starts as it is", object->name, info->file,
             shared ? "" : ", nor is any other object of the scene");
    return CSIM_OK;
  }
  int n = csim_body_nshown(body);
  if (info->object[k].nvert != n)
    return csim_refuse(build->log, object->place,
                       "\"%s\" has %d vertices, and in \"%s\", where it should start from, %d: the "
                       "meshes have to be the same",
                       object->name, n, info->file, info->object[k].nvert);
  double *x = build->x + csim_xyz(body->vert0), *v = build->v + csim_xyz(body->vert0);
  csim_status status = read_start(build, k, n, body->nvert, x, v);
  for (ptrdiff_t i = 0; i < csim_xyz(body->nvert) && !status; i++)
    if (!isfinite(x[i]) || !isfinite(v[i])) status = CSIM_INVALID;
  if (status == CSIM_INVALID)
    csim_say(build->log, CSIM_ERROR, object->place, "\"%s\" is not finite in \"%s\"", object->name,
             info->file);
  return status;
}

csim_status csim_build_check_start(const csim_build *build, const csim_object *object,
                                   const csim_collider *collider) {
  const double near = 0.01; // of the collider's size
  const csim_cache_info *info = build->start ? csim_cache_get_info(build->start) : NULL;
  int k = info && collider->mesh ? csim_cached_object(info, object->name) : -1;
  if (k < 0 || info->object[k].nvert != collider->mesh->nvert) return CSIM_OK;
  ptrdiff_t n = csim_xyz(collider->mesh->nvert);
  double *x = CSIM_NEW(double, n), *to = CSIM_NEW(double, n), off = 0;
  csim_status status = x && to ? CSIM_OK : CSIM_MEMORY;
  if (!status) {
    memset(to, 0, (size_t)n * sizeof *to);
    status = csim_cached_add(build->start, k, build->start_frame, 0, info->unit, to);
  }
  if (!status) {
    double low[3], high[3];
    csim_collider_vertices(collider, 0, x);
    csim_bounds(collider->mesh->nvert, x, low, high);
    for (ptrdiff_t i = 0; i < n; i++) off = csim_max(off, fabs(x[i] - to[i]));
    if (off > near * csim_distance(low, high))
      csim_say(build->log, CSIM_WARNING, object->place,
               "\"%s\" is %.3g m from where it is in frame %lld of \"%s\", which the scene starts "
               "from%s",
               object->name, off, info->number[build->start_frame], info->file,
               collider->nframe > 1 ? ": a sequence begins at the start frame, unless \"offset\" "
                                      "shifts it"
                                    : "");
  }
  free(x);
  free(to);
  return status;
}
