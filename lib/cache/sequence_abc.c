// cache/sequence_abc.c: frames from an Alembic file: every polygon mesh is an object, placed by its
// transforms. Needs cache/abc_mesh.h.
//
// When all samples are at whole frames, these are the frames, from the first to the last of any
// mesh. Otherwise a frame is made of every time at which some mesh has a sample.
#include "base/number.h"
#include "cache/abc_mesh.h"
#include "cache/look.h"
#include "cache/sequence.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FRAMES = 1000000 };
static const double NEAR = 1e-3; // [frames] that count as none

typedef struct abc_file {
  csim_abc abc;
  int nmesh;
  csim_abc_mesh *mesh; // (nmesh)
  double slack;        // [s]
  double fps;          // [1/s] of the frame numbers; 0: frames are at info.time
} abc_file;

static int is_mesh(const csim_abc_object *o) {
  return csim_abc_is(o, "AbcGeom_PolyMesh") || csim_abc_is(o, "AbcGeom_SubD");
}

// --------------------------------------------------------------------------------------------
// times

static int by_value(const void *a, const void *b) {
  double p = *(const double *)a, q = *(const double *)b;
  return (p > q) - (p < q);
}

// A number in the archive's metadata, 0 when there is none.
static double metadata_number(const csim_abc *abc, const char *key) {
  int length;
  double value;
  const char *text = csim_abc_value(abc->metadata, key, &length);
  const char *end = csim_read_number(text, text + length, &value);
  return length && end && value > 0 && value < 1e6 ? value : 0;
}

/// Samplings in use, as properties with the largest number of samples.
typedef struct used {
  int n;
  csim_abc_property *p;
  uint64_t total;
} used;

static csim_status find_samplings(csim_sequence *s, used *u) {
  abc_file *a = s->state;
  u->p = CSIM_ARENA_NEW(&s->arena, csim_abc_property, a->abc.nsampling);
  for (int i = 0; i < a->nmesh && u->p; i++) {
    const csim_abc_property **p =
        CSIM_ARENA_NEW(&s->arena, const csim_abc_property *, 2 + csim_row(2, a->mesh[i].nxform));
    int n = p ? csim_abc_mesh_moving(&a->mesh[i], p) : 0;
    for (int k = 0; k < n; k++) {
      int j = 0;
      while (j < u->n && u->p[j].sampling != p[k]->sampling) j++;
      if (j == u->n) u->p[u->n++] = *p[k];
      if (p[k]->nsample > u->p[j].nsample) u->p[j].nsample = p[k]->nsample;
    }
  }
  for (int j = 0; j < u->n; j++) u->total += csim_abc_count(&u->p[j]);
  if (s->arena.failed) return csim_sequence_memory(s);
  if (u->total <= MOST_FRAMES) return CSIM_OK;
  return csim_refuse(s->log, csim_in_file(s->path), "has more than %d samples", MOST_FRAMES);
}

// Whether all samples are at whole frames at this rate.
static int are_whole(const used *u, double fps) {
  for (int j = 0; j < u->n && fps > 0; j++)
    for (uint32_t i = 0, n = csim_abc_count(&u->p[j]); i < n; i++) {
      double frame = csim_abc_time(&u->p[j], i) * fps;
      if (!(fabs(frame) < 1e9) || !(fabs(frame - (double)llround(frame)) < NEAR)) return 0;
    }
  return fps > 0;
}

// What the file says of its rate; a program may have written one that is not that of the samples.
static double choose_rate(const csim_abc *abc, const used *u, int *whole) {
  double rate[3] = {metadata_number(abc, "_ai_DCC_FPS"), metadata_number(abc, "FramesPerTimeUnit"),
                    0};
  for (int j = 0; j < u->n && rate[2] == 0; j++)
    if (u->p[j].sampling->cycle > 0) rate[2] = 1 / u->p[j].sampling->cycle;
  for (int k = 0; k < 3; k++)
    if ((*whole = are_whole(u, rate[k]))) return rate[k];
  return rate[0] > 0 ? rate[0] : rate[1] > 0 ? rate[1] : rate[2];
}

// Frames from the first to the last sample.
static csim_status count_frames(csim_sequence *s, const used *u) {
  abc_file *a = s->state;
  double low = INFINITY, high = -INFINITY;
  for (int j = 0; j < u->n; j++) {
    low = fmin(low, csim_abc_time(&u->p[j], 0));
    high = fmax(high, csim_abc_time(&u->p[j], csim_abc_count(&u->p[j]) - 1));
  }
  long long first = u->n ? llround(low * s->info.fps) : 0;
  long long last = u->n ? llround(high * s->info.fps) : 0;
  if (last - first >= MOST_FRAMES)
    return csim_refuse(s->log, csim_in_file(s->path), "has more than %d frames", MOST_FRAMES);
  a->fps = s->info.fps > 0 ? s->info.fps : 1;
  s->info.nframe = (int)(last - first) + 1;
  long long *number = CSIM_ARENA_NEW(&s->arena, long long, s->info.nframe);
  for (int f = 0; number && f < s->info.nframe; f++) number[f] = first + f;
  s->info.number = number;
  return number ? CSIM_OK : csim_sequence_memory(s);
}

// All times at which there are samples.
static csim_status list_times(csim_sequence *s, const used *u) {
  abc_file *a = s->state;
  double *time = CSIM_ARENA_NEW(&s->arena, double, (ptrdiff_t)u->total);
  long long *number = CSIM_ARENA_NEW(&s->arena, long long, (ptrdiff_t)u->total);
  ptrdiff_t n = 0;
  if (!time || !number) return csim_sequence_memory(s);
  for (int j = 0; j < u->n; j++)
    for (uint32_t i = 0, m = csim_abc_count(&u->p[j]); i < m; i++)
      time[n++] = csim_abc_time(&u->p[j], i);
  qsort(time, (size_t)n, sizeof *time, by_value);
  int kept = 0;
  for (ptrdiff_t i = 0; i < n; i++)
    if (i == 0 || time[i] > time[kept - 1] + a->slack) time[kept++] = time[i];
  for (int f = 0; f < kept; f++) number[f] = f + 1;
  s->info.nframe = kept;
  s->info.number = number;
  s->info.time = time;
  return CSIM_OK;
}

static csim_status find_times(csim_sequence *s) {
  abc_file *a = s->state;
  used u = {0};
  int whole = 0;
  csim_status status = find_samplings(s, &u);
  if (status) return status;
  s->info.fps = choose_rate(&a->abc, &u, &whole);
  a->slack = s->info.fps > 0 ? 2 * NEAR / s->info.fps : 1e-6;
  return whole || u.n == 0 ? count_frames(s, &u) : list_times(s, &u);
}

static double time_of(const csim_sequence *s, int frame) {
  const abc_file *a = s->state;
  return s->info.time ? s->info.time[frame] : (double)s->info.number[frame] / a->fps;
}

// --------------------------------------------------------------------------------------------
// names

// "Xform", "Curve", ... of a schema, or what else it is.
static const char *kind_of(const csim_abc_object *o, int *length) {
  int n;
  const char *schema = csim_abc_value(o->metadata, "schema", &n);
  csim_abc_value(o->metadata, "isInstance", length);
  if (*length) {
    *length = 8;
    return "instance";
  }
  if (n > 8 && !strncmp(schema, "AbcGeom_", 8)) {
    schema += 8;
    n -= 8;
  }
  *length = n;
  return schema;
}

// What is there instead of meshes: up to four kinds.
static csim_status refuse_without_meshes(csim_sequence *s) {
  const csim_abc *abc = &((abc_file *)s->state)->abc;
  char text[256] = "";
  size_t length = 0;
  for (int i = 1, kinds = 0; i < abc->nobject && kinds < 4; i++) {
    int n;
    const char *kind = kind_of(&abc->object[i], &n);
    char one[40];
    if (n == 0 || n > 30) continue;
    snprintf(one, sizeof one, " %.*s", n, kind);
    if (strstr(text, one)) continue;
    length +=
        (size_t)snprintf(text + length, sizeof text - length, "%s%s", kinds++ ? "," : "", one);
  }
  return csim_refuse(s->log, csim_in_file(s->path),
                     "has no polygon mesh; it has%s: only PolyMesh and SubD objects are read",
                     length ? text : " no objects");
}

// The transform's name where the mesh is its only child that is one, else the mesh's own; its path
// when another mesh has that name already.
static const char *name_mesh(const abc_file *a, int k) {
  const csim_abc *abc = &a->abc;
  const csim_abc_object *o = &abc->object[a->mesh[k].object], *above = &abc->object[o->parent];
  int meshes = 0;
  for (int i = above->child; i < above->child + above->nchild; i++)
    meshes += is_mesh(&abc->object[i]);
  return o->parent > 0 && meshes == 1 ? above->name : o->name;
}

static int by_name(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static csim_status name_all(csim_sequence *s, csim_cache_object *object) {
  abc_file *a = s->state;
  const char **sorted = CSIM_ARENA_NEW(&s->arena, const char *, a->nmesh);
  if (!sorted) return csim_sequence_memory(s);
  for (int k = 0; k < a->nmesh; k++) object[k].name = sorted[k] = name_mesh(a, k);
  qsort(sorted, (size_t)a->nmesh, sizeof *sorted, by_name);
  for (int k = 0; k < a->nmesh; k++) {
    const char **at = bsearch(&object[k].name, sorted, (size_t)a->nmesh, sizeof *sorted, by_name);
    int twice = (at > sorted && !strcmp(at[-1], *at)) ||
                (at + 1 < sorted + a->nmesh && !strcmp(at[1], *at));
    if (twice) object[k].name = a->mesh[k].path;
  }
  return CSIM_OK;
}

// Whether an object's path is `wanted`, with or without the slash before it, or ends in it.
static int fits(const csim_abc *abc, int object, const char *wanted, int whole) {
  const char *end = wanted + strlen(wanted);
  int i = object;
  for (; i > 0 && end > wanted; i = abc->object[i].parent) {
    size_t n = strlen(abc->object[i].name);
    if ((size_t)(end - wanted) < n || memcmp(end - n, abc->object[i].name, n)) return 0;
    end -= n;
    if (end == wanted) return !whole || abc->object[i].parent == 0;
    if (*--end != '/') return 0;
  }
  return i == 0 && end == wanted; // a slash came first
}

// The meshes at and below the objects that fit: their number and the first two.
static int count_below(const abc_file *a, const char *wanted, int whole, int *object, int pair[2]) {
  const csim_abc *abc = &a->abc;
  int n = 0;
  for (int k = 0; k < a->nmesh; k++)
    for (int i = a->mesh[k].object; i > 0; i = abc->object[i].parent)
      if (fits(abc, i, wanted, whole)) {
        if (n < 2) pair[n] = k;
        n++;
        break;
      }
  for (int i = 1; n == 0 && i < abc->nobject && *object < 0; i++)
    if (fits(abc, i, wanted, whole)) *object = i;
  return n;
}

// The last n names of a path, without a slash before them; the whole path when n is 0.
static const char *end_of_path(const char *path, int n) {
  const char *at = path + strlen(path);
  if (!n) return path;
  for (; n && at > path; n -= *at == '/') at--;
  return n ? path : at + 1;
}

// Nothing is called so: what has nearly this name, else the first mesh.
static csim_status refuse_name(csim_sequence *s, const char *wanted) {
  const abc_file *a = s->state;
  enum { MOST = 20000 }; // objects that are compared
  int depth = 0, n = 0;
  for (const char *c = wanted; *c && *wanted != '/'; c++) depth += *c == '/' || c == wanted;
  const char **names = CSIM_ARENA_NEW(&s->arena, const char *, MOST + 1);
  for (int i = 1; i < a->abc.nobject && names && n < MOST; i++) {
    const char *path = csim_abc_path(&a->abc, i);
    if (path) names[n++] = end_of_path(path, depth);
  }
  const char *near = names ? csim_nearest_name(wanted, names) : NULL;
  return csim_refuse(s->log, csim_in_file(s->path), "has no object \"%s\"%s%s\"%s", wanted,
                     near ? ", did you mean \"" : "; its first mesh is \"",
                     near ? near : a->mesh[0].path, near ? "?" : "");
}

static csim_status find_mesh(csim_sequence *s, const char *wanted, int *chosen) {
  const abc_file *a = s->state;
  const csim_abc *abc = &a->abc;
  int pair[2] = {0, 0}, object = -1;
  int n = count_below(a, wanted, 1, &object, pair);
  if (!n && object < 0) n = count_below(a, wanted, 0, &object, pair);
  *chosen = pair[0];
  if (n == 1) return CSIM_OK;
  if (n > 1) {
    csim_say(s->log, CSIM_ERROR, csim_in_file(s->path),
             "\"%s\" stands for %d meshes, \"%s\" and \"%s\" among them: name one", wanted, n,
             a->mesh[pair[0]].path, a->mesh[pair[1]].path);
  } else if (object >= 0) {
    int length;
    const char *kind = kind_of(&abc->object[object], &length);
    csim_say(s->log, CSIM_ERROR, csim_in_file(s->path),
             "\"%s\" is a %.*s without a mesh: only PolyMesh and SubD objects are read", wanted,
             length ? length : 6, length ? kind : "object");
  } else {
    return refuse_name(s, wanted);
  }
  return CSIM_INVALID;
}

// ---------------------------------------------------------------------------------------------
// kind

static csim_status find_meshes(csim_sequence *s) {
  abc_file *a = s->state;
  csim_status status = CSIM_OK;
  for (int i = 1; i < a->abc.nobject; i++) a->nmesh += is_mesh(&a->abc.object[i]);
  if (!a->nmesh) return refuse_without_meshes(s);
  a->mesh = CSIM_ARENA_NEW(&s->arena, csim_abc_mesh, a->nmesh);
  if (!a->mesh) return csim_sequence_memory(s);
  for (int i = 1, k = 0; i < a->abc.nobject && !status; i++)
    if (is_mesh(&a->abc.object[i])) status = csim_abc_mesh_find(&a->abc, i, &a->mesh[k++]);
  return status;
}

static csim_status load(csim_sequence *s, int k, csim_cache_object *object) {
  abc_file *a = s->state;
  csim_abc_mesh *m = &a->mesh[k];
  csim_status status = csim_abc_mesh_load(&a->abc, m, time_of(s, 0), a->slack);
  if (status) return status;
  const char *name = object->name;
  *object = csim_object_of_mesh(&m->mesh);
  object->name = name;
  object->type = CSIM_CACHE_COLLIDER;
  object->has_velocity = csim_abc_mesh_has_velocity(m);
  if (s->one && csim_abc_mesh_hidden(&a->abc, m, time_of(s, 0), a->slack))
    csim_say(s->log, CSIM_WARNING, csim_in_file(s->path),
             "\"%s\" is hidden there; it is used all the same", m->path);
  return CSIM_OK;
}

// Axes and unit as our own files say; the others have y up by convention, and no unit.
static void find_axes(csim_sequence *s) {
  const abc_file *a = s->state;
  int length;
  const char *up = csim_abc_value(a->abc.metadata, "clothsim_up", &length);
  s->info.up = length == 1 && *up == 'z' ? 2 : 1;
  s->info.unit = metadata_number(&a->abc, "clothsim_metersPerUnit");
}

static csim_status open_abc(csim_sequence *s) {
  abc_file *a = s->state = CSIM_ARENA_NEW(&s->arena, abc_file, 1);
  if (!a) return csim_sequence_memory(s);
  csim_status status = csim_abc_open(s->path, &s->arena, s->log, &a->abc);
  if (!status) status = find_meshes(s);
  if (!status) status = find_times(s);
  if (status) return status;
  find_axes(s);
  csim_cache_object *object = CSIM_ARENA_NEW(&s->arena, csim_cache_object, a->nmesh);
  if (!object) return csim_sequence_memory(s);
  s->info.nobject = a->nmesh;
  s->info.object = object;
  s->info.has_faces = 1;
  status = name_all(s, object);
  if (s->one) {
    int k = 0;
    if (!status) status = csim_sequence_choose(s, s->part, &k);
    if (!status) status = load(s, k, &object[k]);
  } else {
    for (int k = 0; k < a->nmesh && !status; k++) status = load(s, k, &object[k]);
  }
  a->abc.file.budget = UINT64_MAX; // a frame is no larger than the mesh
  return status;
}

static csim_status read_abc(csim_sequence *s, int object, int frame, double *x, double *v) {
  abc_file *a = s->state;
  return csim_abc_mesh_at(&a->abc, &a->mesh[object], time_of(s, frame), a->slack, x, v);
}

static void free_abc(csim_sequence *s) {
  abc_file *a = s->state;
  if (!a) return;
  for (int k = 0; k < a->nmesh && a->mesh; k++) csim_mesh_free(&a->mesh[k].mesh);
  csim_abc_close(&a->abc);
}

const csim_sequence_kind csim_sequence_abc = {
    .name = "abc", .open = open_abc, .read = read_abc, .find = find_mesh, .free = free_abc};
