"""`gelu sweep --glu`: kernels of two inputs, wherever they live."""

import json
import re
import sys
from pathlib import Path

import pytest

from tests.old.cli.runner import Terminal, assert_all_refused, gelu, run_gelu

FILES = {"k.py": '''
import ml_dtypes, numpy as np

def reglu(gate, up):
    return np.maximum(gate, 0) * up

def halves(x):
    return reglu(*np.split(x, 2))

def interleaved(x):
    return reglu(x[::2], x[1::2])

def twice(gate, up):
    y = np.maximum(gate, 0).astype(ml_dtypes.bfloat16)
    return y.astype(gate.dtype) * up

def oss(gate, up):
    gate, up = np.minimum(gate, 7), np.clip(up, -7, 7)
    return np.maximum(gate, 0) * (up + 1)

def logistic(gate, up):
    return (up / (1 + np.exp(-gate.astype(float)))).astype(gate.dtype)

def one(x):
    return x

def swapped(gate, up):
    return reglu(up, gate)

def less_one(gate, up):
    return np.maximum(gate, 0) * (up - 1)

def both(upstream, gate, up):
    return upstream * np.where(gate > 0, up, 0 * up), upstream * np.maximum(gate, 0)

def both_packed(upstream, x):
    return np.concatenate(both(upstream, *np.split(x, 2)))

def one_of_both(upstream, gate, up):
    return both(upstream, gate, up)[0]

def x_first(x, upstream):
    return backward(upstream, x)

def backward(upstream, x):
    return np.where(x > 0, upstream, 0 * upstream)

def raises(gate, up):
    if (up == 3).any():
        raise ValueError("no 3")
    return gate
''', "pairs.py": '''
import sys, numpy as np
while data := sys.stdin.buffer.read(8 << 12):
    gate, up = np.frombuffer(data, np.float32).reshape(-1, 2).T
    sys.stdout.buffer.write((np.maximum(gate, 0) * up).tobytes())
'''}  # fmt: skip
SMALL = ["--glu", "--form", "relu", "--dtype", "float32", "--samples", "6000"]
UPS = ["--up", "0.5,3,-0.125"]


def row(*words):
    (found,) = gelu("sweep", *words).rows
    return found


@pytest.mark.parametrize("words", [
    ["k.py:reglu"], ["k.py:halves", "--packed", "halves"],
    ["k.py:interleaved", "--packed", "interleaved"], ["--exec", f"{sys.executable} pairs.py"],
])  # fmt: skip
def test_a_kernel_of_two_inputs_is_judged_wherever_it_lives(folder, words):
    found = row(*words, *SMALL, *UPS)
    assert float(found["max_ulp"]) <= 0.5
    assert found["misrounded"] == "0"
    assert int(found["inputs"]) % 3 == 0
    assert found["exhaustive"] == "no"


def test_the_worst_pair_is_named_with_both_bit_patterns(folder):
    answer = gelu("sweep", "k.py:twice", "--glu", "--form", "relu", "--dtype", "float8_e5m2",
                  "--view", "worst", "--up", "3,-2")  # fmt: skip
    assert {"x", "x_bits", "up", "up_bits"} < set(answer.columns)
    assert {each["up"] for each in answer.rows} <= {"3.0", "-2.0"}
    regions = gelu("sweep", "k.py:twice", "--glu", "--form", "relu", "--dtype", "float8_e5m2",
                   "--view", "regions", "--up", "3,-2").rows  # fmt: skip
    assert {(each["up_low"], each["up_high"]) for each in regions} == {
        ("1.0", "inf"), ("-inf", "-1.0"),
    }  # fmt: skip


def test_an_intermediate_format_is_the_truth_if_it_is_named(folder):
    words = ["k.py:twice", "--glu", "--form", "relu", "--dtype", "float32", *UPS,
             "--range", "1:3", "--samples", "9000"]  # fmt: skip
    assert float(row(*words)["max_ulp"]) > 1000
    assert row(*words, "--intermediate", "bfloat16")["misrounded"] == "0"


def test_clamps_and_the_offset_are_part_of_the_question(folder):
    words = ["k.py:oss", "--glu", "--form", "relu", "--dtype", "float32", "--samples", "6000",
             "--up", "0.5,8,-9"]  # fmt: skip
    assert int(row(*words)["over_1_ulp"]) > 0
    limits = ["--gate-limit", "7", "--up-limit", "7", "--up-offset", "1"]
    found = row(*words, *limits)
    assert float(found["max_ulp"]) <= 1.5
    said = run_gelu("sweep", *words, *limits, stdout=Terminal).out
    assert "F(min(x, 7))·(max(−7, min(u, 7)) + 1)" in " ".join(
        run_gelu("sweep", *words, *limits, "--view", "summary", stdout=Terminal).out.split()
    )
    assert "ups" in said


def test_an_8_bit_format_has_every_pair(folder):
    found = row("k.py:reglu", "--glu", "--form", "relu", "--dtype", "float8_e4m3fn")
    assert (found["inputs"], found["exhaustive"], found["misrounded"]) == ("64516", "yes", "0")
    assert float(found["rms_error"]) > 0


def test_infinities_are_taken_with_both_inputs(folder):
    found = row("k.py:reglu", *SMALL, *UPS, "--infinities")
    assert (found["wrong_nan"], found["wrong_inf"]) == ("0", "0")


def test_a_function_that_raises_names_the_pair(folder):
    answer = run_gelu("sweep", "k.py:raises", *SMALL, *UPS)
    assert answer.code == 4
    assert re.search(r"at gate = \S+, up = 3\.0: no 3|gate = \S+, up = 3\.0", answer.err)


def test_words_name_gate_and_up(folder):
    shown = run_gelu("sweep", "k.py:twice", "--glu", "--form", "relu", "--dtype", "bfloat16",
                     "--up", "3", stdout=Terminal).out  # fmt: skip
    assert "gate = " in shown
    assert "up = 3" in shown
    assert "pairs of inputs, with 1 up" in shown
    assert "gelu identify" not in shown
    assert len(shown.splitlines()) <= 40


def test_a_record_is_read_back_and_compared(folder):
    words = ["--glu", "--form", "relu", "--dtype", "float8_e5m2", "--gate-limit", "7"]
    for name, kernel in [("a", "k.py:twice"), ("b", "k.py:reglu")]:
        gelu("sweep", kernel, *words, "-o", f"{name}.json")
    asked = json.loads(Path("a.json").read_text())["question"]["glu"]
    assert asked == {"gate_limit": 7.0, "ups": "all"}
    fresh = gelu("sweep", "k.py:twice", *words, "--view", "worst").rows
    assert gelu("check", "a.json", "--view", "worst").rows == fresh
    compared = run_gelu("compare", "a.json", "b.json")
    assert compared.columns[1:6] == ["low", "high", "up_low", "up_high", "figure"]
    assert run_gelu("compare", "a.json", "a.json").rows == []
    gelu("sweep", "k.py:halves", "--packed", "halves", *words, "-o", "packed.json")
    assert run_gelu("compare", "b.json", "packed.json").rows == []
    gelu("sweep", "k.py:reglu", *words[:-2], "-o", "other.json")
    refused = run_gelu("compare", "b.json", "other.json").err
    assert "glu is gate_limit 7.0, ups all in 'b.json' and ups all in 'other.json'" in refused


@pytest.mark.parametrize(("option", "bound"), [
    ("--max-ulp", "0.4"), ("--max-abs", "1e-30"), ("--max-rel", "1e-3"),
])  # fmt: skip
def test_a_bound_that_pairs_exceed_fails(folder, option, bound):
    words = ["sweep", "k.py:twice", "--glu", "--form", "relu", "--dtype", "float8_e5m2"]
    assert run_gelu(*words, "--up", "3,0.4").code == 0
    failed = run_gelu(*words, "--up", "3,0.4", option, bound)
    assert "ups are rounded to float8_e5m2: 0.375" in failed.err
    assert failed.code == 1
    assert "exceeds" in failed.err
    assert "limits hold" not in failed.err
    assert option != "--max-ulp" or re.search(r"at x = \S+, up = (3\.0|0\.375) exceeds", failed.err)


REFUSED = [
    ("k.py:reglu --packed halves", "--packed is for kernels of two inputs; add --glu"),
    ("k.py:reglu --up 1", "--up is for kernels of two inputs; add --glu"),
    ("erf_sum --glu", "--glu: the kernel erf_sum is a routine of one input"),
    ("k.py:reglu --glu --up all", "--up all is for 16- and 8-bit formats, not float32"),
    ("k.py:reglu --glu --up all,2 --dtype bfloat16", "--up all has every number"),
    ("k.py:reglu --glu --up 1e30 --dtype float16", "--up: name numbers up to the largest float16"),
    ("k.py:reglu --glu --up-limit=-1", "--up-limit must be 0 or a positive number"),
    ("k.py:reglu --glu --quantity gradient", "with --glu there are two gradients", "gate_gradient"),
    ("k.py:reglu --quantity up_gradient", "is for kernels of two inputs; add --glu"),
    ("k.py:reglu --glu --at 1", "--at: name pairs"),
    ("k.py:reglu --glu --dtype bfloat16 --intermediate float8_e4m3fn", "has no infinity"),
]


def test_what_is_no_question_of_two_inputs_is_refused(folder):
    assert_all_refused("sweep", cases=REFUSED)


@pytest.mark.parametrize(("words", "said"), [
    ("k.py:one --glu", "if one array has gates and ups, add --packed halves or interleaved"),
    ("k.py:reglu --glu --packed halves", "--packed is for one array of gates and ups"),
    ("k.py:both --glu", "backward pass (upstream, gate, up) → (dgate, dup), add --backward own"),
    ("k.py:reglu --glu --backward own --quantity gate_gradient",
     "--backward own takes (upstream, gate, up) → (dgate, dup)"),
    ("k.py:reglu", "if it is f(gate, up), add --glu; if a backward pass, --backward own"),
    ("--exec cat --glu --packed halves", "a program reads pairs, each gate before its up"),
])  # fmt: skip
def test_a_kernel_that_is_called_wrongly_is_refused_with_the_remedy(folder, words, said):
    answer = run_gelu("sweep", *words.split())
    assert answer.code == 2
    assert said in answer.err


@pytest.mark.parametrize("quantity", ["gate_gradient", "up_gradient"])
def test_a_backward_pass_of_packed_inputs_returns_one_array(folder, quantity):
    words = ["--glu", "--form", "relu", "--dtype", "float8_e5m2", "--backward", "own", "--up",
             "0.5,-3", "--range", "0.5:8", "--quantity", quantity]  # fmt: skip
    packed = row("k.py:both_packed", *words, "--packed", "halves")
    apart = row("k.py:both", *words)
    assert (packed["misrounded"], packed["inputs"]) == ("0", apart["inputs"])
    assert apart["misrounded"] == "0"
    failed = run_gelu("sweep", "k.py:one_of_both", *words)
    assert "returned one array, not two, (dgate, dup)" in failed.err


@pytest.mark.parametrize(("words", "note"), [
    ("k.py:swapped --glu --form relu",
     "results are F(up)·gate: it takes the up first; wrap it as (gate, up) → f(up, gate)"),
    ("k.py:x_first --form relu --backward own --upstream 1,-2,0.375",
     "results are F′(upstream)·x: it takes x first; wrap it as (dy, x) → f(x, dy)"),
    ("k.py:reglu --glu", "the results are much nearer to relu"),
    ("k.py:less_one --glu --up-offset=-1 --form auto", "judged against relu, the form"),
])  # fmt: skip
def test_a_kernel_of_another_function_is_told_so(folder, words, note):
    answer = run_gelu("sweep", *words.split(), "--dtype", "float8_e4m3fn")
    assert note in answer.err
    right = run_gelu("sweep", "k.py:reglu", "--glu", "--form", "relu", "--dtype", "float8_e4m3fn")
    assert "nearer" not in right.err
    assert "first" not in right.err


def test_every_number_of_a_format_may_be_a_second_input(folder):
    words = ["k.py:reglu", "--glu", "--form", "relu", "--dtype", "bfloat16", "--range", "1:2"]
    found = row(*words, "--up", "0x1p127,0x1p-133,3", "--gate-limit", "1.1")
    assert int(found["inputs"]) == 3 * 129


def test_from_python_it_is_the_same(folder):
    import numpy as np

    from gelu_cli import sweep

    def reglu(gate, up):
        return np.maximum(gate, 0) * up

    def halves(x):
        return reglu(*np.split(x, 2))

    whole = sweep(reglu, dtype="float8_e5m2", form="relu", glu=True)
    assert (whole.exhaustive, whole.total.inputs, whole.max_ulp) == (True, 248**2, 0.5)
    some = {"up": [0.5, -3], "gate_limit": 7, "packed": "halves"}
    judged = sweep(halves, dtype="bfloat16", form="relu", glu=some)
    assert judged.total.inputs == 2 * 65280
    assert not judged.exhaustive
    assert judged.worst[0].x > 7
    assert "glu" in judged.to_dict()["question"]
    assert sweep(reglu, dtype="float8_e5m2", form="relu", glu={}) == whole
    one = sweep(reglu, dtype="bfloat16", form="relu", glu={"up": 3})
    assert one.total.inputs == 65280
    assert re.search(r"at x = \S+, up = 3\.0", repr(one))
    for wrong, said in [({"upp": 1}, "upp"), ({"packed": "x"}, "x"), ({"up": [1e300]}, "largest"),
                        ("halves", "glu must be True or a dictionary")]:  # fmt: skip
        with pytest.raises(ValueError, match=said):
            sweep(reglu, dtype="bfloat16", glu=wrong)
    with pytest.raises(ValueError, match="gradient"):
        sweep(reglu, dtype="bfloat16", glu=True, quantity="gradient")
    gradient = sweep(lambda dy, g, u: (dy * (g > 0) * u, None), dtype="float16", form="relu",
                     glu={"up": [2]}, quantity="gate_gradient", backward="own",
                     low=2**-10, high=8)  # fmt: skip
    assert gradient.max_ulp == 0


@pytest.mark.parametrize(("words", "form"), [
    ("k.py:reglu", "relu"), ("k.py:halves --packed halves", "relu"),
    ("k.py:oss --gate-limit 7 --up-limit 7 --up-offset 1", "relu"),
    ("k.py:logistic", "logistic"), ("k.py:twice --quantity value", "relu"),
])  # fmt: skip
def test_the_nearest_form_is_found_with_a_second_input(folder, words, form):
    asked = [*words.split(), "--glu", "--form", "auto", "--range=-4:4", "--up", "3"]
    answer = run_gelu("sweep", *asked, "--dtype", "float16")
    assert answer.rows[0]["target"] == form
    assert f"judged against {form}, the form that its results are nearest to" in answer.err


# Gradients with several upstreams

BACK = ["k.py:backward", "--backward", "own", "--form", "relu"]


def test_every_upstream_of_an_8_bit_format_is_taken(folder):
    found = row(*BACK, "--upstream", "all", "--dtype", "float8_e5m2")
    assert (found["inputs"], found["exhaustive"], found["misrounded"]) == ("61504", "yes", "0")
    assert found["quantity"] == "gradient"


def test_upstreams_are_rounded_and_told_and_named(folder):
    words = ["sweep", *BACK, "--upstream", "0.1,-3,1e4", "--dtype", "float8_e5m2"]
    answer = run_gelu(*words)
    assert "upstreams are rounded to float8_e5m2: 0.09375, 10240.0" in answer.err
    assert {each["up"] for each in run_gelu(*words, "--view", "worst").rows} <= {
        "0.09375", "-3.0", "10240.0",
    }  # fmt: skip
    others = ["silu" if word == "relu" else word for word in words]
    shown = run_gelu(*others, "--max-ulp", "1", stdout=Terminal)
    said = " ".join(shown.out.split())
    assert "x = " in said
    assert ", upstream = " in said
    assert "with 3 upstreams" in said
    assert "gate" not in said
    assert ", upstream = " in shown.err


def test_one_upstream_is_a_question_of_one_input(folder):
    one = gelu("sweep", *BACK, "--upstream", "-3", "--dtype", "float8_e5m2")
    assert "max_ulp_up" not in one.columns
    assert one.rows[0]["exhaustive"] == "yes"


def test_an_intermediate_format_may_round_before_the_upstream(folder):
    Path("t.py").write_text(
        "import numpy as np\n"
        "def backward(upstream, x):\n"
        "    with np.errstate(all='ignore'):\n"
        "        s = 1 / (1 + np.exp(-x.astype(float)))\n"
        "        return upstream * (s * (1 - s)).astype(x.dtype)\n"
    )
    words = ["t.py:backward", "--backward", "own", "--form", "logistic", "--dtype", "float8_e5m2",
             "--upstream", "all"]  # fmt: skip
    once = run_gelu("sweep", *words)
    assert int(once.rows[0]["misrounded"]) > 100
    assert "F′(x) is rounded to float8_e5m2" in once.err
    assert row(*words, "--intermediate", "float8_e5m2")["misrounded"] == "0"


def test_results_at_pairs_are_listed(folder):
    words = ["--form", "relu", "--dtype", "float16"]
    rows = gelu("sweep", "k.py:reglu", "--glu", *words, "--at", "1,2", "--at=-1,0.5").rows
    assert [(each["x"], each["up"], each["got"]) for each in rows] == [
        ("1.0", "2.0", "2.0"), ("-1.0", "0.5", "0.0"),
    ]  # fmt: skip
    rows = gelu(
        "sweep", *BACK, "--dtype", "float16", "--upstream", "all", "--at", "1,-3,inf,2"
    ).rows
    assert [(each["x"], each["up"], each["want"]) for each in rows] == [
        ("1.0", "-3.0", "-3.0"), ("inf", "2.0", "2.0"),
    ]  # fmt: skip
    failed = run_gelu("sweep", "k.py:oss", "--glu", *words, "--at", "2,4", "--max-ulp", "1")
    assert "at x = 2.0, up = 4.0 exceeds" in failed.err


def test_other_surroundings_have_the_same_pairs(folder):
    for words in ([*BACK, "--upstream", "3,-0.5"],
                  ["k.py:interleaved", "--glu", "--packed", "interleaved", "--up", "3,-0.5",
                   "--form", "relu"]):  # fmt: skip
        answer = run_gelu("sweep", *words, "--dtype", "float8_e5m2", "--shapes")
        assert "its results do not depend on the surroundings: 496 inputs were seen" in answer.err


def test_a_record_has_the_upstreams(folder):
    words = [*BACK, "--upstream", "3,-0.5", "--dtype", "float8_e5m2"]
    gelu("sweep", *words, "-o", "r.json")
    asked = json.loads(Path("r.json").read_text())["question"]
    assert asked["glu"] == {"upstream": True, "ups": [3.0, -0.5]}
    fresh = gelu("sweep", *words, "--view", "worst").rows
    assert gelu("check", "r.json", "--view", "worst").rows == fresh


def test_what_upstreams_cannot_be_is_said(folder):
    assert_all_refused("sweep", cases=(
        (f"{' '.join(BACK)} --upstream 3,all", "--upstream all has every number"),
        (f"{' '.join(BACK)} --upstream all", "--upstream all is for 16- and 8-bit formats"),
        (f"{' '.join(BACK)} --upstream 3,2 --packed halves", "--packed is for kernels of two"),
        (f"{' '.join(BACK)} --upstream 3,1e9 --dtype float16", "numbers up to the largest float16"),
        ("k.py:reglu --glu --upstream 3,2", "--upstream is for gradients of kernels of one input"),
        ("k.py:reglu --glu --at 1", "--at: name pairs, each x with its up after it"),
        ("k.py:reglu --glu --at 1:2:0.5", "--at: name pairs x,up, no ranges"),
        ("k.py:reglu --glu --up 3 --at 1,2", "--up is for sweeps"),
        (f"{' '.join(BACK)} --upstream 3,2 --at 1,2", "--upstream all leaves them free"),
    ))  # fmt: skip
