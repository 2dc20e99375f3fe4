// scene/phase.c: changes between frames: the phase of the scene with its model, and the solver.
//
// A phase's model is compiled from its scene as if the run began with it. It depends on the scene
// alone, so a resumed run has the same one. Only the state continues.
#include "math/vec3.h"
#include "mesh/divide.h"
#include "model/links.h"
#include "scene/sim.h"

#include <stdlib.h>
#include <string.h>

// At rest: this long [s], for all but this share of the free vertices. Their mean speed counts:
// steps that stop early leave motion for the next, and near rest the speed of a dress went up and
// down by a factor of five from frame to frame.
static const double REST_TIME = 0.25, REST_SHARE = 0.01;

int csim_sim_restart_solver(csim_sim *sim) {
  csim_threads_begin(&sim->threads, csim_pool_threads(sim->pool), sim->world.model->nvert);
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
  return sim->solver ? 0 : -1;
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

// Adds a frame's motion to the paths, or starts them with it. Returns whether only few free
// vertices have gone farther than the speed at rest allows in REST_TIME.
static int add_motion(csim_sim *sim, int starts) {
  const csim_model *model = sim->world.model;
  double most = sim->scene->rest_speed * REST_TIME, frame = 1 / sim->scene->fps;
  int far = 0, free = 0;
  for (int i = 0; i < model->nvert; i++) {
    double *path = &sim->state.path[i], gone = frame * csim_norm(sim->state.v + csim_xyz(i));
    *path = starts ? gone : *path + gone;
    free += !model->fixed[i];
    far += !model->fixed[i] && !(*path <= most);
  }
  return far <= REST_SHARE * free;
}

// The length of the longest stitch of a group [m], and how fast it becomes shorter [m/s].
static double measure_gap(const csim_sim *sim, int group, double *closing) {
  const csim_state *state = &sim->state;
  int at[2];
  double gap = csim_links_gap(sim->world.model, group, state->x, state->torn, at), r[3], speed[3];
  *closing = 0;
  if (!(gap > 0)) return 0;
  csim_sub(state->x + csim_xyz(at[0]), state->x + csim_xyz(at[1]), r);
  csim_sub(state->v + csim_xyz(at[0]), state->v + csim_xyz(at[1]), speed);
  *closing = -csim_dot(speed, r) / gap;
  return gap;
}

// Whether something is not done, however slow it is: a collider with keys to come, or, in a phase
// that closes open seams, a seam whose longest stitch becomes a tenth shorter in REST_TIME.
static int is_busy(const csim_sim *sim) {
  double now = (double)sim->state.step * csim_sim_substep(sim->scene), most = sim->scene->if_open;
  const csim_model_links *links = &sim->world.model->links;
  for (int k = 0; k < sim->world.ncollider; k++)
    if (now < sim->world.collider[k].busy) return 1;
  for (int g = 0; g < links->ngroup && most > 0; g++) {
    if (!links->group[g].seam) continue;
    double closing, gap = measure_gap(sim, g, &closing);
    if (gap > most && closing * REST_TIME > 0.1 * gap) return 1;
  }
  return 0;
}

void csim_sim_count_rest(csim_sim *sim) {
  if (!sim->scene->until_rest) return;
  if (is_busy(sim))
    sim->state.rest_frames = 0;
  else if (add_motion(sim, sim->state.rest_frames == 0))
    sim->state.rest_frames++;
  else
    sim->state.rest_frames = add_motion(sim, 1);
}

// The length of the longest stitch [m].
static double widest_gap(const csim_sim *sim) {
  const csim_model *model = sim->world.model;
  double gap = 0;
  for (int g = 0; g < model->links.ngroup; g++)
    if (model->links.group[g].seam)
      gap = csim_max(gap, csim_links_gap(model, g, sim->state.x, sim->state.torn, NULL));
  return gap;
}

// The phase that follows when phase k comes to rest; nphase: there is none. Phases with "if_open"
// are left out if no seam is open by more.
static int phase_after_rest(const csim_sim *sim, int k) {
  for (k++; k < sim->whole->nphase; k++) {
    double most = scene_of(sim, k)->if_open;
    if (!(most > 0 && widest_gap(sim) <= most)) break;
  }
  return k;
}

int csim_sim_at_rest(const csim_sim *sim) {
  return came_to_rest(sim->scene, sim->state.rest_frames) &&
         phase_after_rest(sim, sim->state.phase) >= sim->whole->nphase;
}

// The phase of the next frame; that of the last one if there is none.
static int phase_to_come(const csim_sim *sim) {
  int frame = sim->whole->frame_start + frames_done(sim), k = sim->state.phase;
  if (came_to_rest(sim->scene, sim->state.rest_frames)) k = phase_after_rest(sim, k);
  if (k >= sim->whole->nphase) return sim->state.phase;
  while (k + 1 < sim->whole->nphase && frame >= scene_of(sim, k)->frame_end) k++;
  return k;
}

int csim_sim_changes(const csim_sim *sim) {
  return phase_to_come(sim) != sim->state.phase;
}

// Checks that a phase's model has the same vertices and colliders, as they are written.
static csim_status check_world(const csim_sim *sim, int phase, const csim_world *world) {
  const csim_world *old = &sim->world;
  int same = world->model->nbody == old->model->nbody;
  for (int b = 0; same && b < old->model->nbody; b++)
    same = csim_body_nshown(&world->model->body[b]) == csim_body_nshown(&old->model->body[b]);
  for (int k = 0; same && k < old->ncollider; k++)
    same = world->collider_mesh[k].nvert == old->collider_mesh[k].nvert;
  if (same) return CSIM_OK;
  return csim_refuse(sim->log, csim_in_file(sim->whole->file),
                     "phase \"%s\": numbers of vertices have to stay as they were",
                     sim->whole->phase[phase].name);
}

// Numbers of the vertices of one model (n each) as those of another, whose meshes are coarser or
// finer. NULL: out of memory.
static double *carry_numbers(const csim_model *from, const csim_model *to, int n,
                             const double *value) {
  double *carried = CSIM_NEW(double, csim_row(n, to->nvert));
  for (int b = 0; b < to->nbody && carried; b++) {
    const csim_body *old = &from->body[b], *body = &to->body[b];
    int common = old->nvert < body->nvert ? old->nvert : body->nvert;
    double *at = carried + csim_row(n, body->vert0);
    memcpy(at, value + csim_row(n, old->vert0), (size_t)n * (size_t)common * sizeof *at);
    csim_carry_over(common, body->nvert, body->mesh->parent, n, at);
  }
  return carried;
}

// The same for what contact knows. -1: out of memory.
static int refine_contact(const csim_contact_params *params, const csim_model *from,
                          const csim_model *to, csim_state *state) {
  if (!state->nkinematic) return 0; // not begun, or another response
  double *refined = csim_contact_refine(params, from, to, state->kinematic, &state->nkinematic);
  if (!refined) return -1;
  free(state->kinematic);
  state->kinematic = refined;
  state->kinematic_capacity = state->nkinematic;
  return 0;
}

// Makes the state one of another model, if that has other vertices. -1: out of memory, and the
// state is as it was.
static int carry_state(const csim_contact_params *params, const csim_model *from,
                       const csim_model *to, csim_state *state) {
  enum { VECTORS = 5, ARRAYS = 6 };
  double **array[] = {&state->x,      &state->v, &state->x_prev,
                      &state->v_prev, &state->a, &state->path};
  double *carried[ARRAYS] = {0};
  int failed = 0;
  if (from->nvert == to->nvert) return 0;
  for (int k = 0; k < ARRAYS && !failed; k++) {
    if (!*array[k]) continue;
    carried[k] = carry_numbers(from, to, k < VECTORS ? 3 : 1, *array[k]);
    failed = !carried[k];
  }
  if (!failed) failed = refine_contact(params, from, to, state) != 0;
  for (int k = 0; k < ARRAYS; k++) {
    free(failed ? carried[k] : *array[k]);
    if (!failed) *array[k] = carried[k];
  }
  if (!failed) state->nvert = to->nvert;
  return failed ? -1 : 0;
}

csim_status csim_sim_enter(csim_sim *sim, int phase) {
  csim_world world;
  const csim_scene *scene = scene_of(sim, phase);
  if (sim->scene == scene) return CSIM_OK;
  int frames = frames_done(sim);
  csim_section before = csim_pool_section(sim->pool, CSIM_SECTION_START);
  csim_status status =
      csim_compile(scene, sim->tet_program, sim->pool, &sim->said.log, &sim->world, &world);
  world.renders = sim->world.renders;
  if (!status) status = check_world(sim, phase, &world);
  if (!status && carry_state(&world.contact, sim->world.model, world.model, &sim->state))
    status = csim_sim_no_memory(sim);
  if (status) {
    csim_world_free(&world);
    csim_pool_section(sim->pool, before);
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
    status = csim_sim_no_memory(sim);
  csim_pool_section(sim->pool, before);
  return status;
}

int csim_sim_phase_of(const csim_sim *sim, const csim_state *from) {
  return from->phase < sim->whole->nphase ? from->phase : 0;
}

csim_status csim_sim_go_on(csim_sim *sim, const csim_state *from, int frame) {
  int phase = csim_sim_phase_of(sim, from);
  csim_status status = csim_sim_enter(sim, phase);
  if (status) return status;
  if (from->nvert != sim->state.nvert)
    return csim_refuse(sim->log, csim_in_file(sim->whole->file),
                       "the checkpoint has %d vertices, the scene %d in this phase", from->nvert,
                       sim->state.nvert);
  int rest_frames = phase == from->phase ? from->rest_frames : 0;
  if (csim_state_copy(from, &sim->state)) return csim_sim_no_memory(sim);
  long long step = (long long)(frame - sim->whole->frame_start) * sim->scene->substeps;
  sim->state.phase = phase;
  sim->state.rest_frames = rest_frames;
  return csim_state_fit(sim->world.model, step, csim_sim_substep(sim->scene), &sim->state)
             ? csim_sim_no_memory(sim)
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
  return held < 0 ? csim_sim_no_memory(sim) : CSIM_OK;
}
