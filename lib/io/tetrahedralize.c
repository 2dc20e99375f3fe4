// io/tetrahedralize.c: see tetrahedralize.h.
#include "io/tetrahedralize.h"

#include "base/bytes.h"
#include "base/number.h"
#include "io/spawn.h"
#include "io/tet_wire.h"
#include "mesh/mesh.h"

#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The child's reply may hold no more than this; a tet and its share of vertices take about 22
/// bytes.
static const size_t MAX_REPLY = (size_t)4 << 30;
static const double MAX_TETS = 5e7;

/// What is tried, in this order. TetGen's relative tolerance, its own default first: it merges
/// vertices and takes faces for coplanar within it. Thin solids need a smaller one (1e-9 thick
/// plates, 1e-8 gaps), but some surfaces take forever with 1e-16 (*measured*: a torus of 512
/// vertices). Flat faces that rounding made uneven can stop it at every tolerance, by assertions
/// (*measured*: 5 of 300 boxes of 2 cells, turned at random). With the vertices backwards it filled
/// all 5.
typedef struct attempt {
  double tolerance;
  int backwards;
} attempt;

static const attempt ATTEMPT[] = {{1e-8, 0}, {1e-12, 0}, {1e-8, 1}, {1e-12, 1}, {1e-16, 0}};
enum { NATTEMPT = sizeof ATTEMPT / sizeof *ATTEMPT };

/// The limit is one of processor time, so that a busy machine changes no result. On the clock it
/// may take so many times longer: a child that waits for ever uses no processor.
static const double WALL = 8;

typedef struct job {
  const csim_tet_options *options;
  const csim_surface *surface;
  csim_place place;
  csim_log *log;
  csim_tets *out;
  csim_solid solid;
  csim_arena scratch;
  int nused;
  int *used;       // (nused) vertices passed to TetGen
  int *renumber;   // (nvert) their numbers there, -1 for loose ones
  double shift[3]; // TetGen sees (x - shift) 2^-exponent
  int exponent;
  unsigned char *request;
  size_t nrequest;
  csim_status status; // of a fatal outcome
  char problem[800];  // of the first attempt that failed
} job;

#define FAIL(j, ...) (csim_say((j)->log, CSIM_ERROR, (j)->place, __VA_ARGS__), CSIM_INVALID)

// -------------------------------------------------------------------------------------- bytes

static unsigned char *put_u32(unsigned char *p, uint32_t value) {
  csim_store_u32(value, p);
  return p + 4;
}

static unsigned char *put_f64(unsigned char *p, double value) {
  csim_store_f64(value, p);
  return p + 8;
}

// ------------------------------------------------------------------------------------ the request

static double time_limit(const csim_tet_options *o) {
  return o->time_limit > 0 ? o->time_limit : CSIM_TET_TIME_LIMIT;
}

static double memory_limit(const csim_tet_options *o) {
  return o->memory_limit > 0 ? o->memory_limit : CSIM_TET_MEMORY_LIMIT;
}

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
  for (int k = 0; k < o->nzone; k++) {
    const csim_tet_zone *z = &o->zone[k];
    int good = z->max_volume > 0 && !isinf(z->max_volume);
    for (int c = 0; c < 3; c++) good &= z->box[c] <= z->box[3 + c];
    if (!good) return FAIL(j, "%s: zone %d has no box, or no largest volume", name, k);
  }
  if (!(o->time_limit >= 0 && o->memory_limit >= 0))
    return FAIL(j, "%s: limits of time and memory for TetGen cannot be negative", name);
  return CSIM_OK;
}

// Volume of a box [m^3]; of the solid no more than that is in it.
static double box_volume(const double box[6]) {
  return (box[3] - box[0]) * (box[4] - box[1]) * (box[5] - box[2]);
}

static csim_status check_size(job *j) {
  const csim_tet_options *o = j->options;
  for (int k = -1; k < o->nzone; k++) {
    double bound = k < 0 ? o->max_volume : o->zone[k].max_volume, all = j->solid.volume;
    double in = k < 0 ? all : fmin(all, box_volume(o->zone[k].box));
    if (!(bound > 0 && in / bound > MAX_TETS)) continue;
    char volume[32], text[32];
    csim_print_number(in, 4, volume);
    csim_print_number(bound, 4, text);
    return FAIL(
        j,
        "%s: a volume of %s m^3 in tetrahedra of at most %s m^3 makes more than %.0f million; "
        "raise the bound",
        j->surface->name, volume, text, MAX_TETS / 1e6);
  }
  return CSIM_OK;
}

static csim_status allocate(job *j) {
  int n = j->surface->nvert;
  j->renumber = CSIM_ARENA_NEW(&j->scratch, int, n);
  j->used = CSIM_ARENA_NEW(&j->scratch, int, n);
  j->nrequest = CSIM_TET_REQUEST_HEADER + 24 * (size_t)(n - j->solid.nloose) +
                12 * (size_t)j->solid.ntri + 24 * (size_t)j->solid.nhole +
                56 * (size_t)j->options->nzone;
  j->request = csim_arena_alloc(&j->scratch, (ptrdiff_t)j->nrequest, 1);
  return j->scratch.failed ? CSIM_MEMORY : CSIM_OK;
}

static void number_vertices(job *j, int backwards) {
  int n = j->surface->nvert;
  j->nused = 0;
  for (int i = 0; i < j->solid.nloose; i++) j->renumber[j->solid.loose[i]] = -1;
  for (int k = 0; k < n; k++) {
    int v = backwards ? n - 1 - k : k;
    if (j->renumber[v] < 0) continue;
    j->renumber[v] = j->nused;
    j->used[j->nused++] = v;
  }
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
      double x = j->surface->vert[csim_xyz(j->used[i]) + k];
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

static void write_request(job *j, double tolerance) {
  const csim_tet_options *o = j->options;
  const csim_solid *solid = &j->solid;
  unsigned char *p = j->request;
  memcpy(p, CSIM_TET_REQUEST, 8);
  p = put_f64(p + 8, o->radius_edge_ratio);
  p = put_f64(p, ldexp(o->max_volume, -3 * j->exponent));
  p = put_f64(p, tolerance);
  p = put_f64(p, memory_limit(o));
  double seconds = ceil(time_limit(o));
  p = put_u32(p, seconds < 1e6 ? (uint32_t)seconds : 0);
  p = put_u32(p, (uint32_t)j->nused);
  p = put_u32(p, (uint32_t)solid->ntri);
  p = put_u32(p, (uint32_t)solid->nhole);
  p = put_u32(p, (uint32_t)o->nzone);
  for (int i = 0; i < j->nused; i++)
    for (int k = 0; k < 3; k++)
      p = put_f64(p, to_tetgen(j, j->surface->vert[csim_xyz(j->used[i]) + k], k));
  for (ptrdiff_t i = 0; i < csim_xyz(solid->ntri); i++)
    p = put_u32(p, (uint32_t)j->renumber[solid->tri[i]]);
  for (int i = 0; i < 3 * solid->nhole; i++) p = put_f64(p, to_tetgen(j, solid->hole[i], i % 3));
  for (int k = 0; k < o->nzone; k++) {
    for (int c = 0; c < 6; c++) p = put_f64(p, to_tetgen(j, o->zone[k].box[c], c % 3));
    p = put_f64(p, ldexp(o->zone[k].max_volume, -3 * j->exponent));
  }
}

// -------------------------------------------------------------------------------------- the reply

/// Result of one attempt.
typedef enum outcome {
  DONE,
  AGAIN, // TetGen failed in a way that another attempt may avoid
  FATAL, // j->status has the reason
} outcome;

#define EVEN "remesh the surface with more even triangles, or change the radius-edge ratio"

// Remembers the first problem, which belongs to TetGen's own tolerance and the surface's own order.
__attribute__((format(printf, 2, 3))) static outcome again(job *j, const char *format, ...) {
  va_list args;
  if (j->problem[0]) return AGAIN;
  va_start(args, format);
  vsnprintf(j->problem, sizeof j->problem, format, args);
  va_end(args);
  return AGAIN;
}

static outcome fatal(job *j, csim_status status) {
  j->status = status;
  return FATAL;
}

static outcome too_slow(job *j, double seconds, const char *what) {
  return fatal(j, FAIL(j,
                       "%s: TetGen did not finish in %.0f s %s and was stopped; raise its "
                       "time_limit, or " EVEN " or the largest volume",
                       j->surface->name, seconds, what));
}

// Interprets how the child ended; DONE if its reply can be read.
static outcome judge_child(job *j, const csim_child_result *r) {
  const char *name = j->surface->name, *program = j->options->program;
  switch (r->end) {
  case CSIM_CHILD_UNSTARTED:
    csim_say(j->log, CSIM_ERROR, j->place,
             "%s: cannot run %s, which holds TetGen: %s; it belongs beside clothsim", name, program,
             strerror(r->code));
    return fatal(j, CSIM_IO);
  case CSIM_CHILD_TIMEOUT:
    return too_slow(j, WALL * ceil(time_limit(j->options)), "on the clock");
  case CSIM_CHILD_FLOODED:
    return fatal(j, FAIL(j,
                         "%s: TetGen made too many tetrahedra; raise the largest volume or the "
                         "radius-edge ratio",
                         name));
  case CSIM_CHILD_SIGNALED:
    if (r->code == SIGXCPU) return too_slow(j, ceil(time_limit(j->options)), "of processor time");
    return again(j, "%s: TetGen crashed on this surface (%s); " EVEN, name, strsignal(r->code));
  case CSIM_CHILD_EXITED:
    break;
  }
  const unsigned char *p = r->output;
  int proper = r->code == 0 && r->noutput >= CSIM_TET_REPLY_HEADER &&
               memcmp(p, CSIM_TET_REPLY, 8) == 0 && csim_load_u32(p + 12) <= CSIM_TET_MAX_TEXT &&
               csim_load_u32(p + 16) <= CSIM_MESH_MAX_VERT && csim_load_u32(p + 20) <= INT_MAX / 4;
  size_t size = CSIM_TET_REPLY_HEADER;
  if (proper)
    size += csim_load_u32(p + 12) + 24 * (size_t)csim_load_u32(p + 16) +
            16 * (size_t)csim_load_u32(p + 20);
  if (!proper || size != r->noutput) {
    csim_say(j->log, CSIM_ERROR, j->place,
             "%s: %s ended with code %d and no proper reply%s%s; is it the one of this version?",
             name, program, r->code, r->said[0] ? ": " : "", r->said);
    return fatal(j, CSIM_IO);
  }
  uint32_t code = csim_load_u32(p + 8);
  if (code == CSIM_TET_OK) return DONE;
  const char *text = (const char *)p + CSIM_TET_REPLY_HEADER;
  int ntext = (int)csim_load_u32(p + 12);
  if (code == CSIM_TET_NO_MEMORY)
    return fatal(j,
                 FAIL(j,
                      "%s: TetGen needs more memory than its limit of %.0f MB; raise the largest "
                      "volume or the radius-edge ratio",
                      name, memory_limit(j->options) / 1e6));
  return again(j, "%s: TetGen cannot fill this surface: %.*s; " EVEN, name, ntext, text);
}

// Copies positions; the request's must come back bit for bit.
static outcome read_vertices(job *j, const unsigned char *p, int nvert) {
  csim_tets *out = j->out;
  const unsigned char *sent = j->request + CSIM_TET_REQUEST_HEADER;
  if (nvert < j->nused || memcmp(p, sent, 24 * (size_t)j->nused) != 0)
    return again(j, "%s: TetGen changed vertices of the surface; " EVEN, j->surface->name);
  out->nsurface = j->surface->nvert;
  if (nvert - j->nused > CSIM_MESH_MAX_VERT - out->nsurface)
    return fatal(j, FAIL(j, "%s: more than %d vertices", j->surface->name, CSIM_MESH_MAX_VERT));
  out->nvert = out->nsurface + (nvert - j->nused);
  out->vert = CSIM_ARENA_NEW(&out->arena, double, csim_xyz(out->nvert));
  if (out->arena.failed) return fatal(j, CSIM_MEMORY);
  memcpy(out->vert, j->surface->vert, 3 * sizeof(double) * (size_t)out->nsurface);
  p += 24 * (size_t)j->nused;
  double *v = out->vert + csim_xyz(out->nsurface);
  for (ptrdiff_t i = 0; i < csim_xyz(nvert - j->nused); i++)
    v[i] = from_tetgen(j, csim_load_f64(p + 8 * i), (int)(i % 3));
  return DONE;
}

static outcome read_tets(job *j, const unsigned char *p, int nvert, int ntet) {
  csim_tets *out = j->out;
  out->ntet = ntet;
  out->tet = CSIM_ARENA_NEW(&out->arena, int, csim_row(4, ntet));
  out->nloose = j->solid.nloose;
  out->loose = CSIM_ARENA_COPY(&out->arena, j->solid.loose, out->nloose);
  if (out->arena.failed) return fatal(j, CSIM_MEMORY);
  for (ptrdiff_t i = 0; i < csim_row(4, ntet); i++) {
    uint32_t v = csim_load_u32(p + 4 * i);
    out->tet[i] = v >= (uint32_t)nvert ? -1 // refused by csim_check_tets
                  : (int)v < j->nused  ? j->used[v]
                                       : (int)v - j->nused + out->nsurface;
  }
  return DONE;
}

static outcome read_reply(job *j, const csim_child_result *r) {
  outcome got = judge_child(j, r);
  if (got != DONE) return got;
  const unsigned char *p = r->output;
  int nvert = (int)csim_load_u32(p + 16), ntet = (int)csim_load_u32(p + 20);
  p += CSIM_TET_REPLY_HEADER + csim_load_u32(p + 12);
  got = read_vertices(j, p, nvert);
  if (got == DONE) got = read_tets(j, p + 24 * (size_t)nvert, nvert, ntet);
  if (got != DONE) return got;
  const char *wrong;
  csim_status status = csim_check_tets(j->out, &j->solid, &wrong);
  if (status == CSIM_MEMORY) return fatal(j, status);
  return wrong ? again(j, "%s: TetGen's result is refused: %s; " EVEN, j->surface->name, wrong)
               : DONE;
}

static outcome run_tetgen(job *j) {
  const csim_child child = {
      .argv = (const char *const[]){j->options->program, NULL},
      .input = j->request,
      .ninput = j->nrequest,
      .time_limit = WALL * ceil(time_limit(j->options)),
      .output_limit = MAX_REPLY,
  };
  csim_child_result result;
  csim_status status = csim_run_child(&child, &result);
  if (status == CSIM_IO) result.end = CSIM_CHILD_UNSTARTED;
  outcome got = status == CSIM_MEMORY ? fatal(j, status) : read_reply(j, &result);
  free(result.output);
  return got;
}

static csim_status try_all(job *j) {
  for (int k = 0; k < NATTEMPT; k++) {
    number_vertices(j, ATTEMPT[k].backwards);
    write_request(j, ATTEMPT[k].tolerance);
    outcome got = run_tetgen(j);
    if (got == DONE) return CSIM_OK;
    if (got == FATAL) return j->status;
    csim_tets_free(j->out);
  }
  return FAIL(j, "%s", j->problem);
}

// Largest volume that a tet may have; 0: any.
static double bound_of(const job *j, const int *tet) {
  const csim_tet_options *o = j->options;
  double bound = o->max_volume, center[3] = {0};
  for (int n = 0; n < 4; n++)
    for (int c = 0; c < 3; c++) center[c] += j->out->vert[csim_xyz(tet[n]) + c] / 4;
  for (int k = 0; k < o->nzone; k++) {
    const double *box = o->zone[k].box;
    int in = 1;
    for (int c = 0; c < 3; c++) in &= center[c] >= box[c] && center[c] <= box[3 + c];
    if (in && !(bound > 0 && bound < o->zone[k].max_volume)) bound = o->zone[k].max_volume;
  }
  return bound;
}

// TetGen may not split the surface's triangles, so it cannot always keep the bound.
static void warn_of_large(const job *j) {
  double worst = 0, largest = 0, allowed = 0;
  int nlarge = 0;
  for (int t = 0; t < j->out->ntet; t++) {
    const int *tet = j->out->tet + csim_row(4, t);
    double volume = csim_tet_volume(j->out->vert, tet), bound = bound_of(j, tet);
    if (!(bound > 0 && volume > bound * (1 + 1e-9))) continue;
    nlarge++;
    if (volume / bound <= worst) continue;
    worst = volume / bound;
    largest = volume;
    allowed = bound;
  }
  if (nlarge == 0) return;
  char bound_text[32], largest_text[32];
  csim_print_number(allowed, 4, bound_text);
  csim_print_number(largest, 4, largest_text);
  csim_say(j->log, CSIM_WARNING, j->place,
           "%s: %d of %d tetrahedra are larger than %s m^3, the largest %s m^3: the surface's "
           "triangles are kept as they are and too large for more; refine the surface",
           j->surface->name, nlarge, j->out->ntet, bound_text, largest_text);
}

static csim_status tetrahedralize(job *j) {
  csim_status status = check_options(j);
  if (!status) status = csim_check_solid(j->surface, j->place, j->log, &j->solid);
  if (!status) status = check_size(j);
  if (!status) status = allocate(j);
  if (status) return status;
  number_vertices(j, 0);
  normalise(j);
  status = try_all(j);
  if (status) return status;
  j->out->volume = j->solid.volume;
  warn_of_large(j);
  return CSIM_OK;
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
