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
        "Kim et al., I-BERT, arXiv:2101.01321: the distances L2 and L∞ on [−4, 4], of which the "
        "first is a root mean square",
        (
            figure("1.8e-2", Measure("value", -FOUR, FOUR)),
            figure("8.2e-3", Measure("value", -FOUR, FOUR, "rms")),
        ),
    ),
    PublishedSet(
        "h_gelu",
        find_form("hard"),
        "I-BERT's comparison, arXiv:2101.01321: hard-swish with the slope 1.702",
    ),
)
