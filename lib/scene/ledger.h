// scene/ledger.h: run.files, the files of a run: name, size and hash of each. A resumed run uses it
// to find files that were deleted, emptied or altered. Needs io/, base/.
//
// A text with a line for each file, in the order in which they were written:
//   FRAME SIZE HASH NAME
// FRAME is the frame's number, or - for files of the whole run, which exist when it is complete; +
// for those that a run left when it was stopped, whose size and hash are 0: they are not verified.
// SIZE is in bytes, HASH the 16 hexadecimal digits of csim_hash_bytes. An incomplete last line (a
// crash) is ignored, and so are lines that cannot be read.
#ifndef CSIM_SCENE_LEDGER_H
#define CSIM_SCENE_LEDGER_H

#include "base/log.h"

#define CSIM_LEDGER_NAME "run.files"

typedef struct csim_ledger csim_ledger;

/// Opens the ledger of a run in directory `out`, empty or with its lines up to a frame.
/// @param keep         1: keep lines of frames <= after_frame
/// @param log          must outlive the ledger
/// @param[out] ledger  NULL on failure
/// @return CSIM_IO, CSIM_MEMORY (reported)
csim_status csim_ledger_open(const char *out, int keep, int after_frame, csim_log *log,
                             csim_ledger **ledger);

/// Hashes a file of the directory and adds its line, in memory until csim_ledger_write.
/// @param whole  1: of the whole run, `frame` does not matter
csim_status csim_ledger_add(csim_ledger *ledger, int whole, int frame, const char *name);

/// Adds the line of a file that the run leaves unfinished.
csim_status csim_ledger_add_partial(csim_ledger *ledger, const char *name);

/// Writes the added lines; with `sync` they are on the disk when this returns.
csim_status csim_ledger_write(csim_ledger *ledger, int sync);

/// NULL allowed.
void csim_ledger_free(csim_ledger *ledger);

/// Result of csim_ledger_verify. All zero: no damage.
typedef struct csim_ledger_report {
  int exists;      ///< 0: there is no ledger, and nothing was verified
  int files;       ///< lines
  int whole;       ///< of them those of files of the whole run
  int damaged;     ///< files that are missing or changed
  int first_frame; ///< first frame whose OBJ files are not all as they were written; INT_MAX: none
} csim_ledger_report;

/// Compares the directory with its ledger. Warns of the first 20 files that are missing or empty,
/// or have another size or contents.
/// @param first, last  frames that should have `each` OBJ files in the ledger
/// @return CSIM_OK, also with damaged files; CSIM_IO, CSIM_MEMORY
csim_status csim_ledger_verify(const char *out, int first, int last, int each, csim_log *log,
                               csim_ledger_report *report);

/// The files that a ledger names. It may be damaged or forged: names are of the directory itself,
/// without a slash, and nothing else is known of them.
typedef struct csim_ledger_file {
  const char *name;
  int whole; ///< of the whole run
  int frame; ///< of those of a frame
} csim_ledger_file;
typedef struct csim_ledger_list {
  char *text; ///< NULL: there is no ledger
  ptrdiff_t n;
  csim_ledger_file *file; ///< (n)
} csim_ledger_list;

/// Reads the ledger of a directory; lines that cannot be read are left out.
/// @return CSIM_OK, also without a ledger; CSIM_MEMORY (reported)
csim_status csim_ledger_list_read(const char *out, csim_log *log, csim_ledger_list *list);

/// All zero allowed.
void csim_ledger_list_free(csim_ledger_list *list);

#endif
