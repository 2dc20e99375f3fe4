// contact/active.h: the active contacts: pairs within their contact distance, and the energies that
// push them apart. Needs contact/narrow_phase.h.
//
// E = sum over pairs of s k b(d), b the barrier of barrier.h in the pair's distance d, s its share
// (wedge.h). Shares are those where the gradient was last asked for, so that a line search from
// there sees an energy that is smooth, and whose gradient that was.
#ifndef CSIM_CONTACT_ACTIVE_H
#define CSIM_CONTACT_ACTIVE_H

#include "contact/narrow_phase.h"
#include "contact/twins.h"

/// One active pair at the evaluation point. Weights of vertices that are not free are kept for
/// positions, but such vertices take no force.
struct csim_active_contact {
  int v[4];     ///< weight 0: any; of a plane v[3] is -1 - its part
  double w[4];  ///< sum_k w_k x_k is the vector across the gap
  double n[3];  ///< unit vector across the gap
  double force; ///< [N] dE/dd, < 0
  double stiff; ///< [N/m] d2E/dd2
};

typedef struct csim_active_set {
  const csim_kinematics *kin;
  csim_reach *reach;
  csim_narrow_phase *narrow;
  const csim_contact_params *params;
  double *x;             ///< (mesh->nvert x 3) the evaluation point
  double stiffness;      ///< [N/m per kg] of contacts in this step
  double *elastic_share; ///< (mesh->npart) (0, 1] of the bodies' elasticity that contacts with a
                         ///< part are as stiff as
  int kept_valid;        ///< `kept` is of x
  int kept_of[3];        ///< versions of what it was made of
  int valid;             ///< contacts are of x
  int valid_of;          ///< kin->version then
  csim_compaction kept;  ///< of the short list, then of points and planes
  float *share;          ///< (narrow->n) of pairs on the short list; < 0: not known
  ptrdiff_t share_capacity;
  double *chunk_energy; ///< [J] of each chunk of `kept`
  ptrdiff_t energy_capacity;
  int n;
  csim_active_contact *contact; ///< (n) without twins
  ptrdiff_t capacity;
  csim_twins twins;
  int found;  ///< pairs found last, each twin counted, guides not
  int listed; ///< candidates on the list then
} csim_active_set;

/// kin, reach, narrow and params are for the caller to set.
/// @return 0, or -1 when out of memory (arena->failed); csim_active_set_free in any case
int csim_active_set_create(csim_arena *arena, csim_active_set *set);

/// Frees what the arena does not have.
void csim_active_set_free(csim_active_set *set);

/// Starts a step. Contacts keep the stiffness of the step before, if there was one, until
/// csim_active_set_stiffen: only with it are the forces of the contacts found those that held the
/// bodies. A board that starts to move makes its contacts thirty times stiffer; friction that took
/// its normal forces from there threw what lay on the board forward.
void csim_active_set_begin(csim_active_set *set);

/// Chooses the stiffnesses of this step.
void csim_active_set_stiffen(csim_active_set *set);

/// Number of three-vectors that hold the stiffnesses.
int csim_active_set_size(const csim_active_set *set);

/// Writes or takes them. (csim_active_set_size x 3), all zero: there was no step
void csim_active_set_save(const csim_active_set *set, double *stiffness);
void csim_active_set_load(csim_active_set *set, const double *stiffness);

/// Moves the evaluation point to where everything is, and nothing found before counts.
void csim_active_set_restart(csim_active_set *set);

/// Moves the evaluation point: bodies to x (mesh->nbody_vert x 3), colliders to where they are.
void csim_active_set_move(csim_active_set *set, const double *x);

/// Finds the active contacts at the evaluation point, unless they are known.
/// @return 0, or -1 when out of memory: there are none then
int csim_active_set_find(csim_active_set *set);

/// Sum of their energies [J]; < 0 when out of memory.
double csim_active_set_value(csim_active_set *set);

/// Adds the gradient of the contacts found to g (mesh->nbody_vert x 3) [N].
void csim_active_set_gradient(const csim_active_set *set, double *g);

/// Adds a contact that is not of the evaluation point alone: the next csim_active_set_find drops
/// it.
/// @return 0, or -1 when out of memory
int csim_active_set_add(csim_active_set *set, const csim_active_contact *contact);

/// The contacts are to be found again.
static inline void csim_active_set_forget(csim_active_set *set) {
  set->valid = 0;
}

/// Adds w_k times the force to the free vertices among v.
void csim_contact_add_force(const csim_kinematics *kin, const int v[4], const double w[4],
                            const double force[3], double *g);

#endif
