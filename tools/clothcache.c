// tools/clothcache.c: inspects and checks caches, and converts them to other formats and back.
#include "tool.h"

#include <math.h>
#include <signal.h>

enum { MAX_PICK = 256 };

/// The command line.
typedef struct arguments {
  const char *command, *input, *format, *out, *mesh;
  const char *pick[MAX_PICK]; ///< names of objects
  int npick;
  tool_range frames;
  int up, digits, velocities, transforms, json, contact, skip;
  double scale, fps, error;
} arguments;

static tool_log log_;

static void print_help(void) {
  fputs(
      "usage: clothcache info CACHE\n"
      "       clothcache verify CACHE [--contact]\n"
      "       clothcache export CACHE --to FORMAT [-o PLACE]\n"
      "       clothcache import FRAMES -o CACHE\n"
      "\n"
      "info    prints what a cache holds.\n"
      "verify  checks all of it: crc of every chunk, order, indices, every frame's data, NaN and\n"
      "        infinities; prints the bounds of each object. With --contact also tests exactly\n"
      "        whether triangles intersect.\n"
      "export  writes frames in another format:\n",
      stdout);
  for (const csim_export_format *f = csim_export_formats(); f->name; f++)
    printf("          %-5s %s\n", f->name, f->description);
  fputs(
      "import  makes a cache of a folder of NAME_0001.obj (or .ply) files, of a PC2, an MDD or an\n"
      "        Alembic file.\n"
      "\n"
      "  -o, --output PLACE   export: folder for the files (default: beside the cache), or the\n"
      "                       file for abc, usda, glb; import: the cache\n"
      "  --frames A:B[:STEP]  frame numbers A to B, every STEP-th; A alone is one frame\n"
      "  --object NAME        only this object; may be repeated\n"
      "  --up y|z             export: turn the output so; import: what the input has (y)\n"
      "  --scale S            multiply lengths by S\n"
      "  --no-velocities      export: leave velocities out\n"
      "  --transforms         export: rigid colliders as animated transforms (abc, usda)\n"
      "  --skip-damaged       export: leave frames out that cannot be read, and go on\n"
      "  --digits N           of numbers in OBJ: 9 (every float exactly, default) to 17\n"
      "  --mesh FILE          import: faces for the points of a PC2 or MDD file\n"
      "  --fps N              import: frames per second (default: the file's, or 25)\n"
      "  --error E            import: lossy, with errors up to E in positions\n"
      "  --contact            verify: test every frame for triangles that intersect\n"
      "  --json               info, verify: one JSON object on standard output\n"
      "  -h, --help, --version\n"
      "\n"
      "Exit status: 0 good, 1 NaN or contact found, 2 usage, 3 damaged or unreadable file, 4 no "
      "memory.\n",
      stdout);
}

// ------------------------------------------------------------------------------------ command line

static csim_status read_option(int argc, char **argv, int *i, arguments *a) {
  const char *word = argv[*i], *v;
  double digits;
  int bad = 0;
  if ((v = tool_option(argc, argv, i, "--output", "-o")))
    bad = !*(a->out = v);
  else if ((v = tool_option(argc, argv, i, "--to", NULL)))
    bad = !*(a->format = v);
  else if ((v = tool_option(argc, argv, i, "--mesh", NULL)))
    bad = !*(a->mesh = v);
  else if ((v = tool_option(argc, argv, i, "--frames", NULL)))
    bad = tool_read_range(v, &a->frames);
  else if ((v = tool_option(argc, argv, i, "--object", NULL)))
    bad = !*v || a->npick == MAX_PICK || !(a->pick[a->npick++] = v);
  else if ((v = tool_option(argc, argv, i, "--up", NULL)))
    bad = !(a->up = !strcmp(v, "y") ? 1 : !strcmp(v, "z") ? 2 : 0);
  else if ((v = tool_option(argc, argv, i, "--scale", NULL)))
    bad = tool_read_number(v, &a->scale) || a->scale <= 0;
  else if ((v = tool_option(argc, argv, i, "--fps", NULL)))
    bad = tool_read_number(v, &a->fps) || a->fps <= 0;
  else if ((v = tool_option(argc, argv, i, "--error", NULL)))
    bad = tool_read_number(v, &a->error) || a->error < 0;
  else if ((v = tool_option(argc, argv, i, "--digits", NULL))) {
    bad = tool_read_number(v, &digits) || digits < 1 || digits > 17;
    a->digits = bad ? 0 : (int)digits;
  } else if (!strcmp(word, "--no-velocities"))
    a->velocities = 0;
  else if (!strcmp(word, "--transforms"))
    a->transforms = 1;
  else if (!strcmp(word, "--skip-damaged"))
    a->skip = 1;
  else if (!strcmp(word, "--contact"))
    a->contact = 1;
  else if (!strcmp(word, "--json"))
    a->json = 1;
  else
    return tool_usage(&log_, "unknown option", word);
  return bad ? tool_usage(&log_, "bad value for", word) : CSIM_OK;
}

static csim_status read_arguments(int argc, char **argv, arguments *a) {
  static const char *const commands[] = {"info", "verify", "export", "import"};
  *a = (arguments){.velocities = 1, .scale = 1};
  tool_read_range(":", &a->frames);
  for (int i = 1; i < argc; i++) {
    csim_status status = CSIM_OK;
    if (argv[i][0] == '-' && argv[i][1])
      status = read_option(argc, argv, &i, a);
    else if (!a->command)
      a->command = argv[i];
    else if (!a->input)
      a->input = argv[i];
    else
      status = tool_usage(&log_, "one file at a time, not also", argv[i]);
    if (status) return status;
  }
  for (int k = 0; a->command && k < 4; k++)
    if (!strcmp(a->command, commands[k]))
      return a->input ? CSIM_OK : tool_usage(&log_, "which file?", NULL);
  return a->command ? tool_usage(&log_, "unknown command", a->command)
                    : tool_usage(&log_, "what to do?", NULL);
}

static csim_status no_memory(void) {
  fprintf(stderr, "clothcache: out of memory\n");
  return CSIM_MEMORY;
}

// ------------------------------------------------------------------------------------------- info

static const char *const types[] = {"cloth", "solid", "collider", "render"};

static double raw_size(const csim_cache_info *info) {
  double size = 0;
  for (int i = 0; i < info->nobject; i++)
    size += (12.0 * (1 + info->object[i].has_velocity) * (1 + info->object[i].nsample) +
             4 * info->object[i].has_pressure + 4 * info->object[i].has_strain) *
            info->object[i].nvert;
  return size * info->nframe;
}

static void print_info_json(const csim_cache_info *info) {
  fputs("{\"file\": ", stdout);
  tool_json_string(stdout, info->file);
  printf(", \"complete\": %s, \"size\": %lld, \"frames\": %d", info->complete ? "true" : "false",
         info->size, info->nframe);
  if (info->nframe)
    printf(", \"first_frame\": %lld, \"last_frame\": %lld", info->number[0],
           info->number[info->nframe - 1]);
  printf(", \"fps\": %.17g, \"up\": \"%s\", \"meters_per_unit\": %.17g", info->options.fps,
         info->options.up == 2 ? "z" : "y", info->unit);
  printf(", \"position_error\": %.17g, \"velocity_error\": %.17g, \"ratio\": ",
         info->options.position_error, info->options.velocity_error);
  tool_json_number(stdout, raw_size(info) / (double)info->size);
  fputs(", \"objects\": [", stdout);
  for (int i = 0; i < info->nobject; i++) {
    const csim_cache_object *o = &info->object[i];
    fputs(i ? ", {\"name\": " : "{\"name\": ", stdout);
    tool_json_string(stdout, o->name);
    printf(", \"type\": \"%s\", \"vertices\": %d, \"faces\": %d, \"tetrahedra\": %d, "
           "\"texture_coordinates\": %d, \"further_uv_sets\": %d, \"tags\": %d, \"velocities\": "
           "%s, \"pressures\": %s, "
           "\"strain\": %s, \"samples\": %d}",
           types[o->type], o->nvert, o->nface, o->ntet, o->nuv, o->nuv_set, o->ntag,
           o->has_velocity ? "true" : "false", o->has_pressure ? "true" : "false",
           o->has_strain ? "true" : "false", o->nsample);
  }
  printf("], \"meta\": %s}\n", info->meta);
}

static void print_info(const csim_cache_info *info) {
  printf("%s: %d frames", info->file, info->nframe);
  if (info->nframe) printf(", %lld to %lld,", info->number[0], info->number[info->nframe - 1]);
  printf(" at %g per second, %s up%s\n", info->options.fps, info->options.up == 2 ? "z" : "y",
         info->complete ? "" : ", NOT COMPLETE: its writing was not finished");
  for (int i = 0; i < info->nobject; i++) {
    const csim_cache_object *o = &info->object[i];
    printf("  %-16s %-8s %8d vertices %8d faces", o->name, types[o->type], o->nvert, o->nface);
    if (o->ntet) printf(" %8d tetrahedra", o->ntet);
    printf("%s%s%s%s", o->nuv ? ", uv" : "", o->has_velocity ? ", velocities" : "",
           o->has_pressure ? ", pressures" : "", o->has_strain ? ", strain" : "");
    if (o->nuv_set) printf(", %d further uv set%s", o->nuv_set, o->nuv_set > 1 ? "s" : "");
    if (o->nsample) printf(", %d samples between frames", o->nsample);
    putchar('\n');
  }
  printf("  %.3f MB, ratio %.2f to raw floats, ", (double)info->size / 1e6,
         raw_size(info) / (double)info->size);
  if (info->options.position_error > 0)
    printf("errors up to %g\n", info->options.position_error);
  else
    puts("lossless");
  printf("  %s\n", info->meta);
}

static csim_status run_info(const arguments *a) {
  csim_cache *cache;
  csim_status status = csim_cache_open(a->input, &log_.log, &cache);
  if (status) return status;
  (a->json ? print_info_json : print_info)(csim_cache_get_info(cache));
  csim_cache_free(cache);
  return CSIM_OK;
}

// ----------------------------------------------------------------------------------------- verify

/// Properties of an object's data.
typedef struct object_report {
  double low[3], high[3];
  long long not_finite; ///< values
  long long bad_frame;  ///< number of the first frame with one
  int bad_vertex;
} object_report;

static void look_at(const float *x, int nvert, long long frame, object_report *r) {
  for (ptrdiff_t i = 0; i < csim_xyz(nvert); i++) {
    double value = (double)x[i];
    if (!isfinite(value)) {
      if (!r->not_finite++) {
        r->bad_frame = frame;
        r->bad_vertex = (int)(i / 3);
      }
      continue;
    }
    if (value < r->low[i % 3]) r->low[i % 3] = value;
    if (value > r->high[i % 3]) r->high[i % 3] = value;
  }
}

static csim_status look_at_frames(csim_cache *cache, object_report *report, int *nbad) {
  const csim_cache_info *info = csim_cache_get_info(cache);
  int most = 1;
  csim_status status = CSIM_OK;
  for (int i = 0; i < info->nobject; i++) {
    report[i] =
        (object_report){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, 0, 0, 0};
    if (info->object[i].nvert > most) most = info->object[i].nvert;
  }
  float *x = malloc(12 * (size_t)most), *v = malloc(12 * (size_t)most);
  for (int f = 0; f < info->nframe && x && v; f++) {
    for (int i = 0; i < info->nobject; i++) {
      object_report rate = report[i]; // velocities count for NaN only
      csim_status one = csim_cache_read(cache, i, f, x, v);
      if (one) {
        status = one;
        ++*nbad;
        continue;
      }
      look_at(x, info->object[i].nvert, info->number[f], &report[i]);
      rate.not_finite = report[i].not_finite;
      rate.bad_frame = report[i].bad_frame;
      rate.bad_vertex = report[i].bad_vertex;
      look_at(v, info->object[i].nvert, info->number[f], &rate);
      report[i].not_finite = rate.not_finite;
      report[i].bad_frame = rate.bad_frame;
      report[i].bad_vertex = rate.bad_vertex;
    }
    tool_progress(&log_, (f + 1.0) / info->nframe);
  }
  if (!x || !v) status = no_memory();
  free(x);
  free(v);
  return status;
}

static void print_report(const csim_cache_info *info, const object_report *r, int i, int json) {
  const char *name = info->object[i].name;
  if (json) {
    printf("%s{\"name\": ", i ? ", " : "");
    tool_json_string(stdout, name);
    for (int k = 0; k < 2; k++) {
      const double *p = k ? r->high : r->low;
      printf(", \"%s\": [", k ? "max" : "min");
      for (int c = 0; c < 3; c++) {
        if (c) fputs(", ", stdout);
        tool_json_number(stdout, p[c]);
      }
      fputc(']', stdout);
    }
    printf(", \"not_finite\": %lld", r->not_finite);
    if (r->not_finite) printf(", \"frame\": %lld, \"vertex\": %d", r->bad_frame, r->bad_vertex);
    fputc('}', stdout);
    return;
  }
  if (r->low[0] <= r->high[0])
    printf("  %-16s (%g, %g, %g) to (%g, %g, %g)\n", name, r->low[0], r->low[1], r->low[2],
           r->high[0], r->high[1], r->high[2]);
  else
    printf("  %-16s no vertex that could be read\n", name);
  if (r->not_finite)
    fprintf(stderr,
            "clothcache: %s: object \"%s\": %lld values are NaN or infinite, first in frame %lld, "
            "vertex %d\n",
            info->file, name, r->not_finite, r->bad_frame, r->bad_vertex);
}

static csim_status run_verify(const arguments *a) {
  csim_cache *cache;
  csim_status status = csim_cache_open(a->input, &log_.log, &cache);
  if (status) {
    if (a->json) printf("{\"ok\": false, \"readable\": false}\n");
    return status;
  }
  const csim_cache_info *info = csim_cache_get_info(cache);
  object_report *report = calloc((size_t)info->nobject, sizeof *report);
  int nbad = 0;
  status = csim_cache_verify(cache, tool_progress, &log_);
  csim_status data = report ? look_at_frames(cache, report, &nbad) : no_memory();
  if (!status) status = data;
  long long not_finite = 0;
  for (int i = 0; report && i < info->nobject; i++) not_finite += report[i].not_finite;
  if (!status && not_finite) status = CSIM_FAILED;
  csim_verify_report contact = {0};
  if (a->contact && !status) status = csim_verify_contact(a->input, 1, &log_.log, &contact);
  if (a->json)
    printf("{\"ok\": %s, \"readable\": true, \"complete\": %s, \"frames\": %d, "
           "\"unreadable\": %d, \"objects\": [",
           status ? "false" : "true", info->complete ? "true" : "false", info->nframe, nbad);
  else if (nbad)
    printf("%s: NOT GOOD, %d times a frame of an object cannot be read; %d frames\n", info->file,
           nbad, info->nframe);
  else
    printf("%s: %s, %d whole frames\n", info->file, status ? "NOT GOOD" : "good", info->nframe);
  for (int i = 0; report && i < info->nobject; i++) print_report(info, &report[i], i, a->json);
  if (a->json) putchar(']');
  if (contact.frames && a->json)
    printf(", \"crossing\": %lld, \"worst_frame\": %d, \"worst\": %lld", contact.crossing,
           contact.worst_frame, contact.worst);
  else if (contact.frames)
    printf("  %lld pairs of triangles intersect\n", contact.crossing);
  if (a->json) puts("}");
  free(report);
  csim_cache_free(cache);
  return status;
}

// ----------------------------------------------------------------------------------------- export

// The objects chosen, by index.
static csim_status pick_objects(const arguments *a, int nobject, const csim_cache_object *object,
                                int *picked, int *npicked) {
  *npicked = 0;
  for (int k = 0; k < a->npick; k++) {
    int found = 0;
    for (int i = 0; i < nobject; i++) found |= !strcmp(object[i].name, a->pick[k]);
    if (found) continue;
    fprintf(stderr, "clothcache: %s: no object \"%s\"; there is", a->input, a->pick[k]);
    for (int i = 0; i < nobject && i < 10; i++) fprintf(stderr, " \"%s\"", object[i].name);
    fputc('\n', stderr);
    return CSIM_INVALID;
  }
  for (int i = 0; i < nobject; i++) {
    int wanted = !a->npick;
    for (int k = 0; k < a->npick; k++) wanted |= !strcmp(object[i].name, a->pick[k]);
    if (wanted) picked[(*npicked)++] = i;
  }
  return CSIM_OK;
}

// Folder and stem of the output: of -o when that is a file of the format, else -o as a folder, or
// the cache's, and its name.
static void choose_place(const arguments *a, char *directory, char *name, size_t size) {
  const char *slash = strrchr(a->input, '/');
  snprintf(name, size, "%s", slash ? slash + 1 : a->input);
  char *dot = strrchr(name, '.');
  if (dot && dot > name) *dot = 0;
  snprintf(directory, size, "%s", a->out ? a->out : a->input);
  char *cut = strrchr(directory, '/');
  if (a->out) {
    size_t n = strlen(a->out), m = strlen(a->format);
    if (n <= m + 1 || a->out[n - m - 1] != '.' || strcmp(a->out + n - m, a->format)) return;
    snprintf(name, size, "%s", cut ? cut + 1 : directory);
    name[strlen(name) - m - 1] = 0;
  }
  if (cut)
    cut[cut == directory] = 0;
  else
    *directory = 0;
}

/// Data of an object; NULL if it does not have them.
typedef struct numbers {
  double *x, *v, *pressure, *strain, *sample_x, *sample_v;
} numbers;

/// Everything an export needs at hand.
typedef struct exporting {
  csim_cache *cache;
  int npicked, *picked;
  csim_cache_object *object;
  numbers *number;
  csim_cache_values *given;
  float *value; ///< of the largest object
  int *rigid;   ///< (npicked) colliders that move as a whole
} exporting;

static double *allocate(int wanted, size_t n, int *failed) {
  double *p = wanted ? malloc(n * sizeof *p) : NULL;
  *failed |= wanted && !p;
  return p;
}

static int prepare(exporting *p, const csim_cache_info *info) {
  size_t most = 1, n = (size_t)p->npicked;
  int failed = 0;
  p->object = calloc(n, sizeof *p->object);
  p->number = calloc(n, sizeof *p->number);
  p->given = calloc(n, sizeof *p->given);
  p->rigid = calloc(n, sizeof *p->rigid);
  if (!p->object || !p->number || !p->given || !p->rigid) return -1;
  for (size_t i = 0; i < n; i++) {
    const csim_cache_object *o = &info->object[p->picked[i]];
    size_t size = 3 * (size_t)o->nvert, sampled = size * (size_t)o->nsample;
    p->object[i] = *o;
    numbers *to = &p->number[i];
    *to = (numbers){.x = allocate(1, size, &failed),
                    .v = allocate(o->has_velocity, size, &failed),
                    .pressure = allocate(o->has_pressure, size / 3, &failed),
                    .strain = allocate(o->has_strain, size / 3, &failed),
                    .sample_x = allocate(o->nsample > 0, sampled, &failed),
                    .sample_v = allocate(o->nsample && o->has_velocity, sampled, &failed)};
    p->given[i] = (csim_cache_values){to->x, to->v, to->pressure, to->strain, NULL, NULL};
    if (size > most) most = size;
  }
  p->value = malloc(2 * most * sizeof *p->value);
  return p->value && !failed ? 0 : -1;
}

static void widen(const float *from, size_t n, double *to) {
  for (size_t k = 0; to && k < n; k++) to[k] = (double)from[k];
}

// In the first frame of a cache nothing was simulated before it.
static csim_status read_samples(exporting *p, int i, int frame) {
  numbers *to = &p->number[i];
  size_t n = 3 * (size_t)p->object[i].nvert;
  csim_status status = CSIM_OK;
  p->given[i].sample_x = p->given[i].sample_v = NULL;
  if (!to->sample_x || frame == 0) return CSIM_OK;
  for (int s = 0; s < p->object[i].nsample && !status; s++) {
    size_t at = n * (size_t)s;
    status = csim_cache_read_sample(p->cache, p->picked[i], frame, s, p->value, p->value + n);
    if (status) break;
    widen(p->value, n, to->sample_x + at);
    if (to->sample_v) widen(p->value + n, n, to->sample_v + at);
  }
  p->given[i].sample_x = to->sample_x;
  p->given[i].sample_v = to->sample_v;
  return status;
}

static csim_status read_frame(exporting *p, int frame) {
  csim_status status = CSIM_OK;
  for (int i = 0; i < p->npicked && !status; i++) {
    numbers *to = &p->number[i];
    int k = p->picked[i];
    size_t n = 3 * (size_t)p->object[i].nvert;
    status = csim_cache_read(p->cache, k, frame, p->value, to->v ? p->value + n : NULL);
    if (status) break;
    widen(p->value, n, to->x);
    widen(p->value + n, n, to->v);
    if (to->pressure) status = csim_cache_read_pressure(p->cache, k, frame, p->value);
    if (!status) widen(p->value, n / 3, to->pressure);
    if (!status && to->strain) status = csim_cache_read_strain(p->cache, k, frame, p->value);
    if (!status) widen(p->value, n / 3, to->strain);
    if (!status) status = read_samples(p, i, frame);
  }
  return status;
}

static csim_status export_frames(const arguments *a, exporting *p, csim_export *e) {
  const csim_cache_info *info = csim_cache_get_info(p->cache);
  csim_status status = CSIM_OK;
  int written = 0, skipped = 0;
  for (int f = 0; f < info->nframe && !status; f++) {
    if (tool_in_range(&a->frames, info->number[f], info->number[0])) {
      csim_status read = read_frame(p, f);
      int skip = a->skip && read == CSIM_IO;
      status = skip ? CSIM_OK : read;
      if (!read) status = csim_export_values(e, info->number[f], p->given);
      written += !skip;
      skipped += skip;
    }
    tool_progress(&log_, (f + 1.0) / info->nframe);
  }
  if (skipped)
    fprintf(stderr, "clothcache: %s: warning: %d of %d frames are damaged and left out\n", a->input,
            skipped, skipped + written);
  if (!status && !written) {
    fprintf(stderr,
            skipped
                ? "clothcache: %s: none of its %d frames can be read whole: --object exports the "
                  "objects that can, which clothcache verify lists\n"
                : "clothcache: %s: none of its %d frames is among those asked for\n",
            a->input, info->nframe);
    status = CSIM_INVALID;
  }
  return status;
}

static void release(exporting *p) {
  for (int i = 0; i < p->npicked && p->number; i++) {
    double *const all[] = {p->number[i].x,      p->number[i].v,        p->number[i].pressure,
                           p->number[i].strain, p->number[i].sample_x, p->number[i].sample_v};
    for (int k = 0; k < 6; k++) free(all[k]);
  }
  free(p->number);
  free(p->given);
  free(p->object);
  free(p->picked);
  free(p->rigid);
  free(p->value);
  csim_cache_free(p->cache);
}

static csim_status find_rigid(exporting *p) {
  csim_status status = CSIM_OK;
  for (int i = 0; i < p->npicked && !status; i++)
    if (p->object[i].type == CSIM_CACHE_COLLIDER)
      status = csim_cache_find_rigid(p->cache, p->picked[i], &p->rigid[i]);
  return status == CSIM_MEMORY ? no_memory() : status;
}

// A cache may have any name, that of its own export too.
static csim_status spare_input(const arguments *a, const char *directory, const char *name) {
  char path[2 * 4096 + 64];
  snprintf(path, sizeof path, "%s%s%s.%s", directory, *directory ? "/" : "", name, a->format);
  if (!tool_is_same_file(path, a->input)) return CSIM_OK;
  return tool_usage(&log_, "the export would replace the cache:", path);
}

static csim_status run_export(const arguments *a) {
  char directory[4096], name[4096];
  exporting p = {0};
  csim_export *e = NULL;
  if (!a->format) return tool_usage(&log_, "export needs --to FORMAT", NULL);
  csim_status status = csim_cache_open(a->input, &log_.log, &p.cache);
  if (status) return status;
  const csim_cache_info *info = csim_cache_get_info(p.cache);
  if (!info->complete)
    fprintf(stderr, "clothcache: %s: warning: not complete: %d whole frames\n", info->file,
            info->nframe);
  p.picked = calloc((size_t)info->nobject, sizeof *p.picked);
  status =
      p.picked ? pick_objects(a, info->nobject, info->object, p.picked, &p.npicked) : no_memory();
  if (!status && prepare(&p, info)) status = no_memory();
  if (!status && a->transforms) status = find_rigid(&p);
  if (!status) {
    choose_place(a, directory, name, sizeof name);
    status = spare_input(a, directory, name);
  }
  if (!status) {
    csim_export_options options = {
        .format = a->format,
        .directory = directory,
        .name = name,
        .fps = info->options.fps,
        .last_number = info->nframe ? info->number[info->nframe - 1] : 0,
        .up = info->options.up,
        .target_up = a->up,
        .scale = a->scale,
        .unit = info->unit / a->scale,
        .velocities = a->velocities,
        .digits = a->digits,
        .nsample = info->nsample,
        .rigid = p.rigid,
    };
    memcpy(options.share, info->share, sizeof options.share);
    status = csim_export_open(&options, p.npicked, p.object, &log_.log, &e);
  }
  if (!status) status = export_frames(a, &p, e);
  csim_status closed = csim_export_close(e, !status);
  release(&p);
  return status ? status : closed;
}

// ----------------------------------------------------------------------------------------- import

// Warns of frames that are lost: elsewhere numbers rise by a smaller step.
static void warn_of_gaps(const arguments *a, const csim_sequence_info *info) {
  long long step = 0, lost = 0;
  int begin = 0, end = info->time ? 0 : info->nframe, gaps = 0;
  while (begin < end && info->number[begin] < a->frames.first) begin++;
  while (end > begin && info->number[end - 1] > a->frames.last) end--;
  for (int f = begin + 1; f < end; f++) {
    long long rise = info->number[f] - info->number[f - 1];
    if (f == begin + 1 || rise < step) step = rise;
  }
  for (int f = begin + 1; f < end; f++) {
    if (info->number[f] - info->number[f - 1] == step) continue;
    if (!gaps++) lost = info->number[f - 1] + step;
  }
  if (gaps)
    csim_log_print(&log_.log, CSIM_WARNING, a->input, "frame %lld is missing%s", lost,
                   gaps > 1 ? ", and there are more gaps after it" : "");
}

static csim_status check_import(const arguments *a, const csim_sequence_info *info,
                                const csim_sequence_info *mesh) {
  if (!info->has_faces && !mesh)
    fprintf(stderr, "clothcache: %s: warning: points only; --mesh FILE would give them faces\n",
            a->input);
  warn_of_gaps(a, info);
  if (info->time)
    fprintf(stderr, "clothcache: %s: warning: samples between whole frames are left out\n",
            a->input);
  if (mesh && (info->nobject != 1 || mesh->nobject != 1 ||
               mesh->object[0].nvert != info->object[0].nvert)) {
    fprintf(stderr, "clothcache: %s: has %d vertices, the mesh %d\n", a->input,
            info->object[0].nvert, mesh->object[0].nvert);
    return CSIM_INVALID;
  }
  return CSIM_OK;
}

// The number of frame f. @return 0 for a sample between whole frames: a cache has no place for it
static int whole_frame(const csim_sequence_info *info, double fps, int f, long long *number) {
  *number = info->number[f];
  if (!info->time) return 1;
  double frame = info->time[f] * fps, whole = floor(frame + 0.5);
  *number = (long long)whole;
  return fabs(frame - whole) < 2e-3;
}

// Warns of positions that are not finite: they stay in the cache, and no reader may take them.
static int warn_infinite(const char *path, const csim_cache_object *object, long long frame,
                         const double *x) {
  for (ptrdiff_t k = 0; k < csim_xyz(object->nvert); k++) {
    if (isfinite(x[k])) continue;
    csim_log_print(&log_.log, CSIM_WARNING, path, "frame %lld: vertex %d of \"%s\" is not finite",
                   frame, (int)(k / 3), object->name);
    return 1;
  }
  return 0;
}

static csim_status import_frames(const arguments *a, csim_sequence *s, csim_cache_writer *w) {
  const csim_sequence_info *info = csim_sequence_get_info(s);
  size_t most = 1;
  csim_status status = CSIM_OK;
  double fps = a->fps > 0 ? a->fps : info->fps > 0 ? info->fps : 25;
  for (int i = 0; i < info->nobject; i++)
    if ((size_t)info->object[i].nvert > most) most = (size_t)info->object[i].nvert;
  double *x = malloc(3 * most * sizeof *x), *v = malloc(3 * most * sizeof *v);
  if (!x || !v) status = no_memory();
  long long first = 0, start = 0;
  int written = 0, warned = 0;
  if (info->nframe) whole_frame(info, fps, 0, &start);
  for (int f = 0; f < info->nframe && !status; f++) {
    long long number;
    if (!whole_frame(info, fps, f, &number) || !tool_in_range(&a->frames, number, start)) continue;
    if (!written++) first = number;
    status = csim_cache_begin_frame(w, number, (double)(number - first) / fps);
    for (int i = 0; i < info->nobject && !status; i++) {
      int has_velocity = info->object[i].has_velocity;
      status = csim_sequence_read(s, i, f, x, has_velocity ? v : NULL);
      if (!status && !warned) warned = warn_infinite(a->input, &info->object[i], number, x);
      for (ptrdiff_t k = 0; k < csim_xyz(info->object[i].nvert); k++) {
        x[k] *= a->scale;
        if (has_velocity) v[k] *= a->scale;
      }
      if (!status) status = csim_cache_put(w, i, x, has_velocity ? v : NULL);
    }
    if (!status) status = csim_cache_end_frame(w);
    tool_progress(&log_, (f + 1.0) / info->nframe);
  }
  free(x);
  free(v);
  return status;
}

// META of an imported cache. Where the sequence says its unit, the cache does.
static void describe_import(const csim_sequence_info *info, double scale, char *meta, size_t size) {
  char unit[60] = "";
  if (info->unit > 0)
    snprintf(unit, sizeof unit, ", \"meters_per_unit\": %.17g", info->unit / scale);
  snprintf(meta, size, "{\"generator\": \"clothcache " CSIM_VERSION "\"%s}", unit);
}

static csim_status run_import(const arguments *a) {
  csim_sequence *s = NULL, *mesh = NULL;
  csim_cache_writer *w = NULL;
  if (!a->out) return tool_usage(&log_, "import needs -o CACHE", NULL);
  if (tool_is_same_file(a->input, a->out) || tool_is_same_file(a->mesh, a->out))
    return tool_usage(&log_, "the cache would replace what it is made of:", a->out);
  csim_status status = csim_sequence_open(a->input, &log_.log, &s);
  if (!status && a->mesh) status = csim_sequence_open(a->mesh, &log_.log, &mesh);
  if (!status)
    status = check_import(a, csim_sequence_get_info(s), mesh ? csim_sequence_get_info(mesh) : NULL);
  if (!status) {
    const csim_sequence_info *info = csim_sequence_get_info(s);
    csim_cache_options options = {.fps = a->fps > 0      ? a->fps
                                         : info->fps > 0 ? info->fps
                                                         : 25,
                                  .up = a->up      ? a->up
                                        : info->up ? info->up
                                                   : 1,
                                  .position_error = a->error};
    char meta[120];
    describe_import(info, a->scale, meta, sizeof meta);
    status = csim_cache_create(a->out, &options, meta, &log_.log, &w);
    for (int i = 0; i < info->nobject && !status; i++) {
      csim_cache_object object = mesh ? csim_sequence_get_info(mesh)->object[0] : info->object[i];
      object.name = info->object[i].name;
      object.has_pressure = object.has_strain = object.nsample = 0; // a sequence has none
      status = csim_cache_add_object(w, &object);
    }
    if (!status) status = csim_cache_begin(w);
    if (!status) status = import_frames(a, s, w);
  }
  if (status) {
    csim_cache_abandon(w);
  } else {
    status = csim_cache_close(w, 1);
  }
  csim_sequence_free(mesh);
  csim_sequence_free(s);
  return status;
}

int main(int argc, char **argv) {
  arguments a;
  tool_log_init("clothcache", &log_);
  signal(SIGXFSZ, SIG_IGN); // a limit on the size of files is reported like a full disk
  for (int i = 1; i < argc; i++) {
    if (!strcmp(argv[i], "-h") || !strcmp(argv[i], "--help")) {
      print_help();
      return CSIM_OK;
    }
    if (!strcmp(argv[i], "--version")) {
      puts("clothcache " CSIM_VERSION);
      return CSIM_OK;
    }
  }
  csim_status status = read_arguments(argc, argv, &a);
  if (status) return (int)status;
  if (!strcmp(a.command, "info"))
    status = run_info(&a);
  else if (!strcmp(a.command, "verify"))
    status = run_verify(&a);
  else if (!strcmp(a.command, "export"))
    status = run_export(&a);
  else
    status = run_import(&a);
  if (fflush(stdout) || ferror(stdout)) {
    fprintf(stderr, "clothcache: standard output: cannot write\n");
    if (!status) status = CSIM_IO;
  }
  return (int)status;
}
