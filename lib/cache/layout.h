// cache/layout.h: the bytes of a cache file. docs/cache-format.md is the specification. Needs
// base/.
//
// File:     header, META, TOPO x nobject, LOOK and UVST of those that have any,
//           (FRAM x nobject, STAT) x nframe, INDX, TAIL
// Header:   OFFSET SIZE MEANING
//             0      8  magic 89 "CSC" 0D 0A 1A 0A (a text-mode copy destroys it)
//             8      2  major version: a reader refuses a later one
//            10      2  minor version: additions that an old reader may skip
//            12      4  0x01020304, little-endian as everything
//            16      4  number of objects
//            20      4  key interval: every so many frames one needs no other
//            24      4  up axis: 1 = y, 2 = z
//            28      4  0
//            32      8  f64 frames per second
//            40      8  f64 bound of the error of positions [m], 0 = lossless
//            48      8  f64 bound of the error of velocities [m/s], 0 = lossless
//            56      4  0
//            60      4  crc32 of bytes 0 to 59
// Chunk:      0      4  fourcc
//             4      4  flags, 0
//             8      8  u64 size of the payload, without the padding
//            16      8  i64 frame number (FRAM, STAT), else 0
//            24      4  object (TOPO, FRAM), else 0
//            28      4  codec: 0 = plain, 1 = planes
//            32      4  crc32 of the payload
//            36      4  crc32 of bytes 0 to 35
//            40         payload, then zeros up to a multiple of 8
// Record:     0      4  fourcc of the attribute        (FRAM: u32 number of records, u32 0,
//             4      1  mode: 0 key, 1 delta, 2 same    the records, the data of each in turn)
//             5      1  order of the base: 1 or 2
//             6      1  prediction: 0 nothing, 1 mean, 2 parallelogram
//             7      1  type: 0 = 3 x f32 a vertex, 1 = one f32
//             8      8  i64 index of the frame that holds the data
//            16      8  f64 step, 0 = lossless
//            24      8  u64 bytes of data
#ifndef CSIM_CACHE_LAYOUT_H
#define CSIM_CACHE_LAYOUT_H

#include "cache/buffer.h"
#include "cache/codec.h"
#include "clothsim.h"

enum {
  CSIM_CACHE_MAJOR = 1,
  CSIM_CACHE_MINOR = 1,   ///< of caches without strain, samples and LOOK
  CSIM_CACHE_SAMPLED = 2, ///< of those with them, but without UVST
  CSIM_CACHE_UV_SETS = 3, ///< of those with UVST
  CSIM_CACHE_HEADER = 64,
  CSIM_CACHE_CHUNK = 40,
  CSIM_CACHE_INTERVAL = 8,
  CSIM_CACHE_ATTRIBUTE = 32, ///< bytes of an attribute record in FRAM
  CSIM_CACHE_TAIL = 16,      ///< bytes of TAIL's payload: u64 offset of INDX, u64 file size
};

#define CSIM_FOURCC(a, b, c, d)                                                                    \
  ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
#define CSIM_CACHE_META CSIM_FOURCC('M', 'E', 'T', 'A')
#define CSIM_CACHE_TOPO CSIM_FOURCC('T', 'O', 'P', 'O')
#define CSIM_CACHE_LOOK CSIM_FOURCC('L', 'O', 'O', 'K')
#define CSIM_CACHE_UVST CSIM_FOURCC('U', 'V', 'S', 'T')
#define CSIM_CACHE_FRAM CSIM_FOURCC('F', 'R', 'A', 'M')
#define CSIM_CACHE_STAT CSIM_FOURCC('S', 'T', 'A', 'T')
#define CSIM_CACHE_INDX CSIM_FOURCC('I', 'N', 'D', 'X')
#define CSIM_CACHE_LAST CSIM_FOURCC('T', 'A', 'I', 'L')

/// What a frame can hold of an object, in this order.
typedef enum csim_attribute {
  CSIM_CACHE_POSITION,
  CSIM_CACHE_VELOCITY,
  CSIM_CACHE_PRESSURE,
  CSIM_CACHE_STRAIN,
  CSIM_CACHE_SAMPLE, ///< positions between the frame before and this one, then velocities there
  CSIM_CACHE_NATTRIBUTE = CSIM_CACHE_SAMPLE + 2 * CSIM_CACHE_MAX_SAMPLE,
} csim_attribute;

/// Numbers per vertex.
static inline int csim_attribute_width(int attribute) {
  return attribute == CSIM_CACHE_PRESSURE || attribute == CSIM_CACHE_STRAIN ? 1 : 3;
}

/// Whether an object has the attribute.
static inline int csim_attribute_in(const csim_cache_object *object, int attribute) {
  int sample = attribute - CSIM_CACHE_SAMPLE;
  return attribute == CSIM_CACHE_POSITION   ? 1
         : attribute == CSIM_CACHE_VELOCITY ? object->has_velocity != 0
         : attribute == CSIM_CACHE_PRESSURE ? object->has_pressure != 0
         : attribute == CSIM_CACHE_STRAIN
             ? object->has_strain != 0
             : sample / 2 < object->nsample && (sample % 2 == 0 || object->has_velocity);
}

/// A chunk's header, unpacked.
typedef struct csim_chunk {
  uint32_t fourcc;
  uint64_t size;
  int64_t frame;
  uint32_t object, codec, crc;
} csim_chunk;

/// The size rounded up to a multiple of 8.
static inline uint64_t csim_padded(uint64_t size) {
  return (size + 7) & ~(uint64_t)7;
}

/// The file header.
/// @param minor       CSIM_CACHE_MINOR or CSIM_CACHE_SAMPLED
/// @param[out] bytes  (CSIM_CACHE_HEADER)
void csim_header_pack(const csim_cache_options *options, int minor, int nobject, uint8_t *bytes);

/// @return NULL, or what is wrong with it
const char *csim_header_unpack(const uint8_t *bytes, csim_cache_options *options, int *nobject,
                               int *interval);

/// Appends header, payload and padding. chunk.size and .crc are computed.
void csim_chunk_add(csim_bytes *out, csim_chunk chunk, const csim_bytes *payload);

/// @return 0, or -1 when the crc of the header is wrong
int csim_chunk_unpack(const uint8_t *bytes, csim_chunk *chunk);

/// An attribute record of FRAM.
/// @param[out] bytes  (CSIM_CACHE_ATTRIBUTE)
void csim_record_pack(int attribute, const csim_coding *coding, uint64_t size, uint8_t *bytes);

/// @return the attribute; CSIM_CACHE_NATTRIBUTE: an unknown one (only *size is set); -1: malformed
int csim_record_unpack(const uint8_t *bytes, csim_coding *coding, uint64_t *size);

#endif
