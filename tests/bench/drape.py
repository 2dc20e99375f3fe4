#!/usr/bin/python3
"""drape.py [options] [MATERIAL...]: a virtual Cusick drape meter (BS 5058, ISO 9073-9).

A disc of 30 cm lies on a disc of 18 cm and hangs over its edge. The drape coefficient is the share of the
ring beyond the support that the shadow from above still covers: 100 % of a board, 0 of a liquid. Nodes are
the waves of the shadow's outline: local maxima of its radius that stand 5 mm above the minima beside them.

The disc is clamped where the support is and starts uneven as cloth is: at its rim in waves of 2 to 8 around it,
5 mm high those of 2 and less the shorter they are, by the square of their length, the same on all meshes: all are
one specimen. A disc has several drapes, and this says which one it comes to. Of a specimen as flat as 0.1 mm, or
with waves of nearly the same height, the mesh's own unevenness has a say in that too.
Its weight comes on over seven seconds, as the standard has the ring around the support lowered slowly: a disc
that is dropped at once folds at whatever wavelength grows fastest, which is shorter. Two seconds follow for
what still rearranges itself; both take 2 substeps a frame. The number of nodes is decided while the weight
comes on, so these steps are solved fifty times better than normal: with forces balanced to 5 % the same disc
had five nodes on one mesh and six on the next. Then it hangs, with quality normal, until it rests:
until at most 1 % of its vertices move by more than 2 mm/s. Steps start from the last positions, as free flight
stirs the rim in every step, and forces are balanced ten times better than normal in the end.
Materials are presets, or JSON objects as a scene has them.
"""
import argparse
import json
import math
import os
import subprocess
import sys

import numpy as np

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
SPECIMEN, SUPPORT = 0.15, 0.09  # [m] radii
PRESETS = ("silk", "cotton", "wool", "denim", "leather", "ripstop",
           "silk-crepe", "cotton-poplin", "wool-suiting", "denim-rigid", "leather-nappa", "nylon-light")
# published ranges [%]: Matsudaira & Yang 2003 (silk, light synthetics); Gan, Ly & Steven 1991 (cotton 68.4);
# Memon 2021 (leather)
BANDS = {"silk": (20, 40), "cotton": (60, 76), "wool": (40, 70), "denim": (70, 90), "leather": (47, 70),
         "ripstop": (20, 40)}


def points(kind, cell, rng):
    """Vertices of the disc (n x 2): rings at both radii, and what is between by kind."""
    rings = [np.array([[r * math.cos(a), r * math.sin(a)] for a in np.arange(n) * 2 * math.pi / n])
             for r in (SUPPORT, SPECIMEN) for n in [round(2 * math.pi * r / cell)]]
    m = int(SPECIMEN / cell) + 2
    i, j = np.meshgrid(np.arange(-m, m + 1), np.arange(-m, m + 1))
    if kind == "hexagonal":
        inner = np.c_[(i + 0.5 * (j % 2)).ravel(), (j * math.sqrt(0.75)).ravel()] * cell
    else:
        inner = np.c_[i.ravel(), j.ravel()] * cell * 0.93
    if kind == "jittered":
        inner = inner + cell * 0.8 * (rng.random(inner.shape) - 0.5)
    r = np.hypot(inner[:, 0], inner[:, 1])
    keep = (r < SPECIMEN - 0.6 * cell) & (np.abs(r - SUPPORT) > 0.6 * cell)
    return np.concatenate(rings + [inner[keep]])


def delaunay(p):
    """Triangles (n x 3) of points by Bowyer & Watson; p is moved a little so that no four lie on a circle."""
    rng = np.random.default_rng(1)
    far = 10.0
    q = np.concatenate([p + 1e-7 * (rng.random(p.shape) - 0.5), [[-far, -far], [far, -far], [0, far]]])
    n = len(p)
    tri = np.array([[n, n + 1, n + 2]])
    circle = np.array([circumcircle(q[tri[0]])])
    for k in range(n):
        bad = ((circle[:, :2] - q[k]) ** 2).sum(1) < circle[:, 2]
        edges = {}
        for t in tri[bad]:
            for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])):
                if (b, a) in edges:
                    del edges[(b, a)]
                else:
                    edges[(a, b)] = True
        new = np.array([[a, b, k] for a, b in edges])
        tri = np.concatenate([tri[~bad], new])
        circle = np.concatenate([circle[~bad], [circumcircle(q[t]) for t in new]])
    return tri[(tri < n).all(1)]


def circumcircle(x):
    """Centre and radius squared."""
    (ax, ay), (bx, by), (cx, cy) = x[0], x[1], x[2]
    d = 2 * (ax * (by - cy) + bx * (cy - ay) + cx * (ay - by))
    a, b, c = ax * ax + ay * ay, bx * bx + by * by, cx * cx + cy * cy
    ux = (a * (by - cy) + b * (cy - ay) + c * (ay - by)) / d
    uy = (a * (cx - bx) + b * (ax - cx) + c * (bx - ax)) / d
    return [ux, uy, (ux - ax) ** 2 + (uy - ay) ** 2]


def shadow(x, tri, size=1200):
    """The shadow from above as a picture (size x size) of 32 cm."""
    picture = np.zeros((size, size), bool)
    at = (x[:, [0, 2]] / 0.32 + 0.5) * size
    for t in tri:
        a = at[t]
        lo = np.maximum(np.floor(a.min(0)).astype(int), 0)
        hi = np.minimum(np.ceil(a.max(0)).astype(int) + 1, size)
        if (hi <= lo).any():
            continue
        px, py = np.meshgrid(np.arange(lo[0], hi[0]) + 0.5, np.arange(lo[1], hi[1]) + 0.5)
        s = [(a[(k + 1) % 3][0] - a[k][0]) * (py - a[k][1]) - (a[(k + 1) % 3][1] - a[k][1]) * (px - a[k][0])
             for k in range(3)]
        inside = ((s[0] >= 0) & (s[1] >= 0) & (s[2] >= 0)) | ((s[0] <= 0) & (s[1] <= 0) & (s[2] <= 0))
        picture[lo[1]:hi[1], lo[0]:hi[0]] |= inside
    return picture


def measure(x, tri):
    """Drape coefficient [%] and number of nodes."""
    picture = shadow(x, tri)
    size = len(picture)
    area = picture.sum() * (0.32 / size) ** 2
    coefficient = 100 * (area - math.pi * SUPPORT ** 2) / (math.pi * (SPECIMEN ** 2 - SUPPORT ** 2))
    outline = []
    for a in np.arange(720) * 2 * math.pi / 720:
        r = np.arange(0.0, 0.158, 0.0002)
        u = ((r * math.cos(a)) / 0.32 + 0.5) * size
        v = ((r * math.sin(a)) / 0.32 + 0.5) * size
        hit = picture[v.astype(int), u.astype(int)]
        outline.append(r[hit].max() if hit.any() else 0)
    return coefficient, count_waves(np.array(outline), 0.005)


def count_waves(r, least):
    """Maxima of a closed curve that stand `least` above the minima on both sides."""
    r = np.roll(r, -int(r.argmin()))
    waves, low, high, rising = 0, r[0], r[0], True
    for value in np.append(r, r[0]):
        if rising:
            high = max(high, value)
            if high - low >= least and value <= high - least:
                waves, low, rising = waves + 1, value, False
        else:
            low = min(low, value)
            if value >= low + least:
                high, rising = value, True
    return waves


def waviness(p):
    """Heights (n) [m] of a specimen that is nearly flat: waves of every number from 2 to 8 around it."""
    r, phi = np.hypot(p[:, 0], p[:, 1]), np.arctan2(p[:, 1], p[:, 0])
    out = np.maximum(r - SUPPORT, 0) / (SPECIMEN - SUPPORT)
    return 5e-3 * out ** 2 * sum((2 / n) ** 2 * np.cos(n * phi + 2.4 * n * n) for n in range(2, 9))


def read_last(out, frames):
    path = f"{out}/disc_{frames:04d}.obj"
    with open(path) as f:
        return np.array([[float(w) for w in line.split()[1:4]] for line in f if line.startswith("v ")])


def drape(name, material, kind, cell, options):
    rng = np.random.default_rng(options.seed)
    p = points(kind, cell, rng)
    tri = delaunay(p)
    place = f"{options.out}/{name}_{kind}_{cell * 1000:g}"
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/disc.obj", "w") as f:
        for (u, v), y in zip(p, waviness(p)):
            f.write(f"v {u:.9g} {y:.9g} {v:.9g}\n")
        for a, b, c in tri:
            f.write(f"f {a + 1} {c + 1} {b + 1}\n")
    held = [int(k) for k in np.flatnonzero(np.hypot(p[:, 0], p[:, 1]) < SUPPORT + 1e-6)]
    scene = {
        "version": 1, "name": "drape", "quality": "normal",
        "frames": {"start": 0, "fps": 24, "rest_speed": 0.002},
        "phases": [{"name": "lower", "frames": {"end": options.lowered, "substeps": 2},
                    "solver": {"balance": 0.001, "step_tolerance": 0.01, "linear_tolerance": 0.01}},
                   {"name": "settle", "frames": {"end": options.lowered + 48, "substeps": 2}},
                   {"name": "hang", "frames": {"end": options.frames, "until": "rest"},
                    "solver": {"balance": 0.005}}],
        "gravity": [{"frame": 0, "value": [0, 0, 0]}, {"frame": options.lowered, "value": [0, -9.81, 0]}],
        "solver": {"start": "rest"},
        "objects": [{"name": "disc", "type": "cloth", "mesh": {"file": "disc.obj"},
                     "material": {**material, "damping": 3},
                     "membrane": {"law": options.law, "warp": "x"},
                     "springs": {"bending": options.bending},
                     "pins": [{"vertices": held}]}],
        "output": {"cache": False}}
    if options.self:
        scene["contact"] = {"response": "filter", "self": True, "thickness": 0.15 * cell}
    with open(f"{place}/drape.json", "w") as f:
        json.dump(scene, f)
    subprocess.run([f"{options.bin}/clothsim", f"{place}/drape.json", "-o", f"{place}/out", "--overwrite", "-q",
                    "-j1"],
                   check=True)
    with open(f"{place}/out/run.json") as f:
        run = json.load(f)
    coefficient, nodes = measure(read_last(f"{place}/out", run["last_frame"]), tri)
    return coefficient, nodes, run["last_frame"] / 24 if run["at_rest"] else None, len(p)


def main():
    q = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    q.add_argument("material", nargs="*", default=PRESETS, help="presets or JSON objects (all presets of cloth)")
    q.add_argument("--mesh", default="jittered", help="of jittered, hexagonal, square, by commas")
    q.add_argument("--cell", default="5", help="[mm] length of an edge, by commas")
    q.add_argument("--law", default="orthotropic", help="membrane: none, woven, orthotropic")
    q.add_argument("--bending", default="curvature")
    q.add_argument("--frames", type=int, default=720, help="at most, from the start")
    q.add_argument("--lowered", type=int, default=168, help="frame at which the whole weight is there")
    q.add_argument("--self", action="store_true", help="with self-contact")
    q.add_argument("--seed", type=int, default=1)
    q.add_argument("--bin", default=f"{ROOT}/bin")
    q.add_argument("--out", default=f"{ROOT}/build/release/bench/drape")
    options = q.parse_args()
    print("| material | mesh | edge [mm] | vertices | drape [%] | published | nodes | at rest after [s] |")
    print("|---|---|---|---|---|---|---|---|")
    for text in options.material:
        material = json.loads(text) if text.startswith("{") else {"preset": text}
        name = material.get("preset", "material")
        kin = {"nylon-light": "ripstop"}.get(name, name.split("-")[0])
        band = "%g-%g" % BANDS[kin] if kin in BANDS and not text.startswith("{") else ""
        for kind in options.mesh.split(","):
            for cell in options.cell.split(","):
                c, nodes, rest, n = drape(name, material, kind, float(cell) / 1000, options)
                rest = f"{rest:.1f}" if rest else "not"
                print(f"| {name} | {kind} | {cell} | {n} | {c:.1f} | {band} | {nodes} | {rest} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
