// cache/write.c: writes a cache, frame by frame. Needs base/, cache/codec, cache/topology.
//
// A frame is built in memory and written at once, so the file ends in whole frames, except after a
// crash during a write; the reader finds such an incomplete end by its crc.
#include "cache/codec.h"
#include "cache/layout.h"
#include "cache/look.h"
#include "cache/read.h"
#include "cache/topology.h"
#include "cache/uv_sets.h"

#include "base/log.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_META = 1 << 24, MAX_STATS = 1 << 20 };

// An object while it is written.
typedef struct object_writer {
  csim_traversal traversal;
  csim_track track[CSIM_CACHE_NATTRIBUTE]; // unused unless has
  int has[CSIM_CACHE_NATTRIBUTE];
  int done;           // put in this frame
  csim_bytes payload; // of this frame's FRAM
} object_writer;

struct csim_cache_writer {
  csim_log *log;
  csim_cache_options options;
  char *path, *part, *meta;
  int fd;             // -1 until csim_cache_begin
  int appending;      // the file was there before
  int keep;           // frames to keep of `old`
  csim_cache *old;    // the file being appended to, until csim_cache_begin
  csim_status status; // of the first failure; sticky
  int lost;           // frames that were written may not be on the disk
  csim_planes planes;
  int nobject;
  int minor; // version
  ptrdiff_t object_capacity;
  object_writer *object;
  csim_bytes topology[2]; // TOPO, then LOOK and UVST chunks until csim_cache_begin
  int in_frame;
  long long number; // of the last frame begun
  double time;
  csim_bytes stats, out;
  csim_bytes index; // INDX payload of the frames so far, without its head
  ptrdiff_t nframe;
  uint64_t end; // offset where the next frame goes
};

static csim_status fail(csim_cache_writer *w, csim_status status, const char *what) {
  csim_say(w->log, CSIM_ERROR, csim_in_file(w->path), "%s", what);
  if (!w->status) w->status = status;
  return status;
}

static csim_status fail_memory(csim_cache_writer *w) {
  return fail(w, CSIM_MEMORY, "out of memory");
}

static csim_status fail_file(csim_cache_writer *w, const char *verb) {
  if (!w->status) w->status = CSIM_IO;
  return csim_fail_system(w->log, w->fd < 0 ? w->path : w->part, verb, errno);
}

// ------------------------------------------------------------------------------------- creation

static void free_topology(csim_cache_writer *w) {
  for (int k = 0; k < 2; k++) {
    free(w->topology[k].data);
    w->topology[k] = (csim_bytes){0};
  }
}

static void free_writer(csim_cache_writer *w) {
  for (int i = 0; i < w->nobject; i++) {
    csim_traversal_free(&w->object[i].traversal);
    for (int a = 0; a < CSIM_CACHE_NATTRIBUTE; a++) csim_track_free(&w->object[i].track[a]);
    free(w->object[i].payload.data);
  }
  if (w->fd >= 0) close(w->fd);
  csim_cache_free(w->old);
  csim_planes_free(&w->planes);
  free(w->object);
  free_topology(w);
  free(w->stats.data);
  free(w->out.data);
  free(w->index.data);
  free(w->path);
  free(w->part);
  free(w->meta);
  free(w);
}

static const char *check_options(const csim_cache_options *o, const char *meta) {
  if (!(o->fps > 0) || !(o->fps <= 1e9)) return "the frame rate must be above 0";
  if (o->up != 1 && o->up != 2) return "the up axis must be 1 (y) or 2 (z)";
  if (!(o->position_error >= 0) || !isfinite(o->position_error) || !(o->velocity_error >= 0) ||
      !isfinite(o->velocity_error))
    return "the error bound of the cache must be 0 (lossless) or above";
  if (meta && strlen(meta) > MAX_META) return "the meta data are longer than 16 MiB";
  return NULL;
}

csim_status csim_cache_create(const char *path, const csim_cache_options *options,
                              const char *meta_json, csim_log *log, csim_cache_writer **writer) {
  *writer = NULL;
  const char *wrong = check_options(options, meta_json);
  if (wrong) return csim_refuse(log, csim_in_file(path), "%s", wrong);
  csim_cache_writer *w = CSIM_NEW(csim_cache_writer, 1);
  if (w) {
    *w = (csim_cache_writer){.log = log, .options = *options, .minor = CSIM_CACHE_MINOR, .fd = -1};
    w->path = csim_print("%s", path);
    w->part = csim_print("%s.part", path);
    w->meta = csim_print("%s", meta_json ? meta_json : "{}");
    if (w->path && w->part && w->meta) {
      *writer = w;
      return CSIM_OK;
    }
    free_writer(w);
  }
  return csim_fail_memory(log, path);
}

csim_status csim_cache_append(const char *path, int keep_frames, const csim_cache_options *options,
                              const char *meta_json, csim_log *log, csim_cache_writer **writer) {
  csim_cache_writer *w;
  csim_status status = csim_cache_create(path, options, meta_json, log, writer);
  if (status) return status;
  w = *writer;
  w->appending = 1;
  w->keep = keep_frames;
  status = csim_cache_open(access(w->part, F_OK) ? path : w->part, log, &w->old);
  if (!status) {
    int have = csim_cache_get_info(w->old)->nframe;
    if (keep_frames < 0 || keep_frames > have)
      status = csim_refuse(log, csim_in_file(path),
                           "cannot continue after %d frames: the cache has %d complete ones",
                           keep_frames, have);
  }
  if (status) {
    free_writer(w);
    *writer = NULL;
  }
  return status;
}

// Appends a chunk of the object added last. The payload is empty after it.
static void add_chunk(csim_cache_writer *w, int where, uint32_t fourcc, csim_bytes *payload) {
  csim_chunk_add(&w->topology[where],
                 (csim_chunk){.fourcc = fourcc,
                              .object = (uint32_t)w->nobject - 1,
                              .codec = CSIM_CACHE_CODEC_PLANES},
                 payload);
  payload->n = 0;
}

csim_status csim_cache_add_object(csim_cache_writer *w, const csim_cache_object *object) {
  if (w->status) return w->status;
  csim_status status = csim_topology_check(object, csim_in_file(w->path), w->log);
  if (status) return w->status = status;
  const char *wrong = csim_look_check(object);
  if (!wrong) wrong = csim_uv_sets_check(object);
  if (wrong) return fail(w, wrong == csim_look_no_memory ? CSIM_MEMORY : CSIM_INVALID, wrong);
  if (w->nobject == CSIM_CACHE_MAX_OBJECT) return fail(w, CSIM_INVALID, "too many objects");
  if (CSIM_GROW(w->object, w->object_capacity, (ptrdiff_t)w->nobject + 1)) return fail_memory(w);
  object_writer *o = &w->object[w->nobject++];
  *o = (object_writer){0};
  csim_bytes payload = {0};
  if ((object->has_strain || object->nsample || csim_look_in(object)) &&
      w->minor < CSIM_CACHE_SAMPLED)
    w->minor = CSIM_CACHE_SAMPLED;
  if (object->nuv_set) w->minor = CSIM_CACHE_UV_SETS;
  int bad = csim_traversal_init(&o->traversal, object->nvert, object->nface, object->face_start,
                                object->face_vert, object->ntet, object->tet);
  for (int a = 0; a < CSIM_CACHE_NATTRIBUTE && !bad; a++) {
    o->has[a] = csim_attribute_in(object, a);
    bad = o->has[a] && csim_track_init(&o->track[a], csim_attribute_width(a), object->nvert);
  }
  bad = bad || csim_topology_write(&w->planes, object, &payload);
  add_chunk(w, 0, CSIM_CACHE_TOPO, &payload);
  if (!bad && csim_look_in(object)) {
    bad = csim_look_write(&w->planes, object, &payload);
    add_chunk(w, 1, CSIM_CACHE_LOOK, &payload);
  }
  for (int k = 0; k < object->nuv_set && !bad; k++) {
    bad = csim_uv_set_write(&w->planes, object, &object->uv_set[k], &payload);
    add_chunk(w, 1, CSIM_CACHE_UVST, &payload);
  }
  free(payload.data);
  return bad || w->topology[0].failed || w->topology[1].failed ? fail_memory(w) : CSIM_OK;
}

// ---------------------------------------------------------------------------------------- begin

static csim_status write_at(csim_cache_writer *w, const csim_bytes *bytes, uint64_t offset) {
  for (ptrdiff_t done = 0; done < bytes->n;) {
    ssize_t n = pwrite(w->fd, bytes->data + done, (size_t)(bytes->n - done),
                       (off_t)(offset + (uint64_t)done));
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      if (n == 0) errno = ENOSPC;
      fail_file(w, "write the cache");
      // whole frames only; failing here too changes nothing: the reader finds the torn end
      if (ftruncate(w->fd, (off_t)offset)) return CSIM_IO;
      return CSIM_IO;
    }
    done += n;
  }
  return CSIM_OK;
}

// Opens the .part file and makes sure that no other process writes it.
static csim_status open_part(csim_cache_writer *w) {
  int fd = open(w->part, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  if (fd < 0) return fail_file(w, "create the cache");
  struct stat st;
  if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
    close(fd);
    return fail(w, CSIM_IO, "is not a regular file");
  }
  if (csim_lock(fd, w->part, w->log)) {
    close(fd);
    return fail(w, CSIM_IO, "another process is writing this cache");
  }
  w->fd = fd;
  return CSIM_OK;
}

// Checks that the file being continued begins with the bytes that this run would write.
static csim_status compare_head(csim_cache_writer *w, const csim_bytes *head, ptrdiff_t meta_end) {
  uint8_t *have = CSIM_NEW(uint8_t, head->n);
  if (!have) return fail_memory(w);
  ptrdiff_t same = 0;
  if (!csim_cache_read_bytes(w->old, 0, head->n, have))
    while (same < head->n && have[same] == head->data[same]) same++;
  free(have);
  if (same == head->n) return CSIM_OK;
  return fail(w, CSIM_INVALID,
              same < CSIM_CACHE_HEADER ? "cannot continue: the cache has other settings or objects"
              : same < meta_end        ? "cannot continue: the cache is of another scene or version"
                                : "cannot continue: an object of the cache has another mesh");
}

// Sets every track to the last frame kept, and copies the index of the frames kept.
static csim_status take_over(csim_cache_writer *w) {
  const csim_cache_info *info = csim_cache_get_info(w->old);
  w->nframe = w->keep;
  w->end = csim_cache_frame_offset(w->old, w->keep, 0);
  for (int f = 0; f < w->keep; f++) {
    csim_bytes_add64(&w->index, (uint64_t)info->number[f]);
    csim_bytes_add_double(&w->index, info->time[f]);
    for (int i = 0; i <= w->nobject; i++)
      csim_bytes_add64(&w->index, csim_cache_frame_offset(w->old, f, i));
    w->number = info->number[f];
  }
  for (int i = 0; i < w->nobject && w->keep; i++)
    for (int a = 0; a < CSIM_CACHE_NATTRIBUTE; a++) {
      if (!w->object[i].has[a]) continue;
      csim_status status = csim_cache_take_track(w->old, i, a, w->keep - 1, &w->object[i].track[a]);
      if (status) return w->status = status;
    }
  return w->index.failed ? fail_memory(w) : CSIM_OK;
}

static csim_status begin_appending(csim_cache_writer *w, const csim_bytes *head,
                                   ptrdiff_t meta_end) {
  csim_status status = compare_head(w, head, meta_end);
  if (!status) status = take_over(w);
  if (status) return status;
  if (strcmp(csim_cache_get_info(w->old)->file, w->part) && rename(w->path, w->part))
    return fail_file(w, "rename the cache");
  status = open_part(w);
  if (status) return status;
  if (ftruncate(w->fd, (off_t)w->end)) return fail_file(w, "shorten the cache");
  csim_cache_free(w->old);
  w->old = NULL;
  return CSIM_OK;
}

csim_status csim_cache_begin(csim_cache_writer *w) {
  if (w->status) return w->status;
  if (!w->nobject) return fail(w, CSIM_INVALID, "a cache needs at least one object");
  csim_bytes head = {0}, meta = {0};
  uint8_t header[CSIM_CACHE_HEADER];
  csim_header_pack(&w->options, w->minor, w->nobject, header);
  csim_bytes_add(&head, header, sizeof header);
  csim_bytes_add(&meta, w->meta, (ptrdiff_t)strlen(w->meta));
  csim_chunk_add(&head, (csim_chunk){.fourcc = CSIM_CACHE_META}, &meta);
  ptrdiff_t meta_end = head.n;
  csim_bytes_add(&head, w->topology[0].data, w->topology[0].n);
  csim_bytes_add(&head, w->topology[1].data, w->topology[1].n);
  csim_status status;
  if (head.failed) {
    status = fail_memory(w);
  } else if (w->old) {
    status = begin_appending(w, &head, meta_end);
  } else {
    status = open_part(w);
    if (!status && ftruncate(w->fd, 0)) status = fail_file(w, "shorten the cache");
    if (!status) status = write_at(w, &head, 0);
    w->end = (uint64_t)head.n;
  }
  free(head.data);
  free(meta.data);
  free_topology(w);
  return status;
}

// --------------------------------------------------------------------------------------- frames

csim_status csim_cache_begin_frame(csim_cache_writer *w, long long number, double time) {
  if (w->status) return w->status;
  if (w->fd < 0 || w->in_frame) return fail(w, CSIM_INVALID, "a frame begins out of order");
  if (w->nframe && number <= w->number) return fail(w, CSIM_INVALID, "frame numbers must increase");
  if (w->nframe >= CSIM_CACHE_MAX_FRAME) return fail(w, CSIM_INVALID, "too many frames");
  w->in_frame = 1;
  w->number = number;
  w->time = time;
  w->stats.n = 0;
  for (int i = 0; i < w->nobject; i++) w->object[i].done = 0;
  return CSIM_OK;
}

// Appends an attribute of the frame to the object's payload, with its record.
static int put_attribute(csim_cache_writer *w, object_writer *o, int attribute, const double *value,
                         ptrdiff_t record) {
  int velocity = attribute == CSIM_CACHE_VELOCITY ||
                 (attribute >= CSIM_CACHE_SAMPLE && (attribute - CSIM_CACHE_SAMPLE) % 2);
  double error = csim_attribute_width(attribute) == 1 ? 0
                 : velocity                           ? w->options.velocity_error
                                                      : w->options.position_error;
  csim_bytes *p = &o->payload;
  ptrdiff_t start = p->n;
  csim_coding coding;
  csim_codec_frame frame = {value, error, w->nframe, CSIM_CACHE_INTERVAL};
  if (p->failed ||
      csim_codec_write(&o->traversal, &w->planes, &frame, &o->track[attribute], &coding, p))
    return -1;
  csim_record_pack(attribute, &coding, (uint64_t)(p->n - start), p->data + record);
  return 0;
}

// The values of an attribute, NULL when there are none.
static const double *values_of(const csim_cache_values *values, int attribute, int nvert) {
  const double *const plain[CSIM_CACHE_SAMPLE] = {values->x, values->v, values->pressure,
                                                  values->strain};
  if (attribute < CSIM_CACHE_SAMPLE) return plain[attribute];
  int sample = attribute - CSIM_CACHE_SAMPLE;
  const double *from = sample % 2 ? values->sample_v : values->sample_x;
  return from ? from + csim_xyz(nvert) * (sample / 2) : NULL;
}

csim_status csim_cache_put_values(csim_cache_writer *w, int object,
                                  const csim_cache_values *values) {
  if (w->status) return w->status;
  if (!w->in_frame || object < 0 || object >= w->nobject || w->object[object].done)
    return fail(w, CSIM_INVALID, "an object is written out of order");
  object_writer *o = &w->object[object];
  const double *value[CSIM_CACHE_NATTRIBUTE];
  int nattribute = 0;
  for (int a = 0; a < CSIM_CACHE_NATTRIBUTE; a++) {
    value[a] = values_of(values, a, o->track[0].nvert);
    if (o->has[a] ? !value[a] : a < CSIM_CACHE_SAMPLE && value[a])
      return fail(w, CSIM_INVALID,
                  "velocities, pressures, strain or samples do not match the object's description");
    nattribute += o->has[a];
  }
  csim_bytes *p = &o->payload;
  p->n = 0;
  csim_bytes_add32(p, (uint32_t)nattribute);
  csim_bytes_add32(p, 0);
  ptrdiff_t record = p->n;
  csim_bytes_add(p, NULL, nattribute * CSIM_CACHE_ATTRIBUTE);
  for (int a = 0; a < CSIM_CACHE_NATTRIBUTE; a++) {
    if (!o->has[a]) continue;
    if (put_attribute(w, o, a, value[a], record)) return fail_memory(w);
    record += CSIM_CACHE_ATTRIBUTE;
  }
  o->done = 1;
  return CSIM_OK;
}

csim_status csim_cache_put(csim_cache_writer *w, int object, const double *x, const double *v) {
  return csim_cache_put_values(w, object, &(csim_cache_values){.x = x, .v = v});
}

csim_status csim_cache_put_stats(csim_cache_writer *w, const char *json) {
  if (w->status) return w->status;
  size_t n = strlen(json);
  if (!w->in_frame || n > MAX_STATS)
    return fail(w, CSIM_INVALID, "frame statistics out of order or longer than 1 MiB");
  w->stats.n = 0;
  csim_bytes_add(&w->stats, json, (ptrdiff_t)n);
  return w->stats.failed ? fail_memory(w) : CSIM_OK;
}

csim_status csim_cache_end_frame(csim_cache_writer *w) {
  if (w->status) return w->status;
  int ready = w->in_frame;
  for (int i = 0; i < w->nobject; i++) ready = ready && w->object[i].done;
  if (!ready) return fail(w, CSIM_INVALID, "a frame ends without all of its objects");
  csim_bytes stat = {0};
  csim_bytes_add_double(&stat, w->time);
  csim_bytes_add(&stat, w->stats.data, w->stats.n);
  w->out.n = 0;
  csim_bytes_add64(&w->index, (uint64_t)w->number);
  csim_bytes_add_double(&w->index, w->time);
  for (int i = 0; i < w->nobject; i++) {
    csim_bytes_add64(&w->index, w->end + (uint64_t)w->out.n);
    csim_chunk_add(&w->out,
                   (csim_chunk){.fourcc = CSIM_CACHE_FRAM,
                                .frame = w->number,
                                .object = (uint32_t)i,
                                .codec = CSIM_CACHE_CODEC_PLANES},
                   &w->object[i].payload);
  }
  csim_bytes_add64(&w->index, w->end + (uint64_t)w->out.n);
  csim_chunk_add(&w->out, (csim_chunk){.fourcc = CSIM_CACHE_STAT, .frame = w->number}, &stat);
  free(stat.data);
  if (w->out.failed || w->index.failed) return fail_memory(w);
  csim_status status = write_at(w, &w->out, w->end);
  if (status) return status;
  w->end += (uint64_t)w->out.n;
  w->nframe++;
  w->in_frame = 0;
  return CSIM_OK;
}

csim_status csim_cache_sync(csim_cache_writer *w) {
  // after a failure the next fsync does not report what was lost
  if (w->lost) return CSIM_IO;
  w->lost = w->fd >= 0 && fsync(w->fd);
  return w->lost ? fail_file(w, "write the cache") : CSIM_OK;
}

// ---------------------------------------------------------------------------------------- close

// Writes index and trailer, and renames the file.
static csim_status commit_file(csim_cache_writer *w) {
  csim_bytes payload = {0};
  csim_bytes_add32(&payload, (uint32_t)w->nobject);
  csim_bytes_add32(&payload, (uint32_t)w->nframe);
  csim_bytes_add(&payload, w->index.data, w->index.n);
  w->out.n = 0;
  csim_chunk_add(&w->out, (csim_chunk){.fourcc = CSIM_CACHE_INDX}, &payload);
  uint64_t size = w->end + (uint64_t)w->out.n + CSIM_CACHE_CHUNK + CSIM_CACHE_TAIL;
  payload.n = 0;
  csim_bytes_add64(&payload, w->end);
  csim_bytes_add64(&payload, size);
  csim_chunk_add(&w->out, (csim_chunk){.fourcc = CSIM_CACHE_LAST}, &payload);
  free(payload.data);
  if (w->out.failed) return fail_memory(w);
  csim_status status = write_at(w, &w->out, w->end);
  if (status) return status;
  if (fsync(w->fd)) return fail_file(w, "write the cache");
  if (rename(w->part, w->path)) return fail_file(w, "rename the cache");
  return CSIM_OK;
}

csim_status csim_cache_close(csim_cache_writer *w, int commit) {
  if (!w) return CSIM_OK;
  csim_status status = w->status;
  if (commit && !status)
    status = w->fd < 0 || w->in_frame ? fail(w, CSIM_INVALID, "the cache is closed out of order")
                                      : commit_file(w);
  free_writer(w);
  return status;
}

void csim_cache_abandon(csim_cache_writer *w) {
  if (!w) return;
  if (w->fd >= 0 && !w->appending) unlink(w->part);
  free_writer(w);
}
