// scene/summary.c: see summary.h.
#include "scene/summary.h"

#include "math/vec3.h"
#include "model/chamber.h"
#include "model/links.h"

#include <stdlib.h>

// A seam counts as open when its largest gap is this many times that of its closed stitches.
static const double OPEN = 2;

// Warns of seams with stitches that are still open after their time.
static void warn_of_open(const csim_sim *sim, const csim_link_group *g, double gap, int vertex,
                         csim_log *log) {
  const csim_world *world = &sim->world;
  const csim_contact_params *contact = &world->contact;
  double closed = csim_seam_distance(contact, contact->share ? contact->share[vertex] : 1);
  if (!(csim_sim_time(sim) > g->closed) || !(gap > OPEN * closed)) return;
  vertex -= world->model->body[world->model->body_of[vertex]].vert0;
  csim_say(log, CSIM_WARNING, csim_in_file(sim->whole->file),
           "the seam of %s did not close: it is open by %.3g mm at vertex %d, where cloth or a "
           "collider is in the way or its stitches are too weak; look at the frame, and give it "
           "more time (\"closed\"), \"pull\" or \"stiffness\"",
           g->name, 1e3 * gap, vertex);
}

// Reports how far seams have closed, and torn links.
static void report_links(const csim_sim *sim, csim_log *log) {
  const csim_model *model = sim->world.model;
  for (int g = 0; g < model->links.ngroup; g++) {
    const csim_link_group *group = &model->links.group[g];
    const char *what = group->seam ? "seam" : "attachment";
    csim_place place = {.file = sim->whole->file};
    int torn = 0, n = 0;
    for (int i = 0; i < model->links.nlink; i++) {
      if (model->links.link[i].group != g) continue;
      n++;
      torn += sim->state.torn && sim->state.torn[i];
    }
    int at[2];
    double gap = csim_links_gap(model, g, sim->state.x, sim->state.torn, at);
    if (group->seam && at[0] >= 0) {
      int vertex = at[0] - model->body[model->body_of[at[0]]].vert0;
      csim_say(log, CSIM_INFO, place,
               "seam of %s: %d stitches, the largest gap is %.3g mm, at vertex %d", group->name, n,
               1e3 * gap, vertex);
      warn_of_open(sim, group, gap, at[0], log);
    }
    if (torn)
      csim_say(log, CSIM_INFO, place, "%s of %s: %d of %d strings have torn", what, group->name,
               torn, n);
  }
}

// Whether a body as a whole falls, rather than settles: cloth that is light falls at 1 m/s in air.
static int falls(const csim_sim *sim, const csim_body *body) {
  static const double SPEED = 0.5; // [m/s]
  const csim_model *model = sim->world.model;
  double sum = 0, g = csim_norm(model->gravity);
  for (int i = body->vert0; i < body->vert0 + body->nvert; i++)
    sum += csim_dot(model->gravity, sim->state.v + csim_xyz(i));
  return sum > SPEED * g * body->nvert;
}

// Warns of what still moves at the end of frames that should have ended at rest.
static void warn_of_motion(const csim_sim *sim, int frame, csim_log *log) {
  const csim_model *model = sim->world.model;
  int fastest = -1, fast = 0;
  double most = 0;
  for (int i = 0; i < model->nvert; i++) {
    double speed = model->fixed[i] ? 0 : csim_norm(sim->state.v + csim_xyz(i));
    fast += speed > sim->scene->rest_speed;
    if (!(speed > most)) continue;
    most = speed;
    fastest = i;
  }
  if (fastest < 0) return;
  const csim_body *body = &model->body[model->body_of[fastest]];
  csim_say(log, CSIM_WARNING, csim_in_file(sim->whole->file),
           "not at rest after frame %d: %d of %d vertices are faster than \"rest_speed\" (%g m/s), "
           "the fastest is vertex %d of \"%s\" with %.2g m/s%s",
           frame, fast, model->nvert, sim->scene->rest_speed, fastest - body->vert0, body->name,
           most, falls(sim, body) ? ": it falls, and nothing holds it" : "");
}

static void report_chambers(const csim_sim *sim, csim_log *log) {
  const csim_model *model = sim->world.model;
  double time = csim_sim_time(sim);
  csim_chamber_now *now = CSIM_NEW(csim_chamber_now, model->chambers.nchamber);
  if (!now) return;
  csim_chambers_at(model, time, now);
  for (int k = 0; k < model->chambers.nchamber; k++) {
    const csim_chamber *c = &model->chambers.chamber[k];
    double V = csim_chamber_volume(model, c, sim->state.x + csim_xyz(c->vert), sim->state.x);
    csim_say(log, CSIM_INFO, csim_in_file(sim->whole->file), "chamber of \"%s\": %.6g m^3, %.6g Pa",
             c->name, V, csim_chamber_pressure(c, &now[k], V));
  }
  free(now);
}

void csim_summarise(const csim_sim *sim, const csim_run_report *report, csim_log *log) {
  report_links(sim, log);
  report_chambers(sim, log);
  if (sim->scene->until_rest && !report->at_rest) warn_of_motion(sim, report->last_frame, log);
}
