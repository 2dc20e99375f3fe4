"""module.py SCENE: the Python module's calls, on a flag whose mast the caller waves."""
import gc
import json
import math
import sys

import clothsim

said = []
sim = clothsim.Simulation(sys.argv[1], sets=["flag.mesh.cells=[12, 8]"], nthread=2,
                          log=lambda level, text: said.append((level, text)))
flag = sim.object("flag")
assert flag.nvert == sim.nvert == 117 and sim.object("mast").type == "collider"
assert sim.positions.shape == (117, 3) and flag.triangles.shape[1] == 3
pinned = sim.pin_vertices(0)
start = sim.positions.tolist()
assert len(pinned) == 9 and all(abs(start[v][0]) < 0.011 for v in pinned)

# waved by pin and mast together, pinned vertices follow exactly
for k in range(3):
    sim.move_pin(0, position=(0, 0, 0.01 * (k + 1)))
    sim.move_collider("mast", position=[0, 0, 0.01 * (k + 1)])
    report = sim.step_frame()
assert report.substeps == 16 and sim.frame == 4 and math.isclose(sim.time, 3 / 24)
assert all(abs(sim.positions.tolist()[v][2] - start[v][2] - 0.03) < 1e-3 for v in pinned)
mast = sim.object("mast").vertices.tolist()

# saved, gone on, loaded, gone on: the same bits
state = sim.save()
sim.step_frame()
then = sim.positions.tolist()
sim.load(state)
assert sim.object("mast").vertices.tolist() == mast
sim.step_frame()
assert sim.positions.tolist() == then
sim.reset()
assert sim.time == 0 and sim.positions.tolist() == start

# vertex by vertex; velocities can be set, positions cannot
sim.set_pin_vertices(0, [[x, y + 0.001, z] for x, y, z in (start[v] for v in pinned)])
sim.velocities[60, 1] = 2.0
sim.step()
assert sim.positions[60, 1] > start[60][1]
try:
    sim.positions[0, 0] = 1
    raise SystemExit("positions can be written")
except (TypeError, ValueError):
    pass

# errors have their text; from memory
for call in (lambda: sim.move_collider("flag"), lambda: sim.move_pin(7),
             lambda: sim.move_pin(0, (0, math.nan, 0)), lambda: sim.load(b"nothing"),
             lambda: clothsim.Simulation("none.json"),
             lambda: clothsim.Simulation("text.json", text=json.dumps({"version": 2}))):
    try:
        call()
        raise SystemExit("no error")
    except clothsim.Error as error:
        assert error.status in (2, 3) and str(error) and ":0" not in str(error), error

# arrays outlive the simulation
x = clothsim.Simulation(sys.argv[1], sets=["flag.mesh.cells=[3, 2]"]).positions
gc.collect()
assert len(x.tolist()) == 12
print("ok", "with numpy" if clothsim.numpy else "without numpy")
