// contact/candidates.h: the pairs that may come to touch, kept for as long as that is certain.
// Needs contact/skin.h, bvh.h, grid.h, distance.h.
//
// Collecting notes where every vertex is (its reference), how far it may go from there (its reach),
// and where the reference is about to drift (0 where nothing is said). All pairs that can come
// nearer than the contact distance while references drift alike in time and every vertex stays
// within its reach of its reference are on the list, with no exception but shared vertices.
#ifndef CSIM_CONTACT_CANDIDATES_H
#define CSIM_CONTACT_CANDIDATES_H

#include "contact/bvh.h"
#include "contact/distance.h"
#include "contact/grid.h"
#include "contact/skin.h"

typedef struct csim_candidate {
  int v[4];
  int kind;    ///< csim_pair_kind
  float gap;   ///< [m] certified lower bound of the distance at the references
  float scale; ///< contact distances of this pair are this share of the general ones, (0, 1]: less
               ///< where the pair starts nearer than they are
  float
      weight; ///< of its energy, [0, 1]: edges that are nearly parallel fade out, see candidates.c
} csim_candidate;

typedef struct csim_candidates {
  csim_arena arena; ///< of all but the lists
  const csim_skin *skin;
  csim_broad_phase broad_phase;
  int self;        ///< pairs of bodies too, not only of bodies with colliders
  double distance; ///< [m] contact distance
  double *ref;     ///< (skin->nvert x 3) references [m]
  double *drift;   ///< (skin->nvert x 3) [m]
  double *reach;   ///< (skin->nvert) [m]
  int valid;       ///< the list may be used
  int n;
  csim_candidate *list; ///< (n) vertex-triangle, then edge-edge, each by rising numbers
  // scratch
  ptrdiff_t room;
  csim_box *vert_box, *point_box, *edge_box, *tri_box;
  struct csim_candidate_trees {
    csim_bvh point, edge, tri;
  } tree[2]; ///< of bodies, of colliders
  csim_grid grid;
  csim_pair_chunks chunks;
  csim_pair_list point_tri, edge_edge;
} csim_candidates;

/// -1 when out of memory; csim_candidates_free in any case.
int csim_candidates_create(const csim_skin *skin, csim_broad_phase broad_phase, int self,
                           double distance, csim_candidates *set);
void csim_candidates_free(csim_candidates *set);

/// Collects at x (skin->nvert x 3) with the reaches and drifts that the set holds.
/// @return 0, or -1 when out of memory: the list is then not valid
int csim_candidates_collect(csim_pool *pool, csim_candidates *set, const double *x);

/// The references have drifted by `share` of their way, and stop there: bounds of the candidates'
/// distances are taken anew, at the references.
void csim_candidates_drift(csim_pool *pool, csim_candidates *set, double share);

#endif
