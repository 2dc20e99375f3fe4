# Cloth, a solid on soft pins and a solid on hard ones in one scene, by every method.
. "$ROOT/tests/cli/kit"

# run NAME SETTING...: two frames must come out, and every number in them be one
run() {
  local name=$1 sets=()
  shift
  for set; do sets+=(--set "$set"); done
  expect 0 "$clothsim" "$ROOT/scenes/mixed.json" -o out --overwrite -q -e 2 "${sets[@]}"
  equal "$(ls out/*_0002.obj | wc -l)" 3 "$name: bodies in the last frame"
  check "$name: finite" bash -c '! grep -qiE "nan|inf" out/*.obj'
}
for linear in pcg cholesky jacobi chebyshev-jacobi; do
  run "newton $linear" "solver.linear=\"$linear\"" solver.linear_iterations=50
done
for acceleration in none chebyshev nesterov; do
  run "descent $acceleration" 'solver.method="descent"' "solver.acceleration=\"$acceleration\""
done
for acceleration in none chebyshev anderson lbfgs; do
  run "pd $acceleration" 'solver.method="pd"' "solver.acceleration=\"$acceleration\"" solver.iterations=20
done
run pbd 'solver.method="pbd"' solver.iterations=10
run xpbd 'solver.method="xpbd"' solver.iterations=10
run "xpbd linear" 'solver.method="xpbd"' 'solver.projection="linear"'
run "bdf2" 'solver.integrator="bdf2"'
run "damped" banner.material.stretch_damping=0.05
for method in pd pbd xpbd descent; do
  run "damped $method" banner.material.stretch_damping=0.05 "solver.method=\"$method\""
done
run "damped symplectic" 'solver.method="symplectic"' banner.material.stretch_damping=0.001 frames.substeps=2000
run "counter-force" 'solver.pins="counter-force"'
run symplectic 'solver.method="symplectic"' frames.substeps=400
run explicit 'solver.method="explicit"' frames.substeps=2000

# a soft solid that hangs from its top (patches carry half its shear modulus and all of lambda): each method that
# knows moduli comes to the same rest, stretched by a sixth
cat >hung.json <<'END'
{"version": 1, "name": "hung", "frames": {"start": 0, "end": 48}, "contact": {"response": "none"}, "wind": {"density": 0},
 "objects": [{"name": "cube", "type": "solid", "elasticity": "neo-hookean",
   "mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [3, 3, 3]},
   "material": {"density": 1000, "modulus": 6000, "poisson": 0.45, "damping": 5}, "pins": [{"box": [[-1, 0.09, -1], [1, 1, 1]]}]}]}
END
hang() {
  expect 0 "$clothsim" hung.json -o "$@" --overwrite -q
}
hang hung_newton --set 'solver.method="newton"'
lowest=$(awk '/^v / && $3 < y { y = $3 } END { print y }' hung_newton/cube_0048.obj)
check "hung: lowest vertex at $lowest" awk -v y="$lowest" 'BEGIN { exit !(y < -0.130 && y > -0.135) }'
hang hung_descent --set 'solver.method="descent"' --set solver.iterations=300
hang hung_pd --set 'solver.method="pd"' --set solver.iterations=200
hang hung_xpbd --set 'solver.method="xpbd"' --set solver.iterations=1 --set frames.substeps=200
hang hung_linear --set 'solver.method="xpbd"' --set 'solver.projection="linear"' --set solver.iterations=10
hang hung_symplectic --set 'solver.method="symplectic"' --set frames.substeps=400
for method in descent pd xpbd linear symplectic; do
  expect 0 "$BIN/clothdiff" hung_newton/hung.clothcache hung_$method/hung.clothcache --frames 48:48 --atol 0.0005
done

# a strip clamped at one end bends by a table of curvature and angle, which stiffens: each method that can takes it
# to the same rest, the others refuse it
cat >strip.json <<'END'
{"version": 1, "name": "strip", "frames": {"start": 0, "end": 48, "substeps": 2}, "contact": {"response": "none"},
 "wind": {"density": 0}, "solver": {"integrator": "implicit-euler", "damping": 0},
 "objects": [{"name": "strip", "type": "cloth", "mesh": {"shape": "grid", "size": [0.1, 0.03], "cells": [10, 3]},
   "membrane": {"law": "orthotropic"}, "pins": [{"box": [[-1, -1, -1], [-0.039, 1, 1]]}],
   "material": {"density": 0.2, "stretch": 200, "damping": 20, "bend_table": [1e-5, 2e-4, 4e-4, 5e-4, 6e-4,
     1e-5, 2e-4, 4e-4, 5e-4, 6e-4, 1e-5, 2e-4, 4e-4, 5e-4, 6e-4]}}]}
END
bent() { # FOLDER SETTING...
  local sets=() out=$1
  shift
  for set; do sets+=(--set "$set"); done
  expect 0 "$clothsim" strip.json -o "$out" --overwrite -q "${sets[@]}"
}
bent strip_newton 'solver.method="newton"'
lowest=$(awk '/^v / && $3 < y { y = $3 } END { print y }' strip_newton/strip_0048.obj)
check "strip: lowest vertex at $lowest" awk -v y="$lowest" 'BEGIN { exit !(y < -0.050 && y > -0.053) }'
bent strip_cholesky 'solver.method="newton"' 'solver.linear="cholesky"'
bent strip_descent 'solver.method="descent"' solver.iterations=10 frames.substeps=400
bent strip_pd 'solver.method="pd"' solver.iterations=100
bent strip_symplectic 'solver.method="symplectic"' frames.substeps=400
for method in cholesky descent pd symplectic; do
  expect 0 "$BIN/clothdiff" strip_newton/strip.clothcache strip_$method/strip.clothcache --frames 48:48 --atol 0.0005
done
for method in pbd xpbd; do
  expect 2 "$clothsim" strip.json -o out --overwrite -q --set "solver.method=\"$method\"" --set 'strip.springs.bending="curvature"'
  says 'is no constraint that '$method' could project'
done

# positions that no frame can hold end the run: they were written as infinite, and the run was complete
cat >gone.json <<'END'
{"frames": {"end": 41, "substeps": 5}, "contact": {"response": "none"}, "wind": {"density": 0}, "output": {"obj": false},
 "solver": {"method": "xpbd", "projection": "linear", "integrator": "bdf2", "iterations": 10},
 "objects": [{"name": "strip", "type": "cloth", "mesh": {"shape": "grid", "size": [0.124, 0.031], "cells": [18, 4]},
   "material": {"density": 0.19, "stretch": 400, "bend": 4.3e-4, "damping": 14}, "pins": [{"box": [[-1, -1, -1], [-0.055, 1, 1]]}]}]}
END
expect 1 "$clothsim" gone.json -q -o gone
says 'positions are no longer finite'

# two linear solvers take the same step
strict=(--set solver.tolerance=1e-6 --set solver.iterations=100 --set solver.linear_tolerance=1e-6
  --set solver.linear_iterations=10000 -e 2 -q --overwrite)
expect 0 "$clothsim" "$ROOT/scenes/mixed.json" -o a "${strict[@]}"
expect 0 "$clothsim" "$ROOT/scenes/mixed.json" -o b "${strict[@]}" --set 'solver.linear="cholesky"'
expect 0 "$BIN/clothdiff" a/mixed.clothcache b/mixed.clothcache --atol 1e-6
report
