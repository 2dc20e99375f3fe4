// mesh/patches.h: tetrahedra grouped into patches of a few each. Needs base/.
#ifndef CSIM_MESH_PATCHES_H
#define CSIM_MESH_PATCHES_H

enum { CSIM_PATCH_NODES = 8 }; ///< most vertices of a patch

/// Divides tetrahedra into compact connected patches. Each grows from a tetrahedron by neighbours
/// that add no vertex, or else one, up to CSIM_PATCH_NODES vertices. On cubes cut into six the
/// patches are the cubes, on TetGen's meshes five to eight tetrahedra each. There are thus hardly
/// more patches than vertices, which lets a nearly incompressible solid bend. Around a tenth of the
/// patches on TetGen's meshes are smaller, left over between others.
/// @param tet         (ntet x 4) no face belongs to more than two
/// @param[out] patch  (ntet) numbers of their patches, from 0
/// @return number of patches, or -1 when out of memory. Expected O(ntet log ntet)
int csim_tet_patches(int ntet, const int *tet, int *patch);

#endif
