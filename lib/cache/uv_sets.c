// cache/uv_sets.c: see uv_sets.h.
//
// OFFSET SIZE MEANING
//    0     4  texture coordinates
//    4     4  bytes of the name with the zero that ends it
//    8        name; zeros up to a multiple of 8
//             then arrays as in TOPO: all u, all v, the texture coordinate of each corner
#include "cache/uv_sets.h"

#include "cache/buffer.h"
#include "cache/layout.h"

#include <stdlib.h>
#include <string.h>

enum { FIXED = 8, MAX_NAME = 255, MAX_CORNER = 1 << 29 };

static ptrdiff_t corners_of(const csim_cache_object *o) {
  return o->nface ? o->face_start[o->nface] : 0;
}

static const char *check_set(const csim_cache_object *o, int k) {
  const csim_uv_set *set = &o->uv_set[k];
  if (!set->name || !*set->name || strlen(set->name) > MAX_NAME)
    return "names of its sets of texture coordinates must have 1 to 255 bytes";
  for (int i = 0; i < k; i++)
    if (!strcmp(o->uv_set[i].name, set->name))
      return "two of its sets of texture coordinates have the same name";
  if (set->n < 1 || set->n > MAX_CORNER) return "a count is out of range";
  for (ptrdiff_t c = 0; c < corners_of(o); c++)
    if (set->face_uv[c] < -1 || set->face_uv[c] >= set->n)
      return "a face refers to a texture coordinate that does not exist";
  return NULL;
}

const char *csim_uv_sets_check(const csim_cache_object *o) {
  if (o->nuv_set < 0 || o->nuv_set > CSIM_CACHE_MAX_UV_SET)
    return "it has more than 64 further sets of texture coordinates";
  const char *wrong = NULL;
  for (int k = 0; k < o->nuv_set && !wrong; k++) wrong = check_set(o, k);
  return wrong;
}

int csim_uv_set_write(csim_planes *planes, const csim_cache_object *o, const csim_uv_set *set,
                      csim_bytes *out) {
  ptrdiff_t ncorner = corners_of(o), size = (ptrdiff_t)strlen(set->name) + 1;
  uint32_t *word = CSIM_NEW(uint32_t, ncorner > set->n ? ncorner : set->n);
  csim_bytes_add32(out, (uint32_t)set->n);
  csim_bytes_add32(out, (uint32_t)size);
  csim_bytes_add(out, set->name, size);
  csim_bytes_add(out, NULL, (ptrdiff_t)csim_padded((uint64_t)size) - size);
  int bad = !word || csim_planes_write_vectors(planes, set->uv, 2, set->n, word, out) ||
            csim_planes_write_ints(planes, set->face_uv, ncorner, word, out);
  free(word);
  return bad || out->failed ? -1 : 0;
}

// Appends a set to those of an object.
static int add_set(csim_cache_object *o, csim_uv_set set, csim_arena *arena) {
  csim_uv_set *all = CSIM_ARENA_NEW(arena, csim_uv_set, o->nuv_set + 1);
  if (!all) return -1;
  if (o->nuv_set) memcpy(all, o->uv_set, (size_t)o->nuv_set * sizeof *all);
  all[o->nuv_set++] = set;
  o->uv_set = all;
  return 0;
}

int csim_uv_set_read(csim_planes *planes, const uint8_t *data, ptrdiff_t size, csim_arena *arena,
                     csim_cache_object *o) {
  if (size < FIXED) return -1;
  uint32_t n = csim_load_u32(data), bytes = csim_load_u32(data + 4);
  if (o->nuv_set == CSIM_CACHE_MAX_UV_SET || n > MAX_CORNER || bytes < 1 || bytes > MAX_NAME + 1 ||
      csim_padded(bytes) > (uint64_t)(size - FIXED) || data[FIXED + bytes - 1])
    return -1;
  csim_planes_reader r = {planes, arena, data + FIXED + csim_padded(bytes), data + size};
  csim_uv_set set = {.name = csim_arena_copy(arena, (const char *)data + FIXED), .n = (int)n};
  if (!set.name || !(set.uv = csim_planes_read_vectors(&r, 2, set.n)) ||
      !(set.face_uv = (int *)csim_planes_read_array(&r, corners_of(o))) || r.at != r.end)
    return -1;
  return add_set(o, set, arena);
}

static void *copy(csim_arena *arena, const void *from, ptrdiff_t n, size_t size) {
  void *to = csim_arena_alloc(arena, n, size);
  return to && n ? memcpy(to, from, (size_t)n * size) : to;
}

csim_uv_set *csim_uv_sets_copy(const csim_cache_object *o, csim_arena *arena) {
  csim_uv_set *all = o->nuv_set ? CSIM_ARENA_NEW(arena, csim_uv_set, o->nuv_set) : NULL;
  for (int k = 0; k < o->nuv_set && all; k++) {
    const csim_uv_set *from = &o->uv_set[k];
    all[k] = (csim_uv_set){.name = csim_arena_copy(arena, from->name),
                           .n = from->n,
                           .uv = copy(arena, from->uv, csim_row(2, from->n), sizeof(double)),
                           .face_uv = copy(arena, from->face_uv, corners_of(o), sizeof(int))};
  }
  return all;
}
