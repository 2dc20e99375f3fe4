// cache/abc_read.h: Alembic archives (Ogawa), read: objects, properties, samples and their times.
// cache/abc_mesh.h reads meshes from them. Needs base/.
//
// An archive is a tree of objects. Each has a compound of properties; a property is a compound, a
// scalar or an array with samples over time. Samples that repeat at the beginning and the end are
// stored once. All limits are checked before anything is allocated; any bytes are safe.
// Source: the layout as Alembic's own library reads it, version 1.8.
#ifndef CSIM_CACHE_ABC_READ_H
#define CSIM_CACHE_ABC_READ_H

#include "base/arena.h"
#include "cache/ogawa_read.h"

/// Kinds of properties.
enum { CSIM_ABC_COMPOUND, CSIM_ABC_SCALAR, CSIM_ABC_ARRAY };

/// When samples are: sample i at time[i % ntime] + cycle (i / ntime); acyclic: at time[i].
typedef struct csim_abc_sampling {
  double cycle; ///< [s] 0 = acyclic
  int ntime;
  const double *time; ///< (ntime) [s] increasing
} csim_abc_sampling;

/// A property. The first stored sample is for all before `first`, the last for all from `last` on.
typedef struct csim_abc_property {
  const char *name, *metadata;
  int kind;
  int pod, extent; ///< type of an element's numbers, and how many it has
  uint32_t nsample, first, last;
  const csim_abc_sampling *sampling;
  csim_ogawa_word word; ///< of its group
} csim_abc_property;

/// The properties of a compound.
typedef struct csim_abc_compound {
  int n;
  csim_abc_property *property; ///< (n)
} csim_abc_compound;

typedef struct csim_abc_object {
  const char *name, *metadata;
  int parent; ///< -1: the top
  int depth;
  int child, nchild; ///< its children are objects child to child + nchild - 1
  csim_ogawa_node group;
} csim_abc_object;

typedef struct csim_abc {
  csim_ogawa file;
  csim_arena *arena;    ///< of the caller
  const char *metadata; ///< of the archive: "key=value;key=value"
  int nsampling;
  csim_abc_sampling *sampling; ///< (nsampling)
  int nindexed;
  const char **indexed; ///< (nindexed) metadata that headers refer to
  int nobject;
  csim_abc_object *object; ///< (nobject) parents before children; the first is the top; heap
  ptrdiff_t object_capacity;
} csim_abc;

/// Logs that memory for the archive ran out. @return CSIM_MEMORY
static inline csim_status csim_abc_memory(const csim_abc *abc) {
  return csim_fail_memory(abc->file.log, abc->file.path);
}

/// Opens an archive and reads its tree of objects.
/// @param arena     for everything that stays; outlives the archive, as do path and log
/// @param[out] abc  csim_abc_close in any case
/// @return CSIM_OK, CSIM_IO, CSIM_INVALID (all reported), CSIM_MEMORY (reported)
csim_status csim_abc_open(const char *path, csim_arena *arena, csim_log *log, csim_abc *abc);
void csim_abc_close(csim_abc *abc);

/// The value of a key in metadata. @param[out] length  0 when there is none
const char *csim_abc_value(const char *metadata, const char *key, int *length);

/// Whether an object has a schema: "AbcGeom_PolyMesh" of any version.
int csim_abc_is(const csim_abc_object *object, const char *schema);

/// "/rig/body", in the arena; NULL when out of memory.
char *csim_abc_path(const csim_abc *abc, int object);

/// The properties of an object's own compound, or of a compound property.
csim_status csim_abc_own_properties(csim_abc *abc, int object, csim_abc_compound *properties);
csim_status csim_abc_properties(csim_abc *abc, const csim_abc_property *compound,
                                csim_abc_compound *properties);

/// The property of a name and kind that has samples (a compound needs none); NULL when there is
/// none.
const csim_abc_property *csim_abc_find(const csim_abc_compound *properties, const char *name,
                                       int kind);

/// Number of samples with times: nsample, but at most the length of an acyclic sampling.
uint32_t csim_abc_count(const csim_abc_property *p);

/// Time [s] of sample i.
double csim_abc_time(const csim_abc_property *p, uint32_t i);

/// The sample at or before a time, the first when there is none.
/// @param slack       [s] a sample that is so near counts as at the time
/// @param[out] share  [-] of the way to the next sample, 0 when there is none
uint32_t csim_abc_at(const csim_abc_property *p, double time, double slack, double *share);

/// Whether two samples are stored as one.
int csim_abc_same(const csim_abc_property *p, uint32_t i, uint32_t j);

/// How many numbers (extent of them an element) a sample has.
csim_status csim_abc_length(csim_abc *abc, const csim_abc_property *p, uint32_t i, uint64_t *n);

/// The numbers of a sample, of any type but text; n is its length.
csim_status csim_abc_doubles(csim_abc *abc, const csim_abc_property *p, uint32_t i, uint64_t n,
                             double *value);

/// The same as integers; what does not fit becomes -1.
csim_status csim_abc_integers(csim_abc *abc, const csim_abc_property *p, uint32_t i, uint64_t n,
                              int *value);

/// The 16 bytes in which samples with different contents differ.
csim_status csim_abc_key(csim_abc *abc, const csim_abc_property *p, uint32_t i, uint8_t key[16]);

#endif
