// scene/build_pins.c: selects vertices, and makes pins of them. Needs model/.
#include "math/vec3.h"
#include "model/curve.h"
#include "mesh/tag.h"
#include "scene/compile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int select_indices(csim_build *build, const csim_selection *select, csim_place place,
                          const csim_body *body, unsigned char *chosen) {
  int bad = 0;
  for (int k = 0; k < select->nindex; k++) {
    int v = select->index[k];
    if (v < 0 || v >= body->nvert) {
      csim_say(build->log, CSIM_ERROR, place,
               "vertex %d is out of range: \"%s\" has vertices 0 to %d", v, body->name,
               body->nvert - 1);
      bad = 1;
    } else {
      chosen[v] = 1;
    }
  }
  return bad;
}

static int select_groups(csim_build *build, const csim_selection *select, csim_place place,
                         const csim_body *body, unsigned char *chosen) {
  const csim_mesh *mesh = body->mesh;
  int bad = 0;
  for (int k = 0; k < select->ngroup; k++) {
    int found = 0;
    for (int f = 0; f < mesh->nface && mesh->ntag > 0; f++) {
      int tag = mesh->face_tag[f];
      if (tag < 0 || !csim_tag_has(mesh->tag[tag], select->group[k])) continue;
      found = 1;
      for (int c = mesh->face_start[f]; c < mesh->face_start[f + 1]; c++)
        chosen[mesh->face_vert[c]] = 1;
    }
    for (int i = 0; i < mesh->nset; i++) {
      const csim_mesh_set *set = &mesh->set[i];
      if (strcmp(set->name, select->group[k]) != 0) continue;
      found = 1;
      for (int c = 0; c < set->n; c++) chosen[set->vert[c]] = 1;
    }
    if (!found) {
      char names[200];
      csim_list_groups(mesh, names);
      csim_say(build->log, CSIM_ERROR, place, "\"%s\" has no group, object or material \"%s\"%s",
               body->name, select->group[k], names);
      bad = 1;
    }
  }
  return bad;
}

// Selects the vertex nearest to a point. With a place, warns where it is farther away than half of
// the object's diagonal: the point is likely in other units, or relative to the object.
static void select_nearest(csim_build *build, const double point[3], const csim_place *place,
                           const csim_body *body, const double *X, unsigned char *chosen) {
  static const double FAR = 0.5;
  double lo[3], hi[3], distance = INFINITY;
  int nearest = 0;
  for (int i = 0; i < body->nvert; i++) {
    double d = csim_distance(X + csim_xyz(i), point);
    if (d < distance) distance = d, nearest = i;
  }
  chosen[nearest] = 1;
  csim_bounds(body->nvert, X, lo, hi);
  if (place && distance > FAR * csim_distance(lo, hi))
    csim_say(build->log, CSIM_WARNING, *place,
             "the vertex of \"%s\" nearest to [%g, %g, %g], number %d, is %.3g m away from there; "
             "points are in world coordinates at the start",
             body->name, point[0], point[1], point[2], nearest, distance);
}

// `place`: for warnings; NULL: none.
static void select_places(csim_build *build, const csim_selection *select, const csim_place *place,
                          const csim_body *body, const double *X, unsigned char *chosen) {
  for (int k = 0; k < select->nbox; k++)
    for (int i = 0; i < body->nvert; i++) {
      const double *x = X + csim_xyz(i), *box = select->box[k];
      if (x[0] >= box[0] && x[1] >= box[1] && x[2] >= box[2] && x[0] <= box[3] && x[1] <= box[4] &&
          x[2] <= box[5])
        chosen[i] = 1;
    }
  for (int k = 0; k < select->nnearest; k++)
    select_nearest(build, select->nearest[k], place, body, X, chosen);
  if (select->all) memset(chosen, 1, (size_t)body->nvert);
}

int csim_select_vertices(csim_build *build, const csim_selection *select, csim_place place,
                         const csim_body *body, unsigned char *chosen) {
  memset(chosen, 0, (size_t)body->nvert);
  int bad = select_indices(build, select, place, body, chosen);
  bad |= select_groups(build, select, place, body, chosen);
  select_places(build, select, &place, body, build->x + csim_xyz(body->vert0), chosen);
  return bad;
}

// Selects the vertices painted above 0. Returns their weights (mesh->nvert), NULL after an error.
static const double *choose_painted(csim_build *build, const csim_object *object,
                                    const csim_pin *pin, const csim_body *body,
                                    unsigned char *chosen) {
  const double *weight = csim_find_channel(build, object, pin->place, body->mesh, pin->property);
  for (int i = 0; i < body->mesh->nvert && weight; i++)
    if (weight[i] > 0 && isfinite(weight[i])) chosen[i] = 1;
  return weight;
}

csim_status csim_choose_pinned(csim_build *build, const csim_object *object, csim_mesh *mesh,
                               unsigned char *chosen) {
  csim_body surface = {.name = object->name, .mesh = mesh, .nvert = mesh->nvert};
  memset(chosen, 0, (size_t)mesh->nvert);
  for (int p = 0; p < object->npin; p++) {
    const csim_pin *pin = &object->pin[p];
    for (int k = 0; k < pin->select.nindex; k++) // others are inside, and not there yet
      if (pin->select.index[k] < mesh->nvert) chosen[pin->select.index[k]] = 1;
    if (select_groups(build, &pin->select, pin->place, &surface, chosen)) return CSIM_INVALID;
    if (pin->property && !choose_painted(build, object, pin, &surface, chosen)) return CSIM_INVALID;
    // without warnings, which csim_select_vertices gives
    select_places(build, &pin->select, NULL, &surface, mesh->vert, chosen);
  }
  return CSIM_OK;
}

// Marks the vertices that an earlier pin holds at some time between begin and end.
static void mark_pinned(const csim_build *build, const csim_body *body, double begin, double end,
                        unsigned char *pinned) {
  const csim_model *model = build->model;
  memset(pinned, 0, (size_t)body->nvert);
  for (int i = 0; i < model->ntarget; i++) {
    const csim_target *t = &build->target[i];
    const csim_pin_group *g = &model->pins.group[t->group];
    int v = t->vert - body->vert0;
    if (v >= 0 && v < body->nvert && begin < g->end && g->begin < end) pinned[v] = 1;
  }
}

// Adds a pin group with a target for each selected vertex. `weight` (NULL: 1) multiplies the
// stiffness. Where pins overlap in time, the first one has the vertex.
static csim_status add_targets(csim_build *build, const csim_object *object, const csim_pin *pin,
                               const csim_body *body, const double *weight,
                               const unsigned char *chosen, unsigned char *pinned) {
  csim_model *model = build->model;
  csim_pin_group *group = &model->pins.group[model->pins.ngroup];
  *group = (csim_pin_group){.course = -1,
                            .begin = csim_frame_time(build->scene, pin->from),
                            .end = csim_frame_time(build->scene, pin->to),
                            .stiffness = pin->stiffness};
  int exact = !(pin->stiffness > 0), holds = group->begin <= 0 && group->end > 0;
  mark_pinned(build, body, group->begin, group->end, pinned);
  const double *X = build->x + csim_xyz(body->vert0);
  int count = 0, taken = 0;
  double center[3] = {0};
  for (int i = 0; i < body->nvert; i++) {
    if (!chosen[i]) continue;
    csim_add_scaled(1, X + csim_xyz(i), center);
    count++;
    taken += pinned[i];
    if (pinned[i]) continue;
    if (CSIM_GROW(build->target, build->target_capacity, (ptrdiff_t)model->ntarget + 1))
      return CSIM_MEMORY;
    int vert = body->vert0 + i;
    double share = weight && i < body->mesh->nvert && weight[i] > 0 ? weight[i] : 1;
    if (pin->stiffness > 0)
      csim_elements_add(&build->elements.anchors, &vert,
                        (double[]){share * pin->stiffness, model->ntarget, pin->axis[0],
                                   pin->axis[1], pin->axis[2]});
    build->target[model->ntarget++] = (csim_target){.vert = vert,
                                                    .group = model->pins.ngroup,
                                                    .follow = -1,
                                                    .exact = exact,
                                                    .hard = exact && holds};
  }
  if (count == 0)
    return csim_refuse(build->log, pin->place,
                       "this pin selects no vertex of \"%s\"; boxes and points are in world "
                       "coordinates at the start",
                       object->name);
  if (taken)
    csim_say(build->log, CSIM_WARNING, pin->place,
             "%d of these %d vertices of \"%s\" are pinned already and stay with the first pin",
             taken, count, object->name);
  group->motion = pin->motion;
  for (int c = 0; c < 3; c++)
    group->pivot[c] = pin->motion.has_pivot ? pin->motion.pivot[c] : center[c] / count;
  group->motion.key = CSIM_ARENA_COPY(build->arena, pin->motion.key, pin->motion.nkey);
  if (!group->motion.key || csim_curve_copy(build->arena, &pin->keyed, &group->keyed))
    return CSIM_MEMORY;
  model->pins.timed |= pin->keyed.nkey > 0 || isfinite(group->begin) || isfinite(group->end);
  csim_status status = pin->follow ? csim_build_follow(build, pin, body, group) : CSIM_OK;
  model->pins.ngroup++;
  return status;
}

// Selects the waist of a pattern (label "lower_interface" of GarmentCode). Returns 0 if the garment
// reaches more than BELT above it: then shoulders carry it.
static int choose_waist(const csim_build *build, const csim_body *body, unsigned char *chosen) {
  static const double BELT = 0.2; // [m]
  const csim_mesh *mesh = body->mesh;
  const double *X = build->x + csim_xyz(body->vert0);
  double top = -INFINITY, waist = -INFINITY;
  memset(chosen, 0, (size_t)body->nvert);
  for (int i = 0; i < body->nvert; i++) top = csim_max(top, X[csim_xyz(i) + 1]);
  for (int s = 0; s < mesh->nset; s++)
    for (int k = 0; k < mesh->set[s].n && !strcmp(mesh->set[s].name, "lower_interface"); k++) {
      chosen[mesh->set[s].vert[k]] = 1;
      waist = csim_max(waist, X[csim_xyz(mesh->set[s].vert[k]) + 1]);
    }
  return top - waist < BELT;
}

// Marks the vertices of armholes: labels of GarmentCode that end so, and what sleeves are sewn to,
// as GarmentCode labels some fronts on one side only.
static csim_status find_armholes(const csim_mesh *mesh, unsigned char *on) {
  static const char armhole[] = "_armhole";
  unsigned char *sleeve = NULL;
  csim_status status = csim_mark_label(mesh, "arm", &sleeve);
  for (int s = 0; s < mesh->nset; s++) {
    size_t n = strlen(mesh->set[s].name), end = strlen(armhole);
    if (n < end || strcmp(mesh->set[s].name + n - end, armhole)) continue;
    for (int k = 0; k < mesh->set[s].n; k++) on[mesh->set[s].vert[k]] = 1;
  }
  for (int i = 0; i < mesh->nstitch && !status; i++) {
    const int *end = mesh->stitch + csim_row(2, i);
    if (sleeve[end[0]] != sleeve[end[1]]) on[end[sleeve[end[0]]]] = 1;
  }
  free(sleeve);
  return status;
}

// The middle of the box around the marked vertices. Returns whether there are any.
static int find_middle(int nvert, const double *X, const unsigned char *on, double middle[3]) {
  double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (int i = 0; i < nvert; i++)
    for (int c = 0; c < 3 && on[i]; c++) {
      low[c] = csim_min(low[c], X[csim_xyz(i) + c]);
      high[c] = csim_max(high[c], X[csim_xyz(i) + c]);
    }
  for (int c = 0; c < 3; c++) middle[c] = 0.5 * (low[c] + high[c]);
  return low[0] <= high[0];
}

// Selects the shoulder seams of a pattern: stitches from front to back between panels with an
// armhole (collars have none, and must be free to come down), above the middle of the armholes.
// Sleeves that hang lower than they will, and heavy skirts, pulled straps beside the shoulders
// before they were sewn together (128 mm open).
static csim_status choose_shoulders(const csim_build *build, const csim_body *body,
                                    unsigned char *chosen) {
  const csim_mesh *mesh = body->mesh;
  const double *X = build->x + csim_xyz(body->vert0);
  unsigned char *torso = CSIM_NEW(unsigned char, body->nvert);
  double middle[3];
  csim_status status = torso ? CSIM_OK : CSIM_MEMORY;
  memset(chosen, 0, (size_t)body->nvert);
  if (!status) status = find_armholes(mesh, torso);
  int found = !status && find_middle(mesh->nvert, X, torso, middle);
  if (found) status = csim_mark_panels(mesh, torso);
  for (int i = 0; i < mesh->nstitch && found && !status; i++) {
    const int *end = mesh->stitch + csim_row(2, i);
    const double *a = X + csim_xyz(end[0]), *b = X + csim_xyz(end[1]);
    if (!torso[end[0]] || !torso[end[1]] || csim_min(a[1], b[1]) < middle[1]) continue;
    if ((a[2] < middle[2]) != (b[2] < middle[2])) chosen[end[0]] = chosen[end[1]] = 1;
  }
  free(torso);
  return status;
}

// Holds what the garment will hang from at its height, but for what pins of the scene hold.
static csim_status hold_up(csim_build *build, const csim_object *object, const csim_body *body,
                           unsigned char *chosen, unsigned char *pinned) {
  csim_pin pin = {.place = object->mesh_place,
                  .stiffness = object->mesh.hold,
                  .axis = {0, 1, 0},
                  .from = -INFINITY,
                  .to = INFINITY};
  csim_status status =
      choose_waist(build, body, chosen) ? CSIM_OK : choose_shoulders(build, body, chosen);
  int count = 0;
  mark_pinned(build, body, pin.from, pin.to, pinned);
  for (int i = 0; i < body->nvert; i++) {
    chosen[i] &= !pinned[i];
    count += chosen[i];
  }
  return status || !count ? status : add_targets(build, object, &pin, body, NULL, chosen, pinned);
}

csim_status csim_build_pins(csim_build *build, const csim_object *object, const csim_body *body) {
  csim_status status = CSIM_OK;
  unsigned char *chosen = CSIM_NEW(unsigned char, body->nvert);
  unsigned char *pinned = CSIM_NEW(unsigned char, body->nvert);
  if (!chosen || !pinned) status = CSIM_MEMORY;
  for (int p = 0; p < object->npin && status != CSIM_MEMORY; p++) {
    const csim_pin *pin = &object->pin[p];
    int bad = csim_select_vertices(build, &pin->select, pin->place, body, chosen);
    const double *weight =
        bad || !pin->property ? NULL : choose_painted(build, object, pin, body, chosen);
    bad |= pin->property && !weight;
    csim_status added =
        bad ? CSIM_INVALID : add_targets(build, object, pin, body, weight, chosen, pinned);
    if (added) status = added;
  }
  if (!status && object->mesh.shape == CSIM_SHAPE_PATTERN && object->mesh.hold > 0)
    status = hold_up(build, object, body, chosen, pinned);
  free(chosen);
  free(pinned);
  return status;
}
