// contact/barrier_stiffness.c: see barrier_stiffness.h.
#include "contact/barrier_stiffness.h"

#include "base/disjoint.h"
#include "math/vec3.h"

#include <string.h>

// Least share of the bodies' elasticity that contacts with a part take. Colliders at rest have to
// resist what is pulled over them: without this a strip around a capstan sinks to where the filter
// stops it, and slides at less than half its acceleration.
static const double LEAST_SHARE = 0.03;

// Most share of it, taken where a collider has at least a contact distance to go in a step. Joint
// steps make its way (guide.h), so that contacts only have to carry what presses then. With all of
// the elasticity a skirt on legs that walk took a third more Newton iterations.
static const double MOST_SHARE = 0.1;

// Stiffness of the hard barrier relative to the bodies' elasticity.
static const double HARD_SHARE = 20;

// A step is taken in so many parts at most; what is stiffer than inertia in one of these helps no
// more.
enum { MOST_PARTS = 64 };

int csim_barrier_stiffness_create(csim_arena *arena, csim_barrier_stiffness *s) {
  const csim_collision_mesh *mesh = s->kin->mesh;
  s->inertia = CSIM_ARENA_NEW(arena, double, mesh->nbody);
  s->elastic = CSIM_ARENA_NEW(arena, double, mesh->npart);
  s->rate = CSIM_ARENA_NEW(arena, double, mesh->npart);
  s->group = CSIM_ARENA_NEW(arena, int, mesh->nbody);
  return arena->failed ? -1 : 0;
}

// ----------------------------------------------------------------------------------------- choice

// Sets the rate of every part by its own way in this step, and the elastic share by that way.
static void find_own_rates(csim_barrier_stiffness *s) {
  const csim_kinematics *kin = s->kin;
  const csim_model *model = kin->model;
  int nbody = kin->mesh->nbody, npart = kin->mesh->npart;
  csim_kinematics_goal_distances(kin, s->rate);
  for (int p = 0; p < npart; p++)
    s->elastic[p] = csim_max(LEAST_SHARE, csim_min(MOST_SHARE, s->rate[p] / s->thickness));
  if (csim_kinematics_pin_way(kin) > 0) {
    for (int i = 0; i < model->ntarget; i++) {
      const csim_target *t = &model->target[i];
      double *way = &s->rate[model->body_of[t->vert]];
      if (t->hard)
        *way = csim_max(*way, csim_distance(kin->target + csim_xyz(i), kin->x + csim_xyz(t->vert)));
    }
  }
  for (int p = 0; p < npart; p++) s->rate[p] /= kin->h * s->thickness;
  for (int k = 0; k < kin->planes.n; k++) // no candidates tell whom they touch
    for (int b = 0; b < nbody; b++)
      s->rate[b] = csim_max(s->rate[b], s->rate[kin->planes.plane[k].part]);
}

// Gives a body the rate of every collider that it may touch, and all bodies that may touch each
// other the largest one of theirs.
static void spread_rates(csim_barrier_stiffness *s) {
  const csim_collision_mesh *mesh = s->kin->mesh;
  const csim_candidates *candidates = s->reach->candidates;
  for (int b = 0; b < mesh->nbody; b++) s->group[b] = b;
  for (int i = 0; i < candidates->n; i++) {
    int v[4];
    csim_candidate_vertices(mesh, &candidates->list[i], v);
    int a = csim_collision_mesh_part(mesh, v[0]), b = csim_collision_mesh_part(mesh, v[3]);
    int body = a < b ? a : b, other = a < b ? b : a; // colliders come last
    if (other < mesh->nbody)
      csim_disjoint_join(s->group, body, other);
    else
      s->rate[body] = csim_max(s->rate[body], s->rate[other]);
  }
  for (int b = 0; b < mesh->nbody; b++) {
    double *most = &s->rate[csim_disjoint_root(s->group, b)];
    *most = csim_max(*most, s->rate[b]);
  }
  for (int b = 0; b < mesh->nbody; b++) s->rate[b] = s->rate[csim_disjoint_root(s->group, b)];
}

// With the length of a step's parts in place of h, contacts that were pressed became 4 to 64 times
// as stiff when a step was halved: a rubber ball left twenty sheets with twice the energy of the
// scene. Without the stiffness by speed a ball of 100 m/s takes twice as long through cloth.
void csim_barrier_stiffness_choose(csim_barrier_stiffness *s) {
  const csim_collision_mesh *mesh = s->kin->mesh;
  double weight = 10 * csim_norm(s->kin->model->gravity) / s->thickness;
  double least = csim_max(weight, 1 / (s->h * s->h)), most = least * MOST_PARTS * MOST_PARTS;
  double fastest = 0;
  find_own_rates(s);
  for (int p = 0; p < mesh->npart; p++) fastest = csim_max(fastest, s->rate[p]);
  if (fastest * fastest > least) spread_rates(s);
  for (int b = 0; b < mesh->nbody; b++)
    s->inertia[b] = csim_max(least, csim_min(most, s->rate[b] * s->rate[b]));
}

// ------------------------------------------------------------------------------------------ state

int csim_barrier_stiffness_is_chosen(const csim_barrier_stiffness *s) {
  return s->kin->mesh->nbody > 0 && s->inertia[0] > 0;
}

void csim_barrier_stiffness_clear(csim_barrier_stiffness *s) {
  memset(s->inertia, 0, (size_t)s->kin->mesh->nbody * sizeof *s->inertia);
}

int csim_barrier_stiffness_size(const csim_barrier_stiffness *s) {
  return (s->kin->mesh->nbody + s->kin->mesh->npart + 2) / 3;
}

void csim_barrier_stiffness_save(const csim_barrier_stiffness *s, double *state) {
  int nbody = s->kin->mesh->nbody, npart = s->kin->mesh->npart;
  memset(state, 0, 3 * (size_t)csim_barrier_stiffness_size(s) * sizeof *state);
  memcpy(state, s->inertia, (size_t)nbody * sizeof *state);
  memcpy(state + nbody, s->elastic, (size_t)npart * sizeof *state);
}

void csim_barrier_stiffness_load(csim_barrier_stiffness *s, const double *state) {
  int nbody = s->kin->mesh->nbody, npart = s->kin->mesh->npart;
  memcpy(s->inertia, state, (size_t)nbody * sizeof *state);
  memcpy(s->elastic, state + nbody, (size_t)npart * sizeof *state);
}

// ------------------------------------------------------------------------------------- of contacts

// Stiffness of contact between a part and something of the given mean mass and elasticity.
// The contacts of a collider that moves or lags take MOST_SHARE of the elasticity they work
// against. With inertia alone, a few hundred times softer, cloth would stop the collider although
// it could give way. At rest such stiffness would only be slow: a drop on a ball took twice the
// time and stretched ten times as far. Their contacts need no hard barrier, as joint steps make
// their way: with it a sleeve in an elbow was stretched by 0.32 instead of 0.2 (guides at 0.75 of
// the contact distance), as both barriers press the last cloth in a closing gap.
static csim_stiffness_pair stiffness_at(double share, double inertia, double elasticity) {
  double rest = (MOST_SHARE - share) / (MOST_SHARE - LEAST_SHARE); // 1: at rest, 0: moves
  double beyond = csim_max(0, elasticity - inertia);
  return (csim_stiffness_pair){inertia + share * beyond, HARD_SHARE * rest * beyond};
}

double csim_barrier_stiffness_inertia(const csim_barrier_stiffness *s, const int v[4]) {
  const csim_collision_mesh *mesh = s->kin->mesh;
  double most = 0;
  for (int k = 0; k < 4; k++)
    if (v[k] >= 0 && v[k] < mesh->nbody_vert)
      most = csim_max(most, s->inertia[mesh->body_part[v[k]]]);
  return most;
}

csim_stiffness_pair csim_barrier_stiffness_of(const csim_barrier_stiffness *s, const int v[4]) {
  const csim_collision_mesh *mesh = s->kin->mesh;
  double mass = 0, elasticity = 0, inertia = 0;
  int bodies = 0, last = csim_collision_mesh_part(mesh, v[0]);
  for (int k = 0; k < 4; k++) {
    int part = csim_collision_mesh_part(mesh, v[k]);
    if (part > last) last = part; // colliders come last
    if (v[k] >= mesh->nbody_vert) continue;
    mass += mesh->mass[v[k]];
    elasticity += mesh->elastic[v[k]];
    inertia = csim_max(inertia, s->inertia[part]);
    bodies++;
  }
  if (!bodies) return (csim_stiffness_pair){0, 0};
  return stiffness_at(s->elastic[last], inertia * (mass / bodies), elasticity / bodies);
}

csim_stiffness_pair csim_barrier_stiffness_of_plane(const csim_barrier_stiffness *s,
                                                    const csim_contact_plane *plane, int v) {
  const csim_collision_mesh *mesh = s->kin->mesh;
  return stiffness_at(s->elastic[plane->part], s->inertia[mesh->body_part[v]] * mesh->mass[v],
                      mesh->elastic[v]);
}
