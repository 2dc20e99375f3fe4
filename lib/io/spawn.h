// io/spawn.h: runs another program to its end, with input and output by pipes. Needs base/.
#ifndef CSIM_IO_SPAWN_H
#define CSIM_IO_SPAWN_H

#include "clothsim.h"

typedef struct csim_child {
  const char *const *argv; ///< (NULL-terminated) argv[0] is the program: a path, or, without a
                           ///< slash, a name looked up in PATH
  const void *input;       ///< what the child reads on stdin
  size_t ninput;           ///< [bytes]
  double time_limit;       ///< [s] wall clock, > 0; then the child is killed
  size_t output_limit;     ///< [bytes] of stdout; beyond, the child is killed
} csim_child;

typedef enum csim_child_end {
  CSIM_CHILD_EXITED,   ///< code = its exit code
  CSIM_CHILD_SIGNALED, ///< code = the signal that ended it
  CSIM_CHILD_TIMEOUT,  ///< killed: time limit
  CSIM_CHILD_FLOODED,  ///< killed: output limit
  CSIM_CHILD_UNSTARTED ///< code = errno
} csim_child_end;

typedef struct csim_child_result {
  csim_child_end end;
  int code;
  unsigned char *output; ///< (noutput) all of its stdout until it ended; free() it
  size_t noutput;
  char said[256]; ///< the last line of its stderr that is not empty
} csim_child_result;

/// Runs a program and waits for it. Input and output flow at the same time, so neither side can
/// block the other; input the child does not want is dropped. The child starts with default signal
/// dispositions and an empty mask. SIGPIPE never reaches this process.
///
/// @param[out] result  overwritten; free(result->output)
/// @return CSIM_OK when it ran, however it ended; CSIM_IO when it could not be started or pipes
///         fail (see end and code); CSIM_MEMORY
/// Thread-safe. Needs SIGCHLD not to be ignored, as POSIX has it by default.
csim_status csim_run_child(const csim_child *child, csim_child_result *result);

#endif
