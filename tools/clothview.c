// tools/clothview.c: pictures of simulations. Uses the public API, libpng and tools/view/.
#include "view/render.h"
#include "view/say.h"
#include "view/shade.h"
#include "view/sequence.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
  int npath;
  char **path;
  const char *out;
  int width, height, tiles, wire, up, samples;
  double azimuth, elevation;
} options;

static const double DEGREE = 3.14159265358979323846 / 180;

static void print_message(void *user, const csim_message *m) {
  const char *level[] = {"debug", "info", "warning", "error"};
  (void)user;
  fprintf(stderr, "clothview: %s%s%s: %s\n", m->file ? m->file : "", m->file ? ": " : "",
          level[m->level], m->text);
}

/// What is known of each object over the whole sequence.
typedef struct track {
  view_shape shape;
  double lo[3], hi[3]; ///< [m] box over all frames
  int seen, moves;
  double first[3];
} track;

static const unsigned palette[] = {0xc4553b, 0x2f7f93, 0xd9a036, 0x7a4e86, 0x6f9a4c, 0xd07a9a};

typedef struct stage {
  view_sequence sequence;
  track *track;
  view_scene scene;
  double **normal, **x;
  view_mesh *mesh;
} stage;

static csim_status survey(stage *st, csim_log *log) {
  view_sequence *q = &st->sequence;
  csim_status status = CSIM_OK;
  for (int o = 0; o < q->nobject; o++) {
    track *t = st->track + o;
    for (int f = 0; !status && f < q->nframe; f++) {
      view_mesh m;
      status = view_sequence_read(q, f, o, &m, log);
      if (!status && m.nvert) {
        if (!t->seen) {
          status = view_shape_make(m.nvert, m.x, m.ntri, m.tri, m.edge, 50 * DEGREE, &t->shape);
          for (int k = 0; k < 3; k++) t->lo[k] = t->hi[k] = t->first[k] = m.x[k];
        }
        for (int i = 0; i < 3 * m.nvert; i++) {
          t->lo[i % 3] = fmin(t->lo[i % 3], m.x[i]);
          t->hi[i % 3] = fmax(t->hi[i % 3], m.x[i]);
        }
        if (memcmp(t->first, m.x, sizeof t->first)) t->moves = 1;
        t->seen = 1;
      }
      view_mesh_free(&m);
    }
  }
  return status;
}

static csim_status place_camera(stage *st, const options *opt, csim_log *log) {
  view_sequence *q = &st->sequence;
  view_scene *s = &st->scene;
  csim_status status = CSIM_OK;
  const double margin = 0.07;
  view_fit fit = {0};
  s->up = opt->up;
  s->camera = view_camera_aim(opt->azimuth * DEGREE, opt->elevation * DEGREE, opt->up, 0.25,
                              (double)opt->width / opt->height);
  double lo[3] = {1e300, 1e300, 1e300}, hi[3] = {-1e300, -1e300, -1e300};
  for (int o = 0; o < q->nobject; o++) {
    for (int f = 0; !status && f < q->nframe; f++) {
      view_mesh m;
      status = view_sequence_read(q, f, o, &m, log);
      if (!status) view_fit_add(&fit, &s->camera, margin, m.nvert, m.x);
      view_mesh_free(&m);
      if (!st->track[o].moves) break;
    }
    for (int k = 0; k < 3; k++) {
      lo[k] = fmin(lo[k], st->track[o].lo[k]);
      hi[k] = fmax(hi[k], st->track[o].hi[k]);
    }
  }
  view_fit_apply(&fit, margin, &s->camera);
  vec3 a = vec_load(lo), b = vec_load(hi);
  s->centre = vec_mix(a, b, 0.5);
  s->radius = 0.5 * vec_length(vec_sub(b, a)) * 1.02;
  s->has_floor = 1;
  s->floor_height = lo[opt->up] - 0.002 * s->radius;
  return status;
}

static csim_status draw_frame(stage *st, const options *opt, int f, int width, int height,
                              view_picture *picture, csim_log *log) {
  view_sequence *q = &st->sequence;
  csim_status status = CSIM_OK;
  view_mesh *mesh = calloc((size_t)q->nobject, sizeof *mesh);
  double **normal = calloc((size_t)q->nobject, sizeof *normal);
  view_item *item = calloc((size_t)q->nobject, sizeof *item);
  int nitem = 0, colour = 0;
  for (int o = 0; !status && o < q->nobject; o++) {
    track *t = st->track + o;
    status = view_sequence_read(q, f, o, mesh + o, log);
    int own = t->moves || q->nframe == 1 ? colour++ : -1;
    if (status || !mesh[o].nvert) continue;
    normal[o] = malloc(3 * (size_t)t->shape.ngroup * sizeof(double) + 1);
    if (!normal[o]) status = CSIM_MEMORY;
    if (status) break;
    view_shape_normals(&t->shape, mesh[o].x, normal[o]);
    vec3 front = view_linear(own < 0 ? 0xb9b5ad : palette[own % 6]);
    vec3 back = own < 0 ? front : vec_mix(front, view_linear(0xe8dccb), 0.55);
    item[nitem++] = (view_item){&t->shape, mesh[o].x, normal[o], NULL, NULL, front, back};
  }
  if (!status) {
    *picture = view_picture_make(width, height, (const uint8_t[3]){255, 255, 255});
    if (!picture->rgb) status = CSIM_MEMORY;
  }
  view_scene scene = st->scene;
  scene.item = item;
  scene.nitem = nitem;
  scene.wire = opt->wire;
  scene.samples = opt->samples;
  scene.detail = width > 700;
  if (!status) status = view_render(&scene, picture);
  for (int o = 0; o < q->nobject; o++) view_mesh_free(mesh + o), free(normal[o]);
  free(mesh);
  free(normal);
  free(item);
  return status;
}

static csim_status draw_sheet(stage *st, const options *opt, csim_log *log) {
  int n = st->sequence.nframe < opt->tiles ? st->sequence.nframe : opt->tiles;
  int columns = n < 4 ? n : n <= 4 ? 2 : n <= 9 ? 3 : 4, rows = (n + columns - 1) / columns;
  int width = n == 1 ? opt->width : opt->width / 2, height = n == 1 ? opt->height : opt->height / 2;
  const uint8_t paper[3] = {236, 237, 238}, ink[3] = {70, 72, 76};
  view_picture sheet = view_picture_make(columns * width, rows * height, paper);
  csim_status status = sheet.rgb ? CSIM_OK : CSIM_MEMORY;
  for (int i = 0; !status && i < n; i++) {
    view_picture tile = {0};
    int f = n > 1 ? (int)((double)i * (st->sequence.nframe - 1) / (n - 1) + 0.5) : 0;
    status = draw_frame(st, opt, f, width, height, &tile, log);
    char label[32];
    snprintf(label, sizeof label, "frame %d", st->sequence.number[f]);
    if (!status && n > 1) view_picture_text(&tile, 14, height - 14, 11, ink, label);
    if (!status) view_picture_paste(&sheet, &tile, i % columns * width, i / columns * height);
    view_picture_free(&tile);
  }
  if (!status) status = view_picture_write(&sheet, opt->out, log);
  view_picture_free(&sheet);
  return status;
}

int main(int argc, char **argv) {
  csim_log log = {.write = print_message};
  options opt = {.width = 1280,
                 .height = 960,
                 .tiles = 9,
                 .up = 1,
                 .samples = 3,
                 .azimuth = 35,
                 .elevation = 24};
  opt.path = calloc((size_t)argc, sizeof *opt.path);
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-o") && i + 1 < argc)
      opt.out = argv[++i];
    else if (!strcmp(argv[i], "-w"))
      opt.wire = 1;
    else if (!strcmp(argv[i], "--up") && i + 1 < argc)
      opt.up = argv[++i][0] == 'z' ? 2 : 1;
    else if (argv[i][0] == '-')
      return fprintf(stderr, "usage: clothview FRAME.obj...|OUTDIR -o X.png [-w] [--up z]\n"), 2;
    else
      opt.path[opt.npath++] = argv[i];
  }
  if (!opt.out || !opt.npath)
    return fprintf(stderr, "usage: clothview FRAME.obj...|OUTDIR -o X.png [-w] [--up z]\n"), 2;
  stage st = {0};
  csim_status status = view_sequence_open(opt.npath, opt.path, &st.sequence, &log);
  if (!status) st.track = calloc((size_t)st.sequence.nobject, sizeof *st.track);
  if (!status) status = survey(&st, &log);
  if (!status) status = place_camera(&st, &opt, &log);
  if (!status) status = draw_sheet(&st, &opt, &log);
  for (int o = 0; st.track && o < st.sequence.nobject; o++) view_shape_free(&st.track[o].shape);
  free(st.track);
  view_sequence_close(&st.sequence);
  free(opt.path);
  return (int)status;
}
