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

// Of n stages every picture shows all, the first on the upper left, two beside each other, more in
// rows and columns: a frame of the first, and of the others that of the same number, or the
// nearest.

/// One picture, or as many as options->tiles of first to last frame on one sheet. More than two
/// stages then have a row each.
csim_status view_film_sheet(const view_stage *stage, int n, csim_log *log, view_written *written);

/// One picture a frame; the run of '#' in the name becomes the frame's number.
csim_status view_film_frames(const view_stage *stage, int n, csim_log *log, view_written *written);

/// H.264 through ffmpeg. CSIM_IO when it is not installed or fails.
csim_status view_film_movie(const view_stage *stage, int n, csim_log *log, view_written *written);

#endif
