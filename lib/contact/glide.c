// contact/glide.c: see glide.h.
#include "contact/glide.h"

#include "contact/ccd.h"
#include "contact/filter.h"
#include "contact/margins.h"
#include "math/vec3.h"

#include <assert.h>
#include <string.h>

enum { MAX_ROUNDS = 4, VERT_GRAIN = 1024, PAIR_GRAIN = CSIM_COMPACTION_CHUNK };

typedef struct glide_job {
  csim_glide *glide;
  double time;              // [s] by which the clock advances
  int to_floor;             // planes stop at the floor, not at the cushion
  csim_atomic_number share; // of the way that all can go
} glide_job;

int csim_glide_create(csim_arena *arena, csim_glide *glide) {
  glide->left_out = CSIM_ARENA_NEW(arena, _Atomic unsigned char, glide->kin->mesh->nvert);
  return arena->failed ? -1 : 0;
}

// The gap that a motion may leave of one of this width [m]: the cushion or, if it is nearer
// already, half of what is left above the floor.
static double soft_gap(double width, double thickness) {
  double floor = CSIM_CONTACT_FLOOR * thickness;
  return csim_min(CSIM_CONTACT_CUSHION * thickness, floor + 0.5 * (width - floor));
}

// The gap that a motion may never go below [m]: colliders may press, but not while they only reduce
// their offsets. moves: the pair has a vertex of a collider that moves.
static double least_gap(const csim_kinematics *kin, int moves, double width, double thickness) {
  if (kin->colliders_aimed && kin->offsets_shrink)
    return csim_min(width, CSIM_CONTACT_CUSHION * thickness);
  return kin->colliders_aimed && moves ? csim_pressed_gap(width, thickness)
                                       : CSIM_CONTACT_FLOOR * thickness;
}

// A pair may use its gap down to the cushion or half of what is left, as soft_gap.
//
//   |<----------------- width ----------------->|
//   a ->               use            | cushion | b       closing: how fast a nears b along n
//   |-------------------------------->|---------|
double csim_glide_pair_share(const csim_kinematics *kin, csim_pair_kind kind, const int v[4],
                             double thickness) {
  int split = csim_pair_split(kind);
  const double *p[4], *u[4];
  double n[3], side[2] = {-INFINITY, INFINITY};
  for (int k = 0; k < 4; k++) p[k] = kin->x + csim_xyz(v[k]);
  double width = csim_separate_pair(kind, p, n);
  if (!(width > 0)) return 0;
  for (int k = 0; k < 4; k++) {
    double along = csim_dot(n, kin->d + csim_xyz(v[k]));
    if (k < split)
      side[0] = csim_max(side[0], along);
    else
      side[1] = csim_min(side[1], along);
  }
  double closing = side[0] - side[1], floor = CSIM_CONTACT_FLOOR * thickness;
  int moves = csim_kinematics_moves(kin, v[0]) || csim_kinematics_moves(kin, v[3]);
  double least = least_gap(kin, moves, width, thickness);
  double use = csim_max(width - CSIM_CONTACT_CUSHION * thickness, 0.5 * (width - floor));
  use = CSIM_FILTER_SHARE * csim_max(0, csim_min(use, width - least));
  if (closing <= use) return 1;
  if (kin->time_left > 0 && !moves) return use / closing;

  // Along this direction far corners approach fast when the pair turns, and so do triangles that
  // slide past under a vertex: use CCD. Not for what falls on something that stays: it would start
  // nearer to that, and a drop took 7 % more iterations.
  double gap = csim_max(soft_gap(width, thickness), least);
  double time, share = use / closing;
  if (!(gap > 0)) return share;
  for (int k = 0; k < 4; k++) u[k] = kin->d + csim_xyz(v[k]);
  if (!csim_ccd_pair(kind, p, u, gap, &time)) return 1;
  return csim_max(share, CSIM_FILTER_SHARE * time);
}

double csim_glide_candidate_share(const csim_reach *reach, const csim_candidate *pair) {
  const csim_candidates *set = reach->candidates;
  csim_pair_kind kind = csim_candidate_kind(pair);
  int v[4];
  csim_candidate_vertices(reach->kin->mesh, pair, v);
  double scale = csim_candidate_scale(set, kind, v, pair);
  return scale > 0 ? csim_glide_pair_share(reach->kin, kind, v, set->distance * scale) : 1;
}

static void leave_out(glide_job *job, int n, const int *v) {
  // several threads may leave out the same vertex: all write the same value
  for (int k = 0; k < n; k++)
    atomic_store_explicit(&job->glide->left_out[v[k]], 1, memory_order_relaxed);
}

static void limit_pairs(void *context, int first, int last) {
  glide_job *job = context;
  const csim_glide *g = job->glide;
  double distance = g->reach->candidates->distance;
  unsigned char flag[PAIR_GRAIN];
  csim_narrow_phase_flag(g->narrow, first, last, job->time, flag);
  for (int i = first; i < last; i++) {
    if (!flag[i - first]) continue;
    csim_pair_kind kind;
    int v[4];
    double scale = csim_narrow_phase_get(g->narrow, i, &kind, v);
    double t = scale > 0 ? csim_glide_pair_share(g->kin, kind, v, distance * scale) : 1;
    if (t >= 1) continue;
    leave_out(job, 4, v);
    csim_atomic_lower(&job->share, t);
  }
}

static void limit_planes(void *context, int first, int last) {
  glide_job *job = context;
  const csim_kinematics *kin = job->glide->kin;
  const csim_planes *planes = &kin->planes;
  for (int k = first; k < last; k++) {
    int i = kin->mesh->point[k];
    const double *x = kin->x + csim_xyz(i), *d = kin->d + csim_xyz(i);
    for (int q = 0; q < planes->n; q++) {
      const csim_contact_plane *plane = &planes->plane[q];
      double scale = csim_planes_scale(planes, plane, i);
      double above = csim_dot(plane->n, x) - plane->offset;
      double keep = job->to_floor ? CSIM_CONTACT_FLOOR * planes->thickness * scale
                                  : soft_gap(above, planes->thickness * scale);
      double t = csim_filter_plane(x, d, plane->n, plane->offset, keep);
      if (t >= 1) continue;
      leave_out(job, 1, &i);
      csim_atomic_lower(&job->share, t);
    }
  }
}

// -1 when out of memory.
static int find_limits(glide_job *job) {
  const csim_glide *g = job->glide;
  csim_kinematics *kin = g->kin;
  double far = 1.01 * CSIM_CONTACT_CUSHION * g->reach->candidates->distance;
  csim_atomic_set(&job->share, 1);
  csim_scratch_begin(g->narrow->scratch);
  if (csim_narrow_phase_begin(g->narrow, kin->x, kin->d, 0, far)) return -1;
  csim_pool_for(kin->pool, g->narrow->n, PAIR_GRAIN, limit_pairs, job);
  if (kin->planes.n)
    csim_pool_for(kin->pool, kin->mesh->nbody_point, VERT_GRAIN, limit_planes, job);
  return 0;
}

typedef struct scale_job {
  double *d, by;
} scale_job;

static void scale_range(void *context, int first, int last) {
  const scale_job *job = context;
  for (int i = 3 * first; i < 3 * last; i++) job->d[i] *= job->by;
}

// Multiplies the motions of bodies.
static void scale_motion(const csim_kinematics *kin, double by) {
  csim_pool_for(kin->pool, kin->mesh->nbody_vert, VERT_GRAIN, scale_range,
                &(scale_job){kin->d, by});
}

double csim_glide_limit(csim_glide *glide) {
  glide_job job = {.glide = glide, .to_floor = 1};
  if (find_limits(&job)) return -1;
  double share = csim_min(csim_reach_share(glide->reach), csim_atomic_get(&job.share));
  scale_motion(glide->kin, share);
  return share;
}

// Advances the clock.
static void pass(csim_glide *g, double time) {
  if (time > 0) csim_candidates_drift(g->kin->pool, g->reach->candidates, time);
  csim_kinematics_pass_time(g->kin, time);
  assert(csim_reach_holds(g->reach));
}

// Moves colliders by `share` of their way, by their motion in time, and all others by kin->d, while
// the clock advances by `time`, if nothing is in the way. Returns the share of that motion that is
// free. If that is below 1 nothing has moved; < 0: out of memory.
static double advance_motion(csim_glide *glide, double share, double time) {
  csim_kinematics *kin = glide->kin;
  glide_job job = {.glide = glide, .time = time};
  csim_kinematics_aim_colliders(kin, share);
  if (csim_reach_update(glide->reach, time)) return -1;
  double least = time > 0 ? 1 : csim_reach_share(glide->reach);
  if (find_limits(&job)) return -1;
  glide->stopped |= csim_atomic_get(&job.share) < least;
  least = csim_min(least, csim_atomic_get(&job.share));
  if (least < 1) return least;
  csim_kinematics_displace(kin, 1);
  pass(glide, time);
  csim_kinematics_move_colliders(kin, share);
  return 1;
}

// CCD tests straight lines, but a rotating collider moves on an arc. If it covers only a share of
// its motion, it ends beside the line that was tested. The shorter motion is therefore tested
// again. One that stops in the middle of a step may be as long in less time, so that from the third
// try on the time is halved: plates that closed on a sheet stopped 2 mm too early.
//
//     reached o - - - - - -> goal      straight: the way tested first
//              `-.         ,'
//                 `-> o -'             on the arc at a share of the time: the way tested next
double csim_glide_together(csim_glide *glide, double most) {
  enum { TRIES = 5 };
  csim_kinematics *kin = glide->kin;
  double share = most, time = kin->time_left;
  glide->stopped = 0;
  if (most < 1) scale_motion(kin, most);
  for (int try = 0; try < TRIES; try++) {
    double least = advance_motion(glide, share, share * time);
    if (least < 0) return -1;
    if (least >= 1) return share;
    if (least < 1e-4) return 0;
    double shorter = try < 2 ? 0.95 * least : csim_min(0.95 * least, 0.5);
    scale_motion(kin, shorter);
    share *= shorter;
  }
  return 0;
}

int csim_glide_ahead(csim_glide *glide) {
  csim_kinematics_aim(glide->kin, NULL);
  return advance_motion(glide, 1, 0) < 0 ? -1 : 0;
}

// The longest displacement of a vertex that takes part; those left out get 0.
static double stop_left_out(void *context, int first, int last) {
  csim_glide *g = context;
  double longest = 0;
  for (int i = first; i < last; i++) {
    double *d = g->kin->d + csim_xyz(i);
    if (atomic_load_explicit(&g->left_out[i], memory_order_relaxed)) memset(d, 0, 3 * sizeof *d);
    longest = csim_max(longest, csim_norm(d));
  }
  return longest;
}

// Why no pair is missed: the list has every pair that can come near while each vertex stays within
// reach of its drifting reference. Here a vertex and its reference both move at constant velocity
// while the clock advances. The distance between them is then a convex function of the share moved,
// and csim_reach_update has checked both ends of the whole motion. The argument needs the clock.
// Once a step's time is used up, references stand still, their reach is bounded, and a whole motion
// would leave it (a ball at 10 m/s hit cells of 6 mm that way). There is no glide then.
int csim_glide_apart(csim_glide *glide, const double *goal) {
  csim_kinematics *kin = glide->kin;
  glide_job job = {.glide = glide};
  int n = kin->mesh->nvert;
  if (!(kin->time_left > 0)) return 0;
  for (int i = 0; i < n; i++) atomic_store_explicit(&glide->left_out[i], 0, memory_order_relaxed);
  for (int round = 0; round < MAX_ROUNDS; round++) {
    csim_kinematics_aim(kin, goal);
    double longest = csim_pool_max(kin->pool, n, 0, stop_left_out, glide);
    if (longest < 0.25 * glide->reach->candidates->distance) break; // slow: needs none of this
    job.time = kin->time_left;
    if (csim_reach_update(glide->reach, job.time)) return -1;
    if (find_limits(&job)) return -1;
    double share = csim_atomic_get(&job.share);
    csim_kinematics_displace(kin, share);
    pass(glide, share * kin->time_left);
    if (share >= 1) return 0;
  }
  // the clock advances for the vertices that stay
  memset(kin->d, 0, 3 * (size_t)n * sizeof *kin->d);
  if (csim_reach_update(glide->reach, kin->time_left)) return -1;
  pass(glide, kin->time_left);
  return 0;
}
