"""make_frames.py FOLDER: an OBJ sequence with polygons of 3 to 6 corners and seams in its texture
coordinates, as modellers make them."""
import math
import os
import sys

folder = sys.argv[1]
os.makedirs(folder, exist_ok=True)
N = 7
for frame in range(1, 13):
    lines = ["o patch"]
    for j in range(N):
        for i in range(N):
            y = 0.2 * math.sin(0.9 * i + 0.4 * frame) * math.cos(0.7 * j)
            lines.append(f"v {i / 6:.7f} {y:.7f} {j / 6 + 0.01 * frame:.7f}")
    for j in range(N):
        for i in range(N):
            lines.append(f"vt {i / 12:.6f} {j / 12:.6f}")      # left half of the texture
    for j in range(N):
        for i in range(N):
            lines.append(f"vt {0.5 + i / 12:.6f} {j / 12:.6f}")  # right half: a seam between
    for j in range(N - 1):
        for i in range(0, N - 1, 2):
            a = j * N + i + 1
            shift = N * N if i >= 4 else 0
            if i != 2:    # groups, and materials where not in the middle
                lines += [f"g {'left' if i == 0 else 'right rim'}", f"usemtl {'wool' if j < 3 else 'silk'}"]
            else:
                lines += ["g left rim", "usemtl wool"]
            if i == 0:    # two triangles, a quad
                faces = [(a, a + N, a + 1), (a + 1, a + N, a + N + 1), (a + 1, a + N + 1, a + N + 2, a + 2)]
            elif i == 2:  # a hexagon
                faces = [(a, a + N, a + N + 1, a + N + 2, a + 2, a + 1)]
            else:         # two quads
                faces = [(a, a + N, a + N + 1, a + 1), (a + 1, a + N + 1, a + N + 2, a + 2)]
            for face in faces:
                lines.append("f " + " ".join(f"{v}/{v + shift}" for v in face))
    with open(os.path.join(folder, f"patch_{frame:04d}.obj"), "w") as f:
        f.write("\n".join(lines) + "\n")
