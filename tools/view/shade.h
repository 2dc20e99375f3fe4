// view/shade.h: lights with shadows, and shading of a surface. Needs raster.h, vec.h.
//
// A key light of some width (16 directions) and a sky and ground glow all round (64 directions).
// Each direction has a shadow map, so soft shadows and the darkening of folds come from the same
// place.
#ifndef VIEW_SHADE_H
#define VIEW_SHADE_H

#include "clothsim.h"
#include "vec.h"

/// A triangle that casts shadows.
typedef struct view_caster {
  vec3 v[3];
} view_caster;

/// One distant light and the depth of what it sees first.
typedef struct view_light {
  vec3 to;     ///< unit, towards the light
  vec3 colour; ///< irradiance on a surface that faces it
  vec3 u, v;   ///< the map's axes [texel/m]: p lies at (u p + u0, v p + v0)
  double u0, v0, w0;
  int size;            ///< the map is size x size
  float *depth;        ///< (size x size) the largest p . to + w0 [m], nearest to the light
  double lo[2], hi[2]; ///< [texel] where anything at all is in the way
} view_light;

typedef struct view_lights {
  vec3 centre;   ///< of the ball that the maps cover
  double radius; ///< [m]
  vec3 up;
  int nlight, nkey; ///< the first nkey are the key light
  view_light *light;
  vec3 open_floor; ///< irradiance of an unshadowed floor
} view_lights;

/// A lit point, and the light it sends to the eye.
typedef struct view_point {
  vec3 lifted;  ///< where its light is looked up: on the smooth surface that the triangle
                ///< approximates
  vec3 normal;  ///< unit smooth normal, towards the eye
  vec3 to_eye;  ///< unit
  vec3 colour;  ///< linear albedo
  double sheen; ///< 1 for cloth and solids, less for colours that are data
  int is_floor; ///< only `lifted` counts
  vec3 direct, bounced, gloss; ///< sums over the lights
} view_point;

/// Makes the lights and their maps of the casters inside the ball; centre, radius and up are for
/// the caller to set. key: direction towards the key light, unit. detail: 0 = draft (a quarter of
/// the directions), 1 = full. CSIM_MEMORY when it fails.
csim_status view_lights_make(vec3 key, int detail, int ncaster, const view_caster *caster,
                             view_lights *lights);
void view_lights_free(view_lights *lights);

/// Adds up the light on n points. Light by light, so that neighbours find its map in the cache.
void view_light_points(const view_lights *lights, int n, view_point *point);

/// Light that leaves a lit point towards the eye, linear.
vec3 view_point_colour(const view_point *point);

/// Light on a lit point of the floor, as a share of that on an open floor, per colour.
vec3 view_floor_share(const view_lights *lights, const view_point *point);

/// Linear colour to sRGB bytes, with a soft shoulder above 0.8.
void view_tone(vec3 colour, uint8_t rgb[3]);

/// sRGB bytes 0xRRGGBB to linear.
vec3 view_linear(unsigned hex);

#endif
