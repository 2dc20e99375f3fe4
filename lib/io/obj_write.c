// io/obj_write.c: see obj_write.h.
#include "io/obj_write.h"

#include "io/file.h"
#include "io/format.h"
#include "mesh/tag.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 128 }; // bytes that hold any line of three numbers

static void write_numbers(csim_file *file, const char *keyword, const double *value, int n,
                          int digits) {
  char *start = csim_file_reserve(file, LINE), *p = start;
  while (*keyword) *p++ = *keyword++;
  for (int k = 0; k < n; k++) {
    *p++ = ' ';
    p += csim_format_number(value[k], digits, p);
  }
  *p++ = '\n';
  csim_file_advance(file, (size_t)(p - start));
}

// Writes the statements that lead from one tag to the next; a keyword without a name ends the last
// name.
static void write_tag(csim_file *file, const char *from, const char *to) {
  for (int kind = 0; kind < CSIM_TAG_KINDS; kind++) {
    int n, m;
    const char *old = csim_tag_name(from, kind, &n), *name = csim_tag_name(to, kind, &m);
    if (n == m && !memcmp(old, name, (size_t)n)) continue;
    if (kind == CSIM_TAG_LIBRARY && !m) continue; // it cannot be closed again
    csim_file_text(file, csim_tag_keyword(kind));
    if (m) csim_file_text(file, " ");
    csim_file_write(file, name, (size_t)m);
    csim_file_text(file, "\n");
  }
}

// A vertex with the colour behind it that many programs read.
static void write_vertex(csim_file *file, const double *x, const double *colour, int digits) {
  if (!colour) {
    write_numbers(file, "v", x, 3, digits);
    return;
  }
  char *start = csim_file_reserve(file, 2 * LINE), *p = start;
  *p++ = 'v';
  for (int k = 0; k < 6; k++) {
    *p++ = ' ';
    p += k < 3 ? csim_format_number(x[k], digits, p) : csim_format_number(colour[k - 3], 9, p);
  }
  *p++ = '\n';
  csim_file_advance(file, (size_t)(p - start));
}

// The normals that the mesh was given, as they are at x. @return 0, or -1 when out of memory
static int write_normals(csim_file *file, const csim_mesh *mesh, const double *x, int digits) {
  const csim_normals *normals = &mesh->look.normals;
  ptrdiff_t n = csim_xyz(normals->n);
  csim_normal_faces faces = {mesh->nface, mesh->face_start, mesh->face_vert};
  double *out = CSIM_NEW(double, n), *scratch = CSIM_NEW(double, n);
  int bad = !out || !scratch;
  if (!bad) csim_normals_at(normals, &faces, x, scratch, out);
  for (ptrdiff_t i = 0; i < n && !bad; i += 3) write_numbers(file, "vn", out + i, 3, digits);
  free(out);
  free(scratch);
  return bad ? -1 : 0;
}

static void write_face(csim_file *file, const csim_mesh *mesh, int f, int has_normals) {
  csim_file_text(file, "f");
  for (int c = mesh->face_start[f]; c < mesh->face_start[f + 1]; c++) {
    char *start = csim_file_reserve(file, LINE), *p = start;
    *p++ = ' ';
    p += csim_format_integer(mesh->face_vert[c] + 1, p);
    if (mesh->face_uv && mesh->face_uv[c] >= 0) {
      *p++ = '/';
      p += csim_format_integer(mesh->face_uv[c] + 1, p);
    }
    if (has_normals && mesh->look.normals.corner[c] >= 0) {
      if (!mesh->face_uv || mesh->face_uv[c] < 0) *p++ = '/';
      *p++ = '/';
      p += csim_format_integer(mesh->look.normals.corner[c] + 1, p);
    }
    csim_file_advance(file, (size_t)(p - start));
  }
  csim_file_text(file, "\n");
}

csim_status csim_obj_write(const char *path, const csim_mesh *mesh, const double *x, int digits,
                           csim_log *log) {
  assert(digits >= 1 && digits <= 17);
  csim_file *file;
  csim_status status = csim_file_create(path, log, &file);
  if (status) return status;
  if (!x) x = mesh->vert;
  const double *colour = mesh->look.colour;
  for (ptrdiff_t v = 0; v < mesh->nvert; v++)
    write_vertex(file, x + 3 * v, colour ? colour + 3 * v : NULL, digits);
  for (int t = 0; t < mesh->nuv; t++)
    write_numbers(file, "vt", mesh->uv + csim_row(2, t), 2, digits);
  csim_normal_faces faces = {mesh->nface, mesh->face_start, mesh->face_vert};
  int has_normals = mesh->look.normals.n && csim_normals_fit(&mesh->look.normals, &faces);
  if (has_normals && write_normals(file, mesh, x, digits)) {
    csim_file_abandon(file);
    return csim_fail_memory(log, path);
  }
  const char *tag = NULL;
  for (int f = 0; f < mesh->nface && !csim_file_failed(file); f++) {
    int t = mesh->face_tag ? mesh->face_tag[f] : -1;
    const char *next = t < 0 ? NULL : mesh->tag[t];
    if (next != tag) write_tag(file, tag, next);
    tag = next;
    write_face(file, mesh, f, has_normals);
  }
  return csim_file_commit(file, 0);
}
