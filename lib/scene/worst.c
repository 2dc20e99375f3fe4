// scene/worst.c: see worst.h.
#include "scene/worst.h"

#include "math/vec3.h"
#include "scene/conserved.h"

#include <math.h>

csim_run_totals csim_worst_none(void) {
  csim_worst none = {.object = -1};
  return (csim_run_totals){.lag = none, .strain = none, .imbalance = none};
}

static const char *name_of(const csim_scene *scene, const csim_worst *worst) {
  return worst->object >= 0 && worst->object < scene->nobject ? scene->object[worst->object].name
                                                              : "";
}

void csim_worst_step(const csim_scene *scene, int frame, const csim_step_report *step,
                     csim_run_totals *total) {
  if (!(step->method.imbalance > total->imbalance.value)) return;
  total->imbalance =
      (csim_worst){.value = step->method.imbalance,
                   .frame = frame,
                   .object = csim_scene_object_of(scene, scene->nobject, step->method.unbalanced)};
}

typedef struct strain_job {
  const csim_energy *energy;
  csim_point at;
} strain_job;

static double strain_of(const strain_job *job, int e) {
  return job->energy->kind->strain(job->energy, &job->at, e);
}

// Largest strain in tension: compressed cloth buckles, which is no strain of the fabric.
static double largest_strain(void *context, int first, int last) {
  const strain_job *job = context;
  double most = 0;
  for (int e = first; e < last; e++) most = csim_max(most, strain_of(job, e));
  return most;
}

static void take_strain(const csim_scene *scene, const csim_model *model, int frame,
                        const strain_job *job, double strain, csim_worst *worst) {
  int e = 0;
  while (e < job->energy->nelem - 1 && strain_of(job, e) < strain) e++;
  const int *v = job->energy->node + job->energy->kind->nnode * (ptrdiff_t)e;
  int body = model->body_of[v[0]], vert0 = model->body[body].vert0;
  *worst = (csim_worst){.value = strain,
                        .frame = frame,
                        .object = csim_scene_object_of(scene, model->nbody, body),
                        .vert = {v[0] - vert0, v[1] - vert0}};
}

void csim_worst_frame(csim_pool *pool, const csim_scene *scene, const csim_model *model, int frame,
                      const csim_step_report *step, const double *x, csim_run_totals *total) {
  enum { GRAIN = 4096 };
  if (step->contact.lag > total->lag.value)
    total->lag =
        (csim_worst){.value = step->contact.lag,
                     .frame = frame,
                     .object = csim_scene_object_of(scene, model->nbody, step->contact.lag_part)};
  for (int k = 0; k < model->nenergy; k++) {
    strain_job job = {&model->energy[k], {.x = x}};
    if (!job.energy->kind->strain) continue;
    double strain = csim_pool_max(pool, job.energy->nelem, 0, largest_strain, &job);
    if (strain > total->strain.value)
      take_strain(scene, model, frame, &job, strain, &total->strain);
  }
}

// ------------------------------------------------------------------------------------ in and out

static void print_worst(const csim_scene *scene, const char *key, const csim_worst *worst, int edge,
                        csim_json_out *out) {
  csim_json_open_flat(out, key, '{');
  csim_json_number(out, "value", worst->value);
  if (worst->object >= 0) {
    csim_json_text(out, "object", name_of(scene, worst));
    csim_json_integer(out, "frame", worst->frame);
    if (edge) {
      csim_json_open(out, "vertices", '[');
      for (int k = 0; k < 2; k++) csim_json_integer(out, NULL, worst->vert[k]);
      csim_json_close(out, ']');
    }
    csim_json_integer(out, "number", worst->object);
  }
  csim_json_close(out, '}');
}

void csim_worst_print(const csim_scene *scene, const csim_run_totals *total, csim_json_out *out) {
  print_worst(scene, "lag", &total->lag, 0, out);
  print_worst(scene, "strain", &total->strain, 1, out);
  print_worst(scene, "imbalance", &total->imbalance, 0, out);
}

static csim_worst read_worst(const csim_json *json, const cJSON *from, const char *key) {
  const cJSON *item = csim_json_get(from, key), *vert = csim_json_get(item, "vertices");
  const cJSON *object = csim_json_get(item, "number");
  csim_worst worst = {.value = csim_json_number_of(json, csim_json_get(item, "value")),
                      .object = -1};
  if (!(worst.value > 0) || !cJSON_IsNumber(object)) return worst;
  worst.object = (int)csim_max(-1, csim_json_integer_of(json, object));
  worst.frame = csim_json_integer_of(json, csim_json_get(item, "frame"));
  for (int k = 0; k < 2; k++)
    worst.vert[k] = (int)csim_max(0, csim_json_integer_of(json, cJSON_GetArrayItem(vert, k)));
  return worst;
}

void csim_worst_read(const csim_json *json, const cJSON *from, csim_run_totals *total) {
  total->lag = read_worst(json, from, "lag");
  total->strain = read_worst(json, from, "strain");
  total->imbalance = read_worst(json, from, "imbalance");
}

int csim_worst_judge(const csim_scene *scene, const csim_run_totals *total, csim_log *log) {
  const csim_strict *bound = &scene->strict;
  csim_place place = {.file = scene->file};
  int count = 0;
  if (total->lag.value > bound->lag && ++count)
    csim_say(log, CSIM_WARNING, place,
             "\"%s\" is %.3g m behind its motion in frame %d: it is blocked by other bodies; see "
             "%s\"strict\": {\"lag\": ...}",
             name_of(scene, &total->lag), total->lag.value, total->lag.frame,
             csim_scene_may_release(scene, total->lag.object)
                 ? "\"contact\": {\"pinched\": ...} and "
                 : "");
  if (total->strain.value > bound->strain && ++count)
    csim_say(log, CSIM_WARNING, place,
             "\"%s\" is stretched by %.0f %% at vertices %d and %d in frame %d: it is pulled "
             "too hard for its stiffness, or needs more \"frames.substeps\"",
             name_of(scene, &total->strain), 100 * total->strain.value, total->strain.vert[0],
             total->strain.vert[1], total->strain.frame);
  if (total->imbalance.value > bound->imbalance && ++count)
    csim_say(log, CSIM_WARNING, place,
             "a substep of frame %d left %.0f %% of the forces on \"%s\" unbalanced: use more "
             "\"frames.substeps\" or \"solver.iterations\"",
             total->imbalance.frame, 100 * total->imbalance.value,
             name_of(scene, &total->imbalance));
  if (csim_conserved_gain(&total->conserved) > bound->energy && ++count)
    csim_say(log, CSIM_WARNING, place,
             "frame %d has %.3g J more than the start, %.0f %% of the energy exchanged, though "
             "nothing adds any: use more \"frames.substeps\" or a \"quality\" of \"final\"",
             total->conserved.frame, total->conserved.gained,
             100 * csim_conserved_gain(&total->conserved));
  double more = csim_max(1, csim_norm(scene->gravity) / 9.81);
  double drift = csim_conserved_drift(&total->conserved, total->conserved.judged);
  if (drift > more * bound->momentum && ++count)
    csim_say(log, CSIM_WARNING, place,
             "the unbalanced forces of all substeps have accelerated the whole scene by %.3g m/s: "
             "use a smaller \"solver.balance\" or a \"quality\" of \"final\"",
             drift);
  double unconverged = total->taken ? (double)total->unconverged / (double)total->taken : 0;
  if (unconverged > bound->unconverged && ++count)
    csim_say(log, CSIM_WARNING, place,
             "%.0f %% of the substeps did not converge: use more \"frames.substeps\" or "
             "\"solver.iterations\", or a \"quality\" of \"final\"",
             100 * unconverged);
  return count;
}
