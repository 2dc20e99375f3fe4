// scene/materials.c: keys of materials and the presets.
#include "scene/reader.h"

#include "base/number.h"
#include "model/energy.h"
#include "scene/units.h"

#include <string.h>

#define AT(member) offsetof(csim_material, member)

// --------------------------------------------------------------------------------------- presets

// Sheets. Densities of denim and cotton lie in the range that Wang, O'Brien and Ramamoorthi
// measured (Data-Driven Elastic Models for Cloth, 2011: 0.113 to 0.324 kg/m^2, black denim 0.324,
// bending lengths 1.8 to 4.7 cm); those of silk and ripstop are trade weights (14 momme = 0.061
// kg/m^2, 1.4 oz/yd^2 = 0.047 kg/m^2), of wool a suiting of 250 g/m^2, of leather and rubber 1 mm
// at 800 and 930 kg/m^3. Bending stiffness is that of a bending length c in Peirce's test, B =
// density g c^3 (ASTM D1388), c = 1.33 cm silk, 1.2 ripstop, 2.2 cotton, 1.75 wool, 2.65 denim, 1.9
// leather (garment leather): those with which they all drape in the bands published for a
// Cusick drape meter (docs/materials.md); of rubber that of a plate, E t^3 / (12 (1 - nu^2)) with E
// = 1.5 MPa, nu = 0.5. Stretch is that of low strain, where the crimp of threads and the fibres of
// leather give way: Wang's files have about 200 to 4000 N/m there. Leather at 4000 N/m gives
// way by 2.5 % under 98 N/m, FAST's test, in which suitings give way by 2 to 4 % and garment
// leather by more (Lange, Niven and Laing, J. Soc. Leather Technol. Chem. 85, 2001). Of rubber it
// is E t. Shear rigidity is that of the presets with two names by weight, see below; leather and
// rubber are isotropic. Bending springs are weak near flat whatever their stiffness; ours are 1/100
// of the stretch. Drag 1.2 is that of a flat plate across the stream (Hoerner, Fluid-Dynamic Drag,
// 1965).
//
// Solids. Young's moduli are of the order given in materials handbooks for soft natural rubber,
// gelatine and flexible polyurethane foam. The stiffness against change of volume is a choice: ten
// times the modulus is "nearly incompressible", without the locking of the real
// factor 1000.
//
// Presets with two names have a warp and a weft. A membrane has any shear modulus; springs have
// 0.375 of the stretch. Bending stiffness is that of bending lengths of 15 and 13 mm (silk crepe),
// 24 and 20 (cotton poplin), 19 and 16 (wool suiting), 30 and 23 (denim), 19 (nappa), 13.5 and 12.7
// (light nylon). These are within the ranges of weight and bending that Feng, Huang, Xu and Wang
// measured on 618 fabrics (2022: 5 to 95 %: 0.030 to 0.494 kg/m^2, 1.1e-6 to 1.2e-4 N m along warp,
// 8e-7 to 5e-5 along weft). Shear rigidity is in the range of FAST's charts for suitings (30 to 80
// N/m; De Boos and Tester, SiroFAST, 1994), less for silk, more for denim. Stretch is that of the
// first per cent, where the threads' crimp gives way; beyond "limit" they are straight. These are
// typical figures, not those of one cloth: docs/materials.md.
//
// Damping and stretch_damping are 0 everywhere: implicit steps lose energy already. Numerical
// damping is for fabrics, which lose half of the energy of a stretch in a tensile tester (tensile
// resilience 48 to 66 % in six denims, Journal of Textiles 2016, 4614168). Elastomers and foams
// give most of it back.
#define SHEET(name, of_density, of_stretch, of_weft, of_shear, of_poisson, of_bend, of_bend_weft,  \
              of_bend_spring, of_limit, of_limit_stiffness, of_numerical_damping)                  \
  {                                                                                                \
    .preset = name, .stuff = CSIM_STUFF_SHEET, .density = of_density, .stretch = of_stretch,       \
    .weft = of_weft, .shear = of_shear, .poisson = of_poisson, .bend = of_bend,                    \
    .bend_weft = of_bend_weft, .bend_spring = of_bend_spring, .limit = of_limit,                   \
    .limit_stiffness = of_limit_stiffness, .compression = 1, .drag = 1.2,                          \
    .numerical_damping = of_numerical_damping                                                      \
  }
#define SOLID(name, of_density, of_modulus, of_volume, of_poisson)                                 \
  {                                                                                                \
    .preset = name, .stuff = CSIM_STUFF_SOLID, .density = of_density, .modulus = of_modulus,       \
    .volume = of_volume, .poisson = of_poisson, .compression = 1, .drag = 1.2                      \
  }

// clang-format off
static const csim_material presets[] = {
  //                      density   warp  weft  shear   nu     bend     weft  spring  limit     N/m numerical
  SHEET("silk",            0.061,   400,    0,    15, 0.1,  1.4e-6,       0,      4,     0,      0, 1),
  SHEET("cotton",            0.2,  1500,    0,    90, 0.1,  2.1e-5,       0,     15,     0,      0, 1),
  SHEET("denim",           0.324,  4000,    0,   160, 0.1,  5.9e-5,       0,     40,     0,      0, 1),
  SHEET("wool",             0.25,  1000,    0,    55, 0.1,  1.3e-5,       0,     10,     0,      0, 1),
  SHEET("leather",           0.8,  4000,    0,     0, 0.3,  5.4e-5,       0,     40,     0,      0, 1),
  SHEET("rubber",           0.93,  1500,    0,     0, 0.5,  1.7e-4,       0,     15,     0,      0, 0),
  SHEET("ripstop",         0.047,   400,    0,    25, 0.1,    8e-7,       0,      4,     0,      0, 1),
  SHEET("silk-crepe",      0.061,   300,  200,    15, 0.1,  1.9e-6,  1.4e-6,      3,  0.04,  20000, 1),
  SHEET("cotton-poplin",    0.13,   600,  400,    60, 0.1, 1.76e-5, 1.02e-5,      6,  0.03,  40000, 1),
  SHEET("wool-suiting",      0.2,   500,  350,    45, 0.1, 1.35e-5,    8e-6,      5,  0.03,  40000, 1),
  SHEET("denim-rigid",       0.4,  1500, 1000,   200, 0.1, 1.06e-4,  4.8e-5,     15,  0.03, 100000, 1),
  SHEET("leather-nappa",     0.5,  4000,    0,  1500, 0.3,  3.4e-5,       0,     40,     0,      0, 1),
  SHEET("nylon-light",      0.04,   400,  300,    20, 0.1, 9.65e-7,    8e-7,     10,  0.03,  40000, 1),
  //                    density  modulus  volume  poisson
  SOLID("rubber-solid",      930,   1.5e6,  1.5e7,    0.45),
  SOLID("jelly",            1000,     5e3,    5e4,    0.45),
  SOLID("foam",               30,     5e4,      0,       0),
};
// clang-format on
enum { NPRESET = sizeof presets / sizeof *presets };

const char *const csim_preset_names[] = {
    "silk",        "cotton",       "denim",         "wool",         "leather",     "rubber",
    "ripstop",     "silk-crepe",   "cotton-poplin", "wool-suiting", "denim-rigid", "leather-nappa",
    "nylon-light", "rubber-solid", "jelly",         "foam",         NULL};
_Static_assert(sizeof csim_preset_names / sizeof *csim_preset_names == NPRESET + 1,
               "every preset is named");

const csim_material *csim_find_preset(const char *name) {
  for (int i = 0; i < NPRESET; i++)
    if (!strcmp(presets[i].preset, name)) return &presets[i];
  return NULL;
}

// Reads the preset first in the table, as every other key changes its values.
static void read_preset(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_material *material = base;
  const char *name = NULL;
  csim_field word = *f;
  word.offset = 0;
  csim_kind_word.read(r, &word, item, &name);
  if (!name) return;
  char *own = material->name;
  *material = *csim_find_preset(name);
  material->name = own;
}

static void print_preset(csim_printer *p, const csim_field *f, const void *base) {
  const csim_material *material = base;
  if (material->preset) csim_json_text(&p->out, f->key, material->preset);
}

static const csim_kind kind_preset = {read_preset, NULL, print_preset,
                                      .describe = csim_describe_choice,
                                      .schema = csim_schema_choice};

// ------------------------------------------------------------------------------------------ keys

// Per area or per volume: decided by the unit of a text, else by the preset, else by the object's
// type.
static void read_density(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_material *material = base;
  csim_field own = *f;
  csim_unit unit;
  char unknown[32];
  double v;
  own.unit = material->stuff == CSIM_STUFF_SOLID ? "kg/m^3" : "kg/m^2";
  if (cJSON_IsString(item) && !material->preset) {
    const char *text = item->valuestring, *end = text + strlen(text);
    const char *rest = csim_read_number(text, end, &v);
    if (rest && csim_parse_unit(rest, &unit, unknown) && unit.m) {
      material->stuff = unit.m == -3 ? CSIM_STUFF_SOLID : CSIM_STUFF_SHEET;
      own.unit = unit.m == -3 ? "kg/m^3" : "kg/m^2";
    }
  }
  csim_kind_real.read(r, &own, item, base);
}

static const csim_kind kind_density = {read_density, NULL, csim_print_real,
                                       .schema = csim_schema_real,
                                       .noun = "a number > 0 [kg/m^2 of cloth, kg/m^3 of solids]"};

#define NUMBER(name, of_unit, low, mark, what)                                                     \
  CSIM_KEY(#name, real, AT(name), NULL, .unit = of_unit, .least = low, .most = CSIM_MOST,          \
           .flags = CSIM_RELATIVE | (mark), .doc = what)

// A key for a laboratory's reading, which replaces another key.
#define READING(name, of_unit, what)                                                               \
  CSIM_KEY(#name, real, AT(name), NULL, .unit = of_unit, .least = 0, .most = CSIM_MOST,            \
           .flags = CSIM_ABOVE | CSIM_INPUT_ONLY, .doc = "Cloth, measured: " what)

static const char *const limit_law_names[] = {"stiffen", "bound", NULL};

static const csim_field table_element = {
    .kind = &csim_kind_real, .unit = "N/m", .least = 0, .most = CSIM_MOST};
static const csim_list table_list = {.element = &table_element,
                                     .size = sizeof(double),
                                     .count_offset = AT(nstretch_table),
                                     .least = CSIM_MEASURED,
                                     .most = CSIM_MEASURED};
static const csim_field bend_element = {
    .kind = &csim_kind_real, .unit = "N m", .least = 0, .most = CSIM_MOST};
static const csim_list bend_list = {.element = &bend_element,
                                    .size = sizeof(double),
                                    .count_offset = AT(nbend_table),
                                    .least = CSIM_MEASURED_BENDING,
                                    .most = CSIM_MEASURED_BENDING};

static const csim_field material_fields[] = {
    CSIM_FIELD(
        "preset", kind_preset, 0, NULL, .detail = csim_preset_names, .flags = CSIM_COSMETIC,
        .doc = "Known material, the default of all keys that are not given. \"2x\" multiplies its "
               "values."),
    CSIM_KEY("arcsim", arcsim, 0, NULL, .flags = CSIM_INPUT_ONLY,
             .doc = "Material file of ARCSim, as measured by Wang, O'Brien and Ramamoorthi (2011): "
                    "density, stretch_table and bend_table are taken from it, and their values at "
                    "low strain and curvature: stretch, weft, shear, poisson, bend and bend_weft. "
                    "Other keys given here override it; one of the first four of low strain "
                    "replaces the first table, one of the last two the second."),
    CSIM_FIELD("density", kind_density, AT(density), NULL, .least = 0, .most = CSIM_MOST,
               .flags = CSIM_RELATIVE | CSIM_ABOVE,
               .doc = "Mass of an area (cloth) or of a volume (solid)."),
    NUMBER(stretch, "N/m", 0, CSIM_ABOVE,
           "Cloth: Young's modulus times thickness; springs get their stiffness from it so that "
           "the cloth does not depend on its mesh."),
    NUMBER(weft, "N/m", 0, 0,
           "Cloth, membranes: as stretch, along weft; stretch is then along warp. 0 = as stretch."),
    CSIM_KEY("shear", shear, AT(shear), NULL, .unit = "N/m", .least = 0, .most = CSIM_MOST,
             .flags = CSIM_RELATIVE,
             .doc = "Cloth, membranes: shear modulus times thickness, 1/100 to 1/10 of stretch in "
                    "woven cloth; also by the angle, \"0.8 gf/cm/deg\". 0 = as isotropic, "
                    "stretch/(2 (1 + poisson))."),
    CSIM_KEY("poisson", real, AT(poisson), NULL, .least = 0, .most = 1,
             .flags = CSIM_RELATIVE | CSIM_BELOW,
             .doc = "Poisson's ratio. Cloth, membranes: where warp and weft differ, cloth pulled "
                    "along warp narrows by this times sqrt(stretch/weft). Solids, elasticity "
                    "\"neo-hookean\": below 0.5."),
    CSIM_KEY("stretch_table", list, AT(stretch_table), NULL, .detail = &table_list,
             .doc = "Cloth, membrane law \"measured\": 24 numbers c11, c12, c22, c33 [N/m] (warp, "
                    "both, weft, shear), at low strain and where the largest stretch is 7/6, at 0, "
                    "22.5, 45, 67.5 and 90 degrees to warp; c12 is at most 0.95 sqrt(c11 c22). "
                    "stretch, weft, shear and poisson are those of low strain unless given."),
    NUMBER(bend, "N m", 0, 0, "Cloth: bending stiffness, as a cantilever test measures it."),
    NUMBER(bend_weft, "N m", 0, 0,
           "Cloth, bending \"curvature\": as bend, along weft; bend is then along warp. 0 = as "
           "bend."),
    CSIM_KEY("bend_table", list, AT(bend_table), NULL, .detail = &bend_list,
             .doc = "Cloth, bending \"curvature\": 15 numbers, the bending stiffness at curvatures "
                    "of 0, 10, 20, 30 and 40 1/m of cloth bent along warp, at 45 degrees and along "
                    "weft. bend and bend_weft are those at 0 unless given."),
    NUMBER(bend_spring, "N/m", 0, 0, "Cloth: stiffness of bending springs (bending \"spring\")."),
    READING(extension, "", "strain under 98 N/m along warp (FAST's E100) sets stretch."),
    READING(extension_weft, "", "the same along weft sets weft."),
    READING(extension_bias, "", "strain under 4.9 N/m at 45 degrees (FAST's EB5) sets shear."),
    READING(bending_length, "m",
            "bending length along warp (Peirce, ASTM D1388, FAST-2) sets bend to density g c^3."),
    READING(bending_length_weft, "m", "the same along weft sets bend_weft."),
    NUMBER(modulus, "Pa", 0, CSIM_ABOVE, "Solid: Young's modulus."),
    NUMBER(volume, "Pa", 0, 0, "Solid: stiffness against change of volume."),
    NUMBER(damping, "1/s", 0, 0, "Velocities decay as exp(-damping t); 0 = none."),
    NUMBER(stretch_damping, "s", 0, 0,
           "Inner friction: springs resist the rate of their stretch too, by their stiffness times "
           "this time (Kelvin & Voigt); 0 = none. 0.01 s to 0.1 s damps the vibration of cloth "
           "that is struck, and makes its contact cheaper. Rotations are not damped. Use \"start\" "
           "velocity, as \"auto\" does, or the cloth does not quite come to rest."),
    CSIM_KEY("numerical_damping", real, AT(numerical_damping), NULL, .least = 0, .most = 1,
             .doc =
                 "Share of the solver's \"damping\" that acts on it. Default: 1 for cloth, 0 for "
                 "solids and the preset \"rubber\". With 1, vibrations that take ten substeps "
                 "lose most of their amplitude in one period; woven cloth loses about half "
                 "of the energy of each stretch anyway."),
    NUMBER(drag, "", 0, 0,
           "Drag coefficient of the surface in the air of \"wind\", normal to it; "
           "along it a twentieth of that resists."),
    NUMBER(spring, "N/m", 0, 0,
           "If > 0, every spring has this stiffness, whatever the mesh (instead of stretch, "
           "modulus)."),
    NUMBER(compression, "", 0, 0,
           "Share of the springs' stiffness that resists compression; 1 = all."),
    NUMBER(slack, "", 0, 0, "Strain on either side of a spring's length without energy."),
    NUMBER(limit, "", 0, 0,
           "Strain beyond which springs, or warp and weft of membranes, stiffen; 0 = none."),
    CSIM_KEY("limit_law", choice, AT(limit_law), "stiffen", .detail = limit_law_names,
             .doc = "Kind of limit. \"stiffen\": tension grows with the square of the strain "
                    "beyond it. \"bound\": the strain is never reached in any substep, neither by "
                    "springs nor along any direction of membranes, whose shear is thus bounded "
                    "too; tension grows without end from half of it on (newton only). If pins or "
                    "bodies pull cloth beyond it, the report's \"worst\" \"strain\" is larger."),
    NUMBER(limit_stiffness, "N/m", 0, 0,
           "Stiffness of that limit; 0 = a hundred times the spring's own, or stretch; ten times "
           "with \"bound\"."),
    NUMBER(yield_curvature, "1/m", 0, 0,
           "Cloth, bending \"dihedral\": curvature beyond which a bend is permanent, as in paper. "
           "The angle of an edge is its curvature times the mean height of its two triangles. 0 = "
           "elastic."),
    NUMBER(yield_strain, "", 0, 0,
           "Strain beyond which stretch or compression is permanent: of warp and weft in membranes "
           "of cloth, of every spring in solids of springs. 0 = elastic."),
    NUMBER(hardening, "", 0, 0,
           "After plastic flow by a strain or curvature f the yield point is higher by hardening "
           "times f."),
    NUMBER(yield_rate, "1/s", 0, 0,
           "Speed of plastic flow: after a time t the share 1 - exp(-yield_rate t) of the excess "
           "is permanent. 0 = at once."),
    NUMBER(vertex_mass, "kg", 0, 0, "If > 0, every vertex has this mass (instead of density)."),
};

const csim_table csim_material_table =
    CSIM_TABLE("material", csim_material, material_fields, csim_finish_material,
               "A set of constants. Without a preset, what is not given is 0 or, where 0 has no "
               "meaning, missing.");

// ------------------------------------------------------------------------------------- references

// Adds a material; index, or -1 when out of memory.
static int add_material(csim_reader *r, const char *name) {
  char *copy = csim_arena_copy(&r->scene->arena, name);
  if (!copy || CSIM_GROW(r->material, r->material_capacity, r->nmaterial + 1)) {
    r->memory = 1;
    return -1;
  }
  r->material[r->nmaterial] =
      (csim_material){.name = copy, .compression = 1, .numerical_damping = -1};
  return (int)r->nmaterial++;
}

static void read_materials(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  (void)base;
  if (!cJSON_IsObject(item)) {
    csim_complain_type(r, f, item);
    return;
  }
  for (const cJSON *c = item->child; c; c = c->next) {
    int index = add_material(r, c->string);
    if (index < 0) return;
    csim_material material = r->material[index];
    if (!*c->string) csim_complain_key(r, c, "a material needs a name");
    if (cJSON_IsObject(c))
      csim_read_table(r, &csim_material_table, NULL, c, &material);
    else if (cJSON_IsString(c))
      read_preset(r, &material_fields[0], c, &material);
    else
      csim_complain(r, c, "expected an object { } or the name of a preset");
    r->material[index] = material;
  }
}

static int is_used(const csim_scene *scene, int material) {
  for (int o = 0; o < scene->nobject; o++)
    if (scene->object[o].material == material) return 1;
  return 0;
}

// Prints only those in use: a phase would find the scene's other materials among its own.
static void print_materials(csim_printer *p, const csim_field *f, const void *base) {
  const csim_scene *scene = base;
  csim_json_open(&p->out, f->key, '{');
  for (int i = 0; i < scene->nmaterial; i++) {
    if (!is_used(scene, i)) continue;
    csim_json_open(&p->out, scene->material[i].name, '{');
    csim_print_table(p, &csim_material_table, &scene->material[i]);
    csim_json_close(&p->out, '}');
  }
  csim_json_close(&p->out, '}');
}

static void schema_materials(csim_json_out *out, const csim_field *f) {
  csim_json_text(out, "type", "object");
  csim_json_open(out, "additionalProperties", '{');
  csim_json_open(out, "anyOf", '[');
  csim_json_raw(out, NULL, "{\"$ref\": \"#/definitions/material\"}");
  csim_json_open(out, NULL, '{');
  csim_schema_choice(out, &material_fields[0]);
  csim_json_close(out, '}');
  csim_json_close(out, ']');
  csim_json_close(out, '}');
  (void)f;
}

const csim_kind csim_kind_materials = {read_materials, NULL, print_materials,
                                       .schema = schema_materials,
                                       .noun = "an object of materials by name"};

static int find_material(const csim_reader *r, const char *name) {
  for (ptrdiff_t i = 0; i < r->nmaterial; i++)
    if (!strcmp(r->material[i].name, name)) return (int)i;
  return -1;
}

// Index of the material with this name: in the map, else among the presets (added once). -1 after
// reporting an error.
static int resolve_name(csim_reader *r, const cJSON *item) {
  const char *name = item->valuestring;
  int index = find_material(r, name);
  if (index >= 0) return index;
  const csim_material *preset = csim_find_preset(name);
  if (preset) {
    index = add_material(r, name);
    if (index < 0) return -1;
    char *own = r->material[index].name;
    r->material[index] = *preset;
    r->material[index].name = own;
    return index;
  }
  const char **names = csim_arena_alloc(&r->scratch, r->nmaterial + NPRESET + 1, sizeof *names);
  int n = 0;
  for (ptrdiff_t i = 0; names && i < r->nmaterial; i++) names[n++] = r->material[i].name;
  for (int i = 0; names && i < NPRESET; i++) names[n++] = csim_preset_names[i];
  csim_complain(r, item, "there is no material or preset \"%.60s\"%s", name,
                names ? csim_suggest(r, name, names) : "");
  return -1;
}

static void read_material(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_object *object = base;
  if (cJSON_IsString(item)) {
    object->material = resolve_name(r, item);
  } else if (cJSON_IsObject(item)) {
    // no reference may find it, so its name is in neither the map nor the presets
    const char *name =
        csim_arena_print(&r->scratch, "%s.material", object->name ? object->name : "");
    while (name && find_material(r, name) >= 0) name = csim_arena_print(&r->scratch, "%s_", name);
    int index = name ? add_material(r, name) : -1;
    if (index < 0) return;
    csim_material material = r->material[index];
    ptrdiff_t before = r->ncomplaint;
    csim_read_table(r, &csim_material_table, NULL, item, &material);
    r->material[index] = material;
    object->material = r->ncomplaint > before ? -1 : index; // what is wrong is not missing
  } else {
    csim_complain_type(r, f, item);
  }
}

static void fall_back_material(csim_reader *r, const csim_field *f, void *base) {
  (void)r;
  (void)f;
  ((csim_object *)base)->material = -1;
}

static void print_material(csim_printer *p, const csim_field *f, const void *base) {
  const csim_object *object = base;
  csim_json_text(&p->out, f->key, p->scene->material[object->material].name);
}

const csim_kind csim_kind_material = {
    read_material, fall_back_material, print_material,
    .noun = "the name of a material or preset, or a material { }",
    .any_of = "[{\"type\": \"string\"}, {\"$ref\": \"#/definitions/material\"}]"};

// ------------------------------------------------------------------------------------------ checks

static void wrong(csim_reader *r, const cJSON *place, const csim_material *m, const char *what) {
  csim_complain(r, place, "material \"%s\" %s", m->name, what);
}

void csim_check_material(csim_reader *r, const cJSON *item, const csim_object *object) {
  if (object->material < 0 || r->memory) return;
  const csim_material *m = &r->material[object->material];
  const cJSON *place = csim_json_get(item, "material");
  int cloth = object->type == CSIM_OBJECT_CLOTH;
  if (m->stuff == (cloth ? CSIM_STUFF_SOLID : CSIM_STUFF_SHEET)) {
    csim_complain(r, place, "material \"%s\" is made for %s, not for %s", m->name,
                  cloth ? "solids" : "cloth", cloth ? "cloth" : "solids");
    return;
  }
  if (!(m->density > 0) && !(m->vertex_mass > 0))
    csim_complain(r, place, "material \"%s\" has no mass: give \"density\" [%s]", m->name,
                  cloth ? "kg/m^2" : "kg/m^3");
  if (cloth && !(m->stretch > 0) && (object->membrane || !(m->spring > 0)))
    wrong(r, place, m, "has no \"stretch\" [N/m]");
  int continuum = !cloth && object->elasticity == CSIM_ELASTICITY_NEOHOOKEAN;
  if (continuum && !(m->poisson <= 0.499))
    csim_complain(r, place,
                  "\"poisson\" of material \"%s\" is %.4g: a neo-hookean solid takes 0 to 0.499",
                  m->name, m->poisson);
  if (continuum && m->yield_strain > 0)
    wrong(r, place, m, "has \"yield_strain\": solids yield with elasticity \"springs\" only");
  if (continuum && !(m->modulus > 0))
    wrong(r, place, m, "has no \"modulus\" [Pa], which neo-hookean solids need");
  else if (!cloth && !(m->modulus > 0) && !(m->spring > 0))
    wrong(r, place, m, "has no \"modulus\" [Pa]");
  if (cloth && object->membrane && (m->compression != 1 || m->slack != 0))
    csim_complain(r, place,
                  "material \"%s\" has \"%s\", which is of springs, and a membrane has none",
                  m->name, m->slack != 0 ? "slack" : "compression");
  if (cloth && m->yield_curvature > 0 && object->bending != CSIM_BENDING_DIHEDRAL)
    wrong(r, place, m,
          "has \"yield_curvature\": only bending \"dihedral\" yields, so "
          "leave \"bending\" out");
  if (cloth && m->yield_strain > 0 && !object->membrane)
    csim_complain(
        r, place,
        "material \"%s\" has \"yield_strain\": only membranes yield, so give \"%s\" a \"membrane\"",
        m->name, object->name);
  int measured = cloth && object->membrane == CSIM_MEMBRANE_MEASURED;
  if (measured && !m->nstretch_table)
    wrong(r, place, m, "has no \"stretch_table\", which the law \"measured\" needs");
  if (measured && (m->limit > 0 || m->yield_strain > 0))
    csim_complain(r, place, "material \"%s\" has \"%s\", which the law \"measured\" does not know",
                  m->name, m->limit > 0 ? "limit" : "yield_strain");
  if (cloth && object->bending == CSIM_BENDING_SPRING && !(m->bend_spring > 0) && !(m->spring > 0))
    csim_complain(r, place, "bending \"spring\" needs \"bend_spring\" [N/m] of material \"%s\"",
                  m->name);
}
