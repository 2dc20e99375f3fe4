"""What the checks share: counting, and what a cache should look like in another program."""
import os
import sys

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tools"))
import clothcache  # noqa: E402

passed = failed = 0


def check(ok, what):
    global passed, failed
    if ok:
        passed += 1
    else:
        failed += 1
        print(f"failed: {what}", file=sys.stderr)


def close(got, expected, what, tolerance=0.0):
    got, expected = np.asarray(got), np.asarray(expected)
    same = got.shape == expected.shape and (
        np.array_equal(got, expected) if tolerance == 0 else
        bool(np.all(np.abs(got - expected) <= tolerance)))
    worst = np.abs(got - expected).max() if got.shape == expected.shape and got.size else got.shape
    check(same, f"{what}: off by {worst}")


def report():
    print(f"{passed} passed, {failed} failed")
    return 1 if failed or not passed else 0


def sets_of(thing):
    """Faces of each group and material of an object of a cache: {(kind, name): indices}."""
    sets = {}
    for face, tag in enumerate(thing.face_tag if thing.face_tag is not None else []):
        for line in thing.tags[tag].splitlines() if tag >= 0 else []:
            kind, *names = line.split(" ")
            for name in names if kind in ("g", "usemtl") else []:
                sets.setdefault((kind, name), []).append(face)
    return sets


class Expected:
    """An object of a cache as exported: the surface of solids."""

    def __init__(self, cache, thing):
        self.cache, self.thing, self.name = cache, thing, thing.name
        self.starts = np.concatenate([[0], np.cumsum(thing.face_size)]).astype(int)
        self.corners = thing.face_vert
        self.nvert = int(self.corners.max()) + 1 if len(thing.tets) else thing.nvert
        self.faces = [self.corners[a:b].tolist() for a, b in zip(self.starts[:-1], self.starts[1:])]
        self.uv = None  # of each corner, in face order
        if thing.uv is not None:
            self.uv = np.where((thing.face_uv < 0)[:, None], 0, thing.uv[thing.face_uv])

    def at(self, index):
        return self.cache.positions(self.name, index)[:self.nvert]

    def velocity(self, index):
        return self.cache.positions(self.name, index, b"VELO")[:self.nvert]


def expected(path):
    cache = clothcache.Cache(path)
    return cache, [Expected(cache, o) for o in cache.objects]


def three(cache):
    """First, middle and last frame, by index."""
    return [0, len(cache.numbers) // 2, len(cache.numbers) - 1]


def z_up(xyz):
    return np.stack([xyz[:, 0], -xyz[:, 2], xyz[:, 1]], 1)
