// view/render.h: a scene to a picture. Needs camera.h, png.h, surface.h, vec.h.
#ifndef VIEW_RENDER_H
#define VIEW_RENDER_H

#include "camera.h"
#include "png.h"
#include "surface.h"

/// One object to draw. Nothing is owned.
typedef struct view_item {
  const view_shape *shape;
  const double *x;      ///< (nvert x 3) [m]
  const double *normal; ///< (ngroup x 3) of view_shape_normals
  const vec3 *colour;   ///< (nvert) linear colours, NULL: front and back
  const uint8_t *mark;  ///< (ntri) 1: drawn red; NULL: none
  vec3 front, back;     ///< linear colours of the two sides
} view_item;

typedef struct view_scene {
  int nitem;
  view_item *item;
  view_camera camera;
  int up; ///< 1 = y, 2 = z
  int has_floor;
  double floor_height; ///< [m] along up
  vec3 centre;         ///< of the ball that shadows are computed in
  double radius;       ///< [m]
  int wire;            ///< draw the polygons' edges
  int detail;          ///< of view_lights_make
  int samples;         ///< per pixel and axis, 1..8
} view_scene;

/// Draws the scene over a picture that gives its size; its pixels are overwritten.
csim_status view_render(const view_scene *scene, view_picture *picture);

#endif
