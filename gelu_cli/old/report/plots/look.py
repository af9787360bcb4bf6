"""What pictures in files look like: colours, size, and the room that letters take."""

from __future__ import annotations

from typing import NamedTuple

from gelu_cli.errors import UsageError


class Theme(NamedTuple):
    """A set of colours, each as #rrggbb; those of curves the colour-blind tell apart.

    On the paper, ink and `soft` have a contrast of 4.5 and more, curves of 3 (WCAG 2.2, 1.4.3 and
    1.4.11). Lines and markers say the same without colours.
    """

    paper: str
    ink: str
    soft: str
    """Of what is beside the curves: levels, zero axes."""

    grid: str
    curves: tuple[str, ...]
    shades: tuple[str, ...]
    """Of maps, the mildest first: ink on each has a contrast of 4 and more."""


LIGHT = Theme(
    paper="#ffffff", ink="#1b1d22", soft="#565c66", grid="#d9dce1",
    curves=("#0072b2", "#c74e00", "#008560", "#b0578c", "#1b1d22", "#2b86b8", "#a87000", "#666666"),
    shades=("#ebeff4", "#faea9e", "#fbd26a", "#fdb44e", "#fb9038", "#f26b40", "#e2504c", "#9d8ad6"),
)  # fmt: skip
"""Near the colours of Okabe and Ito, darkened where these are too pale on white."""

DARK = Theme(
    paper="#15171b", ink="#e7e9ed", soft="#a7adb8", grid="#3a3f48",
    curves=("#4aa8e8", "#ff8f4a", "#2fc99a", "#e59ac6", "#e7e9ed", "#8fd0f5", "#f0b43c", "#a0a0a0"),
    shades=("#2a2f38", "#40391f", "#5c4a17", "#7a5514", "#94501c", "#a8432a", "#b83236", "#7259b8"),
)  # fmt: skip

THEMES = {"light": LIGHT, "dark": DARK}

INCHES = (7.0, 4.6)
USUAL_AXES, PANEL_AXES, LEAST_AXES = 3.4, 2.0, 1.45
"""In inches, the height of axes with their labels and the title: usually, of one of several
panels, and the least at which something is seen."""

POINTS_PER_INCH = 72


class Look(NamedTuple):
    """What a picture in a file looks like: its colours, its size, and the dots of a PNG."""

    theme: Theme = LIGHT
    inches: tuple[float, float] | None = None
    """Its width and height; None is `INCHES`, and higher where the legend needs it."""

    dots_per_inch: int = 150

    def size(self, legend: float, down: int) -> tuple[float, float]:
        """Return the size in inches of a picture of so many rows of panels above its legend.

        Raises `UsageError` where the legend has no room in the size that is asked for.
        """
        if self.inches is None:
            return INCHES[0], max(INCHES[1], USUAL_AXES + legend, down * PANEL_AXES + legend)
        width, height = self.inches
        least = LEAST_AXES * down + legend
        if height < least:
            raise UsageError(
                f"--size {width:g}x{height:g} has no room for the legend; make the picture "
                f"{least:.1f} inches high, or wider"
            )
        return self.inches


USUAL = Look()
