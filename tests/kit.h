// tests/kit.h: small models and the loop around a step, for tests of solvers.
#ifndef CSIM_TESTS_KIT_H
#define CSIM_TESTS_KIT_H

#include "model/assemble.h"
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

/// Pseudo-random number in [-1/2, 1/2).
double kit_random(unsigned *seed);

/// Weights m/h^2 [N/m] of backward Euler, (nvert) from the arena.
double *kit_inertia(csim_arena *arena, const csim_model *model, double h);

#endif
