"""How soon gelu answers: its help and the six-point table against `python -c pass`.

Run it with the Python that gelu is installed in: python benchmarks/startup.py
"""

from __future__ import annotations

from pathlib import Path

from _measure import GELU, PYTHON, machine, medians

ROUNDS = 31
POINTS = ["-3", "-1", "0", "0.5", "1", "3"]
COMMANDS = {
    "python -c pass": [PYTHON, "-c", "pass"],
    "gelu --help": [GELU, "--help"],
    "gelu table -3 -1 0 0.5 1 3": [GELU, "table", *POINTS],
    "the same, --format table": [GELU, "table", *POINTS, "--format", "table"],
    "the usual script (numpy, scipy.stats)": [
        PYTHON,
        str(Path(__file__).with_name("usual_script.py")),
    ],
}


def main() -> None:
    times = medians(COMMANDS, ROUNDS)
    nothing, *_, script = times.values()
    print(f"{machine()}; medians of {ROUNDS}\n")
    print("| command | ms | × `python -c pass` | of the script |")
    print("|---|---:|---:|---:|")
    for name, taken in times.items():
        print(f"| `{name}` | {taken * 1e3:.0f} | {taken / nothing:.1f} | {taken / script:.2f} |")


if __name__ == "__main__":
    main()
