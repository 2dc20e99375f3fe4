// cache/checkpoint.h: the state of a run in a file, from which it can continue. Needs model/, io/.
//
// A private format: read by the version that wrote it, or refused. Little-endian, 8-aligned.
//
// File:     header, META, XNOW, VNOW, XOLD, VOLD, ANOW, KINE, TORN, PLAS, PATH, TAIL (chunks as
//           in cache/layout.h)
// Header:   OFFSET SIZE MEANING
//             0      8  magic 89 "CSK" 0D 0A 1A 0A
//             8      4  version of this format
//            12      4  0x01020304
//            16      4  number of vertices
//            20      4  number of three-vectors in KINE
//            24      8  i64 frame whose state this is: all of it is on disk
//            32      8  i64 shortest substeps since the start frame
//            40      4  of them in the next substep
//            44      4  phase of the scene that the frame is in
//            48      4  frames in a row, up to it, in which everything was at rest
//            52      1  the next substep begins in 2^this parts
//            53      1  substeps since costs were forgotten
//            54      6  costs of the last substeps in 1, 2 and 4 parts, u16; 0: unknown
//            60      4  crc32 of bytes 0 to 59
// META: JSON text about the scene and the run. XNOW and the rest: f64 (n x 3), XOLD, VOLD and ANOW
// empty where no integrator has looked back on them. TORN: a byte a link, 1 = torn; empty unless
// links tear. PLAS: f64 (n), what yielding has left behind, empty unless something yields. PATH:
// f64 (n), how far vertices went in the frames at rest, empty if there were none. TAIL: empty.
#ifndef CSIM_CACHE_CHECKPOINT_H
#define CSIM_CACHE_CHECKPOINT_H

#include "base/log.h"
#include "cache/buffer.h"
#include "model/model.h"

enum { CSIM_CHECKPOINT_VERSION = 10, CSIM_CHECKPOINT_HEADER = 64 };

typedef struct csim_checkpoint {
  int frame;
  csim_state state;
  char *meta; ///< JSON; heap, ended by 0
} csim_checkpoint;

/// Writes `path`, whole or not at all, and waits until it is on the disk.
/// @return CSIM_IO, CSIM_MEMORY
csim_status csim_checkpoint_write(const char *path, int frame, const csim_state *state,
                                  const char *meta, csim_log *log);

/// Reads a checkpoint. Any bytes are safe; numbers that are not finite are refused. An incomplete
/// checkpoint is reported as a warning: there may be another.
/// @param[out] point  zero on failure; csim_checkpoint_free in any case
/// @return CSIM_IO when the file cannot be read or is no whole checkpoint; CSIM_MEMORY
csim_status csim_checkpoint_read(const char *path, csim_log *log, csim_checkpoint *point);

/// The same in memory: appends the bytes of the file to `bytes`, whose `failed` says when memory
/// ran out.
void csim_checkpoint_pack(int frame, const csim_state *state, const char *meta, csim_bytes *bytes);

/// Reads what csim_checkpoint_pack or csim_checkpoint_write made. Any bytes are safe.
/// @param name        for messages
/// @param[out] point  as from csim_checkpoint_read
/// @return CSIM_IO when the bytes are no whole checkpoint, with a warning; CSIM_MEMORY
csim_status csim_checkpoint_unpack(const void *data, size_t size, const char *name, csim_log *log,
                                   csim_checkpoint *point);

/// Frees the arrays of a checkpoint and empties it (all zero allowed).
void csim_checkpoint_free(csim_checkpoint *point);

#endif
