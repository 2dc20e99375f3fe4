// contact/contact.h: contact of a step: the solver proposes, the step filter disposes. Needs
// model/, contact/collider.h.
//
// Energies push apart what is near, and a filter shortens every motion so that nothing can
// intersect; colliders and pins follow their motions through the same filter. The energies make it
// look right, the filter alone makes it safe. How it is done: contact/modules.h.
#ifndef CSIM_CONTACT_CONTACT_H
#define CSIM_CONTACT_CONTACT_H

#include "base/scratch.h"
#include "contact/collider.h"
#include "model/model.h"

/// What contact did in a step.
typedef struct csim_contact_report {
  int active;     ///< active contacts at the end
  int candidates; ///< on the list at the end
  int collected;  ///< times the list was made or updated
  int shortened;  ///< vertices whose last motion was shortened
  double least;   ///< smallest share of the last motion that was let through
  double lag;     ///< [m] largest distance of a collider's or pin's vertex from where it should be
  int lag_part;   ///< the body or collider of that
  int let_go;     ///< vertices that colliders have let go, see csim_contact_let_go
} csim_contact_report;

typedef struct csim_contact csim_contact;

// --------------------------------------------------------------------------------- life and state

/// Contact for a model and its colliders. NULL when out of memory. Arguments must outlive it.
csim_contact *csim_contact_create(csim_pool *pool, csim_scratch *scratch, const csim_model *model,
                                  int ncollider, const csim_collider *collider,
                                  const csim_contact_params *params);

/// Frees it; NULL is allowed.
void csim_contact_free(csim_contact *contact);

/// Bytes that it has, without lists that grow with the number of contacts.
size_t csim_contact_memory(const csim_contact *contact);

/// Number of three-vectors that say where the colliders are (they may lag).
int csim_contact_kinematic_size(const csim_contact *contact);

/// Writes or takes them. (csim_contact_kinematic_size x 3)
void csim_contact_save(const csim_contact *contact, double *kinematic);
void csim_contact_load(csim_contact *contact, const double *kinematic);

/// Puts all colliders where their motions have them at a time [s], wherever they were.
void csim_contact_place(csim_contact *contact, double time);

/// Drops the list of candidates. What follows then depends on the state alone: call it after going
/// back in time.
void csim_contact_forget(csim_contact *contact);

/// The same where runs may be resumed: a frame begins, and no list is used after its end [s].
void csim_contact_begin_frame(csim_contact *contact, double end);

// ----------------------------------------------------------------------------------------- a step

/// Starts a step of length h [s] that ends at `time` [s]: bodies stand at x and move at v (each
/// nbody_vert x 3), and exact pins are to reach `target` (model->ntarget x 3). Both x and target
/// must stay as they are until the step ends.
/// @return 0, or -1 when out of memory
int csim_contact_begin(csim_contact *contact, const double *x, const double *v,
                       const double *target, double time, double h);

/// Changes an initial guess: what was in contact when the step began goes on at its velocity v
/// (nbody_vert x 3) instead of by its inertia, that is, without the outer forces that contact is
/// about to cancel. At rest that is the answer already, sticking friction included.
void csim_contact_initial_guess(const csim_contact *contact, const double *v, double h, double *x);

/// Marks the vertices that were in contact when the step began, and those that are with bodies at x
/// (nbody_vert x 3).
/// @param[out] touching  (nbody_vert) 1 where marked, the others are left alone
void csim_contact_find_touching(csim_contact *contact, const double *x, unsigned char *touching);

/// Ends a step for colliders: those that did not get to their goals wait a few steps. Measures how
/// far they lag.
void csim_contact_end(csim_contact *contact);

/// What was done since csim_contact_begin.
csim_contact_report csim_contact_get_report(const csim_contact *contact);

/// Whether memory has run out since csim_contact_begin: energies and Hessians were not whole then.
int csim_contact_failed(const csim_contact *contact);

/// Memory has run out for what was asked of contact: there are no blocks.
void csim_contact_fail(csim_contact *contact);

// ----------------------------------------------------------------------------------------- motion

/// Moves free vertices towards goal (nbody_vert x 3; NULL: they stay) and pins and colliders
/// towards theirs, as far as the filter lets them, in a few passes. While the step's clock has not
/// run out, all goes together first. x (nbody_vert x 3) gets the result.
/// @return 0, or -1 when out of memory
int csim_contact_advance(csim_contact *contact, const double *goal, double *x);

/// Moves pins and colliders of triangles to their goals while free vertices stay, if nothing is in
/// their way.
/// @return 0, or -1 when out of memory
int csim_contact_go_ahead(csim_contact *contact);

/// As csim_contact_advance, but all vertices by one share of their ways to goal, then pins and
/// colliders alone.
int csim_contact_advance_together(csim_contact *contact, const double *goal, double *x);

/// Whether some pin or plane is not at its goal yet.
int csim_contact_lags(csim_contact *contact);

/// Whether some collider is not at its goal yet, and may still get there in this step.
int csim_contact_is_behind(const csim_contact *contact);

/// Whether some collider that was on time when the step began is not where its motion has it.
int csim_contact_falls_behind(const csim_contact *contact);

/// Makes way for colliders that are behind: every pair that would come nearer than one contact
/// distance, were bodies to move by d (nbody_vert x 3) and colliders all their way, gets a stiff
/// spring that holds it there, among the contacts of the last gradient. Their gradient is added to
/// g, and they join the next Hessian.
/// @param first  the first of two rounds; in the second d comes from springs of the first
/// @return [m] the fastest approach of such a pair; < 0 when out of memory
double csim_contact_make_way(csim_contact *contact, const double *d, int first, double *g);

/// Moves bodies by d (nbody_vert x 3, not csim_contact_displacements) and colliders to their goals,
/// all by one share of their way, `most` or less, as far as nothing comes too near. x (nbody_vert x
/// 3) gets the result.
/// @return the share, [0, 1]; < 0 when out of memory
double csim_contact_go_together(csim_contact *contact, const double *d, double most, double *x);

/// Colliders that are behind and do not get on let go of what is in their way, if the scene wants
/// that (csim_contact_params.pinched): of what stops them while bodies move by d (nbody_vert x 3);
/// where that is nothing, and with d NULL, of all that is in their way, and they go it. Bodies stay
/// where they are; x (nbody_vert x 3) gets that.
/// @return 1 when they have, 0 when the scene does not want it, -1 when out of memory
int csim_contact_let_go(csim_contact *contact, const double *d, double *x);

/// Room for a step of the solver (nbody_vert x 3), which csim_contact_filter then takes without
/// copying. Every other function that moves something overwrites it.
double *csim_contact_displacements(const csim_contact *contact);

/// Shortens the displacements d (nbody_vert x 3; may be csim_contact_displacements) of free
/// vertices from where they are; those of others become 0. Every common multiple alpha in [0, 1] of
/// the result is then safe.
/// @return smallest share let through, [0, 1]; < 0 when out of memory
double csim_contact_filter(csim_contact *contact, double *d);

/// Moves by alpha times the displacements that csim_contact_filter returned last. x (nbody_vert x
/// 3) gets the result.
void csim_contact_apply(csim_contact *contact, double alpha, double *x);

// ---------------------------------------------------------------------------------------- energies

/// Energy [J] of contact and friction with bodies at x.
double csim_contact_value(csim_contact *contact, const double *x);

/// Adds its gradient [N] to g (nbody_vert x 3) and keeps the active contacts for the Hessian.
void csim_contact_gradient(csim_contact *contact, const double *x, double *g);

/// Normal force on each vertex with bodies at x: the sizes of the forces of all pairs, shared out
/// by their weights. A cloth between two others is pressed from both sides. To be called after a
/// step, before the candidates are dropped; the Hessian's active contacts are lost.
/// @param[out] force  (nbody_vert) [N] overwritten; zeros before the first step
void csim_contact_normal_force(csim_contact *contact, const double *x, double *force);

/// Begins the Gauss-Newton Hessian at the place of the last gradient: finds the vertices of its
/// blocks.
/// @param[out] place  (nbody_vert) 0 for the free vertices that blocks lie on, the others are left
///                    alone; NULL: not wanted
/// @return 0, or -1 when out of memory: csim_contact_failed, and there are no blocks
int csim_contact_find_blocks(csim_contact *contact, int *place);

/// Builds the blocks found, adds their diagonals to val, and keeps the rest for
/// csim_contact_multiply_rest.
/// @param place  (nbody_vert) of a vertex's diagonal block among val, where blocks lie on it
/// @param val    (blocks x 9); NULL: added to nothing
void csim_contact_build_blocks(csim_contact *contact, const int *place, double *val);

/// Whether blocks couple free vertices, so that their diagonals are not all of them.
int csim_contact_is_coupled(const csim_contact *contact);

/// y += (the blocks without their diagonal) x.
/// @return x . (what was added)
double csim_contact_multiply_rest(csim_pool *pool, const csim_contact *contact, const double *x,
                                  double *y);

#endif
