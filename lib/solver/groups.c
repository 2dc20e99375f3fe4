// solver/groups.c: see groups.h.
#include "solver/groups.h"

#include "base/disjoint.h"
#include "math/vec3.h"

enum { VERT_GRAIN = 512 };

int csim_groups_create(csim_arena *arena, const csim_model *model, csim_groups *groups) {
  const int *body_of = model->body_of;
  int *first = CSIM_ARENA_NEW(arena, int, model->nbody);
  *groups = (csim_groups){model, first};
  if (!first) return -1;
  for (int k = 0; k < model->nbody; k++) first[k] = k;
  for (int e = 0; e < model->nenergy; e++) {
    const csim_energy *energy = &model->energy[e];
    int n = energy->kind->nnode;
    for (ptrdiff_t i = 0; i < energy->nelem; i++)
      for (int a = 1; a < n; a++)
        csim_disjoint_join(first, body_of[energy->node[n * i]], body_of[energy->node[n * i + a]]);
  }
  for (int c = 0; c < model->chambers.nchamber; c++) {
    const csim_chamber *chamber = &model->chambers.chamber[c];
    for (int p = 0; p < chamber->npart; p++)
      csim_disjoint_join(first, body_of[chamber->vert],
                         body_of[model->tri[csim_xyz(chamber->part[p].tri0)]]);
  }
  for (int k = 0; k < model->nbody; k++) first[k] = csim_disjoint_root(first, k);
  return 0;
}

int csim_groups_agree(int nbody, int *set, unsigned char *body) {
  int n = 0;
  for (int k = 0; k < nbody; k++)
    if (!body[k]) body[csim_disjoint_root(set, k)] = 0;
  for (int k = 0; k < nbody; k++) n += body[k] = body[csim_disjoint_root(set, k)];
  return n;
}

typedef struct mark_job {
  const csim_model *model;
  const unsigned char *body;
  unsigned char *vert;
} mark_job;

static void mark_range(void *context, int first, int last) {
  const mark_job *job = context;
  for (int i = first; i < last; i++) job->vert[i] = job->body[job->model->body_of[i]];
}

void csim_groups_mark(csim_pool *pool, const csim_groups *groups, const unsigned char *body,
                      unsigned char *vert) {
  csim_pool_for(pool, groups->model->nvert, VERT_GRAIN, mark_range,
                &(mark_job){groups->model, body, vert});
}
