"""What the libraries cost that can plot in a terminal, and how soon `gelu plot` has its picture.

Run it with the Python that gelu is installed in: pip install plotext uniplot plotille, then
python benchmarks/plotting.py
"""

from __future__ import annotations

import re
from importlib.metadata import distribution

from _measure import GELU, PYTHON, machine, medians

ROUNDS = 21
LIBRARIES = ("plotext", "uniplot", "plotille")


def main() -> None:
    imports = {name: [PYTHON, "-c", f"import {name}"] for name in ("numpy", *LIBRARIES)}
    after = {f"numpy, {name}": [PYTHON, "-c", f"import numpy, {name}"] for name in LIBRARIES}
    pictures = {
        "gelu plot": [GELU, "plot"],
        "gelu plot --error absolute": [GELU, "plot", "--error", "absolute"],
        "gelu plot -f svg": [GELU, "plot", "-f", "svg"],
    }
    times = medians({"pass": [PYTHON, "-c", "pass"], **imports, **after, **pictures}, ROUNDS)
    print(f"{machine()}; medians of {ROUNDS}\n")
    print("| library | version | needs | MB | import, ms | after numpy, ms |")
    print("|---|---|---|---:|---:|---:|")
    for name in LIBRARIES:
        alone, beside = times[name] - times["pass"], times[f"numpy, {name}"] - times["numpy"]
        print(f"| {name} | {_cost(name)} | {alone * 1e3:.0f} | {beside * 1e3:.0f} |")
    print("\n| command | ms | × `import numpy` |")
    print("|---|---:|---:|")
    for name in ("numpy", *pictures):
        command = f"python -c 'import {name}'" if name == "numpy" else name
        print(f"| `{command}` | {times[name] * 1e3:.0f} | {times[name] / times['numpy']:.1f} |")


def _cost(name: str) -> str:
    found = distribution(name)
    needs = [each for each in found.requires or () if "extra ==" not in each]
    names = ", ".join(re.split(r"[^\w-]", each)[0] for each in needs) or "nothing"
    files = (file.locate() for file in found.files or () if file.suffix != ".pyc")
    size = sum(path.stat().st_size for path in files)
    return f"{found.version} | {names} | {size / 1e6:.1f}"


if __name__ == "__main__":
    main()
