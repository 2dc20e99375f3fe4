// tests/fuzz/fuzz_stl.c: libFuzzer on the reader of STL files.
#include "fuzz/fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_mesh("fuzz.stl", data, size);
}
