// scene/writing.h: frames on their way to the disk while the next one is simulated, and what is
// there for certain. Needs scene/output.h.
//
// A frame that is handed over is copied, and a free thread writes it. Until that has ended well the
// state behind the frame before it is kept: it is what a checkpoint may hold.
#ifndef CSIM_SCENE_WRITING_H
#define CSIM_SCENE_WRITING_H

#include "scene/output.h"

typedef struct csim_writing {
  csim_pool *pool;
  csim_output_writer *output;
  csim_log *log;
  csim_kept_log said;      ///< messages of `output`, passed on in the caller's thread
  csim_run_report *report; ///< its last_frame and frames_written say what is on disk
  // behind report->last_frame
  csim_state good;
  csim_run_totals good_totals;
  // the frame on its way
  int busy;
  csim_state state;
  csim_run_report record; ///< what is to be recorded when it is on disk
  csim_status status;
} csim_writing;

/// Allocates copies of states like `state`, whose colliders are nkinematic three-vectors. The
/// report has no frame, or csim_writing_behind follows. NULL pool: frames are written at once.
/// @return CSIM_OK or CSIM_MEMORY; csim_writing_free in any case
csim_status csim_writing_create(csim_pool *pool, const csim_state *state, int nkinematic,
                                csim_log *log, csim_run_report *report, csim_writing *writing);

/// Begins the files, see csim_output_create.
csim_status csim_writing_begin(csim_writing *writing, const csim_scene *scene,
                               const csim_world *world, const csim_output_start *start);

/// A frame is on disk already: that of the checkpoint which the run goes on from.
/// @return CSIM_OK or CSIM_MEMORY
csim_status csim_writing_behind(csim_writing *writing, int frame, const csim_state *state);

/// Hands a frame over, with the report as it is, after the one before it is on disk.
/// @return result of writing the frame before, or of copying this one
csim_status csim_writing_frame(csim_writing *writing, int frame, double time,
                               const csim_state *state, const csim_samples *samples,
                               const csim_frame_stats *stats);

/// Waits until the frame handed over is on disk, with its record.
/// @return result of writing it; CSIM_OK when there is none
csim_status csim_writing_wait(csim_writing *writing);

/// Waits, and frees everything (all zero allowed).
void csim_writing_free(csim_writing *writing);

#endif
