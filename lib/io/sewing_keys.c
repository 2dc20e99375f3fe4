// io/sewing_keys.c: see sewing_keys.h.
#include "io/sewing_keys.h"

#include <string.h>

// Keys of GarmentCode's files, also those that are not read.
static const char *const in_file[] = {
    "pattern", "properties", "parameters", "parameter_order", "parameter_constraints", NULL};
static const char *const in_pattern[] = {"panels", "stitches", "panel_order", NULL};
static const char *const in_properties[] = {"curvature_coords", "units_in_meter",
                                            "normalize_panel_translation", "normalized_edge_loops",
                                            NULL};
static const char *const in_panel[] = {"translation", "rotation", "vertices",
                                       "edges",       "label",    NULL};
static const char *const in_edge[] = {"endpoints", "curvature", "label", NULL};
static const char *const in_curvature[] = {"type", "params", NULL};
static const char *const in_side[] = {"panel", "edge", NULL};

typedef struct checking {
  csim_json *json;
  csim_log *log;
} checking;

// Whether the name is none of them.
static int is_unknown(const char *name, const char *const *names) {
  while (*names && strcmp(*names, name) != 0) names++;
  return !*names;
}

// A key that is there as well is not what another one was meant to be.
static void check_object(const checking *c, const cJSON *object, const char *const *names) {
  const cJSON *item = cJSON_IsObject(object) ? object->child : NULL;
  for (; item; item = item->next) {
    if (!is_unknown(item->string, names)) continue;
    const char *near = csim_nearest_name(item->string, names);
    if (near && !csim_json_get(object, near))
      csim_say(c->log, CSIM_WARNING, csim_json_key_place(c->json, item),
               "unknown key, which is not read; did you mean \"%s\"?", near);
  }
}

static const cJSON *first_of(const cJSON *item) {
  return cJSON_IsObject(item) || cJSON_IsArray(item) ? item->child : NULL;
}

static void check_panel(const checking *c, const cJSON *panel) {
  check_object(c, panel, in_panel);
  const cJSON *edge = first_of(csim_json_get(panel, "edges"));
  for (; edge; edge = edge->next) {
    check_object(c, edge, in_edge);
    check_object(c, csim_json_get(edge, "curvature"), in_curvature);
  }
}

void csim_sewing_check_keys(csim_json *json, const cJSON *tree, csim_log *log) {
  const checking c = {json, log};
  const cJSON *pattern = csim_json_get(tree, "pattern");
  check_object(&c, tree, in_file);
  check_object(&c, csim_json_get(tree, "properties"), in_properties);
  check_object(&c, pattern, in_pattern);
  const cJSON *panel = first_of(csim_json_get(pattern, "panels"));
  for (; panel; panel = panel->next) check_panel(&c, panel);
  const cJSON *stitch = first_of(csim_json_get(pattern, "stitches"));
  for (; stitch; stitch = stitch->next)
    for (const cJSON *side = first_of(stitch); side; side = side->next)
      check_object(&c, side, in_side);
}
