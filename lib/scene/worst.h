// scene/worst.h: the worst that a run has seen: how far it was behind, strained, out of balance.
// Needs scene/compile.h, io/json_write.h, solver/step.h.
#ifndef CSIM_SCENE_WORST_H
#define CSIM_SCENE_WORST_H

#include "io/json.h"
#include "io/json_write.h"
#include "scene/compile.h"
#include "solver/step.h"

/// [m] Colliders and pins within this of their motion are where the scene says.
#define CSIM_ON_TIME 1e-6

/// Totals of a run that has seen nothing yet.
csim_run_totals csim_worst_none(void);

/// Takes the imbalance of a substep into account.
void csim_worst_step(const csim_scene *scene, int frame, const csim_step_report *step,
                     csim_run_totals *total);

/// Takes a frame into account that is written after this step: its lag, and the strain of every
/// spring at x (nvert x 3).
void csim_worst_frame(csim_pool *pool, const csim_scene *scene, const csim_model *model, int frame,
                      const csim_step_report *step, const double *x, csim_run_totals *total);

/// Writes "lag", "strain" and "imbalance" with what a run report or a checkpoint holds of them.
void csim_worst_print(const csim_scene *scene, const csim_run_totals *total, csim_json_out *out);

/// Reads them back from the object that csim_worst_print wrote them into.
void csim_worst_read(const csim_json *json, const cJSON *from, csim_run_totals *total);

/// What is beyond the bounds of scene->strict, one line each, to the log as warnings; with its
/// remedy.
/// @return how many
int csim_worst_judge(const csim_scene *scene, const csim_run_totals *total, csim_log *log);

#endif
