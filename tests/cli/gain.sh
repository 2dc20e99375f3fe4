# Substeps that end where an iteration gains little (gain_tolerance) come to the same rest as those that are solved well, in fewer
# iterations, and count as converged.
. "$ROOT/tests/cli/kit"
cat >hang.json <<'END'
{"frames": {"end": 150, "substeps": 1, "until": "rest", "rest_speed": 0.002}, "solver": {"start": "rest", "balance": 0, "step_tolerance": 1e-7},
 "output": {"obj": false}, "objects": [
  {"name": "sheet", "type": "cloth", "material": {"preset": "cotton", "damping": 10}, "rotation": [30, 0, 0], "pins": [{"vertices": [0, 16]}],
   "mesh": {"shape": "grid", "size": [0.6, 0.6], "cells": [16, 16]}}]}
END
expect 0 "$clothsim" hang.json -q -o well
expect 0 "$clothsim" hang.json -q -o soon --set solver.gain_tolerance=0.05
equal "$("$LOOK" get soon/run.json at_rest) $("$LOOK" get soon/run.json unconverged_substeps)" "true 0" "at rest, all substeps converged"
needs_numpy
found=$(PYTHONPATH="$ROOT/tools" "$python" - <<'END'
import clothcache
well, soon = (clothcache.Cache(f"{name}/hang.clothcache") for name in ("well", "soon"))
def work(cache):
    return sum(cache.stats(f)["iterations"] for f in range(len(cache.offsets)))
def height(cache):
    return float(cache.positions("sheet", len(cache.offsets) - 1)[:, 1].mean())
print(work(well), work(soon), height(well), height(soon), flush=True)
END
)
check "fewer iterations, heights within 1 mm: $found" awk -v found="$found" 'BEGIN {
  split(found, a, " "); d = a[3] - a[4]; exit !(a[2] < 0.8 * a[1] && d * d < 0.001 * 0.001) }'
report
