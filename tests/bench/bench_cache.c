// tests/bench/bench_cache.c: ratio and speed of the cache's codec, beside general compressors.
//
// bench_cache [CACHE]: with a cache, of its first object; without, of two made-up cloths. Speeds
// are in MB of floats per second of CPU time, so that other programs on the machine do not count.
// zstd and Blosc take part when Debian's libraries are there (libzstd1, libblosc1); they are not
// linked.
#include "clothsim.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum { SIDE = 200, NFRAME = 60 };

// ------------------------------------------------------------------------------------ sequences

/// A run in memory: topology and the positions of every frame.
typedef struct sequence {
  csim_cache_object object;
  int nframe;
  float *x; ///< (nframe x nvert x 3)
} sequence;

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double noise(uint32_t *state) { // in [-1, 1)
  *state = *state * 1664525u + 1013904223u;
  return (double)(*state >> 8) / (1 << 23) - 1;
}

// A sheet of SIDE x SIDE vertices, 1 m wide, irregular by a fifth of the spacing.
static void make_topology(sequence *s) {
  int n = SIDE, nface = 2 * (n - 1) * (n - 1);
  int *start = malloc(sizeof(int) * (size_t)(nface + 1)),
      *vert = malloc(sizeof(int) * 3 * (size_t)nface);
  int f = 0;
  for (int j = 0; j + 1 < n; j++)
    for (int i = 0; i + 1 < n; i++) {
      int a = j * n + i, b = a + 1, c = a + n, d = c + 1;
      const int even[6] = {a, c, d, a, d, b}, odd[6] = {a, c, b, b, c, d};
      memcpy(vert + 3 * f, (i + j) % 2 ? odd : even, sizeof even);
      f += 2;
    }
  for (int i = 0; i <= nface; i++) start[i] = 3 * i;
  s->object = (csim_cache_object){
      .name = "sheet", .nvert = n * n, .nface = nface, .face_start = start, .face_vert = vert};
}

// jitter = 0: smooth travelling waves. Else folds that slide, and every vertex shaking by itself,
// as where cloth lies on cloth.
static void make_sequence(sequence *s, double jitter) {
  make_topology(s);
  s->nframe = NFRAME;
  s->x = malloc(sizeof(float) * 3 * (size_t)s->object.nvert * NFRAME);
  uint32_t state = 1;
  for (int f = 0; f < NFRAME; f++) {
    uint32_t shape = 7; // the same irregularity in every frame
    double t = f / 25.0;
    float *x = s->x + (size_t)f * 3 * (size_t)s->object.nvert;
    for (int i = 0; i < s->object.nvert; i++) {
      double u = (i % SIDE + 0.2 * noise(&shape)) / (SIDE - 1);
      double w = (i / SIDE + 0.2 * noise(&shape)) / (SIDE - 1);
      double fold = 0.05 * sin(9 * u + 3 * t) * cos(7 * w - 2 * t) + 0.01 * sin(40 * u * w + 5 * t);
      double p[3] = {u + 0.3 * fold, 0.5 + fold - (jitter > 0 ? 0.2 * t * t * w : 0),
                     w - 0.2 * fold};
      for (int c = 0; c < 3; c++) x[3 * i + c] = (float)(p[c] + jitter * noise(&state));
    }
  }
}

static int load_sequence(sequence *s, const char *path) {
  csim_cache *cache;
  if (csim_cache_open(path, NULL, &cache)) return -1; // left open: the topology lives in it
  const csim_cache_info *info = csim_cache_get_info(cache);
  s->object = info->object[0];
  s->object.has_velocity = 0;
  s->nframe = info->nframe;
  size_t n = 3 * (size_t)s->object.nvert;
  s->x = malloc(sizeof(float) * n * (size_t)s->nframe);
  for (int f = 0; f < s->nframe; f++)
    if (csim_cache_read(cache, 0, f, s->x + n * (size_t)f, NULL)) return -1;
  return 0;
}

// ----------------------------------------------------------------------------------------- codecs

static void report(const char *codec, double raw, double packed, double encode, double decode) {
  printf("  %-28s %7.2f %9.0f %9.0f\n", codec, raw / packed, raw / 1e6 / encode,
         raw / 1e6 / decode);
}

static void bench_own(const sequence *s, const char *label, double error) {
  size_t n = 3 * (size_t)s->object.nvert;
  double raw = (double)s->nframe * (double)n * 4;
  char path[64];
  snprintf(path, sizeof path, "/tmp/bench_cache.%d", (int)getpid());
  double *x = malloc(n * sizeof *x);
  float *back = malloc(n * sizeof *back);
  csim_cache_options options = {.fps = 25, .up = 1, .position_error = error};
  csim_cache_writer *w;
  csim_cache_create(path, &options, NULL, NULL, &w);
  csim_cache_add_object(w, &s->object);
  csim_cache_begin(w);
  double encode = 0;
  for (int f = 0; f < s->nframe; f++) {
    for (size_t i = 0; i < n; i++) x[i] = (double)s->x[(size_t)f * n + i];
    double start = seconds();
    csim_cache_begin_frame(w, f, f / 25.0);
    csim_cache_put(w, 0, x, NULL);
    csim_cache_end_frame(w);
    encode += seconds() - start;
  }
  csim_cache_close(w, 1);
  csim_cache *cache;
  csim_cache_open(path, NULL, &cache);
  double worst = 0, start = seconds(), decode = 0;
  for (int f = 0; f < s->nframe; f++) {
    start = seconds();
    csim_cache_read(cache, 0, f, back, NULL);
    decode += seconds() - start;
    for (size_t i = 0; i < n; i++)
      worst = fmax(worst, fabs((double)back[i] - (double)s->x[(size_t)f * n + i]));
  }
  report(label, raw, (double)csim_cache_get_info(cache)->size, encode, decode);
  if (worst > error) printf("  WRONG: error %g above its bound %g\n", worst, error);
  csim_cache_free(cache);
  unlink(path);
  free(x);
  free(back);
}

static void bench_zlib(const sequence *s) {
  uLong n = 12 * (uLong)s->object.nvert, capacity = compressBound(n);
  unsigned char *packed = malloc(capacity), *back = malloc(n);
  double total = 0, encode = 0, decode = 0;
  for (int f = 0; f < s->nframe; f++) {
    uLongf size = capacity, size_back = n;
    double start = seconds();
    compress2(packed, &size, (const unsigned char *)s->x + (size_t)f * n, n, 6);
    double middle = seconds();
    uncompress(back, &size_back, packed, size);
    encode += middle - start;
    decode += seconds() - middle;
    total += (double)size;
  }
  report("zlib -6", (double)s->nframe * (double)n, total, encode, decode);
  free(packed);
  free(back);
}

// One call that packs n bytes of 4-byte elements; returns the size. And its counterpart.
typedef struct packer {
  const char *name;
  size_t (*pack)(void *to, size_t capacity, const void *from, size_t n);
  size_t (*unpack)(void *to, size_t n, const void *from, size_t size);
} packer;

static size_t (*zstd_pack)(void *, size_t, const void *, size_t, int);
static size_t (*zstd_unpack)(void *, size_t, const void *, size_t);
static int (*blosc_pack)(int, int, size_t, size_t, const void *, void *, size_t, const char *,
                         size_t, int);
static int (*blosc_unpack)(const void *, void *, size_t, int);

static size_t pack_zstd(void *to, size_t capacity, const void *from, size_t n) {
  return zstd_pack(to, capacity, from, n, 3);
}
static size_t unpack_zstd(void *to, size_t n, const void *from, size_t size) {
  return zstd_unpack(to, n, from, size);
}
static size_t pack_blosc(void *to, size_t capacity, const void *from, size_t n) {
  return (size_t)blosc_pack(5, 2, 4, n, from, to, capacity, "zstd", 0, 1); // 2 = bitshuffle
}
static size_t unpack_blosc(void *to, size_t n, const void *from, size_t size) {
  (void)size;
  return (size_t)blosc_unpack(from, to, n, 1);
}

static void bench_packer(const sequence *s, packer p) {
  size_t n = 12 * (size_t)s->object.nvert, capacity = 2 * n + 4096;
  unsigned char *packed = malloc(capacity), *back = malloc(n);
  double total = 0, encode = 0, decode = 0;
  int wrong = 0;
  for (int f = 0; f < s->nframe; f++) {
    const unsigned char *from = (const unsigned char *)s->x + (size_t)f * n;
    double start = seconds();
    size_t size = p.pack(packed, capacity, from, n);
    double middle = seconds();
    wrong |= p.unpack(back, n, packed, size) != n || memcmp(back, from, n);
    encode += middle - start;
    decode += seconds() - middle;
    total += (double)size;
  }
  report(p.name, (double)s->nframe * (double)n, total, encode, decode);
  if (wrong) printf("  WRONG: %s does not give its input back\n", p.name);
  free(packed);
  free(back);
}

static void *find(const char *library, const char *name) {
  void *handle = dlopen(library, RTLD_NOW);
  return handle ? dlsym(handle, name) : NULL;
}

// ISO C has no conversion from an object's to a function's pointer; POSIX makes this one work.
static void bind(void *function, const char *library, const char *name) {
  void *symbol = find(library, name);
  memcpy(function, &symbol, sizeof symbol);
}

static void bench_others(const sequence *s) {
  bind(&zstd_pack, "libzstd.so.1", "ZSTD_compress");
  bind(&zstd_unpack, "libzstd.so.1", "ZSTD_decompress");
  bind(&blosc_pack, "libblosc.so.1", "blosc_compress_ctx");
  bind(&blosc_unpack, "libblosc.so.1", "blosc_decompress_ctx");
  if (zstd_pack && zstd_unpack)
    bench_packer(s, (packer){"zstd -3", pack_zstd, unpack_zstd});
  else
    puts("  zstd                         left out: apt-get install libzstd1");
  if (blosc_pack && blosc_unpack)
    bench_packer(s, (packer){"Blosc zstd-5, bitshuffle", pack_blosc, unpack_blosc});
  else
    puts("  Blosc                        left out: apt-get install libblosc1");
}

// What reading one frame of a thousand costs.
static void bench_random_access(const sequence *s) {
  enum { COUNT = 1000, WANTED = 900 };
  size_t n = 3 * (size_t)s->object.nvert;
  char path[64];
  snprintf(path, sizeof path, "/tmp/bench_cache.%d", (int)getpid());
  double *x = malloc(n * sizeof *x);
  float *back = malloc(n * sizeof *back);
  csim_cache_options options = {.fps = 25, .up = 1};
  csim_cache_writer *w;
  csim_cache *cache;
  csim_cache_create(path, &options, NULL, NULL, &w);
  csim_cache_add_object(w, &s->object);
  csim_cache_begin(w);
  for (int f = 0; f < COUNT; f++) { // there and back again
    int k = f % (2 * s->nframe - 1);
    const float *from = s->x + n * (size_t)(k < s->nframe ? k : 2 * s->nframe - 2 - k);
    for (size_t i = 0; i < n; i++) x[i] = (double)from[i];
    csim_cache_begin_frame(w, f, f / 25.0);
    csim_cache_put(w, 0, x, NULL);
    csim_cache_end_frame(w);
  }
  csim_cache_close(w, 1);
  double start = seconds();
  csim_cache_open(path, NULL, &cache);
  double middle = seconds();
  csim_cache_read(cache, 0, WANTED, back, NULL);
  const csim_cache_info *info = csim_cache_get_info(cache);
  printf("frame %d of %d: %.3f %% of %.1f MB read, open %.1f ms, frame %.1f ms\n", WANTED, COUNT,
         100.0 * (double)info->bytes_read / (double)info->size, (double)info->size / 1e6,
         1e3 * (middle - start), 1e3 * (seconds() - middle));
  csim_cache_free(cache);
  unlink(path);
  free(x);
  free(back);
}

static void bench_sequence(const char *title, const sequence *s) {
  printf("%s: %d vertices, %d frames\n  %-28s %7s %9s %9s\n", title, s->object.nvert, s->nframe,
         "codec", "ratio", "enc MB/s", "dec MB/s");
  bench_own(s, "cache, lossless", 0);
  bench_own(s, "cache, 1e-5 m", 1e-5);
  bench_own(s, "cache, 1e-4 m", 1e-4);
  bench_zlib(s);
  bench_others(s);
  bench_random_access(s);
}

int main(int argc, char **argv) {
  sequence s;
  if (argc > 1) {
    if (load_sequence(&s, argv[1])) return 3;
    bench_sequence(argv[1], &s);
    return 0;
  }
  make_sequence(&s, 0);
  bench_sequence("wave sheet", &s);
  make_sequence(&s, 5e-5);
  bench_sequence("jittery cloth", &s);
  return 0;
}
