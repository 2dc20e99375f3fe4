"""check_vtk.py CACHE EXPORTS: VTK reads the VTP files and ParaView's collection is sound."""
import os
import sys
import xml.etree.ElementTree as xml

import numpy as np
import vtkmodules.vtkIOXML as io
from common import check, close, expected, report, sets_of
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow, vtkVersion

path, exports = sys.argv[1:3]
cache, objects = expected(path)
window = vtkStringOutputWindow()
vtkOutputWindow.SetInstance(window)
print("VTK", vtkVersion.GetVTKVersion())

pvd = xml.parse(f"{exports}/vtp/{os.path.splitext(os.path.basename(path))[0]}.pvd").getroot()
sets = pvd.findall("Collection/DataSet")
check(len(sets) == len(cache.numbers) * len(objects), "pvd: a data set for each frame and object")
times = {s.get("file"): float(s.get("timestep")) for s in sets}

seen = {}  # values that are not 0
for want in objects:
    for index in range(len(cache.numbers)):
        name = f"{want.name}_{cache.numbers[index]:04d}.vtp"
        reader = io.vtkXMLPolyDataReader()
        reader.SetFileName(f"{exports}/vtp/{name}")
        reader.Update()
        data = reader.GetOutput()
        time = cache.numbers[index] / cache.fps
        check(times.get(name) == time, f"pvd: time of {name}")
        points, polys = data.GetPointData(), data.GetPolys()
        # the vertices, then more points of vertices whose corners differ
        split = points.GetArray("Vertex")
        vertex = np.arange(want.nvert) if split is None else vtk_to_numpy(split)
        check(data.GetNumberOfPoints() == len(vertex) and (split is None or len(vertex) > want.nvert), f"{name}: points")
        close(vertex[:want.nvert], np.arange(want.nvert), f"{name}: vertices come first")
        close(vtk_to_numpy(data.GetPoints().GetData()), want.at(index)[vertex], name)
        corner = vtk_to_numpy(polys.GetConnectivityArray())
        close(vertex[corner], want.corners, f"{name}: corners")
        close(vtk_to_numpy(polys.GetOffsetsArray()), want.starts, f"{name}: offsets")
        check(data.GetFieldData().GetArray("TimeValue").GetValue(0) == time, f"{name}: time")
        if want.thing.has_velocity:
            close(vtk_to_numpy(points.GetVectors()), want.velocity(index)[vertex], f"{name}: velocities")
        thing = want.thing
        for scalar, kind, has in (("Pressure", b"PRES", thing.has_pressure), ("Strain", b"STRN", thing.has_strain)):
            check((points.GetArray(scalar) is not None) == bool(has), f"{name}: {scalar}")
            if has:
                there = cache.positions(want.name, index, kind)[:want.nvert]
                close(vtk_to_numpy(points.GetArray(scalar)), there[vertex, 0], f"{name}: {scalar}")
                seen[scalar] = seen.get(scalar, 0) + np.count_nonzero(there)
        normals = thing.face_normal is not None and thing.face_normal.min(initial=0) >= 0 and len(corner) > 0
        check((points.GetNormals() is not None) == normals, f"{name}: normals")
        if normals:
            close(vtk_to_numpy(points.GetNormals())[corner], thing.normals(want.at(index))[thing.face_normal], f"{name}: normals", 1e-6)
        check((points.GetArray("Colour") is not None) == (thing.colour is not None), f"{name}: colours")
        if thing.colour is not None:
            close(vtk_to_numpy(points.GetArray("Colour")), thing.colour[vertex], f"{name}: colours")
        if want.uv is not None:
            close(vtk_to_numpy(points.GetTCoords())[corner], want.uv, f"{name}: texture coordinates")
        for key, (uv, of_corner) in thing.uv_sets.items():
            there = np.where((of_corner < 0)[:, None], 0, uv[of_corner])
            close(vtk_to_numpy(points.GetArray(key))[corner], there, f"{name}: texture coordinates {key}")
        cells = data.GetCellData()
        masks = {cells.GetArrayName(k): vtk_to_numpy(cells.GetArray(k)) for k in range(cells.GetNumberOfArrays())}
        masks.pop("Tag", None)
        sets = {("group " if kind == "g" else "material ") + group: faces for (kind, group), faces in sets_of(thing).items()}
        check(set(masks) == set(sets), f"{name}: groups and materials {set(masks)}")
        for group, faces in sets.items():
            close(np.flatnonzero(masks.get(group, [])), faces, f"{name}: {group}")
check(all(seen.values()), f"pressures and strain are not all 0: {seen}")
check(not window.GetOutput(), f"vtk: no warnings: {window.GetOutput()}")
sys.exit(report())
