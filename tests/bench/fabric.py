#!/usr/bin/python3
"""fabric.py [options]: tensile and shear tests of cloth, simulated by the program as a user would.

A piece of cloth lies flat, with forces at its border alone: the tractions of a uniform tension, or of
shear, at 0, 15, 30, 45 and 90 degrees to warp. With shear goes a tension in all directions, without which
dead loads let the piece turn. Nothing else holds it but one vertex. The forces are soft
pins whose targets are far away. When it is at rest the mean of the triangles' strains says Young's modulus
and the shear modulus in that direction. They are compared with the closed form for an orthotropic sheet
(Jones, Mechanics of Composite Materials, 1975). The scenes name no kind of cloth, so it is what a user
gets who writes down moduli.

Meshes: grids with alternate and equal diagonals, cells of 1:4, a jittered Delaunay mesh, and the front of a
shirt as an OBJ, of 0.5 m and Delaunay triangles. Prints the largest error for each mesh and material, and
ends with exit code 1 where one is beyond 2 %.
"""
import argparse
import json
import math
import os
import subprocess
import sys

import numpy as np
from drape import delaunay

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../.."))
DEGREES = (0, 15, 30, 45, 90)
# stretch, weft [N/m], shear over stretch, Poisson's ratio
MATERIALS = ((1000, 1000, 0.5, 0.0), (1000, 1000, 0.01, 0.0), (1000, 400, 0.05, 0.3),
             (1000, 1000, 1 / 2.9, 0.45), (1000, 700, 0.1, 0.45))
STRAIN = 2e-4


def inside(p, outline):
    """Which points (n x 2) are inside a closed outline (m x 2)."""
    x, y = p[:, 0], p[:, 1]
    hit = np.zeros(len(p), bool)
    for (ax, ay), (bx, by) in zip(outline, np.roll(outline, -1, 0)):
        crosses = (ay > y) != (by > y)
        hit ^= crosses & (x < ax + (y - ay) * (bx - ax) / np.where(by == ay, 1, by - ay))
    return hit


def shirt(cell, rng):
    """The front of a shirt: hem, sides that lean in, armholes, shoulders and neck."""
    armhole = [(0.20 + 0.05 * math.cos(a), 0.42 + 0.10 * (a / math.pi * 2 - 1) * -1) for a in
               np.linspace(0, math.pi / 2, 8)]
    neck = [(0.09 * math.cos(a), 0.53 - 0.09 * math.sin(a)) for a in np.linspace(0, math.pi, 12)]
    right = [(0.27, 0.0), (0.25, 0.30)] + armhole[1:-1] + [(0.20, 0.50)]
    corners = np.array(right + neck + [(-x, y) for x, y in reversed(right)])
    border = []
    for a, b in zip(corners, np.roll(corners, -1, 0)):
        n = max(1, round(float(np.hypot(*(b - a))) / cell))
        border += [a + (b - a) * k / n for k in range(n)]
    border = np.array(border)
    i, j = np.meshgrid(np.arange(-30, 31), np.arange(-5, 60))
    p = np.c_[i.ravel(), j.ravel()] * cell * 0.9
    p = p + cell * 0.6 * (rng.random(p.shape) - 0.5)
    near = np.sqrt(((p[:, None] - border[None]) ** 2).sum(2)).min(1)
    p = np.concatenate([border, p[inside(p, corners) & (near > 0.55 * cell)]])
    tri = delaunay(p)
    return p, tri[inside(p[tri].mean(1), corners)]


def sheet(kind, n, rng):
    """Vertices (n x 2) and triangles of a mesh, warp along x."""
    if kind == "garment":
        return shirt(0.02, rng)
    i, j = np.meshgrid(np.arange(n + 1), np.arange(n + 1))
    p = np.c_[i.ravel(), j.ravel()] / n
    if kind == "1:4":
        p[:, 1] /= 4
    if kind == "Delaunay":
        inner = (np.abs(p - 0.5) < 0.5 - 1e-9).all(1)
        p[inner] += 0.7 / n * (rng.random((inner.sum(), 2)) - 0.5)
        tri = delaunay(p)
        a, b = p[tri[:, 1]] - p[tri[:, 0]], p[tri[:, 2]] - p[tri[:, 0]]
        area = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
        return p, tri[np.abs(area) > 1e-6]
    tri = []
    for v in range(n * (n + 1)):
        if v % (n + 1) == n:
            continue
        a, b, c, d = v, v + 1, v + n + 2, v + n + 1
        other = kind != "same" and (v % (n + 1) + v // (n + 1)) % 2
        tri += [(a, b, d), (b, c, d)] if other else [(a, b, c), (a, c, d)]
    return p, np.array(tri)


def compliance(material):
    """(e11, e22, 2 e12) of (s11, s22, s12)."""
    E1, E2, G, nu = material[0], material[1], material[2] * material[0], material[3]
    nu12 = nu * math.sqrt(E1 / E2)
    return np.array([[1 / E1, -nu12 / E1, 0], [-nu12 / E1, 1 / E2, 0], [0, 0, 1 / G]])


def strain_of(S, stress):
    """(2 x 2)"""
    e = S @ np.array([stress[0, 0], stress[1, 1], stress[0, 1]])
    return np.array([[e[0], e[2] / 2], [e[2] / 2, e[1]]])


def border_forces(p, tri, stress):
    """Forces (n x 2) of a uniform stress: each border edge shares its own between its ends."""
    count = {}
    for t in tri:
        for a, b in ((t[0], t[1]), (t[1], t[2]), (t[2], t[0])):
            count[(a, b)] = 1
    force = np.zeros_like(p)
    for a, b in count:
        if (b, a) in count:
            continue
        d = p[b] - p[a]
        pull = stress @ np.array([d[1], -d[0]])  # outward of triangles that turn left
        force[a] += pull / 2
        force[b] += pull / 2
    return force


def run(name, p, tri, material, stress, options):
    """Mean strain (2 x 2) at rest."""
    far = 1e3
    force = border_forces(p, tri, stress)
    pins = [{"vertices": [int(np.argmin((p ** 2).sum(1)))]}]
    for v in np.flatnonzero(np.hypot(*force.T) > 0):
        size = float(np.hypot(*force[v]))
        u = force[v] / size * far
        pins.append({"vertices": [int(v)], "stiffness": size / far,
                     "motion": [{"frame": 0}, {"frame": 1, "position": [u[0], 0, -u[1]]}]})
    place = f"{options.out}/{name}"
    os.makedirs(place, exist_ok=True)
    with open(f"{place}/sheet.obj", "w") as f:
        f.writelines(f"v {x:.17g} 0 {-y:.17g}\n" for x, y in p)
        f.writelines(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in tri)
    stretch, weft, shear, nu = material
    cloth = {"density": 0.2, "stretch": stretch, "weft": weft, "shear": shear * stretch, "poisson": nu, "bend": 1e-5}
    scene = {"gravity": [0, 0, 0], "wind": {"density": 0}, "contact": {"response": "none"}, "quality": "final",
             "frames": {"start": 0, "end": 4, "fps": 0.01, "substeps": 1},  # steps of 100 s: inertia is nothing
             "solver": {"integrator": "implicit-euler", "balance": 1e-7, "step_tolerance": 1e-7, "linear_tolerance": 1e-8,
                        "damping": 0, "linear_iterations": 20000},
             "output": {"digits": 17, "cache": False},
             "objects": [{"name": "sheet", "type": "cloth", "mesh": {"file": "sheet.obj"}, "material": cloth,
                          "pins": pins}]}
    if options.law:
        scene["objects"][0]["membrane"] = {"law": options.law}
    with open(f"{place}/scene.json", "w") as f:
        json.dump(scene, f)
    subprocess.run([f"{options.bin}/clothsim", f"{place}/scene.json", "-o", f"{place}/out", "-q", "--overwrite",
                    "--progress", "none"], check=True)
    with open(f"{place}/out/sheet_0004.obj") as f:
        x = np.array([[float(w) for w in line.split()[1:4]] for line in f if line.startswith("v ")])
    q = np.c_[x[:, 0], -x[:, 2]]
    D = np.stack([p[tri[:, 1]] - p[tri[:, 0]], p[tri[:, 2]] - p[tri[:, 0]]], 2)
    d = np.stack([q[tri[:, 1]] - q[tri[:, 0]], q[tri[:, 2]] - q[tri[:, 0]]], 2)
    F, area = d @ np.linalg.inv(D), np.abs(np.linalg.det(D))
    F = (F * area[:, None, None]).sum(0) / area.sum()
    return (F + F.T) / 2 - np.eye(2)


def check(kind, material, options):
    """Largest error of the moduli in tension and in shear."""
    p, tri = sheet(kind, 16, np.random.default_rng(3))
    S, worst = compliance(material), [0.0, 0.0]
    for degrees in DEGREES:
        c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        d, e = np.array([c, s]), np.array([-s, c])
        for test, unit in enumerate((np.outer(d, d), np.outer(d, e) + np.outer(e, d) + np.eye(2))):
            asked = strain_of(S, unit)
            stress = unit * STRAIN / np.abs(asked).max()
            got = run(kind.replace(":", "_"), p, tri, material, stress, options)
            if test:  # what shear alone has done
                even = strain_of(S, np.eye(2)) * STRAIN / np.abs(asked).max()
                got, asked = got - even, strain_of(S, unit - np.eye(2))
            share = (d @ asked @ (e if test else d)) * STRAIN / np.abs(strain_of(S, unit)).max()
            worst[test] = max(worst[test], abs(share / (d @ got @ (e if test else d)) - 1))
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=f"{ROOT}/bin", help="where clothsim is")
    parser.add_argument("--out", default=f"{ROOT}/build/release/bench/fabric", help="where runs go")
    parser.add_argument("--law", help="\"membrane\": {\"law\": ...} of the cloth (none given)")
    parser.add_argument("--mesh", default="alternate,same,1:4,Delaunay,garment", help="which of them")
    options = parser.parse_args()
    bad = 0
    print(f"{'mesh':10}{'E1':>6}{'E2':>6}{'G/E1':>7}{'nu':>6}{'tension':>10}{'shear':>10}", flush=True)
    for kind in options.mesh.split(","):
        for material in MATERIALS:
            worst = check(kind, material, options)
            bad += max(worst) > 0.02
            print(f"{kind:10}{material[0]:6}{material[1]:6}{material[2]:7.3g}{material[3]:6.2f}"
                  f"{100 * worst[0]:8.2f} %{100 * worst[1]:8.2f} %", flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
