// view/reel.h: one run ready to be packed into a page. Needs stage.h, pack.h.
#ifndef VIEW_REEL_H
#define VIEW_REEL_H

#include "pack.h"
#include "stage.h"

/// An object over the frames that it has one topology in.
typedef struct view_part {
  int object, first, count; ///< places in stage->frame
  int moves;
  int stored; ///< a frame has been written since the last start: enough for one that does not move
  int noted;  ///< its gaps are stored
  int original; ///< vertices before decimation
  int nkeep;
  int *keep; ///< (nkeep) vertices kept, NULL = all
  view_shape shape;
  view_coder coder;
  double lo[3], hi[3]; ///< [m] of its track
} view_part;

/// Data computed once per frame, and kept over several attempts of packing.
typedef struct view_note {
  int done;
  uint8_t **gap; ///< (nobject) of (nvert) 0 = touching .. 255 = nothing within
                 ///< stage->gap; with pressures 255 times the root of their share of stage->press
  int ncrossing;
  uint32_t *crossing; ///< (ncrossing x 2) object, triangle
} view_note;

typedef struct view_reel {
  const view_stage *stage;
  int noting; ///< gaps and crossings are worked out: not for very large runs
  int npart;
  view_part *part;
  view_note *note; ///< (stage->nframe)
} view_reel;

/// Finds the parts, with at most `most` vertices each (0 = all). CSIM_INVALID when the topology
/// changes too often.
csim_status view_reel_make(const view_stage *stage, int most, csim_log *log, view_reel *reel);

/// Makes the parts again for another number of vertices; the notes stay.
csim_status view_reel_thin(view_reel *reel, int most, csim_log *log);
void view_reel_free(view_reel *reel);

/// Appends what does not change of a part: see unpack.js, readTopology.
void view_reel_topology(const view_part *part, view_bytes *out);

/// Appends a frame (a place in stage->frame) of all parts: see unpack.js, readFrame.
csim_status view_reel_frame(view_reel *reel, int place, csim_log *log, view_bytes *out);

#endif
