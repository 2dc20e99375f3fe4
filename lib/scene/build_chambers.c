// scene/build_chambers.c: chambers: which triangles enclose them, and whether they are closed.
// Needs model/.
#include "base/disjoint.h"
#include "base/sort.h"
#include "math/vec3.h"
#include "model/chamber.h"
#include "model/curve.h"
#include "scene/compile.h"

#include <stdlib.h>

/// An edge of one triangle, between vertices that seams may have joined.
typedef struct rim_edge {
  int id[2];   // ends after sewing (sewn_id), ascending
  int vert[2]; // of the model
} rim_edge;

// Number of a vertex once seams are closed: vertices of one seam share a number >= nvert.
static int sewn_id(const csim_model *model, int vert) {
  int seam = model->links.seam ? model->links.seam[vert] : -1;
  return seam < 0 ? vert : model->nvert + seam;
}

// All edges of the chamber's triangles, sorted by id. free(); NULL when out of memory.
static rim_edge *list_edges(const csim_model *model, const csim_chamber *chamber, int *count) {
  int n = 0;
  for (int k = 0; k < chamber->npart; k++) n += 3 * chamber->part[k].ntri;
  rim_edge *edge = CSIM_NEW(rim_edge, n);
  *count = 0;
  for (int k = 0; edge && k < chamber->npart; k++) {
    const csim_chamber_part *part = &chamber->part[k];
    for (int c = 3 * part->tri0; c < 3 * (part->tri0 + part->ntri); c++) {
      int u = model->tri[c], v = model->tri[c % 3 == 2 ? c - 2 : c + 1];
      int a = sewn_id(model, u), b = sewn_id(model, v);
      if (a == b) continue; // both ends are sewn to the same vertex
      edge[(*count)++] = (rim_edge){{a < b ? a : b, a < b ? b : a}, {a < b ? u : v, a < b ? v : u}};
    }
  }
  if (edge) csim_sort_rows(edge, *count, sizeof *edge, 4);
  return edge;
}

// Reports holes: connected boundary edges, which have one triangle only. Returns their number, -1
// when out of memory.
static int report_holes(csim_build *build, const csim_chamber_source *source,
                        const csim_chamber *chamber) {
  const csim_model *model = build->model;
  int n, nrim = 0, holes = 0;
  rim_edge *edge = list_edges(model, chamber, &n);
  int *parent = CSIM_NEW(int, csim_row(2, model->nvert)), *size = NULL;
  if (edge && parent) size = CSIM_NEW(int, csim_row(2, model->nvert));
  if (!size) {
    free(edge);
    free(parent);
    return -1;
  }
  for (int i = 0, end; i < n; i = end) {
    for (end = i + 1; end < n && !csim_compare_rows(edge[i].id, edge[end].id, 2);) end++;
    if ((end - i) % 2) edge[nrim++] = edge[i];
  }
  for (int i = 0; i < 2 * model->nvert; i++) parent[i] = i;
  for (int i = 0; i < nrim; i++)
    parent[csim_disjoint_root(parent, edge[i].id[0])] = csim_disjoint_root(parent, edge[i].id[1]);
  for (int i = 0; i < nrim; i++) size[csim_disjoint_root(parent, edge[i].id[0])]++;
  for (int i = 0; i < nrim; i++) {
    int root = csim_disjoint_root(parent, edge[i].id[0]);
    if (size[root] == 0) continue;
    const double *x = build->x + csim_xyz(edge[i].vert[0]);
    int body = 0;
    while (model->body[body].vert0 + model->body[body].nvert <= edge[i].vert[0]) body++;
    if (++holes <= 5)
      csim_say(build->log, CSIM_ERROR, source->place,
               "the chamber has a hole of %d edges at vertex %d of \"%s\", near (%.4g, %.4g, "
               "%.4g); close it, or sew it shut with \"seams\"",
               size[root], edge[i].vert[0] - model->body[body].vert0, model->body[body].name, x[0],
               x[1], x[2]);
    size[root] = 0;
  }
  free(edge);
  free(parent);
  free(size);
  return holes;
}

static csim_status find_parts(csim_build *build, const csim_chamber_source *source,
                              csim_chamber *chamber) {
  const csim_model *model = build->model;
  chamber->part = CSIM_ARENA_NEW(build->arena, csim_chamber_part, source->nobject);
  if (!chamber->part) return CSIM_MEMORY;
  for (int k = 0; k < source->nobject; k++) {
    const csim_body *body = csim_find_body(model, source->object[k]);
    if (!body) return CSIM_INVALID; // its own errors have been reported
    csim_chamber_part *part = &chamber->part[chamber->npart++];
    part->ntri = body->mesh->ntri;
    for (const csim_body *b = model->body; b < body; b++) part->tri0 += b->mesh->ntri;
  }
  return CSIM_OK;
}

// Finds whether the faces of each part point inwards, by its signed volume about the centroid of
// all, and the volume at the start. Returns the area [m^2].
static double orient_parts(const csim_model *model, const double *x, csim_chamber *chamber) {
  double middle[3] = {0}, area = 0;
  for (int k = 0; k < chamber->npart; k++)
    for (int t = chamber->part[k].tri0; t < chamber->part[k].tri0 + chamber->part[k].ntri; t++) {
      const int *v = model->tri + csim_xyz(t);
      double n[3];
      csim_face_normal(x, v, n);
      double a = csim_norm(n) / 2;
      area += a;
      for (int i = 0; i < 3; i++) csim_add_scaled(a / 3, x + csim_xyz(v[i]), middle);
    }
  for (int c = 0; c < 3; c++) middle[c] /= area > 0 ? area : 1;
  for (int k = 0; k < chamber->npart; k++) {
    csim_chamber one = {.npart = 1, .part = &chamber->part[k]};
    chamber->part[k].inward = csim_chamber_volume(model, &one, middle, x) < 0;
  }
  chamber->volume0 = csim_chamber_volume(model, chamber, middle, x);
  return area;
}

static csim_status add_chamber(csim_build *build, const csim_chamber_source *source,
                               csim_chamber *chamber) {
  *chamber = (csim_chamber){.name = csim_arena_copy(build->arena, source->object[0]),
                            .pressure = source->pressure,
                            .volume = source->volume,
                            .stiffness = source->stiffness,
                            .gas = source->gas,
                            .atmosphere = source->atmosphere};
  csim_status status = find_parts(build, source, chamber);
  if (status) return status;
  int holes = report_holes(build, source, chamber);
  if (holes) return holes < 0 ? CSIM_MEMORY : CSIM_INVALID;
  if (csim_curve_copy(build->arena, &source->pressure_key, &chamber->pressure_key) ||
      csim_curve_copy(build->arena, &source->volume_key, &chamber->volume_key))
    return CSIM_MEMORY;
  chamber->vert = build->model->tri[csim_xyz(chamber->part[0].tri0)];
  double area = orient_parts(build->model, build->x, chamber);
  int needs_volume = chamber->gas || chamber->stiffness > 0;
  if (needs_volume && !(chamber->volume0 > 1e-6 * area * sqrt(area)))
    return csim_refuse(build->log, source->place,
                       "the chamber of \"%s\" is flat at the start: a gas or a volume to keep "
                       "needs one that is not; inflate it with \"pressure\" alone",
                       chamber->name);
  csim_say(build->log, CSIM_INFO, source->place, "chamber of \"%s\": %.6g m^3 at the start",
           chamber->name, chamber->volume0);
  return CSIM_OK;
}

// Links the vertices of each seam in a ring: sewn[i] is the next vertex sewn to i, or i itself.
static csim_status link_sewn(csim_arena *arena, csim_model *model) {
  const int *seam = model->links.seam;
  if (!seam) return CSIM_OK;
  int *sewn = model->chambers.sewn = CSIM_ARENA_NEW(arena, int, model->nvert);
  if (!sewn) return CSIM_MEMORY;
  for (int i = 0; i < model->nvert; i++) sewn[i] = i;
  for (int i = 0; i < model->nvert; i++) {
    if (seam[i] < 0 || seam[i] == i) continue;
    sewn[i] = sewn[seam[i]];
    sewn[seam[i]] = i;
  }
  return CSIM_OK;
}

csim_status csim_build_chambers(csim_build *build) {
  const csim_scene *scene = build->scene;
  csim_model *model = build->model;
  csim_status status = CSIM_OK;
  if (scene->nchamber == 0) return CSIM_OK;
  model->chambers.chamber = CSIM_ARENA_NEW(build->arena, csim_chamber, scene->nchamber);
  if (!model->chambers.chamber || link_sewn(build->arena, model)) return CSIM_MEMORY;
  for (int k = 0; k < scene->nchamber && status != CSIM_MEMORY; k++) {
    csim_status added = add_chamber(build, &scene->chamber[k], &model->chambers.chamber[k]);
    if (added) status = added;
  }
  model->chambers.nchamber = scene->nchamber;
  return status;
}
