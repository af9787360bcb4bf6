"""Arrays, tensors and series come back as what they were, or are refused."""

import numpy as np
import pytest

from gelu_cli import gelu, gelu_gradient

X = [-3.0, -0.0, 0.5, 4.5]


@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "float16", "float64"])
def test_a_tensor_of_torch_stays_one(dtype):
    torch = pytest.importorskip("torch")
    x = torch.tensor([X, X], dtype=getattr(torch, dtype), requires_grad=True)
    got = gelu(x.t(), "tanh")
    assert (got.dtype, got.shape, got.device) == (x.dtype, (4, 2), x.device)
    assert not got.requires_grad
    want = np.array(X).astype(dtype) if dtype != "bfloat16" else bfloat16(X)
    assert got[:, 0].double().tolist() == gelu(want, "tanh").astype(float).tolist()


def bfloat16(numbers):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    return np.array(numbers, dtype=ml_dtypes.bfloat16)


def test_integers_in_a_tensor_are_float64s():
    torch = pytest.importorskip("torch")
    got = gelu_gradient(torch.tensor([0, 1]))
    assert (got.dtype, got.tolist()) == (torch.float64, [gelu_gradient(0.0), gelu_gradient(1.0)])


def test_an_array_of_jax_stays_one():
    jnp = pytest.importorskip("jax.numpy")
    x = jnp.array(X, dtype=jnp.bfloat16)
    got = gelu(x)
    assert (type(got), got.dtype) == (type(x), x.dtype)
    assert got.astype(float).tolist() == gelu(bfloat16(X)).astype(float).tolist()


def test_series_and_frames_keep_their_labels():
    pandas = pytest.importorskip("pandas")
    series = pandas.Series(X, index=list("abcd"), name="x", dtype="float32")
    got = gelu(series)
    want = pandas.Series(gelu(np.float32(X)), index=list("abcd"), name="x")
    pandas.testing.assert_series_equal(got, want)
    frame = series.to_frame()
    pandas.testing.assert_frame_equal(gelu(frame), want.to_frame())


def test_what_would_not_come_back_is_refused():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match=r"gelu takes float64, .* or integers, not complex64"):
        gelu(torch.tensor([1j]))

    class Series:
        __module__ = "polars.series"

    with pytest.raises(TypeError, match="gelu takes no Series of polars: convert it to numpy"):
        gelu(Series())
