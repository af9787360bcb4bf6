"""`gelu compare`: two kernels input by input, two records figure by figure."""

import json
import shlex
import sys
from pathlib import Path

import pytest

from tests.old.cli.runner import Terminal, assert_refused, run_gelu

KERNELS = """
import numpy as np

def gelu(x, approximate="none"):
    inner = np.float32(0.7978846) * (x + np.float32(0.044715) * x**3)
    y = np.float32(0.5) * x * (1 + np.tanh(inner))
    return y if approximate == "tanh" else np.maximum(x, 0)

def moved(x):
    return np.where(x == 2, np.float32(7), gelu(x)).astype(np.float32)

def half(x):
    return x.astype(np.float16)

def raises(x):
    raise ValueError("no such luck")

def backward(upstream, x):
    return np.where(x > 0, upstream, 0 * upstream)
"""
FEW = "--range=1:1.0001"
EIGHT = "--dtype=float8_e5m2"


FILES = {"k.py": KERNELS}
pytestmark = pytest.mark.usefixtures("folder")


def rows(*words):
    answer = run_gelu("compare", *words)
    assert answer.code == 0, answer.err
    return answer.rows


def test_the_figures_of_a_sweep_are_those_of_a_comparison():
    words = (EIGHT, "--range=-4:4")
    swept = run_gelu("sweep", "erfc", "erf_sum", *words).rows
    compared = rows("erfc", "erf_sum", *words)
    for one, other in zip(swept, compared, strict=True):
        name = one.pop("routine")
        assert name == other.pop("name")
        assert one.items() <= other.items()
        assert set(other) - set(one) == {"differ", "nearer", "nearer_share"}
    assert 0 < int(compared[0]["differ"]) == int(compared[1]["differ"])


def test_regions_add_up_to_the_summary():
    (a, b), regions = (rows("erfc", "erf_sum", EIGHT, "--range=-4:4", "--view", view)
                       for view in ("summary", "regions"))  # fmt: skip
    for column, total in (("differ", a["differ"]), ("nearer_a", a["nearer"]),
                          ("nearer_b", b["nearer"]), ("inputs", a["inputs"])):  # fmt: skip
        assert sum(int(row[column]) for row in regions) == int(total)
    for side, total in (("a", a), ("b", b)):
        assert max(float(row[f"max_ulp_{side}"]) for row in regions) == float(total["max_ulp"])


def test_one_result_that_differs_is_found_wherever_it_is():
    words = "k.py:gelu", "k.py:moved", "--range=1.9999:2.0001"
    (first,) = rows(*words, "--view=first")
    assert (first["x"], first["a"], first["b"]) == ("2.0", "2.0", "7.0")
    a, b = rows(*words)
    assert (a["differ"], a["nearer"], b["nearer"]) == ("1", "1", "0")


def test_the_worst_have_the_results_of_both():
    listed = rows("erfc", "tanh_sum", FEW, "--view=worst", "--worst=3")
    assert [row["worst_of"] for row in listed].count("difference") == 3
    for row in listed:
        at = run_gelu("sweep", "erfc,tanh_sum", f"--at={row['x']}").rows
        assert [row["a"], row["b"]] == [each["got"] for each in at]


def test_neighbours_of_the_worst_of_a_sample_have_both_results_too():
    listed = rows("erfc", "tanh_sum", "--range=-6:-5", "--samples=2000", "--view=worst")
    assert all(row["a"] and row["b"] and row["a_ulp"] and row["b_ulp"] for row in listed)


def test_a_kernel_is_compared_with_itself_called_in_another_way():
    a, b = rows("k.py:gelu", "k.py:gelu", "--kwarg:b", "approximate=tanh", FEW)
    assert [a["name"], b["name"]] == ["k.py:gelu", "k.py:gelu(approximate='tanh')"]
    a, b = rows("k.py:gelu", "k.py:gelu", "--batch:a=100", "--batch:b=7", FEW)
    assert [a["name"], b["name"]] == ["k.py:gelu --batch 100", "k.py:gelu --batch 7"]
    a, b = rows("erf_sum", "erf_sum", "--compute:b=float32", EIGHT)
    assert [a["name"], b["name"]] == ["erf_sum", "erf_sum --compute float32"]
    assert int(b["nearer"]) > int(a["nearer"])
    a, b = rows("erf_sum", "erf_sum", "--truncate:b", EIGHT)
    assert [a["name"], b["name"]] == ["erf_sum", "erf_sum --truncate"]
    assert int(b["nearer"]) < int(a["nearer"])


def test_the_same_twice_shows_that_nothing_differs():
    words = "erfc", "erfc", EIGHT, "--range=1:2"
    a, b = rows(*words)
    assert [a["name"], b["name"]] == ["erfc (a)", "erfc (b)"]
    assert (a["differ"], a["nearer"], b["nearer"]) == ("0", "0", "0")
    assert "No result differs, at 5 inputs" in run_gelu("compare", *words, stdout=Terminal).out


def test_programs_have_names():
    copy = shlex.join([sys.executable, "-c", "import sys; sys.stdout.buffer.write("
                       "sys.stdin.buffer.read())"])  # fmt: skip
    a, b = rows(f"--exec:one={copy}", "--exec:two", copy, EIGHT, "--range=1:2")
    assert [a["name"], b["name"], a["differ"]] == ["one", "two", "0"]
    a, b = rows("two", "erfc", f"--exec:two={copy}", EIGHT, "--range=1:2")
    assert [a["name"], b["name"]] == ["two", "erfc"]


def test_a_backward_pass_beside_the_gradient_of_a_routine():
    a, b = rows("k.py:backward", "erfc", "--backward:a=own", FEW)
    assert a["quantity"] == b["quantity"] == "gradient"


def test_which_is_right_and_where_they_differ_is_said():
    words = ("erf_sum", "erfc", EIGHT, "--range=-8:8")
    (a, b), (first,) = (rows(*words, "--view", view) for view in ("summary", "first"))
    screen = " ".join(run_gelu("compare", *words, stdout=Terminal).out.split())
    assert "b: erfc" in screen
    assert (
        f"{a['differ']} of {a['inputs']} inputs: a is nearer at {a['nearer']}, b at {b['nearer']}"
        in screen
    )
    said = run_gelu("compare", *words, "--view", "all", stdout=Terminal).out
    assert f"{a['differ']} of {a['inputs']} inputs" in said
    assert f"erfc at {b['nearer']} of these inputs, erf_sum at {a['nearer']}" in said
    assert f"first difference: x = {float(first['x']):.6g} (" in said


def test_the_picture_shows_both_and_where_they_differ():
    words = (EIGHT, "--range=-4:4", "--view=plot")
    drawn = run_gelu("compare", "erf_sum", "erfc", *words).out
    assert all(name in drawn for name in ("erf_sum", "erfc", "|a − b|"))
    assert "|a − b|" not in run_gelu("compare", "erfc", "erfc", *words).out


def test_a_limit_holds_for_each():
    answer = run_gelu("compare", "erfc", "erf_sum", EIGHT, "--max-ulp=6")
    assert (answer.code, answer.err.count("\n")) == (1, 1)
    assert "erf_sum: 7.94" in answer.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "no kernel is given"),
        (["erfc"], "only 'erfc' is given"),
        (["erfc", "erf_sum", "tanh_sum"], "unexpected 'tanh_sum'"),
        (["erfc", "nope"], "unknown routine 'nope'"),
        (["erfc", "erf_sum", "--device:c", "cpu"], "after --device: 'c'"),
        (["erfc", "k.py:gelu", "--device:a", "cpu"], "--device:a is for a Python function"),
        (["erfc", "erf_sum", "--kwarg", "a=1"], "--kwarg is for a Python function"),
        (["erfc", "erf_sum", "--range:a=1:2"], "--range is for both kernels"),
        (["erfc", "erf_sum", "--batch:a=-3"], "--batch -3"),
        (["erfc", "k.py:gelu", "--batch=3", "--batch:b=4"], "--batch:b is given more than once"),
        (["erfc", "erf_sum", "--exec:x=cat"], "--exec:x: two kernels are given"),
        (["erfc", "tanh_sum", "--form=self"], "different forms, exact and tanh"),
        (
            ["erfc", "k.py:gelu", "--upstream=2"],
            "the kernel erfc, a routine; leave",
        ),
        (["a.json", "erfc"], "'a.json' is a record, 'erfc' is not"),
        (["erfc", "erf_sum", "--worst=2", "-f", "csv"], "--worst"),
        (["erfc", "erf_sum", "--device:a"], "--device"),
    ],
)
def test_what_cannot_be_meant_is_refused(words, said):
    assert_refused(run_gelu("compare", *words), said)


def test_kernels_that_fail():
    assert_refused(run_gelu("compare", "erfc", "k.py:half", FEW), "returned float16", code=4)
    assert_refused(run_gelu("compare", "erfc", "k.py:raises", FEW), "no such luck", code=4)


# Records


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("records")
    for name, *words in (("old", "erfc"), ("new", "erf_sum"), ("narrow", "erfc", "--range=1:2")):
        routine, *more = words
        run_gelu("sweep", routine, EIGHT, "-o", str(folder / f"{name}.json"), *more)
    run_gelu("compare", "erfc", "tanh_sum", EIGHT, "-o", str(folder / "both.json"))
    return folder


@pytest.fixture
def records(written, folder, monkeypatch):
    monkeypatch.chdir(written)


def read(name):
    return json.loads(Path(f"{name}.json").read_text())


@pytest.mark.usefixtures("records")
def test_records_are_compared_figure_by_figure():
    changed = rows("old.json", "new.json")
    views = {name: read(name)["views"] for name in ("old", "new")}
    for view, keys in (("summary", []), ("regions", ["low", "high"])):
        for one, other in zip(views["old"][view], views["new"][view], strict=True):
            for figure in one:
                if figure not in ("routine", *keys) and one[figure] != other[figure]:
                    found = [row for row in changed if row["figure"] == figure
                             and row["low"] == str(one.get("low", ""))]  # fmt: skip
                    assert [(row["a"], row["b"]) for row in found] == [
                        (str(one[figure]), str(other[figure]))
                    ]
    (most,) = [row for row in changed if row["figure"] == "max_ulp" and not row["low"]]
    assert float(most["change"]) == pytest.approx(float(most["b"]) - float(most["a"]))


@pytest.mark.usefixtures("records")
def test_what_records_do_not_share_is_said():
    same = run_gelu("compare", "old.json", "old.json")
    assert (same.code, same.out.count("\n")) == (0, 1)
    assert "no figure differs" in same.err
    assert_refused(run_gelu("compare", "old.json", "narrow.json"), "range is -inf:inf")
    assert "tanh_sum: in 'both.json' alone" in run_gelu("compare", "both.json", "old.json").err
    assert "alone" not in run_gelu("compare", "old.json", "new.json").err
    record = read("old")
    Path("older.json").write_text(json.dumps({**record, "gelu": "0.0.1"}))
    assert "gelu 0.0.1 wrote 'older.json'" in run_gelu("compare", "older.json", "old.json").err


@pytest.mark.usefixtures("records")
def test_a_comparison_has_a_record():
    views = read("both")["views"]
    assert {"summary", "regions", "worst", "first", "plot"} <= set(views)
    assert run_gelu("check", "both.json").code == 0
