// cli/clothsim.c: the main program: options in, exit code out. All work is the library's.
#include "clothsim.h"
#include "options.h"
#include "report.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile int stop_requested;

// The first signal asks for a stop within the substep; an INT after that quits at once. More of the
// others change nothing: a batch system may send several while the checkpoint is written.
static void on_signal(int number) {
  if (stop_requested && number == SIGINT) {
    signal(number, SIG_DFL);
    raise(number);
  }
  stop_requested = 1;
}

// All that batch systems and terminals end a job with. Under nohup HUP stays ignored. (INT is
// caught even so: shells ignore it in scripts for whatever runs in the background.)
static void catch_signals(void) {
  static const int numbers[] = {SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGHUP, SIGXCPU};
  struct sigaction caught = {.sa_handler = on_signal}, before;
  for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
    if (numbers[k] != SIGHUP || sigaction(SIGHUP, NULL, &before) || before.sa_handler != SIG_IGN)
      sigaction(numbers[k], &caught, NULL);
  signal(SIGPIPE, SIG_IGN); // progress has no reader any more: no reason to stop
}

// clothsim-tet beside this program, unless CLOTHSIM_TET says otherwise.
static const char *find_tet_program(void) {
  static char path[PATH_MAX + 32];
  const char *given = getenv("CLOTHSIM_TET");
  if (given && *given) return given;
  ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
  if (n <= 0) return "clothsim-tet";
  path[n] = 0;
  char *slash = strrchr(path, '/');
  strcpy(slash ? slash + 1 : path, "clothsim-tet");
  return path;
}

static void print_version(void) {
#ifdef __clang__
  const char *compiler = "clang " __clang_version__;
#else
  const char *compiler = "gcc " __VERSION__;
#endif
  printf("clothsim %s\ncompiler: %s\nflags: %s\ncommit: %s\n", CSIM_VERSION, compiler,
         CSIM_BUILD_FLAGS, CSIM_BUILD_COMMIT);
}

static void print_check(const cli_options *o, const csim_check_report *c) {
  if (o->json)
    printf("{\"vertices\": %d, \"pinned\": %d, \"triangles\": %d, \"tetrahedra\": %d, \"springs\": "
           "%d, "
           "\"hinges\": %d, \"frames\": %d, \"substeps\": %d, \"bytes\": %zu}\n",
           c->nvert, c->nfixed, c->ntri, c->ntet, c->nspring, c->nhinge, c->frames, c->substeps,
           c->memory);
  else
    printf(
        "%s: ok: %d vertices (%d pinned), %d triangles, %d tetrahedra, %d springs, %d hinges; %d "
        "frames of %s%d substeps; about %.1f MB\n",
        o->scene, c->nvert, c->nfixed, c->ntri, c->ntet, c->nspring, c->nhinge, c->frames,
        c->adaptive ? "up to " : "", c->substeps, 1e-6 * (double)c->memory);
}

static void print_summary(const cli_options *o, csim_status status, const csim_run_report *r) {
  const csim_run_seconds *s = &r->seconds;
  if (o->json) {
    char after[16] = "null";
    if (r->resumed) snprintf(after, sizeof after, "%d", r->resumed_after);
    printf("{\"status\": %d, \"reason\": ", (int)status);
    print_json_string(stdout, r->reason);
    printf(
        ", \"frames_written\": %d, \"resumed_after\": %s, \"last_frame\": %d, \"vertices\": %d, "
        "\"substeps\": %lld, "
        "\"halved_substeps\": %lld, \"unconverged_substeps\": %lld, \"lagged_substeps\": %lld, "
        "\"iterations\": %lld, \"linear_iterations\": %lld, \"seconds\": {\"start\": %.6f, "
        "\"elasticity\": %.6f, \"linear\": %.6f, \"search\": %.6f, \"contact\": %.6f, \"output\": "
        "%.6f, \"other\": %.6f}}\n",
        r->frames_written, after, r->last_frame, r->nvert, r->total.taken, r->total.halved,
        r->total.unconverged, r->total.lagged, r->iterations_taken, r->linear_iterations, s->start,
        s->elasticity, s->linear, s->search, s->contact, s->output, s->other);
    return;
  }
  if (o->quiet || !r->reason[0]) return; // not started: the messages have said why
  fprintf(stderr, "clothsim: %s: %d frames in %s", r->reason, r->frames_written, o->out);
  if (r->resumed) fprintf(stderr, ", resumed after frame %d", r->resumed_after);
  if (r->total.halved) fprintf(stderr, "; %lld substeps were halved", r->total.halved);
  if (r->total.unconverged && r->iterations > 1)
    fprintf(stderr, "; %lld of %lld substeps stopped at the iteration limit", r->total.unconverged,
            r->total.taken);
  if (r->total.lagged)
    fprintf(stderr, "; colliders or pins lagged in %lld substeps", r->total.lagged);
  fputc('\n', stderr);
  if (o->verbose)
    fprintf(
        stderr,
        "seconds: start %.2f, elasticity %.2f, linear systems %.2f, search for pairs %.2f, other "
        "contact %.2f, output %.2f, other %.2f; threads at the end: %d\n",
        s->start, s->elasticity, s->linear, s->search, s->contact, s->output, s->other, r->threads);
}

// Whether everything printed arrived: a full disk or a closed pipe shows only here.
static csim_status flush_stdout(csim_status status) {
  if (!fflush(stdout) && !ferror(stdout)) return status;
  perror("clothsim: standard output");
  return status ? status : CSIM_IO;
}

static csim_status verify_contact(const cli_options *o, csim_log *log) {
  csim_verify_report report;
  csim_status status = csim_verify_contact(o->scene, choose_threads(o), log, &report);
  if (status && status != CSIM_FAILED) return status;
  if (o->json)
    printf("{\"frames\": %d, \"crossing\": %lld, \"worst_frame\": %d, \"worst\": %lld}\n",
           report.frames, report.crossing, report.worst_frame, report.worst);
  else if (!o->quiet)
    printf("%s: %d frames, %lld pairs of triangles intersect\n", o->scene, report.frames,
           report.crossing);
  return status;
}

static csim_status act(const cli_options *o, cli_reporter *reporter, csim_log *log) {
  csim_scene *scene;
  if (o->action == ACTION_VERIFY_CONTACT) return verify_contact(o, log);
  csim_status status = csim_scene_read(o->scene, o->set, o->nset, log, &scene);
  if (status) return status;
  csim_run_options run = {.out = o->out,
                          .tet_program = find_tet_program(),
                          .nthread = choose_threads(o),
                          .overwrite = o->overwrite,
                          .resume = o->resume,
                          .from_frame = o->has_resume_from,
                          .resume_from = o->resume_from,
                          .from_cache = o->from_cache,
                          .allow_changes = o->allow_changes,
                          .checkpoint_frames = o->checkpoint_frames,
                          .checkpoint_seconds = o->checkpoint_seconds,
                          .checkpoint_last = o->checkpoint_frames > 0 || o->checkpoint_seconds > 0,
                          .keep_checkpoints = o->keep_checkpoints,
                          .max_seconds = o->max_time,
                          .verify_substeps = o->verify_substeps,
                          .strict = o->strict,
                          .stop = &stop_requested,
                          .progress = reporter_progress,
                          .user = reporter};
  if (o->action == ACTION_PRINT_CONFIG) {
    puts(csim_scene_resolved(scene));
  } else if (o->action == ACTION_CHECK) {
    csim_check_report report;
    status = csim_check(scene, &run, log, &report);
    if (!status) print_check(o, &report);
  } else if (o->action == ACTION_DUMP_MODEL) {
    status = csim_dump_model(scene, &run, o->dump, log);
  } else {
    csim_run_report report;
    catch_signals();
    status = csim_run(scene, &run, log, &report);
    reporter_finish(reporter);
    print_summary(o, status, &report);
  }
  csim_scene_free(scene);
  return status;
}

int main(int argc, char **argv) {
  cli_options options;
  int bad = read_options(argc, argv, &options);
  if (bad) return bad;
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is reported like a full disk
  cli_reporter reporter;
  reporter_init(&options, &reporter);
  csim_log log = {.write = reporter_message, .user = &reporter};
  csim_status status = CSIM_OK;
  switch (options.action) {
  case ACTION_HELP:
    print_help();
    break;
  case ACTION_VERSION:
    print_version();
    break;
  case ACTION_PRINT_SCHEMA: {
    char *schema = csim_scene_schema();
    if (schema) puts(schema);
    if (!schema) status = CSIM_MEMORY;
    free(schema);
    break;
  }
  default:
    status = act(&options, &reporter, &log);
    break;
  }
  if (status == CSIM_MEMORY && !log.nerror) fputs("clothsim: out of memory\n", stderr);
  return (int)flush_stdout(status);
}
