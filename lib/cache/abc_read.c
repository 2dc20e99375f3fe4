// cache/abc_read.c: the tree of objects, headers of properties, times. See abc_read.h.
#include "cache/abc_read.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

enum {
  MOST_OBJECTS = 1 << 20,
  MOST_DEPTH = 512,
  MOST_PROPERTIES = 1 << 16, // of a compound
  MOST_NAME = 4096,          // [bytes]
  MOST_HEADERS = 1 << 28,    // [bytes] of descriptions in one place
};

/// A cursor over headers. Reading past the end gives zeros and sets `failed`.
typedef struct cursor {
  const uint8_t *p, *end;
  int failed;
} cursor;

static const uint8_t *take(cursor *c, uint64_t n) {
  if (c->failed || n > (uint64_t)(c->end - c->p)) {
    c->failed = 1;
    return NULL;
  }
  c->p += n;
  return c->p - n;
}

// A number of 1, 2 or 4 bytes: hint 0, 1, 2.
static uint32_t take_number(cursor *c, int hint) {
  const uint8_t *p = take(c, 1u << hint);
  if (!p) return 0;
  return hint == 0 ? *p : hint == 1 ? csim_load_u16(p) : csim_load_u32(p);
}

static double take_double(cursor *c) {
  const uint8_t *p = take(c, 8);
  return p ? csim_load_f64(p) : 0;
}

// A copy of n bytes as text.
static const char *take_text(csim_abc *abc, cursor *c, uint64_t n) {
  const uint8_t *p = take(c, n);
  char *text = p ? csim_arena_alloc(abc->arena, (ptrdiff_t)n + 1, 1) : NULL;
  if (text && n) memcpy(text, p, (size_t)n);
  return text ? text : "";
}

// A name. It will stand in messages, so control characters become _.
static const char *take_name(csim_abc *abc, cursor *c, uint32_t n) {
  if (n == 0 || n > MOST_NAME) c->failed = 1;
  const uint8_t *p = take(c, n);
  char *text = p ? csim_arena_alloc(abc->arena, (ptrdiff_t)n + 1, 1) : NULL;
  for (uint32_t i = 0; text && i < n; i++) text[i] = p[i] < ' ' || p[i] == 127 ? '_' : (char)p[i];
  return text ? text : "";
}

// Metadata by its number in the archive's list, 255: here, with its length before it.
static const char *take_metadata(csim_abc *abc, cursor *c, uint32_t index, int hint) {
  if (index == 255) return take_text(abc, c, take_number(c, hint));
  if (index < (uint32_t)abc->nindexed) return abc->indexed[index];
  c->failed = 1;
  return "";
}

const char *csim_abc_value(const char *metadata, const char *key, int *length) {
  size_t n = strlen(key);
  for (const char *p = metadata ? metadata : ""; *p;) {
    const char *end = strchr(p, ';');
    if (!end) end = p + strlen(p);
    if (!strncmp(p, key, n) && p[n] == '=') {
      *length = (int)(end - p - (ptrdiff_t)n - 1);
      return p + n + 1;
    }
    p = *end ? end + 1 : end;
  }
  *length = 0;
  return "";
}

int csim_abc_is(const csim_abc_object *object, const char *schema) {
  int length;
  const char *value = csim_abc_value(object->metadata, "schema", &length);
  int n = (int)strlen(schema);
  return length >= n && !strncmp(value, schema, (size_t)n) && (length == n || value[n] == '_');
}

char *csim_abc_path(const csim_abc *abc, int object) {
  size_t size = 1;
  for (int i = object; i > 0; i = abc->object[i].parent) size += 1 + strlen(abc->object[i].name);
  char *path = csim_arena_alloc(abc->arena, (ptrdiff_t)size, 1);
  if (!path) return NULL;
  char *at = path + size - 1;
  for (int i = object; i > 0; i = abc->object[i].parent) {
    size_t n = strlen(abc->object[i].name);
    memcpy(at -= n, abc->object[i].name, n);
    *--at = '/';
  }
  return path;
}

// ---------------------------------------------------------------------------------------- archive

// Checks a sampling: Alembic's own has no order to rely on otherwise.
static int is_good(const csim_abc_sampling *s) {
  for (int i = 0; i < s->ntime; i++) {
    if (!(fabs(s->time[i]) < 1e12)) return 0;
    if (i && !(s->time[i] > s->time[i - 1])) return 0;
  }
  return s->cycle == 0 ||
         (s->cycle > 0 && s->cycle < 1e12 && s->time[s->ntime - 1] - s->time[0] < s->cycle);
}

static csim_status read_samplings(csim_abc *abc, csim_ogawa_word word) {
  const double acyclic = DBL_MAX / 32;
  uint8_t *data;
  size_t size;
  csim_status status = csim_ogawa_whole(&abc->file, word, MOST_HEADERS, &data, &size);
  if (status) return status;
  abc->sampling = CSIM_ARENA_NEW(abc->arena, csim_abc_sampling, (ptrdiff_t)size / 24 + 1);
  cursor c = {data, data + size, 0};
  while (abc->sampling && c.p < c.end && !c.failed) {
    take_number(&c, 2); // largest number of samples: properties say theirs
    csim_abc_sampling s = {.cycle = take_double(&c)};
    uint32_t n = take_number(&c, 2);
    const uint8_t *bytes = take(&c, 8 * (uint64_t)n);
    double *time = bytes && n ? CSIM_ARENA_NEW(abc->arena, double, n) : NULL;
    if (!time) break;
    if (s.cycle == acyclic) s.cycle = 0;
    for (uint32_t i = 0; i < n; i++) time[i] = csim_load_f64(bytes + 8 * (size_t)i);
    s.ntime = (int)n;
    s.time = time;
    abc->sampling[abc->nsampling++] = s;
    if (!is_good(&s)) c.failed = 1;
  }
  int bad = c.failed || c.p < c.end || !abc->nsampling;
  free(data);
  if (abc->arena->failed) return csim_abc_memory(abc);
  return bad ? csim_ogawa_damaged(&abc->file, "its times are out of order") : CSIM_OK;
}

static csim_status read_indexed(csim_abc *abc, csim_ogawa_word word) {
  uint8_t *data;
  size_t size;
  csim_status status = csim_ogawa_whole(&abc->file, word, MOST_HEADERS, &data, &size);
  if (status) return status;
  abc->indexed = CSIM_ARENA_NEW(abc->arena, const char *, 256);
  cursor c = {data, data + size, 0};
  if (abc->indexed) abc->indexed[abc->nindexed++] = "";
  while (abc->indexed && c.p < c.end && !c.failed && abc->nindexed < 255)
    abc->indexed[abc->nindexed++] = take_text(abc, &c, take_number(&c, 0));
  free(data);
  if (abc->arena->failed) return csim_abc_memory(abc);
  return c.failed ? csim_ogawa_damaged(&abc->file, "its list of metadata") : CSIM_OK;
}

static csim_status add_object(csim_abc *abc, csim_abc_object object) {
  if (abc->nobject >= MOST_OBJECTS || object.depth > MOST_DEPTH)
    return csim_refuse(abc->file.log, csim_in_file(abc->file.path),
                       "has more than %d objects, or more than %d inside each other", MOST_OBJECTS,
                       MOST_DEPTH);
  if (CSIM_GROW(abc->object, abc->object_capacity, (ptrdiff_t)abc->nobject + 1))
    return csim_abc_memory(abc);
  abc->object[abc->nobject++] = object;
  return CSIM_OK;
}

// The children of an object: a group for each between its properties and the headers, which end
// with 32 bytes of hashes.
static csim_status read_children(csim_abc *abc, int parent) {
  enum { HASHES = 32 };
  csim_ogawa_node group = abc->object[parent].group;
  csim_ogawa_word word;
  uint8_t *data;
  size_t size;
  if (group.nchild == 0) return CSIM_OK;
  csim_status status = csim_ogawa_child(&abc->file, &group, group.nchild - 1, &word);
  if (!status && !(word & CSIM_OGAWA_DATA)) return CSIM_OK; // properties alone
  if (!status) status = csim_ogawa_whole(&abc->file, word, MOST_HEADERS, &data, &size);
  if (status) return status;
  cursor c = {data, data + (size > HASHES ? size - HASHES : 0), 0};
  abc->object[parent].child = abc->nobject;
  for (uint64_t k = 1; c.p < c.end && !status; k++) {
    csim_abc_object o = {.parent = parent, .depth = abc->object[parent].depth + 1};
    o.name = take_name(abc, &c, take_number(&c, 2));
    o.metadata = take_metadata(abc, &c, take_number(&c, 0), 2);
    if (c.failed || k + 1 >= group.nchild)
      status = csim_ogawa_damaged(&abc->file, "the list of an object's children");
    if (!status) status = csim_ogawa_child(&abc->file, &group, k, &word);
    if (!status) status = csim_ogawa_enter(&abc->file, word, &o.group);
    if (!status) status = abc->arena->failed ? csim_abc_memory(abc) : add_object(abc, o);
  }
  abc->object[parent].nchild = abc->nobject - abc->object[parent].child;
  free(data);
  return status;
}

csim_status csim_abc_open(const char *path, csim_arena *arena, csim_log *log, csim_abc *abc) {
  enum { VERSION, LIBRARY, TOP, METADATA, TIMES, INDEXED, NROOT };
  *abc = (csim_abc){.arena = arena};
  csim_ogawa_node root;
  csim_ogawa_word word[NROOT] = {0};
  csim_status status = csim_ogawa_open(path, log, &abc->file, &root);
  for (uint64_t k = 0; k < NROOT && !status; k++)
    status = csim_ogawa_child(&abc->file, &root, k, &word[k]);
  uint8_t *data = NULL;
  size_t size;
  if (!status) status = csim_ogawa_whole(&abc->file, word[METADATA], MOST_HEADERS, &data, &size);
  if (!status) {
    abc->metadata = csim_arena_copy(arena, (char *)data);
    if (!abc->metadata) status = csim_abc_memory(abc);
  }
  free(data);
  if (!status) status = read_samplings(abc, word[TIMES]);
  if (!status) status = read_indexed(abc, word[INDEXED]);
  csim_abc_object top = {.name = "", .metadata = "", .parent = -1};
  if (!status) status = csim_ogawa_enter(&abc->file, word[TOP], &top.group);
  if (!status) status = add_object(abc, top);
  for (int i = 0; i < abc->nobject && !status; i++) status = read_children(abc, i);
  return status;
}

void csim_abc_close(csim_abc *abc) {
  csim_ogawa_close(&abc->file);
  free(abc->object);
  abc->object = NULL;
}

// ------------------------------------------------------------------------------------- properties

// The next header. Numbers have 1, 2 or 4 bytes throughout, as its hint says.
static csim_abc_property take_header(csim_abc *abc, cursor *c) {
  enum { TIMED = 1 << 8, CHANGES = 1 << 9, CONSTANT = 1 << 11 };
  uint32_t info = take_number(c, 2), sampling = 0;
  int hint = (int)(info >> 2 & 3);
  csim_abc_property p = {.kind = (int)(info & 3)};
  if (hint > 2) c->failed = 1;
  if (p.kind > CSIM_ABC_ARRAY) p.kind = CSIM_ABC_ARRAY; // of one element
  if (p.kind != CSIM_ABC_COMPOUND && !c->failed) {
    p.pod = (int)(info >> 4 & 15);
    p.extent = (int)(info >> 12 & 255);
    p.nsample = take_number(c, hint);
    p.first = 1;
    p.last = p.nsample ? p.nsample - 1 : 0;
    if (info & CONSTANT) p.first = p.last = 0;
    if (info & CHANGES) {
      p.first = take_number(c, hint);
      p.last = take_number(c, hint);
    }
    if (p.last == 0) p.first = 0;
    if (info & TIMED) sampling = take_number(c, hint);
    if (p.extent == 0 || p.pod > 13 || sampling >= (uint32_t)abc->nsampling || p.first > p.last ||
        (p.nsample && p.last >= p.nsample))
      c->failed = 1;
    else
      p.sampling = &abc->sampling[sampling];
  }
  if (!c->failed) p.name = take_name(abc, c, take_number(c, hint));
  if (!c->failed) p.metadata = take_metadata(abc, c, info >> 20 & 255, hint);
  return p;
}

static csim_status read_properties(csim_abc *abc, csim_ogawa_word word,
                                   csim_abc_compound *properties) {
  csim_ogawa_node group;
  uint8_t *data = NULL;
  size_t size;
  *properties = (csim_abc_compound){0};
  csim_status status = csim_ogawa_enter(&abc->file, word, &group);
  if (status || group.nchild < 2) return status;
  uint64_t n = group.nchild - 1;
  if (n > MOST_PROPERTIES) return csim_ogawa_damaged(&abc->file, "too many properties");
  status = csim_ogawa_child(&abc->file, &group, n, &word);
  if (!status) status = csim_ogawa_whole(&abc->file, word, MOST_HEADERS, &data, &size);
  if (status) return status;
  properties->property = CSIM_ARENA_NEW(abc->arena, csim_abc_property, (ptrdiff_t)n);
  cursor c = {data, data + size, 0};
  for (uint64_t k = 0; k < n && c.p < c.end && !status && properties->property; k++) {
    csim_abc_property p = take_header(abc, &c);
    if (c.failed) break;
    status = csim_ogawa_child(&abc->file, &group, k, &p.word);
    properties->property[properties->n++] = p;
  }
  if (!status && abc->arena->failed) status = csim_abc_memory(abc);
  if (!status && (c.failed || c.p < c.end || (uint64_t)properties->n < n))
    status = csim_ogawa_damaged(&abc->file, "the description of an object's properties");
  free(data);
  return status;
}

csim_status csim_abc_own_properties(csim_abc *abc, int object, csim_abc_compound *properties) {
  csim_ogawa_word word = 0;
  const csim_ogawa_node *group = &abc->object[object].group;
  *properties = (csim_abc_compound){0};
  if (group->nchild == 0) return CSIM_OK;
  csim_status status = csim_ogawa_child(&abc->file, group, 0, &word);
  if (status || (word & CSIM_OGAWA_DATA)) return status;
  return read_properties(abc, word, properties);
}

csim_status csim_abc_properties(csim_abc *abc, const csim_abc_property *compound,
                                csim_abc_compound *properties) {
  return read_properties(abc, compound->word, properties);
}

const csim_abc_property *csim_abc_find(const csim_abc_compound *properties, const char *name,
                                       int kind) {
  for (int i = 0; i < properties->n; i++) {
    const csim_abc_property *p = &properties->property[i];
    if (p->kind == kind && !strcmp(p->name, name) && (kind == CSIM_ABC_COMPOUND || p->nsample))
      return p;
  }
  return NULL;
}

// ------------------------------------------------------------------------------------------ times

uint32_t csim_abc_count(const csim_abc_property *p) {
  uint32_t most = (uint32_t)p->sampling->ntime;
  return p->sampling->cycle == 0 && p->nsample > most ? most : p->nsample;
}

double csim_abc_time(const csim_abc_property *p, uint32_t i) {
  const csim_abc_sampling *s = p->sampling;
  uint32_t n = (uint32_t)s->ntime;
  if (s->cycle == 0) return s->time[i < n ? i : n - 1];
  return s->time[i % n] + s->cycle * (double)(i / n);
}

uint32_t csim_abc_at(const csim_abc_property *p, double time, double slack, double *share) {
  uint32_t low = 0, high = csim_abc_count(p); // sample low is at or before the time
  *share = 0;
  while (high - low > 1) {
    uint32_t middle = low + (high - low) / 2;
    if (csim_abc_time(p, middle) <= time + slack)
      low = middle;
    else
      high = middle;
  }
  double from = csim_abc_time(p, low);
  if (low + 1 < csim_abc_count(p) && time > from + slack)
    *share = (time - from) / (csim_abc_time(p, low + 1) - from);
  return low;
}
