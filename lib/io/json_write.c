// io/json_write.c: see json_write.h.
#include "io/json_write.h"

#include "base/arena.h"
#include "base/number.h"
#include "clothsim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void append(csim_json_out *out, const char *bytes, size_t n) {
  if (out->failed) return;
  if (CSIM_GROW(out->text, out->capacity, out->length + (ptrdiff_t)n + 1)) {
    out->failed = 1;
    return;
  }
  memcpy(out->text + out->length, bytes, n);
  out->length += (ptrdiff_t)n;
  out->text[out->length] = 0;
}

int csim_escape_json(char byte, char *escape) {
  static const char digits[] = "0123456789abcdef";
  unsigned code = (unsigned char)byte;
  int n = 0;
  if (code < 0x20) {
    memcpy(escape, "\\u00", 4);
    escape[4] = digits[code >> 4];
    escape[5] = digits[code & 15];
    n = 6;
  } else {
    if (byte == '"' || byte == '\\') escape[n++] = '\\';
    escape[n++] = byte;
  }
  escape[n] = 0;
  return n;
}

static void append_quoted(csim_json_out *out, const char *text) {
  char escape[8];
  append(out, "\"", 1);
  for (; *text; text++) append(out, escape, (size_t)csim_escape_json(*text, escape));
  append(out, "\"", 1);
}

static int is_flat(const csim_json_out *out) {
  return out->flat && out->depth >= out->flat;
}

static void append_break(csim_json_out *out) {
  append(out, "\n", 1);
  for (int i = 0; i < out->depth; i++) append(out, "  ", 2);
}

// What comes before a value: comma, line break, key.
static void begin_value(csim_json_out *out, const char *key) {
  if (out->filled) append(out, ",", 1);
  if (out->depth && !is_flat(out))
    append_break(out);
  else if (out->filled)
    append(out, " ", 1);
  out->filled = 1;
  if (!key) return;
  append_quoted(out, key);
  append(out, ": ", 2);
}

void csim_json_open(csim_json_out *out, const char *key, char bracket) {
  begin_value(out, key);
  append(out, &bracket, 1);
  out->depth++;
  out->filled = 0;
}

void csim_json_open_flat(csim_json_out *out, const char *key, char bracket) {
  csim_json_open(out, key, bracket);
  if (!out->flat) out->flat = out->depth;
}

void csim_json_close(csim_json_out *out, char bracket) {
  int flat = is_flat(out);
  if (out->flat == out->depth) out->flat = 0;
  out->depth--;
  if (out->filled && !flat) append_break(out);
  append(out, &bracket, 1);
  out->filled = 1;
}

char *csim_json_take(csim_json_out *out) {
  if (!out->failed) return out->text;
  free(out->text);
  return NULL;
}

char *csim_json_end(csim_json_out *out) {
  append(out, "\n", 1);
  return csim_json_take(out);
}

int csim_print_shortest(double value, char *text) {
  double back = 0;
  int n = 0;
  for (int digits = 15; digits <= 17; digits++) {
    n = csim_print_number(value, digits, text);
    if (csim_read_number(text, text + n, &back) && back == value) break;
  }
  return n;
}

void csim_json_number(csim_json_out *out, const char *key, double value) {
  char text[32];
  begin_value(out, key);
  if (!isfinite(value))
    append(out, "null", 4);
  else
    append(out, text, (size_t)csim_print_shortest(value, text));
}

void csim_json_integer(csim_json_out *out, const char *key, long long value) {
  char text[32];
  begin_value(out, key);
  append(out, text, (size_t)snprintf(text, sizeof text, "%lld", value));
}

void csim_json_text(csim_json_out *out, const char *key, const char *text) {
  begin_value(out, key);
  append_quoted(out, text);
}

void csim_json_hash(csim_json_out *out, const char *key, uint64_t hash) {
  char text[17];
  snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
  csim_json_text(out, key, text);
}

void csim_json_bool(csim_json_out *out, const char *key, int value) {
  csim_json_raw(out, key, value ? "true" : "false");
}

void csim_json_raw(csim_json_out *out, const char *key, const char *json) {
  begin_value(out, key);
  append(out, json, strlen(json));
}
