// model/model.h: the model: everything that is constant during a run. Needs model/energy.h,
// model/course.h, mesh/mesh.h.
//
// All bodies share one numbering of vertices: body b owns [vert0, vert0 + nvert). Elements are
// linked by indices, not pointers. scene/compile.c builds a model; it is constant afterwards.
#ifndef CSIM_MODEL_MODEL_H
#define CSIM_MODEL_MODEL_H

#include "mesh/mesh.h"
#include "model/energy.h"
#include "model/course.h"

#include <stdint.h>

/// Properties of a body that may differ from vertex to vertex.
typedef enum csim_factor_of {
  CSIM_FACTOR_DAMPING,
  CSIM_FACTOR_DRAG,
  CSIM_FACTOR_FRICTION,
  CSIM_FACTOR_THICKNESS,
  CSIM_NFACTOR,
} csim_factor_of;

/// A cloth or a solid.
typedef struct csim_body {
  const char *name;
  csim_object_type type;
  int vert0, nvert; ///< its vertices; the first mesh->nvert are those of the mesh, in its order
  csim_mesh *mesh;  ///< the surface, as the user gave it, or a coarse one for it
  csim_mesh *shown; ///< what is written if `mesh` is coarse: its triangles divided; else NULL
  int *parent;      ///< (shown->nvert x 2) see csim_mesh; NULL if nothing is shown
  int ncommon;      ///< the first vertices, which the body has in all phases
  int ntet;
  int *tet;               ///< (ntet x 4) vertices, counted from vert0; solids only
  double *placed;         ///< (nvert x 3) [m] before anything moves them; solids with render meshes
  unsigned char *ringed;  ///< (nvert) 1: of a pattern's panel that starts in a ring; NULL: none is
  double damping;         ///< [1/s]
  double stretch_damping; ///< [s]
  double numerical_damping;     ///< [-] share of the solver's damping that acts on it
  double drag;                  ///< [-] normal drag coefficient
  double friction;              ///< [-] of its surface
  int layer;                    ///< it lies over everything in a lower layer; 0: no layer
  double *factor[CSIM_NFACTOR]; ///< (nvert) each; NULL: 1 everywhere
} csim_body;

/// The surface as it is written.
static inline const csim_mesh *csim_body_shown(const csim_body *body) {
  return body->shown ? body->shown : body->mesh;
}

/// Its number of vertices, with those inside of solids.
static inline int csim_body_nshown(const csim_body *body) {
  return body->shown ? body->shown->nvert : body->nvert;
}

/// Factor of vertex `vert`, counted from the body's first.
static inline double csim_body_factor(const csim_body *body, csim_factor_of of, int vert) {
  return body->factor[of] ? body->factor[of][vert] : 1;
}

/// Its damping there [1/s].
static inline double csim_body_damping(const csim_body *body, int vert) {
  return body->damping * csim_body_factor(body, CSIM_FACTOR_DAMPING, vert);
}

/// Targets given vertex by vertex: at time[0] and before at from, at time[1] and after at to.
typedef struct csim_pin_path {
  double time[2];          ///< [s] time[0] < time[1]
  const double *from, *to; ///< (targets of the group x 3) [m]
} csim_pin_path;

/// Vertices that follow one motion, or the points of one course.
typedef struct csim_pin_group {
  csim_motion motion;
  double pivot[3];           ///< [m] of its rotations
  const csim_pin_path *path; ///< replaces motion and course; NULL: none
  int course;                ///< index into course, which targets follow instead; -1 = none
  double begin, end;         ///< [s] it holds from `begin` to `end`; infinite if it always does
  double stiffness;          ///< [N/m] of soft pins: the largest of the curve
  csim_curve keyed;          ///< [N/m] stiffness over time; no keys = constant
} csim_pin_group;

/// A point that moves with a triangle of a course: sum of weight * node, plus an offset that turns
/// with the triangle.
typedef struct csim_follow {
  int node[3];      ///< vertices of the course; all the same: the offset does not turn
  double weight[3]; ///< barycentric
  double offset[3]; ///< [m] along the first edge, across it in the plane, and along the normal
} csim_follow;

/// Sets the offset so that the point is x (3) at the pose.
void csim_follow_attach(const csim_course_pose *at, const double *x, csim_follow *follow);

/// A pinned vertex, exact (hard) or by a soft spring (an element of the anchor energy).
typedef struct csim_target {
  int vert;
  int group;  ///< index into pin_group; -1 = never moves
  int follow; ///< index into follow; -1 = the group's motion
  int exact;  ///< held exactly while its group holds; else by a spring
  int hard;   ///< exact, and holding now: see csim_model_hold
} csim_target;

/// A string between two points: an attachment, or a stitch of a seam. Its energy is in links.h.
typedef struct csim_link {
  int group;            ///< index into link_group
  double length;        ///< [m] until its group begins to close
  double closed_length; ///< [m] once it is closed
  double begin, end;    ///< shares of the group's time between which it closes, begin < end
  double direction[3];  ///< unit, from its second end to its first at the start
  int frame[3]; ///< a triangle at its end, with which the direction of a stitch turns; equal: none
} csim_link;

/// Seams close to this share of the contact thickness, or to "self_thickness" if that is less.
#define CSIM_SEAM_SCALE 0.2

/// Links that were made together.
typedef struct csim_link_group {
  const char *name;
  double begin, end; ///< [s] they pull from `begin` to `end`; infinite if they always do
  double closed;     ///< [s] lengths change from `begin` until then; before begin: at once
  double force;      ///< [N] largest tension, above which a link tears; 0 = any
  int seam; ///< its ends belong together: contact lets them come nearer than other vertices
} csim_link_group;

/// Triangles of a body that are part of a chamber's surface.
typedef struct csim_chamber_part {
  int tri0, ntri; ///< in the model's tri
  int inward;     ///< their faces point into the chamber
} csim_chamber_part;

/// A closed surface with contents. Its energy is in chamber.h.
typedef struct csim_chamber {
  const char *name;
  int npart;
  csim_chamber_part *part; ///< (npart)
  int vert;                ///< a vertex of it
  double pressure;         ///< [Pa] over the outside; of a gas, at volume0; with keys the largest
  csim_curve pressure_key;
  double volume;    ///< [-] of volume0 to keep; with keys the largest
  double stiffness; ///< [Pa] stiffness with which it keeps the volume; 0: it does not
  csim_curve volume_key;
  int gas;
  double atmosphere; ///< [Pa] outside of a gas
  double volume0;    ///< [m^3] at the start
} csim_chamber;

/// Motions of a model's pins.
typedef struct csim_model_pins {
  int ngroup;
  csim_pin_group *group; ///< (ngroup)
  int ncourse;
  csim_course *course; ///< (ncourse) paths that pins follow; their arrays must outlive the model
  int nfollow;
  csim_follow *follow; ///< (nfollow)
  int timed;           ///< some pin holds for a part of the run only, or has a keyed stiffness
} csim_model_pins;

/// Attachments and seams of a model.
typedef struct csim_model_links {
  int nlink;
  csim_link *link; ///< (nlink)
  int ngroup;
  csim_link_group *group; ///< (ngroup)
  int *seam;              ///< (nvert) vertices of one number are sewn together, -1 = not sewn;
                          ///< NULL: there are no seams
  int tears;              ///< some links tear
} csim_model_links;

/// Closed surfaces of a model.
typedef struct csim_model_chambers {
  int nchamber;
  csim_chamber *chamber; ///< (nchamber)
  int *sewn; ///< (nvert) the next of the vertices that seams hold together, round and round; NULL:
             ///< there are no seams
} csim_model_chambers;

/// Energies that do not act from the start, the last ones of a model: csim_model_hold.
typedef struct csim_model_late {
  int nenergy;
  double time; ///< [s] they act from then on
  int act;     ///< they act now, and the model's nenergy counts them
} csim_model_late;

/// Air around the surfaces of a model, and the triangles it acts on if csim_model_drags.
typedef struct csim_model_air {
  csim_wind wind;
  int *tri_start;  ///< (nvert + 1) triangles around each vertex:
  int *tri_around; ///< (3 ntri) their numbers, ascending per vertex
} csim_model_air;

/// Constant during a run, except what csim_model_hold sets: `fixed`, the targets' `hard`, and which
/// energies act.
typedef struct csim_model {
  csim_arena arena; ///< owns everything below
  int nvert;
  double *mass;            ///< (nvert) [kg]
  double *x0;              ///< (nvert x 3) start positions [m]
  double *v0;              ///< (nvert x 3) start velocities [m/s]; NULL: at rest
  unsigned char *fixed;    ///< (nvert) 1 = position prescribed
  double *stretch_damping; ///< (nbody) [s] of their springs; NULL: none of any
  int *body_of;            ///< (nvert)
  int nbody;
  csim_body *body; ///< (nbody)
  int ntri;
  int *tri; ///< (ntri x 3) surface triangles of all bodies
  int nenergy;
  csim_energy *energy; ///< (nenergy), then those that do not act yet
  csim_model_late late;
  int has_bounds; ///< some strains have a bound, see bound.h
  int nplastic;   ///< plastic numbers of all elements
  int ntarget;
  csim_target *target; ///< (ntarget) targets of one group are contiguous
  csim_model_pins pins;
  csim_model_links links;
  csim_model_chambers chambers;
  double gravity[3];      ///< [m/s^2] with keys: the largest of them
  csim_curve gravity_key; ///< [m/s^2] over time; no keys = constant
  csim_model_air air;
} csim_model;

/// Frees the model and its meshes.
void csim_model_free(csim_model *model);

/// Whether air resists a surface.
int csim_model_drags(const csim_model *model);

/// Positions of the pinned vertices at a time [s] from the start: target (ntarget x 3),
/// overwritten.
void csim_model_targets(const csim_model *model, double time, double *target);

/// Whether what acts from `begin` to `end` [s] does so in a step that ends at `time`. A step that
/// ends at `begin` is before it.
int csim_is_active(double begin, double end, double time);

/// Share of its stiffness that each pin has in a step that ends at `time` [s]: 0 while it does not
/// hold. share (ntarget), overwritten.
void csim_model_pin_shares(const csim_model *model, double time, double *share);

/// Makes exact pins hold or release their vertices for the time from `begin` to `end` [s]; a pin
/// holds if it does so for all of that time. Activates late energies. Solvers created before a
/// change are of no use after it.
/// @return 1 when `fixed` or the number of energies has changed
int csim_model_hold(csim_model *model, double begin, double end);

/// Mean gravity of `span` [s] > 0 around a time: g (3) [m/s^2], overwritten.
void csim_model_gravity(const csim_model *model, double time, double span, double *g);

/// Lets plastic energies flow for the time h [s] at x (nvert x 3): changes plastic (nplastic).
void csim_model_yield(csim_pool *pool, const csim_model *model, const double *x, double h,
                      double *plastic);

/// Sum of all energies [J] at x.
double csim_model_energy(csim_pool *pool, const csim_model *model, const csim_point *at);

/// Largest share [0, 1] of the step d (nvert x 3) [m] from at->x that takes no strain beyond its
/// bound. d NULL: 0 if one is beyond it at at->x, else 1.
double csim_model_max_step(csim_pool *pool, const csim_model *model, const csim_point *at,
                           const double *d);

/// Most times that a substep is halved from its beginning, see csim_step.
enum { CSIM_PACE_HALVINGS = 2 };

/// The pace of a run: in how many parts its substeps begin, chosen by what recent substeps cost,
/// see solver/pace.h.
typedef struct csim_pace {
  uint8_t halvings;                      ///< the next substep begins in 2^halvings parts
  uint8_t age;                           ///< substeps since costs were forgotten
  uint16_t cost[CSIM_PACE_HALVINGS + 1]; ///< of the last substep with so many halvings; 0: unknown
} csim_pace;

/// The variables of a run: exactly what a checkpoint holds.
typedef struct csim_state {
  int nvert;
  long long step; ///< shortest substeps done since the start frame
  int span;       ///< length of the next substep in those, 1 unless it adapts
  csim_pace pace;
  int phase;       ///< phase of the scene at the last frame
  int rest_frames; ///< frames in a row, up to it, in which everything was at rest
  double *path;    ///< (nvert) [m] how far each vertex went in them
  double *x;       ///< (nvert x 3) [m]
  double *v;       ///< (nvert x 3) [m/s]
  double *x_prev;  ///< (nvert x 3) one substep earlier; NULL before a two-step integrator's first
  double *v_prev;  ///< (nvert x 3) the same
  double *a;       ///< (nvert x 3) [m/s^2] of generalized-alpha; NULL before its first step
  int nlink;       ///< 0 unless links tear
  unsigned char *torn; ///< (nlink) 1 = torn
  int nplastic;
  double *plastic; ///< (nplastic) plastic strains; NULL: all is elastic
  int nkinematic;
  double *kinematic; ///< (nkinematic x 3) actual positions of colliders: contact may make them lag
  int kinematic_capacity; ///< of a copy, that of `kinematic`
} csim_state;

/// Number of vertices of all bodies as they are written.
int csim_model_nshown(const csim_model *model);

/// The initial state of a run. -1 when out of memory; free with csim_state_free in any case.
int csim_state_create(const csim_model *model, csim_state *state);
void csim_state_free(csim_state *state);

/// Makes a state that csim_state_create or csim_state_fit has sized for the model the initial one
/// again.
void csim_state_reset(const csim_model *model, csim_state *state);

/// Drops the data of two-step integrators: their next step is like the first.
void csim_state_forget(csim_state *state);

/// Turns a state of another model with the same number of vertices into one of this model, `step`
/// shortest substeps of length h [s] from the start. New links are not torn, and new plastic
/// elements have not yielded.
/// @return -1 when out of memory
int csim_state_fit(const csim_model *model, long long step, double h, csim_state *state);

/// Makes `to` (zero, or a state of the same model) equal to `from`. -1 when out of memory.
int csim_state_copy(const csim_state *from, csim_state *to);

/// The body with a name; NULL: there is none.
const csim_body *csim_find_body(const csim_model *model, const char *name);

#endif
