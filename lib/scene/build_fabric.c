// scene/build_fabric.c: rest shape, warp direction and maps of cloth. Needs io/, model/fabric.h.
#include "math/vec3.h"
#include "mesh/tag.h"
#include "model/fabric.h"
#include "scene/compile.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void csim_rest_free(csim_rest_shape *rest) {
  free(rest->X);
  free(rest->flat);
  *rest = (csim_rest_shape){0};
}

static csim_status refuse_uv(csim_build *build, const csim_object *object, int missing, int ntri,
                             const char *what) {
  return csim_refuse(build->log, object->mesh_place,
                     "object \"%s\": %d of its %d triangles have no texture coordinates with an "
                     "area, which %s needs",
                     object->name, missing, ntri, what);
}

// Sets the vertices of the rest shape: the start, a file, or the flat panels of a pattern. A rest
// shape from uv has none.
static csim_status rest_positions(csim_build *build, const csim_object *object,
                                  const csim_mesh *mesh, csim_rest_shape *rest) {
  size_t size = 3 * (size_t)mesh->nvert * sizeof *rest->X;
  if (object->rest == CSIM_REST_UV) return CSIM_OK;
  rest->X = CSIM_NEW(double, csim_xyz(mesh->nvert));
  if (!rest->X) return CSIM_MEMORY;
  memcpy(rest->X, csim_mesh_rest(mesh), size); // flat panels of a pattern
  if (object->rest != CSIM_REST_FILE) return CSIM_OK;
  csim_mesh other;
  csim_object as_file = *object;
  as_file.mesh = (csim_mesh_source){.shape = CSIM_SHAPE_FILE,
                                    .file = object->rest_file,
                                    .object = object->rest_object,
                                    .frame = object->rest_frame,
                                    .unit = object->mesh.unit,
                                    .up = object->mesh.up};
  csim_status status = csim_build_surface(build->scene, &as_file, build->log, &other);
  if (!status) {
    int same = other.nvert == mesh->nvert && other.ntri == mesh->ntri &&
               !memcmp(other.tri, mesh->tri, 3 * (size_t)mesh->ntri * sizeof *mesh->tri);
    if (same)
      memcpy(rest->X, other.vert, size);
    else
      csim_say(build->log, CSIM_ERROR, object->mesh_place,
               "object \"%s\": the rest shape %s has %d vertices and %d triangles, its mesh %d and "
               "%d; both need the same vertices and faces in the same order",
               object->name, object->rest_file, other.nvert, other.ntri, mesh->nvert, mesh->ntri);
    if (!same) status = CSIM_INVALID;
  }
  csim_mesh_free(&other);
  return status;
}

// The mesh's axes rotated as the object is, starting with warp.
static void placed_axes(const csim_object *object, double axes[9]) {
  int along = object->warp >= CSIM_WARP_X ? (int)object->warp - CSIM_WARP_X : 0;
  double R[9];
  csim_rotation_matrix(object->rotation, R);
  for (int k = 0; k < 3; k++)
    for (int c = 0; c < 3; c++) axes[3 * k + c] = R[3 * c + (along + k) % 3];
}

static csim_status lay_flat(csim_build *build, const csim_object *object, const csim_mesh *mesh,
                            const double *uv, int missing, csim_rest_shape *rest) {
  int by_uv = object->warp == CSIM_WARP_UV ||
              (object->warp == CSIM_WARP_AUTO && mesh->nuv > 0 && missing == 0);
  if (object->rest == CSIM_REST_UV) {
    if (missing) return refuse_uv(build, object, missing, mesh->ntri, "a rest shape from uv");
    for (ptrdiff_t k = 0; k < csim_row(6, mesh->ntri); k++)
      rest->flat[k] = object->rest_scale * uv[k];
  } else {
    double axes[9];
    placed_axes(object, axes);
    csim_fabric_lay(mesh->ntri, mesh->tri, rest->X, axes, rest->flat);
    if (object->warp == CSIM_WARP_UV && missing)
      return refuse_uv(build, object, missing, mesh->ntri, "warp along uv");
    if (by_uv) csim_fabric_align(mesh->ntri, uv, rest->flat);
  }
  if (object->warp_angle == 0) return CSIM_OK;
  double *angle = CSIM_NEW(double, mesh->ntri);
  if (!angle) return CSIM_MEMORY;
  for (int t = 0; t < mesh->ntri; t++) angle[t] = object->warp_angle;
  csim_fabric_turn(mesh->ntri, angle, rest->flat);
  free(angle);
  return CSIM_OK;
}

csim_status csim_build_rest(csim_build *build, const csim_object *object, const csim_mesh *mesh,
                            csim_rest_shape *rest) {
  *rest = (csim_rest_shape){0};
  csim_status status = rest_positions(build, object, mesh, rest);
  if (status || (!object->membrane && object->rest != CSIM_REST_UV &&
                 object->bending != CSIM_BENDING_CURVATURE))
    return status;
  double *uv = CSIM_NEW(double, csim_row(6, mesh->ntri));
  rest->flat = CSIM_NEW(double, csim_row(6, mesh->ntri));
  if (uv && rest->flat)
    status = lay_flat(build, object, mesh, uv, csim_fabric_uv(mesh, uv), rest);
  else
    status = CSIM_MEMORY;
  free(uv);
  return status;
}

// -------------------------------------------------------------------------------------------- maps

void csim_factors_free(csim_factors *factors) {
  for (int k = 0; k < CSIM_NMAP; k++) free(factors->of[k]);
  *factors = (csim_factors){0};
}

static int in_groups(const csim_map *map, const csim_mesh *mesh, int face) {
  int tag = mesh->ntag > 0 ? mesh->face_tag[face] : -1;
  for (int k = 0; k < map->ngroup && tag >= 0; k++)
    if (csim_tag_has(mesh->tag[tag], map->group[k])) return 1;
  return 0;
}

const double *csim_find_channel(csim_build *build, const csim_object *object, csim_place place,
                                const csim_mesh *mesh, const char *name) {
  const double *value = csim_mesh_channel_named(mesh, name);
  if (value) return value;
  char names[200] = "";
  for (int k = 0; k < mesh->channels.n; k++) {
    size_t used = strlen(names);
    snprintf(names + used, sizeof names - used, "%s\"%.30s\"", k ? ", " : "",
             mesh->channels.item[k].name);
  }
  csim_say(build->log, CSIM_ERROR, place,
           "the mesh of \"%s\" has no numbers \"%s\" for its vertices; it has %s", object->name,
           name,
           names[0] ? names
                    : "none: paint them, and write them as properties of a PLY file or as colours");
  return NULL;
}

static double weight_of(const csim_map *map, const double *value, const csim_mesh *mesh, int t) {
  const int *v = mesh->tri + csim_xyz(t);
  if (value) return (value[v[0]] + value[v[1]] + value[v[2]]) / 3;
  int face = mesh->tri_face[t];
  return map->nface ? map->face[face] : in_groups(map, mesh, face);
}

// Refuses weights whose number does not fit the mesh, and groups that it does not have.
static csim_status check_map(csim_build *build, const csim_object *object, const csim_map *map,
                             const csim_mesh *mesh) {
  int found = map->ngroup == 0;
  if (map->nvertex && map->nvertex != mesh->nvert)
    return csim_refuse(build->log, map->place,
                       "\"vertices\" has %d weights, but the mesh of \"%s\" has %d vertices",
                       map->nvertex, object->name, mesh->nvert);
  if (map->nface && map->nface != mesh->nface)
    return csim_refuse(build->log, map->place,
                       "\"faces\" has %d weights, but the mesh of \"%s\" has %d faces", map->nface,
                       object->name, mesh->nface);
  for (int f = 0; f < mesh->nface && !found; f++) found = in_groups(map, mesh, f);
  if (map->of == CSIM_MAP_THICKNESS && build->scene->contact.response != CSIM_RESPONSE_FILTER)
    return csim_refuse(build->log, map->place,
                       "object \"%s\": a map of thickness needs the contact response \"filter\"",
                       object->name);
  if (found) return CSIM_OK;
  char names[200];
  csim_list_groups(mesh, names);
  return csim_refuse(build->log, map->place, "\"%s\" has no group, object or material \"%s\"%s",
                     object->name, map->group[0], names);
}

csim_status csim_build_factors(csim_build *build, const csim_object *object, const csim_mesh *mesh,
                               csim_factors *factors) {
  *factors = (csim_factors){0};
  for (int m = 0; m < object->nmap; m++) {
    const csim_map *map = &object->map[m];
    csim_status status = check_map(build, object, map, mesh);
    const double *value = map->nvertex ? map->vertex : NULL;
    if (!status && map->property) {
      value = csim_find_channel(build, object, map->place, mesh, map->property);
      if (!value) status = CSIM_INVALID;
    }
    if (status) return status;
    double *of = factors->of[map->of];
    if (!of) {
      of = factors->of[map->of] = CSIM_NEW(double, mesh->ntri);
      if (!of) return CSIM_MEMORY;
      for (int t = 0; t < mesh->ntri; t++) of[t] = 1;
    }
    for (int t = 0; t < mesh->ntri; t++) {
      double factor = map->low + weight_of(map, value, mesh, t) * (map->high - map->low);
      // without thickness nothing would keep surfaces apart
      int thick = map->of == CSIM_MAP_THICKNESS;
      if (!(factor >= (thick ? 0.01 : 0) && factor <= (thick ? 100 : 1e9)))
        return csim_refuse(
            build->log, map->place, "the factor at face %d of \"%s\" is %.6g; it must be %s",
            mesh->tri_face[t], object->name, factor, thick ? "0.01 to 100" : "0 or more");
      of[t] *= factor;
    }
  }
  return CSIM_OK;
}
