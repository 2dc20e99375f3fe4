# What is painted on a mesh: properties of PLY and colours of OBJ as weights of maps and pins.
. "$ROOT/tests/cli/kit"
# a sheet of 9 x 9 vertices: "soft" from 0 to 1 along x, "held" on the first row and half as much on its neighbour
sheet() { # FORMAT: ply or obj
  awk -v format="$1" 'BEGIN {
    n = 9
    if (format == "ply") {
      print "ply\nformat ascii 1.0\nelement vertex 81\nproperty float x\nproperty uchar red\nproperty float y\nproperty float z"
      print "property float soft\nproperty double held\nproperty list uchar int ignored\nelement face 64\nproperty list uchar int vertex_indices\nend_header"
    }
    for (j = 0; j < n; j++) for (i = 0; i < n; i++) {
      held = j == 0 ? 1 : j == 1 ? 0.5 : 0
      if (format == "ply") print i / 8, int(255 * i / 8 + 0.5), 0, j / 8, i / 8, held, "2 7 8"
      else print "v", i / 8, 0, j / 8, i / 8, held, 0.25
    }
    for (j = 0; j + 1 < n; j++) for (i = 0; i + 1 < n; i++) {
      v = n * j + i
      if (format == "ply") print 4, v, v + n, v + n + 1, v + 1
      else print "f", v + 1, v + n + 1, v + n + 2, v + 2
    }
  }'
}
sheet ply >sheet.ply
sheet obj >sheet.obj
cat >cloth.json <<'END'
{"name": "painted", "frames": {"end": 6, "substeps": 4}, "contact": {"response": "none"}, "output": {"cache": false},
 "objects": [{"name": "cloth", "type": "cloth", "mesh": {"file": "sheet.ply"}, "material": "cotton-poplin",
  "membrane": {"law": "orthotropic", "warp": "x"}, "springs": {"bending": "curvature"},
  "maps": [{"of": "stretch", "property": "soft", "low": 0.2, "high": 3}],
  "pins": [{"property": "held", "stiffness": 40}]}]}
END
soft=$(awk 'BEGIN { for (k = 0; k < 81; k++) printf "%s%.9g", k ? "," : "", (k % 9) / 8 }')
first=$(seq -s, 0 8) second=$(seq -s, 9 17)
listed='[{"of":"stretch","vertices":['$soft'],"low":0.2,"high":3}]'
pins="[{\"vertices\":[$first],\"stiffness\":40},{\"vertices\":[$second],\"stiffness\":20}]"
expect 0 "$clothsim" cloth.json -q -o painted
expect 0 "$clothsim" cloth.json -q -o listed --set "cloth.maps=$listed" --set "cloth.pins=$pins"
check "a property is a list of weights" cmp painted/cloth_0006.obj listed/cloth_0006.obj
expect 0 "$clothsim" cloth.json -q -o plain --set 'cloth.maps=[]'
check "it makes a difference" sh -c '! cmp -s painted/cloth_0006.obj plain/cloth_0006.obj'
expect 0 "$clothsim" cloth.json -q -o obj --set cloth.mesh.file=sheet.obj --set cloth.maps.0.property=red --set cloth.pins.0.property=green
sed -i 's/^\(v [^ ]* [^ ]* [^ ]*\) .*/\1/' obj/cloth_0006.obj # its colours go through
check "colours of an OBJ" cmp painted/cloth_0006.obj obj/cloth_0006.obj
# bytes are shares of 255, and rounded: nearly the same
expect 0 "$clothsim" cloth.json -q -o bytes --set cloth.maps.0.property=red
check "colours of a PLY" awk 'BEGIN { most = 0 } $1 != "v" { next } FNR == NR { y[++n] = $3; next } { d = $3 - y[++m]; if (d < 0) d = -d; if (d > most) most = d }
  END { exit !(n == 81 && most < 1e-3) }' painted/cloth_0006.obj bytes/cloth_0006.obj
# exact pins: what is painted above 0
expect 0 "$clothsim" cloth.json --check --set cloth.pins.0.stiffness=0
check "18 pins" grep -q "(18 pinned)" stdout
# friction, drag, damping and thickness from place to place: a factor everywhere is that of the key itself
cat >slide.json <<'END'
{"name": "slide", "frames": {"end": 8}, "contact": {"thickness": 0.002}, "output": {"cache": false},
 "objects": [
  {"name": "cloth", "type": "cloth", "mesh": {"shape": "grid", "size": [0.4, 0.4], "cells": [8, 8]},
   "position": [0, 0.003, 0], "velocity": [2, 0, 0], "friction": 0.5, "material": {"preset": "cotton", "damping": 2, "drag": 2}},
  {"name": "board", "type": "collider", "friction": 1, "mesh": {"shape": "box", "size": [4, 0.1, 1]}, "position": [1, -0.05, 0]}]}
END
ones=$(awk 'BEGIN { for (k = 0; k < 81; k++) printf "%s1", k ? "," : "" }')
for what in friction:0.25:0.125:cloth.friction damping:0.5:1:cloth.material.damping drag:0.25:0.5:cloth.material.drag \
  thickness:0.5:0.001:contact.thickness; do
  IFS=: read -r of factor value key <<<"$what"
  expect 0 "$clothsim" slide.json -q -o "$of-map" --set "cloth.maps=[{\"of\":\"$of\",\"vertices\":[$ones],\"low\":0.01,\"high\":$factor}]"
  expect 0 "$clothsim" slide.json -q -o "$of-key" --set "$key=$value"
  check "a map of $of" cmp "$of-map/cloth_0008.obj" "$of-key/cloth_0008.obj"
  expect 0 "$clothsim" slide.json -q -o "$of-none"
  check "which makes a difference" sh -c "! cmp -s $of-map/cloth_0008.obj $of-none/cloth_0008.obj"
done
# with none on one side and much on the other it turns while it slides, towards the rough side, with every response
half=$(awk 'BEGIN { for (k = 0; k < 81; k++) printf "%s%d", k ? "," : "", (int(k / 9) > 4) }')
for response in filter impact-zones; do
  expect 0 "$clothsim" slide.json -q -o "turn-$response" --set contact.response=$response \
    --set "cloth.maps=[{\"of\":\"friction\",\"vertices\":[$half]}]"
  check "it turns with $response" awk '$1 == "v" { n++; if (n <= 9) smooth += $2 / 9; if (n > 72) rough += $2 / 9 } END { exit !(n == 81 && smooth > rough + 0.01) }' \
    "turn-$response/cloth_0008.obj"
done
# a thick half rests higher than a thin one, on a mesh and on a plane; thickness is 2 mm times 0.5 and 2
cat >thick.json <<END
{"name": "thick", "frames": {"end": 16}, "contact": {"thickness": 0.002}, "output": {"cache": false},
 "objects": [
  {"name": "cloth", "type": "cloth", "mesh": {"shape": "grid", "size": [0.4, 0.4], "cells": [8, 8]},
   "position": [0, 0.005, 0], "material": {"preset": "cotton", "damping": 10}, "maps": [{"of": "thickness", "vertices": [$half], "low": 0.5, "high": 2}]},
  {"name": "board", "type": "collider", "mesh": {"shape": "plane"}}]}
END
for mesh in '{"shape":"plane"}' '{"shape":"box","size":[4,1e-6,1]}'; do
  expect 0 "$clothsim" thick.json -q --overwrite -o thick --set "board.mesh=$mesh"
  check "thick and thin on $mesh" awk '$1 == "v" { n++; if (n <= 27) thin += $3 / 27; if (n > 54) thick += $3 / 27 }
    END { exit !(n == 81 && thin > 0.0005 && thin < 0.001 && thick > 0.002 && thick < 0.004) }' thick/cloth_0016.obj
done
expect 2 "$clothsim" thick.json --check --set contact.response=impulse
says 'needs the contact response "filter"'
expect 2 "$clothsim" thick.json --check --set cloth.maps.0.low=0
says 'it must be 0.01 to 100'
# what is wrong
expect 2 "$clothsim" cloth.json --check --set cloth.maps.0.property=stiff
says 'has no numbers "stiff" for its vertices; it has "red", "soft", "held"'
expect 2 "$clothsim" cloth.json --check --set cloth.pins.0.property=stiff
says 'no numbers "stiff"'
expect 2 "$clothsim" cloth.json --check --set 'cloth.maps.0.faces=[1]'
says 'takes its weights from one of'
sed '16s/ 0.25 1 / oops 1 /' sheet.ply >bad.ply # a word where a number is painted is no number
expect 2 "$clothsim" cloth.json --check --set cloth.mesh.file=bad.ply
says 'the factor at face'
sed '3s/ [^ ]* [^ ]* [^ ]*$//' sheet.obj >half.obj # one vertex without a colour: none has any
expect 2 "$clothsim" cloth.json --check --set cloth.mesh.file=half.obj --set cloth.maps.0.property=red
says 'it has none'
report
