// base/timer.h: measures the time that each section of a run takes. Needs nothing.
//
// One watch always runs, for one section at a time. Time that a function does not claim counts for
// its caller, so the sections add up to the whole. No result depends on it.
#ifndef CSIM_BASE_TIMER_H
#define CSIM_BASE_TIMER_H

/// A kind of work. (The phases of a scene are ranges of frames: scene/phase_keys.c.)
typedef enum csim_section {
  CSIM_SECTION_OTHER,
  CSIM_SECTION_START,      ///< building model, solver and contact, and testing how it starts
  CSIM_SECTION_ELASTICITY, ///< energies of the model, their gradients and matrices; projections
  CSIM_SECTION_LINEAR,     ///< linear systems
  CSIM_SECTION_SEARCH,     ///< broad phase: the search for pairs
  CSIM_SECTION_CONTACT,    ///< the filter, energies of contact, their share of the matrix
  CSIM_SECTION_OUTPUT,     ///< frames and checkpoints, as far as the run waits for them
  CSIM_NSECTION,
} csim_section;

typedef struct csim_timer {
  double seconds[CSIM_NSECTION]; ///< [s] up to the last change
  csim_section now;
  double since; ///< [s] of the last change
} csim_timer;

/// [s] since some moment, never going back.
double csim_seconds(void);

/// Begins at 0, in CSIM_SECTION_OTHER.
void csim_timer_begin(csim_timer *timer);

/// Starts counting time for another section.
/// @return the section before, to return to
csim_section csim_timer_change(csim_timer *timer, csim_section section);

#endif
