// scene/worst.h: records the worst values of a run: lag, strain, imbalance. Needs scene/compile.h,
// io/json_write.h, solver/step.h.
#ifndef CSIM_SCENE_WORST_H
#define CSIM_SCENE_WORST_H

#include "io/json.h"
#include "io/json_write.h"
#include "scene/compile.h"
#include "solver/step.h"

/// [m] Colliders and pins within this distance of their motion count as on time.
#define CSIM_ON_TIME 1e-6

/// Totals at the start of a run.
csim_run_totals csim_worst_none(void);

/// Adds the imbalance of a substep.
void csim_worst_step(const csim_scene *scene, int frame, const csim_step_report *step,
                     csim_run_totals *total);

/// Adds a frame that is written after this step: its lag, and the strain of every spring at x
/// (nvert x 3).
void csim_worst_frame(csim_pool *pool, const csim_scene *scene, const csim_model *model, int frame,
                      const csim_step_report *step, const double *x, csim_run_totals *total);

/// Writes "lag", "strain" and "imbalance" into a run report or a checkpoint.
void csim_worst_print(const csim_scene *scene, const csim_run_totals *total, csim_json_out *out);

/// Reads them back from the object that csim_worst_print wrote.
void csim_worst_read(const csim_json *json, const cJSON *from, csim_run_totals *total);

/// Logs a warning with its remedy for each value beyond the bounds of scene->strict.
/// @return number of warnings
int csim_worst_judge(const csim_scene *scene, const csim_run_totals *total, csim_log *log);

#endif
