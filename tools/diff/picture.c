// tools/diff/picture.c: the worst frame of both sides, drawn side by side by clothview. See diff.h.
//
// Each side's frame becomes a cache of one frame, whatever format it came from. The caches have the
// names of the sides, which clothview writes below them.
#include "diff/diff.h"

#include <unistd.h>

// The last component of a path, without an ending, as part of a file's name; A or B where nothing
// is left.
static void label_of(const char *path, int side, char label[64]) {
  size_t n = strlen(path);
  while (n && path[n - 1] == '/') n--;
  size_t start = n;
  while (start && path[start - 1] != '/') start--;
  int k = 0;
  for (size_t i = start; i < n && k < 60; i++) label[k++] = path[i];
  while (k && label[0] == '.') label[--k] = 0; // . and ..
  label[k] = 0;
  char *end = strrchr(label, '.');
  if (end && end > label) *end = 0;
  if (!*label) snprintf(label, 64, "%c", 'A' + side);
}

// The frame with the largest distance, of vertices or (with other faces) of surfaces.
static long long worst_frame(const diff_comparison *c) {
  return c->worst.distance > 0 ? c->worst.frame : c->farthest.frame;
}

static int frame_of(const diff_comparison *c, int side) {
  const csim_sequence_info *info = c->source[side]->info;
  int k = 0;
  while (k + 1 < info->nframe && info->number[k] != worst_frame(c) && !c->is_rest) k++;
  return k;
}

// An object as it is drawn: what belongs together has one name, and points have the faces of the
// other side.
static csim_cache_object drawn(const diff_comparison *c, int side, int object) {
  csim_cache_object o = c->source[side]->info->object[object];
  o.has_velocity = o.has_pressure = o.has_strain = o.nsample = 0;
  for (int k = 0; k < c->npair; k++) {
    if (c->pair[k].index[side] != object) continue;
    const csim_cache_object *other = &c->source[!side]->info->object[c->pair[k].index[!side]];
    if (side == 1) o.name = other->name;
    if (o.nface || o.nvert != other->nvert) continue;
    o.nface = other->nface;
    o.face_start = other->face_start;
    o.face_vert = other->face_vert;
  }
  return o;
}

// Whether an object is in the side's worst frame, and was asked for.
static int is_drawn(const diff_run *run, const diff_comparison *c, int side, int object) {
  diff_source *s = c->source[side];
  int asked = diff_is_picked(run->options, s->info->object[object].name);
  for (int k = 0; k < c->npair; k++) asked |= c->pair[k].index[side] == object;
  return asked && csim_sequence_has(s->s, object, frame_of(c, side));
}

// The objects of a side that are in its worst frame, as a cache of this frame.
static csim_status write_frame(diff_run *run, diff_comparison *c, int side, const char *path) {
  diff_source *s = c->source[side];
  int frame = frame_of(c, side), n = 0;
  csim_cache_options options = {.fps = s->info->fps > 0 ? s->info->fps : 24,
                                .up = s->info->up ? s->info->up : 1};
  csim_cache_writer *out = NULL;
  csim_status status = csim_cache_create(path, &options, NULL, &run->log.log, &out);
  for (int o = 0; !status && o < s->info->nobject; o++) {
    csim_cache_object object = drawn(c, side, o);
    if (is_drawn(run, c, side, o)) status = csim_cache_add_object(out, &object);
  }
  if (!status) status = csim_cache_begin(out);
  if (!status) status = csim_cache_begin_frame(out, worst_frame(c), 0);
  for (int o = 0; !status && o < s->info->nobject; o++) {
    if (!is_drawn(run, c, side, o)) continue;
    status = csim_sequence_read(s->s, o, frame, s->x, NULL);
    if (!status) status = csim_cache_put(out, n++, s->x, NULL);
  }
  if (!status) status = csim_cache_end_frame(out);
  csim_status closed = csim_cache_close(out, !status);
  return status ? status : closed;
}

// Distances are of vertices that belong together: of all objects, or they cannot be drawn.
static int has_distances(const diff_comparison *c) {
  if (c->only_objects[0] || c->only_objects[1]) return 0;
  for (int k = 0; k < c->npair; k++)
    if (c->pair[k].faces_differ || !c->pair[k].nvert) return 0;
  return 1;
}

static int draw(const diff_comparison *c, char *const path[2], const char *out) {
  char *colour = has_distances(c) ? "distance" : "object";
  char *const argument[] = {"clothview", path[0], "--compare", path[1], "-o",
                            (char *)out, "-q",    "--colour",  colour,  NULL};
  return diff_run_program("CLOTHVIEW", "clothview", argument);
}

int diff_write_picture(diff_run *run, diff_comparison *c) {
  const char *temporary = getenv("TMPDIR"), *out = run->options->picture;
  if (!temporary || !*temporary) temporary = "/tmp";
  size_t size = strlen(temporary) + 160;
  char *folder = malloc(size), *path[2] = {malloc(size), malloc(size)}, label[2][64];
  int done = 0, made = 0;
  if (folder && path[0] && path[1]) {
    snprintf(folder, size, "%s/clothdiff-XXXXXX", temporary);
    made = mkdtemp(folder) != NULL;
  }
  for (int k = 0; k < 2; k++) label_of(run->side[k].path, k, label[k]);
  int alike = !strcmp(label[0], label[1]);
  for (int k = 0; made && k < 2; k++)
    snprintf(path[k], size, "%s/%s%s.clothcache", folder, label[k],
             !alike ? ""
             : k    ? " (B)"
                    : " (A)");
  if (made && !write_frame(run, c, 0, path[0]) && !write_frame(run, c, 1, path[1]))
    done = draw(c, path, out);
  for (int k = 0; made && k < 2; k++) unlink(path[k]);
  if (made) rmdir(folder);
  free(path[0]);
  free(path[1]);
  free(folder);
  return done ? 0 : diff_trouble(run, out, "no picture of the worst frame");
}
