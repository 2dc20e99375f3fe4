# Options that change the scene, and those that only look at it.
. "$ROOT/tests/cli/kit"
tiny_scene >tiny.json

# frames
frames() { basename -a "$1"/*.obj | sed 's/.*_0*\([0-9]\)/\1/; s/.obj//' | tr '\n' ' '; }
expect 0 "$clothsim" tiny.json -o a -s 3 -e 5
equal "$(frames a)" "3 4 5 " "-s -e"
expect 0 "$clothsim" tiny.json -o b --frames 3:5
check "--frames is both" diff -r a b
expect 0 "$clothsim" tiny.json -o c --frames=6:6
equal "$(frames c)" "6 " "one frame"
expect 0 "$clothsim" tiny.json -o wide --frames 9998:10001
equal "$(ls wide | grep -c '_[0-9]\{5\}.obj')" 4 "numbers of one width"
expect 2 "$clothsim" tiny.json -o d --frames 5:3
expect 2 "$clothsim" tiny.json -o d --frames 5
expect 2 "$clothsim" tiny.json -o d -s x
expect 2 "$clothsim" tiny.json -o ""
says "its name is empty"
check "refused before anything is made" test ! -e d

# --set
expect 0 "$clothsim" tiny.json -o soft --set cloth.material.stretch=0.5x --set frames.substeps=2
equal "$("$LOOK" get soft/run.json substeps)" 10 "--set frames.substeps"
check "--set changes the result" sh -c '! cmp -s soft/cloth_0006.obj a/cloth_0005.obj'
expect 2 "$clothsim" tiny.json -o e --set frames.accuracy=0.1 --set frames.substeps=12
says "power of two"
expect 2 "$clothsim" tiny.json -o e --set frames.accuracy=0.1 --set 'solver.method="symplectic"'
says "implicit method"
expect 2 "$clothsim" tiny.json -o e --set frames.accuracy=0.1 --set 'solver.integrator="bdf2"'
says "implicit-euler"
expect 0 "$clothsim" tiny.json --check --set frames.accuracy=0.1 --set frames.substeps=32
check "as many substeps as it takes" grep -q "up to 32 substeps" stdout
expect 2 "$clothsim" tiny.json -o e --set cloth.materail.stretch=2
says material
expect 2 "$clothsim" tiny.json -o e --set cloth.material.stretch=tight
expect 2 "$clothsim" tiny.json -o e --set cloth.material.stretch=1e30
says "<= 1e+15"
expect 2 "$clothsim" tiny.json -o e --set cloth.material.stretch
expect 2 "$clothsim" tiny.json -o e --set nobody.material.stretch=1

# --check
mkdir checked && cd checked || exit 1
cp ../tiny.json .
expect 0 "$clothsim" --check tiny.json
check "--check tells what there is" grep -q "81 vertices.* 6 frames" stdout
expect 0 "$clothsim" --check --json tiny.json
check "--check --json" "$LOOK" lines stdout
equal "$("$LOOK" get stdout vertices)" 81 "vertices of --check"
springs=$("$LOOK" get stdout springs)
equal "$(ls | tr '\n' ' ')" "check.out stderr stdout tiny.json " "--check writes nothing"

# --print-config: a scene again, with the same hash and the same frames
expect 0 "$clothsim" tiny.json --print-config --set cloth.material.bend=2x
cp stdout printed.json
check "--print-config is plain JSON" "$LOOK" json printed.json
expect 0 "$clothsim" printed.json --print-config
check "printed twice" cmp stdout printed.json
expect 0 "$clothsim" tiny.json -o first --set cloth.material.bend=2x
expect 0 "$clothsim" printed.json -o second
check "the printed scene gives the same run" diff -r first second

# --dump-model
expect 0 "$clothsim" tiny.json --dump-model model.json
check "--dump-model is JSON" "$LOOK" json model.json
equal "$("$LOOK" get model.json mass)" 81 "masses"
equal "$("$LOOK" get model.json springs)" "$springs" "springs"
# of a grid of 9 x 9 vertices, an eighth of a metre apart
wrong=$(awk -F'[][, ]+' '/^\[/ { dx = $2 % 9 - $3 % 9; dy = int($2 / 9) - int($3 / 9)
  off = $5 - sqrt(dx * dx + dy * dy) / 8; n++; bad += off * off > 1e-20 || !($4 > 0) }
  END { print bad + 0, "of", n }' model.json)
equal "$wrong" "0 of $springs" "springs of another length"
expect 0 "$clothsim" tiny.json --dump-model levels.json --set cloth.springs.levels=2
check "--dump-model with levels is JSON" "$LOOK" json levels.json
expect 0 "$clothsim" tiny.json --check --json --set cloth.springs.levels=2
equal "$("$LOOK" get levels.json springs)" "$("$LOOK" get stdout springs)" "springs with levels"
for bending in quadratic dihedral cotangent; do
  expect 0 "$clothsim" tiny.json --check --json --set cloth.springs.bending=$bending
  check "hinges of $bending" test "$("$LOOK" get stdout hinges)" -gt 100
done
equal "$("$LOOK" get model.json gravity 1)" -9.8100000000000005 "gravity"
mass=$(tr -d '\n' <model.json | sed 's/.*"mass": \[\([^]]*\)\].*/\1/' | tr ', ' '\n\n' |
  awk '{ m += $1 } END { printf "%.9f", m }')
equal "$mass" 0.200000000 "mass of a square metre of cotton"

# the schema, the version, the help
expect 0 "$clothsim" --print-schema
check "--print-schema is JSON" "$LOOK" json stdout
expect 0 "$clothsim" --version
check "--version" grep -q '^clothsim [0-9]*\.[0-9]*\.[0-9]*' stdout
check "--version has the compiler" grep -q '^compiler: .*[0-9]' stdout
check "--version has the flags" grep -q '^flags: -O.*-ffp-contract=off' stdout
check "--version has the commit" grep -Eq '^commit: ([0-9a-f]{7,}(-dirty)?|unknown)$' stdout
expect 0 "$clothsim" --help
for option in $(grep -o -- '--[a-z][a-z-]*' stdout | sort -u); do
  check "completion knows $option" grep -q -- "$option\b" "$ROOT/tools/completion/clothsim.bash"
  check "man page knows $option" grep -qF -- "**$option**" "$ROOT/docs/clothsim.1.md"
done

# options of the compiler that would change results do not compile, and programs are hardened
for flag in -ffast-math -ffinite-math-only -Ofast; do
  expect 1 ${CC:-gcc} -std=c17 -I"$ROOT/lib" -include base/strict.h $flag -D_GNU_SOURCE -fsyntax-only "$ROOT/lib/math/vec3.c"
  says "clothsim cannot be built"
done
expect 0 ${CC:-gcc} -std=c17 -I"$ROOT/lib" -include base/strict.h -O3 -D_GNU_SOURCE -fsyntax-only "$ROOT/lib/math/vec3.c"
check "the Makefile reads strict.h" grep -q '^COMMON.*-include base/strict.h' "$ROOT/Makefile"
if [ "$CONFIG" = release ] && have readelf; then
  for program in "$BIN"/cloth*; do
    check "$program: RELRO" sh -c "readelf -lW '$program' | grep -q GNU_RELRO"
    check "$program: BIND_NOW" sh -c "readelf -dW '$program' | grep -qE 'BIND_NOW|FLAGS.*NOW'"
    check "$program: PIE" sh -c "readelf -hW '$program' | grep -q 'DYN'"
    check "$program: stack protector" sh -c "readelf -sW '$program' | grep -q __stack_chk_fail"
  done
  check "FORTIFY" sh -c "readelf -sW '$clothsim' | grep -qE '__(sn|vsn|mem|str|s)[a-z]*_chk'"
fi

# usage
expect 2 "$clothsim"
expect 2 "$clothsim" tiny.json
says "-o DIR"
expect 2 "$clothsim" tiny.json another.json -o f
expect 2 "$clothsim" tiny.json -o f --no-such-option
# a scene that is not there, and one that names what is not there
expect 3 "$clothsim" none.json --check
expect 2 "$clothsim" tiny.json --check --set 'cloth.mesh={"file": "none.obj"}'
says '/objects/0/mesh/file: file "none.obj" cannot be read'
expect 2 "$clothsim" tiny.json -o f -j 0
expect 2 "$clothsim" tiny.json -o f -j many
expect 2 "$clothsim" tiny.json -o f --progress=fancy
CLOTHSIM_THREADS=many expect 0 "$clothsim" tiny.json --check
says 'CLOTHSIM_THREADS is "many"'
expect 2 "$clothsim" tiny.json -o f --set solver.method=explicit
says "stable for substeps under"
check "nothing was made" test ! -e f
report
