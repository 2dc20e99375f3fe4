// cache/rigid.c: whether an object of a cache moves rigidly: csim_cache_find_rigid of clothsim.h.
// Needs cache/read.h, math/.
#include "base/arena.h"
#include "clothsim.h"
#include "math/rigid.h"
#include "math/vec3.h"

#include <float.h>
#include <stdlib.h>

typedef struct poses {
  csim_cache *cache;
  const csim_cache_info *info;
  int object;
  float *read;
  double *first, *now; // (nvert x 3)
} poses;

// Whether a rigid motion of the first frame's vertices gives the vertices read: to a few units in
// the last place of the largest coordinate, and the error of a lossy cache.
static int fits(poses *p) {
  ptrdiff_t n = p->info->object[p->object].nvert;
  double R[9], t[3], largest = 0;
  for (ptrdiff_t i = 0; i < 3 * n; i++) {
    p->now[i] = (double)p->read[i];
    largest = csim_max(largest, csim_max(fabs(p->now[i]), fabs(p->first[i])));
  }
  double worst = csim_rigid_fit(p->first, p->now, n, R, t);
  return worst <= 4 * (double)FLT_EPSILON * largest + 4 * p->info->options.position_error;
}

static csim_status test_frame(poses *p, int frame, int *rigid) {
  const csim_cache_object *o = &p->info->object[p->object];
  csim_status status = csim_cache_read(p->cache, p->object, frame, p->read, NULL);
  for (ptrdiff_t i = 0; frame == 0 && i < csim_xyz(o->nvert); i++) p->first[i] = (double)p->read[i];
  if (!status) *rigid = fits(p);
  for (int s = 0; frame && s < o->nsample && !status && *rigid; s++) {
    status = csim_cache_read_sample(p->cache, p->object, frame, s, p->read, NULL);
    if (!status) *rigid = fits(p);
  }
  return status;
}

csim_status csim_cache_find_rigid(csim_cache *cache, int object, int *rigid) {
  poses p = {.cache = cache, .info = csim_cache_get_info(cache), .object = object};
  ptrdiff_t n = csim_xyz(p.info->object[object].nvert);
  csim_status status = CSIM_OK;
  p.read = CSIM_NEW(float, n);
  p.first = CSIM_NEW(double, n);
  p.now = CSIM_NEW(double, n);
  *rigid = n > 0;
  if (!p.read || !p.first || !p.now) status = CSIM_MEMORY;
  for (int f = 0; f < p.info->nframe && !status && *rigid; f++) status = test_frame(&p, f, rigid);
  free(p.read);
  free(p.first);
  free(p.now);
  return status;
}
