// contact/barrier.h: energies that push apart what is near. Needs model/params.h.
#ifndef CSIM_CONTACT_BARRIER_H
#define CSIM_CONTACT_BARRIER_H

#include "model/params.h"

/// Energy of a gap g in (0, reach) and its first two derivatives; all are 0 from reach on, and the
/// energy grows without bound as the gap closes.
///
///   QUADRATIC_LOG  with w = r/50 and s = r - w/2:
///                  k (r - g)^3/(6 w)                         for g >= r - w
///                  k/2 (s - g)^2 + k w^2/24                  below, for g >= s/2
///                  k s^2/4 (1/2 - ln(2 g/s)) + k w^2/24      below that
///                  C2. Without the first (w = 0: Offset Geometric Contact, 2025) it is C1 at r,
///                  and contacts that come and go took Newton up to twice the iterations.
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
