// cache/ogawa_read.c: see ogawa_read.h.
#include "cache/ogawa_read.h"

#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

enum { HEADER = 16 };

csim_status csim_ogawa_damaged(const csim_ogawa *file, const char *what) {
  return csim_fail(file->log, CSIM_IO, csim_in_file(file->path), "the Alembic file is damaged: %s",
                   what);
}

static csim_status read_at(csim_ogawa *file, uint64_t at, size_t n, void *bytes) {
  if (n > file->budget)
    return csim_refuse(file->log, csim_in_file(file->path),
                       "unpacks to many times its size: name one object of it, or export fewer");
  file->budget -= n;
  for (size_t done = 0; done < n;) {
    ssize_t got = pread(file->fd, (char *)bytes + done, n - done, (off_t)(at + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return csim_ogawa_damaged(file, got < 0 ? strerror(errno) : "it ends too early");
    done += (size_t)got;
  }
  return CSIM_OK;
}

static csim_status read_header(csim_ogawa *file, csim_ogawa_node *root) {
  uint8_t head[HEADER] = {0};
  ssize_t got = pread(file->fd, head, sizeof head, 0);
  const char *wrong = NULL;
  if (got >= 4 && !memcmp(head, "\x89HDF", 4))
    wrong = "is an Alembic file in HDF5, which is not read: convert it to Ogawa "
            "(abcconvert -toOgawa IN OUT, or export it again)";
  else if (got < HEADER || memcmp(head, "Ogawa", 5))
    wrong = "is no Alembic file (Ogawa)";
  else if (head[5] != 0xff)
    wrong = "is an Alembic file that was not written to its end: export it again";
  else if (head[6] != 0 || head[7] != 1)
    wrong = "is an Alembic file of an unknown version of Ogawa";
  if (wrong) return csim_refuse(file->log, csim_in_file(file->path), "%s", wrong);
  return csim_ogawa_enter(file, csim_load_u64(head + 8), root);
}

csim_status csim_ogawa_open(const char *path, csim_log *log, csim_ogawa *file,
                            csim_ogawa_node *root) {
  *file = (csim_ogawa){.path = path, .log = log};
  csim_status status = csim_file_open(path, log, &file->fd, &file->size);
  if (status) return status;
  // equal arrays are stored once, so what is read may be larger than the file, within reason
  file->budget = 16 * file->size + (1 << 26);
  return read_header(file, root);
}

void csim_ogawa_close(csim_ogawa *file) {
  if (file->fd >= 0) close(file->fd);
  file->fd = -1;
}

csim_status csim_ogawa_enter(csim_ogawa *file, csim_ogawa_word word, csim_ogawa_node *group) {
  uint8_t count[8];
  *group = (csim_ogawa_node){0};
  if (word == 0) return CSIM_OK;
  if (word & CSIM_OGAWA_DATA) return csim_ogawa_damaged(file, "data instead of a group");
  if (word < HEADER || file->size < 8 || word > file->size - 8)
    return csim_ogawa_damaged(file, "a group outside of the file");
  csim_status status = read_at(file, word, sizeof count, count);
  if (status) return status;
  uint64_t n = csim_load_u64(count);
  if (n > (file->size - word - 8) / 8)
    return csim_ogawa_damaged(file, "a group that is larger than the file");
  *group = (csim_ogawa_node){.at = word + 8, .nchild = n};
  return CSIM_OK;
}

csim_status csim_ogawa_child(csim_ogawa *file, const csim_ogawa_node *group, uint64_t k,
                             csim_ogawa_word *word) {
  uint8_t bytes[8];
  if (k >= group->nchild) return csim_ogawa_damaged(file, "a group lacks a member");
  csim_status status = read_at(file, group->at + 8 * k, sizeof bytes, bytes);
  *word = status ? 0 : csim_load_u64(bytes);
  return status;
}

csim_status csim_ogawa_measure(csim_ogawa *file, csim_ogawa_word word, uint64_t *size) {
  uint8_t bytes[8];
  uint64_t at = word & ~CSIM_OGAWA_DATA;
  *size = 0;
  if (!(word & CSIM_OGAWA_DATA)) return csim_ogawa_damaged(file, "a group instead of data");
  if (at == 0) return CSIM_OK;
  if (at < HEADER || file->size < 8 || at > file->size - 8)
    return csim_ogawa_damaged(file, "data outside of the file");
  csim_status status = read_at(file, at, sizeof bytes, bytes);
  if (status) return status;
  *size = csim_load_u64(bytes);
  return *size > file->size - at - 8 ? csim_ogawa_damaged(file, "data larger than the file")
                                     : CSIM_OK;
}

csim_status csim_ogawa_bytes(csim_ogawa *file, csim_ogawa_word word, uint64_t offset, size_t n,
                             void *bytes) {
  return n ? read_at(file, (word & ~CSIM_OGAWA_DATA) + 8 + offset, n, bytes) : CSIM_OK;
}

csim_status csim_ogawa_whole(csim_ogawa *file, csim_ogawa_word word, size_t most, uint8_t **data,
                             size_t *size) {
  uint64_t n;
  *data = NULL;
  *size = 0;
  csim_status status = csim_ogawa_measure(file, word, &n);
  if (!status && n > most) status = csim_ogawa_damaged(file, "a description that is too long");
  if (status) return status;
  *data = CSIM_NEW(uint8_t, (ptrdiff_t)n + 1);
  if (!*data) return csim_fail_memory(file->log, file->path);
  status = csim_ogawa_bytes(file, word, 0, (size_t)n, *data);
  if (status) {
    free(*data);
    *data = NULL;
    return status;
  }
  *size = (size_t)n;
  return CSIM_OK;
}
