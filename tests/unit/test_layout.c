// test_layout: headers and chunks of a cache file, byte by byte as docs/cache-format.md has them.
#include "check.h"

#include "base/bytes.h"
#include "cache/layout.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static void test_header(void) {
  static const unsigned char magic[] = {0x89, 'C', 'S', 'C', '\r', '\n', 0x1a, '\n'};
  csim_cache_options options = {.fps = 24, .up = 2, .position_error = 1e-5}, read;
  uint8_t b[CSIM_CACHE_HEADER];
  int nobject, interval;
  csim_header_pack(&options, CSIM_CACHE_SAMPLED, 3, b);
  CHECK(!memcmp(b, magic, 8) && csim_load_u16(b + 8) == 1 && csim_load_u16(b + 10) == 2);
  CHECK(csim_load_u32(b + 12) == 0x01020304u && csim_load_u32(b + 16) == 3);
  CHECK(csim_load_u32(b + 20) == 8 && csim_load_u32(b + 24) == 2 && csim_load_u32(b + 28) == 0);
  CHECK(csim_load_f64(b + 32) == 24 && csim_load_f64(b + 40) == 1e-5 && csim_load_f64(b + 48) == 0);
  CHECK(csim_load_u32(b + 60) == crc32(0, b, 60));
  CHECK(csim_header_unpack(b, &read, &nobject, &interval) == NULL && nobject == 3 && interval == 8);
  CHECK(read.fps == 24 && read.up == 2 && read.position_error == 1e-5);
  for (int i = 0; i < CSIM_CACHE_HEADER; i++) { // no byte may change
    b[i] ^= 4;
    CHECK(csim_header_unpack(b, &read, &nobject, &interval) != NULL);
    b[i] ^= 4;
  }
  csim_store_u32(2 | 1 << 16, b + 8); // a later major version, with its checksum
  csim_store_u32((uint32_t)crc32(0, b, 60), b + 60);
  CHECK(csim_header_unpack(b, &read, &nobject, &interval) != NULL);
}

static void test_chunk(void) {
  csim_bytes payload = {0}, out = {0};
  csim_bytes_add(&payload, "thirteen byte", 13);
  csim_chunk chunk = {.fourcc = CSIM_FOURCC('F', 'R', 'A', 'M'), .frame = -7, .object = 2};
  csim_chunk_add(&out, chunk, &payload);
  CHECK(out.n == CSIM_CACHE_CHUNK + 16 && !memcmp(out.data, "FRAM", 4));
  CHECK(csim_load_u64(out.data + 8) == 13 && csim_load_i64(out.data + 16) == -7);
  CHECK(csim_load_u32(out.data + 24) == 2 && csim_load_u32(out.data + 28) == 0);
  CHECK(csim_load_u32(out.data + 32) == crc32(0, payload.data, 13));
  CHECK(csim_load_u32(out.data + 36) == crc32(0, out.data, 36));
  CHECK(!memcmp(out.data + 40, "thirteen byte\0\0\0", 16));
  csim_chunk read;
  CHECK(csim_chunk_unpack(out.data, &read) == 0 && read.size == 13 && read.frame == -7);
  CHECK(read.fourcc == chunk.fourcc && read.object == 2 && read.crc == crc32(0, payload.data, 13));
  out.data[9] ^= 1;
  CHECK(csim_chunk_unpack(out.data, &read) == -1);
  free(payload.data);
  free(out.data);
  CHECK(csim_padded(0) == 0 && csim_padded(1) == 8 && csim_padded(8) == 8 && csim_padded(9) == 16);
}

static void test_record(void) {
  csim_coding coding = {.mode = CSIM_CACHE_DELTA,
                        .order = 2,
                        .space = CSIM_CACHE_PARALLELOGRAM,
                        .step = 0.25,
                        .reference = 41},
              read;
  uint8_t b[CSIM_CACHE_ATTRIBUTE];
  uint64_t size;
  csim_record_pack(CSIM_CACHE_VELOCITY, &coding, 99, b);
  CHECK(b[4] == 1 && b[5] == 2 && b[6] == 2 && b[7] == 0 && csim_load_i64(b + 8) == 41);
  CHECK(csim_load_f64(b + 16) == 0.25 && csim_load_u64(b + 24) == 99);
  CHECK(csim_record_unpack(b, &read, &size) == CSIM_CACHE_VELOCITY && size == 99);
  CHECK(read.mode == coding.mode && read.order == 2 && read.space == coding.space);
  CHECK(read.step == 0.25 && read.reference == 41);
  b[4] = 9;
  CHECK(csim_record_unpack(b, &read, &size) == -1);
  csim_record_pack(CSIM_CACHE_VELOCITY, &coding, 99, b);
  memcpy(b, "NEW?", 4); // a later version may add attributes
  CHECK(csim_record_unpack(b, &read, &size) == CSIM_CACHE_NATTRIBUTE && size == 99);
}

int main(void) {
  test_header();
  test_chunk();
  test_record();
  return check_report();
}
