// model/curve.h: values keyed over time. Needs model/params.h.
#ifndef CSIM_MODEL_CURVE_H
#define CSIM_MODEL_CURVE_H

#include "model/params.h"

/// Value at a time [s], linear between keys, constant before the first and after the last.
/// @param      constant  (count) the value of a curve without keys
/// @param[out] value     (count) overwritten
void csim_curve_at(const csim_curve *curve, int count, const double *constant, double time,
                   double *value);

#endif
