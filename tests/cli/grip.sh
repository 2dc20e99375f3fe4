# Two jaws that close on a hanging cloth, by motions that overlap, and carry it through the air: they are late by little more than what they
# overlap, and the cloth goes with them. They stayed where they first touched it, 42 cm late.
. "$ROOT/tests/cli/kit"
jaw() { # NAME X WAY
  echo "{\"name\": \"$1\", \"type\": \"collider\", \"position\": [$2, 0.1, 0], \"mesh\": {\"shape\": \"box\", \"size\": [0.05, 0.05, 0.05], \"cells\": [2, 2, 2]},
   \"motion\": {\"keys\": [{\"frame\": 1}, {\"frame\": 15, \"position\": [$3, 0, 0]}, {\"frame\": 27, \"position\": [$3, 0.3, 0]},
     {\"frame\": 39, \"position\": [$3, 0.3, 0.3]}, {\"frame\": 51, \"position\": [$3, 0.3, -0.2]}, {\"frame\": 59, \"position\": [0, 0.3, -0.2]}]}}"
}
cat >grip.json <<END
{"frames": {"end": 59}, "contact": {"friction": 0.8}, "objects": [
  {"name": "rag", "type": "cloth", "material": "cotton", "rotation": [0, 0, 90], "position": [0, 0.2, 0],
   "mesh": {"shape": "grid", "size": [0.3, 0.3], "cells": [22, 22]}, "pins": [{"nearest": [0, 0.35, 0], "to": 15}]},
  $(jaw left -0.115 0.091), $(jaw right 0.115 -0.091)]}
END
expect 0 "$clothsim" grip.json -q -o grip --verify-substeps
late=$("$LOOK" get grip/run.json worst lag value)
check "late by $late m" awk "BEGIN { exit !($late > 0.0005 && $late < 0.01) }"
equal "$("$LOOK" get grip/run.json crossing_substeps)" 0 "substeps with intersections"
unconverged=$("$LOOK" get grip/run.json unconverged_substeps)
check "$unconverged of 290 substeps do not converge" [ "$unconverged" -le 6 ]

# The vertices that start between the jaws go with them, and nothing holds them once these are open: they fall, or swing, or go
# aside with a jaw that the cloth lies on.
mean() { # FRAME COLUMN
  awk -v at="$2" '$1 == "v" && NR == FNR && $3 > 0.09 && $3 < 0.11 && $4 * $4 < 1e-3 { grip[FNR] = 1 }
    $1 == "v" && NR != FNR && grip[FNR] { sum += $at; n++ } END { print sum / n }' grip/rag_0001.obj "grip/rag_$1.obj"
}
up=$(mean 0051 3) along=$(mean 0051 4)
gone=$(for at in 2 3 4; do echo "$(mean 0051 $at) $(mean 0059 $at)"; done | awk '{ sum += ($2 - $1)^2 } END { print sqrt(sum) }')
check "carried up to $up m" awk "BEGIN { exit !($up > 0.36 && $up < 0.44) }"
check "carried along to $along m" awk "BEGIN { exit !($along > -0.24 && $along < -0.16) }"
check "let go, $gone m away" awk "BEGIN { exit !($gone > 0.005) }"

# How far colliders are beside their motion is part of the state.
for frame in 16 30 40; do expect 0 "$clothsim" grip.json -q -o parts -e $frame --resume --checkpoint-every 1; done
for frame in 16 30 40; do check "a resumed run, frame $frame" cmp parts/rag_00$frame.obj grip/rag_00$frame.obj; done
report
