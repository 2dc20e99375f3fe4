// view/cache.c: a cache as a source of frames. See sequence.h.
#include "sequence.h"

#include <stdlib.h>
#include <string.h>

static csim_status copy_objects(const csim_cache_info *info, csim_log *log, view_sequence *q) {
  static const view_kind kind[] = {
      [CSIM_CACHE_CLOTH] = VIEW_CLOTH,
      [CSIM_CACHE_SOLID] = VIEW_SOLID,
      [CSIM_CACHE_COLLIDER] = VIEW_COLLIDER,
      [CSIM_CACHE_RENDER] = VIEW_CLOTH,
  };
  q->object = calloc((size_t)info->nobject + 1, sizeof *q->object);
  q->surface = calloc((size_t)info->nobject + 1, sizeof *q->surface);
  if (!q->object || !q->surface) return CSIM_MEMORY;
  for (; q->nobject < info->nobject; q->nobject++) {
    int i = q->nobject;
    const csim_cache_object *o = info->object + i;
    q->object[i] = (view_object){strdup(o->name), kind[o->type]};
    double *x = calloc(3 * (size_t)o->nvert + 1, sizeof *x);
    csim_status status = CSIM_MEMORY;
    // places of the first frame decide how polygons are cut
    float *first = malloc(3 * (size_t)o->nvert * sizeof *first + 1);
    if (x && first) status = csim_cache_read(q->cache, i, 0, first, NULL);
    for (ptrdiff_t k = 0; !status && k < csim_xyz(o->nvert); k++) x[k] = (double)first[k];
    if (!status)
      status = csim_polygons_make(o->nvert, x, o->nface, o->face_start, o->face_vert, log,
                                  &q->surface[i]);
    free(first);
    free(x);
    if (!status && !q->object[i].name) status = CSIM_MEMORY;
    if (status) {
      free(q->object[i].name);
      return status;
    }
  }
  return CSIM_OK;
}

csim_status view_cache_open(const char *path, csim_log *log, view_sequence *q) {
  csim_status status = csim_cache_open(path, log, &q->cache);
  if (status) return status;
  const csim_cache_info *info = csim_cache_get_info(q->cache);
  if (!info->nframe) {
    csim_log_print(log, CSIM_ERROR, path, "no whole frame in this cache yet");
    return CSIM_INVALID;
  }
  if (!info->complete)
    csim_log_print(log, CSIM_WARNING, path,
                   "the cache has no end: a run that goes on or broke off; "
                   "%d whole frames up to number %lld are shown",
                   info->nframe, info->number[info->nframe - 1]);
  q->nframe = info->nframe;
  q->fps = info->options.fps;
  q->up = info->options.up;
  q->unit = info->unit;
  for (int i = 0; i < info->nobject; i++) q->pressed |= info->object[i].has_pressure;
  q->number = malloc((size_t)info->nframe * sizeof *q->number);
  if (!q->number) return CSIM_MEMORY;
  memcpy(q->number, info->number, (size_t)info->nframe * sizeof *q->number);
  return copy_objects(info, log, q);
}

csim_status view_cache_read(view_sequence *q, int frame, int object, csim_log *log, view_mesh *m) {
  (void)log; // the cache has its own
  const csim_cache_object *o = csim_cache_get_info(q->cache)->object + object;
  csim_status status = view_mesh_copy(q->surface[object], m);
  ptrdiff_t n = csim_xyz(o->nvert), np = o->has_pressure ? o->nvert : 0;
  float *x = malloc((2 * (size_t)n + (size_t)np) * sizeof *x + 1), *p = x + 2 * n;
  float *v = o->has_velocity ? x + n : NULL;
  if (!x) status = CSIM_MEMORY;
  if (!status && v) {
    m->v = malloc((size_t)n * sizeof *m->v + 1);
    if (!m->v) status = CSIM_MEMORY;
  }
  if (!status && np) {
    m->pressure = malloc((size_t)np * sizeof *m->pressure);
    if (!m->pressure) status = CSIM_MEMORY;
  }
  if (!status) status = csim_cache_read(q->cache, object, frame, x, v);
  if (!status && np) status = csim_cache_read_pressure(q->cache, object, frame, p);
  for (ptrdiff_t i = 0; !status && i < n; i++) {
    m->x[i] = (double)x[i];
    if (v) m->v[i] = (double)v[i];
  }
  for (ptrdiff_t i = 0; !status && i < np; i++) m->pressure[i] = (double)p[i];
  free(x);
  return status;
}
