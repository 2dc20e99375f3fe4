// scene/schema.c: the JSON Schema (draft 7) of scene files, generated from the tables.
#include "scene/reader.h"

#include <stdio.h>
#include <stdlib.h>

static void write_field(csim_json_out *out, const csim_table *table, const csim_field *f) {
  char text[1000];
  int unit = f->unit && *f->unit;
  snprintf(text, sizeof text, "%s%s%s%s", f->doc, unit ? " [" : "", unit ? f->unit : "",
           unit ? "]" : "");
  csim_json_open(out, f->key, '{');
  csim_json_text(out, "description", text);
  csim_write_field_schema(out, f);
  char *value;
  if (csim_print_default(table, f, &value)) out->failed = 1;
  if (value) csim_json_raw(out, "default", value);
  free(value);
  csim_json_close(out, '}');
}

static int is_implied(const csim_variants *family, int variant) {
  int n = 0;
  while (family->implied && family->implied[n]) n++;
  return variant < n;
}

// Members of the schema of one object. A variant's table also has the key that chooses it.
static void write_table(csim_json_out *out, const csim_table *table, const csim_variants *family,
                        int variant) {
  int tagged = family && !is_implied(family, variant), required = tagged;
  csim_json_text(out, "description", table->doc);
  csim_json_text(out, "type", "object");
  csim_json_open(out, "properties", '{');
  if (family) {
    csim_json_open(out, family->key, '{');
    csim_json_text(out, "description", family->doc);
    csim_json_text(out, "const", family->names[variant]);
    csim_json_close(out, '}');
  }
  for (int i = 0; i < table->nfield; i++) {
    write_field(out, table, &table->field[i]);
    required |= table->field[i].flags & CSIM_REQUIRED;
  }
  csim_json_close(out, '}');
  if (required) {
    csim_json_open_flat(out, "required", '[');
    if (tagged) csim_json_text(out, NULL, family->key);
    for (int i = 0; i < table->nfield; i++)
      if (table->field[i].flags & CSIM_REQUIRED) csim_json_text(out, NULL, table->field[i].key);
    csim_json_close(out, ']');
  }
  csim_json_bool(out, "additionalProperties", 0);
}

static void write_definition(csim_json_out *out, const csim_definition *d) {
  csim_json_open(out, d->table ? d->table->name : d->variants->name, '{');
  if (d->table) {
    write_table(out, d->table, NULL, 0);
  } else {
    csim_json_open(out, "oneOf", '[');
    for (int i = 0; d->variants->names[i]; i++) {
      csim_json_open(out, NULL, '{');
      write_table(out, d->variants->table[i], d->variants, i);
      csim_json_close(out, '}');
    }
    csim_json_close(out, ']');
  }
  csim_json_close(out, '}');
}

// A scene that extends another may leave out keys that are otherwise required. (Its own objects may
// be fragments too, so only their names are required.)
static void write_scene(csim_json_out *out) {
  const csim_table *table = &csim_scene_table;
  csim_json_text(out, "type", "object");
  csim_json_open(out, "properties", '{');
  for (int i = 0; i < table->nfield; i++) {
    if (!(table->field[i].flags & CSIM_REQUIRED)) {
      write_field(out, table, &table->field[i]);
      continue;
    }
    csim_json_open(out, table->field[i].key, '{');
    csim_json_text(out, "description", table->field[i].doc);
    csim_json_raw(out, "items", "{\"type\": \"object\", \"required\": [\"name\"]}");
    csim_json_close(out, '}');
  }
  csim_json_close(out, '}');
  csim_json_bool(out, "additionalProperties", 0);
  csim_json_raw(out, "if", "{\"not\": {\"required\": [\"extends\"]}}");
  csim_json_open(out, "then", '{');
  csim_json_open(out, "properties", '{');
  for (int i = 0; i < table->nfield; i++)
    if (table->field[i].flags & CSIM_REQUIRED) write_field(out, table, &table->field[i]);
  csim_json_close(out, '}');
  csim_json_open_flat(out, "required", '[');
  for (int i = 0; i < table->nfield; i++)
    if (table->field[i].flags & CSIM_REQUIRED) csim_json_text(out, NULL, table->field[i].key);
  csim_json_close(out, ']');
  csim_json_close(out, '}');
}

char *csim_scene_schema(void) {
  csim_json_out out = {0};
  csim_definition list[CSIM_MAX_DEFINITIONS];
  int n = csim_list_definitions(list);
  csim_json_open(&out, NULL, '{');
  csim_json_text(&out, "$schema", "http://json-schema.org/draft-07/schema#");
  csim_json_text(&out, "title", "clothsim scene");
  write_scene(&out);
  csim_json_open(&out, "definitions", '{');
  for (int i = 0; i < n; i++) write_definition(&out, &list[i]);
  csim_json_close(&out, '}');
  csim_json_close(&out, '}');
  return csim_json_end(&out);
}
