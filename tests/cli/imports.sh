#!/usr/bin/env bash
# imports.sh: mistakes with meshes from other programs: each message says where it is and what to do.
. "$ROOT/tests/cli/kit"

# an Alembic file of a ball that moves and a sheet that does not
cat >rig.json <<'END'
{"name": "rig", "frames": {"end": 4, "substeps": 1}, "gravity": [0, 0, 0], "wind": {"density": 0},
 "output": {"obj": false, "colliders": true, "formats": ["abc"]},
 "objects": [
  {"name": "sheet", "type": "cloth", "material": "cotton", "mesh": {"file": "sheet.obj"}},
  {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 40}, "position": [0, -90, 0],
   "motion": [{"frame": 1, "position": [0, -90, 0]}, {"frame": 4, "position": [0, -80, 0]}]}]}
END
printf '%s\n' "v 0 0 0" "v 0 0 1" "v 1 0 1" "v 1 0 0" "g collar left" "usemtl silk" "f 1 2 3 4" >sheet.obj
expect 0 "$clothsim" rig.json -q -o rig
cp rig/rig.abc hero.abc

# mistake WHAT-IT-SAYS COLLIDER'S-MESH [CLOTH'S KEYS [SCENE'S KEYS]]
mistake() {
  cat >s.json <<END
{"frames": {"end": 2, "substeps": 1}, ${4-}
 "objects": [
  {"name": "body", "type": "collider", "position": [0, -500, 0], "mesh": $2},
  {"name": "shirt", "type": "cloth", "material": "cotton", ${3-"\"mesh\": {\"shape\": \"grid\", \"cells\": [2, 2]}"}}]}
END
  outputs "${code:-2}" "$1" "$clothsim" s.json --progress none -o out --overwrite
}
ball='{"sequence": "hero.abc", "object": "ball", "unit": "m"}'
code=0 mistake "all frames written" "$ball"

mistake 'has no object "bal", did you mean "ball"?' '{"sequence": "hero.abc", "object": "bal"}'
mistake 'has no object "bll/ballShape", did you mean "ball/ballShape"?' '{"sequence": "hero.abc", "object": "bll/ballShape"}'
mistake 'has no object "/body/skin"; its first mesh is "/' '{"sequence": "hero.abc", "object": "/body/skin"}'
mistake 'say which with "object", for example' '{"sequence": "hero.abc"}'
mistake 's.json:3:87: error: /objects/0/mesh/sequence: file "her.abc" cannot be read: No such file or directory, did you mean "hero.abc"?' \
  '{"sequence": "her.abc"}'
mistake '"~" is not replaced' '{"sequence": "~/hero.abc"}'
mistake '/objects/0/mesh/squence: unknown key, did you mean "sequence"?' '{"squence": "hero.abc"}'
mistake '"cmm" is unknown; expected "um", "mm", "cm"' '{"sequence": "hero.abc", "object": "ball", "unit": "cmm"}'
mistake "has frames 1 to 4, and not 99" '{"file": "hero.abc", "object": "ball", "frame": 99}'
mistake 'it must be an OBJ' '{"file": "s.json"}'
for name in hero.fbx hero.GLB hero.blend; do
  echo something >$name
  mistake "$name: error: is in a format that is not read: export it as Alembic (.abc), OBJ or PLY" "{\"file\": \"$name\"}"
done
printf '\x89HDF\r\n\x1a\n%50s' x >old.abc
mistake "convert it to Ogawa" '{"sequence": "old.abc"}'
head -c 2000 hero.abc >cut.abc
code=3 mistake "cut.abc: error: the Alembic file is damaged" '{"sequence": "cut.abc", "object": "ball"}'

# what can be meant, but hardly is
code=0 mistake 'warning: /objects/0/mesh: "body" is 80 m large: if hero.abc is in centimetres, add "unit": "cm", else "m"' \
  '{"sequence": "hero.abc", "object": "ball"}'
code=0 mistake 'warning: /objects/0/mesh: "body" stands still, though hero.abc moves it: "sequence" in place of "file" plays it' \
  '{"file": "hero.abc", "object": "ball", "unit": "m"}'
for mesh in '{"file": "hero.abc", "object": "ball", "unit": "m", "frame": 1}' '{"file": "hero.abc", "object": "sheet"}' "$ball"; do
  code=0 mistake "all frames written" "$mesh"
  check "no doubt about $mesh" sh -c '! "$0" s.json --check 2>&1 | grep warning' "$clothsim"
done

# names of groups, keys of elsewhere
sheet='"mesh": {"file": "hero.abc", "object": "sheet"}'
mistake 'has no group, object or material "colar"; it has "collar", "left", "silk"' "$ball" "$sheet, \"pins\": [{\"group\": \"colar\"}]"
mistake 'has no group, object or material "wool"; it has "collar", "left", "silk"' "$ball" \
  "$sheet, \"maps\": [{\"of\": \"density\", \"high\": 2, \"group\": \"wool\"}]"
mistake '/fps: unknown key: it is a key of "frames"' "$ball" "$sheet" '"fps": 24,'
mistake '/units: expected an object { } with keys such as "length", found string "cm"' "$ball" "$sheet" '"units": "cm",'
mistake '/up: unknown key: it is a key of "units"' "$ball" "$sheet" '"up": "z",'
mistake '/render_meshes: unknown key: it is a key of "objects"' "$ball" "$sheet" '"render_meshes": [],'
mistake '/objects/1/gravity: unknown key: it is a key of the scene itself' "$ball" "$sheet, \"gravity\": [0, 0, 0]"

# a pipe that nobody writes into
mkfifo pipe.obj
code=3 mistake "nothing has been written into this pipe" '{"file": "pipe.obj"}'
# a place in a mesh file is a line
printf 'v 0 0 0\nv 1 0\n' >short.obj
echo '{"objects": [{"name": "c", "type": "cloth", "material": "cotton", "mesh": {"file": "short.obj"}}]}' >short.json
expect 2 "$clothsim" short.json --check
says "short.obj:2: error: "
expect 2 "$clothsim" short.json --check --json
says '"file": "short.obj", "line": 2, "text"'
report
