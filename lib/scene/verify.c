// scene/verify.c: tests the frames of a cache for intersections. Needs cache/, mesh/.
#include "base/log.h"
#include "clothsim.h"
#include "mesh/intersect.h"
#include "scene/compile.h"

#include <stdlib.h>

enum { MAX_PAIRS = 1 << 20 };

/// All objects of a cache as one set of triangles.
typedef struct verifier {
  csim_cache *cache;
  const csim_cache_info *info;
  csim_pool *pool; // NULL: one thread
  csim_arena arena;
  int nvert, ntri;
  int *first;   // (nobject) first vertex
  int *object;  // (ntri)
  int *tri;     // (ntri x 3)
  double *x;    // (nvert x 3)
  float *frame; // (nvert x 3)
  int *pair;    // (MAX_PAIRS x 2)
} verifier;

// Triangulates polygons as the run did: by the shape in the first frame, which is the scene's
// start.
static csim_status add_triangles(verifier *v, int k, csim_log *log) {
  const csim_cache_object *object = &v->info->object[k];
  csim_mesh mesh;
  double *x = csim_alloc(csim_xyz(object->nvert), sizeof *x);
  if (!x) return csim_fail_memory(log, v->info->file);
  for (ptrdiff_t c = 0; c < csim_xyz(object->nvert); c++)
    x[c] = v->frame[csim_xyz(v->first[k]) + c];
  csim_status status = csim_mesh_of_cached(object, x, csim_in_file(v->info->file), log, &mesh);
  free(x);
  if (object->type == CSIM_CACHE_RENDER) mesh.ntri = 0; // touches nothing
  for (int t = 0; !status && t < mesh.ntri; t++) {
    for (int c = 0; c < 3; c++) v->tri[csim_xyz(v->ntri) + c] = v->first[k] + mesh.tri[3 * t + c];
    v->object[v->ntri++] = k;
  }
  csim_mesh_free(&mesh);
  return status;
}

static csim_status create(verifier *v, const char *path, csim_log *log) {
  csim_status status = csim_cache_open(path, log, &v->cache);
  if (status) return status;
  v->info = csim_cache_get_info(v->cache);
  ptrdiff_t ntri = 0, nvert = 0;
  v->first = CSIM_ARENA_NEW(&v->arena, int, v->info->nobject);
  for (int k = 0; v->first && k < v->info->nobject; k++) {
    const csim_cache_object *object = &v->info->object[k];
    v->first[k] = (int)nvert;
    nvert += object->nvert;
    if (object->nface) ntri += object->face_start[object->nface] - csim_row(2, object->nface);
    if (nvert > CSIM_CACHE_MAX_VERT || ntri > CSIM_CACHE_MAX_FACE)
      return csim_refuse(log, csim_in_file(v->info->file),
                         "its objects have more than %d vertices or %d triangles together",
                         CSIM_CACHE_MAX_VERT, CSIM_CACHE_MAX_FACE);
  }
  v->nvert = (int)nvert;
  v->object = CSIM_ARENA_NEW(&v->arena, int, ntri);
  v->tri = CSIM_ARENA_NEW(&v->arena, int, 3 * ntri);
  v->x = CSIM_ARENA_NEW(&v->arena, double, 3 * nvert);
  v->frame = CSIM_ARENA_NEW(&v->arena, float, 3 * nvert);
  v->pair = CSIM_ARENA_NEW(&v->arena, int, csim_row(2, MAX_PAIRS));
  return v->arena.failed ? csim_fail_memory(log, v->info->file) : CSIM_OK;
}

static csim_status read_frame(verifier *v, int frame) {
  for (int k = 0; k < v->info->nobject; k++) {
    csim_status status =
        csim_cache_read(v->cache, k, frame, v->frame + csim_xyz(v->first[k]), NULL);
    if (status) return status;
  }
  for (ptrdiff_t c = 0; c < csim_xyz(v->nvert); c++) v->x[c] = v->frame[c];
  return CSIM_OK;
}

static csim_status verify_frame(verifier *v, int frame, csim_log *log, csim_verify_report *report) {
  long long total = 0, count = 0;
  csim_triangles mesh = {v->nvert, v->x, v->ntri, v->tri};
  if (csim_find_self_intersections(v->pool, &mesh, MAX_PAIRS, v->pair, &total))
    return csim_fail_memory(log, v->info->file);
  int first = -1;
  for (int i = 0; i < total && i < MAX_PAIRS; i++) {
    int a = v->object[v->pair[2 * i]], b = v->object[v->pair[2 * i + 1]];
    if (v->info->object[a].type == CSIM_CACHE_COLLIDER &&
        v->info->object[b].type == CSIM_CACHE_COLLIDER)
      continue;
    if (count++ == 0) first = i;
  }
  report->frames++;
  report->crossing += count;
  if (count > report->worst) {
    report->worst = count;
    report->worst_frame = (int)v->info->number[frame];
  }
  if (count)
    csim_say(log, CSIM_ERROR, csim_in_file(v->info->file),
             "frame %lld: %lld pairs of triangles intersect, the first of \"%s\" and \"%s\"",
             v->info->number[frame], count, v->info->object[v->object[v->pair[2 * first]]].name,
             v->info->object[v->object[v->pair[2 * first + 1]]].name);
  return CSIM_OK;
}

csim_status csim_verify_contact(const char *cache_path, int nthread, csim_log *log,
                                csim_verify_report *report) {
  verifier v = {.pool = csim_pool_create(nthread)};
  *report = (csim_verify_report){0};
  csim_status status = create(&v, cache_path, log);
  for (int f = 0; !status && f < v.info->nframe; f++) {
    status = read_frame(&v, f);
    for (int k = 0; !status && f == 0 && k < v.info->nobject; k++)
      status = add_triangles(&v, k, log);
    if (!status) status = verify_frame(&v, f, log, report);
  }
  if (!status && !v.info->complete) {
    csim_say(log, CSIM_ERROR, csim_in_file(v.info->file),
             "the cache is not complete: only the %d whole frames in it were tested",
             v.info->nframe);
    status = report->crossing ? CSIM_FAILED : CSIM_IO;
  }
  csim_arena_free(&v.arena);
  csim_cache_free(v.cache);
  csim_pool_free(v.pool);
  return status ? status : report->crossing ? CSIM_FAILED : CSIM_OK;
}
