// test_contact: contact in the step: nothing passes through anything with any solver, results do
// not depend on threads, friction obeys Coulomb, derivatives are those of the energy.
#include "check.h"
#include "kit.h"

#include "contact/modules.h"
#include "contact/terms.h"
#include "math/vec3.h"
#include "mesh/intersect.h"
#include "mesh/shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ----------------------------------------------------------------------------------------- scenes

/// Square layers above each other over a ball and a floor, on one kit of vertices.
typedef struct layers {
  kit k;
  csim_mesh ball;
  csim_collider collider[2];
  csim_solver_setup setup;
  csim_scratch scratch; // of contact alone
} layers;

static void add_layer(kit *k, const csim_mesh *mesh, const csim_topology *topology, int vert0) {
  csim_part part = {.X = mesh->vert, .vert0 = vert0};
  csim_network_mesh(topology, &part, 300, &k->springs);
  csim_network_hinges(topology, &part, 1e-5, &k->quadratic);
}

static void layers_begin(int nlayer, int cells, const char *method, int nthread, layers *l) {
  csim_mesh mesh;
  csim_topology topology;
  csim_shape_spec spec = {
      .kind = CSIM_SHAPE_KIND_GRID, .size = {0.4, 0.4}, .cells = {cells, cells}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &mesh) == CSIM_OK);
  CHECK(csim_topology_build(mesh.nvert, mesh.ntri, mesh.tri, &topology) == CSIM_OK);
  int n = mesh.nvert;
  double *x = CSIM_NEW(double, csim_xyz(n) * nlayer);
  for (int b = 0; b < nlayer; b++)
    for (int i = 0; i < n; i++) {
      double *p = x + csim_xyz(b * n + i);
      memcpy(p, mesh.vert + csim_xyz(i), 3 * sizeof *p);
      p[0] += 0.013 * b;
      p[1] += 0.11 + 0.012 * b;
      p[2] -= 0.007 * b;
    }
  kit_begin(n * nlayer, x, 0.2 * 0.16 / n, 1.0 / 240, &l->k);
  l->scratch = (csim_scratch){0};
  free(x);
  kit *k = &l->k;
  k->model->body = CSIM_ARENA_NEW(&k->model->arena, csim_body, nlayer);
  k->model->nbody = nlayer;
  for (int b = 0; b < nlayer; b++) {
    csim_mesh *own = CSIM_ARENA_NEW(&k->model->arena, csim_mesh, 1);
    CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, own) == CSIM_OK);
    k->model->body[b] =
        (csim_body){.name = "layer", .vert0 = b * n, .nvert = n, .mesh = own, .friction = 0.3};
    add_layer(k, &mesh, &topology, b * n);
  }
  csim_topology_free(&topology);
  csim_mesh_free(&mesh);
  const csim_elements *sets[] = {&k->springs, &k->quadratic};
  CHECK(csim_model_assemble(k->model, 2, sets) == 0);
  CHECK(csim_state_create(k->model, &k->state) == 0);
  k->pool = csim_pool_create(nthread);
  spec = (csim_shape_spec){.kind = CSIM_SHAPE_KIND_SPHERE, .radius = 0.1, .cells = {16, 12}};
  CHECK(csim_mesh_shape(&spec, (csim_place){0}, NULL, &l->ball) == CSIM_OK);
  l->collider[0] = (csim_collider){.name = "ball",
                                   .shape = CSIM_COLLIDER_SPHERE,
                                   .radius = 0.1,
                                   .R = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                   .friction = 0.3,
                                   .mesh = &l->ball};
  l->collider[1] = (csim_collider){.name = "floor",
                                   .shape = CSIM_COLLIDER_PLANE,
                                   .R = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                                   .position = {0, -0.05, 0},
                                   .friction = 0.3};
  k->params.method = method;
  k->params.linear = "pcg";
  k->params.iterations = strcmp(method, "newton") ? 20 : 4;
  k->params.tolerance = 1e-2;
  k->params.linear_tolerance = 0.05;
  k->params.window = 5;
  k->params.pbd.stiffness = 0.9;
  l->setup = (csim_solver_setup){.model = k->model,
                                 .params = k->params,
                                 .contact = {.self = 1,
                                             .response = CSIM_RESPONSE_FILTER,
                                             .thickness = 3e-3,
                                             .friction = 0.3,
                                             .slip = 1e-5},
                                 .ncollider = 2,
                                 .collider = l->collider,
                                 .pool = k->pool,
                                 .h = k->h};
}

static void layers_ready(layers *l) {
  l->k.solver = csim_solver_create(&l->setup);
  CHECK(l->k.solver != NULL);
}

static csim_contact *contact_of(layers *l, csim_pool *pool) {
  return csim_contact_create(pool, &l->scratch, l->k.model, 2, l->collider, &l->setup.contact,
                             l->setup.h);
}

static void layers_end(layers *l) {
  csim_scratch_free(&l->scratch);
  csim_mesh_free(&l->ball);
  kit_end(&l->k);
}

// Triangles that meet, cloth with cloth and with the ball, and vertices below the floor.
static long long count_crossings(const layers *l) {
  const csim_model *m = l->k.model;
  long long self = -1, ball = -1, below = 0;
  csim_triangles cloth = {m->nvert, l->k.state.x, m->ntri, m->tri};
  csim_triangles body = {l->ball.nvert, l->ball.vert, l->ball.ntri, l->ball.tri};
  CHECK(csim_find_self_intersections(NULL, &cloth, 0, NULL, &self) == CSIM_OK);
  CHECK(csim_find_intersections(NULL, &cloth, &body, 0, NULL, &ball) == CSIM_OK);
  for (int i = 0; i < m->nvert; i++) below += !(l->k.state.x[3 * i + 1] > -0.05);
  return self + ball + below;
}

static void test_methods(void) {
  static const char *const methods[] = {"newton", "pd", "xpbd", "pbd", "descent"};
  for (int m = 0; m < 5; m++) {
    layers l;
    layers_begin(3, 9, methods[m], 1, &l);
    layers_ready(&l);
    int contacts = 0;
    for (int n = 0; n < 70; n++) {
      csim_step_report report;
      CHECK(csim_step(l.k.solver, &l.k.state, &report) == 0);
      contacts += report.contacts;
      long long crossings = count_crossings(&l);
      check_that(crossings == 0, __FILE__, __LINE__, "%s, step %d: %lld crossings", methods[m], n,
                 crossings);
      if (crossings) break;
    }
    CHECK(contacts > 1000);
    // it has fallen onto the ball, not through it, nor stuck to the air
    double top = -1, low = 1;
    for (int i = 0; i < l.k.model->nvert; i++) {
      top = fmax(top, l.k.state.x[3 * i + 1]);
      low = fmin(low, l.k.state.x[3 * i + 1]);
    }
    check_that(top > 0.1 && top < 0.14, __FILE__, __LINE__, "%s: top at %.4g m", methods[m], top);
    CHECK(low < 0.095);
    layers_end(&l);
  }
}

// Impact zones promise nothing; here they hold, and keep the momentum of what falls freely.
static void test_zones(void) {
  for (int free_fall = 0; free_fall < 2; free_fall++) {
    layers l;
    layers_begin(3, 9, "newton", 1, &l);
    l.setup.contact.response = CSIM_RESPONSE_IMPACT_ZONES;
    if (free_fall) {
      l.setup.ncollider = 0;
      l.setup.params.iterations = 50; // an unfinished solve would not keep it
      l.setup.params.tolerance = l.setup.params.linear_tolerance = 1e-9;
      memset(l.k.model->gravity, 0, sizeof l.k.model->gravity);
      for (int i = 0; i < l.k.model->nvert; i++)
        l.k.state.v[3 * i + 1] = i < 100 ? 1 : i < 200 ? 0 : -2; // the layers meet
    }
    layers_ready(&l);
    int contacts = 0;
    for (int n = 0; n < 60; n++) {
      csim_step_report report;
      CHECK(csim_step(l.k.solver, &l.k.state, &report) == 0);
      contacts += report.contacts;
      long long crossings = free_fall ? 0 : count_crossings(&l), self = 0;
      csim_triangles cloth = {l.k.model->nvert, l.k.state.x, l.k.model->ntri, l.k.model->tri};
      CHECK(csim_find_self_intersections(NULL, &cloth, 0, NULL, &self) == CSIM_OK);
      check_that(crossings + self == 0, __FILE__, __LINE__, "step %d: %lld crossings", n,
                 crossings + self);
      if (crossings + self) break;
    }
    CHECK(contacts > 100);
    double momentum = 0;
    for (int i = 0; i < l.k.model->nvert; i++) momentum += l.k.state.v[3 * i + 1];
    if (free_fall) CHECK_NEAR(momentum, -100, 1e-6); // of equal masses
    layers_end(&l);
  }
}

// The same bits for any number of threads, and with either broad phase.
static void test_threads(void) {
  double *first = NULL;
  for (int threads = 1; threads <= 3; threads++)
    for (int phase = 0; phase < 2; phase++) {
      layers l;
      layers_begin(2, 12, "newton", threads, &l);
      l.setup.contact.broad_phase = phase ? CSIM_BROAD_GRID : CSIM_BROAD_BVH;
      layers_ready(&l);
      int contacts = 0;
      for (int n = 0; n < 25; n++) {
        csim_step_report report;
        CHECK(csim_step(l.k.solver, &l.k.state, &report) == 0);
        contacts += report.contacts;
      }
      CHECK(contacts > 100);
      size_t bytes = 3 * (size_t)l.k.model->nvert * sizeof(double);
      if (!first) {
        first = malloc(bytes);
        memcpy(first, l.k.state.x, bytes);
      }
      check_that(!memcmp(first, l.k.state.x, bytes), __FILE__, __LINE__,
                 "%d threads and the %s: other bits", threads, phase ? "grid" : "tree");
      layers_end(&l);
    }
  free(first);
}

// ------------------------------------------------------------------------------------ derivatives

// d^T C d of the blocks, diagonal included.
static double product_of_blocks(csim_contact *c, const double *d, double *y) {
  const csim_contact_hessian *H = &c->hessian;
  int n = 3 * c->kin.mesh->nbody_vert;
  memset(y, 0, (size_t)n * sizeof *y);
  csim_pool_for_all(NULL, 1, (csim_loop[]){csim_contact_begin_multiply(c, d)});
  csim_contact_multiply_rest(NULL, c, d, y);
  double sum = 0, own[3];
  for (int r = 0; r < H->nrow; r++) {
    csim_mat3_mul(H->diag + csim_row(9, r), d + csim_xyz(H->row_vert[r]), own);
    csim_add_scaled(1, own, y + csim_xyz(H->row_vert[r]));
  }
  for (int i = 0; i < n; i++) sum += d[i] * y[i];
  return sum;
}

// s^T B s of one part, where s = sum_k w_k d_k over free vertices that blocks couple.
static double product_of_part(const csim_contact *c, const int v[4], const double w[4],
                              const double B[9], const double *d) {
  double s[3] = {0}, Bs[3];
  int n = 0;
  for (int k = 0; k < 4; k++)
    if (w[k] != 0 && csim_kinematics_is_free(&c->kin, v[k]) && ++n)
      csim_add_scaled(w[k], d + csim_xyz(v[k]), s);
  csim_mat3_mul(B, s, Bs);
  return n > 1 ? csim_dot(s, Bs) : 0; // those of one vertex are not among the blocks
}

static double product_of_parts(const csim_contact *c, const double *d) {
  double sum = 0;
  for (const csim_active_contact *a = c->active.contact; a < c->active.contact + c->active.n; a++) {
    double B[9] = {0};
    csim_mat3_add_outer(a->stiff, a->n, a->n, B);
    sum += product_of_part(c, a->v, a->w, B, d);
  }
  const csim_friction_contact *f = c->friction.contact;
  for (int i = 0; i < c->friction.n; i++) sum += product_of_part(c, f[i].v, f[i].w, f[i].B, d);
  const csim_tilt *t = c->hessian.tilts.tilt;
  for (int i = 0; i < c->hessian.tilts.n; i++) sum += product_of_part(c, t[i].v, t[i].w, t[i].B, d);
  return sum;
}

// Gradient against differences of the value, friction included; and the product against the sum
// of its parts, with friction apart from its contacts and with it.
static void test_gradient(void) {
  layers l;
  layers_begin(2, 8, "newton", 1, &l);
  csim_contact *c = contact_of(&l, NULL);
  int n = 3 * l.k.model->nvert;
  double *x = CSIM_NEW(double, n), *g = CSIM_NEW(double, n), *y = CSIM_NEW(double, n);
  unsigned seed = 7;
  memcpy(x, l.k.model->x0, (size_t)n * sizeof *x);
  // press the layers onto each other and onto the ball
  for (int i = 0; i < n / 3; i++) {
    double *p = x + 3 * i;
    p[1] = (i < n / 6 ? 0.1015 : 0.1035) + 1e-4 * kit_random(&seed);
    p[0] += 1e-3 * kit_random(&seed);
  }
  CHECK(csim_contact_begin(c, x, g, NULL, 0, 1.0 / 240) == 0); // at rest: g is 0 still
  CHECK(c->active.n > 50 && c->friction.n > 50);
  for (int i = 0; i < n; i++) x[i] += 1e-5 * kit_random(&seed);
  memset(g, 0, (size_t)n * sizeof *g);
  csim_contact_gradient(c, x, g);
  double norm = 0;
  for (int i = 0; i < n; i++) norm = fmax(norm, fabs(g[i]));
  CHECK(norm > 0);
  for (int i = 0; i < n; i += 7) {
    double at = x[i], e = 1e-9;
    x[i] = at + e;
    double up = csim_contact_value(c, x);
    x[i] = at - e;
    double down = csim_contact_value(c, x);
    x[i] = at;
    CHECK_NEAR(g[i], (up - down) / (2 * e), 2e-3 * norm);
  }
  double *d = CSIM_NEW(double, n);
  for (int updated = 0; updated < 2; updated++) {
    if (updated) csim_contact_update_friction(c, x, 1);
    csim_contact_gradient(c, x, g);
    CHECK(csim_contact_find_blocks(c, NULL) == 0);
    csim_contact_build_blocks(c, NULL, NULL);
    CHECK(c->friction.n > 50 && c->hessian.friction_apart == !updated);
    for (int trial = 0; trial < 20; trial++) {
      for (int i = 0; i < n; i++) d[i] = kit_random(&seed);
      double whole = product_of_blocks(c, d, y), parts = product_of_parts(c, d);
      CHECK(parts > 0);
      CHECK_NEAR(whole, parts, 1e-6 * parts);
    }
  }
  free(d);
  csim_contact_free(c);
  free(x);
  free(g);
  free(y);
  layers_end(&l);
}

// ------------------------------------------------------------------------------------------ terms

// Terms that are active at the evaluation point, told by the vertices that have weight, and how
// often they count: (n), of at most `capacity`.
typedef struct quad {
  int v[4];
  double times;
} quad;

typedef struct quads {
  int n, capacity;
  quad *at;
} quads;

static int compare_quads(const void *a, const void *b) {
  return memcmp(a, b, sizeof((quad *)0)->v);
}

// Adds the vertices with weight by rising number, and -1 for each of the others.
static void tell(const int v[4], const double w[4], double times, quads *q) {
  if (q->n == q->capacity) return;
  quad *out = &q->at[q->n++];
  out->times = times;
  for (int k = 0; k < 4; k++) {
    int own = w[k] != 0 ? v[k] : -1, at = k;
    for (; at > 0 && out->v[at - 1] < own; at--) out->v[at] = out->v[at - 1];
    out->v[at] = own;
  }
}

// Sums up twins, and drops those that do not count.
static int merge_quads(quads *q) {
  int n = 0, left = 0;
  qsort(q->at, (size_t)q->n, sizeof q->at[0], compare_quads);
  for (int i = 0; i < q->n; i++)
    if (n == 0 || compare_quads(&q->at[i], &q->at[n - 1]))
      q->at[n++] = q->at[i];
    else
      q->at[n - 1].times += q->at[i].times;
  for (int i = 0; i < n; i++)
    if (q->at[i].times != 0) q->at[left++] = q->at[i];
  return left;
}

// Returns whether the pair is active.
static int add_if_active(const csim_contact *c, const csim_candidate *pair, quads *q) {
  csim_pair_kind kind = csim_candidate_kind(pair);
  int v[4];
  double reach[3] = {0};
  int split = csim_pair_split(kind);
  csim_candidate_vertices(&c->mesh, pair, v);
  if (v[0] >= c->mesh.nbody_vert && v[split] >= c->mesh.nbody_vert) return 0;
  for (int i = 0; i < split; i++)
    for (int j = split; j < 4; j++)
      if (v[i] == v[j]) return 0;
  const double *p = c->active.x + csim_xyz(v[0]), *o = c->active.x + csim_xyz(v[split]);
  for (int a = 0; a < 3; a++) reach[a] = fabs(p[a] - o[a]);
  if (csim_norm(reach) > 0.25) return 0; // no edge is longer than half of that
  double limit = c->params.thickness * csim_candidate_scale(&c->candidates, kind, v, NULL);
  csim_term term[CSIM_MOST_TERMS];
  int n = csim_terms_find(&c->mesh, pair, v, c->active.x, limit, term);
  int with_collider = v[0] >= c->mesh.nbody_vert || v[split] >= c->mesh.nbody_vert;
  if (n > 0 && kind == CSIM_PAIR_EDGE_EDGE && with_collider)
    term->times = csim_edges_share(term->w) > 0;
  for (int k = 0; k < n; k++) tell(v, term[k].w, term[k].times, q);
  return n > 0;
}

// The terms against all pairs there are.
static void check_terms(const csim_contact *c) {
  const csim_collision_mesh *s = &c->mesh;
  int active = 0, planes = 0;
  quads all = {.capacity = 1 << 16, .at = malloc(sizeof(quad) << 16)};
  quads told = {.capacity = c->active.n, .at = malloc(sizeof(quad) * (size_t)(c->active.n + 1))};
  for (int i = 0; i < s->npoint; i++)
    for (int t = 0; t < s->ntri; t++)
      active += add_if_active(c, &(csim_candidate){.a = i, .b = t}, &all);
  for (int i = 0; i < s->nedge; i++)
    for (int j = i + 1; j < s->nedge; j++)
      active += add_if_active(c, &(csim_candidate){.a = i, .b = -1 - j}, &all);
  for (int i = 0; i < c->active.n; i++)
    if (c->active.contact[i].v[3] >= 0)
      tell(c->active.contact[i].v, c->active.contact[i].w, 1, &told);
    else
      planes++;
  int pairs = c->active.found - planes;
  check_that(active == pairs, __FILE__, __LINE__, "%d pairs are active, %d are found", active,
             pairs);
  int merged = merge_quads(&all), left = merge_quads(&told);
  check_that(left == told.n, __FILE__, __LINE__, "%d of %d are twins", told.n - left, told.n);
  int same = merged == left;
  for (int i = 0; i < left && same; i++) same = !compare_quads(&all.at[i], &told.at[i]);
  check_that(same, __FILE__, __LINE__, "%d terms are active, %d are told", merged, left);
  free(all.at);
  free(told.at);
}

// However far things move in a step, and whatever was asked before, the terms are all there are.
static void test_terms(void) {
  layers l;
  layers_begin(3, 6, "newton", 1, &l);
  csim_contact *c = contact_of(&l, l.k.pool);
  int n = 3 * l.k.model->nvert;
  double h = 1.0 / 240, *x = CSIM_NEW(double, n), *v = CSIM_NEW(double, n);
  double *g = CSIM_NEW(double, n), *d = CSIM_NEW(double, n), *start = CSIM_NEW(double, n);
  unsigned seed = 11;
  int most = 0;
  memcpy(x, l.k.model->x0, (size_t)n * sizeof *x);
  for (int i = 0; i < n / 3; i++) {
    x[3 * i] += 1e-3 * kit_random(&seed);
    x[3 * i + 1] = 0.1015 + 0.006 * (3 * i / (n / 3)) + 1e-4 * kit_random(&seed);
  }
  for (int step = 0; step < 8; step++) {
    double rough = step % 4 == 0 ? 0 : step % 4 == 1 ? 1e-3 : step % 4 == 2 ? 0.3 : 3;
    for (int i = 0; i < n; i++) v[i] = rough * kit_random(&seed);
    memcpy(start, x, (size_t)n * sizeof *x);
    CHECK(csim_contact_begin(c, start, v, NULL, step * h, h) == 0);
    check_terms(c);
    for (int i = 0; i < n; i++) d[i] = x[i] + h * v[i] * (0.5 + kit_random(&seed));
    CHECK(csim_contact_advance(c, d, x) == 0);
    for (int iteration = 0; iteration < 6; iteration++) {
      csim_contact_gradient(c, x, g);
      check_terms(c);
      // within the reach of lists, the upper layers towards each other, and then beyond
      double far = iteration < 5 ? 1e-4 : 8e-3;
      for (int i = 0; i < n; i++) {
        int layer = i / (n / 3), towards = layer == 1 ? 1 : layer == 2 ? -1 : 0;
        d[i] = far * kit_random(&seed) + (i % 3 == 1 && iteration < 5 ? 4.5e-4 * towards : 0);
      }
      CHECK(csim_contact_filter(c, d) >= 0);
      csim_contact_apply(c, 1, x);
      csim_contact_value(c, x);
      if (c->active.n > most) most = c->active.n;
    }
  }
  CHECK(most > 200);
  csim_contact_free(c);
  free(start);
  free(x);
  free(v);
  free(g);
  free(d);
  layers_end(&l);
}

// Two layers 12 mm above each other are displaced, shortened as a whole: all of it by one share,
// which keeps at least a tenth of the thickness between them. resolves: corrected first.
static double share_together(int resolves, double lower, double upper) {
  layers l;
  layers_begin(2, 8, "newton", 1, &l);
  csim_contact *c = contact_of(&l, NULL);
  int n = 3 * l.k.model->nvert;
  double *x = CSIM_NEW(double, n), *v = CSIM_NEW(double, n), *d = CSIM_NEW(double, n);
  double h = 1.0 / 240, least = INFINITY, force = 0, most = 0;
  memcpy(x, l.k.model->x0, (size_t)n * sizeof *x);
  CHECK(csim_contact_begin(c, x, v, NULL, 0, h) == 0);
  CHECK(csim_contact_advance(c, x, x) == 0);
  for (int i = 1; i < n; i += 3) d[i] = i < n / 2 ? lower : upper;
  double share = csim_contact_filter_together(c, resolves, d);
  for (int i = 0; i < n && !resolves; i++)
    CHECK_NEAR(d[i], i % 3 == 1 ? share * (i < n / 2 ? lower : upper) : 0, 1e-15);
  csim_contact_apply(c, 1, x);
  for (int i = 1; i < n / 2; i += 3) least = fmin(least, x[i + n / 2] - x[i]);
  CHECK(least >= 0.1 * l.setup.contact.thickness);
  for (int i = 1; i < n; i += 3) {
    double way = d[i] - share * (i < n / 2 ? lower : upper);
    force += way * csim_kinematics_resistance(&c->kin, i / 3);
    most += fabs(way) * csim_kinematics_resistance(&c->kin, i / 3);
  }
  CHECK(fabs(force) <= 1e-9 * most); // corrections act and react
  csim_contact_free(c);
  free(x);
  free(v);
  free(d);
  layers_end(&l);
  return share;
}

// Three layers, two on the ball or one on it and one below it: which does contact join?
static void test_join(void) {
  for (int below = 0; below < 2; below++) {
    layers l;
    layers_begin(3, 8, "newton", 1, &l);
    csim_contact *c = contact_of(&l, NULL);
    int n = 3 * l.k.model->nvert, set[3] = {0, 1, 2};
    double *x = CSIM_NEW(double, n), *g = CSIM_NEW(double, n);
    const double height[3] = {0.1015, 0.3, below ? -0.1015 : 0.1035};
    memcpy(x, l.k.model->x0, (size_t)n * sizeof *x);
    for (int i = 1; i < n; i += 3) x[i] = height[l.k.model->body_of[i / 3]];
    CHECK(csim_contact_begin(c, x, g, NULL, 0, 1.0 / 240) == 0);
    csim_contact_gradient(c, x, g);
    for (int b = 0; b < 3; b++) {
      double force = 0;
      for (int i = 0; i < n; i++)
        if (l.k.model->body_of[i / 3] == b) force += fabs(g[i]);
      CHECK((force > 0) == (b != 1));
    }
    csim_contact_join(c, set);
    CHECK(set[0] == 0 && set[1] == 1 && set[2] == (below ? 2 : 0));
    csim_contact_free(c);
    free(x);
    free(g);
    layers_end(&l);
  }
}

static void test_filter_together(void) {
  CHECK(share_together(0, 2e-3, 2e-3) == 1); // they do not approach
  CHECK(share_together(0, 1e-3, -1e-3) == 1);
  CHECK(share_together(1, 8e-3, -8e-3) == 1); // corrected they can go all of the way
  double most = (12 - 0.3) / 16, share = share_together(0, 8e-3, -8e-3); // they would meet
  check_that(share > 0.5 * most && share <= most, __FILE__, __LINE__, "a share of %g", share);
}

// Layers 2 mm apart, in contact, and a step of it.
typedef struct close_layers {
  layers l;
  csim_contact *c;
  int n; // numbers of x and d
  double *x, *d;
} close_layers;

static void close_begin(int nlayer, close_layers *t) {
  *t = (close_layers){0};
  layers_begin(nlayer, 8, "newton", 2, &t->l);
  int n = t->n = 3 * t->l.k.model->nvert;
  t->c = csim_contact_create(t->l.k.pool, &t->l.scratch, t->l.k.model, 0, NULL, &t->l.setup.contact,
                             t->l.setup.h);
  t->x = CSIM_NEW(double, n);
  t->d = CSIM_NEW(double, n);
  double *v = CSIM_NEW(double, n);
  memcpy(t->x, t->l.k.model->x0, (size_t)n * sizeof *t->x);
  for (int i = 1; i < n; i += 3) t->x[i] -= 0.01 * (i / (n / nlayer));
  CHECK(csim_contact_begin(t->c, t->x, v, NULL, 0, 1.0 / 240) == 0);
  CHECK(csim_contact_advance(t->c, t->x, t->x) == 0);
  free(v);
}

static void close_end(close_layers *t) {
  csim_contact_free(t->c);
  free(t->x);
  free(t->d);
  layers_end(&t->l);
}

// Least share that the filter leaves of a step in which both layers rise and turn about z alike,
// and the upper one comes nearer.
static double share_apart(double rise, double turn, double nearer) {
  close_layers t;
  close_begin(2, &t);
  for (int i = 0; i < t.n; i += 3) t.d[i + 1] = rise + turn * t.x[i] - (i < t.n / 2 ? 0 : nearer);
  double share = csim_contact_filter(t.c, t.d);
  close_end(&t);
  return share;
}

// What moves alike passes, though each layer would cross planes between them (2 mm are free).
static void test_filter_passes(void) {
  CHECK(share_apart(4e-3, 0, 0) == 1);
  CHECK(share_apart(0, 0.02, 0) == 1);
  CHECK(share_apart(4e-3, 0.02, 1e-3) == 1);
  double share = share_apart(4e-3, 0, 4e-3); // they would meet
  check_that(share < 0.5, __FILE__, __LINE__, "a share of %g", share);
}

// Nothing passes through anything, whatever share of the filtered step is taken.
static void test_filter_is_safe(void) {
  close_layers t;
  unsigned seed = 11;
  int cut = 0;
  close_begin(3, &t);
  const csim_model *m = t.l.k.model;
  for (int step = 0; step < 60; step++) {
    double rough = 1e-3 * (1 << step % 4), turn = 0.05 * kit_random(&seed), crossed[3];
    for (int i = 0; i < t.n; i++) {
      int layer = i / (t.n / 3);
      t.d[i] = rough * kit_random(&seed) + (layer - 1) * 2e-3 * kit_random(&seed);
      if (i % 3 == 1) t.d[i] += turn * t.x[i - 1] - 1e-3 * (layer - 1);
    }
    double least = csim_contact_filter(t.c, t.d);
    CHECK(least >= 0);
    cut += least < 1;
    for (int k = 0; k < 3; k++) {
      long long pairs = -1;
      for (int i = 0; i < t.n; i++) t.l.k.state.x[i] = t.x[i] + 0.5 * k * t.d[i];
      csim_triangles cloth = {m->nvert, t.l.k.state.x, m->ntri, m->tri};
      CHECK(csim_find_self_intersections(NULL, &cloth, 0, NULL, &pairs) == CSIM_OK);
      crossed[k] = (double)pairs;
    }
    check_that(crossed[0] == 0 && crossed[1] == 0 && crossed[2] == 0, __FILE__, __LINE__,
               "step %d: %g, %g, %g pairs", step, crossed[0], crossed[1], crossed[2]);
    csim_contact_apply(t.c, step % 3 ? 1 : 0.5, t.x);
  }
  CHECK(cut > 30);
  close_end(&t);
}

// A ball below a layer rises by `rise` in a step: it goes if that leaves it room, and the layer and
// the step's clock stay as they are.
static void test_goes_ahead(double rise, int goes) {
  layers l;
  layers_begin(1, 8, "newton", 1, &l);
  double h = 1.0 / 240;
  csim_key keys[] = {{.time = 0}, {.time = h, .position = {0, rise, 0}}};
  l.collider[0].motion = (csim_motion){.nkey = 2, .key = keys};
  csim_contact *c = contact_of(&l, NULL);
  int n = 3 * l.k.model->nvert;
  double *x = CSIM_NEW(double, n), *v = CSIM_NEW(double, n);
  memcpy(x, l.k.model->x0, (size_t)n * sizeof *x);
  for (int i = 0; i < n / 3; i++) x[3 * i + 1] = 0.102;
  CHECK(csim_contact_begin(c, x, v, NULL, h, h) == 0);
  CHECK(csim_contact_colliders_are_behind(c));
  CHECK(csim_contact_go_ahead(c) == 0);
  CHECK(csim_contact_colliders_are_behind(c) == !goes);
  CHECK(!memcmp(c->kin.x, x, (size_t)n * sizeof *x) && c->kin.time_left == h);
  const double *ball = c->kin.x + n;
  for (int i = 0; i < l.ball.nvert; i++)
    CHECK_NEAR(ball[3 * i + 1], l.ball.vert[3 * i + 1] + (goes ? rise : 0), 1e-12);
  csim_contact_free(c);
  free(x);
  free(v);
  layers_end(&l);
}

// A ball below a layer that lies at a fifth of the contact distance rises by `rise`: the layer is
// to give way by that, and to be opened by twice as much, up to the guides' distance.
static void test_guides(double rise) {
  layers l;
  layers_begin(1, 24, "newton", 1, &l);
  double h = 1.0 / 240, thickness = l.setup.contact.thickness, most = 0;
  csim_key keys[] = {{.time = 0}, {.time = h, .position = {0, rise, 0}}};
  l.collider[0].motion = (csim_motion){.nkey = 2, .key = keys};
  csim_contact *c = contact_of(&l, NULL);
  int n = 3 * l.k.model->nvert;
  double *x = CSIM_NEW(double, n), *v = CSIM_NEW(double, n), *g = CSIM_NEW(double, n);
  memcpy(x, l.k.model->x0, (size_t)n * sizeof *x);
  for (int i = 0; i < n / 3; i++) x[3 * i + 1] = 0.1 + 0.2 * thickness;
  CHECK(csim_contact_begin(c, x, v, NULL, h, h) == 0);
  CHECK(csim_active_set_find(&c->active) == 0);
  int ncontact = c->active.n;
  CHECK_NEAR(csim_contact_make_way(c, v, g), rise, 0.01 * rise);
  CHECK(c->active.n > ncontact);
  for (int k = ncontact; k < c->active.n; k++) {
    const csim_active_contact *guide = &c->active.contact[k];
    most = csim_max(most, -guide->force / guide->stiff);
  }
  CHECK_NEAR(most, rise + csim_min(2 * rise, (0.9 - 0.2) * thickness), 0.01 * thickness);
  csim_contact_free(c);
  free(x);
  free(v);
  free(g);
  layers_end(&l);
}

// Layers that are thrown by up to 2 m a step. Where all of their vertices fly the same way, they
// go. Where each flies its own way, they stay, and there are no more candidates than at rest.
// Guesses that tear had 300,000.
static void test_thrown(int apart) {
  layers l;
  layers_begin(2, 24, "newton", 1, &l);
  csim_contact *c = contact_of(&l, NULL);
  int n = 3 * l.k.model->nvert;
  double h = 1.0 / 240, *x = CSIM_NEW(double, n), *v = CSIM_NEW(double, n);
  double *goal = CSIM_NEW(double, n);
  unsigned seed = 3;
  memcpy(x, l.k.model->x0, (size_t)n * sizeof *x);
  CHECK(csim_contact_begin(c, x, v, NULL, h, h) == 0);
  int rest = c->candidates.n;
  double *state = CSIM_NEW(double, csim_xyz(csim_contact_kinematic_size(c)));
  csim_contact_save(c, state);
  csim_contact_restore(c, state);
  for (int i = 0; i < n; i++) {
    v[i] = apart ? 480 * kit_random(&seed) : i % 3 == 1 ? 480 : 0;
    goal[i] = x[i] + h * v[i];
  }
  CHECK(csim_contact_begin(c, x, v, NULL, h, h) == 0);
  CHECK(csim_contact_advance(c, goal, goal) == 0);
  for (int i = 1; i < n; i += 3) CHECK_NEAR(goal[i], x[i] + (apart ? 0 : h * v[i]), 1e-9);
  if (apart) CHECK(c->candidates.n <= rest + 100);
  csim_contact_free(c);
  free(x);
  free(v);
  free(goal);
  free(state);
  layers_end(&l);
}

// --------------------------------------------------------------------------------------- friction

// A patch laid down on an incline, moving down it; only the floor is there.
static void patch_begin(double degrees, double speed, double mu, layers *l) {
  layers_begin(1, 3, "newton", 1, l);
  kit *k = &l->k;
  double a = degrees * 3.14159265358979323846 / 180, s = sin(a), c = cos(a);
  k->model->gravity[0] = 9.81 * s;
  k->model->gravity[1] = -9.81 * c;
  k->model->body[0].friction = l->collider[1].friction = mu;
  l->setup.ncollider = 1;
  l->setup.collider = &l->collider[1];
  l->setup.params.tolerance = 1e-4;
  l->setup.params.iterations = 30; // friction's secants converge linearly
  l->setup.params.linear_tolerance = 1e-3;
  // lay it down where contact carries its weight, so that nothing has to settle
  double depth = 9.81 * c / (10 * 9.81 / 3e-3 > 57600 ? 10 * 9.81 / 3e-3 : 57600);
  for (int i = 0; i < k->model->nvert; i++) {
    k->state.x[3 * i + 1] = -0.05 + 3e-3 - depth;
    k->state.v[3 * i] = speed;
  }
  layers_ready(l);
}

// How far its centre has gone along the incline after some time [m].
static double slide(double degrees, double speed, double mu, double seconds) {
  layers l;
  patch_begin(degrees, speed, mu, &l);
  kit *k = &l.k;
  double from = 0, to = 0;
  for (int i = 0; i < k->model->nvert; i++) from += k->state.x[3 * i] / k->model->nvert;
  for (int n = 0; n < (int)(seconds * 240); n++) kit_step(k);
  for (int i = 0; i < k->model->nvert; i++) to += k->state.x[3 * i] / k->model->nvert;
  layers_end(&l);
  return to - from;
}

// Closed forms: holds below the critical angle; g (sin - mu cos) t^2/2 above; v^2/(2 mu g).
static void test_friction(void) {
  double critical = atan(0.5) * 180 / 3.14159265358979323846;
  CHECK(fabs(slide(critical - 1, 0, 0.5, 5)) < 1e-4);
  double run = slide(critical + 5, 0, 0.5, 1);
  CHECK_NEAR(run, 0.5 * 0.9559 * (1 + 1.0 / 240), 0.01 * run);
  CHECK_NEAR(slide(0, 2, 0.3, 1), 0.67958, 2.0 / 480 + 0.00068);
}

// At rest the floor carries the weight across it, and nothing but the vertices gets a force.
static void test_normal_force(void) {
  enum { BEFORE = 4 };
  layers l;
  patch_begin(10, 0, 0.5, &l);
  kit *k = &l.k;
  int n = k->model->nvert;
  double *guarded = CSIM_NEW(double, BEFORE + n), *force = guarded + BEFORE;
  double weight = 0, sum = 0;
  for (int i = 0; i < BEFORE; i++) guarded[i] = -0.0; // adding 0 to it shows
  csim_solver_normal_forces(k->solver, &k->state, force);
  for (int i = 0; i < n; i++) CHECK(force[i] == 0); // before the first step
  for (int step = 0; step < 240; step++) kit_step(k);
  csim_solver_normal_forces(k->solver, &k->state, force);
  for (int i = 0; i < n; i++) {
    weight -= k->model->mass[i] * k->model->gravity[1];
    sum += force[i];
    CHECK(force[i] >= 0);
  }
  CHECK_NEAR(sum, weight, 1e-3 * weight);
  for (int i = 0; i < BEFORE; i++) CHECK(signbit(guarded[i]));
  free(guarded);
  layers_end(&l);
}

int main(void) {
  setvbuf(stdout, NULL, _IOLBF, 0);
  test_gradient();
  test_terms();
  test_join();
  test_filter_together();
  test_filter_passes();
  test_filter_is_safe();
  test_goes_ahead(5e-4, 1);
  test_goes_ahead(4e-3, 0);
  test_guides(1e-4);
  test_guides(2e-3);
  test_thrown(0);
  test_thrown(1);
  test_friction();
  test_normal_force();
  test_threads();
  test_zones();
  test_methods();
  return check_report();
}
