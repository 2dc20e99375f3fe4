// scene/moduli.c: reports the actual moduli of springs in cloths and solids, and meshes too coarse
// for their material, for --check. Needs model/moduli.h.
#include "model/moduli.h"
#include "scene/compile.h"

#include <math.h>
#include <stdio.h>

// Springs with levels resist like those they replace (docs/methods.md), which are measured instead.
static int is_of_springs(const csim_object *object) {
  return object->type == CSIM_OBJECT_CLOTH && !object->membrane;
}

// Logs the moduli of a cloth beside what its material asks for. Without convergence, or with a
// direction of nearly no stiffness, the sheet has no shear modulus or Poisson's ratio to report.
static void report(const csim_scene *scene, const csim_object *object, const csim_sheet_moduli *m,
                   csim_log *log) {
  const csim_material *material = &scene->material[object->material];
  char wanted[96];
  if (material->spring > 0)
    snprintf(wanted, sizeof wanted, "springs of %.4g N/m", material->spring);
  else
    snprintf(wanted, sizeof wanted, "\"stretch\" %.4g N/m in springs", material->stretch);
  if (m->converged && m->least > 1e-4 * m->most)
    csim_say(log, CSIM_INFO, object->mesh_place,
             "object \"%s\": %s is %.4g N/m along warp, %.4g at 45 degrees, %.4g along weft on "
             "this mesh (%.4g to %.4g over all directions); shear %.4g N/m, Poisson's ratio %.2f",
             object->name, wanted, m->at[0], m->at[1], m->at[2], m->least, m->most, m->shear,
             m->poisson);
  else
    csim_say(log, CSIM_INFO, object->mesh_place,
             "object \"%s\": %s give way in some direction: %.4g N/m along warp, %.4g at 45 "
             "degrees, %.4g along weft on this mesh",
             object->name, wanted, m->at[0], m->at[1], m->at[2]);
}

// Measures the springs of an object's mesh, at rest and laid flat.
static csim_status measure(csim_build *build, const csim_object *object, const csim_body *of,
                           csim_sheet_moduli *moduli) {
  csim_topology topology = {0};
  csim_rest_shape rest = {0};
  csim_object laid = *object;
  laid.bending = CSIM_BENDING_CURVATURE; // lays the triangles flat, with the warp of a membrane
  csim_mesh *mesh = of->shown ? of->shown : of->mesh;
  csim_body body = {.nvert = mesh->nvert, .mesh = mesh};
  csim_status status = csim_topology_build(mesh->nvert, mesh->ntri, mesh->tri, &topology);
  if (!status) status = csim_build_rest(build, &laid, mesh, &rest);
  if (!status) status = csim_build_springs(build, object, &body, &topology, &rest);
  const double *X = rest.X ? rest.X : csim_mesh_rest(mesh);
  if (!status && csim_measure_moduli(mesh, X, rest.flat, &build->elements.springs, 0, 0, moduli))
    status = CSIM_MEMORY;
  csim_rest_free(&rest);
  csim_topology_free(&topology);
  return status;
}

// Reports a solid. One that continues another run is not at rest, and is skipped.
static csim_status report_solid(const csim_scene *scene, const csim_object *object,
                                const csim_model *model, const csim_body *of, csim_log *log) {
  const csim_material *material = &scene->material[object->material];
  csim_solid_moduli m;
  if (scene->start_cache) return CSIM_OK;
  if (csim_measure_solid(model, of, &m)) return CSIM_MEMORY;
  char wanted[96];
  if (material->spring > 0)
    snprintf(wanted, sizeof wanted, "springs of %.4g N/m", material->spring);
  else
    snprintf(wanted, sizeof wanted, "\"modulus\" %.4g Pa in springs", material->modulus);
  csim_say(log, CSIM_INFO, object->mesh_place,
           "object \"%s\": %s with \"volume\" %.4g Pa is %.4g, %.4g and %.4g Pa along x, y and z "
           "on these tetrahedra%s; Poisson's ratio %.2f",
           object->name, wanted, material->volume, m.along[0], m.along[1], m.along[2],
           m.converged ? "" : " or less", m.poisson);
  return CSIM_OK;
}

// Warns of a mesh too coarse for the folds of its cloth. Their size is that of the bending length
// (B / (density g))^(1/3). Disks of silk, 13 mm, hung crumpled and stiffer than denim with edges of
// 18 mm, and as silk does with 11 mm.
static void report_folds(const csim_scene *scene, const csim_object *object,
                         const csim_model *model, const csim_body *of, csim_log *log) {
  static const double MOST = 0.9; // bending lengths in an edge
  const csim_material *material = &scene->material[object->material];
  double weight = material->density * csim_norm(model->gravity);
  if (!(weight > 0 && material->bend > 0) || object->bending < CSIM_BENDING_HINGE) return;
  double length = cbrt(material->bend / weight);
  const csim_mesh *mesh = csim_body_shown(of);
  const double *x = of->shown ? mesh->vert : model->x0 + csim_xyz(of->vert0);
  double edge = csim_mean_edge(x, mesh->ntri, 3, mesh->tri);
  if (edge > MOST * length)
    csim_say(log, CSIM_INFO, object->mesh_place,
             "object \"%s\": its edges are %.2g mm long on average, and the bending length of its "
             "material is %.2g mm: folds will look sharp and stiff; edges of %.2g mm show them",
             object->name, 1e3 * edge, 1e3 * length, 1e3 * MOST * length);
}

csim_status csim_report_moduli(const csim_scene *scene, const csim_model *model, csim_log *log) {
  csim_status status = CSIM_OK;
  for (int i = 0, body = 0; i < scene->nobject && !status; i++) {
    const csim_object *object = &scene->object[i];
    if (object->type == CSIM_OBJECT_COLLIDER) continue;
    const csim_body *of = &model->body[body++];
    if (object->type == CSIM_OBJECT_SOLID && object->elasticity == CSIM_ELASTICITY_SPRINGS)
      status = report_solid(scene, object, model, of, log);
    if (object->type == CSIM_OBJECT_CLOTH) report_folds(scene, object, model, of, log);
    if (!is_of_springs(object)) continue;
    // building the model has reported everything about the mesh already
    csim_build build = {.scene = scene,
                        .elements.springs.kind = &csim_spring_kind,
                        .elements.limits.kind = &csim_limit_kind,
                        .elements.bounds.kind = &csim_bound_kind};
    csim_sheet_moduli moduli;
    status = measure(&build, object, of, &moduli);
    if (!status) report(scene, object, &moduli, log);
    csim_elements_free(&build.elements.springs);
    csim_elements_free(&build.elements.limits);
    csim_elements_free(&build.elements.bounds);
  }
  if (status == CSIM_MEMORY) csim_fail_memory(log, scene->file);
  return status;
}
