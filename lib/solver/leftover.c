// solver/leftover.c: see leftover.h.
#include "solver/leftover.h"

#include "math/vec3.h"

#include <string.h>

enum { PATCH_GRAIN = 8 };

// Largest correction, as a share of the momentum. At 0.03 the friction of a landing, where normal
// forces are off by more than the weight, stopped cloth that slides on.
static const double MOST = 0.1;

// Least moment of inertia about any axis, as a share of the sum of all three of the whole object: a
// row of vertices has none about its own, nor has a single one that touches nothing.
static const double LEAST_INERTIA = 1e-3;

// Of vertices, about the centre of mass of their object.
typedef struct masses {
  double mass;       // [kg]
  double moment[3];  // [kg m]
  double inertia[6]; // [kg m^2] xx yy zz xy xz yz
} masses;

// Sums over the free vertices of a patch or an object.
typedef struct motion {
  double momentum[2][3]; // [kg m/s] before and after the step
  double spin[2][3];     // [kg m^2/s] angular momentum
  double kept[3];        // [kg m/s] p of generalized-alpha
  double arc[3];  // [N m] sum m v x p: by it the angular momentum of p grows on the step's way
  masses part[2]; // of those that are not rough, and of those that are
} motion;

enum { MOTION = sizeof(motion) / sizeof(double), MASSES = sizeof(masses) / sizeof(double) };

typedef struct motion_job {
  const csim_problem *problem;
  const csim_balance *balance;
  double *motion;
} motion_job;

static void add_momentum(double mass, const double r[3], const double v[3], double momentum[3],
                         double spin[3]) {
  double turn[3];
  csim_cross(r, v, turn);
  csim_add_scaled(mass, v, momentum);
  csim_add_scaled(mass, turn, spin);
}

// Adds `sign` times the inertia of a mass at r.
static void add_inertia(double sign, double mass, const double r[3], double inertia[6]) {
  double square = csim_dot(r, r), m = sign * mass;
  for (int c = 0; c < 3; c++) inertia[c] += m * (square - r[c] * r[c]);
  inertia[3] -= m * r[0] * r[1];
  inertia[4] -= m * r[0] * r[2];
  inertia[5] -= m * r[1] * r[2];
}

// Adds m p and m v x p of vertex i, which moves at v in the step, with p = v_n + h/2 a.
static void add_arc(const csim_problem *problem, int i, double mass, const double v[3],
                    motion *sum) {
  const double *a = problem->integration->a_from;
  double p[3], turn[3];
  if (!a) return;
  memcpy(p, problem->v + csim_xyz(i), sizeof p);
  csim_add_scaled(0.5 * problem->h, a + csim_xyz(i), p);
  csim_cross(v, p, turn);
  csim_add_scaled(mass, p, sum->kept);
  csim_add_scaled(mass, turn, sum->arc);
}

static void add_up_motion(void *context, int first, int last) {
  const motion_job *job = context;
  const csim_problem *problem = job->problem;
  const csim_balance *b = job->balance;
  for (int p = first; p < last; p++) {
    const double *centre = b->centre + csim_xyz(b->patch_body[p]);
    motion sum = {0};
    for (int k = b->patch_start[p]; k < b->patch_start[p + 1]; k++) {
      int i = b->vert[k];
      double mass = b->model->mass[i], r[3], v[3];
      csim_sub(b->x + csim_xyz(i), centre, r);
      csim_sub(b->x + csim_xyz(i), problem->x + csim_xyz(i), v);
      for (int c = 0; c < 3; c++) v[c] /= problem->h;
      add_momentum(mass, r, problem->v + csim_xyz(i), sum.momentum[0], sum.spin[0]);
      add_momentum(mass, r, v, sum.momentum[1], sum.spin[1]);
      add_arc(problem, i, mass, v, &sum);
      masses *part = &sum.part[problem->integration->rough[i]];
      part->mass += mass;
      csim_add_scaled(mass, r, part->moment);
      add_inertia(1, mass, r, part->inertia);
    }
    memcpy(job->motion + csim_row(MOTION, p), &sum, sizeof sum);
  }
}

int csim_leftovers_create(csim_arena *arena, const csim_balance *balance, csim_leftovers *l) {
  *l = (csim_leftovers){.balance = balance};
  l->motion = CSIM_ARENA_NEW(arena, double, csim_row(MOTION, balance->npatch));
  return arena->failed ? -1 : 0;
}

// The part of a force or torque that is given back.
static void bound(const double *force, double h, double momentum[2][3], double bounded[3]) {
  double size = h * csim_norm(force);
  double most = MOST * csim_max(csim_norm(momentum[0]), csim_norm(momentum[1]));
  memset(bounded, 0, 3 * sizeof *bounded);
  csim_add_scaled(size > most ? most / size : 1, force, bounded);
}

// Angular acceleration under a torque, with at least some inertia about each axis.
static void turn_under(const double inertia[6], double least, const double torque[3],
                       double turn[3]) {
  static const int at[9] = {0, 3, 4, 3, 1, 5, 4, 5, 2};
  double J[9], inverse[9];
  for (int c = 0; c < 9; c++) J[c] = inertia[at[c]] + (c % 4 == 0 ? least : 0);
  if (csim_mat3_inverse(J, inverse) > 0) csim_mat3_mul(inverse, torque, turn);
}

// The sum `arc` about the body's centre of mass, which moves as well.
static void arc_about_centre(double mass, const motion *sum, double arc[3]) {
  double of_centre[3];
  csim_cross(sum->momentum[1], sum->kept, of_centre);
  memcpy(arc, sum->arc, sizeof sum->arc);
  csim_add_scaled(-1 / mass, of_centre, arc);
}

// Sets the leftover of body k from its motion, and the force and the torque on it.
static void set_leftover(const csim_problem *problem, const csim_balance *b, int k, motion *sum,
                         const double *force, int whole, double left[3]) {
  csim_leftover *l = &problem->integration->leftover[k];
  masses m = sum->part[0];
  double F[3], T[3], shift[3] = {0}, by_shift[3], inertia = 0;
  for (int c = 0; c < 3; c++) inertia += sum->part[0].inertia[c] + sum->part[1].inertia[c];
  l->of_rough = m.mass < 0.5 * b->body_mass[k];
  for (int j = 0; j < MASSES && l->of_rough; j++)
    ((double *)&m)[j] += ((const double *)&sum->part[1])[j];
  if (!(m.mass > 0)) return;
  bound(force, problem->h, sum->momentum, F);
  bound(force + 3, problem->h, sum->spin, T);
  if (whole) {
    double arc[3];
    arc_about_centre(b->body_mass[k], sum, arc);
    csim_add_scaled(1, arc, T);
  }
  csim_add_scaled(1 / m.mass, m.moment, shift);
  csim_cross(shift, F, by_shift);
  csim_sub(T, by_shift, T);
  add_inertia(-1, m.mass, shift, m.inertia);
  turn_under(m.inertia, LEAST_INERTIA * inertia, T, l->turn);
  csim_add_scaled(1 / m.mass, F, l->acceleration);
  csim_add_scaled(1, b->centre + csim_xyz(k), l->centre);
  csim_add_scaled(1, shift, l->centre);
  csim_add_scaled(-1, F, left);
}

void csim_leftovers_find(const csim_problem *problem, const csim_leftovers *l, double left[3]) {
  const csim_balance *b = l->balance;
  csim_pool_for(problem->pool, b->npatch, PATCH_GRAIN, add_up_motion,
                &(motion_job){problem, b, l->motion});
  motion sum = {0};
  double force[CSIM_BALANCE_SUMS] = {0};
  int first = 0;
  for (int p = 0; p < b->npatch; p++) {
    for (int j = 0; j < MOTION; j++) ((double *)&sum)[j] += l->motion[csim_row(MOTION, p) + j];
    for (int j = 0; j < CSIM_BALANCE_SUMS; j++)
      force[j] += b->sums[csim_row(CSIM_BALANCE_SUMS, p) + j];
    if (p + 1 < b->npatch && b->patch_body[p + 1] == b->patch_body[p]) continue;
    int k = b->patch_body[p], nfree = b->patch_start[p + 1] - b->patch_start[first];
    set_leftover(problem, b, k, &sum, force, nfree == b->model->body[k].nvert, left);
    first = p + 1;
    memset(&sum, 0, sizeof sum);
    memset(force, 0, sizeof force);
  }
}
