// io/stl.c: see stl.h.
//
// Binary STL:
//   OFFSET  SIZE  DESCRIPTION
//   0       80    anything
//   80      4     number n of facets, u32, little-endian
//   84      50 n  facets: normal 3 f32, corners 3 x 3 f32, 2 bytes of attributes
#include "io/stl.h"

#include "base/bytes.h"
#include "io/mesh_build.h"
#include "io/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { HEADER = 84, FACET = 50, MAX_NAME = 1000 };

int csim_stl_is_binary(const char *data, size_t size) {
  return size >= HEADER && size == HEADER + FACET * (uint64_t)csim_load_u32(data + 80);
}

static void read_binary(csim_mesh_build *b, const char *data, size_t size) {
  b->binary = 1;
  for (size_t at = HEADER; at + FACET <= size && !b->status; at += FACET) {
    for (int c = 0; c < 3; c++) {
      const char *p = data + at + 12 + 12 * c;
      double x[3];
      for (int k = 0; k < 3; k++) x[k] = (double)csim_load_f32(p + 4 * k);
      csim_mesh_build_corner(b, (int64_t)at, b->nvert, -1);
      csim_mesh_build_vertex(b, (int64_t)at, x);
    }
    csim_mesh_build_face(b, (int64_t)at, -1);
  }
}

// ----------------------------------------------------------------------------------------- text

typedef struct reader {
  csim_text t;
  csim_mesh_build *b;
  int tag;
  int in_loop; // between "outer loop" and "endloop"
} reader;

// The rest of the line is the solid's name.
static void read_solid(reader *r) {
  size_t n;
  const char *name = csim_text_rest(&r->t, &n);
  if (n > MAX_NAME) n = MAX_NAME;
  char text[MAX_NAME + 8];
  int length = snprintf(text, sizeof text, "o %.*s\n", (int)n, name);
  r->tag = n ? csim_mesh_build_tag(r->b, r->t.line, text, (size_t)length) : -1;
}

static void read_corner(reader *r) {
  double x[3];
  int64_t line = r->t.line;
  for (int k = 0; k < 3; k++) {
    csim_text_skip_space(&r->t);
    if (csim_text_number(&r->t, &x[k])) continue;
    csim_mesh_build_fail(r->b, r->t.line, "a vertex needs three finite numbers");
    return;
  }
  csim_mesh_build_corner(r->b, line, r->b->nvert, -1);
  csim_mesh_build_vertex(r->b, line, x);
}

static int is_word(const char *word, size_t n, const char *keyword) {
  return strlen(keyword) == n && !strncasecmp(word, keyword, n);
}

// Reads one keyword and its operands. Numbers of a facet's normal are ignored, as they may be
// "nan".
static void read_statement(reader *r) {
  size_t n;
  const char *word = csim_text_word(&r->t, &n);
  if (is_word(word, n, "vertex")) {
    if (!r->in_loop)
      csim_mesh_build_fail(r->b, r->t.line, "a vertex outside of 'outer loop' and 'endloop'");
    read_corner(r);
  } else if (is_word(word, n, "loop")) {
    if (r->in_loop) csim_mesh_build_fail(r->b, r->t.line, "'endloop' is missing before this loop");
    r->in_loop = 1;
  } else if (is_word(word, n, "endloop")) {
    if (!r->in_loop) csim_mesh_build_fail(r->b, r->t.line, "'endloop' without a loop");
    r->in_loop = 0;
    csim_mesh_build_face(r->b, r->t.line, r->tag);
  } else if (is_word(word, n, "solid")) {
    read_solid(r);
  } else if (is_word(word, n, "endsolid")) {
    csim_text_next_line(&r->t, 0);
  } else if (r->in_loop) {
    csim_mesh_build_fail(r->b, r->t.line, "expected 'vertex' or 'endloop'");
  }
}

static void read_text(csim_mesh_build *b, const char *data, size_t size) {
  reader r = {.t = {.p = data, .end = data + size, .line = 1}, .b = b, .tag = -1};
  for (csim_text_skip_space(&r.t); r.t.p < r.t.end && !b->status; csim_text_skip_space(&r.t))
    read_statement(&r);
  if (r.in_loop)
    csim_mesh_build_fail(b, r.t.line, "the file ends within a facet: it is incomplete");
}

csim_status csim_stl_read(const char *path, const char *data, size_t size, csim_log *log,
                          csim_mesh *mesh) {
  csim_mesh_build b = {.path = path, .log = log};
  size_t skip = size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3) ? 3 : 0; // byte order mark
  if (csim_stl_is_binary(data, size))
    read_binary(&b, data, size);
  else if (size - skip >= 5 && !strncasecmp(data + skip, "solid", 5))
    read_text(&b, data + skip, size - skip);
  else if (size >= HEADER)
    csim_mesh_build_fail(&b, 0,
                         "is no text STL ('solid' does not come first) and no whole binary one: it "
                         "announces %u facets, but has %zu bytes",
                         csim_load_u32(data + 80), size);
  else
    csim_mesh_build_fail(&b, 0, "is too short for an STL file");
  int dropped = csim_mesh_build_weld(&b);
  if (dropped)
    csim_say(log, CSIM_WARNING, csim_in_file(path),
             "dropped %d facet%s with two corners at the same place", dropped,
             dropped == 1 ? "" : "s");
  return csim_mesh_build_finish(&b, mesh);
}
