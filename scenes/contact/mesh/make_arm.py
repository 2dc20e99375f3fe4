#!/usr/bin/env python3
"""Makes arm.obj and arm.pc2 of the scene sleeve.json: an arm along x that bends its elbow and goes
back, as a point cache of 13 poses. At the elbow the two halves pass through each other, as they do
in most characters."""

import math
import os
import struct

AROUND, ALONG, CAP = 14, 26, 3
RADIUS, LENGTH = 0.05, 0.6  # of the straight part, from -LENGTH/2 to LENGTH/2; the elbow is at 0
POSES, MOST = 13, math.radians(125)
BLEND = 0.05  # half length of the stretch that bends


def rest():
    """Rings of a capsule along x, then the two poles."""
    rings = []
    for c in range(CAP, 0, -1):
        a = math.pi / 2 * c / (CAP + 1)
        rings.append((-LENGTH / 2 - RADIUS * math.sin(a), RADIUS * math.cos(a)))
    rings += [(LENGTH * (k / ALONG - 0.5), RADIUS) for k in range(ALONG + 1)]
    for c in range(1, CAP + 1):
        a = math.pi / 2 * c / (CAP + 1)
        rings.append((LENGTH / 2 + RADIUS * math.sin(a), RADIUS * math.cos(a)))
    points = [
        (x, r * math.cos(2 * math.pi * k / AROUND), r * math.sin(2 * math.pi * k / AROUND))
        for x, r in rings
        for k in range(AROUND)
    ]
    points += [(-LENGTH / 2 - RADIUS, 0, 0), (LENGTH / 2 + RADIUS, 0, 0)]
    return points, len(rings)


def faces(nring):
    quads = []
    for i in range(nring - 1):
        for k in range(AROUND):
            a, b = i * AROUND + k, i * AROUND + (k + 1) % AROUND
            quads.append((a, b, b + AROUND, a + AROUND))
    first, last = nring * AROUND, nring * AROUND + 1
    for k in range(AROUND):
        n = (k + 1) % AROUND
        quads.append((first, n, k))
        end = (nring - 1) * AROUND
        quads.append((last, end + k, end + n))
    return quads


def bent(point, angle):
    """Linear blend skinning of two bones, the second turned about z at the elbow."""
    x, y, z = point
    w = min(max((x + BLEND) / (2 * BLEND), 0), 1)
    c, s = math.cos(angle), math.sin(angle)
    return ((1 - w) * x + w * (c * x - s * y), (1 - w) * y + w * (s * x + c * y), z)


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    points, nring = rest()
    with open(os.path.join(here, "arm.obj"), "w") as out:
        for p in points:
            out.write("v %.5f %.5f %.5f\n" % p)
        for f in faces(nring):
            out.write("f " + " ".join(str(v + 1) for v in f) + "\n")
    with open(os.path.join(here, "arm.pc2"), "wb") as out:
        out.write(struct.pack("<12siiffi", b"POINTCACHE2\0", 1, len(points), 0, 1, POSES))
        for k in range(POSES):
            angle = MOST * 0.5 * (1 - math.cos(2 * math.pi * k / (POSES - 1)))
            for p in points:
                out.write(struct.pack("<fff", *bent(p, angle)))


main()
