// scene/reader.c: see reader.h. Problems, and objects read by their tables.
#include "scene/reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------ complaints

static void complain(csim_reader *r, csim_place place, const cJSON *item, const char *format,
                     va_list args) {
  if (r->ncomplaint > CSIM_MAX_PROBLEMS) return;
  if (CSIM_GROW(r->complaint, r->complaint_capacity, r->ncomplaint + 1)) {
    r->memory = 1;
    return;
  }
  char text[1001];
  vsnprintf(text, sizeof text, format, args);
  if (!place.file) place.file = r->scene->file;
  csim_complaint *p = &r->complaint[r->ncomplaint];
  *p = (csim_complaint){.place = place,
                        .source = csim_json_note_of(&r->json, item)->source,
                        .order = (int)r->ncomplaint,
                        .text = csim_arena_copy(&r->scratch, text)};
  if (!p->text)
    r->memory = 1;
  else
    r->ncomplaint++;
}

void csim_complain(csim_reader *r, const cJSON *item, const char *format, ...) {
  va_list args;
  va_start(args, format);
  complain(r, csim_json_place(&r->json, item), item, format, args);
  va_end(args);
}

void csim_complain_key(csim_reader *r, const cJSON *item, const char *format, ...) {
  va_list args;
  va_start(args, format);
  complain(r, csim_json_key_place(&r->json, item), item, format, args);
  va_end(args);
}

void csim_describe_field(const csim_field *f, char text[CSIM_DESCRIPTION]) {
  if (f->kind->describe)
    f->kind->describe(f, text);
  else
    snprintf(text, CSIM_DESCRIPTION, "%s", f->kind->noun);
}

void csim_write_field_schema(csim_json_out *out, const csim_field *f) {
  if (f->kind->schema)
    f->kind->schema(out, f);
  else if (f->kind->type)
    csim_json_text(out, "type", f->kind->type);
  else
    csim_json_raw(out, "anyOf", f->kind->any_of);
}

void csim_complain_type(csim_reader *r, const csim_field *f, const cJSON *item) {
  char wanted[CSIM_DESCRIPTION], found[CSIM_DESCRIPTION];
  csim_describe_field(f, wanted);
  csim_describe_item(item, found);
  csim_complain(r, item, "expected %s, found %s", wanted, found);
}

const char *csim_suggest(csim_reader *r, const char *word, const char *const *names) {
  const char *near = csim_nearest_name(word, names);
  const char *text = near ? csim_arena_print(&r->scratch, ", did you mean \"%s\"?", near) : "";
  return text ? text : "";
}

csim_place csim_keep_place(csim_reader *r, const cJSON *item) {
  csim_place place = csim_json_place(&r->json, item);
  place.file = csim_arena_copy(&r->scene->arena, place.file);
  place.pointer = csim_arena_copy(&r->scene->arena, place.pointer);
  return place;
}

static int compare_complaints(const void *a, const void *b) {
  const csim_complaint *p = a, *q = b;
  if (p->source != q->source) return p->source < q->source ? -1 : 1;
  if (p->place.line != q->place.line) return p->place.line < q->place.line ? -1 : 1;
  if (p->place.column != q->place.column) return p->place.column < q->place.column ? -1 : 1;
  return p->order < q->order ? -1 : p->order > q->order;
}

void csim_report_complaints(csim_reader *r, csim_log *log) {
  if (!r->ncomplaint) return;
  qsort(r->complaint, (size_t)r->ncomplaint, sizeof *r->complaint, compare_complaints);
  for (ptrdiff_t i = 0; i < r->ncomplaint && i < CSIM_MAX_PROBLEMS; i++)
    csim_say(log, CSIM_ERROR, r->complaint[i].place, "%s", r->complaint[i].text);
  if (r->ncomplaint > CSIM_MAX_PROBLEMS)
    csim_say(log, CSIM_ERROR, csim_in_file(r->scene->file),
             "more than %d errors; the others are not shown", CSIM_MAX_PROBLEMS);
}

// --------------------------------------------------------------------------------------- helpers

int csim_count_items(const cJSON *item) {
  int n = 0;
  for (const cJSON *c = item ? item->child : NULL; c; c = c->next) n++;
  return n;
}

void csim_describe_item(const cJSON *item, char text[CSIM_DESCRIPTION]) {
  char number[32];
  switch (item->type & 0xFF) {
  case cJSON_Number:
    csim_print_shortest(item->valuedouble, number);
    snprintf(text, CSIM_DESCRIPTION, "%s", number);
    break;
  case cJSON_String: {
    size_t n = strlen(item->valuestring), shown = n < 60 ? n : 60;
    while (shown < n && shown && (item->valuestring[shown] & 0xC0) == 0x80) shown--;
    snprintf(text, CSIM_DESCRIPTION, "string \"%.*s%s\"", (int)shown, item->valuestring,
             shown < n ? "..." : "");
    break;
  }
  case cJSON_Array:
    snprintf(text, CSIM_DESCRIPTION, "a list of %d", csim_count_items(item));
    break;
  case cJSON_Object:
    snprintf(text, CSIM_DESCRIPTION, "an object");
    break;
  case cJSON_True:
    snprintf(text, CSIM_DESCRIPTION, "true");
    break;
  case cJSON_False:
    snprintf(text, CSIM_DESCRIPTION, "false");
    break;
  default:
    snprintf(text, CSIM_DESCRIPTION, "null");
    break;
  }
}

// ---------------------------------------------------------------------------------------- tables

static const csim_field *find_field(const csim_table *table, const char *key) {
  for (int i = 0; i < table->nfield; i++)
    if (!strcmp(table->field[i].key, key)) return &table->field[i];
  return NULL;
}

// Names of the variants, other than `table`, that know the key; "" when there are none.
static const char *find_siblings(csim_reader *r, const csim_table *table,
                                 const csim_variants *family, const char *key) {
  const char *found = "";
  for (int i = 0; family && family->names[i]; i++)
    if (family->table[i] != table && find_field(family->table[i], key))
      found = csim_arena_print(&r->scratch, "%s%s\"%s\"", found ? found : "",
                               found && *found ? ", " : "", family->names[i]);
  return found ? found : "";
}

static void complain_unknown(csim_reader *r, const csim_table *table, const csim_variants *family,
                             const cJSON *item) {
  const char *siblings = find_siblings(r, table, family, item->string);
  if (*siblings) {
    csim_complain_key(r, item, "\"%s\" has no meaning here; it belongs to %s %s", item->string,
                      family->key, siblings);
    return;
  }
  const char *names[64];
  int n = 0;
  for (int i = 0; i < table->nfield && n < 62; i++) names[n++] = table->field[i].key;
  if (family) names[n++] = family->key;
  names[n] = NULL;
  const char *hint = csim_suggest(r, item->string, names);
  csim_complain_key(r, item, "unknown key%s",
                    *hint || !r->find_home ? hint : r->find_home(r, item->string));
}

// Whether an unknown key looks like a missing one: then only the former is reported.
static int is_misspelt(const csim_table *table, const cJSON *item, const char *key) {
  const char *const names[] = {key, NULL};
  for (const cJSON *c = item->child; c; c = c->next)
    if (!find_field(table, c->string) && csim_nearest_name(c->string, names)) return 1;
  return 0;
}

void csim_read_table(csim_reader *r, const csim_table *table, const csim_variants *family,
                     const cJSON *item, void *base) {
  for (int i = 0; i < table->nfield; i++) {
    const csim_field *f = &table->field[i];
    if (f->kind->fall_back) f->kind->fall_back(r, f, base);
    if (!item) continue;
    const cJSON *value = csim_json_get(item, f->key);
    if (value) {
      f->kind->read(r, f, value, base);
    } else if ((f->flags & CSIM_REQUIRED) && !is_misspelt(table, item, f->key)) {
      char wanted[CSIM_DESCRIPTION];
      csim_describe_field(f, wanted);
      csim_complain(r, item, "\"%s\" is missing: %s", f->key, wanted);
    }
  }
  for (const cJSON *c = item ? item->child : NULL; c; c = c->next) {
    if (r->ncomplaint > CSIM_MAX_PROBLEMS) break;
    if (family && !strcmp(c->string, family->key)) continue;
    if (!find_field(table, c->string)) complain_unknown(r, table, family, c);
  }
  if (item && table->finish) table->finish(r, item, base);
}

void csim_print_table(csim_printer *p, const csim_table *table, const void *base) {
  for (int i = 0; i < table->nfield; i++) {
    const csim_field *f = &table->field[i];
    if (!f->kind->print || (f->flags & CSIM_INPUT_ONLY)) continue;
    if (p->hashing && (f->flags & CSIM_COSMETIC)) continue;
    f->kind->print(p, f, base);
  }
}
