// scene/dress.c: what a scene with sewing patterns gets where it does not say it: a fabric, and
// phases that sew and drape. Needs scene/merge.h.
//
// As if the texts below stood in the scene, under its own keys, so that --print-config shows them.
// None of it is chosen for one pattern: make bench-dress (tests/bench/dress.py) judges it.
#include "scene/merge.h"

#include <string.h>

static const char fabric[] = "{\"preset\": \"cotton\", \"damping\": 4}";

// Stitches close for 1.5 s, as faster ones drag panels into folds, and the cloth is starched
// meanwhile: panels that bend only in large curves arrive in order, where soft ones crumple and
// catch each other, and narrow ones turn over. Edges that are gathered stay long meanwhile: made
// short at the start they rolled panels into balls, and a sleeve slid off its arm. Then the starch
// goes, the stitches become stiff, gathers short, and at last gravity acts. The drape ends at rest,
// so damping only decides how soon a skirt stops swinging.
//
// Steps end when vertices hardly move any more (`step_tolerance`). It is fine, as few of all
// vertices are sewn and the rest of them hardly move: at 0.05 edges lag behind their stitches until
// they snap. Forces in balance would matter to a motion, and not to where it comes to rest: steps
// that look for it are taken in parts when stiff stitches pull, and a frame took as long as all the
// sewing. What a step leaves unsolved is a motion of its own where it starts from free flight, in
// every step another one, and one or two vertices in a hundred never came to rest (30 mm/s). The
// drape starts its steps from where vertices are: what is left is missing motion (4 mm/s).
static const char phases[] =
    "{\"contact\": {\"thickness\": 0.0015},"
    " \"solver\": {\"balance\": 0, \"step_tolerance\": 0.005}, \"phases\": ["
    "{\"name\": \"sew\", \"frames\": {\"end\": 40}, \"gravity\": [0, 0, 0],"
    " \"contact\": {\"thickness\": 0.003, \"friction\": 0}},"
    "{\"name\": \"close\", \"frames\": {\"end\": 46}, \"gravity\": [0, 0, 0]},"
    "{\"name\": \"drape\", \"frames\": {\"end\": 144, \"until\": \"rest\"},"
    " \"solver\": {\"start\": \"rest\", \"step_tolerance\": 0.001}}]}";
static const char closed[] = "36"; // [frame] of the stitches then
// [frames] in which arms stretch out; the hem of a full circle has fallen below the hands by then.
static const char arms[] = "[84, 108]";
#define STARCH 1e-3      // [N m] bending stiffness of starched cloth
#define SEW_DAMPING 15   // [1/s]
#define DRAPE_DAMPING 10 // [1/s]

// Of each stitch once it is closed [N/m]; soft ones open by the tension of tight garments, and
// stiff ones that are still to close let straps slip off.
#define TIGHT 1e5

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

// The constants of the object's material, to which others can be added. NULL: out of memory.
static cJSON *copy_material(const cJSON *tree, const cJSON *object) {
  const cJSON *material = csim_json_get(object, "material"), *named = NULL;
  if (cJSON_IsString(material))
    named = csim_json_get(csim_json_get(tree, "materials"), material->valuestring);
  if (named) material = named;
  if (!cJSON_IsString(material)) return cJSON_Duplicate(material, 1);
  cJSON *copy = cJSON_CreateObject();
  if (copy && cJSON_AddStringToObject(copy, "preset", material->valuestring)) return copy;
  cJSON_Delete(copy);
  return NULL;
}

// What a phase changes in an object: numbers of its material and a key of its mesh, unless the
// scene has it.
typedef struct changes {
  double bend, damping; // 0: as they are
  const char *key;      // of the mesh
  double stiffness;     // of the stitches; 0: the key is false
} changes;

// Adds the changes of one object to the "objects" of a phase. `tree`: the scene, with the materials
// that names refer to. Keys that the scene gives are left as they are.
static csim_status change_object(cJSON *phase, const cJSON *tree, const cJSON *object,
                                 const changes *c) {
  static const char *const key[] = {"bend", "damping"};
  const cJSON *name = csim_json_get(object, "name");
  if (!cJSON_IsString(name)) return CSIM_OK; // reading complains
  cJSON *list = csim_json_get(phase, "objects");
  if (!list) list = cJSON_AddArrayToObject(phase, "objects");
  cJSON *change = cJSON_CreateObject(), *material = copy_material(tree, object);
  if (!list || !change || !cJSON_AddItemToArray(list, change)) {
    cJSON_Delete(change);
    cJSON_Delete(material);
    return CSIM_MEMORY;
  }
  if (!material || !cJSON_AddItemToObject(change, "material", material)) {
    cJSON_Delete(material);
    return CSIM_MEMORY;
  }
  int failed = !cJSON_AddStringToObject(change, "name", name->valuestring);
  const double number[] = {c->bend, c->damping};
  for (int k = 0; k < 2 && !failed && cJSON_IsObject(material); k++) {
    if (!(number[k] > 0)) continue;
    cJSON_DeleteItemFromObjectCaseSensitive(material, key[k]);
    failed = !cJSON_AddNumberToObject(material, key[k], number[k]);
  }
  if (failed || csim_json_get(csim_json_get(object, "mesh"), c->key))
    return failed ? CSIM_MEMORY : CSIM_OK;
  cJSON *mesh = cJSON_AddObjectToObject(change, "mesh");
  failed = !mesh || !(c->stiffness > 0 ? cJSON_AddNumberToObject(mesh, c->key, c->stiffness)
                                       : cJSON_AddFalseToObject(mesh, c->key));
  return failed ? CSIM_MEMORY : CSIM_OK;
}

// Lays the scene over the phases.
static csim_status add_phases(csim_reader *r, cJSON **tree) {
  static const changes change[3] = {{STARCH, SEW_DAMPING, "gather", 0},
                                    {0, SEW_DAMPING, "stiffness", TIGHT},
                                    {0, DRAPE_DAMPING, "stiffness", TIGHT}};
  cJSON *under = parse(r, phases);
  if (!under) return CSIM_MEMORY;
  cJSON *phase = csim_json_get(under, "phases")->child;
  csim_status status = CSIM_OK;
  for (int k = 0; k < 3 && !status; k++, phase = phase->next)
    for (cJSON *c = csim_json_get(*tree, "objects")->child; c && !status; c = c->next)
      if (csim_json_get(csim_json_get(c, "mesh"), "pattern"))
        status = change_object(phase, *tree, c, &change[k]);
  if (status) {
    cJSON_Delete(under);
    return status;
  }
  csim_merge_objects(under, *tree);
  cJSON_Delete(*tree);
  *tree = under;
  return CSIM_OK;
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
  for (cJSON *c = found && sews ? objects->child : NULL; c && !status; c = c->next) {
    const cJSON *type = csim_json_get(c, "type");
    if (cJSON_IsString(type) && !strcmp(type->valuestring, "collider") &&
        csim_json_get(csim_json_get(c, "mesh"), "file"))
      status = add(r, c, "arms", arms);
  }
  if (status || !found || !sews) return status;
  return add_phases(r, tree);
}
