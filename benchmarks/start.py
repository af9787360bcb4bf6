"""Start-up of `gelu`, relative to a hello-world program on typer that prints a table by rich.

Medians of processes that take turns, so that a busy moment of the machine falls on all:

    python benchmarks/start.py [ROUNDS]
"""

import os
import statistics
import subprocess
import sys
import time
from importlib.metadata import version

HELLO = """
import typer
app = typer.Typer()
@app.command()
def hello(name: str = typer.Argument("world")) -> None:
    from rich.console import Console
    from rich.table import Table
    table = Table("greeting")
    table.add_row(f"hello, {name}")
    Console().print(table)
app()
"""
PROGRAMS = {
    "hello on typer and rich": [sys.executable, "-c", HELLO],
    "python -c pass": [sys.executable, "-c", "pass"],
    "gelu --help": [sys.executable, "-m", "gelu_cli", "--help"],
    "gelu table 1": [sys.executable, "-m", "gelu_cli", "table", "1", "-f", "table"],
    "gelu table 1 -f csv": [sys.executable, "-m", "gelu_cli", "table", "1", "-f", "csv"],
    "gelu sweep --help": [sys.executable, "-m", "gelu_cli", "sweep", "--help"],
}


def milliseconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return 1000 * (time.perf_counter() - start)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    times: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    for _ in range(rounds + 1):  # the first round compiles modules
        for name, command in PROGRAMS.items():
            times[name].append(milliseconds(command))
    medians = {name: statistics.median(each[1:]) for name, each in times.items()}
    base = next(iter(medians.values()))
    print(f"typer {version('typer')}, Python {sys.version.split()[0]}, {rounds} rounds")
    for name, median in medians.items():
        print(f"{name:24} {median:6.0f} ms  {median / base:5.2f}")


if __name__ == "__main__":
    main()
