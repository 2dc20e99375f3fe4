// tests/kit.c: see kit.h.
#include "kit.h"

#include "io/mesh_file.h"
#include "math/vec3.h"
#include "mesh/topology.h"
#include "mesh/triangulate.h"
#include "model/curvature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void kit_begin(int n, const double *x, double mass, double h, kit *k) {
  csim_arena arena = {0};
  csim_model *model = CSIM_ARENA_NEW(&arena, csim_model, 1);
  *model = (csim_model){.arena = arena, .nvert = n, .gravity = {0, -9.81, 0}};
  *k = (kit){.model = model,
             .levels.kind = &csim_spring_kind,
             .springs.kind = &csim_spring_kind,
             .limits.kind = &csim_limit_kind,
             .bounds.kind = &csim_bound_kind,
             .woven.kind = &csim_woven_kind,
             .orthotropic.kind = &csim_orthotropic_kind,
             .quadratic.kind = &csim_quadratic_kind,
             .cotangent.kind = &csim_cotangent_kind,
             .dihedral.kind = &csim_dihedral_kind,
             .curvature.kind = &csim_curvature_kind,
             .volume.kind = &csim_volume_kind,
             .neohooke.kind = &csim_neohooke_kind,
             .patches.kind = &csim_solid_patch_kind,
             .anchors.kind = &csim_anchor_kind,
             .h = h};
  k->params = (csim_solver_params){.method = "newton",
                                   .linear = "cholesky",
                                   .iterations = 100,
                                   .tolerance = 1e-10,
                                   .linear_iterations = 10000,
                                   .linear_tolerance = 1e-10,
                                   .line_search = 1,
                                   .jacobi_alpha = 0.9,
                                   .chebyshev_rho = 0.9,
                                   .window = 5,
                                   .pbd.stiffness = 1};
  csim_arena *a = &model->arena;
  model->x0 = CSIM_ARENA_NEW(a, double, 3 * n);
  model->v0 = CSIM_ARENA_NEW(a, double, 3 * n);
  model->mass = CSIM_ARENA_NEW(a, double, n);
  model->target = CSIM_ARENA_NEW(a, csim_target, n);
  model->body = CSIM_ARENA_NEW(a, csim_body, 1);
  model->nbody = 1;
  model->body[0] = (csim_body){.name = "kit", .nvert = n, .mesh = CSIM_ARENA_NEW(a, csim_mesh, 1)};
  memcpy(model->x0, x, 3 * (size_t)n * sizeof *x);
  for (int i = 0; i < n; i++) model->mass[i] = mass;
}

void kit_pin(kit *k, int vert) {
  k->model->target[k->model->ntarget++] =
      (csim_target){.vert = vert, .group = -1, .follow = -1, .exact = 1, .hard = 1};
}

void kit_spring(kit *k, int a, int b, double stiffness, double length) {
  csim_elements_add(&k->springs, (int[]){a, b}, (double[]){stiffness, length, 1, 0});
}

void kit_ready(kit *k, int nthread) {
  const csim_elements *sets[] = {&k->levels,   &k->springs,     &k->limits,    &k->bounds,
                                 &k->woven,    &k->orthotropic, &k->quadratic, &k->cotangent,
                                 &k->dihedral, &k->curvature,   &k->volume,    &k->neohooke,
                                 &k->patches,  &k->anchors};
  k->model->has_bounds |= k->bounds.nelem > 0;
  CHECK(csim_model_assemble(k->model, sizeof sets / sizeof *sets, sets) == 0);
  CHECK(csim_state_create(k->model, &k->state) == 0);
  k->pool = csim_pool_create(nthread);
  k->solver = csim_solver_create(
      &(csim_solver_setup){.model = k->model, .params = k->params, .pool = k->pool, .h = k->h});
  CHECK(k->solver != NULL);
}

void kit_step(kit *k) {
  csim_step_report report;
  CHECK(csim_step(k->solver, &k->state, &report) == 0);
}

void kit_end(kit *k) {
  csim_solver_free(k->solver);
  csim_pool_free(k->pool);
  csim_state_free(&k->state);
  csim_elements_free(&k->levels);
  csim_elements_free(&k->springs);
  csim_elements_free(&k->limits);
  csim_elements_free(&k->bounds);
  csim_elements_free(&k->woven);
  csim_elements_free(&k->orthotropic);
  csim_elements_free(&k->quadratic);
  csim_elements_free(&k->cotangent);
  csim_elements_free(&k->dihedral);
  csim_elements_free(&k->curvature);
  csim_elements_free(&k->volume);
  csim_elements_free(&k->neohooke);
  csim_elements_free(&k->patches);
  csim_elements_free(&k->anchors);
  csim_model_free(k->model);
}

void kit_cloth(int cells, double side, double density, double E2D, double B, double h, kit *k) {
  csim_mesh mesh;
  csim_topology topology;
  csim_shape_spec spec = {
      .kind = CSIM_SHAPE_KIND_GRID, .size = {side, side}, .cells = {cells, cells}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  CHECK(csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &topology) == CSIM_OK);
  kit_begin(mesh.nvert, mesh.vert, 0, h, k);
  csim_vert_areas(mesh.nvert, mesh.ntri, mesh.tri, mesh.vert, k->model->mass);
  for (int i = 0; i < mesh.nvert; i++) k->model->mass[i] *= density;
  csim_part part = {.X = mesh.vert, .compression = 1};
  csim_network_mesh(&topology, &part, E2D, &k->springs);
  if (B > 0) csim_network_hinges(&topology, &part, B, &k->quadratic);
  csim_topology_free(&topology);
  *k->model->body[0].mesh = mesh;
}

void kit_membrane(kit *k, const csim_moduli *moduli, csim_elements *membrane) {
  const csim_mesh *mesh = k->model->body[0].mesh;
  double *flat = CSIM_NEW(double, csim_row(6, mesh->ntri));
  csim_moduli *of_tri = CSIM_NEW(csim_moduli, mesh->ntri);
  for (int t = 0; t < mesh->ntri; t++) of_tri[t] = *moduli;
  csim_fabric_lay(mesh->ntri, mesh->tri, mesh->vert, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, flat);
  CHECK(csim_fabric_membrane(mesh->ntri, mesh->tri, &(csim_part){.vert0 = 0}, flat, of_tri, NULL,
                             membrane) == 0);
  k->model->has_bounds |= moduli->bound;
  free(flat);
  free(of_tri);
}

void kit_curvature(kit *k, double warp, double weft) {
  const csim_mesh *mesh = k->model->body[0].mesh;
  double *flat = CSIM_NEW(double, csim_row(6, mesh->ntri));
  double *factor = CSIM_NEW(double, mesh->nvert);
  csim_topology topology;
  for (int v = 0; v < mesh->nvert; v++) factor[v] = 1;
  CHECK(csim_topology_build(mesh->nvert, mesh->ntri, mesh->tri, &topology) == CSIM_OK);
  csim_fabric_lay(mesh->ntri, mesh->tri, mesh->vert, (double[]){1, 0, 0, 0, 1, 0, 0, 0, 1}, flat);
  unsigned char *held = CSIM_NEW(unsigned char, mesh->nvert);
  for (int i = 0; i < k->model->ntarget; i++) held[k->model->target[i].vert] = 1;
  csim_curvature_hold(&topology, mesh->tri, held, factor);
  free(held);
  CHECK(csim_curvature_pairs(&topology, mesh->tri, flat, &(csim_part){.vert0 = 0},
                             &(csim_bend){warp, weft}, factor, &k->curvature) == 0);
  csim_topology_free(&topology);
  free(flat);
  free(factor);
}

// Twice the area of (a, b, c) as seen from above (-y).
static double turned(const double *a, const double *b, const double *c) {
  return (b[2] - a[2]) * (c[0] - a[0]) - (b[0] - a[0]) * (c[2] - a[2]);
}

static double angle_between(const double *at, const double *a, const double *b) {
  double u[3], v[3], n[3];
  csim_sub(a, at, u);
  csim_sub(b, at, v);
  csim_cross(u, v, n);
  return atan2(csim_norm(n), csim_dot(u, v));
}

// Flips edges whose opposite angles are more than pi together, none of a triangle flipped already.
static int flip_edges(csim_mesh *mesh) {
  csim_topology t;
  int flipped = 0;
  unsigned char *used = CSIM_NEW(unsigned char, mesh->ntri);
  CHECK(csim_topology_build(mesh->nvert, mesh->ntri, mesh->tri, &t) == CSIM_OK);
  for (int h = 0; h < t.nhinge; h++) {
    const int *v = t.hinge + 4 * h, *tri = t.edge_tri + 2 * t.hinge_edge[h];
    const double *x[4];
    for (int k = 0; k < 4; k++) x[k] = mesh->vert + 3 * v[k];
    if (used[tri[0]] || used[tri[1]]) continue;
    if (angle_between(x[2], x[0], x[1]) + angle_between(x[3], x[0], x[1]) < 3.1416) continue;
    double one = turned(x[2], x[0], x[3]), two = turned(x[3], x[1], x[2]);
    if (!(one * two > 0)) continue; // not convex
    used[tri[0]] = used[tri[1]] = 1;
    memcpy(mesh->tri + 3 * tri[0], (int[]){v[2], v[0], v[3]}, 3 * sizeof(int));
    memcpy(mesh->tri + 3 * tri[1], (int[]){v[3], v[1], v[2]}, 3 * sizeof(int));
    flipped++;
  }
  csim_topology_free(&t);
  free(used);
  return flipped;
}

void kit_jitter(csim_mesh *mesh, const unsigned char *mark, double by, unsigned seed) {
  for (int i = 0; i < mesh->nvert; i++)
    for (int c = 0; c < 3; c += 2)
      if (mark[i]) mesh->vert[3 * i + c] += by * kit_random(&seed);
  for (int pass = 0; pass < 100 && flip_edges(mesh); pass++) {
  }
  mesh->grid[0] = mesh->grid[1] = 0;
}

double kit_random(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (double)(1 << 24) - 0.5;
}

double kit_uniform(unsigned *seed, double lo, double hi) {
  return lo + (hi - lo) * (kit_random(seed) + 0.5);
}

void kit_points(unsigned *seed, int n, double size, double x[][3]) {
  for (int i = 0; i < n; i++)
    for (int c = 0; c < 3; c++) x[i][c] = kit_uniform(seed, -size, size);
}

int kit_scene_open(const char *text, int nthread, kit_scene *s) {
  check_log log;
  check_log_init(&log);
  *s = (kit_scene){0};
  char *json = strdup(text);
  for (char *c = json; *c; c++)
    if (*c == '\'') *c = '"';
  int failed =
      csim_scene_parse(json, strlen(json), "/tmp/kit.json", NULL, 0, &log.log, &s->scene) ||
      csim_compile(s->scene, "bin/clothsim-tet", NULL, &log.log, NULL, &s->world);
  free(json);
  check_that(!failed, __FILE__, __LINE__, "%s: %s", text, log.text);
  if (failed) return -1;
  s->pool = csim_pool_create(nthread);
  kit_scene_stop(s, NULL);
  return csim_state_create(s->world.model, &s->state);
}

void kit_scene_stop(kit_scene *s, int (*wanted)(const void *user)) {
  csim_solver_free(s->solver);
  s->solver =
      csim_solver_create(&(csim_solver_setup){.model = s->world.model,
                                              .params = s->scene->solver,
                                              .contact = s->world.contact,
                                              .ncollider = s->world.ncollider,
                                              .collider = s->world.collider,
                                              .pool = s->pool,
                                              .stop = {.wanted = wanted},
                                              .h = 1 / (s->scene->fps * s->scene->substeps)});
}

void kit_scene_close(kit_scene *s) {
  csim_solver_free(s->solver);
  csim_pool_free(s->pool);
  csim_state_free(&s->state);
  csim_world_free(&s->world);
  csim_scene_free(s->scene);
}

double kit_scene_time(const kit_scene *s) {
  return (double)s->state.step / (s->scene->fps * s->scene->substeps);
}

static char folder[] = "/tmp/clothsim_test_XXXXXX";

const char *kit_path(const char *name) {
  static char path[2][256];
  static int turn, made;
  if (!made++ && !mkdtemp(folder)) abort();
  turn = !turn;
  snprintf(path[turn], sizeof path[turn], "%s/%s", folder, name);
  return path[turn];
}

void kit_folder_end(void) {
  char command[64];
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK(system(command) == 0);
}

void kit_write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  if (!file) abort();
  fputs(text, file);
  fclose(file);
}

double *kit_inertia(csim_arena *arena, const csim_model *model, double h) {
  double *inertia = CSIM_ARENA_NEW(arena, double, model->nvert);
  for (int i = 0; inertia && i < model->nvert; i++)
    inertia[i] = h > 0 ? model->mass[i] / (h * h) : 0;
  return inertia;
}

csim_problem kit_problem(csim_arena *arena, const kit_scene *s, double h) {
  const csim_model *model = s->world.model;
  return (csim_problem){.model = model,
                        .params = &s->scene->solver,
                        .pool = s->pool,
                        .h = h,
                        .inertia = kit_inertia(arena, model, h),
                        .x = model->x0,
                        .y = model->x0,
                        .v = CSIM_ARENA_NEW(arena, double, csim_xyz(model->nvert))};
}

double kit_area(const csim_mesh *m) {
  double sum = 0;
  for (int t = 0; t < m->ntri; t++) sum += csim_tri_area(m->vert, m->tri + 3 * t);
  return sum;
}

csim_mesh kit_shape(csim_shape_spec spec) {
  csim_mesh m;
  check_log log;
  check_log_init(&log);
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, &log.log, &m) == CSIM_OK);
  CHECK_TEXT(log.text, "");
  return m;
}

csim_mesh kit_polygon(int n, const double (*p)[2]) {
  csim_mesh m = {.nvert = n, .nface = 1};
  m.vert = CSIM_ARENA_NEW(&m.arena, double, 3 * n);
  m.face_start = CSIM_ARENA_NEW(&m.arena, int, 2);
  m.face_vert = CSIM_ARENA_NEW(&m.arena, int, n);
  m.face_start[1] = n;
  for (int i = 0; i < n; i++) {
    m.face_vert[i] = i;
    m.vert[3 * i] = p[i][0];
    m.vert[3 * i + 1] = p[i][1];
    m.vert[3 * i + 2] = 0.2 * p[i][0] + 0.1 * p[i][1];
  }
  CHECK(csim_mesh_triangulate(&m, (csim_place){0}, NULL) == CSIM_OK);
  CHECK(m.ntri == n - 2);
  return m;
}

check_log kit_last;

csim_status kit_parse_bytes(const char *name, const void *data, size_t size, csim_mesh *m) {
  char *copy = malloc(size ? size : 1);
  memcpy(copy, data, size);
  check_log_init(&kit_last);
  csim_status status = csim_mesh_parse(name, copy, size, &kit_last.log, m);
  free(copy);
  CHECK((status == CSIM_OK) == (kit_last.log.nerror == 0));
  CHECK(kit_last.log.nerror <= 1);
  return status;
}

csim_mesh kit_parse(const char *name, const char *text) {
  csim_mesh m;
  csim_status status = kit_parse_bytes(name, text, strlen(text), &m);
  check_that(status == CSIM_OK, __FILE__, __LINE__, "%s: %s", text, kit_last.text);
  return m;
}

void kit_refuse(int source, const char *name, const char *text, int line, const char *message) {
  csim_mesh m;
  csim_status status = kit_parse_bytes(name, text, strlen(text), &m);
  check_that(status == CSIM_INVALID, __FILE__, source, "accepted");
  check_that(kit_last.line == line, __FILE__, source, "line %d, expected %d", kit_last.line, line);
  check_that(strstr(kit_last.text, message) != NULL, __FILE__, source, "says \"%s\"",
             kit_last.text);
  CHECK(m.vert == NULL && m.nvert == 0);
  csim_mesh_free(&m);
}

int kit_same_ints(const int *a, int n, const int *b) {
  return a && !memcmp(a, b, (size_t)n * sizeof *a);
}
