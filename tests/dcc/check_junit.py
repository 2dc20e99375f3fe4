"""check_junit.py FOLDER BIN: clothdiff's JUnit XML as junitparser reads it, which CI services use: for every end of a
comparison, cases and what failed in them, and that no difference is without a failure, no failure without a difference."""
import os
import shutil
import subprocess
import sys

from common import check, report
from junitparser import Error, Failure, JUnitXml

folder, binaries = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
os.chdir(folder)


def frames(place, *names, move=None, count=3):
    """OBJ frames of squares; move: (name, frame, how far its first vertex)."""
    os.makedirs(place, exist_ok=True)
    for name in names:
        for k in range(1, count + 1):
            up = move[2] if move and move[:2] == (name, k) else 0
            with open(os.path.join(place, f"{name}_{k:04d}.obj"), "w") as file:
                file.write(f"g one\nv 0 {up} 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nvt 0 0\nf 1/1 2/1 3/1 4/1\n")
    return place


def compare(status, a, b, *options):
    """The report, and its cases that failed as {(class, name): text}."""
    done = subprocess.run([f"{binaries}/clothdiff", "--junit", "report.xml", *options, a, b], capture_output=True)
    what = f"{a} and {b} {options}"
    check(done.returncode == status, f"{what}: exit status {done.returncode}, not {status}")
    suites = list(JUnitXml.fromfile("report.xml"))
    check(len(suites) == 1, f"{what}: one suite")
    cases = list(suites[0])
    bad = {(c.classname, c.name): r for c in cases for r in c.result}
    kinds = [type(r) for r in bad.values()]
    check(suites[0].tests == len(cases) == len({(c.classname, c.name) for c in cases}), f"{what}: cases, each under its own name")
    check(suites[0].failures == kinds.count(Failure) and suites[0].errors == kinds.count(Error), f"{what}: counts")
    check(all(r.type and r.message and r.text for r in bad.values()), f"{what}: type, message and text of {bad}")
    check((Error in kinds) == (status == 2) and (not kinds) == (status == 0), f"{what}: {kinds} with exit status {status}")
    return {key: f"{r.message} {r.text}" for key, r in bad.items()}, cases


a = frames("a", "cloth", "hat")
bad, cases = compare(0, a, frames("same", "cloth", "hat"))
check({c.name for c in cases} == {"everything was read", "every object was compared", "frames and objects", "cloth", "hat"},
      f"names of cases: {[c.name for c in cases]}")
bad, _ = compare(1, a, frames("moved", "cloth", "hat", move=("hat", 2, 0.5)))
check(list(bad) == [("clothdiff.obj", "hat")] and "1 frames fail, first 2; largest distance 0.5" in bad["clothdiff.obj", "hat"], f"moved: {bad}")
bad, _ = compare(1, a, frames("fewer", "cloth"))
check(list(bad) == [("clothdiff.obj", "frames and objects")], f"an object is missing: {bad}")
bad, _ = compare(1, a, frames("shorter", "cloth", "hat", count=2))
check(list(bad) == [("clothdiff.obj", "frames and objects")], f"a frame is missing: {bad}")
# another kind of output on the other side, which has not all objects
subprocess.run([f"{binaries}/clothcache", "import", "fewer", "--fps", "24", "-o", "fewer.clothcache"], check=True)
bad, _ = compare(1, a, "fewer.clothcache")
check(list(bad) == [("clothdiff.run", "every object was compared")] and "hat is only in a" in str(bad), f"compared with nothing: {bad}")
# groups, texture coordinates
shutil.copytree(a, "other")
with open("other/hat_0001.obj") as file:
    text = file.read()
for k in (1, 2, 3):
    with open(f"other/hat_{k:04d}.obj", "w") as file:
        file.write(text.replace("g one", "g two").replace("vt 0 0", "vt 1 0"))
compare(0, a, "other")
for option, word in (("--tags", "groups"), ("--uvs", "texture coordinates")):
    bad, _ = compare(1, a, "other", option)
    check(word in str(bad), f"{option}: {bad}")
# not a number, not readable, not to be told, not there
shutil.copytree(a, "nan")
with open("nan/cloth_0002.obj", "w") as file:
    file.write(text.replace("v 1 0 0", "v nan 0 0"))
bad, _ = compare(1, a, "nan")
check("unreadable 1" in bad.get(("clothdiff.obj", "cloth"), ""), f"not a number: {bad}")
for place in ("glb", "glb2"):
    shutil.copytree(a, place)
    with open(f"{place}/run.glb", "w") as file:
        file.write(place)
bad, _ = compare(2, "glb", "glb2")
check("run.glb" in str(bad), f"not read: {bad}")
bad, _ = compare(2, a, "nowhere")
check("nowhere" in str(bad), f"not there: {bad}")
# names that XML cannot hold as they are
for name in ('<a> & "b"', "größe ￾", b"n\xe9\x01".decode(errors="surrogateescape")):
    place = frames(name, "cloth", "hat", move=("cloth", 1, 1))
    compare(1, a, place)
compare(1, frames("é&<", 'clo&<">th'), frames("é&", 'clo&<">th', move=('clo&<">th', 1, 1)))
print("junitparser: JUnit of clothdiff, for every end of a comparison")
sys.exit(report())
