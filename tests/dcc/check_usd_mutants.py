"""check_usd_mutants.py FOLDER: 200 mutations each of the stages that check_usd_in.py wrote, as text, binary and package:
clothusd import reads them or says why not, leaves nothing behind, and never ends by a signal."""
import importlib.machinery
import importlib.util
import os
import random
import re
import resource
import sys

from common import ROOT, check, report

folder = sys.argv[1]
COUNT = 200
loader = importlib.machinery.SourceFileLoader("clothusd", f"{ROOT}/tools/clothusd")
clothusd = importlib.util.module_from_spec(importlib.util.spec_from_loader("clothusd", loader))
loader.exec_module(clothusd)


def mutate(data, rng):
    """Bytes flipped, words replaced, pieces cut, doubled or moved; of text numbers and words too."""
    data, kind = bytearray(data), rng.randrange(7)
    at = rng.randrange(len(data))
    if kind == 0:
        data[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        data[at:at + 8] = rng.choice([b"\xff" * 8, bytes(8), (1 << 31).to_bytes(8, "little"), b"\xff" * 7 + b"\x7f"])
    elif kind == 2:
        del data[at:at + rng.randrange(1, 200)]
    elif kind == 3:
        data[at:at] = data[at:at + rng.randrange(1, 200)]
    elif kind == 4:
        del data[at:]
    elif kind == 5:
        for _ in range(20):
            data[rng.randrange(len(data))] = rng.randrange(256)
    else:
        words = list(re.finditer(rb"-?\d+|\w+", bytes(data)))
        word = rng.choice(words)
        data[word.start():word.end()] = rng.choice([b"-1", b"99999999999", b"nan", b"inf", b"1e308", rng.choice(words).group()])
    return bytes(data)


def attempt(source, target):
    """(exit status, what was said) of clothusd import, in a process of its own."""
    out, into = os.pipe()
    child = os.fork()
    if not child:
        resource.setrlimit(resource.RLIMIT_CPU, (30, 30))
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        for stream in (1, 2):
            os.dup2(into, stream)
        sys.argv = ["clothusd", "import", source, target]
        try:
            clothusd.main()
            os._exit(0)
        except SystemExit as done:
            os._exit(done.code or 0)
        except Exception as trouble:
            os.write(2, clothusd.explain(trouble).encode())
            os._exit(1)
    os.close(into)
    said = b""
    while piece := os.read(out, 65536):
        said += piece
    os.close(out)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), said.decode(errors="replace")


for name in ("body.usda", "body.usdc", "body.usdz"):
    with open(f"{folder}/{name}", "rb") as file:
        whole = file.read()
    rng, refused, crashed, target = random.Random(11), 0, 0, f"{folder}/mutant.abc"
    source = f"{folder}/mutant{os.path.splitext(name)[1]}"
    for turn in range(COUNT):
        with open(source, "wb") as file:
            file.write(mutate(whole, rng))
        status, said = attempt(source, target)
        check(status in (0, 1), f"{name} {turn}: exit status {status}")
        check(status == 0 or "clothusd: error: " in said, f"{name} {turn}: {said[-200:]}")
        check(not os.path.exists(target + ".tmp"), f"{name} {turn}: left a file behind")
        refused, crashed = refused + status, crashed + ("usd-core crashed" in said)
    print(f"usd-core: {COUNT} mutations of {name}: {refused} refused, of these {crashed} in which usd-core itself crashed")
sys.exit(report())
