// scene/kinds.c: kinds of single values: numbers with units, switches, texts, choices, files.
#include "scene/reader.h"

#include "base/number.h"
#include "scene/inputs.h"
#include "scene/units.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int count_of(const csim_field *f) {
  return f->count ? f->count : 1;
}

// ---------------------------------------------------------------------------------------- ranges

static int has_range(const csim_field *f) {
  return f->least < f->most;
}

static int in_range(const csim_field *f, double v) {
  if (!has_range(f)) return v >= -CSIM_MOST && v <= CSIM_MOST;
  int above = f->flags & CSIM_ABOVE ? v > f->least : v >= f->least;
  int below = f->flags & CSIM_BELOW ? v < f->most : v <= f->most;
  return above && below; // false for NaN
}

// "> 0", ">= 1 and <= 100"; for a value beyond the limit of all numbers, "<= 1e+15".
static void describe_range(const csim_field *f, double value, char text[80]) {
  char least[32], most[32];
  csim_print_shortest(f->least, least);
  csim_print_shortest(f->most, most);
  int lower = f->least > -CSIM_MOST, upper = f->most < CSIM_MOST;
  const char *above = f->flags & CSIM_ABOVE ? ">" : ">=",
             *below = f->flags & CSIM_BELOW ? "<" : "<=";
  if (!has_range(f))
    snprintf(text, 80, "between -1e15 and 1e15");
  else if (lower && upper)
    snprintf(text, 80, "%s %s and %s %s", above, least, below, most);
  else if (lower && !(value > f->most))
    snprintf(text, 80, "%s %s", above, least);
  else
    snprintf(text, 80, "%s %s", below, most);
}

static void schema_range(csim_json_out *out, const csim_field *f) {
  if (!has_range(f)) return;
  csim_unit unit;
  char unknown[32];
  // with "units" a plain number other than 0 may be any length, so only its sign is limited there
  int scaled = f->unit && csim_parse_unit(f->unit, &unit, unknown) && (unit.m || unit.rad);
  if (scaled && f->least > 0)
    csim_json_number(out, "exclusiveMinimum", 0);
  else if (f->least > -CSIM_MOST && (!scaled || f->least == 0))
    csim_json_number(out, f->flags & CSIM_ABOVE ? "exclusiveMinimum" : "minimum", f->least);
  if (f->most < CSIM_MOST && (!scaled || f->most == 0))
    csim_json_number(out, f->flags & CSIM_BELOW ? "exclusiveMaximum" : "maximum", f->most);
}

// -------------------------------------------------------------------------------------- integers

int csim_read_int(csim_reader *r, const csim_field *f, const cJSON *item, int *value) {
  double v = item->valuedouble;
  int fits = has_range(f) || fabs(v) <= INT_MAX; // without a range only some values are allowed
  if (!cJSON_IsNumber(item) || v != floor(v) || !fits) {
    csim_complain_type(r, f, item);
    return 0;
  }
  if (!in_range(f, v)) {
    char range[80], found[CSIM_DESCRIPTION];
    describe_range(f, v, range);
    csim_describe_item(item, found);
    csim_complain(r, item, "must be %s, found %s", range, found);
    return 0;
  }
  *value = (int)v;
  return 1;
}

// Whether the value is one of the allowed ones, if only some are.
static int is_allowed(const csim_field *f, int value) {
  const char *const *names = f->detail;
  for (; names && *names; names++)
    if (atoi(*names) == value) return 1;
  return !names;
}

static void read_integer(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  int *to = csim_member(base, f->offset), value[3] = {0};
  if (count_of(f) == 1) {
    if (!csim_read_int(r, f, item, value)) return;
    if (is_allowed(f, value[0]))
      *to = value[0];
    else
      csim_complain_type(r, f, item);
    return;
  }
  if (!cJSON_IsArray(item) || csim_count_items(item) != f->count) {
    csim_complain_type(r, f, item);
    return;
  }
  int ok = 1, i = 0;
  csim_field one = *f;
  one.count = 1;
  for (const cJSON *c = item->child; c; c = c->next, i++)
    ok &= csim_read_int(r, &one, c, &value[i]);
  if (ok) memcpy(to, value, (size_t)f->count * sizeof *to);
}

static void fall_back_integer(csim_reader *r, const csim_field *f, void *base) {
  (void)r;
  int *to = csim_member(base, f->offset);
  for (int i = 0; f->fallback && i < count_of(f); i++) to[i] = atoi(f->fallback);
}

static void print_integer(csim_printer *p, const csim_field *f, const void *base) {
  const int *from = csim_member_const(base, f->offset);
  if (count_of(f) == 1) {
    csim_json_integer(&p->out, f->key, *from);
    return;
  }
  csim_json_open_flat(&p->out, f->key, '[');
  for (int i = 0; i < f->count; i++) csim_json_integer(&p->out, NULL, from[i]);
  csim_json_close(&p->out, ']');
}

// "a", "a or b", "a, b or c"
static void describe_names(const char *const *names, const char *quote, char *text, size_t size) {
  size_t n = 0;
  for (int i = 0; names[i] && n < size; i++) {
    const char *joint = !i ? "" : names[i + 1] ? ", " : " or ";
    n += (size_t)snprintf(text + n, size - n, "%s%s%s%s", joint, quote, names[i], quote);
  }
}

static void describe_integer(const csim_field *f, char text[CSIM_DESCRIPTION]) {
  char range[80];
  describe_range(f, 0, range);
  if (f->detail)
    describe_names(f->detail, "", text, CSIM_DESCRIPTION);
  else if (count_of(f) > 1)
    snprintf(text, CSIM_DESCRIPTION, "a list of %d whole numbers %s", f->count, range);
  else
    snprintf(text, CSIM_DESCRIPTION, "a whole number %s", range);
}

static void schema_list_of(csim_json_out *out, const csim_field *f, const csim_field *element);

static void schema_integer(csim_json_out *out, const csim_field *f) {
  if (count_of(f) > 1) {
    csim_field one = *f;
    one.count = 1;
    schema_list_of(out, f, &one);
    return;
  }
  csim_json_text(out, "type", "integer");
  schema_range(out, f);
  if (!f->detail) return;
  csim_json_open_flat(out, "enum", '[');
  for (const char *const *n = f->detail; *n; n++) csim_json_raw(out, NULL, *n);
  csim_json_close(out, ']');
}

const csim_kind csim_kind_integer = {read_integer, fall_back_integer, print_integer,
                                     .describe = describe_integer, .schema = schema_integer};

// ----------------------------------------------------------------------------------- real numbers

static csim_unit unit_of(const csim_field *f) {
  csim_unit unit;
  char unknown[32];
  csim_parse_unit(f->unit ? f->unit : "", &unit, unknown);
  return unit;
}

static const char *unit_name(const csim_field *f) {
  return f->unit && *f->unit ? f->unit : "no unit";
}

// Only quantities of length and time follow "units"; those with mass stay SI.
static double scale_plain(const csim_reader *r, const csim_unit *unit, double v) {
  if (!unit->kg)
    for (int i = 0; i < unit->m; i++) v = v * r->length_times / r->length_over;
  return v * unit->times / unit->over;
}

// "0.3 mm", or "2x" where that is allowed.
static int read_quantity(csim_reader *r, const csim_field *f, const cJSON *item, double *value) {
  const char *text = item->valuestring, *end = text + strlen(text);
  while (*text == ' ') text++;
  double v = 0;
  const char *rest = csim_read_number(text, end, &v);
  if (!rest) {
    csim_complain_type(r, f, item);
    return 0;
  }
  while (*rest == ' ') rest++;
  if (!strcmp(rest, "x")) {
    if (!(f->flags & CSIM_RELATIVE)) {
      csim_complain(r, item, "\"%s\" multiplies a preset's value; there is none here",
                    item->valuestring);
      return 0;
    }
    if (*value == 0) {
      csim_complain(r, item, "there is no preset's \"%s\" to multiply; give a number", f->key);
      return 0;
    }
    *value *= v;
    return 1;
  }
  csim_unit given, wanted = unit_of(f);
  char unknown[32];
  if (!*rest && (wanted.m || wanted.kg || wanted.s || wanted.rad)) {
    csim_complain(r, item, "the unit is missing: write \"%s %s\", or a number", item->valuestring,
                  unit_name(f));
    return 0;
  }
  if (!csim_parse_unit(rest, &given, unknown)) {
    char known[200];
    describe_names(csim_unit_names, "", known, sizeof known);
    if (*unknown)
      csim_complain(r, item, "unknown unit \"%s\"; known are %s%s", unknown, known,
                    csim_suggest(r, unknown, csim_unit_names));
    else
      csim_complain(r, item, "\"%s\" is not a unit; expected one of %s", rest, unit_name(f));
    return 0;
  }
  if (!csim_same_dimension(&given, &wanted)) {
    csim_complain(r, item, "\"%s\" cannot be converted to %s", item->valuestring, unit_name(f));
    return 0;
  }
  *value = v * given.times / given.over;
  return 1;
}

int csim_read_real(csim_reader *r, const csim_field *f, const cJSON *item, double *value) {
  double v = *value;
  if (cJSON_IsNumber(item)) {
    csim_unit unit = unit_of(f);
    v = scale_plain(r, &unit, item->valuedouble);
  } else if (!cJSON_IsString(item)) {
    csim_complain_type(r, f, item);
    return 0;
  } else if (!read_quantity(r, f, item, &v)) {
    return 0;
  }
  if (!in_range(f, v)) {
    char range[80], found[CSIM_DESCRIPTION];
    describe_range(f, v, range);
    csim_describe_item(item, found);
    // a number beyond double has been reported already, see csim_check_faults
    if (!cJSON_IsNumber(item) || isfinite(item->valuedouble))
      csim_complain(r, item, "must be %s%s%s, found %s", range, f->unit && *f->unit ? " " : "",
                    f->unit ? f->unit : "", found);
    return 0;
  }
  *value = v;
  return 1;
}

static void read_real(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  double *to = csim_member(base, f->offset), value[3] = {0};
  csim_field one = *f;
  one.count = 1;
  if (count_of(f) == 1) {
    csim_read_real(r, f, item, to);
  } else if (!cJSON_IsArray(item) && (f->flags & CSIM_BROADCAST)) {
    if (!csim_read_real(r, &one, item, value)) return;
    for (int i = 0; i < f->count; i++) to[i] = value[0];
  } else if (!cJSON_IsArray(item) || csim_count_items(item) != f->count) {
    csim_complain_type(r, f, item);
  } else {
    int ok = 1, i = 0;
    for (const cJSON *c = item->child; c; c = c->next, i++)
      ok &= csim_read_real(r, &one, c, &value[i]);
    if (ok) memcpy(to, value, (size_t)f->count * sizeof *to);
  }
}

static void fall_back_real(csim_reader *r, const csim_field *f, void *base) {
  (void)r;
  if (!f->fallback) return;
  double *to = csim_member(base, f->offset), v = 0;
  csim_unit unit = unit_of(f);
  csim_read_number(f->fallback, f->fallback + strlen(f->fallback), &v);
  for (int i = 0; i < count_of(f); i++) to[i] = v * unit.times / unit.over;
}

// Prints a stored SI number in the field's unit so that it reads back to the same double.
static void print_value(csim_printer *p, const csim_field *f, const char *key, double value) {
  csim_unit unit = unit_of(f);
  char text[96];
  double plain = value * unit.over / unit.times, back = 0;
  // the nearest plain number may not convert back to the same bits; one of its neighbours may
  for (int i = 0; i < 5; i++) {
    static const int step[] = {0, 1, -1, 2, -2};
    double near = plain;
    for (int k = 0; k < abs(step[i]); k++) near = nextafter(near, step[i] * HUGE_VAL);
    for (int digits = 12; digits <= 17; digits++) {
      int n = csim_print_number(near, digits, text);
      csim_read_number(text, text + n, &back);
      if (back * unit.times / unit.over != value) continue;
      csim_json_raw(&p->out, key, text);
      return;
    }
  }
  // an angle given in radians may equal no number of degrees
  int n = csim_print_shortest(value, text);
  snprintf(text + n, sizeof text - (size_t)n, " %s", unit.s ? "rad/s" : "rad");
  csim_json_text(&p->out, key, text);
}

void csim_print_real(csim_printer *p, const csim_field *f, const void *base) {
  const double *from = csim_member_const(base, f->offset);
  if (count_of(f) == 1) {
    // a value outside its range means: not given
    if (in_range(f, *from)) print_value(p, f, f->key, *from);
    return;
  }
  csim_json_open_flat(&p->out, f->key, '[');
  for (int i = 0; i < f->count; i++) print_value(p, f, NULL, from[i]);
  csim_json_close(&p->out, ']');
}

void csim_describe_real(const csim_field *f, char text[CSIM_DESCRIPTION]) {
  char range[80] = "", unit[40] = "";
  if (has_range(f)) describe_range(f, 0, range);
  if (f->unit && *f->unit) snprintf(unit, sizeof unit, " [%s]", f->unit);
  const char *gap = *range ? " " : "";
  if (count_of(f) == 1)
    snprintf(text, CSIM_DESCRIPTION, "a number%s%s%s", gap, range, unit);
  else
    snprintf(text, CSIM_DESCRIPTION, "%sa list of %d numbers%s%s%s",
             f->flags & CSIM_BROADCAST ? "a number or " : "", f->count, gap, range, unit);
}

void csim_schema_real(csim_json_out *out, const csim_field *f) {
  if (count_of(f) > 1) {
    csim_field one = *f;
    one.count = 1;
    if (f->flags & CSIM_BROADCAST) {
      csim_json_open(out, "anyOf", '[');
      csim_json_open(out, NULL, '{');
      csim_schema_real(out, &one);
      csim_json_close(out, '}');
      csim_json_open(out, NULL, '{');
      schema_list_of(out, f, &one);
      csim_json_close(out, '}');
      csim_json_close(out, ']');
    } else {
      schema_list_of(out, f, &one);
    }
    return;
  }
  csim_json_open_flat(out, "type", '[');
  csim_json_text(out, NULL, "number");
  csim_json_text(out, NULL, "string");
  csim_json_close(out, ']');
  schema_range(out, f);
}

static void schema_list_of(csim_json_out *out, const csim_field *f, const csim_field *element) {
  csim_json_text(out, "type", "array");
  csim_json_integer(out, "minItems", f->count);
  csim_json_integer(out, "maxItems", f->count);
  csim_json_open(out, "items", '{');
  csim_write_field_schema(out, element);
  csim_json_close(out, '}');
}

const csim_kind csim_kind_real = {read_real, fall_back_real, csim_print_real,
                                  .describe = csim_describe_real, .schema = csim_schema_real};

// -------------------------------------------------------------------------------------- switches

static void read_bool(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  if (cJSON_IsBool(item))
    *(int *)csim_member(base, f->offset) = cJSON_IsTrue(item);
  else
    csim_complain_type(r, f, item);
}

static void fall_back_bool(csim_reader *r, const csim_field *f, void *base) {
  (void)r;
  if (f->fallback) *(int *)csim_member(base, f->offset) = !strcmp(f->fallback, "true");
}

static void print_bool(csim_printer *p, const csim_field *f, const void *base) {
  csim_json_bool(&p->out, f->key, *(const int *)csim_member_const(base, f->offset));
}

const csim_kind csim_kind_bool = {read_bool, fall_back_bool, print_bool, .noun = "true or false",
                                  .type = "boolean"};

// ----------------------------------------------------------------------------------------- texts

static void store_text(csim_reader *r, const csim_field *f, void *base, const char *text) {
  *(char **)csim_member(base, f->offset) = csim_arena_copy(&r->scene->arena, text);
}

static void read_text(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  if (cJSON_IsString(item))
    store_text(r, f, base, item->valuestring);
  else
    csim_complain_type(r, f, item);
}

static void fall_back_text(csim_reader *r, const csim_field *f, void *base) {
  if (f->fallback) store_text(r, f, base, f->fallback);
}

static void print_text(csim_printer *p, const csim_field *f, const void *base) {
  const char *text = *(char *const *)csim_member_const(base, f->offset);
  if (text) csim_json_text(&p->out, f->key, text);
}

const csim_kind csim_kind_text = {read_text, fall_back_text, print_text, .noun = "a string",
                                  .type = "string"};

enum { NAME_MOST = 100 };

static void read_name(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-";
  const char *text = cJSON_IsString(item) ? item->valuestring : "";
  size_t n = strlen(text);
  if (n == 0 || n > NAME_MOST || strspn(text, letters) != n || *text == '.' || *text == '-')
    csim_complain_type(r, f, item);
  else
    store_text(r, f, base, text);
}

static void describe_name(const csim_field *f, char text[CSIM_DESCRIPTION]) {
  (void)f;
  snprintf(
      text, CSIM_DESCRIPTION,
      "a name of at most %d letters A-Z, digits, '_', '.' and '-', not starting with '.' or '-'",
      NAME_MOST);
}

static void schema_name(csim_json_out *out, const csim_field *f) {
  (void)f;
  csim_json_text(out, "type", "string");
  csim_json_text(out, "pattern", "^[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}$");
}

const csim_kind csim_kind_name = {read_name, fall_back_text, print_text, .describe = describe_name,
                                  .schema = schema_name};

// --------------------------------------------------------------------------------------- choices

// Position of the item's text among the names, or -1 after reporting an error.
static int find_choice(csim_reader *r, const csim_field *f, const cJSON *item) {
  const char *const *names = f->detail;
  char wanted[CSIM_DESCRIPTION];
  if (!cJSON_IsString(item)) {
    csim_complain_type(r, f, item);
    return -1;
  }
  for (int i = 0; names[i]; i++)
    if (!strcmp(names[i], item->valuestring)) return i;
  csim_describe_field(f, wanted);
  csim_complain(r, item, "\"%.60s\" is unknown; expected %s%s", item->valuestring, wanted,
                csim_suggest(r, item->valuestring, names));
  return -1;
}

static void read_choice(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  int i = find_choice(r, f, item);
  if (i >= 0) *(int *)csim_member(base, f->offset) = i + (int)f->least;
}

static void fall_back_choice(csim_reader *r, const csim_field *f, void *base) {
  (void)r;
  const char *const *names = f->detail;
  for (int i = 0; f->fallback && names[i]; i++)
    if (!strcmp(names[i], f->fallback)) *(int *)csim_member(base, f->offset) = i + (int)f->least;
}

static void print_choice(csim_printer *p, const csim_field *f, const void *base) {
  const char *const *names = f->detail;
  csim_json_text(&p->out, f->key,
                 names[*(const int *)csim_member_const(base, f->offset) - (int)f->least]);
}

void csim_describe_choice(const csim_field *f, char text[CSIM_DESCRIPTION]) {
  describe_names(f->detail, "\"", text, CSIM_DESCRIPTION);
}

void csim_schema_choice(csim_json_out *out, const csim_field *f) {
  csim_json_open_flat(out, "enum", '[');
  for (const char *const *n = f->detail; *n; n++) csim_json_text(out, NULL, *n);
  csim_json_close(out, ']');
}

const csim_kind csim_kind_choice = {read_choice, fall_back_choice, print_choice,
                                    .describe = csim_describe_choice, .schema = csim_schema_choice};

static void read_word(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  int i = find_choice(r, f, item);
  if (i >= 0) *(const char **)csim_member(base, f->offset) = ((const char *const *)f->detail)[i];
}

static void fall_back_word(csim_reader *r, const csim_field *f, void *base) {
  (void)r;
  *(const char **)csim_member(base, f->offset) = f->fallback;
}

static void print_word(csim_printer *p, const csim_field *f, const void *base) {
  const char *word = *(const char *const *)csim_member_const(base, f->offset);
  if (word) csim_json_text(&p->out, f->key, word);
}

const csim_kind csim_kind_word = {read_word, fall_back_word, print_word,
                                  .describe = csim_describe_choice, .schema = csim_schema_choice};

// ----------------------------------------------------------------------------------------- files

// Stores the path; NULL after reporting an error.
static const char *read_path(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  if (!cJSON_IsString(item) || !*item->valuestring) {
    csim_complain_type(r, f, item);
    return NULL;
  }
  // relative to the scene file it is in; on the command line, to the working directory
  const csim_json_source *source = &r->json.source[csim_json_note_of(&r->json, item)->source];
  const char *slash = source->positions ? strrchr(source->name, '/') : NULL;
  char *path = item->valuestring[0] == '/' || !slash
                   ? csim_arena_copy(&r->scene->arena, item->valuestring)
                   : csim_arena_print(&r->scene->arena, "%.*s/%s", (int)(slash - source->name),
                                      source->name, item->valuestring);
  if (!path || csim_inputs_add(r->scene, path)) return NULL;
  return *(char **)csim_member(base, f->offset) = path;
}

// What may have been meant by a path that names nothing: a file of the same folder.
static const char *suggest_file(csim_reader *r, const char *path) {
  enum { MOST = 4096 };
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  const char *folder =
      slash ? csim_arena_print(&r->scratch, "%.*s/", (int)(slash - path), path) : ".";
  const char **names = CSIM_ARENA_NEW(&r->scratch, const char *, MOST + 1);
  DIR *directory = folder && names ? opendir(folder) : NULL;
  if (!directory) return "";
  int n = 0;
  for (const struct dirent *e; n < MOST && (e = readdir(directory));)
    if (e->d_name[0] != '.' && !(names[n++] = csim_arena_copy(&r->scratch, e->d_name))) break;
  closedir(directory);
  return csim_suggest(r, name, names);
}

static void read_file_name(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  const char *path = read_path(r, f, item, base), *hint = "";
  if (!path || access(path, R_OK) == 0) return;
  int error = errno;
  if (error == ENOENT) hint = suggest_file(r, path);
  if (*item->valuestring == '~') hint = ": write the whole path, \"~\" is not replaced";
  csim_complain(r, item, "file \"%s\" cannot be read: %s%s", path, strerror(error), hint);
}

static void read_sequence(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  if (cJSON_IsString(item) && strchr(item->valuestring, '#'))
    read_path(r, f, item, base); // frames are searched for when it is opened
  else
    read_file_name(r, f, item, base);
}

// The absolute path, so that the resolved scene may be kept anywhere; for a hash, only the name.
static void print_file(csim_printer *p, const csim_field *f, const void *base) {
  const char *path = *(char *const *)csim_member_const(base, f->offset);
  if (!path) return;
  const char *slash = strrchr(path, '/');
  if (p->hashing) {
    csim_json_text(&p->out, f->key, slash ? slash + 1 : path);
    return;
  }
  char *here = *path == '/' ? NULL : getcwd(NULL, 0);
  char *whole = here ? csim_print("%s/%s", here, path) : NULL;
  p->out.failed |= here && !whole;
  csim_json_text(&p->out, f->key, whole ? whole : path);
  free(whole);
  free(here);
}

const csim_kind csim_kind_sequence = {read_sequence, NULL, print_file,
                                      .noun = "the path of a file, or of files numbered ####",
                                      .type = "string"};
const csim_kind csim_kind_file = {read_file_name, NULL, print_file, .noun = "the path of a file",
                                  .type = "string"};
