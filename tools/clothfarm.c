// tools/clothfarm.c: writes the files with which a render farm runs a sweep over one scene.
// Schedules nothing itself.
#include "farm/farm.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>

/// Command-line arguments that are not in the farm.
typedef struct arguments {
  int commands, slurm, openjd, list, overwrite;
} arguments;

static void print_help(void) {
  puts(
      "usage: clothfarm SCENE.json -o DIR [options] [-- OPTIONS OF CLOTHSIM]\n"
      "\n"
      "Writes into DIR what a farm needs to run the scene, or a sweep of parameters over it. It "
      "starts\n"
      "nothing itself.\n"
      "\n"
      "  -o, --out DIR          where to write, and where the runs will write\n"
      "      --wedge PATH=V,V   a run for each value, as of clothsim --set; several: each with "
      "each\n"
      "      --export FORMAT    when a run is done, export its cache; may be repeated\n"
      "      --emit KIND        only this: commands, slurm or openjd; may be repeated\n"
      "      --list             print the runs, write nothing\n"
      "      --overwrite        replace another sweep's files in DIR\n"
      "      --cpus N           processors of a run (1)\n"
      "      --memory SIZE      memory of a run: 512M, 2G\n"
      "      --time T           Slurm: time limit of a run; it is stopped in time and goes on\n"
      "      --throttle N       Slurm: at most so many runs at a time\n"
      "      --array-size N     Slurm: runs in an array job (1000); more become several\n"
      "      --sbatch OPTION    Slurm: a further line #SBATCH OPTION; may be repeated\n"
      "      --clothsim PATH    the program (default: beside this one)\n"
      "  -h, --help, --version\n"
      "\n"
      "  scene.json             the scene as it is now; later changes of SCENE.json do not matter\n"
      "  wedges.json            every run: number, directory, parameters, hash of its scene\n"
      "  commands.txt           one command a line; exports.txt: to be run after them\n"
      "  farm.sbatch            array job, requeued when stopped; export.sbatch; submit.sh: all\n"
      "  farm.openjd.json       job template of Open Job Description\n"
      "\n"
      "Exit status: 0 good, 2 usage or scene, 3 files, 4 no memory.");
}

// ------------------------------------------------------------------------------------ command line

static int add_word(farm *f, const char *word, int *n, const char **list) {
  if (*n == FARM_MAX_WORD) {
    tool_usage(&f->log, "too many options, at", word);
    return -1;
  }
  list[(*n)++] = word;
  return 0;
}

static int add_export(farm *f, const char *format) {
  for (const csim_export_format *k = csim_export_formats(); k->name; k++)
    if (!strcmp(k->name, format)) return add_word(f, format, &f->nexport, f->exports);
  tool_usage(&f->log, "--export wants a format of clothcache export, not", format);
  return -1;
}

static int choose(farm *f, const char *kind, arguments *a) {
  if (!strcmp(kind, "commands")) return a->commands = 1, 0;
  if (!strcmp(kind, "slurm")) return a->slurm = 1, 0;
  if (!strcmp(kind, "openjd")) return a->openjd = 1, 0;
  tool_usage(&f->log, "--emit wants commands, slurm or openjd, not", kind);
  return -1;
}

static int read_count(farm *f, const char *option_name, const char *text, int *value) {
  char *end;
  long n = strtol(text, &end, 10);
  if (*end || end == text || n < 1 || n > FARM_MAX_WEDGE) {
    fprintf(stderr, "%s: %s wants a number from 1 to %d, not \"%s\"\n", f->log.program, option_name,
            FARM_MAX_WEDGE, text);
    return -1;
  }
  *value = (int)n;
  return 0;
}

static int read_arguments(int argc, char **argv, farm *f, arguments *a, const char **program) {
  for (int i = 1; i < argc; i++) {
    const char *v;
    int bad = 0;
    if (!strcmp(argv[i], "--")) {
      for (i++; i < argc && !bad; i++) bad = add_word(f, argv[i], &f->nword, f->word);
    } else if ((v = tool_option(argc, argv, &i, "--out", "-o"))) {
      f->out = v;
    } else if ((v = tool_option(argc, argv, &i, "--wedge", NULL))) {
      bad = farm_add_axis(f, v);
    } else if ((v = tool_option(argc, argv, &i, "--export", NULL))) {
      bad = add_export(f, v);
    } else if ((v = tool_option(argc, argv, &i, "--emit", NULL))) {
      bad = choose(f, v, a);
    } else if ((v = tool_option(argc, argv, &i, "--cpus", NULL))) {
      f->cpus = v;
    } else if ((v = tool_option(argc, argv, &i, "--memory", NULL))) {
      f->memory = v;
    } else if ((v = tool_option(argc, argv, &i, "--time", NULL))) {
      f->time = v;
    } else if ((v = tool_option(argc, argv, &i, "--throttle", NULL))) {
      bad = read_count(f, "--throttle", v, &f->throttle);
    } else if ((v = tool_option(argc, argv, &i, "--array-size", NULL))) {
      bad = read_count(f, "--array-size", v, &f->array_size);
    } else if ((v = tool_option(argc, argv, &i, "--sbatch", NULL))) {
      bad = add_word(f, v, &f->nsbatch, f->sbatch);
    } else if ((v = tool_option(argc, argv, &i, "--clothsim", NULL))) {
      *program = v;
    } else if (!strcmp(argv[i], "--list")) {
      a->list = 1;
    } else if (!strcmp(argv[i], "--overwrite")) {
      a->overwrite = 1;
    } else if (argv[i][0] == '-' && argv[i][1]) {
      bad = tool_usage(&f->log, "unknown option", argv[i]) != 0;
    } else if (f->scene) {
      bad = tool_usage(&f->log, "one scene at a time, not also", argv[i]) != 0;
    } else {
      f->scene = argv[i];
    }
    if (bad) return -1;
  }
  if (!f->scene) return tool_usage(&f->log, "which scene?", NULL), -1;
  if (!a->list && (!f->out || !*f->out))
    return tool_usage(&f->log, "where to write? give -o DIR", NULL), -1;
  if (!a->commands && !a->slurm && !a->openjd) a->commands = a->slurm = a->openjd = 1;
  return farm_finish_axes(f);
}

// A program beside this one, or beside the one given.
static char *beside(const char *given, const char *name) {
  char path[PATH_MAX + 32];
  ssize_t n = readlink("/proc/self/exe", path, PATH_MAX);
  path[n > 0 ? n : 0] = 0;
  if (given) snprintf(path, sizeof path, "%s", given);
  char *slash = strrchr(path, '/');
  if (strlen(name) < 32) strcpy(slash ? slash + 1 : path, name);
  return strdup(path);
}

// ------------------------------------------------------------------------------------------ scenes

// A member of the resolved scene, as heap text.
static char *scene_name(const char *resolved) {
  cJSON *tree = cJSON_Parse(resolved);
  const cJSON *name = cJSON_GetObjectItemCaseSensitive(tree, "name");
  char *copy = cJSON_IsString(name) ? strdup(name->valuestring) : NULL;
  cJSON_Delete(tree);
  return copy;
}

// Reads the scene with the settings of a wedge.
static csim_status read_wedge(farm *f, int w, csim_scene **scene) {
  char text[FARM_MAX_AXIS][4096];
  const char *sets[FARM_MAX_AXIS];
  for (int a = 0; a < f->naxis; a++) {
    const char *value = f->axis[a].value[farm_value(f, w, a)];
    snprintf(text[a], sizeof *text, "%s=%s", f->axis[a].path, value);
    sets[a] = text[a];
  }
  return csim_scene_read(f->scene, sets, f->naxis, &f->log.log, scene);
}

static void pass_on_trouble(void *user, const csim_message *m) {
  const farm *f = user; // what is doubtful in one run is so in others: it is told once
  if (m->level >= (f->nbuilt > 0 ? CSIM_ERROR : CSIM_WARNING)) tool_message((tool_log *)&f->log, m);
}

// Whether a run is built here: the first one, and those in which one value is another. All of them
// would take as long as their runs take to start.
static int is_built(const farm *f, int w) {
  int others = 0;
  for (int a = 0; a < f->naxis; a++) others += farm_value(f, w, a) > 0;
  return others <= 1 && f->nbuilt < FARM_MAX_BUILT;
}

// Builds a scene as clothsim --check does: some errors show only in its model.
static csim_status build(farm *f, const csim_scene *scene) {
  const char *given = getenv("CLOTHSIM_TET");
  char *tet = given && *given ? strdup(given) : beside(NULL, "clothsim-tet");
  csim_log log = {.write = pass_on_trouble, .user = f};
  csim_check_report report;
  csim_run_options options = {.tet_program = tet, .nthread = 1};
  csim_status status = tet ? csim_check(scene, &options, &log, &report) : CSIM_MEMORY;
  free(tet);
  f->nbuilt++;
  return status;
}

// Reads the scene of every wedge, and builds each value of every axis once, so that errors are
// found here and not on the farm.
static csim_status read_wedges(farm *f) {
  f->hash = calloc((size_t)f->nwedge, sizeof *f->hash);
  if (!f->hash) return CSIM_MEMORY;
  for (int w = 0; w < f->nwedge; w++) {
    csim_scene *scene;
    char name[FARM_NAME];
    farm_wedge_name(f, w, name);
    csim_status status = read_wedge(f, w, &scene);
    if (!status && is_built(f, w)) status = build(f, scene);
    if (status) {
      csim_scene_free(scene);
      if (f->naxis) fprintf(stderr, "%s: wedge %s is no sound scene\n", f->log.program, name);
      return status;
    }
    f->hash[w] = csim_scene_hash(scene);
    if (w == 0) f->name = scene_name(csim_scene_resolved(scene));
    csim_scene_free(scene);
    if (!f->name) return CSIM_MEMORY;
  }
  return CSIM_OK;
}

// ------------------------------------------------------------------------------------------- index

// wedges.json as text to be freed.
static char *print_index(const farm *f) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddNumberToObject(root, "version", 1);
  cJSON_AddStringToObject(root, "generator", "clothfarm " CSIM_VERSION);
  cJSON_AddStringToObject(root, "scene", f->name);
  cJSON *list = cJSON_AddArrayToObject(root, "parameters");
  for (int a = 0; a < f->naxis; a++) {
    cJSON *axis = cJSON_CreateObject();
    cJSON_AddStringToObject(axis, "path", f->axis[a].path);
    cJSON_AddStringToObject(axis, "label", f->axis[a].label);
    cJSON *values = cJSON_AddArrayToObject(axis, "values");
    for (int k = 0; k < f->axis[a].nvalue; k++)
      cJSON_AddItemToArray(values, cJSON_CreateString(f->axis[a].value[k]));
    cJSON_AddItemToArray(list, axis);
  }
  list = cJSON_AddArrayToObject(root, "wedges");
  for (int w = 0; w < f->nwedge; w++) {
    char name[FARM_NAME], hash[17];
    farm_wedge_name(f, w, name);
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)f->hash[w]);
    cJSON *wedge = cJSON_CreateObject();
    cJSON_AddNumberToObject(wedge, "index", w);
    cJSON_AddStringToObject(wedge, "directory", name);
    cJSON_AddStringToObject(wedge, "scene_hash", hash);
    cJSON *sets = cJSON_AddObjectToObject(wedge, "set");
    for (int a = 0; a < f->naxis; a++)
      cJSON_AddStringToObject(sets, f->axis[a].path, f->axis[a].value[farm_value(f, w, a)]);
    cJSON_AddItemToArray(list, wedge);
  }
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  return text;
}

// Whether DIR/wedges.json is missing or the one that will be written.
static int is_same_sweep(const farm *f, const char *index) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/wedges.json", f->folder);
  FILE *in = fopen(path, "r");
  if (!in) return 1;
  int same = 1, c;
  for (const char *p = index; same && *p; p++) same = getc(in) == (unsigned char)*p;
  while (same && (c = getc(in)) != EOF) same = c == '\n';
  fclose(in);
  return same;
}

static csim_status write_text(farm *f, const char *name, const char *text) {
  farm_file file;
  FILE *out = farm_create(f, name, &file);
  if (!out) return CSIM_IO;
  fprintf(out, "%s\n", text);
  return farm_commit(f, &file, 0);
}

static csim_status make_folder(farm *f, const char *path) {
  if (!mkdir(path, 0777) || errno == EEXIST) return CSIM_OK;
  fprintf(stderr, "%s: %s: cannot make this directory: %s\n", f->log.program, path,
          strerror(errno));
  return CSIM_IO;
}

static csim_status open_folder(farm *f) {
  csim_status status = make_folder(f, f->out);
  if (status) return status;
  f->folder = realpath(f->out, NULL);
  if (f->folder && farm_check_text(f, "the path of --out", f->folder)) return CSIM_INVALID;
  if (f->folder) return CSIM_OK;
  fprintf(stderr, "%s: %s: %s\n", f->log.program, f->out, strerror(errno));
  return CSIM_IO;
}

// scenes/NAME.json of every wedge, each with all of its values.
static csim_status write_scenes(farm *f) {
  char path[PATH_MAX + 16];
  snprintf(path, sizeof path, "%s/scenes", f->folder);
  csim_status status = make_folder(f, path);
  for (int w = 0; w < f->nwedge && !status; w++) {
    char name[FARM_NAME], file[FARM_NAME + 16];
    csim_scene *scene;
    farm_wedge_name(f, w, name);
    snprintf(file, sizeof file, "scenes/%s.json", name);
    status = read_wedge(f, w, &scene);
    if (status) break;
    status = write_text(f, file, csim_scene_resolved(scene));
    csim_scene_free(scene);
  }
  return status;
}

static csim_status emit(farm *f, const arguments *a) {
  csim_status status = open_folder(f);
  if (status) return status;
  char *index = print_index(f);
  if (!index) return CSIM_MEMORY;
  if (!a->overwrite && !is_same_sweep(f, index)) {
    fprintf(stderr, "%s: %s holds another sweep; choose another directory, or give --overwrite\n",
            f->log.program, f->out);
    status = CSIM_INVALID;
  }
  if (!status) status = write_scenes(f);
  if (!status && a->commands) status = farm_emit_commands(f);
  if (!status && a->slurm) status = farm_emit_slurm(f);
  if (!status && a->openjd) status = farm_emit_openjd(f);
  if (!status) status = write_text(f, "wedges.json", index);
  free(index);
  if (!status)
    printf("%s: %d runs of %s, %d of them built and checked\n", f->out, f->nwedge, f->name,
           f->nbuilt);
  return status;
}

static void list_wedges(const farm *f) {
  for (int w = 0; w < f->nwedge; w++) {
    char name[FARM_NAME];
    farm_wedge_name(f, w, name);
    fputs(name, stdout);
    farm_sets(f, stdout, w);
    fputc('\n', stdout);
  }
}

static void release(farm *f) {
  for (int a = 0; a < f->naxis; a++) {
    for (int k = 0; k < f->axis[a].nvalue; k++) free(f->axis[a].value[k]);
    free(f->axis[a].value);
    free(f->axis[a].path);
  }
  free(f->folder);
  free(f->program);
  free(f->cache);
  free(f->name);
  free(f->hash);
}

int main(int argc, char **argv) {
  static farm f;
  arguments a = {0};
  const char *program = NULL;
  tool_log_init("clothfarm", &f.log);
  f.array_size = FARM_ARRAY;
  for (int i = 1; i < argc && strcmp(argv[i], "--"); i++) {
    if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) return print_help(), CSIM_OK;
    if (!strcmp(argv[i], "--version")) return puts("clothfarm " CSIM_VERSION), CSIM_OK;
  }
  csim_status status = read_arguments(argc, argv, &f, &a, &program) ? CSIM_INVALID : CSIM_OK;
  if (!status) {
    f.program = program ? strdup(program) : beside(NULL, "clothsim");
    f.cache = beside(program, "clothcache");
    status = f.program && f.cache ? CSIM_OK : CSIM_MEMORY;
    if (!status && farm_check(&f)) status = CSIM_INVALID;
    if (!status) status = read_wedges(&f);
  }
  if (!status && a.list)
    list_wedges(&f);
  else if (!status)
    status = emit(&f, &a);
  if (status == CSIM_MEMORY) fprintf(stderr, "clothfarm: out of memory\n");
  release(&f);
  if (fflush(stdout) || ferror(stdout)) {
    fprintf(stderr, "clothfarm: standard output: cannot write\n");
    if (!status) status = CSIM_IO;
  }
  return (int)status;
}
