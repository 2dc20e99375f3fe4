#!/usr/bin/python3
"""worn.py --dressed DIR [options] NAME=GROUP[,GROUP] ...: what dress.py has dressed is worn by a body that moves.

The body raises its arms from mean_all.obj (A pose) to mean_all_tpose.obj (T pose) in half of the frames and lowers them in the others.
The garment starts from the last frame of its dressing; its vertices in GROUP (labels of edges: lower_interface, left_collar) follow the body.

"pairs" are the substeps after which anything passes through anything (--verify-substeps), "lag" how far the body was behind the
given one at the worst [mm], "strain" the largest of a frame, "open" the share of substeps that ended unconverged, "cpu" seconds a frame.
"""
import argparse
import json
import os
import resource
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = ("garment", "vertices", "frames", "pairs", "lag", "strain", "open", "cpu")


def scene_of(args, name, groups):
    """Writes the scene. Returns its path."""
    folder = os.path.join(args.out, name)
    os.makedirs(os.path.join(folder, "keys"), exist_ok=True)
    for k, pose in enumerate(("", "_tpose", "")):
        link = os.path.join(folder, "keys", "body_%04d.obj" % (k + 1))
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(os.path.abspath(os.path.join(args.bodies, "mean_all%s.obj" % pose)), link)
    with open(os.path.join(args.dressed, name + ".json")) as f:
        garment = json.load(f)["objects"][0]
    garment["material"] = "cotton"
    garment["mesh"].update(closed=1, stiffness=1e5)
    garment["pins"] = [{"group": groups, "follow": "body"}]
    cache = os.path.abspath(os.path.join(args.dressed, name, name + ".clothcache"))
    scene = {"name": name, "frames": {"from": cache, "end": 1 + args.frames, "fps": 24}, "contact": {"thickness": 0.0015},
             "solver": {"balance": 0, "step_tolerance": 0.005},
             "objects": [garment, {"name": "body", "type": "collider",
                                   "mesh": {"sequence": "keys/body_####.obj", "fps": 48 / args.frames}}],
             "output": {"obj": False}}
    path = os.path.join(folder, name + ".json")
    with open(path, "w") as f:
        json.dump(scene, f, indent=1)
    return path


def measure(args, name, groups):
    out = os.path.join(args.out, name, "out")
    command = [os.path.join(args.bin, "clothsim"), scene_of(args, name, groups), "-o", out, "--overwrite", "-q", "-j", str(args.threads),
               "--progress", "none", "--verify-substeps"] + [w for s in args.set for w in ("--set", s)]
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    if subprocess.run(command, check=False).returncode:
        return None
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    with open(os.path.join(out, "run.json")) as f:
        run = json.load(f)
    return {"garment": name, "vertices": run["vertices"], "frames": run["last_frame"] - 1, "pairs": run["crossing_substeps"],
            "lag": 1e3 * run["worst"]["lag"]["value"], "strain": run["worst"]["strain"]["value"],
            "open": run["unconverged_substeps"] / max(1, run["substeps"]), "cpu": cpu / max(1, run["last_frame"] - 1)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dressed", default=os.path.join(ROOT, "build/dress"), help="folder that dress.py wrote")
    parser.add_argument("--bodies", required=True, help="folder with mean_all.obj and mean_all_tpose.obj")
    parser.add_argument("--frames", type=int, default=96)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--bin", default=os.path.join(ROOT, "bin"))
    parser.add_argument("--out", default=os.path.join(ROOT, "build/worn"))
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="for all scenes")
    parser.add_argument("garments", nargs="+", metavar="NAME=GROUP[,GROUP]")
    args = parser.parse_args()
    print(" ".join("%13s" % c for c in COLUMNS), flush=True)
    good = 0
    for text in args.garments:
        name, _, groups = text.partition("=")
        row = measure(args, name, groups.split(","))
        if not row:
            print("%13s failed" % name, flush=True)
            continue
        good += row["pairs"] == 0 and row["lag"] == 0 and row["frames"] == args.frames
        print(" ".join("%13.3g" % row[c] if isinstance(row[c], float) else "%13s" % row[c] for c in COLUMNS), flush=True)
    return 0 if good == len(args.garments) else 1


if __name__ == "__main__":
    sys.exit(main())
