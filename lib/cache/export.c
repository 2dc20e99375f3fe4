// cache/export.c: what the exporters share. See clothsim.h and cache/export.h.
#include "cache/export.h"

#include "base/bytes.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const csim_exporter *const EXPORTERS[] = {
    &csim_export_obj, &csim_export_ply, &csim_export_pc2,  &csim_export_mdd,
    &csim_export_vtp, &csim_export_abc, &csim_export_usda,
};
enum { NEXPORTER = sizeof EXPORTERS / sizeof *EXPORTERS };

const csim_export_format *csim_export_formats(void) {
  static const csim_export_format formats[] = {
      {"obj", "Wavefront OBJ, a file for each frame and object"},
      {"ply", "PLY, binary, a file for each frame and object"},
      {"pc2", "PC2 point caches with a rest mesh, a pair for each object"},
      {"mdd", "MDD point caches with a rest mesh, a pair for each object"},
      {"vtp", "VTK XML, a file for each frame and object, and a PVD collection"},
      {"abc", "Alembic, one file"},
      {"usda", "USD as text, one file"},
      {NULL, NULL},
  };
  return formats;
}

csim_status csim_export_memory(csim_export *e) {
  csim_say(e->log, CSIM_ERROR, (csim_place){.file = e->options.directory}, "out of memory");
  return CSIM_MEMORY;
}

// ------------------------------------------------------------------------------------------ names

static int make_path(csim_export *e, const char *stem, const char *middle, const char *suffix,
                     char *path) {
  const char *directory = e->options.directory;
  const char *slash = *directory && directory[strlen(directory) - 1] != '/' ? "/" : "";
  int n = snprintf(path, CSIM_EXPORT_PATH, "%s%s%s%s%s", directory, slash, stem, middle, suffix);
  if (n >= 0 && n < CSIM_EXPORT_PATH) return 0;
  csim_say(e->log, CSIM_ERROR, (csim_place){.file = directory}, "the path is too long");
  return -1;
}

int csim_export_path(csim_export *e, const char *stem, const char *suffix, char *path) {
  return make_path(e, stem, "", suffix, path);
}

int csim_export_frame_path(csim_export *e, const char *stem, const char *suffix, char *path) {
  char number[32];
  snprintf(number, sizeof number, "_%0*lld", e->digits, e->number[e->nframe - 1]);
  return make_path(e, stem, number, suffix, path);
}

static int is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '.';
}

// A file name for each object: plain characters, no two equal.
static void make_file_names(csim_export *e) {
  for (int i = 0; i < e->nobject && !e->arena.failed; i++) {
    char *name = csim_arena_copy(&e->arena, e->object[i].name);
    for (char *c = name; c && *c; c++)
      if (!is_plain(*c) || (c == name && *c == '.')) *c = '_';
    for (int k = 0; k < i && name; k++)
      if (!strcmp(name, e->file_name[k])) {
        name = csim_arena_print(&e->arena, "%s_%d", name, i);
        k = -1;
      }
    e->file_name[i] = name;
  }
}

// --------------------------------------------------------------------------------- open and close

static const char *check_options(const csim_export_options *o, int nobject) {
  if (nobject < 1) return "nothing to export: no objects";
  if (!(o->fps > 0) || !isfinite(o->fps)) return "the frame rate must be above 0";
  if ((o->up != 1 && o->up != 2) || o->target_up < 0 || o->target_up > 2)
    return "the up axis must be 1 (y) or 2 (z)";
  if (!isfinite(o->scale) || !isfinite(o->unit) || o->unit < 0)
    return "scale and unit must be finite";
  if (o->digits && (o->digits < 1 || o->digits > 17)) return "digits must be 1 to 17";
  return NULL;
}

static void resolve_options(csim_export *e, const csim_export_options *options) {
  csim_export_options *o = &e->options;
  *o = *options;
  o->directory = csim_arena_copy(&e->arena, options->directory);
  o->name = csim_arena_copy(&e->arena, options->name);
  if (!o->target_up) o->target_up = o->up;
  if (o->scale == 0) o->scale = 1;
  if (o->unit == 0) o->unit = 1;
  if (!o->digits) o->digits = 9;
  char last[32];
  int width = snprintf(last, sizeof last, "%lld", o->last_number);
  e->digits = width < 4 ? 4 : width;
}

// Solids with tetrahedra show their surface: the vertices that faces use are the first ones.
static int surface_vertices(const csim_cache_object *o) {
  int last = -1;
  if (!o->ntet) return o->nvert;
  for (int c = 0; c < csim_corners(o); c++)
    if (o->face_vert[c] > last) last = o->face_vert[c];
  return last < 0 ? o->nvert : last + 1;
}

csim_status csim_export_open(const csim_export_options *options, int nobject,
                             const csim_cache_object *object, csim_log *log, csim_export **out) {
  *out = NULL;
  csim_place place = {.file = options->directory};
  const csim_exporter *kind = NULL;
  for (int k = 0; k < NEXPORTER; k++)
    if (!strcmp(options->format, EXPORTERS[k]->name)) kind = EXPORTERS[k];
  const char *wrong = kind ? check_options(options, nobject) : "unknown format";
  if (wrong) {
    csim_say(log, CSIM_ERROR, place, "cannot export to \"%.32s\": %s", options->format, wrong);
    return CSIM_INVALID;
  }
  csim_export *e = CSIM_NEW(csim_export, 1);
  if (!e) {
    csim_say(log, CSIM_ERROR, place, "out of memory");
    return CSIM_MEMORY;
  }
  *e = (csim_export){.kind = kind, .log = log, .nobject = nobject};
  resolve_options(e, options);
  e->object = CSIM_ARENA_NEW(&e->arena, csim_cache_object, nobject);
  e->file_name = CSIM_ARENA_NEW(&e->arena, char *, nobject);
  e->x = CSIM_ARENA_NEW(&e->arena, double *, nobject);
  e->v = CSIM_ARENA_NEW(&e->arena, double *, nobject);
  for (int i = 0; i < nobject && !e->arena.failed; i++) {
    e->object[i] = object[i];
    e->object[i].nvert = surface_vertices(&object[i]);
    e->object[i].has_velocity = object[i].has_velocity && options->velocities;
    e->x[i] = CSIM_ARENA_NEW(&e->arena, double, 3 * (ptrdiff_t)e->object[i].nvert);
    if (e->object[i].has_velocity)
      e->v[i] = CSIM_ARENA_NEW(&e->arena, double, 3 * (ptrdiff_t)e->object[i].nvert);
  }
  make_file_names(e);
  csim_status status = e->arena.failed ? csim_export_memory(e) : CSIM_OK;
  if (!status && *options->directory) status = csim_make_directories(options->directory, log);
  if (!status) status = kind->open(e);
  if (status) {
    csim_arena_free(&e->arena);
    free(e);
    return status;
  }
  *out = e;
  return CSIM_OK;
}

// Turns and scales n vectors. y up to z up is (x, -z, y), back is (x, z, -y).
static void transform(const csim_export *e, const double *from, int n, double *to) {
  double s = e->options.scale;
  int turn = e->options.target_up - e->options.up;
  for (ptrdiff_t i = 0; i < n; i++, from += 3, to += 3) {
    to[0] = s * from[0];
    to[1] = s * (turn > 0 ? -from[2] : turn < 0 ? from[2] : from[1]);
    to[2] = s * (turn > 0 ? from[1] : turn < 0 ? -from[1] : from[2]);
  }
}

csim_status csim_export_frame(csim_export *e, long long number, const double *const *x,
                              const double *const *v) {
  if (e->status) return e->status;
  if (e->nframe && number <= e->number[e->nframe - 1]) {
    csim_say(e->log, CSIM_ERROR, (csim_place){.file = e->options.directory},
             "frame numbers must increase");
    return e->status = CSIM_INVALID;
  }
  long long *grown = csim_grow(e->number, &e->number_capacity, e->nframe + 1, sizeof *grown);
  if (!grown) return e->status = csim_export_memory(e);
  e->number = grown;
  e->number[e->nframe++] = number;
  for (int i = 0; i < e->nobject; i++) {
    transform(e, x[i], e->object[i].nvert, e->x[i]);
    if (!e->object[i].has_velocity) continue;
    if (v && v[i])
      transform(e, v[i], e->object[i].nvert, e->v[i]);
    else
      memset(e->v[i], 0, 3 * (size_t)e->object[i].nvert * sizeof(double));
  }
  return e->status = e->kind->frame(e);
}

csim_status csim_export_close(csim_export *e, int commit) {
  if (!e) return CSIM_OK;
  csim_status status = e->status, closed = e->kind->close(e, commit && !status);
  free(e->number);
  csim_arena_free(&e->arena);
  free(e);
  return status ? status : closed;
}

// ---------------------------------------------------------------------------------------- helpers

double *csim_export_vertex_uv(csim_export *e, int object) {
  const csim_cache_object *o = &e->object[object];
  if (!o->nuv) return NULL;
  double *uv = CSIM_ARENA_NEW(&e->arena, double, 2 * (ptrdiff_t)o->nvert);
  char *known = CSIM_ARENA_NEW(&e->arena, char, o->nvert);
  if (!uv || !known) return NULL;
  for (int c = 0; c < csim_corners(o); c++) {
    int v = o->face_vert[c], t = o->face_uv[c];
    const double *from = t < 0 ? (const double[2]){0, 0} : o->uv + 2 * (ptrdiff_t)t;
    if (!known[v]) memcpy(uv + 2 * (ptrdiff_t)v, from, 2 * sizeof *uv);
    if (memcmp(uv + 2 * (ptrdiff_t)v, from, 2 * sizeof *uv)) return NULL;
    known[v] = 1;
  }
  return uv;
}

int csim_export_corner_uv(csim_export *e, int object, int *nuv, double **uv, int **index) {
  const csim_cache_object *o = &e->object[object];
  int ncorner = csim_corners(o), missing = 0;
  *index = CSIM_ARENA_NEW(&e->arena, int, ncorner);
  *uv = CSIM_ARENA_NEW(&e->arena, double, 2 * ((ptrdiff_t)o->nuv + 1));
  if (!*index || !*uv) return -1;
  for (int c = 0; c < ncorner; c++) {
    missing |= o->face_uv[c] < 0;
    (*index)[c] = o->face_uv[c] < 0 ? o->nuv : o->face_uv[c];
  }
  memcpy(*uv, o->uv, 2 * (size_t)o->nuv * sizeof **uv);
  *nuv = o->nuv + missing;
  return 0;
}

csim_mesh csim_export_mesh(const csim_cache_object *o, const double *x) {
  // a csim_mesh owns what it points to; this one is lent, so nobody writes through it
  return (csim_mesh){.nvert = o->nvert,
                     .vert = (double *)(uintptr_t)x,
                     .nface = o->nface,
                     .face_start = (int *)(uintptr_t)o->face_start,
                     .face_vert = (int *)(uintptr_t)o->face_vert,
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
  enum { PIECE = CSIM_FILE_ROOM / 4 };
  for (ptrdiff_t done = 0; done < n; done += PIECE) {
    ptrdiff_t m = n - done < PIECE ? n - done : PIECE;
    char *to = csim_file_room(file, (size_t)m * 4);
    for (ptrdiff_t i = 0; i < m; i++) csim_store_f32((float)value[done + i], to + 4 * i);
    csim_file_advance(file, (size_t)m * 4);
  }
}

// ------------------------------------------------------------------------------------------ spool

struct csim_spool {
  FILE *file;
  int error; // errno of the first failure
};

static void say_spool(csim_export *e, int error) {
  csim_say(e->log, CSIM_ERROR, (csim_place){.file = e->options.directory},
           "cannot keep temporary data: %s", strerror(error));
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
    size_t n = fread(csim_file_room(file, CSIM_FILE_ROOM), 1, CSIM_FILE_ROOM, spool->file);
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
