// scene/output.h: what a run leaves on disk: frames, cache, run.json. Needs cache/, io/.
#ifndef CSIM_SCENE_OUTPUT_H
#define CSIM_SCENE_OUTPUT_H

#include "scene/compile.h"
#include "solver/step.h"

typedef struct csim_output_writer csim_output_writer;

/// Totals over the substeps of one frame, for the frame's statistics.
typedef struct csim_frame_stats {
  long long substeps, iterations, linear_iterations, contacts, halved, unconverged;
  double residual; ///< largest of the frame's substeps, [-]
} csim_frame_stats;

/// Refuses a directory with files in it unless overwrite; removes an earlier run's files then.
csim_status csim_output_create(const csim_scene *scene, const csim_world *world, const char *out,
                               int overwrite, csim_log *log, csim_output_writer **writer);

/// Where contact pressures come from, if the scene wants them: what the solver's last step left.
void csim_output_press(csim_output_writer *writer, csim_solver *solver);

/// Writes one frame in every format the scene asks for. Files appear whole or not at all.
/// @param time  [s] from the start frame
csim_status csim_output_frame(csim_output_writer *writer, int frame, double time,
                              const csim_state *state, const csim_frame_stats *stats);

/// Writes run.json, the record of how a run stands: state is "running", "complete", "stopped" or
/// "failed".
csim_status csim_output_record(csim_output_writer *writer, const char *state,
                               const csim_run_report *report);

/// Ends the files and frees the writer (NULL allowed).
/// @param complete  1: the cache is finished and gets its name
csim_status csim_output_close(csim_output_writer *writer, int complete);

#endif
