// scene/output_directory.h: the directory that a run writes into: which names are a run's files,
// and what an earlier run has left. Needs scene/scene.h, scene/ledger.h, scene/inputs.h,
// scene/resume.h, io/.
#ifndef CSIM_SCENE_OUTPUT_DIRECTORY_H
#define CSIM_SCENE_OUTPUT_DIRECTORY_H

#include "scene/ledger.h"
#include "scene/scene.h"

/// A directory, and what is known of it. The caller sets the first three members.
typedef struct csim_output_directory {
  const csim_scene *scene;  ///< of the run that writes into it
  const char *path;         ///< must outlive this
  int folder;               ///< open and locked; -1: not entered
  csim_ledger_list earlier; ///< files that an earlier run has left; empty after csim_output_clear
  char *earlier_scene;      ///< name of its scene; NULL: not known
  int earlier_whole;        ///< 1: it was complete
} csim_output_directory;

/// Whether a run has an output: "obj", "cache", "points" (any format with a file of points), or a
/// format of "output.formats".
int csim_output_has(const csim_output *output, const char *name);

/// Digits of the frame numbers in names of files, the same for all frames of a run.
int csim_output_digits(const csim_scene *scene);

/// Opens the directory, if it exists, and keeps other runs out of it until csim_output_leave. Call
/// it before reading anything that another run may still be writing.
/// @return CSIM_OK, also when there is no such directory; CSIM_IO (reported)
csim_status csim_output_enter(csim_output_directory *directory, csim_log *log);

/// Removes the temporary files that a killed run of the scene has left in an entered directory.
csim_status csim_output_sweep(const csim_output_directory *directory, csim_log *log);

/// Makes and enters the directory, unless it is entered, and finds what an earlier run has left.
/// @param replace  0: refuses a directory in which there is more than temporary files of the scene
/// @return CSIM_INVALID where an input of the scene would be replaced, or the directory is refused;
///         CSIM_IO, CSIM_MEMORY (all reported)
csim_status csim_output_claim(csim_output_directory *directory, int replace, csim_log *log);

/// Removes the files of an earlier run from a claimed directory: those that its ledger names, and
/// those that this run will write. The record and the ledger stay until they are replaced: with
/// them the remaining files are known to be a run's, wherever this is interrupted.
/// @param resume  1: removes only files of frames after after_frame; 0: all
/// @return CSIM_IO, CSIM_MEMORY (reported)
csim_status csim_output_clear(csim_output_directory *directory, int resume, int after_frame,
                              csim_log *log);

/// Adds the files of the whole run that are in the directory to its ledger, in the order of their
/// names, and writes it.
/// @param complete  0: the run was stopped, and left them unfinished
/// @return CSIM_IO, CSIM_MEMORY (reported)
csim_status csim_output_note_files(const csim_output_directory *directory, int complete,
                                   csim_ledger *ledger, csim_log *log);

/// Lets other runs in, and frees what was known. Nothing happens where nothing was entered.
void csim_output_leave(csim_output_directory *directory);

#endif
