// scene/merge.c: see merge.h. "extends".
#include "scene/merge.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_KEYS = 10000, MOST_EXTENDS = 16 };

// ---------------------------------------------------------------------------------------- faults

static int compare_keys(const void *a, const void *b) {
  const cJSON *p = *(const cJSON *const *)a, *q = *(const cJSON *const *)b;
  int order = strcmp(p->string, q->string);
  return order ? order : p->valueint < q->valueint ? -1 : p->valueint > q->valueint;
}

// Sorts the members by key and then place, so that a double key follows its first.
static void check_keys(csim_reader *r, const cJSON *object) {
  int n = csim_count_items(object), i = 0;
  if (n > MOST_KEYS) {
    csim_complain(r, object, "has %d keys; the limit is %d", n, MOST_KEYS);
    return;
  }
  const cJSON **member = CSIM_NEW(const cJSON *, n);
  if (!member) {
    r->memory = 1;
    return;
  }
  for (const cJSON *c = object->child; c; c = c->next) member[i++] = c;
  qsort(member, (size_t)n, sizeof *member, compare_keys);
  for (i = 1; i < n; i++) {
    if (strcmp(member[i - 1]->string, member[i]->string)) continue;
    const csim_json_note *first = csim_json_note_of(&r->json, member[i - 1]);
    csim_complain_key(r, member[i], "\"%.60s\" is given twice; the first is at %d:%d",
                      member[i]->string, first->key_line, first->key_column);
  }
  free(member);
}

void csim_check_faults(csim_reader *r, const cJSON *item) {
  const csim_json_note *note = csim_json_note_of(&r->json, item);
  if (note->nul) csim_complain_key(r, item, "a string cannot hold \\u0000");
  if (cJSON_IsNumber(item) && (note->number > 1e308 || note->number < -1e308))
    csim_complain(r, item, "this number is out of range");
  if (cJSON_IsObject(item)) check_keys(r, item);
  for (const cJSON *c = item->child; c; c = c->next) csim_check_faults(r, c);
}

// --------------------------------------------------------------------------------------- merging

// Puts `value` in place of the member, or at the end; null removes the key.
static void put_member(cJSON *object, cJSON *member, cJSON *value) {
  if (cJSON_IsNull(value)) {
    if (member) cJSON_Delete(cJSON_DetachItemViaPointer(object, member));
    cJSON_Delete(value);
  } else if (member) {
    cJSON_ReplaceItemViaPointer(object, member, value);
  } else {
    cJSON_AddItemToArray(object, value); // also works for an object: the item brings its key
  }
}

cJSON *csim_copy_material(const cJSON *root, const cJSON *reference) {
  const cJSON *named = csim_json_get(csim_json_get(root, "materials"), reference->valuestring);
  if (cJSON_IsObject(named)) return cJSON_Duplicate(named, 1);
  cJSON *copy = cJSON_CreateObject();
  const char *preset = cJSON_IsString(named) ? named->valuestring : reference->valuestring;
  cJSON *item = copy ? cJSON_AddStringToObject(copy, "preset", preset) : NULL;
  if (!item) {
    cJSON_Delete(copy);
    return NULL;
  }
  copy->valueint = item->valueint = reference->valueint; // their place in the file
  return copy;
}

cJSON *csim_replace_material(const cJSON *root, cJSON *parent, cJSON *reference) {
  cJSON *copy = csim_copy_material(root, reference);
  size_t size = strlen(reference->string) + 1;
  char *key = copy ? cJSON_malloc(size) : NULL;
  if (!key) {
    cJSON_Delete(copy);
    return NULL;
  }
  if (copy->string) cJSON_free(copy->string);
  copy->string = memcpy(key, reference->string, size);
  cJSON_ReplaceItemViaPointer(parent, reference, copy);
  return copy;
}

// Whether `over` changes some constants of the material that `under` names.
static int changes_material(const cJSON *parent, const cJSON *under, const cJSON *over) {
  int in_map = parent->string && !strcmp(parent->string, "materials");
  return (in_map || !strcmp(over->string, "material")) && cJSON_IsString(under) &&
         cJSON_IsObject(over) && !csim_json_get(over, "preset") && !csim_json_get(over, "arcsim");
}

static int merge(const cJSON *root, cJSON *under, cJSON *over);

// Objects of the scene, matched by name; new ones come last. @return 0, or -1 when out of memory
static int merge_by_name(const cJSON *root, cJSON *under, cJSON *over) {
  int bad = 0;
  for (cJSON *c = over->child, *next; c; c = next) {
    next = c->next;
    const cJSON *name = csim_json_get(c, "name");
    cJSON *match = NULL;
    for (cJSON *u = under->child; u && !match && cJSON_IsString(name); u = u->next) {
      const cJSON *other = csim_json_get(u, "name");
      if (cJSON_IsString(other) && !strcmp(other->valuestring, name->valuestring)) match = u;
    }
    cJSON_DetachItemViaPointer(over, c);
    if (match && cJSON_IsObject(match)) {
      bad |= merge(root, match, c);
      cJSON_Delete(c);
    } else {
      cJSON_AddItemToArray(under, c);
    }
  }
  return bad;
}

// Whether a mesh replaces the other one whole: if it has its own source, their keys do not mix.
static int replaces_whole(const cJSON *over) {
  static const char *const source[] = {"shape", "file", "sequence", "pattern"};
  int has = 0;
  for (int k = 0; k < 4; k++) has |= csim_json_get(over, source[k]) != NULL;
  return has && !strcmp(over->string, "mesh");
}

// Takes one member, which is no longer in its tree.
static int merge_member(const cJSON *root, cJSON *under, cJSON *c) {
  cJSON *member = csim_json_get(under, c->string);
  int bad = 0;
  if (changes_material(under, member, c)) {
    member = csim_replace_material(root, under, member);
    bad = member ? 0 : -1;
  }
  if (cJSON_IsObject(member) && cJSON_IsObject(c) && !replaces_whole(c)) {
    bad |= merge(root, member, c);
    cJSON_Delete(c);
  } else if (cJSON_IsArray(member) && cJSON_IsArray(c) && !strcmp(c->string, "objects") &&
             csim_count_items(member) <= MOST_KEYS && csim_count_items(c) <= MOST_KEYS) {
    bad |= merge_by_name(root, member, c);
    cJSON_Delete(c);
  } else if (bad) {
    cJSON_Delete(c);
  } else {
    put_member(under, member, c);
  }
  return bad;
}

static int merge(const cJSON *root, cJSON *under, cJSON *over) {
  int bad = 0;
  for (cJSON *c = over->child, *next; c; c = next) {
    next = c->next;
    bad |= merge_member(root, under, cJSON_DetachItemViaPointer(over, c));
  }
  return bad;
}

int csim_merge_objects(cJSON *under, cJSON *over) {
  // first what objects may name
  cJSON *materials = csim_json_get(over, "materials");
  int bad = materials ? merge_member(under, under, cJSON_DetachItemViaPointer(over, materials)) : 0;
  return merge(under, under, over) | bad;
}

// --------------------------------------------------------------------------------------- loading

// The chain of files being read, each extended by the one before it.
typedef struct chain {
  const struct chain *up;
  dev_t device;
  ino_t node;
} chain;

static int is_in(const chain *files, const struct stat *file) {
  for (; files; files = files->up)
    if (files->device == file->st_dev && files->node == file->st_ino) return 1;
  return 0;
}

static csim_status load(csim_reader *r, const char *path, const chain *up, csim_log *log,
                        cJSON **tree);

// Merges the tree over the scene it extends. If that cannot be read, the tree cannot be checked
// either.
static csim_status extend(csim_reader *r, const char *path, const chain *files,
                          const cJSON *extends, csim_log *log, cJSON **tree) {
  static const char *const own[] = {"name", "description", "look_at"}; // not inherited
  cJSON *under = NULL;
  const char *slash = strrchr(path, '/'), *text = extends->valuestring;
  const char *base = *text == '/' || !slash ? text
                                            : csim_arena_print(&r->scratch, "%.*s/%s",
                                                               (int)(slash - path), path, text);
  if (!base) return csim_fail_memory(log, path);
  struct stat file;
  if (stat(base, &file) == 0 && is_in(files, &file)) {
    csim_complain(r, extends, "\"%.200s\" extends this file itself", text);
    return CSIM_INVALID;
  }
  ptrdiff_t before = r->ncomplaint;
  csim_status status = load(r, base, files, log, &under);
  if (status == CSIM_OK && cJSON_IsObject(under)) {
    for (int i = 0; i < 3; i++)
      cJSON_Delete(cJSON_DetachItemViaPointer(under, csim_json_get(under, own[i])));
    if (csim_merge_objects(under, *tree)) status = csim_fail_memory(log, path);
    cJSON *swap = *tree;
    *tree = under;
    under = swap;
  } else if (status != CSIM_MEMORY) {
    status = CSIM_INVALID;
    if (r->ncomplaint == before)
      csim_complain(r, extends, "the scene \"%.200s\" cannot be extended", text);
  }
  cJSON_Delete(under);
  return status;
}

// Checks a tree that was read from `path` and merges it over the one it extends.
static csim_status complete(csim_reader *r, const char *path, const chain *up, csim_log *log,
                            cJSON **tree) {
  csim_check_faults(r, *tree);
  const cJSON *extends = cJSON_IsObject(*tree) ? csim_json_get(*tree, "extends") : NULL;
  if (!cJSON_IsString(extends)) return CSIM_OK; // the table reports a wrong type
  int depth = 0;
  for (const chain *c = up; c; c = c->up) depth++;
  if (depth == MOST_EXTENDS) {
    csim_complain(r, extends, "more than %d files extend each other", MOST_EXTENDS);
    return CSIM_INVALID;
  }
  struct stat file = {0};
  stat(path, &file);
  const chain files = {.up = up, .device = file.st_dev, .node = file.st_ino};
  return extend(r, path, &files, extends, log, tree);
}

static csim_status load(csim_reader *r, const char *path, const chain *up, csim_log *log,
                        cJSON **tree) {
  csim_status status = csim_json_read_file(&r->json, path, log, tree);
  return status ? status : complete(r, path, up, log, tree);
}

static csim_status keep_if_ok(csim_status status, cJSON **tree) {
  if (status != CSIM_OK) {
    cJSON_Delete(*tree);
    *tree = NULL;
  }
  return status;
}

csim_status csim_load_tree(csim_reader *r, const char *path, csim_log *log, cJSON **tree) {
  return keep_if_ok(load(r, path, NULL, log, tree), tree);
}

csim_status csim_load_tree_text(csim_reader *r, const char *path, const char *text, size_t length,
                                csim_log *log, cJSON **tree) {
  csim_status status = csim_json_read_text(&r->json, path, text, length, log, tree);
  if (!status) status = complete(r, path, NULL, log, tree);
  return keep_if_ok(status, tree);
}
