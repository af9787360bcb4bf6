"""What a picture is to look like: what the options say, checked against the kind of picture."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.errors import UsageError

if TYPE_CHECKING:
    from gelu_cli.report.plots import Plot
    from gelu_cli.report.plots.image import Look

INCHES = (2, 40)
CHARACTERS = (12, 1000)
"""The least and the most that a picture is wide or high, in a file and as text."""

PNG = "png"


class LookWords(NamedTuple):
    """What is asked for: a title, a size, dots per inch, the name of a theme, which y are shown."""

    title: str | None = None
    size: tuple[float, float] | None = None
    dpi: int | None = None
    theme: str | None = None
    y_range: tuple[float, float] | None = None

    def refuse(self, *names: str, purpose: str, remedy: str) -> None:
        """Raise `UsageError` if one of these is asked for, or any at all if none are named.

        >>> LookWords(dpi=300).refuse("dpi", purpose="PNG", remedy="add -o FILE.png")
        Traceback (most recent call last):
            ...
        gelu_cli.errors.UsageError: --dpi is for PNG; add -o FILE.png, or leave --dpi out
        """
        for name, value in self._asdict().items():
            if value is not None and (name in names or not names):
                option = f"--{name.replace('_', '-')}"
                raise UsageError(f"{option} is for {purpose}; {remedy}, or leave {option} out")

    def of_plot(self, plot: Plot) -> Plot:
        """Return a plot with the title and the heights that are asked for."""
        from gelu_cli.report.plots.heights import between

        if self.title is not None:
            plot = plot._replace(title=self.title)
        return between(plot, *self.y_range) if self.y_range else plot

    def check_file(self, kind: str) -> None:
        """Raise `UsageError` for what a file of that kind cannot look like."""
        if kind != PNG:
            self.refuse("dpi", purpose="PNG", remedy="add -o FILE.png")
        self._check_size(*INCHES, "inches, e.g. 7x4.6")

    def check_text(self) -> None:
        """Raise `UsageError` for what a picture as text cannot look like."""
        self.refuse("dpi", "theme", purpose="pictures in files", remedy="add -o FILE.png")
        self._check_size(*CHARACTERS, "columns and lines, e.g. 80x24")
        if self.size and any(length != int(length) for length in self.size):
            raise UsageError("--size of a text is whole columns and lines, e.g. 80x24")

    def _check_size(self, least: int, most: int, unit: str) -> None:
        if self.size and not all(least <= length <= most for length in self.size):
            width, height = self.size
            raise UsageError(
                f"--size {width:g}x{height:g} is out of bounds: from {least} to {most} {unit}"
            )

    def of_image(self) -> Look:
        """Return what an image is drawn with."""
        from gelu_cli.report.plots.image import USUAL, Look
        from gelu_cli.report.plots.themes import THEMES

        theme = THEMES[self.theme] if self.theme else USUAL.theme
        return Look(theme, self.size, self.dpi or USUAL.dots_per_inch)


USUAL = LookWords()
