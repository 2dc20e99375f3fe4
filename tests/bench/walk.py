#!/usr/bin/python3
"""walk.py [options]: a skirt on a body of capsules that walks.

Hips and two legs, capsules that overlap, start from rest, walk straight on at 1.2 m/s, two steps a second, and stop. The legs swing by 28
degrees. The skirt is held at its waist and has no other setting. Without --skirt it is a cone made here; --skirt FILE takes an OBJ in metres
with y up whose waist is its upper border, 1.13 to 1.16 m high (skirt2011.obj of DiffCloth). --still leaves the body standing.

Columns are those of pose.py, "off" that of frames 1, 9, 17 and so on from where the motion has the body.
"""
import argparse
import math
import os

import pose

FPS, CYCLE, SWING, SPEED, RAMP = 24, 24, 28.0, 1.2, 12
HIP = {"left": 0.062, "right": -0.062}


def gone(frame, end):
    """How far [m] the body is at a frame, and the share of its full speed."""
    first, last = 4, end - 8
    share = max(0.0, min(1.0, (frame - first) / RAMP, (last - frame) / RAMP))
    way = sum(max(0.0, min(1.0, (f + 0.5 - first) / RAMP, (last - f - 0.5) / RAMP)) for f in range(1, frame)) / FPS
    return SPEED * way, share


def keys(end, side):
    made = []
    for frame in range(1, end + 1, 2):
        way, share = gone(frame, end)
        key = {"frame": frame, "position": [0, 0, round(way, 6)]}
        if side:
            key["rotation"] = [round(side * share * SWING * math.sin(2 * math.pi * (frame - 4) / CYCLE), 4), 0, 0]
        made.append(key)
    return made


def capsule(name, radius, height, position, rotation, motion):
    mesh = {"shape": "capsule", "radius": radius, "height": height, "cells": [24, 8, 12]}
    return {"name": name, "type": "collider", "mesh": mesh, "position": position, "rotation": rotation, **({"motion": motion} if motion else {})}


def body(end, still):
    parts = [capsule("hips", 0.075, 0.08, [0, 1.06, 0.015], [0, 0, 90], None if still else {"keys": keys(end, 0)})]
    for side, (name, x) in zip((1, -1), HIP.items()):
        motion = None if still else {"pivot": [x, 1.03, 0.01], "keys": keys(end, side)}
        parts.append(capsule(name, 0.06, 0.4, [x, 0.83, 0.01], [0, 0, 0], motion))
    return parts


def distance_off(args, out, last):
    """Of the body as written from its motion, the largest in every eighth frame [m]."""
    most = 0.0
    for name, side in (("hips", 0), ("left", 1), ("right", -1)):
        start = pose.points(f"{out}/{name}_0001.obj")
        for frame in range(1, last + 1, 8):
            key = keys(args.end, side)[(frame - 1) // 2] if not args.still else {"position": [0, 0, 0]}
            turn = math.radians(key.get("rotation", [0])[0])
            c, s, y0, z0 = math.cos(turn), math.sin(turn), 1.03, 0.01
            for (x, y, z), now in zip(start, pose.points(f"{out}/{name}_{frame:04d}.obj")):
                there = (x, y0 + c * (y - y0) - s * (z - z0), z0 + s * (y - y0) + c * (z - z0) + key["position"][2])
                most = max(most, math.dist(there, now))
    return most


def cone(cell):
    n, m = round(2 * math.pi * 0.16 / cell), round(0.25 / cell)
    return [pose.ellipse([0, 1.14 - 0.24 * j / m, 0.02], [0.11 + 0.12 * j / m, 0, 0], [0, 0, 0.09 + 0.1 * j / m], n) for j in range(m + 1)]


def borders(path):
    """Vertices of each border of a surface in an OBJ."""
    faces = [[int(c.split("/")[0]) - 1 for c in line.split()[1:]] for line in open(path) if line.startswith("f ")]
    once, next_of = set(), {}
    for f in faces:
        for a, b in zip(f, f[1:] + f[:1]):
            once ^= {(min(a, b), max(a, b))}
    for a, b in once:
        next_of.setdefault(a, []).append(b)
        next_of.setdefault(b, []).append(a)
    found = []
    while next_of:
        left, ring = [next(iter(next_of))], []
        while left:
            v = left.pop()
            if v in next_of:
                ring.append(v)
                left += next_of.pop(v)
        found.append(sorted(ring))
    return found


def make(args):
    folder = os.path.abspath(f"{args.out}/walk")
    os.makedirs(folder, exist_ok=True)
    path = os.path.abspath(args.skirt) if args.skirt else f"{folder}/cone.obj"
    if not args.skirt:
        pose.lofted(path, cone(args.cell))
    points = pose.points(path)
    waist = max(borders(path), key=lambda ring: sum(points[v][1] for v in ring) / len(ring))
    pins = {"vertices": waist, **({} if args.still else {"motion": keys(args.end, 0)})}
    skirt = {"name": "skirt", "type": "cloth", "material": "cotton", "mesh": {"file": path}, "pins": [pins]}
    return pose.write_scene(folder, "walk", args.end, [skirt, *body(args.end, args.still)])


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--skirt", help="OBJ to wear (a cone made here)")
    p.add_argument("--end", type=int, default=73, help="last frame (73)")
    p.add_argument("--still", action="store_true", help="the body only stands")
    pose.add_options(p)
    args = p.parse_args()
    pose.tell_names()
    pose.tell(pose.measured(args, "walk", make(args), args.end, lambda out, last: distance_off(args, out, last)))


if __name__ == "__main__":
    main()
