// view/film.h: contact sheets, numbered pictures and movies of a stage. Needs stage.h.
#ifndef VIEW_FILM_H
#define VIEW_FILM_H

#include "stage.h"

/// Result of writing.
typedef struct view_written {
  int npicture;      ///< frames drawn
  int width, height; ///< [pixel] of one picture, of the whole sheet
  long long bytes;   ///< of the file, of the last one of several
} view_written;

// With another stage (NULL allowed) every picture shows both side by side, this one on the left:
// the frame of the same number, or the nearest that it has.

/// One picture, or as many as options->tiles of first to last frame on one sheet.
csim_status view_film_sheet(const view_stage *stage, const view_stage *other, csim_log *log,
                            view_written *written);

/// One picture a frame; the run of '#' in the name becomes the frame's number.
csim_status view_film_frames(const view_stage *stage, const view_stage *other, csim_log *log,
                             view_written *written);

/// H.264 through ffmpeg. CSIM_IO when it is not installed or fails.
csim_status view_film_movie(const view_stage *stage, const view_stage *other, csim_log *log,
                            view_written *written);

#endif
