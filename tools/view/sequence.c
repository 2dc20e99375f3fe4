// view/sequence.c: see sequence.h.
#include "sequence.h"
#include "say.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// One file: which object, and which frame it is of; number -1 stands for every frame.
typedef struct entry {
  char *path, *name;
  int number, object;
} entry;

struct view_source {
  int nentry, capacity;
  entry *entry;
};

// ------------------------------------------------------------------------------------------- files

static char *copy_range(const char *text, size_t n) {
  char *copy = malloc(n + 1);
  if (copy) memcpy(copy, text, n), copy[n] = 0;
  return copy;
}

/// Splits "dir/name_0012.obj" into name and number.
static int add_entry(struct view_source *s, const char *path, int numbered) {
  const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  const char *dot = strrchr(base, '.') ? strrchr(base, '.') : base + strlen(base);
  const char *digits = dot;
  while (digits > base && isdigit((unsigned char)digits[-1])) digits--;
  entry e = {.number = -1};
  size_t length = (size_t)(dot - base);
  if (numbered && dot - digits >= 4 && dot - digits <= 9 && digits > base + 1 &&
      digits[-1] == '_') {
    e.number = atoi(digits);
    length = (size_t)(digits - 1 - base);
  }
  if (s->nentry == s->capacity) {
    int capacity = s->capacity ? 2 * s->capacity : 64;
    entry *grown = realloc(s->entry, (size_t)capacity * sizeof *grown);
    if (!grown) return 0;
    s->entry = grown;
    s->capacity = capacity;
  }
  e.path = copy_range(path, strlen(path));
  e.name = copy_range(base, length);
  s->entry[s->nentry++] = e;
  return e.path && e.name;
}

static csim_status scan_directory(const char *path, struct view_source *s, csim_log *log) {
  csim_status status = CSIM_OK;
  DIR *dir = opendir(path);
  if (!dir) {
    view_say(log, CSIM_ERROR, path, "cannot read: %s", strerror(errno));
    return CSIM_IO;
  }
  for (struct dirent *d; !status && (d = readdir(dir));) {
    size_t n = strlen(d->d_name), m = strlen(path);
    if (n < 5 || strcmp(d->d_name + n - 4, ".obj")) continue;
    char *file = malloc(n + m + 2);
    if (file) snprintf(file, n + m + 2, "%s/%s", path, d->d_name);
    if (!file || !add_entry(s, file, 1)) status = CSIM_MEMORY;
    free(file);
  }
  closedir(dir);
  if (!status && !s->nentry) {
    view_say(log, CSIM_ERROR, path, "no .obj files here; give the directory clothsim wrote to");
    status = CSIM_INVALID;
  }
  return status;
}

static int compare_entries(const void *p, const void *q) {
  const entry *a = p, *b = q;
  int c = strcmp(a->name, b->name);
  return c ? c : (a->number > b->number) - (a->number < b->number);
}

static int compare_ints(const void *p, const void *q) {
  int a = *(const int *)p, b = *(const int *)q;
  return (a > b) - (a < b);
}

/// Numbers the objects by name and collects the frames.
static csim_status index_entries(view_sequence *q) {
  struct view_source *s = q->source;
  size_t n = (size_t)s->nentry;
  qsort(s->entry, n, sizeof *s->entry, compare_entries);
  q->object = calloc(n, sizeof *q->object);
  q->number = calloc(n + 1, sizeof *q->number);
  if (!q->object || !q->number) return CSIM_MEMORY;
  for (int i = 0; i < s->nentry; i++) {
    if (!i || strcmp(s->entry[i].name, s->entry[i - 1].name)) {
      q->object[q->nobject].name = copy_range(s->entry[i].name, strlen(s->entry[i].name));
      if (!q->object[q->nobject++].name) return CSIM_MEMORY;
    }
    s->entry[i].object = q->nobject - 1;
    if (s->entry[i].number >= 0) q->number[q->nframe++] = s->entry[i].number;
  }
  qsort(q->number, (size_t)q->nframe, sizeof *q->number, compare_ints);
  int kept = 0;
  for (int i = 0; i < q->nframe; i++)
    if (!kept || q->number[i] != q->number[kept - 1]) q->number[kept++] = q->number[i];
  q->nframe = kept ? kept : 1; // files without a number are one frame
  return CSIM_OK;
}

csim_status view_sequence_open(int npath, char *const *path, view_sequence *q, csim_log *log) {
  csim_status status = CSIM_OK;
  *q = (view_sequence){.source = calloc(1, sizeof *q->source)};
  if (!q->source) return CSIM_MEMORY;
  struct stat about;
  for (int i = 0; !status && i < npath; i++) {
    if (stat(path[i], &about)) {
      view_say(log, CSIM_ERROR, path[i], "cannot read: %s", strerror(errno));
      status = CSIM_IO;
    } else if (!S_ISDIR(about.st_mode)) {
      if (!add_entry(q->source, path[i], 0)) status = CSIM_MEMORY;
    } else if (npath > 1) {
      view_say(log, CSIM_ERROR, path[i], "give one directory, or files");
      status = CSIM_INVALID;
    } else {
      status = scan_directory(path[i], q->source, log);
    }
  }
  if (!status) status = index_entries(q);
  if (status) view_sequence_close(q);
  return status;
}

void view_sequence_close(view_sequence *q) {
  for (int i = 0; q->source && i < q->source->nentry; i++) {
    free(q->source->entry[i].path);
    free(q->source->entry[i].name);
  }
  if (q->source) free(q->source->entry);
  for (int i = 0; i < q->nobject; i++) free(q->object[i].name);
  free(q->source);
  free(q->object);
  free(q->number);
  *q = (view_sequence){0};
}

// --------------------------------------------------------------------- OBJ, until csim_mesh_read
// is

static int grow(void **array, int *capacity, int need, size_t size) {
  if (need <= *capacity) return 1;
  int wanted = need < 512 ? 1024 : 2 * need;
  void *grown = realloc(*array, (size_t)wanted * size);
  if (!grown) return 0;
  *array = grown;
  *capacity = wanted;
  return 1;
}

static csim_status read_obj(const char *path, view_mesh *m, csim_log *log) {
  char line[4096];
  int cx = 0, ct = 0, ce = 0;
  FILE *file = fopen(path, "r");
  if (!file) {
    view_say(log, CSIM_ERROR, path, "cannot read: %s", strerror(errno));
    return CSIM_IO;
  }
  while (fgets(line, sizeof line, file)) {
    if (line[0] == 'v' && line[1] == ' ') {
      if (!grow((void **)&m->x, &cx, 3 * m->nvert + 3, sizeof *m->x)) goto memory;
      char *p = line + 1;
      for (int k = 0; k < 3; k++) m->x[3 * m->nvert + k] = strtod(p, &p);
      m->nvert++;
    } else if (line[0] == 'f' && line[1] == ' ') {
      int v[3], n = 0;
      for (char *p = strtok(line + 2, " \t\r\n"); p; p = strtok(NULL, " \t\r\n"), n++) {
        int i = atoi(p);
        v[n < 2 ? n : 2] = i < 0 ? m->nvert + i : i - 1;
        if (n < 2) continue;
        if (!grow((void **)&m->tri, &ct, 3 * m->ntri + 3, sizeof *m->tri)) goto memory;
        if (!grow((void **)&m->edge, &ce, m->ntri + 1, 1)) goto memory;
        memcpy(m->tri + 3 * m->ntri, v, sizeof v);
        if (n > 2) m->edge[m->ntri - 1] &= 3;
        m->edge[m->ntri++] = n > 2 ? 6 : 7;
        v[1] = v[2];
      }
    }
  }
  fclose(file);
  for (int i = 0; i < 3 * m->ntri; i++)
    if (m->tri[i] < 0 || m->tri[i] >= m->nvert) {
      view_say(log, CSIM_ERROR, path, "a face uses vertex %d of %d", m->tri[i] + 1, m->nvert);
      return CSIM_INVALID;
    }
  return CSIM_OK;
memory:
  fclose(file);
  return CSIM_MEMORY;
}

csim_status view_sequence_read(view_sequence *q, int frame, int object, view_mesh *mesh,
                               csim_log *log) {
  const entry *best = NULL;
  *mesh = (view_mesh){0};
  for (int i = 0; i < q->source->nentry; i++) {
    const entry *e = q->source->entry + i;
    if (e->object == object && (e->number < 0 || e->number <= q->number[frame])) best = e;
  }
  if (!best) return CSIM_OK;
  csim_status status = read_obj(best->path, mesh, log);
  if (status) view_mesh_free(mesh);
  return status;
}

void view_mesh_free(view_mesh *mesh) {
  free(mesh->x);
  free(mesh->tri);
  free(mesh->edge);
  *mesh = (view_mesh){0};
}
