// scene/phase.c: changes between frames: the phase of the scene with its model, and the solver.
//
// A phase's model is compiled from its scene as if the run began with it. It depends on the scene
// alone, so a resumed run has the same one. Only the state continues.
#include "math/vec3.h"
#include "scene/sim.h"

#include <stdlib.h>

// At rest: this long [s], for all but this share of the free vertices. Frames in which no more than
// the larger share moves, as when a fold slips, neither count nor begin anew.
static const double REST_TIME = 0.25, REST_SHARE = 0.01, SLIP_SHARE = 0.04;

csim_status csim_sim_restart_solver(csim_sim *sim) {
  csim_solver_free(sim->solver);
  sim->solver = csim_solver_create(&(csim_solver_setup){.model = sim->world.model,
                                                        .params = sim->scene->solver,
                                                        .contact = sim->world.contact,
                                                        .ncollider = sim->world.ncollider,
                                                        .collider = sim->world.collider,
                                                        .pool = sim->pool,
                                                        .h = csim_sim_substep(sim->scene),
                                                        .accuracy = sim->scene->accuracy,
                                                        .stop = sim->stop,
                                                        .most = sim->scene->substeps});
  return sim->solver ? CSIM_OK : CSIM_MEMORY;
}

// Number of frames completed by the state.
static int frames_done(const csim_sim *sim) {
  return (int)(sim->state.step / sim->scene->substeps);
}

static const csim_scene *scene_of(const csim_sim *sim, int phase) {
  return sim->whole->nphase ? sim->whole->phase[phase].scene : sim->whole;
}

static int came_to_rest(const csim_scene *scene, int rest_frames) {
  return scene->until_rest && rest_frames >= scene->fps * REST_TIME;
}

void csim_sim_count_rest(csim_sim *sim) {
  const csim_model *model = sim->world.model;
  double limit = sim->scene->rest_speed * sim->scene->rest_speed;
  int fast = 0, free = 0;
  if (!sim->scene->until_rest) return;
  double now = (double)sim->state.step * csim_sim_substep(sim->scene);
  for (int k = 0; k < sim->world.ncollider; k++)
    if (now < sim->world.collider[k].busy) {
      sim->state.rest_frames = 0;
      return;
    }
  for (int i = 0; i < model->nvert; i++) {
    const double *v = sim->state.v + csim_xyz(i);
    free += !model->fixed[i];
    fast += !model->fixed[i] && !(csim_dot(v, v) <= limit);
  }
  if (fast <= REST_SHARE * free)
    sim->state.rest_frames++;
  else if (!(fast <= SLIP_SHARE * free))
    sim->state.rest_frames = 0;
}

int csim_sim_at_rest(const csim_sim *sim) {
  int last = sim->state.phase >= sim->whole->nphase - 1;
  return last && came_to_rest(sim->scene, sim->state.rest_frames);
}

// The phase of the next frame.
static int phase_to_come(const csim_sim *sim) {
  int frame = sim->whole->frame_start + frames_done(sim), k = sim->state.phase,
      rest_frames = sim->state.rest_frames;
  for (; k + 1 < sim->whole->nphase; k++, rest_frames = 0)
    if (frame < scene_of(sim, k)->frame_end && !came_to_rest(scene_of(sim, k), rest_frames)) break;
  return k;
}

int csim_sim_changes(const csim_sim *sim) {
  return phase_to_come(sim) != sim->state.phase;
}

// Checks that a phase's model has the same vertices and colliders.
static csim_status check_world(const csim_sim *sim, int phase, const csim_world *world) {
  const csim_world *old = &sim->world;
  int same = world->model->nvert == old->model->nvert;
  for (int b = 0; same && b < old->model->nbody; b++)
    same = world->model->body[b].nvert == old->model->body[b].nvert;
  for (int k = 0; same && k < old->ncollider; k++)
    same = world->collider_mesh[k].nvert == old->collider_mesh[k].nvert;
  if (same) return CSIM_OK;
  return csim_refuse(sim->log, csim_in_file(sim->whole->file),
                     "phase \"%s\": numbers of vertices have to stay as they were",
                     sim->whole->phase[phase].name);
}

csim_status csim_sim_enter(csim_sim *sim, int phase) {
  csim_world world;
  const csim_scene *scene = scene_of(sim, phase);
  if (sim->scene == scene) return CSIM_OK;
  int frames = frames_done(sim);
  csim_phase before = csim_pool_phase(sim->pool, CSIM_PHASE_START);
  csim_status status =
      csim_compile(scene, sim->tet_program, sim->pool, sim->log, &sim->world, &world);
  world.renders = sim->world.renders;
  if (!status) status = check_world(sim, phase, &world);
  if (status) {
    csim_world_free(&world);
    csim_pool_phase(sim->pool, before);
    return status;
  }

  csim_movers_free(sim);
  csim_solver_free(sim->solver);
  if (sim->first.model)
    csim_world_free(&sim->world);
  else
    sim->first = sim->world; // outputs know these objects
  sim->solver = NULL;
  sim->mover = NULL;
  sim->world = world;
  sim->scene = scene;
  sim->state.phase = phase;
  sim->state.rest_frames = 0;
  sim->begun = 0;
  if (csim_sim_restart_solver(sim) || csim_movers_create(sim) ||
      csim_state_fit(sim->world.model, (long long)frames * scene->substeps, csim_sim_substep(scene),
                     &sim->state))
    status = CSIM_MEMORY;
  csim_pool_phase(sim->pool, before);
  return status;
}

csim_status csim_sim_go_on(csim_sim *sim, const csim_state *from, int frame) {
  int phase = from->phase < sim->whole->nphase ? from->phase : 0;
  csim_status status = csim_sim_enter(sim, phase);
  if (status) return status;
  int rest_frames = phase == from->phase ? from->rest_frames : 0;
  if (csim_state_copy(from, &sim->state)) return CSIM_MEMORY;
  long long step = (long long)(frame - sim->whole->frame_start) * sim->scene->substeps;
  sim->state.phase = phase;
  sim->state.rest_frames = rest_frames;
  return csim_state_fit(sim->world.model, step, csim_sim_substep(sim->scene), &sim->state)
             ? CSIM_MEMORY
             : CSIM_OK;
}

// Before the first substep of a frame: applies pins that begin or end with it. Solvers lay out
// their matrices by what is pinned, so a change needs a new solver. This does not affect the frame,
// which depends on the state alone. Returns 1 when there is a new solver, 0 when nothing changes,
// -1 out of memory, with sim->solver NULL.
static int hold_pins(csim_sim *sim) {
  const csim_scene *scene = sim->scene;
  long long first = sim->state.step - sim->state.step % scene->substeps;
  double begin = (double)first * csim_sim_substep(scene), end = begin + 1 / scene->fps;
  csim_model *model = sim->world.model;
  if (!(model->pins.timed || model->late.nenergy) || !csim_model_hold(model, begin, end)) return 0;
  return csim_sim_restart_solver(sim) ? -1 : 1;
}

csim_status csim_sim_begin(csim_sim *sim, int *changed) {
  int phase = phase_to_come(sim);
  *changed = phase != sim->state.phase;
  if (*changed) {
    int frame = sim->whole->frame_start + frames_done(sim);
    const char *why = frame < sim->scene->frame_end ? ": everything is at rest" : "";
    csim_status status = csim_sim_enter(sim, phase);
    if (status) return status;
    csim_say(sim->log, CSIM_INFO, csim_in_file(sim->whole->file), "frame %d: phase \"%s\" begins%s",
             frame + 1, sim->whole->phase[phase].name, why);
  }
  int held = hold_pins(sim);
  *changed |= held;
  return held < 0 ? CSIM_MEMORY : CSIM_OK;
}
