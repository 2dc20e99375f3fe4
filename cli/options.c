// cli/options.c: see options.h.
#define _GNU_SOURCE // sched_getaffinity
#include "options.h"

#include "clothsim.h"

#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void print_help(void) {
  puts("usage: clothsim SCENE.json -o DIR [options]\n"
       "\n"
       "Simulates a scene and writes frames, a cache and run.json into DIR.\n"
       "\n"
       "Output:\n"
       "  -o, --out DIR          output directory; must be empty, unless with one of\n"
       "      --overwrite        replace the files of an earlier run\n"
       "      --resume           continue from the last checkpoint, or start\n"
       "      --resume-from N    continue from the checkpoint of frame N\n"
       "      --from-cache       with --resume-from: if there is none, from the cache\n"
       "      --allow-changes    with --resume-from: even if the scene has changed\n"
       "      --checkpoint-every N   in frames or time: 10, 90s, 10m [default: 60s]\n"
       "      --keep-checkpoints keep every checkpoint, for --resume-from\n"
       "\n"
       "Scene:\n"
       "  -s, --start N          first frame (same as --set frames.start=N)\n"
       "  -e, --end N            last frame (same as --set frames.end=N)\n"
       "      --frames A:B       first and last frame\n"
       "      --set PATH=VALUE   change a value: --set cloth.material.bend=2x\n"
       "\n"
       "Run:\n"
       "  -j, --threads N        threads [default: all]; results do not depend on them\n"
       "      --max-time T       stop after this time: 3600, 90m, 1:30:00\n"
       "      --strict           fail when the run is beyond the scene's \"strict\" bounds\n"
       "      --verify-substeps  test for intersections after every substep\n"
       "\n"
       "Instead of a run:\n"
       "      --check            build everything, print counts, memory, moduli, thickness\n"
       "      --print-config     print the scene with all defaults resolved, in SI units\n"
       "      --print-schema     print the JSON Schema of scenes\n"
       "      --dump-model FILE  write masses, pins and springs as JSON\n"
       "      --verify-contact   test the frames of a cache for intersections\n"
       "\n"
       "Messages:\n"
       "      --progress STYLE   auto [default], bar, plain, json, alf, openjd or none\n"
       "  -q, --quiet            print errors only\n"
       "  -v, --verbose          print more messages\n"
       "      --json             messages (stderr) and summary (stdout) as JSON lines\n"
       "      --version          print version and compiler\n"
       "  -h, --help             print this help\n"
       "\n"
       "Exit codes: 0 done; 1 the solver gave up, surfaces intersect, or a bound of\n"
       "--strict is exceeded; 2 usage or scene; 3 files; 4 memory; 75 stopped by a signal or\n"
       "--max-time (continue with --resume).");
}

static int usage(const char *format, const char *what) {
  fputs("clothsim: ", stderr);
  fprintf(stderr, format, what);
  fputs("; see clothsim --help\n", stderr);
  return CSIM_INVALID;
}

static int parse_int(const char *text, int least, int *value) {
  char *end;
  errno = 0;
  long v = strtol(text, &end, 10);
  if (errno || end == text || *end || v < least || v > INT_MAX) return -1;
  *value = (int)v;
  return 0;
}

static int add_set(cli_options *o, const char *text) {
  if (o->nset == MAX_SETS) return usage("more than 256 --set, at %s", text);
  if (!strchr(text, '=')) return usage("--set needs PATH=VALUE, not \"%s\"", text);
  o->set[o->nset++] = text;
  return 0;
}

static int set_frame(cli_options *o, const char *key, const char *text, char *storage,
                     size_t size) {
  int frame;
  if (parse_int(text, -1000000, &frame)) return usage("\"%s\" is not a frame number", text);
  snprintf(storage, size, "frames.%s=%d", key, frame);
  return add_set(o, storage);
}

static int set_frames(cli_options *o, const char *text) {
  const char *colon = strchr(text, ':');
  char first[32];
  if (!colon || colon - text > 31) return usage("--frames needs A:B, not \"%s\"", text);
  snprintf(first, sizeof first, "%.*s", (int)(colon - text), text);
  int bad = set_frame(o, "start", first, o->start, sizeof o->start);
  return bad ? bad : set_frame(o, "end", colon + 1, o->end, sizeof o->end);
}

// Seconds: "90", "90s", "10m", "1.5h", "1:30:00" (h:m:s, as Slurm has it), "10:00" (m:s).
static int parse_time(const char *text, double *seconds) {
  double sum = 0;
  for (int parts = 0; parts < 3; parts++) {
    char *end;
    if (*text < '0' || *text > '9') return -1;
    double value = strtod(text, &end);
    sum = 60 * sum + value;
    text = end;
    if (*text != ':') {
      static const struct {
        char letter;
        double times;
      } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
      for (int i = 0; i < 3 && parts == 0; i++)
        if (*text == units[i].letter) {
          sum *= units[i].times;
          text++;
          break;
        }
      *seconds = sum;
      return *text || !(sum <= 1e9) ? -1 : 0;
    }
    text++;
  }
  return -1;
}

static int set_checkpoint(cli_options *o, const char *text) {
  o->checkpoint_frames = 0;
  o->checkpoint_seconds = 0;
  if (!parse_int(text, 0, &o->checkpoint_frames)) return 0;
  if (!parse_time(text, &o->checkpoint_seconds)) return 0;
  return usage("--checkpoint-every needs frames or a time (10, 90s, 10m, 1h), not \"%s\"", text);
}

static int set_progress(cli_options *o, const char *text) {
  static const char *const names[] = {"auto", "bar", "plain", "json", "alf", "openjd", "none"};
  for (int i = 0; i < 7; i++)
    if (!strcmp(text, names[i])) {
      o->progress = (progress_style)i;
      return 0;
    }
  return usage("--progress is auto, bar, plain, json, alf, openjd or none, not \"%s\"", text);
}

enum {
  OPT_OVERWRITE = 256,
  OPT_FRAMES,
  OPT_SET,
  OPT_CHECK,
  OPT_PRINT_CONFIG,
  OPT_PRINT_SCHEMA,
  OPT_DUMP_MODEL,
  OPT_VERIFY_CONTACT,
  OPT_VERIFY_SUBSTEPS,
  OPT_STRICT,
  OPT_PROGRESS,
  OPT_JSON,
  OPT_VERSION,
  OPT_RESUME,
  OPT_RESUME_FROM,
  OPT_FROM_CACHE,
  OPT_ALLOW_CHANGES,
  OPT_CHECKPOINT_EVERY,
  OPT_KEEP_CHECKPOINTS,
  OPT_MAX_TIME
};

// Options without a value. Returns whether it was one.
static int take_flag(cli_options *o, int option) {
  switch (option) {
  case OPT_OVERWRITE:
    return o->overwrite = 1;
  case OPT_RESUME:
    return o->resume = 1;
  case OPT_FROM_CACHE:
    return o->from_cache = 1;
  case OPT_ALLOW_CHANGES:
    return o->allow_changes = 1;
  case OPT_KEEP_CHECKPOINTS:
    return o->keep_checkpoints = 1;
  case OPT_STRICT:
    return o->strict = 1;
  case OPT_VERIFY_SUBSTEPS:
    return o->verify_substeps = 1;
  case 'q':
    return o->quiet = 1;
  case 'v':
    return o->verbose = 1;
  case OPT_JSON:
    return o->json = 1;
  case OPT_CHECK:
    o->action = ACTION_CHECK;
    return 1;
  case OPT_PRINT_CONFIG:
    o->action = ACTION_PRINT_CONFIG;
    return 1;
  case OPT_PRINT_SCHEMA:
    o->action = ACTION_PRINT_SCHEMA;
    return 1;
  case OPT_VERIFY_CONTACT:
    o->action = ACTION_VERIFY_CONTACT;
    return 1;
  case OPT_VERSION:
    o->action = ACTION_VERSION;
    return 1;
  case 'h':
    o->action = ACTION_HELP;
    return 1;
  default:
    return 0;
  }
}

static int take(cli_options *o, int option, const char *value) {
  if (take_flag(o, option)) return 0;
  switch (option) {
  case 'o':
    o->out = value;
    return *value ? 0 : usage("%s", "-o needs a directory, and its name is empty");
  case OPT_RESUME_FROM:
    o->resume = o->has_resume_from = 1;
    return parse_int(value, -1000000, &o->resume_from)
               ? usage("\"%s\" is not a frame number", value)
               : 0;
  case OPT_CHECKPOINT_EVERY:
    return set_checkpoint(o, value);
  case OPT_MAX_TIME:
    return parse_time(value, &o->max_time) || !(o->max_time > 0)
               ? usage("--max-time needs a time (3600, 90m, 1:30:00), not \"%s\"", value)
               : 0;
  case 's':
    return set_frame(o, "start", value, o->start, sizeof o->start);
  case 'e':
    return set_frame(o, "end", value, o->end, sizeof o->end);
  case OPT_FRAMES:
    return set_frames(o, value);
  case OPT_SET:
    return add_set(o, value);
  case 'j':
    return parse_int(value, 1, &o->threads) ? usage("\"%s\" is not a number of threads", value) : 0;
  case OPT_DUMP_MODEL:
    o->action = ACTION_DUMP_MODEL;
    o->dump = value;
    return 0;
  case OPT_PROGRESS:
    return set_progress(o, value);
  default: // getopt has said what is wrong
    fputs("see clothsim --help\n", stderr);
    return CSIM_INVALID;
  }
}

int read_options(int argc, char **argv, cli_options *o) {
  static const struct option longs[] = {
      {"out", required_argument, 0, 'o'},
      {"overwrite", no_argument, 0, OPT_OVERWRITE},
      {"resume", no_argument, 0, OPT_RESUME},
      {"resume-from", required_argument, 0, OPT_RESUME_FROM},
      {"from-cache", no_argument, 0, OPT_FROM_CACHE},
      {"allow-changes", no_argument, 0, OPT_ALLOW_CHANGES},
      {"checkpoint-every", required_argument, 0, OPT_CHECKPOINT_EVERY},
      {"keep-checkpoints", no_argument, 0, OPT_KEEP_CHECKPOINTS},
      {"max-time", required_argument, 0, OPT_MAX_TIME},
      {"start", required_argument, 0, 's'},
      {"end", required_argument, 0, 'e'},
      {"frames", required_argument, 0, OPT_FRAMES},
      {"set", required_argument, 0, OPT_SET},
      {"threads", required_argument, 0, 'j'},
      {"check", no_argument, 0, OPT_CHECK},
      {"print-config", no_argument, 0, OPT_PRINT_CONFIG},
      {"print-schema", no_argument, 0, OPT_PRINT_SCHEMA},
      {"dump-model", required_argument, 0, OPT_DUMP_MODEL},
      {"verify-contact", no_argument, 0, OPT_VERIFY_CONTACT},
      {"verify-substeps", no_argument, 0, OPT_VERIFY_SUBSTEPS},
      {"strict", no_argument, 0, OPT_STRICT},
      {"progress", required_argument, 0, OPT_PROGRESS},
      {"quiet", no_argument, 0, 'q'},
      {"verbose", no_argument, 0, 'v'},
      {"json", no_argument, 0, OPT_JSON},
      {"version", no_argument, 0, OPT_VERSION},
      {"help", no_argument, 0, 'h'},
      {0, 0, 0, 0},
  };
  *o = (cli_options){.checkpoint_seconds = 60};
  for (int option; (option = getopt_long(argc, argv, "o:s:e:j:qvh", longs, NULL)) != -1;) {
    int bad = take(o, option, optarg);
    if (bad) return bad;
  }
  if (o->action == ACTION_HELP || o->action == ACTION_VERSION || o->action == ACTION_PRINT_SCHEMA)
    return 0;
  if (optind == argc) return usage("%s", "no scene is given");
  if (optind + 1 < argc) return usage("one scene at a time, not also \"%s\"", argv[optind + 1]);
  o->scene = argv[optind];
  if (o->overwrite && o->resume)
    return usage("%s", "--overwrite starts over, --resume goes on: one of them");
  if ((o->allow_changes || o->from_cache) && !o->has_resume_from)
    return usage("%s", "--allow-changes and --from-cache need --resume-from N");
  if (o->action == ACTION_RUN && !o->out)
    return usage("%s", "no output directory is given: use -o DIR");
  return 0;
}

// CPUs the cgroup grants, rounded up; 0 when there is no quota.
static int cgroup_cpus(void) {
  FILE *f = fopen("/sys/fs/cgroup/cpu.max", "r");
  if (!f) return 0;
  long long quota = 0, period = 0;
  int n = fscanf(f, "%lld %lld", &quota, &period);
  fclose(f);
  return n == 2 && quota > 0 && period > 0 ? (int)((quota + period - 1) / period) : 0;
}

int choose_threads(const cli_options *o) {
  if (o->threads) return o->threads;
  static const char *const variables[] = {"CLOTHSIM_THREADS", "OMP_NUM_THREADS",
                                          "SLURM_CPUS_PER_TASK"};
  for (int i = 0; i < 3; i++) {
    const char *text = getenv(variables[i]);
    int threads;
    if (text && !parse_int(text, 1, &threads)) return threads;
    if (text && i == 0 && !o->quiet)
      fprintf(stderr, "clothsim: warning: %s is \"%s\", which is not a number of threads\n",
              variables[i], text);
  }
  cpu_set_t set;
  int cpus = sched_getaffinity(0, sizeof set, &set) ? 1 : CPU_COUNT(&set);
  int quota = cgroup_cpus();
  return quota && quota < cpus ? quota : cpus;
}
