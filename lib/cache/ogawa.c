// cache/ogawa.c: see ogawa.h.
#include "cache/ogawa.h"

static void write_word(csim_file *file, uint64_t word) {
  uint8_t bytes[8];
  csim_store_u64(word, bytes);
  csim_file_write(file, bytes, sizeof bytes);
}

void csim_ogawa_begin(csim_file *file) {
  static const uint8_t head[16] = {'O', 'g', 'a', 'w', 'a', 0, 0, 1};
  csim_file_write(file, head, sizeof head);
}

csim_ogawa_word csim_ogawa_data(csim_file *file, const csim_bytes *bytes) {
  if (bytes->n == 0) return CSIM_OGAWA_DATA;
  csim_ogawa_word word = csim_file_position(file) | CSIM_OGAWA_DATA;
  write_word(file, (uint64_t)bytes->n);
  csim_file_write(file, bytes->data, (size_t)bytes->n);
  return word;
}

csim_ogawa_word csim_ogawa_sample(csim_file *file, const csim_bytes *payload,
                                  const uint8_t key[16]) {
  csim_ogawa_word word = csim_file_position(file) | CSIM_OGAWA_DATA;
  write_word(file, 16 + (uint64_t)payload->n);
  csim_file_write(file, key, 16);
  if (payload->n) csim_file_write(file, payload->data, (size_t)payload->n);
  return word;
}

csim_ogawa_word csim_ogawa_group(csim_file *file, const csim_bytes *child) {
  if (child->n == 0) return 0;
  csim_ogawa_word word = csim_file_position(file);
  write_word(file, (uint64_t)child->n / 8);
  csim_file_write(file, child->data, (size_t)child->n);
  return word;
}

void csim_ogawa_end(csim_file *file, csim_ogawa_word root) {
  uint8_t word[8];
  csim_store_u64(root, word);
  csim_file_patch(file, 8, word, sizeof word);
  csim_file_patch(file, 5, "\xff", 1);
}
