// tools/farm/farm.h: a sweep over one scene, and what is written about it. Needs clothsim.h, cJSON.
#ifndef CSIM_TOOLS_FARM_H
#define CSIM_TOOLS_FARM_H

#include "tool.h"

#include <cjson/cJSON.h>

enum {
  FARM_MAX_AXIS = 16,
  FARM_MAX_VALUE = 10000,  ///< of one axis
  FARM_MAX_WEDGE = 100000, ///< of their product
  FARM_MAX_BUILT = 32,     ///< wedges that are built to see whether they can be
  FARM_MAX_WORD = 64,      ///< exports, sbatch lines, words for clothsim
  FARM_NAME = 120,         ///< of a wedge, with its 0
  FARM_ARRAY = 1000,       ///< tasks of an array job; Slurm's own limit is 1001 unless configured
};

/// One parameter of the sweep: `path=value,value,...`.
typedef struct farm_axis {
  char *path;
  const char *label; ///< the shortest end of the path that no other axis has; in `path`
  int nvalue;
  char **value; ///< (nvalue)
} farm_axis;

typedef struct farm {
  tool_log log;
  const char *scene, *out; ///< as given
  char *folder;            ///< of the output, absolute
  char *program, *cache;   ///< paths of clothsim and clothcache
  int naxis;
  farm_axis axis[FARM_MAX_AXIS];
  int nwedge;     ///< product of the numbers of values, 1 without axes
  int nbuilt;     ///< of those, so far
  char *name;     ///< of the scene
  uint64_t *hash; ///< (nwedge) of the scenes
  int nexport, nsbatch, nword;
  const char *exports[FARM_MAX_WORD]; ///< formats
  const char *sbatch[FARM_MAX_WORD];  ///< options of sbatch
  const char *word[FARM_MAX_WORD];    ///< further options of clothsim
  const char *cpus, *memory, *time;   ///< NULL = not said; checked by farm_check
  int throttle;                       ///< most tasks at a time, 0 = no limit
  int array_size;                     ///< most tasks of an array job
} farm;

/// A file being written; it gets its name when it is complete.
typedef struct farm_file {
  FILE *stream;
  char *path, *temp;
} farm_file;

/// Which value axis `a` has in a wedge: the last axis runs fastest.
int farm_value(const farm *f, int wedge, int a);

/// `w0003_bend-2x_friction-0.4`: number, labels, values; brackets and quotes are left out, other
/// letters that a file name should not have become '_'.
void farm_wedge_name(const farm *f, int wedge, char name[FARM_NAME]);

/// Reads `path=value,...`; commas in brackets and quotes separate nothing. @return 0, or -1
/// (reported)
int farm_add_axis(farm *f, const char *text);

/// Chooses the labels and counts the wedges. @return 0, or -1 (reported)
int farm_finish_axes(farm *f);

/// Refuses what could become a command or a line of its own in a script: control characters in
/// anything that is written there, and sizes, times and counts that are none.
/// @return 0, or -1 (reported)
int farm_check(const farm *f);

/// Whether a text, named `what` in the message, is UTF-8 without control characters. @return 0, or
/// -1 (reported)
int farm_check_text(const farm *f, const char *what, const char *text);

/// Memory in MiB of a size as Slurm has it (512M, 2G; without a letter MiB). @return -1 for none
long long farm_memory(const char *text);

/// Opens DIR/name. @return NULL (reported)
FILE *farm_create(farm *f, const char *name, farm_file *file);

/// Gives it its name, and makes it a program when asked to. @return CSIM_OK or CSIM_IO (reported)
csim_status farm_commit(farm *f, farm_file *file, int executable);

/// A word for the shell, in quotes where needed. Holds no two braces side by side, which a
/// template of OpenJD would replace.
void farm_shell_word(FILE *out, const char *word);

/// `--set 'path=value' ...` of a wedge, for the shell.
void farm_sets(const farm *f, FILE *out, int wedge);

/// The three forms. CSIM_OK, CSIM_IO or CSIM_MEMORY (reported)
csim_status farm_emit_commands(farm *f);
csim_status farm_emit_slurm(farm *f);
csim_status farm_emit_openjd(farm *f);

#endif
