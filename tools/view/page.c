// view/page.c: see page.h.
//
// The page is one JSON object that describes runs, parts and frames, blobs (zlib, base64) that hold
// their numbers, and the viewer's script. Blob k is the element with id "b<k>".
#include "page.h"
#include "embed.h"
#include "reel.h"
#include "say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { GROUP = 8 }; // frames in a blob: few enough for a first picture at once

/// How much is left out to make the page small enough.
typedef struct attempt {
  int bits;   ///< steps along the diagonal: 2^bits; 0 = exact floats
  int stride; ///< every so many frames
  int thin;   ///< a share of the vertices: 1 / thin
} attempt;

static const attempt ladder[] = {
    {0, 1, 1},  {20, 1, 1}, {17, 1, 1}, {15, 1, 1},   {15, 2, 1},
    {15, 2, 2}, {14, 4, 4}, {14, 8, 8}, {14, 16, 16}, {13, 32, 64},
};
enum { NLADDER = sizeof ladder / sizeof *ladder };

typedef struct page {
  const view_options *options;
  csim_log *log;
  int nrun;
  view_reel reel[2];
  attempt attempt;
  double step;     ///< [m] 0 = exact
  view_bytes json; ///< the runs
  view_bytes blobs;
  int nblob;
  size_t limit; ///< [bytes] for json and blobs
} page;

// ------------------------------------------------------------------------------------------- blobs

static void add_blob(page *p, const view_bytes *raw) {
  view_bytes packed = {0};
  view_bytes_deflate(&packed, raw);
  view_bytes_print(&p->blobs, "<script type=\"text/plain\" id=\"b%d\">", p->nblob++);
  if (packed.failed)
    p->blobs.failed = 1;
  else
    view_bytes_base64(&p->blobs, packed.n, packed.data);
  view_bytes_print(&p->blobs, "</script>\n");
  free(packed.data);
}

static int too_large(const page *p) {
  return p->json.n + p->blobs.n > p->limit;
}

static csim_status add_group(page *p, view_reel *r, int from, int to) {
  csim_status status = CSIM_OK;
  view_bytes raw = {0};
  for (int f = from; !status && f < to; f++)
    status = view_reel_frame(r, f * p->attempt.stride, p->log, &raw);
  if (!status) add_blob(p, &raw);
  free(raw.data);
  return status;
}

// -------------------------------------------------------------------------------------------- json

static void add_numbers(view_bytes *b, int n, const double *value) {
  view_bytes_print(b, "[");
  for (int i = 0; i < n; i++) view_bytes_print(b, "%s%.17g", i ? "," : "", value[i]);
  view_bytes_print(b, "]");
}

static void add_part_json(page *p, const view_reel *r, const view_part *part) {
  static const char *const kind[] = {"unknown", "cloth", "solid", "collider"};
  const view_object *o = r->stage->sequence->object + part->object;
  view_bytes *j = &p->json;
  int s = p->attempt.stride, first = (part->first + s - 1) / s;
  int end = (part->first + part->count + s - 1) / s;
  view_bytes raw = {0};
  view_bytes_print(j, "{\"name\":");
  view_bytes_quote(j, o->name);
  view_bytes_print(j,
                   ",\"object\":%d,\"kind\":\"%s\",\"colour\":\"#%06x\",\"still\":%s,\"ground\":%s",
                   part->object, kind[o->kind], view_stage_colour(r->stage, part->object),
                   r->stage->track[part->object].colour < 0 ? "true" : "false",
                   r->stage->track[part->object].ground ? "true" : "false");
  view_bytes_print(j, ",\"moves\":%s,\"noted\":%s,\"first\":%d,\"count\":%d",
                   part->moves ? "true" : "false", part->noted && r->noting ? "true" : "false",
                   first, end - first);
  view_bytes_print(j, ",\"nvert\":%d,\"original\":%d,\"thinned\":%s,\"ntri\":%d,\"ngroup\":%d",
                   part->nkeep, part->original, part->keep ? "true" : "false", part->shape.ntri,
                   part->shape.ngroup);
  view_bytes_print(j, ",\"origin\":");
  add_numbers(j, 3, part->coder.origin);
  view_bytes_print(j, ",\"topology\":%d}", p->nblob);
  view_reel_topology(part, &raw);
  add_blob(p, &raw);
  free(raw.data);
}

static csim_status add_stats(page *p, const view_sequence *q, const int *frame, int nframe) {
  view_bytes_print(&p->json, ",\"stats\":[");
  for (int f = 0; f < nframe; f++) {
    const char *text =
        q->cache ? csim_cache_read_stats(q->cache, frame[f * p->attempt.stride]) : "";
    if (!text) return CSIM_IO;
    if (f) view_bytes_print(&p->json, ",");
    view_bytes_json(&p->json, *text ? text : "null");
  }
  view_bytes_print(&p->json, "]");
  return CSIM_OK;
}

/// A part's places are those of whole frames; strides make some parts empty, and those are skipped.
static int is_empty(const page *p, const view_part *part) {
  int s = p->attempt.stride;
  return (part->first + part->count - 1) / s * s < part->first;
}

static csim_status add_run(page *p, view_reel *r) {
  const view_sequence *q = r->stage->sequence;
  view_bytes *j = &p->json;
  int s = p->attempt.stride, nframe = (r->stage->nframe + s - 1) / s, any = 0;
  view_bytes_print(j, "{\"name\":");
  view_bytes_quote(j, q->path);
  view_bytes_print(j,
                   ",\"fps\":%.9g,\"unit\":%.17g,\"pressed\":%s,\"gap\":%.9g,\"noted\":%s,\"step\":"
                   "%.17g,\"frames\":[",
                   q->fps > 0 ? q->fps : 24.0, q->unit, q->pressed ? "true" : "false",
                   q->pressed ? r->stage->press : r->stage->gap * q->unit,
                   r->noting ? "true" : "false", p->step);
  for (int f = 0; f < nframe; f++)
    view_bytes_print(j, "%s%lld", f ? "," : "", q->number[r->stage->frame[f * s]]);
  view_bytes_print(j, "],\"skipped\":%d", r->stage->nframe - nframe);
  csim_status status = add_stats(p, q, r->stage->frame, nframe);
  view_bytes_print(j, ",\"meta\":");
  view_bytes_json(j, q->cache ? csim_cache_get_info(q->cache)->meta : "null");
  view_bytes_print(j, ",\"parts\":[");
  for (int i = 0; i < r->npart; i++) {
    view_part *part = r->part + i;
    view_coder_start(&part->coder, p->step, part->lo);
    part->stored = 0;
    if (is_empty(p, part)) continue;
    if (any++) view_bytes_print(j, ",");
    add_part_json(p, r, part);
  }
  view_bytes_print(j, "],\"groups\":[");
  for (int f = 0; !status && f < nframe && !too_large(p); f += GROUP) {
    int to = f + GROUP < nframe ? f + GROUP : nframe;
    view_bytes_print(j, "%s{\"first\":%d,\"count\":%d,\"blob\":%d}", f ? "," : "", f, to - f,
                     p->nblob);
    status = add_group(p, r, f, to);
    view_progress(p->options->quiet, to, nframe);
  }
  view_bytes_print(j, "]}");
  if (!status && (j->failed || p->blobs.failed)) status = CSIM_MEMORY;
  return status;
}

// --------------------------------------------------------------------------------------- attempts

/// Largest side of the boxes of all parts.
static double diagonal(const page *p) {
  double most = 0;
  for (int r = 0; r < p->nrun; r++)
    for (int i = 0; i < p->reel[r].npart; i++) {
      const view_part *part = p->reel[r].part + i;
      for (int d = 0; d < 3; d++) most = fmax(most, part->hi[d] - part->lo[d]);
    }
  return most;
}

static csim_status try(page *p, const attempt *a) {
  const view_options *o = p->options;
  csim_status status = CSIM_OK;
  int thinner = a->thin != p->attempt.thin;
  p->attempt = *a;
  p->json.n = p->blobs.n = 0;
  p->nblob = 0;
  p->step = a->bits ? ldexp(diagonal(p), -a->bits) : 0;
  if (o->page.error >= 0) p->step = fmax(p->step, 2 * o->page.error);
  if (o->page.error == 0) p->step = 0;
  // steps are counted in 30 bits, and finer ones than floats have are of no use
  if (p->step > 0) p->step = fmax(p->step, ldexp(diagonal(p), -28));
  for (int r = 0; !status && r < p->nrun; r++) {
    int most = 0;
    for (int i = 0; i < p->reel[r].npart; i++)
      most = p->reel[r].part[i].original > most ? p->reel[r].part[i].original : most;
    if (o->page.decimate && o->page.decimate < most) most = o->page.decimate;
    if (thinner && a->thin > 1)
      status = view_reel_thin(&p->reel[r], most / a->thin > 64 ? most / a->thin : 64, p->log);
    if (r) view_bytes_print(&p->json, ",");
    if (!status) status = add_run(p, &p->reel[r]);
    if (too_large(p)) break;
  }
  return status;
}

static csim_status make_smaller_until_it_fits(page *p) {
  const view_options *o = p->options;
  csim_status status = CSIM_OK;
  p->attempt.thin = 1;
  for (int i = 0; i < NLADDER; i++) {
    // an error that was asked for is kept: no attempts at another
    if (o->page.error >= 0 && i > 0 && ladder[i].stride == 1) continue;
    status = try(p, ladder + i);
    if (status || !too_large(p)) break;
  }
  if (!status && too_large(p)) {
    csim_log_print(p->log, CSIM_ERROR, o->out,
                   "the page is over %g MB whatever is left out: choose frames (--frames A:B:S) or "
                   "allow more (--max-size)",
                   o->page.megabytes);
    return CSIM_INVALID;
  }
  const attempt *a = &p->attempt;
  if (!status && (a->bits || a->stride > 1 || a->thin > 1))
    csim_log_print(p->log, CSIM_WARNING, o->out,
                   "to stay under %g MB: positions within %.2g m, every %d. frame, %s vertices",
                   o->page.megabytes, p->step / 2, a->stride, a->thin > 1 ? "fewer" : "all");
  return status;
}

// ------------------------------------------------------------------------------------------
// writing

static void add_vec(view_bytes *b, const char *name, vec3 v) {
  const double list[3] = {v.x, v.y, v.z};
  view_bytes_print(b, ",\"%s\":", name);
  add_numbers(b, 3, list);
}

/// Everything before the blobs.
static void add_head(const page *p, const view_stage *s, view_bytes *b) {
  const view_options *o = p->options;
  const view_camera *c = &s->scene.camera;
  const char *name = strrchr(s->sequence->path, '/');
  double away = vec_dot(vec_sub(s->scene.centre, c->eye), c->forward);
  view_bytes_print(b, "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width\">\n"
                      "<title>clothview</title></head><body>\n"
                      "<script type=\"application/json\" id=\"scene\">{\"page\":1,\"title\":");
  view_bytes_quote(b, name && name[1] ? name + 1 : s->sequence->path);
  view_bytes_print(b, ",\"version\":\"" CSIM_VERSION "\",\"up\":%d,\"floor\":", s->scene.up);
  if (s->scene.has_floor)
    view_bytes_print(b, "%.17g", s->scene.floor_height);
  else
    view_bytes_print(b, "null");
  view_bytes_print(b, ",\"radius\":%.17g", s->scene.radius);
  add_vec(b, "centre", s->scene.centre);
  add_vec(b, "eye", c->eye);
  add_vec(b, "target", vec_along(c->eye, c->forward, away));
  view_bytes_print(b, ",\"slope\":%.9g,\"mode\":\"%s\",\"wire\":%s,\"crossings\":%s", c->slope_y,
                   view_mode_name[o->mode == VIEW_PRESSURE ? VIEW_CONTACT : o->mode],
                   o->wire ? "true" : "false", o->crossings ? "true" : "false");
  if (o->range.given) view_bytes_print(b, ",\"range\":[%.17g,%.17g]", s->range[0], s->range[1]);
  view_bytes_print(b, ",\"runs\":[");
  view_bytes_add(b, p->json.data, p->json.n);
  view_bytes_print(b, "]}</script>\n");
}

static csim_status write_file(const char *path, int n, const view_bytes *piece, csim_log *log) {
  size_t length = strlen(path) + 8;
  char *temporary = malloc(length);
  if (!temporary) return CSIM_MEMORY;
  snprintf(temporary, length, "%s.tmp", path);
  FILE *file = fopen(temporary, "wb");
  int ok = file != NULL;
  for (int i = 0; ok && i < n; i++) ok = fwrite(piece[i].data, 1, piece[i].n, file) == piece[i].n;
  if (file && fclose(file)) ok = 0;
  if (ok && rename(temporary, path)) ok = 0;
  if (!ok) {
    csim_log_print(log, CSIM_ERROR, path, "cannot write: %s", strerror(errno));
    unlink(temporary);
  }
  free(temporary);
  return ok ? CSIM_OK : CSIM_IO;
}

csim_status view_page_write(const view_stage *stage, const view_stage *other, csim_log *log,
                            view_written *written) {
  const view_options *o = stage->options;
  size_t bundle_size;
  const char *bundle = view_bundle(&bundle_size);
  if (!bundle) {
    csim_log_print(log, CSIM_ERROR, o->out,
                   "this clothview was built without the viewer: run `make view` (needs npm) "
                   "first; "
                   "PNG and MP4 need nothing");
    return CSIM_INVALID;
  }
  page p = {.options = o, .log = log, .nrun = other ? 2 : 1};
  view_bytes head = {0}, tail = {0};
  double bytes = o->page.megabytes * 1e6 - (double)bundle_size - 4096;
  p.limit = bytes > 0 ? (size_t)bytes : 0;
  csim_status status = view_reel_make(stage, o->page.decimate, log, &p.reel[0]);
  if (!status && other) status = view_reel_make(other, o->page.decimate, log, &p.reel[1]);
  if (!status) status = make_smaller_until_it_fits(&p);
  if (!status) {
    add_head(&p, stage, &head);
    view_bytes_print(&tail, "<script>");
    view_bytes_add(&tail, bundle, bundle_size);
    view_bytes_print(&tail, "</script>\n</body></html>\n");
    if (head.failed || tail.failed) status = CSIM_MEMORY;
  }
  if (!status) {
    const view_bytes piece[3] = {head, p.blobs, tail};
    status = write_file(o->out, 3, piece, log);
  }
  if (!status)
    *written = (view_written){(stage->nframe + p.attempt.stride - 1) / p.attempt.stride, 0, 0,
                              (long long)(head.n + p.blobs.n + tail.n)};
  view_reel_free(&p.reel[0]);
  if (p.nrun > 1) view_reel_free(&p.reel[1]);
  free(p.json.data);
  free(p.blobs.data);
  free(head.data);
  free(tail.data);
  return status;
}
