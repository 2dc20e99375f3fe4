// base/arena.c: see arena.h.
#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ALIGN = 64, BLOCK = 1 << 16, LARGE = 1 << 20 };

struct csim_arena_block {
  struct csim_arena_block *next;
  size_t size, used; // of the bytes after the header
  int own;           // of one array
};

// The header takes one alignment unit, so that data starts aligned.
_Static_assert(sizeof(struct csim_arena_block) <= ALIGN, "header fits its slot");

static struct csim_arena_block *block_new(size_t size) {
  if (size > SIZE_MAX - 2 * ALIGN) return NULL;
  struct csim_arena_block *b = aligned_alloc(ALIGN, ALIGN + (size + ALIGN - 1) / ALIGN * ALIGN);
  if (b) *b = (struct csim_arena_block){.size = (size + ALIGN - 1) / ALIGN * ALIGN};
  return b;
}

void *csim_arena_alloc(csim_arena *arena, ptrdiff_t n, size_t size) {
  if (arena->failed) return NULL;
  if (n < 0 || (size && (size_t)n > (SIZE_MAX / 2 - ALIGN) / size)) {
    arena->failed = 1;
    return NULL;
  }
  size_t bytes = ((size_t)n * size + ALIGN - 1) / ALIGN * ALIGN;
  if (bytes == 0) bytes = ALIGN;
  struct csim_arena_block *b = arena->head;
  if (!b || b->size - b->used < bytes) {
    // large requests get a block of their own behind the head, which keeps its free space
    int own = bytes >= BLOCK / 4;
    struct csim_arena_block *fresh = block_new(own ? bytes : BLOCK);
    if (!fresh) {
      arena->failed = 1;
      return NULL;
    }
    fresh->own = own;
    if (own && b) {
      fresh->next = b->next;
      b->next = fresh;
    } else {
      fresh->next = b;
      arena->head = fresh;
    }
    b = fresh;
  }
  void *p = (char *)b + ALIGN + b->used;
  b->used += bytes;
  arena->used += bytes;
  return memset(p, 0, bytes);
}

char *csim_arena_copy(csim_arena *arena, const char *text) {
  if (!text) return NULL;
  size_t n = strlen(text) + 1;
  char *copy = csim_arena_alloc(arena, (ptrdiff_t)n, 1);
  return copy ? memcpy(copy, text, n) : NULL;
}

void *csim_arena_copy_array(csim_arena *arena, const void *from, ptrdiff_t n, size_t size) {
  void *copy = csim_arena_alloc(arena, n, size);
  if (copy && n) memcpy(copy, from, (size_t)n * size);
  return copy;
}

// With an arena NULL the string is on the heap.
static char *print_list(csim_arena *arena, const char *format, va_list args) {
  va_list again;
  va_copy(again, args);
  int n = vsnprintf(NULL, 0, format, again);
  va_end(again);
  char *text = n < 0 ? NULL : arena ? csim_arena_alloc(arena, n + 1, 1) : csim_alloc(n + 1, 1);
  if (text) vsnprintf(text, (size_t)n + 1, format, args);
  return text;
}

char *csim_arena_print(csim_arena *arena, const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = print_list(arena, format, args);
  va_end(args);
  return text;
}

char *csim_print(const char *format, ...) {
  va_list args;
  va_start(args, format);
  char *text = print_list(NULL, format, args);
  va_end(args);
  return text;
}

void csim_arena_drop(csim_arena *arena, const void *array) {
  for (struct csim_arena_block **at = &arena->head; *at; at = &(*at)->next) {
    struct csim_arena_block *b = *at;
    if (!b->own || (const char *)b + ALIGN != (const char *)array) continue;
    arena->used -= b->used;
    *at = b->next;
    free(b);
    return;
  }
}

void csim_arena_free(csim_arena *arena) {
  for (struct csim_arena_block *b = arena->head, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  *arena = (csim_arena){0};
}

void *csim_alloc(ptrdiff_t n, size_t size) {
  if (n < 0) return NULL;
  return calloc(n ? (size_t)n : 1, size);
}

void *csim_grow(void *array, ptrdiff_t *capacity, ptrdiff_t need, size_t size) {
  if (need <= *capacity && array) return array;
  ptrdiff_t cap = *capacity < 16 ? 16 : *capacity;
  while (cap < need) {
    if (cap > PTRDIFF_MAX / 2) return NULL;
    cap += (size_t)cap < LARGE / (size ? size : 1) ? cap : cap / 4;
  }
  if (size && (size_t)cap > SIZE_MAX / 2 / size) return NULL;
  void *moved = realloc(array, (size_t)cap * size);
  if (moved) *capacity = cap;
  return moved;
}

int csim_grow_pointer(void *pointer, ptrdiff_t *capacity, ptrdiff_t need, size_t size) {
  void *array;
  memcpy(&array, pointer, sizeof array); // a pointer of any type
  array = csim_grow(array, capacity, need, size);
  if (!array) return -1;
  memcpy(pointer, &array, sizeof array);
  return 0;
}
