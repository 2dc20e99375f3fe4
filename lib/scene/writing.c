// scene/writing.c: see writing.h.
#include "scene/writing.h"

int csim_writing_create(csim_pool *pool, const csim_state *state, int nkinematic, csim_log *log,
                        csim_run_report *report, csim_writing *w) {
  *w = (csim_writing){.pool = pool, .log = log, .report = report};
  csim_kept_log_begin(&w->said);
  // allocate now: except for the data of two-step integrators, a run allocates nothing of it later
  for (int k = 0; k < 2; k++) {
    csim_state *to = k ? &w->state : &w->good;
    if (csim_state_copy(state, to)) return -1;
    if (to->kinematic) continue;
    to->kinematic = CSIM_NEW(double, csim_xyz(nkinematic));
    if (!to->kinematic) return -1;
    to->kinematic_capacity = nkinematic;
  }
  return 0;
}

csim_status csim_writing_begin(csim_writing *w, const csim_scene *scene, const csim_world *world,
                               const csim_output_start *start) {
  csim_status status = csim_output_create(scene, world, start, &w->said.log, &w->output);
  csim_kept_log_flush(&w->said, w->log);
  return status;
}

int csim_writing_behind(csim_writing *w, int frame, const csim_state *state) {
  w->report->last_frame = frame;
  w->good_totals = w->report->total;
  return csim_state_copy(state, &w->good);
}

// Runs in its own thread: uses only the output and its copies.
static void write_frame(void *context) {
  csim_writing *w = context;
  w->status = csim_output_write(w->output);
  if (!w->status) w->status = csim_output_record(w->output, "running", &w->record);
}

csim_status csim_writing_frame(csim_writing *w, int frame, double time, const csim_state *state,
                               const csim_samples *samples, const csim_frame_stats *stats) {
  csim_status status = csim_writing_wait(w);
  if (status) return status;
  if (csim_state_copy(state, &w->state))
    return csim_fail(w->log, CSIM_MEMORY, (csim_place){0}, "out of memory for %d vertices",
                     state->nvert);
  w->record = *w->report;
  w->record.last_frame = frame;
  csim_output_take(w->output, frame, time, &w->state, samples, stats);
  w->busy = 1;
  csim_pool_begin_task(w->pool, write_frame, w);
  // without another thread the frame is written now, and its result need not wait for the next
  // frame
  return csim_pool_threads(w->pool) > 1 ? CSIM_OK : csim_writing_wait(w);
}

csim_status csim_writing_wait(csim_writing *w) {
  if (!w->busy) return CSIM_OK;
  csim_pool_end_task(w->pool);
  w->busy = 0;
  csim_kept_log_flush(&w->said, w->log);
  if (w->status) return w->status;
  csim_state written = w->state;
  w->state = w->good;
  w->good = written;
  w->good_totals = w->record.total;
  w->report->last_frame = w->record.last_frame;
  w->report->frames_written++;
  return CSIM_OK;
}

void csim_writing_free(csim_writing *w) {
  csim_writing_wait(w);
  csim_output_free(w->output);
  csim_kept_log_flush(&w->said, w->log);
  csim_state_free(&w->good);
  csim_state_free(&w->state);
  *w = (csim_writing){0};
}
