// view/pack.h: moving vertices as few bytes. web/unpack.js is the other end. Needs encode.h.
//
// A vertex is predicted from the frame before and from neighbours already known: its displacement
// from that of a, b, d across an edge, u = u_a + u_b - u_d. What remains is written as words, and
// words as planes of bytes, which zlib then shrinks.
//
// exact:  keys of floats in their order (sign flipped into it); prediction in float arithmetic,
//         rounded after every addition: x1 + ((u_a + u_b) - u_d)
// steps:  integers k with x = origin + k step, predicted in integers
#ifndef VIEW_PACK_H
#define VIEW_PACK_H

#include "encode.h"

/// Predictor of one vertex; nvert is a vertex that is always 0.
typedef struct view_predictor {
  int vertex, a, b, d;
} view_predictor;

typedef struct view_coder {
  int nvert;
  view_predictor *predict; ///< (nvert) in the order of coding
  double step, origin[3];  ///< [m]; step = 0: exact
  float *last, *shift;     ///< (nvert x 3), ((nvert + 1) x 3) exact
  int32_t *klast, *kshift; ///< the same for steps
  uint32_t *word;          ///< (3 nvert) x of all, then y, then z
} view_coder;

/// Builds the order over the triangles' edges; loose vertices come last. Returns 0 out of memory.
int view_coder_init(view_coder *coder, int nvert, int ntri, const int *tri);
void view_coder_free(view_coder *coder);

/// Drops the last frame and sets the parameters. |x - origin| / step must stay below 2^29.
void view_coder_start(view_coder *coder, double step, const double origin[3]);

/// Appends 12 nvert bytes: the planes of the frame's words.
void view_coder_add(view_coder *coder, const double *x, view_bytes *out);

#endif
