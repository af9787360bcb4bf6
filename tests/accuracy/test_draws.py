"""Shares of draws, against the weights of all inputs and pairs."""

import numpy as np
import pytest

from gelu_cli.accuracy.draws import Share, draw
from gelu_cli.accuracy.weights import Normal, weights_of
from gelu_cli.numbers import FORMATS
from tests.truth import exact

COUNT = 200_000


def swish(x):
    return x / (1 + np.exp(np.minimum(-x, 700.0)))


def differs(dtype, x, up):
    """Where a SwiGLU differs if its factor is rounded before the product."""
    one, other = x.astype(np.float64), up.astype(np.float64)
    once = (swish(one) * other).astype(np.float32).astype(dtype)
    twice = swish(one).astype(np.float32).astype(dtype).astype(np.float64) * other
    return once != twice.astype(np.float32).astype(dtype)


def test_a_swiglu_whose_product_is_rounded_twice_differs_at_a_quarter_of_draws():
    share = Share()
    for seed in range(4):
        x, up = draw(FORMATS["bfloat16"], both=True, count=COUNT // 4, seed=seed)
        share = share.add(Share.of(differs(FORMATS["bfloat16"].dtype, x, up)))
    assert share.draws == COUNT
    assert share.value == pytest.approx(0.275, abs=0.003)
    assert share.error == pytest.approx(0.002, rel=0.01)


@pytest.mark.parametrize("dtype", ["float8_e4m3fn", "float8_e5m2"])
def test_draws_come_as_often_as_inputs_weigh(dtype):
    of, normal = FORMATS[dtype], Normal(0.25, 1.5)
    x = np.array(exact.all_numbers(dtype))
    weight = weights_of(of, x, normal)
    a, b = draw(of, both=True, normal=normal, count=COUNT)
    table = differs(of.dtype, np.repeat(x, len(x)), np.tile(x, len(x))).reshape(len(x), -1)
    share, want = Share.of(differs(of.dtype, a, b)), weight @ table @ weight
    assert abs(share.value - want) < 1.5 * share.error
    assert Share.of(np.abs(a.astype(float)) > 2).value == pytest.approx(
        weight[np.abs(x) > 2].sum(), abs=0.004
    )


def test_draws_are_those_of_their_seed():
    of = FORMATS["float32"]
    first, again, other = (draw(of, count=9, seed=seed)[0].tolist() for seed in (1, 1, 2))
    assert first == again != other
