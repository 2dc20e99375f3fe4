// scene/describe.c: see describe.h; csim_check and csim_dump_model of clothsim.h.
#include "scene/describe.h"

#include "io/file.h"
#include "scene/inputs.h"
#include "scene/sim.h"

csim_model_counts csim_count_model(const csim_model *model) {
  csim_model_counts count = {.nvert = csim_model_nshown(model)};
  for (int b = 0; b < model->nbody; b++) {
    count.ntri += csim_body_shown(&model->body[b])->ntri;
    count.ntet += model->body[b].ntet;
  }
  for (int e = 0; e < model->nenergy; e++)
    if (model->energy[e].kind->role == CSIM_ROLE_STRETCH) count.nspring += model->energy[e].nelem;
  return count;
}

static csim_status open_sim(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                            csim_sim *sim) {
  csim_sim_start start = {
      .tet_program = options->tet_program, .nthread = options->nthread, .out = options->out};
  return csim_sim_open(scene, &start, log, sim);
}

csim_status csim_check(const csim_scene *scene, const csim_run_options *options, csim_log *log,
                       csim_check_report *report) {
  csim_sim sim = {0};
  *report = (csim_check_report){.frames = scene->frame_end - scene->frame_start + 1,
                                .substeps = scene->substeps,
                                .adaptive = scene->accuracy > 0};
  csim_status status = open_sim(scene, options, log, &sim);
  if (!status) {
    const csim_model *model = sim.world.model;
    csim_model_counts counts = csim_count_model(model);
    report->nvert = counts.nvert;
    report->ntri = counts.ntri;
    report->ntet = counts.ntet;
    report->nspring = counts.nspring;
    for (int i = 0; i < model->nvert; i++) report->nfixed += model->fixed[i];
    for (int e = 0; e < model->nenergy; e++)
      if (model->energy[e].kind->role == CSIM_ROLE_BEND) report->nhinge += model->energy[e].nelem;
    // three states, and the earlier positions of two-step integrators
    size_t kept = scene->solver.integrator == CSIM_INTEGRATOR_BDF2 ? 36 : 18;
    report->memory = model->arena.used + csim_solver_memory(sim.solver) +
                     kept * (size_t)model->nvert * sizeof(double);
    status = csim_report_moduli(scene, model, log);
    if (!status) status = csim_report_contact(sim.scene, &sim.world, CSIM_INFO, log);
  }
  csim_sim_close(&sim);
  return status;
}

// Number n of a list, counted from 0.
static void print_item(csim_file *file, int n, double value) {
  if (n) csim_file_text(file, ", ");
  csim_file_print_number(file, value, 17);
}

// @param[in,out] count  number of earlier springs: a model may have several lists of them
static void dump_springs(const csim_energy *energy, csim_file *file, int *count) {
  for (int e = 0; e < energy->nelem; e++) {
    const double *param = csim_energy_param(energy, e);
    csim_file_print(file, "%s\n[%d, %d", (*count)++ ? "," : "", energy->node[csim_row(2, e)],
                    energy->node[csim_row(2, e) + 1]);
    for (int k = 0; k < 2; k++) print_item(file, 2 + k, param[k]);
    csim_file_text(file, "]");
  }
}

csim_status csim_dump_model(const csim_scene *scene, const csim_run_options *options,
                            const char *path, csim_log *log) {
  csim_sim sim = {0};
  csim_file *file = NULL;
  csim_status status = CSIM_OK;
  if (csim_inputs_same(scene, path)) {
    csim_say(log, CSIM_ERROR, csim_in_file(path),
             "the model would replace this file, which the scene is read from");
    status = CSIM_INVALID;
  }
  if (!status) status = open_sim(scene, options, log, &sim);
  if (!status) status = csim_file_create(path, log, &file);
  if (status) goto done;
  const csim_model *model = sim.world.model;
  csim_file_text(file, "{\"mass\": [");
  for (int i = 0; i < model->nvert; i++) print_item(file, i, model->mass[i]);
  csim_file_text(file, "],\n\"pins\": [");
  for (int i = 0, n = 0; i < model->nvert; i++)
    if (model->fixed[i]) print_item(file, n++, i);
  csim_file_text(file, "],\n\"gravity\": [");
  for (int c = 0; c < 3; c++) print_item(file, c, model->gravity[c]);
  csim_file_text(file, "],\n\"h\": ");
  csim_file_print_number(file, csim_sim_substep(scene), 17);
  csim_file_text(file, ", \"damping\": 0,");
  if (model->stretch_damping) csim_file_text(file, "\n\"stretch_damping\": [");
  for (int i = 0; i < model->nvert && model->stretch_damping; i++)
    print_item(file, i, model->stretch_damping[model->body_of[i]]);
  csim_file_text(file, model->stretch_damping ? "],\n\"springs\": [" : "\n\"springs\": [");
  for (int e = 0, count = 0; e < model->nenergy; e++)
    if (model->energy[e].kind->role == CSIM_ROLE_STRETCH)
      dump_springs(&model->energy[e], file, &count);
  csim_file_text(file, "]}\n");
  for (int e = 0; e < model->nenergy; e++)
    if (model->energy[e].kind->role == CSIM_ROLE_MEMBRANE)
      csim_say(log, CSIM_WARNING, csim_in_file(scene->file),
               "%s has springs only: %d triangles of membranes are left out (\"membrane\": "
               "{\"law\": \"none\"} makes cloth of springs)",
               path, model->energy[e].nelem);
  status = csim_file_commit(file, 0);
done:
  csim_sim_close(&sim);
  return status;
}
