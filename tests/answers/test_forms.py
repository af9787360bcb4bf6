"""The list of the forms."""

from gelu_cli.answers.forms import forms
from gelu_cli.forms import all_forms
from gelu_cli.report import read


def test_every_form_has_a_row_with_what_the_registry_says():
    report = forms()
    assert [column.name for column in report.columns] == [
        "name", "definition", "parameters", "aliases", "used_by"]  # fmt: skip
    found = {row[0]: row[1:] for row in read(report)[0]}
    assert list(found) == list(all_forms())
    assert found["sigmoid"][1:3] == ("beta=1.702", "quick quick_gelu gelu_quick")
    assert found["elu"][1] == "alpha=1"
    assert found["tanh"][1] == "c=0.044715 a=√(2/π) d=0"
    assert found["polynomial"][1].startswith("A=2.775023 c1=0.37476888 c3=-0.042710738 c5=")
    assert found["relu"][1:3] == ("", "")
