// contact/move.c: the filter over all pairs, see contact.h.
#include "contact/contact.h"
#include "contact/filter.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <assert.h>
#include <string.h>

enum { VERT_GRAIN = 1024, PAIR_GRAIN = CSIM_COMPACTION_CHUNK, MAX_PASSES = 3, MAX_HORIZON = 8 };

typedef struct move_job {
  csim_contact *contact;
  const double *x;
  double alpha, keep, time;
} move_job;

// -------------------------------------------------------------------------------- reach and cover

static void measure_range(void *context, int first, int last) {
  const move_job *job = context;
  const double *ref = job->contact->near.ref;
  for (int i = first; i < last; i++)
    job->contact->moved[i] =
        csim_contact_round_up(csim_distance(job->x + 3 * (ptrdiff_t)i, ref + 3 * (ptrdiff_t)i));
}

void csim_contact_measure(csim_contact *contact, const double *x) {
  csim_pool_for(contact->pool, contact->mesh.nvert, VERT_GRAIN, measure_range,
                &(move_job){.contact = contact, .x = x});
}

// Marks the vertices that would leave their reach; notes how far each may come from its reference
// on the way.
static double mark_leaving(void *context, int first, int last) {
  const move_job *job = context;
  csim_contact *c = job->contact;
  double count = 0;
  for (int i = first; i < last; i++) {
    double r[3], from, to;
    csim_sub(c->x + 3 * (ptrdiff_t)i, c->near.ref + 3 * (ptrdiff_t)i, r);
    from = csim_norm(r);
    csim_add_scaled(1, c->d + 3 * (ptrdiff_t)i, r);
    csim_add_scaled(-job->time, c->near.drift + 3 * (ptrdiff_t)i, r);
    to = csim_norm(r);
    c->moved[i] = csim_contact_round_up(csim_max(from, to));
    c->near.left[i] = !(csim_max(from, to) <= c->near.reach[i]);
    count += c->near.left[i];
  }
  return count;
}

static double least_reach(const csim_contact *c) {
  return 0.8 * c->params.thickness;
}

// Candidates grow with the square of the reach over the edge length: a long way is gone in several
// legs.
static double most_reach(const csim_contact *c) {
  return csim_max(0.75 * c->edge, 2 * c->params.thickness);
}

// A vertex that moves with the clock gets a reference that moves along with it.
static void refer_along(csim_contact *c, int i, double time) {
  double *drift = c->near.drift + 3 * (ptrdiff_t)i, way = csim_norm(c->d + 3 * (ptrdiff_t)i);
  for (int k = 0; k < 3; k++) drift[k] = c->d[3 * (ptrdiff_t)i + k] / time;
  memcpy(c->near.ref + 3 * (ptrdiff_t)i, c->x + 3 * (ptrdiff_t)i, 3 * sizeof *drift);
  c->near.reach[i] = csim_min(most_reach(c), least_reach(c) + 0.1 * way);
  c->moved[i] = 0;
}

// One that moves for itself gets one in the middle of its way, and the velocity that its step comes
// to; a slower one when that would take it further than half an edge until the horizon. What leaves
// its reach may be flung about: a list for ten steps of that has everything near on it, and made
// crowded scenes ten times slower.
static void refer_between(csim_contact *c, int i) {
  const double *x = c->x + 3 * (ptrdiff_t)i, *d = c->d + 3 * (ptrdiff_t)i;
  const double *start = csim_contact_start(c, i);
  double half = 0.5 * csim_norm(d), most = most_reach(c);
  double reach = csim_min(most, least_reach(c) + 1.2 * half);
  double share = half > 0.9 * reach ? 0.9 * reach / half : 1;
  double v[3], far = 0.5 * c->edge;
  for (int k = 0; k < 3; k++) v[k] = (x[k] + d[k] - start[k]) / c->h;
  double way = csim_norm(v) * (c->near.horizon - c->near.clock), slower = way > far ? far / way : 1;
  for (int k = 0; k < 3; k++) {
    c->near.ref[3 * (ptrdiff_t)i + k] = x[k] + 0.5 * share * d[k];
    c->near.drift[3 * (ptrdiff_t)i + k] = slower * v[k];
  }
  c->near.reach[i] = reach;
  c->moved[i] = csim_contact_round_up(reach);
}

static void refer_range(void *context, int first, int last) {
  const move_job *job = context;
  csim_contact *c = job->contact;
  for (int i = first; i < last; i++) {
    if (!c->near.left[i]) continue;
    if (job->time > 0)
      refer_along(c, i, job->time);
    else
      refer_between(c, i);
  }
}

// Collects or renews the list.
static int search(csim_contact *contact, int (*fn)(csim_pool *, csim_candidates *)) {
  csim_phase before = csim_pool_phase(contact->pool, CSIM_PHASE_SEARCH);
  contact->report.collected++;
  contact->brief_holds = contact->marked = 0;
  contact->failed |= fn(contact->pool, &contact->near) != 0;
  csim_pool_phase(contact->pool, before);
  return contact->failed ? -1 : 0;
}

int csim_contact_cover(csim_contact *contact, double time) {
  move_job job = {.contact = contact, .time = time};
  int n = contact->mesh.nvert;
  int leaving = (int)csim_pool_sum(contact->pool, n, mark_leaving, &job);
  if (leaving == 0) return 0;
  csim_pool_for(contact->pool, n, VERT_GRAIN, refer_range, &job);
  return search(contact, csim_candidates_renew);
}

// Steps that a list is made for: until what moves has gone as far as an edge is long, or the frame
// ends. Measured on a cloth falling on a ball: longer lists are shorter lived where all is in
// motion.
static double choose_horizon(const csim_contact *c) {
  double sum = 0;
  int count = 0;
  for (int i = 0; i < c->mesh.nvert; i++) {
    double d2 = csim_dot(c->d + 3 * (ptrdiff_t)i, c->d + 3 * (ptrdiff_t)i);
    sum += d2;
    count += d2 > 0;
  }
  double steps = count ? c->edge / sqrt(sum / count) : MAX_HORIZON;
  steps = csim_min(csim_min(steps, MAX_HORIZON), (c->frame_end - c->now) / c->h + 0.01);
  return csim_max(1, floor(steps));
}

static void refer_all(void *context, int first, int last) {
  csim_contact *c = context;
  for (int i = first; i < last; i++) refer_along(c, i, c->h);
}

int csim_contact_collect(csim_contact *contact) {
  csim_candidates *near = &contact->near;
  csim_pool_for(contact->pool, contact->mesh.nvert, VERT_GRAIN, refer_all, contact);
  near->horizon = (choose_horizon(contact) + 0.01) * contact->h; // sums of h round
  return search(contact, csim_candidates_collect);
}

// ------------------------------------------------------------------------------------- truncation

static uint64_t bits_of(double t) {
  uint64_t bits;
  memcpy(&bits, &t, sizeof bits);
  return bits;
}

static double share_of(const csim_contact *contact, int i) {
  uint64_t bits = atomic_load_explicit(&contact->share[i], memory_order_relaxed);
  double t;
  memcpy(&t, &bits, sizeof t);
  return t;
}

// Bits of positive doubles are ordered as they are; and a minimum does not care for the order.
void csim_contact_lower(_Atomic uint64_t *share, double t) {
  uint64_t wanted = bits_of(t), now = atomic_load_explicit(share, memory_order_relaxed);
  while (wanted < now && !atomic_compare_exchange_weak_explicit(
                             share, &now, wanted, memory_order_relaxed, memory_order_relaxed)) {
  }
}

// Share of d that vertex i may go within its reach, and how far it is from its reference at most.
static double limit_vertex(const csim_contact *c, int i, double *far) {
  const double *d = c->d + 3 * (ptrdiff_t)i;
  double a[3], b[3], t = 1, reach = c->near.reach[i];
  csim_sub(c->x + 3 * (ptrdiff_t)i, c->near.ref + 3 * (ptrdiff_t)i, a);
  for (int k = 0; k < 3; k++) b[k] = a[k] + d[k];
  double from = csim_norm(a), to = csim_norm(b);
  if (to > reach) { // |a + t d| = reach; a is within
    double dd = csim_dot(d, d), ad = csim_dot(a, d), rest = csim_max(0, reach * reach - from * from);
    t = (sqrt(ad * ad + dd * rest) - ad) / dd * (1 - 1e-9);
    t = t > 0 ? csim_min(t, 1) : 0;
    to = csim_max(reach, from);
  }
  *far = csim_max(from, to);
  return t;
}

static double least_reach_share(void *context, int first, int last) {
  const csim_contact *c = context;
  double least = 1, far;
  for (int i = first; i < last; i++) least = csim_min(least, limit_vertex(c, i, &far));
  return -least;
}

double csim_contact_reach_share(csim_contact *contact) {
  return -csim_pool_max(contact->pool, contact->mesh.nvert, -1, least_reach_share, contact);
}

// Keeps each vertex within its reach, and notes how far it may be from its reference on the way.
static void limit_reach(void *context, int first, int last) {
  const move_job *job = context;
  csim_contact *c = job->contact;
  for (int i = first; i < last; i++) {
    double far, t = limit_vertex(c, i, &far);
    atomic_store_explicit(&c->share[i], bits_of(t), memory_order_relaxed);
    c->moved[i] = csim_contact_round_up(far);
  }
}

static void truncate_pair(csim_contact *c, const csim_candidate *pair, double keep) {
  csim_pair_kind kind = csim_candidate_kind(pair);
  const double *p[4], *q[4];
  double t[4];
  int v[4];
  csim_candidate_vertices(&c->mesh, pair, v);
  double scale = csim_candidate_scale(&c->near, kind, v);
  if (scale <= 0) return; // touched at the start, to be ignored
  for (int k = 0; k < 4; k++) {
    p[k] = c->x + 3 * (ptrdiff_t)v[k];
    q[k] = c->d + 3 * (ptrdiff_t)v[k];
  }
  if (!csim_filter_pair(kind, p, q, keep * scale, t)) return;
  for (int k = 0; k < 4; k++)
    if (t[k] < 1) csim_contact_lower(&c->share[v[k]], t[k]);
}

static void truncate_pairs(void *context, int first, int last) {
  const move_job *job = context;
  csim_contact *c = job->contact;
  double keep = job->keep * c->params.thickness;
  unsigned char flag[PAIR_GRAIN];
  csim_contact_screen(c, first, last, 0, flag);
  for (int i = first; i < last; i++)
    if (flag[i - first]) truncate_pair(c, csim_contact_brief(c, i), keep);
}

static void truncate_planes(void *context, int first, int last) {
  const move_job *job = context;
  csim_contact *c = job->contact;
  for (int k = first; k < last; k++) {
    int i = c->mesh.point[k];
    if (i >= c->mesh.nbody_vert) return; // colliders may cross planes
    for (int q = 0; q < c->nplane; q++) {
      const csim_contact_plane *plane = &c->plane[q];
      double keep = job->keep * c->params.thickness * csim_contact_plane_scale(c, plane, i);
      double t = csim_filter_plane(c->x + 3 * (ptrdiff_t)i, c->d + 3 * (ptrdiff_t)i, plane->n,
                                   plane->offset, keep);
      if (t < 1) csim_contact_lower(&c->share[i], t);
    }
  }
}

static double shorten(void *context, int first, int last) {
  const move_job *job = context;
  csim_contact *c = job->contact;
  double count = 0;
  for (int i = first; i < last; i++) {
    double t = share_of(c, i);
    if (t >= 1) continue;
    for (int k = 0; k < 3; k++) c->d[3 * (ptrdiff_t)i + k] *= t;
    count++;
  }
  return count;
}

static double least_share(void *context, int first, int last) {
  const csim_contact *c = context;
  double least = 1;
  for (int i = first; i < last; i++) least = csim_min(least, share_of(c, i));
  return -least;
}

double csim_contact_truncate(csim_contact *contact, double keep) {
  move_job job = {.contact = contact, .keep = keep};
  csim_pool *pool = contact->pool;
  int n = contact->mesh.nvert;
  csim_scratch_begin(contact->scratch);
  contact->share = CSIM_SCRATCH_TAKE(contact->scratch, _Atomic uint64_t, n);
  csim_pool_for(pool, n, VERT_GRAIN, limit_reach, &job);
  if (csim_contact_begin_screen(contact, contact->x, contact->d, 1,
                                1.01 * keep * contact->params.thickness))
    return -1;
  csim_pool_for(pool, contact->nbrief, PAIR_GRAIN, truncate_pairs, &job);
  if (contact->nplane) csim_pool_for(pool, contact->mesh.npoint, VERT_GRAIN, truncate_planes, &job);
  contact->report.shortened = (int)csim_pool_sum(pool, n, shorten, &job);
  return contact->report.least = -csim_pool_max(pool, n, -1, least_share, contact);
}

// ----------------------------------------------------------------------------------------- moving

static double count_uncovered(void *context, int first, int last) {
  const csim_contact *c = context;
  double count = 0;
  for (int i = first; i < last; i++) {
    const double *x = c->x + 3 * (ptrdiff_t)i, *ref = c->near.ref + 3 * (ptrdiff_t)i;
    double size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    count += !(csim_distance(x, ref) <= c->near.reach[i] * (1 + 1e-6) + 1e-13 * size);
  }
  return count;
}

int csim_contact_is_covered(const csim_contact *contact) {
  return csim_pool_sum(contact->pool, contact->mesh.nvert, count_uncovered, (void *)contact) == 0;
}

static void displace_range(void *context, int first, int last) {
  const move_job *job = context;
  csim_contact *c = job->contact;
  for (int k = 3 * first; k < 3 * last; k++) c->x[k] += job->alpha * c->d[k];
}

void csim_contact_displace(csim_contact *contact, double alpha) {
  csim_pool_for(contact->pool, contact->mesh.nvert, VERT_GRAIN, displace_range,
                &(move_job){.contact = contact, .alpha = alpha});
}

static void aim_range(void *context, int first, int last) {
  const move_job *job = context;
  csim_contact *c = job->contact;
  for (int i = first; i < last; i++) {
    const double *x = c->x + 3 * (ptrdiff_t)i, *to = x;
    if (job->x && !c->scheduled[i])
      to = job->x + 3 * (ptrdiff_t)i;
    csim_sub(to, x, c->d + 3 * (ptrdiff_t)i);
  }
}

void csim_contact_aim(csim_contact *contact, const double *goal) {
  csim_pool_for(contact->pool, contact->mesh.nvert, VERT_GRAIN, aim_range,
                &(move_job){.contact = contact, .x = goal});
  for (int i = 0; i < contact->model->ntarget; i++) {
    const csim_target *t = &contact->model->target[i];
    ptrdiff_t at = 3 * (ptrdiff_t)t->vert;
    if (t->hard) csim_sub(contact->target + 3 * (ptrdiff_t)i, contact->x + at, contact->d + at);
  }
}

int csim_contact_advance(csim_contact *contact, const double *goal, double *x) {
  int nbody = contact->mesh.nbody_vert, n = contact->mesh.nvert;
  csim_contact_advance_planes(contact);
  if (contact->time_left > 0) {
    csim_contact_aim(contact, goal);
    double share = csim_contact_glide_all(contact);
    if (share < 0 || (share < 1 && csim_contact_glide(contact, goal))) return -1;
  }
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    csim_contact_aim(contact, goal);
    double wanted = csim_vector_max3(contact->pool, n, contact->d);
    if (csim_contact_cover(contact, 0)) return -1;
    double least = csim_contact_truncate(contact, CSIM_CONTACT_CUSHION);
    if (least < 0) return -1;
    csim_contact_displace(contact, 1);
    assert(csim_contact_is_covered(contact));
    // what is stopped by contact stays short; what was stopped by its reach, or by something that
    // has moved on since, can go on
    if (least >= 1 || csim_vector_max3(contact->pool, n, contact->d) < 0.1 * wanted) break;
  }
  csim_vector_copy(contact->pool, 3 * nbody, contact->x, x);
  return 0;
}

// The proposal d of what is free.
static void take_proposal(void *context, int first, int last) {
  const move_job *job = context;
  csim_contact *c = job->contact;
  for (int i = first; i < last; i++) {
    double *d = c->d + 3 * (ptrdiff_t)i;
    if (!csim_contact_is_free(c, i))
      memset(d, 0, 3 * sizeof *d);
    else if (job->x != c->d)
      memcpy(d, job->x + 3 * (ptrdiff_t)i, 3 * sizeof *d);
  }
}

double csim_contact_filter(csim_contact *contact, double *d) {
  csim_pool_for(contact->pool, contact->mesh.nvert, VERT_GRAIN, take_proposal,
                &(move_job){.contact = contact, .x = d});
  if (csim_contact_cover(contact, 0)) return -1;
  double least = csim_contact_truncate(contact, CSIM_CONTACT_FLOOR);
  if (least < 0) return -1;
  if (d != contact->d) csim_vector_copy(contact->pool, 3 * contact->mesh.nbody_vert, contact->d, d);
  return least;
}

void csim_contact_apply(csim_contact *contact, double alpha, double *x) {
  csim_contact_displace(contact, alpha);
  assert(csim_contact_is_covered(contact));
  csim_vector_copy(contact->pool, 3 * contact->mesh.nbody_vert, contact->x, x);
}
