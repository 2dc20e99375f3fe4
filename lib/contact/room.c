// contact/room.c: see room.h.
#include "contact/room.h"

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

// Most that a distance is beyond the gap, as a share of the contact distance. With half of it a
// plate that rises at 1 m/s presses cloth to the floor before its distance has grown.
static const double BEYOND = 0.15;

// Most that distances differ between two vertices, as a share of the way between them along the
// surface. What rolls climbs that much, while a tight spot does not make a whole garment thin. With
// 0.05 a ball that starts 0.2 mm above 3 degrees rolls 0.68 of its way in a second, with 0.02 0.87.
static const double SLOPE = 0.02;

// Share of the contact distance to which contact shrinks at most where a start is nearer.
static const double LEAST = 0.05;

// Share of its distance that a gap has at least for the distance to grow. Nothing may come below
// the floor.
static const double LEAST_GAP = 2 * CSIM_CONTACT_FLOOR;

// Most that a vertex' distance is [m].
static double most_distance(const csim_room *room, int i) {
  const csim_candidates *set = room->candidates;
  return (set->share ? set->share[i] : 1) * set->distance;
}

// A vertex' distance now [m]; 0: it touches another part at the start.
static double distance_of(const csim_room *room, int i) {
  const csim_candidates *set = room->candidates;
  const csim_planes *planes = &room->kin->planes;
  if (room->grown && room->grown[i] > 0) return (double)room->grown[i];
  if (set->starts.near && set->starts.touches[i]) return 0;
  double least = most_distance(room, i);
  if (set->starts.near) least = csim_min(least, (double)set->starts.first[i] * set->distance);
  for (int k = 0; k < planes->n; k++)
    least = csim_min(least, csim_planes_scale(planes, &planes->plane[k], i) * set->distance);
  return least;
}

// Marks the vertices of a part if some start near another.
static void mark_part(csim_room *room, int part) {
  const csim_collision_mesh *mesh = room->kin->mesh;
  int any = 0;
  for (int pass = 0; pass < 2; pass++)
    for (int i = mesh->first[part]; i < mesh->first[part + 1]; i++) {
      double distance = distance_of(room, i);
      if (pass == 1)
        room->near[i] = (unsigned char)(any && distance > 0);
      else
        any |= distance > 0 && distance < most_distance(room, i);
    }
  room->any |= any;
}

int csim_room_create(csim_arena *arena, csim_room *room) {
  const csim_collision_mesh *mesh = room->kin->mesh;
  room->near = CSIM_ARENA_NEW(arena, unsigned char, mesh->nbody_vert);
  if (arena->failed) return -1;
  for (int part = 0; part < mesh->nbody; part++) mark_part(room, part);
  if (!room->any) return 0;
  room->grown = CSIM_ARENA_NEW(arena, float, mesh->nbody_vert);
  room->level = CSIM_ARENA_NEW(arena, double, mesh->nbody_vert);
  room->open = CSIM_ARENA_NEW(arena, unsigned char, mesh->nbody_vert);
  room->gap = CSIM_ARENA_NEW(arena, csim_share, mesh->nbody_vert);
  if (arena->failed) return -1;
  room->kin->planes.grown = room->grown;
  csim_room_clear(room);
  return 0;
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

// Lowers the level of what is open to those beside it and a slope more.
static void level_out(csim_room *room) {
  const csim_collision_mesh *mesh = room->kin->mesh;
  for (int sweep = 0, changed = 1; changed; sweep++) {
    changed = 0;
    for (int q = 0; q < mesh->nbody_edge; q++) {
      const int *e = mesh->edge + csim_row(2, sweep % 2 ? mesh->nbody_edge - 1 - q : q);
      if (!room->near[e[0]] || !room->near[e[1]]) continue;
      int low = room->level[e[1]] < room->level[e[0]], high = 1 - low;
      if (!room->open[e[high]] || !(room->level[e[low]] < room->level[e[high]])) continue;
      double way = csim_distance(mesh->body_x0 + csim_xyz(e[0]), mesh->body_x0 + csim_xyz(e[1]));
      double to = room->level[e[low]] + SLOPE * way;
      if (!(to < room->level[e[high]])) continue;
      room->level[e[high]] = to;
      changed = 1;
    }
  }
}

// What starts nearer than LEAST keeps the distances of its pairs until it grows. Contact may push
// it from the beginning, which adds energy.
void csim_room_clear(csim_room *room) {
  int n = room->kin->mesh->nbody_vert;
  double least = LEAST * room->candidates->distance;
  if (!room->any) return;
  memset(room->grown, 0, (size_t)n * sizeof *room->grown);
  for (int i = 0; i < n; i++) {
    double distance = distance_of(room, i);
    room->widened |= room->near[i] && distance > 0 && distance <= least * (1 + FLT_EPSILON);
    room->level[i] = csim_max(distance, least);
    room->open[i] = 1;
  }
  level_out(room);
  for (int i = 0; i < n; i++)
    if (room->near[i] && distance_of(room, i) > least) room->grown[i] = (float)room->level[i];
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

// Least distance of what contact pushes of a part [m]; DBL_MAX: it pushes nothing.
static double least_pushed(const csim_room *room, int part) {
  const csim_collision_mesh *mesh = room->kin->mesh;
  double least = DBL_MAX;
  for (int i = mesh->first[part]; i < mesh->first[part + 1]; i++) {
    double now = distance_of(room, i);
    if (room->near[i] && csim_share_get(&room->gap[i]) < now) least = csim_min(least, now);
  }
  return least;
}

// What contact pushes keeps its distance. What is open may have 0.9 of the gap, where nothing is
// pushed, as far as what is beside it permits. Where a part is pushed, what comes down beside that
// place gives way to as little as is there, and the part rolls on. Else nothing gives way: cloth
// that fell by less than a tenth of its gap in every substep met no contact before gaps were
// narrow, was lifted there again and again, and slid on slopes that hold it.
static void find_levels(csim_room *room) {
  const csim_collision_mesh *mesh = room->kin->mesh;
  double distance = room->candidates->distance;
  for (int part = 0; part < mesh->nbody; part++) {
    double pushed = least_pushed(room, part);
    for (int i = mesh->first[part]; i < mesh->first[part + 1]; i++) {
      double gap = csim_share_get(&room->gap[i]), now = distance_of(room, i);
      double most = gap < distance ? 0.9 * gap : most_distance(room, i);
      room->open[i] = gap >= now;
      room->level[i] = gap < now ? now : csim_max(most, csim_min(now, pushed));
    }
  }
  level_out(room);
}

// [m/s] how fast gaps are widened.
static double rate_of(const csim_room *room) {
  double gravity = csim_norm(room->kin->model->gravity);
  return csim_min(RATE, sqrt(2 * gravity * THROW * room->candidates->distance));
}

int csim_room_grow(csim_room *room, double h) {
  const csim_kinematics *kin = room->kin;
  csim_candidates *set = room->candidates;
  int n = kin->mesh->nbody_vert, changed = 0;
  double lift = rate_of(room) * h;
  if (!is_growing(room)) return 0;
  for (int i = 0; i < n; i++) csim_share_set(&room->gap[i], set->distance);
  csim_pool_for(kin->pool, set->n, PAIR_GRAIN, measure_pairs, room);
  measure_planes(room);
  find_levels(room);
  for (int i = 0; i < n; i++) {
    if (!room->near[i]) continue;
    double gap = csim_share_get(&room->gap[i]), now = distance_of(room, i), limit = 0;
    if (gap < NARROW * set->distance)
      limit = csim_min(gap + BEYOND * set->distance, gap / LEAST_GAP);
    double to = csim_max(room->level[i], csim_min(now + lift, limit));
    float grown = (float)csim_min(to, most_distance(room, i));
    if (grown == (float)now) continue;
    room->widened |= (double)grown > csim_max(gap, now);
    room->grown[i] = grown;
    changed = 1;
  }
  if (changed) renew(room);
  return changed;
}
