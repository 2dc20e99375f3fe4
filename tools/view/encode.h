// view/encode.h: bytes that grow, and how they are packed and put into text. Needs zlib.
#ifndef VIEW_ENCODE_H
#define VIEW_ENCODE_H

#include <stddef.h>
#include <stdint.h>

/// Append everything, test `failed` once; zero-initialise, free `data`.
typedef struct view_bytes {
  uint8_t *data;
  size_t n, capacity;
  int failed; ///< out of memory; sticky
} view_bytes;

void view_bytes_add(view_bytes *bytes, const void *data, size_t n);
void view_bytes_print(view_bytes *bytes, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/// A string as JSON, safe inside a script element too.
void view_bytes_quote(view_bytes *bytes, const char *text);

/// JSON text as it is, but safe inside a script element.
void view_bytes_json(view_bytes *bytes, const char *json);

/// n words as four planes of bytes, the lowest bytes first.
void view_bytes_planes(view_bytes *bytes, size_t n, const uint32_t *word);

/// Appends the zlib stream of `raw`.
void view_bytes_deflate(view_bytes *bytes, const view_bytes *raw);

/// Appends base64.
void view_bytes_base64(view_bytes *bytes, size_t n, const uint8_t *data);

/// Small differences of either sign as small unsigned: 0, -1, 1, -2 -> 0, 1, 2, 3.
static inline uint32_t view_zigzag(uint32_t d) {
  return d << 1 ^ (0u - (d >> 31));
}

#endif
