// contact/candidates.c: see candidates.h.
#include "contact/candidates.h"

#include "contact/filter.h"
#include "contact/margins.h"
#include "math/vec3.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { BOX_GRAIN = 1024, FILL_GRAIN = 512, DROP_CHUNK = 4096 };
enum { BODIES, COLLIDERS };

// Boxes of primitives, their vertices grown by reach and half the contact distance. Two primitives
// that belong on the list have overlapping boxes.
static csim_box swept_box(const csim_candidates *set, int i) {
  return csim_box_of_point(set->ref.x + csim_xyz(i), set->ref.drift + csim_xyz(i), -set->ref.clock,
                           set->ref.horizon, set->ref.reach[i] + 0.51 * set->distance);
}

// Of a vertex; those of colliders outlive the search.
static csim_box *vert_box(const csim_candidates *set, int i) {
  int nbody = set->mesh->nbody_vert;
  return i < nbody ? &set->search.vert_box[i] : &set->search.collider_box[i - nbody];
}

static csim_box point_box(const csim_candidates *set, int i) {
  return *vert_box(set, set->mesh->point[i]);
}

static csim_box edge_box(const csim_candidates *set, int i) {
  const int *v = set->mesh->edge + csim_row(2, i);
  return csim_box_join(vert_box(set, v[0]), vert_box(set, v[1]));
}

static csim_box tri_box(const csim_candidates *set, int i) {
  const int *v = set->mesh->tri + csim_xyz(i);
  csim_box two = csim_box_join(vert_box(set, v[0]), vert_box(set, v[1]));
  return csim_box_join(&two, vert_box(set, v[2]));
}

// The same for trees, which number their items from 0.
static csim_box body_point(const void *set, int i) {
  return point_box(set, i);
}
static csim_box body_edge(const void *set, int i) {
  return edge_box(set, i);
}
static csim_box body_tri(const void *set, int i) {
  return tri_box(set, i);
}
static csim_box collider_point(const void *set, int i) {
  return point_box(set, ((const csim_candidates *)set)->mesh->nbody_point + i);
}
static csim_box collider_edge(const void *set, int i) {
  return edge_box(set, ((const csim_candidates *)set)->mesh->nbody_edge + i);
}
static csim_box collider_tri(const void *set, int i) {
  return tri_box(set, ((const csim_candidates *)set)->mesh->nbody_tri + i);
}

static void create_trees(csim_candidates *set) {
  const csim_collision_mesh *mesh = set->mesh;
  csim_arena *arena = &set->arena;
  csim_candidate_trees *b = &set->search.tree[BODIES], *c = &set->search.tree[COLLIDERS];
  int point = mesh->nbody_point, edge = mesh->nbody_edge, tri = mesh->nbody_tri;
  csim_bvh_create(arena, 0, point, 1, body_point, set, &b->point);
  csim_bvh_create(arena, 0, edge, 0, body_edge, set, &b->edge);
  csim_bvh_create(arena, 0, tri, 0, body_tri, set, &b->tri);
  csim_bvh_create(arena, point, mesh->npoint - point, 1, collider_point, set, &c->point);
  csim_bvh_create(arena, edge, mesh->nedge - edge, 0, collider_edge, set, &c->edge);
  csim_bvh_create(arena, tri, mesh->ntri - tri, 0, collider_tri, set, &c->tri);
}

// Bytes that a search takes from the scratch.
static ptrdiff_t count_bytes(const csim_collision_mesh *mesh) {
  return csim_scratch_bytes(mesh->npoint, 1) + csim_scratch_bytes(mesh->nedge, 1) +
         csim_scratch_bytes(mesh->ntri, 1) +
         csim_scratch_bytes(mesh->nbody_vert, sizeof(csim_box)) + csim_culling_bytes(mesh);
}

int csim_candidates_create(const csim_collision_mesh *mesh, csim_scratch *scratch,
                           csim_broad_phase broad_phase, int self, double distance,
                           const double *share, csim_candidates *set) {
  *set = (csim_candidates){.mesh = mesh,
                           .scratch = scratch,
                           .broad_phase = broad_phase,
                           .self = self,
                           .distance = distance,
                           .share = share,
                           .self_share = 1,
                           .search = {.culling = {.mesh = mesh}}};
  csim_arena *arena = &set->arena;
  set->ref.x = CSIM_ARENA_NEW(arena, double, csim_xyz(mesh->nvert));
  set->ref.drift = CSIM_ARENA_NEW(arena, double, csim_xyz(mesh->nvert));
  set->ref.reach = CSIM_ARENA_NEW(arena, double, mesh->nvert);
  set->ref.stale = CSIM_ARENA_NEW(arena, unsigned char, mesh->nvert);
  set->search.collider_box =
      CSIM_ARENA_NEW(arena, csim_box, (ptrdiff_t)mesh->nvert - mesh->nbody_vert);
  csim_listed_create(arena, mesh, &set->listed);
  if (broad_phase == CSIM_BROAD_BVH) {
    create_trees(set);
  } else {
    set->search.point_box = CSIM_ARENA_NEW(arena, csim_box, mesh->npoint);
    set->search.edge_box = CSIM_ARENA_NEW(arena, csim_box, mesh->nedge);
    set->search.tri_box = CSIM_ARENA_NEW(arena, csim_box, mesh->ntri);
  }
  if (csim_scratch_reserve(scratch, count_bytes(mesh))) arena->failed = 1;
  return arena->failed ? -1 : 0;
}

void csim_candidates_free(csim_candidates *set) {
  csim_arena_free(&set->arena);
  csim_arena_free(&set->starts.arena);
  csim_grid_free(&set->search.grid);
  csim_pair_chunks_free(&set->search.chunks);
  free(set->list);
  free(set->search.kept);
  *set = (csim_candidates){0};
}

// Returns how many boxes of colliders have changed.
static double fill_verts(void *context, int first, int last) {
  csim_candidates *set = context;
  double changed = 0;
  for (int i = first; i < last; i++) {
    csim_box box = swept_box(set, i), *before = vert_box(set, i);
    changed += i >= set->mesh->nbody_vert && memcmp(before, &box, sizeof box) != 0;
    *before = box;
  }
  return changed;
}

static void gather(const double *x, const int v[4], const double *p[4]) {
  for (int k = 0; k < 4; k++) p[k] = x + csim_xyz(v[k]);
}

// How fast the points of the first side drift towards those of the second along n, at most [m/s];
// < 0 when they separate.
static double closing(const csim_candidates *set, int split, const int v[4], const double n[3]) {
  double side[2] = {-INFINITY, INFINITY};
  for (int k = 0; k < 4; k++) {
    double along = csim_dot(n, set->ref.drift + csim_xyz(v[k]));
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
  for (int k = 0; k < 4; k++) reach[k >= split] = csim_max(reach[k >= split], set->ref.reach[v[k]]);
  double far = (set->distance + reach[0] + reach[1]) * (1 + 1e-9);
  gather(set->ref.x, v, p);
  double d2 = csim_pair_closest(kind, p, w);
  if (d2 < far * far) return 1;
  // across the shortest connection the empty slab is as wide as the distance; drift narrows it
  double d = sqrt(d2);
  for (int k = 1; k < 4; k++)
    for (int c = 0; c < 3; c++) n[c] += w[k] * (p[k][c] - p[0][c]) / d;
  return d - (set->ref.horizon - set->ref.clock) * csim_max(0, closing(set, split, v, n)) < far;
}

// The grid reports pairs of all parts. Returns whether two parts can have contact at all and,
// during an update, whether one of them is stale.
static int wanted(const csim_candidates *set, int u, int v, int stale) {
  int body_u = u < set->mesh->nbody_vert, body_v = v < set->mesh->nbody_vert;
  return (body_u && body_v ? set->self : body_u || body_v) && (!set->valid || stale);
}

typedef int cull_fn(const csim_culling *culling, int n, const csim_pair *pair, unsigned char *flag);

// Moves the pairs that the culling keeps to the front, and returns how many.
static int cull(const csim_culling *culling, cull_fn *near, int n, csim_pair *pair) {
  unsigned char flag[CSIM_MET_CAPACITY];
  int kept = 0;
  near(culling, n, pair, flag);
  for (int i = 0; i < n; i++) {
    pair[kept] = pair[i];
    kept += flag[i];
  }
  return kept;
}

// The list must not depend on the search that found its pairs, and trees report more than
// overlapping boxes. Overlap is tested late, when few pairs are left.
static int keep_point_tri(void *context, int n, csim_pair *pair) {
  const csim_candidates *set = context;
  const csim_collision_mesh *mesh = set->mesh;
  int met = 0, kept = 0, grid = set->broad_phase == CSIM_BROAD_GRID;
  for (int i = 0; i < n; i++) {
    csim_pair p = pair[i];
    const int v = mesh->point[p.a], *t = mesh->tri + csim_xyz(p.b);
    int stays = (v != t[0]) & (v != t[1]) & (v != t[2]);
    if (grid)
      stays &= wanted(set, v, t[0], set->search.point_stale[p.a] | set->search.tri_stale[p.b]);
    pair[met] = p;
    met += stays;
  }
  met = cull(&set->search.culling, csim_cull_triangles, met, pair);
  for (int i = 0; i < met; i++) {
    const int *t = mesh->tri + csim_xyz(pair[i].b);
    int v[4] = {mesh->point[pair[i].a], t[0], t[1], t[2]};
    csim_box point = point_box(set, pair[i].a), tri = tri_box(set, pair[i].b);
    if (csim_boxes_meet(&point, &tri) && near_enough(set, CSIM_PAIR_VERTEX_TRIANGLE, v))
      pair[kept++] = pair[i];
  }
  return kept;
}

static int keep_edge_edge(void *context, int n, csim_pair *pair) {
  const csim_candidates *set = context;
  const int *edge = set->mesh->edge;
  int met = 0, kept = 0, grid = set->broad_phase == CSIM_BROAD_GRID;
  for (int i = 0; i < n; i++) {
    csim_pair p = pair[i];
    const int *e = edge + csim_row(2, p.a), *f = edge + csim_row(2, p.b);
    int stays = (e[0] != f[0]) & (e[0] != f[1]) & (e[1] != f[0]) & (e[1] != f[1]);
    if (grid)
      stays &= wanted(set, e[0], f[0], set->search.edge_stale[p.a] | set->search.edge_stale[p.b]);
    pair[met] = p;
    met += stays;
  }
  met = cull(&set->search.culling, csim_cull_edges, met, pair);
  for (int i = 0; i < met; i++) {
    const int *e = edge + csim_row(2, pair[i].a), *f = edge + csim_row(2, pair[i].b);
    int v[4] = {e[0], e[1], f[0], f[1]};
    csim_box first = edge_box(set, pair[i].a), second = edge_box(set, pair[i].b);
    if (csim_boxes_meet(&first, &second) && near_enough(set, CSIM_PAIR_EDGE_EDGE, v))
      pair[kept++] = pair[i];
  }
  return kept;
}

// Nearly parallel edges have no unique nearest pair of points, and the force would jump along them.
// Their energy therefore fades out (Li et al. 2020, 4.2); the vertex-triangle pairs at their ends
// take over. The angle is that of the references, so the weight is constant in derivatives.
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

// Sine of half the angle by which a collider's surface bends at an edge; 1 on a border.
static double half_bend(const csim_candidates *set, int edge) {
  const csim_collision_mesh *mesh = set->mesh;
  const int *e = mesh->edge + csim_row(2, edge);
  const int *beside = mesh->beside + csim_row(2, edge - mesh->nbody_edge);
  if (beside[1] < 0) return 1;
  const double *x = set->ref.x, *o = x + csim_xyz(e[0]);
  double along[3], p[3], q[3], n[3], m[3];
  csim_sub(x + csim_xyz(e[1]), o, along);
  csim_sub(x + csim_xyz(beside[0]), o, p);
  csim_sub(x + csim_xyz(beside[1]), o, q);
  csim_cross(along, p, n);
  csim_cross(q, along, m);
  double lengths = csim_norm(n) * csim_norm(m);
  double cosine = lengths > 0 ? csim_dot(n, m) / lengths : -1;
  return sqrt(csim_max(0, 0.5 * (1 - cosine)));
}

// An edge over a flat part of a collider comes no nearer to its edges than its ends do. Its energy
// there would only count what the ends count. So it fades out where the collider's edge rises above
// the chord between its faces by less than a share of the contact distance: a press took 0.6 of the
// time. Where a collider deforms, the angle is that of the references.
static double sharp_weight(const csim_candidates *set, const csim_candidate *pair,
                           const double *const p[4]) {
  static const double RISE = 0.02;
  int second = -1 - pair->b, is_second = second >= set->mesh->nbody_edge;
  int edge = is_second ? second : pair->a; // the collider's
  if (edge < set->mesh->nbody_edge) return 1;
  double over[3];
  csim_sub(p[is_second ? 1 : 3], p[is_second ? 0 : 2], over);
  double rise = 0.5 * csim_norm(over) * half_bend(set, edge);
  return csim_min(1, rise / (RISE * set->distance));
}

// Most that a pair's scale can be: that of its parts and vertices.
static double most_scale(const csim_candidates *set, const int v[4]) {
  const csim_collision_mesh *mesh = set->mesh;
  double share = 1;
  int with_collider = 0;
  int other = set->starts.near &&
              csim_collision_mesh_part(mesh, v[0]) != csim_collision_mesh_part(mesh, v[3]);
  for (int k = 0; k < 4; k++) {
    int of_body = v[k] < mesh->nbody_vert;
    if (of_body && set->share) share = csim_min(share, set->share[v[k]]);
    if (of_body && other) share = csim_min(share, (double)set->starts.near[v[k]]);
    with_collider |= !of_body;
  }
  return with_collider ? share : csim_min(share, set->self_share);
}

// A scale by initial positions, or what the distance of its vertices has grown to.
static double grown_scale(const csim_candidates *set, const int v[4], double most, double scale) {
  const csim_collision_mesh *mesh = set->mesh;
  double least = INFINITY;
  if (!set->starts.grown) return scale;
  if (csim_collision_mesh_part(mesh, v[0]) == csim_collision_mesh_part(mesh, v[3])) return scale;
  for (int k = 0; k < 4; k++)
    if (v[k] < mesh->nbody_vert) least = csim_min(least, (double)set->starts.grown[v[k]]);
  return csim_max(scale, csim_min(most, least / set->distance));
}

// Scale at the start; a float, so that it can be stored as one.
static double start_scale(const csim_candidates *set, csim_pair_kind kind, const int v[4]) {
  const double *p[4];
  double share = most_scale(set, v);
  double w[4], far = share * set->distance / CSIM_CONTACT_START;
  for (int k = 0; k < 4; k++) p[k] = csim_collision_mesh_start(set->mesh, v[k]);
  // most pairs start far apart; the three differences below are a lower bound of the distance
  int split = csim_pair_split(kind);
  for (int c = 0; c < 3; c++) {
    double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
    for (int k = 0; k < 4; k++) {
      lo[k >= split] = csim_min(lo[k >= split], p[k][c]);
      hi[k >= split] = csim_max(hi[k >= split], p[k][c]);
    }
    if (lo[1] - hi[0] > far || lo[0] - hi[1] > far) return (float)share;
  }
  double d = sqrt(csim_pair_closest(kind, p, w));
  return (float)(d < far ? grown_scale(set, v, share, CSIM_CONTACT_START * d / set->distance)
                         : share);
}

static int is_sewn(const csim_candidates *set, csim_pair_kind kind, const int v[4]) {
  double side[4];
  for (int k = 0; k < 4; k++) side[k] = k < csim_pair_split(kind) ? 1 : -1;
  return csim_collision_mesh_is_sewn(set->mesh, v, side);
}

double csim_candidate_own_scale(const csim_candidates *set, csim_pair_kind kind, const int v[4],
                                const csim_candidate *pair) {
  double scale = pair ? (double)pair->start : start_scale(set, kind, v);
  double closed = csim_min(CSIM_SEAM_SCALE, set->self_share);
  return scale > closed && is_sewn(set, kind, v) ? closed : scale;
}

static void lower(float *share, double to) {
  if ((float)to < *share) *share = (float)to;
}

static void add_start(csim_starts *starts, const int v[4], double scale) {
  lower(&starts->closest[v[0]], scale);
  if (starts->pair) {
    csim_start_pair *pair = &starts->pair[starts->npair];
    memcpy(pair->v, v, sizeof pair->v);
    pair->scale = (float)scale;
  }
  starts->npair++;
}

// Lowers the shares of vertices that start near another part, and counts their pairs, or keeps them
// if there is room for them. Returns whether there are some.
static int mark_near(const csim_candidates *set, csim_starts *starts) {
  static const double LEAST = 0.05; // what touches at one point need not be as thin elsewhere
  const csim_collision_mesh *mesh = set->mesh;
  int any = 0;
  starts->npair = 0;
  for (int i = 0; i < set->n; i++) {
    csim_pair_kind kind = csim_candidate_kind(&set->list[i]);
    int v[4];
    csim_candidate_vertices(mesh, &set->list[i], v);
    if (csim_collision_mesh_part(mesh, v[0]) == csim_collision_mesh_part(mesh, v[3])) continue;
    double scale = (double)set->list[i].start;
    if (scale >= (double)(float)most_scale(set, v) || is_sewn(set, kind, v)) continue;
    for (int k = 0; k < 4; k++) {
      if (v[k] >= mesh->nbody_vert) continue;
      lower(&starts->near[v[k]], csim_max(scale, LEAST));
      if (!(scale > 0)) starts->touches[v[k]] = 1;
    }
    if (kind == CSIM_PAIR_VERTEX_TRIANGLE) add_start(starts, v, scale);
    any = 1;
  }
  return any;
}

// Least scale of the triangles of bodies at each of their vertices.
static void find_around(const csim_candidates *set, csim_starts *starts) {
  const csim_collision_mesh *mesh = set->mesh;
  for (int t = 0; t < mesh->nbody_tri; t++) {
    const int *v = mesh->tri + csim_xyz(t);
    double least = 1;
    for (int k = 0; k < 3; k++) {
      if (starts->near) least = csim_min(least, (double)starts->near[v[k]]);
      if (set->share) least = csim_min(least, set->share[v[k]]);
    }
    for (int k = 0; k < 3; k++) lower(&starts->around[v[k]], least);
  }
}

static float *ones(csim_arena *arena, int n) {
  float *share = CSIM_ARENA_NEW(arena, float, n);
  for (int i = 0; i < n && share; i++) share[i] = 1;
  return share;
}

// Marks what starts near, with the list of the start. Returns 1 if there is something to keep, -1
// when out of memory.
static int note_starts(const csim_candidates *set, csim_starts *starts) {
  int nbody = set->mesh->nbody_vert;
  starts->near = ones(&starts->arena, nbody);
  starts->first = ones(&starts->arena, nbody);
  starts->around = ones(&starts->arena, nbody);
  starts->closest = ones(&starts->arena, set->mesh->nvert);
  starts->touches = CSIM_ARENA_NEW(&starts->arena, unsigned char, nbody);
  if (starts->arena.failed) return -1;
  int any = mark_near(set, starts);
  if (any) {
    starts->pair = CSIM_ARENA_NEW(&starts->arena, csim_start_pair, starts->npair);
    if (!starts->pair) return -1;
    mark_near(set, starts);
  }
  memcpy(starts->first, starts->near, (size_t)nbody * sizeof *starts->near);
  find_around(set, starts);
  return any || set->share;
}

int csim_candidates_find_starts(csim_pool *pool, csim_candidates *set) {
  static const double REACH =
      0.06; // of both sides: pairs matter up to 1/CSIM_CONTACT_START distances
  const csim_collision_mesh *mesh = set->mesh;
  csim_starts starts = {.near = NULL};
  csim_collision_mesh_starts(mesh, set->ref.x);
  memset(set->ref.drift, 0, 3 * (size_t)mesh->nvert * sizeof *set->ref.drift);
  for (int i = 0; i < mesh->nvert; i++) set->ref.reach[i] = REACH * set->distance;
  set->ref.horizon = 0;
  int any = csim_candidates_collect(pool, set) ? -1 : note_starts(set, &starts);
  if (any > 0)
    set->starts = starts;
  else
    csim_arena_free(&starts.arena);
  csim_candidates_forget(set);
  return any < 0 ? -1 : 0;
}

static void renew_range(void *context, int first, int last) {
  csim_candidates *set = context;
  for (int i = first; i < last; i++) {
    csim_candidate *c = &set->list[i];
    int v[4];
    csim_candidate_vertices(set->mesh, c, v);
    c->start = (float)start_scale(set, csim_candidate_kind(c), v);
  }
}

void csim_candidates_grow(csim_pool *pool, csim_candidates *set, const float *grown) {
  csim_starts *starts = &set->starts;
  const csim_collision_mesh *mesh = set->mesh;
  if (!starts->near) return;
  starts->grown = grown;
  for (int i = 0; i < mesh->nbody_vert; i++) {
    starts->near[i] = starts->around[i] = 1;
    lower(&starts->near[i],
          grown[i] > 0 ? (double)grown[i] / set->distance : (double)starts->first[i]);
  }
  find_around(set, starts);
  for (int i = 0; i < mesh->nvert; i++) starts->closest[i] = 1;
  for (int i = 0; i < starts->npair; i++) {
    const csim_start_pair *pair = &starts->pair[i];
    lower(&starts->closest[pair->v[0]],
          grown_scale(set, pair->v, most_scale(set, pair->v), (double)pair->scale));
  }
  set->version++;
  if (set->valid) csim_pool_for(pool, set->n, FILL_GRAIN, renew_range, set);
}

double csim_candidate_side_scale(const csim_candidates *set, const int v[4], const int side[2],
                                 double scale) {
  const csim_starts *starts = &set->starts;
  int a = v[side[0]], b = v[side[1]];
  if (!starts->around) return scale;
  scale = csim_min(scale, (double)starts->closest[v[0]]);
  if (a >= set->mesh->nbody_vert) return scale; // of a collider's triangle
  // both triangles at a side are among those at both of its ends
  return csim_min(scale, csim_max((double)starts->around[a], (double)starts->around[b]));
}

// Whether one side is of a collider that has released a vertex of the other side.
static int is_released(const csim_collision_mesh *mesh, const int v[4]) {
  int last = v[0]; // colliders come last
  for (int k = 1; k < 4; k++)
    if (v[k] > last) last = v[k];
  if (last < mesh->nbody_vert) return 0;
  int part = csim_collision_mesh_part(mesh, last), any = 0;
  for (int k = 0; k < 4; k++) any |= csim_collision_mesh_releases(mesh, v[k], part);
  return any;
}

double csim_candidate_scale(const csim_candidates *set, csim_pair_kind kind, const int v[4],
                            const csim_candidate *pair) {
  if (set->mesh->released && is_released(set->mesh, v)) return 0;
  return csim_candidate_own_scale(set, kind, v, pair);
}

typedef struct fill_job {
  csim_candidates *set;
  csim_pair_kind kind;
  int first; // place of the first new candidate
} fill_job;

// Fills in the candidates that have a and b.
static void fill_candidates(void *context, int first, int last) {
  const fill_job *job = context;
  csim_candidates *set = job->set;
  for (int i = job->first + first; i < job->first + last; i++) {
    csim_candidate *c = &set->list[i];
    const double *p[4];
    double n[3] = {0};
    int v[4];
    if (job->kind == CSIM_PAIR_EDGE_EDGE) c->b = -1 - c->b;
    csim_candidate_vertices(set->mesh, c, v);
    csim_listed_mark(&set->listed, c->b < 0, c->a, c->b < 0 ? -1 - c->b : c->b, v);
    gather(set->ref.x, v, p);
    double gap = csim_separate_pair(job->kind, p, n);
    // rounding to float: gaps down, closing up
    double rate = gap > 0 ? closing(set, csim_pair_split(job->kind), v, n) : 0;
    c->closing = (float)(rate + 1e-6 * fabs(rate));
    gap += set->ref.clock * (double)c->closing;
    c->gap = (float)(gap - 1e-6 * fabs(gap));
    c->weight = job->kind == CSIM_PAIR_EDGE_EDGE
                    ? (float)(parallel_weight(p) * sharp_weight(set, c, p))
                    : 1;
    c->start = (float)start_scale(set, job->kind, v);
  }
}

// Appends the pairs found to the list as candidates.
static int append(csim_pool *pool, csim_candidates *set, csim_pair_kind kind) {
  const csim_collision_mesh *mesh = set->mesh;
  ptrdiff_t found = csim_pair_chunks_count(&set->search.chunks);
  if (found < 0 || set->n + found > 1 << 30) return -1;
  if (CSIM_GROW(set->list, set->capacity, set->n + found)) return -1;
  int stride = sizeof *set->list / sizeof(int);
  if (csim_pair_chunks_join(&set->search.chunks, pool,
                            kind == CSIM_PAIR_EDGE_EDGE ? mesh->nedge : mesh->npoint, stride,
                            &set->list[set->n].a))
    return -1;
  csim_pool_for(pool, (int)found, FILL_GRAIN, fill_candidates, &(fill_job){set, kind, set->n});
  set->n += (int)found;
  return 0;
}

// Allocates what a search needs, except its boxes, which the caller fills.
static void begin_search(csim_pool *pool, csim_candidates *set) {
  const csim_collision_mesh *mesh = set->mesh;
  csim_scratch_begin(set->scratch);
  set->search.point_stale = CSIM_SCRATCH_TAKE(set->scratch, unsigned char, mesh->npoint);
  set->search.edge_stale = CSIM_SCRATCH_TAKE(set->scratch, unsigned char, mesh->nedge);
  set->search.tri_stale = CSIM_SCRATCH_TAKE(set->scratch, unsigned char, mesh->ntri);
  set->search.vert_box = CSIM_SCRATCH_TAKE(set->scratch, csim_box, mesh->nbody_vert);
  set->search.culling.distance = (float)set->distance;
  set->search.culling.share = 1;
  set->search.culling.alone = 0;
  csim_culling_begin(pool, set->scratch, &set->search.culling, set->ref.x, set->ref.drift,
                     set->ref.horizon - set->ref.clock, set->ref.reach);
}

static int update_trees(csim_pool *pool, csim_candidate_trees *tree) {
  return csim_bvh_update(pool, &tree->point) || csim_bvh_update(pool, &tree->edge) ||
         csim_bvh_update(pool, &tree->tri);
}

static void update_some_trees(csim_pool *pool, csim_candidates *set, int side) {
  csim_candidate_trees *tree = &set->search.tree[side];
  csim_bvh *const trees[] = {&tree->point, &tree->edge, &tree->tri};
  const unsigned char *const stale[] = {set->search.point_stale, set->search.edge_stale,
                                        set->search.tri_stale};
  csim_bvh_update_some(pool, 3, trees, stale);
}

static void fill_grid_boxes(void *context, int first, int last) {
  csim_candidates *set = context;
  const csim_collision_mesh *mesh = set->mesh;
  for (int i = first; i < last && i < mesh->npoint; i++)
    set->search.point_box[i] = point_box(set, i);
  for (int i = first; i < last && i < mesh->nedge; i++) set->search.edge_box[i] = edge_box(set, i);
  for (int i = first; i < last && i < mesh->ntri; i++) set->search.tri_box[i] = tri_box(set, i);
}

// Broad phase by the grid: points against triangles, then edges against edges. -1: out of memory.
static int search_grid(csim_pool *pool, csim_candidates *set) {
  const csim_collision_mesh *mesh = set->mesh;
  int most = mesh->nedge > mesh->ntri ? mesh->nedge : mesh->ntri;
  csim_pool_for(pool, most > mesh->npoint ? most : mesh->npoint, BOX_GRAIN, fill_grid_boxes, set);
  csim_boxes points = {mesh->npoint, set->search.point_box};
  csim_boxes triangles = {mesh->ntri, set->search.tri_box};
  if (csim_grid_pairs_between(pool, &set->search.grid, points, triangles, keep_point_tri, set,
                              &set->search.chunks) ||
      append(pool, set, CSIM_PAIR_VERTEX_TRIANGLE))
    return -1;
  return csim_grid_pairs(pool, &set->search.grid, mesh->nedge, set->search.edge_box, keep_edge_edge,
                         set, &set->search.chunks) ||
                 append(pool, set, CSIM_PAIR_EDGE_EDGE)
             ? -1
             : 0;
}

// Appends the pairs that the trees report to the list.
static int search_trees(csim_pool *pool, csim_candidates *set, int npoint_tri,
                        const csim_bvh_search *point_tri, int nedge_edge,
                        const csim_bvh_search *edge_edge) {
  csim_bvh_pairs(pool, npoint_tri, point_tri, keep_point_tri, set, &set->search.chunks);
  if (append(pool, set, CSIM_PAIR_VERTEX_TRIANGLE)) return -1;
  csim_bvh_pairs(pool, nedge_edge, edge_edge, keep_edge_edge, set, &set->search.chunks);
  return append(pool, set, CSIM_PAIR_EDGE_EDGE);
}

static int search_all(csim_pool *pool, csim_candidates *set, int colliders_moved) {
  csim_candidate_trees *b = &set->search.tree[BODIES], *c = &set->search.tree[COLLIDERS];
  // bodies among themselves come last, so that they can be left out
  csim_bvh_search point_tri[] = {{.A = &b->point, .B = &c->tri},
                                 {.A = &c->point, .B = &b->tri},
                                 {.A = &b->point, .B = &b->tri}};
  csim_bvh_search edge_edge[] = {{.A = &b->edge, .B = &c->edge, .alike = 1},
                                 {.A = &b->edge, .B = &b->edge, .alike = 1}};
  int self = set->self != 0;
  if (update_trees(pool, b) || (colliders_moved && update_trees(pool, c))) return -1;
  return search_trees(pool, set, 2 + self, point_tri, 1 + self, edge_edge);
}

int csim_candidates_collect(csim_pool *pool, csim_candidates *set) {
  set->valid = 0;
  set->version++;
  set->ref.clock = 0;
  set->n = 0;
  csim_listed_forget(&set->listed);
  begin_search(pool, set);
  int moved = csim_pool_count(pool, set->mesh->nvert, fill_verts, set) > 0;
  if (set->broad_phase == CSIM_BROAD_GRID ? search_grid(pool, set) : search_all(pool, set, moved))
    return -1;
  csim_listed_gather(&set->listed);
  set->valid = 1;
  return 0;
}

// --------------------------------------------------------------------------------------- updating

// Marks the primitives of stale vertices.
static void mark_points(void *context, int first, int last) {
  csim_candidates *set = context;
  for (int i = first; i < last; i++)
    set->search.point_stale[i] = set->ref.stale[set->mesh->point[i]];
}

static void mark_edges(void *context, int first, int last) {
  csim_candidates *set = context;
  for (int i = first; i < last; i++) {
    const int *e = set->mesh->edge + csim_row(2, i);
    set->search.edge_stale[i] = set->ref.stale[e[0]] | set->ref.stale[e[1]];
  }
}

static void mark_tris(void *context, int first, int last) {
  csim_candidates *set = context;
  for (int i = first; i < last; i++) {
    const int *t = set->mesh->tri + csim_xyz(i);
    set->search.tri_stale[i] = set->ref.stale[t[0]] | set->ref.stale[t[1]] | set->ref.stale[t[2]];
  }
}

static void update_verts(void *context, int first, int last) {
  csim_candidates *set = context;
  for (int i = first; i < last; i++)
    if (i < set->mesh->nbody_vert || set->ref.stale[i]) *vert_box(set, i) = swept_box(set, i);
}

// Whether a vertex of a collider is stale.
static int colliders_are_stale(const csim_candidates *set) {
  int nbody = set->mesh->nbody_vert, n = set->mesh->nvert - nbody;
  return n > 0 && memchr(set->ref.stale + nbody, 1, (size_t)n);
}

// Marks the primitives of stale vertices; those of colliders are not, if they all stay.
static void mark_stale(csim_pool *pool, csim_candidates *set, int colliders) {
  const csim_collision_mesh *mesh = set->mesh;
  const csim_candidate_search *s = &set->search;
  int point = colliders ? mesh->npoint : mesh->nbody_point;
  int edge = colliders ? mesh->nedge : mesh->nbody_edge;
  int tri = colliders ? mesh->ntri : mesh->nbody_tri;
  csim_pool_for_all(pool, 3,
                    (csim_loop[]){{point, BOX_GRAIN, mark_points, set},
                                  {edge, BOX_GRAIN, mark_edges, set},
                                  {tri, BOX_GRAIN, mark_tris, set}});
  memset(s->point_stale + point, 0, (size_t)(mesh->npoint - point));
  memset(s->edge_stale + edge, 0, (size_t)(mesh->nedge - edge));
  memset(s->tri_stale + tri, 0, (size_t)(mesh->ntri - tri));
}

static int search_some(csim_pool *pool, csim_candidates *set, int colliders_moved) {
  csim_candidate_trees *b = &set->search.tree[BODIES], *c = &set->search.tree[COLLIDERS];
  // stale items against all, then the others against stale ones: each pair once
  const csim_bvh_part ALL = CSIM_BVH_ALL, NEW = CSIM_BVH_NEW, OLD = CSIM_BVH_OLD;
  csim_bvh_search point_tri[6] = {{&b->point, &c->tri, 0, NEW, ALL},
                                  {&c->point, &b->tri, 0, ALL, NEW}};
  csim_bvh_search edge_edge[3] = {{&b->edge, &c->edge, 1, NEW, ALL}};
  int np = 2, ne = 1;
  update_some_trees(pool, set, BODIES);
  if (set->self) {
    point_tri[np++] = (csim_bvh_search){&b->point, &b->tri, 0, NEW, ALL};
    point_tri[np++] = (csim_bvh_search){&b->point, &b->tri, 0, OLD, NEW};
    edge_edge[ne++] = (csim_bvh_search){&b->edge, &b->edge, 1, NEW, ALL};
  }
  if (colliders_moved) {
    update_some_trees(pool, set, COLLIDERS);
    point_tri[np++] = (csim_bvh_search){&c->point, &b->tri, 0, NEW, OLD};
    point_tri[np++] = (csim_bvh_search){&b->point, &c->tri, 0, OLD, NEW};
    edge_edge[ne++] = (csim_bvh_search){&b->edge, &c->edge, 1, OLD, NEW};
  }
  return search_trees(pool, set, np, point_tri, ne, edge_edge);
}

// Moves the candidates of a chunk that stay to its beginning.
static void drop_chunk(void *context, int chunk) {
  csim_candidates *set = context;
  csim_candidate *first = set->list + (ptrdiff_t)chunk * DROP_CHUNK, *to = first;
  const csim_candidate *end = set->list + set->n;
  if (end - first > DROP_CHUNK) end = first + DROP_CHUNK;
  for (const csim_candidate *c = first; c < end; c++) {
    int stale = c->b < 0 ? set->search.edge_stale[c->a] | set->search.edge_stale[-1 - c->b]
                         : set->search.point_stale[c->a] | set->search.tri_stale[c->b];
    if (!stale) *to++ = *c;
  }
  set->search.kept[chunk] = (int)(to - first);
}

// Drops the candidates that the update searches for again. -1 when out of memory.
static int drop_stale(csim_pool *pool, csim_candidates *set) {
  int nchunk = (set->n + DROP_CHUNK - 1) / DROP_CHUNK, n = 0;
  if (CSIM_GROW(set->search.kept, set->search.kept_capacity, nchunk)) return -1;
  csim_pool_run(pool, nchunk, drop_chunk, set);
  for (int k = 0; k < nchunk; k++) {
    memmove(set->list + n, set->list + (ptrdiff_t)k * DROP_CHUNK,
            (size_t)set->search.kept[k] * sizeof *set->list);
    n += set->search.kept[k];
  }
  set->n = n;
  return 0;
}

int csim_candidates_update(csim_pool *pool, csim_candidates *set) {
  const csim_collision_mesh *mesh = set->mesh;
  set->version++;
  begin_search(pool, set);
  int moved = colliders_are_stale(set);
  csim_pool_for(pool, moved ? mesh->nvert : mesh->nbody_vert, BOX_GRAIN, update_verts, set);
  mark_stale(pool, set, moved);
  if (drop_stale(pool, set) ||
      (set->broad_phase == CSIM_BROAD_GRID ? search_grid(pool, set)
                                           : search_some(pool, set, moved))) {
    set->valid = 0;
    return -1;
  }
  csim_listed_gather(&set->listed);
  return 0;
}

typedef struct drift_job {
  csim_candidates *set;
  double time;
} drift_job;

static void drift_verts(void *context, int first, int last) {
  const drift_job *job = context;
  double *ref = job->set->ref.x;
  for (ptrdiff_t k = csim_xyz(first); k < csim_xyz(last); k++)
    ref[k] += job->time * job->set->ref.drift[k];
}

void csim_candidates_drift(csim_pool *pool, csim_candidates *set, double time) {
  set->ref.clock += time;
  assert(set->ref.clock <= set->ref.horizon * (1 + 1e-9));
  csim_pool_for(pool, set->mesh->nvert, BOX_GRAIN, drift_verts, &(drift_job){set, time});
}
