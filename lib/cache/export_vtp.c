// cache/export_vtp.c: VTK XML PolyData, a file for each frame and object, and a PVD collection that
// gives them times. Needs io/, zlib, base/.
//
// A point of VTK has one texture coordinate of each set and one normal. The first points are the
// vertices, in their order; what differs between a vertex's corners makes further points.
//
// Arrays are appended raw and compressed: each is u64 blocks, u64 bytes of a block, u64 bytes of
// the last one if it is shorter (else 0), u64 compressed bytes of each block, then zlib streams.
// Offsets count from behind the underscore that opens the appended data.
#include "base/bytes.h"
#include "cache/buffer.h"
#include "cache/export.h"
#include "cache/face_sets.h"
#include "cache/split.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK = 32768 };

// Data of an object during the export.
typedef struct vtp_object {
  csim_split split; // points
  int has_normal;   // at every corner
  char **uv_name;   // (nuv_set)
  csim_face_set *set;
  int nset;
} vtp_object;

typedef struct vtp {
  vtp_object *object; // (nobject)
  csim_bytes raw;     // an array's bytes, reused
  csim_bytes packed;  // the arrays of a file, reused
} vtp;

// Appends raw as a compressed array to packed, which gives its offset; -1 when out of memory.
static ptrdiff_t pack(vtp *state) {
  ptrdiff_t offset = state->packed.n, n = state->raw.n;
  uint64_t blocks = (uint64_t)(n + BLOCK - 1) / BLOCK;
  csim_bytes_add64(&state->packed, blocks);
  csim_bytes_add64(&state->packed, BLOCK);
  csim_bytes_add64(&state->packed, (uint64_t)n % BLOCK);
  ptrdiff_t sizes = state->packed.n;
  csim_bytes_add(&state->packed, NULL, (ptrdiff_t)blocks * 8);
  for (ptrdiff_t done = 0, k = 0; done < n; done += BLOCK, k++) {
    uLong size = (uLong)(n - done < BLOCK ? n - done : BLOCK);
    uLongf capacity = compressBound(size);
    uint8_t *to = csim_bytes_reserve(&state->packed, (ptrdiff_t)capacity);
    if (!to || compress2(to, &capacity, state->raw.data + done, size, 1) != Z_OK) return -1;
    state->packed.n += (ptrdiff_t)capacity;
    csim_store_u64(capacity, state->packed.data + sizes + 8 * k);
  }
  state->raw.n = 0;
  return state->packed.failed || state->raw.failed ? -1 : offset;
}

// Stores row `index` of values as floats, zeros where it is -1. @return where the next one goes
static uint8_t *store_row(const double *value, int width, int index, uint8_t *to) {
  for (int c = 0; c < width; c++, to += 4)
    csim_store_f32(index < 0 ? 0 : (float)value[csim_row(width, index) + c], to);
  return to;
}

// Appends the value of each point's vertex.
static void add_of_vertices(csim_bytes *raw, const double *value, int width,
                            const csim_split *split) {
  uint8_t *to = csim_bytes_reserve(raw, 4 * csim_row(width, split->n));
  if (!to) return;
  for (int k = 0; k < split->n; k++) to = store_row(value, width, split->vert[k], to);
  raw->n += 4 * csim_row(width, split->n);
}

// Appends the value of each point's corner, whose indices are `index`.
static void add_of_corners(csim_bytes *raw, const double *value, int width, const int *index,
                           const csim_split *split) {
  uint8_t *to = csim_bytes_reserve(raw, 4 * csim_row(width, split->n));
  if (!to) return;
  for (int k = 0; k < split->n; k++) {
    int c = split->corner[k];
    to = store_row(value, width, c < 0 ? -1 : index[c], to);
  }
  raw->n += 4 * csim_row(width, split->n);
}

static void add_longs(csim_bytes *raw, const int *value, ptrdiff_t n) {
  uint8_t *to = csim_bytes_reserve(raw, 8 * n);
  for (ptrdiff_t i = 0; to && i < n; i++) csim_store_i64(value[i], to + 8 * i);
  if (to) raw->n += 8 * n;
}

// Bytes that are 1 for the faces of a group or material.
static void add_members(csim_bytes *raw, const csim_face_set *set, int nface) {
  uint8_t *to = csim_bytes_reserve(raw, nface);
  if (!to) return;
  memset(to, 0, (size_t)nface);
  for (int k = 0; k < set->n; k++) to[set->face[k]] = 1;
  raw->n += nface;
}

static void write_escaped(csim_file *file, const char *text) {
  for (; *text; text++) {
    const char *instead = *text == '&'   ? "&amp;"
                          : *text == '<' ? "&lt;"
                          : *text == '"' ? "&quot;"
                                         : NULL;
    if (instead)
      csim_file_text(file, instead);
    else if ((unsigned char)*text >= ' ') // XML has no control characters
      csim_file_write(file, text, 1);
  }
}

static void write_array(csim_file *file, vtp *state, const char *type, const char *name,
                        int components) {
  csim_file_print(file, "<DataArray type=\"%s\" Name=\"", type);
  write_escaped(file, name);
  csim_file_text(file, "\"");
  if (components > 1) csim_file_print(file, " NumberOfComponents=\"%d\"", components);
  csim_file_print(file, " format=\"appended\" offset=\"%lld\"/>\n", (long long)pack(state));
}

// A value of each vertex, at each point.
static void write_values(csim_file *file, vtp *state, const csim_split *split, const char *name,
                         int width, const double *value) {
  if (!value) return;
  add_of_vertices(&state->raw, value, width, split);
  write_array(file, state, "Float32", name, width);
}

// What lasts over the export, at each point.
static void write_looks(csim_file *file, csim_export *e, vtp *state, int object) {
  const csim_cache_object *o = &e->object[object];
  const vtp_object *own = &state->object[object];
  if (own->split.n > o->nvert) {
    add_longs(&state->raw, own->split.vert, own->split.n);
    write_array(file, state, "Int64", "Vertex", 1);
  }
  if (o->nuv) {
    add_of_corners(&state->raw, o->uv, 2, o->face_uv, &own->split);
    write_array(file, state, "Float32", "TextureCoordinates", 2);
  }
  for (int k = 0; k < o->nuv_set; k++) {
    add_of_corners(&state->raw, o->uv_set[k].uv, 2, o->uv_set[k].face_uv, &own->split);
    write_array(file, state, "Float32", own->uv_name[k], 2);
  }
  write_values(file, state, &own->split, "Colour", 3, o->colour);
}

static void write_point_data(csim_file *file, csim_export *e, vtp *state, int object) {
  const csim_cache_object *o = &e->object[object];
  const vtp_object *own = &state->object[object];
  const csim_cache_values *now = &e->now[object];
  csim_file_print(file, "<PointData%s%s%s>\n", o->has_velocity ? " Vectors=\"Velocity\"" : "",
                  o->nuv ? " TCoords=\"TextureCoordinates\"" : "",
                  own->has_normal ? " Normals=\"Normals\"" : "");
  write_values(file, state, &own->split, "Velocity", 3, o->has_velocity ? e->v[object] : NULL);
  if (own->has_normal) {
    const double *normal = csim_export_normals(e, object, e->x[object]);
    add_of_corners(&state->raw, normal, 3, o->face_normal, &own->split);
    write_array(file, state, "Float32", "Normals", 3);
  }
  write_values(file, state, &own->split, "Pressure", 1, now->pressure);
  write_values(file, state, &own->split, "Strain", 1, now->strain);
  write_looks(file, e, state, object);
  csim_file_text(file, "</PointData>\n");
}

// Tags by number, and a mask for each group and material: "group left", "material silk".
static int write_cell_data(csim_file *file, csim_export *e, vtp *state, int object) {
  const csim_cache_object *o = &e->object[object];
  const vtp_object *own = &state->object[object];
  csim_arena scratch = {0};
  csim_file_text(file, "<CellData>\n");
  add_longs(&state->raw, o->face_tag, o->nface);
  write_array(file, state, "Int64", "Tag", 1);
  for (int k = 0; k < own->nset; k++) {
    const csim_face_set *set = &own->set[k];
    const char *name =
        csim_arena_print(&scratch, "%s %s", set->is_material ? "material" : "group", set->name);
    if (!name) break;
    add_members(&state->raw, set, o->nface);
    write_array(file, state, "UInt8", name, 1);
  }
  csim_file_text(file, "</CellData>\n");
  int bad = scratch.failed;
  csim_arena_free(&scratch);
  return bad ? -1 : 0;
}

// 0, or -1 when out of memory.
static int write_piece(csim_file *file, csim_export *e, vtp *state, int object) {
  const csim_cache_object *o = &e->object[object];
  const csim_split *split = &state->object[object].split;
  csim_file_print(file, "<Piece NumberOfPoints=\"%d\" NumberOfPolys=\"%d\">\n", split->n, o->nface);
  write_point_data(file, e, state, object);
  int bad = o->ntag ? write_cell_data(file, e, state, object) : 0;
  csim_file_text(file, "<Points>\n");
  write_values(file, state, split, "Points", 3, e->x[object]);
  csim_file_text(file, "</Points>\n<Polys>\n");
  add_longs(&state->raw, split->point, csim_corners(o));
  write_array(file, state, "Int64", "connectivity", 1);
  if (o->nface) add_longs(&state->raw, o->face_start + 1, o->nface);
  write_array(file, state, "Int64", "offsets", 1);
  csim_file_text(file, "</Polys>\n</Piece>\n");
  return bad || state->packed.failed || state->raw.failed ? -1 : 0;
}

static csim_status write_object(csim_export *e, int object, const char *path) {
  vtp *state = e->state;
  csim_file *file;
  csim_status status = csim_file_create(path, e->log, &file);
  if (status) return status;
  state->packed.n = state->raw.n = 0;
  csim_file_text(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"PolyData\" version=\"1.0\" "
                       "byte_order=\"LittleEndian\" header_type=\"UInt64\" "
                       "compressor=\"vtkZLibDataCompressor\">\n<PolyData>\n<FieldData>\n"
                       "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" "
                       "format=\"ascii\">");
  csim_file_print_number(file, (double)e->number[e->nframe - 1] / e->options.fps, 17);
  csim_file_text(file, "</DataArray>\n</FieldData>\n");
  int bad = write_piece(file, e, state, object);
  csim_file_text(file, "</PolyData>\n<AppendedData encoding=\"raw\">\n_");
  csim_file_write(file, state->packed.data, (size_t)state->packed.n);
  csim_file_text(file, "\n</AppendedData>\n</VTKFile>\n");
  if (!bad) return csim_file_commit(file, 0);
  csim_file_abandon(file);
  return csim_export_memory(e);
}

// Any name is one of VTK's.
static char *copy_name(csim_export *e, const char *name) {
  return csim_arena_copy(&e->arena, name);
}

static csim_status open_vtp(csim_export *e) {
  static const char *const reserved[] = {
      "Velocity", "TextureCoordinates", "Normals", "Colour", "Pressure", "Strain", "Vertex", NULL};
  vtp *state = e->state = CSIM_ARENA_NEW(&e->arena, vtp, 1);
  if (state) state->object = CSIM_ARENA_NEW(&e->arena, vtp_object, e->nobject);
  for (int i = 0; i < e->nobject && !e->arena.failed; i++) {
    vtp_object *own = &state->object[i];
    own->has_normal = csim_export_all_normal(e, i);
    int what = CSIM_SPLIT_VERTICES | CSIM_SPLIT_UV | CSIM_SPLIT_UV_SETS |
               (own->has_normal ? CSIM_SPLIT_NORMAL : 0);
    if (csim_split_make(&e->object[i], what, &e->arena, &own->split)) break;
    own->uv_name = csim_export_uv_names(e, i, reserved, copy_name);
    own->nset = csim_face_sets(&e->object[i], &e->arena, &own->set);
  }
  return e->arena.failed ? csim_export_memory(e) : CSIM_OK;
}

// One collection of all objects: a part each.
static csim_status write_collection(csim_export *e) {
  char path[CSIM_EXPORT_PATH];
  csim_file *file;
  if (csim_export_path(e, e->options.name, ".pvd", path)) return CSIM_INVALID;
  csim_status status = csim_file_create(path, e->log, &file);
  if (status) return status;
  csim_file_text(file, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n"
                       "<Collection>\n");
  for (int f = 0; f < e->nframe; f++)
    for (int i = 0; i < e->nobject; i++) {
      csim_file_text(file, "<DataSet timestep=\"");
      csim_file_print_number(file, (double)e->number[f] / e->options.fps, 17);
      csim_file_print(file, "\" part=\"%d\" file=\"%s_%0*lld.vtp\"/>\n", i, e->file_name[i],
                      e->digits, e->number[f]);
    }
  csim_file_text(file, "</Collection>\n</VTKFile>\n");
  return csim_file_commit(file, 0);
}

static csim_status close_vtp(csim_export *e, int commit) {
  vtp *state = e->state;
  csim_status status = commit ? write_collection(e) : CSIM_OK;
  free(state->raw.data);
  free(state->packed.data);
  return status;
}

const csim_exporter csim_export_vtp = {
    .open = open_vtp, .object = write_object, .suffix = ".vtp", .close = close_vtp};
