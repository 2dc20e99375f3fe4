// tests/validate/validate.h: what the cases of test_validate share: the table they print into and
// the settings they solve with.
#ifndef CSIM_TESTS_VALIDATE_H
#define CSIM_TESTS_VALIDATE_H

#include "check.h"
#include "kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// How much test_validate was asked to do.
typedef struct validation {
  int verbose;            ///< print the table
  int all;                ///< the slow cases too
  const char *curve_file; ///< where case 8 draws its curve; NULL: nowhere
  const char *fold_file;  ///< where case K draws its folds; NULL: nowhere
} validation;
extern validation asked;

/// One line of the table, and a check: |ours - reference| <= tolerance.
void expect(const char *what, double reference, double ours, double tolerance);

/// Begins a case.
void heading(const char *text);

/// A way to solve a step, as a scene would name it.
typedef struct setting {
  const char *name, *method;
  const char *linear;
  csim_acceleration acceleration;
  csim_projection projection;
  csim_preconditioner preconditioner;
  int iterations;
} setting;

extern const setting NEWTON, PD, PD_ANDERSON, XPBD, XPBD_LINEAR, DESCENT, SYMPLECTIC, EXPLICIT, PBD;

/// Makes the kit solve by a setting to a relative residual.
void apply(const setting *s, double tolerance, kit *k);

void case_free_fall(void);
void case_integrator(void);
void case_stability(void);
void case_conservation(void);
void case_catenary(void);
void case_residual(void);
void case_statics(void);
void case_linear(void);
void case_liu(void);
void case_elastica(void);
void case_moduli(void);
void case_beam(void);
void case_friction(void);
void case_locking(void);

#endif
