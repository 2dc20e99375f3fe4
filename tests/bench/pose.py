#!/usr/bin/python3
"""pose.py --bodies DIR [options]: a body raises its arms and lowers them in three garments made for it here.

The body goes from mean_all.obj (A pose) to mean_all_tpose.obj in 24 frames and back in 24, after 8 in which the garments come to lie. It
wears a tube around an upper arm, held by its upper ring, a skirt held at the waist, and a poncho that lies on its shoulders.

"pairs" are the substeps after which anything passes through anything (--verify-substeps), "lag" how far the body was behind the given one
at the worst [mm]; "off" how far a written vertex of the body is from the given one [mm], read back from the files; "strain" the largest in
a frame, "open" and "parts" the shares of substeps that ended unconverged and that were taken in parts, "cpu" the user time a frame [s].
"""
import argparse
import json
import math
import os
import resource
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS = ("garment", "vertices", "frames", "wanted", "pairs", "lag", "off", "strain", "open", "parts", "cpu")
HOLD, MOVE = 8, 24
END = 1 + HOLD + 2 * MOVE


def lofted(path, rings):
    """An OBJ of rings with alike many points each, one under the other; triangles of both diagonals in turn."""
    n = len(rings[0])
    with open(path, "w") as f:
        for ring in rings:
            for p in ring:
                f.write("v %.9g %.9g %.9g\n" % tuple(p))
        for j in range(len(rings) - 1):
            for i in range(n):
                a, b, c, d = (j * n + i, j * n + (i + 1) % n, (j + 1) * n + (i + 1) % n, (j + 1) * n + i)
                for t in ((a, b, c), (a, c, d)) if (i + j) % 2 else ((a, b, d), (b, c, d)):
                    f.write("f %d %d %d\n" % tuple(k + 1 for k in t))


def ellipse(center, u, v, n):
    turn = [2 * math.pi * k / n for k in range(n)]
    return [[c + math.cos(t) * a + math.sin(t) * b for c, a, b in zip(center, u, v)] for t in turn]


def mix(a, b, s):
    return [p + s * (q - p) for p, q in zip(a, b)]


def sleeve(cell):
    upper, lower, radius = [0.30, 1.23, -0.015], [0.47, 1.085, 0.011], 0.085
    axis = [q - p for p, q in zip(upper, lower)]
    length = math.hypot(*axis)
    e = [a / length for a in axis]
    u = [-e[1] * radius, e[0] * radius, 0.0]  # across the arm, in the plane of the body
    w = math.hypot(u[0], u[1])
    v = [(e[1] * 0 - e[2] * u[1]) / w * radius, (e[2] * u[0]) / w * radius, (e[0] * u[1] - e[1] * u[0]) / w * radius]
    n, m = round(2 * math.pi * radius / cell), round(length / cell)
    return [ellipse(mix(upper, lower, j / m), u, v, n) for j in range(m + 1)]


def skirt(cell):
    n, m = round(2 * math.pi * 0.21 / cell), round(0.5 / cell)
    rings = []
    for j in range(m + 1):
        s = j / m
        hip = min(1, s / 0.3)
        a, b = 0.17 + 0.05 * hip + 0.06 * s, 0.135 + 0.035 * hip + 0.06 * s
        rings.append(ellipse([0, 1.06 - 0.5 * s, 0.021 - 0.03 * hip], [a, 0, 0], [0, 0, b], n))
    return rings


def poncho(cell):
    n, m = round(2 * math.pi * 0.28 / cell), round(0.34 / cell)
    return [ellipse([0, 1.5 - 0.03 * j / m, 0.035], [0.115 + 0.34 * j / m, 0, 0], [0, 0, 0.115 + 0.34 * j / m], n) for j in range(m + 1)]


MAKE = {"sleeve": (sleeve, 1), "skirt": (skirt, 1), "poncho": (poncho, 0)}


def make(args, name):
    folder = f"{args.out}/{name}"
    os.makedirs(f"{folder}/keys", exist_ok=True)
    for k, pose in enumerate(("", "_tpose", "")):
        link = f"{folder}/keys/body_{k + 1:04d}.obj"
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(os.path.abspath(f"{args.bodies}/mean_all{pose}.obj"), link)
    objects = []
    for garment in MAKE if name == "all" else [name]:
        shape, pinned = MAKE[garment]
        rings = shape(args.cell)
        lofted(f"{folder}/{garment}.obj", rings)
        one = {"name": garment, "type": "cloth", "material": "cotton", "mesh": {"file": f"{garment}.obj"}}
        if pinned:
            one["pins"] = [{"vertices": [f"0-{len(rings[0]) - 1}"], "follow": "body"}]
        objects.append(one)
    body = {"name": "body", "type": "collider", "mesh": {"sequence": "keys/body_####.obj", "fps": 24 / MOVE, "offset": HOLD}}
    return write_scene(folder, name, END, objects + [body])


def write_scene(folder, name, end, objects):
    path = f"{folder}/{name}.json"
    with open(path, "w") as f:
        json.dump({"version": 1, "name": name, "frames": {"start": 1, "end": end, "fps": 24}, "objects": objects, "output": {"colliders": True}}, f, indent=1)
    return path


def points(path):
    return [tuple(map(float, line.split()[1:4])) for line in open(path) if line.startswith("v ")]


def distance_off(args, out, last):
    """Of the body as written from the given one, the largest in every fourth frame and the last [m]."""
    a, t = points(f"{args.bodies}/mean_all.obj"), points(f"{args.bodies}/mean_all_tpose.obj")
    most = 0.0
    for frame in sorted({*range(1, last + 1, 4), last}):
        s = max(0.0, min(2.0, (frame - 1 - HOLD) / MOVE))
        s = s if s <= 1 else 2 - s
        for p, q, r in zip(a, t, points(f"{out}/body_{frame:04d}.obj")):
            most = max(most, math.dist(mix(p, q, s), r))
    return most


def measured(args, name, path, end, distance):
    """The row of a scene; distance(out, last) is "off" of the frames up to the last, in the folder out [m]."""
    out = f"{args.out}/{name}/out"
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    command = [f"{args.bin}/clothsim", path, "-o", out, "--overwrite", "-q", "-j", str(args.threads), "--progress", "none",
               "--verify-substeps", "--max-time", f"{args.limit:g}"]
    subprocess.run(command + sum((["--set", s] for s in args.set), []), check=False)
    cpu = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    with open(f"{out}/run.json") as f:
        report = json.load(f)
    done, taken = report["last_frame"], max(1, report["substeps"])
    return {"garment": name, "vertices": report["vertices"], "frames": done, "wanted": end, "pairs": report["crossing_substeps"],
            "lag": 1e3 * report["worst"]["lag"]["value"], "off": 1e3 * distance(out, done),
            "strain": report["worst"]["strain"]["value"], "open": report["unconverged_substeps"] / taken,
            "parts": report["halved_substeps"] / taken, "cpu": cpu / max(1, done - 1)}


def add_options(p):
    p.add_argument("--cell", type=float, default=0.02, help="edges of the garments made here [m]")
    p.add_argument("--limit", type=float, default=3600, help="seconds after which a run is stopped")
    p.add_argument("--threads", type=int, default=1)
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="of every scene, as clothsim has it")
    p.add_argument("--bin", default=f"{ROOT}/bin")
    p.add_argument("--out", default=f"{ROOT}/build/bench/pose")


def tell_names():
    print(" ".join(f"{c:>8}" for c in COLUMNS), flush=True)


def tell(row, columns=COLUMNS):
    print(" ".join(f"{row[c]:>8.3g}" if isinstance(row[c], float) else f"{row[c]:>8}" for c in columns), flush=True)


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("garment", nargs="*", help="sleeve, skirt, poncho or all (each, then all)")
    p.add_argument("--bodies", required=True, help="folder with mean_all.obj and mean_all_tpose.obj")
    add_options(p)
    args = p.parse_args()
    tell_names()
    for name in args.garment or [*MAKE, "all"]:
        if name not in MAKE and name != "all":
            p.error(f"there is no garment {name}")
        tell(measured(args, name, make(args, name), END, lambda out, last: distance_off(args, out, last)))


if __name__ == "__main__":
    main()
