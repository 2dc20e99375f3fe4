// base/log.h: messages of the library. Needs clothsim.h for the message.
#ifndef CSIM_BASE_LOG_H
#define CSIM_BASE_LOG_H

#include "clothsim.h"

#include <stddef.h>
#include <stdint.h>

/// The place a message is about; all fields optional ({0} = nowhere).
typedef struct csim_place {
  const char *file;
  int line, column;
  const char *pointer;
} csim_place;

/// A file as a whole. NULL: nowhere.
static inline csim_place csim_in_file(const char *file) {
  return (csim_place){.file = file};
}

/// Sends one formatted line. `log` may be NULL. Lines over 1,000 characters are cut.
void csim_say(csim_log *log, csim_level level, csim_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// Sends an error and returns its status: `return csim_fail(log, CSIM_IO, place, "cannot ...")`.
csim_status csim_fail(csim_log *log, csim_status status, csim_place place, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/// csim_fail with CSIM_INVALID: what the user or a file gave cannot be used.
csim_status csim_refuse(csim_log *log, csim_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/// csim_fail with CSIM_IO and the reason of the system: "cannot <what>: Permission denied". Adds
/// the remedy where a disk is full.
/// @param what   "open", "rename"
/// @param error  a value of errno
csim_status csim_fail_system(csim_log *log, const char *file, const char *what, int error);

/// csim_fail with CSIM_MEMORY. `file` names what the memory was for; NULL allowed.
csim_status csim_fail_memory(csim_log *log, const char *file);

/// A log that keeps messages, on any one thread, for csim_kept_log_flush. Zero-initialise.
typedef struct csim_kept_log {
  csim_log log; ///< to be passed on, after csim_kept_log_begin
  struct csim_kept_message *first, *last;
} csim_kept_log;

/// Starts with no messages kept.
void csim_kept_log_begin(csim_kept_log *kept);

/// Passes all kept messages to a log (NULL allowed), in order, and drops them.
void csim_kept_log_flush(csim_kept_log *kept, csim_log *log);

/// A log that passes messages on, but those with the place and words of an earlier one only if they
/// are errors. For one thread. Zero-initialise.
typedef struct csim_once_log {
  csim_log log; ///< to be passed on, after csim_once_log_begin
  csim_log *to;
  ptrdiff_t nsaid, capacity;
  uint64_t *said; ///< (nsaid) hashes of messages; heap
} csim_once_log;

/// Starts with no messages known.
/// @param to  NULL allowed
void csim_once_log_begin(csim_once_log *once, csim_log *to);
void csim_once_log_end(csim_once_log *once);

/// The name in `names` (NULL-terminated) nearest to `word` by edit distance, or NULL if none is
/// near enough to be a typing error (distance above a third of the word's length, at least 1).
const char *csim_nearest_name(const char *word, const char *const *names);

#endif
