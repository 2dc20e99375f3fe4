// base/phases.h: measures the time of each phase of a run. Needs nothing.
//
// One watch always runs, for one phase at a time. Time that a function does not claim counts for
// its caller, so the phases add up to the whole. No result depends on it.
#ifndef CSIM_BASE_PHASES_H
#define CSIM_BASE_PHASES_H

typedef enum csim_phase {
  CSIM_PHASE_OTHER,
  CSIM_PHASE_START,      ///< building model, solver and contact, and testing how it starts
  CSIM_PHASE_ELASTICITY, ///< energies of the model, their gradients and matrices; projections
  CSIM_PHASE_LINEAR,     ///< linear systems
  CSIM_PHASE_SEARCH,     ///< broad phase: the search for pairs
  CSIM_PHASE_CONTACT,    ///< the filter, energies of contact, their share of the matrix
  CSIM_PHASE_OUTPUT,     ///< frames and checkpoints, as far as the run waits for them
  CSIM_NPHASE,
} csim_phase;

typedef struct csim_phases {
  double seconds[CSIM_NPHASE]; ///< [s] up to the last change
  csim_phase now;
  double since; ///< [s] of the last change
} csim_phases;

/// [s] since some moment, never going back.
double csim_seconds(void);

/// Begins at 0, in CSIM_PHASE_OTHER.
void csim_phases_begin(csim_phases *phases);

/// Starts counting time for another phase.
/// @return the phase before, to return to
csim_phase csim_phases_change(csim_phases *phases, csim_phase phase);

#endif
