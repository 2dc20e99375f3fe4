// contact/candidates.c: see candidates.h.
#include "contact/candidates.h"

#include "contact/filter.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { BOX_GRAIN = 1024, FILL_GRAIN = 512 };
enum { BODIES, COLLIDERS };

static void create_trees(csim_arena *arena, int point0, int point1, int edge0, int edge1, int tri0,
                         int tri1, struct csim_candidate_trees *tree) {
  csim_bvh_create(arena, point0, point1 - point0, &tree->point);
  csim_bvh_create(arena, edge0, edge1 - edge0, &tree->edge);
  csim_bvh_create(arena, tri0, tri1 - tri0, &tree->tri);
}

int csim_candidates_create(const csim_skin *skin, csim_broad_phase broad_phase, int self,
                           double distance, csim_candidates *set) {
  *set = (csim_candidates){
      .skin = skin, .broad_phase = broad_phase, .self = self, .distance = distance};
  csim_arena *arena = &set->arena;
  set->ref = CSIM_ARENA_NEW(arena, double, 3 * (ptrdiff_t)skin->nvert);
  set->drift = CSIM_ARENA_NEW(arena, double, 3 * (ptrdiff_t)skin->nvert);
  set->reach = CSIM_ARENA_NEW(arena, double, skin->nvert);
  set->vert_box = CSIM_ARENA_NEW(arena, csim_box, skin->nvert);
  set->point_box = CSIM_ARENA_NEW(arena, csim_box, skin->npoint);
  set->edge_box = CSIM_ARENA_NEW(arena, csim_box, skin->nedge);
  set->tri_box = CSIM_ARENA_NEW(arena, csim_box, skin->ntri);
  if (broad_phase == CSIM_BROAD_BVH) {
    create_trees(arena, 0, skin->nbody_point, 0, skin->nbody_edge, 0, skin->nbody_tri,
                 &set->tree[BODIES]);
    create_trees(arena, skin->nbody_point, skin->npoint, skin->nbody_edge, skin->nedge,
                 skin->nbody_tri, skin->ntri, &set->tree[COLLIDERS]);
  }
  return arena->failed ? -1 : 0;
}

void csim_candidates_free(csim_candidates *set) {
  csim_arena_free(&set->arena);
  csim_grid_free(&set->grid);
  csim_pair_chunks_free(&set->chunks);
  csim_pair_list_free(&set->point_tri);
  csim_pair_list_free(&set->edge_edge);
  free(set->list);
  *set = (csim_candidates){0};
}

typedef struct collect_job {
  csim_candidates *set;
  const double *x;
} collect_job;

// Boxes of primitives whose vertices are grown by their reach and half the contact distance: two
// primitives that belong on the list have boxes that meet. Returns how many boxes have changed.
static double fill_verts(void *context, int first, int last) {
  const collect_job *job = context;
  csim_candidates *set = job->set;
  double changed = 0;
  for (int i = first; i < last; i++) {
    csim_box box = csim_box_of_point(job->x + 3 * (ptrdiff_t)i, set->reach[i] + 0.51 * set->distance,
                                     set->drift + 3 * (ptrdiff_t)i);
    if (i >= set->skin->nbody_vert) changed += memcmp(&box, &set->vert_box[i], sizeof box) != 0;
    set->vert_box[i] = box;
  }
  return changed;
}

static void fill_points(void *context, int first, int last) {
  const collect_job *job = context;
  for (int i = first; i < last; i++)
    job->set->point_box[i] = job->set->vert_box[job->set->skin->point[i]];
}

static void fill_edges(void *context, int first, int last) {
  const collect_job *job = context;
  const csim_box *box = job->set->vert_box;
  for (int i = first; i < last; i++) {
    const int *v = job->set->skin->edge + 2 * (ptrdiff_t)i;
    job->set->edge_box[i] = csim_box_join(&box[v[0]], &box[v[1]]);
  }
}

static void fill_tris(void *context, int first, int last) {
  const collect_job *job = context;
  const csim_box *box = job->set->vert_box;
  for (int i = first; i < last; i++) {
    const int *v = job->set->skin->tri + 3 * (ptrdiff_t)i;
    csim_box two = csim_box_join(&box[v[0]], &box[v[1]]);
    job->set->tri_box[i] = csim_box_join(&two, &box[v[2]]);
  }
}

// Whether the two parts can have contact at all.
static int parts_touch(const csim_candidates *set, int a, int b) {
  int body_a = a < set->skin->nbody, body_b = b < set->skin->nbody;
  return body_a && body_b ? set->self : body_a || body_b;
}

static void gather(const double *x, const int v[4], const double *p[4]) {
  for (int k = 0; k < 4; k++) p[k] = x + 3 * (ptrdiff_t)v[k];
}

// The most that the first side's points drift towards the second's along n.
static double closing(const csim_candidates *set, int split, const int v[4], const double n[3]) {
  double side[2] = {-INFINITY, INFINITY};
  for (int k = 0; k < 4; k++) {
    double along = csim_dot(n, set->drift + 3 * (ptrdiff_t)v[k]);
    if (k < split)
      side[0] = csim_max(side[0], along);
    else
      side[1] = csim_min(side[1], along);
  }
  return csim_max(0, side[0] - side[1]);
}

// Whether the slab across the line of the two centres is wide enough already: cheaper than the
// shortest connection, and settles most neighbours within a sheet.
static int apart_along_centres(const csim_candidates *set, int split, const int v[4],
                               const double *const p[4], double far) {
  double n[3], side[2] = {-INFINITY, INFINITY}, u[2] = {-INFINITY, INFINITY};
  for (int c = 0; c < 3; c++)
    n[c] = split == 1 ? (p[1][c] + p[2][c] + p[3][c]) * (1.0 / 3) - p[0][c]
                      : p[2][c] + p[3][c] - p[0][c] - p[1][c];
  for (int k = 0; k < 4; k++) {
    double r[3];
    csim_sub(p[k], p[0], r);
    double along = csim_dot(n, r), drift = csim_dot(n, set->drift + 3 * (ptrdiff_t)v[k]);
    if (k < split) {
      side[0] = csim_max(side[0], along);
      u[0] = csim_max(u[0], drift);
    } else {
      side[1] = csim_min(side[1], along);
      u[1] = csim_min(u[1], drift);
    }
  }
  double width = side[1] - side[0] - csim_max(0, u[0] - u[1]);
  // the billionth takes up rounding
  return width > 0 && width * width > far * far * (1 + 1e-9) * csim_dot(n, n);
}

static int near_enough(const collect_job *job, csim_pair_kind kind, const int v[4]) {
  const csim_candidates *set = job->set;
  int split = csim_pair_split(kind);
  double reach[2] = {0, 0}, w[4], n[3] = {0};
  const double *p[4];
  for (int k = 0; k < 4; k++) reach[k >= split] = csim_max(reach[k >= split], set->reach[v[k]]);
  double far = (set->distance + reach[0] + reach[1]) * (1 + 1e-9);
  gather(job->x, v, p);
  if (apart_along_centres(set, split, v, p, far)) return 0;
  double d2 = csim_pair_closest(kind, p, w);
  if (d2 < far * far) return 1;
  // across the shortest connection the empty slab is as wide as that; drifting narrows it
  double d = sqrt(d2);
  for (int k = 1; k < 4; k++)
    for (int c = 0; c < 3; c++) n[c] += w[k] * (p[k][c] - p[0][c]) / d;
  return d - closing(set, split, v, n) < far;
}

static int keep_point_tri(void *context, int a, int b) {
  const collect_job *job = context;
  const csim_skin *skin = job->set->skin;
  int p = skin->point[a];
  const int *t = skin->tri + 3 * (ptrdiff_t)b;
  if (p == t[0] || p == t[1] || p == t[2]) return 0;
  if (!parts_touch(job->set, skin->part[p], skin->part[t[0]])) return 0;
  return near_enough(job, CSIM_PAIR_VERTEX_TRIANGLE, (int[]){p, t[0], t[1], t[2]});
}

static int keep_edge_edge(void *context, int a, int b) {
  const collect_job *job = context;
  const csim_skin *skin = job->set->skin;
  const int *e = skin->edge + 2 * (ptrdiff_t)a, *f = skin->edge + 2 * (ptrdiff_t)b;
  if (e[0] == f[0] || e[0] == f[1] || e[1] == f[0] || e[1] == f[1]) return 0;
  if (!parts_touch(job->set, skin->part[e[0]], skin->part[f[0]])) return 0;
  return near_enough(job, CSIM_PAIR_EDGE_EDGE, (int[]){e[0], e[1], f[0], f[1]});
}

// Edges on the way to parallel have no single nearest pair of points: the force would jump along
// them. They fade out (Li et al. 2020, 4.2), since the vertex-triangle pairs at their ends carry
// them; the angle is taken at the references, so that the weight is a constant to derivatives.
static double parallel_weight(const double *const p[4]) {
  const double fade = 0.05; // sine squared of 13 degrees
  double u[3], v[3], n[3];
  csim_sub(p[1], p[0], u);
  csim_sub(p[3], p[2], v);
  csim_cross(u, v, n);
  double lengths = csim_dot(u, u) * csim_dot(v, v);
  double sine2 = lengths > 0 ? csim_dot(n, n) / lengths : 0;
  return sine2 < fade ? sine2 / fade * (2 - sine2 / fade) : 1;
}

// How much of the contact distance the pair had at the start of the run.
static double start_scale(const csim_candidates *set, csim_pair_kind kind, const int v[4]) {
  const double *p[4];
  double w[4], far = set->distance / 0.9;
  gather(set->skin->x0, v, p);
  // most pairs start far apart; the three differences below are a lower bound of the distance
  int split = csim_pair_split(kind);
  for (int c = 0; c < 3; c++) {
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
      lo[k >= split] = csim_min(lo[k >= split], p[k][c]);
      hi[k >= split] = csim_max(hi[k >= split], p[k][c]);
    }
    if (lo[1] - hi[0] > far || lo[0] - hi[1] > far) return 1;
  }
  double d = sqrt(csim_pair_closest(kind, p, w));
  return d < far ? 0.9 * d / set->distance : 1;
}

static void fill_candidates(void *context, int first, int last) {
  const collect_job *job = context;
  csim_candidates *set = job->set;
  const csim_skin *skin = set->skin;
  for (int i = first; i < last; i++) {
    csim_candidate *c = &set->list[i];
    ptrdiff_t k = i - set->point_tri.n;
    if (k < 0) {
      const int *pair = set->point_tri.pair + 2 * (ptrdiff_t)i;
      const int *t = skin->tri + 3 * (ptrdiff_t)pair[1];
      *c = (csim_candidate){
          {skin->point[pair[0]], t[0], t[1], t[2]}, CSIM_PAIR_VERTEX_TRIANGLE, 0, 1, 1};
    } else {
      const int *pair = set->edge_edge.pair + 2 * k;
      const int *e = skin->edge + 2 * (ptrdiff_t)pair[0], *f = skin->edge + 2 * (ptrdiff_t)pair[1];
      *c = (csim_candidate){{e[0], e[1], f[0], f[1]}, CSIM_PAIR_EDGE_EDGE, 0, 1, 1};
    }
    const double *p[4];
    double n[3];
    csim_pair_kind kind = (csim_pair_kind)c->kind;
    gather(job->x, c->v, p);
    // rounding to float: keep it a lower bound
    c->gap = (float)(csim_separate_pair(kind, p, n) * (1 - 1e-6));
    c->scale = (float)start_scale(set, kind, c->v);
    if (kind == CSIM_PAIR_EDGE_EDGE) c->weight = (float)parallel_weight(p);
  }
}

static int search_trees(csim_pool *pool, csim_candidates *set, int colliders_moved,
                        collect_job *job) {
  const csim_skin *skin = set->skin;
  struct csim_candidate_trees *bodies = &set->tree[BODIES], *colliders = &set->tree[COLLIDERS];
  for (int side = BODIES; side <= (colliders_moved ? COLLIDERS : BODIES); side++) {
    struct csim_candidate_trees *tree = &set->tree[side];
    csim_bvh_update(&tree->point, set->point_box + tree->point.first);
    csim_bvh_update(&tree->edge, set->edge_box + tree->edge.first);
    csim_bvh_update(&tree->tri, set->tri_box + tree->tri.first);
  }
  // bodies among themselves come last, to be left out
  csim_bvh_search point_tri[] = {{&bodies->point, &colliders->tri},
                                 {&colliders->point, &bodies->tri},
                                 {&bodies->point, &bodies->tri}};
  csim_bvh_search edge_edge[] = {{&bodies->edge, &colliders->edge}, {&bodies->edge, NULL}};
  int self = set->self != 0;
  return csim_bvh_pairs(pool, 2 + self, point_tri, skin->npoint, keep_point_tri, job, &set->chunks,
                        &set->point_tri) ||
         csim_bvh_pairs(pool, 1 + self, edge_edge, skin->nedge, keep_edge_edge, job, &set->chunks,
                        &set->edge_edge);
}

int csim_candidates_collect(csim_pool *pool, csim_candidates *set, const double *x) {
  const csim_skin *skin = set->skin;
  collect_job job = {set, x};
  int bad;
  set->valid = 0;
  memcpy(set->ref, x, 3 * (size_t)skin->nvert * sizeof *x);
  int moved = csim_pool_sum(pool, skin->nvert, fill_verts, &job) > 0;
  csim_pool_for(pool, moved ? skin->npoint : skin->nbody_point, BOX_GRAIN, fill_points, &job);
  csim_pool_for(pool, moved ? skin->nedge : skin->nbody_edge, BOX_GRAIN, fill_edges, &job);
  csim_pool_for(pool, moved ? skin->ntri : skin->nbody_tri, BOX_GRAIN, fill_tris, &job);
  if (set->broad_phase == CSIM_BROAD_GRID)
    bad = csim_grid_pairs_between(pool, &set->grid, skin->npoint, set->point_box, skin->ntri,
                                  set->tri_box, keep_point_tri, &job, &set->chunks,
                                  &set->point_tri) ||
          csim_grid_pairs(pool, &set->grid, skin->nedge, set->edge_box, keep_edge_edge, &job,
                          &set->chunks, &set->edge_edge);
  else
    bad = search_trees(pool, set, moved, &job);
  if (bad || set->point_tri.n + set->edge_edge.n > (1 << 30)) return -1;
  set->n = (int)(set->point_tri.n + set->edge_edge.n);
  csim_candidate *list = csim_grow(set->list, &set->room, set->n, sizeof *list);
  if (!list) return -1;
  set->list = list;
  csim_pool_for(pool, set->n, FILL_GRAIN, fill_candidates, &job);
  set->valid = 1;
  return 0;
}

static void renew_gaps(void *context, int first, int last) {
  const collect_job *job = context;
  for (int i = first; i < last; i++) {
    csim_candidate *c = &job->set->list[i];
    const double *p[4];
    double n[3];
    gather(job->x, c->v, p);
    c->gap = (float)(csim_separate_pair((csim_pair_kind)c->kind, p, n) * (1 - 1e-6));
  }
}

void csim_candidates_drift(csim_pool *pool, csim_candidates *set, double share) {
  ptrdiff_t n = 3 * (ptrdiff_t)set->skin->nvert;
  collect_job job = {set, set->ref};
  for (ptrdiff_t k = 0; k < n; k++) set->ref[k] += share * set->drift[k];
  memset(set->drift, 0, (size_t)n * sizeof *set->drift);
  csim_pool_for(pool, set->n, FILL_GRAIN, renew_gaps, &job);
}
