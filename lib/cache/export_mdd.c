// cache/export_mdd.c: MDD point caches, one for each object, with a rest mesh. Needs io/, base/.
//
// OFFSET SIZE MEANING (big-endian)
//    0     4  i32 frames
//    4     4  i32 points
//    8        f32 time of each frame [s]: its number over the frame rate
//             f32 x, y, z of each point of each frame
// The times come first, so the points wait in a spool.
#include "base/bytes.h"
#include "cache/export_rest.h"

static void free_spools(csim_export *e) {
  csim_spool **spool = e->state;
  for (int i = 0; i < e->nobject && spool; i++) csim_spool_free(spool[i]);
}

static csim_status open_mdd(csim_export *e) {
  csim_spool **spool = CSIM_ARENA_NEW(&e->arena, csim_spool *, e->nobject);
  e->state = spool;
  if (!spool) return csim_export_memory(e);
  for (int i = 0; i < e->nobject; i++)
    if (!(spool[i] = csim_spool_new(e))) {
      free_spools(e);
      return CSIM_IO;
    }
  return CSIM_OK;
}

static csim_status write_frame(csim_export *e) {
  enum { PIECE = 3 * 1024 };
  csim_spool **spool = e->state;
  csim_status status = CSIM_OK;
  for (int i = 0; i < e->nobject && !status; i++) {
    if (e->nframe == 1) status = csim_rest_write(e, i);
    ptrdiff_t n = csim_xyz(e->object[i].nvert);
    for (ptrdiff_t done = 0; done < n; done += PIECE) {
      unsigned char piece[4 * PIECE];
      ptrdiff_t m = n - done < PIECE ? n - done : PIECE;
      for (ptrdiff_t k = 0; k < m; k++) csim_store_f32_be((float)e->x[i][done + k], piece + 4 * k);
      csim_spool_add(spool[i], piece, 4 * (size_t)m);
    }
  }
  return status;
}

static csim_status write_file(csim_export *e, int object) {
  csim_spool **spool = e->state;
  char path[CSIM_EXPORT_PATH];
  csim_file *file;
  if (csim_export_path(e, e->file_name[object], ".mdd", path)) return CSIM_INVALID;
  csim_status status = csim_file_create(path, e->log, &file);
  if (status) return status;
  unsigned char word[4];
  csim_store_u32_be((uint32_t)e->nframe, word);
  csim_file_write(file, word, 4);
  csim_store_u32_be((uint32_t)e->object[object].nvert, word);
  csim_file_write(file, word, 4);
  for (int f = 0; f < e->nframe; f++) {
    csim_store_f32_be((float)((double)e->number[f] / e->options.fps), word);
    csim_file_write(file, word, 4);
  }
  if (!csim_spool_copy(spool[object], e, file)) return csim_file_commit(file, 0);
  csim_file_abandon(file);
  return CSIM_IO;
}

static csim_status close_mdd(csim_export *e, int commit) {
  csim_status status = CSIM_OK;
  for (int i = 0; i < e->nobject && commit && !status; i++) status = write_file(e, i);
  free_spools(e);
  return status;
}

const csim_exporter csim_export_mdd = {.open = open_mdd, .frame = write_frame, .close = close_mdd};
