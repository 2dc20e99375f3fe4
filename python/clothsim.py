"""clothsim: step scenes of cloth and soft solids from Python. Needs libclothsim and nothing else.

    import clothsim
    sim = clothsim.Simulation("flag.json")
    while sim.time < 2:
        sim.step_frame()
    print(sim.positions)        # (nvert, 3) float64, a view that every step updates

Arrays are numpy arrays where numpy is installed, else two-dimensional memoryviews. Units are SI.
The functions are those of clothsim.h, where everything is documented.

The library is searched for in $CLOTHSIM_LIBRARY, beside this file, in ../../../lib as `make
install` has it, and where the system looks for libraries.
"""

import ctypes
import os
import sys

try:
    import numpy
except ImportError:
    numpy = None

__version__ = "0.1.0"
STATUS = {1: "the solver gave up", 2: "invalid input", 3: "a file cannot be read or written",
          4: "out of memory"}


class Error(Exception):
    """A call failed: `status` is the csim_status, the text holds the library's messages."""

    def __init__(self, status, messages):
        super().__init__("\n".join(messages) or STATUS.get(status, "status %d" % status))
        self.status = status


# ------------------------------------------------------------------------------------ the library

class _Message(ctypes.Structure):
    _fields_ = [("level", ctypes.c_int), ("file", ctypes.c_char_p), ("line", ctypes.c_int),
                ("column", ctypes.c_int), ("pointer", ctypes.c_char_p), ("text", ctypes.c_char_p)]


_Write = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.POINTER(_Message))


class _Log(ctypes.Structure):
    _fields_ = [("write", _Write), ("user", ctypes.c_void_p), ("nerror", ctypes.c_int),
                ("nwarning", ctypes.c_int)]


class _Options(ctypes.Structure):
    _fields_ = [("tet_program", ctypes.c_char_p), ("nthread", ctypes.c_int)]


class Report(ctypes.Structure):
    """Result of a step: csim_sim_report."""
    _fields_ = [("time", ctypes.c_double), ("substeps", ctypes.c_longlong),
                ("unconverged", ctypes.c_longlong), ("halved", ctypes.c_longlong),
                ("iterations", ctypes.c_longlong), ("linear_iterations", ctypes.c_longlong),
                ("contacts", ctypes.c_longlong), ("residual", ctypes.c_double),
                ("lag", ctypes.c_double)]

    def __repr__(self):
        return "Report(%s)" % ", ".join("%s=%r" % (f[0], getattr(self, f[0]))
                                        for f in self._fields_)


class _Object(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("first", ctypes.c_int),
                ("nvert", ctypes.c_int), ("nface", ctypes.c_int),
                ("face_start", ctypes.POINTER(ctypes.c_int)),
                ("face_vert", ctypes.POINTER(ctypes.c_int)), ("ntri", ctypes.c_int),
                ("tri", ctypes.POINTER(ctypes.c_int))]


class _Pin(ctypes.Structure):
    _fields_ = [("object", ctypes.c_int), ("nvert", ctypes.c_int)]


def _load():
    name = "libclothsim.so." + __version__.rpartition(".")[0]
    here = os.path.dirname(os.path.abspath(__file__))
    places = [os.environ.get("CLOTHSIM_LIBRARY"), os.path.join(here, name),
              os.path.join(here, "..", "..", "..", "lib", name)]
    for path in places:
        if path and os.path.exists(path):
            return ctypes.CDLL(path)
    return ctypes.CDLL(name)


_c = _load()
_DOUBLES = ctypes.POINTER(ctypes.c_double)
_SIM = ctypes.c_void_p
_VOID = ctypes.c_void_p
for _name, _result, _arguments in [
        ("version", ctypes.c_char_p, []),
        ("scene_read", ctypes.c_int, [ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p),
                                      ctypes.c_int, ctypes.POINTER(_Log), ctypes.POINTER(_VOID)]),
        ("scene_parse", ctypes.c_int, [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p,
                                       ctypes.POINTER(ctypes.c_char_p), ctypes.c_int,
                                       ctypes.POINTER(_Log), ctypes.POINTER(_VOID)]),
        ("scene_free", None, [_VOID]),
        ("sim_create", ctypes.c_int, [_VOID, ctypes.POINTER(_Options), ctypes.POINTER(_Log),
                                      ctypes.POINTER(_SIM)]),
        ("sim_free", None, [_SIM]),
        ("sim_reset", ctypes.c_int, [_SIM]),
        ("sim_step", ctypes.c_int, [_SIM, ctypes.POINTER(Report)]),
        ("sim_step_frame", ctypes.c_int, [_SIM, ctypes.POINTER(Report)]),
        ("sim_time", ctypes.c_double, [_SIM]),
        ("sim_frame", ctypes.c_int, [_SIM]),
        ("sim_nvert", ctypes.c_int, [_SIM]),
        ("sim_positions", _DOUBLES, [_SIM]),
        ("sim_velocities", _DOUBLES, [_SIM]),
        ("sim_nobject", ctypes.c_int, [_SIM]),
        ("sim_get_object", _Object, [_SIM, ctypes.c_int]),
        ("sim_find_object", ctypes.c_int, [_SIM, ctypes.c_char_p]),
        ("sim_get_vertices", None, [_SIM, ctypes.c_int, _DOUBLES]),
        ("sim_npin", ctypes.c_int, [_SIM]),
        ("sim_get_pin", _Pin, [_SIM, ctypes.c_int]),
        ("sim_get_pin_vertices", None, [_SIM, ctypes.c_int, ctypes.POINTER(ctypes.c_int)]),
        ("sim_move_collider", ctypes.c_int, [_SIM, ctypes.c_int, _DOUBLES, _DOUBLES]),
        ("sim_move_pin", ctypes.c_int, [_SIM, ctypes.c_int, _DOUBLES, _DOUBLES]),
        ("sim_set_collider_vertices", ctypes.c_int, [_SIM, ctypes.c_int, _DOUBLES]),
        ("sim_set_pin_vertices", ctypes.c_int, [_SIM, ctypes.c_int, _DOUBLES]),
        ("sim_save", ctypes.c_int, [_SIM, ctypes.POINTER(_VOID),
                                    ctypes.POINTER(ctypes.c_size_t)]),
        ("sim_load", ctypes.c_int, [_SIM, ctypes.c_char_p, ctypes.c_size_t])]:
    _function = getattr(_c, "csim_" + _name)
    _function.restype = _result
    _function.argtypes = _arguments

version = _c.csim_version().decode()


# ----------------------------------------------------------------------------------------- arrays

def _view(pointer, n, owner, width=3):
    """An (n, width) array on memory of the library, which `owner` keeps."""
    kind = pointer._type_
    block = (kind * (n * width)).from_address(ctypes.addressof(pointer.contents)) if n else \
        (kind * 0)()
    block.owner = owner
    if numpy:
        return numpy.frombuffer(block, dtype=kind).reshape(n, width)
    flat = memoryview(block).cast("B")
    return flat.cast("d" if kind is ctypes.c_double else "i", (n, width)) if n else flat


def _doubles(values, n):
    """n doubles in C from an array or nested sequences."""
    def flatten(v):
        for item in v:
            if hasattr(item, "__len__"):
                yield from flatten(item)
            else:
                yield float(item)
    if numpy:
        flat = numpy.ascontiguousarray(values, dtype=float).ravel()
    else:
        flat = list(flatten(values.tolist() if isinstance(values, memoryview) else values))
    if len(flat) != n:
        raise ValueError("expected %d numbers, found %d" % (n, len(flat)))
    return (ctypes.c_double * n)(*flat)


# ------------------------------------------------------------------------------------- simulations

class _Handle:
    """A csim_sim with its scene and log, freed when neither simulation nor arrays need them."""

    def __init__(self, write):
        self.sim, self.scene = _SIM(), _VOID()
        self.write = _Write(write)
        self.log = _Log(self.write)

    def __del__(self):
        _c.csim_sim_free(self.sim)
        _c.csim_scene_free(self.scene)


class Object:
    """A cloth, solid or collider."""

    def __init__(self, sim, number):
        c = _c.csim_sim_get_object(sim._handle.sim, number)
        self.number, self.name = number, c.name.decode()
        self.type = ("cloth", "solid", "collider")[c.type]
        self.first, self.nvert = c.first, c.nvert
        self.triangles = _view(c.tri, c.ntri, sim._handle)
        self._handle = sim._handle

    @property
    def vertices(self):
        """A copy of the present positions (nvert, 3) [m]."""
        block = (ctypes.c_double * (3 * self.nvert))()
        _c.csim_sim_get_vertices(self._handle.sim, self.number, block)
        return _view(ctypes.cast(block, _DOUBLES), self.nvert, block)


class Simulation:
    """A scene that is stepped: csim_sim of clothsim.h."""

    def __init__(self, scene, sets=(), nthread=1, text=None, log=None):
        """
        scene    path of a scene file; with `text` the path that the text would have
        sets     settings like those of --set, "frames.substeps=8"
        text     the scene as JSON text
        log      called with every message: log(level, text); default: warnings to stderr
        """
        self._errors, self._log = [], log
        self._handle = _Handle(self._message)
        c_log = self._handle.log
        texts = [s.encode() for s in sets]
        c_sets = (ctypes.c_char_p * len(texts))(*texts)
        path, out = os.fsencode(scene), ctypes.byref(self._handle.scene)
        if text is None:
            self._check(_c.csim_scene_read(path, c_sets, len(texts), c_log, out))
        else:
            data = text.encode()
            self._check(_c.csim_scene_parse(data, len(data), path, c_sets, len(texts), c_log, out))
        self._check(_c.csim_sim_create(self._handle.scene, _Options(None, nthread), c_log,
                                       ctypes.byref(self._handle.sim)))
        self._sim = self._handle.sim
        self.objects = [Object(self, k) for k in range(_c.csim_sim_nobject(self._sim))]
        self.nvert = _c.csim_sim_nvert(self._sim)
        self.positions = _view(_c.csim_sim_positions(self._sim), self.nvert, self._handle)
        if numpy:
            self.positions.flags.writeable = False
        else:
            self.positions = self.positions.toreadonly()
        self.velocities = _view(_c.csim_sim_velocities(self._sim), self.nvert, self._handle)

    def _message(self, user, message):
        m = message.contents
        text = m.text.decode(errors="replace")
        if m.file:
            place = "".join(":%d" % k for k in (m.line, m.column) if k)
            text = "%s%s: %s" % (os.fsdecode(m.file), place, text)
        if m.level == 3:
            self._errors.append(text)
        if self._log:
            self._log(("debug", "info", "warning", "error")[m.level], text)
        elif m.level == 2:
            print("clothsim: warning:", text, file=sys.stderr)

    def _check(self, status):
        errors, self._errors = self._errors, []
        if status:
            raise Error(status, errors)

    def step(self):
        """One substep."""
        report = Report()
        self._check(_c.csim_sim_step(self._sim, report))
        return report

    def step_frame(self):
        """The substeps to the end of the present frame."""
        report = Report()
        self._check(_c.csim_sim_step_frame(self._sim, report))
        return report

    def reset(self):
        """Back to the start."""
        self._check(_c.csim_sim_reset(self._sim))

    @property
    def time(self):
        """[s] from the start."""
        return _c.csim_sim_time(self._sim)

    @property
    def frame(self):
        """Number of the last frame reached."""
        return _c.csim_sim_frame(self._sim)

    def object(self, name):
        """The object of this name."""
        k = _c.csim_sim_find_object(self._sim, name.encode())
        if k < 0:
            raise KeyError(name)
        return self.objects[k]

    def pin_vertices(self, pin):
        """Rows in positions that a pin holds."""
        if not 0 <= pin < _c.csim_sim_npin(self._sim):
            raise IndexError(pin)
        vert = (ctypes.c_int * _c.csim_sim_get_pin(self._sim, pin).nvert)()
        _c.csim_sim_get_pin_vertices(self._sim, pin, vert)
        return list(vert)

    def move_collider(self, name, position=(0, 0, 0), rotation=(0, 0, 0)):
        """Offset [m] and rotation vector [rad] from the start, reached by the next step."""
        self._check(_c.csim_sim_move_collider(self._sim, self.object(name).number,
                                              _doubles(position, 3), _doubles(rotation, 3)))

    def move_pin(self, pin, position=(0, 0, 0), rotation=(0, 0, 0)):
        """The same for the targets of a pin."""
        self._check(_c.csim_sim_move_pin(self._sim, pin, _doubles(position, 3),
                                         _doubles(rotation, 3)))

    def set_collider_vertices(self, name, x):
        """Targets (nvert, 3) [m] of every vertex of a collider with a mesh."""
        o = self.object(name)
        self._check(_c.csim_sim_set_collider_vertices(self._sim, o.number,
                                                      _doubles(x, 3 * o.nvert)))

    def set_pin_vertices(self, pin, x):
        """Targets of every vertex of a pin, in the order of pin_vertices."""
        n = len(self.pin_vertices(pin))
        self._check(_c.csim_sim_set_pin_vertices(self._sim, pin, _doubles(x, 3 * n)))

    def save(self):
        """The state as bytes."""
        data, size = _VOID(), ctypes.c_size_t()
        self._check(_c.csim_sim_save(self._sim, ctypes.byref(data), ctypes.byref(size)))
        state = ctypes.string_at(data, size.value)
        _free(data)
        return state

    def load(self, state):
        """Restores what save() returned."""
        self._check(_c.csim_sim_load(self._sim, state, len(state)))


_free = ctypes.CDLL(None).free
_free.restype, _free.argtypes = None, [_VOID]
