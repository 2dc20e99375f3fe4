// scene/resume.h: checkpoints of a run, and continuing from them. Needs cache/checkpoint.h,
// scene/sim.h.
//
// A checkpoint is the state after a frame that is on disk with all earlier ones. The last one is
// OUT/run.checkpoint; the previous one stays as OUT/run.checkpoint.old until the next is complete.
#ifndef CSIM_SCENE_RESUME_H
#define CSIM_SCENE_RESUME_H

#include "cache/checkpoint.h"
#include "scene/sim.h"

#define CSIM_CHECKPOINT_NAME "run.checkpoint"
#define CSIM_RECORD_NAME "run.json"

/// Whether the n characters of `file` are the name of a checkpoint from --keep-checkpoints.
int csim_resume_kept(const char *file, size_t n);

typedef struct csim_resume {
  int complete; ///< nothing to do: the run in `out` is complete, up to last_frame
  int last_frame;
  int replace; ///< an earlier run of this scene without a checkpoint: start again over its files
  int found;   ///< continue after point.frame
  int cached;  ///< that frame has no checkpoint: its state is read from the cache
  int changed; ///< with another scene, as the user allows
  csim_checkpoint point;
  csim_run_totals totals;
} csim_resume;

/// Finds what the run in options->out can continue from: all of `resume` except what needs the
/// world.
/// @param[out] resume  csim_resume_free in any case
/// @return CSIM_INVALID when the user has to decide; CSIM_IO, CSIM_MEMORY
csim_status csim_resume_find(const csim_scene *scene, const csim_run_options *options,
                             csim_log *log, csim_resume *resume);

/// Compares the checkpoint's scene with this one. Logs every difference; they are errors unless
/// options->allow_changes.
csim_status csim_resume_compare(const csim_scene *scene, const csim_world *world,
                                const csim_run_options *options, csim_log *log,
                                csim_resume *resume);

/// Reads the state after point.frame from the cache; with `cached`, instead of csim_resume_compare.
csim_status csim_resume_from_cache(const csim_sim *sim, const csim_run_options *options,
                                   csim_log *log, csim_resume *resume);

/// Frees the checkpoint that was found (all zero allowed).
void csim_resume_free(csim_resume *resume);

/// What a run continues from: the state after a frame, and the totals up to it.
typedef struct csim_resume_point {
  int frame;
  const csim_state *state;
  const csim_run_totals *totals;
} csim_resume_point;

/// Writes a checkpoint; the previous one is kept.
/// @param keep  1: keeps this one too, as run.checkpoint-FRAME, until its directory is overwritten
csim_status csim_resume_save(const csim_scene *scene, const csim_world *world, const char *out,
                             const csim_resume_point *point, int keep, csim_log *log);

/// Removes the checkpoints in `out`; with keep_last only the one before the last.
void csim_resume_remove(const char *out, int keep_last);

#endif
