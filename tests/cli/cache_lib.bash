# cache_lib.bash: for the tests of clothcache and clothdiff: frames to work on.
. "$ROOT/tests/cli/kit"
clothcache=$BIN/clothcache
clothdiff=$BIN/clothdiff

frames() { # frames FOLDER NAME FIRST LAST [SIDE]: a waving sheet of quads with uv, in OBJ
  local folder=$1 name=$2 k
  mkdir -p "$folder"
  for k in $(seq "$3" "$4"); do
    LC_ALL=C awk -v k="$k" -v n="${5:-7}" -v name="$name" 'BEGIN {
      print "o " name
      for (j = 0; j < n; j++) for (i = 0; i < n; i++)
        printf "v %.6f %.6f %.6f\n", i / 8, 0.1 * sin(0.7 * i + 0.3 * k) * cos(0.5 * j), j / 8
      for (j = 0; j < n; j++) for (i = 0; i < n; i++) printf "vt %.6f %.6f\n", i / 8, j / 8
      for (j = 0; j + 1 < n; j++) for (i = 0; i + 1 < n; i++) {
        a = j * n + i + 1; b = a + 1; c = b + n; d = a + n
        printf "f %d/%d %d/%d %d/%d %d/%d\n", a, a, d, d, c, c, b, b
      }
    }' >"$folder/${name}_$(printf %04d "$k").obj"
  done
}
move() { # move FILE VERTEX DY: moves a vertex (from 0) upward
  LC_ALL=C awk -v at="$2" -v dy="$3" '$1 == "v" && n++ == at { $3 = sprintf("%.6f", $3 + dy) } { print }' \
    "$1" >"$1.tmp" && mv "$1.tmp" "$1"
}
