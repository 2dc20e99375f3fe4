// contact/contact.c: see contact.h. Making, loading, and the order of things in a step.
#include "contact/contact.h"

#include "math/vec3.h"
#include "math/vector.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRICTION_GRAIN = 256 };

static void create_planes(csim_contact *contact) {
  for (int k = 0; k < contact->ncollider; k++) {
    if (contact->collider[k].shape != CSIM_COLLIDER_PLANE) continue;
    contact->plane[contact->nplane++] =
        (csim_contact_plane){.collider = &contact->collider[k], .part = contact->mesh.nbody + k};
  }
  csim_contact_schedule(contact, 0);
  for (int k = 0; k < contact->nplane; k++) {
    csim_contact_plane *p = &contact->plane[k];
    memcpy(p->n, p->goal_n, sizeof p->n);
    memcpy(p->n0, p->goal_n, sizeof p->n0);
    p->offset = p->offset0 = p->goal_offset;
  }
}

csim_contact *csim_contact_create(csim_pool *pool, csim_scratch *scratch, const csim_model *model,
                                  int ncollider, const csim_collider *collider,
                                  const csim_contact_params *params) {
  csim_contact *contact = CSIM_NEW(csim_contact, 1);
  if (!contact) return NULL;
  *contact = (csim_contact){.pool = pool,
                            .scratch = scratch,
                            .model = model,
                            .params = *params,
                            .frame_end = INFINITY,
                            .ncollider = ncollider,
                            .collider = collider};
  csim_arena *arena = &contact->arena;
  csim_collision_mesh *mesh = &contact->mesh;
  if (csim_collision_mesh_build(arena, model, ncollider, collider, mesh)) goto failed;
  ptrdiff_t n = mesh->nvert, nbody = mesh->nbody_vert;
  contact->edge = csim_collision_mesh_mean_edge(mesh);
  if (csim_candidates_create(mesh, scratch, params->broad_phase, params->self, params->thickness,
                             &contact->near) ||
      csim_contact_reserve_screen(contact))
    goto failed;
  contact->near.share = params->share;
  contact->plane = CSIM_ARENA_NEW(arena, csim_contact_plane, ncollider);
  contact->scheduled = CSIM_ARENA_NEW(arena, unsigned char, n);
  contact->reached = CSIM_ARENA_NEW(arena, double, ncollider);
  contact->goal_time = CSIM_ARENA_NEW(arena, double, ncollider);
  contact->stuck = CSIM_ARENA_NEW(arena, int, ncollider);
  contact->x = CSIM_ARENA_NEW(arena, double, 3 * n);
  contact->collider_start = CSIM_ARENA_NEW(arena, double, 3 * (n - nbody));
  contact->touching = CSIM_ARENA_NEW(arena, unsigned char, nbody);
  contact->goal = CSIM_ARENA_NEW(arena, double, 3 * (n - nbody));
  contact->look = CSIM_ARENA_NEW(arena, double, 3 * n);
  contact->d = CSIM_ARENA_NEW(arena, double, 3 * n);
  contact->press = CSIM_ARENA_NEW(arena, double, mesh->npart);
  contact->moved = CSIM_ARENA_NEW(arena, float, n);
  contact->allowed = CSIM_ARENA_NEW(arena, float, n);
  contact->held = CSIM_ARENA_NEW(arena, _Atomic unsigned char, n);
  contact->touched_row = CSIM_ARENA_NEW(arena, int, nbody);
  if (arena->failed) goto failed;
  csim_collision_mesh_starts(mesh, contact->x);
  memcpy(contact->scheduled, model->fixed, (size_t)nbody);
  memset(contact->scheduled + nbody, 1, (size_t)(n - nbody));
  create_planes(contact);
  return contact;
failed:
  csim_contact_free(contact);
  return NULL;
}

void csim_contact_free(csim_contact *contact) {
  if (!contact) return;
  csim_candidates_free(&contact->near);
  free(contact->term);
  free(contact->friction);
  free(contact->corners);
  free(contact->product);
  csim_compaction_free(&contact->active);
  csim_compaction_free(&contact->chosen);
  free(contact->chunk_energy);
  free(contact->brief);
  free(contact->around);
  free(contact->touched);
  free(contact->touched_start);
  free(contact->diag);
  csim_arena_free(&contact->arena);
  free(contact);
}

size_t csim_contact_memory(const csim_contact *contact) {
  return contact->arena.used + contact->near.arena.used;
}

int csim_contact_kinematic_size(const csim_contact *contact) {
  return contact->mesh.nvert - contact->mesh.nbody_vert + 2 * contact->nplane + contact->ncollider;
}

void csim_contact_save(const csim_contact *contact, double *kinematic) {
  const csim_collision_mesh *mesh = &contact->mesh;
  ptrdiff_t n = 3 * (ptrdiff_t)(mesh->nvert - mesh->nbody_vert);
  memcpy(kinematic, contact->x + 3 * (ptrdiff_t)mesh->nbody_vert, (size_t)n * sizeof *kinematic);
  for (int k = 0; k < contact->nplane; k++) {
    double *out = kinematic + n + 6 * (ptrdiff_t)k;
    memcpy(out, contact->plane[k].n, 3 * sizeof *out);
    out[3] = contact->plane[k].offset;
    out[4] = out[5] = 0;
  }
  double *out = kinematic + n + 6 * (ptrdiff_t)contact->nplane;
  for (int k = 0; k < contact->ncollider; k++, out += 3) {
    out[0] = contact->reached[k];
    out[1] = contact->stuck[k];
    out[2] = 0;
  }
}

void csim_contact_load(csim_contact *contact, const double *kinematic) {
  const csim_collision_mesh *mesh = &contact->mesh;
  ptrdiff_t n = 3 * (ptrdiff_t)(mesh->nvert - mesh->nbody_vert);
  memcpy(contact->x + 3 * (ptrdiff_t)mesh->nbody_vert, kinematic, (size_t)n * sizeof *kinematic);
  for (int k = 0; k < contact->nplane; k++) {
    const double *in = kinematic + n + 6 * (ptrdiff_t)k;
    memcpy(contact->plane[k].n, in, 3 * sizeof *in);
    contact->plane[k].offset = in[3];
  }
  const double *in = kinematic + n + 6 * (ptrdiff_t)contact->nplane;
  for (int k = 0; k < contact->ncollider; k++, in += 3) {
    contact->reached[k] = in[0];
    contact->stuck[k] = (int)in[1];
  }
}

void csim_contact_forget(csim_contact *contact) {
  contact->near.valid = 0;
}

// A vertex that rests under its own weight gives way by a tenth of the thickness or, at long steps,
// by what it falls in one: softer contacts would let a layer sink, harder ones slow the solver.
static double choose_stiffness(const csim_contact *contact, double h) {
  double weight = 10 * csim_norm(contact->model->gravity) / contact->params.thickness;
  return csim_max(weight, 1 / (h * h));
}

static void mark_touching(const csim_contact *contact, unsigned char *touching) {
  for (int i = 0; i < contact->nterm; i++)
    for (int k = 0; k < 4; k++)
      if (contact->term[i].w[k] != 0 && contact->term[i].v[k] < contact->mesh.nbody_vert)
        touching[contact->term[i].v[k]] = 1;
}

int csim_contact_begin(csim_contact *contact, const double *x, const double *v,
                       const double *target, double time, double h) {
  const csim_collision_mesh *mesh = &contact->mesh;
  contact->report = (csim_contact_report){.least = 1};
  contact->failed = 0;
  contact->h = contact->time_left = h;
  contact->now = time - h;
  csim_vector_copy(contact->pool, 3 * mesh->nbody_vert, x, contact->x);
  contact->stiffness = choose_stiffness(contact, h);
  contact->slip = contact->params.slip * h;
  csim_contact_schedule(contact, time);
  csim_contact_measure_ways(contact);
  contact->target = target;
  // the list, for this step and some more
  csim_candidates *near = &contact->near;
  if (!near->valid || near->clock + h > near->horizon) {
    csim_contact_aim(contact, NULL);
    csim_contact_aim_colliders(contact, 1);
    for (int i = 0; i < mesh->nbody_vert; i++)
      if (!contact->scheduled[i])
        for (int k = 3 * i; k < 3 * i + 3; k++) contact->d[k] = h * v[k];
    if (csim_contact_collect(contact)) return -1;
  }
  csim_vector_copy(contact->pool, 3 * mesh->nvert, contact->x, contact->look);
  contact->body_start = x;
  memcpy(contact->collider_start, contact->x + 3 * (ptrdiff_t)mesh->nbody_vert,
         3 * (size_t)(mesh->nvert - mesh->nbody_vert) * sizeof *x);
  contact->marked = contact->seen = 0;
  csim_contact_find_terms(contact);
  memset(contact->touching, 0, (size_t)mesh->nbody_vert);
  contact->nfriction = 0;
  csim_contact_lag_friction(contact);
  mark_touching(contact, contact->touching);
  return contact->failed ? -1 : 0;
}

void csim_contact_calm_start(const csim_contact *contact, const double *v, double h,
                             double *start) {
  for (int i = 0; i < contact->mesh.nbody_vert; i++)
    if (contact->touching[i] && csim_contact_is_free(contact, i))
      for (int k = 3 * i; k < 3 * i + 3; k++) start[k] = contact->x[k] + h * v[k];
}

typedef struct look_job {
  const double *x;
  double *look;
} look_job;

// Returns how many chunks have changed.
static double look_range(void *context, int first, int last) {
  const look_job *job = context;
  size_t bytes = (size_t)(last - first) * sizeof *job->x;
  if (!memcmp(job->look + first, job->x + first, bytes)) return 0;
  memcpy(job->look + first, job->x + first, bytes);
  return 1;
}

static void look_at(csim_contact *contact, const double *x) {
  int nbody = 3 * contact->mesh.nbody_vert, n = 3 * contact->mesh.nvert;
  look_job bodies = {x, contact->look}, rest = {contact->x + nbody, contact->look + nbody};
  double changed = csim_pool_sum(contact->pool, nbody, look_range, &bodies) +
                   csim_pool_sum(contact->pool, n - nbody, look_range, &rest);
  if (changed > 0) contact->marked = contact->seen = 0;
}

void csim_contact_find_touching(csim_contact *contact, const double *x, unsigned char *touching) {
  look_at(contact, x);
  csim_contact_find_terms(contact);
  for (int i = 0; i < contact->mesh.nbody_vert; i++) touching[i] |= contact->touching[i];
  mark_touching(contact, touching);
}

double csim_contact_value(csim_contact *contact, const double *x) {
  look_at(contact, x);
  return csim_contact_terms_value(contact) + csim_contact_friction_value(contact);
}

static void add_force(const csim_contact *contact, const int v[4], const double w[4],
                      const double *force, double *g) {
  for (int k = 0; k < 4; k++)
    if (w[k] != 0 && csim_contact_is_free(contact, v[k]))
      csim_add_scaled(w[k], force, g + 3 * (ptrdiff_t)v[k]);
}

static void friction_forces(void *context, int first, int last) {
  csim_contact *c = context;
  double B[9];
  for (int i = first; i < last; i++)
    csim_contact_friction_force(c, &c->friction[i], c->product + 3 * (ptrdiff_t)i, B);
}

static void add_friction(csim_contact *contact, double *g) {
  int n = contact->nfriction;
  if (csim_contact_grow_product(contact, n)) return;
  csim_pool_for(contact->pool, n, FRICTION_GRAIN, friction_forces, contact);
  for (int i = 0; i < n; i++) {
    const csim_friction_term *f = &contact->friction[i];
    add_force(contact, f->v, f->w, contact->product + 3 * (ptrdiff_t)i, g);
  }
}

void csim_contact_gradient(csim_contact *contact, const double *x, double *g) {
  look_at(contact, x);
  csim_contact_find_terms(contact);
  for (int i = 0; i < contact->nterm; i++) {
    const csim_contact_term *t = &contact->term[i];
    double force[3] = {t->force * t->n[0], t->force * t->n[1], t->force * t->n[2]};
    add_force(contact, t->v, t->w, force, g);
  }
  add_friction(contact, g);
}

void csim_contact_press(csim_contact *contact, const double *x, double *force) {
  memset(force, 0, (size_t)contact->mesh.nbody_vert * sizeof *force);
  if (!contact->near.valid) return;
  look_at(contact, x);
  csim_contact_find_terms(contact);
  for (int i = 0; i < contact->nterm; i++) {
    const csim_contact_term *t = &contact->term[i];
    for (int k = 0; k < 4; k++)
      if (t->v[k] < contact->mesh.nbody_vert) force[t->v[k]] += fabs(t->w[k] * t->force);
  }
}
