// tests/soak/layers.c: do layers keep their order along rays? Independent of every test of contact:
// a layer that has passed through another is on its other side.
//
//   layers CACHE NAME,NAME,... point X Y Z  DX DY DZ DEGREES LENGTH
//   layers CACHE NAME,NAME,... slab  X Y Z  DX DY DZ SIZE LENGTH
//
// Rays go from a point into a cone, or side by side from a square about a point, as far as LENGTH.
// In every frame, what a ray meets of the objects must come in the order of their names. Prints the
// rays that met at least two and those out of order; exit code 1 when there are any.
#include "base/arena.h"
#include "clothsim.h"
#include "math/vec3.h"
#include "scene/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ACROSS = 24, MAX_LAYERS = 8, MAX_HITS = 4096 };

typedef struct layer {
  int object;
  csim_mesh mesh;
  float *frame;
  double *x;
} layer;

typedef struct hit {
  double t;
  int layer;
} hit;

static int by_distance(const void *a, const void *b) {
  const hit *p = a, *q = b;
  return (p->t > q->t) - (p->t < q->t);
}

// Distance along the ray to the triangle, < 0: none (Moeller & Trumbore 1997).
static double meet(const double *o, const double *d, const double *a, const double *b,
                   const double *c) {
  double u[3], v[3], p[3], s[3], q[3];
  csim_sub(b, a, u);
  csim_sub(c, a, v);
  csim_cross(d, v, p);
  double det = csim_dot(u, p);
  if (fabs(det) < 1e-300) return -1;
  csim_sub(o, a, s);
  double x = csim_dot(s, p) / det;
  if (x < 0 || x > 1) return -1;
  csim_cross(s, u, q);
  double y = csim_dot(d, q) / det;
  if (y < 0 || x + y > 1) return -1;
  return csim_dot(v, q) / det;
}

// 0: met fewer than two layers; 1: in order; 2: out of order.
static int look_along(const double *o, const double *d, double length, int nlayer,
                      const layer *layers) {
  static hit hits[MAX_HITS];
  int n = 0, several = 0;
  for (int l = 0; l < nlayer; l++) {
    const csim_mesh *mesh = &layers[l].mesh;
    for (int t = 0; t < mesh->ntri && n < MAX_HITS; t++) {
      const int *v = mesh->tri + csim_xyz(t);
      double at = meet(o, d, layers[l].x + csim_xyz(v[0]), layers[l].x + csim_xyz(v[1]),
                       layers[l].x + csim_xyz(v[2]));
      if (at > 0 && at < length) hits[n++] = (hit){at, l};
    }
  }
  qsort(hits, (size_t)n, sizeof *hits, by_distance);
  for (int i = 1; i < n; i++) {
    several |= hits[i].layer != hits[i - 1].layer;
    if (hits[i].layer < hits[i - 1].layer) return 2;
  }
  return several;
}

// Ray number (i, j): a Fibonacci spiral over the cone's cap, or a square of parallel rays.
static void aim(const double where[3], const double axis[3], int cone, double size, int i, int j,
                double o[3], double d[3]) {
  double side[3], up[3], z[3], l = csim_norm(axis);
  for (int c = 0; c < 3; c++) z[c] = axis[c] / l;
  double other[3] = {fabs(z[0]) < 0.9, fabs(z[0]) >= 0.9, 0};
  csim_cross(z, other, side);
  l = csim_norm(side);
  for (int c = 0; c < 3; c++) side[c] /= l;
  csim_cross(z, side, up);
  int k = i * ACROSS + j;
  memcpy(o, where, 3 * sizeof *o);
  memcpy(d, z, 3 * sizeof *d);
  if (cone) {
    double least = cos(size * 3.14159265358979 / 180), turn = 2.399963229728653 * k;
    double height = 1 - (1 - least) * (k + 0.5) / (ACROSS * ACROSS), r = sqrt(1 - height * height);
    for (int c = 0; c < 3; c++)
      d[c] = height * z[c] + r * (cos(turn) * side[c] + sin(turn) * up[c]);
  } else {
    csim_add_scaled(size * ((i + 0.51) / ACROSS - 0.5), side, o);
    csim_add_scaled(size * ((j + 0.51) / ACROSS - 0.5), up, o);
  }
}

static int find_layers(csim_cache *cache, char *names, layer *layers) {
  const csim_cache_info *info = csim_cache_get_info(cache);
  int n = 0;
  for (char *name = strtok(names, ","); name && n < MAX_LAYERS; name = strtok(NULL, ",")) {
    int k = 0;
    while (k < info->nobject && strcmp(info->object[k].name, name) != 0) k++;
    if (k == info->nobject) {
      fprintf(stderr, "layers: no object \"%s\"\n", name);
      return 0;
    }
    ptrdiff_t size = csim_xyz(info->object[k].nvert);
    layers[n] = (layer){.object = k, .frame = CSIM_NEW(float, size), .x = CSIM_NEW(double, size)};
    if (!layers[n].frame || !layers[n].x || csim_cache_read(cache, k, 0, layers[n].frame, NULL))
      return 0;
    for (ptrdiff_t c = 0; c < size; c++) layers[n].x[c] = layers[n].frame[c];
    if (csim_mesh_of_cached(&info->object[k], layers[n].x, (csim_place){0}, NULL, &layers[n].mesh))
      return 0;
    n++;
  }
  return n;
}

int main(int argc, char **argv) {
  layer layers[MAX_LAYERS];
  csim_cache *cache;
  if (argc != 12) {
    fputs("usage: layers CACHE NAMES point|slab X Y Z DX DY DZ DEGREES|SIZE LENGTH\n", stderr);
    return 2;
  }
  if (csim_cache_open(argv[1], NULL, &cache)) return 3;
  double number[8];
  for (int i = 0; i < 8; i++) number[i] = strtod(argv[4 + i], NULL);
  int nlayer = find_layers(cache, argv[2], layers);
  if (nlayer < 2) return 2;
  long long met = 0, swapped = 0;
  const csim_cache_info *info = csim_cache_get_info(cache);
  for (int f = 0; f < info->nframe; f++) {
    long long before = swapped;
    for (int l = 0; l < nlayer; l++) {
      ptrdiff_t size = csim_xyz(info->object[layers[l].object].nvert);
      if (csim_cache_read(cache, layers[l].object, f, layers[l].frame, NULL)) return 3;
      for (ptrdiff_t c = 0; c < size; c++) layers[l].x[c] = layers[l].frame[c];
    }
    for (int i = 0; i < ACROSS; i++)
      for (int j = 0; j < ACROSS; j++) {
        double o[3], d[3];
        aim(number, number + 3, argv[3][0] == 'p', number[6], i, j, o, d);
        int found = look_along(o, d, number[7], nlayer, layers);
        met += found > 0;
        swapped += found > 1;
      }
    if (swapped > before)
      printf("frame %lld: %lld rays out of order\n", info->number[f], swapped - before);
  }
  printf("%d frames, %lld rays through two or more, %lld out of order\n", info->nframe, met,
         swapped);
  for (int l = 0; l < nlayer; l++) {
    csim_mesh_free(&layers[l].mesh);
    free(layers[l].frame);
    free(layers[l].x);
  }
  csim_cache_free(cache);
  return swapped ? 1 : met ? 0 : 2;
}
