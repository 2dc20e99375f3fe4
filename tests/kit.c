// tests/kit.c: see kit.h.
#include "kit.h"

#include "check.h"
#include "mesh/shapes.h"

#include <string.h>

void kit_begin(int n, const double *x, double mass, double h, kit *k) {
  csim_arena arena = {0};
  csim_model *model = CSIM_ARENA_NEW(&arena, csim_model, 1);
  *model = (csim_model){.arena = arena, .nvert = n, .gravity = {0, -9.81, 0}};
  *k = (kit){.model = model,
             .levels.kind = &csim_spring_kind,
             .springs.kind = &csim_spring_kind,
             .limits.kind = &csim_limit_kind,
             .quadratic.kind = &csim_quadratic_kind,
             .cotangent.kind = &csim_cotangent_kind,
             .dihedral.kind = &csim_dihedral_kind,
             .volume.kind = &csim_volume_kind,
             .anchors.kind = &csim_anchor_kind,
             .h = h};
  k->params = (csim_solver_params){.method = "newton",
                                   .linear = CSIM_LINEAR_CHOLESKY,
                                   .iterations = 100,
                                   .tolerance = 1e-10,
                                   .linear_iterations = 10000,
                                   .linear_tolerance = 1e-10,
                                   .line_search = 1,
                                   .jacobi_alpha = 0.9,
                                   .chebyshev_rho = 0.9,
                                   .window = 5,
                                   .pbd_stiffness = 1};
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
  k->model->target[k->model->ntarget++] = (csim_target){
      .vert = vert, .group = -1, .follow = -1, .exact = 1, .hard = 1};
}

void kit_spring(kit *k, int a, int b, double stiffness, double length) {
  csim_elements_add(&k->springs, (int[]){a, b}, (double[]){stiffness, length, 1, 0});
}

void kit_ready(kit *k, int nthread) {
  const csim_elements *sets[] = {&k->levels,    &k->springs,  &k->limits, &k->quadratic,
                                 &k->cotangent, &k->dihedral, &k->volume, &k->anchors};
  CHECK(csim_model_assemble(k->model, 8, sets) == 0);
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
  csim_elements_free(&k->quadratic);
  csim_elements_free(&k->cotangent);
  csim_elements_free(&k->dihedral);
  csim_elements_free(&k->volume);
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

double kit_random(unsigned *seed) {
  *seed = *seed * 1664525u + 1013904223u;
  return (double)(*seed >> 8) / (double)(1 << 24) - 0.5;
}
