"""What headings mean, as `table` and as people write them."""

import pytest

from gelu_cli.errors import UsageError
from gelu_cli.formulas import QUANTITIES, all_forms
from gelu_cli.inputs.columns import Columns, input_column, meaning_of, understand
from tests.runner import gelu

MEANINGS = {
    "exact value": "exact|GELU|GELU(x)|$GELU(x)$|**exact**|GELU (exact)|exact_value",
    "exact gradient": "exact_gradient|exact′|GELU'(x)|gelu'(x)|GELU′|GELU’(x)|d/dx GELU|gelu_grad|"
    "d/dx GELU(x)|dGELU/dx|∂GELU/∂x|gradient of GELU|GELU derivative|`exact gradient`",
    "exact curvature": "exact″|GELU''(x)|d²/dx² GELU|d^2GELU/dx^2|second derivative of GELU",
    "exact gate": "exact gate",
    "exact gate_gradient": "exact gate′|exact_gate_gradient",
    "tanh mask_variance": "tanh mask variance|tanh_mask_variance",
    "tanh complement": "x - tanh|x − tanh",
    "tanh value": "GELU (tanh)|gelu_new|GELU tanh",
    "silu value": "SiLU|swish",
    "silu gradient": "Swish'(x)",
    "silu up_gradient": "silu_up_gradient",
    "relu value": "ReLU(x)",
    "puma value": "puma",
    "Phi value": "Phi|Φ(x)|Phi(x)",
    "erf value": "erf(x)",
    "sigmoid value": "sigmoid:beta=1.6",
    "sigmoid gradient": "sigmoid:beta=1.6′",
}
NOT_UNDERSTOOD = (
    "|y|f(x)|f'(x)|remark|gradient|bits|tanh(x)|tanh'(x)|d/dx sigmoid(x)|phi(x)|GELU(1.702x)|"
    "exact‴|exact_mask_variance′|x′|PReLU|x - remark|d/dx"
)


def columns(*names):
    return Columns("f", {name: ["1"] for name in names})


def test_headings_as_people_write_them():
    for meaning, headings in MEANINGS.items():
        for heading in headings.split("|"):
            found = meaning_of(heading)
            assert found, heading
            assert f"{found.form.name} {found.quantity}" == meaning, heading


def test_inputs_and_bit_patterns():
    for heading, name in {"x": "x", "X": "x", "up": "up"}.items():
        found = meaning_of(heading)
        assert (found.form, found.name, found.bits) == (None, name, False), heading
    for heading in ("exact_bits", "x_bits", "exact bits", "tanh_gradient_bits"):
        assert meaning_of(heading).bits, heading


def test_what_is_not_understood_has_no_meaning():
    assert [*filter(meaning_of, NOT_UNDERSTOOD.split("|"))] == []


def test_each_name_of_table_is_understood():
    for form in all_forms().values():
        for quantity in QUANTITIES:
            name = form.label if quantity == "value" else f"{form.label}_{quantity}"
            found = meaning_of(name)
            assert (found.form, found.quantity, found.name) == (form, quantity, name)


def test_bits_belong_to_the_column_on_their_left():
    asked = ("table", "--dtype", "bfloat16", "--bits", "--form", "tanh", 1, "1/3", "-f")
    for layout in ("markdown", "csv", "json"):
        run = gelu("check", "--dtype", "bfloat16", "--max-ulp", 0.5, stdin=gelu(*asked, layout).out)
        assert [row["kernel"] for row in run.rows] == ["tanh", "tanh_gradient"], layout
        assert run.code == 0


def test_what_is_not_understood_is_refused_with_both_remedies():
    with pytest.raises(UsageError) as refused:
        understand(columns("x", "remark"))
    assert "--rename remark=FORM" in str(refused.value)
    assert "--ignore remark" in str(refused.value)
    with pytest.raises(UsageError, match="add --column input if it is x, --rename"):
        understand(columns("input", "exact"))
    assert [*understand(columns("x", "a", "b"), ignore="a,b")] == ["x"]
    found = understand(columns("t", "a"), rename=["t=x", "a=d/dx SiLU"])
    assert [each.name for each in found.values()] == ["x", "SiLU_gradient"]
    for renamed in ("a", "a=b", "none=exact"):
        with pytest.raises(UsageError, match=r"--rename|no column 'none'"):
            understand(columns("x", "a"), rename=renamed)
    with pytest.raises(UsageError, match="no column 'none'"):
        understand(columns("x"), ignore=["none"])


def test_a_form_and_a_quantity_are_those_of_the_only_column():
    tanh = meaning_of("tanh").form
    for heading, name in {"y": "tanh", "": "tanh", "exact_gradient": "tanh_gradient"}.items():
        assert understand(columns("x", heading), form=tanh)[heading].name == name
    assert understand(columns("x", "y"), quantity="gradient")["y"].name == "exact_gradient"
    assert understand(columns("x", ""))[""].name == "exact"
    assert [*understand(columns("x"), form=tanh)] == ["x"]
    with pytest.raises(UsageError, match="--form and --quantity need one column besides x"):
        understand(columns("x", "y", "exact"), form=tanh)


def test_columns_of_inputs():
    names = columns("x", "x_bits", "exact")
    assert input_column(understand(names), names, "x") == "x_bits"
    with pytest.raises(UsageError, match="f has no column up, but x"):
        input_column(understand(names), names, "up")


def test_parameters_that_cannot_be_are_errors():
    with pytest.raises(UsageError, match="bta"):
        understand(columns("x", "sigmoid:bta=1"))
