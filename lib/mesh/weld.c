// mesh/weld.c: see weld.h.
#include "mesh/weld.h"

#include "base/hash_table.h"

typedef struct place {
  const double *x; // (nvert x 3)
  double at[3];
} place;

static int is_there(const void *wanted, int vertex) {
  const place *p = wanted;
  const double *x = p->x + csim_xyz(vertex);
  return x[0] == p->at[0] && x[1] == p->at[1] && x[2] == p->at[2];
}

csim_status csim_weld(int nvert, const double *x, int *first) {
  csim_hash_table table = {0};
  if (csim_hash_table_begin(&table, nvert)) return CSIM_MEMORY;
  for (int i = 0; i < nvert; i++) {
    place p = {.x = x};
    for (int k = 0; k < 3; k++) p.at[k] = x[csim_xyz(i) + k] + 0.0; // -0 becomes 0
    uint64_t hash = csim_hash_bytes(CSIM_HASH_START, p.at, sizeof p.at);
    int *slot = csim_hash_table_find(&table, hash, is_there, &p);
    if (!*slot) *slot = 1 + i;
    first[i] = *slot - 1;
  }
  csim_hash_table_free(&table);
  return CSIM_OK;
}
