// io/ply.c: see ply.h.
#include "io/ply.h"

#include "base/bytes.h"
#include "base/number.h"
#include "io/mesh_build.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

enum { MAX_ELEMENT = 64, MAX_PROPERTY = 1024 };

typedef enum ply_type { I8, U8, I16, U16, I32, U32, F32, F64, NTYPE, NO_TYPE = NTYPE } ply_type;

static const int SIZE[NTYPE] = {1, 1, 2, 2, 4, 4, 4, 8}; // [bytes]

typedef enum ply_role { OTHER, X, Y, Z, U, V, INDICES } ply_role;

typedef struct property {
  ply_type type;
  ply_type count_type; // of a list's length; NO_TYPE for a single value
  ply_role role;
  int channel; // of a vertex: number of it in the mesh; -1: passed over
} property;

typedef enum ply_kind { SKIPPED, VERTEX, FACE, STRIPS } ply_kind;

typedef struct element {
  ply_kind kind;
  int64_t count;
  int first, nproperty;
  int has_uv; // vertices: both u and v
} element;

typedef struct reader {
  csim_text t; // in binary data only p and end have a meaning
  const char *data;
  csim_mesh_build b;
  enum { ASCII, LITTLE, BIG } format;
  int nelement, nproperty;
  element element[MAX_ELEMENT];
  property property[MAX_PROPERTY];
} reader;

static int64_t here(const reader *r) {
  return r->b.binary ? r->t.p - r->data : r->t.line;
}

static csim_status truncated(reader *r) {
  return csim_mesh_build_fail(&r->b, here(r),
                              "the file ends before all its elements: it is incomplete");
}

// --------------------------------------------------------------------------------------- header

static const char *next_word(reader *r, size_t *n) {
  while (r->t.p < r->t.end && csim_is_blank(*r->t.p)) r->t.p++;
  return csim_text_word(&r->t, n);
}

static ply_type read_type(reader *r) {
  static const char *const names[NTYPE][2] = {
      {"char", "int8"}, {"uchar", "uint8"}, {"short", "int16"},   {"ushort", "uint16"},
      {"int", "int32"}, {"uint", "uint32"}, {"float", "float32"}, {"double", "float64"}};
  size_t n;
  const char *word = next_word(r, &n);
  for (int i = 0; i < NTYPE; i++)
    if (csim_is_word(word, n, names[i][0]) || csim_is_word(word, n, names[i][1]))
      return (ply_type)i;
  csim_mesh_build_fail(&r->b, r->t.line, "'%.*s' is not a PLY type", n < 32 ? (int)n : 32, word);
  return NO_TYPE;
}

static ply_role find_role(ply_kind kind, int is_list, const char *word, size_t n) {
  static const struct {
    ply_kind kind;
    int is_list;
    const char *name;
    ply_role role;
  } known[] = {{VERTEX, 0, "x", X},
               {VERTEX, 0, "y", Y},
               {VERTEX, 0, "z", Z},
               {VERTEX, 0, "s", U},
               {VERTEX, 0, "t", V},
               {VERTEX, 0, "u", U},
               {VERTEX, 0, "v", V},
               {VERTEX, 0, "texture_u", U},
               {VERTEX, 0, "texture_v", V},
               {FACE, 1, "vertex_indices", INDICES},
               {FACE, 1, "vertex_index", INDICES},
               {STRIPS, 1, "vertex_indices", INDICES},
               {STRIPS, 1, "vertex_index", INDICES}};
  for (size_t i = 0; i < sizeof known / sizeof *known; i++)
    if (known[i].kind == kind && known[i].is_list == is_list &&
        csim_is_word(word, n, known[i].name))
      return known[i].role;
  return OTHER;
}

static int has_role(const reader *r, const element *e, ply_role role) {
  for (int i = 0; i < e->nproperty; i++)
    if (r->property[e->first + i].role == role) return 1;
  return 0;
}

static void read_property(reader *r) {
  if (!r->nelement) csim_mesh_build_fail(&r->b, r->t.line, "a property before the first element");
  if (r->nproperty == MAX_PROPERTY)
    csim_mesh_build_fail(&r->b, r->t.line, "more than %d properties", MAX_PROPERTY);
  if (r->b.status) return;
  element *e = &r->element[r->nelement - 1];
  property p = {.count_type = NO_TYPE, .channel = -1};
  csim_text before = r->t;
  size_t n;
  const char *word = next_word(r, &n);
  int is_list = csim_is_word(word, n, "list");
  if (is_list) {
    p.count_type = read_type(r);
    if (p.count_type == F32 || p.count_type == F64)
      csim_mesh_build_fail(&r->b, r->t.line, "the length of a list must be of an integer type");
  } else {
    r->t = before;
  }
  p.type = read_type(r);
  word = next_word(r, &n);
  p.role = find_role(e->kind, is_list, word, n);
  if (p.role == INDICES && (p.type == F32 || p.type == F64))
    csim_mesh_build_fail(&r->b, r->t.line, "vertex indices must be of an integer type");
  if (p.role != OTHER && has_role(r, e, p.role))
    csim_mesh_build_fail(&r->b, r->t.line, "the property '%.*s' comes twice", (int)n, word);
  if (e->kind == VERTEX && !is_list && p.role == OTHER && n)
    p.channel = csim_mesh_build_channel(&r->b, word, n);
  r->property[r->nproperty++] = p;
  e->nproperty++;
}

static void read_element(reader *r) {
  size_t n;
  const char *word = next_word(r, &n);
  element e = {.first = r->nproperty};
  if (csim_is_word(word, n, "vertex")) e.kind = VERTEX;
  if (csim_is_word(word, n, "face")) e.kind = FACE;
  if (csim_is_word(word, n, "tristrips")) e.kind = STRIPS;
  long long count = -1;
  while (r->t.p < r->t.end && csim_is_blank(*r->t.p)) r->t.p++;
  const char *after = csim_read_integer(r->t.p, r->t.end, &count);
  if (!after || count < 0) {
    csim_mesh_build_fail(&r->b, r->t.line, "an element needs a name and a number");
    return;
  }
  r->t.p = after;
  e.count = count;
  if ((e.kind == VERTEX && count > CSIM_MESH_MAX_VERT) ||
      (e.kind == FACE && count > CSIM_MESH_MAX_FACE))
    csim_mesh_build_fail(&r->b, r->t.line,
                         "%lld elements are beyond the limit of %d: split the mesh", count,
                         CSIM_MESH_MAX_VERT);
  for (int i = 0; i < r->nelement; i++)
    if (e.kind && r->element[i].kind == e.kind)
      csim_mesh_build_fail(&r->b, r->t.line, "the element '%.*s' comes twice", (int)n, word);
  if (r->nelement == MAX_ELEMENT)
    csim_mesh_build_fail(&r->b, r->t.line, "more than %d elements", MAX_ELEMENT);
  if (!r->b.status) r->element[r->nelement++] = e;
}

static void read_format(reader *r) {
  size_t n;
  const char *word = next_word(r, &n);
  if (csim_is_word(word, n, "ascii"))
    r->format = ASCII;
  else if (csim_is_word(word, n, "binary_little_endian"))
    r->format = LITTLE;
  else if (csim_is_word(word, n, "binary_big_endian"))
    r->format = BIG;
  else
    csim_mesh_build_fail(&r->b, r->t.line, "'%.*s' is not a PLY format", n < 32 ? (int)n : 32,
                         word);
}

// Steps over one line end. A lone \r ends lines only where all of the header does so: in binary
// data the byte behind "\r" may happen to be "\n".
static void end_line(reader *r, int lone_cr) {
  while (!csim_text_ended(&r->t)) r->t.p++;
  if (lone_cr && r->t.p < r->t.end && *r->t.p == '\r') {
    r->t.p++;
    r->t.line++;
  } else {
    csim_text_newline(&r->t);
  }
}

static void read_header(reader *r) {
  size_t n;
  const char *word = next_word(r, &n);
  if (!csim_is_word(word, n, "ply")) {
    csim_mesh_build_fail(&r->b, 1, "is not a PLY file: it does not begin with 'ply'");
    return;
  }
  int lone_cr = r->t.end - r->t.p >= 2 && r->t.p[0] == '\r' && r->t.p[1] != '\n';
  int has_format = 0;
  for (end_line(r, lone_cr); !r->b.status; end_line(r, lone_cr)) {
    if (r->t.p == r->t.end) {
      csim_mesh_build_fail(&r->b, r->t.line, "the header has no 'end_header'");
      return;
    }
    word = next_word(r, &n);
    if (csim_is_word(word, n, "end_header")) break;
    if (csim_is_word(word, n, "format")) {
      read_format(r);
      has_format = 1;
    } else if (csim_is_word(word, n, "element")) {
      read_element(r);
    } else if (csim_is_word(word, n, "property")) {
      read_property(r);
    } else if (n && !csim_is_word(word, n, "comment") && !csim_is_word(word, n, "obj_info")) {
      csim_mesh_build_fail(&r->b, r->t.line, "'%.*s' is not known in a PLY header",
                           n < 32 ? (int)n : 32, word);
    }
  }
  if (!has_format) csim_mesh_build_fail(&r->b, r->t.line, "the header has no 'format'");
  if (!r->b.status) end_line(r, lone_cr);
}

static void check_header(reader *r) {
  int has_face = 0;
  for (int i = 0; i < r->nelement; i++) {
    element *e = &r->element[i];
    if (e->kind == VERTEX) {
      if (!has_role(r, e, X) || !has_role(r, e, Y) || !has_role(r, e, Z))
        csim_mesh_build_fail(&r->b, 0, "its vertices have no x, y and z");
      e->has_uv = has_role(r, e, U) && has_role(r, e, V);
    }
    if (e->kind == FACE || e->kind == STRIPS) {
      has_face = 1;
      if (!has_role(r, e, INDICES))
        csim_mesh_build_fail(&r->b, 0, "its %s have no list 'vertex_indices'",
                             e->kind == FACE ? "faces" : "tristrips");
    }
  }
  if (!has_face)
    csim_mesh_build_fail(&r->b, 0,
                         "has no element 'face' or 'tristrips' (point clouds cannot be simulated): "
                         "export the mesh with its faces");
}

// ----------------------------------------------------------------------------------------- data

// One value of a vertex or face, as a double: integers of 32 bits are exact. Values that are not
// needed are skipped, whatever they are.
static double read_value(reader *r, ply_type type, int needed) {
  double value = 0;
  if (r->format == ASCII) {
    csim_text_skip_space(&r->t);
    size_t n;
    if (r->t.p == r->t.end)
      truncated(r);
    else if (!needed)
      csim_text_word(&r->t, &n);
    else if (!csim_text_number(&r->t, &value))
      csim_mesh_build_fail(&r->b, r->t.line, "expected a finite number");
    return value;
  }
  if (r->t.end - r->t.p < SIZE[type]) {
    truncated(r);
    return 0;
  }
  const unsigned char *p = (const unsigned char *)r->t.p;
  r->t.p += SIZE[type];
  unsigned char turned[8];
  if (r->format == BIG) {
    for (int i = 0; i < SIZE[type]; i++) turned[i] = p[SIZE[type] - 1 - i];
    p = turned;
  }
  switch (type) {
  case I8:
    return (int8_t)*p;
  case U8:
    return *p;
  case I16:
    return (int16_t)csim_load_u16(p);
  case U16:
    return csim_load_u16(p);
  case I32:
    return csim_load_i32(p);
  case U32:
    return csim_load_u32(p);
  case F32:
    return (double)csim_load_f32(p);
  default:
    return csim_load_f64(p);
  }
}

// A whole number that every integer type can hold; text may say more, or halves.
static int64_t read_whole(reader *r, ply_type type) {
  int64_t place = here(r);
  double value = read_value(r, type, 1);
  if (value >= -4294967296.0 && value <= 4294967296.0 && value == (double)(int64_t)value)
    return (int64_t)value;
  csim_mesh_build_fail(&r->b, place, "%g is not an index or a length", value);
  return 0;
}

static int64_t read_length(reader *r, const property *p) {
  int64_t place = here(r), n = read_whole(r, p->count_type);
  if (n < 0) csim_mesh_build_fail(&r->b, place, "a list of negative length");
  if (r->b.status) return 0;
  // every item takes at least one byte, so this bounds what a false length can cost
  if (n > r->t.end - r->t.p) truncated(r);
  return r->b.status ? 0 : n;
}

// A value of a channel: bytes are shares of 255, as of colours; what is no number is NAN.
static double read_channel(reader *r, ply_type type) {
  if (r->format == ASCII) {
    csim_text_skip_space(&r->t);
    size_t n;
    double value = NAN;
    if (r->t.p == r->t.end) truncated(r);
    const char *word = csim_text_word(&r->t, &n), *end = word + n;
    if (csim_read_number(word, end, &value) != end) value = NAN;
    return type == U8 ? value / 255 : value;
  }
  double value = read_value(r, type, 0);
  return type == U8 ? value / 255 : value;
}

static void skip_value(reader *r, const property *p) {
  int64_t n = p->count_type == NO_TYPE ? 1 : read_length(r, p);
  if (r->format == ASCII)
    for (; n > 0 && !r->b.status; n--) read_value(r, p->type, 0);
  else if (r->b.status || n > (r->t.end - r->t.p) / SIZE[p->type])
    truncated(r);
  else
    r->t.p += n * SIZE[p->type];
}

static void read_vertex(reader *r, const element *e) {
  int64_t place = here(r);
  double value[INDICES] = {0}, other[CSIM_MESH_MAX_CHANNEL] = {0}; // by role
  for (int i = 0; i < e->nproperty; i++) {
    const property *p = &r->property[e->first + i];
    if (p->channel >= 0)
      other[p->channel] = read_channel(r, p->type);
    else if (p->role == OTHER)
      skip_value(r, p);
    else
      value[p->role] = read_value(r, p->type, 1);
  }
  csim_mesh_build_vertex(&r->b, place, value + X);
  csim_mesh_build_values(&r->b, other);
  if (e->has_uv) csim_mesh_build_uv(&r->b, place, value + U);
}

static void read_face(reader *r, const element *e) {
  int64_t place = 0;
  for (int i = 0; i < e->nproperty && !r->b.status; i++) {
    const property *p = &r->property[e->first + i];
    if (p->role != INDICES) {
      skip_value(r, p);
      continue;
    }
    if (r->format == ASCII) csim_text_skip_space(&r->t); // so that the place is the face's line
    place = here(r);
    int64_t n = read_length(r, p);
    for (int64_t c = 0; c < n && !r->b.status; c++)
      csim_mesh_build_corner(&r->b, place, read_whole(r, p->type), -1);
  }
  csim_mesh_build_face(&r->b, place, -1);
}

// A strip: each vertex makes a triangle with the two before it, every other one turned; -1 begins a
// new strip. Triangles with a vertex twice only lead the strip elsewhere: they are left out.
static void read_strip(reader *r, const property *p) {
  int64_t place = here(r), n = read_length(r, p), last[2] = {0}, have = 0;
  for (int64_t c = 0; c < n && !r->b.status; c++) {
    int64_t v = read_whole(r, p->type);
    if (v < 0) {
      if (v != -1) csim_mesh_build_fail(&r->b, place, "a strip names vertex %lld", (long long)v);
      have = 0;
      continue;
    }
    if (have >= 2 && v != last[0] && v != last[1] && last[0] != last[1]) {
      int odd = (int)(have % 2);
      csim_mesh_build_corner(&r->b, place, last[odd], -1);
      csim_mesh_build_corner(&r->b, place, last[!odd], -1);
      csim_mesh_build_corner(&r->b, place, v, -1);
      csim_mesh_build_face(&r->b, place, -1);
    }
    last[0] = last[1];
    last[1] = v;
    have++;
  }
}

static void read_strips(reader *r, const element *e) {
  for (int i = 0; i < e->nproperty && !r->b.status; i++) {
    const property *p = &r->property[e->first + i];
    if (p->role != INDICES) {
      skip_value(r, p);
      continue;
    }
    if (r->format == ASCII) csim_text_skip_space(&r->t); // so that the place is the strip's line
    read_strip(r, p);
  }
}

static void read_elements(reader *r) {
  for (int i = 0; i < r->nelement && !r->b.status; i++) {
    const element *e = &r->element[i];
    if (e->nproperty == 0) continue; // takes no bytes, however many there are
    if (e->count > r->t.end - r->t.p) truncated(r);
    for (int64_t k = 0; k < e->count && !r->b.status; k++) {
      if (e->kind == VERTEX)
        read_vertex(r, e);
      else if (e->kind == FACE)
        read_face(r, e);
      else if (e->kind == STRIPS)
        read_strips(r, e);
      else
        for (int q = 0; q < e->nproperty; q++) skip_value(r, &r->property[e->first + q]);
    }
  }
}

csim_status csim_ply_read(const char *path, const char *data, size_t size, csim_log *log,
                          csim_mesh *mesh) {
  reader r = {.t = {.p = data, .end = data + size, .line = 1},
              .data = data,
              .b = {.path = path, .log = log}};
  read_header(&r);
  if (!r.b.status) check_header(&r);
  r.b.binary = r.format != ASCII;
  if (!r.b.status) read_elements(&r);
  // texture coordinates of vertices: every corner has that of its vertex
  if (r.b.nuv)
    for (ptrdiff_t c = 0; c < r.b.ncorner; c++) r.b.corner_uv[c] = r.b.corner[c];
  return csim_mesh_build_finish(&r.b, mesh);
}
