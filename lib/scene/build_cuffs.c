// scene/build_cuffs.c: shifts cuffs of trousers onto legs, and godets to their slits. Needs
// contact/.
//
// Cuffs are drawn under the legs of the trousers, which as flat panels are not where the body's
// legs are. A cuff that is drawn beside a leg would close there, and stay below the hem.
//
// Godets are wider than the distance of their slits and drawn in a row, so most of them are beside
// theirs, some by half a metre. On their way they would turn over and be sewn through each other.
#include "math/vec3.h"
#include "scene/compile.h"

// Largest distance of a cuff's middle from the leg's that needs no shift, as a share of its width:
// cuffs are hardly wider than the leg.
static const double ASIDE = 0.2;
static const double CLEAR = 0.015; // [m] between godets that overlap
static const int CUFF = 2;         // the first tier that may be cuffs

// Middle of a leg between two heights, at most `far` from x; NAN if there is none.
static double leg_at(const csim_mesh *body, double x, double far, const double height[2]) {
  double low = INFINITY, high = -INFINITY;
  for (int i = 0; i < body->nvert; i++) {
    const double *p = body->vert + csim_xyz(i);
    if (p[1] < height[0] || p[1] > height[1] || fabs(p[0] - x) > far || !(p[0] * x > 0)) continue;
    low = csim_min(low, p[0]);
    high = csim_max(high, p[0]);
  }
  return low <= high ? 0.5 * (low + high) : NAN;
}

static int center_cuff(const csim_mesh *body, csim_mesh *garment, const int *of, int panel) {
  double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
  for (int i = 0; i < garment->nvert; i++)
    for (int c = 0; c < 2 && of[i] == panel; c++) {
      low[c] = csim_min(low[c], garment->vert[csim_xyz(i) + c]);
      high[c] = csim_max(high[c], garment->vert[csim_xyz(i) + c]);
    }
  double width = high[0] - low[0], middle = 0.5 * (low[0] + high[0]);
  if (!(low[0] * high[0] > 0)) return 0; // a tier of a skirt, around both legs
  double shift = leg_at(body, middle, width, (double[]){low[1], high[1]}) - middle;
  if (!(fabs(shift) > ASIDE * width && fabs(shift) < width)) return 0;
  for (int i = 0; i < garment->nvert; i++)
    if (of[i] == panel) garment->vert[csim_xyz(i)] += shift;
  return 1;
}

// Shifts a panel by the mean of its stitches, and farther out by `clear`, if all of them go to the
// tier above, on the same side of the body.
static int shift_godet(csim_mesh *garment, const int *of, int panel, const int *tier,
                       const double *normal, double clear) {
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

void csim_place_cuffs(const csim_build *build, const csim_object *object, csim_mesh *garment, int n,
                      const int *of, const int *tier, const double *normal) {
  const csim_world *world = build->world;
  int moved = 0, godets = 0;
  for (int panel = 0; panel < n; panel++) {
    int first = 0;
    while (of[first] != panel) first++;
    if (tier[first] < CUFF) continue;
    if (!csim_is_band(garment, of, panel, tier, normal)) {
      godets += shift_godet(garment, of, panel, tier, normal, (godets + 1) * CLEAR);
      continue;
    }
    for (int k = 0; k < world->ncollider; k++)
      if (world->collider[k].shape == CSIM_COLLIDER_MESH)
        moved += center_cuff(&world->collider_mesh[k], garment, of, panel);
  }
  if (moved)
    csim_say(build->log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d panels of cuffs start around the legs beside which they are drawn",
             object->name, moved);
  if (godets)
    csim_say(build->log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d godets start in front of the slits that they are sewn into", object->name,
             godets);
}
