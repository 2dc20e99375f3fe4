// contact/glide.c: moving what moves together, see contact.h.
//
// The filter lets every vertex stop where it must, so it has to take neighbours for strangers that
// may run into each other, and all their pairs for candidates: with fast cloth that is nearly all
// the work. But most of what is fast moves alike. So first all vertices move at once, in one common
// time, as far as no pair comes too near: only pairs that really approach each other are candidates
// then. Vertices of pairs that would stop the others are held, and the rest goes on without them;
// in the end the filter moves the held ones.
#include "contact/contact.h"
#include "contact/ccd.h"
#include "contact/filter.h"
#include "math/vec3.h"

#include <assert.h>
#include <string.h>

enum { MAX_ROUNDS = 4, VERT_GRAIN = 1024, PAIR_GRAIN = CSIM_COMPACTION_CHUNK };

typedef struct glide_job {
  csim_contact *contact;
  double time;            // that the clock goes on by
  _Atomic uint64_t share; // bits of the share of the way that all can go
  atomic_int held;        // new ones
} glide_job;

static double value_of(const _Atomic uint64_t *share) {
  uint64_t bits = atomic_load_explicit(share, memory_order_relaxed);
  double t;
  memcpy(&t, &bits, sizeof t);
  return t;
}

// Share of the way after which a pair has used up the room it may use: down to the cushion, or,
// when it is nearer already, half of what is left above the floor.
static double pair_share(const csim_contact *c, csim_pair_kind kind, const int v[4], double scale) {
  int split = csim_pair_split(kind);
  const double *p[4], *u[4];
  double n[3], side[2] = {-INFINITY, INFINITY}, thickness = c->params.thickness * scale;
  for (int k = 0; k < 4; k++) p[k] = c->x + 3 * (ptrdiff_t)v[k];
  double width = csim_separate_pair(kind, p, n);
  if (!(width > 0)) return 0;
  for (int k = 0; k < 4; k++) {
    double along = csim_dot(n, c->d + 3 * (ptrdiff_t)v[k]);
    if (k < split)
      side[0] = csim_max(side[0], along);
    else
      side[1] = csim_min(side[1], along);
  }
  double closing = side[0] - side[1], floor = CSIM_CONTACT_FLOOR * thickness;
  double room = csim_max(width - CSIM_CONTACT_CUSHION * thickness, 0.5 * (width - floor));
  room = CSIM_FILTER_SHARE * csim_max(0, room);
  if (closing <= room) return 1;
  if (c->time_left > 0) return room / closing;
  // far corners close fast along this direction when the pair turns: look more closely
  double distance = width, gap = csim_min(CSIM_CONTACT_CUSHION * thickness, floor + 0.5 * (distance - floor));
  double time, share = room / closing;
  if (!(gap > 0)) return share;
  for (int k = 0; k < 4; k++) u[k] = c->d + 3 * (ptrdiff_t)v[k];
  if (!csim_ccd_pair(kind, p, u, gap, &time)) return 1;
  return csim_max(share, CSIM_FILTER_SHARE * time);
}

static void hold(glide_job *job, int n, const int *v) {
  // several threads may hold the same vertex: all write the same
  for (int k = 0; k < n; k++)
    atomic_store_explicit(&job->contact->held[v[k]], 1, memory_order_relaxed);
  atomic_fetch_add_explicit(&job->held, 1, memory_order_relaxed);
}

static void limit_pairs(void *context, int first, int last) {
  glide_job *job = context;
  csim_contact *c = job->contact;
  unsigned char flag[PAIR_GRAIN];
  csim_contact_screen(c, first, last, job->time, flag);
  for (int i = first; i < last; i++) {
    if (!flag[i - first]) continue;
    const csim_candidate *pair = csim_contact_brief(c, i);
    csim_pair_kind kind = csim_candidate_kind(pair);
    int v[4];
    csim_candidate_vertices(&c->mesh, pair, v);
    double scale = csim_candidate_scale(&c->near, kind, v);
    double t = scale > 0 ? pair_share(c, kind, v, scale) : 1;
    if (t >= 1) continue;
    hold(job, 4, v);
    csim_contact_lower(&job->share, t);
  }
}

static void limit_planes(void *context, int first, int last) {
  glide_job *job = context;
  csim_contact *c = job->contact;
  for (int k = first; k < last; k++) {
    int i = c->mesh.point[k];
    if (i >= c->mesh.nbody_vert) return;
    const double *x = c->x + 3 * (ptrdiff_t)i, *d = c->d + 3 * (ptrdiff_t)i;
    for (int q = 0; q < c->nplane; q++) {
      const csim_contact_plane *plane = &c->plane[q];
      double thickness = c->params.thickness * csim_contact_plane_scale(c, plane, i);
      double floor = CSIM_CONTACT_FLOOR * thickness;
      double above = csim_dot(plane->n, x) - plane->offset;
      double keep = csim_min(CSIM_CONTACT_CUSHION * thickness, floor + 0.5 * (above - floor));
      double t = csim_filter_plane(x, d, plane->n, plane->offset, keep);
      if (t >= 1) continue;
      hold(job, 1, &i);
      csim_contact_lower(&job->share, t);
    }
  }
}

// -1 when out of memory.
static int find_limits(glide_job *job) {
  csim_contact *c = job->contact;
  double one = 1;
  uint64_t bits;
  memcpy(&bits, &one, sizeof bits);
  atomic_store(&job->share, bits);
  atomic_store(&job->held, 0);
  csim_scratch_begin(c->scratch);
  if (csim_contact_begin_screen(c, c->x, c->d, 0,
                                1.01 * CSIM_CONTACT_CUSHION * c->params.thickness))
    return -1;
  csim_pool_for(c->pool, c->nbrief, PAIR_GRAIN, limit_pairs, job);
  if (c->nplane) csim_pool_for(c->pool, c->mesh.npoint, VERT_GRAIN, limit_planes, job);
  return 0;
}

// The longest way of one that is not held; the others stay.
static double stay_held(void *context, int first, int last) {
  csim_contact *c = context;
  double longest = 0;
  for (int i = first; i < last; i++) {
    double *d = c->d + 3 * (ptrdiff_t)i;
    if (atomic_load_explicit(&c->held[i], memory_order_relaxed)) memset(d, 0, 3 * sizeof *d);
    longest = csim_max(longest, csim_norm(d));
  }
  return longest;
}

static double scale_ways(csim_contact *c, double share) {
  for (int i = 0; i < 3 * c->mesh.nbody_vert; i++) c->d[i] *= share;
  return share;
}

static void reach_times(csim_contact *c, double share) {
  for (int k = 0; k < c->ncollider; k++) {
    double way = c->goal_time[k] - c->reached[k];
    if (!(way > 0) || csim_contact_waits(c, k)) continue;
    c->reached[k] = share >= 1 ? c->goal_time[k] : c->reached[k] + share * way;
  }
}

// A collider that turns gets to a point beside the straight way to its goal when it does not get
// all of the way: the shorter way is tested again, as it is.
double csim_contact_glide_all(csim_contact *contact) {
  enum { TRIES = 5 };
  glide_job job = {.contact = contact};
  double share = 1, time = contact->time_left;
  for (int try = 0; try < TRIES; try++) {
    csim_contact_aim_colliders(contact, share);
    job.time = share * time;
    if (csim_contact_cover(contact, job.time)) return -1;
    double least = time > 0 ? 1 : csim_contact_reach_share(contact);
    if (find_limits(&job)) return -1;
    least = csim_min(least, value_of(&job.share));
    if (least >= 1) {
      csim_contact_displace(contact, 1);
      if (job.time > 0) csim_candidates_drift(contact->pool, &contact->near, job.time);
      contact->time_left -= job.time;
      assert(csim_contact_is_covered(contact));
      reach_times(contact, share);
      contact->marked = contact->seen = 0;
      return share;
    }
    if (least < 1e-4) return 0;
    share *= scale_ways(contact, 0.95 * least);
  }
  return 0;
}

// Why no pair is missed: the list holds every pair that can come near while each vertex stays within
// its reach of its drifting reference. Here a vertex and its reference both move at constant
// velocity while the clock goes on, so the distance between them is a convex function of the share
// gone, and csim_contact_cover has checked both ends of the whole way. That argument needs the
// clock: once a step's time is used up, references stand still, their reach is bounded, and a whole
// way would leave it (a ball at 10 m/s met cells of 6 mm that way). So there is no glide then.
int csim_contact_glide(csim_contact *contact, const double *goal) {
  glide_job job = {.contact = contact};
  int n = contact->mesh.nvert;
  double *left = &contact->time_left;
  if (!(*left > 0)) return 0;
  for (int i = 0; i < n; i++) atomic_store_explicit(&contact->held[i], 0, memory_order_relaxed);
  for (int round = 0; round < MAX_ROUNDS; round++) {
    csim_contact_aim(contact, goal);
    double longest = csim_pool_max(contact->pool, n, 0, stay_held, contact);
    if (longest < 0.25 * contact->params.thickness) break; // slow motions need none of this
    if (csim_contact_cover(contact, *left)) return -1;
    job.time = *left;
    if (find_limits(&job)) return -1;
    double share = value_of(&job.share);
    csim_contact_displace(contact, share);
    csim_candidates_drift(contact->pool, &contact->near, share * *left);
    *left -= share * *left;
    assert(csim_contact_is_covered(contact));
    if (share >= 1) return 0;
  }
  // the clock goes on for those that stay
  memset(contact->d, 0, 3 * (size_t)n * sizeof *contact->d);
  if (csim_contact_cover(contact, *left)) return -1;
  csim_candidates_drift(contact->pool, &contact->near, *left);
  *left = 0;
  return 0;
}
