// cache/codec.h: codes one attribute of one object in one frame. Needs base/.
#ifndef CSIM_CACHE_CODEC_H
#define CSIM_CACHE_CODEC_H

#include "cache/planes.h"
#include "cache/traversal.h"

/// How an attribute of a frame is stored.
typedef enum csim_cache_mode {
  CSIM_CACHE_KEY = 0,   ///< on its own
  CSIM_CACHE_DELTA = 1, ///< relative to the frames before
  CSIM_CACHE_SAME = 2,  ///< bit for bit that of an earlier frame; no data
} csim_cache_mode;

/// What a vertex's difference from its base is predicted from.
typedef enum csim_cache_space {
  CSIM_CACHE_NOTHING = 0,
  CSIM_CACHE_MEAN = 1, ///< half the sum of those of a and b: best where every vertex shakes
  CSIM_CACHE_PARALLELOGRAM = 2, ///< a + b - d: best where the motion is smooth
} csim_cache_space;

/// Parameters stored beside the data of a frame.
typedef struct csim_coding {
  csim_cache_mode mode;
  int order; ///< base of DELTA: 1 = the frame before, 2 = the two before, extrapolated
  csim_cache_space space;
  double step;         ///< of a lossy frame; 0 = lossless
  ptrdiff_t reference; ///< SAME: index of the frame that holds the data; else of the frame itself
} csim_coding;

/// State of an attribute that writer and reader share: its values in the last frame coded.
typedef struct csim_track {
  int width; ///< values of a vertex: 3, or 1
  int nvert;
  float *value;     ///< (width x nvert) all x, then all y, then all z; each in traversal order
  float *older;     ///< (width x nvert) the frame before that; equal to `value` after a key frame
  float *next;      ///< (width x nvert) the frame being coded
  uint32_t *base;   ///< (nvert) bits of floats, or multiples of the step
  uint32_t *shift;  ///< (nvert + 1) differences from the base, with a zero at the end
  uint32_t *word;   ///< (width x nvert) residuals
  uint32_t *size;   ///< (width x nvert) sizes of recent residuals, for the order of the next ones
  int has_sizes;    ///< a delta was coded since the last key frame
  ptrdiff_t stored; ///< index of the frame that holds the data of `value`; -1 = none yet
} csim_track;

/// @return 0, or -1 when out of memory (release what there is with csim_track_free)
int csim_track_init(csim_track *track, int width, int nvert);
void csim_track_free(csim_track *track);

/// A frame to code.
typedef struct csim_codec_frame {
  const double *x; ///< (nvert x width) in vertex order
  double error;    ///< bound of the absolute error, in x's unit; 0 = lossless
  ptrdiff_t index;
  int interval; ///< every `interval`-th frame is a key
} csim_codec_frame;

/// Codes a frame and makes it the track's value.
///
/// Lossless (error = 0): the floats nearest to x, every bit. Lossy: multiples k q of a step
/// q = 2 error - ulp(max |x|), so that |x - float(k q)| <= error; this is verified, and where the
/// bound is too fine for floats of that size the frame falls back to lossless.
///
/// @param[out] out  bytes are appended
/// @return 0, or -1 when out of memory
int csim_codec_write(const csim_traversal *t, csim_planes *planes, const csim_codec_frame *frame,
                     csim_track *track, csim_coding *coding, csim_bytes *out);

/// Decodes a KEY or DELTA frame and makes it the track's value. Any bytes are safe.
/// @return 0, or -1 when the bytes are malformed; the track's value is then undefined
int csim_codec_read(const csim_traversal *t, csim_planes *planes, const csim_coding *coding,
                    const uint8_t *data, ptrdiff_t size, csim_track *track);

/// Copies the track's value to vertex order.
/// @param[out] value  (nvert x width)
void csim_track_get(const csim_track *track, const csim_traversal *t, float *value);

#endif
