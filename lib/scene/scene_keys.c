// scene/scene_keys.c: keys of the scene itself: units, frames, strict, wind, output.
#include "cache/export_list.h"
#include "scene/reader.h"

#include "scene/units.h"
#include "solver/method.h"

#include <math.h>
#include <string.h>

#define AT(member) offsetof(csim_scene, member)

// ----------------------------------------------------------------------------------------- units

// [m] of one unit of length, as the two factors of a csim_unit; 0 after a complaint.
static int read_length_unit(csim_reader *r, const csim_field *f, const cJSON *item,
                            csim_unit *unit) {
  char unknown[32];
  const char *name = NULL;
  csim_kind_word.read(r, f, item, &name);
  return name && csim_parse_unit(name, unit, unknown);
}

// "length": unit of plain numbers in the scene, and of files unless "files" sets it.
static void read_plain_unit(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_unit unit;
  if (!read_length_unit(r, f, item, &unit)) return;
  r->length_times = unit.times;
  r->length_over = unit.over;
  ((csim_scene *)base)->length_unit = unit.times / unit.over;
}

static void fall_back_unit(csim_reader *r, const csim_field *f, void *base) {
  (void)f;
  r->length_times = r->length_over = ((csim_scene *)base)->length_unit = 1;
}

// the resolved scene is in metres
static void print_plain_unit(csim_printer *p, const csim_field *f, const void *base) {
  (void)base;
  csim_json_text(&p->out, f->key, "m");
}

static void read_file_unit(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_unit unit;
  if (read_length_unit(r, f, item, &unit))
    ((csim_scene *)base)->length_unit = unit.times / unit.over;
}

static void print_file_unit(csim_printer *p, const csim_field *f, const void *base) {
  double length = ((const csim_scene *)base)->length_unit;
  csim_unit unit;
  char unknown[32];
  for (const char *const *name = csim_length_unit_names; *name; name++)
    if (csim_parse_unit(*name, &unit, unknown) && unit.times / unit.over == length)
      csim_json_text(&p->out, f->key, *name);
}

static const csim_kind kind_plain_unit = {read_plain_unit, fall_back_unit, print_plain_unit,
                                          .describe = csim_describe_choice,
                                          .schema = csim_schema_choice};
static const csim_kind kind_file_unit = {read_file_unit, NULL, print_file_unit,
                                         .describe = csim_describe_choice,
                                         .schema = csim_schema_choice};

static const char *const up_names[] = {"y", "z", NULL};

static const csim_field unit_fields[] = {
    CSIM_FIELD(
        "length", kind_plain_unit, 0, NULL, .detail = csim_length_unit_names,
        .doc =
            "Unit of plain numbers with dimensions of length and time only (see Units). Densities "
            "and stiffnesses stay SI."),
    CSIM_FIELD("files", kind_file_unit, 0, NULL, .detail = csim_length_unit_names,
               .doc = "Unit of coordinates in mesh files, read and written. Default: the unit of "
                      "\"length\"."),
    CSIM_KEY("up", choice, AT(up), "y", .detail = up_names, .least = 1,
             .doc = "Axis that points up, y or z: default gravity goes against it."),
};
static const csim_table units_table =
    CSIM_TABLE("units", csim_scene, unit_fields, NULL, "Units and axes of the scene.");

// ---------------------------------------------------------------------------------------- frames

static void check_frames(csim_reader *r, const cJSON *item, void *base) {
  csim_scene *scene = base;
  if (scene->frame_end < scene->frame_start)
    csim_complain(r, item, "\"end\" (%d) comes before \"start\" (%d)", scene->frame_end,
                  scene->frame_start);
  const cJSON *substeps = csim_json_get(item, "substeps");
  if (!(scene->accuracy > 0)) return;
  if (!substeps) scene->substeps = 64;
  if (scene->substeps & (scene->substeps - 1))
    csim_complain(r, substeps,
                  "with \"accuracy\" steps are doubled and halved: the most of them in a frame has "
                  "to be a power of two, as 32 or 64, found %d",
                  scene->substeps);
}

enum { MOST_FRAME = 9999999 };
static const char *const until_names[] = {"end", "rest", NULL};

static const csim_field frame_fields[] = {
    CSIM_KEY("start", integer, AT(frame_start), "1", .least = -MOST_FRAME, .most = MOST_FRAME,
             .doc = "Number of the first frame, which holds the initial state."),
    CSIM_KEY("end", integer, AT(frame_end), "100", .least = -MOST_FRAME, .most = MOST_FRAME,
             .flags = CSIM_COSMETIC,
             .doc = "Number of the last frame. The time of frame f is (f - start) / fps."),
    CSIM_KEY(
        "from", file, AT(start_cache), NULL,
        .doc = "Cache of another run. Cloths and solids start with the positions and velocities of "
               "the objects of the same name in it. Rest shapes are still those of their meshes."),
    CSIM_KEY("from_frame", integer, AT(start_frame), "-10000000", .least = CSIM_LAST_FRAME,
             .most = MOST_FRAME, .doc = "Frame of that cache. Default: the last one."),
    CSIM_KEY("until", choice, AT(until_rest), "end", .detail = until_names,
             .doc =
                 "\"rest\": end early once everything is at rest: in a quarter of a second at most "
                 "1 % of the free vertices were faster on average than \"rest_speed\". run.json "
                 "says whether that happened."),
    CSIM_KEY("rest_speed", real, AT(rest_speed), "0.02", .unit = "m/s", .least = 0, .most = 1e6,
             .flags = CSIM_ABOVE, .doc = "Speed below which a vertex is at rest."),
    CSIM_KEY("if_open", real, AT(if_open), "0", .unit = "m", .least = 0, .most = CSIM_MOST,
             .doc = "Above 0, of a phase that follows one with \"until\": \"rest\": it is left out "
                    "if that one came to rest and no stitch of a seam is longer than this. Without "
                    "a phase to come the run ends at rest. The phase itself is not at rest while "
                    "the longest stitch of a seam is longer and closes by a tenth in 0.25 s."),
    CSIM_KEY("fps", real, AT(fps), "24", .unit = "1/s", .least = 1e-3, .most = 1e6,
             .doc = "Frames per second."),
    CSIM_KEY("substeps", integer, AT(substeps), NULL, .least = 1, .most = 100000,
             .doc = "Time steps per frame. Default: 3, 5 or 16, by \"quality\". With \"accuracy\" "
                    "the largest number of them, a power of two; default 64."),
    CSIM_KEY("accuracy", real, AT(accuracy), "0", .unit = "m/s", .least = 0, .most = 1e6,
             .doc = "Above 0: adaptive time steps, with an estimated error of about this length "
                    "per second. 0: equal steps."),
};
static const csim_table frames_table =
    CSIM_TABLE("frames", csim_scene, frame_fields, check_frames, "Frame range and time step.");

// ---------------------------------------------------------------------------------------- strict

#define IN_STRICT(member) offsetof(csim_strict, member)

static const csim_field strict_fields[] = {
    CSIM_KEY("lag", real, IN_STRICT(lag), "0.002", .unit = "m", .least = 0, .most = 1e9,
             .doc = "Largest lag of a collider or pin behind its motion in a frame."),
    CSIM_KEY(
        "strain", real, IN_STRICT(strain), "0.5", .least = 0, .most = 1e9,
        .doc = "Largest stretch in a frame, of a spring, of a membrane in any direction, or of an "
               "edge of a neo-Hookean solid, as a share of its length. Shear of threads that keep "
               "their length is a stretch of at most 0.41."),
    CSIM_KEY("imbalance", real, IN_STRICT(imbalance), "2", .least = 0, .most = 1e9,
             .doc = "Net force on an object after a substep, as a share of the forces on it (see "
                    "\"solver.balance\")."),
    CSIM_KEY("energy", real, IN_STRICT(energy), "0.01", .least = 0, .most = 1e9,
             .doc = "Energy above that of the start, as a share of the largest kinetic and elastic "
                    "energy; only tested if nothing adds energy: no wind, no moving collider or "
                    "pin, no keys, seams or pressure."),
    CSIM_KEY("momentum", real, IN_STRICT(momentum), "0.5", .unit = "m/s", .least = 0, .most = 1e9,
             .doc = "Speed that the unbalanced forces of all substeps, less what the "
                    "solver gave back, have given the whole scene; under more than 9.81 m/s^2 "
                    "as much more. Those of newton with \"step_tolerance\" and a \"balance\" of 0 "
                    "do not count: forces need not balance there."),
    CSIM_KEY("unconverged", real, IN_STRICT(unconverged), "0.05", .least = 0, .most = 1,
             .doc = "Share of the substeps that may end at the limit of iterations."),
};
static const csim_table strict_table = CSIM_TABLE("strict", csim_strict, strict_fields, NULL,
                                                  "Bounds beyond which a run is not right.");

// ------------------------------------------------------------------------------------------ wind

#define IN_WIND(member) offsetof(csim_wind, member)

static const csim_keyed velocity_keyed = {IN_WIND(velocity_key)};

static const csim_field wind_fields[] = {
    CSIM_KEY("velocity", keyed, IN_WIND(velocity), "0", .detail = &velocity_keyed, .unit = "m/s",
             .count = 3, .doc = "Mean velocity of the air."),
    CSIM_KEY("density", real, IN_WIND(density), "1.2", .unit = "kg/m^3", .least = 0, .most = 1e5,
             .doc = "Density of the air; 0 is a vacuum."),
    CSIM_KEY("turbulence", real, IN_WIND(turbulence), "0", .least = 0, .most = 100,
             .doc = "Strength of gusts, as a share of the mean speed."),
    CSIM_KEY("gust_length", real, IN_WIND(gust_length), "1", .unit = "m", .least = 0, .most = 1e6,
             .flags = CSIM_ABOVE, .doc = "Size of gusts."),
};
static const csim_table wind_table =
    CSIM_TABLE("wind", csim_wind, wind_fields, NULL, "Air over the whole scene.");

// ---------------------------------------------------------------------------------------- output

#define IN_OUTPUT(member) offsetof(csim_output, member)

static const char *const digit_names[] = {"9", "17", NULL};

// all but "obj", which is a key of its own
static const csim_field format_element = {.kind = &csim_kind_word, .detail = csim_export_names + 1};
static const csim_list format_list = {
    .element = &format_element, .size = sizeof(const char *), .count_offset = IN_OUTPUT(nformat)};

static const csim_field sample_element = {.kind = &csim_kind_real,
                                          .unit = "frames",
                                          .least = -1,
                                          .most = 1,
                                          .flags = CSIM_ABOVE | CSIM_BELOW};
static const csim_list sample_list = {
    .element = &sample_element, .size = sizeof(double), .count_offset = IN_OUTPUT(nsample)};

static const csim_field output_fields[] = {
    CSIM_KEY("obj", bool, IN_OUTPUT(obj), "true",
             .doc = "Write every frame of every object as OBJ, name_0001.obj."),
    CSIM_KEY("cache", bool, IN_OUTPUT(cache), "true",
             .doc = "Write all frames into one cache file, <scene name>.clothcache."),
    CSIM_KEY("digits", integer, IN_OUTPUT(obj_digits), "9", .detail = digit_names,
             .doc = "Digits of OBJ coordinates: 9 carry a float exactly, 17 a double."),
    CSIM_KEY("velocities", bool, IN_OUTPUT(velocities), "true",
             .doc = "Store velocities in the cache."),
    CSIM_KEY("pressures", bool, IN_OUTPUT(pressures), "false",
             .doc = "Store the contact pressure on each vertex in the cache, in Pa (the filter "
                    "response only)."),
    CSIM_KEY("strain", bool, IN_OUTPUT(strain), "false",
             .doc = "Store the strain of each vertex in the cache: the largest stretch of its "
                    "triangles relative to their rest shape, less 1, averaged by area."),
    CSIM_KEY("samples", list, IN_OUTPUT(sample), NULL, .detail = &sample_list,
             .doc = "Also store positions and velocities between frames, for motion blur: [-0.25, "
                    "0, 0.25] is a quarter of a frame before and after each. They are simulated, "
                    "with straight lines within a substep. In cache, Alembic and USD."),
    CSIM_KEY("colliders", bool, IN_OUTPUT(colliders), "false",
             .doc = "Write OBJ files of colliders too."),
    CSIM_KEY("transforms", bool, IN_OUTPUT(transforms), "false",
             .doc = "Write rigid colliders to Alembic and USD as animated transforms over constant "
                    "points, instead of moving points."),
    CSIM_KEY("formats", list, IN_OUTPUT(format), NULL, .detail = &format_list,
             .doc = "Formats of other programs to write while simulating, frame by frame; "
                    "docs/export.md lists which program reads which."),
    CSIM_KEY("cache_error", real, IN_OUTPUT(cache_error), "0", .unit = "m", .least = 0, .most = 1,
             .doc = "Largest error of positions in the cache; 0 = lossless."),
};

// Sorts the samples of a frame by time, on whichever side of it they were given.
static void finish_output(csim_reader *r, const cJSON *item, void *base) {
  csim_output *output = base;
  for (int i = 0; i < output->nsample; i++) {
    double share = output->sample[i] > 0 ? output->sample[i] - 1 : output->sample[i];
    int k = output->nshare;
    while (k > 0 && output->share[k - 1] >= share) k--;
    if (share == 0 || (k < output->nshare && output->share[k] == share)) continue;
    if (output->nshare == CSIM_CACHE_MAX_SAMPLE) {
      csim_complain(r, csim_json_get(item, "samples"), "at most %d samples between two frames",
                    CSIM_CACHE_MAX_SAMPLE);
      return;
    }
    for (int j = output->nshare++; j > k; j--) output->share[j] = output->share[j - 1];
    output->share[k] = share;
  }
}

static const csim_table output_table =
    CSIM_TABLE("output", csim_output, output_fields, finish_output, "What is written.");

// ----------------------------------------------------------------------------------------- scene

// Keys that are only checked: for editors and people, or used before the tables are read.
static void read_ignored(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  (void)base;
  if (!cJSON_IsString(item)) csim_complain_type(r, f, item);
}

static const csim_kind kind_ignored = {read_ignored, .noun = "a string", .type = "string"};

// A plain gravity near 9.81 in a scene of centimetres is most likely meant in m/s^2.
static void check_gravity(csim_reader *r, const cJSON *item, csim_scene *scene) {
  const cJSON *gravity = csim_json_get(item, "gravity");
  if (!gravity) {
    scene->gravity[scene->up] = -9.81;
    return;
  }
  const double *g = scene->gravity;
  double plain = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]) * r->length_over / r->length_times;
  if (r->length_times != r->length_over && plain > 9.5 && plain < 10.5)
    csim_complain(r, gravity,
                  "is in the unit of \"units.length\" here; write \"-9.81 m/s^2\" or convert it");
}

// Whether an object, or a render mesh before number `last` of object `object`, has this name.
static int is_taken(const csim_scene *scene, const char *name, int object, int last) {
  for (int o = 0; o < scene->nobject; o++) {
    if (scene->object[o].name && !strcmp(scene->object[o].name, name)) return 1;
    for (int k = 0; k < scene->object[o].nrender && o <= object; k++) {
      const char *other = scene->object[o].render[k].name;
      if (o == object && k == last) break;
      if (other && !strcmp(other, name)) return 1;
    }
  }
  return 0;
}

static void check_render_names(csim_reader *r, const cJSON *objects, const csim_scene *scene) {
  const cJSON *c = objects ? objects->child : NULL;
  for (int o = 0; c && o < scene->nobject; o++, c = c->next) {
    const cJSON *list = csim_json_get(c, "render_meshes"), *item = list ? list->child : NULL;
    for (int k = 0; item && k < scene->object[o].nrender; k++, item = item->next) {
      const char *name = scene->object[o].render[k].name;
      if (name && is_taken(scene, name, o, k))
        csim_complain(r, csim_json_get(item, "name"),
                      "there is an object or render mesh \"%s\" already", name);
    }
  }
}

// Every object has a name of its own.
static void check_names(csim_reader *r, const cJSON *item, const csim_scene *scene) {
  const cJSON *objects = csim_json_get(item, "objects"), *c = objects ? objects->child : NULL;
  for (int i = 0; c && i < scene->nobject; i++, c = c->next)
    for (int k = 0; k < i && scene->object[i].name; k++) {
      if (!scene->object[k].name || strcmp(scene->object[k].name, scene->object[i].name)) continue;
      const csim_place *first = &scene->object[k].place;
      csim_complain(r, csim_json_get(c, "name"), "there is an object \"%s\" already, at %d:%d",
                    scene->object[i].name, first->line, first->column);
      break;
    }
  check_render_names(r, objects, scene);
}

// Checks that panels come after what is under them, which must be placed first.
static void check_layers(csim_reader *r, const cJSON *item, const csim_scene *scene) {
  int lowest = 0; // of the bodies behind the one in hand
  for (int o = scene->nobject - 1; o >= 0; o--) {
    const csim_object *object = &scene->object[o];
    if (object->layer == 0 || object->type == CSIM_OBJECT_COLLIDER) continue;
    if (object->mesh.shape == CSIM_SHAPE_PATTERN && lowest && lowest < object->layer)
      csim_complain(r, cJSON_GetArrayItem(csim_json_get(item, "objects"), o),
                    "a sewing pattern stands behind what it lies over: objects with a lower "
                    "\"layer\" come first");
    if (!lowest || object->layer < lowest) lowest = object->layer;
  }
}

// Finds the objects that pairs of friction name: bodies are counted first, then colliders.
static void check_pairs(csim_reader *r, const cJSON *item, csim_scene *scene) {
  const cJSON *pairs = csim_json_get(csim_json_get(item, "contact"), "friction_pairs");
  const cJSON *c = pairs ? pairs->child : NULL;
  int nbody = 0;
  const char **names = csim_arena_alloc(&r->scratch, scene->nobject + 1, sizeof *names);
  if (!names) return;
  for (int o = 0, n = 0; o < scene->nobject; o++) {
    nbody += scene->object[o].type != CSIM_OBJECT_COLLIDER;
    if (scene->object[o].name && !scene->object[o].ghost) names[n++] = scene->object[o].name;
  }
  for (int i = 0; c && i < scene->contact.nfriction; i++, c = c->next)
    for (int k = 0; k < 2; k++) {
      csim_pair_friction *pair = &scene->contact.pair_friction[i];
      int body = 0, collider = nbody, found = 0;
      for (int o = 0; o < scene->nobject && !found && pair->object[k]; o++) {
        const csim_object *object = &scene->object[o];
        int *part = object->type == CSIM_OBJECT_COLLIDER ? &collider : &body;
        if (object->ghost) continue;
        found = object->name && !strcmp(object->name, pair->object[k]);
        if (found) pair->part[k] = *part;
        ++*part;
      }
      if (pair->object[k] && !found)
        csim_complain(r, csim_json_get(c, k ? "b" : "a"), "there is no object \"%s\"%s",
                      pair->object[k], csim_suggest(r, pair->object[k], names));
    }
}

// The settings of each quality. Times and distances from a converged run: docs/methods.md, by
// `make bench-truth`.
typedef struct quality {
  int substeps, iterations;
  double step_tolerance, balance, linear_tolerance, damping;
} quality;

static const quality qualities[] = {
    [CSIM_QUALITY_DRAFT] = {3, 40, 0.1, 0.1, 0.03, 1},
    [CSIM_QUALITY_NORMAL] = {5, 40, 0.05, 0.05, 0.05, 1},
    [CSIM_QUALITY_FINAL] = {16, 80, 0.02, 0.02, 0.02, 0.5},
};

// Resolves what the scene does not set: the substeps and, for method "auto", the solver's settings.
static void resolve_quality(const cJSON *item, csim_scene *scene) {
  const quality *q = &qualities[scene->quality];
  const cJSON *solver = csim_json_get(item, "solver");
  csim_solver_params *params = &scene->solver;
  int is_auto = !strcmp(params->method, "auto");
  if (!csim_json_get(csim_json_get(item, "frames"), "substeps") && !(scene->accuracy > 0))
    scene->substeps = q->substeps;
  if (is_auto) {
    params->method = "newton";
    if (!csim_json_get(solver, "start")) params->start = CSIM_START_VELOCITY;
    if (!csim_json_get(solver, "iterations")) params->iterations = q->iterations;
    if (!csim_json_get(solver, "step_tolerance")) params->step_tolerance = q->step_tolerance;
    if (!csim_json_get(solver, "balance")) params->balance = q->balance;
    if (!csim_json_get(solver, "linear_tolerance")) params->linear_tolerance = q->linear_tolerance;
    if (!csim_json_get(solver, "damping")) params->damping = q->damping;
  }
  int second_order = csim_method_find(params->method)->solves_systems && !(scene->accuracy > 0);
  if (!csim_json_get(solver, "integrator"))
    params->integrator = second_order ? CSIM_INTEGRATOR_ALPHA : CSIM_INTEGRATOR_EULER;
}

// Generalized-alpha gives vertices in contact another weight than free ones: only newton supports
// that.
static void check_integrator(csim_reader *r, const cJSON *item, const csim_scene *scene) {
  if (scene->solver.integrator != CSIM_INTEGRATOR_ALPHA ||
      csim_method_find(scene->solver.method)->solves_systems)
    return;
  csim_complain(r, csim_json_get(csim_json_get(item, "solver"), "integrator"),
                "integrator \"generalized-alpha\" is for method \"newton\": choose \"bdf2\" or "
                "\"implicit-euler\" with \"%s\"",
                scene->solver.method);
}

// Methods that project correct free flight under the external forces: from another start they would
// not feel them. In one linear system xpbd does.
static void check_start(csim_reader *r, const cJSON *item, const csim_scene *scene) {
  const csim_solver_params *params = &scene->solver;
  int linear = !strcmp(params->method, "xpbd") && params->projection == CSIM_PROJECTION_LINEAR;
  if (params->start == CSIM_START_INERTIA || linear || !csim_method_find(params->method)->projects)
    return;
  csim_complain(
      r, csim_json_get(csim_json_get(item, "solver"), "start"),
      "\"%s\" corrects free flight under gravity and the other external forces, and would "
      "not feel them from another start: choose \"inertia\"%s",
      params->method, strcmp(params->method, "xpbd") ? "" : ", or the \"projection\" \"linear\"");
}

// Adaptive steps need an implicit method that uses one earlier step only.
static void check_accuracy(csim_reader *r, const cJSON *item, const csim_scene *scene) {
  const cJSON *accuracy = csim_json_get(csim_json_get(item, "frames"), "accuracy");
  const csim_method *method = csim_method_find(scene->solver.method);
  if (!(scene->accuracy > 0) || !method) return;
  if (method->is_explicit)
    csim_complain(r, accuracy,
                  "method \"%s\" has the one length of step at which it is stable: give "
                  "\"substeps\" alone, or choose an implicit method",
                  scene->solver.method);
  else if (scene->solver.integrator != CSIM_INTEGRATOR_EULER)
    csim_complain(r, accuracy,
                  "integrator \"%s\" has no estimate of a step's error: give \"substeps\" alone, "
                  "or choose \"implicit-euler\"",
                  csim_integrator_names[scene->solver.integrator]);
}

static void finish_scene(csim_reader *r, const cJSON *item, void *base) {
  csim_scene *scene = base;
  resolve_quality(item, scene);
  check_integrator(r, item, scene);
  check_start(r, item, scene);
  check_accuracy(r, item, scene);
  check_gravity(r, item, scene);
  check_names(r, item, scene);
  check_layers(r, item, scene);
  check_pairs(r, item, scene);
  csim_check_pins(r, item, scene);
  csim_check_joints(r, item, scene);
  csim_check_chambers(r, item, scene);
  for (int i = 0; i < scene->nobject; i++)
    if (scene->object[i].friction < 0) scene->object[i].friction = scene->contact.friction;
}

static const char *const version_names[] = {"1", NULL};
static const char *const quality_names[] = {"draft", "normal", "final", NULL};
enum { MOST_OBJECTS = 10000 };
static const csim_field object_element = {.kind = &csim_kind_variants,
                                          .detail = &csim_object_variants};
static const csim_list object_list = {.element = &object_element,
                                      .size = sizeof(csim_object),
                                      .count_offset = AT(nobject),
                                      .least = 1,
                                      .most = MOST_OBJECTS};

#define PART(name, part, where, what)                                                              \
  { .key = name, .kind = &csim_kind_table, .detail = &part##_table, .offset = where, .doc = what }

static const csim_keyed gravity_keyed = {offsetof(csim_scene, gravity_key)};

static const csim_field scene_fields[] = {
    CSIM_FIELD("$schema", kind_ignored, 0, NULL, .flags = CSIM_INPUT_ONLY,
               .doc = "For editors: the path of clothsim.schema.json."),
    CSIM_KEY("version", integer, AT(version), "1", .detail = version_names,
             .doc = "Version of the scene format."),
    CSIM_FIELD("extends", kind_ignored, 0, NULL, .flags = CSIM_INPUT_ONLY,
               .doc = "Another scene file, which this one changes and extends."),
    CSIM_KEY("name", name, AT(name), NULL, .flags = CSIM_COSMETIC,
             .doc = "Name of the cache file. Default: the scene file's name."),
    CSIM_KEY("description", text, AT(description), NULL, .flags = CSIM_COSMETIC,
             .doc = "What the scene is."),
    CSIM_KEY("look_at", text, AT(look_at), NULL, .flags = CSIM_COSMETIC,
             .doc = "What to look at in the result."),
    CSIM_KEY("quality", choice, AT(quality), "normal", .detail = quality_names,
             .doc = "Trade-off of speed and accuracy: defaults of \"frames.substeps\" and, with "
                    "the solver's method \"auto\", of its tolerances. --print-config shows them; "
                    "docs/methods.md has the cost and error of each quality."),
    PART("units", units, 0, "Units and axes."),
    PART("frames", frames, 0, "Frames and time steps."),
    CSIM_KEY("phases", phases, 0, NULL,
             .doc = "Ranges of frames, each with its own keys. See Phases."),
    CSIM_KEY("gravity", keyed, AT(gravity), NULL, .detail = &gravity_keyed, .unit = "m/s^2",
             .count = 3,
             .doc = "Acceleration of everything. Default: 9.81 m/s^2 against \"units.up\"."),
    CSIM_KEY("wind", table, AT(wind), NULL, .detail = &wind_table,
             .doc = "Air, still unless it gets a velocity. A density of 0 is a vacuum."),
    CSIM_KEY("attachments", list, AT(attachment), NULL, .detail = &csim_attachment_list,
             .doc = "Strings between the points of two objects, or of one."),
    CSIM_KEY("seams", list, AT(seam), NULL, .detail = &csim_seam_list,
             .doc = "Edges that are sewn together."),
    CSIM_KEY("chambers", list, AT(chamber), NULL, .detail = &csim_chamber_list,
             .doc = "Closed surfaces with a pressure inside."),
    CSIM_KEY("solver", table, AT(solver), NULL, .detail = &csim_solver_table,
             .doc = "How a time step is solved."),
    CSIM_KEY("contact", table, AT(contact), NULL, .detail = &csim_contact_table,
             .doc = "How contact is computed."),
    CSIM_KEY("strict", table, AT(strict), NULL, .detail = &strict_table, .flags = CSIM_COSMETIC,
             .doc = "Limits of acceptable results. A run that exceeds one warns at the end; with "
                    "--strict it fails."),
    CSIM_KEY("output", table, AT(output), NULL, .detail = &output_table, .flags = CSIM_COSMETIC,
             .doc = "What is written."),
    CSIM_KEY("materials", materials, 0, NULL, .detail = &csim_material_table,
             .doc = "Materials by name."),
    CSIM_KEY("objects", list, AT(object), NULL, .detail = &object_list, .flags = CSIM_REQUIRED,
             .doc = "Cloth, solids and colliders."),
};

const csim_table csim_scene_table =
    CSIM_TABLE("scene", csim_scene, scene_fields, finish_scene, "A scene.");
