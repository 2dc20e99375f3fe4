// contact/untangle.c: see untangle.h.
#include "contact/untangle.h"

#include "base/disjoint.h"
#include "math/vec3.h"
#include "mesh/intersect.h"

#include <string.h>

// In a round a vertex moves by a share of the mean edge at most; most tangles take tens of rounds.
enum { MAX_PAIRS = 1 << 20, MAX_ROUNDS = 600, PATIENCE = 150, SPREAD = 6 };
static const double STEP = 0.1;

typedef struct untangling {
  csim_collision_mesh mesh;
  const unsigned char *fixed; // (mesh.nbody_vert)
  int self, npair;
  int (*pair)[2];
  double edge;  // [m] mean
  double *x;    // (mesh.nvert x 3) [m]
  double *move; // (mesh.nvert x 3)
  double *sum;  // (mesh.nbody_vert x 3) scratch
  int *count;   // (mesh.nbody_vert) scratch
} untangling;

static int is_free(const untangling *u, int i) {
  return i < u->mesh.nbody_vert && !u->fixed[i];
}

static csim_status find_pairs(untangling *u) {
  const csim_collision_mesh *mesh = &u->mesh;
  csim_triangles triangles = {mesh->nvert, u->x, mesh->ntri, mesh->tri};
  long long found;
  csim_status status =
      csim_find_self_intersections(NULL, &triangles, MAX_PAIRS, u->pair[0], &found);
  int n = found < MAX_PAIRS ? (int)found : MAX_PAIRS;
  u->npair = 0;
  for (int i = 0; !status && i < n; i++) {
    int a = mesh->tri[csim_xyz(u->pair[i][0])] < mesh->nbody_vert;
    int b = mesh->tri[csim_xyz(u->pair[i][1])] < mesh->nbody_vert;
    if (a && b ? u->self : a || b) memmove(u->pair[u->npair++], u->pair[i], sizeof u->pair[i]);
  }
  return status;
}

static void push(untangling *u, int i, double weight, const double *way) {
  if (is_free(u, i)) csim_add_scaled(weight, way, u->move + csim_xyz(i));
}

// Moves the edge (p, q) of the triangle (p, q, o) out of triangle t. Seen from t, moving the edge
// by d moves the end X of their intersection line by d - (d.n)/(e.n) e. The line runs from X along
// r, so that shortens it by r.d - (r.e)/(e.n) n.d. In the middle of a sheet the triangles on both
// sides of the edge cancel.
static void push_edge(untangling *u, int p, int q, int o, const int t[3]) {
  const double *x = u->x, *a = x + csim_xyz(t[0]);
  double ab[3], ac[3], n[3], e[3], po[3], pa[3], way[3], r[3], w[3];
  csim_sub(x + csim_xyz(t[1]), a, ab);
  csim_sub(x + csim_xyz(t[2]), a, ac);
  csim_cross(ab, ac, n);
  csim_sub(x + csim_xyz(q), x + csim_xyz(p), e);
  csim_sub(x + csim_xyz(o), x + csim_xyz(p), po);
  csim_sub(a, x + csim_xyz(p), pa);
  double area = csim_norm(n), length = csim_norm(e), rise = csim_dot(e, n);
  if (!(area > 0 && length > 0) || rise == 0) return;
  double along = csim_dot(pa, n) / rise; // of X on the edge
  if (!(along >= 0 && along <= 1)) return;
  double at[3] = {along * e[0] - pa[0], along * e[1] - pa[1], along * e[2] - pa[2]}; // X - a
  csim_cross(at, ac, w);
  double v1 = csim_dot(w, n) / (area * area);
  csim_cross(ab, at, w);
  double v2 = csim_dot(w, n) / (area * area);
  if (!(v1 >= 0 && v2 >= 0 && v1 + v2 <= 1)) return; // no intersection
  // r: within both planes, from the edge into its triangle
  double m[3];
  csim_cross(e, po, m);
  csim_cross(m, n, r);
  double size = csim_norm(r);
  if (!(size > 0)) return;
  csim_cross(m, e, w);
  double side = csim_dot(r, w) > 0 ? 1 / size : -1 / size;
  for (int c = 0; c < 3; c++) {
    r[c] *= side;
    n[c] /= area;
    e[c] /= length;
  }
  // a grazing edge gives no useful direction
  double steep = csim_dot(e, n), least = 0.2;
  if (fabs(steep) < least) steep = steep < 0 ? -least : least;
  for (int c = 0; c < 3; c++) way[c] = r[c] - csim_dot(r, e) / steep * n[c];
  push(u, p, 1 - along, way);
  push(u, q, along, way);
  for (int c = 0; c < 3; c++) way[c] = -way[c];
  push(u, t[0], 1 - v1 - v2, way);
  push(u, t[1], v1, way);
  push(u, t[2], v2, way);
}

static void push_pair(untangling *u, int i, int j) {
  const int *s = u->mesh.tri + csim_xyz(i), *t = u->mesh.tri + csim_xyz(j);
  for (int k = 0; k < 3; k++) push_edge(u, s[k], s[(k + 1) % 3], s[(k + 2) % 3], t);
}

// Spreads moves to the neighbourhood: single vertices would fold the sheet around them.
static void spread_moves(untangling *u) {
  const csim_collision_mesh *mesh = &u->mesh;
  size_t n = 3 * (size_t)mesh->nbody_vert;
  for (int pass = 0; pass < SPREAD; pass++) {
    memset(u->sum, 0, n * sizeof *u->sum);
    memset(u->count, 0, (size_t)mesh->nbody_vert * sizeof *u->count);
    for (int e = 0; e < mesh->nbody_edge; e++)
      for (int k = 0; k < 2; k++) {
        int i = mesh->edge[csim_row(2, e) + k], j = mesh->edge[csim_row(2, e) + 1 - k];
        csim_add_scaled(1, u->move + csim_xyz(j), u->sum + csim_xyz(i));
        u->count[i]++;
      }
    for (int i = 0; i < mesh->nbody_vert; i++) {
      double *d = u->move + csim_xyz(i);
      if (!is_free(u, i) || !u->count[i]) continue;
      for (int c = 0; c < 3; c++) d[c] = 0.5 * d[c] + 0.5 * u->sum[csim_xyz(i) + c] / u->count[i];
    }
  }
}

static void move_vertices(untangling *u) {
  for (int i = 0; i < u->mesh.nbody_vert; i++) {
    const double *d = u->move + csim_xyz(i);
    double d2 = csim_dot(d, d);
    if (d2 > 0) csim_add_scaled(STEP * u->edge / sqrt(1 + d2), d, u->x + csim_xyz(i));
  }
}

static void lift_from_planes(untangling *u, int ncollider, const csim_collider *collider,
                             double thickness) {
  for (int k = 0; k < ncollider; k++) {
    if (collider[k].shape != CSIM_COLLIDER_PLANE) continue;
    csim_pose pose = csim_motion_pose(&collider[k].motion, collider[k].pivot, 0);
    for (int i = 0; i < u->mesh.nbody_vert; i++) {
      double *x = u->x + csim_xyz(i), local[3];
      csim_collider_to_local(&collider[k], &pose, x, local);
      if (local[1] > 0 || !is_free(u, i)) continue;
      local[1] = 0.5 * thickness;
      csim_collider_to_world(&collider[k], &pose, local, x);
    }
  }
}

// Bodies that intersect each other at the start are a set.
typedef struct crossed_sets {
  int *set;              // (mesh.nbody) disjoint sets
  long long *before;     // (mesh.nbody) pairs of each set at the start, at its root
  long long *after;      // (mesh.nbody) and at the end
  const double *started; // (mesh.nbody_vert x 3) [m]
} crossed_sets;

// The body of a pair: the first one, or that beside a collider.
static int body_of(const untangling *u, const int pair[2], int k) {
  int part = csim_collision_mesh_part(&u->mesh, u->mesh.tri[csim_xyz(pair[k])]);
  return part < u->mesh.nbody ? part : -1;
}

static void count_pairs(const untangling *u, const crossed_sets *c, long long *count) {
  for (int i = 0; i < u->npair; i++) {
    int a = body_of(u, u->pair[i], 0), b = body_of(u, u->pair[i], 1);
    count[csim_disjoint_root(c->set, a < 0 ? b : a)]++;
  }
}

static void find_sets(const untangling *u, crossed_sets *c) {
  for (int b = 0; b < u->mesh.nbody; b++) c->set[b] = b;
  for (int i = 0; i < u->npair; i++) {
    int a = body_of(u, u->pair[i], 0), b = body_of(u, u->pair[i], 1);
    if (a >= 0 && b >= 0) csim_disjoint_join(c->set, a, b);
  }
  count_pairs(u, c, c->before);
}

// Puts sets back that do not come apart. Half of a crossing, of which some pairs are ignored and
// others are not, holds together what could have slid apart: two sheets took five times as long.
static void put_back(const untangling *u, const crossed_sets *c, double *x0) {
  enum { SHARE = 4 }; // of a set's pairs may be left
  const int *first = u->mesh.first;
  count_pairs(u, c, c->after);
  for (int b = 0; b < u->mesh.nbody; b++) {
    int root = csim_disjoint_root(c->set, b);
    if (SHARE * c->after[root] <= c->before[root]) continue;
    memcpy(x0 + csim_xyz(first[b]), c->started + csim_xyz(first[b]),
           3 * (size_t)(first[b + 1] - first[b]) * sizeof *x0);
  }
}

int csim_contact_untangle(const csim_collision_setup *setup, double *x0, long long *before,
                          long long *after) {
  csim_arena arena = {0};
  const csim_model *model = setup->model;
  int ncollider = setup->ncollider;
  const csim_collider *collider = setup->collider;
  untangling u = {.fixed = model->fixed, .self = setup->self};
  csim_status status = CSIM_MEMORY;
  size_t bytes = 3 * (size_t)model->nvert * sizeof *x0;
  *before = *after = 0;
  if (csim_collision_mesh_build(&arena, model, ncollider, collider, &u.mesh)) goto done;
  u.x = CSIM_ARENA_NEW(&arena, double, csim_xyz(u.mesh.nvert));
  u.move = CSIM_ARENA_NEW(&arena, double, csim_xyz(u.mesh.nvert));
  u.pair = csim_arena_alloc(&arena, MAX_PAIRS, sizeof *u.pair);
  u.sum = CSIM_ARENA_NEW(&arena, double, csim_xyz(u.mesh.nbody_vert));
  u.count = CSIM_ARENA_NEW(&arena, int, u.mesh.nbody_vert);
  crossed_sets sets = {.set = CSIM_ARENA_NEW(&arena, int, u.mesh.nbody),
                       .before = CSIM_ARENA_NEW(&arena, long long, u.mesh.nbody),
                       .after = CSIM_ARENA_NEW(&arena, long long, u.mesh.nbody),
                       .started = CSIM_ARENA_COPY(&arena, x0, csim_xyz(model->nvert))};
  if (arena.failed) goto done;
  csim_collision_mesh_starts(&u.mesh, u.x);
  u.edge = csim_mean_edge(u.mesh.body_x0, u.mesh.nbody_edge, 2, u.mesh.edge);
  lift_from_planes(&u, ncollider, collider, setup->thickness);
  for (int round = 0, best = 0;; round++) {
    status = find_pairs(&u);
    if (status) goto done;
    if (round == 0) {
      *before = *after = u.npair;
      find_sets(&u, &sets);
    }
    if (round == 0 || u.npair < *after) {
      *after = u.npair;
      best = round;
      memcpy(x0, u.x, bytes);
    }
    if (u.npair == 0 || round == MAX_ROUNDS || round - best > PATIENCE) break;
    memset(u.move, 0, 3 * (size_t)u.mesh.nvert * sizeof *u.move);
    for (int i = 0; i < u.npair; i++) {
      push_pair(&u, u.pair[i][0], u.pair[i][1]);
      push_pair(&u, u.pair[i][1], u.pair[i][0]);
    }
    spread_moves(&u);
    move_vertices(&u);
    lift_from_planes(&u, ncollider, collider, setup->thickness);
  }
  if (*after > 0) {
    memcpy(u.x, x0, bytes);
    status = find_pairs(&u);
    if (status) goto done;
    put_back(&u, &sets, u.x);
    lift_from_planes(&u, ncollider, collider, setup->thickness);
    memcpy(x0, u.x, bytes);
    status = find_pairs(&u);
    *after = u.npair;
  }
done:
  csim_arena_free(&arena);
  return status ? -1 : 0;
}
