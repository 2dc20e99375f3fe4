// contact/blocked.c: see blocked.h.
#include "contact/blocked.h"

#include "base/disjoint.h"
#include "math/vec3.h"

#include <string.h>

// A pair stops the motion if it leaves less than this share of the way. It is what
// solver/joint.c takes for a joint step that failed, LEAST_GAIN.
static const double STOPS = 0.03;

int csim_blocked_create(csim_arena *arena, csim_blocked *b) {
  b->set = CSIM_ARENA_NEW(arena, int, b->kin->mesh->npart);
  b->stops = CSIM_ARENA_NEW(arena, unsigned char, b->kin->mesh->npart);
  return arena->failed ? -1 : 0;
}

static int stops(void *context, const csim_candidate *pair) {
  const csim_blocked *b = context;
  return csim_glide_candidate_share(b->reach, pair) < STOPS;
}

// Marks what is in a pair that stops the motion. Its bodies only if nothing else is.
static void mark_stopping(void *context, const csim_candidate *pair) {
  csim_blocked *b = context;
  const csim_kinematics *kin = b->kin;
  const csim_collision_mesh *mesh = kin->mesh;
  int v[4], found = 0;
  csim_candidate_vertices(mesh, pair, v);
  for (int k = 0; k < 4; k++) {
    int part = csim_collision_mesh_part(mesh, v[k]);
    if (!csim_kinematics_part_tries(kin, part)) continue;
    b->stops[part] = 1;
    found = 1;
  }
  for (int k = 0; k < 4 && !found; k++)
    if (v[k] < mesh->nbody_vert) b->stops[csim_collision_mesh_part(mesh, v[k])] = 1;
}

// Joins the parts of a pair that is near. Colliders that stay pass nothing on.
static void join_near(csim_blocked *b, const csim_candidate *pair) {
  const csim_collision_mesh *mesh = b->kin->mesh;
  const double *x[4];
  double w[4], distance = b->reach->candidates->distance;
  int v[4];
  csim_candidate_vertices(mesh, pair, v);
  int part[2] = {csim_collision_mesh_part(mesh, v[0]), csim_collision_mesh_part(mesh, v[3])};
  if (csim_disjoint_root(b->set, part[0]) == csim_disjoint_root(b->set, part[1])) return;
  for (int k = 0; k < 2; k++)
    if (part[k] >= mesh->nbody && !csim_kinematics_part_tries(b->kin, part[k])) return;
  for (int k = 0; k < 4; k++) x[k] = b->kin->x + csim_xyz(v[k]);
  if (csim_pair_closest(csim_candidate_kind(pair), x, w) > distance * distance) return;
  csim_disjoint_join(b->set, part[0], part[1]);
}

// Marks the colliders that are near bodies which stop the motion.
static void mark_near(csim_blocked *b) {
  const csim_candidates *candidates = b->reach->candidates;
  const csim_collision_mesh *mesh = b->kin->mesh;
  for (int i = 0; i < mesh->npart; i++) b->set[i] = i;
  for (int i = 0; i < candidates->n; i++) join_near(b, &candidates->list[i]);
  for (int body = 0; body < mesh->nbody; body++) {
    if (!b->stops[body]) continue;
    int root = csim_disjoint_root(b->set, body);
    for (int i = mesh->nbody; i < mesh->npart; i++)
      if (csim_disjoint_root(b->set, i) == root) b->stops[i] = 1;
  }
}

// Holds the colliders that are marked. Returns how many.
static int hold_marked(csim_blocked *b) {
  const csim_collision_mesh *mesh = b->kin->mesh;
  int count = 0;
  for (int i = mesh->nbody; i < mesh->npart; i++) {
    if (!b->stops[i] || !csim_kinematics_part_tries(b->kin, i)) continue;
    csim_kinematics_hold_part(b->kin, i);
    count++;
  }
  return count;
}

int csim_blocked_hold(csim_blocked *b, const double *d) {
  csim_kinematics *kin = b->kin;
  memcpy(kin->d, d, 3 * (size_t)kin->mesh->nbody_vert * sizeof *d);
  csim_kinematics_stop_pins(kin); // so that they stop nothing
  csim_kinematics_aim_colliders(kin, 1);
  memset(b->stops, 0, (size_t)kin->mesh->npart);
  if (csim_reach_update(b->reach, 0)) return -1;
  if (csim_narrow_phase_visit(b->narrow, stops, mark_stopping, b)) return -1;
  int count = hold_marked(b);
  if (count) return count;
  mark_near(b);
  return hold_marked(b);
}
