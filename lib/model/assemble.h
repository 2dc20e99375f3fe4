// model/assemble.h: the last step of building a model. Needs model/model.h, model/network.h.
#ifndef CSIM_MODEL_ASSEMBLE_H
#define CSIM_MODEL_ASSEMBLE_H

#include "model/model.h"
#include "model/network.h"

/// Completes a model that has its arena, nvert, mass, x0, v0, bodies and targets: sets fixed and
/// body_of, stops fixed vertices, collects the triangles, and turns the element sets into energies.
/// Empty sets are skipped.
/// @param set  (nset)
/// @return 0, or -1 when out of memory
int csim_model_assemble(csim_model *model, int nset, const csim_elements *const *set);

#endif
