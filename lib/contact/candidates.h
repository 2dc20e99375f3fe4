// contact/candidates.h: the list of pairs that may come into contact, kept while it is complete.
// Needs contact/culling.h, bvh.h, grid.h, distance.h.
//
// Every vertex has a reference, which drifts at a constant velocity as a clock advances, and a
// reach around it. The list has all pairs that can come nearer than the contact distance while
// every vertex stays within reach of its reference, from now until the clock's horizon; only pairs
// that share vertices are left out. A list therefore lasts as long as motions are as predicted. A
// vertex that leaves its reach gets a new reference and its pairs are searched for again; the cost
// grows with the number of such vertices only.
#ifndef CSIM_CONTACT_CANDIDATES_H
#define CSIM_CONTACT_CANDIDATES_H

#include "contact/bvh.h"
#include "contact/distance.h"
#include "contact/grid.h"
#include "contact/culling.h"

/// A vertex and a triangle, or two edges. Small, because crumpled cloth has more candidates than
/// anything else.
typedef struct csim_candidate {
  int a;         ///< point, or edge
  int b;         ///< triangle; of two edges, -1 - edge
  float gap;     ///< [m] bound of the references' distance: at least gap - closing x clock
  float closing; ///< [m/s]
  float weight;  ///< of its energy, [0, 1]: edges that are nearly parallel fade out, see
                 ///< candidates.c
  float start;   ///< contact distance by its initial positions, as a share of the general one: most
                 ///< that csim_candidate_scale can be
} csim_candidate;

/// Range of every vertex: within its reach of a reference that drifts at a constant velocity.
///
///        reach
///      ,--+--.   drift x (horizon - clock)    ,-----.
///     (  ref  ) ---------------------------> (       )    the pair is on the list when these
///      `-----'                                `-----'     two swept balls come within the
///     (  ref  ) ---------------------------> (       )    contact distance of each other
///      `-----'                                `-----'
typedef struct csim_references {
  double clock;         ///< [s] 0 when all was collected
  double horizon;       ///< [s] the clock's last time
  double *x;            ///< (mesh->nvert x 3) references at the clock's time [m]
  double *drift;        ///< (mesh->nvert x 3) [m/s]
  double *reach;        ///< (mesh->nvert) [m]
  unsigned char *stale; ///< (mesh->nvert) has a new reference, drift or reach
} csim_references;

/// Trees of points, edges and triangles.
typedef struct csim_candidate_trees {
  csim_bvh point, edge, tri;
} csim_candidate_trees;

/// Data of a search for pairs. Only trees, grid and chunks keep their contents between searches.
typedef struct csim_candidate_search {
  csim_culling culling;
  csim_candidate_trees tree[2];             ///< of bodies, of colliders; when broad_phase is BVH
  csim_box *point_box, *edge_box, *tri_box; ///< when it is GRID
  csim_grid grid;
  csim_pair_chunks chunks;
  csim_box *collider_box; ///< (mesh->nvert - mesh->nbody_vert) of their vertices in the trees
  csim_box *vert_box;     ///< (mesh->nbody_vert) at clock 0, drifts up to the horizon
  unsigned char *point_stale, *edge_stale, *tri_stale;
  int *kept; ///< candidates that stay, of each chunk of the list
  ptrdiff_t kept_capacity;
} csim_candidate_search;

/// A vertex and a triangle that start nearer to each other than the contact distance.
typedef struct csim_start_pair {
  int v[4];
  float scale; ///< by their initial positions
} csim_start_pair;

/// What starts nearer to another part than the contact distance, see csim_candidates_find_starts.
typedef struct csim_starts {
  csim_arena arena;
  const float *grown;     ///< (mesh->nbody_vert) [m] see csim_candidates_grow; NULL: 0
  float *first;           ///< (mesh->nbody_vert) `near` at the start
  unsigned char *touches; ///< (mesh->nbody_vert) a pair with another part touches at the start
  int npair;
  csim_start_pair *pair; ///< (npair) all there are
  float *near;           ///< (mesh->nbody_vert) most of a vertex' scale with other parts; NULL: 1
  float *around;         ///< (mesh->nbody_vert) least that triangles at a vertex have; NULL: 1
  float *closest;        ///< (mesh->nvert) least scale of a point's pairs with triangles; NULL: 1
} csim_starts;

typedef struct csim_candidates {
  csim_arena arena;      ///< of all but the lists
  csim_scratch *scratch; ///< of searches
  const csim_collision_mesh *mesh;
  csim_broad_phase broad_phase;
  int self;            ///< pairs of bodies too, not only of bodies with colliders
  double distance;     ///< [m] contact distance
  const double *share; ///< (mesh->nbody_vert) of it, see csim_contact_params; NULL: 1
  double self_share;   ///< most of it between bodies; 1 unless the owner sets it
  csim_starts starts;  ///< what starts nearer than that
  csim_references ref;
  int valid;   ///< the list may be used
  int version; ///< changes with the list
  int n;
  csim_candidate *list; ///< (n) in an order that depends on positions alone
  ptrdiff_t capacity;
  csim_listed listed; ///< of colliders, on the list or dropped from it since it was collected
  csim_candidate_search search;
} csim_candidates;

/// Whether it is of a vertex and a triangle or of two edges.
static inline csim_pair_kind csim_candidate_kind(const csim_candidate *pair) {
  return pair->b < 0 ? CSIM_PAIR_EDGE_EDGE : CSIM_PAIR_VERTEX_TRIANGLE;
}

/// Its four vertices.
static inline void csim_candidate_vertices(const csim_collision_mesh *mesh,
                                           const csim_candidate *pair, int v[4]) {
  if (pair->b < 0) {
    const int *e = mesh->edge + csim_row(2, pair->a),
              *f = mesh->edge - 2 * (1 + (ptrdiff_t)pair->b);
    v[0] = e[0], v[1] = e[1], v[2] = f[0], v[3] = f[1];
  } else {
    const int *t = mesh->tri + csim_xyz(pair->b);
    v[0] = mesh->point[pair->a], v[1] = t[0], v[2] = t[1], v[3] = t[2];
  }
}

/// A pair's contact distance, as a share of the general one, at most 1. It is less if the pair or,
/// with another part, one of its vertices starts nearer than that, 0 if the pair touches at the
/// start, and around stitches at most CSIM_SEAM_SCALE, to which their seam closes. Sewn
/// sheets are kept from intersecting like any others. `pair` knows what its initial positions
/// allow; NULL: that is computed.
double csim_candidate_own_scale(const csim_candidates *set, csim_pair_kind kind, const int v[4],
                                const csim_candidate *pair);

/// The same, and 0 where a collider has released the pair's body (pinched.h).
double csim_candidate_scale(const csim_candidates *set, csim_pair_kind kind, const int v[4],
                            const csim_candidate *pair);

/// Scale of the sides and corners that are subtracted from a pair of a vertex and a triangle
/// (terms.h): no more than that of the vertex with any triangle around.
/// @param side   (2) corners of the triangle, 1 to 3
/// @param scale  csim_candidate_scale
double csim_candidate_side_scale(const csim_candidates *set, const int v[4], const int side[2],
                                 double scale);

/// Lower bound of the distance [m] of a candidate's references at a time of the clock.
static inline double csim_candidate_gap(const csim_candidate *pair, double clock) {
  return (double)pair->gap - clock * (double)pair->closing;
}

/// -1 when out of memory; csim_candidates_free in any case.
int csim_candidates_create(const csim_collision_mesh *mesh, csim_scratch *scratch,
                           csim_broad_phase broad_phase, int self, double distance,
                           const double *share, csim_candidates *set);
void csim_candidates_free(csim_candidates *set);

/// Finds the vertices that start nearer to another part than the contact distance, once self_share
/// is set. They begin with the smaller distance to everything but their own part (clearance.h).
/// Cloth that starts 0.5 mm above a slope would rest there at 0.45 mm, and slide into triangles
/// that keep it at 5 mm: a wall.
/// @return 0, or -1 when out of memory
int csim_candidates_find_starts(csim_pool *pool, csim_candidates *set);

/// Changes the distances of parts that start near, also on the list: a pair of two parts keeps the
/// least of its vertices' `grown` [m], or what its initial positions allow if that is more.
/// @param grown  (mesh->nbody_vert) must stay; call this again when it changes
void csim_candidates_grow(csim_pool *pool, csim_candidates *set, const float *grown);

/// Makes the list invalid.
static inline void csim_candidates_forget(csim_candidates *set) {
  set->valid = 0;
}

/// Builds the list from the references, drifts, reaches and horizon of the set, and sets the clock
/// to 0.
/// @return 0, or -1 when out of memory: the list is then not valid
int csim_candidates_collect(csim_pool *pool, csim_candidates *set);

/// Searches again for the pairs of the vertices marked in ref.stale, which have a new reference,
/// drift or reach.
/// @return 0, or -1 when out of memory: the list is then not valid
int csim_candidates_update(csim_pool *pool, csim_candidates *set);

/// Advances the clock by `time`: references drift.
void csim_candidates_drift(csim_pool *pool, csim_candidates *set, double time);

#endif
