# What is blocked holds nothing else back: a ball far from a press that closes too far is where its motion is
# in every frame. A ball was 71 cm late, as all that moves together made one share of its way.
. "$ROOT/tests/cli/kit"
plate() { # NAME Y WAY
  echo "{\"name\": \"$1\", \"type\": \"collider\", \"position\": [0, $2, 0], \"mesh\": {\"shape\": \"box\", \"size\": [0.3, 0.05, 0.3], \"cells\": [6, 1, 6]},
   \"motion\": [{\"frame\": 1}, {\"frame\": 8, \"position\": [0, $3, 0]}, {\"frame\": 16, \"position\": [0, $3, 0]}]}"
}
scene() { # OBJECTS
  cat <<END
{"frames": {"end": 16}, "gravity": [0, 0, 0], "output": {"colliders": true}, "objects": [
  {"name": "curtain", "type": "cloth", "material": "cotton", "rotation": [90, 0, 0], "position": [3, 0.5, 0],
   "mesh": {"shape": "grid", "size": [1, 1], "cells": [16, 16]}, "pins": [{"box": [[2, 0.99, -1], [4, 1.01, 1]]}]},
  {"name": "ball", "type": "collider", "position": [3, 0.5, -0.6], "mesh": {"shape": "sphere", "radius": 0.12},
   "motion": [{"frame": 1}, {"frame": 16, "position": [0, 0, 0.75]}]},
  $1]}
END
}
on_time() { # DIR: largest distance of the ball from its motion, 0.05 m a frame along z
  for frame in 02 05 08 11 14 16; do
    awk -v way="$(awk "BEGIN { print ($frame - 1) * 0.05 }")" '$1 == "v" && NR == FNR { x[FNR] = $2; y[FNR] = $3; z[FNR] = $4 + way }
      $1 == "v" && NR != FNR { d = ($2 - x[FNR])^2 + ($3 - y[FNR])^2 + ($4 - z[FNR])^2; if (d > most) most = d }
      END { print sqrt(most) }' "$1/ball_0001.obj" "$1/ball_00$frame.obj"
  done | sort -g | tail -1
}

# Plates that would overlap by 2 cm, with a sheet between them.
scene "{\"name\": \"sheet\", \"type\": \"cloth\", \"material\": \"cotton\", \"mesh\": {\"shape\": \"grid\", \"size\": [0.4, 0.4], \"cells\": [12, 12]}},
  $(plate upper 0.06 -0.055), $(plate lower -0.06 0.055)" >press.json
expect 0 "$clothsim" press.json -q -o press --verify-substeps
off=$(on_time press)
check "the ball is off by $off m" awk "BEGIN { exit !($off < 2e-6) }"
equal "$("$LOOK" get press/run.json crossing_substeps)" 0 "substeps with intersections"
late=$("$LOOK" get press/run.json worst lag value)
check "plates are late by $late m" awk "BEGIN { exit !($late > 0.01 && $late < 0.022) }"
report
