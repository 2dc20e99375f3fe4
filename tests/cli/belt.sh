# A cloth lies on a belt that starts at 2 m/s: friction takes it along at mu g until it is as fast. Triangles of the belt that slide
# past under its vertices must not push them: 103 of 150 substeps were then taken in parts, and 10 did not converge.
. "$ROOT/tests/cli/kit"
cat >belt.json <<'EOF'
{"frames": {"end": 31}, "wind": {"density": 0}, "objects": [
  {"name": "cloth", "type": "cloth", "material": "cotton", "friction": 0.25, "position": [0, 0.0105, 0],
   "mesh": {"shape": "grid", "size": [0.3, 0.3], "cells": [12, 12]}},
  {"name": "belt", "type": "collider", "friction": 0.25, "position": [2, 0, 0],
   "mesh": {"shape": "box", "size": [6, 0.02, 0.6], "cells": [120, 1, 12]},
   "motion": [{"frame": 1}, {"frame": 49, "position": [4, 0, 0]}]}]}
EOF
expect 0 "$clothsim" belt.json -q -o belt
middle() { awk '$1 == "v" { sum += $2; n++ } END { print sum / n }' "$1"; }
way=$(awk -v a="$(middle belt/cloth_0001.obj)" -v b="$(middle belt/cloth_0031.obj)" 'BEGIN { print b - a }')
# t = 30/24 s at v = 2 m/s, less v^2 / (2 mu g)
check "the cloth goes as far as friction takes it: $way m" awk -v way="$way" 'BEGIN { asked = 2 * 30 / 24 - 4 / (2 * 0.25 * 9.81); exit !(way > 0.99 * asked && way < 1.02 * asked) }'
equal "$("$LOOK" get belt/run.json unconverged_substeps)" 0 "substeps without convergence on a belt"
equal "$("$LOOK" get belt/run.json halved_substeps)" 0 "substeps in parts on a belt"
report
