# Two plates that close on a sheet and part again are on time in every frame, where there is room between them. Where there is none
# they stop before the sheet, and part with their motion, also one that passes their place within a substep.
. "$ROOT/tests/cli/kit"
plates() { # WAY CLOSED OPEN: each goes WAY m until CLOSED s, stays for 0.2 s, and is back at OPEN s
  plate() { # NAME SIGN
    echo "{\"name\": \"$1\", \"type\": \"collider\", \"position\": [${2}0.125, 0, 0],
     \"mesh\": {\"shape\": \"box\", \"size\": [0.05, 0.4, 0.4], \"cells\": [1, 2, 2]}, \"motion\": [{\"time\": 0}, {\"time\": $3, \"position\": [$4, 0, 0]},
      {\"time\": $(awk "BEGIN { print $3 + 0.2 }"), \"position\": [$4, 0, 0]}, {\"time\": $5}]}"
  }
  echo "{\"frames\": {\"end\": 13}, \"output\": {\"obj\": false}, \"objects\": [
    {\"name\": \"sheet\", \"type\": \"cloth\", \"material\": \"cotton\", \"rotation\": [0, 0, 90],
     \"mesh\": {\"shape\": \"grid\", \"size\": [0.2, 0.2], \"cells\": [4, 4]}},
    $(plate left - $2 $1 $3), $(plate right "" $2 -$1 $3)]}"
}
lag() { "$LOOK" get "$1/run.json" worst lag value; }
for closed in 0.0931 0.09775 0.0995; do
  plates 0.09775 $closed 0.346625 >room.json
  expect 0 "$clothsim" room.json -q -o room$closed --verify-substeps
  equal "$(lag room$closed)" 0 "lag of plates that leave 4.5 mm, closed at $closed s"
done
# the floor of contact alone is 1 mm for both sides
plates 0.1 0.1 0.33 >none.json
expect 0 "$clothsim" none.json -q -o none --verify-substeps
late=$("${PYTHON:-python3}" -c 'import json; r = json.load(open("none/run.json")); print(0.0004 < r["worst"]["lag"]["value"] < 0.0006, r["crossing_substeps"])')
equal "$late" "True 0" "plates that have no room, and part"

# a sheet on which nothing acts until a plate pushes it: what its forces are is rounding, and steps are converged
cat >push.json <<'END'
{"frames": {"end": 13}, "gravity": [0, 0, 0], "wind": {"density": 0}, "output": {"obj": false}, "objects": [
  {"name": "sheet", "type": "cloth", "material": "cotton", "rotation": [0, 0, 90], "position": [0.1, 0, 0],
   "mesh": {"shape": "grid", "size": [0.6, 0.6], "cells": [20, 20]}},
  {"name": "plate", "type": "collider", "mesh": {"shape": "box", "size": [0.02, 1, 1], "cells": [1, 4, 4]},
   "motion": [{"frame": 1}, {"frame": 13, "position": [0.25, 0, 0]}]}]}
END
expect 0 "$clothsim" push.json -q -o push
equal "$("$LOOK" get push/run.json unconverged_substeps)" 0 "substeps without convergence where nothing acts"

# a sheet without friction, squeezed by two plates to a gap of 2 mm, which is less than both contact distances. The gradient of
# contact has to be that of its energy: with shares of pairs that changed from one iteration to the next 37 of 145 substeps did not
# converge, in eleven times the iterations
cat >squeeze.json <<'END'
{"frames": {"start": 1, "end": 30}, "contact": {"friction": 0}, "output": {"obj": false}, "objects": [
  {"name": "sheet", "type": "cloth", "material": "cotton", "position": [0, 0.012, 0],
   "mesh": {"shape": "grid", "size": [0.6, 0.6], "cells": [14, 14]}},
  {"name": "upper", "type": "collider", "position": [0, 0.125, 0], "mesh": {"shape": "box", "size": [0.4, 0.05, 0.4], "cells": [8, 1, 8]},
   "motion": [{"frame": 1}, {"frame": 21, "position": [0, -0.098, 0]}]},
  {"name": "lower", "type": "collider", "position": [0, -0.025, 0], "mesh": {"shape": "box", "size": [0.4, 0.05, 0.4], "cells": [8, 1, 8]}}]}
END
expect 0 "$clothsim" squeeze.json -q -o squeeze --verify-substeps
found=$("${PYTHON:-python3}" -c 'import json; r = json.load(open("squeeze/run.json"))
print(r["unconverged_substeps"] <= 2, r["crossing_substeps"], r["worst"]["lag"]["value"] < 1e-4)')
equal "$found" "True 0 True" "substeps without convergence, crossings and lag of a squeezed sheet"
report
