// contact/kinematics.h: positions of everything in a step, and goals of colliders and pins. Needs
// contact/planes.h.
//
// Kinematic vertices, those of colliders and exact pins, follow a motion, but contact may hold them
// back. Every collider therefore has its own time: it is at its motion's position of that time, and
// moves on when its path is free. One that cannot move on, but is where its motion is now except
// for an offset, follows its motion at that offset. Two fingers close on cloth farther than it
// permits, and then carry it: their offsets are what they could not close. Where there is room
// offsets are reduced. Free vertices, those of bodies that are not pinned, are moved by the solver.
#ifndef CSIM_CONTACT_KINEMATICS_H
#define CSIM_CONTACT_KINEMATICS_H

#include "contact/planes.h"

/// Whether a collider tries to reach its goal in a step.
typedef enum csim_collider_attempt {
  CSIM_ATTEMPT_TRIES, ///< as it does unless one of the others is set
  CSIM_ATTEMPT_WAITS, ///< it has been stuck for some steps, and tries in few of them
  CSIM_ATTEMPT_HELD,  ///< it stops the others (blocked.h): it stays for the rest of the step
} csim_collider_attempt;

/// What becomes of a collider's offset in a step.
typedef enum csim_offset_plan {
  CSIM_OFFSET_STAYS,
  CSIM_OFFSET_MAY_SHRINK, ///< once the collider is at its goal
  CSIM_OFFSET_SHRINKS,    ///< it was there, and has a new goal with a smaller one
} csim_offset_plan;

/// How far a collider has come. Between steps it is in one of three states:
///
///   on time        it is where its motion is now
///   late           it is where its motion was at an earlier time: it is stuck, as something is in
///                  its way, or catches up
///   at an offset   it follows its motion beside it; it may be late or stuck at that too
///
///   from          to            by
///   on time       late          csim_kinematics_end, if it has not reached its goal
///   late          on time       csim_kinematics_end, if it has and that is where its motion is
///   now;
///                               csim_kinematics_begin, if its motion returns to where it is stuck
///   late          at an offset  csim_kinematics_begin, if it is stuck where its motion is but for
///                               an offset
///   at an offset  on time       csim_kinematics_move_colliders, if the offset shrinks to 0
///
/// csim_kinematics_place puts all on time.
typedef struct csim_collider_progress {
  // between steps, csim_kinematics_save
  double reached;   ///< [s] the time of its motion at which it is
  double offset[3]; ///< [m] from its motion's position of that time
  double away[3];   ///< unit vector from what blocked it when it got its offset; 0: none
  int stuck;        ///< steps since it last reached the time of its goal; 0: it is not stuck
  int offset_age;   ///< steps since its offset last shrank, or 0 [m]
  // in a step, from csim_kinematics_begin on
  double goal_time;      ///< [s] that it is to reach
  double goal_offset[3]; ///< [m] that it is to reach
  csim_collider_attempt attempt;
  csim_offset_plan offset_plan;
  int has_shrunk; ///< it has moved while offsets shrink: offset_age begins again
} csim_collider_progress;

typedef struct csim_kinematics {
  csim_pool *pool;
  const csim_model *model;
  const csim_collision_mesh *mesh;
  int ncollider;
  const csim_collider *collider;
  csim_planes planes;
  csim_collider_progress *progress; ///< (ncollider) of each collider
  int pins_stuck;                   ///< steps since all exact pins were last at their targets
  int never_waits;                  ///< colliders release cloth in their way (pinched.h)
  unsigned char *kinematic;         ///< (mesh->nvert) follows a motion: collider, or exact pin
  double *x;                        ///< (mesh->nvert x 3) where everything is
  double *d;           ///< (mesh->nvert x 3) [m] the motion being tried. The one field that other
                       ///< modules write: glide and step filter shorten it
  int colliders_aimed; ///< 0: d is 0 at all vertices of colliders
  int offsets_shrink;  ///< some collider's does, CSIM_OFFSET_SHRINKS: nothing may be pressed now
  const double *body_start; ///< (mesh->nbody_vert x 3) where bodies were when the step began
  double *collider_start;   ///< (mesh->nvert - mesh->nbody_vert x 3) and colliders
  const double *target;     ///< (model->ntarget x 3) where pins are to be
  double *goal;             ///< (mesh->nvert - mesh->nbody_vert x 3) and colliders
  double h;                 ///< [s] of this step
  double now;               ///< [s] when it began
  double time_left;         ///< [s] of the step that the clock has not gone through yet
  int version;              ///< changes when planes or colliders have moved, or what has contact
                            ///< with them: active contacts of another one are found anew
  double lag;               ///< [m] largest distance of a kinematic vertex from its goal
  int lag_part;             ///< its body or collider
} csim_kinematics;

/// Initial state. The caller sets pool, model, mesh and colliders.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_kinematics_create(csim_arena *arena, const csim_contact_params *params,
                           csim_kinematics *kin);

/// Number of three-vectors of the colliders' state: the vertices of their meshes, then two for each
/// plane (its normal; its offset), then three for each collider (time, steps stuck, age of the
/// offset; offset; direction away), and one for pins (steps they are stuck).
int csim_kinematics_size(const csim_kinematics *kin);

/// Whether numbers read from outside, all finite, may be such a state. (csim_kinematics_size x 3)
int csim_kinematics_accepts(const csim_kinematics *kin, const double *kinematic);

/// Writes or reads them. (csim_kinematics_size x 3)
void csim_kinematics_save(const csim_kinematics *kin, double *kinematic);
void csim_kinematics_load(csim_kinematics *kin, const double *kinematic);

/// Plane number k in what csim_kinematics_save wrote: its normal and then its offset (4).
static inline const double *csim_kinematics_plane(const csim_collision_mesh *mesh,
                                                  const double *kinematic, int k) {
  return kinematic + 3 * ((ptrdiff_t)mesh->nvert - mesh->nbody_vert) + csim_row(6, k);
}

/// Moves all colliders to their prescribed positions at a time [s], without contact.
void csim_kinematics_place(csim_kinematics *kin, double time);

/// Starts a step of length h [s] that ends at `time` [s], with bodies at x (mesh->nbody_vert x 3)
/// and exact pins on their way to target (model->ntarget x 3). Both must stay until the step ends.
void csim_kinematics_begin(csim_kinematics *kin, const double *x, const double *target, double time,
                           double h);

/// Distance of every part to its goal [m], (mesh->npart); 0 for bodies.
void csim_kinematics_goal_distances(const csim_kinematics *kin, double *distance);

/// The longest way of an exact pin to its target [m]; 0 where rounding leaves it.
double csim_kinematics_pin_way(const csim_kinematics *kin);

/// Whether the collider of a part is not at its goal yet.
int csim_kinematics_part_is_behind(const csim_kinematics *kin, int part);

/// The same, if it may still get there in this step.
int csim_kinematics_part_tries(const csim_kinematics *kin, int part);

/// Whether some collider is not at its goal yet, and may still get there in this step.
int csim_kinematics_colliders_are_behind(const csim_kinematics *kin);

/// Leaves the collider of a part where it is for the rest of the step: CSIM_ATTEMPT_HELD.
void csim_kinematics_hold_part(csim_kinematics *kin, int part);

/// Whether some collider that was on time when the step began is not at its goal.
int csim_kinematics_colliders_fall_behind(const csim_kinematics *kin);

/// Ends a step for colliders. Those that did not reach their goals are stuck.
void csim_kinematics_end(csim_kinematics *kin);

/// Sets d: free vertices move to goal (mesh->nbody_vert x 3; NULL: they stay), exact pins to their
/// targets, colliders stay.
void csim_kinematics_aim(csim_kinematics *kin, const double *goal);

/// Sets d to the expected motion of a step: free vertices move at v (mesh->nbody_vert x 3; NULL:
/// they stay), exact pins and colliders all their way.
void csim_kinematics_predict(csim_kinematics *kin, const double *v);

/// By how much d moves the ends of a body's edge apart: sqrt(mean |d_a - d_b|^2) over all edges
/// [m].
double csim_kinematics_tearing(const csim_kinematics *kin);

/// Sets d of colliders: the way to their positions at a share of the time to their goals.
void csim_kinematics_aim_colliders(csim_kinematics *kin, double share);

/// Sets d of colliders to 0.
void csim_kinematics_stop_colliders(csim_kinematics *kin);

/// Number of vertices, from the first, that d may move: without those of colliders where they stay.
/// A body has ten times as many vertices as its shirt, and stays in most of what is tried.
static inline int csim_kinematics_nmoving(const csim_kinematics *kin) {
  return kin->colliders_aimed ? kin->mesh->nvert : kin->mesh->nbody_vert;
}

/// Sets d of vertices of bodies that are not free to 0.
void csim_kinematics_stop_pins(csim_kinematics *kin);

/// Whether something holds an exact pin back from its target, and it tries to get there in this
/// step.
int csim_kinematics_pins_are_behind(const csim_kinematics *kin);

/// Sets d (mesh->nbody_vert x 3) of exact pins: the way to their targets if they are behind, else
/// 0. Pins that have been stuck go by one share of it, none farther than `most` [m].
void csim_kinematics_aim_pins(const csim_kinematics *kin, double most, double *d);

/// Records that vertices have contact with a collider, or have none, in another way than before
/// (pinched.h).
static inline void csim_kinematics_note_change(csim_kinematics *kin) {
  kin->version++;
}

/// x += alpha d.
void csim_kinematics_displace(csim_kinematics *kin, double alpha);

/// Records that colliders have moved by d to a share of the time to their goals.
void csim_kinematics_move_colliders(csim_kinematics *kin, double share);

/// Advances the step's clock by `time` [s].
static inline void csim_kinematics_pass_time(csim_kinematics *kin, double time) {
  kin->time_left -= time;
}

/// Moves the planes towards their goals as far as bodies permit.
void csim_kinematics_advance_planes(csim_kinematics *kin);

/// Whether some pin or plane is not at its goal yet.
int csim_kinematics_pins_or_planes_lag(const csim_kinematics *kin);

/// After a step: measures lag and lag_part against its end.
void csim_kinematics_measure_lag(csim_kinematics *kin);

/// Position of vertex v when the step began [m].
static inline const double *csim_kinematics_start(const csim_kinematics *kin, int v) {
  int nbody = kin->mesh->nbody_vert;
  return v < nbody ? kin->body_start + csim_xyz(v)
                   : kin->collider_start + 3 * ((ptrdiff_t)v - nbody);
}

/// Stiffness with which the inertia and elasticity of vertex v resist a motion in this step [N/m];
/// 0 for colliders.
static inline double csim_kinematics_resistance(const csim_kinematics *kin, int v) {
  const csim_collision_mesh *mesh = kin->mesh;
  return v < mesh->nbody_vert ? mesh->mass[v] / (kin->h * kin->h) + mesh->elastic[v] : 0;
}

/// Whether vertex v is one of a collider that moves.
static inline int csim_kinematics_moves(const csim_kinematics *kin, int v) {
  int k = csim_collision_mesh_part(kin->mesh, v) - kin->mesh->nbody;
  return k >= 0 && csim_collider_moves(&kin->collider[k]);
}

/// Whether the solver moves vertex v.
static inline int csim_kinematics_is_free(const csim_kinematics *kin, int v) {
  return v < kin->mesh->nbody_vert && !kin->kinematic[v];
}

#endif
