"""GELU by a clipped parabola or a ramp."""

from __future__ import annotations

from fractions import Fraction

from gelu_cli.forms import find_form
from gelu_cli.forms.published.claims import Measure, PublishedSet, figure

FOUR = Fraction(4)

SETS = (
    PublishedSet(
        "i_bert",
        find_form("igelu"),
        "Kim et al., I-BERT, arXiv:2101.01321: the distances L∞ and L2; the second is the root "
        "mean square on [−4, 4]",
        (
            figure("1.8e-2", Measure("value", -FOUR, FOUR)),
            figure("8.2e-3", Measure("value", -FOUR, FOUR, "rms")),
        ),
    ),
    PublishedSet(
        "h_gelu",
        find_form("hard"),
        "hard-swish (Howard et al., arXiv:1905.02244) with the slope 1.702",
    ),
)
