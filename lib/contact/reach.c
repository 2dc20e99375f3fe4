// contact/reach.c: see reach.h.
#include "contact/reach.h"

#include "math/vec3.h"

#include <string.h>

enum { VERT_GRAIN = 1024, MAX_HORIZON = 8 };

typedef struct reach_job {
  csim_reach *reach;
  const double *x;
  double time;
} reach_job;

int csim_reach_create(csim_arena *arena, csim_reach *reach) {
  const csim_collision_mesh *mesh = reach->kin->mesh;
  reach->edge = csim_mean_edge(mesh->body_x0, mesh->nbody_edge, 2, mesh->edge);
  reach->frame_end = INFINITY;
  reach->moved = CSIM_ARENA_NEW(arena, float, mesh->nvert);
  return arena->failed ? -1 : 0;
}

// ---------------------------------------------------------------------------------------- measure

static void measure_range(void *context, int first, int last) {
  const reach_job *job = context;
  const double *ref = job->reach->candidates->ref.x;
  for (int i = first; i < last; i++)
    job->reach->moved[i] = csim_round_up(csim_distance(job->x + csim_xyz(i), ref + csim_xyz(i)));
}

void csim_reach_measure(csim_reach *reach, const double *x) {
  csim_listed_for(reach->kin->pool, &reach->candidates->listed, VERT_GRAIN, measure_range,
                  &(reach_job){.reach = reach, .x = x});
}

// Share of d that vertex i may move within its reach, and its largest distance from its reference.
//
//            ,--------.
//          ,'  x--+--->.--------> x + d        the motion ends where it leaves the ball of radius
//         (    |a |     )                      `reach` around the reference: |a + t d| = reach
//          `. ref     ,'
//            `-------'
static double limit_vertex(const csim_reach *r, int i, double *far) {
  const csim_references *ref = &r->candidates->ref;
  const double *d = r->kin->d + csim_xyz(i);
  double a[3], b[3], t = 1, reach = ref->reach[i];
  csim_sub(r->kin->x + csim_xyz(i), ref->x + csim_xyz(i), a);
  for (int k = 0; k < 3; k++) b[k] = a[k] + d[k];
  double from = csim_norm(a), to = csim_norm(b);
  if (to > reach) { // a is within
    double dd = csim_dot(d, d), ad = csim_dot(a, d),
           rest = csim_max(0, reach * reach - from * from);
    t = (sqrt(ad * ad + dd * rest) - ad) / dd * (1 - 1e-9);
    t = t > 0 ? csim_min(t, 1) : 0;
    to = csim_max(reach, from);
  }
  *far = csim_max(from, to);
  return t;
}

double csim_reach_limit(csim_reach *reach, int i) {
  double far, t = limit_vertex(reach, i, &far);
  reach->moved[i] = csim_round_up(far);
  return t;
}

static double least_share(void *context, int first, int last) {
  const csim_reach *reach = context;
  double least = 1, far;
  for (int i = first; i < last; i++) least = csim_min(least, limit_vertex(reach, i, &far));
  return -least;
}

double csim_reach_share(const csim_reach *reach) {
  int n = csim_kinematics_nmoving(reach->kin); // others are within
  return -csim_pool_max(reach->kin->pool, n, -1, least_share, (void *)reach);
}

static double count_beyond(void *context, int first, int last) {
  const csim_reach *reach = context;
  const csim_references *ref = &reach->candidates->ref;
  double count = 0;
  for (int i = first; i < last; i++) {
    const double *x = reach->kin->x + csim_xyz(i), *center = ref->x + csim_xyz(i);
    double size = fabs(x[0]) + fabs(x[1]) + fabs(x[2]);
    count += !(csim_distance(x, center) <= ref->reach[i] * (1 + 1e-6) + 1e-13 * size);
  }
  return count;
}

int csim_reach_holds(const csim_reach *reach) {
  int n = csim_kinematics_nmoving(reach->kin); // others have not moved
  return csim_pool_count(reach->kin->pool, n, count_beyond, (void *)reach) == 0;
}

// ------------------------------------------------------------------------------------- references

static double least_reach(const csim_reach *r) {
  return 0.8 * r->candidates->distance;
}

// Largest reach of a vertex that wants to move by twice `half` at once. Candidates grow with the
// square of the reach over the edge length, so a motion is divided into about two legs, and more
// where it is longer than three edges. With reach for all of it a drop at 129 took 11 % longer, a
// sleeve half as long again. With legs of 0.2 edges throughout, cloth that braked from 20 m/s did
// not converge.
static double most_reach(const csim_reach *r, double half) {
  double distance = r->candidates->distance;
  double least = csim_max(0.2 * r->edge, distance), most = csim_max(0.75 * r->edge, 2 * distance);
  return csim_min(csim_max(0.5 * half, least), most);
}

// Gives a vertex that moves with the clock a reference that moves along with it.
static void refer_along(csim_reach *r, int i, double time) {
  csim_references *ref = &r->candidates->ref;
  const double *d = r->kin->d + csim_xyz(i);
  double *drift = ref->drift + csim_xyz(i), way = csim_norm(d);
  for (int k = 0; k < 3; k++) drift[k] = d[k] / time;
  memcpy(ref->x + csim_xyz(i), r->kin->x + csim_xyz(i), 3 * sizeof *drift);
  ref->reach[i] = csim_min(most_reach(r, 0.5 * way), least_reach(r) + 0.1 * way);
  r->moved[i] = 0;
}

// Gives a vertex that moves by itself a reference in the middle of its way, with the velocity of
// its step. For a free vertex this is lower if it would take the reference further than half an
// edge until the horizon. A vertex that leaves its reach may be moving wildly: a list for ten steps
// of that has everything near on it, and made crowded scenes ten times slower.
static void refer_between(csim_reach *r, int i) {
  csim_references *ref = &r->candidates->ref;
  const double *x = r->kin->x + csim_xyz(i), *d = r->kin->d + csim_xyz(i);
  const double *start = csim_kinematics_start(r->kin, i);
  double half = 0.5 * csim_norm(d), most = most_reach(r, half);
  double reach = csim_min(most, least_reach(r) + 1.2 * half);
  double share = half > 0.9 * reach ? 0.9 * reach / half : 1;
  double v[3], far = 0.5 * r->edge;
  for (int k = 0; k < 3; k++) v[k] = (x[k] + d[k] - start[k]) / r->kin->h;
  double way = csim_norm(v) * (ref->horizon - ref->clock);
  double slower = way > far && csim_kinematics_is_free(r->kin, i) ? far / way : 1;
  for (int k = 0; k < 3; k++) {
    ref->x[csim_xyz(i) + k] = x[k] + 0.5 * share * d[k];
    ref->drift[csim_xyz(i) + k] = slower * v[k];
  }
  ref->reach[i] = reach;
  r->moved[i] = csim_round_up(reach);
}

static void refer_range(void *context, int first, int last) {
  const reach_job *job = context;
  for (int i = first; i < last; i++) {
    if (!job->reach->candidates->ref.stale[i]) continue;
    if (job->time > 0)
      refer_along(job->reach, i, job->time);
    else
      refer_between(job->reach, i);
  }
}

// Builds or updates the list.
static int search(csim_reach *reach, int (*fn)(csim_pool *, csim_candidates *)) {
  csim_section before = csim_pool_section(reach->kin->pool, CSIM_SECTION_SEARCH);
  int failed = fn(reach->kin->pool, reach->candidates);
  csim_pool_section(reach->kin->pool, before);
  return failed ? -1 : 0;
}

// Marks the vertices that would leave their reach. Records how far each may come from its reference
// on the way.
static double mark_stale(void *context, int first, int last) {
  const reach_job *job = context;
  csim_reach *r = job->reach;
  csim_references *ref = &r->candidates->ref;
  double count = 0;
  for (int i = first; i < last; i++) {
    double a[3], from, to;
    csim_sub(r->kin->x + csim_xyz(i), ref->x + csim_xyz(i), a);
    from = csim_norm(a);
    csim_add_scaled(1, r->kin->d + csim_xyz(i), a);
    csim_add_scaled(-job->time, ref->drift + csim_xyz(i), a);
    to = csim_norm(a);
    r->moved[i] = csim_round_up(csim_max(from, to));
    ref->stale[i] = !(csim_max(from, to) <= ref->reach[i]);
    count += ref->stale[i];
  }
  return count;
}

int csim_reach_update(csim_reach *reach, double time) {
  reach_job job = {.reach = reach, .time = time};
  // where the clock stands, what does not move stays within its reach
  int nvert = reach->kin->mesh->nvert, n = time > 0 ? nvert : csim_kinematics_nmoving(reach->kin);
  memset(reach->candidates->ref.stale + n, 0, (size_t)(nvert - n));
  int stale = csim_pool_count(reach->kin->pool, n, mark_stale, &job);
  if (stale == 0) return 0;
  csim_pool_for(reach->kin->pool, n, VERT_GRAIN, refer_range, &job);
  return search(reach, csim_candidates_update);
}

// Number of steps of a list: until everything has moved by at most an edge length from where the
// mean motion takes it, or the frame ends. Measured on a cloth falling on a ball: longer lists end
// sooner where everything moves. What all do together, as a body that walks and its clothes, brings
// nothing nearer.
static double choose_horizon(const csim_reach *r) {
  const csim_kinematics *kin = r->kin;
  double sum = 0, mean[3] = {0};
  int count = 0;
  for (int i = 0; i < kin->mesh->nvert; i++) {
    const double *d = kin->d + csim_xyz(i);
    double d2 = csim_dot(d, d);
    if (!(d2 > 0)) continue;
    count++;
    sum += d2;
    csim_add_scaled(1, d, mean);
  }
  double apart = count ? sum / count - csim_dot(mean, mean) / ((double)count * count) : 0;
  double steps = apart > 0 ? r->edge / sqrt(apart) : MAX_HORIZON;
  steps = csim_min(csim_min(steps, MAX_HORIZON), (r->frame_end - kin->now) / kin->h + 0.01);
  return csim_max(1, floor(steps));
}

// Pins and colliders go ahead of the clock when a step begins, so the middle of their way is where
// they stay near. With references at their start half of all updates were theirs.
static void refer_all(void *context, int first, int last) {
  csim_reach *reach = context;
  for (int i = first; i < last; i++)
    if (csim_kinematics_is_free(reach->kin, i))
      refer_along(reach, i, reach->kin->h);
    else
      refer_between(reach, i);
}

int csim_reach_lasts(const csim_reach *reach) {
  const csim_references *ref = &reach->candidates->ref;
  return reach->candidates->valid && ref->clock + reach->kin->h <= ref->horizon;
}

int csim_reach_collect(csim_reach *reach) {
  const csim_kinematics *kin = reach->kin;
  csim_references *ref = &reach->candidates->ref;
  ref->clock = 0;
  ref->horizon = (choose_horizon(reach) + 0.01) * kin->h; // sums of h are rounded
  csim_pool_for(kin->pool, kin->mesh->nvert, VERT_GRAIN, refer_all, reach);
  return search(reach, csim_candidates_collect);
}
