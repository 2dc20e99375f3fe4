// scene/pin_keys.c: keys of "pins": the vertices, how they are held, and their motion.
#include "scene/reader.h"

#include "base/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define AT(member) offsetof(csim_pin, member)

// --------------------------------------------------------------------------- vertices by number

// Largest number of indices in a pin; more are better chosen by box or group, or are a hostile
// range.
enum { MOST_LISTED = 1 << 22, MOST_VERTEX = (1 << 27) - 1 };

static const csim_field vertex_number = {
    .key = "vertices", .kind = &csim_kind_integer, .least = 0, .most = MOST_VERTEX};

// An element: a number, or a range "3-8" including both ends. Returns 0 after reporting an error.
static int read_range(csim_reader *r, const csim_field *f, const cJSON *item, int range[2]) {
  if (!cJSON_IsString(item)) {
    if (!cJSON_IsNumber(item)) {
      csim_complain_type(r, f, item);
      return 0;
    }
    if (!csim_read_int(r, &vertex_number, item, &range[0])) return 0;
    range[1] = range[0];
    return 1;
  }
  const char *text = item->valuestring, *end = text + strlen(text);
  long long first = -1, last = -1;
  const char *p = csim_read_integer(text, end, &first);
  if (p && *p == '-') p = csim_read_integer(p + 1, end, &last);
  if (p != end || first < 0 || last < first || last > MOST_VERTEX) {
    csim_complain_type(r, f, item);
    return 0;
  }
  range[0] = (int)first;
  range[1] = (int)last;
  return 1;
}

static void read_vertices(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_selection *s = csim_member(base, f->offset);
  if (cJSON_IsString(item) && !strcmp(item->valuestring, "all")) {
    s->all = 1;
    return;
  }
  if (!cJSON_IsArray(item)) {
    csim_complain_type(r, f, item);
    return;
  }
  if (!item->child) {
    csim_complain(r, item, "is empty; at least 1 is needed");
    return;
  }
  long long total = 0;
  int ok = 1, range[2] = {0};
  for (const cJSON *c = item->child; c; c = c->next) {
    ok &= read_range(r, f, c, range);
    if (ok) total += range[1] - range[0] + 1;
    if (total <= MOST_LISTED) continue;
    csim_complain(r, item, "more than %d vertices are listed; choose them by box, group or \"all\"",
                  MOST_LISTED);
    return;
  }
  if (!ok) return;
  s->index = CSIM_ARENA_NEW(&r->scene->arena, int, (ptrdiff_t)total);
  if (!s->index) return;
  for (const cJSON *c = item->child; c; c = c->next) {
    read_range(r, f, c, range);
    for (int v = range[0]; v <= range[1]; v++) s->index[s->nindex++] = v;
  }
}

static void print_vertices(csim_printer *p, const csim_field *f, const void *base) {
  const csim_selection *s = csim_member_const(base, f->offset);
  if (s->all) csim_json_text(&p->out, f->key, "all");
  if (s->all || !s->nindex) return;
  csim_json_open_flat(&p->out, f->key, '[');
  for (int i = 0, last; i < s->nindex; i = last + 1) {
    for (last = i; last + 1 < s->nindex && s->index[last + 1] == s->index[last] + 1;) last++;
    char range[32];
    if (last - i < 2) last = i; // pairs stay two numbers
    snprintf(range, sizeof range, "%d-%d", s->index[i], s->index[last]);
    if (last > i)
      csim_json_text(&p->out, NULL, range);
    else
      csim_json_integer(&p->out, NULL, s->index[i]);
  }
  csim_json_close(&p->out, ']');
}

static const csim_kind kind_vertices = {
    read_vertices, NULL, print_vertices,
    .noun = "\"all\", or a list of vertex numbers >= 0 and ranges such as \"10-20\"",
    .any_of = "[{\"const\": \"all\"}, {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": "
              "[\"integer\", \"string\"], \"minimum\": 0, \"pattern\": \"^[0-9]+-[0-9]+$\"}}]"};

// ----------------------------------------------------------------------------------------- boxes

static const csim_field corner = {.kind = &csim_kind_real, .count = 3, .unit = "m"};

static void read_box(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  double *box = base;
  if (!cJSON_IsArray(item) || csim_count_items(item) != 2) {
    csim_complain_type(r, f, item);
    return;
  }
  csim_kind_real.read(r, &corner, item->child, box);
  csim_kind_real.read(r, &corner, item->child->next, box + 3);
  for (int k = 0; k < 3; k++)
    if (box[k] > box[k + 3]) {
      csim_complain(r, item, "the first corner must be the smaller one in %c", "xyz"[k]);
      return;
    }
}

static void print_box(csim_printer *p, const csim_field *f, const void *base) {
  csim_json_open_flat(&p->out, f->key, '[');
  csim_print_real(p, &corner, base);
  csim_print_real(p, &corner, (const double *)base + 3);
  csim_json_close(&p->out, ']');
}

static void schema_box(csim_json_out *out, const csim_field *f) {
  (void)f;
  csim_json_text(out, "type", "array");
  csim_json_integer(out, "minItems", 2);
  csim_json_integer(out, "maxItems", 2);
  csim_json_open(out, "items", '{');
  csim_schema_real(out, &corner);
  csim_json_close(out, '}');
}

const csim_kind csim_kind_box = {read_box, NULL, print_box, .schema = schema_box,
                                 .noun = "two corners [[x, y, z], [x, y, z]] [m]"};

// ------------------------------------------------------------------------------------------ pins

static const csim_field box_element = {.kind = &csim_kind_box};
static const csim_field group_element = {.kind = &csim_kind_text};

// Lists of the member `select` of a struct.
#define BOXES(type)                                                                                \
  {                                                                                                \
    .element = &box_element, .size = sizeof(double[6]),                                            \
    .count_offset = offsetof(type, select.nbox), .rank = 2, .least = 1                             \
  }
#define POINTS(type)                                                                               \
  {                                                                                                \
    .element = &corner, .size = sizeof(double[3]),                                                 \
    .count_offset = offsetof(type, select.nnearest), .rank = 1, .least = 1                         \
  }
#define GROUPS(type)                                                                               \
  {                                                                                                \
    .element = &group_element, .size = sizeof(char *),                                             \
    .count_offset = offsetof(type, select.ngroup), .least = 1                                      \
  }

static const csim_list box_list = BOXES(csim_pin);
static const csim_list nearest_list = POINTS(csim_pin);
static const csim_list group_list = GROUPS(csim_pin);

static const csim_keyed stiffness_keyed = {AT(keyed)};
static const char *const by_names[] = {"face", "vertex", "number", NULL};

// a value beyond the range means: not given
#define FRAME(name, value, what)                                                                   \
  CSIM_KEY(#name, real, AT(name), value, .least = -CSIM_FRAME_LIMIT, .most = CSIM_FRAME_LIMIT,     \
           .doc = what)

static const csim_field pin_fields[] = {
    CSIM_FIELD(
        "vertices", kind_vertices, AT(select), NULL,
        .doc =
            "Vertices by number, from 0, in the order of the mesh. The ways of choosing add up."),
    CSIM_KEY(
        "box", list, AT(select.box), NULL, .detail = &box_list,
        .doc = "Vertices that are inside a box at the start, after scale, rotation and position."),
    CSIM_KEY("nearest", list, AT(select.nearest), NULL, .detail = &nearest_list,
             .doc = "The vertex nearest to a point [x, y, z] at the start."),
    CSIM_KEY("group", list, AT(select.group), NULL, .detail = &group_list,
             .doc = "Vertices of the faces in a group (o, g or usemtl) of the mesh file."),
    CSIM_KEY("property", text, AT(property), NULL,
             .doc = "Vertices for which the mesh file has a number above 0 by this name (see "
                    "maps): painted pins. It multiplies the stiffness of their springs."),
    CSIM_KEY("stiffness", keyed, AT(stiffness), "0", .detail = &stiffness_keyed, .unit = "N/m",
             .least = 0, .most = CSIM_MOST,
             .doc = "Stiffness of a spring to the target; 0 holds the vertex exactly. Keys of it "
                    "make a spring that does not pull while they are 0."),
    CSIM_KEY("motion", motion, AT(motion), NULL, .detail = &csim_motion_table,
             .doc = "Where the pinned vertices go; without it they stay."),
    CSIM_KEY("follow", text, AT(follow), NULL,
             .doc = "Name of a collider that the vertices follow, also where it deforms. A "
                    "collider with \"ghost\" takes no part otherwise."),
    CSIM_KEY("by", choice, AT(by), "face", .detail = by_names,
             .doc = "With \"follow\": each vertex follows the nearest point of a face at the "
                    "start, the nearest vertex, or the vertex of its own number."),
    CSIM_KEY("snap", bool, AT(snap), "false",
             .doc = "With \"follow\": go to the point itself, instead of keeping the distance and "
                    "direction of the start."),
    FRAME(from, "-1e8",
          "Frame from whose time on the vertices are held: in it they are still free, after it "
          "exact pins go to their targets at once; a stiffness makes that gentle. A pin \"to\" "
          "this frame goes over into it without a gap. Default: from the start."),
    FRAME(to, "1e8",
          "Last frame in which they are held; then they are released. Default: the end."),
};

static void finish_pin(csim_reader *r, const cJSON *item, void *base) {
  csim_pin *pin = base;
  pin->place = csim_keep_place(r, item);
  if (!csim_json_get(item, "vertices") && !csim_json_get(item, "box") &&
      !csim_json_get(item, "nearest") && !csim_json_get(item, "group") &&
      !csim_json_get(item, "property"))
    csim_complain(r, item,
                  "no vertices are chosen: give \"vertices\", \"box\", \"nearest\", \"group\" or "
                  "\"property\"");
  const cJSON *motion = csim_json_get(item, "motion"), *to = csim_json_get(item, "to");
  if (pin->follow && motion) csim_complain(r, motion, "a pin has either \"motion\" or \"follow\"");
  if (pin->from != floor(pin->from))
    csim_complain(r, csim_json_get(item, "from"), "expected a whole frame number");
  if (pin->to != floor(pin->to)) csim_complain(r, to, "expected a whole frame number");
  if (pin->to < pin->from)
    csim_complain(r, to, "\"to\" (%.0f) comes before \"from\" (%.0f)", pin->to, pin->from);
  if (pin->keyed.nkey && !(pin->stiffness > 0))
    csim_complain(r, csim_json_get(item, "stiffness"),
                  "is 0 in all keys: exact pins are released with \"from\" and \"to\"");
}

const csim_table csim_pin_table = CSIM_TABLE("pin", csim_pin, pin_fields, finish_pin,
                                             "Kinematic vertices: fixed in place or animated.");

// ------------------------------------------------------------------------- ends of attachments

#define IN_END(member) offsetof(csim_link_end, member)

static const csim_list end_box_list = BOXES(csim_link_end);
static const csim_list end_nearest_list = POINTS(csim_link_end);
static const csim_list end_group_list = GROUPS(csim_link_end);

static const csim_field end_fields[] = {
    CSIM_KEY("object", text, IN_END(object), NULL, .flags = CSIM_REQUIRED,
             .doc = "Name of a cloth or solid."),
    CSIM_FIELD(
        "vertices", kind_vertices, IN_END(select), NULL,
        .doc = "Vertices by number, from 0; a list keeps its order. The ways of choosing add up."),
    CSIM_KEY("box", list, IN_END(select.box), NULL, .detail = &end_box_list,
             .doc = "Vertices that are inside a box at the start."),
    CSIM_KEY("nearest", list, IN_END(select.nearest), NULL, .detail = &end_nearest_list,
             .doc = "The vertex nearest to a point [x, y, z] at the start."),
    CSIM_KEY("group", list, IN_END(select.group), NULL, .detail = &end_group_list,
             .doc = "Vertices of the faces in a group (o, g or usemtl) of the mesh file."),
};

static void finish_end(csim_reader *r, const cJSON *item, void *base) {
  ((csim_link_end *)base)->place = csim_keep_place(r, item);
}

const csim_table csim_link_end_table =
    CSIM_TABLE("end", csim_link_end, end_fields, finish_end, "One end of an attachment or seam.");

// ----------------------------------------------------------------------------------------- folds

#define IN_FOLD(member) offsetof(csim_fold, member)

static const csim_list fold_box_list = BOXES(csim_fold);

static const csim_field fold_fields[] = {
    CSIM_FIELD("vertices", kind_vertices, IN_FOLD(select), NULL,
               .doc = "Vertices of the edges by number, from 0; in any order."),
    CSIM_KEY("box", list, IN_FOLD(select.box), NULL, .detail = &fold_box_list,
             .doc = "Vertices that are inside a box at the start."),
    CSIM_KEY("angle", real, IN_FOLD(angle), NULL, .unit = "deg", .least = -179, .most = 179,
             .flags = CSIM_REQUIRED,
             .doc = "Angle between the faces at rest. Above 0: a ridge on the side that the faces "
                    "point to; below: a valley."),
};

static void finish_fold(csim_reader *r, const cJSON *item, void *base) {
  ((csim_fold *)base)->place = csim_keep_place(r, item);
  if (!csim_json_get(item, "vertices") && !csim_json_get(item, "box"))
    csim_complain(r, item, "no edges are chosen: give \"vertices\" or \"box\"");
}

static const csim_table fold_table = CSIM_TABLE("fold", csim_fold, fold_fields, finish_fold,
                                                "A crease: edges with both ends chosen.");
const csim_list csim_fold_list = CSIM_LIST_OF(fold_table, csim_fold, offsetof(csim_object, nfold));

// ------------------------------------------------------------------------------------- following

// Checks that the objects that pins follow exist and can be followed.
static void check_followed(csim_reader *r, const cJSON *pin, const csim_scene *scene,
                           const char *name) {
  const cJSON *follow = csim_json_get(pin, "follow");
  const char **names = csim_arena_alloc(&r->scratch, scene->nobject + 1, sizeof *names);
  if (!names || !name) return;
  for (int o = 0, n = 0; o < scene->nobject; o++) {
    const csim_object *object = &scene->object[o];
    if (!object->name) continue;
    if (object->type == CSIM_OBJECT_COLLIDER) names[n++] = object->name;
    if (strcmp(object->name, name) != 0) continue;
    if (object->type != CSIM_OBJECT_COLLIDER)
      csim_complain(r, follow, "\"%s\" is simulated: pins can follow colliders only", name);
    else if (object->mesh.shape == CSIM_SHAPE_PLANE)
      csim_complain(r, follow,
                    "\"%s\" is an infinite plane: give the pin the plane's \"motion\" instead",
                    name);
    return;
  }
  csim_complain(r, follow, "there is no collider \"%s\"%s", name, csim_suggest(r, name, names));
}

void csim_check_pins(csim_reader *r, const cJSON *item, const csim_scene *scene) {
  const cJSON *objects = csim_json_get(item, "objects"), *c = objects ? objects->child : NULL;
  for (int o = 0; c && o < scene->nobject; o++, c = c->next) {
    const cJSON *pins = csim_json_get(c, "pins"), *p = cJSON_IsArray(pins) ? pins->child : NULL;
    for (int i = 0; p && i < scene->object[o].npin; i++, p = p->next)
      if (scene->object[o].pin[i].follow)
        check_followed(r, p, scene, scene->object[o].pin[i].follow);
  }
}
