// mesh/divide.c: see divide.h.
#include "mesh/divide.h"

void csim_divide_triangles(const csim_topology *topology, const int *tri, int *four) {
  for (int t = 0; t < topology->ntri; t++) {
    const int *v = tri + csim_xyz(t), *edge = topology->tri_edge + csim_xyz(t);
    int m[3], *to = four + csim_row(12, t);
    for (int k = 0; k < 3; k++) m[k] = topology->nvert + edge[k]; // from corner k to k + 1
    int part[12] = {v[0], m[0], m[2], m[0], v[1], m[1], m[2], m[1], v[2], m[0], m[1], m[2]};
    for (int k = 0; k < 12; k++) to[k] = part[k];
  }
}

int csim_edge_between(const csim_topology *topology, int a, int b) {
  int low = a < b ? a : b, high = a < b ? b : a, first = 0, last = topology->nedge - 1;
  while (first <= last) {
    int e = first + (last - first) / 2;
    const int *v = topology->edge + csim_row(2, e);
    if (v[0] == low && v[1] == high) return e;
    if (v[0] < low || (v[0] == low && v[1] < high))
      first = e + 1;
    else
      last = e - 1;
  }
  return -1;
}

void csim_carry_over(int first, int nvert, const int *parent, int n, double *value) {
  for (int i = first; i < nvert; i++) {
    const double *a = value + csim_row(n, parent[csim_row(2, i)]);
    const double *b = value + csim_row(n, parent[csim_row(2, i) + 1]);
    for (int k = 0; k < n; k++) value[csim_row(n, i) + k] = 0.5 * (a[k] + b[k]);
  }
}
