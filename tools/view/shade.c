// view/shade.c: see shade.h.
#include "shade.h"
#include "parallel.h"
#include "raster.h"

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
    double scale = light->size / (2 * l->radius);
    light->u = vec_scale(across(light->to), scale);
    light->v = vec_cross(light->to, light->u);
    light->u0 = 0.5 * light->size - vec_dot(l->centre, light->u);
    light->v0 = 0.5 * light->size - vec_dot(l->centre, light->v);
    light->w0 = -vec_dot(l->centre, light->to);
  }
}

typedef struct map_work {
  const view_lights *lights;
  int ncaster;
  const view_caster *caster;
} map_work;

static double map_u(const view_light *light, vec3 p) {
  return vec_dot(p, light->u) + light->u0;
}
static double map_v(const view_light *light, vec3 p) {
  return vec_dot(p, light->v) + light->v0;
}
static double map_z(const view_light *light, vec3 p) {
  return vec_dot(p, light->to) + light->w0;
}

/// Widens the box of what is in the way, kept on the map by a texel for the filter.
static void widen(view_light *light, const float *at, int axis) {
  for (int k = 0; k < 3; k++) {
    double a = (double)at[k];
    light->lo[axis] = fmax(0.5, fmin(light->lo[axis], a - 1));
    light->hi[axis] = fmin(light->size - 0.5, fmax(light->hi[axis], a + 1));
  }
}

static void draw_map(void *context, int index) {
  const map_work *work = context;
  view_light *light = work->lights->light + index;
  view_band band = {.width = light->size, .nrow = light->size, .z = light->depth};
  view_band_clear(&band);
  for (int axis = 0; axis < 2; axis++) {
    light->lo[axis] = light->size;
    light->hi[axis] = 0;
  }
  for (int i = 0; i < work->ncaster; i++) {
    view_tri t = {.id = 0};
    for (int k = 0; k < 3; k++) {
      t.x[k] = (float)map_u(light, work->caster[i].v[k]);
      t.y[k] = (float)map_v(light, work->caster[i].v[k]);
      t.z[k] = (float)map_z(light, work->caster[i].v[k]);
    }
    view_band_draw(&band, &t);
    widen(light, t.x, 0);
    widen(light, t.y, 1);
  }
}

csim_status view_lights_make(vec3 key, int detail, int ncaster, const view_caster *caster,
                             view_lights *lights) {
  int nkey = detail ? 40 : 24, nglow = detail ? 240 : 100;
  lights->light = calloc((size_t)(nkey + nglow), sizeof *lights->light);
  if (!lights->light) return CSIM_MEMORY;
  place_lights(lights, key, nkey, nglow, detail ? 1024 : 320, detail ? 256 : 128);
  for (int i = 0; i < lights->nlight; i++) {
    view_light *light = lights->light + i;
    light->depth = malloc((size_t)light->size * (size_t)light->size * sizeof(float));
    if (!light->depth) {
      view_lights_free(lights);
      return CSIM_MEMORY;
    }
    double facing = vec_dot(light->to, lights->up);
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

/// Share of a light that reaches p, by the four texels around it. Where nothing is in the way, on
/// the map or off it, all of it does.
static double seen(const view_light *light, vec3 p) {
  double x = map_u(light, p);
  if (!(x >= light->lo[0] && x < light->hi[0])) return 1;
  double y = map_v(light, p);
  if (!(y >= light->lo[1] && y < light->hi[1])) return 1;
  x -= 0.5;
  y -= 0.5;
  double z = map_z(light, p);
  int i = (int)x, j = (int)y;
  double fx = x - i, fy = y - j;
  const float *d = light->depth + (ptrdiff_t)j * light->size + i;
  double s00 = d[0] <= z, s10 = d[1] <= z;
  double s01 = d[light->size] <= z, s11 = d[light->size + 1] <= z;
  return (1 - fy) * ((1 - fx) * s00 + fx * s10) + fy * ((1 - fx) * s01 + fx * s11);
}

static void light_point(const view_light *light, double texel, int is_key, view_point *p) {
  const double through = 0.12; // share of the key light that comes through a sheet from behind
  const double bounce = 0.30;  // share of a hidden glow that the thing in its way sends instead
  double facing = vec_dot(p->normal, light->to);
  if (facing <= 0 && !is_key) return;
  // stand off the surface, or it shadows itself: its own slope hides up to a texel times the
  // tangent of the angle, 1.5 texels along the normal times the sine cover it with the filter's
  // reach
  double sine = sqrt(fmax(0, 1 - facing * facing));
  double share = seen(light, vec_along(p->lifted, p->normal, texel * (0.3 + 1.5 * sine)));
  if (facing <= 0) {
    p->direct = vec_along(p->direct, light->colour, -facing * through * share);
    return;
  }
  p->direct = vec_along(p->direct, light->colour, share * facing);
  if (!is_key) {
    p->bounced = vec_along(p->bounced, light->colour, (1 - share) * facing * bounce);
  } else if (share > 0 && p->sheen > 0) {
    vec3 half = vec_unit(vec_add(light->to, p->to_eye), p->normal);
    double h = view_clamp(vec_dot(half, p->normal), 0, 1);
    double h8 = h * h * h * h * h * h * h * h, h24 = h8 * h8 * h8;
    p->gloss = vec_along(p->gloss, light->colour, share * (0.10 * h24 + 0.05 * h24 * h24 * h24));
  }
}

void view_light_points(const view_lights *l, int n, view_point *point) {
  for (int i = 0; i < l->nlight; i++) {
    const view_light *light = l->light + i;
    double texel = 2 * l->radius / light->size, up = vec_dot(light->to, l->up);
    for (int k = 0; k < n; k++) {
      view_point *p = point + k;
      if (!p->is_floor)
        light_point(light, texel, i < l->nkey, p);
      else if (up > 0)
        p->direct = vec_along(p->direct, light->colour, up * seen(light, p->lifted));
    }
  }
}

vec3 view_point_colour(const view_point *p) {
  double rim = pow(1 - view_clamp(vec_dot(p->normal, p->to_eye), 0, 1), 4);
  // what comes off a neighbouring fold has its colour twice
  vec3 tint = vec_mix(vec_make(1, 1, 1), p->colour, 0.6);
  vec3 colour = vec_mul(p->colour, vec_add(p->direct, vec_mul(p->bounced, tint)));
  colour = vec_along(colour, p->direct, 0.05 * rim * p->sheen);
  return vec_along(colour, p->gloss, p->sheen);
}

vec3 view_floor_share(const view_lights *l, const view_point *p) {
  const vec3 open = l->open_floor;
  return vec_make(p->direct.x / open.x, p->direct.y / open.y, p->direct.z / open.z);
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
