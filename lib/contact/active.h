// contact/active.h: the active contacts: pairs within their contact distance, and the energies that
// push them apart. Needs contact/narrow_phase.h, barrier_stiffness.h.
//
// E = sum over terms of s (k b(d) + K B(d)), where b and B are barriers of barrier.h, a soft one
// from the contact distance on and a hard one in its inner part, d is the distance of a term and s
// how often it counts (terms.h). Shares of pairs of edges are those of the last gradient. A line
// search from there thus sees the energy whose gradient it was given.
#ifndef CSIM_CONTACT_ACTIVE_H
#define CSIM_CONTACT_ACTIVE_H

#include "contact/barrier_stiffness.h"
#include "contact/narrow_phase.h"
#include "contact/twins.h"

/// A term of an active pair at the evaluation point. Weights of vertices that are not free are kept
/// for positions, but such vertices take no force.
struct csim_active_contact {
  int v[4];     ///< weight 0: any; of a plane v[3] is -1 - its part
  double w[4];  ///< sum_k w_k x_k is the vector across the gap
  double n[3];  ///< unit vector across the gap
  double force; ///< [N] dE/dd, < 0
  double stiff; ///< [N/m] d2E/dd2
};

/// Sums over a chunk of active pairs.
typedef struct csim_active_chunk {
  double energy;    ///< [J]
  int terms, first; ///< how many; the number of its first contact before twins are merged
} csim_active_chunk;

typedef struct csim_active_set {
  const csim_kinematics *kin;
  csim_reach *reach;
  csim_narrow_phase *narrow;
  const csim_contact_params *params;
  double *x; ///< (mesh->nvert x 3) the evaluation point
  csim_barrier_stiffness stiffness;
  int version;          ///< kin->version that `kept` and contacts are of
  int colliders_at;     ///< kin->version that x of colliders is of; -1: none
  int kept_valid;       ///< `kept` is of x
  int kept_of[2];       ///< versions of the lists that it refers to
  int valid;            ///< contacts are of x
  csim_compaction kept; ///< of the short list, then of points and planes
  float *share;         ///< (narrow->n) of pairs of edges on the short list; < 0: not known
  ptrdiff_t share_capacity;
  csim_active_chunk *chunk; ///< of `kept`
  ptrdiff_t chunk_capacity;
  int n;
  int nfound;                   ///< those of pairs and planes; what others added follows
  csim_active_contact *contact; ///< (n) without twins
  ptrdiff_t capacity;
  csim_twins twins;
  int found; ///< number of pairs found last; planes' are counted, guides are not
} csim_active_set;

/// The caller sets kin, reach, narrow, params, and what stiffness needs.
/// @return 0, or -1 when out of memory (arena->failed); csim_active_set_free in any case
int csim_active_set_create(csim_arena *arena, csim_active_set *set);

/// Frees what is not in the arena.
void csim_active_set_free(csim_active_set *set);

/// Starts a step. Contacts keep the stiffness of the previous step, if any, until
/// csim_active_set_stiffen: the forces of the contacts found are those that held the bodies only at
/// that stiffness. When a board starts to move, its contacts become about three times stiffer.
/// Friction with normal forces at the new stiffness threw off what lay on it.
void csim_active_set_begin(csim_active_set *set);

/// Chooses the stiffnesses of this step.
void csim_active_set_stiffen(csim_active_set *set);

/// Reads stiffnesses that csim_barrier_stiffness_save wrote.
void csim_active_set_load(csim_active_set *set, const double *stiffness);

/// Moves the evaluation point: bodies to x (mesh->nbody_vert x 3), colliders to where they are.
void csim_active_set_move(csim_active_set *set, const double *x);

/// Finds the active contacts at the evaluation point, unless they are known.
/// @return 0, or -1 when out of memory: there are none then
int csim_active_set_find(csim_active_set *set);

/// Sum of their energies [J]. It may be negative: terms that count too often are subtracted
/// (terms.h), and where surfaces start nearer than the contact distance, not all have one reach.
/// @return 0, or -1 when out of memory
int csim_active_set_value(csim_active_set *set, double *sum);

/// Adds the gradient of the contacts found to g (mesh->nbody_vert x 3) [N].
void csim_active_set_gradient(const csim_active_set *set, double *g);

/// Adds a contact that does not depend on the evaluation point alone. The next csim_active_set_find
/// drops it.
/// @return 0, or -1 when out of memory
int csim_active_set_add(csim_active_set *set, const csim_active_contact *contact);

/// Drops the contacts found, so that the next csim_active_set_find searches again.
static inline void csim_active_set_forget(csim_active_set *set) {
  set->valid = 0;
}

/// Adds w_k times the force to the free vertices among v.
void csim_contact_add_force(const csim_kinematics *kin, const int v[4], const double w[4],
                            const double force[3], double *g);

#endif
