// cache/checkpoint.c: see checkpoint.h.
#include "cache/checkpoint.h"

#include "cache/layout.h"
#include "io/file.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const uint8_t MAGIC[8] = {0x89, 'C', 'S', 'K', '\r', '\n', 0x1a, '\n'};
static const uint32_t ENDIAN = 0x01020304;

enum { META, XNOW, VNOW, XOLD, VOLD, ANOW, KINE, TORN, PLAS, PATH, TAIL, NCHUNK };
static const uint32_t FOURCC[NCHUNK] = {
    CSIM_FOURCC('M', 'E', 'T', 'A'), CSIM_FOURCC('X', 'N', 'O', 'W'),
    CSIM_FOURCC('V', 'N', 'O', 'W'), CSIM_FOURCC('X', 'O', 'L', 'D'),
    CSIM_FOURCC('V', 'O', 'L', 'D'), CSIM_FOURCC('A', 'N', 'O', 'W'),
    CSIM_FOURCC('K', 'I', 'N', 'E'), CSIM_FOURCC('T', 'O', 'R', 'N'),
    CSIM_FOURCC('P', 'L', 'A', 'S'), CSIM_FOURCC('P', 'A', 'T', 'H'),
    CSIM_FOURCC('T', 'A', 'I', 'L')};

enum { MAX_META = 1 << 26 };
#define MAX_FILE ((size_t)1 << 35) // six arrays of 2^27 vectors and the META

// ------------------------------------------------------------------------------------------- out

// Where the bytes go: into a file or, when that is NULL, into memory.
typedef struct sink {
  csim_file *file;
  csim_bytes *bytes;
  csim_bytes payload, chunk; // workspace of one chunk
} sink;

static void put(sink *s, const void *data, size_t size) {
  if (s->file)
    csim_file_write(s->file, data, size);
  else
    csim_bytes_add(s->bytes, data, (ptrdiff_t)size);
}

static void put_chunk(sink *s, int kind) {
  s->chunk.n = 0;
  csim_chunk_add(&s->chunk, (csim_chunk){.fourcc = FOURCC[kind]}, &s->payload);
  if (!s->chunk.failed) put(s, s->chunk.data, (size_t)s->chunk.n);
}

// value NULL: an empty array.
static void put_numbers(sink *s, int kind, const double *value, ptrdiff_t n) {
  if (!value) n = 0;
  s->payload.n = 0;
  uint8_t *to = csim_bytes_reserve(&s->payload, 8 * n);
  if (!to) return;
  for (ptrdiff_t i = 0; i < n; i++) csim_store_f64(value[i], to + 8 * i);
  s->payload.n = 8 * n;
  put_chunk(s, kind);
}

static void put_vectors(sink *s, int kind, const double *value, int n) {
  put_numbers(s, kind, value, csim_xyz(n));
}

// The whole checkpoint. -1 when out of memory.
static int put_checkpoint(sink *s, int frame, const csim_state *state, const char *meta) {
  uint8_t header[CSIM_CHECKPOINT_HEADER] = {0};
  memcpy(header, MAGIC, sizeof MAGIC);
  csim_store_u32(CSIM_CHECKPOINT_VERSION, header + 8);
  csim_store_u32(ENDIAN, header + 12);
  csim_store_u32((uint32_t)state->nvert, header + 16);
  csim_store_u32((uint32_t)state->nkinematic, header + 20);
  csim_store_u64((uint64_t)frame, header + 24);
  csim_store_u64((uint64_t)state->step, header + 32);
  csim_store_u32((uint32_t)state->span, header + 40);
  csim_store_u32((uint32_t)state->phase, header + 44);
  csim_store_u32((uint32_t)state->rest_frames, header + 48);
  header[52] = state->pace.halvings;
  header[53] = state->pace.age;
  for (int k = 0; k <= CSIM_PACE_HALVINGS; k++)
    csim_store_u16(state->pace.cost[k], header + 54 + 2 * k);
  csim_store_u32((uint32_t)crc32(0, header, 60), header + 60);
  put(s, header, sizeof header);
  csim_bytes_add(&s->payload, meta, (ptrdiff_t)strlen(meta));
  put_chunk(s, META);
  put_vectors(s, XNOW, state->x, state->nvert);
  put_vectors(s, VNOW, state->v, state->nvert);
  put_vectors(s, XOLD, state->x_prev, state->nvert);
  put_vectors(s, VOLD, state->v_prev, state->nvert);
  put_vectors(s, ANOW, state->a, state->nvert);
  put_vectors(s, KINE, state->kinematic, state->nkinematic);
  s->payload.n = 0;
  if (state->torn) csim_bytes_add(&s->payload, (const char *)state->torn, state->nlink);
  put_chunk(s, TORN);
  put_numbers(s, PLAS, state->plastic, state->nplastic);
  put_numbers(s, PATH, state->path, state->rest_frames ? state->nvert : 0);
  s->payload.n = 0;
  put_chunk(s, TAIL);
  int failed = s->payload.failed || s->chunk.failed;
  free(s->payload.data);
  free(s->chunk.data);
  return failed ? -1 : 0;
}

void csim_checkpoint_pack(int frame, const csim_state *state, const char *meta, csim_bytes *bytes) {
  sink s = {.bytes = bytes};
  if (put_checkpoint(&s, frame, state, meta)) bytes->failed = 1;
}

csim_status csim_checkpoint_write(const char *path, int frame, const csim_state *state,
                                  const char *meta, csim_log *log) {
  sink s = {0};
  csim_status status = csim_file_replace(path, log, &s.file);
  if (status) return status;
  if (put_checkpoint(&s, frame, state, meta)) {
    csim_file_abandon(s.file);
    return csim_fail_memory(log, path);
  }
  return csim_file_commit(s.file, 1);
}

// ------------------------------------------------------------------------------------------- in

// Takes n numbers. @return NULL, or what is wrong; "" = out of memory
static const char *take_numbers(const uint8_t *data, ptrdiff_t n, double **value) {
  *value = CSIM_NEW(double, n);
  if (!*value) return "";
  for (ptrdiff_t i = 0; i < n; i++) {
    (*value)[i] = csim_load_f64(data + 8 * i);
    if (!isfinite((*value)[i])) return "it holds a number that is not finite";
  }
  return NULL;
}

// Takes n vectors.
static const char *take_vectors(const uint8_t *data, uint64_t size, int n, double **value) {
  if (size != 24 * (uint64_t)n) return "an array has another length than the header says";
  return take_numbers(data, csim_xyz(n), value);
}

// Takes what a chunk holds. Returns what is wrong with it: NULL when nothing is, "" when out of
// memory.
static const char *take_chunk(int kind, const uint8_t *data, uint64_t size,
                              csim_checkpoint *point) {
  csim_state *s = &point->state;
  switch (kind) {
  case META:
    if (size > MAX_META || memchr(data, 0, size)) return "its META is out of bounds";
    point->meta = CSIM_NEW(char, (ptrdiff_t)size + 1);
    if (!point->meta) return "";
    memcpy(point->meta, data, size);
    return NULL;
  case XNOW:
    return take_vectors(data, size, s->nvert, &s->x);
  case VNOW:
    return take_vectors(data, size, s->nvert, &s->v);
  case XOLD: // both are empty unless a two-step integrator has looked back on them
    return size ? take_vectors(data, size, s->nvert, &s->x_prev) : NULL;
  case VOLD:
    if (!size != !s->x_prev) return "an array has another length than the header says";
    return size ? take_vectors(data, size, s->nvert, &s->v_prev) : NULL;
  case ANOW: // empty unless the integrator is generalized-alpha
    return size ? take_vectors(data, size, s->nvert, &s->a) : NULL;
  case KINE:
    return s->nkinematic ? take_vectors(data, size, s->nkinematic, &s->kinematic) : NULL;
  case TORN:
    if (size > CSIM_CACHE_MAX_VERT) return "its TORN is out of bounds";
    s->nlink = (int)size;
    if (!size) return NULL;
    s->torn = CSIM_NEW(unsigned char, (ptrdiff_t)size);
    if (!s->torn) return "";
    for (uint64_t i = 0; i < size; i++) s->torn[i] = data[i] != 0;
    return NULL;
  case PLAS:
    if (size % 8 || size / 8 > INT_MAX) return "its PLAS is out of bounds";
    s->nplastic = (int)(size / 8);
    return size ? take_numbers(data, s->nplastic, &s->plastic) : NULL;
  case PATH:
    if (size != (s->rest_frames ? 8 * (uint64_t)s->nvert : 0))
      return "an array has another length than the header says";
    return size ? take_numbers(data, s->nvert, &s->path) : NULL;
  default:
    return size ? "it does not end where it should" : NULL;
  }
}

static const char *take_header(const uint8_t *data, size_t size, csim_checkpoint *point) {
  if (size < CSIM_CHECKPOINT_HEADER || memcmp(data, MAGIC, sizeof MAGIC))
    return "not a clothsim checkpoint";
  if ((uint32_t)crc32(0, data, 60) != csim_load_u32(data + 60)) return "its header is damaged";
  if (csim_load_u32(data + 8) != CSIM_CHECKPOINT_VERSION || csim_load_u32(data + 12) != ENDIAN)
    return "made by another version of clothsim";
  uint32_t nvert = csim_load_u32(data + 16), nkinematic = csim_load_u32(data + 20);
  int64_t frame = csim_load_i64(data + 24), step = csim_load_i64(data + 32);
  uint32_t span = csim_load_u32(data + 40), phase = csim_load_u32(data + 44),
           rest_frames = csim_load_u32(data + 48);
  if (nvert > CSIM_CACHE_MAX_VERT || nkinematic > CSIM_CACHE_MAX_VERT || frame < INT_MIN ||
      frame > INT_MAX || step < 0 || span < 1 || span > INT_MAX / 2 || (span & (span - 1)) ||
      phase > INT_MAX || rest_frames > INT_MAX / 2 || data[52] > CSIM_PACE_HALVINGS)
    return "its header is out of bounds";
  point->frame = (int)frame;
  point->state = (csim_state){.nvert = (int)nvert,
                              .nkinematic = (int)nkinematic,
                              .step = step,
                              .span = (int)span,
                              .pace = {.halvings = data[52], .age = data[53]},
                              .phase = (int)phase,
                              .rest_frames = (int)rest_frames};
  for (int k = 0; k <= CSIM_PACE_HALVINGS; k++)
    point->state.pace.cost[k] = csim_load_u16(data + 54 + 2 * k);
  return NULL;
}

static const char *parse(const uint8_t *data, size_t size, csim_checkpoint *point) {
  const char *wrong = take_header(data, size, point);
  size_t at = CSIM_CHECKPOINT_HEADER;
  for (int kind = 0; !wrong && kind < NCHUNK; kind++) {
    csim_chunk chunk;
    if (size - at < CSIM_CACHE_CHUNK) return "it is cut short";
    if (csim_chunk_unpack(data + at, &chunk) || chunk.fourcc != FOURCC[kind])
      return "it is damaged";
    at += CSIM_CACHE_CHUNK;
    if (chunk.size > size - at || csim_padded(chunk.size) > size - at) return "it is cut short";
    if ((uint32_t)crc32_z(0, data + at, chunk.size) != chunk.crc) return "it is damaged";
    wrong = take_chunk(kind, data + at, chunk.size, point);
    at += csim_padded(chunk.size);
  }
  return wrong ? wrong : at == size ? NULL : "it has data after its end";
}

csim_status csim_checkpoint_unpack(const void *data, size_t size, const char *name, csim_log *log,
                                   csim_checkpoint *point) {
  *point = (csim_checkpoint){0};
  const char *wrong = parse(data, size, point);
  if (!wrong) return CSIM_OK;
  csim_checkpoint_free(point);
  csim_say(log, *wrong ? CSIM_WARNING : CSIM_ERROR, csim_in_file(name), "%s",
           *wrong ? wrong : "out of memory");
  return *wrong ? CSIM_IO : CSIM_MEMORY;
}

csim_status csim_checkpoint_read(const char *path, csim_log *log, csim_checkpoint *point) {
  char *data;
  size_t size;
  *point = (csim_checkpoint){0};
  csim_status status = csim_file_read(path, MAX_FILE, log, &data, &size);
  if (status) return status == CSIM_INVALID ? CSIM_IO : status;
  status = csim_checkpoint_unpack(data, size, path, log, point);
  free(data);
  return status;
}

void csim_checkpoint_free(csim_checkpoint *point) {
  csim_state_free(&point->state);
  free(point->meta);
  *point = (csim_checkpoint){0};
}
