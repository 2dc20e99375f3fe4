#!/usr/bin/python3
"""sample.py --garmentcode DIR --out DIR SEED [N]: N random sewing patterns for tests/bench/dress.py.

DIR is a checkout of https://github.com/maria-korosteleva/GarmentCode, whose sampler draws the designs, for its
mean body. Needs Python packages pyyaml, numpy < 2, scipy, svgwrite, svgpathtools, psutil and matplotlib.
Names end in _apart where a pattern has trousers. The same seed gives the same patterns.
"""
import argparse
import json
import os
import random
import sys
import tempfile
import types


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--garmentcode", required=True, help="checkout of GarmentCode")
    parser.add_argument("--out", required=True, help="folder for the patterns")
    parser.add_argument("seed", type=int)
    parser.add_argument("n", type=int, nargs="?", default=40)
    options = parser.parse_args()
    out = os.path.abspath(options.out)
    os.makedirs(out, exist_ok=True)
    os.chdir(options.garmentcode)
    sys.path.insert(0, os.getcwd())
    pictures = sys.modules["cairosvg"] = types.ModuleType("cairosvg")
    pictures.svg2png = lambda **_: None  # pictures are not needed
    import pattern_sampler
    import pygarment
    from assets.bodies.body_params import BodyParameters
    from assets.garment_programs.meta_garment import MetaGarment

    random.seed(options.seed)
    body = BodyParameters("assets/bodies/mean_all.yaml")
    sampler = pygarment.DesignSampler("assets/design_params/default.yaml")
    count = 0
    while count < options.n:
        design = sampler.randomize()
        name = "rand_" + pattern_sampler._id_generator()  # as its own loop, for the same random numbers
        try:
            pattern_sampler.assert_param_combinations(design)
            piece = MetaGarment(name, body, design)
            piece.assert_total_length()
            if piece.is_self_intersecting():
                continue
            pattern = piece.assembly()
        except KeyboardInterrupt:
            raise
        except BaseException:  # pylint: disable=broad-except
            continue  # combinations that cannot be cut: not all of its errors are Exceptions
        place = "g%02d%s.json" % (count, "_apart" if pattern_sampler.has_pants(design) else "")
        with tempfile.TemporaryDirectory() as folder:
            pattern.serialize(folder, tag="", to_subfolder=False, with_3d=False, with_text=False, view_ids=False)
            written = [os.path.join(d, f) for d, _, files in os.walk(folder) for f in files if f.endswith(".json")]
            with open(written[0]) as f:
                tree = json.load(f)
        part = tree["pattern"]  # its order of panels and stitches is another in each run
        part["panels"] = dict(sorted(part["panels"].items()))
        part["stitches"] = sorted(part["stitches"], key=json.dumps)
        part.pop("panel_order", None)
        with open(os.path.join(out, place), "w") as f:
            json.dump(tree, f, indent=1)
        meta = design["meta"]
        print(place, *(meta[part]["v"] for part in ("upper", "wb", "bottom")), flush=True)
        count += 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
