"""What the options on judging and output ask for, as plain data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from fractions import Fraction

    from gelu_cli.old.comparison.checks import Tolerance
    from gelu_cli.old.report.plots import Plot
    from gelu_cli.old.sweeping.drawn import Normal

DEFAULT_WORST = 10
LOOK = ("title", "x_label", "y_label", "size", "dpi", "theme", "y_range")
"""What may be asked for of a picture."""

LIMITS = {"max_abs": "max_abs_error", "max_rel": "max_rel_error", "max_noise": "noise_ratio"}
"""The options beside --max-ulp that limit a figure, and its column."""


class Judging(NamedTuple):
    """How results are judged: flushed to zero or not, how many of the worst, by which limits."""

    ftz: bool = False
    worst: int | None = None
    max_ulp: Fraction | None = None
    budget: str | None = None
    tighten: bool = False
    criteria: Tolerance | bool = False
    max_abs: Fraction | None = None
    max_rel: Fraction | None = None
    max_noise: Fraction | None = None
    mean: float = 0.0
    sigma: float = 1.0

    @property
    def limits(self) -> dict[str, Fraction]:
        """The limits beside --max-ulp, by the columns of their figures."""
        given = {figure: getattr(self, name) for name, figure in LIMITS.items()}
        return {figure: limit for figure, limit in given.items() if limit is not None}

    @property
    def normal(self) -> Normal:
        """The distribution of inputs that RMS errors are for."""
        from gelu_cli.old.sweeping.drawn import Normal

        return Normal(self.mean, self.sigma)

    @property
    def keep(self) -> int:
        """How many of the worst inputs to show."""
        return self.worst or DEFAULT_WORST


class Asked(NamedTuple):
    """What the output options say, not yet checked against one another."""

    format_name: str = "auto"
    path: str | None = None
    no_header: bool = False
    digits: int | None = None
    quiet: bool = False
    title: str | None = None
    x_label: str | None = None
    y_label: str | None = None
    size: tuple[float, float] | None = None
    dpi: int | None = None
    theme: str | None = None
    y_range: tuple[float, float] | None = None
    view: str | None = None

    @property
    def suffix(self) -> str:
        """The suffix of --output, in lower case."""
        return Path(self.path or "").suffix.lower()

    def refuse_look(self, *names: str, purpose: str, remedy: str) -> None:
        """Raise `UsageError` if one of these is asked for of a picture, or any if none is named.

        >>> Asked(dpi=300).refuse_look("dpi", purpose="PNG", remedy="add -o FILE.png")
        Traceback (most recent call last):
            ...
        gelu_cli.errors.UsageError: --dpi is for PNG; add -o FILE.png, or leave --dpi out
        """
        for name in names or LOOK:
            if getattr(self, name) is not None:
                option = f"--{name.replace('_', '-')}"
                raise UsageError(f"{option} is for {purpose}; {remedy}, or leave {option} out")

    def labelled(self, plot: Plot) -> Plot:
        """Return a plot with the title and the labels of axes that are asked for."""
        x, y = (
            axis if label is None else axis._replace(label=label)
            for axis, label in ((plot.x, self.x_label), (plot.y, self.y_label))
        )
        return plot._replace(title=plot.title if self.title is None else self.title, x=x, y=y)

    def check_size(self, least: int, most: int, unit: str) -> None:
        """Raise `UsageError` for a picture that is too small or too large."""
        if self.size and not all(least <= length <= most for length in self.size):
            width, height = self.size
            raise UsageError(
                f"--size {width:g}x{height:g} is out of bounds: from {least} to {most} {unit}"
            )
