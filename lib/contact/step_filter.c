// contact/step_filter.c: see step_filter.h.
#include "contact/step_filter.h"

#include "contact/ccd.h"
#include "contact/filter.h"
#include "contact/margins.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { VERT_GRAIN = 1024, PAIR_GRAIN = CSIM_COMPACTION_CHUNK, MAX_PASSES = 3 };

enum { MOST_SWEEPS = 16 }; // one is usual

typedef struct filter_job {
  csim_step_filter *filter;
  double keep;                 // share of contact distances
  unsigned char *doubtful;     // (narrow->n) pairs that planes would cut; NULL: planes cut all
  _Atomic int any;             // there are some
  csim_atomic_number *lowered; // (mesh->nbody_vert) shares after this sweep
  unsigned char *changed;      // (mesh->nbody_vert) by the last sweep; all before the first
} filter_job;

// Keeps each vertex within its reach, and records how far it may come from its reference.
static void limit_reach(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  for (int i = first; i < last; i++) csim_atomic_set(&f->share[i], csim_reach_limit(f->reach, i));
}

// Number i of the short list.
typedef struct tested {
  csim_pair_kind kind;
  int v[4];
  double reach, keep; // [m] contact distance, and what of it to keep
  const double *x[4]; // its vertices
  const double *d[4]; // their motions
  double t[4];        // shares of these to the planes between its sides
} tested;

// Returns whether planes cut the pair.
static int test_pair(const csim_step_filter *f, int i, double keep, tested *pair) {
  double scale = csim_narrow_phase_get(f->narrow, i, &pair->kind, pair->v);
  if (scale <= 0) return 0; // touched at the start: ignored
  pair->reach = scale * f->reach->candidates->distance;
  pair->keep = keep * pair->reach;
  for (int k = 0; k < 4; k++) {
    pair->x[k] = f->kin->x + csim_xyz(pair->v[k]);
    pair->d[k] = f->kin->d + csim_xyz(pair->v[k]);
  }
  return csim_filter_pair(pair->kind, pair->x, pair->d, pair->keep, pair->t);
}

static void lower_to_planes(const csim_step_filter *f, const tested *pair,
                            csim_atomic_number *share) {
  for (int k = 0; k < 4; k++)
    if (pair->t[k] < 1 && pair->v[k] < f->kin->mesh->nbody_vert)
      csim_atomic_lower(&share[pair->v[k]], pair->t[k]);
}

static void limit_pairs(void *context, int first, int last) {
  filter_job *job = context;
  csim_step_filter *f = job->filter;
  unsigned char flag[PAIR_GRAIN];
  csim_narrow_phase_flag(f->narrow, first, last, 0, flag);
  for (int i = first; i < last; i++) {
    tested pair;
    if (!flag[i - first] || !test_pair(f, i, job->keep, &pair)) continue;
    if (!job->doubtful) {
      lower_to_planes(f, &pair, f->share);
      continue;
    }
    job->doubtful[i] = 1;
    atomic_store_explicit(&job->any, 1, memory_order_relaxed);
  }
}

// Share of v's motion that is accepted so far.
static double share_of(const csim_step_filter *f, int v) {
  return v < f->kin->mesh->nbody_vert ? csim_atomic_get(&f->share[v]) : 1;
}

// Whether the pair, if its vertices go by their shares, keeps the part of its gap that one motion
// may not use. Only one that contact acts on: where the others come near is not known to the linear
// system, and without planes between them a drop took 7 % more iterations.
static int passes(const csim_step_filter *f, const tested *pair) {
  double n[3], way[4][3];
  const double *u[4];
  double width = csim_separate_pair(pair->kind, pair->x, n);
  if (!(width > pair->keep && width < pair->reach)) return 0;
  for (int k = 0; k < 4; k++) {
    double share = share_of(f, pair->v[k]);
    for (int c = 0; c < 3; c++) way[k][c] = share * pair->d[k][c];
    u[k] = way[k];
  }
  double gap = pair->keep + (1 - CSIM_FILTER_SHARE) * (width - pair->keep);
  return !csim_ccd_pair(pair->kind, pair->x, u, gap, NULL);
}

// Tests doubtful pairs again whose vertices go less far than in the last sweep.
static void sweep_pairs(void *context, int first, int last) {
  filter_job *job = context;
  csim_step_filter *f = job->filter;
  for (int i = first; i < last; i++) {
    tested pair;
    int again = 0, safe = 1;
    if (!job->doubtful[i]) continue;
    test_pair(f, i, job->keep, &pair);
    for (int k = 0; k < 4; k++) {
      int v = pair.v[k];
      again |= v < f->kin->mesh->nbody_vert && job->changed[v];
      safe &= share_of(f, v) <= pair.t[k];
    }
    if (!again || (!safe && passes(f, &pair))) continue;
    job->doubtful[i] = 0; // planes hold for every shorter motion
    lower_to_planes(f, &pair, job->lowered);
  }
}

static double take_lowered(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  double count = 0;
  for (int i = first; i < last; i++) {
    double t = csim_atomic_get(&job->lowered[i]);
    job->changed[i] = t < csim_atomic_get(&f->share[i]);
    csim_atomic_set(&f->share[i], t);
    count += job->changed[i];
  }
  return count;
}

static void limit_planes(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  const csim_planes *planes = &f->kin->planes;
  for (int k = first; k < last; k++) {
    int i = f->kin->mesh->point[k];
    const double *x = f->kin->x + csim_xyz(i), *d = f->kin->d + csim_xyz(i);
    for (int q = 0; q < planes->n; q++) {
      const csim_contact_plane *plane = &planes->plane[q];
      double keep = job->keep * planes->thickness * csim_planes_scale(planes, plane, i);
      double t = csim_filter_plane(x, d, plane->n, plane->offset, keep);
      if (t < 1) csim_atomic_lower(&f->share[i], t);
    }
  }
}

// Shortens the motions by their shares. Returns minus the smallest.
static double shorten(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  double least = 1;
  for (int i = first; i < last; i++) {
    double t = csim_atomic_get(&f->share[i]);
    least = csim_min(least, t);
    for (int k = 0; k < 3 && t < 1; k++) f->kin->d[csim_xyz(i) + k] *= t;
  }
  return -least;
}

// Lets doubtful pairs pass that would not collide, and lowers the shares of the others, until none
// is left that would. Each sweep tests with the shares after the last one.
static void limit_doubtful(filter_job *job) {
  csim_step_filter *f = job->filter;
  csim_pool *pool = f->kin->pool;
  int n = f->kin->mesh->nbody_vert, changed = n;
  for (int i = 0; i < n; i++) {
    csim_atomic_set(&job->lowered[i], csim_atomic_get(&f->share[i]));
    job->changed[i] = 1;
  }
  for (int sweep = 0; sweep < MOST_SWEEPS && changed; sweep++) {
    csim_pool_for(pool, f->narrow->n, PAIR_GRAIN, sweep_pairs, job);
    changed = csim_pool_count(pool, n, take_lowered, job);
  }
  if (!changed) return;
  job->doubtful = NULL;
  csim_pool_for(pool, f->narrow->n, PAIR_GRAIN, limit_pairs, job);
}

// Shortens kin->d for each vertex by itself. See csim_step_filter_limit.
static double limit(csim_step_filter *filter, double keep, int planes_only) {
  filter_job job = {.filter = filter, .keep = keep};
  csim_kinematics *kin = filter->kin;
  const csim_collision_mesh *mesh = kin->mesh;
  csim_narrow_phase *narrow = filter->narrow;
  csim_scratch *scratch = narrow->scratch;
  int n = mesh->nbody_vert; // colliders stay
  csim_scratch_begin(scratch);
  filter->share = CSIM_SCRATCH_TAKE(scratch, csim_atomic_number, n);
  job.lowered = CSIM_SCRATCH_TAKE(scratch, csim_atomic_number, n);
  job.changed = CSIM_SCRATCH_TAKE(scratch, unsigned char, n);
  csim_pool_for(kin->pool, n, VERT_GRAIN, limit_reach, &job);
  double far = 1.01 * keep * filter->reach->candidates->distance;
  if (csim_narrow_phase_begin(narrow, kin->x, kin->d, 1, far)) return -1;

  // colliders may cross planes
  if (kin->planes.n) csim_pool_for(kin->pool, mesh->nbody_point, VERT_GRAIN, limit_planes, &job);
  if (!planes_only) {
    if (CSIM_GROW(filter->doubtful, filter->capacity, narrow->n)) return -1;
    job.doubtful = filter->doubtful;
    if (narrow->n) memset(job.doubtful, 0, (size_t)narrow->n);
  }
  csim_pool_for(kin->pool, narrow->n, PAIR_GRAIN, limit_pairs, &job);
  if (job.any) limit_doubtful(&job);
  return -csim_pool_max(kin->pool, n, -1, shorten, &job);
}

void csim_step_filter_free(csim_step_filter *filter) {
  free(filter->doubtful);
}

double csim_step_filter_limit(csim_step_filter *filter) {
  return limit(filter, CSIM_CONTACT_FLOOR, 0);
}

int csim_step_filter_advance(csim_step_filter *filter, const double *goal) {
  csim_kinematics *kin = filter->kin;
  int n = kin->mesh->nbody_vert;
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    csim_kinematics_aim(kin, goal);
    double wanted = csim_vector_max3(kin->pool, n, kin->d);
    if (csim_reach_update(filter->reach, 0)) return -1;
    double least = limit(filter, CSIM_CONTACT_CUSHION, 1);
    if (least < 0) return -1;
    csim_kinematics_displace(kin, 1);
    assert(csim_reach_holds(filter->reach));
    // what contact stops stays short; what was stopped by its reach, or by something that has moved
    // on since, can go on
    if (least >= 1 || csim_vector_max3(kin->pool, n, kin->d) < 0.1 * wanted) break;
  }
  return 0;
}
