// contact/hessian.c: see hessian.h.
#include "contact/hessian.h"

#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_GRAIN = 256, ROW_GRAIN = 64 };

int csim_contact_hessian_create(csim_arena *arena, csim_contact_hessian *hessian) {
  hessian->row_of = CSIM_ARENA_NEW(arena, int, hessian->active->kin->mesh->nbody_vert);
  return arena->failed ? -1 : 0;
}

void csim_contact_hessian_free(csim_contact_hessian *hessian) {
  free(hessian->friction_of);
  free(hessian->corners);
  free(hessian->packed);
  free(hessian->product);
  free(hessian->row_vert);
  free(hessian->row_start);
  free(hessian->diag);
  free(hessian->entry);
  csim_buckets_free(&hessian->buckets);
  csim_tilts_free(&hessian->tilts);
}

// ----------------------------------------------------------------------------------------- blocks

// Where the blocks are: contacts, then friction's if it is apart, then tilts.
typedef struct block_list {
  int ncontact, nfriction, n; // tilts begin at nfriction
  const csim_active_contact *contact;
  const csim_friction_contact *friction;
  const csim_tilt *tilt;
  const int *friction_of; // (ncontact) number of its friction, -1: none; NULL: friction is apart
} block_list;

static block_list list_blocks(const csim_contact_hessian *H) {
  int ncontact = H->active->n, nfriction = ncontact + (H->friction_apart ? H->friction->n : 0);
  return (block_list){ncontact,
                      nfriction,
                      nfriction + H->tilts.n,
                      H->active->contact,
                      H->friction->contact,
                      H->tilts.tilt,
                      H->friction_apart ? NULL : H->friction_of};
}

// Whether friction acts between the points of a contact.
static int is_of_contact(const csim_friction_contact *f, const csim_active_contact *c) {
  return !memcmp(f->v, c->v, sizeof f->v) && !memcmp(f->w, c->w, sizeof f->w);
}

// Finds the contact of each friction. Where friction was updated at the evaluation point, as it is
// after the first iteration, both are in the same order; else it is left apart. -1 when out of
// memory.
static int pair_friction(csim_contact_hessian *H) {
  const csim_active_set *active = H->active;
  const csim_friction_set *friction = H->friction;
  int next = 0;
  if (CSIM_GROW(H->friction_of, H->capacity.friction_of, active->n)) return -1;
  for (int i = 0; i < active->n; i++) {
    int has = next < friction->n && is_of_contact(&friction->contact[next], &active->contact[i]);
    H->friction_of[i] = has ? next++ : -1;
  }
  H->friction_apart = next < friction->n;
  return 0;
}

static inline const double *block_weights(const block_list *list, int i, const int **v) {
  if (i < list->ncontact) {
    *v = list->contact[i].v;
    return list->contact[i].w;
  }
  if (i < list->nfriction) {
    *v = list->friction[i - list->ncontact].v;
    return list->friction[i - list->ncontact].w;
  }
  *v = list->tilt[i - list->nfriction].v;
  return list->tilt[i - list->nfriction].w;
}

// Number of the friction that a block has, or -1.
static inline int block_friction(const block_list *list, int i) {
  if (i < list->ncontact) return list->friction_of ? list->friction_of[i] : -1;
  return i < list->nfriction ? i - list->ncontact : -1;
}

// Matrix of a block. That of an active contact is computed here, the others are stored.
static inline const double *block_matrix(const block_list *list, int i, double space[9]) {
  if (i >= list->nfriction) return list->tilt[i - list->nfriction].B;
  int friction = block_friction(list, i);
  if (i >= list->ncontact) return list->friction[friction].B;
  const csim_active_contact *c = &list->contact[i];
  if (friction >= 0)
    memcpy(space, list->friction[friction].B, 9 * sizeof *space);
  else
    memset(space, 0, 9 * sizeof *space);
  csim_mat3_add_outer(c->stiff, c->n, c->n, space);
  return space;
}

// Sets a bit for each corner of a block that is free and has weight. Most pairs of a body and a
// collider have only one or two.
static void find_corners(void *context, int first, int last) {
  csim_contact_hessian *H = context;
  const block_list list = list_blocks(H);
  for (int i = first; i < last; i++) {
    const int *v;
    const double *w = block_weights(&list, i, &v);
    H->corners[i] = 0;
    for (int k = 0; k < 4; k++)
      if (w[k] != 0 && csim_kinematics_is_free(H->active->kin, v[k]))
        H->corners[i] |= (unsigned char)(1 << k);
    int friction = block_friction(&list, i);
    if (friction >= 0) csim_friction_set_hessian(H->friction, friction, H->active->x);
  }
}

static int has_many(unsigned corners) {
  return (corners & (corners - 1)) != 0;
}

// Rows are divided among buckets by their vertices.
static uint64_t bucket_of(const void *context, int i, int shift) {
  const csim_contact_hessian *H = context;
  const block_list list = list_blocks(H);
  uint64_t mask = 0;
  const int *v;
  block_weights(&list, i, &v);
  for (unsigned left = H->corners[i]; left; left &= left - 1)
    mask |= csim_bucket_of(v[__builtin_ctz(left)], shift);
  return mask;
}

typedef struct count_job {
  csim_contact_hessian *H;
  int *place;
} count_job;

// Counts, for each vertex of a bucket, the blocks that couple it to others (row_of), the vertices
// that have some, and their sum. Sets place (NULL allowed) of every vertex of a block to 0.
static void count_entries(void *context, int bucket) {
  const count_job *job = context;
  csim_contact_hessian *H = job->H;
  const block_list list = list_blocks(H);
  csim_hessian_part part = {0};
  int *row = H->row_of;
  int first = csim_bucket_row(&H->buckets, bucket), last = csim_bucket_row(&H->buckets, bucket + 1);
  memset(row + first, 0, (size_t)(last - first) * sizeof *row);
  for (int k = H->buckets.start[bucket]; k < H->buckets.start[bucket + 1]; k++) {
    int i = csim_bucket_item(&H->buckets, k), many = has_many(H->corners[i]);
    const int *v;
    block_weights(&list, i, &v);
    for (unsigned left = H->corners[i]; left; left &= left - 1) {
      int vert = v[__builtin_ctz(left)];
      if (vert < first || vert >= last) continue;
      if (job->place) job->place[vert] = 0;
      part.row += many && row[vert] == 0;
      part.entry += many;
      row[vert] += many;
    }
  }
  H->part[bucket] = part;
}

// Turns the counts of each bucket into its first row and entry. Returns the number of entries.
static ptrdiff_t place_parts(csim_contact_hessian *H) {
  csim_hessian_part sum = {0};
  for (int k = 0; k < H->buckets.n; k++) {
    csim_hessian_part count = H->part[k];
    H->part[k] = sum;
    sum.row += count.row;
    sum.entry += count.entry;
  }
  H->nrow = sum.row;
  return sum.entry;
}

// Memory for all blocks. -1 when out of memory.
static int reserve_blocks(csim_contact_hessian *H) {
  int n = list_blocks(H).n;
  unsigned char *corners = csim_grow(H->corners, &H->capacity.corners, n, sizeof *corners);
  if (corners) H->corners = corners;
  double *product = csim_grow(H->product, &H->capacity.product, n, 3 * sizeof *product);
  if (product) H->product = product;
  csim_packed_block *packed = csim_grow(H->packed, &H->capacity.packed, n, sizeof *packed);
  if (packed) H->packed = packed;
  return corners && product && packed ? 0 : -1;
}

// Memory for the rows that were counted, with all their entries. -1 when out of memory.
static int reserve_rows(csim_contact_hessian *H, ptrdiff_t nentry) {
  ptrdiff_t n = H->nrow;
  csim_block_entry *entry = csim_grow(H->entry, &H->capacity.entry, nentry, sizeof *entry);
  if (entry) H->entry = entry;
  int *vert = csim_grow(H->row_vert, &H->capacity.row_vert, n, sizeof *vert);
  if (vert) H->row_vert = vert;
  int *start = csim_grow(H->row_start, &H->capacity.row_start, n + 1, sizeof *start);
  if (start) H->row_start = start;
  double *diag = csim_grow(H->diag, &H->capacity.diag, n, 9 * sizeof *diag);
  if (diag) H->diag = diag;
  if (!entry || !vert || !start || !diag) return -1;
  H->row_start[n] = (int)nentry;
  return 0;
}

int csim_contact_hessian_begin(csim_contact_hessian *hessian, int *place) {
  const csim_kinematics *kin = hessian->active->kin;
  csim_contact_hessian_clear(hessian);
  if (csim_tilts_find(&hessian->tilts) || pair_friction(hessian) || reserve_blocks(hessian))
    return -1;
  csim_pool_for(kin->pool, list_blocks(hessian).n, BLOCK_GRAIN, find_corners, hessian);
  if (!csim_buckets_fill(kin->pool, &hessian->buckets, kin->mesh->nbody_vert,
                         list_blocks(hessian).n, bucket_of, hessian)) {
    csim_pool_run(kin->pool, hessian->buckets.n, count_entries, &(count_job){hessian, place});
    if (reserve_rows(hessian, place_parts(hessian)) == 0) return 0;
  }
  if (place) memset(place, -1, (size_t)kin->mesh->nbody_vert * sizeof *place);
  csim_contact_hessian_clear(hessian);
  return -1;
}

// ------------------------------------------------------------------------------------------- rows

typedef struct build_job {
  csim_contact_hessian *H;
  const int *place;
  double *val;
} build_job;

// Adds a block of one free vertex, which lies wholly on the diagonal: about half of all blocks
// where cloth lies on a collider.
static void add_single_block(const build_job *job, const block_list *list, int i) {
  csim_contact_hessian *H = job->H;
  int corner = __builtin_ctz(H->corners[i]);
  double space[9];
  const int *v;
  const double *w = block_weights(list, i, &v), *B = block_matrix(list, i, space);
  double *at = job->val ? job->val + csim_row(9, job->place[v[corner]]) : NULL;
  for (int j = 0; at && j < 9; j++) at[j] += w[corner] * w[corner] * B[j];
  H->corners[i] = 0;
}

// Numbers the rows of a bucket, from its first. Returns the end of their numbers.
static int number_rows(csim_contact_hessian *H, int bucket) {
  int n = H->part[bucket].row, last = csim_bucket_row(&H->buckets, bucket + 1);
  ptrdiff_t at = H->part[bucket].entry;
  for (int i = csim_bucket_row(&H->buckets, bucket); i < last; i++) {
    int count = H->row_of[i];
    if (count == 0) continue;
    H->row_vert[n] = i;
    H->row_start[n] = (int)at;
    H->row_of[i] = n++;
    at += count;
  }
  return n;
}

// Lists the blocks of each free vertex of a bucket, in rising order.
static void index_blocks(void *context, int bucket) {
  const build_job *job = context;
  csim_contact_hessian *H = job->H;
  const block_list list = list_blocks(H);
  int *start = H->row_start, end = number_rows(H, bucket);
  int first = csim_bucket_row(&H->buckets, bucket), last = csim_bucket_row(&H->buckets, bucket + 1);
  // filling moves each start to its end, the next one's start: shift back afterwards
  for (int at = H->buckets.start[bucket]; at < H->buckets.start[bucket + 1]; at++) {
    int i = csim_bucket_item(&H->buckets, at);
    if (!has_many(H->corners[i])) {
      if (H->corners[i]) add_single_block(job, &list, i);
      continue;
    }
    const int *v;
    const double *w = block_weights(&list, i, &v);
    for (unsigned left = H->corners[i]; left; left &= left - 1) {
      int k = __builtin_ctz(left);
      if (v[k] < first || v[k] >= last) continue;
      H->entry[start[H->row_of[v[k]]]++] = (csim_block_entry){i, (float)w[k]};
    }
  }
  for (int k = end - 1; k > H->part[bucket].row; k--) start[k] = start[k - 1];
  if (end > H->part[bucket].row) start[H->part[bucket].row] = (int)H->part[bucket].entry;
}

// Near the largest float: materials may be as stiff as a scene likes.
static const double MOST_FLOAT = 3e38;

static void pack_blocks(void *context, int first, int last) {
  csim_contact_hessian *H = context;
  const block_list list = list_blocks(H);
  for (int i = first; i < last; i++) {
    csim_packed_block *b = &H->packed[i];
    b->coupled = H->corners[i] != 0;
    if (!b->coupled) continue;
    double space[9];
    const int *v;
    const double *w = block_weights(&list, i, &v), *B = block_matrix(&list, i, space);
    int some = v[__builtin_ctz(H->corners[i])];
    for (int k = 0; k < 4; k++) {
      int counts = H->corners[i] >> k & 1;
      b->v[k] = counts ? v[k] : some;
      b->w[k] = counts ? (float)w[k] : 0;
    }
    for (int a = 0, to = 0; a < 3; a++)
      for (int c = a; c < 3; c++)
        b->B[to++] = (float)csim_max(-MOST_FLOAT, csim_min(B[3 * a + c], MOST_FLOAT));
  }
}

// The matrix of a packed block.
static void unpack(const float B[6], double out[9]) {
  for (int a = 0, from = 0; a < 3; a++)
    for (int c = a; c < 3; c++) out[3 * a + c] = out[3 * c + a] = (double)B[from++];
}

static void add_diagonals(void *context, int first, int last) {
  const build_job *job = context;
  csim_contact_hessian *H = job->H;
  for (int r = first; r < last; r++) {
    double *D = H->diag + csim_row(9, r), B[9];
    memset(D, 0, 9 * sizeof *D);
    for (int k = H->row_start[r]; k < H->row_start[r + 1]; k++) {
      unpack(H->packed[H->entry[k].block].B, B);
      double w = (double)H->entry[k].weight;
      for (int j = 0; j < 9; j++) D[j] += w * w * B[j];
    }
    if (!job->val) continue;
    double *at = job->val + csim_row(9, job->place[H->row_vert[r]]);
    for (int j = 0; j < 9; j++) at[j] += D[j];
  }
}

void csim_contact_hessian_build(csim_contact_hessian *hessian, const int *place, double *val) {
  csim_pool *pool = hessian->active->kin->pool;
  build_job job = {hessian, place, val};
  csim_pool_run(pool, hessian->buckets.n, index_blocks, &job);
  csim_pool_for(pool, list_blocks(hessian).n, BLOCK_GRAIN, pack_blocks, hessian);
  csim_pool_for(pool, hessian->nrow, ROW_GRAIN, add_diagonals, &job);
}

// ---------------------------------------------------------------------------------------- product

typedef struct multiply_job {
  const csim_contact_hessian *H;
  const double *x;
  double *y;
} multiply_job;

static void multiply_blocks(void *context, int first, int last) {
  const csim_contact_hessian *H = context;
  for (int i = first; i < last; i++) {
    const csim_packed_block *b = &H->packed[i];
    if (!b->coupled) continue;
    double s[3] = {0}, B[9];
    for (int k = 0; k < 4; k++) csim_add_scaled((double)b->w[k], H->factor + csim_xyz(b->v[k]), s);
    unpack(b->B, B);
    csim_mat3_mul(B, s, H->product + csim_xyz(i));
  }
}

static void gather_rows(void *context, int first, int last, double *dot_sum) {
  const multiply_job *job = context;
  const csim_contact_hessian *H = job->H;
  double dot = 0;
  for (int r = first; r < last; r++) {
    double sum[3] = {0}, own[3];
    for (int k = H->row_start[r]; k < H->row_start[r + 1]; k++)
      csim_add_scaled((double)H->entry[k].weight, H->product + csim_xyz(H->entry[k].block), sum);
    ptrdiff_t v = csim_xyz(H->row_vert[r]);
    csim_mat3_mul(H->diag + csim_row(9, r), job->x + v, own);
    for (int a = 0; a < 3; a++) {
      double added = sum[a] - own[a];
      job->y[v + a] += added;
      dot += job->x[v + a] * added;
    }
  }
  *dot_sum = dot;
}

csim_loop csim_contact_hessian_begin_multiply(csim_contact_hessian *hessian, const double *x) {
  hessian->factor = x;
  int n = hessian->nrow ? list_blocks(hessian).n : 0;
  return (csim_loop){n, BLOCK_GRAIN, multiply_blocks, hessian};
}

double csim_contact_hessian_multiply(csim_pool *pool, const csim_contact_hessian *hessian,
                                     const double *x, double *y) {
  if (!hessian->nrow) return 0;
  multiply_job job = {hessian, x, y};
  double dot;
  csim_pool_sums(pool, hessian->nrow, ROW_GRAIN, 1, gather_rows, &job, &dot);
  return dot;
}

// ------------------------------------------------------------------------------------- couplings

typedef struct coupling_job {
  const csim_contact_hessian *H;
  csim_coupling *item;
} coupling_job;

static void fill_couplings(void *context, int first, int last) {
  const coupling_job *job = context;
  const block_list list = list_blocks(job->H);
  for (int i = first; i < last; i++) {
    csim_coupling *c = &job->item[i];
    double space[9];
    const int *v;
    const double *w = block_weights(&list, i, &v);
    c->n = 0;
    for (unsigned left = job->H->corners[i]; left; left &= left - 1) {
      int k = __builtin_ctz(left);
      c->row[c->n] = v[k];
      c->w[c->n++] = w[k];
    }
    if (c->n) memcpy(c->B, block_matrix(&list, i, space), sizeof c->B);
  }
}

int csim_contact_hessian_couplings(const csim_contact_hessian *hessian, csim_couplings *couplings) {
  int n = hessian->nrow ? list_blocks(hessian).n : 0;
  couplings->n = 0;
  if (CSIM_GROW(couplings->item, couplings->capacity, n)) return -1;
  couplings->n = n;
  csim_pool_for(hessian->active->kin->pool, n, BLOCK_GRAIN, fill_couplings,
                &(coupling_job){hessian, couplings->item});
  return 0;
}
