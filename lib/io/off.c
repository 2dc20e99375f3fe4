// io/off.c: see off.h.
#include "io/off.h"

#include "io/mesh_build.h"
#include "io/text.h"

#include <string.h>

typedef struct reader {
  csim_text t;
  csim_mesh_build b;
} reader;

// The keyword without what may stand before it, or NULL when the word is none.
static const char *keyword(const char *word, size_t length, int *other_dimension) {
  size_t n = 0;
  *other_dimension = 0;
  if (length - n >= 5 && !memcmp(word, "ST", 2)) n = 2;
  while (n < length && strchr("CN4n", word[n])) *other_dimension |= strchr("4n", word[n++]) != NULL;
  return length - n == 3 && !memcmp(word + n, "OFF", 3) ? word + n : NULL;
}

int csim_off_begins(const char *data, size_t size) {
  csim_text t = {data, data + size, 1};
  size_t length;
  int other;
  const char *word = csim_text_word(&t, &length);
  return length <= 8 && keyword(word, length, &other);
}

// Steps over blanks, line ends and comments.
static void skip(reader *r) {
  for (;;) {
    csim_text_skip_space(&r->t);
    if (r->t.p == r->t.end || *r->t.p != '#') return;
    csim_text_next_line(&r->t, 0);
  }
}

// A whole number from 0 to `most`. @return -1 after reporting an error
static int64_t read_count(reader *r, double most, const char *what) {
  double value;
  skip(r);
  if (csim_text_number(&r->t, &value) && value >= 0 && value <= most &&
      value == (double)(int64_t)value)
    return (int64_t)value;
  csim_mesh_build_fail(&r->b, r->t.line, "expected %s, a whole number from 0 to %.0f", what, most);
  return -1;
}

static void read_vertex(reader *r) {
  double x[3];
  skip(r);
  int64_t line = r->t.line;
  for (int k = 0; k < 3; k++) {
    csim_text_skip_blank(&r->t);
    if (csim_text_number(&r->t, &x[k])) continue;
    csim_mesh_build_fail(&r->b, line, "a vertex needs three finite numbers");
    return;
  }
  csim_text_next_line(&r->t, 0);
  csim_mesh_build_vertex(&r->b, line, x);
}

static void read_face(reader *r, int64_t nvert) {
  int64_t n = read_count(r, (double)nvert, "the number of a face's corners");
  int64_t line = r->t.line;
  for (int64_t k = 0; k < n && !r->b.status; k++) {
    int64_t v = read_count(r, CSIM_MESH_MAX_VERT, "a corner's vertex");
    if (v >= 0) csim_mesh_build_corner(&r->b, line, v, -1);
  }
  csim_text_next_line(&r->t, 0);
  csim_mesh_build_face(&r->b, line, -1);
}

// The line with the keyword. @return 0, or -1 after reporting an error
static int read_head(reader *r) {
  size_t length;
  int other;
  skip(r);
  const char *word = csim_text_word(&r->t, &length);
  if (!keyword(word, length, &other)) {
    csim_mesh_build_fail(&r->b, r->t.line, "an OFF file begins with the word OFF");
  } else if (other) {
    csim_mesh_build_fail(&r->b, r->t.line, "has vertices of four or more dimensions");
  } else {
    csim_text_skip_blank(&r->t);
    if (r->t.end - r->t.p >= 6 && !memcmp(r->t.p, "BINARY", 6))
      csim_mesh_build_fail(&r->b, r->t.line, "is binary OFF: save it as text, or as PLY");
  }
  return r->b.status ? -1 : 0;
}

csim_status csim_off_read(const char *path, const char *data, size_t size, csim_log *log,
                          csim_mesh *mesh) {
  reader r = {.t = {data, data + size, 1}, .b = {.path = path, .log = log}};
  if (!read_head(&r)) {
    int64_t nvert = read_count(&r, CSIM_MESH_MAX_VERT, "the number of vertices");
    int64_t nface = r.b.status ? -1 : read_count(&r, CSIM_MESH_MAX_FACE, "the number of faces");
    if (!r.b.status) csim_text_next_line(&r.t, 0); // the number of edges says nothing
    for (int64_t v = 0; v < nvert && !r.b.status; v++) read_vertex(&r);
    for (int64_t f = 0; f < nface && !r.b.status; f++) read_face(&r, nvert);
  }
  return csim_mesh_build_finish(&r.b, mesh);
}
