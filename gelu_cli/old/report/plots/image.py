"""A plot as a PNG or PDF: what `svg.py` draws, drawn again by matplotlib, always the same bytes."""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Mapping
from io import BytesIO
from typing import Any, TypeAlias
from xml.etree.ElementTree import Element

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont, get_font
from matplotlib.patches import PathPatch
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.transforms import Affine2D, Transform

from gelu_cli.errors import escape
from gelu_cli.old.report.plots import Plot
from gelu_cli.old.report.plots.look import POINTS_PER_INCH, USUAL, Look
from gelu_cli.old.report.plots.svg import EM, picture, rules
from gelu_cli.old.report.text import changed

SETTINGS: Any = {"pdf.fonttype": 42, "lines.scale_dashes": False}
NO_DATE = {"png": {"Software": None}, "pdf": {"CreationDate": None}}
ANCHORS: Any = {"start": "left", "middle": "center", "end": "right"}
CODES = {"M": Path.MOVETO, "z": Path.CLOSEPOLY, "a": Path.CURVE4}

Pair: TypeAlias = tuple[float, float]


def render(plot: Plot, kind: str, look: Look = USUAL) -> bytes:
    """Return a plot as a file of a kind, png or pdf."""
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # of caches and fonts say nothing
    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of signs that its font lacks
        matplotlib.rcdefaults()  # whatever the user has set
        matplotlib.rcParams.update(SETTINGS)
        out = BytesIO()
        figure_of(plot, look).savefig(out, format=kind, metadata=NO_DATE[kind])
    return out.getvalue()


def figure_of(plot: Plot, look: Look) -> Figure:
    """Return a plot as a figure of matplotlib; a sign that its font lacks is an escape."""
    font = get_font(findfont(FontProperties()))

    def known(text: str) -> str:
        return "".join(s if font.get_char_index(ord(s)) else escape(s) for s in text)

    drawn = picture(changed(plot, known), look)
    *_, width, height = map(float, drawn.get("viewBox", "").split())
    inches = width / POINTS_PER_INCH, height / POINTS_PER_INCH
    figure = Figure(figsize=inches, dpi=look.dots_per_inch, facecolor=look.theme.paper)
    points = Affine2D().translate(0, -height).scale(1 / POINTS_PER_INCH, -1 / POINTS_PER_INCH)
    pen = _Pen(figure, points + figure.dpi_scale_trans, rules(look.theme))
    for each in drawn:
        pen.draw(each, (0.0, 0.0), (width, height))
    return figure


class _Pen:
    """What draws elements of SVG, those that `svg.py` makes, in points from the upper left."""

    def __init__(
        self, figure: Figure, points: Transform, style: Mapping[str, Mapping[str, str]]
    ) -> None:
        self.figure = figure
        self.points = points
        self.style = style

    def draw(self, what: Element, corner: Pair, size: Pair) -> None:
        """Draw an element in a frame of that corner and size."""

        def of(names: str, otherwise: str = "0") -> Pair:
            x, y = (what.get(name, otherwise) for name in names.split())
            return _length(x, size[0]), _length(y, size[1])

        place = _sum(corner, of("x y"))
        if what.tag in ("svg", "g"):
            inner = of("width height", "100%") if what.tag == "svg" else size
            for each in what:
                self.draw(each, _sum(place, _shift(what)), inner)
        elif what.tag == "text":
            self._write(what, corner, of("x y"), of("dx dy"))
        elif what.tag == "line":
            self._stroke(what, Path([of("x1 y1"), of("x2 y2")]), corner)
        elif what.tag == "rect":
            frame = Affine2D().scale(*of("width height"))
            self._stroke(what, Path.unit_rectangle().transformed(frame), place)
        elif what.tag == "circle":
            ring = Affine2D().scale(float(what.get("r", "")))
            self._stroke(what, Path.unit_circle().transformed(ring), _sum(corner, of("cx cy")))
        elif what.tag == "path":
            self._stroke(what, _path(what.get("d", "")), place)

    def _style(self, what: Element) -> dict[str, str]:
        """Return how an element looks: the rules of its tag, then those of its classes."""
        names = {what.tag, *(f".{name}" for name in what.get("class", "").split())}
        own = [rule for selector, rule in self.style.items() if names & {*selector.split(", ")}]
        return {name: value for rule in own for name, value in rule.items()}

    def _stroke(self, what: Element, path: Path, place: Pair) -> None:
        style = self._style(what)
        dashes = what.get("stroke-dasharray", "none")
        self.figure.add_artist(
            PathPatch(
                path, transform=Affine2D().translate(*place) + self.points,
                facecolor=style.get("fill", "none"), edgecolor=style.get("stroke", "none"),
                linewidth=float(style.get("stroke-width", "1")), zorder=1,
                linestyle="-" if dashes == "none" else (0, [*map(float, dashes.split())]),
            )
        )  # fmt: skip

    def _write(self, what: Element, corner: Pair, at: Pair, beside: Pair) -> None:
        style, turn = self._style(what), "rotate" in what.get("transform", "")
        x, y = _sum(at, beside)
        place = _sum(corner, _sum(_shift(what), (y, -x) if turn else (x, y)))
        self.figure.add_artist(
            Text(
                *place, what.text or "", transform=self.points, parse_math=False,
                color=style["fill"], fontsize=EM, weight=style.get("font-weight", "normal"),
                horizontalalignment=ANCHORS[style["text-anchor"]], verticalalignment="baseline",
                rotation=90 if turn else 0, rotation_mode="anchor", zorder=1,
            )
        )  # fmt: skip


def _length(text: str, whole: float) -> float:
    if text.endswith("%"):
        return float(text[:-1]) / 100 * whole
    return float(text[:-2]) * EM if text.endswith("em") else float(text)


def _sum(one: Pair, other: Pair) -> Pair:
    return one[0] + other[0], one[1] + other[1]


def _shift(what: Element) -> Pair:
    """Return where an element is moved to."""
    found = re.match(r"translate\((\S+) (\S+)\)", what.get("transform", ""))
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _path(commands: str) -> Path:
    """Return a path of SVG; an arc in it is half a circle."""
    x = y = 0.0
    points: list[Pair] = []
    codes: list[Any] = []
    for command, text in re.findall(r"([A-Za-z])([^A-Za-z]*)", commands):
        numbers = [float(number) for number in re.findall(r"-?[\d.]+", text)]
        before = (x, y) if command.islower() else (0.0, 0.0)
        if command in "ML":
            x, y = numbers
        elif command in "al":
            x, y = _sum(before, (numbers[-2], numbers[-1]))
        elif command in "Hh":
            x = before[0] + numbers[0]
        elif command in "Vv":
            y = before[1] + numbers[0]
        if command == "a":
            bend = 2 / 3 * (x - before[0])  # of the cubic that is nearest to half a circle
            points += [(before[0], before[1] + bend), (x, y + bend)]
            codes += [Path.CURVE4, Path.CURVE4]
        points.append((x, y))
        codes.append(CODES.get(command, Path.LINETO))
    return Path(points, codes) if points else Path([(0.0, 0.0)])
