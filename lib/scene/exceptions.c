// scene/exceptions.c: see exceptions.h.
#include "scene/exceptions.h"

#include "contact/pinched.h"

#include <math.h>

// The entry of an object, which is added if needed.
static csim_released *entry_of(csim_run_totals *total, int object, int frame) {
  for (int k = 0; k < total->nreleased; k++)
    if (total->released[k].object == object) return &total->released[k];
  if (total->nreleased == CSIM_MOST_RELEASED) return &total->released[CSIM_MOST_RELEASED - 1];
  csim_released *entry = &total->released[total->nreleased++];
  *entry = (csim_released){.object = object, .first = frame};
  return entry;
}

// Counts the triangles of a body with a vertex that some collider has released.
static int count_triangles(const csim_model *model, int body, const double *released) {
  int count = 0;
  for (int t = 0; t < model->ntri; t++) {
    const int *v = model->tri + csim_xyz(t);
    if (model->body_of[v[0]] != body) continue;
    count += released[v[0]] != 0 || released[v[1]] != 0 || released[v[2]] != 0;
  }
  return count;
}

void csim_exceptions_frame(const csim_scene *scene, const csim_world *world, int frame,
                           const csim_state *state, csim_run_totals *total) {
  const csim_model *model = world->model;
  const double *released =
      csim_pinched_of(model->nvert, &world->contact, state->kinematic, state->nkinematic);
  for (int b = 0; released && b < model->nbody; b++) {
    int count = count_triangles(model, b, released);
    if (count == 0) continue;
    csim_released *entry = entry_of(total, csim_scene_object_of(scene, model->nbody, b), frame);
    entry->frames++;
    if (count <= entry->triangles) continue;
    entry->triangles = count;
    entry->frame = frame;
  }
}

static const char *name_of(const csim_scene *scene, const csim_released *entry) {
  return entry->object >= 0 && entry->object < scene->nobject ? scene->object[entry->object].name
                                                              : "";
}

void csim_exceptions_print(const csim_scene *scene, const csim_run_totals *total,
                           csim_json_out *out) {
  if (scene->contact.pinched != CSIM_PINCHED_IGNORE) return;
  csim_json_open(out, "pinched", '[');
  for (int k = 0; k < total->nreleased; k++) {
    const csim_released *entry = &total->released[k];
    csim_json_open_flat(out, NULL, '{');
    csim_json_text(out, "object", name_of(scene, entry));
    csim_json_integer(out, "number", entry->object);
    csim_json_integer(out, "triangles", entry->triangles);
    csim_json_integer(out, "frame", entry->frame);
    csim_json_integer(out, "first_frame", entry->first);
    csim_json_integer(out, "frames", entry->frames);
    csim_json_close(out, '}');
  }
  csim_json_close(out, ']');
}

void csim_exceptions_read(const csim_json *json, const cJSON *from, csim_run_totals *total) {
  const cJSON *list = csim_json_get(from, "pinched"), *item;
  total->nreleased = 0;
  cJSON_ArrayForEach(item, list) {
    if (total->nreleased == CSIM_MOST_RELEASED) return;
    csim_released *entry = &total->released[total->nreleased++];
    *entry =
        (csim_released){.object = csim_json_integer_of(json, csim_json_get(item, "number")),
                        .triangles = csim_json_integer_of(json, csim_json_get(item, "triangles")),
                        .frame = csim_json_integer_of(json, csim_json_get(item, "frame")),
                        .first = csim_json_integer_of(json, csim_json_get(item, "first_frame")),
                        .frames = csim_json_integer_of(json, csim_json_get(item, "frames"))};
  }
}

void csim_exceptions_report(const csim_scene *scene, const csim_run_totals *total, csim_log *log) {
  for (int k = 0; k < total->nreleased; k++) {
    const csim_released *entry = &total->released[k];
    csim_say(log, CSIM_INFO, csim_in_file(scene->file),
             "colliders have released up to %d triangles of \"%s\" that had no room (\"contact\": "
             "{\"pinched\": \"ignore\"}): in %d frames from %d on, most in frame %d",
             entry->triangles, name_of(scene, entry), entry->frames, entry->first, entry->frame);
  }
}
