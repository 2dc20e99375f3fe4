"""check.py poses FOLDER: three poses of a body. check.py mutants FOLDER CLOTHCACHE: 200 mutations of what `archive` has
written are read or refused with a word. check.py check FOLDER BIN: what `archive` (Alembic's own library) has
written, as clothsim and clothcache read it; what they write, as it reads it."""
import json
import os
import random
import subprocess
import sys

import numpy as np

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "dcc"))
from common import check, clothcache, close, report, sets_of  # noqa: E402

command, folder = sys.argv[1:3]
LIMIT = 1e-6  # [m]


def make_poses():
    """A tube that bends."""
    for k in range(3):
        with open(f"{folder}/pose{k + 1}.obj", "w") as file:
            for j in range(40):
                bend = 0.6 * k * j / 40
                for i in range(16):
                    a = 2 * np.pi * i / 16
                    r, y = 0.2 + 0.05 * np.sin(j / 5), 0.04 * j
                    print("v", r * np.cos(a) + y * np.sin(bend), y * np.cos(bend), r * np.sin(a), file=file)
            for j in range(39):
                for i in range(16):
                    at, right = 16 * j, (i + 1) % 16
                    print("f", at + i + 1, at + 16 + i + 1, at + 16 + right + 1, at + right + 1, file=file)


def run(*words):
    done = subprocess.run(words, capture_output=True, text=True)
    check(done.returncode == 0, f"{words}: {done.stderr}")


def read_body(binaries):
    frames = 9
    wanted = np.fromfile(f"{folder}/wanted").reshape(frames, -1, 3)
    cache = f"{folder}/body.clothcache"
    run(f"{binaries}/clothcache", "import", f"{folder}/body.abc", "-o", cache)
    cache = clothcache.Cache(cache)
    sets = cache.objects[0].uv_sets
    check(list(sets) == ["atlas", "paint"], f"further texture coordinates: {list(sets)}")
    for (name, (uv, index)), v in zip(sets.items(), (-3, 7)):
        vert = cache.objects[0].face_vert
        close(uv[index], np.stack([vert * 0.25, np.full(len(vert), v)], 1), f"texture coordinates {name}")
    check(cache.numbers == list(range(1, frames + 1)) and cache.fps == 24, f"frames {cache.numbers}")
    scene = {"name": "in", "frames": {"start": 1, "end": frames, "fps": 24, "substeps": 1}, "units": {"up": "z"},
             "contact": {"response": "none"}, "output": {"colliders": True, "digits": 17, "cache": False},
             "objects": [{"name": "body", "type": "collider",
                          "mesh": {"sequence": "body.abc", "object": "/rig/hip/still", "unit": "cm", "up": "z"}},
                         {"name": "c", "type": "cloth", "material": "cotton", "position": [9, 9, 9],
                          "mesh": {"shape": "grid", "cells": [1, 1]}}]}
    with open(f"{folder}/in.json", "w") as file:
        json.dump(scene, file)
    run(f"{binaries}/clothsim", f"{folder}/in.json", "-o", f"{folder}/in", "-q", "--overwrite", "--progress=none")
    worst = [0, 0]
    for index in range(frames):
        got = cache.positions(0, index)
        worst[0] = max(worst[0], np.abs(got - wanted[index]).max() / 100)
        close(got / 100, wanted[index] / 100, f"imported frame {index + 1}", LIMIT)
        with open(f"{folder}/in/body_{index + 1:04d}.obj") as file:
            got = np.array([line.split()[1:4] for line in file if line.startswith("v ")], dtype=float)
        worst[1] = max(worst[1], np.abs(got - wanted[index] / 100).max())
        close(got, wanted[index] / 100, f"collider frame {index + 1}", LIMIT)
    print(f"Alembic's library in: {wanted.shape[1]} vertices, {frames} frames, off by {worst[0]:.1e} m imported (floats of "
          f"centimetres), {worst[1]:.1e} m as collider")


SCENE = {
    "name": "out", "frames": {"start": 3, "end": 8, "fps": 24, "substeps": 4},
    "output": {"obj": False, "pressures": True, "strain": True, "samples": [-0.25, 0, 0.25], "colliders": True, "formats": ["abc"]},
    "objects": [
        {"name": "sheet", "type": "cloth", "material": "cotton", "position": [0, 0.06, 0], "mesh": {"file": "sheet.obj"}},
        {"name": "jelly", "type": "solid", "material": "jelly", "position": [2, 1, 0],
         "mesh": {"shape": "box", "size": [0.2, 0.2, 0.2], "cells": [2, 2, 2]}},
        {"name": "tube", "type": "collider", "position": [9, 0, 0], "mesh": {"file": "body.abc", "unit": "cm", "up": "z"}},
        {"name": "ball", "type": "collider", "mesh": {"shape": "sphere", "radius": 0.05},
         "motion": [{"frame": 3}, {"frame": 8, "position": [0, 0.05, 0]}]},
        {"name": "post", "type": "collider", "position": [4, 0, 0], "mesh": {"shape": "box"}}]}


def make_sheet():
    with open(f"{folder}/sheet.obj", "w") as file:
        for j in range(6):
            for i in range(6):
                print(f"v {0.1 * i - 0.25} 0 {0.1 * j - 0.25} {i / 5} {j / 5} 0.5\nvt {i / 5} {j / 5}", file=file)
        print("vn 0 0.8 0.6\nvn 0 1 0", file=file)  # a crease of shading along every row
        for j in range(5):
            print(f"g row{j}\nusemtl {'red' if j % 2 else 'blue'}", file=file)
            for i in range(5):
                corners = [6 * j + i + 1, 6 * j + i + 7, 6 * j + i + 8, 6 * j + i + 2]
                print("f", *(f"{c}/{c}/{j % 2 + 1}" for c in corners), file=file)


def read_dump(path):
    """{name: [samples]} of meshes, bounds of the archive and transforms. A sample is {name: array}."""
    with open(path, "rb") as file:
        meshes, boxes, at = {}, {}, None
        while line := file.readline():
            word, name, *rest = line.decode().split()
            if word == "mesh":
                meshes[name] = at = {"first": {}, "samples": [], "params": []}
                into = at["first"]
            elif word in ("archive", "xform"):
                into = boxes[name if word == "xform" else ""] = []
            elif word == "matrices":
                into = boxes[name + " matrices"] = []
            elif word == "params":
                into = {}
                at["params"].append(into)
            else:
                values = np.frombuffer(file.read(8 * int(name)))
                file.readline()
                if word == "time":
                    into = {}
                    at["samples"].append(into)
                if isinstance(into, list):
                    into.append(values)
                else:
                    into[word] = values
    return meshes, boxes


def backward(thing, values):
    ends = np.cumsum(thing.face_size)
    return np.concatenate([values[e - n:e][::-1] for e, n in zip(ends, thing.face_size)])


def write_run(binaries):
    make_sheet()
    with open(f"{folder}/out.json", "w") as file:
        json.dump(SCENE, file)
    run(f"{binaries}/clothsim", f"{folder}/out.json", "-o", f"{folder}/out", "-q", "--overwrite", "--progress=none")
    run(f"{folder}/archive", "read", f"{folder}/out/out.abc", f"{folder}/dump")
    cache = clothcache.Cache(f"{folder}/out/out.clothcache")
    meshes, boxes = read_dump(f"{folder}/dump")
    count, whole = 0, [[] for _ in cache.numbers]
    for thing in cache.objects:
        mesh = meshes.get(thing.name)
        check(mesh is not None, f"{thing.name} is there")
        if mesh is None:
            continue
        n = thing.face_vert.max() + 1 if len(thing.tets) else thing.nvert
        wanted = []
        for index, number in enumerate(cache.numbers):
            shares = cache.meta["samples"] if thing.nsample and index else []
            for s, share in enumerate(shares):
                wanted.append((number + share, index, b"SMP%d" % s, b"SMV%d" % s))
            wanted.append((number, index, b"POSN", b"VELO"))
            whole[index].append(cache.positions(thing.name, index)[:n])
        check(len(mesh["samples"]) == len(wanted), f"{thing.name}: {len(mesh['samples'])} samples")
        for sample, (frame, index, x, v) in zip(mesh["samples"], wanted):
            what = f"{thing.name} at {frame}"
            close(sample["time"], [frame / cache.fps], f"{what}: time", 1e-9)
            points = cache.positions(thing.name, index, x)[:n]
            close(sample["P"].reshape(-1, 3), points, what)
            close(sample["bounds"], [*points.min(0), *points.max(0)], f"{what}: bounds")
            if thing.has_velocity:
                close(sample["v"].reshape(-1, 3), cache.positions(thing.name, index, v)[:n], f"{what}: velocities")
            count += 1
        first = mesh["samples"][0]
        close(first["indices"], backward(thing, thing.face_vert), f"{thing.name}: corners")
        close(first["counts"], thing.face_size, f"{thing.name}: counts")
        if thing.uv is not None:
            close(first["uv"].reshape(-1, 2), backward(thing, thing.uv[thing.face_uv]), f"{thing.name}: uv")
        for name, (uv, index) in thing.uv_sets.items():
            close(mesh["params"][0][name].reshape(-1, 2), backward(thing, uv[index]), f"{thing.name}: {name}")
        check(len(thing.uv_sets) == 2 * (thing.name == "tube"), f"{thing.name}: {len(thing.uv_sets)} further sets")
        if thing.name == "sheet":
            given = np.array([[0, 0.8, 0.6] if f // 5 % 2 == 0 else [0, 1, 0] for f in range(25) for _ in range(4)])
            close(first["N"].reshape(-1, 3), given, "normals", 1e-6)
            moved = mesh["samples"][-1]["N"].reshape(-1, 3)
            check(len(moved) == len(given) and np.abs(moved - given).max() > 1e-5, "they move")
            close(np.linalg.norm(moved, axis=1), np.ones(len(given)), "unit normals", 1e-6)
            close(mesh["params"][0]["Col"].reshape(-1, 3)[:, :2], thing.uv, "colours", 1e-7)
        sets = {name[4:]: values.astype(int).tolist() for name, values in mesh["first"].items()}
        want = {name: faces for (_, name), faces in sets_of(thing).items()}
        check(sets == want, f"{thing.name}: face sets {sets}")
        for name, attribute, there in (("pressure", b"PRES", thing.has_pressure), ("strain", b"STRN", thing.has_strain)):
            for index in range(len(cache.numbers) if there else 0):
                close(mesh["params"][index][name], cache.positions(thing.name, index, attribute)[:n, 0],
                      f"{thing.name} {name} {index}")
        check(len(boxes[thing.name]) == len(wanted), f"{thing.name}: bounds of its transform")
    check(max(p["pressure"].max() for p in meshes["sheet"]["params"]) > 0, "something presses")
    check(len(boxes[""]) == len(cache.numbers), "bounds of the archive")
    for got, parts in zip(boxes[""], whole):
        points = np.concatenate(parts)
        close(got, [*points.min(0), *points.max(0)], "bounds of the archive")
    print(f"Alembic's library out: {count} samples of {len(cache.objects)} objects, every number the same")


def write_rigid(binaries):
    """Colliders as animated transforms: points times matrices are the cache's vertices, at every frame and sample."""
    scene = json.loads(json.dumps(SCENE))
    scene["name"], scene["output"]["transforms"] = "rigid", True
    scene["objects"][2]["motion"] = [{"frame": 3}, {"frame": 8, "position": [0, 0.05, 0], "rotation": [40, -70, 20]}]
    with open(f"{folder}/rigid.json", "w") as file:
        json.dump(scene, file)
    run(f"{binaries}/clothsim", f"{folder}/rigid.json", "-o", f"{folder}/rigid", "-q", "--overwrite", "--progress=none")
    run(f"{folder}/archive", "read", f"{folder}/rigid/rigid.abc", f"{folder}/dump")
    cache, worst, count = clothcache.Cache(f"{folder}/rigid/rigid.clothcache"), 0, 0
    meshes, boxes = read_dump(f"{folder}/dump")
    check(not boxes["sheet matrices"] and not boxes["jelly matrices"], "only colliders have matrices")
    for thing in (o for o in cache.objects if o.type == "collider"):
        poses = boxes[thing.name + " matrices"]
        times = [(number + share, index, b"SMP%d" % s) for index, number in enumerate(cache.numbers)
                 for s, share in enumerate(cache.meta["samples"] if thing.nsample and index else [])]
        times = sorted([*times, *((float(number), index, b"POSN") for index, number in enumerate(cache.numbers))])
        close([when[0] for when in poses[1::2]], [code / cache.fps for code, _, _ in times], f"{thing.name}: times", 1e-9)
        check(len(poses) == 2 * len(times), f"{thing.name}: {len(poses) / 2} matrices")
        first, last = meshes[thing.name]["samples"][0], meshes[thing.name]["samples"][-1]
        check(np.array_equal(first["P"], last["P"]) and "v" not in first, f"{thing.name}: points that stay, without velocities")
        for matrix, (code, index, attribute) in zip(poses[::2], times):
            got, want = first["P"].reshape(-1, 3), cache.positions(thing.name, index, attribute)
            matrix = matrix.reshape(4, 4)
            error = np.abs(got @ matrix[:3, :3] + matrix[3, :3] - want).max()
            worst, count = max(worst, error), count + 1
            check(error < 1e-6, f"{thing.name} at {code}: off by {error}")
    print(f"Alembic's library out: {count} transforms of rigid colliders, off by {worst:.1e} m at most")


def read_mutants(clothcache_program):
    """Bytes, words that may be sizes or positions, and cuts."""
    rng, refused = random.Random(3), 0
    with open(f"{folder}/body.abc", "rb") as file:
        whole = file.read()
    for turn in range(200):
        data, kind = bytearray(whole), turn % 4
        # headers are at the end; samples, most of the file, have nothing that could be wrong
        at = rng.randrange(len(data)) if turn % 8 > 5 else max(0, len(data) - 1 - rng.randrange(3000))
        if kind == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            word = rng.choice([0, 1, 1 << 31, 1 << 63, (1 << 64) - 1, (1 << 63) - 1, rng.randrange(len(data))])
            data[at:at + 8] = word.to_bytes(8, "little")
        elif kind == 2:
            del data[at:at + rng.choice([1, 8, len(data)])]
        else:
            for _ in range(10):
                data[rng.randrange(len(data) - 3000 if len(data) > 3000 else 0, len(data))] = rng.randrange(256)
        with open(f"{folder}/mutant.abc", "wb") as file:
            file.write(data)
        done = subprocess.run([clothcache_program, "import", f"{folder}/mutant.abc", "-o", f"{folder}/mutant.clothcache"],
                              capture_output=True, text=True, timeout=120)
        check(0 <= done.returncode < 5, f"mutant {turn}: exit status {done.returncode}: {done.stderr[-500:]}")
        check(done.returncode == 0 or "mutant.abc" in done.stderr, f"mutant {turn}: {done.stderr[-500:]}")
        refused += done.returncode != 0
    print(f"Alembic's library in: 200 mutations, {refused} refused, none crashed")


if command == "mutants":
    read_mutants(sys.argv[3])
    sys.exit(report())
if command == "poses":
    make_poses()
    sys.exit(0)
read_body(sys.argv[3])
write_run(sys.argv[3])
write_rigid(sys.argv[3])
sys.exit(report())
