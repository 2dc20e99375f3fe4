// model/chamber.h: closed surfaces that enclose a pressure, a gas, or a volume to keep. Needs
// model/model.h.
//
//   E = -p V                                  pressure p over the outside
//   E = p_a V - (p_a + p) V0 ln(V / V0)       a gas that has p over the atmosphere's p_a at V0
//   E = k/2 (V - r V0)^2 / V0                 a volume r V0, in addition
//
//   V = sum x0 . (x1 x x2) / 6 over the triangles, dV/dx a third of the area vectors around x.
//
// Vertices that are sewn together count as one, in the middle of them: a seam leaves a gap, and of
// a surface that is open there, dV/dx is not the derivative of V.
//
// Of the Hessian -P'(V) dV dV^T - P(V) d2V, P = -dE/dV, only the first term is kept: it couples all
// vertices, is semidefinite and of rank one, and is far stiffer than the second.
#ifndef CSIM_MODEL_CHAMBER_H
#define CSIM_MODEL_CHAMBER_H

#include "model/model.h"

/// A chamber in the step that is being solved.
typedef struct csim_chamber_now {
  double pressure; ///< [Pa]
  double volume;   ///< [-] of the start volume to keep
  double stiff;    ///< [Pa/m^3] -P'(V) of the last Hessian
  double *grad;    ///< (nvert x 3) [m^2] dV/dx there, 0 at fixed vertices; NULL: stiff is always 0
} csim_chamber_now;

/// Signed volume [m^3] that the chamber's triangles enclose, about the point `about` (3).
double csim_chamber_volume(const csim_model *model, const csim_chamber *chamber,
                           const double *about, const double *x);

/// Outward pressure P [Pa] of a chamber at a volume [m^3].
double csim_chamber_pressure(const csim_chamber *chamber, const csim_chamber_now *now,
                             double volume);

/// Sets the first two members of now (model->chambers.nchamber): keyed values at a time [s].
void csim_chambers_at(const csim_model *model, double time, csim_chamber_now *now);

/// Sum of the chambers' energies [J] at x (nvert x 3).
double csim_chambers_value(const csim_model *model, const csim_chamber_now *now, const double *x);

/// Adds their gradient [N] to g (nvert x 3).
void csim_chambers_gradient(const csim_model *model, const csim_chamber_now *now, const double *x,
                            double *g);

/// Prepares the Hessian at x for csim_chambers_multiply.
void csim_chambers_hessian(const csim_model *model, csim_chamber_now *now, const double *x);

/// q += H p, both (nvert x 3), p zero at fixed vertices. @return p . H p
double csim_chambers_multiply(csim_pool *pool, const csim_model *model, const csim_chamber_now *now,
                              const double *p, double *q);

#endif
