// model/layout.c: see layout.h.
#include "model/layout.h"

#include <stdlib.h>

int csim_layout_build(csim_arena *arena, const csim_model *model, csim_layout *layout) {
  *layout = (csim_layout){.nenergy = model->nenergy};
  layout->energy = CSIM_ARENA_NEW(arena, csim_energy, model->nenergy);
  csim_element_set *pairs = CSIM_NEW(csim_element_set, model->nenergy);
  if (arena->failed || !pairs) goto done;
  for (int e = 0; e < model->nenergy; e++) {
    const csim_energy *energy = &model->energy[e];
    pairs[e] = (csim_element_set){energy->nelem, energy->kind->nnode, energy->node};
    layout->energy[e] = *energy;
  }
  if (csim_pattern_build(arena, model->nvert, model->nenergy, pairs, &layout->pattern)) goto done;
  for (int e = 0; e < model->nenergy; e++)
    if (csim_energy_bind(arena, &layout->pattern, &layout->energy[e])) goto done;
done:
  if (!pairs) arena->failed = 1;
  free(pairs);
  return arena->failed ? -1 : 0;
}
