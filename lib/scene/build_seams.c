// scene/build_seams.c: bending across seams, and gathers. Needs mesh/topology.h, model/.
//
// Two triangles whose edges are sewn together bend as if they shared one edge:
//
//         c          two hinges of half the stiffness, on a0 a1 and on b0 b1, both with c and d
//        / \         opposite. The edges are side by side, so at rest the two hinges have equal
//     a0 --- a1      and opposite angles.
//     b0 --- b1
//        \ /         Where more than two edges meet (a T-junction) there are no hinges.
//         d
//
// In a gather an edge is sewn to a shorter one. Its springs get the shorter rest length, as the
// crimps are too small for the mesh; the triangles behind it buckle. With its full length a seam
// that gathers a third stayed 0.3 mm open.
#include "base/sort.h"
#include "math/vec3.h"
#include "mesh/topology.h"
#include "scene/compile.h"

#include <stdlib.h>

/// An edge of one triangle whose ends are sewn, or where a dart ends.
typedef struct sewn_edge {
  int seam[2];       // seam numbers of the ends, lower first
  int end[2], far;   // vertices of the model: ends in that order, and the opposite vertex
  int object;        // of the scene
  double length;     // [m] at rest
  double along, off; // [m] opposite vertex relative to end 0: along the edge, and normal to it
} sewn_edge;

typedef struct sewn_edges {
  csim_build *build;
  int n;
  ptrdiff_t capacity;
  sewn_edge *edge; // heap
} sewn_edges;

// Number of a vertex: sewn ones share that of their seam, >= nvert.
static int number_of(const csim_model *model, int vert) {
  int seam = model->links.seam[vert];
  return seam < 0 ? vert : model->nvert + seam;
}

static csim_status add_edge(sewn_edges *s, int object, const csim_body *body, int a, int b, int c) {
  const csim_model *model = s->build->model;
  const double *X = csim_mesh_rest(body->mesh);
  int u = number_of(model, body->vert0 + a), v = number_of(model, body->vert0 + b);
  if (u == v || (u < model->nvert && v < model->nvert)) return CSIM_OK;
  if (u > v) {
    int swap = a;
    a = b;
    b = swap;
  }
  double e[3], r[3], across[3];
  csim_sub(X + csim_xyz(b), X + csim_xyz(a), e);
  csim_sub(X + csim_xyz(c), X + csim_xyz(a), r);
  csim_cross(e, r, across);
  double length = csim_norm(e), twice = csim_norm(across);
  if (!(twice > 1e-6 * length * length)) return CSIM_OK; // a sliver's cotangents are noise
  if (CSIM_GROW(s->edge, s->capacity, (ptrdiff_t)s->n + 1)) return CSIM_MEMORY;
  s->edge[s->n++] = (sewn_edge){.seam = {u < v ? u : v, u < v ? v : u},
                                .end = {body->vert0 + a, body->vert0 + b},
                                .far = body->vert0 + c,
                                .object = object,
                                .length = length,
                                .along = csim_dot(e, r) / length,
                                .off = twice / length};
  return CSIM_OK;
}

// Adds the boundary edges of a body.
static csim_status add_rim(sewn_edges *s, int object, const csim_body *body) {
  const csim_mesh *mesh = body->mesh;
  csim_topology topology;
  csim_status status = csim_topology_build(mesh->nvert, mesh->ntri, mesh->tri, &topology);
  for (int k = 0; !status && k < topology.nboundary; k++) {
    ptrdiff_t e = topology.boundary[k];
    status = add_edge(s, object, body, topology.edge[2 * e], topology.edge[2 * e + 1],
                      topology.edge_opp[2 * e]);
  }
  csim_topology_free(&topology);
  return status;
}

static double stiffness_of(const csim_build *build, const sewn_edge *e) {
  return build->scene->material[build->scene->object[e->object].material].bend;
}

static void add_hinges(csim_build *build, const sewn_edge *a, const sewn_edge *b) {
  // bending "curvature" has no hinges; quadratic ones have the same stiffness when flat
  int kind = build->scene->object[a->object].bending - CSIM_BENDING_HINGE;
  csim_elements *hinges = &build->elements.seam_hinges[kind < CSIM_NBENDING ? kind : 0];
  double B = 0.5 * (stiffness_of(build, a) + stiffness_of(build, b));
  if (!(B > 0)) return;
  for (int side = 0; side < 2; side++) {
    const sewn_edge *own = side ? b : a, *other = side ? a : b;
    double scale = own->length / other->length; // of a gather
    double X[12] = {0,          0,        0, own->length,          0,           0,
                    own->along, own->off, 0, scale * other->along, -other->off, 0};
    double param[CSIM_MAX_PARAM];
    hinges->kind->hinge(X, (int[]){0, 1, 2, 3}, 0.5 * B, param);
    csim_elements_add(hinges, (int[]){own->end[0], own->end[1], own->far, other->far}, param);
  }
}

// Time at which the last permanent seam is closed [s]; -INFINITY: there is none.
static double time_closed(const csim_model *model) {
  double last = -INFINITY;
  for (int g = 0; g < model->links.ngroup; g++) {
    const csim_link_group *group = &model->links.group[g];
    if (group->seam && group->force == 0 && group->end == INFINITY)
      last = csim_max(last, group->closed);
  }
  return last;
}

csim_status csim_build_seams(csim_build *build) {
  csim_model *model = build->model;
  const csim_scene *scene = build->scene;
  sewn_edges s = {.build = build};
  csim_status status = CSIM_OK;
  model->late.time = model->links.seam ? time_closed(model) : -INFINITY;
  if (!isfinite(model->late.time)) return CSIM_OK;
  for (int o = 0, b = 0; o < scene->nobject && !status; o++) {
    const csim_object *object = &scene->object[o];
    if (object->type == CSIM_OBJECT_COLLIDER) continue;
    const csim_body *body = &model->body[b++]; // in the order of objects
    if (object->type == CSIM_OBJECT_CLOTH && object->bending >= CSIM_BENDING_HINGE)
      status = add_rim(&s, o, body);
  }
  csim_sort_rows(s.edge, s.n, sizeof *s.edge, 4);
  for (int i = 0, j; i < s.n && !status; i = j) {
    for (j = i + 1; j < s.n && !csim_compare_rows(s.edge[j].seam, s.edge[i].seam, 2);) j++;
    if (j == i + 2) add_hinges(build, &s.edge[i], &s.edge[i + 1]);
  }
  free(s.edge);
  return status;
}

// ----------------------------------------------------------------------------------------- gathers

/// An edge between two stitches, sewn to a shorter one.
typedef struct gathered {
  int a, b;     // vertices of the mesh, a < b
  int stitch;   // where the edge begins
  double share; // ratio of lengths, < 1
} gathered;

static int compare_gathered(const void *a, const void *b) {
  return csim_compare_rows(a, b, 2);
}

// Lists gathered edges between consecutive stitches, sorted. Consecutive stitches of different
// seams give pairs of vertices without a spring, which csim_gather_springs never looks up.
static int find_gathers(const csim_mesh *mesh, gathered *out) {
  const double *X = csim_mesh_rest(mesh);
  int n = 0;
  for (int i = 0; i + 1 < mesh->nstitch; i++) {
    const int *v = mesh->stitch + csim_row(2, i);
    double length[2];
    for (int side = 0; side < 2; side++)
      length[side] = csim_distance(X + csim_xyz(v[side]), X + csim_xyz(v[side + 2]));
    int side = length[1] > length[0], a = v[side], b = v[side + 2];
    if (length[1 - side] > 0 && length[side] > length[1 - side])
      out[n++] = (gathered){a < b ? a : b, a < b ? b : a, i, length[1 - side] / length[side]};
  }
  csim_sort_rows(out, n, sizeof *out, 3);
  return n;
}

csim_status csim_gather_springs(const csim_body *body, int first, csim_elements *springs) {
  enum { K, LENGTH }; // of a spring's parameters
  const csim_mesh *mesh = body->mesh;
  if (!mesh->nstitch) return CSIM_OK;
  gathered *list = CSIM_NEW(gathered, mesh->nstitch);
  if (!list) return CSIM_MEMORY;
  int n = find_gathers(mesh, list);
  for (int e = first; e < springs->nelem; e++) {
    const int *node = springs->node + csim_row(2, e);
    int a = node[0] - body->vert0, b = node[1] - body->vert0;
    gathered key = {.a = a < b ? a : b, .b = a < b ? b : a};
    const gathered *found =
        n ? bsearch(&key, list, (size_t)n, sizeof *list, compare_gathered) : NULL;
    double *param = springs->param + (ptrdiff_t)springs->kind->nparam * e;
    if (!found) continue;
    param[K] /= found->share * found->share; // the same force at the same strain
    param[LENGTH] *= found->share;
  }
  free(list);
  return CSIM_OK;
}
