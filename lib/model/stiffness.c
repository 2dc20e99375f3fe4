// model/stiffness.c: see stiffness.h.
#include "model/stiffness.h"

#include "model/external.h"

#include <string.h>

enum { EDGE_GRAIN = 256, ROW_GRAIN = 512 };

// Two springs of one energy between the same vertices would need two elements on one edge.
static int has_twins(csim_arena *temp, const csim_layout *layout, const csim_energy *energy) {
  unsigned char *seen = CSIM_ARENA_NEW(temp, unsigned char, layout->pattern.nblock);
  if (!seen) return 0;
  for (int e = 0; e < energy->nelem; e++) {
    const int *slot = energy->slot + csim_row(4, e);
    if (energy->node[csim_row(2, e)] == energy->node[csim_row(2, e) + 1] || seen[slot[1]]) return 1;
    seen[slot[1]] = seen[slot[2]] = 1;
  }
  return 0;
}

static int fits(csim_arena *temp, const csim_layout *layout) {
  for (int e = 0; e < layout->nenergy; e++) {
    const csim_energy *energy = &layout->energy[e];
    if (energy->kind->couple) continue;
    if (energy->kind->stretch ? has_twins(temp, layout, energy) : !energy->kind->constant) return 0;
  }
  return 1;
}

// Data of each block of the model's pattern.
typedef struct block_map {
  double *weight; // (nblock) the energies' constant scalars
  int *edge;      // (nblock) 1 + number of the spring's or membrane's edge; 0: none
} block_map;

// An edge is counted at its lower row, or at its free one.
static inline int counts_here(const csim_model *model, int row, int col) {
  return col > row || model->fixed[col];
}

// Numbers the near edges in the order of rows; none between fixed ones.
static void number_edges(const csim_model *model, const csim_layout *layout, block_map *map,
                         csim_stiffness *K) {
  const csim_pattern *p = &layout->pattern;
  enum { FOUND = -1 };
  for (int e = 0; e < layout->nenergy; e++) {
    const csim_energy *energy = &layout->energy[e];
    int nnode = energy->kind->nnode;
    for (int k = 0; k < energy->nelem && (energy->kind->stretch || energy->kind->couple); k++) {
      const int *slot = energy->slot + (ptrdiff_t)nnode * nnode * k;
      const int *node = energy->node + (ptrdiff_t)nnode * k;
      for (int a = 0; a < nnode; a++)
        for (int b = 0; b < nnode; b++)
          if (a != b)
            map->edge[slot[nnode * a + b]] =
                model->fixed[node[a]] && model->fixed[node[b]] ? 0 : FOUND;
    }
  }
  for (int i = 0; i < model->nvert; i++) {
    for (int b = p->start[i]; b < p->start[i + 1] && !model->fixed[i]; b++)
      if (map->edge[b] == FOUND && counts_here(model, i, p->col[b]))
        map->edge[b] = map->edge[csim_pattern_find(p, p->col[b], i)] = ++K->nedge;
    K->edge_start[i + 1] = K->nedge;
  }
}

// Near and far neighbours of each row; fixed rows have none.
static void fill_rows(const csim_model *model, const csim_pattern *p, const block_map *map,
                      csim_stiffness *K) {
  csim_edge_graph *graph = &K->graph;
  int near = 0, far = 0;
  for (int i = 0; i < model->nvert; i++) {
    for (int b = p->start[i]; b < p->start[i + 1] && !model->fixed[i]; b++) {
      int j = p->col[b], edge = map->edge[b] - 1;
      if (edge >= 0) {
        K->bending[edge] = -map->weight[b];
        graph->near_col[near++] = j;
      } else if (j != i && map->weight[b] != 0) {
        graph->far_col[far] = j;
        graph->far[far++] = (float)-map->weight[b];
      }
    }
    graph->near_start[i + 1] = near;
    graph->far_start[i + 1] = far;
  }
}

static void count_neighbours(const csim_model *model, const csim_pattern *p, const block_map *map,
                             int *near, int *far) {
  *near = *far = 0;
  for (int i = 0; i < model->nvert; i++)
    for (int b = p->start[i]; b < p->start[i + 1] && !model->fixed[i]; b++) {
      *near += map->edge[b] > 0;
      *far += map->edge[b] == 0 && p->col[b] != i && map->weight[b] != 0;
    }
}

static void find_elements(const csim_layout *layout, const block_map *map, csim_stiffness *K) {
  for (int s = 0; s < K->nspring; s++) {
    const int *slot = layout->energy[K->spring[s] - K->model->energy].slot;
    for (int k = 0; k < K->nedge; k++) K->element[s][k] = -1;
    for (int e = 0; e < K->spring[s]->nelem; e++) {
      int edge = map->edge[slot[csim_row(4, e) + 1]] - 1;
      if (edge >= 0) K->element[s][edge] = e;
    }
  }
}

// Near entry of every block of the pattern, -1: none.
static void number_entries(const csim_model *model, const csim_pattern *p, const block_map *map,
                           int *entry) {
  int near = 0;
  for (int i = 0; i < model->nvert; i++)
    for (int b = p->start[i]; b < p->start[i + 1]; b++)
      entry[b] = !model->fixed[i] && map->edge[b] > 0 ? near++ : -1;
}

static void find_entries(const csim_layout *layout, const int *entry, csim_stiffness *K) {
  static const int pair[6] = {1, 3, 5, 7, 6, 2}; // (0, 1), (1, 0), (1, 2), (2, 1), (2, 0), (0, 2)
  for (int m = 0; m < K->nmembrane; m++) {
    const csim_energy *energy = &layout->energy[K->membrane[m] - K->model->energy];
    for (int e = 0; e < energy->nelem; e++)
      for (int k = 0; k < 6; k++)
        K->entry[m][csim_row(6, e) + k] = entry[energy->slot[csim_row(9, e) + pair[k]]];
  }
}

// Sorts the energies into springs, membranes and constant ones, and computes the weights of the
// last.
static void sort_energies(csim_arena *arena, const csim_layout *layout, block_map *map,
                          double *anchors, csim_stiffness *K) {
  const csim_model *model = K->model;
  for (int e = 0; e < model->nenergy; e++) {
    const csim_energy *energy = &layout->energy[e];
    if (energy->kind->stretch)
      K->spring[K->nspring++] = &model->energy[e];
    else if (energy->kind->couple)
      K->membrane[K->nmembrane++] = &model->energy[e];
    else
      csim_energy_laplacian(NULL, energy, NULL, energy->kind->nnode == 1 ? anchors : map->weight);
    if (energy->kind->nnode == 1 && !K->anchor)
      K->anchor = CSIM_ARENA_NEW(arena, double, model->nvert);
  }
  K->graph.wide = K->nmembrane > 0;
  for (int i = 0; i < model->nvert && K->anchor; i++)
    K->anchor[i] = anchors[layout->pattern.diag[i]];
}

int csim_stiffness_create(csim_arena *arena, const csim_model *model, csim_stiffness *K) {
  csim_arena temp = {0};
  csim_layout layout;
  const csim_pattern *p = &layout.pattern;
  int n = model->nvert, near, far, unfit = 0;
  *K = (csim_stiffness){.model = model, .graph = {.nrow = n}};
  if (csim_layout_build(&temp, model, &layout)) goto done;
  unfit = !fits(&temp, &layout);
  if (temp.failed || unfit) goto done;
  block_map map = {CSIM_ARENA_NEW(&temp, double, p->nblock), CSIM_ARENA_NEW(&temp, int, p->nblock)};
  double *anchors = CSIM_ARENA_NEW(&temp, double, p->nblock);
  K->spring = CSIM_ARENA_NEW(arena, const csim_energy *, model->nenergy);
  K->membrane = CSIM_ARENA_NEW(arena, const csim_energy *, model->nenergy);
  K->element = CSIM_ARENA_NEW(arena, int *, model->nenergy);
  K->entry = CSIM_ARENA_NEW(arena, int *, model->nenergy);
  if (temp.failed || arena->failed) goto done;
  sort_energies(arena, &layout, &map, anchors, K);
  K->edge_start = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)n + 1);
  if (arena->failed) goto done;
  number_edges(model, &layout, &map, K);
  count_neighbours(model, p, &map, &near, &far);
  K->graph.near_start = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)n + 1);
  K->graph.near_col = CSIM_ARENA_NEW(arena, int, near);
  K->graph.far_start = CSIM_ARENA_NEW(arena, int, (ptrdiff_t)n + 1);
  K->graph.far_col = CSIM_ARENA_NEW(arena, int, far);
  K->graph.far = CSIM_ARENA_NEW(arena, float, far);
  K->bending = CSIM_ARENA_NEW(arena, double, K->nedge);
  for (int s = 0; s < K->nspring; s++) K->element[s] = CSIM_ARENA_NEW(arena, int, K->nedge);
  for (int m = 0; m < K->nmembrane; m++)
    K->entry[m] = CSIM_ARENA_NEW(arena, int, csim_row(6, K->membrane[m]->nelem));
  int *entry = CSIM_ARENA_NEW(&temp, int, p->nblock);
  if (temp.failed || arena->failed) goto done;
  fill_rows(model, p, &map, K);
  find_elements(&layout, &map, K);
  number_entries(model, p, &map, entry);
  find_entries(&layout, entry, K);
  csim_edge_matrix_create(arena, &K->graph, &K->A);
done:
  if (temp.failed) arena->failed = 1;
  csim_arena_free(&temp);
  return arena->failed ? -1 : unfit;
}

void csim_stiffness_free(csim_stiffness *K) {
  csim_edge_matrix_free(&K->A);
}

typedef struct update_job {
  const csim_energy *membrane;
  const int *entry;
  const csim_point *at;
  csim_psd psd;
  const double *inertia, *resistance;
  csim_stiffness *K;
} update_job;

// The trace of D over h. D itself would need a block in every row, but it is small beside the
// springs; across the wind the trace only shortens a step.
static double drag_of(const update_job *job, int i) {
  if (!job->resistance) return 0;
  const double *D = job->resistance + csim_row(CSIM_RESISTANCE, i);
  return (D[0] + D[3] + D[5]) / job->at->h;
}

static void update_diagonals(void *context, int first, int last) {
  const update_job *job = context;
  const csim_model *model = job->K->model;
  for (int i = first; i < last; i++) {
    job->K->A.place[i] = -1;
    double held = job->K->anchor ? job->K->anchor[i] : 0;
    job->K->A.diag[i] = model->fixed[i] ? 1 : job->inertia[i] + held + drag_of(job, i);
  }
}

// An iterator over edges: the current one is the near entry of a row.
typedef struct edge_walk {
  int row, entry;
} edge_walk;

static inline void next_edge(const csim_stiffness *K, edge_walk *at) {
  const csim_edge_graph *graph = &K->graph;
  do {
    at->entry++;
    while (at->entry >= graph->near_start[at->row + 1]) at->row++;
  } while (!counts_here(K->model, at->row, graph->near_col[at->entry]));
}

// The row of an edge.
static int row_of(const csim_stiffness *K, int edge) {
  int low = 0, high = K->graph.nrow; // edge_start[low] <= edge < edge_start[high]
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (K->edge_start[middle] <= edge)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Positions the iterator just before edge number `first`.
static edge_walk walk_from(const csim_stiffness *K, int first) {
  int low = row_of(K, first);
  edge_walk at = {low, K->graph.near_start[low] - 1};
  for (int e = K->edge_start[low]; e < first; e++) next_edge(K, &at);
  return at;
}

CSIM_SIMD_BODY void store_edge(const csim_stiffness *K, int entry, const csim_v4 *of_edge) {
  csim_v4 edge = *of_edge;
  if (!K->graph.wide) {
    CSIM_STORE4F(K->A.near + csim_row(4, entry), edge);
    return;
  }
  float *S = K->A.near + csim_row(9, entry);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) S[3 * i + j] = (float)(edge[i] * edge[j] + (i == j ? edge[3] : 0));
}

// Stores edges as floats, from their a and c (n x 2), at both of their rows. No other thread writes
// the same edge.
CSIM_SIMD_BODY int store_edges(const csim_stiffness *K, const double *x, const double *sum,
                               int first, int n) {
  const csim_edge_graph *graph = &K->graph;
  edge_walk at = walk_from(K, first);
  for (int k = 0; k < n; k += 4) {
    csim_v4 c = {0};
    for (int i = 0; i < 4 && k + i < n; i++) c[i] = sum[2 * (k + i) + 1];
    csim_v4 u = CSIM_SQRT4(c);
    for (int i = 0; i < 4 && k + i < n; i++) {
      next_edge(K, &at);
      int other = graph->near_col[at.entry];
      csim_v4 edge = u[i] * (CSIM_LOAD3(x + csim_xyz(at.row)) - CSIM_LOAD3(x + csim_xyz(other)));
      edge[3] = sum[2 * (k + i)];
      store_edge(K, at.entry, &edge);
      if (K->model->fixed[other]) continue;
      int back = graph->near_start[other];
      while (graph->near_col[back] != at.row) back++;
      store_edge(K, back, &edge);
    }
  }
  return 0;
}
CSIM_SIMD_KERNEL(int, store_edges,
                 (const csim_stiffness *K, const double *x, const double *sum, int first, int n),
                 (K, x, sum, first, n))

// As csim_energy_next_run, for edges: both ends of one are idle, or neither is.
static int next_edges(const csim_stiffness *K, const unsigned char *idle, int *first, int last) {
  if (!idle || *first >= last) return last;
  int row = row_of(K, *first);
  while (*first < last && idle[row]) *first = K->edge_start[++row];
  int end = *first;
  while (end < last && !idle[row]) end = K->edge_start[++row];
  return end < last ? end : last;
}

static void update_some_edges(const update_job *job, int first, int last) {
  csim_stiffness *K = job->K;
  double sum[2 * EDGE_GRAIN];
  for (int k = first; k < last; k++) {
    sum[2 * (k - first)] = K->bending[k];
    sum[2 * (k - first) + 1] = 0;
  }
  for (int s = 0; s < K->nspring; s++)
    K->spring[s]->kind->stretch(K->spring[s], job->at, job->psd, last - first,
                                K->element[s] + first, sum);
  store_edges_kernel[K->A.isa](K, job->at->x, sum, first, last - first);
}

static void update_edges(void *context, int first, int last) {
  const update_job *job = context;
  for (int end; (end = next_edges(job->K, job->at->idle, &first, last)) > first; first = end)
    update_some_edges(job, first, end);
}

// Ranges that run at the same time share no vertex, and so no edge.
static void add_membrane(void *context, int first, int last) {
  const update_job *job = context;
  const csim_energy *energy = job->membrane;
  for (int end; (end = csim_energy_next_run(energy, job->at->idle, &first, last)) > first;
       first = end)
    energy->kind->couple(energy, job->at, job->psd, first, end, job->entry, job->K->A.near);
}

// Updates soft pins whose stiffness changes.
static void update_anchors(const csim_point *at, csim_stiffness *K) {
  memset(K->anchor, 0, (size_t)K->model->nvert * sizeof *K->anchor);
  for (int k = 0; k < K->model->nenergy; k++) {
    const csim_energy *energy = &K->model->energy[k];
    for (int e = 0; energy->kind->role == CSIM_ROLE_PIN && e < energy->nelem; e++) {
      const double *param = csim_energy_param(energy, e);
      K->anchor[energy->node[e]] += param[0] * at->hold[(ptrdiff_t)param[1]];
    }
  }
}

void csim_stiffness_update(csim_pool *pool, const csim_point *at, csim_psd psd,
                           const double *inertia, const double *resistance, csim_stiffness *K) {
  update_job job = {.at = at, .psd = psd, .inertia = inertia, .resistance = resistance, .K = K};
  K->A.idle = at->idle;
  if (at->hold && K->anchor) update_anchors(at, K);
  csim_pool_for(pool, K->model->nvert, ROW_GRAIN, update_diagonals, &job);
  csim_pool_for(pool, K->nedge, EDGE_GRAIN, update_edges, &job);
  for (int m = 0; m < K->nmembrane; m++) {
    job.membrane = K->membrane[m];
    job.entry = K->entry[m];
    csim_energy_for(pool, job.membrane, EDGE_GRAIN, add_membrane, &job);
  }
}
