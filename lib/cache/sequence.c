// cache/sequence.c: frames from a file or folder of any kind. See clothsim.h and cache/sequence.h.
#include "cache/sequence.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// ------------------------------------------------------------------------------------------ caches

static csim_status open_cache(csim_sequence *s) {
  csim_cache *cache;
  csim_status status = csim_cache_open(s->path, s->log, &cache);
  if (status) return status;
  const csim_cache_info *info = csim_cache_get_info(cache);
  s->state = cache;
  s->info.fps = info->options.fps;
  s->info.up = info->options.up;
  s->info.nframe = info->nframe;
  s->info.number = info->number;
  s->info.nobject = info->nobject;
  s->info.object = info->object;
  s->info.complete = info->complete;
  s->info.has_faces = 1;
  return CSIM_OK;
}

static csim_status read_cache(csim_sequence *s, int object, int frame, double *x, double *v) {
  ptrdiff_t n = 3 * (ptrdiff_t)s->info.object[object].nvert;
  float *value = CSIM_NEW(float, 2 * n);
  if (!value) return csim_sequence_memory(s);
  csim_status status = csim_cache_read(s->state, object, frame, value, v ? value + n : NULL);
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

const csim_sequence_kind csim_sequence_cache = {"cache", open_cache, read_cache, free_cache};

// ----------------------------------------------------------------------------------------- opening

// What the first bytes and the name say; NULL when the path cannot be read (said).
static const csim_sequence_kind *recognise(csim_sequence *s) {
  struct stat st;
  size_t n = strlen(s->path);
  char head[12] = {0};
  if (stat(s->path, &st)) {
    char *part = csim_arena_print(&s->arena, "%s.part", s->path);
    if (part && !stat(part, &st)) return &csim_sequence_cache;
    if (strchr(s->path, '#')) return &csim_sequence_files;
  } else if (S_ISDIR(st.st_mode)) {
    return &csim_sequence_files;
  } else {
    int fd = open(s->path, O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, head, sizeof head);
    if (fd >= 0) close(fd);
    if (got >= 0) {
      if (!memcmp(head,
                  "\x89"
                  "CSC",
                  4))
        return &csim_sequence_cache;
      if (!memcmp(head, "POINTCACHE2", 12)) return &csim_sequence_pc2;
      if (n > 4 && !strcmp(s->path + n - 4, ".mdd")) return &csim_sequence_mdd;
      if (n > 11 && !strcmp(s->path + n - 11, ".clothcache")) return &csim_sequence_cache;
      if (n > 4 && !strcmp(s->path + n - 4, ".pc2")) return &csim_sequence_pc2;
      return &csim_sequence_files;
    }
  }
  csim_say(s->log, CSIM_ERROR, (csim_place){.file = s->path}, "cannot open: %s", strerror(errno));
  return NULL;
}

csim_status csim_sequence_open(const char *path, csim_log *log, csim_sequence **out) {
  *out = NULL;
  csim_sequence *s = CSIM_NEW(csim_sequence, 1);
  if (!s) {
    csim_say(log, CSIM_ERROR, (csim_place){.file = path}, "out of memory");
    return CSIM_MEMORY;
  }
  *s = (csim_sequence){.log = log, .info = {.complete = 1}};
  s->path = csim_arena_copy(&s->arena, path);
  csim_status status = s->path ? CSIM_OK : csim_sequence_memory(s);
  if (!status && !(s->kind = recognise(s))) status = CSIM_IO;
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

const csim_sequence_info *csim_sequence_get_info(const csim_sequence *s) {
  return &s->info;
}

csim_status csim_sequence_read(csim_sequence *s, int object, int frame, double *x, double *v) {
  if (object < 0 || object >= s->info.nobject || frame < 0 || frame >= s->info.nframe) {
    csim_say(s->log, CSIM_ERROR, (csim_place){.file = s->path}, "no object %d in frame %d", object,
             frame);
    return CSIM_INVALID;
  }
  return s->kind->read(s, object, frame, x, v);
}

void csim_sequence_free(csim_sequence *s) {
  if (!s) return;
  if (s->kind) s->kind->free(s);
  csim_arena_free(&s->arena);
  free(s);
}
