// scene/build_cuffs.c: shifts cuffs of trousers onto legs, skirts to the middle between both, and
// godets to their slits. Needs contact/.
//
// Cuffs are drawn under the legs of the trousers, which as flat panels are not where the body's
// legs are. A cuff that is drawn beside a leg would close there, and stay below the hem.
//
// A skirt that hangs from the hem of a lopsided bodice is drawn under the middle of that hem, so
// that one leg may be beside it. It would be sewn around the other.
//
// Godets are wider than the distance of their slits and drawn in a row, so most of them are beside
// theirs, some by half a metre. On their way they would turn over and be sewn through each other.
#include "math/vec3.h"
#include "scene/compile.h"

// Largest distance of a panel's middle from that of the leg, or of both, that needs no shift, as a
// share of a cuff's width, or of that of both legs: cuffs are hardly wider than the leg.
static const double ASIDE = 0.2;
static const double CLEAR = 0.015; // [m] between godets that overlap
static const int CUFF = 2;         // the first tier that may be cuffs

static int center_cuff(const csim_trunk *trunk, const csim_panels *p, int panel, int tier) {
  csim_mesh *garment = p->mesh;
  const int *of = p->of;
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < garment->nvert; i++)
    for (int c = 0; c < 2 && of[i] == panel; c++) {
      low[c] = csim_min(low[c], garment->vert[csim_xyz(i) + c]);
      high[c] = csim_max(high[c], garment->vert[csim_xyz(i) + c]);
    }
  double width = high[0] - low[0], middle = 0.5 * (low[0] + high[0]), to, around = width, legs[2];
  if (csim_is_of_a_leg(p, panel)) {
    if (tier < CUFF) return 0; // a leg of trousers
    to = csim_leg_at(trunk, middle, width, (double[]){low[1], high[1]});
  } else {
    if (!csim_below_crotch(trunk, high[1], legs)) return 0;
    to = 0.5 * (legs[0] + legs[1]);
    around = legs[1] - legs[0];
  }
  double shift = to - middle;
  if (!(fabs(shift) > ASIDE * around && fabs(shift) < width && width >= around)) return 0;
  for (int i = 0; i < garment->nvert; i++)
    if (of[i] == panel) garment->vert[csim_xyz(i)] += shift;
  return 1;
}

// Shifts a panel by the mean of its stitches, and farther out by `clear`, if all of them go to the
// tier above, on the same side of the body.
static int shift_godet(const csim_panels *p, int panel, double clear) {
  csim_mesh *garment = p->mesh;
  const int *of = p->of, *tier = p->tier;
  const double *normal = p->normal;
  const double *out = normal + csim_xyz(panel);
  double shift[3] = {0}, d[3];
  int n = 0;
  for (int i = 0; i < 2 * garment->nstitch; i++) {
    int own = garment->stitch[i], other = garment->stitch[i ^ 1];
    if (of[own] != panel) continue;
    if (tier[other] != tier[own] - 1 || !(csim_dot(normal + csim_xyz(of[other]), out) > 0))
      return 0;
    csim_sub(garment->vert + csim_xyz(other), garment->vert + csim_xyz(own), d);
    csim_add_scaled(1, d, shift);
    n++;
  }
  if (n == 0) return 0;
  csim_add_scaled(n * clear, out, shift);
  for (int i = 0; i < garment->nvert; i++)
    if (of[i] == panel) csim_add_scaled(1. / n, shift, garment->vert + csim_xyz(i));
  return 1;
}

void csim_place_cuffs(const csim_build *build, const csim_object *object, const csim_panels *panels,
                      const csim_trunk *trunk) {
  int moved = 0, godets = 0;
  for (int panel = 0; panel < panels->n; panel++) {
    int first = 0;
    while (panels->of[first] != panel) first++;
    int tier = panels->tier[first];
    if (tier < 1) continue;
    if (csim_is_band(panels, panel))
      moved += center_cuff(trunk, panels, panel, tier);
    else if (tier >= CUFF)
      godets += shift_godet(panels, panel, (godets + 1) * CLEAR);
  }
  if (moved)
    csim_say(build->log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d panels start around the legs beside which they are drawn", object->name,
             moved);
  if (godets)
    csim_say(build->log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d godets start in front of the slits that they are sewn into", object->name,
             godets);
}
