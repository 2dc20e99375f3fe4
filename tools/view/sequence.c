// view/sequence.c: see sequence.h.
#include "sequence.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n > m && !strcmp(text + n - m, end);
}

static int is_cache_name(const char *name) {
  return ends_with(name, ".clothcache") || ends_with(name, ".clothcache.part");
}

/// The only cache in a directory, without ".part"; NULL when there is none or several.
static char *find_cache(const char *directory) {
  char *found = NULL;
  DIR *dir = opendir(directory);
  for (struct dirent *d; dir && (d = readdir(dir));) {
    if (!is_cache_name(d->d_name)) continue;
    size_t n = strlen(directory) + strlen(d->d_name) + 2;
    char *path = malloc(n);
    if (!path) break;
    snprintf(path, n, "%s/%s", directory, d->d_name);
    if (ends_with(path, ".part")) path[strlen(path) - 5] = 0;
    int other = found && strcmp(found, path);
    free(found);
    found = path;
    if (!other) continue;
    free(found);
    found = NULL;
    break;
  }
  if (dir) closedir(dir);
  return found;
}

csim_status view_sequence_open(int npath, char *const *path, csim_log *log, view_sequence *q) {
  struct stat about;
  char *inside = NULL;
  csim_status status;
  *q = (view_sequence){.unit = 1};
  int directory = npath == 1 && !stat(path[0], &about) && S_ISDIR(about.st_mode);
  if (directory) inside = find_cache(path[0]);
  if (inside)
    status = view_cache_open(inside, log, q);
  else if (npath == 1 && is_cache_name(path[0]))
    status = view_cache_open(path[0], log, q);
  else
    status = view_files_open(npath, path, log, q);
  free(inside);
  q->path = path[0];
  if (status) view_sequence_close(q);
  return status;
}

void view_sequence_close(view_sequence *q) {
  for (int i = 0; i < q->nobject; i++) {
    free(q->object[i].name);
    if (q->surface) csim_polygons_free(q->surface[i]);
  }
  view_files_close(q->files);
  csim_cache_free(q->cache);
  free(q->surface);
  free(q->object);
  free(q->number);
  *q = (view_sequence){0};
}

// ------------------------------------------------------------------------------------------ meshes

csim_status view_mesh_copy(const csim_polygons *s, view_mesh *m) {
  *m = (view_mesh){.nvert = s->nvert, .ntri = s->ntri};
  m->x = malloc(3 * (size_t)s->nvert * sizeof *m->x + 1);
  m->tri = malloc(3 * (size_t)s->ntri * sizeof *m->tri + 1);
  m->edge = malloc((size_t)s->ntri + 1);
  if (!m->x || !m->tri || !m->edge) {
    view_mesh_free(m);
    return CSIM_MEMORY;
  }
  memcpy(m->x, s->vert, 3 * (size_t)s->nvert * sizeof *m->x);
  if (s->ntri) memcpy(m->tri, s->tri, 3 * (size_t)s->ntri * sizeof(int));
  for (int t = 0; t < s->ntri; t++) {
    // a side is an edge of its polygon when its ends are neighbours there
    const int *corner = s->face_vert + s->face_start[s->tri_face[t]];
    int n = s->face_start[s->tri_face[t] + 1] - s->face_start[s->tri_face[t]];
    m->edge[t] = 0;
    for (int k = 0; k < 3; k++)
      for (int i = 0; i < n; i++)
        if (corner[i] == s->tri[3 * t + k] && corner[(i + 1) % n] == s->tri[3 * t + (k + 1) % 3])
          m->edge[t] |= (uint8_t)(1 << k);
  }
  return CSIM_OK;
}

void view_mesh_free(view_mesh *m) {
  free(m->x);
  free(m->v);
  free(m->pressure);
  free(m->tri);
  free(m->edge);
  *m = (view_mesh){0};
}

csim_status view_sequence_read(view_sequence *q, int frame, int object, csim_log *log,
                               view_mesh *mesh) {
  *mesh = (view_mesh){0};
  csim_status status = q->cache ? view_cache_read(q, frame, object, log, mesh)
                                : view_files_read(q, frame, object, log, mesh);
  for (ptrdiff_t i = 0; !status && i < csim_xyz(mesh->nvert); i++) {
    if (isfinite(mesh->x[i]) && (!mesh->v || isfinite(mesh->v[i]))) continue;
    csim_log_print(log, CSIM_ERROR, q->path,
                   "frame %lld: vertex %d of \"%s\" is not a finite number", q->number[frame],
                   (int)(i / 3), q->object[object].name);
    status = CSIM_INVALID;
  }
  if (status) view_mesh_free(mesh);
  return status;
}
