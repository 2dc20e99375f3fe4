// scene/manual.c: the manual of every key in Markdown, generated from the tables.
#include "scene/reader.h"

#include <stdio.h>
#include <stdlib.h>

// Writes a cell of a table: '|' would end it.
static void write_cell(FILE *out, const char *text) {
  for (; *text; text++) fprintf(out, *text == '|' ? "\\|" : "%c", *text);
  fputs(" | ", out);
}

// 0, or -1 when out of memory, like all writers here that can fail.
static int write_field(FILE *out, const csim_table *table, const csim_field *f) {
  char value[CSIM_DESCRIPTION];
  csim_definition d = csim_definition_of(f);
  csim_describe_field(f, value);
  fprintf(out, "| `%s` | ", f->key);
  write_cell(out, value);
  char *fallback;
  int status = csim_print_default(table, f, &fallback);
  if (f->flags & CSIM_REQUIRED)
    fputs("*required* | ", out);
  else if (fallback)
    fprintf(out, "`%s` | ", fallback);
  else
    fputs("| ", out);
  free(fallback);
  fputs(f->doc, out);
  if (d.table) fprintf(out, " See [%s](#%s).", d.table->name, d.table->name);
  if (d.variants) fprintf(out, " See [%s](#%s).", d.variants->name, d.variants->name);
  fputs(" |\n", out);
  return status;
}

static int write_table(FILE *out, const csim_table *table) {
  fprintf(out, "%s\n\n", table->doc);
  if (!table->nfield) return 0;
  int status = 0;
  fputs("| key | value | default | meaning |\n|---|---|---|---|\n", out);
  for (int i = 0; i < table->nfield; i++) status |= write_field(out, table, &table->field[i]);
  fputc('\n', out);
  return status;
}

static int write_variants(FILE *out, const csim_variants *v) {
  int status = 0;
  fprintf(out, "Chosen by `%s`: %s\n\n", v->key, v->doc);
  for (int i = 0; v->names[i]; i++) {
    fprintf(out, "#### %s `\"%s\": \"%s\"`\n\n", v->name, v->key, v->names[i]);
    status |= write_table(out, v->table[i]);
  }
  return status;
}

// A cell of those that are not 0.
static void write_numbers(FILE *out, int n, const double *value) {
  const char *before = " ";
  for (int k = 0; k < n; k++) {
    char text[32];
    if (value[k] == 0) continue;
    csim_print_shortest(value[k], text);
    fprintf(out, "%s%s", before, text);
    before = ", ";
  }
  fputs(" |", out);
}

static void write_presets(FILE *out) {
  fputs("### presets\n\nMaterials to start from. Orders of magnitude with their sources in "
        "lib/scene/materials.c; damping is 0.\n\n"
        "| preset | density | stretch, weft [N/m] | shear [N/m] | bend, bend_weft [N m] | "
        "bend_spring [N/m] | modulus, volume [Pa] | poisson | drag |\n"
        "|---|---|---|---|---|---|---|---|---|\n",
        out);
  for (const char *const *name = csim_preset_names; *name; name++) {
    const csim_material *m = csim_find_preset(*name);
    char density[32];
    csim_print_shortest(m->density, density);
    fprintf(out, "| `%s` | %s %s |", *name, density,
            m->stuff == CSIM_STUFF_SOLID ? "kg/m^3" : "kg/m^2");
    write_numbers(out, 2, (double[]){m->stretch, m->weft});
    write_numbers(out, 1, &m->shear);
    write_numbers(out, 2, (double[]){m->bend, m->bend_weft});
    write_numbers(out, 1, &m->bend_spring);
    write_numbers(out, 2, (double[]){m->modulus, m->volume});
    write_numbers(out, 1, &m->poisson);
    write_numbers(out, 1, &m->drag);
    fputc('\n', out);
  }
  fputc('\n', out);
}

char *csim_scene_manual(void) {
  char *text = NULL;
  size_t size = 0;
  csim_definition list[CSIM_MAX_DEFINITIONS];
  int n = csim_list_definitions(list);
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  fputs("### scene\n\n", out);
  int status = write_table(out, &csim_scene_table);
  for (int i = 0; i < n; i++) {
    const csim_table *table = list[i].table;
    fprintf(out, "### %s\n\n", table ? table->name : list[i].variants->name);
    status |= table ? write_table(out, table) : write_variants(out, list[i].variants);
    if (table == &csim_material_table) write_presets(out);
  }
  status |= ferror(out);
  if (fclose(out) == 0 && !status) return text;
  free(text);
  return NULL;
}
