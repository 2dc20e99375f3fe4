// scene/dress.c: defaults of scenes with sewing patterns: a fabric, and phases that sew and drape.
// Needs scene/merge.h.
//
// The texts below are added to the scene under its own keys, so --print-config shows them. None of
// them is chosen for one pattern: make bench-dress (tests/bench/dress.py) measures their quality.
#include "scene/merge.h"

#include <math.h>
#include <string.h>

static const char fabric[] = "{\"preset\": \"cotton\", \"damping\": 4}";

// Stitches close over 1.5 s, as faster ones drag panels into folds. Meanwhile the cloth is stiff
// (starched): panels that bend only in large curves arrive in order, while soft ones crumple, catch
// each other, and turn over if they are narrow. Gathered edges stay long meanwhile: made short at
// the start they rolled panels into balls, and a sleeve slid off its arm. Then the cloth becomes
// soft, the stitches stiff and gathers short, and at last gravity acts. The drape ends at rest, so
// damping only decides how soon a skirt stops swinging.
//
// Steps end by their step norm (`step_tolerance`). It is small, as few of all vertices are sewn and
// the others hardly move: at 0.05 edges lag behind their stitches and then snap. Force balance
// matters for a motion, not for its rest position. Steps that require it are taken in parts when
// stiff stitches pull, and one frame took as long as all the sewing. In steps that start from free
// flight the unsolved remainder is a motion of its own, a different one in every step, and one or
// two vertices in a hundred never came to rest (30 mm/s). The drape therefore starts its steps from
// the current positions: the remainder is then a missing motion (4 mm/s).
static const char phases[] =
    "{\"contact\": {\"thickness\": 0.0015},"
    " \"solver\": {\"balance\": 0, \"step_tolerance\": 0.005}, \"phases\": ["
    "{\"name\": \"sew\", \"frames\": {\"end\": %d}, \"gravity\": [0, 0, 0],"
    " \"contact\": {\"thickness\": 0.003, \"friction\": 0}},"
    "{\"name\": \"close\", \"frames\": {\"end\": %d}, \"gravity\": [0, 0, 0]},"
    "{\"name\": \"drape\", \"frames\": {\"end\": %d, \"until\": \"rest\"},"
    " \"solver\": {\"start\": \"rest\", \"step_tolerance\": 0.001}}]}";
// Frames: end of the stitches' closing, and ends of the phases. Every further layer is sewn after
// the one under it, and everything later shifts accordingly. Arms stretch out when the hem of a
// full circle has fallen below the hands.
enum { CLOSED = 36, SEW = 40, CLOSE = 46, DRAPE = 192, ARMS_FROM = 84, ARMS_TO = 108 };
enum { MOST_LAYERS = 1000 };
#define STARCH 1e-3      // [N m] bending stiffness of starched cloth
#define SEW_DAMPING 15   // [1/s]
#define DRAPE_DAMPING 10 // [1/s]

// Stiffness of each closed stitch [N/m]. Soft ones open under the tension of tight garments; ones
// that are stiff before they close let straps slip off.
#define TIGHT 1e5

// NULL: out of memory.
static cJSON *parse(csim_reader *r, const char *text) {
  cJSON *item = NULL;
  if (csim_json_read_text(&r->json, "sewing pattern", text, strlen(text), NULL, &item)) return NULL;
  r->json.source[r->json.nsource - 1].positions = 0;
  return item;
}

// Adds a key that is missing.
static csim_status add(csim_reader *r, cJSON *object, const char *key, const char *text) {
  if (csim_json_get(object, key)) return CSIM_OK;
  cJSON *item = parse(r, text);
  if (item && cJSON_AddItemToObject(object, key, item)) return CSIM_OK;
  cJSON_Delete(item);
  return CSIM_MEMORY;
}

// The layers of garments, from the inside to the outside.
typedef struct layers {
  unsigned char used[MOST_LAYERS + 1];
} layers;

static int layer_of(const csim_reader *r, const cJSON *object) {
  double layer = csim_json_number_of(&r->json, csim_json_get(object, "layer"));
  return layer > 0 ? (int)fmin(layer, MOST_LAYERS) : 0; // reading reports errors
}

// Number of layers below.
static int rank_of(const layers *l, int layer) {
  int rank = 0;
  for (int k = 0; k < layer; k++) rank += l->used[k];
  return rank;
}

// The constants of the object's material, which can be extended. NULL: out of memory.
static cJSON *copy_material(const cJSON *tree, const cJSON *object) {
  const cJSON *material = csim_json_get(object, "material");
  return cJSON_IsString(material) ? csim_copy_material(tree, material)
                                  : cJSON_Duplicate(material, 1);
}

// Changes of a phase in an object: numbers of its material and a key of its mesh, unless the scene
// sets them.
typedef struct changes {
  double bend, damping; // 0: as they are
  const char *key;      // of the mesh
  double stiffness;     // of the stitches; 0: the key is false
} changes;

// Adds the changes of one object to the "objects" of a phase. `tree`: the scene, with the materials
// that names refer to. Keys that the scene sets are kept.
static csim_status change_object(cJSON *phase, const cJSON *tree, const cJSON *object,
                                 const changes *c) {
  static const char *const key[] = {"bend", "damping"};
  const cJSON *name = csim_json_get(object, "name");
  if (!cJSON_IsString(name)) return CSIM_OK; // reading reports the error
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

// Merges the scene over the phases, which end `later` frames later.
static csim_status add_phases(csim_reader *r, int later, cJSON **tree) {
  static const changes change[3] = {{STARCH, SEW_DAMPING, "gather", 0},
                                    {0, SEW_DAMPING, "stiffness", TIGHT},
                                    {0, DRAPE_DAMPING, "stiffness", TIGHT}};
  const char *text =
      csim_arena_print(&r->scratch, phases, SEW + later, CLOSE + later, DRAPE + later);
  cJSON *under = text ? parse(r, text) : NULL;
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
  if (csim_merge_objects(under, *tree)) status = CSIM_MEMORY;
  cJSON_Delete(*tree);
  *tree = under;
  return status;
}

static int is_garment(const cJSON *object) {
  return csim_json_get(csim_json_get(object, "mesh"), "pattern") != NULL;
}

// Sets when the stitches of an object close, `later` than those of the innermost. A scene that sets
// their beginning keeps the default end.
static csim_status add_times(csim_reader *r, cJSON *mesh, int later) {
  const char *from = csim_arena_print(&r->scratch, "%d", later);
  const char *closed = csim_arena_print(&r->scratch, "%d", CLOSED + later);
  if (!from || !closed) return CSIM_MEMORY;
  if (csim_json_get(mesh, "from")) return CSIM_OK;
  csim_status status = later ? add(r, mesh, "from", from) : CSIM_OK;
  return status ? status : add(r, mesh, "closed", closed);
}

static csim_status add_arms(csim_reader *r, cJSON *object, int later) {
  const cJSON *type = csim_json_get(object, "type");
  if (!cJSON_IsString(type) || strcmp(type->valuestring, "collider") ||
      !csim_json_get(csim_json_get(object, "mesh"), "file"))
    return CSIM_OK;
  const char *arms = csim_arena_print(&r->scratch, "[%d, %d]", ARMS_FROM + later, ARMS_TO + later);
  return arms ? add(r, object, "arms", arms) : CSIM_MEMORY;
}

csim_status csim_add_dressing(csim_reader *r, cJSON **tree) {
  const cJSON *objects = csim_json_get(*tree, "objects");
  cJSON *first = cJSON_IsArray(objects) ? objects->child : NULL;
  int sews = !csim_json_get(*tree, "frames") && !csim_json_get(*tree, "phases"), found = 0;
  layers l = {0};
  csim_status status = CSIM_OK;
  for (cJSON *c = first; c && !status; c = c->next) {
    if (!is_garment(c)) continue;
    found = 1;
    l.used[layer_of(r, c)] = 1;
    status = add(r, c, "material", fabric);
  }
  if (status || !found || !sews) return status;
  for (cJSON *c = first; c && !status; c = c->next)
    status = is_garment(c)
                 ? add_times(r, csim_json_get(c, "mesh"), SEW * rank_of(&l, layer_of(r, c)))
                 : add_arms(r, c, SEW * (rank_of(&l, MOST_LAYERS + 1) - 1));
  return status ? status : add_phases(r, SEW * (rank_of(&l, MOST_LAYERS + 1) - 1), tree);
}
