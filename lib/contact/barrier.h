// contact/barrier.h: energies that push apart what is near. Needs model/params.h.
#ifndef CSIM_CONTACT_BARRIER_H
#define CSIM_CONTACT_BARRIER_H

#include "model/params.h"

/// Energy of a gap g in (0, reach) and its first two derivatives; all are 0 from reach on, and the
/// energy grows without bound as the gap closes.
///
///   QUADRATIC_LOG  k/2 (r - g)^2 for g >= r/2, else (k r^2/4)(1/2 - ln(2 g/r)); C2 at r/2, C1 at r
///                  (Offset Geometric Contact, 2025)
///   LOG            -k (r - g)^2 ln(g/r); C2 at r (Li et al., Incremental Potential Contact, 2020)
///   CUBIC          2/3 k (r - g)^3/g; C2 at r (after Ando, A Cubic Barrier with
///                  Elasticity-Inclusive Dynamic Stiffness, 2024, whose stiffness grows as the gap
///                  closes)
///
/// @param      k      [N/m]
/// @param      gap    [m], > 0
/// @param      reach  [m], > 0
/// @param[out] b      (3) energy [J], derivative [N] (<= 0), second derivative [N/m] (>= 0)
void csim_barrier(csim_barrier_kind kind, double k, double gap, double reach, double b[3]);

#endif
