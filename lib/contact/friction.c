// contact/friction.c: Coulomb friction, lagged, see contact.h.
//
//   E(u) = mu N f0(|u|), u the slip of this step across the gap's normal, f0' = f1,
//   f1(y) = 2 y/eps - y^2/eps^2 for y < eps, else 1;  eps = slip speed times the step
//
// Place, normal and N are those at the start of the step (Li et al. 2020, 5.4). The Hessian is the
// secant's, mu N f1/y across the normal, in all directions: it bounds the energy from above, so that
// Newton's steps do not cycle between sticking and slipping. With the tangent along the slip a board
// took 5.8 iterations a substep instead of 1.9; sticking does not creep with either.
#include "contact/contact.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

double csim_contact_coefficient(const csim_contact_params *params, const csim_model *model,
                                const csim_collider *collider, int a, int b) {
  for (int k = 0; k < params->nfriction; k++) {
    const csim_pair_friction *f = &params->pair_friction[k];
    if ((f->part[0] == a && f->part[1] == b) || (f->part[0] == b && f->part[1] == a))
      return f->friction;
  }
  double of_a = a < model->nbody ? model->body[a].friction : collider[a - model->nbody].friction;
  double of_b = b < model->nbody ? model->body[b].friction : collider[b - model->nbody].friction;
  return csim_min(of_a, of_b);
}

static int part_of(const csim_contact *c, int v) {
  return v < 0 ? -1 - v : csim_collision_mesh_part(&c->mesh, v);
}

void csim_contact_lag_friction(csim_contact *contact) {
  csim_friction_term *friction =
      csim_grow(contact->friction, &contact->friction_room,
                (ptrdiff_t)contact->nfriction + contact->nterm, sizeof *contact->friction);
  if (!friction) {
    contact->failed = 1;
    return;
  }
  contact->friction = friction;
  for (int i = 0; i < contact->nterm; i++) {
    const csim_contact_term *t = &contact->term[i];
    // of a plane's term, v[3] tells the plane
    double mu = csim_contact_coefficient(&contact->params, contact->model, contact->collider,
                                         part_of(contact, t->v[0]), part_of(contact, t->v[3]));
    if (!(mu * -t->force > 0)) continue;
    csim_friction_term *f = &friction[contact->nfriction++];
    *f = (csim_friction_term){.limit = -mu * t->force};
    memcpy(f->v, t->v, sizeof f->v);
    memcpy(f->w, t->w, sizeof f->w);
    memcpy(f->n, t->n, sizeof f->n);
    for (int k = 0; k < 4; k++)
      if (f->w[k] != 0) csim_add_scaled(f->w[k], csim_contact_start(contact, f->v[k]), f->start);
  }
}

// Slip across the normal since the start of the step.
static double slip_of(const csim_contact *contact, const csim_friction_term *f, double u[3]) {
  for (int c = 0; c < 3; c++) u[c] = -f->start[c];
  for (int k = 0; k < 4; k++)
    if (f->w[k] != 0) csim_add_scaled(f->w[k], contact->look + 3 * (ptrdiff_t)f->v[k], u);
  csim_add_scaled(-csim_dot(u, f->n), f->n, u);
  return csim_norm(u);
}

static double friction_energies(void *context, int first, int last) {
  const csim_contact *c = context;
  double sum = 0, u[3], eps = c->slip;
  for (int i = first; i < last; i++) {
    double y = slip_of(c, &c->friction[i], u);
    sum += c->friction[i].limit * (y < eps ? y * y / eps * (1 - y / (3 * eps)) : y - eps / 3);
  }
  return sum;
}

double csim_contact_friction_value(csim_contact *contact) {
  return csim_pool_sum(contact->pool, contact->nfriction, friction_energies, contact);
}

void csim_contact_friction_force(const csim_contact *contact, const csim_friction_term *f,
                                 double force[3], double B[9]) {
  double u[3], eps = contact->slip, y = slip_of(contact, f, u);
  double over = y < eps ? (2 - y / eps) / eps : 1 / y; // f1/y
  memset(B, 0, 9 * sizeof *B);
  for (int c = 0; c < 3; c++) {
    force[c] = f->limit * over * u[c];
    B[4 * c] = f->limit * over;
  }
  csim_mat3_add_outer(-f->limit * over, f->n, f->n, B);
}
