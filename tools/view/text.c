// view/text.c: a stroke font for labels, so that a picture needs no font file. See png.h.
//
// A glyph is a list of polylines on a grid of 5 x 9 points, "xy" a point, x right, y up; the base
// line is y = 2, small letters reach 6, capitals and digits 8. A line of one repeated point is a
// dot.
#include "png.h"
#include "vec.h"

#include <ctype.h>
#include <string.h>

static const char *const glyph[128] = {
    ['0'] = "12 03 07 18 38 47 43 32 12",
    ['1'] = "17 28 22|12 32",
    ['2'] = "07 18 38 47 46 02 42",
    ['3'] = "07 18 38 47 46 35 15|35 44 43 32 12 03",
    ['4'] = "32 38 04 44",
    ['5'] = "48 08 05 35 44 43 32 12 03",
    ['6'] = "47 38 18 07 03 12 32 43 44 35 15 04",
    ['7'] = "08 48 12",
    ['8'] = "15 06 07 18 38 47 46 35 15 04 03 12 32 43 44 35",
    ['9'] = "03 12 32 43 47 38 18 07 06 15 35 46",
    ['a'] = "45 36 16 05 03 12 32 43|46 42",
    ['b'] = "08 02|05 16 36 45 43 32 12 03",
    ['c'] = "45 36 16 05 03 12 32 43",
    ['d'] = "48 42|45 36 16 05 03 12 32 43",
    ['e'] = "04 44 45 36 16 05 03 12 32 43",
    ['f'] = "38 28 17 12|06 36",
    ['g'] = "46 41 30 10 01|45 36 16 05 03 12 32 43",
    ['h'] = "08 02|05 16 36 45 42",
    ['i'] = "26 22|28 28",
    ['j'] = "26 21 10 00|28 28",
    ['k'] = "08 02|46 04|25 42",
    ['l'] = "18 13 22 32",
    ['m'] = "06 02|05 16 25 22|25 36 45 42",
    ['n'] = "06 02|05 16 36 45 42",
    ['o'] = "16 36 45 43 32 12 03 05 16",
    ['p'] = "06 00|05 16 36 45 43 32 12 03",
    ['P'] = "02 08 38 47 46 35 05",
    ['q'] = "46 40|45 36 16 05 03 12 32 43",
    ['r'] = "06 02|05 16 36",
    ['s'] = "45 36 16 05 14 34 43 32 12 03",
    ['t'] = "18 13 22 32|06 36",
    ['u'] = "06 03 12 32 43|46 42",
    ['v'] = "06 22 46",
    ['w'] = "06 12 25 32 46",
    ['x'] = "06 42|46 02",
    ['y'] = "06 22|46 10",
    ['z'] = "06 46 02 42",
    ['.'] = "22 22",
    [','] = "22 11",
    ['-'] = "05 45",
    ['+'] = "05 45|27 23",
    ['/'] = "01 48",
    [':'] = "23 23|26 26",
    ['('] = "38 26 24 32",
    [')'] = "18 26 24 12",
    ['%'] = "48 02|08 18 17 07 08|33 43 42 32 33",
    ['='] = "04 44|06 46",
    ['_'] = "01 41",
    ['<'] = "47 05 43",
    ['>'] = "07 45 03",
    ['|'] = "28 21",
};

/// Advance of a character, in grid units.
enum { ADVANCE = 6 };

double view_text_width(double size, const char *text) {
  return size / 6 * (ADVANCE * (double)strlen(text) - 2);
}

static void blend(view_picture *picture, int i, int j, double cover, const uint8_t rgb[3]) {
  uint8_t *p = picture->rgb + 3 * ((ptrdiff_t)j * picture->width + i);
  for (int k = 0; k < 3; k++) p[k] = (uint8_t)(p[k] + (rgb[k] - p[k]) * cover + 0.5);
}

/// The stroke from a to b: cover falls from 1 to 0 over one pixel at half the pen's width.
static void draw_stroke(view_picture *picture, vec3 a, vec3 b, double pen, const uint8_t rgb[3]) {
  vec3 d = vec_sub(b, a);
  double dd = vec_dot(d, d), reach = pen / 2 + 1;
  int lo_x = (int)fmax(0, fmin(a.x, b.x) - reach), lo_y = (int)fmax(0, fmin(a.y, b.y) - reach);
  int hi_x = (int)fmin(picture->width - 1, fmax(a.x, b.x) + reach);
  int hi_y = (int)fmin(picture->height - 1, fmax(a.y, b.y) + reach);
  for (int j = lo_y; j <= hi_y; j++)
    for (int i = lo_x; i <= hi_x; i++) {
      vec3 p = vec_make(i + 0.5, j + 0.5, 0);
      double t = dd > 0 ? view_clamp(vec_dot(vec_sub(p, a), d) / dd, 0, 1) : 0;
      double distance = vec_length(vec_sub(p, vec_along(a, d, t)));
      double cover = view_clamp(pen / 2 + 0.5 - distance, 0, 1);
      if (cover > 0) blend(picture, i, j, cover, rgb);
    }
}

void view_picture_text(view_picture *picture, double x, double y, double size, const uint8_t rgb[3],
                       const char *text) {
  double unit = size / 6, pen = fmax(1.1, size / 8);
  for (; *text; text++, x += ADVANCE * unit) {
    int c = (unsigned char)*text;
    if (c >= 128 || !glyph[c]) c = tolower(c);
    const char *g = c < 128 ? glyph[c] : NULL;
    vec3 last = {0};
    for (int first = 1; g && *g; first = g[2] != ' ', g += g[2] ? 3 : 2) {
      vec3 p = vec_make(x + (g[0] - '0') * unit, y - (g[1] - '2') * unit, 0);
      if (!first) draw_stroke(picture, last, p, pen, rgb);
      last = p;
    }
  }
}
