// view/stage.c: see stage.h. Values and ranges of colours are in values.c.
#include "stage.h"
#include "map.h"
#include "shade.h"

#include <stdlib.h>
#include <string.h>

static const double DEGREE = 3.14159265358979323846 / 180;
static const double MARGIN = 0.07; // of the picture, at each side

// ----------------------------------------------------------------------------------------- frames

static csim_status choose_frames(view_stage *s, csim_log *log) {
  const view_options *o = s->options;
  const view_sequence *q = s->sequence;
  int taken = 0;
  s->frame = malloc((size_t)q->nframe * sizeof *s->frame);
  if (!s->frame) return CSIM_MEMORY;
  for (int f = 0; f < q->nframe; f++) {
    if (o->frames.has_one ? q->number[f] != o->frames.one
                          : q->number[f] < o->frames.first || q->number[f] > o->frames.last)
      continue;
    if (taken++ % o->frames.step == 0) s->frame[s->nframe++] = f;
  }
  if (s->nframe) return CSIM_OK;
  csim_log_print(log, CSIM_ERROR, q->path, "no such frame; there are %lld to %lld", q->number[0],
                 q->number[q->nframe - 1]);
  return CSIM_INVALID;
}

csim_status view_stage_read(const view_stage *s, int frame, csim_log *log, view_mesh **mesh) {
  csim_status status = CSIM_OK;
  *mesh = calloc((size_t)s->sequence->nobject + 1, sizeof **mesh);
  if (!*mesh) return CSIM_MEMORY;
  for (int o = 0; !status && o < s->sequence->nobject; o++)
    if (!s->track[o].hidden) status = view_sequence_read(s->sequence, frame, o, log, *mesh + o);
  if (status) {
    view_stage_release(s, *mesh);
    *mesh = NULL;
  }
  return status;
}

void view_stage_release(const view_stage *s, view_mesh *mesh) {
  for (int o = 0; mesh && o < s->sequence->nobject; o++) view_mesh_free(mesh + o);
  free(mesh);
}

// ----------------------------------------------------------------------------------------- survey

static int same_topology(const view_mesh *a, const view_mesh *b) {
  return a->nvert == b->nvert && a->ntri == b->ntri &&
         !memcmp(a->tri, b->tri, 3 * (size_t)a->ntri * sizeof *a->tri);
}

/// Shape of a mesh. Cloth has no creases; boxes and the like keep edges over 50 degrees; a lone
/// picture of unknown cloth may be folded already, so only sharp edges are creases there.
static csim_status make_shape(const view_stage *s, int object, const view_mesh *m,
                              view_shape *shape) {
  view_kind kind = s->sequence->object[object].kind;
  double crease = kind == VIEW_CLOTH ? 180 : kind == VIEW_UNKNOWN ? 75 : 50;
  return view_shape_make(m->nvert, m->x, m->ntri, m->tri, m->edge, crease * DEGREE, shape);
}

/// Keeps the object's first mesh of the whole sequence, *m, as the one at rest.
static csim_status keep_rest(view_stage *s, int object, view_mesh *m) {
  view_track *t = s->track + object;
  csim_status status = make_shape(s, object, m, &t->shape);
  t->rest = *m;
  *m = (view_mesh){0};
  return status;
}

/// Adds one frame of an object to its statistics.
static csim_status add_frame(view_stage *s, int object, view_mesh *m) {
  view_track *t = s->track + object;
  csim_status status = CSIM_OK;
  if (!m->nvert) return CSIM_OK;
  for (int d = 0; !t->seen && d < 3; d++) {
    t->lo[d] = 1e300;
    t->hi[d] = -1e300;
  }
  t->seen = 1;
  for (ptrdiff_t i = 0; i < csim_xyz(m->nvert); i++) {
    t->lo[i % 3] = fmin(t->lo[i % 3], m->x[i]);
    t->hi[i % 3] = fmax(t->hi[i % 3], m->x[i]);
  }
  view_fit_add(&t->fit, &s->scene.camera, MARGIN, m->nvert, m->x);
  if (!t->rest.nvert)
    status = keep_rest(s, object, m);
  else if (!same_topology(m, &t->rest))
    t->changes = t->moves = 1;
  else if (!t->moves)
    t->moves = memcmp(m->x, t->rest.x, 3 * (size_t)m->nvert * sizeof *m->x) != 0;
  return status;
}

static csim_status survey(view_stage *s, csim_log *log) {
  csim_status status = CSIM_OK;
  int any = 0;
  if (s->frame[0] >
      0) { // strain, creases and standing still are measured against the first frame of all
    view_mesh *mesh;
    status = view_stage_read(s, 0, log, &mesh);
    for (int o = 0; !status && o < s->sequence->nobject; o++)
      if (mesh[o].nvert) status = keep_rest(s, o, mesh + o);
    view_stage_release(s, mesh);
  }
  for (int f = 0; !status && f < s->nframe; f++) {
    view_mesh *mesh;
    status = view_stage_read(s, s->frame[f], log, &mesh);
    for (int o = 0; !status && o < s->sequence->nobject; o++) status = add_frame(s, o, mesh + o);
    view_stage_release(s, mesh);
  }
  for (int o = 0; o < s->sequence->nobject; o++) any |= s->track[o].seen;
  if (!status && !any) {
    csim_log_print(log, CSIM_ERROR, s->sequence->path, "nothing to show in these frames");
    status = CSIM_INVALID;
  }
  return status;
}

static void hide_objects(view_stage *s, csim_log *log) {
  for (int h = 0; h < s->options->hide.n; h++) {
    int found = 0;
    for (int o = 0; o < s->sequence->nobject; o++)
      if (!strcmp(s->sequence->object[o].name, s->options->hide.word[h]))
        s->track[o].hidden = found = 1;
    if (!found)
      csim_log_print(log, CSIM_WARNING, NULL, "--hide %s: no such object",
                     s->options->hide.word[h]);
  }
}

// ----------------------------------------------------------------------------------------- framing

static double extent(const double lo[3], const double hi[3]) {
  return fmax(hi[0] - lo[0], fmax(hi[1] - lo[1], hi[2] - lo[2]));
}

static void join(const view_track *t, double lo[3], double hi[3]) {
  for (int d = 0; d < 3; d++) {
    lo[d] = fmin(lo[d], t->lo[d]);
    hi[d] = fmax(hi[d], t->hi[d]);
  }
}

/// Whether it is a level plane twice as wide as everything that moves.
static int is_ground(const view_track *t, int up, double width) {
  if (!t->seen || t->colour >= 0 || t->moves) return 0;
  double size[3] = {t->hi[0] - t->lo[0], t->hi[1] - t->lo[1], t->hi[2] - t->lo[2]};
  double across = fmin(size[0], size[3 - up]);
  return across > 2 * width && size[up] < 1e-6 * across;
}

/// Chooses the objects that the camera frames: all that move, and static ones unless they are far
/// larger, such as a ground plane.
static void choose_framed(view_stage *s) {
  double lo[3] = {1e300, 1e300, 1e300}, hi[3] = {-1e300, -1e300, -1e300};
  int nmoving = 0, colour = 0;
  for (int o = 0; o < s->sequence->nobject; o++) {
    view_track *t = s->track + o;
    view_kind kind = s->sequence->object[o].kind;
    int still = !t->moves && s->sequence->nframe > 1 && kind == VIEW_UNKNOWN;
    t->colour = kind == VIEW_COLLIDER || still ? -1 : colour++;
    if (!t->seen || t->colour < 0) continue;
    nmoving++;
    join(t, lo, hi);
  }
  for (int o = 0; o < s->sequence->nobject; o++) {
    view_track *t = s->track + o;
    t->ground = nmoving && is_ground(t, s->scene.up, extent(lo, hi));
    t->framed = t->seen && !t->ground &&
                (!nmoving || t->colour >= 0 || extent(t->lo, t->hi) < 3 * extent(lo, hi));
  }
}

static void add_fit(const view_fit *part, view_fit *fit) {
  if (!part->any) return;
  if (!fit->any) *fit = *part;
  fit->left = fmax(fit->left, part->left);
  fit->right = fmax(fit->right, part->right);
  fit->bottom = fmax(fit->bottom, part->bottom);
  fit->top = fmax(fit->top, part->top);
}

static void aim_camera(view_stage *s) {
  const view_options *o = s->options;
  int width = o->width ? o->width : 4, height = o->height ? o->height : 3;
  if (!o->width && o->output == VIEW_MOVIE) width = 16, height = 9;
  s->scene.camera = view_camera_aim(o->aim.azimuth * DEGREE, o->aim.elevation * DEGREE, s->scene.up,
                                    0.25, (double)width / height);
}

static void gather(const view_stage *s, double lo[3], double hi[3], view_fit *fit) {
  for (int i = 0; i < s->sequence->nobject; i++) {
    if (!s->track[i].framed) continue;
    join(s->track + i, lo, hi);
    add_fit(&s->track[i].fit, fit);
  }
}

/// The camera of the first of n stages, as it was aimed, sees what is framed of all of them.
static void place_camera(view_stage *s, int n) {
  const view_options *o = s->options;
  view_scene *c = &s->scene;
  double lo[3] = {1e300, 1e300, 1e300}, hi[3] = {-1e300, -1e300, -1e300};
  view_fit fit = {0};
  for (int k = 0; k < n; k++) gather(s + k, lo, hi, &fit);
  vec3 a = vec_load(lo), b = vec_load(hi);
  c->centre = vec_mix(a, b, 0.5);
  c->radius = 0.5 * vec_length(vec_sub(b, a)) * 1.02;
  double least = 1e-7 * vec_length(c->centre);
  int is_point = !(c->radius > least);
  if (is_point) {
    c->radius = fmax(0.05, 10 * least);
    double box[24];
    for (int i = 0; i < 24; i++) box[i] = lo[i % 3] + (i / 3 >> i % 3 & 1 ? c->radius : -c->radius);
    view_fit_add(&fit, &c->camera, MARGIN, 8, box);
  }
  view_fit_apply(&fit, MARGIN, &c->camera);
  // never nearer than the ball: a flat thing seen edge-on would put the eye into itself
  double away = vec_dot(vec_sub(c->centre, c->camera.eye), c->camera.forward);
  if (away < 1.2 * c->radius)
    c->camera.eye = vec_along(c->camera.eye, c->camera.forward, away - 1.2 * c->radius);
  c->camera.slope_x /= o->aim.zoom;
  c->camera.slope_y /= o->aim.zoom;
  c->has_floor = !o->floor.none;
  c->floor_height = lo[c->up] - (is_point ? 0.3 : 0.002) * c->radius;
  for (int i = 0; i < s->sequence->nobject; i++)
    if (s->track[i].ground) c->floor_height = s->track[i].lo[c->up];
  if (o->floor.given) c->floor_height = o->floor.height;
}

csim_status view_stage_set(const view_options *options, view_sequence *sequence,
                           view_sequence *other, csim_log *log, view_stage *s) {
  *s = (view_stage){.options = options, .sequence = sequence, .other = other};
  s->track = calloc((size_t)sequence->nobject + 1, sizeof *s->track);
  if (!s->track) return CSIM_MEMORY;
  s->scene.up = options->up ? options->up : sequence->up ? sequence->up : 1;
  s->scene.wire = options->wire;
  s->scene.samples = 3;
  aim_camera(s);
  csim_status status = choose_frames(s, log);
  if (!status) hide_objects(s, log);
  if (!status) status = survey(s, log);
  if (!status) {
    choose_framed(s);
    place_camera(s, 1);
    status = view_stage_range(s, log);
  }
  if (status) view_stage_free(s);
  return status;
}

void view_stage_free(view_stage *s) {
  for (int o = 0; s->track && o < s->sequence->nobject; o++) {
    view_shape_free(&s->track[o].shape);
    view_mesh_free(&s->track[o].rest);
  }
  free(s->track);
  free(s->frame);
  s->track = NULL;
  s->frame = NULL;
}

void view_stage_share(view_stage *s, int n) {
  aim_camera(s);
  place_camera(s, n);
  for (int k = 1; k < n; k++) {
    s->range[0] = fmin(s->range[0], s[k].range[0]);
    s->range[1] = fmax(s->range[1], s[k].range[1]);
  }
  for (int k = 1; k < n; k++) {
    s[k].scene = s->scene;
    s[k].range[0] = s->range[0];
    s[k].range[1] = s->range[1];
  }
}

unsigned view_stage_colour(const view_stage *s, int object) {
  // no reds: those are for triangles that pass through others
  static const unsigned palette[] = {0x2f7f93, 0xd9a036, 0x7a4e86, 0x6f9a4c,
                                     0x4f6fb0, 0xa97142, 0xb98aa8, 0x5d6b76};
  int colour = s->track[object].colour;
  return colour < 0 ? 0xb9b5ad : palette[colour % (int)(sizeof palette / sizeof *palette)];
}

// ----------------------------------------------------------------------------------------- drawing

/// Data for drawing one object, besides its mesh.
typedef struct part {
  view_shape own; ///< where the topology changed, or balls for loose points
  const view_shape *shape;
  double *normal;
  double *ball; ///< positions of the balls
  vec3 *colour;
} part;

/// Points without faces become small balls: rings of latitude between two poles, few when there are
/// many points.
static csim_status make_balls(const view_stage *s, const view_mesh *m, part *p) {
  enum { MOST = 1 << 17 };
  int n = m->nvert < MOST ? m->nvert : MOST, ring = n == 1 ? 32 : 8, rings = ring / 2 - 1;
  int nv = ring * rings + 2, nt = 2 * ring * rings, k = 0;
  double size = s->scene.radius * (n == 1 ? 0.3 : 0.01), pi = 180 * DEGREE;
  int *tri = malloc(3 * (size_t)nt * (size_t)n * sizeof *tri);
  p->ball = malloc(3 * (size_t)nv * (size_t)n * sizeof *p->ball);
  csim_status status = tri && p->ball ? CSIM_OK : CSIM_MEMORY;
  for (int i = 0; !status && i < n; i++) {
    int base = i * nv, south = base + nv - 2, north = base + nv - 1;
    for (int v = 0; v < nv; v++) {
      double a = pi * (v / ring + 1) / (rings + 1), b = 2 * pi * (v % ring) / ring;
      vec3 d = vec_make(sin(a) * cos(b), -cos(a), sin(a) * sin(b));
      if (v >= nv - 2) d = vec_make(0, v == nv - 1 ? 1 : -1, 0);
      double *x = p->ball + 3 * ((ptrdiff_t)base + v);
      x[0] = m->x[csim_xyz(i)] + size * d.x;
      x[1] = m->x[csim_xyz(i) + 1] + size * d.y;
      x[2] = m->x[csim_xyz(i) + 2] + size * d.z;
    }
    for (int c = 0; c < ring; c++) {
      int next = (c + 1) % ring, last = base + (rings - 1) * ring;
      const int caps[6] = {south, base + c, base + next, north, last + next, last + c};
      memcpy(tri + k, caps, sizeof caps);
      k += 6;
      for (int r = 0; r + 1 < rings; r++, k += 6) {
        int low = base + r * ring, high = low + ring;
        const int quad[6] = {low + c, high + c, high + next, low + c, high + next, low + next};
        memcpy(tri + k, quad, sizeof quad);
      }
    }
  }
  if (!status) status = view_shape_make(nv * n, p->ball, k / 3, tri, NULL, 4, &p->own);
  free(tri);
  return status;
}

static csim_status colour_part(const view_stage *s, int frame, int object, const view_mesh *mesh,
                               csim_log *log, part *p) {
  const view_mesh *m = mesh + object;
  view_mode mode = s->options->mode;
  if (mode == VIEW_PLAIN || s->track[object].colour < 0 || p->ball) return CSIM_OK;
  p->colour = malloc((size_t)m->nvert * sizeof *p->colour);
  double *value = malloc((size_t)m->nvert * sizeof *value);
  csim_status status = p->colour && value ? CSIM_OK : CSIM_MEMORY;
  if (!status) status = view_stage_values(s, frame, object, mesh, log, value);
  for (int i = 0; !status && i < m->nvert; i++)
    p->colour[i] = view_map_colour(mode, value[i], s->range[0], s->range[1]);
  free(value);
  return status;
}

static csim_status make_part(const view_stage *s, int frame, int object, const view_mesh *mesh,
                             csim_log *log, part *p, view_item *item) {
  const view_track *t = s->track + object;
  const view_mesh *m = mesh + object;
  csim_status status = CSIM_OK;
  p->shape = &t->shape;
  if (!m->ntri)
    status = make_balls(s, m, p);
  else if (t->changes && !same_topology(m, &t->rest))
    status = make_shape(s, object, m, &p->own);
  if (p->own.tri) p->shape = &p->own;
  if (!status) {
    p->normal = malloc(3 * (size_t)p->shape->ngroup * sizeof *p->normal + 1);
    status = p->normal ? colour_part(s, frame, object, mesh, log, p) : CSIM_MEMORY;
  }
  if (status) return status;
  const double *x = p->ball ? p->ball : m->x;
  view_shape_normals(p->shape, x, p->normal);
  vec3 front = view_linear(view_stage_colour(s, object));
  vec3 back = t->colour < 0 ? front : vec_mix(front, view_linear(0xf3efe8), 0.42);
  if (s->options->mode != VIEW_PLAIN) front = back = view_linear(0xb9b5ad);
  *item = (view_item){p->shape, x, p->normal, p->colour, NULL, front, back};
  return CSIM_OK;
}

csim_status view_stage_draw(const view_stage *s, int frame, int legend, csim_log *log,
                            view_picture *picture) {
  int nobject = s->sequence->nobject;
  view_scene scene = s->scene;
  uint8_t **mark = NULL;
  view_mesh *mesh = NULL;
  part *parts = calloc((size_t)nobject + 1, sizeof *parts);
  scene.item = calloc((size_t)nobject + 1, sizeof *scene.item);
  // small pictures do not show more, and films have many
  scene.detail = !s->options->draft && picture->width > 800 &&
                 s->options->output == VIEW_SHEET; // small pictures do not show more
  csim_status status = parts && scene.item ? CSIM_OK : CSIM_MEMORY;
  if (!status) status = view_stage_read(s, frame, log, &mesh);
  if (!status && s->options->crossings) status = view_stage_mark(s, mesh, &mark);
  for (int o = 0; !status && o < nobject; o++) {
    if (!mesh[o].nvert || (s->track[o].ground && s->scene.has_floor)) continue;
    view_item *item = scene.item + scene.nitem++;
    status = make_part(s, frame, o, mesh, log, parts + o, item);
    if (mark && mesh[o].ntri) item->mark = mark[o];
  }
  if (!status) status = view_render(&scene, picture);
  if (!status && legend) view_map_legend(s->options->mode, s->range[0], s->range[1], picture);
  for (int o = 0; parts && o < nobject; o++) {
    view_shape_free(&parts[o].own);
    free(parts[o].normal);
    free(parts[o].ball);
    free(parts[o].colour);
  }
  view_stage_release_marks(s, mark);
  view_stage_release(s, mesh);
  free(parts);
  free(scene.item);
  return status;
}
