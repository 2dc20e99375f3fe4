// cache/read.h: functions of the cache's reader for its writer, which continues a file. Needs
// base/.
#ifndef CSIM_CACHE_READ_H
#define CSIM_CACHE_READ_H

#include "cache/codec.h"
#include "clothsim.h"

enum {
  CSIM_CACHE_CODEC_PLAIN = 0,
  CSIM_CACHE_CODEC_PLANES = 1,
  CSIM_CACHE_MAX_FRAME = 1 << 28,
};

/// Reads n bytes at an offset. @return 0, or -1 (past the end, or errno)
int csim_cache_read_bytes(csim_cache *cache, uint64_t offset, ptrdiff_t n, uint8_t *bytes);

/// Offset of the FRAM chunk of an object in a frame, of the STAT chunk for object = nobject. For
/// frame = nframe and object = 0: where the next frame would be written.
uint64_t csim_cache_frame_offset(const csim_cache *cache, int frame, int object);

/// Copies the decoder's state after a frame, which is also the coder's state then.
/// @param[in,out] track  initialised for the object
csim_status csim_cache_take_track(csim_cache *cache, int object, int attribute, int frame,
                                  csim_track *track);

#endif
