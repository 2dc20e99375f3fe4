// tests/fuzz/fuzz_obj.c: libFuzzer on the reader of OBJ files.
#include "fuzz/fuzz_mesh.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return fuzz_mesh("fuzz.obj", data, size);
}
