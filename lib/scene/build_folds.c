// scene/build_folds.c: rest angles of folds. Needs model/energy.h.
#include "math/vec3.h"
#include "scene/compile.h"

#include <stdlib.h>

// Sign of a hinge's angle: 1 if its first triangle faces the way the cloth does (an angle > 0 is a
// ridge), else -1. Only hinges of grids, which need not lie on triangles, can have -1.
static double side_of(const csim_body *body, const csim_rest_shape *rest, const int node[3]) {
  const csim_mesh *mesh = body->mesh;
  double face[3], own[3];
  if (!rest->X || !mesh->grid[0]) return 1;
  csim_face_normal(rest->X, mesh->tri, face);
  csim_face_normal(rest->X - csim_xyz(body->vert0), node, own);
  return csim_dot(face, own) < 0 ? -1 : 1;
}

csim_status csim_fold_hinges(csim_build *build, const csim_object *object, const csim_body *body,
                             const csim_rest_shape *rest, int first, csim_elements *hinges) {
  unsigned char *chosen = object->nfold ? CSIM_NEW(unsigned char, body->nvert) : NULL;
  csim_status status = object->nfold && !chosen ? CSIM_MEMORY : CSIM_OK;
  for (int k = 0; k < object->nfold && !status; k++) {
    const csim_fold *fold = &object->fold[k];
    int count = 0;
    if (csim_select_vertices(build, &fold->select, fold->place, body, chosen)) {
      status = CSIM_INVALID;
      break;
    }
    for (int e = first; e < hinges->nelem; e++) {
      const int *node = hinges->node + csim_row(4, e);
      if (!chosen[node[0] - body->vert0] || !chosen[node[1] - body->vert0]) continue;
      double *param = hinges->param + csim_row(hinges->kind->nparam, e);
      param[hinges->kind->rest_angle] = side_of(body, rest, node) * fold->angle;
      count++;
    }
    if (count) continue;
    status = csim_refuse(
        build->log, fold->place,
        "this fold chooses no edge inside of \"%s\": both ends of an edge have to be chosen",
        object->name);
  }
  free(chosen);
  return status;
}
