// view/shade.c: see shade.h.
#include "shade.h"
#include "parallel.h"
#include "raster.h"

#include <float.h>
#include <stdlib.h>

static const double PI = 3.14159265358979323846;

// -------------------------------------------------------------------------------------- the lights

/// Any unit vector across n.
static vec3 across(vec3 n) {
  vec3 axis = fabs(n.x) < 0.6 ? vec_make(1, 0, 0) : vec_make(0, 1, 0);
  return vec_unit(vec_cross(n, axis), vec_make(0, 0, 1));
}

/// Directions evenly spread over a cap of the sphere about `axis` that reaches down to cos =
/// lowest: the golden-angle spiral.
static vec3 spread(vec3 axis, double lowest, int i, int n) {
  double z = 1 - (1 - lowest) * (i + 0.5) / n, angle = i * PI * (3 - sqrt(5));
  double r = sqrt(fmax(0, 1 - z * z));
  vec3 u = across(axis), v = vec_cross(axis, u);
  return vec_along(vec_along(vec_scale(axis, z), u, r * cos(angle)), v, r * sin(angle));
}

/// Directions and colours. The sum of all light on a surface facing the key light is about 1.
static void place_lights(view_lights *l, vec3 key, int nkey, int nglow, int key_size,
                         int glow_size) {
  const vec3 key_colour = vec_make(0.80, 0.76, 0.69), zenith = vec_make(0.40, 0.44, 0.52);
  const vec3 horizon = vec_make(0.42, 0.42, 0.44), ground = vec_make(0.22, 0.20, 0.18);
  l->nkey = nkey;
  l->nlight = nkey + nglow;
  for (int i = 0; i < l->nlight; i++) {
    view_light *light = l->light + i;
    if (i < nkey) {
      light->to = spread(key, cos(4.5 * PI / 180), i, nkey);
      light->colour = vec_scale(key_colour, 1.0 / nkey);
      light->size = key_size;
    } else {
      light->to = spread(l->up, -1, i - nkey, nglow);
      double h = vec_dot(light->to, l->up);
      vec3 c = h > 0 ? vec_mix(horizon, zenith, h) : vec_mix(horizon, ground, fmin(1, -4 * h));
      // a whole sphere of radiance c puts pi c on a surface; 4 pi / n of solid angle a light
      light->colour = vec_scale(c, 4.0 / nglow);
      light->size = glow_size;
    }
    light->u = across(light->to);
    light->v = vec_cross(light->to, light->u);
  }
}

typedef struct map_work {
  view_lights *lights;
  int ncaster;
  const view_caster *caster;
} map_work;

static vec3 to_map(const view_lights *l, const view_light *light, vec3 p) {
  vec3 d = vec_sub(p, l->centre);
  double scale = light->size / (2 * l->radius), half = 0.5 * light->size;
  return vec_make(vec_dot(d, light->u) * scale + half, vec_dot(d, light->v) * scale + half,
                  vec_dot(d, light->to));
}

static void draw_map(void *context, int index) {
  const map_work *work = context;
  view_light *light = work->lights->light + index;
  view_band band = {.width = light->size, .nrow = light->size, .z = light->depth};
  view_band_clear(&band);
  for (int i = 0; i < work->ncaster; i++) {
    view_tri t = {.id = 0};
    for (int k = 0; k < 3; k++) {
      vec3 m = to_map(work->lights, light, work->caster[i].v[k]);
      t.x[k] = (float)m.x;
      t.y[k] = (float)m.y;
      t.z[k] = (float)m.z;
    }
    view_band_draw(&band, &t);
  }
}

csim_status view_lights_make(vec3 centre, double radius, vec3 up, vec3 key, int detail, int ncaster,
                             const view_caster *caster, view_lights *lights) {
  int nkey = detail ? 16 : 8, nglow = detail ? 96 : 40;
  *lights = (view_lights){.centre = centre, .radius = radius, .up = up};
  lights->light = calloc((size_t)(nkey + nglow), sizeof *lights->light);
  if (!lights->light) return CSIM_MEMORY;
  place_lights(lights, key, nkey, nglow, detail ? 1024 : 512, detail ? 512 : 256);
  for (int i = 0; i < lights->nlight; i++) {
    view_light *light = lights->light + i;
    light->depth = malloc((size_t)light->size * (size_t)light->size * sizeof(float));
    if (!light->depth) {
      view_lights_free(lights);
      return CSIM_MEMORY;
    }
    double facing = vec_dot(light->to, up);
    if (facing > 0) lights->open_floor = vec_along(lights->open_floor, light->colour, facing);
  }
  map_work work = {lights, ncaster, caster};
  view_parallel(lights->nlight, draw_map, &work);
  return CSIM_OK;
}

void view_lights_free(view_lights *lights) {
  for (int i = 0; lights->light && i < lights->nlight; i++) free(lights->light[i].depth);
  free(lights->light);
  *lights = (view_lights){0};
}

// ------------------------------------------------------------------------------------- their light

/// Share of a light that reaches p, by the four texels around it. Outside the map all of it does.
static double seen(const view_lights *l, const view_light *light, vec3 p) {
  vec3 m = to_map(l, light, p);
  double x = m.x - 0.5, y = m.y - 0.5;
  if (!(x >= 0 && y >= 0 && x < light->size - 1 && y < light->size - 1)) return 1;
  int i = (int)x, j = (int)y;
  double fx = x - i, fy = y - j;
  const float *d = light->depth + (ptrdiff_t)j * light->size + i;
  double s00 = d[0] <= m.z, s10 = d[1] <= m.z;
  double s01 = d[light->size] <= m.z, s11 = d[light->size + 1] <= m.z;
  return (1 - fy) * ((1 - fx) * s00 + fx * s10) + fy * ((1 - fx) * s01 + fx * s11);
}

/// A place to look up a light from, lifted off the surface so that it does not shadow itself: the
/// texel's own slope hides up to a texel times the tangent of the angle, 1.5 texels along the
/// normal times the sine cover it with the filter's reach.
static vec3 lift(const view_lights *l, const view_light *light, vec3 at, vec3 flat, double facing) {
  double texel = 2 * l->radius / light->size, sine = sqrt(fmax(0, 1 - facing * facing));
  return vec_along(at, flat, texel * (0.3 + 1.5 * sine));
}

vec3 view_shade(const view_lights *l, const view_point *p) {
  const double through = 0.10; // share of the key light that comes through a sheet from behind
  vec3 light_sum = {0}, gloss = {0};
  for (int i = 0; i < l->nlight; i++) {
    const view_light *light = l->light + i;
    double facing = vec_dot(p->normal, light->to), flat = vec_dot(p->flat, light->to);
    if (facing <= 0 || flat <= 0) {
      if (i >= l->nkey || flat >= 0) continue;
      double share = -flat * through * seen(l, light, lift(l, light, p->at, p->flat, flat));
      light_sum = vec_along(light_sum, light->colour, share);
      continue;
    }
    double share = seen(l, light, lift(l, light, p->at, p->flat, flat));
    if (share <= 0) continue;
    // the smooth normal fades out where the triangle itself turns away: no hard edge between
    // triangles
    light_sum =
        vec_along(light_sum, light->colour, share * facing * view_smoothstep(0, 0.15, flat));
    if (i >= l->nkey) continue;
    vec3 half = vec_unit(vec_add(light->to, p->to_eye), p->normal);
    double h = view_clamp(vec_dot(half, p->normal), 0, 1);
    gloss = vec_along(gloss, light->colour, share * (0.10 * pow(h, 24) + 0.05 * pow(h, 90)));
  }
  double rim = pow(1 - view_clamp(vec_dot(p->normal, p->to_eye), 0, 1), 4);
  vec3 colour = vec_mul(p->colour, light_sum);
  colour = vec_along(colour, light_sum, 0.05 * rim * p->sheen);
  return vec_along(colour, gloss, p->sheen);
}

vec3 view_shade_floor(const view_lights *l, vec3 at) {
  vec3 sum = {0};
  for (int i = 0; i < l->nlight; i++) {
    const view_light *light = l->light + i;
    double facing = vec_dot(l->up, light->to);
    if (facing > 0) sum = vec_along(sum, light->colour, facing * seen(l, light, at));
  }
  return vec_make(sum.x / l->open_floor.x, sum.y / l->open_floor.y, sum.z / l->open_floor.z);
}

// ----------------------------------------------------------------------------------------- colours

static double encode(double c) {
  if (c > 0.8) c = 0.8 + 0.2 * (1 - exp(-(c - 0.8) / 0.2)); // slope 1 at 0.8, never above 1
  if (c <= 0.0031308) return 12.92 * fmax(0, c);
  return 1.055 * pow(c, 1 / 2.4) - 0.055;
}

void view_tone(vec3 c, uint8_t rgb[3]) {
  rgb[0] = (uint8_t)(255 * encode(c.x) + 0.5);
  rgb[1] = (uint8_t)(255 * encode(c.y) + 0.5);
  rgb[2] = (uint8_t)(255 * encode(c.z) + 0.5);
}

static double decode(unsigned byte) {
  double c = (byte & 255) / 255.0;
  return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

vec3 view_linear(unsigned hex) {
  return vec_make(decode(hex >> 16), decode(hex >> 8), decode(hex));
}
