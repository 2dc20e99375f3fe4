"""peers.py: what benchmarks share that run clothsim beside other programs: processes that are measured, frames in
and out, pairs of triangles that meet, and Blender."""
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import threading
import time

import numpy as np

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
BPY = f"{ROOT}/build/dcc/venv/bin/python"  # has Blender as a module


def give_up(message):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {message}")


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def measured(command, log, codes=(0,)):
    """Runs it, which must end with one of the exit codes; its wall time [s], user time [s] and largest resident
    memory [bytes]."""
    peak = [0]

    def watch(pid):
        # not ru_maxrss, in which Linux counts what the child was before exec: a copy of this program
        for wait in itertools.chain([0.001] * 100, itertools.repeat(0.02)):
            try:
                with open(f"/proc/{pid}/status") as f:
                    found = re.search(r"VmHWM:\s*(\d+) kB", f.read())
            except OSError:
                return
            if not found:
                return
            peak[0] = max(peak[0], int(found[1]) * 1024)
            time.sleep(wait)

    with open(log, "wb") as out:
        start = time.monotonic()
        child = subprocess.Popen(command, stdout=out, stderr=out)
        watcher = threading.Thread(target=watch, args=(child.pid,))
        watcher.start()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.monotonic() - start
        watcher.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode not in codes:
        with open(log, errors="replace") as text:
            sys.stderr.write("".join(text.readlines()[-20:]))
        give_up(f"exit code {child.returncode} of {' '.join(command)}")
    return wall, max(usage.ru_utime, 1e-3), peak[0]  # a run may be shorter than the kernel's tick


def read_pc2(path):
    """(frames, vertices, 3) without reading it all at once."""
    with open(path, "rb") as f:
        nvert, _, _, count = struct.unpack_from("<iffi", f.read(32), 16)
    return np.memmap(path, np.float32, "r", 32, (count, nvert, 3))


def write_obj(path, xyz, faces):
    with open(path, "w") as f:
        f.write("\n".join(map("v %.9g %.9g %.9g".__mod__, map(tuple, xyz.tolist()))) + "\n" + faces)


def face_lines(tri):
    return "\n".join(map("f %d %d %d".__mod__, map(tuple, (tri + 1).tolist()))) + "\n"


def pairs(programs, cache, frames):
    """Pairs of triangles that meet, over all frames; programs is the folder of clothsim's."""
    run = subprocess.run([f"{programs}/clothsim", "--verify-contact", cache, "--json"],
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    if run.returncode > 1:
        give_up(f"{cache} cannot be verified")
    report = json.loads(run.stdout)
    if report["frames"] != frames:
        give_up(f"{cache} has {report['frames']} frames instead of {frames}")
    return report["crossing"]


def imported(programs, frames, cache, count, fps, *more):
    """Pairs that meet in a cache made of so many frames."""
    subprocess.run([f"{programs}/clothcache", "import", frames, "--fps", str(fps), "-o", cache, *more],
                   check=True, stdout=subprocess.DEVNULL)
    return pairs(programs, cache, count)


def need_blender(program):
    if program == "blender" and not shutil.which("blender"):
        give_up("there is no blender: make deps-bench")
    if program == "bpy" and not os.path.exists(BPY):
        give_up(f"there is no {BPY}: make deps-dcc")


def run_blender(program, job, place):
    """Runs blender_cloth.py in Debian's Blender, or in bpy, in a folder. Its times; the rest is in the folder."""
    with open(f"{place}/job.json", "w") as f:
        json.dump(job, f)
    os.environ["BLENDER_USER_RESOURCES"] = f"{place}/settings"  # not the settings of who runs this
    script = f"{ROOT}/tests/bench/blender_cloth.py"
    command = [BPY, script]
    if program == "blender":
        command = ["blender", "-b", "-t", "2", "--python-exit-code", "1", "-P", script]
    measured([*command, "--", place], f"{place}/log")
    return read_times(place)


def read_times(place):
    with open(f"{place}/times.json") as f:
        return json.load(f)
