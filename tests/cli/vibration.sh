# Rubber and jelly go on vibrating, with the default settings. A strip of length L that is let go at its rest length
# swings between 0 and 2 delta below it, delta = density g L^2 / (2 E2D). Woven cloth comes to rest.
. "$ROOT/tests/cli/kit"
# swing FOLDER OBJECT FIRST LAST: of the end that is far from the pins at 1 m, between two frames, [m]
swing() {
  "${PYTHON:-python3}" -c 'import sys
folder, name, first, last = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
def heights(k):
    return [float(l.split()[2]) for l in open(f"{folder}/{name}_{k:04d}.obj") if l.startswith("v ")]
start = heights(1)
far = max(abs(y - 1) for y in start)
end = [i for i, y in enumerate(start) if abs(y - 1) > 0.999 * far]
found = [sum(heights(k)[i] for i in end) / len(end) for k in range(first, last + 1)]
print(max(found) - min(found))' "$@"
}
strip() { # MATERIAL
  cat <<END
{"frames": {"end": 73}, "wind": {"density": 0}, "objects": [
  {"name": "strip", "type": "cloth", "material": "$1", "mesh": {"shape": "grid", "size": [0.1, 2], "cells": [2, 40]},
   "rotation": [90, 0, 0], "pins": [{"box": [[-1, 0.999, -1], [1, 2, 1]]}]}]}
END
}
strip rubber >rubber.json
expect 0 "$clothsim" rubber.json -q -o rubber
first=$(swing rubber strip 1 25) last=$(swing rubber strip 49 73)
check "rubber swings by $first" awk "BEGIN { d = 0.93 * 9.81 * 4 / 1500; exit !($first > 0.9 * d && $first < 1.02 * d) }"
check "by $last in the third second" awk "BEGIN { exit !($last > 0.6 * $first) }"
strip cotton >cotton.json
expect 0 "$clothsim" cotton.json -q -o cotton
last=$(swing cotton strip 49 73)
check "cotton swings by $last in the third second" awk "BEGIN { exit !($last < 1e-4) }"

cat >jelly.json <<'END'
{"frames": {"end": 49}, "wind": {"density": 0}, "objects": [
  {"name": "jelly", "type": "solid", "material": "jelly", "position": [0, 1.15, 0],
   "mesh": {"shape": "box", "size": [0.2, 0.3, 0.2], "cells": [4, 6, 4]}, "pins": [{"box": [[-1, 0.99, -1], [1, 1.001, 1]]}]}]}
END
expect 0 "$clothsim" jelly.json -q -o jelly
first=$(swing jelly jelly 1 25) last=$(swing jelly jelly 25 49)
check "jelly swings by $first, then $last" awk "BEGIN { exit !($last > 0.75 * $first) }"
sed 's/"jelly", "position"/{"preset": "jelly", "numerical_damping": 1}, "position"/' jelly.json >damped.json
expect 0 "$clothsim" damped.json -q -o damped
damped=$(swing damped jelly 25 49)
check "by $damped with numerical damping" awk "BEGIN { exit !($damped < 0.6 * $last) }"
report
