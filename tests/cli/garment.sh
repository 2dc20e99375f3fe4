# A garment of three materials by groups, stiffened where it is painted: what hangs how, and what of the mesh comes back.
. "$ROOT/tests/cli/kit"
# a skirt that flares from a ring of 15 cm to one of 45 cm: yoke, panels and hem; red is painted on its front
skirt() { # COLUMNS ROWS
  awk -v n="$1" -v m="$2" 'BEGIN {
    pi = atan2(0, -1)
    for (j = 0; j <= m; j++) for (i = 0; i < n; i++) {
      phi = 2 * pi * i / n; r = 0.15 + 0.3 * j / m
      print "v", r * sin(phi), 1 - 0.5 * j / m, r * cos(phi), (cos(phi) > 0.8), 0, 0
    }
    for (j = 0; j <= m; j++) for (i = 0; i <= n; i++) print "vt", i / n, 1 - j / m
    for (j = 0; j < m; j++) {
      if (j == 0) print "g yoke"; if (j == int(m / 5)) print "g panels"; if (j == m - 2) print "g hem"
      for (i = 0; i < n; i++) {
        a = j * n + i + 1; b = j * n + (i + 1) % n + 1; c = b + n; d = a + n
        ta = j * (n + 1) + i + 1; tb = ta + 1; tc = tb + n + 1; td = ta + n + 1
        print "f", a "/" ta, d "/" td, c "/" tc, b "/" tb
      }
    }
  }'
}
skirt 48 20 >skirt.obj
cat >skirt.json <<'END'
{"name": "skirt", "frames": {"end": 25}, "contact": {"self": true}, "output": {"cache": false},
 "objects": [{"name": "skirt", "type": "cloth", "mesh": {"file": "skirt.obj"},
  "material": {"density": 0.1, "stretch": 400, "weft": 300, "shear": 20, "bend": 2e-6, "drag": 1, "damping": 1},
  "maps": [{"of": "density", "group": "hem", "low": 1, "high": 2}, {"of": "density", "group": "yoke", "low": 1, "high": 3},
           {"of": "stretch", "group": "yoke", "low": 1, "high": 5}, {"of": "shear", "group": "yoke", "low": 1, "high": 10},
           {"of": "bend", "group": ["yoke"], "low": 1, "high": 50}, {"of": "bend", "group": "hem", "low": 1, "high": 5},
           {"of": "bend", "property": "red", "low": 1, "high": 2000}],
  "pins": [{"vertices": ["0-47"]}]}]}
END
expect 0 "$clothsim" skirt.json -q -o out
check "a membrane with bending by curvature" sh -c "$clothsim skirt.json --print-config | grep -q '\"law\": \"orthotropic\"' && $clothsim skirt.json --print-config | grep -q '\"bending\": \"curvature\"'"
grep -v '^v ' skirt.obj >asked
grep -v '^v ' out/skirt_0025.obj >got
check "groups, texture coordinates and faces come back" cmp asked got
# The last ring's distance from the axis: even where the front is stiff, in folds behind. Of the front, draft,
# normal and final have 1.09, 1.13 and 1.19. Without paint its folds fall elsewhere with every digit: 2.2 to 7.3 over ten runs with
# other qualities, substeps and tolerances.
hem() { # FILE: largest over smallest distance in front, and behind
  awk '$1 == "v" && ++n > 960 && n <= 1008 { k = n - 961; r = sqrt($2 * $2 + $4 * $4)
    front = k < 5 || k > 43; behind = k > 12 && k < 36
    if (front) { if (!a || r < a) a = r; if (r > b) b = r }
    if (behind) { if (!c || r < c) c = r; if (r > d) d = r } }
    END { printf "%.3f %.3f\n", b / a, d / c }' "$1"
}
read -r front behind <<<"$(hem out/skirt_0025.obj)"
check "the painted front is even: $front, folds behind: $behind" awk "BEGIN { exit !($front < 1.5 && $behind > 2) }"
expect 0 "$clothsim" skirt.json -q -o plain --set 'skirt.maps=[]'
read -r front behind <<<"$(hem plain/skirt_0025.obj)"
check "without paint it folds in front too: $front" awk "BEGIN { exit !($front > 1.8) }"
report
