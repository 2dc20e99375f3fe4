// cache/export_glb.c: glTF 2.0 as binary, one file: a mesh for each object, a morph target for each
// frame behind the first. Needs io/, base/.
//
//   12 bytes: "glTF", u32 2, u32 size of the file
//    8 bytes: u32 size, "JSON"; the text, with blanks up to a multiple of 4
//    8 bytes: u32 size, "BIN\0"; arrays, each a multiple of 4
//
// A glTF vertex has one texture coordinate of each set and one normal, so vertices on seams and
// hard edges are repeated. Sets have numbers; their names are in the mesh's extras. Targets are
// differences from the first frame. They are kept in spools, because the JSON comes first in the
// file and has all positions. Lengths are metres and y is up: the root node has the conversion.
#include "base/bytes.h"
#include "cache/buffer.h"
#include "cache/export.h"
#include "cache/split.h"
#include "io/format.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INT32 = 5125, FLOAT32 = 5126 }; // types of numbers

// Data of an object.
typedef struct glb_object {
  csim_split split; // vertices of glTF, of which there are n
  int *normal_of;   // (n) number of the normal of each
  int ntri;
  int shaded;    // it has normals
  int moves;     // some frame differs from the first
  float *start;  // (n x 3) the first frame, and its normals
  float *normal; // (n x 3)
  csim_spool *spool;
  csim_bytes box; // of the deltas of each frame, 6 floats
} glb_object;

typedef struct glb {
  glb_object *object; // (nobject)
  double *smooth;     // (largest nvert x 3) normals of a frame
  float *now;         // (largest n x 3)
} glb;

// --------------------------------------------------------------------------------------- vertices

static int make_vertices(csim_export *e, int i) {
  const csim_cache_object *from = &e->object[i];
  glb_object *o = &((glb *)e->state)->object[i];
  int ncorner = csim_corners(from), has_given = csim_export_all_normal(e, i);
  int what = CSIM_SPLIT_UV | CSIM_SPLIT_UV_SETS | (has_given ? CSIM_SPLIT_NORMAL : 0) |
             (ncorner ? 0 : CSIM_SPLIT_VERTICES);
  if (csim_split_make(from, what, &e->arena, &o->split)) return -1;
  for (int f = 0; f < from->nface; f++) {
    int n = from->face_start[f + 1] - from->face_start[f];
    o->ntri += n > 2 ? n - 2 : 0;
  }
  // colliders are flat by default, as boxes are; cloth is smooth
  o->shaded = ncorner && (has_given || from->type != CSIM_CACHE_COLLIDER);
  o->start = CSIM_ARENA_NEW(&e->arena, float, csim_xyz(o->split.n));
  if (o->shaded) o->normal = CSIM_ARENA_NEW(&e->arena, float, csim_xyz(o->split.n));
  o->normal_of = o->split.vert; // of a smooth surface each vertex has one
  if (has_given) o->normal_of = CSIM_ARENA_NEW(&e->arena, int, o->split.n);
  for (int k = 0; k < o->split.n && has_given && o->normal_of; k++)
    o->normal_of[k] = from->face_normal[o->split.corner[k]];
  return e->arena.failed ? -1 : 0;
}

static csim_status close_glb(csim_export *e, int commit);

static csim_status open_glb(csim_export *e) {
  glb *g = e->state = CSIM_ARENA_NEW(&e->arena, glb, 1);
  if (g) g->object = CSIM_ARENA_NEW(&e->arena, glb_object, e->nobject);
  if (!g || !g->object) return csim_export_memory(e);
  ptrdiff_t most = 0, largest = 0;
  csim_status status = CSIM_OK;
  for (int i = 0; i < e->nobject && !status; i++) {
    if (make_vertices(e, i)) status = csim_export_memory(e);
    if (!status && !(g->object[i].spool = csim_spool_new(e))) status = CSIM_IO;
    if (e->object[i].nvert > most) most = e->object[i].nvert;
    if (g->object[i].split.n > largest) largest = g->object[i].split.n;
  }
  g->smooth = CSIM_ARENA_NEW(&e->arena, double, 3 * most);
  g->now = CSIM_ARENA_NEW(&e->arena, float, 3 * largest);
  if (!status && e->arena.failed) status = csim_export_memory(e);
  if (status) close_glb(e, 0);
  return status;
}

// ----------------------------------------------------------------------------------------- frames

// Unit normals of vertices, by area, of polygons as fans.
static void smooth_normals(const csim_cache_object *o, const double *x, double *out) {
  memset(out, 0, 3 * (size_t)o->nvert * sizeof *out);
  for (int f = 0; f < o->nface; f++)
    for (int c = o->face_start[f] + 1; c + 1 < o->face_start[f + 1]; c++) {
      const int v[3] = {o->face_vert[o->face_start[f]], o->face_vert[c], o->face_vert[c + 1]};
      double n[3];
      csim_face_normal(x, v, n);
      for (int k = 0; k < 3; k++) csim_add_scaled(1, n, out + csim_xyz(v[k]));
    }
  for (int v = 0; v < o->nvert; v++) {
    double *n = out + csim_xyz(v), length = csim_norm(n);
    for (int c = 0; c < 3; c++) n[c] = length > 0 ? n[c] / length : c == 1;
  }
}

// Values of the vertices of glTF as floats.
static void gather(const glb_object *o, const int *from, const double *value, float *out) {
  for (int k = 0; k < o->split.n; k++)
    for (int c = 0; c < 3; c++) out[3 * (ptrdiff_t)k + c] = (float)value[csim_xyz(from[k]) + c];
}

static void add_floats(csim_spool *spool, const float *value, ptrdiff_t n) {
  enum { PIECE = 1 << 12 };
  uint8_t bytes[4 * PIECE];
  for (ptrdiff_t done = 0; done < n; done += PIECE) {
    ptrdiff_t m = n - done < PIECE ? n - done : PIECE;
    for (ptrdiff_t k = 0; k < m; k++) csim_store_f32(value[done + k], bytes + 4 * k);
    csim_spool_add(spool, bytes, 4 * (size_t)m);
  }
}

// The smallest and largest of each component; 0 for what is not finite, which JSON cannot express.
static void find_box(const float *value, int n, float box[6]) {
  for (int c = 0; c < 3; c++) {
    float low = FLT_MAX, high = -FLT_MAX;
    for (ptrdiff_t k = 0; k < n; k++) {
      low = fminf(low, value[3 * k + c]);
      high = fmaxf(high, value[3 * k + c]);
    }
    box[c] = isfinite(low) && low <= high ? low : 0;
    box[3 + c] = isfinite(high) && low <= high ? high : 0;
  }
}

// Subtracts `start` from `value`; returns whether the result is not zero.
static int take_delta(glb_object *o, const float *start, float *value) {
  int differs = 0;
  for (ptrdiff_t k = 0; k < csim_xyz(o->split.n); k++) {
    value[k] = (float)((double)value[k] - (double)start[k]);
    differs |= value[k] != 0;
  }
  add_floats(o->spool, value, csim_xyz(o->split.n));
  return differs;
}

static csim_status write_frame(csim_export *e) {
  glb *g = e->state;
  int failed = 0;
  for (int i = 0; i < e->nobject; i++) {
    const csim_cache_object *from = &e->object[i];
    glb_object *o = &g->object[i];
    int first = e->nframe == 1, has_given = csim_export_all_normal(e, i);
    gather(o, o->split.vert, e->x[i], first ? o->start : g->now);
    if (!first) {
      float box[6];
      o->moves |= take_delta(o, o->start, g->now);
      find_box(g->now, o->split.n, box);
      for (int k = 0; k < 6; k++) csim_bytes_add32(&o->box, csim_float_bits(box[k]));
    }
    failed |= o->box.failed;
    if (!o->shaded) continue;
    if (!has_given) smooth_normals(from, e->x[i], g->smooth);
    gather(o, o->normal_of, has_given ? csim_export_normals(e, i, e->x[i]) : g->smooth,
           first ? o->normal : g->now);
    if (!first) take_delta(o, o->normal, g->now);
  }
  return failed ? csim_export_memory(e) : CSIM_OK;
}

// ------------------------------------------------------------------------------------------- text

// The text of the file, and the present end of its arrays. An array is both accessor and view.
typedef struct text {
  csim_bytes accessors, views, nodes, meshes;
  int narray;
  uint64_t bytes;
} text;

static void print(csim_bytes *to, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Appends text, which has no floating point in it.
static void print(csim_bytes *to, const char *format, ...) {
  char line[512];
  va_list list;
  va_start(list, format);
  int n = vsnprintf(line, sizeof line, format, list);
  va_end(list);
  csim_bytes_add(to, line, n);
}

static void print_numbers(csim_bytes *to, const float *value, int n) {
  char number[32];
  for (int k = 0; k < n; k++) {
    if (k) print(to, ",");
    csim_bytes_add(to, number, csim_format_number((double)value[k], 9, number));
  }
}

// A name in quotes.
static void print_name(csim_bytes *to, const char *name) {
  print(to, "\"");
  for (; *name; name++) {
    if (*name == '"' || *name == '\\') print(to, "\\");
    if ((unsigned char)*name >= ' ') csim_bytes_add(to, name, 1);
  }
  print(to, "\"");
}

// Adds an array of n elements. @return its number
static int add_array(text *t, const char *type, int component, ptrdiff_t n, const float *box) {
  int width = *type == 'S' ? 1 : type[3] - '0';
  uint64_t size = 4 * (uint64_t)width * (uint64_t)n;
  const char *comma = t->narray ? "," : "";
  print(&t->views, "%s{\"buffer\":0,\"byteOffset\":%llu,\"byteLength\":%llu}", comma,
        (unsigned long long)t->bytes, (unsigned long long)size);
  print(&t->accessors, "%s{\"bufferView\":%d,\"componentType\":%d,\"count\":%td,\"type\":\"%s\"",
        comma, t->narray, component, n, type);
  if (box) {
    print(&t->accessors, ",\"min\":[");
    print_numbers(&t->accessors, box, width);
    print(&t->accessors, "],\"max\":[");
    print_numbers(&t->accessors, box + width, width);
    print(&t->accessors, "]");
  }
  print(&t->accessors, "}");
  t->bytes += size;
  return t->narray++;
}

static void print_targets(const csim_export *e, const glb_object *o, text *t) {
  print(&t->meshes, ",\"targets\":[");
  for (int f = 1; f < e->nframe; f++) {
    float box[6];
    for (int k = 0; k < 6; k++)
      box[k] = csim_bits_float(csim_load_u32(o->box.data + 24 * (ptrdiff_t)(f - 1) + 4 * k));
    print(&t->meshes, "%s{\"POSITION\":%d", f > 1 ? "," : "",
          add_array(t, "VEC3", FLOAT32, o->split.n, box));
    if (o->shaded)
      print(&t->meshes, ",\"NORMAL\":%d", add_array(t, "VEC3", FLOAT32, o->split.n, NULL));
    print(&t->meshes, "}");
  }
  print(&t->meshes, "]");
}

// The sets of texture coordinates of an object: the first, where it has one, and the further ones.
static int count_sets(const csim_cache_object *from) {
  return (from->nuv > 0) + from->nuv_set;
}

static csim_uv_set get_set(const csim_cache_object *from, int k) {
  if (from->nuv && !k)
    return (csim_uv_set){.name = "uv", .n = from->nuv, .uv = from->uv, .face_uv = from->face_uv};
  return from->uv_set[k - (from->nuv > 0)];
}

// The names of the sets, in the order of their numbers, where there are several.
static void print_set_names(const csim_cache_object *from, text *t) {
  int n = count_sets(from);
  if (!from->nuv_set) return;
  print(&t->meshes, ",\"extras\":{\"uv_sets\":[");
  for (int k = 0; k < n; k++) {
    if (k) print(&t->meshes, ",");
    print_name(&t->meshes, get_set(from, k).name);
  }
  print(&t->meshes, "]}");
}

// An object as a node and a mesh. Its arrays come in the order in which write_arrays writes them.
static void print_object(const csim_export *e, int i, text *t) {
  const csim_cache_object *from = &e->object[i];
  const glb_object *o = &((glb *)e->state)->object[i];
  float box[6];
  find_box(o->start, o->split.n, box);
  print(&t->nodes, "%s{\"mesh\":%d,\"name\":", i ? "," : "", i);
  print_name(&t->nodes, from->name);
  print(&t->nodes, "}");
  print(&t->meshes, "%s{\"name\":", i ? "," : "");
  print_name(&t->meshes, from->name);
  print(&t->meshes, ",\"primitives\":[{\"mode\":%d,\"material\":%d", o->ntri ? 4 : 0,
        from->type == CSIM_CACHE_COLLIDER);
  if (o->ntri)
    print(&t->meshes, ",\"indices\":%d",
          add_array(t, "SCALAR", INT32, 3 * (ptrdiff_t)o->ntri, NULL));
  print(&t->meshes, ",\"attributes\":{\"POSITION\":%d",
        add_array(t, "VEC3", FLOAT32, o->split.n, box));
  if (o->shaded)
    print(&t->meshes, ",\"NORMAL\":%d", add_array(t, "VEC3", FLOAT32, o->split.n, NULL));
  for (int k = 0; k < count_sets(from); k++)
    print(&t->meshes, ",\"TEXCOORD_%d\":%d", k, add_array(t, "VEC2", FLOAT32, o->split.n, NULL));
  if (from->colour)
    print(&t->meshes, ",\"COLOR_0\":%d", add_array(t, "VEC3", FLOAT32, o->split.n, NULL));
  print(&t->meshes, "}");
  if (o->moves) print_targets(e, o, t);
  print(&t->meshes, "}]");
  print_set_names(from, t);
  print(&t->meshes, "}");
}

// The weight of each frame's target over time, for all objects that move.
static void print_animation(const csim_export *e, text *t, csim_bytes *out) {
  const glb *g = e->state;
  int n = 0;
  for (int i = 0; i < e->nobject; i++) n += g->object[i].moves;
  if (!n) return;
  float box[2] = {0, (float)((double)(e->number[e->nframe - 1] - e->number[0]) / e->options.fps)};
  int times = add_array(t, "SCALAR", FLOAT32, e->nframe, box);
  int weights = add_array(t, "SCALAR", FLOAT32, (ptrdiff_t)e->nframe * (e->nframe - 1), NULL);
  print(out, ",\"animations\":[{\"samplers\":[{\"input\":%d,\"output\":%d}],\"channels\":[", times,
        weights);
  for (int i = 0, k = 0; i < e->nobject; i++)
    if (g->object[i].moves)
      print(out, "%s{\"sampler\":0,\"target\":{\"node\":%d,\"path\":\"weights\"}}", k++ ? "," : "",
            i);
  print(out, "]}]");
}

// All of the text but for blanks at its end.
static void print_all(csim_export *e, text *t, csim_bytes *out) {
  csim_bytes animation = {0}, *const part[] = {&t->nodes, &t->meshes, &t->accessors, &t->views};
  static const char *const name[] = {"nodes", "meshes", "accessors", "bufferViews"};
  for (int i = 0; i < e->nobject; i++) print_object(e, i, t);
  print_animation(e, t, &animation);
  print(&t->nodes, ",{\"children\":[");
  for (int i = 0; i < e->nobject; i++) print(&t->nodes, "%s%d", i ? "," : "", i);
  print(&t->nodes, "]");
  if (e->options.target_up == 2)
    print(&t->nodes, ",\"rotation\":[-0.70710678118654757,0,0,0.70710678118654757]");
  if (e->options.unit != 1) {
    float unit[3] = {(float)e->options.unit, (float)e->options.unit, (float)e->options.unit};
    print(&t->nodes, ",\"scale\":[");
    print_numbers(&t->nodes, unit, 3);
    print(&t->nodes, "]");
  }
  print(&t->nodes, "}");
  print(out,
        "{\"asset\":{\"version\":\"2.0\",\"generator\":\"clothsim " CSIM_VERSION
        "\"},\"scene\":0,\"scenes\":[{\"nodes\":[%d],\"name\":",
        e->nobject);
  print_name(out, e->options.name);
  print(out, "}],");
  print(out,
        "\"materials\":[{\"doubleSided\":true,\"pbrMetallicRoughness\":{\"metallicFactor\":0}},"
        "{\"pbrMetallicRoughness\":{\"metallicFactor\":0}}],");
  print(out, "\"buffers\":[{\"byteLength\":%llu}]", (unsigned long long)t->bytes);
  for (int k = 0; k < 4; k++) {
    print(out, ",\"%s\":[", name[k]);
    csim_bytes_add(out, part[k]->data, part[k]->n);
    print(out, "]");
    out->failed |= part[k]->failed;
    free(part[k]->data);
  }
  csim_bytes_add(out, animation.data, animation.n);
  out->failed |= animation.failed;
  free(animation.data);
  print(out, "}");
  while (out->n % 4 && !out->failed) print(out, " ");
}

// ----------------------------------------------------------------------------------------- arrays

static void write_word(csim_file *file, uint32_t value) {
  unsigned char word[4];
  csim_store_u32(value, word);
  csim_file_write(file, word, 4);
}

static void write_float(csim_file *file, double value) {
  write_word(file, csim_float_bits((float)value));
}

// glTF's v goes down.
static void write_set(csim_file *file, const glb_object *o, const csim_uv_set *set) {
  for (int k = 0; k < o->split.n; k++) {
    int c = o->split.corner[k], t = c < 0 ? -1 : set->face_uv[c];
    const double *uv = t < 0 ? (const double[2]){0, 0} : set->uv + csim_row(2, t);
    write_float(file, uv[0]);
    write_float(file, 1 - uv[1]);
  }
}

static int write_arrays(csim_export *e, csim_file *file, int i) {
  const csim_cache_object *from = &e->object[i];
  const glb_object *o = &((glb *)e->state)->object[i];
  for (int f = 0; f < from->nface; f++)
    for (int c = from->face_start[f] + 1; c + 1 < from->face_start[f + 1]; c++) {
      write_word(file, (uint32_t)o->split.point[from->face_start[f]]);
      write_word(file, (uint32_t)o->split.point[c]);
      write_word(file, (uint32_t)o->split.point[c + 1]);
    }
  for (ptrdiff_t k = 0; k < csim_xyz(o->split.n); k++) write_float(file, (double)o->start[k]);
  for (ptrdiff_t k = 0; k < csim_xyz(o->split.n) && o->shaded; k++)
    write_float(file, (double)o->normal[k]);
  for (int k = 0; k < count_sets(from); k++) {
    csim_uv_set set = get_set(from, k);
    write_set(file, o, &set);
  }
  for (ptrdiff_t k = 0; k < csim_xyz(o->split.n) && from->colour; k++)
    write_float(file, from->colour[csim_xyz(o->split.vert[k / 3]) + k % 3]);
  return o->moves ? csim_spool_copy(o->spool, e, file) : 0;
}

static void write_animation(csim_export *e, csim_file *file) {
  int moves = 0;
  for (int i = 0; i < e->nobject; i++) moves |= ((glb *)e->state)->object[i].moves;
  for (int f = 0; f < e->nframe && moves; f++)
    write_float(file, (double)(e->number[f] - e->number[0]) / e->options.fps);
  for (int f = 0; f < e->nframe && moves; f++)
    for (int k = 1; k < e->nframe; k++) write_float(file, k == f);
}

static csim_status write_file(csim_export *e) {
  char path[CSIM_EXPORT_PATH];
  text t = {.bytes = 0};
  csim_bytes json = {0};
  csim_file *file = NULL;
  if (!e->nframe) return CSIM_OK;
  if (csim_export_path(e, e->options.name, ".glb", path)) return CSIM_INVALID;
  print_all(e, &t, &json);
  uint64_t size = 28 + (uint64_t)json.n + t.bytes;
  csim_status status = json.failed ? csim_export_memory(e) : CSIM_OK;
  if (!status && size > UINT32_MAX)
    status =
        csim_refuse(e->log, csim_in_file(path),
                    "would have %.1f GB, and glTF has 4 at most: export fewer frames or objects",
                    (double)size / 1e9);
  if (!status) status = csim_file_create(path, e->log, &file);
  if (status) goto done;
  csim_file_text(file, "glTF");
  write_word(file, 2);
  write_word(file, (uint32_t)size);
  write_word(file, (uint32_t)json.n);
  csim_file_text(file, "JSON");
  csim_file_write(file, json.data, (size_t)json.n);
  write_word(file, (uint32_t)t.bytes);
  csim_file_write(file, "BIN", 4);
  for (int i = 0; i < e->nobject && !status; i++)
    if (write_arrays(e, file, i)) status = CSIM_IO;
  write_animation(e, file);
  if (!status)
    status = csim_file_commit(file, 0);
  else
    csim_file_abandon(file);
done:
  free(json.data);
  return status;
}

static csim_status close_glb(csim_export *e, int commit) {
  glb *g = e->state;
  csim_status status = commit ? write_file(e) : CSIM_OK;
  for (int i = 0; i < e->nobject; i++) {
    csim_spool_free(g->object[i].spool);
    free(g->object[i].box.data);
  }
  return status;
}

const csim_exporter csim_export_glb = {.open = open_glb, .frame = write_frame, .close = close_glb};
