// cache/ogawa_read.h: the container of Alembic files, read. cache/ogawa.h has its layout. Needs
// base/.
//
// Nothing in the file is trusted: every position and size is compared with the size of the file
// before anything is read or allocated, and what is read altogether is bounded, since groups may
// refer to the same bytes again and again.
#ifndef CSIM_CACHE_OGAWA_READ_H
#define CSIM_CACHE_OGAWA_READ_H

#include "base/log.h"
#include "cache/ogawa.h"

#include <stddef.h>

typedef struct csim_ogawa {
  const char *path;
  csim_log *log;
  int fd;          ///< -1: not open
  uint64_t size;   ///< [bytes] of the file
  uint64_t budget; ///< [bytes] that may still be read
} csim_ogawa;

/// A group that lies within the file.
typedef struct csim_ogawa_node {
  uint64_t at; ///< position of its first child word
  uint64_t nchild;
} csim_ogawa_node;

/// Opens a file and finds its root group.
/// @param path       kept; log is kept too and may be NULL
/// @param[out] file  csim_ogawa_close in any case
/// @return CSIM_OK; CSIM_IO or CSIM_INVALID (reported): cannot be opened, HDF5, unfinished, damaged
csim_status csim_ogawa_open(const char *path, csim_log *log, csim_ogawa *file,
                            csim_ogawa_node *root);
void csim_ogawa_close(csim_ogawa *file);

/// Reports that the file is damaged, and how. @return CSIM_IO
csim_status csim_ogawa_damaged(const csim_ogawa *file, const char *what);

/// The group that a word refers to.
/// @param[out] group  with no children for the empty group
csim_status csim_ogawa_enter(csim_ogawa *file, csim_ogawa_word word, csim_ogawa_node *group);

/// The word of child k.
csim_status csim_ogawa_child(csim_ogawa *file, const csim_ogawa_node *group, uint64_t k,
                             csim_ogawa_word *word);

/// Size [bytes] of the data a word refers to.
csim_status csim_ogawa_measure(csim_ogawa *file, csim_ogawa_word word, uint64_t *size);

/// Reads n bytes of data from `offset` on. offset + n <= its size, which the caller has measured.
csim_status csim_ogawa_bytes(csim_ogawa *file, csim_ogawa_word word, uint64_t offset, size_t n,
                             void *bytes);

/// Reads all of the data.
/// @param most       [bytes] larger data is damage
/// @param[out] data  heap memory with one more byte, 0, behind it; release with free(). NULL on
///                   failure
csim_status csim_ogawa_whole(csim_ogawa *file, csim_ogawa_word word, size_t most, uint8_t **data,
                             size_t *size);

#endif
