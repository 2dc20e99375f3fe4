// scene/sim.h: stepping a scene: the implementation of csim_sim of clothsim.h, used by csim_run
// too. Needs scene/compile.h, solver/step.h.
//
// sim.c builds and steps it, targets.c moves colliders and pins for the caller, sim_state.c saves
// and loads.
#ifndef CSIM_SCENE_SIM_H
#define CSIM_SCENE_SIM_H

#include "base/threads.h"
#include "io/json.h"
#include "io/json_write.h"
#include "scene/compile.h"
#include "solver/step.h"

/// A collider or pin that the caller may move. Key and points have two times: the last target
/// reached, and the next one.
typedef struct csim_mover {
  csim_motion *motion; ///< in the model or the collider; replaced once `moved`
  csim_motion own;     ///< of the scene, for csim_sim_reset
  int moved;           ///< rigidly, by the caller
  int pending;         ///< a new target that the next step will reach
  csim_key key[2];
  int nvert;          ///< number of vertices that can be set one by one
  double *points;     ///< (2 x nvert x 3) [m]; NULL until they are set
  csim_pin_path path; ///< of a pin with points
} csim_mover;

struct csim_sim {
  const csim_scene *whole; ///< as it was given
  const csim_scene *scene; ///< of the phase that the state is in; `whole` where there are none
  char *tet_program;       ///< as of csim_sim_start, NULL where it was
  csim_log *log;
  csim_once_log said; ///< what building the phases has said: the next one builds the same again
  csim_arena arena;   ///< of the movers
  csim_pool *pool;
  csim_threads threads;
  csim_world world;
  csim_world first; ///< of the phase in which the run began; all zero until there is another
  csim_renders renders;
  csim_state state;
  csim_solver *solver;
  csim_stop stop;               ///< as of csim_sim_start
  long long crossings_at_start; ///< intersecting pairs of triangles, which contact ignores
  int begun;                    ///< the solver has begun the frame that the state is in
  csim_mover *mover;            ///< (world.ncollider + model.pins.ngroup) colliders, then pins
  csim_collider *own_collider;  ///< (world.ncollider) of the scene, for csim_sim_reset
};

/// How the start is checked and reported.
typedef struct csim_sim_start {
  const char *tet_program;
  int nthread;
  csim_stop stop;  ///< asked during substeps
  const char *out; ///< surfaces that intersect are shown in OUT-intersections.obj; NULL: nowhere
} csim_sim_start;

/// Compiles the scene and checks its start. Call csim_sim_close in any case.
/// @return CSIM_OK; CSIM_INVALID, CSIM_IO; CSIM_MEMORY, with sim->solver NULL when the model was
///         built
csim_status csim_sim_open(const csim_scene *scene, const csim_sim_start *start, csim_log *log,
                          csim_sim *sim);
void csim_sim_close(csim_sim *sim);

/// Reports that memory ran out. @return CSIM_MEMORY
static inline csim_status csim_sim_no_memory(const csim_sim *sim) {
  return csim_fail_memory(sim->log, sim->whole->file);
}

/// Creates a new solver, whose colliders are at their start.
/// @return 0, or -1 when out of memory, with sim->solver NULL
int csim_sim_restart_solver(csim_sim *sim);

/// Takes one substep; before the first of a frame call csim_sim_begin. A frame begins at every
/// multiple of scene->substeps.
/// @return as csim_step
int csim_sim_advance(csim_sim *sim, csim_step_report *report);

// ----------------------------------------------------------------------------------------- phases

/// Whether the next frame is in another phase than the state.
int csim_sim_changes(const csim_sim *sim);

/// Before the first substep of a frame: enters its phase, and applies pins that begin or end with
/// it.
/// @param[out] changed  1: there is a new solver
/// @return CSIM_OK; CSIM_INVALID (the model of the phase cannot be made); CSIM_IO, CSIM_MEMORY
csim_status csim_sim_begin(csim_sim *sim, int *changed);

/// Creates the model and solver of a phase, unless the state is in it. Targets that the caller has
/// set are dropped.
/// @return as csim_sim_begin
csim_status csim_sim_enter(csim_sim *sim, int phase);

/// The phase in which a state of another run continues: the first, if its own is no longer there.
int csim_sim_phase_of(const csim_sim *sim, const csim_state *from);

/// Continues from a state after `frame`, with its phase.
/// @return as csim_sim_begin
csim_status csim_sim_go_on(csim_sim *sim, const csim_state *from, int frame);

/// At the end of a frame: counts the frames in a row in which everything is at rest.
void csim_sim_count_rest(csim_sim *sim);

/// Whether the run is finished: the last phase is "until": "rest", and everything is at rest.
int csim_sim_at_rest(const csim_sim *sim);

/// Length of the scene's shortest substep [s].
static inline double csim_sim_substep(const csim_scene *scene) {
  return 1 / (scene->fps * scene->substeps);
}

/// Time of the state [s] from the start: csim_sim_time, for modules that sim.c needs.
static inline double csim_sim_now(const csim_sim *sim) {
  return (double)sim->state.step / (sim->scene->fps * sim->scene->substeps);
}

/// The reason why a step failed, and the remedy: one line for the user.
const char *csim_sim_explain(const csim_scene *scene, csim_outcome outcome);

// ---------------------------------------------------------------------------------------- targets

/// Creates the movers.
/// @return 0, or -1 when out of memory
int csim_movers_create(csim_sim *sim);
void csim_movers_free(csim_sim *sim);

/// Restores the motions of the scene.
void csim_movers_reset(csim_sim *sim);

/// Makes pending targets be reached between two times [s].
void csim_movers_schedule(csim_sim *sim, double from, double to);

/// Marks pending targets as reached.
void csim_movers_settle(csim_sim *sim);

/// Writes the targets that the caller has set as the member "targets" of an object.
void csim_movers_print(const csim_sim *sim, csim_json_out *out);

/// Replaces all targets by those that csim_movers_print wrote.
/// @param targets  NULL: none
/// @return CSIM_OK, then csim_movers_wait; CSIM_INVALID, with nothing changed; CSIM_MEMORY
csim_status csim_movers_parse(csim_sim *sim, const csim_json *json, const cJSON *targets);

/// After the time has changed: pending targets start now; the others have been reached.
void csim_movers_wait(csim_sim *sim);

#endif
