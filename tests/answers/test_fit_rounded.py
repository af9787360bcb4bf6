"""The table of constants in a format."""

from math import nextafter

from gelu_cli.answers.fit.rounded import rounded
from gelu_cli.arithmetic.formats import FORMATS
from gelu_cli.calculus.fitting.criteria import Criterion
from gelu_cli.calculus.fitting.families import Family
from gelu_cli.calculus.fitting.fitted import Best
from gelu_cli.forms import find_form
from gelu_cli.report import read


def test_naive_and_best_constants_stand_beside_the_published_ones():
    family = Family(find_form("tanh"), ("c",), find_form("exact"), "value")
    best = Best(family, Criterion("sup"), [0.04438294381673409], 3.874e-4, 3.874e-4, "alternation")
    report = rounded(lambda: best, FORMATS["bfloat16"])
    names = [column.name for column in report.columns]
    rows, ending = read(report)
    table = [dict(zip(names, row, strict=True)) for row in rows]
    assert [(row["written"], row["constants"]) for row in table] == [
        ("a, c", "naive"), ("a, c", "best"), ("a, a·c", "naive"), ("a, a·c", "best"),
    ]  # fmt: skip
    naive, chosen, *_ = table
    assert (naive["fitted"], chosen["fitted"]) == (0.04443359375, 0.044921875)
    assert {row["published"] for row in table} == {0.044677734375, 0.03564453125}
    assert chosen["lower_bound"] == nextafter(chosen["error_fitted"], 0) < naive["error_fitted"]
    assert (naive["proof"], chosen["proof"]) == (None, "bound")
    assert "a = 0.796875, rounded and not fitted" in ending.facts["a, c"]
