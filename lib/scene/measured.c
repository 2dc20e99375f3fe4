// scene/measured.c: reads materials as laboratories and other programs write them: ARCSim's files,
// and readings of FAST and KES instruments.
#include "scene/reader.h"

#include "scene/units.h"

#include "base/number.h"
#include "math/vec3.h"
#include "model/energy.h"

#include <math.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ ARCSim

// Number `column` of list `row` of a table [[...], ...]; NAN if missing.
static double entry_of(const cJSON *table, int row, int column) {
  const cJSON *c = cJSON_GetArrayItem(cJSON_GetArrayItem(table, row), column);
  return cJSON_IsNumber(c) ? c->valuedouble : NAN;
}

static double positive(double v) {
  return v > 0 ? v : 0; // ARCSim clamps negative results of its fits
}

// Largest c12 as a share of sqrt(c11 c22): beyond it almost no area would change, and fits are
// unreliable there.
static double most_coupling(const double c[4]) {
  return 0.95 * sqrt(c[0] * c[2]);
}

// Moduli at low strain, the table's first row.
static void take_low_strain(csim_material *m) {
  const double *c = m->stretch_table;
  double nu = c[1] / sqrt(c[0] * c[2]);
  m->stretch = c[0] * (1 - nu * nu);
  m->weft = c[2] * (1 - nu * nu);
  m->poisson = nu;
  m->shear = c[3];
}

// Stiffness at low curvature, the first of each row.
static void take_low_curvature(csim_material *m) {
  m->bend = m->bend_table[0];
  m->bend_weft = m->bend_table[2 * CSIM_BEND_KNOTS];
}

// Wang, O'Brien & Ramamoorthi 2011, as ARCSim reads it: "stretching" has rows of c11, c12, c22, c33
// [N/m]; the program doubles them, and its shear energy is c33 g01^2 of the doubled ones with g01
// half the angle. "bending" has rows for edges of the mesh at 0, 45 and 90 degrees to warp, and
// columns at curvatures of 0, 10, 20, 30 and 40 1/m; B is a quarter of it. Cloth bends across an
// edge: the first row is for bending along weft.
static int take_arcsim(const cJSON *tree, csim_arena *arena, csim_material *m) {
  const cJSON *density = csim_json_get(tree, "density");
  const cJSON *stretch = csim_json_get(tree, "stretching"), *bend = csim_json_get(tree, "bending");
  double *table = CSIM_ARENA_NEW(arena, double, CSIM_MEASURED);
  double *bends = CSIM_ARENA_NEW(arena, double, CSIM_MEASURED_BENDING);
  if (arena->failed) return 0;
  for (int k = 0; k < CSIM_MEASURED_BENDING; k++) {
    double B = entry_of(bend, 2 - k / CSIM_BEND_KNOTS, k % CSIM_BEND_KNOTS);
    if (!isfinite(B)) return -1;
    bends[k] = positive(B) / 4;
  }
  for (int k = 0; k < CSIM_MEASURED; k++) {
    double c = entry_of(stretch, k / 4, k % 4);
    if (!isfinite(c)) return -1;
    table[k] = (k % 4 == 3 ? 1 : 2) * positive(c);
  }
  for (double *c = table; c < table + CSIM_MEASURED; c += 4)
    c[1] = csim_min(c[1], most_coupling(c));
  if (!cJSON_IsNumber(density) || !(density->valuedouble > 0) || !(table[0] > 0) || !(table[2] > 0))
    return -1;
  m->stuff = CSIM_STUFF_SHEET;
  m->density = density->valuedouble;
  m->stretch_table = table;
  m->nstretch_table = CSIM_MEASURED;
  take_low_strain(m);
  m->bend_table = bends;
  m->nbend_table = CSIM_MEASURED_BENDING;
  take_low_curvature(m);
  return isfinite(m->density + m->stretch + m->weft + m->shear + m->bend + m->bend_weft) ? 0 : -1;
}

static void read_arcsim(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_material *material = base;
  const char *path = NULL;
  csim_field file = *f;
  cJSON *tree = NULL;
  file.offset = 0;
  material->density = material->stretch = 1; // a bad file is reported once, not its missing keys
  ptrdiff_t before = r->ncomplaint;
  csim_kind_file.read(r, &file, item, &path);
  if (!path || r->ncomplaint > before) return;
  csim_status status = csim_json_read_file(&r->json, path, NULL, &tree);
  if (status == CSIM_MEMORY)
    r->memory = 1;
  else if (status || take_arcsim(tree, &r->scene->arena, material))
    csim_complain(r, item,
                  "\"%s\" is no material of ARCSim: it takes JSON with \"density\" [kg/m^2], "
                  "\"stretching\" (6 rows of 4) and \"bending\" (3 rows of 5)",
                  path);
  cJSON_Delete(tree);
}

const csim_kind csim_kind_arcsim = {read_arcsim, .noun = "the path of a material file of ARCSim",
                                    .type = "string"};

// ------------------------------------------------------------------------------------------- shear

// KES gives shear stiffness by angle [gf/cm/deg]; of a small angle in radians it is the
// modulus.
static void read_shear(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_field own = *f;
  csim_unit unit;
  char unknown[32];
  double v;
  if (cJSON_IsString(item)) {
    const char *text = item->valuestring, *end = text + strlen(text);
    const char *rest = csim_read_number(text, end, &v);
    if (rest && csim_parse_unit(rest, &unit, unknown) && unit.rad == -1) own.unit = "N/m/rad";
  }
  csim_kind_real.read(r, &own, item, base);
}

const csim_kind csim_kind_shear = {read_shear, NULL, csim_print_real,
                                   .describe = csim_describe_real, .schema = csim_schema_real};

// -------------------------------------------------------------------------------------
// laboratories

// Whether a key is given both directly and as a laboratory's reading, which is reported.
static int taken_twice(csim_reader *r, const cJSON *item, const char *reading, const char *key) {
  if (!csim_json_get(item, reading)) return 0;
  if (!csim_json_get(item, key)) return 1;
  csim_complain_key(r, csim_json_get(item, reading),
                    "\"%s\" and \"%s\" say the same: leave one out", reading, key);
  return 0;
}

// Whether one of the keys of low strain is given.
static int gives_moduli(const cJSON *item) {
  return csim_json_get(item, "stretch") || csim_json_get(item, "weft") ||
         csim_json_get(item, "shear") || csim_json_get(item, "poisson") ||
         csim_json_get(item, "extension") || csim_json_get(item, "extension_weft") ||
         csim_json_get(item, "extension_bias");
}

// Completes a table that is written out, and one of ARCSim's beside other moduli.
static void finish_table(csim_reader *r, const cJSON *item, csim_material *m) {
  const cJSON *given = csim_json_get(item, "stretch_table");
  if (!m->nstretch_table) return;
  if (!given && csim_json_get(item, "arcsim") && gives_moduli(item)) m->nstretch_table = 0;
  const double *low = m->stretch_table;
  for (const double *c = low; given && c < low + CSIM_MEASURED; c += 4)
    if (c[1] > most_coupling(c) * (1 + 1e-12)) {
      csim_complain(r, given, "row %d: c12 is %.6g, more than 0.95 sqrt(c11 c22), which is %.6g",
                    1 + (int)(c - low) / 4, c[1], most_coupling(c));
      return;
    }
  if (given && !(low[0] > 0 && low[2] > 0))
    csim_complain(r, given, "c11 and c22 of the first row must be above 0");
  else if (given && !gives_moduli(item))
    take_low_strain(m);
}

// Whether one of the keys of low curvature is given.
static int gives_bending(const cJSON *item) {
  return csim_json_get(item, "bend") || csim_json_get(item, "bend_weft") ||
         csim_json_get(item, "bending_length") || csim_json_get(item, "bending_length_weft");
}

// The same of bending.
static void finish_bending(const cJSON *item, csim_material *m) {
  if (!m->nbend_table) return;
  int given = csim_json_get(item, "bend_table") != NULL;
  if (!given && gives_bending(item)) m->nbend_table = 0;
  if (given && !gives_bending(item)) take_low_curvature(m);
}

void csim_finish_material(csim_reader *r, const cJSON *item, void *base) {
  csim_material *m = base;
  const double fast_load = 98.0665, bias_load = 4.903325; // [N/m] 100 and 5 gf/cm
  const double g = 9.80665;
  finish_table(r, item, m);
  finish_bending(item, m);
  if (taken_twice(r, item, "extension", "stretch")) m->stretch = fast_load / m->extension;
  if (taken_twice(r, item, "extension_weft", "weft")) m->weft = fast_load / m->extension_weft;
  // pulled at 45 degrees a sheet that is much stiffer along its threads gives way by shear alone:
  // strain = load / (4 G)
  if (taken_twice(r, item, "extension_bias", "shear"))
    m->shear = bias_load / (4 * m->extension_bias);
  int lengths = taken_twice(r, item, "bending_length", "bend");
  int weft = taken_twice(r, item, "bending_length_weft", "bend_weft");
  if ((lengths || weft) && !(m->density > 0))
    csim_complain(
        r, item,
        "the stiffness follows from a bending length and the weight: give \"density\" [kg/m^2]");
  double c = m->bending_length, d = m->bending_length_weft;
  if (lengths) m->bend = m->density * g * c * c * c; // Peirce 1930, ASTM D1388
  if (weft) m->bend_weft = m->density * g * d * d * d;
}
