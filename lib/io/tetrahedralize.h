// io/tetrahedralize.h: fills any closed surface with tetrahedra by TetGen. It runs in its own
// process (cli/clothsim-tet.cpp), because it may abort or hang, and for its licence. Needs base/,
// math/, mesh/.
#ifndef CSIM_IO_TETRAHEDRALIZE_H
#define CSIM_IO_TETRAHEDRALIZE_H

#include "mesh/tetrahedra.h"

/// Defaults for limits of 0: time [s] and memory [bytes] of TetGen.
#define CSIM_TET_TIME_LIMIT 50.0
#define CSIM_TET_MEMORY_LIMIT 0x1p32

/// A box in which tetrahedra are smaller.
typedef struct csim_tet_zone {
  double box[6];     ///< [m] min x y z, max x y z
  double max_volume; ///< [m^3] of a tet whose centre is in it, > 0
} csim_tet_zone;

typedef struct csim_tet_options {
  const char *program;      ///< path of clothsim-tet
  double radius_edge_ratio; ///< quality: circumradius over shortest edge of a tet [-], 1.1 to 100;
                            ///< 0 = no bound, or 2 where a volume is given
  double max_volume;        ///< of a tet [m^3]; 0 = no bound. Warns where the surface, which is
                            ///< kept, does not let TetGen keep it
  int nzone;
  const csim_tet_zone *zone; ///< (nzone)
  double time_limit;         ///< of an attempt, processor time [s], rounded up; 0 = 50.
                             ///< Eight times as much on the clock
  double memory_limit;       ///< of the child [bytes]; 0 = 4 GiB
} csim_tet_options;

/// Fills a closed surface with tetrahedra; the surface is kept triangle for triangle.
///
/// Checked before: indices, finite numbers, every edge used by exactly two triangles in opposite
/// directions, no degenerate or doubled triangle, no self-intersection (exact). Several bodies and
/// cavities (an inner surface facing the other way) are welcome. A surface that faces inwards as a
/// whole is taken as if turned around, with a warning; vertices no triangle uses stay in the
/// result, loose, with a warning. Checked after: see csim_check_tets.
///
/// Makes up to five attempts, with decreasing tolerances of TetGen and with its vertices backwards,
/// each within the time limit.
///
/// @param      place  of the object, for messages
/// @param      log    gets an error line for each kind of defect: cause, place (numbers from 0)
/// and remedy; may be NULL
/// @param[out] out    overwritten; csim_tets_free releases it. Empty on failure
/// @return CSIM_OK, CSIM_INVALID (surface, options, or TetGen cannot), CSIM_IO (the program does
///         not start or talks nonsense), CSIM_MEMORY
/// Thread-safe. Same input, same bits out.
/// Source: Si, TetGen, a Delaunay-Based Quality Tetrahedral Mesh Generator, ACM TOMS 41(2), 2015.
csim_status csim_tetrahedralize(const csim_tet_options *options, const csim_surface *surface,
                                csim_place place, csim_log *log, csim_tets *out);

#endif
