#!/usr/bin/python3
"""drape.py [options] [MATERIAL...]: a virtual Cusick drape meter (BS 5058, ISO 9073-9).

A disc of 30 cm lies on a disc of 18 cm and hangs over its edge. The drape coefficient is the share of the
ring beyond the support that the shadow from above still covers: 100 % of a board, 0 of a liquid. Nodes are
the waves of the shadow's outline: local maxima of its radius that stand 5 mm above the minima beside them.

The disc is clamped where the support is. A clamp of held cells is half a row before the last held one
(docs/validation.md), so two rings are held, half a cell inside the support's edge and half a cell outside: `--plate` compares the sag under
little weight with a plate's. With the last held ring on the edge discs sagged 15 % (4 mm) to 27 % (6 mm) too much.
The specimen is as uneven as cloth is: at its rim in waves of 2 to 8 around it, 5 mm high those of 2 and less the
shorter they are, by the square of their length, the same on all meshes: all are one specimen.
A disc has several drapes, and which one it comes to is decided when it first buckles, at a tenth of its weight. So
it lies without weight for a second, until what is uneven rests, and the weight comes on as the square of time, over
eight seconds: sag grows evenly, as the standard has the ring around the support lowered slowly. With a weight that grew
evenly the disc buckled after a third of a second, in whatever wave its own vibration was in then.
Two seconds follow for what still rearranges itself; all this takes 2 substeps a frame. Then it hangs until it rests:
until at most 1 % of its vertices move by more than 2 mm/s. Quality is normal throughout, without settings of the
solver, but that steps start from the last positions: free flight would stir the rim in every step.
Materials are presets, or JSON objects as a scene has them.
Cells of the table: drape coefficient, nodes, and when it was at rest. Of each material it says the spread of the coefficient in
points, and what is missed of: at most 5 points of spread, within the published range, 3 to 8 nodes, the same number at all
resolutions of a mesh, at rest. The exit code is 1 where something is missed.
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
    """Vertices of the disc (n x 2): the last held ring, the one before it, the rim, and the rest by kind."""
    radii = (SUPPORT - cell / 2, SUPPORT + cell / 2, SPECIMEN)
    rings = [np.array([[r * math.cos(a), r * math.sin(a)] for a in np.arange(n) * 2 * math.pi / n])
             for r in radii for n in [round(2 * math.pi * r / cell)]]
    m = int(SPECIMEN / cell) + 2
    i, j = np.meshgrid(np.arange(-m, m + 1), np.arange(-m, m + 1))
    if kind == "hexagonal":
        inner = np.c_[(i + 0.5 * (j % 2)).ravel(), (j * math.sqrt(0.75)).ravel()] * cell
    else:
        inner = np.c_[i.ravel(), j.ravel()] * cell * 0.93
    if kind == "jittered":
        inner = inner + cell * 0.8 * (rng.random(inner.shape) - 0.5)
    r = np.hypot(inner[:, 0], inner[:, 1])
    keep = (r < SPECIMEN - 0.6 * cell) & (np.abs(r - SUPPORT) > 1.1 * cell)
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


def lowering(last):
    """Keys of gravity: none for a second, while the specimen lies; then as the square of time until frame `last`."""
    return [{"frame": 24, "value": [0, 0, 0]}] + [
        {"frame": 24 + k * (last - 24) // 16, "value": [0, -9.81 * (k / 16) ** 2, 0]} for k in range(1, 17)]


def write_disc(place, p, heights, tri):
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/disc.obj", "w") as f:
        for (u, v), y in zip(p, heights):
            f.write(f"v {u:.9g} {y:.9g} {v:.9g}\n")
        for a, b, c in tri:
            f.write(f"f {a + 1} {c + 1} {b + 1}\n")


def held(p, cell):
    return [int(k) for k in np.flatnonzero(np.hypot(p[:, 0], p[:, 1]) < SUPPORT + 0.6 * cell)]


def simulate(place, scene, options):
    with open(f"{place}/drape.json", "w") as f:
        json.dump(scene, f)
    subprocess.run([f"{options.bin}/clothsim", f"{place}/drape.json", "-o", f"{place}/out", "--overwrite", "-q",
                    "-j1"],
                   check=True)


def plate_sag(load, bend):
    """Sag of the rim [m] of a plate without Poisson's ratio, clamped at the support, under a load [N/m^2]: of
    w = c0 + c1 r^2 + c2 log r + c3 r^2 log r + load r^4 / (64 bend) with w = w' = 0 at the support and neither
    moment nor shear force at the rim (Timoshenko and Woinowsky-Krieger, Theory of Plates and Shells, 1959)."""
    b, a, k = SUPPORT, SPECIMEN, load / (64 * bend)
    conditions = [[1, b * b, math.log(b), b * b * math.log(b)], [0, 2 * b, 1 / b, 2 * b * math.log(b) + b],
                  [0, 2, -1 / a ** 2, 2 * math.log(a) + 3], [0, 0, 0, 4 / a]]
    c = np.linalg.solve(conditions, [-k * b ** 4, -4 * k * b ** 3, -12 * k * a * a, -32 * k * a])
    return c @ [1, a * a, math.log(a), a * a * math.log(a)] + k * a ** 4


def compare_plate(kind, cell, options):
    """Mean sag of the disc's rim under little weight, relative to a plate's."""
    p = points(kind, cell, np.random.default_rng(options.seed))
    tri, place = delaunay(p), f"{options.out}/plate_{kind}_{cell * 1000:g}"
    write_disc(place, p, np.zeros(len(p)), tri)
    density, bend, g = 0.2, 2.1e-5, 1e-3
    simulate(place, {
        "version": 1, "quality": "final", "frames": {"end": 12, "fps": 1, "substeps": 1}, "gravity": [0, -g, 0],
        "solver": {"balance": 1e-5, "step_tolerance": 1e-7, "linear_tolerance": 1e-6},
        "objects": [{"name": "disc", "type": "cloth", "mesh": {"file": "disc.obj"},
                     "material": {"density": density, "stretch": 1500, "shear": 90, "bend": bend, "damping": 3},
                     "membrane": {"law": options.law, "warp": "x"}, "springs": {"bending": options.bending},
                     "pins": [{"vertices": held(p, cell)}]}],
        "output": {"cache": False}}, options)
    rim = np.hypot(p[:, 0], p[:, 1]) > SPECIMEN - 1e-6
    return -read_last(f"{place}/out", 12)[rim, 1].mean() / plate_sag(density * g, bend)


def drape(name, material, kind, cell, options):
    rng = np.random.default_rng(options.seed)
    p = points(kind, cell, rng)
    tri = delaunay(p)
    place = f"{options.out}/{name}_{kind}_{cell * 1000:g}"
    write_disc(place, p, -waviness(p) if options.back else waviness(p), tri)
    scene = {
        "version": 1, "name": "drape", "quality": "normal",
        "frames": {"start": 0, "fps": 24, "rest_speed": 0.002},
        "phases": [{"name": "lower", "frames": {"end": options.lowered, "substeps": 2}},
                   {"name": "settle", "frames": {"end": options.lowered + 48, "substeps": 2}},
                   {"name": "hang", "frames": {"end": options.frames, "until": "rest"}}],
        "gravity": lowering(options.lowered),
        "solver": {"start": "rest"},
        "objects": [{"name": "disc", "type": "cloth", "mesh": {"file": "disc.obj"},
                     "material": {**material, "damping": 3},
                     "membrane": {"law": options.law, "warp": "x"},
                     "springs": {"bending": options.bending},
                     "pins": [{"vertices": held(p, cell)}]}],
        "output": {"cache": False}}
    if options.self:
        scene["contact"] = {"response": "filter", "self": True, "thickness": 0.15 * cell}
    simulate(place, scene, options)
    with open(f"{place}/out/run.json") as f:
        run = json.load(f)
    coefficient, nodes = measure(read_last(f"{place}/out", run["last_frame"]), tri)
    return coefficient, nodes, run["last_frame"] / 24 if run["at_rest"] else None


def verdict(meshes, band, runs):
    """What a preset misses, of its runs {(mesh, edge): (drape coefficient, nodes, seconds until rest)}."""
    missed = []
    spread = max(r[0] for r in runs.values()) - min(r[0] for r in runs.values())
    if spread > 5:
        missed.append(f"spread {spread:.1f} points")
    for (kind, cell), (c, nodes, rest) in runs.items():
        if band and not band[0] <= c <= band[1]:
            missed.append(f"{kind} {cell} mm out of band")
        if not 3 <= nodes <= 8:
            missed.append(f"{kind} {cell} mm: {nodes} nodes")
        if not rest:
            missed.append(f"{kind} {cell} mm not at rest")
    for kind in meshes:
        if len({r[1] for (k, _), r in runs.items() if k == kind}) > 1:
            missed.append(f"nodes on {kind}")
    return spread, missed


def main():
    q = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    q.add_argument("material", nargs="*", default=PRESETS, help="presets or JSON objects (all presets of cloth)")
    q.add_argument("--mesh", default="jittered,hexagonal,square", help="of jittered, hexagonal, square, by commas")
    q.add_argument("--cell", default="6,5", help="[mm] length of an edge, by commas")
    q.add_argument("--law", default="orthotropic", help="membrane: none, woven, orthotropic")
    q.add_argument("--bending", default="curvature")
    q.add_argument("--frames", type=int, default=720, help="at most, from the start")
    q.add_argument("--lowered", type=int, default=216, help="frame at which the whole weight is there")
    q.add_argument("--back", action="store_true", help="the specimen lies face down")
    q.add_argument("--self", action="store_true", help="contact from 0.15 of an edge on (default: 0.2)")
    q.add_argument("--plate", action="store_true", help="only the sag under little weight, over a plate's")
    q.add_argument("--seed", type=int, default=1, help="of the jittered mesh")
    q.add_argument("--bin", default=f"{ROOT}/bin")
    q.add_argument("--out", default=f"{ROOT}/build/release/bench/drape")
    options = q.parse_args()
    meshes, cells = options.mesh.split(","), options.cell.split(",")
    if options.plate:
        print("| mesh | edge [mm] | sag / plate's |\n|---|---|---|")
        for kind in meshes:
            for cell in cells:
                print(f"| {kind} | {cell} | {compare_plate(kind, float(cell) / 1000, options):.3f} |", flush=True)
        return 0
    print("| material | published | " + " | ".join(f"{kind}, {cell} mm" for kind in meshes for cell in cells) +
          " | spread | missed |")
    print("|---|---|" + "---|" * (len(meshes) * len(cells)) + "---|---|")
    bad = 0
    for text in options.material:
        material = json.loads(text) if text.startswith("{") else {"preset": text}
        name = material.get("preset", "material")
        kin = {"nylon-light": "ripstop"}.get(name, name.split("-")[0])
        band = None if text.startswith("{") else BANDS.get(kin)
        print(f"| {name} | {'%g-%g' % band if band else ''} |", end="", flush=True)
        runs = {}
        for kind in meshes:
            for cell in cells:
                runs[kind, cell] = drape(name, material, kind, float(cell) / 1000, options)
                c, nodes, rest = runs[kind, cell]
                print(f" {c:.1f} %, {nodes}, {f'{rest:.1f} s' if rest else 'no rest'} |", end="", flush=True)
        spread, missed = verdict(meshes, band, runs)
        bad += bool(missed)
        print(f" {spread:.1f} | {'; '.join(missed)} |", flush=True)
    return bad > 0


if __name__ == "__main__":
    sys.exit(main())
