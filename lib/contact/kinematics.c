// contact/kinematics.c: see kinematics.h.
#include "contact/kinematics.h"

#include "math/vec3.h"
#include "math/vector.h"

#include <string.h>

enum { VERT_GRAIN = 1024 };

// A collider that lagged moves at most this many times as fast as its motion.
static const double CATCH_UP = 4;

// [m/s] Least speed at which an offset is reduced where there is room.
static const double REDUCTION = 0.5;

// Share of the contact distance by which a stuck collider that follows its motion at an offset
// opens its gap: jaws that have pressed cloth to the end could not move it at all.
static const double RETREAT = 0.01;

static const double NO_OFFSET[3] = {0};

int csim_kinematics_create(csim_arena *arena, const csim_contact_params *params,
                           csim_kinematics *kin) {
  const csim_collision_mesh *mesh = kin->mesh;
  ptrdiff_t n = mesh->nvert, nbody = mesh->nbody_vert;
  kin->never_waits = params->pinched == CSIM_PINCHED_IGNORE;
  kin->planes = (csim_planes){.mesh = mesh, .thickness = params->thickness, .share = params->share};
  if (csim_planes_create(arena, kin->ncollider, kin->collider, &kin->planes)) return -1;

  kin->progress = CSIM_ARENA_NEW(arena, csim_collider_progress, kin->ncollider);
  kin->kinematic = CSIM_ARENA_NEW(arena, unsigned char, n);
  kin->x = CSIM_ARENA_NEW(arena, double, 3 * n);
  kin->d = CSIM_ARENA_NEW(arena, double, 3 * n);
  kin->collider_start = CSIM_ARENA_NEW(arena, double, 3 * (n - nbody));
  kin->goal = CSIM_ARENA_NEW(arena, double, 3 * (n - nbody));
  if (arena->failed) return -1;

  csim_collision_mesh_starts(mesh, kin->x);
  memcpy(kin->kinematic, kin->model->fixed, (size_t)nbody);
  memset(kin->kinematic + nbody, 1, (size_t)(n - nbody));
  return 0;
}

// ------------------------------------------------------------------------------- save and restore

int csim_kinematics_size(const csim_kinematics *kin) {
  return kin->mesh->nvert - kin->mesh->nbody_vert + 2 * kin->planes.n + 3 * kin->ncollider + 1;
}

void csim_kinematics_save(const csim_kinematics *kin, double *kinematic) {
  const csim_collision_mesh *mesh = kin->mesh;
  ptrdiff_t n = csim_xyz(mesh->nvert - mesh->nbody_vert);
  memcpy(kinematic, kin->x + csim_xyz(mesh->nbody_vert), (size_t)n * sizeof *kinematic);
  double *out = kinematic + n;
  for (int k = 0; k < kin->planes.n; k++, out += 6) {
    memcpy(out, kin->planes.plane[k].n, 3 * sizeof *out);
    out[3] = kin->planes.plane[k].offset;
    out[4] = out[5] = 0;
  }
  for (int k = 0; k < kin->ncollider; k++, out += 9) {
    const csim_collider_progress *p = &kin->progress[k];
    out[0] = p->reached;
    out[1] = p->stuck;
    out[2] = p->offset_age;
    memcpy(out + 3, p->offset, sizeof p->offset);
    memcpy(out + 6, p->away, sizeof p->away);
  }
  out[0] = kin->pins_stuck;
  out[1] = out[2] = 0;
}

int csim_kinematics_accepts(const csim_kinematics *kin, const double *kinematic) {
  enum { MOST_STEPS = 1000000000 };
  const double *in = kinematic + csim_xyz(kin->mesh->nvert - kin->mesh->nbody_vert);
  in += csim_row(6, kin->planes.n);
  for (int k = 0; k < kin->ncollider; k++, in += 9)
    if (!csim_is_whole(in[1], 0, MOST_STEPS) || !csim_is_whole(in[2], 0, MOST_STEPS)) return 0;
  return csim_is_whole(in[0], 0, MOST_STEPS);
}

void csim_kinematics_load(csim_kinematics *kin, const double *kinematic) {
  const csim_collision_mesh *mesh = kin->mesh;
  ptrdiff_t n = csim_xyz(mesh->nvert - mesh->nbody_vert);
  memcpy(kin->x + csim_xyz(mesh->nbody_vert), kinematic, (size_t)n * sizeof *kinematic);
  const double *in = kinematic + n;
  for (int k = 0; k < kin->planes.n; k++, in += 6) {
    memcpy(kin->planes.plane[k].n, in, 3 * sizeof *in);
    kin->planes.plane[k].offset = in[3];
  }
  for (int k = 0; k < kin->ncollider; k++, in += 9) {
    csim_collider_progress *p = &kin->progress[k];
    *p = (csim_collider_progress){.reached = in[0], .goal_time = in[0]};
    p->stuck = (int)in[1];
    p->offset_age = (int)in[2];
    for (int c = 0; c < 3; c++) p->offset[c] = p->goal_offset[c] = in[3 + c];
    memcpy(p->away, in + 6, sizeof p->away);
  }
  kin->pins_stuck = (int)in[0];
  kin->version++;
}

// --------------------------------------------------------------------------------------- motions

// Whether what has been stuck for so many steps does not try to move in this one. It tries in the
// steps 1, 2, 4 and 8 after it got stuck, then in every eighth: what is squeezed stays so for long.
static int backs_off(int stuck) {
  enum { STEPS = 8 };
  return stuck < STEPS ? (stuck & (stuck - 1)) != 0 : stuck % STEPS != 0;
}

// The goals of collider k's vertices.
static double *goal_of(const csim_kinematics *kin, int k) {
  return kin->goal +
         3 * ((ptrdiff_t)kin->mesh->first[kin->mesh->nbody + k] - kin->mesh->nbody_vert);
}

// The positions of collider k at a time of its motion, moved by an offset.
static void place(const csim_kinematics *kin, int k, double time, const double offset[3],
                  double *x) {
  csim_collider_vertices(&kin->collider[k], time, x);
  if (!(offset[0] != 0 || offset[1] != 0 || offset[2] != 0)) return;
  for (ptrdiff_t i = 0; i < csim_xyz(kin->collider[k].mesh->nvert); i += 3)
    csim_add_scaled(1, offset, x + i);
}

// Sets the goals of collider k to its positions at a time of its motion, moved by an offset.
// Returns the longest distance to them [m].
static double set_goal(csim_kinematics *kin, int k, double time, const double offset[3]) {
  csim_collider_progress *p = &kin->progress[k];
  const double *goal = goal_of(kin, k);
  const double *x = kin->x + csim_xyz(kin->mesh->first[kin->mesh->nbody + k]);
  double way = 0;
  p->goal_time = time;
  memcpy(p->goal_offset, offset, sizeof p->goal_offset);
  place(kin, k, time, offset, goal_of(kin, k));
  for (ptrdiff_t i = 0; i < csim_xyz(kin->collider[k].mesh->nvert); i += 3)
    way = csim_max(way, csim_distance(x + i, goal + i));
  return way;
}

// Longest distance of collider k's vertices from where its motion passes nearest to them in this
// step, taken as a straight line [m]. Its goal becomes the end of the step.
static double nearest_pass(csim_kinematics *kin, int k, double time) {
  const csim_collider *collider = &kin->collider[k];
  ptrdiff_t first = csim_xyz(kin->mesh->first[kin->mesh->nbody + k]);
  const double *x = kin->x + first, *to = goal_of(kin, k);
  double *from = kin->d + first; // nothing is tried yet
  kin->colliders_aimed = 1;
  double along = 0, length = 0, way = 0;
  set_goal(kin, k, time, NO_OFFSET);
  csim_collider_vertices(collider, time - kin->h, from);
  for (ptrdiff_t i = 0; i < csim_xyz(collider->mesh->nvert); i++) {
    along += (x[i] - from[i]) * (to[i] - from[i]);
    length += (to[i] - from[i]) * (to[i] - from[i]);
  }
  double s = length > 0 ? csim_min(csim_max(along / length, 0), 1) : 1;
  for (ptrdiff_t i = 0; i < csim_xyz(collider->mesh->nvert); i += 3) {
    double nearest[3];
    for (int c = 0; c < 3; c++) nearest[c] = from[i + c] + s * (to[i + c] - from[i + c]);
    way = csim_max(way, csim_distance(x + i, nearest));
  }
  return way;
}

// Mean distance of collider k from its motion's position at a time [m].
static void find_offset(csim_kinematics *kin, int k, double time, double offset[3]) {
  ptrdiff_t first = csim_xyz(kin->mesh->first[kin->mesh->nbody + k]);
  int n = kin->collider[k].mesh->nvert;
  double *at = goal_of(kin, k); // which is set anew
  memset(offset, 0, 3 * sizeof *offset);
  csim_collider_vertices(&kin->collider[k], time, at);
  for (ptrdiff_t i = 0; i < csim_xyz(n); i++) offset[i % 3] += (kin->x[first + i] - at[i]) / n;
}

static int has_offset(const csim_collider_progress *p) {
  return csim_dot(p->offset, p->offset) > 0;
}

// Gives a stuck collider an offset, if it is where its motion is now except for one. Returns
// whether it is.
static int take_offset(csim_kinematics *kin, int k) {
  static const double ALIKE = 0.01; // of the contact distance
  csim_collider_progress *p = &kin->progress[k];
  double offset[3];
  find_offset(kin, k, kin->now, offset);
  if (set_goal(kin, k, kin->now, offset) > ALIKE * kin->planes.thickness) return 0;
  if (!has_offset(p)) memset(p->away, 0, sizeof p->away);
  if (!has_offset(p) && csim_norm(offset) > 0)
    csim_add_scaled(1 / csim_norm(offset), offset, p->away);
  p->reached = kin->now;
  memcpy(p->offset, offset, sizeof p->offset);
  return 1;
}

// The offset at which a collider follows its motion to the end of the step. It does not go farther
// into what has blocked it, and makes some room if it is stuck.
static void aim_offset(csim_kinematics *kin, int k, double time, double offset[3]) {
  const csim_collider_progress *p = &kin->progress[k];
  double gone[3];
  find_offset(kin, k, time, gone);
  csim_sub(p->offset, gone, gone);
  double into = csim_max(-csim_dot(gone, p->away), 0);
  double retreat = p->stuck ? RETREAT * kin->planes.thickness : 0;
  csim_add_scaled(into + retreat, p->away, offset);
}

// Gives a collider that has followed its motion a goal with a smaller offset, which it is to reach
// without pressing.
static void shrink_offset(csim_kinematics *kin, int k) {
  csim_collider_progress *p = &kin->progress[k];
  double gone[3], offset[3] = {0}, size = csim_norm(p->offset);
  p->offset_plan = CSIM_OFFSET_SHRINKS;
  kin->offsets_shrink = 1;
  find_offset(kin, k, p->reached - kin->h, gone);
  csim_sub(gone, p->offset, gone);
  double most = csim_max((CATCH_UP - 1) * csim_norm(gone), REDUCTION * kin->h);
  if (size > most) csim_add_scaled(1 - most / size, p->offset, offset);
  set_goal(kin, k, p->goal_time, offset);
}

// Sets the goal of collider k in a step that ends at `time`, and whether it tries to get there. It
// continues from the time that it has reached, or at its offset from now. A stuck one skips a part
// of its motion that returns to where it is: a press that could not close opens with its motion,
// though it has never been closed.
static void choose_goal(csim_kinematics *kin, int k, double time) {
  csim_collider_progress *p = &kin->progress[k];
  p->attempt = CSIM_ATTEMPT_TRIES;
  p->offset_plan = CSIM_OFFSET_STAYS;
  p->has_shrunk = 0;
  if (!csim_collider_moves(&kin->collider[k])) {
    p->reached = p->goal_time = time;
    return;
  }
  int follows = !kin->never_waits && (p->stuck ? take_offset(kin, k) : has_offset(p));
  double soonest = follows ? time : csim_min(time, p->reached + CATCH_UP * kin->h);
  double pass = p->stuck && soonest < time ? nearest_pass(kin, k, time) : INFINITY;
  double offset[3];
  memcpy(offset, p->offset, sizeof offset);
  if (follows) aim_offset(kin, k, time, offset);
  double way = set_goal(kin, k, csim_max(p->reached, soonest), offset);
  if (!(way <= pass)) {
    set_goal(kin, k, time, NO_OFFSET);
    p->stuck = 0; // it need not wait
    return;
  }
  if (follows && !backs_off(p->offset_age)) p->offset_plan = CSIM_OFFSET_MAY_SHRINK;
  if (!kin->never_waits && backs_off(p->stuck)) p->attempt = CSIM_ATTEMPT_WAITS;
}

void csim_kinematics_begin(csim_kinematics *kin, const double *x, const double *target, double time,
                           double h) {
  const csim_collision_mesh *mesh = kin->mesh;
  kin->h = kin->time_left = h;
  kin->offsets_shrink = 0;
  kin->now = time - h;
  kin->target = target;
  kin->lag = 0;
  kin->lag_part = 0;
  csim_vector_copy(kin->pool, 3 * mesh->nbody_vert, x, kin->x);
  kin->body_start = x;
  memcpy(kin->collider_start, kin->x + csim_xyz(mesh->nbody_vert),
         3 * (size_t)(mesh->nvert - mesh->nbody_vert) * sizeof *x);
  csim_planes_aim(&kin->planes, time, h);
  for (int k = 0; k < kin->ncollider; k++) choose_goal(kin, k, time);
}

void csim_kinematics_place(csim_kinematics *kin, double time) {
  csim_planes_place(&kin->planes, time);
  kin->pins_stuck = 0;
  kin->version++;
  for (int k = 0; k < kin->ncollider; k++) {
    const csim_collider *collider = &kin->collider[k];
    kin->progress[k] = (csim_collider_progress){.reached = time, .goal_time = time};
    if (csim_collider_moves(collider))
      csim_collider_vertices(collider, time,
                             kin->x + csim_xyz(kin->mesh->first[kin->mesh->nbody + k]));
  }
}

// Whether collider k is not at its goal.
static int is_behind(const csim_kinematics *kin, int k) {
  const csim_collider_progress *p = &kin->progress[k];
  return p->reached < p->goal_time || memcmp(p->offset, p->goal_offset, sizeof p->offset) != 0;
}

int csim_kinematics_part_is_behind(const csim_kinematics *kin, int part) {
  int k = part - kin->mesh->nbody;
  return k >= 0 && is_behind(kin, k);
}

// The same, if it tries to get there.
static int tries(const csim_kinematics *kin, int k) {
  return is_behind(kin, k) && kin->progress[k].attempt == CSIM_ATTEMPT_TRIES;
}

int csim_kinematics_part_tries(const csim_kinematics *kin, int part) {
  int k = part - kin->mesh->nbody;
  return k >= 0 && tries(kin, k);
}

void csim_kinematics_hold_part(csim_kinematics *kin, int part) {
  kin->progress[part - kin->mesh->nbody].attempt = CSIM_ATTEMPT_HELD;
}

int csim_kinematics_colliders_are_behind(const csim_kinematics *kin) {
  for (int k = 0; k < kin->ncollider; k++)
    if (tries(kin, k)) return 1;
  return 0;
}

int csim_kinematics_colliders_fall_behind(const csim_kinematics *kin) {
  for (int k = 0; k < kin->ncollider; k++) {
    const csim_collider_progress *p = &kin->progress[k];
    if (p->reached < p->goal_time && !p->stuck && !has_offset(p)) return 1;
  }
  return 0;
}

double csim_kinematics_pin_way(const csim_kinematics *kin) {
  double way = 0;
  for (int i = 0; i < kin->model->ntarget; i++) {
    const csim_target *t = &kin->model->target[i];
    if (t->hard)
      way = csim_max(way, csim_distance(kin->target + csim_xyz(i), kin->x + csim_xyz(t->vert)));
  }
  return way > 1e-3 * kin->planes.thickness ? way : 0;
}

void csim_kinematics_end(csim_kinematics *kin) {
  for (int k = 0; k < kin->ncollider; k++) {
    csim_collider_progress *p = &kin->progress[k];
    p->stuck = p->reached < p->goal_time ? p->stuck + 1 : 0;
    p->offset_age = has_offset(p) && !p->has_shrunk ? p->offset_age + 1 : 0;
  }
  kin->pins_stuck = csim_kinematics_pin_way(kin) > 0 ? kin->pins_stuck + 1 : 0;
}

// Time and offset of a collider after a share of what is left of its way.
static void interpolate(const csim_collider_progress *p, double share, double *time,
                        double offset[3]) {
  int all = share >= 1;
  *time = all ? p->goal_time : p->reached + share * (p->goal_time - p->reached);
  for (int c = 0; c < 3; c++)
    offset[c] = all ? p->goal_offset[c] : p->offset[c] + share * (p->goal_offset[c] - p->offset[c]);
}

void csim_kinematics_move_colliders(csim_kinematics *kin, double share) {
  int shrink = kin->offsets_shrink && share > 0; // before this motion lets some begin to
  for (int k = 0; k < kin->ncollider; k++) {
    csim_collider_progress *p = &kin->progress[k];
    if (!tries(kin, k)) continue;
    p->has_shrunk |= shrink;
    interpolate(p, share, &p->reached, p->offset);
    if (share >= 1 && p->offset_plan == CSIM_OFFSET_MAY_SHRINK && has_offset(p))
      shrink_offset(kin, k);
  }
  kin->version++;
}

void csim_kinematics_advance_planes(csim_kinematics *kin) {
  if (csim_planes_advance(&kin->planes, kin->x)) kin->version++;
}

// ----------------------------------------------------------------------------------------- moving

typedef struct move_job {
  csim_kinematics *kin;
  const double *goal;
  double alpha;
} move_job;

static void aim_range(void *context, int first, int last) {
  const move_job *job = context;
  csim_kinematics *kin = job->kin;
  for (int i = first; i < last; i++) {
    const double *x = kin->x + csim_xyz(i), *to = x;
    if (job->goal && !kin->kinematic[i]) to = job->goal + csim_xyz(i);
    csim_sub(to, x, kin->d + csim_xyz(i));
  }
}

void csim_kinematics_stop_colliders(csim_kinematics *kin) {
  ptrdiff_t nbody = csim_xyz(kin->mesh->nbody_vert), n = csim_xyz(kin->mesh->nvert);
  if (kin->colliders_aimed) memset(kin->d + nbody, 0, (size_t)(n - nbody) * sizeof *kin->d);
  kin->colliders_aimed = 0;
}

void csim_kinematics_aim(csim_kinematics *kin, const double *goal) {
  csim_kinematics_stop_colliders(kin);
  csim_pool_for(kin->pool, kin->mesh->nbody_vert, VERT_GRAIN, aim_range,
                &(move_job){.kin = kin, .goal = goal});
  for (int i = 0; i < kin->model->ntarget; i++) {
    const csim_target *t = &kin->model->target[i];
    ptrdiff_t at = csim_xyz(t->vert);
    if (t->hard) csim_sub(kin->target + csim_xyz(i), kin->x + at, kin->d + at);
  }
}

void csim_kinematics_aim_colliders(csim_kinematics *kin, double share) {
  const csim_collision_mesh *mesh = kin->mesh;
  for (int k = 0; k < kin->ncollider; k++) {
    const csim_collider *collider = &kin->collider[k];
    if (!csim_collider_moves(collider)) continue;
    ptrdiff_t first = mesh->first[mesh->nbody + k], n = collider->mesh->nvert;
    double *d = kin->d + 3 * first, *x = kin->x + 3 * first;
    if (!tries(kin, k)) {
      memset(d, 0, 3 * (size_t)n * sizeof *d);
      continue;
    }
    double time, offset[3];
    interpolate(&kin->progress[k], share, &time, offset);
    kin->colliders_aimed = 1;
    if (share >= 1)
      memcpy(d, goal_of(kin, k), 3 * (size_t)n * sizeof *d);
    else
      place(kin, k, time, offset, d);
    for (ptrdiff_t i = 0; i < 3 * n; i++) d[i] -= x[i];
  }
}

void csim_kinematics_predict(csim_kinematics *kin, const double *v) {
  csim_kinematics_aim(kin, NULL);
  csim_kinematics_aim_colliders(kin, 1);
  for (int i = 0; i < kin->mesh->nbody_vert; i++)
    if (csim_kinematics_is_free(kin, i))
      for (int k = 3 * i; k < 3 * i + 3; k++) kin->d[k] = v ? kin->h * v[k] : 0;
}

void csim_kinematics_aim_pins(const csim_kinematics *kin, double most, double *d) {
  double way = csim_kinematics_pin_way(kin), share = kin->pins_stuck && way > most ? most / way : 1;
  int tries = way > 0 && !backs_off(kin->pins_stuck);
  for (int i = 0; i < kin->model->ntarget; i++) {
    const csim_target *t = &kin->model->target[i];
    ptrdiff_t at = csim_xyz(t->vert);
    if (!t->hard) continue;
    for (int k = 0; k < 3; k++)
      d[at + k] = tries ? share * (kin->target[csim_xyz(i) + k] - kin->x[at + k]) : 0;
  }
}

int csim_kinematics_pins_are_behind(const csim_kinematics *kin) {
  return csim_kinematics_pin_way(kin) > 0 && !backs_off(kin->pins_stuck);
}

void csim_kinematics_stop_pins(csim_kinematics *kin) {
  for (int i = 0; i < kin->mesh->nbody_vert; i++)
    if (kin->kinematic[i]) memset(kin->d + csim_xyz(i), 0, 3 * sizeof *kin->d);
}

static double sum_tearing(void *context, int first, int last) {
  const csim_kinematics *kin = context;
  double sum = 0;
  for (int i = first; i < last; i++) {
    const int *e = kin->mesh->edge + csim_row(2, i);
    double apart[3];
    csim_sub(kin->d + csim_xyz(e[0]), kin->d + csim_xyz(e[1]), apart);
    sum += csim_dot(apart, apart);
  }
  return sum;
}

double csim_kinematics_tearing(const csim_kinematics *kin) {
  int n = kin->mesh->nbody_edge;
  return n ? sqrt(csim_pool_sum(kin->pool, n, sum_tearing, (void *)kin) / n) : 0;
}

static void displace_range(void *context, int first, int last) {
  const move_job *job = context;
  csim_kinematics *kin = job->kin;
  for (int k = 3 * first; k < 3 * last; k++) kin->x[k] += job->alpha * kin->d[k];
}

void csim_kinematics_displace(csim_kinematics *kin, double alpha) {
  csim_pool_for(kin->pool, csim_kinematics_nmoving(kin), VERT_GRAIN, displace_range,
                &(move_job){.kin = kin, .alpha = alpha});
}

// -------------------------------------------------------------------------------------------- lag

// Distance of a collider's vertex from its goal [m].
static double distance_to_goal(const csim_kinematics *kin, int v) {
  return csim_distance(kin->x + csim_xyz(v),
                       kin->goal + 3 * ((ptrdiff_t)v - kin->mesh->nbody_vert));
}

void csim_kinematics_goal_distances(const csim_kinematics *kin, double *distance) {
  const csim_collision_mesh *mesh = kin->mesh;
  memset(distance, 0, (size_t)mesh->npart * sizeof *distance);
  for (int k = 0; k < kin->ncollider; k++) {
    int part = mesh->nbody + k;
    for (int i = mesh->first[part]; i < mesh->first[part + 1] && is_behind(kin, k); i++)
      distance[part] = csim_max(distance[part], distance_to_goal(kin, i));
  }
  for (int k = 0; k < kin->planes.n; k++) {
    const csim_contact_plane *p = &kin->planes.plane[k];
    distance[p->part] = fabs(p->offset - p->goal_offset);
  }
}

// Distance [m] of a collider from its prescribed position at the end of the step, which becomes its
// goal. A step that would move it away from there catches up in steps of CATCH_UP.
static double collider_lag(csim_kinematics *kin, int k) {
  const csim_collider *collider = &kin->collider[k];
  const csim_collider_progress *p = &kin->progress[k];
  double end = kin->now + kin->h, lag = 0;
  if (!csim_collider_moves(collider) || (p->reached >= end && !has_offset(p))) return 0;
  set_goal(kin, k, end, NO_OFFSET);
  int first = kin->mesh->first[kin->mesh->nbody + k];
  for (int i = first; i < first + collider->mesh->nvert; i++)
    lag = csim_max(lag, distance_to_goal(kin, i));
  return lag;
}

typedef struct lag {
  double distance; // [m]
  int part;
} lag;

static void note_lag(double distance, int part, lag *most) {
  if (distance > most->distance) *most = (lag){distance, part};
}

// The largest lag of exact pins and planes, whose turn counts as at a distance of 1 m.
static lag find_lag(const csim_kinematics *kin) {
  lag most = {0};
  for (int i = 0; i < kin->model->ntarget; i++) {
    const csim_target *t = &kin->model->target[i];
    if (t->hard)
      note_lag(csim_distance(kin->target + csim_xyz(i), kin->x + csim_xyz(t->vert)),
               csim_collision_mesh_part(kin->mesh, t->vert), &most);
  }
  for (int k = 0; k < kin->planes.n; k++) {
    const csim_contact_plane *p = &kin->planes.plane[k];
    note_lag(fabs(p->offset - p->goal_offset) + csim_distance(p->n, p->goal_n), p->part, &most);
  }
  return most;
}

int csim_kinematics_pins_or_planes_lag(const csim_kinematics *kin) {
  return find_lag(kin).distance > 0;
}

void csim_kinematics_measure_lag(csim_kinematics *kin) {
  lag most = find_lag(kin);
  for (int k = 0; k < kin->ncollider; k++)
    note_lag(collider_lag(kin, k), kin->mesh->nbody + k, &most);
  kin->lag = most.distance;
  kin->lag_part = most.part;
}
