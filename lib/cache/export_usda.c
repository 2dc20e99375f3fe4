// cache/export_usda.c: USD as text, one file with a Mesh for each object. Needs io/, base/.
//
// In a Mesh all points come before all velocities, so both are kept in spools, as text.
#include "cache/buffer.h"
#include "cache/export.h"
#include "cache/face_sets.h"
#include "io/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Data of an object during the export.
typedef struct usda_object {
  char *name; // a USD identifier, different for each object
  csim_spool *points, *velocities, *pressure, *strain, *normals;
  int has_normals;    // at every corner
  char **uv_name;     // (nuv_set) of primvars
  csim_bytes extents; // text
  csim_bytes poses;   // text, of what moves as a whole
} usda_object;

// A USD identifier: a letter or _ first, then letters, digits and _.
static char *make_identifier(csim_export *e, const char *from) {
  char *name = csim_arena_print(&e->arena, "%s%s", *from >= '0' && *from <= '9' ? "_" : "", from);
  for (char *c = name; c && *c; c++)
    if (*c == '-' || *c == '.') *c = '_';
  return name;
}

// The same for any text: characters other than letters and digits become _.
static char *make_plain_identifier(csim_export *e, const char *from) {
  char *plain = csim_arena_copy(&e->arena, from);
  for (char *c = plain; c && *c; c++)
    if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
      *c = '_';
  return plain ? make_identifier(e, plain) : NULL;
}

static csim_status close_usda(csim_export *e, int commit);

static csim_status open_usda(csim_export *e) {
  static const char *const reserved[] = {"st",      "pressure",     "strain",
                                         "normals", "displayColor", NULL};
  usda_object *object = e->state = CSIM_ARENA_NEW(&e->arena, usda_object, e->nobject);
  if (!object) return csim_export_memory(e);
  for (int i = 0; i < e->nobject; i++) {
    object[i].name = make_identifier(e, e->file_name[i]);
    for (int k = 0; k < i && object[i].name; k++)
      if (!strcmp(object[i].name, object[k].name)) {
        object[i].name = csim_arena_print(&e->arena, "%s_%d", object[i].name, i);
        k = -1;
      }
    const csim_cache_object *o = &e->object[i];
    csim_spool **spool[] = {&object[i].points, &object[i].velocities, &object[i].pressure,
                            &object[i].strain, &object[i].normals};
    object[i].has_normals = csim_export_all_normal(e, i);
    object[i].uv_name = csim_export_uv_names(e, i, reserved, make_plain_identifier);
    const int wanted[] = {1, o->has_velocity, o->has_pressure, o->has_strain,
                          object[i].has_normals};
    int bad = 0;
    for (int k = 0; k < 5 && !bad; k++)
      if (wanted[k]) bad = !(*spool[k] = csim_spool_new(e));
    if (bad || e->arena.failed) {
      csim_status status = e->arena.failed ? csim_export_memory(e) : CSIM_IO;
      close_usda(e, 0);
      return status;
    }
  }
  return CSIM_OK;
}

// ------------------------------------------------------------------------------------------- text

// "(x, y, z)" with every bit of the floats.
static size_t print_vector(const double *value, int n, char *text) {
  char *p = text;
  *p++ = '(';
  for (int c = 0; c < n; c++) {
    if (c) {
      *p++ = ',';
      *p++ = ' ';
    }
    p += csim_format_number((double)(float)value[c], 9, p);
  }
  *p++ = ')';
  return (size_t)(p - text);
}

// "        12: [": a time code and the start of its value.
static size_t print_time(double code, char *text) {
  char number[32];
  number[csim_format_number(code, 17, number)] = 0;
  return (size_t)snprintf(text, 64, "        %s: [", number);
}

// "        12: [(...), ...],\n"; width 1: plain numbers
static void spool_sample(csim_spool *spool, double code, const double *value, int width, int n) {
  enum { PIECE = 1 << 15, VECTOR = 128 };
  char text[PIECE + VECTOR];
  size_t used = print_time(code, text);
  for (ptrdiff_t i = 0; i < n; i++) {
    if (i) {
      text[used++] = ',';
      text[used++] = ' ';
    }
    used += width == 1 ? (size_t)csim_format_number((double)(float)value[i], 9, text + used)
                       : print_vector(value + 3 * i, 3, text + used);
    if (used > PIECE) {
      csim_spool_add(spool, text, used);
      used = 0;
    }
  }
  memcpy(text + used, "],\n", 3);
  csim_spool_add(spool, text, used + 3);
}

static void add_extent(csim_bytes *text, double code, const double *x, int n) {
  double low[3] = {x[0], x[1], x[2]}, high[3] = {x[0], x[1], x[2]};
  for (ptrdiff_t i = 1; i < n; i++)
    for (int c = 0; c < 3; c++) {
      if (x[3 * i + c] < low[c]) low[c] = x[3 * i + c];
      if (x[3 * i + c] > high[c]) high[c] = x[3 * i + c];
    }
  char line[320];
  size_t used = print_time(code, line);
  used += print_vector(low, 3, line + used);
  memcpy(line + used, ", ", 2);
  used += 2 + print_vector(high, 3, line + used + 2);
  memcpy(line + used, "],\n", 3);
  csim_bytes_add(text, line, (ptrdiff_t)used + 3);
}

// "        12: ( (a, b, c, d), ... ),\n"
static void add_pose(csim_bytes *text, double code, const double m[16]) {
  char line[16 * 32 + 128], number[32];
  number[csim_format_number(code, 17, number)] = 0;
  int used = snprintf(line, sizeof line, "        %s: (", number);
  for (int k = 0; k < 16; k++) {
    used += snprintf(line + used, sizeof line - (size_t)used, "%s",
                     k == 0       ? " ("
                     : k % 4 == 0 ? "), ("
                                  : ", ");
    used += csim_format_number(m[k], 17, line + used);
  }
  used += snprintf(line + used, sizeof line - (size_t)used, ") ),\n");
  csim_bytes_add(text, line, used);
}

// Where an object is, and (once) its points below that.
static void write_pose(csim_export *e, int i, double code, const double *x) {
  usda_object *o = (usda_object *)e->state + i;
  double m[16];
  int first = o->poses.n == 0, n = e->object[i].nvert;
  csim_export_pose(e, i, x, m);
  add_pose(&o->poses, code, m);
  if (!first) return;
  x = e->local[i];
  spool_sample(o->points, code, x, 3, n);
  if (o->has_normals)
    spool_sample(o->normals, code, csim_export_normals(e, i, x), 3, e->normals[i].n);
  add_extent(&o->extents, code, x, n);
}

static csim_status write_frame(csim_export *e) {
  usda_object *object = e->state;
  long long number = e->number[e->nframe - 1];
  for (int i = 0; i < e->nobject; i++) {
    const csim_cache_values *now = &e->now[i];
    int n = e->object[i].nvert, nsample = now->sample_x ? e->object[i].nsample : 0;
    for (int s = 0; s <= nsample; s++) {
      double code = s < nsample ? (double)number + e->options.share[s] : (double)number;
      ptrdiff_t at = csim_xyz(n) * s;
      const double *x = s < nsample ? now->sample_x + at : e->x[i];
      if (e->local[i]) {
        write_pose(e, i, code, x);
        continue;
      }
      const double *v = s == nsample ? e->v[i] : now->sample_v ? now->sample_v + at : NULL;
      spool_sample(object[i].points, code, x, 3, n);
      if (v) spool_sample(object[i].velocities, code, v, 3, n);
      if (object[i].has_normals)
        spool_sample(object[i].normals, code, csim_export_normals(e, i, x), 3, e->normals[i].n);
      add_extent(&object[i].extents, code, x, n);
    }
    if (now->pressure) spool_sample(object[i].pressure, (double)number, now->pressure, 1, n);
    if (now->strain) spool_sample(object[i].strain, (double)number, now->strain, 1, n);
    if (object[i].extents.failed || object[i].poses.failed) return csim_export_memory(e);
  }
  return CSIM_OK;
}

static void write_ints(csim_file *file, const char *name, const int *value, ptrdiff_t n) {
  csim_file_print(file, "    %s = [", name);
  for (ptrdiff_t i = 0; i < n; i++) {
    char *start = csim_file_reserve(file, 32), *p = start;
    if (i) {
      *p++ = ',';
      *p++ = ' ';
    }
    p += csim_format_integer(value[i], p);
    csim_file_advance(file, (size_t)(p - start));
  }
  csim_file_text(file, "]\n");
}

static int write_uv(csim_export *e, csim_file *file, int object, const char *name,
                    const csim_uv_set *set) {
  int nuv, *index;
  double *uv;
  char indices[512];
  if (csim_export_corner_uv(e, object, set, &nuv, &uv, &index)) return -1;
  csim_file_print(file, "    texCoord2f[] primvars:%s = [", name);
  for (ptrdiff_t i = 0; i < nuv; i++) {
    char *to = csim_file_reserve(file, 128);
    size_t used = i ? 2 : 0;
    if (i) memcpy(to, ", ", 2);
    csim_file_advance(file, used + print_vector(uv + 2 * i, 2, to + used));
  }
  csim_file_text(file, "] (\n        interpolation = \"faceVarying\"\n    )\n");
  snprintf(indices, sizeof indices, "int[] primvars:%s:indices", name);
  write_ints(file, indices, index, csim_corners(&e->object[object]));
  return 0;
}

static int write_topology(csim_export *e, csim_file *file, int object) {
  const csim_cache_object *o = &e->object[object];
  int *count = CSIM_ARENA_NEW(&e->arena, int, o->nface);
  if (!count) return -1;
  for (int f = 0; f < o->nface; f++) count[f] = o->face_start[f + 1] - o->face_start[f];
  write_ints(file, "int[] faceVertexCounts", count, o->nface);
  write_ints(file, "int[] faceVertexIndices", o->face_vert, csim_corners(o));
  csim_file_text(file, "    uniform token orientation = \"rightHanded\"\n"
                       "    uniform token subdivisionScheme = \"none\"\n");
  csim_uv_set first = {.n = o->nuv, .uv = o->uv, .face_uv = o->face_uv};
  int bad = o->nuv && write_uv(e, file, object, "st", &first);
  for (int k = 0; k < o->nuv_set && !bad; k++)
    bad = write_uv(e, file, object, ((usda_object *)e->state)[object].uv_name[k], &o->uv_set[k]);
  return bad ? -1 : 0;
}

// A text in quotes; characters that it cannot have are left out.
static void write_quoted(csim_file *file, const char *text) {
  csim_file_text(file, "\"");
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') csim_file_text(file, "\\");
    if ((unsigned char)*text >= ' ') csim_file_write(file, text, 1);
  }
  csim_file_text(file, "\"");
}

// Groups and materials of a mesh as subsets of its faces.
static int write_subsets(csim_export *e, csim_file *file, int object) {
  csim_face_set *set;
  int n = csim_face_sets(&e->object[object], &e->arena, &set), material = 0;
  char **name = n < 0 ? NULL : CSIM_ARENA_NEW(&e->arena, char *, n);
  if (!name) return -1;
  for (int k = 0; k < n; k++) {
    name[k] = make_plain_identifier(e, set[k].name);
    for (int i = 0; i < k && name[k]; i++)
      if (!strcmp(name[k], name[i])) {
        name[k] = csim_arena_print(&e->arena, "%s_%d", name[k], k);
        i = -1;
      }
    if (!name[k]) return -1;
    if (set[k].is_material && !material++)
      csim_file_text(file, "    uniform token subsetFamily:materialBind:familyType = "
                           "\"nonOverlapping\"\n");
    csim_file_print(file, "\n    def GeomSubset \"%s\" (\n        displayName = ", name[k]);
    write_quoted(file, set[k].name);
    csim_file_print(file,
                    "\n    )\n    {\n    uniform token elementType = \"face\"\n"
                    "    uniform token familyName = \"%s\"\n",
                    set[k].is_material ? "materialBind" : "group");
    write_ints(file, "int[] indices", set[k].face, set[k].n);
    csim_file_text(file, "    }\n");
  }
  return 0;
}

static int write_normals(csim_export *e, csim_file *file, int object) {
  usda_object *o = (usda_object *)e->state + object;
  if (!o->has_normals) return 0;
  csim_file_text(file, "    normal3f[] primvars:normals (\n        interpolation = "
                       "\"faceVarying\"\n    )\n    normal3f[] primvars:normals.timeSamples = {\n");
  if (csim_spool_copy(o->normals, e, file)) return -1;
  csim_file_text(file, "    }\n");
  write_ints(file, "int[] primvars:normals:indices", e->object[object].face_normal,
             csim_corners(&e->object[object]));
  return 0;
}

static void write_colours(csim_file *file, const csim_cache_object *o) {
  if (!o->colour) return;
  csim_file_text(file, "    color3f[] primvars:displayColor = [");
  for (ptrdiff_t i = 0; i < o->nvert; i++) {
    char *to = csim_file_reserve(file, 128);
    size_t used = i ? 2 : 0;
    if (i) memcpy(to, ", ", 2);
    csim_file_advance(file, used + print_vector(o->colour + 3 * i, 3, to + used));
  }
  csim_file_text(file, "] (\n        interpolation = \"vertex\"\n    )\n");
}

static csim_status write_object(csim_export *e, csim_file *file, int object) {
  usda_object *o = (usda_object *)e->state + object;
  csim_file_print(file, "\ndef Mesh \"%s\" (\n    displayName = ", o->name);
  write_quoted(file, e->object[object].name);
  csim_file_print(file, "\n)\n{\n    uniform bool doubleSided = %d\n",
                  e->object[object].type == CSIM_CACHE_CLOTH ||
                      e->object[object].type == CSIM_CACHE_RENDER);
  if (o->poses.n) {
    csim_file_text(file, "    matrix4d xformOp:transform.timeSamples = {\n");
    csim_file_write(file, o->poses.data, (size_t)o->poses.n);
    csim_file_text(file, "    }\n    uniform token[] xformOpOrder = [\"xformOp:transform\"]\n");
  }
  csim_file_text(file, "    float3[] extent.timeSamples = {\n");
  csim_file_write(file, o->extents.data, (size_t)o->extents.n);
  csim_file_text(file, "    }\n");
  if (write_topology(e, file, object)) return csim_export_memory(e);
  csim_file_text(file, "    point3f[] points.timeSamples = {\n");
  if (csim_spool_copy(o->points, e, file)) return CSIM_IO;
  csim_file_text(file, "    }\n");
  if (o->velocities) {
    csim_file_text(file, "    vector3f[] velocities.timeSamples = {\n");
    if (csim_spool_copy(o->velocities, e, file)) return CSIM_IO;
    csim_file_text(file, "    }\n");
  }
  if (write_normals(e, file, object)) return CSIM_IO;
  write_colours(file, &e->object[object]);
  csim_spool *const scalar[2] = {o->pressure, o->strain};
  for (int k = 0; k < 2; k++) {
    if (!scalar[k]) continue;
    const char *name = k ? "strain" : "pressure";
    csim_file_print(file, "    float[] primvars:%s (\n        interpolation = \"vertex\"\n    )\n",
                    name);
    csim_file_print(file, "    float[] primvars:%s.timeSamples = {\n", name);
    if (csim_spool_copy(scalar[k], e, file)) return CSIM_IO;
    csim_file_text(file, "    }\n");
  }
  if (write_subsets(e, file, object)) return csim_export_memory(e);
  csim_file_text(file, "}\n");
  return CSIM_OK;
}

static void write_layer(csim_export *e, csim_file *file, const char *root) {
  const csim_export_options *o = &e->options;
  csim_file_print(file, "#usda 1.0\n(\n    defaultPrim = \"%s\"\n    endTimeCode = %lld\n", root,
                  e->nframe ? e->number[e->nframe - 1] : 0);
  csim_file_text(file, "    framesPerSecond = ");
  csim_file_print_number(file, o->fps, 17);
  csim_file_text(file, "\n    metersPerUnit = ");
  csim_file_print_number(file, o->unit, 17);
  csim_file_print(file, "\n    startTimeCode = %lld\n", e->nframe ? e->number[0] : 0);
  csim_file_text(file, "    timeCodesPerSecond = ");
  csim_file_print_number(file, o->fps, 17);
  csim_file_print(file, "\n    upAxis = \"%s\"\n)\n\ndef Xform \"%s\"\n{\n",
                  o->target_up == 2 ? "Z" : "Y", root);
}

static csim_status write_file(csim_export *e) {
  char path[CSIM_EXPORT_PATH];
  csim_file *file;
  char *root = make_plain_identifier(e, e->options.name);
  if (!root) return csim_export_memory(e);
  if (csim_export_path(e, e->options.name, ".usda", path)) return CSIM_INVALID;
  csim_status status = csim_file_create(path, e->log, &file);
  if (status) return status;
  write_layer(e, file, root);
  for (int i = 0; i < e->nobject && !status; i++) status = write_object(e, file, i);
  csim_file_text(file, "}\n");
  if (!status) return csim_file_commit(file, 0);
  csim_file_abandon(file);
  return status;
}

static csim_status close_usda(csim_export *e, int commit) {
  usda_object *object = e->state;
  csim_status status = commit ? write_file(e) : CSIM_OK;
  for (int i = 0; i < e->nobject; i++) {
    csim_spool_free(object[i].points);
    csim_spool_free(object[i].velocities);
    csim_spool_free(object[i].pressure);
    csim_spool_free(object[i].strain);
    csim_spool_free(object[i].normals);
    free(object[i].extents.data);
    free(object[i].poses.data);
  }
  return status;
}

const csim_exporter csim_export_usda = {
    .open = open_usda, .frame = write_frame, .close = close_usda, .transforms = 1};
