// contact/candidates.c: see candidates.h.
#include "contact/candidates.h"

#include "contact/filter.h"
#include "math/vec3.h"

#include <assert.h>
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
  set->left = CSIM_ARENA_NEW(arena, unsigned char, skin->nvert);
  set->vert_box = CSIM_ARENA_NEW(arena, csim_box, skin->nvert);
  set->point_box = CSIM_ARENA_NEW(arena, csim_box, skin->npoint);
  set->edge_box = CSIM_ARENA_NEW(arena, csim_box, skin->nedge);
  set->tri_box = CSIM_ARENA_NEW(arena, csim_box, skin->ntri);
  set->point_left = CSIM_ARENA_NEW(arena, unsigned char, skin->npoint);
  set->edge_left = CSIM_ARENA_NEW(arena, unsigned char, skin->nedge);
  set->tri_left = CSIM_ARENA_NEW(arena, unsigned char, skin->ntri);
  csim_sieve_create(arena, skin, distance, &set->sieve);
  if (broad_phase == CSIM_BROAD_BVH) {
    set->key = CSIM_ARENA_NEW(arena, csim_morton,
                              2 * ((ptrdiff_t)skin->nedge + skin->ntri + skin->npoint));
    for (int k = 0; k < 2; k++) {
      struct csim_candidate_trees *tree = k ? set->some : set->tree;
      create_trees(arena, 0, skin->nbody_point, 0, skin->nbody_edge, 0, skin->nbody_tri,
                   &tree[BODIES]);
      create_trees(arena, skin->nbody_point, skin->npoint, skin->nbody_edge, skin->nedge,
                   skin->nbody_tri, skin->ntri, &tree[COLLIDERS]);
    }
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

// Boxes of primitives whose vertices are grown by their reach and half the contact distance: two
// primitives that belong on the list have boxes that meet.
static void fill_vert(csim_candidates *set, int i) {
  double start[3], way[3];
  for (int c = 0; c < 3; c++) {
    double drift = set->drift[3 * (ptrdiff_t)i + c];
    start[c] = set->ref[3 * (ptrdiff_t)i + c] - set->clock * drift;
    way[c] = set->horizon * drift;
  }
  set->vert_box[i] = csim_box_of_point(start, set->reach[i] + 0.51 * set->distance, way);
}

static void fill_point(csim_candidates *set, int i) {
  set->point_box[i] = set->vert_box[set->skin->point[i]];
}

static void fill_edge(csim_candidates *set, int i) {
  const int *v = set->skin->edge + 2 * (ptrdiff_t)i;
  set->edge_box[i] = csim_box_join(&set->vert_box[v[0]], &set->vert_box[v[1]]);
}

static void fill_tri(csim_candidates *set, int i) {
  const int *v = set->skin->tri + 3 * (ptrdiff_t)i;
  csim_box two = csim_box_join(&set->vert_box[v[0]], &set->vert_box[v[1]]);
  set->tri_box[i] = csim_box_join(&two, &set->vert_box[v[2]]);
}

// Returns how many boxes of colliders have changed.
static double fill_verts(void *context, int first, int last) {
  csim_candidates *set = context;
  double changed = 0;
  for (int i = first; i < last; i++) {
    csim_box old = set->vert_box[i];
    fill_vert(set, i);
    if (i >= set->skin->nbody_vert) changed += memcmp(&old, &set->vert_box[i], sizeof old) != 0;
  }
  return changed;
}

static void fill_points(void *context, int first, int last) {
  for (int i = first; i < last; i++) fill_point(context, i);
}

static void fill_edges(void *context, int first, int last) {
  for (int i = first; i < last; i++) fill_edge(context, i);
}

static void fill_tris(void *context, int first, int last) {
  for (int i = first; i < last; i++) fill_tri(context, i);
}

// Whether the two parts can have contact at all.
static int parts_touch(const csim_candidates *set, int a, int b) {
  int body_a = a < set->skin->nbody, body_b = b < set->skin->nbody;
  return body_a && body_b ? set->self : body_a || body_b;
}

static void gather(const double *x, const int v[4], const double *p[4]) {
  for (int k = 0; k < 4; k++) p[k] = x + 3 * (ptrdiff_t)v[k];
}

// How fast the first side's points drift towards the second's along n, at most [m] a unit of the
// clock; < 0 when they part.
static double closing(const csim_candidates *set, int split, const int v[4], const double n[3]) {
  double side[2] = {-INFINITY, INFINITY};
  for (int k = 0; k < 4; k++) {
    double along = csim_dot(n, set->drift + 3 * (ptrdiff_t)v[k]);
    if (k < split)
      side[0] = csim_max(side[0], along);
    else
      side[1] = csim_min(side[1], along);
  }
  return side[0] - side[1];
}

static int near_enough(const csim_candidates *set, csim_pair_kind kind, const int v[4]) {
  int split = csim_pair_split(kind);
  double reach[2] = {0, 0}, w[4], n[3] = {0};
  const double *p[4];
  for (int k = 0; k < 4; k++) reach[k >= split] = csim_max(reach[k >= split], set->reach[v[k]]);
  double far = (set->distance + reach[0] + reach[1]) * (1 + 1e-9);
  gather(set->ref, v, p);
  double d2 = csim_pair_closest(kind, p, w);
  if (d2 < far * far) return 1;
  // across the shortest connection the empty slab is as wide as that; drifting narrows it
  double d = sqrt(d2);
  for (int k = 1; k < 4; k++)
    for (int c = 0; c < 3; c++) n[c] += w[k] * (p[k][c] - p[0][c]) / d;
  return d - (set->horizon - set->clock) * csim_max(0, closing(set, split, v, n)) < far;
}

// While renewing, only pairs of vertices that have left their reach are wanted.
static int wanted(const csim_candidates *set, const int v[4]) {
  return !set->valid || set->left[v[0]] || set->left[v[1]] || set->left[v[2]] || set->left[v[3]];
}

static int keep_point_tri(void *context, int a, const int b[4], int mask) {
  const csim_candidates *set = context;
  const csim_skin *skin = set->skin;
  int p = skin->point[a], v[4][4];
  const int *t[4];
  for (int k = 0; k < 4; k++) {
    t[k] = skin->tri + 3 * (ptrdiff_t)b[k];
    if (!(mask >> k & 1)) continue;
    v[k][0] = p;
    memcpy(v[k] + 1, t[k], 3 * sizeof *t[k]);
    if (p == t[k][0] || p == t[k][1] || p == t[k][2] ||
        !parts_touch(set, skin->part[p], skin->part[t[k][0]]) || !wanted(set, v[k]))
      mask ^= 1 << k;
  }
  if (mask) mask &= csim_sieve_triangles(&set->sieve, p, t);
  for (int k = 0; k < 4; k++)
    if (mask >> k & 1 && !near_enough(set, CSIM_PAIR_VERTEX_TRIANGLE, v[k])) mask ^= 1 << k;
  return mask;
}

static int keep_edge_edge(void *context, int a, const int b[4], int mask) {
  const csim_candidates *set = context;
  const csim_skin *skin = set->skin;
  const int *e = skin->edge + 2 * (ptrdiff_t)a, *f[4];
  int v[4][4];
  for (int k = 0; k < 4; k++) {
    f[k] = skin->edge + 2 * (ptrdiff_t)b[k];
    if (!(mask >> k & 1)) continue;
    int swap = b[k] < a; // the lower one first, so that rounding does not depend on the search
    memcpy(v[k] + 2 * swap, e, 2 * sizeof *e);
    memcpy(v[k] + 2 - 2 * swap, f[k], 2 * sizeof *e);
    if (e[0] == f[k][0] || e[0] == f[k][1] || e[1] == f[k][0] || e[1] == f[k][1] ||
        !parts_touch(set, skin->part[e[0]], skin->part[f[k][0]]) || !wanted(set, v[k]))
      mask ^= 1 << k;
  }
  if (mask) mask &= csim_sieve_edges(&set->sieve, e, f);
  for (int k = 0; k < 4; k++)
    if (mask >> k & 1 && !near_enough(set, CSIM_PAIR_EDGE_EDGE, v[k])) mask ^= 1 << k;
  return mask;
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

typedef struct fill_job {
  csim_candidates *set;
  int first; // place of the first new candidate
} fill_job;

static void fill_candidates(void *context, int first, int last) {
  const fill_job *job = context;
  csim_candidates *set = job->set;
  const csim_skin *skin = set->skin;
  for (int i = first; i < last; i++) {
    csim_candidate *c = &set->list[job->first + i];
    ptrdiff_t k = i - set->point_tri.n;
    *c = (csim_candidate){.scale = 1, .weight = 1};
    if (k < 0) {
      const int *pair = set->point_tri.pair + 2 * (ptrdiff_t)i;
      const int *t = skin->tri + 3 * (ptrdiff_t)pair[1];
      c->kind = CSIM_PAIR_VERTEX_TRIANGLE;
      c->v[0] = skin->point[pair[0]];
      memcpy(c->v + 1, t, 3 * sizeof *t);
    } else {
      const int *pair = set->edge_edge.pair + 2 * k;
      c->kind = CSIM_PAIR_EDGE_EDGE;
      memcpy(c->v, skin->edge + 2 * (ptrdiff_t)pair[0], 2 * sizeof *c->v);
      memcpy(c->v + 2, skin->edge + 2 * (ptrdiff_t)pair[1], 2 * sizeof *c->v);
    }
    const double *p[4];
    double n[3] = {0};
    csim_pair_kind kind = (csim_pair_kind)c->kind;
    gather(set->ref, c->v, p);
    double gap = csim_separate_pair(kind, p, n);
    // rounding to float: gaps down, closing up
    double rate = gap > 0 ? closing(set, csim_pair_split(kind), c->v, n) : 0;
    c->closing = (float)(rate + 1e-6 * fabs(rate));
    gap += set->clock * (double)c->closing;
    c->gap = (float)(gap - 1e-6 * fabs(gap));
    c->scale = (float)start_scale(set, kind, c->v);
    if (kind == CSIM_PAIR_EDGE_EDGE) c->weight = (float)parallel_weight(p);
  }
}

// The pairs found become candidates behind the first `keep` of the list.
static int append(csim_pool *pool, csim_candidates *set, int keep) {
  ptrdiff_t found = set->point_tri.n + set->edge_edge.n;
  if (keep + found > 1 << 30) return -1;
  csim_candidate *list = csim_grow(set->list, &set->room, keep + found, sizeof *list);
  if (!list) return -1;
  set->list = list;
  set->n = keep + (int)found;
  csim_pool_for(pool, (int)found, FILL_GRAIN, fill_candidates, &(fill_job){set, keep});
  return 0;
}

// Trees are few and of different size, but independent: each is one chunk of work.
typedef struct tree_job {
  csim_candidates *set;
  int side, some; // renew what has left only
} tree_job;

static void update_tree(void *context, int chunk) {
  const tree_job *job = context;
  csim_candidates *set = job->set;
  struct csim_candidate_trees *all = &set->tree[job->side], *some = &set->some[job->side];
  csim_bvh *tree[] = {&all->edge, &all->tri, &all->point};
  csim_bvh *part[] = {&some->edge, &some->tri, &some->point};
  const csim_box *box[] = {set->edge_box, set->tri_box, set->point_box};
  const unsigned char *left[] = {set->edge_left, set->tri_left, set->point_left};
  csim_morton *key[] = {set->key, set->key + 2 * (ptrdiff_t)set->skin->nedge,
                        set->key + 2 * ((ptrdiff_t)set->skin->nedge + set->skin->ntri)};
  int first = tree[chunk]->first;
  if (!job->some) {
    csim_bvh_update(tree[chunk], box[chunk] + first, key[chunk]);
    return;
  }
  csim_bvh_update_some(tree[chunk], box[chunk] + first, left[chunk] + first);
  csim_bvh_select(tree[chunk], box[chunk] + first, left[chunk] + first, part[chunk]);
}

static void update_trees(csim_pool *pool, csim_candidates *set, int side, int some) {
  csim_pool_run(pool, 3, update_tree, &(tree_job){set, side, some});
}

static int search_grid(csim_pool *pool, csim_candidates *set) {
  const csim_skin *skin = set->skin;
  return csim_grid_pairs_between(pool, &set->grid, skin->npoint, set->point_box, skin->ntri,
                                 set->tri_box, keep_point_tri, set, &set->chunks,
                                 &set->point_tri) ||
         csim_grid_pairs(pool, &set->grid, skin->nedge, set->edge_box, keep_edge_edge, set,
                         &set->chunks, &set->edge_edge);
}

static int search_trees(csim_pool *pool, csim_candidates *set) {
  const csim_skin *skin = set->skin;
  struct csim_candidate_trees *b = &set->tree[BODIES], *c = &set->tree[COLLIDERS];
  // bodies among themselves come last, to be left out
  csim_bvh_search point_tri[] = {{.A = &b->point, .B = &c->tri},
                                 {.A = &c->point, .B = &b->tri},
                                 {.A = &b->point, .B = &b->tri}};
  csim_bvh_search edge_edge[] = {{.A = &b->edge, .B = &c->edge, .alike = 1},
                                 {.A = &b->edge, .B = &b->edge, .alike = 1}};
  int self = set->self != 0;
  return csim_bvh_pairs(pool, 2 + self, point_tri, 0, skin->npoint, keep_point_tri, set,
                        &set->chunks, &set->point_tri) ||
         csim_bvh_pairs(pool, 1 + self, edge_edge, 0, skin->nedge, keep_edge_edge, set,
                        &set->chunks, &set->edge_edge);
}

static void fill_boxes(csim_pool *pool, csim_candidates *set) {
  const csim_skin *skin = set->skin;
  int moved = csim_pool_sum(pool, skin->nvert, fill_verts, set) > 0;
  csim_pool_for(pool, moved ? skin->npoint : skin->nbody_point, BOX_GRAIN, fill_points, set);
  csim_pool_for(pool, moved ? skin->nedge : skin->nbody_edge, BOX_GRAIN, fill_edges, set);
  csim_pool_for(pool, moved ? skin->ntri : skin->nbody_tri, BOX_GRAIN, fill_tris, set);
  if (set->broad_phase == CSIM_BROAD_BVH) {
    update_trees(pool, set, BODIES, 0);
    if (moved) update_trees(pool, set, COLLIDERS, 0);
  }
}

int csim_candidates_collect(csim_pool *pool, csim_candidates *set) {
  set->valid = 0;
  set->clock = 0;
  fill_boxes(pool, set);
  csim_sieve_fill(&set->sieve, set->ref, set->drift, set->reach, set->horizon - set->clock);
  int bad = set->broad_phase == CSIM_BROAD_GRID ? search_grid(pool, set) : search_trees(pool, set);
  if (bad || append(pool, set, 0)) return -1;
  set->valid = 1;
  return 0;
}

// --------------------------------------------------------------------------------------- renewing

static void renew_points(void *context, int first, int last) {
  csim_candidates *set = context;
  for (int i = first; i < last; i++)
    if ((set->point_left[i] = set->left[set->skin->point[i]])) fill_point(set, i);
}

static void renew_edges(void *context, int first, int last) {
  csim_candidates *set = context;
  for (int i = first; i < last; i++) {
    const int *e = set->skin->edge + 2 * (ptrdiff_t)i;
    if ((set->edge_left[i] = set->left[e[0]] | set->left[e[1]])) fill_edge(set, i);
  }
}

static void renew_tris(void *context, int first, int last) {
  csim_candidates *set = context;
  for (int i = first; i < last; i++) {
    const int *t = set->skin->tri + 3 * (ptrdiff_t)i;
    if ((set->tri_left[i] = set->left[t[0]] | set->left[t[1]] | set->left[t[2]])) fill_tri(set, i);
  }
}

// Marks the primitives of vertices that have left their reach, and makes their boxes anew. Returns
// whether there are any of colliders.
static int renew_boxes(csim_pool *pool, csim_candidates *set) {
  const csim_skin *skin = set->skin;
  int colliders = 0;
  for (int i = 0; i < skin->nvert; i++) {
    if (!set->left[i]) continue;
    fill_vert(set, i);
    colliders |= i >= skin->nbody_vert;
  }
  csim_pool_for(pool, skin->npoint, BOX_GRAIN, renew_points, set);
  csim_pool_for(pool, skin->nedge, BOX_GRAIN, renew_edges, set);
  csim_pool_for(pool, skin->ntri, BOX_GRAIN, renew_tris, set);
  return colliders;
}

static int search_some(csim_pool *pool, csim_candidates *set, int colliders_moved) {
  const csim_skin *skin = set->skin;
  struct csim_candidate_trees *b = &set->tree[BODIES], *c = &set->tree[COLLIDERS];
  struct csim_candidate_trees *sb = &set->some[BODIES], *sc = &set->some[COLLIDERS];
  const unsigned char *point = set->point_left, *edge = set->edge_left, *tri = set->tri_left;
  // what is renewed against all, and the rest against what is renewed: each pair once
  csim_bvh_search point_tri[6] = {{.A = &sb->point, .B = &c->tri}, {.A = &c->point, .B = &sb->tri}};
  csim_bvh_search edge_edge[4] = {{.A = &sb->edge, .B = &c->edge, .alike = 1}};
  int np = 2, ne = 1;
  update_trees(pool, set, BODIES, 1);
  if (set->self) {
    point_tri[np++] = (csim_bvh_search){.A = &sb->point, .B = &b->tri};
    point_tri[np++] = (csim_bvh_search){.A = &b->point, .B = &sb->tri, .skip_a = point};
    edge_edge[ne++] = (csim_bvh_search){.A = &sb->edge, .B = &sb->edge, .alike = 1};
    edge_edge[ne++] = (csim_bvh_search){.A = &sb->edge, .B = &b->edge, .alike = 1, .skip_b = edge};
  }
  if (colliders_moved) {
    update_trees(pool, set, COLLIDERS, 1);
    point_tri[np++] = (csim_bvh_search){.A = &sc->point, .B = &b->tri, .skip_b = tri};
    point_tri[np++] = (csim_bvh_search){.A = &b->point, .B = &sc->tri, .skip_a = point};
    edge_edge[ne++] = (csim_bvh_search){.A = &b->edge, .B = &sc->edge, .alike = 1, .skip_a = edge};
  }
  // what is past is past; less than half a float's digits are rounded away
  double begin = (1 - 1e-5) * set->clock / set->horizon;
  return csim_bvh_pairs(pool, np, point_tri, begin, skin->npoint, keep_point_tri, set, &set->chunks,
                        &set->point_tri) ||
         csim_bvh_pairs(pool, ne, edge_edge, begin, skin->nedge, keep_edge_edge, set, &set->chunks,
                        &set->edge_edge);
}

int csim_candidates_renew(csim_pool *pool, csim_candidates *set) {
  int keep = 0, moved = renew_boxes(pool, set);
  csim_sieve_fill(&set->sieve, set->ref, set->drift, set->reach, set->horizon - set->clock);
  for (int i = 0; i < set->n; i++)
    if (!wanted(set, set->list[i].v)) set->list[keep++] = set->list[i];
  int bad =
      set->broad_phase == CSIM_BROAD_GRID ? search_grid(pool, set) : search_some(pool, set, moved);
  if (bad || append(pool, set, keep)) {
    set->valid = 0;
    return -1;
  }
  return 0;
}

void csim_candidates_drift(csim_candidates *set, double time) {
  ptrdiff_t n = 3 * (ptrdiff_t)set->skin->nvert;
  set->clock += time;
  assert(set->clock <= set->horizon * (1 + 1e-9));
  for (ptrdiff_t k = 0; k < n; k++) set->ref[k] += time * set->drift[k];
}
