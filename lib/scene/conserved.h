// scene/conserved.h: whether a run conserves energy and momentum. Needs scene/compile.h,
// io/json_write.h, solver/step.h.
#ifndef CSIM_SCENE_CONSERVED_H
#define CSIM_SCENE_CONSERVED_H

#include "io/json.h"
#include "io/json_write.h"
#include "scene/compile.h"
#include "solver/step.h"

/// Starts the account of a run with this state.
/// @return -1 when out of memory
int csim_conserved_open(csim_pool *pool, const csim_scene *scene, const csim_world *world,
                        const csim_state *state, csim_conserved *kept);

/// Adds the unbalanced forces of a substep of these settings, and whether it added energy.
void csim_conserved_step(const csim_solver_params *params, const csim_step_report *step,
                         csim_conserved *kept);

/// Adds the energy of a frame that is written.
/// @return -1 when out of memory
int csim_conserved_frame(csim_pool *pool, const csim_world *world, int frame,
                         const csim_state *state, csim_conserved *kept);

/// Largest energy above the start's, as a share of what was exchanged [-]; 0 unless
/// kept->closed.
double csim_conserved_gain(const csim_conserved *kept);

/// [m/s] Speed that these unbalanced forces [N s], `left` or `judged` of it, have given the whole
/// scene.
double csim_conserved_drift(const csim_conserved *kept, const double forces[3]);

/// Writes "energy" and "momentum" into a run report.
void csim_conserved_print(const csim_conserved *kept, csim_json_out *out);

/// Writes "conserved" into a checkpoint, and reads it back.
void csim_conserved_save(const csim_conserved *kept, csim_json_out *out);
void csim_conserved_read(const csim_json *json, const cJSON *from, csim_conserved *kept);

#endif
