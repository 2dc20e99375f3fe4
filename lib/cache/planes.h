// cache/planes.h: 32-bit words as four byte planes, each deflated or stored. Needs zlib, base/.
//
// The high bytes of small residuals compress to almost nothing, their low bytes not at all. In
// separate planes each is compressed by itself.
#ifndef CSIM_CACHE_PLANES_H
#define CSIM_CACHE_PLANES_H

#include "base/arena.h"
#include "cache/buffer.h"

/// Working memory of a coder, reused. Zero-initialise; csim_planes_free at the end.
typedef struct csim_planes {
  struct csim_planes_streams *streams; ///< zlib's
  uint8_t *plane;                      ///< one plane
  ptrdiff_t capacity;
  int failed; ///< reading ran out of memory; sticky
} csim_planes;

/// How hard to look for repeats: residuals have runs only, topology repeats at any distance.
typedef enum csim_effort { CSIM_EFFORT_RUNS, CSIM_EFFORT_REPEATS } csim_effort;

/// Appends n words (n <= 2^27 * 3) as four planes, lowest byte first, each
///   u32 stored bytes, bit 31 set when deflated; the bytes.
/// @return 0, or -1 when out of memory
int csim_planes_write(csim_planes *p, csim_effort effort, const uint32_t *word, ptrdiff_t n,
                      csim_bytes *out);

/// Reads what csim_planes_write wrote, from *at, which moves past it. Any bytes are safe.
/// @param[out] word  (n)
/// @return 0, or -1 when the bytes are not such planes (or out of memory)
int csim_planes_read(csim_planes *p, const uint8_t **at, const uint8_t *end, ptrdiff_t n,
                     uint32_t *word);

/// Whether `bytes` bytes of planes can hold n words at all: deflate shrinks by 1032 at most. Call
/// it before n words are allocated.
int csim_planes_plausible(uint64_t n, uint64_t bytes);

/// A payload being read, and the arena its arrays go to.
typedef struct csim_planes_reader {
  csim_planes *planes;
  csim_arena *arena;
  const uint8_t *at, *end;
} csim_planes_reader;

/// Reads an array of n words that was written as differences, zigzag(value - previous value).
/// @return (n) of the arena; NULL when malformed or out of memory
uint32_t *csim_planes_read_array(csim_planes_reader *r, ptrdiff_t n);

/// Appends an array of n words as csim_planes_read_array reads it. `word` is overwritten.
/// @return 0, or -1 when out of memory
int csim_planes_write_array(csim_planes *p, uint32_t *word, ptrdiff_t n, csim_bytes *out);

/// The same for integers. `word` (n) is scratch.
int csim_planes_write_ints(csim_planes *p, const int *value, ptrdiff_t n, uint32_t *word,
                           csim_bytes *out);

/// The same for vectors as floats in integer order: all first components, then all second ones.
/// @param value  (n x width)
int csim_planes_write_vectors(csim_planes *p, const double *value, int width, ptrdiff_t n,
                              uint32_t *word, csim_bytes *out);

/// Reads what csim_planes_write_vectors wrote.
/// @return (n x width) of the arena; NULL when malformed or out of memory
double *csim_planes_read_vectors(csim_planes_reader *r, int width, ptrdiff_t n);

/// Frees the arrays (all zero allowed).
void csim_planes_free(csim_planes *p);

#endif
