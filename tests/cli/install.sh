# make install: every program with its man page, the cache reader and the add-on; make uninstall; the Debian package.
. "$ROOT/tests/cli/kit"
# -o: the programs are those that the other tests are using, and must not be linked anew meanwhile
build() {
  local program old=()
  for program in "$BIN"/cloth*; do old+=(-o "${program#"$ROOT/"}"); done
  env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -C "$ROOT" -j1 config="$CONFIG" "${old[@]}" "$@" >make.log 2>&1
}
check "make install" build install PREFIX=/opt/cloth DESTDIR="$PWD/root"
top=root/opt/cloth
for program in clothsim clothsim-tet clothcache clothdiff clothfarm clothview clothusd; do
  check "$program" test -x $top/bin/$program
  check "its man page" test -s $top/share/man/man1/$program.1
  if have groff; then
    equal "$(groff -man -Tutf8 -ww -z $top/share/man/man1/$program.1 2>&1 | head -3)" "" "warnings of groff"
    check "$program.1 has a synopsis" sh -c "groff -man -Tutf8 -P-cbou '$top/share/man/man1/$program.1' | grep -q SYNOPSIS"
  fi
  case $program in clothsim-tet | clothusd) continue ;; esac # the latter needs usd-core
  expect 0 $top/bin/$program --help
  for option in $(grep -oE -- '(^|[ ,])--[a-z][a-z-]*' stdout | tr -d ' ,' | sort -u); do
    check "$program's man page knows $option" grep -qF -- "**$option**" "$ROOT/docs/$program.1.md"
  done
done
check "schema" test -s $top/share/clothsim/scenes/clothsim.schema.json
check "the add-on" python3 -c "
import zipfile
names = zipfile.ZipFile('$top/share/clothsim/blender/clothsim_cache.zip').namelist()
assert sorted(names) == ['clothsim_cache/__init__.py', 'clothsim_cache/clothcache.py', 'clothsim_cache/simulate.py'], names"
check "the cache reader" test -s $top/share/clothsim/python/clothcache.py
tiny_scene >tiny.json
expect 0 $top/bin/clothsim tiny.json -q -o run
if ! python3 -c 'import numpy' 2>/dev/null; then
  skip "no numpy for Python"
else
  expect 0 env PYTHONPATH=$top/share/clothsim/python python3 -c "
import clothcache
assert clothcache.Cache('run/tiny.clothcache').positions('cloth', 0).shape == (81, 3)"
fi
check "make uninstall" build uninstall PREFIX=/opt/cloth DESTDIR="$PWD/root"
equal "$(find root -type f -o -type l | head -3)" "" "left by uninstall"

# the package: laid out as Debian has it, and the programs in it run
if [ "$CONFIG" = release ] && have dpkg-deb objdump; then
  check "make deb" build deb
  package=$(ls "$ROOT"/build/clothsim_*.deb)
  expect 0 dpkg-deb -x "$package" unpacked
  expect 0 unpacked/usr/bin/clothsim tiny.json -q -o packaged
  check "the same results" diff -r run packaged
  check "reader" test -s unpacked/usr/lib/python3/dist-packages/clothcache.py
  check "man page" test -s unpacked/usr/share/man/man1/clothdiff.1.gz
  expect 0 dpkg-deb -f "$package" Depends
  check "dependencies" grep -q 'libc6 (>= .*libcjson1' stdout
fi
report
