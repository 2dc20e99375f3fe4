"""Reads clothsim caches (docs/cache-format.md): Cache(path).positions("cloth", index) is (nvert, 3)."""
import json
import struct
import zlib
import numpy as np

def read_planes(data, at, n):
    """n words from four byte planes, each u32 size (bit 31: raw deflate) and bytes."""
    words = np.empty((n, 4), np.uint8)
    for k in range(4):
        head = struct.unpack_from("<I", data, at)[0]
        plane = data[at + 4:at + 4 + (head & 0x7FFFFFFF)]
        at += 4 + (head & 0x7FFFFFFF)
        plane = zlib.decompressobj(-15).decompress(plane, n + 1) if head >> 31 else plane
        if len(plane) != n:
            raise ValueError("malformed planes")
        words[:, k] = np.frombuffer(plane, np.uint8)
    return words.view("<u4").reshape(n), at

def unzigzag(w):
    return (w >> np.uint32(1)) ^ (0 - (w & np.uint32(1)))

def ordered(b):  # bits of floats as integers of the same order
    return np.where(b >> np.uint32(31), ~b, b | np.uint32(0x80000000))

def unordered(u):
    return np.where(u >> np.uint32(31), u & np.uint32(0x7FFFFFFF), ~u).view(np.float32)

def traverse(nvert, faces, tets):
    """Vertices in coding order, places a, b, d and scale of their predictors, and the places in groups
    that depend on earlier groups only."""
    place, pred = {}, []
    def reach(v, *p):
        if v not in place:
            place[v] = len(pred)
            pred.append((*p, v))
    tris = [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]
    edges, queued, around, head = {}, set(), {}, 0
    for t, c in enumerate(tris):
        for k in range(3):
            edges.setdefault(frozenset((c[k], c[k - 2])), []).append((t, k))
    for seed, c in enumerate(tris):
        for v in () if seed in queued else c:
            p = next((place[w] for w in c if w in place), nvert)
            reach(v, p, p, p, 1)
        queue = [] if seed in queued else [seed]
        queued.add(seed)
        for c in (tris[t] for t in queue):
            for k in range(3):
                for other, side in edges.pop(frozenset((c[k], c[k - 2])), ()):
                    if other not in queued:
                        queued.add(other)
                        queue.append(other)
                        reach(tris[other][side - 1], place[c[k]], place[c[k - 2]], place[c[k - 1]], 1)
    for t in tets:
        for v in t:
            around.setdefault(v, []).append(t)
    for seed in [*tets, None] if tets else ():
        while head < len(pred):
            v = pred[head][4]
            for t in around.get(v, ()):
                for u in t:
                    other = next((place[w] for w in t if w != v and w in place), head)
                    reach(u, head, other, nvert, 0.5)
            head += 1
        if seed:
            reach(seed[0], nvert, nvert, nvert, 1)
    for v in range(nvert):
        reach(v, nvert, nvert, nvert, 1)
    a, b, d, scale, order = zip(*pred)
    depth = np.zeros(nvert + 1, int)
    for i in range(nvert):
        depth[i] = 1 + max(depth[a[i]], depth[b[i]], depth[d[i]])
    groups = np.argsort(depth[:nvert], kind="stable")
    groups = np.split(groups, np.flatnonzero(np.diff(depth[groups])) + 1)
    return np.array(order), np.array((a, b, d)), np.array(scale, np.float32)[:, None], groups

class Object:
    def __init__(self, data):
        kind, flags, self.nvert, nface, ncorner, nuv, ntag, ntet, nname = struct.unpack_from("<9I", data)
        self.type, self.has_pressure, self.has_strain = ("cloth", "solid", "collider", "render")[kind], flags >> 1 & 1, flags >> 2 & 1
        self.nsample, self.has_velocity, (self.name, *self.tags) = flags >> 8 & 15, flags & 1, data[40:40 + nname - 1].decode("utf-8", "replace").split("\0")
        at = 40 + (nname + 7) // 8 * 8
        def array(n):
            nonlocal at
            words, at = read_planes(data, at, n)
            return np.cumsum(unzigzag(words), dtype=np.uint32)
        self.face_size = array(nface).view(np.int32)
        self.face_vert = array(ncorner).view(np.int32)
        self.uv = np.stack([unordered(array(nuv)) for _ in "uv"], 1) if nuv else None
        self.face_uv = array(ncorner).view(np.int32) if nuv else None
        self.face_tag = array(nface).view(np.int32) if ntag else None
        self.tets = array(4 * ntet).view(np.int32).reshape(-1, 4) if ntet else np.empty((0, 4), np.int32)
        self.tracks, self.traversal = {}, None  # attribute: (frame, value, older, sizes)
        self.face_normal, self.normal, self.colour, self.uv_sets = None, None, None, {}  # name: (n, 2), index of each corner

    def look(self, data):
        """Normals and colours that the mesh was given."""
        nnormal, flags, at = *struct.unpack_from("<2I", data), 8
        def arrays(n):
            nonlocal at
            for _ in "xyz":
                words, at = read_planes(data, at, n)
                yield unordered(np.cumsum(unzigzag(words), dtype=np.uint32))
        if nnormal:
            words, at = read_planes(data, at, len(self.face_vert))
            self.face_normal = np.cumsum(unzigzag(words), dtype=np.uint32).view(np.int32)
            self.normal = np.stack([*arrays(nnormal)], 1)
        if flags & 1:
            self.colour = np.stack([*arrays(self.nvert)], 1)

    def uv_set(self, data):
        n, size = struct.unpack_from("<2I", data)
        arrays, at = [], 8 + (size + 7) // 8 * 8
        for m in (n, n, len(self.face_vert)):
            words, at = read_planes(data, at, m)
            arrays.append(np.cumsum(unzigzag(words), dtype=np.uint32))
        self.uv_sets[data[8:7 + size].decode("utf-8", "replace")] = np.stack([*map(unordered, arrays[:2])], 1), arrays[2].view(np.int32)

    def normals(self, x):
        """(nnormal, 3) unit normals where the vertices are at x."""
        x, size = np.asarray(x, float), self.face_size
        first = np.cumsum(size) - size
        face, corners = np.repeat(np.arange(len(size)), size), np.arange(len(self.face_vert))
        after = np.where(corners + 1 < (first + size)[face], corners + 1, first[face])
        hub = x[self.face_vert[first[face]]]
        fan = np.cross(x[self.face_vert] - hub, x[self.face_vert[after]] - hub)
        area = np.stack([np.bincount(face, fan[:, c], len(size)) for c in range(3)], 1)
        used = np.flatnonzero(self.face_normal >= 0)
        index, n = self.face_normal[used], len(self.normal)
        m = np.stack([np.bincount(index, area[face[used], c], n) for c in range(3)], 1)
        _, at = np.unique(index, return_index=True)
        at = used[at]  # the first corner of each normal
        t = np.zeros((n, 3))
        t[self.face_normal[at]] = x[self.face_vert[after[at]]] - x[self.face_vert[at]]
        def unit(v):
            length = np.linalg.norm(v, axis=1)[:, None]
            return v / np.where(length > 0, length, 1)
        m = unit(m)
        t = unit(t - (t * m).sum(1)[:, None] * m)
        a, b, c = (self.normal[:, k, None].astype(float) for k in range(3))
        return (a * t + b * np.cross(m, t) + c * m).astype(np.float32)

class Cache:
    def __init__(self, path):
        self.file = open(path, "rb")
        head = self.file.read(64)
        if head[:8] != b"\x89CSC\r\n\x1a\n" or zlib.crc32(head[:60]) != int.from_bytes(head[60:], "little"):
            raise ValueError(f"{path}: not a clothsim cache")
        major, _, _, _, self.interval, self.up = struct.unpack_from("<2H4I", head, 8)
        self.fps, self.position_error, self.velocity_error = struct.unpack_from("<3d", head, 32)
        if major != 1:
            raise ValueError(f"{path}: made by a later version of clothsim")
        self.objects, self.numbers, self.times, self.offsets, fram, at = [], [], [], [], [], 64
        while chunk := self._chunk(at, b"FRAM"):  # up to the end, or to the first damage
            kind, data, number, after, k = chunk
            if kind == b"META":
                self.meta = json.loads(data)
            elif kind == b"TOPO":
                self.objects.append(Object(data))
            elif kind in (b"LOOK", b"UVST"):
                (self.objects[k].look if kind == b"LOOK" else self.objects[k].uv_set)(data)
            elif kind == b"FRAM":
                fram.append(at)
            elif kind == b"STAT":  # ends a frame
                self.numbers.append(number)
                self.times.append(struct.unpack_from("<d", data)[0])
                self.offsets.append([*fram, at])
                fram = []
            at = after

    def _chunk(self, at, skip=None):
        """(fourcc, payload unless to skip, frame number, offset of the next, object), or None: no whole one."""
        self.file.seek(at)
        head = self.file.read(40)
        if len(head) < 40 or zlib.crc32(head[:36]) != int.from_bytes(head[36:], "little"):
            return None
        kind, _, size, frame, k, _, crc = struct.unpack_from("<4sIQqIII", head)
        data = b"" if kind == skip else self.file.read(size)
        whole = kind == skip or (len(data) == size and zlib.crc32(data) == crc)
        return (kind, data, frame, at + 40 + (size + 7) // 8 * 8, k) if whole else None

    def stats(self, index):
        return json.loads(self._chunk(self.offsets[index][-1])[1][8:] or b"{}")

    def _record(self, k, index, attribute):
        kind, data, *_ = self._chunk(self.offsets[index][k]) or (b"", b"")
        at = 8 + 32 * struct.unpack_from("<I", data)[0] if kind == b"FRAM" else 8
        for name, *coding, size in struct.iter_unpack("<4s4BqdQ", data[8:at]):
            at += size
            if name == attribute:
                return *coding, data[at - size:at]
        raise ValueError(f"frame {self.numbers[index]}: damaged, or without {attribute}")

    def positions(self, name, index, attribute=b"POSN"):
        """(nvert, 3) floats of an object; b"VELO": velocities, b"SMP0", b"SMV0": of a sample, b"PRES", b"STRN": (nvert, 1)."""
        k = name if isinstance(name, int) else [o.name for o in self.objects].index(name)
        o, chain = self.objects[k], []
        if o.traversal is None:
            faces = np.split(o.face_vert, np.cumsum(o.face_size))[:-1]
            o.traversal = traverse(o.nvert, [f.tolist() for f in faces], o.tets.tolist())
        while True:
            record = self._record(k, index, attribute)
            if record[0] == 2:  # the same as an earlier frame
                index, record = record[4], self._record(k, record[4], attribute)
            if o.tracks.get(attribute, (-1,))[0] == index:
                break
            chain.append((index, record))
            if record[0] == 0:  # a key frame
                break
            index -= 1
        for index, record in reversed(chain):
            o.tracks[attribute] = index, *self._decode(o, record, *o.tracks.get(attribute, [None] * 4)[1:])
        values = np.empty_like(o.tracks[attribute][1])
        values[o.traversal[0]] = o.tracks[attribute][1]
        return values

    @staticmethod
    def _decode(o, record, value, older, sizes):
        mode, time, space, kind, _, step, data = record
        lossy, at, number, width = step > 0, 0, np.int32 if step > 0 else np.float32, 1 if kind else 3
        out, shift = np.empty((o.nvert, width), np.float32), np.zeros((o.nvert + 1, width), number)
        residual = np.empty((o.nvert, width), np.uint32)
        for c in range(width):
            words, at = read_planes(data, at, o.nvert)
            classes = np.frexp(sizes[:, c].astype(float))[1] if mode and sizes is not None else words * 0
            residual[np.argsort(classes, kind="stable"), c] = words
        sizes = residual if sizes is None else (sizes >> 1) + (residual >> 1)
        residual = unzigzag(residual)
        def base_of(x):
            k = np.rint(x.astype(np.float64) * (1 / step)) if lossy else x
            return np.where(np.abs(k) <= 2**30, k, 0).astype(np.int32) if lossy else x
        with np.errstate(all="ignore"):
            base = base_of(value) if mode else np.zeros((o.nvert, width), number)
            if mode and time == 2:
                base = base + (base - base_of(older))
            for i in o.traversal[3]:
                a, b, d = shift[o.traversal[1][:, i]]
                half = o.traversal[2][i] < 1 if space == 2 else space == 1
                u = a + b - d if space == 2 else a + b if space == 1 else a[:] * 0
                if lossy:
                    shift[i] = np.where(half, u >> 1, u) + residual[i].view(np.int32)
                    out[i] = (shift[i] + base[i]) * step
                else:
                    p = base[i] + (np.where(half, u * number(0.5), u) if space else number(0))  # -0 + 0 is 0
                    p = np.where(np.isfinite(p), p, number(0)).view(np.uint32)
                    out[i] = unordered(ordered(p) + residual[i])
                    shift[i] = out[i] - base[i]
        return (out, value, sizes) if mode else (out, out, None)
