// model/moduli.h: measures the actual moduli of springs on a given mesh. Needs model/fabric.h,
// model/model.h.
//
// Springs made from one modulus have it on equilateral meshes, and on square cells with both
// diagonals. On other meshes they have more or less, depending on direction. A tensile test
// measures it: the sheet is loaded by a uniform stress sigma [N/m], which is the force
//
//   f_i = sum_t A_t sigma grad phi_i
//
// at every vertex (on a flat sheet it cancels inside and acts at the border only). The linear
// system of the springs k n n^T gives the displacements. The mean of the triangles' strains is S
// sigma, with S the sheet's compliance. Displacements are along the surface, so a garment is
// measured as if it were laid flat, piece by piece. Homogenisation under uniform traction: Huet,
// Application of Variational Concepts to Size Effects in Elastic Heterogeneous Bodies, 1990.
#ifndef CSIM_MODEL_MODULI_H
#define CSIM_MODEL_MODULI_H

#include "model/fabric.h"
#include "model/model.h"

/// Moduli of a sheet at small strain.
typedef struct csim_sheet_moduli {
  double S[9];        ///< [m/N] (e11, e22, 2 e12) = S (s11, s22, s12), 1 along warp
  double at[3];       ///< [N/m] Young's moduli times thickness at 0, 45 and 90 degrees to warp
  double least, most; ///< [N/m] of all directions
  double shear;       ///< [N/m] between warp and weft
  double poisson;     ///< [-] pulled along warp
  int converged;      ///< 0: the network has no resistance somewhere, or nearly none
} csim_sheet_moduli;

/// Measures springs first, first + 1, ... on a mesh.
/// @param X       (nvert x 3) [m] rest positions of the springs
/// @param flat    (ntri x 6) [m] of X, see model/fabric.h
/// @param vert0   number of the mesh's first vertex in the springs
/// @return 0, or -1 when out of memory
int csim_measure_moduli(const csim_mesh *mesh, const double *X, const double *flat,
                        const csim_elements *springs, int first, int vert0,
                        csim_sheet_moduli *moduli);

/// Moduli of a solid at small strain, whatever its tetrahedra are made of.
typedef struct csim_solid_moduli {
  double along[3]; ///< [Pa] Young's moduli along x, y and z
  double poisson;  ///< [-] mean of the three pulls
  int converged;   ///< 0: it has no resistance somewhere, or nearly none
} csim_solid_moduli;

/// Pulls a solid body of a model by uniform stresses, in the same way as sheets. The model is at
/// rest.
/// @return 0, or -1 when out of memory
int csim_measure_solid(const csim_model *model, const csim_body *body, csim_solid_moduli *moduli);

/// Young's modulus [N/m] at an angle [rad] to warp.
double csim_modulus_at(const csim_sheet_moduli *moduli, double angle);

#endif
