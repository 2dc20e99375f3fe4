// base/arena.h: memory that is freed together. Needs nothing.
//
// A caller allocates everything it needs and tests arena.failed once: a failed arena returns NULL
// from then on. Blocks never move, so pointers stay valid until csim_arena_free.
#ifndef CSIM_BASE_ARENA_H
#define CSIM_BASE_ARENA_H

#include <stddef.h>

typedef struct csim_arena {
  struct csim_arena_block *head;
  size_t used; ///< bytes handed out
  int failed;  ///< an allocation failed (or overflowed); sticky
} csim_arena;

/// Zeroed memory for n elements of the given size, 64-byte aligned. n = 0 gives a valid pointer.
/// NULL when out of memory, on overflow or n < 0, and the arena is marked as failed.
void *csim_arena_alloc(csim_arena *arena, ptrdiff_t n, size_t size);
#define CSIM_ARENA_NEW(arena, T, n) ((T *)csim_arena_alloc((arena), (n), sizeof(T)))

/// A copy of the string; NULL gives NULL.
char *csim_arena_copy(csim_arena *arena, const char *text);

/// A copy of n elements; as csim_arena_alloc where that fails. `from` may be NULL when n = 0.
void *csim_arena_copy_array(csim_arena *arena, const void *from, ptrdiff_t n, size_t size);
#define CSIM_ARENA_COPY(arena, from, n) csim_arena_copy_array((arena), (from), (n), sizeof *(from))

/// A formatted string.
char *csim_arena_print(csim_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// Frees an array before the others, if it is large enough to have memory of its own.
void csim_arena_drop(csim_arena *arena, const void *array);

/// Frees everything; the arena is empty and usable again.
void csim_arena_free(csim_arena *arena);

/// Zeroed heap memory for n elements; NULL when out of memory, on overflow, or n < 0.
/// n = 0 gives a valid pointer. Release with free().
void *csim_alloc(ptrdiff_t n, size_t size);
#define CSIM_NEW(T, n) ((T *)csim_alloc((n), sizeof(T)))

/// A formatted string on the heap; NULL when out of memory. Release with free().
char *csim_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Ensures a capacity of `need` elements in a heap array of capacity *capacity. Doubles it; above a
/// MiB grows it by quarters, as up to half of it would be unused. Returns the (moved) array, or
/// NULL when out of memory: the old array is then still valid.
void *csim_grow(void *array, ptrdiff_t *capacity, ptrdiff_t need, size_t size);

/// csim_grow of the array that the variable `array` points to, which follows it.
/// @return 0, or -1 when out of memory
#define CSIM_GROW(array, capacity, need)                                                           \
  csim_grow_pointer(&(array), &(capacity), (need), sizeof *(array))
int csim_grow_pointer(void *pointer, ptrdiff_t *capacity, ptrdiff_t need, size_t size);

#endif
