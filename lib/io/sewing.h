// io/sewing.h: sewing patterns in GarmentCode's JSON, as meshes. Needs io/json.h, mesh/planar.h.
//
// Korosteleva & Sorkine-Hornung, GarmentCode: Programming Parametric Sewing Patterns, 2023. Panels
// are outlines of straight edges, quadratic and cubic Bezier curves and arcs in the plane, each
// with a placement in space; stitches join edges. Parameters of the pattern are not read.
#ifndef CSIM_IO_SEWING_H
#define CSIM_IO_SEWING_H

#include "mesh/mesh.h"

/// How fine panels are triangulated.
typedef struct csim_sewing_detail {
  double resolution; ///< [m] length of edges, about, with all divisions
  int divisions;     ///< times that triangles are divided in four, 0 .. CSIM_MOST_DIVISIONS
  int coarse;        ///< how many of these are left out, if there are so many
} csim_sewing_detail;

/// How many divisions are left out indeed: all, if there are fewer than `coarse`.
static inline int csim_sewing_left_out(const csim_sewing_detail *detail) {
  return detail->coarse < detail->divisions ? detail->coarse : detail->divisions;
}

/// Reads a pattern and triangulates its panels, placed around the body as in the file. Both edges
/// of a stitch get as many vertices as the longer one needs. In the mesh,
///
/// - every panel is a group, with its name,
/// - `rest` has the panel flat in the plane of x and y, and so have the texture coordinates [m],
/// - `stitch` has the pairs of vertices that stitches join,
/// - `set` has the vertices of edges and panels with a label, by the label,
/// - vertices of coarser meshes come first: a mesh with one division less has the same first ones.
///
/// Where edges twice as long cannot follow an outline it is divided less often.
///
/// @param[out] mesh  [m] overwritten; empty on failure
/// @return CSIM_INVALID with what is wrong, naming panel and edge; CSIM_IO; CSIM_MEMORY
csim_status csim_sewing_read(const char *path, const csim_sewing_detail *detail, csim_log *log,
                             csim_mesh *mesh);

#endif
