// contact/clearance.c: see clearance.h.
#include "contact/clearance.h"

#include "contact/margins.h"
#include "math/vec3.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PAIR_GRAIN = 512 };

// [m/s] how fast distances grow at most.
static const double RATE = 0.1;

// Share of the contact distance by which what is lifted goes on against gravity. With RATE alone
// cloth was thrown by 3 mm on the moon, and layers without gravity went apart for ever.
static const double THROW = 0.1;

// Share of the contact distance below which gaps are widened. With all gaps widened two sleeves, 2
// and 3.5 mm around an arm, were pressed between it and each other, and took 2.6 times as long.
static const double NARROW = 0.25;

// Most by which a distance exceeds the gap, as a share of the contact distance. With half of it a
// plate that rises at 1 m/s presses cloth to the floor before its distance has grown.
static const double BEYOND = 0.15;

// Most that distances differ between two vertices, as a share of the way between them along the
// surface. What rolls climbs that much, while a tight spot does not make a whole garment thin. With
// 0.05 a ball that starts 0.2 mm above 3 degrees rolls 0.68 of its way in a second, with 0.02 0.87.
static const double SLOPE = 0.02;

// Least share of the contact distance that a vertex keeps for itself; what starts nearer has those
// of its pairs.
static const double LEAST = 0.05;

// Share of its distance that a gap has at least for the distance to grow. Nothing may come below
// the floor.
static const double LEAST_GAP = 2 * CSIM_CONTACT_FLOOR;

// Most that a vertex's distance is [m].
static double most_distance(const csim_clearance *clearance, int i) {
  const csim_candidates *set = clearance->candidates;
  return (set->share ? set->share[i] : 1) * set->distance;
}

// A vertex's distance now [m]; 0: it touches another part at the start.
static double distance_of(const csim_clearance *clearance, int i) {
  const csim_candidates *set = clearance->candidates;
  const csim_planes *planes = &clearance->kin->planes;
  if (clearance->grown && clearance->grown[i] > 0) return (double)clearance->grown[i];
  if (set->starts.near && set->starts.touches[i]) return 0;
  double least = most_distance(clearance, i);
  if (set->starts.near) least = csim_min(least, (double)set->starts.first[i] * set->distance);
  for (int k = 0; k < planes->n; k++)
    least = csim_min(least, csim_planes_scale(planes, &planes->plane[k], i) * set->distance);
  return least;
}

// Marks the vertices of a part if some start near another.
static void mark_part(csim_clearance *clearance, int part) {
  const csim_collision_mesh *mesh = clearance->kin->mesh;
  int first = mesh->first[part], last = mesh->first[part + 1], any = 0;
  for (int i = first; i < last; i++) {
    double distance = distance_of(clearance, i);
    clearance->near[i] = distance > 0;
    any |= distance > 0 && distance < most_distance(clearance, i);
  }
  if (!any) memset(clearance->near + first, 0, (size_t)(last - first));
  clearance->any |= any;
}

int csim_clearance_create(csim_arena *arena, csim_clearance *clearance) {
  const csim_collision_mesh *mesh = clearance->kin->mesh;
  clearance->near = CSIM_ARENA_NEW(arena, unsigned char, mesh->nbody_vert);
  if (arena->failed) return -1;
  for (int part = 0; part < mesh->nbody; part++) mark_part(clearance, part);
  if (!clearance->any) return 0;
  clearance->grown = CSIM_ARENA_NEW(arena, float, mesh->nbody_vert);
  clearance->level = CSIM_ARENA_NEW(arena, double, mesh->nbody_vert);
  clearance->open = CSIM_ARENA_NEW(arena, unsigned char, mesh->nbody_vert);
  clearance->gap = CSIM_ARENA_NEW(arena, csim_atomic_number, mesh->nbody_vert);
  if (arena->failed) return -1;
  clearance->kin->planes.grown = clearance->grown;
  csim_clearance_clear(clearance);
  return 0;
}

// ------------------------------------------------------------------------------------------ state

int csim_clearance_accepts(const csim_clearance *clearance, const double *state) {
  for (int i = 0; i < 3 * csim_clearance_size(clearance->kin->mesh->nbody_vert); i++)
    if (!(state[i] >= 0 && state[i] <= FLT_MAX)) return 0;
  return 1;
}

void csim_clearance_save(const csim_clearance *clearance, double *state) {
  int nvert = clearance->kin->mesh->nbody_vert, n = clearance->any ? nvert : 0;
  for (int i = 0; i < 3 * csim_clearance_size(nvert); i++)
    state[i] = i < n ? (double)clearance->grown[i] : 0;
}

// Passes the distances on to the candidates.
static void update_candidates(csim_clearance *clearance) {
  csim_candidates_grow(clearance->kin->pool, clearance->candidates, clearance->grown);
}

void csim_clearance_load(csim_clearance *clearance, const double *state) {
  int changed = 0;
  if (!clearance->any) return;
  for (int i = 0; i < clearance->kin->mesh->nbody_vert; i++) {
    float grown = clearance->near[i] ? (float)state[i] : 0;
    changed |= grown != clearance->grown[i];
    clearance->grown[i] = grown;
  }
  if (changed) update_candidates(clearance);
}

// Lowers the levels of what is open until none is steeper than SLOPE along the surface.
static void level_out(csim_clearance *clearance) {
  const csim_collision_mesh *mesh = clearance->kin->mesh;
  for (int sweep = 0, changed = 1; changed; sweep++) {
    changed = 0;
    for (int q = 0; q < mesh->nbody_edge; q++) {
      const int *e = mesh->edge + csim_row(2, sweep % 2 ? mesh->nbody_edge - 1 - q : q);
      if (!clearance->near[e[0]] || !clearance->near[e[1]]) continue;
      int low = clearance->level[e[1]] < clearance->level[e[0]], high = 1 - low;
      if (!clearance->open[e[high]] || !(clearance->level[e[low]] < clearance->level[e[high]]))
        continue;
      double way = csim_distance(mesh->body_x0 + csim_xyz(e[0]), mesh->body_x0 + csim_xyz(e[1]));
      double to = clearance->level[e[low]] + SLOPE * way;
      if (!(to < clearance->level[e[high]])) continue;
      clearance->level[e[high]] = to;
      changed = 1;
    }
  }
}

// What starts nearer than LEAST keeps the distances of its pairs until it grows. Contact may push
// it from the beginning, which adds energy.
void csim_clearance_clear(csim_clearance *clearance) {
  int n = clearance->kin->mesh->nbody_vert;
  double least = LEAST * clearance->candidates->distance;
  if (!clearance->any) return;
  memset(clearance->grown, 0, (size_t)n * sizeof *clearance->grown);
  for (int i = 0; i < n; i++) {
    double distance = distance_of(clearance, i);
    clearance->widened |=
        clearance->near[i] && distance > 0 && distance <= least * (1 + FLT_EPSILON);
    clearance->level[i] = csim_max(distance, least);
    clearance->open[i] = 1;
  }
  level_out(clearance);
  for (int i = 0; i < n; i++)
    if (clearance->near[i] && distance_of(clearance, i) > least)
      clearance->grown[i] = (float)clearance->level[i];
  update_candidates(clearance);
}

// ----------------------------------------------------------------------------------------- growing

// Lowers the gaps of vertices to those of pairs of two parts, of which some vertex is near.
static void measure_pairs(void *context, int first, int last) {
  const csim_clearance *clearance = context;
  const csim_candidates *set = clearance->candidates;
  const csim_collision_mesh *mesh = set->mesh;
  for (int i = first; i < last; i++) {
    const csim_candidate *pair = &set->list[i];
    const double *p[4];
    double w[4];
    int v[4], any = 0;
    csim_candidate_vertices(mesh, pair, v);
    if (csim_collision_mesh_part(mesh, v[0]) == csim_collision_mesh_part(mesh, v[3])) continue;
    for (int k = 0; k < 4; k++) {
      any |= v[k] < mesh->nbody_vert && clearance->near[v[k]];
      p[k] = clearance->kin->x + csim_xyz(v[k]);
    }
    if (!any) continue;
    double d = sqrt(csim_pair_closest(csim_candidate_kind(pair), p, w));
    for (int k = 0; k < 4; k++)
      if (v[k] < mesh->nbody_vert) csim_atomic_lower(&clearance->gap[v[k]], d);
  }
}

static void measure_planes(csim_clearance *clearance) {
  const csim_kinematics *kin = clearance->kin;
  for (int q = 0; q < kin->mesh->nbody_point; q++) {
    int i = kin->mesh->point[q];
    for (int k = 0; k < kin->planes.n && clearance->near[i]; k++) {
      const csim_contact_plane *plane = &kin->planes.plane[k];
      double d = csim_dot(plane->n, kin->x + csim_xyz(i)) - plane->offset;
      csim_atomic_lower(&clearance->gap[i], csim_max(0, d));
    }
  }
}

// Whether some distance is not whole yet.
static int is_growing(const csim_clearance *clearance) {
  for (int i = 0; clearance->any && i < clearance->kin->mesh->nbody_vert; i++)
    if (clearance->near[i] && clearance->grown[i] < (float)most_distance(clearance, i)) return 1;
  return 0;
}

// Least distance of what contact pushes of a part [m]; DBL_MAX: it pushes nothing.
static double least_pushed(const csim_clearance *clearance, int part) {
  const csim_collision_mesh *mesh = clearance->kin->mesh;
  double least = DBL_MAX;
  for (int i = mesh->first[part]; i < mesh->first[part + 1]; i++) {
    double now = distance_of(clearance, i);
    if (clearance->near[i] && csim_atomic_get(&clearance->gap[i]) < now)
      least = csim_min(least, now);
  }
  return least;
}

// What contact pushes keeps its distance. What is open may have so much of its gap that nothing is
// pushed, as far as its neighbours permit. Where a part is pushed, what comes down beside that
// place gives way to as little as is there, and the part rolls on. Else nothing gives way: cloth
// that fell by less than a tenth of its gap in every substep met no contact before gaps were
// narrow, was lifted there again and again, and slid on slopes that hold it.
static void find_levels(csim_clearance *clearance) {
  const csim_collision_mesh *mesh = clearance->kin->mesh;
  double distance = clearance->candidates->distance;
  for (int part = 0; part < mesh->nbody; part++) {
    double pushed = least_pushed(clearance, part);
    for (int i = mesh->first[part]; i < mesh->first[part + 1]; i++) {
      double gap = csim_atomic_get(&clearance->gap[i]), now = distance_of(clearance, i);
      double most = gap < distance ? CSIM_CONTACT_START * gap : most_distance(clearance, i);
      clearance->open[i] = gap >= now;
      clearance->level[i] = gap < now ? now : csim_max(most, csim_min(now, pushed));
    }
  }
  level_out(clearance);
}

// [m/s] how fast gaps are widened.
static double rate_of(const csim_clearance *clearance) {
  double gravity = csim_norm(clearance->kin->model->gravity);
  return csim_min(RATE, sqrt(2 * gravity * THROW * clearance->candidates->distance));
}

int csim_clearance_grow(csim_clearance *clearance, double h) {
  const csim_kinematics *kin = clearance->kin;
  csim_candidates *set = clearance->candidates;
  int n = kin->mesh->nbody_vert, changed = 0;
  double lift = rate_of(clearance) * h;
  if (!is_growing(clearance)) return 0;
  for (int i = 0; i < n; i++) csim_atomic_set(&clearance->gap[i], set->distance);
  csim_pool_for(kin->pool, set->n, PAIR_GRAIN, measure_pairs, clearance);
  measure_planes(clearance);
  find_levels(clearance);
  for (int i = 0; i < n; i++) {
    if (!clearance->near[i]) continue;
    double gap = csim_atomic_get(&clearance->gap[i]), now = distance_of(clearance, i), limit = 0;
    if (gap < NARROW * set->distance)
      limit = csim_min(gap + BEYOND * set->distance, gap / LEAST_GAP);
    double to = csim_max(clearance->level[i], csim_min(now + lift, limit));
    float grown = (float)csim_min(to, most_distance(clearance, i));
    if (grown == (float)now) continue;
    clearance->widened |= (double)grown > csim_max(gap, now);
    clearance->grown[i] = grown;
    changed = 1;
  }
  if (changed) update_candidates(clearance);
  return changed;
}
