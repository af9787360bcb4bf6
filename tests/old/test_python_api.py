"""The front door: `gelu` and `gelu_gradient` on numbers and arrays of any kind."""

import math
import pickle
import shutil
import subprocess
from dataclasses import fields
from decimal import Decimal
from fractions import Fraction
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import gelu_cli
from gelu_cli import gelu, gelu_gradient
from tests.truth.mpmath import M, identical, nearest, truth

DTYPES = ["float64", "float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
every_dtype = pytest.mark.parametrize("dtype", DTYPES)
X = [-3.0, -0.75, -0.0, 0.0, 0.5, 1.0, 4.5]


def rounded(x, quantity="value", dtype="float64", form="exact"):
    return nearest(truth(form, quantity, x), dtype) if x else 0.5 if quantity != "value" else x


@given(st.floats(-45, 20).filter(lambda x: abs(x) > 1e-80))
@settings(max_examples=25)
def test_a_number_gives_a_float_correctly_rounded(x):
    assert type(gelu(x)) is float
    assert identical(gelu(x), rounded(x))
    assert identical(gelu_gradient(x), rounded(x, "gradient"))


@every_dtype
@pytest.mark.parametrize(("f", "quantity"), [(gelu, "value"), (gelu_gradient, "gradient")])
def test_an_array_keeps_its_dtype_and_is_rounded_in_it(dtype, f, quantity):
    got = f(np.array(X).astype(dtype))
    assert got.dtype == np.dtype(dtype)
    assert list(map(repr, got.astype(float))) == [
        repr(np.float64(rounded(x, quantity, dtype))) for x in X
    ]


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (1,), (7,), (2, 3, 4)])
@every_dtype
def test_the_shape_stays(shape, dtype):
    x = np.linspace(-2, 2, math.prod(shape)).reshape(shape).astype(dtype)
    got = gelu(x)
    assert (got.shape, got.dtype) == (shape, x.dtype)


def test_any_memory_layout_will_do_and_the_argument_is_left_alone():
    x = np.linspace(-4, 4, 24).reshape(4, 6)
    want = gelu(x)
    x.flags.writeable = False
    for view, same in (
        (x.T, want.T), (x[::-1, ::2], want[::-1, ::2]), (np.asfortranarray(x), want),
        (np.broadcast_to(x[0], (3, 6)), np.broadcast_to(want[0], (3, 6))),
        (x.astype(">f8"), want),
    ):  # fmt: skip
        np.testing.assert_array_equal(gelu(view), same)
    assert gelu(x.astype(">f4")).dtype == ">f4"
    assert gelu(x).flags.writeable
    np.testing.assert_array_equal(x, np.linspace(-4, 4, 24).reshape(4, 6))
    assert not np.shares_memory(gelu(x, "relu"), x)


NO_FLOATS = [
    3,
    True,
    np.int8(3),
    np.bool_(True),
    [0.5, 1.0],
    (0.5, 1.0),
    [[0.5], [1.0]],
    [1, 2],
    [],
]
NO_FLOATS += [np.array([0, 1, 5], dtype) for dtype in ("int8", "uint8", "int32", "uint64", "bool")]


@pytest.mark.parametrize("x", NO_FLOATS, ids=repr)
def test_integers_and_lists_are_taken_as_float64(x):
    got = gelu(x)
    assert isinstance(got, float) if np.ndim(x) == 0 else got.dtype == np.float64
    assert np.shape(got) == np.shape(x)
    assert np.ravel(got).tolist() == [rounded(float(v)) for v in np.ravel(x)]


@every_dtype
def test_infinities_nan_and_minus_zero(dtype):
    got = gelu(np.array([-0.0, math.nan, -30.0, 0.0]).astype(dtype)).astype(float)
    assert list(map(str, got[[0, 1, 3]])) == ["-0.0", "nan", "0.0"]
    assert np.signbit(got[2])
    assert (gelu(math.inf), gelu_gradient(math.inf)) == (math.inf, 1)
    assert identical(gelu(-math.inf), -0.0)
    assert identical(gelu_gradient(-math.inf), -0.0)


SIGNALLING = {"float64": 0x7FF0000000000001, "float32": 0x7F800001, "float16": 0x7C01,
              "bfloat16": 0x7F81, "float8_e4m3fn": 0x7F, "float8_e5m2": 0x7D}  # fmt: skip
"""A signalling NaN of each format; that of e4m3 is its only NaN."""


@every_dtype
def test_signalling_nans_and_negative_ones_give_nan_in_silence(dtype):
    width = np.dtype(dtype).itemsize
    patterns = np.array([SIGNALLING[dtype], SIGNALLING[dtype] | 1 << 8 * width - 1], f"u{width}")
    assert np.isnan(gelu(patterns.view(dtype)).astype(float)).all()


@pytest.mark.parametrize(
    ("word", "form"),
    [("none", "exact"), ("tanh", "tanh"), ("gelu_new", "tanh"), ("quick_gelu", "sigmoid"),
     ("relu", "relu"), ("swish", "silu")],
)  # fmt: skip
def test_approximate_takes_the_names_of_the_frameworks(word, form):
    for x in (-1.25, 0.3):
        assert gelu(x, approximate=word) == rounded(x, form=form)
        assert gelu_gradient(x, word) == rounded(x, "gradient", form=form)


def test_at_the_kink_of_relu_the_gradient_is_that_of_the_frameworks():
    assert gelu_gradient([-0.0, 0.0, 1.0], "relu").tolist() == [0, 0, 1]


@pytest.mark.parametrize(
    "x",
    [None, "1.0", ["a"], 1j, [1j], Fraction(1, 3), Decimal(1), object(), np.longdouble(1),
     np.array("2020", "M8[D]"), np.array([None])],
)  # fmt: skip
def test_what_is_no_real_number_is_a_type_error_that_says_what_is_taken(x):
    with pytest.raises(TypeError, match="gelu takes float64, float32, float16, bfloat16"):
        gelu(x)


def test_an_unknown_form_is_a_value_error():
    with pytest.raises(ValueError, match="unknown form 'tahn'; did you mean 'tanh'"):
        gelu(1.0, approximate="tahn")


def test_the_package_offers_what_it_lists_and_nothing_else():
    assert all(hasattr(gelu_cli, name) for name in gelu_cli.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'glue'"):
        _ = gelu_cli.glue


# What the commands answer


def test_averages_of_errors_are_for_inputs_of_any_mean():
    got = gelu_cli.error("relu", mean=1, sigma=2).mean_abs_error
    with M.workdps(30):
        want = M.quad(lambda x: abs(x) * M.ncdf(-abs(x)) * M.npdf(x, 1, 2), [-20, -5, 0, 5, 20])
    assert got == float(want)


def figures(error):
    return [getattr(error, field.name) for field in fields(error)][3:9]


def test_the_error_of_a_form_is_a_record_of_six_numbers_and_a_fact():
    got = gelu_cli.error("tanh")
    assert f"{got.max_abs_error:.7e} {got.max_abs_error_x:.5f}" == "4.7323552e-04 2.69894"
    assert all(isinstance(y, float) for y in figures(got))
    assert got.max_rel_error_is_bounded
    near = gelu_cli.error("tanh", low=2, high=3)
    more = gelu_cli.error("gelu_new", "none", low=2, high=3, digits=20)
    assert near.max_abs_error == got.max_abs_error
    assert [float(y) for y in figures(more)] == figures(near)
    assert all(isinstance(y, Decimal) for y in figures(more))
    whole = gelu_cli.error("tanh", low=-math.inf, high=-4)
    assert (whole.max_rel_error, whole.max_rel_error_x) == (1, -math.inf)
    narrow = gelu_cli.error("noisy_relu", "relu", quantity="gradient", sigma=2, low=-1, high=1)
    assert narrow.max_abs_error == 0.5


def test_landmarks_are_records():
    minimum, left, right = gelu_cli.locate()
    assert (minimum.point, minimum.x) == ("minimum", -0.7517915246935645)
    assert (left.x, right.x) == (-math.sqrt(2), math.sqrt(2))
    assert list(gelu_cli.locate("relu")) == []
    assert gelu_cli.locate(digits=40)[2].x == Decimal("1.414213562373095048801688724209698078570")


def test_the_change_of_a_block_is_a_record():
    change = gelu_cli.block("elu", "relu", digits=9)
    # √(2·(e²Φ(−2) − 2·e^½Φ(−1) + ½))
    assert change.relative_rms == Decimal("0.538415114")
    assert gelu_cli.block("relu", "relu", mean=1).db == -math.inf


def test_moments_are_a_record():
    assert gelu_cli.variance("relu", mean=0, sigma=2.0).second_moment == 2
    assert gelu_cli.variance().gradient_second_moment == 0.4558508656492871
    assert gelu_cli.variance(digits=3).gradient_mean == Decimal("0.5")


def test_best_constants_are_a_record():
    best = gelu_cli.fit("tanh", ["a", "c"], low=-4, high=4)
    assert list(best.parameters) == ["a", "c"]
    assert 0.99 * best.error < best.lower_bound <= best.error
    assert [type(point.x) for point in best.points] == [float] * 3
    assert best.form.label == "tanh:" + ":".join(f"{k}={v}" for k, v in best.parameters.items())
    fixed = gelu_cli.fit("tanh", fixed={"a": "4/5"}, digits=20)
    assert (list(fixed.parameters), type(fixed.error)) == (["c"], Decimal)


def test_a_form_is_a_word_with_parameters_a_form_or_what_a_fit_returns():
    best = gelu_cli.fit("tanh", quantity="gate")
    by_word = gelu_cli.error(f"tanh:c={best.parameters['c']}")
    assert gelu_cli.error(best.form) == gelu_cli.error(best) == by_word != gelu_cli.error("tanh")
    assert gelu(1.0, best) == gelu(1.0, best.form.label) != gelu(1.0, "tanh")
    with pytest.raises(ValueError, match="unknown parameter 'e' of 'tanh'"):
        gelu_cli.locate("tanh:e=2")


def test_points_count_as_typed_where_digits_are_asked_for():
    third = gelu_cli.table(["1/3"], quantities=["value"], digits=30)["exact"]
    with M.workdps(40):
        assert third == [Decimal(M.nstr(M.mpf(1) / 3 * M.ncdf(M.mpf(1) / 3), 30))]
    assert gelu_cli.table(["1/3"])["exact"] == [gelu(1 / 3)]
    assert gelu_cli.table([-0.0])["exact"] == [0.0]
    assert math.copysign(1, gelu_cli.table([-0.0])["exact"][0]) == -1
    half = gelu_cli.table([0.1], "relu", dtype=np.float16)
    assert half[0] == {"x": 0.0999755859375, "relu": 0.0999755859375, "relu_gradient": 1.0}


@pytest.mark.parametrize("make", [
    lambda: gelu_cli.error("tanh"), gelu_cli.locate, gelu_cli.variance,
    lambda: gelu_cli.fit("sigmoid", quantity="gate"), lambda: gelu_cli.block("tanh"),
    lambda: gelu_cli.table([1.0]),
])  # fmt: skip
def test_an_answer_has_the_tables_of_its_command(make, tmp_path):
    answer = make()
    assert "\n" not in repr(answer)
    rows = answer.rows()
    assert rows
    assert len(str(answer).splitlines()) > 3
    assert answer._repr_html_().count("<tr>") == len(rows) + 1
    again = pickle.loads(pickle.dumps(answer))
    assert again.rows() == rows
    answer.save(tmp_path / "answer.csv")
    assert (tmp_path / "answer.csv").read_text().splitlines()[0] == ",".join(rows[0])
    with pytest.raises(ValueError, match=r"names no format; end it with .*csv"):
        answer.save(tmp_path / "answer.doc")
    with pytest.raises(ValueError, match="unknown view"):
        answer.rows("none")


ERROR, BEST, MOMENTS, BLOCK = gelu_cli.error, gelu_cli.fit, gelu_cli.variance, gelu_cli.block


@pytest.mark.parametrize(
    ("ask", "words", "message"),
    [
        (ERROR, {"target": "tanh"}, "0 by definition"),
        (ERROR, {"low": 1, "high": 1}, "empty"),
        (ERROR, {"low": math.nan}, "nan|empty"),
        (ERROR, {"sigma": 0}, "sigma must be positive"),
        (ERROR, {"sigma": math.nan}, "sigma must be positive"),
        (ERROR, {"quantity": "gait"}, "unknown quantity"),
        (BEST, {"quantity": "gradeint"}, "did you mean 'gradient'"),
        (BEST, {"criterion": "max"}, "unknown criterion 'max'"),
        (BEST, {"fixed": {"c": "x"}}, "'x' is not a number"),
        (BEST, {"fixed": {"c": "pi/2"}}, "c must be a decimal number"),
        (BEST, {"fixed": {"c": math.inf}}, "c must be a decimal"),
        (BEST, {"fixed": {"e": 1}}, "unknown parameter 'e'"),
        (BEST, {"mean": math.inf}, "mean"),
        (BEST, {"sigma": -1}, "sigma must be positive"),
        (BEST, {"low": math.nan}, "nan|empty"),
        (MOMENTS, {"sigma": -1}, "sigma must be positive"),
        (MOMENTS, {"sigma": math.inf}, "sigma must be positive"),
        (MOMENTS, {"mean": math.nan}, "mean|NaN|nan"),
        (MOMENTS, {"mean": math.inf}, "mean"),
        (BLOCK, {"sigma": 0}, "sigma must be positive"),
        (BLOCK, {"form": "tahn"}, "tahn"),
        (gelu_cli.locate, {"form": "tahn"}, "did you mean 'tanh'"),
    ],
)
def test_what_cannot_be_meant_is_a_value_error(ask, words, message):
    with pytest.raises(ValueError, match=message):
        ask(**{"form": "tanh"} | words)


NAMES = [3, 2.5, b"tanh", ["tanh"], {}, object(), np.float32(1), np.ones(2)]
NUMBERS = [None, "1", b"1", [1.0], {}, 1j, True, object(), np.ones(2), np.ones(())]
BEYOND = [Decimal("sNaN"), Decimal("NaN"), math.nan, 10**400, Decimal("1e999")]
OF_NUMBERS = ["mean", "sigma", "low", "high", "upstream"]
ARGUMENTS = {
    partial(gelu, 1.0): ["approximate"],
    partial(gelu_gradient, 1.0): ["approximate"],
    partial(ERROR, form="tanh"): ["form", "target", "quantity", *OF_NUMBERS[:4]],
    partial(BEST, form="tanh"): ["form", "target", "quantity", "criterion", *OF_NUMBERS[:4]],
    partial(BLOCK, form="tanh"): ["form", "target", "mean", "sigma"],
    gelu_cli.locate: ["form"],
    MOMENTS: ["form", "mean", "sigma"],
    partial(gelu_cli.sweep, gelu): [
        "dtype", "result", "form", "quantity", "backend", "backward", "device",
        "upstream", "low", "high",
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    ("function", "argument"),
    [(function, name) for function, names in ARGUMENTS.items() for name in names],
)
def test_what_is_of_the_wrong_kind_is_refused_by_its_argument(function, argument):
    number = argument in OF_NUMBERS
    for wrong in NUMBERS if number else NAMES:
        if argument == "upstream" and isinstance(wrong, list):  # there may be several
            continue
        with pytest.raises(
            TypeError, match=f"^{argument} must be a {'number' if number else 'name'}"
        ):
            function(**{argument: wrong})
    for beyond in BEYOND if number else []:
        with pytest.raises(ValueError, match=f"^{argument} |^the range|^low must"):
            function(**{argument: beyond})
    if argument in {"form", "target"}:
        with pytest.raises(TypeError, match=f"^{argument} must be a name, not None$"):
            function(**{argument: None})


def test_numbers_of_every_kind_are_taken_as_they_are():
    half = gelu_cli.variance(sigma=0.5)
    for number in (Fraction(1, 2), Decimal("0.5"), np.float32(0.5), np.float64(0.5)):
        assert gelu_cli.variance(sigma=number) == half
    assert gelu_cli.variance(sigma=np.int64(2)) == gelu_cli.variance(sigma=2)
    ends = [np.int64(-2), Decimal(2)]
    few = [gelu_cli.sweep(gelu, dtype="float8_e5m2", low=low, high=2) for low in (ends[0], -2.0)]
    assert few[0].total.inputs == few[1].total.inputs
    assert gelu_cli.error("relu", "hard", low=ends[0], high=ends[1]) == (
        gelu_cli.error("relu", "hard", low=-2, high=2)
    )
    assert gelu_cli.fit("tanh", fixed={"a": np.float32(0.75)}, digits=np.int64(9)) == (
        gelu_cli.fit("tanh", fixed={"a": "0.75"}, digits=9)
    )


@pytest.mark.parametrize(
    ("ask", "arguments", "message"),
    [
        (BEST, ("tanh", None), "free must be a list of names, not None"),
        (BEST, ("tanh", ["c", 3]), r"free\[1\] must be a name, not 3"),
        (partial(BEST, fixed=[1]), ("tanh",), r"fixed must be a mapping .* \[1\]"),
        (partial(BEST, fixed={"c": None}), ("tanh",), "c must be a number, not None"),
        (gelu_cli.Budget.of, (None,), "a budget must be a text in TOML, not None"),
        (gelu_cli.load_budget, (3,), "a budget must be a Budget or the name of a file, not 3"),
    ],
)
def test_what_holds_nothing_of_the_kind_is_a_type_error(ask, arguments, message):
    with pytest.raises(TypeError, match=f"^{message}$"):
        ask(*arguments)


@pytest.mark.parametrize("digits", [0, -1, 2.5, "3", True, math.nan, Decimal("sNaN"), 10**9, [1]])
def test_digits_are_a_whole_number(digits):
    for ask in (gelu_cli.locate, MOMENTS, partial(BEST, "tanh"), partial(ERROR, "tanh")):
        with pytest.raises(ValueError, match="digits must be a whole number from 1 to 10,000"):
            ask(digits=digits)


@every_dtype
def test_signalling_nans_among_results_are_nan_and_nobody_warns(dtype):
    def kernel(x):
        y = np.maximum(x, x.dtype.type(0))
        y.view(f"u{x.dtype.itemsize}")[0] = SIGNALLING[dtype]
        return y

    asked = {"dtype": dtype, "form": "relu", "low": 1, "high": 1.25}
    few = {"samples": 100} if dtype in ("float32", "float64") else {}
    verdict = gelu_cli.sweep(kernel, **asked, **few, shapes=True, criteria=True)
    assert verdict.total.counts["wrong_nan"] >= 1
    assert not verdict.within(max_ulp=1e300)


def test_an_interrupt_of_a_sweep_is_an_interrupt():
    def interrupted(x):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        gelu_cli.sweep(interrupted, dtype="float8_e5m2")


def test_gradients_are_swept_and_shown_at_pairs_with_several_upstreams():
    def step(upstream, x):
        return np.where(x > 0, upstream, 0 * upstream)

    asked = {"dtype": "float8_e5m2", "form": "relu", "backward": "own"}
    verdict = gelu_cli.sweep(step, **asked, upstream="all")
    assert (verdict.exhaustive, verdict.total.inputs, verdict.total.misrounded) == (True, 61504, 0)
    few = gelu_cli.sweep(step, **asked, upstream=[0.1, -3])
    assert few.total.inputs == 2 * 248
    assert few.notes[-1] == "upstreams are rounded to float8_e5m2: 0.09375"
    rows = gelu_cli.sweep(step, **asked, upstream="all", at=[(1, 2), (-1, "1/2")]).rows()
    assert [(row["x"], row["up"], row["got"]) for row in rows] == [(1, 2, 2), (-1, 0.5, 0)]
    for wrong, message in [
        ({"upstream": [1, 2], "at": [1]}, "at: name pairs, each x with its upstream"),
        ({"upstream": [1, 2], "glu": True}, "^upstream is for kernels of one input, of a GLU it"),
    ]:
        with pytest.raises(ValueError, match=message):
            gelu_cli.sweep(step, **asked | wrong)


@pytest.mark.parametrize(
    ("settings", "kind", "message"),
    [
        ({"dtype": "float17"}, ValueError, "did you mean 'float16'"),
        ({"dtype": np.int32}, TypeError, "dtype must be a name or a dtype, float64, .*int32"),
        ({"form": None}, TypeError, "form must be a name, not None"),
        ({"quantity": "gate"}, ValueError, "'value' or 'gradient'"),
        ({"samples": 0}, ValueError, "samples must be a whole number"),
        ({"samples": 2.5}, ValueError, "samples must be a whole number"),
        ({"dtype": "float64", "every": True}, ValueError, "2\\^64"),
        ({"backend": "keras"}, ValueError, "unknown backend"),
        ({"result": "half16"}, ValueError, "unknown dtype"),
        ({"result": 16}, TypeError, "result must be a name or a dtype"),
        ({"result": ""}, ValueError, "unknown dtype"),
        ({"low": 2, "high": 1}, ValueError, "low must not be above high"),
        ({"device": 0}, TypeError, "device must be a name, not 0"),
        ({"backend": 3}, TypeError, "backend must be a name, not 3"),
        ({"backend": ""}, ValueError, "unknown backend ''"),
        ({"quantity": ""}, ValueError, "'value' or 'gradient'"),
        ({"low": math.nan}, ValueError, "low must not be above high"),
        ({"seed": -1}, ValueError, "seed must be a whole number from 0"),
        ({"upstream": 10**400, "dtype": "float16"}, ValueError, "beyond the largest float64"),
        ({"upstream": math.nan}, ValueError, "upstream must be finite"),
        ({"upstream": "2"}, TypeError, "upstream must be a number, not '2'"),
        ({"upstream": 1e9, "dtype": "float16"}, ValueError, "beyond the largest float16"),
        ({"upstream": 2, "quantity": "value"}, ValueError, "take quantity='gradient'"),
        ({"backward": "mine"}, ValueError, "unknown backward"),
        ({"function": "k.so:f", "signature": "vector"}, ValueError, "unknown signature"),
        ({"signature": "scalar"}, ValueError, "signature is for a C function, and .* leave it out"),
        ({"function": "k.so:f", "signature": 1}, TypeError, "signature must be a name"),
        ({"function": 3}, TypeError, "function must be a function, a word .*, not 3"),
        ({"function": ["nowhere"]}, ValueError, "^function: there is no program 'nowhere'"),
        ({"function": "tanh"}, ValueError, "'tanh' is a form, not a kernel"),
        ({"function": "erff"}, ValueError, "did you mean 'erfc'"),
        ({"function": "erfc", "timeout": 3}, ValueError, "^timeout is for a Python function or"),
        (
            {"function": "erfc", "upstream": 2.0},
            ValueError,
            "^upstream is for a Python",
        ),
        ({"compute": "float32"}, ValueError, "^compute is for a routine, and"),
        ({"dtype": "float16", "samples": 3}, ValueError, "^samples: every float16 is taken"),
        ({"dtype": "float16", "seed": 3}, ValueError, "^seed: every float16 is taken"),
        ({"low": 1, "high": 1.0001, "seed": 3}, ValueError, "^seed: every float32 in .low, high"),
        ({"at": [1], "every": True}, ValueError, "^at is for single inputs"),
        ({"at": 1.0}, TypeError, "^at must be a list of numbers, not 1.0"),
        ({"timeout": 5}, ValueError, "timeout is for a function that a word names"),
    ],
)
def test_a_sweep_that_cannot_be_meant_is_an_error(settings, kind, message):
    with pytest.raises(kind, match=message):
        gelu_cli.sweep(**{"function": gelu} | settings)


@pytest.mark.parametrize("timeout", [0, -1.0, math.inf, math.nan, "5"])
def test_a_time_limit_is_some_seconds(timeout):
    with pytest.raises((ValueError, TypeError), match="timeout must be"):
        gelu_cli.sweep("math:erf", timeout=timeout)


def test_a_call_of_a_word_may_take_so_long(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("kernel.py").write_text("def hangs(x):\n    while True:\n        pass\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match=r"did not return within 0\.2 s"):
        gelu_cli.sweep("kernel.py:hangs", dtype="float16", low=1, high=2, timeout=0.2)


@pytest.mark.skipif(not shutil.which("cc"), reason="there is no C compiler (cc)")
def test_a_function_in_c_may_take_one_number(tmp_path):
    library = tmp_path / "twice.so"
    (tmp_path / "twice.c").write_text("float twice(float x) { return 2 * x; }", encoding="utf-8")
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "twice.c"], check=True)
    judged = {"dtype": "float32", "low": 1, "high": 1.0001, "form": "relu"}
    verdict = gelu_cli.sweep(f"{library}:twice", signature="scalar", **judged)
    assert verdict.total.misrounded == verdict.total.inputs > 100


def test_a_sweep_in_other_surroundings_and_by_other_checks():
    def depends(x):
        return gelu(x) if len(x) > 1 else np.maximum(x, 0)

    asked = {"dtype": "float8_e4m3fn", "low": -1, "high": 2}
    verdict = gelu_cli.sweep(depends, **asked, shapes=True, criteria=True)
    assert verdict.max_ulp <= 0.5
    assert {change.shape for change in verdict.changes.largest(None)} == {"length 1"}
    said = {(each.name, each.inputs): each for each in verdict.criteria}
    assert all(each.passes is not False for each in said.values())
    assert said["pcc_0.99", "N(0, 1)"].found == 1
    plain = gelu_cli.sweep(depends, **asked)
    assert (plain.changes, plain.criteria) == (None, ())


def test_gradients_times_one_from_above_are_swept():
    def times(upstream, x):  # rounded once: 11 bits of a float16 times 3 are 13
        return (upstream.astype(np.float64) * gelu_gradient(x.astype(np.float64))).astype(x.dtype)

    asked = {"dtype": "float16", "low": -1, "high": -0.5}
    verdict = gelu_cli.sweep(times, **asked, upstream=3.0, backward="own", backend="numpy")
    assert (verdict.question.quantity, verdict.total.misrounded) == ("gradient", 0)
    near_one = gelu_cli.sweep(gelu_gradient, **asked, upstream=1.0001)  # it is rounded to 1
    assert (near_one.question.quantity, near_one.total.misrounded) == ("gradient", 0)
    # 0.1 is no float16: a note says so, and the truth is its multiple.
    verdict = gelu_cli.sweep(times, **asked, upstream=0.1, backward="own")
    assert verdict.question.upstream == np.float16(0.1)
    assert any("rounded to float16" in note for note in verdict.notes)


def test_a_sweep_of_the_right_results_finds_nothing():
    verdict = gelu_cli.sweep(gelu, dtype="float8_e4m3fn")
    assert verdict.max_ulp <= 0.5
    assert verdict.total.misrounded == 0
    assert verdict.exhaustive
    assert gelu_cli.sweep(lambda x: x, dtype="float16", low=1, high=2).max_ulp > 100


@pytest.mark.parametrize(("dtype", "high"), [("float32", 1.0001), ("float64", 1 + 2.0**-45)])
def test_a_sweep_of_a_range_with_few_numbers_takes_them_all(dtype, high):
    few = gelu_cli.sweep(gelu, dtype=dtype, low=1, high=high)
    some = gelu_cli.sweep(gelu, dtype=dtype, low=1, high=high, samples=100)
    assert few.exhaustive
    assert not some.exhaustive
    assert 95 < some.total.inputs <= 100 < few.total.inputs < 1000
    assert few.max_ulp <= 0.5
