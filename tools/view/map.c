// view/map.c: see map.h.
#include "map.h"
#include "shade.h"

#include <stdio.h>

// dark to light, so that it also reads in grey
static const unsigned rising[] = {0x2b1a5a, 0x3a4a94, 0x2f7d9a, 0x3aa887, 0x93c860, 0xf5e35b};
static const unsigned falling[] = {0xf0503a, 0xf29a4e, 0xe9d9a0, 0xc9ced3, 0xb9c0c8};
static const unsigned around[] = {0x2450a8, 0x6f9fd8, 0xd9dadb, 0xe08a68, 0xa81f2c};

int view_mode_is_signed(view_mode mode) {
  return mode == VIEW_STRAIN || mode == VIEW_CURVATURE;
}

static vec3 along(const unsigned *stop, int n, double t) {
  double at = view_clamp(t, 0, 1) * (n - 1);
  int i = at < n - 1 ? (int)at : n - 2;
  return vec_mix(view_linear(stop[i]), view_linear(stop[i + 1]), at - i);
}

vec3 view_map_colour(view_mode mode, double value, double lo, double hi) {
  double t = hi > lo ? (value - lo) / (hi - lo) : 0.5;
  if (view_mode_is_signed(mode)) return along(around, sizeof around / sizeof *around, t);
  if (mode == VIEW_CONTACT) return along(falling, sizeof falling / sizeof *falling, t);
  return along(rising, sizeof rising / sizeof *rising, t);
}

void view_map_legend(view_mode mode, double lo, double hi, view_picture *picture) {
  static const char *const title[VIEW_NMODE] = {
      "", "strain", "curvature", "speed", "gap to others", "distance", "contact pressure"};
  static const double unit[VIEW_NMODE] = {1, 100, 1, 1, 1000, 1000, 1};
  const uint8_t ink[3] = {60, 62, 66};
  double size = fmax(8, picture->height / 80.0);
  int width = (int)(18 * size), height = (int)(0.9 * size), margin = (int)(1.6 * size);
  int x = picture->width - margin - width, y = picture->height - margin - (int)(2.2 * size);
  if (mode == VIEW_PLAIN || x < 0 || y < 2 * size) return;
  for (int i = 0; i < width; i++) {
    uint8_t rgb[3];
    view_tone(view_map_colour(mode, i + 0.5, 0, width), rgb);
    for (int j = 0; j < height; j++)
      for (int k = 0; k < 3; k++)
        picture->rgb[3 * ((ptrdiff_t)(y + j) * picture->width + x + i) + k] = rgb[k];
  }
  char text[64];
  double base = y + height + 1.6 * size;
  snprintf(text, sizeof text, "%.4g", lo * unit[mode]);
  view_picture_text(picture, x, base, size, ink, text);
  snprintf(text, sizeof text, "%.4g %s", hi * unit[mode], view_mode_unit[mode]);
  view_picture_text(picture, x + width - view_text_width(size, text), base, size, ink, text);
  view_picture_text(picture, x, y - 0.7 * size, size, ink, title[mode]);
}

double view_nice_number(double x) {
  static const double step[] = {1, 1.5, 2, 3, 5, 7.5, 10};
  if (!(x > 0)) return 1;
  double power = pow(10, floor(log10(x)));
  for (int i = 0; i < 7; i++)
    if (step[i] * power >= x * (1 - 1e-9)) return step[i] * power;
  return 10 * power;
}
