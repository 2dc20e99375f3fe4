#include "page.h"
#include "say.h"
csim_status view_page_write(const view_stage *stage, csim_log *log, view_written *written) {
  (void)written;
  view_say(log, CSIM_ERROR, stage->options->out, "not yet");
  return CSIM_INVALID;
}
