// scene/gather.h: collects the data of all objects in a frame, for cache and exports. Needs
// scene/compile.h, scene/samples.h, cache/.
#ifndef CSIM_SCENE_GATHER_H
#define CSIM_SCENE_GATHER_H

#include "mesh/strain.h"
#include "scene/compile.h"
#include "scene/samples.h"
#include "solver/step.h"

/// Buffers for data of an object that is not part of a state; NULL: not wanted.
typedef struct csim_gather_buffers {
  double *x, *v;               ///< (nvert x 3)
  double *pressure, *area;     ///< (nvert) [Pa], [m^2] at rest
  double *around;              ///< (nvert) [m^2] of coarse meshes: area around their vertices
  double *strain;              ///< (nvert) [-]
  double *sample_x, *sample_v; ///< (nsample x nvert x 3)
  csim_rest_metric shape;      ///< if strain is wanted
} csim_gather_buffers;

typedef struct csim_gather {
  const csim_scene *scene;
  const csim_world *world;
  int nobject;                  ///< bodies, then render meshes, then colliders
  csim_cache_object *object;    ///< (nobject)
  csim_cache_values *value;     ///< (nobject) data of the frame taken, in the scene's units
  csim_gather_buffers *buffers; ///< (nobject) what `value` points to, unless it is of a state
  double *earlier;              ///< (largest collider that moves x 3) workspace of their velocities
  csim_solver *solver;          ///< has the contact pressures; NULL: none yet
  double *force;   ///< (vertices of all bodies) [N] normal force on each; NULL: not wanted
  double *carried; ///< (vertices of the largest body x 3) workspace of bodies that may be coarse
} csim_gather;

/// Mesh and name of object k.
const csim_mesh *csim_gather_mesh(const csim_world *world, int k);
const char *csim_gather_name(const csim_world *world, int k);

/// Describes the objects and allocates space for them.
/// @param resume  1: csim_gather_read will be called
/// @return 0, or -1 when out of memory; everything is in the arena
int csim_gather_create(const csim_scene *scene, const csim_world *world, int resume,
                       csim_arena *arena, csim_gather *gather);

/// Collects positions, velocities, pressures, strain and samples of all objects but render meshes.
/// @param time     [s] from the start frame
/// @param state    must not change while `value` is used
/// @param samples  NULL, or none taken: samples are those of the frame
void csim_gather_take(csim_gather *gather, double time, const csim_state *state,
                      const csim_samples *samples);

/// Computes render meshes from the data of their bodies.
void csim_gather_renders(csim_gather *gather);

/// Rounds the data of object k to floats, as the cache stores it.
void csim_gather_round(csim_gather *gather, int k);

/// Reads frame f of a cache of these objects instead.
/// @return CSIM_IO, CSIM_MEMORY (reported to log)
csim_status csim_gather_read(csim_gather *gather, csim_cache *cache, int f, csim_log *log);

/// Whether a cache is of these objects.
int csim_gather_fits(const csim_gather *gather, const csim_cache_info *info);

#endif
