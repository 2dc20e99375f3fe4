// cache/abc_faces.c: faces, texture coordinates, normals, colours and face sets of an Alembic mesh.
// See abc_mesh.h.
#include "cache/abc_mesh.h"
#include "io/mesh_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Values of the corners or vertices of a mesh, in order or by index.
typedef struct param {
  uint64_t n, nindex;
  int width;
  double *value; // (n x width)
  int *index;    // (nindex) NULL: in order
  int by_vertex;
} param;

/// Arrays of a mesh while it is put together, on the heap.
typedef struct faces {
  csim_abc *abc;
  const csim_abc_mesh *mesh;
  uint64_t nface, ncorner, nvert;
  int *count, *corner;
  double *vert;
  param uv, normals, colours;
  int nset;
  const char **set; // (nset) names of face sets
  int *face_start;  // (nface + 1) where a face's sets begin in `face_set`
  int *face_set;
  double time, slack;
} faces;

static csim_status refuse(const faces *f, const char *what) {
  return csim_refuse(f->abc->file.log, csim_in_file(f->abc->file.path), "\"%s\": %s", f->mesh->path,
                     what);
}

// The first sample of an array of integers.
static csim_status read_integers(const faces *f, const csim_abc_property *p, uint64_t most,
                                 uint64_t *n, int **value) {
  csim_status status = csim_abc_length(f->abc, p, 0, n);
  if (status) return status;
  if (*n > most) return refuse(f, "has too many faces: split the mesh");
  *value = CSIM_NEW(int, (ptrdiff_t)*n);
  return *value ? csim_abc_integers(f->abc, p, 0, *n, *value) : csim_abc_memory(f->abc);
}

static csim_status read_arrays(faces *f) {
  const csim_abc_mesh *m = f->mesh;
  if (!m->points || !m->counts || !m->corners)
    return refuse(f, "has no faces or no points that can be read");
  csim_status status = read_integers(f, m->counts, CSIM_MESH_MAX_FACE, &f->nface, &f->count);
  if (!status) status = read_integers(f, m->corners, (uint64_t)1 << 29, &f->ncorner, &f->corner);
  if (!status) status = csim_abc_length(f->abc, m->points, 0, &f->nvert);
  if (status) return status;
  if (f->nvert % 3) return csim_ogawa_damaged(&f->abc->file, "points that are not in space");
  f->nvert /= 3;
  if (f->nvert > CSIM_MESH_MAX_VERT) return refuse(f, "has too many vertices: split the mesh");
  f->vert = CSIM_NEW(double, 3 * (ptrdiff_t)f->nvert);
  if (!f->vert) return csim_abc_memory(f->abc);
  uint64_t sum = 0;
  for (uint64_t k = 0; k < f->nface; k++) {
    if (f->count[k] < 0 || (uint64_t)f->count[k] > f->ncorner) sum = f->ncorner + 1;
    sum += sum <= f->ncorner ? (uint64_t)f->count[k] : 0;
  }
  return sum == f->ncorner ? CSIM_OK : refuse(f, "the corners of its faces do not add up");
}

// Values for each corner or each vertex, in order or by index, of the sample at a time.
// @param values  NULL: there are none
static csim_status read_param(faces *f, const csim_abc_property *values,
                              const csim_abc_property *index, const char *what, param *p) {
  double share;
  if (!values) return CSIM_OK;
  uint32_t at = csim_abc_at(values, f->time, f->slack, &share);
  uint64_t length, width = (uint64_t)p->width;
  csim_status status = csim_abc_length(f->abc, values, at, &length);
  if (!status && index) status = read_integers(f, index, (uint64_t)1 << 29, &p->nindex, &p->index);
  if (status) return status;
  uint64_t n = index ? p->nindex : length / width;
  p->by_vertex = n == f->nvert && n != f->ncorner;
  if (length % width || length / width > CSIM_MESH_MAX_VERT || (n != f->ncorner && n != f->nvert)) {
    csim_say(f->abc->file.log, CSIM_WARNING, csim_in_file(f->abc->file.path),
             "\"%s\": its %s are not by corner or vertex, and are left out", f->mesh->path, what);
    return CSIM_OK;
  }
  p->value = CSIM_NEW(double, (ptrdiff_t)length);
  if (!p->value) return csim_abc_memory(f->abc);
  status = csim_abc_doubles(f->abc, values, at, length, p->value);
  p->n = length / width;
  return status;
}

// The value of a corner, -1 = none. A vertex out of range is refused with its face.
static int64_t value_of(const param *p, uint64_t corner, int vert) {
  int64_t k = p->by_vertex ? vert : (int64_t)corner;
  if (p->n && p->index) k = k >= 0 && (uint64_t)k < p->nindex ? p->index[k] : -1;
  return p->n ? k : -1;
}

static csim_status read_look(faces *f) {
  const csim_abc_mesh *m = f->mesh;
  f->uv.width = 2;
  f->normals.width = 3;
  f->colours.width = m->colours ? m->colours->extent : 0;
  csim_status status = read_param(f, m->uv, m->uv_index, "texture coordinates", &f->uv);
  if (!status) status = read_param(f, m->normals, m->normal_index, "normals", &f->normals);
  if (!status && (f->colours.width == 3 || f->colours.width == 4))
    status = read_param(f, m->colours, m->colour_index, "colours", &f->colours);
  if (!status)
    status =
        csim_abc_mesh_turn(f->abc, m, f->time, f->slack, (ptrdiff_t)f->normals.n, f->normals.value);
  for (uint64_t i = 0; i < 3 * f->normals.n && !status; i++) // of damaged files
    if (!(fabs(f->normals.value[i]) < 1e30)) f->normals.value[i] = 0;
  return status;
}

// ---------------------------------------------------------------------------------------- face
// sets

/// Face sets of the mesh, the faces of each.
typedef struct sets {
  int n;
  const char **name;
  int **face;
  uint64_t *nface;
} sets;

static csim_status read_set(const faces *f, int object, sets *s) {
  csim_abc_compound own, inner = {0};
  csim_status status = csim_abc_own_properties(f->abc, object, &own);
  const csim_abc_property *p = status ? NULL : csim_abc_find(&own, ".faceset", CSIM_ABC_COMPOUND);
  if (p) status = csim_abc_properties(f->abc, p, &inner);
  p = status ? NULL : csim_abc_find(&inner, ".faces", CSIM_ABC_ARRAY);
  if (!p) return status;
  status = read_integers(f, p, CSIM_MESH_MAX_FACE, &s->nface[s->n], &s->face[s->n]);
  for (uint64_t k = 0; k < s->nface[s->n] && !status; k++)
    if (s->face[s->n][k] < 0 || (uint64_t)s->face[s->n][k] >= f->nface)
      status = refuse(f, "a face set has a face that is not there");
  s->name[s->n++] = f->abc->object[object].name;
  return status;
}

// The sets of each face, in order.
static csim_status sort_sets(faces *f, const sets *s) {
  uint64_t total = 0;
  for (int k = 0; k < s->n; k++) total += s->nface[k];
  if (!total) return CSIM_OK;
  if (total > (uint64_t)1 << 29) return refuse(f, "its face sets are too large");
  f->face_start = CSIM_NEW(int, (ptrdiff_t)f->nface + 2);
  f->face_set = CSIM_NEW(int, (ptrdiff_t)total);
  if (!f->face_start || !f->face_set) return csim_abc_memory(f->abc);
  for (int k = 0; k < s->n; k++)
    for (uint64_t i = 0; i < s->nface[k]; i++) f->face_start[s->face[k][i] + 2]++;
  for (uint64_t i = 1; i <= f->nface; i++) f->face_start[i + 1] += f->face_start[i];
  for (int k = 0; k < s->n; k++)
    for (uint64_t i = 0; i < s->nface[k]; i++) f->face_set[f->face_start[s->face[k][i] + 1]++] = k;
  return CSIM_OK;
}

static csim_status read_sets(faces *f) {
  enum { MOST = 4096 };
  csim_abc *abc = f->abc;
  sets s = {0};
  const csim_abc_object *own = &abc->object[f->mesh->object];
  int n = 0, end = own->child + own->nchild;
  for (int i = own->child; i < end; i++) n += csim_abc_is(&abc->object[i], "AbcGeom_FaceSet");
  if (!n) return CSIM_OK;
  if (n > MOST) return refuse(f, "has more than 4096 face sets");
  s.name = CSIM_ARENA_NEW(abc->arena, const char *, n);
  s.face = CSIM_NEW(int *, n);
  s.nface = CSIM_NEW(uint64_t, n);
  csim_status status = s.name && s.face && s.nface ? CSIM_OK : csim_abc_memory(abc);
  for (int i = own->child; i < end && !status; i++)
    if (csim_abc_is(&abc->object[i], "AbcGeom_FaceSet")) status = read_set(f, i, &s);
  f->set = s.name;
  f->nset = s.n;
  if (!status) status = sort_sets(f, &s);
  for (int k = 0; k < n && s.face; k++) free(s.face[k]);
  free(s.face);
  free(s.nface);
  return status;
}

// "g NAME NAME\n", blanks in names as _; -1: in no set. What does not fit is left out.
static int tag_of(const faces *f, uint64_t face, csim_mesh_build *b) {
  enum { MOST = 4000 };
  char text[MOST + 8] = "g";
  size_t n = 1;
  if (!f->face_start || f->face_start[face] == f->face_start[face + 1]) return -1;
  for (int k = f->face_start[face]; k < f->face_start[face + 1]; k++) {
    const char *name = f->set[f->face_set[k]];
    size_t m = strlen(name);
    if (n + 1 + m > MOST) break;
    text[n++] = ' ';
    for (size_t i = 0; i < m; i++) text[n++] = (unsigned char)name[i] <= ' ' ? '_' : name[i];
  }
  text[n++] = '\n';
  return csim_mesh_build_tag(b, 0, text, n);
}

// -----------------------------------------------------------------------------------------
// together

// Colours by vertex, from corners where all those of a vertex have the same. NULL: none.
static double *vertex_colours(const faces *f) {
  const param *p = &f->colours;
  double *colour = p->n ? CSIM_NEW(double, 3 * (ptrdiff_t)f->nvert) : NULL;
  for (uint64_t i = 0; i < 3 * f->nvert && colour; i++) colour[i] = NAN;
  for (uint64_t c = 0; c < f->ncorner && colour; c++) {
    int64_t vert = f->corner[c], k = value_of(p, c, f->corner[c]);
    if (vert < 0 || (uint64_t)vert >= f->nvert || k < 0 || k >= (int64_t)p->n) continue;
    for (int part = 0; part < 3; part++) {
      double value = fmin(p->value[k * p->width + part], 1), *to = colour + 3 * vert + part;
      if (!isnan(*to) && fabs(*to - value) > 1e-6) {
        csim_say(f->abc->file.log, CSIM_WARNING, csim_in_file(f->abc->file.path),
                 "\"%s\": its colours differ between corners of a vertex, and are left out",
                 f->mesh->path);
        free(colour);
        return NULL;
      }
      *to = value;
    }
  }
  return colour;
}

static void build_vertices(const faces *f, csim_mesh_build *b) {
  static const char *const names[3] = {"red", "green", "blue"};
  double *colour = vertex_colours(f);
  for (int k = 0; k < 3 && colour; k++) csim_mesh_build_channel(b, names[k], strlen(names[k]));
  for (uint64_t i = 0; i < f->nvert; i++) {
    csim_mesh_build_vertex(b, 0, f->vert + 3 * i);
    if (colour) csim_mesh_build_values(b, colour + 3 * i);
  }
  free(colour);
}

// The texture coordinate of each corner, in the mesh's own order of corners. -1: one is not there.
static int set_corners(const faces *f, const param *p, int *out) {
  for (uint64_t k = 0, start = 0; k < f->nface; start += (uint64_t)f->count[k++])
    for (uint64_t c = start + (uint64_t)f->count[k]; c-- > start;) {
      int64_t value = value_of(p, c, f->corner[c]);
      if (value < -1 || value >= (int64_t)p->n) return -1;
      *out++ = (int)value;
    }
  return 0;
}

// A further set of texture coordinates. One that is not of this mesh is left out (reported).
static csim_status read_uv_set(faces *f, const csim_abc_uv_set *from, csim_mesh *mesh) {
  param p = {.width = 2};
  csim_uv_set *set = &mesh->look.uv_set[mesh->look.nuv_set];
  csim_status status = read_param(f, from->values, from->index, "further texture coordinates", &p);
  int bad = 0;
  if (status || !p.n) goto done;
  *set = (csim_uv_set){.name = csim_arena_copy(&mesh->arena, from->name), .n = (int)p.n};
  double *uv = CSIM_ARENA_NEW(&mesh->arena, double, 2 * (ptrdiff_t)p.n);
  int *corner = CSIM_ARENA_NEW(&mesh->arena, int, (ptrdiff_t)f->ncorner);
  status = mesh->arena.failed ? csim_abc_memory(f->abc) : CSIM_OK;
  if (status) goto done;
  memcpy(uv, p.value, 2 * (size_t)p.n * sizeof *uv);
  bad = strlen(from->name) > 255 || set_corners(f, &p, corner);
  for (uint64_t i = 0; i < 2 * p.n; i++) bad |= !isfinite(uv[i]);
  for (int k = 0; k < mesh->look.nuv_set; k++)
    bad |= !strcmp(mesh->look.uv_set[k].name, from->name);
  set->uv = uv;
  set->face_uv = corner;
  mesh->look.nuv_set += !bad;
  if (bad)
    csim_say(f->abc->file.log, CSIM_WARNING, csim_in_file(f->abc->file.path),
             "\"%s\": its texture coordinates \"%.64s\" are damaged, and are left out",
             f->mesh->path, from->name);
done:
  free(p.value);
  free(p.index);
  return status;
}

static csim_status read_uv_sets(faces *f, csim_mesh *mesh) {
  const csim_abc_mesh *m = f->mesh;
  int n = m->nuv_set < CSIM_CACHE_MAX_UV_SET ? m->nuv_set : CSIM_CACHE_MAX_UV_SET;
  if (n < m->nuv_set)
    csim_say(f->abc->file.log, CSIM_WARNING, csim_in_file(f->abc->file.path),
             "\"%s\" has %d further sets of texture coordinates: only 64 are read", m->path,
             m->nuv_set);
  mesh->look.uv_set = n ? CSIM_ARENA_NEW(&mesh->arena, csim_uv_set, n) : NULL;
  if (n && !mesh->look.uv_set) return csim_abc_memory(f->abc);
  csim_status status = CSIM_OK;
  for (int k = 0; k < n && !status; k++) status = read_uv_set(f, &m->uv_set[k], mesh);
  return status;
}

static csim_status build(const faces *f, csim_mesh *mesh) {
  char *name = csim_arena_print(f->abc->arena, "%s: %s", f->abc->file.path, f->mesh->path);
  csim_mesh_build b = {.path = name ? name : f->abc->file.path, .log = f->abc->file.log};
  if (!f->nvert) csim_mesh_build_fail(&b, 0, "has no vertices at the file's first frame");
  build_vertices(f, &b);
  for (uint64_t i = 0; i < f->uv.n; i++) csim_mesh_build_uv(&b, 0, f->uv.value + 2 * i);
  for (uint64_t i = 0; i < f->normals.n; i++)
    csim_mesh_build_normal(&b, 0, f->normals.value + 3 * i);
  for (uint64_t k = 0, start = 0; k < f->nface && !b.status; k++) {
    for (uint64_t c = start + (uint64_t)f->count[k]; c-- > start;) {
      csim_mesh_build_corner(&b, 0, f->corner[c], value_of(&f->uv, c, f->corner[c]));
      if (f->normals.n) csim_mesh_build_corner_normal(&b, value_of(&f->normals, c, f->corner[c]));
    }
    start += (uint64_t)f->count[k];
    csim_mesh_build_face(&b, 0, tag_of(f, k, &b));
  }
  return csim_mesh_build_finish(&b, mesh);
}

csim_status csim_abc_mesh_load(csim_abc *abc, csim_abc_mesh *mesh, double time, double slack) {
  faces f = {.abc = abc, .mesh = mesh, .time = time, .slack = slack};
  csim_status status = read_arrays(&f);
  mesh->mesh.nvert = (int)f.nvert; // for csim_abc_mesh_at, until the mesh is there
  if (!status) status = read_look(&f);
  if (!status) status = read_sets(&f);
  if (!status) status = csim_abc_mesh_at(abc, mesh, time, slack, f.vert, NULL);
  mesh->mesh.nvert = 0;
  if (!status) status = build(&f, &mesh->mesh);
  if (!status) status = read_uv_sets(&f, &mesh->mesh);
  param *const all[] = {&f.uv, &f.normals, &f.colours};
  for (int k = 0; k < 3; k++) {
    free(all[k]->value);
    free(all[k]->index);
  }
  free(f.count);
  free(f.corner);
  free(f.vert);
  free(f.face_start);
  free(f.face_set);
  return status;
}
