// scene/describe.h: size and contents of a scene's model, without simulating it. Needs scene/sim.h.
#ifndef CSIM_SCENE_DESCRIBE_H
#define CSIM_SCENE_DESCRIBE_H

#include "model/model.h"

typedef struct csim_model_counts {
  int nvert, ntri, ntet; ///< of bodies, as they are written
  int nspring;
} csim_model_counts;

/// Counts what a model has.
csim_model_counts csim_count_model(const csim_model *model);

#endif
