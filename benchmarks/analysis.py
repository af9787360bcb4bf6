"""How soon the analysis commands answer, against the import of what they need.

Run it with the Python that gelu is installed in: python benchmarks/analysis.py
"""

from __future__ import annotations

from _measure import GELU, PYTHON, machine, medians

ROUNDS = 15
QUESTIONS = (["error", "--form", "tanh"], ["error"], ["locate"], ["variance"])
IMPORTS = "python -c 'import typer, mpmath'"


def main() -> None:
    commands = {IMPORTS: [PYTHON, "-c", "import typer, mpmath"]}
    commands |= {f"gelu {' '.join(words)}": [GELU, *words] for words in QUESTIONS}
    times = medians(commands, ROUNDS)
    print(f"{machine()}; medians of {ROUNDS}\n")
    print("| command | ms | × the imports |")
    print("|---|---:|---:|")
    for name, taken in times.items():
        print(f"| `{name}` | {taken * 1e3:.0f} | {taken / times[IMPORTS]:.1f} |")


if __name__ == "__main__":
    main()
