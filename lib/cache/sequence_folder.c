// cache/sequence_folder.c: finds the files of a folder that hold frames, and their kind. See
// clothsim.h.
#include "cache/sequence.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int ends_in(const char *name, const char *ending) {
  size_t n = strlen(name), m = strlen(ending);
  return n > m && !strcmp(name + n - m, ending);
}

// Whether NAME_rest.obj has a NAME.pc2 or NAME.mdd beside it; alone it is a mesh like others.
static int belongs_to_points(const char *folder, const char *name, const char *ending) {
  static const char *const caches[] = {".pc2", ".mdd"};
  int found = 0;
  for (int k = 0; k < 2 && !found; k++) {
    csim_arena arena = {0};
    int stem = (int)(strlen(name) - strlen(ending));
    char *path = csim_arena_print(&arena, "%s/%.*s%s", folder, stem, name, caches[k]);
    found = path && !access(path, F_OK);
    csim_arena_free(&arena);
  }
  return found;
}

const char *csim_sequence_kind_of(const char *folder, const char *name) {
  static const struct {
    const char *ending, *kind;
  } kinds[] = {{".obj", "obj"},
               {".ply", "ply"},
               {".stl", "stl"},
               {".clothcache", "cache"},
               {".clothcache.part", "cache"},
               {".pc2", "pc2"},
               {".mdd", "mdd"},
               {".abc", "abc"},
               {".usda", "usd"},
               {".usdc", "usd"},
               {".usd", "usd"},
               {".usdz", "usd"},
               {".vtp", "vtp"},
               {".pvd", "vtp"},
               {".glb", "gltf"},
               {".gltf", "gltf"}};
  if (*name == '.') return NULL;
  if (ends_in(name, "_rest.obj") && belongs_to_points(folder, name, "_rest.obj")) return "rest";
  if (ends_in(name, "_rest.ply") && belongs_to_points(folder, name, "_rest.ply")) return "rest-ply";
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (ends_in(name, kinds[k].ending)) return kinds[k].kind;
  return NULL;
}

csim_status csim_sequence_list(csim_sequence *s, const char *kind, int *count, char ***name) {
  DIR *folder = opendir(s->path);
  ptrdiff_t capacity = 0;
  char **list = NULL;
  int n = 0, failed = 0;
  if (!folder) return csim_fail_system(s->log, s->path, "open", errno);
  for (struct dirent *d; !failed && (d = readdir(folder));) {
    const char *is = csim_sequence_kind_of(s->path, d->d_name);
    if (!is || strcmp(is, kind)) continue;
    failed = CSIM_GROW(list, capacity, n + 1);
    if (failed) break;
    failed = !(list[n++] = csim_arena_copy(&s->arena, d->d_name));
  }
  closedir(folder);
  *count = n;
  *name = CSIM_ARENA_COPY(&s->arena, list, n);
  free(list);
  return failed || !*name ? csim_sequence_memory(s) : CSIM_OK;
}

int csim_sequence_by_number(const void *a, const void *b) {
  long long p = *(const long long *)a, q = *(const long long *)b;
  return (p > q) - (p < q);
}

int csim_sequence_numbers(ptrdiff_t n, long long *number) {
  int left = 0;
  qsort(number, (size_t)n, sizeof *number, csim_sequence_by_number);
  for (ptrdiff_t i = 0; i < n; i++)
    if (i == 0 || number[i] != number[left - 1]) number[left++] = number[i];
  return left;
}
