// contact/check_start.c: see check_start.h.
#include "contact/check_start.h"

#include "base/disjoint.h"
#include "base/sort.h"
#include "io/obj_write.h"
#include "math/vec3.h"
#include "mesh/intersect.h"
#include "mesh/winding.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_PAIRS = 1 << 20, MOST_PAIRS = 1 << 28, MAX_REPORTED = 20 };

typedef struct start_check {
  const csim_model *model;
  const csim_collider *collider;
  csim_log *log;
  csim_level level;
  csim_place place; // of the scene
  csim_collision_mesh mesh;
  double *x; // (mesh.nvert x 3) [m]
  int npair;
  int (*pair)[2]; // triangles of the mesh
} start_check;

static csim_status no_memory(const start_check *s) {
  return csim_fail_memory(s->log, s->place.file);
}

static const char *name_of(const start_check *s, int part) {
  return part < s->mesh.nbody ? s->model->body[part].name : s->collider[part - s->mesh.nbody].name;
}

static int part_of(const start_check *s, int tri) {
  return csim_collision_mesh_part(&s->mesh, s->mesh.tri[csim_xyz(tri)]);
}

// The user's face of a triangle of the mesh: triangles of a part are in the order of its mesh.
static int face_of(const start_check *s, int tri) {
  int part = part_of(s, tri), first = tri;
  while (first > 0 && part_of(s, first - 1) == part) first--;
  const csim_mesh *mesh =
      part < s->mesh.nbody ? s->model->body[part].mesh : s->collider[part - s->mesh.nbody].mesh;
  return mesh->tri_face ? mesh->tri_face[tri - first] : tri - first;
}

// Drops pairs that contact does not keep apart anyway.
static int wanted(const start_check *s, const int pair[2], int self) {
  int a = part_of(s, pair[0]) < s->mesh.nbody, b = part_of(s, pair[1]) < s->mesh.nbody;
  return a && b ? self : a || b;
}

// All pairs that are wanted. The search has those of others, too, which may be many.
static csim_status find_pairs(csim_pool *pool, int self, start_check *s) {
  csim_triangles triangles = {s->mesh.nvert, s->x, s->mesh.ntri, s->mesh.tri};
  long long found = FIRST_PAIRS, limit;
  do {
    limit = found < MOST_PAIRS ? found : MOST_PAIRS;
    free(s->pair);
    s->pair = csim_alloc(limit, sizeof *s->pair);
    if (!s->pair || csim_find_self_intersections(pool, &triangles, (int)limit, s->pair[0], &found))
      return no_memory(s);
  } while (found > limit && limit < MOST_PAIRS);
  int n = (int)(found < limit ? found : limit);
  for (int i = 0; i < n; i++)
    if (wanted(s, s->pair[i], self)) memmove(s->pair[s->npair++], s->pair[i], sizeof s->pair[i]);
  return CSIM_OK;
}

static csim_status report_pairs(const start_check *s) {
  int(*row)[4] = csim_alloc(s->npair, sizeof *row); // part, part, triangle, triangle
  if (!row) return no_memory(s);
  for (int i = 0; i < s->npair; i++) {
    int a = s->pair[i][0], b = s->pair[i][1];
    memcpy(row[i], (int[]){part_of(s, a), part_of(s, b), a, b}, sizeof row[i]);
  }
  csim_sort_rows(row, s->npair, sizeof *row, 4);
  int reported = 0;
  for (int i = 0, end; i < s->npair; i = end) {
    for (end = i + 1; end < s->npair && !csim_compare_rows(row[end], row[i], 2);) end++;
    if (++reported > MAX_REPORTED) continue;
    const char *a = name_of(s, row[i][0]), *b = name_of(s, row[i][1]);
    const double *x = s->x + csim_xyz(s->mesh.tri[csim_xyz(row[i][2])]);
    if (row[i][0] == row[i][1])
      csim_say(s->log, s->level, s->place,
               "\"%s\" intersects itself at the start: %d pairs of triangles, first faces %d and "
               "%d near (%.4g, %.4g, %.4g)",
               a, end - i, face_of(s, row[i][2]), face_of(s, row[i][3]), x[0], x[1], x[2]);
    else
      csim_say(s->log, s->level, s->place,
               "\"%s\" and \"%s\" intersect at the start: %d pairs of triangles, first face %d of "
               "the one and %d of the other near (%.4g, %.4g, %.4g)",
               a, b, end - i, face_of(s, row[i][2]), face_of(s, row[i][3]), x[0], x[1], x[2]);
  }
  if (reported > MAX_REPORTED)
    csim_say(s->log, s->level, s->place, "and %d more pairs of objects", reported - MAX_REPORTED);
  free(row);
  return CSIM_OK;
}

static long long check_planes(const start_check *s, int ncollider) {
  long long total = 0;
  for (int k = 0; k < ncollider; k++) {
    const csim_collider *collider = &s->collider[k];
    if (collider->shape != CSIM_COLLIDER_PLANE) continue;
    csim_pose pose = csim_motion_pose(&collider->motion, collider->pivot, 0);
    for (int b = 0; b < s->mesh.nbody; b++) {
      int below = 0, first = -1;
      for (int q = 0; q < s->mesh.npoint; q++) {
        int i = s->mesh.point[q];
        double local[3];
        if (i >= s->mesh.nbody_vert || csim_collision_mesh_part(&s->mesh, i) != b) continue;
        csim_collider_to_local(collider, &pose, s->x + csim_xyz(i), local);
        if (local[1] > 0) continue;
        if (below++ == 0) first = i - s->mesh.first[b];
      }
      if (below)
        csim_say(s->log, s->level, s->place,
                 "\"%s\" starts behind the plane \"%s\" or on it: %d vertices, the first is %d",
                 name_of(s, b), collider->name, below, first);
      total += below;
    }
  }
  return total;
}

// Finds parts of bodies inside of solid colliders, where no triangles need intersect. A connected
// part is on one side or intersects the surface, which is reported elsewhere: testing one vertex is
// enough.
static csim_status check_inside(const start_check *s, int ncollider, long long *total) {
  int nbody = s->mesh.nbody_vert, any = 0;
  for (int k = 0; k < ncollider; k++) any |= s->collider[k].solid && s->collider[k].mesh;
  if (!any) return CSIM_OK;
  int *parent = csim_alloc(nbody, sizeof *parent);
  double *x = csim_alloc(csim_xyz(s->mesh.nvert), sizeof *x); // large enough for any collider
  csim_status status = parent && x ? CSIM_OK : no_memory(s);
  for (int i = 0; !status && i < nbody; i++) parent[i] = i;
  for (int e = 0; !status && e < s->mesh.nedge; e++) {
    const int *v = s->mesh.edge + csim_row(2, e);
    if (v[1] < nbody) csim_disjoint_join(parent, v[0], v[1]);
  }
  for (int k = 0; !status && k < ncollider; k++) {
    const csim_collider *collider = &s->collider[k];
    if (!collider->solid || !collider->mesh || collider->shape == CSIM_COLLIDER_PLANE) continue;
    csim_collider_vertices(collider, 0, x);
    for (int q = 0; q < s->mesh.npoint && s->mesh.point[q] < nbody; q++) {
      int i = s->mesh.point[q];
      if (parent[i] != i) continue;
      const double *p = s->x + csim_xyz(i);
      if (csim_winding_number(collider->mesh->ntri, collider->mesh->tri, x, p) < 0.5) continue;
      csim_say(s->log, s->level, s->place,
               "\"%s\" starts inside of the solid \"%s\", with its vertex %d at (%.4g, %.4g, "
               "%.4g); move it out, or leave out \"solid\" of the collider",
               name_of(s, csim_collision_mesh_part(&s->mesh, i)), collider->name,
               i - s->mesh.first[csim_collision_mesh_part(&s->mesh, i)], p[0], p[1], p[2]);
      ++*total;
    }
  }
  free(parent);
  free(x);
  return status;
}

static csim_status write_pairs(const start_check *s, const char *path) {
  csim_mesh mesh = {0};
  csim_arena arena = {0};
  int n = 2 * s->npair;
  mesh.nvert = 3 * n;
  mesh.nface = n;
  mesh.vert = CSIM_ARENA_NEW(&arena, double, csim_row(9, n));
  mesh.face_start = CSIM_ARENA_NEW(&arena, int, (ptrdiff_t)n + 1);
  mesh.face_vert = CSIM_ARENA_NEW(&arena, int, csim_xyz(n));
  csim_status status = arena.failed ? no_memory(s) : CSIM_OK;
  if (status) goto done;
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) {
      int v = s->mesh.tri[csim_xyz(s->pair[i / 2][i % 2]) + c];
      memcpy(mesh.vert + csim_row(9, i) + 3 * c, s->x + csim_xyz(v), 3 * sizeof(double));
      mesh.face_vert[csim_xyz(i) + c] = 3 * i + c;
      mesh.face_start[i + 1] = 3 * (i + 1);
    }
  status = csim_obj_write(path, &mesh, NULL, 9, s->log);
  if (!status)
    csim_say(s->log, CSIM_INFO, csim_in_file(path), "has the intersecting triangles, in metres");
done:
  csim_arena_free(&arena);
  return status;
}

// Compares the thickness with the mean edge of each body, both as means over its edges.
static csim_status check_thickness(const start_check *s, const csim_collision_setup *setup) {
  csim_status status = CSIM_OK;
  for (int b = 0; b < s->mesh.nbody; b++) {
    double sum = 0, share = 0;
    int count = 0;
    for (int e = 0; e < s->mesh.nedge; e++) {
      const int *v = s->mesh.edge + csim_row(2, e);
      if (csim_collision_mesh_part(&s->mesh, v[0]) != b) continue;
      sum += csim_distance(s->x + csim_xyz(v[0]), s->x + csim_xyz(v[1]));
      share += setup->share ? 0.5 * (setup->share[v[0]] + setup->share[v[1]]) : 1;
      count++;
    }
    double thickness = count ? share / count * setup->thickness : 0;
    if (count == 0 || thickness < sum / count) continue;
    status = csim_refuse(s->log, s->place,
                         "the contact thickness of %.3g m is larger than the edges of \"%s\", %.3g "
                         "m in the mean; choose a smaller one or a coarser mesh",
                         thickness, name_of(s, b), sum / count);
  }
  return status;
}

csim_status csim_contact_check_start(csim_pool *pool, const csim_collision_setup *setup, int refuse,
                                     const char *path, csim_log *log, long long *total) {
  csim_arena arena = {0};
  int ncollider = setup->ncollider;
  start_check s = {.model = setup->model,
                   .collider = setup->collider,
                   .log = log,
                   .place = setup->place,
                   .level = refuse ? CSIM_ERROR : CSIM_WARNING};
  *total = 0;
  if (!csim_collision_mesh_build(&arena, s.model, ncollider, s.collider, &s.mesh))
    s.x = CSIM_ARENA_NEW(&arena, double, csim_xyz(s.mesh.nvert));
  csim_status status = s.x ? CSIM_OK : no_memory(&s);
  if (status) goto done;
  csim_collision_mesh_starts(&s.mesh, s.x);
  status = check_thickness(&s, setup);
  if (!status) status = find_pairs(pool, setup->self, &s);
  if (status) goto done;
  *total = s.npair + check_planes(&s, ncollider);
  status = check_inside(&s, ncollider, total);
  if (!status && s.npair) status = report_pairs(&s);
  if (!status && s.npair && path) status = write_pairs(&s, path);
done:
  free(s.pair);
  csim_arena_free(&arena);
  return status;
}
