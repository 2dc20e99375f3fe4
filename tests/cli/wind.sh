# Wind on cloth that is held: springs carry the whole force of it, 1/2 rho A c w^2, at any length of a substep.
. "$ROOT/tests/cli/kit"
cat >sail.json <<'END'
{
  "name": "sail", "frames": {"end": 100}, "gravity": [0, 0, 0],
  "objects": [{"name": "sail", "type": "cloth", "material": {"preset": "silk", "damping": 3, "drag": 1.2},
               "mesh": {"shape": "grid", "size": [0.5, 0.4], "cells": [8, 7]}, "pins": [{"vertices": "all", "stiffness": 300}]}]
}
END
for wind in 3 6.3 15; do
  for substeps in 2 5 20; do
    expect 0 "$clothsim" sail.json -q -o sail --overwrite --set "wind.velocity=[0,$wind,0]" --set frames.substeps=$substeps
    force=$(awk '$1 == "v" { s += 300 * $3 } END { print s }' sail/sail_0100.obj)
    whole=$(awk "BEGIN { print 0.5 * 1.2 * 0.2 * 1.2 * $wind ^ 2 }")
    check "$wind m/s, $substeps substeps: $force N of $whole" awk "BEGIN { exit !($force / $whole > 0.98 && $force / $whole < 1.02) }"
  done
done
report
