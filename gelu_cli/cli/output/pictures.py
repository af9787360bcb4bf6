"""Where a picture goes: text to stdout, or a file whose suffix names its format."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gelu_cli.cli.output.files import check_path, check_suffix, write_bytes, write_texts
from gelu_cli.cli.output.looks import USUAL, LookWords
from gelu_cli.cli.output.progress import Progress
from gelu_cli.cli.output.streams import in_colour, page_width, takes_utf8, terminal_size
from gelu_cli.errors import UsageError
from gelu_cli.report.formats import name_for_suffix
from gelu_cli.report.plots import PICTURES, SUFFIXES, TEXT
from gelu_cli.stages import tell

if TYPE_CHECKING:
    from gelu_cli.report.plots import Plot

KINDS = (TEXT, *PICTURES)

WIDTH = 80
WIDTHS, HEIGHTS = (20, 200), (20, 40)
"""The least and the most that a picture is wide and high, in characters."""


class Picture(NamedTuple):
    """How and where to draw: what the shared options say, checked."""

    path: str | None
    kind: str
    look: LookWords = USUAL

    def write(self, plot: Callable[[], Plot], quiet: bool) -> None:
        """Draw the plot that is computed; raises `OutputError` where the system refuses."""
        with Progress(quiet):
            drawn = self.look.of_plot(plot())
            content = self._text(drawn) if self.kind == TEXT else self._image(drawn)
        if isinstance(content, str):
            write_texts(self.path, [content])
        else:
            write_bytes(self.path, [content])

    def on_stdout(self) -> Picture:
        """Return the same picture, as text on stdout instead of in a file."""
        look = LookWords(title=self.look.title, y_range=self.look.y_range)
        return Picture(None, TEXT, look)

    def _image(self, plot: Plot) -> bytes:
        from gelu_cli.report.plots.image import render

        tell(f"drawing {self.kind}")
        return render(plot, self.kind, self.look.of_image())

    def _text(self, plot: Plot) -> str:
        from gelu_cli.report.plots.terminal import render

        colour = self.path is None and in_colour()
        ascii_only = self.path is None and not takes_utf8(sys.stdout)
        return render(plot, *self._characters(), colour, ascii_only)

    def _characters(self) -> tuple[int, int]:
        """Return how wide and how high a picture is as text."""
        if self.look.size:
            return int(self.look.size[0]), int(self.look.size[1])
        size = terminal_size()
        width = WIDTH if self.path else max(WIDTHS[0], min(page_width(), WIDTHS[1]))
        most = HEIGHTS[1] if size is None else size.lines - 1
        usual = max(HEIGHTS[0], min(3 * width // 10 - 1, HEIGHTS[1]))
        return width, max(HEIGHTS[0], min(usual, most))


def choose_picture(format_name: str, path: str | None, look: LookWords = USUAL) -> Picture:
    """Return the picture that the options ask for; raises `UsageError` if they cannot be meant."""
    path = check_path(path)
    if format_name == "auto":
        suffix = Path(path).suffix.lower() if path else ".txt"
        if suffix not in SUFFIXES:
            raise UsageError(f"--output '{path}': a picture ends in {', '.join(SUFFIXES)}")
        format_name = SUFFIXES[suffix]
    elif path is not None:
        suffix = Path(path).suffix.lower()
        check_suffix(path, format_name, SUFFIXES.get(suffix) or name_for_suffix(suffix))
    if format_name == TEXT:
        look.check_text()
    else:
        look.check_file(format_name)
        if path is None and terminal_size():
            raise UsageError(f"--format {format_name} is not for a terminal; add -o FILE")
        try:
            import matplotlib  # noqa: F401 (before the work begins)
        except ImportError:
            raise UsageError(
                f"{format_name} is drawn by matplotlib: python -m pip install matplotlib"
            ) from None
    return Picture(path, format_name, look)


def names_picture(format_name: str, path: str | None) -> bool:
    """Return whether --format names a picture, or the suffix of --output one that is no text."""
    return format_name in KINDS or (
        format_name == "auto" and Path(path or "").suffix.lower()[1:] in PICTURES
    )
