// scene/output.h: writes the files of a run: frames, cache, run.json. Needs
// scene/output_directory.h, cache/, io/.
#ifndef CSIM_SCENE_OUTPUT_H
#define CSIM_SCENE_OUTPUT_H

#include "scene/compile.h"
#include "scene/output_directory.h"
#include "scene/samples.h"
#include "solver/step.h"

typedef struct csim_output_writer csim_output_writer;

/// Totals over the substeps of one frame, for the frame's statistics.
typedef struct csim_frame_stats {
  long long substeps, iterations, linear_iterations, contacts, halved, unconverged;
  double residual; ///< largest of the frame's substeps, [-]
} csim_frame_stats;

/// How the files of a run are started.
typedef struct csim_output_start {
  csim_output_directory *directory; ///< made and entered unless it is; must outlive the writer
  int overwrite; ///< 1: remove an earlier run's files, else refuse a directory that is not empty
  int resume;    ///< 1: continue after after_frame; files of later frames are removed
  int after_frame;
  int changed; ///< 1: the scene has changed: the cache is written again with the old frames
  const csim_run_report *report; ///< for the first record
} csim_output_start;

/// Claims the directory, clears it of an earlier run, and begins the files of frames. A resumed run
/// writes the formats of other programs again from the cache.
csim_status csim_output_create(const csim_scene *scene, const csim_world *world,
                               const csim_output_start *start, csim_log *log,
                               csim_output_writer **writer);

/// Sets the source of contact pressures, if the scene wants them: the last step of a solver.
void csim_output_follow(csim_output_writer *writer, csim_solver *solver);

/// Collects the data of a frame for csim_output_write; the previous frame must be written.
/// @param time   [s] from the start frame
/// @param state    must not change until that has returned
/// @param samples  between the frame before and this one; NULL, or none taken: as the frame
void csim_output_take(csim_output_writer *writer, int frame, double time, const csim_state *state,
                      const csim_samples *samples, const csim_frame_stats *stats);

/// Writes the collected frame in every format of the scene. Files appear whole or not at all. This
/// and csim_output_record may be called from another thread: they use nothing that a run changes.
csim_status csim_output_write(csim_output_writer *writer);

/// Writes run.json, the record of a run's state: state is "running", "complete", "stopped" or
/// "failed".
csim_status csim_output_record(csim_output_writer *writer, const char *state,
                               const csim_run_report *report);

/// Waits until the cache's frames so far are on the disk. Needed before a checkpoint continues
/// after them.
csim_status csim_output_sync(csim_output_writer *writer);

/// Finishes the files of frames. The writer can still record.
/// @param complete  1: the cache is complete and gets its final name
csim_status csim_output_finish(csim_output_writer *writer, int complete);

/// Removes the old cache that a resumed run with a changed scene has kept. Call it when a
/// checkpoint of the new scene is written.
void csim_output_forget_old(csim_output_writer *writer);

/// Frees the writer (NULL allowed), after csim_output_finish(writer, 0) if that was not called.
void csim_output_free(csim_output_writer *writer);

#endif
