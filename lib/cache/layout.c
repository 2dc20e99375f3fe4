// cache/layout.c: see layout.h.
#include "cache/layout.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

static const uint8_t MAGIC[8] = {0x89, 'C', 'S', 'C', '\r', '\n', 0x1a, '\n'};
static const uint32_t ENDIAN = 0x01020304;

static const uint32_t ATTRIBUTE[CSIM_CACHE_SAMPLE] = {
    [CSIM_CACHE_POSITION] = CSIM_FOURCC('P', 'O', 'S', 'N'),
    [CSIM_CACHE_VELOCITY] = CSIM_FOURCC('V', 'E', 'L', 'O'),
    [CSIM_CACHE_PRESSURE] = CSIM_FOURCC('P', 'R', 'E', 'S'),
    [CSIM_CACHE_STRAIN] = CSIM_FOURCC('S', 'T', 'R', 'N')};

static uint32_t fourcc_of(int attribute) {
  int sample = attribute - CSIM_CACHE_SAMPLE;
  if (sample < 0) return ATTRIBUTE[attribute];
  return CSIM_FOURCC('S', 'M', sample % 2 ? 'V' : 'P', '0' + sample / 2);
}

void csim_header_pack(const csim_cache_options *options, int minor, int nobject, uint8_t *bytes) {
  memset(bytes, 0, CSIM_CACHE_HEADER);
  memcpy(bytes, MAGIC, sizeof MAGIC);
  csim_store_u32(CSIM_CACHE_MAJOR | (uint32_t)minor << 16, bytes + 8);
  csim_store_u32(ENDIAN, bytes + 12);
  csim_store_u32((uint32_t)nobject, bytes + 16);
  csim_store_u32(CSIM_CACHE_INTERVAL, bytes + 20);
  csim_store_u32((uint32_t)options->up, bytes + 24);
  csim_store_f64(options->fps, bytes + 32);
  csim_store_f64(options->position_error, bytes + 40);
  csim_store_f64(options->velocity_error, bytes + 48);
  csim_store_u32((uint32_t)crc32(0, bytes, 60), bytes + 60);
}

const char *csim_header_unpack(const uint8_t *bytes, csim_cache_options *options, int *nobject,
                               int *interval) {
  if (memcmp(bytes, MAGIC, sizeof MAGIC)) return "not a clothsim cache";
  if ((uint32_t)crc32(0, bytes, 60) != csim_load_u32(bytes + 60)) return "its header is damaged";
  if ((csim_load_u32(bytes + 8) & 0xffff) != CSIM_CACHE_MAJOR)
    return "made by a later version of clothsim";
  if (csim_load_u32(bytes + 12) != ENDIAN) return "its byte order is not little-endian";
  uint32_t n = csim_load_u32(bytes + 16), every = csim_load_u32(bytes + 20);
  uint32_t up = csim_load_u32(bytes + 24);
  *options = (csim_cache_options){.fps = csim_load_f64(bytes + 32),
                                  .up = up == 2 ? 2 : 1,
                                  .position_error = csim_load_f64(bytes + 40),
                                  .velocity_error = csim_load_f64(bytes + 48)};
  if (n < 1 || n > CSIM_CACHE_MAX_OBJECT) return "its number of objects is out of range";
  if (every < 1 || every > 1024) return "its key interval is out of range";
  if (!(options->fps > 0) || !(options->fps <= 1e9)) return "its frame rate is out of range";
  *nobject = (int)n;
  *interval = (int)every;
  return NULL;
}

void csim_chunk_add(csim_bytes *out, csim_chunk chunk, const csim_bytes *payload) {
  static const uint8_t zeros[8] = {0};
  if (payload->failed) {
    out->failed = 1;
    return;
  }
  uint32_t crc = (uint32_t)crc32_z(0, payload->data ? payload->data : zeros, (size_t)payload->n);
  uint8_t head[CSIM_CACHE_CHUNK] = {0};
  csim_store_u32(chunk.fourcc, head);
  csim_store_u64((uint64_t)payload->n, head + 8);
  csim_store_u64((uint64_t)chunk.frame, head + 16);
  csim_store_u32(chunk.object, head + 24);
  csim_store_u32(chunk.codec, head + 28);
  csim_store_u32(crc, head + 32);
  csim_store_u32((uint32_t)crc32(0, head, 36), head + 36);
  csim_bytes_add(out, head, sizeof head);
  csim_bytes_add(out, payload->data, payload->n);
  csim_bytes_add(out, NULL, (ptrdiff_t)(csim_padded((uint64_t)payload->n) - (uint64_t)payload->n));
}

int csim_chunk_unpack(const uint8_t *bytes, csim_chunk *chunk) {
  *chunk = (csim_chunk){.fourcc = csim_load_u32(bytes),
                        .size = csim_load_u64(bytes + 8),
                        .frame = (int64_t)csim_load_u64(bytes + 16),
                        .object = csim_load_u32(bytes + 24),
                        .codec = csim_load_u32(bytes + 28),
                        .crc = csim_load_u32(bytes + 32)};
  return (uint32_t)crc32(0, bytes, 36) == csim_load_u32(bytes + 36) ? 0 : -1;
}

void csim_record_pack(int attribute, const csim_coding *coding, uint64_t size, uint8_t *bytes) {
  csim_store_u32(fourcc_of(attribute), bytes);
  bytes[4] = (uint8_t)coding->mode;
  bytes[5] = (uint8_t)coding->order;
  bytes[6] = (uint8_t)coding->space;
  bytes[7] = csim_attribute_width(attribute) == 1;
  csim_store_u64((uint64_t)coding->reference, bytes + 8);
  csim_store_f64(coding->step, bytes + 16);
  csim_store_u64(size, bytes + 24);
}

int csim_record_unpack(const uint8_t *bytes, csim_coding *coding, uint64_t *size) {
  int attribute = 0;
  while (attribute < CSIM_CACHE_NATTRIBUTE && fourcc_of(attribute) != csim_load_u32(bytes))
    attribute++;
  *size = csim_load_u64(bytes + 24);
  if (attribute == CSIM_CACHE_NATTRIBUTE) return attribute;
  uint64_t reference = csim_load_u64(bytes + 8);
  double step = csim_load_f64(bytes + 16);
  int same = bytes[4] == CSIM_CACHE_SAME;
  if (bytes[4] > CSIM_CACHE_SAME || bytes[5] > 2 || (bytes[5] < 1 && !same) ||
      bytes[6] > CSIM_CACHE_PARALLELOGRAM || bytes[7] != (csim_attribute_width(attribute) == 1) ||
      reference > INT32_MAX || !isfinite(step) || step < 0)
    return -1;
  *coding = (csim_coding){.mode = (csim_cache_mode)bytes[4],
                          .order = bytes[5],
                          .space = (csim_cache_space)bytes[6],
                          .step = step,
                          .reference = (ptrdiff_t)reference};
  return attribute;
}
