// model/layout.h: positions of the Hessian's blocks. Needs model/model.h.
//
// It takes as much memory as the springs and hinges themselves. Only methods with a block matrix
// keep it; others free it after setup.
#ifndef CSIM_MODEL_LAYOUT_H
#define CSIM_MODEL_LAYOUT_H

#include "model/model.h"

typedef struct csim_layout {
  csim_pattern pattern;
  int nenergy;
  csim_energy *energy; ///< (nenergy) the model's, with the blocks of their nodes
} csim_layout;

/// Pattern of all the model's energies, and the place of every element in it.
/// @return 0, or -1 when out of memory (arena->failed)
int csim_layout_build(csim_arena *arena, const csim_model *model, csim_layout *layout);

#endif
