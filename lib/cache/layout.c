// cache/layout.c: see layout.h.
#include "cache/layout.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

static const uint8_t MAGIC[8] = {0x89, 'C', 'S', 'C', '\r', '\n', 0x1a, '\n'};
static const uint32_t ENDIAN = 0x01020304;

static void store_double(uint8_t *p, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  csim_store64(p, bits);
}

void csim_header_pack(const csim_cache_options *options, int nobject, uint8_t *bytes) {
  memset(bytes, 0, CSIM_CACHE_HEADER);
  memcpy(bytes, MAGIC, sizeof MAGIC);
  csim_store32(bytes + 8, CSIM_CACHE_MAJOR | CSIM_CACHE_MINOR << 16);
  csim_store32(bytes + 12, ENDIAN);
  csim_store32(bytes + 16, (uint32_t)nobject);
  csim_store32(bytes + 20, CSIM_CACHE_INTERVAL);
  csim_store32(bytes + 24, (uint32_t)options->up);
  store_double(bytes + 32, options->fps);
  store_double(bytes + 40, options->position_error);
  store_double(bytes + 48, options->velocity_error);
  csim_store32(bytes + 60, (uint32_t)crc32(0, bytes, 60));
}

const char *csim_header_unpack(const uint8_t *bytes, csim_cache_options *options, int *nobject,
                               int *interval) {
  if (memcmp(bytes, MAGIC, sizeof MAGIC)) return "not a clothsim cache";
  if ((uint32_t)crc32(0, bytes, 60) != csim_load32(bytes + 60)) return "its header is damaged";
  if ((csim_load32(bytes + 8) & 0xffff) != CSIM_CACHE_MAJOR)
    return "made by a later version of clothsim";
  if (csim_load32(bytes + 12) != ENDIAN) return "its byte order is not little-endian";
  uint32_t n = csim_load32(bytes + 16), every = csim_load32(bytes + 20);
  uint32_t up = csim_load32(bytes + 24);
  *options = (csim_cache_options){.fps = csim_load_double(bytes + 32),
                                  .up = up == 2 ? 2 : 1,
                                  .position_error = csim_load_double(bytes + 40),
                                  .velocity_error = csim_load_double(bytes + 48)};
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
  csim_store32(head, chunk.fourcc);
  csim_store64(head + 8, (uint64_t)payload->n);
  csim_store64(head + 16, (uint64_t)chunk.frame);
  csim_store32(head + 24, chunk.object);
  csim_store32(head + 28, chunk.codec);
  csim_store32(head + 32, crc);
  csim_store32(head + 36, (uint32_t)crc32(0, head, 36));
  csim_bytes_add(out, head, sizeof head);
  csim_bytes_add(out, payload->data, payload->n);
  csim_bytes_add(out, NULL, (ptrdiff_t)(csim_padded((uint64_t)payload->n) - (uint64_t)payload->n));
}

int csim_chunk_unpack(const uint8_t *bytes, csim_chunk *chunk) {
  *chunk = (csim_chunk){.fourcc = csim_load32(bytes),
                        .size = csim_load64(bytes + 8),
                        .frame = (int64_t)csim_load64(bytes + 16),
                        .object = csim_load32(bytes + 24),
                        .codec = csim_load32(bytes + 28),
                        .crc = csim_load32(bytes + 32)};
  return (uint32_t)crc32(0, bytes, 36) == csim_load32(bytes + 36) ? 0 : -1;
}
