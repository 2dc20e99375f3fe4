// scene/samples.h: positions between frames: "output.samples". Needs scene/sim.h.
//
// A sample at the end of a substep is that state. A sample within a substep is on the straight
// lines from its start to its end, which are the lines that contact tests.
#ifndef CSIM_SCENE_SAMPLES_H
#define CSIM_SCENE_SAMPLES_H

#include "scene/sim.h"

typedef struct csim_samples {
  int n;
  const double *share; ///< (n) [frames] relative to the next frame, in (-1, 0), increasing
  int taken;           ///< of this frame
  csim_state before;   ///< state before the step
  csim_state *state;   ///< (n)
} csim_samples;

/// @param share  (n) must outlive the samples
/// @return 0, or -1 when out of memory; csim_samples_free in any case
int csim_samples_create(int n, const double *share, csim_samples *samples);
void csim_samples_free(csim_samples *samples);

/// Call it before the first substep of a frame.
void csim_samples_begin(csim_samples *samples);

/// Call these before and after a substep: they take the samples within it.
/// @param sim   with its state before, or after
/// @param done  shortest substeps of the frame completed after this substep
/// @param span  of the substep
/// @return 0, or -1 when out of memory
int csim_samples_before(csim_samples *samples, const csim_sim *sim);
int csim_samples_after(csim_samples *samples, const csim_sim *sim, int done, int span);

#endif
