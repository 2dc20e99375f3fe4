# make layers holds, and notices what it is there to notice.
. "$ROOT/tests/cli/kit"
layers=$ROOT/tools/check-layers
check "the tree as it is" "$layers" "$ROOT"

broken() { # FILE LINE TEXT-OF-MESSAGE: a tree with one more line in FILE
  rm -rf tree && mkdir -p tree/lib/{base,math,scene} tree/cli tree/tools/view
  touch tree/lib/clothsim.h tree/lib/clothsim_cache.h tree/lib/base/pool.h tree/lib/math/vec3.h tree/lib/scene/scene.h
  touch tree/cli/options.h tree/tools/view/page.h
  echo '#include "base/pool.h"' >tree/lib/math/vec3.c
  echo '#include "view/page.h"' >tree/tools/clothview.c
  echo '#include "clothsim.h"' >tree/cli/clothsim.c
  echo '#include "clothsim_cache.h"' >tree/lib/clothsim.h
  if [ "$1" ]; then
    mkdir -p "$(dirname "tree/$1")"
    printf '\n%s\n' "$2" >>"tree/$1"
    expect 1 "$layers" tree
    check "place in $1" grep -q "^$1:[0-9]*: .*$3" stdout
  else
    expect 0 "$layers" tree
  fi
}
broken ''
broken lib/math/vec3.c '#include "scene/scene.h"' 'math/ is below scene/'
broken lib/base/pool.h '  #  include "math/vec3.h"' 'base/ is below math/'
broken lib/base/pool.c '#include <math/vec3.h>' 'base/ is below math/'
broken lib/base/pool.c '#include "../math/vec3.h"' climbs
broken lib/base/pool.c '#include "pool.h"' 'no header of lib/'
broken lib/clothsim.h '#include "base/pool.h"' 'stand alone'
broken lib/clothsim_cache.h '#include "clothsim.h"' 'stand alone'
broken lib/base/pool.c '#include "clothsim_cache.h"' 'include clothsim.h'
broken lib/attic/old.c '#include "base/pool.h"' 'no layer'
broken cli/clothsim.c '#include "base/pool.h"' 'only clothsim.h'
broken cli/clothsim.c '#include "view/page.h"' 'no header of cli/'
broken tools/clothview.c '#include "math/vec3.h"' 'only clothsim.h'
broken tools/view/page.c '#include "options.h"' 'no header of tools/'
broken lib/math/fast.cpp '' 'C++'
report
