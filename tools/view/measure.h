// view/measure.h: numbers to colour a surface by. Needs clothsim.h, vec.h.
#ifndef VIEW_MEASURE_H
#define VIEW_MEASURE_H

#include "clothsim.h"

typedef enum view_mode {
  VIEW_PLAIN,     ///< a colour for each object
  VIEW_STRAIN,    ///< principal strain of larger size, against the first frame [-]
  VIEW_CURVATURE, ///< mean curvature [1/m]; > 0 where the surface bulges to its front
  VIEW_SPEED,     ///< [m/s]
  VIEW_CONTACT,   ///< distance to the nearest other surface [m]
  VIEW_DISTANCE,  ///< to the same vertex of a second cache [m]
  VIEW_PRESSURE,  ///< of contact, from the cache [Pa]: what VIEW_CONTACT becomes where it does
  VIEW_NMODE,
} view_mode;

/// Names on the command line; units and titles for legends.
extern const char *const view_mode_name[VIEW_NMODE];
extern const char *const view_mode_unit[VIEW_NMODE];

/// Power of length in a mode's unit: 1 for [m] and [m/s].
extern const int view_mode_length[VIEW_NMODE];

/// Mean over the triangles of each vertex, weighted by rest area, of the principal strain
/// (stretch - 1) of larger size. Vertices without an area get 0.
/// @param rest, x    (nvert x 3) [m]
/// @param[out] value (nvert) overwritten
void view_measure_strain(int nvert, const double *rest, const double *x, int ntri, const int *tri,
                         double *value);

/// Half the trace of the shape operator that fits, by least squares over the edges e of a vertex,
/// the turn of the vertex normals along them: mean of (n_j - n_i) . e / |e|^2.
/// @param[out] value (nvert) overwritten
csim_status view_measure_curvature(int nvert, const double *x, int ntri, const int *tri,
                                   double *value);

/// Length of each row of a - b, times scale; b = NULL for a alone.
void view_measure_difference(int nvert, const double *a, const double *b, double scale,
                             double *value);

/// Surfaces that contact is looked for between.
typedef struct view_body {
  int nvert;
  const double *x; ///< (nvert x 3) [m]
  int ntri;
  const int *tri; ///< (ntri x 3)
} view_body;

/// Distance of every vertex of body `which` to the nearest triangle of any body that it is not a
/// corner of nor next to (no corner shares a triangle with it), capped at `limit` [m] > 0.
/// @param[out] value (nvert of that body) overwritten
csim_status view_measure_gap(int nbody, const view_body *body, int which, double limit,
                             double *value);

#endif
