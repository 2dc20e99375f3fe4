// cache/topology.c: see topology.h.
//
// OFFSET SIZE MEANING
//    0     4  type: 0 cloth, 1 solid, 2 collider
//    4     4  attributes of every frame: bit 0 = velocities
//    8     4  vertices
//   12     4  faces
//   16     4  corners of all faces
//   20     4  texture coordinates
//   24     4  tags
//   28     4  tetrahedra
//   32     4  bytes of the names below
//   36     4  0
//   40        names, each ended by a zero byte: the object's, then the tags'; zeros up to 8
//             then arrays of u32, each as four planes of zigzag(value - previous value):
//             sizes of the faces, vertices of the corners, u and v (float bits in integer order)
//             and uv of the corners if there are texture coordinates, tags of the faces if there
//             are tags, corners of the tetrahedra if there are any
#include "cache/topology.h"

#include "cache/layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FIXED = 40, MAX_CORNER = 1 << 29, MAX_NAMES = 1 << 24, MAX_NAME = 255, MAX_TAG = 4095 };

// ------------------------------------------------------------------------------------------ check

static csim_status refuse(csim_log *log, csim_place place, const csim_cache_object *o,
                          const char *what) {
  return csim_refuse(log, place, "object \"%.64s\": %s", o->name ? o->name : "", what);
}

static int in_range(const int *index, ptrdiff_t n, int low, int high) {
  for (ptrdiff_t i = 0; i < n; i++)
    if (index[i] < low || index[i] >= high) return 0;
  return 1;
}

csim_status csim_topology_check(const csim_cache_object *o, csim_place place, csim_log *log) {
  if (!o->name || !*o->name || strlen(o->name) > MAX_NAME)
    return refuse(log, place, o, "its name must have 1 to 255 bytes");
  if (o->type < CSIM_CACHE_CLOTH || o->type > CSIM_CACHE_RENDER)
    return refuse(log, place, o, "unknown type");
  if (o->nvert < 1 || o->nvert > CSIM_CACHE_MAX_VERT)
    return refuse(log, place, o, "number of vertices out of range");
  if (o->nface < 0 || o->nface > CSIM_CACHE_MAX_FACE || o->nuv < 0 || o->nuv > MAX_CORNER ||
      o->ntet < 0 || o->ntet > CSIM_CACHE_MAX_FACE || o->ntag < 0 || o->ntag > CSIM_CACHE_MAX_TAG)
    return refuse(log, place, o, "a count is out of range");
  if (o->nface > 0 && o->face_start[0] != 0)
    return refuse(log, place, o, "the first face does not start at corner 0");
  for (int f = 0; f < o->nface; f++)
    if (o->face_start[f + 1] < o->face_start[f])
      return refuse(log, place, o, "a face has a negative number of corners");
  if (o->nsample < 0 || o->nsample > CSIM_CACHE_MAX_SAMPLE)
    return refuse(log, place, o, "its number of samples is out of range");
  int ncorner = o->nface ? o->face_start[o->nface] : 0;
  if (ncorner > MAX_CORNER) return refuse(log, place, o, "too many corners");
  if (!in_range(o->face_vert, ncorner, 0, o->nvert))
    return refuse(log, place, o, "a face refers to a vertex that does not exist");
  if (o->nuv && !in_range(o->face_uv, ncorner, -1, o->nuv))
    return refuse(log, place, o, "a face refers to a texture coordinate that does not exist");
  if (o->ntag && !in_range(o->face_tag, o->nface, -1, o->ntag))
    return refuse(log, place, o, "a face refers to a tag that does not exist");
  if (!in_range(o->tet, csim_row(4, o->ntet), 0, o->nvert))
    return refuse(log, place, o, "a tetrahedron refers to a vertex that does not exist");
  size_t names = strlen(o->name) + 1;
  for (int i = 0; i < o->ntag; i++) {
    if (!o->tag[i] || strlen(o->tag[i]) > MAX_TAG)
      return refuse(log, place, o, "a tag is longer than 4095 bytes");
    names += strlen(o->tag[i]) + 1;
  }
  if (names > MAX_NAMES) return refuse(log, place, o, "its tags have more than 16 MiB");
  return CSIM_OK;
}

// ------------------------------------------------------------------------------------------ write

static void write_names(const csim_cache_object *o, csim_bytes *out) {
  csim_bytes_add(out, o->name, (ptrdiff_t)strlen(o->name) + 1);
  for (int i = 0; i < o->ntag; i++)
    csim_bytes_add(out, o->tag[i], (ptrdiff_t)strlen(o->tag[i]) + 1);
}

static int write_arrays(csim_planes *planes, const csim_cache_object *o, int ncorner,
                        uint32_t *word, csim_bytes *out) {
  for (int f = 0; f < o->nface; f++) word[f] = (uint32_t)(o->face_start[f + 1] - o->face_start[f]);
  if (csim_planes_write_array(planes, word, o->nface, out)) return -1;
  if (csim_planes_write_ints(planes, o->face_vert, ncorner, word, out)) return -1;
  if (o->nuv && csim_planes_write_vectors(planes, o->uv, 2, o->nuv, word, out)) return -1;
  if (o->nuv && csim_planes_write_ints(planes, o->face_uv, ncorner, word, out)) return -1;
  if (o->ntag && csim_planes_write_ints(planes, o->face_tag, o->nface, word, out)) return -1;
  if (o->ntet && csim_planes_write_ints(planes, o->tet, csim_row(4, o->ntet), word, out)) return -1;
  return out->failed ? -1 : 0;
}

static ptrdiff_t largest(ptrdiff_t a, ptrdiff_t b) {
  return a > b ? a : b;
}

// Bit 0: velocities, 1: contact pressures, 2: strain; bits 8 to 11: number of samples.
static uint32_t flags_of(const csim_cache_object *o) {
  return (o->has_velocity ? 1u : 0u) | (o->has_pressure ? 2u : 0u) | (o->has_strain ? 4u : 0u) |
         (uint32_t)o->nsample << 8;
}

int csim_topology_write(csim_planes *planes, const csim_cache_object *o, csim_bytes *out) {
  int ncorner = o->nface ? o->face_start[o->nface] : 0;
  csim_bytes names = {0};
  uint32_t *word = NULL;
  int status = -1;
  write_names(o, &names);
  const uint32_t head[10] = {(uint32_t)o->type,  flags_of(o),       (uint32_t)o->nvert,
                             (uint32_t)o->nface, (uint32_t)ncorner, (uint32_t)o->nuv,
                             (uint32_t)o->ntag,  (uint32_t)o->ntet, (uint32_t)names.n};
  for (int i = 0; i < 10; i++) csim_bytes_add32(out, head[i]);
  csim_bytes_add(out, names.data, names.n);
  csim_bytes_add(out, NULL, (ptrdiff_t)csim_padded((uint64_t)names.n) - names.n);
  word = CSIM_NEW(uint32_t,
                  largest(largest(o->nface, ncorner), largest(o->nuv, csim_row(4, o->ntet))));
  if (!word || names.failed || out->failed) goto done;
  status = write_arrays(planes, o, ncorner, word, out);
done:
  free(word);
  free(names.data);
  return status;
}

// ------------------------------------------------------------------------------------------- read

// An array of ints; u32 and int may alias.
static int *read_ints(csim_planes_reader *r, ptrdiff_t n) {
  return (int *)csim_planes_read_array(r, n);
}

// Names follow each other, each ended by a zero byte.
static int read_names(csim_planes_reader *r, ptrdiff_t size, csim_cache_object *o) {
  char *names = CSIM_ARENA_NEW(r->arena, char, size);
  char **tag = CSIM_ARENA_NEW(r->arena, char *, o->ntag);
  if (!names || !tag || size < 1 || r->at[size - 1]) return -1;
  memcpy(names, r->at, (size_t)size);
  char *next = names, *stop = names + size;
  for (int i = -1; i < o->ntag; i++) {
    if (next >= stop) return -1;
    if (i < 0)
      o->name = next;
    else
      tag[i] = next;
    next += strlen(next) + 1;
  }
  o->tag = tag;
  r->at += csim_padded((uint64_t)size);
  return next == stop ? 0 : -1;
}

static int read_faces(csim_planes_reader *r, csim_cache_object *o, int ncorner) {
  const uint32_t *count = csim_planes_read_array(r, o->nface);
  int *start = CSIM_ARENA_NEW(r->arena, int, (ptrdiff_t)o->nface + 1);
  if (!count || !start) return -1;
  for (int f = 0; f < o->nface; f++) {
    if (count[f] > (uint32_t)(ncorner - start[f])) return -1;
    start[f + 1] = start[f] + (int)count[f];
  }
  o->face_start = start;
  o->face_vert = read_ints(r, ncorner);
  return o->face_vert && start[o->nface] == ncorner ? 0 : -1;
}

static int read_uv(csim_planes_reader *r, csim_cache_object *o, int ncorner) {
  o->uv = csim_planes_read_vectors(r, 2, o->nuv);
  if (!o->uv) return -1;
  o->face_uv = read_ints(r, ncorner);
  return o->face_uv ? 0 : -1;
}

int csim_topology_read(csim_planes *planes, const uint8_t *data, ptrdiff_t size, csim_arena *arena,
                       csim_cache_object *object) {
  csim_planes_reader r = {planes, arena, data + FIXED, data + size};
  csim_cache_object o = {0};
  if (size < FIXED) return -1;
  uint32_t head[10];
  for (int i = 0; i < 10; i++) head[i] = csim_load_u32(data + 4 * i);
  if (head[0] > CSIM_CACHE_RENDER || head[2] > CSIM_CACHE_MAX_VERT ||
      head[3] > CSIM_CACHE_MAX_FACE || head[4] > MAX_CORNER || head[5] > MAX_CORNER ||
      head[6] > CSIM_CACHE_MAX_TAG || head[7] > CSIM_CACHE_MAX_FACE || head[8] > MAX_NAMES ||
      (head[1] >> 8 & 15) > CSIM_CACHE_MAX_SAMPLE)
    return -1;
  o.type = (csim_cache_type)head[0];
  o.has_velocity = head[1] & 1;
  o.has_pressure = head[1] >> 1 & 1;
  o.has_strain = head[1] >> 2 & 1;
  o.nsample = (int)(head[1] >> 8 & 15);
  o.nvert = (int)head[2];
  o.nface = (int)head[3];
  o.nuv = (int)head[5];
  o.ntag = (int)head[6];
  o.ntet = (int)head[7];
  int ncorner = (int)head[4];
  if (csim_padded(head[8]) > (uint64_t)(r.end - r.at) || head[6] >= head[8]) return -1;
  if (read_names(&r, head[8], &o) || read_faces(&r, &o, ncorner)) return -1;
  if (o.nuv && read_uv(&r, &o, ncorner)) return -1;
  if (o.ntag && !(o.face_tag = read_ints(&r, o.nface))) return -1;
  if (o.ntet && !(o.tet = read_ints(&r, csim_row(4, o.ntet)))) return -1;
  if (r.at != r.end) return -1;
  *object = o;
  return 0;
}
