// view/encode.c: see encode.h.
#include "encode.h"

#include "clothsim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static uint8_t *reserve(view_bytes *b, size_t n) {
  if (b->failed) return NULL;
  if (b->n + n > b->capacity) {
    size_t capacity = 2 * b->capacity > b->n + n ? 2 * b->capacity : b->n + n + 256;
    uint8_t *grown = realloc(b->data, capacity);
    if (!grown) {
      b->failed = 1;
      return NULL;
    }
    b->data = grown;
    b->capacity = capacity;
  }
  return b->data + b->n;
}

void view_bytes_add(view_bytes *b, const void *data, size_t n) {
  uint8_t *to = reserve(b, n);
  if (!to) return;
  if (n) memcpy(to, data, n);
  b->n += n;
}

void view_bytes_print(view_bytes *b, const char *format, ...) {
  char text[512];
  va_list args;
  va_start(args, format);
  int n = vsnprintf(text, sizeof text, format, args);
  va_end(args);
  view_bytes_add(b, text, n < (int)sizeof text ? (size_t)n : sizeof text - 1);
}

void view_bytes_quote(view_bytes *b, const char *text) {
  view_bytes_add(b, "\"", 1);
  char escape[8];
  for (; *text; text++)
    if (*text == '<')
      view_bytes_print(b, "\\u003c"); // "</script>" would end the page's script
    else
      view_bytes_add(b, escape, (size_t)csim_escape_json(*text, escape));
  view_bytes_add(b, "\"", 1);
}

void view_bytes_json(view_bytes *b, const char *json) {
  for (const char *p = json; *p; p++)
    if (*p == '<')
      view_bytes_print(b, "\\u003c"); // only strings can hold it
    else
      view_bytes_add(b, p, 1);
}

void view_bytes_planes(view_bytes *b, size_t n, const uint32_t *word) {
  uint8_t *to = reserve(b, 4 * n);
  if (!to) return;
  for (int plane = 0; plane < 4; plane++)
    for (size_t i = 0; i < n; i++) *to++ = (uint8_t)(word[i] >> 8 * plane);
  b->n += 4 * n;
}

void view_bytes_deflate(view_bytes *b, const view_bytes *raw) {
  uLong bound = compressBound(raw->n);
  uint8_t *to = raw->failed ? NULL : reserve(b, bound);
  if (!to || compress2(to, &bound, raw->data, raw->n, 6) != Z_OK) {
    b->failed = 1;
    return;
  }
  b->n += bound;
}

void view_bytes_base64(view_bytes *b, size_t n, const uint8_t *data) {
  static const char digit[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  uint8_t *to = reserve(b, (n + 2) / 3 * 4);
  if (!to) return;
  for (size_t i = 0; i < n; i += 3) {
    unsigned v = (unsigned)data[i] << 16;
    if (i + 1 < n) v |= (unsigned)data[i + 1] << 8;
    if (i + 2 < n) v |= data[i + 2];
    *to++ = (uint8_t)digit[v >> 18];
    *to++ = (uint8_t)digit[v >> 12 & 63];
    *to++ = i + 1 < n ? (uint8_t)digit[v >> 6 & 63] : '=';
    *to++ = i + 2 < n ? (uint8_t)digit[v & 63] : '=';
  }
  b->n += (n + 2) / 3 * 4;
}
