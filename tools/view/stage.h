// view/stage.h: a sequence with camera, floor, colours and ranges that hold for all its frames, so
// that nothing jumps. Needs the other headers of view/.
#ifndef VIEW_STAGE_H
#define VIEW_STAGE_H

#include "options.h"
#include "render.h"
#include "sequence.h"

/// Statistics of one object over all frames.
typedef struct view_track {
  int seen;            ///< it has a mesh in some frame
  int hidden;          ///< --hide
  int moves;           ///< not all frames are equal
  int changes;         ///< its topology does
  int framed;          ///< the camera sees all of it
  int ground;          ///< a large level plane that stands still: it is the floor, and not drawn
  int colour;          ///< number in the palette, -1: grey
  view_mesh rest;      ///< its first frame
  view_shape shape;    ///< of `rest`
  double lo[3], hi[3]; ///< [m] box over all frames
  view_fit fit;
} view_track;

typedef struct view_stage {
  const view_options *options;
  view_sequence *sequence, *other; ///< not owned; other: what distances are to, or NULL
  int nframe;
  int *frame;        ///< (nframe) indices of the frames chosen by --frame(s)
  view_track *track; ///< (nobject)
  view_scene scene;  ///< without items
  double range[2];   ///< of the colours, SI
  double gap;        ///< contact is looked for up to here, in units of length of the sequence
  double press;      ///< [Pa] largest contact pressure of a dozen frames, rounded up
} view_stage;

/// Reads all chosen frames once to place the camera, again some of them for the colours' range.
csim_status view_stage_set(const view_options *options, view_sequence *sequence,
                           view_sequence *other, csim_log *log, view_stage *stage);
void view_stage_free(view_stage *stage);

/// Gives n stages one camera, floor and range of colours, around what all of them show, so that
/// their pictures can be held against each other. They have the same up axis.
void view_stage_share(view_stage *stage, int n);

/// Draws the frame of an index of the sequence over the picture, with a legend if wanted.
csim_status view_stage_draw(const view_stage *stage, int frame, int legend, csim_log *log,
                            view_picture *picture);

/// Frame of another sequence with the number of a frame of the stage's, or the nearest.
int view_stage_match(const view_stage *stage, int frame, const view_sequence *other);

/// Object of `other` that belongs to an object: by name, else the same place; -1 = none.
int view_stage_partner(const view_stage *stage, int object);

/// All objects of a frame.
csim_status view_stage_read(const view_stage *stage, int frame, csim_log *log, view_mesh **mesh);
void view_stage_release(const view_stage *stage, view_mesh *mesh);

/// Flags the triangles that pass through others: mark[o] (ntri of mesh[o]), 1 = crossing. Pairs of
/// colliders do not count. mark and its rows are released with view_stage_release_marks.
csim_status view_stage_mark(const view_stage *stage, const view_mesh *mesh, uint8_t ***mark);
void view_stage_release_marks(const view_stage *stage, uint8_t **mark);

/// The colours' values of one object of a frame: (nvert), overwritten.
csim_status view_stage_values(const view_stage *stage, int frame, int object, const view_mesh *mesh,
                              csim_log *log, double *value);

/// Chooses range and gap. Ends of the colours: the 98th percentile of a dozen frames (the largest
/// distance of all frames), rounded up. Called by view_stage_set.
csim_status view_stage_range(view_stage *stage, csim_log *log);

/// sRGB colour 0xRRGGBB of an object's front.
unsigned view_stage_colour(const view_stage *stage, int object);

#endif
