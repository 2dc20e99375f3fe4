# Thirty random scenes of fast bodies through cloth, tested after every substep; make soak-fast runs more.
. "$ROOT/tests/cli/kit"
expect 0 "${PYTHON:-python3}" "$ROOT/tests/soak/fast" -n 30 --seed 19 --bin "$BIN"
grep -qx "30 passed, 0 failed" stdout || cat stdout
check "all thirty passed" grep -qx "30 passed, 0 failed" stdout
report
