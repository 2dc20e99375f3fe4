// scene/build_links.c: attachments and seams: strings between the vertices of bodies. Needs model/,
// contact/.
#include "base/disjoint.h"
#include "base/sort.h"
#include "contact/distance.h"
#include "math/vec3.h"
#include "model/links.h"
#include "scene/compile.h"

#include <stdlib.h>
#include <string.h>

/// Selected vertices of a body, in the order of the selection.
typedef struct chosen {
  const csim_body *body;
  int n;
  int *vert; // (n) of the model
} chosen;

static int chooses(const csim_selection *s) {
  return s->all || s->nindex || s->nbox || s->nnearest || s->ngroup;
}

// Whether vertices are selected by number only, so that their order counts.
static int is_ordered(const csim_selection *s) {
  return s->nindex && !s->all && !s->nbox && !s->nnearest && !s->ngroup;
}

static csim_status choose(csim_build *build, const csim_link_end *end, chosen *c) {
  const csim_selection *s = &end->select;
  c->body = csim_find_body(build->model, end->object);
  if (!c->body) return CSIM_INVALID; // its own errors have been reported
  c->n = 0;
  c->vert = CSIM_NEW(int, s->nindex > c->body->nvert ? s->nindex : c->body->nvert);
  unsigned char *flag = CSIM_NEW(unsigned char, c->body->nvert);
  csim_status status = c->vert && flag ? CSIM_OK : CSIM_MEMORY;
  if (!status && csim_select_vertices(build, s, end->place, c->body, flag)) status = CSIM_INVALID;
  if (!status && is_ordered(s))
    for (int k = 0; k < s->nindex; k++) c->vert[c->n++] = c->body->vert0 + s->index[k];
  else if (!status)
    for (int i = 0; i < c->body->nvert; i++)
      if (flag[i]) c->vert[c->n++] = c->body->vert0 + i;
  if (!status && chooses(s) && c->n == 0)
    status = csim_refuse(build->log, end->place, "this selects no vertex of \"%s\"", end->object);
  free(flag);
  return status;
}

static const double *at(const csim_build *build, int vert) {
  return build->x + csim_xyz(vert);
}

// Adds a string from `vert` to a vertex (weight NULL) or to a point of a triangle.
static csim_status add_link(csim_build *build, const csim_joint *joint, const int node[4],
                            const double *weight) {
  csim_model *model = build->model;
  if (CSIM_GROW(build->link, build->link_capacity, (ptrdiff_t)model->links.nlink + 1))
    return CSIM_MEMORY;
  double w[4] = {1, 0, 0, 0}, d[3] = {0};
  double param[CSIM_LINK_WEIGHT + 3] = {joint->stiffness, joint->damping, model->links.nlink,
                                        joint->pull};
  for (int i = 0; i < 3; i++) {
    if (weight) param[CSIM_LINK_WEIGHT + i] = weight[i];
    w[i + 1] = weight ? -weight[i] : i == 0 ? -1 : 0;
  }
  for (int i = 0; i < 4; i++)
    if (w[i] != 0) csim_add_scaled(w[i], at(build, node[i]), d);
  double length = joint->length >= 0 ? joint->length : csim_norm(d);
  csim_link *link = &build->link[model->links.nlink++];
  *link = (csim_link){.group = model->links.ngroup,
                      .length = length,
                      .end = 1,
                      .closed_length = length}; // seams: csim_close_seams
  double l = csim_norm(d);
  for (int c = 0; c < 3 && l > 0; c++) link->direction[c] = d[c] / l;
  csim_elements_add(weight ? &build->elements.face_links : &build->elements.links, node, param);
  return CSIM_OK;
}

static int nearest_of(const csim_build *build, const chosen *c, int vert) {
  int nearest = c->vert[0];
  double best = INFINITY;
  for (int i = 0; i < c->n; i++) {
    double d = csim_distance(at(build, c->vert[i]), at(build, vert));
    if (!(d < best) || c->vert[i] == vert) continue;
    best = d;
    nearest = c->vert[i];
  }
  return nearest;
}

static csim_status link_to_face(csim_build *build, const csim_joint *joint, const csim_body *body,
                                int vert) {
  const csim_mesh *mesh = body->mesh;
  double best = INFINITY, weight[3] = {0}, w[3];
  int node[4] = {vert, -1, -1, -1};
  for (int t = 0; t < mesh->ntri; t++) {
    int v[3];
    for (int k = 0; k < 3; k++) v[k] = body->vert0 + mesh->tri[csim_xyz(t) + k];
    if (v[0] == vert || v[1] == vert || v[2] == vert) continue;
    double d =
        csim_point_triangle(at(build, vert), at(build, v[0]), at(build, v[1]), at(build, v[2]), w);
    if (!(d < best)) continue;
    best = d;
    memcpy(node + 1, v, sizeof v);
    memcpy(weight, w, sizeof w);
  }
  if (node[1] < 0)
    return csim_refuse(build->log, joint->place,
                       "\"%s\" has no face that vertex %d could be attached to: all of them have "
                       "this vertex",
                       joint->b.object, vert - body->vert0);
  return add_link(build, joint, node, weight);
}

static csim_status link_vertices(csim_build *build, const csim_joint *joint, const chosen *a,
                                 const chosen *b, int in_order) {
  csim_status status = CSIM_OK;
  if (in_order && a->n != b->n)
    return csim_refuse(build->log, joint->place,
                       "%d vertices of \"%s\" cannot go in order with %d of \"%s\"; choose as "
                       "many, or \"pair\": \"nearest\"",
                       a->n, joint->a.object, b->n, joint->b.object);
  for (int i = 0; i < a->n && !status; i++) {
    int other = in_order ? b->vert[i] : nearest_of(build, b, a->vert[i]);
    int node[4] = {a->vert[i], other, 0, 0};
    if (other != a->vert[i]) { // the tip of a dart would be sewn to itself
      status = add_link(build, joint, node, NULL);
      continue;
    }
    if (joint->seam) continue;
    status = csim_refuse(build->log, joint->place, "vertex %d of \"%s\" is attached to itself",
                         other - a->body->vert0, joint->a.object);
  }
  return status;
}

static csim_status add_joint(csim_build *build, const csim_joint *joint) {
  csim_model *model = build->model;
  const csim_scene *scene = build->scene;
  chosen a = {0}, b = {0};
  int first = model->links.nlink;
  csim_status status = choose(build, &joint->a, &a);
  if (!status) status = choose(build, &joint->b, &b);
  if (status) goto done;
  csim_pairing pair = joint->pair;
  if (pair == CSIM_PAIRING_AUTO)
    pair = !chooses(&joint->b.select) && !joint->seam                     ? CSIM_PAIRING_FACE
           : is_ordered(&joint->a.select) && is_ordered(&joint->b.select) ? CSIM_PAIRING_ORDER
                                                                          : CSIM_PAIRING_NEAREST;
  const char *missing = a.n == 0                                ? joint->a.object
                        : b.n == 0 && pair != CSIM_PAIRING_FACE ? joint->b.object
                                                                : NULL;
  if (missing) {
    status = csim_refuse(
        build->log, joint->place,
        "no vertices of \"%s\" are chosen: give \"vertices\", \"box\", \"nearest\" or \"group\"",
        missing);
    goto done;
  }
  csim_link_group *g = &model->links.group[model->links.ngroup];
  *g = (csim_link_group){
      .name = csim_arena_print(build->arena, "%s and %s", joint->a.object, joint->b.object),
      .begin = csim_frame_time(scene, joint->from),
      .end = csim_frame_time(scene, joint->to),
      .force = joint->force,
      .seam = joint->seam};
  if (joint->seam && g->begin < 0) g->begin = 0;
  g->closed = joint->seam ? csim_frame_time(scene, joint->closed) : g->begin;
  if (pair == CSIM_PAIRING_FACE)
    for (int i = 0; i < a.n && !status; i++) status = link_to_face(build, joint, b.body, a.vert[i]);
  else
    status = link_vertices(build, joint, &a, &b, pair == CSIM_PAIRING_ORDER);
  model->links.ngroup++;
  model->links.tears |= joint->force > 0;
  if (!status)
    csim_say(build->log, CSIM_INFO, joint->place, "%s of %s: %d strings",
             joint->seam ? "seam" : "attachment", g->name, model->links.nlink - first);
done:
  free(a.vert);
  free(b.vert);
  return status;
}

// Vertices that stitches join, over any number of seams, get one number.
static csim_status number_seams(csim_build *build) {
  csim_model *model = build->model;
  int any = 0;
  for (int g = 0; g < model->links.ngroup; g++) any |= model->links.group[g].seam;
  if (!any) return CSIM_OK;
  int *seam = model->links.seam = CSIM_ARENA_NEW(build->arena, int, model->nvert);
  unsigned char *sewn = CSIM_NEW(unsigned char, model->nvert);
  if (!seam || !sewn) {
    free(sewn);
    return CSIM_MEMORY;
  }
  for (int i = 0; i < model->nvert; i++) seam[i] = i;
  for (int e = 0; e < build->elements.links.nelem; e++) {
    const int *node = build->elements.links.node + csim_row(2, e);
    int number =
        (int)build->elements.links.param[CSIM_LINK_WEIGHT * (ptrdiff_t)e + CSIM_LINK_NUMBER];
    if (!model->links.group[build->link[number].group].seam) continue;
    seam[csim_disjoint_root(seam, node[0])] = csim_disjoint_root(seam, node[1]);
    sewn[node[0]] = sewn[node[1]] = 1;
  }
  for (int i = 0; i < model->nvert; i++) csim_disjoint_root(seam, i);
  for (int i = 0; i < model->nvert; i++) // roots are sewn too, so they keep themselves
    if (sewn[i]) seam[i] = csim_disjoint_root(seam, i);
  for (int i = 0; i < model->nvert; i++)
    if (!sewn[i]) seam[i] = -1;
  free(sewn);
  return CSIM_OK;
}

// Skirts are sewn to what is above them from LATE of the time on, all else is closed after EARLY of
// it. Closed with all others, a dress of which the skirt pulls harder than the straps slid down to
// the hips before these had met above the shoulders. Stitches from the highest to the lowest are no
// better: a hood that is closed first slides up the head and takes the rest with it.
//
// Sleeves are tubes after LATE, and only then sewn to the rest. Drawn to the shoulder as open
// panels they turned level, and the lower seam of a wide one ended above the arm. Cuffs are tubes
// after half of that, and sewn to their sleeve from then on until EARLY: a wide sleeve that hangs
// below the arm pulled an open cuff off it.
static const double LATE = 0.4, EARLY = 0.6;
static const char sleeve[] = "arm"; // GarmentCode's label of panels

// Tiers of a skirt are sewn one to the other, each when that above has become a ring: bands of
// which all sides were drawn at once turned over. In turns that overlap by half, of 2 tiers:
//
//    0           LATE                    1
//    |-------------|-------|-------|-----|
//     lower tiers' | sides, waist  |
//     sides                | first to second
//
// Sides of a first tier that is gathered at its waist close early, too. While they waited they kept
// their distance, and corners that the waist drew together folded over. Without a gather the waist
// is narrow: closed early where it is drawn, at the hips, it stayed below them, and pulled the
// bodice off the shoulders.
static int turn_of(const int tier[2]) {
  int least = tier[0] < tier[1] ? tier[0] : tier[1];
  return tier[0] == tier[1] || least < 1 ? 0 : least;
}

static void set_turn(csim_link *link, const int tier[2], double begin, int nturn, int gathered) {
  double step = (1 - begin) / (nturn + 1);
  link->begin = begin + turn_of(tier) * step;
  link->end = link->begin + 2 * step;
  if (tier[0] != tier[1] || (tier[0] < 2 && !(gathered && begin > 0))) return;
  link->begin = 0;
  link->end = LATE;
}

// Sets when a stitch between panels that are no skirt closes, as a share of the time.
// arms, cuffs: how many of its ends are on sleeves, and on their cuffs
static void set_upper(csim_link *link, int arms, int cuffs, int skirts) {
  link->begin = arms == 1 ? LATE : cuffs == 1 ? 0.5 * LATE : 0;
  link->end = cuffs == 2 ? 0.5 * LATE : cuffs == 1 ? EARLY : arms == 2 ? LATE : skirts ? EARLY : 1;
}

// Panels that start as a ring (see build_flare.c), and lower tiers whose ends meet, are sewn at
// once, and pulled HELD times as hard as what is still to close: a cuff that starts stretched
// around a leg would leave it, and half a circular skirt would spring flat and turn over.
static const double TOGETHER = 0.015; // [m] least distance of sides that are not
static const double RINGED = 0.03;    // [m] of those of a ring, which may have been moved apart
static const double HELD = 20;

static int is_held(const csim_body *body, const int *tier, const int vert[2], double length) {
  int level = tier[vert[0]];
  if (level != tier[vert[1]] || level < 1) return 0;
  int ringed = body->ringed && body->ringed[vert[0]] && body->ringed[vert[1]];
  return ringed ? length < RINGED : level > 1 && length < TOGETHER;
}

// Marks the vertices of panels whose sides are all held. link: of the stitches that are not marked
// in `again`. Returns marks (mesh->nvert, heap), NULL when out of memory.
static unsigned char *mark_rings(const csim_body *body, const int *tier, const unsigned char *again,
                                 const csim_link *link) {
  const csim_mesh *mesh = body->mesh;
  unsigned char *ring = CSIM_NEW(unsigned char, mesh->nvert);
  unsigned char *open = CSIM_NEW(unsigned char, mesh->nvert);
  csim_status status = ring && open ? CSIM_OK : CSIM_MEMORY;
  for (int i = 0; i < mesh->nstitch && !status; i++) {
    const int *v = mesh->stitch + csim_row(2, i);
    if (again[i]) continue;
    unsigned char *marks = is_held(body, tier, v, link->length) ? ring : open;
    if (tier[v[0]] == tier[v[1]]) marks[v[0]] = marks[v[1]] = 1;
    link++;
  }
  if (!status) status = csim_mark_panels(mesh, ring);
  if (!status) status = csim_mark_panels(mesh, open);
  for (int i = 0; i < mesh->nvert && !status; i++) ring[i] &= !open[i];
  free(open);
  if (!status) return ring;
  free(ring);
  return NULL;
}

// Whether a seam closes together with the sides of what it joins: one between a ring and what
// hangs over it, which is a ring or a lower tier. While it waited a flounce of trousers fell below
// the foot, and its front was sewn to the cuff under the sole.
static int is_early(const int tier[2], const int ring[2]) {
  int low = tier[1] > tier[0];
  return tier[0] != tier[1] && ring[low] && (ring[!low] || tier[!low] > 1);
}

// Edges are gathered if they are longer than what they are sewn to by this factor.
static const double GATHERED = 1.2;

// Whether the first tier of a skirt is longer at its waist than what it hangs from. Vertices along
// a panel's outline are numbered in turn.
static int gathered_waist(const csim_mesh *mesh, const int *tier) {
  const double *X = csim_mesh_rest(mesh);
  double length[2] = {0}; // of the skirt, and of the other
  for (int i = 0; i + 1 < mesh->nstitch; i++) {
    const int *v = mesh->stitch + csim_row(2, i);
    int side = tier[v[0]] == 1 ? 0 : 1;
    if (tier[v[side]] != 1 || tier[v[1 - side]] != 0) continue;
    if (abs(v[2] - v[0]) != 1 || abs(v[3] - v[1]) != 1) continue; // another seam begins
    for (int k = 0; k < 2; k++) {
      int end = k ? 1 - side : side;
      length[k] += csim_distance(X + csim_xyz(v[end]), X + csim_xyz(v[end + 2]));
    }
  }
  return length[0] > GATHERED * length[1];
}

// Marks stitches that join two vertices once more, as those of two edges with a common corner do.
// Returns marks (nstitch, heap), NULL when out of memory.
static unsigned char *mark_repeated(const csim_mesh *mesh) {
  typedef struct pair {
    int vert[2], stitch; // vert in order
  } pair;
  pair *list = CSIM_NEW(pair, mesh->nstitch);
  unsigned char *again = CSIM_NEW(unsigned char, mesh->nstitch);
  for (int i = 0; i < mesh->nstitch && list; i++) {
    const int *v = mesh->stitch + csim_row(2, i);
    int low = v[0] < v[1] ? v[0] : v[1];
    list[i] = (pair){{low, v[0] + v[1] - low}, i};
  }
  if (list) csim_sort_rows(list, mesh->nstitch, sizeof *list, 3);
  for (int i = 1; i < mesh->nstitch && list && again; i++)
    again[list[i].stitch] = !csim_compare_rows(list[i].vert, list[i - 1].vert, 2);
  if (!list) {
    free(again);
    again = NULL;
  }
  free(list);
  return again;
}

// again: (nstitch) marks stitches without a link. first: the link of the first other one.
static csim_status order_stitches(csim_build *build, const csim_body *body, const int *tier,
                                  const unsigned char *again, int first) {
  const csim_mesh *mesh = body->mesh;
  int nturn = 1, waits = 0, skirts = 0;
  unsigned char *arm = NULL, *cuff = CSIM_NEW(unsigned char, mesh->nvert);
  unsigned char *ring = mark_rings(body, tier, again, build->link + first);
  csim_status status = cuff && ring ? csim_mark_label(mesh, sleeve, &arm) : CSIM_MEMORY;
  if (!status) status = csim_find_cuffs(mesh, arm, cuff);
  for (int i = 0; i < mesh->nvert && !status; i++) {
    waits |= tier[i] == 0;
    skirts |= tier[i] != 0;
  }
  for (int i = 0; i < mesh->nstitch && !status; i++) {
    const int *v = mesh->stitch + csim_row(2, i);
    int turn = turn_of((int[]){tier[v[0]], tier[v[1]]});
    nturn = turn >= nturn ? turn + 1 : nturn;
  }
  int gathered = !status && gathered_waist(mesh, tier);
  for (int i = 0, k = first; i < mesh->nstitch && !status; i++) {
    const int *v = mesh->stitch + csim_row(2, i), of[2] = {tier[v[0]], tier[v[1]]};
    if (again[i]) continue;
    csim_link *link = &build->link[k++];
    if (is_held(body, tier, v, link->length)) {
      link->begin = -2;
      link->end = -1;
      continue;
    }
    if (of[0] != 0 || of[1] != 0) {
      set_turn(link, of, waits ? LATE : 0, nturn, gathered);
      if (is_early(of, (int[]){ring[v[0]], ring[v[1]]})) {
        link->begin = 0;
        link->end = LATE;
      }
      continue;
    }
    set_upper(link, arm[v[0]] + arm[v[1]], cuff[v[0]] + cuff[v[1]], skirts);
  }
  free(arm);
  free(cuff);
  free(ring);
  return status;
}

// The seams of a body that is made of a pattern. tier: (body->nvert) by csim_find_tiers. again: by
// mark_repeated; twins would keep the solver from its fastest matrix (model/stiffness.h).
static csim_status add_stitches(csim_build *build, const csim_object *object, const csim_body *body,
                                const int *tier, const unsigned char *again) {
  csim_model *model = build->model;
  const csim_scene *scene = build->scene;
  const csim_mesh_source *source = &object->mesh;
  csim_joint joint = {.stiffness = source->seam_stiffness,
                      .damping = source->seam_damping,
                      .pull = source->seam_pull,
                      .length = -1,
                      .seam = 1};
  csim_link_group *g = &model->links.group[model->links.ngroup];
  double from = csim_max(source->seam_from, scene->frame_start);
  double closed = source->seam_closed < -CSIM_FRAME_LIMIT ? from + csim_closing_frames(scene)
                                                          : source->seam_closed;
  double longest = 0;
  int first = model->links.nlink;
  *g = (csim_link_group){.name = csim_arena_print(build->arena, "%s", object->name),
                         .begin = csim_max(0, csim_frame_time(scene, from)),
                         .end = INFINITY,
                         .closed = csim_frame_time(scene, closed),
                         .seam = 1};
  for (int i = 0; i < body->mesh->nstitch; i++) {
    const int *v = body->mesh->stitch + csim_row(2, i);
    if (again[i]) continue;
    int node[4] = {body->vert0 + v[0], body->vert0 + v[1], 0, 0};
    double length = csim_distance(at(build, node[0]), at(build, node[1]));
    int held = is_held(body, tier, v, length);
    joint.pull = source->seam_pull * (held && g->closed > g->begin ? HELD : 1);
    csim_status status = add_link(build, &joint, node, NULL);
    if (status) return status;
    longest = csim_max(longest, length);
  }
  if (order_stitches(build, body, tier, again, first)) return CSIM_MEMORY;
  model->links.ngroup++;
  csim_say(build->log, CSIM_INFO, object->mesh_place,
           "seams of \"%s\": %d stitches, up to %.3g m apart", object->name,
           model->links.nlink - first, longest);
  return CSIM_OK;
}

static csim_status add_pattern(csim_build *build, const csim_object *object,
                               const csim_body *body) {
  int *tier = CSIM_NEW(int, body->mesh->nvert);
  unsigned char *again = mark_repeated(body->mesh);
  csim_status status = tier && again ? csim_find_tiers(body->mesh, tier) : CSIM_MEMORY;
  if (!status) status = add_stitches(build, object, body, tier, again);
  free(tier);
  free(again);
  return status;
}

// The first triangle at every vertex; -1: none.
static int *first_triangles(const csim_model *model) {
  int *first = CSIM_NEW(int, model->nvert);
  for (int i = 0; first && i < model->nvert; i++) first[i] = -1;
  for (int i = 3 * model->ntri - 1; first && i >= 0; i--) first[model->tri[i]] = i / 3;
  return first;
}

csim_status csim_close_seams(csim_world *world) {
  csim_model *model = world->model;
  const csim_contact_params *contact = &world->contact;
  if (!model->links.nlink) return CSIM_OK;
  int *first = first_triangles(model);
  if (!first) return CSIM_MEMORY;
  for (int k = 0; k < model->nenergy; k++) {
    const csim_energy *energy = &model->energy[k];
    int nnode = energy->kind->nnode;
    for (int e = 0; energy->kind->role == CSIM_ROLE_LINK && e < energy->nelem; e++) {
      csim_link *link = &model->links.link[(int)csim_energy_param(energy, e)[CSIM_LINK_NUMBER]];
      const int *node = energy->node + (ptrdiff_t)e * nnode;
      double share = 1;
      if (!model->links.group[link->group].seam) continue;
      for (int i = 0; i < nnode && contact->share; i++)
        share = csim_min(share, contact->share[node[i]]);
      // not farther apart than they start: a garment that goes on was dressed in thinner contact
      double closed = csim_seam_distance(contact, share);
      link->closed_length = link->length > 0 ? csim_min(closed, link->length) : closed;
      int tri = first[node[1]] < 0 ? first[node[0]] : first[node[1]];
      if (tri >= 0 && link->closed_length > 0)
        memcpy(link->frame, model->tri + csim_xyz(tri), sizeof link->frame);
    }
  }
  free(first);
  return CSIM_OK;
}

csim_status csim_build_links(csim_build *build) {
  const csim_scene *scene = build->scene;
  csim_status status = CSIM_OK;
  build->model->links.group = CSIM_ARENA_NEW(
      build->arena, csim_link_group, (ptrdiff_t)scene->nattachment + scene->nseam + scene->nobject);
  if (!build->model->links.group) return CSIM_MEMORY;
  for (int i = 0; i < scene->nattachment + scene->nseam && status != CSIM_MEMORY; i++) {
    csim_status added =
        add_joint(build, i < scene->nattachment ? &scene->attachment[i]
                                                : &scene->seam[i - scene->nattachment]);
    if (added) status = added;
  }
  for (int o = 0; o < scene->nobject && !status; o++) {
    const csim_object *object = &scene->object[o];
    const csim_body *body = object->mesh.shape == CSIM_SHAPE_PATTERN
                                ? csim_find_body(build->model, object->name)
                                : NULL;
    if (body && body->mesh->nstitch) status = add_pattern(build, object, body);
  }
  if (status) return status;
  return build->elements.links.failed || build->elements.face_links.failed ? CSIM_MEMORY
                                                                           : number_seams(build);
}
