// scene/set.c: "path=value" of the command line. See merge.h.
#include "scene/merge.h"

#include "base/number.h"

#include <stdlib.h>
#include <string.h>

// One setting while its path is followed down the tree.
typedef struct setting {
  csim_reader *r;
  cJSON *root;
  cJSON *value;     // not yet in the tree
  char *pointer;    // of the place reached
  const char *rest; // of the path
} setting;

// Whether the path continues with this name. Names may contain points, so the longest match counts.
static size_t match_name(const char *path, const char *name) {
  size_t n = strlen(name);
  return n && !strncmp(path, name, n) && (path[n] == '.' || !path[n]) ? n : 0;
}

static size_t component_length(const char *path) {
  return strcspn(path, ".");
}

#define COMPLAIN(s, ...) csim_complain((s)->r, (s)->value, __VA_ARGS__)

static void extend_pointer(setting *s, const char *key, int index) {
  char *longer = key ? csim_arena_print(&s->r->scratch, "%s/%s", s->pointer, key)
                     : csim_arena_print(&s->r->scratch, "%s/%d", s->pointer, index);
  if (longer)
    s->pointer = longer;
  else
    s->r->memory = 1;
}

// The next member on the path, and the length of its name.
static cJSON *find_member(const cJSON *object, const char *path, size_t *taken) {
  cJSON *found = NULL;
  *taken = 0;
  for (cJSON *c = object->child; c; c = c->next) {
    size_t n = match_name(path, c->string);
    if (n > *taken) *taken = n, found = c;
  }
  return found;
}

// The element with that name or number.
static cJSON *find_element(const cJSON *list, const char *path, size_t *taken, int *index) {
  cJSON *found = NULL;
  int i = 0;
  *taken = 0;
  for (cJSON *c = list->child; c; c = c->next, i++) {
    const cJSON *name = csim_json_get(c, "name");
    size_t n = cJSON_IsString(name) ? match_name(path, name->valuestring) : 0;
    if (n > *taken) *taken = n, found = c, *index = i;
  }
  if (found) return found;
  long long wanted = -1;
  size_t n = component_length(path);
  if (csim_read_integer(path, path + n, &wanted) != path + n) return NULL;
  i = 0;
  for (cJSON *c = list->child; c; c = c->next, i++)
    if (i == wanted) *taken = n, found = c, *index = i;
  return found;
}

// ---------------------------------------------------------------------------------------- values

// "2x" multiplies the present value: 3 becomes 6, "0.3 mm" "0.6 mm", "2x" "4x". Anything else, or a
// missing value, is left to the reader. -1 when out of memory.
static int apply_factor(setting *s, const cJSON *old) {
  const char *text = cJSON_IsString(s->value) ? s->value->valuestring : "",
             *end = text + strlen(text);
  double factor = 0, v = 0;
  const char *rest = csim_read_number(text, end, &factor);
  while (rest && *rest == ' ') rest++;
  if (!rest || strcmp(rest, "x") || !old) return 0;
  if (cJSON_IsNumber(old)) {
    s->value->type = cJSON_Number; // valuestring stays and is freed with the item
    s->value->valuedouble = old->valuedouble * factor;
    return 0;
  }
  if (!cJSON_IsString(old)) return 0;
  const char *from = old->valuestring, *unit = csim_read_number(from, from + strlen(from), &v);
  if (!unit) return 0;
  char number[32];
  csim_print_shortest(v * factor, number);
  char *product = csim_arena_print(&s->r->scratch, "%s%s", number, unit);
  return product && cJSON_SetValuestring(s->value, product) ? 0 : -1;
}

// Puts the value under the key, or in place of `old`; null removes the key. Takes ownership of the
// value.
static int put_value(setting *s, cJSON *parent, cJSON *old, const char *key) {
  if (cJSON_IsNull(s->value)) {
    if (old) cJSON_Delete(cJSON_DetachItemViaPointer(parent, old));
    return 0;
  }
  if (apply_factor(s, old)) return -1;
  if (cJSON_IsObject(parent)) {
    cJSON *fresh = s->value;
    if (!cJSON_AddItemToObject(parent, key, fresh)) return -1; // the copy of its key may fail
    s->value = NULL;
    if (old) { // it now has its key, and goes from the end to the place of the old one
      cJSON_DetachItemViaPointer(parent, fresh);
      cJSON_ReplaceItemViaPointer(parent, old, fresh);
    }
  } else {
    cJSON_ReplaceItemViaPointer(parent, old, s->value);
    s->value = NULL;
  }
  return 0;
}

// ------------------------------------------------------------------------------------- the descent

// Adds a missing key, for the value or for an object on the path to it.
static cJSON *add_object(setting *s, cJSON *parent, const char *key) {
  cJSON *fresh = cJSON_AddObjectToObject(parent, key);
  const csim_json_note *note = csim_json_note_of(&s->r->json, s->value);
  const char *name = s->r->json.source[note->source].name;
  if (fresh) fresh->valueint = csim_json_add_place(&s->r->json, name, s->pointer);
  return fresh && fresh->valueint ? fresh : NULL;
}

// Takes one step from `at`. Returns the next node; NULL at the end of the path, or on failure.
static cJSON *step(setting *s, cJSON *at, int *ok) {
  size_t taken = 0;
  int index = 0, in_list = cJSON_IsArray(at);
  cJSON *next =
      in_list ? find_element(at, s->rest, &taken, &index) : find_member(at, s->rest, &taken);
  if (!taken) taken = component_length(s->rest);
  char *key = csim_arena_print(&s->r->scratch, "%.*s", (int)taken, s->rest);
  if (!key) {
    *ok = 0;
    return NULL;
  }
  int last = !s->rest[taken];
  s->rest += taken + !last;
  if (!*key || (!last && !*s->rest)) {
    COMPLAIN(s, "the path has an empty part");
    return NULL;
  }
  if (in_list && !next) {
    COMPLAIN(s, "\"%.60s\" is neither a name in this list nor a number below %d", key,
             csim_count_items(at));
    return NULL;
  }
  extend_pointer(s, in_list ? NULL : key, index);
  if (last) {
    s->r->json.source[csim_json_note_of(&s->r->json, s->value)->source].prefix = s->pointer;
    *ok = !put_value(s, at, next, key);
    return NULL;
  }
  if (!next)
    next = add_object(s, at, key);
  else if (!strcmp(key, "material") && cJSON_IsString(next))
    next = csim_replace_material(s->root, at, next); // to be changed alone
  if (!next) {
    *ok = 0;
  } else if (!cJSON_IsObject(next) && !cJSON_IsArray(next)) {
    char found[CSIM_DESCRIPTION];
    csim_describe_item(next, found);
    COMPLAIN(s, "%s is %s: it has no \"%.60s\"", s->pointer, found, s->rest);
    next = NULL;
  }
  return next;
}

// Start of the path: a key of the scene, or the name of an object.
static cJSON *find_start(setting *s) {
  size_t taken;
  const char *names[64];
  int n = 0, index = 0;
  for (int i = 0; i < csim_scene_table.nfield && n < 63; i++) {
    names[n++] = csim_scene_table.field[i].key;
    if (match_name(s->rest, names[n - 1])) return s->root;
  }
  names[n] = NULL;
  cJSON *objects = csim_json_get(s->root, "objects");
  size_t length = component_length(s->rest);
  if (cJSON_IsArray(objects)) {
    const cJSON *found = find_element(objects, s->rest, &taken, &index);
    if (found && csim_json_get(found, "name") && taken >= length) {
      s->pointer = "/objects";
      return objects;
    }
  }
  // nearest among the keys and, as far as they fit, the objects
  for (const cJSON *c = cJSON_IsArray(objects) ? objects->child : NULL; c && n < 63; c = c->next) {
    const cJSON *name = csim_json_get(c, "name");
    if (cJSON_IsString(name)) names[n++] = name->valuestring;
  }
  names[n] = NULL;
  char *word = csim_arena_print(&s->r->scratch, "%.*s", (int)length, s->rest);
  COMPLAIN(s, "\"%.60s\" is neither a key of a scene nor an object%s", word ? word : "",
           word ? csim_suggest(s->r, word, names) : "");
  return NULL;
}

csim_status csim_apply_set(csim_reader *r, cJSON *tree, const char *set) {
  const char *equals = strchr(set, '=');
  char *name = csim_arena_print(&r->scratch, "--set %s", set);
  if (!name) return CSIM_MEMORY;
  setting s = {.r = r, .root = tree, .pointer = ""};
  const char *text = equals ? equals + 1 : "";
  // JSON if it parses, else the text as it is (checked by writing it as a JSON text)
  csim_status status = csim_json_read_text(&r->json, name, text, strlen(text), NULL, &s.value);
  if (status == CSIM_INVALID) {
    csim_json_out out = {0};
    csim_json_text(&out, NULL, text);
    status = out.failed ? CSIM_MEMORY
                        : csim_json_read_text(&r->json, name, out.text, (size_t)out.length, NULL,
                                              &s.value);
    free(out.text);
  }
  if (status == CSIM_MEMORY) return status;
  r->json.source[r->json.nsource - 1].positions = 0;
  if (status == CSIM_INVALID) {
    csim_complain(r, NULL, "%s: the value is not UTF-8", name);
    return CSIM_OK;
  }
  csim_check_faults(r, s.value);
  int ok = 1;
  if (!equals || equals == set) {
    COMPLAIN(&s, "expected PATH=VALUE, as in solver.iterations=8");
  } else {
    s.rest = csim_arena_print(&r->scratch, "%.*s", (int)(equals - set), set);
    if (s.rest)
      for (cJSON *at = find_start(&s); at && ok;) at = step(&s, at, &ok);
    else
      ok = 0;
  }
  cJSON_Delete(s.value);
  return ok ? CSIM_OK : CSIM_MEMORY;
}
