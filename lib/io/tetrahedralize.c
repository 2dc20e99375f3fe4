// io/tetrahedralize.c: see tetrahedralize.h.
#include "io/tetrahedralize.h"

#include "base/number.h"
#include "io/spawn.h"
#include "io/tet_wire.h"
#include "mesh/mesh.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The child's reply may hold no more than this; a tet and its share of vertices take about 22
/// bytes.
static const size_t MAX_REPLY = (size_t)4 << 30;
static const double MAX_TETS = 5e7;

typedef struct job {
  const csim_tet_options *options;
  const csim_surface *surface;
  csim_place place;
  csim_log *log;
  csim_tets *out;
  csim_solid solid;
  csim_arena scratch;
  int nused;
  int *used;       // (nused) vertices TetGen gets to see
  int *renumber;   // (nvert) their numbers there, -1 for loose ones
  double shift[3]; // TetGen sees (x - shift) 2^-exponent
  int exponent;
  unsigned char *request;
  size_t nrequest;
} job;

#define FAIL(j, ...) (csim_say((j)->log, CSIM_ERROR, (j)->place, __VA_ARGS__), CSIM_INVALID)

// -------------------------------------------------------------------------------------- bytes

static unsigned char *put_bits(unsigned char *p, uint64_t bits, int nbyte) {
  for (int k = 0; k < nbyte; k++) *p++ = (unsigned char)(bits >> 8 * k);
  return p;
}

static unsigned char *put_f64(unsigned char *p, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  return put_bits(p, bits, 8);
}

static uint32_t get_u32(const unsigned char *p) {
  return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static double get_f64(const unsigned char *p) {
  uint64_t bits = get_u32(p) | (uint64_t)get_u32(p + 4) << 32;
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// ------------------------------------------------------------------------------------ the request

static csim_status check_options(job *j) {
  const csim_tet_options *o = j->options;
  const char *name = j->surface->name;
  char number[32];
  if (!(o->radius_edge_ratio == 0 ||
        (o->radius_edge_ratio >= 1.1 && o->radius_edge_ratio <= 100))) {
    csim_print_number(o->radius_edge_ratio, 6, number);
    return FAIL(j, "%s: the radius-edge ratio is %s; it must be 0 (no bound) or 1.1 to 100", name,
                number);
  }
  if (!(o->max_volume >= 0) || isinf(o->max_volume)) {
    csim_print_number(o->max_volume, 6, number);
    return FAIL(j, "%s: the largest volume of a tetrahedron is %s; it must be 0 (no bound) or more",
                name, number);
  }
  if (!(o->time_limit >= 0 && o->memory_limit >= 0))
    return FAIL(j, "%s: limits of time and memory for TetGen cannot be negative", name);
  return CSIM_OK;
}

static csim_status check_size(job *j) {
  double max_volume = j->options->max_volume;
  if (max_volume > 0 && j->solid.volume / max_volume > MAX_TETS) {
    char volume[32], bound[32];
    csim_print_number(j->solid.volume, 4, volume);
    csim_print_number(max_volume, 4, bound);
    return FAIL(
        j,
        "%s: a volume of %s m^3 in tetrahedra of at most %s m^3 makes more than %.0f million; "
        "raise the bound",
        j->surface->name, volume, bound, MAX_TETS / 1e6);
  }
  return CSIM_OK;
}

static csim_status number_vertices(job *j) {
  int n = j->surface->nvert;
  j->renumber = CSIM_ARENA_NEW(&j->scratch, int, n);
  j->used = CSIM_ARENA_NEW(&j->scratch, int, n);
  if (j->scratch.failed) return CSIM_MEMORY;
  for (int i = 0; i < j->solid.nloose; i++) j->renumber[j->solid.loose[i]] = -1;
  for (int v = 0; v < n; v++) {
    if (j->renumber[v] < 0) continue;
    j->renumber[v] = j->nused;
    j->used[j->nused++] = v;
  }
  return CSIM_OK;
}

// TetGen's tolerances expect sizes near 1 near the origin. Scaling by a power of two is exact. So
// is the shift, which is only made along axes where all coordinates are within a factor of two of
// each other (Sterbenz).
static void normalise(job *j) {
  double lo[3], hi[3], extent = 0;
  for (int k = 0; k < 3; k++) {
    lo[k] = INFINITY;
    hi[k] = -INFINITY;
    for (int i = 0; i < j->nused; i++) {
      double x = j->surface->vert[3 * (ptrdiff_t)j->used[i] + k];
      lo[k] = fmin(lo[k], x);
      hi[k] = fmax(hi[k], x);
    }
    extent = fmax(extent, hi[k] - lo[k]);
  }
  for (int k = 0; k < 3; k++) {
    int far = fmin(fabs(lo[k]), fabs(hi[k])) > 4 * extent;
    j->shift[k] = far ? lo[k] : 0;
  }
  frexp(extent, &j->exponent);
}

static double to_tetgen(const job *j, double x, int axis) {
  return ldexp(x - j->shift[axis], -j->exponent);
}

static double from_tetgen(const job *j, double y, int axis) {
  return ldexp(y, j->exponent) + j->shift[axis];
}

static csim_status write_request(job *j) {
  const csim_tet_options *o = j->options;
  const csim_solid *solid = &j->solid;
  j->nrequest = CSIM_TET_REQUEST_HEADER + 24 * (size_t)j->nused + 12 * (size_t)solid->ntri +
                24 * (size_t)solid->nhole;
  j->request = csim_arena_alloc(&j->scratch, (ptrdiff_t)j->nrequest, 1);
  if (!j->request) return CSIM_MEMORY;
  unsigned char *p = j->request;
  memcpy(p, CSIM_TET_REQUEST, 8);
  p = put_f64(p + 8, o->radius_edge_ratio);
  p = put_f64(p, ldexp(o->max_volume, -3 * j->exponent));
  p = put_f64(p, o->memory_limit > 0 ? o->memory_limit : CSIM_TET_MEMORY_LIMIT);
  double seconds = o->time_limit > 0 ? o->time_limit : CSIM_TET_TIME_LIMIT;
  // a little more than the wall clock gets, which is the one to be heard of
  p = put_bits(p, seconds < 1e6 ? (uint64_t)seconds + 2 : 0, 4);
  p = put_bits(p, (uint64_t)j->nused, 4);
  p = put_bits(p, (uint64_t)solid->ntri, 4);
  p = put_bits(p, (uint64_t)solid->nhole, 4);
  for (int i = 0; i < j->nused; i++)
    for (int k = 0; k < 3; k++)
      p = put_f64(p, to_tetgen(j, j->surface->vert[3 * (ptrdiff_t)j->used[i] + k], k));
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)solid->ntri; i++)
    p = put_bits(p, (uint64_t)j->renumber[solid->tri[i]], 4);
  for (int i = 0; i < 3 * solid->nhole; i++) p = put_f64(p, to_tetgen(j, solid->hole[i], i % 3));
  return CSIM_OK;
}

// -------------------------------------------------------------------------------------- the reply

static csim_status fail_child(job *j, const csim_child_result *r) {
  const char *name = j->surface->name, *program = j->options->program;
  switch (r->end) {
  case CSIM_CHILD_UNSTARTED:
    csim_say(j->log, CSIM_ERROR, j->place,
             "%s: cannot start %s, which runs TetGen: %s; it belongs beside clothsim", name,
             program, strerror(r->code));
    return CSIM_IO;
  case CSIM_CHILD_TIMEOUT:
    return FAIL(j,
                "%s: TetGen did not finish in %g s and was stopped; raise max_volume or the "
                "radius-edge ratio, or remesh the surface with more even triangles",
                name, j->options->time_limit > 0 ? j->options->time_limit : CSIM_TET_TIME_LIMIT);
  case CSIM_CHILD_FLOODED:
    return FAIL(j, "%s: TetGen made too many tetrahedra; raise max_volume or the radius-edge ratio",
                name);
  case CSIM_CHILD_SIGNALED:
    return FAIL(
        j,
        "%s: TetGen crashed on this surface (%s%s%s); remesh it with more even triangles, or "
        "raise the radius-edge ratio",
        name, strsignal(r->code), r->said[0] ? ": " : "", r->said);
  case CSIM_CHILD_EXITED:
    break;
  }
  return FAIL(j,
              "%s: %s ended with code %d and no proper reply%s%s; is it the one of this version?",
              name, program, r->code, r->said[0] ? ": " : "", r->said);
}

// Copies positions; the request's must come back bit for bit.
static csim_status read_vertices(job *j, const unsigned char *p, int nvert) {
  csim_tets *out = j->out;
  out->nsurface = j->surface->nvert;
  out->nvert = out->nsurface + (nvert - j->nused);
  out->vert = CSIM_ARENA_NEW(&out->arena, double, 3 * (ptrdiff_t)out->nvert);
  if (out->arena.failed) return CSIM_MEMORY;
  const unsigned char *sent = j->request + CSIM_TET_REQUEST_HEADER;
  if (memcmp(p, sent, 24 * (size_t)j->nused) != 0)
    return FAIL(j, "%s: TetGen's result is refused: it moved vertices of the surface",
                j->surface->name);
  memcpy(out->vert, j->surface->vert, 3 * sizeof(double) * (size_t)out->nsurface);
  p += 24 * (size_t)j->nused;
  double *v = out->vert + 3 * (ptrdiff_t)out->nsurface;
  for (ptrdiff_t i = 0; i < 3 * (ptrdiff_t)(nvert - j->nused); i++)
    v[i] = from_tetgen(j, get_f64(p + 8 * i), (int)(i % 3));
  return CSIM_OK;
}

static csim_status read_tets(job *j, const unsigned char *p, int nvert, int ntet) {
  csim_tets *out = j->out;
  out->ntet = ntet;
  out->tet = CSIM_ARENA_NEW(&out->arena, int, 4 * (ptrdiff_t)ntet);
  out->nloose = j->solid.nloose;
  out->loose = CSIM_ARENA_NEW(&out->arena, int, out->nloose);
  if (out->arena.failed) return CSIM_MEMORY;
  memcpy(out->loose, j->solid.loose, sizeof(int) * (size_t)out->nloose);
  for (ptrdiff_t i = 0; i < 4 * (ptrdiff_t)ntet; i++) {
    uint32_t v = get_u32(p + 4 * i);
    if (v >= (uint32_t)nvert)
      return FAIL(j, "%s: TetGen's result is refused: a vertex does not exist", j->surface->name);
    out->tet[i] = (int)v < j->nused ? j->used[v] : (int)v - j->nused + out->nsurface;
  }
  // TetGen winds all of them the other way round
  for (ptrdiff_t t = 0; t < ntet; t++) {
    int *v = out->tet + 4 * t, swap = v[2];
    v[2] = v[3];
    v[3] = swap;
  }
  return CSIM_OK;
}

static csim_status read_reply(job *j, const csim_child_result *r) {
  const unsigned char *p = r->output;
  if (r->end != CSIM_CHILD_EXITED || r->code != 0 || r->noutput < CSIM_TET_REPLY_HEADER ||
      memcmp(p, CSIM_TET_REPLY, 8) != 0)
    return fail_child(j, r);
  uint32_t code = get_u32(p + 8), ntext = get_u32(p + 12), nvert = get_u32(p + 16),
           ntet = get_u32(p + 20);
  size_t size = CSIM_TET_REPLY_HEADER + (size_t)ntext + 24 * (size_t)nvert + 16 * (size_t)ntet;
  if (size != r->noutput || ntext > CSIM_TET_MAX_TEXT) return fail_child(j, r);
  p += CSIM_TET_REPLY_HEADER;
  if (code != CSIM_TET_OK)
    return FAIL(j,
                "%s: TetGen cannot fill this surface: %.*s; remesh it with more even triangles, or "
                "change the radius-edge ratio or max_volume",
                j->surface->name, (int)ntext, (const char *)p);
  if (nvert < (uint32_t)j->nused || nvert > CSIM_MESH_MAX_VERT || ntet > INT_MAX / 4)
    return fail_child(j, r);
  p += ntext;
  csim_status status = read_vertices(j, p, (int)nvert);
  if (!status) status = read_tets(j, p + 24 * (size_t)nvert, (int)nvert, (int)ntet);
  return status;
}

static csim_status run_tetgen(job *j) {
  const csim_child child = {
      .argv = (const char *const[]){j->options->program, NULL},
      .input = j->request,
      .ninput = j->nrequest,
      .time_limit = j->options->time_limit > 0 ? j->options->time_limit : CSIM_TET_TIME_LIMIT,
      .output_limit = MAX_REPLY,
  };
  csim_child_result result;
  csim_status status = csim_run_child(&child, &result);
  if (status == CSIM_IO) result.end = CSIM_CHILD_UNSTARTED;
  if (status != CSIM_MEMORY) status = read_reply(j, &result);
  free(result.output);
  return status;
}

static csim_status tetrahedralize(job *j) {
  csim_status status = check_options(j);
  if (!status) status = csim_check_solid(j->surface, j->place, j->log, &j->solid);
  if (!status) status = check_size(j);
  if (!status) status = number_vertices(j);
  if (status) return status;
  normalise(j);
  status = write_request(j);
  if (!status) status = run_tetgen(j);
  if (!status) status = csim_check_tets(j->out, &j->solid, j->surface->name, j->place, j->log);
  j->out->volume = j->solid.volume;
  return status;
}

csim_status csim_tetrahedralize(const csim_tet_options *options, const csim_surface *surface,
                                csim_place place, csim_log *log, csim_tets *out) {
  *out = (csim_tets){0};
  job j = {.options = options, .surface = surface, .place = place, .log = log, .out = out};
  csim_status status = tetrahedralize(&j);
  csim_solid_free(&j.solid);
  csim_arena_free(&j.scratch);
  if (status) csim_tets_free(out);
  if (status == CSIM_MEMORY)
    csim_say(log, CSIM_ERROR, place, "%s: out of memory while filling it with tetrahedra",
             surface->name);
  return status;
}
