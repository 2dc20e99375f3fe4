// scene/build_body.c: cloths and solids: vertices, masses, springs, hinges, volumes. Needs model/.
#include "io/tetrahedralize.h"
#include "math/vec3.h"
#include "mesh/check.h"
#include "model/curvature.h"
#include "model/levels.h"
#include "scene/compile.h"
#include "solver/method.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Reserves capacity for n more vertices after model->nvert in x, v and mass.
static csim_status reserve_vertices(csim_build *build, int n) {
  ptrdiff_t need = (ptrdiff_t)build->model->nvert + n;
  if (need > CSIM_MESH_MAX_VERT)
    return csim_refuse(build->log, csim_in_file(build->scene->file),
                       "the objects have more than %d vertices together", CSIM_MESH_MAX_VERT);
  int failed = CSIM_GROW(build->x, build->x_capacity, csim_xyz(need)) ||
               CSIM_GROW(build->v, build->v_capacity, csim_xyz(need)) ||
               CSIM_GROW(build->mass, build->mass_capacity, need);
  return failed ? CSIM_MEMORY : CSIM_OK;
}

static const csim_material *material_of(const csim_build *build, const csim_object *object) {
  return &build->scene->material[object->material];
}

// Appends the positions, masses and initial velocities of the body's vertices.
static csim_status add_vertices(csim_build *build, const csim_object *object, csim_body *body,
                                const double *x, const double *mass) {
  csim_status status = reserve_vertices(build, body->nvert);
  if (status) return status;
  body->vert0 = build->model->nvert;
  double *X = build->x + csim_xyz(body->vert0), *M = build->mass + body->vert0;
  double center[3] = {0}, total = 0, vertex_mass = material_of(build, object)->vertex_mass;
  memcpy(X, x, 3 * (size_t)body->nvert * sizeof *X);
  for (int i = 0; i < body->nvert; i++) {
    M[i] = vertex_mass > 0 && mass[i] > 0 ? vertex_mass : mass[i];
    total += M[i];
    csim_add_scaled(M[i], x + csim_xyz(i), center);
  }
  if (!(total > 0))
    return csim_refuse(build->log, object->mesh_place,
                       "object \"%s\" has no mass: its mesh has no area", object->name);
  for (int c = 0; c < 3; c++) center[c] /= total;
  for (int i = 0; i < body->nvert; i++) {
    double r[3], spin[3], *v = build->v + csim_xyz(body->vert0 + i);
    csim_sub(x + csim_xyz(i), center, r);
    csim_cross(object->spin, r, spin);
    for (int c = 0; c < 3; c++) v[c] = object->velocity[c] + spin[c];
  }
  status = csim_build_start(build, object, body);
  if (status) return status;
  build->model->nvert += body->nvert;
  return CSIM_OK;
}

void csim_warn_about_size(const csim_object *object, const csim_mesh *mesh, csim_log *log) {
  double lo[3], hi[3], size = 0;
  csim_bounds(mesh->nvert, mesh->vert, lo, hi);
  for (int c = 0; c < 3; c++) size = csim_max(size, hi[c] - lo[c]);
  if (size > 10 || size < 0.01)
    csim_say(log, CSIM_WARNING, object->mesh_place,
             "object \"%s\" is %.3g m large; is the length unit right? (\"units\": {\"length\": "
             "\"cm\"}, or \"scale\")",
             object->name, size);
}

// The body as csim_network_* and csim_fabric_* take it.
static csim_part part_of(const csim_body *body, const csim_rest_shape *rest) {
  csim_part part = {.X = rest->X, .vert0 = body->vert0, .compression = 1};
  if (!rest->X) {
    part.tri = body->mesh->tri;
    part.flat = rest->flat;
  }
  return part;
}

// Warns about triangles without area, and about a strain limit that only acts on springs.
static void warn_about_membrane(csim_build *build, const csim_object *object, int slivers) {
  if (slivers)
    csim_say(build->log, CSIM_WARNING, object->mesh_place,
             "object \"%s\": %d triangles without area at rest do not resist stretch", object->name,
             slivers);
  if (build->scene->solver.strain_limit > 0)
    csim_say(build->log, CSIM_WARNING, object->mesh_place,
             "object \"%s\": the solver's strain limit shortens springs, and a membrane has none; "
             "use \"limit\" of its material",
             object->name);
}

// Whether the strain limit is a hard bound. Its barrier needs a line search that stays feasible,
// which only Newton has; other methods stiffen from the limit on.
static int has_bound(csim_build *build, const csim_object *object, const csim_material *m) {
  if (!(m->limit > 0) || m->limit_law != CSIM_LIMIT_BOUND) return 0;
  if (csim_method_find(build->scene->solver.method)->solves_systems)
    return build->model->has_bounds = 1;
  csim_say(build->log, CSIM_WARNING, object->mesh_place,
           "object \"%s\": a \"limit\" that is a bound needs the method \"newton\"; with \"%s\" it "
           "is where the cloth begins to stiffen",
           object->name, build->scene->solver.method);
  return 0;
}

// Adds measured membranes: each triangle has the material's table times the factors of its maps.
static csim_status add_measured(csim_build *build, const csim_object *object, const csim_body *body,
                                const csim_rest_shape *rest, const csim_factors *factors) {
  const csim_material *m = material_of(build, object);
  const csim_mesh *mesh = body->mesh;
  csim_part part = part_of(body, rest);
  double *table = CSIM_NEW(double, csim_row(CSIM_MEASURED, mesh->ntri));
  if (!table) return CSIM_MEMORY;
  for (int t = 0; t < mesh->ntri; t++) {
    double all = csim_factor(factors, CSIM_MAP_STRETCH, t);
    double weft = csim_factor(factors, CSIM_MAP_WEFT, t);
    double of[4] = {all, all * sqrt(weft), all * weft, csim_factor(factors, CSIM_MAP_SHEAR, t)};
    for (int k = 0; k < CSIM_MEASURED; k++)
      table[csim_row(CSIM_MEASURED, t) + k] = of[k % 4] * m->stretch_table[k];
  }
  int slivers = csim_fabric_measured(mesh->ntri, mesh->tri, &part, rest->flat, table,
                                     &build->elements.measured);
  free(table);
  warn_about_membrane(build, object, slivers);
  return CSIM_OK;
}

static csim_status add_membrane(csim_build *build, const csim_object *object, const csim_body *body,
                                const csim_rest_shape *rest, const csim_factors *factors) {
  const csim_material *m = material_of(build, object);
  const csim_mesh *mesh = body->mesh;
  csim_part part = part_of(body, rest);
  csim_moduli *moduli = CSIM_NEW(csim_moduli, mesh->ntri);
  if (!moduli) return CSIM_MEMORY;
  int bound = has_bound(build, object, m);
  for (int t = 0; t < mesh->ntri; t++) {
    double stretch = csim_factor(factors, CSIM_MAP_STRETCH, t);
    moduli[t] = (csim_moduli){
        .warp = stretch * m->stretch,
        .weft =
            stretch * csim_factor(factors, CSIM_MAP_WEFT, t) * (m->weft > 0 ? m->weft : m->stretch),
        .shear = csim_factor(factors, CSIM_MAP_SHEAR, t) *
                 (m->shear > 0 ? m->shear : m->stretch / (2 * (1 + m->poisson))),
        .poisson = m->poisson,
        .limit = m->limit,
        .stiffening = stretch * (m->limit_stiffness > 0 ? m->limit_stiffness
                                                        : (bound ? 10 : 100) * m->stretch),
        .bound = bound};
  }
  csim_yield yield = {m->yield_strain, m->hardening, m->yield_rate};
  int woven = object->membrane == CSIM_MEMBRANE_WOVEN;
  csim_elements *elastic = woven ? &build->elements.woven : &build->elements.orthotropic;
  csim_elements *ductile =
      woven ? &build->elements.ductile_woven : &build->elements.ductile_orthotropic;
  int slivers = csim_fabric_membrane(mesh->ntri, mesh->tri, &part, rest->flat, moduli, &yield,
                                     yield.at > 0 ? ductile : elastic);
  free(moduli);
  warn_about_membrane(build, object, slivers);
  return CSIM_OK;
}

static csim_status add_springs(csim_build *build, const csim_object *object, const csim_body *body,
                               const csim_topology *topology, const csim_rest_shape *rest) {
  const csim_material *material = material_of(build, object);
  const csim_mesh *mesh = body->mesh;
  csim_part part = part_of(body, rest);
  part.spring = material->spring;
  part.compression = material->compression;
  part.slack = material->slack;
  part.no_diagonals = object->edges == CSIM_EDGES_NO_DIAGONALS;
  int first = build->elements.springs.nelem;
  csim_place place = object->mesh_place;
  int flat = 0, grid = mesh->grid[0] > 0;
  if (object->network == CSIM_NETWORK_STRUCTURED && !grid)
    return csim_refuse(
        build->log, place,
        "object \"%s\": a structured network needs the shape \"grid\"; use \"network\": \"mesh\"",
        object->name);
  if (object->network == CSIM_NETWORK_STRUCTURED)
    csim_network_grid(mesh->grid[0], mesh->grid[1], &part, material->stretch,
                      &build->elements.springs);
  else
    flat = csim_network_mesh(topology, &part, material->stretch, &build->elements.springs);
  if (flat)
    csim_say(build->log, CSIM_WARNING, place,
             "object \"%s\": %d edges have no length; they get the stiffness of the mean edge",
             object->name, flat);
  csim_status status = CSIM_OK;
  if (object->mesh.shape != CSIM_SHAPE_PATTERN || object->mesh.gather)
    status = csim_gather_springs(body, first, &build->elements.springs);
  if (material->limit > 0)
    csim_network_limits(&build->elements.springs, first, material->limit, material->limit_stiffness,
                        has_bound(build, object, material) ? &build->elements.bounds
                                                           : &build->elements.limits);
  return status;
}

// Adds coarser levels of springs above those from number `first` on.
static csim_status add_levels(csim_build *build, const csim_object *object, const csim_body *body,
                              int first) {
  if (object->levels == 0) return CSIM_OK;
  csim_part part = {.X = csim_mesh_rest(body->mesh),
                    .vert0 = body->vert0,
                    .slack = material_of(build, object)->slack};
  unsigned char *pinned = CSIM_NEW(unsigned char, body->nvert);
  if (!pinned) return CSIM_MEMORY;
  for (int k = 0; k < build->model->ntarget; k++) {
    int v = build->target[k].vert - body->vert0;
    if (v >= 0 && v < body->nvert) pinned[v] = 1;
  }
  int coarse = build->elements.levels.nelem;
  int made = csim_network_levels(body->mesh, &part, pinned, object->levels, first,
                                 &build->elements.springs, &build->elements.levels);
  free(pinned);
  if (made < 0) return CSIM_MEMORY;
  if (made < object->levels)
    csim_say(build->log, CSIM_WARNING, object->mesh_place,
             "object \"%s\": \"levels\" is %d, but its mesh has no more than %d", object->name,
             object->levels, made);
  csim_say(build->log, CSIM_INFO, object->mesh_place,
           "object \"%s\": %d springs on %d coarser levels above %d", object->name,
           build->elements.levels.nelem - coarse, made, build->elements.springs.nelem - first);
  return CSIM_OK;
}

// Factors (nvert): the mean over the triangles around each vertex; 1 if `factor` (ntri) is NULL.
// free(); NULL when out of memory.
static double *vertex_factors(const csim_mesh *mesh, const double *factor) {
  double *sum = CSIM_NEW(double, mesh->nvert);
  int *count = CSIM_NEW(int, mesh->nvert);
  for (int k = 0; k < 3 * mesh->ntri && sum && count; k++) {
    sum[mesh->tri[k]] += factor ? factor[k / 3] : 1;
    count[mesh->tri[k]]++;
  }
  for (int v = 0; v < mesh->nvert && sum && count; v++) sum[v] /= count[v] > 0 ? count[v] : 1;
  if (!count) {
    free(sum);
    sum = NULL;
  }
  free(count);
  return sum;
}

// Stores factors of the properties that are per vertex: damping, drag, thickness, ...
static csim_status add_shares(csim_build *build, csim_body *body, const csim_factors *factors) {
  for (int k = 0; k < CSIM_NFACTOR; k++) {
    const double *of = factors->of[CSIM_MAP_DAMPING + k];
    if (!of) continue;
    double *share = vertex_factors(body->mesh, of);
    body->factor[k] = CSIM_ARENA_NEW(build->arena, double, body->nvert);
    if (share && body->factor[k])
      memcpy(body->factor[k], share, (size_t)body->nvert * sizeof *share);
    int failed = !share || !body->factor[k];
    free(share);
    if (failed) return CSIM_MEMORY;
  }
  return CSIM_OK;
}

// Flags (nvert) of the vertices that exact pins hold for the whole run. free(); NULL when out of
// memory.
static unsigned char *always_pinned(const csim_build *build, const csim_body *body) {
  unsigned char *pinned = CSIM_NEW(unsigned char, body->nvert);
  for (int k = 0; k < build->model->ntarget && pinned; k++) {
    const csim_target *t = &build->target[k];
    const csim_pin_group *g = t->group >= 0 ? &build->model->pins.group[t->group] : NULL;
    int v = t->vert - body->vert0;
    if (v < 0 || v >= body->nvert || !t->exact) continue;
    pinned[v] = !g || (g->begin <= 0 && isinf(g->end));
  }
  return pinned;
}

static csim_status add_curvature(csim_build *build, const csim_object *object,
                                 const csim_body *body, const csim_topology *topology,
                                 const csim_rest_shape *rest, const csim_factors *factors) {
  const csim_material *m = material_of(build, object);
  const csim_mesh *mesh = body->mesh;
  const char *method = build->scene->solver.method;
  csim_part part = {.vert0 = body->vert0};
  if (csim_method_find(method)->projects)
    return csim_refuse(build->log, object->place,
                       "object \"%s\": bending \"curvature\" is no constraint that %s could "
                       "project; use \"quadratic\"",
                       object->name, method);
  const csim_bend bend = {m->bend, m->bend_weft > 0 ? m->bend_weft : m->bend};
  double *factor = vertex_factors(mesh, factors->of[CSIM_MAP_BEND]);
  unsigned char *pinned = always_pinned(build, body);
  int left_out = -1;
  if (factor && pinned) {
    csim_curvature_hold(topology, mesh->tri, pinned, factor);
    left_out = m->nbend_table
                   ? csim_curvature_measured(topology, mesh->tri, rest->flat, &part, m->bend_table,
                                             factor, &build->elements.bent)
                   : csim_curvature_pairs(topology, mesh->tri, rest->flat, &part, &bend, factor,
                                          &build->elements.curvature);
  }
  free(pinned);
  free(factor);
  if (left_out > 0)
    csim_say(build->log, CSIM_WARNING, object->mesh_place,
             "object \"%s\": %d vertices whose neighbours lie on a line do not resist bending",
             object->name, left_out);
  return left_out < 0 ? CSIM_MEMORY : CSIM_OK;
}

static csim_status add_bending(csim_build *build, const csim_object *object, const csim_body *body,
                               const csim_topology *topology, const csim_rest_shape *rest) {
  csim_status status = CSIM_OK;
  const csim_material *material = material_of(build, object);
  const csim_mesh *mesh = body->mesh;
  csim_part part = part_of(body, rest);
  int slivers = 0, grid = mesh->grid[0] > 0 && object->rest == CSIM_REST_START;
  if (object->bending == CSIM_BENDING_SPRING) {
    if (object->network == CSIM_NETWORK_STRUCTURED)
      csim_network_grid_bend(mesh->grid[0], mesh->grid[1], &part, material->bend_spring,
                             &build->elements.springs);
    else
      csim_network_mesh_bend(topology, &part, material->bend_spring, &build->elements.springs);
  } else if (object->bending >= CSIM_BENDING_HINGE && material->bend > 0) {
    csim_yield yield = {material->yield_curvature, material->hardening, material->yield_rate};
    csim_elements *hinges = yield.at > 0
                                ? &build->elements.creases
                                : &build->elements.hinges[object->bending - CSIM_BENDING_HINGE];
    int first = hinges->nelem;
    if (grid)
      csim_network_grid_hinges(mesh->grid[0], mesh->grid[1], &part, material->bend, hinges);
    else
      slivers = csim_network_hinges(topology, &part, material->bend, hinges);
    for (int e = first; e < hinges->nelem; e++) {
      double *param = hinges->param + hinges->kind->nparam * (ptrdiff_t)e;
      if (yield.at > 0) csim_crease_yield(&yield, param);
      if (object->flat_angles && hinges->kind->rest_angle) param[hinges->kind->rest_angle] = 0;
    }
    status = csim_fold_hinges(build, object, body, rest, first, hinges);
  }
  if (slivers)
    csim_say(build->log, CSIM_WARNING, object->mesh_place,
             "object \"%s\": %d hinges at triangles without area do not resist bending",
             object->name, slivers);
  return status;
}

csim_status csim_build_springs(csim_build *build, const csim_object *object, const csim_body *body,
                               const csim_topology *topology, const csim_rest_shape *rest) {
  csim_status status = add_springs(build, object, body, topology, rest);
  if (!status && object->bending == CSIM_BENDING_SPRING)
    status = add_bending(build, object, body, topology, rest);
  return status;
}

// Refuses vertices whose triangles all have no area: without mass they would stay in place like
// pins.
static csim_status check_masses(csim_build *build, const csim_object *object,
                                const csim_mesh *mesh) {
  enum { UNUSED, FLAT, GOOD };
  unsigned char *state = CSIM_NEW(unsigned char, mesh->nvert);
  if (!state) return CSIM_MEMORY;
  for (int t = 0; t < mesh->ntri; t++) {
    int flat = csim_triangle_is_flat(mesh->vert, mesh->tri + csim_xyz(t));
    for (int k = 0; k < 3; k++) {
      unsigned char *s = &state[mesh->tri[csim_xyz(t) + k]];
      if (!flat || *s == UNUSED) *s = flat ? FLAT : GOOD;
    }
  }
  int count = 0, first = -1;
  for (int v = 0; v < mesh->nvert; v++)
    if (state[v] == FLAT && !count++) first = v;
  free(state);
  if (!count) return CSIM_OK;
  return csim_refuse(
      build->log, object->mesh_place,
      "object \"%s\": %d vert%s, the first is %d, belong%s to none but triangles without area and "
      "would have no mass: remove these faces, or move the vertices apart",
      object->name, count, count == 1 ? "ex" : "ices", first, count == 1 ? "s" : "");
}

// Keeps a rest shape that is neither the start nor a pattern's, for what is measured from it.
static csim_status keep_rest(const csim_object *object, const csim_rest_shape *rest,
                             csim_mesh *mesh) {
  if (object->rest == CSIM_REST_FILE)
    mesh->rest.vert = CSIM_ARENA_COPY(&mesh->arena, rest->X, csim_xyz(mesh->nvert));
  else if (object->rest == CSIM_REST_UV)
    mesh->rest.flat = CSIM_ARENA_COPY(&mesh->arena, rest->flat, csim_row(6, mesh->ntri));
  return mesh->arena.failed ? CSIM_MEMORY : CSIM_OK;
}

csim_status csim_build_cloth(csim_build *build, const csim_object *object, csim_body *body) {
  csim_topology topology = {0};
  csim_mesh *mesh = body->mesh;
  csim_mesh_facts facts;
  csim_rest_shape rest = {0};
  csim_factors factors = {0};
  int first;
  body->nvert = mesh->nvert;
  double *mass = CSIM_NEW(double, mesh->nvert);
  csim_status status =
      mass ? csim_topology_build(mesh->nvert, mesh->ntri, mesh->tri, &topology) : CSIM_MEMORY;
  if (!status) status = csim_mesh_check(mesh, &topology, &facts);
  if (status) goto done;
  csim_mesh_report(&facts, object->mesh_place, build->log);
  csim_warn_about_size(object, mesh, build->log);
  status = csim_build_rest(build, object, mesh, &rest);
  if (!status) status = keep_rest(object, &rest, mesh);
  if (!status) status = csim_build_factors(build, object, mesh, &factors);
  if (!status && facts.degenerate.count && object->rest == CSIM_REST_START)
    status = check_masses(build, object, mesh);
  if (status) goto done;
  csim_part part = part_of(body, &rest);
  csim_part_areas(&part, mesh->nvert, mesh->ntri, mesh->tri, factors.of[CSIM_MAP_DENSITY], mass);
  for (int i = 0; i < mesh->nvert; i++) mass[i] *= material_of(build, object)->density;
  status = add_vertices(build, object, body, mesh->vert, mass);
  if (!status) status = add_shares(build, body, &factors);
  if (!status) status = csim_build_pins(build, object, body);
  first = build->elements.springs.nelem;
  if (!status && object->membrane == CSIM_MEMBRANE_MEASURED)
    status = add_measured(build, object, body, &rest, &factors);
  else if (!status && object->membrane)
    status = add_membrane(build, object, body, &rest, &factors);
  else if (!status)
    status = add_springs(build, object, body, &topology, &rest);
  if (!status) status = add_levels(build, object, body, first);
  if (!status && object->bending == CSIM_BENDING_CURVATURE)
    status = add_curvature(build, object, body, &topology, &rest, &factors);
  else if (!status)
    status = add_bending(build, object, body, &topology, &rest);
done:
  csim_factors_free(&factors);
  csim_rest_free(&rest);
  csim_topology_free(&topology);
  free(mass);
  return status;
}

// Finds the boxes (number x 6) around the vertices that pins hold, and around the faces that they
// hold whole. box NULL: only counts. Returns their number.
static int box_pinned(const csim_mesh *mesh, const unsigned char *is_pinned, double *box) {
  int n = 0;
  for (int k = 0; k < mesh->nvert + mesh->ntri; k++) {
    const int *v = k < mesh->nvert ? (int[]){k, k, k} : mesh->tri + csim_xyz(k - mesh->nvert);
    if (!is_pinned[v[0]] || !is_pinned[v[1]] || !is_pinned[v[2]]) continue;
    for (int c = 0; c < 3 && box; c++) {
      double a = mesh->vert[csim_xyz(v[0]) + c], b = mesh->vert[csim_xyz(v[1]) + c];
      double d = mesh->vert[csim_xyz(v[2]) + c];
      box[csim_row(6, n) + c] = csim_min(a, csim_min(b, d));
      box[csim_row(6, n) + 3 + c] = csim_max(a, csim_max(b, d));
    }
    n++;
  }
  return n;
}

// Lists the boxes to fill more finely, widened by their distance.
static csim_status list_zones(csim_build *build, const csim_object *object, csim_mesh *mesh,
                              csim_arena *arena, csim_tet_options *options) {
  unsigned char *is_pinned = CSIM_ARENA_NEW(arena, unsigned char, mesh->nvert);
  csim_status status = is_pinned ? csim_choose_pinned(build, object, mesh, is_pinned) : CSIM_MEMORY;
  if (status) return status;
  int pinned = box_pinned(mesh, is_pinned, NULL), n = 0;
  double *box = CSIM_ARENA_NEW(arena, double, csim_row(6, pinned));
  for (int k = 0; k < object->nfiner; k++)
    n += object->finer[k].nbox + (object->finer[k].pins ? pinned : 0);
  csim_tet_zone *zone = CSIM_ARENA_NEW(arena, csim_tet_zone, n);
  if (arena->failed) return CSIM_MEMORY;
  box_pinned(mesh, is_pinned, box);
  options->zone = zone;
  options->nzone = n;
  for (int k = 0; k < object->nfiner; k++) {
    const csim_finer *finer = &object->finer[k];
    for (int b = 0; b < finer->nbox + (finer->pins ? pinned : 0); b++, zone++) {
      const double *of = b < finer->nbox ? finer->box[b] : box + csim_row(6, b - finer->nbox);
      zone->max_volume = finer->max_volume;
      for (int c = 0; c < 6; c++)
        zone->box[c] = of[c] + (c < 3 ? -finer->distance : finer->distance);
    }
  }
  return CSIM_OK;
}

// Springs on the edges of tetrahedra, elastic or not. -1 when out of memory.
static int add_tet_springs(csim_build *build, const csim_tets *tets, const csim_part *part,
                           const csim_material *material) {
  csim_yield yield = {material->yield_strain, material->hardening, material->yield_rate};
  csim_elements springs = {.kind = &csim_spring_kind};
  if (!(yield.at > 0))
    return csim_network_tets(tets->ntet, tets->tet, part, material->modulus,
                             &build->elements.springs);
  int failed = csim_network_tets(tets->ntet, tets->tet, part, material->modulus, &springs);
  csim_network_ductile(&springs, &yield, &build->elements.ductile_springs);
  csim_elements_free(&springs);
  return failed;
}

csim_status csim_build_solid(csim_build *build, const csim_object *object, csim_body *body) {
  const csim_material *material = material_of(build, object);
  const csim_mesh *mesh = body->mesh;
  csim_tets tets = {0};
  double *mass = NULL;
  char name[160];
  snprintf(name, sizeof name, "solid \"%.120s\"", object->name);
  csim_tet_options options = {.program = build->tet_program,
                              .radius_edge_ratio = object->radius_edge_ratio,
                              .max_volume = object->max_volume,
                              .time_limit = object->tet_seconds};
  csim_arena arena = {0};
  csim_surface surface = {name, mesh->nvert, mesh->vert, mesh->ntri, mesh->tri, mesh->tri_face};
  csim_warn_about_size(object, mesh, build->log);
  csim_status status =
      object->nfiner ? list_zones(build, object, body->mesh, &arena, &options) : CSIM_OK;
  if (!status)
    status = csim_tetrahedralize(&options, &surface, object->mesh_place, build->log, &tets);
  if (status) goto done;
  status = CSIM_MEMORY;
  body->nvert = tets.nvert;
  body->ntet = tets.ntet;
  body->tet = CSIM_ARENA_COPY(build->arena, tets.tet, csim_row(4, tets.ntet));
  if (object->nrender)
    body->placed = CSIM_ARENA_COPY(build->arena, tets.vert, csim_xyz(tets.nvert));
  mass = CSIM_NEW(double, tets.nvert);
  if (build->arena->failed || !mass) goto done;
  for (int t = 0; t < tets.ntet; t++) {
    double m = material->density * csim_tet_volume(tets.vert, tets.tet + csim_row(4, t)) / 4;
    for (int k = 0; k < 4; k++) mass[tets.tet[csim_row(4, t) + k]] += m;
  }
  status = add_vertices(build, object, body, tets.vert, mass);
  if (status) goto done;
  csim_part part = {.X = tets.vert,
                    .vert0 = body->vert0,
                    .spring = material->spring,
                    .compression = material->compression,
                    .slack = material->slack};
  int continuum = object->elasticity == CSIM_ELASTICITY_NEOHOOKEAN;
  int failed =
      continuum // the tetrahedraliser has seen to it that none is without volume
          ? csim_network_solid(tets.ntet, tets.tet, &part, material->modulus, material->poisson,
                               &build->elements.neohooke, &build->elements.patches) < 0
          : add_tet_springs(build, &tets, &part, material);
  status = failed ? CSIM_MEMORY : CSIM_OK;
  if (failed) goto done;
  if (material->volume > 0 && !continuum)
    csim_network_volumes(tets.ntet, tets.tet, &part, material->volume, &build->elements.volume);
  csim_say(build->log, CSIM_INFO, object->mesh_place,
           "solid \"%s\": %d tetrahedra, %d vertices (%d on the surface), %.6g m^3", object->name,
           tets.ntet, tets.nvert, tets.nsurface, tets.volume);
  status = csim_build_pins(build, object, body);
done:
  csim_arena_free(&arena);
  csim_tets_free(&tets);
  free(mass);
  return status;
}
