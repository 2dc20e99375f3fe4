// scene/chamber_keys.c: keys of "chambers": pressure, gas and volume of closed surfaces.
#include "scene/reader.h"

#include "solver/linear.h"
#include "solver/method.h"

#include <string.h>

#define AT(member) offsetof(csim_chamber_source, member)

static const csim_field name_element = {.kind = &csim_kind_text};
static const csim_list name_list = {
    .element = &name_element, .size = sizeof(char *), .count_offset = AT(nobject), .least = 1};
static const csim_keyed pressure_keyed = {AT(pressure_key)};
static const csim_keyed volume_keyed = {AT(volume_key)};

static const csim_field chamber_fields[] = {
    CSIM_KEY("objects", list, AT(object), NULL, .detail = &name_list, .flags = CSIM_REQUIRED,
             .doc = "Names of the cloths that enclose it: one closed surface, or several that "
                    "seams close. It does not matter which way their faces point."),
    CSIM_KEY("pressure", keyed, AT(pressure), "0", .detail = &pressure_keyed, .unit = "Pa",
             .doc = "Pressure inside over that outside. With \"gas\": at the volume of the start; "
                    "keys of it let gas in and out."),
    CSIM_KEY("gas", bool, AT(gas), "false",
             .doc = "Whether the pressure is that of a gas: it falls as the volume grows, p V "
                    "staying the same."),
    CSIM_KEY("atmosphere", real, AT(atmosphere), "101325", .unit = "Pa", .least = 0,
             .most = CSIM_MOST, .doc = "With \"gas\": pressure outside."),
    CSIM_KEY("volume", keyed, AT(volume), "1", .detail = &volume_keyed, .least = 0, .most = 1e6,
             .doc = "With \"stiffness\": volume to keep, as a share of that of the start."),
    CSIM_KEY("stiffness", real, AT(stiffness), "0", .unit = "Pa", .least = 0, .most = CSIM_MOST,
             .doc = "Pressure per relative change of volume, with which it keeps its volume; 0 = "
                    "it does not. Large for a liquid."),
};

static void finish_chamber(csim_reader *r, const cJSON *item, void *base) {
  csim_chamber_source *chamber = base;
  chamber->place = csim_keep_place(r, item);
  int keeps = chamber->volume != 1 || chamber->volume_key.nkey > 0;
  if (keeps && !(chamber->stiffness > 0))
    csim_complain(r, csim_json_get(item, "volume"), "needs a \"stiffness\" > 0 Pa to be kept with");
  if (chamber->gas && !(chamber->atmosphere + chamber->pressure > 0))
    csim_complain(r, csim_json_get(item, "pressure"),
                  "is below a vacuum: \"atmosphere\" and \"pressure\" must sum to more than 0 Pa");
}

static const csim_table chamber_table =
    CSIM_TABLE("chamber", csim_chamber_source, chamber_fields, finish_chamber,
               "The inside of a closed surface.");
const csim_list csim_chamber_list =
    CSIM_LIST_OF(chamber_table, csim_chamber_source, offsetof(csim_scene, nchamber));

void csim_check_chambers(csim_reader *r, const cJSON *item, const csim_scene *scene) {
  const cJSON *list = csim_json_get(item, "chambers");
  const cJSON *c = cJSON_IsArray(list) ? list->child : NULL;
  const char **names = csim_arena_alloc(&r->scratch, scene->nobject + 1, sizeof *names);
  const csim_solver_params *solver = &scene->solver;
  if (!names) return;
  for (int o = 0, n = 0; o < scene->nobject; o++)
    if (scene->object[o].name && scene->object[o].type == CSIM_OBJECT_CLOTH)
      names[n++] = scene->object[o].name;
  for (int i = 0; c && i < scene->nchamber; i++, c = c->next) {
    const cJSON *objects = csim_json_get(c, "objects");
    const cJSON *at = cJSON_IsArray(objects) ? objects->child : objects;
    for (int k = 0; k < scene->chamber[i].nobject; k++, at = at ? at->next : NULL) {
      const char *name = scene->chamber[i].object[k];
      int found = 0;
      for (const char **known = names; name && *known; known++) found |= !strcmp(*known, name);
      for (int before = 0; name && before < k; before++)
        if (scene->chamber[i].object[before] && !strcmp(scene->chamber[i].object[before], name))
          csim_complain(r, at ? at : objects, "\"%s\" is named twice", name);
      if (name && !found)
        csim_complain(r, at ? at : objects, "there is no cloth \"%s\"%s", name,
                      csim_suggest(r, name, names));
    }
    const csim_linear_kind *linear = csim_linear_find(solver->linear);
    if (!csim_method_find(solver->method)->solves_systems || !linear->is_preconditioner)
      csim_complain(r, c, "chambers need the method \"newton\" with \"linear\" pcg or cholesky");
  }
}
