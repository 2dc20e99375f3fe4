// scene/build_import.c: warnings about imported meshes, and lists of their groups. Needs cache/,
// mesh/.
#include "cache/sequence.h"
#include "math/vec3.h"
#include "mesh/tag.h"
#include "scene/compile.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Meshes above this size [m] are probably in centimetres.
static const double LARGE = 30;

// Coordinates that change by no more than this, relative and in the file's unit, count as static.
static const double SMALL = 1e-6;

static double size_of(const csim_mesh *mesh) {
  double lo[3], hi[3], size = 0;
  csim_bounds(mesh->nvert, mesh->vert, lo, hi);
  for (int c = 0; c < 3; c++) size = fmax(size, hi[c] - lo[c]);
  return size;
}

// Finds whether the object moves between the first and the last frame of the file.
static csim_status find_motion(const csim_mesh_source *source, csim_log *log, int *moves) {
  csim_sequence *s;
  int object;
  *moves = 0;
  csim_status status = csim_sequence_open_part(source->file, source->object, log, &s, &object);
  if (status) return status;
  const csim_sequence_info *info = csim_sequence_get_info(s);
  ptrdiff_t n = csim_xyz(info->object[object].nvert);
  double *x = info->nframe > 1 ? CSIM_NEW(double, 2 * n) : NULL;
  if (info->nframe > 1) status = x ? csim_sequence_read(s, object, 0, x, NULL) : CSIM_MEMORY;
  if (x && !status) status = csim_sequence_read(s, object, info->nframe - 1, x + n, NULL);
  for (ptrdiff_t k = 0; k < n && x && !status && !*moves; k++)
    *moves = fabs(x[n + k] - x[k]) > SMALL * (fabs(x[k]) + 1);
  free(x);
  csim_sequence_free(s);
  return status;
}

csim_status csim_check_import(const csim_object *object, const csim_mesh *mesh, csim_log *log) {
  const csim_mesh_source *source = &object->mesh;
  const char *file = source->shape == CSIM_SHAPE_FILE       ? source->file
                     : source->shape == CSIM_SHAPE_SEQUENCE ? source->sequence
                                                            : NULL;
  if (!file || !csim_sequence_is_archive(file)) return CSIM_OK;
  double size = size_of(mesh);
  if (size > LARGE && !source->unit)
    csim_say(log, CSIM_WARNING, object->mesh_place,
             "\"%s\" is %.3g m large: if %s is in centimetres, add \"unit\": \"cm\", else \"m\"",
             object->name, size, file);
  int moves = 0;
  csim_status status = CSIM_OK;
  if (object->type == CSIM_OBJECT_COLLIDER && source->shape == CSIM_SHAPE_FILE &&
      source->frame < -CSIM_FRAME_LIMIT)
    status = find_motion(source, log, &moves);
  if (moves)
    csim_say(log, CSIM_WARNING, object->mesh_place,
             "\"%s\" stands still, though %s moves it: \"sequence\" in place of \"file\" plays it, "
             "\"frame\" chooses one",
             object->name, file);
  return status;
}

// Appends a quoted name to the text, unless it is in it already or does not fit.
static void list_name(const char *name, int length, char text[200]) {
  char quoted[80];
  size_t n = strlen(text);
  if (!length || length > 70) return;
  snprintf(quoted, sizeof quoted, "\"%.*s\"", length, name);
  if (strstr(text, quoted) || n + strlen(quoted) + 10 > 200) return;
  snprintf(text + n, 200 - n, "%s%s", n ? ", " : "; it has ", quoted);
}

void csim_list_groups(const csim_mesh *mesh, char text[200]) {
  *text = 0;
  for (int i = 0; i < mesh->nset; i++)
    list_name(mesh->set[i].name, (int)strlen(mesh->set[i].name), text);
  for (int t = 0; t < mesh->ntag; t++)
    for (int kind = CSIM_TAG_OBJECT; kind < CSIM_TAG_KINDS; kind++) {
      int length;
      const char *name = csim_tag_name(mesh->tag[t], kind, &length), *end = name + length;
      for (int n; name < end; name += n + 1) { // a face may be in several groups
        n = kind == CSIM_TAG_GROUP ? (int)strcspn(name, " \t\n") : length;
        list_name(name, n, text);
      }
    }
}
