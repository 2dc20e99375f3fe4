// tests/fuzz/fuzz_ply.c: libFuzzer on the reader of PLY files.
#include "fuzz/fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_mesh("fuzz.ply", data, size);
}
