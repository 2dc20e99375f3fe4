// tests/abc_file.h: puts Alembic files together in memory, piece by piece, for tests of the reader:
// what our exporter never writes (transforms, uneven times, face sets, other types of numbers).
#ifndef CSIM_TESTS_ABC_FILE_H
#define CSIM_TESTS_ABC_FILE_H

#include "cache/buffer.h"
#include "cache/murmur.h"
#include "cache/ogawa.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ABC_MESH "schema=AbcGeom_PolyMesh_v1"
#define ABC_XFORM "schema=AbcGeom_Xform_v3"
#define ABC_ACYCLIC (DBL_MAX / 32)

enum { ABC_BOOL = 0, ABC_U8 = 1, ABC_I8 = 2, ABC_U32 = 5, ABC_I32 = 6, ABC_F32 = 10, ABC_F64 = 11 };
enum { ABC_COMPOUND, ABC_SCALAR, ABC_ARRAY };

/// Pieces of a group with the headers that end it.
typedef struct abc_list {
  csim_bytes word, header;
} abc_list;

typedef struct abc_file {
  csim_bytes bytes;
  csim_bytes sampling;
  const char *metadata; ///< of the archive
  abc_list top;
} abc_file;

static inline uint64_t abc_data(abc_file *f, const csim_bytes *b) {
  uint64_t at = (uint64_t)f->bytes.n;
  if (b->n == 0) return CSIM_OGAWA_DATA;
  csim_bytes_add64(&f->bytes, (uint64_t)b->n);
  csim_bytes_add(&f->bytes, b->data, b->n);
  return at | CSIM_OGAWA_DATA;
}

static inline uint64_t abc_group(abc_file *f, const csim_bytes *words) {
  uint64_t at = (uint64_t)f->bytes.n;
  if (words->n == 0) return 0;
  csim_bytes_add64(&f->bytes, (uint64_t)words->n / 8);
  csim_bytes_add(&f->bytes, words->data, words->n);
  return at;
}

static inline void abc_begin(abc_file *f) {
  static const uint8_t head[16] = {'O', 'g', 'a', 'w', 'a', 0xff, 0, 1};
  *f = (abc_file){.metadata = ""};
  csim_bytes_add(&f->bytes, head, sizeof head);
}

/// A time sampling; the first must be (1, {0}). @return nothing: they are numbered in order
static inline void abc_times(abc_file *f, double cycle, int n, const double *time) {
  csim_bytes_add32(&f->sampling, 1);
  csim_bytes_add_double(&f->sampling, cycle);
  csim_bytes_add32(&f->sampling, (uint32_t)n);
  for (int i = 0; i < n; i++) csim_bytes_add_double(&f->sampling, time[i]);
}

static inline void abc_number(csim_bytes *b, int pod, double value) {
  uint8_t byte = (uint8_t)(int)value;
  switch (pod) {
  case ABC_F64:
    csim_bytes_add_double(b, value);
    break;
  case ABC_F32:
    csim_bytes_add32(b, csim_float_bits((float)value));
    break;
  case ABC_I32:
  case ABC_U32:
    csim_bytes_add32(b, (uint32_t)(int32_t)value);
    break;
  default:
    csim_bytes_add(b, &byte, 1);
  }
}

static inline void abc_header(abc_list *l, uint32_t info, const char *name, const uint32_t *number,
                              int n) {
  csim_bytes_add32(&l->header, info | 2 << 2 | 255u << 20);
  for (int i = 0; i < n; i++) csim_bytes_add32(&l->header, number[i]);
  csim_bytes_add32(&l->header, (uint32_t)strlen(name));
  csim_bytes_add(&l->header, name, (ptrdiff_t)strlen(name));
}

/// What a property is.
typedef struct abc_type {
  int kind, pod, extent, sampling;
  const char *metadata;
} abc_type;

/// The samples of a property: `stored` with n numbers each, at the samples first - 1, first,
/// first + 1, ... of `count` (first = 1 when all are stored).
typedef struct abc_samples {
  int count, first, stored, n;
  const double *value;
} abc_samples;

/// Adds a property.
static inline void abc_property(abc_file *f, abc_list *l, const char *name, abc_type t,
                                abc_samples s) {
  csim_bytes words = {0};
  const char *md = t.metadata ? t.metadata : "";
  for (int k = 0; k < s.stored; k++) {
    csim_bytes payload = {0}, sample = {0};
    uint8_t key[16];
    for (int i = 0; i < s.n; i++) abc_number(&payload, t.pod, s.value[k * s.n + i]);
    csim_murmur(payload.n ? payload.data : key, (size_t)payload.n, key);
    csim_bytes_add(&sample, key, 16);
    if (payload.n) csim_bytes_add(&sample, payload.data, payload.n);
    csim_bytes_add64(&words, abc_data(f, &sample));
    if (t.kind == ABC_ARRAY) csim_bytes_add64(&words, CSIM_OGAWA_DATA);
    free(payload.data);
    free(sample.data);
  }
  uint32_t number[4] = {(uint32_t)s.count, (uint32_t)s.first, (uint32_t)(s.first + s.stored - 2),
                        (uint32_t)t.sampling};
  uint32_t info = (uint32_t)(t.kind | t.pod << 4 | 1 << 8 | 1 << 9 | t.extent << 12);
  if (s.stored == 1) { // constant
    info = (info & ~(1u << 9)) | 1 << 11;
    number[1] = (uint32_t)t.sampling;
  }
  abc_header(l, info, name, number, s.stored == 1 ? 2 : 4);
  csim_bytes_add32(&l->header, (uint32_t)strlen(md));
  csim_bytes_add(&l->header, md, (ptrdiff_t)strlen(md));
  csim_bytes_add64(&l->word, abc_group(f, &words));
  free(words.data);
}

/// Ends a list of properties. @return its group
static inline uint64_t abc_end(abc_file *f, abc_list *l) {
  csim_bytes_add64(&l->word, abc_data(f, &l->header));
  uint64_t at = abc_group(f, &l->word);
  free(l->word.data);
  free(l->header.data);
  *l = (abc_list){0};
  return at;
}

/// Adds a compound of properties, which ends.
static inline void abc_compound(abc_file *f, abc_list *l, const char *name, abc_list *inner) {
  csim_bytes_add64(&l->word, abc_end(f, inner));
  abc_header(l, ABC_COMPOUND, name, NULL, 0);
  csim_bytes_add32(&l->header, 0);
}

/// Adds an object with its properties and its children, which both end.
static inline void abc_object(abc_file *f, abc_list *parent, const char *name, const char *metadata,
                              abc_list *properties, abc_list *children) {
  csim_bytes words = {0};
  uint8_t hash[32] = {1};
  csim_bytes_add64(&words, properties->word.n ? abc_end(f, properties) : 0);
  csim_bytes_add(&words, children->word.data, children->word.n);
  csim_bytes_add(&children->header, hash, 32);
  csim_bytes_add64(&words, abc_data(f, &children->header));
  csim_bytes_add64(&parent->word, abc_group(f, &words));
  csim_bytes_add32(&parent->header, (uint32_t)strlen(name));
  csim_bytes_add(&parent->header, name, (ptrdiff_t)strlen(name));
  csim_bytes_add(&parent->header, &(uint8_t){255}, 1);
  csim_bytes_add32(&parent->header, (uint32_t)strlen(metadata));
  csim_bytes_add(&parent->header, metadata, (ptrdiff_t)strlen(metadata));
  free(words.data);
  free(children->word.data);
  free(children->header.data);
  *children = (abc_list){0};
}

/// Completes the bytes: f->bytes is the file. Release it with free(f->bytes.data).
static inline void abc_finish(abc_file *f) {
  abc_list holder = {0}, none = {0};
  csim_bytes root = {0}, version = {0}, text = {0};
  abc_object(f, &holder, "ABC", "", &none, &f->top);
  csim_bytes_add32(&version, 10803);
  csim_bytes_add(&text, f->metadata, (ptrdiff_t)strlen(f->metadata));
  csim_bytes_add64(&root, abc_data(f, &version));
  csim_bytes_add64(&root, abc_data(f, &version));
  csim_bytes_add64(&root, csim_load_u64(holder.word.data));
  csim_bytes_add64(&root, abc_data(f, &text));
  csim_bytes_add64(&root, abc_data(f, &f->sampling));
  csim_bytes_add64(&root, CSIM_OGAWA_DATA);
  uint64_t at = abc_group(f, &root); // may move the bytes
  csim_store_u64(at, f->bytes.data + 8);
  free(holder.word.data);
  free(holder.header.data);
  free(root.data);
  free(version.data);
  free(text.data);
  free(f->sampling.data);
}

/// Writes bytes to a file; exits when that fails.
static inline void abc_write(const char *path, const uint8_t *data, size_t size) {
  FILE *out = fopen(path, "wb");
  if (!out || fwrite(data, 1, size, out) != size || fclose(out)) exit(1);
}

#endif
