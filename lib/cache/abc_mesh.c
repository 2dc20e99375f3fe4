// cache/abc_mesh.c: where the vertices of an Alembic mesh are: samples and transforms. See
// abc_mesh.h; cache/abc_faces.c has the rest.
#include "cache/abc_mesh.h"

#include "base/dmath.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SCALE, TRANSLATE, ROTATE, MATRIX, ROTATE_X, ROTATE_Y, ROTATE_Z, NOPERATION };
static const uint8_t CHANNELS[NOPERATION] = {3, 3, 4, 16, 1, 1, 1};

// ---------------------------------------------------------------------------------------
// transforms

// An affine map of row vectors: x M + t.
typedef struct affine {
  double m[9], t[3];
} affine;

static const affine IDENTITY = {{1, 0, 0, 0, 1, 0, 0, 0, 1}, {0, 0, 0}};

static void apply(const affine *a, const double x[3], double out[3]) {
  double y[3];
  for (int c = 0; c < 3; c++) y[c] = x[0] * a->m[c] + x[1] * a->m[3 + c] + x[2] * a->m[6 + c];
  for (int c = 0; c < 3; c++) out[c] = y[c] + a->t[c];
}

// Maps n vectors; nothing changes their bits where the map changes nothing, not -0 either.
static void apply_to_all(const affine *a, ptrdiff_t n, double *x) {
  int same = 1;
  for (int k = 0; k < 9; k++) same &= a->m[k] == IDENTITY.m[k];
  for (int k = 0; k < 3; k++) same &= a->t[k] == 0;
  for (ptrdiff_t k = 0; k < n && !same; k++) apply(a, x + 3 * k, x + 3 * k);
}

// First `first`, then `then`.
static affine chain(const affine *first, const affine *then) {
  affine both, linear = *then;
  memset(linear.t, 0, sizeof linear.t);
  for (int r = 0; r < 3; r++) apply(&linear, first->m + csim_xyz(r), both.m + csim_xyz(r));
  apply(then, first->t, both.t);
  return both;
}

// Rotation about an axis by an angle [deg], for row vectors.
static affine turn(double x, double y, double z, double degrees) {
  affine a = IDENTITY;
  double length = sqrt(x * x + y * y + z * z);
  if (!(length > 0)) return a;
  double angle = degrees * 0.017453292519943295769, s = csim_sin(angle), c = csim_cos(angle);
  double n[3] = {x / length, y / length, z / length};
  double across[9] = {0, n[2], -n[1], -n[2], 0, n[0], n[1], -n[0], 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      a.m[3 * i + j] = (i == j) * c + s * across[3 * i + j] + (1 - c) * n[i] * n[j];
  return a;
}

static affine operation(int kind, const double *v) {
  affine a = IDENTITY;
  switch (kind) {
  case SCALE:
    for (int c = 0; c < 3; c++) a.m[4 * c] = v[c];
    break;
  case TRANSLATE:
    memcpy(a.t, v, sizeof a.t);
    break;
  case ROTATE:
    return turn(v[0], v[1], v[2], v[3]);
  case MATRIX:
    for (int r = 0; r < 3; r++) memcpy(a.m + csim_xyz(r), v + csim_row(4, r), 3 * sizeof *v);
    memcpy(a.t, v + 12, sizeof a.t);
    break;
  case ROTATE_X:
    return turn(1, 0, 0, v[0]);
  case ROTATE_Y:
    return turn(0, 1, 0, v[0]);
  default:
    return turn(0, 0, 1, v[0]);
  }
  return a;
}

// The numbers of a scalar or array at a time, linear between samples.
static csim_status numbers_at(csim_abc *abc, const csim_abc_property *p, double time, double slack,
                              ptrdiff_t n, double *value) {
  double share;
  uint32_t i = csim_abc_at(p, time, slack, &share);
  csim_status status = csim_abc_doubles(abc, p, i, (uint64_t)n, value);
  if (status || share == 0 || csim_abc_same(p, i, i + 1)) return status;
  double *next = CSIM_NEW(double, n);
  if (!next) return csim_abc_memory(abc);
  status = csim_abc_doubles(abc, p, i + 1, (uint64_t)n, next);
  for (ptrdiff_t k = 0; k < n && !status; k++) value[k] += share * (next[k] - value[k]);
  free(next);
  return status;
}

// @param[out] stop  1: transforms above are ignored
static csim_status xform_at(csim_abc *abc, const csim_abc_xform *xform, double time, double slack,
                            affine *a, int *stop) {
  *a = IDENTITY;
  *stop = 0;
  if (xform->inherits) {
    double share, inherits;
    uint32_t i = csim_abc_at(xform->inherits, time, slack, &share);
    csim_status status = csim_abc_doubles(abc, xform->inherits, i, 1, &inherits);
    if (status) return status;
    *stop = inherits == 0;
  }
  if (!xform->values) return CSIM_OK;
  double *value = CSIM_NEW(double, xform->nchannel);
  if (!value) return csim_abc_memory(abc);
  csim_status status = numbers_at(abc, xform->values, time, slack, xform->nchannel, value);
  const double *v = value;
  for (int k = 0; k < xform->nop && !status; k++) { // the last is applied first
    affine one = operation(xform->op[k] >> 4, v);
    *a = chain(&one, a);
    v += CHANNELS[xform->op[k] >> 4];
  }
  free(value);
  return status;
}

static csim_status place_at(csim_abc *abc, const csim_abc_mesh *mesh, double time, double slack,
                            affine *world) {
  csim_status status = CSIM_OK;
  *world = IDENTITY;
  for (int k = 0, stop = 0; k < mesh->nxform && !stop && !status; k++) {
    affine a;
    status = xform_at(abc, &mesh->xform[k], time, slack, &a, &stop);
    if (!status) *world = chain(world, &a);
  }
  return status;
}

// ---------------------------------------------------------------------------------------
// properties

static csim_status find_xform(csim_abc *abc, int object, csim_abc_xform *xform) {
  csim_abc_compound own, inner = {0};
  csim_status status = csim_abc_own_properties(abc, object, &own);
  const csim_abc_property *p = status ? NULL : csim_abc_find(&own, ".xform", CSIM_ABC_COMPOUND);
  if (p) status = csim_abc_properties(abc, p, &inner);
  if (status) return status;
  const csim_abc_property *ops = csim_abc_find(&inner, ".ops", CSIM_ABC_SCALAR);
  xform->inherits = csim_abc_find(&inner, ".inherits", CSIM_ABC_SCALAR);
  xform->values = csim_abc_find(&inner, ".vals", CSIM_ABC_SCALAR);
  if (!xform->values) xform->values = csim_abc_find(&inner, ".vals", CSIM_ABC_ARRAY);
  if (!ops || !xform->values) {
    xform->values = NULL;
    return CSIM_OK;
  }
  double op[256];
  uint64_t n;
  status = csim_abc_length(abc, ops, 0, &n);
  if (!status && n > 255) status = csim_ogawa_damaged(&abc->file, "a transform");
  if (!status) status = csim_abc_doubles(abc, ops, 0, n, op);
  if (status) return status;
  xform->op = CSIM_ARENA_NEW(abc->arena, uint8_t, (ptrdiff_t)n);
  if (!xform->op) return csim_abc_memory(abc);
  xform->nop = (int)n;
  for (int k = 0; k < xform->nop; k++) {
    xform->op[k] = (uint8_t)op[k];
    if (xform->op[k] >> 4 >= NOPERATION)
      return csim_ogawa_damaged(&abc->file, "a transform of an unknown kind");
    xform->nchannel += CHANNELS[xform->op[k] >> 4];
  }
  return CSIM_OK;
}

// A parameter of a mesh is an array, or a compound of values and indices.
static csim_status find_param(csim_abc *abc, const csim_abc_compound *in, const char *name,
                              const csim_abc_property **values, const csim_abc_property **index) {
  csim_abc_compound inner;
  const csim_abc_property *both = csim_abc_find(in, name, CSIM_ABC_COMPOUND);
  *values = csim_abc_find(in, name, CSIM_ABC_ARRAY);
  if (!both) return CSIM_OK;
  csim_status status = csim_abc_properties(abc, both, &inner);
  if (status) return status;
  *values = csim_abc_find(&inner, ".vals", CSIM_ABC_ARRAY);
  *index = csim_abc_find(&inner, ".indices", CSIM_ABC_ARRAY);
  return CSIM_OK;
}

// Whether metadata have a key with this value, or one of two.
static int has_value(const char *metadata, const char *key, const char *a, const char *b) {
  int n;
  const char *value = csim_abc_value(metadata, key, &n);
  return ((int)strlen(a) == n && !strncmp(value, a, (size_t)n)) ||
         (b && (int)strlen(b) == n && !strncmp(value, b, (size_t)n));
}

// Texture coordinates as Alembic knows them: pairs by corner or vertex, not marked as none.
static int is_uv(const csim_abc_property *p) {
  const char *m = p->metadata;
  int pairs = p->kind == CSIM_ABC_COMPOUND ? has_value(m, "podExtent", "2", NULL) : p->extent == 2;
  return pairs && has_value(m, "interpretation", "vector", NULL) &&
         !has_value(m, "notUV", "1", NULL) &&
         (has_value(m, "geoScope", "fvr", "vtx") || has_value(m, "geoScope", "var", NULL));
}

// Of the parameters without a place of their own: the first that is a colour, and those that are
// texture coordinates.
static csim_status find_others(csim_abc *abc, const csim_abc_compound *geom, csim_abc_mesh *mesh) {
  csim_abc_compound inner = {0};
  const csim_abc_property *all = csim_abc_find(geom, ".arbGeomParams", CSIM_ABC_COMPOUND);
  csim_status status = all ? csim_abc_properties(abc, all, &inner) : CSIM_OK;
  if (status || !inner.n) return status;
  mesh->uv_set = CSIM_ARENA_NEW(abc->arena, csim_abc_uv_set, inner.n);
  if (!mesh->uv_set) return csim_abc_memory(abc);
  for (int k = 0; k < inner.n && !status; k++) {
    const csim_abc_property *p = &inner.property[k];
    csim_abc_uv_set *set = &mesh->uv_set[mesh->nuv_set];
    if (!mesh->colours && has_value(p->metadata, "interpretation", "rgb", "rgba"))
      status = find_param(abc, &inner, p->name, &mesh->colours, &mesh->colour_index);
    if (!is_uv(p)) continue;
    status = find_param(abc, &inner, p->name, &set->values, &set->index);
    set->name = p->name;
    mesh->nuv_set += set->values != NULL;
  }
  return status;
}

static csim_status find_xforms(csim_abc *abc, csim_abc_mesh *mesh) {
  mesh->xform = CSIM_ARENA_NEW(abc->arena, csim_abc_xform, abc->object[mesh->object].depth);
  if (!mesh->xform) return csim_abc_memory(abc);
  csim_status status = CSIM_OK;
  for (int i = abc->object[mesh->object].parent; i > 0 && !status; i = abc->object[i].parent)
    if (csim_abc_is(&abc->object[i], "AbcGeom_Xform"))
      status = find_xform(abc, i, &mesh->xform[mesh->nxform++]);
  return status;
}

csim_status csim_abc_mesh_find(csim_abc *abc, int object, csim_abc_mesh *mesh) {
  csim_abc_compound own, above, geom = {0};
  *mesh = (csim_abc_mesh){.object = object, .path = csim_abc_path(abc, object)};
  if (!mesh->path) return csim_abc_memory(abc);
  csim_status status = csim_abc_own_properties(abc, object, &own);
  if (!status) status = csim_abc_own_properties(abc, abc->object[object].parent, &above);
  const csim_abc_property *p = status ? NULL : csim_abc_find(&own, ".geom", CSIM_ABC_COMPOUND);
  if (p) status = csim_abc_properties(abc, p, &geom);
  if (status) return status;
  mesh->points = csim_abc_find(&geom, "P", CSIM_ABC_ARRAY);
  mesh->counts = csim_abc_find(&geom, ".faceCounts", CSIM_ABC_ARRAY);
  mesh->corners = csim_abc_find(&geom, ".faceIndices", CSIM_ABC_ARRAY);
  mesh->velocities = csim_abc_find(&geom, ".velocities", CSIM_ABC_ARRAY);
  mesh->visible[0] = csim_abc_find(&own, "visible", CSIM_ABC_SCALAR);
  mesh->visible[1] = csim_abc_find(&above, "visible", CSIM_ABC_SCALAR);
  status = find_param(abc, &geom, "uv", &mesh->uv, &mesh->uv_index);
  if (!status) status = find_param(abc, &geom, "N", &mesh->normals, &mesh->normal_index);
  if (!status) status = find_others(abc, &geom, mesh);
  return status ? status : find_xforms(abc, mesh);
}

int csim_abc_mesh_moving(const csim_abc_mesh *mesh, const csim_abc_property **property) {
  int n = 0;
  if (mesh->points && csim_abc_count(mesh->points) > 1) property[n++] = mesh->points;
  for (int k = 0; k < mesh->nxform; k++) {
    const csim_abc_xform *x = &mesh->xform[k];
    if (x->values && csim_abc_count(x->values) > 1) property[n++] = x->values;
    if (x->inherits && csim_abc_count(x->inherits) > 1) property[n++] = x->inherits;
  }
  return n;
}

int csim_abc_mesh_has_velocity(const csim_abc_mesh *mesh) {
  for (int k = 0; k < mesh->nxform; k++) {
    const csim_abc_xform *x = &mesh->xform[k];
    if ((x->values && x->values->last) || (x->inherits && x->inherits->last)) return 0;
  }
  return mesh->velocities != NULL;
}

int csim_abc_mesh_hidden(csim_abc *abc, const csim_abc_mesh *mesh, double time, double slack) {
  for (int k = 0; k < 2; k++) {
    double share, value;
    if (!mesh->visible[k]) continue;
    uint32_t i = csim_abc_at(mesh->visible[k], time, slack, &share);
    if (!csim_abc_doubles(abc, mesh->visible[k], i, 1, &value) && value == 0) return 1;
  }
  return 0;
}

// ------------------------------------------------------------------------------------------ frames

// Whether a property has the contents it has in its first sample.
static csim_status same_as_first(csim_abc *abc, const csim_abc_property *p, double time,
                                 double slack, int *same) {
  uint8_t first[16], now[16];
  double share;
  uint32_t i = csim_abc_at(p, time, slack, &share);
  *same = csim_abc_same(p, 0, i);
  if (*same) return CSIM_OK;
  csim_status status = csim_abc_key(abc, p, 0, first);
  if (!status) status = csim_abc_key(abc, p, i, now);
  *same = !status && !memcmp(first, now, sizeof now);
  return status;
}

static csim_status check_frame(csim_abc *abc, const csim_abc_mesh *mesh, double time,
                               double slack) {
  int faces = 1, counts = 1;
  double share;
  uint64_t n;
  uint32_t i = csim_abc_at(mesh->points, time, slack, &share);
  csim_status status = same_as_first(abc, mesh->corners, time, slack, &faces);
  if (!status) status = same_as_first(abc, mesh->counts, time, slack, &counts);
  for (uint32_t k = i; k <= i + (share > 0) && !status && faces && counts; k++) {
    status = csim_abc_length(abc, mesh->points, k, &n);
    faces = n == 3 * (uint64_t)mesh->mesh.nvert;
  }
  if (status || (faces && counts)) return status;
  return csim_refuse(abc->file.log, csim_in_file(abc->file.path),
                     "\"%s\" has other faces or vertices at %.6g s than in its first sample: only "
                     "meshes that keep theirs can be read",
                     mesh->path, time);
}

csim_status csim_abc_mesh_at(csim_abc *abc, const csim_abc_mesh *mesh, double time, double slack,
                             double *x, double *v) {
  affine world;
  double share;
  uint64_t n;
  int nvert = mesh->mesh.nvert;
  csim_status status = check_frame(abc, mesh, time, slack);
  if (!status) status = numbers_at(abc, mesh->points, time, slack, csim_xyz(nvert), x);
  if (!status) status = place_at(abc, mesh, time, slack, &world);
  if (!status) apply_to_all(&world, nvert, x);
  if (!v || status) return status;
  memset(v, 0, 3 * (size_t)nvert * sizeof *v);
  if (!csim_abc_mesh_has_velocity(mesh)) return CSIM_OK;
  uint32_t i = csim_abc_at(mesh->velocities, time, slack, &share);
  status = csim_abc_length(abc, mesh->velocities, i, &n);
  if (status || n != 3 * (uint64_t)nvert) return status;
  status = csim_abc_doubles(abc, mesh->velocities, i, n, v);
  memset(world.t, 0, sizeof world.t);
  if (!status) apply_to_all(&world, nvert, v);
  return status;
}

csim_status csim_abc_mesh_turn(csim_abc *abc, const csim_abc_mesh *mesh, double time, double slack,
                               ptrdiff_t n, double *normal) {
  affine world;
  double inverse[9];
  csim_status status = place_at(abc, mesh, time, slack, &world);
  if (status || csim_mat3_inverse(world.m, inverse) == 0) return status;
  for (ptrdiff_t k = 0; k < n; k++) csim_mat3_mul(inverse, normal + 3 * k, normal + 3 * k);
  return status;
}
