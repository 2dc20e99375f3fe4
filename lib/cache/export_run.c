// cache/export_run.c: csim_export of clothsim.h: the formats there are, and an export from start to
// end. Needs cache/export.h.
#include "cache/export.h"
#include "cache/look.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT(name, text) {#name, text},
#define EXPORTER(name, text) &csim_export_##name,
#define NAME(name, text) #name,

static const csim_exporter *const EXPORTERS[] = {CSIM_EXPORT_LIST(EXPORTER)};
static const csim_export_format FORMATS[] = {CSIM_EXPORT_LIST(FORMAT){NULL, NULL}};
const char *const csim_export_names[] = {CSIM_EXPORT_LIST(NAME) NULL};

const csim_export_format *csim_export_formats(void) {
  return FORMATS;
}

// NULL when there is no such format.
static const csim_exporter *find_exporter(const char *format) {
  for (int k = 0; FORMATS[k].name; k++)
    if (!strcmp(format, FORMATS[k].name)) return EXPORTERS[k];
  return NULL;
}

// ------------------------------------------------------------------------------------------ names

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
  if (o->nsample < 0 || o->nsample > CSIM_CACHE_MAX_SAMPLE) return "too many samples";
  for (int s = 0; s < o->nsample; s++)
    if (!(o->share[s] > (s ? o->share[s - 1] : -1)) || !(o->share[s] < 0))
      return "samples must lie between two frames";
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

// Number of vertices of the surface: in solids with tetrahedra, faces use the first vertices only.
static int surface_vertices(const csim_cache_object *o) {
  int last = -1;
  if (!o->ntet) return o->nvert;
  for (int c = 0; c < csim_corners(o); c++)
    if (o->face_vert[c] > last) last = o->face_vert[c];
  return last < 0 ? o->nvert : last + 1;
}

static void make_normals(csim_export *e) {
  ptrdiff_t most = 0;
  e->normals = CSIM_ARENA_NEW(&e->arena, csim_normals, e->nobject);
  for (int i = 0; i < e->nobject && e->normals; i++) {
    if (csim_look_normals(&e->object[i], &e->arena, &e->normals[i])) return;
    if (e->normals[i].n > most) most = e->normals[i].n;
  }
  for (int k = 0; k < 2; k++) e->normal[k] = CSIM_ARENA_NEW(&e->arena, double, 3 * most);
}

csim_status csim_export_open(const csim_export_options *options, int nobject,
                             const csim_cache_object *object, csim_log *log, csim_export **out) {
  *out = NULL;
  csim_place place = {.file = options->directory};
  const csim_exporter *kind = find_exporter(options->format);
  const char *wrong = kind ? check_options(options, nobject) : "unknown format";
  if (wrong)
    return csim_refuse(log, place, "cannot export to \"%.32s\": %s", options->format, wrong);
  csim_export *e = CSIM_NEW(csim_export, 1);
  if (!e) return csim_fail_memory(log, options->directory);
  *e = (csim_export){.kind = kind, .log = log, .nobject = nobject};
  resolve_options(e, options);
  e->object = CSIM_ARENA_NEW(&e->arena, csim_cache_object, nobject);
  e->file_name = CSIM_ARENA_NEW(&e->arena, char *, nobject);
  e->x = CSIM_ARENA_NEW(&e->arena, double *, nobject);
  e->v = CSIM_ARENA_NEW(&e->arena, double *, nobject);
  e->now = CSIM_ARENA_NEW(&e->arena, csim_cache_values, nobject);
  e->between = CSIM_ARENA_NEW(&e->arena, double *, nobject);
  e->whole = CSIM_ARENA_NEW(&e->arena, int, nobject);
  e->local = CSIM_ARENA_NEW(&e->arena, double *, nobject);
  e->posed = CSIM_ARENA_NEW(&e->arena, char, nobject);
  for (int i = 0; i < nobject && !e->arena.failed; i++) {
    e->object[i] = object[i];
    e->object[i].nvert = surface_vertices(&object[i]);
    // a transform gives the motion already: velocities would add to it
    int rigid = kind->transforms && options->rigid && options->rigid[i];
    e->object[i].has_velocity = object[i].has_velocity && options->velocities && !rigid;
    if (rigid) e->local[i] = CSIM_ARENA_NEW(&e->arena, double, csim_xyz(e->object[i].nvert));
    e->object[i].nsample = object[i].nsample && options->nsample ? options->nsample : 0;
    e->whole[i] = object[i].nvert;
    ptrdiff_t between = csim_row(6, e->object[i].nvert) * e->object[i].nsample;
    if (between) e->between[i] = CSIM_ARENA_NEW(&e->arena, double, between);
    e->x[i] = CSIM_ARENA_NEW(&e->arena, double, csim_xyz(e->object[i].nvert));
    if (e->object[i].has_velocity)
      e->v[i] = CSIM_ARENA_NEW(&e->arena, double, csim_xyz(e->object[i].nvert));
  }
  if (!e->arena.failed) make_normals(e);
  make_file_names(e);
  csim_status status = e->arena.failed ? csim_export_memory(e) : CSIM_OK;
  if (!status && *options->directory) status = csim_make_directories(options->directory, log);
  if (!status && kind->open) status = kind->open(e);
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

// Turned and scaled samples, of the vertices that are exported.
static void take_samples(csim_export *e, int i, const csim_cache_values *values) {
  int nvert = e->object[i].nvert, n = e->object[i].nsample;
  const double *from[2] = {values->sample_x, e->object[i].has_velocity ? values->sample_v : NULL};
  double *to[2] = {e->between[i], e->between[i] + csim_xyz(nvert) * n};
  for (int s = 0; s < n; s++)
    for (int a = 0; a < 2; a++)
      if (from[a])
        transform(e, from[a] + csim_xyz(e->whole[i]) * s, nvert, to[a] + csim_xyz(nvert) * s);
  e->now[i].sample_x = to[0];
  e->now[i].sample_v = from[1] ? to[1] : NULL;
}

static void take_object(csim_export *e, int i, const csim_cache_values *values) {
  const csim_cache_object *o = &e->object[i];
  transform(e, values->x, o->nvert, e->x[i]);
  if (o->has_velocity && values->v)
    transform(e, values->v, o->nvert, e->v[i]);
  else if (o->has_velocity)
    memset(e->v[i], 0, 3 * (size_t)o->nvert * sizeof(double));
  e->now[i] = (csim_cache_values){.x = e->x[i],
                                  .v = e->v[i],
                                  .pressure = o->has_pressure ? values->pressure : NULL,
                                  .strain = o->has_strain ? values->strain : NULL};
  if (o->nsample && values->sample_x) take_samples(e, i, values);
}

// Writes a file for each object, NAME_0001 suffix.
static csim_status write_files(csim_export *e) {
  char path[CSIM_EXPORT_PATH], ending[64];
  csim_status status = CSIM_OK;
  snprintf(ending, sizeof ending, "_%0*lld%s", e->digits, e->number[e->nframe - 1],
           e->kind->suffix);
  for (int i = 0; i < e->nobject && !status; i++) {
    if (csim_export_path(e, e->file_name[i], ending, path)) return CSIM_INVALID;
    status = e->kind->object(e, i, path);
  }
  return status;
}

csim_status csim_export_values(csim_export *e, long long number, const csim_cache_values *values) {
  if (e->status) return e->status;
  if (e->nframe && number <= e->number[e->nframe - 1]) {
    csim_say(e->log, CSIM_ERROR, csim_in_file(e->options.directory), "frame numbers must increase");
    return e->status = CSIM_INVALID;
  }
  if (CSIM_GROW(e->number, e->number_capacity, e->nframe + 1))
    return e->status = csim_export_memory(e);
  e->number[e->nframe++] = number;
  for (int i = 0; i < e->nobject; i++) take_object(e, i, &values[i]);
  return e->status = e->kind->frame ? e->kind->frame(e) : write_files(e);
}

csim_status csim_export_frame(csim_export *e, long long number, const double *const *x,
                              const double *const *v) {
  csim_cache_values *values = CSIM_NEW(csim_cache_values, e->nobject);
  if (!values) return e->status = csim_export_memory(e);
  for (int i = 0; i < e->nobject; i++)
    values[i] = (csim_cache_values){.x = x[i], .v = v ? v[i] : NULL};
  csim_status status = csim_export_values(e, number, values);
  free(values);
  return status;
}

csim_status csim_export_close(csim_export *e, int commit) {
  if (!e) return CSIM_OK;
  csim_status status = e->status;
  csim_status closed = e->kind->close ? e->kind->close(e, commit && !status) : CSIM_OK;
  free(e->number);
  csim_arena_free(&e->arena);
  free(e);
  return status ? status : closed;
}
