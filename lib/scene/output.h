// scene/output.h: the files of a run: frames, cache, run.json. Needs cache/, io/.
#ifndef CSIM_SCENE_OUTPUT_H
#define CSIM_SCENE_OUTPUT_H

#include "scene/compile.h"
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
  const char *out; ///< the directory; made if missing
  int overwrite;   ///< 1: remove an earlier run's files, else refuse a directory that is not empty
  int resume;      ///< 1: continue after after_frame; files of later frames are removed
  int after_frame;
  int changed; ///< 1: the scene has changed: the cache is written again with the old frames
  const csim_run_report *report; ///< for the first record
  int folder;                    ///< the directory from csim_output_enter; -1: it is entered now
} csim_output_start;

/// Opens the directory, if it exists, and keeps other runs out of it while *folder is open. Call it
/// before reading anything that another run may still be writing.
/// @param[out] folder  -1 when there is no such directory, or on failure; else to be given to
///                     csim_output_create, or closed
csim_status csim_output_enter(const char *out, csim_log *log, int *folder);

/// Removes the temporary files that a killed run of the scene has left in an entered directory.
csim_status csim_output_sweep(const csim_scene *scene, const char *out, int folder, csim_log *log);

/// Creates or takes over the directory, and keeps other runs out of it. Removes temporary files of
/// a killed run. A resumed run writes the formats of other programs again from the cache. The
/// writer owns start->folder from here on, whatever is returned.
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
