// mesh/icosphere.c: see icosphere.h.
#include "mesh/icosphere.h"

#include "base/dmath.h"
#include "math/vec3.h"

// The regular icosahedron: corners on the unit sphere, faces outward, its edges with lower end
// first.
typedef struct icosahedron {
  double vert[12][3];
  int face[20][3];
  int edge[12][12]; // number of the edge between two corners
} icosahedron;

static void icosahedron_init(icosahedron *s) {
  double y = 1 / sqrt(5.0), r = 2 / sqrt(5.0);
  *s = (icosahedron){.vert = {{0, 1, 0}, [11] = {0, -1, 0}}};
  int f = 0;
  for (int k = 0; k < 5; k++) {
    for (int lower = 0; lower < 2; lower++) {
      double angle = CSIM_PI / 5 * (2 * k + lower), *p = s->vert[1 + k + 5 * lower];
      p[0] = r * csim_cos(angle);
      p[1] = lower ? -y : y;
      p[2] = r * csim_sin(angle);
    }
    int a = 1 + k, b = 1 + (k + 1) % 5, c = a + 5, d = b + 5;
    const int face[4][3] = {{0, b, a}, {a, b, c}, {c, b, d}, {11, c, d}};
    for (int i = 0; i < 4; i++, f++)
      for (int j = 0; j < 3; j++) s->face[f][j] = face[i][j];
  }
  for (int nedge = 0, i = 0; i < 20; i++)
    for (int j = 0; j < 3; j++) {
      int a = s->face[i][j], b = s->face[i][(j + 1) % 3];
      if (a < b) s->edge[a][b] = s->edge[b][a] = nedge++; // every edge is seen once each way
    }
}

// Vertex number p of n - 1 on the edge from corner a to corner b.
static int edge_vertex(const icosahedron *s, int n, int a, int b, int p) {
  return 12 + s->edge[a][b] * (n - 1) + (a < b ? p : n - p) - 1;
}

// Vertex (i, j) of a face cut into n rows: n - i - j, i and j steps from its three sides.
static int face_vertex(const icosahedron *s, int n, int face, int i, int j) {
  const int *v = s->face[face];
  int k = n - i - j;
  if (k == n) return v[0];
  if (i == n) return v[1];
  if (j == n) return v[2];
  if (j == 0) return edge_vertex(s, n, v[0], v[1], i);
  if (i == 0) return edge_vertex(s, n, v[0], v[2], j);
  if (k == 0) return edge_vertex(s, n, v[1], v[2], j);
  // row j holds the n - 1 - j inner vertices i = 1 .. n - 1 - j
  int before = (j - 1) * (n - 1) - j * (j - 1) / 2;
  return 12 + 30 * (n - 1) + face * ((n - 1) * (n - 2) / 2) + before + i - 1;
}

void csim_icosphere(int n, double radius, double *vert, int *tri) {
  const double step = 1.1071487177940904 / n; // [rad] an edge of the icosahedron spans n of them
  icosahedron s;
  icosahedron_init(&s);
  int t = 0;
  for (int f = 0; f < 20; f++) {
    const int *v = s.face[f];
    for (int j = 0; j <= n; j++)
      for (int i = 0; i <= n - j; i++) {
        // sines of the steps instead of the steps themselves: arcs of equal length along the edges
        double p[3] = {0};
        csim_add_scaled(csim_sin(step * (n - i - j)), s.vert[v[0]], p);
        csim_add_scaled(csim_sin(step * i), s.vert[v[1]], p);
        csim_add_scaled(csim_sin(step * j), s.vert[v[2]], p);
        double scale = radius / csim_norm(p);
        double *out = vert + 3 * face_vertex(&s, n, f, i, j);
        for (int k = 0; k < 3; k++) out[k] = scale * p[k];
      }
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n - j; i++) {
        int right = face_vertex(&s, n, f, i + 1, j), up = face_vertex(&s, n, f, i, j + 1);
        const int lower[3] = {face_vertex(&s, n, f, i, j), right, up};
        for (int k = 0; k < 3; k++) tri[t++] = lower[k];
        if (i + j == n - 1) continue;
        const int upper[3] = {right, face_vertex(&s, n, f, i + 1, j + 1), up};
        for (int k = 0; k < 3; k++) tri[t++] = upper[k];
      }
  }
}
