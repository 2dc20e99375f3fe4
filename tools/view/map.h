// view/map.h: numbers to colours, and their legend. Needs measure.h, png.h, vec.h.
#ifndef VIEW_MAP_H
#define VIEW_MAP_H

#include "measure.h"
#include "png.h"
#include "vec.h"

/// Strain and curvature have two sides of zero: their map runs blue - grey - red.
int view_mode_is_signed(view_mode mode);

/// Linear colour of a value in [lo, hi]; values beyond take the end's colour.
vec3 view_map_colour(view_mode mode, double value, double lo, double hi);

/// Draws a colour bar with its ends' values in the right bottom corner. lo, hi in SI.
void view_map_legend(view_mode mode, double lo, double hi, view_picture *picture);

/// The next of 1, 1.5, 2, 3, 5, 7.5, 10, ... times a power of ten that is >= x > 0.
double view_nice_number(double x);

#endif
