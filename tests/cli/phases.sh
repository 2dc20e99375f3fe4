# Phases of a scene, and runs that end at rest: resumed at every frame, they leave the same bytes.
. "$ROOT/tests/cli/kit"
cat >ph.json <<'END'
{
  "name": "ph", "frames": {"end": 99, "substeps": 3},
  "objects": [
    {"name": "sheet", "type": "cloth", "material": {"preset": "cotton", "damping": 20}, "position": [0, 0.11, 0],
     "mesh": {"shape": "grid", "size": [0.3, 0.3], "cells": [8, 8]}},
    {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.1}, "friction": 1}
  ],
  "phases": [
    {"name": "hold", "frames": {"end": 4}, "gravity": [0, 0, 0], "objects": [{"name": "sheet", "pins": [{"vertices": [0]}]}]},
    {"name": "drape", "frames": {"end": 50, "until": "rest", "rest_speed": 0.2, "substeps": 4}},
    {"name": "blow", "frames": {"end": 54}, "quality": "draft", "contact": {"thickness": 0.002}, "wind": {"velocity": [1, 0, 0]}},
    {"name": "rest", "frames": {"until": "rest", "rest_speed": "0.3 m/s"}}
  ]
}
END
expect 0 "$clothsim" ph.json -v -o a -j 1
check "begins after its end" grep -q 'frame 5: phase "drape" begins$' stderr
check "begins after rest" grep -q 'phase "blow" begins: everything is at rest$' stderr
last=$(sed -n 's/.*"last_frame": \([0-9]*\),/\1/p' a/run.json)
check "ends at rest, at frame $last" sh -c "grep -q '\"at_rest\": true' a/run.json && grep -q 'at rest after frame $last' a/run.json && [ $last -lt 99 ]"
expect 0 "$clothsim" ph.json -o a --resume
says "nothing to do"
expect 0 "$clothsim" ph.json -q -o a --resume -e 120
check "at rest, there is nothing after it" sh -c "! ls a/sheet_*$((last + 1)).obj 2>/dev/null"
expect 0 "$clothsim" ph.json -q -o a -j 1 --overwrite
i=0
until "$clothsim" ph.json -q -o b --resume --checkpoint-every 1 --max-time $(awk "BEGIN { print 0.03 + 0.01 * $i }") -j $((i % 3 + 1)); do
  i=$((i + 1))
  [ $i -lt 400 ] || break
done
check "stopped $i times in all phases" test $i -gt 3
check "the same bytes" diff -r a b
expect 0 "$clothsim" ph.json -q -o c -e 20
check "the end of the run counts" sh -c 'grep -q "\"last_frame\": 20," c/run.json'
expect 0 "$clothsim" ph.json --print-config
cp stdout resolved.json
expect 0 "$clothsim" resolved.json --print-config
check "the resolved scene resolves to itself" cmp resolved.json stdout
# also where a phase has another material: a preset by name instead of one of its own, and the other way round
for pair in '{"preset":"cotton","damping":20} "silk"' '"silk" {"preset":"denim"}' '"silk" "wool"'; do
  expect 0 "$clothsim" ph.json --print-config --set "sheet.material=${pair% *}" --set "phases.blow.objects=[{\"name\":\"sheet\",\"material\":${pair#* }}]"
  cp stdout resolved.json
  expect 0 "$clothsim" resolved.json --print-config
  check "$pair resolves to itself" cmp resolved.json stdout
done
# constants over a material by name: of a preset, of the scene's own, and of one that names a preset; elsewhere they stay
cat >constants.json <<'END'
{
  "frames": {"end": 3}, "materials": {"own": {"density": 0.3, "stretch": 100, "bend": 1e-5}, "lining": "silk"},
  "phases": [
    {"name": "one", "frames": {"end": 2}, "materials": {"lining": {"bend": "2x"}}, "objects": [{"name": "a", "material": {"density": 0.5}}]},
    {"name": "two", "objects": [{"name": "b", "material": {"density": 0.4}}, {"name": "a", "material": {"preset": "denim"}}]}
  ],
  "objects": [
    {"name": "a", "type": "cloth", "material": "cotton", "mesh": {"shape": "grid", "cells": [2, 2]}},
    {"name": "b", "type": "cloth", "material": "own", "mesh": {"shape": "grid", "cells": [2, 2]}, "position": [0, 1, 0]},
    {"name": "c", "type": "cloth", "material": "lining", "mesh": {"shape": "grid", "cells": [2, 2]}, "position": [0, 2, 0]}
  ]
}
END
expect 0 "$clothsim" constants.json --print-config
check "materials of phases" python3 - <<'END'
import json
scene = json.load(open("stdout"))
def of(part):
    return [tuple(part["materials"][o["material"]][k] for k in ("density", "stretch", "bend")) for o in part["objects"]]
want = [(0.2, 1500, 2.1e-5), (0.3, 100, 1e-5), (0.061, 400, 1.4e-6)]
assert of(scene) == want, of(scene)
one, two = scene["phases"]
assert of(one) == [(0.5, *want[0][1:]), want[1], (*want[2][:2], 2.8e-6)], of(one)
assert of(two) == [(0.324, 4000, 5.9e-5), (0.4, *want[1][1:]), want[2]], of(two)
END
# At rest: for a quarter of a second no faster than rest_speed on average. A cloth that flies at v exp(-c t) is so after the frame
# that the sum of its frames gives, and one that flies on just above the limit never is.
cat >fly.json <<'END'
{"name": "fly", "frames": {"end": 60, "until": "rest"}, "gravity": [0, 0, 0], "wind": {"density": 0}, "output": {"obj": false},
 "objects": [{"name": "a", "type": "cloth", "material": {"preset": "cotton", "damping": 0}, "mesh": {"shape": "grid", "cells": [3, 3]}}]}
END
for case in "1 4 28" "0.0199 0 7" "0.021 0 60"; do
  read -r v c frame <<<"$case"
  expect 0 "$clothsim" fly.json -o fly --overwrite --set "a.velocity=[$v,0,0]" --set "a.material={\"preset\":\"cotton\",\"damping\":$c}"
  check "$v m/s, damped by $c a second: rests after frame $frame" grep -q "\"last_frame\": $frame," fly/run.json
done
# from the cache: only where the frames of all phases are known
expect 0 "$clothsim" ph.json -q -o e -e 20 --set phases.drape.frames.until=null --set phases.drape.frames.end=9 --set phases.blow.frames.end=14
expect 0 "$clothsim" ph.json -v -o e -e 22 --set phases.drape.frames.until=null --set phases.drape.frames.end=9 --set phases.blow.frames.end=14 --resume-from 12 --from-cache
check "goes on in the phase of the frame" grep -q 'frame 13: phase "blow" begins' stderr
expect 0 "$clothsim" ph.json -q -o f -e 20
expect 2 "$clothsim" ph.json -q -o f -e 22 --resume-from 12 --from-cache
says 'when phases end that wait for rest is not in it'
# another scene for the rest of a run: phases that are no longer there
expect 0 "$clothsim" ph.json -q -o g -e 20 --keep-checkpoints --checkpoint-every 1
expect 0 "$clothsim" ph.json -q -o g -e 22 --set phases=null --resume-from 12 --allow-changes
wrong() { # SETTING TEXT
  expect 2 "$clothsim" ph.json -q --check --set "$1"
  says "$2"
}
wrong phases.hold.units.up=z '"units" is for all phases'
wrong phases.drape.frames.end=3 'a phase cannot end at frame 3: the one before it ends at frame 4'
wrong phases.hold.frames.end=1 'a phase cannot end at frame 1: the run begins with frame 1'
wrong phases.drape.frames.end=null 'a phase needs "frames": {"end"'
wrong phases.hold.frames.fps=25 '"start" and "fps" are for all phases'
wrong 'phases.hold.objects=[{"name":"box","type":"collider","mesh":{"shape":"box"}}]' 'a phase has the objects of the scene'
wrong phases.blow.contact.response=none '"response" is for all phases'
wrong phases.blow.gravty=1 'did you mean "gravity"?'
wrong 'phases=[{"frames":{"end":3}}]' 'expected a phase { } with a "name"'
wrong phases=3 'expected a list of phases'
wrong phases.rest.frames.end=54 'a phase cannot end at frame 54: the one before it ends at frame 54'
wrong 'phases.hold.objects=[{"name":"shet","pins":[]}]' 'there is no "shet" in it'
expect 2 "$clothsim" ph.json -q -o d --set 'phases.hold.objects=[{"name":"sheet","mesh":{"shape":"grid","size":[0.3,0.3],"cells":[9,8]}}]'
says 'numbers of vertices have to stay'
# what colliders have released stays so in a phase with another contact distance
cat >kept.json <<'J'
{"name": "kept", "frames": {"start": 1, "end": 9, "fps": 24}, "contact": {"pinched": "ignore", "thickness": 0.001}, "phases": [{"name": "one", "frames": {"end": 7}}, {"name": "two", "frames": {"end": 9}, "contact": {"thickness": 0.004}}], "output": {"obj": false},
 "objects": [
  {"name": "c", "type": "cloth", "material": "cotton", "rotation": [90, 0, 0], "mesh": {"shape": "grid", "size": [0.8, 0.8], "cells": [12, 12]}, "pins": [{"nearest": [[-0.4, 0.4, 0], [0.4, 0.4, 0]], "motion": [{"frame": 1}, {"frame": 15, "position": [0.1, 0, 0]}, {"frame": 30}]}]},
  {"name": "a", "type": "collider", "position": [0, 0, -0.3], "mesh": {"shape": "sphere", "radius": 0.15, "cells": [10, 8]}, "motion": [{"frame": 1}, {"frame": 5, "position": [0, 0, 0.35]}, {"frame": 8, "position": [0, 0, 0.35], "rotation": [0, 0, 90]}, {"frame": 10}]},
  {"name": "b", "type": "collider", "position": [0.03, 0.02, 0.3], "mesh": {"shape": "capsule", "radius": 0.15, "height": 0.1, "cells": [14, 3, 5]}, "motion": [{"frame": 1}, {"frame": 6, "position": [0, 0, -0.2], "rotation": [20, 0, 0]}, {"frame": 14, "position": [0, 0, -0.2]}, {"frame": 22}]},
  {"name": "p1", "type": "cloth", "material": "silk", "position": [2, 0, 0], "mesh": {"shape": "grid", "size": [0.1, 0.1], "cells": [2, 2]}, "pins": [{"vertices": [0]}]},
  {"name": "p2", "type": "cloth", "material": "silk", "position": [2, 0.002, 0], "mesh": {"shape": "grid", "size": [0.1, 0.1], "cells": [2, 2]}, "pins": [{"vertices": [0]}]}]}
J
expect 0 "$clothsim" kept.json -q -o kept --verify-substeps
check "vertices are released when the phase begins" grep -q '"first_frame": [1-6], "frames": [3-9]' kept/run.json
# a phase may place objects elsewhere: the files of a resumed run are compared with the first phase
cat >placed.json <<'J'
{"name": "placed", "frames": {"end": 8}, "phases": [{"name": "one", "frames": {"end": 3}},
  {"name": "two", "frames": {"end": 8}, "objects": [{"name": "c", "position": [0, 1, 0], "rest": {"from": "uv", "scale": 0.55}}]}],
 "objects": [{"name": "c", "type": "cloth", "material": "cotton", "mesh": {"shape": "grid", "size": [0.5, 0.5], "cells": [5, 5]}, "pins": [{"vertices": [0]}]}]}
J
expect 0 "$clothsim" placed.json -q -o placed
for end in 2 4 6; do expect 0 "$clothsim" placed.json -q -o placed-r --resume -e $end; done
expect 0 "$clothsim" placed.json -q -o placed-r --resume
check "resumed in a phase with other places" diff -r placed placed-r
report
