// scene/dress.c: defaults of scenes with sewing patterns: a fabric, phases that sew and drape, and
// the stitches of garments that go on from another run.
// Needs scene/merge.h.
//
// The texts below are added to the scene under its own keys, so --print-config shows them. None of
// them is chosen for one pattern: make bench-dress (tests/bench/dress.py) measures their quality.
#include "mesh/mesh.h"
#include "scene/merge.h"

#include <math.h>
#include <string.h>

static const char fabric[] = "{\"preset\": \"cotton\", \"damping\": 4}";

// sew    Stitches close over 2.5 s; faster ones drag panels into folds, and tiers of skirts over
//        each other. The cloth is stiff (starched), as soft panels crumple, catch each other, and
//        turn over if they are narrow. Gathered edges stay long: made short at the start they
//        rolled panels into balls. Steps end by their step norm, which is small, as few vertices
//        are sewn and the others hardly move: at 0.05 edges lag behind their stitches, then snap.
// close  The cloth becomes soft, its stitches stiff, and gathers short.
// fall   Gravity acts until most of the cloth is slower than 0.5 m/s. Steps are solved ten times
//        as well: at 0.002 a skirt hardly slid off the shoulders. They start from free flight, so
//        the error of each is a motion of its own, and many vertices would never come to rest.
// drape  Steps start from the current positions, so the error of each is a missing motion (4 mm/s).
//        Linear systems are solved ten times as well as by default, or the weight of a skirt would
//        be less than what they leave. Later ones in a step are solved to a fifth: with six times
//        the tolerance of the first, the largest dress took three times the linear iterations. At a
//        step_tolerance of 0.001 loose cloth in the small of the back never came to rest. A slow
//        motion needs one step a frame. The first iterations of a step gain nearly all of it. The
//        others, at the limit of 20, took up to half of the time, and what they gained follows in
//        the next frame.
// settle As drape, with all vertices. Phases before have a quarter of them or less: long ways need
//        no more. The largest dress has fallen after 56 s instead of 250.
// fit    As settle, for seams that folds or tight cloth hold open; left out if there are none.
//        Folds that cross in a stitch keep it open by up to twice the thickness of contact, so
//        contact of cloth with cloth is a sixth as thick, and the pull is 400 N. Contact with the
//        body stays as thick: a garment that rested 0.1 mm from a body which then moved took ten
//        times as long. Closed seams stay about where they are (0.25 mm): closed to 0.05 mm, their
//        barriers cut most steps to a hundredth, and all steps ended at the limit of iterations.
//
// Force balance matters for a motion, not for its rest position. Steps that require it are taken
// in parts when stiff stitches pull, and one frame took as long as all the sewing. The run ends at
// rest, so damping only decides how soon a skirt stops swinging.
#define DRAPE_SOLVER                                                                               \
  "{\"start\": \"rest\", \"step_tolerance\": 0.0002, \"gain_tolerance\": 0.05,"                    \
  " \"linear_tolerance\": 0.005, \"later_tolerance\": 0.2}"
static const char phases[] =
    "{\"contact\": {\"thickness\": 0.0015},"
    " \"solver\": {\"balance\": 0, \"step_tolerance\": 0.005}, \"phases\": ["
    "{\"name\": \"sew\", \"frames\": {\"end\": %d}, \"gravity\": [0, 0, 0],"
    " \"contact\": {\"thickness\": 0.003, \"friction\": 0}},"
    "{\"name\": \"close\", \"frames\": {\"end\": %d}, \"gravity\": [0, 0, 0]},"
    "{\"name\": \"fall\","
    " \"frames\": {\"end\": %d, \"until\": \"rest\", \"rest_speed\": 0.5},"
    " \"solver\": {\"step_tolerance\": 0.0005}},"
    "{\"name\": \"drape\", \"frames\": {\"end\": %d, \"substeps\": 1, \"until\": \"rest\"},"
    " \"solver\": " DRAPE_SOLVER "},"
    "{\"name\": \"settle\", \"frames\": {\"end\": %d, \"substeps\": 1, \"until\": \"rest\"},"
    " \"solver\": " DRAPE_SOLVER "},"
    "{\"name\": \"fit\","
    " \"frames\": {\"end\": %d, \"substeps\": 1, \"until\": \"rest\", \"if_open\": 0.0004},"
    " \"contact\": {\"self_thickness\": 0.00025}, \"solver\": " DRAPE_SOLVER "}]}";
// Frames: an end of the stitches' closing, and those of the phases. Every further layer is sewn
// when the one under it is, so all comes so much later. Arms stretch out when the hem of a full
// circle has fallen below the hands.
enum {
  CLOSED = 60,
  SEW = 64,
  CLOSE = 70,
  FALL = 132,
  DRAPE = 204,
  SETTLE = 264,
  FIT = 312,
  ARMS_FROM = 108,
  ARMS_TO = 132
};
enum { MOST_LAYERS = 1000 };
#define STARCH 1e-3      // [N m] bending stiffness of starched cloth
#define SEW_DAMPING 15   // [1/s]
#define DRAPE_DAMPING 10 // [1/s]

// Of each stitch once it is closed: its largest pull [N], and its stiffness [N/m], while it is
// draped and at last. Tight garments stretch until they fit, so a seam has to hold 10 kN/m. As
// strong while it is still to close it would drag straps off the shoulders; as stiff as at last it
// would decide alone when a step is solved, and skirts came to rest in the air.
#define STRONG 100
#define STRONGEST 400
#define STIFF 1e5
#define STIFFEST 1e6

// Holds the waist of skirts and trousers [N/m], each vertex: without friction they slide down while
// they are drawn together around the hips.
#define HOLD 100

#define COARSE CSIM_MOST_DIVISIONS

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

// Changes of a phase in an object: numbers of its material, and keys of its mesh unless the scene
// sets them.
typedef struct changes {
  double bend, damping;   // 0: as they are
  int gather;             // 0: gathered edges are as long as they are drawn
  double stiffness, pull; // of the stitches; 0: as they are
  double hold;            // [N/m] of the waist
  double coarse;          // divisions of the triangles that are left out, all if there are fewer
} changes;

// Adds them to `mesh`, but for keys that `own` has. Returns whether memory ran out.
static int change_stitches(cJSON *mesh, const cJSON *own, const changes *c) {
  static const char *const key[] = {"stiffness", "pull", "hold", "coarse"};
  const double number[] = {c->stiffness, c->pull, c->hold, c->coarse};
  int failed = 0;
  if (!c->gather && !csim_json_get(own, "gather")) failed = !cJSON_AddFalseToObject(mesh, "gather");
  for (int k = 0; k < 4 && !failed; k++)
    if (number[k] > 0 && !csim_json_get(own, key[k]))
      failed = !cJSON_AddNumberToObject(mesh, key[k], number[k]);
  return failed;
}

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
  cJSON *mesh = failed ? NULL : cJSON_AddObjectToObject(change, "mesh");
  failed = !mesh || change_stitches(mesh, csim_json_get(object, "mesh"), c);
  return failed ? CSIM_MEMORY : CSIM_OK;
}

// Merges the scene over the phases, which end `later` frames later.
static csim_status add_phases(csim_reader *r, int later, cJSON **tree) {
  static const changes change[] = {{STARCH, SEW_DAMPING, 0, 0, 0, HOLD, COARSE},
                                   {0, SEW_DAMPING, 1, STIFF, STRONG, 0, COARSE},
                                   {0, DRAPE_DAMPING, 1, STIFF, STRONG, 0, COARSE},
                                   {0, DRAPE_DAMPING, 1, STIFF, STRONG, 0, COARSE},
                                   {0, DRAPE_DAMPING, 1, STIFF, STRONG, 0, 0},
                                   {0, DRAPE_DAMPING, 1, STIFFEST, STRONGEST, 0, 0}};
  const char *text = csim_arena_print(&r->scratch, phases, SEW + later, CLOSE + later, FALL + later,
                                      DRAPE + later, SETTLE + later, FIT + later);
  cJSON *under = text ? parse(r, text) : NULL;
  if (!under) return CSIM_MEMORY;
  cJSON *phase = csim_json_get(under, "phases")->child;
  csim_status status = CSIM_OK;
  for (int k = 0; phase && !status; k++, phase = phase->next)
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

// A dressed garment goes on: thickness and stitches are those it was draped with.
static csim_status add_wearing(csim_reader *r, cJSON *tree) {
  csim_status status = add(r, tree, "contact", "{}");
  cJSON *contact = csim_json_get(tree, "contact");
  if (!status && cJSON_IsObject(contact)) status = add(r, contact, "thickness", "0.0015");
  for (cJSON *c = csim_json_get(tree, "objects")->child; c && !status; c = c->next) {
    static const changes sewn = {.gather = 1, .stiffness = STIFF, .pull = STRONG};
    cJSON *mesh = csim_json_get(c, "mesh");
    if (is_garment(c) && change_stitches(mesh, mesh, &sewn)) status = CSIM_MEMORY;
  }
  return status;
}

csim_status csim_add_dressing(csim_reader *r, cJSON **tree) {
  const cJSON *objects = csim_json_get(*tree, "objects");
  cJSON *first = cJSON_IsArray(objects) ? objects->child : NULL;
  const cJSON *frames = csim_json_get(*tree, "frames");
  int phased = csim_json_get(*tree, "phases") != NULL, sews = !frames && !phased, found = 0;
  layers l = {0};
  csim_status status = CSIM_OK;
  for (cJSON *c = first; c && !status; c = c->next) {
    if (!is_garment(c)) continue;
    found = 1;
    l.used[layer_of(r, c)] = 1;
    status = add(r, c, "material", fabric);
  }
  if (!status && found && !phased && csim_json_get(frames, "from")) return add_wearing(r, *tree);
  if (status || !found || !sews) return status;
  for (cJSON *c = first; c && !status; c = c->next)
    status = is_garment(c)
                 ? add_times(r, csim_json_get(c, "mesh"), SEW * rank_of(&l, layer_of(r, c)))
                 : add_arms(r, c, SEW * (rank_of(&l, MOST_LAYERS + 1) - 1));
  return status ? status : add_phases(r, SEW * (rank_of(&l, MOST_LAYERS + 1) - 1), tree);
}
