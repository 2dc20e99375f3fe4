// test_chamber: pressure, gas and volumes: derivatives, the work of a balloon's skin against its
// gas, and what is refused.
#include "check.h"
#include "kit.h"

#include "math/vec3.h"
#include "mesh/shapes.h"
#include "mesh/solid.h"
#include "model/chamber.h"

#include <stdlib.h>
#include <string.h>

// A skin of springs around a gas, from a sphere.
static void begin_ball(csim_chamber *chamber, csim_chamber_part *part, const char *linear, kit *k) {
  csim_mesh mesh;
  csim_topology topology;
  csim_shape_spec spec = {.kind = CSIM_SHAPE_KIND_SPHERE, .radius = 0.15, .cells = {16, 10}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  CHECK(csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &topology) == CSIM_OK);
  kit_begin(mesh.nvert, mesh.vert, 0, 0.02, k);
  csim_vert_areas(mesh.nvert, mesh.ntri, mesh.tri, mesh.vert, k->model->mass);
  for (int i = 0; i < mesh.nvert; i++) k->model->mass[i] *= 0.2;
  csim_network_mesh(&topology, &(csim_part){.X = mesh.vert, .compression = 1}, 300, &k->springs);
  csim_topology_free(&topology);
  *k->model->body[0].mesh = mesh;
  k->model->body[0].damping = 5;
  memset(k->model->gravity, 0, sizeof k->model->gravity);
  k->params.linear = linear;
  k->params.iterations = 50;
  *part = (csim_chamber_part){.ntri = mesh.ntri};
  chamber->npart = 1;
  chamber->part = part;
  chamber->vert = mesh.tri[0];
  k->model->chambers.chamber = chamber;
  k->model->chambers.nchamber = 1;
}

static double volume_of(const kit *k, const double *x) {
  double error;
  const csim_mesh *mesh = k->model->body[0].mesh;
  return csim_signed_volume(x, x, mesh->ntri, mesh->tri, &error);
}

// At rest the skin's springs do as much work in a uniform growth as the pressure in it does:
// sum x . dE/dx = 3 p V. With the atmosphere, p V has to be what the gas had at the start.
static void test_balloon(void) {
  static const char *const linears[] = {"pcg", "cholesky"};
  for (int m = 0; m < 2; m++) {
    kit k;
    double excess = 30000, atmosphere = 100000;
    csim_chamber chamber = {.gas = 1, .pressure = excess, .atmosphere = atmosphere};
    csim_chamber_part part;
    begin_ball(&chamber, &part, linears[m], &k);
    chamber.volume0 = volume_of(&k, k.model->x0);
    kit_ready(&k, 2);
    for (int n = 0; n < 150; n++) kit_step(&k);
    double V = volume_of(&k, k.state.x), work = 0;
    double *g = CSIM_NEW(double, 3 * k.model->nvert);
    csim_energy_gradient(NULL, &k.model->energy[0], &(csim_point){.x = k.state.x}, g);
    for (int i = 0; i < 3 * k.model->nvert; i++) work += k.state.x[i] * g[i];
    double p = work / (3 * V), before = (atmosphere + excess) * chamber.volume0;
    CHECK(V > 1.2 * chamber.volume0);
    CHECK(p > 200); // the skin is tight
    CHECK_NEAR((p + atmosphere) * V, before, 1e-4 * before);
    free(g);
    kit_end(&k);
  }
}

// A liquid keeps the volume that it is told, and pressure without anything that resists it but the
// skin is the skin's: sum x . dE/dx = 3 p V again.
static void test_volume_and_pressure(void) {
  for (int liquid = 0; liquid < 2; liquid++) {
    kit k;
    csim_chamber chamber = {.pressure = liquid ? 0 : 150, .volume = 0.5};
    csim_chamber_part part;
    begin_ball(&chamber, &part, "pcg", &k);
    chamber.volume0 = volume_of(&k, k.model->x0);
    chamber.stiffness = liquid ? 1e7 : 0;
    if (liquid) chamber.volume = 1.3;
    kit_ready(&k, 1);
    for (int n = 0; n < 200; n++) kit_step(&k);
    double V = volume_of(&k, k.state.x), work = 0;
    if (liquid) CHECK_NEAR(V, 1.3 * chamber.volume0, 1e-3 * V);
    double *g = CSIM_NEW(double, 3 * k.model->nvert);
    csim_energy_gradient(NULL, &k.model->energy[0], &(csim_point){.x = k.state.x}, g);
    for (int i = 0; i < 3 * k.model->nvert; i++) work += k.state.x[i] * g[i];
    if (!liquid) CHECK_NEAR(work / (3 * V), 150, 0.01 * 150);
    free(g);
    kit_end(&k);
  }
}

// Value against gradient, gradient along the volume's direction against the Hessian, on a body that
// is not round, with inward faces as well.
static void test_derivatives(void) {
  kit k;
  csim_chamber chamber = {.gas = 1, .atmosphere = 1000, .volume = 0.9, .stiffness = 400};
  csim_chamber_part part;
  begin_ball(&chamber, &part, "pcg", &k);
  chamber.volume0 = volume_of(&k, k.model->x0);
  kit_ready(&k, 1);
  int n = 3 * k.model->nvert;
  unsigned seed = 9;
  double *x = CSIM_NEW(double, n), *g = CSIM_NEW(double, n), *q = CSIM_NEW(double, n);
  double *d = CSIM_NEW(double, n);
  for (int inward = 0; inward < 2; inward++) {
    csim_chamber_now now = {.pressure = 70, .volume = 0.9, .grad = CSIM_NEW(double, n)};
    part.inward = inward;
    for (int i = 0; i < n; i++) {
      // mirrored, the faces of a ball point inward
      x[i] = k.model->x0[i] * (inward && i % 3 == 0 ? -1 : 1) + 0.02 * kit_random(&seed);
      d[i] = kit_random(&seed);
    }
    CHECK_NEAR(csim_chamber_volume(k.model, &chamber, x, x), fabs(volume_of(&k, x)), 1e-15);
    memset(g, 0, (size_t)n * sizeof *g);
    csim_chambers_gradient(k.model, &now, x, g);
    double eps = 1e-6, slope = 0, change = 0, expected = 0;
    for (int i = 0; i < n; i++) slope += g[i] * d[i];
    for (int i = 0; i < n; i++) x[i] += eps * d[i];
    double up = csim_chambers_value(k.model, &now, x);
    for (int i = 0; i < n; i++) x[i] -= 2 * eps * d[i];
    double down = csim_chambers_value(k.model, &now, x);
    for (int i = 0; i < n; i++) x[i] += eps * d[i];
    CHECK_NEAR((up - down) / (2 * eps), slope, 1e-6 * fabs(slope));
    // P falls with the volume as the Hessian says
    csim_chambers_hessian(k.model, &now, x);
    memset(q, 0, (size_t)n * sizeof *q);
    double dHd = csim_chambers_multiply(k.pool, k.model, &now, d, q);
    double V = csim_chamber_volume(k.model, &chamber, x, x), dV = 1e-6 * V, along = 0;
    double fall = (csim_chamber_pressure(&chamber, &now, V - dV) -
                   csim_chamber_pressure(&chamber, &now, V + dV)) /
                  (2 * dV);
    for (int i = 0; i < n; i++) along += now.grad[i] * d[i];
    for (int i = 0; i < n; i++) change += q[i] * d[i];
    expected = fall * along * along;
    CHECK_NEAR(dHd, expected, 1e-6 * expected);
    CHECK_NEAR(change, expected, 1e-6 * expected);
    free(now.grad);
  }
  free(x);
  free(g);
  free(q);
  free(d);
  kit_end(&k);
}

// Two sheets that seams hold together along their edges, a little apart: the pressure's force is
// still the derivative of its energy, whichever vertex volumes are taken about.
static void test_open_seam(void) {
  kit k;
  csim_chamber chamber = {.pressure = 400};
  csim_chamber_part part;
  begin_ball(&chamber, &part, "pcg", &k);
  kit_ready(&k, 1);
  int nvert = k.model->nvert, ntri = k.model->body[0].mesh->ntri, *tri = k.model->tri;
  // the upper half gets vertices of its own where it meets the lower one
  double middle = 0;
  int *twin = CSIM_NEW(int, nvert), *sewn = CSIM_NEW(int, 2 * nvert), n = nvert;
  int *split = CSIM_NEW(int, 3 * ntri), *whole = tri;
  double *x = CSIM_NEW(double, 6 * nvert), *g = CSIM_NEW(double, 6 * nvert);
  memcpy(x, k.model->x0, 3 * (size_t)nvert * sizeof *x);
  for (int i = 0; i < 2 * nvert; i++) sewn[i] = i;
  for (int t = 0; t < ntri; t++) {
    double top = 0;
    for (int c = 0; c < 3; c++) top += x[3 * tri[3 * t + c] + 1];
    for (int c = 0; c < 3; c++) {
      int v = tri[3 * t + c];
      split[3 * t + c] = v;
      if (top <= 3 * middle) continue;
      if (!twin[v]) {
        twin[v] = n;
        sewn[v] = n;
        sewn[n] = v;
        for (int a = 0; a < 3; a++) x[3 * n + a] = x[3 * v + a] + (a == 1 ? 0.01 : 0);
        n++;
      }
      split[3 * t + c] = twin[v];
    }
  }
  k.model->tri = split;
  k.model->chambers.sewn = sewn;
  csim_chamber_now now = {.pressure = 400};
  csim_chambers_gradient(k.model, &now, x, g);
  double eps = 1e-6, worst = 0, largest = 0;
  for (int i = 0; i < 3 * n; i++) {
    double at = x[i];
    x[i] = at + eps;
    double up = csim_chambers_value(k.model, &now, x);
    x[i] = at - eps;
    double down = csim_chambers_value(k.model, &now, x);
    x[i] = at;
    worst = csim_max(worst, fabs((up - down) / (2 * eps) - g[i]));
    largest = csim_max(largest, fabs(g[i]));
  }
  CHECK(n > nvert);
  CHECK(worst < 1e-6 * largest);
  chamber.vert = split[3 * ntri - 1];
  double about = csim_chambers_value(k.model, &now, x);
  chamber.vert = split[0];
  CHECK_NEAR(csim_chambers_value(k.model, &now, x), about, 1e-12 * fabs(about));
  k.model->tri = whole;
  k.model->chambers.sewn = NULL;
  free(twin);
  free(sewn);
  free(split);
  free(x);
  free(g);
  kit_end(&k);
}

int main(void) {
  test_open_seam();
  test_balloon();
  test_volume_and_pressure();
  test_derivatives();
  return check_report();
}
