# Sewing patterns: a tube of two panels with a dart, a gathered frill and a collar edge; sewn, held by a label, and what is wrong.
. "$ROOT/tests/cli/kit"
# a front and a back, 24 cm wide and 30 high, that stand 20 cm apart around a pole; the sides are curved a little.
# The front has a dart at its lower edge; a frill, a third longer than the front's upper edge, is gathered to it.
cp "$ROOT/tests/cli/tube.json" .
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
expect 0 "$clothsim" plain.json -v -o plain -e 78 --set tube.mesh.resolution=0.02
says 'phase "fall" begins'
check "closed: $(grep -o 'largest gap is .*' stderr)" awk "BEGIN { exit !($(sed -n 's/.*largest gap is \([0-9.]*\) mm.*/\1/p' stderr) < 0.5) }"
expect 0 "$clothsim" --verify-contact plain/plain.clothcache
# phases are to come to rest, without a balance of forces: what they left over is told, and is no fault.
# Every phase builds the garment again, and says only what is new.
expect 0 "$clothsim" plain.json -o plain -e 78 --overwrite --progress none --set tube.mesh.resolution=0.02 --set strict.momentum=1e-3 --strict
drift=$(sed -n 's/.*"momentum": {"value": \([0-9.e-]*\)}.*/\1/p' plain/run.json)
check "$drift m/s left over" awk "BEGIN { exit !($drift > 5e-3) }"
check "seams are told once" [ "$(grep -c 'seams of "tube"' stderr)" = 1 ]
# a scene that starts from it has no panels to place
printf '{"extends": "plain.json", "frames": {"from": "plain/plain.clothcache", "end": 2}}' >worn.json
expect 0 "$clothsim" worn.json -v -o worn --set tube.mesh.resolution=0.02
check "no panels are placed" sh -c "grep -q 'seams of \"tube\"' stderr && ! grep -q 'panels start\|panels stood' stderr"
# a body in centimetres
sed 's/"mesh": {"shape": "cylinder".*/"mesh": {"file": "plain\/tube_0078.obj"}, "scale": 100}/' plain.json >giant.json
expect 0 "$clothsim" giant.json -v --check --set tube.mesh.resolution=0.02
says 'm large; is the length unit right?'
expect 0 "$clothsim" plain.json --print-config --set phases.sew.frames.end=50 --set phases.close.frames.end=56
check "changed phase" sh -c 'grep -q "\"end\": 50" stdout && grep -q "\"end\": 56" stdout && ! grep -q "\"end\": 64" stdout'
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
check "cotton: $(values bend)" test "$(values bend)" = "0.001 2.1e-05 2.1e-05 2.1e-05 2.1e-05 2.1e-05 2.1e-05 "
check "gathers: $(values gather)" test "$(values gather)" = "false true true true true true true "
check "the drape starts from where it is: $(values start | sed 's/[0-9]* //g')" grep -q '"start": "rest"' stdout
check "panels are sewn with thick contact: $(values thickness)" test "$(values thickness)" = "0.003 0.0015 0.0015 "
check "layers of the fit are nearer: $(values self_thickness)" test "$(values self_thickness)" = "0 0.00025 0 "
check "the fit pulls harder: $(values pull)" test "$(values pull)" = "5 100 100 100 100 400 5 "
check "all but the last two leave divisions out: $(values coarse)" test "$(values coarse)" = "4 4 4 4 0 0 0 "
check "stitches: $(values stiffness)" test "$(values stiffness)" = "10000 100000 100000 100000 100000 1000000 10000 "
sed 's/{"name": "tube"/{"material": "denim", "name": "tube"/' plain.json >denim.json
expect 0 "$clothsim" denim.json --print-config
check "denim: $(values bend)" test "$(values bend)" = "0.001 5.9e-05 5.9e-05 5.9e-05 5.9e-05 5.9e-05 5.9e-05 "
check "its density: $(values density)" test "$(values density)" = "0.324 0.324 0.324 0.324 0.324 0.324 1.2 0.324 "
sed 's/^{/{"materials": {"stuff": {"preset": "silk", "bend": 3e-5}}, /; s/{"name": "tube"/{"material": "stuff", "name": "tube"/' plain.json >stuff.json
expect 0 "$clothsim" stuff.json --print-config
check "a material of the scene: $(values bend)" test "$(values bend)" = "0.001 3e-05 3e-05 3e-05 3e-05 3e-05 3e-05 "
sed 's/^{/{"frames": {"end": 30}, /' plain.json >own.json
expect 0 "$clothsim" own.json --print-config
check "no phases where the scene has frames of its own" sh -c '! grep -q "\"name\": \"sew\"" stdout'
# what is left open, or moves at the end, is told without being asked: here a board is wider than the tube (one of 0.3 m it may slip past), and frames are too few
expect 0 "$clothsim" plain.json -o open -e 72 --set tube.mesh.resolution=0.05 --set 'pole.mesh={"shape":"box","size":[0.5,1.5,0.1]}'
says 'warning: the seam of tube did not close: it is open by'
says 'more time ("closed"), "pull" or "stiffness"'
says 'warning: not at rest after frame 72:'
# springs hold the height of a waist that nothing above carries, and let it go sideways
sed 's/"collar"/"lower_interface"/' tube.json >waist.json
heights() { # FILE [GROUP]: lowest and highest vertex
  awk -v group="$2" '$1 == "v" { y[++n] = $3 } $1 == "g" { on = $2 == group }
    $1 == "f" && (on || group == "") { for (k = 2; k <= NF; k++) { split($k, c, "/"); h = y[c[1]]; if (!m++ || h < low) low = h; if (m == 1 || h > high) high = h } }
    END { print low, high }' "$1"
}
lowest() { heights "$@" | cut -d ' ' -f 1; }
for hold in 0 100; do
  expect 0 "$clothsim" tube.scene.json -q -e 28 -o hold_$hold --set tube.mesh.pattern=waist.json --set tube.pins=null --set tube.mesh.hold=$hold
done
fallen=$(lowest hold_0/tube_0028.obj) held=$(lowest hold_100/tube_0028.obj)
check "its hem is at $held m, without springs at $fallen m" awk "BEGIN { exit !($held > $fallen + 0.05) }"
# and of shoulder seams, not of side seams, which are below the middle of the armholes
tabard() { # NAME Y Z TURN ARMHOLE
  echo "\"$1\": {\"label\": \"body\", \"translation\": [0, $2, $3], \"rotation\": [0, $4, 0],
    \"vertices\": [[-12, 0], [12, 0], [12, 20], [12, 40], [-12, 40], [-12, 20]],
    \"edges\": [{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3], \"label\": \"left_$5\"}, {\"endpoints\": [3, 4]},
      {\"endpoints\": [4, 5], \"label\": \"right_$5\"}, {\"endpoints\": [5, 0]}]}"
}
cat >tabard.json <<END
{"pattern": {"panels": {$(tabard front 40 10 0 armhole), $(tabard back 40 -10 180 armhole)}, "stitches": [
  [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 3}], [{"panel": "front", "edge": 1}, {"panel": "back", "edge": 5}], [{"panel": "front", "edge": 5}, {"panel": "back", "edge": 1}]]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
for hold in 0 100; do
  expect 0 "$clothsim" tube.scene.json -v -e 16 -o tabard_$hold --set tube.mesh.pattern=tabard.json --set tube.pins=null --set tube.mesh.hold=$hold --set 'gravity=[0, -9.81, 0]'
done
read -r _ fallen <<<"$(heights tabard_0/tube_0016.obj)"
read -r low held <<<"$(heights tabard_100/tube_0016.obj)"
check "its shoulders are at $held m, without springs at $fallen m" awk "BEGIN { exit !($held > $fallen + 0.3) }"
expect 0 "$clothsim" tube.scene.json -v -e 2 -o tabard_pinned --set tube.mesh.pattern=tabard.json --set tube.pins='[{"group": "left_armhole"}]' --set tube.mesh.hold=100
check "a pin of the scene goes before it, without a warning" sh -c "! grep -q 'pinned already' stderr"
check "they hang: the hem is $low m high" awk "BEGIN { exit !($held - $low > 0.38 && $held - $low < 0.45) }"
# also where the front's armholes have no labels, but sleeves
cat >sleeved.json <<END
{"pattern": {"panels": {$(tabard front 40 10 0 side), $(tabard back 40 -10 180 armhole), $(tabard above 40 14 0 side | sed 's/body/arm/; s/\[0, 40, 14\]/[22, 50, 0]/')},
 "stitches": [[{"panel": "front", "edge": 3}, {"panel": "back", "edge": 3}], [{"panel": "front", "edge": 1}, {"panel": "back", "edge": 5}],
  [{"panel": "front", "edge": 5}, {"panel": "back", "edge": 1}], [{"panel": "front", "edge": 2}, {"panel": "above", "edge": 4}]]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
expect 0 "$clothsim" tube.scene.json -v -e 16 -o sleeved --set tube.mesh.pattern=sleeved.json --set tube.pins=null --set tube.mesh.hold=100 --set 'gravity=[0, -9.81, 0]'
read -r _ sleeved <<<"$(heights sleeved/tube_0016.obj front)"
check "with a sleeve its shoulders are at $sleeved m" awk "BEGIN { exit !(($sleeved - $held) ^ 2 < 9e-4) }"
# a collar, drawn up to 1.75 m, comes down, with what panels it may be labelled; it may lie on the shoulders
cat >collar.json <<END
{"pattern": {"panels": {$(tabard front 40 10 0 armhole), $(tabard back 40 -10 180 armhole), $(tabard above 85 14 0 side), $(tabard behind 85 -14 180 side)}, "stitches": [
  [{"panel": "front", "edge": 3}, {"panel": "back", "edge": 3}], [{"panel": "above", "edge": 3}, {"panel": "behind", "edge": 3}]]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
expect 0 "$clothsim" tube.scene.json -v -e 24 -o collar --set tube.mesh.pattern=collar.json --set tube.pins=null --set tube.mesh.hold=100 --set 'gravity=[0, -9.81, 0]'
read -r _ fallen <<<"$(heights collar/tube_0024.obj above)"
check "the collar is below $fallen m" awk "BEGIN { exit !($fallen < 1.5) }"
# a corner that two stitches share is sewn once
sewn() { # STITCHES: of the tabard, as -v tells
  sed '/^  \[/d; s/"stitches": \[.*/"stitches": [/; s/^ "properties"/'"$1"']}, &/' tabard.json >corner.json
  expect 0 "$clothsim" tube.scene.json -v --check --set tube.mesh.pattern=corner.json --set tube.pins=null
  sed -n 's/.* \([0-9]*\) stitches, .*/\1/p' stderr
}
side='[{"panel": "front", "edge": 1}, {"panel": "back", "edge": 5}]' above='[{"panel": "front", "edge": 2}, {"panel": "back", "edge": 4}]'
one=$(sewn "$side") other=$(sewn "$above") both=$(sewn "$side, $above")
check "stitches of two edges: $one and $other, together $both" test "$both" -eq $((one + other - 1))
expect 0 "$clothsim" plain.json --print-config
check "held while it is sewn: $(values hold)" test "$(values hold)" = "100 0 0 0 0 0 0 "
# stitches of panels labelled "leg" begin to close when 0.4 of the time is over
sed 's/"frill": {/"frill": {"label": "leg", /' tube.json >late.json
expect 0 "$clothsim" tube.scene.json -q -o early -e 9
expect 0 "$clothsim" tube.scene.json -q -o late -e 9 --set tube.mesh.pattern=late.json
early=$(lowest early/tube_0009.obj frill) late=$(lowest late/tube_0009.obj frill)
check "the frill is at $late m, without its label at $early m" awk "BEGIN { exit !($late > $early + 0.01) }"
# and so do those between a panel labelled "arm" and another kind
sed 's/"frill": {/"frill": {"label": "arm", /' tube.json >armhole.json
expect 0 "$clothsim" tube.scene.json -q -o armhole -e 9 --set tube.mesh.pattern=armhole.json
armhole=$(lowest armhole/tube_0009.obj frill)
check "the frill is at $armhole m as a sleeve" awk "BEGIN { exit !($armhole > $early + 0.01) }"
# a pattern stands clear of objects before it, also of the same one in the same place: one tube over another
sed '/"name": "tube"/{p;s/"tube"/"over"/}' plain.json >two.json
expect 0 "$clothsim" two.json -v --check --set tube.mesh.resolution=0.03 --set over.mesh.resolution=0.03
says '"over": 1 of 3 panels stood through others or colliders'
# A body of cubes whose arms are inside of a skirt as it is drawn: it hangs below them in the end, and nothing passed through them.
awk 'function full(i, j, k) {
  if (j >= 0 && j < 20 && i >= -3 && i < 3 && k >= -2 && k < 2) return 1
  if (j >= 0 && j < 10 && i >= -4 && i < 4 && k >= -3 && k < 3) return 1
  return j >= 16 && j < 18 && i >= -11 && i < 11 && k >= -1 && k < 1
}
function at(i, j, k) {
  if (!((i, j, k) in number)) { number[i, j, k] = ++n; print "v", i / 20, j / 20, k / 20 }
  return number[i, j, k]
}
function side(a, b, c, d) { print "f", a, b, c, d }
BEGIN { for (i = -12; i <= 11; i++) for (j = 0; j < 20; j++) for (k = -4; k <= 3; k++) if (full(i, j, k)) {
  if (!full(i - 1, j, k)) side(at(i, j, k), at(i, j, k + 1), at(i, j + 1, k + 1), at(i, j + 1, k))
  if (!full(i + 1, j, k)) side(at(i + 1, j, k), at(i + 1, j + 1, k), at(i + 1, j + 1, k + 1), at(i + 1, j, k + 1))
  if (!full(i, j - 1, k)) side(at(i, j, k), at(i + 1, j, k), at(i + 1, j, k + 1), at(i, j, k + 1))
  if (!full(i, j + 1, k)) side(at(i, j + 1, k), at(i, j + 1, k + 1), at(i + 1, j + 1, k + 1), at(i + 1, j + 1, k))
  if (!full(i, j, k - 1)) side(at(i, j, k), at(i, j + 1, k), at(i + 1, j + 1, k), at(i + 1, j, k))
  if (!full(i, j, k + 1)) side(at(i, j, k + 1), at(i + 1, j, k + 1), at(i + 1, j + 1, k + 1), at(i, j + 1, k + 1))
} }' >cubes.obj
half() { # NAME Z TURN
  cat <<END
"$1": {"label": "leg", "translation": [0, 0, $2], "rotation": [0, $3, 0],
  "vertices": [[-55, 20], [55, 20], [55, 95], [25, 60], [-25, 60], [-55, 95]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 4], "label": "waist"},
    {"endpoints": [4, 5]}, {"endpoints": [5, 0]}]}
END
}
cat >wide.json <<END
{"pattern": {"panels": {$(half front 20 0), $(half back -20 180)},
 "stitches": [[{"panel": "front", "edge": 2}, {"panel": "back", "edge": 4}], [{"panel": "front", "edge": 4}, {"panel": "back", "edge": 2}]]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
cat >wide.scene.json <<'END'
{"name": "wide", "objects": [
  {"name": "skirt", "type": "cloth", "mesh": {"pattern": "wide.json", "resolution": 0.05}},
  {"name": "body", "type": "collider", "mesh": {"file": "cubes.obj"}}],
 "output": {"colliders": true}}
END
# nothing counts as at rest while the arms are still to come, however slow
expect 0 "$clothsim" wide.scene.json -v -o wide --set phases.drape.frames.rest_speed=100 --set phases.settle.frames.rest_speed=100 --set phases.fit.frames.rest_speed=100
says '2 arms, which the skirt would be sewn around, are drawn in to frame 108'
reach() { awk '$1 == "v" { if ($2 > x) x = $2 } END { print x }' "$1"; }
last=$(sed -n 's/.*"last_frame": \([0-9]*\).*/\1/p' wide/run.json)
check "arms are $(reach wide/body_0001.obj) m long at first" awk "BEGIN { exit !($(reach wide/body_0001.obj) < 0.3) }"
check "and $(reach wide/body_0132.obj) m in frame 132" test "$(reach wide/body_0132.obj)" = 0.55
check "at rest after frame $last" sh -c "grep -q '\"at_rest\": true' wide/run.json && test $last -ge 132 -a $last -le 152"
top=$(awk '$1 == "v" && ($2 > 0.3 || $2 < -0.3) { if ($3 > y) y = $3 } END { print y + 0 }' "wide/skirt_$(printf %04d "$last").obj")
check "the skirt hangs below the arms, under $top m" awk "BEGIN { exit !($top < 0.8) }"
expect 0 "$clothsim" --verify-contact wide/wide.clothcache
# both, where the panels are drawn beside one
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.position='[0.12, 0, 0]'
says '2 arms, which the skirt would be sewn around, are drawn in to frame 108'
sed 's/"leg"/"arm"/' wide.json >sleeves.json
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=sleeves.json
check "arms in sleeves stay" sh -c '! grep -q "drawn in" stderr'
# under a skirt, arms stay as far as their sleeves reach, here to 0.35 m
cuffed() { # NAME X Z TURN
  cat <<END
"$1": {"label": "arm", "translation": [$2, 77, $3], "rotation": [0, $4, 0], "vertices": [[0, 0], [20, 0], [20, 16], [0, 16]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]},
END
}
sed "s/{\"panels\": {/{\"panels\": {$(echo $(cuffed left_f 15 12 0) $(cuffed left_b 35 -12 180) $(cuffed right_f -35 12 0) $(cuffed right_b -15 -12 180))/" wide.json >cuffed.json
expect 0 "$clothsim" wide.scene.json -v -o cuffed -e 1 --set skirt.mesh.pattern=cuffed.json
says '2 arms, which the skirt would be sewn around, are drawn in to frame 108'
check "arms are $(reach cuffed/body_0001.obj) m long in sleeves" awk "BEGIN { exit !(($(reach cuffed/body_0001.obj) - 0.36) ^ 2 < 4e-4) }"
# and as far as the bodice covers them, here to 0.35 m, too
sed 's/"arm"/"body"/g' cuffed.json >covered.json
expect 0 "$clothsim" wide.scene.json -v -o covered -e 1 --set skirt.mesh.pattern=covered.json
says '2 arms, which the skirt would be sewn around, are drawn in to frame 108'
check "arms are $(reach covered/body_0001.obj) m long in a bodice" awk "BEGIN { exit !(($(reach covered/body_0001.obj) - 0.36) ^ 2 < 4e-4) }"
# a skirt drawn 0.3 m lower whose waistband is sewn to a bodice hangs in front of the arms, too
above() { # NAME LOW HIGH
  cat <<END
"$1": {"label": "body", "translation": [0, 0, 20], "vertices": [[-25, $2], [25, $2], [25, $3], [-25, $3]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]},
END
}
sewn='[{"panel": "front", "edge": 3}, {"panel": "band", "edge": 0}], [{"panel": "band", "edge": 2}, {"panel": "bodice", "edge": 0}], '
sed "s/\"translation\": \[0, 0, /\"translation\": [0, -30, /; s/{\"panels\": {/&$(echo $(above band 30 36) $(above bodice 66 90))/; s/\"stitches\": \[/&$sewn/" wide.json >band.json
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=band.json
says '2 arms, which the skirt would be sewn around, are drawn in to frame 108'
sed 's/, \[{"panel": "band", "edge": 2}, {"panel": "bodice", "edge": 0}\]//' band.json >low_band.json
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=low_band.json
check "without the bodice it stays below them" sh -c '! grep -q "drawn in" stderr'
# a bodice whose top edges are sewn over the body starts above it (1 m); its sides, which run through it far below, do not count
shell() { # NAME Z TURN
  cat <<END
"$1": {"label": "body", "translation": [0, 0, $2], "rotation": [0, $3, 0], "vertices": [[-12, 60], [12, 60], [12, 97], [-12, 97]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}
END
}
stitch() { echo "[{\"panel\": \"front\", \"edge\": $1}, {\"panel\": \"back\", \"edge\": $2}]"; }
cat >shell.json <<END
{"pattern": {"panels": {$(shell front 25 0), $(shell back -25 180)}, "stitches": [$(stitch 2 2), $(stitch 1 3), $(stitch 3 1)]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
expect 0 "$clothsim" wide.scene.json -v -o shell -e 1 --set skirt.mesh.pattern=shell.json
says 'its bodice starts'
top=$(awk '$1 == "v" && (!n++ || $3 > y) { y = $3 } END { print y }' shell/skirt_0001.obj)
check "shoulders at $top m" awk "BEGIN { exit !($top > 1.001 && $top < 1.02) }"
sed 's/"body"/"leg"/' shell.json >low.json
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=low.json
check "only bodices are lifted" sh -c '! grep -q "bodice starts" stderr'
# arms that hang across the side seams of a wide vest are raised while it is sewn, to 0.8 m
awk '$1 == "v" { beyond = ($2 < 0 ? -$2 : $2) - 0.2; if (beyond > 0 && $3 >= 0.7) $3 -= 0.6 * beyond } { print }' cubes.obj >hanging.obj
sed 's/-12, 60\], \[12, 60\], \[12, 97\], \[-12, 97/-35, 40], [35, 40], [35, 77], [-35, 77/; s/\[{"panel": "front", "edge": 2}, {"panel": "back", "edge": 2}\], //' shell.json >vest.json
expect 0 "$clothsim" wide.scene.json -v -o vest -e 1 --set skirt.mesh.pattern=vest.json --set body.mesh.file=hanging.obj
says '2 arms, which side seams would cross, are raised to frame 108'
low=$(awk '$1 == "v" && ($2 > 0.5 || $2 < -0.5) { if (!n++ || $3 < y) y = $3 } END { print y }' vest/body_0001.obj)
check "hands are at $low m" awk "BEGIN { exit !($low > 0.75 && $low < 0.82) }"
sed 's/\[35, 77\], \[-35, 77/[35, 50], [-35, 50/' vest.json >below.json
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=below.json --set body.mesh.file=hanging.obj
check "arms above side seams stay" sh -c '! grep -q raised stderr'
# and what is drawn around them as sleeves is raised with them
sed "s/{\"panels\": {/{\"panels\": {$(echo $(cuffed left_f 35 12 0) $(cuffed left_b 55 -12 180) $(cuffed right_f -55 12 0) $(cuffed right_b -35 -12 180))/" vest.json >vested.json
expect 0 "$clothsim" wide.scene.json -v -o vested -e 1 --set skirt.mesh.pattern=vested.json --set body.mesh.file=hanging.obj
says '2 arms, which side seams would cross, are raised to frame 108'
mean_y() { # FILE FROM TO: of vertices between two x
  awk -v a="$2" -v b="$3" '$1 == "v" && $2 > a && $2 < b { s += $3; n++ } END { print s / n }' "$1"
}
arm=$(mean_y vested/body_0001.obj 0.36 0.54) around=$(mean_y vested/skirt_0001.obj 0.36 0.54)
check "the sleeve is at $around m, the arm at $arm" awk "BEGIN { exit !(($around - $arm) ^ 2 < 4e-4 && $arm > 0.75) }"
# they turn about the shoulder (0.2, 0.85), as it does: also one of 26 cm whose middle is 3 cm below the axis of the arm
beside='{"label": "arm", "translation": [39.88, 69.57, 12], "rotation": [0, 0, -31], "vertices": [[-8, -13], [8, -13], [8, 13], [-8, 13]], "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}'
sed "s/{\"panels\": {/{\"panels\": {\"left_f\": $beside, /" vest.json >beside.json
for arms in '[0, 0]' '[108, 132]'; do
  expect 0 "$clothsim" wide.scene.json -q -o "beside${arms:1:1}" -e 1 --set skirt.mesh.pattern=beside.json --set body.mesh.file=hanging.obj --set "body.arms=$arms"
done
centre=$(awk '$1 != "v" || ++n[FILENAME] > 2 { next } # of the rotation that takes two points from the first file to the second
  { k++; x[k] = $2; y[k] = $3 }
  END { a = x[2] - x[1]; b = y[2] - y[1]; c = x[4] - x[3]; d = y[4] - y[3]; l = a * a + b * b
    p = (a * c + b * d) / l; q = (a * d - b * c) / l; e = x[3] - p * x[1] + q * y[1]; f = y[3] - q * x[1] - p * y[1]; m = (1 - p) ^ 2 + q * q
    print ((1 - p) * e - q * f) / m, (q * e + (1 - p) * f) / m }' beside0/skirt_0001.obj beside1/skirt_0001.obj)
check "the sleeve turns about $centre" awk "BEGIN { split(\"$centre\", c, \" \"); exit !((c[1] - 0.2) ^ 2 + (c[2] - 0.85) ^ 2 < 1e-5) }"
# hanging arms in sleeves, which would stay between the panels of a skirt, are raised until they are level, to 0.8 m
expect 0 "$clothsim" wide.scene.json -v -o level -e 1 --set skirt.mesh.pattern=cuffed.json --set body.mesh.file=hanging.obj
says '2 arms, which the skirt would be sewn around, are raised to frame 108'
low=$(awk '$1 == "v" && ($2 > 0.4 || $2 < -0.4) { if (!n++ || $3 < y) y = $3 } END { print y }' level/body_0001.obj)
check "hands are at $low m" awk "BEGIN { exit !($low > 0.75 && $low < 0.82) }"
# in sleeves arms stay where side seams cross them at the shoulder
sed 's/-35, 40\], \[35, 40\], \[35, 77\], \[-35, 77/-28, 40], [28, 40], [28, 77], [-28, 77/' vested.json >narrow.json
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=narrow.json --set body.mesh.file=hanging.obj
check "sleeves with seams at the shoulder stay" sh -c '! grep -q raised stderr'
sed 's/"arm"/"other"/g' narrow.json >bare.json
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=bare.json --set body.mesh.file=hanging.obj
says '2 arms, which side seams would cross, are raised to frame 108'
expect 0 "$clothsim" wide.scene.json --print-config
check "the key" sh -c 'tr -d " \n" <stdout | grep -q "\"arms\":\[108,132\]"'
# Sleeves of 16 cm by 25 cm. The left one is drawn 8 cm below the arm's axis and starts around it; the right one, 3 cm below, stays.
piece() { # NAME X Y Z TURN
  cat <<END
"$1": {"label": "arm", "translation": [$2, $3, $4], "rotation": [0, $5, 0], "vertices": [[0, 0], [25, 0], [25, 16], [0, 16]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}
END
}
tube() { # NAME: its stitches
  echo "[{\"panel\": \"$1_f\", \"edge\": 0}, {\"panel\": \"$1_b\", \"edge\": 0}], [{\"panel\": \"$1_f\", \"edge\": 2}, {\"panel\": \"$1_b\", \"edge\": 2}]"
}
cat >pair.json <<END
{"pattern": {"panels": {$(piece left_f 25 69 15 0), $(piece left_b 50 69 -15 180), $(piece right_f -50 74 15 0), $(piece right_b -25 74 -15 180)},
 "stitches": [$(tube left), $(tube right)]}, "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
expect 0 "$clothsim" wide.scene.json -v -o pair -e 1 --set skirt.mesh.pattern=pair.json
says '2 panels of sleeves start around the arms beside which they are drawn'
for side in left right; do
  middle=$(awk -v side=$side '$1 == "v" && (side == "left") == ($2 > 0) { if (!n++) a = b = $3; if ($3 < a) a = $3; if ($3 > b) b = $3 } END { print (a + b) / 2 }' pair/skirt_0001.obj)
  check "the middle of the $side sleeve is at $middle" awk "BEGIN { exit !(($middle - $([ $side = left ] && echo 0.85 || echo 0.82)) ^ 2 < 1e-4) }"
done
# hands in sleeves are slender while these are sewn, here a tenth of 10 cm, and full in frame 108
expect 0 "$clothsim" wide.scene.json -q -o hands -e 108 --set skirt.mesh.pattern=pair.json
for frame in 0001 0108; do
  thick=$(awk '$1 == "v" && $2 > 0.5 { if (!n++) a = b = $3; if ($3 < a) a = $3; if ($3 > b) b = $3 } END { print b - a }' hands/body_$frame.obj)
  check "the hand is $thick m thick in frame $frame" awk "BEGIN { exit !(($thick - ($frame == 1 ? 0.01 : 0.1)) ^ 2 < 1e-7) }"
done
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=pair.json --set skirt.scale=0.8
check "hands beyond sleeves stay" sh -c '! grep -q slender stderr'
# and one that is 4 cm wide at its upper side in the end starts with the arm inside of that, not in its middle
sed 's/\[25, 0\], \[25, 16\]/[25, 12], [25, 16]/g' pair.json >slanted.json
expect 0 "$clothsim" wide.scene.json -v -o slanted -e 1 --set skirt.mesh.pattern=slanted.json
hem=$(awk '$1 == "v" && $2 > 0.49 { s += $3; n++ } END { print s / n }' slanted/skirt_0001.obj)
check "its hem is at $hem, the arm at 0.85 m" awk "BEGIN { exit !(($hem - 0.85) ^ 2 < 2.5e-4) }"
# a panel that is drawn inside of the body, and meets no face of it, starts before it (0.1 m)
patch() { # NAME Z TURN
  cat <<END
"$1": {"translation": [0, 70, $2], "rotation": [0, $3, 0], "vertices": [[-3, 0], [3, 0], [3, 6], [-3, 6]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}
END
}
cat >patch.json <<END
{"pattern": {"panels": {$(patch inside 5 0), $(patch behind -30 180)}, "stitches": []},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
expect 0 "$clothsim" wide.scene.json -v -o patch -e 1 --set skirt.mesh.pattern=patch.json --set skirt.mesh.resolution=0.03
says '1 of 2 panels stood through others or colliders'
z=$(awk '$1 == "v" && $4 > -0.1 && (!n++ || $4 < z) { z = $4 } END { print z }' patch/skirt_0001.obj)
check "it starts at z = $z m" awk "BEGIN { exit !($z > 0.1 && $z < 0.12) }"
# Panels that overlap by whole centimetres are pushed apart in whole millimetres: they do not stop where the last digits part them.
half_of() { # NAME FROM TO
  cat <<END
"$1": {"translation": [0, 100, 15], "rotation": [0, 0, 0], "vertices": [[$2, 0], [$3, 0], [$3, 10], [$2, 10]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}
END
}
for over in 2 3 5; do
  cat >over.json <<END
{"pattern": {"panels": {$(half_of left -20 $over), $(half_of right -$over 20)}, "stitches": []},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
  expect 0 "$clothsim" wide.scene.json -q -o over_$over -e 1 --set skirt.mesh.pattern=over.json --set skirt.mesh.resolution=0.05 --set skirt.position=[0,3,0]
  gap=$(awk '$1 == "v" { if ($2 < 0 && (!m++ || $2 > left)) left = $2; if ($2 >= 0 && (!n++ || $2 < right)) right = $2 } END { print right - left }' over_$over/skirt_0001.obj)
  check "$gap m apart" awk "BEGIN { exit !($gap > 5e-5) }"
done
# halves of a hood that stand in the chest get clear upwards (the body is 1 m high), as sideways its arms are in the way
side() { # NAME X TURN
  cat <<END
"$1": {"translation": [$2, 70, 0], "rotation": [0, $3, 0], "vertices": [[-12, 0], [12, 0], [12, 60], [-12, 60]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}
END
}
cat >hood.json <<END
{"pattern": {"panels": {$(side left 8 90), $(side right -8 -90)}, "stitches": []},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
expect 0 "$clothsim" wide.scene.json -v -o hood -e 1 --set skirt.mesh.pattern=hood.json --set skirt.mesh.resolution=0.03
says '2 of 2 panels stood through others or colliders'
read -r x y <<<"$(awk '$1 == "v" { a = $2 < 0 ? -$2 : $2; if (!n++ || $3 < y) y = $3; if (a > x) x = a } END { print x, y }' hood/skirt_0001.obj)"
check "they start at x = $x m, from y = $y m on" awk "BEGIN { exit !($x < 0.1 && $y > 1 && $y < 1.02) }"
# A cuff of 24 cm on a leg of 50: it starts stretched around the leg, and its seams close there.
awk 'BEGIN { n = 24; turn = 2 * 3.14159265358979 / n
  for (j = 0; j <= 14; j++) for (i = 0; i < n; i++) print "v", 0.15 + 0.08 * cos(turn * i), 0.05 * j, 0.08 * sin(turn * i)
  for (j = 0; j < 14; j++) for (i = 0; i < n; i++) { a = j * n + i + 1; b = j * n + (i + 1) % n + 1; print "f", a, a + n, b + n, b }
  for (k = 0; k < 2; k++) { printf "f"; for (i = 0; i < n; i++) printf " %d", k ? 14 * n + n - i : i + 1; print "" } }' >leg.obj
half() { # NAME Z TURN WIDTH/2 FROM TO
  cat <<END
"$1": {"label": "leg", "translation": [15, 0, $2], "rotation": [0, $3, 0], "vertices": [[-$4, $5], [$4, $5], [$4, $6], [-$4, $6]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3], "label": "lower_interface"}, {"endpoints": [3, 0]}]}
END
}
ends() { echo "[{\"panel\": \"$1\", \"edge\": $3}, {\"panel\": \"$2\", \"edge\": $4}]"; }
cat >tight.json <<END
{"pattern": {"panels": {$(half front 15 0 14 40 60), $(half back -15 180 14 40 60), $(half cuff_f 12 0 6 20 36 | sed 's/, "label": "lower_interface"//'), $(half cuff_b -12 180 6 20 36 | sed 's/, "label": "lower_interface"//')},
 "stitches": [$(ends front back 1 3), $(ends front back 3 1), $(ends cuff_f cuff_b 1 3), $(ends cuff_f cuff_b 3 1), $(ends front cuff_f 0 2), $(ends back cuff_b 0 2)]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
expect 0 "$clothsim" wide.scene.json -v -o tight -e 100 --set skirt.mesh.pattern=tight.json --set skirt.mesh.resolution=0.03 --set body.mesh.file=leg.obj
check "closed: $(grep -o 'largest gap is .*' stderr)" awk "BEGIN { exit !($(sed -n 's/.*largest gap is \([0-9.]*\) mm.*/\1/p' stderr) < 0.5) }"
expect 0 "$clothsim" --verify-contact tight/wide.clothcache
round=$(awk '$1 == "v" && $3 < 0.3 { if (!n++) a = b = $4; if ($4 < a) a = $4; if ($4 > b) b = $4 } END { print b - a }' "$(ls tight/skirt_*.obj | tail -n 1)")
check "the cuff is around the leg: $round m from front to back" awk "BEGIN { exit !($round > 0.16 && $round < 0.18) }"
# A circular skirt under a strip that is no skirt, with a band below: sectors of 300 degrees start in waves, the bands as a ring.
# Nothing is strained by that, and the skirt hangs from its waist.
circle() { # NAME Z TURN SIDE BAND TOP: two panels of a skirt, a band and a strip above
  cat <<END
"$1": {"label": "leg", "translation": [0, 100, $2], "rotation": [0, $3, 0],
  "vertices": [[-2.5, 4.33], [-20, 34.64], [20, 34.64], [2.5, 4.33]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2], "curvature": {"type": "circle", "params": [40, 1, 1]}},
    {"endpoints": [2, 3]}, {"endpoints": [3, 0], "curvature": {"type": "circle", "params": [5, 1, 0]}}]},
"$4": {"label": "leg", "translation": [0, 50, $2], "rotation": [0, $3, 0],
  "vertices": [[-60, 0], [60, 0], [60, 5], [-60, 5]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]},
"$5": {"label": "body", "translation": [0, 112, $2], "rotation": [0, $3, 0],
  "vertices": [[-8, 0], [8, 0], [8, 5], [-8, 5]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}
END
}
cat >circle.json <<END
{"pattern": {"panels": {$(circle front 15 0 lower yoke), $(circle back -15 180 behind nape)},
 "stitches": [$(ends front back 0 2), $(ends front back 2 0), $(ends lower behind 1 3), $(ends lower behind 3 1),
  $(ends yoke nape 1 3), $(ends yoke nape 3 1), $(ends yoke front 0 3), $(ends nape back 0 3),
  $(ends front lower 1 2), $(ends back behind 1 2)]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
sed 's/tube.json/circle.json/g; s/"tube"/"dress"/; s/"position": \[0, 0.5, 0\]/"position": [0, 0, 0]/' plain.json >circle.scene.json
expect 0 "$clothsim" circle.scene.json -v -o circle -e 1 --set dress.mesh.resolution=0.02
says '2 of 6 panels are wide sectors and start in waves'
says '2 of 6 panels start wrapped around'
start=circle/dress_0001.obj
strained() { # FILE: share of sides that are over 2 % longer or shorter than in the pattern, which is in the texture coordinates
  awk '$1 == "v" { for (c = 1; c <= 3; c++) x[n + 0, c] = $(c + 1); n++ } $1 == "vt" { u[m + 0] = $2; w[m + 0] = $3; m++ }
    function long(i, j, p, q, r, f) { r = sqrt((x[i, 1] - x[j, 1])^2 + (x[i, 2] - x[j, 2])^2 + (x[i, 3] - x[j, 3])^2)
      f = sqrt((u[p] - u[q])^2 + (w[p] - w[q])^2); all++; many += r > 1.02 * f || r < 0.98 * f }
    $1 == "f" { for (k = 2; k <= 4; k++) { split($k, a, "/"); split($(k == 4 ? 2 : k + 1), b, "/"); long(a[1] - 1, b[1] - 1, a[2] - 1, b[2] - 1) } }
    END { print many / all }' "$1"
}
panel() { # NAME: least and most x, y and z of its vertices
  awk -v name="$1" '$1 == "v" { for (c = 1; c <= 3; c++) x[n + 0, c] = $(c + 1); n++ } $1 == "g" { on = $2 == name }
    $1 == "f" && on { for (k = 2; k <= NF; k++) { split($k, a, "/"); for (c = 1; c <= 3; c++) { v = x[a[1] - 1, c]
      if (!(c in l) || v < l[c]) l[c] = v; if (!(c in h) || v > h[c]) h[c] = v } } } END { print l[1], h[1], l[2], h[2], l[3], h[3] }' $start
}
strained=$(strained $start)
check "panels are bent without strain but at the waist, where bends are as small as triangles: $strained" awk "BEGIN { exit !($strained < 0.1) }"
read -r _ _ low high behind _ <<<"$(panel front)"
check "the front hangs before the body, below the strip (1.12 m): under $high m, from z = $behind m" awk "BEGIN { exit !($high < 1.12 && $high > 1.1 && $behind > 0.1) }"
read -r _ _ _ high _ _ <<<"$(panel lower)"
check "and the band, drawn 7 cm farther down, from $high m, below the skirt's $low m" awk "BEGIN { exit !($high < $low && $high > $low - 0.02) }"
read -r l h _ _ back front <<<"$(panel lower)"
check "the band is half a ring: x $l to $h m, z $back to $front m" awk "BEGIN { r = 1.2 / 3.14159
  exit !($h - $l > 1.98 * r && $h - $l < 2.02 * r && $front - $back > 0.97 * r && $front - $back < 1.03 * r) }"
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
# a coat over it: its front is drawn behind the tube's, starts before it, and closes when the tube is sewn
cat >coat.json <<'END'
{"objects": [
  {"name": "tube", "type": "cloth", "layer": 1, "mesh": {"pattern": "tube.json", "resolution": 0.03}, "position": [0, 0.5, 0]},
  {"name": "coat", "type": "cloth", "layer": 2, "mesh": {"pattern": "tube.json", "resolution": 0.03}, "position": [0, 0.48, -0.07], "scale": 1.25},
  {"name": "pole", "type": "collider", "mesh": {"shape": "cylinder", "radius": 0.05, "height": 1.5}, "position": [0, 0.6, 0]}
]}
END
expect 0 "$clothsim" coat.json -v -o coat -e 130
says '"coat": 2 of 3 panels stood through others or colliders, or under a lower layer'
check "seams of both are closed: $(grep -o 'largest gap is .*' stderr | tr '\n' ' ')" sh -c 'test "$(grep -c "largest gap is [01]\.[0-9]* mm" stderr)" = 2'
expect 0 "$clothsim" --verify-contact coat/coat.clothcache
# by means: single vertices at the border of a panel stood out beyond the coat when the pole was moved by 2e-6 m
around() { # FILE: mean distances from the pole in four quarters, at heights that both have all around (the tube hangs lower)
  awk '$1 == "v" && $3 > 0.58 && $3 < 0.8 { k = ($2 > 0) + 2 * ($4 > 0); s[k] += sqrt($2 * $2 + $4 * $4); n[k]++ }
    END { for (k = 0; k < 4; k++) printf "%.4f ", s[k] / n[k] }' "$1"
}
check "the coat is outside: $(around coat/tube_0130.obj), $(around coat/coat_0130.obj)" awk "BEGIN {
  split(\"$(around coat/tube_0130.obj)\", t); split(\"$(around coat/coat_0130.obj)\", c)
  exit !(c[1] > t[1] && c[2] > t[2] && c[3] > t[3] && c[4] > t[4]) }"
expect 0 "$clothsim" coat.json --print-config
check "the coat closes later" sh -c 'tr -d " \n" <stdout | grep -q "\"from\":64,\"closed\":124" && tr -d " \n" <stdout | grep -q "\"end\":268"'
expect 2 "$clothsim" coat.json -q --check --set tube.layer=3
says 'objects with a lower "layer" come first'
expect 2 "$clothsim" coat.json -q --check --set coat.mesh.from=77 --set coat.mesh.closed=76
says '"closed" comes before "from"'
# a skirt that is drawn below the hands, but is sewn to a waist 15 cm higher, would enclose them as well
sed 's/\("translation": \[0, \)0, /\1-40, /' wide.json >low.json
sed 's/^ "stitches": \[/ "stitches": [[{"panel": "front", "edge": 3}, {"panel": "top", "edge": 0}], /; s/^{"pattern": {"panels": {/&"top": {"label": "body", "translation": [0, 0, 20], "vertices": [[-25, 60], [25, 60], [25, 75], [-25, 75]], "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]}, /' low.json >hung.json
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=low.json
check "arms above a skirt stay" sh -c '! grep -q "drawn in" stderr'
expect 0 "$clothsim" wide.scene.json -v --check --set skirt.mesh.pattern=hung.json
says '2 arms, which the skirt would be sewn around, are drawn in to frame 108'
# a cuff that is drawn beside a leg starts around it, and a godet in front of its slit
leg() { # NAME Z TURN
  cat <<END
"$1": {"label": "leg", "translation": [10, 40, $2], "rotation": [0, $3, 0],
  "vertices": [[-10, 0], [-2, 0], [0, 12], [2, 0], [10, 0], [10, 40], [-10, 40]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 4]}, {"endpoints": [4, 5]},
    {"endpoints": [5, 6], "label": "lower_interface"}, {"endpoints": [6, 0]}]},
"$1_cuff": {"label": "leg", "translation": [20, 20, $2], "rotation": [0, $3, 0],
  "vertices": [[-8, 0], [8, 0], [8, 10], [-8, 10]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]},
END
}
cat >cuff.json <<END
{"pattern": {"panels": {$(leg front 12 0) $(leg back -12 180)
"godet": {"label": "leg", "translation": [60, 30, 15], "vertices": [[-8, 0], [8, 0], [0, 12]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 0]}]}},
 "stitches": [[{"panel": "front", "edge": 4}, {"panel": "back", "edge": 6}], [{"panel": "front", "edge": 6}, {"panel": "back", "edge": 4}],
  [{"panel": "front_cuff", "edge": 1}, {"panel": "back_cuff", "edge": 3}], [{"panel": "front_cuff", "edge": 3}, {"panel": "back_cuff", "edge": 1}],
  [{"panel": "front", "edge": 0}, {"panel": "front_cuff", "edge": 2}], [{"panel": "back", "edge": 0}, {"panel": "back_cuff", "edge": 2}],
  [{"panel": "front", "edge": 1}, {"panel": "godet", "edge": 2}], [{"panel": "front", "edge": 2}, {"panel": "godet", "edge": 1}]]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
cat >cuff.scene.json <<'END'
{"objects": [{"name": "leg", "type": "cloth", "mesh": {"pattern": "cuff.json", "resolution": 0.03}},
  {"name": "post", "type": "collider", "mesh": {"file": "post.obj"}}]}
END
awk 'BEGIN { for (j = 0; j < 40; j++) for (k = 0; k < 8; k++) print "v", 0.1 + 0.04 * cos(k * 0.785398), j / 40, 0.04 * sin(k * 0.785398)
  for (j = 0; j < 39; j++) for (k = 1; k <= 8; k++) { l = k % 8 + 1; print "f", 8 * j + k, 8 * j + 8 + k, 8 * j + 8 + l, 8 * j + l } }' >post.obj
middle() { # FILE GROUP: x
  awk -v of="$2" '$1 == "v" { x[++n] = $2 } $1 == "g" { on = $2 == of } $1 == "f" && on { for (k = 2; k <= NF; k++) { split($k, c, "/"); s += x[c[1]]; m++ } } END { print s / m }' "$1"
}
expect 0 "$clothsim" cuff.scene.json -v -o cuff -e 1
says '2 panels start around the legs beside which they are drawn'
says '1 godets start in front of the slits'
for panel in front_cuff back_cuff godet; do
  x=$(middle cuff/leg_0001.obj "$panel")
  check "$panel starts at x = $x m" awk "BEGIN { exit !($x > 0.08 && $x < 0.12) }"
done
# a cuff twice as wide below starts as half a ring with waves, which keep its length
sed 's/\[-8, 0\], \[8, 0\], \[8, 10\]/[-20, 0], [20, 0], [8, 10]/' cuff.json >flared.json
expect 0 "$clothsim" cuff.scene.json -v -o flared -e 1 --set leg.mesh.pattern=flared.json --set leg.mesh.resolution=0.01
says '2 of 5 panels are gathered or flared and start as waves of a ring'
hem() { # FILE GROUP: length of the edges between its lowest vertices, and extent along x
  awk -v of="$2" '$1 == "v" { x[++n] = $2; y[n] = $3; z[n] = $4 } $1 == "g" { on = $2 == of }
    $1 == "f" && on { for (k = 2; k <= 4; k++) { split($k, c, "/"); v[k] = c[1] } f[++m] = v[2]; f[++m] = v[3]; f[++m] = v[4] }
    END { for (i = 1; i <= m; i++) { k = f[i]; if (i == 1 || y[k] < low) low = y[k]; if (i == 1 || x[k] < a) a = x[k]; if (i == 1 || x[k] > b) b = x[k] }
      for (t = 0; t < m; t += 3) for (k = 1; k <= 3; k++) { p = f[t + k]; q = f[t + k % 3 + 1]; count[p < q ? p " " q : q " " p]++ }
      for (e in count) if (count[e] == 1) { split(e, c, " "); if (y[c[1]] > low + 1e-3 || y[c[2]] > low + 1e-3) continue; l = sqrt((x[c[1]] - x[c[2]]) ^ 2 + (y[c[1]] - y[c[2]]) ^ 2 + (z[c[1]] - z[c[2]]) ^ 2); total += l }
      print total, b - a }' "$1"
}
read -r length wide <<<"$(hem flared/leg_0001.obj front_cuff)"
check "its lower edge is $length m long, 0.4 m flat, and $wide m wide" awk "BEGIN { exit !($length > 0.36 && $length < 0.44 && $wide < 0.25) }"
# and a flounce that starts as a ring below a cuff is sewn to it together with the cuff's sides, by frame 20
flounce() { # NAME Z TURN
  cat <<END
"$1_flounce": {"label": "leg", "translation": [20, 8, $2], "rotation": [0, $3, 0],
  "vertices": [[-20, 0], [20, 0], [8, 8], [-8, 8]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2]}, {"endpoints": [2, 3]}, {"endpoints": [3, 0]}]},
END
}
sed "s/{\"panels\": {/&$(echo $(flounce front 12 0) $(flounce back -12 180))/
  s/\"stitches\": \[/&$(ends front_flounce back_flounce 1 3), $(ends front_flounce back_flounce 3 1), $(ends front_cuff front_flounce 0 2), $(ends back_cuff back_flounce 0 2), /" cuff.json >flounce.json
expect 0 "$clothsim" cuff.scene.json -v -o flounced -e 21 --set leg.mesh.pattern=flounce.json --set leg.mesh.resolution=0.02
says '4 of 7 panels are gathered or flared and start as waves of a ring'
start=flounced/leg_0021.obj
read -r _ _ leg _ _ _ <<<"$(panel front)"
read -r _ _ low high _ _ <<<"$(panel front_cuff)"
read -r _ _ _ top _ _ <<<"$(panel front_flounce)"
check "the flounce reaches up to $top m, the cuff from $low to $high m" awk "BEGIN { exit !($low - $top < 0.003 && $top - $low < 0.03) }"
check "which the leg, at $leg m, waits for" awk "BEGIN { exit !($leg - $high > 0.01) }"
# Half a ring that both legs do not fit into as a circle (0.18 m and 0.23 m) starts as an ellipse around them, also under a slanted hem:
# sectors of 180 degrees, turned by 12.
awk '$1 == "v" { x[++n] = $0 } $1 == "f" { f[++m] = $0 } END { for (i = 1; i <= n; i++) print x[i]
  for (i = 1; i <= n; i++) { split(x[i], c, " "); print "v", -c[2], c[3], c[4] } for (i = 1; i <= m; i++) print f[i]
  for (i = 1; i <= m; i++) { k = split(f[i], c, " "); printf "f"; for (j = k; j > 1; j--) printf " %d", c[j] + n; print "" } }' leg.obj >legs.obj
sector() { # NAME Z TURN SLANT
  cat <<END
"$1": {"label": "leg", "translation": [0, 40, $2], "rotation": [0, $3, $4], "vertices": [[-18, 0], [-26, 0], [26, 0], [18, 0]],
  "edges": [{"endpoints": [0, 1]}, {"endpoints": [1, 2], "curvature": {"type": "circle", "params": [26, 1, 1]}}, {"endpoints": [2, 3]},
    {"endpoints": [3, 0], "curvature": {"type": "circle", "params": [18, 1, 0]}}]}
END
}
skirt() { # BANDS STITCHES
  echo "{\"pattern\": {\"panels\": {$(half front 15 0 28 40 60 | sed 's/\[15, 0/[0, 0/'), $(half back -15 180 28 40 60 | sed 's/\[15, 0/[0, 0/'), $1},
   \"stitches\": [$(ends front back 1 3), $(ends front back 3 1), $2]}, \"properties\": {\"curvature_coords\": \"relative\", \"units_in_meter\": 100}}"
}
skirt "$(half low_f 15 0 38 20 28 | sed 's/\[15, 0/[0, 0/; s/, "label": "lower_interface"//'), $(half low_b -15 180 38 20 28 | sed 's/\[15, 0/[0, 0/; s/, "label": "lower_interface"//')" \
  "$(ends low_f low_b 1 3), $(ends low_f low_b 3 1), $(ends front low_f 0 2), $(ends back low_b 0 2)" >bands.json
skirt "$(sector low_f 15 0 -12), $(sector low_b -15 180 -12)" \
  "$(ends low_f low_b 0 2), $(ends low_f low_b 2 0), $(ends front low_f 0 3), $(ends back low_b 0 3)" >sectors.json
for name in bands sectors; do
  expect 0 "$clothsim" wide.scene.json -v -o $name -e 1 --set skirt.mesh.pattern=$name.json --set skirt.mesh.resolution=0.02 --set body.mesh.file=legs.obj
  says '2 of 4 panels are gathered or flared and start as waves of a ring'
  start=$name/skirt_0001.obj
  read -r l h _ _ front _ <<<"$(panel low_f)"
  read -r _ _ _ _ _ back <<<"$(panel low_b)"
  check "$name start around both legs, from x = $l to $h m, and their ends meet: z = $back and $front m" \
    awk "BEGIN { exit !($l < -0.23 && $h > 0.23 && $l + $h > -0.01 && $l + $h < 0.01 && $front - $back > 0 && $front - $back < 0.015) }"
done
# So does a ring of eight panels below a yoke: its axis is behind all of them, not between each and its neighbours.
awk 'BEGIN { pi = 3.14159265; printf "{\"pattern\": {\"panels\": {"
  for (k = 0; k < 2; k++) printf "\"yoke%d\": {\"label\": \"body\", \"translation\": [0, 50, %d], \"rotation\": [0, %d, 0], \"vertices\": [[-30, 0], [-15, 0], [0, 0], [15, 0], [30, 0], [30, 8], [-30, 8]],\
    \"edges\": [{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3]}, {\"endpoints\": [3, 4]}, {\"endpoints\": [4, 5]}, {\"endpoints\": [5, 6]}, {\"endpoints\": [6, 0]}]}, ", k, k ? -15 : 15, 180 * k
  for (k = 0; k < 8; k++) printf "\"p%d\": {\"label\": \"leg\", \"translation\": [%.4f, 25, %.4f], \"rotation\": [0, %.1f, 0], \"vertices\": [[-13, 0], [13, 0], [7.5, 25], [-7.5, 25]],\
    \"edges\": [{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3]}, {\"endpoints\": [3, 0]}]}%s", k, 33 * sin((45 * k - 67.5) / 180 * pi), 33 * cos((45 * k - 67.5) / 180 * pi), 45 * k - 67.5, k < 7 ? ", " : ""
  printf "}, \"stitches\": [[{\"panel\": \"yoke0\", \"edge\": 4}, {\"panel\": \"yoke1\", \"edge\": 6}], [{\"panel\": \"yoke0\", \"edge\": 6}, {\"panel\": \"yoke1\", \"edge\": 4}]"
  for (k = 0; k < 8; k++) printf ", [{\"panel\": \"p%d\", \"edge\": 1}, {\"panel\": \"p%d\", \"edge\": 3}], [{\"panel\": \"p%d\", \"edge\": 2}, {\"panel\": \"yoke%d\", \"edge\": %d}]", k, (k + 1) % 8, k, (k > 3), k % 4
  print "]}, \"properties\": {\"units_in_meter\": 100}}" }' >many.json
expect 0 "$clothsim" wide.scene.json -v -o many -e 1 --set skirt.mesh.pattern=many.json --set skirt.mesh.resolution=0.03 --set body.mesh.file=legs.obj
says '8 of 10 panels are gathered or flared and start as waves of a ring'
start=many/skirt_0001.obj
for k in 0 3 6; do # panels at x < 0 in front, at x > 0 in front, and behind
  read -r l h _ _ back front <<<"$(panel p$k)"
  check "p$k starts where it is drawn: x = $l to $h m, z = $back to $front m" awk "BEGIN { pi = 3.14159265; a = (45 * $k - 67.5) / 180 * pi
    x = ($l + $h) / 2; z = ($back + $front) / 2; r = sqrt(x ^ 2 + z ^ 2); exit !(x * sin(a) + z * cos(a) > 0.95 * r && r > 0.2 && r < 0.5) }"
done
# A circular skirt that hangs below the crotch, narrower than both legs, starts stretched around them.
yoke() { # NAME Z TURN
  echo "\"$1\": {\"label\": \"body\", \"translation\": [0, 50, $2], \"rotation\": [0, $3, 0], \"vertices\": [[-30, 0], [30, 0], [30, 8], [-30, 8]],
    \"edges\": [{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3]}, {\"endpoints\": [3, 0]}]}"
}
cat >low_circle.json <<END
{"pattern": {"panels": {$(yoke yoke 15 0), $(yoke nape -15 180), $(sector low_f 15 0 0), $(sector low_b -15 180 0)},
 "stitches": [$(ends yoke nape 1 3), $(ends yoke nape 3 1), $(ends low_f low_b 0 2), $(ends low_f low_b 2 0), $(ends yoke low_f 0 3), $(ends nape low_b 0 3)]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
sed -i 's/-18, 0\], \[-26, 0\], \[26, 0\], \[18, 0/-10, 0], [-30, 0], [30, 0], [10, 0/g; s/\[26, 1, 1\]/[30, 1, 1]/g; s/\[18, 1, 0\]/[10, 1, 0]/g' low_circle.json
expect 0 "$clothsim" wide.scene.json -v -o low_circle -e 12 --set skirt.mesh.pattern=low_circle.json --set skirt.mesh.resolution=0.03 --set body.mesh.file=legs.obj
says '2 of 4 panels are gathered or flared and start as waves of a ring'
apart() { # FRAME: distance of the sides of the skirt [m]
  start=low_circle/skirt_$1.obj
  read -r _ _ _ _ front _ <<<"$(panel low_f)"
  read -r _ _ _ _ _ back <<<"$(panel low_b)"
  awk "BEGIN { print $front - $back }"
}
apart=$(apart 0001)
check "it starts around both legs, with its sides $apart m apart" awk "BEGIN { exit !($apart > 0 && $apart < 0.015) }"
start=low_circle/skirt_0001.obj
read -r l h _ _ _ _ <<<"$(panel low_f)"
check "from x = $l to $h m" awk "BEGIN { exit !($l < -0.23 && $h > 0.23) }"
# which are sewn at once, before the sides of the strip above
check "in frame 12 they are $(apart 0012) m apart" awk "BEGIN { exit !($(apart 0012) < 0.005) }"
# A flounce that is hardly longer below than the hem above, but most of a circle, starts as a ring, too: here below a wide skirt.
most() { # NAME Y Z TURN RADIUS WIDER: 300 degrees of a ring
  awk -v name="$1" -v y="$2" -v z="$3" -v turn="$4" -v r="$5" -v R="$6" 'BEGIN { h = sqrt(0.75)
    printf "\"%s\": {\"label\": \"leg\", \"translation\": [0, %g, %g], \"rotation\": [0, %g, 0], \"vertices\": [[%g, %g], [%g, %g], [%g, %g], [%g, %g]],", name, y, z, turn, -r / 2, r * h, -R / 2, R * h, R / 2, R * h, r / 2, r * h
    printf "\"edges\": [{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2], \"curvature\": {\"type\": \"circle\", \"params\": [%g, 1, 1]}}, {\"endpoints\": [2, 3]}, {\"endpoints\": [3, 0], \"curvature\": {\"type\": \"circle\", \"params\": [%g, 1, 0]}}]}", R, r }'
}
cat >flounce.json <<END
{"pattern": {"panels": {$(yoke yoke 15 0), $(yoke nape -15 180), $(most low_f 45 18 0 11 30), $(most low_b 45 -18 180 11 30), $(most frill_f 15 18 0 29 33), $(most frill_b 15 -18 180 29 33)},
 "stitches": [$(ends yoke nape 1 3), $(ends yoke nape 3 1), $(ends low_f low_b 0 2), $(ends low_f low_b 2 0), $(ends yoke low_f 0 3), $(ends nape low_b 0 3),
  $(ends frill_f frill_b 0 2), $(ends frill_f frill_b 2 0), $(ends low_f frill_f 1 3), $(ends low_b frill_b 1 3)]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
sed -i 's/\[0, 50, 15\]/[0, 80, 15]/; s/\[0, 50, -15\]/[0, 80, -15]/' flounce.json
expect 0 "$clothsim" wide.scene.json -v -o flounce -e 1 --set skirt.mesh.pattern=flounce.json --set skirt.mesh.resolution=0.03
says '2 of 6 panels are gathered or flared and start as waves of a ring'
start=flounce/skirt_0001.obj
read -r l h _ _ _ front <<<"$(panel frill_f)"
check "it is around the body, from x = $l to $h m and to z = $front m" awk "BEGIN { exit !($l < -0.35 && $h > 0.35 && $front > 0.35) }"
# Feet below it: its rows lean over them, and its sides still meet. Moved out of the feet, its front starts too far ahead.
toes() { # X, after N vertices
  for x in $(awk "BEGIN { print $1 - 0.04, $1 + 0.04 }"); do for y in 0.32 0.36; do for z in 0.1 0.3; do echo "v $x $y $z"; done; done; done
  for f in "1 2 4 3" "5 7 8 6" "1 5 6 2" "3 4 8 7" "1 3 7 5" "2 6 8 4"; do
    echo "f $(for k in $f; do echo $(($2 + k)); done | tr '\n' ' ')"
  done
}
legs=$(grep -c '^v ' legs.obj)
(cat legs.obj && toes 0.2 "$legs" && toes -0.2 $((legs + 8))) >feet.obj
expect 0 "$clothsim" wide.scene.json -v -o low_circle -e 1 --overwrite --set skirt.mesh.pattern=low_circle.json --set skirt.mesh.resolution=0.03 --set body.mesh.file=feet.obj
apart=$(apart 0001)
check "over feet its sides are $apart m apart" awk "BEGIN { exit !($apart > 0 && $apart < 0.015) }"
read -r _ _ _ _ _ front <<<"$(panel low_f)"
check "and it reaches to z = $front m" awk "BEGIN { exit !($front > 0.3) }"
# cuffs of sleeves become tubes before they are sewn to the sleeve, by frame 13
board() { # NAME LABEL X Y Z TURN WIDTH HEIGHT
  echo "\"$1\": {\"label\": \"$2\", \"translation\": [$3, $4, $5], \"rotation\": [0, $6, 0], \"vertices\": [[0, 0], [$7, 0], [$7, $8], [0, $8]],
    \"edges\": [{\"endpoints\": [0, 1]}, {\"endpoints\": [1, 2]}, {\"endpoints\": [2, 3]}, {\"endpoints\": [3, 0]}]}"
}
cat >cuff_tube.json <<END
{"pattern": {"panels": {$(board chest body -15 70 12 0 27 30), $(board arm_f arm 15 70 12 0 20 30), $(board arm_b arm 35 70 -12 180 20 30),
  $(board cuff_f arm 38 73 12 0 6 24), $(board cuff_b arm 44 73 -12 180 6 24)},
 "stitches": [$(ends chest arm_f 1 3), $(ends arm_f arm_b 0 0), $(ends arm_f arm_b 2 2), $(ends cuff_f cuff_b 0 0), $(ends cuff_f cuff_b 2 2),
  $(ends arm_f cuff_f 1 3), $(ends arm_b cuff_b 3 1)]},
 "properties": {"curvature_coords": "relative", "units_in_meter": 100}}
END
expect 0 "$clothsim" wide.scene.json -q -o cuff_tube -e 14 --set skirt.mesh.pattern=cuff_tube.json --set skirt.mesh.resolution=0.03
start=cuff_tube/skirt_0014.obj
read -r _ _ _ _ front _ <<<"$(panel cuff_f)"
read -r _ _ _ _ _ back <<<"$(panel cuff_b)"
check "the cuff's sides are at z = $back and $front m" awk "BEGIN { exit !($front - $back < 0.01) }"
read -r _ _ _ _ front _ <<<"$(panel arm_f)"
read -r _ _ _ _ _ back <<<"$(panel arm_b)"
check "those of the sleeve are not closed: $back and $front m" awk "BEGIN { exit !($front - $back > 0.03) }"
report
