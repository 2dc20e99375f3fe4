// scene/phase_keys.c: "phases": ranges of frames, each with its own keys.
//
// A phase is the whole scene with the keys of the phase merged over it, as with "extends". Only
// keys that a rebuilt model uses may differ, not those of files and states.
#include "scene/merge.h"

#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------ read

// Phases are read by csim_read_phases, after everything else is known to be right.
static void read_phases(csim_reader *r, const csim_field *f, const cJSON *item, void *base) {
  (void)base;
  if (!cJSON_IsArray(item)) csim_complain_type(r, f, item);
}

// Keys that must be the same in all frames.
static const char *const fixed_keys[] = {"$schema", "version", "extends", "description", "look_at",
                                         "units",   "strict",  "output",  "phases",      NULL};

static void check_keys(csim_reader *r, const cJSON *item) {
  for (const cJSON *c = item->child; c; c = c->next)
    for (int i = 0; fixed_keys[i]; i++)
      if (!strcmp(c->string, fixed_keys[i]))
        csim_complain_key(r, c, "\"%s\" is for all phases: it cannot be in one", fixed_keys[i]);
}

static void check_frames(csim_reader *r, const cJSON *item, const csim_scene *all,
                         const csim_scene *phase, int last_end, int last) {
  const cJSON *frames = csim_json_get(item, "frames"), *end = csim_json_get(frames, "end");
  if (phase->frame_start != all->frame_start || phase->fps != all->fps)
    csim_complain(r, frames, "\"start\" and \"fps\" are for all phases");
  if (last && !end) return; // it lasts to the end of the run
  if (!end)
    csim_complain(r, item,
                  "a phase needs \"frames\": {\"end\": ...}, the number of its last frame");
  else if (phase->frame_end <= last_end)
    csim_complain(r, end, "a phase cannot end at frame %d: %s frame %d", phase->frame_end,
                  last_end > all->frame_start ? "the one before it ends at" : "the run begins with",
                  last_end);
}

static void check_objects(csim_reader *r, const cJSON *item, const csim_scene *all,
                          const csim_scene *phase) {
  const cJSON *objects = csim_json_get(item, "objects");
  int same = phase->nobject == all->nobject;
  for (int o = 0; same && o < all->nobject; o++)
    same = !strcmp(phase->object[o].name, all->object[o].name) &&
           phase->object[o].type == all->object[o].type &&
           phase->object[o].ghost == all->object[o].ghost;
  if (!same)
    csim_complain(r, objects,
                  "a phase has the objects of the scene: it can change them, and not add, remove "
                  "or turn them into others");
  if (phase->contact.response != all->contact.response)
    csim_complain(r, csim_json_get(item, "contact"), "\"response\" is for all phases");
  if (phase->contact.pinched != all->contact.pinched)
    csim_complain(r, csim_json_get(item, "contact"), "\"pinched\" is for all phases");
}

// Meshes may only become finer: the surface is then the same at first.
static void check_coarse(csim_reader *r, const cJSON *item, const csim_scene *before,
                         const csim_scene *phase) {
  for (int o = 0; o < phase->nobject && o < before->nobject; o++)
    if (csim_sewing_left_out(&phase->object[o].mesh.detail) >
        csim_sewing_left_out(&before->object[o].mesh.detail))
      csim_complain(r, item,
                    "\"%s\" cannot be coarser than in the phase before: a coarse surface may "
                    "intersect what a fine one does not",
                    phase->object[o].name);
}

// Checks that the objects which a phase changes are in the scene, before it is read: as a new
// object one would be refused for keys that it lacks.
static void check_names(csim_reader *r, const cJSON *item, const csim_scene *all) {
  const cJSON *objects = csim_json_get(item, "objects");
  for (const cJSON *c = cJSON_IsArray(objects) ? objects->child : NULL; c; c = c->next) {
    const cJSON *name = csim_json_get(c, "name");
    int known = !cJSON_IsString(name);
    for (int o = 0; o < all->nobject && !known; o++)
      known = !strcmp(all->object[o].name, name->valuestring);
    if (!known)
      csim_complain(r, name,
                    "a phase has the objects of the scene, and there is no \"%.60s\" in it",
                    name->valuestring);
  }
}

// Reads one phase into `phase->scene`; r->scene is that of all phases.
static void read_phase(csim_reader *r, const cJSON *tree, const cJSON *item, int last_end,
                       csim_phase_keys *phase, void (*read)(csim_reader *, const cJSON *)) {
  csim_scene *all = r->scene;
  cJSON *whole = cJSON_Duplicate(tree, 1), *over = cJSON_Duplicate(item, 1);
  const cJSON *name = csim_json_get(item, "name");
  phase->name = csim_arena_copy(&all->arena, name->valuestring);
  phase->scene->file = csim_arena_copy(&phase->scene->arena, all->file);
  phase->scene->name = csim_arena_copy(&phase->scene->arena, all->name);
  if (!whole || !over || all->arena.failed || phase->scene->arena.failed) {
    r->memory = 1;
    goto done;
  }
  check_keys(r, item);
  ptrdiff_t before = r->ncomplaint;
  check_names(r, item, all);
  if (r->ncomplaint > before) goto done;
  cJSON_Delete(cJSON_DetachItemViaPointer(whole, csim_json_get(whole, "phases")));
  cJSON_Delete(cJSON_DetachItemViaPointer(over, csim_json_get(over, "name")));
  if (csim_merge_objects(whole, over)) {
    r->memory = 1;
    goto done;
  }
  before = r->ncomplaint;
  r->scene = phase->scene;
  r->nmaterial = 0;
  read(r, whole);
  if (phase->scene->arena.failed) r->memory = 1;
  if (r->ncomplaint == before && !r->memory) {
    check_frames(r, item, all, phase->scene, last_end, !item->next);
    check_objects(r, item, all, phase->scene);
  }
done:
  r->scene = all;
  cJSON_Delete(whole);
  cJSON_Delete(over);
}

void csim_read_phases(csim_reader *r, const cJSON *tree,
                      void (*read)(csim_reader *, const cJSON *)) {
  csim_scene *scene = r->scene;
  const cJSON *phases = csim_json_get(tree, "phases");
  const cJSON *end = csim_json_get(csim_json_get(tree, "frames"), "end");
  int n = phases ? csim_count_items(phases) : 0, last_end = scene->frame_start;
  if (!n || r->ncomplaint || r->memory) return;
  scene->phase = CSIM_ARENA_NEW(&scene->arena, csim_phase_keys, n);
  for (const cJSON *c = phases->child; c && scene->phase && !r->memory; c = c->next) {
    const cJSON *name = cJSON_IsObject(c) ? csim_json_get(c, "name") : NULL;
    if (!cJSON_IsString(name)) {
      csim_complain(r, c, "expected a phase { } with a \"name\"");
      continue;
    }
    csim_phase_keys *phase = &scene->phase[scene->nphase];
    phase->scene = CSIM_NEW(csim_scene, 1);
    if (!phase->scene) r->memory = 1;
    if (!phase->scene) return;
    scene->nphase++;
    read_phase(r, tree, c, last_end, phase, read);
    last_end = phase->scene->frame_end;
    if (scene->nphase > 1) check_coarse(r, c, phase[-1].scene, phase->scene);
  }
  // the end that the scene or the command line gives, else that of the last phase
  if (!end) scene->frame_end = last_end;
  if (scene->nphase) scene->phase[scene->nphase - 1].scene->frame_end = scene->frame_end;
}

// ----------------------------------------------------------------------------------------- print

// A key of a scene as text; free(). NULL when out of memory.
static char *print_key(const csim_field *f, const csim_scene *scene, int hashing) {
  csim_printer p = {.scene = scene, .hashing = hashing};
  csim_json_open(&p.out, NULL, '{');
  f->kind->print(&p, f, (const char *)scene);
  csim_json_close(&p.out, '}');
  return csim_json_end(&p.out);
}

// Prints the key if the phase has another value than the scene. Frames are always printed: a run
// that is made longer may end where a phase does.
static void print_difference(csim_printer *p, const csim_field *f, const csim_scene *scene,
                             const csim_scene *phase) {
  char *was = print_key(f, scene, p->hashing), *is = print_key(f, phase, p->hashing);
  if (!was || !is) p->out.failed = 1;
  int always = !p->hashing && !strcmp(f->key, "frames");
  if (was && is && (always || strcmp(was, is))) {
    csim_printer inner = {.out = p->out, .scene = phase, .hashing = p->hashing};
    if (strchr(is, '"'))
      f->kind->print(&inner, f, (const char *)phase);
    else
      csim_json_raw(&inner.out, f->key, "null");
    p->out = inner.out;
  }
  free(was);
  free(is);
}

static void print_phases(csim_printer *p, const csim_field *f, const void *base) {
  const csim_scene *scene = base;
  if (!scene->nphase) return;
  csim_json_open(&p->out, f->key, '[');
  for (int k = 0; k < scene->nphase; k++) {
    const csim_scene *phase = scene->phase[k].scene;
    csim_json_open(&p->out, NULL, '{');
    csim_json_text(&p->out, "name", scene->phase[k].name);
    // the start of the next phase affects frames; the end of the last one does not
    if (p->hashing && k + 1 < scene->nphase) csim_json_integer(&p->out, "end", phase->frame_end);
    for (int i = 0; i < p->table->nfield; i++) {
      const csim_field *key = &p->table->field[i];
      if (key != f && key->kind->print && !(key->flags & (CSIM_INPUT_ONLY | CSIM_COSMETIC)))
        print_difference(p, key, scene, phase);
    }
    csim_json_close(&p->out, '}');
  }
  csim_json_close(&p->out, ']');
}

static void schema_phases(csim_json_out *out, const csim_field *f) {
  (void)f;
  csim_json_text(out, "type", "array");
  csim_json_open(out, "items", '{');
  csim_json_text(out, "type", "object");
  csim_json_raw(out, "properties", "{\"name\": {\"type\": \"string\"}}");
  csim_json_raw(out, "required", "[\"name\"]");
  csim_json_close(out, '}');
}

const csim_kind csim_kind_phases = {read_phases, NULL, print_phases, .schema = schema_phases,
                                    .noun = "a list of phases {\"name\", \"frames\", ...}"};
