// cache/face_sets.c: see face_sets.h.
#include "cache/face_sets.h"

#include "mesh/tag.h"

#include <string.h>

enum { MOST_OF_TAG = 2048 }; // names in a tag, which has at most 4095 bytes

/// Sets under construction.
typedef struct sorter {
  csim_arena *arena;
  int n, capacity;
  csim_face_set *set;
  int *ntag_set, **tag_set; // (ntag) sets of each tag
} sorter;

static int add_set(sorter *s, int is_material, const char *name, int length) {
  char *copy = csim_arena_print(s->arena, "%.*s", length, name);
  for (int k = 0; k < s->n && copy; k++)
    if (!strcmp(s->set[k].name, copy)) { // groups and materials may share a name
      if (s->set[k].is_material == is_material) return k;
      copy = csim_arena_print(s->arena, "%s_%s", copy, is_material ? "material" : "group");
      k = -1;
    }
  if (!copy) return -1;
  if (s->n == s->capacity) {
    int capacity = s->capacity ? 2 * s->capacity : 16;
    csim_face_set *grown = CSIM_ARENA_NEW(s->arena, csim_face_set, capacity);
    if (!grown) return -1;
    if (s->n) memcpy(grown, s->set, (size_t)s->n * sizeof *grown);
    s->set = grown;
    s->capacity = capacity;
  }
  s->set[s->n] = (csim_face_set){.name = copy, .is_material = is_material};
  return s->n++;
}

// The sets of one tag: its groups, word by word, and its material.
static int read_tag(sorter *s, const char *tag, int *id) {
  int n = 0, length;
  const char *p = csim_tag_name(tag, CSIM_TAG_GROUP, &length), *end = p + length;
  while (p < end && n < MOST_OF_TAG - 1) {
    const char *word = p;
    while (p < end && *p != ' ' && *p != '\t') p++;
    if (p > word && (id[n++] = add_set(s, 0, word, (int)(p - word))) < 0) return -1;
    if (p < end) p++;
  }
  const char *material = csim_tag_name(tag, CSIM_TAG_MATERIAL, &length);
  if (length && (id[n++] = add_set(s, 1, material, length)) < 0) return -1;
  return n;
}

static int read_tags(sorter *s, const csim_cache_object *object) {
  s->ntag_set = CSIM_ARENA_NEW(s->arena, int, object->ntag);
  s->tag_set = CSIM_ARENA_NEW(s->arena, int *, object->ntag);
  for (int t = 0; t < object->ntag && s->tag_set && s->ntag_set; t++) {
    int id[MOST_OF_TAG], n = read_tag(s, object->tag[t], id);
    if (n < 0) return -1;
    s->ntag_set[t] = n;
    s->tag_set[t] = CSIM_ARENA_COPY(s->arena, id, n);
  }
  return s->arena->failed ? -1 : 0;
}

int csim_face_sets(const csim_cache_object *object, csim_arena *arena, csim_face_set **set) {
  sorter s = {.arena = arena};
  *set = NULL;
  if (!object->ntag) return 0;
  if (read_tags(&s, object)) return -1;
  for (int pass = 0; pass < 2; pass++) { // count, then fill
    for (int k = 0; k < s.n; k++) {
      if (pass) s.set[k].face = CSIM_ARENA_NEW(arena, int, s.set[k].n);
      if (pass && !s.set[k].face) return -1;
      s.set[k].n = 0;
    }
    for (int f = 0; f < object->nface; f++) {
      int t = object->face_tag[f];
      for (int i = 0; t >= 0 && i < s.ntag_set[t]; i++) {
        csim_face_set *one = &s.set[s.tag_set[t][i]];
        int again = pass && one->n && one->face[one->n - 1] == f; // a name twice in a tag
        if (pass && !again) one->face[one->n] = f;
        one->n += !again;
      }
    }
  }
  *set = s.set;
  return s.n;
}
