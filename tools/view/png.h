// view/png.h: a picture in memory, and as a PNG file. Needs clothsim.h, libpng.
#ifndef VIEW_PNG_H
#define VIEW_PNG_H

#include "clothsim.h"

/// Pixels in sRGB, rows from the top.
typedef struct view_picture {
  int width, height;
  uint8_t *rgb; ///< (height x width x 3)
} view_picture;

/// Limit of either side [pixel]; a picture is checked before it is allocated.
enum { VIEW_MAX_SIDE = 16384 };

/// A picture in one colour; rgb = NULL when it is out of memory or its size is not
/// in 1..VIEW_MAX_SIDE.
view_picture view_picture_make(int width, int height, const uint8_t rgb[3]);
void view_picture_free(view_picture *picture);

/// Copies `from` into `to` with its left top corner at (x, y), clipped.
void view_picture_paste(view_picture *to, const view_picture *from, int x, int y);

/// Draws text in the built-in stroke font, anti-aliased; unknown characters become spaces.
/// (x, y): left end of the base line [pixel]; size: height of a capital [pixel].
void view_picture_text(view_picture *picture, double x, double y, double size, const uint8_t rgb[3],
                       const char *text);

/// Width [pixel] that text takes.
double view_text_width(double size, const char *text);

/// Writes a PNG under a temporary name and renames it. Failure is said with the path: CSIM_IO.
csim_status view_picture_write(const view_picture *picture, const char *path, csim_log *log);

#endif
