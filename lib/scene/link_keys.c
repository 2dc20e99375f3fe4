// scene/link_keys.c: keys of "attachments" and "seams": pairs of vertices that are tied together.
#include "scene/reader.h"

#include <string.h>

#define AT(member) offsetof(csim_joint, member)

static const char *const pairing_names[] = {"auto", "order", "nearest", "face", NULL};

#define END(name, what)                                                                            \
  {                                                                                                \
    .key = #name, .kind = &csim_kind_table, .detail = &csim_link_end_table, .offset = AT(name),    \
    .flags = CSIM_REQUIRED, .doc = what                                                            \
  }
// a value beyond the range means: not given
#define FRAME(name, value, what)                                                                   \
  CSIM_KEY(#name, real, AT(name), value, .least = -CSIM_FRAME_LIMIT, .most = CSIM_FRAME_LIMIT,     \
           .doc = what)
#define REAL(name, of_unit, value, what)                                                           \
  CSIM_KEY(#name, real, AT(name), value, .unit = of_unit, .least = 0, .most = CSIM_MOST,           \
           .doc = what)
#define PAIRING(what)                                                                              \
  {                                                                                                \
    .key = "pair", .kind = &csim_kind_choice, .detail = pairing_names, .offset = AT(pair),         \
    .fallback = "auto", .doc = what                                                                \
  }

static const csim_field attachment_fields[] = {
    END(a, "The vertices that are attached."),
    END(b, "The vertices to attach to, or the whole surface of the object if none are selected."),
    PAIRING(
        "How each vertex of a is paired: with the vertex of b at the same position in its list "
        "(\"order\"), with the nearest one at the start, or with the nearest point of a face of b. "
        "\"auto\": a face if b selects no vertices, order if both list numbers, else the nearest."),
    REAL(stiffness, "N/m", "1000", "Of each string; it pulls, and never pushes."),
    REAL(damping, "N s/m", "0", "Of each string: force per speed of separation of its ends."),
    CSIM_KEY("length", real, AT(length), "-1", .unit = "m", .least = 0, .most = 1e6,
             .doc = "Length up to which it does not pull. Default: the distance at the start."),
    REAL(force, "N", "0", "A string tears above this tension; 0: never."),
    FRAME(from, "-1e8",
          "Frame from whose time on it pulls (fractions allowed), first in the substep after it. "
          "Default: the start."),
    FRAME(to, "1e8", "Last frame in which it pulls. Default: the end."),
};

static const csim_field seam_fields[] = {
    END(a, "The vertices of one edge."),
    END(b, "Those of the other."),
    PAIRING("How each vertex of a is paired: with the vertex of b at the same position in its list "
            "(\"order\"), or with the nearest one at the start. \"auto\": order if both list "
            "numbers, else the nearest."),
    REAL(stiffness, "N/m", "10000", "Of each stitch."),
    REAL(damping, "N s/m", "0", "Of each stitch: force per speed of separation of its ends."),
    REAL(pull, "N", "5",
         "Largest force of a stitch, for when something is between its ends; 0: no limit."),
    REAL(force, "N", "0", "A stitch tears above this tension; 0: never."),
    FRAME(from, "-1e8", "Frame in which it begins to close. Default: the start."),
    FRAME(closed, "-1e8",
          "Frame in which it is closed. Until then the stitches become shorter, with a slow start "
          "and end. Default: one second after \"from\"; at once in a scene that starts from a "
          "cache."),
};

static void finish_joint(csim_reader *r, const cJSON *item, void *base) {
  csim_joint *joint = base;
  joint->place = csim_keep_place(r, item);
  if (joint->to < joint->from)
    csim_complain(r, csim_json_get(item, "to"), "\"to\" comes before \"from\"");
  if (!(joint->stiffness > 0))
    csim_complain(r, csim_json_get(item, "stiffness"), "must be > 0 N/m");
}

static void finish_seam(csim_reader *r, const cJSON *item, void *base) {
  csim_joint *joint = base;
  double start = joint->from < -CSIM_FRAME_LIMIT ? r->scene->frame_start : joint->from;
  joint->seam = 1;
  joint->to = 10 * CSIM_FRAME_LIMIT;
  joint->length = -1;
  if (joint->force > 0 && joint->pull < 2 * joint->force)
    joint->pull = 0; // a link must be able to tear before its pull is limited
  if (joint->closed < -CSIM_FRAME_LIMIT) joint->closed = start + csim_closing_frames(r->scene);
  finish_joint(r, item, base);
  if (joint->closed < start)
    csim_complain(r, csim_json_get(item, "closed"), "\"closed\" comes before \"from\"");
  if (joint->pair == CSIM_PAIRING_FACE)
    csim_complain(r, csim_json_get(item, "pair"),
                  "a seam joins vertices; use \"attachments\" for faces");
}

static const csim_table attachment_table =
    CSIM_TABLE("attachment", csim_joint, attachment_fields, finish_joint,
               "Strings between the points of two objects.");
static const csim_table seam_table =
    CSIM_TABLE("seam", csim_joint, seam_fields, finish_seam,
               "Stitches that pull two edges together and hold them. Contact stays: nothing passes "
               "through on the way, and closed seams keep a fifth of the contact thickness.");

const csim_list csim_attachment_list =
    CSIM_LIST_OF(attachment_table, csim_joint, offsetof(csim_scene, nattachment));
const csim_list csim_seam_list = CSIM_LIST_OF(seam_table, csim_joint, offsetof(csim_scene, nseam));

// Objects that the joints in the list at `key` name.
static void check_objects(csim_reader *r, const cJSON *item, const char *key, int njoint,
                          const csim_joint *joint, const csim_scene *scene) {
  const cJSON *list = csim_json_get(item, key), *c = cJSON_IsArray(list) ? list->child : NULL;
  const char **names = csim_arena_alloc(&r->scratch, scene->nobject + 1, sizeof *names);
  if (!names) return;
  for (int o = 0, n = 0; o < scene->nobject; o++)
    if (scene->object[o].name && scene->object[o].type != CSIM_OBJECT_COLLIDER)
      names[n++] = scene->object[o].name;
  for (int i = 0; c && i < njoint; i++, c = c->next)
    for (int k = 0; k < 2; k++) {
      const char *name = k ? joint[i].b.object : joint[i].a.object;
      const cJSON *at = csim_json_get(csim_json_get(c, k ? "b" : "a"), "object");
      int found = 0, collider = 0;
      for (int o = 0; name && o < scene->nobject; o++) {
        if (!scene->object[o].name || strcmp(scene->object[o].name, name) != 0) continue;
        found = 1;
        collider = scene->object[o].type == CSIM_OBJECT_COLLIDER;
      }
      if (collider)
        csim_complain(r, at, "\"%s\" is a collider: let pins of the other object \"follow\" it",
                      name);
      else if (name && !found)
        csim_complain(r, at, "there is no object \"%s\"%s", name, csim_suggest(r, name, names));
    }
}

void csim_check_joints(csim_reader *r, const cJSON *item, const csim_scene *scene) {
  check_objects(r, item, "attachments", scene->nattachment, scene->attachment, scene);
  check_objects(r, item, "seams", scene->nseam, scene->seam, scene);
}
