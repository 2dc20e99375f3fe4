// tests/unit/test_export.c: exporters and sequences: bytes of the formats, names, what goes wrong.
// Whether other programs read the files, tests/dcc tells.
#include "base/bytes.h"
#include "cache/murmur.h"
#include "check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NVERT = 6, NFRAME = 5 };

static char dir[64];

static const char *in_dir(const char *name) {
  static char path[8][256];
  static int turn;
  turn = (turn + 1) % 8;
  snprintf(path[turn], sizeof path[turn], "%s/%s", dir, name);
  return path[turn];
}

static unsigned char *slurp(const char *path, long *size) {
  FILE *f = fopen(path, "rb");
  *size = 0;
  if (!f) return NULL;
  fseek(f, 0, SEEK_END);
  *size = ftell(f);
  rewind(f);
  unsigned char *bytes = calloc((size_t)*size + 1, 1);
  if (fread(bytes, 1, (size_t)*size, f) != (size_t)*size) *size = -1;
  fclose(f);
  return bytes;
}

static int count_files(const char *path) {
  DIR *d = opendir(path);
  int n = 0;
  for (struct dirent *e; d && (e = readdir(d));) n += e->d_name[0] != '.';
  if (d) closedir(d);
  return n;
}

// A quad and a triangle with a seam in their uv; a single point of dust beside them.
static const int face_start[] = {0, 4, 7}, face_vert[] = {0, 1, 2, 3, 1, 4, 2};
static const int face_uv[] = {0, 1, 2, 3, 4, 5, -1};
static const double uv[] = {0, 0, .5, 0, .5, 1, 0, 1, .6, 0, 1, 0};
static const csim_cache_object patch = {.name = "my patch/1",
                                        .has_velocity = 1,
                                        .nvert = NVERT, // 5 is loose
                                        .nface = 2,
                                        .face_start = face_start,
                                        .face_vert = face_vert,
                                        .nuv = 6,
                                        .uv = uv,
                                        .face_uv = face_uv};

static void make_state(int frame, double *x, double *v) {
  for (int i = 0; i < 3 * NVERT; i++) {
    x[i] = 0.1 * i + frame * (i % 3);
    v[i] = frame - i;
  }
}

static csim_export_options options_for(const char *format, const char *directory) {
  return (csim_export_options){.format = format,
                               .directory = directory,
                               .name = "scene",
                               .fps = 24,
                               .last_number = 12345,
                               .up = 1,
                               .velocities = 1};
}

static csim_status export_all(const csim_export_options *options, int stride, int commit,
                              csim_log *log) {
  double x[3 * NVERT], v[3 * NVERT];
  const double *const xs[] = {x}, *const vs[] = {v};
  csim_export *e;
  csim_status status = csim_export_open(options, 1, &patch, log, &e);
  if (status) return status;
  for (int f = 0; f < NFRAME && !status; f++) {
    make_state(f, x, v);
    status = csim_export_frame(e, 10 + f * stride, xs, vs);
  }
  csim_status closed = csim_export_close(e, commit && !status);
  return status ? status : closed;
}

static void test_murmur(void) {
  // published vectors of MurmurHash3_x64_128 with seed 0
  static const struct {
    const char *text, *digest;
  } known[] = {{"", "00000000000000000000000000000000"},
               {"The quick brown fox jumps over the lazy dog", "6c1b07bc7bbc4be347939ac4a93c437a"},
               {"hello", "029bbd41b3a7d8cb191dae486a901e5b"}};
  for (int i = 0; i < 3; i++) {
    uint8_t digest[16];
    char text[33];
    csim_murmur(known[i].text, strlen(known[i].text), digest);
    for (int k = 0; k < 16; k++) sprintf(text + 2 * k, "%02x", digest[k]);
    CHECK_TEXT(text, known[i].digest);
  }
}

static void test_pc2(void) {
  csim_export_options options = options_for("pc2", in_dir("pc2"));
  check_log log;
  long n;
  check_log_init(&log);
  CHECK(!export_all(&options, 2, 1, &log.log));
  CHECK(log.log.nwarning == 1); // a loose vertex: a PLY beside the OBJ
  CHECK(count_files(in_dir("pc2")) == 3 && !access(in_dir("pc2/my_patch_1_rest.ply"), F_OK));
  unsigned char *b = slurp(in_dir("pc2/my_patch_1.pc2"), &n);
  CHECK(n == 32 + 12 * NVERT * NFRAME);
  if (n == 32 + 12 * NVERT * NFRAME) {
    CHECK(!memcmp(b, "POINTCACHE2", 12) && csim_load_i32(b + 12) == 1);
    CHECK(csim_load_i32(b + 16) == NVERT && csim_load_i32(b + 28) == NFRAME);
    CHECK(csim_load_f32(b + 20) == 10 && csim_load_f32(b + 24) == 2);
    double x[3 * NVERT], v[3 * NVERT];
    make_state(3, x, v);
    for (int i = 0; i < 3 * NVERT; i++)
      CHECK(csim_load_f32(b + 32 + 12 * NVERT * 3 + 4 * i) == (float)x[i]);
  }
  free(b);
}

static void test_mdd(void) {
  csim_export_options options = options_for("mdd", in_dir("mdd"));
  long n;
  CHECK(!export_all(&options, 1, 1, NULL));
  unsigned char *b = slurp(in_dir("mdd/my_patch_1.mdd"), &n);
  CHECK(n == 8 + 4 * NFRAME + 12 * NVERT * NFRAME);
  if (n == 8 + 4 * NFRAME + 12 * NVERT * NFRAME) {
    CHECK(csim_load_u32_be(b) == NFRAME && csim_load_u32_be(b + 4) == NVERT);
    union {
      uint32_t u;
      float f;
    } time = {.u = csim_load_u32_be(b + 8 + 4 * 2)};
    CHECK(time.f == (float)(12 / 24.0));
  }
  free(b);
}

// The frozen byte, the root's six children, and the reference to every sample within the file.
static void test_abc(void) {
  csim_export_options options = options_for("abc", in_dir("abc"));
  long n;
  CHECK(!export_all(&options, 1, 1, NULL));
  unsigned char *b = slurp(in_dir("abc/scene.abc"), &n);
  CHECK(n > 1000 && !memcmp(b, "Ogawa\xff\x00\x01", 8));
  uint64_t root = csim_load_u64(b + 8);
  CHECK(root + 8 + 6 * 8 == (uint64_t)n && csim_load_u64(b + root) == 6);
  for (int k = 0; k < 6; k++) {
    uint64_t word = csim_load_u64(b + root + 8 + 8 * (uint64_t)k), at = word & ~((uint64_t)1 << 63);
    CHECK((k == 2) == !(word >> 63) && at >= 16 && at < root);
  }
  free(b);
  options.directory = in_dir("abc2");
  CHECK(!export_all(&options, 1, 1, NULL));
  long m;
  unsigned char *again = slurp(in_dir("abc2/scene.abc"), &m);
  b = slurp(in_dir("abc/scene.abc"), &n);
  CHECK(n == m && !memcmp(b, again, (size_t)n));
  free(b);
  free(again);
}

static void test_transform(void) {
  double x[3 * NVERT], v[3 * NVERT], back[3 * NVERT];
  for (int up = 1; up <= 2; up++) {
    csim_export_options options = options_for("obj", in_dir(up == 1 ? "to_z" : "to_y"));
    csim_sequence *s;
    options.up = up;
    options.target_up = 3 - up;
    options.scale = 10;
    CHECK(!export_all(&options, 1, 1, NULL));
    CHECK(!csim_sequence_open(options.directory, NULL, &s));
    const csim_sequence_info *info = csim_sequence_get_info(s);
    CHECK(info->nframe == NFRAME && info->nobject == 1 && info->number[2] == 12);
    CHECK(info->object[0].nface == 2 && info->object[0].nuv == 6);
    CHECK(!memcmp(info->object[0].face_uv, face_uv, sizeof face_uv));
    CHECK(!csim_sequence_read(s, 0, 2, back, NULL));
    make_state(2, x, v);
    for (int i = 0; i < NVERT; i++) {
      const double *p = x + 3 * i, *q = back + 3 * i;
      CHECK_NEAR(q[0], 10 * p[0], 1e-7);
      CHECK_NEAR(q[1], up == 1 ? -10 * p[2] : 10 * p[2], 1e-7);
      CHECK_NEAR(q[2], up == 1 ? 10 * p[1] : -10 * p[1], 1e-7);
    }
    csim_sequence_free(s);
  }
}

// A run that is given up leaves no file of the whole run, and no temporary ones.
static void test_abandon(void) {
  static const char *const formats[] = {"pc2", "mdd", "abc", "usda", "glb"};
  for (int k = 0; k < 5; k++) {
    char name[32];
    snprintf(name, sizeof name, "gone_%s", formats[k]);
    csim_export_options options = options_for(formats[k], in_dir(name));
    CHECK(!export_all(&options, 1, 0, NULL));
    CHECK(count_files(in_dir(name)) == (k < 2 ? 2 : 0)); // rest meshes are files of their own
  }
}

static void test_refusals(void) {
  check_log log;
  csim_export *e;
  check_log_init(&log);
  csim_export_options options = options_for("fbx", in_dir("x"));
  CHECK(csim_export_open(&options, 1, &patch, &log.log, &e) == CSIM_INVALID && !e);
  CHECK_TEXT(log.text, "cannot export to \"fbx\": unknown format");
  options = options_for("obj", in_dir("x"));
  CHECK(csim_export_open(&options, 0, &patch, &log.log, &e) == CSIM_INVALID);
  options.fps = 0;
  CHECK(csim_export_open(&options, 1, &patch, &log.log, &e) == CSIM_INVALID);
  options = options_for("abc", "/dev/null/x");
  CHECK(csim_export_open(&options, 1, &patch, &log.log, &e) == CSIM_IO);
  options = options_for("obj", in_dir("back"));
  CHECK(!csim_export_open(&options, 1, &patch, &log.log, &e));
  double x[3 * NVERT], v[3 * NVERT];
  const double *const xs[] = {x};
  make_state(0, x, v);
  CHECK(!csim_export_frame(e, 5, xs, NULL)); // velocities missing: zeros
  CHECK(csim_export_frame(e, 5, xs, NULL) == CSIM_INVALID);
  CHECK_TEXT(log.text, "frame numbers must increase");
  CHECK(csim_export_close(e, 1) == CSIM_INVALID);
  for (const csim_export_format *f = csim_export_formats(); f->name; f++) {
    options = options_for(f->name, in_dir("all"));
    CHECK(!csim_export_open(&options, 1, &patch, NULL, &e));
    CHECK(!csim_export_close(e, 1)); // no frames at all is no crash
  }
}

// Point caches cut anywhere, with any header: refused or read, never worse.
static void test_hostile_points(void) {
  unsigned char bytes[200];
  uint32_t seed = 9;
  for (int round = 0; round < 2000; round++) {
    double x[3 * 16];
    int mdd = round % 2, n = (int)(seed >> 8) % 200;
    for (int i = 0; i < n; i++) {
      seed = seed * 1664525u + 1013904223u;
      bytes[i] = (unsigned char)(i % 4 == (mdd ? 3 : 0) || seed >> 30 ? seed >> 24 & 15 : 0);
    }
    seed = seed * 1664525u + 1013904223u;
    if (!mdd && n >= 16) memcpy(bytes, "POINTCACHE2\0\1\0\0\0", 16);
    const char *path = in_dir(mdd ? "hostile.mdd" : "hostile.pc2");
    FILE *f = fopen(path, "wb");
    fwrite(bytes, 1, (size_t)n, f);
    fclose(f);
    csim_sequence *s;
    check_log log;
    check_log_init(&log);
    csim_status status = csim_sequence_open(path, &log.log, &s);
    CHECK(!status == (s != NULL) && !status == !log.log.nerror);
    if (status) continue;
    const csim_sequence_info *info = csim_sequence_get_info(s);
    for (int k = 0; k < info->nframe && info->object[0].nvert <= 16; k++)
      CHECK(!csim_sequence_read(s, 0, k, x, NULL));
    csim_sequence_free(s);
  }
}

// Mesh files whose faces change: not as positions of the first frame's, but as surfaces of their
// own.
static void test_changing_faces(void) {
  for (int n = 1; n <= 2; n++) { // strips of 1 and of 2 quads
    char name[32];
    snprintf(name, sizeof name, "strip_%04d.obj", n);
    FILE *f = fopen(in_dir(name), "w");
    if (!f) abort();
    for (int i = 0; i <= n; i++) fprintf(f, "v %d 0 0\nv %d 1 %d\n", i, i, n);
    for (int i = 0; i < n; i++)
      fprintf(f, "f %d %d %d %d\n", 2 * i + 1, 2 * i + 3, 2 * i + 4, 2 * i + 2);
    fclose(f);
  }
  csim_sequence *s;
  csim_polygons *p;
  double x[18];
  CHECK(!csim_sequence_open(in_dir("strip_####.obj"), NULL, &s));
  CHECK(!csim_sequence_get_cache(s));
  CHECK(csim_sequence_read(s, 0, 1, x, NULL) == CSIM_INVALID);
  for (int f = 0; f < 2; f++) {
    CHECK(!csim_sequence_read_polygons(s, 0, f, &p));
    CHECK(p && p->nvert == 2 * f + 4 && p->nface == f + 1 && p->ntri == 2 * f + 2);
    CHECK(p && p->vert[5] == f + 1 && p->face_vert[1] == 2);
    csim_polygons_free(p);
  }
  CHECK(csim_sequence_read_polygons(s, 0, 2, &p) == CSIM_INVALID && !p);
  CHECK(csim_sequence_read_polygons(s, 1, 0, &p) == CSIM_INVALID && !p);
  csim_sequence_free(s);
}

static void test_hausdorff(void) {
  static const int start[] = {0, 3, 6}, quad[] = {0, 1, 2, 0, 2, 3};
  static const double square[] = {0, 0, 0, 4, 0, 0, 4, 0, 4, 0, 0, 4};
  csim_cache_object a = {
      .name = "a", .nvert = 4, .nface = 2, .face_start = start, .face_vert = quad};
  csim_cache_object b = {.name = "b", .nvert = 3};
  const double points[] = {1, 0.5, 1, 2, -0.25, 3, 4, 0, 7};
  double d;
  int side, vertex;
  CHECK(!csim_hausdorff(&a, square, &a, square, &d, &side, &vertex));
  CHECK_NEAR(d, 0, 0);
  CHECK(!csim_hausdorff(&a, square, &b, points, &d, &side, &vertex));
  CHECK_NEAR(d, sqrt(10.25), 1e-12); // corner (4, 0, 0) to (1, 0.5, 1); (4, 0, 7) is 3 away
  CHECK(!side && vertex == 1);
  csim_cache_object c = {.name = "c", .nvert = 1};
  CHECK(!csim_hausdorff(&c, points + 6, &a, square, &d, &side, &vertex));
  CHECK(side == 1 && vertex == 0);
  CHECK_NEAR(d, sqrt(16 + 49), 1e-12);

  // what is not finite counts on neither side
  double torn[12];
  memcpy(torn, square, sizeof torn);
  torn[3] = NAN; // of the first triangle only
  CHECK(!csim_hausdorff(&a, square, &a, torn, &d, &side, &vertex));
  CHECK_NEAR(d, sqrt(8), 1e-12); // corner (4, 0, 0) to the diagonal of the second
  CHECK(!side && vertex == 1);

  // random meshes against brute force over the points of one side
  enum { N = 200 };
  static double x[3 * N], y[3 * N];
  csim_cache_object p = {.name = "p", .nvert = N}, q = {.name = "q", .nvert = N};
  uint32_t seed = 3;
  for (int i = 0; i < 3 * N; i++) {
    seed = seed * 1664525u + 1013904223u;
    x[i] = (double)(seed >> 8) / (1 << 24);
    seed = seed * 1664525u + 1013904223u;
    y[i] = (double)(seed >> 8) / (1 << 24);
  }
  double worst = 0;
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < N; i++) {
      double least = 1e9;
      for (int j = 0; j < N; j++) {
        const double *s = (turn ? y : x) + 3 * i, *t = (turn ? x : y) + 3 * j;
        least = fmin(least, sqrt((s[0] - t[0]) * (s[0] - t[0]) + (s[1] - t[1]) * (s[1] - t[1]) +
                                 (s[2] - t[2]) * (s[2] - t[2])));
      }
      worst = fmax(worst, least);
    }
  CHECK(!csim_hausdorff(&p, x, &q, y, &d, &side, &vertex));
  CHECK_NEAR(d, worst, 1e-12);
}

int main(void) {
  snprintf(dir, sizeof dir, "/tmp/test_export.XXXXXX");
  if (!mkdtemp(dir)) return 3;
  test_murmur();
  test_pc2();
  test_mdd();
  test_abc();
  test_transform();
  test_abandon();
  test_refusals();
  test_hostile_points();
  test_changing_faces();
  test_hausdorff();
  char command[128];
  snprintf(command, sizeof command, "rm -rf %s", dir);
  CHECK(!system(command));
  return check_report();
}
