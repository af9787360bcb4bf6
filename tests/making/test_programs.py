"""Programs of forms: they are compiled, run, and compared with formulas of numpy and mpmath."""

import ctypes
import re
import shutil
import subprocess
from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from scipy.special import expit

from gelu_cli.errors import UsageError
from gelu_cli.fitting import family_of
from gelu_cli.formulas import typed_form
from gelu_cli.making.sources import LANGUAGES, code_of
from gelu_cli.numbers import FORMATS
from tests.truth.mpmath import FORMS, M, ratio

STRICT = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion"]
FLOAT32 = FORMATS["float32"]
POLYNOMIAL = {
    "A": "3",
    "c1": "0.3989383512",
    "c3": "-0.06646870751",
    "c5": "0.009938328774",
    "c7": "-0.001161210602",
}


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

    @property
    def bound(self):
        """The bound in ULP."""
        exponent = (FLOAT32.precision - FLOAT32.emin) * np.log(2) + 4  # beyond, x·e^w is 0
        return self.roundings * exponent + self.others


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
    """Compile all programs in C, by a compiler that minds everything."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler, cc")
    folder, files = tmp_path_factory.mktemp("code"), []
    for name, case in CASES.items():
        text = code_of(typed_form(label(name, case.settings)), "c")
        files.append(folder / f"{name}.c")
        files[-1].write_text(text.replace("void gelu(", f"void of_{name}("))
    flags = ["-O2", *STRICT, "-Werror", "-shared", "-fPIC"]
    subprocess.run(["cc", *flags, "-o", folder / "libcode.so", *files, "-lm"], check=True)
    return ctypes.CDLL(str(folder / "libcode.so"))


@pytest.fixture
def programs(library):
    """Return a function that yields a program in both languages, as functions of arrays."""

    def in_c(name, x):
        y = np.empty_like(x)
        pointers = (ctypes.c_void_p(each.ctypes.data) for each in (x, y))
        library[f"of_{name}"](*pointers, ctypes.c_size_t(len(x)))
        return y

    def load(name):
        module = {}
        exec(code_of(typed_form(label(name, CASES[name].settings)), "python"), module)
        yield "python", module["gelu"]
        yield "c", lambda x: in_c(name, x)

    return load


@pytest.mark.parametrize("name", CASES)
def test_results_are_those_of_the_form(programs, name):
    """Evenly spread bit patterns, against numpy in float64; a few, against mpmath."""
    case = CASES[name]
    x = np.arange(0, (1 << 32) - 1, (1 << 32) // 20_011, np.uint32).view(np.float32)
    x = x[np.isfinite(x) & (np.abs(x) <= case.end)]
    few = np.array([*np.linspace(-8, 8, 41), 1e-30, -3 / 1.702, -2.5017437], np.float32)
    with np.errstate(all="ignore"):
        wide = x.astype(np.float64)
        want = np.where(wide == 0, wide, wide * case.gate(np.clip(wide, -1e30, 1e30)))
    with M.workdps(30):
        exact = [float(FORMS[name](ratio(float(each)), **case.settings)) for each in few]
    x, want = np.concatenate([x, few]), np.concatenate([want, exact])
    size = np.maximum(np.frexp(want)[1] - 1, FLOAT32.emin)
    for language, function in programs(name):
        off = np.abs(function(x).astype(np.float64) - want) * 2.0 ** (23 - size)
        assert np.nanmax(off) <= case.bound, (language, x[np.nanargmax(off)])


@pytest.mark.parametrize("name", ["hard", "igelu"])
def test_nothing_cancels_beside_the_left_kink(programs, name):
    kink = np.float32({"hard": -3 / 1.702, "igelu": -1.769 * 2**0.5}[name])
    x = kink + np.arange(1, 60, dtype=np.float32) * np.spacing(-kink)
    with M.workdps(30):
        want = np.array([float(FORMS[name](ratio(float(each)))) for each in x])
    for language, function in programs(name):
        off = np.abs(function(x) - want) / np.spacing(np.abs(want).astype(np.float32))
        assert np.max(off) <= CASES[name].bound, language


def test_zeros_infinities_nan_and_what_overflows_inside(programs):
    large = FLOAT32.largest
    x = [0.0, -0.0, large, -large, large / 1000, -large / 1000, np.inf, -np.inf, np.nan]
    want = np.array([0.0, 0.0, large, 0.0, large / 1000, 0.0, np.inf, 0.0, np.nan], np.float32)
    for name in CASES:
        for language, function in programs(name):
            with np.errstate(all="raise"):
                got = function(np.array(x, np.float32))
            assert (got.dtype, got.shape) == (want.dtype, want.shape)
            assert np.array_equal(got, want, equal_nan=True), (name, language, got)


def test_constants_read_back_as_the_nearest_numbers():
    for language in LANGUAGES:
        text = code_of(typed_form(label("polynomial", POLYNOMIAL)), language)
        found = dict(re.findall(r"\b(\w+) = ([-\d.e]+)f?\b", text))
        for name, value in POLYNOMIAL.items():
            number = np.float32(found[name])
            off = abs(Fraction(float(number)) - Fraction(value))
            assert off <= Fraction(float(np.spacing(np.abs(number)))) / 2, (language, name)


def test_the_edge_of_a_polynomial_is_rounded_to_the_inner_side():
    for end in ("2.9999999", "3.0000001", "2.77502"):
        text = code_of(typed_form(f"polynomial:A={end}"), "python")
        found = np.float32(re.search(r"A = (\S+)", text)[1])
        beyond = Fraction(float(np.nextafter(found, np.float32(4))))
        assert Fraction(float(found)) <= Fraction(end) < beyond


def test_a_quintic_argument_that_turns_back_is_written():
    """Fits on a range have d < 0: far out the gate turns, and ∞ does not become NaN."""
    family = family_of(typed_form("tanh:c=0.0475"), ["d"], low=-4, high=4)
    module = {}
    exec(code_of(family.member(["-0.0003"]), "python"), module)
    x = np.linspace(-6, 6, 41)
    want = x * expit(2 * SCALE * (x + 0.0475 * x**3 - 0.0003 * x**5))
    assert module["gelu"](x) == pytest.approx(want, rel=3e-6)
    assert module["gelu"](np.array([np.inf, -np.inf])).tolist() == [0, -np.inf]


def test_a_note_and_how_to_measure_are_at_the_top():
    note = "least maximum error on the axis: 0.0203" + " and so on" * 20
    for language in LANGUAGES:
        text = code_of(typed_form("sigmoid"), language, note)
        top = text.partition("import" if language == "python" else "#include")[0]
        assert all(len(line) <= 100 for line in top.splitlines())
        assert "GELU as x*sigma(beta*x), in float32." in top
        assert "least maximum error on the axis: 0.0203 and" in top
        assert "--dtype float32 --form sigmoid\n" in top


REFUSED = {
    ("elu", "c"): "there is no code of 'elu'; take one of sigmoid",
    ("hard", "rust"): "unknown language 'rust'",
    ("tanh:a=1e60", "c"): "a constant, about 1e+60, is beyond float32",
    ("tanh:c=1e-60", "c"): "a constant, about 1e-60, is beyond float32",
}


def test_what_has_no_code_is_refused():
    for (form, language), message in REFUSED.items():
        with pytest.raises(UsageError) as refusal:
            code_of(typed_form(form), language)
        assert str(refusal.value).startswith(message)
