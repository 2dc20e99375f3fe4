// scene/cached.c: see cached.h.
#include "scene/cached.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

int csim_cached_frame(const csim_cache_info *info, int frame) {
  for (int f = 0; f < info->nframe; f++)
    if (info->number[f] == frame) return f;
  return -1;
}

int csim_cached_object(const csim_cache_info *info, const char *name) {
  for (int k = 0; k < info->nobject; k++)
    if (!strcmp(info->object[k].name, name)) return k;
  return -1;
}

csim_status csim_cached_add(csim_cache *cache, int object, int frame, int velocities, double factor,
                            double *to) {
  const csim_cache_info *info = csim_cache_get_info(cache);
  ptrdiff_t n = csim_xyz(info->object[object].nvert);
  float *value = CSIM_NEW(float, n);
  if (!value) return CSIM_MEMORY;
  csim_status status =
      csim_cache_read(cache, object, frame, velocities ? NULL : value, velocities ? value : NULL);
  for (ptrdiff_t i = 0; i < n && !status; i++) to[i] += factor * (double)value[i];
  free(value);
  return status;
}

csim_status csim_cached_state(csim_cache *cache, int object, int frame, double unit, double *x,
                              double *v) {
  const csim_cache_info *info = csim_cache_get_info(cache);
  size_t size = 3 * (size_t)info->object[object].nvert * sizeof *x;
  memset(x, 0, size);
  memset(v, 0, size);
  csim_status status = csim_cached_add(cache, object, frame, 0, unit, x);
  if (!status && info->object[object].has_velocity) {
    status = csim_cached_add(cache, object, frame, 1, unit, v);
  } else if (!status && frame > 0) {
    double rate = unit / (info->time[frame] - info->time[frame - 1]);
    status = csim_cached_add(cache, object, frame, 0, rate, v);
    if (!status) status = csim_cached_add(cache, object, frame - 1, 0, -rate, v);
  }
  return status;
}
