// cli/clothsim-tet.cpp: TetGen in a process of its own. Reads one request on stdin, writes one
// reply on stdout, both as lib/io/tet_wire.h has them; what TetGen prints goes to stderr.
//
// The only C++ program outside of tests and the only program that links TetGen (AGPL-3). TetGen
// throws, aborts, crashes or never returns on some surfaces: the caller judges by the way this
// process ends.
#include "io/tet_wire.h"

#define TETLIBRARY
#include <tetgen.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <new>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

// ------------------------------------------------------------------------------- bytes and numbers

uint64_t load_bits(const unsigned char *p, int nbyte) {
  uint64_t bits = 0;
  for (int k = nbyte - 1; k >= 0; k--) bits = bits << 8 | p[k];
  return bits;
}

uint32_t load_u32(const unsigned char *p) {
  return static_cast<uint32_t>(load_bits(p, 4));
}

double load_f64(const unsigned char *p) {
  uint64_t bits = load_bits(p, 8);
  double value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

void store_bits(std::vector<unsigned char> &out, uint64_t bits, int nbyte) {
  for (int k = 0; k < nbyte; k++) out.push_back(static_cast<unsigned char>(bits >> 8 * k));
}

void store_f64(std::vector<unsigned char> &out, double value) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  store_bits(out, bits, 8);
}

// False at the end of input or on an error before n bytes are there.
bool read_bytes(unsigned char *p, size_t n) {
  while (n > 0) {
    ssize_t got = read(STDIN_FILENO, p, n);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    p += got;
    n -= static_cast<size_t>(got);
  }
  return true;
}

bool write_bytes(int fd, const unsigned char *p, size_t n) {
  while (n > 0) {
    ssize_t done = write(fd, p, n);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    p += done;
    n -= static_cast<size_t>(done);
  }
  return true;
}

// ------------------------------------------------------------------------------------------- work

struct failure {
  csim_tet_failure code;
  const char *text;
};

struct request {
  double radius_edge_ratio, max_volume, tolerance, memory_limit;
  uint32_t time_limit, nvert, ntri, nhole, nzone;
};

// Keeps the input's promise even if the parent dies, and the machine alive even if TetGen does not
// stop. The memory limit counts addresses, which TetGen's pools nearly all touch.
void set_limits(const request &q) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  // a crash shall look like one to the caller, under a sanitizer as well
  for (int crash : {SIGSEGV, SIGBUS, SIGFPE, SIGABRT}) signal(crash, SIG_DFL);
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
  if (q.time_limit > 0) {
    rlimit time = {q.time_limit, q.time_limit + rlim_t{1}};
    setrlimit(RLIMIT_CPU, &time);
  }
#ifndef __SANITIZE_ADDRESS__ // whose shadow takes terabytes of addresses
  if (q.memory_limit >= 1 && q.memory_limit < 9e18) {
    rlimit memory = {static_cast<rlim_t>(q.memory_limit), static_cast<rlim_t>(q.memory_limit)};
    setrlimit(RLIMIT_AS, &memory);
  }
#endif
}

request read_header() {
  unsigned char h[CSIM_TET_REQUEST_HEADER];
  if (!read_bytes(h, sizeof h) || std::memcmp(h, CSIM_TET_REQUEST, 8) != 0)
    throw failure{CSIM_TET_BAD_REQUEST, "stdin is not a clothsim-tet request"};
  request q = {load_f64(h + 8),  load_f64(h + 16), load_f64(h + 24),
               load_f64(h + 32), load_u32(h + 40), load_u32(h + 44),
               load_u32(h + 48), load_u32(h + 52), load_u32(h + 56)};
  const uint32_t most = 1u << 27; // CSIM_MESH_MAX_VERT
  if (q.nvert < 4 || q.nvert > most || q.ntri < 4 || q.ntri > most || q.nhole > q.ntri ||
      q.nzone > most || !(q.radius_edge_ratio >= 0) || !(q.max_volume >= 0) || !(q.tolerance >= 0))
    throw failure{CSIM_TET_BAD_REQUEST, "the request's header is out of range"};
  return q;
}

std::vector<unsigned char> read_block(size_t n) {
  // grown as data arrives: a header may promise more than there is
  std::vector<unsigned char> bytes;
  const size_t step = 1u << 24;
  while (bytes.size() < n) {
    size_t have = bytes.size(), more = n - have < step ? n - have : step;
    bytes.resize(have + more);
    if (!read_bytes(bytes.data() + have, more))
      throw failure{CSIM_TET_BAD_REQUEST, "the request is cut short"};
  }
  return bytes;
}

double *read_points(uint32_t n) {
  std::vector<unsigned char> bytes = read_block(size_t{24} * n);
  double *point = new double[size_t{3} * n]; // tetgenio deletes it
  for (size_t i = 0; i < size_t{3} * n; i++) point[i] = load_f64(&bytes[8 * i]);
  return point;
}

void read_surface(const request &q, tetgenio &in) {
  in.numberofpoints = static_cast<int>(q.nvert);
  in.pointlist = read_points(q.nvert);
  std::vector<unsigned char> bytes = read_block(size_t{12} * q.ntri);
  in.facetlist = new tetgenio::facet[q.ntri];
  for (size_t t = 0; t < q.ntri; t++) tetgenio::init(&in.facetlist[t]);
  in.numberoffacets = static_cast<int>(q.ntri);
  for (size_t t = 0; t < q.ntri; t++) {
    tetgenio::facet *f = &in.facetlist[t];
    f->polygonlist = new tetgenio::polygon[1];
    f->numberofpolygons = 1;
    tetgenio::init(f->polygonlist);
    f->polygonlist->vertexlist = new int[3];
    f->polygonlist->numberofvertices = 3;
    for (size_t k = 0; k < 3; k++) {
      uint32_t v = load_u32(&bytes[12 * t + 4 * k]);
      if (v >= q.nvert) throw failure{CSIM_TET_BAD_REQUEST, "a triangle's vertex does not exist"};
      f->polygonlist->vertexlist[k] = static_cast<int>(v);
    }
  }
  if (q.nhole > 0) {
    in.holelist = read_points(q.nhole);
    in.numberofholes = static_cast<int>(q.nhole);
  }
}

// Boxes and the largest volume of a tetrahedron whose centre is in one: TetGen's question has no
// room for them.
std::vector<double> zones;

void read_zones(const request &q) {
  std::vector<unsigned char> bytes = read_block(size_t{56} * q.nzone);
  for (size_t i = 0; i < size_t{7} * q.nzone; i++) zones.push_back(load_f64(&bytes[8 * i]));
}

// Whether a tetrahedron is too large for its zone.
bool is_too_large(double *a, double *b, double *c, double *d, double *, double) {
  double centre[3], u[3], v[3], w[3];
  for (int k = 0; k < 3; k++) {
    centre[k] = (a[k] + b[k] + c[k] + d[k]) / 4;
    u[k] = b[k] - a[k], v[k] = c[k] - a[k], w[k] = d[k] - a[k];
  }
  double six = u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) +
               u[2] * (v[0] * w[1] - v[1] * w[0]);
  double volume = (six < 0 ? -six : six) / 6;
  for (size_t z = 0; z < zones.size(); z += 7) {
    bool in = volume > zones[z + 6];
    for (size_t k = 0; k < 3; k++)
      in = in && centre[k] >= zones[z + k] && centre[k] <= zones[z + 3 + k];
    if (in) return true;
  }
  return false;
}

void tetrahedralise(const request &q, tetgenio &in, tetgenio &out) {
  tetgenbehavior b;
  // a surface to fill; no vertex added to it; quietly. q has to be in the text: what depends on it,
  // the removal of flat tetrahedra after refining among it, is decided where the text is read
  char plain[] = "pYYQ", quality[] = "pYYqQ";
  bool is_bound = q.radius_edge_ratio > 0 || q.max_volume > 0 || q.nzone > 0;
  if (q.nzone > 0) in.tetunsuitable = is_too_large;
  if (!b.parse_commandline(is_bound ? quality : plain))
    throw failure{CSIM_TET_GAVE_UP, "it does not know its own switches"};
  // set here and not as text: no digit is lost
  b.epsilon = q.tolerance;
  if (q.radius_edge_ratio > 0) b.minratio = q.radius_edge_ratio; // else TetGen's own, 2
  if (q.max_volume > 0) {
    b.fixedvolume = 1;
    b.maxvolume = q.max_volume;
  }
  try {
    ::tetrahedralize(&b, &in, &out);
  } catch (int code) {
    switch (code) {
    case 1:
      throw failure{CSIM_TET_NO_MEMORY, "it ran out of memory"};
    case 3:
      throw failure{CSIM_TET_GAVE_UP, "it takes the surface for self-intersecting"};
    case 4:
      throw failure{CSIM_TET_GAVE_UP, "it finds a feature too small"};
    case 5:
      throw failure{CSIM_TET_GAVE_UP, "it finds two faces too close to each other"};
    default:
      throw failure{CSIM_TET_GAVE_UP, "it met an internal error"};
    }
  }
  if (out.numberoftetrahedra <= 0 || out.numberofcorners != 4)
    throw failure{CSIM_TET_NO_TETS, "it made no tetrahedra"};
  if (out.numberofpoints < in.numberofpoints)
    throw failure{CSIM_TET_GAVE_UP, "it merged vertices too close for it"};
}

std::vector<unsigned char> make_reply(csim_tet_failure code, const char *text,
                                      const tetgenio *mesh) {
  std::vector<unsigned char> reply;
  size_t ntext = std::strlen(text), nvert = 0, ntet = 0;
  if (mesh) {
    nvert = static_cast<size_t>(mesh->numberofpoints);
    ntet = static_cast<size_t>(mesh->numberoftetrahedra);
  }
  reply.reserve(CSIM_TET_REPLY_HEADER + ntext + 24 * nvert + 16 * ntet);
  for (int k = 0; k < 8; k++) reply.push_back(static_cast<unsigned char>(CSIM_TET_REPLY[k]));
  store_bits(reply, code, 4);
  store_bits(reply, ntext, 4);
  store_bits(reply, nvert, 4);
  store_bits(reply, ntet, 4);
  reply.insert(reply.end(), text, text + ntext);
  for (size_t i = 0; i < 3 * nvert; i++) store_f64(reply, mesh->pointlist[i]);
  for (size_t i = 0; i < 4 * ntet; i++)
    store_bits(reply, static_cast<uint32_t>(mesh->tetrahedronlist[i]), 4);
  return reply;
}

std::vector<unsigned char> answer() {
  try {
    request q = read_header();
    set_limits(q);
    // never deleted: the process ends soon, and TetGen's destructors may crash after a failure
    tetgenio &in = *new tetgenio, &out = *new tetgenio;
    read_surface(q, in);
    read_zones(q);
    tetrahedralise(q, in, out);
    return make_reply(CSIM_TET_OK, "", &out);
  } catch (const failure &f) {
    return make_reply(f.code, f.text, nullptr);
  } catch (const std::bad_alloc &) {
    return make_reply(CSIM_TET_NO_MEMORY, "it ran out of memory", nullptr);
  } catch (...) {
    return make_reply(CSIM_TET_GAVE_UP, "it threw something unknown", nullptr);
  }
}

} // namespace

int main(int argc, char **) {
  if (argc > 1 || isatty(STDIN_FILENO)) {
    std::fputs("clothsim-tet fills closed surfaces with tetrahedra for clothsim, which starts it;\n"
               "it takes no arguments, and a binary request on stdin\n",
               stderr);
    return 2;
  }
  int reply_fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
  if (reply_fd < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return 3;
  std::vector<unsigned char> reply = answer();
  bool written = write_bytes(reply_fd, reply.data(), reply.size());
  _exit(written ? 0 : 3);
}
