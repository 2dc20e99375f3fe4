# Creases in whole runs: paper that is folded stays folded, alike for any number of threads and resumed at any frame.
. "$ROOT/tests/cli/kit"
cat >paper.json <<'END'
{
  "name": "paper",
  "frames": {"end": 30, "substeps": 4},
  "gravity": [0, 0, 0], "wind": {"density": 0},
  "contact": {"response": "none"},
  "objects": [
    {"name": "sheet", "type": "cloth",
     "material": {"density": 0.08, "stretch": 3000, "bend": 3e-4, "yield_curvature": 20, "damping": 20},
     "springs": {"bending": "dihedral"},
     "mesh": {"shape": "grid", "size": [0.2, 0.04], "cells": [20, 4]},
     "pins": [{"box": [[-0.11, -1, -1], [-0.004, 1, 1]]},
              {"box": [[0.085, -1, -1], [0.11, 1, 1]], "to": 16,
               "motion": {"pivot": [0.005, 0, 0], "keys": [{"frame": 1}, {"frame": 15, "rotation": [0, 0, 150]}]}}]}
  ]
}
END
height() { awk '$1 == "v" && $3 > most { most = $3 } END { print int(1000 * most) }' "$1/sheet_0030.obj"; }
expect 0 "$clothsim" paper.json -q -o paper -j 1
expect 0 "$clothsim" paper.json -q -o elastic -j 1 --set sheet.material.yield_curvature=0
check "paper stays bent" [ "$(height paper)" -gt 40 ]
check "what is elastic springs back" [ "$(height elastic)" -lt 15 ]
expect 0 "$clothsim" paper.json -q -o paper-r -e 1 --checkpoint-every 1
for frame in $(seq 2 29); do
  expect 0 "$clothsim" paper.json -q -o paper-r -e $frame --resume --checkpoint-every 1 -j $((frame % 3 + 1))
done
expect 0 "$clothsim" paper.json -q -o paper-r --resume
check "resumed at every frame" diff -r paper paper-r
expect 0 "$clothsim" paper.json -q -o rate -j 1 --set sheet.material.yield_rate=0.2
check "what yields slowly stays less" [ "$(height rate)" -lt "$(height paper)" ]
# stretch: pulled by a tenth, a membrane keeps what is beyond its yield strain
pull='sheet.pins=[{"box":[[-0.11,-1,-1],[-0.09,1,1]]},{"box":[[0.09,-1,-1],[0.11,1,1]],"to":16,"motion":{"keys":[{"frame":1},{"frame":15,"position":[0.02,0,0]}]}}]'
length() { awk '$1 == "v" && $2 > most { most = $2 } END { print int(1e5 * (most + 0.1)) }' "$1/sheet_0030.obj"; }
for law in woven orthotropic; do
  ductile="--set sheet.material.yield_strain=0.02 --set sheet.membrane={\"law\":\"$law\"}"
  expect 0 "$clothsim" paper.json -q -o "$law" -j 1 --set "$pull" $ductile
  check "$law: 21.6 cm remain of 22" awk "BEGIN { exit !($(length $law) > 21450 && $(length $law) < 21750) }"
  expect 0 "$clothsim" paper.json -q -o "$law-r" -j 2 -e 12 --set "$pull" $ductile
  expect 0 "$clothsim" paper.json -q -o "$law-r" --resume --set "$pull" $ductile
  check "$law, resumed" diff -r "$law" "$law-r"
done
# solids of springs: a bar of clay pulled by a fifth keeps what is beyond, another springs back
cat >clay.json <<'END'
{"name": "clay", "frames": {"end": 30, "substeps": 4}, "gravity": [0, 0, 0], "wind": {"density": 0}, "contact": {"response": "none"}, "output": {"cache": false},
 "objects": [{"name": "sheet", "type": "solid", "mesh": {"shape": "box", "size": [0.2, 0.04, 0.04], "cells": [10, 2, 2]},
   "material": {"density": 1000, "modulus": 1e5, "damping": 20, "yield_strain": 0.03},
   "pins": [{"box": [[-0.11, -1, -1], [-0.09, 1, 1]]},
            {"box": [[0.09, -1, -1], [0.11, 1, 1]], "to": 16, "motion": {"keys": [{"frame": 1}, {"frame": 15, "position": [0.04, 0, 0]}]}}]}]}
END
expect 0 "$clothsim" clay.json -q -o clay -j 1
check "23.4 cm remain of 24" awk "BEGIN { exit !($(length clay) > 23100 && $(length clay) < 23600) }"
expect 0 "$clothsim" clay.json -q -o clay-r -j 2 -e 12
expect 0 "$clothsim" clay.json -q -o clay-r --resume
check "clay, resumed" diff -r clay clay-r
expect 0 "$clothsim" clay.json -q -o rubber -j 1 --set sheet.material.yield_strain=0
check "rubber springs back" awk "BEGIN { exit !($(length rubber) < 20100) }"
for method in pd pbd xpbd descent; do
  expect 0 "$clothsim" clay.json -q -o "c-$method" -e 3 --set solver.method=$method --set frames.substeps=40
done
expect 2 "$clothsim" clay.json --check --set sheet.elasticity=neo-hookean
says 'solids yield with elasticity "springs" only'
# every method takes creases, or says that it does not
for method in newton pd pbd xpbd descent; do
  expect 0 "$clothsim" paper.json -q -o "m-$method" -e 3 --set solver.method=$method --set frames.substeps=40
done
expect 0 "$clothsim" paper.json -q -o m-symplectic -e 2 --set solver.method=symplectic --set frames.substeps=1000
expect 2 "$clothsim" paper.json --check --set sheet.springs.bending=quadratic
says 'only bending "dihedral" yields'
expect 2 "$clothsim" paper.json --check --set sheet.material.yield_strain=0.1 --set sheet.membrane.law=none
says 'only membranes yield'
report
