// model/network.h: spring networks, hinges and masses from meshes. Needs model/energy.h, mesh/.
//
// Stiffness comes from a modulus, so that the result does not depend on the mesh (Van Gelder 1998).
#ifndef CSIM_MODEL_NETWORK_H
#define CSIM_MODEL_NETWORK_H

#include "mesh/mesh.h"
#include "mesh/topology.h"
#include "model/energy.h"

/// Elements of one kind, before they become an energy. A growing array; free with
/// csim_elements_free.
typedef struct csim_elements {
  const csim_energy_kind *kind;
  int nelem;
  ptrdiff_t node_capacity, param_capacity;
  int *node;     ///< (nelem x kind->nnode)
  double *param; ///< (nelem x kind->nparam)
  int failed;    ///< out of memory; sticky
} csim_elements;

/// Appends an element: node (kind->nnode), param (kind->nparam). Sets `failed` when out of memory.
void csim_elements_add(csim_elements *elements, const int *node, const double *param);

/// Frees all elements.
void csim_elements_free(csim_elements *elements);

/// Area [m^2] of a triangle, the corners of which are in the plane.
double csim_flat_area(const double flat[6]);

/// A part of the model and its rest shape: X (.. x 3) are rest positions, and vertex i of the part
/// is vertex vert0 + i of the model. A flat pattern has rest positions for each triangle by itself
/// instead.
typedef struct csim_part {
  const double *X;    ///< (.. x 3) [m]; NULL: of a pattern
  const int *tri;     ///< (ntri x 3) of a pattern, and
  const double *flat; ///< (ntri x 6) [m] where the triangles' corners are in it
  int vert0;
  double spring;      ///< [N/m] stiffness of every spring; 0 = from the modulus
  double compression; ///< [-] share of the stiffness that resists compression; 1 = all
  double slack;       ///< [-] strain on either side that costs nothing
  int no_diagonals;   ///< 1: mesh networks leave out edges that are the longest side of both
                      ///< triangles
} csim_part;

/// A third of the rest area of every triangle to each of its corners: area (nvert) [m^2],
/// overwritten.
/// @param factor  (ntri) of each triangle's area; NULL: 1
void csim_part_areas(const csim_part *part, int nvert, int ntri, const int *tri,
                     const double *factor, double *area);

/// One spring per edge of a triangle mesh: k = E2D sum(A) / L^2 over its triangles. Exact on
/// equilateral meshes: k = sqrt(3)/2 E2D, Poisson's ratio 1/3.
/// @return number of edges without length, which get the stiffness of the mean edge
int csim_network_mesh(const csim_topology *topology, const csim_part *part, double E2D,
                      csim_elements *springs);

/// A strain limit for each spring from number `first` on: k = stiffness, or 100 times the spring's
/// if that is 0, beginning at (1 + limit) L. If the limits' kind is csim_bound_kind, a bound with k
/// 10 times the spring's.
void csim_network_limits(const csim_elements *springs, int first, double limit, double stiffness,
                         csim_elements *limits);

/// Structural and shear springs of a grid of nx x nz cells (vertex j (nx + 1) + i):
/// k = 3/4 E2D A / L^2, A the cell area a spring shares (half at the border). On squares: 3/4 E2D
/// along the axes and 3/8 E2D on both diagonals, isotropic with Poisson's ratio 1/3.
void csim_network_grid(int nx, int nz, const csim_part *part, double E2D, csim_elements *springs);

/// Bend springs of a grid: between every vertex and its second neighbour along both axes.
void csim_network_grid_bend(int nx, int nz, const csim_part *part, double k,
                            csim_elements *springs);

/// Bend springs of a mesh: between the opposite vertices of every hinge.
void csim_network_mesh_bend(const csim_topology *topology, const csim_part *part, double k,
                            csim_elements *springs);

/// One spring an edge of a tetrahedral mesh: k = E sum(V) / L^2 over its tetrahedra.
/// @param tet  (ntet x 4)
/// @return 0, or -1 when out of memory
int csim_network_tets(int ntet, const int *tet, const csim_part *part, double E,
                      csim_elements *springs);

/// Plastic springs with the parameters of the given springs.
/// @param ductile  of csim_ductile_spring_kind; added to
void csim_network_ductile(const csim_elements *springs, const csim_yield *yield,
                          csim_elements *ductile);

/// Hinge energies of stiffness B [N m], of a kind of role BEND. Hinges at a triangle
/// without area are left out.
/// @return number of hinges left out
int csim_network_hinges(const csim_topology *topology, const csim_part *part, double B,
                        csim_elements *hinges);

/// Bending of a flat grid of nx x nz cells by second differences along its rows, columns and cells
/// instead of hinges on its triangles:
///
///   E = B/2 sum A (kx^2 + kz^2 + 2 kxz^2),  kx = |x_{i-1} - 2 x_i + x_{i+1}| / a^2, ...
///
/// (half the area at the border). The same for all diagonals, isotropic, and exact for cylinders.
/// Hinges of a right-triangle grid let rows bend at alternate vertices (test_validate, case 9: 0.8
/// B along the axes). Kinds by_angle use the angle of two flaps for each difference: kx = theta /
/// a.
/// @param hinges  of a kind of role BEND
void csim_network_grid_hinges(int nx, int nz, const csim_part *part, double B,
                              csim_elements *hinges);

/// Volume springs E = 1/2 (K/V0) (V - V0)^2 of every tetrahedron, K [Pa].
void csim_network_volumes(int ntet, const int *tet, const csim_part *part, double K,
                          csim_elements *volumes);

/// A neo-Hookean solid of Young's modulus E [Pa] and Poisson's ratio nu.
///
/// Linear tetrahedra alone lock: each keeps its own volume, and none bends. Half of the shear
/// modulus and all of Lame's lambda therefore act on patches of tetrahedra, on the mean deformation
/// of each. The other half of the shear modulus acts on the tetrahedra, where it resists
/// deformations with mean zero. A homogeneous strain has the same energy as without patches.
/// Sources: de Souza Neto, Andrade Pires & Owen, F-bar-based linear triangles and tetrahedra for
/// finite strain analysis of nearly incompressible solids, IJNME 62, 2005 (patches); Puso &
/// Solberg, A stabilized nodally integrated tetrahedral, IJNME 67, 2006 (the halves).
/// @param tets, patches  of csim_neohooke_kind, csim_solid_patch_kind; added to
/// @return number of tetrahedra left out because their volume is not positive, or -1 when out of
///         memory
int csim_network_solid(int ntet, const int *tet, const csim_part *part, double E, double nu,
                       csim_elements *tets, csim_elements *patches);

#endif
