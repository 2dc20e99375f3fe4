// cache/sequence_files.c: frames from mesh files: a folder of NAME_0001.obj (or .ply), files given
// as NAME_####.obj, or one file. Needs io/, base/.
//
// Each # stands for a digit, or the first for a minus; numbers that need more digits than there are
// # may have them. A minus counts as one where a separator is before it (NAME_-003.obj): in
// NAME-0003.obj it is the separator.
// A run's folder may hold meshes in several formats; OBJ goes before PLY. Files that share a name
// up to their number are an object. Topology is that of an object's first frame and must not
// change.
#include "cache/look.h"
#include "cache/sequence.h"

#include "io/mesh_file.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A file found, then sorted by object and number.
typedef struct frame_file {
  const char *stem; // name of the object
  long long number;
  char *path;
} frame_file;

typedef struct files {
  frame_file *file;
  ptrdiff_t nfile, capacity;
  csim_mesh *mesh;      // (nobject) of the first frame
  frame_file **present; // (nobject x nframe) NULL where an object lacks a frame
} files;

static int is_digit(char c) {
  return c >= '0' && c <= '9';
}

static int is_separator(char c) {
  return c == '_' || c == '.' || c == '-';
}

// Splits NAME_0001.ext; without digits the number is 0 and the whole name the object's.
static int add_file(csim_sequence *s, const char *folder, const char *name) {
  files *all = s->state;
  if (CSIM_GROW(all->file, all->capacity, all->nfile + 1)) return -1;
  frame_file *f = &all->file[all->nfile];
  const char *slash = *folder && strcmp(folder, "/") ? "/" : "";
  char *stem = csim_arena_copy(&s->arena, name);
  f->path = csim_arena_print(&s->arena, "%s%s%s", folder, slash, name);
  f->stem = stem;
  f->number = 0;
  if (!f->path || !stem) return -1;
  char *dot = strrchr(stem, '.');
  if (dot) *dot = 0;
  char *end = stem + strlen(stem), *digit = end;
  while (digit > stem && is_digit(digit[-1]) && end - digit < 18) digit--;
  if (digit < end && digit > stem) {
    if (digit > stem + 2 && digit[-1] == '-' && is_separator(digit[-2])) digit--;
    f->number = strtoll(digit, NULL, 10);
    if (is_separator(digit[-1])) digit--;
    if (digit > stem) *digit = 0;
  }
  all->nfile++;
  return 0;
}

// Whether the name is the pattern with a number in place of its one run of #.
static int fits_pattern(const char *name, const char *pattern) {
  size_t before = strcspn(pattern, "#"), least = strspn(pattern + before, "#"), digits;
  if (strncmp(name, pattern, before)) return 0;
  size_t sign = before > 0 && is_separator(name[before - 1]) && name[before] == '-';
  digits = sign;
  while (is_digit(name[before + digits])) digits++;
  // a longer number has no leading zeros
  if (digits < least || digits == sign || digits > 18 ||
      (digits > least && name[before + sign] == '0'))
    return 0;
  return !strcmp(name + before + digits, pattern + before + least);
}

// Files of a folder by a pattern.
static csim_status match_folder(csim_sequence *s, const char *path, const char *pattern) {
  DIR *folder = opendir(path);
  if (!folder) return csim_fail_system(s->log, path, "open", errno);
  csim_status status = CSIM_OK;
  for (struct dirent *d; !status && (d = readdir(folder));)
    if (fits_pattern(d->d_name, pattern) && add_file(s, path, d->d_name))
      status = csim_sequence_memory(s);
  closedir(folder);
  return status;
}

// Files of a folder by their kind. A rest mesh has its object's name and no number.
static csim_status list_folder(csim_sequence *s) {
  files *all = s->state;
  int count, is_rest = !strncmp(s->wanted, "rest", 4);
  char **name;
  csim_status status = csim_sequence_list(s, s->wanted, &count, &name);
  for (int i = 0; i < count && !status; i++) {
    if (add_file(s, s->path, name[i])) return csim_sequence_memory(s);
    if (!is_rest) continue;
    char *stem = csim_arena_copy(&s->arena, name[i]);
    if (!stem) return csim_sequence_memory(s);
    stem[strlen(stem) - strlen("_rest.obj")] = 0;
    all->file[all->nfile - 1].stem = stem;
    all->file[all->nfile - 1].number = 0;
  }
  return status;
}

// Files given as folder/NAME_####.obj: one object, by the pattern's number, wherever that is.
static csim_status list_pattern(csim_sequence *s, const char *folder, const char *pattern) {
  files *all = s->state;
  size_t before = strcspn(pattern, "#"), least = strspn(pattern + before, "#");
  if (strchr(pattern + before + least, '#'))
    return csim_refuse(s->log, csim_in_file(s->path),
                       "has # in two places: which of them is the frame's number?");
  csim_status status = match_folder(s, *folder ? folder : ".", pattern);
  size_t stem = before;
  while (stem > 0 && is_separator(pattern[stem - 1])) stem--;
  char *name = csim_arena_print(&s->arena, "%.*s", (int)stem, pattern);
  if (!name) return csim_sequence_memory(s);
  for (ptrdiff_t i = 0; i < all->nfile; i++) {
    const char *slash = strrchr(all->file[i].path, '/');
    all->file[i].number = strtoll(slash + 1 + before, NULL, 10);
    all->file[i].stem = *name ? name : "mesh";
  }
  return status;
}

static int by_object_and_number(const void *a, const void *b) {
  const frame_file *p = a, *q = b;
  int order = strcmp(p->stem, q->stem);
  return order ? order : (p->number > q->number) - (p->number < q->number);
}

static int is_first_of_object(const files *all, ptrdiff_t i) {
  return i == 0 || strcmp(all->file[i].stem, all->file[i - 1].stem) != 0;
}

// Lists the frame numbers of all objects together, and the objects that have each.
static csim_status make_table(csim_sequence *s) {
  files *all = s->state;
  qsort(all->file, (size_t)all->nfile, sizeof *all->file, by_object_and_number);
  long long *number = CSIM_ARENA_NEW(&s->arena, long long, all->nfile);
  if (!number) return csim_sequence_memory(s);
  int nframe, nobject = 0;
  for (ptrdiff_t i = 0; i < all->nfile; i++) {
    number[i] = all->file[i].number;
    nobject += is_first_of_object(all, i);
  }
  nframe = csim_sequence_numbers(all->nfile, number);
  all->present = CSIM_ARENA_NEW(&s->arena, frame_file *, (ptrdiff_t)nobject * nframe);
  if (!all->present) return csim_sequence_memory(s);
  int object = -1;
  for (ptrdiff_t i = 0; i < all->nfile; i++) {
    object += is_first_of_object(all, i);
    long long *at = bsearch(&all->file[i].number, number, (size_t)nframe, sizeof *number,
                            csim_sequence_by_number);
    frame_file **place = &all->present[(ptrdiff_t)object * nframe + (at - number)];
    if (*place)
      return csim_refuse(s->log, csim_in_file(s->path), "%s and %s are the same frame",
                         (*place)->path, all->file[i].path);
    *place = &all->file[i];
  }
  s->info.number = number;
  s->info.nframe = nframe;
  s->info.nobject = nobject;
  return CSIM_OK;
}

static csim_status read_topologies(csim_sequence *s) {
  files *all = s->state;
  csim_cache_object *object = CSIM_ARENA_NEW(&s->arena, csim_cache_object, s->info.nobject);
  all->mesh = CSIM_ARENA_NEW(&s->arena, csim_mesh, s->info.nobject);
  if (!object || !all->mesh) return csim_sequence_memory(s);
  for (int i = 0; i < s->info.nobject; i++) {
    frame_file **present = all->present + (ptrdiff_t)i * s->info.nframe;
    while (!*present) present++;
    csim_mesh *m = &all->mesh[i];
    csim_status status = csim_mesh_read((*present)->path, s->log, m);
    if (status) return status;
    object[i] = csim_object_of_mesh(m);
    object[i].name = (*present)->stem;
  }
  s->info.object = object;
  s->info.has_faces = 1;
  return CSIM_OK;
}

static csim_status open_files(csim_sequence *s) {
  files *all = s->state = CSIM_ARENA_NEW(&s->arena, files, 1);
  if (!all) return csim_sequence_memory(s);
  csim_status status = CSIM_OK;
  const char *slash = strrchr(s->path, '/'), *name = slash ? slash + 1 : s->path;
  char *folder = csim_arena_copy(&s->arena, s->path);
  if (!folder) return csim_sequence_memory(s);
  folder[slash == s->path ? 1 : slash ? slash - s->path : 0] = 0;
  if (strchr(name, '#') && access(s->path, F_OK)) {
    status = list_pattern(s, folder, name);
  } else if (!s->wanted) { // a file
    if (add_file(s, folder, name)) return csim_sequence_memory(s);
  } else {
    status = list_folder(s);
  }
  if (!status && !all->nfile)
    status =
        csim_refuse(s->log, csim_in_file(s->path), "there is no such file, whatever its number");
  if (!status) status = make_table(s);
  return status ? status : read_topologies(s);
}

// Whether a later frame has the faces of the first; reports it if not.
static int same_faces(csim_sequence *s, const frame_file *file, const csim_mesh *mesh, int object) {
  const files *all = s->state;
  const csim_mesh *first = &all->mesh[object];
  frame_file **present = all->present + (ptrdiff_t)object * s->info.nframe;
  while (!*present) present++;
  csim_place place = {.file = file->path};
  if (mesh->nvert != first->nvert) {
    csim_say(s->log, CSIM_ERROR, place, "has %d vertices, and the first frame, %s, has %d",
             mesh->nvert, (*present)->path, first->nvert);
    return 0;
  }
  if (mesh->nface == first->nface &&
      !memcmp(mesh->face_start, first->face_start, ((size_t)first->nface + 1) * sizeof(int)) &&
      !memcmp(mesh->face_vert, first->face_vert,
              (size_t)first->face_start[first->nface] * sizeof(int)))
    return 1;
  csim_say(s->log, CSIM_ERROR, place, "has other faces (%d) than the first frame, %s (%d)",
           mesh->nface, (*present)->path, first->nface);
  return 0;
}

// The file of an object in a frame; NULL if there is none, which is reported.
static const frame_file *find_file(csim_sequence *s, int object, int frame) {
  files *all = s->state;
  frame_file *file = all->present[(ptrdiff_t)object * s->info.nframe + frame];
  if (!file)
    csim_say(s->log, CSIM_ERROR, csim_in_file(s->path), "object \"%s\" lacks frame %lld",
             s->info.object[object].name, s->info.number[frame]);
  return file;
}

static csim_status read_file_polygons(csim_sequence *s, int object, int frame,
                                      csim_polygons **surface) {
  const frame_file *file = find_file(s, object, frame);
  return file ? csim_polygons_read(file->path, s->log, surface) : CSIM_INVALID;
}

static csim_status read_files(csim_sequence *s, int object, int frame, double *x, double *v) {
  const frame_file *file = find_file(s, object, frame);
  csim_mesh mesh = {0};
  if (!file) return CSIM_INVALID;
  csim_status status = csim_mesh_read(file->path, s->log, &mesh);
  if (!status && !same_faces(s, file, &mesh, object)) status = CSIM_INVALID;
  size_t n = 3 * (size_t)s->info.object[object].nvert;
  if (!status) memcpy(x, mesh.vert, n * sizeof *x);
  if (v) memset(v, 0, n * sizeof *v);
  csim_mesh_free(&mesh);
  return status;
}

static void free_files(csim_sequence *s) {
  files *all = s->state;
  if (!all) return;
  for (int i = 0; i < s->info.nobject && all->mesh; i++) csim_mesh_free(&all->mesh[i]);
  free(all->file);
}

static int has_file(const csim_sequence *s, int object, int frame) {
  const files *all = s->state;
  return all->present[(ptrdiff_t)object * s->info.nframe + frame] != NULL;
}

const csim_sequence_kind csim_sequence_files = {.name = "files",
                                                .open = open_files,
                                                .read = read_files,
                                                .polygons = read_file_polygons,
                                                .has = has_file,
                                                .free = free_files};
