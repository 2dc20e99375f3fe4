// cache/look.c: see look.h.
//
// OFFSET SIZE MEANING
//    0     4  normals
//    4     4  bit 0: colours
//    8        arrays of u32, each as four planes of zigzag(value - previous value): if there are
//             normals, the normal of each corner, then all x, y, z (float bits in integer order);
//             if there are colours, all red, green, blue of the vertices, the same
#include "cache/look.h"

#include "cache/buffer.h"

#include <stdlib.h>

enum { FIXED = 8 };

const char csim_look_no_memory[] = "out of memory";

static int corners_of(const csim_cache_object *o) {
  return o->nface ? o->face_start[o->nface] : 0;
}

int csim_look_normals(const csim_cache_object *o, csim_arena *arena, csim_normals *normals) {
  *normals = (csim_normals){0};
  if (!o->nnormal) return 0;
  *normals = (csim_normals){.n = o->nnormal,
                            .ncorner = corners_of(o),
                            .vert = CSIM_ARENA_NEW(arena, int, o->nnormal),
                            .corner = (int *)(uintptr_t)o->face_normal,
                            .local = (double *)(uintptr_t)o->normal};
  if (!normals->vert) return -1;
  for (int c = 0; c < normals->ncorner; c++)
    if (o->face_normal[c] >= 0) normals->vert[o->face_normal[c]] = o->face_vert[c];
  return 0;
}

const char *csim_look_check(const csim_cache_object *o) {
  static const char wrong[] = "a corner has a normal that does not exist or is of another vertex";
  int ncorner = corners_of(o);
  if (o->nnormal < 0 || o->nnormal > ncorner) return "its number of normals is out of range";
  if (!o->nnormal) return NULL;
  int *vert = CSIM_NEW(int, o->nnormal);
  const char *what = vert ? NULL : csim_look_no_memory;
  for (int k = 0; k < o->nnormal && vert; k++) vert[k] = -1;
  for (int c = 0; c < ncorner && o->nnormal && !what; c++) {
    int k = o->face_normal[c];
    if (k < -1 || k >= o->nnormal || (k >= 0 && vert[k] >= 0 && vert[k] != o->face_vert[c]))
      what = wrong;
    else if (k >= 0)
      vert[k] = o->face_vert[c];
  }
  free(vert);
  return what;
}

// ---------------------------------------------------------------------------------------- in, out

int csim_look_write(csim_planes *planes, const csim_cache_object *o, csim_bytes *out) {
  ptrdiff_t ncorner = corners_of(o), most = ncorner > o->nvert ? ncorner : o->nvert;
  uint32_t *word = CSIM_NEW(uint32_t, most);
  int bad = !word;
  csim_bytes_add32(out, (uint32_t)o->nnormal);
  csim_bytes_add32(out, o->colour != NULL);
  if (!bad && o->nnormal) {
    bad = csim_planes_write_ints(planes, o->face_normal, ncorner, word, out) ||
          csim_planes_write_vectors(planes, o->normal, 3, o->nnormal, word, out);
  }
  if (!bad && o->colour) bad = csim_planes_write_vectors(planes, o->colour, 3, o->nvert, word, out);
  free(word);
  return bad || out->failed ? -1 : 0;
}

int csim_look_read(csim_planes *planes, const uint8_t *data, ptrdiff_t size, csim_arena *arena,
                   csim_cache_object *o) {
  csim_planes_reader r = {planes, arena, data + FIXED, data + size};
  if (size < FIXED) return -1;
  uint32_t n = csim_load_u32(data), flags = csim_load_u32(data + 4);
  if (n > (uint32_t)corners_of(o)) return -1;
  o->nnormal = (int)n;
  if (n && !(o->face_normal = (int *)csim_planes_read_array(&r, corners_of(o)))) return -1;
  if (n && !(o->normal = csim_planes_read_vectors(&r, 3, (ptrdiff_t)n))) return -1;
  if (flags & 1 && !(o->colour = csim_planes_read_vectors(&r, 3, o->nvert))) return -1;
  return r.at == r.end ? 0 : -1;
}

csim_cache_object csim_object_of_mesh(const csim_mesh *mesh) {
  return (csim_cache_object){.nvert = mesh->nvert,
                             .nface = mesh->nface,
                             .face_start = mesh->face_start,
                             .face_vert = mesh->face_vert,
                             .nuv = mesh->nuv,
                             .uv = mesh->uv,
                             .face_uv = mesh->face_uv,
                             .nnormal = mesh->look.normals.n,
                             .normal = mesh->look.normals.local,
                             .face_normal = mesh->look.normals.corner,
                             .colour = mesh->look.colour,
                             .nuv_set = mesh->look.nuv_set,
                             .uv_set = mesh->look.uv_set,
                             .ntag = mesh->ntag,
                             .tag = mesh->tag,
                             .face_tag = mesh->face_tag};
}
