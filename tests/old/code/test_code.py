"""Programs of forms: they are compiled, run, and judged against the form itself."""

import ctypes
import re
from collections.abc import Sequence
from fractions import Fraction
from math import inf, log, nan
from typing import NamedTuple

import ml_dtypes
import numpy as np
import pytest

from gelu_cli.errors import UsageError
from gelu_cli.old.arithmetic.formats import FLOAT64, FORMATS
from gelu_cli.old.code import COMPUTED_IN, LANGUAGES, code_of
from gelu_cli.old.code.families import FAMILIES
from gelu_cli.old.formulas import Form, all_forms, find_form
from gelu_cli.old.guests.c_functions import SymbolImplementation
from gelu_cli.old.guests.calling import Calling
from gelu_cli.old.guests.python_functions import implementation_of
from gelu_cli.old.sweeping.implementations import Kernel
from gelu_cli.old.sweeping.inputs import Inputs
from gelu_cli.old.sweeping.sweep import Sweep
from gelu_cli.old.sweeping.truth import Question
from gelu_cli.old.values.evaluate_arrays import evaluate_array
from tests.old.every import every
from tests.old.processes import compile_c

FLOAT32 = FORMATS["float32"]
STRICT = ["-std=c11", "-pedantic", "-Wall", "-Wextra", "-Wconversion", "-Wdouble-promotion"]


def with_settings(name, **settings):
    settings = {name: Fraction(value) for name, value in settings.items()}
    return find_form(name).with_settings(f"{name}:…", settings)


POLYNOMIAL = {
    "A": "3", "c1": "0.3989383512", "c3": "-0.06646870751", "c5": "0.009938328774",
    "c7": "-0.001161210602", "c9": "1.049019822e-4", "c11": "-6.925923839e-6",
    "c13": "2.924021994e-7", "c15": "-5.785760528e-9",
}  # fmt: skip


class Case(NamedTuple):
    """A program, and what bounds its error."""

    form: Form
    factored: bool = False
    roundings: int = 0
    """Of the exponent w, constants included: e^w is off by up to |w|·2^−p for each."""
    others: float = 8
    """What else there is, in ULP."""
    end: float = inf
    """It is judged from −end to end."""
    formats: Sequence[str] = tuple(COMPUTED_IN)

    def bound(self, dtype):
        """Return the bound in ULP: in the format computed in, with ½ for the last rounding."""
        computed_in = FORMATS[COMPUTED_IN[dtype.name]]
        largest_exponent = (dtype.precision - dtype.emin) * log(2) + 4  # then x·e^w is 0
        ulp = self.roundings * largest_exponent + self.others
        if computed_in is dtype:
            return ulp
        return 0.5 + ulp * 2.0 ** (dtype.precision - computed_in.precision)


BFLOAT16S = {"a": 0.796875, "b": 0.03564453125}
OF_BFLOAT16S = with_settings("tanh", a="0.796875", c=Fraction(0.03564453125) / Fraction(0.796875))
QUINTIC = with_settings("tanh", c="0.0475", d="-0.0003")
"""Its u turns at 10."""
CASES = {
    "sigmoid": Case(find_form("sigmoid"), roundings=2),
    "tanh": Case(find_form("tanh"), roundings=7),
    "tanh_bfloat16": Case(OF_BFLOAT16S, factored=True, roundings=4, formats=("bfloat16",)),
    "tanh_quintic": Case(QUINTIC, roundings=10, end=6, formats=("float64", "float32")),
    "hard": Case(find_form("hard")),
    "igelu": Case(find_form("igelu")),
    # Its coefficients add up to 1, and with all signs alike to 4.5.
    "erf_as": Case(find_form("erf_as"), roundings=1, others=25, end=30),
    # 2^−24 of ½ are 2^−24/G of the gate G, which is 0.00134 at −3.
    "polynomial": Case(with_settings("polynomial", **POLYNOMIAL), others=4 / 0.00134),
}
PROGRAMS = [(name, dtype) for name, case in CASES.items() for dtype in case.formats]
CONVERSIONS = [("hard", "float16"), ("hard", "bfloat16")]
NARROWED = """
void narrowed_{0}(const float *x, uint16_t *y, size_t n)
{{
    for (size_t i = 0; i < n; i++)
        y[i] = to_{0}(x[i]);
}}
"""
SAMPLES = 200
"""So many float32s; of the formats of 16 bits every number."""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """Return a library of all programs in C, by one call of the compiler that minds everything."""
    folder = tmp_path_factory.mktemp("code")
    files = []
    for name, dtype in PROGRAMS:
        text = code_of(CASES[name].form, "c", FORMATS[dtype], factored=CASES[name].factored)
        files.append(folder / f"{name}_{dtype}.c")
        narrowed = NARROWED.format(dtype) if (name, dtype) in CONVERSIONS else ""
        files[-1].write_text(text.replace("void gelu(", f"void {name}_{dtype}(") + narrowed)
    flags = ["-O2", *STRICT, "-Werror", "-shared", "-fPIC"]
    return compile_c(folder / "libcode.so", *files, flags=flags)


def python_function(name, dtype):
    case, namespace = CASES[name], {}
    exec(code_of(case.form, "python", dtype, factored=case.factored), namespace)
    return namespace["gelu"]


@pytest.fixture
def programs(library):
    """Return what loads a program in both languages."""

    def load(name, dtype):
        calling = Calling(dtype, dtype)
        return {
            "c": SymbolImplementation("c", f"{library}:{name}_{dtype.name}", calling),
            "python": implementation_of("python", python_function(name, dtype), calling),
        }

    return load


@every(("name", "dtype"), [(name, dtype) for name, dtype in PROGRAMS if dtype != "float64"])
def test_a_sweep_finds_a_program_as_good_as_its_format(programs, name, dtype):
    dtype, case = FORMATS[dtype], CASES[name]
    question = Question(case.form, "value", dtype)
    inputs = Inputs(-case.end, case.end, dtype.width == 16, SAMPLES)
    kernels = [Kernel(program, question) for program in programs(name, dtype).values()]
    with Sweep(kernels, inputs, keep=1) as running:
        verdicts = running.verdicts()
    for verdict in verdicts:
        assert verdict.max_ulp <= case.bound(dtype), verdict.name
        found = verdict.total
        assert (found.wrong_nan, found.wrong_inf, found.wrong_sign) == (0, 0, 0), verdict.name


@pytest.fixture
def errors(programs):
    """Return what yields, for each language, errors in ULP and the right results."""

    def of(name, x, number_format):
        (want,) = evaluate_array(CASES[name].form, ["value"], x.astype(np.float64), number_format)
        ulp = np.spacing(np.abs(want).astype(x.dtype))
        for language, program in programs(name, number_format).items():
            with program as function:
                yield language, np.abs(function(x) - want) / ulp, want

    return of


@every("name", [name for name, dtype in PROGRAMS if dtype == "float64"])
def test_results_in_float64_are_those_of_the_form(errors, name):
    """A sweep in float64 takes longer."""
    end = min(CASES[name].end, 40.0)
    x = np.concatenate([np.linspace(-end, end, 61), [1e-300, -1e-300]])
    for language, found, _ in errors(name, x, FLOAT64):
        assert np.max(found) <= CASES[name].bound(FLOAT64) + 0.5, language


@every("name", ["sigmoid", "tanh", "erf_as"])
def test_the_left_tail_ends_with_the_least_numbers(errors, name):
    x = np.linspace(-64, -10, 4000, dtype=np.float32)
    for language, found, want in errors(name, x, FLOAT32):
        # The bound is in ULP of numbers that are not subnormal, which have all their bits. The
        # last factor and the right result are each rounded to a subnormal number, once more.
        bound = CASES[name].bound(FLOAT32) * np.abs(want) / 2.0**-126 + 1
        subnormal = (want > -(2.0**-126)) & (want < 0)
        assert np.count_nonzero(subnormal) > 20
        assert np.all(found[subnormal] <= bound[subnormal]), language


@every("name", ["hard", "igelu"])
def test_nothing_cancels_next_to_the_left_kink(errors, name):
    kink = np.float32(-(abs(float(CASES[name].form.kinks[0].square)) ** 0.5))
    x = kink + np.arange(-3, 60, dtype=np.float32) * np.spacing(-kink)
    for language, found, _ in errors(name, x, FLOAT32):
        assert np.max(found) <= CASES[name].bound(FLOAT32), language


@every("dtype", ["float16", "bfloat16"])
def test_floats_are_rounded_to_nearest_ties_to_even(library, dtype):
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.float16
    every = np.arange(1 << 16, dtype=np.uint16).view(kind).astype(np.float32)
    finite = np.unique(every[np.isfinite(every)])
    ties = (finite[1:].astype(np.float64) + finite[:-1]) / 2  # float32s
    largest = FORMATS[dtype].largest
    beyond = np.array([largest * (1 + 2.0**-9), largest * (1 + 2.0**-13), 3e38, np.inf], np.float32)
    x = np.concatenate([finite, ties.astype(np.float32), beyond, -beyond])
    x = np.concatenate([x, np.nextafter(x, np.float32(0)), np.nextafter(x, np.float32(np.inf))])
    function = ctypes.CDLL(library)[f"narrowed_{dtype}"]
    patterns = np.array([*x.view(np.uint32), 0x7F800001, 0xFFFFFFFF], np.uint32)
    got = np.empty(len(patterns), np.uint16)
    pointers = [ctypes.c_void_p(each.ctypes.data) for each in (patterns, got)]
    function(*pointers, ctypes.c_size_t(len(got)))
    with np.errstate(over="ignore"):
        want = x.astype(kind).view(np.uint16)
    assert np.array_equal(got[:-2], want)
    assert np.all(np.isnan(got[-2:].view(kind).astype(np.float32)))


@every(("name", "dtype"), PROGRAMS)
def test_zeros_infinities_nan_and_what_overflows_inside(programs, name, dtype):
    dtype = FORMATS[dtype]
    x = np.array(extremes(dtype))
    x = x.astype(np.float64 if dtype.width == 64 else np.float32)
    question = Question(CASES[name].form, "value", dtype)
    want = np.array([*map(question.want, x[:-1].tolist()), nan])
    for language, program in programs(name, dtype).items():
        with program as function:
            got = function(x)
        assert np.array_equal(got, want, equal_nan=True), language
        assert np.array_equal(np.signbit(got[:-1]), np.signbit(want[:-1])), language


@every(("name", "dtype"), PROGRAMS)
def test_numpy_finds_nothing_to_warn_of(name, dtype):
    kind = ml_dtypes.bfloat16 if dtype == "bfloat16" else np.dtype(dtype).type
    x = np.array(extremes(FORMATS[dtype])).astype(kind)
    with np.errstate(all="raise"):
        y = python_function(name, FORMATS[dtype])(x)
    assert (y.dtype, y.shape) == (x.dtype, x.shape)


def extremes(dtype):
    """Return zeros, large numbers, infinities and NaN."""
    numbers = [0.0, dtype.from_float(1e-3 * dtype.largest), dtype.largest, inf]
    return [*numbers, *(-number for number in numbers), nan]


def test_constants_of_a_narrow_format_are_written_in_full():
    case = CASES["tanh_bfloat16"]
    for language in LANGUAGES:
        text = code_of(case.form, language, FORMATS["bfloat16"], factored=True)
        for name, value in BFLOAT16S.items():
            assert re.search(rf"\b{name} = {value!r}(f;)?(\s|$)", text)


@every("dtype", ["float64", "float32"])
def test_constants_read_back_as_the_nearest_numbers(dtype):
    form = CASES["polynomial"].form
    kind = np.dtype(dtype).type
    for language in LANGUAGES:
        text = code_of(form, language, FORMATS[dtype])
        found = dict(re.findall(r"\b(\w+) = ([-\d.e]+)f?\b", text))
        for name, value in form.settings.items():
            assert Fraction(float(kind(found[name]))) == FORMATS[dtype].exactly(value), name


def test_a_constant_is_said_to_be_what_it_is_by_default_alone():
    for form, said in ((find_form("tanh"), True), (with_settings("tanh", a="0.8"), False)):
        assert ("sqrt(2/pi)" in code_of(form, "c", FORMATS["float32"])) == said


@every("end", ["2.9999999", "3.0000001", "2.77502"])
def test_the_end_of_a_polynomial_is_rounded_to_the_inner_side(end):
    text = code_of(with_settings("polynomial", A=end), "python", FORMATS["float32"])
    found = np.float32(re.search(r"A = (\S+)", text)[1])
    inner, outer = (Fraction(float(each)) for each in (found, np.nextafter(found, np.float32(4))))
    assert inner <= Fraction(end) < outer


@every("dtype", ["float64", "float32"])
def test_the_end_of_a_ramp_has_twice_the_digits(dtype):
    text = code_of(find_form("hard"), "python", FORMATS[dtype])
    parts = dict(re.findall(r"\b(k|k_rest) = (\S+)", text))
    k, rest = (Fraction(float(np.dtype(dtype).type(part))) for part in parts.values())
    assert abs(k + rest - 3 / Fraction("1.702")) < Fraction(1, 2 ** (2 * FORMATS[dtype].precision))


@every("language", LANGUAGES)
def test_a_note_is_at_the_top(language):
    note = "least maximum error on the line: 0.0203" + " and so on" * 20 + "\nof the value"
    text = code_of(find_form("sigmoid"), language, FORMATS["float16"], note=note)
    top = text.partition("import" if language == "python" else "#include")[0]
    assert all(len(line) <= 100 for line in top.splitlines())
    assert "least maximum error on the line: 0.0203 and" in top
    assert re.search(r"(?m)^( \* )?of the value$", top)
    assert "--dtype float16 --form sigmoid\n" in top


def test_forms_with_parameters_have_a_program_or_are_no_approximations_of_gelu():
    with_parameters = {name for name, form in all_forms().items() if form.parameters}
    assert with_parameters - set(FAMILIES) == {"elu", "noisy_relu"}


LARGE, SMALL = with_settings("tanh", a="1e60"), with_settings("tanh", c="1e-60")


@every(
    ("form", "language", "dtype", "factored", "message"),
    [
        (find_form("elu"), "c", "float32", False, "there is no code of 'elu'; take one of sigmoid"),
        (find_form("hard"), "c", "float32", True, "there is no code of 'hard'; take one of tanh$"),
        (find_form("hard"), "rust", "float32", False, "unknown language 'rust'"),
        (find_form("hard"), "c", "float8_e5m2", False, "there is no code in float8_e5m2; take one"),
        (LARGE, "c", "float16", False, r"a constant, about 1e\+60, is beyond float32"),
        (SMALL, "c", "float32", False, "a constant, about 1e-60, is beyond float32"),
    ],
)
def test_what_has_no_code_is_refused(form, language, dtype, factored, message):
    with pytest.raises(UsageError, match=message):
        code_of(form, language, FORMATS[dtype], factored=factored)
