"""Programs of forms: they are compiled, run, and compared with formulas of numpy and mpmath."""

import ctypes
import re
import shutil
import subprocess
from fractions import Fraction
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest
from scipy.special import expit

from gelu_cli.codegen import LANGUAGES, code_of
from gelu_cli.errors import UsageError
from gelu_cli.fitting import family_of
from gelu_cli.formulas import typed_form
from gelu_cli.numbers import FORMATS
from tests.truth.mpmath import FORMS, M, ratio

STRICT = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion"]
DTYPES = {"float64": np.float64, "float32": np.float32, "float16": np.float16,
          "bfloat16": ml_dtypes.bfloat16}  # fmt: skip
INTS = {"float64": np.uint64, "float32": np.uint32, "float16": np.uint16, "bfloat16": np.uint16}
POLYNOMIAL = {"A": "3", "c1": "0.3989383512", "c3": "-0.06646870751", "c5": "0.009938328774",
              "c7": "-0.001161210602"}  # fmt: skip


def label(name, settings):
    return ":".join([name, *(f"{key}={value}" for key, value in settings.items())])


def relu6(x, slope):
    return np.clip(slope * x + 3, 0, 6) / 6


def igelu(x, a=-0.2888, b=-1.769):
    left = -a / 2 * np.maximum(-b - np.abs(x) / np.sqrt(2), 0) ** 2
    return np.where(x < 0, left, 1 - left)


def erf_as(x):
    a = [0.254829592, -0.284496736, 1.421413741, -1.453152027, 1.061405429]
    t = 1 / (1 + 0.3275911 * np.abs(x) / np.sqrt(2))
    left = np.polyval([*a[::-1], 0], t) * np.exp(-x * x / 2) / 2
    return np.where(x < 0, left, 1 - left)


def polynomial(x):
    odd = sum(float(c) * x ** int(n[1:]) for n, c in POLYNOMIAL.items() if n != "A")
    return np.where(np.abs(x) <= 3, 0.5 + odd, x > 0)


class Case(NamedTuple):
    """A program: its settings, its gate in numpy's float64, and what bounds its error."""

    gate: object
    settings: dict = {}  # noqa: RUF012
    roundings: int = 0
    """Of the exponent w: e^w is off by up to |w|·2^−p for each."""
    others: float = 8
    """What else there is, in ULP."""
    end: float = np.inf
    """It is measured from −end to end."""

    def bound(self, dtype):
        """Return the bound in ULP, with ½ more for a last rounding from float32."""
        wide = dtype in ("float64", "float32")
        held, narrow = FORMATS[dtype if wide else "float32"], FORMATS[dtype]
        exponent = (narrow.precision - narrow.emin) * np.log(2) + 4  # beyond, x·e^w is 0
        ulp = self.roundings * exponent + self.others
        return ulp if wide else 0.5 + ulp * 2.0 ** (narrow.precision - held.precision)


SCALE = np.sqrt(2 / np.pi)
CASES = {
    "sigmoid": Case(lambda x: expit(1.702 * x), roundings=2),
    "tanh": Case(lambda x: expit(2 * SCALE * (x + 0.044715 * x**3)), roundings=7),
    "hard": Case(lambda x: relu6(x, 1.702)),
    "igelu": Case(igelu),
    # Its coefficients add up to 1, and with all signs alike to 4.5.
    "erf_as": Case(erf_as, roundings=1, others=25, end=30),
    # 2^−24 of ½ are 2^−24/G of the gate G, which is 0.0013 at −3.
    "polynomial": Case(polynomial, POLYNOMIAL, others=3000),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Compile all programs in C, by a compiler that minds everything; also two conversions."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler, cc")
    folder, files = tmp_path_factory.mktemp("code"), []
    for name, case in CASES.items():
        for dtype in DTYPES:
            text = code_of(typed_form(label(name, case.settings)), "c", dtype)
            files.append(folder / f"{name}_{dtype}.c")
            files[-1].write_text(text.replace("void gelu(", f"void {name}_{dtype}("))
    for dtype in ("float16", "bfloat16"):
        with (folder / f"hard_{dtype}.c").open("a") as file:
            file.write(
                f"void narrowed_{dtype}(const float *x, uint16_t *y, size_t n)\n"
                f"{{\n    for (size_t i = 0; i < n; i++)\n        y[i] = to_{dtype}(x[i]);\n}}\n"
            )
    flags = ["-O2", *STRICT, "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", folder / "libcode.so", *files, "-lm"], check=True)
    return ctypes.CDLL(str(folder / "libcode.so"))


def call(function, x, y):
    function(*(ctypes.c_void_p(each.ctypes.data) for each in (x, y)), ctypes.c_size_t(len(x)))
    return y


@pytest.fixture
def programs(library):
    """Return a function that yields a program in both languages, as functions of arrays."""

    def load(name, dtype):
        module = {}
        exec(code_of(typed_form(label(name, CASES[name].settings)), "python", dtype), module)
        yield "python", module["gelu"]
        yield "c", lambda x: call(library[f"{name}_{dtype}"], x.copy(), np.empty_like(x))

    return load


def inputs(dtype, end):
    """Return every number of 16 bits, or evenly spread bit patterns, from −end to end."""
    kind, width = DTYPES[dtype], FORMATS[dtype].width
    step = 1 if width == 16 else (1 << width) // 20_011
    x = np.arange(0, (1 << width) - 1, step, dtype=INTS[dtype]).view(kind)
    with np.errstate(invalid="ignore"):  # signalling NaN
        x = x[np.isfinite(x)]
    return x[np.abs(x.astype(np.float64)) <= end]


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_form(programs, name, dtype):
    case, narrow = CASES[name], FORMATS[dtype]
    x = inputs(dtype, case.end)
    wide = x.astype(np.float64)
    with np.errstate(all="ignore"):
        want = np.where(wide == 0, wide, wide * case.gate(np.clip(wide, -1e30, 1e30)))
        size = np.maximum(np.frexp(want)[1] - 1, narrow.emin)
    for language, function in programs(name, dtype):
        off = np.abs(function(x).astype(np.float64) - want) * 2.0 ** (narrow.precision - 1 - size)
        assert np.nanmax(off) <= case.bound(dtype), (language, x[np.nanargmax(off)])


@pytest.mark.parametrize("name", CASES)
def test_results_in_float64_are_mpmaths(programs, name):
    case = CASES[name]
    end = min(case.end, 40.0)
    kink = 3 / 1.702
    x = np.array([*np.linspace(-end, end, 61), 1e-300, -1e-300, -kink, -kink + 1e-9, -2.5017437])
    with M.workdps(40):
        want = [FORMS[name](ratio(each), **case.settings) for each in x.tolist()]
        for language, function in programs(name, "float64"):
            got = function(x).tolist()
            ulp = [max(abs(y), M.mpf(2) ** -1022) * M.mpf(2) ** -53 for y in want]
            off = [float(abs(ratio(g) - w) / u) for g, w, u in zip(got, want, ulp, strict=True)]
            assert max(off) <= 2 * case.bound("float64") + 1, (language, x[np.argmax(off)])


@pytest.mark.parametrize("name", ["hard", "igelu"])
def test_nothing_cancels_beside_the_left_kink(programs, name):
    kink = np.float32({"hard": -3 / 1.702, "igelu": -1.769 * 2**0.5}[name])
    x = kink + np.arange(1, 60, dtype=np.float32) * np.spacing(-kink)
    with M.workdps(30):
        want = np.array([float(FORMS[name](ratio(float(each)))) for each in x])
    for language, function in programs(name, "float32"):
        off = np.abs(function(x) - want) / np.spacing(np.abs(want).astype(np.float32))
        assert np.max(off) <= CASES[name].bound("float32"), language


@pytest.mark.parametrize("dtype", DTYPES)
def test_zeros_infinities_nan_and_what_overflows_inside(programs, dtype):
    large = FORMATS[dtype].largest
    x = np.array([0.0, -0.0, large, -large, large / 1000, -large / 1000, np.inf, -np.inf, np.nan])
    want = np.array([0.0, 0.0, large, 0.0, large / 1000, 0.0, np.inf, 0.0, np.nan])
    x, want = x.astype(DTYPES[dtype]), want.astype(DTYPES[dtype])
    for name in CASES:
        for language, function in programs(name, dtype):
            with np.errstate(all="raise"):
                got = function(x)
            assert (got.dtype, got.shape) == (x.dtype, x.shape)
            assert np.array_equal(got, want, equal_nan=True), (name, language, got)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_floats_are_rounded_to_nearest_ties_to_even(library, dtype):
    kind = DTYPES[dtype]
    every = np.arange(1 << 16, dtype=np.uint16).view(kind).astype(np.float32)
    finite = np.unique(every[np.isfinite(every)])
    ties = ((finite[1:].astype(np.float64) + finite[:-1]) / 2).astype(np.float32)
    largest = FORMATS[dtype].largest
    beyond = np.array([largest * (1 + 2.0**-9), largest * (1 + 2.0**-13), 3e38, np.inf], np.float32)
    x = np.concatenate([finite, ties, beyond, -beyond])
    x = np.concatenate([x, np.nextafter(x, np.float32(0)), np.nextafter(x, np.float32(np.inf))])
    patterns = np.array([*x.view(np.uint32), 0x7F800001, 0xFFFFFFFF], np.uint32)
    got = call(library[f"narrowed_{dtype}"], patterns, np.empty(len(patterns), np.uint16))
    with np.errstate(over="ignore"):
        want = x.astype(kind).view(np.uint16)
    assert np.array_equal(got[:-2], want)
    assert np.all(np.isnan(got[-2:].view(kind).astype(np.float32)))


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_constants_read_back_as_the_nearest_numbers(dtype):
    kind = DTYPES[dtype]
    for language in LANGUAGES:
        text = code_of(typed_form(label("polynomial", POLYNOMIAL)), language, dtype)
        found = dict(re.findall(r"\b(\w+) = ([-\d.e]+)f?\b", text))
        for name, value in POLYNOMIAL.items():
            number = kind(found[name])
            off = abs(Fraction(float(number)) - Fraction(value))
            assert off <= Fraction(float(np.spacing(np.abs(number)))) / 2, (language, name)


def test_the_edge_of_a_polynomial_is_rounded_to_the_inner_side():
    for end in ("2.9999999", "3.0000001", "2.77502"):
        text = code_of(typed_form(f"polynomial:A={end}"), "python")
        found = np.float32(re.search(r"A = (\S+)", text)[1])
        beyond = Fraction(float(np.nextafter(found, np.float32(4))))
        assert Fraction(float(found)) <= Fraction(end) < beyond


def test_the_end_of_a_ramp_has_twice_the_digits():
    for dtype in ("float64", "float32"):
        text = code_of(typed_form("hard"), "python", dtype)
        parts = dict(re.findall(r"\b(k|k_rest) = (\S+)", text))
        total = sum(Fraction(float(DTYPES[dtype](part))) for part in parts.values())
        unit = Fraction(1, 2 ** (2 * FORMATS[dtype].precision))
        assert abs(total - 3 / Fraction("1.702")) < unit


def test_a_quintic_argument_that_turns_back_is_written():
    """Fits on a range have d < 0: far out the gate turns, and ∞ does not become NaN."""
    family = family_of(typed_form("tanh:c=0.0475"), ["d"], low=-4, high=4)
    module = {}
    exec(code_of(family.member(["-0.0003"]), "python", "float64"), module)
    x = np.linspace(-6, 6, 41)
    want = x * expit(2 * SCALE * (x + 0.0475 * x**3 - 0.0003 * x**5))
    assert module["gelu"](x) == pytest.approx(want, rel=1e-13)
    assert module["gelu"](np.array([np.inf, -np.inf])).tolist() == [0, -np.inf]


def test_a_note_and_how_to_measure_are_at_the_top():
    note = "least maximum error on the axis: 0.0203" + " and so on" * 20
    for language in LANGUAGES:
        text = code_of(typed_form("sigmoid"), language, "float16", note)
        top = text.partition("import" if language == "python" else "#include")[0]
        assert all(len(line) <= 100 for line in top.splitlines())
        assert "GELU as x*sigma(beta*x), in float16, computed in float32." in top
        assert "least maximum error on the axis: 0.0203 and" in top
        assert "--dtype float16 --form sigmoid\n" in top


REFUSED = {
    ("elu", "c", "float32"): "there is no code of 'elu'; take one of sigmoid",
    ("hard", "rust", "float32"): "unknown language 'rust'",
    ("hard", "c", "float8_e5m2"): "unknown dtype 'float8_e5m2' of a program; choose from float64",
    ("tanh:a=1e60", "c", "float16"): "a constant, about 1e+60, is beyond float32",
    ("tanh:c=1e-60", "c", "float32"): "a constant, about 1e-60, is beyond float32",
}


def test_what_has_no_code_is_refused():
    for (form, language, dtype), message in REFUSED.items():
        with pytest.raises(UsageError) as refusal:
            code_of(typed_form(form), language, dtype)
        assert str(refusal.value).startswith(message)
