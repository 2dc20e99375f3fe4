"""blender_drop.py -- N FRAMES FOLDER: the scene of drop.py in Blender, run by drop.py in Blender's Python.

Quality 5, self-collision on, self distance 0.3 of a cell, everything else as Blender has it for a new
cloth. Writes the positions of every frame, the triangles as Blender's collisions have them, and its
times (simulating only: neither start nor writing) into the folder.
"""
import json
import os
import sys
import time

import bpy
import numpy as np

n, count, folder = int(sys.argv[-3]), int(sys.argv[-2]), sys.argv[-1]
SIZE, RADIUS, HEIGHT, FPS, THREADS = 2, 0.5, 0.6, 24, 2


def vertices(thing):
    mesh = thing.evaluated_get(bpy.context.evaluated_depsgraph_get()).data
    xyz = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", xyz)
    return xyz.reshape(-1, 3) + np.array(thing.location, np.float32)


def triangles(thing):
    mesh = thing.data
    mesh.calc_loop_triangles()
    tri = np.empty(3 * len(mesh.loop_triangles), np.int32)
    mesh.loop_triangles.foreach_get("vertices", tri)
    return tri


bpy.ops.wm.read_factory_settings(use_empty=True)
scene = bpy.context.scene
scene.render.fps, scene.frame_start, scene.frame_end = FPS, 1, count + 1
scene.render.threads_mode, scene.render.threads = "FIXED", THREADS
os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[:THREADS]))  # on machines with more

bpy.ops.mesh.primitive_uv_sphere_add(radius=RADIUS, segments=64, ring_count=32)
ball = bpy.context.object
ball.modifiers.new("Collision", "COLLISION")

bpy.ops.mesh.primitive_grid_add(x_subdivisions=n - 1, y_subdivisions=n - 1, size=SIZE, location=(0, 0, HEIGHT))
cloth = bpy.context.object
if len(cloth.data.vertices) != n * n:
    sys.exit(f"this Blender makes a grid of {len(cloth.data.vertices)} vertices")
modifier = cloth.modifiers.new("Cloth", "CLOTH")
modifier.settings.quality = 5
collision = modifier.collision_settings
collision.use_collision = collision.use_self_collision = True
collision.self_distance_min = 0.3 * SIZE / (n - 1)
modifier.point_cache.frame_start, modifier.point_cache.frame_end = 1, count + 1

scene.frame_set(1)
frames = [vertices(cloth)]
wall, cpu = time.monotonic(), os.times().user
for frame in range(2, count + 2):
    scene.frame_set(frame)
    frames.append(vertices(cloth))
wall, cpu = time.monotonic() - wall, os.times().user - cpu

np.array(frames, np.float32).tofile(f"{folder}/cloth.f32")
triangles(cloth).tofile(f"{folder}/cloth.tri")
vertices(ball).tofile(f"{folder}/ball.f32")
triangles(ball).tofile(f"{folder}/ball.tri")
with open(f"{folder}/times.json", "w") as f:
    json.dump({"wall": wall, "cpu": cpu, "threads": THREADS, "version": bpy.app.version_string}, f)
