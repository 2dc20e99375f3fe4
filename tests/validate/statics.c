// tests/validate/statics.c: cases 5 and 7: where a swinging body comes to rest.
#include "validate.h"

#include "math/vec3.h"

// ------------------------------------------------------------------------------------ 5 catenary

// Sag of a chain of n links, span 1 m, length 1.2 m, 0.12 kg, EA 200 N; NULL node = middle only.
static void hang_chain(const setting *s, int links, double h, int steps, double tolerance,
                       double *x_out) {
  double *x = calloc((size_t)(3 * (links + 1)), sizeof *x);
  for (int i = 0; i <= links; i++) {
    x[3 * i] = (double)i / links;
    x[3 * i + 1] = -1.2 * i * (links - i) / ((double)links * links);
  }
  kit k;
  kit_begin(links + 1, x, 0.12 / links, h, &k);
  kit_pin(&k, 0);
  kit_pin(&k, links);
  for (int i = 0; i < links; i++) kit_spring(&k, i, i + 1, 200 * links / 1.2, 1.2 / links);
  apply(s, tolerance, &k);
  // explicit Euler feeds a mode of frequency w by h w^2/2, 2.8 1/s here at the most: damp more than
  // that
  k.model->body[0].damping = s == &EXPLICIT ? 12 : s == &SYMPLECTIC ? 6 : 0;
  kit_ready(&k, 1);
  for (int n = 0; n < steps; n++) kit_step(&k);
  memcpy(x_out, k.state.x, (size_t)(3 * (links + 1)) * sizeof *x);
  kit_end(&k);
  free(x);
}

void case_catenary(void) {
  static const double node[5][2] = {{0.078412511144, -0.091390185330},
                                    {0.167592416802, -0.172232126820},
                                    {0.268593140137, -0.237630383988},
                                    {0.380721032902, -0.281192262702},
                                    {0.500000000000, -0.296638957157}};
  static const struct {
    const setting *s;
    double h, tolerance, allowed;
    int steps;
  } runs[] = {{&NEWTON, 0.1, 1e-12, 1e-8, 1500},       {&PD, 0.02, 1e-10, 1e-6, 3000},
              {&PD_ANDERSON, 0.02, 1e-10, 1e-6, 3000}, {&XPBD, 0.005, 1e-10, 1e-6, 4000},
              {&XPBD_LINEAR, 0.1, 1e-11, 1e-8, 1500},  {&SYMPLECTIC, 2e-4, 0, 1e-6, 60000},
              {&EXPLICIT, 1e-5, 0, 1e-6, 1000000}};
  heading("5  hanging chain of 10 links: largest error of any node [m]");
  for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
    if (!asked.all && runs[r].s == &EXPLICIT) continue;
    double x[33], worst = 0;
    hang_chain(runs[r].s, 10, runs[r].h, runs[r].steps, runs[r].tolerance, x);
    for (int i = 1; i <= 5; i++)
      for (int c = 0; c < 2; c++) worst = fmax(worst, fabs(x[3 * i + c] - node[i - 1][c]));
    expect(runs[r].s->name, 0, worst, runs[r].allowed);
  }
  double error[3];
  for (int r = 0; r < 3; r++) {
    int links = 8 << r;
    double x[3 * 33];
    hang_chain(&NEWTON, links, 0.1, 1500, 1e-11, x);
    error[r] = -x[3 * (links / 2) + 1] - 0.295111058;
  }
  expect("order of the error against the continuum, 8 to 16 links", 2, log2(error[0] / error[1]),
         0.1);
  expect("order of the error against the continuum, 16 to 32 links", 2, log2(error[1] / error[2]),
         0.1);
}

// --------------------------------------------------------------------------- 7 statics of solvers

void case_statics(void) {
  static const struct {
    const setting *s;
    double tolerance;
  } runs[] = {{&NEWTON, 1e-9}, {&PD_ANDERSON, 1e-7}, {&XPBD_LINEAR, 1e-8}, {&XPBD, 1e-6}};
  heading("7  cloth of 10 x 10 cells hanging from an edge, at rest: largest distance to newton's, "
          "in cloth sizes");
  double *reference = NULL;
  for (size_t s = 0; s < sizeof runs / sizeof *runs; s++) {
    if (!asked.all && runs[s].s == &XPBD) continue;
    kit k;
    kit_cloth(10, 1, 0.2, 500, 1e-3, 1.0 / 60, &k);
    for (int i = 0; i <= 10; i++) kit_pin(&k, i);
    for (int i = 0; i < k.model->nvert; i++) { // start hanging, so that rest is near
      double *x = k.model->x0 + 3 * i;
      x[1] = -(x[2] + 0.5);
      x[2] = 0;
    }
    k.model->body[0].damping = 3;
    apply(runs[s].s, runs[s].tolerance, &k);
    kit_ready(&k, 2);
    for (int n = 0; n < 600; n++) kit_step(&k);
    if (!reference) {
      reference = malloc(3 * (size_t)k.model->nvert * sizeof *reference);
      memcpy(reference, k.state.x, 3 * (size_t)k.model->nvert * sizeof *reference);
    } else {
      double worst = 0;
      for (int i = 0; i < k.model->nvert; i++)
        worst = fmax(worst, csim_distance(k.state.x + 3 * i, reference + 3 * i));
      expect(runs[s].s->name, 0, worst, 1e-5);
    }
    kit_end(&k);
  }
  free(reference);
}
