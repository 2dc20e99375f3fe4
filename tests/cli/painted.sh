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
check "colours of an OBJ" cmp painted/cloth_0006.obj obj/cloth_0006.obj
# bytes are shares of 255, and rounded: nearly the same
expect 0 "$clothsim" cloth.json -q -o bytes --set cloth.maps.0.property=red
check "colours of a PLY" awk 'BEGIN { most = 0 } $1 != "v" { next } FNR == NR { y[++n] = $3; next } { d = $3 - y[++m]; if (d < 0) d = -d; if (d > most) most = d }
  END { exit !(n == 81 && most < 1e-3) }' painted/cloth_0006.obj bytes/cloth_0006.obj
# exact pins: what is painted above 0
expect 0 "$clothsim" cloth.json --check --set cloth.pins.0.stiffness=0
check "18 pins" grep -q "(18 pinned)" stdout
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
