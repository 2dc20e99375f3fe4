#!/usr/bin/python3
"""dress.py [options] [PATTERN...]: sewing patterns sewn and draped on a body, all by the same scene.

A row per pattern: vertices, the largest gap of its seams, pairs of triangles that meet in any frame
(exact predicates, clothsim --verify-contact), the frame after which it was at rest, substeps at the
limit of iterations, time, and time of all threads. Patterns whose name ends in _apart stand on the body whose legs do.
"""
import argparse
import glob
import json
import os
import re
import resource
import subprocess
import sys
import time

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))

# all else is by default
SCENE = """{
  "objects": [
    {"name": "garment", "type": "cloth", "mesh": {"pattern": "%s", "resolution": %g}},
    {"name": "body", "type": "collider", "mesh": {"file": "%s"}}
  ],
  "output": {"obj": false}
}
"""


def cpu_seconds():
    """Of all programs that have ended [s]."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def dress(options, path):
    """Simulates one pattern. Returns its row."""
    name = os.path.splitext(os.path.basename(path))[0].replace("_specification", "")
    body = os.path.join(options.bodies, "mean_all%s.obj" % ("_apart" if name.endswith("_apart") else ""))
    scene, out = os.path.join(options.out, name + ".json"), os.path.join(options.out, name)
    with open(scene, "w") as f:
        f.write(SCENE % (os.path.abspath(path), options.resolution, os.path.abspath(body)))
    program = os.path.join(options.bin, "clothsim")
    begin, used = time.time(), cpu_seconds()
    command = [program, scene, "-v", "-o", out, "--overwrite", "-j", str(options.threads)]
    run = subprocess.run(command + options.set, capture_output=True, text=True)
    row = {"pattern": name, "seconds": time.time() - begin, "cpu": cpu_seconds() - used,
           "exit": run.returncode}
    if run.returncode:
        row["error"] = run.stderr.strip().splitlines()[-1]
        return row
    with open(os.path.join(out, "run.json")) as f:
        record = json.load(f)
    gaps = re.findall(r"largest gap is ([0-9.e+-]+) mm", run.stderr)
    cache = os.path.join(out, name + ".clothcache")
    verify = subprocess.run([program, "--verify-contact", cache], capture_output=True, text=True)
    pairs = re.search(r"(\d+) pairs", verify.stdout + verify.stderr) if verify.returncode else None
    row.update(vertices=record["vertices"], gap=max(map(float, gaps)) if gaps else 0,
               pairs=int(pairs.group(1)) if pairs else (0 if verify.returncode == 0 else -1),
               last=record["last_frame"], rest=record["at_rest"], substeps=record["substeps"],
               limit=record["unconverged_substeps"])
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--patterns", required=True, help="folder of patterns (GarmentCode's JSON)")
    parser.add_argument("--bodies", required=True, help="folder of the bodies they are for")
    parser.add_argument("--resolution", type=float, default=0.01, help="length of edges [m]")
    parser.add_argument("--bin", default=os.path.join(ROOT, "bin"))
    parser.add_argument("--out", default=os.path.join(ROOT, "build/dress"))
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all scenes")
    parser.add_argument("names", nargs="*", help="only patterns whose name contains one of these")
    options = parser.parse_args()
    options.set = [text for key in options.set for text in ("--set", key)]
    paths = [p for p in sorted(glob.glob(os.path.join(options.patterns, "*.json")))
             if not options.names or any(n in os.path.basename(p) for n in options.names)]
    if not paths:
        print("dress.py: there are no such patterns in %s" % options.patterns, file=sys.stderr)
        return 2
    os.makedirs(options.out, exist_ok=True)
    print("%-14s %8s %9s %6s %8s %12s %8s %8s" %
          ("pattern", "vertices", "gap [mm]", "pairs", "at rest", "at limit", "time [s]", "CPU [s]"))
    good = 0
    for path in paths:
        row = dress(options, path)
        if row["exit"]:
            print("%-14s %s" % (row["pattern"], row["error"]), flush=True)
            continue
        good += row["gap"] <= 0.5 and row["pairs"] == 0 and row["rest"]
        rest = "%d" % row["last"] if row["rest"] else "no"
        print("%-14s %8d %9.3g %6d %8s %5d / %4d %8.1f %8.1f" % (row["pattern"], row["vertices"], row["gap"], row["pairs"],
                                                        rest, row["limit"], row["substeps"], row["seconds"],
                                                              row["cpu"]), flush=True)
    print("%d of %d: sewn to 0.5 mm, at rest, no pairs" % (good, len(paths)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
