// base/simd.h: four doubles at a time, with the same bits on every x86-64 machine. Needs nothing.
//
// Kernels are written once, over vectors of a fixed width of four; the compiler emulates what an
// instruction set lacks. Every lane is rounded by itself, sums over lanes have one order, and
// nothing is contracted, so all instruction sets agree to the last bit. A kernel is an
// always-inlined body. CSIM_SIMD_KERNEL compiles it for each instruction set, and its caller
// selects one (csim_simd_best; tests force each).
//
// Loads and stores are macros, because a function that returns such a vector has no fixed ABI.
#ifndef CSIM_BASE_SIMD_H
#define CSIM_BASE_SIMD_H

#include <math.h>

typedef double csim_v4 __attribute__((vector_size(32)));
typedef double csim_v4_at __attribute__((vector_size(32), aligned(8), may_alias));
typedef float csim_f4 __attribute__((vector_size(16)));
typedef float csim_f4_at __attribute__((vector_size(16), aligned(4), may_alias));
typedef long long csim_v4i __attribute__((vector_size(32)));
typedef double csim_v2_at __attribute__((vector_size(16), aligned(8), may_alias));

typedef enum csim_isa {
  CSIM_ISA_BASE, ///< what the compiler assumes by default
  CSIM_ISA_AVX2, ///< without fused multiply-add: it would round differently
  CSIM_NISA,
} csim_isa;

/// The best instruction set of this machine.
static inline csim_isa csim_simd_best(void) {
  return __builtin_cpu_supports("avx2") ? CSIM_ISA_AVX2 : CSIM_ISA_BASE;
}

#define CSIM_SIMD_BODY static inline __attribute__((always_inline))

#define CSIM_SIMD_AVX2 __attribute__((target("avx2")))

/// Compiles the body `type name(parameters)` for each instruction set: name_kernel[CSIM_NISA].
/// `names` passes the parameters on, in brackets.
#define CSIM_SIMD_KERNEL(type, name, parameters, names)                                            \
  static type name##_base parameters {                                                             \
    return name names;                                                                             \
  }                                                                                                \
  CSIM_SIMD_AVX2 static type name##_avx2 parameters {                                              \
    return name names;                                                                             \
  }                                                                                                \
  static type(*const name##_kernel[CSIM_NISA]) parameters = {name##_base, name##_avx2};

/// Four numbers from p, of any alignment.
#define CSIM_LOAD4(p) (*(const csim_v4_at *)(p))
/// Four floats from p, as doubles.
#define CSIM_LOAD4F(p) ((csim_v4){(p)[0], (p)[1], (p)[2], (p)[3]})
/// Four doubles to floats at p.
#define CSIM_STORE4F(p, v)                                                                         \
  ((p)[0] = (float)(v)[0], (p)[1] = (float)(v)[1], (p)[2] = (float)(v)[2], (p)[3] = (float)(v)[3])
/// Four floats from p, of any alignment; what four doubles are as floats, and back.
#define CSIM_FLOAT4(p) (*(const csim_f4_at *)(p))
#define CSIM_TO_FLOAT4(v) __builtin_convertvector((v), csim_f4)
#define CSIM_FROM_FLOAT4(f) ((csim_v4){(f)[0], (f)[1], (f)[2], (f)[3]})
/// Three numbers and a zero; reads no fourth.
#define CSIM_LOAD3(p) ((csim_v4){(p)[0], (p)[1], (p)[2], 0})
#define CSIM_STORE4(p, v) (*(csim_v4_at *)(p) = (v))
/// Lanes 0 to 2; writes no fourth.
#define CSIM_STORE3(p, v) (*(csim_v2_at *)(p) = (csim_v2_at){(v)[0], (v)[1]}, (p)[2] = (v)[2])
/// The same number in all lanes.
#define CSIM_SPLAT4(s) ((csim_v4){(s), (s), (s), (s)})
/// Sum over lanes 0 to 2.
#define CSIM_SUM3(v) ((v)[0] + (v)[1] + (v)[2])

/// Lane by lane: mask ? a : b, mask being the result of a comparison.
#define CSIM_SELECT4(mask, a, b)                                                                   \
  ((csim_v4)(((csim_v4i)(mask) & (csim_v4i)(a)) | (~(csim_v4i)(mask) & (csim_v4i)(b))))
#define CSIM_SQRT4(v) ((csim_v4){sqrt((v)[0]), sqrt((v)[1]), sqrt((v)[2]), sqrt((v)[3])})

/// Four rows of four to four columns: row[i][j] becomes row[j][i].
CSIM_SIMD_BODY void csim_transpose4(csim_v4 row[4]) {
  csim_v4 low01 = __builtin_shufflevector(row[0], row[1], 0, 4, 2, 6);
  csim_v4 high01 = __builtin_shufflevector(row[0], row[1], 1, 5, 3, 7);
  csim_v4 low23 = __builtin_shufflevector(row[2], row[3], 0, 4, 2, 6);
  csim_v4 high23 = __builtin_shufflevector(row[2], row[3], 1, 5, 3, 7);
  row[0] = __builtin_shufflevector(low01, low23, 0, 1, 4, 5);
  row[1] = __builtin_shufflevector(high01, high23, 0, 1, 4, 5);
  row[2] = __builtin_shufflevector(low01, low23, 2, 3, 6, 7);
  row[3] = __builtin_shufflevector(high01, high23, 2, 3, 6, 7);
}

#endif
