// flag.c: steps a scene and writes its last frame as OBJ.
//
//   cc flag.c -o flag $(pkg-config --cflags --libs clothsim)
//   ./flag PREFIX/share/clothsim/scenes/flag.json 24 flag.obj
#include <clothsim.h>

#include <stdio.h>
#include <stdlib.h>

static void print_message(void *user, const csim_message *m) {
  static const char *const level[] = {"debug", "info", "warning", "error"};
  (void)user;
  if (m->level < CSIM_WARNING) return;
  fprintf(stderr, "%s:%d:%d: %s: %s\n", m->file ? m->file : "-", m->line, m->column,
          level[m->level], m->text);
}

// Writes the cloths and solids as one OBJ, in all digits.
static int write_obj(const csim_sim *sim, const char *path) {
  const double *x = csim_sim_positions(sim);
  FILE *file = fopen(path, "w");
  if (!file) return -1;
  for (int i = 0; i < csim_sim_nvert(sim); i++)
    fprintf(file, "v %.17g %.17g %.17g\n", x[3 * i], x[3 * i + 1], x[3 * i + 2]);
  for (int k = 0; k < csim_sim_nobject(sim); k++) {
    csim_sim_object object = csim_sim_get_object(sim, k);
    if (object.type == CSIM_OBJECT_COLLIDER) continue;
    fprintf(file, "o %s\n", object.name);
    for (int f = 0; f < object.nface; f++) {
      fputs("f", file);
      for (int c = object.face_start[f]; c < object.face_start[f + 1]; c++)
        fprintf(file, " %d", object.first + object.face_vert[c] + 1);
      fputs("\n", file);
    }
  }
  return fclose(file);
}

int main(int argc, char **argv) {
  if (argc != 4) {
    fprintf(stderr, "usage: flag SCENE FRAMES OUT.obj\n");
    return CSIM_INVALID;
  }
  csim_log log = {.write = print_message};
  csim_scene *scene = NULL;
  csim_sim *sim = NULL;
  csim_status status = csim_scene_read(argv[1], NULL, 0, &log, &scene);
  if (!status) status = csim_sim_create(scene, NULL, &log, &sim);

  for (int frame = 0; !status && frame < atoi(argv[2]); frame++) {
    csim_sim_report report;
    status = csim_sim_step_frame(sim, &report);
    printf("%.3f s: %lld substeps, %lld contacts, residual %.2g\n", report.time, report.substeps,
           report.contacts, report.residual);
  }

  if (!status && write_obj(sim, argv[3])) {
    perror(argv[3]);
    status = CSIM_IO;
  }
  csim_sim_free(sim);
  csim_scene_free(scene);
  return status;
}
