// contact/friction.c: see friction.h.
//
// The Hessian across the slip is that of the secant, mu N f1/y. So it is along the slip at first,
// where it bounds the energy from above: with the tangent, which vanishes for what slides, steps
// cycle between sticking and slipping (a board took 5.8 iterations a substep instead of 1.9). But
// slip then grows only by the ratio of the pull to mu N in an iteration, and cloth pressed hard
// needed dozens. So a contact that goes on slipping the same way has less along the slip
// (share_along).
#include "contact/friction.h"

#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FRICTION_GRAIN = 256 };

// Stiffness of sticking relative to the bodies' own, at most, where they are pressed harder than
// soft contacts could. Stress that friction holds there fades by a 250th in a step.
static const double STICK = 250;

double csim_friction_coefficient(const csim_contact_params *params, const csim_model *model,
                                 const csim_collider *collider, int a, int b,
                                 const double factor[2]) {
  double at_a = factor ? factor[0] : 1, at_b = factor ? factor[1] : 1;
  for (int k = 0; k < params->nfriction; k++) {
    const csim_pair_friction *f = &params->pair_friction[k];
    if ((f->part[0] == a && f->part[1] == b) || (f->part[0] == b && f->part[1] == a))
      return f->friction * at_a * at_b;
  }
  double of_a = a < model->nbody ? model->body[a].friction : collider[a - model->nbody].friction;
  double of_b = b < model->nbody ? model->body[b].friction : collider[b - model->nbody].friction;
  return csim_min(at_a * of_a, at_b * of_b);
}

void csim_friction_factors(const csim_model *model, const int v[4], const double w[4],
                           const int part[2], double factor[2]) {
  for (int side = 0; side < 2; side++) {
    factor[side] = 1;
    if (part[side] >= model->nbody) continue;
    const csim_body *body = &model->body[part[side]];
    double sum = 0, weight = 0;
    for (int k = 0; k < 4 && body->factor[CSIM_FACTOR_FRICTION]; k++) {
      double own = fabs(w[k]);
      if (!(own > 0) || v[k] < 0 || v[k] >= model->nvert) continue;
      if (model->body_of[v[k]] != part[side]) continue;
      if (part[0] == part[1] && (w[k] < 0) != side)
        continue; // one body: sides by the signs of weights
      sum += own * csim_body_factor(body, CSIM_FACTOR_FRICTION, v[k] - body->vert0);
      weight += own;
    }
    if (weight > 0) factor[side] = sum / weight;
  }
}

void csim_friction_set_free(csim_friction_set *set) {
  free(set->contact);
  free(set->next);
  csim_buckets_free(&set->buckets);
  free(set->force);
}

// Slip from which a contact's friction has its full size [m], given its stiffness by mass
// [N/m per kg]. It is that of params where bodies rest or slide by their weight, so that they do
// not creep.
static double full_slip(const csim_friction_set *set, const csim_friction_contact *f, double mu,
                        double stiffness) {
  const csim_kinematics *kin = set->kin;
  double resistance = 0, soft = 0;
  int bodies = 0;
  for (int k = 0; k < 4; k++) {
    if (f->v[k] < 0 || f->v[k] >= kin->mesh->nbody_vert) continue;
    resistance += csim_kinematics_resistance(kin, f->v[k]);
    soft += stiffness * kin->mesh->mass[f->v[k]] * set->params->thickness;
    bodies++;
  }
  double slip = set->params->slip * kin->h, beyond = fabs(f->limit) * bodies - mu * soft;
  return resistance > 0 ? csim_max(slip, beyond / (STICK * resistance)) : slip;
}

// Of a plane's contact, v[3] is the number of the plane.
static int part_of(const csim_kinematics *kin, int v) {
  return v < 0 ? -1 - v : csim_collision_mesh_part(kin->mesh, v);
}

typedef struct update_job {
  csim_friction_set *set;
  const csim_active_set *active;
  double share; // of the new limits
} update_job;

// Finds the friction of active contacts; its limit is 0 where there is none.
static void update_range(void *context, int first, int last) {
  const update_job *job = context;
  const csim_friction_set *set = job->set;
  const csim_kinematics *kin = set->kin;
  for (int i = first; i < last; i++) {
    const csim_active_contact *c = &job->active->contact[i];
    csim_friction_contact *f = &set->next[i];
    *f = (csim_friction_contact){.along = 1};
    // Stitches hold the sides of a seam. Friction there held nothing, and stitches press hard: a
    // cushion took 14 iterations a substep instead of 9.
    if (csim_collision_mesh_is_sewn(kin->mesh, c->v, c->w)) continue;
    double factor[2];
    int part[2] = {part_of(kin, c->v[0]), part_of(kin, c->v[3])};
    csim_friction_factors(kin->model, c->v, c->w, part, factor);
    double mu =
        csim_friction_coefficient(set->params, kin->model, kin->collider, part[0], part[1], factor);
    if (!(mu * fabs(c->force) > 0)) continue;
    f->limit = -mu * c->force;
    memcpy(f->v, c->v, sizeof f->v);
    memcpy(f->w, c->w, sizeof f->w);
    memcpy(f->n, c->n, sizeof f->n);
    f->eps = full_slip(set, f, mu, csim_barrier_stiffness_inertia(&job->active->stiffness, f->v));
    f->change = f->limit;
    f->limit *= job->share;
    for (int k = 0; k < 4; k++)
      if (f->w[k] != 0) csim_add_scaled(f->w[k], csim_kinematics_start(kin, f->v[k]), f->start);
    if (f->v[3] < 0) { // slip is relative to the plane's own motion
      double way[3];
      csim_planes_way(&kin->planes, part[1], f->start, way);
      csim_add_scaled(1, way, f->start);
    }
  }
}

typedef struct slip_job {
  csim_friction_set *set;
  int nlast;    // of `contact`; the others are of `next`
  double share; // of the new limits
} slip_job;

static const int *pair_of(const slip_job *job, int i) {
  return i < job->nlast ? job->set->contact[i].v : job->set->next[i - job->nlast].v;
}

static uint64_t hash_of(const int v[4]) {
  return csim_hash_bytes(CSIM_HASH_START, v, 4 * sizeof *v);
}

static uint64_t bucket_of(const void *context, int i, int shift) {
  return csim_bucket_of(pair_of(context, i)[0], shift);
}

typedef struct pair {
  const csim_friction_contact *contact;
  const int *v; // (4)
} pair;

static int is_of_pair(const void *wanted, int number) {
  const pair *p = wanted;
  return !memcmp(p->contact[number].v, p->v, 4 * sizeof *p->v);
}

// Contact f of `next` takes the slip of that of the last list, and what is left of its limit.
static void keep_from(csim_friction_contact *last, double share, csim_friction_contact *f) {
  memcpy(f->last, last->last, sizeof f->last);
  f->along = last->along;
  f->eps = share * f->eps + (1 - share) * last->eps;
  f->limit += (1 - share) * last->limit;
  f->change -= last->limit;
  last->limit = last->change = 0;
}

// Within a bucket contacts of the last list come first.
static void keep_bucket(void *context, int bucket) {
  const slip_job *job = context;
  csim_friction_set *set = job->set;
  const csim_buckets *b = &set->buckets;
  csim_hash_table places = csim_buckets_table(b, bucket);
  for (int k = b->start[bucket]; k < b->start[bucket + 1]; k++) {
    int i = csim_bucket_item(b, k);
    const int *v = pair_of(job, i);
    int *place = csim_hash_table_find(&places, hash_of(v), is_of_pair, &(pair){set->contact, v});
    if (i < job->nlast) {
      if (!*place) *place = 1 + i;
    } else if (*place) {
      keep_from(&set->contact[*place - 1], job->share, &set->next[i - job->nlast]);
    }
  }
}

// Contacts of `next` that were there before get their last slip: that of the first, where a pair
// had several. Returns 0, or -1 when out of memory.
static int keep_slips(csim_friction_set *set, int n, double share) {
  slip_job job = {set, set->n, share};
  csim_pool *pool = set->kin->pool;
  if (set->n == 0) return 0;
  if (csim_buckets_fill(pool, &set->buckets, set->kin->mesh->nvert, set->n + n, bucket_of, &job) ||
      csim_buckets_reserve_tables(&set->buckets))
    return -1;
  csim_pool_run(pool, set->buckets.n, keep_bucket, &job);
  return 0;
}

// Appends to the n contacts of `next` what is left of the others. Returns how many there are then,
// or -1 when out of memory.
static int keep_others(csim_friction_set *set, int n, double share) {
  if (!(share < 1)) return n;
  if (CSIM_GROW(set->next, set->next_capacity, n + (ptrdiff_t)set->n)) return -1;
  for (int i = 0; i < set->n; i++) {
    if (set->contact[i].limit == 0) continue;
    csim_friction_contact *f = &set->next[n++];
    *f = set->contact[i];
    f->change = -f->limit;
    f->limit *= 1 - share;
  }
  return n;
}

static int fail(csim_friction_set *set) {
  set->n = 0;
  return -1;
}

int csim_friction_set_update(csim_friction_set *set, const csim_active_set *active, double share) {
  int n = 0;
  if (CSIM_GROW(set->next, set->next_capacity, active->n)) return fail(set);
  csim_pool_for(set->kin->pool, active->n, FRICTION_GRAIN, update_range,
                &(update_job){set, active, share});
  for (int i = 0; i < active->n; i++) {
    if (set->next[i].change == 0) continue;
    if (n < i) set->next[n] = set->next[i];
    n++;
  }
  if (keep_slips(set, n, share)) return fail(set);
  n = keep_others(set, n, share);
  if (n < 0) return fail(set);
  csim_friction_contact *last = set->contact;
  ptrdiff_t capacity = set->capacity;
  set->contact = set->next;
  set->capacity = set->next_capacity;
  set->next = last;
  set->next_capacity = capacity;
  set->n = n;
  return 0;
}

// Slip perpendicular to the normal since the start of the step.
static double slip_of(const csim_friction_contact *f, const double *x, double u[3]) {
  for (int c = 0; c < 3; c++) u[c] = -f->start[c];
  for (int k = 0; k < 4; k++)
    if (f->w[k] != 0) csim_add_scaled(f->w[k], x + csim_xyz(f->v[k]), u);
  csim_add_scaled(-csim_dot(u, f->n), f->n, u);
  return csim_norm(u);
}

typedef struct friction_job {
  const csim_friction_set *set;
  const double *x;
  double of_limit, of_change;
} friction_job;

static double sum_energies(void *context, int first, int last) {
  const friction_job *job = context;
  double sum = 0, u[3];
  for (int i = first; i < last; i++) {
    const csim_friction_contact *f = &job->set->contact[i];
    double y = slip_of(f, job->x, u);
    sum += f->limit * (y < f->eps ? y * y / (2 * f->eps) : y - f->eps / 2);
  }
  return sum;
}

double csim_friction_set_value(const csim_friction_set *set, const double *x) {
  return csim_pool_sum_beside(set->kin->pool, NULL, set->n, FRICTION_GRAIN, sum_energies,
                              &(friction_job){set, x, 1, 0});
}

// limit f1/y, and the slip u.
static double secant(const csim_friction_contact *f, double limit, const double *x, double u[3]) {
  return limit / csim_max(f->eps, slip_of(f, x, u));
}

static void set_forces(void *context, int first, int last) {
  const friction_job *job = context;
  double u[3];
  for (int i = first; i < last; i++) {
    const csim_friction_contact *f = &job->set->contact[i];
    double limit = job->of_limit * f->limit + job->of_change * f->change;
    double s = secant(f, limit, job->x, u);
    for (int c = 0; c < 3; c++) job->set->force[csim_xyz(i) + c] = s * u[c];
  }
}

int csim_friction_set_gradient(csim_friction_set *set, const double *x, double of_limit,
                               double of_change, double *g) {
  double *force = csim_grow(set->force, &set->force_capacity, set->n, 3 * sizeof *force);
  if (!force) return -1;
  set->force = force;
  csim_pool_for(set->kin->pool, set->n, FRICTION_GRAIN, set_forces,
                &(friction_job){set, x, of_limit, of_change});
  for (int i = 0; i < set->n; i++) {
    const csim_friction_contact *f = &set->contact[i];
    csim_contact_add_force(set->kin, f->v, f->w, force + csim_xyz(i), g);
  }
  return 0;
}

// Share of the secant that contact f has along its slip u, of length y. With it the energy is
// bounded from above, but for limit eps/2, for all steps that take the slip back by as much as
// twice its last change from `last`: friction only turns round where a step takes back all of it.
// Where iterations converge the share vanishes, as the tangent does. It is at least half of that
// before. Slips that have turned back, or were not there before, have all of it. With a bound of
// all of the energy presses took half as many iterations again.
static double share_along(const csim_friction_contact *f, const double u[3], double y) {
  static const double BACK = 2;
  double before = y > 0 ? csim_dot(u, f->last) / y : 0;
  if (!(before > 0)) return 1;
  double r = BACK * fabs(y - before) / y;
  double bound = r < 1 ? 0 : r < 2 ? 4 * (r - 1) / (r * r) : 1;
  return csim_max(bound, 0.5 * f->along);
}

void csim_friction_set_hessian(csim_friction_set *set, int i, const double *x) {
  csim_friction_contact *f = &set->contact[i];
  double u[3], s = secant(f, f->limit, x, u), y = csim_norm(u);
  f->along = share_along(f, u, y);
  memcpy(f->last, u, sizeof u);
  double along = y < f->eps ? s : f->along * s;
  memset(f->B, 0, sizeof f->B);
  if (f->limit < 0) return; // as its normal force
  for (int c = 0; c < 3; c++) f->B[4 * c] = s;
  csim_mat3_add_outer(-s, f->n, f->n, f->B);
  if (y > 0) csim_mat3_add_outer((along - s) / (y * y), u, u, f->B);
}
