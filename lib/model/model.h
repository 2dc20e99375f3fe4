// model/model.h: everything that stays constant during a run. Needs model/energy.h, model/motion.h,
// mesh/mesh.h.
//
// All bodies share one numbering of vertices: body b owns [vert0, vert0 + nvert). Indices, not
// pointers, link elements. scene/compile.c makes a model; nothing changes it afterwards.
#ifndef CSIM_MODEL_MODEL_H
#define CSIM_MODEL_MODEL_H

#include "mesh/mesh.h"
#include "model/energy.h"
#include "model/motion.h"

/// A cloth or a solid.
typedef struct csim_body {
  const char *name;
  csim_object_type type;
  int vert0, nvert; ///< its vertices; the first mesh->nvert are those of the mesh, in its order
  csim_mesh *mesh;  ///< the surface, as the user gave it
  int ntet;
  int *tet;               ///< (ntet x 4) vertices, counted from vert0; solids only
  double damping;         ///< [1/s]
  double stretch_damping; ///< [s]
  double drag;            ///< [-] normal drag coefficient
  double friction;        ///< [-] of its surface
} csim_body;

/// Targets given vertex by vertex: at time[0] and before at from, at time[1] and after at to.
typedef struct csim_pin_path {
  double time[2];          ///< [s] time[0] < time[1]
  const double *from, *to; ///< (targets of the group x 3) [m]
} csim_pin_path;

/// Vertices that follow one motion.
typedef struct csim_pin_group {
  csim_motion motion;
  double pivot[3];           ///< [m] of its rotations
  const csim_pin_path *path; ///< takes the place of the motion; NULL: none
} csim_pin_group;

/// A pinned vertex, exact (hard) or by a soft spring (an element of the anchor energy).
typedef struct csim_target {
  int vert;
  int group; ///< index into pin_group; -1 = never moves
  int hard;
} csim_target;

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
  int *tri;        ///< (ntri x 3) surface triangles of all bodies
  int *tri_start;  ///< (nvert + 1) triangles around each vertex, when csim_model_drags:
  int *tri_around; ///< (3 ntri) their numbers, ascending per vertex
  int nenergy;
  csim_energy *energy; ///< (nenergy)
  int ntarget;
  csim_target *target; ///< (ntarget) those of one group follow each other
  int ngroup;
  csim_pin_group *group; ///< (ngroup)
  double gravity[3];     ///< [m/s^2]
  csim_wind wind;
} csim_model;

/// Frees the model and its meshes.
void csim_model_free(csim_model *model);

/// Whether air resists a surface.
int csim_model_drags(const csim_model *model);

/// Where the pinned vertices are at a time [s] from the start: target (ntarget x 3), overwritten.
void csim_model_targets(const csim_model *model, double time, double *target);

/// Sum of all energies [J] at x.
double csim_model_energy(csim_pool *pool, const csim_model *model, const csim_point *at);

/// What changes: exactly what a checkpoint holds.
typedef struct csim_state {
  int nvert;
  long long step; ///< shortest substeps done since the start frame
  int span;       ///< of them that the next substep is to be long, 1 unless their length adapts
  double *x;      ///< (nvert x 3) [m]
  double *v;      ///< (nvert x 3) [m/s]
  double *x_prev; ///< (nvert x 3) one substep earlier; NULL before a two-step integrator's first
  double *v_prev; ///< (nvert x 3) the same
  double *a;      ///< (nvert x 3) [m/s^2] of generalized-alpha; NULL before its first step
  int nkinematic;
  double *kinematic; ///< (nkinematic x 3) where colliders really are: contact may make them lag
} csim_state;

/// The start of a run. -1 when out of memory; free with csim_state_free in any case.
int csim_state_create(const csim_model *model, csim_state *state);
void csim_state_free(csim_state *state);

/// Drops what two-step integrators look back on: the next step of one is as its first.
void csim_state_forget(csim_state *state);

/// Makes `to` (zero, or a state of the same model) equal to `from`. -1 when out of memory.
int csim_state_copy(const csim_state *from, csim_state *to);

#endif
