// contact/contact.h: contact of a step: the solver proposes a motion, the step filter shortens it.
// Needs model/, contact/collider.h.
//
// Energies push near surfaces apart, and a CCD filter shortens every motion so that nothing can
// intersect. Colliders and pins follow their motions through the same filter. The energies give
// plausible forces; the filter alone guarantees that nothing intersects. An overview of the modules
// is in contact/modules.h.
//
// What is called when, and by whom:
//
//   run             create, place at its start, ..., free                         solver/step.c
//   frame           begin_frame                                                   solver/step.c
//   step            load; of each part: begin                                     solver/step.c
//     guess         go_ahead, initial_guess, advance or advance_together          solver/guess.c
//                   find_touching                                                 solver/step.c
//     iteration     catch_up                                                      solver/newton.c
//                   update_friction, gradient                                     solver/problem.c
//       joint step  aim_pins, make_way, a system, aim_pins, go_together;          solver/joint.c
//                   then carry, hold, release where that leads nowhere
//       system      join (which bodies are left out)                              solver/idle.c
//                   find_blocks, build_blocks (or fail)                           solver/problem.c
//                   couplings, is_coupled, begin_multiply, multiply_rest          solver/linear*.c
//       step        filter or filter_together, value as often as wanted, apply    solver/problem.c
//       at its end  friction                                                      solver/problem.c
//   end of a part   failed, end, get_report                                       solver/step.c
//   end of step     save                                                          solver/step.c
//   or a part fails restore, then begin again                              solver/step.c, guess.c
//   after a step    normal_force                                                  solver/step.c
//
// An iteration is a joint step as long as colliders or pins are behind; else a system and a step.
// Methods that do not know contact propose positions: step.c calls initial_guess and advance
// towards them, then iterates newton with contact and inertia alone.
//
// What must hold:
//
// - Bodies are where the last function that moves them has put them, and the caller's x is that:
//   begin, advance, go_together, carry, release, apply.
// - apply follows filter or filter_together, with nothing between that moves or filters.
// - find_blocks is at the point of the last gradient, or of make_way, which adds to that: a value
//   at another point, or a motion, loses the active contacts. Blocks stay until the next
//   find_blocks.
// - What begin was given (x, target) stays as it is until end.
// - After a failure, which is always memory (-1, a result < 0, csim_contact_failed), the step
//   cannot go on: restore or free.
#ifndef CSIM_CONTACT_CONTACT_H
#define CSIM_CONTACT_CONTACT_H

#include "base/scratch.h"
#include "contact/collider.h"
#include "math/multigrid.h"
#include "model/model.h"

/// What contact did in a step.
typedef struct csim_contact_report {
  int active;   ///< active contacts at the end
  double lag;   ///< [m] largest distance of a kinematic vertex from its prescribed position
  int lag_part; ///< its body or collider
  int released; ///< vertices that colliders have released, see csim_contact_release
  int widened;  ///< gaps of the start were widened or pushed, see clearance.h
} csim_contact_report;

typedef struct csim_contact csim_contact;

// ------------------------------------------------------------------------------------------- a run

/// Contact for a model and its colliders in steps of length h [s], which may be divided. NULL when
/// out of memory. Arguments must outlive it.
csim_contact *csim_contact_create(csim_pool *pool, csim_scratch *scratch, const csim_model *model,
                                  int ncollider, const csim_collider *collider,
                                  const csim_contact_params *params, double h);

/// Frees it; NULL is allowed.
void csim_contact_free(csim_contact *contact);

/// Bytes that it uses, without lists that grow with the number of contacts.
size_t csim_contact_memory(const csim_contact *contact);

/// Number of three-vectors of the colliders' positions (colliders may lag), and of what contact
/// knows of vertices.
int csim_contact_kinematic_size(const csim_contact *contact);

/// Whether numbers read from outside, all finite, may be such a state. (csim_contact_kinematic_size
/// x 3)
int csim_contact_accepts(const csim_contact *contact, const double *kinematic);

/// Writes or reads them. (csim_contact_kinematic_size x 3)
void csim_contact_save(const csim_contact *contact, double *kinematic);
void csim_contact_load(csim_contact *contact, const double *kinematic);

/// The state of one model, n three-vectors, as one of another whose meshes are finer. Distances
/// begin again, released vertices stay so.
/// @param[in,out] n  its number of three-vectors
/// @return to be freed; NULL when out of memory
double *csim_contact_refine(const csim_contact_params *params, const csim_model *from,
                            const csim_model *to, const double *kinematic, int *n);

/// Moves all colliders to their prescribed positions at a time [s], without contact.
void csim_contact_place(csim_contact *contact, double time);

/// Starts a frame that ends at `end` [s], in runs that may be resumed: drops the candidate list,
/// and uses none after the frame's end. Results then depend on the state alone.
void csim_contact_begin_frame(csim_contact *contact, double end);

/// Goes back to an earlier state that csim_contact_save wrote: after this the step, or a part of
/// it, begins again. Also drops the candidate list, so that results depend on the state alone.
void csim_contact_restore(csim_contact *contact, const double *kinematic);

// ------------------------------------------------------------------------- begin and end of a step

/// Starts a step of length h [s] that ends at `time` [s]: bodies are at x and move at v (each
/// nbody_vert x 3), and exact pins are to reach `target` (model->ntarget x 3). Both x and target
/// must stay as they are until the step ends.
/// @return 0, or -1 when out of memory
int csim_contact_begin(csim_contact *contact, const double *x, const double *v,
                       const double *target, double time, double h);

/// Marks the vertices that were in contact when the step began, and those in contact with bodies at
/// x (nbody_vert x 3).
/// @param[out] touching  (nbody_vert) 1 where marked; other entries are not written
void csim_contact_find_touching(csim_contact *contact, const double *x, unsigned char *touching);

/// Ends a step for colliders: one that did not reach its goal is stuck (csim_collider_progress).
/// Measures how far colliders lag.
void csim_contact_end(csim_contact *contact);

/// What contact did since csim_contact_begin.
csim_contact_report csim_contact_get_report(const csim_contact *contact);

/// Whether memory has run out since csim_contact_begin. Energies and Hessians are incomplete then.
int csim_contact_failed(const csim_contact *contact);

/// Normal force on each vertex with bodies at x: the magnitudes of the forces of all pairs,
/// distributed by their weights. A cloth between two others is pressed from both sides. Call it
/// after a step, before the candidates are dropped. It loses the active contacts of the Hessian.
/// @param[out] force  (nbody_vert) [N] overwritten; zeros before the first step
void csim_contact_normal_force(csim_contact *contact, const double *x, double *force);

// ----------------------------------------------------------------------------------- initial guess

/// Changes an initial guess: vertices that were in contact when the step began continue at their
/// velocity v (nbody_vert x 3), not by inertia. The external forces that contact is about to cancel
/// are thus left out. At rest this guess is the solution already, sticking friction included.
void csim_contact_initial_guess(const csim_contact *contact, const double *v, double h, double *x);

/// Moves pins and mesh colliders to their goals while free vertices stay, if their path is free.
/// Not tried if it would close one of the contacts at the start of the step.
/// @return 0, or -1 when out of memory
int csim_contact_go_ahead(csim_contact *contact);

/// Moves free vertices towards goal (nbody_vert x 3; NULL: they stay), and pins and colliders
/// towards their own goals, as far as the filter allows, in a few passes. While the clock of the
/// step has not run out, everything moves together first. A goal that tears bodies to pieces (mean
/// stretch of edges above their length) is ignored. x (nbody_vert x 3) gets the result.
/// @return 0, or -1 when out of memory
int csim_contact_advance(csim_contact *contact, const double *goal, double *x);

/// As csim_contact_advance, but moves all vertices by one common share of their ways to goal, then
/// pins and colliders alone.
int csim_contact_advance_together(csim_contact *contact, const double *goal, double *x);

// --------------------------------------------------------------------------------------- potential

/// Takes `share` of the normal forces of friction at x, and the rest of those before, from here on.
void csim_contact_update_friction(csim_contact *contact, const double *x, double share);

/// Finds the active contacts with bodies at x, keeps them for the Hessian, and adds the gradient of
/// contact and friction to g (nbody_vert x 3) [N].
void csim_contact_gradient(csim_contact *contact, const double *x, double *g);

/// Energy [J] of contact and friction with bodies at x.
double csim_contact_value(csim_contact *contact, const double *x);

/// The gradient of friction alone, with other normal forces: of_limit times those that it has, and
/// of_change times the change that the last csim_contact_update_friction took a share of. With
/// of_change = 1 - share, of_limit = 1 gives friction with all of the normal forces, and 0 what it
/// lacks of that.
/// @param[out] g  (nbody_vert x 3) [N] overwritten
void csim_contact_friction(csim_contact *contact, const double *x, double of_limit,
                           double of_change, double *g);

/// Joins the bodies of each active contact of the last gradient.
/// @param[in,out] set  (nbody) disjoint sets of bodies, base/disjoint.h
void csim_contact_join(const csim_contact *contact, int *set);

// ----------------------------------------------------------------------------------------- Hessian

/// Begins the Gauss-Newton Hessian at the point of the last gradient: finds the vertices of its
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

/// Records that the caller ran out of memory: there are no blocks then.
void csim_contact_fail(csim_contact *contact);

/// Lists the blocks built that couple free vertices.
/// @return 0, or -1 when out of memory: none are listed
int csim_contact_couplings(const csim_contact *contact, csim_couplings *couplings);

/// Whether blocks couple free vertices, so that there are blocks off the diagonal.
int csim_contact_is_coupled(const csim_contact *contact);

/// A loop to be run before csim_contact_multiply_rest with the same x (nbody_vert x 3): it can go
/// beside another.
csim_loop csim_contact_begin_multiply(csim_contact *contact, const double *x);

/// y += (the blocks without their diagonal) x.
/// @return x . (what was added)
double csim_contact_multiply_rest(csim_pool *pool, const csim_contact *contact, const double *x,
                                  double *y);

// ----------------------------------------------------------------------------------- step limiting

/// Buffer for a step of the solver (nbody_vert x 3), which csim_contact_filter then takes without
/// copying. Every other function that moves something overwrites it.
double *csim_contact_displacements(const csim_contact *contact);

/// Shortens the displacements d (nbody_vert x 3; may be csim_contact_displacements) of free
/// vertices from their current positions; those of other vertices become 0. Every common multiple
/// alpha in [0, 1] of the result is then safe.
/// @return smallest share accepted, [0, 1]; < 0 when out of memory
double csim_contact_filter(csim_contact *contact, double *d);

/// The same, but shortens all displacements by one common share. resolves: first corrects them
/// where pairs would stop them (contact/resolve.h).
/// @return the share; < 0 when out of memory
double csim_contact_filter_together(csim_contact *contact, int resolves, double *d);

/// Moves by alpha times the displacements that csim_contact_filter returned last. x (nbody_vert x
/// 3) gets the result.
void csim_contact_apply(csim_contact *contact, double alpha, double *x);

// --------------------------------------------------------------------- colliders and pins that lag

/// If pins or planes are not at their goals: moves them there as far as bodies permit, which stay.
/// x (nbody_vert x 3), where bodies are, gets the result.
/// @return 0, or -1 when out of memory
int csim_contact_catch_up(csim_contact *contact, double *x);

/// Whether some exact pin is held back, and may still get to its target in this step.
int csim_contact_pins_are_behind(const csim_contact *contact);

/// Whether some collider is not at its goal yet, and may still get there in this step.
int csim_contact_colliders_are_behind(const csim_contact *contact);

/// Whether some collider that was on time when the step began is not at its prescribed position
/// now.
int csim_contact_colliders_fall_behind(const csim_contact *contact);

/// Sets d (nbody_vert x 3) of exact pins: the way to their targets if they are behind, else 0. Pins
/// that have been stuck go by one share of it, none farther than `most` [m].
void csim_contact_aim_pins(const csim_contact *contact, double most, double *d);

/// Makes way for colliders that lag. Suppose that bodies move by d (nbody_vert x 3) and colliders
/// all their way: every pair that would come nearer than most of a contact distance gets a spring
/// that holds it there. The springs join the contacts of the last gradient and the next Hessian;
/// their gradient is added to g.
/// @return [m] the fastest approach of such a pair; < 0 when out of memory
double csim_contact_make_way(csim_contact *contact, const double *d, double *g);

/// Moves bodies by d (nbody_vert x 3, not csim_contact_displacements), which is corrected where
/// pairs would stop it (contact/resolve.h) and can be, and colliders towards their goals. All move
/// by one share of their way, at most `most`, as far as nothing comes too near. x (nbody_vert x 3)
/// gets the result.
/// @return the share, [0, 1]; < 0 when out of memory
double csim_contact_go_together(csim_contact *contact, double most, double *d, double *x);

/// Moves colliders towards their goals and carries bodies along, see contact/carry.h. All move by
/// one share of their way, as far as nothing comes too near. x (nbody_vert x 3), where bodies are,
/// gets the result.
/// @return the share, [0, 1]; < 0 when out of memory
double csim_contact_carry(csim_contact *contact, double *x);

/// Holds what stops joint steps in which bodies move by d (nbody_vert x 3): colliders that are
/// blocked stay where they are for the rest of the step, and others that lag can move on.
/// @return how many are held now; 0 also where colliders release cloth; -1 when out of memory
int csim_contact_hold(csim_contact *contact, const double *d);

/// Lagging colliders that cannot advance release the cloth in their way, if the scene asks for that
/// (csim_contact_params.pinched). They release what stops them while bodies move by d (nbody_vert x
/// 3). If nothing does, or d is NULL, they release everything in their way and move on. Bodies stay
/// where they are; x (nbody_vert x 3) gets their positions.
/// @return 1 if released, 0 if the scene does not ask for it, -1 when out of memory
int csim_contact_release(csim_contact *contact, const double *d, double *x);

#endif
