"""A tabular with the rules of booktabs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from gelu_cli.errors import escape
from gelu_cli.report import Cell, Page, Report, blocks_of, rows_of
from gelu_cli.report.numbers import human_text, is_number, numeric_columns

SUFFIXES = (".tex",)
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
    headed = False
    for block in map(rows_of, blocks_of(report)):
        lines = []
        if not headed:
            places = "".join("lr"[n] for n in numeric_columns(report, block))
            headings = (_escaped(column.heading) for column in report.columns)
            lines = [rf"\begin{{tabular}}{{{places}}}", r"\toprule", _line(headings), r"\midrule"]
            headed = True
        lines += [_line(map(_latex, row)) for row in block]
        yield "".join(f"{line}\n" for line in lines)
    yield "\\bottomrule\n\\end{tabular}\n"


def _line(cells: Iterator[str]) -> str:
    line = " & ".join(cells) + r" \\"
    return f"{{}}{line}" if line[0] in "[*" else line  # else an argument of the line before


def _escaped(text: str) -> str:
    """Return a text in signs that every engine takes, and that LaTeX takes for nothing else."""
    known = "".join(
        sign if sign.isascii() or ord(sign) in MARKUP else escape(sign) for sign in text
    )
    return "{}".join(piece.translate(MARKUP) for piece in LIGATURE.split(known))


def _latex(cell: Cell) -> str:
    text = human_text(cell)
    if not is_number(cell) or not text:
        return _escaped(text)
    mantissa, e, exponent = text.partition("e")
    power = rf" \times 10^{{{int(exponent)}}}" if e else ""
    return f"${mantissa.replace('inf', INFINITY).replace('NaN', NAN)}{power}$"
