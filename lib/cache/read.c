// cache/read.c: opens a cache and decodes frames of it in any order. Needs base/, cache/codec,
// cache/topology.
//
// Nothing in the file is trusted. Every chunk's crc is checked before its payload is used, and
// every count is compared with the size of the file before memory is allocated. pread, not mmap: if
// the file is truncated while it is read, that is an error, not a signal.
#include "cache/read.h"

#include "base/log.h"
#include "base/number.h"
#include "cache/layout.h"
#include "cache/look.h"
#include "cache/topology.h"
#include "cache/uv_sets.h"
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { MAX_ATTRIBUTE = 16 };
#define TAIL_BYTES ((uint64_t)CSIM_CACHE_CHUNK + CSIM_CACHE_TAIL)

// The decoder's state of one object.
typedef struct object_reader {
  int ready; // the traversal is built
  csim_traversal traversal;
  csim_track track[CSIM_CACHE_NATTRIBUTE]; // value: that of the frame `stored`
} object_reader;

// The part of a FRAM payload about one attribute.
typedef struct record {
  csim_coding coding;
  uint64_t at, size; // of its data in the payload
} record;

struct csim_cache {
  csim_log *log;
  int fd;
  char *path;
  csim_arena arena; // objects and meta
  csim_cache_info info;
  int interval;
  object_reader *object; // (nobject)
  long long *number;     // (nframe)
  double *time;          // (nframe)
  uint64_t *offset;      // (nframe x (nobject + 1)) FRAM of each object, then STAT
  ptrdiff_t number_capacity, time_capacity, offset_capacity;
  uint64_t first, end; // where frames begin and end
  csim_planes planes;
  csim_bytes payload;
  int memory; // a chunk was too large for it
};

static csim_status no_memory(csim_cache *c) {
  return csim_fail_memory(c->log, c->path);
}

// Whether memory ran out. Then nothing is concluded about the file: it is not damage.
static int is_short(const csim_cache *c) {
  return c->memory || c->planes.failed || c->arena.failed;
}

static csim_status damaged(csim_cache *c, uint64_t offset, const char *what) {
  if (is_short(c)) return no_memory(c);
  return csim_fail(c->log, CSIM_IO, csim_in_file(c->path), "byte %llu: %s",
                   (unsigned long long)offset, what);
}

// ---------------------------------------------------------------------------------------- chunks

int csim_cache_read_bytes(csim_cache *c, uint64_t offset, ptrdiff_t n, uint8_t *bytes) {
  errno = 0;
  for (ptrdiff_t done = 0; done < n;) {
    ssize_t got = pread(c->fd, bytes + done, (size_t)(n - done), (off_t)offset + done);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return -1;
    done += got;
    c->info.bytes_read += got;
  }
  return 0;
}

// Reads a chunk's header and checks that its payload fits into the file. NULL, or what is wrong.
static const char *read_head(csim_cache *c, uint64_t offset, csim_chunk *chunk) {
  uint8_t head[CSIM_CACHE_CHUNK];
  uint64_t size = (uint64_t)c->info.size;
  if (offset % 8 || offset > size || size - offset < sizeof head)
    return "the file ends amid a chunk header";
  if (csim_cache_read_bytes(c, offset, sizeof head, head))
    return errno ? strerror(errno) : "the file became shorter while it was read";
  if (csim_chunk_unpack(head, chunk)) return "a chunk header is damaged (wrong crc)";
  uint64_t left = size - offset - sizeof head;
  if (chunk->size > left || csim_padded(chunk->size) > left) return "the file ends amid a chunk";
  return NULL;
}

// Reads a whole chunk into c->payload. NULL, or what is wrong.
static const char *read_chunk(csim_cache *c, uint64_t offset, csim_chunk *chunk) {
  const char *wrong = read_head(c, offset, chunk);
  if (wrong) return wrong;
  ptrdiff_t padded = (ptrdiff_t)csim_padded(chunk->size);
  c->payload.n = 0;
  uint8_t *data = csim_bytes_reserve(&c->payload, padded);
  if (!data) {
    c->payload.failed = 0;
    c->memory = 1;
    return "out of memory";
  }
  if (csim_cache_read_bytes(c, offset + CSIM_CACHE_CHUNK, padded, data))
    return errno ? strerror(errno) : "the file became shorter while it was read";
  if ((uint32_t)crc32_z(0, data, (size_t)chunk->size) != chunk->crc)
    return "a chunk is damaged (wrong crc)";
  for (ptrdiff_t i = (ptrdiff_t)chunk->size; i < padded; i++)
    if (data[i]) return "the padding of a chunk is damaged";
  c->payload.n = (ptrdiff_t)chunk->size;
  return NULL;
}

static uint64_t after(uint64_t offset, const csim_chunk *chunk) {
  return offset + CSIM_CACHE_CHUNK + csim_padded(chunk->size);
}

// ---------------------------------------------------------------------------------------- opening

static csim_status open_file(csim_cache *c, const char *path) {
  uint64_t size = 0;
  char *part = csim_arena_print(&c->arena, "%s.part", path);
  if (part && access(path, F_OK) && !access(part, F_OK)) c->path = part;
  csim_status status = csim_file_open(c->path, c->log, &c->fd, &size);
  c->info.size = (long long)size;
  c->info.file = c->path;
  return status;
}

static csim_status read_header(csim_cache *c) {
  uint8_t header[CSIM_CACHE_HEADER];
  const char *wrong = "not a clothsim cache";
  if (!csim_cache_read_bytes(c, 0, sizeof header, header))
    wrong = csim_header_unpack(header, &c->info.options, &c->info.nobject, &c->interval);
  if (!wrong) return CSIM_OK;
  return csim_fail(c->log, CSIM_IO, csim_in_file(c->path), "%s", wrong);
}

// "meters_per_unit": NUMBER in META; within a JSON string the quotes would be escaped.
static double find_unit(const char *meta) {
  static const char key[] = "\"meters_per_unit\":";
  const char *at = strstr(meta, key), *end = meta + strlen(meta);
  double unit;
  if (!at) return 1;
  for (at += sizeof key - 1; *at == ' '; at++) continue;
  return csim_read_number(at, end, &unit) && unit > 0 && isfinite(unit) ? unit : 1;
}

// "samples": [NUMBER, ...] in META: increasing, in (-1, 0); anything else is none.
static int find_samples(const char *meta, double *share) {
  static const char key[] = "\"samples\":";
  const char *at = strstr(meta, key), *end = meta + strlen(meta);
  int n = 0;
  if (!at) return 0;
  for (at += sizeof key - 1; *at == ' '; at++) continue;
  while (*at == '[' || *at == ',') {
    for (at++; *at == ' '; at++) continue;
    double s;
    at = csim_read_number(at, end, &s);
    if (!at || n == CSIM_CACHE_MAX_SAMPLE || !(s > (n ? share[n - 1] : -1)) || !(s < 0)) return 0;
    share[n++] = s;
  }
  return *at == ']' ? n : 0;
}

// The LOOK and UVST chunks from *at on, which moves behind them.
static csim_status read_looks(csim_cache *c, csim_cache_object *object, uint64_t *at) {
  csim_chunk chunk;
  for (; !read_head(c, *at, &chunk); *at = after(*at, &chunk)) {
    int uv = chunk.fourcc == CSIM_CACHE_UVST;
    if (!uv && chunk.fourcc != CSIM_CACHE_LOOK) break;
    if (chunk.object >= (uint32_t)c->info.nobject)
      return damaged(c, *at, uv ? "a UVST chunk of no object" : "a LOOK chunk of no object");
    csim_cache_object *o = &object[chunk.object];
    const char *wrong = read_chunk(c, *at, &chunk);
    if (wrong) return damaged(c, *at, wrong);
    const uint8_t *data = c->payload.data;
    int bad = uv ? csim_uv_set_read(&c->planes, data, c->payload.n, &c->arena, o)
                 : csim_look_read(&c->planes, data, c->payload.n, &c->arena, o);
    const char *unfit = bad ? NULL : uv ? csim_uv_sets_check(o) : csim_look_check(o);
    if (!bad && !unfit) continue;
    if (c->arena.failed || unfit == csim_look_no_memory) return no_memory(c);
    return damaged(c, *at, uv ? "a UVST chunk is malformed" : "a LOOK chunk is malformed");
  }
  return CSIM_OK;
}

// META and the TOPO chunks. Without them nothing can be read.
static csim_status read_topology(csim_cache *c) {
  int nobject = c->info.nobject;
  uint64_t at = CSIM_CACHE_HEADER;
  csim_chunk chunk;
  const char *wrong = read_chunk(c, at, &chunk);
  if (!wrong && chunk.fourcc != CSIM_CACHE_META) wrong = "the META chunk is missing";
  if (wrong) return damaged(c, at, wrong);
  char *meta = csim_arena_alloc(&c->arena, c->payload.n + 1, 1);
  if (!meta) return no_memory(c);
  memcpy(meta, c->payload.data, (size_t)c->payload.n);
  c->info.meta = meta;
  c->info.unit = find_unit(meta);
  c->info.nsample = find_samples(meta, c->info.share);
  // an object takes at least a chunk header: a hostile count cannot ask for much memory
  if ((uint64_t)nobject > (uint64_t)c->info.size / CSIM_CACHE_CHUNK)
    return damaged(c, at, "the file is too short for its number of objects");
  csim_cache_object *object = CSIM_ARENA_NEW(&c->arena, csim_cache_object, nobject);
  c->object = CSIM_ARENA_NEW(&c->arena, object_reader, nobject);
  if (!object || !c->object) return no_memory(c);
  c->info.object = object;
  for (int i = 0; i < nobject; i++) {
    at = after(at, &chunk);
    wrong = read_chunk(c, at, &chunk);
    if (!wrong && (chunk.fourcc != CSIM_CACHE_TOPO || chunk.object != (uint32_t)i))
      wrong = "a TOPO chunk is missing";
    if (wrong) return damaged(c, at, wrong);
    if (csim_topology_read(&c->planes, c->payload.data, c->payload.n, &c->arena, &object[i]))
      return c->arena.failed ? no_memory(c) : damaged(c, at, "the TOPO chunk is malformed");
    if (object[i].nsample && object[i].nsample != c->info.nsample)
      return damaged(c, at, "an object has other samples than META says");
    csim_status status = csim_topology_check(&object[i], csim_in_file(c->path), c->log);
    if (status) return status == CSIM_MEMORY ? CSIM_MEMORY : CSIM_IO;
  }
  at = after(at, &chunk);
  csim_status status = read_looks(c, object, &at);
  if (status) return status;
  c->first = c->end = at;
  return CSIM_OK;
}

// Adds a frame; returns its offsets, NULL when out of memory.
static uint64_t *add_frame(csim_cache *c, long long number, double time) {
  ptrdiff_t f = c->info.nframe, stride = (ptrdiff_t)c->info.nobject + 1;
  if (CSIM_GROW(c->number, c->number_capacity, f + 1) ||
      CSIM_GROW(c->time, c->time_capacity, f + 1) ||
      CSIM_GROW(c->offset, c->offset_capacity, (f + 1) * stride))
    return NULL;
  c->number[f] = number;
  c->time[f] = time;
  c->info.nframe++;
  return c->offset + f * stride;
}

// The index at the end of a complete file. 1 when there is one and it is sound, 0 when not, -1 when
// out of memory.
static int read_index(csim_cache *c) {
  uint64_t size = (uint64_t)c->info.size, at;
  csim_chunk chunk;
  if (size < c->first + TAIL_BYTES || read_chunk(c, size - TAIL_BYTES, &chunk) ||
      chunk.fourcc != CSIM_CACHE_LAST || chunk.size != CSIM_CACHE_TAIL ||
      csim_load_u64(c->payload.data + 8) != size)
    return 0;
  at = csim_load_u64(c->payload.data);
  if (at < c->first || at > size - TAIL_BYTES || read_chunk(c, at, &chunk) ||
      chunk.fourcc != CSIM_CACHE_INDX || after(at, &chunk) != size - TAIL_BYTES)
    return 0;
  uint64_t stride = (uint64_t)c->info.nobject + 1, bytes = 16 + 8 * stride;
  if (chunk.size < 8 || (chunk.size - 8) % bytes) return 0;
  uint64_t n = (chunk.size - 8) / bytes;
  const uint8_t *p = c->payload.data;
  if (csim_load_u32(p) != (uint32_t)c->info.nobject || csim_load_u32(p + 4) != n ||
      n > CSIM_CACHE_MAX_FRAME)
    return 0;
  p += 8;
  for (uint64_t f = 0; f < n; f++) {
    long long number = (long long)csim_load_u64(p);
    if (f && number <= c->number[f - 1]) return 0;
    uint64_t *offset = add_frame(c, number, csim_load_f64(p + 8));
    if (!offset) return -1;
    p += 16;
    for (uint64_t i = 0; i < stride; i++, p += 8) {
      offset[i] = csim_load_u64(p);
      if (offset[i] < c->first || offset[i] >= at) return 0;
    }
  }
  c->end = at;
  return 1;
}

// Finds the whole frames of a file without an index, up to the first damage.
static csim_status scan_frames(csim_cache *c) {
  ptrdiff_t nobject = c->info.nobject, have = 0;
  uint64_t *offset = CSIM_ARENA_NEW(&c->arena, uint64_t, nobject);
  if (!offset) return no_memory(c);
  csim_chunk chunk;
  c->info.nframe = 0;
  for (uint64_t at = c->first; at < (uint64_t)c->info.size; at = after(at, &chunk)) {
    if (read_chunk(c, at, &chunk) || chunk.fourcc == CSIM_CACHE_INDX) break;
    if (chunk.fourcc == CSIM_CACHE_FRAM) {
      if (chunk.object != (uint32_t)have || have == nobject) break;
      offset[have++] = at;
    } else if (chunk.fourcc == CSIM_CACHE_STAT) {
      int n = c->info.nframe;
      if (have != nobject || chunk.size < 8 || n == CSIM_CACHE_MAX_FRAME ||
          (n && chunk.frame <= c->number[n - 1]))
        break;
      uint64_t *to = add_frame(c, chunk.frame, csim_load_f64(c->payload.data));
      if (!to) return no_memory(c);
      memcpy(to, offset, (size_t)nobject * sizeof *to);
      to[nobject] = at;
      c->end = after(at, &chunk);
      have = 0;
    }
  }
  return CSIM_OK;
}

csim_status csim_cache_open(const char *path, csim_log *log, csim_cache **cache) {
  *cache = NULL;
  csim_cache *c = CSIM_NEW(csim_cache, 1);
  if (!c) return csim_fail_memory(log, path);
  *c = (csim_cache){.log = log, .fd = -1};
  c->path = csim_arena_copy(&c->arena, path);
  csim_status status = c->path ? open_file(c, path) : no_memory(c);
  if (!status) status = read_header(c);
  if (!status) status = read_topology(c);
  if (!status) {
    int found = read_index(c);
    c->info.complete = found == 1;
    status = found < 0 || is_short(c) ? no_memory(c) : found ? CSIM_OK : scan_frames(c);
    if (!status && is_short(c)) status = no_memory(c);
  }
  if (status) {
    csim_cache_free(c);
    return status;
  }
  c->info.number = c->number;
  c->info.time = c->time;
  *cache = c;
  return CSIM_OK;
}

void csim_cache_free(csim_cache *c) {
  if (!c) return;
  for (int i = 0; c->object && i < c->info.nobject; i++) {
    csim_traversal_free(&c->object[i].traversal);
    for (int a = 0; a < CSIM_CACHE_NATTRIBUTE; a++) csim_track_free(&c->object[i].track[a]);
  }
  if (c->fd >= 0) close(c->fd);
  csim_planes_free(&c->planes);
  csim_arena_free(&c->arena);
  free(c->number);
  free(c->time);
  free(c->offset);
  free(c->payload.data);
  free(c);
}

const csim_cache_info *csim_cache_get_info(const csim_cache *cache) {
  return &cache->info;
}

// --------------------------------------------------------------------------------------- decoding

uint64_t csim_cache_frame_offset(const csim_cache *c, int frame, int object) {
  if (frame >= c->info.nframe) return c->end;
  return c->offset[(ptrdiff_t)frame * ((ptrdiff_t)c->info.nobject + 1) + object];
}

// Finds an attribute in the first `size` bytes of a FRAM payload of `whole` bytes.
static const char *find_record(const uint8_t *p, uint64_t size, uint64_t whole, int frame,
                               int attribute, record *r) {
  static const char malformed[] = "a FRAM chunk is malformed";
  if (size < 8) return malformed;
  uint32_t n = csim_load_u32(p);
  if (n < 1 || n > MAX_ATTRIBUTE || 8 + (uint64_t)n * CSIM_CACHE_ATTRIBUTE > size) return malformed;
  uint64_t at = 8 + (uint64_t)n * CSIM_CACHE_ATTRIBUTE;
  for (uint32_t i = 0; i < n; i++) {
    const uint8_t *q = p + 8 + (uint64_t)i * CSIM_CACHE_ATTRIBUTE;
    csim_coding coding;
    uint64_t bytes;
    int kind = csim_record_unpack(q, &coding, &bytes);
    if (kind < 0 || bytes > whole - at) return malformed;
    if (kind == attribute) {
      if (coding.reference > frame) return malformed;
      *r = (record){.coding = coding, .at = at, .size = bytes};
      return NULL;
    }
    at += bytes;
  }
  return "a FRAM chunk lacks an attribute";
}

// Reads the record of an attribute: with the whole chunk, or (peek) with its head alone.
static csim_status read_record(csim_cache *c, int object, int attribute, int frame, int peek,
                               record *r) {
  uint64_t offset = csim_cache_frame_offset(c, frame, object);
  uint8_t head[8 + MAX_ATTRIBUTE * CSIM_CACHE_ATTRIBUTE];
  csim_chunk chunk;
  const char *wrong = peek ? read_head(c, offset, &chunk) : read_chunk(c, offset, &chunk);
  if (!wrong && (chunk.fourcc != CSIM_CACHE_FRAM || chunk.frame != c->number[frame] ||
                 chunk.object != (uint32_t)object || chunk.codec != CSIM_CACHE_CODEC_PLANES))
    wrong = "not the FRAM chunk that the index promised";
  if (!wrong && peek) {
    uint64_t n = chunk.size < sizeof head ? chunk.size : sizeof head;
    if (csim_cache_read_bytes(c, offset + CSIM_CACHE_CHUNK, (ptrdiff_t)n, head))
      wrong = "the file became shorter while it was read";
    else
      wrong = find_record(head, n, chunk.size, frame, attribute, r);
  } else if (!wrong) {
    wrong = find_record(c->payload.data, chunk.size, chunk.size, frame, attribute, r);
  }
  if (wrong)
    return csim_fail(c->log, CSIM_IO, csim_in_file(c->path),
                     "frame %lld, object \"%.64s\", byte %llu: %s", c->number[frame],
                     c->info.object[object].name, (unsigned long long)offset, wrong);
  return CSIM_OK;
}

// Decodes the data stored in a frame on top of the track's present value.
static csim_status decode(csim_cache *c, int object, int attribute, int frame) {
  object_reader *o = &c->object[object];
  const csim_cache_object *desc = &c->info.object[object];
  csim_track *track = &o->track[attribute];
  record r;
  csim_status status = read_record(c, object, attribute, frame, 0, &r);
  if (status) return status;
  uint64_t offset = csim_cache_frame_offset(c, frame, object);
  uint64_t width = (uint64_t)csim_attribute_width(attribute);
  if (r.coding.mode == CSIM_CACHE_SAME ||
      !csim_planes_plausible(width * (uint64_t)desc->nvert, r.size))
    return damaged(c, offset, "a FRAM chunk is malformed");
  if (!o->ready) {
    if (csim_traversal_init(&o->traversal, desc->nvert, desc->nface, desc->face_start,
                            desc->face_vert, desc->ntet, desc->tet))
      return no_memory(c);
    o->ready = 1;
  }
  if (!track->value && csim_track_init(track, (int)width, desc->nvert)) {
    csim_track_free(track);
    return no_memory(c);
  }
  track->stored = -1;
  if (csim_codec_read(&o->traversal, &c->planes, &r.coding, c->payload.data + r.at,
                      (ptrdiff_t)r.size, track))
    return damaged(c, offset, "the data of a FRAM chunk are malformed");
  track->stored = frame;
  return CSIM_OK;
}

// The frame that holds the data of a frame: itself, or for SAME the one it refers to.
static csim_status resolve(csim_cache *c, int object, int attribute, int *frame, int *key) {
  record r;
  csim_status status = read_record(c, object, attribute, *frame, 1, &r);
  if (status) return status;
  if (r.coding.mode == CSIM_CACHE_SAME) {
    int same = (int)r.coding.reference, from = *frame;
    uint64_t offset = csim_cache_frame_offset(c, from, object);
    if (same >= from) return damaged(c, offset, "a FRAM chunk refers forward");
    *frame = same;
    status = read_record(c, object, attribute, same, 1, &r);
    if (status) return status;
    if (r.coding.mode == CSIM_CACHE_SAME ||
        (from % c->interval == 0 && r.coding.mode != CSIM_CACHE_KEY))
      return damaged(c, offset, "a FRAM chunk refers to one that holds no data");
  }
  *key = r.coding.mode == CSIM_CACHE_KEY;
  if (!*key && *frame % c->interval == 0)
    return damaged(c, csim_cache_frame_offset(c, *frame, object), "a key frame is missing");
  return CSIM_OK;
}

// Moves the track to a frame: back to the nearest stored or key frame, then forward. Decodes at
// most one interval of frames, as a key frame ends every chain.
static csim_status seek_frame(csim_cache *c, int object, int attribute, int frame) {
  csim_track *track = &c->object[object].track[attribute];
  int chain[1024 + 1], n = 0; // the interval is at most 1024
  for (;; frame--) {
    int key = 0;
    csim_status status = resolve(c, object, attribute, &frame, &key);
    if (status) return status;
    if (track->value && track->stored == frame) break;
    if (n > 1024) return damaged(c, csim_cache_frame_offset(c, frame, object), "endless chain");
    chain[n++] = frame;
    if (key) break;
  }
  while (n > 0) {
    csim_status status = decode(c, object, attribute, chain[--n]);
    if (status) return status;
  }
  return CSIM_OK;
}

// An attribute of a frame, zeros when the object has no such one.
static csim_status read_attribute(csim_cache *c, int object, int attribute, int frame, float *to) {
  const csim_cache_object *desc = &c->info.object[object];
  if (!csim_attribute_in(desc, attribute)) {
    size_t n = (size_t)csim_attribute_width(attribute) * (size_t)desc->nvert;
    memset(to, 0, n * sizeof *to);
    return CSIM_OK;
  }
  csim_status status = seek_frame(c, object, attribute, frame);
  if (!status)
    csim_track_get(&c->object[object].track[attribute], &c->object[object].traversal, to);
  return status;
}

static csim_status check_place(csim_cache *c, int object, int frame) {
  if (object >= 0 && object < c->info.nobject && frame >= 0 && frame < c->info.nframe)
    return CSIM_OK;
  return csim_refuse(c->log, csim_in_file(c->path), "no object %d in frame %d", object, frame);
}

csim_status csim_cache_read(csim_cache *c, int object, int frame, float *x, float *v) {
  csim_status status = check_place(c, object, frame);
  if (!status && x) status = read_attribute(c, object, CSIM_CACHE_POSITION, frame, x);
  if (!status && v) status = read_attribute(c, object, CSIM_CACHE_VELOCITY, frame, v);
  return status;
}

csim_status csim_cache_read_pressure(csim_cache *c, int object, int frame, float *pressure) {
  csim_status status = check_place(c, object, frame);
  return status ? status : read_attribute(c, object, CSIM_CACHE_PRESSURE, frame, pressure);
}

csim_status csim_cache_read_strain(csim_cache *c, int object, int frame, float *strain) {
  csim_status status = check_place(c, object, frame);
  return status ? status : read_attribute(c, object, CSIM_CACHE_STRAIN, frame, strain);
}

csim_status csim_cache_read_sample(csim_cache *c, int object, int frame, int sample, float *x,
                                   float *v) {
  csim_status status = check_place(c, object, frame);
  if (!status && (sample < 0 || sample >= c->info.object[object].nsample))
    return csim_refuse(c->log, csim_in_file(c->path), "object %d has no sample %d", object, sample);
  int attribute = CSIM_CACHE_SAMPLE + 2 * sample;
  if (!status && x) status = read_attribute(c, object, attribute, frame, x);
  if (!status && v) status = read_attribute(c, object, attribute + 1, frame, v);
  return status;
}

csim_status csim_cache_take_track(csim_cache *c, int object, int attribute, int frame,
                                  csim_track *track) {
  csim_status status = seek_frame(c, object, attribute, frame);
  if (status) return status;
  const csim_track *from = &c->object[object].track[attribute];
  size_t n = (size_t)from->width * (size_t)from->nvert;
  memcpy(track->value, from->value, n * sizeof(float));
  memcpy(track->older, from->older, n * sizeof(float));
  memcpy(track->size, from->size, n * sizeof(uint32_t));
  track->has_sizes = from->has_sizes;
  track->stored = from->stored;
  return CSIM_OK;
}

const char *csim_cache_read_stats(csim_cache *c, int frame) {
  csim_chunk chunk;
  if (frame < 0 || frame >= c->info.nframe) return NULL;
  uint64_t offset = csim_cache_frame_offset(c, frame, c->info.nobject);
  const char *wrong = read_chunk(c, offset, &chunk);
  if (!wrong &&
      (chunk.fourcc != CSIM_CACHE_STAT || chunk.frame != c->number[frame] || chunk.size < 8))
    wrong = "not the STAT chunk that the index promised";
  if (wrong) {
    damaged(c, offset, wrong);
    return NULL;
  }
  csim_bytes_add(&c->payload, NULL, 1); // ends the text
  return c->payload.failed ? NULL : (const char *)c->payload.data + 8;
}

// ----------------------------------------------------------------------------------------- verify

csim_status csim_cache_verify(csim_cache *c, void (*progress)(void *user, double share),
                              void *user) {
  int bad = 0, frame = 0, object = 0;
  uint64_t at = c->first, size = (uint64_t)c->info.size;
  int whole = 0;
  while (at < size && bad < 20) {
    csim_chunk chunk;
    const char *wrong = read_head(c, at, &chunk);
    if (wrong) {
      damaged(c, at, wrong);
      bad++;
      break; // without its size the next chunk cannot be found
    }
    wrong = read_chunk(c, at, &chunk);
    int known = frame < c->info.nframe;
    if (!wrong && (chunk.fourcc == CSIM_CACHE_FRAM || chunk.fourcc == CSIM_CACHE_STAT)) {
      int last = chunk.fourcc == CSIM_CACHE_STAT;
      int in_turn = last ? object == c->info.nobject
                         : object < c->info.nobject && chunk.object == (uint32_t)object;
      if (!in_turn || (known && (chunk.frame != c->number[frame] ||
                                 csim_cache_frame_offset(c, frame, object) != at)))
        wrong = "a chunk is out of order or not where the index says";
    }
    if (wrong) {
      damaged(c, at, wrong);
      bad++;
    }
    if (chunk.fourcc == CSIM_CACHE_FRAM) object++;
    if (chunk.fourcc == CSIM_CACHE_STAT) {
      object = 0;
      frame++;
    }
    at = after(at, &chunk);
    whole = chunk.fourcc == CSIM_CACHE_LAST && at == size;
    if (progress) progress(user, (double)at / (double)size);
  }
  if (!bad && !(whole && c->info.complete && frame == c->info.nframe && object == 0)) {
    damaged(c, at, "the file is not complete: its writing was not finished");
    bad++;
  }
  return bad ? CSIM_IO : CSIM_OK;
}
