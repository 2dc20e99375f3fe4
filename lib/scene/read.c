// scene/read.c: csim_scene_read: files and settings -> tree -> tables -> scene.
#include "base/hash.h"
#include "scene/inputs.h"
#include "scene/merge.h"
#include "scene/reader.h"

#include <stdlib.h>
#include <string.h>

// The whole scene as JSON; free(). NULL when out of memory.
static char *print_scene(const csim_scene *scene, int hashing) {
  csim_printer p = {.scene = scene, .table = &csim_scene_table, .hashing = hashing};
  csim_json_open(&p.out, NULL, '{');
  csim_print_table(&p, &csim_scene_table, scene);
  csim_json_close(&p.out, '}');
  return csim_json_end(&p.out);
}

static int resolve(csim_scene *scene) {
  char *whole = print_scene(scene, 0), *part = print_scene(scene, 1);
  int ok = whole && part;
  if (ok) {
    scene->resolved = csim_arena_copy(&scene->arena, whole);
    scene->hash = csim_hash_text(CSIM_HASH_START, part, strlen(part));
  }
  free(whole);
  free(part);
  return ok && scene->resolved;
}

// Default name: "dir/drape.json" gives "drape". Characters that our file names do not allow become
// '_'.
static void name_after_file(csim_scene *scene, const char *path) {
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
  const char *point = strrchr(base, '.');
  int n = point && point > base ? (int)(point - base) : (int)strlen(base);
  scene->name = csim_arena_print(&scene->arena, "%.*s", n < 100 ? n : 100, base);
  for (char *c = scene->name; c && *c; c++) {
    int fits = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
               *c == '_' || (c > scene->name && (*c == '.' || *c == '-'));
    if (!fits) *c = '_';
  }
}

// Adds the files that the scene's own text is in.
static int add_sources(csim_reader *r) {
  for (ptrdiff_t k = 0; k < r->json.nsource; k++)
    if (r->json.source[k].positions && csim_inputs_add(r->scene, r->json.source[k].name)) return -1;
  return 0;
}

static void read_tree(csim_reader *r, const cJSON *tree) {
  csim_scene *scene = r->scene;
  if (!cJSON_IsObject(tree)) {
    csim_complain(r, tree, "expected a scene { }");
    return;
  }
  csim_read_table(r, &csim_scene_table, NULL, tree, scene);
  scene->material = CSIM_ARENA_COPY(&scene->arena, r->material, r->nmaterial);
  scene->nmaterial = scene->material ? (int)r->nmaterial : 0;
}

// text NULL: the file at `path` is read.
static csim_status read_scene(const char *path, const char *text, size_t length,
                              const char *const *sets, int nset, csim_log *log,
                              csim_scene **result) {
  csim_status status = CSIM_MEMORY;
  int reported = 0; // memory: by the readers of files
  cJSON *tree = NULL;
  csim_reader r = {.length_times = 1, .length_over = 1, .find_home = csim_find_home};
  *result = NULL;
  csim_scene *scene = r.scene = CSIM_NEW(csim_scene, 1);
  if (!scene) goto done;
  scene->file = csim_arena_copy(&scene->arena, path);
  name_after_file(scene, path);
  if (scene->arena.failed) goto done;
  status = text ? csim_load_tree_text(&r, path, text, length, log, &tree)
                : csim_load_tree(&r, path, log, &tree);
  reported = status != CSIM_OK;
  if (status == CSIM_OK) status = csim_add_dressing(&r, &tree);
  if (status != CSIM_OK) goto done;
  for (int i = 0; i < nset && status == CSIM_OK; i++) status = csim_apply_set(&r, tree, sets[i]);
  if (status != CSIM_OK) goto done;
  read_tree(&r, tree);
  csim_read_phases(&r, tree, read_tree);
  if (add_sources(&r)) goto done;
  int nomem = r.memory || scene->arena.failed || r.scratch.failed || r.json.arena.failed;
  status = nomem ? CSIM_MEMORY : r.ncomplaint ? CSIM_INVALID : CSIM_OK;
  if (status == CSIM_OK && !resolve(scene)) status = CSIM_MEMORY;
done:
  if (status != CSIM_MEMORY)
    csim_report_complaints(&r, log);
  else if (!reported)
    csim_fail_memory(log, path);
  cJSON_Delete(tree);
  csim_json_free(&r.json);
  csim_arena_free(&r.scratch);
  free(r.complaint);
  free(r.material);
  if (status == CSIM_OK)
    *result = scene;
  else
    csim_scene_free(scene);
  return status;
}

csim_status csim_scene_read(const char *path, const char *const *sets, int nset, csim_log *log,
                            csim_scene **scene) {
  return read_scene(path, NULL, 0, sets, nset, log, scene);
}

csim_status csim_scene_parse(const char *text, size_t length, const char *name,
                             const char *const *sets, int nset, csim_log *log, csim_scene **scene) {
  return read_scene(name, text ? text : "", text ? length : 0, sets, nset, log, scene);
}

void csim_scene_free(csim_scene *scene) {
  if (!scene) return;
  for (int k = 0; k < scene->nphase; k++) csim_scene_free(scene->phase[k].scene);
  csim_arena_free(&scene->arena);
  free(scene);
}

const char *csim_scene_resolved(const csim_scene *scene) {
  return scene->resolved;
}

uint64_t csim_scene_hash(const csim_scene *scene) {
  return scene->hash;
}
