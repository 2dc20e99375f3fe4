// contact/room.c: see room.h.
#include "contact/room.h"

#include "contact/margins.h"
#include "math/vec3.h"

#include <float.h>
#include <string.h>

enum { PAIR_GRAIN = 512 };

// [m/s] how fast distances grow: what is lifted so fast goes on by half a millimetre.
static const double RATE = 0.1;

// Share of the contact distance below which gaps are widened. With all gaps widened two sleeves, 2
// and 3.5 mm around an arm, were pressed between it and each other, and took 2.6 times as long.
static const double NARROW = 0.25;

// Most that a distance is beyond the gap, as a share of the contact distance. With half of it a
// plate that rises at 1 m/s presses cloth to the floor before its distance has grown.
static const double BEYOND = 0.15;

// Share of its distance that a gap has at least for the distance to grow. Nothing may come below
// the floor.
static const double LEAST_GAP = 2 * CSIM_CONTACT_FLOOR;

// Most that a vertex' distance is [m].
static double most_distance(const csim_room *room, int i) {
  const csim_candidates *set = room->candidates;
  return (set->share ? set->share[i] : 1) * set->distance;
}

// Whether a vertex starts near another part, and touches none.
static int starts_near(const csim_room *room, int i) {
  const csim_starts *starts = &room->candidates->starts;
  const csim_planes *planes = &room->kin->planes;
  double most = planes->share ? planes->share[i] : 1;
  int near = starts->near && (double)starts->first[i] < most;
  if (starts->near && starts->touches[i]) return 0;
  for (int k = 0; k < planes->n; k++) {
    double scale = csim_planes_scale(planes, &planes->plane[k], i);
    if (!(scale > 0)) return 0;
    near |= scale < most;
  }
  return near;
}

int csim_room_create(csim_arena *arena, csim_room *room) {
  const csim_collision_mesh *mesh = room->kin->mesh;
  room->near = CSIM_ARENA_NEW(arena, unsigned char, mesh->nbody_vert);
  if (arena->failed) return -1;
  for (int q = 0; q < mesh->nbody_point; q++) {
    int i = mesh->point[q];
    room->near[i] = (unsigned char)starts_near(room, i);
    room->any |= room->near[i];
  }
  if (!room->any) return 0;
  room->grown = CSIM_ARENA_NEW(arena, float, mesh->nbody_vert);
  room->gap = CSIM_ARENA_NEW(arena, csim_share, mesh->nbody_vert);
  room->kin->planes.grown = room->grown;
  return arena->failed ? -1 : 0;
}

// ------------------------------------------------------------------------------------------ state

int csim_room_accepts(const csim_room *room, const double *state) {
  for (int i = 0; i < 3 * csim_room_size(room); i++)
    if (!(state[i] >= 0 && state[i] <= FLT_MAX)) return 0;
  return 1;
}

void csim_room_save(const csim_room *room, double *state) {
  int n = room->kin->mesh->nbody_vert;
  for (int i = 0; i < 3 * csim_room_size(room); i++) state[i] = i < n ? (double)room->grown[i] : 0;
}

// Takes the distances that it has now.
static void renew(csim_room *room) {
  csim_candidates_grow(room->kin->pool, room->candidates, room->grown);
}

void csim_room_load(csim_room *room, const double *state) {
  int changed = 0;
  if (!room->any) return;
  for (int i = 0; i < room->kin->mesh->nbody_vert; i++) {
    float grown = room->near[i] ? (float)state[i] : 0;
    changed |= grown != room->grown[i];
    room->grown[i] = grown;
  }
  if (changed) renew(room);
}

void csim_room_clear(csim_room *room) {
  if (!room->any) return;
  memset(room->grown, 0, (size_t)room->kin->mesh->nbody_vert * sizeof *room->grown);
  renew(room);
}

// ----------------------------------------------------------------------------------------- growing

// Lowers the gaps of vertices to those of pairs of two parts, of which some vertex is near.
static void measure_pairs(void *context, int first, int last) {
  const csim_room *room = context;
  const csim_candidates *set = room->candidates;
  const csim_collision_mesh *mesh = set->mesh;
  for (int i = first; i < last; i++) {
    const csim_candidate *pair = &set->list[i];
    const double *p[4];
    double w[4];
    int v[4], any = 0;
    csim_candidate_vertices(mesh, pair, v);
    if (csim_collision_mesh_part(mesh, v[0]) == csim_collision_mesh_part(mesh, v[3])) continue;
    for (int k = 0; k < 4; k++) {
      any |= v[k] < mesh->nbody_vert && room->near[v[k]];
      p[k] = room->kin->x + csim_xyz(v[k]);
    }
    if (!any) continue;
    double d = sqrt(csim_pair_closest(csim_candidate_kind(pair), p, w));
    for (int k = 0; k < 4; k++)
      if (v[k] < mesh->nbody_vert) csim_share_lower(&room->gap[v[k]], d);
  }
}

static void measure_planes(csim_room *room) {
  const csim_kinematics *kin = room->kin;
  for (int q = 0; q < kin->mesh->nbody_point; q++) {
    int i = kin->mesh->point[q];
    for (int k = 0; k < kin->planes.n && room->near[i]; k++) {
      const csim_contact_plane *plane = &kin->planes.plane[k];
      double d = csim_dot(plane->n, kin->x + csim_xyz(i)) - plane->offset;
      csim_share_lower(&room->gap[i], csim_max(0, d));
    }
  }
}

// Whether some distance is not whole yet.
static int is_growing(const csim_room *room) {
  for (int i = 0; room->any && i < room->kin->mesh->nbody_vert; i++)
    if (room->near[i] && room->grown[i] < (float)most_distance(room, i)) return 1;
  return 0;
}

int csim_room_grow(csim_room *room, double h) {
  const csim_kinematics *kin = room->kin;
  csim_candidates *set = room->candidates;
  int n = kin->mesh->nbody_vert, changed = 0;
  if (!is_growing(room)) return 0;
  for (int i = 0; i < n; i++) csim_share_set(&room->gap[i], set->distance);
  csim_pool_for(kin->pool, set->n, PAIR_GRAIN, measure_pairs, room);
  measure_planes(room);
  for (int i = 0; i < n; i++) {
    if (!room->near[i]) continue;
    double gap = csim_share_get(&room->gap[i]), by_now = (double)room->grown[i] + RATE * h;
    double limit = 0;
    if (gap < NARROW * set->distance)
      limit = csim_min(gap + BEYOND * set->distance, gap / LEAST_GAP);
    double to = csim_max(0.9 * gap, csim_min(by_now, limit));
    float grown = (float)csim_min(to, most_distance(room, i));
    if (!(grown > room->grown[i])) continue;
    room->grown[i] = grown;
    room->widened |= (double)grown > gap;
    changed = 1;
  }
  if (changed) renew(room);
  return changed;
}
