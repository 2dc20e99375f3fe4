// cache/export_pc2.c: PC2 point caches, one for each object, with a rest mesh. Needs io/, base/.
//
// OFFSET SIZE MEANING (little-endian)
//    0    12  "POINTCACHE2\0"
//   12     4  i32 version, 1
//   16     4  i32 points
//   20     4  f32 number of the first frame
//   24     4  f32 frames from one sample to the next
//   28     4  i32 samples
//   32        f32 x, y, z of each point of each sample
#include "base/bytes.h"
#include "cache/export_rest.h"

enum { HEADER = 32 };

static csim_status open_pc2(csim_export *e) {
  static const unsigned char nothing[HEADER] = {0}; // patched in the end
  char path[CSIM_EXPORT_PATH];
  csim_file **file = CSIM_ARENA_NEW(&e->arena, csim_file *, e->nobject);
  csim_status status = file ? CSIM_OK : csim_export_memory(e);
  for (int i = 0; i < e->nobject && !status; i++) {
    status = csim_export_path(e, e->file_name[i], ".pc2", path) ? CSIM_INVALID : CSIM_OK;
    if (!status) status = csim_file_create(path, e->log, &file[i]);
    if (!status) csim_file_write(file[i], nothing, HEADER);
  }
  for (int i = 0; i < e->nobject && status && file; i++) csim_file_abandon(file[i]);
  e->state = file;
  return status;
}

static csim_status write_frame(csim_export *e) {
  csim_file **file = e->state;
  csim_status status = CSIM_OK;
  for (int i = 0; i < e->nobject && !status; i++) {
    if (e->nframe == 1) status = csim_rest_write(e, i);
    csim_write_floats(file[i], e->x[i], csim_xyz(e->object[i].nvert));
    if (csim_file_failed(file[i])) status = CSIM_IO; // said by the commit
  }
  return status;
}

static csim_status close_pc2(csim_export *e, int commit) {
  csim_file **file = e->state;
  csim_status status = CSIM_OK;
  long long stride = csim_export_stride(e);
  if (commit && !stride)
    csim_say(e->log, CSIM_WARNING, csim_in_file(e->options.directory),
             "the frames are uneven: PC2 cannot hold their times");
  for (int i = 0; i < e->nobject; i++) {
    unsigned char header[HEADER] = "POINTCACHE2";
    csim_store_i32(1, header + 12);
    csim_store_i32(e->object[i].nvert, header + 16);
    csim_store_f32(e->nframe ? (float)e->number[0] : 0, header + 20);
    csim_store_f32(stride ? (float)stride : 1, header + 24);
    csim_store_i32(e->nframe, header + 28);
    csim_file_patch(file[i], 0, header, HEADER);
    if (commit || csim_file_failed(file[i])) {
      csim_status one = csim_file_commit(file[i], 0);
      if (!status) status = one;
    } else {
      csim_file_abandon(file[i]);
    }
  }
  return status;
}

const csim_exporter csim_export_pc2 = {.open = open_pc2, .frame = write_frame, .close = close_pc2};
