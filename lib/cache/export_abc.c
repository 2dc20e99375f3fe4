// cache/export_abc.c: Alembic, one file: an Xform with a PolyMesh for each object. Needs io/,
// base/.
//
// Samples go to the file as frames come; groups and headers, which name the positions of samples,
// follow in the end. Alembic's faces are clockwise, so corners are written backward.
#include "cache/buffer.h"
#include "cache/export.h"
#include "cache/face_sets.h"
#include "cache/murmur.h"
#include "cache/ogawa.h"

#include "base/bytes.h"
#include "base/number.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// Metadata strings are referred to by their index in this list; 0 is the empty one.
enum {
  MD_NONE,
  MD_XFORM_OBJECT,
  MD_MESH_OBJECT,
  MD_XFORM,
  MD_MESH,
  MD_BOX,
  MD_POINT,
  MD_VECTOR,
  MD_UV,
  MD_FACES_OBJECT,
  MD_FACES,
  MD_SCALAR,
  MD_NORMAL,
  MD_COLOUR
};
static const char *const METADATA[] = {
    "",
    "schema=AbcGeom_Xform_v3;schemaObjTitle=AbcGeom_Xform_v3:.xform",
    "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1;"
    "schemaObjTitle=AbcGeom_PolyMesh_v1:.geom",
    "schema=AbcGeom_Xform_v3",
    "schema=AbcGeom_PolyMesh_v1;schemaBaseType=AbcGeom_GeomBase_v1",
    "interpretation=box",
    "geoScope=vtx;interpretation=point",
    "geoScope=vtx;interpretation=vector",
    "arrayExtent=1;geoScope=fvr;interpretation=vector;isGeomParam=true;podExtent=2;"
    "podName=float32_t",
    "schema=AbcGeom_FaceSet_v1;schemaBaseType=AbcGeom_GeomBase_v1;"
    "schemaObjTitle=AbcGeom_FaceSet_v1:.faceset",
    "schema=AbcGeom_FaceSet_v1;schemaBaseType=AbcGeom_GeomBase_v1",
    "arrayExtent=1;geoScope=vtx;interpretation=;isGeomParam=true;podExtent=1;podName=float32_t",
    "arrayExtent=1;geoScope=fvr;interpretation=normal;isGeomParam=true;podExtent=3;podName=float32_"
    "t",
    "arrayExtent=1;geoScope=vtx;interpretation=rgb;isGeomParam=true;podExtent=3;podName=float32_t",
};
enum { NMETADATA = sizeof METADATA / sizeof *METADATA };

enum { COMPOUND = 0, SCALAR = 1, ARRAY = 2 };                           // kinds of properties
enum { POD_BOOL, POD_U8, POD_U32 = 5, POD_I32, POD_F32 = 10, POD_F64 }; // types of elements

// A property: its header, and the words of its samples.
typedef struct property {
  const char *name;
  int kind, pod, extent, metadata, time_sampling;
  csim_bytes sample;   // a word for each frame; equal neighbours share theirs
  uint8_t key[16];     // of the last sample
  uint8_t history[16]; // hash of the keys of all
} property;

enum {
  BOUNDS,
  POINTS,
  VELOCITIES,
  CHILD_BOUNDS,
  NORMALS,
  PRESSURE,
  STRAIN,
  MATRIX,
  INHERITS, // always the same, but the library counts its samples
  NMOVING
};
typedef struct abc_object {
  property moving[NMOVING]; // without samples where it has no such thing
  double box[6];            // bounds over all frames
  int normals;              // it has one at every corner
  char **uv_name;           // (nuv_set) different from those of the other parameters
} abc_object;

typedef struct abc {
  csim_file *file;
  abc_object *object; // (nobject)
  property bounds;    // of everything, in each frame
  int ntime;          // samples so far of what has some between frames
  csim_bytes times;   // (ntime) [s] of those
  csim_bytes payload; // of a sample, reused
  csim_bytes keys;    // histories of an object's properties, for its hash
} abc;

// ---------------------------------------------------------------------------------------- samples

// Writes the payload as the property's next sample, unless it equals the last one.
static void add_sample(abc *a, property *p) {
  uint8_t key[16];
  csim_murmur(a->payload.n ? a->payload.data : key, (size_t)a->payload.n, key);
  if (p->sample.n && !memcmp(key, p->key, sizeof key)) {
    csim_bytes_add64(&p->sample, csim_load_u64(p->sample.data + p->sample.n - 8));
  } else {
    csim_bytes_add64(&p->sample, csim_ogawa_sample(a->file, &a->payload, key));
    memcpy(p->key, key, sizeof key);
  }
  uint8_t both[32];
  memcpy(both, p->history, 16);
  memcpy(both + 16, key, 16);
  csim_murmur(both, sizeof both, p->history);
  a->payload.n = 0;
}

static void add_floats(abc *a, const double *value, ptrdiff_t n) {
  uint8_t *to = csim_bytes_reserve(&a->payload, 4 * n);
  for (ptrdiff_t i = 0; to && i < n; i++) csim_store_f32((float)value[i], to + 4 * i);
  if (to) a->payload.n += 4 * n;
}

static void join(const double *box, int first, double all[6]) {
  for (int k = 0; k < 6; k++)
    if (first || (k < 3 ? box[k] < all[k] : box[k] > all[k])) all[k] = box[k];
}

static void add_box(abc *a, const double *box) {
  for (int k = 0; k < 6; k++) csim_bytes_add_double(&a->payload, box[k]);
}

static csim_status check_memory(csim_export *e) {
  abc *a = e->state;
  int failed = a->payload.failed || a->keys.failed || e->arena.failed || a->times.failed ||
               a->bounds.sample.failed;
  for (int i = 0; i < e->nobject && a->object; i++)
    for (int k = 0; k < NMOVING; k++) failed |= a->object[i].moving[k].sample.failed;
  return failed ? csim_export_memory(e) : CSIM_OK;
}

static void add_pose(csim_export *e, int object, const double *x) {
  abc *a = e->state;
  double m[16];
  csim_export_pose(e, object, x, m);
  for (int k = 0; k < 16; k++) csim_bytes_add_double(&a->payload, m[k]);
  add_sample(a, &a->object[object].moving[MATRIX]);
  csim_bytes_add(&a->payload, &(uint8_t){1}, 1);
  add_sample(a, &a->object[object].moving[INHERITS]);
}

// Points, bounds and velocities (NULL: none) of an object at a time.
// @param[out] box  where it is
static void add_shape(csim_export *e, int object, const double *x, const double *v, double box[6]) {
  abc *a = e->state;
  abc_object *o = &a->object[object];
  int n = e->object[object].nvert;
  csim_bounds(n, x, box, box + 3);
  double local_box[6];
  if (e->local[object]) {
    add_pose(e, object, x);
    x = e->local[object];
    csim_bounds(n, x, local_box, local_box + 3);
    box = local_box;
  }
  join(box, o->moving[POINTS].sample.n == 0, o->box);
  add_box(a, box);
  add_sample(a, &o->moving[BOUNDS]);
  add_box(a, box);
  add_sample(a, &o->moving[CHILD_BOUNDS]);
  add_floats(a, x, csim_xyz(n));
  add_sample(a, &o->moving[POINTS]);
  if (o->normals) {
    add_floats(a, csim_export_normals(e, object, x), csim_xyz(e->object[object].nnormal));
    add_sample(a, &o->moving[NORMALS]);
  }
  if (!v) return;
  add_floats(a, v, csim_xyz(n));
  add_sample(a, &o->moving[VELOCITIES]);
}

// Adds the times of the samples before the frame, and the frame's. All objects with samples have
// the same.
static void add_times(csim_export *e, int nsample) {
  abc *a = e->state;
  double number = (double)e->number[e->nframe - 1];
  for (int s = 0; s <= nsample; s++)
    csim_bytes_add_double(&a->times,
                          (s < nsample ? number + e->options.share[s] : number) / e->options.fps);
  a->ntime += nsample + 1;
}

static csim_status write_frame(csim_export *e) {
  abc *a = e->state;
  double all[6] = {0}, box[6];
  int timed = 0;
  for (int i = 0; i < e->nobject; i++) {
    const csim_cache_values *now = &e->now[i];
    abc_object *o = &a->object[i];
    int n = e->object[i].nvert, nsample = now->sample_x ? e->object[i].nsample : 0;
    if (e->object[i].nsample && !timed++) add_times(e, nsample);
    for (int s = 0; s < nsample; s++) {
      ptrdiff_t at = csim_xyz(n) * s;
      add_shape(e, i, now->sample_x + at, now->sample_v ? now->sample_v + at : NULL, box);
    }
    add_shape(e, i, e->x[i], e->v[i], box);
    join(box, i == 0, all);
    if (now->pressure) {
      add_floats(a, now->pressure, n);
      add_sample(a, &o->moving[PRESSURE]);
    }
    if (now->strain) {
      add_floats(a, now->strain, n);
      add_sample(a, &o->moving[STRAIN]);
    }
  }
  add_box(a, all);
  add_sample(a, &a->bounds);
  if (csim_file_failed(a->file)) return CSIM_IO; // said by the commit
  return check_memory(e);
}

// A name of an object or property: / separates names.
static char *make_name(csim_export *e, const char *from) {
  char *name = csim_arena_copy(&e->arena, from);
  for (char *c = name; c && *c; c++)
    if (*c == '/') *c = '_';
  return name;
}

static csim_status open_abc(csim_export *e) {
  static const char *const reserved[] = {"Col", "pressure", "strain", NULL};
  abc *a = e->state = CSIM_ARENA_NEW(&e->arena, abc, 1);
  if (a) a->object = CSIM_ARENA_NEW(&e->arena, abc_object, e->nobject);
  if (!a || !a->object) return csim_export_memory(e);
  a->bounds = (property){".childBnds", SCALAR, POD_F64, 6, MD_BOX, 1, .key = {0}};
  for (int i = 0; i < e->nobject; i++) {
    int t = e->object[i].nsample ? 2 : 1; // see write_times
    a->object[i] = (abc_object){
        .normals = csim_export_all_normal(e, i),
        .uv_name = csim_export_uv_names(e, i, reserved, make_name),
        .moving = {
            [BOUNDS] = {".selfBnds", SCALAR, POD_F64, 6, MD_BOX, t, .key = {0}},
            [POINTS] = {"P", ARRAY, POD_F32, 3, MD_POINT, t, .key = {0}},
            [VELOCITIES] = {".velocities", ARRAY, POD_F32, 3, MD_VECTOR, t, .key = {0}},
            [CHILD_BOUNDS] = {".childBnds", SCALAR, POD_F64, 6, MD_BOX, t, .key = {0}},
            [NORMALS] = {".vals", ARRAY, POD_F32, 3, MD_NORMAL, t, .key = {0}},
            [PRESSURE] = {"pressure", ARRAY, POD_F32, 1, MD_SCALAR, 1, .key = {0}},
            [STRAIN] = {"strain", ARRAY, POD_F32, 1, MD_SCALAR, 1, .key = {0}},
            [MATRIX] = {".vals", SCALAR, POD_F64, 16, MD_NONE, t, .key = {0}},
            [INHERITS] = {".inherits", SCALAR, POD_BOOL, 1, MD_NONE, t, .key = {0}},
        }};
  }
  if (e->arena.failed) return csim_export_memory(e);
  char path[CSIM_EXPORT_PATH];
  if (csim_export_path(e, e->options.name, ".abc", path)) return CSIM_INVALID;
  csim_status status = csim_file_create(path, e->log, &a->file);
  if (!status) csim_ogawa_begin(a->file);
  return status;
}

// ------------------------------------------------------------------------------------- properties

// Range from the first to the last sample that differs from the one before it; 0, 0: none does.
static void find_changes(const property *p, uint32_t *first, uint32_t *last) {
  *first = *last = 0;
  for (ptrdiff_t i = 1; i < p->sample.n / 8; i++)
    if (memcmp(p->sample.data + 8 * i, p->sample.data + 8 * i - 8, 8)) {
      if (!*first) *first = (uint32_t)i;
      *last = (uint32_t)i;
    }
}

// The header of a property, with 4-byte integers throughout.
static void add_header(csim_bytes *headers, const property *p) {
  enum {
    WIDE = 2 << 2,
    TIMED = 1 << 8,
    CHANGES = 1 << 9,
    HOMOGENEOUS = 1 << 10,
    CONSTANT = 1 << 11
  };
  uint32_t info = (uint32_t)(p->kind | WIDE | p->metadata << 20), first = 0, last = 0;
  uint32_t n = (uint32_t)(p->sample.n / 8), size = (uint32_t)strlen(p->name);
  if (p->kind != COMPOUND) {
    find_changes(p, &first, &last);
    info |= (uint32_t)(p->pod << 4 | HOMOGENEOUS | p->extent << 12);
    if (p->time_sampling) info |= TIMED;
    if (!last)
      info |= CONSTANT;
    else if (first != 1 || last != n - 1)
      info |= CHANGES;
  }
  csim_bytes_add32(headers, info);
  if (p->kind != COMPOUND) {
    csim_bytes_add32(headers, n);
    if (info & CHANGES) {
      csim_bytes_add32(headers, first);
      csim_bytes_add32(headers, last);
    }
    if (info & TIMED) csim_bytes_add32(headers, (uint32_t)p->time_sampling);
  }
  csim_bytes_add32(headers, size);
  csim_bytes_add(headers, p->name, (ptrdiff_t)size);
}

// The group of a property's samples: the first, then those from the first to the last change.
// Arrays have their dimensions behind each, empty for lists.
static csim_ogawa_word write_samples(abc *a, const property *p) {
  csim_bytes child = {0};
  uint32_t first, last, n = (uint32_t)(p->sample.n / 8);
  find_changes(p, &first, &last);
  for (uint32_t i = 0; i < n; i = i == 0 && last ? first : i + 1) {
    if (i > last) break;
    csim_bytes_add(&child, p->sample.data + csim_row(8, i), 8);
    if (p->kind == ARRAY) csim_bytes_add64(&child, CSIM_OGAWA_DATA);
  }
  csim_bytes_add(&a->keys, p->history, 16);
  a->keys.failed |= child.failed;
  csim_ogawa_word word = csim_ogawa_group(a->file, &child);
  free(child.data);
  return word;
}

// A compound under construction: the words of its properties and their headers.
typedef struct compound {
  csim_bytes child, headers;
} compound;

static void add_property(abc *a, compound *c, const property *p) {
  csim_bytes_add64(&c->child, write_samples(a, p));
  add_header(&c->headers, p);
}

static void add_compound(compound *c, const char *name, int metadata, csim_ogawa_word group) {
  csim_bytes_add64(&c->child, group);
  add_header(&c->headers, &(property){.name = name, .kind = COMPOUND, .metadata = metadata});
}

static csim_ogawa_word end_compound(abc *a, compound *c) {
  csim_bytes_add64(&c->child, csim_ogawa_data(a->file, &c->headers));
  a->keys.failed |= c->child.failed | c->headers.failed;
  csim_ogawa_word word = csim_ogawa_group(a->file, &c->child);
  free(c->child.data);
  free(c->headers.data);
  return word;
}

// Adds a constant property, an array unless it says otherwise; the payload is its only sample.
static void add_constant(abc *a, compound *c, property p) {
  if (p.kind == COMPOUND) p.kind = ARRAY;
  add_sample(a, &p);
  a->keys.failed |= p.sample.failed;
  add_property(a, c, &p);
  free(p.sample.data);
}

static void add_corners_backward(abc *a, const csim_cache_object *o, const int *value) {
  for (int f = 0; f < o->nface; f++)
    for (int c = o->face_start[f + 1] - 1; c >= o->face_start[f]; c--)
      csim_bytes_add32(&a->payload, (uint32_t)value[c]);
}

static csim_ogawa_word write_uv(csim_export *e, int object, const csim_uv_set *set) {
  abc *a = e->state;
  compound c = {0};
  int nuv, *index;
  double *uv;
  if (csim_export_corner_uv(e, object, set, &nuv, &uv, &index)) return 0;
  add_floats(a, uv, csim_row(2, nuv));
  add_constant(a, &c, (property){.name = ".vals", .pod = POD_F32, .extent = 2, .metadata = MD_UV});
  add_corners_backward(a, &e->object[object], index);
  add_constant(a, &c, (property){.name = ".indices", .pod = POD_U32, .extent = 1});
  return end_compound(a, &c);
}

static csim_ogawa_word write_normals(csim_export *e, int object) {
  abc *a = e->state;
  compound c = {0};
  add_property(a, &c, &a->object[object].moving[NORMALS]);
  add_corners_backward(a, &e->object[object], e->object[object].face_normal);
  add_constant(a, &c, (property){.name = ".indices", .pod = POD_U32, .extent = 1});
  return end_compound(a, &c);
}

// What Alembic has no name for. Colours are "Col", as Blender calls them.
static csim_ogawa_word write_params(csim_export *e, int object) {
  abc *a = e->state;
  const csim_cache_object *o = &e->object[object];
  const abc_object *own = &a->object[object];
  compound c = {0};
  if (o->colour) {
    add_floats(a, o->colour, csim_xyz(o->nvert));
    add_constant(a, &c,
                 (property){.name = "Col", .pod = POD_F32, .extent = 3, .metadata = MD_COLOUR});
  }
  for (int k = PRESSURE; k <= STRAIN; k++)
    if (own->moving[k].sample.n) add_property(a, &c, &own->moving[k]);
  for (int k = 0; k < o->nuv_set; k++)
    add_compound(&c, own->uv_name[k], MD_UV, write_uv(e, object, &o->uv_set[k]));
  return end_compound(a, &c);
}

// The `.geom` compound of a mesh.
static csim_ogawa_word write_geometry(csim_export *e, int object) {
  abc *a = e->state;
  const csim_cache_object *o = &e->object[object];
  const abc_object *own = &a->object[object];
  compound c = {0};
  add_property(a, &c, &own->moving[BOUNDS]);
  add_property(a, &c, &own->moving[POINTS]);
  add_corners_backward(a, o, o->face_vert);
  add_constant(a, &c, (property){.name = ".faceIndices", .pod = POD_I32, .extent = 1});
  for (int f = 0; f < o->nface; f++)
    csim_bytes_add32(&a->payload, (uint32_t)(o->face_start[f + 1] - o->face_start[f]));
  add_constant(a, &c, (property){.name = ".faceCounts", .pod = POD_I32, .extent = 1});
  if (own->moving[VELOCITIES].sample.n) add_property(a, &c, &own->moving[VELOCITIES]);
  if (o->nuv) {
    csim_uv_set first = {.n = o->nuv, .uv = o->uv, .face_uv = o->face_uv};
    add_compound(&c, "uv", MD_UV, write_uv(e, object, &first));
  }
  if (own->moving[NORMALS].sample.n) add_compound(&c, "N", MD_NORMAL, write_normals(e, object));
  if (own->moving[PRESSURE].sample.n || own->moving[STRAIN].sample.n || o->colour || o->nuv_set)
    add_compound(&c, ".arbGeomParams", MD_NONE, write_params(e, object));
  return end_compound(a, &c);
}

// ---------------------------------------------------------------------------------------- objects

// Children of an object: their groups, and the headers that end it.
typedef struct children {
  csim_bytes group, headers;
  csim_bytes hashes;
} children;

static void add_child(children *c, csim_ogawa_word group, const char *name, int metadata,
                      const uint8_t hash[16]) {
  csim_bytes_add64(&c->group, group);
  csim_bytes_add32(&c->headers, (uint32_t)strlen(name));
  csim_bytes_add(&c->headers, name, (ptrdiff_t)strlen(name));
  csim_bytes_add(&c->headers, &(uint8_t){(uint8_t)metadata}, 1);
  csim_bytes_add(&c->hashes, name, (ptrdiff_t)strlen(name));
  csim_bytes_add(&c->hashes, hash, 16);
}

// Writes the group of an object: properties, children, headers with the hashes of both.
// @param[out] hash  (16) of all that is below
static csim_ogawa_word write_group(abc *a, csim_ogawa_word properties, const uint8_t own[16],
                                   children *c, uint8_t hash[16]) {
  uint8_t both[32];
  csim_bytes words = {0};
  memcpy(both, own, 16);
  csim_murmur(c->hashes.n ? c->hashes.data : own, (size_t)c->hashes.n, both + 16);
  csim_bytes_add(&c->headers, both, 32);
  csim_bytes_add64(&words, properties);
  csim_bytes_add(&words, c->group.data, c->group.n);
  csim_bytes_add64(&words, csim_ogawa_data(a->file, &c->headers));
  csim_murmur(both, sizeof both, hash);
  a->keys.failed |= words.failed | c->group.failed | c->headers.failed | c->hashes.failed;
  csim_ogawa_word word = csim_ogawa_group(a->file, &words);
  free(words.data);
  free(c->group.data);
  free(c->headers.data);
  free(c->hashes.data);
  return word;
}

// Groups and materials of a mesh, each an object below it that lists its faces.
static void write_face_sets(csim_export *e, int object, children *sets) {
  abc *a = e->state;
  csim_face_set *set;
  int n = csim_face_sets(&e->object[object], &e->arena, &set);
  for (int k = 0; k < n; k++) {
    compound faces = {0}, own = {0};
    children none = {0};
    uint8_t key[16], hash[16];
    char *name = make_name(e, set[k].name);
    if (!name) return;
    ptrdiff_t begin = a->keys.n;
    property bounds = {".selfBnds", SCALAR, POD_F64, 6, MD_BOX, 0, .key = {0}}; // readers need it
    for (int i = 0; i < 6; i++) csim_bytes_add_double(&a->payload, a->object[object].box[i]);
    add_sample(a, &bounds);
    add_property(a, &faces, &bounds);
    a->keys.failed |= bounds.sample.failed;
    free(bounds.sample.data);
    for (int i = 0; i < set[k].n; i++) csim_bytes_add32(&a->payload, (uint32_t)set[k].face[i]);
    add_constant(a, &faces, (property){.name = ".faces", .pod = POD_I32, .extent = 1});
    add_compound(&own, ".faceset", MD_FACES, end_compound(a, &faces));
    csim_ogawa_word properties = end_compound(a, &own);
    if (a->keys.failed) return;
    csim_murmur(a->keys.data + begin, (size_t)(a->keys.n - begin), key);
    csim_ogawa_word group = write_group(a, properties, key, &none, hash);
    add_child(sets, group, name, MD_FACES_OBJECT, hash);
  }
}

// The `.xform` compound: bounds and, for a rigid object, a matrix.
static csim_ogawa_word write_transform(abc *a, const abc_object *o) {
  enum { MATRIX_OPERATION = 3 << 4 };
  compound c = {0};
  add_property(a, &c, &o->moving[CHILD_BOUNDS]);
  if (!o->moving[MATRIX].sample.n) return end_compound(a, &c);
  add_property(a, &c, &o->moving[INHERITS]);
  csim_bytes_add(&a->payload, &(uint8_t){MATRIX_OPERATION}, 1);
  add_constant(a, &c, (property){.name = ".ops", .kind = SCALAR, .pod = POD_U8, .extent = 1});
  add_property(a, &c, &o->moving[MATRIX]);
  csim_bytes_add(&a->payload, &(uint8_t){1}, 1);
  add_constant(
      a, &c,
      (property){.name = "isNotConstantIdentity", .kind = SCALAR, .pod = POD_BOOL, .extent = 1});
  return end_compound(a, &c);
}

// The transform of an object (identity: no properties) with its mesh below.
static void write_object(csim_export *e, int object, children *top) {
  abc *a = e->state;
  char *shape = csim_arena_print(&e->arena, "%sShape", e->file_name[object]);
  uint8_t own[16], hash[16];
  compound mesh = {0}, xform = {0};
  children sets = {0}, shapes = {0};
  a->keys.n = 0;
  write_face_sets(e, object, &sets);
  add_compound(&mesh, ".geom", MD_MESH, write_geometry(e, object));
  csim_ogawa_word properties = end_compound(a, &mesh);
  if (!shape || a->keys.failed) return;
  csim_murmur(a->keys.data, (size_t)a->keys.n, own);
  csim_ogawa_word group = write_group(a, properties, own, &sets, hash);
  add_child(&shapes, group, shape, MD_MESH_OBJECT, hash);
  a->keys.n = 0;
  add_compound(&xform, ".xform", MD_XFORM, write_transform(a, &a->object[object]));
  properties = end_compound(a, &xform);
  if (a->keys.failed) return;
  csim_murmur(a->keys.data, (size_t)a->keys.n, own);
  group = write_group(a, properties, own, &shapes, hash);
  add_child(top, group, e->file_name[object], MD_XFORM_OBJECT, hash);
}

// ---------------------------------------------------------------------------------------- archive

static csim_ogawa_word write_number(abc *a, uint32_t value) {
  a->payload.n = 0;
  csim_bytes_add32(&a->payload, value);
  csim_ogawa_word word = csim_ogawa_data(a->file, &a->payload);
  a->payload.n = 0;
  return word;
}

// A sampling of n times (8 bytes each), uniform where these are, else acyclic.
static void add_sampling(csim_bytes *p, const csim_bytes *times, int n, double step) {
  int listed = step > 0 && n ? 1 : n;
  csim_bytes_add32(p, (uint32_t)n);
  csim_bytes_add_double(p, step > 0 ? step : DBL_MAX / 32);
  csim_bytes_add32(p, (uint32_t)listed);
  csim_bytes_add(p, times->data, csim_row(8, listed));
}

// The step between times, 0 where it changes.
static double step_of(const csim_bytes *times, int n, double fps) {
  double first = n ? csim_load_f64(times->data) : 0, step = 1 / fps;
  if (n > 1) step = csim_load_f64(times->data + 8) - first;
  for (int i = 2; i < n; i++)
    if (fabs(csim_load_f64(times->data + csim_row(8, i)) - first - i * step) > 1e-6 * step)
      return 0;
  return step;
}

// Sampling 0 is Alembic's own, 1 the frames, 2 (if there are samples) frames and the times between
// them.
static csim_ogawa_word write_times(csim_export *e) {
  abc *a = e->state;
  long long stride = csim_export_stride(e);
  csim_bytes frames = {0}, *p = &a->payload;
  p->n = 0;
  csim_bytes_add32(p, 1);
  csim_bytes_add_double(p, 1);
  csim_bytes_add32(p, 1);
  csim_bytes_add_double(p, 0);
  for (int f = 0; f < e->nframe; f++)
    csim_bytes_add_double(&frames, (double)e->number[f] / e->options.fps);
  if (!frames.failed) add_sampling(p, &frames, e->nframe, (double)stride / e->options.fps);
  a->keys.failed |= frames.failed;
  free(frames.data);
  if (a->ntime) add_sampling(p, &a->times, a->ntime, step_of(&a->times, a->ntime, e->options.fps));
  csim_ogawa_word word = csim_ogawa_data(a->file, p);
  p->n = 0;
  return word;
}

static csim_ogawa_word write_text(csim_export *e) {
  abc *a = e->state;
  char fps[32], unit[32];
  csim_bytes *p = &a->payload;
  p->n = 0;
  // no date: equal runs give equal files
  static const char text[] = "_ai_AlembicVersion=1.8.3;_ai_Application=clothsim " CSIM_VERSION
                             ";_ai_DateWritten=;_ai_Description=;_ai_DCC_FPS=";
  csim_bytes_add(p, text, sizeof text - 1);
  csim_bytes_add(p, fps, csim_print_number(e->options.fps, 17, fps));
  // Alembic has no place for these; our own reader looks for them
  static const char up[] = ";clothsim_up=", metres[] = ";clothsim_metersPerUnit=";
  csim_bytes_add(p, up, sizeof up - 1);
  csim_bytes_add(p, e->options.target_up == 2 ? "z" : "y", 1);
  csim_bytes_add(p, metres, sizeof metres - 1);
  csim_bytes_add(p, unit, csim_print_number(e->options.unit, 17, unit));
  csim_ogawa_word word = csim_ogawa_data(a->file, p);
  p->n = 0;
  return word;
}

static csim_ogawa_word write_metadata(abc *a) {
  csim_bytes *p = &a->payload;
  p->n = 0;
  for (int k = 1; k < NMETADATA; k++) {
    csim_bytes_add(p, &(uint8_t){(uint8_t)strlen(METADATA[k])}, 1);
    csim_bytes_add(p, METADATA[k], (ptrdiff_t)strlen(METADATA[k]));
  }
  csim_ogawa_word word = csim_ogawa_data(a->file, p);
  p->n = 0;
  return word;
}

static csim_status write_archive(csim_export *e) {
  enum { VERSION = 10803 }; // of the library whose files these are like
  abc *a = e->state;
  children top = {0};
  csim_bytes root = {0};
  uint8_t own[16] = {0}, hash[16];
  for (int i = 0; i < e->nobject; i++) write_object(e, i, &top);
  compound properties = {0};
  a->keys.n = 0;
  if (a->bounds.sample.n) add_property(a, &properties, &a->bounds);
  csim_ogawa_word bounds = a->bounds.sample.n ? end_compound(a, &properties) : 0;
  csim_murmur("ABC", 3, own);
  csim_ogawa_word abc_group = write_group(a, bounds, own, &top, hash);
  csim_bytes_add64(&root, write_number(a, 0));
  csim_bytes_add64(&root, write_number(a, VERSION));
  csim_bytes_add64(&root, abc_group);
  csim_bytes_add64(&root, write_text(e));
  csim_bytes_add64(&root, write_times(e));
  csim_bytes_add64(&root, write_metadata(a));
  csim_ogawa_end(a->file, csim_ogawa_group(a->file, &root));
  a->keys.failed |= root.failed;
  free(root.data);
  return check_memory(e);
}

static csim_status close_abc(csim_export *e, int commit) {
  abc *a = e->state;
  csim_status status = commit ? write_archive(e) : CSIM_OK;
  if ((commit && !status) || csim_file_failed(a->file))
    status = csim_file_commit(a->file, 0);
  else
    csim_file_abandon(a->file);
  for (int i = 0; i < e->nobject; i++)
    for (int k = 0; k < NMOVING; k++) free(a->object[i].moving[k].sample.data);
  free(a->bounds.sample.data);
  free(a->times.data);
  free(a->payload.data);
  free(a->keys.data);
  return status;
}

const csim_exporter csim_export_abc = {
    .open = open_abc, .frame = write_frame, .close = close_abc, .transforms = 1};
