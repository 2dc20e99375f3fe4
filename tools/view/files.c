// view/files.c: mesh files as a source of frames. See sequence.h.
#include "sequence.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// One file: which object, and which frame it is of; number -1 stands for every frame.
typedef struct entry {
  char *path, *name;
  long long number;
  int object;
} entry;

struct view_files {
  int nentry, capacity;
  entry *entry; ///< by name, then number
};

/// Splits "dir/name_0012.obj" into name and number.
static int add_entry(struct view_files *s, const char *path, int numbered) {
  const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  const char *dot = strrchr(base, '.') ? strrchr(base, '.') : base + strlen(base);
  const char *digits = dot;
  while (digits > base && isdigit((unsigned char)digits[-1])) digits--;
  entry e = {.number = -1};
  size_t length = (size_t)(dot - base);
  if (numbered && dot - digits >= 4 && dot - digits <= 15 && digits > base + 1 &&
      digits[-1] == '_') {
    e.number = strtoll(digits, NULL, 10);
    length = (size_t)(digits - 1 - base);
  }
  if (s->nentry == s->capacity) {
    int capacity = s->capacity ? 2 * s->capacity : 64;
    entry *grown = realloc(s->entry, (size_t)capacity * sizeof *grown);
    if (!grown) return 0;
    s->entry = grown;
    s->capacity = capacity;
  }
  e.path = strdup(path);
  e.name = strndup(base, length);
  s->entry[s->nentry++] = e;
  return e.path && e.name;
}

static int is_mesh_name(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && (!strcasecmp(dot, ".obj") || !strcasecmp(dot, ".ply") || !strcasecmp(dot, ".stl"));
}

static csim_status scan_directory(const char *path, csim_log *log, struct view_files *s) {
  csim_status status = CSIM_OK;
  DIR *dir = opendir(path);
  if (!dir) {
    csim_log_print(log, CSIM_ERROR, path, "cannot read: %s", strerror(errno));
    return CSIM_IO;
  }
  for (struct dirent *d; !status && (d = readdir(dir));) {
    if (!is_mesh_name(d->d_name)) continue;
    size_t n = strlen(path) + strlen(d->d_name) + 2;
    char *file = malloc(n);
    if (file) snprintf(file, n, "%s/%s", path, d->d_name);
    if (!file || !add_entry(s, file, 1)) status = CSIM_MEMORY;
    free(file);
  }
  closedir(dir);
  if (!status && !s->nentry) {
    csim_log_print(log, CSIM_ERROR, path,
                   "no meshes and no single cache here; give the directory that clothsim wrote "
                   "to, or "
                   "one of its files");
    status = CSIM_INVALID;
  }
  return status;
}

static int compare_entries(const void *p, const void *q) {
  const entry *a = p, *b = q;
  int c = strcmp(a->name, b->name);
  return c ? c : (a->number > b->number) - (a->number < b->number);
}

static int compare_numbers(const void *p, const void *q) {
  long long a = *(const long long *)p, b = *(const long long *)q;
  return (a > b) - (a < b);
}

/// Numbers the objects by name and collects the frames.
static csim_status index_entries(view_sequence *q) {
  struct view_files *s = q->files;
  size_t n = (size_t)s->nentry;
  qsort(s->entry, n, sizeof *s->entry, compare_entries);
  q->object = calloc(n, sizeof *q->object);
  q->number = calloc(n + 1, sizeof *q->number);
  if (!q->object || !q->number) return CSIM_MEMORY;
  for (int i = 0; i < s->nentry; i++) {
    if (!i || strcmp(s->entry[i].name, s->entry[i - 1].name)) {
      q->object[q->nobject].name = strdup(s->entry[i].name);
      if (!q->object[q->nobject++].name) return CSIM_MEMORY;
    }
    s->entry[i].object = q->nobject - 1;
    if (s->entry[i].number >= 0) q->number[q->nframe++] = s->entry[i].number;
  }
  qsort(q->number, (size_t)q->nframe, sizeof *q->number, compare_numbers);
  int kept = 0;
  for (int i = 0; i < q->nframe; i++)
    if (!kept || q->number[i] != q->number[kept - 1]) q->number[kept++] = q->number[i];
  q->nframe = kept ? kept : 1; // files without a number are one frame
  return CSIM_OK;
}

csim_status view_files_open(int npath, char *const *path, csim_log *log, view_sequence *q) {
  csim_status status = CSIM_OK;
  q->files = calloc(1, sizeof *q->files);
  if (!q->files) return CSIM_MEMORY;
  struct stat about;
  for (int i = 0; !status && i < npath; i++) {
    if (stat(path[i], &about)) {
      csim_log_print(log, CSIM_ERROR, path[i], "cannot read: %s", strerror(errno));
      status = CSIM_IO;
    } else if (!S_ISDIR(about.st_mode)) {
      if (!add_entry(q->files, path[i], 0)) status = CSIM_MEMORY;
    } else if (npath > 1) {
      csim_log_print(log, CSIM_ERROR, path[i], "give one directory, or mesh files");
      status = CSIM_INVALID;
    } else {
      status = scan_directory(path[i], log, q->files);
    }
  }
  return status ? status : index_entries(q);
}

csim_status view_files_read(view_sequence *q, int frame, int object, csim_log *log,
                            view_mesh *mesh) {
  const entry *best = NULL;
  for (int i = 0; i < q->files->nentry; i++) {
    const entry *e = q->files->entry + i;
    if (e->object == object && (e->number < 0 || e->number <= q->number[frame])) best = e;
  }
  if (!best) return CSIM_OK;
  csim_polygons *surface;
  csim_status status = csim_polygons_read(best->path, log, &surface);
  if (!status) status = view_mesh_copy(surface, mesh);
  csim_polygons_free(surface);
  return status;
}

void view_files_close(struct view_files *files) {
  for (int i = 0; files && i < files->nentry; i++) {
    free(files->entry[i].path);
    free(files->entry[i].name);
  }
  if (files) free(files->entry);
  free(files);
}
