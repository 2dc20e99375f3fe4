// scene/sim_state.c: csim_sim_save and csim_sim_load: a checkpoint in memory.
//
// The bytes are those of a checkpoint (cache/checkpoint.h). Its META holds the targets that the
// caller has set:
//
//   {"program": "clothsim 0.1.0", "targets": [
//     {"mover": 0, "pending": false, "keys": [px, py, pz, rx, ry, rz], "points": [...]}, ...]}
//
// "keys" and "points" (nvert x 3) are there if they are set. While a target is pending, both have
// two sets: start and goal.
#include "cache/checkpoint.h"
#include "scene/sim.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_FRAMES = 1000000000 };

csim_status csim_sim_save(const csim_sim *sim, void **data, size_t *size) {
  csim_json_out meta = {0};
  csim_bytes bytes = {0};
  *data = NULL;
  *size = 0;
  csim_json_open_flat(&meta, NULL, '{');
  csim_json_text(&meta, "program", "clothsim " CSIM_VERSION);
  csim_movers_print(sim, &meta);
  csim_json_close(&meta, '}');
  if (!meta.failed && meta.length > CSIM_JSON_MAX_BYTES) {
    free(meta.text);
    return csim_refuse(
        sim->log, csim_in_file(sim->scene->file),
        "csim_sim_save: targets of too many vertices are set, more than %d MiB of text",
        CSIM_JSON_MAX_BYTES >> 20);
  }
  if (!meta.failed) csim_checkpoint_pack(csim_sim_frame(sim), &sim->state, meta.text, &bytes);
  free(meta.text);
  if (meta.failed || bytes.failed) {
    free(bytes.data);
    return csim_sim_no_memory(sim);
  }
  *data = bytes.data;
  *size = (size_t)bytes.n;
  return CSIM_OK;
}

static csim_status refuse(const csim_sim *sim, const char *why) {
  return csim_refuse(sim->log, csim_in_file(sim->scene->file), "the state cannot be loaded: %s",
                     why);
}

// Whether the phase of a state is one of the simulation's.
static csim_status enter_phase(csim_sim *sim, const csim_state *state) {
  if (state->phase && state->phase >= sim->whole->nphase)
    return refuse(sim, "it is in a phase that the scene does not have");
  csim_status status = csim_sim_enter(sim, state->phase);
  if (!status && state->nvert != sim->state.nvert)
    return refuse(sim, "it has another number of vertices");
  return status;
}

// Whether a state fits the simulation; colliders are not in one saved before the first step.
static csim_status check_state(const csim_sim *sim, const csim_state *state) {
  if (state->nkinematic && !csim_solver_accepts(sim->solver, state))
    return refuse(sim, "it has other colliders, or another \"contact.response\" or "
                       "\"contact.pinched\", or is damaged");
  if (state->nlink != sim->state.nlink) return refuse(sim, "it has other strings that may tear");
  if (state->nplastic != sim->state.nplastic)
    return refuse(sim, "it has plastic strains of other materials");
  if (state->step / sim->scene->substeps > MAX_FRAMES)
    return refuse(sim, "its time is out of bounds");
  return CSIM_OK;
}

static csim_status read_meta(const csim_sim *sim, const char *text, csim_json *json, cJSON **meta) {
  csim_status status = csim_json_read_text(json, "META", text, strlen(text), NULL, meta);
  if (status == CSIM_MEMORY) return csim_sim_no_memory(sim);
  return status ? refuse(sim, "its META is damaged") : CSIM_OK;
}

// csim_sim_load, but a state that is refused may leave the simulation in its phase.
static csim_status load(csim_sim *sim, const void *data, size_t size) {
  csim_checkpoint point;
  csim_json json = {0};
  cJSON *meta = NULL;
  csim_status status = csim_checkpoint_unpack(data, size, sim->scene->file, sim->log, &point);
  if (status) return status == CSIM_MEMORY ? status : CSIM_INVALID;

  status = enter_phase(sim, &point.state);
  if (!status) status = check_state(sim, &point.state);
  if (!status) status = read_meta(sim, point.meta, &json, &meta);
  if (!status) status = csim_movers_parse(sim, &json, csim_json_get(meta, "targets"));
  if (status == CSIM_INVALID && meta) refuse(sim, "it sets targets that are not in the scene");

  // a state without colliders is that of the start, and so must be the solver's
  if (!status && !point.state.nkinematic && csim_solver_kinematic_size(sim->solver)) {
    free(sim->state.kinematic);
    sim->state.kinematic = NULL;
    if (csim_sim_restart_solver(sim)) status = csim_sim_no_memory(sim);
  }
  if (!status && csim_state_copy(&point.state, &sim->state)) status = csim_sim_no_memory(sim);
  if (!status) csim_movers_wait(sim);
  sim->begun = 0;
  cJSON_Delete(meta);
  csim_json_free(&json);
  csim_checkpoint_free(&point);
  return status;
}

csim_status csim_sim_load(csim_sim *sim, const void *data, size_t size) {
  void *before;
  size_t before_size;
  if (!sim->solver) { // after a reset that ran out of memory
    csim_status reset = csim_sim_reset(sim);
    if (reset) return reset;
  }
  csim_status status = csim_sim_save(sim, &before, &before_size);
  if (status) return status;
  const csim_scene *scene = sim->scene;
  status = load(sim, data, size);
  // entering a phase resets what belongs to the last one
  if (status && sim->scene != scene && load(sim, before, before_size)) status = CSIM_MEMORY;
  free(before);
  return status;
}
