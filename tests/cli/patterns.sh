# Sewing patterns: a tube of two panels with a dart, a gathered frill and a collar edge; sewn, held by a label, and what is wrong.
. "$ROOT/tests/cli/kit"
# a front and a back, 24 cm wide and 30 high, that stand 20 cm apart around a pole; the sides are curved a little.
# The front has a dart at its lower edge; a frill, a third longer than the front's upper edge, is gathered to it.
cat >tube.json <<'END'
{"pattern": {"panels": {
  "front": {"translation": [0, 0, 10], "rotation": [0, 0, 0],
    "vertices": [[-12, 0], [-1, 0], [0, 8], [1, 0], [12, 0], [12, 30], [-12, 30]],
    "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 4]},
      {"endpoints": [4, 5], "curvature": {"type": "quadratic", "params": [[0.5, -0.05]]}},
      {"endpoints": [5, 6]},
      {"endpoints": [6, 0], "curvature": {"type": "cubic", "params": [[0.3, -0.05], [0.7, -0.05]]}}]},
  "back": {"translation": [0, 0, -10], "rotation": [0, 180, 0],
    "vertices": [[-12, 0], [12, 0], [12, 30], [-12, 30]],
    "edges": [{"endpoints": [0, 1]},
      {"endpoints": [1, 2], "curvature": {"type": "cubic", "params": [[0.3, -0.05], [0.7, -0.05]]}},
      {"endpoints": [2, 3], "label": "collar"},
      {"endpoints": [3, 0], "curvature": {"type": "quadratic", "params": [[0.5, -0.05]]}}]},
  "frill": {"translation": [0, 32, 10], "rotation": [0, 0, 0],
    "vertices": [[-16, 0], [16, 0], [16, 5], [-16, 5]],
    "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]},
      {"endpoints": [2, 3], "curvature": {"type": "circle", "params": [40, 0, 1]}}, {"endpoints": [3, 0]}]}},
 "stitches": [
  [{"panel": "front", "edge": 4}, {"panel": "back", "edge": 3}],
  [{"panel": "front", "edge": 6}, {"panel": "back", "edge": 1}],
  [{"panel": "front", "edge": 1}, {"panel": "front", "edge": 2}],
  [{"panel": "frill", "edge": 0}, {"panel": "front", "edge": 5}]]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
cat >tube.scene.json <<'END'
{
  "name": "tube", "frames": {"end": 44, "substeps": 6},
  "gravity": [{"frame": 20, "value": [0, 0, 0]}, {"frame": 22, "value": [0, -9.81, 0]}],
  "contact": {"friction": 0.1},
  "objects": [
    {"name": "tube", "type": "cloth", "material": {"preset": "cotton", "damping": 2}, "position": [0, 0.5, 0],
     "mesh": {"pattern": "tube.json", "resolution": "2 cm", "closed": 18},
     "pins": [{"group": "collar", "stiffness": 50}]},
    {"name": "pole", "type": "collider", "mesh": {"shape": "cylinder", "radius": 0.05, "height": 1.5}, "position": [0, 0.6, 0]}
  ]
}
END
expect 0 "$clothsim" tube.scene.json -v -o out --verify-substeps
check "closed: $(grep -o 'largest gap is .*' stderr)" awk "BEGIN { exit !($(sed -n 's/.*largest gap is \([0-9.]*\) mm.*/\1/p' stderr) < 1.5) }"
expect 0 "$clothsim" --verify-contact out/tube.clothcache
check "panels are groups" grep -qx 'g frill' out/tube_0044.obj
check "texture coordinates are the pattern's" grep -q '^vt -0.16 0.05' out/tube_0044.obj
expect 0 "$clothsim" tube.scene.json -q -o again -j 3
check "threads" sh -c 'cmp out/tube_0044.obj again/tube_0044.obj'
# a pattern and a body need no more keys: a fabric, and phases that sew and drape, which -e and --set change
cat >plain.json <<'END'
{"objects": [
  {"name": "tube", "type": "cloth", "mesh": {"pattern": "tube.json"}, "position": [0, 0.5, 0]},
  {"name": "pole", "type": "collider", "mesh": {"shape": "cylinder", "radius": 0.05, "height": 1.5}, "position": [0, 0.6, 0]}
]}
END
expect 0 "$clothsim" plain.json -v -o plain -e 54 --set tube.mesh.resolution=0.02
says 'phase "drape" begins'
check "closed: $(grep -o 'largest gap is .*' stderr)" awk "BEGIN { exit !($(sed -n 's/.*largest gap is \([0-9.]*\) mm.*/\1/p' stderr) < 0.5) }"
expect 0 "$clothsim" --verify-contact plain/plain.clothcache
expect 0 "$clothsim" plain.json --print-config --set phases.sew.frames.end=50 --set phases.close.frames.end=56
check "changed phase" sh -c 'grep -q "\"end\": 50" stdout && grep -q "\"end\": 56" stdout && ! grep -q "\"end\": 40" stdout'
# it comes to rest on a cone
sed 's/"shape": "cylinder", "radius": 0.05, "height": 1.5/"shape": "cone", "radius": 0.12, "height": 0.8/' plain.json >cone.json
expect 0 "$clothsim" cone.json -q -o cone --set tube.mesh.resolution=0.03
last=$(sed -n 's/.*"last_frame": \([0-9]*\).*/\1/p' cone/run.json)
check "at rest after frame $last of 144" sh -c "grep -q '\"at_rest\": true' cone/run.json && test $last -le 120"
expect 0 "$clothsim" --verify-contact cone/cone.clothcache
# the frill, 32 cm wide, gets short before its stitches pull, unless gathers wait
for gather in true false; do
  expect 0 "$clothsim" tube.scene.json -q -e 3 -o gather_$gather --set tube.mesh.gather=$gather
done
width() { # FILE
  awk '$1 == "v" { if (!n++ || $2 < a) a = $2; if (n == 1 || $2 > b) b = $2 } END { print b - a }' "$1"
}
long=$(width gather_false/tube_0003.obj) short=$(width gather_true/tube_0003.obj)
check "width $long m without gathers, $short m with them" awk "BEGIN { exit !($long > 0.315 && $short < 0.30) }"
# starched while it is sewn, whatever it is made of, and of that when it drapes
values() { # KEY: all that it has in phases and scene
  sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" stdout | tr '\n' ' '
}
expect 0 "$clothsim" plain.json --print-config
check "cotton: $(values bend)" test "$(values bend)" = "0.001 2.1e-05 2.1e-05 2.1e-05 "
check "gathers: $(values gather)" test "$(values gather)" = "false true true true "
check "the drape starts from where it is: $(values start | sed 's/[0-9]* //g')" grep -q '"start": "rest"' stdout
check "stitches: $(values stiffness)" test "$(values stiffness)" = "10000 100000 100000 10000 "
sed 's/{"name": "tube"/{"material": "denim", "name": "tube"/' plain.json >denim.json
expect 0 "$clothsim" denim.json --print-config
check "denim: $(values bend)" test "$(values bend)" = "0.001 5.9e-05 5.9e-05 5.9e-05 "
check "its density: $(values density)" test "$(values density)" = "0.324 0.324 0.324 1.2 0.324 "
sed 's/^{/{"materials": {"stuff": {"preset": "silk", "bend": 3e-5}}, /; s/{"name": "tube"/{"material": "stuff", "name": "tube"/' plain.json >stuff.json
expect 0 "$clothsim" stuff.json --print-config
check "a material of the scene: $(values bend)" test "$(values bend)" = "3e-05 0.001 3e-05 3e-05 3e-05 3e-05 3e-05 "
sed 's/^{/{"frames": {"end": 30}, /' plain.json >own.json
expect 0 "$clothsim" own.json --print-config
check "no phases where the scene has frames of its own" sh -c '! grep -q "\"name\": \"sew\"" stdout'
wrong() { # SED TEXT
  sed "$1" tube.json >bad.json
  check "changed" sh -c '! cmp -s tube.json bad.json'
  expect 2 "$clothsim" tube.scene.json -q --check --set tube.mesh.pattern=bad.json
  says "$2"
}
wrong 's/{"panel": "back", "edge": 3}/{"panel": "back", "edge": 9}/' 'panel "back" has no edge 9, only 0 to 3'
wrong 's/{"panel": "back", "edge": 3}/{"panel": "bock", "edge": 3}/' 'there is none called "bock"'
wrong 's/{"panel": "back", "edge": 3}/{"panel": "back", "edge": 1}/' 'edge 1 of panel "back" is in two stitches'
wrong 's/\[1, 0\], \[12, 0\]/[1, 0], [1, 0]/' 'panel "front", edge 3 has no length'
wrong 's/\[0, 8\]/[40, 8]/' 'panel "front": its outline meets itself, at edges'
wrong 's/"endpoints": \[1, 2\]}, {"endpoints": \[2, 3\]}/"endpoints": [1, 3]}, {"endpoints": [2, 3]}/' 'begins at vertex 2, but edge 1 ends at vertex 3'
wrong 's/"endpoints": \[0, 1\]/"endpoints": [0, 99]/' 'there is no vertex 99'
wrong 's/"quadratic"/"spline"/' 'unknown curvature'
wrong 's/"circle", "params": \[40, 0, 1\]/"circle", "params": [40]/' 'must be a list of 3 numbers'
wrong 's/"relative"/"absolute"/' 'only "relative" coordinates'
wrong 's/"panels"/"pannels"/' 'not a sewing pattern'
wrong 's/100}}/0}}/' '"units_in_meter" must be a positive number'
wrong 's/^  \[{"panel": "front", "edge": 1}, {"panel": "front", "edge": 2}\],/  [{"panel": "front", "edge": 1}],/' 'a stitch joins two edges, found 1'
# one triangle fan a panel
expect 0 "$clothsim" tube.scene.json -q --check --set tube.mesh.resolution=10
expect 2 "$clothsim" tube.scene.json -q --check --set tube.mesh.resolution=1e-6
says 'times the resolution'
expect 2 "$clothsim" tube.scene.json -q --check --set tube.mesh.resolution=1e-5
says 'would have too many vertices'
expect 2 "$clothsim" tube.scene.json -q --check --set tube.scale=[1,1,2]
says 'one scale only'
expect 2 "$clothsim" tube.scene.json -q --check --set tube.type=solid
# panels that are parallel and near each other stop before they meet
sed 's/"translation": \[0, 0, 10\]/"translation": [0, 0, 0]/' tube.json >near.json
expect 0 "$clothsim" tube.scene.json -q --check --set tube.mesh.pattern=near.json --set pole.mesh.radius=0.3
# a panel that a collider holds on all sides is named
expect 2 "$clothsim" tube.scene.json -v --check --set 'pole.mesh={"shape":"box","size":[0.02,9,9]}'
says 'panel "front" of "tube" stands through a collider or another panel'
report
