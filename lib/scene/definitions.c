// scene/definitions.c: lists the tables of all keys, for the schema, the manual and hints. See
// reader.h.
#include "scene/reader.h"

#include <stdlib.h>
#include <string.h>

csim_definition csim_definition_of(const csim_field *f) {
  csim_definition d = {0};
  if (f->kind == &csim_kind_list)
    return csim_definition_of(((const csim_list *)f->detail)->element);
  if (f->kind == &csim_kind_variants) d.variants = f->detail;
  if (f->kind == &csim_kind_table || f->kind == &csim_kind_motion ||
      f->kind == &csim_kind_materials || f->kind == &csim_kind_material)
    d.table = f->detail;
  return d;
}

// Appends the tables that the table's keys refer to, and theirs in turn, if not listed yet.
static int add_definitions(csim_definition *list, int n, const csim_table *table) {
  for (int i = 0; i < table->nfield; i++) {
    csim_definition d = csim_definition_of(&table->field[i]);
    int known = !d.table && !d.variants;
    for (int k = 0; k < n; k++) known |= list[k].table == d.table && list[k].variants == d.variants;
    if (known || n == CSIM_MAX_DEFINITIONS) continue;
    list[n++] = d;
    if (d.table) n = add_definitions(list, n, d.table);
    for (int k = 0; d.variants && d.variants->names[k]; k++)
      n = add_definitions(list, n, d.variants->table[k]);
  }
  return n;
}

int csim_list_definitions(csim_definition list[CSIM_MAX_DEFINITIONS]) {
  return add_definitions(list, 0, &csim_scene_table);
}

static int has_field(const csim_table *table, const char *key) {
  for (int i = 0; table && i < table->nfield; i++)
    if (!strcmp(table->field[i].key, key)) return 1;
  return 0;
}

// Whether the objects { } of a field, or those in its list, have the key.
static int holds_key(const csim_field *f, const char *key) {
  csim_definition d = csim_definition_of(f);
  int found = has_field(d.table, key);
  for (int k = 0; d.variants && d.variants->names[k]; k++)
    found |= has_field(d.variants->table[k], key);
  return found;
}

const char *csim_find_home(csim_reader *r, const char *key) {
  const csim_table *scene = &csim_scene_table;
  const char *found = NULL;
  if (strlen(key) < 2) return ""; // "a" may be meant for anything
  if (has_field(scene, key)) return ": it is a key of the scene itself";
  for (int i = 0; i < scene->nfield; i++)
    if (holds_key(&scene->field[i], key))
      found = csim_arena_print(&r->scratch, "%s%s\"%s\"", found ? found : ": it is a key of ",
                               found ? ", " : "", scene->field[i].key);
  return found ? found : "";
}

int csim_print_default(const csim_table *table, const csim_field *f, char **text) {
  *text = NULL;
  if (!f->fallback || !f->kind->fall_back) return 0;
  csim_scene scene = {0};
  csim_reader r = {.scene = &scene};
  csim_printer p = {.scene = &scene};
  csim_field bare = *f;
  bare.key = NULL;
  void *base = csim_alloc((ptrdiff_t)table->size, 1);
  if (base) {
    f->kind->fall_back(&r, f, base);
    csim_json_open_flat(&p.out, NULL, '['); // keeps a vector on one line
    f->kind->print(&p, &bare, base);
    csim_json_close(&p.out, ']');
  }
  int ok = base && !p.out.failed && !scene.arena.failed;
  if (ok && p.out.length > 2) { // a default that means "not given" prints nothing
    p.out.text[p.out.length - 1] = 0;
    *text = strdup(p.out.text + 1);
    ok = *text != NULL;
  }
  free(p.out.text);
  free(base);
  csim_arena_free(&scene.arena);
  return ok ? 0 : -1;
}
