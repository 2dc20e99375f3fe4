// cache/export_ply.c: binary PLY, a file for each frame and object. Needs io/, base/.
#include "cache/export_ply.h"

#include "base/bytes.h"

#include <stdlib.h>

static void write_colour(csim_file *file, const double *colour) {
  char *p = csim_file_reserve(file, 3);
  for (int k = 0; k < 3; k++) p[k] = (char)(unsigned char)(255 * colour[k] + 0.5);
  csim_file_advance(file, 3);
}

static void write_header(csim_file *file, const csim_export *e, int object, int has_uv,
                         int has_normals, int wide) {
  const csim_cache_object *o = &e->object[object];
  const csim_cache_values *now = &e->now[object];
  csim_file_print(file, "ply\nformat binary_little_endian 1.0\nelement vertex %d\n", o->nvert);
  csim_file_text(file, "property float x\nproperty float y\nproperty float z\n");
  if (o->has_velocity)
    csim_file_text(file, "property float vx\nproperty float vy\nproperty float vz\n");
  if (has_normals)
    csim_file_text(file, "property float nx\nproperty float ny\nproperty float nz\n");
  if (has_uv) csim_file_text(file, "property float s\nproperty float t\n");
  if (now->pressure) csim_file_text(file, "property float pressure\n");
  if (now->strain) csim_file_text(file, "property float strain\n");
  if (o->colour)
    csim_file_text(file, "property uchar red\nproperty uchar green\nproperty uchar blue\n");
  csim_file_print(file, "element face %d\nproperty list %s int vertex_indices\nend_header\n",
                  o->nface, wide ? "int" : "uchar");
}

static void write_vertices(csim_file *file, csim_export *e, int object, const double *uv,
                           const int *normal_of) {
  const csim_cache_object *o = &e->object[object];
  const csim_cache_values *now = &e->now[object];
  const double *normal = normal_of ? csim_export_normals(e, object, e->x[object]) : NULL;
  for (ptrdiff_t v = 0; v < o->nvert; v++) {
    csim_write_floats(file, e->x[object] + 3 * v, 3);
    if (o->has_velocity) csim_write_floats(file, e->v[object] + 3 * v, 3);
    if (normal) csim_write_floats(file, normal + csim_xyz(normal_of[v]), 3);
    if (uv) csim_write_floats(file, uv + 2 * v, 2);
    if (now->pressure) csim_write_floats(file, now->pressure + v, 1);
    if (now->strain) csim_write_floats(file, now->strain + v, 1);
    if (o->colour) write_colour(file, o->colour + 3 * v);
  }
}

// The count of a polygon's corners is a byte, or a word in a mesh with one of more than 255.
static void write_faces(csim_file *file, const csim_cache_object *o, int wide) {
  for (int f = 0; f < o->nface; f++) {
    int n = o->face_start[f + 1] - o->face_start[f];
    char *p = csim_file_reserve(file, 4);
    if (wide)
      csim_store_i32(n, p);
    else
      *p = (char)(unsigned char)n;
    csim_file_advance(file, wide ? 4 : 1);
    for (int c = o->face_start[f]; c < o->face_start[f + 1]; c++) {
      csim_store_i32(o->face_vert[c], csim_file_reserve(file, 4));
      csim_file_advance(file, 4);
    }
  }
}

csim_status csim_ply_write(csim_export *e, int object, const double *uv, const char *path) {
  const csim_cache_object *o = &e->object[object];
  csim_file *file;
  csim_status status = csim_file_create(path, e->log, &file);
  if (status) return status;
  int wide = 0;
  for (int f = 0; f < o->nface; f++) wide |= o->face_start[f + 1] - o->face_start[f] > 255;
  int *normal_of = csim_export_vertex_normals(e, object);
  write_header(file, e, object, uv != NULL, normal_of != NULL, wide);
  write_vertices(file, e, object, uv, normal_of);
  free(normal_of);
  write_faces(file, o, wide);
  return csim_file_commit(file, 0);
}

// PLY has texture coordinates by vertex; an object with seams loses them, and a warning says so.
static csim_status open_ply(csim_export *e) {
  double **uv = CSIM_ARENA_NEW(&e->arena, double *, e->nobject);
  for (int i = 0; uv && i < e->nobject; i++) {
    uv[i] = csim_export_vertex_uv(e, i);
    if (!uv[i] && e->object[i].nuv)
      csim_say(e->log, CSIM_WARNING, csim_in_file(e->options.directory),
               "object \"%s\" has seams: PLY cannot hold its texture coordinates",
               e->object[i].name);
  }
  e->state = uv;
  return e->arena.failed ? csim_export_memory(e) : CSIM_OK;
}

static csim_status write_object(csim_export *e, int object, const char *path) {
  return csim_ply_write(e, object, ((double **)e->state)[object], path);
}

const csim_exporter csim_export_ply = {.open = open_ply, .object = write_object, .suffix = ".ply"};
