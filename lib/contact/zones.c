// contact/zones.c: see zones.h.
#include "contact/zones.h"

#include "contact/ccd.h"
#include "contact/friction.h"
#include "contact/margins.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { IMPULSE_ROUNDS = 8, ZONE_ROUNDS = 30, SWEEPS = 60 };

// One gap that must not close: the component of the displacements along n, sum w_k n.d_k, is at
// least `open`.
typedef struct gap {
  int v[4];
  double w[4], n[3];
  double open;     // [m]
  double mobile;   // sum w_k^2 / m_k [1/kg]
  double pushed;   // [kg m] so far, >= 0
  double moved[3]; // [m] of the plane at the vertex, in the step; 0: of vertices only
  int part[2];
} gap;

// The half-space n.x >= offset, at the end of the step.
typedef struct plane {
  const csim_collider *collider;
  csim_pose before, now; // of the step
  double n[3], offset;
  int part;
} plane;

struct csim_zones {
  csim_arena arena;
  csim_pool *pool;
  const csim_model *model;
  int ncollider;
  const csim_collider *collider;
  csim_contact_params params;
  csim_collision_mesh mesh;
  csim_candidates candidates;
  double h;      // [s] of the step
  double *x, *d; // (mesh.nvert x 3) start, displacement
  double *p;     // (mesh.nvert x 3) [m/s] velocities, of generalized-alpha its p
  int keeps_p;   // whether the integrator is of second order
  const csim_impulse_step *step;
  double *inverse;       // (mesh.nvert) 1 / mass, 0 for what is kinematic [1/kg]
  unsigned char *pushed; // (mesh.nvert) in this step
  int nplane;
  plane *plane; // (ncollider)
  ptrdiff_t gap_capacity;
  int ngap;
  gap *gap;
};

csim_zones *csim_zones_create(csim_pool *pool, csim_scratch *scratch, const csim_model *model,
                              int ncollider, const csim_collider *collider,
                              const csim_contact_params *params) {
  csim_zones *z = CSIM_NEW(csim_zones, 1);
  if (!z) return NULL;
  *z = (csim_zones){.pool = pool,
                    .model = model,
                    .ncollider = ncollider,
                    .collider = collider,
                    .params = *params};
  csim_arena *arena = &z->arena;
  if (csim_collision_mesh_build(arena, model, ncollider, collider, &z->mesh)) goto failed;
  ptrdiff_t n = z->mesh.nvert;
  if (csim_candidates_create(&z->mesh, scratch, params->broad_phase, params->self,
                             params->thickness, NULL, &z->candidates))
    goto failed;
  z->x = CSIM_ARENA_NEW(arena, double, 3 * n);
  z->d = CSIM_ARENA_NEW(arena, double, 3 * n);
  z->p = CSIM_ARENA_NEW(arena, double, 3 * n);
  z->pushed = CSIM_ARENA_NEW(arena, unsigned char, n);
  z->plane = CSIM_ARENA_NEW(arena, plane, ncollider);
  z->inverse = CSIM_ARENA_NEW(arena, double, n);
  if (arena->failed) goto failed;
  for (int i = 0; i < model->nvert; i++)
    z->inverse[i] = model->fixed[i] || !(model->mass[i] > 0) ? 0 : 1 / model->mass[i];
  return z;
failed:
  csim_zones_free(z);
  return NULL;
}

void csim_zones_free(csim_zones *z) {
  if (!z) return;
  csim_candidates_free(&z->candidates);
  csim_arena_free(&z->arena);
  free(z->gap);
  free(z);
}

// How the gap opens by d, displacements or velocities of all vertices.
static double opening(const gap *g, const double *d) {
  double sum = 0;
  for (int k = 0; k < 4; k++) sum += g->w[k] * csim_dot(g->n, d + csim_xyz(g->v[k]));
  return sum;
}

static void push(const csim_zones *z, const gap *g, double by, const double *along, double *d) {
  for (int k = 0; k < 4; k++) {
    csim_add_scaled(by * g->w[k] * z->inverse[g->v[k]], along, d + csim_xyz(g->v[k]));
    z->pushed[g->v[k]] = 1;
  }
}

// Whether the pair touches on its way, and its gap at that time.
static int find_gap(const csim_zones *z, const csim_candidate *pair, gap *g) {
  const double *x[4], *d[4];
  csim_pair_kind kind = csim_candidate_kind(pair);
  int v[4];
  csim_candidate_vertices(&z->mesh, pair, v);
  double scale = csim_candidate_scale(&z->candidates, kind, v, pair);
  double at[4][3], t, keep = CSIM_CONTACT_FLOOR * z->params.thickness * scale;
  const double *there[4] = {at[0], at[1], at[2], at[3]};
  for (int k = 0; k < 4; k++) {
    x[k] = z->x + csim_xyz(v[k]);
    d[k] = z->d + csim_xyz(v[k]);
  }
  if (!csim_ccd_pair(kind, x, d, keep, &t)) return 0;
  *g = (gap){.v = {v[0], v[1], v[2], v[3]}};
  double from = sqrt(csim_pair_closest(kind, x, g->w));
  for (int k = 0; k < 4; k++)
    for (int c = 0; c < 3; c++) at[k][c] = x[k][c] + t * d[k][c];
  double gone = sqrt(csim_pair_closest(kind, there, g->w));
  if (!(gone > 0)) return 0; // no direction left
  for (int k = 0; k < 4; k++) {
    g->mobile += g->w[k] * g->w[k] * z->inverse[g->v[k]];
    for (int c = 0; c < 3; c++) g->n[c] += g->w[k] * (at[k][c] - at[0][c]) / gone;
  }
  g->part[0] = csim_collision_mesh_part(&z->mesh, g->v[0]);
  g->part[1] = csim_collision_mesh_part(&z->mesh, g->v[3]);
  double wide = z->params.thickness * scale;
  g->open = from < wide ? 0.25 * (wide - from) : 0;
  return g->mobile > 0 && opening(g, z->d) < 0.999 * g->open - 1e-12 * wide;
}

// Collects the pairs that may touch while vertices move by d.
static int collect(csim_zones *z) {
  for (int i = 0; i < z->mesh.nvert; i++)
    z->candidates.ref.reach[i] =
        csim_norm(z->d + csim_xyz(i)) + CSIM_CONTACT_FLOOR * z->params.thickness;
  memset(z->candidates.ref.drift, 0, 3 * (size_t)z->mesh.nvert * sizeof(double));
  memcpy(z->candidates.ref.x, z->x, 3 * (size_t)z->mesh.nvert * sizeof(double));
  return csim_candidates_collect(z->pool, &z->candidates);
}

// Whether a vertex comes too near to a plane, and the gap between them. Bodies rest on planes at
// the thickness.
static int find_plane_gap(const csim_zones *z, int i, const plane *p, gap *g) {
  *g = (gap){.v = {i, i, i, i},
             .w = {1, 0, 0, 0},
             .n = {p->n[0], p->n[1], p->n[2]},
             .mobile = z->inverse[i],
             .part = {csim_collision_mesh_part(&z->mesh, i), p->part}};
  g->open = p->offset + z->params.thickness - csim_dot(p->n, z->x + csim_xyz(i));
  if (!(g->mobile > 0) || opening(g, z->d) >= g->open - 1e-9 * z->params.thickness) return 0;
  csim_collider_way(p->collider, &p->before, &p->now, z->x + csim_xyz(i), g->moved);
  return 1;
}

// Pushes the vertices of a gap apart by `by`, with friction, in displacements d, of the time 1, or
// in velocities d, of that of the step.
static void give(const csim_zones *z, const gap *g, double by, double mu, double time, double *d) {
  double slip[3] = {0};
  push(z, g, by / g->mobile, g->n, d);
  csim_add_scaled(-1 / time, g->moved, slip);
  for (int k = 0; k < 4; k++) csim_add_scaled(g->w[k], d + csim_xyz(g->v[k]), slip);
  csim_add_scaled(-csim_dot(slip, g->n), g->n, slip);
  double length = csim_norm(slip), loss = mu * by;
  if (length > 0) push(z, g, -(loss < length ? loss / length : 1) / g->mobile, slip, d);
}

// An inelastic impulse.
static int give_impulse(csim_zones *z, gap *g) {
  double factor[2], by = g->open - opening(g, z->d);
  csim_friction_factors(z->model, g->v, g->w, g->part, factor);
  double mu =
      csim_friction_coefficient(&z->params, z->model, z->collider, g->part[0], g->part[1], factor);
  give(z, g, by, mu, 1, z->d);
  if (!z->keeps_p) return 0;
  double approach = csim_dot(g->n, g->moved) / z->h - opening(g, z->p);
  give(z, g, csim_impulse_of_push(z->step, by, approach), mu, z->h, z->p);
  return 0;
}

static int keep_gap(csim_zones *z, gap *g) {
  if (CSIM_GROW(z->gap, z->gap_capacity, (ptrdiff_t)z->ngap + 1)) return -1;
  z->gap[z->ngap++] = *g;
  return 0;
}

// Calls `act` for every gap that would close, one after another. Returns their number, or -1 when
// that failed.
static int for_each_gap(csim_zones *z, int (*act)(csim_zones *z, gap *g)) {
  int count = 0;
  gap g;
  for (int i = 0; i < z->candidates.n; i++) {
    if (!find_gap(z, &z->candidates.list[i], &g)) continue;
    if (act(z, &g)) return -1;
    count++;
  }
  for (int q = 0; q < z->mesh.npoint && z->mesh.point[q] < z->mesh.nbody_vert; q++)
    for (int k = 0; k < z->nplane; k++) {
      if (!find_plane_gap(z, z->mesh.point[q], &z->plane[k], &g)) continue;
      if (act(z, &g)) return -1;
      count++;
    }
  return count;
}

// All gaps at once: the nearest displacements, in the metric of the masses, that close no gap.
static void project(csim_zones *z) {
  for (int s = 0; s < SWEEPS; s++) {
    double most = 0;
    for (int i = 0; i < z->ngap; i++) {
      gap *g = &z->gap[i];
      double by = (g->open - opening(g, z->d)) / g->mobile;
      if (by < -g->pushed) by = -g->pushed;
      g->pushed += by;
      push(z, g, by, g->n, z->d);
      most = csim_max(most, fabs(by) * g->mobile);
    }
    if (most < 1e-6 * z->params.thickness) return;
  }
}

static void set_plane(const csim_zones *z, int k, double time, plane *p) {
  const csim_collider *collider = &z->collider[k];
  double point[3];
  p->collider = collider;
  p->before = csim_motion_pose(&collider->motion, collider->pivot, time - z->h);
  p->now = csim_motion_pose(&collider->motion, collider->pivot, time);
  csim_collider_plane(collider, time, point, p->n);
  p->offset = csim_dot(p->n, point);
  p->part = z->mesh.nbody + k;
}

// Sets the motions of colliders' vertices, and the planes.
static void set_kinematic(csim_zones *z, double time) {
  int nbody = z->mesh.nbody;
  z->nplane = 0;
  for (int k = 0; k < z->ncollider; k++) {
    const csim_collider *collider = &z->collider[k];
    if (collider->shape == CSIM_COLLIDER_PLANE) {
      set_plane(z, k, time, &z->plane[z->nplane++]);
      continue;
    }
    ptrdiff_t first = csim_xyz(z->mesh.first[nbody + k]), n = csim_xyz(collider->mesh->nvert);
    csim_collider_vertices(collider, time - z->h, z->x + first);
    csim_collider_vertices(collider, time, z->d + first);
    for (ptrdiff_t c = first; c < first + n; c++) {
      z->d[c] -= z->x[c];
      z->p[c] = z->d[c] / z->h;
    }
  }
}

// Ends the step at the displacements. p has what impulses have not given.
static void end_step(const csim_zones *z, const csim_impulse_step *step, double *x, double *v) {
  int n = 3 * z->mesh.nbody_vert;
  for (int c = 0; c < n; c++) {
    double to = step->x0[c] + z->d[c];
    if (z->keeps_p && z->pushed[c / 3]) {
      v[c] = z->p[c] + z->d[c] / z->h;
      if (step->a) step->a[c] = 0;
    } else {
      v[c] += (to - x[c]) / z->h;
    }
    x[c] = to;
  }
}

int csim_zones_respond(csim_zones *z, const csim_impulse_step *step, double *x, double *v,
                       int *left) {
  int n = 3 * z->mesh.nbody_vert, total = 0;
  z->h = step->h;
  z->step = step;
  z->keeps_p = step->by_force > 1 / step->h;
  memset(z->pushed, 0, (size_t)z->mesh.nvert);
  memcpy(z->x, step->x0, (size_t)n * sizeof *x);
  for (int c = 0; c < n; c++) z->d[c] = x[c] - step->x0[c];
  for (int c = 0; c < n && z->keeps_p; c++)
    z->p[c] = v[c] + (step->a ? 0.5 * z->h * step->a[c] : 0);
  set_kinematic(z, step->time);
  *left = 1;
  for (int round = 0; round < IMPULSE_ROUNDS && *left; round++) {
    if (collect(z)) return -1;
    *left = for_each_gap(z, give_impulse);
    total += *left;
  }
  for (int c = 0; c < n && z->keeps_p; c++) z->p[c] -= z->d[c] / z->h;
  z->ngap = 0;
  for (int round = 0; *left && round <= ZONE_ROUNDS; round++) {
    if (collect(z)) return -1;
    *left = for_each_gap(z, keep_gap);
    if (*left < 0) return -1;
    if (*left && round < ZONE_ROUNDS) project(z); // the last round only counts
  }
  end_step(z, step, x, v);
  return total + z->ngap;
}
