// view/sequence.c: see sequence.h.
#include "sequence.h"

#include <dirent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/// The only cache in a directory, without ".part"; NULL when there is none or several.
static char *find_cache(const char *directory) {
  char *found = NULL;
  int several = 0;
  DIR *dir = opendir(directory);
  for (struct dirent *d; dir && (d = readdir(dir));) {
    const char *kind = csim_sequence_kind_of(directory, d->d_name);
    if (!kind || strcmp(kind, "cache") != 0) continue;
    size_t n = strlen(directory) + strlen(d->d_name) + 2;
    char *path = malloc(n);
    if (!path) break;
    snprintf(path, n, "%s/%s", directory, d->d_name);
    char *part = path + strlen(path) - 5;
    if (!strcmp(part, ".part")) *part = 0;
    several |= found && strcmp(found, path) != 0;
    free(found);
    found = path;
  }
  if (dir) closedir(dir);
  if (!several) return found;
  free(found);
  return NULL;
}

/// Name of a mesh file without folder and ending.
static char *stem_of(const char *path) {
  const char *base = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
  const char *dot = strrchr(base, '.');
  return strndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

/// Adds the objects of a source; `name` replaces those of mesh files that are given one by one.
static csim_status add_objects(csim_sequence *source, const char *name, view_sequence *q) {
  static const view_kind kinds[] = {
      [CSIM_CACHE_CLOTH] = VIEW_CLOTH,
      [CSIM_CACHE_SOLID] = VIEW_SOLID,
      [CSIM_CACHE_COLLIDER] = VIEW_COLLIDER,
      [CSIM_CACHE_RENDER] = VIEW_CLOTH,
  };
  const csim_sequence_info *info = csim_sequence_get_info(source);
  csim_status status = CSIM_OK;
  size_t bytes = (size_t)(q->nobject + info->nobject) * sizeof *q->object;
  view_object *grown = realloc(q->object, bytes);
  if (!grown) return CSIM_MEMORY;
  q->object = grown;
  for (int i = 0; i < info->nobject && !status; i++) {
    const csim_cache_object *o = &info->object[i];
    view_object *to = &q->object[q->nobject++];
    *to = (view_object){.name = name ? stem_of(name) : strdup(o->name),
                        .kind = q->cache ? kinds[o->type] : VIEW_UNKNOWN,
                        .source = source,
                        .index = i,
                        .has_velocity = o->has_velocity,
                        .has_pressure = q->cache && o->has_pressure};
    q->pressed |= to->has_pressure;
    if (!to->name)
      status = CSIM_MEMORY;
    else if (strcmp(info->kind, "files") != 0) // places of the first frame decide how faces are cut
      status = csim_sequence_read_polygons(source, i, 0, &to->surface);
  }
  return status;
}

/// Metadata of a source; of several sources only the first has them.
static csim_status copy_info(const csim_sequence *source, const char *path, csim_log *log,
                             view_sequence *q) {
  const csim_sequence_info *info = csim_sequence_get_info(source);
  if (!info->nframe) {
    csim_log_print(log, CSIM_ERROR, path, "no whole frame in this file yet");
    return CSIM_INVALID;
  }
  if (!info->complete)
    csim_log_print(log, CSIM_WARNING, path,
                   "the cache has no end: a run that goes on or broke off; "
                   "%d whole frames up to number %lld are shown",
                   info->nframe, info->number[info->nframe - 1]);
  q->cache = csim_sequence_get_cache(source);
  q->nframe = info->nframe;
  q->fps = info->fps;
  q->up = info->up;
  q->unit = info->unit > 0 ? info->unit : 1;
  q->number = malloc((size_t)info->nframe * sizeof *q->number);
  if (!q->number) return CSIM_MEMORY;
  memcpy(q->number, info->number, (size_t)info->nframe * sizeof *q->number);
  return CSIM_OK;
}

/// Opens one of `npath` sources.
static csim_status add_source(int npath, const char *path, csim_log *log, view_sequence *q) {
  csim_sequence *source;
  csim_status status = csim_sequence_open(path, log, &source);
  if (status) return status;
  q->source[q->nsource++] = source;
  status = csim_sequence_keep_whole(source);
  if (status) return status;
  if (npath > 1 && strcmp(csim_sequence_get_info(source)->kind, "files") != 0) {
    csim_log_print(log, CSIM_ERROR, path, "give one directory or file of frames, or mesh files");
    return CSIM_INVALID;
  }
  if (q->nsource == 1) status = copy_info(source, path, log, q);
  return status ? status : add_objects(source, npath > 1 ? path : NULL, q);
}

csim_status view_sequence_open(int npath, char *const *path, csim_log *log, view_sequence *q) {
  struct stat about;
  *q = (view_sequence){.path = path[0], .unit = 1};
  q->source = calloc((size_t)npath, sizeof *q->source);
  csim_status status = q->source ? CSIM_OK : CSIM_MEMORY;
  for (int i = 0; i < npath && !status; i++) {
    int directory = !stat(path[i], &about) && S_ISDIR(about.st_mode);
    char *inside = directory ? find_cache(path[i]) : NULL;
    status = add_source(npath, inside ? inside : path[i], log, q);
    free(inside);
  }
  if (npath > 1) q->nframe = 1;
  if (status) view_sequence_close(q);
  return status;
}

void view_sequence_close(view_sequence *q) {
  for (int i = 0; i < q->nobject; i++) {
    free(q->object[i].name);
    csim_polygons_free(q->object[i].surface);
  }
  for (int i = 0; i < q->nsource; i++) csim_sequence_free(q->source[i]);
  free(q->source);
  free(q->object);
  free(q->number);
  *q = (view_sequence){0};
}

// ------------------------------------------------------------------------------------------ meshes

/// Copies a surface.
static csim_status copy_surface(const csim_polygons *s, view_mesh *m) {
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

/// Of a source whose faces stay: places, velocities and pressures.
static csim_status read_values(const view_sequence *q, const view_object *o, int frame,
                               view_mesh *m) {
  csim_status status = copy_surface(o->surface, m);
  if (status) return status;
  size_t n = (size_t)m->nvert;
  float *pressure = NULL;
  if (o->has_velocity && !(m->v = malloc(3 * n * sizeof *m->v + 1))) return CSIM_MEMORY;
  status = csim_sequence_read(o->source, o->index, frame, m->x, m->v);
  if (status || !o->has_pressure) return status;
  m->pressure = malloc(n * sizeof *m->pressure + 1);
  pressure = malloc(n * sizeof *pressure + 1);
  status = m->pressure && pressure ? CSIM_OK : CSIM_MEMORY;
  if (!status) status = csim_cache_read_pressure(q->cache, o->index, frame, pressure);
  for (size_t i = 0; i < n && !status; i++) m->pressure[i] = (double)pressure[i];
  free(pressure);
  return status;
}

static csim_status read_surface(const view_object *o, int frame, view_mesh *m) {
  csim_polygons *surface = NULL;
  while (frame >= 0 && !csim_sequence_has(o->source, o->index, frame)) frame--;
  if (frame < 0) return CSIM_OK;
  csim_status status = csim_sequence_read_polygons(o->source, o->index, frame, &surface);
  if (!status) status = copy_surface(surface, m);
  csim_polygons_free(surface);
  return status;
}

csim_status view_sequence_read(view_sequence *q, int frame, int object, csim_log *log,
                               view_mesh *mesh) {
  const view_object *o = &q->object[object];
  *mesh = (view_mesh){0};
  csim_status status = o->surface ? read_values(q, o, frame, mesh) : read_surface(o, frame, mesh);
  for (ptrdiff_t i = 0; !status && i < csim_xyz(mesh->nvert); i++) {
    if (isfinite(mesh->x[i]) && (!mesh->v || isfinite(mesh->v[i]))) continue;
    csim_log_print(log, CSIM_ERROR, q->path,
                   "frame %lld: vertex %d of \"%s\" is not a finite number", q->number[frame],
                   (int)(i / 3), o->name);
    status = CSIM_INVALID;
  }
  if (status) view_mesh_free(mesh);
  return status;
}
