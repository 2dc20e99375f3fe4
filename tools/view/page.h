// view/page.h: a stage as one HTML file with everything in it. Needs film.h.
#ifndef VIEW_PAGE_H
#define VIEW_PAGE_H

#include "film.h"

/// Writes the page. CSIM_INVALID when this clothview was built without the viewer (`make view`), or
/// when the page cannot be made small enough.
/// @param other  stage of the second run, NULL = none
csim_status view_page_write(const view_stage *stage, const view_stage *other, csim_log *log,
                            view_written *written);

#endif
