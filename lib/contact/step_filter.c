// contact/step_filter.c: see step_filter.h.
#include "contact/step_filter.h"

#include "contact/filter.h"
#include "contact/glide.h"
#include "contact/margins.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <assert.h>

enum { VERT_GRAIN = 1024, PAIR_GRAIN = CSIM_COMPACTION_CHUNK, MAX_PASSES = 3 };

typedef struct filter_job {
  csim_step_filter *filter;
  double keep; // share of contact distances
} filter_job;

// Keeps each vertex within its reach, and records how far it may come from its reference.
static void limit_reach(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  for (int i = first; i < last; i++) csim_share_set(&f->share[i], csim_reach_limit(f->reach, i));
}

// Limits the vertices of number i of the short list.
static void limit_pair(csim_step_filter *f, int i, double keep) {
  const double *p[4], *q[4];
  double t[4];
  csim_pair_kind kind;
  int v[4];
  double scale = csim_narrow_phase_get(f->narrow, i, &kind, v);
  if (scale <= 0) return; // touched at the start: ignored
  for (int k = 0; k < 4; k++) {
    p[k] = f->kin->x + csim_xyz(v[k]);
    q[k] = f->kin->d + csim_xyz(v[k]);
  }
  if (!csim_filter_pair(kind, p, q, keep * scale, t)) return;
  for (int k = 0; k < 4; k++)
    if (t[k] < 1 && v[k] < f->kin->mesh->nbody_vert) csim_share_lower(&f->share[v[k]], t[k]);
}

static void limit_pairs(void *context, int first, int last) {
  const filter_job *job = context;
  csim_step_filter *f = job->filter;
  double keep = job->keep * f->reach->candidates->distance;
  unsigned char flag[PAIR_GRAIN];
  csim_narrow_phase_flag(f->narrow, first, last, 0, flag);
  for (int i = first; i < last; i++)
    if (flag[i - first]) limit_pair(f, i, keep);
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
    for (int k = 0; k < 3; k++) f->kin->d[csim_xyz(i) + k] *= t;
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

double csim_step_filter_limit(csim_step_filter *filter, double keep) {
  filter_job job = {.filter = filter, .keep = keep};
  csim_kinematics *kin = filter->kin;
  const csim_collision_mesh *mesh = kin->mesh;
  csim_narrow_phase *narrow = filter->narrow;
  int n = mesh->nbody_vert; // colliders stay
  csim_scratch_begin(narrow->scratch);
  filter->share = CSIM_SCRATCH_TAKE(narrow->scratch, csim_share, n);
  csim_pool_for(kin->pool, n, VERT_GRAIN, limit_reach, &job);
  double far = 1.01 * keep * filter->reach->candidates->distance;
  if (csim_narrow_phase_begin(narrow, kin->x, kin->d, 1, far)) return -1;

  csim_pool_for(kin->pool, narrow->n, PAIR_GRAIN, limit_pairs, &job);
  // colliders may cross planes
  if (kin->planes.n) csim_pool_for(kin->pool, mesh->nbody_point, VERT_GRAIN, limit_planes, &job);
  filter->shortened = csim_pool_count(kin->pool, n, shorten, &job);
  return filter->least = -csim_pool_max(kin->pool, n, -1, least_share, filter);
}

typedef struct together_job {
  csim_step_filter *filter;
  csim_share share;
} together_job;

static void limit_pairs_together(void *context, int first, int last) {
  together_job *job = context;
  csim_step_filter *f = job->filter;
  double distance = f->reach->candidates->distance;
  unsigned char flag[PAIR_GRAIN];
  csim_narrow_phase_flag(f->narrow, first, last, 0, flag);
  for (int i = first; i < last; i++) {
    if (!flag[i - first]) continue;
    csim_pair_kind kind;
    int v[4];
    double scale = csim_narrow_phase_get(f->narrow, i, &kind, v);
    if (scale > 0)
      csim_share_lower(&job->share, csim_glide_pair_share(f->kin, kind, v, distance * scale));
  }
}

static void limit_planes_together(void *context, int first, int last) {
  together_job *job = context;
  const csim_kinematics *kin = job->filter->kin;
  const csim_planes *planes = &kin->planes;
  for (int k = first; k < last; k++) {
    int i = kin->mesh->point[k];
    const double *x = kin->x + csim_xyz(i), *d = kin->d + csim_xyz(i);
    for (int q = 0; q < planes->n; q++) {
      const csim_contact_plane *plane = &planes->plane[q];
      double keep = CSIM_CONTACT_FLOOR * planes->thickness * csim_planes_scale(planes, plane, i);
      csim_share_lower(&job->share, csim_filter_plane(x, d, plane->n, plane->offset, keep));
    }
  }
}

static void scale_range(void *context, int first, int last) {
  const together_job *job = context;
  double *d = job->filter->kin->d, share = csim_share_get(&job->share);
  for (int i = 3 * first; i < 3 * last; i++) d[i] *= share;
}

double csim_step_filter_limit_together(csim_step_filter *filter) {
  together_job job = {.filter = filter};
  csim_kinematics *kin = filter->kin;
  csim_narrow_phase *narrow = filter->narrow;
  double far = 1.01 * CSIM_CONTACT_CUSHION * filter->reach->candidates->distance;
  csim_share_set(&job.share, csim_reach_share(filter->reach));
  csim_scratch_begin(narrow->scratch);
  if (csim_narrow_phase_begin(narrow, kin->x, kin->d, 0, far)) return -1;
  csim_pool_for(kin->pool, narrow->n, PAIR_GRAIN, limit_pairs_together, &job);
  if (kin->planes.n)
    csim_pool_for(kin->pool, kin->mesh->nbody_point, VERT_GRAIN, limit_planes_together, &job);
  csim_pool_for(kin->pool, kin->mesh->nbody_vert, VERT_GRAIN, scale_range, &job);
  return csim_share_get(&job.share);
}

int csim_step_filter_advance(csim_step_filter *filter, const double *goal) {
  csim_kinematics *kin = filter->kin;
  int n = kin->mesh->nbody_vert;
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    csim_kinematics_aim(kin, goal);
    double wanted = csim_vector_max3(kin->pool, n, kin->d);
    if (csim_reach_update(filter->reach, 0)) return -1;
    double least = csim_step_filter_limit(filter, CSIM_CONTACT_CUSHION);
    if (least < 0) return -1;
    csim_kinematics_displace(kin, 1);
    assert(csim_reach_holds(filter->reach));
    // what contact stops stays short; what was stopped by its reach, or by something that has moved
    // on since, can go on
    if (least >= 1 || csim_vector_max3(kin->pool, n, kin->d) < 0.1 * wanted) break;
  }
  return 0;
}
