// cache/sequence.h: what the readers of frames share. Needs io/, base/.
#ifndef CSIM_CACHE_SEQUENCE_H
#define CSIM_CACHE_SEQUENCE_H

#include "base/arena.h"
#include "base/log.h"
#include "clothsim.h"

typedef struct csim_sequence_kind csim_sequence_kind;

struct csim_sequence {
  csim_arena arena; ///< everything the information points to
  const csim_sequence_kind *kind;
  csim_log *log;
  char *path;
  const char *wanted; ///< of a folder: "obj", "ply", "stl", "rest", "rest-ply", "pc2" or "mdd"
  csim_sequence_info info;
  void *state;
};

/// A way to read frames. Functions say what failed.
struct csim_sequence_kind {
  const char *name;
  csim_status (*open)(csim_sequence *s); ///< fills `info` and `state`
  csim_status (*read)(csim_sequence *s, int object, int frame, double *x, double *v);
  int (*has)(const csim_sequence *s, int object, int frame); ///< NULL: every object in every frame
  void (*free)(csim_sequence *s); ///< also after a failed open
};

extern const csim_sequence_kind csim_sequence_cache, csim_sequence_files, csim_sequence_pc2,
    csim_sequence_mdd;

/// Logs "out of memory" and returns CSIM_MEMORY.
static inline csim_status csim_sequence_memory(const csim_sequence *s) {
  csim_say(s->log, CSIM_ERROR, (csim_place){.file = s->path}, "out of memory");
  return CSIM_MEMORY;
}

/// The files of one kind in the folder s->path, as csim_sequence_kind_of has it, in no order.
/// @param[out] name   (*count) in the sequence's arena
/// @return CSIM_OK, CSIM_IO (said), CSIM_MEMORY
csim_status csim_sequence_list(csim_sequence *s, const char *kind, int *count, char ***name);

/// The sorted union of n numbers, in place. @return how many are left
int csim_sequence_numbers(ptrdiff_t n, long long *number);

#endif
