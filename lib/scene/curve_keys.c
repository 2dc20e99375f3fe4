// scene/curve_keys.c: values that can be keyed over frames: a number or vector, or a list of keys.
#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

// The key's value in the field's unit and range.
static csim_field value_field(const csim_field *f) {
  csim_field value = *f;
  value.key = "value";
  value.kind = &csim_kind_real;
  value.fallback = NULL;
  value.offset = offsetof(csim_curve_key, value);
  value.flags = (f->flags & ~CSIM_INPUT_ONLY) | CSIM_REQUIRED;
  value.doc = "The value then.";
  return value;
}

enum { KEY_FIELDS = 3 };

static csim_table key_table(const csim_field *f, csim_field fields[KEY_FIELDS]) {
  fields[0] = (csim_field)CSIM_KEY("frame", frame, offsetof(csim_curve_key, time), NULL,
                                   .flags = CSIM_INPUT_ONLY,
                                   .doc = "When, as a frame number (fractions allowed).");
  fields[1] = (csim_field)CSIM_KEY("time", real, offsetof(csim_curve_key, time), NULL, .unit = "s",
                                   .doc = "When, from the start frame. Give this or \"frame\".");
  fields[2] = value_field(f);
  return (csim_table){.name = "key",
                      .size = sizeof(csim_curve_key),
                      .finish = csim_finish_key,
                      .nfield = KEY_FIELDS,
                      .field = fields};
}

static csim_curve *curve_of(const csim_field *f, const void *base) {
  const csim_keyed *keyed = f->detail;
  return (csim_curve *)csim_member_const(base, keyed->curve_offset);
}

static double *value_of(const csim_field *f, const void *base) {
  return (double *)csim_member_const(base, f->offset);
}

static int is_key_list(const cJSON *item) {
  return cJSON_IsArray(item) && cJSON_IsObject(item->child);
}

// Sets the constant to the largest value: what is sized by it must suffice at all times.
static void keep_largest(const csim_field *f, const csim_curve *curve, double *value) {
  int count = f->count ? f->count : 1;
  double most = -1;
  for (int i = 0; i < curve->nkey; i++) {
    double size = 0; // squared: hypot differs from one math library to the next
    for (int c = 0; c < count; c++) size += curve->key[i].value[c] * curve->key[i].value[c];
    if (!(size > most)) continue;
    most = size;
    memcpy(value, curve->key[i].value, (size_t)count * sizeof *value);
  }
}

static void read_keyed(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_field fields[KEY_FIELDS];
  csim_table table = key_table(f, fields);
  csim_curve *curve = curve_of(f, base);
  if (!is_key_list(item)) {
    csim_kind_real.read(r, f, item, base);
    return;
  }
  curve->key = CSIM_ARENA_NEW(&r->scene->arena, csim_curve_key, csim_count_items(item));
  if (!curve->key) return;
  for (const cJSON *c = item->child; c; c = c->next) {
    csim_curve_key *key = &curve->key[curve->nkey++];
    if (!cJSON_IsObject(c)) {
      csim_complain(r, c, "expected a key { \"frame\", \"value\" }");
      continue;
    }
    csim_read_table(r, &table, NULL, c, key);
    if (curve->nkey > 1 && !(key->time > key[-1].time))
      csim_complain(r, c, "times must increase from key to key");
  }
  keep_largest(f, curve, value_of(f, base));
}

static void fall_back_keyed(csim_reader *r, const csim_field *f, void *base) {
  if (csim_kind_real.fall_back) csim_kind_real.fall_back(r, f, base);
}

static void print_keyed(csim_printer *p, const csim_field *f, const void *base) {
  const csim_curve *curve = curve_of(f, base);
  csim_field fields[KEY_FIELDS];
  csim_table table = key_table(f, fields);
  if (curve->nkey == 0) {
    csim_print_real(p, f, base);
    return;
  }
  csim_json_open(&p->out, f->key, '[');
  for (int i = 0; i < curve->nkey; i++) {
    csim_json_open_flat(&p->out, NULL, '{');
    csim_print_table(p, &table, &curve->key[i]);
    csim_json_close(&p->out, '}');
  }
  csim_json_close(&p->out, ']');
}

static void describe_keyed(const csim_field *f, char text[CSIM_DESCRIPTION]) {
  csim_describe_real(f, text);
  size_t n = strlen(text);
  snprintf(text + n, CSIM_DESCRIPTION - n, ", or a list of keys {\"frame\", \"value\"}");
}

static void schema_keyed(csim_json_out *out, const csim_field *f) {
  csim_field value = value_field(f);
  csim_json_open(out, "anyOf", '[');
  csim_json_open(out, NULL, '{');
  csim_schema_real(out, f);
  csim_json_close(out, '}');
  csim_json_open(out, NULL, '{');
  csim_json_text(out, "type", "array");
  csim_json_integer(out, "minItems", 1);
  csim_json_open(out, "items", '{');
  csim_json_text(out, "type", "object");
  csim_json_open(out, "properties", '{');
  csim_json_raw(out, "frame", "{\"type\": \"number\"}");
  csim_json_raw(out, "time", "{\"type\": [\"number\", \"string\"]}");
  csim_json_open(out, "value", '{');
  csim_schema_real(out, &value);
  csim_json_close(out, '}');
  csim_json_close(out, '}');
  csim_json_raw(out, "required", "[\"value\"]");
  csim_json_raw(out, "additionalProperties", "false");
  csim_json_close(out, '}');
  csim_json_close(out, '}');
  csim_json_close(out, ']');
}

const csim_kind csim_kind_keyed = {read_keyed, fall_back_keyed, print_keyed,
                                   .describe = describe_keyed, .schema = schema_keyed};
