"""A tabular with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

from gelu_cli.errors import escape
from gelu_cli.old.report import Cell, Page, Report, blocks_of, rows_of
from gelu_cli.old.report.numbers import human_text, numeric_columns

SUFFIXES = (".tex",)
PEOPLE = True
INFINITY, NAN = r"\infty", r"\mathrm{NaN}"

MARKUP = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        **{char: "\\" + char for char in "&%$#_{}"},
        "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "|": r"$|$", "<": "$<$", ">": "$>$",
        "′": "$'$", "″": "$''$", "·": r"$\cdot$", "√": r"$\surd$", "−": "$-$", "½": r"$\frac12$",
        "≈": r"$\approx$", "≤": r"$\le$", "≥": r"$\ge$", "∞": r"$\infty$", "±": r"$\pm$",
        "…": r"\ldots{}",
        "α": r"$\alpha$", "β": r"$\beta$", "ε": r"$\varepsilon$", "π": r"$\pi$",
        "σ": r"$\sigma$", "φ": r"$\varphi$", "Φ": r"$\Phi$",
        "₁": "$_1$", "₅": "$_5$", "²": "$^2$", "³": "$^3$", "⁵": "$^5$", "ˣ": "$^x$",
    }
)  # fmt: skip

LIGATURE = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=[`?!])(?=`)")
"""The place between two signs that fonts make one of."""


def render(report: Report, page: Page) -> Iterator[str]:
    """Yield the report as a tabular environment."""
    blocks = map(rows_of, blocks_of(report))
    first = next(blocks)
    places = "".join("lr"[n] for n in numeric_columns(report, first))
    headings = _line(_escaped(column.heading) for column in report.columns)
    yield f"\\begin{{tabular}}{{{places}}}\n\\toprule\n{headings}\\midrule\n"
    for block in chain([first], blocks):
        yield "".join(_line(map(_latex, row)) for row in block)
    yield "\\bottomrule\n\\end{tabular}\n"


def _line(cells: Iterator[str]) -> str:
    line = " & ".join(cells) + " \\\\\n"
    return f"{{}}{line}" if line[0] in "[*" else line  # else an argument of the line before


def _escaped(text: str) -> str:
    """Return a text in signs that every engine takes, and that LaTeX takes for nothing else."""
    known = "".join(
        sign if sign.isascii() or ord(sign) in MARKUP else escape(sign) for sign in text
    )
    return "{}".join(piece.translate(MARKUP) for piece in LIGATURE.split(known))


def _latex(cell: Cell) -> str:
    text = human_text(cell)
    if isinstance(cell, str) or not text:
        return _escaped(text)
    mantissa, e, exponent = text.partition("e")
    power = rf" \times 10^{{{int(exponent)}}}" if e else ""
    return f"${mantissa.replace('inf', INFINITY).replace('NaN', NAN)}{power}$"
