"""What a sweep returns in Python: one line about it, its tables, records of it."""

import json

import numpy as np
import pytest

import gelu_cli


def broken(x):
    return np.where(x == 1, np.nan, np.maximum(x, 0)).astype(x.dtype)


@pytest.fixture(scope="module")
def verdict():
    return gelu_cli.sweep(broken, dtype="float8_e5m2", form="relu", criteria=True)


def test_one_line_says_how_many_results_fail(verdict):
    assert repr(verdict).endswith("1 wrong NaN or infinity>")
    assert "\n" not in repr(verdict)


def test_a_verdict_has_the_tables_of_what_was_asked(verdict):
    assert (verdict.views[0], verdict.views[-1]) == ("summary", "criteria")
    assert "shapes" not in verdict.views
    assert verdict.rows("worst")[0]["x"] == 1
    around = gelu_cli.sweep(broken, dtype="float8_e5m2", form="relu", low=2, high=4, shapes=True)
    assert "criteria" not in around.views
    assert around.rows("shapes") == []


def test_a_record_is_read_again_drawn_and_compared(verdict, tmp_path):
    verdict.save(tmp_path / "gelu.json")
    record = gelu_cli.load(tmp_path / "gelu.json")
    assert record.views == verdict.views
    for view in verdict.views[:-1]:  # measures of criteria are Decimals, which JSON has not
        assert repr(record.rows(view)) == repr(verdict.rows(view))
    assert record.question["dtype"] == "float8_e5m2"
    assert "relu" in str(record)
    right = gelu_cli.sweep(lambda x: np.maximum(x, 0), dtype="float8_e5m2", form="relu")
    right.name = verdict.name
    right.save(tmp_path / "right.json")
    changed = gelu_cli.compare(record, gelu_cli.load(tmp_path / "right.json"))
    figures = {(row["figure"], row["a"], row["b"]) for row in changed if row["low"] is None}
    assert ("wrong_nan", 1, 0) in figures
    assert gelu_cli.plot(record).title == gelu_cli.plot(verdict).title


def test_a_file_has_what_its_suffix_says(verdict, tmp_path):
    for name, beginning in (
        ("v.html", "<!doctype html>"), ("v.svg", "<?xml"), ("v.csv", "routine,"), ("v.xml", "<"),
    ):  # fmt: skip
        verdict.save(tmp_path / name)
        assert (tmp_path / name).read_text().lower().startswith(beginning)
    verdict.save(tmp_path / "worst.json", view="worst")
    assert json.loads((tmp_path / "worst.json").read_text())[0]["x"] == 1
    with pytest.raises(ValueError, match="names no format"):
        verdict.save(tmp_path / "v.doc")


def test_what_is_no_record_is_a_value_error(tmp_path):
    (tmp_path / "a.json").write_text("[]")
    with pytest.raises(ValueError, match="is a table"):
        gelu_cli.load(tmp_path / "a.json")


def test_a_budget_is_lowered_to_what_was_found_and_never_raised(verdict):
    text = "[[bound]]\nkernel = 'k'\ndtype = 'float16'\ntarget = 'relu'\nquantity = 'value'\n"
    budget = gelu_cli.Budget.of(text + "misrounded = 9\nwrong_zero = 0\n")
    poor = gelu_cli.sweep(lambda x: np.maximum(x, x.dtype.type(1)), dtype="float16", form="relu",
                          low=0.999, high=1)  # fmt: skip
    poor.name = "k"
    wrong = poor.total.misrounded
    assert 0 < wrong < 9
    assert f"misrounded = {wrong}" not in budget.text
    lowered = budget.tightened(poor)
    assert "wrong_zero = 0" in lowered.text
    assert lowered.tightened(poor).text == lowered.text


def test_a_tolerance_of_ones_own_is_the_first_criterion():
    asked = {"dtype": "float8_e5m2", "form": "relu"}
    for tolerance, passes in ({"rtol": 1.0}, False), ({"atol": 1e6}, True):
        own, *_ = gelu_cli.sweep(lambda x: -x, **asked, criteria=tolerance).criteria
        assert own.passes is passes
    for wrong in {"tol": 1}, {"rtol": -1}:
        with pytest.raises(ValueError, match="tol"):
            gelu_cli.sweep(abs, **asked, criteria=wrong)
    figures = ([1.0, 2.0], [1.0, 2.5])
    own, *_ = gelu_cli.check(figures, **asked, criteria={"atol": 0.5}).criteria
    assert (own.name, own.found, own.passes) == ("rtol=0,atol=0.5", 1.0, True)
