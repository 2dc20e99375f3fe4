# Every command line in README, CONTRIBUTING and docs/ runs, in the order of its document: on few frames, make and installs by their
# targets alone, jobs without a farm.
. "$ROOT/tests/cli/kit"
export REAL=$BIN ROOT
mkdir -p tools given
wrap() { printf '#!/bin/bash\n%s\n' "$2" >"tools/$1" && chmod +x "tools/$1"; }
# loops and pipes hide exit codes: what fails is put down
for program in clothcache clothdiff clothview clothfarm; do
  wrap $program "\"\$REAL/$program\" \"\$@\" $([ $program = clothview ] && echo --size 96x64) || { code=\$?; echo \"$program \$*: \$code\" >>\"\$FAILED\"; exit \$code; }"
done
wrap clothsim 'words=()
while [ $# -gt 0 ]; do
  [ "$1" = -e ] && shift || words+=("$1")
  shift
done
"$REAL/clothsim" "${words[@]}" -e 3 || { code=$?; echo "clothsim: $code" >>"$FAILED"; exit $code; }'
wrap make 'for word; do
  case $word in
  -* | *=*) ;;
  *) grep -qE "^([a-z -]+ )?$word( [a-z -]+)?:" "$ROOT/Makefile" || { echo "make: no target $word" >>"$FAILED"; exit 2; } ;;
  esac
done'
wrap sudo 'exec "$@"'
wrap sbatch 'echo "Submitted batch job 7"'
wrap openjd '[ "$1" = run ] && [ -s "$2" ] || { echo "openjd $*: no template" >>"$FAILED"; exit 1; }'

# what the documents take for granted: the scene of README, its frames, and copies
awk '/^```jsonc$/ {on = 1; next} /^```$/ {on = 0} on' "$ROOT/README.md" >given/towel.json
cp given/towel.json given/scene.json
expect 0 "$clothsim" given/towel.json -q -o given/out -e 50 --set 'towel.mesh.cells=[3, 3]' --set frames.substeps=1
for copy in other a b golden farm frames; do cp -r given/out given/$copy; done
rm given/frames/*.clothcache given/frames/run*
ncommand=0
# attempt DOCUMENT LINE: what the line has failed at goes to $FAILED
attempt() {
  local line=$2
  case $line in
  .ci/run*)
    check "$1: $line" test -x "$ROOT/.ci/run"
    return
    ;;
  *.html*) [ -e "$ROOT/build/view/viewer.bundle.js" ] || { echo "not tried, without 'make view': $line" && return; } ;;
  *.mp4*) command -v ffmpeg >/dev/null || { echo "not tried, without ffmpeg: $line" && return; } ;;
  *jq*) command -v jq >/dev/null || { echo "not tried, without jq: $line" && return; } ;;
  esac
  ncommand=$((ncommand + 1))
  [[ $line != *clothsim\ * ]] || rm -rf out
  [ -e out ] || [[ $line == *clothsim\ * ]] || cp -r ../given/out .
  rm -f "$FAILED"
  (set -o pipefail && OUT=batch PATH=$PWD/../tools:$PATH bash -c "${line//\/farm\//farm/}") >log 2>&1 </dev/null
  [ $? = 0 ] || echo "exit code of the line" >>"$FAILED"
  [ ! -e "$FAILED" ] || cat "$FAILED" log >&2
  check "$1: $line" test ! -e "$FAILED"
}

for document in "$ROOT/README.md" "$ROOT/CONTRIBUTING.md" "$ROOT"/docs/*.md; do
  name=$(basename "$document")
  mkdir "$name.d" && cd "$name.d" || exit 1
  cp -r ../given/[!o]* . && mkdir other && cp -r ../given/other .
  ln -s "$ROOT/scenes" scenes && ln -s ../tools bin
  export FAILED=$PWD/failed
  while IFS= read -r line <&3; do
    attempt "$name" "$line"
  done 3< <(sed -E ':a; /\\$/ {N; s/\\\n */ /; ta}' "$document" |
    sed -nE 's/^ {4,}((bin\/|\.\/)?(clothsim|clothcache|clothdiff|clothview|clothfarm|make|until|exec|openjd|jq|sweep\/|\.ci\/)([ /].*)?)$/\1/p' |
    sed -E 's/ {2,}#.*//')
  cd .. && rm -rf "$name.d"
done
# and the targets of make within sentences
while read -r target; do
  check "make $target is a target" grep -qE "^([a-z -]+ )?$target( [a-z -]+)?:" "$ROOT/Makefile"
done < <(grep -ohE '`make [a-z-]+' "$ROOT/README.md" "$ROOT/CONTRIBUTING.md" "$ROOT"/docs/*.md | sed 's/.* //' | sort -u)
# tests/MAP.md names every module and every test, and only tests that exist
map=$ROOT/tests/MAP.md
for file in "$ROOT"/tests/unit/test_*.c; do
  name=$(basename "$file" .c)
  check "tests/MAP.md names $name" grep -qF "\`${name#test_}\`" "$map"
done
for file in "$ROOT"/lib/*/*.h; do
  module=${file#"$ROOT/lib/"}
  module=${module%.h}
  if ! grep -qsF "\"$module.h\"" "$ROOT/tests/unit/test_$(basename "$module").c"; then
    check "tests/MAP.md names $module" grep -qE "(^\| |, )$module(,| \|)" "$map"
  fi
done
while read -r name; do
  case $name in
  *.sh) check "tests/MAP.md: $name exists" test -f "$ROOT/tests/cli/$name" ;;
  *) check "tests/MAP.md: $name exists" test -f "$ROOT/tests/unit/test_$name.c" ;;
  esac
done < <(grep '^|' "$map" | grep -v '^| `lib/[a-z]*` ' | grep -oE '`[a-z_0-9.]+`' | tr -d '`' | sort -u)
check "$ncommand commands" test $ncommand -ge 35
report
