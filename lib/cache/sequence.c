// cache/sequence.c: frames from a file or folder of any kind. See clothsim.h and cache/sequence.h.
#include "cache/sequence.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------------ caches

// Lists the samples of the object that will be read as frames before their own; there are none
// before the first frame.
static csim_status list_samples(csim_sequence *s, const csim_cache_info *info) {
  int n = 0;
  for (int o = 0; o < info->nobject; o++)
    if (!s->part || !strcmp(info->object[o].name, s->part)) n = info->object[o].nsample;
  if (!s->one || n == 0 || info->nframe < 2 || !(info->options.fps > 0)) return CSIM_OK;
  ptrdiff_t total = 1 + (ptrdiff_t)(info->nframe - 1) * (n + 1);
  if (total > INT_MAX)
    return csim_refuse(s->log, csim_in_file(s->path), "has more than %d samples", INT_MAX);
  double *time = CSIM_ARENA_NEW(&s->arena, double, total);
  long long *number = CSIM_ARENA_NEW(&s->arena, long long, total);
  if (!time || !number) return csim_sequence_memory(s);
  for (ptrdiff_t k = 0; k < total; k++) {
    int f = (int)((k + n) / (n + 1)), i = (int)((k + n) % (n + 1));
    number[k] = info->number[f];
    time[k] = ((double)number[k] + (i < n ? info->share[i] : 0)) / info->options.fps;
  }
  s->nsample = n;
  s->info.nframe = (int)total;
  s->info.number = number;
  s->info.time = time;
  return CSIM_OK;
}

static csim_status open_cache(csim_sequence *s) {
  csim_cache *cache;
  csim_status status = csim_cache_open(s->path, s->log, &cache);
  if (status) return status;
  const csim_cache_info *info = csim_cache_get_info(cache);
  s->state = cache;
  s->info.fps = info->options.fps;
  s->info.up = info->options.up;
  s->info.unit = strstr(info->meta, "\"meters_per_unit\":") ? info->unit : 0;
  s->info.nframe = info->nframe;
  s->info.number = info->number;
  s->info.nobject = info->nobject;
  s->info.object = info->object;
  s->info.complete = info->complete;
  s->info.has_faces = 1;
  return list_samples(s, info);
}

static csim_status read_cache(csim_sequence *s, int object, int frame, double *x, double *v) {
  ptrdiff_t n = csim_xyz(s->info.object[object].nvert);
  float *value = CSIM_NEW(float, 2 * n);
  if (!value) return csim_sequence_memory(s);
  float *to = v ? value + n : NULL;
  ptrdiff_t k = (ptrdiff_t)frame + s->nsample;
  int f = (int)(k / (s->nsample + 1)), sample = (int)(k % (s->nsample + 1));
  csim_status status = sample < s->nsample
                           ? csim_cache_read_sample(s->state, object, f, sample, value, to)
                           : csim_cache_read(s->state, object, f, value, to);
  for (ptrdiff_t i = 0; i < n && !status; i++) {
    x[i] = (double)value[i];
    if (v) v[i] = (double)value[n + i];
  }
  free(value);
  return status;
}

static void free_cache(csim_sequence *s) {
  csim_cache_free(s->state);
}

static const csim_sequence_kind cache_kind = {
    .name = "cache", .open = open_cache, .read = read_cache, .free = free_cache};

// ------------------------------------------------------------------------------------ whole frames

csim_status csim_sequence_keep_whole(csim_sequence *s) {
  static const double NEAR = 2e-3; // [frames] that count as none
  csim_sequence_info *info = &s->info;
  if (!info->time || !(info->fps > 0)) return CSIM_OK;
  double *time = CSIM_ARENA_NEW(&s->arena, double, info->nframe);
  long long *number = CSIM_ARENA_NEW(&s->arena, long long, info->nframe);
  int kept = 0;
  if (!time || !number) return csim_sequence_memory(s);
  for (int f = 0; f < info->nframe; f++) {
    double frame = info->time[f] * info->fps;
    if (!(fabs(frame - floor(frame + 0.5)) < NEAR)) continue;
    number[kept] = (long long)floor(frame + 0.5);
    time[kept++] = info->time[f];
  }
  if (!kept) return CSIM_OK;
  info->nframe = kept;
  info->number = number;
  info->time = time;
  return CSIM_OK;
}

// ----------------------------------------------------------------------------------------- opening

// Of a folder: the files of the kind wanted, or of the first kind there is.
static csim_status recognise_folder(csim_sequence *s) {
  static const struct {
    const char *name;
    const csim_sequence_kind *kind;
  } kinds[] = {{"obj", &csim_sequence_files},     {"ply", &csim_sequence_files},
               {"stl", &csim_sequence_files},     {"cache", &cache_kind},
               {"pc2", &csim_sequence_pc2},       {"mdd", &csim_sequence_mdd},
               {"abc", &csim_sequence_abc},       {"rest", &csim_sequence_files},
               {"rest-ply", &csim_sequence_files}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    int count;
    char **name;
    if (s->wanted && strcmp(s->wanted, kinds[k].name)) continue;
    csim_status status = csim_sequence_list(s, kinds[k].name, &count, &name);
    if (status) return status;
    if (!count) continue;
    if (!strcmp(kinds[k].name, "cache") || !strcmp(kinds[k].name, "abc")) {
      if (count > 1)
        return csim_refuse(s->log, csim_in_file(s->path),
                           "holds %d of them, %s and %s among them: name the one to be read", count,
                           name[0], name[1]);
      s->path = csim_arena_print(&s->arena, "%s/%s", s->path, name[0]);
      if (!s->path) return csim_sequence_memory(s);
    }
    s->wanted = kinds[k].name;
    s->kind = kinds[k].kind;
    return CSIM_OK;
  }
  return csim_refuse(s->log, csim_in_file(s->path),
                     "holds no frames that can be read: no OBJ, PLY or STL files, no cache, no PC2 "
                     "or MDD, no Alembic");
}

// Recognises a file by its first bytes and its name.
static const csim_sequence_kind *recognise_file(const char *path, const char head[12]) {
  static const struct {
    const char *ending;
    const csim_sequence_kind *kind;
  } endings[] = {{".mdd", &csim_sequence_mdd},
                 {".abc", &csim_sequence_abc},
                 {".clothcache", &cache_kind},
                 {".clothcache.part", &cache_kind},
                 {".pc2", &csim_sequence_pc2}};
  size_t n = strlen(path);
  if (!memcmp(head,
              "\x89"
              "CSC",
              4))
    return &cache_kind;
  if (!memcmp(head, "POINTCACHE2", 12)) return &csim_sequence_pc2;
  if (!memcmp(head, "Ogawa", 5)) return &csim_sequence_abc;
  for (size_t k = 0; k < sizeof endings / sizeof *endings; k++) {
    size_t m = strlen(endings[k].ending);
    if (n > m && !strcmp(path + n - m, endings[k].ending)) return endings[k].kind;
  }
  return &csim_sequence_files;
}

// What the first bytes and the name say.
static csim_status recognise(csim_sequence *s) {
  static const char *const unread[] = {"usd", "vtp", "gltf"};
  struct stat st;
  char head[12] = {0};
  int fd = -1;
  if (stat(s->path, &st)) {
    char *part = csim_arena_print(&s->arena, "%s.part", s->path);
    if (part && !stat(part, &st))
      s->kind = &cache_kind;
    else if (strchr(s->path, '#'))
      s->kind = &csim_sequence_files;
    else
      errno = ENOENT;
  } else if (S_ISDIR(st.st_mode)) {
    return recognise_folder(s);
  } else if (!S_ISREG(st.st_mode)) { // a pipe could not be read twice, and may never end
    return csim_fail(s->log, CSIM_IO, csim_in_file(s->path), "is not a regular file");
  } else if ((fd = open(s->path, O_RDONLY | O_CLOEXEC)) >= 0) {
    if (read(fd, head, sizeof head) >= 0) s->kind = recognise_file(s->path, head);
    close(fd);
    const char *named = csim_sequence_kind_of("", s->path);
    for (int k = 0; k < 3 && named && s->kind == &csim_sequence_files; k++)
      if (!strcmp(named, unread[k]))
        return csim_refuse(
            s->log, csim_in_file(s->path),
            k == 0 ? "is USD: make an Alembic file of it with 'clothusd import IN OUT.abc'"
                   : "frames cannot be read from this format: give the cache, or OBJ, PLY, PC2, "
                     "MDD or Alembic");
  }
  if (s->kind) return CSIM_OK;
  return csim_fail_system(s->log, s->path, "open", errno);
}

// @param like  kind, log and object wanted
static csim_status open_like(const char *path, const csim_sequence *like, csim_sequence **out) {
  *out = NULL;
  csim_sequence *s = CSIM_NEW(csim_sequence, 1);
  if (!s) return csim_fail_memory(like->log, path);
  *s = *like;
  s->info.complete = 1;
  s->path = csim_arena_copy(&s->arena, path);
  csim_status status = s->path ? CSIM_OK : csim_sequence_memory(s);
  if (!status) status = recognise(s);
  if (!status) {
    s->info.kind = s->kind->name;
    status = s->kind->open(s);
  }
  if (status) {
    csim_sequence_free(s);
    return status;
  }
  *out = s;
  return CSIM_OK;
}

csim_status csim_sequence_open(const char *path, csim_log *log, csim_sequence **out) {
  return open_like(path, &(csim_sequence){.log = log}, out);
}

csim_status csim_sequence_open_kind(const char *path, const char *kind, csim_log *log,
                                    csim_sequence **out) {
  return open_like(path, &(csim_sequence){.log = log, .wanted = kind}, out);
}

csim_status csim_sequence_open_part(const char *path, const char *part, csim_log *log,
                                    csim_sequence **out, int *object) {
  csim_status status = open_like(path, &(csim_sequence){.log = log, .one = 1, .part = part}, out);
  if (!status) status = csim_sequence_choose(*out, part, object);
  if (!status) return CSIM_OK;
  csim_sequence_free(*out);
  *out = NULL;
  return status;
}

int csim_sequence_is_archive(const char *path) {
  const csim_sequence_kind *kind = NULL;
  char head[12] = {0};
  struct stat st;
  if (stat(path, &st) || !S_ISREG(st.st_mode)) return 0; // to open a pipe would take from it
  int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return 0;
  if (read(fd, head, sizeof head) >= 0) kind = recognise_file(path, head);
  close(fd);
  return kind == &cache_kind || kind == &csim_sequence_abc;
}

const csim_sequence_info *csim_sequence_get_info(const csim_sequence *s) {
  return &s->info;
}

int csim_sequence_has(const csim_sequence *s, int object, int frame) {
  return !s->kind->has || s->kind->has(s, object, frame);
}

static csim_status check_numbers(csim_sequence *s, int object, int frame) {
  if (object >= 0 && object < s->info.nobject && frame >= 0 && frame < s->info.nframe)
    return CSIM_OK;
  return csim_refuse(s->log, csim_in_file(s->path), "no object %d in frame %d", object, frame);
}

csim_status csim_sequence_read(csim_sequence *s, int object, int frame, double *x, double *v) {
  csim_status status = check_numbers(s, object, frame);
  return status ? status : s->kind->read(s, object, frame, x, v);
}

csim_status csim_sequence_read_polygons(csim_sequence *s, int object, int frame,
                                        csim_polygons **surface) {
  *surface = NULL;
  csim_status status = check_numbers(s, object, frame);
  if (status) return status;
  if (s->kind->polygons) return s->kind->polygons(s, object, frame, surface);
  const csim_cache_object *o = &s->info.object[object];
  double *x = CSIM_NEW(double, csim_xyz(o->nvert));
  status = x ? s->kind->read(s, object, frame, x, NULL) : csim_sequence_memory(s);
  if (!status)
    status =
        csim_polygons_make(o->nvert, x, o->nface, o->face_start, o->face_vert, s->log, surface);
  free(x);
  return status;
}

csim_cache *csim_sequence_get_cache(const csim_sequence *s) {
  return s->kind == &cache_kind ? s->state : NULL;
}

void csim_sequence_free(csim_sequence *s) {
  if (!s) return;
  if (s->kind) s->kind->free(s);
  csim_arena_free(&s->arena);
  free(s);
}
