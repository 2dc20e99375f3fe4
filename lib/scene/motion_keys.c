// scene/motion_keys.c: keys of "motion": poses at times.
#include "scene/reader.h"

#define AT(member) offsetof(csim_key, member)

// ------------------------------------------------------------------------------------------ keys

static const csim_field plain_number = CSIM_KEY("frame", real, 0, NULL, .doc = NULL);

// A frame number, stored as the time [s] from the start frame.
static void read_frame(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  double frame = 0, *time = csim_member(base, f->offset);
  if (csim_read_real(r, &plain_number, item, &frame))
    *time = (frame - r->scene->frame_start) / r->scene->fps;
}

const csim_kind csim_kind_frame = {read_frame, .noun = "a frame number", .type = "number"};

// Number of times that a key has; one is right.
static int count_times(const cJSON *item) {
  return !!csim_json_get(item, "frame") + !!csim_json_get(item, "time");
}

void csim_finish_key(csim_reader *r, const cJSON *item, void *base) {
  (void)base;
  int given = count_times(item);
  if (given != 1)
    csim_complain(r, item, "expected %s \"frame\" or \"time\"", given ? "only one of" : "the key");
}

static const csim_field key_fields[] = {
    CSIM_KEY("frame", frame, AT(time), NULL, .flags = CSIM_INPUT_ONLY,
             .doc = "When, as a frame number (fractions allowed)."),
    CSIM_KEY("time", real, AT(time), NULL, .unit = "s",
             .doc = "When, from the start frame. Give this or \"frame\"."),
    CSIM_KEY("position", real, AT(position), "0", .unit = "m", .count = 3,
             .doc = "Offset from the placement at the start."),
    CSIM_KEY("rotation", real, AT(rotation), "0", .unit = "deg", .count = 3,
             .doc = "Turn about the pivot: axis times angle; more than one turn is fine."),
};

static const csim_table key_table =
    CSIM_TABLE("key", csim_key, key_fields, csim_finish_key, "A pose at a time.");

// ---------------------------------------------------------------------------------------- motion

static void read_pivot(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_motion *motion = base;
  csim_kind_real.read(r, f, item, base);
  motion->has_pivot = 1;
}

static void print_pivot(csim_printer *p, const csim_field *f, const void *base) {
  const csim_motion *motion = base;
  if (motion->has_pivot) csim_print_real(p, f, base);
}

static const csim_kind kind_pivot = {read_pivot, NULL, print_pivot, .describe = csim_describe_real,
                                     .schema = csim_schema_real};

static const csim_list key_list = {CSIM_ELEMENT(table, .detail = &key_table),
                                   .size = sizeof(csim_key),
                                   .count_offset = offsetof(csim_motion, nkey), .least = 1};
static const char *const interpolation_names[] = {"linear", "smooth", NULL};
static const csim_field motion_fields[] = {
    CSIM_KEY("keys", list, offsetof(csim_motion, key), NULL, .detail = &key_list,
             .flags = CSIM_REQUIRED,
             .doc = "Poses in order of time. Before the first and after the last the pose stays."),
    CSIM_KEY("interpolation", choice, offsetof(csim_motion, smooth), "linear",
             .detail = interpolation_names,
             .doc = "Between keys: at constant speed, or easing in and out of every key."),
    CSIM_FIELD(
        "pivot", kind_pivot, offsetof(csim_motion, pivot), NULL, .count = 3, .unit = "m",
        .doc = "Point that rotations turn about, in the scene. Default: the centroid of the pinned "
               "vertices, or the collider's position."),
};

const csim_table csim_motion_table =
    CSIM_TABLE("motion", csim_motion, motion_fields, NULL, "Poses over time.");

static void check_times(csim_reader *r, const cJSON *keys, const csim_motion *motion) {
  const cJSON *c = keys ? keys->child : NULL;
  for (int i = 0; c && i < motion->nkey; i++, c = c->next)
    if (i && count_times(c) == 1 && motion->key[i].time <= motion->key[i - 1].time)
      csim_complain(r, c, "times must increase from key to key");
}

// A list of keys, or an object with the list and more.
static void read_motion(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  csim_motion *motion = csim_member(base, f->offset);
  if (cJSON_IsArray(item)) {
    csim_kind_list.read(r, &motion_fields[0], item, motion);
    check_times(r, item, motion);
  } else if (cJSON_IsObject(item)) {
    csim_read_table(r, &csim_motion_table, NULL, item, motion);
    check_times(r, csim_json_get(item, "keys"), motion);
  } else {
    csim_complain_type(r, f, item);
  }
}

static void print_motion(csim_printer *p, const csim_field *f, const void *base) {
  const csim_motion *motion = csim_member_const(base, f->offset);
  if (!motion->nkey) return;
  csim_json_open(&p->out, f->key, '{');
  csim_print_table(p, &csim_motion_table, motion);
  csim_json_close(&p->out, '}');
}

static void schema_motion(csim_json_out *out, const csim_field *f) {
  (void)f;
  csim_json_open(out, "anyOf", '[');
  csim_json_open_flat(out, NULL, '{');
  csim_json_text(out, "$ref", "#/definitions/motion");
  csim_json_close(out, '}');
  csim_json_open(out, NULL, '{');
  csim_kind_list.schema(out, &motion_fields[0]);
  csim_json_close(out, '}');
  csim_json_close(out, ']');
}

const csim_kind csim_kind_motion = {read_motion, NULL, print_motion, .schema = schema_motion,
                                    .noun = "a list of keys, or an object with \"keys\""};
