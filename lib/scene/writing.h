// scene/writing.h: writes frames while the next one is simulated, and records what is on disk.
// Needs scene/output.h.
//
// A frame is copied, and a free thread writes it. Until that has succeeded the state after the
// previous frame is kept: only that state may become a checkpoint.
#ifndef CSIM_SCENE_WRITING_H
#define CSIM_SCENE_WRITING_H

#include "scene/output.h"

typedef struct csim_writing {
  csim_pool *pool;
  csim_output_writer *output;
  csim_log *log;
  csim_kept_log said;      ///< messages of `output`, passed on by the caller's thread
  csim_run_report *report; ///< its last_frame and frames_written say what is on disk
  // behind report->last_frame
  csim_state good;
  csim_run_totals good_totals;
  // the frame on its way
  int busy;
  csim_state state;
  csim_run_report record; ///< to be written when the frame is on disk
  csim_status status;
} csim_writing;

/// Allocates copies of states like `state`, whose colliders are nkinematic three-vectors. The
/// report has no frame, or csim_writing_behind follows. NULL pool: frames are written at once.
/// @return 0, or -1 when out of memory; csim_writing_free in any case
int csim_writing_create(csim_pool *pool, const csim_state *state, int nkinematic, csim_log *log,
                        csim_run_report *report, csim_writing *writing);

/// Begins the files, see csim_output_create.
csim_status csim_writing_begin(csim_writing *writing, const csim_scene *scene,
                               const csim_world *world, const csim_output_start *start);

/// Starts after a frame that is on disk already: that of the checkpoint that the run continues
/// from.
/// @return 0, or -1 when out of memory
int csim_writing_behind(csim_writing *writing, int frame, const csim_state *state);

/// Passes a frame and the report to the writer, after the previous frame is on disk.
/// @return result of writing the previous frame, or of copying this one
csim_status csim_writing_frame(csim_writing *writing, int frame, double time,
                               const csim_state *state, const csim_samples *samples,
                               const csim_frame_stats *stats);

/// Waits until that frame is on disk, with its record.
/// @return result of writing it; CSIM_OK if there is none
csim_status csim_writing_wait(csim_writing *writing);

/// Waits, and frees everything (all zero allowed).
void csim_writing_free(csim_writing *writing);

#endif
