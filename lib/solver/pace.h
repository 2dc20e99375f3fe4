// solver/pace.h: in how many parts the next step begins, by what recent steps cost. Needs
// model/model.h.
//
// In tight contact short steps can be cheaper than half as many long ones, as the filter cuts what
// moves far: cloth in a funnel took 5 s instead of 8. Where iterations do not depend on the length
// of a step (cloth that is sewn without gravity), halves cost twice as much. So steps are halved as
// long as that is cheaper.
#ifndef CSIM_SOLVER_PACE_H
#define CSIM_SOLVER_PACE_H

#include "model/model.h"

/// The pace after a step that began with 2^pace.halvings parts and cost so many iterations.
csim_pace csim_pace_next(csim_pace pace, long long cost);

#endif
