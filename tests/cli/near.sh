# Cloth that starts nearer than the contact distance slides as cloth does that starts above it: on a slope, on cloth, and without
# friction, where it is not thrown up. It rested on the first triangles, as the next ones kept it at the whole distance.
. "$ROOT/tests/cli/kit"
sheet='{"name": "sheet", "type": "cloth", "material": "cotton", "mesh": {"shape": "grid", "size": [0.3, 0.3], "cells": [6, 6]}'
box='{"name": "box", "type": "collider", "position": [3, -0.05, 0], "mesh": {"shape": "box", "size": [7, 0.1, 1], "cells": [70, 1, 10]}}'
cloth='{"name": "under", "type": "cloth", "material": "cotton", "position": [1, 0, 0], "mesh": {"shape": "grid", "size": [3.2, 0.6], "cells": [64, 12]}, "pins": [{"vertices": "all"}]}'
middle() { # OBJ: mean of its vertices
  awk '$1 == "v" { x += $2; y += $3; n++ } END { print x / n, y / n }' "$1"
}
# NAME DEGREES GAP FRICTION SPEED UNDER: for a second, with gravity as on a slope of so many degrees; the closed form is way = v t + a t^2 / 2
slides() {
  local g
  g=$(awk "BEGIN { t = $2 * atan2(0, -1) / 180; printf \"%.9g, %.9g, 0\", 9.81 * sin(t), -9.81 * cos(t) }")
  cat >"$1.json" <<END
{"frames": {"end": 25}, "gravity": [$g], "wind": {"density": 0}, "contact": {"friction": $4}, "objects": [
  $sheet, "position": [0, $3, 0], "velocity": [$5, 0, 0]},
  $6]}
END
  expect 0 "$clothsim" "$1.json" -q -o "$1" --verify-substeps
  set -- "$@" $(middle "$1/sheet_0025.obj")
  check "$1: went $7 m in a second, to a height of $8 m" awk "BEGIN { t = $2 * atan2(0, -1) / 180
    free = $5 + 0.5 * 9.81 * (sin(t) - $4 * cos(t)); exit !($7 > 0.95 * free && $7 < 1.05 * free && $8 > 0 && $8 < $3 + 0.002) }"
}
slides steep 40 0.0005 0.3 0 "$box"
slides slope 25 0.001 0.3 0 "$box"
slides layers 30 0.001 0.3 0 "$cloth"
slides glides 0 0.0005 0 3 "$box"
report
