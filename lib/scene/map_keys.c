// scene/map_keys.c: keys of maps, which vary a material over a cloth.
#include "scene/reader.h"

#define AT(member) offsetof(csim_map, member)

static const char *const of_names[] = {"density", "stretch", "weft",     "shear",     "bend",
                                       "damping", "drag",    "friction", "thickness", NULL};

static const csim_field weight_element = {
    .kind = &csim_kind_real, .least = -CSIM_MOST, .most = CSIM_MOST};
static const csim_field group_element = {.kind = &csim_kind_text};
static const csim_list vertex_list = {
    .element = &weight_element, .size = sizeof(double), .count_offset = AT(nvertex), .least = 1};
static const csim_list face_list = {
    .element = &weight_element, .size = sizeof(double), .count_offset = AT(nface), .least = 1};
static const csim_list group_list = {
    .element = &group_element, .size = sizeof(char *), .count_offset = AT(ngroup), .least = 1};

static const csim_field map_fields[] = {
    CSIM_KEY("of", choice, AT(of), NULL, .detail = of_names, .flags = CSIM_REQUIRED,
             .doc = "Property that is multiplied. stretch and bend are of warp and weft together. "
                    "stretch, weft and shear need a membrane, bend needs bending \"curvature\". "
                    "friction is the object's, or that of its pairs. thickness is that of contact, "
                    "with response \"filter\"; its factors are 0.01 to 100."),
    CSIM_KEY("low", real, AT(low), "0", .least = 0, .most = 1e6,
             .doc = "Factor where the weight is 0."),
    CSIM_KEY("high", real, AT(high), "1", .least = 0, .most = 1e6,
             .doc = "Factor where the weight is 1."),
    CSIM_KEY("vertices", list, AT(vertex), NULL, .detail = &vertex_list,
             .doc = "A weight for each vertex of the mesh, in its order; a triangle has the mean "
                    "of its corners'."),
    CSIM_KEY("faces", list, AT(face), NULL, .detail = &face_list,
             .doc = "A weight for each face of the mesh, in its order."),
    CSIM_KEY(
        "group", list, AT(group), NULL, .detail = &group_list,
        .doc =
            "Weight 1 on the faces in a group (o, g or usemtl) of the mesh file, 0 on the others."),
    CSIM_KEY("property", text, AT(property), NULL,
             .doc = "The weight of each vertex is what the mesh file has by this name: a property "
                    "of PLY, or \"red\", \"green\" and \"blue\" of the colours of an OBJ or PLY, "
                    "which are 0 to 1."),
};

static void finish_map(csim_reader *r, const cJSON *item, void *base) {
  csim_map *map = base;
  map->place = csim_keep_place(r, item);
  int given = !!csim_json_get(item, "vertices") + !!csim_json_get(item, "faces") +
              !!csim_json_get(item, "group") + !!csim_json_get(item, "property");
  if (given != 1)
    csim_complain(
        r, item,
        "a map takes its weights from one of \"vertices\", \"faces\", \"group\" and \"property\"");
}

const csim_table csim_map_table =
    CSIM_TABLE("map", csim_map, map_fields, finish_map, "A factor that differs over a cloth.");
