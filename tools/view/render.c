// view/render.c: see render.h.
//
// Rows are drawn in bands, several at once. A band keeps the nearest triangle of each sample; then
// each triangle that a pixel shows is shaded once, at the mean of its samples, and weighs as many.
#include "render.h"
#include "parallel.h"
#include "raster.h"
#include "shade.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { BAND_PIXELS = 24, MAX_SAMPLES = 8 };

typedef struct job {
  const view_scene *scene;
  view_picture *picture;
  view_lights lights;
  int *first; ///< (nitem + 1) number of each item's first triangle
  int ntri;
  view_tri *tri; ///< (ntri) on the grid of samples; clipped triangles keep the number of theirs
  int nband;
  int *band_start, *band_tri; ///< triangles that touch each band
  double pixel;               ///< slope of one pixel
  atomic_int failed;
} job;

// ------------------------------------------------------------------------------------- projection

typedef struct list {
  view_tri *tri;
  int n, capacity;
} list;

static int list_add(list *l, const view_tri *tri) {
  if (l->n == l->capacity) {
    int capacity = l->capacity ? 2 * l->capacity : 4096;
    view_tri *grown = realloc(l->tri, (size_t)capacity * sizeof *grown);
    if (!grown) return 0;
    l->tri = grown;
    l->capacity = capacity;
  }
  l->tri[l->n++] = *tri;
  return 1;
}

/// Cuts the triangle at the plane z = near of the camera's axes. Returns 3 or 4 corners, or 0.
static int cut_near(const vec3 in[3], double near, vec3 out[4]) {
  int n = 0;
  for (int k = 0; k < 3; k++) {
    vec3 a = in[k], b = in[(k + 1) % 3];
    if (a.z >= near) out[n++] = a;
    if ((a.z >= near) != (b.z >= near)) out[n++] = vec_mix(a, b, (near - a.z) / (b.z - a.z));
  }
  return n;
}

/// Puts one triangle of the world on the grid.
static int project(const job *j, const vec3 world[3], int id, list *l) {
  const view_camera *c = &j->scene->camera;
  int s = j->scene->samples;
  double half_x = 0.5 * s * j->picture->width, half_y = 0.5 * s * j->picture->height;
  vec3 eye[3], cut[4];
  for (int k = 0; k < 3; k++) {
    vec3 d = vec_sub(world[k], c->eye);
    eye[k] = vec_make(vec_dot(d, c->right), vec_dot(d, c->up), vec_dot(d, c->forward));
  }
  int n = cut_near(eye, 1e-3 * j->scene->radius, cut);
  for (int k = 2; k < n; k++) {
    view_tri t = {.id = id};
    const vec3 corner[3] = {cut[0], cut[k - 1], cut[k]};
    for (int m = 0; m < 3; m++) {
      vec3 p = corner[m];
      t.x[m] = (float)(half_x + half_x * p.x / (p.z * c->slope_x));
      t.y[m] = (float)(half_y - half_y * p.y / (p.z * c->slope_y));
      t.z[m] = (float)(1 / p.z);
    }
    if (!list_add(l, &t)) return 0;
  }
  return 1;
}

static int project_all(job *j, list *l, view_caster *caster) {
  int id = 0;
  for (int i = 0; i < j->scene->nitem; i++) {
    const view_item *item = j->scene->item + i;
    for (int t = 0; t < item->shape->ntri; t++, id++) {
      for (int k = 0; k < 3; k++)
        caster[id].v[k] = vec_load(item->x + csim_xyz(item->shape->tri[3 * t + k]));
      if (!project(j, caster[id].v, id, l)) return 0;
    }
  }
  return 1;
}

/// First and last band of a triangle; 0 when it is outside.
static int find_bands(const job *j, const view_tri *t, int *first, int *last) {
  double rows = BAND_PIXELS * j->scene->samples;
  double lo = fmin(t->y[0], fmin(t->y[1], t->y[2])) / rows;
  double hi = fmax(t->y[0], fmax(t->y[1], t->y[2])) / rows;
  if (!(hi >= 0 && lo < j->nband)) return 0;
  *first = lo > 0 ? (int)lo : 0;
  *last = hi < j->nband - 1 ? (int)hi : j->nband - 1;
  return 1;
}

/// Counting sort of the triangles by band: those of band b are band_tri[band_start[b]] and on.
static int sort_into_bands(job *j) {
  int first, last;
  // counted two places up, summed, and filled one place up, the starts end where they belong
  j->band_start = calloc((size_t)j->nband + 2, sizeof *j->band_start);
  if (!j->band_start) return 0;
  for (int t = 0; t < j->ntri; t++)
    if (find_bands(j, j->tri + t, &first, &last))
      for (int b = first; b <= last; b++) j->band_start[b + 2]++;
  for (int b = 0; b < j->nband; b++) j->band_start[b + 2] += j->band_start[b + 1];
  j->band_tri = malloc((size_t)j->band_start[j->nband + 1] * sizeof *j->band_tri + 1);
  if (!j->band_tri) return 0;
  for (int t = 0; t < j->ntri; t++)
    if (find_bands(j, j->tri + t, &first, &last))
      for (int b = first; b <= last; b++) j->band_tri[j->band_start[b + 1]++] = t;
  return 1;
}

// ---------------------------------------------------------------------------------------- shading

/// What one pixel shows of one triangle (or of none), at the mean place of its samples.
typedef struct patch {
  int id, n, column;
  double x, y; ///< on the grid of samples
  double line; ///< share that an edge line covers
  vec3 behind; ///< backdrop
  view_point point;
} patch;

static vec3 ray_through(const job *j, double x, double y) {
  const view_camera *c = &j->scene->camera;
  int s = j->scene->samples;
  double right = (2 * x / (s * j->picture->width) - 1) * c->slope_x;
  double up = (1 - 2 * y / (s * j->picture->height)) * c->slope_y;
  vec3 ray = vec_along(vec_along(c->forward, c->right, right), c->up, up);
  return vec_unit(ray, c->forward);
}

/// The backdrop: light in the middle, a little darker to the edges.
static vec3 backdrop(const job *j, double x, double y) {
  int s = j->scene->samples;
  double u = x / (s * j->picture->width) - 0.5, v = y / (s * j->picture->height) - 0.45;
  double edge = view_clamp(1.35 * (u * u + v * v), 0, 1);
  return vec_mix(vec_make(0.80, 0.81, 0.82), vec_make(0.52, 0.54, 0.57), edge);
}

/// The floor is the backdrop times the share of light that reaches it, so it has no horizon.
static void place_on_floor(const job *j, vec3 ray, view_point *p) {
  const view_scene *scene = j->scene;
  vec3 up = j->lights.up;
  double fall = -vec_dot(ray, up), height = vec_dot(scene->camera.eye, up) - scene->floor_height;
  p->is_floor = 1;
  // far away, out of every map, is open floor, and so is the sky
  p->lifted = vec_along(j->lights.centre, up, 1e3 * j->lights.radius);
  if (scene->has_floor && fall > 1e-6 && height > 0)
    p->lifted = vec_along(scene->camera.eye, ray, height / fall);
}

/// Barycentric coordinates of the point where the ray meets the plane of the triangle.
static vec3 meet(vec3 eye, vec3 ray, const vec3 v[3], vec3 normal) {
  double fall = vec_dot(ray, normal);
  if (fabs(fall) < 1e-9) return vec_make(1 / 3.0, 1 / 3.0, 1 / 3.0);
  vec3 p = vec_along(eye, ray, vec_dot(vec_sub(v[0], eye), normal) / fall);
  vec3 n = vec_cross(vec_sub(v[1], v[0]), vec_sub(v[2], v[0]));
  double nn = vec_dot(n, n);
  double b1 = vec_dot(vec_cross(vec_sub(p, v[0]), vec_sub(v[2], v[0])), n) / nn;
  double b2 = vec_dot(vec_cross(vec_sub(v[1], v[0]), vec_sub(p, v[0])), n) / nn;
  vec3 b = vec_make(fmax(0, 1 - b1 - b2), fmax(0, b1), fmax(0, b2));
  return vec_scale(b, 1 / (b.x + b.y + b.z));
}

static vec3 blend3(vec3 b, vec3 p, vec3 q, vec3 r) {
  return vec_along(vec_along(vec_scale(p, b.x), q, b.y), r, b.z);
}

/// How much of a pixel at barycentric b an edge line covers, for the edges that bits name.
static double line_cover(vec3 b, const vec3 v[3], double area, int bits, double pixel) {
  const double weight[3] = {b.x, b.y, b.z};
  double nearest = 1e30;
  for (int k = 0; k < 3; k++) {
    if (!(bits >> k & 1)) continue;
    double length = vec_length(vec_sub(v[(k + 1) % 3], v[k]));
    nearest = fmin(nearest, weight[(k + 2) % 3] * area / length);
  }
  return 1 - view_smoothstep(0.35 * pixel, 1.1 * pixel, nearest);
}

/// The place on the curved surface given by the smooth normals: the mean of the point's images
/// in the corners' tangent planes, where those are above the triangle. Without it the shadow maps
/// see the triangles' staircase near the line between light and dark (Hanika, Hacking the Shadow
/// Terminator, Ray Tracing Gems II, 2021). n points to the eye's side.
static vec3 lift(vec3 at, vec3 b, const vec3 x[3], const vec3 n[3]) {
  const double weight[3] = {b.x, b.y, b.z};
  vec3 lifted = at;
  for (int k = 0; k < 3; k++) {
    double depth = vec_dot(vec_sub(at, x[k]), n[k]);
    if (depth < 0) lifted = vec_along(lifted, n[k], -depth * weight[k]);
  }
  return lifted;
}

static vec3 surface_colour(const view_item *item, int t, const int *v, vec3 b, int faces_eye) {
  if (item->mark && item->mark[t]) return view_linear(0xe01010);
  if (!item->colour) return faces_eye ? item->front : item->back;
  return blend3(b, item->colour[v[0]], item->colour[v[1]], item->colour[v[2]]);
}

static void place_on_triangle(const job *j, vec3 ray, patch *out) {
  const view_scene *scene = j->scene;
  int i = 0;
  while (j->first[i + 1] <= out->id) i++;
  const view_item *item = scene->item + i;
  int t = out->id - j->first[i];
  const int *v = item->shape->tri + csim_xyz(t), *g = item->shape->group + csim_xyz(t);
  vec3 x[3], n[3];
  for (int k = 0; k < 3; k++) {
    x[k] = vec_load(item->x + csim_xyz(v[k]));
    n[k] = vec_load(item->normal + csim_xyz(g[k]));
  }
  vec3 whole = vec_cross(vec_sub(x[1], x[0]), vec_sub(x[2], x[0]));
  vec3 flat = vec_unit(whole, vec_scale(ray, -1));
  vec3 b = meet(scene->camera.eye, ray, x, flat);
  int faces_eye = vec_dot(flat, ray) < 0;
  for (int k = 0; k < 3 && !faces_eye; k++) n[k] = vec_scale(n[k], -1);
  vec3 at = blend3(b, x[0], x[1], x[2]);
  view_point *p = &out->point;
  p->to_eye = vec_scale(ray, -1);
  p->lifted = lift(at, b, x, n);
  p->colour = surface_colour(item, t, v, b, faces_eye);
  p->sheen = item->colour ? 0.4 : 1;
  p->normal = vec_unit(blend3(b, n[0], n[1], n[2]), p->to_eye);
  // towards an outline the smooth normal may look away from the eye: bend it back
  double away = vec_dot(p->normal, ray);
  if (away > -0.02) p->normal = vec_unit(vec_along(p->normal, ray, -away - 0.02), p->to_eye);
  if (!scene->wire) return;
  double pixel = j->pixel * vec_length(vec_sub(at, scene->camera.eye));
  out->line = line_cover(b, x, vec_length(whole), item->shape->edge[t], pixel);
}

/// The samples of one pixel, gathered by triangle.
static int gather(const view_band *band, int samples, int row, int column, patch *patches) {
  int n = 0;
  for (int b = 0; b < samples; b++)
    for (int a = 0; a < samples; a++) {
      int x = column * samples + a, y = row * samples + b, k = 0;
      int id = band->id[(ptrdiff_t)y * band->width + x];
      while (k < n && patches[k].id != id) k++;
      if (k == n) patches[n++] = (patch){.id = id, .column = column};
      patches[k].n++;
      patches[k].x += x + 0.5;
      patches[k].y += band->row + y + 0.5;
    }
  return n;
}

static vec3 patch_colour(const job *j, const patch *p) {
  if (p->id < 0) return vec_mul(p->behind, view_floor_share(&j->lights, &p->point));
  vec3 colour = view_point_colour(&p->point);
  return vec_mix(colour, vec_scale(colour, 0.25), 0.8 * p->line);
}

/// Lights the patches of some pixels of one row and adds them to the pixels' sums.
static void shade_patches(const job *j, int n, patch *patches, view_point *point, vec3 *sum) {
  for (int k = 0; k < n; k++) {
    patch *p = patches + k;
    p->x /= p->n;
    p->y /= p->n;
    vec3 ray = ray_through(j, p->x, p->y);
    p->behind = backdrop(j, p->x, p->y);
    if (p->id < 0)
      place_on_floor(j, ray, &p->point);
    else
      place_on_triangle(j, ray, p);
    point[k] = p->point;
  }
  view_light_points(&j->lights, n, point);
  for (int k = 0; k < n; k++) {
    patches[k].point = point[k];
    vec3 *pixel = sum + patches[k].column;
    *pixel = vec_along(*pixel, patch_colour(j, patches + k), patches[k].n);
  }
}

/// Room that one band needs.
typedef struct band_work {
  view_band band;
  patch *patch; ///< (ROOM_PATCHES)
  view_point *point;
  vec3 *sum; ///< (width) of one row of pixels
} band_work;

enum { ROOM_PATCHES = 2048 };

static void shade_band(const job *j, const band_work *r, int nrow) {
  int s = j->scene->samples, width = j->picture->width;
  for (int row = 0; row < nrow; row++) {
    int n = 0, y = r->band.row / s + row;
    memset(r->sum, 0, (size_t)width * sizeof *r->sum);
    for (int column = 0; column < width; column++) {
      n += gather(&r->band, s, row, column, r->patch + n);
      if (n <= ROOM_PATCHES - MAX_SAMPLES * MAX_SAMPLES && column < width - 1) continue;
      shade_patches(j, n, r->patch, r->point, r->sum);
      n = 0;
    }
    for (int column = 0; column < width; column++)
      view_tone(vec_scale(r->sum[column], 1.0 / (s * s)),
                j->picture->rgb + 3 * ((ptrdiff_t)y * width + column));
  }
}

static void draw_band(void *context, int index) {
  job *j = context;
  int s = j->scene->samples, width = j->picture->width, first = index * BAND_PIXELS;
  int nrow = j->picture->height - first < BAND_PIXELS ? j->picture->height - first : BAND_PIXELS;
  band_work r = {.band = {.width = s * width, .row = s * first, .nrow = s * nrow}};
  size_t n = (size_t)r.band.width * (size_t)r.band.nrow;
  r.band.z = malloc(n * sizeof *r.band.z);
  r.band.id = malloc(n * sizeof *r.band.id);
  r.patch = malloc(ROOM_PATCHES * sizeof *r.patch);
  r.point = malloc(ROOM_PATCHES * sizeof *r.point);
  r.sum = malloc((size_t)width * sizeof *r.sum);
  if (r.band.z && r.band.id && r.patch && r.point && r.sum) {
    view_band_clear(&r.band);
    for (int k = j->band_start[index]; k < j->band_start[index + 1]; k++)
      view_band_draw(&r.band, j->tri + j->band_tri[k]);
    shade_band(j, &r, nrow);
  } else {
    j->failed = 1;
  }
  free(r.band.z);
  free(r.band.id);
  free(r.patch);
  free(r.point);
  free(r.sum);
}

// --------------------------------------------------------------------------------------- together

/// The key light comes from the left of the eye and well above.
static vec3 key_direction(const view_scene *scene, vec3 up) {
  const view_camera *c = &scene->camera;
  vec3 level = vec_unit(vec_cross(c->right, up), c->forward);
  if (vec_dot(level, c->forward) > 0) level = vec_scale(level, -1);
  vec3 d = vec_along(vec_scale(level, 0.35), c->right, -0.75);
  return vec_unit(vec_along(d, up, 1.0), up);
}

csim_status view_render(const view_scene *scene, view_picture *picture) {
  csim_status status = CSIM_MEMORY;
  job j = {.scene = scene, .picture = picture};
  list l = {0};
  vec3 up = scene->up == 2 ? vec_make(0, 0, 1) : vec_make(0, 1, 0);
  j.first = calloc((size_t)scene->nitem + 1, sizeof *j.first);
  if (!j.first) goto done;
  for (int i = 0; i < scene->nitem; i++) j.first[i + 1] = j.first[i] + scene->item[i].shape->ntri;
  int ncaster = j.first[scene->nitem];
  view_caster *caster = malloc((size_t)ncaster * sizeof *caster + 1);
  int projected = caster && project_all(&j, &l, caster);
  j.lights = (view_lights){.centre = scene->centre, .radius = scene->radius, .up = up};
  if (projected)
    status = view_lights_make(key_direction(scene, up), scene->detail, ncaster, caster, &j.lights);
  free(caster);
  if (status) goto done;
  j.tri = l.tri;
  j.ntri = l.n;
  j.nband = (picture->height + BAND_PIXELS - 1) / BAND_PIXELS;
  j.pixel = 2 * scene->camera.slope_y / picture->height;
  status = CSIM_MEMORY;
  if (!sort_into_bands(&j)) goto done;
  view_parallel(j.nband, draw_band, &j);
  if (!j.failed) status = CSIM_OK;
done:
  view_lights_free(&j.lights);
  free(l.tri);
  free(j.first);
  free(j.band_start);
  free(j.band_tri);
  return status;
}
