"""Each sentence on a kernel is true of every input, which Arb and plain loops judge here."""

import math
import re
from fractions import Fraction
from functools import cache
from itertools import product

import ml_dtypes
import numpy as np
import pytest
from flint import arb, ctx
from scipy.special import erf

from gelu_cli import compare, sweep
from gelu_cli.old.answers.words import of_comparison, of_verdict
from gelu_cli.old.arithmetic.formats import FORMATS
from gelu_cli.old.formulas import find_form
from gelu_cli.old.sweeping.checking import check_results
from gelu_cli.old.sweeping.inputs import every_number
from gelu_cli.old.sweeping.truth import Question
from tests.old.sweeping import slow_judge
from tests.truth.mpmath import M

X = r"(−?\d+(?:\.\d+)?(?:e[+-]\d+)?)"
NARROW = ["float8_e4m3fn", "float8_e5m2"]


FAR, BITS = 40, 2400
"""Where Φ(x) is 0 or 1 to any format, and the bits that tell it from them up to there."""


def true_value(x):
    """Return GELU(x) by Arb, far out what is a hair beside it, on the side of 0."""
    if not 0 < abs(x) < FAR:
        return (
            Fraction(x) * (1 - Fraction(1, 2**BITS)) if x > 0 else -Fraction(1, 2**BITS) * (x < 0)
        )
    man, exp = (arb(x) / 2 * (-arb(x) / arb(2).sqrt()).erfc()).mid().man_exp()
    return Fraction(int(man)) * Fraction(2) ** int(exp)


@cache
def judged(dtype):
    """Return every input, its true value, the unit in its last place, and what is due."""
    number_format = FORMATS[dtype]
    x = every_number(number_format)
    with ctx.workprec(BITS):
        y = [true_value(each) for each in x.tolist()]
    unit = []
    for v in map(abs, y):
        exponent = v.numerator.bit_length() - v.denominator.bit_length() if v else -9999
        exponent -= bool(v) and v < Fraction(2) ** exponent
        least = max(exponent, number_format.emin) - number_format.precision + 1
        unit.append(Fraction(2) ** least)
    return x, y, unit, np.array([number_format.exactly(v) for v in y])


def kernels(dtype):
    """Return kernels that are right, nearly right, and wrong in many ways, by name."""
    number_format = FORMATS[dtype]
    x, y, _, want = judged(dtype)
    sizes = [abs(float(v)) for v in y]
    above = np.array([number_format.number(min(number_format.bits(abs(w)) + 1,
                                               number_format.bits(number_format.largest)))
                      for w in want.tolist()])  # fmt: skip
    one_off = np.copysign(above, want)
    sloppy = x / 2 * (1 + erf(np.float32(x / 2**0.5)))
    return {
        "right": want,
        "faithful": np.where(np.abs(want) < sizes, one_off, want),
        "flushing": np.where(np.abs(want) < 2.0**number_format.emin, 0.0, want),
        "cancelling": sloppy,
        "a hole": np.where((x > 3) & (x < 3.6), 0.0, want),
        "NaN": np.where((x < -5) & (x > -7), np.nan, want),
        "overflow": np.where(x > number_format.largest / 3, np.inf, want),
        "sign": np.where(x < -1, -want, sloppy),
        "nothing": np.zeros_like(want),
    }


def swept(dtype, name):
    """Return the verdict on a kernel, and its results and their errors."""
    x, y, unit, want = judged(dtype)
    table = dict(zip(x.tolist(), kernels(dtype)[name].tolist(), strict=True))
    zero = FORMATS[dtype].from_float(0.0)

    def kernel(inputs):
        return np.array([table.get(each, zero) for each in inputs.astype(np.float64).tolist()]
                        ).astype(inputs.dtype)  # fmt: skip

    verdict = sweep(kernel, dtype=dtype)
    got = kernel(x.astype(kernels(dtype)["right"].dtype))
    got = np.array([FORMATS[dtype].from_float(each) for each in got.tolist()])
    absolute = [math.inf if not math.isfinite(g) else abs(Fraction(g) - v)
                for g, v in zip(got.tolist(), y, strict=True)]  # fmt: skip
    errors = [a if a == math.inf else a / u for a, u in zip(absolute, unit, strict=True)]
    return verdict, got, want, absolute, errors


def number(text, dtype=None):
    """Return the number that a text is, or the one of a format that is nearest to it."""
    value = float(text.replace("−", "-"))
    return FORMATS[dtype].from_float(value) if dtype and math.isfinite(value) else value


def check_interval(bound, low, high, dtype, got, errors):
    """Within the interval all errors keep the bound; the next inputs on both sides do not."""
    x, y, *_ = judged(dtype)
    least = 2.0 ** FORMATS[dtype].emin
    flushed = (np.abs(x) < 4 * least) & np.array([abs(v) < least for v in y]) & (got == 0)
    over = np.array([e > bound for e in errors]) & ~flushed
    inside = (x >= low) & (x <= high)
    assert low in x
    assert high in x
    assert not (over & inside).any()
    if (x < low).any():
        assert over[x == np.max(x[x < low])].any()
    if (x > high).any():
        assert over[x == np.min(x[x > high])].any()


def check(sentence, dtype, got, want, absolute, errors):
    """Check one sentence; raises where its words are none that are known here."""
    x = judged(dtype)[0]
    text, found = sentence.text, False
    if match := re.match(r"All ([\d,]+) results are correctly rounded\.$", text):
        assert int(match[1].replace(",", "")) == len(x)
        assert (got == want).all()
        return
    if match := re.match(r"All [\d,]+ results are within 1 ULP; ([\d,]+) (is|are) not", text):
        assert max(errors) <= 1
        assert int(match[1].replace(",", "")) == np.count_nonzero(got != want)
        return
    if re.match(r"At the input nearest to 0 the result is not within 1 ULP already", text):
        assert all(errors[i] > 1 for i in np.flatnonzero(x == 0))
        return
    for bound, low, high in re.findall(rf"within ([\d.]+) ULP for {X} ≤ x ≤ {X}", text):
        check_interval(float(bound), number(low, dtype), number(high, dtype), dtype, got, errors)
        found = True
    if match := re.search(r": ([\d.e-]+) % of inputs N\(0, 1\)", text):
        low, high = sentence.figures["low"], sentence.figures["high"]
        share = 100 * float(M.ncdf(high) - M.ncdf(low))
        assert float(match[1]) <= share <= float(match[1]) * 1.02 + 1e-9
    if match := re.search(r": all of inputs N\(0, 1\) but a share of ([\d.e-]*\d)", text):
        low, high = sentence.figures["low"], sentence.figures["high"]
        left = float(M.ncdf(low) + M.ncdf(-high))
        assert left <= float(match[1]) <= left * 1.02 + 2e-10
    if "but for tiny ones that are 0" in text:
        assert ((got == 0) & (want != 0) & (np.abs(x) < 2.0 ** (FORMATS[dtype].emin + 2))).any()
    found |= check_errors(text, dtype, got, want, absolute, errors)
    assert found or text.startswith("What it computes: gelu identify"), text


def check_errors(text, dtype, got, want, absolute, errors):
    """Check what is said of errors and failures; return whether anything is."""
    x, y, _, _ = judged(dtype)
    found = False
    if match := re.search(rf"The largest error is ([\d.e+]+) ULP, at x = {X}(, where no)?", text):
        largest = max(e for e in errors if e != math.inf)
        assert float(match[1]) == pytest.approx(float(largest), rel=6e-4)
        place = x.tolist().index(number(match[2], dtype))
        assert errors[place] >= largest * (1 - Fraction(1, 10**9))
        assert bool(match[3]) == (2 * absolute[place] > abs(y[place]))
        found = True
    if re.search(r"There (is|are) [\d,]+ wrong", text):
        told = re.findall(r"([\d,]+) wrong (\w+)", text)
        finite = np.isfinite(got) & np.isfinite(want)
        due = {
            "NaN": np.isnan(got) != np.isnan(want),
            "infinit": np.isinf(got) & np.isfinite(want),
            "zero": finite & ((got == 0) != (want == 0)),
            "sign": finite & (got != 0) & (np.array([v != 0 for v in y]))
            & (np.signbit(got) != np.array([v < 0 for v in y])),
        }  # fmt: skip
        for kind, mask in due.items():
            count = sum(int(n.replace(",", "")) for n, word in told if word.startswith(kind))
            assert count == np.count_nonzero(mask), kind
        found = True
    if match := re.search(rf"NaN or infinity first at x = {X}", text):
        failed = x[~np.isfinite(got)]
        assert abs(number(match[1], dtype)) == np.min(np.abs(failed))
    if match := re.search(rf"The largest absolute error is ([\d.e+-]+), at x = {X}\.", text):
        largest = max(a for a in absolute if a != math.inf)
        assert float(match[1]) == pytest.approx(float(largest), rel=6e-3)
        assert absolute[x.tolist().index(number(match[2], dtype))] == largest
        found = True
    if match := re.search(
        r"the RMS error( of those that are numbers)? is ([\d.e+-]+), "
        r"([\d.e+-]+|inf) times that of correct rounding(: \w+ more)?\.",
        text,
    ):
        check_average(match, dtype, got, absolute)
        found = True
    return found


def check_average(match, dtype, got, absolute):
    """Check the RMS error of draws, each of which rounds to one of the inputs."""
    x, y, _, want = judged(dtype)
    at = np.unique(x)
    ends = np.array([-np.inf, *((at[1:] + at[:-1]) / 2), np.inf])
    cdf = np.array([float(M.ncdf(e)) for e in ends])
    weight = dict(zip(at.tolist(), np.diff(cdf).tolist(), strict=True))
    squares = least = total = 0.0
    seen = set()
    for i in range(len(x)):
        if x[i] in seen or not math.isfinite(got[i]):
            continue
        seen.add(x[i])
        squares += weight[x[i]] * float(absolute[i]) ** 2
        least += weight[x[i]] * float(abs(Fraction(float(want[i])) - y[i])) ** 2
        total += weight[x[i]]
    rms, ratio = math.sqrt(squares / total), math.sqrt(squares / least)
    assert bool(match[1]) == (not np.isfinite(got).all())
    assert float(match[2]) == pytest.approx(rms, rel=6e-3)
    assert float(match[3]) == pytest.approx(ratio, rel=6e-3)
    more = ": hardly more" if ratio**2 <= 1.25 else ": much more" if ratio**2 >= 5 else None
    assert match[4] == more


NAMES = ["right", "faithful", "flushing", "cancelling", "a hole", "NaN", "overflow", "sign",
         "nothing"]  # fmt: skip


FEW = ("cancelling", "NaN", "overflow")
"""Kernels whose errors are as different as they get, for the format that takes longest."""


@pytest.mark.parametrize(
    ("dtype", "name"),
    [*product([*NARROW, "bfloat16"], NAMES), *product(["float16"], FEW)],
)
def test_every_sentence_on_a_kernel_is_true_of_every_input(dtype, name):
    verdict, *found = swept(dtype, name)
    sentences = of_verdict(verdict)
    assert sentences
    assert len(sentences) <= 5
    for sentence in sentences:
        check(sentence, dtype, *found)


@pytest.mark.parametrize("dtype", NARROW)
def test_a_limit_is_one_of_the_bounds_that_are_told(dtype):
    verdict, *found = swept(dtype, "cancelling")
    usual, limited = (of_verdict(verdict, limit)[0] for limit in (None, 4))
    assert limited.text.startswith(usual.text.removesuffix("."))
    check(limited, dtype, *found)


def test_a_sample_is_said_to_be_one():
    verdict = sweep(lambda x: np.maximum(x, 0), dtype="float32", form="relu", samples=5000)
    said = {each.about: each.text for each in of_verdict(verdict)}
    assert "that were judged" in said["within"]
    assert said["sample"].startswith(f"{verdict.total.inputs:,} inputs were judged, not all")


@pytest.mark.parametrize("dtype", [*NARROW, "bfloat16"])
def test_what_is_said_of_two_kernels_is_true(dtype):
    x, *_ = judged(dtype)
    tables = [kernels(dtype)[name] for name in ("cancelling", "a hole")]
    both = []
    for table in tables:
        results = dict(zip(x.tolist(), table.tolist(), strict=True))
        both.append(lambda inputs, results=results: np.array(
            [results.get(each, 0.0) for each in inputs.astype(np.float64).tolist()]
        ).astype(inputs.dtype))  # fmt: skip
    found = compare(*both, dtype=dtype)
    (_, a, _, of_a, errors_a), (_, b, _, of_b, errors_b) = (
        swept(dtype, name) for name in ("cancelling", "a hole")
    )
    words = {each.about: each.text for each in of_comparison(found.found) if not each.kernel}
    differ = (a != b) | (np.signbit(a) != np.signbit(b))
    nearer_a = np.array([m < n for m, n in zip(of_a, of_b, strict=True)]) & differ
    nearer_b = np.array([m > n for m, n in zip(of_a, of_b, strict=True)]) & differ
    counts = re.findall(r"(?:at|of) ([\d,]+)", words["differ"])
    numbers = [int(each.replace(",", "")) for each in counts]
    assert numbers == [differ.sum(), len(x), nearer_a.sum(), nearer_b.sum()]
    parts = words["better"].removeprefix("Nearer more often: ").removesuffix(".").split("; ")
    assert parts
    for part in parts:
        mine, other = (nearer_a, nearer_b) if part.startswith("a for") else (nearer_b, nearer_a)
        for low, high in re.findall(r"from (−?[\d.e+-]+|−inf) to (−?[\d.e+-]+|inf)", part):
            inside = (x >= number(low) * (1 - 1e-5)) & (x <= number(high) * (1 + 1e-5))
            assert mine[inside].sum() > other[inside].sum()
    assert errors_a != errors_b


def test_tiny_results_that_are_0_are_left_out_only_where_the_truth_is_tiny():
    zero = sweep(np.zeros_like, dtype="float8_e4m3fn", form="Phi")
    assert of_verdict(zero)[0].text.startswith("At the input nearest to 0 the result is not within")
    identity = sweep(np.copy, dtype="bfloat16")
    assert "tiny" not in of_verdict(identity)[0].text


def test_of_a_sample_sizes_are_rounded_down():
    verdict = sweep(lambda x: x * np.float32(0.123), dtype="float32", samples=3000, form="relu")
    told = {each.about: each.text for each in of_verdict(verdict)}
    outside, matters = told["outside"], told["matters"]
    said = float(re.search(r"at least ([\d.e+]+) ULP", outside)[1])
    assert said <= verdict.max_ulp < said * 1.002
    said = float(re.search(r"at least ([\d.e+]+), at", matters)[1])
    size, _ = verdict.farthest("abs")
    assert said <= size < said * 1.02


def test_draws_of_a_range_are_said_to_be_those_that_were_judged():
    far = sweep(np.zeros_like, dtype="float8_e5m2", low=-20, high=-3)
    text = next(each.text for each in of_verdict(far) if each.about == "matters")
    assert "For inputs N(0, 1), of those that were judged, the RMS error is" in text


def test_a_ratio_to_no_noise_is_not_told():
    right = sweep(lambda x: np.maximum(x, 0), dtype="float8_e5m2", form="relu")
    text = next(each.text for each in of_verdict(right) if each.about == "matters")
    assert text == "For inputs N(0, 1) the RMS error is 0."
    wrong = sweep(np.zeros_like, dtype="float8_e5m2", form="relu")
    assert "where correct rounding has none" in " ".join(each.text for each in of_verdict(wrong))


def test_the_next_command_calls_the_kernel_as_it_was_called(folder):
    (folder / "k.py").write_text(
        "import numpy as np\ndef wide(x): return np.zeros(x.shape, np.float32)\n"
        "def back(dy, x): return 0 * x\n"
    )
    wide = sweep("k.py:wide", dtype="bfloat16", result="float32")
    command = next(each.figures["command"] for each in of_verdict(wide) if each.about == "next")
    assert command == "gelu identify k.py:wide --dtype bfloat16 --result float32"
    back = sweep("k.py:back", dtype="bfloat16", quantity="gradient", backward="own")
    command = next(each.figures["command"] for each in of_verdict(back) if each.about == "next")
    assert command.endswith("--quantity gradient --backward own")


def test_words_say_that_results_depend_on_the_surroundings(folder):
    (folder / "k.py").write_text(
        "import numpy as np\ndef gelu(x):\n    y = np.maximum(x, 0)\n"
        "    return y + x * (x == 2) * (len(x) % 2)\n"
    )
    verdict = sweep("k.py:gelu", dtype="float16", form="relu", low=1, high=4, shapes=True)
    said = [each.text for each in of_verdict(verdict) if each.about == "shapes"]
    assert len(said) == 1
    assert said[0].startswith("In other surroundings results are others, first at x = 2 (length ")


def test_a_file_with_every_number_leaves_none_out():
    e5m2 = FORMATS["float8_e5m2"]
    x = every_number(e5m2)[::-1]
    question = Question(find_form("relu"), "value", e5m2)
    whole = check_results("k", question, x, np.maximum(x, 0), exhaustive=False)
    assert whole.exhaustive
    part = check_results("k", question, x[1:], np.maximum(x[1:], 0), exhaustive=False)
    assert not part.exhaustive


def test_of_pairs_results_within_1_ulp_are_counted_where_no_interval_tells():
    dtype, e5m2 = "float8_e5m2", FORMATS["float8_e5m2"]

    def kernel(gate, up):
        product = gate.astype(float) * up.astype(float) * 1.3
        return np.where(gate > 0, product, up.astype(float)).astype(gate.dtype)

    with np.errstate(all="ignore"):
        said = of_verdict(sweep(kernel, dtype=dtype, form="relu", glu=True))[0]
        x = every_number(e5m2)
        pairs = [(a, b) for a in x.tolist() for b in x.tolist()]
        gates, ups = (
            np.array(each).astype(ml_dtypes.float8_e5m2) for each in zip(*pairs, strict=True)
        )
        got = kernel(gates, ups).astype(float).tolist()
    within = 0
    for (a, b), result in zip(pairs, got, strict=True):
        y = Fraction(max(a, 0.0)) * Fraction(b)
        due = e5m2.exactly(y)
        if np.isinf(due) or np.isinf(result):
            within += due == result
        else:
            within += slow_judge.judged(dtype, dtype, a, result, lambda _, y=y: y, False)[0] <= 1
    assert said.text == f"{within:,} of {len(pairs):,} results are within 1 ULP."
    assert said.figures["within_1_ulp"] == within
