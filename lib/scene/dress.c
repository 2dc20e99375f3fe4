// scene/dress.c: what a scene with sewing patterns gets where it does not say it: a fabric, and
// phases that sew and drape. Needs scene/merge.h.
//
// As if the texts below stood in the scene, under its own keys, so that --print-config shows them.
// None of it is chosen for one pattern: make bench-dress (tests/bench/dress.py) judges it.
#include "scene/merge.h"

#include <string.h>

static const char fabric[] = "{\"preset\": \"cotton\", \"damping\": 4}";

// Stitches close for 1.5 s: faster ones drag panels into folds. `settle` is fine meanwhile, as few
// of all vertices are sewn and the rest of them hardly move: at 0.05 edges lag behind their
// stitches until they snap.
static const char phases[] =
    "{\"contact\": {\"thickness\": 0.0015}, \"phases\": ["
    "{\"name\": \"sew\", \"frames\": {\"end\": 40}, \"gravity\": [0, 0, 0],"
    " \"contact\": {\"thickness\": 0.003, \"friction\": 0},"
    " \"solver\": {\"balance\": 0, \"settle\": 0.005}},"
    "{\"name\": \"drape\", \"frames\": {\"end\": 144, \"until\": \"rest\"}}]}";
static const char closed[] = "36"; // [frame] of the stitches then

// NULL: out of memory.
static cJSON *parse(csim_reader *r, const char *text) {
  cJSON *item = NULL;
  if (csim_json_read_text(&r->json, "sewing pattern", text, strlen(text), NULL, &item)) return NULL;
  r->json.source[r->json.nsource - 1].positions = 0;
  return item;
}

// Adds a key that is not there.
static csim_status add(csim_reader *r, cJSON *object, const char *key, const char *text) {
  if (csim_json_get(object, key)) return CSIM_OK;
  cJSON *item = parse(r, text);
  if (item && cJSON_AddItemToObject(object, key, item)) return CSIM_OK;
  cJSON_Delete(item);
  return CSIM_MEMORY;
}

csim_status csim_add_dressing(csim_reader *r, cJSON **tree) {
  const cJSON *objects = csim_json_get(*tree, "objects");
  int sews = !csim_json_get(*tree, "frames") && !csim_json_get(*tree, "phases"), found = 0;
  csim_status status = CSIM_OK;
  for (cJSON *c = cJSON_IsArray(objects) ? objects->child : NULL; c && !status; c = c->next) {
    cJSON *mesh = csim_json_get(c, "mesh");
    if (!csim_json_get(mesh, "pattern")) continue;
    found = 1;
    status = add(r, c, "material", fabric);
    if (!status && sews) status = add(r, mesh, "closed", closed);
  }
  if (status || !found || !sews) return status;
  cJSON *under = parse(r, phases);
  if (!under) return CSIM_MEMORY;
  csim_merge_objects(under, *tree);
  cJSON_Delete(*tree);
  *tree = under;
  return CSIM_OK;
}
