// io/mesh_build.c: see mesh_build.h.
#include "io/mesh_build.h"

#include "mesh/triangulate.h"
#include "mesh/weld.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_TAG_BYTES = 1 << 26 };

csim_status csim_mesh_build_fail(csim_mesh_build *b, int64_t place, const char *format, ...) {
  if (b->status) return b->status;
  char text[512];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  csim_place where = {.file = b->path};
  if (b->binary && place) {
    csim_say(b->log, CSIM_ERROR, where, "at byte %lld: %s", (long long)place, text);
  } else {
    where.line = place > INT_MAX ? INT_MAX : (int)place;
    csim_say(b->log, CSIM_ERROR, where, "%s", text);
  }
  return b->status = CSIM_INVALID;
}

static void out_of_memory(csim_mesh_build *b) {
  if (b->status) return;
  csim_say(b->log, CSIM_ERROR, csim_in_file(b->path), "out of memory for the mesh");
  b->status = CSIM_MEMORY;
}

// Ensures a capacity of `need` elements in one of the arrays. -1 after any failure.
static int grow(csim_mesh_build *b, void *array, ptrdiff_t *capacity, ptrdiff_t need, size_t size) {
  if (b->status) return -1;
  if (need <= *capacity) return 0;
  if (!csim_grow_pointer(array, capacity, need, size)) return 0;
  out_of_memory(b);
  return -1;
}

void csim_mesh_build_vertex(csim_mesh_build *b, int64_t place, const double x[3]) {
  for (int k = 0; k < 3; k++)
    if (!(x[k] >= -CSIM_MESH_MAX_COORDINATE && x[k] <= CSIM_MESH_MAX_COORDINATE)) {
      csim_mesh_build_fail(b, place,
                           "vertex %d has the coordinate %g: it must be finite and below 1e18",
                           b->nvert + b->first_index, x[k]);
      return;
    }
  if (b->nvert == CSIM_MESH_MAX_VERT)
    csim_mesh_build_fail(b, place, "more than %d vertices: split the mesh", CSIM_MESH_MAX_VERT);
  if (grow(b, &b->vert, &b->capacity.vert, 3 * ((ptrdiff_t)b->nvert + 1), sizeof *b->vert)) return;
  memcpy(b->vert + csim_xyz(b->nvert++), x, 3 * sizeof *x);
}

void csim_mesh_build_uv(csim_mesh_build *b, int64_t place, const double uv[2]) {
  if (!(uv[0] - uv[0] == 0 && uv[1] - uv[1] == 0))
    csim_mesh_build_fail(b, place, "a texture coordinate is not a finite number");
  if (b->nuv == CSIM_MESH_MAX_VERT)
    csim_mesh_build_fail(b, place, "more than %d texture coordinates", CSIM_MESH_MAX_VERT);
  if (grow(b, &b->uv, &b->capacity.uv, 2 * ((ptrdiff_t)b->nuv + 1), sizeof *b->uv)) return;
  memcpy(b->uv + csim_row(2, b->nuv++), uv, 2 * sizeof *uv);
}

void csim_mesh_build_normal(csim_mesh_build *b, int64_t place, const double normal[3]) {
  if (b->normals.n == CSIM_MESH_MAX_VERT)
    csim_mesh_build_fail(b, place, "more than %d normals", CSIM_MESH_MAX_VERT);
  if (grow(b, &b->normals.normal, &b->capacity.normal, 3 * ((ptrdiff_t)b->normals.n + 1),
           sizeof *b->normals.normal))
    return;
  memcpy(b->normals.normal + csim_xyz(b->normals.n++), normal, 3 * sizeof *normal);
}

int csim_mesh_build_channel(csim_mesh_build *b, const char *name, size_t length) {
  if (b->nchannel == CSIM_MESH_MAX_CHANNEL || b->status) return -1;
  char *copy = csim_arena_alloc(&b->arena, (ptrdiff_t)length + 1, 1);
  if (!copy) {
    out_of_memory(b);
    return -1;
  }
  memcpy(copy, name, length);
  b->channel[b->nchannel] = copy;
  return b->nchannel++;
}

void csim_mesh_build_values(csim_mesh_build *b, const double *value) {
  ptrdiff_t n = b->nchannel, at = n * b->nvalue;
  if (n == 0 || grow(b, &b->value, &b->capacity.value, at + n, sizeof *b->value)) return;
  memcpy(b->value + at, value, (size_t)n * sizeof *value);
  b->nvalue++;
}

static int clamp_index(int64_t i) {
  return i < INT_MIN ? INT_MIN : i > INT_MAX ? INT_MAX : (int)i;
}

void csim_mesh_build_corner(csim_mesh_build *b, int64_t place, int64_t vert, int64_t uv) {
  if (b->ncorner == CSIM_MESH_MAX_CORNER)
    csim_mesh_build_fail(b, place, "more than %d face corners: split the mesh",
                         CSIM_MESH_MAX_CORNER);
  if (grow(b, &b->corner, &b->capacity.corner, b->ncorner + 1, sizeof *b->corner) ||
      grow(b, &b->corner_uv, &b->capacity.corner_uv, b->ncorner + 1, sizeof *b->corner_uv))
    return;
  b->corner[b->ncorner] = clamp_index(vert);
  b->corner_uv[b->ncorner++] = clamp_index(uv);
}

void csim_mesh_build_corner_normal(csim_mesh_build *b, int64_t normal) {
  if (grow(b, &b->normals.corner, &b->capacity.corner_normal, b->ncorner,
           sizeof *b->normals.corner))
    return;
  while (b->normals.ncorner < b->ncorner) b->normals.corner[b->normals.ncorner++] = -1;
  if (b->ncorner) b->normals.corner[b->ncorner - 1] = clamp_index(normal);
}

void csim_mesh_build_face(csim_mesh_build *b, int64_t place, int tag) {
  ptrdiff_t start = b->nface && b->face_end ? b->face_end[b->nface - 1] : 0;
  if (b->ncorner - start < 3)
    csim_mesh_build_fail(b, place, "a face has %d corner%s: it needs at least 3; remove it",
                         (int)(b->ncorner - start), b->ncorner - start == 1 ? "" : "s");
  if (b->nface == CSIM_MESH_MAX_FACE)
    csim_mesh_build_fail(b, place, "more than %d faces: split the mesh", CSIM_MESH_MAX_FACE);
  ptrdiff_t need = (ptrdiff_t)b->nface + 1;
  if (grow(b, &b->face_end, &b->capacity.face_end, need, sizeof *b->face_end) ||
      grow(b, &b->face_tag, &b->capacity.face_tag, need, sizeof *b->face_tag) ||
      grow(b, &b->face_place, &b->capacity.face_place, need, sizeof *b->face_place))
    return;
  b->face_end[b->nface] = (int)b->ncorner;
  b->face_tag[b->nface] = tag;
  b->face_place[b->nface++] = place;
}

// ----------------------------------------------------------------------------------------- tags

typedef struct wanted_tag {
  const csim_mesh_tags *tags;
  const char *text;
  size_t length;
} wanted_tag;

static int is_tag(const void *wanted, int number) {
  const wanted_tag *w = wanted;
  const char *tag = w->tags->tag[number];
  return strlen(tag) == w->length && !memcmp(tag, w->text, w->length);
}

static int *find_tag(const csim_mesh_tags *tags, const char *text, size_t length) {
  return csim_hash_table_find(&tags->table, csim_hash_text(CSIM_HASH_START, text, length), is_tag,
                              &(wanted_tag){tags, text, length});
}

// Makes room for one more tag in the table. Returns 0 when out of memory.
static int grow_table(csim_mesh_build *b) {
  csim_mesh_tags *tags = &b->tags;
  ptrdiff_t need = (ptrdiff_t)tags->n + 1;
  if (2 * need <= tags->table.size) return 1;
  if (csim_hash_table_begin(&tags->table, 2 * need)) {
    out_of_memory(b);
    return 0;
  }
  for (int i = 0; i < tags->n; i++) *find_tag(tags, tags->tag[i], strlen(tags->tag[i])) = 1 + i;
  return 1;
}

int csim_mesh_build_tag(csim_mesh_build *b, int64_t place, const char *text, size_t length) {
  if (b->status || !length || !grow_table(b)) return -1;
  int *slot = find_tag(&b->tags, text, length);
  if (*slot) return *slot - 1;
  // names repeat in every combination of object, group and material: a small file could ask for
  // much
  if (length > MAX_TAG_BYTES - b->tags.bytes)
    csim_mesh_build_fail(b, place, "too many groups and materials: merge some");
  if (grow(b, &b->tags.tag, &b->tags.capacity, (ptrdiff_t)b->tags.n + 1, sizeof *b->tags.tag))
    return -1;
  char *copy = csim_arena_alloc(&b->arena, (ptrdiff_t)length + 1, 1);
  if (!copy) {
    out_of_memory(b);
    return -1;
  }
  memcpy(copy, text, length);
  b->tags.bytes += length;
  b->tags.tag[b->tags.n] = copy;
  *slot = ++b->tags.n;
  return b->tags.n - 1;
}

// ----------------------------------------------------------------------------------------- weld

static int has_repeat(const int *v, ptrdiff_t n) {
  for (ptrdiff_t i = 1; i < n; i++)
    for (ptrdiff_t j = 0; j < i; j++)
      if (v[i] == v[j]) return 1;
  return 0;
}

int csim_mesh_build_weld(csim_mesh_build *b) {
  if (b->status) return 0;
  int *first = CSIM_NEW(int, b->nvert);
  if (!first || csim_weld(b->nvert, b->vert, first)) {
    free(first);
    out_of_memory(b);
    return 0;
  }
  // first[v] becomes the new number; the first of its place always has its own already
  int nvert = 0;
  for (int v = 0; v < b->nvert; v++) {
    if (first[v] < v) {
      first[v] = first[first[v]];
      continue;
    }
    memmove(b->vert + csim_xyz(nvert), b->vert + csim_xyz(v), 3 * sizeof *b->vert);
    first[v] = nvert++;
  }
  b->nvert = nvert;
  ptrdiff_t kept = 0, start = 0;
  int nface = 0, ndropped = 0;
  for (int f = 0; f < b->nface; f++) {
    ptrdiff_t n = b->face_end[f] - start;
    for (ptrdiff_t c = 0; c < n; c++) b->corner[kept + c] = first[b->corner[start + c]];
    start = b->face_end[f];
    if (n == 3 && has_repeat(b->corner + kept, n)) {
      ndropped++;
      continue;
    }
    kept += n;
    b->face_end[nface] = (int)kept;
    b->face_tag[nface] = b->face_tag[f];
    b->face_place[nface++] = b->face_place[f];
  }
  b->nface = nface;
  b->ncorner = kept;
  free(first);
  return ndropped;
}

// --------------------------------------------------------------------------------------- finish

static void check_face(csim_mesh_build *b, int f, const int *corner, const int *uv, int n,
                       int *stamp) {
  int64_t place = b->face_place[f];
  for (int c = 0; c < n && !b->status; c++) {
    int v = corner[c];
    if (v < 0 || v >= b->nvert) {
      csim_mesh_build_fail(
          b, place,
          "a face uses vertex %lld, but the file has vertices %d to %d only: it is "
          "damaged or incomplete",
          (long long)v + b->first_index, b->first_index, b->nvert - 1 + b->first_index);
    } else if (stamp[v] == f + 1) {
      csim_mesh_build_fail(b, place, "a face uses vertex %d twice: remove the face or the corner",
                           v + b->first_index);
    } else if (uv[c] < -1 || uv[c] >= b->nuv) {
      csim_mesh_build_fail(b, place,
                           "a face uses texture coordinate %lld, but the file has %d of them",
                           (long long)uv[c] + b->first_index, b->nuv);
    } else {
      stamp[v] = f + 1;
    }
  }
}

static void check_faces(csim_mesh_build *b) {
  int *stamp = CSIM_NEW(int, b->nvert); // 1 + last face that used the vertex
  if (!stamp) {
    out_of_memory(b);
    return;
  }
  for (int f = 0, start = 0; f < b->nface && !b->status; start = b->face_end[f++])
    check_face(b, f, b->corner + start, b->corner_uv + start, b->face_end[f] - start, stamp);
  free(stamp);
}

static void *keep(csim_mesh_build *b, const void *array, ptrdiff_t n, size_t size) {
  void *copy = csim_arena_alloc(&b->arena, n, size);
  return copy && n ? memcpy(copy, array, (size_t)n * size) : copy;
}

static void keep_channels(csim_mesh_build *b, csim_mesh *m) {
  if (b->nchannel == 0 || b->nvalue != b->nvert) return;
  m->channels.item = CSIM_ARENA_NEW(&b->arena, csim_mesh_channel, b->nchannel);
  for (int k = 0; k < b->nchannel && m->channels.item; k++) {
    double *value = CSIM_ARENA_NEW(&b->arena, double, b->nvert);
    m->channels.item[m->channels.n++] = (csim_mesh_channel){b->channel[k], value};
    for (ptrdiff_t i = 0; i < b->nvert && value; i++) value[i] = b->value[b->nchannel * i + k];
  }
}

static void make_mesh(csim_mesh_build *b, csim_mesh *mesh) {
  csim_mesh m = {.nvert = b->nvert, .nface = b->nface, .nuv = b->nuv, .ntag = b->tags.n};
  m.vert = keep(b, b->vert, csim_xyz(b->nvert), sizeof *b->vert);
  m.face_vert = keep(b, b->corner, b->ncorner, sizeof *b->corner);
  m.face_start = csim_arena_alloc(&b->arena, (ptrdiff_t)b->nface + 1, sizeof *m.face_start);
  if (m.face_start) memcpy(m.face_start + 1, b->face_end, (size_t)b->nface * sizeof(int));
  if (m.nuv) {
    m.uv = keep(b, b->uv, csim_row(2, b->nuv), sizeof *b->uv);
    m.face_uv = keep(b, b->corner_uv, b->ncorner, sizeof *b->corner_uv);
  }
  if (m.ntag) {
    m.tag = keep(b, b->tags.tag, b->tags.n, sizeof *b->tags.tag);
    m.face_tag = keep(b, b->face_tag, b->nface, sizeof *b->face_tag);
  }
  keep_channels(b, &m);
  m.arena = b->arena;
  b->arena = (csim_arena){0};
  *mesh = m;
  if (m.arena.failed) out_of_memory(b);
}

csim_status csim_mesh_build_finish(csim_mesh_build *b, csim_mesh *mesh) {
  *mesh = (csim_mesh){0};
  if (!b->nvert)
    csim_mesh_build_fail(b, 0, "has no vertices: it must be an OBJ, OFF, PLY or STL mesh");
  if (!b->nface) csim_mesh_build_fail(b, 0, "has no faces: export the mesh with its faces");
  if (!b->status) check_faces(b);
  if (!b->status) make_mesh(b, mesh);
  if (!b->status && csim_mesh_build_look(b, mesh)) out_of_memory(b);
  free(b->vert);
  free(b->value);
  free(b->uv);
  free(b->normals.normal);
  free(b->normals.corner);
  free(b->corner);
  free(b->corner_uv);
  free(b->face_end);
  free(b->face_tag);
  free(b->face_place);
  free(b->tags.tag);
  csim_hash_table_free(&b->tags.table);
  csim_arena_free(&b->arena);
  if (!b->status) b->status = csim_mesh_triangulate(mesh, csim_in_file(b->path), b->log);
  if (b->status) csim_mesh_free(mesh);
  return b->status;
}
