// contact/carry.c: see carry.h.
#include "contact/carry.h"

#include "math/pcg.h"
#include "math/vec3.h"
#include "math/vector.h"

#include <stdlib.h>
#include <string.h>

// Of ties, relative to edges: between what touches, and between what would meet.
static const double TOUCHES = 10, MEETS = 1000;

// Motion fades over ten edges.
static const double LEAK = 0.01;

// Copies the edges of surfaces, and those of tetrahedra, to edge.
static void list_edges(const csim_kinematics *kin, int *edge) {
  static const int PAIR[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
  int n = 2 * kin->mesh->nbody_edge;
  memcpy(edge, kin->mesh->edge, (size_t)n * sizeof *edge);
  edge += n;
  for (int b = 0; b < kin->model->nbody; b++) {
    const csim_body *body = &kin->model->body[b];
    for (int k = 0; k < body->ntet; k++)
      for (int i = 0; i < 12; i++)
        *edge++ = body->vert0 + body->tet[csim_row(4, k) + PAIR[i / 2][i % 2]];
  }
}

int csim_carry_create(csim_arena *arena, csim_carry *carry) {
  const csim_kinematics *kin = carry->kin;
  int nvert = kin->mesh->nbody_vert;
  carry->nedge = kin->mesh->nbody_edge;
  for (int b = 0; b < kin->model->nbody; b++) carry->nedge += 6 * kin->model->body[b].ntet;
  carry->edge = CSIM_ARENA_NEW(arena, int, csim_row(2, carry->nedge));
  carry->u = CSIM_ARENA_NEW(arena, double, csim_xyz(nvert));
  carry->rhs = CSIM_ARENA_NEW(arena, double, csim_xyz(nvert));
  carry->diag = CSIM_ARENA_NEW(arena, double, nvert);
  if (arena->failed) return -1;
  list_edges(kin, carry->edge);
  return 0;
}

void csim_carry_free(csim_carry *carry) {
  free(carry->tie);
}

// ------------------------------------------------------------------------------------------- ties

static int add_tie(csim_carry *carry, const csim_tie *tie) {
  if (CSIM_GROW(carry->tie, carry->capacity, (ptrdiff_t)carry->n + 1)) return -1;
  carry->tie[carry->n++] = *tie;
  return 0;
}

// Ties what touches. -1 when out of memory.
static int tie_contacts(csim_carry *carry) {
  const csim_active_set *active = carry->active;
  for (int i = 0; i < active->n; i++) {
    csim_tie tie = {.stiff = TOUCHES};
    memcpy(tie.v, active->contact[i].v, sizeof tie.v);
    memcpy(tie.w, active->contact[i].w, sizeof tie.w);
    if (add_tie(carry, &tie)) return -1;
  }
  return 0;
}

// Whether a pair would stop a common motion by kin->d. Its tie draws it apart to its contact
// distance.
static int would_meet(const csim_carry *carry, const csim_candidate *pair, csim_tie *tie) {
  const csim_kinematics *kin = carry->kin;
  const csim_candidates *set = carry->reach->candidates;
  csim_pair_kind kind = csim_candidate_kind(pair);
  const double *x[4];
  double farthest = 0;
  csim_candidate_vertices(kin->mesh, pair, tie->v);
  for (int k = 0; k < 4; k++) {
    x[k] = kin->x + csim_xyz(tie->v[k]);
    farthest = csim_max(farthest, csim_norm(kin->d + csim_xyz(tie->v[k])));
  }
  double gap = sqrt(csim_pair_closest(kind, x, tie->w));
  if (!(gap > 0 && gap < 2 * farthest + set->distance)) return 0;
  double distance = set->distance * csim_candidate_scale(set, kind, tie->v, pair);
  if (!(distance > 0) || csim_glide_pair_share(kin, kind, tie->v, distance) >= 1) return 0;
  double apart = csim_max(0, distance / gap - 1);
  memset(tie->t, 0, sizeof tie->t);
  for (int k = 0; k < 4; k++) csim_add_scaled(apart * tie->w[k], x[k], tie->t);
  tie->stiff = MEETS;
  return 1;
}

// Ties what would meet. Returns how many pairs; -1 when out of memory.
static int tie_meeting(csim_carry *carry) {
  const csim_candidates *set = carry->reach->candidates;
  int before = carry->n;
  for (int i = 0; i < set->n; i++) {
    csim_tie tie;
    if (would_meet(carry, &set->list[i], &tie) && add_tie(carry, &tie)) return -1;
  }
  return carry->n - before;
}

// -------------------------------------------------------------------------------------- the field

// Of corner k of a tie; 0 where it does not move by u.
static double weight(const csim_carry *carry, const csim_tie *tie, int k) {
  return tie->w[k] != 0 && csim_kinematics_is_free(carry->kin, tie->v[k]) ? tie->w[k] : 0;
}

// Sets the right-hand side and the diagonal.
static void assemble(csim_carry *carry) {
  int n = carry->kin->mesh->nbody_vert;
  memset(carry->rhs, 0, 3 * (size_t)n * sizeof *carry->rhs);
  for (int i = 0; i < n; i++) carry->diag[i] = LEAK;
  for (int i = 0; i < 2 * carry->nedge; i++) carry->diag[carry->edge[i]]++;
  for (int i = 0; i < carry->n; i++) {
    const csim_tie *tie = &carry->tie[i];
    double t[3];
    memcpy(t, tie->t, sizeof t);
    for (int k = 0; k < 4; k++)
      if (tie->w[k] != 0 && tie->v[k] >= n)
        csim_add_scaled(-tie->w[k], carry->kin->d + csim_xyz(tie->v[k]), t);
    for (int k = 0; k < 4; k++) {
      double w = weight(carry, tie, k);
      if (w == 0) continue;
      carry->diag[tie->v[k]] += tie->stiff * w * w;
      csim_add_scaled(tie->stiff * w, t, carry->rhs + csim_xyz(tie->v[k]));
    }
  }
}

// Serial, as nearly no step needs it. p and q are 0 at vertices that are not free.
static double multiply(csim_pool *pool, void *context, const double *p, double *q) {
  const csim_carry *carry = context;
  int nvert = carry->kin->mesh->nbody_vert, n = 3 * nvert;
  for (int i = 0; i < n; i++) q[i] = LEAK * p[i];
  for (int i = 0; i < carry->nedge; i++) {
    ptrdiff_t a = csim_xyz(carry->edge[2 * i]), b = csim_xyz(carry->edge[2 * i + 1]);
    double d[3];
    csim_sub(p + a, p + b, d);
    csim_add_scaled(1, d, q + a);
    csim_add_scaled(-1, d, q + b);
  }
  for (int i = 0; i < carry->n; i++) {
    const csim_tie *tie = &carry->tie[i];
    double d[3] = {0}, w[4];
    for (int k = 0; k < 4; k++)
      if ((w[k] = weight(carry, tie, k)) != 0) csim_add_scaled(w[k], p + csim_xyz(tie->v[k]), d);
    for (int k = 0; k < 4; k++)
      if (w[k] != 0) csim_add_scaled(tie->stiff * w[k], d, q + csim_xyz(tie->v[k]));
  }
  for (int i = 0; i < nvert; i++)
    if (!csim_kinematics_is_free(carry->kin, i)) memset(q + csim_xyz(i), 0, 3 * sizeof *q);
  return csim_vector_dot(pool, n, p, q);
}

static double precondition(csim_pool *pool, void *context, const double *r, double *z) {
  const csim_carry *carry = context;
  int n = 3 * carry->kin->mesh->nbody_vert;
  for (int i = 0; i < n; i++) z[i] = r[i] / carry->diag[i / 3];
  return csim_vector_dot(pool, n, r, z);
}

int csim_carry_find(csim_carry *carry) {
  enum { ROUNDS = 4 };
  static const csim_solve_goal GOAL = {.tolerance = 1e-3, .max_iterations = 200};
  csim_kinematics *kin = carry->kin;
  int n = 3 * kin->mesh->nbody_vert;
  csim_linear_system system = {carry, n, multiply, precondition};
  csim_vector_clear(kin->pool, n, carry->u);
  carry->n = 0;
  if (tie_contacts(carry)) return -1;
  for (int round = 0; round < ROUNDS; round++) {
    csim_vector_copy(kin->pool, n, carry->u, kin->d);
    csim_kinematics_aim_colliders(kin, 1);
    if (csim_reach_update(carry->reach, 0)) return -1;
    int added = tie_meeting(carry);
    if (added <= 0) return added;
    assemble(carry);
    csim_pcg_solve(kin->pool, &system, carry->rhs, &GOAL, carry->scratch, carry->u);
  }
  return 0;
}
