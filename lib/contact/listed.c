// contact/listed.c: see listed.h.
#include "contact/listed.h"

#include <stdatomic.h>
#include <string.h>

// Where the marks of points, edges and triangles begin, and the number of all.
static void begin_marks(const csim_collision_mesh *mesh, int begin[4]) {
  begin[0] = 0;
  begin[1] = mesh->npoint - mesh->nbody_point;
  begin[2] = begin[1] + mesh->nedge - mesh->nbody_edge;
  begin[3] = begin[2] + mesh->ntri - mesh->nbody_tri;
}

int csim_listed_create(csim_arena *arena, const csim_collision_mesh *mesh, csim_listed *listed) {
  int nvert = mesh->nvert - mesh->nbody_vert, begin[4];
  begin_marks(mesh, begin);
  *listed = (csim_listed){.mesh = mesh};
  listed->vert = CSIM_ARENA_NEW(arena, int, nvert);
  listed->item = CSIM_ARENA_NEW(arena, int, begin[3]);
  listed->vert_mark = CSIM_ARENA_NEW(arena, _Atomic unsigned char, nvert);
  listed->item_mark = CSIM_ARENA_NEW(arena, _Atomic unsigned char, begin[3]);
  return arena->failed ? -1 : 0;
}

static void clear_marks(_Atomic unsigned char *flag, int n) {
  if (n > 0) memset((void *)flag, 0, (size_t)n);
}

void csim_listed_forget(const csim_listed *listed) {
  int begin[4];
  begin_marks(listed->mesh, begin);
  clear_marks(listed->vert_mark, listed->mesh->nvert - listed->mesh->nbody_vert);
  clear_marks(listed->item_mark, begin[3]);
}

static void mark(_Atomic unsigned char *flag) {
  atomic_store_explicit(flag, 1, memory_order_relaxed);
}

void csim_listed_mark(const csim_listed *listed, int edges, int a, int b, const int v[4]) {
  const csim_collision_mesh *mesh = listed->mesh;
  int nbody = mesh->nbody_vert, begin[4];
  begin_marks(mesh, begin);
  for (int k = 0; k < 4; k++)
    if (v[k] >= nbody) mark(&listed->vert_mark[v[k] - nbody]);
  int edge = begin[1] - mesh->nbody_edge, tri = begin[2] - mesh->nbody_tri;
  if (v[0] >= nbody) mark(&listed->item_mark[a + (edges ? edge : -mesh->nbody_point)]);
  if (v[3] >= nbody) mark(&listed->item_mark[b + (edges ? edge : tri)]);
}

// Lists the places of marks, from `first` on. Returns how many.
static int list_marks(const _Atomic unsigned char *flag, int n, int first, int *list) {
  const unsigned char *start = (const unsigned char *)flag, *end = start + n, *at = start;
  int count = 0;
  while (at < end && (at = memchr(at, 1, (size_t)(end - at))))
    list[count++] = first + (int)(at++ - start);
  return count;
}

void csim_listed_gather(csim_listed *listed) {
  const csim_collision_mesh *mesh = listed->mesh;
  int nbody = mesh->nbody_vert, begin[4];
  int first[3] = {mesh->nbody_point, mesh->npoint + mesh->nbody_edge,
                  mesh->npoint + mesh->nedge + mesh->nbody_tri};
  begin_marks(mesh, begin);
  listed->nvert = list_marks(listed->vert_mark, mesh->nvert - nbody, nbody, listed->vert);
  listed->nitem = 0;
  for (int k = 0; k < 3; k++)
    listed->nitem += list_marks(listed->item_mark + begin[k], begin[k + 1] - begin[k], first[k],
                                listed->item + listed->nitem);
}

typedef struct listed_job {
  const csim_listed *listed;
  csim_range_fn *fn;
  csim_sum_fn *count;
  void *context;
} listed_job;

static void run_listed(void *context, int first, int last) {
  const listed_job *job = context;
  const int *vert = job->listed->vert;
  for (int k = first; k < last; k++) job->fn(job->context, vert[k], vert[k] + 1);
}

void csim_listed_for(csim_pool *pool, const csim_listed *listed, int grain, csim_range_fn *fn,
                     void *context) {
  listed_job job = {.listed = listed, .fn = fn, .context = context};
  csim_pool_for_all(pool, 2,
                    (csim_loop[]){{listed->mesh->nbody_vert, grain, fn, context},
                                  {listed->nvert, grain, run_listed, &job}});
}

// Over the vertices of bodies, then those listed.
static double count_both(void *context, int first, int last) {
  const listed_job *job = context;
  int nbody = job->listed->mesh->nbody_vert;
  double count = 0;
  if (first < nbody) count = job->count(job->context, first, last < nbody ? last : nbody);
  for (int k = first > nbody ? first : nbody; k < last; k++) {
    int i = job->listed->vert[k - nbody];
    count += job->count(job->context, i, i + 1);
  }
  return count;
}

int csim_listed_count(csim_pool *pool, const csim_listed *listed, csim_sum_fn *fn, void *context) {
  listed_job job = {.listed = listed, .count = fn, .context = context};
  return csim_pool_count(pool, listed->mesh->nbody_vert + listed->nvert, count_both, &job);
}
