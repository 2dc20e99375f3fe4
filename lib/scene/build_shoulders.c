// scene/build_shoulders.c: lifts bodices until their shoulder seams run above the shoulders. Needs
// contact/.
//
// GarmentCode draws bodices about 3 cm lower than they hang. Straight lines between the ends of
// shoulder stitches then run through the body, so that wide panels slide up as they are sewn, but
// narrow straps slide down beside the arm. Seen from the side:
//
//        drawn                lifted
//                         front o-------o back
//         .--.                    .--.
//  o-----/----\-----o            /    \         .
//
// Seams that run through the body higher up, such as the side seam of a wide shirt, which stands
// under the arm, do not count.
#include "math/vec3.h"
#include "mesh/intersect.h"
#include "scene/compile.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 12, MOST_PAIRS = 1 << 16 };

static const double LEVEL = 0.005;   // [m] tried, up to LEVELS of them
static const double WIDTH = 0.001;   // [m] of the triangle that stands for a stitch
static const char bodice[] = "body"; // GarmentCode's label of panels

int csim_span_stitches(const csim_mesh *mesh, const unsigned char *in, double lift, double *x) {
  int n = 0;
  for (int i = 0; i < mesh->nstitch; i++) {
    const int *v = mesh->stitch + csim_row(2, i);
    double *corner = x + csim_row(9, n), d[3], side[3];
    if (!in[v[0]] || !in[v[1]]) continue;
    for (int k = 0; k < 3; k++) {
      memcpy(corner + csim_xyz(k), mesh->vert + csim_xyz(v[k > 0]), 3 * sizeof *corner);
      corner[csim_xyz(k) + 1] += lift;
    }
    csim_sub(corner + 3, corner, d);
    csim_cross(d, (double[]){0, 1, 0}, side);
    if (!(csim_normalise(side) > 0)) continue; // of darts that are drawn closed, or upright
    csim_add_scaled(WIDTH, side, corner + 6);
    n++;
  }
  return n;
}

// Finds how far to lift what runs through a collider, but can be lifted over it [m].
static csim_status measure_lift(const csim_mesh *body, const csim_mesh *mesh,
                                const unsigned char *in, csim_arena *arena, double *lift) {
  int(*pair)[2] = csim_arena_alloc(arena, MOST_PAIRS, sizeof *pair);
  double *x = CSIM_ARENA_NEW(arena, double, csim_row(9, mesh->nstitch));
  int *tri = CSIM_ARENA_NEW(arena, int, csim_xyz(mesh->nstitch));
  int *clear = CSIM_ARENA_NEW(arena, int, mesh->nstitch); // level from which a stitch is
  if (arena->failed) return CSIM_MEMORY;
  for (int i = 0; i < 3 * mesh->nstitch; i++) tri[i] = i;
  csim_triangles triangles = {.vert = x, .tri = tri};
  csim_triangles obstacle = {body->nvert, body->vert, body->ntri, body->tri};
  for (int level = 0; level < LEVELS; level++) {
    long long found = 0;
    triangles.ntri = csim_span_stitches(mesh, in, level * LEVEL, x);
    triangles.nvert = 3 * triangles.ntri;
    csim_status status =
        csim_find_intersections(NULL, &triangles, &obstacle, MOST_PAIRS, pair[0], &found);
    if (status) return status;
    for (int k = 0; k < found && k < MOST_PAIRS; k++) clear[pair[k][0]] = level + 1;
  }
  for (int i = 0; i < triangles.ntri; i++)
    if (clear[i] > 0 && clear[i] < LEVELS) *lift = csim_max(*lift, (clear[i] + 1) * LEVEL);
  return CSIM_OK;
}

csim_status csim_lift_shoulders(const csim_build *build, const csim_object *object,
                                csim_mesh *mesh) {
  const csim_world *world = build->world;
  csim_arena arena = {0};
  unsigned char *in = NULL;
  double lift = 0;
  csim_status status = csim_mark_label(mesh, bodice, &in);
  for (int k = 0; k < world->ncollider && !status && mesh->nstitch; k++)
    if (world->collider[k].shape == CSIM_COLLIDER_MESH)
      status = measure_lift(&world->collider_mesh[k], mesh, in, &arena, &lift);
  for (int i = 0; i < mesh->nvert && !status; i++)
    if (in[i]) mesh->vert[csim_xyz(i) + 1] += lift;
  if (!status && lift > 0)
    csim_say(build->log, CSIM_INFO, object->mesh_place,
             "\"%s\": its bodice starts %.3g mm higher, so that its shoulder seams run above the "
             "shoulders",
             object->name, 1e3 * lift);
  csim_arena_free(&arena);
  free(in);
  return status;
}
