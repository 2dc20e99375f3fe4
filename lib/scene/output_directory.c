// scene/output_directory.c: see output_directory.h.
#include "scene/output_directory.h"
#include "scene/inputs.h"
#include "scene/resume.h"

#include "io/file.h"
#include "io/json.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MIN_DIGITS = 4 };

// ------------------------------------------------------------------------------------------- names

// OURS: of the whole run, or its record. TEMPORARY: of a file of any other kind, not complete.
typedef enum file_kind { NOT_OURS, OURS, FRAME, TEMPORARY } file_kind;

// How a name ends, and the output that writes it (see csim_output_has); NULL: every run does.
typedef struct ending {
  const char *text, *output;
} ending;

static const ending RECORDS[] = {{"", NULL}, {NULL, NULL}};
static const ending CHECKPOINTS[] = {{"", NULL}, {".old", NULL}, {".new", NULL}, {NULL, NULL}};
static const ending RUN_FILES[] = {{".clothcache", "cache"},
                                   {".clothcache.part", "cache"},
                                   {".clothcache.old", "cache"},
                                   {".abc", "abc"},
                                   {".usda", "usda"},
                                   {".glb", "glb"},
                                   {".pvd", "vtp"},
                                   {NULL, NULL}};
static const ending POINTS[] = {{".pc2", "pc2"},
                                {".mdd", "mdd"},
                                {"_rest.ply", "points"},
                                {"_rest.obj", "points"},
                                {NULL, NULL}};
static const ending FRAMES[] = {{".obj", "obj"}, {".ply", "ply"}, {".vtp", "vtp"}, {NULL, NULL}};

// What a name says.
typedef struct naming {
  const ending *ending;
  long long number; // of a frame
  int digits;       // of the number, with its sign
  int collider;     // 1: of one
} naming;

// Whether the n characters of `file` are `name` followed by one of the endings; with `numbered` a
// frame number is before the ending. A name of inputs may have #### for it.
static int is_named(const char *file, size_t n, const char *name, const ending *endings,
                    int numbered, naming *found) {
  size_t at = strlen(name);
  if (n < at || strncmp(file, name, at)) return 0;
  if (numbered) {
    if (at == n || file[at] != '_') return 0;
    const char *begin = file + at + 1;
    char *end = (char *)(uintptr_t)begin + strspn(begin, "#");
    if (end == begin) found->number = strtoll(begin, &end, 10);
    if (end == begin) return 0;
    found->digits = (int)(end - begin);
    at = (size_t)(end - file);
  }
  for (; endings->text; endings++) {
    if (n - at != strlen(endings->text) || strncmp(file + at, endings->text, n - at)) continue;
    found->ending = endings;
    return 1;
  }
  return 0;
}

// The kind of a file whose name is the first n characters of `file`.
static file_kind kind_of(const csim_scene *scene, const char *file, size_t n, naming *found) {
  static const ending none = {"", NULL};
  *found = (naming){.ending = &none};
  if (is_named(file, n, CSIM_RECORD_NAME, RECORDS, 0, found) ||
      is_named(file, n, CSIM_LEDGER_NAME, RECORDS, 0, found) || csim_resume_kept(file, n) ||
      is_named(file, n, CSIM_CHECKPOINT_NAME, CHECKPOINTS, 0, found) ||
      is_named(file, n, scene->name, RUN_FILES, 0, found))
    return OURS;
  for (int o = 0; o < scene->nobject; o++) {
    const csim_object *object = &scene->object[o];
    found->collider = object->type == CSIM_OBJECT_COLLIDER;
    for (int k = -1; k < object->nrender; k++) {
      const char *name = k < 0 ? object->name : object->render[k].name;
      if (is_named(file, n, name, POINTS, 0, found)) return OURS;
      if (is_named(file, n, name, FRAMES, 1, found)) return FRAME;
    }
  }
  return NOT_OURS;
}

// Length of a name without the ".<pid>-<k>.tmp" that io/file.h appends; 0 if it has none.
static size_t temporary_stem(const char *file) {
  size_t n = strlen(file);
  if (n <= 4 || strcmp(file + n - 4, ".tmp")) return 0;
  const char *end = file + n - 4, *p = end;
  while (p > file && p[-1] >= '0' && p[-1] <= '9') p--;
  if (p == end || p == file || p[-1] != '-') return 0;
  const char *dash = --p;
  while (p > file && p[-1] >= '0' && p[-1] <= '9') p--;
  return p == dash || p == file || p[-1] != '.' ? 0 : (size_t)(p - 1 - file);
}

// The kind of a file in the directory, for a run of this scene; `found` is set unless it is a
// temporary one.
static file_kind classify(const csim_scene *scene, const char *file, naming *found) {
  if (!strncmp(file, ".spool.", 7) && strlen(file) == 13) return TEMPORARY; // see cache/export.c
  size_t stem = temporary_stem(file);
  if (!stem) return kind_of(scene, file, strlen(file), found);
  return kind_of(scene, file, stem, found) == NOT_OURS ? NOT_OURS : TEMPORARY;
}

int csim_output_digits(const csim_scene *scene) {
  char last[16];
  int n = snprintf(last, sizeof last, "%d", scene->frame_end);
  return n < MIN_DIGITS ? MIN_DIGITS : n;
}

int csim_output_has(const csim_output *output, const char *name) {
  if (!strcmp(name, "cache")) return output->cache;
  if (!strcmp(name, "points"))
    return csim_output_has(output, "pc2") || csim_output_has(output, "mdd");
  int has = output->obj && !strcmp(name, "obj");
  for (int k = 0; k < output->nformat; k++) has |= !strcmp(output->format[k], name);
  return has;
}

// Whether the run itself will write this file, or a part of it that was stopped has; of frames, one
// after after_frame.
static int will_write(const csim_scene *scene, const char *file, int after_frame) {
  naming found;
  file_kind kind = classify(scene, file, &found);
  if (kind == NOT_OURS || kind == TEMPORARY) return 0;
  const char *output = found.ending->output;
  if (output && !csim_output_has(&scene->output, output)) return 0;
  if (found.collider && !scene->output.colliders) return 0;
  if (kind == OURS) return 1;
  char text[24];
  int n = snprintf(text, sizeof text, "%0*lld", csim_output_digits(scene), found.number);
  return n == found.digits && found.number > after_frame && found.number >= scene->frame_start &&
         found.number <= scene->frame_end;
}

// Whether an output of any run can have this name of n characters: a forged ledger may name
// anything.
static int has_ending(const char *name, size_t n) {
  static const ending *const lists[] = {RUN_FILES, POINTS, FRAMES};
  for (int l = 0; l < 3; l++)
    for (const ending *e = lists[l]; e->text; e++) {
      size_t m = strlen(e->text);
      if (n > m && !strncmp(name + n - m, e->text, m)) return 1;
    }
  return 0;
}

// Whether a file says what a run is, and stays until it is replaced.
static int is_record(const char *name) {
  return !strcmp(name, CSIM_RECORD_NAME) || !strcmp(name, CSIM_LEDGER_NAME);
}

// ---------------------------------------------------------------------------------------- removing

static DIR *open_directory(const csim_output_directory *d, csim_log *log) {
  DIR *dir = opendir(d->path);
  if (!dir) csim_fail_system(log, d->path, "read this directory", errno);
  return dir;
}

static csim_status remove_file(const csim_output_directory *d, const char *name, csim_log *log) {
  if (!unlinkat(d->folder, name, 0) || errno == ENOENT) return CSIM_OK;
  return csim_fail(log, CSIM_IO, csim_in_file(d->path), "cannot remove %s: %s", name,
                   strerror(errno));
}

static csim_status remove_regular(const csim_output_directory *d, const char *name, csim_log *log) {
  struct stat st;
  if (fstatat(d->folder, name, &st, AT_SYMLINK_NOFOLLOW) || !S_ISREG(st.st_mode)) return CSIM_OK;
  return remove_file(d, name, log);
}

csim_status csim_output_sweep(const csim_output_directory *d, csim_log *log) {
  csim_status status = CSIM_OK;
  DIR *dir = open_directory(d, log);
  if (!dir) return CSIM_IO;
  for (struct dirent *entry; !status && (entry = readdir(dir));) {
    naming found;
    if (classify(d->scene, entry->d_name, &found) == TEMPORARY)
      status = remove_file(d, entry->d_name, log);
  }
  closedir(dir);
  return status;
}

// ---------------------------------------------------------------------------------------- claiming

// On a file system without such locks other runs are not kept out.
csim_status csim_output_enter(csim_output_directory *d, csim_log *log) {
  d->folder = open(d->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (d->folder < 0) {
    if (errno == ENOENT) return CSIM_OK;
    return csim_fail_system(log, d->path, "open this directory", errno);
  }
  if (!csim_lock(d->folder, d->path, log)) return CSIM_OK;
  csim_say(log, CSIM_ERROR, csim_in_file(d->path),
           "another clothsim is writing into this directory");
  close(d->folder);
  d->folder = -1;
  return CSIM_IO;
}

static csim_status make_and_enter(csim_output_directory *d, csim_log *log) {
  csim_status status = csim_make_directories(d->path, log);
  if (!status) status = csim_output_enter(d, log);
  if (status || d->folder >= 0) return status;
  return csim_fail(log, CSIM_IO, csim_in_file(d->path), "this directory has gone again");
}

// Reads the record of the earlier run. One that cannot be read says nothing; a forged one may not
// name files elsewhere.
static csim_status read_record(csim_output_directory *d, csim_log *log) {
  char *path = csim_print("%s/%s", d->path, CSIM_RECORD_NAME);
  csim_json json = {0};
  cJSON *tree = NULL;
  csim_status status = path ? CSIM_OK : csim_fail_memory(log, d->path);
  if (!status && csim_json_read_file(&json, path, NULL, &tree) == CSIM_OK) {
    const cJSON *scene = csim_json_get(tree, "scene"), *state = csim_json_get(tree, "state");
    d->earlier_whole = cJSON_IsString(state) && !strcmp(state->valuestring, "complete");
    if (cJSON_IsString(scene) && !strchr(scene->valuestring, '/')) {
      d->earlier_scene = csim_print("%s", scene->valuestring);
      if (!d->earlier_scene) status = csim_fail_memory(log, d->path);
    }
  }
  cJSON_Delete(tree);
  csim_json_free(&json);
  free(path);
  return status;
}

// Whether a name, in which # stands for a digit, is this one.
static int is_like(const char *pattern, const char *name) {
  for (; *pattern && *name; pattern++, name++)
    if (*pattern != *name && !(*pattern == '#' && *name >= '0' && *name <= '9')) return 0;
  return *pattern == *name;
}

// Whether the run would replace or remove what has this name.
static int would_replace(const void *directory, const char *name) {
  const csim_output_directory *d = directory;
  naming found;
  int would = classify(d->scene, name, &found) != NOT_OURS;
  for (ptrdiff_t k = 0; k < d->earlier.n && !would; k++)
    would = is_like(name, d->earlier.file[k].name);
  return would;
}

// What the scene reads must not be removed, or replaced by frames.
static csim_status spare_inputs(const csim_output_directory *d, csim_log *log) {
  const char *input = csim_inputs_within(d->scene, d->folder, would_replace, d);
  if (!input) return CSIM_OK;
  csim_say(log, CSIM_ERROR, csim_in_file(input),
           "this is read for the scene, and a run in %s would replace it: choose another "
           "directory, or put it elsewhere",
           d->path);
  return CSIM_INVALID;
}

static csim_status require_empty(const csim_output_directory *d, csim_log *log) {
  csim_status status = CSIM_OK;
  DIR *dir = open_directory(d, log);
  if (!dir) return CSIM_IO;
  for (struct dirent *entry; !status && (entry = readdir(dir));) {
    const char *name = entry->d_name;
    if (strcmp(name, ".") && strcmp(name, ".."))
      status = csim_refuse(log, csim_in_file(d->path),
                           "this directory is not empty (%s); choose another, or give --overwrite "
                           "to replace an earlier run, or --resume to continue one",
                           name);
  }
  closedir(dir);
  return status;
}

csim_status csim_output_claim(csim_output_directory *d, int replace, csim_log *log) {
  csim_status status = d->folder < 0 ? make_and_enter(d, log) : CSIM_OK;
  if (!status) status = csim_ledger_list_read(d->path, log, &d->earlier);
  if (!status) status = read_record(d, log);
  if (!status) status = spare_inputs(d, log);
  if (!status && !replace) status = csim_output_sweep(d, log);
  if (!status && !replace) status = require_empty(d, log);
  return status;
}

// ---------------------------------------------------------------------------------------- clearing

// The last frame that the earlier run has listed; INT_MIN: none.
static int last_listed(const csim_ledger_list *earlier) {
  int last = INT_MIN;
  for (ptrdiff_t k = 0; k < earlier->n; k++)
    if (!earlier->file[k].whole && earlier->file[k].frame > last) last = earlier->file[k].frame;
  return last;
}

// Removes the file of the frame after the one of this file.
static csim_status remove_next(const csim_output_directory *d, const csim_ledger_file *file,
                               csim_log *log) {
  const char *name = file->name, *dot = strrchr(name, '.'), *number = dot;
  while (number > name && number[-1] >= '0' && number[-1] <= '9') number--;
  if (number == dot || file->frame == INT_MAX) return CSIM_OK;
  if (number > name && number[-1] == '-') number--;
  char *next = csim_print("%.*s%0*d%s", (int)(number - name), name, (int)(dot - number),
                          file->frame + 1, dot);
  csim_status status = next ? remove_regular(d, next, log) : csim_fail_memory(log, d->path);
  free(next);
  return status;
}

// Removes the files that the ledger of the earlier run names: with `whole` those of the whole run,
// and those of frames after after_frame.
static csim_status remove_listed(const csim_output_directory *d, int whole, int after_frame,
                                 csim_log *log) {
  int last = last_listed(&d->earlier);
  // a run that was killed may have written files of the next frame and not listed them
  int unlisted = !d->earlier_whole && last >= after_frame;
  csim_status status = CSIM_OK;
  for (ptrdiff_t k = 0; k < d->earlier.n && !status; k++) {
    const csim_ledger_file *file = &d->earlier.file[k];
    if (!has_ending(file->name, strlen(file->name))) continue;
    if (unlisted && !file->whole && file->frame == last) status = remove_next(d, file, log);
    int unwanted = file->whole ? whole : file->frame > after_frame;
    if (!status && unwanted) status = remove_regular(d, file->name, log);
  }
  return status;
}

// Removes the caches that the earlier run has not finished: no ledger need name them.
static csim_status remove_unfinished(const csim_output_directory *d, csim_log *log) {
  static const char *const unfinished[] = {".clothcache.part", ".clothcache.old"};
  csim_status status = CSIM_OK;
  for (int k = 0; k < 2 && d->earlier_scene && !status; k++) {
    char *name = csim_print("%s%s", d->earlier_scene, unfinished[k]);
    status = name ? remove_regular(d, name, log) : csim_fail_memory(log, d->path);
    free(name);
  }
  return status;
}

// Whether a file must go, whether or not it is listed. A run that starts over also removes
// temporary files of other scenes.
static int is_unwanted(const csim_scene *scene, const char *name, int resume, int after_frame) {
  naming found;
  if (is_record(name)) return 0;
  if (resume && classify(scene, name, &found) != FRAME) return 0;
  return will_write(scene, name, after_frame) ||
         (!resume && has_ending(name, temporary_stem(name)));
}

csim_status csim_output_clear(csim_output_directory *d, int resume, int after_frame,
                              csim_log *log) {
  if (!resume) after_frame = INT_MIN;
  if (!resume) csim_resume_remove(d->path, 0);
  csim_status status = csim_output_sweep(d, log);
  if (!status) status = remove_listed(d, !resume, after_frame, log);
  if (!status && !resume) status = remove_unfinished(d, log);
  // an empty ledger is not damaged: no frame was written
  int lost = !d->earlier.n && (!d->earlier.text || *d->earlier.text);
  csim_ledger_list_free(&d->earlier);
  if (!resume && d->earlier_scene && lost)
    csim_say(
        log, CSIM_WARNING, csim_in_file(d->path),
        "of the earlier run only files that this one writes are replaced: its " CSIM_LEDGER_NAME
        " is missing or damaged");
  DIR *dir = status ? NULL : open_directory(d, log);
  if (!dir) return status ? status : CSIM_IO;
  for (struct dirent *entry; !status && (entry = readdir(dir));)
    if (is_unwanted(d->scene, entry->d_name, resume, after_frame))
      status = remove_file(d, entry->d_name, log);
  closedir(dir);
  return status;
}

// ----------------------------------------------------------------------------------------- listing

csim_status csim_output_note_files(const csim_output_directory *d, int complete,
                                   csim_ledger *ledger, csim_log *log) {
  struct dirent **entry;
  int n = scandir(d->path, &entry, NULL, alphasort);
  csim_status status = CSIM_OK;
  if (n < 0)
    return errno == ENOMEM ? csim_fail_memory(log, d->path)
                           : csim_fail_system(log, d->path, "read this directory", errno);
  for (int i = 0; i < n; i++) {
    const char *name = entry[i]->d_name;
    int other =
        is_record(name) || !strncmp(name, CSIM_CHECKPOINT_NAME, strlen(CSIM_CHECKPOINT_NAME));
    // after the last frame: no files of frames, which are in the ledger already
    if (!status && !other && will_write(d->scene, name, INT_MAX))
      status =
          complete ? csim_ledger_add(ledger, 1, 0, name) : csim_ledger_add_partial(ledger, name);
    free(entry[i]);
  }
  free(entry);
  return status ? status : csim_ledger_write(ledger, 0);
}

void csim_output_leave(csim_output_directory *d) {
  if (d->folder >= 0) close(d->folder);
  d->folder = -1;
  csim_ledger_list_free(&d->earlier);
  free(d->earlier_scene);
  d->earlier_scene = NULL;
}
