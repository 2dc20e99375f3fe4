// clothsim.h: the only public header. Programs in cli/ and tools/ use nothing else of lib/.
//
// Data flows one way: scene (what the user wrote) -> model (constant) + state -> step -> cache.
// The library never prints and never exits: it returns a status and tells the details to a csim_log.
// All quantities are SI; the unit stands in brackets. Positions are (n x 3) row-major doubles.
#ifndef CLOTHSIM_H
#define CLOTHSIM_H

#include <stddef.h>
#include <stdint.h>

#define CSIM_VERSION_MAJOR 0
#define CSIM_VERSION_MINOR 1
#define CSIM_VERSION_PATCH 0
#define CSIM_VERSION "0.1.0"

/// What became of a call. The numbers are the exit codes of the programs.
typedef enum csim_status {
  CSIM_OK = 0,
  CSIM_FAILED = 1,   ///< numerical: the solver gave up; the last good frame is kept
  CSIM_INVALID = 2,  ///< the user's: usage, scene or mesh; the log says where and what to do
  CSIM_IO = 3,       ///< a file could not be read or written; the log names it
  CSIM_MEMORY = 4,   ///< out of memory
  CSIM_STOPPED = 75, ///< stopped on request; can be resumed (EX_TEMPFAIL)
} csim_status;

// ------------------------------------------------------------------------------------- messages

typedef enum csim_level { CSIM_DEBUG, CSIM_INFO, CSIM_WARNING, CSIM_ERROR } csim_level;

/// One message with its place. Pointers are valid during the call only.
typedef struct csim_message {
  csim_level level;
  const char *file;    ///< file it is about, or NULL
  int line, column;    ///< 1-based place in the file; 0 if unknown
  const char *pointer; ///< JSON pointer into the scene, or NULL
  const char *text;    ///< one line, no newline
} csim_message;

/// Where messages go. A NULL log is allowed everywhere and swallows them.
typedef struct csim_log {
  void (*write)(void *user, const csim_message *message); ///< may be NULL: only count
  void *user;
  int nerror;   ///< errors seen so far
  int nwarning; ///< warnings seen so far
} csim_log;

// ------------------------------------------------------------------------------------------ runs

typedef struct csim_scene csim_scene;

/// Where a run is. Pointers are valid during the call only.
typedef struct csim_progress {
  int frame_start, frame_end;
  int frame;                  ///< being computed; frames before it are on disk
  int substep, substeps;      ///< done within the frame
  double share;               ///< of the whole run, [0, 1]
  long long iterations;       ///< outer iterations in this frame so far
  long long linear_iterations;
  long long contacts;         ///< vertices pushed by colliders in this frame so far
  double residual;            ///< of the last substep, [-]
} csim_progress;

typedef struct csim_run_options {
  const char *out;            ///< directory; made if missing
  const char *tet_program;    ///< path of clothsim-tet
  int nthread;                ///< >= 1
  int overwrite;              ///< 1: replace an earlier run's files in `out`
  const volatile int *stop;   ///< becomes non-zero (a signal) = finish the substep and stop; or NULL
  void (*progress)(void *user, const csim_progress *progress); ///< after every substep; or NULL
  void *user;
} csim_run_options;

typedef struct csim_run_report {
  int frames_written;
  int last_frame;      ///< last good frame on disk; frame_start - 1 when there is none
  int nvert, ntri, ntet, nspring;
  long long substeps, halved_substeps, unconverged_substeps;
  char reason[256];    ///< why it ended, one line
} csim_run_report;

/// The main job: compiles the scene, steps it, writes frames, cache and run.json into `out`.
/// @return CSIM_OK; CSIM_FAILED when the solver gave up; CSIM_STOPPED; CSIM_INVALID, CSIM_IO,
///         CSIM_MEMORY. The last good frame stays on disk in any case.
csim_status csim_run(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                     csim_run_report *report);

/// What a run would be, without simulating.
typedef struct csim_check_report {
  int nvert, nfixed, ntri, ntet, nspring, nhinge;
  int frames, substeps;
  size_t memory;       ///< [bytes] of model, state and solver
} csim_check_report;
csim_status csim_check(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                       csim_check_report *report);

/// Writes masses, pins, springs, gravity and step as JSON, for independent judges: {"mass": [..],
/// "pins": [..], "gravity": [x, y, z], "springs": [[i, j, k, L], ..], "h": h, "damping": 0}.
csim_status csim_dump_model(const csim_scene *scene, const csim_run_options *options,
                            const char *path, csim_log *log);

#endif
