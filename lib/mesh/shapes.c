// mesh/shapes.c: see shapes.h.
//
// Grid and box are lattices, the sphere a divided icosahedron. All other shapes are surfaces of
// revolution: rings of vertices from bottom to top, neighbouring rings stitched by triangles.
#include "mesh/shapes.h"

#include "mesh/circle.h"
#include "mesh/icosphere.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { AROUND = 32, MAX_CELLS = 1 << 27 };

static const double PI = 3.14159265358979324;
static const double ROW = 0.86602540378443865; // height of an equilateral triangle of side 1

// ------------------------------------------------------------------------------ building blocks

static csim_status refuse(csim_log *log, csim_place place, const char *text) {
  return csim_refuse(log, place, "%s", text);
}

static csim_status out_of_memory(csim_log *log, csim_place place) {
  return csim_fail(log, CSIM_MEMORY, place, "out of memory for a built-in shape");
}

// A mesh under construction: the arrays of `mesh` have their final size.
typedef struct builder {
  csim_mesh *mesh;
  int nvert, ntri;
} builder;

static csim_status builder_init(builder *b, csim_mesh *mesh, int64_t nvert, int64_t ntri,
                                csim_place place, csim_log *log) {
  if (nvert > CSIM_MESH_MAX_VERT || ntri > CSIM_MESH_MAX_FACE)
    return csim_refuse(
        log, place,
        "the shape would have %lld vertices and %lld triangles; the limit is %d: lower its cells",
        (long long)nvert, (long long)ntri, CSIM_MESH_MAX_VERT);
  csim_arena *arena = &mesh->arena;
  *b = (builder){.mesh = mesh};
  mesh->nvert = (int)nvert;
  mesh->nface = mesh->ntri = (int)ntri;
  mesh->vert = CSIM_ARENA_NEW(arena, double, 3 * nvert);
  mesh->face_start = CSIM_ARENA_NEW(arena, int, ntri + 1);
  mesh->tri = mesh->face_vert = CSIM_ARENA_NEW(arena, int, 3 * ntri);
  mesh->tri_face = CSIM_ARENA_NEW(arena, int, ntri);
  return arena->failed ? out_of_memory(log, place) : CSIM_OK;
}

static int add_vertex(builder *b, double x, double y, double z) {
  double *p = b->mesh->vert + 3 * b->nvert;
  p[0] = x;
  p[1] = y;
  p[2] = z;
  return b->nvert++;
}

static void add_triangle(builder *b, int v0, int v1, int v2) {
  csim_mesh *m = b->mesh;
  int t = b->ntri++, v[3] = {v0, v1, v2};
  memcpy(m->tri + 3 * t, v, sizeof v);
  m->tri_face[t] = t;
  m->face_start[t + 1] = 3 * (t + 1);
}

// A quad of counter-clockwise corners, cut along v0-v2 or along v1-v3.
static void add_quad(builder *b, const int v[4], int other) {
  add_triangle(b, v[0], v[1], v[other ? 3 : 2]);
  add_triangle(b, v[other ? 1 : 0], v[2], v[3]);
}

// Coordinate i of n cells over a length, symmetric about 0 to the last bit.
static double lattice(int i, int n, double length) {
  return length * ((double)(2 * (int64_t)i - n) / (2.0 * n));
}

// --------------------------------------------------------------------------------- grid and box

static csim_status make_grid(const csim_shape_spec *spec, csim_place place, csim_log *log,
                             csim_mesh *mesh) {
  int nx = spec->cells[0], nz = spec->cells[1];
  if (nx < 1 || nz < 1) return refuse(log, place, "a grid needs at least 1 cell along each side");
  int64_t nvert = ((int64_t)nx + 1) * ((int64_t)nz + 1);
  builder b;
  csim_status status = builder_init(&b, mesh, nvert, 2 * (int64_t)nx * nz, place, log);
  if (status) return status;
  mesh->grid[0] = nx;
  mesh->grid[1] = nz;
  mesh->nuv = mesh->nvert;
  mesh->uv = CSIM_ARENA_NEW(&mesh->arena, double, 2 * nvert);
  if (mesh->arena.failed) return out_of_memory(log, place);
  mesh->face_uv = mesh->face_vert; // one uv a vertex, of the same number
  for (int j = 0; j <= nz; j++)
    for (int i = 0; i <= nx; i++) {
      int v = add_vertex(&b, lattice(i, nx, spec->size[0]), 0, lattice(j, nz, spec->size[1]));
      mesh->uv[2 * v] = (double)i / nx;
      mesh->uv[2 * v + 1] = (double)(nz - j) / nz;
    }
  for (int j = 0; j < nz; j++)
    for (int i = 0; i < nx; i++) {
      int v = j * (nx + 1) + i, below = v + nx + 1;
      add_quad(&b, (int[4]){v, below, below + 1, v + 1}, !spec->same_diagonals && ((i + j) & 1));
    }
  return CSIM_OK;
}

// Number of a vertex on the surface of the lattice: the bottom layer, rings, the top layer.
static int box_vertex(const int n[3], const int at[3]) {
  int nx = n[0], ny = n[1], nz = n[2], i = at[0], j = at[1], k = at[2];
  int layer = (nx + 1) * (nz + 1), ring = 2 * (nx + nz);
  if (j == 0) return k * (nx + 1) + i;
  int base = layer + (j - 1) * ring;
  if (j == ny) return base + k * (nx + 1) + i;
  if (k == 0) return base + i;
  if (i == nx) return base + nx + k;
  if (k == nz) return base + nx + nz + (nx - i);
  return base + 2 * nx + nz + (nz - k);
}

// The side of the box on which axis `w` is at its lower or upper end.
static void add_box_side(builder *b, const int n[3], int w, int upper) {
  // the axes u, v of the side with u x v pointing outward
  int u = (w + (upper ? 1 : 2)) % 3, v = (w + (upper ? 2 : 1)) % 3;
  int at[3];
  at[w] = upper ? n[w] : 0;
  for (int p = 0; p < n[u]; p++)
    for (int q = 0; q < n[v]; q++) {
      static const int du[4] = {0, 1, 1, 0}, dv[4] = {0, 0, 1, 1};
      int quad[4];
      for (int c = 0; c < 4; c++) {
        at[u] = p + du[c];
        at[v] = q + dv[c];
        quad[c] = box_vertex(n, at);
      }
      add_quad(b, quad, (p + q) & 1);
    }
}

static csim_status make_box(const csim_shape_spec *spec, csim_place place, csim_log *log,
                            csim_mesh *mesh) {
  int n[3];
  for (int k = 0; k < 3; k++) n[k] = spec->cells[k] ? spec->cells[k] : 1;
  int64_t nx = n[0], ny = n[1], nz = n[2];
  builder b;
  csim_status status = builder_init(&b, mesh, 2 * (nx + 1) * (nz + 1) + (ny - 1) * 2 * (nx + nz),
                                    4 * (nx * ny + ny * nz + nz * nx), place, log);
  if (status) return status;
  const double *size = spec->size;
  for (int j = 0; j <= n[1]; j++)
    for (int k = 0; k <= n[2]; k++)
      for (int i = 0; i <= n[0]; i++) {
        int inside = j > 0 && j < n[1] && k > 0 && k < n[2] && i > 0;
        if (inside) i = n[0]; // nothing lies between the two ends
        double *p = mesh->vert + 3 * box_vertex(n, (int[3]){i, j, k});
        p[0] = lattice(i, n[0], size[0]);
        p[1] = lattice(j, n[1], size[1]);
        p[2] = lattice(k, n[2], size[2]);
      }
  for (int w = 0; w < 3; w++) {
    add_box_side(&b, n, w, 0);
    add_box_side(&b, n, w, 1);
  }
  return CSIM_OK;
}

// --------------------------------------------------------------------------------------- sphere

static csim_status make_sphere(const csim_shape_spec *spec, csim_place place, csim_log *log,
                               csim_mesh *mesh) {
  int around = spec->cells[0] ? spec->cells[0] : AROUND;
  int n = (int)(around / 5.675 + 0.5);
  if (n < 1) n = 1;
  builder b;
  csim_status status =
      builder_init(&b, mesh, 10 * (int64_t)n * n + 2, 20 * (int64_t)n * n, place, log);
  if (status) return status;
  int *tri = CSIM_NEW(int, csim_xyz(mesh->ntri));
  if (!tri) return out_of_memory(log, place);
  csim_icosphere(n, spec->radius, mesh->vert, tri);
  for (int t = 0; t < mesh->ntri; t++) add_triangle(&b, tri[3 * t], tri[3 * t + 1], tri[3 * t + 2]);
  free(tri);
  return CSIM_OK;
}

// ------------------------------------------------------------------------ surfaces of revolution

// A circle of vertices, or a single one on the axis (count 1).
typedef struct ring {
  double radius, y;
  int count;
  int half;  // turned by half a step, so that triangles between equal rings are isosceles
  int first; // number of its first vertex
} ring;

typedef struct profile {
  int nring;
  int closed; // the last ring is stitched to the first
  int around; // vertices on a ring of the full radius
  double radius;
  ring *ring; // (capacity: all)
} profile;

// Rings must come so that (way along the profile) x (turning from x to z) points outward.
static void add_ring_of(profile *p, double radius, double y, int least) {
  double share = radius / p->radius;
  int count = (int)(p->around * share + 0.5);
  if (count < least) count = least;
  if (count < 3) count = radius > 0 ? 3 : 1;
  int equal = p->nring > 0 && p->ring[p->nring - 1].count == count;
  int half = equal && !p->ring[p->nring - 1].half;
  p->ring[p->nring++] = (ring){.radius = radius, .y = y, .count = count, .half = half};
}

static void add_ring(profile *p, double radius, double y) {
  add_ring_of(p, radius, y, 0);
}

// Vertices that the k-th ring of a cap needs at least, so that its sides stay clear of the ring
// within, by a quarter of the way: cos(pi/n) >= 1 - pi^2/(2 n^2) >= 1 - 3/(4 k).
static int least_around(int k) {
  int n = 3;
  while (k > 0 && n * (double)n < PI * PI / 1.5 * k) n++;
  return k > 0 ? n : 1;
}

// The flat rings of a cap without its rim, from centre to rim or back.
static void add_cap(profile *p, int across, double y, int outward) {
  for (int k = 0; k < across; k++) {
    int from_centre = outward ? k : across - 1 - k;
    add_ring_of(p, p->radius * from_centre / across, y, least_around(from_centre));
  }
}

static void add_side(profile *p, int along, double height) {
  for (int k = 0; k <= along; k++) add_ring(p, p->radius, lattice(k, along, height));
}

// The curved rings of a hemisphere without its equator, which lies at height y.
static void add_hemisphere(profile *p, int across, double y, int upper) {
  for (int k = 0; k < across; k++) {
    int from_pole = upper ? across - 1 - k : k;
    double rise, radius;
    csim_circle_point(from_pole, 4 * (int64_t)across, &rise, &radius);
    rise *= p->radius;
    add_ring(p, p->radius * radius, upper ? y + rise : y - rise);
  }
}

// A band of triangles from ring a to the next ring b, always taking the shorter of two diagonals:
// the side whose middle comes first in turning.
static void stitch(builder *out, const ring *a, const ring *b) {
  int na = a->count > 1 ? a->count : 0, nb = b->count > 1 ? b->count : 0; // steps to go
  for (int i = 0, j = 0; i < na || j < nb;) {
    int64_t middle_a = (2 * (int64_t)i + 1 + a->half) * b->count;
    int64_t middle_b = (2 * (int64_t)j + 1 + b->half) * a->count;
    int va = a->first + i % a->count, vb = b->first + j % b->count;
    if (j == nb || (i < na && middle_a <= middle_b))
      add_triangle(out, va, vb, a->first + ++i % a->count);
    else
      add_triangle(out, va, vb, b->first + ++j % b->count);
  }
}

static csim_status revolve(profile *p, csim_place place, csim_log *log, csim_mesh *mesh) {
  int64_t nvert = 0, ntri = 0;
  int nband = p->closed ? p->nring : p->nring - 1;
  for (int r = 0; r < p->nring; r++) nvert += p->ring[r].count;
  for (int r = 0; r < nband; r++) {
    int na = p->ring[r].count, nb = p->ring[(r + 1) % p->nring].count;
    ntri += (na > 1 ? na : 0) + (nb > 1 ? nb : 0);
  }
  builder b;
  csim_status status = builder_init(&b, mesh, nvert, ntri, place, log);
  if (status) return status;
  for (int r = 0; r < p->nring; r++) {
    ring *c = &p->ring[r];
    c->first = b.nvert;
    for (int i = 0; i < c->count; i++) {
      double x, z;
      csim_circle_point(2 * (int64_t)i + c->half, 2 * (int64_t)c->count, &x, &z);
      add_vertex(&b, c->radius * x, c->y, c->radius * z);
    }
  }
  for (int r = 0; r < nband; r++) stitch(&b, &p->ring[r], &p->ring[(r + 1) % p->nring]);
  assert(b.nvert == mesh->nvert && b.ntri == mesh->ntri);
  return CSIM_OK;
}

// Rows of near equilateral triangles over a length, or the number the user gave.
static double count_rows(int given, double length, double edge) {
  if (given) return given;
  double rows = floor(length / (edge * ROW) + 0.5);
  return rows < 1 ? 1 : rows;
}

static void fill_profile(const csim_shape_spec *spec, profile *p, int along, int across) {
  double h = spec->height, r = spec->radius;
  switch (spec->kind) {
  case CSIM_SHAPE_KIND_DISK:
    add_ring(p, r, 0);
    add_cap(p, across, 0, 0);
    break;
  case CSIM_SHAPE_KIND_TUBE:
    add_side(p, along, h);
    break;
  case CSIM_SHAPE_KIND_CYLINDER:
    add_cap(p, across, -h / 2, 1);
    add_side(p, along, h);
    add_cap(p, across, h / 2, 0);
    break;
  case CSIM_SHAPE_KIND_CAPSULE:
    add_hemisphere(p, across, -h / 2, 0);
    if (h > 0)
      add_side(p, along, h);
    else
      add_ring(p, r, 0);
    add_hemisphere(p, across, h / 2, 1);
    break;
  case CSIM_SHAPE_KIND_CONE:
    add_cap(p, across, -h / 2, 1);
    for (int k = 0; k <= along; k++) add_ring(p, r * (along - k) / along, lattice(k, along, h));
    break;
  default: // torus
    p->closed = 1;
    for (int k = 0; k < across; k++) {
      double out, up;
      csim_circle_point(k, across, &out, &up);
      p->ring[k] = (ring){.radius = r + spec->tube_radius * out,
                          .y = spec->tube_radius * up,
                          .count = p->around,
                          .half = across % 2 == 0 && k % 2};
    }
    p->nring = across;
  }
}

// Texture coordinates of a disk, as a grid of its diameter has them.
static csim_status lay_disk(double radius, csim_place place, csim_log *log, csim_mesh *mesh) {
  mesh->uv = CSIM_ARENA_NEW(&mesh->arena, double, csim_row(2, mesh->nvert));
  if (!mesh->uv) return out_of_memory(log, place);
  mesh->nuv = mesh->nvert;
  mesh->face_uv = mesh->face_vert; // one uv a vertex, of the same number
  for (ptrdiff_t v = 0; v < mesh->nvert; v++) {
    mesh->uv[2 * v] = 0.5 + 0.5 * mesh->vert[3 * v] / radius;
    mesh->uv[2 * v + 1] = 0.5 - 0.5 * mesh->vert[3 * v + 2] / radius;
  }
  return CSIM_OK;
}

static csim_status make_round(const csim_shape_spec *spec, csim_place place, csim_log *log,
                              csim_mesh *mesh) {
  profile p = {.around = spec->cells[0] ? spec->cells[0] : AROUND, .radius = spec->radius};
  if (p.around < 3) return refuse(log, place, "a round shape needs at least 3 cells around");
  double edge = 2 * PI * spec->radius / p.around; // [m]
  double length = spec->kind == CSIM_SHAPE_KIND_CONE
                      ? sqrt(spec->radius * spec->radius + spec->height * spec->height)
                      : spec->height;
  double along = count_rows(spec->cells[1], length, edge);
  double across;
  if (spec->kind == CSIM_SHAPE_KIND_TORUS) {
    across = count_rows(spec->cells[2], 2 * PI * spec->tube_radius, edge);
    if (!spec->cells[2]) across = across < 4 ? 4 : 2 * floor(across / 2); // even: see ring.half
    if (across < 3) return refuse(log, place, "a torus needs at least 3 cells around its tube");
  } else if (spec->kind == CSIM_SHAPE_KIND_CAPSULE) {
    across = count_rows(spec->cells[2], PI / 2 * spec->radius, edge);
  } else {
    // a flat hexagonal lattice has 6 k vertices on its k-th ring
    across = spec->cells[2] ? spec->cells[2] : floor(p.around / 6.0 + 0.5);
    if (across < 1) across = 1;
  }
  // every ring has a vertex, so this also bounds the vertices
  double nring = along + 2 * across + 2;
  if (nring > CSIM_MESH_MAX_VERT)
    return refuse(log, place, "the shape is too long for so fine cells: lower its cells");
  p.ring = CSIM_NEW(ring, (ptrdiff_t)nring);
  if (!p.ring) return out_of_memory(log, place);
  fill_profile(spec, &p, (int)along, (int)across);
  csim_status status = revolve(&p, place, log, mesh);
  free(p.ring);
  if (!status && spec->kind == CSIM_SHAPE_KIND_DISK)
    status = lay_disk(spec->radius, place, log, mesh);
  return status;
}

// ------------------------------------------------------------------------------------------ all

static int is_length(double x) {
  return x > 0 && x < 1e18;
}

static csim_status check_spec(const csim_shape_spec *s, csim_place place, csim_log *log) {
  for (int k = 0; k < 3; k++)
    if (s->cells[k] < 0 || s->cells[k] > MAX_CELLS)
      return refuse(log, place, "cells of a shape must be between 0 and 134217728");
  int nsize = s->kind == CSIM_SHAPE_KIND_GRID ? 2 : s->kind == CSIM_SHAPE_KIND_BOX ? 3 : 0;
  for (int k = 0; k < nsize; k++)
    if (!is_length(s->size[k])) return refuse(log, place, "the size of a shape must be positive");
  if (nsize) return CSIM_OK;
  if (!is_length(s->radius)) return refuse(log, place, "the radius of a shape must be positive");
  switch (s->kind) {
  case CSIM_SHAPE_KIND_TORUS:
    if (!(is_length(s->tube_radius) && s->tube_radius < s->radius))
      return refuse(log, place, "the tube radius of a torus must be positive and below its radius");
    break;
  case CSIM_SHAPE_KIND_CYLINDER:
  case CSIM_SHAPE_KIND_CONE:
  case CSIM_SHAPE_KIND_TUBE:
    if (!is_length(s->height)) return refuse(log, place, "the height of a shape must be positive");
    break;
  case CSIM_SHAPE_KIND_CAPSULE:
    if (s->height != 0 && !is_length(s->height))
      return refuse(log, place, "the height of a capsule must not be negative");
    break;
  default:
    break;
  }
  return CSIM_OK;
}

csim_status csim_mesh_shape(const csim_shape_spec *spec, csim_place place, csim_log *log,
                            csim_mesh *mesh) {
  *mesh = (csim_mesh){0};
  csim_status status = check_spec(spec, place, log);
  if (status) return status;
  switch (spec->kind) {
  case CSIM_SHAPE_KIND_GRID:
    status = make_grid(spec, place, log, mesh);
    break;
  case CSIM_SHAPE_KIND_BOX:
    status = make_box(spec, place, log, mesh);
    break;
  case CSIM_SHAPE_KIND_SPHERE:
    status = make_sphere(spec, place, log, mesh);
    break;
  default:
    status = make_round(spec, place, log, mesh);
  }
  if (status) csim_mesh_free(mesh);
  return status;
}
