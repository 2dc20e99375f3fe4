// io/mesh_look.c: normals and colours of a mesh file. Needs mesh/, base/.
#include "io/mesh_build.h"

#include <math.h>

// The normal of each corner as the file has them: of its own (OBJ), or that of its vertex (PLY).
// @param[out] given  the normals; NULL: none
static int *find_normals(csim_mesh_build *b, const csim_mesh *m, csim_arena *arena,
                         const double **given) {
  int ncorner = m->face_start[m->nface];
  int *corner = CSIM_ARENA_NEW(arena, int, ncorner);
  const double *part[3] = {csim_mesh_channel_named(m, "nx"), csim_mesh_channel_named(m, "ny"),
                           csim_mesh_channel_named(m, "nz")};
  *given = NULL;
  if (!corner) return NULL;
  if (b->normals.n && b->normals.ncorner) {
    for (int c = 0; c < ncorner; c++) {
      int k = c < b->normals.ncorner ? b->normals.corner[c] : -1;
      corner[c] = k >= 0 && k < b->normals.n ? k : -1;
    }
    *given = b->normals.normal;
  } else if (part[0] && part[1] && part[2]) {
    double *all = CSIM_ARENA_NEW(arena, double, csim_xyz(m->nvert));
    if (!all) return NULL;
    for (ptrdiff_t i = 0; i < csim_xyz(m->nvert); i++) {
      double value = part[i % 3][i / 3];
      all[i] = isfinite(value) ? value : 0;
    }
    for (int c = 0; c < ncorner; c++) corner[c] = m->face_vert[c];
    *given = all;
  }
  return corner;
}

// From the channels of a file: 0 to 255 where some are above 1.
static void find_colours(csim_mesh *m) {
  static const char *const names[3] = {"red", "green", "blue"};
  const double *part[3];
  double most = 0;
  for (int k = 0; k < 3; k++) {
    part[k] = csim_mesh_channel_named(m, names[k]);
    for (int v = 0; part[k] && v < m->nvert; v++) most = fmax(most, part[k][v]);
  }
  if (!part[0] || !part[1] || !part[2]) return;
  m->look.colour = CSIM_ARENA_NEW(&m->arena, double, csim_xyz(m->nvert));
  for (ptrdiff_t i = 0; i < csim_xyz(m->nvert) && m->look.colour; i++) {
    double value = part[i % 3][i / 3] / (most > 1 ? 255 : 1);
    m->look.colour[i] = value > 0 ? (double)(float)fmin(value, 1) : 0; // also NAN
  }
}

int csim_mesh_build_look(csim_mesh_build *b, csim_mesh *m) {
  const double *given;
  csim_arena scratch = {0};
  csim_normal_faces faces = {m->nface, m->face_start, m->face_vert};
  int *corner = find_normals(b, m, &scratch, &given);
  int bad = !corner;
  if (!bad && given)
    bad = csim_normals_bind(&m->arena, &faces, m->nvert, m->vert, given, corner, &m->look.normals);
  if (!bad) find_colours(m);
  csim_arena_free(&scratch);
  return bad || m->arena.failed ? -1 : 0;
}
