// io/json.c: see json.h.
#include "io/json.h"

#include "io/file.h"
#include "io/json_scan.h"

#include <assert.h>
#include <stdio.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ trees

// Gives every node of the tree its note: both are in document order.
static void number_nodes(const csim_json *json, cJSON *item, int *next) {
  assert(*next < json->nnote);
  item->valueint = *next;
  if (cJSON_IsNumber(item)) item->valuedouble = json->note[*next].number;
  ++*next;
  for (cJSON *child = item->child; child; child = child->next) number_nodes(json, child, next);
}

// Appends an entry for the text; the text (length bytes and a 0) is copied. -1 = out of memory.
static int add_source(csim_json *json, const char *name, const char *text, size_t length) {
  if (CSIM_GROW(json->source, json->source_capacity, json->nsource + 1)) return -1;
  csim_json_source source = {.name = csim_arena_copy(&json->arena, name),
                             .text = csim_arena_alloc(&json->arena, (ptrdiff_t)length + 1, 1),
                             .prefix = "",
                             .positions = 1};
  if (json->arena.failed) return -1;
  memcpy(source.text, text, length);
  json->source[json->nsource] = source;
  return (int)json->nsource++;
}

// Room for one more note, and note 0, "nowhere". NULL when out of memory.
static csim_json_note *grow_notes(csim_json *json) {
  if (CSIM_GROW(json->note, json->note_capacity, json->nnote + 2)) return NULL;
  if (!json->nnote) json->note[json->nnote++] = (csim_json_note){.index = -1, .key_at = -1};
  return json->note;
}

int csim_json_add_place(csim_json *json, const char *name, const char *pointer) {
  int source = grow_notes(json) ? add_source(json, name, "", 0) : -1;
  const char *prefix = csim_arena_copy(&json->arena, pointer);
  if (source < 0 || !prefix) return 0;
  json->source[source].prefix = prefix;
  json->source[source].positions = 0;
  json->note[json->nnote] = (csim_json_note){.source = source, .index = -1, .key_at = -1};
  return (int)json->nnote++;
}

csim_status csim_json_read_text(csim_json *json, const char *name, const char *text, size_t length,
                                csim_log *log, cJSON **tree) {
  *tree = NULL;
  csim_place place = {.file = name};
  if (length > CSIM_JSON_MAX_BYTES)
    return csim_refuse(log, place, "longer than %d MiB; choose vertices by group or box",
                       CSIM_JSON_MAX_BYTES >> 20);
  int source = grow_notes(json) ? add_source(json, name, text, length) : -1;
  if (source < 0) goto memory;
  int next = (int)json->nnote;
  csim_status status = csim_json_scan(json, source, length, log);
  if (status == CSIM_MEMORY) goto memory;
  if (status != CSIM_OK) return status;
  // the scanner has accepted the text, so only memory can make cJSON fail
  *tree = cJSON_ParseWithLength(json->source[source].text, length + 1);
  if (!*tree) goto memory;
  number_nodes(json, *tree, &next);
  assert(next == json->nnote);
  return CSIM_OK;
memory:
  return csim_fail(log, CSIM_MEMORY, place, "out of memory");
}

csim_status csim_json_read_file(csim_json *json, const char *path, csim_log *log, cJSON **tree) {
  char *text;
  size_t length;
  *tree = NULL;
  csim_status status = csim_file_read(path, CSIM_JSON_MAX_BYTES, log, &text, &length);
  if (!status) status = csim_json_read_text(json, path, text, length, log, tree);
  free(text);
  return status;
}

// ----------------------------------------------------------------------------------------- places

const csim_json_note *csim_json_note_of(const csim_json *json, const cJSON *item) {
  int n = item ? item->valueint : 0;
  return &json->note[n > 0 && n < json->nnote ? n : 0];
}

// One step of a pointer: its length, and its text when `out` is not NULL.
static size_t print_step(const csim_json *json, const csim_json_note *note, char *out) {
  if (note->key_at < 0) {
    char number[16];
    int n = snprintf(number, sizeof number, "/%d", note->index);
    if (out) memcpy(out, number, (size_t)n);
    return (size_t)n;
  }
  const char *c = json->source[note->source].text + note->key_at + 1;
  size_t n = 0;
  if (out) out[n] = '/';
  for (n = 1; *c != '"'; c++) { // RFC 6901: ~ is ~0 and / is ~1
    const char *escape = *c == '~' ? "~0" : *c == '/' ? "~1" : NULL;
    int pair = *c == '\\';
    if (out) out[n] = escape ? escape[0] : *c;
    n++;
    if (escape || pair) {
      if (pair) c++;
      if (out) out[n] = escape ? escape[1] : *c;
      n++;
    }
  }
  return n;
}

static const char *print_pointer(csim_json *json, const csim_json_note *note) {
  const char *prefix = json->source[note->source].prefix;
  size_t length = strlen(prefix);
  for (const csim_json_note *n = note; n->parent; n = &json->note[n->parent])
    length += print_step(json, n, NULL);
  char *text = csim_arena_alloc(&json->arena, (ptrdiff_t)length + 1, 1);
  if (!text) return NULL;
  memcpy(text, prefix, strlen(prefix));
  for (const csim_json_note *n = note; n->parent; n = &json->note[n->parent]) {
    length -= print_step(json, n, NULL);
    print_step(json, n, text + length);
  }
  return text;
}

static csim_place make_place(csim_json *json, const cJSON *item, int of_key) {
  const csim_json_note *note = csim_json_note_of(json, item);
  if (note == json->note) return (csim_place){0};
  csim_place place = {.file = json->source[note->source].name,
                      .pointer = print_pointer(json, note)};
  if (json->source[note->source].positions) {
    place.line = of_key ? note->key_line : note->line;
    place.column = of_key ? note->key_column : note->column;
  }
  return place;
}

csim_place csim_json_place(csim_json *json, const cJSON *item) {
  return make_place(json, item, 0);
}

csim_place csim_json_key_place(csim_json *json, const cJSON *item) {
  return make_place(json, item, 1);
}

cJSON *csim_json_get(const cJSON *object, const char *key) {
  for (cJSON *child = object ? object->child : NULL; child; child = child->next)
    if (child->string && !strcmp(child->string, key)) return child;
  return NULL;
}

double csim_json_number_of(const csim_json *json, const cJSON *item) {
  return cJSON_IsNumber(item) ? csim_json_note_of(json, item)->number : 0;
}

int csim_json_integer_of(const csim_json *json, const cJSON *item) {
  return (int)fmax(-1e9, fmin(1e9, csim_json_number_of(json, item)));
}

void csim_json_free(csim_json *json) {
  csim_arena_free(&json->arena);
  free(json->source);
  free(json->note);
  *json = (csim_json){0};
}
