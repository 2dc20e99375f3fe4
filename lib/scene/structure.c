// scene/structure.c: kinds with members: objects by table, lists, variants chosen by a key.
#include "scene/reader.h"

#include <stdio.h>

static void schema_reference(csim_json_out *out, const char *name) {
  char text[100];
  snprintf(text, sizeof text, "#/definitions/%s", name);
  csim_json_text(out, "$ref", text);
}

// --------------------------------------------------------------------------------------- objects

static void read_object(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  const csim_table *table = f->detail;
  if (cJSON_IsObject(item)) {
    csim_read_table(r, table, NULL, item, csim_member(base, f->offset));
    return;
  }
  char found[CSIM_DESCRIPTION];
  csim_describe_item(item, found);
  csim_complain(r, item, "expected an object { } with keys such as \"%s\", found %s",
                table->field[0].key, found);
}

static void fall_back_object(csim_reader *r, const csim_field *f, void *base) {
  if (!(f->flags & CSIM_ZERO))
    csim_read_table(r, f->detail, NULL, NULL, csim_member(base, f->offset));
}

static int is_zero(const void *bytes, size_t n) {
  for (const char *b = bytes; n && !*b; b++) n--;
  return !n;
}

static void print_object(csim_printer *p, const csim_field *f, const void *base) {
  size_t size = ((const csim_table *)f->detail)->size;
  if ((f->flags & CSIM_ZERO) && is_zero(csim_member_const(base, f->offset), size))
    return; // not given
  csim_json_open(&p->out, f->key, '{');
  csim_print_table(p, f->detail, csim_member_const(base, f->offset));
  csim_json_close(&p->out, '}');
}

static void schema_object(csim_json_out *out, const csim_field *f) {
  schema_reference(out, ((const csim_table *)f->detail)->name);
}

const csim_kind csim_kind_table = {read_object, fall_back_object, print_object,
                                   .schema = schema_object, .noun = "an object { }"};

// ----------------------------------------------------------------------------------------- lists

// Depth of nested lists, along first elements.
static int rank_of(const cJSON *item) {
  int rank = 0;
  for (; item && cJSON_IsArray(item); item = item->child) rank++;
  return rank;
}

static int holds_objects(const csim_list *list) {
  return list->element->kind == &csim_kind_table || list->element->kind == &csim_kind_variants;
}

static void read_list(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  const csim_list *list = f->detail;
  int single = rank_of(item) == list->rank && !holds_objects(list);
  if (!single && !cJSON_IsArray(item)) {
    csim_complain_type(r, f, item);
    return;
  }
  int n = single ? 1 : csim_count_items(item);
  if (n < list->least) {
    csim_complain(r, item,
                  n ? "has too few members; at least %d are needed"
                    : "is empty; at least %d is needed",
                  list->least);
    return;
  }
  if (list->most && n > list->most) {
    csim_complain(r, item, "has %d members; the limit is %d", n, list->most);
    return;
  }
  char *element = csim_arena_alloc(&r->scene->arena, n, list->size);
  if (!element) return;
  *(void **)csim_member(base, f->offset) = element;
  *(int *)csim_member(base, list->count_offset) = n;
  const csim_kind *kind = list->element->kind;
  const cJSON *c = single ? item : item->child;
  for (int i = 0; i < n; i++, c = c->next) {
    void *to = element + (size_t)i * list->size;
    if (kind->fall_back) kind->fall_back(r, list->element, to);
    kind->read(r, list->element, c, to);
  }
}

static void print_list(csim_printer *p, const csim_field *f, const void *base) {
  const csim_list *list = f->detail;
  int n = *(const int *)csim_member_const(base, list->count_offset);
  const char *element = *(char *const *)csim_member_const(base, f->offset);
  if (!n) return;
  csim_json_open(&p->out, f->key, '[');
  for (int i = 0; i < n; i++)
    list->element->kind->print(p, list->element, element + (size_t)i * list->size);
  csim_json_close(&p->out, ']');
}

static void describe_list(const csim_field *f, char text[CSIM_DESCRIPTION]) {
  const csim_list *list = f->detail;
  char element[CSIM_DESCRIPTION];
  csim_describe_field(list->element, element);
  if (holds_objects(list))
    snprintf(text, CSIM_DESCRIPTION, "a list of objects");
  else
    snprintf(text, CSIM_DESCRIPTION, "%.110s, or a list of such", element);
}

static void schema_list(csim_json_out *out, const csim_field *f) {
  const csim_list *list = f->detail;
  int objects = holds_objects(list);
  if (!objects) {
    csim_json_open(out, "anyOf", '[');
    csim_json_open(out, NULL, '{');
    csim_write_field_schema(out, list->element);
    csim_json_close(out, '}');
    csim_json_open(out, NULL, '{');
  }
  csim_json_text(out, "type", "array");
  if (list->least) csim_json_integer(out, "minItems", list->least);
  csim_json_open(out, "items", '{');
  csim_write_field_schema(out, list->element);
  csim_json_close(out, '}');
  if (!objects) {
    csim_json_close(out, '}');
    csim_json_close(out, ']');
  }
}

const csim_kind csim_kind_list = {read_list, NULL, print_list, .describe = describe_list,
                                  .schema = schema_list};

// -------------------------------------------------------------------------------------- variants

// Complains of a key that looks like one that implies a variant. @return whether there is one
static int complain_misspelt(csim_reader *r, const csim_variants *v, const cJSON *item) {
  for (const cJSON *c = v->implied ? item->child : NULL; c; c = c->next) {
    const char *hint = csim_suggest(r, c->string, v->implied);
    if (!*hint) continue;
    csim_complain_key(r, c, "unknown key%s", hint);
    return 1;
  }
  return 0;
}

// Which variant the item is, or -1 after a complaint.
static int find_variant(csim_reader *r, const csim_variants *v, const cJSON *item) {
  const csim_field f = {.key = v->key, .kind = &csim_kind_choice, .detail = v->names};
  const cJSON *tag = csim_json_get(item, v->key);
  for (int i = 0; !tag && v->implied && v->implied[i]; i++)
    if (csim_json_get(item, v->implied[i])) return i;
  if (!tag) {
    char wanted[CSIM_DESCRIPTION];
    csim_describe_field(&f, wanted);
    if (!complain_misspelt(r, v, item))
      csim_complain(r, item, "\"%s\" is missing: %s%s%s%s", v->key, wanted,
                    v->implied ? ", or give \"" : "", v->implied ? v->implied[0] : "",
                    v->implied ? "\"" : "");
    return -1;
  }
  int variant = -1;
  f.kind->read(r, &f, tag, &variant);
  return variant;
}

static void read_variants(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  const csim_variants *v = f->detail;
  if (!cJSON_IsObject(item)) {
    csim_complain_type(r, f, item);
    return;
  }
  int variant = find_variant(r, v, item);
  if (variant < 0) return;
  void *to = csim_member(base, f->offset);
  *(int *)csim_member(to, v->offset) = variant;
  csim_read_table(r, v->table[variant], v, item, to);
}

static void print_variants(csim_printer *p, const csim_field *f, const void *base) {
  const csim_variants *v = f->detail;
  const void *from = csim_member_const(base, f->offset);
  int variant = *(const int *)csim_member_const(from, v->offset);
  csim_json_open(&p->out, f->key, '{');
  csim_json_text(&p->out, v->key, v->names[variant]);
  csim_print_table(p, v->table[variant], from);
  csim_json_close(&p->out, '}');
}

static void schema_variants(csim_json_out *out, const csim_field *f) {
  schema_reference(out, ((const csim_variants *)f->detail)->name);
}

const csim_kind csim_kind_variants = {read_variants, NULL, print_variants,
                                      .schema = schema_variants, .noun = "an object { }"};
