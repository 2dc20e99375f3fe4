// scene/build_pattern.c: finds start positions for the panels of sewing patterns. Needs mesh/,
// contact/.
//
// Patterns are drawn with their panels around the body, but neighbours often touch or overlap.
// Panels are moved as a whole, so they stay flat, in three passes:
//
// 1. Panels that are under an object with a lower layer (a jacket under a shirt) move over it.
// 2. Panels that intersect each other, colliders, or earlier objects of the scene move apart, and
//    those inside of colliders out of them: along their normals, or up if that leads nowhere.
// 3. Each panel moves along its normal to where its stitches pull it, as near to the body as it
//    can. Stitches that start far from the body fold the panel before it arrives, and straps slip
//    under the shoulders.
#include "base/disjoint.h"
#include "base/hash.h"
#include "contact/layers.h"
#include "math/vec3.h"
#include "mesh/tag.h"
#include "mesh/winding.h"
#include "scene/compile.h"

#include <string.h>

enum { MOST_PAIRS = 1 << 16, MOST_PASSES = 200 };
enum { STRETCHED = 2 }; // of csim_bend_flared

static const double STRIDE = 0.002; // [m] largest motion of a panel in a pass that separates
static const double NEARER = 0.01;  // [m] largest motion of a panel in a pass towards the body
static const double CLEAR = 0.015;  // [m] space kept in front of each panel
static const int BAND = 2;          // the first tier of a skirt that consists of bands
static const double ALONG = 0.5;    // smallest cosine between normals of layers
static const double BESIDE = 5e-5;  // [m] the same of a panel that almost touches another one
static const double GROWN = 1e-4;   // share of its size that a panel has to be clear of others
static const double STUCK = 0.9;    // share of the longest way, after which a panel is lifted
static const double upwards[3] = {0, 1, 0};

typedef struct panels {
  const csim_build *build;
  csim_mesh *mesh;
  int n;
  int *of;                // (mesh->nvert) panel
  double *center;         // (n x 3) [m] area's
  double *normal;         // (n x 3) unit, outwards
  double *step;           // (n x 3) where to, in this pass
  double *moved;          // (n x 3) [m] apart so far
  double *nearer;         // (n x 3) [m] towards the body
  double *kept;           // (mesh->nvert x 3) where vertices are, while others are tried
  double *grown;          // (mesh->nvert x 3) of panels a little larger than they are
  unsigned char *inside;  // (n) of a collider
  unsigned char *up;      // (n) is pushed upwards, not along its normal
  unsigned char *stopped; // (n) has come as near as it can
  unsigned char *flared;  // (n) by csim_bend_flared
  int *tier;              // (mesh->nvert) of a skirt
  int *ring;              // (n) see csim_panels
  int *first;             // (n) vertex of each
  int nobstacle, ncollider;
  csim_triangles *obstacle; // (nobstacle) colliders, and objects before this one
  int nunder;
  csim_under *under; // (nunder) those of them with a lower layer
  int crossing;      // some still crossed something in the last pass
  int (*pair)[2];    // (MOST_PAIRS)
} panels;

static csim_panels set_of(const panels *p) {
  return (csim_panels){p->mesh, p->n, p->of, p->tier, p->ring, p->normal};
}

// Numbers the panels: connected parts of the mesh. A loose vertex is a panel of its own.
static void number_panels(panels *p) {
  const csim_mesh *mesh = p->mesh;
  for (int i = 0; i < mesh->nvert; i++) p->of[i] = i;
  for (int t = 0; t < mesh->ntri; t++)
    for (int k = 1; k < 3; k++) {
      const int *v = mesh->tri + csim_xyz(t);
      int a = csim_disjoint_root(p->of, v[0]), b = csim_disjoint_root(p->of, v[k]);
      p->of[a < b ? b : a] = a < b ? a : b; // roots are the lowest of their panel
    }
  for (int i = 0; i < mesh->nvert; i++) csim_disjoint_root(p->of, i);
  for (int i = 0; i < mesh->nvert; i++) p->of[i] = p->of[i] == i ? p->n++ : p->of[p->of[i]];
}

static void number_rings(panels *p) {
  for (int k = 0; k < p->n; k++) p->ring[k] = k;
  for (int i = 0; i < p->mesh->nstitch; i++) {
    int a = p->mesh->stitch[2 * i], b = p->mesh->stitch[2 * i + 1];
    if (p->tier[a] == p->tier[b])
      p->ring[csim_disjoint_root(p->ring, p->of[a])] = csim_disjoint_root(p->ring, p->of[b]);
  }
  for (int k = 0; k < p->n; k++) p->ring[k] = csim_disjoint_root(p->ring, k);
}

static void measure_panels(panels *p) {
  const csim_mesh *mesh = p->mesh;
  double middle[3] = {0};
  memset(p->center, 0, 3 * (size_t)p->n * sizeof *p->center);
  memset(p->normal, 0, 3 * (size_t)p->n * sizeof *p->normal);
  for (int t = 0; t < mesh->ntri; t++) {
    const int *v = mesh->tri + csim_xyz(t);
    double n[3];
    csim_face_normal(mesh->vert, v, n);
    for (int k = 0; k < 3; k++)
      csim_add_scaled(csim_norm(n) / 3, mesh->vert + csim_xyz(v[k]),
                      p->center + csim_xyz(p->of[v[0]]));
    csim_add_scaled(1, n, p->normal + csim_xyz(p->of[v[0]]));
  }
  for (int i = 0; i < mesh->nvert; i++)
    csim_add_scaled(1.0 / mesh->nvert, mesh->vert + csim_xyz(i), middle);
  for (int k = 0; k < p->n; k++) {
    double l = csim_norm(p->normal + csim_xyz(k)), d[3];
    for (int c = 0; c < 3 && l > 0; c++) {
      p->center[3 * k + c] /= l; // all normals of a panel are parallel
      p->normal[3 * k + c] /= l;
    }
    csim_sub(p->center + csim_xyz(k), middle, d);
    if (csim_dot(d, p->normal + csim_xyz(k)) < 0)
      for (int c = 0; c < 3; c++) p->normal[3 * k + c] = -p->normal[3 * k + c];
  }
}

static void add_unit(const double *d, double *to) {
  double l = csim_norm(d);
  if (l > 0) csim_add_scaled(1 / l, d, to);
}

static int panel_of(const panels *p, int tri) {
  return p->of[p->mesh->tri[csim_xyz(tri)]];
}

// Pushes intersecting panels apart, along the line between their middles.
static csim_status push_panels(panels *p, const csim_triangles *triangles, long long *met) {
  long long found = 0;
  csim_status status =
      csim_find_self_intersections(p->build->pool, triangles, MOST_PAIRS, p->pair[0], &found);
  *met += found;
  if (found > MOST_PAIRS) found = MOST_PAIRS;
  for (long long i = 0; i < found; i++) {
    int a = panel_of(p, p->pair[i][0]), b = panel_of(p, p->pair[i][1]);
    double d[3];
    csim_sub(p->center + csim_xyz(a), p->center + csim_xyz(b), d);
    if (!(csim_norm(d) > 1e-6)) csim_add_scaled(1, p->normal + csim_xyz(a), d);
    add_unit(d, p->step + csim_xyz(a));
    for (int c = 0; c < 3; c++) d[c] = -d[c];
    add_unit(d, p->step + csim_xyz(b));
  }
  return status;
}

// Pushes panels apart that almost touch. What is drawn in whole centimetres may come clear by the
// last digits of its numbers; contact would keep no more than that between the seams.
static csim_status push_near(panels *p, long long *met) {
  const csim_mesh *mesh = p->mesh;
  for (int i = 0; i < mesh->nvert; i++) {
    const double *x = mesh->vert + csim_xyz(i), *center = p->center + csim_xyz(p->of[i]);
    for (int c = 0; c < 3; c++) p->grown[csim_xyz(i) + c] = x[c] + GROWN * (x[c] - center[c]);
  }
  return push_panels(p, &(csim_triangles){mesh->nvert, p->grown, mesh->ntri, mesh->tri}, met);
}

// Pushes panels off an obstacle along their normal, to the side where most of the panel is, or up.
static csim_status push_from(panels *p, const csim_triangles *triangles,
                             const csim_triangles *other, long long *met) {
  double middle[3] = {0};
  long long found = 0;
  csim_status status =
      csim_find_intersections(p->build->pool, triangles, other, MOST_PAIRS, p->pair[0], &found);
  *met += found;
  if (found > MOST_PAIRS) found = MOST_PAIRS;
  for (int i = 0; i < other->nvert; i++)
    csim_add_scaled(1.0 / other->nvert, other->vert + csim_xyz(i), middle);
  for (long long i = 0; i < found; i++) {
    int a = panel_of(p, p->pair[i][0]);
    const double *n = p->up[a] ? upwards : p->normal + csim_xyz(a);
    double d[3];
    csim_sub(p->center + csim_xyz(a), middle, d);
    csim_add_scaled(!p->up[a] && csim_dot(n, d) < 0 ? -1 : 1, n, p->step + csim_xyz(a));
  }
  return status;
}

// Moves panels by their steps.
static void move_panels(panels *p) {
  for (int k = 0; k < p->n; k++) {
    const double *step = p->step + csim_xyz(k);
    csim_add_scaled(1, step, p->moved + csim_xyz(k));
    csim_add_scaled(1, step, p->center + csim_xyz(k));
  }
  for (int i = 0; i < p->mesh->nvert; i++)
    csim_add_scaled(1, p->step + csim_xyz(p->of[i]), p->mesh->vert + csim_xyz(i));
}

// Moves each panel along its normal until it is clear of the layers below it.
static void lay_over(panels *p) {
  for (int pass = 0; pass < MOST_PASSES && p->nunder; pass++) {
    int moving = 0;
    memset(p->step, 0, 3 * (size_t)p->n * sizeof *p->step);
    for (int i = 0; i < p->mesh->nvert; i++) {
      const double *normal = p->normal + csim_xyz(p->of[i]);
      double n[3], *step = p->step + csim_xyz(p->of[i]);
      for (int k = 0; k < p->nunder; k++) {
        double height = csim_under_height(&p->under[k], p->mesh->vert + csim_xyz(i), n);
        double along = height < CLEAR - 1e-6 ? csim_dot(n, normal) : 0, way;
        if (!(fabs(along) > ALONG)) continue;
        way = (CLEAR - height) / along;
        if (!(fabs(way) > csim_norm(step))) continue;
        for (int c = 0; c < 3; c++) step[c] = way * normal[c];
        moving = 1;
      }
    }
    if (!moving) return;
    move_panels(p);
  }
}

// Rounds vertices to what a cache keeps of them. Panels that lie in one plane but for the last
// bits, and overlap there, do not intersect before.
static void round_vertices(csim_mesh *mesh) {
  for (ptrdiff_t c = 0; c < csim_xyz(mesh->nvert); c++) mesh->vert[c] = (float)mesh->vert[c];
}

// The collider that a panel's first vertex is inside of; -1: none.
static int collider_around(const panels *p, int panel) {
  const double *x = p->mesh->vert + csim_xyz(p->first[panel]);
  for (int k = 0; k < p->ncollider; k++) {
    const csim_triangles *other = &p->obstacle[k];
    if (fabs(csim_winding_number(other->ntri, other->tri, other->vert, x)) > 0.5) return k;
  }
  return -1;
}

// Pushes panels out of colliders that they are in as a whole: small ones may meet no surface.
static void push_out(panels *p, int pass, long long *met) {
  for (int k = 0; k < p->n; k++) {
    if (pass > 0 && !p->inside[k]) continue;
    p->inside[k] = (unsigned char)(collider_around(p, k) >= 0);
    if (!p->inside[k]) continue;
    csim_add_scaled(1, p->up[k] ? upwards : p->normal + csim_xyz(k), p->step + csim_xyz(k));
    ++*met;
  }
}

static csim_status push_all(panels *p) {
  csim_mesh *mesh = p->mesh;
  csim_triangles triangles = {mesh->nvert, mesh->vert, mesh->ntri, mesh->tri};
  for (int pass = 0; pass < MOST_PASSES; pass++) {
    long long met = 0;
    memset(p->step, 0, 3 * (size_t)p->n * sizeof *p->step);
    round_vertices(mesh);
    push_out(p, pass, &met);
    csim_status status = push_panels(p, &triangles, &met);
    for (int k = 0; k < p->nobstacle && !status; k++)
      status = push_from(p, &triangles, &p->obstacle[k], &met);
    p->crossing = met > 0;
    int near = !status && met == 0 && pass < MOST_PASSES / 2;
    if (near) status = push_near(p, &met);
    if (status || met == 0) return status;
    for (int k = 0; k < p->n; k++) {
      double *step = p->step + csim_xyz(k), l = csim_norm(step);
      for (int c = 0; c < 3; c++) step[c] = l > 0 ? step[c] * (near ? BESIDE : STRIDE) / l : 0;
    }
    move_panels(p);
  }
  return CSIM_OK; // report_crossing and the check of the start say what is left
}

// Takes panels that cross something after all passes back to where they were, to be pushed up.
// Returns how many.
static int lift_stuck(panels *p) {
  int count = 0;
  for (int k = 0; k < p->n; k++) {
    const double *step = p->step + csim_xyz(k);
    double way[3];
    csim_sub(p->mesh->vert + csim_xyz(p->first[k]), p->kept + csim_xyz(p->first[k]), way);
    if (!(csim_norm(step) > 0) || !(csim_norm(way) > STUCK * MOST_PASSES * STRIDE)) continue;
    csim_add_scaled(-1, way, p->moved + csim_xyz(k));
    csim_add_scaled(-1, way, p->center + csim_xyz(k));
    p->up[k] = 1;
    count++;
  }
  for (int i = 0; i < p->mesh->nvert; i++)
    if (p->up[p->of[i]])
      memcpy(p->mesh->vert + csim_xyz(i), p->kept + csim_xyz(i), 3 * sizeof *p->kept);
  return count;
}

// Along their normals, halves of a deep hood go from the chest into the arms; up, they get clear.
static csim_status separate(panels *p) {
  memcpy(p->kept, p->mesh->vert, (size_t)csim_xyz(p->mesh->nvert) * sizeof *p->kept);
  csim_status status = push_all(p);
  return !status && p->crossing && lift_stuck(p) ? push_all(p) : status;
}

// Reports panels that still intersect something after the last pass, by name.
static void report_crossing(const panels *p, const csim_object *object) {
  const csim_mesh *mesh = p->mesh;
  for (int t = 0, last = -1; t < mesh->ntri; t++) {
    int k = panel_of(p, t), length = 0;
    const double *step = p->step + csim_xyz(k);
    if (k == last || !(csim_dot(step, step) > 0)) continue;
    last = k;
    int tag = mesh->face_tag ? mesh->face_tag[mesh->tri_face[t]] : -1;
    const char *name = csim_tag_name(tag < 0 ? NULL : mesh->tag[tag], CSIM_TAG_GROUP, &length);
    csim_say(p->build->log, CSIM_WARNING, object->mesh_place,
             "panel \"%.*s\" of \"%s\" stands through a collider or another panel, also after it "
             "was moved by %.3g mm: give it another \"translation\" in the pattern",
             length, name, object->name, 1e3 * csim_norm(p->moved + csim_xyz(k)));
  }
}

// Sets step: how far along its normal the stitches of a panel pull it, on average [m].
static void pull_panels(panels *p) {
  const csim_mesh *mesh = p->mesh;
  memset(p->step, 0, 3 * (size_t)p->n * sizeof *p->step);
  for (int i = 0; i < 2 * mesh->nstitch; i++) {
    int own = mesh->stitch[i], other = mesh->stitch[i ^ 1], k = p->of[own];
    double d[3];
    if (p->of[other] == k) continue;
    csim_sub(mesh->vert + csim_xyz(other), mesh->vert + csim_xyz(own), d);
    p->step[3 * k] += csim_dot(d, p->normal + csim_xyz(k)); // first their sum and number
    p->step[3 * k + 1]++;
  }
  for (int k = 0; k < p->n; k++) {
    double *step = p->step + csim_xyz(k), way = step[1] > 0 ? step[0] / step[1] : 0;
    if (!(fabs(way) > NEARER) || p->flared[k] == STRETCHED) p->stopped[k] = 1;
    for (int c = 0; c < 3; c++)
      step[c] = p->stopped[k] ? 0 : (way > 0 ? NEARER : -NEARER) * p->normal[3 * k + c];
  }
}

// Moves every vertex, or every second one, by a multiple of its panel's step.
static void shift_panels(panels *p, double factor, int every) {
  for (int i = 0; i < p->mesh->nvert; i += every)
    csim_add_scaled(factor, p->step + csim_xyz(p->of[i]), p->mesh->vert + csim_xyz(i));
}

// Stops panels that intersect something; panels that have stopped are obstacles to others.
static void stop_panels(panels *p, const int *tri, long long found) {
  for (long long i = 0; i < found; i++) {
    int k = panel_of(p, tri[2 * i]);
    const double *step = p->step + csim_xyz(k);
    p->stopped[k] |= csim_dot(step, step) > 0;
  }
}

// Stops panels that intersect something at their present position.
static csim_status stop_where_met(panels *p, const csim_triangles *triangles) {
  long long found = 0;
  csim_status status =
      csim_find_self_intersections(p->build->pool, triangles, MOST_PAIRS, p->pair[0], &found);
  if (found > MOST_PAIRS) found = MOST_PAIRS;
  stop_panels(p, p->pair[0], found);
  stop_panels(p, p->pair[0] + 1, found);
  for (int k = 0; k < p->nobstacle && !status; k++) {
    status = csim_find_intersections(p->build->pool, triangles, &p->obstacle[k], MOST_PAIRS,
                                     p->pair[0], &found);
    stop_panels(p, p->pair[0], found > MOST_PAIRS ? MOST_PAIRS : found);
  }
  return status;
}

// Stops every panel that would intersect something on its next stride, or be too near to it.
// Parallel panels could pass each other between two tests, so each is also tested with every second
// vertex moved ahead.
static csim_status look_ahead(panels *p, const csim_triangles *triangles) {
  double far = 1 + CLEAR / NEARER;
  csim_status status = CSIM_OK;
  for (int every = 1; every <= 2 && !status; every++) {
    memcpy(p->mesh->vert, p->kept, 3 * (size_t)p->mesh->nvert * sizeof *p->kept);
    shift_panels(p, far, every);
    status = stop_where_met(p, triangles);
  }
  memcpy(p->mesh->vert, p->kept, 3 * (size_t)p->mesh->nvert * sizeof *p->kept);
  return status;
}

// Returns panels that have moved and intersect something to their kept positions, where they stop,
// until nothing that moved does. Subtracts their number from *count.
static csim_status put_back(panels *p, const csim_triangles *triangles, int *count) {
  csim_status status = CSIM_OK;
  for (int back = 1; back > 0 && !status; *count -= back) {
    status = stop_where_met(p, triangles);
    back = 0;
    for (int i = 0; i < p->mesh->nvert; i++) {
      const double *step = p->step + csim_xyz(p->of[i]);
      if (p->stopped[p->of[i]] && csim_dot(step, step) > 0)
        memcpy(p->mesh->vert + csim_xyz(i), p->kept + csim_xyz(i), 3 * sizeof *p->kept);
    }
    for (int k = 0; k < p->n; k++) {
      double *step = p->step + csim_xyz(k);
      if (!p->stopped[k] || !(csim_dot(step, step) > 0)) continue;
      memset(step, 0, 3 * sizeof *step);
      back++;
    }
  }
  return status;
}

// Moves panels by their steps, but for those that would then intersect something: panels that pass
// each other may be clear of each other farther ahead only.
static csim_status take_steps(panels *p, const csim_triangles *triangles, int nmoving) {
  shift_panels(p, 1, 1);
  round_vertices(p->mesh);
  csim_status status = put_back(p, triangles, &nmoving);
  for (int k = 0; k < p->n; k++) csim_add_scaled(1, p->step + csim_xyz(k), p->nearer + csim_xyz(k));
  return status;
}

// Moves each panel along its normal, in passes, until its stitches no longer pull it or something
// is in the way.
static csim_status gather(panels *p) {
  csim_mesh *mesh = p->mesh;
  csim_triangles triangles = {mesh->nvert, mesh->vert, mesh->ntri, mesh->tri};
  size_t size = 3 * (size_t)mesh->nvert * sizeof *p->kept;
  csim_status status = CSIM_OK;
  for (int pass = 0; pass < MOST_PASSES && !status; pass++) {
    int nmoving = 0;
    pull_panels(p);
    memcpy(p->kept, mesh->vert, size);
    status = look_ahead(p, &triangles);
    for (int k = 0; k < p->n; k++) {
      nmoving += !p->stopped[k];
      for (int c = 0; c < 3; c++) p->step[3 * k + c] *= !p->stopped[k];
    }
    if (!nmoving || status) break;
    status = take_steps(p, &triangles, nmoving);
  }
  return status;
}

// Lowest vertex that the first tier of a skirt hangs from [m]; infinite if there is none, or it is
// trousers.
static double hem_of(const panels *p) {
  csim_panels set = set_of(p);
  double low = INFINITY;
  int last = -1;
  for (int i = 0; i < 2 * p->mesh->nstitch; i++) {
    int own = p->mesh->stitch[i], other = p->mesh->stitch[i ^ 1];
    if (p->tier[own] != 1 || p->tier[other] != 0) continue;
    if (p->of[own] != last && csim_is_of_a_leg(&set, p->of[own])) return INFINITY;
    last = p->of[own];
    low = csim_min(low, p->mesh->vert[csim_xyz(other) + 1]);
  }
  return low;
}

// Moves each tier of a skirt up to just below what it hangs from, if it is drawn farther below.
// Pulled up from there, the waist of a short circular skirt turned over, and a tier drawn under the
// feet was caught by the toes. Lower tiers also move down, if `down`, until they are clear of the
// one above.
static void stack_tiers(panels *p, int down) {
  csim_mesh *mesh = p->mesh;
  double low = hem_of(p);
  for (int tier = 1; tier == 1 || isfinite(low); tier++) {
    double top = -INFINITY, bottom = INFINITY;
    for (int i = 0; i < mesh->nvert; i++) {
      if (p->tier[i] != tier) continue;
      top = csim_max(top, mesh->vert[csim_xyz(i) + 1]);
      bottom = csim_min(bottom, mesh->vert[csim_xyz(i) + 1]);
    }
    double way = isfinite(low) && isfinite(top) ? top - (low - CLEAR) : 0;
    if (way > 0 && !(down && tier >= BAND)) way = 0;
    for (int i = 0; i < mesh->nvert && way != 0; i++)
      if (p->tier[i] == tier) mesh->vert[csim_xyz(i) + 1] -= way;
    low = bottom - way;
  }
}

// Wraps lower tiers of skirts around the body, unless something is in the way.
static csim_status wrap(panels *p, int *count) {
  csim_mesh *mesh = p->mesh;
  csim_triangles triangles = {mesh->nvert, mesh->vert, mesh->ntri, mesh->tri};
  csim_panels set = set_of(p);
  *count = 0;
  memcpy(p->kept, mesh->vert, 3 * (size_t)mesh->nvert * sizeof *p->kept);
  memset(p->step, 0, 3 * (size_t)p->n * sizeof *p->step);
  memset(p->stopped, 0, (size_t)p->n);
  for (int k = 0; k < p->n; k++) {
    const double *normal = p->normal + csim_xyz(k);
    if (p->tier[p->first[k]] < BAND || p->flared[k]) continue;
    if (!csim_wrap_band(&set, k)) continue;
    memcpy(p->step + csim_xyz(k), normal, 3 * sizeof *normal); // it moves
    ++*count;
  }
  if (!*count) return CSIM_OK;
  stack_tiers(p, 1);
  return put_back(p, &triangles, count);
}

// Adds an obstacle. Nothing lies over one with `layer` 0.
static void add_obstacle(panels *p, csim_arena *arena, csim_triangles triangles, int layer) {
  int own = p->build->model->body[p->build->model->nbody - 1].layer;
  p->obstacle[p->nobstacle++] = triangles;
  if (!(layer > 0 && layer < own && triangles.ntri)) return;
  if (csim_under_create(arena, &triangles, &p->under[p->nunder++])) arena->failed = 1;
}

// Lists everything but the panels' own object, which is the model's last body.
static void list_obstacles(panels *p, csim_arena *arena) {
  const csim_build *build = p->build;
  const csim_world *world = build->world;
  int nbody = build->model->nbody - 1;
  p->obstacle = csim_arena_alloc(arena, world->ncollider + nbody + 1, sizeof *p->obstacle);
  p->under = csim_arena_alloc(arena, world->ncollider + nbody + 1, sizeof *p->under);
  if (arena->failed) return;
  for (int k = 0; k < world->ncollider; k++) {
    const csim_collider *collider = &world->collider[k];
    const csim_mesh *mesh = collider->mesh;
    if (!mesh || collider->shape == CSIM_COLLIDER_PLANE) continue;
    double *x = CSIM_ARENA_NEW(arena, double, csim_xyz(mesh->nvert));
    if (!x) return;
    csim_collider_vertices(collider, 0, x);
    csim_triangles triangles = {mesh->nvert, x, mesh->ntri, mesh->tri};
    add_obstacle(p, arena, triangles, collider->layer);
  }
  p->ncollider = p->nobstacle;
  for (int b = 0; b < nbody; b++) {
    const csim_body *body = &build->model->body[b];
    const csim_mesh *mesh = body->mesh;
    csim_triangles triangles = {mesh->nvert, build->x + csim_xyz(body->vert0), mesh->ntri,
                                mesh->tri};
    add_obstacle(p, arena, triangles, body->layer);
  }
}

static double most_of(const panels *p, const double *moved, int *count) {
  double most = 0;
  *count = 0;
  for (int k = 0; k < p->n; k++) {
    double way = csim_norm(moved + csim_xyz(k));
    most = csim_max(most, way);
    *count += way > 0;
  }
  return most;
}

// Marks the vertices of panels that start as parts of rings, whose sides are sewn at once.
static csim_status mark_rings(const panels *p) {
  csim_model *model = p->build->model;
  int n = p->mesh->nvert;
  unsigned char *ringed = CSIM_ARENA_NEW(p->build->arena, unsigned char, n);
  if (!ringed) return CSIM_MEMORY;
  for (int i = 0; i < n; i++) ringed[i] = p->flared[p->of[i]] > 0;
  model->body[model->nbody - 1].ringed = ringed;
  return CSIM_OK;
}

// Shifts panels to the legs that they hang around, and bends them.
static csim_status shape_panels(panels *p, const csim_object *object) {
  csim_log *log = p->build->log;
  csim_panels set = set_of(p);
  csim_trunk trunk;
  csim_arena arena = {0};
  int count = 0;
  csim_status status = csim_find_trunk(p->build, &arena, &trunk);
  if (!status) status = csim_find_tiers(p->mesh, p->tier);
  if (!status) number_rings(p);
  if (!status) stack_tiers(p, 0); // first, as what they start around is measured
  if (!status) csim_place_cuffs(p->build, object, &set, &trunk);
  measure_panels(p); // where they are now
  if (!status) status = csim_bend_flared(&set, &trunk, p->flared, &count);
  int flared = count;
  if (!status && flared) status = mark_rings(p);
  if (!status && flared)
    csim_say(log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d of %d panels are gathered or flared and start as waves of a ring",
             object->name, flared, p->n);
  if (!status) status = csim_bend_circular(&set, p->flared, &count);
  if (!status && count)
    csim_say(log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d of %d panels are wide sectors and start in waves", object->name, count,
             p->n);
  if (!status) stack_tiers(p, flared > 0);
  csim_arena_free(&arena);
  return status;
}

// Moves panels as a whole, see the head of this file.
static csim_status place_panels(panels *p, const csim_object *object) {
  csim_log *log = p->build->log;
  int count;
  lay_over(p);
  csim_status status = separate(p);
  double most = most_of(p, p->moved, &count);
  if (count)
    csim_say(log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d of %d panels stood through others or colliders, or under a lower layer, "
             "and were moved by up to %.3g mm",
             object->name, count, p->n, 1e3 * most);
  if (!status && p->crossing) report_crossing(p, object);
  if (!status) status = gather(p);
  most = most_of(p, p->nearer, &count);
  if (count)
    csim_say(log, CSIM_INFO, object->mesh_place,
             "\"%s\": %d of %d panels start up to %.3g m nearer to what they are sewn to",
             object->name, count, p->n, most);
  if (!status) status = wrap(p, &count);
  if (!status && count)
    csim_say(log, CSIM_INFO, object->mesh_place, "\"%s\": %d of %d panels start wrapped around",
             object->name, count, p->n);
  return status;
}

static uint64_t hash_triangles(uint64_t h, const csim_triangles *t) {
  h = csim_hash_bytes(h, t->vert, (size_t)csim_xyz(t->nvert) * sizeof *t->vert);
  return csim_hash_bytes(h, t->tri, (size_t)csim_xyz(t->ntri) * sizeof *t->tri);
}

// Hash of everything that place_panels depends on.
static uint64_t hash_start(const panels *p) {
  const csim_mesh *mesh = p->mesh;
  const csim_world *world = p->build->world;
  const csim_model *model = p->build->model;
  size_t nvert = (size_t)mesh->nvert, n = (size_t)p->n;
  csim_triangles own = {mesh->nvert, mesh->vert, mesh->ntri, mesh->tri};
  uint64_t h = hash_triangles(CSIM_HASH_START, &own);
  h = csim_hash_bytes(h, mesh->stitch, 2 * (size_t)mesh->nstitch * sizeof *mesh->stitch);
  h = csim_hash_bytes(h, p->tier, nvert * sizeof *p->tier);
  h = csim_hash_bytes(h, p->ring, n * sizeof *p->ring);
  h = csim_hash_bytes(h, p->flared, n);
  h = csim_hash_bytes(h, p->center, 3 * n * sizeof *p->center);
  h = csim_hash_bytes(h, p->normal, 3 * n * sizeof *p->normal);
  for (int k = 0; k < p->nobstacle; k++) h = hash_triangles(h, &p->obstacle[k]);
  for (int k = 0; k < world->ncollider; k++)
    h = csim_hash_bytes(h, &world->collider[k].layer, sizeof world->collider[k].layer);
  for (int b = 0; b < model->nbody; b++)
    h = csim_hash_bytes(h, &model->body[b].layer, sizeof model->body[b].layer);
  return h;
}

// Places panels, or takes their positions from the phase before if nothing that decides them has
// changed. A garment of 64,000 vertices begins a phase in 2 s instead of 10.
static csim_status place_once(panels *p, const csim_object *object) {
  csim_world *world = p->build->world;
  const csim_world *last = p->build->last;
  csim_mesh *mesh = p->mesh;
  csim_placement *own = &world->placement[world->nplacement++];
  *own = (csim_placement){.key = hash_start(p), .nvert = mesh->nvert};
  const csim_placement *known = NULL;
  for (int k = 0; last && k < last->nplacement && !known; k++)
    if (last->placement[k].key == own->key && last->placement[k].nvert == own->nvert)
      known = &last->placement[k];
  csim_status status = CSIM_OK;
  if (known)
    memcpy(mesh->vert, known->x, 3 * (size_t)mesh->nvert * sizeof *known->x);
  else
    status = place_panels(p, object);
  own->x = CSIM_ARENA_COPY(&world->arena, mesh->vert, csim_xyz(mesh->nvert));
  return !status && world->arena.failed ? CSIM_MEMORY : status;
}

csim_status csim_build_pattern(const csim_build *build, const csim_object *object,
                               csim_mesh *mesh) {
  // cloth that starts from a cache is nowhere near its panels: what is done to them is not told
  csim_build telling = *build;
  if (csim_starts_from_cache(build, object)) telling.log = NULL;
  csim_arena arena = {0};
  ptrdiff_t n = mesh->nvert;
  panels p = {.build = &telling, .mesh = mesh, .of = CSIM_ARENA_NEW(&arena, int, n)};
  p.pair = csim_arena_alloc(&arena, MOST_PAIRS, sizeof *p.pair);
  csim_status status = CSIM_MEMORY;
  if (arena.failed) goto done;
  number_panels(&p);
  double **array[] = {&p.center, &p.normal, &p.step, &p.moved, &p.nearer};
  p.inside = CSIM_ARENA_NEW(&arena, unsigned char, p.n);
  p.up = CSIM_ARENA_NEW(&arena, unsigned char, p.n);
  p.stopped = CSIM_ARENA_NEW(&arena, unsigned char, p.n);
  p.flared = CSIM_ARENA_NEW(&arena, unsigned char, p.n);
  p.kept = CSIM_ARENA_NEW(&arena, double, 3 * n);
  p.grown = CSIM_ARENA_NEW(&arena, double, 3 * n);
  p.tier = CSIM_ARENA_NEW(&arena, int, n);
  p.first = CSIM_ARENA_NEW(&arena, int, p.n);
  p.ring = CSIM_ARENA_NEW(&arena, int, p.n);
  for (int k = 0; k < 5; k++) *array[k] = CSIM_ARENA_NEW(&arena, double, csim_xyz(p.n));
  if (arena.failed) goto done;
  for (int i = mesh->nvert - 1; i >= 0; i--) p.first[p.of[i]] = i;
  status = csim_lift_shoulders(&telling, object, mesh);
  if (status) goto done;
  measure_panels(&p);
  status = shape_panels(&p, object);
  if (!status) status = csim_center_sleeves(&telling, object, mesh, p.of);
  if (!status) status = csim_build_arms(build, mesh, p.of);
  if (status) goto done;
  list_obstacles(&p, &arena);
  status = arena.failed ? CSIM_MEMORY : place_once(&p, object);
done:
  csim_arena_free(&arena);
  return status;
}
