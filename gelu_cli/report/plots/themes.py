"""The colours of pictures in files: of paper and ink, and of curves."""

from __future__ import annotations

from typing import NamedTuple


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


LIGHT = Theme(
    paper="#ffffff", ink="#1b1d22", soft="#565c66", grid="#d9dce1",
    curves=("#0072b2", "#c74e00", "#008560", "#b0578c", "#1b1d22", "#2b86b8", "#a87000", "#666666"),
)  # fmt: skip
"""Near the colours of Okabe and Ito, darkened where these are too pale on white."""

DARK = Theme(
    paper="#15171b", ink="#e7e9ed", soft="#a7adb8", grid="#3a3f48",
    curves=("#4aa8e8", "#ff8f4a", "#2fc99a", "#e59ac6", "#e7e9ed", "#8fd0f5", "#f0b43c", "#a0a0a0"),
)  # fmt: skip

THEMES = {"light": LIGHT, "dark": DARK}
