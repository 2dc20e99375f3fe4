"""flag.py: steps a scene and writes its last frame as OBJ.

   PYTHONPATH=PREFIX/share/clothsim/python python3 flag.py PREFIX/share/clothsim/scenes/flag.json 24 flag.obj
"""
import sys

import clothsim

if len(sys.argv) != 4:
    sys.exit("usage: flag.py SCENE FRAMES OUT.obj")
scene, frames, path = sys.argv[1:]

try:
    sim = clothsim.Simulation(scene)
    x = sim.positions  # (nvert, 3), updated by every step; a numpy array where numpy is installed
    for _ in range(int(frames)):
        report = sim.step_frame()
        top = x[:, 1].max() if clothsim.numpy else max(row[1] for row in x.tolist())
        print("%.3f s: %d contacts, top at %.4f m" % (report.time, report.contacts, top))
except clothsim.Error as error:
    sys.exit(str(error))

with open(path, "w") as file:
    for row in x.tolist():
        print("v %.17g %.17g %.17g" % tuple(row), file=file)
    for o in sim.objects:
        if o.type == "collider":
            continue
        print("o", o.name, file=file)
        for a, b, c in o.triangles.tolist():
            print("f", o.first + a + 1, o.first + b + 1, o.first + c + 1, file=file)
