// tests/kit.h: small models and the loop around a step, for tests of solvers.
#ifndef CSIM_TESTS_KIT_H
#define CSIM_TESTS_KIT_H

#include "check.h"
#include "mesh/shapes.h"
#include "model/assemble.h"
#include "scene/compile.h"
#include "solver/problem.h"
#include "solver/step.h"

/// A model under construction: vertices, pins and springs as the test adds them.
typedef struct kit {
  csim_model *model;
  csim_elements levels, springs, limits, bounds, woven, orthotropic, quadratic, cotangent, dihedral,
      curvature, volume, neohooke, patches, anchors;
  csim_state state;
  csim_solver *solver;
  csim_pool *pool;
  csim_solver_params params;
  double h;
} kit;

/// An empty model of n vertices at x (n x 3) with equal masses; Newton with Cholesky, tight.
void kit_begin(int n, const double *x, double mass, double h, kit *k);
void kit_pin(kit *k, int vert);
void kit_spring(kit *k, int a, int b, double stiffness, double length);
/// Assembles and makes state and solver.
void kit_ready(kit *k, int nthread);
void kit_step(kit *k);
void kit_end(kit *k);

/// A square cloth of cells x cells, side [m], in the x-z plane: mesh springs and quadratic bending.
void kit_cloth(int cells, double side, double density, double E2D, double B, double h, kit *k);

/// Membranes on the triangles of its mesh, warp along x; kind woven or orthotropic.
void kit_membrane(kit *k, const csim_moduli *moduli, csim_elements *membrane);

/// Bending by curvature on the triangles of its mesh, warp along x.
void kit_curvature(kit *k, double warp, double weft);

/// Moves the vertices (nvert x 3) of a mesh in the x-z plane that are marked by up to half of `by`
/// [m] along x and z, and flips edges until the mesh is Delaunay's.
void kit_jitter(csim_mesh *mesh, const unsigned char *mark, double by, unsigned seed);

/// Pseudo-random number in [-1/2, 1/2), in [lo, hi), and n points with coordinates in [-size,
/// size).
double kit_random(unsigned *seed);
double kit_uniform(unsigned *seed, double lo, double hi);
void kit_points(unsigned *seed, int n, double size, double x[][3]);

/// A scene that is stepped.
typedef struct kit_scene {
  csim_scene *scene;
  csim_world world;
  csim_state state;
  csim_pool *pool;
  csim_solver *solver;
} kit_scene;

/// Makes what a scene says. Quotes in the text may be written as '.
/// @return 0; -1 after a check that has failed
int kit_scene_open(const char *text, int nthread, kit_scene *s);
void kit_scene_close(kit_scene *s);
/// Gives it a solver that asks whether to stop.
void kit_scene_stop(kit_scene *s, int (*wanted)(const void *user));

/// [s] since the scene's start.
double kit_scene_time(const kit_scene *s);

/// Path of a file in a temporary folder that kit_folder_end removes; valid until the next call but
/// one.
const char *kit_path(const char *name);
void kit_folder_end(void);
void kit_write_text(const char *path, const char *text);

/// A built-in shape; a check has failed if there is none.
csim_mesh kit_shape(csim_shape_spec spec);
/// Area of its triangles [m^2].
double kit_area(const csim_mesh *mesh);
/// A mesh of one polygon (n x 2) in the plane z = 0.2 x + 0.1 y, so that no axis is special.
csim_mesh kit_polygon(int n, const double (*p)[2]);

/// The log of the last kit_parse.
extern check_log kit_last;
/// Reads a mesh from bytes: a copy on the heap with no byte behind it, so that the sanitizer sees
/// every read too far.
csim_status kit_parse_bytes(const char *name, const void *data, size_t size, csim_mesh *mesh);
/// Reads a mesh from text; a check fails unless it is accepted.
csim_mesh kit_parse(const char *name, const char *text);
/// A check fails unless the text is refused at this line with such a message.
void kit_refuse(int source, const char *name, const char *text, int line, const char *message);
/// Whether n numbers are the same; 0 when a is NULL.
int kit_same_ints(const int *a, int n, const int *b);
#define INTS(...)                                                                                  \
  (int[]) {                                                                                        \
    __VA_ARGS__                                                                                    \
  }

/// Weights m/h^2 [N/m] of backward Euler, (nvert) from the arena.
double *kit_inertia(csim_arena *arena, const csim_model *model, double h);

/// The problem of a step of length h from rest at the start, without contact and links.
csim_problem kit_problem(csim_arena *arena, const kit_scene *s, double h);

#endif
