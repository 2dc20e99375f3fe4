// model/curve.h: values keyed over time. Needs base/arena.h, model/params.h.
#ifndef CSIM_MODEL_CURVE_H
#define CSIM_MODEL_CURVE_H

#include "base/arena.h"
#include "model/params.h"

/// Value at a time [s], linear between keys, constant before the first and after the last.
/// @param      constant  (count) the value of a curve without keys
/// @param[out] value     (count) overwritten
void csim_curve_at(const csim_curve *curve, int count, const double *constant, double time,
                   double *value);

/// Mean over the time from `from` to `to` [s], from < to: the value in the middle if no key is
/// inside.
/// @param[out] mean  (count <= 3) overwritten
void csim_curve_mean(const csim_curve *curve, int count, const double *constant, double from,
                     double to, double *mean);

/// Copies keys into the arena. -1 when out of memory.
int csim_curve_copy(csim_arena *arena, const csim_curve *from, csim_curve *to);

#endif
