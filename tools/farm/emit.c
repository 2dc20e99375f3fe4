// tools/farm/emit.c: files for shells and for Slurm. See farm.h.
//
// Every command may be given again: clothsim goes on with --resume, exports start over.
#include "farm/farm.h"

#include <errno.h>
#include <sys/stat.h>

FILE *farm_create(farm *f, const char *name, farm_file *file) {
  size_t size = strlen(f->folder) + strlen(name) + 40;
  *file = (farm_file){.path = malloc(size), .temp = malloc(size)};
  if (file->path && file->temp) {
    snprintf(file->path, size, "%s/%s", f->folder, name);
    snprintf(file->temp, size, "%s.%ld.tmp", file->path, (long)getpid());
    if (tool_is_same_file(file->path, f->scene)) {
      fprintf(stderr, "%s: %s: the sweep would replace its scene; choose another directory\n",
              f->log.program, f->scene);
      goto failed;
    }
    file->stream = fopen(file->temp, "w");
  }
  if (file->stream) return file->stream;
  fprintf(stderr, "%s: %s/%s: cannot create: %s\n", f->log.program, f->folder, name,
          strerror(errno));
failed:
  free(file->path);
  free(file->temp);
  return NULL;
}

csim_status farm_commit(farm *f, farm_file *file, int executable) {
  int bad = fflush(file->stream) || ferror(file->stream);
  bad = fclose(file->stream) || bad;
  bad = bad || (executable && chmod(file->temp, 0755)) || rename(file->temp, file->path);
  if (bad) {
    fprintf(stderr, "%s: %s: cannot write: %s\n", f->log.program, file->path, strerror(errno));
    unlink(file->temp);
  }
  free(file->path);
  free(file->temp);
  return bad ? CSIM_IO : CSIM_OK;
}

void farm_shell_word(FILE *out, const char *word) {
  if (*word && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                            "_-+=.,:/@%") == strlen(word)) {
    fputs(word, out);
    return;
  }
  fputc('\'', out);
  for (const char *c = word; *c; c++)
    if (*c == '\'')
      fputs("'\\''", out);
    else
      fprintf(out, c > word && *c == c[-1] && strchr("{}", *c) ? "''%c" : "%c", *c);
  fputc('\'', out);
}

static void shell_path(const farm *f, FILE *out, const char *name, const char *suffix) {
  size_t size = strlen(f->folder) + strlen(name) + strlen(suffix) + 2;
  char *path = malloc(size);
  if (!path) return;
  snprintf(path, size, "%s/%s%s", f->folder, name, suffix);
  farm_shell_word(out, path);
  free(path);
}

void farm_sets(const farm *f, FILE *out, int wedge) {
  for (int a = 0; a < f->naxis; a++) {
    const farm_axis *axis = &f->axis[a];
    const char *value = axis->value[farm_value(f, wedge, a)];
    size_t size = strlen(axis->path) + strlen(value) + 2;
    char *set = malloc(size);
    if (!set) return;
    snprintf(set, size, "%s=%s", axis->path, value);
    fputs(" --set ", out);
    farm_shell_word(out, set);
    free(set);
  }
}

static void further_words(const farm *f, FILE *out) {
  for (int k = 0; k < f->nword; k++) {
    fputc(' ', out);
    farm_shell_word(out, f->word[k]);
  }
}

// --------------------------------------------------------------------------------------- commands

static csim_status emit_runs(farm *f) {
  farm_file file;
  FILE *out = farm_create(f, "commands.txt", &file);
  if (!out) return CSIM_IO;
  for (int w = 0; w < f->nwedge; w++) {
    char name[FARM_NAME], scene[FARM_NAME + 16];
    farm_wedge_name(f, w, name);
    snprintf(scene, sizeof scene, "scenes/%s.json", name);
    farm_shell_word(out, f->program);
    fputc(' ', out);
    shell_path(f, out, scene, "");
    fputs(" -o ", out);
    shell_path(f, out, name, "");
    fputs(" --resume", out);
    further_words(f, out);
    fputc('\n', out);
  }
  return farm_commit(f, &file, 0);
}

static csim_status emit_exports(farm *f) {
  farm_file file;
  FILE *out = farm_create(f, "exports.txt", &file);
  if (!out) return CSIM_IO;
  for (int w = 0; w < f->nwedge; w++)
    for (int k = 0; k < f->nexport; k++) {
      char name[FARM_NAME], place[FARM_NAME + 32];
      farm_wedge_name(f, w, name);
      snprintf(place, sizeof place, "%s-%.16s", name, f->exports[k]);
      farm_shell_word(out, f->cache);
      fputs(" export ", out);
      snprintf(place, sizeof place, "%s/", name);
      shell_path(f, out, place, f->name);
      fputs(".clothcache --to ", out);
      farm_shell_word(out, f->exports[k]);
      fputs(" -o ", out);
      snprintf(place, sizeof place, "%s-%.16s", name, f->exports[k]);
      shell_path(f, out, place, "");
      fputc('\n', out);
    }
  return farm_commit(f, &file, 0);
}

csim_status farm_emit_commands(farm *f) {
  csim_status status = emit_runs(f);
  return status || !f->nexport ? status : emit_exports(f);
}

// ------------------------------------------------------------------------------------------ Slurm
//
// An array job holds a limited number of tasks, so a large sweep is several of them, each with a
// script of its own: farm.sbatch, farm-1.sbatch, ...

static int narray(const farm *f) {
  return (f->nwedge + f->array_size - 1) / f->array_size;
}

// Opens STEM.sbatch, or STEM-1.sbatch and so on.
static FILE *create_array(farm *f, const char *stem, int array, farm_file *file) {
  char name[64];
  if (array)
    snprintf(name, sizeof name, "%s-%d.sbatch", stem, array);
  else
    snprintf(name, sizeof name, "%s.sbatch", stem);
  return farm_create(f, name, file);
}

// sbatch knows two kinds of quotes, and Slurm replaces % and backslashes in the whole path of a
// log, that of the folder too: it writes the log only where both are plain (spaces are), else the
// script does.
static int has_plain_folder(const farm *f) {
  const char *plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@ ";
  return strspn(f->folder, plain) == strlen(f->folder);
}

// Folder and beginning of the name of an array's logs.
static void log_stem(int array, char stem[24]) {
  if (array)
    snprintf(stem, 24, "log/%d-", array);
  else
    snprintf(stem, 24, "log/");
}

static void slurm_log(const farm *f, FILE *out, const char *what, int array) {
  char stem[24];
  log_stem(array, stem);
  if (has_plain_folder(f))
    fprintf(out, "#SBATCH --output=\"%s/%s%%a%s.log\"\n", f->folder, stem, what);
  else
    fputs("#SBATCH --output=/dev/null\n", out);
}

static void slurm_head(const farm *f, FILE *out, const char *what, int array) {
  int first = array * f->array_size;
  int n = f->nwedge - first < f->array_size ? f->nwedge - first : f->array_size;
  fprintf(out, "#!/bin/bash\n#SBATCH --job-name=%s%s\n#SBATCH --array=0-%d", f->name, what, n - 1);
  fprintf(out, f->throttle ? "%%%d\n" : "\n", f->throttle);
  fputs("#SBATCH --requeue\n#SBATCH --open-mode=append\n", out);
  slurm_log(f, out, what, array);
  for (int k = 0; k < f->nsbatch; k++) fprintf(out, "#SBATCH %s\n", f->sbatch[k]);
}

// Number and directory of a task of the array.
static void slurm_tasks(const farm *f, FILE *out, const char *what, int array) {
  int first = array * f->array_size;
  fputs("case $SLURM_ARRAY_TASK_ID in\n", out);
  for (int w = first; w < f->nwedge && w < first + f->array_size; w++) {
    char name[FARM_NAME];
    farm_wedge_name(f, w, name);
    fprintf(out, "%d) name=%s ;;\n", w - first, name);
  }
  fputs("*) echo \"no wedge $SLURM_ARRAY_TASK_ID\"; exit 2 ;;\nesac\ncd -- ", out);
  farm_shell_word(out, f->folder);
  fputs(" || exit 3\n", out);
  if (has_plain_folder(f)) return;
  char stem[24];
  log_stem(array, stem);
  fprintf(out, "mkdir -p log && exec >>\"%s$SLURM_ARRAY_TASK_ID%s.log\" 2>&1 || exit 3\n", stem,
          what);
}

static csim_status slurm_runs(farm *f, int array) {
  farm_file file;
  FILE *out = create_array(f, "farm", array, &file);
  if (!out) return CSIM_IO;
  slurm_head(f, out, "", array);
  // two minutes before the end of its time the script gets the signal, not clothsim alone
  fputs("#SBATCH --signal=B:TERM@120\n", out);
  fprintf(out, "#SBATCH --cpus-per-task=%s\n", f->cpus ? f->cpus : "1");
  if (f->memory) fprintf(out, "#SBATCH --mem=%s\n", f->memory);
  if (f->time) fprintf(out, "#SBATCH --time=%s\n", f->time);
  slurm_tasks(f, out, "", array);
  fputs("# Slurm's signals end a wait of this script, not clothsim, which writes its checkpoint\n"
        "child= stopped=\n"
        "trap 'stopped=1; [ -z \"$child\" ] || kill -TERM $child' TERM USR1 USR2 HUP XCPU\n",
        out);
  farm_shell_word(out, f->program);
  fputs(" \"scenes/$name.json\" -o \"$name\" --resume --progress plain", out);
  further_words(f, out);
  fputs(" &\nchild=$!\n[ -z \"$stopped\" ] || kill -TERM $child\n"
        "wait $child\ncode=$?\n"
        "while [ $code -gt 128 ]; do\n"
        "  wait $child\n  again=$?\n  [ $again = 127 ] && break\n"
        "  kill -0 $child 2>/dev/null || { code=$again; break; }\n  code=$again\ndone\n"
        "# stopped and resumable: again, from the checkpoint\n"
        "if [ $code = 75 ]; then scontrol requeue \"$SLURM_JOB_ID\"; fi\nexit $code\n",
        out);
  return farm_commit(f, &file, 0);
}

static csim_status slurm_exports(farm *f, int array) {
  farm_file file;
  FILE *out = create_array(f, "export", array, &file);
  if (!out) return CSIM_IO;
  slurm_head(f, out, "-export", array);
  slurm_tasks(f, out, "-export", array);
  for (int k = 0; k < f->nexport; k++) {
    farm_shell_word(out, f->cache);
    fprintf(out, " export \"$name/%s.clothcache\" --to %s -o \"$name-%s\" || exit\n", f->name,
            f->exports[k], f->exports[k]);
  }
  return farm_commit(f, &file, 0);
}

// With a throttle, one array after the other: it would count for each of them.
static csim_status slurm_submit(farm *f) {
  farm_file file;
  FILE *out = farm_create(f, "submit.sh", &file);
  if (!out) return CSIM_IO;
  int chained = f->throttle && narray(f) > 1;
  fputs("#!/bin/sh\n# submits the sweep, with further options of sbatch; prints the numbers of its "
        "jobs\n"
        "set -e\ncd -- \"$(dirname -- \"$0\")\"\nmkdir -p log\n",
        out);
  if (chained) fputs("after=\n", out);
  for (int array = 0; array < narray(f); array++) {
    char number[16] = "";
    if (array) snprintf(number, sizeof number, "-%d", array);
    fprintf(out, "job=$(sbatch --parsable %s\"$@\" farm%s.sbatch)\necho \"$job\"\n",
            chained ? "${after:+\"$after\"} " : "", number);
    if (chained) fputs("after=--dependency=afterany:${job%%;*}\n", out);
    if (f->nexport)
      fprintf(out,
              "# each export after its own run\n"
              "sbatch --parsable \"--dependency=aftercorr:${job%%%%;*}\" --kill-on-invalid-dep=yes "
              "\"$@\" export%s.sbatch\n",
              number);
  }
  return farm_commit(f, &file, 1);
}

csim_status farm_emit_slurm(farm *f) {
  csim_status status = CSIM_OK;
  for (int array = 0; array < narray(f) && !status; array++) {
    status = slurm_runs(f, array);
    if (!status && f->nexport) status = slurm_exports(f, array);
  }
  return status ? status : slurm_submit(f);
}
