// io/obj.c: see obj.h.
#include "io/obj.h"

#include "io/mesh_build.h"
#include "io/text.h"
#include "mesh/tag.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NAME = 1000 };

typedef struct reader {
  csim_text t;
  csim_mesh_build b;
  char name[CSIM_TAG_KINDS][MAX_NAME + 1]; // in force
  int tag;                                 // of the names in force; -1 = none
  int renamed;                             // `tag` is out of date
} reader;

// The start of the word at the cursor, for messages.
static const char *excerpt(const csim_text *t, char text[33]) {
  size_t n = 0;
  for (const char *p = t->p; n < 32 && p < t->end && !csim_is_newline(*p) && !csim_is_blank(*p);
       p++)
    text[n++] = *p ? *p : '?';
  text[n] = 0;
  return text;
}

// Reads n numbers, at least `need` of them; the others stay as they are.
static void read_numbers(reader *r, const char *keyword, int need, int n, double *value) {
  char text[33];
  for (int k = 0; k < n; k++) {
    csim_text_skip_blank(&r->t);
    if (csim_text_number(&r->t, &value[k])) continue;
    if (k >= need && (csim_text_ended(&r->t) || *r->t.p == '#')) return;
    if (csim_text_ended(&r->t))
      csim_mesh_build_fail(&r->b, r->t.line, "'%s' needs %d numbers and has %d", keyword, need, k);
    else
      csim_mesh_build_fail(&r->b, r->t.line,
                           "'%s' is not a finite number (the decimal mark is a point)",
                           excerpt(&r->t, text));
    return;
  }
}

static void read_vertex(reader *r) {
  static const char *const colours[3] = {"red", "green", "blue"};
  double x[3] = {0}, colour[3];
  int64_t line = r->t.line;
  read_numbers(r, "v", 3, 3, x);
  csim_mesh_build_vertex(&r->b, line, x);
  // three more numbers are a colour, as many programs write it; one more is a weight of no use here
  for (int k = 0; k < 3; k++) {
    csim_text_skip_blank(&r->t);
    if (!csim_text_number(&r->t, &colour[k])) return;
  }
  for (int k = r->b.nchannel; k < 3; k++)
    if (csim_mesh_build_channel(&r->b, colours[k], strlen(colours[k])) < 0) return;
  csim_mesh_build_values(&r->b, colour);
}

static void read_uv(reader *r) {
  double uv[2] = {0};
  int64_t line = r->t.line;
  read_numbers(r, "vt", 1, 2, uv);
  csim_mesh_build_uv(&r->b, line, uv);
}

// One that is no vector is kept as none: nothing here depends on it.
static void read_normal(reader *r) {
  double n[3] = {0};
  for (int k = 0; k < 3; k++) {
    csim_text_skip_blank(&r->t);
    if (!csim_text_number(&r->t, &n[k])) n[0] = n[1] = n[2] = 0;
  }
  csim_mesh_build_normal(&r->b, r->t.line, n);
}

// Reads an integer of any length; large ones stop growing far beyond every limit.
static int read_index(csim_text *t, int64_t *value) {
  const char *p = t->p;
  int negative = p < t->end && *p == '-';
  if (p < t->end && (*p == '-' || *p == '+')) p++;
  if (p == t->end || *p < '0' || *p > '9') return 0;
  int64_t v = 0;
  for (; p < t->end && *p >= '0' && *p <= '9'; p++)
    if (v < (int64_t)1 << 40) v = 10 * v + (*p - '0');
  t->p = p;
  *value = negative ? -v : v;
  return 1;
}

// From the file's numbering (1 ..., or -1 = the last so far) to ours; 0 has no meaning there.
static int64_t resolve(reader *r, int64_t index, int count, const char *what) {
  if (index > 0) return index - 1;
  if (index < 0 && -index <= count) return count + index;
  if (index)
    csim_mesh_build_fail(&r->b, r->t.line, "%s %lld counts back beyond the first of %d", what,
                         (long long)index, count);
  else
    csim_mesh_build_fail(&r->b, r->t.line, "%s 0: OBJ counts from 1", what);
  return 0;
}

// One corner: v, v/vt, v//vn or v/vt/vn. Returns 0 when it is none of these.
static int read_corner(reader *r) {
  csim_text *t = &r->t;
  int64_t index[3] = {0};
  int given[3] = {0};
  for (int k = 0; k < 3; k++) {
    given[k] = read_index(t, &index[k]);
    if (k == 0 && !given[0]) return 0;
    if (t->p == t->end || *t->p != '/' || k == 2) break;
    t->p++;
  }
  if (!csim_text_ended(t) && !csim_is_blank(*t->p) && !csim_text_continues(t)) return 0;
  int64_t v = resolve(r, index[0], r->b.nvert, "vertex");
  int64_t uv = given[1] ? resolve(r, index[1], r->b.nuv, "texture coordinate") : -1;
  csim_mesh_build_corner(&r->b, t->line, v, uv);
  int64_t normal = index[2] < 0 ? r->b.normals.n + index[2] : index[2] - 1;
  if (given[2] && normal >= 0) csim_mesh_build_corner_normal(&r->b, normal);
  return 1;
}

// The tag for the names in force, made when a face first needs it.
static void update_tag(reader *r) {
  char text[CSIM_TAG_KINDS * (MAX_NAME + 10)];
  size_t n = 0;
  for (int k = 0; k < CSIM_TAG_KINDS; k++)
    if (r->name[k][0])
      n += (size_t)snprintf(text + n, sizeof text - n, "%s %s\n", csim_tag_keyword(k), r->name[k]);
  r->tag = csim_mesh_build_tag(&r->b, r->t.line, text, n);
  r->renamed = 0;
}

static void read_face(reader *r) {
  int64_t line = r->t.line;
  if (r->renamed) update_tag(r);
  for (;;) {
    csim_text_skip_blank(&r->t);
    if (csim_text_ended(&r->t) || *r->t.p == '#') break;
    csim_text word = r->t;
    if (!read_corner(r)) {
      char text[33];
      csim_mesh_build_fail(&r->b, word.line,
                           "'%s' is not a face corner (v, v/vt, v//vn or v/vt/vn)",
                           excerpt(&word, text));
      return;
    }
    if (r->b.status) return;
  }
  csim_mesh_build_face(&r->b, line, r->tag);
}

// The rest of the line without blanks around it.
static void read_name(reader *r, int kind) {
  size_t n;
  const char *name = csim_text_rest(&r->t, &n);
  if (n > MAX_NAME) {
    csim_mesh_build_fail(&r->b, r->t.line, "a name is longer than %d characters", MAX_NAME);
    return;
  }
  for (size_t i = 0; i < n; i++) r->name[kind][i] = name[i] ? name[i] : '?';
  r->name[kind][n] = 0;
  r->renamed = 1;
}

static void read_statement(reader *r) {
  size_t n;
  const char *word = csim_text_word(&r->t, &n);
  if (csim_is_word(word, n, "v"))
    read_vertex(r);
  else if (csim_is_word(word, n, "f"))
    read_face(r);
  else if (csim_is_word(word, n, "vt"))
    read_uv(r);
  else if (csim_is_word(word, n, "vn"))
    read_normal(r);
  else
    for (int kind = 0; kind < CSIM_TAG_KINDS; kind++)
      if (csim_is_word(word, n, csim_tag_keyword(kind))) {
        read_name(r, kind);
        break;
      }
}

csim_status csim_obj_read(const char *path, const char *data, size_t size, csim_log *log,
                          csim_mesh *mesh) {
  reader r = {.t = {.p = data, .end = data + size, .line = 1},
              .b = {.path = path, .log = log, .first_index = 1},
              .tag = -1};
  if (size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3)) r.t.p += 3; // byte order mark
  while (r.t.p < r.t.end && !r.b.status) {
    csim_text_skip_blank(&r.t);
    int comment = r.t.p < r.t.end && *r.t.p == '#';
    if (!comment) read_statement(&r);
    csim_text_next_line(&r.t, !comment);
  }
  return csim_mesh_build_finish(&r.b, mesh);
}
