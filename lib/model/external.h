// model/external.h: external forces on bodies: gravity, damping, drag in the wind. Needs model.h.
#ifndef CSIM_MODEL_EXTERNAL_H
#define CSIM_MODEL_EXTERNAL_H

#include "model/model.h"

/// Velocity of the air [m/s] at a point and time: the mean wind plus gusts, a fixed sum of
/// travelling waves whose root mean square is 0.76 turbulence * |mean|. With keyed
/// velocities the gusts travel at the speed of the largest.
void csim_wind_at(const csim_wind *wind, const double *x, double time, double *u);

/// Drag of a vertex: D [N s/m] as xx, xy, xz, yy, yz, zz, and D u [N].
enum { CSIM_RESISTANCE = 9 };

/// D v.
static inline void csim_resist(const double *resistance, const double *v, double *force) {
  const double *D = resistance;
  force[0] = D[0] * v[0] + D[1] * v[1] + D[2] * v[2];
  force[1] = D[1] * v[0] + D[3] * v[1] + D[4] * v[2];
  force[2] = D[2] * v[0] + D[4] * v[1] + D[5] * v[2];
}

/// Drag of a triangle, for each of its corners.
typedef struct csim_drag {
  double D[9];  ///< [N s/m] its share of D
  double Du[3]; ///< [N] and of D u
} csim_drag;

/// Velocities after the external forces alone acted for h [s]:
///
///   v* = (M + h D)^-1 (M e^(-damping h) v + h M g + h D u)
///
/// D: drag of the surface, per triangle of area A, unit normal n and velocity w relative to the
/// air, a third to each corner: 1/2 rho A (c |w.n| n n^T + 0.05 c |w| (I - n n^T)). D is that of
/// the start and the velocity that of the end, which is stable for any wind and any step. Without
/// drag: v* = v + h g exactly. Where `undamped` is set, damping is left out.
///
/// Where other forces act as well, v* is not the velocity at the end, and the drag in it not the
/// force on the surface: cloth that is held in the wind gets m/(m + h D) of it. A method that
/// solves for all forces together takes D and D u instead, with the velocity that it finds.
///
/// @param[out] v_next  (nvert x 3), overwritten
typedef struct csim_external {
  const csim_model *model;
  const double *x, *v; ///< (nvert x 3) [m], [m/s] at the start
  double h;            ///< [s]
  int undamped;        ///< 1: v already has lost what damping takes
  double time;         ///< [s] of gravity and wind, see csim_integration_force_time
  double span;         ///< [s] around it over which gravity is averaged, > 0
  double *decay;       ///< (nbody) scratch: e^(-damping h)
  double *air;         ///< (nvert x 3) scratch: the wind at each vertex
  csim_drag *drag;     ///< (ntri) scratch, needed when csim_model_drags
  double *without;     ///< (nvert x 3) [m/s] out: v* without drag; NULL: not needed
  double *resistance;  ///< (nvert x CSIM_RESISTANCE) out: D and D u; NULL: not needed
} csim_external;
void csim_external_velocity(csim_pool *pool, const csim_external *external, double *v_next);

#endif
