// scene/object_keys.c: keys of objects: cloth, solids, colliders.
#include "model/bending_list.h"
#include "scene/reader.h"
#include "solver/method.h"

#include <string.h>

#define AT(member) offsetof(csim_object, member)

// --------------------------------------------------------------------------------------- springs

static const char *const network_names[] = {"mesh", "structured", NULL};
#define BENDING_NAME(name) #name,
static const char *const bending_names[] = {
    "none", "spring", CSIM_BENDING_LIST(BENDING_NAME) "curvature", "auto", NULL};
static const char *const edges_names[] = {"all", "no-diagonals", NULL};

static const csim_field spring_fields[] = {
    CSIM_KEY("network", choice, AT(network), "mesh", .detail = network_names,
             .doc = "A spring on every edge of the triangles, or the structural and shear springs "
                    "of a grid (shape \"grid\" only)."),
    CSIM_KEY("edges", choice, AT(edges), "all", .detail = edges_names,
             .doc = "Of network mesh: springs on all edges, or not on those that are the longest "
                    "side of both their triangles (a remedy for locking)."),
    CSIM_KEY("levels", integer, AT(levels), "0", .least = 0, .most = 8,
             .doc = "Number of coarser levels of springs (a remedy for locking). They have nine "
                    "tenths of the stretch stiffness and do not resist compression. Each is about "
                    "three times as coarse as the one before. 0: none."),
    CSIM_KEY("bending", choice, AT(bending), "auto", .detail = bending_names,
             .doc =
                 "Resistance to bending: springs across edges, a quadratic energy with a flat rest "
                 "shape, or the energy of the dihedral angle, at rest as the mesh is. curvature: a "
                 "quadratic energy of the curvature at each vertex, with a flat rest shape, the "
                 "same on every mesh, and the only one with \"bend_weft\"; not for pbd and xpbd. "
                 "auto: curvature with a membrane whose mesh is no grid, or whose \"bend\" has a "
                 "map or differs along weft; dihedral with \"folds\" and \"yield_curvature\"; else "
                 "quadratic, which is as exact on grids."),
};
static const csim_table springs_table =
    CSIM_TABLE("springs", csim_object, spring_fields, NULL, "What cloth is made of.");

static const char *const elasticity_names[] = {"springs", "neo-hookean", NULL};
static const char *const law_names[] = {"none", "woven", "orthotropic", "measured", "auto", NULL};
static const char *const warp_names[] = {"auto", "uv", "x", "y", "z", NULL};
static const char *const rest_names[] = {"start", "uv", "file", NULL};

static const csim_field membrane_fields[] = {
    CSIM_KEY(
        "law", choice, AT(membrane), "auto", .detail = law_names,
        .doc =
            "none: springs. woven: threads that keep their lengths and their right angle (Baraff & "
            "Witkin). orthotropic: St. Venant-Kirchhoff. Both have the material's moduli on every "
            "mesh: \"stretch\" along warp, \"weft\", \"shear\", \"poisson\". measured: "
            "orthotropic, with the material's \"stretch_table\". auto: measured with such a table "
            "and neither \"limit\" nor \"yield_strain\", else orthotropic; springs if the scene "
            "uses something only they have: their keys, \"spring\", \"compression\" or \"slack\" "
            "of the material, \"strain_limit\", a solver's method by name, a sewing pattern."),
    CSIM_KEY("warp", choice, AT(warp), "auto", .detail = warp_names,
             .doc =
                 "Direction of warp: along u of the texture coordinates, or along an axis of the "
                 "mesh (projected on each triangle). auto: uv if the mesh has them, else x."),
    CSIM_KEY("angle", real, AT(warp_angle), "0", .unit = "deg",
             .doc = "Angle by which warp is turned within the cloth: 45 is cut on the bias."),
};
static const csim_table membrane_table = CSIM_TABLE("membrane", csim_object, membrane_fields, NULL,
                                                    "Cloth as a membrane on its triangles.");

static const char *const angle_names[] = {"shape", "flat", NULL};

static const csim_field rest_fields[] = {
    CSIM_KEY("from", choice, AT(rest), "start", .detail = rest_names,
             .doc = "The shape without strain: the mesh at the start, the flat pattern of its "
                    "texture coordinates, or another mesh file. Lengths, areas, masses and angles "
                    "come from it; with uv the cloth is flat at rest."),
    CSIM_KEY("scale", real, AT(rest_scale), "1", .unit = "m", .least = 0, .most = CSIM_MOST,
             .flags = CSIM_ABOVE, .doc = "Of uv: length of 1 in texture coordinates."),
    CSIM_KEY(
        "file", file, AT(rest_file), NULL,
        .doc = "Of file: a mesh with the same vertices and faces; it is scaled as the object is."),
    CSIM_KEY("object", text, AT(rest_object), NULL,
             .doc = "Of file: as \"object\" of a mesh file."),
    CSIM_KEY("frame", real, AT(rest_frame), "-1e8", .least = -CSIM_FRAME_LIMIT,
             .most = CSIM_FRAME_LIMIT, .doc = "Of file: as \"frame\" of a mesh file."),
    CSIM_KEY("angles", choice, AT(flat_angles), "shape", .detail = angle_names,
             .doc = "Angles at rest, of bending \"dihedral\" and \"cotangent\": those of the rest "
                    "shape, or flat, for cloth cut from a roll and modelled on a body. Other "
                    "bending is always flat."),
    CSIM_KEY("folds", list, AT(fold), NULL, .detail = &csim_fold_list,
             .doc =
                 "Given angles at rest: pressed pleats, a folded sheet. They override \"angles\"."),
};
static const csim_table rest_table =
    CSIM_TABLE("rest", csim_object, rest_fields, NULL, "The rest shape of cloth.");

#define IN_FINER(member) offsetof(csim_finer, member)

static const csim_field finer_box = {.kind = &csim_kind_box};
static const csim_list finer_boxes = {.element = &finer_box,
                                      .size = sizeof(double[6]),
                                      .count_offset = IN_FINER(nbox),
                                      .rank = 2,
                                      .least = 1};
static const csim_field finer_fields[] = {
    CSIM_KEY("box", list, IN_FINER(box), NULL, .detail = &finer_boxes,
             .doc = "Two corners against the placed start, as of a pin, or several such boxes."),
    CSIM_KEY("pins", bool, IN_FINER(pins), "false",
             .doc = "Also the boxes around each face of the surface and each vertex that the "
                    "object's pins hold."),
    CSIM_KEY("distance", real, IN_FINER(distance), "0", .unit = "m", .least = 0, .most = CSIM_MOST,
             .doc = "The boxes are larger by this on all sides."),
    CSIM_KEY("max_volume", real, IN_FINER(max_volume), NULL, .unit = "m^3", .least = 0,
             .most = CSIM_MOST, .flags = CSIM_ABOVE | CSIM_REQUIRED,
             .doc = "Largest volume of a tetrahedron whose centre is there."),
};

static void finish_finer(csim_reader *r, const cJSON *item, void *base) {
  const csim_finer *finer = base;
  if (finer->nbox == 0 && !finer->pins)
    csim_complain(r, item, "say where: give a \"box\", or \"pins\": true");
}

static const csim_table finer_table = CSIM_TABLE("finer", csim_finer, finer_fields, finish_finer,
                                                 "Where a solid has smaller tetrahedra.");
static const csim_list finer_list = CSIM_LIST_OF(finer_table, csim_finer, AT(nfiner));

static const csim_field tetrahedra_fields[] = {
    CSIM_KEY("radius_edge_ratio", real, AT(radius_edge_ratio), "1.414", .least = 1.1, .most = 100,
             .doc = "Bound of the ratio of circumradius to shortest edge of the tetrahedra; "
                    "smaller is better shaped and more of them."),
    CSIM_KEY("max_volume", real, AT(max_volume), "0", .unit = "m^3", .least = 0, .most = CSIM_MOST,
             .doc = "Largest volume of a tetrahedron; 0 = no bound."),
    CSIM_KEY("finer", list, AT(finer), NULL, .detail = &finer_list,
             .doc = "Where tetrahedra are smaller: at a clamp, where a beam bends most. They grow "
                    "from there as the ratio permits. Faces of the surface are kept, so they have "
                    "to be small there too."),
    CSIM_KEY("time_limit", real, AT(tet_seconds), "50", .unit = "s", .least = 1, .most = 1e6,
             .doc = "Processor time that filling the solid may take, rounded up to whole seconds."),
};
static const csim_table tetrahedra_table = CSIM_TABLE("tetrahedra", csim_object, tetrahedra_fields,
                                                      NULL, "How the inside of a solid is filled.");

// --------------------------------------------------------------------------------------- objects

static int is_closed(const csim_mesh_source *mesh) {
  return mesh->shape != CSIM_SHAPE_PATTERN && mesh->shape != CSIM_SHAPE_GRID &&
         mesh->shape != CSIM_SHAPE_DISK && mesh->shape != CSIM_SHAPE_TUBE &&
         mesh->shape != CSIM_SHAPE_PLANE;
}

// Whether cloth must be springs. A scene that names a method compares it with others, so all must
// step the same model; methods with constant matrices and constraints step springs best. The
// gathers of a pattern are springs.
static int asks_for_springs(const csim_reader *r, const cJSON *item, const csim_object *object) {
  const cJSON *springs = csim_json_get(item, "springs");
  const csim_solver_params *solver = &r->scene->solver;
  if (strcmp(solver->method, "auto") || solver->strain_limit > 0 ||
      object->mesh.shape == CSIM_SHAPE_PATTERN || csim_json_get(springs, "network") ||
      csim_json_get(springs, "edges") || csim_json_get(springs, "levels") ||
      object->bending == CSIM_BENDING_SPRING)
    return 1;
  if (object->material < 0) return 0;
  const csim_material *m = &r->material[object->material];
  return m->spring > 0 || m->compression != 1 || m->slack != 0;
}

// The default law of a membrane.
static csim_membrane_law natural_law(const csim_material *m) {
  int table = m && m->nstretch_table > 0 && !(m->limit > 0) && !(m->yield_strain > 0);
  return table ? CSIM_MEMBRANE_MEASURED : CSIM_MEMBRANE_ORTHOTROPIC;
}

static int has_map(const csim_object *object, csim_map_of of) {
  for (int k = 0; k < object->nmap; k++)
    if (object->map[k].of == of) return 1;
  return 0;
}

// Chooses what cloth consists of if the scene leaves it open: what has the stated moduli on its
// mesh at the least cost. Accuracy and cost of each: docs/methods.md.
static void choose_fabric(const csim_reader *r, const cJSON *item, csim_object *object) {
  const csim_material *m = object->material >= 0 ? &r->material[object->material] : NULL;
  if (object->membrane == CSIM_MEMBRANE_AUTO)
    object->membrane = asks_for_springs(r, item, object) ? CSIM_MEMBRANE_NONE : natural_law(m);
  if (object->bending != CSIM_BENDING_AUTO) return;
  if (object->nfold || (m && m->yield_curvature > 0)) {
    object->bending = CSIM_BENDING_DIHEDRAL;
    return;
  }
  int grid = object->mesh.shape == CSIM_SHAPE_GRID && object->rest == CSIM_REST_START;
  int needed = has_map(object, CSIM_MAP_BEND) || (m && (m->bend_weft > 0 || m->nbend_table));
  const csim_method *method = csim_method_find(r->scene->solver.method); // NULL: "auto"
  int projects = method && method->projects;
  object->bending = object->membrane && (needed || !grid) && !projects
                        ? CSIM_BENDING_CURVATURE
                        : CSIM_BENDING_HINGE; // the first hinge is quadratic
}

// Reports keys of springs and membranes that exclude each other.
static void check_fabric(csim_reader *r, const cJSON *item, const csim_object *object) {
  const cJSON *springs = csim_json_get(item, "springs"), *rest = csim_json_get(item, "rest");
  if (object->membrane && object->network == CSIM_NETWORK_STRUCTURED)
    csim_complain(r, csim_json_get(springs, "network"),
                  "a membrane takes the place of the springs: leave \"network\" out");
  if (object->membrane && object->levels > 0)
    csim_complain(r, csim_json_get(springs, "levels"),
                  "levels are of springs, and a membrane takes their place: leave them out");
  if (object->membrane && object->edges != CSIM_EDGES_ALL)
    csim_complain(r, csim_json_get(springs, "edges"),
                  "edges are of springs, and a membrane takes their place: leave them out");
  for (int m = 0; m < object->nmap; m++) {
    csim_map_of of = object->map[m].of;
    const cJSON *map = cJSON_GetArrayItem(csim_json_get(item, "maps"), m);
    if (of == CSIM_MAP_BEND && object->bending != CSIM_BENDING_CURVATURE)
      csim_complain(r, map, "a map of bend needs \"bending\": \"curvature\"");
    int of_membrane = of == CSIM_MAP_STRETCH || of == CSIM_MAP_WEFT || of == CSIM_MAP_SHEAR;
    if (of_membrane && !object->membrane)
      csim_complain(r, map,
                    "springs take no map of their stiffness; give the cloth a \"membrane\"");
  }
  if (object->rest == CSIM_REST_FILE && !object->rest_file)
    csim_complain(r, rest, "a rest shape from a file needs \"file\"");
  if (object->rest != CSIM_REST_FILE && object->rest_file)
    csim_complain(r, csim_json_get(rest, "file"),
                  "the rest shape is not from a file: add \"from\": \"file\"");
  if (object->nfold && object->bending != CSIM_BENDING_DIHEDRAL)
    csim_complain(r, csim_json_get(rest, "folds"),
                  "only bending \"dihedral\" has angles at rest: leave \"bending\" out");
  if (object->rest != CSIM_REST_START && object->network == CSIM_NETWORK_STRUCTURED)
    csim_complain(r, rest,
                  "a structured network is at rest as it starts; use \"network\": \"mesh\"");
  if (object->rest != CSIM_REST_START && object->levels > 0)
    csim_complain(r, rest, "coarser levels of springs are at rest as they start");
}

static void finish_object(csim_reader *r, const cJSON *item, void *base) {
  csim_object *object = base;
  const cJSON *mesh = csim_json_get(item, "mesh"), *shape = csim_json_get(mesh, "shape");
  object->place = csim_keep_place(r, item);
  object->mesh_place = mesh ? csim_keep_place(r, mesh) : object->place;
  if (object->type == CSIM_OBJECT_COLLIDER) object->material = -1;
  if (object->type == CSIM_OBJECT_CLOTH && !r->memory) choose_fabric(r, item, object);
  if (object->type != CSIM_OBJECT_COLLIDER) csim_check_material(r, item, object);
  if (!cJSON_IsObject(mesh)) return;
  if (object->type != CSIM_OBJECT_COLLIDER && object->mesh.shape == CSIM_SHAPE_PLANE)
    csim_complain(r, shape, "a plane is infinite: only a collider can be one");
  else if (object->type != CSIM_OBJECT_COLLIDER && object->mesh.shape == CSIM_SHAPE_SEQUENCE)
    csim_complain(r, mesh, "a sequence is kinematic, not simulated: only a collider can be one");
  else if (object->type == CSIM_OBJECT_SOLID && !is_closed(&object->mesh))
    csim_complain(r, shape, "a solid needs a closed surface; \"%s\" is open",
                  csim_shape_names[object->mesh.shape]);
  if (object->type == CSIM_OBJECT_COLLIDER && object->mesh.shape == CSIM_SHAPE_PATTERN)
    csim_complain(r, mesh, "a pattern is sewn of cloth, not of a collider");
  const double *scale = object->scale;
  if (object->mesh.shape == CSIM_SHAPE_PATTERN && (scale[0] != scale[1] || scale[1] != scale[2]))
    csim_complain(r, csim_json_get(item, "scale"),
                  "a pattern can have one scale only, as its panels turn with their placement");
  if (object->type == CSIM_OBJECT_CLOTH && object->network == CSIM_NETWORK_STRUCTURED &&
      object->mesh.shape != CSIM_SHAPE_GRID)
    csim_complain(r, csim_json_get(csim_json_get(item, "springs"), "network"),
                  "network \"structured\" needs a mesh of shape \"grid\"");
  if (object->type == CSIM_OBJECT_CLOTH) check_fabric(r, item, object);
}

#define VECTOR(name, of_unit, value, what)                                                         \
  CSIM_KEY(#name, real, AT(name), value, .count = 3, .unit = of_unit, .doc = what)

// keys of all objects
#define COMMON                                                                                     \
  CSIM_KEY("name", name, AT(name), NULL, .flags = CSIM_REQUIRED,                                   \
           .doc = "Unique name; output files are called by it."),                                  \
      CSIM_KEY("mesh", variants, AT(mesh), NULL, .detail = &csim_mesh_variants,                    \
               .flags = CSIM_REQUIRED, .doc = "The surface: a file or a built-in shape."),         \
      CSIM_KEY("scale", real, AT(scale), "1", .count = 3, .least = 0, .most = 1e6,                 \
               .flags = CSIM_ABOVE | CSIM_BROADCAST,                                               \
               .doc = "Factor of the mesh's size, or one for each axis; applied first."),          \
      VECTOR(rotation, "deg", "0",                                                                 \
             "Rotation vector: the axis, as long as the angle; applied after scale."),             \
      VECTOR(position, "m", "0", "Position of the mesh's origin; applied last."),                  \
      CSIM_KEY("friction", real, AT(friction), "-1", .least = 0, .most = 100,                      \
               .doc = "Coefficient of friction. Default: the one of \"contact\"."),                \
      CSIM_KEY("layer", integer, AT(layer), "0", .least = 0, .most = 1000,                         \
               .doc = "1 and up: cloth starts over every object with a lower layer, on the side "  \
                      "of their faces' normals. Cloth that intersects one, lies under it or on "   \
                      "it is moved there, panels of patterns as a whole. 0: no layer.")

// -------------------------------------------------------------------------------- render meshes

static void finish_render(csim_reader *r, const cJSON *item, void *base) {
  csim_render *render = base;
  const cJSON *mesh = csim_json_get(item, "mesh");
  csim_shape shape = render->mesh.shape;
  render->place = csim_keep_place(r, item);
  if (cJSON_IsObject(mesh) &&
      (shape == CSIM_SHAPE_PLANE || shape == CSIM_SHAPE_SEQUENCE || shape == CSIM_SHAPE_PATTERN))
    csim_complain(r, mesh,
                  "a render mesh goes with its object: it is a mesh file or a finite shape");
}

static const csim_field render_fields[] = {
    CSIM_KEY("name", name, offsetof(csim_render, name), NULL, .flags = CSIM_REQUIRED,
             .doc = "Unique name, as of an object."),
    CSIM_KEY(
        "mesh", variants, offsetof(csim_render, mesh), NULL, .detail = &csim_mesh_variants,
        .flags = CSIM_REQUIRED,
        .doc =
            "Its mesh where the object starts; it is scaled, turned and moved as the object is."),
};
static const csim_table render_table =
    CSIM_TABLE("render-mesh", csim_render, render_fields, finish_render,
               "A finer mesh that goes with a cloth or solid.");
static const csim_list render_list = CSIM_LIST_OF(render_table, csim_render, AT(nrender));

// keys of deformable objects
#define DYNAMIC                                                                                    \
  CSIM_KEY("material", material, 0, NULL, .detail = &csim_material_table, .flags = CSIM_REQUIRED,  \
           .doc = "Name in \"materials\", a preset, or a material written here."),                 \
      VECTOR(velocity, "m/s", "0", "Velocity at the start."),                                      \
      VECTOR(spin, "deg/s", "0",                                                                   \
             "Angular velocity about the centre of mass at the start: axis times angle per "       \
             "second."),                                                                           \
      CSIM_KEY("pins", list, AT(pin), NULL, .detail = &pin_list,                                   \
               .doc = "Vertices that are fixed or moved."),                                        \
      CSIM_KEY("render_meshes", list, AT(render), NULL, .detail = &render_list,                    \
               .flags = CSIM_COSMETIC,                                                             \
               .doc = "Finer meshes that follow it and are written beside it in every output. "    \
                      "Each vertex keeps its position relative to the nearest face, or to the "    \
                      "nearest tetrahedron of a solid.")

static const csim_list pin_list = CSIM_LIST_OF(csim_pin_table, csim_pin, AT(npin));

static const csim_list map_list = CSIM_LIST_OF(csim_map_table, csim_map, AT(nmap));

static const csim_field cloth_fields[] = {
    COMMON,
    // before the material, whose check depends on the bending
    CSIM_KEY("springs", table, 0, NULL, .detail = &springs_table,
             .doc = "What the cloth is made of."),
    CSIM_KEY("membrane", table, 0, NULL, .detail = &membrane_table,
             .doc = "Membrane of the cloth, instead of springs."),
    CSIM_KEY("rest", table, 0, NULL, .detail = &rest_table,
             .doc = "The rest shape, if it is not the start."),
    CSIM_KEY("maps", list, AT(map), NULL, .detail = &map_list,
             .doc =
                 "Variation of the material over the cloth. Maps of the same property multiply."),
    DYNAMIC,
};
static const csim_field solid_fields[] = {
    COMMON,
    DYNAMIC,
    CSIM_KEY(
        "elasticity", choice, AT(elasticity), "springs", .detail = elasticity_names,
        .doc = "springs: on the edges of the tetrahedra, with the material's \"volume\"; about 1.4 "
               "times as stiff as \"modulus\" if volume is ten times it. neo-hookean: a continuum "
               "with the material's \"modulus\" and \"poisson\", which recovers from inversion."),
    CSIM_KEY("tetrahedra", table, 0, NULL, .detail = &tetrahedra_table,
             .doc = "How the inside is filled."),
};
static const csim_field collider_fields[] = {
    COMMON,
    CSIM_KEY("motion", motion, AT(motion), NULL, .detail = &csim_motion_table,
             .doc = "How the collider moves; without it, it stays."),
    CSIM_KEY("arms", real, AT(arms), "[0, 0]", .count = 2,
             .doc =
                 "Two frames, for wide garments. An arm of this mesh that has panels labelled "
                 "\"leg\" in front of it or behind it starts drawn into its shoulder; in a "
                 "sleeve it starts raised, as do arms that seams of panels labelled \"body\" "
                 "would cross, and is drawn in to the end of the sleeve if it is level. Hands that "
                 "sleeves reach start slender. "
                 "They go to where they are in the mesh from the first frame to the second, hands "
                 "alone in as many frames before that; the scene is not at rest before. For an "
                 "upright body with arms to the sides, in a scene with one pattern. [0, 0]: "
                 "never."),
    CSIM_KEY("ghost", bool, AT(ghost), "false",
             .doc = "A collider that touches nothing: pins can follow it. It is in no output."),
    CSIM_KEY("solid", bool, AT(solid), "false",
             .doc = "Whether the collider has an inside: its mesh must then be closed with its "
                    "faces outward in every frame, and nothing may start inside. Otherwise it is a "
                    "surface with two equal sides."),
};

static const csim_table cloth_table =
    CSIM_TABLE("cloth", csim_object, cloth_fields, finish_object, "A sheet of fabric.");
static const csim_table solid_table = CSIM_TABLE("solid", csim_object, solid_fields, finish_object,
                                                 "A soft body, filled with tetrahedra.");
static const csim_table collider_table =
    CSIM_TABLE("collider", csim_object, collider_fields, finish_object,
               "A body that is animated, not moved by forces.");

static const char *const type_names[] = {"cloth", "solid", "collider", NULL};
static const csim_table *const type_tables[] = {&cloth_table, &solid_table, &collider_table};

const csim_variants csim_object_variants = {.name = "object",
                                            .key = "type",
                                            .doc = "What the object is.",
                                            .names = type_names,
                                            .table = type_tables,
                                            .offset = AT(type)};
