// contact/contact.h: guaranteed contact: solvers propose, one filter disposes. Needs model/,
// contact/candidates.h.
//
// Three things that do not know of each other: smooth energies push apart what is near (terms.c,
// friction.c); the filter shortens every motion so that nothing can pass through anything (move.c);
// and colliders and pins follow their schedule through the same filter (schedule.c). The energies
// make it look right, the filter alone makes it safe.
#ifndef CSIM_CONTACT_CONTACT_H
#define CSIM_CONTACT_CONTACT_H

#include "contact/candidates.h"
#include "contact/compaction.h"
#include "math/bsr.h"
#include "math/vec3.h"

#include <stdatomic.h>

/// Nothing comes nearer than this share of the thickness; the energies grow without bound towards
/// it.
#define CSIM_CONTACT_FLOOR 0.1

/// Where a solver starts from, nothing is pressed together beyond this share of the thickness: deep
/// in the barrier forces are so large that the first steps would go to undoing them.
#define CSIM_CONTACT_CUSHION 0.5

/// One active pair at the place where the energies were evaluated last. Weights of vertices that
/// are not free are kept for positions, but such vertices take no force.
typedef struct csim_contact_term {
  int v[4];     ///< weight 0: any
  double w[4];  ///< sum_k w_k x_k is the vector across the gap
  double n[3];  ///< unit vector across the gap
  double force; ///< [N] dE/dd, < 0
  double stiff; ///< [N/m] d2E/dd2
} csim_contact_term;

/// Friction of one pair, lagged: its place and its limit are those at the start of the step.
typedef struct csim_friction_term {
  int v[4];
  double w[4];
  double n[3];
  double start[3]; ///< [m] sum_k w_k x_k then
  double limit;    ///< [N] mu times the normal force
  double B[9];     ///< [N/m] second derivative in the slip, of the last Hessian
} csim_friction_term;

/// The half-space n.x >= offset is free.
typedef struct csim_contact_plane {
  const csim_collider *collider;
  int part;
  double n[3], offset;           ///< where it is
  double goal_n[3], goal_offset; ///< where it is meant to be at the end of the step
  double n0[3], offset0;         ///< at the start of the run
} csim_contact_plane;

/// What contact did in a step.
typedef struct csim_contact_report {
  int terms;      ///< active pairs at the end
  int candidates; ///< on the list at the end
  int collected;  ///< times the list was made or renewed in part
  int shortened;  ///< vertices whose last proposal was shortened
  double least;   ///< smallest share of the last proposal that was let through
  double lag;     ///< [m] largest distance of a collider's or pin's vertex from where it should be
  int lag_part;   ///< the body or collider of that
} csim_contact_report;

typedef struct csim_contact {
  csim_arena arena; ///< of the arrays per vertex
  csim_pool *pool;
  csim_scratch *scratch; ///< of searching and screening
  const csim_model *model;
  csim_contact_params params;
  csim_collision_mesh mesh;
  csim_candidates near;
  int nplane;
  csim_contact_plane *plane; ///< (nplane)
  int ncollider;
  const csim_collider *collider;
  double *reached;             ///< (ncollider) [s] the time whose place each collider stands at
  double *goal_time;           ///< (ncollider) [s] and is to reach in this step
  int *stuck;                  ///< (ncollider) steps since it could not go on, 0: it could
  unsigned char *scheduled;    ///< (mesh.nvert) follows a schedule: collider, or exact pin
  double edge;                 ///< [m] mean length of a body's edges
  double h;                    ///< [s] of this step
  double now;                  ///< [s] when it began
  double frame_end;            ///< [s] no list is used after that
  double stiffness;            ///< [N/m per kg] of contacts in it
  double *press;               ///< (mesh.npart) (0, 1] how far a collider has to go in this step,
                               ///< 1 from one contact distance on
  double slip;                 ///< [m] friction is whole from this slip in a step on
  double *x;                   ///< (mesh.nvert x 3) where everything is
  const double *body_start;    ///< (mesh.nbody_vert x 3) where bodies were when the step began
  double *collider_start;      ///< (mesh.nvert - mesh.nbody_vert x 3) and colliders
  unsigned char *touching;     ///< (mesh.nbody_vert) was in contact then
  const double *target;        ///< (model->ntarget x 3) where pins are meant to be
  double *goal;                ///< (mesh.nvert - mesh.nbody_vert x 3) and colliders
  double *look;                ///< (mesh.nvert x 3) where energies are evaluated
  double time_left;            ///< [s] of the step that the clock has not gone through yet
  int marked;                  ///< active candidates are those at `look`
  int seen;                    ///< the terms are too
  double *d;                   ///< (mesh.nvert x 3) the motion being filtered
  float *moved;                ///< (mesh.nvert) [m] largest distance from the reference, rounded up
  float *item_moved;           ///< [m] the same of points, then edges, then triangles, rounded up;
                               ///< while they are screened
  _Atomic unsigned char *held; ///< (mesh.nvert) takes no part in the glide
  _Atomic uint64_t *share;     ///< (mesh.nvert) bits of the share of d let through; while pairs
                               ///< are filtered
  // the brief list: candidates that may matter in this step, see screen.c
  int nbrief, brief_holds;
  int *brief;         ///< (nbrief) places on the list
  csim_compaction chosen; ///< of all candidates
  float *allowed;     ///< (mesh.nvert) [m] largest `moved` for which the list holds
  double brief_until; ///< [s] of the clock
  // terms
  csim_compaction active;   ///< of the brief list, then of points and planes
  double *chunk_energy; ///< [J] of each of its chunks
  int nterm, nfriction;
  csim_contact_term *term;      ///< (nterm)
  csim_friction_term *friction; ///< (nfriction)
  // the Hessian: blocks are those of terms, then of friction, see terms.c
  int ncoupled;           ///< blocks that couple free vertices
  unsigned char *corners; ///< (nterm + nfriction) a bit for each corner that is free, of those
  double *product;        ///< (nterm + nfriction x 3) B w x of each block; or friction's forces
  int ntouched;
  int *touched;       ///< (ntouched) free vertices in blocks
  int *touched_start; ///< (ntouched + 1) into around
  int *touched_row;   ///< (mesh.nbody_vert) place in touched
  double *diag;       ///< (ntouched x 9) what the blocks add to the diagonal
  ptrdiff_t naround;
  int *around; ///< (naround) block and corner: 4 block + corner
  ptrdiff_t brief_room, energy_room, term_room, friction_room, corner_room, product_room,
      touched_room, touched_start_room, diag_room, around_room;
  int failed; ///< out of memory
  csim_contact_report report;
} csim_contact;

/// Contact for a model and its colliders. NULL when out of memory. Arguments must outlive it.
csim_contact *csim_contact_create(csim_pool *pool, csim_scratch *scratch, const csim_model *model,
                                  int ncollider, const csim_collider *collider,
                                  const csim_contact_params *params);
void csim_contact_free(csim_contact *contact);
size_t csim_contact_memory(const csim_contact *contact);

/// Coefficient of friction [-] between parts a and b (bodies, then colliders): what the scene says
/// about the two, else the smaller of their own.
double csim_contact_coefficient(const csim_contact_params *params, const csim_model *model,
                                const csim_collider *collider, int a, int b);

/// Number of three-vectors that tell where the colliders really are (they may lag).
int csim_contact_kinematic_size(const csim_contact *contact);

/// Writes or takes them. (csim_contact_kinematic_size x 3)
void csim_contact_save(const csim_contact *contact, double *kinematic);
void csim_contact_load(csim_contact *contact, const double *kinematic);

/// Puts all colliders where they are meant to be at a time [s], wherever they were.
void csim_contact_place(csim_contact *contact, double time);

/// Forgets the list of candidates. What follows then depends on the state alone: call it where runs
/// may be resumed, and after going back in time.
void csim_contact_forget(csim_contact *contact);

/// Starts a step of length h [s] that ends at `time` [s]: bodies stand at x and move at v (each
/// nbody_vert x 3), and exact pins are to reach `target` (model->ntarget x 3). Both x and target
/// must stay as they are until the step ends.
/// @return 0, or -1 when out of memory
int csim_contact_begin(csim_contact *contact, const double *x, const double *v,
                       const double *target, double time, double h);

/// Changes a start that solvers are to iterate from: what was in contact when the step began goes
/// on at its velocity v (nbody_vert x 3) instead of by its inertia, that is, without the outer
/// forces that contact is about to cancel. At rest that is the answer already, sticking friction
/// included.
void csim_contact_calm_start(const csim_contact *contact, const double *v, double h, double *start);

/// Marks the vertices that were in contact when the step began, and those that are with bodies at x
/// (nbody_vert x 3).
/// @param[out] touching  (nbody_vert) 1 where marked, the others are left alone
void csim_contact_find_touching(csim_contact *contact, const double *x, unsigned char *touching);

/// Moves free vertices towards goal (nbody_vert x 3; NULL: they stay) and pins and planes towards
/// theirs, as far as the filter lets them, in a few passes. While the step's clock has not run out,
/// all goes together first, colliders too. `x` (nbody_vert x 3) gets the result.
/// @return 0, or -1 when out of memory
int csim_contact_advance(csim_contact *contact, const double *goal, double *x);

/// Whether some pin or plane is not where it is meant to be yet; report.lag then tells of all.
int csim_contact_lags(csim_contact *contact);

/// Whether some collider is not yet where it is to be, and may still get there in this step.
int csim_contact_is_behind(const csim_contact *contact);

/// Makes way for colliders that are behind: every pair that would come nearer than one contact
/// distance, were bodies to move by d (nbody_vert x 3) and colliders all their way, gets a stiff
/// spring that holds it there, among the terms of the last gradient. Their gradient is added to g,
/// and they join the next Hessian.
/// @param first  the first of two rounds; in the second d comes from springs of the first
/// @return [m] the fastest approach of such a pair; < 0 when out of memory
double csim_contact_make_way(csim_contact *contact, const double *d, int first, double *g);

/// Moves bodies by d (nbody_vert x 3) and colliders to where they are to be, all by one share of
/// their way, as far as nothing comes too near. x (nbody_vert x 3) gets the result.
/// @return the share, [0, 1]; < 0 when out of memory
double csim_contact_go_together(csim_contact *contact, const double *d, double *x);

/// Ends a step for colliders: those that did not get to their goals wait a few steps.
void csim_contact_give_up(csim_contact *contact);

/// Shortens the displacements d (nbody_vert x 3; may be contact->d) of free vertices from where
/// they are; those of others become 0. Every common multiple alpha in [0, 1] of the result is then
/// safe.
/// @return smallest share let through, [0, 1]; < 0 when out of memory
double csim_contact_filter(csim_contact *contact, double *d);

/// Moves by alpha times the displacements that csim_contact_filter returned last. x (nbody_vert x
/// 3) gets the result.
void csim_contact_apply(csim_contact *contact, double alpha, double *x);

/// Energy [J] of contact and friction with bodies at x.
double csim_contact_value(csim_contact *contact, const double *x);

/// Adds its gradient [N] to g (nbody_vert x 3) and keeps the active pairs for the Hessian.
void csim_contact_gradient(csim_contact *contact, const double *x, double *g);

/// How hard contact presses on each vertex with bodies at x: the sizes of the normal forces of all
/// pairs, shared out by their weights. A cloth between two others is pressed from both sides. To be
/// called after a step, before the candidates are forgotten; the Hessian's active pairs are lost.
/// @param[out] force  (nbody_vert) [N] overwritten; zeros before the first step
void csim_contact_press(csim_contact *contact, const double *x, double *force);

/// Begins the Gauss-Newton Hessian at the place of the last gradient: finds the vertices of its
/// blocks.
/// @param[out] place  (nbody_vert) 0 for the free vertices that blocks lie on, the others are left
///                    alone; NULL: not wanted
/// @return 0, or -1 when out of memory: contact->failed, and all places are -1
int csim_contact_find_blocks(csim_contact *contact, int *place);

/// Builds the blocks found, adds their diagonals to val, and keeps the rest for
/// csim_contact_multiply_rest.
/// @param place  (nbody_vert) of a vertex's diagonal block among val, where blocks lie on it
/// @param val    (blocks x 9); NULL: added to nothing
void csim_contact_hessian(csim_contact *contact, const int *place, double *val);

/// y += (the blocks without their diagonal) x.
void csim_contact_multiply_rest(csim_pool *pool, const csim_contact *contact, const double *x,
                                double *y);

// ------------------------------------------------------------------ rooms of contact/, not for
// others

/// Fills contact->d: free vertices towards goal (NULL: they stay), the scheduled towards theirs.
void csim_contact_aim(csim_contact *contact, const double *goal);

/// Moves what can move all at once, see glide.c. @return 0, or -1 when out of memory
int csim_contact_glide(csim_contact *contact, const double *goal);

/// Lowers one of contact->share: atomically, and in no need of order.
void csim_contact_lower(_Atomic uint64_t *share, double t);

/// Collects all pairs at contact->x, bodies and colliders being about to move by contact->d in this
/// step. @return 0, or -1 when out of memory
int csim_contact_collect(csim_contact *contact);

/// Renews the references and pairs of vertices that would leave their reach by moving by contact->d
/// while the clock goes on by `time` [s], and writes how far each may come from its reference into
/// contact->moved. @return 0, or -1 when out of memory
int csim_contact_cover(csim_contact *contact, double time);

/// Filters contact->d in place, pairs keeping `keep` times their contact distance (those nearer
/// stay as near). @return smallest share let through; < 0 when out of memory
double csim_contact_truncate(csim_contact *contact, double keep);

/// Adds contact->d times alpha to contact->x.
void csim_contact_displace(csim_contact *contact, double alpha);

/// Whether every vertex is within its reach of its reference, to rounding: what every list of
/// candidates rests on. Asserted after each displacement.
int csim_contact_is_covered(const csim_contact *contact);

/// Largest distance of each vertex at x (mesh.nvert x 3) from its reference, into contact->moved.
void csim_contact_measure(csim_contact *contact, const double *x);

/// A float that is no smaller than x >= 0.
static inline float csim_contact_round_up(double x) {
  return (float)(x * (1 + 1e-6));
}

/// Number i of the brief list.
static inline const csim_candidate *csim_contact_brief(const csim_contact *contact, int i) {
  return &contact->near.list[contact->brief[i]];
}

/// Room for screening and filtering in contact->scratch. @return 0, or -1 when out of memory
int csim_contact_reserve_screen(csim_contact *contact);

/// Prepares to tell which candidates may come nearer than `distance` [m], at most the thickness, on
/// their way (mesh.nvert x 3, NULL: none) from x (mesh.nvert x 3), and use up more than
/// CSIM_FILTER_SHARE of their room; `alone`: though each vertex may stop anywhere. Only those on
/// contact->brief can. contact->moved must cover the way. What it needs joins what the caller has
/// begun in contact->scratch.
/// @return 0, or -1, and contact->failed, when out of memory
int csim_contact_begin_screen(csim_contact *contact, const double *x, const double *way, int alone,
                              double distance);

/// Flags those of contact->brief, first .. last - 1, at most CSIM_COMPACTION_CHUNK, that may, and are
/// worth an exact look, while the clock goes on by `time`.
/// @param[out] flag  (last - first)
void csim_contact_screen(const csim_contact *contact, int first, int last, double time,
                         unsigned char *flag);

/// Finds the active pairs at contact->look, unless they are known.
void csim_contact_find_terms(csim_contact *contact);

/// Makes room for n of contact->product. @return 0, or -1, and contact->failed, when out of memory
int csim_contact_grow_product(csim_contact *contact, int n);

/// Sum of the energies of pairs at contact->look [J].
double csim_contact_terms_value(csim_contact *contact);

/// Friction for the present terms.
void csim_contact_lag_friction(csim_contact *contact);
double csim_contact_friction_value(csim_contact *contact);

/// Gradient (3) and Hessian B of one friction term's energy in the slip at contact->look.
void csim_contact_friction_force(const csim_contact *contact, const csim_friction_term *f,
                                 double force[3], double B[9]);

/// Where colliders and planes are meant to be at a time [s].
void csim_contact_schedule(csim_contact *contact, double time);

/// A collider whose place depends on the time, of triangles.
static inline int csim_contact_moves(const csim_collider *collider) {
  return collider->mesh && collider->shape != CSIM_COLLIDER_PLANE &&
         (collider->motion.nkey > 0 || collider->nframe > 1);
}

/// Whether collider k does not try to go on in this step: once stuck it tries every few steps only,
/// as what is squeezed stays so for long.
int csim_contact_waits(const csim_contact *contact, int k);

/// contact->d of colliders: their way to where they are at a share of the time to their goals.
void csim_contact_aim_colliders(csim_contact *contact, double share);

/// Moves all by one share of contact->d, which holds the ways of bodies and pins; colliders go as
/// far in time. @return the share; < 0 when out of memory
double csim_contact_glide_all(csim_contact *contact);

/// Smallest share of contact->d that keeps every vertex within its reach.
double csim_contact_reach_share(csim_contact *contact);

/// How far colliders have to go to where they are meant to be, into contact->press.
void csim_contact_measure_ways(csim_contact *contact);

/// Moves the planes as far as the bodies leave room.
void csim_contact_advance_planes(csim_contact *contact);

/// Contact distance and floor of a vertex against a plane: share by its distance at the start.
double csim_contact_plane_scale(const csim_contact *contact, const csim_contact_plane *plane,
                                int vert);

static inline const double *csim_contact_start(const csim_contact *contact, int v) {
  int nbody = contact->mesh.nbody_vert;
  return v < nbody ? contact->body_start + 3 * (ptrdiff_t)v
                   : contact->collider_start + 3 * ((ptrdiff_t)v - nbody);
}

static inline int csim_contact_is_free(const csim_contact *contact, int v) {
  return v < contact->mesh.nbody_vert && !contact->scheduled[v];
}

#endif
