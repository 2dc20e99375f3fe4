// cli/options.h: the command line of clothsim.
#ifndef CSIM_CLI_OPTIONS_H
#define CSIM_CLI_OPTIONS_H

typedef enum progress_style {
  PROGRESS_AUTO, ///< JSON beside JSON messages, else a bar on a terminal, else plain lines
  PROGRESS_BAR,
  PROGRESS_PLAIN,
  PROGRESS_JSON,
  PROGRESS_ALF,
  PROGRESS_OPENJD,
  PROGRESS_NONE,
} progress_style;

typedef enum cli_action {
  ACTION_RUN,
  ACTION_CHECK,
  ACTION_PRINT_CONFIG,
  ACTION_PRINT_SCHEMA,
  ACTION_DUMP_MODEL,
  ACTION_VERIFY_CONTACT, ///< `scene` is a cache then
  ACTION_HELP,
  ACTION_VERSION,
} cli_action;

enum { MAX_SETS = 256 };

typedef struct cli_options {
  cli_action action;
  const char *scene, *out, *dump;
  int threads; // 0 = decide
  int overwrite, verify_substeps, strict, quiet, verbose, json;
  int resume, has_resume_from, resume_from, from_cache, allow_changes;
  int checkpoint_frames, keep_checkpoints; // one of frames and seconds is 0
  double checkpoint_seconds;
  double max_time; // [s] 0 = none
  progress_style progress;
  int nset;
  const char *set[MAX_SETS];
  char start[64], end[64]; // storage of the sets that -s, -e and --frames make
} cli_options;

/// Reads the command line. Complains on stderr. @return 0, or the exit code to end with
int read_options(int argc, char **argv, cli_options *options);

void print_help(void);

/// Threads to use: -j, else CLOTHSIM_THREADS, OMP_NUM_THREADS, SLURM_CPUS_PER_TASK, else the CPUs
/// this process may run on, at most the cgroup's quota.
int choose_threads(const cli_options *options);

#endif
