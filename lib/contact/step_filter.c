// contact/step_filter.c: see step_filter.h.
#include "contact/step_filter.h"

#include "contact/ccd.h"
#include "contact/filter.h"
#include "contact/margins.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <assert.h>
#include <string.h>

enum { VERT_GRAIN = 1024, PAIR_GRAIN = CSIM_COMPACTION_CHUNK, MAX_PASSES = 3 };

// Of passes that go on. Measured on a tube of 1,012 vertices that is twisted, iterations of newton
// in nine frames: 411; 726 with SPARE 0, 487 with 0.3; 416 with 12 passes. Without going on it took
// 2,311 for eleven frames, and every second substep had to be halved.
enum { MAX_MORE = 6 };
static const double SPARE = 0.1;

typedef struct filter_job {
  csim_step_filter *filter;
  double keep;        // share of contact distances
  const double *from; // (mesh->nbody_vert x 3) where the step began, of later passes; else NULL
} filter_job;

// Keeps each vertex within its reach, and notes how far it may be from its reference on the way.
static void limit_reach(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  for (int i = first; i < last; i++) csim_share_set(&f->share[i], csim_reach_limit(f->reach, i));
}

// What a pair keeps in passes that go on: a share of the gap that it began with. Barriers grow
// without end towards the floor, and of a gap that is nearly used up Newton's steps only double it.
static double keep_of(const filter_job *job, csim_pair_kind kind, const int v[4], double distance) {
  const csim_kinematics *kin = job->filter->kin;
  double floor = job->keep * distance, n[3];
  const double *p[4];
  if (!job->from) return floor;
  for (int k = 0; k < 4; k++)
    p[k] = v[k] < kin->mesh->nbody_vert ? job->from + 3 * (ptrdiff_t)v[k] : kin->x + 3 * (ptrdiff_t)v[k];
  double room = csim_separate_pair(kind, p, n) - floor;
  return csim_min(floor + csim_max(0, SPARE * room), CSIM_CONTACT_CUSHION * distance);
}

static void limit_pair(const filter_job *job, const csim_candidate *pair) {
  csim_step_filter *f = job->filter;
  csim_pair_kind kind = csim_candidate_kind(pair);
  const double *p[4], *q[4];
  double t[4];
  int v[4];
  csim_candidate_vertices(f->kin->mesh, pair, v);
  double scale = csim_candidate_scale(f->reach->candidates, kind, v);
  if (scale <= 0) return; // touched at the start, to be ignored
  for (int k = 0; k < 4; k++) {
    p[k] = f->kin->x + 3 * (ptrdiff_t)v[k];
    q[k] = f->kin->d + 3 * (ptrdiff_t)v[k];
  }
  double keep = keep_of(job, kind, v, scale * f->reach->candidates->distance);
  if (!csim_filter_pair(kind, p, q, keep, t)) return;
  for (int k = 0; k < 4; k++)
    if (t[k] < 1) csim_share_lower(&f->share[v[k]], t[k]);
}

static void limit_pairs(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  unsigned char flag[PAIR_GRAIN];
  csim_narrow_phase_flag(f->narrow, first, last, 0, flag);
  for (int i = first; i < last; i++)
    if (flag[i - first]) limit_pair(job, csim_narrow_phase_pair(f->narrow, i));
}

static void limit_planes(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  const csim_planes *planes = &f->kin->planes;
  for (int k = first; k < last; k++) {
    int i = f->kin->mesh->point[k];
    const double *x = f->kin->x + 3 * (ptrdiff_t)i, *d = f->kin->d + 3 * (ptrdiff_t)i;
    for (int q = 0; q < planes->n; q++) {
      const csim_contact_plane *plane = &planes->plane[q];
      double keep = job->keep * planes->thickness * csim_planes_scale(planes, plane, i);
      double t = csim_filter_plane(x, d, plane->n, plane->offset, keep);
      if (t < 1) csim_share_lower(&f->share[i], t);
    }
  }
}

static double shorten(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  double count = 0;
  for (int i = first; i < last; i++) {
    double t = csim_share_get(&f->share[i]);
    if (t >= 1) continue;
    for (int k = 0; k < 3; k++) f->kin->d[3 * (ptrdiff_t)i + k] *= t;
    count++;
  }
  return count;
}

static double least_share(void *context, int first, int last) {
  const csim_step_filter *f = context;
  double least = 1;
  for (int i = first; i < last; i++) least = csim_min(least, csim_share_get(&f->share[i]));
  return -least;
}

static double limit(csim_step_filter *filter, double keep, const double *from) {
  filter_job job = {.filter = filter, .keep = keep, .from = from};
  csim_kinematics *kin = filter->kin;
  const csim_collision_mesh *mesh = kin->mesh;
  csim_narrow_phase *narrow = filter->narrow;
  csim_scratch_begin(narrow->scratch);
  filter->share = CSIM_SCRATCH_TAKE(narrow->scratch, csim_share, mesh->nvert);
  csim_pool_for(kin->pool, mesh->nvert, VERT_GRAIN, limit_reach, &job);
  double far = 1.01 * (from ? CSIM_CONTACT_CUSHION : keep) * filter->reach->candidates->distance;
  if (csim_narrow_phase_begin(narrow, kin->x, kin->d, 1, far)) return -1;

  csim_pool_for(kin->pool, narrow->n, PAIR_GRAIN, limit_pairs, &job);
  // colliders may cross planes
  if (kin->planes.n) csim_pool_for(kin->pool, mesh->nbody_point, VERT_GRAIN, limit_planes, &job);
  filter->shortened = (int)csim_pool_sum(kin->pool, mesh->nvert, shorten, &job);
  return filter->least = -csim_pool_max(kin->pool, mesh->nvert, -1, least_share, filter);
}

double csim_step_filter_limit(csim_step_filter *filter, double keep) {
  return limit(filter, keep, NULL);
}

// -------------------------------------------------------------------------------------- going on

int csim_step_filter_create(csim_arena *arena, csim_step_filter *filter) {
  const csim_collision_mesh *mesh = filter->kin->mesh;
  filter->first = CSIM_ARENA_NEW(arena, double, 3 * (ptrdiff_t)mesh->nbody_vert);
  filter->from = CSIM_ARENA_NEW(arena, double, 3 * (ptrdiff_t)mesh->nbody_vert);
  filter->held = CSIM_ARENA_NEW(arena, _Atomic unsigned char, mesh->nvert);
  return arena->failed ? -1 : 0;
}

static void hold(csim_step_filter *f, int i) {
  // several threads may hold the same vertex: all write the same
  atomic_store_explicit(&f->held[i], 1, memory_order_relaxed);
}

static void hold_beyond_reach(void *context, int first, int last) {
  csim_step_filter *f = context;
  for (int i = first; i < last; i++) {
    atomic_store_explicit(&f->held[i], 0, memory_order_relaxed);
    if (csim_reach_limit(f->reach, i) < 1) hold(f, i);
  }
}

// Holds what is not safe on its straight way.
static void hold_pairs(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  const csim_candidates *set = f->reach->candidates;
  unsigned char flag[PAIR_GRAIN];
  csim_narrow_phase_flag(f->narrow, first, last, 0, flag);
  for (int i = first; i < last; i++) {
    if (!flag[i - first]) continue;
    const csim_candidate *pair = csim_narrow_phase_pair(f->narrow, i);
    csim_pair_kind kind = csim_candidate_kind(pair);
    const double *p[4], *u[4];
    int v[4];
    csim_candidate_vertices(f->kin->mesh, pair, v);
    double scale = csim_candidate_scale(set, kind, v);
    if (scale <= 0) continue; // touched at the start, to be ignored
    for (int k = 0; k < 4; k++) {
      p[k] = f->kin->x + 3 * (ptrdiff_t)v[k];
      u[k] = f->kin->d + 3 * (ptrdiff_t)v[k];
    }
    if (!csim_ccd_pair(kind, p, u, job->keep * scale * set->distance, NULL)) continue;
    for (int k = 0; k < 4; k++) hold(f, v[k]);
  }
}

static void hold_at_planes(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  const csim_planes *planes = &f->kin->planes;
  for (int k = first; k < last; k++) {
    int i = f->kin->mesh->point[k];
    const double *x = f->kin->x + 3 * (ptrdiff_t)i, *d = f->kin->d + 3 * (ptrdiff_t)i;
    for (int q = 0; q < planes->n; q++) {
      const csim_contact_plane *plane = &planes->plane[q];
      double keep = job->keep * planes->thickness * csim_planes_scale(planes, plane, i);
      if (csim_filter_plane(x, d, plane->n, plane->offset, keep) < 1) hold(f, i);
    }
  }
}

// What is held gets its first motion back. Returns how many changed.
static double take_back(void *context, int first, int last) {
  csim_step_filter *f = context;
  double count = 0;
  for (int i = first; i < last; i++) {
    double *d = f->kin->d + 3 * (ptrdiff_t)i, *own = f->first + 3 * (ptrdiff_t)i;
    if (!atomic_load_explicit(&f->held[i], memory_order_relaxed)) continue;
    count += memcmp(d, own, 3 * sizeof *d) != 0;
    memcpy(d, own, 3 * sizeof *d);
  }
  return count;
}

// Whether the straight ways of all are safe; takes back a few times what is not. -1 when out of
// memory.
static int make_straight(csim_step_filter *f, double keep) {
  enum { MAX_ROUNDS = 4 };
  const csim_collision_mesh *mesh = f->kin->mesh;
  csim_pool *pool = f->kin->pool;
  filter_job job = {.filter = f, .keep = keep};
  double far = 1.01 * keep * f->reach->candidates->distance;
  for (int round = 0; round < MAX_ROUNDS; round++) {
    if (csim_reach_update(f->reach, 0)) return -1;
    csim_scratch_begin(f->narrow->scratch);
    csim_pool_for(pool, mesh->nvert, VERT_GRAIN, hold_beyond_reach, f);
    if (csim_narrow_phase_begin(f->narrow, f->kin->x, f->kin->d, 0, far)) return -1;
    csim_pool_for(pool, f->narrow->n, PAIR_GRAIN, hold_pairs, &job);
    if (f->kin->planes.n) csim_pool_for(pool, mesh->nbody_point, VERT_GRAIN, hold_at_planes, &job);
    int unsafe = 0;
    for (int i = 0; i < mesh->nbody_vert && !unsafe; i++)
      unsafe = atomic_load_explicit(&f->held[i], memory_order_relaxed);
    if (!unsafe) return 1;
    if (csim_pool_sum(pool, mesh->nbody_vert, take_back, f) == 0) return 0;
  }
  return 0;
}

// The way goes around corners, pass by pass: what counts in the end is the straight one.
int csim_step_filter_go_on(csim_step_filter *filter, const double *wanted, double keep) {
  csim_kinematics *kin = filter->kin;
  int n = 3 * kin->mesh->nbody_vert, straight = 0;
  size_t size = (size_t)n * sizeof(double);
  memcpy(filter->first, kin->d, size);
  memcpy(filter->from, kin->x, size);
  memset(kin->d, 0, size);
  for (int pass = 0; pass < MAX_MORE; pass++) {
    csim_kinematics_displace(kin, 1);
    for (int i = 0; i < n; i++)
      kin->d[i] = csim_kinematics_is_free(kin, i / 3) ? filter->from[i] + wanted[i] - kin->x[i] : 0;
    double left = csim_vector_max3(kin->pool, kin->mesh->nvert, kin->d), least = -1;
    if (csim_reach_update(filter->reach, 0) == 0) least = limit(filter, keep, filter->from);
    if (least < 0) return -1;
    if (least >= 1 || csim_vector_max3(kin->pool, kin->mesh->nvert, kin->d) < 0.1 * left) break;
  }
  for (int i = 0; i < n; i++) kin->d[i] += kin->x[i] - filter->from[i];
  memcpy(kin->x, filter->from, size);
  straight = make_straight(filter, keep);
  if (straight) return straight < 0 ? -1 : 0;
  memcpy(kin->d, filter->first, size);
  if (csim_reach_update(filter->reach, 0)) return -1;
  return csim_step_filter_limit(filter, keep) < 0 ? -1 : 0;
}

// ----------------------------------------------------------------------------------------- advance

int csim_step_filter_advance(csim_step_filter *filter, const double *goal) {
  csim_kinematics *kin = filter->kin;
  int n = kin->mesh->nvert;
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    csim_kinematics_aim(kin, goal);
    double wanted = csim_vector_max3(kin->pool, n, kin->d);
    if (csim_reach_update(filter->reach, 0)) return -1;
    double least = csim_step_filter_limit(filter, CSIM_CONTACT_CUSHION);
    if (least < 0) return -1;
    csim_kinematics_displace(kin, 1);
    assert(csim_reach_holds(filter->reach));
    // what is stopped by contact stays short; what was stopped by its reach, or by something that
    // has moved on since, can go on
    if (least >= 1 || csim_vector_max3(kin->pool, n, kin->d) < 0.1 * wanted) break;
  }
  return 0;
}
