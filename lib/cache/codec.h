// cache/codec.h: one attribute of one object in one frame, as bytes. Needs base/.
#ifndef CSIM_CACHE_CODEC_H
#define CSIM_CACHE_CODEC_H

#include "cache/planes.h"
#include "cache/traversal.h"

/// How an attribute of a frame is stored.
typedef enum csim_cache_mode {
  CSIM_CACHE_KEY = 0,   ///< on its own
  CSIM_CACHE_DELTA = 1, ///< relative to the frame before
  CSIM_CACHE_SAME = 2,  ///< bit for bit that of an earlier frame; no data
} csim_cache_mode;

/// What writer and reader both remember of an attribute: its values in the last frame coded.
typedef struct csim_track {
  int nvert;
  float *value;     ///< (3 x nvert) x then y then z, each in traversal order
  float *next;      ///< (3 x nvert) the frame being coded
  float *shift;     ///< (3 x (nvert + 1)) displacements, with the zero slot
  uint32_t *word;   ///< (3 x nvert) residuals
  ptrdiff_t stored; ///< index of the frame that holds the data of `value`; -1 = none yet
} csim_track;

/// @return 0, or -1 when out of memory (release what there is with csim_track_free)
int csim_track_init(csim_track *track, int nvert);
void csim_track_free(csim_track *track);

/// Codes the frame `index` and makes it the track's value.
///
/// Lossless (error = 0): the floats nearest to x, every bit. Lossy: multiples k q of a step
/// q = 2 error - ulp(max |x|), so that |x - float(k q)| <= error; this is verified, and where the
/// bound is too fine for floats of that size the frame falls back to lossless.
///
/// @param x         (nvert x 3) in vertex order
/// @param error     bound of the absolute error, in x's unit; 0 = lossless
/// @param interval  every `interval`-th frame is a key
/// @param[out] mode, step, reference  to be stored beside the bytes; step = 0 when lossless
/// @param[out] out  bytes are appended
/// @return 0, or -1 when out of memory
int csim_codec_write(const csim_traversal *t, csim_planes *planes, const double *x, double error,
                     ptrdiff_t index, int interval, csim_track *track, csim_cache_mode *mode,
                     double *step, ptrdiff_t *reference, csim_bytes *out);

/// Decodes a KEY or DELTA frame and makes it the track's value. Any bytes are safe.
/// @return 0, or -1 when the bytes are malformed; the track's value is then undefined
int csim_codec_read(const csim_traversal *t, csim_planes *planes, csim_cache_mode mode, double step,
                    const uint8_t *data, ptrdiff_t size, csim_track *track);

/// Copies the track's value to vertex order.
/// @param[out] xyz  (nvert x 3)
void csim_track_get(const csim_track *track, const csim_traversal *t, float *xyz);

#endif
