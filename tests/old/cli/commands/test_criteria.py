"""`gelu sweep --criteria` and `gelu check --criteria`, as a user runs them."""

import json
import re
from fractions import Fraction

import numpy as np
import pytest

from gelu_cli.old.arithmetic.format_arrays import every_number
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.truth import Question
from tests.old.cli.runner import Terminal, assert_all_refused, gelu, run_gelu

FILES = {"k.py": "import numpy as np\n\ndef relu(x):\n    return np.maximum(x, 0)\n"}
SMALL = ("--dtype", "float8_e5m2")
SEEN = (*SMALL, "--criteria", "--view", "criteria")
pytestmark = pytest.mark.usefixtures("folder")


def test_a_relu_is_told_from_gelu_by_some_checks():
    answer = gelu("sweep", "k.py:relu", "--dtype", "float16", *SEEN[2:], "-q")
    said = {(row["criterion"], row["inputs"]): row for row in answer.rows}
    assert said["pcc_0.99", "N(0, 1)"]["verdict"] == "passes"
    assert said["pcc_0.99", "N(0, 1)"]["found"].startswith("0.99650")
    assert said["pcc_0.999", "N(0, 1)"]["verdict"] == "fails"
    close = said["torch.testing.assert_close", "judged"]
    assert close["measure"] == "|got − want|/(1e-05 + 0.001·|want|)"
    assert (close["verdict"], float(close["x"])) == ("fails", -0.7294921875)


def test_the_exit_code_is_that_of_the_limit_alone():
    words = ("sweep", "erf_sum", *SEEN, "--range", "-8:8", "-q")
    assert "fails" in gelu(*words).out
    assert run_gelu(*words, "--max-ulp", "1").code == 1


def test_a_tolerance_of_ones_own_is_the_first_criterion():
    words = ("sweep", "--range", "1:8", "--view", "criteria", *SMALL, "-q")
    for given, name in (
        (["--criteria", "rtol=0.1,atol=.05", "erfc"], "rtol=0.1,atol=0.05"),
        (["erfc", "--criteria=atol=1e-3"], "rtol=0,atol=0.001"),
        (["--criteria", "erfc"], "torch.testing.assert_close"),
    ):
        assert gelu(*words, *given).rows[0]["criterion"] == name


REFUSED = [
    (["sweep", *SEEN[:-3], "--criteria", "rtol=-1"], "rtol '-1' must be 0 or a positive"),
    (["sweep", *SEEN[:-3], "--criteria=tol=1"], "'tol=1' is no tolerance; write rtol=0.01"),
    (["sweep", *SEEN[:-3], "--criteria", "rtol=1,rtol=2"], "is no tolerance"),
    (["sweep", *SEEN[:-3], "--criteria", "rtol=x"], "--criteria: 'x' is not a number"),
    (["sweep", *SMALL, "--view", "criteria"], "add --criteria"),
    (["sweep", *SMALL, "--criteria"], "--criteria is for --view criteria, not for summary"),
    (["sweep", *SEEN, "--ftz"], "--ftz is for --view summary"),
    (["sweep", *SMALL, "--criteria", "--view", "plot"], "--criteria is for --view criteria"),
    (["sweep", *SMALL, "--criteria", "--at", "1"], "--criteria is for sweeps"),
    (["check", "figures.csv", "--criteria"], "--criteria is for results in a format"),
]


def test_criteria_are_refused_where_they_are_not_shown():
    assert_all_refused(cases=REFUSED)


def test_a_terminal_shows_them_with_the_others(monkeypatch):
    monkeypatch.setenv("COLUMNS", "250")
    shown = run_gelu("sweep", "erfc", *SMALL, "--criteria", "--range", "1:2", stdout=Terminal).out
    assert shown.index("The worst inputs") < shown.index("What other people's checks say")
    listed = shown[shown.index("What other people's checks say") :]
    verdicts = re.findall("passes|fails", listed)
    assert verdicts == sorted(verdicts)
    assert 0 < len(verdicts) <= 6
    assert "criteria" in shown.splitlines()[-1]


def test_a_record_has_them(folder):
    gelu("sweep", "erfc", *SMALL, "--range", "1:2", "--criteria", "-o", "report.json")
    record = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    criteria = record["views"]["criteria"]
    assert {"torch.testing.assert_close", "nmse_1e-7"} <= {row["criterion"] for row in criteria}


def test_results_in_a_file_are_seen_alike(folder):
    relu = [0 if 0x80 <= n <= 0xFC else n for n in range(256)]
    (folder / "all.bin").write_bytes(bytes(relu))
    of_file = gelu("check", "all.bin", "--all", *SEEN, "-q").rows
    swept = gelu("sweep", "k.py:relu", *SEEN, "-q").rows
    assert [{**row, "routine": "k.py:relu"} for row in of_file] == swept


def test_a_file_of_some_inputs_has_no_draws(folder):
    np.array([1.0, 2.0, -3.0], np.float32).tofile(folder / "x.bin")
    np.array([0.8413447, 1.9544997, -0.004049694], np.float32).tofile(folder / "y.bin")
    words = ("--inputs", "x.bin", "--dtype", "float32", *SEEN[2:], "-q")
    rows = gelu("check", "y.bin", *words).rows
    assert {row["inputs"] for row in rows} == {"judged"}
    assert {row["verdict"] for row in rows} == {"passes", ""}


@pytest.mark.parametrize("digits", ["1", "3", "6", "10"])
def test_what_a_tolerance_has_to_be_is_enough(digits):
    """The tolerance that is printed passes, in fractions."""
    words = ("erf_sum", *SEEN, "--range", "-2:6", "-q", "-d", digits)
    found = {row["criterion"]: Fraction(row["found"]) for row in gelu("sweep", *words).rows
             if row["criterion"].startswith("tightest")}  # fmt: skip
    question = Question(find_form("exact"), "value", FORMATS["float8_e5m2"])
    for x in every_number(FORMATS["float8_e5m2"], -2, 6).tolist():
        y, want = question.exactly(x), Fraction(question.want(x))
        assert abs(want - y) <= found["tightest_atol_of_format"]
        assert abs(want - y) <= found["tightest_rtol_of_format"] * abs(y)
        beside = Fraction(1e-5) + found["tightest_rtol_at_1e-5_of_format"] * abs(y)
        assert abs(want - y) <= beside
