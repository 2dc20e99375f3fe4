// scene/exceptions.h: records where a run has let surfaces intersect because its scene allows it.
// Needs scene/compile.h, io/json_write.h.
#ifndef CSIM_SCENE_EXCEPTIONS_H
#define CSIM_SCENE_EXCEPTIONS_H

#include "io/json.h"
#include "io/json_write.h"
#include "scene/compile.h"

/// Adds a frame that is written with this state.
void csim_exceptions_frame(const csim_scene *scene, const csim_world *world, int frame,
                           const csim_state *state, csim_run_totals *total);

/// Writes the list "pinched" of a run report or a checkpoint, where the scene has "contact.pinched"
/// "ignore".
void csim_exceptions_print(const csim_scene *scene, const csim_run_totals *total,
                           csim_json_out *out);

/// Reads it back from the object that csim_exceptions_print wrote it into.
void csim_exceptions_read(const csim_json *json, const cJSON *from, csim_run_totals *total);

/// Logs a line for each object.
void csim_exceptions_report(const csim_scene *scene, const csim_run_totals *total, csim_log *log);

#endif
