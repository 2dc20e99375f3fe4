// model/layout.c: see layout.h.
#include "model/layout.h"

int csim_layout_build(csim_arena *arena, const csim_model *model, csim_layout *layout) {
  csim_element_set pairs[CSIM_MAX_ENERGY];
  *layout = (csim_layout){.nenergy = model->nenergy};
  for (int e = 0; e < model->nenergy; e++) {
    const csim_energy *energy = &model->energy[e];
    pairs[e] = (csim_element_set){energy->nelem, energy->kind->nnode, energy->node};
    layout->energy[e] = *energy;
  }
  if (csim_pattern_build(arena, model->nvert, model->nenergy, pairs, &layout->pattern)) return -1;
  for (int e = 0; e < model->nenergy; e++)
    if (csim_energy_bind(arena, &layout->pattern, &layout->energy[e])) return -1;
  return 0;
}
