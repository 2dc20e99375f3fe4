// view/raster.h: triangles into a depth buffer. Needs nothing.
//
// Coordinates are those of a grid of samples, y down; sample (i, j) lies at (i + 0.5, j + 0.5).
#ifndef VIEW_RASTER_H
#define VIEW_RASTER_H

/// A triangle on the grid. z is any quantity that is linear on the grid and grows towards the eye
/// (1/distance for a perspective camera).
typedef struct view_tri {
  float x[3], y[3], z[3];
  int id; ///< written where the triangle is the nearest
} view_tri;

/// Columns [0, width) of rows [row, row + nrow) of a grid.
typedef struct view_band {
  int width, row, nrow;
  float *z; ///< (nrow x width)
  int *id;  ///< (nrow x width); NULL when only the depth is wanted
} view_band;

/// z = -FLT_MAX and id = -1 everywhere.
void view_band_clear(view_band *band);

/// Draws one triangle, either side, clipped to the band. Edges are inclusive, so neighbours that
/// share two vertices leave no hole between them. Triangles seen edge-on vanish.
void view_band_draw(view_band *band, const view_tri *tri);

#endif
