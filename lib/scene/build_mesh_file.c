// scene/build_mesh_file.c: meshes from mesh files, and from frames of caches and Alembic files.
// Needs cache/, io/.
#include "cache/look.h"
#include "cache/sequence.h"
#include "cache/uv_sets.h"
#include "io/mesh_file.h"
#include "mesh/triangulate.h"
#include "scene/compile.h"
#include "scene/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --------------------------------------------------------------------------------- units and axes

void csim_mesh_to_scene(const csim_scene *scene, const csim_mesh_source *source,
                        const csim_sequence_info *info, ptrdiff_t n, double *x) {
  double length = info && info->unit > 0 ? info->unit : scene->length_unit;
  int up = source->up ? (*source->up == 'z' ? 2 : 1) : info ? info->up : 0;
  csim_unit unit;
  char unknown[32];
  if (source->unit && csim_parse_unit(source->unit, &unit, unknown))
    length = unit.times / unit.over;
  int turn = up ? scene->up - up : 0; // y up to z up is (x, -z, y), back is (x, z, -y)
  for (ptrdiff_t i = 0; i < n; i++, x += 3) {
    double y = x[1], z = x[2];
    if (turn) {
      x[1] = turn > 0 ? -z : z;
      x[2] = turn > 0 ? y : -y;
    }
    for (int c = 0; c < 3; c++) x[c] *= length;
  }
}

// ---------------------------------------------------------------------------- objects of archives

static void *copy(csim_arena *arena, const void *from, ptrdiff_t n, size_t size) {
  void *to = csim_arena_alloc(arena, n, size);
  return to && n ? memcpy(to, from, (size_t)n * size) : to;
}

// Copies normals, colours and further texture coordinates. Normals are stored in frames of the
// surface, so they turn with it.
static void copy_look(const csim_cache_object *object, csim_mesh *mesh) {
  csim_arena *arena = &mesh->arena;
  csim_normals *normals = &mesh->look.normals;
  if (object->colour)
    mesh->look.colour = copy(arena, object->colour, csim_xyz(object->nvert), sizeof(double));
  mesh->look.uv_set = csim_uv_sets_copy(object, arena);
  mesh->look.nuv_set = mesh->look.uv_set ? object->nuv_set : 0;
  if (csim_look_normals(object, arena, normals) || !normals->n) return;
  normals->corner = copy(arena, normals->corner, normals->ncorner, sizeof(int));
  normals->local = copy(arena, normals->local, csim_xyz(normals->n), sizeof(double));
}

static void copy_faces(const csim_cache_object *object, csim_mesh *mesh) {
  csim_arena *arena = &mesh->arena;
  ptrdiff_t ncorner = object->face_start[object->nface];
  mesh->face_start = copy(arena, object->face_start, (ptrdiff_t)object->nface + 1, sizeof(int));
  mesh->face_vert = copy(arena, object->face_vert, ncorner, sizeof(int));
  if (object->nuv) {
    mesh->nuv = object->nuv;
    mesh->uv = copy(arena, object->uv, csim_row(2, object->nuv), sizeof(double));
    mesh->face_uv = copy(arena, object->face_uv, ncorner, sizeof(int));
  }
  if (!object->ntag) return;
  mesh->ntag = object->ntag;
  mesh->face_tag = copy(arena, object->face_tag, object->nface, sizeof(int));
  mesh->tag = CSIM_ARENA_NEW(arena, char *, object->ntag);
  for (int k = 0; k < object->ntag && mesh->tag; k++)
    mesh->tag[k] = csim_arena_copy(arena, object->tag[k]);
}

csim_status csim_mesh_of_cached(const csim_cache_object *object, const double *x, csim_place place,
                                csim_log *log, csim_mesh *mesh) {
  *mesh = (csim_mesh){.nvert = object->nvert, .nface = object->nface};
  mesh->vert = copy(&mesh->arena, x, csim_xyz(object->nvert), sizeof *x);
  if (object->nface) copy_faces(object, mesh);
  if (object->nface) copy_look(object, mesh);
  csim_status status = mesh->arena.failed ? CSIM_MEMORY : CSIM_OK;
  if (!status && object->nface) status = csim_mesh_triangulate(mesh, place, log);
  if (status) csim_mesh_free(mesh);
  return status;
}

// ------------------------------------------------------------------------------------------ frames

// Number of a frame in the sequence's own numbering, or from its time and rate if it has none.
static double number_of(const csim_sequence_info *info, int f) {
  return info->time ? info->time[f] * info->fps : (double)info->number[f];
}

// Finds the last frame at or before the wanted number, and the fraction of the way to the next.
static csim_status find_frame(const csim_mesh_source *source, const csim_sequence_info *info,
                              csim_log *log, int *frame, double *share) {
  const double near = 1e-3; // [frames] treated as equal
  double wanted = source->frame, first = number_of(info, 0);
  double last = number_of(info, info->nframe - 1);
  *frame = 0;
  *share = 0;
  if (wanted < -CSIM_FRAME_LIMIT) return CSIM_OK; // the first
  csim_place place = {.file = source->file};
  if (info->time && !(info->fps > 0))
    return csim_refuse(
        log, place, "has times and no frame rate, so no frame has a number: leave out \"frame\"");
  if (wanted < first - near || wanted > last + near)
    return csim_refuse(log, place, "has frames %.6g to %.6g, and not %.6g", first, last, wanted);
  while (*frame + 1 < info->nframe && number_of(info, *frame + 1) <= wanted + near) ++*frame;
  double from = number_of(info, *frame);
  if (*frame + 1 < info->nframe && wanted > from + near)
    *share = (wanted - from) / (number_of(info, *frame + 1) - from);
  return CSIM_OK;
}

// Positions (nvert x 3) at the wanted frame.
static csim_status read_at(csim_sequence *s, const csim_mesh_source *source, csim_log *log,
                           int object, double *x) {
  const csim_sequence_info *info = csim_sequence_get_info(s);
  ptrdiff_t n = csim_xyz(info->object[object].nvert);
  double share;
  int frame;
  csim_status status = find_frame(source, info, log, &frame, &share);
  if (!status) status = csim_sequence_read(s, object, frame, x, NULL);
  if (status || share == 0) return status;
  double *next = CSIM_NEW(double, n);
  if (!next) return CSIM_MEMORY;
  status = csim_sequence_read(s, object, frame + 1, next, NULL);
  for (ptrdiff_t k = 0; k < n && !status; k++) x[k] += share * (next[k] - x[k]);
  free(next);
  return status;
}

static csim_status read_archive(const csim_scene *scene, const csim_mesh_source *source,
                                csim_log *log, csim_mesh *mesh) {
  csim_sequence *s = NULL;
  int object;
  csim_place place = {.file = source->file};
  csim_status status = csim_sequence_open_part(source->file, source->object, log, &s, &object);
  if (status) return status;
  const csim_sequence_info *info = csim_sequence_get_info(s);
  const csim_cache_object *part = &info->object[object];
  double *x = CSIM_NEW(double, csim_xyz(part->nvert));
  status = x ? read_at(s, source, log, object, x) : CSIM_MEMORY;
  for (ptrdiff_t k = 0; k < csim_xyz(part->nvert) && !status; k++)
    if (!isfinite(x[k]))
      status = csim_refuse(log, place, "vertex %td of \"%s\" is not finite", k / 3, part->name);
  if (!status && !part->nface)
    status = csim_refuse(log, place, "object \"%s\" has no faces", part->name);
  if (!status) {
    csim_mesh_to_scene(scene, source, info, part->nvert, x);
    status = csim_mesh_of_cached(part, x, place, log, mesh);
  }
  free(x);
  csim_sequence_free(s);
  return status;
}

csim_status csim_read_mesh(const csim_scene *scene, const csim_mesh_source *source, csim_log *log,
                           csim_mesh *mesh) {
  *mesh = (csim_mesh){0};
  if (csim_sequence_is_archive(source->file)) return read_archive(scene, source, log, mesh);
  if (source->object || source->frame >= -CSIM_FRAME_LIMIT)
    return csim_refuse(log, csim_in_file(source->file),
                       "is one mesh: \"object\" and \"frame\" are for Alembic files and caches");
  csim_status status = csim_mesh_read(source->file, log, mesh);
  if (!status) csim_mesh_to_scene(scene, source, NULL, mesh->nvert, mesh->vert);
  return status;
}
