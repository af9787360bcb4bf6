"""The tables of figures that documents print, and the list of those that do not hold."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
ERRATA = (ROOT / "docs" / "errata.md").read_text(encoding="utf-8")
FILES = sorted((ROOT / "tests" / "data" / "published").glob("*.csv"))


def sections(text, level):
    """Return the headings of a level, each with what stands below it."""
    _, *parts = re.split(rf"^{'#' * level} (.*)\n", text, flags=re.M)
    return dict(zip(parts[::2], parts[1::2], strict=True))


def table(text):
    """Return the rows of the first Markdown table, each a tuple of texts."""
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    _, _, *rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in lines]
    return rows


SECTIONS = sections(ERRATA, 2)
LISTED = table(SECTIONS["Figures that do not hold"])
"""What docs/errata.md lists: file, x, column, the printed figure, the right one."""

REFUTED = {
    ("000_forms.csv", "-3", "tanh"),
    ("000_forms.csv", "3", "tanh"),
    ("000_gradients.csv", "-3", "tanh"),
    ("000_gradients.csv", "3", "tanh"),
    ("000_gradients.csv", "-3", "exact_gradient"),
    ("000_gradients.csv", "-1", "exact_gradient"),
    ("000_gradients.csv", "0.5", "exact_gradient"),
    ("000_gradients.csv", "3", "exact_gradient"),
    ("001_module.csv", "-2.0", "exact"),
    ("002_torch.csv", "-3.0", "exact"),
    ("002_torch.csv", "3.0", "exact"),
}
"""The same, counted independently: file, x, column."""
