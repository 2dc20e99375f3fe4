// test_friction: the energy and stiffness of one contact's friction, against Coulomb's law and
// against its energy along the slip; updates of several.
#include "check.h"

#include "contact/friction.h"
#include "math/vec3.h"

#include <string.h>

static const double LIMIT = 3, EPS = 2e-6; // [N], [m]

// A point on a plane that is across y, at x.
typedef struct fixture {
  csim_collision_mesh mesh;
  csim_kinematics kin;
  csim_friction_contact contact;
  csim_friction_set set;
} fixture;

static void create(fixture *f) {
  *f = (fixture){.contact = {.w = {1}, .n = {0, 1, 0}, .limit = LIMIT, .eps = EPS, .along = 1}};
  f->mesh = (csim_collision_mesh){.nbody_vert = 1};
  f->kin = (csim_kinematics){.mesh = &f->mesh};
  f->set = (csim_friction_set){.kin = &f->kin, .n = 1, .contact = &f->contact};
}

// Goes to a slip of length y in the direction of (cos a, sin a), as an iteration does.
static void go(fixture *f, double y, double a, double x[3]) {
  x[0] = y * cos(a);
  x[1] = 0.7; // across: no slip
  x[2] = y * sin(a);
  csim_friction_set_hessian(&f->set, 0, x);
}

static double stiffness(const fixture *f, double x, double y, double z) {
  const double d[3] = {x, y, z}, *B = f->contact.B;
  double sum = 0;
  for (int i = 0; i < 3; i++) sum += d[i] * csim_dot(B + 3 * i, d);
  return sum;
}

// Coulomb's law is linear up to eps. The energy is the force's integral.
static void test_law(void) {
  fixture f;
  create(&f);
  static const double slip[] = {0, 0.1, 0.5, 0.999, 1.001, 2, 1e3};
  for (int k = 0; k < 7; k++) {
    double y = slip[k] * EPS, d = 1e-3 * EPS, expected = LIMIT * csim_min(slip[k], 1);
    double more = csim_friction_set_value(&f.set, (double[3]){y + d, 0.2, 0});
    double less = csim_friction_set_value(&f.set, (double[3]){y - d, 0.2, 0});
    CHECK_NEAR((more - less) / (2 * d), expected, 1e-6 * LIMIT);
  }
  CHECK(csim_friction_set_value(&f.set, (double[3]){0, 5, 0}) == 0);
}

// At first the stiffness is that of the secant, in all directions along the plane.
static void test_secant(void) {
  fixture f;
  double x[3];
  for (int k = 0; k < 2; k++) {
    double y = k ? 40 * EPS : 0.3 * EPS, secant = LIMIT * csim_min(y / EPS, 1) / y;
    create(&f);
    go(&f, y, 0.6, x);
    CHECK_NEAR(stiffness(&f, cos(0.6), 0, sin(0.6)), secant, 1e-12 * secant);
    CHECK_NEAR(stiffness(&f, -sin(0.6), 0, cos(0.6)), secant, 1e-12 * secant);
    CHECK_NEAR(stiffness(&f, 0, 1, 0), 0, 1e-12 * secant);
  }
}

// Whatever a slip was before, its stiffness bounds the energy of all steps that take back up to
// twice its last change, but for that of the corner at eps. What turned round, or slips for the
// first time, has the secant.
static void test_bound(void) {
  int less = 0;
  for (int n = 0; n < 2000; n++) {
    fixture f;
    double x[3], a = n, last = 0, y = 0;
    create(&f);
    for (int k = 0; k < 6; k++) {
      last = y;
      y = EPS * pow(10, 3.0 * check_random() / UINT32_MAX - 1);
      go(&f, y, a, x);
    }
    double along = stiffness(&f, cos(a), 0, sin(a)), force = LIMIT * csim_min(y / EPS, 1);
    double here = csim_friction_set_value(&f.set, x), most = 2 * fabs(y - last);
    less += along < 0.99 * force / y;
    for (int k = 1; k <= 20; k++) {
      double t = most * k / 20;
      double back[3] = {(y - t) * cos(a), 0, (y - t) * sin(a)};
      double energy = csim_friction_set_value(&f.set, back);
      CHECK(energy <= here - force * t + 0.5 * along * t * t + 0.5 * LIMIT * EPS);
    }
    go(&f, 3 * EPS, a + 3, x);
    CHECK_NEAR(stiffness(&f, cos(a + 3), 0, sin(a + 3)), LIMIT / (3 * EPS), 1e-9 * LIMIT / EPS);
  }
  CHECK(less > 200);
}

// Where iterations converge it becomes the tangent: nothing along a slip that goes on.
static void test_converges(void) {
  fixture f;
  double x[3], y = 10 * EPS;
  create(&f);
  for (int k = 0; k < 30; k++) go(&f, y * (1 + pow(0.5, k)), 0.2, x);
  CHECK(stiffness(&f, cos(0.2), 0, sin(0.2)) < 1e-6 * LIMIT / y);
  CHECK_NEAR(stiffness(&f, -sin(0.2), 0, cos(0.2)), LIMIT / y, 1e-6 * LIMIT / y);
}

// Vertices 0 to 2 of one body pressed on a plane by these forces [N]; updates the set by a share.
static void press(csim_friction_set *set, const double force[3], double share) {
  csim_active_contact contact[3];
  double inertia = 0; // no stiffness by mass
  csim_active_set active = {.contact = contact,
                            .stiffness = {.kin = set->kin, .inertia = &inertia}};
  for (int i = 0; i < 3; i++)
    if (force[i] > 0)
      contact[active.n++] = (csim_active_contact){
          .v = {i, i, i, -2}, .w = {1}, .n = {0, 1, 0}, .force = -force[i]}; // -2: part 1
  CHECK(csim_friction_set_update(set, &active, share) == 0);
}

// By vertex: the sum of the limits.
static void find_limits(const csim_friction_set *set, double limit[3]) {
  memset(limit, 0, 3 * sizeof *limit);
  for (int i = 0; i < set->n; i++) limit[set->contact[i].v[0]] += set->contact[i].limit;
}

// An update by a share leaves the rest of each limit, also of contacts that have come apart, and
// those that were not there before begin with the share.
static void test_share(void) {
  enum { N = 3 };
  static const double MU = 0.5, first[N] = {8, 4, 0}, second[N] = {0, 6, 2};
  int body_of[N] = {0}, part[N] = {0};
  double start[3 * N] = {0}, mass[N] = {1, 1, 1}, elastic[N] = {0}, limit[N];
  csim_body body = {.friction = MU, .nvert = N};
  csim_collider plane = {.friction = 2};
  csim_model model = {.nvert = N, .nbody = 1, .body = &body, .body_of = body_of};
  csim_collision_mesh mesh = {
      .nbody_vert = N, .nvert = N, .nbody = 1, .body_part = part, .mass = mass, .elastic = elastic};
  csim_contact_plane at = {.collider = &plane, .part = 1};
  csim_kinematics kin = {.mesh = &mesh,
                         .model = &model,
                         .collider = &plane,
                         .planes = {.n = 1, .plane = &at},
                         .body_start = start,
                         .h = 0.01};
  csim_contact_params params = {.thickness = 1e-3, .slip = 1e-5};
  csim_friction_set set = {.kin = &kin, .params = &params};
  press(&set, first, 1);
  press(&set, second, 0.25);
  find_limits(&set, limit);
  for (int i = 0; i < N; i++)
    CHECK_NEAR(limit[i], MU * (0.75 * first[i] + 0.25 * second[i]), 1e-15 * MU * 8);
  press(&set, second, 0.5);
  find_limits(&set, limit);
  for (int i = 0; i < N; i++)
    CHECK_NEAR(limit[i], MU * (0.375 * first[i] + 0.625 * second[i]), 1e-15 * MU * 8);
  press(&set, second, 1);
  find_limits(&set, limit);
  for (int i = 0; i < N; i++) CHECK(limit[i] == MU * second[i]);
  CHECK(set.n == 2);
  csim_friction_set_free(&set);
}

int main(void) {
  test_law();
  test_secant();
  test_bound();
  test_converges();
  test_share();
  return check_report();
}
