"""`gelu` and `gelu_gradient`: every digit is right, and containers come back as they were."""

import math
from fractions import Fraction

import ml_dtypes
import numpy as np
import pytest

from gelu_cli import gelu, gelu_gradient
from tests.truth.mpmath import identical, nearest, truth

FORMS = {"none": "exact", "tanh": "tanh", "sigmoid": "sigmoid"}
FUNCTIONS = {"value": gelu, "gradient": gelu_gradient}
POINTS = [-38.0, -5.5, -1.0, -0.001, 1e-9, 0.3, 2.7, 9.046875, 20.0]
DTYPES = ["float32", "float16", "bfloat16", "float8_e4m3fn", "float8_e5m2"]
X = [-3.0, -0.0, 0.5, 4.5]


def test_a_number_is_the_definition_rounded_once():
    for approximate, name in FORMS.items():
        for quantity, function in FUNCTIONS.items():
            for x in POINTS:
                want = nearest(truth(name, quantity, Fraction(x)))
                assert function(x, approximate) == want, (approximate, quantity, x)


def test_in_each_dtype_results_are_rounded_once():
    for dtype in DTYPES:
        x = np.array([[-2.0, -0.5, 0.25], [1.5, 3.0, 2.5]]).astype(dtype)
        for quantity, function in FUNCTIONS.items():
            got = function(x)
            assert (got.dtype, got.shape) == (x.dtype, x.shape)
            for number, result in zip(x.ravel().tolist(), got.ravel().tolist(), strict=True):
                want = nearest(truth("exact", quantity, Fraction(number)), dtype)
                assert result == want, (dtype, quantity, number)


def test_limits_and_signs_of_zero():
    limits = [  # x, GELU(x), GELU′(x)
        (0.0, 0.0, 0.5),
        (-0.0, -0.0, 0.5),
        (math.inf, math.inf, 1.0),
        (-math.inf, -0.0, -0.0),
        (math.nan, math.nan, math.nan),
        (1e300, 1e300, 1.0),
        (-1e300, -0.0, -0.0),
    ]
    for x, *results in limits:
        for function, result in zip(FUNCTIONS.values(), results, strict=True):
            assert identical(function(x), result), x
            assert identical(function(np.full(30, x))[7], result), x
    assert gelu(10**400) == math.inf


def test_single_numbers_few_and_many_have_the_same_digits():
    x = np.random.default_rng(5).normal(0, 6, 600)
    for approximate in (*FORMS, "relu", "puma"):
        for function in FUNCTIONS.values():
            many = function(x, approximate)
            assert function(x[:5], approximate).tolist() == many[:5].tolist()
            assert [function(each, approximate) for each in x[:40].tolist()] == many[:40].tolist()


def test_parameters_and_aliases_are_forms_too():
    assert gelu(1.0, "tanh:c=0") == nearest(truth("tanh", "value", 1, c="0"))
    assert gelu(1.0, "quick_gelu") == gelu(1.0, "sigmoid")
    assert gelu_gradient(0.0, "relu") == 0.0


def test_numpy_keeps_type_shape_and_order():
    assert type(gelu(2)) is float
    assert gelu(np.float32(1)).dtype == np.float32
    assert gelu(np.float32(1)).shape == ()
    assert gelu(np.zeros((3, 0))).shape == (3, 0)
    matrix = np.asfortranarray(np.arange(6.0).reshape(2, 3))
    assert gelu(matrix).tolist() == gelu(matrix.copy("C")).tolist()
    whole = gelu([0, 1])
    assert (whole.dtype, whole.tolist()) == (np.float64, [0.0, gelu(1.0)])


def test_a_tensor_of_torch_comes_back_outside_autograd(torch):
    for dtype in ("float64", "float32", "float16", "bfloat16"):
        x = torch.tensor([X, X], dtype=getattr(torch, dtype), requires_grad=True)
        got = gelu(x.t(), "tanh")
        assert (got.dtype, got.shape, got.device) == (x.dtype, (4, 2), x.device)
        assert not got.requires_grad
        want = gelu(np.array(X).astype(dtype), "tanh")
        assert got[:, 0].double().tolist() == want.astype(float).tolist()
    whole = gelu_gradient(torch.tensor([0, 1]))
    assert (whole.dtype, whole.tolist()) == (torch.float64, [0.5, gelu_gradient(1.0)])


def test_an_array_of_jax_stays_one(jax):
    x = jax.numpy.array(X, dtype=jax.numpy.bfloat16)
    got = gelu(x)
    assert (type(got), got.dtype) == (type(x), x.dtype)
    assert got.tolist() == gelu(np.array(X, dtype=ml_dtypes.bfloat16)).tolist()


def test_pandas_keeps_its_labels():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(X, index=list("abcd"), name="x", dtype="float32")
    want = pandas.Series(gelu(np.float32(X)), index=list("abcd"), name="x")
    pandas.testing.assert_series_equal(gelu(series), want)
    pandas.testing.assert_frame_equal(gelu(series.to_frame()), want.to_frame())
    index = pandas.Index(X, name="x")
    pandas.testing.assert_index_equal(gelu(index), pandas.Index(gelu(np.array(X)), name="x"))


def test_what_is_not_real_is_refused():
    for x, message in ((np.array([1j]), "not complex128"), (["one"], "not str")):
        with pytest.raises(TypeError, match=message):
            gelu(x)
    with pytest.raises(TypeError, match="approximate is None"):
        gelu(1.0, None)
    with pytest.raises(ValueError, match="did you mean 'tanh'"):
        gelu_gradient(1.0, "tnah")
