// scene/difference.c: see difference.h.
#include "scene/difference.h"

#include "io/json_write.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PATH = 512, SHOWN = 160 };

// Present position in both trees.
typedef struct place {
  csim_difference *d;
  const cJSON *was, *is; // the materials of both
  char path[PATH];       // JSON pointer, names for numbers
  char end[PATH];        // of the end of the last phase, which is the end of the run
} place;

static void print_value(const csim_json *json, csim_json_out *out, const char *key,
                        const cJSON *item) {
  if (cJSON_IsObject(item) || cJSON_IsArray(item)) {
    int object = cJSON_IsObject(item);
    csim_json_open_flat(out, key, object ? '{' : '[');
    for (const cJSON *c = item->child; c; c = c->next)
      print_value(json, out, object ? c->string : NULL, c);
    csim_json_close(out, object ? '}' : ']');
  } else if (cJSON_IsString(item)) {
    csim_json_text(out, key, item->valuestring);
  } else if (cJSON_IsNumber(item)) {
    csim_json_number(out, key, csim_json_note_of(json, item)->number);
  } else {
    csim_json_raw(out, key, cJSON_IsNull(item) ? "null" : cJSON_IsTrue(item) ? "true" : "false");
  }
}

// A value on one line, long ones cut.
static void show(csim_difference *d, const cJSON *item, char text[SHOWN]) {
  csim_json_out out = {0};
  if (item) print_value(d->json, &out, NULL, item);
  d->memory |= out.failed;
  const char *whole = !item ? "nothing" : out.text ? out.text : "?";
  int cut = strlen(whole) >= SHOWN;
  snprintf(text, SHOWN, "%.*s%s", cut ? SHOWN - 4 : SHOWN, whole, cut ? "..." : "");
  free(out.text);
}

static int report(place *at, const cJSON *was, const cJSON *is) {
  char before[SHOWN], now[SHOWN];
  show(at->d, was, before);
  show(at->d, is, now);
  csim_say(at->d->log, at->d->level, (csim_place){.file = at->d->file, .pointer = at->path},
           "%s -> %s", before, now);
  return 1;
}

static int is_left_out(const place *at) {
  static const char *const paths[] = {"/description", "/look_at",        "/$schema", "/frames/end",
                                      "/materials",   "/output/formats", NULL};
  for (int i = 0; paths[i]; i++)
    if (!strcmp(at->path, paths[i])) return 1;
  return !strcmp(at->path, at->end);
}

static const char *file_part(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

static int differ(place *at, const cJSON *was, const cJSON *is);

// Compares one level down and restores the path.
static int differ_below(place *at, const char *key, int index, const cJSON *was, const cJSON *is) {
  size_t n = strlen(at->path);
  if (key)
    snprintf(at->path + n, PATH - n, "/%s", key);
  else
    snprintf(at->path + n, PATH - n, "/%d", index);
  int count = is_left_out(at) ? 0 : differ(at, was, is);
  at->path[n] = 0;
  return count;
}

static int differ_in_members(place *at, const cJSON *was, const cJSON *is) {
  int count = 0;
  for (const cJSON *c = was->child; c; c = c->next)
    count += differ_below(at, c->string, 0, c, csim_json_get(is, c->string));
  for (const cJSON *c = is->child; c; c = c->next)
    if (!csim_json_get(was, c->string)) count += differ_below(at, c->string, 0, NULL, c);
  return count;
}

static const char *name_of(const cJSON *item) {
  const cJSON *name = cJSON_IsObject(item) ? csim_json_get(item, "name") : NULL;
  return cJSON_IsString(name) ? name->valuestring : NULL;
}

static const cJSON *find_named(const cJSON *list, const char *name) {
  for (const cJSON *c = list->child; c; c = c->next) {
    const char *other = name_of(c);
    if (other && !strcmp(other, name)) return c;
  }
  return NULL;
}

static int differ_in_lists(place *at, const cJSON *was, const cJSON *is) {
  int count = 0, index = 0;
  if (name_of(was->child) || name_of(is->child)) {
    for (const cJSON *c = was->child; c; c = c->next, index++)
      count +=
          differ_below(at, name_of(c), index, c, name_of(c) ? find_named(is, name_of(c)) : NULL);
    for (const cJSON *c = is->child; c; c = c->next)
      if (name_of(c) && !find_named(was, name_of(c)))
        count += differ_below(at, name_of(c), 0, NULL, c);
    return count;
  }
  const cJSON *a = was->child, *b = is->child;
  if (!cJSON_IsObject(a) || !cJSON_IsObject(b)) { // of numbers or texts: shown as a whole
    csim_json_out whole[2] = {{0}, {0}};
    print_value(at->d->json, &whole[0], NULL, was);
    print_value(at->d->json, &whole[1], NULL, is);
    at->d->memory |= whole[0].failed | whole[1].failed;
    int same = at->d->memory || !strcmp(whole[0].text, whole[1].text);
    free(whole[0].text);
    free(whole[1].text);
    return same ? 0 : report(at, was, is);
  }
  for (; a || b; index++) {
    count += differ_below(at, NULL, index, a, b);
    a = a ? a->next : NULL;
    b = b ? b->next : NULL;
  }
  return count;
}

static int differ(place *at, const cJSON *was, const cJSON *is) {
  if (!was && !is) return 0;
  if (!was || !is || (was->type & 0xff) != (is->type & 0xff)) return report(at, was, is);
  if (cJSON_IsObject(was)) return differ_in_members(at, was, is);
  if (cJSON_IsArray(was)) return differ_in_lists(at, was, is);
  if (cJSON_IsNumber(was))
    return csim_json_note_of(at->d->json, was)->number == csim_json_note_of(at->d->json, is)->number
               ? 0
               : report(at, was, is);
  // compare materials of objects by their contents, not by their names in the map of materials
  if (cJSON_IsString(was) && !strncmp(at->path, "/objects/", 9) &&
      !strcmp(file_part(at->path), "material"))
    return differ(at, csim_json_get(at->was, was->valuestring),
                  csim_json_get(at->is, is->valuestring));
  if (cJSON_IsString(was)) {
    int file = !strcmp(file_part(at->path), "file");
    const char *a = was->valuestring, *b = is->valuestring;
    return strcmp(file ? file_part(a) : a, file ? file_part(b) : b) ? report(at, was, is) : 0;
  }
  return 0;
}

int csim_report_differences(csim_difference *d, const cJSON *was, const cJSON *is) {
  place at = {.d = d, .was = csim_json_get(was, "materials"), .is = csim_json_get(is, "materials")};
  const cJSON *phase = csim_json_get(is, "phases");
  phase = phase ? phase->child : NULL;
  while (phase && phase->next) phase = phase->next;
  if (phase && name_of(phase)) snprintf(at.end, PATH, "/phases/%s/frames/end", name_of(phase));
  return differ(&at, was, is);
}
