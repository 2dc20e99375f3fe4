// cache/export_vtp.c: VTK XML PolyData, a file for each frame and object, and a PVD collection that
// gives them times. Needs io/, zlib, base/.
//
// Arrays are appended raw and compressed: each is u64 blocks, u64 bytes of a block, u64 bytes of
// the last one if it is shorter (else 0), u64 compressed bytes of each block, then zlib streams.
// Offsets count from behind the underscore that opens the appended data.
#include "base/bytes.h"
#include "cache/buffer.h"
#include "cache/export.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BLOCK = 32768 };

// What lasts over the export.
typedef struct vtp {
  double **uv;       // (nobject) by vertex, NULL where there are seams or none
  csim_bytes raw;    // an array's bytes, reused
  csim_bytes packed; // the arrays of a file, reused
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

static void add_floats(csim_bytes *raw, const double *value, ptrdiff_t n) {
  uint8_t *to = csim_bytes_reserve(raw, 4 * n);
  for (ptrdiff_t i = 0; to && i < n; i++) csim_store_f32((float)value[i], to + 4 * i);
  if (to) raw->n += 4 * n;
}

static void add_longs(csim_bytes *raw, const int *value, ptrdiff_t n) {
  uint8_t *to = csim_bytes_reserve(raw, 8 * n);
  for (ptrdiff_t i = 0; to && i < n; i++) csim_store_i64(value[i], to + 8 * i);
  if (to) raw->n += 8 * n;
}

static void write_array(csim_file *file, vtp *state, const char *type, const char *name,
                        int components) {
  csim_file_print(file, "<DataArray type=\"%s\" Name=\"%s\"", type, name);
  if (components > 1) csim_file_print(file, " NumberOfComponents=\"%d\"", components);
  csim_file_print(file, " format=\"appended\" offset=\"%lld\"/>\n", (long long)pack(state));
}

static void write_point_data(csim_file *file, csim_export *e, vtp *state, int object) {
  const csim_cache_object *o = &e->object[object];
  const double *uv = state->uv[object];
  const csim_cache_values *now = &e->now[object];
  if (!o->has_velocity && !uv && !now->pressure && !now->strain) return;
  csim_file_print(file, "<PointData%s%s>\n", o->has_velocity ? " Vectors=\"Velocity\"" : "",
                  uv ? " TCoords=\"TextureCoordinates\"" : "");
  if (o->has_velocity) {
    add_floats(&state->raw, e->v[object], csim_xyz(o->nvert));
    write_array(file, state, "Float32", "Velocity", 3);
  }
  if (uv) {
    add_floats(&state->raw, uv, csim_row(2, o->nvert));
    write_array(file, state, "Float32", "TextureCoordinates", 2);
  }
  const double *const scalar[2] = {now->pressure, now->strain};
  for (int k = 0; k < 2; k++) {
    if (!scalar[k]) continue;
    add_floats(&state->raw, scalar[k], o->nvert);
    write_array(file, state, "Float32", k ? "Strain" : "Pressure", 1);
  }
  csim_file_text(file, "</PointData>\n");
}

static void write_piece(csim_file *file, csim_export *e, vtp *state, int object) {
  const csim_cache_object *o = &e->object[object];
  csim_file_print(file, "<Piece NumberOfPoints=\"%d\" NumberOfPolys=\"%d\">\n", o->nvert, o->nface);
  write_point_data(file, e, state, object);
  if (o->ntag) {
    csim_file_text(file, "<CellData>\n");
    add_longs(&state->raw, o->face_tag, o->nface);
    write_array(file, state, "Int64", "Tag", 1);
    csim_file_text(file, "</CellData>\n");
  }
  csim_file_text(file, "<Points>\n");
  add_floats(&state->raw, e->x[object], csim_xyz(o->nvert));
  write_array(file, state, "Float32", "Points", 3);
  csim_file_text(file, "</Points>\n<Polys>\n");
  add_longs(&state->raw, o->face_vert, csim_corners(o));
  write_array(file, state, "Int64", "connectivity", 1);
  if (o->nface) add_longs(&state->raw, o->face_start + 1, o->nface);
  write_array(file, state, "Int64", "offsets", 1);
  csim_file_text(file, "</Polys>\n</Piece>\n");
}

static csim_status write_object(csim_export *e, int object) {
  vtp *state = e->state;
  char path[CSIM_EXPORT_PATH];
  csim_file *file;
  if (csim_export_frame_path(e, e->file_name[object], ".vtp", path)) return CSIM_INVALID;
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
  write_piece(file, e, state, object);
  csim_file_text(file, "</PolyData>\n<AppendedData encoding=\"raw\">\n_");
  csim_file_write(file, state->packed.data, (size_t)state->packed.n);
  csim_file_text(file, "\n</AppendedData>\n</VTKFile>\n");
  if (!state->packed.failed && !state->raw.failed) return csim_file_commit(file, 0);
  csim_file_abandon(file);
  return csim_export_memory(e);
}

static csim_status open_vtp(csim_export *e) {
  vtp *state = e->state = CSIM_ARENA_NEW(&e->arena, vtp, 1);
  if (state) state->uv = CSIM_ARENA_NEW(&e->arena, double *, e->nobject);
  for (int i = 0; i < e->nobject && !e->arena.failed; i++) {
    state->uv[i] = csim_export_vertex_uv(e, i);
    if (!state->uv[i] && e->object[i].nuv)
      csim_say(e->log, CSIM_WARNING, (csim_place){.file = e->options.directory},
               "object \"%s\" has seams: VTP cannot hold its texture coordinates",
               e->object[i].name);
  }
  return e->arena.failed ? csim_export_memory(e) : CSIM_OK;
}

static csim_status write_frame(csim_export *e) {
  csim_status status = CSIM_OK;
  for (int i = 0; i < e->nobject && !status; i++) status = write_object(e, i);
  return status;
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

const csim_exporter csim_export_vtp = {.open = open_vtp, .frame = write_frame, .close = close_vtp};
