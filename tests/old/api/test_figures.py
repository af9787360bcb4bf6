"""Figures and results in Python: in mappings, frames, arrays and files."""

import numpy as np
import pytest

import gelu_cli
from tests.truth.mpmath import nearest, truth

X = [-1.0, 0.5, 2.0]
EXACT = [nearest(truth("exact", "value", x), "float64") for x in X]


def test_figures_by_x_are_right_to_their_last_decimal():
    found = gelu_cli.check({1: "0.8413", 2: "1.9546"})
    assert found["verdict"] == ["right", "wrong"]
    assert [str(cell) for cell in found["correct"]] == ["0.8413", "1.9545"]
    assert found.notes == ["1 of 2 figures is wrong; it is that of tanh"]
    assert "1.9545" in str(found)
    assert len(gelu_cli.check({1: "0.8413", 2: "1.9546"}, wrong=True)) == 1
    assert gelu_cli.check({2: "1.9546"}, column="tanh")["verdict"] == ["right"]
    assert gelu_cli.check((X, EXACT))["verdict"] == ["right"] * 3


def test_columns_and_files_are_judged_by_their_names(tmp_path):
    columns = {"x": ["1", "2"], "tanh": ["0.8412", None], "tanh_gradient": ["1.083", "1.086"]}
    found = gelu_cli.check({**columns, "name": ["a", "b"]})
    assert [(row["x"], row["column"]) for row in found] == [
        (1, "tanh"), (1, "tanh_gradient"), (2, "tanh_gradient"),
    ]  # fmt: skip
    assert found.notes[0].startswith("column 'name' of the figures is left alone")
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": X, "exact": EXACT})
    assert gelu_cli.check(frame)["verdict"] == ["right"] * 3
    frame.to_csv(tmp_path / "a.csv", index=False)
    assert (
        gelu_cli.check(tmp_path / "a.csv").rows() == gelu_cli.check(str(tmp_path / "a.csv")).rows()
    )
    assert gelu_cli.check({"x": [2], "exact": [1.9], "tanh": ["1.95"]}, column="tanh")["x"] == [2]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32"])
def test_results_in_a_format_are_judged(dtype):
    x = np.linspace(-3, 3, 41).astype(dtype)
    verdict = gelu_cli.check((x, gelu_cli.gelu(x)), dtype=dtype)
    assert (verdict.total.inputs, verdict.total.misrounded) == (41, 0)
    assert not verdict.exhaustive
    named = gelu_cli.check({"x": x, "relu_gradient": 0 * x}, dtype=x.dtype)
    assert (named.question.form.name, named.question.quantity) == ("relu", "gradient")
    assert named.total.misrounded == (x > 0).sum()
    other = gelu_cli.check({"x": x, "mine": np.maximum(x, 0)}, dtype=dtype, form="auto")
    assert (other.name, other.question.form.name) == ("mine", "relu")


def test_results_of_torch_are_judged():
    torch = pytest.importorskip("torch")
    x = torch.linspace(-3, 3, 41, dtype=torch.bfloat16)
    verdict = gelu_cli.check((x, torch.relu(x)), dtype=torch.bfloat16, form="relu", criteria=True)
    assert verdict.max_ulp == 0
    assert all(each.passes is not False for each in verdict.criteria)


def test_figures_are_identified():
    found = gelu_cli.identify({2: "1.9546"}, rows=3)
    assert (found[0]["form"], len(found)) == ("tanh", 3)
    assert any("x = 2 tells tanh from exact" in note for note in found.notes)
    assert found.rows() == found.rows()
    both = gelu_cli.identify(
        {"x": X, "a": EXACT, "a_gradient": [-0.0833154706, 0.8674951247, 1.0852319]}
    )
    assert [row["form"] for row in both if row["verdict"] == "explains all"][:1] == ["exact"]
    assert {row["column"] for row in both} == {"a", "a_gradient"}
    x = np.linspace(-3, 3, 41).astype("float16")
    assert gelu_cli.identify((x, gelu_cli.gelu(x, "silu")), dtype="float16")[0]["form"] == "silu"


def test_a_kernel_is_identified():
    found = gelu_cli.identify(lambda x: gelu_cli.gelu(x, "quick_gelu"), dtype="float8_e5m2")
    assert (found[0]["form"], found[0]["verdict"]) == ("sigmoid", "explains all")


@pytest.mark.parametrize(
    ("ask", "kind", "message"),
    [
        (lambda: gelu_cli.check(3), TypeError, "^figures must be a mapping, .* not 3"),
        (lambda: gelu_cli.check({"x": [1, 2], "exact": [1]}), ValueError, "x has 2 numbers, .* 1"),
        (lambda: gelu_cli.check({"x": [1], "mine": [1]}), ValueError, "named after no form"),
        (lambda: gelu_cli.check({1: "a"}), ValueError, "row 1 of the figures, column 'exact': 'a'"),
        (lambda: gelu_cli.check({1: 1}, form="tanh"), ValueError, "^form is for results .* dtype"),
        (lambda: gelu_cli.check({}), ValueError, "the figures holds no figures|is empty"),
        (lambda: gelu_cli.check({"x": [1], "a": [1], "b": [1]}, dtype="float16"), ValueError,
         "one column; name one of a, b"),
        (lambda: gelu_cli.check({"x": [1], "a": [1]}, dtype="float16", column="b"), ValueError,
         "unknown column 'b' of the figures"),
        (lambda: gelu_cli.identify({1: 1}, timeout=3), ValueError, "^timeout is for kernels"),
        (lambda: gelu_cli.identify({1: 1}, quantity="gate"), ValueError, "'value' or 'gradient'"),
        (lambda: gelu_cli.identify({1: 1}, rows=0), ValueError, "^rows must be a whole number"),
        (lambda: gelu_cli.identify(None), TypeError, "^figures must be"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(ask, kind, message):
    with pytest.raises(kind, match=message):
        ask()


def test_two_inputs_are_identified_from_python():
    def kernel(gate, up):
        return (np.maximum(gate, 0) * (np.clip(up, -3, 3) + 1)).astype(gate.dtype)

    found = gelu_cli.identify(kernel, glu=True, dtype="float16", rows=1)
    assert (found["form"], found["parameter"]) == (["relu"], ["up_limit=3, up_offset=1"])
    columns = {"x": [1, 2, -1], "up": [2, 3, 0.5], "y": ["1.6827", "5.8635", "-0.0793"]}
    assert gelu_cli.identify(columns, glu=True, rows=1)["form"] == ["exact"]
    with pytest.raises(ValueError, match="no column 'up'"):
        gelu_cli.identify({"x": [1], "y": ["1.68"]}, glu=True)
