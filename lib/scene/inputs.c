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

// Whether `path` lies in the folder, under a name that will be written. Frames numbered #### stand
// for any of them.
static int lies_in(const csim_scene *scene, const char *path, const struct stat *folder,
                   int (*takes)(const csim_scene *, const char *)) {
  csim_arena arena = {0};
  const char *slash = strrchr(path, '/');
  char *name = csim_arena_copy(&arena, slash ? slash + 1 : path);
  const char *parent = slash ? csim_arena_print(&arena, "%.*s/", (int)(slash - path), path) : ".";
  int found = 0;
  if (name && parent && is_at(parent, folder)) {
    for (char *c = name; *c; c++)
      if (*c == '#') *c = '1';
    found = takes(scene, name);
  }
  csim_arena_free(&arena);
  return found;
}

static const char *find_within(const csim_scene *whole, const csim_input *input,
                               const struct stat *folder,
                               int (*takes)(const csim_scene *, const char *)) {
  for (; input; input = input->next) {
    if (is_at(input->path, folder) || lies_in(whole, input->path, folder, takes))
      return input->path;
    char *real = realpath(input->path, NULL);
    int found = real && lies_in(whole, real, folder, takes);
    free(real);
    if (found) return input->path;
  }
  return NULL;
}

const char *csim_inputs_within(const csim_scene *scene, int folder,
                               int (*takes)(const csim_scene *scene, const char *name)) {
  struct stat st;
  if (fstat(folder, &st)) return NULL;
  const char *found = find_within(scene, scene->input, &st, takes);
  for (int k = 0; k < scene->nphase && !found; k++)
    found = find_within(scene, scene->phase[k].scene->input, &st, takes);
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
