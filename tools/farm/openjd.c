// tools/farm/openjd.c: a job template of Open Job Description, 2023-09, as JSON. See farm.h.
#include "farm/farm.h"

// A text that is freed when it is in the tree.
static void add_text(cJSON *object, const char *key, char *text) {
  if (text) cJSON_AddStringToObject(object, key, text);
  free(text);
}

static void add_directory(cJSON *list, const char *name, const char *flow, const char *value) {
  cJSON *p = cJSON_CreateObject();
  cJSON_AddStringToObject(p, "name", name);
  cJSON_AddStringToObject(p, "type", "PATH");
  cJSON_AddStringToObject(p, "objectType", "DIRECTORY");
  cJSON_AddStringToObject(p, "dataFlow", flow);
  cJSON_AddStringToObject(p, "default", value);
  cJSON_AddItemToArray(list, p);
}

static void add_string(cJSON *list, const char *name, const char *value) {
  cJSON *p = cJSON_CreateObject();
  cJSON_AddStringToObject(p, "name", name);
  cJSON_AddStringToObject(p, "type", "STRING");
  cJSON_AddStringToObject(p, "default", value);
  cJSON_AddItemToArray(list, p);
}

// The script of a step, as text to be freed. Parameters are its arguments: a template puts them
// into the text of a script as they are, quotes and all.
static char *script(const farm *f, int exporting) {
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  fputs("#!/bin/bash\nprogram=$2 out=$3 scenes=$4\n"
        "# empty ones would make it the root folder\n"
        "if [ -z \"$program\" ] || [ -z \"$out\" ] || [ -z \"$scenes\" ]; then exit 2; fi\n"
        "# a path that begins with - is no option\n"
        "case $out in -*) out=./$out ;; esac\n"
        "case $scenes in -*) scenes=./$scenes ;; esac\n"
        "case $1 in\n",
        out);
  for (int w = 0; w < f->nwedge; w++) {
    char name[FARM_NAME];
    farm_wedge_name(f, w, name);
    fprintf(out, "%d) name=%s ;;\n", w, name);
  }
  fputs("*) exit 2 ;;\nesac\n", out);
  if (exporting)
    for (int k = 0; k < f->nexport; k++)
      fprintf(out,
              "command -- \"$program\" export \"$out/$name/%s.clothcache\" --to %s -o "
              "\"$out/$name-%s\" || exit\n",
              f->name, f->exports[k], f->exports[k]);
  else {
    fputs("exec -- \"$program\" \"$scenes/$name.json\" -o \"$out/$name\" --resume --progress "
          "openjd",
          out);
    for (int k = 0; k < f->nword; k++) {
      fputc(' ', out);
      farm_shell_word(out, f->word[k]);
    }
    fputc('\n', out);
  }
  if (fclose(out)) {
    free(text);
    return NULL;
  }
  return text;
}

// Requirements of a worker.
static void add_requirements(const farm *f, cJSON *step) {
  struct {
    const char *name;
    double least;
  } amounts[] = {{"amount.worker.vcpu", f->cpus ? strtod(f->cpus, NULL) : 0},
                 {"amount.worker.memory", f->memory ? (double)farm_memory(f->memory) : 0}};
  if (!f->cpus && !f->memory) return;
  cJSON *hosts = cJSON_AddObjectToObject(step, "hostRequirements");
  cJSON *list = cJSON_AddArrayToObject(hosts, "amounts");
  for (int k = 0; k < 2; k++) {
    if (amounts[k].least <= 0) continue;
    cJSON *amount = cJSON_CreateObject();
    cJSON_AddStringToObject(amount, "name", amounts[k].name);
    cJSON_AddNumberToObject(amount, "min", amounts[k].least);
    cJSON_AddItemToArray(list, amount);
  }
}

static cJSON *make_step(const farm *f, int exporting) {
  cJSON *step = cJSON_CreateObject();
  cJSON_AddStringToObject(step, "name", exporting ? "Export" : "Simulate");
  if (exporting) {
    cJSON *list = cJSON_AddArrayToObject(step, "dependencies"), *on = cJSON_CreateObject();
    cJSON_AddStringToObject(on, "dependsOn", "Simulate");
    cJSON_AddItemToArray(list, on);
  }
  if (!exporting) add_requirements(f, step);
  char range[32];
  snprintf(range, sizeof range, f->nwedge > 1 ? "0-%d" : "0", f->nwedge - 1);
  cJSON *space = cJSON_AddObjectToObject(step, "parameterSpace"),
        *list = cJSON_AddArrayToObject(space, "taskParameterDefinitions"),
        *wedge = cJSON_CreateObject();
  cJSON_AddStringToObject(wedge, "name", "Wedge");
  cJSON_AddStringToObject(wedge, "type", "INT");
  cJSON_AddStringToObject(wedge, "range", range);
  cJSON_AddItemToArray(list, wedge);
  cJSON *body = cJSON_AddObjectToObject(step, "script"),
        *files = cJSON_AddArrayToObject(body, "embeddedFiles"), *run = cJSON_CreateObject();
  cJSON_AddStringToObject(run, "name", "Run");
  cJSON_AddStringToObject(run, "type", "TEXT");
  add_text(run, "data", script(f, exporting));
  cJSON_AddItemToArray(files, run);
  cJSON *on_run = cJSON_AddObjectToObject(cJSON_AddObjectToObject(body, "actions"), "onRun");
  cJSON_AddStringToObject(on_run, "command", "bash");
  cJSON *args = cJSON_AddArrayToObject(on_run, "args");
  const char *words[] = {"{{Task.File.Run}}", "{{Task.Param.Wedge}}",
                         exporting ? "{{Param.Clothcache}}" : "{{Param.Clothsim}}", "{{Param.Out}}",
                         "{{Param.Scenes}}"};
  for (int k = 0; k < 5; k++) cJSON_AddItemToArray(args, cJSON_CreateString(words[k]));
  if (!exporting) { // clothsim writes its checkpoint when it is asked to end
    cJSON *cancel = cJSON_AddObjectToObject(on_run, "cancelation");
    cJSON_AddStringToObject(cancel, "mode", "NOTIFY_THEN_TERMINATE");
    cJSON_AddNumberToObject(cancel, "notifyPeriodInSeconds", 120);
  }
  return step;
}

csim_status farm_emit_openjd(farm *f) {
  cJSON *root = cJSON_CreateObject();
  cJSON_AddStringToObject(root, "specificationVersion", "jobtemplate-2023-09");
  cJSON_AddStringToObject(root, "name", f->name);
  cJSON *parameters = cJSON_AddArrayToObject(root, "parameterDefinitions");
  add_directory(parameters, "Scenes", "IN", "scenes");
  add_directory(parameters, "Out", "OUT", ".");
  add_string(parameters, "Clothsim", f->program);
  if (f->nexport) add_string(parameters, "Clothcache", f->cache);
  cJSON *steps = cJSON_AddArrayToObject(root, "steps");
  cJSON_AddItemToArray(steps, make_step(f, 0));
  if (f->nexport) cJSON_AddItemToArray(steps, make_step(f, 1));
  char *text = cJSON_Print(root);
  cJSON_Delete(root);
  farm_file file;
  FILE *out = text ? farm_create(f, "farm.openjd.json", &file) : NULL;
  csim_status status = text ? CSIM_IO : CSIM_MEMORY;
  if (out) {
    fprintf(out, "%s\n", text);
    status = farm_commit(f, &file, 0);
  }
  free(text);
  return status;
}
