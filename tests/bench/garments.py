#!/usr/bin/python3
"""garments.py [options] [SCENE...]: garments on bodies that move, in clothsim and in Blender: time, pairs, strain.

cone     the skirt that walk.py makes, on its body of capsules that walks
skirt    the same with the skirt of --skirt (skirt2011.obj of DiffCloth)
shirt    a top that dress.py sews and drapes (rand122_05 of --patterns, at 1 cm) and worn.py has worn by a body that
         raises its arms to a T pose and lowers them in 96 frames; its collar follows the body
poncho   that of pose.py, which falls on the shoulders of a body that raises and lowers its arms; nothing is pinned

clothsim simulates the scenes as those benches write them, but writes the cache only. Blender gets the mesh, the
positions of the body in every frame and those of pinned vertices from clothsim's cache (blender_cloth.py has its
settings). Its rest shape is the mesh of the first frame. That is clothsim's, too, but for the shirt: clothsim has the
flat panels and stitches, Blender the draped shirt, whose panels are welded here where they are sewn.

Times are in seconds per frame: of clothsim's whole process, start and cache included; of Blender's simulation only.
The programs run alternately, --runs times. Blender's threads wait for each other asleep (OMP_WAIT_POLICY=PASSIVE,
if the environment has nothing else): beside other processes, threads that spin made runs up to five times as long.

Strain is that of edges against the first frame: the mean of its absolute value, the mean over frames of the 99th
percentile of stretch, and the largest stretch. Pairs are triangles of cloth and body or cloth and cloth (the latter
alone are "self") that meet, summed over all frames, by bin/clothsim --verify-contact. They are counted for the first
run, and for others whose frames differ.

Prints a table and a sentence for each scene, and writes garments.csv into the folder of --out.
"""
import argparse
import csv
import os
import shutil
import struct
import sys

import numpy as np

import dress
import peers
import pose
import walk
import worn
from peers import ROOT, face_lines, fresh, give_up, measured, write_obj

sys.path.insert(0, f"{ROOT}/tools")
import clothcache  # noqa: E402

FPS = 24
WELD = 0.0005  # seams are closed to less than this [m]
COLUMNS = ("scene", "program", "vertices", "frames", "run", "wall_s", "cpu_s", "pairs", "self_pairs", "mean_strain",
           "p99_stretch", "max_stretch")


def walking(name):
    skirt = options.skirt if name == "skirt" else None
    return walk.make(argparse.Namespace(out=f"{options.out}/{name}", skirt=skirt, cell=0.02, end=73, still=False))


def shirt():
    """Sews, drapes, and returns the scene in which it is worn."""
    dressed = f"{options.out}/shirt/dressed"
    pattern = f"{options.patterns}/rand122_05.json"
    os.makedirs(dressed, exist_ok=True)
    row = dress.dress(argparse.Namespace(bodies=options.bodies, out=dressed, resolution=0.01, bin=options.bin,
                                         threads=options.threads, set=[]), pattern)
    if row["exit"]:
        give_up(row["error"])
    args = argparse.Namespace(out=f"{options.out}/shirt", bodies=options.bodies, dressed=dressed, frames=96)
    return worn.scene_of(args, row["pattern"], ["left_collar", "right_collar"])


def poncho():
    return pose.make(argparse.Namespace(out=f"{options.out}/poncho", bodies=options.bodies, cell=0.02), "poncho")


SCENES = {"cone": (lambda: walking("cone"), ()), "skirt": (lambda: walking("skirt"), ("skirt",)),
          "shirt": (shirt, ("patterns", "bodies")), "poncho": (poncho, ("bodies",))}


class Run:
    """What a cache of ours has: cloth (frames, vertices, 3) and its faces, all colliders as one body, pins."""

    def __init__(self, path):
        cache = clothcache.Cache(path)
        first, shift = cache.objects[0], 0
        colliders = [o for o in cache.objects if o.type == "collider"]
        if first.type != "cloth" or len(colliders) + 1 != len(cache.objects):
            give_up(f"{path} is not of one cloth and its body")
        if any((o.face_size != 3).any() for o in cache.objects):
            give_up(f"{path} has faces that are not triangles")
        frames = range(len(cache.numbers))
        self.cloth = np.array([cache.positions(first.name, k) for k in frames])
        self.tri = first.face_vert.reshape(-1, 3)
        self.body = np.concatenate([[cache.positions(o.name, k) for k in frames] for o in colliders], 1)
        tri = []
        for o in colliders:
            tri.append(o.face_vert.reshape(-1, 3) + shift)
            shift += o.nvert
        self.body_tri = np.concatenate(tri)
        self.pins = np.array([v for p in cache.meta.get("pins", ()) for v in p["index"]], int)


def edges_of(tri):
    return np.unique(np.sort(np.concatenate([tri[:, [0, 1]], tri[:, [1, 2]], tri[:, [2, 0]]]), 1), axis=0)


def welded(x, tri):
    """Number of each vertex in a mesh in which vertices of borders within WELD of each other are one."""
    edge, used = np.unique(np.sort(np.concatenate([tri[:, [0, 1]], tri[:, [1, 2]], tri[:, [2, 0]]]), 1), axis=0,
                           return_counts=True)
    border = np.unique(edge[used == 1])
    at = np.arange(len(x))
    for v in border:
        near = border[np.linalg.norm(x[border] - x[v], axis=1) < WELD]
        at[np.isin(at, at[near])] = at[near].min()
    return np.unique(at, return_inverse=True)[1]


def strains(frames, edges):
    """Mean |strain|, 99th percentile and maximum of stretch, over all frames but the first, against the first."""
    rest, means, highs, top = None, [], [], 0.0
    for x in frames:
        length = np.linalg.norm(np.diff(x[edges].astype(float), axis=1)[:, 0], axis=1)
        if rest is None:
            rest = length
            continue
        s = length / rest - 1
        means.append(np.abs(s).mean())
        highs.append(np.percentile(s, 99))
        top = max(top, s.max())
    return float(np.mean(means)), float(np.mean(highs)), float(top)


def z_up(x):
    return np.stack([x[..., 0], -x[..., 2], x[..., 1]], -1).astype(np.float32)


def y_up(x):
    return np.stack([x[..., 0], x[..., 2], -x[..., 1]], -1).astype(np.float32)


def write_pc2(path, frames):
    with open(path, "wb") as f:
        f.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, frames.shape[1], 1, 1, len(frames)))
        frames.astype(np.float32).tofile(f)


def counted(place, cloth, tri, body, body_tri):
    """Pairs that meet in frames: all, and of cloth and cloth."""
    def pairs_of(objects, name):
        folder = fresh(f"{place}/frames")
        for k in range(len(cloth)):
            for what, x, faces in objects:
                write_obj(f"{folder}/{what}_{k + 1:04d}.obj", x[k], faces)
        found = peers.imported(options.bin, folder, f"{place}/{name}.clothcache", len(cloth), FPS)
        shutil.rmtree(folder)
        return found

    cloths, bodies = ("cloth", cloth, face_lines(tri)), ("body", body, face_lines(body_tri))
    own = pairs_of([bodies], "body")  # capsules overlap
    return pairs_of([cloths, bodies], "both") - own, pairs_of([cloths], "cloth")


def row(scene, program, run, frames, tri, wall, cpu, pairs):
    count = len(frames) - 1
    made = dict(zip(COLUMNS, (scene, program, frames.shape[1], count, run, wall / count, cpu / count, *pairs,
                              *strains(frames, edges_of(tri)))))
    tell(made)
    return made


def ours(name, scene, run, known):
    """Simulates. Its row and what it has made; known is that of an earlier run."""
    place = fresh(f"{options.out}/{name}/ours")
    command = [f"{options.bin}/clothsim", scene, "-o", f"{place}/out", "-j", str(options.threads),
               "--progress=none", "-q", "--checkpoint-every", "0", "--set", "output.obj=false", "--set", "output.velocities=false"]
    wall, cpu, _ = measured(command + [w for s in options.set for w in ("--set", s)], f"{place}/log")
    cache = f"{place}/out/{os.path.splitext(os.path.basename(scene))[0]}.clothcache"
    made = Run(cache)
    if known and not np.array_equal(made.cloth, known[1].cloth):
        give_up(f"{name}: another run of clothsim has other frames")
    if known:
        pairs = known[0]["pairs"], known[0]["self_pairs"]
    else:
        pairs = peers.pairs(options.bin, cache, len(made.cloth)), 0
        if pairs[0]:
            pairs = pairs[0], counted(place, made.cloth, made.tri, made.body, made.body_tri)[1]
    return row(name, "clothsim", run, made.cloth, made.tri, wall, cpu, pairs), made


def blender(name, made, run, known):
    """The same in Blender. Its row, its frames, and its report."""
    place = fresh(f"{options.out}/{name}/blender")
    at = welded(made.cloth[0], made.tri) if name == "shirt" else np.arange(made.cloth.shape[1])
    tri, count = at[made.tri], at.max() + 1
    share = np.bincount(at)[:, None]
    given = np.stack([np.stack([np.bincount(at, x[:, c]) for c in range(3)], 1) / share for x in made.cloth])
    pins = np.unique(at[made.pins])
    loose = np.setdiff1d(np.arange(count), pins)
    given[:, loose] = given[0, loose]  # Blender is to find these
    write_pc2(f"{place}/cloth.pc2", z_up(given))
    write_pc2(f"{place}/body.pc2", z_up(made.body))
    tri.astype(np.int32).tofile(f"{place}/cloth_given.tri")
    made.body_tri.astype(np.int32).tofile(f"{place}/body_given.tri")
    edge = np.linalg.norm(np.diff(given[0][edges_of(tri)], axis=1)[:, 0], axis=1).mean()
    job = {"frames": len(made.cloth) - 1, "fps": FPS, "self_distance": 0.3 * edge, "worn": {"pins": pins.tolist()}}
    if options.distance:
        job["distance"] = options.distance
    times = peers.run_blender(options.against, job, place)
    frames, body = (y_up(np.fromfile(f"{place}/{what}.f32", np.float32).reshape(len(made.cloth), -1, 3))
                    for what in ("cloth", "body"))
    off = np.abs(body - made.body).max()
    if off > 1e-5:
        give_up(f"{name}: Blender's body is {off:.2g} m from where it was to be")
    if np.abs(frames[:, pins] - given[:, pins]).max(initial=0) > 1e-5:
        give_up(f"{name}: Blender does not hold what is pinned")
    if known and np.array_equal(frames, known[1]):
        pairs = known[0]["pairs"], known[0]["self_pairs"]
    else:
        pairs = counted(place, frames, tri, body, made.body_tri)
    return row(name, options.against, run, frames, tri, times["wall"], times["cpu"], pairs), frames, times


def tell(r=None):
    if r is None:
        print(f"{'scene':8}{'program':9}{'vertices':>9}{'frames':>7}{'run':>4}{'wall [s]':>10}{'CPU [s]':>10}"
              f"{'pairs':>8}{'self':>8}{'strain: mean':>13}{'p99':>8}{'max':>8}", flush=True)
        return
    print(f"{r['scene']:8}{r['program']:9}{r['vertices']:9}{r['frames']:7}{r['run']:4}{r['wall_s']:10.4f}"
          f"{r['cpu_s']:10.4f}{r['pairs']:8}{r['self_pairs']:8}{r['mean_strain']:13.4f}{r['p99_stretch']:8.4f}"
          f"{r['max_stretch']:8.3f}", flush=True)


def compared(name):
    """Its rows and what is to be said of them."""
    scene, mine, other, made = SCENES[name][0](), [], [], None
    for run in range(1, options.runs + 1):
        one, made = ours(name, scene, run, (mine[0], made) if mine else None)
        mine.append(one)
        one, frames, times = blender(name, made, run, (other[-1], frames) if other else None)
        other.append(one)

    def of(rows, column):
        return sum(r[column] for r in rows)

    most = [max(r["pairs"] for r in rows) for rows in (mine, other)]
    cloth, body = (1e3 * d for d in times["distances"])
    return mine + other, (
        f"{name}: {options.against} takes {of(other, 'wall_s') / of(mine, 'wall_s'):.2f} times our wall time, "
        f"{of(other, 'cpu_s') / of(mine, 'cpu_s'):.2f} times our CPU time; pairs {most[0]} (ours), {most[1]} (theirs); "
        f"Blender {times['version']}, collision quality {times['collision_quality']}, its cloth starts "
        f"{1e3 * times['start']:.1f} mm from the body, distances {cloth:.1f} + {body:.1f} mm")


def main():
    global options
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("scenes", metavar="SCENE", nargs="*",
                   help=f"{', '.join(SCENES)} (all whose files are given; cone if there is no --skirt)")
    p.add_argument("--skirt", help="OBJ in metres, y up, that skirt wears")
    p.add_argument("--patterns", help="folder with rand122_05.json, for shirt")
    p.add_argument("--bodies", help="folder with mean_all.obj and mean_all_tpose.obj, for shirt and poncho")
    p.add_argument("--against", choices=("blender", "bpy"), default="blender",
                   help="Debian's Blender, or its newer version as a Python module")
    p.add_argument("--distance", type=float, help="of collision in Blender, of cloth and body each [m]")
    p.add_argument("--runs", type=int, default=2, help="of each program, in turn (2)")
    p.add_argument("--threads", type=int, default=2, help="of ours (2, as Blender has)")
    p.add_argument("--set", action="append", default=[], metavar="PATH=VALUE", help="of every scene, as clothsim has it")
    p.add_argument("--bin", default=f"{ROOT}/bin", help="where the programs are")
    p.add_argument("--out", default=f"{ROOT}/build/release/bench/garments", help="where the table and runs go")
    options = p.parse_args()
    for name in options.scenes:
        if name not in SCENES:
            p.error(f"there is no scene {name}")
    lacking = {n: [f"--{o}" for o in needs if not getattr(options, o)] for n, (_, needs) in SCENES.items()}
    names = options.scenes or [n for n in SCENES if not lacking[n] and not (n == "cone" and options.skirt)]
    for name in names:
        if lacking[name]:
            p.error(f"{name} needs {' and '.join(lacking[name])}")
    peers.need_blender(options.against)
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    options.out = os.path.abspath(options.out)
    os.makedirs(options.out, exist_ok=True)
    rows, said = [], []
    print(f"seconds per frame; clothsim: quality normal, {options.threads} threads" + "".join(f", {s}" for s in options.set))
    tell()
    for name in names:
        more, sentence = compared(name)
        rows += more
        said.append(sentence)
        with open(f"{options.out}/garments.csv", "w", newline="") as f:
            writer = csv.DictWriter(f, COLUMNS, lineterminator="\n")
            writer.writeheader()
            for r in rows:
                writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in r.items()})
    print("\n".join(said))


if __name__ == "__main__":
    main()
