// cache/export.c: what the exporters share, see export.h.
#include "cache/export.h"

#include "base/bytes.h"
#include "math/rigid.h"
#include "math/vec3.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

csim_status csim_export_memory(const csim_export *e) {
  return csim_fail_memory(e->log, e->options.directory);
}

// ------------------------------------------------------------------------------------------ names

int csim_export_path(csim_export *e, const char *stem, const char *suffix, char *path) {
  const char *directory = e->options.directory;
  const char *slash = *directory && directory[strlen(directory) - 1] != '/' ? "/" : "";
  int n = snprintf(path, CSIM_EXPORT_PATH, "%s%s%s%s", directory, slash, stem, suffix);
  if (n >= 0 && n < CSIM_EXPORT_PATH) return 0;
  csim_say(e->log, CSIM_ERROR, csim_in_file(directory), "the path is too long");
  return -1;
}

// ---------------------------------------------------------------------------------------- helpers

double *csim_export_vertex_uv(csim_export *e, int object) {
  const csim_cache_object *o = &e->object[object];
  if (!o->nuv) return NULL;
  double *uv = CSIM_ARENA_NEW(&e->arena, double, csim_row(2, o->nvert));
  char *known = CSIM_ARENA_NEW(&e->arena, char, o->nvert);
  if (!uv || !known) return NULL;
  for (int c = 0; c < csim_corners(o); c++) {
    int v = o->face_vert[c], t = o->face_uv[c];
    const double *from = t < 0 ? (const double[2]){0, 0} : o->uv + csim_row(2, t);
    if (!known[v]) memcpy(uv + csim_row(2, v), from, 2 * sizeof *uv);
    if (memcmp(uv + csim_row(2, v), from, 2 * sizeof *uv)) return NULL;
    known[v] = 1;
  }
  return uv;
}

int csim_export_corner_uv(csim_export *e, int object, const csim_uv_set *set, int *nuv, double **uv,
                          int **index) {
  int ncorner = csim_corners(&e->object[object]), missing = 0;
  *index = CSIM_ARENA_NEW(&e->arena, int, ncorner);
  *uv = CSIM_ARENA_NEW(&e->arena, double, 2 * ((ptrdiff_t)set->n + 1));
  if (!*index || !*uv) return -1;
  for (int c = 0; c < ncorner; c++) {
    missing |= set->face_uv[c] < 0;
    (*index)[c] = set->face_uv[c] < 0 ? set->n : set->face_uv[c];
  }
  memcpy(*uv, set->uv, 2 * (size_t)set->n * sizeof **uv);
  *nuv = set->n + missing;
  return 0;
}

// Whether one of the first n names, or a reserved one, is this.
static int is_taken(const char *name, const char *const *reserved, char *const *names, int n) {
  int taken = 0;
  for (; *reserved; reserved++) taken |= !strcmp(name, *reserved);
  for (int k = 0; k < n; k++) taken |= !strcmp(name, names[k]);
  return taken;
}

char **csim_export_uv_names(csim_export *e, int object, const char *const *reserved,
                            char *(*make)(csim_export *e, const char *name)) {
  const csim_cache_object *o = &e->object[object];
  char **names = CSIM_ARENA_NEW(&e->arena, char *, o->nuv_set);
  for (int k = 0; k < o->nuv_set && names; k++) {
    char *plain = make(e, o->uv_set[k].name);
    names[k] = plain;
    for (int i = 2; names[k] && is_taken(names[k], reserved, names, k); i++)
      names[k] = csim_arena_print(&e->arena, "%s_%d", plain, i);
    if (!names[k]) return NULL;
  }
  return names;
}

const double *csim_export_normals(csim_export *e, int object, const double *x) {
  const csim_cache_object *o = &e->object[object];
  csim_normal_faces faces = {o->nface, o->face_start, o->face_vert};
  csim_normals_at(&e->normals[object], &faces, x, e->normal[1], e->normal[0]);
  return e->normal[0];
}

int csim_export_all_normal(const csim_export *e, int object) {
  const csim_cache_object *o = &e->object[object];
  int all = o->nnormal > 0;
  for (int c = 0; c < csim_corners(o) && all; c++) all = o->face_normal[c] >= 0;
  return all;
}

csim_mesh csim_export_mesh(const csim_export *e, int object, const double *x) {
  const csim_cache_object *o = &e->object[object];
  // other than a csim_mesh that owns its arrays, this one borrows them: nothing may write to them
  return (csim_mesh){
      .nvert = o->nvert,
      .vert = (double *)(uintptr_t)x,
      .nface = o->nface,
      .face_start = (int *)(uintptr_t)o->face_start,
      .face_vert = (int *)(uintptr_t)o->face_vert,
      .look = {.normals = e->normals[object], .colour = (double *)(uintptr_t)o->colour},
      .nuv = o->nuv,
      .uv = (double *)(uintptr_t)o->uv,
      .face_uv = o->nuv ? (int *)(uintptr_t)o->face_uv : NULL,
      .ntag = o->ntag,
      .tag = (char **)(uintptr_t)o->tag,
      .face_tag = o->ntag ? (int *)(uintptr_t)o->face_tag : NULL};
}

long long csim_export_stride(const csim_export *e) {
  long long stride = e->nframe > 1 ? e->number[1] - e->number[0] : 1;
  for (int f = 2; f < e->nframe; f++)
    if (e->number[f] - e->number[f - 1] != stride) return 0;
  return stride;
}

void csim_write_floats(csim_file *file, const double *value, ptrdiff_t n) {
  enum { PIECE = CSIM_FILE_RESERVE / 4 };
  for (ptrdiff_t done = 0; done < n; done += PIECE) {
    ptrdiff_t m = n - done < PIECE ? n - done : PIECE;
    char *to = csim_file_reserve(file, (size_t)m * 4);
    for (ptrdiff_t i = 0; i < m; i++) csim_store_f32((float)value[done + i], to + 4 * i);
    csim_file_advance(file, (size_t)m * 4);
  }
}

int *csim_export_vertex_normals(csim_export *e, int object) {
  const csim_cache_object *o = &e->object[object];
  if (!csim_export_all_normal(e, object)) return NULL;
  int *of = CSIM_NEW(int, o->nvert), single = of != NULL;
  for (int v = 0; v < o->nvert && of; v++) of[v] = -1;
  for (int c = 0; c < csim_corners(o) && single; c++) {
    int *k = &of[o->face_vert[c]];
    single = *k < 0 || *k == o->face_normal[c];
    *k = o->face_normal[c];
  }
  for (int v = 0; v < o->nvert && single; v++) single = of[v] >= 0;
  if (single) return of;
  free(of);
  return NULL;
}

// The first pose is a shift alone, of the middle of the box.
void csim_export_pose(csim_export *e, int object, const double *x, double m[16]) {
  double *local = e->local[object], R[9], t[3];
  ptrdiff_t n = e->object[object].nvert;
  if (!e->posed[object]++) {
    double low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
    for (ptrdiff_t i = 3; i < 3 * n; i++) {
      low[i % 3] = csim_min(low[i % 3], x[i]);
      high[i % 3] = csim_max(high[i % 3], x[i]);
    }
    for (ptrdiff_t i = 0; i < 3 * n; i++)
      local[i] = (double)(float)(x[i] - (low[i % 3] + high[i % 3]) / 2);
  }
  csim_rigid_fit(local, x, n, R, t);
  for (int r = 0; r < 4; r++)
    for (int c = 0; c < 4; c++) m[4 * r + c] = c == 3 ? r == 3 : r == 3 ? t[c] : R[3 * c + r];
}

// ------------------------------------------------------------------------------------------ spool

struct csim_spool {
  FILE *file;
  int error; // errno of the first failure
};

static void say_spool(csim_export *e, int error) {
  csim_fail_system(e->log, e->options.directory, "keep temporary data", error);
}

csim_spool *csim_spool_new(csim_export *e) {
  char path[CSIM_EXPORT_PATH];
  if (csim_export_path(e, ".spool", ".XXXXXX", path)) return NULL;
  csim_spool *spool = CSIM_NEW(csim_spool, 1);
  int fd = spool ? mkstemp(path) : -1;
  if (fd >= 0) {
    unlink(path);
    spool->file = fdopen(fd, "w+b");
    if (spool->file) return spool;
    close(fd);
  }
  say_spool(e, spool ? errno : ENOMEM);
  free(spool);
  return NULL;
}

void csim_spool_add(csim_spool *spool, const void *data, size_t size) {
  if (!spool->error && size && fwrite(data, 1, size, spool->file) != size)
    spool->error = errno ? errno : EIO;
}

int csim_spool_copy(csim_spool *spool, csim_export *e, csim_file *file) {
  if (!spool->error && (fflush(spool->file) || fseeko(spool->file, 0, SEEK_SET)))
    spool->error = errno;
  while (!spool->error && !csim_file_failed(file)) {
    size_t n = fread(csim_file_reserve(file, CSIM_FILE_RESERVE), 1, CSIM_FILE_RESERVE, spool->file);
    csim_file_advance(file, n);
    if (n == 0) break;
  }
  if (!spool->error && ferror(spool->file)) spool->error = EIO;
  if (spool->error) say_spool(e, spool->error);
  return spool->error ? -1 : 0;
}

void csim_spool_free(csim_spool *spool) {
  if (!spool) return;
  fclose(spool->file);
  free(spool);
}
