// scene/summary.h: what a run says at its end: seams, torn links, chambers, what still moves. Needs
// scene/sim.h.
#ifndef CSIM_SCENE_SUMMARY_H
#define CSIM_SCENE_SUMMARY_H

#include "scene/sim.h"

/// Logs how far seams have closed and links torn, volume [m^3] and pressure [Pa] of chambers, and
/// warns of seams still open and of what still moves where a phase should have ended at rest.
void csim_summarise(const csim_sim *sim, const csim_run_report *report, csim_log *log);

#endif
