// contact/pinched.c: see pinched.h.
#include "contact/pinched.h"

#include "contact/margins.h"
#include "math/vec3.h"
#include "mesh/intersect.h"
#include "mesh/winding.h"

#include <stdlib.h>
#include <string.h>

enum { EVERY = -1 };

// A pair stops colliders if it leaves them less than this share of their way.
static const double STOPS = 0.1;

// Share of its contact distance from which a released pair has contact again. The filter would stop
// everything nearer than the floor.
static const double RESTORE_GAP = 0.6;

// The same for a vertex that is where it was to go: what it holds may hang round a corner, and come
// no farther from it. One press in eighty kept two such vertices for ever.
static const double RESTORE_GAP_AT_GOAL = 0.3;

// [1/s] rate of the weak springs, and [m] depth up to which their force grows: at most 18 m/s2.
static const double RATE = 30, GROWS = 0.02;

// [m/s] speed with which the stiff springs draw vertices out.
static const double DRAWS = 0.5;

int csim_pinched_create(csim_arena *arena, const csim_contact_params *params, csim_pinched *p) {
  p->on = params->pinched == CSIM_PINCHED_IGNORE;
  if (!p->on) return 0;
  p->released = CSIM_ARENA_NEW(arena, int, p->mesh->nbody_vert);
  p->vert = CSIM_ARENA_NEW(arena, csim_pinched_vertex, p->mesh->nbody_vert);
  p->mesh->released = p->released;
  return arena->failed ? -1 : 0;
}

void csim_pinched_free(csim_pinched *p) {
  free(p->crossings.tri);
  free(p->crossings.pair);
}

// ------------------------------------------------------------------------------------------ state

void csim_pinched_save(const csim_pinched *p, double *state) {
  int n = p->on ? p->mesh->nbody_vert : 0;
  for (int i = 0; i < n; i++) state[i] = p->released[i];
  for (int i = 0; i < n; i++) state[n + i] = p->vert[i].exit_tri;
  for (int i = 0; i < n; i++) state[2 * n + i] = p->vert[i].last_depth;
}

int csim_pinched_accepts(const csim_pinched *p, const double *state) {
  const csim_collision_mesh *mesh = p->mesh;
  int n = p->on ? mesh->nbody_vert : 0;
  for (int i = 0; i < n; i++) {
    double by = state[i], out = state[n + i], was = state[2 * n + i];
    if (!csim_is_whole(by, EVERY, mesh->npart - 1)) return 0;
    if (by > 0 && by < mesh->nbody) return 0; // a body lets nothing go
    if (!csim_is_whole(out, by != 0 ? mesh->nbody_tri : 0, mesh->ntri - 1)) return 0;
    if (was < 0 && was != -1) return 0;
  }
  return 1;
}

void csim_pinched_load(csim_pinched *p, const double *state) {
  int n = p->on ? p->mesh->nbody_vert : 0;
  p->nreleased = 0;
  for (int i = 0; i < n; i++) {
    p->released[i] = (int)state[i];
    p->vert[i].exit_tri = (int)state[n + i];
    p->vert[i].last_depth = state[2 * n + i];
    p->nreleased += p->released[i] != 0;
  }
}

// A vertex between two others is released as they are; where one of them is not, as the other.
static void refine_vertex(double *by, double *out, double *was, const int ends[2], int i) {
  int a = by[ends[0]] != 0 ? ends[0] : ends[1], b = ends[1];
  if (by[a] == 0) return;
  by[i] = by[b] == 0 || by[b] == by[a] ? by[a] : EVERY;
  out[i] = out[a];
  was[i] = -1;
}

void csim_pinched_refine(const csim_model *from, const csim_model *to, const double *old,
                         double *state) {
  for (int b = 0; b < to->nbody; b++) {
    const csim_body *body = &to->body[b];
    int first = body->vert0, old_first = from->body[b].vert0;
    int common = from->body[b].nvert < body->nvert ? from->body[b].nvert : body->nvert;
    double *by = state + first, *out = by + to->nvert, *was = out + to->nvert;
    for (int i = 0; i < common; i++) {
      by[i] = old[old_first + i];
      if (by[i] != 0) out[i] = old[from->nvert + old_first + i] + to->ntri - from->ntri;
      was[i] = old[2 * from->nvert + old_first + i];
    }
    for (int i = common; i < body->nvert; i++)
      refine_vertex(by, out, was, body->mesh->parent + csim_row(2, i), i);
  }
}

void csim_pinched_clear(csim_pinched *p) {
  if (p->on) memset(p->released, 0, (size_t)p->mesh->nbody_vert * sizeof *p->released);
  p->nreleased = 0;
}

// Unit normal of a triangle of the mesh; 0 where it has none.
static void normal_of(const csim_pinched *p, int tri, double n[3]) {
  csim_face_normal(p->kin->x, p->mesh->tri + csim_xyz(tri), n);
  csim_normalise(n);
}

// How far [m] a point is from where a released vertex is to go, along n: before the plane of its
// triangle by a contact distance, and half an edge more if its faces are to clear a corner of the
// collider.
static double depth_of(const csim_pinched *p, int vert, const double *at, double n[3]) {
  const csim_pinched_vertex *v = &p->vert[vert];
  const double *q = p->kin->x + csim_xyz(p->mesh->tri[csim_xyz(v->exit_tri)]);
  normal_of(p, v->exit_tri, n);
  double more = v->goes_farther ? 0.5 * p->reach->edge : 0;
  return p->reach->candidates->distance + more + csim_dot(n, q) - csim_dot(n, at);
}

// The triangle of a collider that is nearest to a vertex outside of it. Of triangles that share the
// nearest point, the one that faces the vertex most.
static int nearest_triangle(const csim_pinched *p, int vert, int part) {
  const csim_collision_mesh *mesh = p->mesh;
  const double *at = p->kin->x + csim_xyz(vert);
  double least = INFINITY, facing = 0;
  int nearest = 0;
  for (int t = mesh->nbody_tri; t < mesh->ntri; t++) {
    const int *v = mesh->tri + csim_xyz(t);
    const double *q[3];
    double w[3], n[3], way[3];
    if (csim_collision_mesh_part(mesh, v[0]) != part) continue;
    for (int k = 0; k < 3; k++) q[k] = p->kin->x + csim_xyz(v[k]);
    double d2 = csim_point_triangle(at, q[0], q[1], q[2], w);
    if (d2 > least * (1 + 1e-9)) continue;
    memcpy(way, at, sizeof way);
    for (int k = 0; k < 3; k++) csim_add_scaled(-w[k], q[k], way);
    normal_of(p, t, n);
    double faces = csim_dot(n, way);
    if (d2 >= least * (1 - 1e-9) && faces <= facing) continue;
    least = d2;
    facing = faces;
    nearest = t;
  }
  return nearest;
}

// Lets a collider release a vertex, which is to go out by a triangle; < 0: by the nearest one.
// Returns whether it had not released that yet.
static int release_by(csim_pinched *p, int vert, int part, int tri) {
  int *by = &p->released[vert];
  if (*by == part || *by == EVERY) return 0;
  if (*by == 0) {
    p->nreleased++;
    p->vert[vert].exit_tri = tri < 0 ? nearest_triangle(p, vert, part) : tri;
    p->vert[vert].last_depth = -1;
  }
  *by = *by ? EVERY : part;
  return 1;
}

static int release(csim_pinched *p, int vert, int part) {
  return release_by(p, vert, part, -1);
}

// ------------------------------------------------------------------------------------------ pairs

// A pair with its collider and the nearest vertex of its body.
typedef struct pinched_pair {
  csim_pair_kind kind;
  int v[4];
  int part;   // of its collider; 0: of bodies only
  int vert;   // the body's vertex with the largest weight
  double gap; // [m]
} pinched_pair;

static pinched_pair evaluate_pair(const csim_pinched *p, const csim_candidate *candidate) {
  const csim_collision_mesh *mesh = p->mesh;
  pinched_pair pair = {.kind = csim_candidate_kind(candidate), .vert = -1};
  const double *at[4];
  double w[4], most = -1;
  csim_candidate_vertices(mesh, candidate, pair.v);
  for (int k = 0; k < 4; k++) at[k] = p->kin->x + csim_xyz(pair.v[k]);
  pair.gap = sqrt(csim_pair_closest(pair.kind, at, w));
  for (int k = 0; k < 4; k++) {
    if (pair.v[k] >= mesh->nbody_vert) pair.part = csim_collision_mesh_part(mesh, pair.v[k]);
    if (pair.v[k] >= mesh->nbody_vert || !(fabs(w[k]) > most)) continue;
    most = fabs(w[k]);
    pair.vert = pair.v[k];
  }
  return pair;
}

// -------------------------------------------------------------------------------------- releasing

// Of the colliders that could release a vertex the first one does.
static void prefer(int *releaser, int part) {
  if (part > 0 && (*releaser <= 0 || part < *releaser)) *releaser = part;
}

static int stops(void *context, const csim_candidate *candidate) {
  const csim_pinched *p = context;
  return csim_glide_candidate_share(p->reach, candidate) < STOPS;
}

// Finds the releasers of the vertices of a pair that stops colliders: -1 of those whose pair has no
// lagging collider.
static void mark_stopping(void *context, const csim_candidate *candidate) {
  csim_pinched *p = context;
  pinched_pair pair = evaluate_pair(p, candidate);
  if (pair.vert < 0) return;
  int part = pair.part && csim_kinematics_part_is_behind(p->kin, pair.part) ? pair.part : -1;
  for (int k = 0; k < 4; k++) {
    if (pair.part ? pair.v[k] != pair.vert : pair.v[k] >= p->mesh->nbody_vert) continue;
    int *releaser = &p->vert[pair.v[k]].releaser;
    if (*releaser == 0) *releaser = -1;
    prefer(releaser, part);
  }
}

// Of two colliders always the same one releases what lies between them, so that the other still
// holds it. Layers of cloth that stop each other are released too.
static void choose_collider(csim_pinched *p, const csim_candidate *candidate) {
  pinched_pair pair = evaluate_pair(p, candidate);
  if (!pair.part || !csim_kinematics_part_is_behind(p->kin, pair.part)) return;
  if (pair.gap > p->reach->candidates->distance) return;
  for (int k = 0; k < 4; k++)
    if (pair.v[k] < p->mesh->nbody_vert && p->vert[pair.v[k]].releaser != 0)
      prefer(&p->vert[pair.v[k]].releaser, pair.part);
}

int csim_pinched_release(csim_pinched *p, const double *d) {
  csim_kinematics *kin = p->kin;
  int n = p->mesh->nbody_vert, count = 0;
  if (d != kin->d) memcpy(kin->d, d, 3 * (size_t)n * sizeof *d);
  csim_kinematics_stop_pins(kin);
  csim_kinematics_aim_colliders(kin, 1);
  if (csim_reach_update(p->reach, 0) || csim_narrow_phase_visit(p->narrow, stops, mark_stopping, p))
    return -1;
  const csim_candidates *set = p->reach->candidates;
  for (int i = 0; i < p->narrow->n; i++) choose_collider(p, &set->list[p->narrow->shortlist[i]]);
  for (int i = 0; i < n; i++) {
    if (p->vert[i].releaser > 0) count += release(p, i, p->vert[i].releaser);
    p->vert[i].releaser = 0;
  }
  if (count) csim_kinematics_note_change(kin);
  return count;
}

// Tests the pair itself: what the visit has released before stops nothing any more.
static void release_pair(void *context, const csim_candidate *candidate) {
  csim_pinched *p = context;
  pinched_pair pair = evaluate_pair(p, candidate);
  if (!pair.part || pair.vert < 0) return;
  if (csim_glide_candidate_share(p->reach, candidate) >= 1) return;
  release(p, pair.vert, pair.part);
}

int csim_pinched_pass(csim_pinched *p) {
  enum { MOST_LEGS = 1000 }; // a way may be longer than one reach of the vertices
  csim_kinematics *kin = p->kin;
  size_t bytes = 3 * (size_t)p->mesh->nbody_vert * sizeof *kin->d;
  for (int leg = 0; leg < MOST_LEGS && csim_kinematics_colliders_are_behind(kin); leg++) {
    memset(kin->d, 0, bytes);
    csim_kinematics_aim_colliders(kin, 1);
    if (csim_reach_update(p->reach, 0) || csim_narrow_phase_visit(p->narrow, NULL, release_pair, p))
      return -1;
    csim_kinematics_note_change(kin);
    memset(kin->d, 0, bytes);
    if (csim_glide_together(p->glide, 1) < 0) return -1;
  }
  return 0;
}

// ----------------------------------------------------------------------------------------- review

// Keeps the corners of a triangle released.
static void keep_corners(csim_pinched *p, const int v[3], int part) {
  for (int k = 0; k < 3; k++)
    if (csim_collision_mesh_releases(p->mesh, v[k], part)) p->vert[v[k]].stays_released = 1;
}

// Keeps the vertices of a pair that are too near, by its gap as a share of its contact distance.
// Those that are where they were to go then go farther, away from a corner.
static void keep_if_near(csim_pinched *p, const pinched_pair *pair, double gap) {
  for (int k = 0; k < 4; k++) {
    int vert = pair->v[k];
    double n[3];
    if (!csim_collision_mesh_releases(p->mesh, vert, pair->part)) continue;
    csim_pinched_vertex *v = &p->vert[vert];
    int there = !v->goes_farther && depth_of(p, vert, p->kin->x + csim_xyz(vert), n) <
                                        (1 - RESTORE_GAP) * p->reach->candidates->distance;
    if (!(gap < (there ? RESTORE_GAP_AT_GOAL : RESTORE_GAP))) continue;
    v->stays_released = 1;
    if (there) v->goes_farther = 1;
  }
}

static void keep_near(csim_pinched *p) {
  const csim_candidates *set = p->reach->candidates;
  for (int i = 0; i < set->n; i++) {
    int v[4];
    csim_candidate_vertices(p->mesh, &set->list[i], v);
    int any = 0;
    for (int k = 0; k < 4; k++) any |= v[k] < p->mesh->nbody_vert && p->released[v[k]];
    if (!any) continue;
    pinched_pair pair = evaluate_pair(p, &set->list[i]);
    double scale = csim_candidate_own_scale(set, pair.kind, pair.v, NULL);
    if (pair.part && scale > 0) keep_if_near(p, &pair, pair.gap / (scale * set->distance));
  }
}

// The collider of a crossing.
static int crossed_part(const csim_pinched *p, ptrdiff_t i) {
  const int *tri = p->mesh->tri + csim_xyz(p->mesh->nbody_tri + p->crossings.pair[2 * i + 1]);
  return csim_collision_mesh_part(p->mesh, tri[0]);
}

// Finds the crossings. -1 when out of memory.
static int find_crossings(csim_pinched *p) {
  const csim_collision_mesh *mesh = p->mesh;
  csim_pinched_crossings *c = &p->crossings;
  int n = 0;
  long long total = 0;
  c->n = 0;
  int *tri = csim_grow(c->tri, &c->tri_capacity, mesh->nbody_tri, 3 * sizeof *tri);
  if (!tri) return -1;
  c->tri = tri;
  for (int t = 0; t < mesh->nbody_tri; t++) {
    const int *v = mesh->tri + csim_xyz(t);
    if (p->released[v[0]] || p->released[v[1]] || p->released[v[2]])
      memcpy(tri + csim_xyz(n++), v, 3 * sizeof *v);
  }
  csim_triangles bodies = {mesh->nvert, p->kin->x, n, tri};
  csim_triangles colliders = {mesh->nvert, p->kin->x, mesh->ntri - mesh->nbody_tri,
                              mesh->tri + csim_xyz(mesh->nbody_tri)};
  if (n == 0 || colliders.ntri == 0) return 0;
  for (int capacity = 1024;; capacity = (int)total) {
    int *pair = csim_grow(c->pair, &c->pair_capacity, capacity, 2 * sizeof *pair);
    if (!pair) return -1;
    c->pair = pair;
    if (csim_find_intersections(p->kin->pool, &bodies, &colliders, capacity, pair, &total))
      return -1;
    if (total > 1 << 28) return -1;
    if (total <= capacity) break;
  }
  c->n = total;
  return 0;
}

// Keeps vertices whose faces cross a collider. -1 when out of memory.
static int keep_crossing(csim_pinched *p) {
  const csim_pinched_crossings *c = &p->crossings;
  if (find_crossings(p)) return -1;
  for (ptrdiff_t i = 0; i < c->n; i++)
    keep_corners(p, c->tri + csim_xyz(c->pair[2 * i]), crossed_part(p, i));
  return 0;
}

// Whether a point is inside the collider of a part.
static int is_inside(const csim_pinched *p, int part, const double *at) {
  const csim_mesh *mesh = p->kin->collider[part - p->mesh->nbody].mesh;
  const double *x = p->kin->x + csim_xyz(p->mesh->first[part]);
  if (p->mesh->first[part] == p->mesh->first[part + 1]) return 0; // a plane
  return fabs(csim_winding_number(mesh->ntri, mesh->tri, x, at)) > 0.5;
}

// Keeps vertices inside of a collider that has released them.
static void keep_inside(void *context, int first, int last) {
  csim_pinched *p = context;
  for (int i = first; i < last; i++) {
    unsigned char *stays = &p->vert[i].stays_released;
    if (!p->released[i] || *stays) continue;
    for (int part = p->mesh->nbody; part < p->mesh->npart && !*stays; part++)
      *stays = csim_collision_mesh_releases(p->mesh, i, part) &&
               is_inside(p, part, p->kin->x + csim_xyz(i));
  }
}

// Whether a vertex that had room is held where it is: in a frame it has moved less than its spring
// draws it in half a step.
static int is_held(const csim_pinched *p, int vert) {
  double n[3];
  double last = p->vert[vert].last_depth;
  if (!p->released[vert] || last < 0) return 0;
  double depth = csim_max(0, depth_of(p, vert, p->kin->x + csim_xyz(vert), n));
  return depth > last - 0.5 * DRAWS * p->kin->h;
}

// Whether a vertex that has contact with a collider is on the back of it, as seen from where
// another one is to go.
static int is_behind(const csim_pinched *p, int vert, int other, int part) {
  static const double BACK = -0.1; // cosine between the sides; round a corner is not behind
  double n[3], m[3];
  normal_of(p, p->vert[other].exit_tri, n);
  normal_of(p, nearest_triangle(p, vert, part), m);
  return csim_dot(n, m) < BACK;
}

// What a held vertex hangs on has contact. If that is behind the collider it is released, to go out
// where the vertex does.
static void release_holders(csim_pinched *p) {
  for (ptrdiff_t i = 0; i < p->crossings.n; i++) {
    const int *v = p->crossings.tri + csim_xyz(p->crossings.pair[2 * i]);
    int part = crossed_part(p, i);
    for (int k = 0; k < 9; k++) {
      int held = v[k / 3], holder = v[k % 3];
      if (!csim_collision_mesh_releases(p->mesh, held, part) || !is_held(p, held)) continue;
      if (csim_collision_mesh_releases(p->mesh, holder, part)) continue;
      if (!csim_kinematics_is_free(p->kin, holder) || !is_behind(p, holder, held, part)) continue;
      release_by(p, holder, part, p->vert[held].exit_tri);
      p->vert[holder].stays_released = p->vert[holder].goes_farther = 1;
    }
  }
}

// Finds the vertices that stay released though they have room: no collider is where they are to go.
static void find_room(void *context, int first, int last) {
  csim_pinched *p = context;
  for (int i = first; i < last; i++) {
    csim_pinched_vertex *v = &p->vert[i];
    v->has_room = 0;
    v->last_depth = -1;
    if (!p->released[i] || !v->stays_released) continue;
    double n[3], to[3];
    memcpy(to, p->kin->x + csim_xyz(i), sizeof to);
    double depth = csim_max(0, depth_of(p, i, to, n));
    csim_add_scaled(depth, n, to);
    v->has_room = 1;
    for (int k = p->mesh->nbody; k < p->mesh->npart && v->has_room; k++)
      v->has_room = !is_inside(p, k, to);
    if (v->has_room) v->last_depth = depth;
  }
}

// Restores contact of the vertices that do not stay released.
static void restore_others(csim_pinched *p) {
  for (int i = 0; i < p->mesh->nbody_vert; i++) {
    csim_pinched_vertex *v = &p->vert[i];
    p->nreleased -= p->released[i] && !v->stays_released;
    if (!v->stays_released) p->released[i] = 0;
    v->stays_released = 0;
  }
  csim_kinematics_note_change(p->kin);
}

// Whether the step, or the part of one that is taken, begins with the frame.
static int begins_frame(csim_pinched *p) {
  p->began = csim_min(p->began, p->kin->now);
  return p->kin->now < p->began + 0.5 * p->kin->h;
}

int csim_pinched_review(csim_pinched *p) {
  int n = p->on ? p->mesh->nbody_vert : 0;
  if (!begins_frame(p)) return 0;
  for (int i = 0; i < n; i++) p->vert[i].goes_farther = p->vert[i].has_room = 0;
  if (p->nreleased == 0) return 0;
  if (keep_crossing(p)) return -1;
  for (int i = 0; i < n; i++) p->vert[i].goes_farther = p->vert[i].stays_released;
  keep_near(p);
  csim_pool_for(p->kin->pool, n, 16, keep_inside, p);
  release_holders(p);
  csim_pool_for(p->kin->pool, n, 16, find_room, p);
  restore_others(p);
  return 0;
}

// ---------------------------------------------------------------------------------------- springs

// The spring of a released vertex at x.
typedef struct pinched_spring {
  double n[3];  // out of the collider
  double depth; // [m] how far it has to move along n; <= 0: it is there
  double grows; // [m] depth up to which its force grows
  double stiff; // [N/m]
} pinched_spring;

// Where there is room for it a vertex is drawn out by a spring as stiff as the cloth, whatever
// hangs on it, but slowly. A weak spring holds it as long as there is none.
static pinched_spring spring_of(const csim_pinched *p, int vert, const double *x) {
  const csim_kinematics *kin = p->kin;
  pinched_spring s = {.grows = GROWS, .stiff = p->mesh->mass[vert] * RATE * RATE};
  s.depth = depth_of(p, vert, x + csim_xyz(vert), s.n);
  if (p->vert[vert].has_room) {
    double at_start = depth_of(p, vert, csim_kinematics_start(kin, vert), s.n);
    s.depth -= csim_max(0, at_start - DRAWS * kin->h);
    s.grows = INFINITY;
    s.stiff = p->mesh->elastic[vert] + p->mesh->mass[vert] / (kin->h * kin->h);
  }
  return s;
}

double csim_pinched_value(const csim_pinched *p, const double *x) {
  double sum = 0;
  for (int i = 0; i < p->mesh->nbody_vert && p->nreleased; i++) {
    if (!p->released[i]) continue;
    pinched_spring s = spring_of(p, i, x);
    double depth = csim_max(0, s.depth), grown = csim_min(depth, s.grows);
    sum += s.stiff * grown * (depth - 0.5 * grown);
  }
  return sum;
}

int csim_pinched_add(const csim_pinched *p, const double *x, csim_active_set *active) {
  for (int i = 0; i < p->mesh->nbody_vert && p->nreleased; i++) {
    if (!p->released[i] || !csim_kinematics_is_free(p->kin, i)) continue;
    int part = csim_collision_mesh_part(p->mesh, p->mesh->tri[csim_xyz(p->vert[i].exit_tri)]);
    csim_active_contact c = {.v = {i, i, i, -1 - part}, .w = {1, 0, 0, 0}};
    pinched_spring s = spring_of(p, i, x);
    if (!(s.depth > 0)) continue;
    memcpy(c.n, s.n, sizeof c.n);
    c.force = -s.stiff * csim_min(s.depth, s.grows);
    c.stiff = -c.force / s.depth; // a majoriser where the force no longer grows
    if (csim_active_set_add(active, &c)) return -1;
  }
  return 0;
}
