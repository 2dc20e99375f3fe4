// scene/object_keys.c: keys of objects: cloth, solids, colliders.
#include "scene/reader.h"

#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(csim_object, member)

// --------------------------------------------------------------------------------------- springs

static const char *const network_names[] = {"mesh", "structured", NULL};
static const char *const bending_names[] = {"none",     "spring",    "quadratic",
                                            "dihedral", "cotangent", NULL};
static const char *const edges_names[] = {"all", "no-diagonals", NULL};

static const csim_field spring_fields[] = {
    {.key = "network",
     .kind = &csim_kind_choice,
     .detail = network_names,
     .offset = AT(network),
     .fallback = "mesh",
     .doc =
         "A spring on every edge of the triangles, or the structural and shear springs of a grid "
         "(shape \"grid\" only)."},
    {.key = "edges",
     .kind = &csim_kind_choice,
     .detail = edges_names,
     .offset = AT(edges),
     .fallback = "all",
     .doc =
         "Of network mesh: springs on all edges, or not on those that are the longest side of both "
         "their triangles (a cure of locking)."},
    {.key = "levels",
     .kind = &csim_kind_integer,
     .offset = AT(levels),
     .least = 0,
     .most = 8,
     .fallback = "0",
     .doc = "Coarser levels of springs (a cure of locking): they take nine tenths of the stiffness "
            "against stretch and do not resist compression; each is about three times as coarse as "
            "the one before. 0: none."},
    {.key = "bending",
     .kind = &csim_kind_choice,
     .detail = bending_names,
     .offset = AT(bending),
     .fallback = "quadratic",
     .doc =
         "Resistance to bending: springs across edges, a quadratic energy with a flat rest shape, "
         "or the energy of the dihedral angle, at rest as the mesh is."},
};
static const csim_table springs_table = {.name = "springs",
                                         .doc = "What cloth is made of.",
                                         .size = sizeof(csim_object),
                                         CSIM_FIELDS_OF(spring_fields)};

static const csim_field tetrahedra_fields[] = {
    {.key = "radius_edge_ratio",
     .kind = &csim_kind_real,
     .offset = AT(radius_edge_ratio),
     .least = 1,
     .most = 100,
     .fallback = "1.414",
     .doc = "Bound of the ratio of circumradius to shortest edge of the tetrahedra; smaller is "
            "better shaped and more of them."},
    {.key = "max_volume",
     .kind = &csim_kind_real,
     .offset = AT(max_volume),
     .unit = "m^3",
     .least = 0,
     .most = CSIM_MOST,
     .fallback = "0",
     .doc = "Largest volume of a tetrahedron; 0 = no bound."},
};
static const csim_table tetrahedra_table = {.name = "tetrahedra",
                                            .doc = "How the inside of a solid is filled.",
                                            .size = sizeof(csim_object),
                                            CSIM_FIELDS_OF(tetrahedra_fields)};

// --------------------------------------------------------------------------------------- objects

static int is_closed(const csim_mesh_source *mesh) {
  return mesh->shape != CSIM_SHAPE_PATTERN && mesh->shape != CSIM_SHAPE_GRID &&
         mesh->shape != CSIM_SHAPE_DISK && mesh->shape != CSIM_SHAPE_TUBE &&
         mesh->shape != CSIM_SHAPE_PLANE;
}

static void finish_object(csim_reader *r, const cJSON *item, void *base) {
  csim_object *object = base;
  const cJSON *mesh = csim_json_get(item, "mesh"), *shape = csim_json_get(mesh, "shape");
  object->place = csim_keep_place(r, CSIM_AT_VALUE, item);
  object->mesh_place = mesh ? csim_keep_place(r, CSIM_AT_VALUE, mesh) : object->place;
  if (object->type == CSIM_OBJECT_COLLIDER)
    object->material = -1;
  else
    csim_check_material(r, item, object);
  if (!cJSON_IsObject(mesh)) return;
  if (object->type != CSIM_OBJECT_COLLIDER && object->mesh.shape == CSIM_SHAPE_PLANE)
    csim_complain(r, CSIM_AT_VALUE, shape, "a plane is infinite: only a collider can be one");
  else if (object->type != CSIM_OBJECT_COLLIDER && object->mesh.shape == CSIM_SHAPE_SEQUENCE)
    csim_complain(r, CSIM_AT_VALUE, mesh,
                  "a sequence is led, not simulated: only a collider can be one");
  else if (object->type == CSIM_OBJECT_SOLID && !is_closed(&object->mesh))
    csim_complain(r, CSIM_AT_VALUE, shape, "a solid needs a closed surface; \"%s\" is open",
                  csim_shape_names[object->mesh.shape]);
  if (object->type == CSIM_OBJECT_COLLIDER && object->mesh.shape == CSIM_SHAPE_PATTERN)
    csim_complain(r, CSIM_AT_VALUE, mesh, "a pattern is sewn of cloth, not of a collider");
  const double *scale = object->scale;
  if (object->mesh.shape == CSIM_SHAPE_PATTERN && (scale[0] != scale[1] || scale[1] != scale[2]))
    csim_complain(r, CSIM_AT_VALUE, csim_json_get(item, "scale"),
                  "a pattern can have one scale only, as its panels turn with their placement");
  if (object->type == CSIM_OBJECT_CLOTH && object->network == CSIM_NETWORK_STRUCTURED &&
      object->mesh.shape != CSIM_SHAPE_GRID)
    csim_complain(r, CSIM_AT_VALUE, csim_json_get(csim_json_get(item, "springs"), "network"),
                  "network \"structured\" needs a mesh of shape \"grid\"");
}

#define VECTOR(name, of_unit, value, what)                                                         \
  {                                                                                                \
    .key = #name, .kind = &csim_kind_real, .offset = AT(name), .count = 3, .unit = of_unit,        \
    .fallback = value, .doc = what                                                                 \
  }

// what every object has
#define COMMON                                                                                     \
  {.key = "name",                                                                                  \
   .kind = &csim_kind_name,                                                                        \
   .offset = AT(name),                                                                             \
   .flags = CSIM_REQUIRED,                                                                         \
   .doc = "Unique name; output files are called by it."},                                          \
      {.key = "mesh",                                                                              \
       .kind = &csim_kind_variants,                                                                \
       .detail = &csim_mesh_variants,                                                              \
       .offset = AT(mesh),                                                                         \
       .flags = CSIM_REQUIRED,                                                                     \
       .doc = "The surface: a file or a built-in shape."},                                         \
      {.key = "scale",                                                                             \
       .kind = &csim_kind_real,                                                                    \
       .offset = AT(scale),                                                                        \
       .count = 3,                                                                                 \
       .least = 0,                                                                                 \
       .most = 1e6,                                                                                \
       .flags = CSIM_ABOVE | CSIM_BROADCAST,                                                       \
       .fallback = "1",                                                                            \
       .doc = "Factor of the mesh's size, or one for each axis; applied first."},                  \
      VECTOR(rotation, "deg", "0",                                                                 \
             "Rotation vector: the axis, as long as the angle; applied after scale."),             \
      VECTOR(position, "m", "0", "Where the mesh's origin goes; applied last."), {                 \
    .key = "friction", .kind = &csim_kind_real, .offset = AT(friction), .least = 0, .most = 100,   \
    .fallback = "-1", .doc = "Coefficient of friction. Default: the one of \"contact\"."           \
  }

// what moves by forces
#define DYNAMIC                                                                                    \
  {.key = "material",                                                                              \
   .kind = &csim_kind_material,                                                                    \
   .detail = &csim_material_table,                                                                 \
   .flags = CSIM_REQUIRED,                                                                         \
   .doc = "Name in \"materials\", a preset, or a material written here."},                         \
      VECTOR(velocity, "m/s", "0", "Velocity at the start."),                                      \
      VECTOR(spin, "deg/s", "0",                                                                   \
             "Angular velocity about the centre of mass at the start: axis times angle per "       \
             "second."),                                                                           \
  {                                                                                                \
    .key = "pins", .kind = &csim_kind_list, .detail = &pin_list, .offset = AT(pin),                \
    .doc = "Vertices that are held or led."                                                        \
  }

static const csim_field pin_element = {.kind = &csim_kind_table, .detail = &csim_pin_table};
static const csim_list pin_list = {
    .element = &pin_element, .size = sizeof(csim_pin), .count_offset = AT(npin)};

static const csim_field cloth_fields[] = {
    COMMON,
    // before the material, whose check depends on the bending
    {.key = "springs",
     .kind = &csim_kind_table,
     .detail = &springs_table,
     .doc = "What the cloth is made of."},
    DYNAMIC,
};
static const csim_field solid_fields[] = {
    COMMON,
    DYNAMIC,
    {.key = "tetrahedra",
     .kind = &csim_kind_table,
     .detail = &tetrahedra_table,
     .doc = "How the inside is filled."},
};
static const csim_field collider_fields[] = {
    COMMON,
    {.key = "motion",
     .kind = &csim_kind_motion,
     .detail = &csim_motion_table,
     .offset = AT(motion),
     .doc = "How the collider moves; without it, it stays."},
    {.key = "ghost",
     .kind = &csim_kind_bool,
     .offset = AT(ghost),
     .fallback = "false",
     .doc = "A collider that touches nothing: pins can follow it."},
    {.key = "solid",
     .kind = &csim_kind_bool,
     .offset = AT(solid),
     .fallback = "false",
     .doc =
         "Whether the collider has an inside: its mesh must then be closed with its faces outward "
         "in every frame, and nothing may start inside. Otherwise it is a surface with two equal "
         "sides."},
};

static const csim_table cloth_table = {.name = "cloth",
                                       .doc = "A sheet of fabric.",
                                       .size = sizeof(csim_object),
                                       .finish = finish_object,
                                       CSIM_FIELDS_OF(cloth_fields)};
static const csim_table solid_table = {.name = "solid",
                                       .doc = "A soft body, filled with tetrahedra.",
                                       .size = sizeof(csim_object),
                                       .finish = finish_object,
                                       CSIM_FIELDS_OF(solid_fields)};
static const csim_table collider_table = {.name = "collider",
                                          .doc = "A body that is led and not moved by forces.",
                                          .size = sizeof(csim_object),
                                          .finish = finish_object,
                                          CSIM_FIELDS_OF(collider_fields)};

static const char *const type_names[] = {"cloth", "solid", "collider", NULL};
static const csim_table *const type_tables[] = {&cloth_table, &solid_table, &collider_table};

const csim_variants csim_object_variants = {.name = "object",
                                            .key = "type",
                                            .doc = "What the object is.",
                                            .names = type_names,
                                            .table = type_tables,
                                            .offset = AT(type)};
