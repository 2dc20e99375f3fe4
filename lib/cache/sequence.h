// cache/sequence.h: shared by the readers of frames. Needs io/, base/.
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
  int one;            ///< only one object will be read:
  const char *part;   ///< its name, NULL: there is only one
  int nsample;        ///< of a cache with one object read: samples that are frames of their own
  csim_sequence_info info;
  void *state;
};

/// A way to read frames. Functions report their failures.
struct csim_sequence_kind {
  const char *name;
  csim_status (*open)(csim_sequence *s); ///< fills `info` and `state`
  csim_status (*read)(csim_sequence *s, int object, int frame, double *x, double *v);
  /// As csim_sequence_read_polygons; NULL: faces stay.
  csim_status (*polygons)(csim_sequence *s, int object, int frame, csim_polygons **surface);
  int (*has)(const csim_sequence *s, int object, int frame); ///< NULL: every object in every frame
  /// Finds an object by other names than info has; NULL: there are no others.
  csim_status (*find)(csim_sequence *s, const char *name, int *object);
  void (*free)(csim_sequence *s); ///< also after a failed open
};

extern const csim_sequence_kind csim_sequence_files, csim_sequence_pc2, csim_sequence_mdd,
    csim_sequence_abc;

/// Logs "out of memory" and returns CSIM_MEMORY.
static inline csim_status csim_sequence_memory(const csim_sequence *s) {
  csim_say(s->log, CSIM_ERROR, csim_in_file(s->path), "out of memory");
  return CSIM_MEMORY;
}

/// Opens a sequence of which one object will be read. Formats with all objects in a file read the
/// faces of this one only: of the others, `info` has the names.
/// @param part         as csim_sequence_choose has it
/// @param[out] object  its number
csim_status csim_sequence_open_part(const char *path, const char *part, csim_log *log,
                                    csim_sequence **sequence, int *object);

/// The object of a name, or the only one when name is NULL; says what is wrong.
csim_status csim_sequence_choose(csim_sequence *s, const char *name, int *object);

/// Whether a file holds frames with faces: a cache or an Alembic file; else it may be a mesh.
int csim_sequence_is_archive(const char *path);

/// The files of one kind in the folder s->path, as csim_sequence_kind_of has it, in no order.
/// @param[out] name   (*count) in the sequence's arena
/// @return CSIM_OK, CSIM_IO (reported), CSIM_MEMORY
csim_status csim_sequence_list(csim_sequence *s, const char *kind, int *count, char ***name);

/// The sorted union of n numbers, in place. @return how many are left
int csim_sequence_numbers(ptrdiff_t n, long long *number);
/// The order of such numbers, for bsearch.
int csim_sequence_by_number(const void *a, const void *b);

#endif
