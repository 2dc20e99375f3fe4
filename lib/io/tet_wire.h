// io/tet_wire.h: the protocol between tetrahedralize.c and the program clothsim-tet. Needs nothing.
// Read by C and C++.
//
// All numbers are little-endian; f64 is IEEE binary64; indices count from 0.
//
//   REQUEST (stdin of clothsim-tet)
//   OFFSET  SIZE       DESCRIPTION
//        0     8       "CSTETQ02"
//        8     8  f64  radius-edge ratio; 0 = no quality bound
//       16     8  f64  largest volume of a tet; 0 = no bound
//       24     8  f64  tolerance of TetGen's coplanarity and coincidence tests, relative [-]
//       32     8  f64  memory limit [bytes]; 0 = none
//       40     4  u32  processor time limit [s]; 0 = none
//       44     4  u32  nvert, at least 4
//       48     4  u32  ntri, at least 4
//       52     4  u32  nhole
//       56     4  u32  nzone
//       60    24  f64  x nvert: positions
//             12  i32  x ntri: triangles
//             24  f64  x nhole: a point in each cavity
//             56  f64  x nzone: a box, min x y z and max x y z, and the largest volume of a tet
//                      whose centre is in it
//
//   REPLY (its stdout; nothing follows)
//        0     8       "CSTETR01"
//        8     4  u32  0 = tetrahedra follow, else a csim_tet_failure
//       12     4  u32  ntext <= 1000
//       16     4  u32  nvert, 0 on failure; the first are those of the request
//       20     4  u32  ntet, 0 on failure
//       24 ntext       what went wrong, no final 0
//             24  f64  x nvert: positions
//             16  i32  x ntet: tetrahedra, orientation not promised
#ifndef CSIM_IO_TET_WIRE_H
#define CSIM_IO_TET_WIRE_H

#define CSIM_TET_REQUEST "CSTETQ02"
#define CSIM_TET_REPLY "CSTETR01"

enum { CSIM_TET_REQUEST_HEADER = 60, CSIM_TET_REPLY_HEADER = 24, CSIM_TET_MAX_TEXT = 1000 };

enum csim_tet_failure {
  CSIM_TET_OK = 0,
  CSIM_TET_BAD_REQUEST = 1, // not the table above
  CSIM_TET_NO_MEMORY = 2,   // the memory limit is reached
  CSIM_TET_GAVE_UP = 3,     // TetGen ended with an error of its own
  CSIM_TET_NO_TETS = 4,     // TetGen succeeded but returned no tetrahedra
};

#endif
