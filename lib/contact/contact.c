// contact/contact.c: see contact.h. What a call does in terms of the modules, which have the
// details.
#include "contact/contact.h"

#include "base/disjoint.h"
#include "contact/modules.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { VERT_GRAIN = 1024 };

// Passes to every module those that it uses.
static void connect(csim_contact *c, csim_scratch *scratch, double h) {
  c->reach = (csim_reach){.kin = &c->kin, .candidates = &c->candidates};
  c->narrow = (csim_narrow_phase){.reach = &c->reach, .scratch = scratch};
  c->active = (csim_active_set){
      .kin = &c->kin,
      .reach = &c->reach,
      .narrow = &c->narrow,
      .params = &c->params,
      .stiffness = {.kin = &c->kin, .reach = &c->reach, .thickness = c->params.thickness, .h = h}};
  c->friction = (csim_friction_set){.kin = &c->kin, .params = &c->params};
  c->hessian = (csim_contact_hessian){
      .active = &c->active, .friction = &c->friction, .tilts = {.active = &c->active}};
  c->glide = (csim_glide){.kin = &c->kin, .reach = &c->reach, .narrow = &c->narrow};
  c->filter = (csim_step_filter){.kin = &c->kin, .reach = &c->reach, .narrow = &c->narrow};
  c->carry =
      (csim_carry){.kin = &c->kin, .reach = &c->reach, .active = &c->active, .scratch = scratch};
  c->pinched = (csim_pinched){.kin = &c->kin,
                              .reach = &c->reach,
                              .narrow = &c->narrow,
                              .glide = &c->glide,
                              .mesh = &c->mesh};
  c->resolve = (csim_resolve){.kin = &c->kin, .reach = &c->reach, .narrow = &c->narrow};
  c->blocked = (csim_blocked){.kin = &c->kin, .reach = &c->reach, .narrow = &c->narrow};
  c->clearance = (csim_clearance){.kin = &c->kin, .candidates = &c->candidates};
}

csim_contact *csim_contact_create(csim_pool *pool, csim_scratch *scratch, const csim_model *model,
                                  int ncollider, const csim_collider *collider,
                                  const csim_contact_params *params, double h) {
  csim_contact *c = CSIM_NEW(csim_contact, 1);
  if (!c) return NULL;
  csim_arena *arena = &c->arena;
  c->params = *params;
  c->kin = (csim_kinematics){
      .pool = pool, .model = model, .mesh = &c->mesh, .ncollider = ncollider, .collider = collider};
  connect(c, scratch, h);
  if (csim_collision_mesh_build(arena, model, ncollider, collider, &c->mesh) ||
      csim_kinematics_create(arena, params, &c->kin) ||
      csim_candidates_create(&c->mesh, scratch, params->broad_phase, params->self,
                             params->thickness, params->share, &c->candidates) ||
      csim_reach_create(arena, &c->reach) || csim_narrow_phase_create(arena, &c->narrow) ||
      csim_active_set_create(arena, &c->active) ||
      csim_contact_hessian_create(arena, &c->hessian) || csim_glide_create(arena, &c->glide) ||
      csim_carry_create(arena, &c->carry) || csim_pinched_create(arena, params, &c->pinched) ||
      csim_blocked_create(arena, &c->blocked))
    goto failed;
  c->candidates.self_share = csim_contact_self_share(params);
  c->touching = CSIM_ARENA_NEW(arena, unsigned char, c->mesh.nbody_vert);
  if (arena->failed || csim_candidates_find_starts(pool, &c->candidates) ||
      csim_clearance_create(arena, &c->clearance))
    goto failed;
  return c;
failed:
  csim_contact_free(c);
  return NULL;
}

void csim_contact_free(csim_contact *contact) {
  if (!contact) return;
  csim_carry_free(&contact->carry);
  csim_resolve_free(&contact->resolve);
  csim_pinched_free(&contact->pinched);
  csim_contact_hessian_free(&contact->hessian);
  csim_friction_set_free(&contact->friction);
  csim_active_set_free(&contact->active);
  csim_narrow_phase_free(&contact->narrow);
  csim_step_filter_free(&contact->filter);
  csim_candidates_free(&contact->candidates);
  csim_arena_free(&contact->arena);
  free(contact);
}

size_t csim_contact_memory(const csim_contact *contact) {
  return contact->arena.used + contact->candidates.arena.used +
         contact->candidates.starts.arena.used;
}

// ------------------------------------------------------------------------------------------ state

// Where each module's part of the state begins: of kinematics, active contacts, clearance, and
// released vertices, which are last (csim_pinched_of).
typedef struct state_parts {
  ptrdiff_t active, clearance, pinched, end; // three-vectors
} state_parts;

static state_parts find_parts(const csim_contact *contact) {
  state_parts p;
  p.active = csim_kinematics_size(&contact->kin);
  p.clearance = p.active + csim_barrier_stiffness_size(&contact->active.stiffness);
  p.pinched = p.clearance + csim_clearance_size(contact->mesh.nbody_vert);
  p.end = p.pinched + csim_pinched_size(contact->mesh.nbody_vert, &contact->params);
  return p;
}

int csim_contact_kinematic_size(const csim_contact *contact) {
  return (int)find_parts(contact).end;
}

int csim_contact_accepts(const csim_contact *contact, const double *kinematic) {
  state_parts p = find_parts(contact);
  return csim_kinematics_accepts(&contact->kin, kinematic) &&
         csim_clearance_accepts(&contact->clearance, kinematic + 3 * p.clearance) &&
         csim_pinched_accepts(&contact->pinched, kinematic + 3 * p.pinched);
}

void csim_contact_save(const csim_contact *contact, double *kinematic) {
  state_parts p = find_parts(contact);
  csim_kinematics_save(&contact->kin, kinematic);
  csim_barrier_stiffness_save(&contact->active.stiffness, kinematic + 3 * p.active);
  csim_clearance_save(&contact->clearance, kinematic + 3 * p.clearance);
  csim_pinched_save(&contact->pinched, kinematic + 3 * p.pinched);
}

void csim_contact_load(csim_contact *contact, const double *kinematic) {
  state_parts p = find_parts(contact);
  csim_kinematics_load(&contact->kin, kinematic);
  csim_active_set_load(&contact->active, kinematic + 3 * p.active);
  csim_clearance_load(&contact->clearance, kinematic + 3 * p.clearance);
  csim_pinched_load(&contact->pinched, kinematic + 3 * p.pinched);
}

double *csim_contact_refine(const csim_contact_params *params, const csim_model *from,
                            const csim_model *to, const double *kinematic, int *n) {
  int was = csim_pinched_size(from->nvert, params), is = csim_pinched_size(to->nvert, params);
  ptrdiff_t pose = *n - csim_clearance_size(from->nvert) - was;
  ptrdiff_t size = pose + csim_clearance_size(to->nvert) + is;
  double *refined = CSIM_NEW(double, 3 * size);
  if (!refined) return NULL;
  memcpy(refined, kinematic, 3 * (size_t)pose * sizeof *refined);
  if (is) csim_pinched_refine(from, to, kinematic + 3 * (*n - was), refined + 3 * (size - is));
  *n = (int)size;
  return refined;
}

void csim_contact_place(csim_contact *contact, double time) {
  csim_kinematics_place(&contact->kin, time);
  csim_clearance_clear(&contact->clearance);
  csim_pinched_clear(&contact->pinched);
  csim_barrier_stiffness_clear(&contact->active.stiffness);
  csim_candidates_forget(&contact->candidates);
}

void csim_contact_restore(csim_contact *contact, const double *kinematic) {
  csim_contact_load(contact, kinematic);
  csim_candidates_forget(&contact->candidates);
}

void csim_contact_begin_frame(csim_contact *contact, double end) {
  csim_candidates_forget(&contact->candidates);
  csim_reach_begin_frame(&contact->reach, end);
  csim_pinched_begin_frame(&contact->pinched);
}

// ------------------------------------------------------------------------- begin and end of a step

static int note_failure(csim_contact *contact) {
  contact->failed = 1;
  return -1;
}

// Whether kin->d tears bodies to pieces: an edge's ends go apart by more than its length, on
// average. A list for such a motion would have every pair. Cloth whose stitches suddenly pulled ten
// times as hard filled 13 GB.
static int tears(const csim_contact *contact) {
  return csim_kinematics_tearing(&contact->kin) > contact->reach.edge;
}

static void mark_touching(const csim_contact *contact, unsigned char *touching) {
  const csim_active_set *active = &contact->active;
  for (int i = 0; i < active->n; i++)
    for (int k = 0; k < 4; k++)
      if (active->contact[i].w[k] != 0 && active->contact[i].v[k] < contact->mesh.nbody_vert)
        touching[active->contact[i].v[k]] = 1;
}

// Finds the active contacts with bodies at x.
static void evaluate_at(csim_contact *contact, const double *x) {
  csim_active_set_move(&contact->active, x);
  contact->failed |= csim_active_set_find(&contact->active) != 0;
}

int csim_contact_begin(csim_contact *contact, const double *x, const double *v,
                       const double *target, double time, double h) {
  csim_kinematics *kin = &contact->kin;
  contact->failed = 0;
  csim_kinematics_begin(kin, x, target, time, h);
  csim_active_set_begin(&contact->active);
  if (!csim_reach_lasts(&contact->reach)) {
    csim_kinematics_predict(kin, v);
    if (tears(contact)) csim_kinematics_predict(kin, NULL);
    if (csim_reach_collect(&contact->reach)) return note_failure(contact);
    csim_active_set_forget(&contact->active); // their order is the list's
    if (csim_pinched_review(&contact->pinched)) return note_failure(contact);
  }
  if (csim_clearance_grow(&contact->clearance, h)) csim_active_set_forget(&contact->active);
  // until it is updated, friction uses the contacts at the start, with the forces at the end of the
  // last step
  evaluate_at(contact, kin->x);
  csim_friction_set_begin(&contact->friction);
  contact->failed |= csim_friction_set_update(&contact->friction, &contact->active, 1) != 0;
  memset(contact->touching, 0, (size_t)contact->mesh.nbody_vert);
  mark_touching(contact, contact->touching);
  csim_active_set_stiffen(&contact->active);
  return contact->failed ? -1 : 0;
}

void csim_contact_find_touching(csim_contact *contact, const double *x, unsigned char *touching) {
  evaluate_at(contact, x);
  for (int i = 0; i < contact->mesh.nbody_vert; i++) touching[i] |= contact->touching[i];
  mark_touching(contact, touching);
}

void csim_contact_end(csim_contact *contact) {
  csim_kinematics_end(&contact->kin);
  csim_kinematics_measure_lag(&contact->kin);
}

csim_contact_report csim_contact_get_report(const csim_contact *contact) {
  return (csim_contact_report){.active = contact->active.found,
                               .lag = contact->kin.lag,
                               .lag_part = contact->kin.lag_part,
                               .released = contact->pinched.nreleased,
                               .widened = contact->clearance.widened};
}

int csim_contact_failed(const csim_contact *contact) {
  return contact->failed;
}

void csim_contact_normal_force(csim_contact *contact, const double *x, double *force) {
  const csim_active_set *active = &contact->active;
  memset(force, 0, (size_t)contact->mesh.nbody_vert * sizeof *force);
  if (!contact->candidates.valid) return;
  evaluate_at(contact, x);
  for (int i = 0; i < active->n; i++) {
    const csim_active_contact *c = &active->contact[i];
    for (int k = 0; k < 4; k++)
      if (c->w[k] != 0 && c->v[k] < contact->mesh.nbody_vert)
        force[c->v[k]] += fabs(c->w[k] * c->force);
  }
}

// ----------------------------------------------------------------------------------- initial guess

typedef struct guess_job {
  const csim_contact *contact;
  const double *v;
  double h, *x;
} guess_job;

static void guess_range(void *context, int first, int last) {
  const guess_job *job = context;
  const csim_contact *contact = job->contact;
  for (int i = first; i < last; i++)
    if (contact->touching[i] && csim_kinematics_is_free(&contact->kin, i))
      for (int k = 3 * i; k < 3 * i + 3; k++) job->x[k] = contact->kin.x[k] + job->h * job->v[k];
}

void csim_contact_initial_guess(const csim_contact *contact, const double *v, double h, double *x) {
  csim_pool_for(contact->kin.pool, contact->mesh.nbody_vert, VERT_GRAIN, guess_range,
                &(guess_job){contact, v, h, x});
}

// Whether what moves by kin->d closes a contact found last.
static int closes_contact(const csim_contact *contact) {
  const csim_kinematics *kin = &contact->kin;
  for (int i = 0; i < contact->active.n; i++) {
    const csim_active_contact *c = &contact->active.contact[i];
    double gap = 0, opening = 0;
    if (c->v[3] < 0) continue; // of a plane
    for (int k = 0; k < 4; k++) {
      gap += c->w[k] * csim_dot(c->n, kin->x + csim_xyz(c->v[k]));
      opening += c->w[k] * csim_dot(c->n, kin->d + csim_xyz(c->v[k]));
    }
    if (gap + opening <= 0) return 1;
  }
  return 0;
}

// Not tried where it would fail: attempts took a fifth of the time of a skirt on a walking body,
// which went ahead in one substep of four, as each finds new pairs for all of the body.
int csim_contact_go_ahead(csim_contact *contact) {
  csim_kinematics_predict(&contact->kin, NULL);
  if (closes_contact(contact)) return 0;
  return csim_glide_ahead(&contact->glide) ? note_failure(contact) : 0;
}

// Aims at a goal; if the motion would tear bodies, they stay. Returns the goal, or NULL.
static const double *aim_untorn(csim_contact *contact, const double *goal) {
  csim_kinematics_aim(&contact->kin, goal);
  if (!goal || !tears(contact)) return goal;
  csim_kinematics_aim(&contact->kin, NULL);
  return NULL;
}

int csim_contact_advance(csim_contact *contact, const double *goal, double *x) {
  csim_kinematics *kin = &contact->kin;
  csim_kinematics_advance_planes(kin);
  if (kin->time_left > 0) {
    goal = aim_untorn(contact, goal);
    double share = csim_glide_together(&contact->glide, 1);
    int failed = share < 0 || (share < 1 && csim_glide_apart(&contact->glide, goal));
    if (failed) return note_failure(contact);
  }
  if (csim_step_filter_advance(&contact->filter, goal)) return note_failure(contact);
  csim_vector_copy(kin->pool, 3 * contact->mesh.nbody_vert, kin->x, x);
  return 0;
}

int csim_contact_advance_together(csim_contact *contact, const double *goal, double *x) {
  aim_untorn(contact, goal);
  if (csim_glide_together(&contact->glide, 1) < 0) return note_failure(contact);
  return csim_contact_advance(contact, NULL, x);
}

// --------------------------------------------------------------------------------------- potential

void csim_contact_update_friction(csim_contact *contact, const double *x, double share) {
  evaluate_at(contact, x);
  contact->failed |= csim_friction_set_update(&contact->friction, &contact->active, share) != 0;
}

void csim_contact_gradient(csim_contact *contact, const double *x, double *g) {
  evaluate_at(contact, x);
  contact->failed |= csim_pinched_add(&contact->pinched, contact->active.x, &contact->active) != 0;
  csim_active_set_gradient(&contact->active, g);
  contact->failed |=
      csim_friction_set_gradient(&contact->friction, contact->active.x, 1, 0, g) != 0;
}

double csim_contact_value(csim_contact *contact, const double *x) {
  csim_active_set_move(&contact->active, x);
  double barrier;
  contact->failed |= csim_active_set_value(&contact->active, &barrier) != 0;
  return barrier + csim_friction_set_value(&contact->friction, contact->active.x) +
         csim_pinched_value(&contact->pinched, contact->active.x);
}

void csim_contact_friction(csim_contact *contact, const double *x, double of_limit,
                           double of_change, double *g) {
  csim_active_set_move(&contact->active, x);
  memset(g, 0, 3 * (size_t)contact->mesh.nbody_vert * sizeof *g);
  contact->failed |= csim_friction_set_gradient(&contact->friction, contact->active.x, of_limit,
                                                of_change, g) != 0;
}

void csim_contact_join(const csim_contact *contact, int *set) {
  const csim_collision_mesh *mesh = &contact->mesh;
  for (int i = 0; i < contact->active.n; i++) {
    const csim_active_contact *c = &contact->active.contact[i];
    int part = -1; // a body
    for (int k = 0; k < 4; k++) {
      if (c->w[k] == 0 || c->v[k] < 0 || c->v[k] >= mesh->nbody_vert) continue;
      int other = mesh->body_part[c->v[k]];
      if (part >= 0 && part != other) csim_disjoint_join(set, part, other);
      part = other;
    }
  }
}

// ----------------------------------------------------------------------------------------- Hessian

int csim_contact_find_blocks(csim_contact *contact, int *place) {
  return csim_contact_hessian_begin(&contact->hessian, place) ? note_failure(contact) : 0;
}

void csim_contact_build_blocks(csim_contact *contact, const int *place, double *val) {
  csim_contact_hessian_build(&contact->hessian, place, val);
}

void csim_contact_fail(csim_contact *contact) {
  csim_contact_hessian_clear(&contact->hessian);
  contact->failed = 1;
}

int csim_contact_couplings(const csim_contact *contact, csim_couplings *couplings) {
  return csim_contact_hessian_couplings(&contact->hessian, couplings);
}

int csim_contact_is_coupled(const csim_contact *contact) {
  return contact->hessian.nrow > 0;
}

csim_loop csim_contact_begin_multiply(csim_contact *contact, const double *x) {
  return csim_contact_hessian_begin_multiply(&contact->hessian, x);
}

double csim_contact_multiply_rest(csim_pool *pool, const csim_contact *contact, const double *x,
                                  double *y) {
  return csim_contact_hessian_multiply(pool, &contact->hessian, x, y);
}

// ----------------------------------------------------------------------------------- step limiting

double *csim_contact_displacements(const csim_contact *contact) {
  return contact->kin.d;
}

typedef struct proposal_job {
  const csim_contact *contact;
  const double *d;
} proposal_job;

// Takes the proposed displacements d of the free vertices.
static void take_proposal(void *context, int first, int last) {
  const proposal_job *job = context;
  const csim_kinematics *kin = &job->contact->kin;
  for (int i = first; i < last; i++) {
    double *d = kin->d + csim_xyz(i);
    if (!csim_kinematics_is_free(kin, i))
      memset(d, 0, 3 * sizeof *d);
    else if (job->d != kin->d)
      memcpy(d, job->d + csim_xyz(i), 3 * sizeof *d);
  }
}

typedef enum filter_kind { VERTICES, ALL, ALL_RESOLVED } filter_kind;

static double shorten(csim_contact *contact, filter_kind kind) {
  if (kind == VERTICES) return csim_step_filter_limit(&contact->filter);
  if (kind == ALL_RESOLVED) {
    int changed = csim_resolve_motion(&contact->resolve, CSIM_GAP_HALVES);
    if (changed < 0 || (changed && csim_reach_update(&contact->reach, 0))) return -1;
  }
  return csim_glide_limit(&contact->glide);
}

static double filter(csim_contact *contact, filter_kind kind, double *d) {
  csim_kinematics *kin = &contact->kin;
  csim_kinematics_stop_colliders(kin);
  csim_pool_for(kin->pool, contact->mesh.nbody_vert, VERT_GRAIN, take_proposal,
                &(proposal_job){contact, d});
  if (csim_reach_update(&contact->reach, 0)) return note_failure(contact);
  double least = shorten(contact, kind);
  if (least < 0) return note_failure(contact);
  if (d != kin->d) csim_vector_copy(kin->pool, 3 * contact->mesh.nbody_vert, kin->d, d);
  return least;
}

double csim_contact_filter(csim_contact *contact, double *d) {
  return filter(contact, VERTICES, d);
}

double csim_contact_filter_together(csim_contact *contact, int resolves, double *d) {
  return filter(contact, resolves ? ALL_RESOLVED : ALL, d);
}

void csim_contact_apply(csim_contact *contact, double alpha, double *x) {
  csim_kinematics_displace(&contact->kin, alpha);
  assert(csim_reach_holds(&contact->reach));
  csim_vector_copy(contact->kin.pool, 3 * contact->mesh.nbody_vert, contact->kin.x, x);
}

// --------------------------------------------------------------------- colliders and pins that lag

int csim_contact_catch_up(csim_contact *contact, double *x) {
  if (!csim_kinematics_pins_or_planes_lag(&contact->kin)) return 0;
  return csim_contact_advance(contact, NULL, x);
}

int csim_contact_pins_are_behind(const csim_contact *contact) {
  return csim_kinematics_pins_are_behind(&contact->kin);
}

void csim_contact_aim_pins(const csim_contact *contact, double most, double *d) {
  csim_kinematics_aim_pins(&contact->kin, most, d);
}

int csim_contact_colliders_are_behind(const csim_contact *contact) {
  return csim_kinematics_colliders_are_behind(&contact->kin);
}

int csim_contact_colliders_fall_behind(const csim_contact *contact) {
  return csim_kinematics_colliders_fall_behind(&contact->kin);
}

double csim_contact_make_way(csim_contact *contact, const double *d, double *g) {
  csim_kinematics *kin = &contact->kin;
  memcpy(kin->d, d, 3 * (size_t)contact->mesh.nbody_vert * sizeof *d);
  csim_kinematics_aim_colliders(kin, 1);
  if (csim_reach_update(&contact->reach, 0)) return note_failure(contact);
  contact->failed |= csim_active_set_find(&contact->active) != 0;
  double approach = csim_guides_add(&contact->active, g);
  if (approach < 0) note_failure(contact);
  csim_active_set_forget(&contact->active);
  return approach;
}

// Glides in several legs, as no vertex may move farther at once than its reach. Returns the share
// of the whole motion that was made.
static double glide_on(csim_contact *contact, const double *d, double most) {
  enum { MOST_LEGS = 20 };
  csim_kinematics *kin = &contact->kin;
  double gone = 0;
  for (int leg = 0; leg < MOST_LEGS && gone < most; leg++) {
    for (int i = 0; i < 3 * contact->mesh.nbody_vert; i++) kin->d[i] = (1 - gone) * d[i];
    double left = most < 1 ? (most - gone) / (1 - gone) : 1;
    double share = csim_glide_together(&contact->glide, left);
    if (share < 0) return share;
    gone = share < left ? gone + (1 - gone) * share : most;
    if (contact->glide.stopped) break;
  }
  return gone;
}

double csim_contact_go_together(csim_contact *contact, double most, double *d, double *x) {
  csim_kinematics *kin = &contact->kin;
  size_t n = 3 * (size_t)contact->mesh.nbody_vert;
  csim_active_set_forget(&contact->active);
  memcpy(kin->d, d, n * sizeof *d);
  csim_kinematics_aim_colliders(kin, 1);
  if (csim_resolve_motion(&contact->resolve, CSIM_GAP_STAYS) < 0) return note_failure(contact);
  // conditions of plates that close on a sheet contradict each other: they would stop early
  if (contact->resolve.done) memcpy(d, kin->d, n * sizeof *d);
  double share = glide_on(contact, d, most);
  // crumpled cloth stops itself: a collider that moves away needs no cloth to move
  if (share == 0) {
    memset(kin->d, 0, n * sizeof *kin->d);
    share = csim_glide_together(&contact->glide, 1);
  }
  if (share < 0) note_failure(contact);
  memcpy(x, kin->x, n * sizeof *x);
  return share;
}

double csim_contact_carry(csim_contact *contact, double *x) {
  evaluate_at(contact, x);
  if (csim_carry_find(&contact->carry)) return note_failure(contact);
  csim_active_set_forget(&contact->active);
  double share = glide_on(contact, contact->carry.u, 1);
  if (share < 0) note_failure(contact);
  memcpy(x, contact->kin.x, 3 * (size_t)contact->mesh.nbody_vert * sizeof *x);
  return share;
}

int csim_contact_hold(csim_contact *contact, const double *d) {
  if (contact->pinched.on) return 0;
  csim_active_set_forget(&contact->active);
  int held = csim_blocked_hold(&contact->blocked, d);
  return held < 0 ? note_failure(contact) : held;
}

int csim_contact_release(csim_contact *contact, const double *d, double *x) {
  csim_kinematics *kin = &contact->kin;
  int count = 0, failed = 0;
  if (!contact->pinched.on) return 0;
  csim_active_set_forget(&contact->active);
  if (d) count = csim_pinched_release(&contact->pinched, d);
  if (count == 0) {
    failed = csim_pinched_pass(&contact->pinched);
    memcpy(x, kin->x, 3 * (size_t)contact->mesh.nbody_vert * sizeof *x);
  }
  if (count < 0 || failed) return note_failure(contact);
  return 1;
}
