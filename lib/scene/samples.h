// scene/samples.h: where everything is between frames: "output.samples". Needs scene/sim.h.
//
// A sample is as the substeps around it have it: at the end of a substep that state, within one a
// state on the straight lines from its start to its end, which are the lines that contact tests.
#ifndef CSIM_SCENE_SAMPLES_H
#define CSIM_SCENE_SAMPLES_H

#include "scene/sim.h"

typedef struct csim_samples {
  int n;
  const double *share; ///< (n) [frames] from the frame that comes next, in (-1, 0), increasing
  int taken;           ///< of this frame
  csim_state before;   ///< the step
  csim_state *state;   ///< (n)
} csim_samples;

/// @param share  (n) must outlive the samples
/// @return CSIM_OK or CSIM_MEMORY; csim_samples_free in any case
csim_status csim_samples_create(int n, const double *share, csim_samples *samples);
void csim_samples_free(csim_samples *samples);

/// Before the first substep of a frame.
void csim_samples_begin(csim_samples *samples);

/// Before a substep, and after it: takes the samples that lie in it.
/// @param sim   with its state before, or after
/// @param done  of the frame after the substep, in shortest substeps
/// @param span  of the substep
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_samples_before(csim_samples *samples, const csim_sim *sim);
csim_status csim_samples_after(csim_samples *samples, const csim_sim *sim, int done, int span);

#endif
