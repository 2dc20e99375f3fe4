// tests/cli/look.c: what the scripts of tests/cli look into files with.
#include "clothsim.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *load(const char *path) {
  FILE *file = fopen(path, "rb");
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) exit(2);
  for (int c; file && (c = getc(file)) != EOF;) putc(c, out);
  fclose(out);
  if (!file) {
    perror(path);
    exit(2);
  }
  fclose(file);
  return text;
}

// look json FILE: whether the whole file is one JSON value.
static int look_json(const char *path) {
  char *text = load(path);
  cJSON *root = cJSON_ParseWithOpts(text, NULL, 1);
  if (!root) fprintf(stderr, "%s: no JSON at: %.60s\n", path, cJSON_GetErrorPtr());
  cJSON_Delete(root);
  free(text);
  return !root;
}

// look lines FILE: whether every line is a JSON object, and there is one at least.
static int look_lines(const char *path) {
  char *text = load(path), *rest = text;
  int bad = 0, n = 0;
  for (char *line; (line = strsep(&rest, "\n"));) {
    if (!rest && !*line) break; // behind the last newline
    cJSON *root = cJSON_ParseWithOpts(line, NULL, 1);
    if (!cJSON_IsObject(root)) {
      fprintf(stderr, "%s: no JSON object: %s\n", path, line);
      bad = 1;
    }
    cJSON_Delete(root);
    n++;
  }
  free(text);
  return bad || !n;
}

// look get FILE KEY...: prints the value at the end of the keys (numbers for list items); a list or
// object as its length.
static int look_get(const char *path, int nkey, char *const *key) {
  char *text = load(path);
  cJSON *root = cJSON_ParseWithOpts(text, NULL, 1);
  const cJSON *item = root;
  for (int k = 0; item && k < nkey; k++)
    item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(key[k]))
                               : cJSON_GetObjectItemCaseSensitive(item, key[k]);
  if (cJSON_IsString(item))
    puts(item->valuestring);
  else if (cJSON_IsNumber(item))
    printf("%.17g\n", item->valuedouble);
  else if (cJSON_IsArray(item) || cJSON_IsObject(item))
    printf("%d\n", cJSON_GetArraySize(item));
  else if (item)
    puts(cJSON_IsTrue(item) ? "true" : cJSON_IsFalse(item) ? "false" : "null");
  int missing = !item;
  cJSON_Delete(root);
  free(text);
  return missing;
}

// Whether the "v" lines of an OBJ file are the n positions. Both were rounded from the same
// doubles: the cache to floats (2^-24) and within its own error, the text to nine digits (5e-9).
// error < 0: the text has 17 digits, and the floats must be equal.
static int same_positions(const char *path, int n, const float *x, double error) {
  char *text = load(path), *rest = text;
  int i = 0, bad = 0;
  for (char *line; (line = strsep(&rest, "\n"));) {
    double p[3];
    if (strncmp(line, "v ", 2)) continue;
    if (sscanf(line, "v %lf %lf %lf", &p[0], &p[1], &p[2]) != 3) bad = 1;
    for (int c = 0; !bad && i < n && c < 3; c++) {
      float cached = x[csim_xyz(i) + c];
      double off = fabs(p[c] - (double)cached), allowed = error + 6.47e-8 * fabs(p[c]) + 1e-44;
      if (error < 0 ? (float)p[c] == cached : off <= allowed) continue;
      fprintf(stderr, "%s: vertex %d is %.17g, in the cache %.9g\n", path, i, p[c], (double)cached);
      bad = 1;
    }
    i++;
  }
  if (!bad && i != n) {
    fprintf(stderr, "%s: %d vertices, in the cache %d\n", path, i, n);
    bad = 1;
  }
  free(text);
  return bad;
}

// look cache CACHE DIR [exact]: whether every frame of every body in the cache is in DIR as OBJ
// with the same positions in float precision. Prints the number of frames.
static int look_cache(const char *path, const char *folder, int exact) {
  csim_cache *cache;
  if (csim_cache_open(path, NULL, &cache)) {
    fprintf(stderr, "%s: no cache\n", path);
    return 2;
  }
  const csim_cache_info *info = csim_cache_get_info(cache);
  double error = exact ? -1 : info->options.position_error;
  int bad = csim_cache_verify(cache, NULL, NULL) != CSIM_OK && info->complete;
  for (int o = 0; !bad && o < info->nobject; o++) {
    const csim_cache_object *object = &info->object[o];
    if (object->type == CSIM_CACHE_COLLIDER) continue;
    float *x = calloc(3 * (size_t)object->nvert + 1, sizeof *x);
    for (int f = 0; !bad && f < info->nframe; f++) {
      char obj[4096];
      snprintf(obj, sizeof obj, "%s/%s_%04lld.obj", folder, object->name, info->number[f]);
      bad = !x || csim_cache_read(cache, o, f, x, NULL) ||
            same_positions(obj, object->nvert, x, error);
    }
    free(x);
  }
  printf("%d\n", info->nframe);
  csim_cache_free(cache);
  return bad;
}

int main(int argc, char **argv) {
  const char *verb = argc > 2 ? argv[1] : "";
  if (!strcmp(verb, "json")) return look_json(argv[2]);
  if (!strcmp(verb, "lines")) return look_lines(argv[2]);
  if (!strcmp(verb, "get")) return look_get(argv[2], argc - 3, argv + 3);
  if (!strcmp(verb, "cache") && argc >= 4)
    return look_cache(argv[2], argv[3], argc == 5 && !strcmp(argv[4], "exact"));
  fputs("usage: look json FILE | lines FILE | get FILE KEY... | cache CACHE DIR [exact]\n", stderr);
  return 2;
}
