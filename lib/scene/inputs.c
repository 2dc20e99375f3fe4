// scene/inputs.c: see inputs.h.
#include "scene/inputs.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct csim_input {
  const char *path;
  csim_input *next;
};

int csim_inputs_add(csim_scene *scene, const char *path) {
  csim_input *input = CSIM_ARENA_NEW(&scene->arena, csim_input, 1);
  if (!input) return -1;
  input->path = csim_arena_copy(&scene->arena, path);
  if (!input->path) return -1;
  input->next = scene->input;
  scene->input = input;
  return 0;
}

static int is_same(const struct stat *a, const struct stat *b) {
  return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

// Whether a path is this file or folder.
static int is_at(const char *path, const struct stat *wanted) {
  struct stat st;
  return !stat(path, &st) && is_same(&st, wanted);
}

// What is asked of every input.
typedef struct question {
  struct stat folder;
  int (*takes)(const void *context, const char *name);
  const void *context;
} question;

// Whether `path` lies in the folder, under a name that will be taken.
static int lies_in(const question *q, const char *path) {
  const char *slash = strrchr(path, '/');
  char *parent = slash ? csim_print("%.*s/", (int)(slash - path), path) : NULL;
  int found = (!slash || parent) && is_at(slash ? parent : ".", &q->folder) &&
              q->takes(q->context, slash ? slash + 1 : path);
  free(parent);
  return found;
}

static const char *find_within(const question *q, const csim_input *input) {
  for (; input; input = input->next) {
    if (is_at(input->path, &q->folder) || lies_in(q, input->path)) return input->path;
    char *real = realpath(input->path, NULL);
    int found = real && lies_in(q, real);
    free(real);
    if (found) return input->path;
  }
  return NULL;
}

const char *csim_inputs_within(const csim_scene *scene, int folder,
                               int (*takes)(const void *context, const char *name),
                               const void *context) {
  question q = {.takes = takes, .context = context};
  if (fstat(folder, &q.folder)) return NULL;
  const char *found = find_within(&q, scene->input);
  for (int k = 0; k < scene->nphase && !found; k++)
    found = find_within(&q, scene->phase[k].scene->input);
  return found;
}

static const char *find_same(const csim_input *input, const struct stat *file) {
  while (input && !is_at(input->path, file)) input = input->next;
  return input ? input->path : NULL;
}

const char *csim_inputs_same(const csim_scene *scene, const char *path) {
  struct stat st;
  if (stat(path, &st)) return NULL;
  const char *found = find_same(scene->input, &st);
  for (int k = 0; k < scene->nphase && !found; k++)
    found = find_same(scene->phase[k].scene->input, &st);
  return found;
}
