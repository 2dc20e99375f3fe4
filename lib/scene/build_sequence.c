// scene/build_sequence.c: colliders that deform: frames from files or caches. Needs cache/, io/,
// contact/.
#include "cache/sequence.h"
#include "scene/compile.h"

#include <math.h>
#include <stdlib.h>

/// A sequence while it is read.
typedef struct source {
  const csim_scene *scene;
  const csim_object *object;
  csim_log *log;
  csim_sequence *sequence;
  const csim_sequence_info *info;
  int part;        // index of the object in the sequence
  int first, last; // indices of the frames that the run needs
} source;

static csim_place place_of(const source *s) {
  return csim_in_file(s->object->mesh.sequence);
}

// Time [s] of frame f in the run when the sequence plays at `fps`.
static double time_of(const source *s, double fps, int f) {
  const csim_sequence_info *info = s->info;
  double start = s->object->mesh.offset / s->scene->fps;
  if (!info->time) return start + f / fps;
  double rate = info->fps > 0 ? info->fps / fps : 1;
  return start + (info->time[f] - info->time[0]) * rate;
}

// Finds the range of frames that covers the run.
static void find_range(source *s, double fps, double end) {
  s->first = 0;
  s->last = s->info->nframe - 1;
  while (s->first < s->last && time_of(s, fps, s->first + 1) <= 0) s->first++;
  while (s->last > s->first && time_of(s, fps, s->last - 1) >= end) s->last--;
}

// Sets the times of frames: start and step, or one time each if they are uneven.
static csim_status set_times(const source *s, double fps, csim_arena *arena,
                             csim_collider *collider) {
  collider->frame_start = time_of(s, fps, s->first);
  collider->frame_step = 1 / fps;
  if (!s->info->time) return CSIM_OK;
  int n = s->last - s->first + 1;
  double *time = CSIM_ARENA_NEW(arena, double, n);
  for (int f = 0; time && f < n; f++) time[f] = time_of(s, fps, s->first + f);
  collider->frame_time = time;
  return time ? CSIM_OK : CSIM_MEMORY;
}

// Finds the frames of the run, and refuses gaps.
static csim_status choose_frames(source *s, csim_arena *arena, csim_collider *collider) {
  const csim_scene *scene = s->scene;
  const csim_mesh_source *mesh = &s->object->mesh;
  const csim_sequence_info *info = s->info;
  double fps = mesh->fps > 0 ? mesh->fps : info->fps > 0 ? info->fps : scene->fps;
  if (fabs(fps - scene->fps) < 1e-5 * scene->fps) fps = scene->fps; // rounded to floats in the file
  if (info->time && mesh->fps > 0 && !(info->fps > 0))
    return csim_refuse(s->log, place_of(s),
                       "has times and no frame rate, which \"fps\" could replace: leave it out");
  double end = (scene->frame_end - scene->frame_start) / scene->fps;
  find_range(s, fps, end);
  // a gap in the numbers is a lost frame; numbers of point caches mean nothing
  int numbered = info->has_faces && !info->time;
  for (int f = s->first; numbered && f < s->last; f++)
    if (info->number[f + 1] != info->number[f] + 1)
      return csim_refuse(s->log, place_of(s), "frame %lld is missing: after %lld comes %lld",
                         info->number[f] + 1, info->number[f], info->number[f + 1]);
  double over = time_of(s, fps, info->nframe - 1);
  if (info->nframe == 1 && numbered)
    csim_say(
        s->log, CSIM_WARNING, place_of(s),
        "is one frame, and \"%s\" does not move: more are named with # for the digits of their "
        "numbers (\"body_####.obj\"), and a mesh that stays is a \"file\"",
        s->object->name);
  if (info->nframe > 1 && (end - over) * fps > 1e-6)
    csim_say(s->log, CSIM_WARNING, place_of(s),
             "ends at frame %.6g of the scene; from there on \"%s\" stays as it is",
             scene->frame_start + over * scene->fps, s->object->name);
  return set_times(s, fps, arena, collider);
}

// Reads one frame: in metres, with the object's placement.
static csim_status read_frame(const source *s, int frame, double *x) {
  int n = s->info->object[s->part].nvert;
  csim_status status = csim_sequence_read(s->sequence, s->part, frame, x, NULL);
  if (status) return status;
  csim_mesh_to_scene(s->scene, &s->object->mesh, s->info, n, x);
  csim_place_vertices(s->object, n, x);
  for (ptrdiff_t k = 0; k < csim_xyz(n); k++)
    if (!(fabs(x[k]) < 1e15))
      return csim_refuse(s->log, place_of(s),
                         "frame %lld: vertex %td is not finite, or lies farther than 1e15 m out",
                         s->info->number[frame], k / 3);
  return CSIM_OK;
}

// Makes the mesh with vertices x and the faces of the sequence, or of the file of key "faces".
static csim_status make_mesh(const source *s, const double *x, csim_mesh *mesh) {
  csim_cache_object part = s->info->object[s->part];
  const char *faces = s->object->mesh.faces;
  csim_mesh from = {0};
  csim_status status = CSIM_OK;
  if (!faces && !s->info->has_faces)
    return csim_refuse(
        s->log, place_of(s),
        "is a point cache and has no faces: name a mesh file that has them with \"faces\"");
  if (faces) {
    // a frame beyond the limit means: the first of the file
    csim_mesh_source file = {.file = s->object->mesh.faces, .frame = -10 * CSIM_FRAME_LIMIT};
    status = csim_read_mesh(s->scene, &file, s->log, &from);
    if (status) return status;
    if (from.nvert != part.nvert)
      status = csim_refuse(s->log, place_of(s), "has %d vertices, and its faces, %s, have %d",
                           part.nvert, faces, from.nvert);
    part.nface = from.nface;
    part.face_start = from.face_start;
    part.face_vert = from.face_vert;
    part.nuv = part.nuv_set = part.ntag = part.nnormal = 0; // for the corners of other faces
  }
  if (!status) status = csim_mesh_of_cached(&part, x, place_of(s), s->log, mesh);
  if (!status && mesh->ntri == 0)
    status = csim_refuse(s->log, place_of(s), "object \"%s\" has no faces", part.name);
  csim_mesh_free(&from);
  return status;
}

// Vertices (n x 3) at the start, without the collider's own motion.
static void find_start(const csim_collider *collider, int n, double *x) {
  csim_mesh points = {.nvert = n};
  csim_collider still = *collider;
  still.mesh = &points;
  still.motion = (csim_motion){0};
  csim_collider_vertices(&still, 0, x);
}

csim_status csim_build_sequence(const csim_scene *scene, const csim_object *object, csim_log *log,
                                csim_arena *arena, csim_collider *collider, csim_mesh *mesh) {
  source s = {.scene = scene, .object = object, .log = log};
  csim_status status = csim_sequence_open_part(object->mesh.sequence, object->mesh.object, log,
                                               &s.sequence, &s.part);
  if (status) goto done;
  s.info = csim_sequence_get_info(s.sequence);
  status = choose_frames(&s, arena, collider);
  if (status) goto done;
  int nframe = s.last - s.first + 1, nvert = s.info->object[s.part].nvert;
  ptrdiff_t n = csim_xyz(nvert);
  double *frame = CSIM_ARENA_NEW(arena, double, n *nframe), *start = csim_alloc(n, sizeof *start);
  if (!frame || !start)
    status = csim_fail(log, CSIM_MEMORY, place_of(&s), "out of memory for %d frames of %d vertices",
                       nframe, nvert);
  for (int f = 0; !status && f < nframe; f++) status = read_frame(&s, s.first + f, frame + n * f);
  if (!status) {
    collider->nframe = nframe;
    collider->frame = frame;
    find_start(collider, nvert, start);
    status = make_mesh(&s, start, mesh);
  }
  free(start);
done:
  csim_sequence_free(s.sequence);
  if (status && status != CSIM_MEMORY)
    csim_say(log, CSIM_ERROR, object->mesh_place,
             "object \"%s\": its sequence cannot be used (see above)", object->name);
  return status;
}
